"""The rules of a join: how lists are ordered, which queries count, and which grades are relevant."""

import sys
from typing import Any, Literal

from pdeval.tables import Table
from pdeval.verbs import integer, is_finite, short_repr

Ties = Literal["docid", "rank", "first", "expected"]
Compat = Literal["trec_eval-10", "trec_eval-9", "pref_eval"]
QueryRule = Literal["relevant", "judged", "answered", "common"]


def checked_rules(ties: Ties | None, compat: str, depth: int | None, runs: Table) -> Ties:
    """Return the order inside a list, or raise if rules and table do not fit."""
    if compat not in ("trec_eval-10", "trec_eval-9", "pref_eval"):
        raise ValueError(f"compat={compat!r}: choose 'trec_eval-10', 'trec_eval-9' or 'pref_eval'.")
    if ties not in (None, "docid", "rank", "first", "expected"):
        raise ValueError(f"ties={ties!r}: choose 'docid', 'rank', 'first' or 'expected'.")
    if depth is not None:
        integer("depth", depth, 1, 2**63 - 1)
    if ties is None:
        ties = "docid" if "score" in runs else "rank"
    needed = "rank" if ties == "rank" else "score"
    if needed not in runs:
        raise ValueError(
            f"ties={ties!r} needs a {needed} column; bind one with df.ireval({needed}=...)."
        )
    if ties == "expected" and depth is not None:
        raise ValueError(
            "depth= cannot be combined with ties='expected', because tied items have no definite rank. Drop depth= or "
            "use another ties=."
        )
    return ties


def checked_level(level: Any) -> Any:
    """Return a relevance level (None: any positive grade), or raise if it is not positive.

    Examples
    --------
    >>> checked_level(2)
    2
    """
    if level is not None and not (is_finite(level) and level > 0):
        raise ValueError(
            f"level={short_repr(level)}: the smallest relevant grade must be a number above 0."
        )
    return level


def outside() -> int:
    """Return the number of frames up to the code of the caller, for warnings to point at it."""
    frame, depth = sys._getframe(1), 1
    while (
        frame.f_back is not None
        and frame.f_globals.get("__name__", "").partition(".")[0] == "pdeval"
    ):
        frame, depth = frame.f_back, depth + 1
    return depth
