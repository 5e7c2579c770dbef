"""Runs in order by people's labels and a machine's: the prediction-powered means, with intervals of score and rank."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import Scores, stacked
from pdeval.evaluate.sources import decided
from pdeval.evaluate.two_labels import TwoLabels, held_twice
from pdeval.kinds.labels import labels
from pdeval.kinds.tables import Table
from pdeval.mechanics import arguments
from pdeval.mechanics.equality import NOISE
from pdeval.mechanics.progress import track
from pdeval.orderings.votes import check_pairs, ranks, win_rates
from pdeval.significance.draws import chunks
from pdeval.significance.powered_verbs import of_measure
from pdeval.significance.prediction_powered import powered
from pdeval.verbs import verb

CELLS = 1 << 21  # of one block of resamples


@verb(on=("powered_scores", "powered_preferences"), gives="orders", name="order", core=True, independent="draws")
def powered_order(
    held: Table,
    measures: object = None,
    *,
    method: Literal["mean", "winrate"] | None = None,
    draws: int = 0,
    confidence: float = 0.95,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the runs in order of their means by people's labels, made sharper by a machine's.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        Which of the table's measures; by default all.
    method : {'mean', 'winrate'}, optional
        The mean of scores, and the win rate of preferences: there is no other with machine labels.
    draws : int
        Resamples of the queries, people's and the machine's apart, for `rank_low` and `rank_high`; none by default.
    confidence : float
        Of the intervals. That of the score is Student's, as in `summary`.
    seed : int or None
        Of the resamples; None for new ones.
    progress : bool, optional
        Show a bar over the resamples; by default after a second, to a person.

    Examples
    --------
    >>> import pdeval
    >>> runs, machine, _ = pdeval.datasets.load_sample()
    >>> human = machine[machine["query_id"].astype(int) < 121]
    >>> found = runs.ireval.order(human, "AP", machine=machine, topics="common", draws=100)
    >>> found[["run", "score", "rank", "rank_low", "rank_high", "score_low", "score_high"]].head(2).round(3)
             run  score  rank  rank_low  rank_high  score_low  score_high
    0  rerank-s1  0.560     1         1          2      0.506       0.615
    1  rerank-s2  0.554     2         1          2      0.500       0.609
    """
    arguments.whole("draws", draws, 0)
    arguments.share("confidence", confidence)
    arguments.seed(seed)
    found = held_twice(held, measures)
    own = "mean" if isinstance(found.judge, Scores) else "winrate"
    if method not in (None, own):
        what = "scores" if own == "mean" else "preferences"
        raise ValueError(f"method={method!r}: with machine labels {what} are ordered by method={own!r} alone.")
    if own == "winrate":
        found = rated(found)
    parts = [_ordered(found, number, own, draws, confidence, seed, progress) for number in range(len(found.measures))]
    frame = stacked(parts)
    frame.attrs.update({**found.attrs, "confidence": confidence})
    return frame


def rated(found: TwoLabels) -> TwoLabels:
    """Return the win rates of runs by both kinds of labels, as scores: sums of preferences over all opponents."""
    check_pairs(found.judge)  # type: ignore[arg-type]
    cubes = []
    for cube in (found.people, found.judge):
        shape = (len(cube.measures), len(cube.queries), len(cube.runs))
        values = np.empty(shape)
        for number in range(shape[0]):
            a, b = np.asarray(cube.a), np.asarray(cube.b)  # type: ignore[union-attr]
            sums, met, _ = win_rates(decided(cube, number), a, b, queries=shape[1], runs=shape[2])
            values[number] = np.where(met > 0, sums, np.nan)
        cubes.append(
            Scores(cube.runs, cube.queries, cube.measures, values, np.ones(len(cube.measures), bool), cube.attrs)
        )
    return replace(found, people=cubes[0], judge=cubes[1])


def _ordered(
    found: TwoLabels, number: int, method: str, draws: int, confidence: float, seed: int | None, progress: bool | None
) -> pd.DataFrame:
    """Return the order by one measure."""
    made = of_measure(found, number)
    people, judge = found.people.values[number], found.judge.values[number]
    sign = 1.0 if found.judge.higher[number] else -1.0  # type: ignore[union-attr]
    size = NOISE * float(np.nanmax(np.abs(judge)))
    rank = ranks(sign * made.mean, size)
    row = np.argsort(rank, kind="stable")
    part: dict[Any, Any] = {name: labels(column, row) for name, column in found.runs.items()}
    part |= {"measure": found.measures[number], "method": method, "score": made.mean[row], "rank": rank[row]}
    if draws:
        again = np.concatenate(list(_resampled(found, number, people, judge, draws, seed, progress)))
        tails = [(1 - confidence) / 2, (1 + confidence) / 2]
        ends = np.quantile(ranks(sign * again, size), tails, axis=0, method="inverted_cdf").astype(np.int64)
        part |= {"rank_low": ends[0, row], "rank_high": ends[1, row]}
    low, high = made.interval(confidence)
    return pd.DataFrame({**part, "score_low": low[row], "score_high": high[row]})


def _resampled(
    found: TwoLabels,
    number: int,
    people: np.ndarray,
    judge: np.ndarray,
    draws: int,
    seed: int | None,
    progress: bool | None,
) -> Any:
    """Yield estimates of all runs, (draws, runs), from queries drawn anew, those of people and the others apart."""
    labelled = (~np.isnan(people)).any(axis=1)
    groups = np.flatnonzero(labelled), np.flatnonzero(~labelled)
    steps = chunks(draws, seed)
    for size, own in track(steps, total=len(steps), desc=f"bootstrap {found.measures[number]}", progress=progress):
        rng = np.random.default_rng(own)
        drawn = np.concatenate([group[rng.integers(0, len(group), (len(group), size))] for group in groups])
        width = max(1, CELLS // people.size)
        for first in range(0, size, width):
            picked = drawn[:, first : first + width]
            chance = None if found.probability is None else found.probability[picked]
            if chance is not None:
                chance = np.repeat(chance, people.shape[1], axis=1)
            human, machine = (values[picked].reshape(len(picked), -1) for values in (people, judge))
            made = powered(human, machine, probability=chance)
            yield made.mean.reshape(picked.shape[1], people.shape[1])
