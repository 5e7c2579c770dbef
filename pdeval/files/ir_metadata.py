"""What run files say of themselves: their ir_metadata headers, one row per run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from pdeval.files import file_io
from pdeval.files.lines import BOM, as_utf8
from pdeval.files.tabular import has_header

KEY = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#&*!|>'"%@`{}\[\],?-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+(.*)|)$"""
)
WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
INT, FLOAT = re.compile(r"[-+]?\d+"), re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d+)?")


class Unread(ValueError):
    """A line that is not understood, or that contradicts another; `line` counts from 1."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


def parsed(lines: list[str]) -> Any:
    """Return what lines of YAML say: dicts, lists and values.

    Examples
    --------
    >>> parsed(["tag: bm25", "method:", "  - name: BM25", "    k1: 0.9", "  - name: RM3"])
    {'tag': 'bm25', 'method': [{'name': 'BM25', 'k1': 0.9}, {'name': 'RM3'}]}
    """
    reader = _Reader(lines)
    if not reader.rows:
        return {}
    held = reader.block(reader.rows[0][1])
    if reader.at < len(reader.rows):
        number, _, text = reader.rows[reader.at]
        raise Unread(number, f"{text!r} is indented unlike the lines above")
    return held


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        self.rows: list[tuple[int, int, str]] = []  # number, indentation, text
        skipped = -1  # the indentation of a text block, whose lines are read as they stand
        for number, line in enumerate(lines, start=1):
            text = line.strip()
            indent = len(line) - len(line.lstrip(" "))
            if "\t" in line[: len(line) - len(line.lstrip())]:
                raise Unread(number, "indent with spaces, not tabs")
            if skipped >= 0 and (not text or indent > skipped):
                continue
            skipped = -1
            if not text or text.startswith("#") or text == "---":
                continue
            self.rows.append((number, indent, text))
            if re.search(r"(:|^-)\s+[|>][-+]?$", text):
                skipped = indent

    def block(self, indent: int) -> Any:
        """Return the mapping or list whose lines stand at an indentation."""
        is_list = self.rows[self.at][2].startswith("- ") or self.rows[self.at][2] == "-"
        return self.sequence(indent) if is_list else self.mapping(indent)

    def here(self, indent: int) -> bool:
        return self.at < len(self.rows) and self.rows[self.at][1] == indent

    def sequence(self, indent: int) -> list[Any]:
        held = []
        while self.here(indent) and (self.rows[self.at][2].startswith("- ") or self.rows[self.at][2] == "-"):
            number, _, text = self.rows[self.at]
            inner = text[1:].lstrip()
            if inner and KEY.fullmatch(inner):  # a mapping that begins on the line of its dash
                place = indent + len(text) - len(inner)
                self.rows[self.at] = (number, place, inner)
                held.append(self.mapping(place))
            else:
                self.at += 1
                held.append(self.value(inner, number, indent))
        return held

    def mapping(self, indent: int) -> dict[str, Any]:
        held: dict[str, Any] = {}
        while self.here(indent):
            number, _, text = self.rows[self.at]
            found = KEY.fullmatch(text)
            if found is None:
                raise Unread(number, f"{text!r} is not 'key: value'")
            key = str(_unquoted(found[1], number))
            if key in held:
                raise Unread(number, f"{key!r} is said twice")
            self.at += 1
            held[key] = self.value((found[2] or "").strip(), number, indent)
        return held

    def value(self, text: str, number: int, indent: int) -> Any:
        """Return what stands after a key or a dash: a value, or the block below."""
        if re.fullmatch(r"[|>][-+]?", text):
            return self.text_below(text, number, indent)
        if text and not text.startswith("#"):
            return _value(text, number)
        if self.at < len(self.rows):
            below = self.rows[self.at]
            listed = below[1] == indent and below[2].startswith("-") and not self.rows[self.at - 1][2].startswith("-")
            if below[1] > indent or listed:
                return self.block(below[1])
        return None

    def text_below(self, style: str, number: int, indent: int) -> str:
        """Return a text of several lines: with its line ends after '|', in one line after '>'."""
        lines = []
        for line in self.lines[number:]:
            if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
                break
            lines.append(line.strip())
        while lines and not lines[-1]:
            lines.pop()
        text = ("\n" if style[0] == "|" else " ").join(lines)
        return text if style.endswith("-") or not text else text + "\n"


def _value(text: str, number: int) -> Any:
    if text[0] in "\"'":
        return _unquoted(re.sub(r"\s+#.*$", "", text) if text[-1] != text[0] else text, number)
    text = re.sub(r"\s+#.*$", "", text)
    if text[0] == "[" and text[-1] == "]":
        inside = text[1:-1].strip()
        return [_value(one.strip(), number) for one in inside.split(",")] if inside else []
    if text[0] in "&*!{%@`[|>":
        raise Unread(number, f"{text!r} is more of YAML than is read here: write plain or quoted values")
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if INT.fullmatch(text):
        return int(text)
    return float(text) if FLOAT.fullmatch(text) else text


def _unquoted(text: str, number: int) -> str:
    if text[0] not in "\"'":
        return text
    if len(text) < 2 or text[-1] != text[0]:
        raise Unread(number, f"the quotes of {text!r} are not closed")
    if text[0] == "'":
        return text[1:-1].replace("''", "'")
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text[1:-1])


START, END = "ir_metadata.start", "ir_metadata.end"
PIECE = 1 << 16


def metadata_of(run_files: Iterable[Any], runs: list[str] | None = None) -> pd.DataFrame:
    """Return the headers of run files as metadata: one row per run, one column per value, named by its keys.

    Keys are joined by dots, and members of a list are numbered from 1: `method.retrieval.1.name`. Lists of plain values
    are one text. Runs without a header have missing values.

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
            raise ValueError(f"'{file.path}' can be read once, and its metadata are read apart: give a file.")
        if has_header(file.path):
            continue
        said, tag = header_of(file.path, file.encoding)
        rows.append({"run": file.name or tag, **{f"ir_metadata.{k}" if k == "run" else k: v for k, v in said.items()}})
    made = pd.DataFrame(rows, columns=list(dict.fromkeys(["run", *(name for row in rows for name in row)])))
    if runs is not None:
        made = made.set_index("run").reindex(pd.Index(runs, name="run")).reset_index()
    return made.infer_objects()


