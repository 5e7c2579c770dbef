from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from pdeval.join import id_mismatch, positions
from pdeval.tables import reader
from tests import naive
from tests.examples import examples

DOCS = [f"d{i}" for i in range(9)]


@st.composite
def collections(draw):
    """Return ({run: {query: documents}}, {query: {document: grade}}); the first query is answered and judged."""
    queries = ["q1", "q2", "q3"]
    lists = {
        run: {
            q: draw(st.lists(st.sampled_from(DOCS), min_size=1, unique=True))
            for q in draw(st.sets(st.sampled_from(queries)))
        }
        for run in "ab"
    }
    lists["a"]["q1"] = draw(st.permutations(DOCS))[:5]
    grades = {
        q: draw(st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1, 0, 1, 2]), min_size=1))
        for q in draw(st.sets(st.sampled_from(["q2", "q3", "q4"])))
    }
    return lists, {"q1": {"d0": 1}, **grades}


def join(lists, grades, **rules):
    return positions.join(
        reader.read(naive.table(lists), "runs"),
        reader.read(naive.judgments(grades), "qrels"),
        **rules,
    )


def by_name(found):
    """Return {(run, query, document): rank} of the judged items that were found."""
    docs = found.judged.docs.index()[found.judged.doc[found.item]]
    queries = found.queries[found.judged.topic[found.item]]
    return dict(
        zip(zip(found.runs["run"].to_numpy()[found.run], queries, docs), found.rank.tolist())
    )


def wanted(lists, grades, depth=99, least=-9):
    return {
        (run, query, doc): float(rank)
        for run, queries in lists.items()
        for query, docs in queries.items()
        for rank, doc in enumerate(docs, 1)
        if grades.get(query, {}).get(doc, -99) >= least and rank <= depth
    }


@given(collections(), st.sampled_from([None, 1, 3]))
@examples(50)
def test_every_judged_item_is_found_at_its_rank(collection, depth):
    lists, grades = collection
    found = join(lists, grades, depth=depth)
    assert by_name(found) == wanted(lists, grades, depth or 99)
    assert (np.diff(found.item) >= 0).all()
    for t, query in enumerate(found.queries):
        for r, run in enumerate(found.runs["run"]):
            assert found.retrieved[t, r] == min(len(lists[run].get(query, [])), depth or 99)
    assert found.extra == sum(
        query not in grades for queries in lists.values() for query in queries
    )


@given(collections())
@examples(30)
def test_a_join_of_relevant_items_alone_finds_the_same_of_them(collection):
    lists, grades = collection
    found = join(lists, grades, complete=False)
    assert by_name(found) == wanted(lists, grades, least=1)
    assert found.relevant().sum() == join(lists, grades).relevant().sum()


def test_grades_below_the_level_and_negative_ones_are_not_relevant():
    found = join({"r": {"q": ["a"]}}, {"q": {"a": -1, "b": 0, "c": 1, "d": 2.5}})
    assert found.relevant().tolist() == [False, False, True, True]
    assert found.relevant(2).tolist() == found.relevant(2.5).tolist() == [False, False, False, True]
    assert found.top_grade == 2.5
    assert join({"r": {"q": ["a"]}}, {"q": {"a": -1}}).top_grade == 0.0
    assert join({"r": {"q": ["a"]}}, {"q": {"a": -1}}, complete=False).top_grade == 0.0
    assert found.relevant(-5).tolist() == [False, False, True, True]


def test_a_query_without_judgments_is_extra_and_an_unanswered_one_has_nothing_retrieved():
    found = join({"r": {"q": ["a"], "z": ["a", "b"]}}, {"q": {"a": 1}, "p": {"a": 1}})
    assert found.queries.tolist() == ["p", "q"]
    assert found.extra == 1
    assert found.retrieved.tolist() == [[0], [1]]
    assert found.answered.tolist() == [[False], [True]]


def test_the_query_keeps_the_name_of_the_run_table():
    runs = naive.table({"r": {"q": ["a"]}}).rename(columns={"query_id": "qid", "doc_id": "docno"})
    found = positions.join(
        reader.read(runs, "runs"), reader.read(naive.judgments({"q": {"a": 1}}), "qrels")
    )
    assert (found.queries.name, found.doc_name) == ("qid", "docno")


def test_the_same_document_may_be_judged_in_one_query_only():
    found = join({"r": {"q": ["a", "b"], "p": ["b", "a"]}}, {"q": {"b": 1}, "p": {"a": 1}})
    assert by_name(found) == {("r", "q", "b"): 2.0, ("r", "p", "a"): 2.0}


