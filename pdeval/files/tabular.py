"""Files whose columns have names: parquet, and CSV or TSV with a header line; in any vocabulary that is understood."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pdeval.files import file_io
from pdeval.files.lines import BOM, TEXT, as_utf8, dictionary
from pdeval.tables.recognition import implicit
from pdeval.tables.vocabularies import GRADES, ITEM, item_roles, known_text, listed, names_of, run_words

IDS = ("run", "query_id", "doc_id", "subtopic")
SEPARATED = {".csv": ",", ".tsv": "\t"}


def has_header(path: Path) -> bool:
    """Return whether the columns of a file have names: parquet, CSV, and TSV whose first line names query and item.

    Runs and judgments of TREC are also found under .tsv and .csv, without names and commas.

    Examples
    --------
    >>> has_header(Path("runs.parquet")), has_header(Path("bm25.run"))
    (True, False)
    """
    ending = _ending(path)
    if file_io.is_parquet(path):
        return True
    if ending not in SEPARATED or not path.is_file():
        return ending == ".csv"
    first = next(piece for _, piece in file_io.contents(path))[: 1 << 16].removeprefix(BOM).split(b"\n")[0]
    line = first.decode(errors="replace").strip("\r")
    if ending == ".csv":
        return len(line.split()) < 4 or any(mark in line for mark in ",;")
    return all(any(name in line.split("\t") for name in names_of(role)) for role in ITEM)


def _ending(path: Path) -> str:
    """Return what the name of a file ends in, less its compression."""
    inner = path.with_suffix("") if file_io.compression(path) else path
    return inner.suffix.lower()


def column_table(path: Path, kind: str, encoding: str | None = None) -> pa.Table:
    """Return a file of named columns under pdeval's names, its ids as text; missing columns are an error.

    Parameters
    ----------
    kind : {'runs', 'qrels'}
        What it is to hold.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "test.tsv"
    >>> _ = path.write_text("query-id\\tcorpus-id\\tscore\\n01\\tMED-10\\t2\\n")
    >>> column_table(path, "qrels").to_pylist()
    [{'query_id': '01', 'doc_id': 'MED-10', 'relevance': 2}]
    """
    table = _parquet(path, kind) if file_io.is_parquet(path) else _separated(path, kind, encoding)
    for place, name in enumerate(table.column_names):
        if name in IDS:
            table = table.set_column(place, name, _id_column(table.column(name), name, path))
    numbers = ["relevance"] if kind == "qrels" else [name for name in ("score", "rank") if name in table.column_names]
    for number in numbers[:1]:
        table = _with_numbers(table, number, path)
    return table


def _parquet(path: Path, kind: str) -> pa.Table:
    import pyarrow.parquet as pq

    file_io.check_present(path)
    try:
        table = pq.read_table(path)
    except pa.ArrowInvalid as error:
        raise ValueError(f"the name of '{path}' ends in .parquet, but it cannot be read as parquet: {error}") from error
    names = in_our_words(table.column_names, kind, path)
    table = table.rename_columns([names[name] for name in table.column_names])
    return _graded(table, kind)


def _separated(path: Path, kind: str, encoding: str | None) -> pa.Table:
    """Return a CSV or TSV file: ids as text, whatever they look like."""
    from pyarrow import csv

    data = b"".join(piece for _, piece in file_io.contents(path))
    data = as_utf8(data, path=path, encoding=encoding).removeprefix(BOM)
    if not data.strip():
        raise ValueError(f"'{path}' is empty.")
    first = data.split(b"\n", 1)[0].decode().strip("\r")
    separator = SEPARATED[_ending(path)]
    if separator not in first:
        separator = next((other for other in (";", "\t", "|") if other in first), separator)
    header = pd.read_csv(io.StringIO(first), sep=separator, header=None, dtype=str).iloc[0].astype(str).tolist()
    names = in_our_words(header, kind, path)
    repeated = [name for name in header if header.count(name) > 1]
    if repeated:
        raise ValueError(f"'{path}' has the column name {repeated[0]!r} more than once; rename one of them.")
    ids = {name: pa.string() for name, to in names.items() if to in IDS}
    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            parse_options=csv.ParseOptions(delimiter=separator),
            convert_options=csv.ConvertOptions(column_types=ids, strings_can_be_null=False),
        )
    except pa.ArrowInvalid as error:
        raise ValueError(f"'{path}' cannot be read as columns separated by {separator!r}: {error}") from error
    if not table.num_rows:
        raise ValueError(f"'{path}' has a header line and no rows.")
    return _graded(table.rename_columns([names[name] for name in table.column_names]), kind)


def in_our_words(columns: list[str], kind: str, path: Path) -> dict[str, str]:
    """Return the columns of a file by their names, and what pdeval calls them: query_id, doc_id, run, relevance.

    Examples
    --------
    >>> in_our_words(["user_id", "item_id", "rating"], "qrels", Path("test.csv"))
    {'user_id': 'query_id', 'item_id': 'doc_id', 'rating': 'relevance'}
    """

    def missing(lacking: list[str]) -> str:
        said = " and ".join(known_text(role) for role in lacking)
        return (
            f"'{path}' has {said}; it has {listed(columns)}. Rename its columns; in Python any names can be bound: "
            "pandas.read_csv(...).ireval(query=..., doc=...)."
        )

    try:
        roles = item_roles(columns, kind, {}, missing)
    except ValueError as fault:
        if str(path) in str(fault):
            raise
        raise ValueError(f"'{path}': {fault}") from None
    if kind == "runs" and not {"score", "rank"} & set(roles):
        raise ValueError(f"'{path}' has neither a score nor a rank column; it has {listed(columns)}.")
    if kind == "qrels" and "grade" not in roles and not implicit(pd.DataFrame(columns=columns), {}):
        raise ValueError(f"'{path}' has no grade column (known names: {', '.join(GRADES)}); it has {listed(columns)}.")
    runs = [name for name in run_words(roles) if name in columns] if kind == "runs" else []
    if len(runs) > 1:
        raise ValueError(f"'{path}': two columns could be the run: {runs[0]!r} and {runs[1]!r}. Leave one out.")
    ours = {"query": "query_id", "doc": "doc_id", "score": "score", "rank": "rank", "grade": "relevance"}
    return {name: name for name in columns} | {roles[role]: ours[role] for role in roles} | dict.fromkeys(runs, "run")


def _graded(table: pa.Table, kind: str) -> pa.Table:
    """Return judgments with a grade: what was used is relevant where none is said."""
    if kind == "runs" or "relevance" in table.column_names:
        return table
    return table.append_column("relevance", pa.array(np.ones(table.num_rows, dtype=np.int64)))


def _with_numbers(table: pa.Table, number: str, path: Path) -> pa.Table:
    values = table.column(number)
    if pa.types.is_null(values.type):
        values = values.cast(pa.float64())
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        raise ValueError(f"the column {number!r} of '{path}' holds {values.type} values, not numbers.")
    if values.null_count or pc.any(pc.is_nan(values.cast(pa.float64()))).as_py():
        raise ValueError(f"the column {number!r} of '{path}' has missing values (NaN); drop those rows first.")
    wide = pa.float64() if number == "score" or pa.types.is_floating(values.type) else pa.int64()
    return table.set_column(table.column_names.index(number), number, values.cast(wide))


def _id_column(column: pa.ChunkedArray, name: str, path: Path) -> pa.ChunkedArray:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise ValueError(f"the column {name!r} of '{path}' holds {kind} values; ids must be strings or integers.")
    if column.null_count:
        raise ValueError(f"the column {name!r} of '{path}' has {column.null_count:,} missing ids; drop those rows.")
    if pa.types.is_dictionary(column.type) and name != "doc_id":
        codes = [(chunk.indices.cast(pa.int32()), chunk.dictionary.cast(TEXT)) for chunk in column.chunks]
        return pa.chunked_array([pa.DictionaryArray.from_arrays(*pair) for pair in codes])
    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks])
    text = column.cast(TEXT)
    whole = pa.concat_arrays(text.chunks)
    return pa.chunked_array([whole if name == "doc_id" else dictionary(whole)])
