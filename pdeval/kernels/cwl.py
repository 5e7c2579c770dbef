"""The C/W/L framework: the gains and costs of users follow from one function, the probability that they continue.

A user model defines C(i), the probability that a user who looked at rank i looks at rank i + 1. It determines V(i),
the probability of looking at rank i (the product of C above it), W(i) = V(i) / sum of V, the fraction of attention
of rank i, and L(i) = V(i) (1 - C(i)), the probability that rank i is the last one. Then

    expected utility            sum of W gain           the measure of the model's name: gain per item looked at
    expected total utility      sum of L (gains so far)
    expected cost               sum of W cost
    expected total cost         sum of L (costs so far)
    expected depth              1 / W(1)

Axis 0 of every array is the rank, from 1 to the depth n, beyond which no user looks (Moffat, Bailey, Scholer & Thomas
2017; Azzopardi, Thomas & Moffat 2019, cwl_eval).
"""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as np

from pdeval.catalog import metric, parse, same
from pdeval.kernels.primitives import inf, level, log2, running, share, total
from pdeval.verbs import Registry

FRAMEWORK = (
    "Azzopardi, Thomas & Moffat 2019, cwl_eval: an evaluation tool for information retrieval"
)
ZHANG = "Zhang et al. 2017, Evaluating web search with a bejeweled player model"
NEARLY = "Azzopardi, Mackenzie & Moffat 2021, ERR is not C/W/L"
FORAGING = "Azzopardi, Thomas & Craswell 2018, Measuring the utility of search engine result pages"
LEAST = 1e-6  # of what something is divided by
ABOVE_ZERO = {"T": (LEAST, inf)}
Going = TypeVar("Going", bound=Callable[..., Any])
DEPTH = 1000
LIMITS = {"max_grade": (0, inf), "min_grade": (0, inf), "n": (1, inf)}
CELLS = 1 << 18  # ranks times lists that are looked at together
COLUMNS = ("rank", "gain", "total", "cost", "spent")


class Model(NamedTuple):
    """A user model: its continuation function, the columns that it selects, and its parameters with defaults."""

    going_on: Callable[..., Any]
    columns: tuple[str, ...]
    parameters: Mapping[str, Any]


MODELS: Registry[Model] = Registry("user model", replace="always")


class Expected(NamedTuple):
    """Gains and costs of users, each with the shape of the lists."""

    utility: np.ndarray
    total_utility: np.ndarray
    cost: np.ndarray
    total_cost: np.ndarray
    depth: np.ndarray


def expectations(
    model: str, gain: np.ndarray, cost: np.ndarray | float = 1.0, **parameters: Any
) -> Expected:
    """Return the gains and costs of users of a model on lists with known gains and costs at each rank.

    Parameters
    ----------
    model : str
        The name of a user model, such as "INST".
    gain : ndarray of shape (n, ...)
        The gain of the item at each rank, from 0 to 1; further axes are lists.
    cost : float or ndarray of shape (n, ...)
        Cost of examining the item at each rank.
    **parameters
        Parameters of the model.

    Examples
    --------
    A user who continues with probability 1/2 examines two items of an endless list.

    >>> result = expectations("RBP", np.array([1.0, 0.0, 1.0] + [0.0] * 50), p=0.5)
    >>> float(result.utility.round(9)), float(result.total_utility.round(9)), float(result.depth.round(9))
    (0.625, 1.25, 2.0)
    """
    known = MODELS[model]
    gain = np.asarray(gain, dtype=np.float64)
    cost = np.broadcast_to(np.asarray(cost, dtype=np.float64), gain.shape)
    columns = {
        "rank": level(gain),
        "gain": gain,
        "cost": cost,
        "total": running(gain),
        "spent": running(cost),
    }
    going_on = known.going_on(
        *[columns[name] for name in known.columns], **{**known.parameters, **parameters}
    )
    going_on = np.broadcast_to(np.asarray(going_on, dtype=np.float64), gain.shape)
    # V(i): everybody looks at rank 1, and at rank i with the product of C above it
    seen = np.concatenate([np.ones_like(gain[:1]), np.multiply.accumulate(going_on[:-1], axis=0)])
    looks, last = total(seen), seen * (1.0 - going_on)
    return Expected(
        total(seen * gain) / looks,
        total(last * columns["total"]),
        total(seen * cost) / looks,
        total(last * columns["spent"]),
        looks,
    )


