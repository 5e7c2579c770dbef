"""The words of the footnote."""

import numpy as np
import pytest

from pdeval.report import notes


@pytest.mark.parametrize(
    ("attrs", "said"),
    [
        ({}, []),
        ({"ties": "rank"}, ["ranked by the rank column"]),
        ({"ties": "expected", "topics": "judged"},
         ["tied scores count by their mean over all orders", "every judged query counts"]),
        ({"topics": "answered", "level": 2.0},
         ["each system counts on the queries that it answered", "relevant from grade 2"]),
        ({"ties": None, "topics": None, "level": None, "compat": "pref_eval"}, ["conventions of pref_eval"]),
        ({"ties": "mine", "topics": "those"}, ["ties: mine", "topics: those"]),
    ],
)  # fmt: skip
def test_the_rules_are_said_as_far_as_they_are_known(attrs, said):
    assert notes.rules(attrs) == said


def test_nothing_known_is_nothing_said():
    assert notes.basis(None, {}) == []
    assert notes.basis(np.array([0]), {}) == []


def test_every_test_and_correction_of_compare_has_words():
    names = pytest.importorskip("pdeval.significance.names")
    assert set(names.TESTS) <= set(notes.TESTS)
    assert set(names.CORRECTIONS) <= set(notes.CORRECTIONS)
    assert names.NOT_NEEDED == notes.NOT_NEEDED
