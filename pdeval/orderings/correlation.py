"""Tables of how alike orderings are: between measures and methods, or between all and part of the data.

Runs are matched by their ids, never by the rows that they are in.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate import cube
from pdeval.kinds.labels import labels
from pdeval.orderings.coefficients import COEFFICIENTS, pearson
from pdeval.orderings.order import order

Coefficient = Literal["tau_a", "tau_b", "tau_ap", "tau_ap_b", "rbo", "spearman", "pearson"]

ORDER_COLUMNS = ("measure", "method", "score", "rank", "rank_low", "rank_high")


def correlate(
    source: pd.DataFrame | cube.Scores | cube.Preferences,
    *,
    coefficients: Coefficient | Sequence[Coefficient] = "tau_b",
    method: str | Sequence[str] | None = None,
    matrix: bool = False,
    run: str | Sequence[str] | None = None,
    runs: Literal["same", "common"] = "same",
    p: float = 0.9,
) -> pd.DataFrame:
    """Return how alike the orderings by each two measures are: measure_a, measure_b, coefficient, runs, value.

    Parameters
    ----------
    source : DataFrame, Scores or Preferences
        Orders (run, measure, method, score, rank), or what `order` makes them from.
    coefficients : str or list of str
        "tau_a", "tau_b", "tau_ap" (`measure_a` is the reference), "tau_ap_b", "rbo", "spearman" or "pearson". Only
        Pearson looks at the scores, turned where less is better; the others look at the ranks.
    method : str or list of str, optional
        How `order` orders scores or preferences; of a table of orders, which methods to keep.
    matrix : bool
        Return the square frame of one coefficient instead, `measure_a` in the rows.
    run : str or list of str, optional
        The columns that identify a run; by default all that an orders table does not use otherwise.
    runs : {"same", "common"}
        Whether two orderings must be of the same runs, or only the runs in both count. `runs` in the result is their
        number.
    p : float
        The persistence of RBO.

    Returns
    -------
    DataFrame
        With `method_a` and `method_b` too where there are several methods. Each two orderings once, in the order of
        the categories of measure and method, as `order` gives them, or else sorted.

    Examples
    --------
    >>> orders = pd.DataFrame({"run": list("abcabc"), "measure": ["AP"] * 3 + ["RR"] * 3, "method": "mean",
    ...                        "score": [0.3, 0.2, 0.1, 0.5, 0.6, 0.4], "rank": [1, 2, 3, 2, 1, 3]})
    >>> print(correlate(orders, coefficients=["tau_b", "rbo"]).round(3).to_string(index=False))
    measure_a measure_b coefficient  runs  value
           AP        RR       tau_b     3  0.333
           AP        RR         rbo     3  0.900
    """
    names = _checked(coefficients, runs, p)
    if not isinstance(source, pd.DataFrame):
        source = order(source, method=method)  # type: ignore[arg-type]
    elif method is not None:
        source = source[source["method"].isin([method] if isinstance(method, str) else list(method))]
    found = _Orders(source, run)
    n_orders = len(found.keys)
    if n_orders < 2:
        raise ValueError(f"a correlation needs two orderings; there is {found.text()}. Order by several measures.")
    if matrix:
        if len(names) != 1:
            raise ValueError(f"matrix=True shows one coefficient; {len(names)} were asked for: {', '.join(names)}.")
        square = np.empty((n_orders, n_orders))
        for i in range(n_orders):
            square[i] = [_value(found, i, found, j, names[0], runs, p)[1] for j in range(n_orders)]
        labels = found.labels()
        return pd.DataFrame(square, index=labels, columns=labels)
    a, b = cube.all_pairs(n_orders)
    cells = [
        (i, j, k, *_value(found, i, found, j, name, runs, p)) for i, j in zip(a, b) for k, name in enumerate(names)
    ]
    first, second, which, count, value = (np.array(column) for column in zip(*cells))
    columns = {
        f"{name}_{side}": found.columns(codes, name)  # type: ignore[arg-type]
        for name in ("measure", "method")[: 1 + found.several]
        for side, codes in (("a", first), ("b", second))
    }
    return _tidy(columns, names, which, count, value)


def correlate_with(
    orders: pd.DataFrame,
    others: pd.DataFrame,
    *,
    coefficients: Coefficient | Sequence[Coefficient] = "tau_b",
    run: str | Sequence[str] | None = None,
    runs: Literal["same", "common"] = "same",
    p: float = 0.9,
) -> pd.DataFrame:
    """Return how alike two tables of orders are, by each measure and method in both, e.g. on all and on fewer queries.

    Parameters
    ----------
    orders : DataFrame
        The reference, with columns run, measure, method, score, rank.
    others : DataFrame
        The same on partial data.
    coefficients, run, runs, p
        As in `correlate`.

    Returns
    -------
    DataFrame
        measure, method where there are several, coefficient, runs, value.

    Examples
    --------
    >>> orders = pd.DataFrame({"run": list("abc"), "measure": "AP", "method": "mean", "score": [0.3, 0.2, 0.1],
    ...                        "rank": [1, 2, 3]})
    >>> fewer = orders.assign(rank=[1, 3, 2], score=[0.4, 0.1, 0.2]).sample(frac=1, random_state=0)
    >>> print(correlate_with(orders, fewer).round(3).to_string(index=False))
    measure coefficient  runs  value
         AP       tau_b     3  0.333
    """
    names = _checked(coefficients, runs, p)
    one = _Orders(orders, run)
    other = _Orders(others, run, one.ids)
    one = _Orders(orders, run, other.ids)  # again, now that all runs have a number
    pairs = [(i, other.keys.index(key)) for i, key in enumerate(one.keys) if key in other.keys]
    if not pairs:
        raise ValueError(
            f"no (measure, method) is in both tables: {one.text()} in the first, {other.text()} in the other."
        )
    cells = [(i, k, *_value(one, i, other, j, name, runs, p)) for i, j in pairs for k, name in enumerate(names)]
    first, which, count, value = (np.array(column) for column in zip(*cells))
    columns = {name: one.columns(first, name) for name in ("measure", "method")[: 1 + one.several]}  # type: ignore[arg-type]
    return _tidy(columns, names, which, count, value)


class _Orders:
    """The orderings of a table: ranks and scores of shape (orderings, runs), NaN where an ordering lacks a run."""

    def __init__(self, frame: pd.DataFrame, run: str | Sequence[str] | None, ids: dict | None = None) -> None:
        missing = [name for name in ORDER_COLUMNS[:4] if name not in frame.columns]
        if missing:
            raise ValueError(
                f"a table of orders has the columns run, measure, method, score, rank; no {', '.join(missing)} "
                f"among {', '.join(map(str, frame.columns))}. Call order() first."
            )
        by = [name for name in frame.columns if name not in ORDER_COLUMNS] if run is None else run
        by = [by] if isinstance(by, str) else list(by)
        if not by:
            raise ValueError("no column names the runs of this table of orders; it needs one beside measure, method.")
        self.ids: dict[tuple, int] = {} if ids is None else ids
        keys = {key: code for code, key in enumerate(_product(frame))}
        run_code = _codes(zip(*(frame[name] for name in by)), self.ids)
        cell = run_code + len(self.ids) * _codes(zip(frame["measure"], frame["method"]), keys)
        self.keys = list(keys)
        self.several = len({method for _, method in self.keys}) > 1
        times = np.bincount(cell, minlength=1)
        if times.max() > 1:
            which, at = divmod(int(times.argmax()), len(self.ids))
            raise ValueError(
                f"run {self.said(at)} is more than once in the ordering {self.text(which)}; runs were told apart by "
                f"{', '.join(by)}. Say which columns name a run with run=."
            )
        self.rank, self.score = np.full((2, len(self.keys), len(self.ids)), np.nan)
        self.rank.flat[cell] = frame["rank"].to_numpy(dtype=np.float64)
        self.score.flat[cell] = frame["score"].to_numpy(dtype=np.float64)

    def said(self, run: int) -> str:
        return " / ".join(map(repr, list(self.ids)[run]))

    def text(self, which: int | None = None) -> str:
        keys = self.keys[:3] if which is None else [self.keys[which]]
        return ", ".join(f"({measure!r}, {method!r})" for measure, method in keys) or "none"

    def labels(self) -> pd.Index:
        if self.several:
            return pd.MultiIndex.from_tuples(self.keys, names=["measure", "method"])
        return pd.Index([measure for measure, _ in self.keys], name="measure")

    def columns(self, codes: np.ndarray, name: Literal["measure", "method"]) -> Any:
        names = [key[name == "method"] for key in self.keys]
        values = list(dict.fromkeys(names))
        return labels(pd.Index(values), np.array([values.index(name) for name in names])[codes])


def _product(frame: pd.DataFrame) -> list[tuple]:
    """Return the (measure, method) pairs in the order of their categories, or else sorted, whatever the rows' order."""
    found = frame[["measure", "method"]].drop_duplicates()
    return list(found.sort_values(["measure", "method"], kind="stable").itertuples(index=False, name=None))


