"""Significance marks of a table of systems, and the tests they are based on."""

import itertools
from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdeval.evaluate import baselines_of, described_frame
from pdeval.report import footnotes as footnote
from pdeval.report.means import Means
from pdeval.significance.registry import direction
from pdeval.tables import run_labels

NEEDED = ("measure", "difference", "significant")
BETTER, WORSE = "†", "‡"


def letters(count: int) -> list[str]:
    """Return the names a, b, ..., z, aa, ab, ... as spreadsheets count columns.

    Examples
    --------
    >>> letters(3), letters(28)[-3:]
    (['a', 'b', 'c'], ['z', 'aa', 'ab'])
    """
    # 26 ** n names have n letters
    names = (
        name for n in itertools.count(1) for name in itertools.product(ascii_lowercase, repeat=n)
    )
    return ["".join(name) for name in itertools.islice(names, count)]


def wins(
    comparisons: pd.DataFrame,
    runs: pd.DataFrame,
    measures: Sequence[str],
    *,
    baseline: int | Sequence[int] | None = None,
) -> np.ndarray:
    """Return which runs are significantly better than which: bool of shape (measures, runs, runs), winner first.

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
            "Use the result of compare()."
        )
    rows = comparisons[comparisons["measure"].astype(str).isin(list(measures))]
    labels = run_labels(runs)
    a, b = (
        pd.Index(labels).get_indexer(pd.Index(run_labels(rows[side].astype(str)))) for side in sides
    )
    measure = pd.Index(list(measures)).get_indexer(pd.Index(rows["measure"].astype(str)))
    known = (a >= 0) & (b >= 0)  # comparisons may include more runs than the table
    # compared[m, i, j]: how often the runs i < j were compared on measure m
    compared = np.zeros((len(measures), len(runs), len(runs)), dtype=int)
    np.add.at(compared, (measure[known], np.minimum(a, b)[known], np.maximum(a, b)[known]), 1)
    if (compared > 1).any():
        tests = sorted(set(rows["test"].astype(str))) if "test" in rows else []
        hint = (
            f" They have the tests {', '.join(tests)}. Choose one with test=."
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
            f"{labels[second]!r} on {measures[i]!r}. Compare all runs and measures of the table, so that no mark "
            "means no significant difference."
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


class Verdict(NamedTuple):
    """Marks per run and measure; `kind` is "letters", "daggers" or "" for none.

    `how` names test, correction and alpha; `untested` are measures with infinite values, as search lengths can be;
    `unmarked` explains why there are no marks, and how to get them. `beats` is True if the first run is significantly
    better than the second, of shape (baselines, measures, runs, runs). `bases` are the indices of the baselines, empty
    for letters.
    """

    marks: list[list[str]]
    kind: str = ""
    how: str = ""
    untested: tuple[str, ...] = ()
    unmarked: str = ""
    beats: np.ndarray | None = None
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
    """Return the marks of a table whose runs are in printed order.

    Examples
    --------
    >>> runs, one = pd.DataFrame({"run": ["x", "y"]}), np.ones((1, 2))
    >>> table = Means(runs, ("AP",), np.array([[0.2, 0.4]]), one, one, one, one, one, (True,))
    >>> pairs = pd.DataFrame({"run_a": ["x"], "run_b": ["y"], "measure": ["AP"], "difference": [-0.2],
    ...                       "significant": [True]})
    >>> judge(table, marks="letters", baseline=None, comparisons=pairs, test=None, correction=None, alpha=None).marks
    [[''], ['a']]
    """
    bases = [] if baseline is None else baselines_of(table.runs, baseline)
    kind, why = _kind(table, marks, bases, comparisons)
    if not kind:
        return Verdict([[""] * len(table.measures)] * len(table.runs), unmarked=why)
    if kind == "letters":
        bases = []
    all_tested = comparisons is not None or marks != "auto"
    tested = np.isfinite(table.mean).all(axis=1) | all_tested
    beats = np.zeros(
        (max(len(bases), 1), len(table.measures), len(table.runs), len(table.runs)), dtype=bool
    )
    declared: dict[str, object] = {}
    if comparisons is None:
        comparisons, beats[:, tested] = _computed(
            table.only(np.flatnonzero(tested).tolist()), bases, test, correction, alpha
        )
    else:
        if test is not None and "test" in comparisons:
            tests = comparisons["test"].astype(str)
            if test not in set(tests):
                offered = ", ".join(map(repr, sorted(set(tests))))
                raise ValueError(f"the comparisons have no test {test!r}; they have {offered}.")
            comparisons = comparisons[tests == test]
        # the caller can add an option but not change it, so that footnotes are right
        declared = {"correction": correction, "alpha": alpha}
        for name, requested in declared.items():
            made = comparisons.attrs.get(name)
            if requested not in (None, "auto") and made not in (None, requested):
                raise ValueError(
                    f"the comparisons were computed with {name}={made!r}, not {requested!r}. "
                    f"Compute them again, or omit {name}=."
                )
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
    """Return the kind of marks, and the reason if expected marks are missing."""
    n_runs = len(table.runs)
    if marks == "daggers" and not bases:
        raise ValueError("marks='daggers' requires a baseline. Specify it with baseline=.")
    if marks is None or n_runs < 2:
        return "", ""
    nouns = footnote.words(table.attrs)
    why = (
        f"a summary has no values per {nouns.query}"
        if table.source is None
        else f"a run has fewer than two {nouns.queries}"
    )
    possible = comparisons is not None or (table.source is not None and int(table.n.min()) > 1)
    if marks != "auto" and not possible:
        raise ValueError(
            f"marks={marks!r} cannot be computed: {why}. Pass comparisons=, or use marks=None."
        )
    if marks != "auto":
        return marks, ""
    if not possible:
        return (
            "",
            f"{footnote.UNMARKED}: {why}; comparisons= takes it from other tests." if bases else "",
        )
    if comparisons is None and not np.isfinite(table.mean).all(axis=1).any():
        return "", f"{footnote.UNMARKED}: every measure has infinite values."
    if not bases and n_runs > MAX_LETTERS and comparisons is None:
        return "", (
            f"{footnote.UNMARKED} among {n_runs} systems: marks='letters' marks all pairs, "
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
    parts, beats = [], []
    baselines: list[int | None] = [*bases] or [None]
    for base in baselines:
        baseline = None if base is None else tuple(table.runs.iloc[base])
        parts.append(compare(table.source, **options, baseline=baseline))
        beats.append(wins(parts[-1], table.runs, table.measures, baseline=base))
    return described_frame(
        pd.concat(parts, ignore_index=True), {**parts[0].attrs, "each_baseline": len(parts) > 1}
    ), beats
