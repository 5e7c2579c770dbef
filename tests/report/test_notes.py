"""The words of the footnote."""

from dataclasses import replace

import numpy as np
import pytest

from pdeval.report import notes
from pdeval.significance import corrections
from pdeval.significance.registry import TESTS


@pytest.mark.parametrize(
    ("attrs", "said"),
    [
        ({}, []),
        ({"ties": "rank"}, ["ranked by the rank column"]),
        ({"ties": "expected", "topics": "judged"},
         ["tied scores count by their mean over all orders", "every judged query counts"]),
        ({"topics": "answered", "level": 2.0},
         ["each system counts on the queries that it answered",
              "relevant from grade 2; queries without a relevant document count as 0"]),
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
    assert all(notes.words_of_test(name).endswith(" test") for name in TESTS)
    assert set(corrections.CORRECTIONS) <= set(notes.CORRECTIONS)


def test_a_test_of_ones_own_is_called_what_it_was_declared_as(monkeypatch):
    monkeypatch.setitem(TESTS, "mine", replace(TESTS["bootstrap"], name="mine", says="my own test"))
    assert notes.significance({"mine": ["AP"]}, "none", 0.05, draws=99) == (
        "my own test with 99 draws, no correction, α = 0.05"
    )
