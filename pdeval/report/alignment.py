"""Numbers under each other: what a cell lacks beside the longest of its column, to be printed invisibly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple


class Lacking(NamedTuple):
    """What a number lacks beside others: a sign, digits before the point, the point and digits after it."""

    sign: str = ""
    digits: str = ""
    decimals: str = ""


def lacking(texts: Sequence[str]) -> list[Lacking]:
    """Return what each number of a column lacks; texts that are no numbers lack nothing.

    Examples
    --------
    >>> [tuple(one) for one in lacking(["1.5", "−10.25", "–"])]
    [('−', '0', '0'), ('', '', ''), ('', '', '')]
    """
    parts = [_split(text) for text in texts]
    signs = [sign for sign, _, _ in parts if sign]
    before = max((len(whole) for _, whole, _ in parts), default=0)
    after = max((len(rest) for _, whole, rest in parts if whole), default=0)
    found = []
    for sign, whole, rest in parts:
        if not whole:
            found.append(Lacking())
            continue
        behind = after - len(rest)
        point = "." * (not rest and behind > 0)
        found.append(
            Lacking(
                signs[0] if signs and not sign else "", "0" * (before - len(whole)), point + "0" * (behind - len(point))
            )
        )
    return found


def _split(text: str) -> tuple[str, str, str]:
    found = re.fullmatch(r"([−<]?)(\d+)(\.\d+)?", text)
    return (found[1], found[2], found[3] or "") if found else ("", "", text)


def widest(marks: Sequence[str]) -> str:
    """Return the longest marks of a column, which all others are given the room of.

    Examples
    --------
    >>> widest(["a", "", "bc"])
    'bc'
    """
    return max(marks, key=len, default="")
