"""Measures by name: NAME, NAME(parameter=value, ...), NAME@cutoff, and the names that other tools use.

nDCG@10   RBP(p=0.8)   nDCG(gain=exp)@10   ASL@g1-10   alpha-nDCG@20   ndcg_cut_10   map@100-l2
"""

import ast
import functools
import math
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pandas as pd

from pdeval.catalog import trec_eval_names
from pdeval.catalog.entries import ENTRIES, Entry
from pdeval.verbs import checks_arguments, is_finite, nearest, refuse_unusable, short_repr


@dataclass(frozen=True)
class Measure:
    """A catalog entry with its parameters: the meaning of "nDCG(gain=exp)@10"."""

    entry: Entry
    parameters: Mapping[str, Any]
    level: float | None = None
    label: str = field(default="", compare=False)
    judged_only: bool = False

    @property
    def higher(self) -> bool:
        """Whether higher is better."""
        return self.entry.higher

    @property
    def kind(self) -> str:
        """The items that it needs: those of its entry, or by its gains only relevant or all judged items."""
        if self.parameters.get("gain") == "binary":
            return "binary"
        return "judged" if self._grade_0 else self.entry.kind

    @property
    def padded(self) -> bool:
        """Whether topics may be padded with items of grade 0: not if that grade has a gain."""
        return self.entry.padded and not self._grade_0

    @property
    def together(self) -> bool:
        """Whether the value of a list depends on the lists of all other topics."""
        return any(
            self.parameters.get(name) == value for name, value in self.entry.together.items()
        )

    @property
    def _grade_0(self) -> bool:
        return bool((self.parameters.get("gains") or {}).get(0))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its kernel; the corpus, counted from all rows, only if the kernel uses it."""
        bounded = (
            self.parameters["items"] is not None
            if "items" in self.parameters
            else self.parameters.get("k", inf) < inf
        )
        if self.parameters.get("unretrieved") == "never" or bounded:
            return tuple(name for name in self.entry.columns if name != "corpus")
        return self.entry.columns

    @property
    def spelled(self) -> str:
        """Its name in the spelling of pdeval."""
        return label_of(self.entry, self.parameters, self.level, self.judged_only)

    def __repr__(self) -> str:
        return self.label

    def __hash__(self) -> int:
        return hash((self.entry.name, self.level))


def parse(text: object, **parameters: Any) -> Measure:
    """Return the measure of a name.

    Parameters
    ----------
    text : str, Measure, decorated function, or any object whose `str()` is a measure's name
        `"nDCG@10"`, `"RBP(p=0.9)"`, `"AP(level=2)"`, or trec_eval's, ir_measures' and ranx' names for them. Every
        measure has the parameters `level=`, the smallest relevant grade, and `judged_only=True`, which removes
        unjudged items from the lists.
    **parameters
        Further parameters, including those that a text cannot express, such as `weight=my_function`, and `label=`, the
        name in results.

    Examples
    --------
    The label of a measure is the requested name; `spelled` is its name in the spelling of pdeval.

    >>> parse("ndcg_cut_10"), parse("ndcg_cut_10").spelled, parse("AP", level=2)
    (ndcg_cut_10, 'nDCG@10', AP(level=2))
    >>> parse("RPP", weight=lambda i: 0.9**i, label="patient RPP")
    patient RPP
    """
    if isinstance(text, Measure) and not parameters:
        return text
    if parameters or type(text) is not str:
        return _parsed.__wrapped__(text, **parameters)
    if (declared := list(ENTRIES.values())) != _DECLARED:
        _DECLARED[:] = declared
        _parsed.cache_clear()
    return _parsed(text)


_DECLARED: list[Entry] = []  # the entries at the last call; names are parsed again if they change


@functools.lru_cache(maxsize=1 << 10)
def _parsed(text: Any, **parameters: Any) -> Measure:
    if isinstance(text, str):
        names = _several(text)
        if len(names) > 1:
            raise ValueError(
                f"{text!r} stands for {len(names)} measures, {names[0]!r} to {names[-1]!r}. Pass one of them."
            )
        text = names[0]
    if isinstance(text, Measure):
        entry, given = (
            text.entry,
            {**text.parameters, "level": text.level, "judged_only": text.judged_only},
        )
    elif isinstance(declared := getattr(text, "entry", None), Entry):
        entry, given = declared, {}
    else:
        entry, given = read(str(text)) if isinstance(text, str) else read_object(text)
        if not parameters:
            parameters = {"label": str(text).strip()}
    return _fill(entry, {**given, **parameters}, str(text))


def parse_all(texts: object) -> list[Measure]:
    """Return the measures of one or several names, without duplicates, in the requested order.

    Examples
    --------
    >>> parse_all(["AP", "P@5", "AP"]), parse_all("AP, RBP(p=0.9, k=5)")
    ([AP, P@5], [AP, RBP(p=0.9, k=5)])

    The spellings of trec_eval's command line and the names of its sets stand for several measures.

    >>> parse_all("ndcg_cut.10,20"), len(parse_all("official"))
    ([ndcg_cut_10, ndcg_cut_20], 29)
    """
    refuse_unusable("measures", texts)
    if isinstance(texts, str):
        names = split(texts) or [texts]
        texts = trec_eval_names.joined(names) if len(names) > 1 else names
    if isinstance(texts, (str, Measure)) or callable(texts) or not isinstance(texts, Iterable):
        texts = [texts]
    measures: dict[str, Measure] = {}
    for measure in (parse(name) for text in texts for name in _several(text)):
        other = measures.setdefault(measure.label, measure)
        if measure.entry is not other.entry or not all(
            same(value, other.parameters[name]) for name, value in measure.parameters.items()
        ):
            raise ValueError(
                f"two different measures have the label {measure.label!r}. Give one of them another label, e.g. "
                f"pdeval.parse({measure.entry.name!r}, ..., label='my name')."
            )
    if not measures:
        raise ValueError("no measure was requested. Pass at least one, e.g. 'AP'.")
    return list(measures.values())


def _several(text: object) -> list[Any]:
    """Return the names that a name stands for: several in trec_eval's spelling, such as P.5,10 or all_trec."""
    spelled = isinstance(text, str) and text.strip() not in ENTRIES
    return (trec_eval_names.spelled_out(str(text).strip()) if spelled else None) or [text]


