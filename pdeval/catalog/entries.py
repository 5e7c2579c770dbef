"""The catalog: every measure, preference and ordering, found by name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Any, Literal

import pandas as pd

from pdeval.catalog import trec_eval_names
from pdeval.catalog.parameters import checked, checked_flag, checked_label, checked_level, label_of, said, same
from pdeval.tables.equal_values import NOISE
from pdeval.verbs.arguments import refuse_unusable
from pdeval.verbs.checks import checks_arguments
from pdeval.verbs.registry import Registry
from pdeval.verbs.spelling import nearest

Kind = Literal["binary", "graded", "judged", "subtopic", "items", "set"]
Family = Literal["metric", "preference", "ordering", "set"]
Path = Literal["", "recall-paired", "first", "last", "reciprocal", "interleaved"]

ENTRIES: Registry[Entry] = Registry(
    "measure", taken="pdeval has a measure {name!r} ({summary}); give yours another name, e.g. name='my{name}'."
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
    label: str = field(default="", compare=False)
    judged_only: bool = False

    @property
    def higher(self) -> bool:
        """Whether more is better."""
        return self.entry.higher

    @property
    def kind(self) -> Kind:
        """The items that it looks at: those of its entry; by its gains, relevant ones alone or all judged ones."""
        own: Kind = "judged" if self._grade_0 else self.entry.kind
        return "binary" if self.parameters.get("gain") == "binary" else own

    @property
    def padded(self) -> bool:
        """Whether topics may be filled up with items of grade 0: not where that grade has a gain."""
        return self.entry.padded and not self._grade_0

    @property
    def together(self) -> bool:
        """Whether a list's value rests on the lists of all other topics."""
        return any(self.parameters.get(name) == value for name, value in self.entry.together.items())

    @property
    def _grade_0(self) -> bool:
        return bool((self.parameters.get("gains") or {}).get(0))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that its kernel is given; the corpus, counted from all rows, only where it looks at it."""
        known = self.parameters.get("items") is not None if "items" in self.parameters else self._within
        if self.parameters.get("unretrieved") == "never" or known:
            return tuple(name for name in self.entry.columns if name != "corpus")
        return self.entry.columns

    @property
    def _within(self) -> bool:
        return bool(self.parameters.get("k", inf) < inf)

    @property
    def spelled(self) -> str:
        """Its name as pdeval writes it, whatever it was called."""
        return label_of(self.entry, self.parameters, self.level, self.judged_only)

    def __str__(self) -> str:
        return self.label

    def __repr__(self) -> str:
        return self.label

    def __hash__(self) -> int:
        return hash((self.entry.name, self.level))


def parse(text: object, **parameters: Any) -> Measure:
    """Return the measure that a name means.

    Parameters
    ----------
    text : str, Measure, decorated function, or any object whose `str()` is a measure's name
        `"nDCG@10"`, `"RBP(p=0.9)"`, `"AP(level=2)"`, or trec_eval's, ir_measures' and ranx' names for them. Every
        measure takes `level=`, the least grade that counts as relevant, and `judged_only=True`, which takes items that
        nobody judged out of the lists.
    **parameters
        Set on top of those in the name; also what no text can say, such as `weight=my_function`, and `label=`, what
        results call it.

    Examples
    --------
    A measure is called as it was asked for; `spelled` is the name that pdeval itself would write.

    >>> parse("ndcg_cut_10"), parse("ndcg_cut_10").spelled, parse("AP", level=2)
    (ndcg_cut_10, 'nDCG@10', AP(level=2))
    >>> parse("RPP", weight=lambda i: 0.9**i, label="patient RPP")
    patient RPP
    """
    from pdeval.catalog import grammar

    if isinstance(text, Measure) and not parameters:
        return text
    if isinstance(text, str) and len(names := _several(text)) > 1:
        raise ValueError(f"{text!r} is {len(names)} measures, {names[0]!r} to {names[-1]!r}; name one of them.")
    if isinstance(text, str):
        text = _several(text)[0]
    if isinstance(text, Measure):
        entry, given = text.entry, {**text.parameters, "level": text.level, "judged_only": text.judged_only}
    elif isinstance(own := getattr(text, "entry", None), Entry):
        entry, given = own, {}
    else:
        entry, given = grammar.read(str(text)) if isinstance(text, str) else grammar.read_object(text)
        if not parameters:
            parameters = {"label": str(text).strip()}
    return _fill(entry, {**given, **parameters}, str(text))


def parse_all(texts: object) -> list[Measure]:
    """Return the measures of one name or of many, without repeats, in the order asked.

    Examples
    --------
    >>> parse_all(["AP", "P@5", "AP"]), parse_all("AP, RBP(p=0.9, k=5)")
    ([AP, P@5], [AP, RBP(p=0.9, k=5)])

    So are the spellings of trec_eval's command line, several measures each, and the names of its sets.

    >>> parse_all("ndcg_cut.10,20"), len(parse_all("official"))
    ([ndcg_cut_10, ndcg_cut_20], 29)
    """
    refuse_unusable("measures", texts)
    if isinstance(texts, str):
        texts = trec_eval_names.joined(split(texts))
    if isinstance(texts, (str, Measure)) or callable(texts) or not isinstance(texts, Iterable):
        texts = [texts]
    found: dict[str, Measure] = {}
    for measure in (parse(name) for text in texts for name in _several(text)):
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


def _several(text: object) -> list[Any]:
    """Return the names that one asks for: several in trec_eval's spelling, such as P.5,10 or all_trec."""
    spelled = isinstance(text, str) and text.strip() not in ENTRIES
    return (trec_eval_names.spelled_out(str(text).strip()) if spelled else None) or [text]


