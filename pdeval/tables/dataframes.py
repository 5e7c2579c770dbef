"""Other frames to pandas: whatever hands out its columns as an Arrow stream is a table, wherever a table is taken.

That is Polars, PyArrow, DuckDB relations, Ibis results and others; none of these packages is imported, and none is
needed. The doors call `as_table` on every argument, and `tables.read` on whatever else reaches it.

    text            stays in the Arrow memory that it comes in, as pandas' text; string views are cast once
    dictionaries    become categories, without those that no row has
    numbers         become numpy
    missing values  stay missing: the checks that every pandas table passes report them
"""

from __future__ import annotations

import functools
import json
import re
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from pdeval.tables import arrow
from pdeval.tables.dicts import as_judgments, is_ranx
from pdeval.verbs.arguments import shown

STREAM = "__arrow_c_stream__"
INDEX = re.compile(r"__index_level_\d+__")  # an index that pandas wrote beside the columns


def frame(table: object) -> pd.DataFrame:
    """Return a table of another library as a pandas frame, which has `.ireval`.

    Takes whatever offers `__arrow_c_stream__`: Polars and PyArrow tables, DuckDB relations, Ibis results. What is given
    is not changed; a PyArrow reader, which can be read once only, is read. A pandas frame is returned as it is. The
    verbs take such tables as they are wherever they take one (judgments, metadata, labels), so that this is needed for
    the first only. Results are pandas; `polars.DataFrame(result)` and `pyarrow.table(result)` take them back.

    Parameters
    ----------
    table : object
        The table.

    Examples
    --------
    >>> import pyarrow as pa
    >>> runs = pa.table({"run": "bm25 bm25 ql".split(), "qid": "1 1 1".split(), "docno": "x y y".split(),
    ...                  "score": [2.0, 1.0, 9.0]})
    >>> qrels = pa.table({"qid": ["1"], "docno": ["y"], "label": [1]})
    >>> frame(runs).ireval.measure(qrels, "RR")
        run qid measure  value
    0  bm25   1      RR    0.5
    1    ql   1      RR    1.0
    """
    if isinstance(table, pd.DataFrame):
        return table
    if not is_stream(table):
        raise TypeError(not_a_table(table))
    held = _arrow_table(table)
    repeated = {name for name in held.column_names if held.column_names.count(name) > 1}
    if repeated:
        raise ValueError(f"the table has the column name {min(repeated)!r} more than once; rename one of them.")
    columns = {name: _column(held[name]) for name in held.column_names if not INDEX.fullmatch(name)}
    made = pd.DataFrame(columns, index=pd.RangeIndex(held.num_rows), copy=False)
    made.attrs = _attrs(held.schema.metadata or {})
    return made


def as_table(value: Any, *, judgments: bool = False) -> Any:
    """Return an argument with the tables of other libraries in it made pandas frames; all else as it is.

    Parameters
    ----------
    judgments : bool
        Whether judgments are taken here, which may also be nested dicts or named tuples.

    Examples
    --------
    >>> type(as_table(pa.table({"run": ["a"]}))).__name__, as_table("AP")
    ('DataFrame', 'AP')
    """
    if isinstance(value, pd.DataFrame):
        check_labels(value, once=True)
    if isinstance(value, list | tuple) and any(_is_table(one) for one in value):
        return [as_table(one) for one in value]
    if _is_table(value) or _is_near_table(value):
        return frame(value)
    return as_judgments(value) if judgments else value


def check_labels(table: pd.DataFrame, *, once: bool = False) -> None:
    """Raise where a column has no name (or one that another has), or `attrs` say what pdeval does not write there.

    Examples
    --------
    >>> check_labels(pd.DataFrame({None: [1]}))
    Traceback (most recent call last):
    ValueError: a column has no name (None or NaN). Name it: df.columns = [...].
    """
    if not isinstance(table.columns, pd.MultiIndex) and table.columns.hasnans:
        raise ValueError("a column has no name (None or NaN). Name it: df.columns = [...].")
    labels: list[object] = list(table.columns) if table.columns.dtype == object else []
    for name in labels:
        if isinstance(name, str) and not name.isprintable() and re.search("[\ud800-\udfff]", name):
            raise ValueError(f"the column {name!r} is named by half of a character (a lone surrogate); rename it.")
    if once and not table.columns.is_unique:
        again = table.columns[table.columns.duplicated()][0]
        raise ValueError(f"the table has the column name {again!r} more than once; rename one of them.")
    for key, said in table.attrs.items():
        if key == "run_columns":
            sound = isinstance(said, list | tuple) and all(isinstance(one, str) for one in said)
        elif key == "measures":
            sound = isinstance(said, dict) and all(isinstance(one, dict) for one in said.values())
        else:
            sound = not str(key).endswith("_column") or said is None or isinstance(said, str)
        if not sound:
            raise ValueError(f"df.attrs[{key!r}] is {shown(said)}, which pdeval did not write; remove it.")


def is_stream(value: object) -> bool:
    """Return whether an object offers an Arrow stream; asked of its type, since some answer to any name.

    Examples
    --------
    >>> is_stream(pa.table({"run": ["a"]})), is_stream({"run": ["a"]})
    (True, False)
    """
    return hasattr(type(value), STREAM)


