"""Correlations of orderings: between measures and methods, or between all and part of the data.

Runs are matched by their ids, not by the order of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from pdeval.evaluate import ScoresLike, described_frame, only, pairs_of_measures
from pdeval.join import Judged
from pdeval.orderings.coefficients import COEFFICIENTS, Coefficient, which_coefficients
from pdeval.orderings.methods import PAPER, Method, chosen
from pdeval.orderings.order import order, run_orders
from pdeval.tables import Table, labels, read, table
from pdeval.verbs import TooFew, check_not_declared, listed_in_docs, verb

table(
    "correlations",
    "measure_a measure_b [method_a method_b] coefficient runs:int value:float",
    "table of correlations",
    row="two orderings and coefficient",
    sort="measure_a measure_b",
    then=".report(), .plot()",
    means={
        "measure_a": "the measure of the first ordering, which is the reference of tau_ap",
        "measure_b": "the measure of the second ordering",
        "method_a": "method of the first ordering, if there are several methods",
        "method_b": "method of the second ordering",
        "runs": "number of runs in both orderings",
    },
)
table(
    "correlations_by_measure",
    "measure [method] coefficient runs:int value:float",
    "table of correlations between two tables of orders",
    row="measure, method and coefficient",
    sort="measure method",
    then=".report()",
    means={"runs": "number of runs in both orderings"},
    no_plot="there is one number per measure and coefficient; read it",
)


@verb(
    on=("orders", "scores", "preferences", "judged"),
    per_measure=True,
    returns=("correlations", "matrix"),
)
@listed_in_docs(coefficients=COEFFICIENTS)
def correlate(
    data: ScoresLike,
    measures: object = ("RPP", "AP"),
    *,
    coefficients: str | Sequence[str] = "tau_b",
    method: Method | Sequence[Method] | None = None,
    matrix: bool = False,
    runs: Literal["same", "common"] = "same",
    p: float = 0.9,
) -> pd.DataFrame:
    """Return the correlations of the orderings by all pairs of measures, as a tidy frame or a square matrix.

    Parameters
    ----------
    coefficients : str or list of str
        Correlation coefficients. Pearson's r uses the scores, negated if lower is better; all others use the ranks.
        `@pdeval.coefficient` declares another coefficient. The declared coefficients are:

        {coefficients}
    method : str or list of str, optional
        Ordering(s), see `order`; for a table of orders, the methods to use. Table 2 of Diaz and Ferraro (2022) uses
        `method="paper"`: measures by the mean, and preferences by the Markov chain MC4.
    matrix : bool
        Whether to return a square matrix of one coefficient, with `measure_a` in the rows.
    runs : {'same', 'common'}
        Whether two orderings must have the same runs, or only their common runs are used.
    p : float
        Persistence parameter of RBO.

    Notes
    -----
    Each pair of orderings occurs once: in the order of the categories if measure and method are categorical, else in
    the requested order if the table has it in its attrs, else sorted.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.correlate(["AP", "RR", "RPP"], coefficients=["tau_b", "rbo"]).round(3)
      measure_a measure_b method_a method_b coefficient  runs  value
    0        AP        RR     mean     mean       tau_b    12  0.697
    1        AP        RR     mean     mean         rbo    12  0.824
    2        AP       RPP     mean  winrate       tau_b    12  0.970
    3        AP       RPP     mean  winrate         rbo    12  0.982
    4        RR       RPP     mean  winrate       tau_b    12  0.667
    5        RR       RPP     mean  winrate         rbo    12  0.806
    """
    by = which_coefficients(coefficients)
    if matrix and len(by) != 1:
        raise ValueError(
            f"matrix=True returns one coefficient, got {len(by)}: {', '.join(one.name for one in by)}."
        )
    try:
        orders = _orders(data, measures, method)
    except KeyError:
        check_not_declared(measures, "a coefficient", COEFFICIENTS, "correlate(coefficients={})")
        raise
    n_orders = len(orders.keys)
    a, b = pairs_of_measures(n_orders, orders.attrs)
    if not len(a):
        raise ValueError(
            f"a correlation needs two orderings, found {orders.text()}. Order by several measures."
        )
    if matrix:
        every = range(n_orders)
        square = [[_value(orders, i, orders, j, by[0], runs, p)[1] for j in every] for i in every]
        return described_frame(
            pd.DataFrame(square, index=orders.labels(), columns=orders.labels()),
            {**orders.attrs, "coefficient": by[0].name},
        )
    values = [
        (i, j, k, *_value(orders, i, orders, j, one, runs, p))
        for i, j in zip(a, b)
        for k, one in enumerate(by)
    ]
    first, second, which, count, value = map(np.array, zip(*values))
    columns = {
        f"{name}_{side}": orders.column(codes, name)
        for name in orders.names
        for side, codes in (("a", first), ("b", second))
    }
    return _tidy(columns, by, which, count, value, orders.attrs)


@verb(
    on="orders",
    returns="correlations_by_measure",
    family="correlate",
    name="against",
)
@listed_in_docs(coefficients=COEFFICIENTS)
def correlate_against(
    data: Table,
    others: object,
    measures: object = None,
    *,
    coefficients: str | Sequence[str] = "tau_b",
    runs: Literal["same", "common"] = "same",
    p: float = 0.9,
) -> pd.DataFrame:
    """Return the correlations of two tables of orders, for each measure and method in both.

    For example, compare the orders by all queries with those by fewer queries.

    Parameters
    ----------
    others : DataFrame or bound accessor
        Other table of orders; this one is the reference.
    measures : str or list of str, optional
        Measures to use; by default all that are in both tables.
    coefficients : str or list of str
        Correlation coefficients. Pearson's r uses the scores, negated if lower is better; all others use the ranks.
        `@pdeval.coefficient` declares another coefficient. The declared coefficients are:

        {coefficients}
    runs : {'same', 'common'}
        Whether two orderings must have the same runs, or only their common runs are used.
    p : float
        Persistence parameter of RBO.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure(["AP", "RR"])
    >>> few = scores[scores["query_id"] < "111"]
    >>> scores.ireval.order().ireval.correlate.against(few.ireval.order()).round(3)
      measure coefficient  runs  value
    0      AP       tau_b    12  0.818
    1      RR       tau_b    12  0.595
    """
    by = which_coefficients(coefficients)
    first, second = data, read(others, "orders")
    if measures is not None:
        try:
            first, second = only(first, measures), only(second, measures)
        except KeyError:
            check_not_declared(
                measures, "a coefficient", COEFFICIENTS, "correlate.against(coefficients={})"
            )
            raise
    # the runs of both, in the order of the first
    every = _Orders.of_table(second, _Orders.of_table(first).runs).runs
    reference, other = (_Orders.of_table(one, every) for one in (first, second))
    pairs = [
        (i, other.keys.index(key)) for i, key in enumerate(reference.keys) if key in other.keys
    ]
    if not pairs:
        raise ValueError(
            f"the tables have no common (measure, method): {reference.text()} in one, {other.text()} in the other."
        )
    values = [
        (i, k, *_value(reference, i, other, j, one, runs, p))
        for i, j in pairs
        for k, one in enumerate(by)
    ]
    place, which, count, value = map(np.array, zip(*values))
    columns = {name: reference.column(place, name) for name in reference.names}
    return _tidy(columns, by, which, count, value, reference.attrs)


def _orders(
    data: ScoresLike, measures: object, method: Method | Sequence[Method] | None
) -> _Orders:
    """Return the orderings of a table of orders, or order the runs of other data."""
    if isinstance(data, Judged):
        orders = run_orders(data, measures, method=method)
        # runs in the order of the first row of each in the table of orders
        best_first = np.argsort(orders.rank[0], kind="stable")
        runs = list(_rows(data.runs.iloc[best_first], list(data.runs.columns)))
        rank, score = orders.rank[:, best_first], orders.score[:, best_first]
        return _Orders(orders.attrs, runs, orders.keys, rank, score)
    if not isinstance(data, Table) or data.kind != "orders":
        frame = order(data, measures, method=method)
        roles = {name: name for name in ("measure", "method", "score", "rank")}
        by = list(map(str, frame.columns))
        table = Table("orders", frame, roles, tuple(by[: by.index("measure")]))
        # in the requested order
        return _Orders.of_table(table, keys=_rows(frame, ["measure", "method"]))
    if measures is not None:
        data = only(data, measures)
    if method is not None:
        names = (
            ["mean", "mc4"]
            if method == PAPER
            else [one.label for one in chosen(method, has_values=True)]
        )
        kept = data.frame[data.column("method").astype(str).isin(names)]
        data = Table(data.kind, kept, data.roles, data.run_columns, data.higher)
    return _Orders.of_table(data)


@dataclass(frozen=True)
class _Orders:
    """The orderings of a table: ranks and scores of shape (orderings, runs), NaN if an ordering lacks a run."""

    attrs: dict[Any, Any]
    runs: list[tuple[Any, ...]]
    keys: list[tuple[Any, ...]]
    rank: np.ndarray
    score: np.ndarray

    @classmethod
    def of_table(
        cls,
        table: Table,
        runs: Iterable[tuple[Any, ...]] = (),
        keys: Iterable[tuple[Any, ...]] | None = None,
    ) -> Self:
        """Return the orderings of a table; the numbers of its runs follow those of `runs`."""
        frame, by = table.frame, list(table.run_columns)
        if not by:
            raise ValueError(
                "this table of orders has no run column; it needs one in addition to measure and method."
            )
        names = [table.roles["measure"], table.roles["method"]]
        number_of_run = {run: number for number, run in enumerate(runs)}
        run_code = _codes(_rows(frame, by), number_of_run)
        known = dict.fromkeys(_product(frame, names) if keys is None else keys)
        number_of_key = {key: number for number, key in enumerate(known)}
        cell = run_code + len(number_of_run) * _codes(_rows(frame, names), number_of_key)
        rank, score = np.full((2, len(number_of_key), len(number_of_run)), np.nan)
        orders = cls(dict(frame.attrs), list(number_of_run), list(number_of_key), rank, score)
        times = np.bincount(cell, minlength=1)
        if times.max() > 1:
            which, at = divmod(int(times.argmax()), len(number_of_run))
            raise ValueError(
                f"run {orders.run_text(at)} occurs more than once in the ordering {orders.text(which)}; runs were "
                f"identified by {', '.join(by)}. Specify the run columns: df.ireval(run=[...])."
            )
        rank.flat[cell] = table.column("rank").to_numpy(dtype=np.float64, na_value=np.nan)
        score.flat[cell] = table.column("score").to_numpy(dtype=np.float64, na_value=np.nan)
        return orders

    @property
    def names(self) -> tuple[str, ...]:
        # the method is a label only if there are several
        return ("measure", "method")[: min(2, len({method for _, method in self.keys}))]

    def run_text(self, run: int) -> str:
        return " / ".join(map(repr, self.runs[run]))

    def text(self, which: int | None = None) -> str:
        keys = self.keys[:3] if which is None else [self.keys[which]]
        return ", ".join(f"({measure!r}, {method!r})" for measure, method in keys) or "none"

    def labels(self) -> pd.Index[Any]:
        if len(self.names) > 1:
            return pd.MultiIndex.from_tuples(self.keys, names=self.names)
        return pd.Index([measure for measure, _ in self.keys], name="measure")

    def column(self, codes: np.ndarray, name: str) -> Any:
        return labels(pd.Index([key[name == "method"] for key in self.keys]), codes)


def _product(frame: pd.DataFrame, names: list[str]) -> list[tuple[Any, ...]]:
    """Return the (measure, method) pairs, for any order of rows: by category, as requested, or else sorted."""
    pairs = frame[names].drop_duplicates()
    measure = pairs[names[0]]
    if not isinstance(measure.dtype, pd.CategoricalDtype):
        requested = [one for one in frame.attrs.get("measures", ()) if (measure == one).any()]
        pairs[names[0]] = pd.Categorical(
            measure, categories=[*requested, *sorted(set(measure) - set(requested))]
        )
    return list(pairs.sort_values(names).itertuples(index=False, name=None))


def _rows(frame: pd.DataFrame, names: list[str]) -> Iterable[tuple[Any, ...]]:
    return zip(*(frame[name].tolist() for name in names))


def _codes(ids: Iterable[tuple[Any, ...]], known: dict[tuple[Any, ...], int]) -> np.ndarray:
    """Return the number of each id, after adding new ones to `known`."""
    return np.array([known.setdefault(one, len(known)) for one in ids], dtype=np.int64)


def _value(
    one: _Orders, i: int, other: _Orders, j: int, by: Coefficient, runs: str, p: float
) -> tuple[int, float]:
    x, y = one.rank[i], other.rank[j]
    in_x, in_y = ~np.isnan(x), ~np.isnan(y)
    if runs == "same" and (in_x != in_y).any():
        odd = np.flatnonzero(in_x != in_y)
        examples = ", ".join(one.run_text(k) for k in odd[:3])
        raise ValueError(
            f"the orderings {one.text(i)} and {other.text(j)} have different runs: {len(odd)} are in one of "
            f"them only, e.g. {examples}. Order the same runs, or use runs='common'."
        )
    both = np.flatnonzero(in_x & in_y)
    if len(both) < 2:
        raise TooFew(
            f"the orderings {one.text(i)} and {other.text(j)} have {len(both)} common runs; a correlation needs two."
        )
    sides = -x[both], -y[both]
    if by.looks_at == "scores":
        sides = _turned(one, i, both), _turned(other, j, both)
    return len(both), float(by.function(*sides, **{"p": p} if "p" in by.parameters else {}))


def _turned(orders: _Orders, i: int, both: np.ndarray) -> np.ndarray:
    """Return the scores, negated if the best rank has the lowest score, as for a measure with lower is better."""
    score, rank = orders.score[i], orders.rank[i]
    return -score[both] if score[np.nanargmin(rank)] < score[np.nanargmax(rank)] else score[both]


def _tidy(
    columns: dict[str, Any],
    by: list[Coefficient],
    which: np.ndarray,
    count: np.ndarray,
    value: np.ndarray,
    attrs: dict[Any, Any],
) -> pd.DataFrame:
    coefficient = labels(pd.Index([one.name for one in by]), which)
    return described_frame(
        {**columns, "coefficient": coefficient, "runs": count.astype(np.int64), "value": value},
        attrs,
    )
