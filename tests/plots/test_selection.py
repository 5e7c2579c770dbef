"""Choosing measures, runs and pairs of a frame."""

import numpy as np
import pandas as pd
import pytest

from pdeval.plots import registry

PREFS = pd.DataFrame(
    {
        "query_id": ["1", "1", "2"],
        "run_a": ["bm25", "bm25", "lm"],
        "run_b": ["lm", "rm3", "bm25"],
        "value": [0.1, 0.2, 0.3],
    }
)


def table(frame):
    """A frame as a plot p() reads it."""
    return registry.PlotTable("p()", frame, ("preferences",), "preferences")


def test_runs_of_several_columns_are_joined_by_a_slash():
    frame = pd.DataFrame(
        {"model_a": ["t5", "t5"], "seed_a": [1, 2], "model_b": ["bm25"] * 2, "seed_b": [0, 0]}
    )
    a, b, runs = table(frame).pairs()
    assert (a.tolist(), b.tolist(), runs) == ([0, 1], [2, 2], ["t5 / 1", "t5 / 2", "bm25 / 0"])


def test_runs_of_several_columns_may_come_in_any_row_order():
    frame = pd.DataFrame({"model": ["b", "a", "b", "c"], "seed": [2, 1, 2, 1]})
    assert registry.names(frame, ["model", "seed"]).tolist() == [
        "b / 2",
        "a / 1",
        "b / 2",
        "c / 1",
    ]


def test_categories_keep_their_order_and_unused_ones_go():
    column = pd.Categorical(["lm", "bm25"], categories=["bm25", "gone", "lm"])
    assert list(registry.names(pd.DataFrame({"run": column}), ["run"]).categories) == [
        "bm25",
        "lm",
    ]


def test_whole_number_runs_become_text():
    a, b, runs = table(pd.DataFrame({"run_a": [1], "run_b": [2]})).pairs()
    assert (a.tolist(), b.tolist(), runs) == ([0], [1], ["1", "2"])


def test_a_pair_may_be_asked_for_in_either_direction():
    rows, sign, a, b = table(PREFS).one_pair(("lm", "bm25"))
    assert (rows.frame["value"].tolist(), sign.tolist(), a, b) == (
        [0.1, 0.3],
        [-1.0, 1.0],
        "lm",
        "bm25",
    )


def test_several_pairs_are_an_error_that_shows_the_call():
    with pytest.raises(
        ValueError,
        match=r"e\.g\. \(bm25, lm\) and \(bm25, rm3\)\. Choose one: pair=\('bm25', 'lm'\)",
    ):
        table(PREFS).one_pair(None)


def test_a_pair_that_was_not_compared_is_an_error():
    with pytest.raises(ValueError, match=r"does not compare 'lm' with 'rm3'\."):
        table(PREFS).one_pair(("lm", "rm3"))


@pytest.mark.parametrize("pair", ["bm25", ("bm25",)])
def test_a_pair_is_two_runs(pair):
    with pytest.raises(ValueError, match=r"^pair=.*bm25.*: expected two runs\.$"):
        table(PREFS).one_pair(pair)


def test_an_unknown_run_is_named_with_those_that_exist():
    with pytest.raises(ValueError, match=r"no run 'bm52' in the frame; it has bm25, lm\."):
        registry.index_of("bm52", ["bm25", "lm"])


def test_a_run_of_several_columns_may_be_asked_for_as_a_tuple():
    assert registry.index_of(("t5", 2), ["t5 / 1", "t5 / 2"]) == 1


def test_several_measures_are_an_error_that_shows_the_call():
    frame = pd.DataFrame({"measure": ["AP", "RR"]})
    with pytest.raises(
        ValueError,
        match=r"p\(\) draws one measure; the frame has 2: AP, RR\. Choose one: measure='AP'",
    ):
        table(frame).one("measure", None)
    with pytest.raises(ValueError, match=r"no measure 'P@5' in the frame; it has AP, RR\."):
        table(frame).one("measure", "P@5")


def test_missing_values_do_not_become_a_run():
    codes = registry.names(pd.DataFrame({"run": ["a", None, "b"]}), ["run"]).codes
    np.testing.assert_array_equal(codes, [0, -1, 1])
