"""Win rates of runs, and their ranks within each query.

Within a query, runs are ranked by their scores, or, for preferences, by their win rates: the win rate of a run is the
sum of its preferences over all others.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from pdeval.evaluate import Pairs, Source, cube, decided, decided_cube
from pdeval.kernels.primitives import total
from pdeval.tables import NOISE, begins_along, firsts, run_labels, settled
from pdeval.verbs import special

BLOCK = 1 << 21  # cells (queries x pairs of runs) in memory at a time
NEAR = 1 << 16


def tally(
    rank: np.ndarray, known: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each sample, the queries that rank a above b minus those below, and the queries with both.

    Parameters
    ----------
    rank, known : ndarray of shape (queries, runs)
        Ranks within each query, and a mask of those that count.
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
    # small integers are compared quickly, and are exact as float32
    rank = rank - rank.min(initial=0)
    rank = rank.astype(np.min_scalar_type(-int(rank.max(initial=0)) - 1))
    weights = weights.astype(np.float32)
    net, shared = np.zeros((2, len(weights), n_runs * n_runs))
    # of one sample, blocks that stay in the processor's cache; of many, large matrix products
    height = max(1, (BLOCK if len(weights) > 1 else NEAR) // max(1, n_runs * n_runs))
    for start in range(0, n_queries, height):
        part = slice(start, start + height)
        # above[q, i, j] > 0: query q ranks run i above run j, the smaller rank being the better
        above = rank[part][:, None, :] - rank[part][:, :, None]
        np.sign(above, out=above)
        if not complete:
            both = known[part][:, None, :] & known[part][:, :, None]
            above *= both
            shared += weights[:, part] @ both.reshape(len(above), -1).astype(np.float32)
        net += weights[:, part] @ above.reshape(len(above), -1).astype(np.float32)
    net, shared = net.reshape(-1, n_runs, n_runs), shared.reshape(-1, n_runs, n_runs)
    if complete:
        shared[:] = weights.sum(axis=1, dtype=np.float64)[:, None, None]
    shared[:, np.arange(n_runs), np.arange(n_runs)] = 0.0  # no run has a pair with itself
    return net, shared


def surplus(rank: np.ndarray, known: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return, for each sample and run, the sum of net / shared over all opponents, see `tally`.

    Parameters
    ----------
    rank, known : ndarray of shape (queries, runs)
        Ranks within each query, from `ranks`, and a mask of those that count.
    weights : ndarray of shape (resamples, queries)
        How often each query is drawn.

    Notes
    -----
    If all runs have all queries, no pairs are formed: on a query, net is the number of runs below minus those above.

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
        # rank - 1 runs are above; all others but the equals are below
        lead = n_runs + 2.0 - 2 * rank - equals
        return (weights @ lead) / np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    return surplus_of_pairs(*tally(rank, known, weights))


def surplus_of_pairs(net: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """Return the sum of net / shared over the opponents, for pairs with different numbers of common queries.

    Examples
    --------
    >>> surplus_of_pairs(np.array([[0.0, 1.0], [-1.0, 0.0]]), np.array([[0.0, 2.0], [2.0, 0.0]])).tolist()
    [0.5, -0.5]
    """
    most = shared.max(axis=(-1, -2), keepdims=True, initial=1.0)
    # integers first, then the contribution of incomplete pairs, which is 0 for complete data: ties stay exact
    return net.sum(axis=-1) / most[..., 0] + (
        net * (1.0 / np.maximum(shared, 1.0) - 1.0 / most)
    ).sum(axis=-1)


def ranks(score: np.ndarray, tolerance: float | np.ndarray = 0.0) -> np.ndarray:
    """Return ranks from 1 along the last axis, highest first; ties within the tolerance get the better rank.

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
    """Return the ranks of runs by their mean over queries, best first; means equal up to rounding are tied.

    Examples
    --------
    >>> ranks_of_means(np.array([[0.1, 0.3, 0.1], [0.2, 0.2, 0.1], [0.3, 0.1, 0.1]])).tolist()
    [1, 1, 3]
    """
    mean = np.nanmean(values, axis=0)
    return ranks(mean if higher else -mean, NOISE * np.nanmax(np.abs(values), initial=0.0))


