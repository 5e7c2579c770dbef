"""User models of the C/W/L framework, one function each: the probability that a reader goes on from a rank.

Each is the measure of its name, too: the expected utility of its readers. See `pdeval.kernels.cwl`.
"""

from __future__ import annotations

import numpy as np

from pdeval.kernels.cwl import user_model
from pdeval.kernels.primitives import inf, log2, share

MOFFAT = "Moffat, Bailey, Scholer & Thomas 2015, INST: an adaptive metric for information retrieval evaluation"
ZHANG = "Zhang et al. 2017, Evaluating web search with a bejeweled player model"
NEARLY = "Azzopardi, Mackenzie & Moffat 2021, ERR is not C/W/L"
FORAGING = "Azzopardi, Thomas & Craswell 2018, Measuring the utility of search engine result pages"
LEAST = 1e-6  # of what something is divided by
ABOVE_ZERO = {"T": (LEAST, inf)}


@user_model(reference=MOFFAT, limits=ABOVE_ZERO)
def INST(rank: np.ndarray, total: np.ndarray, *, T: float = 1.0) -> np.ndarray:
    """INST: utility of a reader who wants gains of T in all, and goes on the rather, the more are missing.

    From rank i on with probability ((i + T + T_i - 1) / (i + T + T_i))^2, where T_i = T less the gains down to i. Gains
    are grades, divided by `max_grade`: the largest grade of the qrels unless given.

    Examples
    --------
    >>> grades = np.array([1.0, 1.0])
    >>> [float(INST(np.array(ranks), grades, 1).round(4)) for ranks in ([1.0, 2.0], [5.0, 9.0])]
    [0.8859, 0.0598]
    """
    return ((rank + 2 * T - total - 1) / (rank + 2 * T - total)) ** 2


@user_model(
    reference="Moffat, Scholer & Thomas 2012, Models and metrics: IR evaluation as a user process",
    limits=ABOVE_ZERO,
)
def INSQ(rank: np.ndarray, *, T: float = 1.0) -> np.ndarray:
    """INSQ: utility of a reader who wants gains of T in all, and goes on the rather, the deeper the rank.

    From rank i on with probability ((i + 2 T - 1) / (i + 2 T))^2, whatever was found. Gains are grades, divided by
    `max_grade`.

    Examples
    --------
    >>> grades = np.array([1.0, 1.0])
    >>> [float(INSQ(np.array(ranks), grades, 1).round(4)) for ranks in ([1.0, 2.0], [5.0, 9.0])]
    [0.5608, 0.0587]
    """
    return ((rank + 2 * T - 1) / (rank + 2 * T)) ** 2


@user_model(reference=ZHANG, limits=ABOVE_ZERO)
def BPM(total: np.ndarray, spent: np.ndarray, *, T: float = 1.0, k: float = 10) -> np.ndarray:
    """Bejeweled player model: gain per item of a reader who stops at gains of T, or after k items.

    Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> grades = np.array([1.0, 1.0])
    >>> float(BPM(np.array([2.0, 3.0]), grades, 1)), float(BPM(np.array([2.0, 3.0]), grades, 1, T=2.0))
    (0.5, 0.6666666666666666)
    """
    return ((total < T) & (spent < k)) * 1.0


@user_model(reference=ZHANG, limits=ABOVE_ZERO)
def BPMD(
    gain: np.ndarray,
    total: np.ndarray,
    spent: np.ndarray,
    *,
    T: float = 1.0,
    hb: float = 1.0,
    hc: float = 1.0,
    median: float = 0.5,
    k: float = 10,
) -> np.ndarray:
    """Dynamic bejeweled player model: as BPM, but each item moves what is wanted and how long to look for it.

    Every item that was passed moves T by hb and k by hc times its gain less `median`. cwl_eval leaves k as it is: hc=0.

    Examples
    --------
    >>> float(BPMD(np.array([2.0, 3.0]), np.array([1.0, 1.0]), 1))  # T falls to 0.5 before rank 2
    0.5
    """
    moved = np.cumsum(gain - median, axis=0) - (gain - median)
    wants = (total < T + hb * moved) & (spent < k + hc * moved)
    return np.logical_and.accumulate(wants, axis=0) * 1.0


