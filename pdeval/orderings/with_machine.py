"""Runs in order by people's labels and a machine's: the prediction-powered means, with intervals of score and rank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import Preferences, Scores, stacked
from pdeval.evaluate.ppi import estimates, powered
from pdeval.evaluate.seeds import chunks
from pdeval.evaluate.sources import decided
from pdeval.orderings.votes import check_pairs, ranks, win_rates
from pdeval.tables.equal_values import NOISE
from pdeval.tables.labels import labels
from pdeval.verbs.progress import track

CELLS = 1 << 21  # of one block of resamples


def ordered(source: Any, *, method: object, confidence: float, **options: Any) -> pd.DataFrame:
    """Return the runs of a cube with machine labels in order."""
    only = "mean" if isinstance(source, Scores) else "winrate"
    if method not in (None, only, [only], (only,)):
        what = "scores" if only == "mean" else "preferences"
        raise ValueError(f"method={method!r}: with machine labels {what} are ordered by method={only!r} alone.")
    cube = source if isinstance(source, Scores) else win_rates_of(source)
    frame = stacked([_ordered(cube, number, only, confidence, **options) for number in range(len(cube.measures))])
    frame.attrs.update({**cube.attrs, "confidence": confidence})
    return frame


def win_rates_of(cube: Preferences) -> Scores:
    """Return the win rates of runs by both kinds of labels, as scores: sums of preferences over all opponents."""
    check_pairs(cube)
    by_machine = replace(cube, values=np.asarray(cube.machine), machine=None)
    shape = (len(cube.measures), len(cube.queries), len(cube.runs))
    arrays = []
    for one in (cube, by_machine):
        values = np.empty(shape)
        for number in range(shape[0]):
            sums, met, _ = win_rates(decided(one, number), cube.a, cube.b, queries=shape[1], runs=shape[2])
            values[number] = np.where(met > 0, sums, np.nan)
        arrays.append(values)
    higher = np.ones(shape[0], dtype=bool)
    return Scores(cube.runs, cube.queries, cube.measures, arrays[0], higher, cube.attrs, arrays[1], cube.probability)


def _ordered(
    cube: Scores, number: int, method: str, confidence: float, *, draws: int, seed: int | None, progress: bool | None
) -> pd.DataFrame:
    """Return the order by one measure."""
    made = estimates(cube, number)
    sign = 1.0 if cube.higher[number] else -1.0
    size = NOISE * float(np.nanmax(np.abs(np.asarray(cube.machine)[number])))
    rank = ranks(sign * made.mean, size)
    row = np.argsort(rank, kind="stable")
    part: dict[Any, Any] = {name: labels(column, row) for name, column in cube.runs.items()}
    part |= {"measure": cube.measures[number], "method": method, "score": made.mean[row], "rank": rank[row]}
    if draws:
        drawn = np.concatenate(list(_resampled(cube, number, draws, seed, progress)))
        tails = [(1 - confidence) / 2, (1 + confidence) / 2]
        ends = np.quantile(ranks(sign * drawn, size), tails, axis=0, method="inverted_cdf").astype(np.int64)
        part |= {"rank_low": ends[0, row], "rank_high": ends[1, row]}
    low, high = made.interval(confidence)
    return pd.DataFrame({**part, "score_low": low[row], "score_high": high[row]})


def _resampled(cube: Scores, number: int, draws: int, seed: int | None, progress: bool | None) -> Iterator[np.ndarray]:
    """Yield estimates of all runs, (draws, runs), from queries drawn anew, those of people and the others apart."""
    people, judge = cube.values[number], np.asarray(cube.machine)[number]
    labelled = (~np.isnan(people)).any(axis=1)
    strata = np.flatnonzero(labelled), np.flatnonzero(~labelled)
    steps = chunks(draws, seed)
    for size, own_seed in track(steps, total=len(steps), desc=f"bootstrap {cube.measures[number]}", progress=progress):
        rng = np.random.default_rng(own_seed)
        drawn = np.concatenate([stratum[rng.integers(0, len(stratum), (len(stratum), size))] for stratum in strata])
        width = max(1, CELLS // people.size)
        for first in range(0, size, width):
            picked = drawn[:, first : first + width]
            chance = None if cube.probability is None else cube.probability[picked]
            if chance is not None:
                chance = np.repeat(chance, people.shape[1], axis=1)
            human, machine = (values[picked].reshape(len(picked), -1) for values in (people, judge))
            made = powered(human, machine, probability=chance)
            yield made.mean.reshape(picked.shape[1], people.shape[1])
