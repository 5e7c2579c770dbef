"""What was meant by a name that a table does not have: a verb's old name, another tool's, or another table's verb."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from pdeval.accessor.near_tables import nearly
from pdeval.kinds import tables
from pdeval.kinds.recognition import lacking
from pdeval.kinds.schemas import SCHEMAS
from pdeval.verbs import VERBS, Verb, of_kind


class NoSuchVerb(AttributeError, ValueError):
    """A table does not have that verb."""


def every_verb() -> dict[str, list[Verb]]:
    """Return all verbs by name, each with all its declarations."""
    found: dict[str, list[Verb]] = {}
    for verbs in VERBS.values():
        for name, verb in verbs.items():
            if verb not in found.setdefault(name, []):
                found[name].append(verb)
    return found


def wrong_name(kind: str | None, name: str, door: Any = None) -> AttributeError:
    """Return the error for a name that a table does not have, with what was meant.

    Parameters
    ----------
    kind : str, optional
        What the table is; None where it is not recognised.
    door : accessor, optional
        Of the table, whose columns then tell what is missing.

    Examples
    --------
    >>> import pdeval
    >>> wrong_name("scores", "ttest")
    NoSuchVerb("no verb 'ttest'. Use .compare(test='t').")
    """
    if name.startswith("_") or name in ("shape", "columns", "size"):
        return AttributeError(name)
    every = every_verb()
    for verbs in every.values():
        for verb in verbs:
            if name in verb.formerly:
                return NoSuchVerb(f"{name}() is now .{verb.name}().")
            if name in verb.meant_by:
                return NoSuchVerb(f"no verb {name!r}. Use .{verb.meant_by[name]}.")
    whose = [verb for full, verbs in every.items() if full.partition(".")[0] == name for verb in verbs]
    reason = SCHEMAS[kind].unreported if name == "report" and kind in SCHEMAS else ""
    reason = SCHEMAS[kind].undrawn if name == "plot" and kind in SCHEMAS else reason
    if reason:
        return NoSuchVerb(f"there is no {name} of {SCHEMAS[str(kind)].article}: {reason}.")
    if whose:
        return NoSuchVerb(_elsewhere(kind, name, dict.fromkeys(one for verb in whose for one in verb.on), door))
    near = difflib.get_close_matches(name, {verb.family for verb in of_kind(kind or "").values()}, n=1)
    hint = f" Did you mean .{near[0]}()?" if near else ""
    return NoSuchVerb(f"no verb {name!r}.{hint} {_looks(kind)}")


def _elsewhere(kind: str | None, name: str, kinds: Iterable[str], door: Any) -> str:
    """Return what kinds of table have the verb, and what keeps this one from being one of them."""
    wanted = list(dict.fromkeys("runs" if one == "judged" else one for one in kinds))
    if kind is None and door is not None:
        if hint := nearly(door._frame):
            return f"{name}(): this table is not recognised; {hint}."
        known = [one for one in wanted if one in SCHEMAS and not SCHEMAS[one].square]
        first = min(known, key=lambda one: (_share_lacking(one, door), one != "runs"))
        try:
            tables.read(door, first)
        except (ValueError, KeyError, TypeError) as fault:
            return f"{name}(): {fault.args[0]}"
    names = [SCHEMAS[one].says for one in wanted if one in SCHEMAS]
    texts = [f"{'an' if one[0] in 'aeio' else 'a'} {one}" for one in names]
    needs = ", ".join(texts[:-1]) + (" or " if len(texts) > 1 else "") + texts[-1]
    return f"{name}() needs {needs}; {_looks(kind)}"


def _share_lacking(kind: str, door: Any) -> float:
    """Return the share of the columns that mark a kind of table which a table lacks; the only run needs no name."""
    schema = SCHEMAS[kind]
    marks = [one for one in schema.known_by or schema.required if one != "run"]
    return len(lacking(schema, door._frame, door._binding)) / max(len(marks), 1)


def _looks(kind: str | None) -> str:
    if kind is None:
        return "this table is not recognised. Bind its roles: df.ireval(query=..., doc=..., score=...)."
    if kind == "judged":
        return "this is a join of runs and judgments."
    then = SCHEMAS[kind].then
    return f"this looks like {SCHEMAS[kind].article}." + (f" Next: {then}." if then else "")
