"""Quantiles of scores and means of the worst queries: what the mean over all queries does not say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog.directions import known_of
from pdeval.evaluate.cube import Scores, stacked
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held, sources
from pdeval.kernels.primitives import total
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb

CELLS = 1 << 20
ENOUGH = 10  # queries in a share: of fewer, resamples know too little of the tail

table(
    "quantiles",
    "run measure statistic share:share n:int value:float ci_low:float ci_high:float",
    "table of quantiles",
    row="run (or group), measure, statistic and share",
    sort="run",
    then=".report()",
    means={
        "statistic": "'quantile', or 'worst': the mean of the worst share of the queries",
        "share": "of the queries, counted from the worst one",
        "value": "in the measure's own unit",
        "ci_low": "lower end of the interval, missing where there are too few queries for it",
        "ci_high": "upper end of the interval, missing where there are too few queries for it",
    },
)


@verb(
    on=("scores", "judged"),
    per_measure=True,
    gives="quantiles",
    meant_by={"percentiles": "quantiles()", "cvar": "quantiles()"},
)
def quantiles(
    held: Held,
    measures: object = MEASURES,
    *,
    at: float | Sequence[float] | None = (0.1, 0.5),
    worst: float | Sequence[float] | None = (0.1,),
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return quantiles of the scores of each run, and the mean of the worst share of its queries.

    Both look at the queries from the worst one on, whichever direction the measure has: the quantile at 0.1 is what a
    tenth of the queries do not exceed, or, where lower is better, do not fall below.

    Parameters
    ----------
    at : float or list of float, or None
        The quantiles, as shares of the queries counted from the worst; 0.5 is the median. None for none.
    worst : float or list of float, or None
        The shares of the worst queries to take the mean of (the expected shortfall, CVaR); 1 is the mean of all. None
        for none.
    draws : int
        Resamples of the queries, for the intervals of the means of worst shares; 0 for none.

    Notes
    -----
    Between two queries a quantile is interpolated linearly (type 7 of Hyndman and Fan, as in pandas). Its interval is
    that of order statistics: it holds whatever the distribution, with at least the confidence. With few queries there
    may be none beyond the quantile to end it; then that end is missing.

    Where a share is no whole number of queries, the last of them counts in part. The mean is geometric where the
    measure's is. Its interval is the percentile interval of the bootstrap, the same resamples for every run. It is
    missing where fewer than 10 queries are in the share, e.g. in the worst tenth of 99: of 10 queries the worst tenth
    is one, and a 95% interval would hold its mean in 38 to 44% of simulations. With 10 queries in the share it holds it
    in 88 to 92%, with 20 in 90 to 95%.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> scores.ireval.quantiles(worst=[0.1, 0.25]).head(4).round(3)
        run measure statistic  share   n  value  ci_low  ci_high
    0  bm25      AP  quantile   0.10  48  0.120   0.062    0.149
    1  bm25      AP  quantile   0.50  48  0.303   0.273    0.381
    2  bm25      AP     worst   0.10  48  0.091     NaN      NaN
    3  bm25      AP     worst   0.25  48  0.125   0.098    0.181
    """
    arguments.whole("draws", draws, 0)
    arguments.share("confidence", confidence)
    arguments.seed(seed)
    requested = [("quantile", one) for one in _shares("at", at)] + [
        ("worst", one) for one in _shares("worst", worst)
    ]
    if not requested:
        raise ValueError(
            "neither at= nor worst= names a share of the queries; give one, e.g. worst=0.1."
        )
    return stacked(
        [
            of_scores(
                one,
                requested,
                draws,
                confidence,
                seed,
            )
            for one in sources(held, measures)
        ]
    )


def _shares(name: str, given: float | Sequence[float] | None) -> list[float]:
    """Return the requested shares, each once; 1 is a share of the worst queries, and no quantile."""
    shares = [] if given is None else np.atleast_1d(np.asarray(given, dtype=np.float64)).tolist()
    return list(
        dict.fromkeys(
            1.0 if name == "worst" and one == 1 else arguments.share(name, one) for one in shares
        )
    )


