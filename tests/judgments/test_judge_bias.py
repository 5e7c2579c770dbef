"""Whether a judge favors systems: signs, shares, tests, and judges who share no item with people."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval
from pdeval.verbs.arguments import TooFew

RUNS = pd.DataFrame(
    [(run, query, doc, 3 - place) for run, docs in {"a": "xyz", "b": "zyx", "c": "uvw"}.items()
     for query in "12" for place, doc in enumerate(docs)],
    columns=["run", "query_id", "doc_id", "score"],
)  # fmt: skip
PEOPLE = pd.DataFrame(
    [(query, doc, 1) for query in "12" for doc in "xyzuvw"],
    columns=["query_id", "doc_id", "relevance"],
)
PEOPLE.loc[0, "relevance"] = 0
PEOPLE.loc[1, "relevance"] = 2


@pytest.fixture(scope="module")
def sample():
    runs, qrels, _ = pdeval.datasets.load_sample()
    return runs, qrels


def test_a_judge_who_is_lenient_with_all_favors_nobody():
    found = RUNS.ireval.judges.bias(
        PEOPLE, {"kind": PEOPLE.assign(relevance=PEOPLE["relevance"] + 1)}, scale=[0, 1, 2, 3]
    )
    assert found["bias"].tolist() == [1, 1, 1]
    assert found["favor"].tolist() == pytest.approx([0, 0, 0])
    assert found["higher"].tolist() == [1, 1, 1]
    assert found["lower"].tolist() == [0, 0, 0]
    assert not found["significant"].any()


def test_shares_and_biases_are_those_of_the_items_down_to_the_depth():
    judge = PEOPLE.copy()
    judge.loc[judge["doc_id"] == "x", "relevance"] = 2  # query 1: 0 -> 2, query 2: 1 -> 2
    judge.loc[judge["doc_id"] == "u", "relevance"] = 0  # 1 -> 0 on both
    found = RUNS.ireval.judges.bias(PEOPLE, judge, depth=1).set_index("run")
    assert found.loc["a", ["items", "n", "higher", "lower", "bias"]].tolist() == [2, 2, 1, 0, 1.5]
    assert found.loc["b", ["items", "higher", "lower", "bias"]].tolist() == [2, 0, 0, 0]
    assert found.loc["c", ["items", "higher", "lower", "bias"]].tolist() == [2, 0, 1, -1]
    # query 1: 2, 0, -1 with mean 1/3; query 2: 1, 0, -1 with mean 0
    assert found["favor"].tolist() == pytest.approx([(5 / 3 + 1) / 2, -1 / 6, -7 / 6])
    deep = RUNS.ireval.judges.bias(PEOPLE, judge, depth=3).set_index("run")
    assert deep.loc["a", "bias"] == pytest.approx(0.5) == deep.loc["b", "bias"]
    assert deep.loc["a", "higher"] == pytest.approx(1 / 3)


def test_tests_are_scipys_and_corrected_over_runs(sample):
    runs, qrels = sample
    rng = np.random.default_rng(0)
    judge = qrels.assign(
        relevance=np.clip(qrels["relevance"] + rng.integers(-1, 2, len(qrels)), 0, 3)
    )
    found = runs.ireval.judges.bias(qrels, judge, correction="bonferroni")
    top = (
        runs.ireval.pool(10, per="run")
        .merge(qrels)
        .merge(judge, on=["query_id", "doc_id"], suffixes=("", "_judge"))
    )
    top["apart"] = top["relevance_judge"] - top["relevance"]
    mean = top.groupby(["query_id", "run"])["apart"].mean().unstack()
    favor = mean.sub(mean.mean(axis=1), axis=0)
    oracle = stats.ttest_1samp(favor, 0, nan_policy="omit")
    assert found["favor"].to_numpy() == pytest.approx(favor.mean().to_numpy())
    assert found["bias"].to_numpy() == pytest.approx(mean.mean().to_numpy())
    assert found["p_value"].to_numpy() == pytest.approx(np.asarray(oracle.pvalue))
    assert found["p_adjusted"].to_numpy() == pytest.approx(
        np.minimum(1, 12 * np.asarray(oracle.pvalue))
    )
    assert found["n"].tolist() == mean.notna().sum().tolist()
    assert found["items"].tolist() == top.groupby("run").size().tolist()


def test_a_judge_who_likes_what_a_system_retrieves_is_found_out(sample):
    runs, qrels = sample
    own = runs[(runs["run"] == "bm25") & (runs["rank"] <= 10)][["query_id", "doc_id"]].assign(own=1)
    liked = qrels.merge(own, how="left")["own"].eq(1).to_numpy()
    judge = qrels.assign(relevance=np.minimum(qrels["relevance"] + liked, 3))
    found = runs.ireval.judges.bias(qrels, {"fan": judge, "fair": qrels}).set_index(
        ["judge", "run"]
    )
    assert found.loc[("fan", "bm25"), "favor"] == found.loc["fan", "favor"].max()
    assert found.loc[("fan", "bm25"), "significant"]
    assert not found.loc["fair", "significant"].any()
    assert (found.loc["fair", "p_value"] == 1).all()


@pytest.mark.broad
def test_a_judge_without_common_items_is_refused(sample):
    runs, qrels = sample
    other = qrels.assign(doc_id="other-" + qrels["doc_id"])
    with pytest.raises(
        ValueError,
        match="human assessors and judge 'llm' have no item in common among the first 10 of any run",
    ):
        runs.ireval.judges.bias(qrels, {"llm": other})
    one = qrels[qrels["query_id"] == "101"]
    with pytest.raises(TooFew, match="judge 'llm' has common items for only 1"):
        runs.ireval.judges.bias(qrels, {"llm": one})
    with pytest.raises(
        ValueError, match="gives all items the grade 2, so the labels carry no information"
    ):
        runs.ireval.judges.bias(qrels, {"llm": qrels.assign(relevance=2)})
    with pytest.raises(
        ValueError, match=r"the query ids are .* in the run table and .* in the judgments"
    ):
        runs.ireval.judges.bias(
            qrels, {"llm": qrels.assign(query_id=qrels["query_id"].astype(int))}
        )


def test_a_run_without_enough_queries_has_no_test(sample):
    runs, qrels = sample
    few = runs[(runs["run"] != "bm25") | (runs["query_id"] == "101")]
    found = few.ireval.judges.bias(
        qrels, qrels.assign(relevance=(qrels["relevance"] > 0) * 1)
    ).set_index("run")
    assert found.loc["bm25", "n"] == 1
    assert found.loc["bm25", ["ci_low", "p_value", "p_adjusted"]].isna().all()
    assert not found.loc["bm25", "significant"]


def test_the_plot_draws_favors_with_their_intervals(sample):
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    runs, qrels = sample
    found = runs.ireval.judges.bias(qrels, qrels.assign(relevance=(qrels["relevance"] > 0) * 1))
    ax = found.ireval.plot(ax=Figure().subplots())
    assert ax.get_xlabel().split()[0] == "Favor"
    assert ax.get_yticklabels()[0].get_text() == "bm25"
