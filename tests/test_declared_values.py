"""What signatures and declarations say when nobody says otherwise: `python -m tests.test_declared_values --write`.

A default is a promise: numbers of papers rest on it. The table beside this file holds every one, so that a change is a
line of a diff that somebody reads.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import inspect
import pkgutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import pdeval
from pdeval.catalog.entries import ENTRIES
from pdeval.orderings.coefficients import COEFFICIENTS
from pdeval.significance.registry import TESTS
from pdeval.verbs import VERBS

TABLE = Path(__file__).with_name("declared_values.txt")
ROOMS = ("kernels", "join", "orderings", "significance", "accessor", "dask")
# for people, and checked elsewhere
TEXTS = {
    "name",
    "family",
    "function",
    "kernel",
    "columns",
    "parameters",
    "reference",
    "says",
    "level_hint",
    "other_names",
}


def shown(value: Any) -> str:
    """Return a value as text, the same under every version of what is installed."""
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{shown(key)}: {shown(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(map(shown, value)) + "]"
    return repr(float(value)) if isinstance(value, float) else repr(value)


def defaults(function: Any) -> str:
    """Return the defaults of a function's parameters."""
    given = inspect.signature(function).parameters.values()
    return ", ".join(
        f"{one.name}={shown(one.default)}" for one in given if one.default is not one.empty
    )


def settings(declared: Any) -> str:
    """Return what a declaration says beyond the defaults of its class."""
    said = []
    for one in dataclasses.fields(declared):
        usual = one.default if one.default_factory is dataclasses.MISSING else one.default_factory()
        value = getattr(declared, one.name)
        if one.name not in TEXTS and value != usual:
            said.append(f"{one.name}={shown(value)}")
    return ", ".join(said)


def of_module(name: str) -> Iterator[str]:
    """Yield a line for everything public that a module defines and that has a default."""
    module = importlib.import_module(name)
    for key, value in sorted(vars(module).items()):
        if getattr(value, "__module__", None) != name or (
            key.startswith("_") and not isinstance(value, type)
        ):
            continue
        if inspect.isfunction(value):
            yield f"{name}.{key}({defaults(value)})"
        elif isinstance(value, type):
            if dataclasses.is_dataclass(value):
                held = ((one.name, one.default) for one in dataclasses.fields(value))
                said = [
                    f"{one}={shown(default)}"
                    for one, default in held
                    if default is not dataclasses.MISSING
                ]
                kind = value.__dataclass_params__
                yield f"{name}.{key}: {', '.join([f'frozen={kind.frozen}', f'eq={kind.eq}', *said])}"
            for own, method in sorted(vars(value).items()):
                if (
                    inspect.isfunction(method)
                    and not own.startswith("_")
                    and method.__module__ == name
                ):
                    yield f"{name}.{key}.{own}({defaults(method)})"


def ours(function: Any) -> bool:
    """Return whether pdeval declares it itself; tests and examples declare things too."""
    module = sys.modules.get(str(getattr(function, "__module__", "")))
    own = str(getattr(function, "__module__", "")).partition(".")[0] == "pdeval"
    return own and getattr(module, getattr(function, "__name__", ""), None) is not None


def declared() -> Iterator[str]:
    """Yield a line for every entry of the catalog, test, coefficient and verb."""
    for what, entries, held in (("catalog", ENTRIES, "kernel"), ("test", TESTS, "function")):
        for name, one in entries.items():
            if ours(getattr(one, held)):
                yield f"{what} {name}: {settings(one)}"
    for name, one in COEFFICIENTS.items():
        if ours(one.function):
            yield f"coefficient {name}: {settings(one)}"
    for verb in {id(one): one for verbs in VERBS.values() for one in verbs.values()}.values():
        if ours(verb.function):
            yield f"verb {verb.name}({defaults(verb.function)}): {settings(verb)}"


def modules() -> list[str]:
    """Return the modules of the rooms; those of `dask` need Dask."""
    rooms = [one for one in ROOMS if one != "dask" or importlib.util.find_spec("dask")]
    found = [
        pkgutil.walk_packages([str(Path(pdeval.__path__[0], one))], f"pdeval.{one}.")
        for one in rooms
    ]
    return [*(f"pdeval.{one}" for one in rooms), *(one.name for part in found for one in part)]


def lines_of_modules() -> list[str]:
    """Return the lines of all modules that have a default to tell."""
    return [line for name in modules() for line in of_module(name) if not line.endswith("()")]


def test_the_defaults_of_every_public_function_are_those_of_the_table():
    told = tuple(f"{name}." for name in modules())
    said = [
        line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith(told)
    ]
    assert sorted(lines_of_modules()) == said, "see the head of this file"


@pytest.mark.broad
def test_what_is_declared_is_declared_as_the_table_says():
    said = [
        line
        for line in TABLE.read_text(encoding="utf-8").splitlines()
        if not line.startswith("pdeval.")
    ]
    # in a new process: tests declare tables too, which get verbs of their own
    code = "from tests.test_declared_values import declared; print(*sorted(declared()), sep='\\n')"
    root = Path(__file__).parent.parent
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    assert found.stdout.splitlines() == said, "see the head of this file"


if __name__ == "__main__" and "--write" in sys.argv:
    TABLE.write_text(
        "\n".join([*sorted(declared()), *sorted(lines_of_modules())]) + "\n", encoding="utf-8"
    )
