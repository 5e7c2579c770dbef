import pandas as pd
import pytest

import pdeval


def test_a_run_table_is_described():
    text = "run table: 12 runs x 50 queries, 59,800 rows, ranked by score; next: .measure(qrels), .prefer(qrels)"
    assert repr(pdeval.datasets.sample_runs().ireval) == text


def test_judgments_are_described():
    assert repr(pdeval.datasets.sample_qrels().ireval).startswith("judgments table: 50 queries, ")
    assert repr(pdeval.datasets.sample_qrels(subtopics=True).ireval).startswith("judgments table (with subtopics): 50")


CASES = {
    "one of each": (
        {"query_id": ["1"], "doc_id": ["d"], "rank": [1]}, {},
        "run table: 1 run x 1 query, 1 row, ranked by rank; next: .measure(qrels), .prefer(qrels)",
    ),
    "bound": (
        {"t": ["1"], "docno": ["d"], "label": [0]}, {"query": "t"},
        "judgments table: 1 query, 1 item, 0 relevant",
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
        "preferences table: 1 pair x 1 query, RPP; next: .mean(), .matrix(), .order(), .compare()",
    ),
    "orders": (
        {"run": ["a"], "measure": ["AP"], "method": ["mean"], "score": [0.1], "rank": [1]}, {},
        "an orders table (run, measure, method, score, rank): 1 rows",
    ),
    "empty": (
        {"query_id": [], "doc_id": [], "score": []}, {},
        "a run table (run, query, doc, score) without rows",
    ),
    "unknown": (
        {"x": [1], "y": [2]}, {},
        "a table that pdeval does not recognise (columns x, y); "
        "bind its roles: df.ireval(query=..., doc=..., score=...)",
    ),
    "faulty": (
        {"query_id": [1.5], "doc_id": ["d"], "score": [1.0]}, {},
        "a run table (run, query, doc, score) with a fault: the query column holds float64 values; ids must be "
        "strings or integers. Convert with .astype(str).",
    ),
    "two grades": (
        {"query_id": ["1"], "doc_id": ["d"], "rel": [1], "label": [1]}, {},
        "a judgments table (query, doc, grade) with a fault: two columns could be the grade: 'label' and 'rel'. "
        "Say which: qrels.ireval(grade='label').",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_was_understood_is_said_in_one_line(case):
    columns, binding, text = CASES[case]
    frame = pd.DataFrame(columns)
    assert repr(frame.ireval(**binding) if binding else frame.ireval) == text


@pytest.mark.filterwarnings("ignore:2 of 50 judged queries")
def test_what_the_verbs_return_is_called_by_its_name():
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    joined = runs[runs["run"].isin(["bm25", "ql"])].ireval.join(qrels)
    lists = runs.ireval.interleave(pairs=[("bm25", "ql")])
    credits = lists.ireval.simulate_clicks(qrels).ireval.credit(lists)
    named = {
        "interleaved lists: 480 rows; next: .simulate_clicks(qrels)": lists,
        "credits of interleaved runs: 48 rows; next: .wins(), .click_preferences()": credits,
        "wins of interleaved runs: 1 row": credits.ireval.wins(),
        "discriminative power: 1 row; next: .report()": joined.discriminative_power("AP", tests="t"),
        "agreement of measures: 1 row; next: .report()": joined.agree(),
        "summary: 2 rows; next: .report()": joined.measure("AP").ireval.summary(),
        "incomplete-data experiment: 4 rows; next: pdeval.plots.incomplete": joined.incomplete(
            "AP", keep=[20], samples=1
        ),
        "contributions of recall levels: ": joined.disaggregate("RPP"),
        "square matrix of 2 rows; next: .report()": joined.matrix(),
    }
    for text, table in named.items():
        assert repr(table.ireval).startswith(text)


def test_a_run_table_with_columns_of_a_result_stays_a_run_table():
    runs = pdeval.datasets.sample_runs().assign(asl=1, retrieved=True)
    assert repr(runs.ireval).startswith("run table: 12 runs")


def test_ids_in_the_index_are_pointed_out():
    runs = pdeval.datasets.sample_runs().set_index(["run", "query_id"])
    assert repr(runs.ireval) == (
        "a table that pdeval does not recognise (columns doc_id, score, rank): run and query_id are in the index of "
        "the table, not among its columns. Call .reset_index() first."
    )
