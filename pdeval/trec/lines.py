"""Lines of TREC files to columns: one pass of pyarrow over files whose columns stand one separator apart.

Whether a file is so tidy is sniffed from its first line and then verified; what does not verify goes to `untidy`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pdeval.trec import untidy
from pdeval.trec.encodings import as_utf8, is_utf8
from pdeval.trec.files import contents
from pdeval.trec.last_lines import check_last_line
from pdeval.trec.line_faults import BOM, LineError, line_fault
from pdeval.trec.line_layouts import BLOCK, RUN, TEXT, Layout, split


def read_columns(
    path: Path,
    layout: Layout,
    keep: list[str],
    *,
    encoding: str | None = None,
    threads: bool = True,
    one_tag: bool = False,
) -> pa.Table:
    """Return the columns `keep` of a file; with `one_tag`, a line of another tag is an error.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "bm25.run"
    >>> _ = path.write_bytes(b"051 Q0 d1 1 2.5 bm25")
    >>> read_columns(path, RUN, ["query_id", "score"]).to_pylist()
    [{'query_id': '051', 'score': 2.5}]
    """
    parts: list[pa.Table] = []
    tag, commented_out = None, False
    for line, data in texts(path, encoding):
        if not data or data.isspace():
            continue
        try:
            part = parse(data, layout, keep, path=path, threads=threads)
            if part.num_rows and one_tag:
                tag = only_tag(part.column("tag").chunk(0), tag, data=data, path=path)
        except LineError as error:
            raise error.below(line) from None
        parts += [part] if part.num_rows else []
        commented_out |= not part.num_rows
    if not parts:
        empty = "has no lines but blank ones and comments" if commented_out else "is empty: it has no lines"
        raise ValueError(f"'{path}' {empty}.")
    # permissive: the grades or ranks of one piece may be whole, those of another not
    return parts[0] if len(parts) == 1 else pa.concat_tables(parts, promote_options="permissive")


def texts(path: Path, encoding: str | None) -> Iterator[tuple[int, bytes]]:
    """Yield the pieces of a file as UTF-8, each with the number of lines before it."""
    pieces = contents(path)
    for line, piece in pieces:
        if encoding is not None and not is_utf8(piece) and (line or next(pieces, None)):
            raise ValueError(
                f"'{path}' expands so far that it is read in pieces, and is not UTF-8; other encodings are read "
                "whole. Unpack it and save it as UTF-8 first."
            )
        try:
            yield line, as_utf8(piece, path=path, encoding=encoding, start=line == 0)
        except LineError as error:
            raise error.below(line) from None


def only_tag(tags: pa.DictionaryArray, tag: str | None, *, data: bytes, path: Path) -> str:
    """Return the one tag of all lines: that of the lines before, or of the first; another is an error at its line."""
    first: str = tags.dictionary[0].as_py() if tag is None else tag
    other = pc.not_equal(tags.dictionary, first).to_numpy(zero_copy_only=False)[tags.indices.to_numpy()]
    if other.any():
        row = int(np.argmax(other))
        what = f"the tag {tags[row].as_py()!r} is not {first!r}, the tag of the lines above"
        error = line_fault(row, what, RUN, data=data, path=path)
        raise LineError(path, error.line, f"{error.what} names='tag' needs one tag a file; use names='file'.")
    return first


UNTIDY = (b"\0", b"\v", b"\f")  # no text, or white space that would stand in an id


def parse(data: bytes, layout: Layout, keep: list[str], *, path: Path, threads: bool = True) -> pa.Table:
    """Return the columns `keep` of the lines in `data`: repeated ids as dictionaries, doc ids as text, numbers.

    Examples
    --------
    >>> parse(b"051 Q0 d1 1 2.5 bm25", RUN, ["query_id", "score"], path=Path("bm25.run")).to_pylist()
    [{'query_id': '051', 'score': 2.5}]
    """
    table = tidy(data, layout, keep, path=path, threads=threads)
    columns = None if table is None else encoded(table)
    if columns is None or commented(columns["query_id"]):
        table = untidy.parse(data, layout, keep, path=path)
        if table.num_rows == 0:
            return table
        columns = encoded(table)
    for name in set(layout.numbers) & set(keep):
        untidy.check_numbers(columns[name], name, layout, data=data, path=path)
    check_last_line(data, layout, path=path)
    return pa.table(columns)


def tidy(data: bytes, layout: Layout, keep: list[str], *, path: Path, threads: bool) -> pa.Table | None:
    """Return the columns of a file whose columns stand one separator apart, or None if it is not one."""
    data = data.removeprefix(BOM)
    head = data[: data.find(b"\n") + 1] or data
    if head.endswith(b"\r\n"):
        data = data.replace(b"\r\n", b"\n")
    if data.endswith(b"\n\n"):
        data = data.rstrip(b"\n")
    separator, other = (b"\t", b" ") if b"\t" in head else (b" ", b"\t")
    if head.count(separator) + 1 != len(layout.columns) or any(mark in data for mark in UNTIDY):
        return None
    mixed = other in data
    if (mixed and separator == b" ") or not spaced(data, separator):
        return None
    try:
        table = split(data, layout, keep, layout.numbers, separator=separator, threads=threads)
    except pa.ArrowInvalid:
        return None
    if mixed and ("tag" in keep or untidy.padded(table, layout, data=data, path=path)):
        return None
    return table


def spaced(data: bytes, separator: bytes) -> bool:
    """Return whether no column of any line is empty: no separator or line end follows another.

    Examples
    --------
    >>> spaced(b"a b\\nc d\\n", b" "), spaced(b"a  b\\n", b" "), spaced(b"a b \\n", b" ")
    (True, False, False)
    """
    codes = np.frombuffer(data, dtype=np.uint8)
    if codes[0] in (separator[0], 10) or codes[-1] == separator[0]:
        return False
    for first in range(0, len(codes), BLOCK):
        block = codes[first : first + BLOCK + 1]
        edge = (block == separator[0]) | (block == 10)
        if (edge[1:] & edge[:-1]).any():
            return False
    return True


def encoded(table: pa.Table) -> dict[str, pa.Array | pa.ChunkedArray]:
    """Return the columns with repeated ids as dictionaries and doc ids in one piece."""
    columns: dict[str, pa.Array | pa.ChunkedArray] = {}
    for name, column in zip(table.column_names, table.columns):
        if column.type == TEXT:
            whole = pa.concat_arrays(column.chunks) if column.num_chunks != 1 else column.chunk(0)
            columns[name] = whole if name == "doc_id" else dictionary(whole)
        else:
            columns[name] = column
    return columns


def commented(queries: pa.DictionaryArray) -> bool:
    """Return whether a comment was taken for a line: a query id that begins with '#'."""
    return bool(pc.any(pc.starts_with(queries.dictionary, "#")).as_py())


def dictionary(text: pa.Array) -> pa.DictionaryArray:
    """Return a column of repeated ids as a dictionary, hashing one id for each stretch of equal rows.

    Examples
    --------
    >>> dictionary(pa.array(["301", "301", "302"], TEXT)).indices.to_pylist()
    [0, 0, 1]
    """
    # neighbours are compared, not hashed: rows of one query stand together in nearly every file
    differs = pc.not_equal(text.slice(1), text.slice(0, len(text) - 1)).to_numpy(zero_copy_only=False)
    starts = np.concatenate([[0], np.flatnonzero(differs) + 1])
    heads = text.take(pa.array(starts)).dictionary_encode()
    sizes = np.diff(np.append(starts, len(text)))
    codes = np.repeat(heads.indices.to_numpy(zero_copy_only=False), sizes)
    return pa.DictionaryArray.from_arrays(pa.array(codes), heads.dictionary)
