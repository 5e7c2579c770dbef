"""Comparisons at the limits of their options: alpha, seeds, corrections, and tests that say no more than p."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import pdeval
from pdeval.evaluate.cube import Preferences, Scores, all_pairs
from pdeval.significance.compare import _measured_together, _results, compare
from pdeval.significance.paired_differences import Pairs
from pdeval.significance.registry import TESTS, SignificanceTest

VALUES = np.random.default_rng(7).random((2, 8, 4))


def cube(values=VALUES, attrs=None):
    runs = pd.DataFrame({"run": [f"r{k}" for k in range(values.shape[2])]})
    queries = pd.Index(range(values.shape[1]), name="query_id")
    return Scores(
        runs,
        queries,
        ("AP", "ASL")[: len(values)],
        values,
        np.array([True, False])[: len(values)],
        attrs or {},
    )


ASL = replace(cube(), measures=("ASL",), values=VALUES[1:], higher=np.array([False]))


def test_what_is_at_alpha_is_not_significant():
    found = compare(cube(), correction="none")
    for place in (0, 5, 9):
        alpha = found["p_value"].iloc[place]
        at = compare(cube(), correction="none", alpha=alpha)
        assert at["significant"].tolist() == (found["p_value"] < alpha).tolist()
        assert not at["significant"].iloc[place]
        assert compare(cube(), correction="none", alpha=alpha * (1 + 1e-9))["significant"].iloc[
            place
        ]


@pytest.mark.parametrize("alpha", [0.05, 0.4])
@pytest.mark.parametrize("method", ["fdr_tsbh", "sidak"])
def test_each_measure_is_corrected_by_statsmodels_at_its_alpha(method, alpha):
    found = compare(cube(), correction=method, alpha=alpha)
    raw = found["p_value"].to_numpy().reshape(2, 6)
    wanted = [multipletests(row, alpha, method)[1] for row in raw]
    assert found["p_adjusted"].to_numpy() == pytest.approx(np.concatenate(wanted))
    together = compare(cube(), correction=method, alpha=alpha, family="all")
    assert together["p_adjusted"].to_numpy() == pytest.approx(
        multipletests(raw.ravel(), alpha, method)[1]
    )


def test_a_new_seed_is_drawn_for_each_call_without_one_and_a_wrong_one_is_refused():
    seeds = [compare(cube(), seed=None).attrs["seed"] for _ in range(3)]
    assert len(set(seeds)) == 3
    assert all(isinstance(seed, int) for seed in seeds)
    assert 2**40 < max(seeds) < 2**63
    for seed in (-1, 1.5, "x"):
        with pytest.raises((ValueError, TypeError), match="seed"):
            pdeval.datasets.sample_judged(queries="common").compare("AP", seed=seed)


def test_options_reach_the_test_and_what_it_knows_besides_is_kept_pair_by_pair(monkeypatch):
    for module in ("paired_differences", "compare"):
        monkeypatch.setattr(f"pdeval.significance.{module}.BLOCK", 17)  # two pairs at a time
    given = []

    def mine(D, *, confidence, draws, seed, progress):
        given.append({"confidence": confidence, "draws": draws, "seed": seed, "progress": progress})
        return np.clip(np.abs(D.mean(axis=0)), 0, 1)

    test = SignificanceTest("mine", mine)
    options = {"confidence": 0.8, "draws": 5, "seed": 3, "progress": None}
    pairs = Pairs.of(ASL)
    (found,) = _results([(pairs, [test])], [[options]])
    assert given == [options] * 3
    for at, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        D = VALUES[1][:, b] - VALUES[1][:, a]
        low, high = stats.ttest_1samp(D, 0).confidence_interval(0.8)
        wanted = {
            "n": 8,
            "mean_a": VALUES[1][:, a].mean(),
            "mean_b": VALUES[1][:, b].mean(),
            "difference": D.mean(),
        }
        wanted |= {
            "ci_low": low,
            "ci_high": high,
            "effect_size": D.mean() / D.std(ddof=1),
            "p_value": abs(D.mean()),
        }
        for name, value in wanted.items():
            assert found[name][at] == pytest.approx(value, rel=1e-9), name
    assert np.isnan(found["statistic"]).all()
    assert found["n"].dtype == np.int64


def test_a_test_of_all_runs_at_once_that_gives_p_alone_is_completed_too():
    given = []

    def mine(values, a, b, *, confidence, draws, seed, progress):
        given.append(
            (
                values,
                a,
                b,
                {"confidence": confidence, "draws": draws, "seed": seed, "progress": progress},
            )
        )
        return np.abs(values[:, a] - values[:, b]).mean(axis=0)

    test = SignificanceTest("mine", mine, joint=True, description="my test")
    options = {"confidence": 0.8, "draws": 5, "seed": 3, "progress": None}
    pairs = Pairs.of(ASL, baseline="r2")
    (found,) = _results([(pairs, [test])], [[options]])
    ((values, a, b, told),) = given
    np.testing.assert_allclose(values, -VALUES[1])
    assert (a.tolist(), b.tolist(), told) == ([0, 1, 3], [2, 2, 2], options)
    D = VALUES[1][:, [2]] - VALUES[1][:, [0, 1, 3]]
    ends = stats.ttest_1samp(D, 0).confidence_interval(0.8)
    np.testing.assert_allclose(found["p_value"], np.abs(D).mean(axis=0))
    np.testing.assert_allclose([found["ci_low"], found["ci_high"]], [ends.low, ends.high])
    np.testing.assert_allclose(found["effect_size"], D.mean(axis=0) / D.std(axis=0, ddof=1))
    np.testing.assert_allclose(found["mean_a"], VALUES[1][:, [0, 1, 3]].mean(axis=0))
    np.testing.assert_allclose(found["mean_b"], VALUES[1][:, 2].mean())
    short = SignificanceTest("mine", lambda *_: np.array([0.5]), joint=True, description="my test")
    with pytest.raises(
        ValueError, match=r"the test 'mine' returned p-values of shape \(1,\) for 3 pairs"
    ):
        _measured_together(pairs, 0, short, options)


def test_what_only_one_measures_test_knows_is_missing_for_the_others():
    random = np.random.default_rng(1)
    a, b = all_pairs(3)
    signs = np.sign(random.normal(size=(2, 9, 3)))
    runs = pd.DataFrame({"run": ["x", "y", "z"]})
    table = Preferences(runs, pd.Index(range(9), name="query_id"), ("sgnLP", "RPP"), a, b, signs)
    found = compare(table)
    assert found["test"].tolist() == ["sign"] * 3 + ["t"] * 3
    wins = (signs[0] > 0).sum(axis=0)
    assert found["statistic"].tolist()[:3] == wins.tolist()
    assert found["statistic"].tolist()[3:] == pytest.approx(
        stats.ttest_1samp(signs[1], 0).statistic.tolist()
    )


def test_scores_and_preferences_are_compared_in_one_table_whatever_the_baselines():
    scores = cube(attrs={"level": 2})
    a, b = all_pairs(4)
    D = scores.oriented()[:1, :, a] - scores.oriented()[:1, :, b]
    table = Preferences(scores.runs, scores.queries, ("RPP",), a, b, D, {"level": 2})
    for baseline in (None, "r1", ["r3", "r0"]):
        found = compare([scores, table], baseline=baseline)
        each = {None: 6, "r1": 3}.get(baseline if not isinstance(baseline, list) else "", 6)
        assert found["measure"].tolist() == np.repeat(["AP", "ASL", "RPP"], each).tolist()
        assert found.index.tolist() == list(range(3 * each))
        assert found.attrs["level"] == 2
        first, last = (
            found.iloc[:each].reset_index(drop=True),
            found.iloc[2 * each :].reset_index(drop=True),
        )
        columns = ["run_a", "run_b", "difference", "p_value", "p_adjusted"]
        pd.testing.assert_frame_equal(first[columns], last[columns])
        assert last["mean_a"].isna().all()
        assert "question" not in found.attrs


def test_replicates_that_were_averaged_make_it_a_question_of_these_models():
    found = compare(cube(attrs={"replicate": ["seed"]}))
    assert (
        found.attrs["question"]
        == "Are these trained models different? Queries are random, replicates fixed."
    )


def test_a_family_is_one_of_three():
    with pytest.raises(ValueError, match=r"family='rows'"):
        pdeval.datasets.sample_judged(queries="common").compare(
            "AP", family="rows", baseline="bm25"
        )
    assert compare(cube(), baseline="r1").attrs["family"] == "baseline"
    assert compare(cube(), baseline="r1", family="measure").attrs["family"] == "measure"


def test_tests_of_scores_refuse_preferences_of_no_score():
    a, b = all_pairs(3)
    runs = pd.DataFrame({"run": ["x", "y", "z"]})
    signs = np.sign(np.random.default_rng(2).normal(size=(1, 5, 3)))
    table = Preferences(runs, pd.Index(range(5), name="query_id"), ("RPP",), a, b, signs)
    with pytest.raises(
        ValueError,
        match=r"^test='tukey' requires a score per run; 'RPP' .*\. Use test='hsd', which accepts",
    ):
        compare(table, test="tukey")
    assert len(compare(table, test="hsd", draws=20)) == 3


def test_a_measure_that_is_a_test_is_told_and_one_that_is_not_there_too():
    accessor = pdeval.datasets.sample_judged(queries="common").measure("AP").ireval
    with pytest.raises(
        ValueError,
        match=r"'wilcoxon' is a significance test, not a measure\. Use compare\(test='wil",
    ):
        accessor.compare("wilcoxon")
    with pytest.raises(KeyError, match="RR"):
        accessor.compare("RR")


# Dunnett's test has another family
ALL_PAIRS = sorted(name for name, test in TESTS.items() if test.family == "measure")
WISE = [name for name in ALL_PAIRS if TESTS[name].family_wise]


@pytest.fixture(scope="module")
def three_measures():
    """Scores of three runs by three measures on twelve queries."""
    values = np.random.default_rng(5).random((3, 3, 12))
    index = pd.MultiIndex.from_product([["AP", "RR", "P@10"], ["a", "b", "c"], range(12)])
    frame = pd.DataFrame(
        {"value": values.ravel()}, index=index.set_names(["measure", "run", "query_id"])
    )
    return frame.reset_index()


@pytest.mark.parametrize("test", ALL_PAIRS)
@pytest.mark.parametrize("family", ["measure", "baseline", "all"])
def test_a_family_is_obeyed_or_refused(three_measures, test, family):
    asked = {"test": test, "family": family, "baseline": "a", "draws": 200}
    asked["correction"] = "bonferroni"
    if test in WISE and family != "measure":
        said = {
            "all": "the pairs of 3 measures together",
            "baseline": "only the pairs with the baseline",
        }[family]
        with pytest.raises(
            ValueError,
            match=rf"^test='{test}' corrects for all pairs of one measure; .* {said}\. Use",
        ):
            three_measures.ireval.compare(**asked)
        return
    found = three_measures.ireval.compare(**asked)
    assert found.attrs["family"] == family
    if test not in WISE:
        times = {"measure": 3, "baseline": 2, "all": 6}[family]
        np.testing.assert_allclose(
            found["p_adjusted"], np.minimum(times * found["p_value"], 1), rtol=1e-12
        )


@pytest.mark.parametrize("test", WISE)
def test_one_measure_is_all_there_is_and_a_baseline_alone_asks_for_no_family(three_measures, test):
    one = three_measures[three_measures["measure"] == "AP"]
    for options in ({"family": "all"}, {"baseline": "a"}):
        found = one.ireval.compare(test=test, draws=200, **options)
        assert found.attrs["family"] == "measure"
        assert found["p_adjusted"].tolist() == found["p_value"].tolist()