def header_of(path: Path, encoding: str | None = None) -> tuple[dict[str, Any], str]:
    """Return what the header of a run file says, flat, and the tag of its first line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "bm25.run"
    >>> _ = path.write_text("# ir_metadata.start\\n# tag: x\\n# ir_metadata.end\\n1 Q0 d 1 2.5 x\\n")
    >>> header_of(path)
    ({'tag': 'x'}, 'x')
    """
    head, first = _comments(path, encoding)
    blocks: list[tuple[int, list[str]]] = []
    inside: list[str] | None = None
    for number, line in head:
        word = line.strip()
        if word == START:
            inside = []
            blocks.append((number, inside))
        elif word == END:
            inside = None
        elif inside is not None:
            inside.append(line)
    if inside is not None:
        raise ValueError(f"'{path}', line {blocks[-1][0]}: '# {START}' has no '# {END}' before the first row.")
    said = [_flat_block(lines, number, path) for number, lines in blocks]
    for (number, _), one in zip(blocks[1:], said[1:]):
        for name in one:
            if name in said[0] and said[0][name] != one[name]:
                raise ValueError(
                    f"'{path}', line {number}: a second header says {name}: {one[name]!r}, the first one "
                    f"{said[0][name]!r}. Keep one."
                )
    flat = {name: value for one in reversed(said) for name, value in one.items()}
    words = first.split()
    tag = words[5] if len(words) > 5 else ""
    if "tag" in flat and tag and str(flat["tag"]) != tag:
        raise ValueError(
            f"'{path}': its header says tag: {flat['tag']}, its rows have the tag {tag!r}. The header may be of "
            "another run; make them alike."
        )
    return dict(flat), tag


def _comments(path: Path, encoding: str | None) -> tuple[list[tuple[int, str]], str]:
    """Return the comments at the top of a file with their line numbers, and its first row; no more of it is read."""
    data = b""
    with pa.input_stream(str(path), compression=file_io.compression(path)) as stream:
        while piece := stream.read(PIECE):
            data += piece
            rows = data.removeprefix(BOM).split(b"\n")[:-1]
            if any(row.strip() and not row.lstrip().startswith(b"#") for row in rows):
                break
    end = data.rfind(b"\n") + 1 or len(data)  # a character may be cut in two at the end of what was read
    text = as_utf8(data[:end] if len(data) >= PIECE else data, path=path, encoding=encoding)
    held: list[tuple[int, str]] = []
    for number, row in enumerate(text.removeprefix(BOM).decode().splitlines(), start=1):
        if row.strip() and not row.lstrip().startswith("#"):
            return held, row
        if row.lstrip().startswith("#"):
            held.append((number, row.lstrip()[1:].rstrip()))
    return held, ""


def _flat_block(lines: list[str], start: int, path: Path) -> dict[str, Any]:
    # one space after '#' belongs to the comment
    bare = [line.removeprefix(" ") for line in lines]
    try:
        held = parsed(bare)
    except Unread as fault:
        raise ValueError(f"'{path}', line {start + fault.line}, in the ir_metadata header: {fault}.") from None
    if not isinstance(held, dict):
        raise ValueError(f"'{path}', line {start + 1}: an ir_metadata header holds keys and values, not a list.")
    return _flat(held)


def _flat(held: Any, prefix: str = "") -> dict[str, Any]:
    """Return nested keys joined by dots.

    Examples
    --------
    >>> _flat({"method": {"stages": [{"k1": 0.9}, {"k1": 1.2}], "libraries": ["a", "b"]}})
    {'method.stages.1.k1': 0.9, 'method.stages.2.k1': 1.2, 'method.libraries': 'a, b'}
    """
    found: dict[str, Any] = {}
    for name, value in held.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            found |= _flat(value, f"{key}.")
        elif isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
            found |= _flat({str(place): one for place, one in enumerate(value, start=1)}, f"{key}.")
        else:
            found[key] = ", ".join(map(str, value)) if isinstance(value, list) else value
    return found
