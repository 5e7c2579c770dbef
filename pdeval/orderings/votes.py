"""What the queries say about many runs: win rates, and ranks inside a query.

Inside a query the runs are ranked by their scores, or by their win rates where only preferences are known: the win
rate of a run is the sum of its preferences over all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pdeval.evaluate import cube
from pdeval.evaluate.pairs import Pairs
from pdeval.evaluate.sources import Source, decided
from pdeval.kernels.primitives import total
from pdeval.tables.equal_values import NOISE, begins_along, firsts, settled
from pdeval.tables.labels import run_labels

BLOCK = 1 << 21  # cells (queries x pairs of runs) that are worked on at a time


def tally(
    rank: np.ndarray, known: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each resample, by how many queries a is above b more than below, and how many have both.

    Parameters
    ----------
    rank, known : ndarray of shape (queries, runs)
        The ranks inside each query, and where they count.
    weights : ndarray of shape (resamples, queries)
        How often each query is drawn.

    Examples
    --------
    >>> net, shared = tally(np.array([[1, 2], [1, 1], [1, 2]]), np.ones((3, 2), dtype=bool), np.array([[1, 1, 1]]))
    >>> net.tolist(), shared.tolist()
    ([[[0.0, 2.0], [-2.0, 0.0]]], [[[0.0, 3.0], [3.0, 0.0]]])
    """
    n_queries, n_runs = rank.shape
    complete = bool(known.all())
    rank, weights = (
        rank.astype(np.float32),
        weights.astype(np.float32),
    )  # whole numbers: exact, at half the memory
    net, shared = np.zeros((2, len(weights), n_runs * n_runs))
    height = max(1, BLOCK // max(1, n_runs * n_runs))
    for start in range(0, n_queries, height):
        part = slice(start, start + height)
        # above[q, i, j] > 0: query q ranks run i above run j, the smaller rank being the better
        above = rank[part][:, None, :] - rank[part][:, :, None]
        np.sign(above, out=above)
        if not complete:
            both = known[part][:, None, :] & known[part][:, :, None]
            above *= both
            shared += weights[:, part] @ both.reshape(len(above), -1).astype(np.float32)
        net += weights[:, part] @ above.reshape(len(above), -1)
    net, shared = net.reshape(-1, n_runs, n_runs), shared.reshape(-1, n_runs, n_runs)
    if complete:
        shared[:] = weights.sum(axis=1, dtype=np.float64)[:, None, None]
    shared[:, np.arange(n_runs), np.arange(n_runs)] = 0.0  # no run has a pair with itself
    return net, shared


def surplus(rank: np.ndarray, known: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return, for each resample and run, the sum over opponents of the share of queries that it leads them by.

    Parameters
    ----------
    rank, known : ndarray of shape (queries, runs)
        The ranks inside each query, as `ranks` gives them, and where they count.
    weights : ndarray of shape (resamples, queries)
        How often each query is drawn.

    Notes
    -----
    Where every run has every query, no pairs are formed: a query says by how many runs more a run is above than below.

    Examples
    --------
    >>> surplus(np.array([[1, 2, 3], [1, 1, 3]]), np.ones((2, 3), dtype=bool), np.array([[1, 1]])).tolist()
    [[1.5, 0.5, -2.0]]
    """
    if known.all():
        n_queries, n_runs = rank.shape
        # equals: how many runs of the query have the same rank, counted by (query, rank)
        cell = np.arange(n_queries)[:, None] * (n_runs + 1) + rank
        equals = np.bincount(cell.ravel())[cell]
        lead = (
            n_runs + 2.0 - 2 * rank - equals
        )  # rank - 1 are above; below are all but these and its equals
        return (weights @ lead) / np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    return surplus_of_pairs(*tally(rank, known, weights))


def surplus_of_pairs(net: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """Return the sum of net / shared over the opponents, where some pairs may share fewer queries than others.

    Examples
    --------
    >>> surplus_of_pairs(np.array([[0.0, 1.0], [-1.0, 0.0]]), np.array([[0.0, 2.0], [2.0, 0.0]])).tolist()
    [0.5, -0.5]
    """
    most = shared.max(axis=(-1, -2), keepdims=True, initial=1.0)
    # whole numbers first, then what incomplete pairs add, which is zero for complete data: ties stay exact
    return net.sum(axis=-1) / most[..., 0] + (
        net * (1.0 / np.maximum(shared, 1.0) - 1.0 / most)
    ).sum(axis=-1)


def ranks(score: np.ndarray, tolerance: float | np.ndarray = 0.0) -> np.ndarray:
    """Return ranks from 1 along the last axis, most first; neighbours within the tolerance share the better rank.

    Examples
    --------
    >>> ranks(np.array([0.2, 0.5, 0.1, 0.2])).tolist()
    [2, 1, 4, 2]
    """
    # runs without a score come last, tied
    score = np.where(np.isnan(score), -np.inf, score)
    best_first = np.argsort(-score, axis=-1)
    ordered = np.take_along_axis(score, best_first, axis=-1)
    return _back(firsts(begins_along(ordered, tolerance=tolerance)) + 1, best_first)


def ranks_of_means(values: np.ndarray, higher: bool = True) -> np.ndarray:
    """Return the ranks of runs by their mean over queries, best first; means that differ by rounding only are tied.

    Examples
    --------
    >>> ranks_of_means(np.array([[0.1, 0.3, 0.1], [0.2, 0.2, 0.1], [0.3, 0.1, 0.1]])).tolist()
    [1, 1, 3]
    """
    mean = np.nanmean(values, axis=0)
    return ranks(mean if higher else -mean, NOISE * np.nanmax(np.abs(values), initial=0.0))


def ranks_by_name(score: np.ndarray, name: np.ndarray) -> np.ndarray:
    """Return ranks from 1 along the last axis, most first, equal scores by their place in `name`.

    Examples
    --------
    >>> ranks_by_name(np.array([0.2, 0.5, 0.2]), np.array([1, 2, 0])).tolist()
    [3, 1, 2]
    """
    # lexsort: the last key is the primary one
    best_first = np.lexsort((np.broadcast_to(name, score.shape), -score))
    return _back(np.broadcast_to(np.arange(1, score.shape[-1] + 1), score.shape), best_first)


def _back(rank: np.ndarray, best_first: np.ndarray) -> np.ndarray:
    out = np.empty(rank.shape, dtype=np.int64)
    np.put_along_axis(out, best_first, rank, axis=-1)
    return out


def win_rates(
    blocks: Iterable[tuple[slice, np.ndarray]],
    a: np.ndarray,
    b: np.ndarray,
    *,
    queries: int,
    runs: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return, by query and run, the sum of preferences and the opponents; by query, the largest preference.

    Parameters
    ----------
    blocks : iterable of (slice of pairs, array of shape (queries, pairs in the slice))
        Positive where run `a` of the pair is better, NaN where the pair does not count.
    a, b : ndarray of int
        The sides of all pairs.
    queries, runs : int
        How many there are.

    Examples
    --------
    >>> sums, opponents, largest = win_rates([(slice(0, 3), np.array([[1.0, 0.5, -0.5]]))],
    ...                                      np.array([0, 0, 1]), np.array([1, 2, 2]), queries=1, runs=3)
    >>> sums.tolist(), opponents.tolist(), largest.tolist()
    ([[1.5, -1.5, 0.0]], [[2, 2, 2]], [1.0])
    """
    in_order = bool((np.diff(a * runs + b) > 0).all() and (a < b).all())
    if in_order and queries * runs * runs <= 2 * BLOCK:
        return _of_squares(blocks, a, b, queries, runs)
    cells = np.arange(queries * runs)
    first = cells[::runs, None, None]
    sums: np.ndarray = np.zeros(cells.size)
    opponents, largest = np.zeros(cells.size), np.zeros(queries)
    width = max(1, BLOCK // (4 * max(1, queries)))
    for pairs, values in blocks:
        sides = np.stack((a[pairs], b[pairs]), axis=1)
        for start in range(0, len(sides), width):
            part = slice(start, start + width)
            known = ~np.isnan(values[:, part])
            value = np.where(known, values[:, part], 0.0)
            cell = (first + sides[part]).ravel()
            both = np.stack((value, -value), axis=2).ravel()
            # the sums so far come first: each cell adds its pairs one after the other, however they are cut
            weights = np.concatenate((sums, both))
            sums = np.bincount(np.concatenate((cells, cell)), weights=weights)
            opponents += np.bincount(
                cell, weights=np.repeat(known.ravel(), 2), minlength=cells.size
            )
            largest = np.maximum(largest, np.abs(value).max(axis=1))
    return sums.reshape(-1, runs), opponents.reshape(-1, runs).astype(np.int64), largest


def _of_squares(
    blocks: Iterable[tuple[slice, np.ndarray]],
    a: np.ndarray,
    b: np.ndarray,
    queries: int,
    runs: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the same of pairs that stand in order: then a run adds its opponents one after the other."""
    sums, opponents, largest = (
        np.zeros((queries, runs)),
        np.zeros((queries, runs), dtype=np.int64),
        np.zeros(queries),
    )
    for pairs, values in blocks:
        one, two = a[pairs], b[pairs]
        known = ~np.isnan(values)
        complete = bool(known.all())
        value = values if complete else np.where(known, values, 0.0)
        # pairs and runs lead, so that each addition is of whole rows
        turned, total = np.ascontiguousarray(value.T), np.ascontiguousarray(sums.T)
        # as_one, as_two: where the pairs begin in which a run is the first, and the second
        by_two = np.argsort(two, kind="stable")
        as_one, as_two = (np.searchsorted(side, np.arange(runs + 1)) for side in (one, two[by_two]))
        for opponent in range(runs):
            lost, won = (
                slice(*as_one[opponent : opponent + 2]),
                by_two[slice(*as_two[opponent : opponent + 2])],
            )
            total[two[lost]] -= turned[lost]
            total[one[won]] += turned[won]
        sums = np.ascontiguousarray(total.T)
        if complete:
            opponents += np.bincount(np.concatenate((one, two)), minlength=runs)
        else:
            for side in (one, two):
                np.add.at(opponents.T, side, known.T)
        largest = np.maximum(largest, np.abs(value).max(axis=1, initial=0.0))
    return sums, opponents, largest


@dataclass(frozen=True)
class Votes:
    """One measure on every query, arrays of shape (queries, runs), NaN where a query does not count for a run.

    Parameters
    ----------
    value : ndarray, optional
        The measure, more is better; None where only preferences are known.
    rates : ndarray, optional
        The win rates, where they are not the differences of the values.
    runs : ndarray of int
        The run of each column.
    name : ndarray of int, optional
        The place of each column by name, which breaks ties; None leaves runs tied.
    tolerance : float or ndarray of shape (queries, 1)
        The rounding of win rates, where they rank the runs.
    """

    value: np.ndarray | None
    rates: np.ndarray | None
    runs: np.ndarray
    name: np.ndarray | None = None
    tolerance: float | np.ndarray = 0.0

    @classmethod
    def of(
        cls,
        value: np.ndarray | None,
        rates: np.ndarray | None,
        tolerance: float | np.ndarray,
        name: np.ndarray | None,
        queries: np.ndarray | None = None,
    ) -> Votes:
        """Return the votes, ranked inside each query by value, or by win rates to within the tolerance.

        Where names break ties, `queries` says in which order they are counted.
        """
        if name is None:
            columns: Any = rates if value is None else value
            return cls(value, rates, np.arange(columns.shape[1]), tolerance=tolerance)
        wins = _won(value, value) if rates is None else rates
        if queries is not None:
            value, wins = None if value is None else value[queries], wins[queries]
        # pref_eval numbers the runs as its first query ranks them, and adds up in that order
        runs = np.argsort(ranks_by_name((wins if value is None else value)[0], name))
        return cls(None if value is None else value[:, runs], wins[:, runs], runs, name[runs])

    @cached_property
    def wins(self) -> np.ndarray:
        """The win rates."""
        value: Any = self.value
        return _won(value, settled(value)) if self.rates is None else self.rates

    @cached_property
    def rank(self) -> np.ndarray:
        """The rank inside the query, from 1."""
        if self.name is not None:
            return ranks_by_name(self.wins if self.value is None else self.value, self.name)
        return (
            ranks(self.wins, self.tolerance) if self.value is None else ranks(settled(self.value))
        )

    @property
    def size(self) -> float:
        """The size of the numbers that win rates are sums of, to which their rounding is relative."""
        return float(np.max(self.tolerance)) / NOISE

    def counted(
        self, columns: set[str], weights: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Return the columns that are asked for, with a leading axis: the rows of `weights`, or one."""
        out = {}
        if "value" in columns and self.value is not None:
            out["value"] = self._average(self.value, weights)
        if "wins" in columns:
            out["wins"] = self._average(self.wins, weights)
        times = np.ones((1, len(self.wins))) if weights is None else weights
        if columns & {"net", "shared"}:
            out["net"], out["shared"] = tally(self.rank, ~np.isnan(self.wins), times)
        if "surplus" in columns:
            out["surplus"] = surplus(self.rank, ~np.isnan(self.wins), times)
        if "worst_first" in columns:
            merit = self.wins if self.value is None else self.value
            if (
                self.name is None
            ):  # values of any query and run that differ by rounding only are made the same
                merit = settled(merit.ravel(), self.size).reshape(merit.shape)
            out["worst_first"] = worst_first(merit, weights)
        return out

    def _average(self, values: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        known = ~np.isnan(values)
        filled = np.where(known, values, 0.0)
        if weights is not None:
            with np.errstate(invalid="ignore"):  # a run may have none of the queries of a resample
                return (weights @ filled) / (weights @ known.astype(np.float64))
        if self.name is not None:  # pref_eval divides before it adds
            return total(filled / len(filled))[None]
        return (total(filled) / known.sum(axis=0))[None]


def worst_first(value: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the values of each run from the worst query up: shape (resamples, runs, queries).

    Parameters
    ----------
    value : ndarray of shape (queries, runs)
        More is better; every run has every query.
    weights : ndarray of int, shape (resamples, queries), optional
        How often each query is drawn, in all as often as there are queries; by default each once.

    Examples
    --------
    >>> value = np.array([[0.3, 0.2], [0.1, 0.4]])
    >>> worst_first(value).tolist()
    [[[0.1, 0.3], [0.2, 0.4]]]
    >>> worst_first(value, np.array([[2, 0]])).tolist()
    [[[0.3, 0.3], [0.2, 0.2]]]
    """
    if np.isnan(value).any():
        query, run = np.isnan(value).any(axis=1).sum(), np.isnan(value).any(axis=0).sum()
        raise ValueError(
            f"{run} of {value.shape[1]} runs lack one or more of {query} of the {len(value)} queries, and runs are "
            "compared from the worst query up only where all have the same queries. Evaluate with topics='relevant', "
            "where a missing query is the worst case, or with topics='common'."
        )
    # (runs, queries), each run from its worst query up
    upward = np.argsort(value.T, axis=-1)
    ordered = np.take_along_axis(value.T, upward, axis=-1)
    if weights is None:
        return ordered[None]
    times = weights[:, upward]
    # every run of a resample has as many values as there are queries, so that the repeats are a block again
    repeated = np.repeat(np.broadcast_to(ordered, times.shape).ravel(), times.ravel())
    return repeated.reshape(times.shape)


def rank_interval(rank: np.ndarray, confidence: float) -> np.ndarray:
    """Return the least and the largest rank of each run in the interval over resamples, the first axis."""
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    return np.quantile(rank, tails, axis=0, method="inverted_cdf").astype(np.int64)


def votes_of(
    source: Source,
    m: int,
    *,
    winrates: bool = False,
    name: np.ndarray | None = None,
    queries: np.ndarray | None = None,
) -> Votes:
    """Return the votes of a table's measure number `m`, after checking that they can order its runs.

    Scores become preferences by their differences, or are win rates already; `name`, the place of each run by name,
    breaks ties, and needs every run on every query; `queries`, the order in which they are then counted.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = cube.Scores(pd.DataFrame({"run": ["a", "b", "c"]}), pd.Index(["1"], name="query_id"), ("AP",),
    ...                      np.array([[[0.5, 0.25, 0.25]]]), np.array([True]))
    >>> votes = votes_of(scores, 0)
    >>> votes.wins.tolist(), votes.rank.tolist()
    ([[0.5, -0.25, -0.25]], [[1, 2, 2]])
    """
    if not isinstance(source, cube.Scores):
        return _of_preferences(source, m, name, queries)
    value = source.values[m] if source.higher[m] else -source.values[m]
    _check_known(source, m, ~np.isnan(value), name is not None)
    _check_finite(value, source.measures[m], "(query, run) values")
    if winrates:
        return Votes.of(None, value, NOISE * np.nanmax(np.abs(value)), name, queries)
    return Votes.of(value, None, 0.0, name, queries)


def _won(value: Any, equal: Any) -> np.ndarray:
    """Return each run's sum of differences to all other runs; equal values are made the same first."""
    won: np.ndarray = (~np.isnan(value)).sum(axis=1, keepdims=True) * equal - np.nansum(
        equal, axis=1, keepdims=True
    )
    return won


def _of_preferences(
    source: cube.Preferences | Pairs, m: int, name: np.ndarray | None, queries: np.ndarray | None
) -> Votes:
    """Return the votes of preferences; what is rounding is made 0 where runs may be tied."""
    n_runs = len(source.runs)
    blocks = _finite(decided(source, m) if name is None else source.blocks(m), source.measures[m])
    sums, opponents, largest = win_rates(
        blocks, source.a, source.b, queries=len(source.queries), runs=n_runs
    )
    known = opponents > 0
    gaps = (known & (opponents < known.sum(axis=1, keepdims=True) - 1)).any(axis=1)
    if gaps.any():
        raise ValueError(
            f"the preferences of {source.measures[m]!r} have gaps: on {gaps.sum()} of {len(gaps)} queries, e.g. "
            f"{source.queries[gaps].tolist()[0]!r}, some pairs of runs are missing, and win rates need every pair. "
            "Compute all pairs with prefer(), or leave those queries out."
        )
    _check_known(source, m, known, name is not None)
    return Votes.of(
        None, np.where(known, sums, np.nan), NOISE * n_runs * largest[:, None], name, queries
    )


def _finite(
    blocks: Iterable[tuple[slice, np.ndarray]], measure: str
) -> Iterator[tuple[slice, np.ndarray]]:
    for pairs, values in blocks:
        _check_finite(values, measure, "preferences")
        yield pairs, values


def _check_finite(values: np.ndarray, measure: str, what: str) -> None:
    if np.isinf(values).any():
        raise ValueError(
            f"{measure!r} is infinite for {np.isinf(values).sum()} {what}, which no mean or difference can use. "
            "Leave these queries out, or choose a variant of the measure with a finite worst case."
        )


def check_pairs(source: cube.Preferences | Pairs) -> None:
    """Raise a ValueError unless the preferences hold every unordered pair of runs, each once.

    Examples
    --------
    >>> import pandas as pd
    >>> check_pairs(cube.Preferences(pd.DataFrame({"run": ["a", "b"]}), pd.Index(["1"]), ("RPP",), np.array([0]),
    ...                              np.array([1]), np.zeros((1, 1, 1))))
    """
    n_runs = len(source.runs)
    texts = run_labels(source.runs)
    # times[i, j], i < j: how often the unordered pair occurs; the diagonal counts runs with themselves
    first, second = np.minimum(source.a, source.b), np.maximum(source.a, source.b)
    times = np.bincount(first.astype(np.int64) * n_runs + second, minlength=n_runs**2).reshape(
        n_runs, n_runs
    )
    if (times > 1).any() or times.trace():
        a, b = np.argwhere((times > 1) | (np.eye(n_runs) * times > 0))[0]
        raise ValueError(
            f"the preferences hold the pair ({texts[a]!r}, {texts[b]!r}) more than once, in both directions, or of a "
            "run with itself; keep each unordered pair once."
        )
    missing = np.argwhere(np.triu(times == 0, k=1))
    if len(missing):
        everywhere = np.flatnonzero(((times + times.T) > 0).sum(axis=1) == n_runs - 1)
        against = len(everywhere) and len(source.a) < n_runs
        hint = f", they are all against {texts[everywhere[0]]!r}" if against else ""
        a, b = missing[0]
        raise ValueError(
            f"the preferences hold {len(source.a)} of {n_runs * (n_runs - 1) // 2} pairs of runs{hint}; an ordering "
            f"needs all, e.g. ({texts[a]!r}, {texts[b]!r}) is missing. Call prefer() without baseline= or pairs=."
        )


def _check_known(source: Any, m: int, known: np.ndarray, complete: bool) -> None:
    """Raise where values (queries, runs) do not compare every two runs; `complete` needs all of them."""
    if known.all():
        return
    names, label = [repr(name) for name in run_labels(source.runs)], source.measures[m]
    never = np.flatnonzero(~known.any(axis=0))
    if len(never):
        raise ValueError(
            f"{len(never)} of {len(names)} runs have no query that counts for {label!r}: "
            f"{', '.join(names[run] for run in never[:3])}. "
            "Leave them out, or evaluate them with topics='relevant', where a missing query is the worst case."
        )
    if complete:
        query, run = np.argwhere(~known)[0]
        raise ValueError(
            f"compat='pref_eval' needs every run on every query; {names[run]} has no {label!r} on "
            f"query {source.queries.tolist()[query]!r}. Evaluate with topics='relevant', where a missing query is the "
            "worst case."
        )
    shared = known.T.astype(np.float32) @ known.astype(np.float32)
    if not shared.all():
        a, b = np.argwhere(shared == 0)[0]
        raise ValueError(
            f"runs {names[a]} and {names[b]} have no query in common for {label!r}, so that nothing "
            "compares them. Leave one out, or evaluate with topics='relevant'."
        )