def _codes(ids: Iterable[tuple], known: dict[tuple, int]) -> np.ndarray:
    """Return the number of each id, after adding new ones to `known`."""
    return np.array([known.setdefault(one, len(known)) for one in ids], dtype=np.int64)


def _value(one: _Orders, i: int, other: _Orders, j: int, name: str, runs: str, p: float) -> tuple[int, float]:
    x, y = one.rank[i], other.rank[j]
    in_x, in_y = ~np.isnan(x), ~np.isnan(y)
    if runs == "same" and (in_x != in_y).any():
        only = np.flatnonzero(in_x != in_y)
        some = ", ".join(one.said(k) for k in only[:3])
        raise ValueError(
            f"the orderings {one.text(i)} and {other.text(j)} are not of the same runs: {len(only)} are in one of "
            f"them only, e.g. {some}. Order the same runs, or use runs='common'."
        )
    both = np.flatnonzero(in_x & in_y)
    if len(both) < 2:
        raise ValueError(
            f"the orderings {one.text(i)} and {other.text(j)} have {len(both)} runs in common; a correlation needs two."
        )
    if name == "pearson":
        return len(both), pearson(_turned(one, i, both), _turned(other, j, both))
    more = {"p": p} if name == "rbo" else {}
    return len(both), COEFFICIENTS[name](-x[both], -y[both], **more)