def of_ranks(
    model: str,
    value: str,
    rank: np.ndarray,
    gain: np.ndarray,
    *,
    n: int,
    cost: float = 1.0,
    **parameters: Any,
) -> np.ndarray:
    """Return one of the expectations of lists that are given by the ranks of their items with a gain, down to rank n.

    Where the model has a cutoff `k` of ranks, those beyond it are left out.

    Examples
    --------
    >>> float(of_ranks("RBP", "utility", np.array([1.0, 3.0]), np.array([1.0, 1.0]), n=50, p=0.5).round(9))
    0.625
    """
    rank = np.asarray(rank)
    shape, lists = rank.shape[1:], math.prod(rank.shape[1:])
    depth = int(n if "spent" in MODELS[model].columns else min(n, parameters.get("k", inf)))
    rank, gain = (
        rank.reshape(len(rank), lists),
        np.broadcast_to(gain, rank.shape).reshape(len(rank), lists),
    )
    result = np.empty(lists)
    step = max(CELLS // depth, 1)  # lists at a time, to bound memory
    for first in range(0, lists, step):
        part = slice(first, first + step)
        near, near_gain = rank[:, part], gain[:, part]
        # from sparse (rank, gain) to gains at every rank
        dense = np.zeros((depth, near.shape[1]))
        item, place = np.nonzero(near <= depth)
        dense[near[item, place].astype(np.int64) - 1, place] = near_gain[item, place]
        result[part] = getattr(expectations(model, dense, cost, **parameters), value)
    return result.reshape(shape)


def scaled(
    grade: np.ndarray, top_grade: float, max_grade: float | None = None, min_grade: float = 0.0
) -> np.ndarray:
    """Return grades as gains from 0 to 1: (grade - min_grade) / (max_grade - min_grade), those outside as its ends.

    Examples
    --------
    >>> scaled(np.array([1.0, 2.0, 3.0]), 3, max_grade=2).tolist()
    [0.5, 1.0, 1.0]
    """
    highest = top_grade if max_grade is None else max_grade
    if max_grade is not None and not max_grade > min_grade:
        raise ValueError(f"max_grade={max_grade!r} must be above min_grade={min_grade!r}.")
    gain = share(
        np.asarray(grade, dtype=np.float64) - min_grade, float(max(highest - min_grade, 0.0))
    )
    return np.clip(gain, 0.0, 1.0)


@overload
def user_model(function: Going, /) -> Callable[..., Any]: ...
@overload
def user_model(
    function: None = None,
    /,
    *,
    name: str | None = None,
    reference: str = FRAMEWORK,
    aliases: Mapping[str, str] | Iterable[str] = (),
    limits: Mapping[str, tuple[float, float]] | None = None,
    synonyms: Mapping[str, Mapping[Any, Mapping[str, Any]]] | None = None,
    measure: bool = True,
) -> Callable[[Going], Callable[..., Any]]: ...
def user_model(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    reference: str = FRAMEWORK,
    aliases: Mapping[str, str] | Iterable[str] = (),
    limits: Mapping[str, tuple[float, float]] | None = None,
    synonyms: Mapping[str, Mapping[Any, Mapping[str, Any]]] | None = None,
    measure: bool = True,
) -> Any:
    """Register a function as a user model of the C/W/L framework, and its expected utility as a measure.

    Parameters
    ----------
    function : callable
        The probability of going on from each rank to the next. It asks by name for arrays whose axis 0 is the rank:
        `rank`, from 1; `gain`, from 0 to 1; `total`, the gains so far; `cost`; `spent`, the costs so far. Keyword-only
        parameters with defaults are those of the model; `k`, which `@10` sets, is the last rank that users examine.
    name : str, optional
        Name of the model; by default the name of the function.
    reference : str
        Publication.
    aliases, limits, synonyms
        Other names, as in `pdeval.metric`.
    measure : bool
        Whether its expected utility becomes a measure of that name.

    Examples
    --------
    >>> import pdeval
    >>> @pdeval.user_model(reference="an example")
    ... def Hurried(rank, total, *, T: float = 1.0):
    ...     "Reader in a hurry, who goes on with probability 1/2 until the gain is T."
    ...     return np.where(total < T, 0.5, 0.0)
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.measure(["Hurried", "ED(model=Hurried)"]).head(2).round(4)
        run query_id            measure   value
    0  bm25      101            Hurried  0.5556
    1  bm25      101  ED(model=Hurried)  1.5000
    >>> from pdeval.catalog import ENTRIES
    >>> del ENTRIES["Hurried"], MODELS["Hurried"]
    """

    def declare(going_on: Going) -> Callable[..., Any]:
        label = name or going_on.__name__
        parameters = inspect.signature(going_on).parameters.values()
        columns = tuple(one.name for one in parameters if one.kind is not one.KEYWORD_ONLY)
        if unknown := [one for one in columns if one not in COLUMNS]:
            raise TypeError(
                f"a user model has no column {unknown[0]!r}; the columns are {', '.join(COLUMNS)}."
            )
        keywords = [one for one in parameters if one.kind is one.KEYWORD_ONLY]
        MODELS.add(label, Model(going_on, columns, {one.name: one.default for one in keywords}))
        if not measure:
            return going_on
        return metric(
            _kernel(label, going_on, keywords),
            name=label,
            kind="graded",
            reference=reference,
            aliases=aliases,
            limits={**LIMITS, **(limits or {})},
            synonyms=synonyms or {},
            padded=True,
        )

    return declare if function is None else declare(function)


def _kernel(
    name: str, going_on: Callable[..., Any], keywords: list[inspect.Parameter]
) -> Callable[..., Any]:
    """Return the kernel of the expected utility of a model, with the parameters of the model."""

    def kernel(
        rank: np.ndarray,
        grade: np.ndarray,
        top_grade: float,
        *,
        max_grade: float | None = None,
        min_grade: float = 0.0,
        n: int = DEPTH,
        **parameters: Any,
    ) -> np.ndarray:
        gain = scaled(grade, top_grade, max_grade, min_grade)
        return of_ranks(name, "utility", rank, gain, n=int(n), **parameters)

    # the kernel has the parameters of the model, its cutoff last: the catalog reads its signature
    signature = inspect.signature(kernel)
    columns = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    first, last = (
        [one for one in keywords if (one.name == "k") is cutoff] for cutoff in (False, True)
    )
    parameters = [*columns[:3], *first, *columns[3:], *last]
    kernel.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    kernel.__annotations__ = {**kernel.__annotations__, **going_on.__annotations__}
    kernel.__annotations__.pop("parameters")
    for about in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(kernel, about, getattr(going_on, about))
    return kernel


Gain = Literal["graded", "binary"]


def read_model(value: Any, text: str) -> str:
    """Return the name of a user model with its parameters, as pdeval writes it.

    Examples
    --------
    >>> read_model("INST(T=2.0)", "ETU(model=INST(T=2.0))"), read_model("BPM @ 20", "ETU(model=BPM@20)")
    ('INST(T=2)', 'BPM@20')
    >>> read_model("nDCG", "ETU(model=nDCG)")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: model=nDCG in 'ETU(model=nDCG)' is not a user model; the user models are INST, INSQ, BPM, ...
    """
    meant = parse(str(value))
    if meant.entry.name not in MODELS:
        raise ValueError(
            f"model={value} in {text!r} is not a user model; the user models are {', '.join(MODELS)}."
        )
    model_parameters, defaults = MODELS[meant.entry.name].parameters, meant.entry.parameters
    other = [
        name
        for name, value_set in meant.parameters.items()
        if name not in model_parameters and not same(value_set, defaults[name])
    ]
    if other or meant.level is not None or meant.judged_only:
        what = ", ".join(model_parameters) or "(none)"
        raise ValueError(
            f"model={value} in {text!r}: the user model has the parameters {what}. Move the others out of model=."
        )
    return meant.spelled


def _of_model(
    value: str,
    rank: np.ndarray,
    grade: np.ndarray,
    top_grade: float,
    model: str,
    gain: Gain,
    max_grade: float | None,
    min_grade: float,
    n: int,
    cost: float = 1.0,
) -> np.ndarray:
    """Return one of the expectations of a model that is given by its name and parameters, as in `INST(T=2)`."""
    meant = parse(model)
    model_parameters = {
        name: meant.parameters[name] for name in MODELS[meant.entry.name].parameters
    }
    gains = (
        (np.asarray(grade) > 0) * 1.0
        if gain == "binary"
        else scaled(grade, top_grade, max_grade, min_grade)
    )
    return of_ranks(meant.entry.name, value, rank, gains, n=int(n), cost=cost, **model_parameters)


@metric(
    kind="graded",
    reference=FRAMEWORK,
    range=(0, inf),
    limits=LIMITS,
    read={"model": read_model},
    padded=True,
)
def ETU(
    rank: np.ndarray,
    grade: np.ndarray,
    top_grade: float,
    *,
    model: str = "INST",
    gain: Gain = "graded",
    max_grade: float | None = None,
    min_grade: float = 0.0,
    n: int = DEPTH,
) -> np.ndarray:
    """Expected total utility: the total gain of a user of the model, ETU(model=INST(T=2)).

    The sum over ranks of the gains so far times the probability that the user stops there. Gains are grades, divided
    by `max_grade`; `gain="binary"` has 1 for each relevant item.

    Examples
    --------
    >>> float(ETU(np.array([1.0, 3.0]), np.array([1.0, 1.0]), 1, model="P@3"))
    2.0
    """
    return _of_model("total_utility", rank, grade, top_grade, model, gain, max_grade, min_grade, n)


COSTS: dict[str, Any] = {"kind": "graded", "reference": FRAMEWORK, "higher": False, "empty": True}


@metric(**COSTS, range=(1, inf), limits=LIMITS, read={"model": read_model})
def ED(
    rank: np.ndarray,
    grade: np.ndarray,
    top_grade: float,
    *,
    model: str = "INST",
    gain: Gain = "graded",
    max_grade: float | None = None,
    min_grade: float = 0.0,
    n: int = DEPTH,
) -> np.ndarray:
    """Expected depth: the number of items that a user of the model examines, ED(model=INST(T=2)).

    Lower is better: the user is satisfied at a better rank. Gains as in ETU.

    Examples
    --------
    >>> float(ED(np.array([4.0, 9.0]), np.array([1.0, 1.0]), 1, model="RR"))
    4.0
    """
    return _of_model("depth", rank, grade, top_grade, model, gain, max_grade, min_grade, n)


@metric(**COSTS, range=(0, inf), limits={**LIMITS, "cost": (0, inf)}, read={"model": read_model})
def ETC(
    rank: np.ndarray,
    grade: np.ndarray,
    top_grade: float,
    *,
    model: str = "INST",
    gain: Gain = "graded",
    cost: float = 1.0,
    max_grade: float | None = None,
    min_grade: float = 0.0,
    n: int = DEPTH,
) -> np.ndarray:
    """Expected total cost: the total cost of a user of the model, with `cost` per examined item.

    The sum over ranks of the costs so far times the probability that the user stops there. Gains as in ETU. For costs
    that differ by item there is `pdeval.kernels.expectations`.

    Examples
    --------
    >>> float(ETC(np.array([4.0, 9.0]), np.array([1.0, 1.0]), 1, model="RR", cost=2.0))
    8.0
    """
    return _of_model(
        "total_cost", rank, grade, top_grade, model, gain, max_grade, min_grade, n, cost
    )


@user_model(
    reference="Moffat, Bailey, Scholer & Thomas 2015, INST: an adaptive metric for information retrieval evaluation",
    limits=ABOVE_ZERO,
)
def INST(rank: np.ndarray, total: np.ndarray, *, T: float = 1.0) -> np.ndarray:
    """INST: utility of a user who wants a total gain of T, and is more likely to continue the more is missing.

    The user continues at rank i with probability ((i + T + T_i - 1) / (i + T + T_i))^2, where T_i is T minus the gains
    down to rank i. Gains
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
    """INSQ: utility of a user who wants a total gain of T, and is more likely to continue at deeper ranks.

    The user continues after rank i with probability ((i + 2 T - 1) / (i + 2 T))^2, independently of the items. Gains
    are grades, divided by `max_grade`.

    Examples
    --------
    >>> grades = np.array([1.0, 1.0])
    >>> [float(INSQ(np.array(ranks), grades, 1).round(4)) for ranks in ([1.0, 2.0], [5.0, 9.0])]
    [0.5608, 0.0587]
    """
    return ((rank + 2 * T - 1) / (rank + 2 * T)) ** 2


@user_model(reference=ZHANG, limits=ABOVE_ZERO)
def BPM(total: np.ndarray, spent: np.ndarray, *, T: float = 1.0, k: float = 10) -> np.ndarray:
    """Bejeweled player model: gain per item of a user who stops at a gain of T or after k items.

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
    """Dynamic bejeweled player model: as BPM, but each item changes the wanted gain and the patience of the user.

    Every item that was passed moves T by hb and k by hc times its gain less `median`. cwl_eval leaves k as it is: hc=0.

    Examples
    --------
    >>> float(BPMD(np.array([2.0, 3.0]), np.array([1.0, 1.0]), 1))  # T falls to 0.5 before rank 2
    0.5
    """
    moved = np.cumsum(gain - median, axis=0) - (gain - median)
    wants = (total < T + hb * moved) & (spent < k + hc * moved)
    # once a user stops, the user does not continue at later ranks
    return np.logical_and.accumulate(wants, axis=0) * 1.0


@user_model(
    reference="Järvelin & Kekäläinen 2002; Moffat et al. 2012, scaled DCG",
    synonyms={"dcg": {"log2": {}}},
)
def SDCG(rank: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Scaled DCG: the mean gain of the first k items, weighted by 1 / log2(rank + 1).

    DCG divided by that of a list of k fully relevant items, or of n without a cutoff. Gains are grades, divided
    by `max_grade`.

    Examples
    --------
    >>> float(SDCG(np.array([1.0, 9.0]), np.array([1.0, 1.0]), 1, k=2).round(4))  # 1 / (1 + 1 / log2(3))
    0.6131
    """
    return np.where(rank < k, log2(rank + 1) / log2(rank + 2), 0.0)


@user_model(reference=f"{NEARLY}, eq. 8")
def NERR8(rank: np.ndarray, gain: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Nearly ERR, equation 8: gain per item of a user who stops at an item of gain g with probability g.

    Users stop at rank k. Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(NERR8(np.array([2.0, 3.0]), np.array([1.0, 1.0]), 1, k=10))
    0.5
    """
    return np.where(rank < k, 1 - gain, 0.0)


@user_model(reference=f"{NEARLY}, eq. 9")
def NERR9(rank: np.ndarray, gain: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Nearly ERR, equation 9: as equation 8, with the continuation probability at rank i multiplied by i / (i + 1).

    Users stop at rank k. Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(NERR9(np.array([2.0, 3.0]), np.array([1.0, 1.0]), 1, k=10).round(4))  # (1/2) / (1 + 1/2)
    0.3333
    """
    return np.where(rank < k, rank / (rank + 1) * (1 - gain), 0.0)


@user_model(reference=f"{NEARLY}, eq. 10", limits={"p": (0, 1)})
def NERR10(gain: np.ndarray, *, p: float = 0.9) -> np.ndarray:
    """Nearly ERR, equation 10: as equation 8, with the continuation probability multiplied by p; no cutoff.

    Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(NERR10(np.array([2.0, 3.0]), np.array([1.0, 1.0]), 1, p=0.5).round(4))  # (1/2) / (1 + 1/2)
    0.3333
    """
    return p * (1 - gain)


@user_model(reference=f"{NEARLY}, eq. 11", limits=ABOVE_ZERO)
def NERR11(rank: np.ndarray, gain: np.ndarray, *, T: float = 1.0) -> np.ndarray:
    """Nearly ERR, equation 11: as equation 8, with the continuation probability multiplied by that of INSQ; no cutoff.

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
    """Time-biased gain: utility of users, half of whom continue after `halflife` units of cost.

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
    """U-measure: utility of a user whose interest decreases linearly until L units of text were read.

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
    reference="Azzopardi 2014, Modeling interaction with economic models of search",
    limits={"beta": (0, 1)},
)
def SET(rank: np.ndarray, *, beta: float = 0.5, k: float = 10) -> np.ndarray:
    """Search economic measure: the mean gain of the first k items, weighted by (i + 1)^beta - i^beta at rank i.

    Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(SET(np.array([1.0, 9.0]), np.array([1.0, 1.0]), 1, beta=1.0, k=2))
    0.5
    """
    weight = (rank + 1) ** beta - rank**beta
    after = (rank + 2) ** beta - (rank + 1) ** beta
    return np.where(rank < k, share(after, weight), 0.0)


@user_model(reference=FORAGING, name="IFT-goal", limits=ABOVE_ZERO)
def IFT_goal(total: np.ndarray, *, T: float = 2.0, b1: float = 0.9, R1: float = 10.0) -> np.ndarray:
    """Information foraging, goal-sensitive: utility of a user who is more likely to stop the nearer the gain is to T.

    Goes on with probability 1 - 1 / (1 + b1 e^(R1 (T - gains so far))). Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(IFT_goal(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 1).round(2))
    0.69
    """
    return 1 - 1 / (1 + b1 * np.exp((T - total) * R1))


@user_model(reference=FORAGING, name="IFT-rate")
def IFT_rate(
    total: np.ndarray, spent: np.ndarray, *, A: float = 0.2, b2: float = 0.9, R2: float = 10.0
) -> np.ndarray:
    """Information foraging, rate-sensitive: utility of a user who stops if gain per cost falls below A.

    Goes on with probability 1 / (1 + b2 e^(R2 (A - rate of gain so far))). Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(IFT_rate(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 1).round(2))
    0.26
    """
    return 1 / (1 + b2 * np.exp((A - total / spent) * R2))


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
    """Information foraging: utility of a user who stops near a gain of T, or if gain per cost falls below A.

    Goes on with the product of the probabilities of IFT-goal and IFT-rate. Gains are grades, divided by `max_grade`.

    Examples
    --------
    >>> float(IFT(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 1).round(2))
    0.7
    """
    goal, rate = (MODELS[name].going_on for name in ("IFT-goal", "IFT-rate"))
    return goal(total, T=T, b1=b1, R1=R1) * rate(total, spent, A=A, b2=b2, R2=R2)


# user models of measures declared in other modules, for ETU, ED and ETC
@user_model(name="RBP", measure=False)
def going_on_evenly(rank: np.ndarray, *, p: float = 0.8) -> np.ndarray:
    """Return p at every rank: rank-biased precision."""
    return np.full(np.shape(rank), float(p))


@user_model(name="P", measure=False)
def going_on_to_the_cutoff(rank: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Return 1 down to the cutoff: precision."""
    return (rank < k) * 1.0


@user_model(name="RR", measure=False)
def going_on_to_the_first(total: np.ndarray) -> np.ndarray:
    """Return 1 until the first relevant item: reciprocal rank."""
    return (total == 0) * 1.0


@user_model(name="AP", measure=False)
def going_on_for_precision(rank: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Return the continuation probabilities of average precision: the fraction of gain / rank at later ranks."""
    ahead = np.cumsum((gain / rank)[::-1], axis=0)[::-1]
    return share(np.concatenate([ahead[1:], np.zeros_like(ahead[:1])]), ahead)