def test_every_fault_of_both_tables_is_named_at_once():
    runs = naive.table({"r": {"q": ["a", "b"]}}).assign(score=[np.nan, 1.0], query_id=[None, "q"])
    qrels = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "a"], "relevance": [1, 2]})
    with pytest.raises(
        ValueError,
        match=r"different grades(.|\n)*query column has 1 missing(.|\n)*score column has 1",
    ):
        positions.join(reader.read(runs, "runs"), reader.read(qrels, "qrels"))


def test_mismatches_of_both_ids_and_duplicates_are_named_at_once():
    runs = pd.DataFrame({"query_id": [1, 1], "doc_id": [7, 7], "score": [1.0, 2.0]})
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["7"], "relevance": [1]})
    text = r"query ids are integers in the run table and strings(.|\n)*doc ids are integers(.|\n)*1 duplicate"
    with pytest.raises(ValueError, match=text):
        positions.join(reader.read(runs, "runs"), reader.read(qrels, "qrels"))


def test_the_column_that_tells_duplicates_apart_is_named_and_is_no_number_with_a_fraction():
    runs = pd.DataFrame({"run": "a", "query_id": "q", "doc_id": ["d", "d"], "score": [3.0, 2.0]})
    qrels = reader.read(naive.judgments({"q": {"d": 1}}), "qrels")
    named, unnamed = "The column 'fold' distinguishes them", "keep the best ones"
    for column, text in [({"fold": [1, 2]}, named), ({"fold": [1, 1]}, unnamed)]:
        with pytest.raises(ValueError, match=text):
            positions.join(reader.read(runs.assign(seconds=[0.1, 0.2], **column), "runs"), qrels)
    with pytest.raises(ValueError, match=unnamed):
        positions.join(reader.read(runs.assign(seconds=[0.1, 0.2]), "runs"), qrels)


def test_duplicates_are_not_looked_for_without_validation():
    runs = pd.DataFrame({"query_id": "q", "doc_id": ["a", "a", "b"], "score": [3.0, 2.0, 1.0]})
    qrels = reader.read(naive.judgments({"q": {"b": 1}}), "qrels")
    assert positions.join(reader.read(runs, "runs"), qrels, validate=False).rank.tolist() == [3.0]


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
@pytest.mark.parametrize("ids", [str, "category"])
def test_the_best_place_of_an_item_listed_twice_counts_whatever_the_order_of_rows(order, ids):
    # c, b, a, b by score: b stands at 2 and at 4
    runs = pd.DataFrame(
        {"run": "x", "query_id": "q", "doc_id": ["c", "b", "a", "b"], "score": [4.0, 3.0, 2.0, 1.0]}
    )
    runs = runs.iloc[order].reset_index(drop=True).astype({"doc_id": ids})
    qrels = naive.judgments({"q": {"b": 1, "a": 1}})
    found = runs.ireval.measure(qrels, ["RR", "AP"], validate=False).set_index("measure")["value"]
    assert found.to_dict() == {"RR": 1 / 2, "AP": (1 / 2 + 2 / 3) / 2}


@pytest.mark.parametrize("complete", [True, False])
def test_the_join_is_the_same_by_bisection(monkeypatch, complete):
    rng = np.random.default_rng(5)
    docs = [f"d{number}" for number in range(40)]
    lists = {
        run: {query: list(rng.permutation(docs)[:3]) for query in ("q1", "q2", "q3")}
        for run in "ab"
    }
    grades = {
        query: dict(zip(docs, rng.integers(-1, 3, 40).tolist())) for query in ("q0", "q2", "q3")
    }
    monkeypatch.setattr(positions, "_TABLE", 0)
    found = join(lists, grades, complete=complete)
    assert by_name(found) == wanted(lists, grades, least=-9 if complete else 1)


def test_ranks_that_give_no_order_are_refused_and_named():
    runs = naive.table({"a": {"q1": ["x", "y"], "q2": ["x", "y", "z"]}, "b": {"q1": ["x"]}}).drop(
        columns="score"
    )
    qrels = reader.read(naive.judgments({"q1": {"x": 1}}), "qrels")
    assert positions.join(reader.read(runs, "runs"), qrels).rank.tolist() == [
        1.0,
        1.0,
    ]  # across lists it is no fault
    runs.loc[runs["query_id"] == "q2", "rank"] = [1, 2, 2]
    with pytest.raises(
        ValueError,
        match=r"1 rows have the same rank as another row of their list.*run 'a', query 'q2'",
    ):
        positions.join(reader.read(runs, "runs"), qrels)


