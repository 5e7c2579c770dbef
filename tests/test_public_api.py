"""The public API: names, signatures and result columns, pinned in `public_api.txt`.

A change of the API is a line of that file in the same commit: `python -m tests.test_public_api --write`.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pdeval
from pdeval.accessor.methods import signature_of
from pdeval.report import Report
from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs import VERBS, of_kind

PINNED = Path(__file__).with_name("public_api.txt")
MODULES = ("pdeval", "pdeval.datasets", "pdeval.studies", "pdeval.plots")


def signature_text(signature: inspect.Signature) -> str:
    """Return the parameters with their defaults, without annotations."""
    parameters = [
        one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()
    ]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


def verb_lines() -> Iterator[str]:
    """Yield every verb of every kind of table, with its parameters and the tables that it returns."""
    for kind in sorted(VERBS):
        for name, verb in sorted(of_kind(kind).items()):
            signature = signature_of(verb, kind)
            parameters = list(signature.parameters.values())[1:]
            returns = ", ".join(verb.returns) or "-"
            yield f"verb {kind}.{name}{signature_text(signature.replace(parameters=parameters))} -> {returns}"


def function_lines() -> Iterator[str]:
    """Yield the public functions and classes of the modules that users import."""
    for name in MODULES:
        module = __import__(name, fromlist=["_"])
        for key in sorted(module.__all__):
            value = getattr(module, key)
            callable_here = inspect.isfunction(value) or (
                inspect.isclass(value) and value.__init__ is not object.__init__
            )
            yield f"function {name}.{key}{signature_text(inspect.signature(value)) if callable_here else ''}"


def lines() -> list[str]:
    """Return the whole public API, one line each."""
    tables = [f"table {name}: {schema.listed}" for name, schema in sorted(SCHEMAS.items())]
    methods = [
        name
        for name in sorted(vars(Report))
        if not name.startswith("_") and callable(getattr(Report, name))
    ]
    report = [
        f"report .{name}{signature_text(inspect.signature(getattr(Report, name)))}"
        for name in methods
    ]
    measures = [
        f"measure {row.name}({row.parameters or ''}) {row.family}"
        for row in pdeval.catalog().itertuples()
    ]
    return [*verb_lines(), *tables, *function_lines(), *report, *measures]


@pytest.mark.extras
def test_a_change_of_the_public_api_is_written_down():
    # in a process of its own: other tests declare verbs and measures in this one
    done = subprocess.run(
        [sys.executable, "-m", "tests.test_public_api"],
        cwd=Path(__file__).resolve().parents[1],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    now, pinned = done.stdout.splitlines(), PINNED.read_text(encoding="utf-8").splitlines()
    removed, added = sorted(set(pinned) - set(now)), sorted(set(now) - set(pinned))
    assert not removed, (
        f"{len(removed)} lines of the API are gone; see python -m tests.test_public_api --write"
    )
    assert not added, (
        f"{len(added)} lines of the API are new; see python -m tests.test_public_api --write"
    )


if __name__ == "__main__":
    if "--write" in sys.argv:
        PINNED.write_text("\n".join(lines()) + "\n", encoding="utf-8")
    else:
        print("\n".join(lines()))
