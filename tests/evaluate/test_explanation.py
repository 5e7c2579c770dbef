import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import ENTRIES, parse
from pdeval.evaluate.contributions import explain
from pdeval.evaluate.scores import Views
from pdeval.join.blocks import View
from pdeval.join.judged import Judged
from tests import naive
from tests.plain_measures import METRICS

inf = math.inf
# q1: x finds the relevant items at 1, 3, never; y at 2, 3, 4. The pool of q1 has 8 items: a, b, c, five others
LISTS = {
    "x": {"q1": ["a", "n1", "b", "n2"], "q2": ["e"]},
    "y": {"q1": ["n3", "c", "b", "a", "n4", "n5"], "q2": ["f", "e"]},
}
GRADES = {"q1": {"a": 1, "b": 2, "c": 1}, "q2": {"e": 1}, "q3": {"z": 0}}


@pytest.fixture(scope="module")
def joined():
    return naive.table(LISTS).ireval.join(naive.judgments(GRADES))


def test_an_account_of_one_query_by_hand(joined):
    frame = explain(joined, "q1", ["AP", "RR", "P@2"])
    assert list(frame) == ["run", "query_id", "doc_id", "relevance", "rank", "AP", "RR", "P@2"]
    assert frame.dtypes[["relevance", "rank"]].tolist() == ["Int64", "Int64"]
    rows = frame.astype(object).where(frame.notna(), None).values.tolist()
    assert rows == [
        ["x", "q1", "a", 1, 1, pytest.approx(1 / 3), 1.0, 0.5],
        ["x", "q1", "n1", None, 2, 0.0, 0.0, 0.0],
        ["x", "q1", "b", 2, 3, pytest.approx(2 / 9), 0.0, 0.0],
        ["x", "q1", "c", 1, None, 0.0, 0.0, 0.0],
        ["y", "q1", "n3", None, 1, 0.0, 0.0, 0.0],
        ["y", "q1", "c", 1, 2, pytest.approx(1 / 6), 0.5, 0.5],
        ["y", "q1", "b", 2, 3, pytest.approx(2 / 9), 0.0, 0.0],
        ["y", "q1", "a", 1, 4, pytest.approx(1 / 4), 0.0, 0.0],
    ]


def test_unjudged_items_are_shown_down_to_the_largest_cutoff(joined):
    def shown(*measures, **options):
        frame = explain(joined, "q1", list(measures), **options)
        return frame.loc[frame["relevance"].isna(), "doc_id"].tolist()

    assert shown("P@2") == ["n1", "n3"]
    assert shown("P@1", "P@5") == ["n1", "n2", "n3", "n4"]
    assert shown("AP") == ["n1", "n2", "n3", "n4", "n5"]  # down to rank 10
    assert shown("AP", top=2) == ["n1", "n3"]
    assert shown("AP", runs="y") == ["n3", "n4", "n5"]


def test_values_under_assumptions_about_unjudged_items_by_hand(joined):
    frame = explain(joined, "q1", ["P@2", "RR", "AP@2"], per="run")
    assert list(frame)[:5] == ["run", "query_id", "measure", "judged", "unjudged"]
    rows = frame.drop(columns=["query_id"]).values.tolist()
    # relevant: n1 and n3 too, of 5 relevant items. Left out: x is a, b, and y is c, b, a
    assert rows == [
        ["x", "P@2", 1, 1, 0.5, 1.0, 1.0],
        ["x", "RR", 1, 1, 1.0, 1.0, 1.0],
        ["x", "AP@2", 1, 1, pytest.approx(1 / 3), pytest.approx(2 / 5), pytest.approx(2 / 3)],
        ["y", "P@2", 1, 1, 0.5, 1.0, 1.0],
        ["y", "RR", 1, 1, 0.5, 1.0, 1.0],
        ["y", "AP@2", 1, 1, pytest.approx(1 / 6), pytest.approx(2 / 5), pytest.approx(2 / 3)],
    ]


def test_left_out_is_the_value_of_a_join_with_judged_items_only(sample):
    measures = ["AP", "nDCG@10", "RBP", "bpref"]
    frame = sample.explain("103", measures, per="run").set_index(["run", "measure"])
    for name, rules in (("value", {}), ("if_left_out", {"judged_only": True})):
        judged = sample.tables[0].frame.ireval.join(
            sample.tables[1].frame, queries="judged", **rules
        )
        values = judged.measure(measures).query("query_id == '103'").set_index(["run", "measure"])
        assert frame[name].to_dict() == values["value"].to_dict()


