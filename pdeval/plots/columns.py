"""Which columns of a result frame say what: runs, queries, measures, pairs; and what to do if they do not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdeval.kinds.labels import run_labels
from pdeval.kinds.tables import VOCABULARIES

RUN = (*dict.fromkeys(words["run"] for words in VOCABULARIES.values()), "system", "model")
QUERY = tuple(dict.fromkeys(words["query"] for words in VOCABULARIES.values()))
NOT_RUNS = {"measure", "mean", "sd", "n", "rank", "score", "value", "wins", "metric"}

Names = str | Sequence[str] | None


def listed(words: Sequence[object], most: int = 6) -> str:
    """Join words by commas, at most `most` of them.

    Examples
    --------
    >>> listed(["AP", "RR", "RPP"], most=2)
    'AP, RR, ... (3 in all)'
    """
    shown = ", ".join(map(str, list(words)[:most]))
    return shown if len(words) <= most else f"{shown}, ... ({len(words)} in all)"


def require(frame: pd.DataFrame, columns: Sequence[str], *, plot: str, get: str) -> None:
    """Raise if `frame` is no frame, is empty or lacks one of `columns`; `get` says how to have it.

    Examples
    --------
    >>> require(pd.DataFrame({"run": ["a"]}), ["run", "mean"], plot="summary_bars", get="Call .summary().")
    Traceback (most recent call last):
    ValueError: summary_bars() needs the columns run, mean; 'mean' is missing (found: run). Call .summary().
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{plot}() draws a DataFrame; found {type(frame).__name__}. {get}")
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        raise ValueError(
            f"{plot}() needs the columns {', '.join(columns)}; {', '.join(map(repr, missing))} {are} missing "
            f"(found: {listed(list(frame.columns), 12)}). {get}"
        )
    if frame.empty:
        raise ValueError(f"{plot}() was given a frame without rows. {get}")


def run_columns(frame: pd.DataFrame, run: Names, *, plot: str, get: str) -> list[str]:
    """Return the columns that identify a run: those asked for, or the one known name that is there.

    Examples
    --------
    >>> run_columns(pd.DataFrame({"tag": ["a"], "mean": [1.0]}), None, plot="p", get="")
    ['tag']
    """
    if run is not None:
        columns = [run] if isinstance(run, str) else list(run)
        require(frame, columns, plot=plot, get=f"Name the run column(s) with run=. {get}")
        return columns
    require(frame, [], plot=plot, get=get)
    known = [name for name in RUN if name in frame.columns]
    if not known:
        found = listed(list(frame.columns), 12)
        raise ValueError(
            f"{plot}() needs a run column; found: {found}. Name it: run='model' or run=['model', 'seed']. {get}"
        )
    if len(known) > 1 and "run" not in known:
        raise ValueError(
            f"{plot}() finds {len(known)} columns that could name the run: {', '.join(known)}. "
            f"Choose: run={known[0]!r} or run={known!r}."
        )
    return known[:1]


def query_column(frame: pd.DataFrame, query: str | None, *, plot: str) -> str | None:
    """Return the query column: the one asked for, or the first known name that is there, or None.

    Examples
    --------
    >>> query_column(pd.DataFrame({"qid": ["1"], "value": [0.5]}), None, plot="p")
    'qid'
    """
    if query is None:
        return next((name for name in QUERY if name in frame.columns), None)
    require(frame, [query], plot=plot, get="Name the query column with query=.")
    return query


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


def pair_columns(frame: pd.DataFrame, run: Names, *, plot: str, get: str) -> list[str]:
    """Return the names X for which the frame has X_a and X_b that identify the two runs of a pair.

    Examples
    --------
    >>> frame = pd.DataFrame(columns=["model_a", "model_b", "mean_a", "mean_b", "p_value"], index=[0])
    >>> pair_columns(frame, None, plot="p", get="")
    ['model']
    """
    if run is not None:
        columns = [run] if isinstance(run, str) else list(run)
        require(frame, [f"{c}_{side}" for side in "ab" for c in columns], plot=plot, get=get)
        return columns
    require(frame, [], plot=plot, get=get)
    texts = [c for c in frame.columns if isinstance(c, str)]
    found = [c[:-2] for c in texts if c.endswith("_a") and f"{c[:-2]}_b" in texts]
    found = [name for name in found if name not in NOT_RUNS]
    if not found:
        require(frame, ["run_a", "run_b"], plot=plot, get=get)
    return found


def pairs(frame: pd.DataFrame, run: Names, *, plot: str, get: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return (codes of run a, codes of run b, names of the runs) for a frame of pairs.

    Examples
    --------
    >>> frame = pd.DataFrame({"run_a": ["bm25", "bm25"], "run_b": ["lm", "rm3"]})
    >>> a, b, runs = pairs(frame, None, plot="p", get="")
    >>> a.tolist(), b.tolist(), runs
    ([0, 0], [1, 2], ['bm25', 'lm', 'rm3'])
    """
    columns = pair_columns(frame, run, plot=plot, get=get)
    sides = [names(frame, [f"{c}_{side}" for c in columns]) for side in "ab"]
    both = pd.api.types.union_categoricals(sides)
    codes = both.codes.astype(np.intp)
    return codes[: len(frame)], codes[len(frame) :], [str(c) for c in both.categories]


def one(
    frame: pd.DataFrame, column: str, wanted: object, *, plot: str, default: object = None
) -> tuple[pd.DataFrame, str]:
    """Return (the rows with one value of `column`, that value as text); all rows and '' without it.

    Examples
    --------
    >>> one(pd.DataFrame({"measure": ["AP", "RR"], "value": [1, 2]}), "measure", "RR", plot="p")[0].value.tolist()
    [2]
    """
    if column not in frame.columns:
        if wanted is not None:
            require(frame, [column], plot=plot, get=f"Leave {column}= out.")
        return frame, ""
    present = list(pd.unique(frame[column].astype(object)))
    if wanted is None:
        if len(present) > 1 and default not in present:
            raise ValueError(
                f"{plot}() draws one {column}; the frame has {len(present)}: {listed(present)}. "
                f"Choose one: {column}={present[0]!r}."
            )
        wanted = present[0] if len(present) == 1 else default
    kept = frame[frame[column].astype(object) == wanted]
    if kept.empty:
        raise ValueError(f"no {column} {wanted!r} in the frame; it has {listed(present)}.")
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
        raise ValueError(f"no {what} {text!r} in the frame; it has {listed(runs)}.")
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
    if isinstance(measures, str):
        measures = [measures]
    return [present[index_of(name, present, what="measure")] for name in measures]


def one_pair(
    frame: pd.DataFrame, pair: Sequence[object] | None, run: Names, *, plot: str, get: str
) -> tuple[pd.DataFrame, np.ndarray, str, str]:
    """Return (rows of one pair of runs, +1 or -1 by their direction, name of a, name of b).

    Examples
    --------
    >>> frame = pd.DataFrame({"run_a": ["lm"], "run_b": ["bm25"], "value": [0.5]})
    >>> rows, sign, a, b = one_pair(frame, ("bm25", "lm"), None, plot="p", get="")
    >>> sign.tolist(), a, b
    ([-1.0], 'bm25', 'lm')
    """
    a, b, runs = pairs(frame, run, plot=plot, get=get)
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
        raise ValueError(f"the frame does not compare {runs[left]!r} with {runs[right]!r}. {get}")
    return frame[rows], np.where(forward[rows], 1.0, -1.0), runs[left], runs[right]
