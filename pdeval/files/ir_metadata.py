"""The ir_metadata headers of run files, in a subset of YAML, as a table with one row per run."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

from pdeval.files import file_io
from pdeval.files.lines import BOM, as_utf8
from pdeval.files.tabular import has_header

KEY = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#&*!|>'"%@`{}\[\],?-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+(.*)|)$"""
)
TEXT_BLOCK = re.compile(r"(:|^-)\s+[|>][-+]?$")  # a key or dash whose value is the text below
WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
INT, FLOAT = re.compile(r"[-+]?\d+"), re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d+)?")


class YamlError(ValueError):
    """A line that is not understood, or that contradicts another: its number from 1, and what is wrong."""


def parsed(lines: list[str]) -> Any:
    """Return the content of lines of YAML: dicts, lists and values.

    Examples
    --------
    >>> parsed(["tag: bm25", "method:", "  - name: BM25", "    k1: 0.9", "  - name: RM3"])
    {'tag': 'bm25', 'method': [{'name': 'BM25', 'k1': 0.9}, {'name': 'RM3'}]}
    """
    rows = deque(_rows(lines))
    if not rows:
        return {}
    content = _block(rows)
    if rows:
        raise YamlError(rows[0].number, f"the indentation of {rows[0].text!r} does not match")
    return content


class _Row(NamedTuple):
    number: int
    indent: int
    text: str
    block: list[str] | None  # the lines below, if they are a text


def _rows(lines: list[str]) -> list[_Row]:
    rows: list[_Row] = []
    block: list[str] | None = None
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        if "\t" in line[: len(line) - len(line.lstrip())]:
            raise YamlError(number, "indent with spaces, not tabs")
        if block is not None and (not text or indent > rows[-1].indent):
            block.append(text)
            continue
        block = [] if TEXT_BLOCK.search(text) else None
        if text and not text.startswith("#") and text != "---":
            rows.append(_Row(number, indent, text, block))
    return rows


def _block(rows: deque[_Row]) -> Any:
    """Take the list or mapping off the rows that begins with the first of them."""
    indent = rows[0].indent
    return _sequence(rows, indent) if _is_item(rows[0]) else _mapping(rows, indent)


def _is_item(row: _Row) -> bool:
    return row.text == "-" or row.text.startswith("- ")


def _sequence(rows: deque[_Row], indent: int) -> list[Any]:
    values: list[Any] = []
    while rows and rows[0].indent == indent and _is_item(rows[0]):
        row = rows.popleft()
        inner = row.text[1:].lstrip()
        if inner and KEY.fullmatch(inner):  # a mapping that begins on the line of its dash
            start = indent + len(row.text) - len(inner)
            rows.appendleft(row._replace(indent=start, text=inner))
            values.append(_mapping(rows, start))
        else:
            values.append(_value_of_row(row, inner, rows))
    return values