def test_relevant_is_the_value_of_judgments_with_these_items(sample):
    runs, qrels = (table.frame for table in sample.tables)
    qrels = qrels[["query_id", "doc_id", "relevance"]].drop_duplicates(["query_id", "doc_id"])
    judged = runs.ireval.join(qrels, queries="judged")
    rows = judged.explain("103", "nDCG@10")
    docs = rows.loc[rows["relevance"].isna(), "doc_id"].unique()
    assert len(docs) > 2
    more = pd.DataFrame({"query_id": "103", "doc_id": docs, "relevance": qrels["relevance"].max()})
    measures = ["nDCG@10", "AP", "P@5", "RBP"]
    values = runs.ireval.measure(pd.concat([qrels, more]), measures, queries="judged")
    values = values.query("query_id == '103'").set_index(["run", "measure"])["value"]
    frame = judged.explain("103", measures, per="run").set_index(["run", "measure"])
    assert frame["if_relevant"].to_dict() == values.to_dict()


@pytest.mark.parametrize(
    ("lists", "measure", "sentence"),
    [
        (
            {"x": {"q1": ["n1", "n2", "b"]}, "y": {"q1": ["a", "n3"]}},
            "P@2",
            "x loses 0.500 P@2 to y: none of its top 2 documents is judged; with judged documents only it ties.",
        ),
        (
            {"x": {"q1": ["a", "b"]}, "y": {"q1": ["a", "n3", "n4", "n5"]}},
            "P@2",
            "y loses 0.500 P@2 to x: 1 of its top 2 documents is judged; with judged documents only it loses by 0.500.",
        ),
        (
            {"x": {"q1": ["a", "b"]}, "y": {"q1": ["b", "a"]}},
            "P@2",
            "the runs have the same P@2, 1.000.",
        ),
        (
            {"x": {"q1": ["b", "a"]}, "y": {"q1": ["a"]}},
            "P@2",
            "y loses 0.500 P@2 to x: all of its top 1 documents are judged.",
        ),
        (
            {"x": {"q1": ["n1", "a", "b"]}},
            "P@2",
            "x has P@2 0.500: 1 of its top 2 documents is judged; with judged documents only it has 1.000.",
        ),
        (
            {"x": {"q1": ["a"]}, "y": {"q1": ["n1", "n2", "b"]}},
            "ISL",  # the rank of the first relevant item: less is better
            "y loses 2.000 ISL to x: 1 of its top 3 documents is judged; with judged documents only it ties.",
        ),
        (
            {"x": {"q1": ["a"]}, "y": {"q2": ["e"]}},
            "P@2",
            "y loses 0.500 P@2 to x: it returns no document.",
        ),
    ],
)
def test_the_conclusion_is_one_sentence(lists, measure, sentence):
    judged = naive.table(lists).ireval.join(naive.judgments(GRADES), queries="judged")
    frame = judged.explain("q1", measure)
    assert frame.attrs["conclusion"] == sentence
    assert sentence in repr(frame.ireval)


def test_items_of_negative_grade_are_unjudged_and_shown_once():
    grades = {"q": {"a": 1, "s": -2}}
    judged = naive.table({"x": {"q": ["s", "n", "a"]}}).ireval.join(naive.judgments(grades))
    frame = judged.explain("q", "P@3")
    assert frame["doc_id"].tolist() == ["s", "n", "a"]
    assert frame.attrs["conclusion"].startswith(
        "x has P@3 0.333: 1 of its top 3 documents is judged"
    )


@pytest.mark.parametrize("rules", [{"ties": "expected"}, {"judged_only": True}])
def test_without_definite_ranks_or_unjudged_items_only_judged_items_are_shown(rules):
    judged = naive.table(LISTS).ireval.join(naive.judgments(GRADES), **rules)
    assert judged.explain("q1", "P@2")["relevance"].notna().all()


@pytest.mark.filterwarnings("error")
def test_runs_of_several_columns_and_the_depth_of_the_join():
    runs = naive.table(LISTS).assign(seed=1.5).rename(columns={"run": "model"})
    bound = runs.ireval(run=["model", "seed"])
    frame = bound.explain(naive.judgments(GRADES), "q1", "AP", depth=1, queries="judged")
    assert frame.loc[frame["relevance"].isna(), ["model", "doc_id"]].values.tolist() == [
        ["y", "n3"]
    ]


def test_a_query_may_be_an_integer_or_a_string():
    runs = naive.table({"x": {"47": ["a", "n"]}})
    qrels = naive.judgments({"47": {"a": 1}})
    for numbers in (False, True):
        if numbers:
            runs, qrels = (frame.astype({"query_id": int}) for frame in (runs, qrels))
        for query in (47, "47"):
            assert runs.ireval.explain(qrels, query, "AP")["doc_id"].tolist() == ["a", "n"]


