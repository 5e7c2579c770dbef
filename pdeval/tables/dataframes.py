"""Conversion of other libraries' tables, nested dicts and named tuples to pandas frames.

All objects with an Arrow stream are accepted as tables: Polars, PyArrow, DuckDB relations, Ibis results and others;
none of these packages is imported. The accessors call `as_table` on every argument.

    text            stays in Arrow memory, as pandas strings; string views are cast once
    dictionaries    become categories, without unused ones
    numbers         become numpy arrays
    missing values  stay missing: the checks of pandas tables report them

Runs and judgments of pytrec_eval, ranx, ir_measures and ir_datasets are nested dicts or named tuples:

    {query: {doc: number}}              a run or judgments
    {run: {query: {doc: score}}}        runs
    [ScoredDoc(query_id, doc_id, score), ...], [Qrel(query_id, doc_id, relevance, ...), ...]
    ranx.Run, ranx.Qrels
"""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain
from numbers import Integral, Real
from os import PathLike
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from pdeval.tables.codes import counts_of, looked_up, renumbered
from pdeval.tables.vocabularies import listed
from pdeval.verbs import checks_arguments, short_repr

What = Literal["runs", "qrels"]
INDEX = re.compile(r"__index_level_\d+__")  # an index that pandas wrote beside the columns


def frame(table: Any) -> pd.DataFrame:
    """Return a table of another library as a pandas frame, which has `.ireval`.

    Accepts all objects with `__arrow_c_stream__`: Polars and PyArrow tables, DuckDB relations, Ibis results. The table
    is not changed, but a PyArrow reader is consumed. A pandas frame is returned unchanged. Arguments of verbs
    (judgments, metadata, labels) may be such tables, so only the first table needs this call. Results are pandas
    frames; convert them back with `polars.DataFrame(result)` or `pyarrow.table(result)`.

    Parameters
    ----------
    table : object
        Table to convert.

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
    coded = _polars_codes(table) if _package_and_class(table) == ("polars", "DataFrame") else {}
    read = _arrow_table(table.with_columns(*coded.values()) if coded else table)
    check_unique(read.column_names)
    result = pd.DataFrame(
        {
            name: _polars_categories(table[name], column) if name in coded else series(column)
            for name, column in zip(read.column_names, read.columns)
            if not INDEX.fullmatch(name)
        },
        index=pd.RangeIndex(read.num_rows),
        copy=False,
    )
    # `attrs` that pandas wrote: the table, its direction and rules
    metadata = read.schema.metadata or {}
    older = json.loads(metadata.get(b"pandas", b"{}")).get("attributes") or {}
    result.attrs = json.loads(metadata.get(b"PANDAS_ATTRS", b"{}")) | older
    return result


def as_table(value: Any, *, judgments: bool = False) -> Any:
    """Return an argument with tables of other libraries converted to pandas frames.

    Parameters
    ----------
    judgments : bool
        Whether the argument is judgments, which may also be nested dicts or named tuples.

    Examples
    --------
    >>> type(as_table(pa.table({"run": ["a"]}))).__name__, as_table("AP")
    ('DataFrame', 'AP')
    """
    if isinstance(value, pd.DataFrame):
        check_labels(value, once=True)
    if isinstance(value, list | tuple) and any(_is_table(one) for one in value):
        return [as_table(one) for one in value]
    if _is_table(value) or _package_and_class(value) in _NEAR:
        return frame(value)
    return as_judgments(value) if judgments else value


def check_labels(table: pd.DataFrame, *, once: bool = False) -> None:
    """Raise if a column has no name or a duplicate name, or if a key of `attrs` is not valid.

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
            raise ValueError(
                f"the column name {name!r} contains half of a character (a lone surrogate). Rename the column."
            )
    if once and not table.columns.is_unique:
        check_unique(table.columns)
    for key, value in table.attrs.items():
        is_valid = ATTRS.get("..._column" if str(key).endswith("_column") else key)
        if is_valid is not None and not is_valid(value):
            raise ValueError(
                f"df.attrs[{key!r}] is {short_repr(value)}, which pdeval did not write. Remove it."
            )


