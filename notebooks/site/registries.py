"""What the site is made from: verbs, measures, tables and plots, as the package declares them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pdeval
import pdeval.plots
import pdeval.report
from pdeval.accessor import join
from pdeval.accessor.methods import docstring_of, signature_of
from pdeval.catalog import ENTRIES
from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs import VERBS, Verb

NOUN = {"judged": "judged", "runs": "runs.ireval", "matrix": "matrix.ireval"}
FAMILIES = {
    "metric": ("metrics", "Measures of one ranking"),
    "answer": ("answer_measures", "Measures of answers"),
    "exposure": ("exposure_measures", "Measures of exposure"),
    "set": ("set_measures", "Measures of all rankings of a run together"),
    "preference": ("preferences", "Preferences between two rankings"),
    "ordering": ("orderings", "Orderings of many runs"),
}


@functools.cache
def verbs() -> list[Verb]:
    """Return every declared verb once, by name; verbs that share a function, as reports of plain tables do, as one."""
    found: dict[tuple[str, str, str], Verb] = {}
    kinds: dict[tuple[str, str, str], list[str]] = {}
    for declared in VERBS.values():
        for verb in declared.values():
            key = verb.name, verb.function.__module__, verb.function.__name__
            found.setdefault(key, verb)
            kinds.setdefault(key, []).extend(
                one for one in verb.on if one not in kinds.get(key, [])
            )
    # a page begins with the verb of runs
    ordered = sorted(
        found,
        key=lambda key: (key[0], {"runs", "judged"}.isdisjoint(kinds[key]), -len(kinds[key]), key),
    )
    return [replace(found[key], on=tuple(kinds[key])) for key in ordered]


def families() -> dict[str, list[Verb]]:
    """Return the verbs by the family that is their page, plots left out: they have pages of their own."""
    found: dict[str, list[Verb]] = {}
    for verb in verbs():
        if verb.family != "plot":
            found.setdefault(verb.family, []).append(verb)
    return found


def accessors(verb: Verb) -> dict[str, inspect.Signature]:
    """Return the different ways to call a verb, by what stands before the dot."""
    kinds = [*("runs", "judged") * ("judged" in verb.on or "runs" in verb.on)]
    kinds += [kind for kind in verb.on if kind not in ("judged", "runs")]
    made: dict[str, inspect.Signature] = {}
    for kind in kinds:
        signature = signature_of(verb, kind)
        parameters = list(signature.parameters.values())[1:]
        signature = signature.replace(parameters=parameters)
        if all(str(signature) != str(known) for known in made.values()) or kind in (
            "runs",
            "judged",
        ):
            made[NOUN.get(kind, f"{kind}.ireval")] = signature
    return made


def documentation(verb: Verb) -> str:
    """Return the docstring of a verb at its widest accessor."""
    widest = max(accessors(verb).values(), key=lambda signature: len(signature.parameters))
    return docstring_of(verb, list(widest.parameters))


def plots() -> dict[str, Callable[..., Any]]:
    """Return every plot by name: the functions of pdeval.plots, and those that are verbs only."""
    found = {name: getattr(pdeval.plots, name) for name in pdeval.plots.__all__}
    for verb in verbs():
        if verb.family == "plot" and "." in verb.name:
            found.setdefault(verb.name.partition(".")[2], verb.function)
    return dict(sorted(found.items()))


def drawn_by(name: str, function: Callable[..., Any]) -> list[str]:
    """Return the kinds of table that a plot draws."""
    kinds: list[str] = []
    for verb in verbs():
        if verb.name == f"plot.{name}" or (verb.name == "plot" and verb.function is function):
            kinds += [kind for kind in verb.on if kind not in kinds]
    return kinds


def functions() -> dict[str, Any]:
    """Return what `pdeval` itself offers, by name; `datasets` and `kernels` by what they hold."""
    found = {f"pdeval.{name}": getattr(pdeval, name) for name in pdeval.__all__}
    found = {name: one for name, one in found.items() if callable(one)}
    for name in pdeval.datasets.__all__:
        one = getattr(pdeval.datasets, name)
        if inspect.isfunction(one):
            found[f"pdeval.datasets.{name}"] = one
    return dict(sorted(found.items()))


def report_methods() -> dict[str, Callable[..., Any]]:
    """Return what a report can do, by name."""
    from pdeval.report import Report

    names = [
        name for name in dir(Report) if not name.startswith("_") and callable(getattr(Report, name))
    ]
    return {name: getattr(Report, name) for name in sorted(names)}


__all__ = [
    "ENTRIES",
    "FAMILIES",
    "SCHEMAS",
    "accessors",
    "families",
    "functions",
    "join",
    "plots",
    "verbs",
]
