"""Ties between rankings: how many there are under each measure, at each recall level, and given the first item."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.scores import Views
from pdeval.evaluate.sources import Held
from pdeval.experiments.agreement import Per
from pdeval.experiments.side_by_side import of_all_measures, stream_of, together
from pdeval.judged.judged import Judged
from pdeval.kernels.levels import share
from pdeval.kinds.labels import labels
from pdeval.kinds.schemas import table
from pdeval.mechanics.arguments import one_of, whole
from pdeval.mechanics.equality import apart, equal_pairs, pairs_of
from pdeval.verbs import verb

MEANS = {
    "pairs": "number of (query, pair of runs)",
    "ties": "how many of those pairs are tied",
    "tied": "share of those pairs that is tied, missing where there are none",
}

table(
    "ties",
    "[query] measure pairs:int ties:int tied:share",
    "table of ties",
    row="measure (and query, with per='query')",
    sort="measure query",
    then=".report()",
    means=MEANS,
    undrawn="it is one number per measure; .ties.by_recall() is drawn",
)
table(
    "ties_by_recall",
    "recall:int pairs:int ties:int tied:share",
    "table of ties by recall level",
    row="recall level",
    sort="recall",
    then=".plot()",
    means={"recall": "the recall level, from 1", **MEANS},
    unreported="it has a row per recall level; draw it: .plot()",
)
table(
    "ties_by_first",
    "p1:int pairs:int ties:int tied:share",
    "table of ties by the rank of the first relevant item",
    row="rank of the first relevant item",
    sort="p1",
    then=".plot()",
    means={
        "p1": "the rank of the first relevant item of a run",
        "pairs": "number of (query, run with that rank, other run), so that two runs may count both ways",
        "ties": "how many of the other runs have their first relevant item at that rank too",
        "tied": "share of those pairs that is tied",
    },
    unreported="it has a row per rank; draw it: .plot()",
)


@verb(on=("scores", "preferences", "judged"), gives="ties", per_measure=True, source=of_all_measures)
def ties(
    held: Held,
    measures: object = ("RR", "sgnLP"),
    *,
    per: Per = "all",
    baseline: object = None,
    pairs: object = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the share of pairs of runs on the same query that each measure leaves tied.

    Values that differ by rounding only, 1e-12 of their size, are tied.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        For runs which measures and preferences to compute; for a table of results which of its measures to use, by
        default all of them.
    per : {'all', 'query'}
        Over all queries together, or one row for every query.
    baseline : run, optional
        Only pairs of a run with this one.
    pairs : list of (run_a, run_b), or DataFrame of both, optional
        Only these pairs; by default every pair once.
    progress : bool, optional
        Show a bar; by default after a second, to a person.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Table 3.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").ties(["RR", "P@10", "sgnLP"]).round(3)
      measure  pairs  ties   tied
    0      RR   3168  1802  0.569
    1    P@10   3168   516  0.163
    2   sgnLP   3168     0  0.000
    """
    one_of("per", per, ("all", "query"))
    stream = stream_of(held, measures, baseline=baseline, pairs=pairs)
    counts = np.zeros((2, len(stream.measures), len(stream.queries)), dtype=np.int64)
    for block in together(stream, desc="ties", progress=progress):
        for m, values in enumerate(block):
            known = ~np.isnan(values)
            counts[:, m] += known.sum(axis=1), ((values == 0) & known).sum(axis=1)
    if per == "all":
        counts = counts.sum(axis=2, keepdims=True)
    measure, query = (axis.ravel() for axis in np.indices(counts.shape[1:]))
    columns: dict[str, Any] = {} if per == "all" else {str(stream.queries.name): labels(stream.queries, query)}
    columns["measure"] = labels(pd.Index(stream.measures), measure)
    return _rates(columns, counts[0].ravel(), counts[1].ravel(), stream.attrs)


@verb(
    on="judged",
    gives="ties_by_recall",
    family="ties",
    name="by_recall",
    needs="relevant",
    formerly="ties_by_level",
)
def ties_by_recall(judged: Judged, *, levels: int | None = 20) -> pd.DataFrame:
    """Return the share of pairs of runs that are tied at each recall level: both find the i-th relevant item there.

    Two runs that both lack the item are tied. A query has as many recall levels as relevant items, and counts only in
    these.

    Parameters
    ----------
    levels : int or None
        The first so many recall levels; None for all.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 5.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").ties.by_recall(levels=3).round(3)
       recall  pairs  ties   tied
    0       1   3168  1802  0.569
    1       2   3168  1287  0.406
    2       3   3168   815  0.257
    """
    if levels is not None:
        whole("levels", levels, 1)
    counts = judged.counted()
    judged.tell(counts)
    deepest, parts = 0, []
    for block in Views(judged).blocks("binary", judged.level):
        rank = block["rank"][:levels]
        here = counts[block.topics]
        tied = np.array([equal_pairs(apart(row, here)).sum() for row in rank], dtype=np.int64)
        parts.append((tied, pairs_of(here.sum(axis=1)).sum()))
        deepest = max(deepest, len(rank))
    found = np.zeros((2, deepest), dtype=np.int64)
    for tied, total in parts:
        found[0, : len(tied)] += total
        found[1, : len(tied)] += tied
    return _rates({"recall": np.arange(1, deepest + 1)}, found[0], found[1], judged.attrs)


@verb(
    on="judged",
    gives="ties_by_first",
    family="ties",
    name="by_first",
    needs="relevant",
    formerly="ties_by_first",
)
def ties_by_first(judged: Judged) -> pd.DataFrame:
    """Return how likely another run's first relevant item is at the same rank, given the rank of a run's own.

    Runs without a relevant item are never the given one, but may be the other. In theory:
    `pdeval.experiments.tie_probability`.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 3.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").ties.by_first().head(3).round(3)
       p1  pairs  ties   tied
    0   1   4521  3454  0.764
    1   2    858   122  0.142
    2   3    319    16  0.050
    """
    counts = judged.counted()
    judged.tell(counts)
    found = []
    for block in Views(judged).blocks("binary", judged.level):
        if block.size:
            here = counts[block.topics]
            row, run = np.nonzero(here & np.isfinite(block["rank"][0]))
            first = block["rank"][0][row, run].astype(np.int64)
            found.append(np.stack([block.topics[row], first, here.sum(axis=1)[row] - 1]))
    topic, p1, others = np.concatenate([np.zeros((3, 0), dtype=np.int64), *found], axis=1)
    _, cell, alike = np.unique(topic * (p1.max(initial=0) + 1) + p1, return_inverse=True, return_counts=True)
    total, tied = (np.bincount(p1, weights=count) for count in (others, alike[cell] - 1))
    ranks = np.flatnonzero(total)
    return _rates({"p1": ranks}, total[ranks].astype(np.int64), tied[ranks].astype(np.int64), judged.attrs)


def _rates(columns: dict[str, Any], pairs: np.ndarray, tied: np.ndarray, attrs: dict[str, Any]) -> pd.DataFrame:
    rate = np.where(pairs > 0, share(tied, pairs), np.nan)
    frame = pd.DataFrame({**columns, "pairs": pairs, "ties": tied, "tied": rate})
    frame.attrs.update(attrs)
    return frame
