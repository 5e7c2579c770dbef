"""Leaderboards that admit ties: ranks and values with intervals, and tiers of runs that no test tells apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate import groups
from pdeval.evaluate.cube import Preferences, Scores, stacked
from pdeval.evaluate.grouped import grouped_cube
from pdeval.evaluate.sources import Held, sources
from pdeval.join.judged import Judged
from pdeval.orderings.methods import Method
from pdeval.orderings.order import of_judged, ordered
from pdeval.significance.compare import compare
from pdeval.significance.corrections import Correction
from pdeval.significance.test_result import direction
from pdeval.tables.equal_values import begins_along
from pdeval.tables.reader import Table
from pdeval.tables.schemas import SCHEMAS, table
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import TooFew


def stretches_alike(differs: np.ndarray) -> list[tuple[int, int]]:
    """Return (first, last) of each longest stretch of places, no two of which differ; some may share places.

    Parameters
    ----------
    differs : ndarray of bool, shape (places, places)
        Whether a test tells two places apart; only pairs (earlier, later) are looked at.

    Examples
    --------
    >>> differs = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> stretches_alike(differs)
    [(0, 1), (1, 2)]
    """
    count = len(differs)
    later = np.triu(differs, k=1)
    # the first place further down that differs from i; a stretch from i ends before the nearest such end of its members
    first = np.where(later.any(axis=1), later.argmax(axis=1), count)
    ends = np.minimum.accumulate(first[::-1])[::-1] - 1
    longest = np.flatnonzero(np.concatenate([[True], ends[1:] > ends[:-1]]))
    return [(int(place), int(ends[place])) for place in longest]


def tiers(rank: np.ndarray, beats: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the first and the last tier of each run, from 1, and whether no run at the top is significantly better.

    Runs of equal rank stand at one place, which differs from a later one if any of its runs is significantly better:
    tiers then depend neither on the order of rows nor on names. A rank test may favor the run that the order puts
    lower; that does not separate tiers.

    Parameters
    ----------
    rank : ndarray of shape (runs,)
    beats : ndarray of bool, shape (runs, runs)
        Whether the first run is significantly better than the second.

    Examples
    --------
    >>> beats = np.zeros((4, 4), dtype=bool)
    >>> beats[0, 2:] = True
    >>> [found.tolist() for found in tiers(np.array([1, 2, 3, 3]), beats)]
    [[1, 1, 2, 2], [1, 2, 2, 2], [True, True, False, False]]
    """
    down = np.argsort(rank, kind="stable")
    place = np.empty(len(rank), dtype=np.int64)
    place[down] = np.cumsum(begins_along(np.asarray(rank)[down])) - 1
    at_places = np.zeros((int(place.max()) + 1,) * 2, dtype=bool)
    np.logical_or.at(at_places, (place[:, None], place[None, :]), beats)
    found = np.array(stretches_alike(at_places))  # runs at one place are alike there
    lowest = np.searchsorted(found[:, 1], place) + 1  # stretches end one after the other, as they begin
    highest = np.searchsorted(found[:, 0], place, side="right")
    beaten = np.logical_or.reduce(beats[rank == np.min(rank)], axis=0)
    return lowest, highest, ~beaten


ELO = 400 / np.log(10)  # of one unit of log strength
BRADLEY_TERRY = "bradley-terry"
SCORES = ["score", "score_low", "score_high"]

table(
    "leaderboards",
    "run measure method rank:int rank_low:int rank_high:int tier:int tier_last:int top:bool score:float "
    "score_low:float score_high:float",
    "leaderboard",
    known_by="run measure method rank tier top",
    row="run, measure and method",
    sort="measure method rank",
    then=".report(), .plot()",
    means={
        "rank": "from 1; tied runs share the better rank: 1, 2, 2, 4",
        "rank_low": "the best rank in the interval over the draws",
        "rank_high": "the worst rank in it",
        "tier": "the first group of neighbours that it is in, none significantly better than one below; 1 is the best",
        "tier_last": "the last such group: groups share the runs between them",
        "top": "whether no run of rank 1 is significantly better",
        "score": "in the measure's own unit for the mean; else what the method counts, more is better",
        "score_low": "lower end of its interval over the draws",
        "score_high": "upper end of it",
    },
)


