"""Declarations of measures, preferences and orderings: catalog entries, and the decorators that make them.

The decorators read the signature of a kernel: positional parameters are the columns that it needs, keyword-only
parameters become parameters of the measure, `RBP(p=0.9)`; `@10` sets one of them.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypedDict, TypeVar, Unpack, overload

from pdeval.tables import NOISE
from pdeval.verbs import Registry, first_line

LIST_KINDS = ("binary", "graded", "judged", "signed", "subtopic", "items")  # of one ranking
Family = Literal["metric", "preference", "ordering", "set", "answer", "exposure"]
# families of kinds that are not of one ranking; all others are kinds of answers
FAMILIES: dict[str, Family] = {"set": "set", "exposure": "exposure"}
Path = Literal["", "recall-paired", "first", "last", "reciprocal", "interleaved"]
Kernel = TypeVar("Kernel", bound=Callable[..., Any])


@dataclass(frozen=True)
class Entry:
    """One catalog entry: a kernel and its properties.

    Parameters
    ----------
    kind : {'binary', 'graded', 'judged', 'signed', 'subtopic', 'items', 'set', 'exposure'} or str
        Items in the block of the kernel: those relevant at the level; all with a positive grade; all judged ones; all
        with a grade, negative grades included; relevant ones with their subtopics; those of the list by rank, judged
        or not; the catalog, for a measure of all lists of a run; exposure. Any other kind is one of answers: the name
        of their table, or of the verb that evaluates them.
    higher : bool
        Whether higher is better.
    range : tuple of float
        Smallest and largest value.
    at : str
        Parameter that `@10` sets; `at_prefix` precedes its value in the name (`ASL@g1-10`).
    aliases : mapping or names
        Names in other tools.
    limits : mapping of parameter to (least, largest)
        Ranges of the parameters.
    synonyms : mapping
        Values of parameters in other tools, and the parameters that they set.
    aggregate : {'mean', 'geometric mean', 'sum'}
        Aggregate over queries.
    expected : dict
        Kernel of the mean over all orders of tied items; see `expected_of`.
    empty : bool
        Whether the kernel accepts blocks without items, for queries without relevant items.
    padded : bool
        Whether a block may have topics with different numbers of items, padded with items of infinite rank and grade
        0. The parameter `m` of the kernel receives the numbers of items.
    together : mapping of parameter to value
        Parameters with which the kernel needs the lists of all topics in one block.
    compat : mapping of rule to parameters
        Parameters that `compat=` sets.
    read : mapping of parameter to function
        Functions that convert the text of a parameter to its value.
    level_hint : str
        Advice appended to errors about the level.
    population : {'', 'grades', 'subtopics'}
        Population of users that a preference averages over.
    path : str
        Fast computation over all pairs that equals the kernel of a preference; see `pdeval.evaluate.pairs`.
    weight : str
        Weight of the recall levels of a recall-paired preference, if the name defines it.
    test : str
        Default significance test of a preference.
    tolerance : float
        Largest difference between tied scores of an ordering; relative to the largest of `value` or `wins` if it uses
        one of these.
    """

    name: str
    family: Family
    kernel: Callable[..., Any]
    columns: tuple[str, ...]
    parameters: Mapping[str, Any]
    kind: str = "binary"
    higher: bool = True
    range: tuple[float, float] = (0.0, 1.0)
    at: str = "k"
    aliases: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    synonyms: Mapping[str, Mapping[Any, Mapping[str, Any]]] = field(default_factory=dict)
    aggregate: Literal["mean", "geometric mean", "sum"] = "mean"
    reference: str = ""
    expected: dict[str, Callable[..., Any]] = field(default_factory=dict)
    empty: bool = False
    padded: bool = False
    together: Mapping[str, Any] = field(default_factory=dict)
    compat: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    read: Mapping[str, Callable[[Any, str], Any]] = field(default_factory=dict)
    at_prefix: str = ""
    level_hint: str = ""
    population: Literal["", "grades", "subtopics"] = ""
    path: Path = ""
    weight: str = ""
    test: str = "t"
    tolerance: float = NOISE

    @cached_property
    def asks_m(self) -> bool:
        """Whether the kernel has the parameter `m`, the number of items of each topic."""
        return "m" in inspect.signature(self.kernel).parameters

    @cached_property
    def compat_only(self) -> frozenset[str]:
        """The parameters set by `compat=`, which are not part of the name."""
        return frozenset(name for rule in self.compat.values() for name in rule)

    @property
    def summary(self) -> str:
        """The first line of the kernel's docstring."""
        return first_line(self.kernel)


ENTRIES: Registry[Entry] = Registry(
    "measure",
    taken="pdeval already has a measure {name!r} ({summary}). Use another name, e.g. name='my{name}'.",
)


class Options(TypedDict, total=False):
    """Options of a declaration; see `Entry`."""

    kind: str
    higher: bool
    range: tuple[float, float]
    at: str
    aliases: Mapping[str, str] | Iterable[str]
    limits: Mapping[str, tuple[float, float]]
    synonyms: Mapping[str, Mapping[Any, Mapping[str, Any]]]
    aggregate: Literal["mean", "geometric mean", "sum"]
    reference: str
    empty: bool
    padded: bool
    together: Mapping[str, Any]
    compat: Mapping[str, Mapping[str, Any]]
    read: Mapping[str, Callable[[Any, str], Any]]
    at_prefix: str
    level_hint: str
    population: Literal["", "grades", "subtopics"]
    path: Path
    weight: str
    test: str
    tolerance: float


