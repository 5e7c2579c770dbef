"""Which marks a table of systems carries, and what test stands behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pdeval.report import footnotes as footnote
from pdeval.report.means import Means, baselines_of
from pdeval.significance.test_result import direction
from pdeval.tables.labels import run_labels

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
    always means "not significant". The winner is the run that the test favors, which may have the smaller mean.

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
    better = np.nan_to_num(direction(rows))
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


MOST_LETTERS = 26


@dataclass(frozen=True)
class Verdict:
    """Marks per run and measure; `kind` is "letters", "daggers" or "" for none.

    `how` names test, correction and alpha; `untested` are measures with infinite values, as search lengths can be;
    `unmarked` says why there are no marks where a reader would look for them, and how to get them. `beats` is what the
    marks are made from: who is significantly better than whom, of shape (baselines, measures, runs, runs), the winner
    before the loser; `bases` are the places of the baselines, none of letters.
    """

    marks: list[list[str]]
    kind: str = ""
    how: str = ""
    untested: tuple[str, ...] = ()
    unmarked: str = ""
    beats: np.ndarray | None = field(default=None, compare=False, repr=False)
    bases: tuple[int, ...] = ()


def judge(
    table: Means,
    *,
    marks: str | None,
    baseline: object,
    comparisons: pd.DataFrame | None,
    test: str | None,
    correction: str | None,
    alpha: float | None,
) -> Verdict:
    """Return the marks of a table whose runs stand in the order of print.

    Examples
    --------
    >>> runs, one = pd.DataFrame({"run": ["x", "y"]}), np.ones((1, 2))
    >>> table = Means(runs, ("AP",), np.array([[0.2, 0.4]]), one, one, one, one, one, (True,))
    >>> pairs = pd.DataFrame({"run_a": ["x"], "run_b": ["y"], "measure": ["AP"], "difference": [-0.2],
    ...                       "significant": [True]})
    >>> judge(table, marks="letters", baseline=None, comparisons=pairs, test=None, correction=None, alpha=None).marks
    [[''], ['a']]
    """
    n_runs = len(table.runs)
    bases = baselines_of(table.runs, baseline)
    kind, why = _kind(table, marks, bases, comparisons)
    if not kind:
        return Verdict([[""] * len(table.measures)] * n_runs, unmarked=why)
    if kind == "letters":
        bases = []
    tested = list(range(len(table.measures)))
    if comparisons is None:
        if marks == "auto":
            tested = np.flatnonzero(np.isfinite(table.mean).all(axis=1)).tolist()
        comparisons, beats = _computed(table.only(tested), bases, test, correction, alpha)
        asked: dict[str, object] = {}
    else:
        comparisons = _one_test(comparisons, test)
        asked = {
            "correction": _agreed(comparisons, "correction", correction),
            "alpha": _agreed(comparisons, "alpha", alpha),
        }
        found_wins = wins(comparisons, table.runs, table.measures, baseline=bases or None)
        beats = [found_wins] * max(len(bases), 1)
    names = [table.measures[i] for i in tested]
    whole = np.zeros((len(beats), len(table.measures), n_runs, n_runs), dtype=bool)
    whole[:, tested] = beats
    found = numbered([dagger_marks(*one) for one in zip(whole, bases)]) if bases else letter_marks(whole[0])
    shown = comparisons[comparisons["measure"].astype(str).isin(names)]
    untested = tuple(name for name in table.measures if name not in names)
    how = footnote.of_comparisons(shown, **asked)
    return Verdict(found, kind, how, untested, beats=whole, bases=tuple(bases))


def _kind(table: Means, marks: str | None, bases: list[int], comparisons: pd.DataFrame | None) -> tuple[str, str]:
    """Return the kind of marks, and why there are none where they were to be expected."""
    if marks is None:
        return "", ""
    n_runs = len(table.runs)
    if marks == "daggers" and not bases:
        raise ValueError("marks='daggers' compare with a baseline; name it with baseline=.")
    computable = table.source is not None and int(table.n.min()) > 1
    possible = comparisons is not None or computable
    said = footnote.words(table.attrs)
    why = f"a summary has no values per {said.query}"
    if table.source is not None:
        why = f"a run has fewer than two {said.queries}"
    if marks == "auto":
        finite = np.isfinite(table.mean).all(axis=1).any()
        if n_runs < 2:
            return "", ""
        if not possible:
            return "", f"Significance is not marked: {why}; comparisons= takes it from elsewhere." if bases else ""
        if comparisons is None and not finite:
            return "", "Significance is not marked: every measure has infinite values."
        if bases:
            return "daggers", ""
        if n_runs > MOST_LETTERS and comparisons is None:
            return "", (
                f"Significance is not marked among {n_runs} systems: marks='letters' marks all pairs, "
                "baseline= the differences to one system or to several."
            )
        return "letters", ""
    if not possible:
        raise ValueError(f"marks={marks!r} cannot be computed: {why}. Give comparisons=, or marks=None.")
    return (marks, "") if n_runs > 1 else ("", "")


def _computed(
    table: Means, bases: list[int], test: str | None, correction: str | None, alpha: float | None
) -> tuple[pd.DataFrame, list[np.ndarray]]:
    """Return the comparisons, and who is significantly better than whom: one array, or one per baseline."""
    from pdeval.significance.compare import compare

    given: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha}
    options = {name: value for name, value in given.items() if value is not None}
    if not bases:
        made = compare(table.source, **options)
        return made, [wins(made, table.runs, table.measures)]
    parts, beats = [], []
    for base in bases:
        ids = tuple(table.runs.iloc[base])
        made = compare(table.source, **options, baseline=ids[0] if len(ids) == 1 else ids)
        beats.append(wins(made, table.runs, table.measures, baseline=base))
        parts.append(made)
    whole = pd.concat(parts, ignore_index=True)
    whole.attrs = {**parts[0].attrs, "each_baseline": len(parts) > 1}
    return whole, beats


def _one_test(comparisons: pd.DataFrame, test: str | None) -> pd.DataFrame:
    if test is None or "test" not in comparisons:
        return comparisons
    kept = comparisons[comparisons["test"].astype(str) == test]
    if not len(kept):
        offered = ", ".join(map(repr, sorted(set(comparisons["test"].astype(str)))))
        raise ValueError(f"the comparisons have no test {test!r}; they have {offered}.")
    return kept


def _agreed(comparisons: pd.DataFrame, name: str, asked: object) -> object:
    """What the comparisons say of themselves; the caller may only add to it, so that no footnote is wrong."""
    made = comparisons.attrs.get(name)
    if made is None or asked is None or made == asked:
        return asked if made is None else made
    raise ValueError(f"the comparisons were made with {name}={made!r}, not {asked!r}; compare again or leave it out.")
