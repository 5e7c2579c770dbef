"""Declarations of measures, preferences and orderings: catalog entries, and the decorators that make them.

The decorators read a function's signature: positional parameters are the columns that it asks for, keyword-only
parameters are its own and become the grammar, `RBP(p=0.9)`, where `@10` sets one of them.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypedDict, TypeVar, Unpack, overload

from pdeval.tables.equal_values import NOISE
from pdeval.verbs.registry import Registry, first_line

Kind = Literal["binary", "graded", "judged", "subtopic", "items", "set"]
Family = Literal["metric", "preference", "ordering", "set"]
Path = Literal["", "recall-paired", "first", "last", "reciprocal", "interleaved"]
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

ENTRIES: Registry[Entry] = Registry(
    "measure",
    taken="pdeval has a measure {name!r} ({summary}); give yours another name, e.g. name='my{name}'.",
)


@dataclass(frozen=True)
class Entry:
    """One catalog entry: a kernel and what has to be known about it.

    Parameters
    ----------
    kind : {'binary', 'graded', 'judged', 'subtopic', 'items', 'set'}
        The items that the kernel's block holds: those relevant at the level, all of positive grade, all judged,
        relevant ones with their subtopics; those of the list, judged or not, rank by rank; or, of a measure of all
        lists of a run together, the catalogue.
    higher : bool
        Whether more is better.
    range : tuple of float
        The least and the largest value.
    at : str
        The parameter that `@10` sets; `at_prefix` stands before it in the name (`ASL@g1-10`).
    aliases : mapping or names
        What other tools call it.
    limits : mapping of parameter to (least, largest)
        What parameters may be.
    synonyms : mapping
        Values of parameters that other tools use, and what they set here.
    aggregate : {'mean', 'geometric mean', 'sum'}
        How it is summed up over queries.
    expected : dict
        The kernel of its mean over the orders of tied items; see `expected_of`.
    empty : bool
        Whether the kernel copes with no items, so that it is called for a query without relevant ones too.
    padded : bool
        Whether the kernel may be given topics of different numbers of items side by side, the shorter filled up with
        items of infinite rank and grade 0. It asks for the numbers themselves as `m`, where it needs them.
    together : mapping of parameter to value
        The parameters with which it looks at the lists of all topics at once, and needs them in one block.
    compat : mapping of rule to parameters
        What `compat=` sets.
    read : mapping of parameter to function
        How a parameter's text becomes its value.
    level_hint : str
        What an error about its level adds.
    population : {'', 'grades', 'subtopics'}
        Of a preference: the users that it averages over.
    path : str
        Of a preference: the fast way over all pairs that equals its kernel, see `pdeval.evaluate.pairs`.
    weight : str
        Of a recall-paired preference: the weight of recall levels, where the name fixes it.
    test : str
        Of a preference: the significance test that fits it by default.
    tolerance : float
        Of an ordering: scores nearer than this are tied; of one that asks for `value` or `wins`, as a share of the
        largest of these.
    """

    name: str
    family: Family
    kernel: Callable[..., Any]
    columns: tuple[str, ...]
    parameters: Mapping[str, Any]
    kind: Kind = "binary"
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
        """Whether the kernel takes the number of items of each topic."""
        return "m" in inspect.signature(self.kernel).parameters

    @cached_property
    def compat_only(self) -> frozenset[str]:
        """The parameters that follow `compat=` and are no part of the name."""
        return frozenset(name for rule in self.compat.values() for name in rule)

    @property
    def summary(self) -> str:
        """The first line of the kernel's docstring."""
        return first_line(self.kernel)


class Options(TypedDict, total=False):
    """What a declaration may say of its kernel; `Entry` says what each means."""

    kind: Kind
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
        parameters with defaults are the measure's own.
    name : str, optional
        The measure's name where it is not the function's.
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
    """Register a kernel of two rankings, positive where the first is better; see `metric`.

    Examples
    --------
    >>> from pdeval.catalog import parse
    >>> @preference
    ... def sgnRR(x, y):
    ...     "Which ranking has the first relevant item sooner."
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
    """Register a way of ordering many runs, which `order(method=...)` then knows.

    Parameters
    ----------
    kernel : callable
        Its positional parameters say what it asks for: `value` and `wins`, the means over queries of the measure (more
        is better) and of the win rates, of shape (..., runs); `net` and `shared`, of shape (..., runs, runs), by how
        many queries a run is above another more than below, and how many queries have both; `surplus`, of shape
        (..., runs), the sum of their quotients over the opponents; `worst_first`, of shape (..., runs, queries), what
        each run has on its queries from the worst up. It returns one score per run, more is
        better, of shape (..., runs): reduce the last axis. Keyword-only parameters are its own.
    name : str, optional
        The ordering's name where it is not the function's.
    **options
        `aliases`, `limits`, `compat`, `tolerance`, `reference`: see `Entry`.

    Examples
    --------
    >>> import numpy as np, pdeval
    >>> @ordering(reference="an example")
    ... def unbeaten(net):
    ...     "How many runs it does not lose to on more queries than it wins."
    ...     return (net >= 0).sum(axis=-1) * 1.0
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
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

    It asks for the columns `start` (items ranked above the item's group of tied items) and `size` (of that group).

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
        aliases = options.get("aliases", ())
        if not isinstance(aliases, Mapping):
            aliases = dict.fromkeys(aliases, label)
        given: dict[str, Any] = {**options, "aliases": aliases}
        group: Family = (
            "set" if options.get("kind") == "set" else family
        )  # of all lists together, not of one ranking
        entry = Entry(label, group, function, columns, parameters, **given)
        function.entry = ENTRIES.add(label, entry, function.__module__)  # type: ignore[attr-defined]
        return function

    return declare if kernel is None else declare(kernel)


def _read(function: Callable[..., Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the columns that a kernel asks for, and its parameters with their defaults."""
    columns, parameters = [], {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            if parameter.default is parameter.empty:
                raise TypeError(
                    f"the parameter {parameter.name!r} of {function.__name__} has no default; give it one, "
                    "so that the plain name is a measure too."
                )
            parameters[parameter.name] = parameter.default
        elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(
                f"{function.__name__} takes *{parameter.name}; a kernel names its columns and parameters."
            )
        elif (
            parameter.name != "m"
        ):  # given only where topics of different numbers of items share a block
            columns.append(parameter.name)
    return tuple(columns), parameters
