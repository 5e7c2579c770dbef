"""Suggestions for misspelled names."""

import re
from collections.abc import Iterable, Mapping

from pdeval.verbs.lazy_imports import difflib

NEAR = 0.8  # smallest similarity of long names, as computed by difflib
SHORT, LONG = 4, 6  # smallest lengths of a name for one edit, and for several


def nearest(text: object, names: Iterable[str] | Mapping[str, str]) -> str | None:
    """Return the name that a text misspells, or None without exactly one.

    A misspelled name has other dashes or letter case, is one edit away, or is long and similar. Unrelated short names
    often differ in one letter, so in short names only an edit at the end counts.

    Parameters
    ----------
    names : iterable of str, or mapping
        The names. The values of a mapping are returned in place of its keys.

    Examples
    --------
    >>> nearest("NDGC", ["nDCG", "DCG"]), nearest("tie", ["ties"]), nearest("bonferoni", ["bonferroni"])
    ('nDCG', 'ties', 'bonferroni')
    >>> nearest("ER", ["ERR"]), nearest("median", ["mean"]), nearest("EDCG", ["nDCG", "wDCG"])
    (None, None, None)
    """
    if not isinstance(text, str):  # numbers of thousands of digits have no text
        return None
    meanings = names if isinstance(names, Mapping) else {name: name for name in names}
    given = _plain(text)
    for is_near in (str.__eq__, _one_edit, _nearly_equal):
        if matches := {
            meaning for name, meaning in meanings.items() if is_near(given, _plain(name))
        }:
            return matches.pop() if len(matches) == 1 else None
    return None


def did_you_mean(text: object, names: Iterable[str] | Mapping[str, str]) -> str:
    """Return " Did you mean ...?" with the nearest name; empty without one.

    Examples
    --------
    >>> did_you_mean("tie", ["ties"]), did_you_mean("x", ["ties"])
    (" Did you mean 'ties'?", '')
    """
    near = nearest(text, names)
    return f" Did you mean {near!r}?" if near else ""


def _plain(text: str) -> str:
    return re.sub(r"[\s_.-]", "", text.lower())


def _one_edit(one: str, two: str) -> bool:
    """Return whether one letter was inserted, deleted or replaced, or two neighbors swapped."""
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
    if min(len(one), len(two)) < LONG:
        return False
    matcher = difflib.SequenceMatcher(None, one, two)
    # the bound by lengths comes first: names of thousands of characters take seconds
    return matcher.real_quick_ratio() >= NEAR and matcher.ratio() >= NEAR
