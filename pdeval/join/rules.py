"""The rules of a join: how its lists are ordered, and which queries count for which run."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pdeval.tables.labels import run_labels
from pdeval.tables.reader import Table
from pdeval.verbs.arguments import is_finite, is_whole, shown, whole

if TYPE_CHECKING:
    from pdeval.join.positions import Positions

Ties = Literal["docid", "rank", "first", "expected"]
Compat = Literal["trec_eval-10", "trec_eval-9", "pref_eval"]
Topics = Literal["relevant", "judged", "answered", "common"]


def checked_rules(ties: Ties | None, compat: str, depth: object, runs: Table) -> Ties:
    """Return the order inside a list, or raise if rules and table do not go together."""
    if compat not in ("trec_eval-10", "trec_eval-9", "pref_eval"):
        raise ValueError(f"compat={compat!r}: choose 'trec_eval-10', 'trec_eval-9' or 'pref_eval'.")
    if ties not in (None, "docid", "rank", "first", "expected"):
        raise ValueError(f"ties={ties!r}: choose 'docid', 'rank', 'first' or 'expected'.")
    if depth is not None and (not is_whole(depth) or depth < 1):
        raise ValueError(f"depth={depth!r}: give a whole number of at least 1, or None for all.")
    if depth is not None:
        whole("depth", depth, 1, np.iinfo(np.int64).max)
    if ties is None:
        ties = "docid" if "score" in runs else "rank"
    needed = "rank" if ties == "rank" else "score"
    if needed not in runs:
        raise ValueError(
            f"ties={ties!r} needs a {needed} column; bind one with df.ireval({needed}=...)."
        )
    if ties == "expected" and depth is not None:
        raise ValueError(
            "ties='expected' has no definite first items: leave out depth=, or choose another ties=."
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
            f"level={shown(level)}: the least grade that counts as relevant must be a number above 0."
        )
    return level


def counted(positions: Positions, topics: Topics, level: float | None) -> np.ndarray:
    """Return which (topic, run) cells count under the topic rule.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged()
    >>> int(counted(judged.positions, "answered", None).sum()), int(counted(judged.positions, "relevant", None).sum())
    (598, 600)
    """
    answered = positions.answered
    if topics == "relevant":
        has = (
            np.bincount(
                positions.judged.topic[positions.relevant(level)], minlength=len(positions.queries)
            )
            > 0
        )
        return np.broadcast_to(has[:, None], answered.shape)
    if topics == "judged":
        return np.ones(answered.shape, dtype=bool)
    if topics == "answered":
        return answered
    if topics == "common":
        return np.broadcast_to(np.all(answered, axis=1, keepdims=True), answered.shape)
    raise ValueError(f"topics={topics!r}: choose 'relevant', 'judged', 'answered' or 'common'.")


def of_runs(used: np.ndarray, *places: np.ndarray) -> np.ndarray:
    """Return a mask of topics and runs for the runs at these places alone.

    Examples
    --------
    >>> of_runs(np.ones((1, 3), dtype=bool), np.array([0]), np.array([2])).tolist()
    [[True, False, True]]
    """
    return used & np.isin(np.arange(used.shape[1]), np.concatenate(places))


def warn_missing(positions: Positions, used: np.ndarray, topics: str) -> bool:
    """Warn, once for all runs, if a run did not answer a query that counts (a mask of topics and runs).

    Returns whether there was a warning.
    """
    missing = used & ~positions.answered
    if topics in ("answered", "common") or not missing.any():
        return False
    per_run = missing.sum(axis=0)
    runs = np.flatnonzero(per_run)
    worst = int(np.argmax(per_run))
    total = int(used.any(axis=1).sum())
    text = f"{per_run[worst]} of {total} judged queries are missing from run {run_labels(positions.runs)[worst]!r}"
    if len(runs) > 1:
        text += f", and some from {len(runs) - 1} other run{'s' if len(runs) > 2 else ''}"
    warnings.warn(f"{text}; they count as worst case.", UserWarning, stacklevel=outside())
    return True


def outside() -> int:
    """Return the number of frames up to the code of the caller, for warnings to point at it."""
    frame, depth = sys._getframe(1), 1
    while (
        frame.f_back is not None
        and frame.f_globals.get("__name__", "").partition(".")[0] == "pdeval"
    ):
        frame, depth = frame.f_back, depth + 1
    return depth


def nothing_text(positions: Positions, topics: str, level: float | None) -> str:
    """Return why no topic counts."""
    if topics == "common":
        return "no judged query is answered by every run, so no topic counts under topics='common'."
    top = positions.judged.grade.max(initial=0)
    least = "a positive grade" if level is None else f"a grade of at least {level:g}"
    return f"no judged query has an item with {least} (the largest grade is {top:g}), so no topic counts."
