"""What is wrong in which line of a file: its number as an editor counts it, and its text."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from pdeval.trec.line_layouts import Layout

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
