"""Recall-oriented search: the effort of finding all relevant items, in systematic reviews and patent search.

A reviewer reads the ranking of all N items from the top. N is the number of distinct items of the query in all
rankings and judgments, or `items=`. Relevant items that were not retrieved take the last places.
"""

from typing import Literal

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.primitives import cut, found, inf, level, share, total
from pdeval.kernels.search_length import reached
from pdeval.kernels.sets import catalog

Rule = Literal["cohen", "asreview"]
COHEN = "Cohen et al. 2006, Reducing workload in systematic review preparation"
ASREVIEW = "asreview-insights"
RECALL = {"recall": (0, 1), "items": (1, inf)}
EFFORT = {"effort": (0, 1), "items": (1, inf)}
PERCENT = (80, 85, 90, 95, 99, 100)


def all_items(corpus: np.ndarray | None, items: float | None, relevant: int) -> np.ndarray:
    """Return the number of items to review: `items`, or those of the query's corpus.

    Examples
    --------
    >>> float(all_items(np.array(40.0), None, 3)), float(all_items(np.array(40.0), 1000, 3))
    (40.0, 1000.0)
    """
    return catalog(corpus, items, relevant) + relevant


def recall_level(recall: float, relevant: int, rule: Rule) -> int:
    """Return the number of relevant items at a recall: the fewest that reach it, or asreview's most not above it.

    Examples
    --------
    >>> recall_level(0.95, 3, "cohen"), recall_level(0.95, 3, "asreview")
    (3, 2)
    """
    # the quotients are compared, as asreview does: recall * relevant has rounding errors
    number = round(recall * relevant)
    if rule == "cohen":
        return max(number + (number / relevant < recall), 1)
    return max(number - (number / relevant > recall), 1)


def items_reviewed(effort: float, size: np.ndarray) -> np.ndarray:
    """Return the largest number of items that is at most the fraction `effort` of all.

    Examples
    --------
    >>> float(items_reviewed(0.1, np.array(25.0)))
    2.0
    """
    number = np.rint(effort * size)
    return number - (number / size > effort)


def _random_step(size: np.ndarray, relevant: int) -> np.ndarray:
    """Return the relevant items per item read in random order, from 0 at the first item to all at the last."""
    return relevant / np.maximum(size - 1.0, 1.0)


@metric(
    reference=COHEN + "; " + ASREVIEW,
    range=(-1, 1),
    at="recall",
    limits=RECALL,
    aliases={
        "wss": "WSS",
        "wss_{recall}": "WSS@{recall}",
        **{f"WSS@{percent}": f"WSS@{percent / 100:g}" for percent in PERCENT},
        **{f"wss_{percent}": f"WSS@{percent / 100:g}" for percent in PERCENT},
    },
)
def WSS(
    rank: np.ndarray,
    corpus: np.ndarray | None = None,
    *,
    recall: float = 0.95,
    items: float | None = None,
    rule: Rule = "cohen",
) -> np.ndarray:
    """Work saved over sampling: the fraction of items that need not be read to reach a recall, minus 1 - recall.

    (N - n) / N - (1 - recall), with n the rank of the item that reaches the recall. `WSS@95` is `WSS@0.95`.
    With `rule="asreview"` the number of items is compared with that of a random order, as asreview-insights does:
    the relevant items are rounded down, and their random ranks are those of an even spread.

    Examples
    --------
    >>> round(float(WSS(np.array([1.0, 2.0, 5.0]), np.array(10.0))), 4)
    0.45
    """
    relevant = len(rank)
    size = all_items(corpus, items, relevant)
    number = recall_level(recall, relevant, rule)
    needed = reached(rank, size, "corpus")[number - 1]
    if rule == "cohen":
        return (size - needed) / size - (1.0 - recall)
    step = _random_step(size, relevant)
    # the first place j from 0 with rint(j * step) >= number; rint rounds halves to even, so neighbors are checked
    place = np.ceil((number - 0.5) / step)
    place = place - (np.rint((place - 1) * step) >= number)
    place = place + (np.rint(place * step) < number)
    return (place - (needed - 1)) / size


