"""Files with named columns: parquet, and CSV or TSV with a header line; in any supported vocabulary."""

import io
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pdeval.files import file_io
from pdeval.files.lines import BOM, TEXT, as_utf8, dictionary
from pdeval.tables import (
    GRADES,
    ITEM,
    check_unique,
    implicit,
    item_roles,
    known_text,
    listed,
    names_of,
    run_words,
)

IDS = ("run", "query_id", "doc_id", "subtopic")
SEPARATORS = {".csv": ",", ".tsv": "\t"}
NUMBERS = {
    "qrels": ("relevance",),
    "runs": ("score", "rank"),
}  # the first of them that a table has is checked


def has_header(path: Path) -> bool:
    """Return whether the columns of a file have names: parquet, CSV, and TSV with query and item in the first line.

    TREC runs and judgments may also be in .tsv and .csv files, without column names and commas.

    Examples
    --------
    >>> has_header(Path("runs.parquet")), has_header(Path("bm25.run"))
    (True, False)
    """
    ending = file_io.ending(path)
    if file_io.is_parquet(path):
        return True
    if ending not in SEPARATORS or not path.is_file():
        return ending == ".csv"
    line = (
        next(piece for _, piece in file_io.contents(path))[: 1 << 16]
        .removeprefix(BOM)
        .split(b"\n")[0]
        .decode(errors="replace")
        .strip("\r")
    )
    if ending == ".csv":
        return len(line.split()) < 4 or any(mark in line for mark in ",;")
    return all(any(name in line.split("\t") for name in names_of(role)) for role in ITEM)


def file_text(path: Path, encoding: str | None) -> bytes:
    """Return the content of a file in UTF-8, without a byte order mark; an empty file is an error."""
    data = as_utf8(
        b"".join(piece for _, piece in file_io.contents(path)), path=path, encoding=encoding
    )
    if not data.removeprefix(BOM).strip():
        raise ValueError(f"'{path}' is empty.")
    return data.removeprefix(BOM)


def separated_table(data: bytes, separator: str, ids: Iterable[str], path: Path) -> pa.Table:
    """Return the columns of a CSV or TSV file; the columns `ids` as strings, also if they look like numbers."""
    from pyarrow import csv

    try:
        return csv.read_csv(
            pa.BufferReader(data),
            parse_options=csv.ParseOptions(delimiter=separator),
            convert_options=csv.ConvertOptions(column_types=dict.fromkeys(ids, pa.string())),
        )
    except pa.ArrowInvalid as error:
        raise ValueError(
            f"'{path}' cannot be read as columns separated by {separator!r}: {error}"
        ) from error


def column_table(path: Path, kind: str, encoding: str | None = None) -> pa.Table:
    """Return a file with named columns under pdeval's names, with ids as strings; missing columns are an error.

    Parameters
    ----------
    kind : {'runs', 'qrels'}
        Expected type of the table.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "test.tsv"
    >>> _ = path.write_text("query-id\\tcorpus-id\\tscore\\n01\\tMED-10\\t2\\n")
    >>> column_table(path, "qrels").to_pylist()
    [{'query_id': '01', 'doc_id': 'MED-10', 'relevance': 2}]
    """
    if file_io.is_parquet(path):
        import pyarrow.parquet as pq

        file_io.check_present(path)
        try:
            table = pq.read_table(path)
        except pa.ArrowInvalid as error:
            raise ValueError(f"'{path}' cannot be read as parquet: {error}") from error
        names = in_our_words(table.column_names, kind, path)
    else:
        table, names = _with_names(path, kind, encoding)
    table = table.rename_columns([names[name] for name in table.column_names])
    if kind == "qrels" and "relevance" not in table.column_names:
        # implicit feedback: used items are relevant
        table = table.append_column("relevance", pa.array(np.ones(table.num_rows, dtype=np.int64)))
    number = next(name for name in NUMBERS[kind] if name in table.column_names)
    for index, name in enumerate(table.column_names):
        if name in IDS:
            table = table.set_column(index, name, _id_column(table.column(name), name, path))
        elif name == number:
            table = table.set_column(index, name, _number_column(table.column(name), name, path))
    return table