def of_scores(
    scores: Any,
    requested: Sequence[tuple[str, float]],
    draws: int,
    confidence: float,
    seed: int | None,
) -> pd.DataFrame:
    """Return quantiles and means of the worst queries of a cube of scores."""
    if not isinstance(scores, Scores):
        raise ValueError(
            "quantiles are of measures of one ranking; preferences have .mean() and .order()."
        )
    n_measures, n_runs = len(scores.measures), len(scores.runs)
    result = np.empty((3, n_runs, n_measures, len(requested)))  # value, lower and upper end
    for m, values in enumerate(scores.oriented()):
        sign = 1.0 if scores.higher[m] else -1.0
        known = known_of(scores.measures[m], scores.attrs)
        geometric = known is not None and known["aggregate"] == "geometric mean"
        for k, (statistic, share) in enumerate(requested):
            if statistic == "quantile":
                three = sign * np.stack(quantile(values, share, confidence))
            elif geometric:
                with np.errstate(divide="ignore"):  # one zero makes a geometric mean zero
                    logarithm = np.log(values)
                three = np.exp(np.stack(worst_share(logarithm, share, draws, confidence, seed)))
            else:
                three = sign * np.stack(worst_share(values, share, draws, confidence, seed))
            result[:, :, m, k] = three if sign > 0 else three[[0, 2, 1]]
    run, measure, which = (
        axis.ravel() for axis in np.indices((n_runs, n_measures, len(requested)))
    )
    columns: dict[Any, Any] = {name: labels(scores.runs[name], run) for name in scores.runs.columns}
    columns["measure"] = labels(pd.Index(scores.measures), measure)
    columns["statistic"] = labels(pd.Index([statistic for statistic, _ in requested]), which)
    columns["share"] = np.array([share for _, share in requested])[which]
    columns["n"] = (~np.isnan(scores.values)).sum(axis=1)[measure, run]
    frame = pd.DataFrame(
        {**columns, **dict(zip(("value", "ci_low", "ci_high"), result.reshape(3, -1)))}
    )
    frame.attrs.update(scores.attrs)
    return frame


def quantile(
    values: np.ndarray, share: float, confidence: float = 0.95
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the quantile of each column, NaN left out, and the ends of its interval from order statistics.

    Examples
    --------
    >>> [one.tolist() for one in quantile(np.arange(1.0, 11.0)[:, None], 0.5)]
    [[5.5], [2.0], [9.0]]
    """
    from scipy import stats

    ordered = np.sort(values, axis=0)  # NaN last
    n = (~np.isnan(values)).sum(axis=0)
    place = np.maximum(n - 1, 0) * share
    low, high = _at(ordered, np.floor(place), n), _at(ordered, np.ceil(place), n)
    part = place - np.floor(place)
    with np.errstate(invalid="ignore"):  # between two infinite values there is nothing
        value = np.where((low == high) | (part == 0), low, low + (high - low) * part)
    # as many values lie below the quantile as a binomial draw says
    tail = (1 - confidence) / 2
    first, last = stats.binom.ppf(tail, n, share) - 1, stats.binom.ppf(1 - tail, n, share)
    return value, _at(ordered, first, n), _at(ordered, last, n)


def _at(ordered: np.ndarray, place: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the value at a place of each sorted column, NaN where the column has no such place."""
    there = (place >= 0) & (place < n)
    taken = np.take_along_axis(ordered, np.where(there, place, 0).astype(np.intp)[None], axis=0)[0]
    return np.where(there, taken, np.nan)


def worst_share(
    values: np.ndarray,
    share: float,
    draws: int = 0,
    confidence: float = 0.95,
    seed: int | None = 0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the mean of the lowest share of each column, NaN left out, and its bootstrap interval over the rows.

    Examples
    --------
    >>> [one.tolist() for one in worst_share(np.array([[0.2], [0.4], [0.9], [0.1]]), 0.375)]  # (.1 + .2 / 2) / 1.5
    [[0.13333333333333333], [nan], [nan]]
    """
    # NaN sorts last: known[:n] is True in every column with n values
    upward = np.argsort(values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, upward, axis=0)
    known = ~np.isnan(ordered)
    filled = np.where(known, ordered, 0.0)
    value = _lowest(filled, known * 1.0, share)
    enough = known.sum(axis=0) * share > ENOUGH - 1e-9
    if not draws or not enough.any():
        return value, np.full(value.shape, np.nan), np.full(value.shape, np.nan)
    drawn = [
        _lowest(filled[..., None], known[..., None] * weights.T[upward], share)
        for weights in _resamples(values.shape, draws, seed)
    ]
    every = np.sort(
        np.concatenate(drawn, axis=1).T, axis=0
    )  # a run may have none of the queries of a resample
    n, tail = (~np.isnan(every)).sum(axis=0), (1 - confidence) / 2
    low, high = (
        np.where(enough, _at(every, np.ceil(end * n) - 1, n), np.nan) for end in (tail, 1 - tail)
    )
    return value, low, high


def _resamples(shape: tuple[int, ...], draws: int, seed: int | None) -> Iterator[np.ndarray]:
    """Yield how often each query is drawn, in blocks of resamples."""
    n_queries, n_runs = shape
    rng = np.random.default_rng(seed)
    size = max(1, CELLS // max(1, n_queries * n_runs))
    for start in range(0, draws, size):
        yield rng.multinomial(
            n_queries, np.full(n_queries, 1 / n_queries), size=min(size, draws - start)
        )


def _lowest(ordered: np.ndarray, weight: np.ndarray, share: float) -> np.ndarray:
    """Return the weighted mean of the first share of sorted values, along axis 0; the last value counts in part."""
    # the weight that each value takes of the share: all of it, a part of the last one, then nothing
    running = np.add.accumulate(weight, axis=0)
    wanted = running[-1] * share
    taken = np.diff(np.minimum(running, wanted), axis=0, prepend=0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return total(np.where(taken > 0, taken * ordered, 0.0)) / wanted
