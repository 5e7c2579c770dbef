"""Summaries of scores: one row per run and measure, with its mean, spread and confidence interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.catalog.directions import known_of, limits_of
from pdeval.evaluate.aggregate_measures import of_sets, of_users
from pdeval.evaluate.cube import Scores, stacked
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


@verb(on=("scores", "judged"), per_measure=True, gives=("summary", "wide_summary"), core=True, machine=True)
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
        asked = parse_all(MEASURES if measures is None else measures)
        if any(one.entry.family == "set" for one in asked):
            rest = [one for one in asked if one.entry.family != "set"]
            cubes = sources(held, rest) if rest else []
            return with_sets(
                held, asked, cubes, wide=wide, confidence=confidence, replicate=names, draws=draws, seed=seed
            )
    found = sources(held, measures, machine=True)
    return stacked([of_scores(one, confidence=confidence, wide=wide, replicate=names) for one in found])  # type: ignore[arg-type]


def with_sets(
    held: Judged,
    asked: list[Measure],
    cubes: Sequence[object],
    *,
    wide: bool = False,
    confidence: float = 0.95,
    replicate: Sequence[str] | None = None,
    draws: int = 200,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return the summary of measures some of which are of all lists together; `cubes` are the scores of the others."""
    sets = [one for one in asked if one.entry.family == "set"]
    told = confidence if draws > 1 else None
    kinds = [[one for one in sets if of_users(one) == kind] for kind in (False, True)]
    parts = [
        of_sets(held, some, confidence=told, draws=draws, seed=seed, replicate=replicate) for some in kinds if some
    ]
    parts += [of_scores(one, confidence=confidence, replicate=replicate) for one in cubes]  # type: ignore[arg-type]
    return _in_order(parts, [one.label for one in asked], wide=wide)


def _in_order(parts: list[pd.DataFrame], asked: list[str], *, wide: bool) -> pd.DataFrame:
    """Return summaries of the same runs as one: run by run, measures as asked."""
    runs = list(parts[0].columns[: list(parts[0].columns).index("measure")])
    whole = stacked(parts)
    run = whole.groupby(runs, sort=False, dropna=False, observed=True).ngroup().to_numpy() if runs else 0
    place = pd.Index(asked).get_indexer(pd.Index(whole["measure"].astype(str)))
    frame = whole.take(np.lexsort((place, np.broadcast_to(run, len(whole))))).reset_index(drop=True)
    frame.attrs.update(whole.attrs)
    return widened(frame, runs) if wide else frame