@metric(
    reference="Kusa et al. 2023, An analysis of work saved over sampling",
    at="recall",
    limits=RECALL,
    aliases={"tnr_{recall}": "TNR@{recall}", "tnr": "TNR"},
)
def TNR(
    rank: np.ndarray,
    corpus: np.ndarray | None = None,
    *,
    recall: float = 0.95,
    items: float | None = None,
    rule: Rule = "cohen",
) -> np.ndarray:
    """True negative rate: the fraction of the other items that need not be read to reach a recall.

    1 if all items are relevant. `rule="asreview"` rounds the number of relevant items down.

    Examples
    --------
    >>> round(float(TNR(np.array([1.0, 2.0, 5.0]), np.array(10.0))), 4)  # 5 of 7
    0.7143
    """
    relevant = len(rank)
    size = all_items(corpus, items, relevant)
    number = recall_level(recall, relevant, rule)
    return 1.0 - share(reached(rank, size, "corpus")[number - 1] - number, size - relevant)


@metric(reference=ASREVIEW, at="effort", limits=EFFORT, aliases=("recall_at_effort",))
def EffortRecall(
    rank: np.ndarray,
    corpus: np.ndarray | None = None,
    *,
    effort: float = 0.1,
    items: float | None = None,
) -> np.ndarray:
    """Recall at effort: the fraction of the relevant items among the first fraction of all items.

    Examples
    --------
    >>> float(EffortRecall(np.array([1.0, 2.0, 5.0, inf]), np.array(40.0)))
    0.5
    """
    read = items_reviewed(effort, all_items(corpus, items, len(rank)))
    return found(rank, read).sum(axis=0) / len(rank)


@metric(
    reference=ASREVIEW,
    range=(-1, 1),
    at="effort",
    limits=EFFORT,
    aliases={"erf_{effort}": "ERF@{effort}", "erf": "ERF"},
)
def ERF(
    rank: np.ndarray,
    corpus: np.ndarray | None = None,
    *,
    effort: float = 0.1,
    items: float | None = None,
) -> np.ndarray:
    """Extra relevant items: recall at an effort minus that of a random order, rounded to integers.

    Examples
    --------
    >>> float(ERF(np.array([1.0, 2.0]), np.array(20.0)))
    1.0
    """
    relevant = len(rank)
    size = all_items(corpus, items, relevant)
    read = items_reviewed(effort, size)
    random = np.rint(np.maximum(read - 1, 0.0) * _random_step(size, relevant))
    return (found(rank, read).sum(axis=0) - random) / relevant


@metric(
    reference="Ferdinands et al. 2023, Active learning for screening prioritization; " + ASREVIEW,
    higher=False,
    range=(1, inf),
    limits={"items": (1, inf)},
    aliases=("atd",),
)
def ATD(
    rank: np.ndarray, corpus: np.ndarray | None = None, *, items: float | None = None
) -> np.ndarray:
    """Average time to discovery: the mean rank of the relevant items.

    Examples
    --------
    >>> float(ATD(np.array([1.0, 2.0, inf]), np.array(12.0)))
    5.0
    """
    return total(reached(rank, all_items(corpus, items, len(rank)), "corpus")) / len(rank)


@metric(
    reference="Rocchio 1966, normalized recall; " + ASREVIEW,
    higher=False,
    limits={"items": (1, inf)},
    aliases=("loss",),
)
def ReviewLoss(
    rank: np.ndarray, corpus: np.ndarray | None = None, *, items: float | None = None
) -> np.ndarray:
    """Review loss: 1 - normalized recall, 0 if all relevant items are first and 1 if they are last.

    Examples
    --------
    >>> float(ReviewLoss(np.array([1.0, 4.0]), np.array(6.0)))  # two items too far down, of 2 x 4
    0.25
    """
    relevant = len(rank)
    size = all_items(corpus, items, relevant)
    return share(total(reached(rank, size, "corpus") - level(rank)), relevant * (size - relevant))


