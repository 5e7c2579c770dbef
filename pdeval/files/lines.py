"""Lines of TREC files to columns: one pass of pyarrow over files whose columns stand one separator apart.

Whether a file is so tidy is sniffed from its first line and then verified; what does not verify goes to `untidy`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pdeval.files.file_io import contents
from pdeval.join.rules import outside

BLOCK = 1 << 20
TEXT = pa.large_string()


class Layout(NamedTuple):
    """The columns of a kind of file, which of them are numbers, and whether more may follow."""

    what: str
    columns: tuple[str, ...]
    numbers: dict[str, pa.DataType]
    more: bool
    needs: str

    def none(self, keep: list[str]) -> pa.Table:
        """Return columns of no lines."""
        return pa.table({name: pa.array([], self.numbers.get(name, TEXT)) for name in keep})


RUN = Layout(
    "run",
    ("query_id", "iteration", "doc_id", "rank", "score", "tag"),
    {"rank": pa.int64(), "score": pa.float64()},
    True,
    "A run has six columns: query, Q0, doc, rank, score, tag.",
)
QRELS = Layout(
    "qrels",
    ("query_id", "subtopic", "doc_id", "relevance"),
    {"relevance": pa.int64()},
    False,
    "A qrels file has four columns: query, iteration or subtopic, doc, grade.",
)


def split(
    data: bytes,
    layout: Layout,
    keep: list[str],
    numbers: dict[str, pa.DataType],
    *,
    separator: bytes,
    threads: bool = True,
    block: int = BLOCK,
) -> pa.Table:
    """Return columns of lines whose columns stand one separator apart; those without a number type as text.

    Examples
    --------
    >>> split(b"051 0 d1 1", QRELS, ["query_id", "relevance"], QRELS.numbers, separator=b" ").to_pylist()
    [{'query_id': '051', 'relevance': 1}]
    """
    from pyarrow import csv

    return csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(column_names=list(layout.columns), use_threads=threads, block_size=block),
        parse_options=csv.ParseOptions(
            delimiter=separator.decode(), quote_char=False, double_quote=False, escape_char=False
        ),
        convert_options=csv.ConvertOptions(
            column_types={name: numbers.get(name, TEXT) for name in layout.columns},
            include_columns=keep,
            null_values=[],
            strings_can_be_null=False,
        ),
    )


BOM = b"\xef\xbb\xbf"
LINE_END = rb"\r\n|\r|\n"
SHOWN = 100


class LineError(ValueError):
    """An error at a line of a file.

    Examples
    --------
    >>> print(LineError(Path("bm25.run"), 3, "the score is NaN."))
    bm25.run, line 3: the score is NaN.
    """

    def __init__(self, path: Path, line: int, what: str) -> None:
        super().__init__(f"{path}, line {line:,}: {what}")
        self.path, self.line, self.what = path, line, what

    def __reduce__(self) -> tuple[type[LineError], tuple[Path, int, str]]:
        """Return how another process makes it again."""
        return LineError, (self.path, self.line, self.what)

    def below(self, lines: int) -> LineError:
        """Return the same error where so many lines stand before those that were counted."""
        return LineError(self.path, self.line + lines, self.what)


def line_fault(row: int, what: str, layout: Layout, *, data: bytes, path: Path) -> LineError:
    """Return the error that says what is wrong with the row-th line that counts, with its number and text."""
    texts = re.split(LINE_END, data.removeprefix(BOM))
    counted = (number for number, text in enumerate(texts) if re.match(rb"\s*[^\s#]", text))
    number = next(islice(counted, row, None))
    text = texts[number].decode()
    shown = text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
    last = number + 1 == len(texts)
    cut = " The file ends there, without a newline: it may be cut short." if last else ""
    return LineError(path, number + 1, f"{what}: {shown!r}. {layout.needs}{cut}")


def byte_fault(place: int, what: str, advice: str, *, data: bytes, path: Path) -> LineError:
    """Return the error that says what is wrong with a byte: its line, where it stands there, and the line as bytes.

    Examples
    --------
    >>> print(byte_fault(5, "not UTF-8", "Mend it.", data=b"1 2\\n3\\xe9\\n", path=Path("a.run")))
    a.run, line 2: byte 2 of the line (0xe9) is not UTF-8: b'3\\xe9'. Mend it.
    """
    before = list(re.finditer(LINE_END, data[:place]))
    first = before[-1].end() if before else 0
    text = re.split(LINE_END, data[first : place + SHOWN], maxsplit=1)[0]
    shown = text[max(0, place - first - SHOWN // 2) :][:SHOWN]
    what = f"byte {place - first + 1:,} of the line (0x{data[place]:02x}) is {what}: {shown!r}. {advice}"
    return LineError(path, len(before) + 1, what)


PIECE = 1 << 22
NAMES = {"query_id": "query id", "doc_id": "doc id", "relevance": "grade"}


def parse_untidy(data: bytes, layout: Layout, keep: list[str], *, path: Path) -> pa.Table:
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


# how a file begins that is in wider characters; the longer marks first, since one begins with another
WIDE = {b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def check_encoding(encoding: str | None) -> None:
    """Raise an error if there is no encoding of that name.

    Examples
    --------
    >>> check_encoding("cp1252")
    >>> check_encoding("latin-99")
    Traceback (most recent call last):
    ...
    ValueError: no encoding 'latin-99'; examples are 'latin-1', 'cp1252', 'utf-16', 'shift_jis'.
    """
    if encoding is None:
        return
    if not isinstance(encoding, str):
        raise TypeError(f"encoding={encoding!r} must be a name such as 'latin-1', not {type(encoding).__name__}.")
    try:
        "a".encode(encoding)
    except (LookupError, ValueError):
        examples = "'latin-1', 'cp1252', 'utf-16', 'shift_jis'"
        raise ValueError(f"no encoding {encoding!r}; examples are {examples}.") from None


def is_utf8(data: bytes) -> bool:
    """Return whether the bytes are UTF-8 text; text holds no zero bytes.

    Examples
    --------
    >>> is_utf8("café".encode()), is_utf8("café".encode("latin-1")), is_utf8("cafe".encode("utf-16-le"))
    (True, False, False)
    """
    if b"\0" in data:
        return False
    if data.isascii():
        return True
    # checked where the bytes stand: decoding them would take up to four times their memory
    offsets = pa.py_buffer(np.array([0, len(data)], dtype=np.int64))
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def as_utf8(data: bytes, *, path: Path, encoding: str | None = None, start: bool = True) -> bytes:
    """Return the content of a file as UTF-8; `encoding` is that of a file that is not UTF-8, which else is an error.

    `start` says that it is the start of the file, where a byte order mark may stand.

    Examples
    --------
    >>> as_utf8(b"1 0 caf\\xe9 1", path=Path("qrels.txt"), encoding="latin-1").decode()
    '1 0 café 1'
    >>> as_utf8("1 0 café 1".encode(), path=Path("qrels.txt"), encoding="latin-1").decode()
    '1 0 café 1'
    """
    if is_utf8(data):
        return _with_one_mark(data, path, start)
    data = data.removeprefix(BOM)
    if encoding is None:
        raise refused(data, path)
    try:
        text = data.decode(encoding).encode()
    except UnicodeDecodeError as error:
        raise _refused_again(error, data, path, encoding) from None
    except UnicodeEncodeError:
        raise ValueError(f"'{path}' is not in encoding={encoding!r}: half characters come out of it.") from None
    if b"\0" in text:
        raise ValueError(f"'{path}' is not text in encoding={encoding!r}: it holds zero bytes.")
    proper, bad = _counts(data)
    if proper > bad:
        warnings.warn(
            f"'{path}' is read as {encoding}, but {proper:,} characters of it are UTF-8 and {bad:,} bytes are not: "
            "its ids may differ from those of other files. Mend those bytes and it is read as UTF-8.",
            UserWarning,
            stacklevel=outside(),
        )
    return _with_one_mark(text, path, start)


def refused(data: bytes, path: Path) -> ValueError:
    """Return the error of a file that is not UTF-8: where, and what can be done, by what else it holds."""
    wide = next((name for mark, name in WIDE.items() if data.startswith(mark)), None)
    if wide:
        return ValueError(f"'{path}' is {wide.upper()}: save it as UTF-8, or say so when reading: encoding={wide!r}.")
    if b"\0" in data:
        return ValueError(f"'{path}' is not a text file: it holds zero bytes.")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        place, cut = error.start, error.end == len(data) and error.reason == "unexpected end of data"
    if cut:
        return byte_fault(place, "half a character", "The file ends there: it is cut short.", data=data, path=path)
    proper, bad = _counts(data)
    if proper:
        advice = (
            f"{bad:,} {'byte is' if bad == 1 else 'bytes are'} not, {proper:,} other characters are: the file is "
            "damaged, or pieced together from files in different encodings. Mend it, or get it again."
        )
    else:
        advice = (
            "The file is in another encoding, which it does not say: save it as UTF-8, or say which when reading, "
            "e.g. encoding='latin-1' or 'cp1252'."
        )
    return byte_fault(place, "not UTF-8", advice, data=data, path=path)


def _refused_again(error: UnicodeDecodeError, data: bytes, path: Path, encoding: str) -> ValueError:
    # 'utf-8' itself may be asked for, and says no more than the file does
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig"):
        return refused(data, path)
    advice = "Say its own encoding, or save it as UTF-8."
    return byte_fault(error.start, f"not UTF-8, nor {encoding}", advice, data=data, path=path)


def _counts(data: bytes) -> tuple[int, int]:
    """Return how many characters beyond ASCII are UTF-8, and how many bytes are not."""
    text = data.decode("utf-8", "ignore")
    return len(text) - len(text.encode("ascii", "ignore")), len(data) - len(text.encode())


def _with_one_mark(data: bytes, path: Path, start: bool) -> bytes:
    """Return the data, unless a byte order mark would become part of a query id: at the start of a later line."""
    if data.isascii():
        return data
    rest = data.removeprefix(BOM) if start else data
    place = 0 if rest.startswith(BOM) else rest.find(b"\n" + BOM) + 1 or None
    if place is None:
        return data
    lines = rest.count(b"\n", 0, place)
    what = "a byte order mark begins the line: files were joined. Take the mark out; else it is part of the query id."
    raise LineError(path, lines + 1, what)


TAIL = 1 << 16


def check_last_line(data: bytes, layout: Layout, *, path: Path) -> None:
    """Raise an error if the last line has no newline and stops inside its tag or its grade.

    Examples
    --------
    >>> from pdeval.files.lines import RUN
    >>> check_last_line(b"1 Q0 a 1 2 bm25\\n1 Q0 b 2 1 bm25", RUN, path=Path("a.run"))
    >>> check_last_line(b"1 Q0 a 1 2 bm25\\n1 Q0 b 2 1 bm", RUN, path=Path("a.run"))
    Traceback (most recent call last):
    ...
    pdeval.files.lines.LineError: a.run, line 2: the file ends inside the tag 'bm', which is 'bm25' in the line \
