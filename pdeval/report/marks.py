"""Significance marks: letters of the systems that a system beats, or daggers against a baseline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdeval.kinds.labels import run_labels

NEEDED = ("measure", "difference", "significant")
BETTER, WORSE = "†", "‡"


def letters(count: int) -> list[str]:
    """Return the names a, b, ..., z, aa, ab, ... as spreadsheets count columns.

    Examples
    --------
    >>> letters(3), letters(28)[-3:]
    (['a', 'b', 'c'], ['z', 'aa', 'ab'])
    """
    names = []
    for i in range(count):
        name, rest = "", i + 1
        while rest:
            rest, place = divmod(rest - 1, 26)
            name = chr(ord("a") + place) + name
        names.append(name)
    return names


def wins(
    comparisons: pd.DataFrame,
    runs: pd.DataFrame,
    measures: Sequence[str],
    *,
    baseline: int | Sequence[int] | None = None,
) -> np.ndarray:
    """Return who is significantly better than whom: bool of shape (measures, runs, runs), winner first.

    Every pair of the runs (with baselines: every pair with one of them) must have been compared, so that a missing mark
    always means "not significant". `difference` is positive where run a is better, whatever the measure's direction.

    Examples
    --------
    >>> runs = pd.DataFrame({"run": ["a", "b"]})
    >>> pairs = pd.DataFrame({"run_a": ["a"], "run_b": ["b"], "measure": ["AP"], "difference": [-0.2],
    ...                       "significant": [True]})
    >>> wins(pairs, runs, ["AP"])[0].tolist()
    [[False, False], [True, False]]
    """
    beats = np.zeros((len(measures), len(runs), len(runs)), dtype=bool)
    sides = [[f"{name}_{side}" for name in runs.columns] for side in "ab"]
    missing = [name for name in (*sides[0], *sides[1], *NEEDED) if name not in comparisons.columns]
    if missing:
        raise ValueError(
            f"the comparisons have no column {missing[0]!r}; they have {', '.join(map(str, comparisons.columns))}. "
            "compare() makes such a table."
        )
    rows = comparisons[comparisons["measure"].astype(str).isin(list(measures))]
    absent = [name for name in measures if name not in set(rows["measure"].astype(str))]
    if absent and len(runs) > 1:
        raise ValueError(
            f"the comparisons have nothing on {absent[0]!r}; compare it too, or choose others with measures=[...]."
        )
    index = pd.Index(run_labels(runs))
    a, b = (index.get_indexer(pd.Index(_texts(rows, side))) for side in sides)
    known = (a >= 0) & (b >= 0)
    _check_pairs(rows, sides, known, len(runs))
    measure = pd.Index(list(measures)).get_indexer(pd.Index(rows["measure"].astype(str)))
    key = pd.DataFrame({"m": measure, "low": np.minimum(a, b), "high": np.maximum(a, b)})[known]
    if key.duplicated().any():
        tests = sorted(set(rows["test"].astype(str))) if "test" in rows else []
        hint = f" There are the tests {', '.join(tests)}: choose one with test=." if len(tests) > 1 else ""
        raise ValueError(f"the comparisons have {int(key.duplicated().sum())} pairs more than once.{hint}")
    better = np.nan_to_num(rows["difference"].to_numpy(dtype=float))
    _check_coverage(key, len(runs), baseline, run_labels(runs), measures)
    found = known & rows["significant"].to_numpy(dtype=bool) & (better != 0)
    winner, loser = np.where(better > 0, a, b)[found], np.where(better > 0, b, a)[found]
    beats[measure[found], winner, loser] = True
    return beats


def _check_pairs(rows: pd.DataFrame, sides: list[list[str]], known: np.ndarray, n_runs: int) -> None:
    """Refuse comparisons of other runs altogether; those among more runs than the table shows are fine."""
    if n_runs > 1 and not known.any():
        seen = sorted({text for side in sides for text in _texts(rows, side)})
        some = ", ".join(map(repr, seen[:3])) + (", ..." if len(seen) > 3 else "")
        raise ValueError(f"the comparisons are about other runs ({some}) than this table; compare the same scores.")


def _check_coverage(
    key: pd.DataFrame, n_runs: int, baseline: int | Sequence[int] | None, texts: list[str], measures: Sequence[str]
) -> None:
    lacking = np.ones((len(measures), n_runs, n_runs), dtype=bool)
    lacking[key["m"], key["low"], key["high"]] = False
    lacking &= np.triu(np.ones((n_runs, n_runs), dtype=bool), k=1)
    if baseline is not None:
        others = ~np.isin(np.arange(n_runs), baseline)
        lacking[:, others[:, None] & others] = False
    if lacking.any():
        measure, first, second = np.argwhere(lacking)[0]
        raise ValueError(
            f"the comparisons lack {int(lacking.sum())} pairs of this table, e.g. {texts[first]!r} with "
            f"{texts[second]!r} on {measures[measure]!r}; compare all of them, so that no mark means no difference."
        )


def _texts(frame: pd.DataFrame, columns: list[str]) -> list[str]:
    return run_labels(frame[columns].astype(str))


def letter_marks(beats: np.ndarray) -> list[list[str]]:
    """Return, per run and measure, the letters of the beaten runs: with commas once there are two-letter names.

    Examples
    --------
    >>> letter_marks(np.array([[[False, True, True], [False, False, True], [False, False, False]]]))
    [['bc'], ['c'], ['']]
    """
    names = letters(beats.shape[1])
    joint = "," if len(names) > 26 else ""
    return [
        [joint.join(names[loser] for loser in np.flatnonzero(beats[m, run])) for m in range(len(beats))]
        for run in range(beats.shape[1])
    ]


def dagger_marks(beats: np.ndarray, baseline: int) -> list[list[str]]:
    """Return, per run and measure, † where it is better than the baseline and ‡ where it is worse.

    Examples
    --------
    >>> dagger_marks(np.array([[[False, False], [True, False]]]), 0)
    [[''], ['†']]
    """
    return [
        [BETTER if beats[m, run, baseline] else WORSE if beats[m, baseline, run] else "" for m in range(len(beats))]
        for run in range(beats.shape[1])
    ]


def numbered(daggers: Sequence[list[list[str]]]) -> list[list[str]]:
    """Return the daggers of several baselines side by side, each with the number of its baseline; of one, as they are.

    Examples
    --------
    >>> numbered([[["†"], [""]], [["†"], ["‡"]]])
    [['†1†2'], ['‡2']]
    """
    if len(daggers) == 1:
        return daggers[0]
    return [
        ["".join(f"{mark}{i + 1}" for i, mark in enumerate(marks) if mark) for marks in zip(*rows)]
        for rows in zip(*daggers)
    ]
