"""Registries: what can be extended is declared by name, looked up by name, and listed in errors and docstrings."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, Protocol, TypeVar

from pdeval.verbs.spelling import nearest

Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])
Replace = Literal["own", "module", "never", "always"]


class Declared(Protocol):
    """What every declaration has that is looked up by name or alias."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> Collection[str]: ...
    @property
    def reference(self) -> str: ...
    @property
    def summary(self) -> str: ...


Entry = TypeVar("Entry", bound=Declared)


class UnknownName(KeyError, ValueError):
    """No declaration has that name."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError shows the repr of its text


class Registry(dict[str, Value]):
    """Declarations of one kind by name, in the order in which they were declared.

    Parameters
    ----------
    noun : str
        What errors call an entry: "test".
    replace : {'own', 'module', 'never', 'always'}
        Which names may be declared again: all but those of pdeval, which only pdeval declares; those declared by the
        same module; none; all.
    taken : str, optional
        The error of a name that is taken, with {name}, {summary}, {module} and {old}, the first declaration.

    Examples
    --------
    >>> tests = Registry("test", replace="never", taken="there is a test {name!r} already.")
    >>> tests.add("t", 1)
    1
    >>> tests.add("t", 2)
    Traceback (most recent call last):
    ValueError: there is a test 't' already.
    """

    def __init__(self, noun: str, *, replace: Replace = "own", taken: str = "") -> None:
        super().__init__()
        self.noun = noun
        self.replace = replace
        self.taken = taken or (
            f"pdeval has a {noun} {{name!r}} ({{summary}}); give yours another name, e.g. name='my_{{name}}'."
        )
        self.modules: dict[str, str] = {}

    def add(self, name: str, entry: Value, module: str = "") -> Value:
        """Declare an entry and return it; raise if the name is taken.

        Parameters
        ----------
        module : str
            The module that declares it.
        """
        if name in self and not self._may_replace(self.modules.get(name, ""), module):
            summary = str(getattr(self[name], "summary", "")).rstrip(".")
            raise ValueError(
                self.taken.format(
                    name=name, summary=summary, module=self.modules.get(name), old=self[name]
                )
            )
        self[name] = entry
        self.modules[name] = module
        return entry

    def _may_replace(self, old: str, new: str) -> bool:
        if self.replace == "own":
            return old.partition(".")[0] != "pdeval" or new.partition(".")[0] == "pdeval"
        return self.replace == "always" or (self.replace == "module" and old == new)

    def function(self, name: str) -> Callable[[Function], Function]:
        """Declare a function under a name.

        Examples
        --------
        >>> columns = Registry("column")
        >>> @columns.function("rank")
        ... def ranks(): ...
        >>> list(columns)
        ['rank']
        """

        def declare(function: Function) -> Function:
            self.add(name, function, function.__module__)  # type: ignore[arg-type]
            return function

        return declare


def first_line(function: Callable[..., Any]) -> str:
    """Return the first line of a function's docstring, which is its summary.

    Examples
    --------
    >>> first_line(first_line)
    "Return the first line of a function's docstring, which is its summary."
    """
    return (inspect.getdoc(function) or "").partition("\n")[0]


def lookup(noun: str, text: str, entries: Mapping[str, Entry]) -> Entry:
    """Return the declaration of that name or alias; case does not matter.

    Examples
    --------
    >>> lookup("test", "tt", {})
    Traceback (most recent call last):
    pdeval.verbs.registry.UnknownName: no test 'tt'. There is none.
    """
    entry = search(text, entries)
    if entry is not None:
        return entry
    near = nearest(text, _names(entries))
    hint = f" Did you mean {near!r}?" if near else ""
    there = f"There are: {', '.join(entries)}" if entries else "There is none"
    raise UnknownName(f"no {noun} {text!r}.{hint} {there}.")


def search(text: str, entries: Mapping[str, Entry]) -> Entry | None:
    """Return the declaration of that name or alias, None if there is none; case does not matter.

    Examples
    --------
    >>> search("tt", {}) is None
    True
    """
    return entries.get(text) or entries.get(_names(entries).get(str(text).lower(), ""))


def _names(entries: Mapping[str, Declared]) -> dict[str, str]:
    """Return the name behind each name and alias, in lower case."""
    aliases = {alias.lower(): name for name, entry in entries.items() for alias in entry.aliases}
    return aliases | {name.lower(): name for name in entries}


def incomplete(entry: Declared) -> list[str]:
    """Return what a declaration still needs before it can be part of pdeval.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> incomplete(SimpleNamespace(name="mine", aliases=(), reference="", summary="What it says."))
    ["'mine' has no reference: add reference='Authors year' to its decorator."]
    """
    faults = {
        f"{entry.name!r} has no summary: begin its docstring with one line that ends in a full stop.": (
            entry.summary.endswith(".")
        ),
        f"{entry.name!r} has no reference: add reference='Authors year' to its decorator.": bool(
            entry.reference
        ),
    }
    return [fault for fault, complete in faults.items() if not complete]


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
                for entry in entries.values():
                    text = f'- "{entry.name}": {entry.summary.removeprefix("Return ")}'
                    lines += textwrap.wrap(
                        text, 120, initial_indent=indent, subsequent_indent=f"{indent}  "
                    )
            function.__doc__ = "\n".join(lines) or None
        return function

    return fill