def split(text: str, *, sentences: bool = False) -> list[str]:
    """Split a text at the commas outside of brackets.

    Parameters
    ----------
    text : str
        The text.
    sentences : bool, default False
        Whether the text may be prose, where a comma followed by a blank does not separate.

    Examples
    --------
    >>> split("AP,RBP(p=0.8,k=10), nDCG@10"), split("On two, or three,twice", sentences=True)
    (['AP', 'RBP(p=0.8,k=10)', 'nDCG@10'], ['On two, or three', 'twice'])
    """
    depth = 0
    parts = [""]
    for character, following in zip(text, text[1:] + "x"):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0 and not (sentences and following.isspace()):
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


_OF_JUDGED = {"above", "pooled", "nonrelevant_found", "unjudged"}


def needs_judged(measures: Iterable[Measure]) -> bool:
    """Return whether any of the measures needs judged non-relevant items.

    Examples
    --------
    >>> needs_judged(parse_all(["AP", "nDCG@10"])), needs_judged(parse_all("bpref"))
    (False, True)
    """
    return any(
        m.kind in ("judged", "signed") or m.judged_only or _OF_JUDGED & set(m.columns)
        for m in measures
    )


def _fill(entry: Entry, given: Mapping[str, Any], text: str) -> Measure:
    level = given.get("level")
    if level is not None and not (is_finite(level) and level > 0):
        raise ValueError(
            f"level={short_repr(level)} in {text!r}: expected the smallest relevant grade, above 0.{entry.level_hint}"
        )
    judged_only = checked_flag(given.get("judged_only", False), text)
    parameters = dict(entry.parameters)
    for name, value in given.items():
        if name in ("level", "judged_only", "label"):
            continue
        if name in entry.synonyms and value in entry.synonyms[name]:
            parameters.update(entry.synonyms[name][value])
        elif name in entry.parameters:
            parameters[name] = checked(entry, name, value, text)
        else:
            offered = ", ".join([*entry.parameters, "level", "judged_only"])
            raise KeyError(
                f"{entry.name} has no parameter {name!r} (in {text!r}). Its parameters are {offered}."
            )
    label = given.get("label")
    if label is None:
        label = label_of(entry, parameters, level, judged_only)
    elif not isinstance(label, str) or not label.strip():
        raise ValueError(
            f"label={short_repr(label)} of {text!r}: expected a string, the name in results."
        )
    return Measure(entry, parameters, level, label, judged_only)


