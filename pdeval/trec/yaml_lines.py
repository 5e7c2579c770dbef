"""The part of YAML that headers of run files are written in: nested mappings, lists, and plain or quoted values.

A strict reader rather than a package: what it does not know (anchors, tags, mappings in braces) is an error with its
line, and a key that stands twice is one too, which most readers of YAML let pass.
"""

from __future__ import annotations

import re
from typing import Any

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
