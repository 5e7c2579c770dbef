"""Summaries of scores per run and measure: means, quantiles and means of the worst queries, with intervals.

Measures of all lists of a run together (coverage, Gini) have one value per run. Every user with a list counts, judged
or not; measures of users without a list (UserCoverage) count the users that the topic rule names. The interval is that
of the jackknife over groups of users: the lists of the remaining users are counted with one product of sparse matrices.
The jackknife variance is at least the variance of the value, on average (Efron and Stein 1981). Bootstrap samples of
users would have fewer different users, who cover less and vary less.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, aggregate_of, parse_all, range_of
from pdeval.evaluate.cube import Scores, described_frame, mean_and_sd, run_columns, stacked
from pdeval.evaluate.cube_sources import (
    Averaged,
    ScoresLike,
    averaged,
    sd_over_replicates,
    sources,
    systems_of,
)
from pdeval.evaluate.groups import option_columns
from pdeval.evaluate.mean_preferences import mean_preferences
from pdeval.evaluate.ppi import estimates
from pdeval.evaluate.scores import MEASURES, attributes
from pdeval.evaluate.seeds import bootstrap_counts
from pdeval.join import (
    Catalog,
    Judged,
    Listed,
    Rows,
    all_lists,
    lists_of,
    outside,
    popular,
    unjudged,
)
from pdeval.kernels.primitives import total
from pdeval.tables import NOISE, labels, table, unique_values
from pdeval.verbs import arguments, sparse, special, verb

Interval = Literal["student", "bootstrap-t", "bca"]
BOOTSTRAP = 2000  # bootstrap samples of the queries
GROUPS = 200  # jackknife groups of users

table(
    "summary",
    "run measure n:int [n_machine:int] mean:float [sd:float] ci_low:float ci_high:float [replicates:int] "
    "[sd_replicates:float] [human:float machine:float lam:float df:float effective_n:float]",
    "summary",
    recognized_by="measure mean",
    row="run (or group) and measure",
    sort="run",
    then=".report(), .plot()",
    means={
        "mean": "the geometric mean or the sum if the measure declares so (GMAP, the counts of trec_eval)",
        "replicates": "number of replicates of the system, with replicate=",
        "sd_replicates": "standard deviation over replicates of the mean over queries",
        "n_machine": "number of queries with machine labels only; n is then the number with human labels",
        "human": "the mean over the n queries by human labels; `mean` is the prediction-powered estimate",
        "machine": "the mean over all queries by machine labels",
        "lam": "lambda, the weight of the machine labels: 0 if they are not used",
        "df": "degrees of freedom of the interval, with machine labels",
        "effective_n": "number of queries with human labels that would give an interval of the same width",
    },
)
table(
    "wide_summary",
    "run",
    "wide summary",
    recognized_by="-",
    row="run (or group), one column per measure",
    no_report="report the summary itself: wide=False",
    no_plot="draw the summary itself: wide=False",
)


@verb(
    on=("scores", "judged"),
    # bootstrap samples are of all queries
    per_measure=lambda options: options.get("interval", "student") == "student",
    returns=("summary", "wide_summary", "means"),
    core=True,
    machine=True,
    other_names={"means": "summary()", "average": "summary()"},
)
def summary(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    wide: bool = False,
    per: Literal["run", "group"] = "run",
    baseline: object = None,
    confidence: float = 0.95,
    interval: Interval = "student",
    replicate: str | Sequence[str] | None = None,
    draws: int | None = None,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return the mean of each measure per run, with intervals; of preferences, the mean per pair of runs.

    `mean()` is the same verb.

    `sd` and the interval over queries are on the log scale for a geometric mean, and missing for a sum. The interval
    is clipped to the range of the measure. With `replicate`, `sd_replicates` is the standard deviation of
    the mean over queries between replicates. A measure of all lists together (Coverage@10, Gini@10) has no value per
    query: `mean` is its value, `sd` is missing, and the interval is a jackknife interval over users: 95% intervals of
    100 users covered 96 to 97% in simulations. Every user with a list counts, judged or not, as in `beyond_accuracy`;
    in groups (`by`) and on Dask, only the users of the judgments count. UserCoverage counts the users of `queries`.

    With machine labels, `mean` and its interval are prediction-powered estimates of the mean by human labels. They are
    valid for any quality of the machine labels, if the queries with human labels are a random sample of all queries.
    See `pdeval.evaluate.ppi`.

    Parameters
    ----------
    wide : bool
        Whether to return one row per run, with the means of each measure in one column.
    per : {'run', 'group'}
        Whether to return one row per run, or one row per group of `by`: the mean over all runs of the group within each
        query. `replicates` is then the number of runs.
    baseline : run, or list of them, optional
        For preferences, only pairs of a run with this one, or with one of these.
    interval : {'student', 'bootstrap-t', 'bca'}
        Interval of the mean over queries: Student's; the bootstrap of Student's statistic, which is best for few
        queries with skewed values; or the bias-corrected and accelerated bootstrap, equal to that of
        `scipy.stats.bootstrap`, which needs about 25 queries. With 5 queries, 95% intervals of AP-like values covered
        88, 97 and 84% in simulations; with 10 queries of strong skew, 83, 90 and 81%.
    draws : int, optional
        Number of bootstrap samples of the queries, by default 2,000; or of jackknife groups of users, for the intervals
        of measures of all lists together, by default 200; 0 for no such intervals.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, metadata = pdeval.datasets.load_sample()
    >>> scores = runs.ireval.measure(qrels, ["AP", "RR"], queries="common")
    >>> scores.ireval.summary().head(2).round(3)
        run measure   n   mean     sd  ci_low  ci_high
    0  bm25      AP  48  0.324  0.155   0.279    0.369
    1  bm25      RR  48  0.735  0.343   0.635    0.835
    >>> scores.ireval.summary(by="family", metadata=metadata, per="group", wide=True).head(2).round(3)
       family     AP     RR
    0   dense  0.418  0.844
    1  fusion  0.499  0.855
    """
    names = None if replicate is None else option_columns(replicate, "replicate")
    if per == "group":
        if names is not None:
            raise ValueError("per='group' averages over all runs of a group. Omit replicate=.")
        names = list(data.runs.columns if isinstance(data, Judged) else data.run_columns)  # type: ignore[union-attr]
    if isinstance(data, Judged):
        requested = parse_all(MEASURES if measures is None else measures)
        families = {measure.entry.family == "preference" for measure in requested}
        if len(families) > 1:
            raise ValueError(
                "summary() has a row per run for measures and a row per pair for preferences. Call it once for each."
            )
        if families == {True}:
            source = data if names is None else Averaged(data, tuple(names))
            return mean_preferences(source, requested, baseline=baseline)
    if baseline is not None:
        raise ValueError(
            "baseline= selects pairs of runs; a summary of measures has one row per run. Omit it."
        )
    options: dict[str, Any] = {
        "confidence": confidence,
        "interval": interval,
        "replicate": names,
        "draws": draws,
        "seed": seed,
    }
    if isinstance(data, Judged):
        others = [measure for measure in requested if measure.entry.family != "set"]
        if len(others) < len(requested):
            cubes = sources(data, others) if others else []
            return with_sets(data, requested, cubes, wide=wide, **options)
    cubes = sources(data, measures, machine=True)
    return stacked([of_scores(cube, wide=wide, **options) for cube in cubes])  # type: ignore[arg-type]