def find(name: str, text: str | None = None) -> Entry:
    """Return the entry of that name or alias; case does not matter if the name is unambiguous.

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
    names = {
        alias: to
        for entry in ENTRIES.values()
        for alias, to in entry.aliases.items()
        if to == entry.name
    }
    if name in names:
        return ENTRIES[names[name]]
    names.update({known: known for known in ENTRIES})
    meant = {to for known, to in names.items() if known.lower() == name.lower()}
    if len(meant) == 1 and name.lower() not in NOT_HERE:
        return ENTRIES[meant.pop()]
    raise KeyError(
        f"no measure {text or name!r}.{_hint(name, text or name, names)} pdeval.catalog() lists all."
    )


# names in other tools, and measures that pdeval does not have
MEANT = {
    "hits": "Success", "personalisation": "Personalization", "catalogue_coverage": "Coverage",
    "mrr": "RR", "precision": "P", "recall": "R", "ndcg_burges": "nDCG", "f1": "F", "fmeasure": "F", "aveprec": "AP",
    "arhr": "RR", "mapk": "AP", "dcg_burges": "DCG", "hitratio": "Success", "hit_ratio": "Success", "prec": "P",
    "average_precision": "AP", "mean_average_precision": "AP", "reciprocal_rank": "RR", "mean_reciprocal_rank": "RR",
    "ndcg_at_k": "nDCG", "ndcg_score": "nDCG", "dcg_score": "DCG", "precision_at_k": "P", "recall_at_k": "R",
    "gini_index": "Gini", "popularity": "AvgPopularity", "aggregate_diversity": "Coverage",
    "rank_biased_precision": "RBP", "expected_reciprocal_rank": "ERR", "intra_list_diversity": "ILD",
}  # fmt: skip
_SESSION = (
    "is session DCG (Järvelin et al. 2008), over all queries of a session, which pdeval does not have. "
    "Scaled DCG is 'SDCG'."
)
NOT_HERE = {
    "rmse": "RMSE evaluates predicted ratings; pdeval evaluates rankings. Use nDCG or AP.",
    "mae": "MAE evaluates predicted ratings; pdeval evaluates rankings. Use nDCG or AP.",
    "sdcg": f"sDCG {_SESSION}",
    "nsdcg": f"nsDCG {_SESSION}",
    "ils": "ILS is intra-list similarity, where lower is better (Ziegler et al. 2005). Use 'ILD', the distance.",
    "diversity": "Use ILD for the diversity of item features, or alpha-nDCG, ERR-IA or strec for subtopics.",
}


def _hint(name: str, text: str, names: Mapping[str, str]) -> str:
    """Return a suggestion for an unknown name, by meaning or by spelling, with its parameters."""
    lowered = name.lower().strip()
    if lowered in NOT_HERE:
        return f" {NOT_HERE[lowered]}"
    known = {one.lower(): to for one, to in names.items() if ENTRIES[to].family != "ordering"}
    near = MEANT.get(lowered.replace(" ", "_")) or nearest(lowered, known)
    if near is None:
        return ""
    best = ENTRIES[near]
    rest = text[text.index(name) + len(name) :]
    # the suggestion keeps the parameters and the cutoff if the measure has them
    parameters = set(re.findall(r"(\w+)\s*=", rest))
    fits = parameters <= {*best.parameters, "level", "rel", "judged_only"} and (
        "@" not in rest or best.at in best.parameters
    )
    return f" Did you mean {best.name + (rest if fits else '')!r}?"


class Catalog(pd.DataFrame):
    """The frame of the catalog, displayed as names and descriptions; its other columns are not displayed."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __repr__(self) -> str:
        width = self["name"].str.len().max() + 2 if len(self) else 0
        lines = textwrap.TextWrapper(80, subsequent_indent=" " * width, break_on_hyphens=False)
        rows = zip(self["name"], self["summary"])
        return "\n".join(lines.fill(f"{name:<{width}}{text}") for name, text in rows)

    def _repr_html_(self) -> str:
        columns = pd.DataFrame(self)[["name", "parameters", "summary", "reference"]]
        with pd.option_context("display.max_colwidth", None):
            return columns.to_html(index=False, justify="left", border=0)


