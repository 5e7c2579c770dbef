"""Best, average and worst case of two runs side by side."""

import numpy as np
import pytest

import pdeval
from tests import naive

# x finds the relevant items at 1, 5, 6; y at 2, 3, 4: x is best for who wants one item, y for who wants more
LISTS = {
    "x": {"q1": ["a", "n1", "n2", "n3", "b", "c"], "q2": ["d"]},
    "y": {"q1": ["n1", "a", "b", "c"], "q2": ["d"]},
}
GRADES = {"q1": {"a": 1, "b": 1, "c": 1}, "q2": {"d": 1}}


@pytest.fixture(scope="module")
def joined():
    return naive.table(LISTS).ireval.join(naive.judgments(GRADES))


def test_the_three_cases_of_a_query_stand_side_by_side_with_the_levels_that_decide(joined):
    found = joined.best_average_worst(per="query")
    assert found["best"].tolist() == [1.0, 0.0]
    assert found["best_rr"].tolist() == [0.5, 0.0]
    assert found["average"].tolist() == pytest.approx([-1 / 3, 0.0])
    assert found["worst"].tolist() == [-1.0, 0.0]
    assert found["decided_first"].tolist() == [1, 0]
    assert found["decided_last"].tolist() == [3, 0]
    assert found["disagree"].tolist() == [True, False]


def test_a_pair_has_the_means_and_the_shares_of_queries_with_opposite_winners(joined):
    found = joined.best_average_worst()
    assert found["n"].tolist() == [2]
    values = found[
        ["best", "best_rr", "average", "worst", "best_average", "average_worst", "best_worst"]
    ]
    assert values.to_numpy().tolist() == [pytest.approx([0.5, 0.25, -1 / 6, -0.5, 0.5, 0.0, 0.5])]


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:.*are missing")
@pytest.mark.parametrize("queries", ["common", "answered"])
def test_cases_are_the_means_of_the_preferences(queries):
    judged = pdeval.datasets.sample_judged(queries=queries)
    found = judged.best_average_worst("dcgRPP", baseline="bm25")
    names = {"sgnLP": "best", "rrLP": "best_rr", "dcgRPP": "average", "sgnLR": "worst"}
    means = judged.prefer(list(names), baseline="bm25").groupby(
        ["run_a", "measure"], observed=True
    )["value"]
    for name, column in names.items():
        wanted = means.mean().unstack()[name].reindex(found["run_a"].astype(str))
        np.testing.assert_allclose(found[column], wanted, rtol=0, atol=1e-12)
    assert (
        found["n"].tolist()
        == means.count().unstack()["sgnLP"].reindex(found["run_a"].astype(str)).tolist()
    )


def test_the_average_case_may_be_any_preference_or_measure(joined):
    assert (
        joined.best_average_worst("AP")["average"].tolist()
        == joined.prefer("AP").groupby("run_a", observed=True)["value"].mean().tolist()
    )
    assert (
        joined.best_average_worst("sgnLP")["average"].tolist()
        == joined.best_average_worst()["best"].tolist()
    )
    looked_at = naive.table(LISTS).ireval.best_average_worst(naive.judgments(GRADES), "bpref")
    assert looked_at["average"].tolist() == joined.best_average_worst("bpref")["average"].tolist()


def test_an_unknown_detail_is_refused(joined):
    with pytest.raises(ValueError, match="per='run': choose 'pair' or 'query'"):
        joined.best_average_worst(per="run")


def test_tables_of_cases_are_recognized(joined):
    assert repr(joined.best_average_worst().ireval).startswith(
        "table of best, average and worst cases"
    )
    assert repr(joined.best_average_worst(per="query").ireval).startswith(
        "table of best, average and worst cases of queries"
    )
