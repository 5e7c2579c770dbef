"""The catalog: every measure, preference and ordering, found by name."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pandas as pd

from pdeval.catalog.parameters import checked, checked_level, label_of, said, same

Kind = Literal["binary", "graded", "judged", "subtopic"]
Family = Literal["metric", "preference", "ordering"]
Path = Literal["", "recall-paired", "first", "last", "reciprocal", "interleaved"]

ENTRIES: dict[str, Entry] = {}


@dataclass(frozen=True)
class Entry:
    """One catalog entry: a kernel and what has to be known about it.

    Parameters
    ----------
    kind : {'binary', 'graded', 'judged', 'subtopic'}
        The items that the kernel's block holds: those relevant at the level, all of positive grade, all judged, or
        relevant ones with their subtopics.
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
    compat: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    read: Mapping[str, Callable[[Any, str], Any]] = field(default_factory=dict)
    at_prefix: str = ""
    level_hint: str = ""
    population: Literal["", "grades", "subtopics"] = ""
    path: Path = ""
    weight: str = ""
    test: str = "t"
    tolerance: float = 1e-12

    @property
    def compat_only(self) -> frozenset[str]:
        """The parameters that follow `compat=` and are no part of the name."""
        return frozenset(name for rule in self.compat.values() for name in rule)

    @property
    def summary(self) -> str:
        """The first line of the kernel's docstring."""
        return (inspect.getdoc(self.kernel) or "").partition("\n")[0]


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


_OF_JUDGED = {"above", "pooled", "nonrelevant_found", "unjudged"}


def needs_judged(measures: Iterable[Measure]) -> bool:
    """Return whether any of the measures looks at judged non-relevant items.

    Examples
    --------
    >>> needs_judged(parse_all(["AP", "nDCG@10"])), needs_judged(parse_all("bpref"))
    (False, True)
    """
    return any(m.entry.kind == "judged" or _OF_JUDGED & set(m.entry.columns) for m in measures)


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
    """Return everything that can be asked for by name, one row per entry.

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
