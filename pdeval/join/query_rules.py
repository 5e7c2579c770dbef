"""Which topics count, for which run, and what is said about those that a run did not answer."""

from __future__ import annotations

import sys
import warnings
from typing import Literal

import numpy as np

from pdeval.join.positions import Positions
from pdeval.tables.labels import run_labels

Topics = Literal["relevant", "judged", "answered", "common"]


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
        has = np.bincount(positions.judged.topic[positions.relevant(level)], minlength=len(positions.queries)) > 0
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
    asked = np.zeros(used.shape[1], dtype=bool)
    asked[np.concatenate(places)] = True
    return used & asked


def tell_missing(positions: Positions, used: np.ndarray, topics: str) -> bool:
    """Warn, once for all runs, where a run did not answer a query that counts (a mask of topics and runs).

    Returns whether there was something to tell.
    """
    missing = used & ~positions.answered
    if topics in ("answered", "common") or not missing.any():
        return False
    per_run = missing.sum(axis=0)
    runs = np.flatnonzero(per_run)
    worst = runs[np.argmax(per_run[runs])]
    total = int(used.any(axis=1).sum())
    names = run_labels(positions.runs)
    text = f"{per_run[worst]} of {total} judged queries are missing from run {names[worst]!r}"
    if len(runs) > 1:
        text += f", and some from {len(runs) - 1} other run{'s' if len(runs) > 2 else ''}"
    warnings.warn(f"{text}; they count as worst case.", UserWarning, stacklevel=outside())
    return True


def outside() -> int:
    """Return how many frames up the caller's own code is, so that a warning points at it."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "pdeval":
        frame, depth = frame.f_back, depth + 1
    return depth


def nothing_text(positions: Positions, topics: str, level: float | None) -> str:
    """Return why no topic counts."""
    if topics == "common":
        return "no judged query is answered by every run, so no topic counts under topics='common'."
    top = positions.judged.grade.max(initial=0)
    least = "a positive grade" if level is None else f"a grade of at least {level:g}"
    return f"no judged query has an item with {least} (the largest grade is {top:g}), so no topic counts."