def test_a_preference_has_no_value_per_run(joined):
    with pytest.raises(
        ValueError, match="RPP is a preference between two runs, so it has no value"
    ):
        explain(joined, "q1", "RPP", per="run")


@pytest.mark.parametrize(
    ("folder", "query", "pair", "sentence"),
    [
        (
            "dl-hard-doc",
            705609,
            ["bm25+rm3", "bm25+electra-mp"],
            "bm25+rm3 loses 0.620 nDCG@10 to bm25+electra-mp: none of its top 10 documents is judged; "
            "with judged documents only it wins by 0.010.",
        ),
        (
            "trec-covid-r3",
            36,
            ["ucd_cs_r2", "udel_fang_FB2"],
            "ucd_cs_r2 loses 0.968 nDCG@10 to udel_fang_FB2: none of its top 10 documents is judged; "
            "with judged documents only it wins by 0.032.",
        ),
    ],
)
def test_losses_by_unjudged_documents_of_real_runs_are_named(
    shared_data, folder, query, pair, sentence
):
    files = [shared_data / folder / "runs" / f"{name}.run.gz" for name in pair]
    runs = pd.concat([pdeval.read_runs(path) for path in files], ignore_index=True)
    qrels = pdeval.read_qrels(shared_data / folder / "qrels.txt")
    frame = runs.ireval.explain(qrels, query, "nDCG@10", queries="judged")
    assert frame.attrs["conclusion"] == sentence
    lists = runs.ireval.labeled(qrels, query=query, runs=pair, top=10, layout="side_by_side")
    assert lists["grade_a"].isna().all()


SAMPLED = METRICS
CUT = [
    f"{name}@5" for name in SAMPLED if ENTRIES[name].at == "k" and "k" in ENTRIES[name].parameters
]

ENDLESS = {"ISL", "ESL", "TSL"}  # infinite when nothing is found, so that no sum reaches them


@pytest.fixture(scope="module")
def sample():
    return pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels(subtopics=True))


def of_nothing(positions, measure):
    """Return the value of every run on every query, were none of the items found that the measure looks at."""
    kind = "judged" if measure == "NumNonrelRet" else parse(measure).entry.kind
    seen = np.isin(positions.item, View(positions, kind).items)
    rest = {
        name: getattr(positions, name)[~seen] for name in ("item", "run", "rank", "start", "size")
    }
    return Views(Judged(replace(positions, **rest))).values(parse(measure))


@pytest.mark.parametrize("measure", [name for name in [*SAMPLED, *CUT] if name not in ENDLESS])
def test_contributions_add_up_to_the_measure_less_its_value_when_nothing_is_found(sample, measure):
    values = Views(sample).values(parse(measure))
    nothing = of_nothing(sample.positions, measure)
    for query in ("101", "118", "150"):
        at = sample.positions.queries.get_loc(query)
        frame = sample.explain(query, measure)
        sums = frame.groupby("run", observed=True)[parse(measure).label].sum().to_numpy()
        np.testing.assert_allclose(sums, values[at] - nothing[at], rtol=0, atol=1e-12)


@pytest.mark.parametrize("level", [None, 2])
def test_items_judged_not_relevant_add_themselves_to_their_number(
    sample, level
):  # issue 12, item 29
    judged = sample.at(level=level, queries="answered")
    frame = judged.explain("101", "NumNonrelRet", runs="bm25")
    value = (
        judged.measure("NumNonrelRet").query("run == 'bm25' and query_id == '101'")["value"].item()
    )
    assert frame["NumNonrelRet"].sum() == value > 0
    added = frame[frame["NumNonrelRet"] > 0]
    assert added["relevance"].between(0, (level or 1) - 1).all()
    assert np.isfinite(added["rank"]).all()


@pytest.mark.filterwarnings("error")
def test_the_item_that_ends_an_endless_search_stands_out(joined):
    frame = explain(joined, "q1", ["ISL", "TSL"]).dropna(subset="relevance")
    assert frame["ISL"].tolist() == [-inf, 0, 0, -inf, 0, 0]
    assert frame["TSL"].tolist() == [0, 0, 0, 0, 0, -inf]


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "P@10", "RR", "RBP"])
def test_contributions_to_expected_values_add_up_too(measure):
    joined = pdeval.datasets.sample_runs().ireval.join(
        pdeval.datasets.sample_qrels(), ties="expected"
    )
    values = Views(joined).values(parse(measure))
    at = joined.positions.queries.get_loc("101")
    sums = joined.explain("101", measure).groupby("run", observed=True)[measure].sum().to_numpy()
    np.testing.assert_allclose(sums, values[at], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("runs", "wanted"),
    [("bm25", ["bm25"]), (["ql", "bm25"], ["bm25", "ql"]), (None, 12), (("ql",), ["ql"])],
)
def test_runs_may_be_chosen(sample, runs, wanted):
    held = sample.explain("101", "AP", runs=runs)["run"].unique().tolist()
    assert held == wanted or len(held) == wanted


