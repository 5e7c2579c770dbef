"""Win rates without pairs: runs are ranked at each recall level, so the cost grows with runs, not with their pairs."""

from __future__ import annotations

import numpy as np

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.pairs import lexicographic
from pdeval.evaluate.populations import check_populations, populations
from pdeval.evaluate.scores import Views, cube_of
from pdeval.judged.judged import Judged
from pdeval.kernels.levels import total
from pdeval.kernels.preferences import weights


class WinRates(Scores):
    """Scores that are win rates, each the sum of a run's preferences over all others."""


def direct(measure: Measure) -> bool:
    """Return whether a measure's win rates can be had by ranking, without forming pairs.

    Examples
    --------
    >>> import pdeval
    >>> [direct(pdeval.parse(name)) for name in ("RPP", "sgnLP", "rrLP")]
    [True, True, False]
    """
    return measure.entry.family == "metric" or measure.entry.path in ("recall-paired", "first", "last")


def won(values: np.ndarray) -> np.ndarray:
    """Return, along the last axis, how many numbers are larger, less how many are smaller.

    Examples
    --------
    >>> won(np.array([3.0, 1.0, 3.0])).tolist()
    [-1.0, 2.0, -1.0]
    """
    count = values.shape[-1]
    order = np.argsort(values, axis=-1, kind="stable")
    ranked = np.take_along_axis(values, order, axis=-1)
    new = np.ones(values.shape, dtype=bool)
    new[..., 1:] = ranked[..., 1:] != ranked[..., :-1]
    place = np.arange(count)
    smaller = np.maximum.accumulate(np.where(new, place, 0), axis=-1)
    ends = np.concatenate([new[..., 1:], np.ones((*new.shape[:-1], 1), dtype=bool)], axis=-1)
    last = np.minimum.accumulate(np.where(ends, place, count)[..., ::-1], axis=-1)[..., ::-1]
    result = np.empty(values.shape)
    np.put_along_axis(result, order, (count - 1 - last - smaller).astype(np.float64), axis=-1)
    return result


def _of_scores(values: np.ndarray) -> np.ndarray:
    """Return each run's sum of differences to all other runs, (topics, runs)."""
    lost = np.isinf(values)
    whole = np.where(lost, 0.0, values)
    rates = whole.shape[1] * whole - whole.sum(axis=1, keepdims=True)
    if not lost.any():
        return rates
    # a run that never found the item loses endlessly to those that did, and is level with its like
    mixed = lost.any(axis=1, keepdims=True) & ~lost.all(axis=1, keepdims=True)
    endless = -np.where(lost, values, 0.0).sum(axis=1, keepdims=True)
    return np.where(mixed, np.where(lost, values, endless), rates)


def of_measure(views: Views, measure: Measure) -> np.ndarray:
    """Return each run's sum of preferences over all other runs on every topic, shape (topics, runs).

    Examples
    --------
    >>> import pdeval
    >>> rates = of_measure(Views(pdeval.datasets.sample_judged()), pdeval.parse("RPP"))
    >>> bool(abs(rates.sum()) < 1e-9)
    True
    """
    if measure.entry.family == "metric":
        values = views.values(measure)
        return _of_scores(values if measure.higher else -values)
    result = np.zeros(views.positions.retrieved.shape)
    for _, share, blocks in populations(views, measure):
        for block in blocks:
            if block.size == 0:
                continue
            if measure.entry.path in ("first", "last"):
                part = won(lexicographic(block, measure.entry.path))
            else:
                weight = weights(measure.parameters.get("weight", measure.entry.weight), block.size)
                part = total(weight[:, None, None] * won(block["rank"]))
            result[block.topics] += part if share is None else share[block.topics][:, None] * part
    return result


def win_rates(judged: Judged, measures: object, *, tell: bool = True) -> WinRates:
    """Return the win rates of every run on every query, as scores.

    Examples
    --------
    >>> import pdeval
    >>> win_rates(pdeval.datasets.sample_judged(topics="common"), "RPP").values.shape
    (1, 48, 12)
    """
    asked = parse_all(measures)
    views = Views(judged)
    wrong = [measure.label for measure in asked if not direct(measure)]
    if wrong:
        raise ValueError(f"win rates of {wrong[0]} need its pairs: use .ireval.prefer(qrels, {wrong[0]!r}).")
    for measure in asked:
        counts = views.counted(measure)
        if not (counts.all(axis=1) == counts.any(axis=1)).all():
            raise ValueError(
                f"under topics={judged.topics!r} runs count on different queries, and win rates need all on the same."
            )
    check_populations(judged.positions, asked)
    values = np.stack([of_measure(views, measure) for measure in asked])
    found = cube_of(views, asked, values, tell=tell)
    higher = np.ones(len(asked), dtype=bool)  # more wins are better, whatever the measure
    return WinRates(**{**vars(found), "higher": higher})
