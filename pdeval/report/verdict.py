"""Which marks a table of systems carries, and what test stands behind them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pdeval.report import notes as footnote
from pdeval.report.marks import dagger_marks, letter_marks, numbered, wins
from pdeval.report.means import Means, baselines_of

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
