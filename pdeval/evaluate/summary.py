"""Summaries of scores: one row per run and measure, with its mean, spread and confidence interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.catalog.directions import known_of, limits_of
from pdeval.evaluate.aggregate_measures import of_sets, of_users
from pdeval.evaluate.cube import Scores, described_frame, run_columns, stacked
from pdeval.evaluate.groups import named
from pdeval.evaluate.ppi import estimates
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held, averaged, sd_over_replicates, sources, systems_of
from pdeval.join.judged import Judged
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb

table(
    "summary",
    "run measure n:int [n_machine:int] mean:float [sd:float] ci_low:float ci_high:float [replicates:int] "
    "[sd_replicates:float] [human:float machine:float lam:float df:float effective_n:float]",
    "summary",
    known_by="measure mean",
    row="run (or group) and measure",
    sort="run",
    then=".report(), .plot()",
    means={
        "mean": "the geometric mean, or the sum, where the measure says so (GMAP, the counts of trec_eval)",
        "replicates": "number of replicates of the system, where replicate= names what tells them apart",
        "sd_replicates": "standard deviation over replicates of the mean over queries",
        "n_machine": "queries that only a machine labelled; n are then those that people labelled",
        "human": "the mean of the n queries by people alone; `mean` is the prediction-powered estimate",
        "machine": "the mean of all queries by the machine alone, right or wrong",
        "lam": "lambda, how far the machine is trusted: 0 not at all",
        "df": "degrees of freedom of the interval, where a machine labelled too",
        "effective_n": "how many queries people alone would have to label for an interval as narrow",
    },
)
table(
    "wide_summary",
    "run",
    "wide summary",
    known_by="-",
    row="run (or group), one column per measure",
    unreported="report the summary itself: wide=False",
    undrawn="draw the summary itself: wide=False",
)


@verb(
    on=("scores", "judged"),
    per_measure=True,
    gives=("summary", "wide_summary"),
    core=True,
    machine=True,
)
def summary(
    held: Held,
    measures: object = MEASURES,
    *,
    wide: bool = False,
    confidence: float = 0.95,
    replicate: str | Sequence[str] | None = None,
    draws: int = 200,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return the scores summed up per run and measure.

    `sd` and the interval (Student's t over queries) are those of the values, on the log scale for a geometric mean, and
    missing for a sum. The interval stays within what the measure can be. With `replicate`, `sd_replicates` is how much
    the mean over queries varies between replicates. A measure of all lists together (Coverage@10, Gini@10) has no value
    per query: `mean` is its value, `sd` is missing, and the interval is that of other users, by the jackknife: for 95%
    it held in 94 to 100% of simulations. Every user with a list counts, as in `beyond`, whether judged or not; in
    groups (`by`) and on Dask those of the judgments. UserCoverage, which asks who has a list, counts the users that
    `topics` names.

    Where a machine labelled more queries than people did, `mean` and its interval are prediction-powered: they are
    about the mean that people would give, and valid whatever the machine is worth, where the queries that people
    labelled are a random sample of all. See `pdeval.evaluate.ppi`.

    Parameters
    ----------
    wide : bool
        One row per run, one column per measure, holding the means.
    draws : int
        In so many groups users are left out, for the intervals of measures of all lists together; 0 for none.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, metadata = pdeval.datasets.load_sample()
    >>> scores = runs.ireval.measure(qrels, ["AP", "RR"], topics="common")
    >>> scores.ireval.summary().head(2).round(3)
        run measure   n   mean     sd  ci_low  ci_high
    0  bm25      AP  48  0.324  0.155   0.279    0.369
    1  bm25      RR  48  0.735  0.343   0.635    0.835
    >>> scores.ireval.summary(by="family", metadata=metadata, replicate="run", wide=True).head(2).round(3)
       family     AP     RR
    0   dense  0.418  0.844
    1  fusion  0.499  0.855
    """
    names = None if replicate is None else named(replicate, "replicate")
    if isinstance(held, Judged):
        requested = parse_all(MEASURES if measures is None else measures)
        others = [measure for measure in requested if measure.entry.family != "set"]
        if len(others) < len(requested):
            return with_sets(
                held,
                requested,
                sources(held, others) if others else [],
                wide=wide,
                confidence=confidence,
                replicate=names,
                draws=draws,
                seed=seed,
            )
    cubes = sources(held, measures, machine=True)
    options: dict[str, Any] = {"confidence": confidence, "wide": wide, "replicate": names}
    return stacked([of_scores(cube, **options) for cube in cubes])  # type: ignore[arg-type]


