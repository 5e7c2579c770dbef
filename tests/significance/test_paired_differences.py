"""Pairs, blocks of differences, and preferences as matrices."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from pdeval.evaluate.cube import Preferences, Scores, all_pairs
from pdeval.significance import paired_differences
from pdeval.significance.paired_differences import Pairs, additive, check, complete, finite, square
from pdeval.verbs.arguments import TooFew

RUNS = pd.DataFrame({"run": ["a", "b", "c"]})
QUERIES = pd.Index(["1", "2"], name="query_id")


def table():
    values = np.array([[[0.1, 0.2, 0.3], [-0.5, 0.0, 1.0]]])
    return Preferences(RUNS, QUERIES, ("RPP",), np.array([0, 2, 1]), np.array([1, 0, 2]), values)


def test_pairs_are_turned_so_that_the_baseline_comes_second():
    pairs = Pairs.of(table(), baseline="a")
    assert (pairs.a.tolist(), pairs.b.tolist()) == ([1, 2], [0, 0])
    ((numbers, D),) = pairs.blocks(0)
    assert numbers.tolist() == [0, 1]
    assert D.tolist() == [[-0.1, 0.2], [0.5, 0.0]]


def test_a_turned_tie_is_no_negative_zero():
    pairs = Pairs.of(table(), baseline="c")
    ((_, D),) = pairs.blocks(0)
    assert not np.signbit(D[1, 0])
    scores = Scores(RUNS, QUERIES, ("ASL",), np.ones((1, 2, 3)), np.array([False]))
    ((_, D),) = Pairs.of(scores).blocks(0)
    assert not np.signbit(D).any()


def test_a_matrix_has_every_pair_in_both_directions():
    first = square(table(), 0, "hsd")[0]
    assert first.tolist() == [[0.0, 0.1, -0.2], [-0.1, 0.0, 0.3], [0.2, -0.3, 0.0]]


def test_score_differences_are_recognized_and_other_preferences_are_not():
    x = np.random.default_rng(0).random((4, 6)) * 1000
    T = x[:, :, None] - x[:, None, :]
    found = additive(T)
    assert found[:, :, None] - found[:, None, :] == pytest.approx(T, abs=1e-9)
    T[3, 4, 5] += 1e-6
    T[3, 5, 4] -= 1e-6
    assert additive(T) is None


def test_all_ties_are_differences_of_equal_scores():
    assert additive(np.zeros((2, 3, 3))).tolist() == [[0.0, 0.0, 0.0]] * 2


def scores(values, higher=(True, False), runs=None):
    """Scores (measures, queries, runs) of runs r0, r1, ..."""
    values = np.asarray(values, dtype=float)
    runs = (
        pd.DataFrame({"run": [f"r{k}" for k in range(values.shape[2])]}) if runs is None else runs
    )
    queries = pd.Index(range(values.shape[1]), name="query_id")
    return Scores(
        runs, queries, ("AP", "ASL")[: len(values)], values, np.array(higher[: len(values)])
    )


def differences_of(source):
    """Preferences of all pairs, every other one the wrong way round and the last first."""
    a, b = (side[::-1] for side in all_pairs(len(source.runs)))
    turned = np.arange(len(a)) % 2 == 1
    a, b = np.where(turned, b, a), np.where(turned, a, b)
    values = source.oriented()[:, :, a] - source.oriented()[:, :, b]
    return Preferences(source.runs, source.queries, source.measures, a, b, values)


def streamed(source):
    """The same preferences, two pairs at a time."""

    def blocks(measure):
        for start in range(0, len(source.a), 2):
            yield (
                slice(start, min(start + 2, len(source.a))),
                source.values[measure][:, start : start + 2],
            )

    names = ("runs", "queries", "measures", "a", "b", "attrs")
    return SimpleNamespace(blocks=blocks, **{name: getattr(source, name) for name in names})


KINDS = {
    "scores": lambda x: x,
    "preferences": differences_of,
    "stream": lambda x: streamed(differences_of(x)),
}


@pytest.mark.parametrize("block", [1, 6, 9, 2**20])
@pytest.mark.parametrize("baseline", [None, "r1", ["r3", "r0"]])
@pytest.mark.parametrize("kind", KINDS)
def test_blocks_hold_each_pair_once_and_say_how_much_better_its_first_run_is(
    kind, baseline, block, monkeypatch
):
    monkeypatch.setattr(paired_differences, "BLOCK", block)
    values = np.random.default_rng(0).integers(0, 8, size=(2, 3, 4)) / 8
    values[0, 1, 2] = np.nan
    source = scores(values)
    pairs = Pairs.of(KINDS[kind](source), baseline=baseline)
    bases = [] if baseline is None else [int(name[1]) for name in np.atleast_1d(baseline)]
    if bases:
        assert [
            (a, b) for a, b in zip(pairs.a.tolist(), pairs.b.tolist(), strict=True) if a == b
        ] == []
        assert pairs.b.tolist() == np.repeat(bases, 3).tolist()
    else:
        assert sorted(
            tuple(sorted(pair)) for pair in zip(pairs.a.tolist(), pairs.b.tolist(), strict=True)
        ) == [*((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))]
    assert pairs.against.all()
    for measure, sign in enumerate((1, -1)):
        blocks = list(pairs.blocks(measure))
        assert sorted(np.concatenate([numbers for numbers, _ in blocks]).tolist()) == list(
            range(len(pairs))
        )
        for numbers, D in blocks:
            assert len(numbers) <= max(1, block // 3)
            wanted = sign * (
                values[measure][:, pairs.a[numbers]] - values[measure][:, pairs.b[numbers]]
            )
            np.testing.assert_array_equal(D, wanted)


@pytest.mark.parametrize("block", [1, 40, 2**20])
@pytest.mark.parametrize("kind", KINDS)
def test_differences_of_several_measures_are_those_of_each(kind, block, monkeypatch):
    monkeypatch.setattr(paired_differences, "BLOCK", block)
    pairs = Pairs.of(KINDS[kind](scores(np.random.default_rng(0).random((2, 3, 4)))))
    for measures, numbers, together in pairs.blocks_of([0, 1]):
        for measure, D in zip(measures, together, strict=True):
            alone = np.hstack([values for _, values in pairs.blocks(measure)])
            np.testing.assert_array_equal(D, alone[:, numbers])


def test_others_are_kept_beside_the_pairs_of_a_baseline_and_not_shown():
    pairs = Pairs.of(scores(np.ones((1, 2, 3))), baseline="r1", others=True)
    assert (pairs.a.tolist(), pairs.b.tolist()) == ([0, 0, 2], [1, 2, 1])
    assert pairs.against.tolist() == [True, False, True]
    assert pairs.frame([{"n": np.ones(2)}])[["run_a", "run_b"]].to_dict("list") == {
        "run_a": ["r0", "r2"],
        "run_b": ["r1", "r1"],
    }
    assert pairs.name(2) == "('r2', 'r1')"
    assert len(pairs) == 3


def test_the_means_of_both_sides_are_over_what_counts():
    values = np.random.default_rng(1).random((2, 4, 3))
    pairs = Pairs.of(scores(values))
    numbers = np.array([2, 0])  # the second and the third run, the first and the second
    a, b = [1, 0], [2, 1]
    for counted in (np.ones((4, 2), dtype=bool), np.array([True, False, True, True])):
        rows = slice(None) if counted.ndim == 2 else counted
        found = pairs.sides(1, numbers, counted)
        np.testing.assert_allclose(
            found, [values[1][rows][:, a].mean(axis=0), values[1][rows][:, b].mean(axis=0)]
        )
    cells = np.array([[True, False], [True, True], [False, True], [True, True]])
    found = pairs.sides(1, numbers, cells)
    wanted = [[values[1][cells[:, at], side[at]].mean() for at in range(2)] for side in (a, b)]
    np.testing.assert_allclose(found, wanted)
    unknown = Pairs.of(differences_of(scores(values))).sides(0, numbers, cells)
    assert [side.shape for side in unknown] == [(2,), (2,)]
    assert np.isnan(unknown).all()


def test_only_queries_that_every_run_has_are_complete_and_two_are_enough():
    values = np.random.default_rng(2).random((2, 4, 3))
    values[:, 1, 2] = values[:, 3, 0] = np.nan
    for source in (scores(values), differences_of(scores(values))):
        with pytest.warns(
            UserWarning,
            match=r"^2 of 4 queries have no 'ASL' value for at least one run; HSD uses the remaining 2 q",
        ):
            found, counted = complete(Pairs.of(source), 1, "HSD")
        assert counted.tolist() == [True, False, True, False]
        wanted = -values[1, [0, 2]]
        np.testing.assert_allclose(found - found[:, :1], wanted - wanted[:, :1], atol=1e-12)
    values[:, 0, 1] = np.nan
    with pytest.raises(
        TooFew, match=r"^HSD needs at least two queries on which .*; 'AP' has 1 of 4\."
    ):
        complete(Pairs.of(scores(values)), 0, "HSD")


def test_preferences_of_no_score_stay_a_matrix_for_each_query():
    source = differences_of(scores(np.random.default_rng(3).random((1, 3, 4))))
    signs = Preferences(
        source.runs, source.queries, source.measures, source.a, source.b, np.sign(source.values)
    )
    found, counted = complete(Pairs.of(signs), 0, "HSD")
    assert (found.shape, counted.tolist()) == ((3, 4, 4), [True] * 3)
    np.testing.assert_array_equal(found, -found.transpose(0, 2, 1))
    np.testing.assert_array_equal(found[:, signs.a, signs.b], signs.values[0])
    assert not np.signbit(np.diagonal(found, axis1=1, axis2=2)).any()


def test_a_pair_that_stands_twice_does_not_stand_for_one_that_is_missing():
    a, b = np.array([0, 1, 1]), np.array([1, 0, 2])
    twice = Preferences(RUNS, QUERIES, ("RPP",), a, b, np.zeros((1, 2, 3)))
    with pytest.raises(ValueError, match="the preferences have 2 of the 3 pairs"):
        square(twice, 0, "HSD")


@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e9])
def test_scores_are_recognized_up_to_the_last_digits_of_the_largest_difference(unit):
    x = np.array([[0.1, 0.7, 0.4], [0.0, 0.0, 0.0]]) * unit
    exact = x[:, :, None] - x[:, None, :]
    for gap, known in ((5e-16, True), (5e-14, False)):
        off = exact.copy()
        off[0, 1, 2] += gap * unit
        off[0, 2, 1] -= gap * unit
        assert (additive(off) is not None) is known


def test_two_runs_and_two_queries_are_enough_and_one_is_not():
    check(scores(np.ones((1, 2, 2))))
    with pytest.raises(TooFew, match=r"^a comparison needs at least two runs, found 1\."):
        check(scores(np.ones((1, 2, 1))))
    with pytest.raises(TooFew, match=r"^a significance test needs at least two queries, found 1\."):
        check(scores(np.ones((1, 1, 2))))
    values = np.ones((1, 3, 3))
    values[0, 0, 1] = values[0, 1, 2] = np.nan
    pairs = Pairs.of(scores(values))
    assert sum(len(numbers) for numbers, _ in pairs.blocks(0)) == 3
    with pytest.raises(
        ValueError,
        match=r"^1 pairs have fewer than two common queries for 'AP', e\.g\. \('r1', 'r2'\) with 1\.",
    ):
        list(pairs.blocks(0, shared=2))


def test_infinite_values_are_counted_and_finite_ones_come_back():
    values = np.array([[0.5, np.nan]])
    assert finite(values, "AP") is values
    with pytest.raises(ValueError, match=r"^measure 'AP' has 2 infinite values"):
        finite(np.array([np.inf, -np.inf, np.nan, 1.0]), "AP")
    infinite = Preferences(RUNS, QUERIES, ("RPP",), *all_pairs(3), np.full((1, 2, 3), np.inf))
    for read in (lambda: list(Pairs.of(infinite).blocks(0)), lambda: square(infinite, 0, "HSD")):
        with pytest.raises(ValueError, match="'RPP' has 6 infinite values"):
            read()


def test_a_baseline_without_any_pair_is_named():
    some = Preferences(RUNS, QUERIES, ("RPP",), np.array([0]), np.array([2]), np.zeros((1, 2, 1)))
    with pytest.raises(
        ValueError, match=r"^no pair of the table has the baseline 'b'\. Compute its pairs first"
    ):
        Pairs.of(some, baseline="b")
    assert len(Pairs.of(some, baseline="c")) == 1
