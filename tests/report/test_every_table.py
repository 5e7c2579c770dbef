"""Every table has a report, its own or the plain one, or says why it has none."""

import pandas as pd
import pytest

import pdeval
from pdeval.report import report_table
from pdeval.report.latex import PAGE_ROWS
from pdeval.tables import schemas
from pdeval.tables.schemas import SCHEMAS, table
from pdeval.verbs import VERBS, of_kind

VALUES = {"int": [1, 2], "float": [0.5, 0.25], "fraction": [0.5, 0.25], "bool": [True, False]}
NAMES = {"query": "query_id", "doc": "doc_id"}
reported = [name for name in SCHEMAS if VERBS.get(name, {}).get("report")]
plain = [name for name in reported if VERBS[name]["report"].function is report_table]


def frame_of(schema):
    """Two rows of a table, made from its schema."""
    columns = {
        NAMES.get(c.name, c.name): VALUES.get(c.holds, ["x_1", "y_2"]) for c in schema.columns
    }
    frame = pd.DataFrame(columns)
    frame.attrs["table"] = schema.name
    return frame


@pytest.fixture
def mine():
    yield table(
        "mine",
        "run [query] p_value:float kept:fraction",
        "table of mine",
        means={"kept": "what was kept"},
    )
    SCHEMAS.pop("mine")
    VERBS.pop("mine")


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_a_table_is_reported_or_says_why_not(name):
    if "report" in of_kind(name):
        return
    schema = SCHEMAS[name]
    assert schema.no_report, f"{name} has no report: drop no_report=, or say why"
    if not schema.square and "-" not in schema.recognized_by:
        with pytest.raises(AttributeError, match="has no report: "):
            _ = frame_of(schema).ireval.report


@pytest.mark.parametrize("name", sorted(plain))
def test_the_plain_report_shows_every_column(name):
    frame = frame_of(SCHEMAS[name])
    made = frame.ireval.report()
    assert [column.name for column in made.columns] == list(frame.columns)
    assert len({column.header for column in made.columns}) == len(frame.columns)
    assert (
        made.caption == SCHEMAS[name].description[0].upper() + SCHEMAS[name].description[1:] + "."
    )
    assert made.to_latex().startswith("\\begin{table}")


def test_a_table_declared_later_has_the_plain_report(mine):
    frame = frame_of(mine).assign(p_value=[0.00001, 0.2])
    assert frame.ireval.report(digits={"kept": 1}, names={"x_1": "X"}).to_markdown() == (
        "Table of mine.\n\n"
        "| System | Query |      p | Kept |\n"
        "|:-------|:------|-------:|-----:|\n"
        "| X      | X     | <0.001 |  0.5 |\n"
        "| y_2    | y_2   |  0.200 |  0.2 |\n\n"
        "Kept: what was kept."
    )


def test_columns_can_be_chosen_and_rows_grouped(mine):
    frame = frame_of(mine)
    made = frame.ireval.report(
        columns=["kept", "run"], group="query_id", caption="", footnotes=False
    )
    assert [column.header for column in made.columns] == ["Kept", "System"]
    assert [group.title for group in made.groups] == ["x_1", "y_2"]
    assert (made.caption, made.notes) == (None, ())
    with pytest.raises(
        ValueError,
        match="the table has no column 'tied_fraction'; it has run, query_id, p_value, kept",
    ):
        frame.ireval.report(columns=["tied_fraction"])
    with pytest.raises(ValueError, match="the table has no rows; there is nothing to report"):
        frame[:0].ireval.report()


def test_a_table_that_says_why_it_has_no_report_gets_none():
    table(
        "silent", "run p_value:float hushed:fraction", "silent table", no_report="it says nothing"
    )
    SCHEMAS.pop("silent")
    assert "silent" not in VERBS


def test_the_table_of_a_report_of_its_own_is_not_given_the_plain_one():
    own = {
        name: VERBS[name]["report"].function
        for name in ("scores", "orders", "comparisons", "matrix", "correlations")
    }
    assert report_table not in own.values()
    assert len(schemas.WATCHERS) == 1


MADE = {
    "scores": lambda judged: judged.measure(["AP", "RR"]),
    "preferences": lambda judged: judged.prefer("RPP"),
    "summary": lambda judged: judged.summary(["AP", "RR"]),
    "means": lambda judged: judged.summary("RPP"),
    "matrix": lambda judged: judged.matrix("RPP"),
    "orders": lambda judged: judged.order(["RPP", "AP"]),
    "comparisons": lambda judged: judged.compare(["AP", "RR"], baseline="bm25"),
    "discriminative_power": lambda judged: judged.discriminative_power(["AP", "RR"], tests=["t"]),
    "correlations": lambda judged: judged.correlate(["RPP", "AP", "RR"]),
}


@pytest.mark.parametrize("name", MADE)
def test_what_a_join_gives_is_reported_also_where_its_notes_were_lost(name):
    made = MADE[name](pdeval.datasets.sample_judged(queries="common"))
    bare = made.copy()
    bare.attrs = {}
    tables = [
        frame.ireval.report(footnotes=False) if name != "correlations" else frame.ireval.report()
        for frame in (made, bare)
    ]
    assert tables[0] == tables[1]
    long = len(tables[0].rows) > PAGE_ROWS
    text = tables[0].to_latex(environment="longtable" if long else "table")
    assert text.startswith("\\begingroup\n\\begin{longtable}" if long else "\\begin{table}")


def test_a_frame_of_no_kind_has_no_report():
    with pytest.raises(AttributeError, match=r"report\(\): expected a run table"):
        pd.DataFrame({"x": [1], "y": [2]}).ireval.report()


@pytest.mark.parametrize("dtype", ["Float64", "double[pyarrow]", "object"])
def test_numbers_of_any_dtype_are_reported_alike(dtype):
    """28.22: of Float64, Arrow and objects the report of a confusion was an error of numpy."""
    table = pd.DataFrame(
        {"assessor": "llm", "reference": [0, 0, 1, 1], "label": [0, 1, 0, 1], "n": [3, 1, 0, 2]}
    )
    table["fraction"] = [0.75, 0.25, 0.0, 1.0]
    other = table.astype({"n": dtype, "fraction": dtype})
    assert str(other.ireval.report()) == str(table.ireval.report())
    assert str(other.ireval.report(counts=True)) == str(table.ireval.report(counts=True))
    with pytest.raises(
        ValueError, match=r"the fraction column has 1 values that are not numbers, e\.g\. 'x'"
    ):
        table.assign(fraction=[0.75, 0.25, 0.0, "x"]).ireval.report()
