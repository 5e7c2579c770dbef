"""Tables of other libraries as pandas frames: text, dictionaries, numbers and missing values, each as it was."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import pdeval
from pdeval.tables import dataframes
from pdeval.tables.dataframes import text_dtype

RUNS = pa.table(
    {
        "run": pa.array(["a", "a", "b"]).dictionary_encode(),
        "query_id": ["01", "01", "01"],
        "doc_id": ["x", "y", "y"],
        "score": [2.0, 1.0, 9.0],
        "rank": [1, 2, 1],
    }
)
QRELS = pa.table({"query_id": ["01"], "doc_id": ["y"], "relevance": [1]})


def test_an_arrow_table_becomes_text_categories_and_numbers():
    frame = pdeval.frame(RUNS)
    assert frame["run"].tolist() == ["a", "a", "b"]
    assert isinstance(frame["run"].dtype, pd.CategoricalDtype)
    assert frame["query_id"].dtype == text_dtype()
    assert frame["score"].dtype == np.float64
    assert frame["rank"].dtype == np.int64
    assert isinstance(frame.index, pd.RangeIndex)


def test_a_pandas_frame_is_returned_as_it_is():
    frame = pd.DataFrame({"run": ["a"]})
    assert pdeval.frame(frame) is frame


def test_the_frame_can_be_changed_and_the_table_cannot_be_through_it():
    frame = pdeval.frame(RUNS)
    frame.loc[0, ["score", "doc_id", "run"]] = [7.0, "z", np.nan]
    assert RUNS.slice(0, 1).to_pylist() == [
        {"run": "a", "query_id": "01", "doc_id": "x", "score": 2.0, "rank": 1}
    ]


def test_a_dictionary_with_unused_double_and_missing_names_becomes_categories_that_rows_have():
    names = pa.array(["never", "a", None, "a", "b"])
    column = pa.DictionaryArray.from_arrays(pa.array([4, 1, 2, 3, None], pa.uint32()), names)
    made = pdeval.frame(pa.table({"run": column}))["run"]
    assert made.isna().tolist() == [False, False, True, False, True]
    assert made.dropna().tolist() == ["b", "a", "a"]
    assert sorted(made.cat.categories) == ["a", "b"]


@pytest.mark.extras
@pytest.mark.parametrize(
    "ids",
    [["b", "b", "a", "b", "c"], ["b", None, "a"], [None, None], [], ["b"] * 300 + ["c", "b"]],
    ids=["names", "missing", "only missing", "no rows", "long"],
)
def test_polars_categories_are_those_of_the_rows_in_the_order_of_their_first_rows(ids):
    polars = pytest.importorskip("polars")
    other = polars.Series("self", ["never", "c", "a"], dtype=polars.Categorical)
    column = polars.Series("self", ids, dtype=polars.Categorical)
    chunks = polars.concat([other, column, column], rechunk=False)[len(other) :]
    for table in (column.to_frame(), chunks.to_frame()):
        made = pdeval.frame(table)["self"]
        expected = table["self"].to_list()
        assert made.astype(object).where(made.notna(), None).tolist() == expected
        names = list(dict.fromkeys(name for name in expected if name is not None))
        if None in expected:  # Polars exports these, in an order of its own
            assert sorted(made.cat.categories) == sorted(names)
        else:
            assert made.cat.categories.tolist() == names
        assert made.cat.categories.dtype == pd.Categorical(names).categories.dtype


def test_chunks_with_dictionaries_of_their_own_are_one_column():
    chunks = [
        pa.array(names, pa.string()).dictionary_encode() for names in (["a", "b"], ["b", "c"], [])
    ]
    made = pdeval.frame(pa.table({"run": pa.chunked_array(chunks)}))["run"]
    assert made.tolist() == ["a", "b", "b", "c"]
    assert made.cat.categories.tolist() == ["a", "b", "c"]


def test_a_table_without_rows_or_chunks_keeps_its_columns():
    kinds = {
        "run": pa.dictionary(pa.int32(), pa.string()),
        "doc_id": pa.string(),
        "score": pa.float64(),
    }
    for table in (pa.schema(kinds).empty_table(), pa.Table.from_batches([], pa.schema(kinds))):
        frame = pdeval.frame(table)
        assert frame.columns.tolist() == ["run", "doc_id", "score"]
        assert len(frame) == 0


def test_decimals_are_the_nearest_floats():
    column = pa.array([Decimal("0.3"), Decimal("1.15"), None], pa.decimal128(10, 2))
    values = pdeval.frame(pa.table({"score": column}))["score"]
    assert values[:2].tolist() == [0.3, 1.15]  # to the last bit; 3 * 0.1 is not
    assert np.isnan(values[2])


def test_missing_values_stay_missing_and_are_reported_as_those_of_pandas_are():
    table = RUNS.set_column(3, "score", pa.array([1.0, None, 2.0]))
    with pytest.raises(
        ValueError, match=r"score column has 1 missing values \(NaN\), first in row 1"
    ):
        pdeval.frame(table).ireval.measure(QRELS)
    table = RUNS.set_column(2, "doc_id", pa.array(["x", None, "y"]))
    with pytest.raises(ValueError, match="missing"):
        pdeval.frame(table).ireval.measure(QRELS)
    grades = QRELS.set_column(2, "relevance", pa.array([None], pa.int64()))
    with pytest.raises(ValueError, match=r"grade column has 1 missing values"):
        pdeval.frame(RUNS).ireval.measure(grades)


def test_a_column_name_twice_is_told_and_not_lost():
    table = pa.table([pa.array(["1"]), pa.array(["2"])], names=["query_id", "query_id"])
    with pytest.raises(ValueError, match="the column name 'query_id' more than once"):
        pdeval.frame(table)


def test_what_a_result_says_of_itself_survives_arrow():
    scores = pdeval.frame(RUNS).ireval.measure(QRELS, "RR")
    table = pa.Table.from_pandas(scores)
    if "attributes" not in table.schema.pandas_metadata:
        pytest.skip("this pyarrow does not write what a frame says of itself")
    back = pdeval.frame(table)
    assert back.attrs["table"] == "scores"
    assert back.attrs["run_columns"] == ["run"]


def test_an_index_that_pandas_wrote_is_no_column():
    table = pa.Table.from_pandas(pd.DataFrame({"run": ["a", "b"]}, index=[5, 7]))
    assert pdeval.frame(table).columns.tolist() == ["run"]


def test_a_reader_is_read_once_and_says_so_when_it_is_empty():
    reader = QRELS.to_reader()
    assert len(pdeval.frame(RUNS).ireval.measure(reader, "RR")) == 2
    with pytest.raises(
        ValueError, match=r"A reader can be read only once: keep table = reader\.read_all\(\)"
    ):
        pdeval.frame(reader)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([1, 2], "got list. Pass a pandas, Polars or PyArrow table; pandas.DataFrame"),
        ("runs.txt", r"got str. .*pdeval.read_run\(path\)"),
        ({"q": {"d": 1}}, r"got dict. .*pdeval.from_dict\(...\) makes one of nested dicts"),
        (None, "got NoneType"),
        (pd.Series([1]), "got Series. .*this is a single column"),
        (pa.chunked_array([[1]]), "got ChunkedArray. .*this is a single column"),
    ],
)
def test_what_is_no_table_is_told_what_to_pass(value, text):
    with pytest.raises(TypeError, match=text):
        pdeval.frame(value)


def test_tables_in_a_list_are_converted_and_a_column_is_left_to_whoever_takes_names():
    two = dataframes.as_table([QRELS, pd.DataFrame({"run": ["a"]})])
    assert [type(one) for one in two] == [pd.DataFrame, pd.DataFrame]
    column = pa.chunked_array([["a"]])
    assert dataframes.as_table(column) is column
    assert dataframes.as_table(["AP", "RR"]) == ["AP", "RR"]


class Stream:
    """A table of a library that pdeval has never heard of."""

    def __init__(self, table, columns=None):
        self.table = table
        self.columns = columns or table.column_names

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_any_object_that_offers_an_arrow_stream_is_a_table():
    scores = pdeval.frame(Stream(RUNS)).ireval.measure(Stream(QRELS), "RR")
    assert scores["value"].tolist() == [0.5, 1.0]


@pytest.mark.skipif(not hasattr(pa, "string_view"), reason="this pyarrow cannot make string views")
def test_string_views_are_text_also_as_names_of_dictionaries():
    if not dataframes._casts_views():
        pytest.skip("this pyarrow cannot read string views")
    views = pa.array(["01", "a text that is too long to be inlined", None], pa.string_view())
    frame = pdeval.frame(pa.table({"doc_id": views}))
    assert frame["doc_id"].dtype == text_dtype()
    assert frame["doc_id"][:2].tolist() == ["01", "a text that is too long to be inlined"]
    assert frame["doc_id"].isna()[2]
    coded = pa.DictionaryArray.from_arrays(pa.array([1, 0, 1], pa.uint32()), views[:2])
    assert pdeval.frame(pa.table({"run": coded}))["run"].tolist()[1] == "01"


@pytest.mark.skipif(not hasattr(pa, "string_view"), reason="this pyarrow cannot make string views")
def test_an_old_pyarrow_that_cannot_read_views_says_so(monkeypatch):
    monkeypatch.setattr(dataframes, "_casts_views", lambda: False)
    table = pa.table({"doc_id": pa.array(["x"], pa.string_view())})
    with pytest.raises(
        ValueError, match=r"has string views, which pyarrow .* cannot read. Update pyarrow"
    ):
        pdeval.frame(table)
