"""Lines of TREC files to columns: one pass of pyarrow if the columns are separated by exactly one separator.

The separator is guessed from the first line and then verified; other files are parsed by `parse_untidy`.
"""

import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pdeval.files.file_io import contents
from pdeval.join import outside

BLOCK = 1 << 20
TEXT = pa.large_string()


class Layout(NamedTuple):
    """The columns of a type of file, the numeric ones, whether more may follow, and the explanation in errors."""

    columns: tuple[str, ...]
    numbers: dict[str, pa.DataType]
    more: bool
    needs: str


RUN = Layout(
    ("query_id", "iteration", "doc_id", "rank", "score", "tag"),
    {"rank": pa.int64(), "score": pa.float64()},
    more=True,
    needs="A run has six columns: query, Q0, doc, rank, score, tag.",
)
QRELS = Layout(
    ("query_id", "subtopic", "doc_id", "relevance"),
    {"relevance": pa.int64()},
    more=False,
    needs="A qrels file has four columns: query, iteration or subtopic, doc, grade.",
)
COLUMN_TITLES = {"query_id": "query id", "doc_id": "doc id", "relevance": "grade"}
BOM = b"\xef\xbb\xbf"
LINE_END = rb"\r\n|\r|\n"
EXCERPT = 100  # characters of a line that an error quotes


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
    """Return columns of lines with exactly one separator between columns; those without a number type as strings.

    Examples
    --------
    >>> split(b"051 0 d1 1", QRELS, ["query_id", "relevance"], QRELS.numbers, separator=b" ").to_pylist()
    [{'query_id': '051', 'relevance': 1}]
    """
    from pyarrow import csv

    return csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(
            column_names=list(layout.columns), use_threads=threads, block_size=block
        ),
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


class LineError(ValueError):
    """An error at a line of a file.

    Examples
    --------
    >>> print(LineError(Path("bm25.run"), 3, "the score is NaN."))
    bm25.run, line 3: the score is NaN.
    """

    def __str__(self) -> str:
        path, line, what = self.args
        return f"{path}, line {line:,}: {what}"


class Lines(NamedTuple):
    """The lines of a file, or of a piece of it, in UTF-8, and the layout that they should have."""

    data: bytes
    layout: Layout
    path: Path

    def fault(self, row: int, what: str, advice: str = "") -> LineError:
        """Return the error about a row, counted without blank lines and comments: its line number and its text."""
        texts = re.split(LINE_END, self.data.removeprefix(BOM))
        counted = (number for number, text in enumerate(texts) if re.match(rb"\s*[^\s#]", text))
        number = next(islice(counted, row, None))
        text = texts[number].decode()
        excerpt = text if len(text) <= EXCERPT else text[: EXCERPT - 3] + "..."
        is_last = number + 1 == len(texts)
        cut = " The file ends there, without a newline: it may be truncated." if is_last else ""
        return LineError(
            self.path, number + 1, f"{what}: {excerpt!r}. {self.layout.needs}{cut}{advice}"
        )


