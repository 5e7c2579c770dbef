"""Scores in other forms to a scores table."""

from typing import NamedTuple

import pandas as pd
import pyarrow as pa
import pytest

import pdeval

WIDE = pd.DataFrame(
    {"name": ["a", "a", "b", "b"], "qid": list("1212"), "map": [0.5, 0.25, 0.5, 1.0], "P_5": 0.2}
)


def rows(frame):
    return frame.astype(object).values.tolist()


def test_one_column_per_measure_is_melted_under_the_callers_names():
    made = pdeval.scores(WIDE)
    assert made.columns.tolist() == ["name", "qid", "measure", "value"]
    assert rows(made)[:3] == [
        ["a", "1", "map", 0.5],
        ["a", "1", "P_5", 0.2],
        ["a", "2", "map", 0.25],
    ]
    assert made.ireval.order("map")["name"].tolist() == ["b", "a"]
    assert made.attrs["measures"]["P_5"]["higher"] is True


def test_one_column_per_run_needs_to_be_told_its_measure():
    wide = pd.DataFrame({"qid": ["1", "2"], "bm25": [0.5, None], "ql": [0.25, 0.75]})
    made = pdeval.scores(wide, measure="AP")
    assert rows(made) == [
        ["bm25", "1", "AP", 0.5],
        ["ql", "1", "AP", 0.25],
        ["ql", "2", "AP", 0.75],
    ]
    with pytest.raises(ValueError, match=r"bm25, ql are not measures of the catalog.*measure='AP'"):
        pdeval.scores(wide)


def test_less_is_better_where_the_catalog_says_so_whatever_the_label():
    wide = pd.DataFrame({"run": ["a", "b"], "query_id": "1", "ASL": [3.0, 1.0]})
    assert pdeval.scores(wide).ireval.order()["run"].tolist() == ["b", "a"]


def test_unknown_columns_are_asked_for_with_the_call_to_write():
    wide = WIDE.assign(mrt=1.5)
    with pytest.raises(
        ValueError,
        match=r"columns mrt are not measures .*measures=\['map', 'P_5'\] to keep the known ones",
    ):
        pdeval.scores(wide)
    assert set(pdeval.scores(wide, measures=["map"])["measure"]) == {"map"}
    with pytest.raises(ValueError, match="unknown direction of measure 'mrt'"):
        pdeval.scores(wide, measures=["mrt"]).ireval.order()
    assert (
        pdeval.scores(wide, measures=["mrt"], higher=False).attrs["measures"]["mrt"]["higher"]
        is False
    )


def test_means_without_a_query_are_of_the_query_all():
    made = pdeval.scores(pd.DataFrame({"model_names": ["a", "b"], "map": [0.5, 0.25]}))
    assert rows(made) == [["a", "all", "map", 0.5], ["b", "all", "map", 0.25]]


def test_a_long_table_gets_what_the_catalog_knows():
    long = pd.DataFrame(
        {"name": ["a"], "qid": ["1"], "measure": ["mrr_at_10"], "value": [0.5], "note": ["x"]}
    )
    made = pdeval.scores(long)
    assert made.columns.tolist() == ["name", "qid", "measure", "value"]
    assert made.attrs["measures"]["mrr_at_10"]["higher"] is True


def test_tables_of_other_libraries_and_several_columns_of_the_run():
    assert rows(pdeval.scores(pa.table({"qid": ["1"], "map": [0.5]}))) == [["run", "1", "map", 0.5]]
    wide = pd.DataFrame({"model": ["m", "m"], "seed": [1, 2], "qid": "1", "map": [0.5, 0.25]})
    made = pdeval.scores(wide, run=["model", "seed"])
    assert made.columns.tolist() == ["model", "seed", "qid", "measure", "value"]


def test_the_dicts_of_pytrec_eval():
    held = {"1": {"map": 0.5, "P_5": 0.2}, "2": {"map": 0.25, "P_5": 0.4}}
    assert rows(pdeval.scores(held, run="bm25"))[0] == ["bm25", "1", "map", 0.5]
    assert pdeval.scores({"a": held, "b": held}).ireval.summary()["n"].tolist() == [2, 2, 2, 2]


class Metric(NamedTuple):
    query_id: str
    measure: str
    value: float


def test_the_tuples_of_ir_measures():
    made = pdeval.scores(iter([Metric("1", "AP", 0.5), Metric("2", "AP", 0.25)]), run="bm25")
    assert rows(made) == [["bm25", "1", "AP", 0.5], ["bm25", "2", "AP", 0.25]]


@pytest.mark.extras
@pytest.mark.filterwarnings("ignore:unsafe cast from uint64")  # numba, of ranx
def test_runs_that_ranx_evaluated_and_its_report():
    ranx = pytest.importorskip("ranx")
    qrels = ranx.Qrels({"1": {"x": 1}, "2": {"y": 1}})
    runs = [
        ranx.Run({"1": {"x": 0.9, "z": 0.1}, "2": {"y": 0.2, "w": 0.3}}, name="a"),
        ranx.Run({"1": {"z": 0.9, "x": 0.1}, "2": {"w": 0.2, "y": 0.1}}, name="b"),
    ]
    with pytest.raises(ValueError, match=r"holds no scores: evaluate it first"):
        pdeval.scores(runs)
    report = ranx.compare(qrels, runs, ["mrr"], stat_test="student")
    made = pdeval.scores(runs)
    assert made.ireval.order()["run"].tolist() == ["a", "b"]
    assert sorted(made["value"]) == [0.5, 0.5, 0.5, 1.0]
    assert rows(pdeval.scores(report)) == [["a", "all", "mrr", 0.75], ["b", "all", "mrr", 0.5]]


