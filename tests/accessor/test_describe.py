import pandas as pd
import pytest

import pdeval
from pdeval.tables.schemas import SCHEMAS


def test_a_run_table_is_described():
    text = repr(pdeval.datasets.sample_runs().ireval)
    assert text.startswith("run table: 12 runs x 50 queries, 59,800 rows, ranked by score; ")
    assert text.endswith("next: .measure(qrels), .prefer(qrels), .order(qrels)")


def test_judgments_are_described():
    assert repr(pdeval.datasets.sample_qrels().ireval).startswith("judgments table: 50 queries, ")
    assert repr(pdeval.datasets.sample_qrels(subtopics=True).ireval).startswith(
        "judgments table: with subtopics, 50"
    )


CASES = {
    "one of each": (
        {"query_id": ["1"], "doc_id": ["d"], "rank": [1]}, {},
        "run table: 1 run x 1 query, 1 row, ranked by rank; next: .measure(qrels), .prefer(qrels), .order(qrels)",
    ),
    "bound": (
        {"t": ["1"], "docno": ["d"], "label": [0]}, {"query": "t"},
        "judgments table: 1 query, 1 item, 0 relevant; next: runs.ireval.measure(qrels)",
    ),
    "scores": (
        {"run": list("ab"), "query_id": list("11"), "measure": ["AP", "AP"], "value": [0.1, 0.2]}, {},
        "scores table: 2 runs x 1 query, AP; next: .summary(), .order(), .compare(), .report()",
    ),
    "scores of many measures": (
        {"run": list("aaaaa"), "query_id": list("11111"), "measure": list("vwxyz"), "value": [0.1] * 5}, {},
        "scores table: 1 run x 1 query, v, w, x, y, ...; next: .summary(), .order(), .compare(), .report()",
    ),
    "scores under other names": (
        {"run": ["a"], "query_id": ["1"], "metric": ["AP"], "v": [0.1]}, {"measure": "metric", "value": "v"},
        "scores table: 1 run x 1 query, AP; next: .summary(), .order(), .compare(), .report()",
    ),
    "preferences": (
        {"query_id": ["1"], "run_a": ["a"], "run_b": ["b"], "measure": ["RPP"], "value": [0.1]}, {},
        "preferences table: 1 pair x 1 query, RPP; next: .summary(), .matrix(), .order(), .compare()",
    ),
    "orders": (
        {"run": ["a"], "measure": ["AP"], "method": ["mean"], "score": [0.1], "rank": [1]}, {},
        "table of orders: 1 row; next: .correlate(), .report(), .plot()",
    ),
    "empty": (
        {"query_id": [], "doc_id": [], "score": []}, {},
        "a run table (run, query, doc) without rows",
    ),
    "unknown": (
        {"x": [1], "y": [2]}, {},
        "an unrecognized table (columns x, y); "
        "bind its roles: df.ireval(query=..., doc=..., score=...)",
    ),
    "faulty": (
        {"query_id": [1.5], "doc_id": ["d"], "score": [1.0]}, {},
        "a run table (run, query, doc) with a fault: the query column has float64 values, e.g. 1.5; ids "
        "must be strings or integers.",
    ),
    "two grades": (
        {"query_id": ["1"], "doc_id": ["d"], "rel": [1], "label": [1]}, {},
        "a judgments table (query, doc, grade) with a fault: two columns could be the grade: 'label' and 'rel'. "
        "Specify it: qrels.ireval(grade='label').",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_was_understood_is_said_in_one_line(case):
    columns, binding, text = CASES[case]
    frame = pd.DataFrame(columns)
    assert repr(frame.ireval(**binding) if binding else frame.ireval) == text


@pytest.fixture(scope="module")
def judged():
    runs = pdeval.datasets.sample_runs()
    return runs[runs["run"].isin(["bm25", "ql", "hybrid"])].ireval.join(
        pdeval.datasets.sample_qrels(), queries="common"
    )


def clicked(judged):
    lists = judged.interleave(pairs=[("bm25", "ql")])
    return lists, lists.ireval.simulate_clicks(pdeval.datasets.sample_qrels())


# what verbs return, under the name of its schema
RETURNED = {
    "scores": lambda judged: judged.measure("AP"),
    "summary": lambda judged: judged.measure("AP").ireval.summary(),
    "preferences": lambda judged: judged.prefer("RPP"),
    "means": lambda judged: judged.summary("RPP"),
    "matrix": lambda judged: judged.matrix(),
    "contributions": lambda judged: judged.disaggregate("RPP"),
    "curve": lambda judged: judged.curve(),
    "orders": lambda judged: judged.order("RPP"),
    "comparisons": lambda judged: judged.compare("AP"),
    "discriminative_power": lambda judged: judged.discriminative_power("AP", tests="t"),
    "sign_agreement": lambda judged: judged.agree(),
    "robustness": lambda judged: judged.robustness("AP", to="queries", keep=[20], draws=1),
    "lists": lambda judged: clicked(judged)[0],
    "clicks": lambda judged: clicked(judged)[1],
    "credits": lambda judged: clicked(judged)[1].ireval.credit(clicked(judged)[0]),
    "wins": lambda judged: clicked(judged)[1].ireval.credit(clicked(judged)[0]).ireval.wins(),
}


@pytest.mark.broad
@pytest.mark.parametrize("name", RETURNED)
def test_what_the_verbs_return_is_called_by_its_name(judged, name):
    schema = SCHEMAS[name]
    said = repr(RETURNED[name](judged).ireval)
    assert said.startswith(f"{schema.description}: ")
    assert said.endswith(f"next: {schema.then}" if schema.then else "")


def test_a_run_table_with_columns_of_a_result_stays_a_run_table():
    runs = pdeval.datasets.sample_runs().assign(asl=1, retrieved=True)
    assert repr(runs.ireval).startswith("run table: 12 runs")


def test_ids_in_the_index_are_pointed_out():
    runs = pdeval.datasets.sample_runs().set_index(["run", "query_id"])
    assert repr(runs.ireval) == (
        "an unrecognized table (columns doc_id, score, rank): run and query_id are in the index of "
        "the table, not in its columns. Call .reset_index() first."
    )