def ranks_by_name(score: np.ndarray, name: np.ndarray) -> np.ndarray:
    """Return ranks from 1 along the last axis, highest first; equal scores are ordered by `name`.

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
    """Return, by query and run, the sum of preferences and the number of opponents; by query, the largest size.

    Parameters
    ----------
    blocks : iterable of (slice of pairs, array of shape (queries, pairs in the slice))
        Positive if run `a` of the pair is better, NaN if the pair does not count.
    a, b : ndarray of int
        Runs of all pairs.
    queries, runs : int
        Number of queries and runs.

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
            # the sums so far come first: each cell adds its pairs in order, for any block size
            weights = np.concatenate((sums, np.stack((value, -value), axis=2).ravel()))
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
    """Return the result of `win_rates` for sorted pairs: a run adds its opponents in order."""
    sums, largest = np.zeros((queries, runs)), np.zeros(queries)
    opponents = np.zeros((queries, runs), dtype=np.int64)
    for pairs, values in blocks:
        one, two = a[pairs], b[pairs]
        known = ~np.isnan(values)
        complete = bool(known.all())
        value = values if complete else np.where(known, values, 0.0)
        # pairs and runs are the first axis, so each addition is of contiguous rows
        turned, total = np.ascontiguousarray(value.T), np.ascontiguousarray(sums.T)
        # as_one, as_two: first pair in which a run is the first, and the second
        by_two = np.argsort(two, kind="stable")
        as_one, as_two = (np.searchsorted(side, np.arange(runs + 1)) for side in (one, two[by_two]))
        for opponent in range(runs):
            lost = slice(*as_one[opponent : opponent + 2])
            won = by_two[slice(*as_two[opponent : opponent + 2])]
            total[_consecutive(two[lost])] -= turned[lost]
            total[_consecutive(one[won])] += turned[won]
        sums = np.ascontiguousarray(total.T)
        if complete:
            opponents += np.bincount(np.concatenate((one, two)), minlength=runs)
        else:
            for side in (one, two):
                np.add.at(opponents.T, side, known.T)
        largest = np.maximum(largest, value.max(axis=1, initial=0.0))
        largest = np.maximum(largest, -value.min(axis=1, initial=0.0))
    return sums, opponents, largest


def _consecutive(rows: np.ndarray) -> np.ndarray | slice:
    """Return ascending rows as a slice if none is missing between them: slices are not copied."""
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1:
        return slice(rows[0], rows[-1] + 1)
    return rows


