"""Other libraries' tables, nested dicts and named tuples as pandas frames.

Whatever offers its columns as an Arrow stream is a table wherever a table is taken: Polars, PyArrow, DuckDB relations,
Ibis results and others; none of these packages is imported. The accessors call `as_table` on every argument.

    text            stays in its Arrow memory, as pandas' text; string views are cast once
    dictionaries    become categories, without those that no row has
    numbers         become numpy
    missing values  stay missing: the checks that every pandas table passes report them

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

from pdeval.verbs.arguments import shown
from pdeval.verbs.checks import checks_arguments

What = Literal["runs", "qrels"]
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
    read = _arrow_table(table)
    check_unique(read.column_names)
    result = pd.DataFrame(
        {name: _column(read[name]) for name in read.column_names if not INDEX.fullmatch(name)},
        index=pd.RangeIndex(read.num_rows),
        copy=False,
    )
    result.attrs = _attrs(read.schema.metadata or {})
    return result


def as_table(value: Any, *, judgments: bool = False) -> Any:
    """Return an argument with the tables of other libraries in it as pandas frames; all else unchanged.

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
    if _is_table(value) or _package_and_class(value) in _NEAR:
        return frame(value)
    return as_judgments(value) if judgments else value


def check_labels(table: pd.DataFrame, *, once: bool = False) -> None:
    """Raise if a column has no name (or one that another has), or if pdeval did not write its key of `attrs`.

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
                f"the column {name!r} is named by half of a character (a lone surrogate); rename it."
            )
    if once and not table.columns.is_unique:
        check_unique(table.columns)
    for key, value in table.attrs.items():
        default = _is_column_name if str(key).endswith("_column") else None
        is_valid = ATTRS.get(key, default)
        if is_valid is not None and not is_valid(value):
            raise ValueError(
                f"df.attrs[{key!r}] is {shown(value)}, which pdeval did not write; remove it."
            )


# what pdeval writes to `attrs`, and the test of it
ATTRS: dict[Any, Callable[[Any], bool]] = {
    "run_columns": lambda value: (
        isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
    ),
    "measures": lambda value: (
        isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())
    ),
}


def _is_column_name(value: Any) -> bool:
    return value is None or isinstance(value, str)


def check_unique(names: Collection[Any], what: str = "the table") -> None:
    """Raise if two columns have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(
            f"{what} has the column name {repeated[0]!r} more than once; rename one of them."
        )


def is_stream(value: object) -> bool:
    """Return whether an object offers an Arrow stream; its type is asked, since some objects have any attribute.

    Examples
    --------
    >>> is_stream(pa.table({"run": ["a"]})), is_stream({"run": ["a"]})
    (True, False)
    """
    return hasattr(type(value), "__arrow_c_stream__")


def _package_and_class(value: object) -> tuple[str, str]:
    kind = type(value)
    return kind.__module__.lstrip("_").partition(".")[0], kind.__name__


def _is_table(value: object) -> bool:
    """Whether a stream is one of columns: a single column has none, and stays a list of names to whoever takes one."""
    if not is_stream(value) or isinstance(value, pd.DataFrame | pd.Series):
        return False
    return any(hasattr(value, name) for name in ("columns", "column_names", "schema"))


# what is nearly a table, by module and class, and the call that makes it one
_NEAR = {
    ("polars", "LazyFrame"): "a LazyFrame is a plan, not a table yet: call .collect() first",
    (
        "duckdb",
        "DuckDBPyConnection",
    ): "a connection holds many tables: pass one, as con.sql('SELECT * FROM runs')",
    ("pyspark", "DataFrame"): "a Spark DataFrame is not in this process: call .toPandas() first",
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
            "this reader holds no rows; a reader can be read once only: keep table = reader.read_all()."
        )
    if _casts_views() or not any("string_view" in str(kind) for kind in read.schema.types):
        return read
    if not hasattr(table, "to_arrow"):
        raise ValueError(
            f"the table holds string views, which pyarrow {pa.__version__} cannot read. Update pyarrow, or cast "
            "these columns to strings first."
        )
    return table.to_arrow()  # Polars: without views


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
    elif pa.types.is_decimal(
        kind
    ):  # numbers of SQL; by their text, which rounds right where Arrow's own cast may not
        column = column.cast(pa.string()).cast(pa.float64())
    return series(column)


