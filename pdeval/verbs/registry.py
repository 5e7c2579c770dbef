"""Registries: things that are declared by a decorator, found by name, and listed in errors and docstrings."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Collection, Mapping, MutableMapping
from typing import Any, Protocol, TypeVar

from pdeval.verbs.spelling import nearest


class Declared(Protocol):
    """What every declaration has."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> Collection[str]: ...
    @property
    def reference(self) -> str: ...
    @property
    def summary(self) -> str: ...


Entry = TypeVar("Entry", bound=Declared)
Function = TypeVar("Function", bound=Callable[..., Any])


class UnknownName(KeyError, ValueError):
    """No declaration has that name."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError shows the repr of its text


def first_line(function: Callable[..., Any]) -> str:
    """Return the first line of a function's docstring, which is its summary.

    Examples
    --------
    >>> first_line(first_line)
    "Return the first line of a function's docstring, which is its summary."
    """
    return (inspect.getdoc(function) or "").partition("\n")[0]


def register(entries: MutableMapping[str, Entry], made: Entry, function: Callable[..., Any], what: str) -> None:
    """Add a declaration; what pdeval declares keeps its name, what a caller declares may be declared again."""
    taken = entries.get(made.name)
    old = getattr(taken, "function", None)
    if taken is not None and _ours(old) and not _ours(function):
        raise ValueError(
            f"pdeval has a {what} {made.name!r} ({taken.summary.rstrip('.')}); give yours another name, e.g. "
            f"name={'my_' + made.name!r}."
        )
    entries[made.name] = made


def _ours(function: Callable[..., Any] | None) -> bool:
    return str(getattr(function, "__module__", "")).partition(".")[0] == "pdeval"


def named(what: str, text: str, entries: Mapping[str, Entry]) -> Entry:
    """Return the declaration of that name or alias; case does not matter.

    Examples
    --------
    >>> named("test", "tt", {})
    Traceback (most recent call last):
    pdeval.verbs.registry.UnknownName: no test 'tt'. There is none.
    """
    found = sought(text, entries)
    if found is not None:
        return found
    near = nearest(text, _names(entries))
    hint = f" Did you mean {near!r}?" if near else ""
    there = f"There are: {', '.join(entries)}" if entries else "There is none"
    raise UnknownName(f"no {what} {text!r}.{hint} {there}.")


def sought(text: str, entries: Mapping[str, Entry]) -> Entry | None:
    """Return the declaration of that name or alias, None where there is none; case does not matter.

    Examples
    --------
    >>> sought("tt", {}) is None
    True
    """
    if text in entries:
        return entries[text]
    name = _names(entries).get(str(text).lower())
    return None if name is None else entries[name]


def _names(entries: Mapping[str, Declared]) -> dict[str, str]:
    """Return the name behind each name and alias, in small letters."""
    aliases = {alias.lower(): name for name, entry in entries.items() for alias in entry.aliases}
    return aliases | {name.lower(): name for name in entries}


def lacking(entry: Declared) -> list[str]:
    """Return what a declaration still needs before it can be part of pdeval.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> lacking(SimpleNamespace(name="mine", aliases=(), reference="", summary="What it says."))
    ["'mine' has no reference: add reference='Authors year' to its decorator."]
    """
    found = []
    if not entry.summary.endswith("."):
        found.append(f"{entry.name!r} has no summary: begin its docstring with one line that ends in a full stop.")
    if not entry.reference:
        found.append(f"{entry.name!r} has no reference: add reference='Authors year' to its decorator.")
    return found


def listed_in_docs(**registries: Mapping[str, Declared]) -> Callable[[Function], Function]:
    """Replace `{name}` in the docstring of a function by the names and summaries of that registry, one per line.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> @listed_in_docs(tests={"t": SimpleNamespace(name="t", summary="Return the paired t-test.")})
    ... def compare():
    ...     "{tests}"
    >>> print(compare.__doc__)
    - "t": the paired t-test.
    """

    def fill(function: Function) -> Function:
        for name, entries in registries.items():
            lines = []
            for line in (function.__doc__ or "").split("\n"):
                indent = " " * (len(line) - len(line.lstrip()))
                if line.strip() != f"{{{name}}}":
                    lines.append(line)
                    continue
                for one in entries.values():
                    text = f'- "{one.name}": {one.summary.removeprefix("Return ")}'
                    lines += textwrap.wrap(text, 120, initial_indent=indent, subsequent_indent=f"{indent}  ")
            function.__doc__ = "\n".join(lines) or None
        return function

    return fill