@checks_arguments
def catalog(search: str | None = None) -> Catalog:
    """Return all measures, preferences and orderings, one row each.

    The frame is displayed as names and descriptions. Its columns are name, family, kind, parameters,
    higher_is_better, low, high, summary, aliases and reference.

    Parameters
    ----------
    search : str, optional
        Words to search in names, parameters, descriptions and references; all must occur. Case does not matter.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.catalog("rank biased overlap")
    Compat  Compatibility: the rank-biased overlap with the ideal ranking that is
            closest to this one.
    >>> table = pdeval.catalog().set_index("name")
    >>> table.loc["AP", "summary"]
    'Average precision: the mean over relevant items of the precision at their ranks.'
    >>> pdeval.catalog("lexicographic")["name"].tolist()
    ['sgnLP', 'rrLP', 'sgnLR', 'LP', 'LR']
    """
    rows = [
        {
            "name": entry.name,
            "family": entry.family,
            "kind": _catalog_kind(entry),
            "parameters": ", ".join(
                f"{name}={value_text(value)}" for name, value in entry.parameters.items()
            ),
            "higher_is_better": entry.higher,
            "low": float(entry.range[0]),
            "high": float(entry.range[1]),
            "summary": entry.summary,
            "aliases": ", ".join(entry.aliases),
            "reference": entry.reference,
        }
        for entry in ENTRIES.values()
    ]
    table = pd.DataFrame(rows)
    texts = table.select_dtypes(exclude=["number", "bool"]).agg(" ".join, axis=1)
    texts = texts.str.lower().str.replace("-", " ")
    for word in (search or "").lower().replace("-", " ").split():
        texts = texts[texts.str.contains(word, regex=False)]
    return Catalog(table.loc[texts.index].reset_index(drop=True))


def _catalog_kind(entry: Entry) -> str:
    """Return the kind of an entry; a preference that averages over grade thresholds is graded."""
    if entry.population == "grades":
        return "graded"
    return "" if entry.family == "ordering" else entry.kind


# linear in the length of the text: no two parts can match the same white space
_FORM = re.compile(r"(?P<name>[^()@]+)(?:\((?P<inside>.*)\)\s*)?(?:@(?P<at>[^()]+))?", re.DOTALL)


def read(text: str) -> tuple[Entry, dict[str, Any]]:
    """Return the entry of a measure written as text, and its parameters.

    Examples
    --------
    >>> entry, given = read("nDCG(gain=exp)@10")
    >>> entry.name, given
    ('nDCG', {'gain': 'exp', 'k': 10})
    """
    text = text.strip()
    level: dict[str, Any] = {}
    # ranx: map@100-l2, where lower grades have no gain either
    if match := re.fullmatch(r"(.+)-l(\d+)", text):
        text, level = match[1], {"level": int(match[2])}
    text = _translated(text) or text
    match = _FORM.fullmatch(text)
    if not match or not match["name"].strip():
        raise ValueError(
            f"cannot parse the measure {text!r}. Write it like 'nDCG@10' or 'RBP(p=0.8)'."
        )
    entry = find(match["name"].strip(), text)
    written = _inside(match["inside"], text)
    # parameters under the names that they have here; `cutoff=10` is `@10`
    synonyms = {**RENAMED, "cutoff": entry.at}
    given = {
        name if name in entry.parameters else synonyms.get(name, name): value
        for name, value in written.items()
    }
    if len(given) < len(written):
        raise ValueError(f"{text!r} sets a parameter twice, under two names. Keep one.")
    if hidden := entry.compat_only.intersection(given):
        raise ValueError(
            f"{', '.join(hidden)} in {text!r} is set by compat=, e.g. compat='trec_eval-9'. Omit it."
        )
    if match["at"] is not None:
        if entry.at not in entry.parameters:
            raise ValueError(
                f"{entry.name} has no cutoff, but {text!r} sets one. Write {entry.name!r}."
            )
        if entry.at in given:
            raise ValueError(
                f"{text!r} sets {entry.at} twice, as a parameter and after @. Keep one."
            )
        at = match["at"].strip().removeprefix(entry.at_prefix)
        given[entry.at] = _cutoff(at, text)
    if level and "least" in entry.parameters:
        level = {"least": level["level"]}
    return entry, {**given, **level}


