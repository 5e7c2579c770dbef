"""What a parameter may be is tested with the catalog; here: how names say them, and when two are the same."""

import math

import numpy as np
import pytest

from pdeval.catalog import find
from pdeval.catalog.measures import label_of, same, value_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (10, "10"),
        (0.1, "0.1"),
        (1e-7 / 3, "3.3333333333333334e-08"),
        ("exp", "exp"),
        ({1: 3, 2: 9.5}, "{1:3,2:9.5}"),
        ([0, 0.5], "[0,0.5]"),
        (np.arange(3), "[0,1,2]"),
        (np.arange(9), "array"),
        (math.log, "log"),
    ],
)
def test_a_value_is_said_as_a_name_would_write_it(value, text):
    assert value_text(value) == text


def test_only_what_is_not_the_default_is_said():
    entry = find("RBP")
    assert label_of(entry, {"p": 0.8, "k": math.inf}, None) == "RBP"
    assert label_of(entry, {"p": 0.9, "k": 10}, 2) == "RBP(p=0.9,level=2)@10"


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        (1, 1.0, True),
        ("uniform", np.ones(2), False),
        (np.ones(2), np.ones(2), True),
        (np.ones(2), np.ones(3), False),
        (np.ones(2), np.array([1.0, 2.0]), False),
        ([1, 2], [1, 2], True),
    ],
)
def test_parameters_are_the_same_if_they_are_equal(a, b, alike):
    assert same(a, b) is alike