def test_runs_none_of_whose_items_is_judged_for_any_query_share_nothing():
    lists = {
        "elsewhere": {"q1": ["z"]},  # judged for another query
        "lone": {"q1": ["o"]},
        "one hit": {"q1": ["a", "n"]},
        "strange": {"q1": ["n", "o"], "q2": ["p"]},
        "stray": {"q9": ["n"]},  # answers no judged query
    }
    found = join(lists, {"q1": {"a": 1}, "q2": {"z": 1}})
    assert found.runs["run"].tolist() == sorted(lists)
    strangers = id_mismatch.sharing_nothing(found)
    assert found.runs["run"].to_numpy()[strangers].tolist() == ["lone", "strange"]


def test_one_run_whose_items_are_judged_for_another_query_alone_is_no_stranger():
    found = join({"a": {"q": ["x"]}, "b": {"q": ["z"]}}, {"q": {"x": 1}, "p": {"z": 1}})
    assert id_mismatch.sharing_nothing(found).tolist() == []


@pytest.mark.parametrize("many", [9, 10])
def test_nothing_shared_by_any_run_is_an_error_from_ten_items_on(many):
    lists = {"a": {"q": [f"n{at}" for at in range(many)]}, "b": {"q": ["n0", "n1"]}}
    found = join(lists, {"q": {f"d{at}": 1 for at in range(10)}})
    if many < 10:
        assert id_mismatch.sharing_nothing(found).tolist() == [0, 1]
    else:
        with pytest.raises(
            ValueError, match="no item of the runs is judged: the runs have 'n0', 'n1', 'n2'"
        ):
            id_mismatch.sharing_nothing(found)


def test_the_hits_of_an_item_stand_in_the_order_of_the_rows():
    names = [f"r{i:02}" for i in range(40)]
    runs = pd.DataFrame(
        [(name, "q", doc, 1.0) for name in names for doc in "ba"], columns=[*"rqds"]
    )
    runs = runs.set_axis(["run", "query_id", "doc_id", "score"], axis=1)
    found = positions.join(
        reader.read(runs, "runs"), reader.read(naive.judgments({"q": {"a": 1, "b": 1}}), "qrels")
    )
    assert found.item.tolist() == [0] * 40 + [1] * 40
    assert found.run.tolist() == [*range(40), *range(40)]


@pytest.mark.parametrize("ties", ["docid", "rank", "first", "expected"])
@pytest.mark.parametrize("depth", [None, 1])
def test_the_arrays_of_a_join_have_one_type_whatever_its_rules(ties, depth):
    if ties == "expected" and depth:
        return
    runs = pd.DataFrame(
        [
            ("a", "1", "x", 1.0, 1),
            ("a", "1", "y", 1.0, 2),
            ("b", "1", "z", 1.0, 1),
            ("b", "9", "x", 1.0, 1),
        ],
        columns=["run", "query_id", "doc_id", "score", "rank"],
    )
    qrels = naive.judgments({"1": {"x": 1, "y": 2, "z": 0}, "2": {"x": 1}})
    found = positions.join(
        reader.read(runs, "runs"), reader.read(qrels, "qrels"), ties=ties, depth=depth
    )
    kinds = {
        name: str(getattr(found, name).dtype)
        for name in ("item", "run", "rank", "start", "size", "retrieved")
    }
    assert kinds == {
        "item": "int64",
        "run": "int64",
        "rank": "float64",
        "start": "float64",
        "size": "float64",
        "retrieved": "int64",
    }
    assert {str(getattr(found.judged, name).dtype) for name in ("topic", "doc")} == {"int64"}
    assert found.judged.grade.dtype == np.float64
    assert id_mismatch.sharing_nothing(found).dtype == np.int64
    assert id_mismatch.sharing_nothing(replace(found, source=None)).dtype == np.int64


@pytest.mark.parametrize("dtype", [object, "category"])
@pytest.mark.parametrize("shuffled", [False, True])
def test_rows_are_joined_part_by_part_as_all_at_once(dtype, shuffled, monkeypatch):
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    runs = runs.sample(frac=1, random_state=0) if shuffled else runs
    both = reader.read(runs.astype({"doc_id": dtype}), "runs"), reader.read(qrels, "qrels")
    whole = positions.join(*both)
    monkeypatch.setattr(positions, "_ROWS", 100)
    parts = positions.join(*both)
    for name in ("item", "run", "rank", "start", "size", "retrieved"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name), strict=True)


