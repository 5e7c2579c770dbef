"""TREC files that need cleaning: columns several spaces apart, comments, blank lines, text for ranks.

What is read is what trec_eval reads (get_trec_results.c, get_qrels.c of trec_eval 10): columns end at any white
space, blank lines and lines that begin with '#' do not count, what follows the tag of a run is ignored. What it reads
without noticing is an error here: a score or grade that is no number (it takes 0), five columns in a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pdeval.trec.line_faults import BOM, line_fault
from pdeval.trec.line_layouts import BLOCK, Layout, split

PIECE = 1 << 22
NAMES = {"query_id": "query id", "doc_id": "doc id", "relevance": "grade"}


def parse(data: bytes, layout: Layout, keep: list[str], *, path: Path) -> pa.Table:
    """Return the columns of a file that any white space separates; an error names the first line at fault."""
    text = clean(data)
    if not text:
        return layout.none(keep)
    text, longest = cut(text, layout, data=data, path=path)
    table = split(text, layout, keep, {}, separator=b" ", block=max(BLOCK, 2 * longest))
    for place, name in enumerate(keep):
        if name in layout.numbers:
            column = numbers(table.column(name), name, layout, data=data, path=path)
            table = table.set_column(place, name, column)
    return table


def clean(data: bytes) -> bytes:
    """Return the lines that count, their columns one space apart, each ended by a newline.

    Examples
    --------
    >>> clean(b"# a comment\\r\\n\\r\\n 301\\t0   d1  1 \\r\\n302 0 d2 0")
    b'301 0 d1 1\\n302 0 d2 0\\n'
    """
    text = b"".join(squeezed(piece) for piece in pieces(data.removeprefix(BOM)))
    if text.startswith(b"#") or b"\n#" in text:
        text = re.sub(rb"(?m)^#.*\n", b"", text)
    return text


def pieces(data: bytes) -> Iterator[bytes]:
    """Yield the data in pieces of whole lines, so that what is computed on each stays small."""
    first = 0
    while first < len(data):
        end = data.find(b"\n", first + PIECE) + 1 or len(data)
        yield data[first:end]
        first = end


def squeezed(piece: bytes) -> bytes:
    """Return lines with every stretch of white space as one newline, if it holds a line end, or one space."""
    codes = np.frombuffer(piece, dtype=np.uint8)
    line_end = (codes == 10) | (codes == 13)
    space = (codes == 32) | ((codes - np.uint8(9)) < 5)  # 9 to 13: tab, newline, vertical tab, form feed, return
    first = space.copy()
    first[1:] &= ~space[:-1]
    starts = np.flatnonzero(first)
    squeezed = codes.copy()
    squeezed[starts] = 32
    squeezed[starts[np.searchsorted(starts, np.flatnonzero(line_end), side="right") - 1]] = 10
    text = squeezed[first | ~space].tobytes().strip()
    return text + b"\n" if text else b""


def cut(text: bytes, layout: Layout, *, data: bytes, path: Path) -> tuple[bytes, int]:
    """Return clean lines cut to the columns of the layout, and the length of the longest; too few are an error."""
    codes = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(codes == 10)
    spaces = np.flatnonzero(codes == 32)
    before = np.searchsorted(spaces, ends)
    width = np.diff(before, prepend=0) + 1
    need = len(layout.columns)
    wrong = np.flatnonzero(width < need if layout.more else width != need)
    if len(wrong):
        what = f"{width[wrong[0]]} columns instead of {need}"
        raise line_fault(int(wrong[0]), what, layout, data=data, path=path)
    longest = int(np.diff(ends, prepend=-1).max())
    over = np.flatnonzero(width > need)
    if len(over) == 0:
        return text, longest
    # +1 where the surplus of a line begins, -1 where it ends: the bytes at level 0 stay
    level = np.zeros(len(codes), dtype=np.int8)
    level[spaces[before[over] - width[over] + need]] += 1
    level[ends[over]] -= 1
    return codes[np.cumsum(level, dtype=np.int8) == 0].tobytes(), longest


def numbers(column: pa.ChunkedArray, name: str, layout: Layout, *, data: bytes, path: Path) -> pa.ChunkedArray:
    """Return a column of text as numbers: whole ones where the layout wants them and all are, else floats.

    A rank that is no number becomes NaN, since trec_eval does not look at ranks; any other is an error.
    """
    if pa.types.is_integer(layout.numbers[name]):
        try:
            return pc.cast(column, pa.int64())
        except pa.ArrowInvalid:
            pass
    try:
        return whole(pc.cast(column, pa.float64()), layout.numbers[name])
    except pa.ArrowInvalid:
        number = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|^[+-]?(?i:inf|infinity|nan)$"
        good = pc.match_substring_regex(column, number)
    if name == "rank":
        return pc.cast(pc.if_else(good, column, "nan"), pa.float64())
    row = pc.index(good, False).as_py()
    what = f"the {NAMES.get(name, name)} {column[row].as_py()!r} is not a number"
    raise line_fault(row, what, layout, data=data, path=path)


def whole(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    """Return floats as whole numbers where those are wanted and all are."""
    if pa.types.is_integer(wanted):
        try:
            return pc.cast(column, wanted)
        except pa.ArrowInvalid:
            pass
    return column


def check_numbers(column: pa.ChunkedArray, name: str, layout: Layout, *, data: bytes, path: Path) -> None:
    """Raise an error at the first score that is NaN, or grade that is not finite."""
    if name == "rank" or not pa.types.is_floating(column.type):
        return
    values = column.to_numpy()
    bad = ~np.isfinite(values) if name == "relevance" else np.isnan(values)
    if bad.any():
        row = int(np.argmax(bad))
        shown = "NaN" if np.isnan(values[row]) else "infinite"
        raise line_fault(row, f"the {NAMES.get(name, name)} is {shown}", layout, data=data, path=path)


def padded(table: pa.Table, layout: Layout, *, data: bytes, path: Path) -> bool:
    """Return whether ids of a tab-separated file have spaces around them; spaces inside one are an error.

    trec_eval would end the id at the space, and take the next word for the rank or the grade.
    """
    found = False
    for name in set(table.column_names) - set(layout.numbers):
        if pc.any(pc.match_substring(table.column(name), " ")).as_py():
            inside = pc.match_substring_regex(table.column(name), r"\S +\S")
            row = pc.index(inside, True).as_py()
            if row >= 0:
                what = f"the {NAMES.get(name, name)} {table.column(name)[row].as_py()!r} has a space in it"
                raise line_fault(row, what, layout, data=data, path=path)
            found = True
    return found
