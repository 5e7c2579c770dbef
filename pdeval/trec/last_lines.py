"""Whether a plain file was cut short, where that can be told.

Many complete files have no newline at their end, so that this alone says nothing. A cut inside the columns leaves too
few of them, and one inside a character leaves half of it: both are errors already. What is left is a cut inside the
last word, which shows if the line before goes on where the last one stops. A cut between two lines leaves no trace.
"""

from __future__ import annotations

import re
from pathlib import Path

from pdeval.trec.line_faults import LINE_END, LineError
from pdeval.trec.line_layouts import Layout

TAIL = 1 << 16


def check_last_line(data: bytes, layout: Layout, *, path: Path) -> None:
    """Raise an error if the last line has no newline and stops inside its tag or its grade.

    Examples
    --------
    >>> from pdeval.trec.line_layouts import RUN
    >>> check_last_line(b"1 Q0 a 1 2 bm25\\n1 Q0 b 2 1 bm25", RUN, path=Path("a.run"))
    >>> check_last_line(b"1 Q0 a 1 2 bm25\\n1 Q0 b 2 1 bm", RUN, path=Path("a.run"))
    Traceback (most recent call last):
    ...
    pdeval.trec.line_faults.LineError: a.run, line 2: the file ends inside the tag 'bm', which is 'bm25' in the line \
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
    >>> from pdeval.trec.line_layouts import RUN
    >>> ending(b"1 Q0 a 1 2  bm25 and more ", RUN)
    b'bm25 and more'
    """
    last = len(layout.columns) - 1
    return b"".join(line.split(None, last)[last:]).rstrip()


def _stands_before(words: bytes, data: bytes) -> bool:
    """Return whether some line with a line end ends in these words."""
    return re.search(words + rb"[ \t\v\f]*[\r\n]", data) is not None
