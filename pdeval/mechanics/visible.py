"""Control characters in names, spelled out: no terminal obeys them, no spreadsheet or figure hides them."""

from __future__ import annotations

import re

# what terminals obey, turns of the direction of reading, breaks of lines, halves of characters
CONTROLS = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")


def visible(text: str, kept: str = "") -> str:
    r"""Return a text whose control characters are spelled out, but for those that are kept.

    Examples
    --------
    >>> visible("a\x1b[2Jb\n", kept="\n")
    'a\\x1b[2Jb\n'
    """
    if text.isprintable():
        return text
    return CONTROLS.sub(lambda sign: sign[0] if sign[0] in kept else sign[0].encode("unicode_escape").decode(), text)