FAULTS = {
    "no numbers": (
        lambda: pdeval.scores(pd.DataFrame({"qid": ["1"], "a": ["x"]}), measure="AP"),
        "'a' is not numeric",
    ),
    "no query": (
        lambda: pdeval.scores(pd.DataFrame({"a": [0.5]}), measure="AP"),
        "no query column among a",
    ),
    "no rows": (lambda: pdeval.scores(WIDE.head(0)), "the table has no values"),
    "two queries": (
        lambda: pdeval.scores(WIDE.assign(topic=1)),
        "two columns could be the query: 'qid' and 'topic'",
    ),
    "both": (
        lambda: pdeval.scores(WIDE, measure="AP", measures=["map"]),
        "it cannot be combined with measures=",
    ),
    "a lost column": (
        lambda: pdeval.scores(WIDE, query="topic_no"),
        "no column 'topic_no'; the table has name, qid",
    ),
    "a lost measure": (
        lambda: pdeval.scores(WIDE, measures=["AP"]),
        "no column 'AP'; the table has name, qid",
    ),
    "a list": (lambda: pdeval.scores([1, 2]), "expected a table of scores, got list"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_faults_say_what_was_found(case):
    call, text = FAULTS[case]
    with pytest.raises((ValueError, KeyError, TypeError), match=text):
        call()


def test_the_callers_table_is_not_changed():
    before = WIDE.copy(deep=True)
    pdeval.scores(WIDE)
    pd.testing.assert_frame_equal(WIDE, before)


ANSWERS = pd.DataFrame(
    {"query_text": ["who?", "what?"], "response": ["x", "y"], "map": [0.5, 0.25]}
)


def test_an_unknown_query_column_is_asked_for():
    """28.26: every row was of the query 'all'."""
    asked = r"unknown query column among query_text, response, map.* Specify it: .*scores\(.*query='query_text'\)"
    for table in (
        ANSWERS,
        ANSWERS.head(1),
        ANSWERS.assign(run=["a", "b"]),
        ANSWERS.assign(run="a"),
    ):
        with pytest.raises(ValueError, match=asked):
            pdeval.scores(table)
    assert rows(pdeval.scores(ANSWERS, query="query_text"))[0] == ["run", "who?", "map", 0.5]


def test_an_unknown_query_column_of_a_long_table_is_asked_for():
    long = ANSWERS.rename(columns={"map": "value"}).assign(measure="map", run="a")
    with pytest.raises(ValueError, match=r"unknown query column.*query='query_text'"):
        pdeval.scores(long)
    assert set(pdeval.scores(long, query="query_text")["query_text"]) == {"who?", "what?"}


def test_rows_of_one_run_are_no_means():
    """A number is no measure, and what is left without it is not one value per run."""
    table = pd.DataFrame({"name": ["a", "a", "b"], "number": [1, 2, 1], "map": [0.5, 0.25, 1.0]})
    with pytest.raises(
        ValueError,
        match=r"unknown query column among name, number, map; 2 rows have the same run, e.g. 'a'",
    ):
        pdeval.scores(table, measures=["map"])


def test_an_unknown_run_column_is_asked_for():
    table = pd.DataFrame({"llm": ["a", "b"], "qid": "1", "map": [0.5, 0.25]})
    with pytest.raises(
        ValueError,
        match=r"unknown run column among llm, qid, map; 2 rows have the same query, e.g. '1'",
    ):
        pdeval.scores(table)
    assert set(pdeval.scores(table, run="llm")["llm"]) == {"a", "b"}


def test_text_beside_means_is_no_query():
    made = pdeval.scores(
        pd.DataFrame({"name": ["a", "b"], "notes": ["x", "y"], "map": [0.5, 0.25]})
    )
    assert set(made["query_id"]) == {"all"}


def test_means_of_runs_with_several_columns_are_means():
    table = pd.DataFrame({"model": ["m", "m"], "seed": [1, 2], "map": [0.5, 0.25]})
    assert rows(pdeval.scores(table, run=["model", "seed"]))[1] == ["m", 2, "all", "map", 0.25]


def test_two_columns_that_could_be_the_query_of_a_long_table_are_asked_for():
    long = pd.DataFrame(
        {"run": ["a"], "qid": ["1"], "topic": ["2"], "measure": ["map"], "value": [0.5]}
    )
    with pytest.raises(
        ValueError,
        match=r"two columns could be the query: 'qid' and 'topic'. Specify it: query='qid'",
    ):
        pdeval.scores(long)


def test_a_long_table_names_its_runs_as_a_wide_one_does():
    long = pd.DataFrame({"model": ["a", "b"], "qid": "1", "measure": "map", "value": [0.5, 0.25]})
    assert rows(pdeval.scores(long)) == [["a", "1", "map", 0.5], ["b", "1", "map", 0.25]]
