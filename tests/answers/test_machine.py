"""Assignments by a machine next to human ones: scores by both, agreement, bias, and what to label next."""

import re

import numpy as np
import pandas as pd
import pytest

import pdeval

NUGGETS = pdeval.datasets.load_answers().nuggets


def by_machine(table):
    return table.drop(columns="assignment").rename(columns={"machine": "assignment"})


def test_scores_by_both_are_those_of_each_table():
    names = ["NuggetAll", "NuggetVital(strict=true)"]
    scores = NUGGETS.ireval.measure(names)
    machine = by_machine(NUGGETS).ireval.measure(names)
    human = NUGGETS.drop(columns="machine").dropna(subset="assignment").ireval.measure(names)
    assert scores["machine"].tolist() == machine["value"].tolist()
    assert scores["value"].dropna().tolist() == human["value"].tolist()
    labeled = scores["value"].notna()
    assert set(scores.loc[labeled, "query_id"]) == set(human["query_id"])


def test_verbs_of_scores_use_both():
    scores = NUGGETS.ireval.measure(["NuggetAll", "NuggetVital"])
    summary = scores.ireval.summary("NuggetAll")
    assert summary["n"].tolist() == [12] * 8
    assert summary["n_machine"].tolist() == [12] * 8
    assert scores.ireval.order("NuggetAll")["run"].iloc[0] == "rerank+large"
    assert len(scores.ireval.compare("NuggetAll", baseline="bm25+small")) == 7
    assert scores.ireval.label_next(n_queries=3)["chosen"].sum() == 3
    systems = pdeval.datasets.load_answers().systems
    by = scores.ireval.summary("NuggetAll", by="generator", metadata=systems)
    assert by["generator"].tolist() == ["large"] * 4 + ["small"] * 4


def test_agreement_per_label_and_per_system():
    labels = NUGGETS.ireval.judges.labels()
    both = NUGGETS.dropna(subset="assignment")
    confusion = labels.ireval.agreement.confusion("human")
    expected = pd.crosstab(both["assignment"], both["machine"])
    order = ["not_support", "partial_support", "support"]
    assert confusion["n"].tolist() == expected.loc[order, order].to_numpy().ravel().tolist()
    by_run = labels.ireval.agreement("observed", by="run")
    same = (both["assignment"] == both["machine"]).groupby(both["run"], observed=True).mean()
    assert by_run["value"].tolist() == pytest.approx(same.tolist())


def test_labels_do_not_depend_on_the_order_of_rows():
    shuffled = NUGGETS.sample(frac=1, random_state=4)
    pd.testing.assert_frame_equal(shuffled.ireval.judges.labels(), NUGGETS.ireval.judges.labels())


def test_labels_that_are_numbers_stay_numbers():
    table = NUGGETS.assign(machine=np.linspace(0, 1, len(NUGGETS)))
    labels = table.ireval.judges.labels()
    assert pd.api.types.is_float_dtype(labels["label"].dtype)
    assert labels["label"].tolist()[1] == table["machine"].iloc[0]


def test_bias_is_the_mean_difference_and_favor_that_beyond_all_runs():
    scores = NUGGETS.ireval.measure("NuggetAll").dropna()
    wide = (scores["machine"] - scores["value"]).to_numpy().reshape(8, 12).T
    bias = NUGGETS.ireval.judges.bias()
    assert bias["bias"].tolist() == pytest.approx(wide.mean(axis=0).tolist())
    favor = wide - wide.mean(axis=1, keepdims=True)
    assert bias["favor"].tolist() == pytest.approx(favor.mean(axis=0).tolist())
    from scipy import stats

    assert bias["p_value"].tolist() == pytest.approx(stats.ttest_1samp(favor, 0).pvalue.tolist())


def test_answers_with_uncertain_nuggets_are_labeled_next():
    # the machine is right about n1 and n2, which it supports, and half right about partial support
    known = pd.DataFrame(
        {
            "run": "a",
            "query_id": "1",
            "nugget": ["n1", "n2", "n3", "n4"],
            "assignment": ["support", "support", "support", "not_support"],
            "machine": ["support", "support", "partial_support", "partial_support"],
        }
    )
    sure = known.assign(query_id="2", assignment=None, machine="support")
    unsure = known.assign(query_id="3", assignment=None, machine="partial_support")
    plan = pd.concat([known, sure, unsure]).ireval.label_next()
    assert plan["query_id"].tolist() == ["3", "2"]
    assert plan["machine"].tolist() == [0.5, 1.0]
    # variance 3 / 16 of all labels counts as one more label
    spread = 3 / 16
    assert plan["predicted_error"].tolist() == pytest.approx(
        [np.sqrt((0.5 + spread) / 3 / 4), np.sqrt(spread / 3 / 4)]
    )
    assert len(pd.concat([known, sure, unsure]).ireval.label_next(n_answers=1)) == 1
    shuffled = pd.concat([known, sure, unsure]).sample(frac=1, random_state=0)
    pd.testing.assert_frame_equal(shuffled.ireval.label_next(), plan)


@pytest.mark.parametrize("verb", ["judges.labels", "judges.bias", "label_next"])
def test_both_assignments_are_needed(verb):
    def call(table):
        method = table.ireval
        for name in verb.split("."):
            method = getattr(method, name)
        return method()

    message = (
        "the table of nuggets has no assignments by a machine. Add them as the column 'machine'"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        call(NUGGETS.drop(columns="machine"))
    message = "no nugget has an assignment by human assessors and one by the machine."
    with pytest.raises(ValueError, match=re.escape(message)):
        call(NUGGETS.assign(assignment=None))


def test_estimates_need_human_labels_of_several_queries_and_scores_do_not():
    table = NUGGETS.assign(assignment=NUGGETS["assignment"].where(NUGGETS["query_id"] == "q01"))
    scores = table.ireval.measure("NuggetAll")
    assert scores["value"].notna().sum() == 8
    with pytest.raises(ValueError, match="1 of the 24 queries have human labels; at least 2"):
        scores.ireval.summary()
    labeled = NUGGETS[NUGGETS["assignment"].notna()].ireval.measure("NuggetAll")
    assert labeled.notna().all(axis=None)
    message = "Omit machine= or drop the column 'machine', or let the machine label more queries."
    with pytest.raises(ValueError, match=message):
        labeled.ireval.summary()


def test_groups_without_human_labels_have_scores_by_the_machine():
    queries = pdeval.datasets.load_answers().queries
    scores = NUGGETS.ireval.measure("NuggetAll", by="type", metadata=queries)
    every = NUGGETS.ireval.measure("NuggetAll")
    assert sorted(scores["machine"]) == sorted(every["machine"])
    assert scores.loc[scores["type"] == "list", "value"].isna().all()