def drawn(seed, *, subtopics):
    """Return runs with tied scores, in any order of rows, and judgments of every kind of grade."""
    rng = np.random.default_rng(seed)
    names = [(run, query, doc) for run in "abc" for query in "1234" for doc in DOCS]
    runs = pd.DataFrame(names, columns=["run", "query_id", "doc_id"]).sample(
        frac=0.6, random_state=seed
    )
    runs = runs[~((runs["run"] == "b") & (runs["query_id"] == "3"))]
    items = [(query, doc, part) for query in "0234" for doc in DOCS[1:] for part in ("t", "s", "u")]
    qrels = pd.DataFrame(items, columns=["query_id", "doc_id", "subtopic"]).sample(
        frac=0.4, random_state=seed
    )
    qrels["relevance"] = rng.integers(-1, 4, len(qrels))
    if not subtopics:
        qrels = qrels.drop(columns="subtopic").drop_duplicates(["query_id", "doc_id"])
    return runs.assign(score=rng.integers(0, 5, len(runs)) / 2), qrels


def said(found):
    """Return all that a join says, by names."""
    was, queries, docs = found.judged, found.queries, found.judged.docs.index()
    items = [(queries[topic], docs[doc]) for topic, doc in zip(was.topic, was.doc)]
    runs = found.runs["run"].tolist()
    hits = [(runs[run], *items[item]) for run, item in zip(found.run, found.item)]
    parts = {}
    if was.subtopic is not None:
        codes = was.subtopics.index()
        parts = {
            (*items[int(item)], codes[int(code)]): grade for item, code, grade in was.subtopic.T
        }
        assert len(parts) == was.subtopic.shape[1]
    return {
        "hits": dict(
            zip(hits, zip(found.rank.tolist(), found.start.tolist(), found.size.tolist()))
        ),
        "grades": dict(zip(items, was.grade.tolist())),
        "subtopics": parts,
        "queries": queries.tolist(),
        "their names": was.queries.index().tolist(),
        "runs": runs,
        "retrieved": found.retrieved.tolist(),
        "lengths": found.list_sizes.tolist(),
        "answered": found.answered.tolist(),
        "rules": found.rules,
    }


RULES = [
    {},
    {"judged_only": True},
    {"ties": "expected"},
    {"depth": 2},
    {"depth": 3, "judged_only": True},
]


@pytest.mark.parametrize("subtopics", [False, True])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_a_part_of_a_join_is_the_join_of_that_part(rules, subtopics):
    runs, qrels = drawn(5, subtopics=subtopics)

    def joined(runs, qrels):
        return positions.join(reader.read(runs, "runs"), reader.read(qrels, "qrels"), **rules)

    whole = joined(runs, qrels)
    topics = np.array([True, False, True, True])
    own, judged = (frame[frame["query_id"].isin(["0", "3", "4"])] for frame in (runs, qrels))
    assert said(whole.keep_topics(topics)) == said(joined(own, judged))
    assert said(whole.keep_topics(topics).keep_topics(np.array([False, True, False])))[
        "queries"
    ] == ["3"]
    some = whole.keep_runs(np.array([True, False, True]))
    assert said(some) == said(joined(runs[runs["run"] != "b"], qrels))
    assert some.runs.index.tolist() == [0, 1]
    names = whole.judged.docs.index()[whole.judged.doc]
    fewer = said(joined(runs, qrels[~qrels["doc_id"].isin(["d2", "d5", "d8"])]))
    assert said(whole.keep_items(~names.isin(["d2", "d5", "d8"]))) == fewer
    every = said(whole)
    for keep, masked in (("topics", whole.queries), ("runs", whole.runs), ("items", names)):
        kept = getattr(whole, f"keep_{keep}")
        assert said(kept(np.ones(len(masked), dtype=bool))) == every
        assert said(kept(np.zeros(len(masked), dtype=bool)))["hits"] == {}


@pytest.mark.parametrize("least", [-1, 0])
def test_without_what_nobody_judged_the_others_move_up_and_ties_stay_ties(least):
    runs, qrels = drawn(8, subtopics=False)
    qrels = qrels.assign(relevance=np.maximum(qrels["relevance"], least))
    read = reader.read(runs, "runs"), reader.read(qrels, "qrels")
    grades = {(query, doc): grade for query, doc, grade in qrels.itertuples(index=False, name=None)}
    lists = {}
    for run, query, doc, score in runs.itertuples(index=False, name=None):
        if grades.get((query, doc), -1) >= 0:
            lists.setdefault((run, query), []).append((-score, doc))
    wanted = {}
    for key, rows in lists.items():
        rows = sorted(sorted(rows, key=lambda row: row[1], reverse=True), key=lambda row: row[0])
        for rank, (score, doc) in enumerate(rows, 1):
            scores = [one for one, _ in rows]
            wanted[(*key, doc)] = (rank, scores.index(score), scores.count(score))
    found, made = said(positions.join(*read, judged_only=True)), positions.join(*read)
    assert found["hits"] == wanted
    assert found["lengths"] == made.retrieved.tolist()
    queries, names = made.queries, made.runs["run"]
    assert found["retrieved"] == [
        [len(lists.get((run, query), [])) for run in names] for query in queries
    ]
    assert found["rules"] == {**made.rules, "judged_only": True}