def test_the_level_changes_what_counts_as_relevant(sample):
    whole = sample.explain("101", "AP", runs="bm25")
    strict = sample.at(level=3).explain("101", "AP", runs="bm25")
    assert (strict.loc[strict["relevance"] < 3, "AP"] == 0).all()
    assert len(whole) == len(strict)


def test_the_callers_names_are_kept():
    runs = naive.table(LISTS).rename(columns={"query_id": "qid", "doc_id": "docno"})
    qrels = naive.judgments(GRADES).rename(
        columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    )
    frame = runs.ireval.explain(qrels, "q1", "AP")
    assert list(frame) == ["run", "qid", "docno", "label", "rank", "AP"]


@pytest.mark.parametrize(
    ("query", "measures", "kind", "text"),
    [
        ("q9", "AP", KeyError, "no judged query 'q9'; the judged queries are 'q1', 'q2', 'q3'"),
        (1, "AP", KeyError, "no judged query 1"),
    ],
)
def test_an_account_of_nothing_is_refused(joined, query, measures, kind, text):
    with pytest.raises(kind, match=text):
        explain(joined, query, measures)


def test_an_account_for_an_unknown_run_is_refused(joined):
    with pytest.raises(KeyError, match="no run 'z'"):
        explain(joined, "q1", "AP", runs="z")


def test_items_stand_in_rank_order_and_those_not_found_by_grade():
    lists = {"y": {"q": ["c", "n", "a"]}, "x": {"q": ["f"]}}
    grades = {"q": {"a": 1, "b": 2, "c": 0, "d": 3, "e": 2, "f": 1, "g": 0}}
    frame = explain(naive.table(lists).ireval.join(naive.judgments(grades)), "q", "AP")
    rows = frame.groupby("run", observed=True)["doc_id"].agg("".join).to_dict()
    # what is found by rank, whatever its grade; then the best grades first, equal ones by id
    assert rows == {"x": "fdbeacg", "y": "cnadbefg"}
    assert frame["run"].tolist() == ["x"] * 7 + ["y"] * 8
    assert frame.index.tolist() == list(range(15))


def test_several_queries_are_explained_one_after_the_other(joined):
    frame = explain(joined, ["q2", "q1"], "P@2")
    assert frame["query_id"].drop_duplicates().tolist() == ["q2", "q1"]
    for name in ("q1", "q2"):
        single = explain(joined, name, "P@2")
        part = frame[frame["query_id"] == name].reset_index(drop=True)
        pd.testing.assert_frame_equal(part, single, check_like=False)
    first, second = frame.attrs["conclusion"].split("\n")
    assert first == f"query q2: {explain(joined, 'q2', 'P@2').attrs['conclusion']}"
    assert second.startswith("query q1: the runs have the same P@2")


def test_without_a_query_the_largest_losses_are_explained():
    sample = pdeval.datasets.sample_judged(queries="common")
    frame = sample.explain(measures="nDCG@10", runs=["rerank-s1", "bm25"], per="run")
    wide = sample.measure("nDCG@10").pivot(index="query_id", columns="run", values="value")
    sizes = (wide["rerank-s1"] - wide["bm25"]).abs()
    expected = sizes.sort_values(ascending=False, kind="stable").index[:5]
    assert frame["query_id"].drop_duplicates().tolist() == expected.tolist()
    assert len(frame.attrs["conclusion"].split("\n")) == 5
    single = sample.explain(measures="nDCG@10", runs=["rerank-s1", "bm25"])
    assert single["query_id"].unique().tolist() == [expected[0]]


def test_an_empty_list_of_queries_is_refused(joined):
    with pytest.raises(ValueError, match=r"query=\[\] is empty. Pass a query id"):
        explain(joined, [], "AP")


def test_texts_are_shown_beside_items_pairs_and_values(joined):
    texts = ({"q1": "a query"}, {"a": "<script>", "n1": "unjudged"})
    items = explain(joined, "q1", "P@2", texts=texts)
    assert items.set_index("doc_id")["text"].to_dict()["n1"] == "unjudged"
    assert items["query_text"].unique().tolist() == ["a query"]
    pair = explain(joined, "q1", "RPP", runs=["x", "y"], texts=texts)
    assert pair["text_a"].iloc[0] == "<script>"
    values = explain(joined, "q1", "P@2", per="run", texts=texts)
    assert list(values)[-1] == "query_text"
