"""Buckets against each other: the slides' directions as results get worse, the tests, the verdicts."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportions_ztest

from pdeval.online import compare_buckets
from pdeval.online.behavior import MEASURES, behavior_measure

# the slides' table: what happens to each measure when search results become worse
WORSE = {
    "abandonment_rate": "increase",
    "reformulation_rate": "increase",
    "queries_per_session": "increase",
    "clicks_per_query": "decrease",
    "max_reciprocal_rank": "decrease",
    "mean_reciprocal_rank": "decrease",
    "time_to_first_click": "increase",
    "time_to_last_click": "decrease",
    "first_result_clicks": "decrease",
}
ORDER = ["ORIG", "FLAT", "RAND"]


@pytest.fixture(scope="module")
def log():
    """Users of three systems: relevant results get fewer and sink, from ORIG to RAND."""
    rng = np.random.default_rng(0)
    n, depth = 150, 10
    parts, judged = [], []
    chances = {  # of a relevant result, by rank
        "ORIG": [0.95, 0.8, 0.7, 0.4, 0.1, 0.05, 0.05, 0.05, 0.05, 0.05],
        "FLAT": [0.6, 0.5, 0.4, 0.3, 0.1, 0.05, 0.05, 0.05, 0.05, 0.05],
        "RAND": [0.08] * 10,
    }
    for bucket, chance in chances.items():
        relevant = rng.random((n, depth)) < chance
        query, place = (axis.ravel() for axis in np.indices((n, depth)))
        doc = [f"{bucket}-{q}-{p}" for q, p in zip(query, place, strict=True)]
        parts.append(
            pd.DataFrame({"run": bucket, "query_id": query, "doc_id": doc, "rank": place + 1})
        )
        judged.append(
            pd.DataFrame(
                {"query_id": query, "doc_id": doc, "relevance": relevant.ravel().astype(int)}
            )
        )
    return pd.concat(parts).ireval.simulate_clicks(
        pd.concat(judged), sessions=8, reformulate=0.7, users=400
    )


def test_the_directions_are_those_of_the_slides():
    assert {name: measure.worse for name, measure in list(MEASURES.items())[:9]} == WORSE


@pytest.mark.broad
def test_every_measure_moves_as_the_slides_say_when_results_get_worse(log):
    found = log.ireval.check_order(ORDER).set_index("measure")
    assert found["as_expected"].tolist() == [3] * 9
    assert set(found["conclusion"]) <= {"confirmed", "in order"}
    for name, direction in WORSE.items():
        mark = " < " if direction == "increase" else " > "
        assert found.loc[name, "hypothesis"] == found.loc[name, "observed"] == mark.join(ORDER)


@pytest.mark.broad
def test_the_opposite_hypothesis_is_contradicted(log):
    found = log.ireval.check_order(ORDER[::-1], "abandonment_rate").iloc[0]
    assert found[["as_expected", "against", "conclusion"]].tolist() == [0, 3, "contradicted"]
    assert found["observed"] == "ORIG < FLAT < RAND"
    assert found["hypothesis"] == "RAND < FLAT < ORIG"


def test_buckets_that_do_not_differ_are_not_confirmed(log):
    halves = log[log["bucket"] == "FLAT"].assign(
        bucket=lambda frame: np.where(frame["user"] % 2, "one", "two")
    )
    found = halves.ireval.check_order(["one", "two"])
    assert "confirmed" not in set(found["conclusion"])
    assert "contradicted" not in set(found["conclusion"])
    assert set(found["significant"] + found["against"]) == {0}


@pytest.mark.broad
def test_each_measure_is_tested_by_the_test_that_suits_it(log):
    with pytest.warns(UserWarning, match="queries of the same user are not independent"):
        found = log.ireval.compare_buckets(unit="query", correction="none")
    found = found.set_index(["measure", "bucket_a", "bucket_b"])
    queries = log.ireval.per_query()
    x, y = (queries[queries["bucket"] == bucket] for bucket in ("FLAT", "ORIG"))
    z, p = proportions_ztest([x["abandoned"].sum(), y["abandoned"].sum()], [len(x), len(y)])
    row = found.loc[("abandonment_rate", "FLAT", "ORIG")]
    assert row[["test", "n_a", "n_b"]].tolist() == ["z", len(x), len(y)]
    assert row[["statistic", "p_value"]].tolist() == pytest.approx([z, p])
    t = stats.ttest_ind(x["clicks"], y["clicks"], equal_var=False)
    row = found.loc[("clicks_per_query", "FLAT", "ORIG")]
    assert row["test"] == "welch"
    assert row[["statistic", "p_value"]].tolist() == pytest.approx([t.statistic, t.pvalue])
    assert row["difference"] == pytest.approx(x["clicks"].mean() - y["clicks"].mean())
    u = stats.mannwhitneyu(x["time_to_first_click"].dropna(), y["time_to_first_click"].dropna())
    row = found.loc[("time_to_first_click", "FLAT", "ORIG")]
    assert row["test"] == "mann-whitney"
    assert row["p_value"] == pytest.approx(u.pvalue)
    assert (
        row["difference"] == x["time_to_first_click"].median() - y["time_to_first_click"].median()
    )
    assert row["ci_low"] < row["difference"] < row["ci_high"]


def test_by_default_rates_are_over_queries_and_users_are_the_unit(log):
    row = (
        log.ireval.compare_buckets("abandonment_rate")
        .set_index(["bucket_a", "bucket_b"])
        .loc[("FLAT", "ORIG")]
    )
    queries = log.ireval.per_query()
    rates = queries.groupby("bucket")["abandoned"].mean()
    users = queries.groupby("bucket")["user"].nunique()
    assert row[["test", "n_a", "n_b"]].tolist() == ["delta", users["FLAT"], users["ORIG"]]
    assert row[["value_a", "value_b"]].tolist() == pytest.approx(
        [rates["FLAT"], rates["ORIG"]], rel=1e-14
    )


def test_with_means_every_user_counts_once(log):
    found = log.ireval.compare_buckets("abandonment_rate", aggregate="mean", correction="none")
    found = found.set_index(["bucket_a", "bucket_b"])
    rates = log.ireval.per_query().groupby(["bucket", "user"])["abandoned"].mean()
    x, y = rates["FLAT"], rates["ORIG"]
    t = stats.ttest_ind(x, y, equal_var=False)
    row = found.loc[("FLAT", "ORIG")]
    assert row[["test", "n_a", "n_b"]].tolist() == ["welch", len(x), len(y)]
    assert row[["statistic", "p_value"]].tolist() == pytest.approx([t.statistic, t.pvalue])


def test_p_values_are_corrected_within_each_measure(log):
    measures = ["abandonment_rate", "clicks_per_query"]
    for correction, options in (("holm", {}), ("bonferroni", {"correction": "bonferroni"})):
        result = log.ireval.compare_buckets(measures, **options)
        assert result.attrs["correction"] == correction
        for _, part in result.groupby("measure"):
            adjusted = multipletests(part["p_value"], method=correction)[1]
            np.testing.assert_allclose(part["p_adjusted"], adjusted)
        assert result["significant"].tolist() == (result["p_adjusted"] < 0.05).tolist()


@pytest.mark.parametrize("test", ["auto", "bootstrap"])
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "sidak", "fdr_bh", "none"])
def test_intervals_and_lifts_agree_with_the_verdicts(correction, test):
    rng = np.random.default_rng(4)
    contradictions, kept = 0, 0
    for case in range(12):
        users = rng.permutation(240)
        table = pd.DataFrame({"user": users, "bucket": np.arange(240) % 4})
        table["clicks"] = rng.poisson(5 + 0.5 * (users % 4) + table["bucket"] * 0.25 * (case % 4))
        table["impressions"] = 10 + rng.poisson(4, 240)
        measures = ["clicks", "clicks / impressions"]
        options = {"correction": correction, "test": test, "lift": "delta", "draws": 500}
        result = table.ireval.compare_buckets(measures, **options)
        assert result.attrs["simultaneous"] == (correction != "none")
        for low, high in (("ci_low", "ci_high"), ("lift_low", "lift_high")):
            excludes = (result[low] > 0) | (result[high] < 0)
            touches = (result[low] == 0) | (result[high] == 0)
            contradictions += (excludes & ~result["significant"]).sum()
            contradictions += (~excludes & ~touches & result["significant"]).sum()
            assert (result[low] <= result[high]).all()
        kept += result["significant"].sum()
    assert contradictions == 0
    assert 0 < kept < 144


def test_intervals_are_simultaneous_over_the_pairs_of_a_measure():
    rng = np.random.default_rng(1)
    buckets = np.repeat(["a", "b", "c"], 40)
    table = pd.DataFrame({"user": range(120), "bucket": buckets, "clicks": rng.normal(5, 1, 120)})
    row = table.ireval.compare_buckets("clicks").set_index(["bucket_a", "bucket_b"]).loc[("a", "b")]
    x, y = (table.loc[table["bucket"] == one, "clicks"] for one in "ab")
    ends = stats.ttest_ind(x, y, equal_var=False).confidence_interval(1 - 0.05 / 3)
    assert row[["ci_low", "ci_high"]].tolist() == pytest.approx([ends.low, ends.high])


def test_the_order_says_who_is_a_and_who_is_compared(log):
    found = log.ireval.compare_buckets("clicks_per_query", order=["RAND", "ORIG"])
    assert found[["bucket_a", "bucket_b"]].to_numpy().tolist() == [["RAND", "ORIG"]]
    assert found["difference"].iloc[0] < 0


@pytest.mark.broad
def test_without_clicks_the_times_have_no_verdict(log):
    found = log[log["action"] == "impression"].ireval.check_order(ORDER).set_index("measure")
    assert found.loc["time_to_first_click", ["conclusion", "observed"]].tolist() == [
        "no data",
        "ORIG ? FLAT ? RAND",
    ]
    assert found.loc["abandonment_rate", ["conclusion", "observed"]].tolist() == [
        "not in order",
        "ORIG = FLAT = RAND",
    ]
    compared = log[log["action"] == "impression"].ireval.compare_buckets("time_to_first_click")
    assert compared[["p_value", "difference", "ci_low"]].isna().all(axis=None)
    assert not compared["significant"].any()


@pytest.mark.broad
def test_wrong_hypotheses_and_tests_are_refused(log):
    with pytest.raises(
        ValueError, match="buckets of the log, each once: FLAT, ORIG, RAND; found ORIG, SWAP"
    ):
        log.ireval.check_order(["ORIG", "SWAP"])
    with pytest.raises(ValueError, match="at least two buckets of the log, each once"):
        log.ireval.check_order(["ORIG", "ORIG"])
    with pytest.raises(ValueError, match="needs a bucket column with at least two buckets"):
        log.drop(columns="bucket").ireval.compare_buckets()
    with pytest.raises(
        ValueError, match="test='t': choose 'auto', 'welch', 'delta', 'mann-whitney' or 'bootstrap'"
    ):
        log.ireval.compare_buckets(test="t")
    with pytest.raises(
        ValueError,
        match=r"^test='welch' compares means, .*; time_to_first_click has aggregate='median'",
    ):
        log.ireval.compare_buckets("time_to_first_click", test="welch")
    means = log.ireval.compare_buckets(test="welch", aggregate="mean")
    assert set(means["test"]) == {"welch"}


@pytest.mark.broad
def test_buckets_of_equal_values_do_not_differ_by_rounding(log):
    """Issue 13, item 1: means of .8 that differ by 1.1e-16."""
    try:

        @behavior_measure(worse="decrease")
        def constant(queries):
            return np.full(len(queries), 0.8)

        for aggregate in ("mean", "median"):
            found = log.ireval.compare_buckets("constant", aggregate=aggregate)
            assert (found["p_value"] == 1).all()
            assert (found["difference"] == 0).all()
            said = log.ireval.check_order(ORDER, "constant", aggregate=aggregate).iloc[0]
            assert said[["observed", "conclusion"]].tolist() == [
                "ORIG = FLAT = RAND",
                "not in order",
            ]
    finally:
        MEASURES.pop("constant", None)


@pytest.mark.parametrize(
    ("toward", "significant", "word"),
    [
        ([1, 1], [True, True], "confirmed"),
        ([1, 1], [True, False], "in order"),
        ([1, 1], [False, False], "in order"),
        ([1, 0], [True, False], "not in order"),
        ([1, -1], [True, False], "not in order"),
        ([-1, -1], [False, False], "not in order"),
        ([1, -1], [True, True], "contradicted"),
        ([1, -1], [False, True], "contradicted"),
        ([0, 1], [True, True], "not in order"),  # a difference of 0 contradicts nothing
        ([-1, np.nan], [True, False], "no data"),
        ([np.nan, 1], [False, True], "no data"),
    ],
)
def test_the_word_of_a_verdict(toward, significant, word):
    assert compare_buckets._word(np.array(toward, dtype=float), np.array(significant)) == word


def test_a_meta_analysis_by_ranks_has_the_direction_of_the_ranks():
    """A has the shorter median time to the first click, 9 against 10 seconds, and the longer times by ranks."""
    times = {"A": [9] * 51 + [100] * 49, "B": [1] * 49 + [10] * 51}
    starts, clicks = (
        pd.concat(
            [
                pd.DataFrame({"bucket": bucket, "time": np.array(values) * clicked})
                for bucket, values in times.items()
            ],
            ignore_index=True,
        ).assign(action=action)
        for clicked, action in ((0, "impression"), (1, "click"))
    )
    log = pd.concat([starts, clicks]).reset_index(names="session")
    log = log.assign(
        query_id="q",
        doc_id="d",
        rank=1,
        timestamp=pd.Timestamp("2026-01-01") + pd.to_timedelta(log["time"], unit="s"),
    ).drop(columns="time")
    compared = log.ireval.compare_buckets("time_to_first_click", order=["A", "B"]).iloc[0]
    assert compared["significant"]
    assert compared["difference"] < 0 < compared["effect_size"]
    found = log.ireval.check_order(["A", "B"], "time_to_first_click").iloc[0]
    assert found[["as_expected", "significant", "against", "conclusion"]].tolist() == [
        0,
        0,
        1,
        "contradicted",
    ]
