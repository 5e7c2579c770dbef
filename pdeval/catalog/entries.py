"""The catalog: every measure, preference and ordering, declared once by a decorator and found by name.

`@metric`, `@preference` and `@ordering` read a function's signature: positional parameters are the columns that it
asks for, keyword-only parameters are its own and become the grammar, `RBP(p=0.9)`, where `@10` fills one of them.
"""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pandas as pd

from pdeval.catalog.parameters import checked, checked_level, label_of, said, same

Kind = Literal["binary", "graded", "judged", "subtopic"]
Family = Literal["metric", "preference", "ordering"]

ENTRIES: dict[str, Entry] = {}


@dataclass(frozen=True)
class Entry:
    """One catalog entry: a kernel and what has to be known about it.

    `kind` names the items that the kernel's block holds: those relevant at the level (binary), all of positive
    grade (graded), all judged (judged), or relevant ones with their subtopics (subtopic).
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
    extras: Mapping[str, Any] = field(default_factory=dict)

    @property
    def compat_only(self) -> frozenset[str]:
        """The parameters that follow `compat=` and are no part of the name."""
        return frozenset(name for rule in self.extras.get("compat", {}).values() for name in rule)

    @property
    def summary(self) -> str:
        """The first line of the kernel's docstring."""
        return (inspect.getdoc(self.kernel) or "").partition("\n")[0]


def _register(family: Family, kernel: Callable | None, name: str | None, options: dict[str, Any]) -> Any:
    def declare(function: Callable) -> Callable:
        signature = inspect.signature(function)
        columns, parameters = [], {}
        for parameter in signature.parameters.values():
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
            else:
                columns.append(parameter.name)
        _not_taken(name or function.__name__, function)
        given = dict(options)
        given["aliases"] = _as_aliases(name or function.__name__, given.get("aliases", ()))
        entry = Entry(name or function.__name__, family, function, tuple(columns), parameters, **given)
        ENTRIES[entry.name] = entry
        function.entry = entry  # type: ignore[attr-defined]
        return function

    return declare if kernel is None else declare(kernel)


def _not_taken(name: str, function: Callable) -> None:
    """Raise where a caller's measure would take the name of one of pdeval's; their own may be declared again."""
    taken = ENTRIES.get(name)
    if taken is not None and _ours(taken.kernel) and not _ours(function):
        raise ValueError(
            f"pdeval has a measure {name!r} ({taken.summary.rstrip('.')}); give yours another name, e.g. "
            f"name={'my' + name!r}."
        )


def _ours(function: Callable) -> bool:
    return function.__module__.partition(".")[0] == "pdeval"


def _as_aliases(name: str, aliases: Mapping[str, str] | Iterable[str]) -> dict[str, str]:
    return dict(aliases) if isinstance(aliases, Mapping) else dict.fromkeys(aliases, name)


