"""What is counted of votes: averages, tallies and worst queries, with ties shared or broken by name, drawn again."""

from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from pdeval.evaluate import cube
from pdeval.orderings.votes import Votes, votes_of

NAME = np.array([2, 0, 3, 1])
VALUES = np.array([[0.5, 0.5, 0.25, 0.0], [0.125, 0.75, 1.0, 0.75], [0.25, 0.25, 0.25, 0.5]])
GAPS = np.where(np.arange(12).reshape(3, 4) == 5, np.nan, VALUES)
WEIGHTS = np.array(
    [[1, 1, 1], [3, 0, 0], [0, 2, 1], [0, 3, 0]]
)  # the last one lacks a run of those with gaps


def scores(values, *, higher=True):
    runs, queries = (
        pd.DataFrame({"run": list("abcd")[: values.shape[1]]}),
        pd.Index(["1", "2", "3"][: len(values)]),
    )
    return cube.Scores(runs, queries, ("own",), values[None], np.array([higher]))


def differences(values):
    a, b = cube.all_pairs(values.shape[1])
    held = scores(values)
    return cube.Preferences(
        held.runs, held.queries, ("own",), a, b, (values[:, a] - values[:, b])[None]
    )


def plain_wins(values):
    return np.array(
        [[np.nansum(one - row) if not np.isnan(one) else np.nan for one in row] for row in values]
    )


def held_of(kind, values, **options):
    if kind == "scores":
        return votes_of(scores(values), 0, **options)
    if kind == "less is better":
        return votes_of(scores(-values, higher=False), 0, **options)
    if kind == "win rates":
        return votes_of(scores(plain_wins(values)), 0, winrates=True, **options)
    return votes_of(differences(values), 0, **options)


