"""Leximin: runs compared from their worst query up."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import pdeval
from pdeval.orderings.methods import behind
from pdeval.orderings.order import order
from pdeval.orderings.votes import votes_of, worst_first
from tests.examples import examples
from tests.orderings.test_order import differences, scores

VALUES = st.sampled_from([0.0, 0.1, 0.1 + 0.2, 0.3, 0.5, 1.0, -0.5, -0.0])
TABLES = st.tuples(st.integers(1, 6), st.integers(2, 5)).flatmap(
    lambda shape: arrays(float, shape, elements=VALUES)
)


def compared(one, other, tolerance):
    """The sign of the first difference of two lists, each from its worst value up."""
    for x, y in zip(sorted(one), sorted(other)):
        if abs(x - y) > tolerance:
            return 1 if x > y else -1
    return 0


def brute_force(values, tolerance=1e-12):
    """The rank of every column: 1 and how many columns are better."""
    columns = values.T.tolist()
    return [1 + sum(compared(other, one, tolerance) > 0 for other in columns) for one in columns]


def ranked(table, **options):
    return (
        order(table, method="leximin", **options).sort_values("run", kind="stable")["rank"].tolist()
    )


@examples(60)
@given(TABLES, st.booleans())
def test_leximin_of_scores_equals_brute_force(values, higher):
    assert ranked(scores(values, higher=higher)) == brute_force(values if higher else -values)


@examples(60)
@given(TABLES)
def test_leximin_of_preferences_is_that_of_their_win_rates(values):
    wins = (values[:, :, None] - values[:, None, :]).sum(axis=2)
    assert ranked(differences(scores(values))) == brute_force(wins, 1e-11)


@examples(40)
@given(TABLES, st.integers(0, 2**32 - 1))
def test_a_resample_repeats_values_as_often_as_their_queries_are_drawn(values, seed):
    n = len(values)
    drawn = np.random.default_rng(seed).integers(n, size=(3, n))
    weights = np.stack([np.bincount(one, minlength=n) for one in drawn])
    np.testing.assert_array_equal(
        worst_first(values, weights), np.sort(values[drawn], axis=1).transpose(0, 2, 1)
    )


@examples(60)
@given(
    arrays(
        float, st.tuples(st.integers(1, 3), st.integers(1, 5), st.integers(1, 4)), elements=VALUES
    )
)
def test_rows_are_counted_behind_in_lexicographic_order(rows):
    expected = [
        [sum(tuple(one) < tuple(row) for one in block) for row in block] for block in rows.tolist()
    ]
    assert behind(rows).tolist() == expected


def test_the_first_difference_from_the_worst_query_up_decides():
    # sorted: a .1 .5 .9, b .1 .6 .6, c 0 1 1
    found = order(scores([[0.9, 0.1, 1.0], [0.5, 0.6, 0.0], [0.1, 0.6, 1.0]]), method="leximin")
    assert found[["run", "score", "rank"]].values.tolist() == [
        ["b", 2.0, 1],
        ["a", 1.0, 2],
        ["c", 0.0, 3],
    ]


def test_values_that_differ_by_rounding_are_tied_though_they_are_on_other_queries():
    assert ranked(scores([[0.1 + 0.2, 0.7], [0.7, 0.3]])) == [1, 1]


def test_win_rates_that_cancel_up_to_rounding_are_tied():
    cycle = differences(scores([[0.0, 0.0, 0.0]]))
    cycle.values[0, 0] = [1 / 3, -1 / 3, 1 / 3 + 1e-16]
    assert ranked(cycle) == [1, 1, 1]


def test_rank_intervals_of_leximin_are_those_of_resampled_queries():
    rng = np.random.default_rng(5)
    values = rng.integers(0, 4, size=(8, 4)) / 4
    options = {"draws": 200, "seed": 3, "confidence": 0.9, "rank_interval": "percentile"}
    found = order(scores(values), method="leximin", **options).sort_values("run")
    weights = np.random.default_rng(3).multinomial(8, np.full(8, 1 / 8), size=200)
    drawn = np.array([brute_force(np.repeat(values, one, axis=0)) for one in weights])
    ends = np.quantile(drawn, [0.05, 0.95], axis=0, method="inverted_cdf")
    assert found["rank_low"].tolist() == ends[0].tolist()
    assert found["rank_high"].tolist() == ends[1].tolist()


def test_the_size_of_a_block_of_resamples_changes_nothing(monkeypatch):
    table = scores(np.random.default_rng(2).random((9, 4)))
    whole = order(table, method=["leximin", "mean"], draws=50)
    monkeypatch.setattr("pdeval.orderings.order.BLOCK", 1)
    pd.testing.assert_frame_equal(order(table, method=["leximin", "mean"], draws=50), whole)


def test_leximin_of_runs_is_that_of_their_table():
    judged = pdeval.datasets.sample_judged(queries="common")
    for measure, table in (("AP", judged.measure("AP")), ("RPP", judged.prefer("RPP"))):
        pd.testing.assert_frame_equal(
            judged.order(measure, method="leximin"),
            table.ireval.order(method="leximin"),
            check_categorical=False,
        )


def test_runs_on_different_queries_are_not_compared_from_the_worst_up():
    with pytest.raises(
        ValueError,
        match=r"1 of 3 runs have no value for some of 1 of the 2 queries.*queries='relevant'",
    ):
        order(scores([[0.1, 0.2, 0.3], [0.2, np.nan, 0.3]]), method="leximin")


def test_an_ordering_may_take_the_mean_of_the_worst_queries():
    found = votes_of(scores([[0.9, 0.1], [0.5, 0.6], [0.1, 0.6]]), 0).counted({"worst_first"})[
        "worst_first"
    ]
    np.testing.assert_allclose(found[..., :2].mean(axis=-1), [[0.3, 0.35]])


def test_runs_and_queries_with_a_gap_are_counted_apart():
    table = np.arange(12.0).reshape(4, 3)
    for query, run, told in (
        ([0, 0], [0, 1], r"2 of 3 runs have no value for some of 1 of the 4 queries"),
        ([0, 2, 3], [1, 1, 1], r"1 of 3 runs have no value for some of 3 of the 4 queries"),
    ):
        gaps = table.copy()
        gaps[query, run] = np.nan
        with pytest.raises(ValueError, match=told):
            worst_first(gaps)


def test_rows_of_any_numbers_are_compared():
    rows = [[0.5, 0.25], [0.25, 2.0], [0.5, 0.125], [-1.0, 3.0]]
    for kind in (np.float32, np.float64):
        assert behind(np.array(rows, dtype=kind)).tolist() == [3, 1, 2, 0]
    assert behind(np.array([[3, 1], [-2, 5], [3, 0]])).tolist() == [2, 0, 1]
