"""Search length: how far down, or past how many other items, one has to go to find relevant ones. Lower is better."""

from typing import Literal

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.binary import hits
from pdeval.kernels.primitives import found, inf, level, total

Unretrieved = Literal["run", "corpus"]
Unfound = Literal["never", "corpus"]
COOPER = "Cooper 1968, Expected search length"


def reached(rank: np.ndarray, corpus: np.ndarray | None, unretrieved: Unfound) -> np.ndarray:
    """Return the ranks at which items are reached: those not retrieved never, or at the last places of the corpus.

    Examples
    --------
    >>> reached(np.array([1.0, inf, inf]), np.array(5.0), "corpus").tolist()
    [1.0, 4.0, 5.0]
    """
    if unretrieved == "never" or corpus is None:
        return rank * 1.0
    # the i-th of m relevant items is reached at place N - m + i at the latest
    return np.where(found(rank), rank, corpus - len(rank) + level(rank))


@metric(higher=False, range=(1, inf), reference=COOPER, limits={"i": (1, inf)})
def ESL(
    rank: np.ndarray,
    corpus: np.ndarray | None = None,
    *,
    i: int = 1,
    unretrieved: Unfound = "never",
) -> np.ndarray:
    """Search length to the i-th relevant item: its rank (Cooper's type 2).

    Infinite if it was not found, or if there are fewer relevant items; with `unretrieved="corpus"` items that
    were not retrieved take the last places of the query's corpus; where there are fewer, all of it is searched.

    Examples
    --------
    >>> float(ESL(np.array([2.0, 5.0, inf]), i=2))
    5.0
    """
    if i > len(rank):
        return (
            np.broadcast_to(
                inf if corpus is None or unretrieved == "never" else corpus, np.shape(rank)[1:]
            )
            * 1.0
        )
    return reached(rank, corpus, unretrieved)[int(i) - 1]


@metric(higher=False, range=(1, inf), reference=COOPER)
def ISL(
    rank: np.ndarray, corpus: np.ndarray | None = None, *, unretrieved: Unfound = "never"
) -> np.ndarray:
    """Initial search length: the rank of the first relevant item.

    Infinite if none was found; with `unretrieved="corpus"` items that were not retrieved take the last places of the
    query's corpus, so that the mean over queries is finite.

    Examples
    --------
    >>> float(ISL(np.array([2.0, 5.0])))
    2.0
    """
    return reached(rank, corpus, unretrieved)[0]


@metric(
    higher=False,
    range=(1, inf),
    reference=COOPER,
    aliases=dict.fromkeys(("last_rel", "LastRelevantRank"), "TSL(unretrieved=corpus)"),
)
def TSL(
    rank: np.ndarray, corpus: np.ndarray | None = None, *, unretrieved: Unfound = "never"
) -> np.ndarray:
    """Total search length: the rank of the last relevant item (Cooper's type 3).

    Infinite unless every relevant item was found; with `unretrieved="corpus"` those that were not take the last places
    of the query's corpus.

    Examples
    --------
    >>> float(TSL(np.array([2.0, 5.0])))
    5.0
    """
    return reached(rank, corpus, unretrieved)[-1]


@metric(
    reference="Diaz 2023, Best-case retrieval evaluation; Diaz, Ekstrand & Mitra 2023, Recall, robustness"
)
def TSE(rank: np.ndarray) -> np.ndarray:
    """Total search efficiency: 1 / the rank of the last relevant item, 0 unless all were found.

    Examples
    --------
    >>> float(TSE(np.array([2.0, 5.0]))), float(TSE(np.array([2.0, inf])))
    (0.2, 0.0)
    """
    return 1.0 / rank[-1]


def atomized(
    rank: np.ndarray, retrieved: np.ndarray, corpus: np.ndarray, *, unretrieved: Unretrieved = "run"
) -> np.ndarray:
    """Return the atomized search length of every relevant item: 1 + the irrelevant items above it.

    With "run", an item that was not retrieved is ranked below all irrelevant items that the run retrieved. With
    "corpus", and in both cases if the run retrieved nothing, it is ranked below all irrelevant items of the corpus.

    Examples
    --------
    >>> atomized(np.array([1.0, 4.0, inf]), 10, 100).tolist()
    [1.0, 3.0, 8.0]
    >>> atomized(np.array([1.0, 4.0, inf]), 10, 100, unretrieved="corpus").tolist()
    [1.0, 3.0, 98.0]
    """
    last = corpus - len(rank) + 1
    if unretrieved == "run":
        last = np.where(np.asarray(retrieved) == 0, last, retrieved - hits(rank))
    return np.where(found(rank), rank - (level(rank) - 1), last * 1.0)


@metric(
    higher=False,
    range=(0, inf),
    at="n",
    reference="Alex, Hall & Metzler 2022, Atomized search length: beyond user models",
    limits={"n": (1, inf)},
    at_prefix="g1-",
    level_hint=" The search length of every item is .ireval.search_lengths(qrels).",
)
def ASL(
    rank: np.ndarray,
    retrieved: np.ndarray,
    corpus: np.ndarray,
    *,
    unretrieved: Unretrieved = "run",
    n: float = inf,
) -> np.ndarray:
    """Atomized search length: the mean over relevant items of 1 + the irrelevant items ranked above.

    `ASL@g1-10` is the mean over the first 10 relevant items, or as many as there are. An item that was not retrieved
    counts as many irrelevant items as the run retrieved (the paper's rule: a run of relevant items only has 0 there);
    with `unretrieved="corpus"` it is ranked below all irrelevant items of the corpus, the distinct items of the query
    in all rankings and judgments. A run that retrieved nothing always gets the value of the corpus rule, because 0
    would be better than the best possible value.

    Examples
    --------
    >>> float(ASL(np.array([1.0, 4.0, inf]), 10, 100)), float(ASL(np.array([1.0, 4.0, inf]), 10, 100, n=2))
    (4.0, 2.0)
    """
    first = int(min(n, len(rank)))
    return total(atomized(rank, retrieved, corpus, unretrieved=unretrieved)[:first]) / first


def relative_reduction_in_error(a: np.ndarray, b: np.ndarray, *, best: float = 1.0) -> np.ndarray:
    """Return RRIE, the relative reduction of the error of `a` by `b`.

    The error is the distance to the best value, which is 1 for precision-like measures and for ASL alike:
    ((1 - a) - (1 - b)) / (1 - a), ((a - 1) - (b - 1)) / (a - 1). NaN where `a` is perfect.

    Examples
    --------
    >>> float(relative_reduction_in_error(0.5, 0.75)), round(float(relative_reduction_in_error(51.0, 6.0)), 2)
    (0.5, 0.9)
    """
    error = np.asarray(a, dtype=np.float64) - best
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(
            error == 0, np.nan, (error - (np.asarray(b, dtype=np.float64) - best)) / error
        )