def split(text: str) -> list[str]:
    """Return the names in a text, which commas outside brackets separate.

    Examples
    --------
    >>> split("AP, nDCG(gains={1:3,2:9})@10")
    ['AP', 'nDCG(gains={1:3,2:9})@10']
    """
    names, depth, begin = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            names.append(text[begin:at])
            begin = at + 1
    names.append(text[begin:])
    return [name.strip() for name in names if name.strip()] or [text]


_OF_JUDGED = {"above", "pooled", "nonrelevant_found", "unjudged"}


def needs_judged(measures: Iterable[Measure]) -> bool:
    """Return whether any of the measures looks at judged non-relevant items.

    Examples
    --------
    >>> needs_judged(parse_all(["AP", "nDCG@10"])), needs_judged(parse_all("bpref"))
    (False, True)
    """
    return any(m.kind == "judged" or m.judged_only or _OF_JUDGED & set(m.columns) for m in measures)


def _fill(entry: Entry, given: Mapping[str, Any], text: str) -> Measure:
    level = checked_level(entry, given.get("level"), text)
    judged_only = checked_flag(given.get("judged_only", False), text)
    own: dict[str, Any] = {}
    for name, value in given.items():
        if name in ("level", "judged_only", "label"):
            continue
        if name in entry.synonyms and value in entry.synonyms[name]:
            own.update(entry.synonyms[name][value])
        elif name in entry.parameters:
            own[name] = checked(entry, name, value, text)
        else:
            offered = ", ".join([*entry.parameters, "level", "judged_only"])
            raise KeyError(f"{entry.name} has no parameter {name!r} (in {text!r}); it has {offered}.")
    parameters = {**entry.parameters, **own}
    label = given.get("label")
    label = label_of(entry, parameters, level, judged_only) if label is None else checked_label(label, text)
    return Measure(entry, parameters, level, label, judged_only)


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
    if name in ENTRIES:
        return ENTRIES[name]
    names = {alias: to for entry in ENTRIES.values() for alias, to in entry.aliases.items() if to == entry.name}
    names.update({own: own for own in ENTRIES})
    if name in names:
        return ENTRIES[names[name]]
    meant = {to for known, to in names.items() if known.lower() == name.lower()}
    if len(meant) == 1 and name.lower() not in NOT_HERE:
        return ENTRIES[meant.pop()]
    raise KeyError(f"no measure {text or name!r}.{_hint(name, text or name, names)} pdeval.catalog() lists all.")