def _turned(orders: _Orders, i: int, both: np.ndarray) -> np.ndarray:
    """Return the scores, turned where the best rank has the least, as for a measure where less is better."""
    score, rank = orders.score[i], orders.rank[i]
    return -score[both] if score[np.nanargmin(rank)] < score[np.nanargmax(rank)] else score[both]


def _checked(coefficients: str | Sequence[str], runs: str, p: float) -> list[str]:
    names = list(dict.fromkeys([coefficients] if isinstance(coefficients, str) else coefficients))
    for name in names:
        if name not in COEFFICIENTS:
            near = difflib.get_close_matches(str(name).lower().replace("-", "_"), COEFFICIENTS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise KeyError(f"no coefficient {name!r}.{hint} There are {', '.join(COEFFICIENTS)}.")
    if not names:
        raise ValueError(f"no coefficient was asked for; name at least one of {', '.join(COEFFICIENTS)}.")
    if runs not in ("same", "common"):
        raise ValueError(f"runs={runs!r} must be 'same' or 'common'.")
    if not 0 < p < 1:
        raise ValueError(f"p={p!r}, the persistence of RBO, must be between 0 and 1.")
    return names


def _tidy(
    columns: dict[str, Any], names: list[str], which: np.ndarray, count: np.ndarray, value: np.ndarray
) -> pd.DataFrame:
    coefficient = labels(pd.Index(names), which)
    return pd.DataFrame({**columns, "coefficient": coefficient, "runs": count.astype(np.int64), "value": value})
