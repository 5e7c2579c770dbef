"""Friedman's chi-squared and Iman and Davenport's F."""

import numpy as np
import pytest
from scipy import stats

import pdeval
from pdeval.significance.anova import rank_tests
from pdeval.significance.mean_ranks import rank_variance, ranks_of

JUDGED = pdeval.datasets.sample_judged(queries="common")
SCORES = JUDGED.measure(["AP", "RR"])


def wide(measure: str) -> np.ndarray:
    return (
        SCORES[SCORES["measure"] == measure]
        .pivot(index="query_id", columns="run", values="value")
        .to_numpy()
    )


@pytest.mark.parametrize("measure", ["AP", "RR"])  # AP hardly ever ties, RR does on every query
def test_the_statistic_is_that_of_scipy_corrected_for_ties(measure):
    found = SCORES.ireval.friedman(measure).iloc[0]
    theirs = stats.friedmanchisquare(*wide(measure).T)
    assert found["statistic"] == pytest.approx(theirs.statistic, rel=1e-12)
    assert found["p_value"] == pytest.approx(theirs.pvalue, rel=1e-9)
    assert found[["n", "runs", "df"]].tolist() == [48, 12, 11]


def test_demsars_example_has_his_ranks_and_his_statistics_but_for_ties():
    # Demsar (2006), Table 6: AUC of four variants of C4.5 on 14 data sets; chi-squared 9.28 and F 3.69, with ties as if
    # there were none
    auc = [
        *([0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967]),
        *([0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931]),
        *([0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875]),
        *([1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669]),
        *([0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970]),
    ]
    ranks = ranks_of(np.array(auc))
    assert ranks.mean(axis=0).round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    found = rank_tests(np.array(auc))
    assert (found["df"].tolist(), found["df_error"][1]) == ([3, 3], 39.0)
    plain = found["statistic"][0] * rank_variance(ranks) / (14 * 4 * 5 / 12)
    assert round(float(plain), 2) == 9.28
    assert round(13 * float(plain) / (14 * 3 - float(plain)), 2) == 3.69
    assert found["statistic"].round(2).tolist() == [10.23, 4.19]


def test_f_and_chi_squared_are_of_the_same_ranks():
    squared, f = SCORES.ireval.friedman("RR")["statistic"]
    assert f == pytest.approx(47 * squared / (48 * 11 - squared), rel=1e-12)
    row = SCORES.ireval.friedman("RR").iloc[1]
    assert row["p_value"] == pytest.approx(stats.f.sf(f, 11, 11 * 47), rel=1e-9)
    assert row["effect_size"] == pytest.approx(squared / (48 * 11), rel=1e-12)


def test_two_runs_are_ranked_as_in_a_sign_test():
    X = wide("AP")[:, :2]
    wins = (X[:, 0] > X[:, 1]).sum()
    assert (X[:, 0] != X[:, 1]).all()
    assert rank_tests(X)["statistic"][0] == pytest.approx((2 * wins - 48) ** 2 / 48, rel=1e-12)


def test_where_nothing_differs_p_is_1_and_where_all_agree_f_is_infinite():
    flat = rank_tests(np.ones((4, 3)))
    assert flat["statistic"].tolist() == [0.0, 0.0]
    assert flat["p_value"].tolist() == [1.0, 1.0]
    sure = rank_tests(np.tile([1.0, 2.0, 3.0], (4, 1)))
    assert sure["statistic"].tolist() == [8.0, np.inf]
    assert sure["p_value"][1] == 0.0
    assert sure["effect_size"].tolist() == [1.0, 1.0]


def test_queries_that_some_run_lacks_are_left_out_with_a_warning():
    some = SCORES[~((SCORES["run"] == "bm25") & (SCORES["query_id"].isin(["101", "102"])))]
    with pytest.warns(
        UserWarning,
        match="2 of 48 queries have no 'AP' value for at least one run; friedman uses the remaining 46",
    ):
        found = some.ireval.friedman("AP")
    assert found["n"].tolist() == [46, 46]
    whole = SCORES[~SCORES["query_id"].isin(["101", "102"])].ireval.friedman("AP")
    assert found["statistic"].tolist() == whole["statistic"].tolist()


def test_preferences_that_are_no_differences_of_scores_are_refused():
    with pytest.raises(
        ValueError, match=r"friedman\(\) requires a score per run and query; 'RPP' is a preference"
    ):
        JUDGED.friedman("RPP")


def test_joins_and_groups_have_their_own_test():
    assert JUDGED.friedman(["AP", "RR"]).equals(SCORES.ireval.friedman())
    thirds = SCORES.assign(third=SCORES["query_id"].astype(int) % 3)
    assert thirds.ireval.friedman("AP", by="third")["n"].tolist() == [15, 15, 16, 16, 17, 17]


def test_the_table_carries_what_the_scores_carry():
    assert SCORES.ireval.friedman().attrs["measures"] == SCORES.attrs["measures"]