# keys that pdeval writes to `attrs`, and their tests
ATTRS: dict[Any, Callable[[Any], bool]] = {
    "run_columns": lambda value: (
        isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
    ),
    "measures": lambda value: (
        isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())
    ),
    "..._column": lambda value: value is None or isinstance(value, str),
}


def check_unique(names: Collection[Any], what: str = "the table") -> None:
    """Raise if two columns have the same name."""
    if repeated := [name for name, count in Counter(names).items() if count > 1]:
        raise ValueError(
            f"{what} has the column name {repeated[0]!r} more than once. Rename one of them."
        )


def is_stream(value: object) -> bool:
    """Return whether an object has an Arrow stream; tests its type, since some objects have all attributes.

    Examples
    --------
    >>> is_stream(pa.table({"run": ["a"]})), is_stream({"run": ["a"]})
    (True, False)
    """
    return hasattr(type(value), "__arrow_c_stream__")


def is_dask(value: object) -> bool:
    """Return whether an object is a Dask DataFrame; imports nothing.

    Examples
    --------
    >>> is_dask(pd.DataFrame())
    False
    """
    return hasattr(value, "dask") and hasattr(value, "map_partitions") and hasattr(value, "_meta")


def rows_of(dask_frame: Any) -> pd.DataFrame:
    """Return a Dask table as a pandas DataFrame, partition after partition, with its attributes."""
    rows: pd.DataFrame = dask_frame.compute().reset_index(drop=True)
    rows.attrs.update(dask_frame._meta.attrs)
    return rows


def gathered_table(value: Any) -> Any:
    """Return a Dask table, or its accessor with bound roles, on pandas; other values unchanged."""
    table = getattr(value, "_frame", value)
    if not is_dask(table):
        return value
    rows: Any = rows_of(table)
    return rows if table is value else rows.ireval(**value._binding)


def _package_and_class(value: object) -> tuple[str, str]:
    kind = type(value)
    return kind.__module__.lstrip("_").partition(".")[0], kind.__name__


def _is_table(value: object) -> bool:
    """Return whether an object is a table of another library; a single column is not."""
    if not is_stream(value) or isinstance(value, pd.DataFrame | pd.Series):
        return False
    return any(hasattr(value, name) for name in ("columns", "column_names", "schema"))


# objects that can be converted to tables, by module and class, and the call to suggest
_NEAR = {
    ("polars", "LazyFrame"): "a LazyFrame is a query plan. Call .collect() first",
    (
        "duckdb",
        "DuckDBPyConnection",
    ): "a connection has several tables. Pass one, e.g. con.sql('SELECT * FROM runs')",
    ("pyspark", "DataFrame"): "a Spark DataFrame is not in this process. Call .toPandas() first",
}


def not_a_table(value: object, what: str = "a table") -> str:
    """Return the message about something that is not a table, and what to pass.

    Examples
    --------
    >>> not_a_table([1, 2])
    'expected a table, got list. Pass a pandas, Polars or PyArrow table; pandas.DataFrame(rows) makes one of rows.'
    """
    expected = f"expected {what}, got {type(value).__name__}"
    if _package_and_class(value) in _NEAR:
        return f"{expected}: {_NEAR[_package_and_class(value)]}."
    how = "pandas.DataFrame(rows) makes one of rows"
    if isinstance(value, str | PathLike):
        how = "pdeval.read_run(path), read_qrels(path) or pandas.read_csv(path) reads a file"
    elif isinstance(value, dict) or is_ranx(value):
        how = "pdeval.from_dict(...) makes one of nested dicts, pandas.DataFrame(...) one of a dict of columns"
    elif hasattr(type(value), "compute"):
        how = ".compute() makes one of a Dask DataFrame"
    elif is_stream(value) or isinstance(value, pd.Series | pa.ChunkedArray):
        how = "this is a single column"
    return f"{expected}. Pass a pandas, Polars or PyArrow table; {how}."