@pytest.mark.parametrize("compat", ["trec_eval-10", "trec_eval-9"])
def test_the_rules_of_a_join_are_those_of_its_ranks(compat):
    runs = pd.DataFrame({"query_id": "q", "doc_id": list("abc"), "score": [1 + 1e-12, 1.0, 0.5]})
    both = (
        reader.read(runs, "runs"),
        reader.read(naive.judgments({"q": {"a": 1, "b": 1, "c": 0}}), "qrels"),
    )
    found = positions.join(*both, compat=compat, depth=2)
    assert found.rank.tolist() == ([1, 2] if compat == "trec_eval-10" else [2, 1])
    assert found.rules == {"ties": "docid", "compat": compat, "depth": 2}
    assert found.retrieved.tolist() == [[2]]
    with pytest.raises(ValueError, match="depth= cannot be combined with ties='expected'"):
        positions.join(*both, ties="expected", depth=2)


@pytest.mark.parametrize("cells", [12, 1000])
@pytest.mark.parametrize("rows", [0, 5, 6, 7, 10_000])
@pytest.mark.parametrize("table", [0, 11, 12, 1 << 22])
def test_a_key_is_found_in_each_way(monkeypatch, cells, rows, table):
    monkeypatch.setattr(positions, "_TABLE", table)
    for keys in ([], [0], [11], [3, 5, 9], list(range(12))):
        found = positions._lookup(np.array(keys, dtype=np.int64), cells, rows)(
            np.array([11, 0, 4, 3, 3, 9])
        )
        assert [max(one, -1) for one in found.tolist()] == [
            keys.index(k) if k in keys else -1 for k in (11, 0, 4, 3, 3, 9)
        ]


@pytest.mark.parametrize(
    ("mine", "judged", "refused"), [(10, 9, False), (9, 30, False), (11, 10, True)]
)
@pytest.mark.parametrize("shuffled", [False, True])
def test_few_items_on_either_side_may_well_share_nothing(mine, judged, refused, shuffled):
    lists = {
        "a": {"q": [f"n{at}" for at in range(mine)], "p": ["n1"]},
        "b": {"p": ["n0"], "q": ["n1"]},
    }
    runs = naive.table(lists)
    runs = runs.sample(frac=1, random_state=1) if shuffled else runs
    qrels = naive.judgments({"q": {f"d{at}": 1 for at in range(judged)}, "p": {"d0": 1}})
    found = positions.join(reader.read(runs, "runs"), reader.read(qrels, "qrels"))
    if refused:
        with pytest.raises(id_mismatch.NothingJudged, match="no item of the runs is judged"):
            id_mismatch.sharing_nothing(found)
    else:
        assert id_mismatch.sharing_nothing(found).tolist() == [0, 1]


def test_what_is_found_is_known_without_ranks_too():
    runs, qrels = (
        reader.read(frame, kind)
        for frame, kind in zip(drawn(2, subtopics=False), ("runs", "qrels"))
    )
    rows = positions.rows_of(runs, qrels)
    plain, bare = positions.positions_of(rows), positions.positions_of(rows, ranked=False)
    assert sorted(zip(bare.item, bare.run)) == sorted(zip(plain.item, plain.run))
    assert not (bare.rank + bare.start + bare.size).any()
    assert bare.retrieved.tolist() == plain.retrieved.tolist()
    assert (plain.complete, plain.extra, plain.top_grade) == (True, 3, 3.0)
    less = positions.positions_of(rows, complete=False)
    assert by_name(less) == {
        key: rank for key, rank in by_name(plain).items() if said(plain)["grades"][key[1:]] > 0
    }


def test_a_join_of_relevant_items_cannot_leave_out_those_that_nobody_judged():
    with pytest.raises(
        RuntimeError, match=r"has relevant items only\. Join again with complete=True"
    ):
        join({"a": {"q": ["x"]}}, {"q": {"x": 1}}, complete=False).only_judged()
    assert join({"a": {"q": ["x"]}}, {"q": {"x": 1}}, complete=False, judged_only=True).complete
