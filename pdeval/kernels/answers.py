"""Measures of answers: nuggets, citations, retrieved spans, the utility of retrieved passages, and abstention.

Axis 0 of the columns of a nugget measure is the nugget. The columns of a citation measure are counts and sums; axis 0
of `listed` and `cited`, and of the columns of a span measure, is the rank.
"""

from math import inf, nan

import numpy as np

from pdeval.catalog import checked_flag, metric
from pdeval.kernels.primitives import found, level, log2, share, total

_TREC_RAG = "Pradeep et al. 2024, Initial nugget evaluation results for the TREC 2024 RAG Track"
_TREC_QA = "Voorhees 2003, Overview of the TREC 2003 question answering track"
_CHUNKING = "Smith and Troynikov 2024, Evaluating chunking strategies for retrieval"
_SUPPORT = "Thakur et al. 2025, Support evaluation for the TREC 2024 RAG Track"
_FLAGS = {"strict": checked_flag}


def _credit(assignment: np.ndarray, strict: bool) -> np.ndarray:
    """Return the credit of each nugget: its assignment, or if strict only that of full support."""
    return np.where(assignment == 1, 1.0, 0.0) if strict else assignment


@metric(kind="nuggets", reference=_TREC_RAG, read=_FLAGS, aliases=("AllScore", "all_score"))
def NuggetAll(assignment: np.ndarray, *, strict: bool = False) -> np.ndarray:
    """Nugget recall: the mean assignment over all nuggets, vital and okay.

    Support counts 1, partial support 0.5, or 0 if `strict`.

    Examples
    --------
    >>> assignment = np.array([1, 0.5, 0, 1, 0.5])  # the first three are vital
    >>> float(NuggetAll(assignment)), float(NuggetAll(assignment, strict=True))
    (0.6, 0.4)
    """
    return _credit(assignment, strict).sum(axis=0) / len(assignment)


@metric(
    kind="nuggets",
    reference=_TREC_RAG,
    read=_FLAGS,
    aliases=("VitalScore", "vital_score"),
    compat={"nuggetizer": {"empty": 0.0}},
)
def NuggetVital(
    assignment: np.ndarray, vital: np.ndarray, *, strict: bool = False, empty: float | None = None
) -> np.ndarray:
    """Vital nugget recall: the mean assignment over vital nuggets.

    A query without vital nuggets has no value. With compat="nuggetizer" its value is 0.

    Examples
    --------
    >>> assignment, vital = np.array([1, 0.5, 0, 1, 0.5]), np.array([1, 1, 1, 0, 0])
    >>> float(NuggetVital(assignment, vital)), round(float(NuggetVital(assignment, vital, strict=True)), 4)
    (0.5, 0.3333)
    """
    return share(
        (_credit(assignment, strict) * vital).sum(axis=0),
        vital.sum(axis=0),
        nan if empty is None else empty,
    )


@metric(
    kind="nuggets",
    reference=_TREC_RAG,
    read=_FLAGS,
    limits={"okay_weight": (0, inf)},
    aliases=("WeightedScore", "weighted_score"),
    compat={"nuggetizer": {"empty": 0.0}},
)
def NuggetWeighted(
    assignment: np.ndarray,
    vital: np.ndarray,
    okay: np.ndarray,
    *,
    strict: bool = False,
    okay_weight: float = 0.5,
    empty: float | None = None,
) -> np.ndarray:
    """Weighted nugget recall: the mean assignment, with weight 1 for vital and 0.5 for okay nuggets.

    If importances are numbers, these are the weights.

    Examples
    --------
    >>> assignment, vital = np.array([1, 0.5, 0, 1, 0.5]), np.array([1, 1, 1, 0, 0])
    >>> [float(NuggetWeighted(assignment, vital, 1 - vital, strict=strict)) for strict in (False, True)]
    [0.5625, 0.375]
    """
    weight = vital + okay_weight * okay
    return share(
        (_credit(assignment, strict) * weight).sum(axis=0),
        weight.sum(axis=0),
        nan if empty is None else empty,
    )


