"""Which marks a table of systems carries, and what test stands behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.choice import place_of
from pdeval.report import notes as footnote
from pdeval.report.marks import dagger_marks, letter_marks, wins
from pdeval.report.means import Means

MOST_LETTERS = 26


@dataclass(frozen=True)
class Verdict:
    """Marks per run and measure; `kind` is "letters", "daggers" or "" for none.

    `how` names test, correction and alpha; `untested` are measures with infinite values, as search lengths can be.
    """

    marks: list[list[str]]
    kind: str = ""
    how: str = ""
    untested: tuple[str, ...] = ()


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
    >>> table = Means(runs, ("AP",), np.array([[0.2, 0.4]]), one, one, one, one, (True,))
    >>> pairs = pd.DataFrame({"run_a": ["x"], "run_b": ["y"], "measure": ["AP"], "difference": [-0.2],
    ...                       "significant": [True]})
    >>> judge(table, marks="letters", baseline=None, comparisons=pairs, test=None, correction=None, alpha=None).marks
    [[''], ['a']]
    """
    n_runs = len(table.runs)
    base = None if baseline is None else place_of(table.runs, baseline, "baseline")
    kind = _kind(table, marks, base, comparisons)
    if not kind:
        return Verdict([[""] * len(table.measures)] * n_runs)
    if kind == "letters":
        base = None
    tested = list(range(len(table.measures)))
    if comparisons is None:
        if marks == "auto":
            tested = np.flatnonzero(np.isfinite(table.mean).all(axis=1)).tolist()
        comparisons = _computed(table.only(tested), base, test, correction, alpha)
        asked: dict[str, object] = {}
    else:
        comparisons = _one_test(comparisons, test)
        asked = {
            "correction": _agreed(comparisons, "correction", correction),
            "alpha": _agreed(comparisons, "alpha", alpha),
        }
    names = [table.measures[i] for i in tested]
    beats = np.zeros((len(table.measures), n_runs, n_runs), dtype=bool)
    beats[tested] = wins(comparisons, table.runs, names, baseline=base)
    found = letter_marks(beats) if base is None else dagger_marks(beats, base)
    shown = comparisons[comparisons["measure"].astype(str).isin(names)]
    untested = tuple(name for name in table.measures if name not in names)
    return Verdict(found, kind, footnote.of_comparisons(shown, **asked), untested)


def _kind(table: Means, marks: str | None, base: int | None, comparisons: pd.DataFrame | None) -> str:
    if marks is None:
        return ""
    n_runs = len(table.runs)
    if marks == "daggers" and base is None:
        raise ValueError("marks='daggers' compare with a baseline; name it with baseline=.")
    computable = table.source is not None and int(table.n.min()) > 1
    possible = comparisons is not None or computable
    if marks == "auto":
        finite = np.isfinite(table.mean).all(axis=1).any()
        if n_runs < 2 or not possible or (comparisons is None and not finite):
            return ""
        if base is not None:
            return "daggers"
        return "letters" if n_runs <= MOST_LETTERS or comparisons is not None else ""
    if not possible:
        why = "a summary has no values per query" if table.source is None else "a run has fewer than two queries"
        raise ValueError(f"marks={marks!r} cannot be computed: {why}. Give comparisons=, or marks=None.")
    return marks if n_runs > 1 else ""


def _computed(
    table: Means, base: int | None, test: str | None, correction: str | None, alpha: float | None
) -> pd.DataFrame:
    from pdeval.significance.compare import compare

    options: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha}
    if base is not None:
        ids = tuple(table.runs.iloc[base])
        options["baseline"] = ids[0] if len(ids) == 1 else ids
    return compare(table.source, **{name: value for name, value in options.items() if value is not None})


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