def _categories(column: pa.ChunkedArray) -> Any:
    """Return dictionaries as categories: every name once, and none that no row has.

    Arrow allows names twice, missing names and names that are never used: Polars keeps one dictionary for many columns.
    """
    values = column.type.value_type
    if not column.num_chunks:
        return pd.Categorical([])
    text = pa.large_string() if "string" in str(values) else values
    names = pa.chunked_array([chunk.dictionary.cast(text) for chunk in column.chunks])
    # the names of all chunks, one after the other, numbered: a missing name gets -1
    number, once = pd.factorize(names.to_pandas().astype(object))
    used = np.zeros(len(once) + 1, dtype=bool)  # the last is that of -1
    small = np.min_scalar_type(-len(once) - 1)
    codes, start = [], 0
    for chunk in column.chunks:
        # the number of each code of the chunk; a missing code takes the last, which is -1
        numbers = np.append(number[start : start + len(chunk.dictionary)], -1).astype(small)
        missing = pa.scalar(len(numbers) - 1, chunk.indices.type)
        indices = chunk.indices.fill_null(missing) if chunk.null_count else chunk.indices
        codes.append(numbers[indices.to_numpy(zero_copy_only=False)])
        used[codes[-1]] = True
        start += len(numbers) - 1
    code = np.concatenate(codes)
    if not used[:-1].all():
        # numbered anew without the names that no row has
        code = np.append(np.cumsum(used[:-1]) - 1, -1).astype(small)[code]
    return categorical(code, list(np.asarray(once, dtype=object)[used[:-1]]))


def _attrs(metadata: dict[bytes, bytes]) -> dict[Any, Any]:
    """Return the `attrs` of a frame that pandas wrote to Arrow: the table, its direction and rules."""
    newer = json.loads(metadata.get(b"PANDAS_ATTRS", b"{}"))
    older = json.loads(metadata.get(b"pandas", b"{}")).get("attributes") or {}
    return {**newer, **older}


