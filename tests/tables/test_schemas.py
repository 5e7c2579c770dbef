import pandas as pd
import pytest

from pdeval.tables import schemas
from pdeval.tables.schemas import SCHEMAS, table
from pdeval.verbs import VERBS
from tests.schema_faults import faults


@pytest.fixture
def example():
    made = table(
        "example",
        "run [query] measure tied_fraction:fraction n:int",
        "example table",
        row="run",
        means={"tied_fraction": "ties"},
    )
    yield made
    del SCHEMAS["example"]
    VERBS.pop("example")  # every table has a report


def frame(**columns):
    return pd.DataFrame(
        {"run": ["a"], "measure": ["AP"], "tied_fraction": [0.5], "n": [3], **columns}
    )


def test_a_schema_is_declared_in_one_line(example):
    assert example.required == ("run", "measure", "tied_fraction", "n")
    assert example.listed == "run, [query], measure, tied_fraction, n"
    assert example.article == "an example table (run, measure, tied_fraction, n)"
    assert example.meaning("tied_fraction") == "ties"
    assert example.meaning("n") == "number of queries that count"


def test_a_table_is_declared_once(example):
    with pytest.raises(ValueError, match=r"already a table 'example'. Use another name"):
        table("example", "run", "another")


def test_a_column_holds_something_known():
    with pytest.raises(
        ValueError, match=r"column 'x:number' has an unknown type. Use one of id, text, int"
    ):
        table("wrong", "x:number", "wrong table")
    assert "wrong" not in SCHEMAS


FAULTS = {
    "nothing wrong": (frame(), []),
    "optional column": (
        frame()[["run", "measure", "tied_fraction", "n"]]
        .assign(query_id="1")
        .iloc[:, [0, 4, 1, 2, 3]],
        [],
    ),
    "missing": (frame().drop(columns="n"), ["no column 'n'"]),
    "unknown": (frame(extra=[1]), ["unknown column 'extra'"]),
    "order": (
        frame().iloc[:, ::-1],
        ["columns are in the order ['n', 'tied_fraction', 'measure', 'run'], not"],
    ),
    "dtype": (frame(tied_fraction=[1]), ["'tied_fraction' should hold fraction and is int64"]),
    "text": (frame(measure=[1]), ["'measure' should hold text and is int64"]),
    "index": (frame().set_index(pd.Index(["x"])), ["its index is Index"]),
}


@pytest.mark.parametrize("case", FAULTS)
def test_faults_of_a_result_are_named(example, case):
    held, wanted = FAULTS[case]
    found = faults(example, held, {"query": ["query_id"]})
    assert len(found) == len(wanted)
    assert all(one.startswith(text) for one, text in zip(found, wanted))


def test_a_run_of_several_columns_stands_for_one_role(example):
    held = frame().rename(columns={"run": "model"})
    held.insert(1, "seed", 1)
    assert faults(example, held, {"run": ["model", "seed"]}) == []


def test_a_square_table_has_the_same_labels_on_both_sides():
    square = pd.DataFrame([[0.0]], index=["a"], columns=["a"])
    assert faults(SCHEMAS["matrix"], square, {}) == []
    assert faults(SCHEMAS["matrix"], square.rename(index={"a": "b"}), {}) == [
        "index and columns differ"
    ]


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_table_says_what_it_is_and_why_it_cannot_be_reported_or_drawn(name):
    from pdeval.verbs import of_kind

    schema, verbs = SCHEMAS[name], of_kind(name)
    assert schema.description, f"say what messages call {name}"
    assert schema.square or schema.row, f"say what one row of {name} stands for: row="
    assert ("report" in verbs) != bool(schema.no_report), (
        f"{name}: declare a report for it, or why there is none"
    )
    assert ("plot" in verbs) != bool(schema.no_plot), (
        f"{name}: declare a plot of it, or why there is none"
    )
    known = {column.name for column in schema.columns}
    assert set(schema.means) <= known, f"{name} explains columns that it does not have"
    assert set(schema.sort) <= known, f"{name} is sorted by columns that it does not have"


def test_every_column_kind_has_a_test():
    assert all(callable(test) for test in schemas.KINDS.values())
