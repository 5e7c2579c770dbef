"""The docstrings of the doors: a verb's own, with the judgments in front, the rules of the join, what is returned."""

from __future__ import annotations

import functools
import re
import textwrap
from typing import Any

from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs import Verb
from pdeval.verbs.parameter_texts import completed, indented, return_type, sections


@functools.cache
def returned(verb: Verb) -> str:
    """Return the Returns section that the schemas of a verb's tables make."""
    lines = []
    for name in verb.gives:
        schema = SCHEMAS[name]
        lines.append("DataFrame")
        if schema.square:
            lines.append(indented(f"A {schema.says} with the same labels as index and columns."))
            continue
        row = f"One row per {schema.row}: " if schema.row else ""
        lines.append(indented(f"{row}{schema.listed}."))
        meanings = [f"- `{c.name}`: {schema.means[c.name]}." for c in schema.columns if c.name in schema.means]
        if meanings:
            lines += [
                "",
                *(textwrap.fill(one, 116, initial_indent=" " * 4, subsequent_indent=" " * 6) for one in meanings),
            ]
    return "\n".join(lines)


def of_door(verb: Verb, names: list[str]) -> str:
    """Return the docstring of a verb at a door whose parameters are these.

    The verb's own text says the rest: its judgments and rules are added where the door takes them, and what it returns
    is said by the schemas of its tables.
    """
    return completed(verb.function.__doc__ or "", names, return_type(verb.function), returned(verb))


def undocumented(names: list[str], doc: str) -> list[str]:
    """Return the parameters of a door that its docstring does not name."""
    said: Any = sections(doc).get("Parameters", "")
    keys = [key.strip() for line in re.findall(r"(?m)^(\S[^:]*):", said) for key in line.split(",")]
    return [name for name in names if name not in keys]