def byte_fault(place: int, what: str, advice: str, *, data: bytes, path: Path) -> LineError:
    """Return the error about a byte: its line, its position in the line, and the line as bytes.

    Examples
    --------
    >>> print(byte_fault(5, "not UTF-8", "Repair it.", data=b"1 2\\n3\\xe9\\n", path=Path("a.run")))
    a.run, line 2: byte 2 of the line (0xe9) is not UTF-8: b'3\\xe9'. Repair it.
    """
    before = list(re.finditer(LINE_END, data[:place]))
    first = before[-1].end() if before else 0
    text = re.split(LINE_END, data[first : place + EXCERPT], maxsplit=1)[0]
    excerpt = text[max(0, place - first - EXCERPT // 2) :][:EXCERPT]
    position = f"byte {place - first + 1:,} of the line (0x{data[place]:02x})"
    return LineError(path, len(before) + 1, f"{position} is {what}: {excerpt!r}. {advice}")


PIECE = 1 << 22


def parse_untidy(lines: Lines, keep: list[str]) -> dict[str, Any]:
    """Return the columns of lines separated by any white space; an error names the first line at fault."""
    text = clean(lines.data)
    if not text:
        return {}
    text, longest = cut(text, lines)
    # everything is read as strings first, to find the line of a value that is not a number
    table = split(text, lines.layout, keep, {}, separator=b" ", block=max(BLOCK, 2 * longest))
    for name in set(keep) & set(lines.layout.numbers):
        table = table.set_column(keep.index(name), name, numbers(table.column(name), name, lines))
    return encoded(table)


def clean(data: bytes) -> bytes:
    """Return the lines without blank lines and comments, with one space between columns and a newline at the end.

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
    """Yield the data in pieces of complete lines, to limit the memory of each step."""
    first = 0
    while first < len(data):
        end = data.find(b"\n", first + PIECE) + 1 or len(data)
        yield data[first:end]
        first = end


def squeezed(piece: bytes) -> bytes:
    """Return lines with each sequence of white space replaced by one newline, if it has a line end, or by one space."""
    codes = np.frombuffer(piece, dtype=np.uint8)
    line_end = (codes == 10) | (codes == 13)
    space = (codes == 32) | (
        (codes - np.uint8(9)) < 5
    )  # 9 to 13: tab, newline, vertical tab, form feed, return
    # first[i]: byte i starts a sequence of white space
    first = space.copy()
    first[1:] &= ~space[:-1]
    starts = np.flatnonzero(first)
    text = codes.copy()
    text[starts] = 32
    # the sequence of each line end: the last one that starts at or before it
    text[starts[np.searchsorted(starts, np.flatnonzero(line_end), side="right") - 1]] = 10
    kept = text[first | ~space].tobytes().strip()
    return kept + b"\n" if kept else b""


def cut(text: bytes, lines: Lines) -> tuple[bytes, int]:
    """Return clean lines cut to the columns of the layout, and the length of the longest; raise if a line is short."""
    codes = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(codes == 10)
    spaces = np.flatnonzero(codes == 32)
    # before[i]: number of spaces up to the end of line i
    before = np.searchsorted(spaces, ends)
    width = np.diff(before, prepend=0) + 1
    need = len(lines.layout.columns)
    wrong = np.flatnonzero(width < need if lines.layout.more else width != need)
    if len(wrong):
        raise lines.fault(int(wrong[0]), f"{width[wrong[0]]} columns instead of {need}")
    longest = int(np.diff(ends, prepend=-1).max())
    over = np.flatnonzero(width > need)
    if len(over) == 0:
        return text, longest
    # +1 where the surplus of a line starts, -1 where it ends: the bytes at level 0 are kept
    level = np.zeros(len(codes), dtype=np.int8)
    level[spaces[before[over] - width[over] + need]] += 1
    level[ends[over]] -= 1
    return codes[np.cumsum(level, dtype=np.int8) == 0].tobytes(), longest


def numbers(column: pa.ChunkedArray, name: str, lines: Lines) -> pa.ChunkedArray:
    """Return a column of strings as numbers: integers if the layout has them and all are integers, else floats.

    A rank that is not a number becomes NaN, because trec_eval ignores ranks; any other column raises an error.
    """
    dtype = lines.layout.numbers[name]
    # '3', then '3.0', which is an integer only by way of a float, then '3.5'
    for steps in ([dtype], [pa.float64(), dtype], [pa.float64()]):
        with suppress(pa.ArrowInvalid):
            return reduce(pc.cast, steps, column)
    good = pc.match_substring_regex(column, NUMBER)
    if name == "rank":
        return pc.cast(pc.if_else(good, column, "nan"), pa.float64())
    row = pc.index(good, False).as_py()
    raise lines.fault(
        row, f"the {COLUMN_TITLES.get(name, name)} {column[row].as_py()!r} is not a number"
    )


def check_numbers(column: pa.ChunkedArray, name: str, lines: Lines) -> None:
    """Raise an error at the first score that is NaN, or grade that is not finite."""
    if name == "rank" or not pa.types.is_floating(column.type):
        return
    values = column.to_numpy()
    bad = ~np.isfinite(values) if name == "relevance" else np.isnan(values)
    if bad.any():
        row = int(np.argmax(bad))
        fault = "NaN" if np.isnan(values[row]) else "infinite"
        raise lines.fault(row, f"the {COLUMN_TITLES.get(name, name)} is {fault}")


def padded(table: pa.Table, lines: Lines) -> bool:
    """Return whether ids of a tab-separated file have leading or trailing spaces; spaces inside an id are an error.

    trec_eval would end the id at the space, and read the next word as the rank or the grade.
    """
    texts = {
        name: table.column(name) for name in set(table.column_names) - set(lines.layout.numbers)
    }
    texts = {
        name: text for name, text in texts.items() if pc.any(pc.match_substring(text, " ")).as_py()
    }
    for name, text in texts.items():
        row = pc.index(pc.match_substring_regex(text, r"\S +\S"), True).as_py()
        if row >= 0:
            raise lines.fault(
                row, f"the {COLUMN_TITLES.get(name, name)} {text[row].as_py()!r} contains a space"
            )
    return bool(texts)


# byte order marks of wide encodings; the longer ones first, because one starts with another
WIDE = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|^[+-]?(?i:inf|infinity|nan)$"


def check_encoding(encoding: str | None) -> None:
    """Raise an error if the encoding is unknown.

    Examples
    --------
    >>> check_encoding("cp1252")
    >>> check_encoding("latin-99")
    Traceback (most recent call last):
    ...
    ValueError: unknown encoding 'latin-99'. Examples are 'latin-1', 'cp1252', 'utf-16', 'shift_jis'.
    """
    try:
        "a".encode("utf-8" if encoding is None else encoding)
    except (LookupError, ValueError):
        raise ValueError(
            f"unknown encoding {encoding!r}. Examples are 'latin-1', 'cp1252', 'utf-16', 'shift_jis'."
        ) from None


def is_utf8(data: bytes) -> bool:
    """Return whether the bytes are UTF-8 text, without zero bytes.

    Examples
    --------
    >>> is_utf8("café".encode()), is_utf8("café".encode("latin-1")), is_utf8("cafe".encode("utf-16-le"))
    (True, False, False)
    """
    if b"\0" in data:
        return False
    if data.isascii():
        return True
    # validated in place: decoding would take up to four times the memory
    offsets = pa.py_buffer(np.array([0, len(data)], dtype=np.int64))
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)]).validate(
            full=True
        )
    except pa.ArrowInvalid:
        return False
    return True


def as_utf8(data: bytes, *, path: Path, encoding: str | None = None, start: bool = True) -> bytes:
    """Return the content of a file as UTF-8; `encoding` is used if it is not UTF-8, which is an error by default.

    `start` is whether the data are the start of the file, which may have a byte order mark.

    Examples
    --------
    >>> as_utf8(b"1 0 caf\\xe9 1", path=Path("qrels.txt"), encoding="latin-1").decode()
    '1 0 café 1'
    >>> as_utf8("1 0 café 1".encode(), path=Path("qrels.txt"), encoding="latin-1").decode()
    '1 0 café 1'
    """
    text = data if is_utf8(data) else _decoded(data.removeprefix(BOM), path, encoding)
    if text.isascii():
        return text
    rest = text.removeprefix(BOM) if start else text
    mark = 0 if rest.startswith(BOM) else rest.find(b"\n" + BOM) + 1 or None
    if mark is not None:
        raise LineError(
            path,
            rest.count(b"\n", 0, mark) + 1,
            "the line starts with a byte order mark, because files were concatenated. Remove the mark; otherwise it is "
            "part of the query id.",
        )
    return text


def _decoded(data: bytes, path: Path, encoding: str | None) -> bytes:
    try:
        text = data.decode(encoding or "utf-8").encode()
    except UnicodeDecodeError as error:
        raise _not_decoded(error, data, path, encoding) from None
    except UnicodeEncodeError:
        raise ValueError(
            f"'{path}' is not valid {encoding}: decoding it yields unpaired surrogates. Pass another encoding=."
        ) from None
    if b"\0" in text:
        raise ValueError(
            f"'{path}' is not a text file in {encoding or 'UTF-8'}: it contains zero bytes."
        )
    proper, bad = _counts(data)
    if proper > bad:
        warnings.warn(
            f"'{path}' is read as {encoding}, but {proper:,} of its characters are valid UTF-8 and {bad:,} bytes are "
            "not: its ids may differ from those of other files. Repair those bytes to read it as UTF-8.",
            UserWarning,
            stacklevel=outside(),
        )
    return text


def _not_decoded(
    error: UnicodeDecodeError, data: bytes, path: Path, encoding: str | None
) -> ValueError:
    """Return the error about a file that is not in its encoding: the byte, and what to do."""
    what = "not UTF-8"
    wide = next((name for mark, name in WIDE.items() if data.startswith(mark)), None)
    proper, bad = _counts(data)
    # 'utf-8' may be passed as well; it changes nothing
    if encoding and encoding.lower().replace("_", "-") not in ("utf-8", "utf8", "utf-8-sig"):
        what += f", nor {encoding}"
        advice = "Pass the encoding of the file, or save it as UTF-8."
    elif wide or b"\0" in data:
        fault = (
            f"{wide.upper()}, not UTF-8"
            if wide
            else "not a text file in UTF-8: it contains zero bytes"
        )
        remedy = f" Save it as UTF-8, or pass encoding={wide!r}." if wide else ""
        return ValueError(f"'{path}' is {fault}.{remedy}")
    elif error.end == len(data) and error.reason == "unexpected end of data":
        what = "half a character"
        advice = "The file ends there: it is truncated."
    elif proper:
        advice = (
            f"{bad:,} {'byte is' if bad == 1 else 'bytes are'} not valid UTF-8, but {proper:,} other characters are: "
            "the file is damaged, or was concatenated from files in different encodings. Repair it, or download it "
            "again."
        )
    else:
        advice = (
            "The file is in another encoding. Save it as UTF-8, or pass its encoding, e.g. encoding='latin-1' or "
            "'cp1252'."
        )
    return byte_fault(error.start, what, advice, data=data, path=path)


def _counts(data: bytes) -> tuple[int, int]:
    """Return the number of valid non-ASCII characters in UTF-8, and the number of invalid bytes."""
    text = data.decode("utf-8", "ignore")
    return len(text) - len(text.encode("ascii", "ignore")), len(data) - len(text.encode())


TAIL = 1 << 16


def check_last_line(lines: Lines) -> None:
    """Raise an error if the last line has no newline and ends inside its tag or its grade.

    Examples
    --------
    >>> check_last_line(Lines(b"1 Q0 a 1 2 bm25\\n1 Q0 b 2 1 bm25", RUN, Path("a.run")))
    >>> check_last_line(Lines(b"1 Q0 a 1 2 bm25\\n1 Q0 b 2 1 bm", RUN, Path("a.run")))
    Traceback (most recent call last):
    ...
    pdeval.files.lines.LineError: a.run, line 2: the file ends inside the tag 'bm', which is 'bm25' in the line \
before: it is truncated. Download it again; if it is complete, add a newline at the end.
    """
    data, layout, path = lines
    *before, last = re.split(LINE_END, data[-TAIL:])
    if data.endswith((b"\n", b"\r")) or re.match(rb"\s*(#|$)", last):
        return
    above = next((line for line in reversed(before) if re.match(rb"\s*[^\s#]", line)), b"")
    # the last column of both lines, with everything after it
    n = len(layout.columns) - 1
    end, usual = (b"".join(line.split(None, n)[n:]).rstrip() for line in (last, above))
    if layout.more:
        is_cut = usual.startswith(end) and usual != end
        pattern = rb"\s" + re.escape(end)
        what = f"the tag {end.decode()!r}, which is {usual.decode()!r} in the line before"
    else:
        is_cut = end.endswith(b".")
        pattern = rb"\."
        what = f"the grade {end.decode()!r}"
    # a tag or grade that also ends a line with a newline is complete
    if is_cut and not re.search(pattern + rb"[ \t\v\f]*[\r\n]", data):
        raise LineError(
            path,
            len(re.findall(LINE_END, data)) + 1,
            f"the file ends inside {what}: it is truncated. "
            "Download it again; if it is complete, add a newline at the end.",
        )


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
    tag = None
    pieces = contents(path)
    for line, piece in pieces:
        if encoding is not None and not is_utf8(piece) and (line or next(pieces, None)):
            raise ValueError(
                f"'{path}' is so large that it is decompressed in pieces, which requires UTF-8. Decompress it and "
                "save it as UTF-8 first."
            )
        try:
            lines = Lines(
                as_utf8(piece, path=path, encoding=encoding, start=line == 0), layout, path
            )
            if not lines.data or lines.data.isspace():
                continue
            part = parse(lines, keep, threads=threads)
            if part.num_rows and one_tag:
                tag = _only_tag(part.column("tag").chunk(0), tag, lines)
        except LineError as error:
            _, line_of_piece, what = error.args
            raise LineError(path, line + line_of_piece, what) from None
        parts.append(part)
    if not any(part.num_rows for part in parts):
        empty = "has only blank lines and comments" if parts else "is empty"
        raise ValueError(f"the file '{path}' {empty}.")
    # permissive: the grades or ranks of one piece may be integers, those of another not
    return pa.concat_tables([part for part in parts if part.num_rows], promote_options="permissive")


def _only_tag(tags: pa.DictionaryArray, tag: str | None, lines: Lines) -> str:
    """Return the common tag of all lines: `tag`, or that of the first line; a different tag is an error at its line."""
    first: str = tags.dictionary[0].as_py() if tag is None else tag
    # compared once per distinct tag, then looked up per row
    other = pc.not_equal(tags.dictionary, first).to_numpy(zero_copy_only=False)[
        tags.indices.to_numpy()
    ]
    if other.any():
        row = int(np.argmax(other))
        raise lines.fault(
            row,
            f"the tag {tags[row].as_py()!r} is not {first!r}, the tag of the lines above",
            " names='tag' requires one tag per file. Use names='file'.",
        )
    return first


UNTIDY = (b"\0", b"\v", b"\f")  # binary data, or white space that would become part of an id


def parse(lines: Lines, keep: list[str], *, threads: bool = True) -> pa.Table:
    """Return the columns `keep` of lines: repeated ids as dictionaries, doc ids as strings, numbers.

    Examples
    --------
    >>> parse(Lines(b"051 Q0 d1 1 2.5 bm25", RUN, Path("bm25.run")), ["query_id", "score"]).to_pylist()
    [{'query_id': '051', 'score': 2.5}]
    """
    columns = tidy(lines, keep, threads=threads) or parse_untidy(lines, keep)
    for name in set(lines.layout.numbers) & set(columns):
        check_numbers(columns[name], name, lines)
    if columns:
        check_last_line(lines)
    return pa.table(columns)


def tidy(lines: Lines, keep: list[str], *, threads: bool) -> dict[str, Any] | None:
    """Return the columns of lines whose columns are one separator apart, or None if they are not."""
    data, layout, _ = lines
    data = data.removeprefix(BOM)
    head = data[: data.find(b"\n") + 1] or data
    if head.endswith(b"\r\n"):
        data = data.replace(b"\r\n", b"\n")
    if data.endswith(b"\n\n"):
        data = data.rstrip(b"\n")
    separator, other = (b"\t", b" ") if b"\t" in head else (b" ", b"\t")
    mixed = other in data
    if (
        head.count(separator) + 1 != len(layout.columns)
        or any(mark in data for mark in UNTIDY)
        or (mixed and separator == b" ")
        or not spaced(data, separator)
    ):
        return None
    try:
        table = split(data, layout, keep, layout.numbers, separator=separator, threads=threads)
    except pa.ArrowInvalid:
        return None
    if mixed and ("tag" in keep or padded(table, lines)):
        return None
    columns = encoded(table)
    # a comment with as many words as columns looks like a row
    commented = (
        "query_id" in columns
        and pc.any(pc.starts_with(columns["query_id"].dictionary, "#")).as_py()
    )
    return None if commented else columns


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
        # one more than a block: pairs across its end are compared too
        block = codes[first : first + BLOCK + 1]
        edge = (block == separator[0]) | (block == 10)
        if (edge[1:] & edge[:-1]).any():
            return False
    return True


def encoded(table: pa.Table) -> dict[str, Any]:
    """Return the columns with repeated ids as dictionaries and doc ids in one piece."""
    columns: dict[str, Any] = dict(zip(table.column_names, table.columns))
    for name, column in columns.items():
        if column.type == TEXT:
            text = pa.concat_arrays(column.chunks) if column.num_chunks != 1 else column.chunk(0)
            columns[name] = text if name == "doc_id" else dictionary(text)
    return columns


def dictionary(text: pa.Array) -> pa.DictionaryArray:
    """Return a column of repeated ids as a dictionary, hashing one id per sequence of equal rows.

    Examples
    --------
    >>> dictionary(pa.array(["301", "301", "302"], TEXT)).indices.to_pylist()
    [0, 0, 1]
    """
    # neighbors are compared, not hashed: the rows of a query are adjacent in nearly every file
    runs = pc.run_end_encode(text, run_end_type=pa.int64())
    heads = runs.values.dictionary_encode()
    codes = np.repeat(heads.indices, np.diff(runs.run_ends, prepend=0))
    return pa.DictionaryArray.from_arrays(pa.array(codes), heads.dictionary)


def repeated(word: str, n: int) -> pa.DictionaryArray:
    """Return a column that repeats one word."""
    return pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(n, dtype=np.int32)), pa.array([word], TEXT)
    )