def metric(kernel: Callable | None = None, *, name: str | None = None, **options: Any) -> Any:
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
    >>> @metric(range=(0, 1), reference="an example")
    ... def Top(rank, *, k: int = 3):
    ...     "Whether the first relevant item is within the first k."
    ...     return (rank[0] <= k) * 1.0
    >>> parse("Top@5").label
    'Top@5'
    >>> del ENTRIES["Top"]
    """
    return _register("metric", kernel, name, options)


def preference(kernel: Callable | None = None, *, name: str | None = None, **options: Any) -> Any:
    """Register a kernel of two rankings, positive where the first is better; see `metric`.

    Examples
    --------
    >>> @preference
    ... def sgnRR(x, y):
    ...     "Which ranking has the first relevant item sooner."
    ...     return (x[0] < y[0]) * 1.0 - (x[0] > y[0])
    >>> parse("sgnRR").entry.family
    'preference'
    >>> del ENTRIES["sgnRR"]
    """
    return _register("preference", kernel, name, {"range": (-1.0, 1.0), **options})


def ordering(kernel: Callable | None = None, *, name: str | None = None, **options: Any) -> Any:
    """Register a way of ordering many runs, for the catalog's list.

    Examples
    --------
    >>> @ordering(name="by chance")
    ... def chance(votes):
    ...     "Order by nothing at all."
    >>> ENTRIES.pop("by chance").summary
    'Order by nothing at all.'
    """
    return _register("ordering", kernel, name, {"range": (-math.inf, math.inf), **options})


def expected_of(name: str) -> Callable[[Callable], Callable]:
    """Register a kernel as the mean of the measure `name` over the orders of tied items.

    It asks for the columns `start` (items ranked above the item's group of tied items) and `size` (of that group).

    Examples
    --------
    >>> "AP" in ENTRIES and bool(ENTRIES["AP"].expected)
    True
    """

    def declare(function: Callable) -> Callable:
        ENTRIES[name].expected["kernel"] = function
        return function

    return declare


@dataclass(frozen=True)
class Measure:
    """A catalog entry with its parameters filled in: what "nDCG(gain=exp)@10" means."""

    entry: Entry
    parameters: Mapping[str, Any]
    level: float | None = None
    label: str = ""

    @property
    def higher(self) -> bool:
        """Whether more is better."""
        return self.entry.higher

    def __str__(self) -> str:
        return self.label

    def __hash__(self) -> int:
        return hash(self.label)


def parse(text: object, **parameters: Any) -> Measure:
    """Return the measure that a name means.

    Parameters
    ----------
    text : str, Measure, decorated function, or any object whose `str()` is a measure's name
        `"nDCG@10"`, `"RBP(p=0.9)"`, `"AP(level=2)"`, or trec_eval's, ir_measures' and ranx' names for them.
    **parameters
        Set on top of those in the name; also what no text can say, such as `weight=my_function`, and `label=`, what
        results call it.

    Examples
    --------
    >>> parse("ndcg_cut_10").label, parse("nDCG(gain=exp)@10").label, parse("AP(rel=2)@100").label
    ('nDCG@10', 'nDCG(gain=exp)@10', 'AP(level=2)@100')
    >>> parse("RPP", weight=lambda i: 0.9**i, label="patient RPP").label
    'patient RPP'
    """
    from pdeval.catalog import grammar

    if isinstance(text, Measure) and not parameters:
        return text
    if isinstance(text, Measure):
        entry, given = text.entry, {**text.parameters, "level": text.level}
    elif isinstance(own := getattr(text, "entry", None), Entry):
        entry, given = own, {}
    else:
        entry, given = grammar.read(str(text))
    return _fill(entry, {**given, **parameters}, str(text))


def parse_all(texts: object) -> list[Measure]:
    """Return the measures of one name or of many, without repeats, in the order asked.

    Examples
    --------
    >>> [m.label for m in parse_all(["AP", "P@5", "map"])]
    ['AP', 'P@5']
    """
    if isinstance(texts, (str, Measure)) or callable(texts) or not isinstance(texts, Iterable):
        texts = [texts]
    found: dict[str, Measure] = {}
    for measure in map(parse, texts):
        other = found.setdefault(measure.label, measure)
        if measure.entry is not other.entry or not all(
            same(value, other.parameters[name]) for name, value in measure.parameters.items()
        ):
            raise ValueError(
                f"two different measures are both called {measure.label!r}; tell them apart, e.g. with "
                f"pdeval.parse({measure.entry.name!r}, ..., label='my name')."
            )
    if not found:
        raise ValueError("no measure was asked for; name at least one, e.g. 'AP'.")
    return list(found.values())


def _fill(entry: Entry, given: Mapping[str, Any], text: str) -> Measure:
    level = checked_level(entry, given.get("level"), text)
    own: dict[str, Any] = {}
    for name, value in given.items():
        if name in ("level", "label"):
            continue
        if name in entry.synonyms and value in entry.synonyms[name]:
            own.update(entry.synonyms[name][value])
        elif name in entry.parameters:
            own[name] = checked(entry, name, value, text)
        else:
            offered = ", ".join([*entry.parameters, "level"])
            raise KeyError(f"{entry.name} has no parameter {name!r} (in {text!r}); it has {offered}.")
    parameters = {**entry.parameters, **own}
    return Measure(entry, parameters, level, given.get("label") or label_of(entry, parameters, level))


def find(name: str, text: str | None = None) -> Entry:
    """Return the entry of that name or alias; case does not matter where only one is meant.

    Examples
    --------
    >>> find("map").name
    'AP'
    >>> find("NDGC")
    Traceback (most recent call last):
    KeyError: "no measure 'NDGC'. Did you mean 'nDCG'? pdeval.catalog() lists all."
    """
    names = {alias: to for entry in ENTRIES.values() for alias, to in entry.aliases.items() if to == entry.name}
    names.update({own: own for own in ENTRIES})
    if name in names:
        return ENTRIES[names[name]]
    meant = {to for known, to in names.items() if known.lower() == name.lower()}
    if len(meant) == 1:
        return ENTRIES[meant.pop()]
    lowered = {known.lower(): to for known, to in names.items()}
    near = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.5)
    text = text or name
    hint = f" Did you mean {text.replace(name, lowered[near[0]], 1)!r}?" if near else ""
    raise KeyError(f"no measure {text!r}.{hint} pdeval.catalog() lists all.")


def catalog() -> pd.DataFrame:
    """Return everything that can be asked for by name, one row an entry.

    Examples
    --------
    >>> import pdeval
    >>> table = pdeval.catalog().set_index("name")
    >>> table.loc["AP", "summary"]
    'Average precision: the mean, over relevant items, of the precision where each is found.'
    """
    rows = [
        {
            "name": entry.name,
            "family": entry.family,
            "kind": "" if entry.family == "ordering" else entry.kind,
            "parameters": ", ".join(f"{name}={said(value)}" for name, value in entry.parameters.items()),
            "higher_is_better": entry.higher,
            "low": float(entry.range[0]),
            "high": float(entry.range[1]),
            "summary": entry.summary,
            "aliases": ", ".join(entry.aliases),
            "reference": entry.reference,
        }
        for entry in ENTRIES.values()
    ]
    return pd.DataFrame(rows)
