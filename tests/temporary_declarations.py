"""Verbs and tables declared inside a test, and gone after it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pdeval.accessor import ACCESSORS, Joined
from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs import FAMILIES, VERBS
from pdeval.verbs.parameter_texts import sections


@contextmanager
def for_a_while() -> Iterator[None]:
    """Let declarations be made that are undone in the end: registries and accessors are then as before."""
    registries = (VERBS, SCHEMAS, ACCESSORS)
    before = [dict(registry) for registry in registries]
    verbs = {kind: dict(known) for kind, known in VERBS.items()}
    families = set(FAMILIES)
    accessors = {accessor: dict(vars(accessor)) for accessor in (Joined, *ACCESSORS.values())}
    try:
        yield
    finally:
        for registry, was in zip(registries, before):
            registry.clear()
            registry.update(was)
        for kind, known in verbs.items():
            VERBS[kind].clear()
            VERBS[kind].update(known)
        FAMILIES.intersection_update(families)
        for accessor, was in accessors.items():
            for name in set(vars(accessor)) - set(was):
                delattr(accessor, name)
            for name, value in was.items():
                if vars(accessor)[name] is not value and not name.startswith("__"):
                    setattr(accessor, name, value)


def undocumented(names, doc):
    """Return the parameters of a method that its docstring does not describe."""
    heads = re.findall(r"(?m)^(\S[^:]*):", sections(doc).get("Parameters", ""))
    described = [name.strip() for head in heads for name in head.split(",")]
    return [name for name in names if name not in described]
