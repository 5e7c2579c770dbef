"""Systems on several collections: the cells of each collection alone, put together."""

import pandas as pd
import pytest

import pdeval
from tests.report.test_stacked import cells, check_latex, heads

RUNS = ["bm25", "ql", "hybrid"]


@pytest.fixture(scope="module")
def stacked():
    frames = []
    for frame in pdeval.datasets.load_sample()[:2]:
        frame = frame[frame["run"].isin(RUNS)] if "run" in frame else frame
        frames.append(
            frame.assign(collection=(frame["query_id"].astype(int) % 2).map({0: "even", 1: "odd"}))
        )
    return frames


@pytest.fixture(scope="module")
def scores(stacked):
    return stacked[0].ireval.measure(stacked[1], ["AP", "ISL"], by="collection", queries="common")


def alone(scores, collection, **options):
    part = scores[scores["collection"] == collection].drop(columns="collection")
    part.attrs = {
        name: value for name, value in scores.attrs.items() if name not in ("by", "collections")
    }
    return part.ireval.report(**options)


@pytest.mark.broad
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"baseline": "bm25"},
        {"interval": "ci"},
        {"marks": None, "interval": "sd"},
        {"sort": "name"},
    ],
)
def test_cells_are_those_of_each_collection_alone(scores, options):
    whole = scores.ireval.report(layout="columns", **options)
    even, odd = (alone(scores, name, **options) for name in ("even", "odd"))
    stub = len(even.columns) - 2
    for row, one, other in zip(whole.rows, even.rows, odd.rows, strict=True):
        assert row[: stub + 4] == (*one, *other[stub:])
    check_latex(whole)


def test_the_mean_counts_collections_alike_and_ranks_go_by_direction(scores):
    whole = scores.ireval.report(layout="columns", average="both", marks=None).to_frame()
    means = (
        scores.groupby(["collection", "measure", "run"])["value"]
        .mean()
        .unstack("run")[sorted(RUNS)]
    )
    assert whole["mean AP"].tolist() == pytest.approx(
        means.xs("AP", level="measure").mean().tolist()
    )
    ranks = means.xs("ISL", level="measure").rank(axis=1).mean()
    assert whole["mean rank ISL"].tolist() == ranks.tolist()


@pytest.mark.broad
def test_collections_as_rows_have_systems_in_columns(scores):
    one = scores.ireval.report("AP", layout="rows", average="both")
    assert heads(one) == [("", ""), ("", "a bm25"), ("", "b hybrid"), ("", "c ql")]
    assert [row[0] for row in cells(one)] == ["even", "odd", "Mean", "Mean rank"]
    assert one.rows[0][2] == scores.ireval.report("AP", layout="columns").rows[1][2]
    assert one.notes[0] == "AP."
    two = scores.ireval.report(layout="rows", average=None)
    assert heads(two)[1] == ("AP", "a bm25")
    assert heads(two)[-1] == ("ISL", "c ql")
    check_latex(one)
    check_latex(two)


def test_collections_as_titles_have_systems_in_rows(scores):
    table = scores.ireval.report(layout="groups")
    assert [(group.title, group.size) for group in table.groups] == [
        ("even", 3),
        ("odd", 3),
        ("Mean", 3),
    ]
    assert table.rows[3:6] == alone(scores, "odd").rows
    check_latex(table)


@pytest.mark.broad
def test_runs_preferences_summaries_and_joins_have_the_same_table(stacked, scores):
    runs, qrels = stacked
    options = {"layout": "columns", "average": None, "marks": None}
    expected = cells(scores.ireval.report(**options))
    assert (
        cells(
            runs.ireval.report(qrels, ["AP", "ISL"], by="collection", queries="common", **options)
        )
        == expected
    )
    summary = runs.ireval.summary(qrels, ["AP", "ISL"], by="collection", queries="common")
    assert cells(summary.ireval.report(**options)) == expected
    joined = runs.ireval.join(qrels, queries="common")
    assert cells(joined.report(["AP", "ISL"], by="collection", **options)) == expected
    prefs = runs.ireval.prefer(qrels, "RPP", by="collection", queries="common")
    shown = prefs.ireval.report(**options)
    own = prefs[prefs["collection"] == "odd"].drop(columns="collection")
    own.attrs = {
        name: value for name, value in prefs.attrs.items() if name not in ("by", "collections")
    }
    assert [row[-1] for row in cells(shown)] == [
        row[-1] for row in cells(own.ireval.report(marks=None))
    ]
    with pytest.raises(
        ValueError, match=r"RPP and AP are a measure of one ranking and a preference\. Request one"
    ):
        runs.ireval.report(qrels, ["RPP", "AP"], by="collection")