def _is_table(value: object) -> bool:
    """Whether a stream is one of columns: a single column has none, and stays a list of names to whoever takes one."""
    if not is_stream(value) or isinstance(value, pd.DataFrame | pd.Series):
        return False
    return any(hasattr(value, name) for name in ("columns", "column_names", "schema"))


def _is_near_table(value: object) -> bool:
    """Whether an object becomes a table by one more call, which the error then names."""
    return any(_named(value, *near) for near in _NEAR)


# what is nearly a table, by module and class, and the call that makes it one
_NEAR = {
    ("polars", "LazyFrame"): "a LazyFrame is a plan, not a table yet: call .collect() first",
    ("duckdb", "DuckDBPyConnection"): "a connection holds many tables: pass one, as con.sql('SELECT * FROM runs')",
    ("pyspark", "DataFrame"): "a Spark DataFrame is not in this process: call .toPandas() first",
}


def _named(value: object, package: str, name: str) -> bool:
    kind = type(value)
    return kind.__name__ == name and kind.__module__.lstrip("_").partition(".")[0] == package


def not_a_table(value: object, what: str = "a table") -> str:
    """Return what to say of something that is no table, and what to pass.

    Examples
    --------
    >>> not_a_table([1, 2])
    'expected a table, got list. Pass a pandas, Polars or PyArrow table; pandas.DataFrame(rows) makes one of rows.'
    """
    for near, advice in _NEAR.items():
        if _named(value, *near):
            return f"expected {what}, got {type(value).__name__}: {advice}."
    if isinstance(value, str | PathLike):
        how = "pdeval.read_run(path), read_qrels(path) or pandas.read_csv(path) reads a file"
    elif isinstance(value, dict) or is_ranx(value):
        how = "pdeval.from_dict(...) makes one of nested dicts, pandas.DataFrame(...) one of a dict of columns"
    elif hasattr(type(value), "compute"):
        how = ".compute() makes one of a Dask DataFrame"
    elif is_stream(value) or isinstance(value, pd.Series | pa.ChunkedArray):
        how = "this is a single column"
    else:
        how = "pandas.DataFrame(rows) makes one of rows"
    return f"expected {what}, got {type(value).__name__}. Pass a pandas, Polars or PyArrow table; {how}."


def _arrow_table(table: Any) -> pa.Table:
    """Return a stream read into an Arrow table."""
    try:
        held = pa.table(table)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as fault:
        raise TypeError(not_a_table(table)) from fault
    if isinstance(table, pa.RecordBatchReader) and not held.num_rows:
        raise ValueError("this reader holds no rows; a reader can be read once only: keep table = reader.read_all().")
    if not _casts_views() and any("string_view" in str(kind) for kind in held.schema.types):
        if not hasattr(table, "to_arrow"):
            raise ValueError(
                f"the table holds string views, which pyarrow {pa.__version__} cannot read. Update pyarrow, or cast "
                "these columns to strings first."
            )
        held = table.to_arrow()  # Polars: without views
    return held


@functools.cache
def _casts_views() -> bool:
    """Whether this pyarrow makes strings of string views: those before version 20 may not."""
    if not hasattr(pa, "string_view"):
        return False
    try:
        pa.array(["a"], pa.string_view()).cast(pa.large_string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return False
    return True


def _column(column: pa.ChunkedArray) -> Any:
    """Return a column of any Arrow type as pandas holds it."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _categories(column)
    if str(kind) == "string_view":
        column = column.cast(pa.large_string())
    elif pa.types.is_decimal(kind):  # numbers of SQL; by their text, which rounds right where Arrow's own cast may not
        column = column.cast(pa.string()).cast(pa.float64())
    return arrow.series(column)


def _categories(column: pa.ChunkedArray) -> Any:
    """Return dictionaries as categories: every name once, and none that no row has.

    Arrow allows names twice, missing names and names that are never used: Polars keeps one dictionary for many columns.
    """
    values = column.type.value_type
    text = pa.large_string() if "string" in str(values) else values
    if not column.num_chunks:
        return pd.Categorical([])
    every = pa.chunked_array([chunk.dictionary.cast(text) for chunk in column.chunks])
    number, once = pd.factorize(every.to_pandas().astype(object))  # a missing name gets -1
    used = np.zeros(len(once) + 1, dtype=bool)  # the last is that of -1
    codes, at = [], 0
    small = np.min_scalar_type(-len(once) - 1)
    for chunk in column.chunks:
        own = np.append(number[at : at + len(chunk.dictionary)], -1).astype(small)
        missing = pa.scalar(len(own) - 1, chunk.indices.type)
        indices = chunk.indices.fill_null(missing) if chunk.null_count else chunk.indices
        codes.append(own[indices.to_numpy(zero_copy_only=False)])
        used[codes[-1]] = True
        at += len(own) - 1
    code, names = np.concatenate(codes), np.asarray(once, dtype=object)[used[:-1]]
    if len(names) < len(once):
        place = np.append(np.cumsum(used[:-1]) - 1, -1).astype(small)
        code = place[code]
    return arrow.categorical(code, list(names))


def _attrs(metadata: dict[bytes, bytes]) -> dict[Any, Any]:
    """Return what a frame said of itself when pandas wrote it to Arrow: which table it is, its direction and rules."""
    said: dict[Any, Any] = {}
    for key, inside in ((b"PANDAS_ATTRS", None), (b"pandas", "attributes")):
        if key in metadata:
            held = json.loads(metadata[key])
            said.update(held if inside is None else held.get(inside) or {})
    return said