def _mapping(rows: deque[_Row], indent: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    while rows and rows[0].indent == indent:
        row = rows.popleft()
        match = KEY.fullmatch(row.text)
        if match is None:
            raise YamlError(row.number, f"{row.text!r} is not 'key: value'")
        key = str(_unquoted(match[1], row.number))
        if key in values:
            raise YamlError(row.number, f"the key {key!r} occurs twice")
        values[key] = _value_of_row(row, (match[2] or "").strip(), rows)
    return values


def _value_of_row(row: _Row, text: str, rows: deque[_Row]) -> Any:
    """Return the value after a key or a dash, or the block below."""
    if re.fullmatch(r"[|>][-+]?", text):
        # with its line ends after '|', in one line after '>'
        content = ("\n" if text[0] == "|" else " ").join(row.block or []).rstrip()
        return content if text.endswith("-") or not content else content + "\n"
    if text and not text.startswith("#"):
        return _value(text, row.number)
    if rows and rows[0].indent == row.indent:
        # a list may have the indentation of its key
        return (
            _block(rows) if rows[0].text.startswith("-") and not row.text.startswith("-") else None
        )
    return _block(rows) if rows and rows[0].indent > row.indent else None


def _value(text: str, number: int) -> Any:
    if text[0] in "\"'":
        return _unquoted(re.sub(r"\s+#.*$", "", text) if text[-1] != text[0] else text, number)
    text = re.sub(r"\s+#.*$", "", text)
    if text[0] == "[" and text[-1] == "]":
        inside = text[1:-1].strip()
        return [_value(part.strip(), number) for part in inside.split(",")] if inside else []
    if text[0] in "&*!{%@`[|>":
        raise YamlError(number, f"{text!r} is not supported. Use plain or quoted values and lists")
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if INT.fullmatch(text):
        return int(text)
    return float(text) if FLOAT.fullmatch(text) else text


def _unquoted(text: str, number: int) -> str:
    if text[0] not in "\"'":
        return text
    if len(text) < 2 or text[-1] != text[0]:
        raise YamlError(number, f"the quote in {text!r} is not closed")
    if text[0] == "'":
        return text[1:-1].replace("''", "'")
    return re.sub(
        r"\\(.)", lambda escape: {"n": "\n", "t": "\t"}.get(escape[1], escape[1]), text[1:-1]
    )


START, END = "ir_metadata.start", "ir_metadata.end"
PIECE = 1 << 16


def metadata_of(run_files: Iterable[Any], runs: list[str] | None = None) -> pd.DataFrame:
    """Return the headers of run files as metadata: one row per run, one column per value.

    Column names are the keys joined by dots; members of a list are numbered from 1: `method.retrieval.1.name`. Lists of
    plain values become one string. Runs without a header have missing values.

    Parameters
    ----------
    run_files : iterable of RunFile
        The files.
    runs : list of str, optional
        All runs, in the order of their rows.

    Examples
    --------
    >>> import tempfile
    >>> from pdeval.files.reading import RunFile
    >>> path = Path(tempfile.mkdtemp()) / "bm25.run"
    >>> lines = ["# ir_metadata.start", "# method:", "#   automatic: true", "# ir_metadata.end", "1 Q0 d 1 2.5 x"]
    >>> _ = path.write_text("\\n".join(lines))
    >>> metadata_of([RunFile(path, "bm25")])
        run  method.automatic
    0  bm25              True
    """
    rows = []
    for file in run_files:
        if str(file.path) == file_io.STDIN or not Path(file.path).is_file():
            raise ValueError(
                f"'{file.path}' can be read only once, but metadata=True requires reading it twice. Pass a file."
            )
        if not has_header(file.path):
            values, tag = header_of(file.path, file.encoding)
            # a key of the header must not replace the name of the run
            renamed = {
                f"ir_metadata.{key}" if key == "run" else key: value
                for key, value in values.items()
            }
            rows.append({"run": file.name or tag, **renamed})
    table = pd.DataFrame(
        rows, columns=list(dict.fromkeys(["run", *(name for row in rows for name in row)]))
    )
    if runs is not None:
        table = table.set_index("run").reindex(pd.Index(runs, name="run")).reset_index()
    return table.infer_objects()


def header_of(path: Path, encoding: str | None = None) -> tuple[dict[str, Any], str]:
    """Return the header of a run file, its keys joined by dots, and the tag of its first line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "bm25.run"
    >>> _ = path.write_text("# ir_metadata.start\\n# tag: x\\n# ir_metadata.end\\n1 Q0 d 1 2.5 x\\n")
    >>> header_of(path)
    ({'tag': 'x'}, 'x')
    """
    comments, first_row = _comments(path, encoding)
    lines = [text.strip() for _, text in comments]
    starts = [place for place, line in enumerate(lines) if line == START]
    if starts and END not in lines[starts[-1] :]:
        raise ValueError(
            f"'{path}', line {comments[starts[-1]][0]}: '# {START}' has no '# {END}' before the first row."
        )
    header: dict[str, Any] = {}
    for place in starts:
        number, _ = comments[place]
        inside = takewhile(
            lambda comment: comment[1].strip() not in (START, END), comments[place + 1 :]
        )
        for name, value in _flat_block([text for _, text in inside], number, path).items():
            if header.setdefault(name, value) != value:
                raise ValueError(
                    f"'{path}', line {number}: {name} is {value!r} in a second header, but {header[name]!r} in the "
                    "first one. Keep one header."
                )
    tag = "".join(first_row.split()[5:6])
    if "tag" in header and tag and str(header["tag"]) != tag:
        raise ValueError(
            f"'{path}': the tag is {header['tag']!r} in the header, but {tag!r} in the rows. Check that the header "
            "belongs to this run, and correct one of the tags."
        )
    return header, tag


def _comments(path: Path, encoding: str | None) -> tuple[list[tuple[int, str]], str]:
    """Return the comments at the top of a file with their line numbers, and its first row."""
    data = b""
    with pa.input_stream(str(path), compression=file_io.compression(path)) as stream:
        while piece := stream.read(PIECE):
            data += piece
            rows = data.removeprefix(BOM).split(b"\n")[:-1]
            if any(row.strip() and not row.lstrip().startswith(b"#") for row in rows):
                break
    # the last character of a piece may be incomplete
    end = data.rfind(b"\n") + 1 or len(data)
    text = as_utf8(data[:end] if len(data) >= PIECE else data, path=path, encoding=encoding)
    comments: list[tuple[int, str]] = []
    for number, row in enumerate(text.removeprefix(BOM).decode().splitlines(), start=1):
        if row.lstrip().startswith("#"):
            comments.append((number, row.lstrip()[1:].rstrip()))
        elif row.strip():
            return comments, row
    return comments, ""


def _flat_block(lines: list[str], start: int, path: Path) -> dict[str, Any]:
    try:
        # one space after '#' belongs to the comment
        content = parsed([line.removeprefix(" ") for line in lines])
    except YamlError as error:
        line, fault = error.args
        raise ValueError(
            f"'{path}', line {start + line}, in the ir_metadata header: {fault}."
        ) from None
    if not isinstance(content, dict):
        raise ValueError(
            f"'{path}', line {start + 1}: an ir_metadata header must have keys and values, not a list."
        )
    return _flat(content)


def _flat(content: Any, prefix: str = "") -> dict[str, Any]:
    """Return nested keys joined by dots.

    Examples
    --------
    >>> _flat({"method": {"stages": [{"k1": 0.9}, {"k1": 1.2}], "libraries": ["a", "b"]}})
    {'method.stages.1.k1': 0.9, 'method.stages.2.k1': 1.2, 'method.libraries': 'a, b'}
    """
    flat: dict[str, Any] = {}
    for name, value in content.items():
        if isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
            value = {str(number): one for number, one in enumerate(value, start=1)}
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = (
                ", ".join(map(str, value)) if isinstance(value, list) else value
            )
    return flat