@metric(
    kind="nuggets",
    reference=_TREC_QA,
    read=_FLAGS,
    limits={"beta": (0, inf), "allowance": (0, inf)},
    compat={"nuggetizer": {"empty": 0.0}},
)
def NuggetF(
    assignment: np.ndarray,
    vital: np.ndarray,
    length: np.ndarray,
    *,
    beta: float = 3.0,
    allowance: float = 100.0,
    strict: bool = False,
    empty: float | None = None,
) -> np.ndarray:
    """Nugget F: vital nugget recall and a precision that penalizes long answers.

    The precision is 1 up to `allowance` characters per matched nugget, vital or okay, and then falls as
    1 - (length - allowed) / length. If importances are numbers, recall weights nuggets by them (nugget pyramids).

    Examples
    --------
    >>> assignment, vital = np.array([1, 0, 0, 1]), np.array([1, 1, 1, 0])
    >>> round(float(NuggetF(assignment, vital, np.array(350.0))), 4)
    0.3478
    """
    credit = _credit(assignment, strict)
    recall = share((credit * vital).sum(axis=0), vital.sum(axis=0), nan if empty is None else empty)
    allowed = allowance * credit.sum(axis=0)
    precision = np.where(length < allowed, 1.0, share(allowed, length, 1.0))
    return share((1 + beta**2) * precision * recall, beta**2 * precision + recall)


@metric(kind="citations", reference=_SUPPORT)
def CitationPrecision(supported: np.ndarray, citations: np.ndarray) -> np.ndarray:
    """Weighted citation precision: the mean support over the citations of an answer.

    An answer without citations has 0.

    Examples
    --------
    >>> float(CitationPrecision(1.5, 3))
    0.5
    """
    return share(supported, citations)


@metric(kind="citations", reference=_SUPPORT)
def CitationRecall(best: np.ndarray, sentences: np.ndarray) -> np.ndarray:
    """Weighted citation recall: the mean over sentences of the best support; 0 for a sentence without citations.

    Examples
    --------
    >>> float(CitationRecall(1.5, 3))
    0.5
    """
    return share(best, sentences)


@metric(kind="citations", reference=_SUPPORT, limits={"beta": (0, inf)})
def CitationF(
    supported: np.ndarray,
    citations: np.ndarray,
    best: np.ndarray,
    sentences: np.ndarray,
    *,
    beta: float = 1.0,
) -> np.ndarray:
    """Citation F: the weighted harmonic mean of weighted citation precision and recall.

    Examples
    --------
    >>> round(float(CitationF(1.0, 2, 1.0, 4)), 4)
    0.3333
    """
    precision, recall = share(supported, citations), share(best, sentences)
    return share((1 + beta**2) * precision * recall, beta**2 * precision + recall)


@metric(
    kind="signed",
    reference="Trappolini et al. 2025, Redefining retrieval evaluation in the era of LLMs",
    limits={"gamma": (0, inf)},
)
def UDCG(
    rank: np.ndarray,
    grade: np.ndarray,
    retrieved: np.ndarray,
    *,
    gamma: float = 1 / 3,
    k: float = inf,
) -> np.ndarray:
    """Utility and distraction-aware cumulative gain: the logistic function of the mean utility of the first k items.

    The utility of an item is its grade, for example from -1 to 1. Items of negative grade distract a generator; their
    utility is multiplied by gamma. Unjudged items have utility 0. An empty list has the value 0.

    Examples
    --------
    >>> float(UDCG(np.array([1.0, 2.0]), np.array([0.9, -0.6]), np.array(2)).round(4))  # mean (0.9 - 0.2) / 2
    0.5866
    """
    length = np.minimum(retrieved, k)
    grade = np.asarray(grade, dtype=np.float64)
    utility = np.where(grade < 0, gamma * grade, grade)
    mean = share(total(np.where(found(rank, k), utility, 0.0)), length)
    return np.where(length > 0, 1.0 / (1.0 + np.exp(-mean)), 0.0)


@metric(kind="citations", reference="precision of the cited documents")
def CitationRelevance(relevant: np.ndarray, citations: np.ndarray) -> np.ndarray:
    """Citation relevance: the fraction of the citations of an answer that are of relevant documents.

    An unjudged document is not relevant. An answer without citations has 0.

    Examples
    --------
    >>> float(CitationRelevance(2, 3).round(4))
    0.6667
    """
    return share(relevant, citations)


