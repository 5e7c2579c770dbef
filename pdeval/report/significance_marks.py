"""Which marks a table of systems carries, and what test stands behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd

from pdeval.report import footnotes as footnote
from pdeval.report.means import Means, baselines_of
from pdeval.significance.registry import direction
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
    names: list[str] = []
    while len(names) < count:
        # all names with one letter more: the last 26 ** n names have n letters
        shorter = names[-(26 ** (len(names[-1]))) :] if names else [""]
        names += [prefix + letter for prefix in shorter for letter in ascii_lowercase]
    return names[:count]


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
    sides = [[f"{name}_{side}" for name in runs.columns] for side in "ab"]
    missing = [name for name in (*sides[0], *sides[1], *NEEDED) if name not in comparisons.columns]
    if missing:
        raise ValueError(
            f"the comparisons have no column {missing[0]!r}; they have {', '.join(map(str, comparisons.columns))}. "
            "compare() makes such a table."
        )
    rows = comparisons[comparisons["measure"].astype(str).isin(list(measures))]
    names = rows["measure"].astype(str)
    absent = [name for name in measures if name not in set(names)]
    if absent and len(runs) > 1:
        raise ValueError(
            f"the comparisons have nothing on {absent[0]!r}; compare it too, or choose others with measures=[...]."
        )
    labels = run_labels(runs)
    texts_a, texts_b = (run_labels(rows[side].astype(str)) for side in sides)
    a, b = (pd.Index(labels).get_indexer(pd.Index(texts)) for texts in (texts_a, texts_b))
    measure = pd.Index(list(measures)).get_indexer(pd.Index(names))
    known = (a >= 0) & (b >= 0)  # comparisons may include more runs than the table
    if len(runs) > 1 and not known.any():
        others = sorted({*texts_a, *texts_b})
        examples = ", ".join(map(repr, others[:3])) + (", ..." if len(others) > 3 else "")
        raise ValueError(
            f"the comparisons are about other runs ({examples}) than this table; compare the same scores."
        )
    # compared[m, i, j]: how often the runs i < j were compared on measure m
    compared = np.zeros((len(measures), len(runs), len(runs)), dtype=int)
    np.add.at(compared, (measure[known], np.minimum(a, b)[known], np.maximum(a, b)[known]), 1)
    if (compared > 1).any():
        tests = sorted(set(rows["test"].astype(str))) if "test" in rows else []
        hint = (
            f" There are the tests {', '.join(tests)}: choose one with test=."
            if len(tests) > 1
            else ""
        )
        n_repeated = int(np.maximum(compared - 1, 0).sum())
        raise ValueError(f"the comparisons have {n_repeated} pairs more than once.{hint}")
    absent_pairs = (compared == 0) & np.triu(np.ones(compared.shape[1:], dtype=bool), k=1)
    if baseline is not None:
        others_only = ~np.isin(np.arange(len(runs)), baseline)
        absent_pairs[:, others_only[:, None] & others_only] = False
    if absent_pairs.any():
        i, first, second = np.argwhere(absent_pairs)[0]
        raise ValueError(
            f"the comparisons lack {int(absent_pairs.sum())} pairs of this table, e.g. {labels[first]!r} with "
            f"{labels[second]!r} on {measures[i]!r}; compare all of them, so that no mark means no difference."
        )
    sign = np.nan_to_num(direction(rows))
    significant = known & rows["significant"].to_numpy(dtype=bool) & (sign != 0)
    winner = np.where(sign > 0, a, b)[significant]
    loser = np.where(sign > 0, b, a)[significant]
    beats = np.zeros(compared.shape, dtype=bool)
    beats[measure[significant], winner, loser] = True
    return beats


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
        [
            joint.join(names[loser] for loser in np.flatnonzero(beats[m, run]))
            for m in range(len(beats))
        ]
        for run in range(beats.shape[1])
    ]


def dagger_marks(beats: np.ndarray, bases: Sequence[int]) -> list[list[str]]:
    """Return, per run and measure, † if it is better than a baseline and ‡ if it is worse; several are numbered.

    Parameters
    ----------
    beats : array of shape (baselines, measures, runs, runs)
        True if the first run is significantly better than the second.

    Examples
    --------
    >>> beats = np.array([[[False, False], [True, False]]])
    >>> dagger_marks(beats[None], [0]), dagger_marks(np.stack([beats, beats]), [0, 1])
    ([[''], ['†']], [['‡2'], ['†1']])
    """
    marks = [["" for _ in beats[0]] for _ in range(beats.shape[-1])]
    for i, base in enumerate(bases):
        number = str(i + 1) if len(bases) > 1 else ""
        for sign, better in ((BETTER, beats[i, :, :, base]), (WORSE, beats[i, :, base])):
            for measure, run in np.argwhere(better):
                marks[run][measure] += sign + number
    return marks


MAX_LETTERS = 26


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
    bases = baselines_of(table.runs, baseline)
    kind, why = _kind(table, marks, bases, comparisons)
    if not kind:
        return Verdict([[""] * len(table.measures)] * len(table.runs), unmarked=why)
    if kind == "letters":
        bases = []
    tested = np.ones(len(table.measures), dtype=bool)
    if comparisons is None and marks == "auto":
        tested = np.isfinite(table.mean).all(axis=1)
    beats = np.zeros(
        (max(len(bases), 1), len(table.measures), len(table.runs), len(table.runs)), dtype=bool
    )
    declared: dict[str, object] = {}
    if comparisons is None:
        comparisons, beats[:, tested] = _computed(
            table.only(np.flatnonzero(tested).tolist()), bases, test, correction, alpha
        )
    else:
        comparisons = _one_test(comparisons, test)
        options = {"correction": correction, "alpha": alpha}
        declared = {name: _agreed(comparisons, name, value) for name, value in options.items()}
        beats[:] = wins(comparisons, table.runs, table.measures, baseline=bases or None)
    names = np.array(table.measures, dtype=object)
    rows = comparisons[comparisons["measure"].astype(str).isin(names[tested])]
    return Verdict(
        marks=dagger_marks(beats, bases) if bases else letter_marks(beats[0]),
        kind=kind,
        how=footnote.of_comparisons(rows, **declared),
        untested=tuple(names[~tested]),
        beats=beats,
        bases=tuple(bases),
    )


def _kind(
    table: Means, marks: str | None, bases: list[int], comparisons: pd.DataFrame | None
) -> tuple[str, str]:
    """Return the kind of marks, and why there are none if a reader expects them."""
    n_runs = len(table.runs)
    if marks == "daggers" and not bases:
        raise ValueError("marks='daggers' compare with a baseline; name it with baseline=.")
    if marks is None:
        return "", ""
    nouns = footnote.words(table.attrs)
    why = f"a run has fewer than two {nouns.queries}" if table.source is not None else ""
    why = why or f"a summary has no values per {nouns.query}"
    possible = comparisons is not None or (table.source is not None and int(table.n.min()) > 1)
    if marks != "auto" and not possible:
        raise ValueError(
            f"marks={marks!r} cannot be computed: {why}. Give comparisons=, or marks=None."
        )
    if n_runs < 2:
        return "", ""
    if marks != "auto":
        return marks, ""
    if not possible:
        return (
            "",
            f"Significance is not marked: {why}; comparisons= takes it from elsewhere."
            if bases
            else "",
        )
    if comparisons is None and not np.isfinite(table.mean).all(axis=1).any():
        return "", "Significance is not marked: every measure has infinite values."
    if not bases and n_runs > MAX_LETTERS and comparisons is None:
        return "", (
            f"Significance is not marked among {n_runs} systems: marks='letters' marks all pairs, "
            "baseline= the differences to one system or to several."
        )
    return ("daggers" if bases else "letters"), ""


def _computed(
    table: Means, bases: list[int], test: str | None, correction: str | None, alpha: float | None
) -> tuple[pd.DataFrame, list[np.ndarray]]:
    """Return the comparisons, and which runs are better than which: one array, or one per baseline."""
    from pdeval.significance.compare import compare

    options: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha}
    options = {name: value for name, value in options.items() if value is not None}
    if not bases:
        comparisons = compare(table.source, **options)
        return comparisons, [wins(comparisons, table.runs, table.measures)]
    parts, beats = [], []
    for base in bases:
        ids = tuple(table.runs.iloc[base])
        parts.append(compare(table.source, **options, baseline=ids[0] if len(ids) == 1 else ids))
        beats.append(wins(parts[-1], table.runs, table.measures, baseline=base))
    comparisons = pd.concat(parts, ignore_index=True)
    comparisons.attrs = {**parts[0].attrs, "each_baseline": len(parts) > 1}
    return comparisons, beats


def _one_test(comparisons: pd.DataFrame, test: str | None) -> pd.DataFrame:
    if test is None or "test" not in comparisons:
        return comparisons
    kept = comparisons[comparisons["test"].astype(str) == test]
    if not len(kept):
        offered = ", ".join(map(repr, sorted(set(comparisons["test"].astype(str)))))
        raise ValueError(f"the comparisons have no test {test!r}; they have {offered}.")
    return kept


def _agreed(comparisons: pd.DataFrame, name: str, requested: object) -> object:
    """Return an option of the comparisons; the caller can add one but not change it, so that footnotes are right."""
    made = comparisons.attrs.get(name, requested)
    if requested is None or made is None or made == requested:
        return requested if made is None else made
    raise ValueError(
        f"the comparisons were made with {name}={made!r}, not {requested!r}; compare again or leave it out."
    )