KINDS = ["scores", "less is better", "win rates", "preferences"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("queries", [None, [1, 2, 0]])
def test_names_break_ties_and_runs_stand_as_the_first_query_ranks_them(kind, queries):
    found = held_of(kind, VALUES, name=NAME, queries=None if queries is None else np.array(queries))
    values = VALUES if queries is None else VALUES[queries]
    runs = sorted(range(4), key=lambda run: (-values[0, run], NAME[run]))
    assert found.runs.tolist() == runs
    assert found.name.tolist() == NAME[runs].tolist()
    assert found.wins.tolist() == plain_wins(values)[:, runs].tolist()
    by_value = "is better" in kind or kind == "scores"
    assert (None if found.value is None else found.value.tolist()) == (
        values[:, runs].tolist() if by_value else None
    )
    for row, rank in zip(values[:, runs], found.rank, strict=True):
        order = sorted(range(4), key=lambda run: (-row[run], NAME[runs][run]))
        assert rank.tolist() == [order.index(run) + 1 for run in range(4)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("values", [VALUES, GAPS], ids=["whole", "gaps"])
def test_without_names_runs_stand_as_they_do_and_share_ranks(kind, values):
    found = held_of(
        kind, values, queries=np.array([1, 2, 0])
    )  # whose order is asked where names break ties
    assert found.runs.tolist() == [0, 1, 2, 3]
    assert found.name is None
    np.testing.assert_array_equal(found.wins, plain_wins(values))
    for row, rank in zip(values, found.rank, strict=True):
        known = np.flatnonzero(~np.isnan(row))
        assert rank[known].tolist() == [1 + int((row[known] > row[run]).sum()) for run in known]


def plain_mean(values, times=None):
    """Sum by sum, over the queries that count for a run."""
    out = []
    for column in values.T:
        total = number = 0.0
        for value, weight in zip(
            column, np.ones(len(column)) if times is None else times, strict=True
        ):
            if not np.isnan(value):
                total, number = total + weight * value, number + weight
        out.append(total / number if number else np.nan)
    return out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["once", "drawn"])
@pytest.mark.parametrize(("values", "name"), [(VALUES, None), (VALUES, NAME), (GAPS, None)])
def test_counts_are_those_of_loops_over_queries_and_pairs(kind, values, name, weights):
    held = held_of(kind, values, name=name)
    columns = {"value", "wins", "net", "shared", "surplus"}
    found = held.counted(columns | ({"worst_first"} if values is VALUES else set()), weights)
    by_value = "is better" in kind or kind == "scores"
    assert ("value" in found) == by_value
    assert {*found, "value"} == columns | ({"worst_first"} if values is VALUES else set())
    mine, wins, rank = values[:, held.runs], plain_wins(values)[:, held.runs], held.rank
    for draw, times in enumerate([[1, 1, 1]] if weights is None else weights):
        if by_value:
            np.testing.assert_allclose(found["value"][draw], plain_mean(mine, times), rtol=1e-14)
        np.testing.assert_allclose(
            found["wins"][draw], plain_mean(wins, times), rtol=1e-14, atol=1e-15
        )
        net, shared = np.zeros((2, 4, 4))
        for query, (row, weight) in enumerate(zip(mine, times, strict=True)):
            for a in range(4):
                for b in range(4):
                    if a != b and not np.isnan(row[a] + row[b]):
                        shared[a, b] += weight
                        net[a, b] += weight * np.sign(rank[query, b] - rank[query, a])
        assert (found["net"][draw].tolist(), found["shared"][draw].tolist()) == (
            net.tolist(),
            shared.tolist(),
        )
        lead = np.divide(net, shared, out=np.zeros((4, 4)), where=shared > 0).sum(axis=1)
        np.testing.assert_allclose(found["surplus"][draw], lead, atol=1e-14)
        if values is VALUES:
            merit = mine if by_value else wins
            worst = [sorted(np.repeat(column, times)) for column in merit.T]
            np.testing.assert_allclose(found["worst_first"][draw], worst, atol=1e-15)
    assert {len(one) for one in found.values()} == {1 if weights is None else 4}


def test_only_what_is_asked_for_is_counted():
    held = votes_of(scores(VALUES), 0)
    for asked, given in (
        ("value", {"value"}),
        ("net", {"net", "shared"}),
        ("shared", {"net", "shared"}),
    ):
        assert set(held.counted({asked})) == given
    assert set(held.counted({"surplus", "worst_first"})) == {"surplus", "worst_first"}


def test_sums_over_queries_are_taken_in_their_order_divided_first_where_names_break_ties():
    values = np.random.default_rng(1).random((23, 2))
    runs, queries = pd.DataFrame({"run": ["a", "b"]}), pd.Index(range(23))
    source = cube.Scores(runs, queries, ("own",), values[None], np.array([True]))
    plain, named = votes_of(source, 0), votes_of(source, 0, name=np.array([0, 1]))
    total = divided = 0.0
    for value in values[:, 0]:
        total, divided = total + value, divided + value / 23
    assert total / 23 != divided
    assert plain.counted({"value"})["value"][0, 0] == total / 23
    assert named.counted({"value"})["value"][0, named.runs.tolist().index(0)] == divided


def test_values_that_differ_by_rounding_win_and_rank_alike_unless_names_break_ties():
    values = np.array([[0.3, 0.1 + 0.2, 0.7]])
    assert values[0, 0] != values[0, 1]
    held = votes_of(scores(values), 0)
    assert held.wins[0, 0] == held.wins[0, 1]
    assert held.rank.tolist() == [[2, 2, 1]]
    assert np.unique(held.counted({"worst_first"})["worst_first"]).size == 2
    named = votes_of(scores(values), 0, name=np.array([0, 1, 2]))
    assert named.runs.tolist() == [2, 1, 0]
    assert named.rank.tolist() == [[1, 2, 3]]
    assert np.unique(named.counted({"worst_first"})["worst_first"]).size == 3


def test_win_rates_that_are_given_are_equal_to_within_rounding_of_the_largest():
    rates = np.array([[4.0, 3.0, 3.0 + 1e-12, -10.0]])
    held = votes_of(scores(rates), 0, winrates=True)
    assert held.rank.tolist() == [[1, 2, 2, 4]]
    assert held.size == pytest.approx(10.0)
    assert votes_of(scores(rates + [[0, 0, 2e-11, 0]]), 0, winrates=True).rank.tolist() == [
        [1, 3, 2, 4]
    ]
    assert votes_of(
        scores(np.array([[0.5, np.nan], [0.25, 1.0]])), 0, winrates=True
    ).size == pytest.approx(1.0)


def test_preferences_are_equal_to_within_rounding_of_as_many_as_there_are_runs():
    a, b = cube.all_pairs(3)
    for apart, tied in (
        (2e-12, True),
        (2e-11, False),
    ):  # 3 runs whose largest preference is 1: up to 3e-12
        held = Votes.of(
            None, np.array([[1.0, 1.0 + apart, -2.0]]), 1e-12 * 3 * np.array([[1.0]]), None
        )
        assert (held.rank[0, 0] == held.rank[0, 1]) == tied
        table = cube.Preferences(
            pd.DataFrame({"run": list("abc")}),
            pd.Index(["1"]),
            ("own",),
            a,
            b,
            np.array([[[0.0, 1.0, 1.0 + apart]]]),
        )
        ranks = votes_of(table, 0).rank[0]
        assert (ranks[0] == ranks[1]) == tied


def test_worst_queries_of_win_rates_are_equal_to_within_rounding_of_what_they_sum():
    rates = np.array([[1.0, 1.0 + 5e-12], [0.5, 0.25]])
    large = Votes.of(None, rates, 1e-12 * np.array([[10.0], [1.0]]), None).counted({"worst_first"})[
        "worst_first"
    ]
    assert np.unique(large).size == 3
    small = Votes.of(None, rates, 1e-12 * np.array([[1.0], [1.0]]), None).counted({"worst_first"})[
        "worst_first"
    ]
    assert np.unique(small).size == 4


def test_votes_are_not_changed_afterwards():
    with pytest.raises(FrozenInstanceError):
        votes_of(scores(VALUES), 0).value = None
