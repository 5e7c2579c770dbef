"""Checks of arguments say what was given and what to give, in one tone."""

import numpy as np
import pytest

from pdeval.verbs import arguments


@pytest.mark.parametrize("value", [0.05, 0.999, np.float32(0.5)])
def test_a_share_between_0_and_1_is_taken(value):
    assert arguments.share("alpha", value) == float(value)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (5, "alpha=5: expected a fraction between 0 and 1; 5% is 0.05."),
        (99.9, "alpha=99.9: expected a fraction between 0 and 1; 99.9% is 0.999."),
        (0, "alpha=0: expected a fraction between 0 and 1."),
        (float("nan"), "alpha=nan: expected a fraction between 0 and 1."),
        ("5%", "alpha='5%': expected a fraction between 0 and 1."),
        (True, "alpha=True: expected a fraction between 0 and 1."),
        (None, "alpha=None: expected a fraction between 0 and 1."),
    ],
)
def test_what_is_no_share_is_refused(value, says):
    with pytest.raises(ValueError) as caught:
        arguments.share("alpha", value)
    assert str(caught.value) == says


def test_whole_numbers_are_those_of_python_and_numpy():
    assert [arguments.integer("draws", value, 1) for value in (1, np.int64(7))] == [1, 7]


@pytest.mark.parametrize("value", [1, 2.0, True, "3", None])
def test_what_is_no_whole_number_or_too_small_is_refused(value):
    with pytest.raises(
        ValueError, match=f"^queries={value!r}: expected an integer of at least 2.$"
    ):
        arguments.integer("queries", value, 2)


def test_numbers_have_a_least():
    assert arguments.number("margin", 0, 0) == 0.0
    for value in (-0.1, float("nan"), "x"):
        with pytest.raises(
            ValueError, match=f"^margin={value!r}: expected a number of at least 0.$"
        ):
            arguments.number("margin", value, 0)


def test_choices_have_other_names_and_no_case():
    assert arguments.one_of("correction", "Holm", ("holm", "none")) == "holm"
    assert arguments.one_of("correction", "BH", ("holm", "fdr_bh"), {"bh": "fdr_bh"}) == "fdr_bh"


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("quer", "per='quer': choose 'all', 'run' or 'query'. Did you mean 'query'?"),
        ("zzz", "per='zzz': choose 'all', 'run' or 'query'."),
        (3, "per=3: choose 'all', 'run' or 'query'."),
        (["run"], "per=['run']: choose 'all', 'run' or 'query'."),
    ],
)
def test_an_unknown_choice_lists_all_of_them(value, says):
    with pytest.raises(ValueError) as caught:
        arguments.one_of("per", value, ("all", "run", "query"))
    assert str(caught.value).startswith(says)


def test_a_seed_is_a_whole_number_or_none():
    assert [arguments.seed(value) for value in (None, 0, np.int64(3))] == [None, 0, 3]
    for value in (-1, 1.5, "x", True):
        with pytest.raises(
            ValueError,
            match=f"^seed={value!r}: expected a non-negative integer, or None for a random seed",
        ):
            arguments.seed(value)