# what other tools' names mean here, and why some are not here
MEANT = {
    "hr": "Success", "hit": "Success", "hits": "Success", "hitrate": "Success", "hit_rate": "Success",
    "mrr": "RR", "precision": "P", "recall": "R", "ndcg_burges": "nDCG", "f1": "F", "fmeasure": "F", "aveprec": "AP",
    "arhr": "RR", "mapk": "AP", "dcg_burges": "DCG", "hitratio": "Success", "hit_ratio": "Success", "prec": "P",
    "average_precision": "AP", "mean_average_precision": "AP", "reciprocal_rank": "RR", "mean_reciprocal_rank": "RR",
    "ndcg_at_k": "nDCG", "ndcg_score": "nDCG", "dcg_score": "DCG", "precision_at_k": "P", "recall_at_k": "R",
    "gini_index": "Gini", "popularity": "AvgPopularity", "aggregate_diversity": "Coverage",
    "rank_biased_precision": "RBP", "expected_reciprocal_rank": "ERR", "intra_list_diversity": "ILD",
}  # fmt: skip
_SESSION = (
    "is session DCG (Järvelin et al. 2008), over all queries of a session, which is not here. Scaled DCG is 'SDCG'."
)
NOT_HERE = {
    "rmse": "RMSE measures predicted ratings, and pdeval evaluates rankings; try nDCG or AP.",
    "mae": "MAE measures predicted ratings, and pdeval evaluates rankings; try nDCG or AP.",
    "sdcg": f"sDCG {_SESSION}",
    "nsdcg": f"nsDCG {_SESSION}",
    "ils": "ILS is intra-list similarity, of which less is better (Ziegler et al. 2005); the distance is 'ILD'.",
    "diversity": "Diversity here is of the features of items, ILD, or over subtopics: alpha-nDCG, ERR-IA, strec.",
}


def _hint(name: str, text: str, names: Mapping[str, str]) -> str:
    """Return what was meant by an unknown name: by meaning, then by spelling, with the parameters that it takes."""
    lowered = name.lower().strip()
    if lowered in NOT_HERE:
        return f" {NOT_HERE[lowered]}"
    known = {one.lower(): to for one, to in names.items() if ENTRIES[to].family != "ordering"}
    near = MEANT.get(lowered.replace(" ", "_")) or nearest(lowered, known)
    if near is None:
        return ""
    best = ENTRIES[near]
    rest = text[text.index(name) + len(name) :]
    own = re.findall(r"(\w+)\s*=", rest)
    fits = set(own) <= {*best.parameters, "level", "rel", "judged_only"} and (
        "@" not in rest or best.at in best.parameters
    )
    return f" Did you mean {best.name + (rest if fits else '')!r}?"


@checks_arguments
def catalog(search: str | None = None) -> pd.DataFrame:
    """Return everything that can be asked for by name, one row per entry.

    Parameters
    ----------
    search : str, optional
        Only entries whose name, aliases, description or reference have this text, whatever its case.

    Examples
    --------
    >>> import pdeval
    >>> table = pdeval.catalog().set_index("name")
    >>> table.loc["AP", "summary"]
    'Average precision: the mean, over relevant items, of the precision where each is found.'
    >>> pdeval.catalog("lexicographic")["name"].tolist()
    ['sgnLP', 'rrLP', 'sgnLR', 'LP', 'LR']
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
    whole = pd.DataFrame(rows)
    if search is None:
        return whole
    texts = whole[["name", "family", "aliases", "summary", "reference"]].agg(" ".join, axis=1)
    return whole[texts.str.lower().str.contains(search.lower(), regex=False)].reset_index(drop=True)
