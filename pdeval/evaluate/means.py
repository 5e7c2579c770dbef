"""System-level preferences: the mean over queries, as a tidy table or as a square."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.choice import baselines_of
from pdeval.evaluate.cube import Preferences, Scores, stacked
from pdeval.evaluate.pairs import Pairs, select
from pdeval.evaluate.sources import Held, sources
from pdeval.judged.judged import Judged
from pdeval.kinds.labels import labels, run_labels
from pdeval.kinds.schemas import table
from pdeval.mechanics.arguments import shown
from pdeval.verbs import verb

table(
    "means",
    "run_a run_b measure n:int mean:float sd:float",
    "table of mean preferences",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    then=".report(), .plot()",
    means={"mean": "positive where run_a is the better one"},
)


def _chosen(judged: Judged, given: dict[str, Any]) -> list[Any]:
    return [select(judged, given["measures"], baseline=given.pop("baseline", None))]


@verb(on=("preferences", "judged"), gives="means", per_measure=True, source=_chosen)
def mean(held: Held, measures: object = ("RPP",), *, baseline: object = None) -> pd.DataFrame:
    """Return the mean preference of each pair of runs over the queries.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        For runs what to compute, for a preferences table which of its measures to use; by default all of them.
    baseline : run, or list of them, optional
        Only pairs of a run with this one, or with one of these.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").prefer("RPP").ireval.mean().head(2).round(3)
      run_a     run_b measure   n   mean     sd
    0  bm25  bm25+rm3     RPP  48 -0.080  0.473
    1  bm25  dense-s1     RPP  48 -0.356  0.496
    """
    return stacked([of_pairs(one) for one in preferences(held, measures, baseline=baseline)])


def preferences(held: Held, measures: object, *, baseline: object = None) -> list[Preferences | Pairs]:
    """Return the preferences that a table holds or a join gives, of all pairs or of those with a baseline."""
    if isinstance(held, Judged):
        return [select(held, measures, baseline=baseline)]
    found = sources(held, measures)
    kept = [one for one in found if not isinstance(one, Scores)]
    if len(kept) < len(found):
        raise ValueError("means are of preferences between runs; scores have .summary().")
    return [one if baseline is None or isinstance(one, Pairs) else with_baseline(one, baseline) for one in kept]


def with_baseline(source: Preferences, baseline: object) -> Preferences:
    """Return the pairs of a table that have the baseline, or one of several, which is then run_b."""
    rows = baselines_of(source.runs, baseline)
    first = np.full(len(source.runs), len(rows))
    first[rows] = np.arange(len(rows))
    kept = np.flatnonzero(np.minimum(first[source.a], first[source.b]) < len(rows))
    kept = kept[np.argsort(np.minimum(first[source.a], first[source.b])[kept], kind="stable")]
    flipped = first[source.a[kept]] < first[source.b[kept]]
    values = np.where(flipped, 0.0 - source.values[:, :, kept], source.values[:, :, kept])
    a, b = np.where(flipped, source.b[kept], source.a[kept]), np.where(flipped, source.a[kept], source.b[kept])
    return replace(source, a=a, b=b, values=values)


def of_pairs(source: Preferences | Pairs) -> pd.DataFrame:
    """Return the mean of each pair of a cube or a stream of preferences."""
    n_pairs = len(source.a)
    parts = []
    for number in range(len(source.measures)):
        part = {name: np.zeros(n_pairs) for name in ("n", "mean", "sd")}
        for block, values in source.blocks(number):
            known = ~np.isnan(values)
            _finite(values, source.measures[number])
            n = known.sum(axis=0)
            filled = np.where(known, values, 0.0)
            with np.errstate(invalid="ignore", divide="ignore"):
                average = np.add.accumulate(filled, axis=0)[-1] / n
                away = np.where(known, (filled - average) ** 2, 0.0).sum(axis=0)
                part["sd"][block] = np.sqrt(away / np.where(n > 1, n - 1, np.nan))
            part["n"][block], part["mean"][block] = n, average
        parts.append(part)
    pair, measure = np.tile(np.arange(n_pairs), len(parts)), np.repeat(np.arange(len(parts)), n_pairs)
    columns = {}
    for side, place in (("a", source.a), ("b", source.b)):
        for name in source.runs.columns:
            columns[f"{name}_{side}"] = labels(source.runs[name], place[pair])
    columns["measure"] = labels(pd.Index(source.measures), measure)
    for name in ("n", "mean", "sd"):
        values = np.concatenate([part[name] for part in parts])
        columns[name] = values.astype(np.int64) if name == "n" else values
    frame = pd.DataFrame(columns)
    frame.attrs.update(source.attrs)
    return frame


def _finite(values: np.ndarray, measure: str) -> None:
    endless = int(np.isinf(values).sum())
    if endless:
        raise ValueError(
            f"{measure!r} has {endless:,} infinite preferences, which have no mean: one run never found the item. "
            "Choose a measure with a finite worst case."
        )


@verb(on=("preferences", "judged"), gives="matrix")
def matrix(held: Held, measure: object = None) -> pd.DataFrame:
    """Return the mean preference of row over column as a square frame, antisymmetric.

    Parameters
    ----------
    measure : str or Measure, optional
        Which one; for runs RPP by default, for a preferences table the only one that it has.

    Examples
    --------
    >>> import pdeval
    >>> prefs = pdeval.datasets.sample_judged(topics="common").prefer("RPP")
    >>> prefs.ireval.matrix().iloc[:2, :3].round(3)
    run_b     bm25  bm25+rm3  dense-s1
    run_a
    bm25      0.00     -0.08    -0.356
    bm25+rm3  0.08      0.00    -0.286
    """
    if isinstance(held, Judged):
        source, measure = preferences(held, ["RPP" if measure is None else measure])[0], None
    else:
        source = preferences(held, None)[0]
    names = list(source.measures)
    if measure is None:
        if len(names) > 1:
            raise ValueError(
                f"a matrix shows one measure; the table has {', '.join(names)}. Say which: matrix({names[0]!r})."
            )
        measure = names[0]
    if (label := str(measure)) not in names:
        raise KeyError(f"no measure {shown(measure)} in this table; it has {', '.join(map(repr, names))}.")
    square = np.full((len(source.runs), len(source.runs)), np.nan)
    np.fill_diagonal(square, 0.0)
    for block, values in source.blocks(names.index(label)):
        _finite(values, label)
        with np.errstate(invalid="ignore"):
            average = np.nansum(values, axis=0) / (~np.isnan(values)).sum(axis=0)
        a, b = source.a[block], source.b[block]
        square[a, b] = average
        square[b, a] = 0.0 - average
    runs = pd.Index(run_labels(source.runs))
    frame = pd.DataFrame(square, index=runs.rename("run_a"), columns=runs.rename("run_b"))
    frame.attrs.update({**source.attrs, "measure": label})
    return frame
