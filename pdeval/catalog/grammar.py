"""Reading a measure's name: NAME, NAME(parameter=value, ...), NAME@cutoff, and the names that other tools use.

nDCG@10   RBP(p=0.8)   nDCG(gain=exp)@10   ASL@g1-10   alpha-nDCG@20   ndcg_cut_10   map@100-l2
"""

from __future__ import annotations

import ast
import functools
import math
import re
from typing import Any

from pdeval.catalog import ENTRIES, Entry, find
from pdeval.verbs.arguments import refuse_unusable

# linear in the length of the text: no two parts can match the same white space
_FORM = re.compile(r"(?P<name>[^()@]+)(?:\((?P<inside>.*)\)\s*)?(?:@(?P<at>[^()]+))?", re.DOTALL)


def read(text: str) -> tuple[Entry, dict[str, Any]]:
    """Return the entry that a text names, and the parameters that it sets.

    Examples
    --------
    >>> entry, given = read("nDCG(gain=exp)@10")
    >>> entry.name, given
    ('nDCG', {'gain': 'exp', 'k': 10})
    """
    text = text.strip()
    level: dict[str, Any] = {}
    if match := re.fullmatch(r"(.+)-l(\d+)", text):  # ranx: map@100-l2, where lower grades have no gain either
        text, level = match[1], {"level": int(match[2])}
    text = _translated(text) or text
    match = _FORM.fullmatch(text)
    if not match or not match["name"].strip():
        raise ValueError(f"cannot read the measure {text!r}; write it like 'nDCG@10' or 'RBP(p=0.8)'.")
    entry = find(match["name"].strip(), text)
    given = _renamed(entry, _inside(match["inside"], text), text)
    if hidden := entry.compat_only.intersection(given):
        raise ValueError(f"{', '.join(hidden)} in {text!r} follows compat=, e.g. compat='trec_eval-9'; leave it out.")
    if match["at"] is not None:
        if entry.at not in entry.parameters:
            raise ValueError(f"{entry.name} takes no cutoff, but {text!r} has one; write {entry.name!r}.")
        if entry.at in given:
            raise ValueError(f"{text!r} gives {entry.at} twice, as a parameter and behind @; keep one.")
        at = match["at"].strip().removeprefix(entry.at_prefix)
        given[entry.at] = _number(at, text)
    if level and "least" in entry.parameters:
        level = {"least": level["level"]}
    return entry, {**given, **level}


# what ir_measures calls parameters
RENAMED = {"rel": "level", "max_rel": "max_grade", "min_rel": "min_grade", "α": "alpha", "β": "beta"}


def _renamed(entry: Entry, given: dict[str, Any], text: str) -> dict[str, Any]:
    """Return parameters under the names that they have here; `cutoff=10` is `@10`."""
    known = {**RENAMED, "cutoff": entry.at}
    meant = {name: name if name in entry.parameters else known.get(name, name) for name in given}
    if len({*meant.values()}) < len(meant):
        raise ValueError(f"{text!r} gives a parameter twice, under two names; keep one.")
    return {meant[name]: value for name, value in given.items()}


def read_object(measure: object) -> tuple[Entry, dict[str, Any]]:
    """Return the entry and the parameters of another library's measure object, which means what it means there.

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
    """Return the pdeval name of another tool's: an alias of the whole text, or one with a {number} that fits it."""
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
    # what stands for a {name} begins like a number: P_10 is precision at 10, P_IA is a name of its own
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[-.\\d][^@()_]*)", re.escape(alias)))


def _inside(inside: str | None, text: str) -> dict[str, Any]:
    if not inside:
        return {}
    source = f"f({inside})"
    try:
        call = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the latter of text that is nested too deeply
        call = None
    one_call = isinstance(call, ast.Call) and isinstance(call.func, ast.Name)  # 'p=0.5)(p=0.9' would make two
    if not isinstance(call, ast.Call) or not one_call or call.args or any(word.arg is None for word in call.keywords):
        raise ValueError(f"cannot read the parameters of {text!r}; write them like 'RBP(p=0.8)'.")
    names = [str(word.arg) for word in call.keywords]
    again = [name for name in names if names.count(name) > 1]
    if again:
        raise ValueError(f"{text!r} gives {again[0]} twice; keep one.")
    return {name: _value(name, word.value, source, text) for name, word in zip(names, call.keywords)}


def _value(name: str, node: ast.expr, source: str, text: str) -> Any:
    if isinstance(node, ast.Name):
        return node.id
    if name == "model" and isinstance(node, ast.Call | ast.BinOp):
        return ast.unparse(node)  # another measure, ETU(model=INST(T=2))
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):  # the latter of a list among the keys of a mapping
        behind = " A cutoff stands behind the parentheses." if isinstance(node, ast.BinOp) else ""
        raise ValueError(
            f"cannot read {ast.get_source_segment(source, node)!r} in {text!r}; give a number or a word.{behind}"
        ) from None


def _number(text: str, whole: str) -> float | int:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"the cutoff in {whole!r} is {text!r}; it must be a number.") from None
    whole_number = math.isfinite(value) and value == int(value) and "." not in text
    return int(value) if whole_number else value
