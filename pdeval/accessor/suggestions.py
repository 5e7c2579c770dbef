"""What was meant by a name that a table does not have: a verb's old name, another tool's, or another table's verb."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from pdeval.files.score_files import catalog_name
from pdeval.tables import reader
from pdeval.tables.recognition import lacking
from pdeval.tables.schemas import SCHEMAS
from pdeval.tables.vocabularies import candidates, names_of
from pdeval.verbs import VERBS, Verb, of_kind
from pdeval.verbs.spelling import nearest


def nearly(frame: pd.DataFrame) -> str:
    """Return what a frame that is not recognised looks like, and the call that makes a table of it; or nothing.

    Examples
    --------
    >>> nearly(pd.DataFrame({"qid": ["1"], "map": [0.5]}))
    'it looks like scores with one column per measure (map): pdeval.scores(df) makes a scores table of it'
    >>> nearly(pd.DataFrame({"x": [1]}))
    ''
    """
    columns = [str(name) for name in frame.columns]
    if any(name == "winner" or name.startswith("winner_") for name in columns):
        return "it looks like a log of votes: pdeval.votes(df) makes preferences of it"
    id_columns = candidates("query", columns) or [
        name for name in names_of("run") if name in columns
    ]
    numeric = [
        str(name) for name, column in frame.items() if pd.api.types.is_numeric_dtype(column.dtype)
    ]
    measures = [
        name for name in numeric if name not in id_columns and catalog_name(name) is not None
    ]
    if id_columns and measures and not candidates("doc", columns):
        return (
            f"it looks like scores with one column per measure ({', '.join(measures[:3])}): pdeval.scores(df) makes a "
            "scores table of it"
        )
    return ""


FEW = 4  # kinds of table that an error lists


class NoSuchVerb(AttributeError, ValueError):
    """A table does not have that verb."""


def every_verb() -> dict[str, list[Verb]]:
    """Return all verbs by name, each with all its declarations."""
    declarations: dict[str, dict[Verb, None]] = {}
    for verbs in VERBS.values():
        for name, verb in verbs.items():
            declarations.setdefault(name, {})[verb] = None
    return {name: list(verbs) for name, verbs in declarations.items()}


def wrong_name(kind: str | None, name: str, accessor: Any = None) -> AttributeError:
    """Return the error for a name that a table does not have, with what was meant.

    Parameters
    ----------
    kind : str, optional
        What the table is; None where it is not recognised.
    accessor : Ireval, optional
        The accessor of the table, whose columns then tell what is missing.

    Examples
    --------
    >>> import pdeval
    >>> wrong_name("scores", "ttest")
    NoSuchVerb("no verb 'ttest'. Use .compare(test='t').")
    """
    if name.startswith("_") or name in ("shape", "columns", "size"):
        return AttributeError(name)
    every = [verb for verbs in every_verb().values() for verb in verbs]
    for verb in every:
        if name in verb.formerly:
            return NoSuchVerb(f"{name}() is now .{verb.name}().")
        if name in verb.meant_by:
            return NoSuchVerb(f"no verb {name!r}. Use .{verb.meant_by[name]}.")
    if schema := SCHEMAS.get(kind or ""):
        reason = {"report": schema.unreported, "plot": schema.undrawn}.get(name)
        if reason:
            return NoSuchVerb(f"there is no {name} of {schema.article}: {reason}.")
    if kinds := dict.fromkeys(on for verb in every if verb.family == name for on in verb.on):
        return NoSuchVerb(_elsewhere(kind, name, kinds, accessor))
    near = nearest(name, {verb.family for verb in of_kind(kind or "").values()})
    hint = f" Did you mean .{near}()?" if near else ""
    return NoSuchVerb(f"no verb {name!r}.{hint} {_looks(kind)}")


def _elsewhere(kind: str | None, name: str, kinds: Iterable[str], accessor: Any) -> str:
    """Return what kinds of table have the verb, and what keeps this one from being one of them."""
    wanted = list(dict.fromkeys("runs" if one == "judged" else one for one in kinds))
    if kind is None and accessor is not None:
        if hint := nearly(accessor._frame):
            return f"{name}(): this table is not recognised; {hint}."
        known = [one for one in wanted if one in SCHEMAS and not SCHEMAS[one].square]
        first = min(known, key=lambda one: (_missing_fraction(one, accessor), one != "runs"))
        try:
            reader.read(accessor, first)
        except (ValueError, KeyError, TypeError) as fault:
            return f"{name}(): {fault.args[0]}"
    if kind == "judged" and len(wanted) > FEW:
        return f"{name}() needs a table of results, and {_looks(kind)} Use .measure('AP').ireval.{name}()."
    names = [SCHEMAS[one].says for one in wanted if one in SCHEMAS]
    texts = [f"{'an' if one[0] in 'aeio' else 'a'} {one}" for one in names]
    if len(texts) > FEW:
        texts[FEW - 1 :] = [f"one of {len(texts) - FEW + 1} other tables that verbs return"]
    needs = ", ".join(texts[:-1]) + (" or " if len(texts) > 1 else "") + texts[-1]
    return f"{name}() needs {needs}; {_looks(kind)}"


def _missing_fraction(kind: str, accessor: Any) -> float:
    """Return the fraction of the columns of a kind of table that a table does not have; one run needs no name."""
    schema = SCHEMAS[kind]
    marks = [one for one in schema.known_by or schema.required if one != "run"]
    return len(lacking(schema, accessor._frame, accessor._binding)) / max(len(marks), 1)


def _looks(kind: str | None) -> str:
    if kind is None:
        return "this table is not recognised. Bind its roles: df.ireval(query=..., doc=..., score=...)."
    if kind == "judged":
        return "this is a join of runs and judgments."
    then = SCHEMAS[kind].then
    return f"this looks like {SCHEMAS[kind].article}." + (f" Next: {then}." if then else "")