def _with_names(path: Path, kind: str, encoding: str | None) -> tuple[pa.Table, dict[str, str]]:
    """Return a CSV or TSV file, and pdeval's names of its columns."""
    data = file_text(path, encoding)
    first = data.split(b"\n", 1)[0].decode().strip("\r")
    usual = SEPARATORS[file_io.ending(path)]
    separator = next((one for one in (usual, ";", "\t", "|") if one in first), usual)
    header = (
        pd.read_csv(io.StringIO(first), sep=separator, header=None, dtype=str)
        .iloc[0]
        .astype(str)
        .tolist()
    )
    names = in_our_words(header, kind, path)
    check_unique(header, f"'{path}'")
    table = separated_table(
        data, separator, [name for name, ours in names.items() if ours in IDS], path
    )
    if not table.num_rows:
        raise ValueError(f"'{path}' has a header line and no rows.")
    return table, names


def in_our_words(columns: list[str], kind: str, path: Path) -> dict[str, str]:
    """Return a mapping of the columns of a file to pdeval's names: query_id, doc_id, run, relevance.

    Examples
    --------
    >>> in_our_words(["user_id", "item_id", "rating"], "qrels", Path("test.csv"))
    {'user_id': 'query_id', 'item_id': 'doc_id', 'rating': 'relevance'}
    """

    def missing(roles: list[str]) -> str:
        return (
            f"'{path}' has {' and '.join(map(known_text, roles))}; it has {listed(columns)}. Rename its columns; "
            "in Python any names can be bound: pandas.read_csv(...).ireval(query=..., doc=...)."
        )

    try:
        roles = item_roles(columns, kind, {}, missing)
    except ValueError as fault:
        if str(path) in str(fault):
            raise
        raise ValueError(f"'{path}': {fault}") from None
    if kind == "runs" and not {"score", "rank"} & set(roles):
        raise ValueError(
            f"'{path}' has neither a score nor a rank column; it has {listed(columns)}."
        )
    if kind == "qrels" and "grade" not in roles and not implicit(pd.DataFrame(columns=columns), {}):
        raise ValueError(
            f"'{path}' has no grade column (known names: {', '.join(GRADES)}); it has {listed(columns)}."
        )
    runs = [name for name in run_words(roles) if name in columns] if kind == "runs" else []
    if len(runs) > 1:
        raise ValueError(
            f"'{path}': two columns could be the run: {runs[0]!r} and {runs[1]!r}. Drop one of them."
        )
    ours = {
        "query": "query_id",
        "doc": "doc_id",
        "score": "score",
        "rank": "rank",
        "grade": "relevance",
    }
    return (
        {name: name for name in columns}
        | {roles[role]: ours[role] for role in roles}
        | dict.fromkeys(runs, "run")
    )


def _number_column(values: pa.ChunkedArray, name: str, path: Path) -> pa.ChunkedArray:
    values = values.cast(pa.float64()) if pa.types.is_null(values.type) else values
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        raise ValueError(f"the column {name!r} of '{path}' has {values.type} values, not numbers.")
    if values.null_count or pc.any(pc.is_nan(values.cast(pa.float64()))).as_py():
        raise ValueError(
            f"the column {name!r} of '{path}' has missing values (NaN). Drop those rows first."
        )
    is_float = name == "score" or pa.types.is_floating(values.type)
    return values.cast(pa.float64() if is_float else pa.int64())


def _id_column(column: pa.ChunkedArray, name: str, path: Path) -> pa.ChunkedArray:
    is_encoded = pa.types.is_dictionary(column.type)
    dtype = column.type.value_type if is_encoded else column.type
    if not (
        pa.types.is_integer(dtype) or pa.types.is_string(dtype) or pa.types.is_large_string(dtype)
    ):
        raise ValueError(
            f"the column {name!r} of '{path}' has {dtype} values; ids must be strings or integers."
        )
    if column.null_count:
        raise ValueError(
            f"the column {name!r} of '{path}' has {column.null_count:,} missing ids. Drop those rows."
        )
    if is_encoded and name != "doc_id":
        codes = [
            (chunk.indices.cast(pa.int32()), chunk.dictionary.cast(TEXT)) for chunk in column.chunks
        ]
        return pa.chunked_array([pa.DictionaryArray.from_arrays(*pair) for pair in codes])
    chunks = [chunk.dictionary_decode() for chunk in column.chunks] if is_encoded else column.chunks
    text = pa.concat_arrays([chunk.cast(TEXT) for chunk in chunks])
    return pa.chunked_array([text if name == "doc_id" else dictionary(text)])
