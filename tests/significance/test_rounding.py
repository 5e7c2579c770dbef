"""Rounding is never significant (issue 13, item 1): what is equal on paper is equal in every test and ordering."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.cube import Preferences, Scores, all_pairs
from pdeval.mechanics.equality import NOISE
from pdeval.significance.anova import two_way
from pdeval.significance.outcome import describe
from pdeval.significance.paired import wilcoxon
from pdeval.significance.registry import TESTS


@pytest.fixture(scope="module")
def seeds():
    """bm25, the mean of three identical seeds of it, and another run; some sums differ in the last digit."""
    scores = pdeval.datasets.sample_judged(topics="common").measure(["AP", "nDCG", "RR"])
    bm25 = scores[scores["run"] == "bm25"]
    seeds = pd.concat([bm25] * 3).groupby(["query_id", "measure"], observed=True, sort=False)["value"].mean()
    again = bm25.assign(run="mean", value=seeds.loc[list(zip(bm25["query_id"], bm25["measure"]))].to_numpy())
    assert (again["value"].to_numpy() != bm25["value"].to_numpy()).sum() > 5
    table = pd.concat([bm25, again, scores[scores["run"] == "dense-s1"]])
    table.attrs = scores.attrs
    return table


@pytest.mark.parametrize("test", list(TESTS))
def test_a_run_against_the_mean_of_its_own_identical_seeds_has_p_1_in_every_test(seeds, test):
    found = seeds.ireval.compare(test=test, draws=200, correction=None)
    same = found[(found["run_a"] == "bm25") & (found["run_b"] == "mean")]
    assert len(same) == 3
    assert same["p_value"].tolist() == [1.0] * 3
    assert same["difference"].tolist() == same["effect_size"].tolist() == [0.0] * 3


@pytest.mark.parametrize("test", [name for name, one in TESTS.items() if not one.scores_only])
def test_preferences_that_are_rounding_have_p_1_in_every_test(test):
    rng = np.random.default_rng(0)
    a, b = all_pairs(3)
    values = np.stack([np.full(12, 1.1e-16), rng.normal(0.4, 0.2, 12), rng.normal(0.4, 0.2, 12)], axis=1)
    table = Preferences(
        pd.DataFrame({"run": list("abc")}), pd.Index(range(12), name="query_id"), ("RPP",), a, b, values[None]
    )
    found = pdeval.significance.compare.compare(table, test=test, draws=200, correction=None)
    assert found["p_value"][0] == 1.0
    assert found["p_value"][1] < 0.05


@pytest.mark.parametrize("test", list(TESTS))
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e6])
def test_two_constant_samples_that_are_equal_but_for_rounding_have_p_1(test, scale):
    values = np.tile([0.8, np.nextafter(0.8, 1)], (10, 1)) * scale
    table = Scores(
        pd.DataFrame({"run": ["a", "b"]}),
        pd.Index(range(10), name="query_id"),
        ("AP",),
        values[None],
        np.array([True]),
    )
    found = pdeval.significance.compare.compare(table, test=test, draws=200)
    assert found["p_value"].item() == 1.0


@pytest.mark.parametrize("test", [name for name in TESTS if name != "sign"])
def test_a_difference_that_is_small_but_not_rounding_is_still_tested(test):
    rng = np.random.default_rng(1)
    first = rng.uniform(0.2, 0.8, 20)
    table = Scores(
        pd.DataFrame({"run": ["a", "b"]}),
        pd.Index(range(20), name="query_id"),
        ("AP",),
        np.stack([first, first + 1e-9 * rng.uniform(0.5, 1.5, 20)], axis=1)[None],
        np.array([True]),
    )
    found = pdeval.significance.compare.compare(table, test=test, draws=500)
    assert found["p_value"].item() < 0.01


@pytest.mark.parametrize("method", ["mean", "winrate", "borda", "copeland", "mc4", "bradley-terry"])
def test_an_ordering_ties_a_run_with_the_mean_of_its_own_seeds(seeds, method):
    rank = seeds.ireval.order("AP", method=method).set_index("run")["rank"]
    assert rank["bm25"] == rank["mean"]


def test_runs_that_differ_by_rounding_only_share_no_variance():
    values = np.random.default_rng(2).uniform(0, 1, (12, 1)) * np.ones((1, 3))
    values[:, 1] = (values[:, 0] * 0.1 + values[:, 0] * 0.2) / 0.3
    assert (values[:, 0] != values[:, 1]).any()
    table = Scores(
        pd.DataFrame({"run": list("abc")}),
        pd.Index(range(12), name="query_id"),
        ("AP",),
        values[None],
        np.array([True]),
    )
    found = pdeval.significance.anova.anova(table).set_index("source")["p_value"]
    assert found["run"] == 1.0
    assert found["query"] == 0.0
    assert two_way(np.full((7, 3), 0.8))["p_value"][:2].tolist() == [1.0, 1.0]


def test_differences_equal_but_for_rounding_are_ties_of_wilcoxon():
    exact = np.array([[0.1], [-0.1], [0.2], [0.1], [0.0], [0.3], [0.1], [0.3]])
    rounded = np.array([[0.3 - 0.2], [0.2 - 0.3], [0.3 - 0.1], [0.2 - 0.1], [0.0], [0.4 - 0.1], [0.1], [0.3]])
    assert (rounded != exact).any()
    assert wilcoxon(rounded).p_value.tolist() == wilcoxon(exact).p_value.tolist()


def test_a_constant_difference_has_no_deviation_whatever_its_rounding():
    n, mean, sd = describe(np.array([[0.3 - 0.2], [0.2 - 0.1], [0.4 - 0.3]]))
    assert (n.item(), mean.item(), sd.item()) == (3, pytest.approx(0.1), 0.0)


def test_the_tolerance_is_stated_once():
    from pdeval.catalog.entries import ENTRIES
    from pdeval.significance import draws

    assert NOISE == ENTRIES["mean"].tolerance == 1e-12
    assert not hasattr(draws, "TOLERANCE")