@metric(kind="citations", reference="use of the retrieved documents", limits={"k": (1, inf)})
def CitationUse(cited: np.ndarray, listed: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Citation use: the fraction of the documents retrieved down to rank k that the answer cites.

    Examples
    --------
    >>> cited, listed = np.array([True, False, True, False]), np.array([True, True, True, False])
    >>> float(CitationUse(cited, listed).round(4)), float(CitationUse(cited, listed, k=1))
    (0.6667, 1.0)
    """
    return share(_top(cited, k).sum(axis=0), _top(listed, k).sum(axis=0))


def _top(values: np.ndarray, k: float) -> np.ndarray:
    """Return the values down to rank k."""
    return values[: int(min(k, len(values)))]


@metric(kind="spans", reference=_CHUNKING, limits={"k": (1, inf)})
def SpanRecall(relevant: np.ndarray, judged: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Span recall: the fraction of the relevant characters that were retrieved down to rank k.

    Examples
    --------
    >>> float(SpanRecall(np.array([80.0, 20.0]), np.array(140.0)).round(4))
    0.7143
    """
    return share(total(_top(relevant, k)), judged)


@metric(kind="spans", reference=_CHUNKING, limits={"k": (1, inf)})
def SpanPrecision(relevant: np.ndarray, retrieved: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Span precision: the fraction of the characters retrieved down to rank k that are relevant.

    Examples
    --------
    >>> float(SpanPrecision(np.array([80.0, 20.0]), np.array([100.0, 80.0])).round(4))
    0.5556
    """
    return share(total(_top(relevant, k)), total(_top(retrieved, k)))


@metric(kind="spans", reference=_CHUNKING, limits={"k": (1, inf)})
def SpanIoU(
    relevant: np.ndarray, retrieved: np.ndarray, judged: np.ndarray, *, k: float = inf
) -> np.ndarray:
    """Span IoU: characters that are relevant and retrieved down to rank k, over those that are either.

    Examples
    --------
    >>> float(SpanIoU(np.array([80.0, 20.0]), np.array([100.0, 80.0]), np.array(140.0)).round(4))
    0.4545
    """
    both = total(_top(relevant, k))
    return share(both, judged + total(_top(retrieved, k)) - both)


@metric(kind="spans", reference="Järvelin and Kekäläinen 2002, of spans", limits={"k": (1, inf)})
def SpanNDCG(gain: np.ndarray, ideal: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Span nDCG: each relevant span counts at the rank at which it is covered first.

    The gain of a rank is the sum over spans of the fraction of the span that this chunk is the first to cover, times
    the grade of the span. The ideal has one document per rank, with all of its spans: no way of chunking can be better.

    Examples
    --------
    >>> float(SpanNDCG(np.array([0.0, 1.0]), np.array([1.0])).round(4))
    0.6309
    """
    return share(_discounted(_top(gain, k)), _discounted(_top(ideal, k)))


def _discounted(gain: np.ndarray) -> np.ndarray:
    """Return the discounted sum of gains over ranks."""
    return total(gain / log2(level(gain) + 1.0))


@metric(kind="abstention", reference="accuracy of abstaining")
def AbstentionAccuracy(abstained: np.ndarray, answerable: np.ndarray) -> np.ndarray:
    """Abstention accuracy: whether an answerable query was answered, or an unanswerable one was not.

    Examples
    --------
    >>> AbstentionAccuracy(np.array([False, True, True]), np.array([True, True, False])).tolist()
    [1.0, 0.0, 1.0]
    """
    return (abstained != answerable) * 1.0


@metric(kind="abstention", reference="precision of abstaining")
def AbstentionPrecision(abstained: np.ndarray, answerable: np.ndarray) -> np.ndarray:
    """Abstention precision: whether a query that was not answered is unanswerable; answered queries have no value.

    Examples
    --------
    >>> AbstentionPrecision(np.array([False, True, True]), np.array([True, True, False])).tolist()
    [nan, 0.0, 1.0]
    """
    return np.where(abstained, ~answerable * 1.0, nan)


@metric(kind="abstention", reference="recall of abstaining")
def AbstentionRecall(abstained: np.ndarray, answerable: np.ndarray) -> np.ndarray:
    """Abstention recall: whether an unanswerable query was not answered; answerable queries have no value.

    Examples
    --------
    >>> AbstentionRecall(np.array([False, True, True]), np.array([True, True, False])).tolist()
    [nan, nan, 1.0]
    """
    return np.where(answerable, nan, abstained * 1.0)
