"""Which part of a table is drawn: one measure, one pair of runs, some of many; and the names that they go by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdeval.tables.labels import natural_places, run_labels
from pdeval.tables.vocabularies import listed
from pdeval.verbs.arguments import several, shown


def names(frame: pd.DataFrame, columns: Sequence[str]) -> pd.Categorical:
    """Return one text per row from one or several id columns, in order of appearance (or of categories).

    Examples
    --------
    >>> names(pd.DataFrame({"model": ["lm", "bm25"], "seed": [1, 2]}), ["model", "seed"]).tolist()
    ['lm / 1', 'bm25 / 2']
    """
    if len(columns) > 1:
        codes = frame.groupby(list(columns), sort=False, observed=True).ngroup().to_numpy()
        ids, first = np.unique(codes, return_index=True)
        distinct = frame[list(columns)].iloc[first[ids >= 0]]
        return pd.Categorical.from_codes(codes, categories=pd.Index(run_labels(distinct), dtype=object))
    column = frame[columns[0]]
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.cat.remove_unused_categories()
        codes, values = column.cat.codes.to_numpy(), list(column.cat.categories)
    else:
        codes, found = pd.factorize(column)
        values = list(found)
    return pd.Categorical.from_codes(codes, categories=pd.Index([str(v) for v in values], dtype=object))


def by_name(found: pd.Categorical) -> pd.Categorical:
    """Return names in natural order (run2 before run10), where they stand in the order of text.

    Examples
    --------
    >>> by_name(pd.Categorical(["run1", "run10", "run2"])).categories.tolist()
    ['run1', 'run2', 'run10']
    """
    present = list(found.categories)
    return found.reorder_categories([present[i] for i in natural_places(present)])


def pairs(frame: pd.DataFrame, stems: Sequence[str]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return (codes of run a, codes of run b, names of the runs) for a frame of pairs.

    Parameters
    ----------
    stems : sequence of str
        The names X of the columns X_a, X_b that name a run.

    Examples
    --------
    >>> frame = pd.DataFrame({"run_a": ["bm25", "bm25"], "run_b": ["lm", "rm3"]})
    >>> a, b, runs = pairs(frame, ["run"])
    >>> a.tolist(), b.tolist(), runs
    ([0, 0], [1, 2], ['bm25', 'lm', 'rm3'])
    """
    sides = [names(frame, [f"{stem}_{side}" for stem in stems]) for side in "ab"]
    both = by_name(pd.api.types.union_categoricals(sides))
    codes = both.codes.astype(np.intp)
    return codes[: len(frame)], codes[len(frame) :], [str(c) for c in both.categories]


def one(
    frame: pd.DataFrame,
    column: str,
    wanted: object,
    *,
    plot: str,
    default: object = None,
    option: bool = True,
) -> tuple[pd.DataFrame, str]:
    """Return (the rows with one value of `column`, that value as text); all rows and '' without it.

    Parameters
    ----------
    option : bool
        Whether the plot has an option of the column's name, which the error then advises.

    Examples
    --------
    >>> one(pd.DataFrame({"measure": ["AP", "RR"], "value": [1, 2]}), "measure", "RR", plot="p")[0].value.tolist()
    [2]
    """
    if column not in frame.columns:
        if wanted is not None:
            raise ValueError(f"{column}={wanted!r}: the frame has no column {column!r}. Leave {column}= out.")
        return frame, ""
    present = list(pd.unique(frame[column].astype(object)))
    if wanted is None:
        if len(present) > 1 and default not in present:
            choice = f"{column}={present[0]!r}" if option else f"frame[frame[{column!r}] == {present[0]!r}]"
            raise ValueError(
                f"{plot}() draws one {column}; the frame has {len(present)}: {listed(present, 6)}. "
                f"Choose one: {choice}."
            )
        wanted = present[0] if len(present) == 1 else default
    if not pd.api.types.is_scalar(wanted):
        raise ValueError(f"{column}={shown(wanted)}: {plot}() draws one; the frame has {listed(present, 6)}.")
    kept = frame[frame[column].astype(object) == wanted]
    if kept.empty:
        raise ValueError(f"no {column} {wanted!r} in the frame; it has {listed(present, 6)}.")
    return kept, str(wanted)


def index_of(run: object, runs: Sequence[str], *, what: str = "run") -> int:
    """Return where a run (or measure) stands in `runs`; one of several columns may be a tuple or its joined text.

    Examples
    --------
    >>> index_of(("t5", 2), ["t5 / 1", "t5 / 2"])
    1
    """
    text = " / ".join(map(str, run)) if isinstance(run, tuple | list) else str(run)
    if text not in runs:
        raise ValueError(f"no {what} {text!r} in the frame; it has {listed(runs, 6)}.")
    return list(runs).index(text)


def chosen(measures: Sequence[object] | None, present: Sequence[str]) -> list[str]:
    """Return the measures asked for, each of which must be there; all of them for None.

    Examples
    --------
    >>> chosen(None, ["AP", "RR"]), chosen(["RR"], ["AP", "RR"])
    (['AP', 'RR'], ['RR'])
    """
    if measures is None:
        return list(present)
    return [present[index_of(name, present, what="measure")] for name in several("measures", measures)]


def one_pair(
    frame: pd.DataFrame, pair: Sequence[object] | None, stems: Sequence[str], *, plot: str
) -> tuple[pd.DataFrame, np.ndarray, str, str]:
    """Return (rows of one pair of runs, +1 or -1 by their direction, name of a, name of b).

    Examples
    --------
    >>> frame = pd.DataFrame({"run_a": ["lm"], "run_b": ["bm25"], "value": [0.5]})
    >>> rows, sign, a, b = one_pair(frame, ("bm25", "lm"), ["run"], plot="p")
    >>> sign.tolist(), a, b
    ([-1.0], 'bm25', 'lm')
    """
    a, b, runs = pairs(frame, stems)
    if pair is None:
        first = min(int(a[0]), int(b[0])), max(int(a[0]), int(b[0]))
        several = (np.minimum(a, b) != first[0]) | (np.maximum(a, b) != first[1])
        if several.any():
            other = int(np.flatnonzero(several)[0])
            raise ValueError(
                f"{plot}() draws one pair of runs; the frame has several, e.g. ({runs[a[0]]}, {runs[b[0]]}) "
                f"and ({runs[a[other]]}, {runs[b[other]]}). Choose one: pair=({runs[a[0]]!r}, {runs[b[0]]!r})."
            )
        left, right = int(a[0]), int(b[0])
    else:
        if len(pair) != 2 or isinstance(pair, str):
            raise ValueError(f"pair= takes two runs; found {pair!r}.")
        left, right = (index_of(side, runs) for side in pair)
    forward, backward = (a == left) & (b == right), (a == right) & (b == left)
    rows = forward | backward
    if not rows.any():
        raise ValueError(f"the frame does not compare {runs[left]!r} with {runs[right]!r}.")
    return frame[rows], np.where(forward[rows], 1.0, -1.0), runs[left], runs[right]
