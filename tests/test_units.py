"""Rounding decides nothing and neither does the unit of a measure (issue 13, item 1): one relative tolerance."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pdeval
from pdeval.evaluate.cube import Preferences, Scores, all_pairs
from pdeval.online.two_sample_tests import mann_whitney, two_rates, welch
from pdeval.orderings.coefficients import COEFFICIENTS
from pdeval.orderings.methods import orderings
from pdeval.orderings.order import ordered
from pdeval.significance.anova import anova
from pdeval.significance.compare import compare
from pdeval.significance.registry import TESTS
from pdeval.studies.sign_agreement import agree
from pdeval.studies.ties import ties
from tests.examples import examples

LABELS = ("one", "other")
SCALE_FREE = ["p_value", "p_adjusted", "significant", "effect_size"]


def scores_of(values, higher=True):
    """A cube of two measures that nobody knows, so that nothing but the values tells their size."""
    runs, queries = values.shape[2], values.shape[1]
    return Scores(
        pd.DataFrame({"run": [f"r{number}" for number in range(runs)]}),
        pd.Index([f"q{number}" for number in range(queries)], name="query_id"),
        LABELS,
        values,
        np.full(len(values), higher),
    )


def preferences_of(cube):
    a, b = all_pairs(len(cube.runs))
    return Preferences(
        cube.runs, cube.queries, LABELS, a, b, cube.values[:, :, a] - cube.values[:, :, b]
    )


def with_rounding(seed, signed=False):
    """Values with ties that only rounding breaks: some runs are others added up in another order."""
    rng = np.random.default_rng(seed)
    parts = rng.integers(-3 if signed else 0, 4, (2, 9, 4, 3)) / 10
    return np.concatenate(
        [parts.sum(axis=3), (parts[..., 2] + parts[..., 1] + parts[..., 0])[:, :, :2]], axis=2
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["scores", "signed scores", "preferences"])
@examples(6)
@given(seed=st.integers(0, 10_000), power=st.sampled_from([-60, -50, -7, 20, 40]))
def test_the_unit_of_a_measure_changes_no_tie_sign_rank_p_value_or_agreement(kind, seed, power):
    values = with_rounding(seed, signed=kind == "signed scores")
    cubes = [scores_of(values), scores_of(values * 2.0**power)]
    if kind == "preferences":
        cubes = [preferences_of(cube) for cube in cubes]
    for test in TESTS.values():
        if test.scores_only and kind == "preferences":
            continue
        options = {"test": test.name, "draws": 64, "seed": 1}
        if test.family == "baseline":
            options["baseline"] = cubes[0].runs.iloc[0, 0]
        x, y = (compare(cube, **options)[SCALE_FREE] for cube in cubes)
        pd.testing.assert_frame_equal(x, y)
    x, y = (ties(cube, None) for cube in cubes)
    pd.testing.assert_frame_equal(x, y)
    x, y = (agree(cube, None) for cube in cubes)
    pd.testing.assert_frame_equal(x, y)
    for method in orderings():
        if method == "mean" and kind == "preferences":
            continue
        x, y = (
            ordered(cube, method=method, draws=20)[["run", "rank", "rank_low", "rank_high"]]
            for cube in cubes
        )
        pd.testing.assert_frame_equal(x, y)
    if kind != "preferences":
        x, y = (anova(cube, None)[["p_value", "effect_size"]] for cube in cubes)
        pd.testing.assert_frame_equal(x, y)


@examples(30)
@given(seed=st.integers(0, 10_000), power=st.sampled_from([-60, -7, 40]))
@example(
    seed=1764, power=-60
)  # the last bit of Welch's effect size, when the root was a power of .5
@example(seed=145, power=40)  # that of his p, when squares were powers of 2
def test_the_unit_changes_no_coefficient_and_no_test_of_two_samples(seed, power):
    values = with_rounding(seed)[0]
    for one in COEFFICIENTS.values():
        x, y = (one.function(values[0] * unit, values[1] * unit) for unit in (1.0, 2.0**power))
        assert x == pytest.approx(y, abs=1e-12, nan_ok=True), one.name
    for test in (welch, mann_whitney):
        x, y = (
            test(values[:, 0] * unit, values[:, 3] * unit, confidence=0.95)
            for unit in (1.0, 2.0**power)
        )
        assert x[3:] == y[3:] or np.isnan(x.p_value)


@pytest.mark.parametrize("scale", [1e-15, 1.0, 1e6])
def test_runs_that_are_equal_on_paper_are_tied_for_every_tally_whatever_their_size(scale):
    first = np.array([[0.1 + 0.2, 0.7, 0.2], [0.6, 0.3, 0.1]])
    again = np.array([[0.3, 0.7, 0.2], [0.1 + 0.2 + 0.3, 0.3, 0.1]])
    assert (first != again).sum() == 2
    values = np.stack(
        [
            np.column_stack([one.ravel(), other.ravel()])
            for one, other in ((first, again), (again, first))
        ]
    )
    cube = scores_of(values * scale)
    assert ties(cube, None)["ties"].tolist() == [6, 6]
    found = agree(cube, None)
    assert found["agreement"].item() == 1
    assert np.isnan(found["r"].item())
    for method in orderings():
        assert ordered(cube, method=method)["rank"].tolist() == [1] * 4, method


@pytest.mark.parametrize("scale", [1e-15, 1e6])
def test_differences_of_a_measure_with_small_or_large_values_are_no_ties(scale):
    rng = np.random.default_rng(0)
    cube = scores_of(rng.uniform(0, 1, (2, 12, 3)) * scale)
    assert ties(cube, None)["ties"].tolist() == [0, 0]
    assert ties(preferences_of(cube), None)["ties"].tolist() == [0, 0]
    assert agree(cube, None)["r"].notna().all()


@pytest.mark.parametrize("name", list(COEFFICIENTS))
def test_numbers_equal_up_to_rounding_are_ties_of_every_coefficient(name):
    by = COEFFICIENTS[name].function
    rounded, exact = [0.1 + 0.2, 0.3, 0.5, 0.1], [0.3, 0.3, 0.5, 0.1]
    other = [0.2, 0.4, 0.9, 0.3]
    assert by(rounded, other) == pytest.approx(by(exact, other), abs=1e-12)
    assert by(other, rounded) == pytest.approx(by(other, exact), abs=1e-12)
    constant = by([0.1 + 0.2, 0.3, 0.3], [1, 2, 3])
    assert constant == by([0.3, 0.3, 0.3], [1, 2, 3]) or np.isnan(constant)


@pytest.mark.parametrize("n", [10, 30, 1000])
def test_two_buckets_whose_values_are_all_point_8_do_not_differ(n):
    # the mean of n times .8 depends on n by 1.1e-16: that was p = .0003, and 54% of such tests fell below .05
    found = []
    for m in range(2, 60):
        x, y = np.full(n, 0.8), np.full(m, 0.8)
        found += [test(x, y, confidence=0.95) for test in (welch, mann_whitney)]
    assert {one.p_value for one in found} == {1.0}
    assert {one.effect_size for one in found} == {0.0}
    assert (
        two_rates(np.repeat([1, 0], [4, 1]), np.repeat([1, 0], [8, 2]), confidence=0.95).p_value
        == 1
    )


@pytest.mark.slow
def test_of_1440_tests_of_bm25_against_the_mean_of_its_own_seeds_none_is_below_05():
    """Ten measures, sets of queries and numbers of seeds, and each of the tests: 82 were below .05."""
    measures = ["AP", "nDCG", "nDCG@10", "RR", "RBP", "P@10", "R@100", "ERR", "Rprec", "bpref"]
    scores = pdeval.datasets.sample_judged(queries="common").measure(measures)
    wide = scores[scores["run"] == "bm25"].pivot(
        index="query_id", columns="measure", values="value"
    )[measures]
    rng, below, done = np.random.default_rng(13), 0, 0
    asked = ["t", "wilcoxon", "sign", "randomization", "hsd", "tukey"]
    for _ in range(8):
        picked = wide.to_numpy()[rng.choice(len(wide), 40, replace=False)]
        for seeds in (3, 6, 7):
            # the mean of identical seeds, as pandas or a loop adds them up
            total = np.zeros_like(picked)
            for _ in range(seeds):
                total = total + picked
            both = np.stack([picked, total / seeds], axis=2).transpose(1, 0, 2)
            cube = Scores(
                pd.DataFrame({"run": ["bm25", "mean"]}),
                pd.Index(range(40), name="query_id"),
                tuple(measures),
                both,
                np.ones(len(measures), dtype=bool),
            )
            for test in asked:
                found = compare(cube, test=test, draws=200, correction=None)
                below, done = below + int((found["p_value"] < 0.05).sum()), done + len(found)
                assert (found["p_value"] == 1).all()
    assert (below, done) == (0, 1440)