def of_scores(
    scores: Scores, *, confidence: float | None = 0.95, wide: bool = False, replicate: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return the summary of a cube of scores; without confidence, without intervals."""
    if not isinstance(scores, Scores):
        raise ValueError("a summary is of measures of one ranking; preferences have .mean().")
    if confidence is not None and not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r}: give a share between 0 and 1, e.g. 0.95.")
    known = [known_of(label, scores.attrs) for label in scores.measures]
    ways = ["mean" if one is None else one["aggregate"] for one in known]
    varied: list[dict[str, np.ndarray]] = [{} for _ in ways]
    if replicate is not None:
        each, scores = scores, averaged(scores, replicate)  # type: ignore[assignment]
        varied = [_varied(each, number, way, replicate) for number, way in enumerate(ways)]
    told = None if wide else confidence  # a wide table has no room for intervals
    parts = [{**_of_measure(scores, number, way, told), **more} for number, (way, more) in enumerate(zip(ways, varied))]
    for label, values, part in zip(scores.measures, scores.values, parts if told is not None else ()):
        low, high = limits_of(label, values, scores.attrs)
        # a prediction-powered estimate may be beyond the limits, and its interval holds it
        limits = np.fmin(low, part["mean"]), np.fmax(high, part["mean"])
        part |= {name: np.clip(part[name], *limits) for name in ("ci_low", "ci_high")}
    n_measures, n_runs = len(scores.measures), len(scores.runs)
    run, measure = np.divmod(np.arange(n_runs * n_measures), n_measures)
    columns = {name: labels(scores.runs[name], run) for name in scores.runs.columns}
    columns["measure"] = labels(pd.Index(scores.measures), measure)
    names = ("n", "mean", "sd", *(("ci_low", "ci_high") if told is not None else ()), *varied[0])
    for name in names if scores.machine is None else parts[0]:
        columns[name] = np.stack([part[name] for part in parts], axis=1).ravel()
    frame = pd.DataFrame(columns)
    frame.attrs.update(scores.attrs if scores.machine is None else {**scores.attrs, "confidence": confidence})
    return widened(frame, list(scores.runs.columns)) if wide else frame


def _of_measure(scores: Scores, number: int, aggregate: str, confidence: float | None) -> dict[str, np.ndarray]:
    """Return the statistics of one measure: prediction-powered where a machine labelled too."""
    if scores.machine is None:
        return _of_values(scores.values[number], aggregate, confidence)
    made = estimates(scores, number)
    low, high = made.interval(0.95 if confidence is None else confidence)
    names = ("human", "machine", "lam", "df", "effective_n")
    columns = {"n": made.n, "n_machine": made.n_machine, "mean": made.mean, "ci_low": low, "ci_high": high}
    return columns | {name: getattr(made, name) for name in names}


def _of_values(values: np.ndarray, aggregate: str, confidence: float | None) -> dict[str, np.ndarray]:
    """Return the statistics of values (queries, runs), NaN where a query does not count."""
    known = ~np.isnan(values)
    n = known.sum(axis=0)
    filled = np.where(known, values, 0.0)
    if aggregate == "sum":
        nothing = np.full(len(n), np.nan)
        return {"n": n, "mean": filled.sum(axis=0), "sd": nothing, "ci_low": nothing, "ci_high": nothing}
    if aggregate == "geometric mean":
        filled = np.where(known, np.log(np.where(known, values, 1.0)), 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        # adds query after query: equal systems stay exactly equal
        mean = np.add.accumulate(filled, axis=0)[-1] / n
        spread = np.sqrt(np.where(known, (filled - mean) ** 2, 0.0).sum(axis=0) / np.where(n > 1, n - 1, np.nan))
    bounds = {"mean": mean}
    if confidence is not None:
        from scipy import special  # a tenth of a second, the first time: only where an interval is wanted

        with np.errstate(invalid="ignore", divide="ignore"):
            half = special.stdtrit(np.maximum(n - 1, 1), (1 + confidence) / 2) * spread / np.sqrt(n)
        bounds |= {"ci_low": mean - half, "ci_high": mean + half}
    if aggregate == "geometric mean":
        bounds = {name: np.exp(value) for name, value in bounds.items()}
    return {"n": n, "sd": spread, **bounds}


def over_queries(values: np.ndarray, aggregate: str) -> np.ndarray:
    """Return what values (queries, runs) come to over the queries that count: NaN where there are none.

    Examples
    --------
    >>> over_queries(np.array([[0.1, np.nan], [0.3, np.nan]]), "mean").tolist()
    [0.2, nan]
    """
    found = _of_values(values, aggregate, None)
    return np.where(found["n"] > 0, found["mean"], np.nan)


def _varied(scores: Scores, number: int, aggregate: str, replicate: Sequence[str]) -> dict[str, np.ndarray]:
    """Return how many replicates each system has, and how much their means over queries vary."""
    _, system = systems_of(scores.runs, replicate)
    means = _of_measure(scores, number, aggregate, None)["mean"]
    return {"replicates": np.bincount(system), "sd_replicates": sd_over_replicates(means, system)}


def widened(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the means as one row per run and one column per measure, in the order asked.

    Examples
    --------
    >>> frame = pd.DataFrame({"run": ["a", "a"], "measure": ["AP", "RR"], "mean": [0.1, 0.2]})
    >>> widened(frame, ["run"]).to_dict("records")
    [{'run': 'a', 'AP': 0.1, 'RR': 0.2}]
    """
    measures = list(dict.fromkeys(frame["measure"].astype(str)))
    if not by:  # one system, which a group names
        table = pd.DataFrame([frame["mean"].to_numpy()], columns=measures)
        table.attrs.update(frame.attrs)
        return table
    table = frame.pivot(index=by, columns="measure", values="mean")[measures].reset_index()
    table.columns = [str(name) for name in table.columns]
    table.attrs.update(frame.attrs)
    return table
