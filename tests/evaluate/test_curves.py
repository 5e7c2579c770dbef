import warnings

import pandas as pd
import pytest

import pdeval
from tests import naive


def slides():
    """The lecture's ranking: relevant items at 1, 3, 6, 10 and 14 (papers/004: precision 1, 2/3, 3/6, 4/10, 5/14)."""
    docs = [f"n{rank}" for rank in range(1, 16)]
    for rank in (1, 3, 6, 10, 14):
        docs[rank - 1] = f"r{rank}"
    return {"q": docs}, {"q": {f"r{rank}": 1 for rank in (1, 3, 6, 10, 14)}}


def join(lists, grades, **rules):
    return naive.table(lists).ireval.join(naive.judgments(grades), **rules)


def test_precision_at_every_relevant_item_as_in_the_lecture():
    lists, grades = slides()
    frame = join({"r": lists}, grades).curve(points=None)
    assert list(frame) == ["run", "query_id", "recall", "precision"]
    assert frame["recall"].tolist() == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    assert frame["precision"].tolist() == pytest.approx([1, 2 / 3, 3 / 6, 4 / 10, 5 / 14])


@pytest.mark.parametrize("compat", ["trec_eval-10", "trec_eval-9"])
def test_interpolated_precision_is_the_largest_at_that_recall_or_beyond(compat):
    lists, grades = slides()
    frame = join({"r": lists}, grades, compat=compat).curve(points=6)
    assert frame["recall"].tolist() == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert frame["precision"].tolist() == pytest.approx([1, 1, 2 / 3, 3 / 6, 4 / 10, 5 / 14])


def test_trec_eval_9_rounds_recall_points_up():
    lists, grades = slides()
    frame = join({"r": lists}, grades, compat="trec_eval-9").curve()
    wanted = [1, 1, 1, 2 / 3, 2 / 3, 3 / 6, 3 / 6, 4 / 10, 4 / 10, 5 / 14, 5 / 14]
    assert frame["precision"].tolist() == pytest.approx(wanted)


def test_interpolation_looks_ahead():
    # relevant at 2 and 3: precision 1/2 then 2/3, so that 2/3 holds everywhere
    frame = join({"r": {"q": ["n", "a", "b"]}}, {"q": {"a": 1, "b": 1}}).curve(points=3)
    assert frame["precision"].tolist() == pytest.approx([2 / 3] * 3)


def test_curves_are_averaged_over_queries_or_kept_apart():
    lists = {"r": {"1": ["a"], "2": ["n", "b"]}, "s": {"1": ["n"], "2": ["b"]}}
    grades = {"1": {"a": 1}, "2": {"b": 1}}
    joined = join(lists, grades)
    assert joined.curve(points=2)["precision"].tolist() == pytest.approx([0.75, 0.75, 0.5, 0.5])
    apart = joined.curve(points=2, per="query")
    assert list(apart) == ["run", "query_id", "recall", "precision"]
    assert apart["precision"].tolist() == pytest.approx([1, 1, 0.5, 0.5, 0, 0, 1, 1])


def test_items_that_were_not_found_have_no_point():
    frame = join({"r": {"q": ["a"]}}, {"q": {"a": 1, "b": 1}}).curve(points=None)
    assert frame[["recall", "precision"]].values.tolist() == [[0.5, 1.0]]


def test_a_run_that_found_nothing_has_no_points():
    frame = join({"r": {"q": ["n"]}}, {"q": {"a": 1, "n": 0}}).curve(points=None)
    assert len(frame) == 0
    assert list(frame) == ["run", "query_id", "recall", "precision"]


def test_topics_that_do_not_count_for_a_run_are_left_out():
    joined = pdeval.datasets.sample_runs().ireval.join(
        pdeval.datasets.sample_qrels(), queries="answered"
    )
    frame = joined.curve(per="query")
    assert frame.groupby("run", observed=True)["query_id"].nunique()["ql"] == 48
    scores = joined.measure([f"IPrec@{p / 10:g}" for p in range(11)])
    wanted = scores.groupby(["run", "measure"], observed=True, sort=False)["value"].mean()
    assert joined.curve()["precision"].tolist() == pytest.approx(wanted.tolist(), abs=1e-12)


@pytest.mark.parametrize("points", [0, 1, -3, 2.5, True])
def test_too_few_points_are_refused(points):
    lists, grades = slides()
    text = (
        "expected at least 2 recall points. Pass points=None"
        if points == 1 and points is not True
        else ""
    )
    with pytest.raises(ValueError, match=f"^points={points}: {text}"):
        join({"r": lists}, grades).curve(points=points)


@pytest.mark.parametrize("points", [11, None])
def test_a_curve_of_no_topic_is_an_error(points):
    lists, grades = slides()
    with pytest.raises(ValueError, match="no judged query has an item with a grade of at least 9"):
        join({"r": lists}, grades, level=9).curve(points=points)


@pytest.mark.parametrize("points", [11, None])
def test_missing_queries_are_told(points):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        join({"r": {"1": ["a"]}}, {"1": {"a": 1}, "2": {"a": 1}}).curve(points=points)
    assert [str(one.message)[:22] for one in told] == ["1 of 2 judged queries "]


def test_the_callers_names_are_kept():
    runs = pd.DataFrame({"name": "r", "qid": ["1"], "docno": ["a"], "score": [1.0]})
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})
    assert list(runs.ireval.curve(qrels, points=None)) == ["name", "qid", "recall", "precision"]