@overload
def metric(kernel: Kernel, /, *, name: str | None = None, **options: Unpack[Options]) -> Kernel: ...
@overload
def metric(
    kernel: None = None, /, *, name: str | None = None, **options: Unpack[Options]
) -> Callable[[Kernel], Kernel]: ...
def metric(
    kernel: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    **options: Unpack[Options],
) -> Any:
    """Register a kernel as a measure of one ranking.

    Parameters
    ----------
    kernel : callable
        Positional parameters are columns (`rank`, `grade`, `ideal`, `above`, `retrieved`, ...), keyword-only
        parameters with defaults become parameters of the measure.
    name : str, optional
        Name of the measure; by default the name of the function.
    **options
        `kind`, `higher`, `range`, `at`, `aliases`, `limits`, `synonyms`, `aggregate`, `reference`: see `Entry`.

    Examples
    --------
    >>> from pdeval.catalog import parse
    >>> @metric(range=(0, 1), reference="an example")
    ... def Top(rank, *, k: int = 3):
    ...     "Whether the first relevant item is within the first k."
    ...     return (rank[0] <= k) * 1.0
    >>> parse("Top@5").label
    'Top@5'
    >>> del ENTRIES["Top"]
    """
    return _declared("metric", kernel, name, options)


@overload
def preference(
    kernel: Kernel, /, *, name: str | None = None, **options: Unpack[Options]
) -> Kernel: ...
@overload
def preference(
    kernel: None = None, /, *, name: str | None = None, **options: Unpack[Options]
) -> Callable[[Kernel], Kernel]: ...
def preference(
    kernel: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    **options: Unpack[Options],
) -> Any:
    """Register a kernel of two rankings that is positive if the first is better; see `metric`.

    Examples
    --------
    >>> from pdeval.catalog import parse
    >>> @preference
    ... def sgnRR(x, y):
    ...     "Which ranking has the first relevant item at a better rank."
    ...     return (x[0] < y[0]) * 1.0 - (x[0] > y[0])
    >>> parse("sgnRR").entry.family
    'preference'
    >>> del ENTRIES["sgnRR"]
    """
    options.setdefault("range", (-1.0, 1.0))
    return _declared("preference", kernel, name, options)


@overload
def ordering(
    kernel: Kernel, /, *, name: str | None = None, **options: Unpack[Options]
) -> Kernel: ...
@overload
def ordering(
    kernel: None = None, /, *, name: str | None = None, **options: Unpack[Options]
) -> Callable[[Kernel], Kernel]: ...
def ordering(
    kernel: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    **options: Unpack[Options],
) -> Any:
    """Register a method of ordering runs, for `order(method=...)`.

    Parameters
    ----------
    kernel : callable
        Function that returns one score per run, higher is better, of shape (..., runs). Its positional parameters are
        arrays, selected by name. `value` and `wins`, of shape (..., runs): means over queries of the measure (higher is
        better) and of the win rates. `net` and `shared`, of shape (..., runs, runs): number of queries on which a run
        is above another minus those on which it is below, and number of queries with both. `surplus`, of shape
        (..., runs): sum of their quotients over the opponents. `worst_first`, of shape (..., runs, queries): values of
        each run, sorted from the worst. Keyword-only parameters become parameters of the ordering.
    name : str, optional
        Name of the ordering; by default the name of the function.
    **options
        `aliases`, `limits`, `compat`, `tolerance`, `reference`: see `Entry`.

    Examples
    --------
    >>> import numpy as np, pdeval
    >>> @ordering(reference="an example")
    ... def unbeaten(net):
    ...     "How many runs it does not lose to on more queries than it wins."
    ...     return (net >= 0).sum(axis=-1) * 1.0
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> scores.ireval.order(method="unbeaten").head(2)
             run measure    method  score  rank
    0  rerank-s1      AP  unbeaten   12.0     1
    1  rerank-s2      AP  unbeaten   11.0     2
    >>> del ENTRIES["unbeaten"]
    """
    options.setdefault("range", (-math.inf, math.inf))
    return _declared("ordering", kernel, name, options)


def expected_of(name: str) -> Callable[[Kernel], Kernel]:
    """Register a kernel as the mean of the measure `name` over the orders of tied items.

    Its columns are `start`, the number of items ranked above the tied group of the item, and `size`, the size of that
    group.

    Examples
    --------
    >>> "AP" in ENTRIES and bool(ENTRIES["AP"].expected)
    True
    """

    def declare(function: Kernel) -> Kernel:
        ENTRIES[name].expected["kernel"] = function
        return function

    return declare


def _declared(
    family: Family, kernel: Callable[..., Any] | None, name: str | None, options: Options
) -> Any:
    def declare(function: Kernel) -> Kernel:
        label = name or function.__name__
        columns, parameters = _read(function)
        names = options.get("aliases", ())
        aliases = names if isinstance(names, Mapping) else dict.fromkeys(names, label)
        given: dict[str, Any] = {**options, "aliases": aliases}
        kind = options.get("kind", "binary")
        group = FAMILIES.get(kind, family if kind in LIST_KINDS else "answer")
        entry = Entry(label, group, function, columns, parameters, **given)
        function.entry = ENTRIES.add(label, entry, function.__module__)  # type: ignore[attr-defined]
        return function

    return declare if kernel is None else declare(kernel)


def _read(function: Callable[..., Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the columns of a kernel, and its parameters with their defaults."""
    columns, parameters = [], {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            if parameter.default is parameter.empty:
                raise TypeError(
                    f"parameter {parameter.name!r} of {function.__name__} has no default. Add one, so that the name "
                    "without parameters is a measure."
                )
            parameters[parameter.name] = parameter.default
        elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(
                f"{function.__name__} has the parameter *{parameter.name}. Name all columns and parameters of a kernel."
            )
        elif (
            parameter.name != "m"
        ):  # passed only if a block has topics with different numbers of items
            columns.append(parameter.name)
    return tuple(columns), parameters