def with_sets(
    held: Judged,
    requested: list[Measure],
    cubes: Sequence[object],
    *,
    wide: bool = False,
    confidence: float = 0.95,
    replicate: Sequence[str] | None = None,
    draws: int = 200,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return the summary of measures some of which are of all lists together; `cubes` are the scores of the others."""
    sets = [measure for measure in requested if measure.entry.family == "set"]
    parts = [
        of_sets(
            held,
            of_kind,
            confidence=confidence if draws > 1 else None,
            draws=draws,
            seed=seed,
            replicate=replicate,
        )
        for kind in (False, True)
        if (of_kind := [measure for measure in sets if of_users(measure) == kind])
    ]
    parts += [of_scores(cube, confidence=confidence, replicate=replicate) for cube in cubes]  # type: ignore[arg-type]
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
) -> pd.DataFrame:
    """Return the summary of a cube of scores; without confidence, without intervals."""
    if not isinstance(scores, Scores):
        raise ValueError("a summary is of measures of one ranking; preferences have .mean().")
    if confidence is not None and not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r}: give a share between 0 and 1, e.g. 0.95.")
    known = [known_of(label, scores.attrs) for label in scores.measures]
    aggregates = ["mean" if about is None else about["aggregate"] for about in known]
    with_interval = confidence if not wide else None
    parts: list[dict[str, np.ndarray]] = [{} for _ in aggregates]
    if replicate is not None:
        _, system = systems_of(scores.runs, replicate)
        for number, aggregate in enumerate(aggregates):
            means = _of_measure(scores, number, aggregate, None)["mean"]
            parts[number] |= {
                "replicates": np.bincount(system),
                "sd_replicates": sd_over_replicates(means, system),
            }
        scores = averaged(scores, replicate)  # type: ignore[assignment]
    extra = list(parts[0])
    for number, (label, aggregate) in enumerate(zip(scores.measures, aggregates)):
        part = _of_measure(scores, number, aggregate, with_interval)
        if with_interval is not None:
            low, high = limits_of(label, scores.values[number], scores.attrs)
            # a prediction-powered estimate may be beyond the limits, and its interval contains it
            limits = np.fmin(low, part["mean"]), np.fmax(high, part["mean"])
            part |= {name: np.clip(part[name], *limits) for name in ("ci_low", "ci_high")}
        parts[number] = {**part, **parts[number]}
    run, measure = np.divmod(np.arange(len(scores.runs) * len(aggregates)), len(aggregates))
    columns = {
        **run_columns(scores.runs, run),
        "measure": labels(pd.Index(scores.measures), measure),
    }
    names = (
        "n",
        "mean",
        "sd",
        *(("ci_low", "ci_high") if with_interval is not None else ()),
        *extra,
    )
    for name in names if scores.machine is None else parts[0]:
        columns[name] = np.stack([part[name] for part in parts], axis=1).ravel()
    attrs = scores.attrs if scores.machine is None else {**scores.attrs, "confidence": confidence}
    frame = described_frame(columns, attrs)
    return widened(frame, list(scores.runs.columns)) if wide else frame


def _of_measure(
    scores: Scores,
    number: int,
    aggregate: str,
    confidence: float | None,
) -> dict[str, np.ndarray]:
    """Return the statistics of one measure: prediction-powered if a machine labelled too."""
    if scores.machine is None:
        return _of_values(scores.values[number], aggregate, confidence)
    estimate = estimates(scores, number)
    low, high = estimate.interval(0.95 if confidence is None else confidence)
    names = (
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
    )
    interval = {"ci_low": low, "ci_high": high}
    return {name: interval[name] if name in interval else getattr(estimate, name) for name in names}


def _of_values(
    values: np.ndarray, aggregate: str, confidence: float | None
) -> dict[str, np.ndarray]:
    """Return the statistics of values (queries, runs), NaN where a query does not count."""
    known = ~np.isnan(values)
    if aggregate == "sum":
        missing = np.full(values.shape[1], np.nan)
        total = np.where(known, values, 0.0).sum(axis=0)
        return {
            "n": known.sum(axis=0),
            "mean": total,
            "sd": missing,
            "ci_low": missing,
            "ci_high": missing,
        }
    geometric = aggregate == "geometric mean"
    if geometric:
        values = np.where(known, np.log(np.where(known, values, 1.0)), np.nan)
    n, mean, sd = mean_and_sd(values)
    statistics = {"mean": mean}
    if confidence is not None:
        from scipy import (
            special,
        )  # a tenth of a second, the first time: only if an interval is wanted

        with np.errstate(invalid="ignore", divide="ignore"):
            half = special.stdtrit(np.maximum(n - 1, 1), (1 + confidence) / 2) * sd / np.sqrt(n)
        statistics |= {"ci_low": mean - half, "ci_high": mean + half}
    if geometric:
        statistics = {name: np.exp(value) for name, value in statistics.items()}
    return {"n": n, "sd": sd, **statistics}


def mean_and_sd(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the number, the mean and the standard deviation of each column, over what is not NaN."""
    known = ~np.isnan(values)
    n = known.sum(axis=0)
    filled = np.where(known, values, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        # adds query after query: equal systems stay exactly equal
        average = np.add.accumulate(filled, axis=0)[-1] / n
        squares = np.where(known, (filled - average) ** 2, 0.0).sum(axis=0)
        return n, average, np.sqrt(squares / np.where(n > 1, n - 1, np.nan))


def over_queries(values: np.ndarray, aggregate: str) -> np.ndarray:
    """Return what values (queries, runs) come to over the queries that count: NaN where there are none.

    Examples
    --------
    >>> over_queries(np.array([[0.1, np.nan], [0.3, np.nan]]), "mean").tolist()
    [0.2, nan]
    """
    statistics = _of_values(values, aggregate, None)
    return np.where(statistics["n"] > 0, statistics["mean"], np.nan)


def widened(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the means as one row per run and one column per measure, in the order asked.

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
