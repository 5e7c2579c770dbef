"""Through the accessor: every measure equals its plain reading, whatever the row order, id type and partition."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from pdeval.catalog import parse
from tests.examples import examples
from tests.kernels import test_properties
from tests.kernels.lists import value
from tests.naive import lists_of

DOCS = [str(number) for number in range(101, 115)]
QUERIES = ["11", "12", "13"]
RULES = {"queries": "judged", "ties": "docid"}

# the judgments that are drawn have no propensities
ASKED = [name for name in test_properties.ASKED if "weight" not in parse(name).entry.columns]
pytestmark = pytest.mark.filterwarnings("ignore:.*judged quer.* missing from run:UserWarning")


@st.composite
def collections(draw):
    """Draw runs with ties and missing queries, and judgments by subtopic with grades from -1 to 3."""
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    rows, judged = [], []
    for run, query in itertools.product(("a", "b"), QUERIES):
        if (run, query) != ("b", "13") or seed % 2:
            docs = rng.permutation(DOCS)[: rng.integers(1, 13)]
            rows += [(run, query, doc, float(rng.integers(0, 8))) for doc in docs]
    for query in QUERIES[: 3 - seed % 3 // 2]:
        for doc in rng.permutation(DOCS)[:9]:
            for subtopic in rng.permutation(4)[: rng.integers(1, 3)]:
                judged.append((query, str(subtopic), doc, int(rng.choice([-1, 0, 0, 1, 2, 3]))))
    judged.append((QUERIES[0], "9", "199", 2))  # something to find, in no run
    runs = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"])
    return runs, pd.DataFrame(judged, columns=["query_id", "subtopic", "doc_id", "relevance"])


def measured(runs, qrels):
    """Return the values as an array, in the order of the result."""
    return runs.ireval.measure(qrels, ASKED, **RULES)["value"].to_numpy()


@given(collections())
@examples(25)
def test_every_measure_equals_its_plain_reading(collection):
    runs, qrels = collection
    scores = runs.ireval.measure(qrels, ASKED, **RULES)
    top, lists = float(qrels["relevance"].max()), lists_of(runs)
    table = scores.astype({"run": str, "query_id": str, "measure": str}).set_index(
        ["run", "query_id", "measure"]
    )["value"]
    for query, rows in qrels.groupby("query_id"):
        grades = rows.groupby("doc_id")["relevance"].max().to_dict()
        by_doc = rows[rows["relevance"] > 0].groupby("doc_id")
        subtopics = by_doc["subtopic"].agg(set).to_dict()
        gains = by_doc["relevance"].sum().to_dict()
        relevant = {doc for doc, grade in grades.items() if grade > 0}
        corpus = len(relevant.union(*(found for (_, q), found in lists.items() if q == query)))
        for run, name in itertools.product(("a", "b"), ASKED):
            plain = value(
                name,
                lists.get((run, query), []),
                grades,
                subtopics=subtopics,
                corpus=corpus,
                top_grade=top,
                global_gains=gains,
            )
            assert table[run, query, pdeval.parse(name).label] == pytest.approx(plain, abs=1e-12), (
                run,
                query,
                name,
            )
    assert len(table) == qrels["query_id"].nunique() * 2 * len(set(table.index.get_level_values(2)))


@given(collections(), st.integers(0, 99))
@examples(15)
def test_row_order_never_matters(collection, seed):
    runs, qrels = collection
    shuffled = measured(
        runs.sample(frac=1, random_state=seed), qrels.sample(frac=1, random_state=seed)
    )
    assert shuffled.tolist() == measured(runs, qrels).tolist()


@pytest.mark.parametrize(
    "dtype", ["object", "category", "string[pyarrow]", "string[python]", "int64", "int32"]
)
@given(collections())
@examples(5)
def test_the_type_of_ids_never_matters(dtype, collection):
    runs, qrels = collection
    # all ids have equally many digits, so that numbers and texts break ties alike
    ids = {"query_id": dtype, "doc_id": dtype}
    assert measured(runs.astype(ids), qrels.astype(ids)).tolist() == measured(runs, qrels).tolist()


@pytest.mark.filterwarnings("ignore:no item of")
@given(collections())
@examples(15)
def test_splitting_by_query_never_matters(collection):
    runs, qrels = collection
    own = [name for name in ASKED if "top_grade" not in parse(name).entry.columns]
    together = runs.ireval.measure(qrels, own, **RULES)
    for query, rows in qrels.groupby("query_id"):
        mine = runs[runs["query_id"] == query]
        if (
            not len(mine)
            or mine["run"].nunique() < 2
            or not mine["doc_id"].isin(rows["doc_id"]).any()
        ):
            continue  # runs none of whose items is judged are an error
        alone = mine.ireval.measure(rows, own, **RULES)["value"]
        assert alone.tolist() == together.loc[together["query_id"] == query, "value"].tolist()


def test_the_largest_grade_is_that_of_all_queries_and_can_be_fixed_for_partitions():
    runs = pd.DataFrame({"query_id": ["1", "2"], "doc_id": ["d", "d"], "score": [1.0, 1.0]})
    qrels = pd.DataFrame({"query_id": ["1", "2"], "doc_id": ["d", "d"], "relevance": [1, 4]})
    first = qrels[qrels["query_id"] == "1"]
    names = [
        "ERR",
        "nERR",
        "gRBP",
        "ERR(max_grade=4)",
        "gRBP(max_grade=4)",
        "INST(max_grade=4)",
        "BPM(max_grade=4)",
    ]
    together = runs.ireval.measure(qrels, names)["value"].to_numpy()[: len(names)]
    alone = runs.ireval.measure(first, names)["value"].to_numpy()
    assert together[0] == 1 / 16
    assert alone[0] == 1 / 2
    assert together[3:].tolist() == alone[3:].tolist()


TIED = [
    "P@2",
    "R@3",
    "F@3",
    "Success@2",
    "RR",
    "RR(i=2)",
    "AP",
    "AP@3",
    "RBP",
    "CG@2",
    "DCG@3",
    "nDCG",
    "nDCG@3",
]


@pytest.mark.broad
def test_expected_ties_are_the_mean_over_the_orders_of_tied_items():
    docs, tied = ["a", "b", "c", "d", "e"], [3.0, 2.0, 2.0, 2.0, 1.0]
    qrels = pd.DataFrame(
        {"query_id": "1", "doc_id": ["b", "c", "e", "z"], "relevance": [2, 1, 1, 3]}
    )
    runs = pd.DataFrame({"query_id": "1", "doc_id": docs, "score": tied})
    expected = runs.ireval.measure(qrels, TIED, ties="expected")["value"].to_numpy()
    orders = [[3.0, *order, 1.0] for order in itertools.permutations([2.1, 2.2, 2.3])]
    values = [
        runs.assign(score=order).ireval.measure(qrels, TIED)["value"].to_numpy() for order in orders
    ]
    assert expected == pytest.approx(np.mean(values, axis=0), abs=1e-14)
