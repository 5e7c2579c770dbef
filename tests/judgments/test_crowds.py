"""Assessors of a crowd: who is right, what they get wrong, one label per item, and tables that say nothing."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.verbs.arguments import TooFew
from tests.judgments.anaesthetists import anaesthetists

QUALITY = {"ann": 0.95, "bob": 0.9, "cy": 0.75, "coin": 0.5, "liar": 0.1}


def crowd(seed=0, queries=30, docs=10):
    """Five assessors of known quality, each of whom labels most of the items; and the truth."""
    rng = np.random.default_rng(seed)
    items = pd.MultiIndex.from_product(
        [range(queries), range(docs)], names=["query_id", "doc_id"]
    ).to_frame(index=False)
    items["truth"] = (rng.random(len(items)) < 0.4) * 1
    parts = []
    for who, quality in QUALITY.items():
        right = rng.random(len(items)) < quality
        part = items.assign(assessor=who, label=np.where(right, items["truth"], 1 - items["truth"]))
        parts.append(part[rng.random(len(items)) < 0.8])
    return pd.concat(parts, ignore_index=True).drop(columns="truth"), items


def test_accuracies_are_found_without_gold_labels():
    labels, _ = crowd(queries=100)
    found = labels.ireval.assessors().set_index("assessor")
    assert found["accuracy"].to_dict() == pytest.approx(QUALITY, abs=0.04)
    assert found["labels"].to_dict() == labels["assessor"].value_counts().to_dict()


def test_the_model_hears_through_a_liar_where_the_majority_does_not():
    labels, items = crowd(queries=100)
    truth = items.set_index(["query_id", "doc_id"])["truth"]
    wrong = {}
    for method in ("majority", "dawid_skene"):
        found = labels.ireval.consensus(method=method, ties="lowest").set_index(
            ["query_id", "doc_id"]
        )["relevance"]
        wrong[method] = (found != truth.reindex(found.index)).mean()
    assert wrong["dawid_skene"] < 0.6 * wrong["majority"]


@pytest.mark.broad
def test_intervals_hold_the_true_accuracy_of_most_assessors():
    labels, _ = crowd(3)
    found = labels.ireval.assessors(draws=60).set_index("assessor")
    inside = [(row.ci_low <= QUALITY[name] <= row.ci_high) for name, row in found.iterrows()]
    assert sum(inside) >= 4
    assert found["ci_low"].lt(found["accuracy"]).all()
    assert found.attrs["resample"] == "query"
    again = labels.sample(frac=1, random_state=1).ireval.assessors(draws=60).set_index("assessor")
    pd.testing.assert_frame_equal(found, again)


def test_errors_are_tables_whose_rows_add_to_one():
    found = anaesthetists().ireval.assessors.errors(repeats=True)
    assert found.attrs["table"] == "confusions"
    first = found[found["assessor"] == 1].pivot(
        index="reference", columns="label", values="fraction"
    )
    assert first.round(2).loc[3].tolist() == [0.0, 0.34, 0.66, 0.0]
    assert found.groupby(["assessor", "reference"])["fraction"].sum().to_numpy() == pytest.approx(
        1.0
    )
    assert found["n"].sum() == pytest.approx(315)
    assert found.attrs["prevalence"]["4"] == pytest.approx(0.0667, abs=1e-4)


def test_posteriors_add_to_one_and_their_first_is_the_consensus():
    labels, _ = crowd(1)
    found = labels.ireval.assessors.posteriors()
    assert found.groupby(["query_id", "doc_id"])["probability"].sum().to_numpy() == pytest.approx(
        1.0
    )
    best = found.loc[found.groupby(["query_id", "doc_id"])["probability"].idxmax()]
    chosen = labels.ireval.consensus(method="dawid_skene")
    assert best["label"].tolist() == chosen["relevance"].tolist()
    assert best["probability"].tolist() == chosen["fraction"].tolist()
    assert chosen.attrs["converged"] is True


def test_a_consensus_is_judgments():
    runs, qrels, _ = pdeval.datasets.load_sample()
    three = pd.concat([qrels.assign(assessor=who) for who in "abc"]).rename(
        columns={"relevance": "label"}
    )
    found = three.ireval.consensus()
    pd.testing.assert_frame_equal(
        runs.ireval.measure(found, "nDCG@10", queries="common"),
        runs.ireval.measure(qrels, "nDCG@10", queries="common"),
    )
    assert (found["fraction"] == 1).all()
    assert (found["labels"] == 3).all()
    assert repr(found.ireval).startswith("consensus of assessors")


def test_a_tie_is_refused_until_a_rule_is_given():
    labels = pd.DataFrame(
        [
            ("1", "x", "a", 0),
            ("1", "x", "b", 2),
            ("1", "x", "c", 1),
            ("1", "y", "a", 1),
            ("1", "y", "b", 1),
        ],
        columns=["query_id", "doc_id", "assessor", "label"],
    )
    with pytest.raises(
        ValueError,
        match=r"1 of 2 items have a tie for the first label, e.g. \('1', 'x'\) between 0 and",
    ):
        labels.ireval.consensus()
    assert labels.ireval.consensus(ties="lowest")["relevance"].tolist() == [0, 1]
    assert labels.ireval.consensus(ties="highest")["relevance"].tolist() == [2, 1]
    with pytest.raises(ValueError, match="ties='first': choose 'lowest' or 'highest'"):
        labels.ireval.consensus(ties="first")


def test_words_have_grades_and_the_lowest_is_that_of_the_grades():
    labels = pd.DataFrame(
        {"query_id": "1", "doc_id": "x", "assessor": ["a", "b"], "label": ["no", "yes"]}
    )
    with pytest.raises(
        ValueError, match=r"labels are not numbers, e.g. 'no'. Specify the grade of each"
    ):
        labels.ireval.consensus(ties="lowest")
    grades = {"no": 2.0, "yes": 1.0}
    assert labels.ireval.consensus(ties="lowest", grades=grades)["relevance"].tolist() == [1.0]


@pytest.mark.parametrize(
    "verb", ["assessors", "assessors.errors", "assessors.posteriors", "consensus"]
)
def test_labels_that_say_nothing_of_assessors_are_refused(verb):
    def asked(frame):
        accessor = frame.ireval
        for name in verb.split("."):
            accessor = getattr(accessor, name)
        return accessor(method="dawid_skene") if verb == "consensus" else accessor()

    frame = pd.DataFrame({"item": [1, 1, 2, 2], "assessor": ["a", "b"] * 2, "label": [1, 0, 1, 1]})
    with pytest.raises(
        ValueError, match="all 4 labels are 1: errors of assessors cannot be estimated"
    ):
        asked(frame.assign(label=1))
    with pytest.raises(
        TooFew,
        match="at least two assessors are required to estimate their accuracy, found 1 assessor, 'a'",
    ):
        asked(frame[frame["assessor"] == "a"])
    with pytest.raises(ValueError, match="none of the 2 items has two labels"):
        asked(frame.assign(label=[1, 0, 1, 0]).iloc[[0, 3]])
    with pytest.raises(ValueError, match="1 repeated labels of one item by one assessor"):
        asked(pd.concat([frame, frame.head(1)]))


@pytest.mark.broad
def test_an_assessor_with_one_label_is_fitted():
    labels, _ = crowd(2)
    found = pd.concat([labels, labels.head(1).assign(assessor="once")]).ireval.assessors(draws=20)
    once = found.set_index("assessor").loc["once"]
    assert once["labels"] == 1
    assert 0 <= once["accuracy"] <= 1


def test_an_unsettled_model_says_so():
    labels, _ = crowd(2)
    with pytest.warns(
        UserWarning,
        match="did not converge in 2 steps, so the estimates may be inaccurate. Use steps=20",
    ):
        found = labels.ireval.assessors(steps=2)
    assert found.attrs["converged"] is False


def test_a_crowd_of_one_query_cannot_be_resampled_by_query():
    labels, _ = crowd(queries=1)
    with pytest.raises(TooFew, match="draws queries with replacement, but there is only one query"):
        labels.ireval.assessors(draws=5)
    assert labels.ireval.assessors(draws=5, resample="item")["ci_low"].notna().all()
