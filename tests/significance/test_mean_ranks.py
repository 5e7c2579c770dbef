"""Nemenyi's and Conover's tests of mean ranks, against scikit-posthocs and worked by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pdeval
from pdeval.evaluate.cube import all_pairs
from pdeval.significance.corrections import CORRECTIONS
from pdeval.significance.mean_ranks import (
    concordance,
    conover,
    critical_difference_of,
    nemenyi,
    rank_variance,
    ranks_of,
)

SCORES = pdeval.datasets.sample_judged(queries="common").measure(["AP", "RR", "ASL"])


def tables(*, ties: bool, runs: int = 6, queries: int = 25, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(queries, runs)) + np.linspace(0, 0.5, runs)
    return np.round(X) if ties else X


@given(st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=2, max_size=6))
def test_ranks_are_those_of_scipy_the_best_first(rows):
    X = np.array(rows, dtype=float)
    assert ranks_of(X).tolist() == stats.rankdata(-X, axis=1).tolist()


def test_the_variance_of_ranks_without_ties_is_that_of_whole_numbers():
    ranks = ranks_of(tables(ties=False))
    assert rank_variance(ranks) == pytest.approx(25 * 6 * 7 / 12, rel=1e-15)


@pytest.mark.broad
@pytest.mark.extras
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("runs", [2, 6, 30])
def test_nemenyi_is_that_of_scikit_posthocs(ties, runs):
    posthocs = pytest.importorskip(
        "scikit_posthocs", reason="the peer that p-values are compared with"
    )
    X = tables(ties=ties, runs=runs)
    a, b = all_pairs(runs)
    theirs = posthocs.posthoc_nemenyi_friedman(X).to_numpy()
    np.testing.assert_allclose(nemenyi(X, a, b).p_value, theirs[a, b], rtol=0, atol=1e-12)


@pytest.mark.extras
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("runs", [2, 6, 30])
def test_conover_is_that_of_scikit_posthocs(ties, runs):
    posthocs = pytest.importorskip(
        "scikit_posthocs", reason="the peer that p-values are compared with"
    )
    X = tables(ties=ties, runs=runs)
    a, b = all_pairs(runs)
    theirs = posthocs.posthoc_conover_friedman(X).to_numpy()
    np.testing.assert_allclose(conover(X, a, b).p_value, theirs[a, b], rtol=0, atol=1e-12)


@pytest.mark.extras
@pytest.mark.parametrize(
    "correction", [one for one in CORRECTIONS if one not in ("none", "fdr_gbs")]
)
def test_conover_is_corrected_as_by_scikit_posthocs(correction):
    posthocs = pytest.importorskip(
        "scikit_posthocs", reason="the peer that p-values are compared with"
    )
    found = SCORES.ireval.compare("AP", test="conover", correction=correction)
    wide = SCORES[SCORES["measure"] == "AP"].pivot(index="query_id", columns="run", values="value")
    theirs = posthocs.posthoc_conover_friedman(wide.to_numpy(), p_adjust=correction)
    place = wide.columns.get_indexer(found["run_a"]), wide.columns.get_indexer(found["run_b"])
    np.testing.assert_allclose(found["p_adjusted"], theirs.to_numpy()[place], rtol=0, atol=1e-12)
    assert found.attrs["correction"] == correction


def test_conover_as_the_textbook_works_it():
    # Conover (1999), section 5.8: twelve home owners rank four grasses; two sums of ranks differ from
    # t sqrt(2 (12 * 356.5 - 3752.5) / 33) on, with t = 2.0345 of 33 degrees of freedom
    ranks = [
        *([4, 3, 2, 1], [4, 2, 3, 1], [3, 1.5, 1.5, 4], [3, 1, 2, 4], [4, 2, 1, 3], [2, 2, 2, 4]),
        *(
            [1, 3, 2, 4],
            [2, 4, 1, 3],
            [3.5, 1, 2, 3.5],
            [4, 1, 3, 2],
            [4, 2, 3, 1],
            [3.5, 1, 2, 3.5],
        ),
    ]
    X = -np.array(ranks, dtype=float)
    a, b = all_pairs(4)
    outcome = conover(X, a, b)
    sums = np.array(ranks).sum(axis=0)
    assert sums.tolist() == [38.0, 23.5, 24.5, 34.0]
    assert (outcome.effect_size * 12).round(12).tolist() == (sums[b] - sums[a]).tolist()
    limit = abs(outcome.effect_size * 12 / outcome.statistic)[0] * stats.t.ppf(0.975, 33)
    assert round(float(limit), 2) == 11.48
    assert (outcome.p_value < 0.05).tolist() == (abs(sums[b] - sums[a]) > limit).tolist()


@pytest.mark.parametrize(
    ("runs", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (10, 3.164)]
)
def test_critical_values_are_those_of_demsars_table(runs, q):
    # Demsar (2006), Table 5(a): critical values of the two-tailed Nemenyi test at 0.05
    found = critical_difference_of(runs, 30) / np.sqrt(runs * (runs + 1) / (6 * 30))
    assert found == pytest.approx(q, abs=1.1e-3)
    assert critical_difference_of(runs, 30) == pytest.approx(
        stats.studentized_range.ppf(0.95, runs, np.inf) * np.sqrt(runs * (runs + 1) / (12 * 30)),
        rel=1e-9,
    )


def test_pairs_beyond_the_critical_difference_are_those_that_nemenyi_calls_significant():
    found = SCORES.ireval.compare("AP", test="nemenyi")
    limit = critical_difference_of(12, 48)
    assert (found["effect_size"].abs() > limit).tolist() == found["significant"].tolist()
    assert 0 < found["significant"].sum() < len(found)
    assert found.attrs["correction"] == "none needed"


def test_less_is_better_where_the_measure_says_so():
    frame = SCORES[SCORES["measure"] == "ASL"]
    turned = frame.assign(value=-frame["value"], measure="mine")
    turned.attrs = {}
    ours = frame.ireval.compare(test="nemenyi")
    theirs = turned.ireval(higher=True).compare(test="nemenyi")
    np.testing.assert_allclose(ours["effect_size"], theirs["effect_size"], rtol=0, atol=0)
    best = SCORES.ireval.order("ASL").sort_values("rank")["run"].iloc[0]
    assert (ours.loc[ours["run_a"] == best, "effect_size"] > 0).all()


@pytest.mark.parametrize("test", [nemenyi, conover])
def test_runs_that_are_all_equal_are_not_told_apart(test):
    outcome = test(np.ones((5, 3)), *all_pairs(3))
    assert outcome.p_value.tolist() == [1.0, 1.0, 1.0]
    assert outcome.statistic.tolist() == outcome.effect_size.tolist() == [0.0, 0.0, 0.0]


def test_where_all_queries_agree_conover_has_no_error_left():
    X = np.tile([0.1, 0.2, 0.2], (7, 1)) * np.arange(1, 8)[:, None]
    assert concordance(ranks_of(X)) == 1.0
    outcome = conover(X, *all_pairs(3))
    assert outcome.p_value.tolist() == [0.0, 0.0, 1.0]
    assert outcome.statistic.tolist() == [-np.inf, -np.inf, 0.0]


@pytest.mark.parametrize("test", ["nemenyi", "conover"])
def test_ranks_are_blind_to_the_scale_of_a_query(test):
    wide = SCORES[SCORES["measure"] == "AP"]
    bent = wide.assign(value=np.sqrt(wide["value"]))
    bent.attrs = dict(wide.attrs)
    ours, theirs = (one.ireval.compare(test=test)["p_value"] for one in (wide, bent))
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("test", ["nemenyi", "conover"])
def test_a_query_that_some_run_lacks_is_left_out_by_name_of_the_test(test):
    some = SCORES[
        (SCORES["measure"] == "AP") & ~((SCORES["run"] == "bm25") & (SCORES["query_id"] == "101"))
    ]
    with pytest.warns(
        UserWarning,
        match=f"1 of 48 queries have no 'AP' value .* Friedman-{test.title()} uses the remaining 47",
    ):
        found = some.ireval.compare(test=test)
    assert found["n"].unique().tolist() == [47]


@pytest.mark.broad
@pytest.mark.parametrize("test", ["nemenyi", "conover"])
def test_preferences_that_are_no_differences_of_scores_are_refused(test):
    judged = pdeval.datasets.sample_judged(queries="common")
    with pytest.raises(
        ValueError,
        match=f"test='{test}' requires a score per run; 'RPP' is a preference.*test='hsd'",
    ):
        judged.compare("RPP", test=test)
    ours, theirs = judged.prefer("AP").ireval.compare(test=test), judged.compare("AP", test=test)
    np.testing.assert_allclose(ours["p_value"], theirs["p_value"], rtol=0, atol=1e-15)


@pytest.mark.broad
@pytest.mark.parametrize("test", ["nemenyi", "conover"])
def test_reports_mark_by_mean_ranks_with_letters_daggers_and_groups(test):
    said = "Friedman-" + test.title() + " test"
    lettered = SCORES.ireval.report("AP", test=test, marks="letters")
    assert said in lettered.to_markdown()
    assert said in SCORES.ireval.report("AP", test=test, baseline="bm25").to_markdown()
    halves = SCORES.assign(half=SCORES["query_id"].astype(int) % 2)
    found = halves.ireval.compare("AP", test=test, by="half")
    assert found.groupby("half")["n"].unique().map(list).tolist() == [[24], [24]]
    alone = SCORES[SCORES["query_id"].astype(int) % 2 == 1].ireval.compare("AP", test=test)
    assert found.loc[found["half"] == 1, "p_value"].tolist() == alone["p_value"].tolist()
    assert isinstance(found, pd.DataFrame)


@pytest.mark.broad
def test_nemenyis_interval_is_the_critical_difference_around_that_of_mean_ranks():
    X, (a, b) = tables(ties=False), all_pairs(6)
    outcome = nemenyi(X, a, b, confidence=0.9)
    np.testing.assert_allclose(outcome.mean, (X[:, a] - X[:, b]).mean(axis=0), rtol=1e-12)
    ranks = stats.rankdata(-X, axis=1).mean(axis=0)
    half = stats.studentized_range.ppf(0.9, 6, np.inf) * np.sqrt(6 * 7 / (12 * 25))
    np.testing.assert_allclose(outcome.estimate, ranks[b] - ranks[a], rtol=1e-9)
    np.testing.assert_allclose(outcome.ci_low, ranks[b] - ranks[a] - half, rtol=1e-6)
    np.testing.assert_allclose(outcome.ci_high, ranks[b] - ranks[a] + half, rtol=1e-6)


def test_queries_that_agree_are_in_full_concordance_however_their_sums_are_rounded():
    found = {
        concordance(ranks_of(np.tile(np.arange(float(runs)), (queries, 1))))
        for runs in range(2, 40)
        for queries in (3, 7, 11)
    }
    assert found == {1.0}


def test_conovers_interval_is_students_of_the_mean_ranks():
    X, (a, b) = tables(ties=True, runs=4, queries=9, seed=2), all_pairs(4)
    outcome = conover(X, a, b, confidence=0.8)
    D = X[:, a] - X[:, b]
    ranks = stats.rankdata(-X, axis=1)
    better = ranks.mean(axis=0)[b] - ranks.mean(axis=0)[a]
    residual = ranks - ranks.mean(axis=0) + (4 + 1) / 2  # every query has the same mean rank
    error = np.square(residual - (4 + 1) / 2).sum() / (8 * 3)
    low, high = stats.t.interval(0.8, 24, better, np.sqrt(2 * error / 9))
    np.testing.assert_allclose(outcome.mean, D.mean(axis=0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(outcome.estimate, better, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(outcome.ci_low, low, rtol=1e-9)
    np.testing.assert_allclose(outcome.ci_high, high, rtol=1e-9)
    assert outcome.n.tolist() == [9] * 6


@pytest.mark.parametrize("ties", [False, True])
def test_both_tests_are_those_of_the_textbooks_formulas(ties):
    X, (a, b) = tables(ties=ties, runs=4, queries=9, seed=3), all_pairs(4)
    ranks = stats.rankdata(-X, axis=1)
    mean, sums = ranks.mean(axis=0), ranks.sum(axis=0)
    # Conover (1999), equations 5.8.4 and following
    squares, between = np.square(ranks).sum(), np.square(sums).sum() / 9
    error = np.sqrt(2 * 9 * (squares - between) / (8 * 3))
    ours, theirs = conover(X, a, b), nemenyi(X, a, b)
    np.testing.assert_allclose(ours.statistic, (sums[b] - sums[a]) / error, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        ours.p_value, 2 * stats.t.sf(np.abs(sums[b] - sums[a]) / error, 8 * 3), rtol=1e-9
    )
    q = np.abs(mean[a] - mean[b]) / np.sqrt(4 * 5 / (12 * 9))
    np.testing.assert_allclose(theirs.statistic, q, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(theirs.p_value, stats.studentized_range.sf(q, 4, np.inf), atol=1e-8)
    for outcome in (ours, theirs):
        np.testing.assert_allclose(outcome.effect_size, mean[b] - mean[a], rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(outcome.more["rank_a"], mean[a], rtol=1e-12)
        np.testing.assert_allclose(outcome.more["rank_b"], mean[b], rtol=1e-12)
    assert rank_variance(ranks) == pytest.approx(np.var(ranks, axis=1, ddof=1).sum(), rel=1e-12)
    by_chi_squared = stats.friedmanchisquare(*X.T).statistic / (9 * 3)
    assert concordance(ranks) == pytest.approx(by_chi_squared, rel=1e-9)