@pytest.mark.broad
def test_systems_that_differ_have_rows_of_their_own_or_dashes(scores):
    less = scores[~((scores["run"] == "ql") & (scores["collection"] == "odd"))]
    assert [(group.title, group.size) for group in less.ireval.report().groups] == [
        ("even", 3),
        ("odd", 2),
    ]
    with pytest.raises(ValueError, match=r"1 of 3 systems have no values in 'odd', e.g. 'ql'"):
        less.ireval.report(layout="columns")
    table = less.ireval.report("AP", layout="columns", missing="dash")
    assert cells(table)[2][2:] == ["–", "–"]
    assert "the systems of the collections differ" in " ".join(table.notes)
    daggers = less.ireval.report("AP", layout="columns", missing="dash", baseline="bm25")
    assert daggers.rows[1][1].marks == "†"


@pytest.mark.broad
def test_comparisons_are_those_of_each_collection(scores):
    compared = scores.ireval.compare(["AP", "ISL"], by="collection")
    assert scores.ireval.report(comparisons=compared).rows == scores.ireval.report().rows
    with pytest.raises(ValueError, match="the comparisons have no rows of 'odd'"):
        scores.ireval.report(comparisons=compared[compared["collection"] == "even"])
    with pytest.raises(KeyError, match="no column 'collection' to group by"):
        scores.ireval.report(comparisons=compared.drop(columns="collection"))


def test_one_query_of_a_collection_is_shown_and_not_tested(scores):
    queries = scores.loc[scores["collection"] == "odd", "query_id"].unique()
    less = scores[~scores["query_id"].isin(queries[1:])]
    table = less.ireval.report("AP", layout="columns")
    assert {row[3].marks for row in table.rows} == {""}
    assert table.rows[1][2].marks
    assert "1 to 24 queries per collection" in table.notes[-1]


def test_segments_of_one_collection_are_shown_where_they_are_asked_for(scores):
    part = scores.assign(segment=scores["query_id"].astype(int) % 3)
    part.attrs = {
        name: value for name, value in scores.attrs.items() if name not in ("by", "collections")
    }
    table = part.ireval.report("AP", by="segment", average=None)
    assert heads(table)[2:] == [("", "0"), ("", "1"), ("", "2")]
    assert "tested within each of the groups" in " ".join(table.notes)
    with pytest.raises(
        ValueError, match=r"\d+ rows have a missing value in column 'segment'\. Fill or drop"
    ):
        part.assign(segment=part["segment"].where(part["segment"] > 0)).ireval.report(by="segment")
    with pytest.raises(
        ValueError,
        match=r"group= requires one collection\. Use layout= to arrange the systems of several collections",
    ):
        part.ireval.report(by="segment", group="run")


def test_display_names_are_those_of_collections_too(scores):
    table = scores.ireval.report(
        "AP", layout="columns", names={"even": "TREC-8", "bm25": "BM25"}, average=None
    )
    assert heads(table)[2] == ("", "TREC-8")
    assert cells(table)[0][1] == "BM25"
    with pytest.raises(KeyError, match="names has 'trec'"):
        scores.ireval.report(names={"trec": "TREC"})


def test_categories_are_shown_in_their_order_and_those_without_rows_are_not(scores):
    some = scores.assign(collection=pd.Categorical(scores["collection"], ["odd", "even", "none"]))
    some.attrs = dict(scores.attrs)
    assert heads(some.ireval.report("AP", layout="columns", average=None))[2:] == [
        ("", "odd"),
        ("", "even"),
    ]
