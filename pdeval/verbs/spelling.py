"""Misspelled names: the one name that was meant, or none."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping

NEAR = 0.8  # the similarity of long names, as difflib counts it
SHORT, LONG = 4, 6  # letters that a name needs for one edit, and for several


def nearest(text: object, names: Iterable[str] | Mapping[str, str]) -> str | None:
    """Return the name that a text misspells, or None if there is none or more than one.

    A misspelled name has other dashes or letter case, is one edit away, or is long and nearly equal. Short names differ
    by one letter without any relation, so an edit of these has to be at the end.

    Parameters
    ----------
    names : iterable of str, or mapping
        The names; of a mapping, what each of them means.

    Examples
    --------
    >>> nearest("NDGC", ["nDCG", "DCG"]), nearest("tie", ["ties"]), nearest("bonferoni", ["bonferroni"])
    ('nDCG', 'ties', 'bonferroni')
    >>> nearest("ER", ["ERR"]), nearest("median", ["mean"]), nearest("EDCG", ["nDCG", "wDCG"])
    (None, None, None)
    """
    if not isinstance(text, str):  # a number of thousands of digits cannot even be written
        return None
    meanings = names if isinstance(names, Mapping) else {name: name for name in names}
    given = _plain(text)
    for is_near in (str.__eq__, _one_edit, _nearly_equal):
        matches = {meaning for name, meaning in meanings.items() if is_near(given, _plain(name))}
        if matches:
            return matches.pop() if len(matches) == 1 else None
    return None


def _plain(text: str) -> str:
    return re.sub(r"[\s_.-]", "", text.lower())


def _one_edit(one: str, two: str) -> bool:
    """Return whether a letter was inserted, left out or replaced, or two neighbors swapped."""
    short, long = sorted((one, two), key=len)
    if len(long) - len(short) > 1 or len(short) < SHORT - 1:
        return False
    if long.startswith(short):
        return True
    start = next(at for at, letter in enumerate(short) if letter != long[at])
    swapped = (
        short[start : start + 2] == long[start : start + 2][::-1]
        and short[start + 2 :] == long[start + 2 :]
    )
    rest = short[start:] if len(long) > len(short) else short[start + 1 :]
    return len(short) >= SHORT and (swapped or rest == long[start + 1 :])


def _nearly_equal(one: str, two: str) -> bool:
    return (
        min(len(one), len(two)) >= LONG and difflib.SequenceMatcher(None, one, two).ratio() >= NEAR
    )