@checks_arguments
def from_dict(
    table: object, *, what: What | None = None, run: str | None = None, subtopics: bool = False
) -> pd.DataFrame:
    """Return nested dicts, named tuples, or ranx' `Run` and `Qrels`, as a run table or judgments.

    The verbs take judgments in these forms as they are; this is needed for the runs.

    Parameters
    ----------
    table : mapping, iterable of named tuples, ranx.Run or ranx.Qrels
        query -> doc -> number, as pytrec_eval and ranx take it; run -> query -> doc -> score; or the `ScoredDoc` and
        `Qrel` tuples of ir_measures and ir_datasets, whose iterators are read to their end.
    what : {'runs', 'qrels'}, optional
        Whether the numbers are scores or grades. By default as these tools write them: unified numbers are grades, all
        others scores.
    run : str, optional
        What to call the run of query -> doc -> score; by default it has no name, or that of a `ranx.Run`.
    subtopics : bool
        Whether the `iteration` of judgments is a subtopic, as in `read_qrels`; by default it is left out.

    Returns
    -------
    DataFrame
        [run], query_id, doc_id, score; or query_id, doc_id, relevance, [subtopic]: rows in the order of the dict. A
        query without documents has no rows: to judgments it is an unanswered one.

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
        raise ValueError(f"what={what!r}: choose 'runs' or 'qrels'.")
    if what == "qrels" and run is not None:
        raise ValueError(f"run={run!r}: judgments have no run.")
    if is_ranx(table):
        content: What = "qrels" if type(table).__name__ == "Qrels" else "runs"
        if what not in (None, content):
            raise ValueError(f"a ranx.{type(table).__name__} holds {content}, not {what}.")
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
    """Return judgments given as nested dicts, named tuples or `ranx.Qrels` as a table; all else as it is.

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
    """Return whether an object is a `Run` or `Qrels` of ranx, which is not imported for it.

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
        raise ValueError(_mixed_text(table))
    if not deep:
        return _of_lists(list(table.items()), None if run is None else {run: len(table)}, what)
    if what == "qrels":
        raise ValueError(
            "judgments are query -> doc -> grade; these dicts go one level deeper, as runs do."
        )
    if run is not None:
        names = ", ".join(map(repr, list(table)[:3])) + (
            f", ... ({len(table)} in all)" if len(table) > 3 else ""
        )
        raise ValueError(f"run={run!r}: these dicts name their runs, {names}.")
    for name, part in table.items():
        _check_level(part, f"the run {name!r}")
    return _of_lists(
        [(query, docs) for part in table.values() for query, docs in part.items()],
        {name: len(part) for name, part in table.items()},
        "runs",
    )


def _check_level(table: Mapping[Any, Any], where: str) -> None:
    """Raise where a dict of dicts is empty, or holds anything else."""
    if not table:
        raise ValueError(
            f"{where} is empty; expected query -> doc -> number, or run -> query -> doc -> score."
        )
    for key, part in table.items():
        if isinstance(part, pd.DataFrame):
            raise TypeError(
                f"{where} holds a DataFrame under {key!r}. Stack them: "
                "pandas.concat(frames, names=['run']).reset_index(level='run')."
            )
        if not isinstance(part, Mapping):
            raise TypeError(
                f"{where} holds a {type(part).__name__} under {key!r}, where a dict of doc to number is expected; "
                "pandas.DataFrame(...) makes a table of a dict of columns."
            )


def _mixed_text(table: Mapping[Any, Any]) -> str:
    """Return the message about dicts of different depths."""
    example: dict[bool, str] = {}
    for key, part in table.items():
        for inside, one in part.items():
            example.setdefault(isinstance(one, Mapping), f"[{key!r}][{inside!r}]")
    return f"the dicts are not of one depth: a dict stands at {example[True]}, a number at {example[False]}."


def _of_lists(
    lists: list[tuple[Any, Mapping[Any, Any]]], runs: dict[Any, int] | None, what: What | None
) -> pd.DataFrame:
    """Return the table of lists (query, {doc: number}); `runs` has the number of lists of each run, in order."""
    sizes = np.array([len(docs) for _, docs in lists], dtype=np.int64)
    if not sizes.sum():
        raise ValueError(f"the dicts hold no documents: all {len(lists):,} queries are empty.")
    values = _values(lists, int(sizes.sum()))
    columns: dict[str, Any] = {}
    if runs is not None:
        run_of_list = np.repeat(np.arange(len(runs)), list(runs.values()))
        columns["run"] = _ids(list(runs), "run", np.repeat(run_of_list, sizes))
    columns["query_id"] = _ids(
        [query for query, _ in lists], "query", np.repeat(np.arange(len(lists)), sizes)
    )
    columns["doc_id"] = _ids([doc for _, docs in lists for doc in docs], "document")
    are_grades = what == "qrels" or (
        what is None and runs is None and np.issubdtype(values.dtype, np.integer)
    )
    number = {"relevance": values} if are_grades else {"score": values.astype(np.float64)}
    return pd.DataFrame({**columns, **number}, copy=False)


def _values(lists: list[tuple[Any, Mapping[Any, Any]]], total: int) -> np.ndarray:
    """Return the numbers of all dicts, integers if all are; raise at the first that is not a number."""
    kinds = set(map(type, chain.from_iterable(docs.values() for _, docs in lists)))
    wrong = [kind for kind in kinds if not issubclass(kind, Real | np.bool_)]
    if wrong:
        query, doc, one = next(
            (q, doc, one) for q, docs in lists for doc, one in docs.items() if type(one) in wrong
        )
        raise ValueError(
            f"the number of document {doc!r} of query {query!r} is {one!r}, of type {type(one).__name__}; give numbers."
        )
    integers = all(issubclass(kind, Integral | np.bool_) for kind in kinds)
    values = chain.from_iterable(docs.values() for _, docs in lists)
    try:
        return np.fromiter(values, dtype=np.int64 if integers else np.float64, count=total)
    except OverflowError as fault:
        raise ValueError("a number is too large to be a grade or a score.") from fault


def _ids(names: list[Any], what: str, rows: np.ndarray | None = None) -> Any:
    """Return ids as a column of text or numbers, each repeated as `rows` say."""
    try:
        column = pa.array(names, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        kinds = sorted({type(name).__name__ for name in names})
        raise ValueError(
            f"the {what} ids are of several types: {', '.join(kinds)}; make them all text."
        ) from None
    if not (pa.types.is_string(column.type) or pa.types.is_integer(column.type)):
        raise ValueError(
            f"the {what} ids are of type {type(names[0]).__name__}, e.g. {names[0]!r}; make them text."
        )
    column = column if rows is None else column.take(pa.array(rows))
    return series(pa.chunked_array([column]))


def _of_tuples(
    rows: list[Any], what: What | None, run: str | None, subtopics: bool
) -> pd.DataFrame:
    """Return named tuples as a table, a field as a column."""
    if not rows:
        raise ValueError(
            "there are no rows: what was given is empty. An iterator can be read once only."
        )
    kinds = list(dict.fromkeys(map(type, rows)))
    fields = getattr(kinds[0], "_fields", None)
    if fields is None:
        raise TypeError(
            f"expected nested dicts or named tuples, got a list of {kinds[0].__name__}. "
            "pandas.DataFrame(rows, columns=['query_id', 'doc_id', 'score']) makes a table of rows."
        )
    if len(kinds) > 1:
        raise ValueError(
            f"the rows are of several types: {', '.join(kind.__name__ for kind in kinds)}."
        )
    number: str = next((name for name in ("relevance", "score") if name in fields), "")
    missing = [name for name in ("query_id", "doc_id") if name not in fields]
    if not number or missing:
        raise ValueError(
            f"{kinds[0].__name__} has no field {missing[0] if missing else 'relevance or score'!r}; it has "
            f"{', '.join(fields)}. Expected are (query_id, doc_id, score) or (query_id, doc_id, relevance)."
        )
    if what is not None and what != ("qrels" if number == "relevance" else "runs"):
        raise ValueError(f"{kinds[0].__name__} has a {number}: these are no {what}.")
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
        raise ValueError(f"the {number} of {item} is {columns[number][wrong]!r}; give numbers.")
    columns[number] = np.array(columns[number])
    ids = {name: _ids(columns[name], name.partition("_")[0]) for name in ("query_id", "doc_id")}
    table = pd.DataFrame({**columns, **ids}, copy=False)
    if run is not None:
        table.insert(0, "run", run)
    return table


def text_dtype() -> Any:
    """Return pandas' text type over Arrow memory: the default `str` of pandas 3, its nearest kin before.

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
    """Return the table as a frame: text in Arrow memory, dictionaries as categoricals, numbers as numpy.

    Text is not copied. Numbers and codes are, where Arrow would only lend them: the frame is the caller's to change.

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
    """Return one column of `from_arrow`: a text array, a categorical or numbers."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        unified = column.unify_dictionaries().combine_chunks()
        codes = unified.indices.fill_null(-1) if unified.null_count else unified.indices
        return categorical(codes.to_numpy(zero_copy_only=False), unified.dictionary.to_pylist())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return text_dtype().__from_arrow__(column)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return column.to_pandas()
    values = column.to_numpy()
    return values if values.flags.writeable else values.copy()


def categorical(codes: np.ndarray, names: list[str]) -> pd.Categorical[str]:
    """Return `names[codes]` as a categorical, its codes as small as the number of names allows.

    Examples
    --------
    >>> categorical(np.array([0, 0, 1]), ["bm25", "ql"]).tolist()
    ['bm25', 'bm25', 'ql']
    """
    # -1 is pandas' missing value, so that the type must hold the number of names as a signed integer
    return pd.Categorical.from_codes(
        np.array(codes, dtype=np.min_scalar_type(-len(names) - 1)),
        categories=pd.Index(names),
        validate=False,
    )