@verb(
    on=("scores", "preferences", "judged"),
    gives="leaderboards",
    command=True,
    independent=True,
    meant_by={"ranking": "leaderboard()", "elo": "leaderboard(method='bradley-terry', scale='elo')"},
)
def leaderboard(
    held: Held,
    measures: object = ("RPP",),
    *,
    method: Method | Sequence[Method] | None = None,
    test: str | None = None,
    correction: Correction | None = "holm",
    alpha: float = 0.05,
    resample: str | Sequence[str] | None = None,
    scale: Literal["own", "elo"] = "own",
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the runs in order, with intervals of rank and score, and the tiers that a test leaves.

    Parameters
    ----------
    method : str or list of str, optional
        How to order, as in `order`; by default the mean of scores, and the win rate of preferences.
    test : str, optional
        Of all pairs of runs, as in `compare`; by default that of the measure's declaration.
    alpha : float
        A run is significantly better than another if the corrected p is below it and the test favors the run.
    resample : str or list of str, optional
        Column(s) of a table that tell collections apart, which are then what is drawn and tested, each with its mean;
        by default queries are.
    scale : {'own', 'elo'}
        'elo' gives strengths of Bradley-Terry as 400 times their decimal logarithm, on average 0: 400 more is to win
        ten times as often.
    draws : int
        Resamples of the queries, or of the collections, for the intervals.
    confidence : float
        ... They are percentiles of the draws.

    Notes
    -----
    A tier is a longest stretch of the order in which no run is significantly better than a run below it; two tiers may
    share runs, which then go from `tier` to `tier_last`. Runs of equal rank are in the same tiers. `attrs` says test,
    correction and alpha.

    Examples
    --------
    >>> import pdeval
    >>> found = pdeval.datasets.sample_judged(topics="common").leaderboard("AP", draws=200)
    >>> found[["run", "rank", "rank_low", "rank_high", "tier", "tier_last", "top", "score"]].head(4).round(3)
             run  rank  rank_low  rank_high  tier  tier_last    top  score
    0  rerank-s1     1         1          2     1          1   True  0.560
    1  rerank-s2     2         1          2     1          1   True  0.554
    2     hybrid     3         3          5     1          2   True  0.499
    3  splade-s2     4         3          7     2          2  False  0.462
    """
    alpha, confidence = arguments.share("alpha", alpha), arguments.share("confidence", confidence)
    draws = arguments.whole("draws", draws, 1)
    if resample is not None:
        held, measures = [_means_of(held, measures, resample)], None
    options: dict[str, Any] = {"method": method, "draws": draws, "confidence": confidence, "seed": seed}
    options |= {"progress": progress, "scores": True}
    if isinstance(held, Judged):
        orders = of_judged(held, measures, **options)
    else:
        orders = stacked([ordered(one, **options) for one in sources(held, measures)])
    told = compare(held, measures, test=test, correction=correction, alpha=alpha, seed=seed, progress=progress)
    runs = list(orders.columns[: orders.columns.get_loc("measure")])
    parts = []
    for (measure, _), part in orders.groupby(["measure", "method"], sort=False, observed=True):
        pairs = told[told["measure"].astype(str) == str(measure)]
        lowest, highest, top = tiers(part["rank"].to_numpy(), _beaten_by(part[runs], pairs))
        parts.append(part.assign(tier=lowest, tier_last=highest, top=top))
    frame = pd.concat(parts, ignore_index=True)
    if scale == "elo":
        _as_elo(frame)
    frame = frame[[*runs, *(name for name in SCHEMAS["leaderboards"].named if name in frame.columns and name != "run")]]
    frame.attrs = {**orders.attrs, **{name: told.attrs[name] for name in ("correction", "alpha", "seed")}}
    tests = told[["test", "measure"]].astype(str).drop_duplicates().groupby("test", sort=False)["measure"].agg(list)
    frame.attrs |= {"tests": tests.to_dict(), "draws": draws, "confidence": confidence}
    if resample is not None:
        frame.attrs["resample"] = groups.named(resample)
    return frame


def _means_of(held: Held, measures: object, resample: object) -> Scores | Preferences:
    """Return the mean of every collection as if it were a query."""
    if not isinstance(held, Table):
        raise ValueError(
            f"resample={resample!r} names a column of a table of scores or preferences: call "
            ".measure(..., by=that column) or .prefer(..., by=that column) first, and then .ireval.leaderboard()."
        )
    found = grouped_cube(held, measures, resample)
    if len(found) < 2:
        raise TooFew(f"a leaderboard over collections needs at least two; {resample!r} has only {found.names[0]!r}.")
    values = np.stack([_mean(found.source.values[:, part]) for part in found.slices()], axis=1)
    return replace(found.source, queries=pd.Index(found.names, name="collection"), values=values)


def _mean(values: np.ndarray) -> np.ndarray:
    """Return the mean over queries (axis 1), NaN where a run has none."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.add.accumulate(np.where(known, values, 0.0), axis=1)[:, -1] / known.sum(axis=1)


def _beaten_by(runs: pd.DataFrame, pairs: pd.DataFrame) -> np.ndarray:
    """Return, by two runs, whether the first is significantly better than the second."""
    index = pd.MultiIndex.from_frame(runs.astype(object))  # the ids themselves: names made of them may be the same
    sides = (pairs[[f"{name}_{side}" for name in runs]].set_axis(runs.columns, axis=1) for side in "ab")
    a, b = (index.get_indexer(pd.MultiIndex.from_frame(side.astype(object))) for side in sides)
    beats = np.zeros((len(index), len(index)), dtype=bool)
    significant, favored = pairs["significant"].to_numpy(dtype=bool), direction(pairs)
    beats[a, b], beats[b, a] = significant & (favored > 0), significant & (favored < 0)
    return beats


def _as_elo(frame: pd.DataFrame) -> None:
    """Put the strengths of Bradley-Terry on Elo's scale, in place."""
    others = [one for one in dict.fromkeys(frame["method"].astype(str)) if one.partition("(")[0] != BRADLEY_TERRY]
    if others:
        raise ValueError(f"scale='elo' is of method='{BRADLEY_TERRY}'; {others[0]!r} has a scale of its own.")
    frame[SCORES] = frame[SCORES] * ELO
