"""Summaries of scores: one row per run and measure, with its mean, spread and confidence interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdeval.catalog import parse
from pdeval.evaluate.cube import Scores
from pdeval.kinds.labels import labels


def aggregate_of(label: str) -> str:
    """Return how a measure is summed up over queries: 'mean', 'geometric mean' or 'sum'.

    Examples
    --------
    >>> aggregate_of("AP"), aggregate_of("GMAP"), aggregate_of("my own column")
    ('mean', 'geometric mean', 'mean')
    """
    try:
        return parse(label).entry.aggregate
    except (KeyError, ValueError):
        return "mean"


def summary(scores: Scores, *, confidence: float = 0.95, wide: bool = False) -> pd.DataFrame:
    """Return per run and measure: n, mean, sd, and the confidence interval of the mean.

    `mean` is the geometric mean, or the sum, where the measure says so (GMAP, the counts of trec_eval); sd and the
    interval (Student's t over queries) are those of the values, on the log scale for a geometric mean, and missing
    for a sum.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> summary(joined.scores("AP")).columns.tolist()
    ['run', 'measure', 'n', 'mean', 'sd', 'ci_low', 'ci_high']
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r}: give a share between 0 and 1, e.g. 0.95.")
    parts = [
        _of_values(values, aggregate_of(label), confidence) for values, label in zip(scores.values, scores.measures)
    ]
    n_measures, n_runs = len(scores.measures), len(scores.runs)
    run, measure = np.divmod(np.arange(n_runs * n_measures), n_measures)
    columns = {name: labels(scores.runs[name], run) for name in scores.runs.columns}
    columns["measure"] = labels(pd.Index(scores.measures), measure)
    for name in ("n", "mean", "sd", "ci_low", "ci_high"):
        columns[name] = np.stack([part[name] for part in parts], axis=1).ravel()
    frame = pd.DataFrame(columns)
    frame.attrs.update(scores.attrs)
    return widened(frame, list(scores.runs.columns)) if wide else frame


def _of_values(values: np.ndarray, aggregate: str, confidence: float) -> dict[str, np.ndarray]:
    """Return the statistics of values (queries, runs), NaN where a query does not count."""
    from scipy import stats

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
        half = stats.t.ppf((1 + confidence) / 2, np.maximum(n - 1, 1)) * spread / np.sqrt(n)
    bounds = {"mean": mean, "ci_low": mean - half, "ci_high": mean + half}
    if aggregate == "geometric mean":
        bounds = {name: np.exp(value) for name, value in bounds.items()}
    return {"n": n, "sd": spread, **bounds}


def widened(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the means as one row per run and one column per measure, in the order asked.

    Examples
    --------
    >>> frame = pd.DataFrame({"run": ["a", "a"], "measure": ["AP", "RR"], "mean": [0.1, 0.2]})
    >>> widened(frame, ["run"]).to_dict("records")
    [{'run': 'a', 'AP': 0.1, 'RR': 0.2}]
    """
    measures = list(dict.fromkeys(frame["measure"].astype(str)))
    table = frame.pivot(index=by, columns="measure", values="mean")[measures].reset_index()
    table.columns = [str(name) for name in table.columns]
    table.attrs.update(frame.attrs)
    return table


def summary_by(
    frame: pd.DataFrame, by: str | Sequence[str], *, query: str, measure: str, value: str, confidence: float, wide: bool
) -> pd.DataFrame:
    """Return the summary of groups of runs: each query's values are averaged over the group's runs first.

    Examples
    --------
    >>> frame = pd.DataFrame({"family": "x", "q": ["1", "2"], "m": "AP", "v": [0.2, 0.4]})
    >>> summary_by(frame, "family", query="q", measure="m", value="v", confidence=0.9, wide=False)["mean"].tolist()
    [0.30000000000000004]
    """
    names = [by] if isinstance(by, str) else list(by)
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise KeyError(
            f"no column {missing[0]!r} to group by; the table has {', '.join(map(str, frame.columns))}. "
            "Join the metadata first, e.g. scores.merge(metadata, on='run')."
        )
    fixed = [name for name in names if name in (query, measure, value)]
    if fixed:
        raise ValueError(
            f"by={fixed[0]!r}: a summary is over queries, for each measure; group by the run, or by metadata that was "
            "joined on."
        )
    lacking = frame[names].isna().any(axis=1)
    if lacking.any():
        raise ValueError(
            f"{int(lacking.sum()):,} rows have no {' or '.join(map(str, names))}; fill it, or drop those rows first."
        )
    grouped = frame.groupby([*names, measure, query], observed=True, sort=True)[value].mean().reset_index()
    groups, code = np.unique(grouped.groupby(names, observed=True, sort=True).ngroup(), return_inverse=True)
    first = grouped.groupby(names, observed=True, sort=True).head(1)[names].sort_values(names).reset_index(drop=True)
    measures = tuple(dict.fromkeys(frame[measure].astype(str)))
    queries, q = np.unique(grouped[query].astype(object).astype(str), return_inverse=True)
    values = np.full((len(measures), len(queries), len(groups)), np.nan)
    m = grouped[measure].astype(str).map({label: i for i, label in enumerate(measures)}).to_numpy()
    values[m, q, code] = grouped[value].to_numpy()
    cube = Scores(first, pd.Index(queries, name=query), measures, values, np.ones(len(measures), dtype=bool))
    return summary(cube, confidence=confidence, wide=wide)
