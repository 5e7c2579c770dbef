"""Registries: declarations by name, with their lookup, errors and lists in docstrings."""

import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, Protocol, TypeVar

from pdeval.verbs.spelling import did_you_mean

Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])
Replace = Literal["own", "module", "never", "always"]


class Declared(Protocol):
    """Attributes of declarations that are looked up by name or alias."""

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
    """There is no declaration of that name."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError shows the repr of its text


class Registry(dict[str, Value]):
    """Declarations of one kind by name, in the order in which they were declared.

    Parameters
    ----------
    noun : str
        Name of an entry in errors: "test".
    replace : {'own', 'module', 'never', 'always'}
        Names that may be declared again: all except those of pdeval; those declared by the same module; none; all.
    taken : str, optional
        Error message for a name that is taken, with {name}, {summary}, {module} and {old}, the first declaration.

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
            f"pdeval already has a {noun} {{name!r}} ({{summary}}). Use another name, e.g. name='my_{{name}}'."
        )
        self.modules: dict[str, str] = {}

    def add(self, name: str, entry: Value, module: str = "") -> Value:
        """Declare an entry and return it; raise if the name is taken.

        Parameters
        ----------
        module : str
            Module of the declaration.
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
    pdeval.verbs.registry.UnknownName: no test 'tt'. There are none.
    """
    if (entry := search(text, entries)) is not None:
        return entry
    there = f"There are: {', '.join(entries)}" if entries else "There are none"
    raise UnknownName(f"no {noun} {text!r}.{did_you_mean(text, _names(entries))} {there}.")


def search(text: str, entries: Mapping[str, Entry]) -> Entry | None:
    """Return the declaration of that name or alias, None if there is none; case does not matter.

    Examples
    --------
    >>> search("tt", {}) is None
    True
    """
    return entries.get(text) or entries.get(_names(entries).get(str(text).lower(), ""))


def _names(entries: Mapping[str, Declared]) -> dict[str, str]:
    """Return a mapping from names and aliases, in lower case, to names."""
    aliases = {alias.lower(): name for name, entry in entries.items() for alias in entry.aliases}
    return aliases | {name.lower(): name for name in entries}


def check_not_declared(
    measures: object, what: str, entries: Mapping[str, Declared], call: str
) -> None:
    """Raise if a requested measure is the name of another declaration.

    Parameters
    ----------
    what : str
        The kind of the other declarations, with an article: "an ordering".
    call : str
        The correct call, with {} for the name.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> check_not_declared("T", "a test", {"t": SimpleNamespace(name="t", aliases=())}, "compare(test={})")
    Traceback (most recent call last):
    ValueError: 'T' is a test, not a measure. Use compare(test='t').
    """
    for measure in measures if isinstance(measures, list | tuple) else [measures]:
        text = getattr(measure, "label", measure)
        name, bracket, parameters = str(text).partition("(")
        entry = search(name, entries) if isinstance(text, str) else None
        if entry is not None:
            use = call.format(repr(entry.name + bracket + parameters))
            raise ValueError(f"{text!r} is {what}, not a measure. Use {use}.") from None


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

            def lines(match: re.Match[str], entries: Mapping[str, Declared] = entries) -> str:
                texts = [
                    f'- "{entry.name}": {entry.summary.removeprefix("Return ")}'
                    for entry in entries.values()
                ]
                wrap = textwrap.TextWrapper(
                    120, initial_indent=match[1], subsequent_indent=f"{match[1]}  "
                )
                return "\n".join(map(wrap.fill, texts))

            doc = function.__doc__ or ""
            function.__doc__ = re.sub(rf"(?m)^( *)\{{{name}\}} *$", lines, doc) or None
        return function

    return fill