def _arrow_table(table: Any) -> pa.Table:
    """Return a stream read into an Arrow table."""
    try:
        read = pa.table(table)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as fault:
        raise TypeError(not_a_table(table)) from fault
    if isinstance(table, pa.RecordBatchReader) and not read.num_rows:
        raise ValueError(
            "this reader has no rows left. A reader can be read only once: keep table = reader.read_all()."
        )
    if _casts_views() or not any("string_view" in str(kind) for kind in read.schema.types):
        return read
    if not hasattr(table, "to_arrow"):
        raise ValueError(
            f"the table has string views, which pyarrow {pa.__version__} cannot read. Update pyarrow, or cast these "
            "columns to strings first."
        )
    return table.to_arrow()  # Polars: without views


@functools.cache
def _casts_views() -> bool:
    """Return whether this version of pyarrow casts string views to strings; before version 20 it may not."""
    if not hasattr(pa, "string_view"):
        return False
    try:
        pa.array(["a"], pa.string_view()).cast(pa.large_string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return False
    return True


def _polars_codes(table: Any) -> dict[str, Any]:
    """Return the codes of categorical columns of a Polars frame; Polars hashes the rows if it exports the columns."""
    return {
        column.name: column.to_physical()
        for column in table.get_columns()
        if str(column.dtype).startswith("Categorical") and len(column) and not column.null_count()
    }


def _polars_categories(column: Any, codes: pa.ChunkedArray) -> pd.Categorical[str]:
    """Return a Polars column with these codes as categories, in the order of their first rows."""
    place, rows = renumbered(codes.to_numpy())
    names = series(_arrow_table(column[rows].cast(str).to_frame())[0])
    # categories have the default dtype of strings, which is object in pandas 2
    return categorical(place, pd.Index(names, dtype=pd.Index([""]).dtype))


def _categories(column: pa.ChunkedArray) -> Any:
    """Return dictionaries as categories, without duplicate and unused ones.

    Arrow dictionaries may have duplicate, missing and unused names: Polars has one dictionary for many columns.
    """
    if not column.num_chunks:
        return pd.Categorical([])
    values = column.type.value_type
    text = pa.large_string() if "string" in str(values) else values
    names = pa.chunked_array([chunk.dictionary.cast(text) for chunk in column.chunks])
    starts = np.cumsum([0, *map(len, names.chunks)]).tolist()
    # positions in the names of all chunks; a missing value has the position after the last name
    position = np.concatenate(
        [
            chunk.indices.cast(pa.int32()).fill_null(len(names) - start).to_numpy() + start
            for chunk, start in zip(column.chunks, starts)
        ]
    )
    number, once = pd.factorize(names.to_pandas().astype(object))
    number = np.append(number, -1)
    used = np.zeros(len(once) + 1, dtype=bool)  # the last element is for -1
    used[number[counts_of(position, len(number)) > 0]] = True
    # numbers without those of unused names
    place = np.append(np.cumsum(used[:-1]) - 1, -1).astype(np.min_scalar_type(-len(once) - 1))
    return categorical(
        looked_up(place[number], position), list(np.asarray(once, dtype=object)[used[:-1]])
    )


@checks_arguments
def from_dict(
    table: object, *, what: What | None = None, run: str | None = None, subtopics: bool = False
) -> pd.DataFrame:
    """Return nested dicts, named tuples, or ranx' `Run` and `Qrels`, as a run table or judgments.

    Verbs accept judgments in these forms directly, so only runs need this call.

    Parameters
    ----------
    table : mapping, iterable of named tuples, ranx.Run or ranx.Qrels
        query -> doc -> number, as in pytrec_eval and ranx; run -> query -> doc -> score; or the `ScoredDoc` and `Qrel`
        tuples of ir_measures and ir_datasets. Iterators are consumed.
    what : {'runs', 'qrels'}, optional
        Whether the numbers are scores or grades. By default integers are grades and other numbers scores.
    run : str, optional
        Name of the run of query -> doc -> score; by default none, or that of a `ranx.Run`.
    subtopics : bool, default False
        Whether the `iteration` of judgments is a subtopic, as in `read_qrels`; by default it is omitted.

    Returns
    -------
    DataFrame
        [run], query_id, doc_id, score; or query_id, doc_id, relevance, [subtopic]: rows in the order of the dict. A
        query without documents has no rows and is unanswered.

    Examples
    --------
    >>> import pdeval
    >>> runs = pdeval.from_dict({"bm25": {"q1": {"d1": 1.5, "d2": 0.5}}, "ql": {"q1": {"d2": 9.0}}})
    >>> runs
        run query_id doc_id  score
    0  bm25       q1     d1    1.5
    1  bm25       q1     d2    0.5
    2    ql       q1     d2    9.0
    >>> runs.ireval.measure({"q1": {"d2": 1, "d3": 0}}, "RR")
        run query_id measure  value
    0  bm25       q1      RR    0.5
    1    ql       q1      RR    1.0
    """
    if what not in (None, "runs", "qrels"):
        raise ValueError(f"what={what!r}: expected 'runs' or 'qrels'.")
    if what == "qrels" and run is not None:
        raise ValueError(f"run={run!r}: judgments have no run. Omit the argument.")
    if is_ranx(table):
        content: What = "qrels" if type(table).__name__ == "Qrels" else "runs"
        if what not in (None, content):
            raise ValueError(f"a ranx.{type(table).__name__} has {content}, not {what}.")
        ranx: Any = table
        return _of_mapping(
            ranx.to_dict(), content, None if content == "qrels" else run or ranx.name
        )
    if isinstance(table, Mapping):
        return _of_mapping(table, what, run)
    if isinstance(table, Iterable) and not isinstance(
        table, str | bytes | pd.DataFrame | pd.Series
    ):
        return _of_tuples(list(table), what, run, subtopics)
    raise TypeError(f"expected nested dicts or named tuples, got {type(table).__name__}.")


def as_judgments(value: Any) -> Any:
    """Return judgments in nested dicts, named tuples or `ranx.Qrels` as a table; other values unchanged.

    Examples
    --------
    >>> as_judgments({"q1": {"d1": 2}}).to_dict("records")
    [{'query_id': 'q1', 'doc_id': 'd1', 'relevance': 2}]
    """
    first = value[0] if isinstance(value, list | tuple) and value else None
    rows = isinstance(value, Iterator) or hasattr(first, "_fields")
    if rows or is_ranx(value) or (isinstance(value, Mapping) and not hasattr(value, "_frame")):
        return from_dict(value, what="qrels")
    return value


def is_ranx(value: object) -> bool:
    """Return whether an object is a `Run` or `Qrels` of ranx, without importing ranx.

    Examples
    --------
    >>> is_ranx({})
    False
    """
    return _package_and_class(value) in (("ranx", "Run"), ("ranx", "Qrels"))


def _of_mapping(table: Mapping[Any, Any], what: What | None, run: str | None) -> pd.DataFrame:
    _check_level(table, "the dict")
    kinds = set(map(type, chain.from_iterable(part.values() for part in table.values())))
    deep = [kind for kind in kinds if issubclass(kind, Mapping)]
    if deep and len(deep) < len(kinds):
        example: dict[bool, str] = {}
        for key, part in table.items():
            for inside, one in part.items():
                example.setdefault(isinstance(one, Mapping), f"[{key!r}][{inside!r}]")
        raise ValueError(
            f"the dicts have different depths: {example[True]} is a dict, {example[False]} a number."
        )
    if not deep:
        return _of_lists(list(table.items()), None if run is None else {run: len(table)}, what)
    if what == "qrels":
        raise ValueError(
            "these dicts have three levels, but judgments have two: query -> doc -> grade."
        )
    if run is not None:
        names = listed(map(repr, table), most=3)
        raise ValueError(
            f"run={run!r}: the dicts already have names of runs, {names}. Omit the argument."
        )
    for name, part in table.items():
        _check_level(part, f"the run {name!r}")
    return _of_lists(
        [(query, docs) for part in table.values() for query, docs in part.items()],
        {name: len(part) for name, part in table.items()},
        "runs",
    )


def _check_level(table: Mapping[Any, Any], where: str) -> None:
    """Raise if a dict is empty or has values that are not dicts."""
    if not table:
        raise ValueError(
            f"{where} is empty: expected query -> doc -> number, or run -> query -> doc -> score."
        )
    for key, part in table.items():
        if isinstance(part, pd.DataFrame):
            raise TypeError(
                f"{where} has a DataFrame under {key!r}. Stack the frames: "
                "pandas.concat(frames, names=['run']).reset_index(level='run')."
            )
        if not isinstance(part, Mapping):
            raise TypeError(
                f"{where} has a {type(part).__name__} under {key!r}: expected a dict of doc to number. "
                "Convert a dict of columns with pandas.DataFrame(...)."
            )


def _of_lists(
    lists: list[tuple[Any, Mapping[Any, Any]]], runs: dict[Any, int] | None, what: What | None
) -> pd.DataFrame:
    """Return the table of lists (query, {doc: number}); `runs` has the number of lists of each run, in order."""
    sizes = np.array([len(docs) for _, docs in lists], dtype=np.int64)
    if not sizes.sum():
        raise ValueError(f"the dicts have no documents: all {len(lists):,} queries are empty.")
    values = _values(lists, int(sizes.sum()))
    columns: dict[str, Any] = {}
    if runs is not None:
        run_of_list = np.repeat(np.arange(len(runs)), list(runs.values()))
        columns["run"] = _ids(list(runs), "run", np.repeat(run_of_list, sizes))
    list_of_row = np.repeat(np.arange(len(lists)), sizes)
    columns |= {
        "query_id": _ids([query for query, _ in lists], "query", list_of_row),
        "doc_id": _ids([doc for _, docs in lists for doc in docs], "document"),
    }
    are_grades = what == "qrels" or (
        what is None and runs is None and np.issubdtype(values.dtype, np.integer)
    )
    number = {"relevance": values} if are_grades else {"score": values.astype(np.float64)}
    return pd.DataFrame({**columns, **number}, copy=False)


def _values(lists: list[tuple[Any, Mapping[Any, Any]]], total: int) -> np.ndarray:
    """Return the numbers of all dicts, as integers if all are; raise if one is not a number."""
    kinds = set(map(type, chain.from_iterable(docs.values() for _, docs in lists)))
    if wrong := [kind for kind in kinds if not issubclass(kind, Real | np.bool_)]:
        query, doc, one = next(
            (q, doc, one) for q, docs in lists for doc, one in docs.items() if type(one) in wrong
        )
        raise ValueError(
            f"the value of document {doc!r} of query {query!r} is {one!r} ({type(one).__name__}): expected a number."
        )
    integers = all(issubclass(kind, Integral | np.bool_) for kind in kinds)
    values = chain.from_iterable(docs.values() for _, docs in lists)
    try:
        return np.fromiter(values, dtype=np.int64 if integers else np.float64, count=total)
    except OverflowError as fault:
        raise ValueError(
            "a number is too large for a grade or a score: it does not fit in 64 bits."
        ) from fault


def _ids(names: list[Any], what: str, rows: np.ndarray | None = None) -> Any:
    """Return ids as a column of strings or integers; `rows` are positions to take."""
    try:
        column = pa.array(names, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        kinds = sorted({type(name).__name__ for name in names})
        raise ValueError(
            f"the {what} ids have several types: {', '.join(kinds)}. Convert all to strings."
        ) from None
    if not (pa.types.is_string(column.type) or pa.types.is_integer(column.type)):
        raise ValueError(
            f"the {what} ids have the type {type(names[0]).__name__}, e.g. {names[0]!r}. Convert them to strings."
        )
    column = column if rows is None else column.take(pa.array(rows))
    return series(pa.chunked_array([column]))


def _of_tuples(
    rows: list[Any], what: What | None, run: str | None, subtopics: bool
) -> pd.DataFrame:
    """Return named tuples as a table with one column per field."""
    if not rows:
        raise ValueError("there are no rows. An iterator can be read only once.")
    kinds = list(dict.fromkeys(map(type, rows)))
    fields = getattr(kinds[0], "_fields", None)
    if fields is None:
        raise TypeError(
            f"expected nested dicts or named tuples, got a list of {kinds[0].__name__}. "
            "Convert rows with pandas.DataFrame(rows, columns=['query_id', 'doc_id', 'score'])."
        )
    if len(kinds) > 1:
        raise ValueError(
            f"the rows have several types: {', '.join(kind.__name__ for kind in kinds)}. Convert each type separately."
        )
    number: str = next((name for name in ("relevance", "score") if name in fields), "")
    missing = [name for name in ("query_id", "doc_id") if name not in fields]
    if not number or missing:
        raise ValueError(
            f"{kinds[0].__name__} has no field {missing[0] if missing else 'relevance or score'!r}; it has "
            f"{', '.join(fields)}: expected (query_id, doc_id, score) or (query_id, doc_id, relevance)."
        )
    if what is not None and what != ("qrels" if number == "relevance" else "runs"):
        raise ValueError(f"{kinds[0].__name__} has a {number}, so the rows are not {what}.")
    renamed = {"subtopic_id": "subtopic", **({"iteration": "subtopic"} if subtopics else {})}
    columns: dict[str, Any] = {
        renamed.get(name, name): list(values) for name, values in zip(fields, zip(*rows))
    }
    columns.pop("iteration", None)
    wrong = next(
        (row for row, one in enumerate(columns[number]) if not isinstance(one, Real | np.bool_)),
        None,
    )
    if wrong is not None:
        item = f"document {columns['doc_id'][wrong]!r} of query {columns['query_id'][wrong]!r}"
        raise ValueError(
            f"the {number} of {item} is {columns[number][wrong]!r}: expected a number."
        )
    columns[number] = np.array(columns[number])
    ids = {name: _ids(columns[name], name.partition("_")[0]) for name in ("query_id", "doc_id")}
    table = pd.DataFrame({**columns, **ids}, copy=False)
    if run is not None:
        table.insert(0, "run", run)
    return table


def text_dtype() -> Any:
    """Return the string dtype in Arrow memory: the default `str` of pandas 3, or the nearest dtype of pandas 2.

    Examples
    --------
    >>> pd.Series(["051"], dtype=text_dtype()).tolist()
    ['051']
    """
    try:
        return pd.StringDtype("pyarrow", na_value=np.nan)
    except TypeError:  # pandas 2.2
        return pd.StringDtype("pyarrow")


def from_arrow(table: pa.Table) -> pd.DataFrame:
    """Return an Arrow table as a frame: text in Arrow memory, dictionaries as categoricals, numbers as numpy.

    Text is not copied. Read-only numbers and codes are, so that the caller can change the frame.

    Examples
    --------
    >>> from_arrow(pa.table({"query_id": ["051"], "score": [1.5]}))
      query_id  score
    0      051    1.5
    """
    return pd.DataFrame(
        {name: series(column) for name, column in zip(table.column_names, table.columns)},
        copy=False,
    )


def series(column: pa.ChunkedArray) -> Any:
    """Return an Arrow column of any type as a string array, a categorical or a numpy array."""
    if str(column.type) == "string_view":
        column = column.cast(pa.large_string())
    elif pa.types.is_decimal(column.type):
        # by the text, which is rounded correctly; the cast of Arrow may not be
        column = column.cast(pa.string()).cast(pa.float64())
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _categories(column)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return text_dtype().__from_arrow__(column)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return column.to_pandas()
    values = column.to_numpy()
    return values if values.flags.writeable else values.copy()


def categorical(codes: np.ndarray, names: list[str] | pd.Index) -> pd.Categorical[str]:
    """Return `names[codes]`, of distinct names, as a categorical with codes of the smallest sufficient dtype.

    Examples
    --------
    >>> categorical(np.array([0, 0, 1]), ["bm25", "ql"]).tolist()
    ['bm25', 'bm25', 'ql']
    """
    # the public constructor of the dtype hashes all names to test that they are distinct
    # -1 is the missing value of pandas, so the dtype must be signed
    return pd.Categorical.from_codes(
        np.array(codes, dtype=np.min_scalar_type(-len(names) - 1)),
        dtype=getattr(pd.CategoricalDtype, "_from_fastpath", pd.CategoricalDtype)(
            pd.Index(names), False
        ),
        validate=False,
    )
