"""`machine=` at the doors: judgments by a machine beside those by people, for every verb that can use both.

A verb has it where tables with machine labels have a verb of the same name; that one is asked.
"""

from __future__ import annotations

import inspect
from typing import Any

from pdeval.catalog.entries import parse_all
from pdeval.evaluate.two_labels import KINDS, two_labels
from pdeval.judged.judged import Judged
from pdeval.verbs import VERBS, Verb

MAKING = {"measure": "powered_scores", "prefer": "powered_preferences"}
PAIRS = ("baseline", "pairs")


def options_of(verb: Verb) -> dict[str, inspect.Parameter]:
    """Return the option `machine`, where a verb can use labels of both kinds.

    Examples
    --------
    >>> list(options_of(VERBS["judged"]["compare"])), list(options_of(VERBS["judged"]["ties"]))
    (['machine'], [])
    """
    has = verb.name in MAKING or any(verb.name in VERBS.get(kind, {}) for kind in KINDS)
    if not has or "judged" not in verb.on:
        return {}
    return {"machine": inspect.Parameter("machine", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="object")}


def asked_of(verb: Verb, given: dict[str, Any]) -> bool:
    """Return whether a verb that can use labels of both kinds was given those of a machine; a None is taken out."""
    if not options_of(verb):  # a verb of judges takes their judgments itself
        return False
    if given.get("machine") is not None:
        return True
    given.pop("machine", None)
    return False


def of_join(judged: Judged, verb: Verb, given: dict[str, Any], door: Any) -> Any:
    """Return the answer of a verb from the labels of both kinds; `door` is the accessor of a frame."""
    machine = given.pop("machine")
    default = next((p.default for p in verb.parameters if p.name == "measures"), None)
    measures = given.pop("measures", default)
    asked = {name: given.pop(name) for name in PAIRS if name in given and verb.name in MAKING}
    if verb.name == "prefer":
        asked.setdefault("baseline", None)
    given.pop("progress", None)
    if verb.name in MAKING and given:
        raise ValueError(
            f"{verb.name}() with machine= has no {next(iter(given))}=: its table has, say "
            f".{verb.name}(..., machine=...).ireval.compare({next(iter(given))}=...)."
        )
    frame = two_labels(judged, machine, measures, **asked).frame()
    metrics = all(one.entry.family == "metric" for one in parse_all(measures))
    kind = MAKING.get(verb.name) or ("powered_scores" if metrics else "powered_preferences")
    frame.attrs["table"] = kind
    if verb.name in MAKING:
        return frame
    own = VERBS[kind].get(verb.name)
    if own is None:
        other = "preferences between two" if metrics else "measures of one ranking"
        raise ValueError(f"{verb.name}() with machine= is of {other}, not of {parse_all(measures)[0].label}.")
    known = {parameter.name for parameter in own.parameters} | {"by", "metadata"}
    unknown = [name for name in given if name not in known]
    if unknown:
        raise ValueError(
            f"{verb.name}() with machine= has no option {unknown[0]!r}; it has "
            f"{', '.join(parameter.name for parameter in own.parameters)}."
        )
    return door(frame)._ask(own, given)
