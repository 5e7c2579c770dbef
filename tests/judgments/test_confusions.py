"""Confusion by grade against a reference."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval
from pdeval.verbs.arguments import TooFew


@pytest.fixture(scope="module")
def labels():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"query_id": np.repeat(np.arange(10), 12), "doc_id": np.tile(np.arange(12), 10)}
    )
    frame["nist"] = rng.integers(0, 3, 120)
    frame["llm"] = np.clip(frame["nist"] + rng.integers(-1, 2, 120), 0, 2)
    frame["worker"] = rng.integers(0, 3, 120)
    return frame.melt(["query_id", "doc_id"], var_name="assessor", value_name="label")


def test_counts_and_shares_are_those_of_a_cross_table(labels):
    found = labels.ireval.agreement.confusion("nist")
    assert found["assessor"].unique().tolist() == ["llm", "worker"]
    wide = labels.pivot(index=["query_id", "doc_id"], columns="assessor", values="label")
    for who, rows in found.groupby("assessor"):
        oracle = pd.crosstab(wide["nist"], wide[who])
        np.testing.assert_array_equal(rows["n"].to_numpy().reshape(3, 3), oracle.to_numpy())
        shares = pd.crosstab(wide["nist"], wide[who], normalize="index").to_numpy()
        np.testing.assert_allclose(rows["fraction"].to_numpy().reshape(3, 3), shares)


def test_several_references_each_count(labels):
    found = labels.ireval.agreement.confusion(["nist", "worker"])
    one, two = (
        labels[labels["assessor"].isin([who, "llm"])].ireval.agreement.confusion(who)
        for who in ("nist", "worker")
    )
    assert found["n"].tolist() == (one["n"] + two["n"]).tolist()


def test_judgments_are_a_reference(labels):
    qrels = (
        labels[labels["assessor"] == "nist"]
        .drop(columns="assessor")
        .rename(columns={"label": "relevance"})
    )
    others = labels[labels["assessor"] != "nist"]
    found = others.ireval.agreement.confusion(qrels)
    pd.testing.assert_frame_equal(found, labels.ireval.agreement.confusion("nist"))
    assert found.attrs["reference"] == "reference"
    with pytest.raises(
        ValueError, match=r"'query_id' is .* in the labels and int64 in the judgments"
    ):
        others.assign(query_id=others["query_id"].astype(str)).ireval.agreement.confusion(qrels)
    with pytest.raises(
        ValueError, match="an assessor has the id 'reference', which is reserved for the judgments"
    ):
        others.replace({"assessor": {"llm": "reference"}}).ireval.agreement.confusion(qrels)
    with pytest.raises(ValueError, match="the label table has no query column among doc_id"):
        others.drop(columns="query_id").ireval.agreement.confusion(qrels)


@pytest.mark.broad
def test_intervals_are_of_shares_over_queries(labels):
    found = labels.ireval.agreement.confusion("nist", draws=200)
    assert (found["ci_low"] <= found["fraction"]).all()
    assert (found["fraction"] <= found["ci_high"]).all()
    assert found.attrs["resample"] == "query"
    naive = []
    wide = labels[labels["assessor"] != "worker"].pivot(
        index=["query_id", "doc_id"], columns="assessor", values="label"
    )
    for often in np.random.default_rng(0).multinomial(10, np.full(10, 0.1), size=200):
        rows = wide.loc[np.repeat(np.arange(10), often)]
        naive.append(((rows["nist"] == 0) & (rows["llm"] == 1)).sum() / (rows["nist"] == 0).sum())
    tail = stats.norm.cdf(
        np.sqrt(10 / 9) * stats.t.ppf(0.025, 9)
    )  # as wide as Student's interval of ten queries
    ends = np.quantile(naive, [tail, 1 - tail])
    assert found.loc[1, ["ci_low", "ci_high"]].tolist() == pytest.approx(ends.tolist())


def test_a_judge_that_labeled_nothing_in_common_is_refused(labels):
    apart = labels[(labels["assessor"] != "llm") | (labels["query_id"] > 4)]
    apart = apart[(apart["assessor"] == "llm") | (apart["query_id"] <= 4)]
    two = apart[apart["assessor"] != "worker"]
    with pytest.raises(
        ValueError,
        match="none of the 120 items has a label of 'nist' and one of another assessor",
    ):
        two.ireval.agreement.confusion("nist")
    found = apart.ireval.agreement.confusion(
        "nist"
    )  # the worker has some: the judge's shares are missing
    assert found.loc[found["assessor"] == "llm", "n"].sum() == 0
    assert found.loc[found["assessor"] == "llm", "fraction"].isna().all()


def test_a_reference_is_an_assessor_and_leaves_others(labels):
    with pytest.raises(
        KeyError, match=r"no assessor 'nobody' among the labels; there are 'nist', 'llm', 'worker'"
    ):
        labels.ireval.agreement.confusion("nobody")
    with pytest.raises(
        ValueError,
        match=r"contains every assessor of the table\. Remove at least one from it",
    ):
        labels.ireval.agreement.confusion(["nist", "llm", "worker"])
    with pytest.raises(TooFew, match="there is only one query"):
        labels[labels["query_id"] == 0].ireval.agreement.confusion("nist", draws=5)
    numbers = labels.assign(label=np.arange(len(labels)) / 7)
    with pytest.raises(
        ValueError, match=r"there are 360 different labels, e.g. .* a confusion has at most 50"
    ):
        numbers.ireval.agreement.confusion("nist")
    with pytest.raises(ValueError, match=r"labels that are missing from order=, e.g. \[2\]"):
        labels.ireval.agreement.confusion("nist", order=[0, 1])


def test_words_stand_in_the_order_that_is_given(labels):
    words = labels.assign(label=labels["label"].map({0: "no", 1: "maybe", 2: "yes"}))
    found = words.ireval.agreement.confusion("nist", order=["no", "maybe", "yes"])
    numbers = labels.ireval.agreement.confusion("nist")
    assert found["reference"].tolist()[:9:3] == ["no", "maybe", "yes"]
    assert found["n"].tolist() == numbers["n"].tolist()


def test_the_sample_can_be_its_own_reference():
    qrels = pdeval.datasets.sample_qrels()
    labels = qrels.assign(assessor="again", label=qrels["relevance"]).drop(columns="relevance")
    found = labels.ireval.agreement.confusion(qrels)
    assert found.loc[found["reference"] != found["label"], "n"].sum() == 0