def with_sets(
    data: Judged,
    requested: list[Measure],
    cubes: Sequence[object],
    *,
    wide: bool = False,
    confidence: float = 0.95,
    interval: Interval = "student",
    replicate: Sequence[str] | None = None,
    draws: int | None = None,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return the summary if some measures are of all lists together; `cubes` are the scores of the others."""
    sets = [measure for measure in requested if measure.entry.family == "set"]
    parts = [
        of_sets(
            data,
            of_kind,
            confidence=confidence if draws is None or draws > 1 else None,
            draws=GROUPS if draws is None else draws,
            seed=seed,
            replicate=replicate,
        )
        for kind in (False, True)
        if (of_kind := [measure for measure in sets if of_users(measure) == kind])
    ]
    options: dict[str, Any] = {"interval": interval, "draws": draws, "seed": seed}
    parts += [
        of_scores(cube, confidence=confidence, replicate=replicate, **options)  # type: ignore[arg-type]
        for cube in cubes
    ]
    # run by run, measures as requested
    runs = list(parts[0].columns[: list(parts[0].columns).index("measure")])
    table = stacked(parts)
    run = (
        table.groupby(
            runs,
            sort=False,
            dropna=False,
            observed=True,
        )
        .ngroup()
        .to_numpy()
        if runs
        else 0
    )
    labels_in_order = pd.Index([measure.label for measure in requested])
    measure = labels_in_order.get_indexer(pd.Index(table["measure"].astype(str)))
    # by run, then by measure: lexsort takes the primary key last
    frame = table.take(np.lexsort((measure, np.broadcast_to(run, len(table))))).reset_index(
        drop=True
    )
    frame.attrs.update(table.attrs)
    return widened(frame, runs) if wide else frame


def of_scores(
    scores: Scores,
    *,
    confidence: float | None = 0.95,
    wide: bool = False,
    replicate: Sequence[str] | None = None,
    interval: Interval = "student",
    draws: int | None = None,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return the summary of a cube of scores; without confidence, without intervals."""
    if not isinstance(scores, Scores):
        raise ValueError(
            "a summary with machine labels is of measures, not of preferences. Use .compare()."
        )
    if scores.machine is not None and interval != "student":
        raise ValueError(
            f"interval={interval!r} cannot be combined with machine labels. Omit interval=."
        )
    aggregates = [aggregate_of(label, scores.attrs) for label in scores.measures]
    with_interval = confidence if not wide else None
    of_replicates: dict[str, np.ndarray] = {}
    if replicate is not None:
        _, system = systems_of(scores.runs, replicate)
        means = _of_measures(scores, aggregates, None)["mean"]
        size = np.bincount(system)
        of_replicates["replicates"] = np.tile(size, (len(aggregates), 1))
        of_replicates["sd_replicates"] = sd_over_replicates(means, system)
        scores = averaged(scores, replicate)  # type: ignore[assignment]
    # of shape (measures, runs)
    statistics = _of_measures(scores, aggregates, with_interval)
    if with_interval is not None:
        ends = ("ci_low", "ci_high")
        for number, aggregate in enumerate(aggregates):
            if interval != "student" and aggregate != "sum":
                geometric = aggregate == "geometric mean"
                values = np.log(scores.values[number]) if geometric else scores.values[number]
                n_draws = BOOTSTRAP if draws is None else draws
                drawn = bootstrap_interval(values, interval, with_interval, n_draws, seed)
                for name, end in zip(ends, np.exp(drawn) if geometric else drawn):
                    statistics[name][number] = end
        declared = np.array([range_of(label, scores.attrs) for label in scores.measures])
        low, high = declared.T[..., None, None]
        inside = np.isnan(scores.values) | ((scores.values >= low) & (scores.values <= high))
        limited = inside.all(axis=(1, 2))[:, None]
        # a prediction-powered estimate may be beyond the limits, and its interval contains it
        least = np.fmin(np.where(limited, low[..., 0], -np.inf), statistics["mean"])
        most = np.fmax(np.where(limited, high[..., 0], np.inf), statistics["mean"])
        statistics |= {name: np.clip(statistics[name], least, most) for name in ends}
    statistics |= of_replicates
    run, measure = np.divmod(np.arange(len(scores.runs) * len(aggregates)), len(aggregates))
    columns = {
        **run_columns(scores.runs, run),
        "measure": labels(pd.Index(scores.measures), measure),
        **{name: values.T.ravel() for name, values in statistics.items()},
    }
    frame = described_frame(columns, {**scores.attrs, "confidence": confidence})
    return widened(frame, list(scores.runs.columns)) if wide else frame


def _of_measures(
    scores: Scores, aggregates: Sequence[str], confidence: float | None
) -> dict[str, np.ndarray]:
    """Return the statistics of all measures, of shape (measures, runs): prediction-powered if a machine labeled too."""
    if scores.machine is not None:
        parts = [_with_machine(scores, number, confidence) for number in range(len(aggregates))]
        return {name: np.stack([part[name] for part in parts]) for name in parts[0]}
    if len(set(aggregates)) == 1:
        return _of_values(scores.values, aggregates[0], confidence)
    parts = [_of_values(*one, confidence) for one in zip(scores.values, aggregates)]
    return {name: np.stack([part[name] for part in parts]) for name in parts[0]}


def _with_machine(scores: Scores, number: int, confidence: float | None) -> dict[str, np.ndarray]:
    """Return the statistics of one measure from human and machine labels."""
    estimate = estimates(scores, number)
    low, high = estimate.interval(0.95 if confidence is None else confidence)
    interval = {"ci_low": low, "ci_high": high}
    names = [
        "n",
        "n_machine",
        "mean",
        "ci_low",
        "ci_high",
        "human",
        "machine",
        "lam",
        "df",
        "effective_n",
    ]
    return {name: interval[name] if name in interval else getattr(estimate, name) for name in names}


def _of_values(
    values: np.ndarray, aggregate: str, confidence: float | None
) -> dict[str, np.ndarray]:
    """Return the statistics of values (..., queries, runs), NaN where a query does not count."""
    known = ~np.isnan(values)
    if aggregate == "geometric mean":
        values = np.where(known, np.log(np.where(known, values, 1.0)), np.nan)
    n, mean, sd = mean_and_sd(values)
    if aggregate == "sum":
        mean = np.where(known, values, 0.0).sum(axis=-2)
        sd = np.full(mean.shape, np.nan)
    statistics = {"n": n, "mean": mean, "sd": sd}
    if confidence is not None:
        # scipy takes a tenth of a second to import: only if an interval is requested
        with np.errstate(invalid="ignore", divide="ignore"):
            half = special.stdtrit(np.maximum(n - 1, 1), (1 + confidence) / 2) * sd / np.sqrt(n)
        statistics |= {"ci_low": mean - half, "ci_high": mean + half}
    if aggregate == "geometric mean":
        logs = [name for name in statistics if name not in ("n", "sd")]
        statistics |= {name: np.exp(statistics[name]) for name in logs}
    return statistics


def over_queries(values: np.ndarray, aggregate: str) -> np.ndarray:
    """Return the aggregate of values (queries, runs) over the queries that count, NaN if there are none.

    Examples
    --------
    >>> over_queries(np.array([[0.1, np.nan], [0.3, np.nan]]), "mean").tolist()
    [0.2, nan]
    """
    statistics = _of_values(values, aggregate, None)
    return np.where(statistics["n"] > 0, statistics["mean"], np.nan)


def widened(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the means with one row per run and one column per measure, in the order of the frame.

    Examples
    --------
    >>> frame = pd.DataFrame({"run": ["a", "a"], "measure": ["AP", "RR"], "mean": [0.1, 0.2]})
    >>> widened(frame, ["run"]).to_dict("records")
    [{'run': 'a', 'AP': 0.1, 'RR': 0.2}]
    """
    measures = list(dict.fromkeys(frame["measure"].astype(str)))
    if by:
        table = frame.pivot(index=by, columns="measure", values="mean")[measures].reset_index()
        table.columns = [str(name) for name in table.columns]
    else:  # one system, which a group identifies
        table = pd.DataFrame([frame["mean"].to_numpy()], columns=measures)
    table.attrs.update(frame.attrs)
    return table


def bootstrap_interval(
    values: np.ndarray,
    interval: Interval,
    confidence: float = 0.95,
    draws: int = 2000,
    seed: int | None = 0,
) -> np.ndarray:
    """Return the lower and upper ends of bootstrap intervals of the mean of each column, NaN left out.

    Where more than the tail of the samples has no variance, the end of 'bootstrap-t' is infinite.

    Examples
    --------
    >>> values = np.array([[0.0], [0.1], [0.1], [0.2], [0.9]])
    >>> bootstrap_interval(values, "bootstrap-t").ravel().round(2).tolist()
    [-0.01, 1.73]
    >>> bootstrap_interval(values, "bca").ravel().round(2).tolist()
    [0.08, 0.73]
    """
    draws = arguments.integer("draws", draws, 2)
    known = ~np.isnan(values)
    n, mean, sd = mean_and_sd(values)
    away = np.where(known, values - mean, 0.0)  # centered, so that variances do not cancel
    tails = np.round(
        [[(1 - confidence) / 2], [(1 + confidence) / 2]], 12
    )  # .025, not .02500000000000002
    drawn = [np.empty((2, 0, values.shape[1]))]
    with np.errstate(invalid="ignore", divide="ignore"):
        for times in _resamples(values.shape, draws, seed):
            count = times @ known.astype(np.float64)
            means, squares = times @ away / count, times @ away**2 / count
            variance = squares - means**2
            # a sample of equal values has no variance, apart from rounding
            variance[variance <= NOISE * np.maximum(squares, sd**2)] = 0.0
            drawn.append(np.stack([means, means / np.sqrt(variance / (count - 1))]))
        means, t = np.concatenate(drawn, axis=1)
        if interval == "bootstrap-t":
            t = np.where(np.abs(means) <= NOISE * sd, 0.0, t)
            ends = np.quantile(t, tails[::-1, 0], axis=0, method="inverted_cdf")
            ends = -ends * sd / np.sqrt(n)
        else:
            # Efron 1987: z0 from the share of samples below the mean, a from the third moment of the jackknife
            below = ((means < 0).sum(axis=0) + (means <= 0).sum(axis=0)) / (2 * len(means))
            z0, z = special.ndtri(below), special.ndtri(tails)
            a = (away**3).sum(axis=0) / (6 * (away**2).sum(axis=0) ** 1.5)
            share = special.ndtr(z0 + (z0 + z) / (1 - a * (z0 + z)))
            place = np.where(np.isnan(share), 0.0, share * (len(means) - 1))
            ordered = np.sort(means, axis=0)
            first = np.floor(place).astype(np.intp)
            last = np.minimum(first + 1, len(means) - 1)
            low, high = (np.take_along_axis(ordered, one, axis=0) for one in (first, last))
            ends = np.where(np.isnan(share), np.nan, low + (high - low) * (place - first))
    ends = np.where(n > 1, mean + ends, np.nan)
    return np.where(sd == 0, mean, ends)


CELLS = 1 << 20
NEAR = 1 << 16  # values of bootstrap samples drawn at a time: they fit into the cache
MANY = 10_000  # queries; with more, the bootstrap of a run draws only its worst queries
ENOUGH = (
    10  # smallest number of queries in a fraction: with fewer, intervals have too little coverage
)

table(
    "quantiles",
    "run measure statistic fraction:fraction n:int value:float ci_low:float ci_high:float",
    "table of quantiles",
    row="run (or group), measure, statistic and share",
    sort="run",
    then=".report()",
    means={
        "statistic": "'quantile', or 'worst': the mean of the worst share of the queries",
        "fraction": "of the queries, counted from the worst one",
        "value": "in the measure's own unit",
        "ci_low": "lower end of the interval, missing where there are too few queries for it",
        "ci_high": "upper end of the interval, missing where there are too few queries for it",
    },
)


@verb(
    on=("scores", "judged"),
    per_measure=True,
    returns="quantiles",
    other_names={"percentiles": "quantiles()", "cvar": "quantiles()"},
)
def quantiles(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    at: float | Sequence[float] | None = (0.1, 0.5),
    worst: float | Sequence[float] | None = (0.1,),
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return quantiles of the scores of each run, and means of its worst queries.

    Both count the queries from the worst one, for either direction of the measure: a tenth of the queries do not exceed
    the quantile at 0.1 or, if lower is better, do not fall below it.

    Parameters
    ----------
    at : float or list of float, or None
        Quantiles, as fractions of the queries counted from the worst one; 0.5 is the median. None for no quantiles.
    worst : float or list of float, or None
        Fractions of the worst queries to average (expected shortfall, CVaR); 1 is the mean of all queries. None for no
        such means.
    draws : int
        Number of bootstrap samples of the queries, for the intervals of the means of the worst queries; 0 for no
        intervals.

    Notes
    -----
    Between two queries, a quantile is interpolated linearly (type 7 of Hyndman and Fan, as in pandas). Its interval is
    from order statistics: its coverage is at least the confidence level for any distribution. An end is missing if
    there are too few queries beyond the quantile.

    If a fraction is not an integer number of queries, the last of them counts in part. The mean is geometric if that of
    the measure is. Its interval is the percentile interval of the bootstrap, with the same samples for all runs. With
    more than 10,000 queries, only the worst queries of each run are drawn, which takes a fraction of the time. It is
    missing if the fraction has fewer than 10 queries, e.g. the worst tenth of 99. In simulations, 95% intervals of the
    mean of the worst 10 of 100 queries covered 88.5% (normal values) and 92.0% (skewed values in [0, 1]), of the worst
    20 of 200 queries 92.5% and 91.5%.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> scores.ireval.quantiles(worst=[0.1, 0.25]).head(4).round(3)
        run measure statistic  fraction   n  value  ci_low  ci_high
    0  bm25      AP  quantile      0.10  48  0.120   0.062    0.149
    1  bm25      AP  quantile      0.50  48  0.303   0.273    0.381
    2  bm25      AP     worst      0.10  48  0.091     NaN      NaN
    3  bm25      AP     worst      0.25  48  0.125   0.098    0.181
    """
    requested = [("quantile", one) for one in _shares("at", at)] + [
        ("worst", one) for one in _shares("worst", worst)
    ]
    if not requested:
        raise ValueError(
            "at= and worst= are both empty. Pass a fraction of the queries, e.g. worst=0.1."
        )
    return stacked(
        [
            _quantiles_of_scores(cube, requested, draws, confidence, seed)
            for cube in sources(data, measures)
        ]
    )


def _shares(name: str, given: float | Sequence[float] | None) -> list[float]:
    """Return the requested fractions, each once; 1 is allowed for the worst queries, but not for quantiles."""
    shares = [] if given is None else np.atleast_1d(np.asarray(given, dtype=np.float64)).tolist()
    return list(
        dict.fromkeys(
            1.0 if name == "worst" and one == 1 else arguments.share(name, one) for one in shares
        )
    )


def _quantiles_of_scores(
    scores: Any,
    requested: Sequence[tuple[str, float]],
    draws: int,
    confidence: float,
    seed: int | None,
) -> pd.DataFrame:
    """Return quantiles and means of the worst queries of a cube of scores."""
    if not isinstance(scores, Scores):
        raise ValueError(
            "quantiles() needs measures of one ranking. Use .summary() or .order() for preferences."
        )
    n_measures, n_runs = len(scores.measures), len(scores.runs)
    result = np.empty((3, n_runs, n_measures, len(requested)))  # value, lower and upper end
    for m, values in enumerate(scores.oriented()):
        sign = 1.0 if scores.higher[m] else -1.0
        geometric = aggregate_of(scores.measures[m], scores.attrs) == "geometric mean"
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
    return described_frame(
        {
            **run_columns(scores.runs, run),
            "measure": labels(pd.Index(scores.measures), measure),
            "statistic": labels(pd.Index([statistic for statistic, _ in requested]), which),
            "fraction": np.array([share for _, share in requested])[which],
            "n": (~np.isnan(scores.values)).sum(axis=1)[measure, run],
            **dict(zip(("value", "ci_low", "ci_high"), result.reshape(3, -1))),
        },
        {**scores.attrs, "confidence": confidence},
    )


def quantile(
    values: np.ndarray, share: float, confidence: float = 0.95
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the quantile of each column, NaN left out, and the ends of its interval from order statistics.

    Examples
    --------
    >>> [one.tolist() for one in quantile(np.arange(1.0, 11.0)[:, None], 0.5)]
    [[5.5], [2.0], [9.0]]
    """
    ordered = np.sort(values, axis=0)  # NaN last
    n = (~np.isnan(values)).sum(axis=0)
    place = np.maximum(n - 1, 0) * share
    low, high = _at(ordered, np.floor(place), n), _at(ordered, np.ceil(place), n)
    part = place - np.floor(place)
    with np.errstate(invalid="ignore"):  # between two infinite values there is nothing
        value = np.where((low == high) | (part == 0), low, low + (high - low) * part)
    # the number of values below the quantile has a binomial distribution
    tails = np.array([[(1 - confidence) / 2], [(1 + confidence) / 2]])
    number = np.ceil(
        special.bdtrik(tails, n, share)
    )  # its quantiles, which rounding may exceed by 1
    number -= (number > 0) & (special.bdtr(number - 1, n, share) >= tails)
    return value, _at(ordered, number[0] - 1, n), _at(ordered, number[1], n)


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
    if len(values) > MANY:
        drawn = [
            _drawn_lowest(column[~np.isnan(column)], len(values), share, draws, seed)
            for column in ordered.T
        ]
        samples = np.stack(drawn)
    else:
        weights = _resamples(values.shape, draws, seed)
        drawn = [
            _lowest(filled[..., None], known[..., None] * part.T[upward], share) for part in weights
        ]
        samples = np.concatenate(drawn, axis=1)
    every = np.sort(samples.T, axis=0)  # a run may have none of the queries of a bootstrap sample
    n, tail = (~np.isnan(every)).sum(axis=0), (1 - confidence) / 2
    low, high = (
        np.where(enough, _at(every, np.ceil(end * n) - 1, n), np.nan) for end in (tail, 1 - tail)
    )
    return value, low, high


def _resamples(shape: tuple[int, ...], draws: int, seed: int | None) -> Iterator[np.ndarray]:
    """Yield the number of times that each query is drawn, in blocks of bootstrap samples."""
    return bootstrap_counts(shape[0], draws, seed, max(1, CELLS // max(1, shape[0] * shape[1])))


def _drawn_lowest(
    ordered: np.ndarray, queries: int, share: float, draws: int, seed: int | None
) -> np.ndarray:
    """Return the mean of the lowest share of bootstrap samples of the queries, from the sorted values of one run.

    Only the lowest values are drawn, without the others, whose number in a sample is binomial.
    """
    rng = np.random.default_rng(seed)
    n = len(ordered)
    # a sample has fewer than its share of these values only at ten standard deviations
    first = ordered[: int(n * share + 5 * np.sqrt(n)) + 1]
    means = []
    step = max(1, NEAR // max(1, len(first)))
    for start in range(0, draws, step):
        size = rng.binomial(queries, n / queries, size=min(step, draws - start))
        low = rng.binomial(size, len(first) / max(n, 1))
        picked = rng.integers(0, max(len(first), 1), low.sum())
        picked += np.repeat(np.arange(len(low)) * len(first), low)
        times = np.bincount(picked, minlength=len(low) * len(first)).reshape(len(low), len(first))
        means.append(_lowest(first[:, None], times.T * 1.0, share, size))
    return np.concatenate(means)


def _lowest(
    ordered: np.ndarray, weight: np.ndarray, share: float, size: np.ndarray | None = None
) -> np.ndarray:
    """Return the weighted mean of the first share of sorted values, along axis 0; the last value counts in part.

    `size` is the weight of all values, by default that of these.
    """
    # the weight that each value takes of the share: all of it, a part of the last one, then nothing
    running = np.add.accumulate(weight, axis=0)
    wanted = (running[-1] if size is None else size) * share
    taken = np.diff(np.minimum(running, wanted), axis=0, prepend=0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return total(np.where(taken > 0, taken * ordered, 0.0)) / wanted


JACKKNIFE_CELLS = 1 << 22  # items (or users) times groups of users that are left out together
COLUMNS = ("exposure", "lengths", "users", "popularity", "features", "catalog")


def of_sets(
    judged: Judged,
    measures: Sequence[Measure],
    *,
    confidence: float | None = 0.95,
    draws: int = 200,
    seed: int | None = 0,
    replicate: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return the summary of measures of all lists together: one row per run and measure.

    Either all measures are `of_users`, or none is.

    Parameters
    ----------
    confidence : float, optional
        Confidence level of the interval; None for no interval.
    draws : int
        Number of jackknife groups of users; with fewer users, each user is a group.
    replicate : sequence of str, optional
        Run columns that distinguish replicates: values are averaged over them.
    """
    counts, values, others, touched = _jackknifed(
        judged, measures, draws if confidence is not None else 0, seed
    )
    spread = _spread(others, touched)
    more: dict[str, np.ndarray] = {}
    names, n = judged.runs, counts.sum(axis=0)
    if replicate is not None:
        names, system = systems_of(judged.runs, replicate)
        size = np.bincount(system)
        more = {
            "replicates": np.tile(size, (len(measures), 1)),
            "sd_replicates": np.stack([sd_over_replicates(one, system) for one in values]),
        }
        n = np.bincount(system, n).astype(np.int64) // size
        # a product with this matrix, (runs, systems), averages over the replicates of each system
        mean = np.zeros((len(judged.runs), len(size)))
        mean[np.arange(len(system)), system] = 1.0 / size[system]
        values = values @ mean
        touched = touched @ (mean > 0)
        spread = _spread(
            np.einsum("mrd,rs->msd", others, mean), touched
        )  # replicates vary together: of the same users
    # Student's interval, within the range of each measure
    quantile = (1 + (confidence or 0.95)) / 2
    half = special.stdtrit(np.maximum(touched.sum(axis=0) - 1, 1), quantile) * spread
    limits = [np.array([one.entry.range[end] for one in measures])[:, None] for end in (0, 1)]
    run, measure = np.divmod(np.arange(values.size), len(measures))
    return described_frame(
        {
            **run_columns(names, run),
            "measure": labels(pd.Index([one.label for one in measures]), measure),
            "n": n[run],
            "mean": values.T.ravel(),
            "sd": np.full(values.size, np.nan),  # no user has a value
            "ci_low": np.clip(values - half, *limits).T.ravel(),
            "ci_high": np.clip(values + half, *limits).T.ravel(),
            **{name: column.T.ravel() for name, column in more.items()},
        },
        attributes(judged, measures),
    )


def _jackknifed(
    judged: Judged, measures: Sequence[Measure], draws: int, seed: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return which users count, the values, those without each group of users, and which groups a run has.

    Their shapes are (users, runs), (measures, runs), (measures, runs, groups) and (groups, runs).
    """
    listed, answered = lists_of(judged.positions, measures[0].label), judged.positions.answered
    if judged.positions.rules.get("ties") == "expected":
        raise ValueError(
            f"{measures[0].label} needs rankings, but with ties='expected' tied items have no definite rank. Use "
            "another ties=."
        )
    if of_users(measures[0]):
        counts = judged.counted()
    else:
        listed, answered = everyone(listed, answered, measures[0].label)
        counts = answered & (answered.all(axis=1, keepdims=True) | (judged.query_rule != "common"))
    if not counts.any():
        raise judged.nothing_counts()
    count = min(draws, len(counts))
    group = np.random.default_rng(seed).permutation(len(counts)) % max(count, 1)
    runs = [_OfRun(listed, run, np.flatnonzero(counts[:, run])) for run in range(len(judged.runs))]
    drawn = [
        np.array([[run.value(measure, times) for run in runs] for measure in measures])
        for times in _left_out(group, count, len(listed.catalog.ids))
    ]
    values, others = drawn[0][:, :, 0], np.concatenate([drawn[0][:, :, :0], *drawn[1:]], axis=2)
    values[:, ~counts.any(axis=0)] = np.nan  # a run without lists that count
    # shape (groups of users, runs); `others` are the values without each group, (measures, runs, groups)
    touched = np.zeros((max(count, 1), len(runs)), dtype=bool)  # which groups have users of a run
    topic, run = np.nonzero(counts)
    touched[group[topic], run] = True
    touched = touched[:count]
    return counts, values, others, touched


def pseudo_values(
    judged: Judged, measures: Sequence[Measure], *, draws: int = GROUPS, seed: int | None = 0
) -> Scores:
    """Return jackknife pseudo-values of measures of all lists together, one for each group of users."""
    _, values, others, touched = _jackknifed(judged, measures, draws, seed)
    known = touched.T & ~np.isnan(others)
    n = known.sum(axis=2, keepdims=True)
    mean = np.where(known, others, 0.0).sum(axis=2, keepdims=True) / np.maximum(n, 1)
    pseudo = values[:, :, None] + (n - 1) * (mean - others)
    return Scores(
        judged.runs,
        pd.RangeIndex(touched.shape[0], name="group"),
        tuple(one.label for one in measures),
        np.where(known, pseudo, np.nan).transpose(0, 2, 1),
        np.array([one.higher for one in measures]),
        attributes(judged, measures),
    )


def of_users(measure: Measure) -> bool:
    """Return whether a measure uses the lengths of lists, so that users without a list count too."""
    return "lengths" in measure.entry.columns


def everyone(listed: Listed, answered: np.ndarray, label: str) -> tuple[Listed, np.ndarray]:
    """Return the lists of all users of a run table, judged or not, and a mask of the users with a list.

    A group of users has only judged lists, because the groups of other users are unknown.
    """
    rows: Rows | None = listed.rows  # none on Dask, which joins judged lists alone
    if rows is None or len(listed.topics) < len(rows.judged.queries):
        lost = 0 if rows is None else len(unique_values(rows.lists.query[rows.topic < 0]))
        if lost:
            warnings.warn(
                f"{lost:,} users with a list have no judgments; within groups, {label} does not count them. Evaluate "
                "the rows of each group separately to count them.",
                UserWarning,
                stacklevel=outside(),
            )
        kept = np.flatnonzero(answered.any(axis=1))
        return listed.keep_topics(kept), answered[kept]
    judged, topic = unjudged(rows.lists, rows.doc)
    there = np.zeros(
        (len(judged.queries), len(rows.lists.runs) + 1), dtype=bool
    )  # the last is a run without lists
    there[topic, rows.lists.run] = True
    all_runs = all_lists(rows._replace(judged=judged, topic=topic), listed.catalog, listed.depth)
    return all_runs.keep_runs(listed.runs), there[:, listed.runs]


def _spread(without: np.ndarray, touched: np.ndarray) -> np.ndarray:
    """Return the jackknife standard error, (measures, runs); NaN with fewer than two groups of users."""
    known = ~np.isnan(without) & touched.T
    n = known.sum(axis=2)
    mean = np.where(known, without, 0.0).sum(axis=2) / np.maximum(n, 1)
    away = np.where(known, (without - mean[:, :, None]) ** 2, 0.0).sum(axis=2)
    return np.sqrt(away * np.where(n > 1, n - 1, np.nan) / np.maximum(n, 1))


def _left_out(group: np.ndarray, count: int, items: int) -> Iterator[np.ndarray]:
    """Yield how often each user counts, (users, groups): all users once, then all but the group that is left out."""
    yield np.ones((len(group), 1))
    step = max(JACKKNIFE_CELLS // max(items, len(group), 1), 1)
    for at in range(0, count, step):
        yield (group[:, None] != np.arange(at, min(at + step, count))).astype(np.float64)


class _OfRun:
    """The lists of one run, and the values of measures of all of them."""

    def __init__(self, listed: Listed, run: int, topics: np.ndarray) -> None:
        self.listed, self.topics = listed.keep_topics(topics).keep_runs(np.array([run])), topics
        self.sparse_lists = cache(self._sparse_lists)

    def _sparse_lists(self, k: float, patience: float) -> tuple[Any, Any]:
        """Return sparse matrices: the items of each user, (items, users), and their number, (0 to k, users)."""
        code = self.listed.top(k)[:, :, 0]
        rank, user = np.nonzero(code >= 0)
        users, items = len(self.topics), len(self.listed.catalog.ids)
        shown = sparse.csr_matrix((patience**rank, (code[rank, user], user)), shape=(items, users))
        lengths = (code >= 0).sum(axis=0)
        return shown, sparse.csr_matrix(
            (np.ones(users), (lengths, np.arange(users))), shape=(len(code) + 1, users)
        )

    def value(self, measure: Measure, times: np.ndarray) -> np.ndarray:
        """Return the value of a measure for each column of `times`, which is how often each user counts."""
        entry, parameters = measure.entry, measure.parameters
        items, lengths = self.sparse_lists(
            parameters.get("k", np.inf), float(parameters.get("patience", 1.0))
        )
        counts = times[self.topics]
        of_lists: dict[str, Callable[[], Any]] = {
            "exposure": lambda: items @ counts,
            "lengths": lambda: lengths @ counts,
            "users": lambda: counts.sum(axis=0),
        }
        columns = [
            of_lists[name]()
            if name in of_lists
            else _item_column(self.listed.catalog, measure, name)
            for name in entry.columns
        ]
        with np.errstate(invalid="ignore", divide="ignore"):  # all users of the run may be left out
            value = np.asarray(entry.kernel(*columns, **parameters), dtype=np.float64)
        if value.shape != (times.shape[1],):
            raise ValueError(
                f"{measure.label} returned an array of shape {value.shape}, expected {times.shape[1]} numbers. A "
                "kernel of all lists returns one number for each column: reduce axis 0, e.g. with .sum(axis=0)."
            )
        return value


def _item_column(catalog: Catalog, measure: Measure, name: str) -> Any:
    """Return a column of the items that a kernel takes, of shape (items, 1); the number of items for "catalog"."""
    if name == "catalog":
        return float(len(catalog.ids))
    if name == "popularity":
        return popular(catalog, measure.label).popularity[:-1, None]
    if name == "features":
        catalog.needed(measure.label, "items")
        return catalog.features[:-1]
    numbers = catalog.numbers(name)
    if numbers is None:
        raise catalog.unknown(
            measure.label, name, f"a kernel of all lists also has {', '.join(COLUMNS)}"
        )
    return numbers[:-1, None]