@metric(
    reference="Magdy & Jones 2010, PRES: a score metric for evaluating recall-oriented IR applications"
)
def PRES(rank: np.ndarray, *, k: float = 100) -> np.ndarray:
    """Patent retrieval evaluation score: recall combined with the effort of a user who reads k items.

    1 - (mean rank - (m + 1) / 2) / k; the i-th of m relevant items has rank k + i if it is not among the first k.

    Examples
    --------
    >>> float(PRES(np.array([1.0, 98.0, 99.0, 100.0])))
    0.28
    """
    near = cut(rank, k)
    ranks = np.where(found(near), near, k + level(near))
    return 1.0 - (total(ranks) / len(near) - (len(near) + 1) / 2.0) / k


def stop_at_effort(rank: np.ndarray, size: np.ndarray, value: float) -> np.ndarray:
    """Return the rank at which a review stops after a fraction of all items.

    Examples
    --------
    >>> float(stop_at_effort(np.array([1.0, 7.0]), np.array(20.0), 0.5))
    10.0
    """
    return np.broadcast_to(items_reviewed(value, size), np.shape(rank)[1:])


def stop_after_irrelevant(rank: np.ndarray, size: np.ndarray, value: float) -> np.ndarray:
    """Return the rank at which a review stops after so many irrelevant items in a row; all items if that never happens.

    Examples
    --------
    >>> float(stop_after_irrelevant(np.array([1.0, 3.0, 9.0]), np.array(20.0), 5))
    8.0
    """
    ranks = np.concatenate([np.zeros((1, *np.shape(rank)[1:])), np.where(found(rank), rank, inf)])
    # a run of `value` irrelevant items follows the first relevant item (or the start) with a wider gap
    following = np.concatenate([ranks[1:], np.full((1, *ranks.shape[1:]), inf)])
    wide = np.isfinite(ranks) & (following - np.where(np.isfinite(ranks), ranks, 0.0) > value)
    first = np.argmax(wide, axis=0)
    return np.minimum(np.take_along_axis(ranks, first[None], axis=0)[0] + value, size)


def stop_at_knee(rank: np.ndarray, size: np.ndarray, value: float) -> np.ndarray:
    """Return the rank at which a review stops by the knee method, after at least `value` items.

    A batch is a tenth larger than the one before. After each, the knee is the rank of the relevant item that is
    farthest above the line from the start to the number of relevant items found. The review stops if the slope before
    the knee is at least 156 - min(relevant found, 150) times the slope after it. Cormack & Grossman 2016, Engineering
    quality and reliability in technology-assisted review.

    Examples
    --------
    >>> float(stop_at_knee(np.arange(1.0, 201.0), np.array(5000.0), 100))
    232.0
    """
    size = np.broadcast_to(size, np.shape(rank)[1:]).astype(np.float64)
    stop = size.copy()
    running = np.ones(size.shape, dtype=bool)
    read, batch = 0, 1
    while running.any() and read < size.max(initial=0.0):
        read += batch
        batch += -(-batch // 10)  # rounded up
        here = found(rank, read)
        n = here.sum(axis=0)
        place = np.where(here, rank, 1.0)
        above = np.where(here, level(rank) - n * place / read, -inf)
        knee = np.argmax(above, axis=0)[None]
        at_knee, n_knee = np.take_along_axis(place, knee, axis=0)[0], knee[0] + 1.0
        after = np.maximum(read - at_knee, 1.0)
        ratio = (n_knee / at_knee) * after / np.maximum(1.0 + n - n_knee, 1.0)
        done = running & (read >= value) & (n > 0) & (ratio >= 156 - np.minimum(n, 150))
        stop = np.where(done, np.minimum(read, size), stop)
        running &= ~done
    return stop