@user_model(
    reference="Järvelin & Kekäläinen 2002; Moffat et al. 2012, scaled DCG",
    synonyms={"dcg": {"log2": {}}},
)
def SDCG(rank: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Scaled DCG: the mean gain of the first k items, weighed by 1 / log2(rank + 1).

    DCG divided by that of a list of k fully relevant items, or of n where there is no cutoff. Gains are grades, divided
    by `max_grade`.

    Examples
    --------
    >>> float(SDCG(np.array([1.0, 9.0]), np.array([1.0, 1.0]), 1, k=2).round(4))  # 1 / (1 + 1 / log2(3))
    0.6131
    """
    return np.where(rank < k, log2(rank + 1) / log2(rank + 2), 0.0)


@user_model(reference=f"{NEARLY}, eq. 8")
def NERR8(rank: np.ndarray, gain: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Nearly ERR, equation 8: gain per item of a reader whom an item of gain g stops with probability g.

    Nobody looks beyond rank k. Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(NERR8(np.array([2.0, 3.0]), np.array([1.0, 1.0]), 1, k=10))
    0.5
    """
    return np.where(rank < k, 1 - gain, 0.0)


@user_model(reference=f"{NEARLY}, eq. 9")
def NERR9(rank: np.ndarray, gain: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Nearly ERR, equation 9: as equation 8, but from rank i a reader goes on i / (i + 1) times as often.

    Nobody looks beyond rank k. Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(NERR9(np.array([2.0, 3.0]), np.array([1.0, 1.0]), 1, k=10).round(4))  # (1/2) / (1 + 1/2)
    0.3333
    """
    return np.where(rank < k, rank / (rank + 1) * (1 - gain), 0.0)


@user_model(reference=f"{NEARLY}, eq. 10", limits={"p": (0, 1)})
def NERR10(gain: np.ndarray, *, p: float = 0.9) -> np.ndarray:
    """Nearly ERR, equation 10: as equation 8, but a reader goes on p times as often; no cutoff.

    Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(NERR10(np.array([2.0, 3.0]), np.array([1.0, 1.0]), 1, p=0.5).round(4))  # (1/2) / (1 + 1/2)
    0.3333
    """
    return p * (1 - gain)


@user_model(reference=f"{NEARLY}, eq. 11", limits=ABOVE_ZERO)
def NERR11(rank: np.ndarray, gain: np.ndarray, *, T: float = 1.0) -> np.ndarray:
    """Nearly ERR, equation 11: as equation 8, but a reader goes on as that of INSQ does; no cutoff.

    Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(NERR11(np.array([2.0, 3.0]), np.array([1.0, 1.0]), 1).round(4))  # (4/9) / (1 + 4/9)
    0.3077
    """
    return ((rank + 2 * T - 1) / (rank + 2 * T)) ** 2 * (1 - gain)


@user_model(
    reference="Smucker & Clarke 2012, Time-based calibration of effectiveness measures",
    limits={"halflife": (LEAST, inf)},
)
def TBG(rank: np.ndarray, cost: np.ndarray, *, halflife: float = 224.0) -> np.ndarray:
    """Time-biased gain: utility of readers of whom half are left after `halflife` units of cost.

    An item costs 1 unless the costs are given (`pdeval.kernels.expectations`); the weights add up to 1, as in cwl_eval.
    Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(TBG(np.array([1.0, 3.0]), np.array([1.0, 1.0]), 1, halflife=1.0))  # (1 + 1/4) / 2
    0.625
    """
    return np.where(rank < len(rank), 2.0 ** (-cost / halflife), 0.0)


@user_model(
    reference="Sakai & Dou 2013, Summaries, ranked retrieval and sessions",
    name="U",
    limits={"L": (LEAST, inf)},
)
def U_measure(
    rank: np.ndarray, cost: np.ndarray, spent: np.ndarray, *, L: float = 1000.0
) -> np.ndarray:
    """U-measure: utility of a reader who loses interest evenly until L units of text were read.

    An item has 1 unit of text unless costs are given (`pdeval.kernels.expectations`); the weights add up to 1, and the
    last rank has none, as in cwl_eval. Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(U_measure(np.array([1.0, 3.0]), np.array([1.0, 1.0]), 1, L=4.0))  # (1 + 1/2) / (1 + 3/4 + 1/2 + 1/4)
    0.6
    """
    here, after = (np.maximum(1 - read / L, 0.0) for read in (spent - cost, spent))
    return np.where(rank < len(rank) - 1, share(after, here), 0.0)


@user_model(
    reference="Azzopardi 2014, Modelling interaction with economic models of search",
    limits={"beta": (0, 1)},
)
def SET(rank: np.ndarray, *, beta: float = 0.5, k: float = 10) -> np.ndarray:
    """Search economic measure: the mean gain of the first k items, weighed by (i + 1)^beta - i^beta at rank i.

    Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(SET(np.array([1.0, 9.0]), np.array([1.0, 1.0]), 1, beta=1.0, k=2))
    0.5
    """
    weight = (rank + 1) ** beta - rank**beta
    after = (rank + 2) ** beta - (rank + 1) ** beta
    return np.where(rank < k, share(after, weight), 0.0)


def goal(total: np.ndarray, T: float, b1: float, R1: float) -> np.ndarray:
    """Return how probable it is to go on with these gains where T are wanted."""
    return 1 - 1 / (1 + b1 * np.exp((T - total) * R1))


def rate(total: np.ndarray, spent: np.ndarray, A: float, b2: float, R2: float) -> np.ndarray:
    """Return how probable it is to go on at this rate of gain where A is what other lists give."""
    return 1 / (1 + b2 * np.exp((A - total / spent) * R2))


@user_model(reference=FORAGING, name="IFT-goal", limits=ABOVE_ZERO)
def IFT_goal(total: np.ndarray, *, T: float = 2.0, b1: float = 0.9, R1: float = 10.0) -> np.ndarray:
    """Information foraging, goal-sensitive: utility of a reader who stops the rather, the nearer the gains are to T.

    Goes on with probability 1 - 1 / (1 + b1 e^(R1 (T - gains so far))). Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(IFT_goal(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 1).round(2))
    0.69
    """
    return goal(total, T, b1, R1)


@user_model(reference=FORAGING, name="IFT-rate")
def IFT_rate(
    total: np.ndarray, spent: np.ndarray, *, A: float = 0.2, b2: float = 0.9, R2: float = 10.0
) -> np.ndarray:
    """Information foraging, rate-sensitive: utility of a reader who stops where gain per cost falls below A.

    Goes on with probability 1 / (1 + b2 e^(R2 (A - rate of gain so far))). Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(IFT_rate(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 1).round(2))
    0.26
    """
    return rate(total, spent, A, b2, R2)


@user_model(reference=FORAGING, limits=ABOVE_ZERO)
def IFT(
    total: np.ndarray,
    spent: np.ndarray,
    *,
    T: float = 2.0,
    b1: float = 0.9,
    R1: float = 10.0,
    A: float = 0.2,
    b2: float = 0.9,
    R2: float = 10.0,
) -> np.ndarray:
    """Information foraging: utility of a reader who stops near gains of T, or where gain per cost falls below A.

    Goes on with the product of the probabilities of IFT-goal and IFT-rate. Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(IFT(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 1).round(2))
    0.7
    """
    return goal(total, T, b1, R1) * rate(total, spent, A, b2, R2)


# how readers go on by measures that are elsewhere, for what their readers gain in all, and how far they go
@user_model(name="RBP", measure=False)
def going_on_evenly(rank: np.ndarray, *, p: float = 0.8) -> np.ndarray:
    """Return p at every rank, the reader of rank-biased precision."""
    return np.full(np.shape(rank), float(p))


@user_model(name="P", measure=False)
def going_on_to_the_cutoff(rank: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Return 1 down to the cutoff, the reader of precision."""
    return (rank < k) * 1.0


@user_model(name="RR", measure=False)
def going_on_to_the_first(total: np.ndarray) -> np.ndarray:
    """Return 1 until something is found, the reader of reciprocal rank."""
    return (total == 0) * 1.0


@user_model(name="AP", measure=False)
def going_on_for_precision(rank: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Return the share of gain / rank that is still to come, the reader of average precision, who knows the list."""
    ahead = np.cumsum((gain / rank)[::-1], axis=0)[::-1]
    after = np.concatenate([ahead[1:], np.zeros_like(ahead[:1])])
    return share(after, ahead)