# names of parameters in ir_measures
RENAMED = {
    "rel": "level",
    "max_rel": "max_grade",
    "min_rel": "min_grade",
    "α": "alpha",
    "β": "beta",
}


def read_object(measure: object) -> tuple[Entry, dict[str, Any]]:
    """Return the entry and the parameters of a measure object of another library, with its meaning there.

    ir_measures' SetF has trec_eval's parameter, beta squared; its ERR and nERR have five grades; its IPrec counts
    recall points as trec_eval 9 does.

    Examples
    --------
    >>> read_object(type("Measure", (), {"__str__": lambda self: "nDCG@10", "__module__": "ir_measures"})())[1]
    {'k': 10}
    """
    refuse_unusable("measure", measure)
    entry, given = read(str(measure))
    if not type(measure).__module__.startswith("ir_measures"):
        return entry, given
    if entry.name == "SetF" and "beta" in given:
        given["x"] = given.pop("beta")
    if entry.name in ("ERR", "nERR"):
        given.setdefault("max_grade", 4)
    if entry.name == "IPrec":
        given["points"] = "floor"
    return entry, given


def _translated(text: str) -> str | None:
    """Return the pdeval name of a name in another tool: an alias, or an alias with a {number} that matches."""
    if text in ENTRIES:
        return None
    for entry in ENTRIES.values():
        if text in entry.aliases:
            return entry.aliases[text]
    for entry in ENTRIES.values():
        for alias, to in entry.aliases.items():
            if "{" in alias and (match := _pattern(alias).fullmatch(text)):
                return to.format(**match.groupdict())
    return None


@functools.cache
def _pattern(alias: str) -> re.Pattern[str]:
    # a {name} matches only numbers: P_10 is precision at 10, P_IA is another measure
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[-.\\d][^@()_]*)", re.escape(alias)))


def _inside(inside: str | None, text: str) -> dict[str, Any]:
    if not inside:
        return {}
    source = f"f({inside})"
    try:
        call = ast.parse(source, mode="eval").body
    except (
        SyntaxError,
        ValueError,
        RecursionError,
        MemoryError,
    ):  # the latter of text that is nested too deeply
        call = None
    # 'p=0.5)(p=0.9' would make two calls
    if (
        not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name))
        or call.args
        or any(word.arg is None for word in call.keywords)
    ):
        raise ValueError(f"cannot parse the parameters of {text!r}. Write them like 'RBP(p=0.8)'.")
    # ast.parse accepts a keyword that occurs twice
    for name, count in Counter(word.arg for word in call.keywords).items():
        if count > 1:
            raise ValueError(f"{text!r} sets {name} twice. Keep one.")
    return {
        str(word.arg): _value(str(word.arg), word.value, source, text) for word in call.keywords
    }


def _value(name: str, node: ast.expr, source: str, text: str) -> Any:
    if isinstance(node, ast.Name):
        return math.inf if node.id == "inf" else node.id
    # a formula, DCG(discount=log2(r+1)), or another measure, ETU(model=INST(T=2))
    if name in ("discount", "model") and isinstance(node, ast.Call | ast.BinOp):
        return ast.unparse(node).replace(" ", "")
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):  # the latter of a list among the keys of a mapping
        behind = " Write the cutoff after the parentheses." if isinstance(node, ast.BinOp) else ""
        raise ValueError(
            f"cannot parse {ast.get_source_segment(source, node)!r} in {text!r}: expected a number or a word.{behind}"
        ) from None


def _cutoff(text: str, measure: str) -> float | int:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"the cutoff in {measure!r} is {text!r}: expected a number.") from None
    return int(value) if value.is_integer() and "." not in text else value


def checked_flag(flag: Any, text: str) -> bool:
    """Return the value of a flag in the name of a measure; raise unless it is True or False.

    Examples
    --------
    >>> checked_flag("true", "AP(judged_only=true)")
    True
    """
    if str(flag) not in ("True", "true", "False", "false"):
        raise ValueError(f"{flag!r} in {text!r}: expected True or False.")
    return str(flag) in ("True", "true")


