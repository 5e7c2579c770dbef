"""The standing of runs under several judgments: the same join ordered again and again, as arrays to compare."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate import scores as evaluate
from pdeval.evaluate import winrates
from pdeval.evaluate.cube import stacked
from pdeval.evaluate.pairs import select
from pdeval.evaluate.scores import Topics
from pdeval.judged.positions import Positions
from pdeval.kinds.labels import labels
from pdeval.orderings import order as methods


@dataclass(frozen=True)
class Standing:
    """Runs ordered by several measures: `score` and `rank` have a row a (measure, method) and a column a run."""

    keys: list[tuple[str, str]]
    queries: np.ndarray
    score: np.ndarray
    rank: np.ndarray

    def columns(self, key: np.ndarray) -> dict[str, Any]:
        """Return the measure and method columns of some keys."""
        found = {}
        for name, values in zip(("measure", "method"), zip(*self.keys)):
            different = list(dict.fromkeys(values))
            codes = np.array([different.index(value) for value in values])
            found[name] = labels(pd.Index(different), codes[key])
        return found


def standing(
    positions: Positions,
    measures: object,
    *,
    method: Any = None,
    level: float | None = None,
    topics: Topics = "relevant",
    tell: bool = True,
) -> Standing:
    """Return how the runs of a join stand by each measure and method.

    Parameters
    ----------
    measures : name or names
        Measures of one ranking, ordered by their mean, and preferences, ordered by their win rates.
    method : str or list of str, optional
        Another way to order; see `pdeval.orderings.order`.
    level, topics, tell
        As in `pdeval.evaluate.scores`.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> found = standing(joined.positions, ["AP", "RPP"])
    >>> found.keys, found.rank.shape
    ([('AP', 'mean'), ('RPP', 'winrate')], (2, 12))
    """
    asked = parse_all(measures)
    rules: dict[str, Any] = {"level": level, "topics": topics}
    frame = order(positions, asked, method=method, tell=tell, **rules)
    keys = list(dict.fromkeys(zip(frame["measure"].astype(str), frame["method"].astype(str))))
    place = {run: number for number, run in enumerate(positions.runs.itertuples(index=False, name=None))}
    run = np.array([place[one] for one in frame[list(positions.runs.columns)].itertuples(index=False, name=None)])
    row = np.repeat(np.arange(len(keys)), len(place))
    score, rank = np.empty((2, len(keys), len(place)))
    score[row, run], rank[row, run] = frame["score"], frame["rank"]
    return Standing(keys, _queries(positions, asked, keys, rules), score, rank)


def order(
    positions: Positions,
    measures: object,
    *,
    level: float | None = None,
    topics: Topics = "relevant",
    tell: bool = True,
    **options: Any,
) -> pd.DataFrame:
    """Return the runs of a join in order; win rates that need no pairs are had without forming them.

    Parameters
    ----------
    measures, level, topics, tell
        As in `standing`.
    **options
        As in `pdeval.orderings.order`.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> order(joined.positions, "RPP").columns.tolist()
    ['run', 'measure', 'method', 'score', 'rank']
    """
    if options.get("compat") == "pref_eval":  # its arithmetic too
        positions = replace(positions, rules={**positions.rules, "compat": "pref_eval"})
    rules: dict[str, Any] = {"level": level, "topics": topics}
    parts: list[pd.DataFrame] = []
    for measure in parse_all(measures):
        source, direct = _source(positions, measure, {**rules, "tell": tell and not parts})
        parts.append(methods.order(source, winrates=direct, **options))
    return stacked(parts)


def _source(positions: Positions, measure: Measure, rules: dict[str, Any]) -> tuple[Any, bool]:
    """Return what orders the runs by a measure, and whether that is win rates already."""
    if measure.entry.family == "metric":
        return evaluate.scores(positions, measure, **rules), False
    level = rules["level"] if measure.level is None else measure.level
    counts = evaluate.counted(positions, rules["topics"], level)
    even = bool((counts.all(axis=1) == counts.any(axis=1)).all())
    if winrates.direct(measure) and even and positions.rules.get("compat") != "pref_eval":
        return winrates.win_rates(positions, measure, **rules), True
    return select(positions, measure, **rules), False


def _queries(
    positions: Positions, asked: list[Measure], keys: list[tuple[str, str]], rules: dict[str, Any]
) -> np.ndarray:
    """Return how many queries count for any run, for each key."""
    count = {}
    for one in asked:
        level = rules["level"] if one.level is None else one.level
        count[one.label] = int(evaluate.counted(positions, rules["topics"], level).any(axis=1).sum())
    return np.array([count[measure] for measure, _ in keys])
