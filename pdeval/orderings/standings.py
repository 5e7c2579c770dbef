"""The standing of runs under several judgments: the same join ordered again and again, as arrays to compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.judged.judged import Judged
from pdeval.kinds.labels import labels
from pdeval.orderings.methods import Method
from pdeval.orderings.order import of_judged


@dataclass(frozen=True)
class Standing:
    """Runs ordered by several measures: `score` and `rank` have one row per (measure, method), one column per run."""

    keys: list[tuple[str, str]]
    queries: np.ndarray
    score: np.ndarray
    rank: np.ndarray

    def columns(self, key: np.ndarray) -> dict[str, Any]:
        """Return the measure and method columns of some keys."""
        found = {}
        for name, values in zip(("measure", "method"), zip(*self.keys)):
            found[name] = labels(pd.Index(values), key)
        return found


def standing(
    judged: Judged, measures: object, *, method: Method | Sequence[Method] | None = None, tell: bool = True
) -> Standing:
    """Return how the runs of a join stand by each measure and method.

    Parameters
    ----------
    measures : name or names
        Measures of one ranking, ordered by their mean, and preferences, ordered by their win rates.
    method : str or list of str, optional
        Another way to order; see `pdeval.orderings.order.order`.
    tell : bool
        Warn where judged queries are missing from a run.

    Examples
    --------
    >>> import pdeval
    >>> found = standing(pdeval.datasets.sample_judged(topics="common"), ["AP", "RPP"])
    >>> found.keys, found.rank.shape
    ([('AP', 'mean'), ('RPP', 'winrate')], (2, 12))
    """
    asked = parse_all(measures)
    frame = of_judged(judged, asked, method=method, tell=tell)
    keys = list(dict.fromkeys(zip(frame["measure"].astype(str), frame["method"].astype(str))))
    runs = judged.runs
    place = {run: number for number, run in enumerate(runs.itertuples(index=False, name=None))}
    run = np.array([place[one] for one in frame[list(runs.columns)].itertuples(index=False, name=None)])
    row = np.repeat(np.arange(len(keys)), len(place))
    score, rank = np.empty((2, len(keys), len(place)))
    score[row, run], rank[row, run] = frame["score"], frame["rank"]
    count = {one.label: int(judged.counted(one.level).any(axis=1).sum()) for one in asked}
    return Standing(keys, np.array([count[measure] for measure, _ in keys]), score, rank)
