"""The comparisons frame: rows, direction, families, missing queries, streams, refusals."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval
from pdeval.evaluate.cube import Preferences, Scores, all_pairs
from pdeval.significance.compare import compare
from pdeval.significance.registry import TESTS

COLUMNS = [
    *(
        "run_a",
        "run_b",
        "measure",
        "test",
        "n",
        "mean_a",
        "mean_b",
        "difference",
        "ci_low",
        "ci_high",
    ),
    *("effect_size", "statistic", "p_value", "p_adjusted", "significant"),
]
OF_T = ["se", "df", "effect_low", "effect_high"]
# 5 queries x 3 runs
AP = [[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6], [0.5, 0.5, 0.9]]
ASL = [[9.0, 8.0, 2.0], [7.0, 7.5, 3.0], [6.0, 5.0, 1.0], [9.0, 9.0, 4.0], [8.0, 6.0, 2.0]]

# tests of all pairs; Dunnett's test needs a baseline
ALL_PAIRS = [name for name, one in TESTS.items() if one.family == "measure"]


def cube(values=(AP, ASL), measures=("AP", "ASL"), higher=(True, False), runs=None, **options):
    values = np.asarray(values, dtype=float)
    runs = runs if runs is not None else pd.DataFrame({"run": ["bm25", "lm", "bert"]})
    queries = pd.Index([f"q{k}" for k in range(values.shape[1])], name="query_id")
    return Scores(runs, queries, tuple(measures), values, np.array(higher), **options)


def preferences(scores, sign=False):
    a, b = all_pairs(len(scores.runs))
    D = scores.oriented()[:, :, a] - scores.oriented()[:, :, b]
    return Preferences(
        scores.runs, scores.queries, scores.measures, a, b, np.sign(D) if sign else D
    )


class Stream:
    """Preferences that exist one block of pairs at a time, and have no `values`."""

    def __init__(self, table, width):
        self.runs, self.queries, self.measures = table.runs, table.queries, table.measures
        self.a, self.b, self.attrs = table.a, table.b, {}
        self.table, self.width = table, width

    def blocks(self, measure):
        for start in range(0, len(self.a), self.width):
            part = slice(start, min(start + self.width, len(self.a)))
            yield part, self.table.values[measure][:, part]


def random_cube(measures=("AP", "RR"), queries=12, runs=5, seed=0):
    values = np.random.default_rng(seed).random((len(measures), queries, runs)).round(2)
    names = pd.DataFrame({"run": [f"r{k}" for k in range(runs)]})
    return cube(values, measures, [True] * len(measures), runs=names)


def test_one_row_per_measure_and_pair_in_a_stable_order():
    result = compare(cube())
    assert list(result.columns) == [*COLUMNS, *OF_T]
    assert isinstance(result.index, pd.RangeIndex)
    assert result["run_a"].tolist() == ["bm25", "bm25", "lm"] * 2
    assert result["run_b"].tolist() == ["lm", "bert", "bert"] * 2
    assert result["measure"].tolist() == ["AP"] * 3 + ["ASL"] * 3
    kinds = {name: result[name].dtype.kind for name in COLUMNS[4:]}
    assert kinds == {"n": "i", **dict.fromkeys(COLUMNS[5:14], "f"), "significant": "b"}
    assert all(pd.api.types.is_string_dtype(result[name]) for name in COLUMNS[:4])


def test_the_rows_are_paired_t_tests():
    row = compare(cube(), correction="bonferroni").iloc[1]
    x, y = np.array(AP)[:, 0], np.array(AP)[:, 2]
    expected = stats.ttest_rel(x, y)
    assert (row["mean_a"], row["mean_b"]) == pytest.approx((x.mean(), y.mean()))
    assert row["difference"] == pytest.approx(x.mean() - y.mean())
    assert (row["statistic"], row["p_value"]) == pytest.approx(
        (expected.statistic, expected.pvalue)
    )
    assert row["p_adjusted"] == pytest.approx(3 * expected.pvalue)
    assert row["n"] == 5


def test_difference_is_positive_where_run_a_is_better_also_if_less_is_better():
    row = compare(cube()).query("measure == 'ASL'").iloc[1]
    assert row["mean_a"] == pytest.approx(7.8)
    assert row["mean_b"] == pytest.approx(2.4)
    assert row["difference"] == pytest.approx(-5.4)
    assert row["statistic"] < 0


def test_signs_are_tested_as_binomial_by_default():
    result = compare(preferences(cube(measures=("sgnLP", "RPP")), sign=True))
    assert result["test"].tolist() == ["sign"] * 3 + ["t"] * 3


def test_preferences_have_no_means_of_their_own():
    result = compare(preferences(cube()))
    assert result[["mean_a", "mean_b"]].isna().all().all()


@pytest.mark.parametrize("test", ALL_PAIRS)
def test_score_differences_as_preferences_give_the_same_result(test):
    scores = random_cube()
    one = compare(scores, test=test, draws=300).drop(columns=["mean_a", "mean_b"])
    other = compare(preferences(scores), test=test, draws=300).drop(columns=["mean_a", "mean_b"])
    assert one["p_value"].tolist() == pytest.approx(other["p_value"].tolist(), rel=1e-9, abs=1e-15)
    pd.testing.assert_frame_equal(one, other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("test", [name for name, one in TESTS.items() if not one.scores_only])
def test_a_stream_of_blocks_gives_the_same_as_the_whole(test):
    table = preferences(random_cube(), sign=True)
    whole = compare(table, test=test, draws=200)
    for width in (1, 3, 10):
        pd.testing.assert_frame_equal(compare(Stream(table, width), test=test, draws=200), whole)


def test_blocks_of_pairs_with_few_common_queries_have_the_interval_of_the_whole(monkeypatch):
    scores = random_cube(("AP",), queries=20)
    scores.values[0, 13:, 0] = np.nan
    scores.values[0, :14, 3] = np.nan
    scores.values[0, 11:14, 0] = 0.5
    scores.values[0, 9:14, 3] = 0.25
    whole = compare(scores, draws=200)
    assert whole.attrs["correction"] == "max-t"
    assert whole["n"].nunique() > 2
    assert whole["n"].min() < 8
    for block in (20, 60):
        monkeypatch.setattr("pdeval.significance.paired_differences.BLOCK", block)
        pd.testing.assert_frame_equal(compare(scores, draws=200), whole, rtol=1e-12)


@pytest.mark.parametrize("test", ALL_PAIRS)
def test_the_size_of_blocks_never_changes_a_p_value(test, monkeypatch):
    scores = random_cube()
    whole = compare(scores, test=test, draws=200)
    monkeypatch.setattr("pdeval.significance.paired_differences.BLOCK", 25)
    monkeypatch.setattr("pdeval.significance.hsd.BLOCK", 61)
    blocks = compare(scores, test=test, draws=200)
    if test in ("randomization", "bootstrap", "hsd", "sign"):
        assert blocks["p_value"].tolist() == whole["p_value"].tolist()
    pd.testing.assert_frame_equal(blocks, whole, rtol=1e-12)


@pytest.mark.parametrize("test", ALL_PAIRS)
def test_equal_runs_have_p_one_and_no_missing_value(test):
    values = np.array(AP)
    values[:, 1] = values[:, 0]
    result = compare(cube([values], ["AP"], [True]), test=test, draws=100)
    assert result.notna().all().all()
    assert result.loc[0, ["difference", "effect_size", "statistic"]].tolist() == [0.0, 0.0, 0.0]
    assert result.loc[0, ["p_value", "p_adjusted"]].tolist() == [1.0, 1.0]


def test_a_baseline_is_run_b_of_every_row():
    for source in (cube(), preferences(cube())):
        result = compare(source, baseline="lm")
        assert result["run_a"].tolist() == ["bm25", "bert"] * 2
        assert result["run_b"].tolist() == ["lm"] * 4
        assert result["difference"].tolist() == pytest.approx([-0.08, 0.44, -0.7, 4.7])


def test_a_run_may_be_named_by_several_columns():
    runs = pd.DataFrame({"model": ["bm25", "lm", "lm"], "seed": [1, 1, 2]})
    result = compare(cube(runs=runs), baseline=("lm", 1))
    assert list(result.columns[:5]) == ["model_a", "seed_a", "model_b", "seed_b", "measure"]
    assert result["model_a"].tolist() == ["bm25", "lm"] * 2
    assert result["seed_a"].tolist() == [1, 2] * 2


def test_the_family_decides_how_many_comparisons_are_corrected_together():
    scores, raw = random_cube(), compare(random_cube(), baseline="r0", correction="none")["p_value"]

    def factor(**options):
        adjusted = compare(scores, correction="bonferroni", **options)["p_adjusted"]
        return adjusted, (
            adjusted / (raw if "baseline" in options else compare(scores)["p_value"])
        )[adjusted < 1]

    for options, size in (
        ({}, 10),
        ({"family": "measure"}, 10),
        ({"family": "all"}, 20),
        ({"baseline": "r0"}, 4),
        ({"baseline": "r0", "family": "baseline"}, 4),
        ({"baseline": "r0", "family": "measure"}, 10),
        ({"baseline": "r0", "family": "all"}, 8),
    ):
        adjusted, ratio = factor(**options)
        assert len(adjusted) == (8 if "baseline" in options else 20), options
        assert len(ratio) > 0, options
        assert ratio.tolist() == pytest.approx([size] * len(ratio)), options


def test_the_order_of_pairs_is_kept_when_the_family_is_wider_than_the_rows():
    narrow = compare(random_cube(), baseline="r2", correction="none")
    wide = compare(random_cube(), baseline="r2", correction="none", family="measure")
    pd.testing.assert_frame_equal(narrow, wide)


@pytest.mark.parametrize("test", ["hsd", "tukey"])
def test_hsd_is_not_corrected_again(test):
    result = compare(random_cube(), test=test, correction="holm", draws=99)
    assert result["p_adjusted"].tolist() == result["p_value"].tolist()
    assert result.attrs["correction"] == "none needed"


def test_hsd_against_a_baseline_still_covers_all_pairs():
    full = compare(random_cube(), test="hsd", draws=99)
    rows = compare(random_cube(), test="hsd", draws=99, baseline="r4")
    expected = full[full["run_b"] == "r4"]
    assert rows["p_value"].tolist() == expected["p_value"].tolist()


def test_a_query_missing_on_one_side_is_dropped_for_that_pair_only():
    values = np.array([AP])
    values[0, 1, 1] = np.nan
    result = compare(cube(values, ["AP"], [True]))
    assert result["n"].tolist() == [4, 5, 4]
    kept = np.delete(np.array(AP), 1, axis=0)
    assert result.loc[0, "p_value"] == pytest.approx(stats.ttest_rel(kept[:, 0], kept[:, 1]).pvalue)
    assert result.loc[0, ["mean_a", "mean_b"]].tolist() == pytest.approx(
        kept[:, :2].mean(axis=0).tolist()
    )
    assert result.loc[1, "mean_a"] == pytest.approx(np.mean(AP, axis=0)[0])


@pytest.mark.parametrize("source", [lambda x: x, preferences], ids=["scores", "preferences"])
@pytest.mark.parametrize("test", ["hsd", "tukey"])
def test_hsd_uses_the_queries_that_every_run_has(source, test):
    values = np.array([AP])
    complete = compare(
        source(cube(np.delete(values, 1, axis=1), ["AP"], [True])), test=test, draws=99
    )
    values[0, 1, 1] = np.nan
    with pytest.warns(
        UserWarning,
        match="1 of 5 queries have no 'AP' value for at least one run; .*HSD uses the remaining 4",
    ):
        result = compare(source(cube(values, ["AP"], [True])), test=test, draws=99)
    pd.testing.assert_frame_equal(result, complete)


def test_significant_means_adjusted_p_below_alpha():
    result = compare(random_cube(seed=3), alpha=0.3, correction="none")
    assert result["significant"].tolist() == (result["p_adjusted"] < 0.3).tolist()
    assert 0 < result["significant"].sum() < len(result)


def test_what_the_numbers_rest_on_is_kept():
    result = compare(cube(attrs={"queries": "relevant"}), seed=5, draws=70, correction="bh")
    assert result.attrs == {
        "queries": "relevant",
        "correction": "fdr_bh",
        "family": "measure",
        "comparisons": [3],
        "simultaneous": True,
        "alpha": 0.05,
        "confidence": 0.95,
        "draws": 70,
        "seed": 5,
    }


def test_a_test_of_all_pairs_at_once_is_a_family_for_each_measure():
    kept = compare(cube(), test="hsd", draws=20).attrs
    assert (kept["family"], kept["correction"]) == ("measure", "none needed")
    kept = compare(random_cube(), test="t", family="all").attrs
    assert (kept["family"], kept["correction"]) == ("all", "max-t")
    kept = compare([cube(), preferences(cube(), sign=True)], test=None, family="all").attrs
    assert (kept["family"], kept["correction"]) == ("all", "holm")  # five queries are too few


def test_without_a_seed_the_seed_used_is_recorded():
    result = compare(cube(), test="hsd", draws=99, seed=None)
    again = compare(cube(), test="hsd", draws=99, seed=result.attrs["seed"])
    pd.testing.assert_frame_equal(result, again)


@pytest.mark.broad
def test_the_table_is_not_changed():
    scores = cube()
    before = scores.values.copy()
    for test in ALL_PAIRS:
        compare(scores, test=test, draws=20)
    assert (scores.values == before).all()


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (cube(np.array([AP])[:, :1], ["AP"], [True]), {}, "at least two queries, found 1"),
        (
            cube(np.array([AP])[:, :, :1], ["AP"], [True], runs=pd.DataFrame({"run": ["bm25"]})),
            {},
            "at least two runs, found 1",
        ),
        (cube(), {"test": "anova"}, r"no test 'anova'\. .*There are: t, wilcoxon"),
        (cube(), {"correction": "bonferoni"}, "Did you mean 'bonferroni'"),
        (cube(), {"family": "baseline"}, "family='baseline' needs a baseline"),
        (cube(), {"test": "hsd", "draws": 0}, "draws=0: expected an integer of at least 1"),
        (
            preferences(cube(), sign=True),
            {"test": "tukey"},
            "test='tukey' requires a score per run; 'AP' is a preference",
        ),
    ],
)
def test_what_cannot_be_tested_is_refused_with_a_reason(source, options, message):
    with pytest.raises(ValueError, match=message):
        compare(source, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"family": "measures"}, "Did you mean 'measure'"),
        ({"alpha": 5}, "alpha=5: expected a fraction between 0 and 1; 5% is 0.05"),
        ({"confidence": 95}, "confidence=95: expected a fraction between 0 and 1; 95% is 0.95"),
    ],
)
def test_options_are_checked_at_the_call(options, message):
    with pytest.raises(ValueError, match=message):
        cube().frame().ireval.compare(**options)


def test_infinite_values_are_refused():
    values = np.array([ASL])
    values[0, 2, 1] = np.inf
    with pytest.raises(ValueError, match="measure 'ISL' has 1 infinite values, which have no mean"):
        compare(cube(values, ["ISL"], [False]))


def test_pairs_without_two_common_queries_are_named():
    values = np.array([AP])
    values[0, :4, 1] = np.nan
    with pytest.raises(
        ValueError,
        match=r"2 pairs have fewer than two common queries for 'AP', e\.g\. \('bm25', 'lm'\)",
    ):
        compare(cube(values, ["AP"], [True]))
    with pytest.raises(ValueError, match="every run has a value; 'AP' has 1 of 5"):
        compare(cube(values, ["AP"], [True]), test="hsd")


def test_hsd_refuses_preferences_that_lack_pairs():
    table = preferences(cube())
    part = Preferences(
        table.runs, table.queries, table.measures, table.a[:2], table.b[:2], table.values[:, :, :2]
    )
    with pytest.raises(
        ValueError, match="needs all pairs of runs; the preferences have 2 of the 3 pairs"
    ):
        compare(part, test="hsd")
    with pytest.raises(ValueError, match="no pair of the table has the baseline 'lm'"):
        compare(
            Preferences(
                table.runs,
                table.queries,
                table.measures,
                table.a[1:2],
                table.b[1:2],
                table.values[:, :, 1:2],
            ),
            baseline="lm",
        )


def test_an_unknown_baseline_names_close_runs():
    with pytest.raises(KeyError, match=r"no baseline 'bm52'; the runs are .* Did you mean 'bm25'"):
        compare(cube(), baseline="bm52")
    with pytest.raises(KeyError, match="no baseline 17; the runs are 'bm25', 'lm', 'bert'"):
        compare(cube(), baseline=17)


@pytest.mark.parametrize("family", [None, "measure"])
@pytest.mark.parametrize("test", ["t", "hsd"])
def test_several_baselines_give_what_each_gives_alone(family, test):
    # issue 12, item 12: each baseline is a family of its own
    scores = pdeval.datasets.sample_judged(queries="common").measure(["AP", "RR"])
    options = {"family": family, "test": test, "draws": 50}
    both = scores.ireval.compare(baseline=["bm25", "hybrid"], **options)
    alone = pd.concat(
        [scores.ireval.compare(baseline=one, **options) for one in ("bm25", "hybrid")]
    )
    keys = ["measure", "run_b", "run_a"]
    assert len(both) == 2 * 2 * 11
    assert both["measure"].tolist() == ["AP"] * 22 + ["RR"] * 22
    pd.testing.assert_frame_equal(
        *(one.sort_values(keys, ignore_index=True) for one in (both, alone)),
        check_categorical=False,
    )


@pytest.mark.broad
def test_several_baselines_of_preferences_are_each_run_b_of_all_their_pairs():
    judged = pdeval.datasets.sample_judged(queries="common")
    alone = pd.concat(
        [judged.compare("RPP", baseline=one) for one in ("hybrid", "bm25")], ignore_index=True
    )
    for source in (
        judged,
        judged.prefer("RPP").ireval,
        judged.prefer("RPP", baseline=["bm25", "hybrid"]).ireval,
    ):
        found = source.compare("RPP", baseline=["hybrid", "bm25"])
        columns = ["run_a", "run_b", "difference", "p_value", "p_adjusted"]
        keys = ["run_b", "run_a"]
        one, two = (
            frame[columns].sort_values(keys, ignore_index=True).astype({"run_a": str, "run_b": str})
            for frame in (found, alone)
        )
        pd.testing.assert_frame_equal(one, two)


def test_the_family_of_all_rows_spans_all_baselines():
    scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    found = scores.ireval.compare(
        baseline=["bm25", "hybrid"], family="all", correction="bonferroni"
    )
    some = found[found["p_adjusted"] < 1]
    assert (some["p_adjusted"] / some["p_value"]).round(6).unique().tolist() == [22.0]


@pytest.mark.broad
def test_means_and_power_take_several_baselines():
    judged = pdeval.datasets.sample_judged(queries="common")
    for source in (judged, judged.prefer("RPP").ireval):
        found = source.mean("RPP", baseline=["bm25", "hybrid"])
        assert len(found) == 11 + 10
        assert found["run_b"].tolist() == ["bm25"] * 11 + ["hybrid"] * 10
        one = source.mean("RPP", baseline="bm25")
        assert found["mean"].tolist()[:11] == one["mean"].tolist()
    assert len(judged.power("AP", difference=0.1, baseline=["bm25", "hybrid"])) == 22


def test_a_test_of_scores_names_one_that_takes_preferences():
    judged = pdeval.datasets.sample_judged(queries="common")
    with pytest.raises(ValueError, match="requires a score per run; 'RPP' is a preference") as told:
        judged.compare("RPP", test="tukey", draws=20)
    advised = str(told.value).rpartition("Use test='")[2].partition("'")[0]
    assert len(judged.compare("RPP", test=advised, draws=20)) == 66


def test_ranks_stand_last_and_several_baselines_measure_by_measure():
    ranked = compare(cube(), test="nemenyi")
    expected = [*COLUMNS, "rank_a", "rank_b"]
    assert ranked.columns.tolist() == [*expected[:8], "estimate", *expected[8:]]
    random = np.random.default_rng(4)
    runs = pd.DataFrame({"run": [f"r{number:02}" for number in range(40)]})
    many = cube(random.random((2, 6, 40)), runs=runs)
    found = compare(many, baseline=["r07", "r21", "r03"])
    assert found["measure"].tolist() == ["AP"] * 117 + ["ASL"] * 117
    for part in (found.iloc[:117], found.iloc[117:]):
        assert part["run_b"].tolist() == ["r07"] * 39 + ["r21"] * 39 + ["r03"] * 39
        others = [[one for one in runs["run"] if one != base] for base in ("r07", "r21", "r03")]
        assert part["run_a"].tolist() == [one for those in others for one in those]