@functools.cache
def _hints(kernel: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(kernel)


def checked(entry: Entry, name: str, value: Any, text: str) -> Any:
    """Return the value of a parameter of a measure; raise if it is not valid.

    Examples
    --------
    >>> from pdeval.catalog import find
    >>> checked(find("RBP"), "p", 2, "RBP(p=2)")
    Traceback (most recent call last):
    ValueError: p=2 in 'RBP(p=2)': expected a number between 0 and 1.
    """
    default = entry.parameters[name]
    if value is default:
        return value
    refuse_unusable(name, value)
    if value is pd.NA:
        raise ValueError(
            f"{name}={value!r} of {text!r} is missing. Pass a value, or omit the parameter."
        )
    if name in entry.read:
        return entry.read[name](value, text)
    hint = _hints(entry.kernel).get(name)
    if get_origin(hint) is Literal and not any(same(value, one) for one in get_args(hint)):
        raise ValueError(
            f"{name}={value!r} in {text!r}: expected one of {', '.join(map(repr, get_args(hint)))}."
        )
    if name == "k" and not (
        isinstance(value, (int, float))
        and value >= 1
        and (value == math.inf or value == int(value))
    ):
        raise ValueError(f"the cutoff in {text!r} is {value!r}: expected an integer of at least 1.")
    if (
        name != "k"
        and type(default) is int
        and not (isinstance(value, (int, float)) and value == value // 1)
    ):
        raise ValueError(f"{name}={value!r} in {text!r}: expected an integer.")
    if isinstance(default, float) and name != "k" and not isinstance(value, (int, float)):
        raise ValueError(f"{name}={value!r} in {text!r}: expected a number.")
    if name in entry.limits:
        low, high = entry.limits[name]
        if not (isinstance(value, (int, float)) and low <= value <= high):
            raise ValueError(
                f"{name}={value!r} in {text!r}: expected a number between {low:g} and {high:g}."
            )
    return value


def label_of(
    entry: Entry, parameters: Mapping[str, Any], level: float | None, judged_only: bool = False
) -> str:
    """Return the name of a measure with its parameters that differ from the defaults.

    Examples
    --------
    >>> from pdeval.catalog import find
    >>> label_of(find("RBP"), {"p": 0.9, "k": 10}, None)
    'RBP(p=0.9)@10'
    """
    hidden = {entry.at, *entry.compat_only}
    changed = {
        name: value
        for name, value in parameters.items()
        if name not in hidden and not same(value, entry.parameters[name])
    }
    if level is not None:
        changed["level"] = level
    if judged_only:
        changed["judged_only"] = True
    inside = ",".join(f"{name}={value_text(value)}" for name, value in changed.items())
    text = f"{entry.name}({inside})" if inside else entry.name
    at = parameters.get(entry.at)
    if at is not None and not at == math.inf == entry.parameters[entry.at]:
        text += f"@{entry.at_prefix}{value_text(at)}"
    return text


def same(a: Any, b: Any) -> bool:
    """Return whether two parameters, which may be arrays, are equal.

    Examples
    --------
    >>> import numpy as np
    >>> same(np.ones(2), np.ones(2)), same(np.ones(2), "uniform"), same(1, 1.0)
    (True, False, True)
    """
    if hasattr(a, "shape") or hasattr(b, "shape"):
        return a is b or (
            getattr(a, "shape", None) == getattr(b, "shape", None) and bool((a == b).all())
        )
    return bool(a == b)


def value_text(value: Any) -> str:
    """Return the text of a parameter value in the name of a measure.

    Examples
    --------
    >>> value_text(0.5), value_text({1: 3.0}), value_text("exp")
    ('0.5', '{1:3}', 'exp')
    """
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{value_text(k)}:{value_text(v)}" for k, v in value.items()) + "}"
    scalar = isinstance(value, str) or getattr(value, "shape", None) == ()
    if hasattr(value, "__len__") and not scalar:
        short = len(value) <= (8 if hasattr(value, "shape") else 16)
        return "[" + ",".join(map(value_text, value)) + "]" if short else "array"
    return str(value)