before: it is cut short. Get it again; if nothing is missing, end it with a newline.
    """
    if data.endswith((b"\n", b"\r")):
        return
    *before, last = re.split(LINE_END, data[-TAIL:])
    if re.match(rb"\s*(#|$)", last):
        return
    end = ending(last, layout)
    if layout.more:
        above = next((ending(line, layout) for line in reversed(before) if re.match(rb"\s*[^\s#]", line)), b"")
        if not (above.startswith(end) and above != end) or _stands_before(rb"\s" + re.escape(end), data):
            return
        what = f"the tag {end.decode()!r}, which is {above.decode()!r} in the line before"
    elif end.endswith(b".") and not _stands_before(rb"\.", data):
        what = f"the grade {end.decode()!r}"
    else:
        return
    raise LineError(
        path,
        len(re.findall(LINE_END, data)) + 1,
        f"the file ends inside {what}: it is cut short. Get it again; if nothing is missing, end it with a newline.",
    )


def ending(line: bytes, layout: Layout) -> bytes:
    """Return the last column of a line, with all that follows it.

    Examples
    --------
    >>> from pdeval.files.lines import RUN
    >>> ending(b"1 Q0 a 1 2  bm25 and more ", RUN)
    b'bm25 and more'
    """
    last = len(layout.columns) - 1
    return b"".join(line.split(None, last)[last:]).rstrip()


def _stands_before(words: bytes, data: bytes) -> bool:
    """Return whether some line with a line end ends in these words."""
    return re.search(words + rb"[ \t\v\f]*[\r\n]", data) is not None


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
        table = parse_untidy(data, layout, keep, path=path)
        if table.num_rows == 0:
            return table
        columns = encoded(table)
    for name in set(layout.numbers) & set(keep):
        check_numbers(columns[name], name, layout, data=data, path=path)
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
    if mixed and ("tag" in keep or padded(table, layout, data=data, path=path)):
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
