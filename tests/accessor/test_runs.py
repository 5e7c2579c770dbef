"""Run tables as people have them: every way of storing ids, every vocabulary, any order of rows."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from tests.examples import examples

MEASURES = ["AP", "nDCG@5", "bpref", "RR", "ASL(unretrieved=corpus)"]


def collection(seed=0):
    """Return runs with ties, scattered over 3 runs x 5 queries, and judgments; all ids are digits as text."""
    rng = np.random.default_rng(seed)
    rows = []
    for run in ("7", "12", "30"):
        for query in ("1", "2", "10", "21", "300"):
            if (run, query) != ("12", "10"):
                for doc in rng.permutation(60)[:25]:
                    rows.append((run, query, str(doc), float(rng.integers(0, 9))))
    runs = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"])
    judged = [
        (q, str(d), int(rng.integers(-1, 4)))
        for q in ("1", "2", "10", "21", "300")
        for d in range(0, 60, 2)
    ]
    return runs, pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance"])


def as_ids(frame, dtype):
    names = [name for name in ("run", "query_id", "doc_id") if name in frame]
    if dtype == "integers":
        return frame.astype(dict.fromkeys(names, "int64"))
    if dtype == "Int64":
        return frame.astype(dict.fromkeys(names, "int64")).astype(dict.fromkeys(names, "Int64"))
    return frame.astype(dict.fromkeys(names, dtype))


def values(frame, keys=("run", "query_id", "measure")):
    """Return {(keys as text): value}."""
    return dict(zip(zip(*(frame[key].astype(str) for key in keys)), frame["value"]))


@pytest.fixture(scope="module")
def wanted():
    runs, qrels = collection()
    joined = as_ids(runs, "object").ireval.join(as_ids(qrels, "object"))
    with pytest.warns(UserWarning, match="1 of 5 judged queries are missing from run '12'"):
        scores, prefer = joined.measure(MEASURES), joined.prefer(["RPP", "rrLP"])
    assert len(scores) == 3 * 5 * len(MEASURES)
    return values(scores), values(prefer, ("query_id", "run_a", "run_b", "measure"))


DTYPES = {
    "object": "object",
    "str": "str",
    "string[pyarrow]": "string[pyarrow]",
    "string[python]": "string[python]",
    "category": "category",
    "arrow string": pd.ArrowDtype(pa.string()),
    "arrow large string": pd.ArrowDtype(pa.large_string()),
    "arrow dictionary": pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())),
    "integers": "integers",
    "Int64": "Int64",
}


def same(found, wanted):
    """Whether two preference tables agree; a pair may stand the other way round where ids sort as numbers."""
    for (query, a, b, measure), value in found.items():
        other = wanted.get((query, a, b, measure), None)
        assert value == (other if other is not None else -wanted[query, b, a, measure])
    return len(found) == len(wanted)


@pytest.mark.filterwarnings("ignore:.*missing from run")
@pytest.mark.parametrize("order", ["as it is", "shuffled"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_way_of_storing_ids_gives_the_same_bits(wanted, dtype, order):
    runs, qrels = (as_ids(frame, DTYPES[dtype]) for frame in collection())
    if order == "shuffled":
        runs, qrels = (frame.sample(frac=1, random_state=5) for frame in (runs, qrels))
    assert values(runs.ireval.measure(qrels, MEASURES)) == wanted[0]
    assert same(
        values(
            runs.ireval.prefer(qrels, ["RPP", "rrLP"]), ("query_id", "run_a", "run_b", "measure")
        ),
        wanted[1],
    )


@pytest.mark.filterwarnings("ignore:.*missing from run")
@pytest.mark.parametrize("stored", ["category", "arrow large string", "object"])
def test_the_two_tables_may_store_their_ids_differently(wanted, stored):
    runs, qrels = collection()
    assert (
        values(as_ids(runs, DTYPES[stored]).ireval.measure(as_ids(qrels, "str"), MEASURES))
        == wanted[0]
    )
    assert (
        values(as_ids(runs, "str").ireval.measure(as_ids(qrels, DTYPES[stored]), MEASURES))
        == wanted[0]
    )


@pytest.mark.filterwarnings("ignore:.*missing from run")
@given(seed=st.integers(0, 1000))
@examples(8)
def test_the_result_is_the_same_frame_for_any_order_of_rows(seed):
    runs, qrels = collection()
    mixed = runs.sample(frac=1, random_state=seed), qrels.sample(frac=1, random_state=seed)
    for verb, names in (("measure", MEASURES), ("prefer", ["RPP", "AP"]), ("order", ["RPP", "AP"])):
        one = getattr(runs.ireval, verb)(qrels, names)
        pd.testing.assert_frame_equal(getattr(mixed[0].ireval, verb)(mixed[1], names), one)


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:.*missing from run")
def test_splitting_by_query_does_not_matter():
    runs, qrels = collection()
    names = ["AP", "nDCG@5", "RPP"]
    whole = values(runs.ireval.prefer(qrels, names), ("query_id", "run_a", "run_b", "measure"))
    parts = {}
    for query, part in runs.groupby("query_id"):
        judged = qrels[qrels["query_id"] == query]
        parts |= values(
            part.ireval.prefer(judged, names), ("query_id", "run_a", "run_b", "measure")
        )
    assert len(parts) == 4 * 3 * 3 + 1 * 1 * 3
    assert {key: whole[key] for key in parts} == parts


VOCABULARIES = {
    "pdeval": ({}, {}),
    "PyTerrier": (
        {"run": "name", "query_id": "qid", "doc_id": "docno"},
        {"query_id": "qid", "doc_id": "docno", "relevance": "label"},
    ),
    "ranx": ({"query_id": "q_id"}, {"query_id": "q_id", "relevance": "score"}),
    "TREC": (
        {"run": "tag", "query_id": "topic", "doc_id": "docid"},
        {"query_id": "topic", "doc_id": "docid", "relevance": "rel"},
    ),
    "recommender": (
        {"query_id": "user_id", "doc_id": "item_id"},
        {"query_id": "user_id", "doc_id": "item_id", "relevance": "rating"},
    ),
    "plain": (
        {"query_id": "query", "doc_id": "doc"},
        {"query_id": "query", "doc_id": "doc", "relevance": "grade"},
    ),
}


@pytest.mark.filterwarnings("ignore:.*missing from run")
@pytest.mark.parametrize("name", VOCABULARIES)
def test_every_vocabulary_gives_the_same_values_under_the_callers_names(wanted, name):
    runs, qrels = (
        frame.rename(columns=words) for frame, words in zip(collection(), VOCABULARIES[name])
    )
    run, query = (
        VOCABULARIES[name][0].get("run", "run"),
        VOCABULARIES[name][0].get("query_id", "query_id"),
    )
    if name == "PyTerrier":
        runs = runs.assign(query="the text of the query", docid=3, rank=1)
    scores = runs.ireval.measure(qrels, MEASURES)
    assert list(scores) == [run, query, "measure", "value"]
    assert values(scores, (run, query, "measure")) == wanted[0]
    prefer = runs.ireval.prefer(qrels, "RPP")
    assert list(prefer) == [query, f"{run}_a", f"{run}_b", "measure", "value"]
    # tables that came from these names are understood again
    assert scores.ireval.summary(wide=True)[run].astype(str).tolist() == ["12", "30", "7"]
    assert scores.ireval.order()[run].nunique() == 3
    assert list(prefer.ireval.summary())[:2] == [f"{run}_a", f"{run}_b"]


def test_tables_of_different_vocabularies_join(wanted):
    runs, _ = collection()
    _, qrels = (
        frame.rename(columns=words) for frame, words in zip(collection(), VOCABULARIES["PyTerrier"])
    )
    with pytest.warns(UserWarning, match="missing from run"):
        assert values(runs.ireval.measure(qrels, MEASURES)) == wanted[0]


def test_a_table_without_a_run_column_is_one_run(wanted):
    runs, qrels = collection()
    scores = (
        runs[runs["run"] == "7"]
        .drop(columns="run")
        .ireval.measure(qrels, ["AP", "nDCG@5", "bpref"])
    )
    assert set(scores["run"]) == {"run"}
    assert len(scores) == 5 * 3
    for (_, query, measure), value in values(scores).items():
        assert value == wanted[0]["7", query, measure]


@pytest.mark.filterwarnings("ignore:.*missing from run")
def test_a_run_may_be_identified_by_several_columns(wanted):
    runs, qrels = collection()
    model = runs["run"].map({"7": "x", "12": "x", "30": "y"})
    seed = runs["run"].map({"7": 1, "12": 2, "30": 1})
    runs = runs.assign(model=model, seed=seed).drop(columns="run").ireval(run=["model", "seed"])
    scores = runs.measure(qrels, MEASURES)
    assert list(scores) == ["model", "seed", "query_id", "measure", "value"]
    names = {("x", "1"): "7", ("x", "2"): "12", ("y", "1"): "30"}
    keyed = values(scores, ("model", "seed", "query_id", "measure"))
    assert {(names[k[:2]], *k[2:]): value for k, value in keyed.items()} == wanted[0]
    prefer = runs.prefer(qrels, "RPP", baseline=("x", 2))
    assert list(prefer) == [
        "query_id",
        "model_a",
        "seed_a",
        "model_b",
        "seed_b",
        "measure",
        "value",
    ]
    assert set(zip(prefer["model_b"], prefer["seed_b"])) == {("x", 2)}
    orders = scores.ireval.order()
    assert list(orders)[:2] == ["model", "seed"]
    with pytest.warns(UserWarning, match="3 runs of 2 systems differ only in seed"):
        compared = scores.ireval.compare(baseline=("x", 2))
    assert list(compared)[:4] == ["model_a", "seed_a", "model_b", "seed_b"]


def test_results_join_with_metadata():
    runs, qrels, metadata = pdeval.datasets.load_sample()
    scores = runs.ireval.measure(qrels, "AP", queries="common")
    joined = scores.merge(metadata, on="run")
    assert len(joined) == len(scores)
    assert joined["family"].notna().all()


def test_other_columns_are_left_alone(wanted):
    runs, qrels = collection()
    with pytest.warns(UserWarning, match="missing from run"):
        found = runs.assign(text="x", note=3).ireval.measure(qrels.assign(iteration="Q0"), MEASURES)
    assert values(found) == wanted[0]


@pytest.mark.parametrize("index", ["text", "repeated", "dates"])
def test_the_index_of_the_callers_table_does_not_matter(wanted, index):
    runs, qrels = collection()
    made = {
        "text": [f"row {i}" for i in range(len(runs))],
        "repeated": [0] * len(runs),
        "dates": pd.date_range("2020", periods=len(runs)),
    }[index]
    with pytest.warns(UserWarning, match="missing from run"):
        assert (
            values(runs.set_axis(made).ireval.measure(qrels.set_axis([1] * len(qrels)), MEASURES))
            == wanted[0]
        )


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:.*missing from run")
@pytest.mark.parametrize(
    "rules", [{"depth": 5}, {"ties": "first"}, {"level": 2}, {"queries": "judged"}]
)
def test_the_verbs_hand_their_rules_to_the_join(rules):
    runs, qrels = collection()
    joined = runs.ireval.join(qrels, **rules)
    pd.testing.assert_frame_equal(runs.ireval.measure(qrels, "AP", **rules), joined.measure("AP"))
    pd.testing.assert_frame_equal(runs.ireval.prefer(qrels, "RPP", **rules), joined.prefer("RPP"))
    pd.testing.assert_frame_equal(runs.ireval.order(qrels, "RPP", **rules), joined.order("RPP"))
    pd.testing.assert_frame_equal(runs.ireval.compare(qrels, "AP", **rules), joined.compare("AP"))
    pd.testing.assert_frame_equal(runs.ireval.curve(qrels, **rules), joined.curve())
    pd.testing.assert_frame_equal(
        runs.ireval.disaggregate(qrels, "RPP", **rules), joined.disaggregate("RPP")
    )
    pd.testing.assert_frame_equal(
        runs.ireval.explain(qrels, "1", "AP", **rules), joined.explain("1", "AP")
    )
    assert joined.measure("AP").attrs.items() >= rules.items()


def test_measures_that_look_at_judged_items_may_stand_beside_others(wanted):
    runs, qrels = collection()
    with pytest.warns(UserWarning, match="missing from run"):
        apart = [values(runs.ireval.measure(qrels, name)) for name in MEASURES]
    assert {key: value for part in apart for key, value in part.items()} == wanted[0]


@pytest.mark.filterwarnings("ignore:.*missing from run")
def test_without_measures_the_usual_ones_are_computed():
    runs, qrels = collection()
    found, again = runs.ireval.measure(qrels), runs.ireval.measure(qrels, None)
    assert found["measure"].unique().tolist() == ["AP", "nDCG@10", "RR", "P@10", "R@100"]
    pd.testing.assert_frame_equal(found, again)