@dataclass(frozen=True)
class Votes:
    """One measure on every query, arrays of shape (queries, runs), NaN if a query does not count for a run.

    Parameters
    ----------
    value : ndarray, optional
        Values of the measure, higher is better; None for preferences.
    rates : ndarray, optional
        Win rates, if they are not computed from the values.
    runs : ndarray of int
        Run of each column.
    name : ndarray of int, optional
        Position of each column by name, which breaks ties; None keeps ties.
    tolerance : float or ndarray of shape (queries, 1)
        Rounding tolerance of win rates, if they rank the runs.
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
    ) -> Self:
        """Return the votes, ranked within each query by value, or by win rates up to the tolerance.

        If names break ties, `queries` is the order in which queries are summed.
        """
        if name is None:
            columns: Any = rates if value is None else value
            return cls(value, rates, np.arange(columns.shape[1]), tolerance=tolerance)
        wins = _won(value, value) if rates is None else rates
        if queries is not None:
            value, wins = None if value is None else value[queries], wins[queries]
        # pref_eval numbers the runs by their ranks on its first query, and sums in that order
        runs = np.argsort(ranks_by_name((wins if value is None else value)[0], name))
        return cls(None if value is None else value[:, runs], wins[:, runs], runs, name[runs])

    @cached_property
    def wins(self) -> np.ndarray:
        """The win rates."""
        value: Any = self.value
        return _won(value, settled(value)) if self.rates is None else self.rates

    @cached_property
    def rank(self) -> np.ndarray:
        """The rank within the query, from 1."""
        if self.name is not None:
            return ranks_by_name(self.wins if self.value is None else self.value, self.name)
        return (
            ranks(self.wins, self.tolerance) if self.value is None else ranks(settled(self.value))
        )

    @property
    def size(self) -> float:
        """Size of the numbers that win rates sum, to which their rounding is relative."""
        return float(np.max(self.tolerance)) / NOISE

    def counted(
        self, columns: set[str], weights: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Return the requested columns, with a leading axis: the rows of `weights`, or one."""
        out = {}
        if "value" in columns and self.value is not None:
            out["value"] = self._average(self.value, weights)
        if "wins" in columns:
            out["wins"] = self._average(self.wins, weights)
        values: Any = self.rates if self.value is None else self.value
        times = np.ones((1, len(values))) if weights is None else weights
        if columns & {"net", "shared"}:
            out["net"], out["shared"] = tally(self.rank, ~np.isnan(self.wins), times)
        if "surplus" in columns:
            out["surplus"] = surplus(self.rank, ~np.isnan(self.wins), times)
        if "worst_first" in columns:
            merit = self.wins if self.value is None else self.value
            # values of any query and run that differ only by rounding are made equal
            if self.name is None:
                merit = settled(merit.ravel(), self.size).reshape(merit.shape)
            out["worst_first"] = worst_first(merit, weights)
        return out

    def _average(self, values: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        known = ~np.isnan(values)
        # x + -0.0 is x for every x: missing values change no bit of a sum
        filled = np.where(known, values, -0.0)
        if weights is not None:
            with np.errstate(invalid="ignore"):  # a run may have none of the queries of a sample
                return (weights @ filled) / (weights @ known.astype(np.float64))
        if self.name is not None:  # pref_eval divides before it adds
            return total(filled / len(filled))[None]
        # query after query, in any layout; of one measure, or of each
        sums = np.add.accumulate(filled, axis=-2)[..., -1, :]
        return np.atleast_2d(sums / known.sum(axis=-2))


def worst_first(value: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the values of each run from the worst query up: shape (samples, runs, queries).

    Parameters
    ----------
    value : ndarray of shape (queries, runs)
        Values, higher is better, without missing values.
    weights : ndarray of int, shape (samples, queries), optional
        How often each query is drawn, in total the number of queries; by default each once.

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
            f"{run} of {value.shape[1]} runs have no value for some of {query} of the {len(value)} queries, but "
            "leximin needs the same queries for all runs. Use queries='relevant', which gives missing queries "
            "the worst possible score, or queries='common'."
        )
    # (runs, queries), each run from its worst query up
    upward = np.argsort(value.T, axis=-1)
    ordered = np.take_along_axis(value.T, upward, axis=-1)
    if weights is None:
        return ordered[None]
    times = weights[:, upward]
    # every run of a sample has the same number of values, so the repeated values are a block again
    repeated = np.repeat(np.broadcast_to(ordered, times.shape).ravel(), times.ravel())
    return repeated.reshape(times.shape)


RankInterval = Literal["marginal", "joint", "percentile"]


def ranks_within(
    score: np.ndarray,
    drawn: np.ndarray,
    drawn_ranks: np.ndarray,
    confidence: float,
    *,
    n: int,
    kind: RankInterval = "marginal",
    method: str = "mean",
    tolerance: float = 0.0,
) -> np.ndarray:
    """Return the best and worst rank of each run in its interval, from bootstrap samples of the scores.

    A run is ranked below all runs that are significantly better and above all that are significantly worse, in
    simultaneous tests of its differences from all other runs ('marginal'), or of all pairs of runs ('joint'): the
    critical value is the quantile, over the samples, of the largest |t|. It is taken from the normal to Student's
    distribution with n - 1 degrees of freedom. 'percentile' takes quantiles of the ranks of the samples instead.

    Parameters
    ----------
    score : ndarray of shape (runs,)
        Scores, higher is better.
    drawn, drawn_ranks : ndarray of shape (samples, runs)
        Scores and ranks in bootstrap samples.
    n : int
        Number of queries, or of other units that were resampled.
    method : str
        Ordering. The masses of MC4 are compared by their logarithms, which are closer to normal.
    tolerance : float
        Differences up to this size are ties.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks.

    Examples
    --------
    >>> drawn = np.random.default_rng(0).normal([3.0, 0.1, 0.0], 0.1, (500, 3))
    >>> ranks_within(np.array([3.0, 0.1, 0.0]), drawn, ranks(drawn), 0.95, n=50).tolist()
    [[1, 2, 2], [1, 3, 3]]
    """
    if kind == "percentile":
        tails = np.round([(1 - confidence) / 2, (1 + confidence) / 2], 12)  # .025 exactly
        return np.quantile(drawn_ranks, tails, axis=0, method="inverted_cdf").astype(np.int64)
    if method == "mc4":
        score, drawn = (np.log(np.maximum(one, NOISE)) for one in (score, drawn))
    runs, units = len(score), max(n, 2)
    # a run may have none of the queries of a sample
    away = np.where(np.isnan(drawn), 0.0, drawn - score)
    moments = away.T @ away / len(away)
    variance = moments.diagonal()[:, None] + moments.diagonal() - 2 * moments
    constant = (
        variance <= NOISE * moments.trace() / runs
    )  # the difference is the same in all samples
    spread = np.sqrt(np.where(constant, 1.0, variance))
    largest = np.array(
        [np.abs((away - away[:, [run]]) / spread[run]).max(axis=1) for run in range(runs)]
    )
    if kind == "joint":
        largest = np.broadcast_to(largest.max(axis=0), largest.shape)
    critical = np.quantile(largest, round(confidence, 12), axis=1, method="inverted_cdf")
    # far in the tail, the probability of the other side is exact
    critical = -special.stdtrit(units - 1, special.ndtr(-critical))[:, None]
    ahead = score - score[:, None]  # of run b (column) over run a (row)
    ahead = np.where(np.abs(ahead) > tolerance, ahead, 0.0)
    least = np.where(constant, 0.0, critical * spread * np.sqrt(units / (units - 1)))
    # runs that are equal in all samples share a rank; a run is equal to itself
    not_better = ((ahead < -least) | (constant & (ahead == 0))).sum(axis=1)
    return np.stack([1 + (ahead > least).sum(axis=1), 1 + runs - not_better])


def votes_of(
    source: Source,
    m: int | slice,
    *,
    winrates: bool = False,
    name: np.ndarray | None = None,
    queries: np.ndarray | None = None,
) -> Votes:
    """Return the votes of measure number `m` of a table, or raise if they do not order its runs.

    Scores become preferences by their differences, or are win rates already. `name`, the position of each run by name,
    breaks ties and requires all runs on all queries; `queries` is the order in which they are summed. A slice of the
    measures gives arrays of shape (measures, queries, runs), for means of scores and win rates of preferences.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = cube.Scores(pd.DataFrame({"run": ["a", "b", "c"]}), pd.Index(["1"], name="query_id"), ("AP",),
    ...                      np.array([[[0.5, 0.25, 0.25]]]), np.array([True]))
    >>> votes = votes_of(scores, 0)
    >>> votes.wins.tolist(), votes.rank.tolist()
    ([[0.5, -0.25, -0.25]], [[1, 2, 2]])
    """
    if isinstance(m, slice):
        return _of_measures(source, m)
    if not isinstance(source, cube.Scores):
        return _of_preferences(source, m, name, queries)
    value = source.values[m] if source.higher[m] else -source.values[m]
    _check_known(source, m, ~np.isnan(value), name is not None)
    cube.finite(value, source.measures[m])
    if winrates:
        return Votes.of(None, value, NOISE * np.nanmax(np.abs(value)), name, queries)
    return Votes.of(value, None, 0.0, name, queries)


def _of_measures(source: Any, measures: slice) -> Votes:
    """Return the votes of several measures of a cube, for means of scores and win rates of preferences."""
    n_runs, value, rates = len(source.runs), None, None
    tolerance: float | np.ndarray = 0.0
    if isinstance(source, cube.Scores):
        known_values = value = source.oriented()[measures]
        faulty = np.isinf(value).any()
    else:
        preferences = decided_cube(source, measures)
        rows = preferences.reshape(-1, preferences.shape[-1])
        # of groups of different sizes, some queries have no preferences
        there = ~np.isnan(rows).all(axis=1)
        rows = rows if there.all() else rows[there]
        sums, opponents, sizes = win_rates(
            [(slice(0, len(source.a)), rows)], source.a, source.b, queries=len(rows), runs=n_runs
        )
        known = opponents > 0
        faulty = (
            np.isinf(rows).any()
            or (known & (opponents < known.sum(axis=1, keepdims=True) - 1)).any()
        )
        rates, largest = np.full((len(there), n_runs), np.nan), np.zeros(len(there))
        rates[there], largest[there] = np.where(known, sums, np.nan), sizes
        known_values = rates = rates.reshape(*preferences.shape[:-1], n_runs)
        tolerance = NOISE * n_runs * largest.reshape(*preferences.shape[:-1], 1)
    missing = np.isnan(known_values)
    if missing.any():
        known = (~missing).astype(np.float32)
        # every two runs, and a run with itself, have a common query
        faulty = faulty or not (known.swapaxes(1, 2) @ known).all()
    if faulty:
        for number in range(len(source.measures))[measures]:
            votes_of(source, number)  # raises for the first measure with a fault
    return Votes(value, rates, np.arange(n_runs), tolerance=tolerance)


def _won(value: Any, equal: Any) -> np.ndarray:
    """Return the sum of differences of each run to all other runs; `equal` are the values without rounding."""
    known = (~np.isnan(value)).sum(axis=1, keepdims=True)
    return np.asarray(known * equal - np.nansum(equal, axis=1, keepdims=True))


def _of_preferences(
    source: cube.Preferences | Pairs, m: int, name: np.ndarray | None, queries: np.ndarray | None
) -> Votes:
    """Return the votes of preferences; rounding errors are set to 0 if runs may be tied."""
    n_runs = len(source.runs)
    blocks = (
        (pairs, cube.finite(values, source.measures[m]))
        for pairs, values in (decided(source, m) if name is None else source.blocks(m))
    )
    sums, opponents, largest = win_rates(
        blocks, source.a, source.b, queries=len(source.queries), runs=n_runs
    )
    known = opponents > 0
    gaps = (known & (opponents < known.sum(axis=1, keepdims=True) - 1)).any(axis=1)
    if gaps.any():
        raise ValueError(
            f"the preferences of {source.measures[m]!r} lack pairs of runs on {gaps.sum()} of {len(gaps)} queries, "
            f"e.g. {source.queries[gaps].tolist()[0]!r}, but win rates need all pairs. "
            "Compute all pairs with prefer(), or drop these queries."
        )
    _check_known(source, m, known, name is not None)
    return Votes.of(
        None, np.where(known, sums, np.nan), NOISE * n_runs * largest[:, None], name, queries
    )


def check_pairs(source: cube.Preferences | Pairs) -> None:
    """Raise a ValueError unless the preferences have every unordered pair of runs exactly once.

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
            f"the preferences have the pair ({texts[a]!r}, {texts[b]!r}) more than once, in both directions, or of a "
            "run with itself. Keep each unordered pair once."
        )
    missing = np.argwhere(np.triu(times == 0, k=1))
    if len(missing):
        everywhere = np.flatnonzero(((times + times.T) > 0).sum(axis=1) == n_runs - 1)
        against_one = len(everywhere) and len(source.a) < n_runs
        hint = f", all against {texts[everywhere[0]]!r}" if against_one else ""
        a, b = missing[0]
        raise ValueError(
            f"the preferences have {len(source.a)} of {n_runs * (n_runs - 1) // 2} pairs of runs{hint}; an ordering "
            f"needs all, e.g. ({texts[a]!r}, {texts[b]!r}) is missing. Call prefer() without baseline= or pairs=."
        )


def _check_known(source: Any, m: int, known: np.ndarray, complete: bool) -> None:
    """Raise if some runs have no common query, or, if `complete`, any value is missing."""
    if known.all():
        return
    names, label = [repr(name) for name in run_labels(source.runs)], source.measures[m]
    never = np.flatnonzero(~known.any(axis=0))
    if len(never):
        raise ValueError(
            f"{len(never)} of {len(names)} runs have no value of {label!r} on any query: "
            f"{', '.join(names[run] for run in never[:3])}. "
            "Drop them, or evaluate with queries='relevant', which gives missing queries the worst possible score."
        )
    if complete:
        query, run = np.argwhere(~known)[0]
        raise ValueError(
            f"compat='pref_eval' needs all runs on all queries; {names[run]} has no {label!r} on "
            f"query {source.queries.tolist()[query]!r}. Evaluate with queries='relevant', which gives missing queries "
            "the worst possible score."
        )
    shared = known.T.astype(np.float32) @ known.astype(np.float32)
    if not shared.all():
        a, b = np.argwhere(shared == 0)[0]
        raise ValueError(
            f"runs {names[a]} and {names[b]} have no common query for {label!r}, so they cannot be compared. "
            "Drop one of them, or evaluate with queries='relevant'."
        )
