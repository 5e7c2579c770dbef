"""Rounding is never significant (issue 13, item 1): what is equal on paper is equal in every test and ordering."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.cube import Preferences, Scores, all_pairs
from pdeval.orderings.votes import ranks_of_means
from pdeval.significance.anova import two_way
from pdeval.significance.paired_tests import wilcoxon
from pdeval.significance.registry import TESTS
from pdeval.significance.variance_components import squares_of
from pdeval.tables.equal_values import NOISE, describe


@pytest.fixture(scope="module")
def seeds():
    """bm25, the mean of three identical seeds of it, and another run; some sums differ in the last digit."""
    scores = pdeval.datasets.sample_judged(queries="common").measure(["AP", "nDCG", "RR"])
    bm25 = scores[scores["run"] == "bm25"]
    seeds = (
        pd.concat([bm25] * 3)
        .groupby(["query_id", "measure"], observed=True, sort=False)["value"]
        .mean()
    )
    again = bm25.assign(
        run="mean", value=seeds.loc[list(zip(bm25["query_id"], bm25["measure"]))].to_numpy()
    )
    assert (again["value"].to_numpy() != bm25["value"].to_numpy()).sum() > 5
    table = pd.concat([bm25, again, scores[scores["run"] == "dense-s1"]])
    table.attrs = scores.attrs
    return table


@pytest.mark.broad
@pytest.mark.parametrize("test", list(TESTS))
def test_a_run_against_the_mean_of_its_own_identical_seeds_has_p_1_in_every_test(seeds, test):
    some = seeds[seeds["query_id"].astype(int) < 140]  # few enough for all signs to be tried
    options = {"baseline": "mean"} if TESTS[test].family == "baseline" else {}
    found = some.ireval.compare(test=test, draws=200, correction=None, **options)
    same = found[(found["run_a"] == "bm25") & (found["run_b"] == "mean")]
    assert len(same) == 3
    assert same["p_value"].tolist() == [1.0] * 3
    assert same["difference"].tolist() == same["effect_size"].tolist() == [0.0] * 3


@pytest.mark.parametrize("test", [name for name, one in TESTS.items() if not one.scores_only])
def test_preferences_that_are_rounding_have_p_1_in_every_test(test):
    rng = np.random.default_rng(0)
    a, b = all_pairs(3)
    values = np.stack(
        [np.full(12, 1.1e-16), rng.normal(0.4, 0.2, 12), rng.normal(0.4, 0.2, 12)], axis=1
    )
    table = Preferences(
        pd.DataFrame({"run": list("abc")}),
        pd.Index(range(12), name="query_id"),
        ("RPP",),
        a,
        b,
        values[None],
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
    rounded = np.array(
        [[0.3 - 0.2], [0.2 - 0.3], [0.3 - 0.1], [0.2 - 0.1], [0.0], [0.4 - 0.1], [0.1], [0.3]]
    )
    assert (rounded != exact).any()
    assert wilcoxon(rounded).p_value.tolist() == wilcoxon(exact).p_value.tolist()


def test_a_constant_difference_has_no_deviation_whatever_its_rounding():
    n, mean, sd = describe(np.array([[0.3 - 0.2], [0.2 - 0.1], [0.4 - 0.3]]))
    assert (n.item(), mean.item(), sd.item()) == (3, pytest.approx(0.1), 0.0)


def test_the_tolerance_is_stated_once():
    from pdeval.catalog.entries import ENTRIES

    assert NOISE == ENTRIES["mean"].tolerance == 1e-12


SCALES = [1e-7, 1.0, 1e7]
SUMS = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]])  # the same mean, but for the last digit


@pytest.mark.parametrize("scale", SCALES)
class TestOfAnySize:
    def test_a_constant_column_has_no_deviation_and_a_small_one_has_its_own(self, scale):
        column = np.array([[0.3 - 0.2], [0.2 - 0.1], [0.4 - 0.3]]) * scale
        assert describe(column)[2].item() == 0.0
        assert describe(-column)[2].item() == 0.0
        assert describe(column * [[1], [1], [1 + 1e-9]])[2].item() > 0.0

    def test_equal_sizes_are_ties_of_wilcoxon_and_nearly_equal_ones_are_not(self, scale):
        rounded = (
            np.array(
                [[0.3 - 0.2], [0.2 - 0.3], [0.3 - 0.1], [0.2 - 0.1], [0.4 - 0.1], [0.1], [0.3]]
            )
            * scale
        )
        exact = np.array([[0.1], [-0.1], [0.2], [0.1], [0.3], [0.1], [0.3]])
        assert wilcoxon(rounded).p_value.tolist() == wilcoxon(exact).p_value.tolist()
        apart = exact * (1 + 1e-9 * np.arange(7)[:, None])
        assert wilcoxon(apart * scale).p_value.tolist() == wilcoxon(apart).p_value.tolist()
        assert wilcoxon(apart).p_value.tolist() != wilcoxon(exact).p_value.tolist()

    def test_runs_of_equal_means_are_tied_and_of_nearly_equal_ones_are_not(self, scale):
        assert ranks_of_means(SUMS * scale).tolist() == [1, 1]
        assert ranks_of_means(-SUMS * scale, higher=False).tolist() == [1, 1]
        assert ranks_of_means(SUMS * [1, 1 + 1e-9] * scale).tolist() == [2, 1]

    @pytest.mark.parametrize("method", ["mean", "winrate", "leximin"])
    def test_orderings_tie_what_is_equal_on_paper(self, scale, method):
        def ranks(values):
            table = Scores(
                pd.DataFrame({"run": ["a", "b", "c"]}),
                pd.Index(range(3), name="query_id"),
                ("AP",),
                (values * scale)[None],
                np.array([True]),
            )
            return (
                pdeval.orderings.order.order(table, method=method)
                .set_index("run")["rank"]
                .to_dict()
            )

        values = np.array([[0.1 + 0.2, 0.3, 0.0], [0.3, 0.1 + 0.2, 0.0], [0.5, 0.5, 0.1]])
        assert ranks(values) == {"a": 1, "b": 1, "c": 3}
        assert ranks(values * [1, 1 + 1e-9, 1]) == {"a": 2, "b": 1, "c": 3}

    def test_preferences_that_add_up_to_the_same_are_tied(self, scale):
        # a beats c by .1, .2, .3 and b by .3, .2, .1 of its queries; a and b are tied on each
        a, b = all_pairs(3)

        def ranks(sides):
            held = np.array([[0.0, one, two] for one, two in sides]) * scale
            runs, queries = (
                pd.DataFrame({"run": ["a", "b", "c"]}),
                pd.Index(range(3), name="query_id"),
            )
            table = Preferences(runs, queries, ("RPP",), a, b, held[None])
            return (
                pdeval.orderings.order.order(table, method="winrate")
                .set_index("run")["rank"]
                .to_dict()
            )

        assert ranks([(0.1, 0.3), (0.2, 0.2), (0.3, 0.1)]) == {"a": 1, "b": 1, "c": 3}
        assert ranks([(0.1, 0.3), (0.2, 0.2), (0.3, 0.1 + 1e-9)]) == {"a": 2, "b": 1, "c": 3}

    def test_runs_and_queries_that_differ_by_rounding_have_no_variance(self, scale):
        values = np.array([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2], [0.3, 0.3]]) * scale
        assert two_way(values)["p_value"][:2].tolist() == [1.0, 1.0]
        assert two_way(values * [1, 1 + 1e-9])["p_value"][0] < 0.01
        spread = squares_of(
            np.repeat(values, 2, axis=1), np.array([0, 0, 1, 1]), np.zeros(2, dtype=bool)
        )
        assert (spread.replicate, spread.residual) == (0.0, 0.0)

    @pytest.mark.parametrize("test", ["randomization", "bootstrap"])
    def test_every_draw_that_is_the_observed_one_on_paper_counts(self, scale, test):
        # three differences of .1, all signs alike
        D = np.array([[0.3 - 0.2], [0.2 - 0.1], [0.4 - 0.3]]) * scale
        exact = np.full((3, 1), 0.1)
        assert TESTS[test](D, draws=2000, seed=1).p_value == pytest.approx(
            TESTS[test](exact, draws=2000, seed=1).p_value
        )
