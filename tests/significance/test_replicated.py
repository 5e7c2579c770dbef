"""Replicates: how much of a difference is the seed, and which of two questions a comparison answers."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import pdeval
from pdeval.evaluate.cube import Scores
from pdeval.significance.replicates import compare_training, replicates
from pdeval.significance.variance_components import fitted, squares_of
from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs.arguments import TooFew
from tests.schema_faults import faults
from tests.significance.test_variance_components import hand, simulated

RUNS, QRELS, METADATA = pdeval.datasets.load_sample()
MODELS = RUNS.merge(METADATA[["run", "model", "seed"]]).drop(columns="run")
TRAINED = MODELS[MODELS["model"].isin(["dense", "rerank", "splade"]) & MODELS["seed"].isin([1, 2])]

TEXT = "6 runs of 3 systems differ only in seed but are treated as independent systems. Use replicate='seed' to average"
ASKED = {
    "compare": {"measures": "AP"},
    "order": {"measures": "AP", "draws": 3},
    "discriminative_power": {"measures": ["AP", "RR"], "tests": ["t", "sign"]},
    "discriminative_power.curve": {"measures": "AP", "tests": "t"},
    "delta_sort": {"new": "RR"},
    "power": {"measures": "AP"},
    "power.sample_size": {"measures": "AP"},
    "power.detectable_difference": {"measures": "AP"},
    "anova": {"measures": "AP"},
}


def seeds(frame=TRAINED):
    return frame.ireval(run=["model", "seed"])


def cube(values, sizes, higher=True):
    """Scores (queries, runs) of systems m0, m1, ... with seeds 1, 2, ..."""
    runs = pd.DataFrame(
        [(f"m{model}", seed + 1) for model, size in enumerate(sizes) for seed in range(size)]
    )
    queries = pd.Index(range(len(values)), name="query_id")
    return Scores(
        runs.set_axis(["model", "seed"], axis=1), queries, ("x",), values[None], np.array([higher])
    )


@pytest.mark.broad
class TestComponents:
    def test_the_table_is_as_declared_from_runs_scores_and_metadata_alike(self):
        found = seeds().replicates(QRELS, ["AP", "RR"], queries="common")
        assert faults(SCHEMAS["components"], found, {}) == []
        assert found.attrs["table"] == "components"
        assert found.attrs["replicates"] == {"dense": 2, "rerank": 2, "splade": 2}
        scores = seeds().measure(QRELS, ["AP", "RR"], queries="common")
        pd.testing.assert_frame_equal(scores.ireval.replicates(), found)
        pd.testing.assert_frame_equal(scores.ireval.replicates(replicate="seed"), found)
        named = RUNS[RUNS["run"].str.contains("-s[12]")].ireval
        again = named.replicates(
            QRELS, ["AP", "RR"], system="model", metadata=METADATA, queries="common"
        )
        pd.testing.assert_frame_equal(again, found)

    def test_shares_of_a_difference_are_those_of_means_over_the_queries(self):
        values, _ = simulated([4, 4], 40, 1)
        found = replicates(cube(values, [4, 4])).set_index("source")
        assert found["fraction"].sum() == pytest.approx(1)
        assert np.isnan(found.loc["query", "difference_fraction"])
        parts = found["variance"] / [np.inf, 40, 1, 40]
        assert found.loc["replicate", "difference_fraction"] == pytest.approx(
            parts["replicate"] / parts.sum()
        )
        np.testing.assert_allclose(found["sd"] ** 2, found["variance"])

    def test_one_system_has_no_share_of_its_own_and_runs_that_never_differ_none_at_all(self):
        values, _ = simulated([4], 30, 2)
        found = replicates(cube(values, [4])).set_index("source")
        assert found["variance"].iloc[1] == found["sd"].iloc[1] == found["fraction"].iloc[1] == 0
        assert found["fraction"].sum() == pytest.approx(1)
        assert found["difference_fraction"].iloc[1:].sum() == pytest.approx(1)
        parts = found["variance"].iloc[2:] / [1, 30]
        assert found["difference_fraction"].iloc[2:].tolist() == pytest.approx(
            (parts / parts.sum()).tolist()
        )
        alike = replicates(cube(np.full((30, 4), 0.5), [2, 2]))
        assert (alike["variance"] == 0).all()
        assert alike[["fraction", "difference_fraction"]].isna().all(axis=None)

    def test_known_variances_are_found_on_average(self):
        found = [
            replicates(cube(simulated([5, 5, 5], 30, seed)[0], [5, 5, 5]))["variance"]
            for seed in range(60)
        ]
        np.testing.assert_allclose(
            np.mean(found, axis=0), [0.04, 0.0064, 0.0036, 0.0025], rtol=0.12
        )

    def test_groups_of_queries_are_the_loop_by_hand(self):
        queries = pd.DataFrame({"query_id": sorted(QRELS["query_id"].unique())})
        queries["half"] = np.arange(len(queries)) % 2
        scores = seeds().measure(QRELS, "AP", queries="common")
        for verb in ("__call__", "compare"):
            found = getattr(scores.ireval.replicates, verb)(by="half", metadata=queries)
            for half in (0, 1):
                own = scores[
                    scores["query_id"].isin(queries.loc[queries["half"] == half, "query_id"])
                ]
                hand = getattr(own.ireval.replicates, verb)()
                part = found[found["half"] == half].drop(columns="half").reset_index(drop=True)
                pd.testing.assert_frame_equal(part, hand)

    def test_the_report_says_what_the_columns_are_and_the_plot_leaves_out_queries(self):
        found = seeds().replicates(QRELS, "AP", queries="common")
        assert "each trained once" in found.ireval.report().to_markdown()
        pytest.importorskip("matplotlib")
        from matplotlib.figure import Figure

        ax = found.ireval.plot(ax=Figure().subplots())
        assert [bars.get_label() for bars in ax.containers] == [
            "system x query",
            "replicate",
            "residual",
        ]
        ax = found.ireval.plot(ax=Figure().subplots(), of="fraction")
        assert ax.containers[0].get_label() == "query"


class TestCompare:
    def test_seeds_that_vary_make_a_difference_of_these_models_none_of_their_training(self):
        rng = np.random.default_rng(0)
        models = np.repeat(
            [0.30, 0.34, 0.36, 0.44], 1
        )  # two seeds each; the means are 0.32 and 0.40
        values = rng.normal(0, 0.1, (200, 1)) + models + rng.normal(0, 0.01, (200, 4))
        table = cube(values, [2, 2]).frame().assign(measure="AP")
        these, training = table.ireval.compare(replicate="seed"), table.ireval.replicates.compare()
        assert these["p_value"].item() < 1e-6
        assert training["p_value"].item() > 0.1
        assert these["difference"].item() == pytest.approx(training["difference"].item())
        assert (
            these.attrs["question"]
            == "Are these trained models different? Queries are random, replicates fixed."
        )
        assert training.attrs["question"].startswith(
            "Is this way of training different? Queries and replicates are"
        )
        assert "Is this way of training different?" in training.ireval.report().to_markdown()
        assert "Are these trained models different?" in these.ireval.report().to_markdown()

    @pytest.mark.broad
    def test_without_variance_of_seeds_it_is_the_paired_t_test(self):
        values, _ = simulated([3, 3], 50, 2, replicate=0.0)
        table = cube(values, [3, 3]).frame().assign(measure="AP")
        # the mean square of replicates is below the residual: pooled, only systems on queries remain
        training = table.ireval.replicates.compare()
        assert training["df"].item() == pytest.approx(49)
        for name in ("statistic", "p_value", "ci_low", "ci_high"):
            assert training[name].item() == pytest.approx(
                table.ireval.compare(replicate="seed")[name].item(), rel=1e-9
            )

    def test_a_baseline_is_run_b_and_less_is_better_where_it_is(self):
        values, _ = simulated([3, 3, 3], 20, 3)
        options = {"baseline": "m1", "correction": "bonferroni"}
        more = compare_training(cube(values, [3, 3, 3]), None, **options)
        less = compare_training(cube(values, [3, 3, 3], higher=False), None, **options)
        assert more["model_a"].tolist() == ["m0", "m2"]
        assert more["model_b"].tolist() == ["m1", "m1"]
        np.testing.assert_array_equal(more["difference"], -less["difference"])
        np.testing.assert_array_equal(more["p_value"], less["p_value"])
        np.testing.assert_allclose(more["p_adjusted"], np.minimum(2 * more["p_value"], 1))

    @pytest.mark.broad
    def test_the_table_is_that_of_comparisons_with_degrees_of_freedom(self):
        found = seeds().replicates.compare(QRELS, ["AP", "ASL"], queries="common")
        assert faults(SCHEMAS["comparisons"], found, {"run": ["model"]}) == []
        assert found.attrs["table"] == "comparisons"
        assert found["n"].unique().tolist() == [50]
        assert (
            "t test of a model with queries and replicates random"
            in found.ireval.report().to_markdown()
        )


class TestUnequal:
    @pytest.mark.broad
    def test_a_replicate_missing_for_one_system_is_modeled_without_a_word(self):
        values, _ = simulated([3, 4, 4], 25, 4)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = compare_training(cube(values, [3, 4, 4]), None)
        assert found.attrs["replicates"] == {"m0": 3, "m1": 4, "m2": 4}

    @pytest.mark.broad
    def test_one_replicate_of_a_system_is_told_or_said_to_be_without_randomness(self):
        values, _ = simulated([1, 4, 4], 25, 4)
        with pytest.warns(
            UserWarning,
            match="'m0' has one replicate; the variance is assumed to be that of the sys",
        ):
            plain = compare_training(cube(values, [1, 4, 4]), None, baseline="m0")
        exact = compare_training(cube(values, [1, 4, 4]), None, baseline="m0", deterministic="m0")
        assert (exact["ci_high"] - exact["ci_low"] < plain["ci_high"] - plain["ci_low"]).all()
        with pytest.raises(
            ValueError,
            match=r"deterministic= contains 'm1', which has 4 replicates\. Keep one of its runs, or",
        ):
            compare_training(cube(values, [1, 4, 4]), None, deterministic=["m0", "m1"])
        with pytest.raises(KeyError, match="no deterministic system 'm9'"):
            compare_training(cube(values, [1, 4, 4]), None, deterministic="m9")

    def test_one_replicate_of_every_system_is_too_few(self):
        values, _ = simulated([1, 1, 1], 25, 4)
        for verb in (replicates, compare_training):
            with pytest.raises(
                TooFew, match=r"every system has only one replicate \(3 runs, 3 systems\)"
            ):
                verb(cube(values, [1, 1, 1]), None)

    def test_one_system_has_components_and_no_comparison(self):
        values, _ = simulated([4], 25, 4)
        assert replicates(cube(values, [4]), None)["variance"].tolist()[1] == 0
        with pytest.raises(TooFew, match="a comparison needs at least two systems, found 1"):
            compare_training(cube(values, [4]), None)

    def test_queries_that_some_run_lacks_are_left_out_and_told(self):
        values, _ = simulated([3, 3], 25, 4)
        values[:2, 1] = np.nan
        with pytest.warns(
            UserWarning,
            match="2 of 25 queries are missing from at least one replicate of 'm0'. These queries do not c",
        ):
            found = compare_training(cube(values, [3, 3]), None)
        assert found["n"].tolist() == [23]
        with pytest.warns(
            UserWarning,
            match=r"2 of 25 queries have no 'x' value for at least one run; replicates\(\) uses the remaining 23",
        ):
            replicates(cube(values, [3, 3]), None)
        values[1:, 0] = np.nan
        with pytest.raises(
            TooFew, match="at least two queries on which every run has a value; 'x' has 0 of 25"
        ):
            replicates(cube(values, [3, 3]), None)

    def test_averages_tell_of_queries_that_some_replicates_lack(self):
        values, _ = simulated([3, 3], 25, 4)
        values[:2, 1] = np.nan
        table = cube(values, [3, 3]).frame().assign(measure="AP")
        with pytest.warns(
            UserWarning,
            match="2 of 25 queries are missing from at least one seed of 'm0'. These queries do not count",
        ):
            found = table.ireval.compare(replicate="seed")
        assert found["n"].item() == 23

    def test_what_tells_replicates_apart_has_to_be_named(self):
        with pytest.raises(
            ValueError,
            match=r"no id column of the runs \(run\) has the name seed, fold, trial or",
        ):
            RUNS.ireval.replicates(QRELS, "AP", queries="common")
        with pytest.raises(KeyError, match="the runs have no column 'team'"):
            RUNS.ireval.replicates(QRELS, "AP", system="team", metadata=METADATA, queries="common")
        with pytest.raises(ValueError, match="'RPP' is a preference between runs"):
            seeds().replicates(QRELS, "RPP")


@pytest.mark.broad
class TestTold:
    @staticmethod
    def said(accessor, name, *args, **given):
        for part in name.split("."):
            accessor = getattr(accessor, part)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            accessor(*args, **given)
        return [str(one.message) for one in caught]

    @pytest.mark.parametrize("name", ASKED)
    def test_seeds_taken_for_systems_are_told_once_at_every_accessor(self, name):
        given = ASKED[name]
        join = seeds().join(QRELS, queries="common")
        scores = join.measure(["AP", "RR"])
        for said in (
            self.said(seeds(), name, QRELS, queries="common", **given),
            self.said(join, name, **given),
            self.said(scores.ireval, name, **given),
        ):
            assert len(said) == 1
            assert re.match(TEXT, said[0])
        assert self.said(join, name, replicate="seed", **given) == []
        assert self.said(scores.ireval, name, replicate="seed", **given) == []

    def test_preferences_are_told_too_and_groups_once_in_all(self):
        prefs = seeds().prefer(QRELS, "RPP", queries="common")
        assert [re.match(TEXT, one) is not None for one in self.said(prefs.ireval, "compare")] == [
            True
        ]
        queries = pd.DataFrame({"query_id": sorted(QRELS["query_id"].unique())})
        queries["half"] = np.arange(len(queries)) % 2
        by = {"by": "half", "metadata": queries}
        join = seeds().join(QRELS, queries="common")
        assert len(self.said(join, "compare", measures="AP", **by)) == 1
        assert self.said(join, "compare", measures="AP", replicate="seed", **by) == []

    def test_silent_where_nothing_is_taken_for_independent(self):
        join = seeds().join(QRELS, queries="common")
        assert self.said(join, "order", measures="AP") == []  # without intervals
        assert self.said(join, "summary", measures="AP") == []
        one = seeds(TRAINED[TRAINED["seed"] == 1]).join(QRELS, queries="common")
        assert self.said(one, "compare", measures="AP") == []
        assert self.said(RUNS.rename(columns={"run": "run_id"}).ireval(run="run_id"), "compare", QRELS, "AP",
                         queries="common") == []  # fmt: skip

    @pytest.mark.parametrize("name", ["Fold", "TRIAL", "run_id"])
    def test_other_names_of_replicates_are_known_whatever_their_case(self, name):
        frame = TRAINED.rename(columns={"seed": name})
        said = self.said(
            frame.ireval(run=["model", name]), "compare", QRELS, "AP", queries="common"
        )
        assert [
            f"differ only in {name} " in one and f"replicate={name!r}" in one for one in said
        ] == [True]


def two_measures(sizes=(3, 3, 3), queries=10, **attrs):
    """Scores of two measures, of which less of the second is better; replicates vary in the first alone."""
    one, _ = simulated([*sizes], queries, 3)
    two, _ = simulated([*sizes], queries, 4, replicate=0.0)
    source = cube(one, sizes)
    return Scores(
        source.runs,
        source.queries,
        ("x", "y"),
        np.stack([one, two]),
        np.array([True, False]),
        attrs,
    )


@pytest.mark.broad
@pytest.mark.parametrize("baseline", [None, "m1"])
def test_each_row_is_the_t_test_of_the_model_worked_by_hand(baseline):
    source = two_measures(level=2)
    found = compare_training(
        source, None, baseline=baseline, confidence=0.8, correction="holm", alpha=0.3
    )
    pairs = [(0, 1), (0, 2), (1, 2)] if baseline is None else [(0, 1), (2, 1)]
    assert found.columns.tolist() == [
        *(
            "model_a",
            "model_b",
            "measure",
            "test",
            "n",
            "mean_a",
            "mean_b",
            "difference",
            "ci_low",
            "ci_high",
        ),
        *("effect_size", "statistic", "p_value", "p_adjusted", "significant", "df"),
    ]
    assert found["measure"].tolist() == ["x"] * len(pairs) + ["y"] * len(pairs)
    assert set(found["test"]) == {"replicates"}
    rows = iter(found.itertuples())
    for number, sign in enumerate((1, -1)):
        values = source.values[number]
        means = values.reshape(10, 3, 3).mean(axis=(0, 2))
        ps = []
        for a, b in pairs:
            row = next(rows)
            variance, df = hand(values, [3, 3, 3], a, b)
            per_query = values.reshape(10, 3, 3).mean(axis=2)
            within = (per_query[:, a] - per_query[:, b]).std(ddof=1)
            difference = sign * (means[a] - means[b])
            t = difference / np.sqrt(variance)
            # simultaneous intervals of Bonferroni's correction, which Holm's refines
            half = stats.t.ppf(1 - 0.1 / len(pairs), df) * np.sqrt(variance)
            ps.append(row.p_value)
            assert (row.model_a, row.model_b, row.n) == (f"m{a}", f"m{b}", 10)
            got = [
                row.mean_a,
                row.mean_b,
                row.difference,
                row.ci_low,
                row.ci_high,
                row.effect_size,
                row.statistic,
            ]
            wanted = [
                means[a],
                means[b],
                difference,
                difference - half,
                difference + half,
                difference / within,
                t,
            ]
            assert [*got, row.p_value, row.df] == pytest.approx(
                [*wanted, 2 * stats.t.sf(abs(t), df), df], rel=1e-9
            )
        part = found[found["measure"] == "xy"[number]]
        assert part["p_adjusted"].tolist() == pytest.approx(
            multipletests(ps, 0.3, "holm")[1].tolist()
        )
        assert part["significant"].tolist() == (part["p_adjusted"] < 0.3).tolist()
    told = {
        "correction": "holm",
        "alpha": 0.3,
        "confidence": 0.8,
        "level": 2,
        "run_columns": ["model"],
    }
    told |= {
        "family": "measure" if baseline is None else "baseline",
        "replicates": {"m0": 3, "m1": 3, "m2": 3},
    }
    assert told.items() <= found.attrs.items()


def test_what_is_at_alpha_is_not_significant():
    source = two_measures()
    whole = compare_training(source, None, correction="none")
    at = compare_training(source, None, correction="none", alpha=whole["p_value"].iloc[1])
    assert at["significant"].tolist() == (whole["p_value"] < whole["p_value"].iloc[1]).tolist()


@pytest.mark.parametrize("sizes", [(3, 3, 3), (4,)])
def test_shares_are_those_of_one_value_and_of_a_difference_of_two_means(sizes):
    source = two_measures(sizes, level=2)
    found = replicates(source, None)
    assert found["measure"].tolist() == ["x"] * 4 + ["y"] * 4
    assert found["source"].tolist() == ["query", "system x query", "replicate", "residual"] * 2
    assert found.attrs["level"] == 2
    assert found.attrs["replicates"] == {f"m{k}": size for k, size in enumerate(sizes)}
    code = np.repeat(np.arange(len(sizes)), sizes)
    for number in range(2):
        model = fitted(squares_of(source.values[number], code, np.zeros(len(sizes), dtype=bool)))
        variance = model * (1 if len(sizes) > 1 else np.array([1, 0, 1, 1]))
        part = found.iloc[4 * number : 4 * number + 4]
        of_means = np.array([variance[1] / 10, variance[2], variance[3] / 10])
        assert part["variance"].tolist() == pytest.approx(variance.tolist())
        assert part["sd"].tolist() == pytest.approx(np.sqrt(variance).tolist())
        assert part["fraction"].tolist() == pytest.approx((variance / variance.sum()).tolist())
        assert np.isnan(part["difference_fraction"].iloc[0])
        assert part["difference_fraction"].tolist()[1:] == pytest.approx(
            (of_means / of_means.sum()).tolist()
        )


def test_values_that_never_vary_have_no_shares_and_differ_surely_or_not_at_all():
    values = np.repeat([[0.5, 0.5, 0.5, 0.5, 0.25, 0.25]], 4, axis=0)
    table = replicates(cube(values, [2, 2, 2]), None)
    assert table["variance"].tolist() == [0.0] * 4
    assert table[["fraction", "difference_fraction"]].isna().all(axis=None)
    found = compare_training(cube(values, [2, 2, 2]), None)
    assert found["p_value"].tolist() == [1.0, 0.0, 0.0]
    assert found["statistic"].tolist() == [0.0, np.inf, np.inf]
    assert found["ci_low"].tolist() == found["ci_high"].tolist() == [0.0, 0.25, 0.25]


@pytest.mark.parametrize("sizes", [[1, 3], [2, 3]])
def test_systems_that_differ_by_the_same_on_every_query_differ_surely_whatever_their_numbers(sizes):
    values = np.linspace(0.125, 0.875, 7)[:, None] + np.repeat([0.0, 0.25], sizes)
    exact = {"deterministic": "m0"} if sizes[0] == 1 else {}
    [row] = compare_training(cube(values, sizes), None, **exact).to_dict("records")
    assert (row["difference"], row["ci_low"], row["ci_high"], row["p_value"]) == (
        -0.25,
        -0.25,
        -0.25,
        0.0,
    )
    assert row["statistic"] == row["effect_size"] == -np.inf
    assert row["df"] == 6


def test_systems_of_one_replicate_are_counted_and_those_without_randomness_are_not():
    values, _ = simulated([1, 1, 2, 1], 6, 4)
    source = cube(values, [1, 1, 2, 1])
    with pytest.warns(UserWarning, match=r"^'m0' and 2 more have one replicate; the variance"):
        compare_training(source, None)
    with pytest.warns(UserWarning, match=r"^'m1' and 1 more have one replicate"):
        compare_training(source, None, deterministic="m0")
    with pytest.warns(UserWarning, match=r"^'m3' has one replicate"):
        compare_training(source, None, deterministic=pd.Series(["m0", "m1"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        every = compare_training(source, None, deterministic=["m0", "m1", "m3"])
        replicates(source, None)  # no difference is tested
    assert len(every) == 6


def test_two_queries_that_both_systems_have_are_enough():
    values, _ = simulated([2, 2], 4, 4)
    values[[0, 2], [1, 3]] = np.nan
    with pytest.warns(
        UserWarning, match=r"^1 of 4 queries are missing from at least one replicate of 'm0'"
    ):
        assert compare_training(cube(values, [2, 2]), None)["n"].tolist() == [2]
    values[1, 0] = np.nan
    with (
        pytest.warns(UserWarning, match="missing from at least one replicate"),
        pytest.raises(
            ValueError,
            match=r"fewer than two common queries for 'x', e\.g\. \('m0', 'm1'\) with 1",
        ),
    ):
        compare_training(cube(values, [2, 2]), None)
