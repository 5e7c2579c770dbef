"""Verbs: each is one function, declared where it is written; every accessor is built from the declarations.

    @verb(on="judged", gives="ties_by_recall", family="ties", name="by_recall", needs="relevant")
    def ties_by_recall(judged: Judged, *, levels: int | None = 20) -> pd.DataFrame: ...

What a verb works on is the annotation of its first parameter:

    Judged      runs joined to judgments
    Held        whatever holds scores or preferences: a join, a table of them, or cubes
    Table       a table with its roles bound to columns
    DataFrame   a frame as it is, for reports and plots

A verb on "judged" becomes `judged.verb(...)` and `runs.ireval.verb(qrels, ..., level=, topics=, ...)`, on pandas and on
Dask; one on "runs" becomes a verb of the join too, which then knows the judgments and the rules. `accessor.methods`
makes the methods; the command line, the README and the stubs read the same registry.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar

from pdeval.verbs.parameter_texts import describes_parameters
from pdeval.verbs.registry import Registry

Needs = Literal["measures", "relevant", "judged"]
Function = TypeVar("Function", bound=Callable[..., Any])

TAKES = {"Judged": "judged", "Held": "held", "Table": "table", "DataFrame": "frame"}


@dataclass(frozen=True, eq=False)
class Verb:
    """One declared verb.

    Parameters
    ----------
    name : str
        What users call it; with its family in front where it has one: "ties.by_recall", and "ties" for the family's
        own call.
    function : callable
        What runs.
    on : tuple of str
        The kinds of table that have it, by the names of their schemas; "judged" is the join.
    gives : tuple of str
        The table(s) that it may return, by the names of their schemas; empty where it returns something else.
    needs : {'measures', 'relevant', 'judged'}
        What a join made for this verb must hold: what its `measures` ask for, relevant items alone, or all judged ones.
    own : tuple of str
        Parameters that share their name with a rule of the join and are the verb's own.
    core : bool
        Whether it is named first.
    command : bool
        Whether the command line has it.
    formerly : tuple of str
        Names that it had before; they answer with the new one.
    meant_by : mapping of str to str
        Names that other tools use, and the call that is meant.
    grouped : bool
        Whether it can be applied to groups of queries, runs or collections, with `by=`.
    independent : bool
        Whether it takes runs for independent systems: the pipeline then warns of runs that differ in a seed only.
    per_measure : bool
        Whether each row of its result is about one measure and depends on no other: groups may then be computed
        together (`pdeval.evaluate.groups`).
    machine : bool
        Whether it uses labels by a machine beside people's; all other verbs refuse them.
    """

    name: str
    function: Callable[..., Any]
    on: tuple[str, ...]
    gives: tuple[str, ...] = ()
    needs: Needs = "measures"
    own: tuple[str, ...] = ()
    core: bool = False
    command: bool = False
    formerly: tuple[str, ...] = ()
    meant_by: Mapping[str, str] = field(default_factory=dict)
    grouped: bool = True
    independent: bool = False
    per_measure: bool = False
    machine: bool = False

    @property
    def family(self) -> str:
        """The namespace of the verb: "ties" of "ties.by_recall" and of "ties"."""
        return self.name.partition(".")[0]

    @cached_property
    def signature(self) -> inspect.Signature:
        """The signature of its function."""
        return inspect.signature(self.function)

    @cached_property
    def takes(self) -> str:
        """What its first parameter is: 'judged', 'held', 'table' or 'frame'."""
        annotation = next(iter(self.signature.parameters.values())).annotation
        if not isinstance(
            annotation, str
        ):  # written in a notebook, where annotations are the types themselves
            annotation = annotation.__name__ if isinstance(annotation, type) else "Held"
        takes = TAKES.get(annotation.rpartition(".")[2])
        if takes is None:
            raise TypeError(
                f"{self.name}(): annotate its first parameter as one of {', '.join(TAKES)}."
            )
        return takes

    @cached_property
    def parameters(self) -> list[inspect.Parameter]:
        """Its parameters without the first."""
        return list(self.signature.parameters.values())[1:]


VERBS: dict[str, Registry[Verb]] = {}  # by kind of table
FAMILIES: set[str] = set()  # first parts of names, such as `ties` of `ties.by_recall`
WATCHERS: list[
    Callable[[Verb], None]
] = []  # the accessors, which add what is declared after they were built


def verb(
    *,
    on: str | Iterable[str],
    gives: str | Iterable[str] = (),
    name: str | None = None,
    family: str | None = None,
    needs: Needs = "measures",
    own: str | Iterable[str] = (),
    core: bool = False,
    command: bool = False,
    formerly: str | Iterable[str] = (),
    meant_by: Mapping[str, str] | None = None,
    grouped: bool = True,
    independent: bool = False,
    per_measure: bool = False,
    machine: bool = False,
) -> Callable[[Function], Function]:
    """Declare a function as a verb of some kinds of table; see `Verb`.

    Parameters
    ----------
    name : str, optional
        The verb's own name where it is not the function's.
    family : str, optional
        The namespace that it lives in; a verb of the family's own name is what calling the namespace does.

    Examples
    --------
    >>> @verb(on="example", gives="ties", family="ties", name="by_length")
    ... def ties_by_length(table: Table, *, longest: int = 20): ...
    >>> VERBS.pop("example")["ties.by_length"].takes
    'table'
    """

    def declare(function: Function) -> Function:
        describes_parameters(function)
        short = name or function.__name__
        full = short if family in (None, short) else f"{family}.{short}"
        made = Verb(
            full,
            function,
            _several(on),
            _several(gives),
            needs,
            _several(own),
            core,
            command,
            _several(formerly),
            dict(meant_by or {}),
            grouped,
            independent,
            per_measure,
            machine,
        )
        for kind in made.on:
            taken = f"{kind} have a verb {{name!r}} already, of {{module}}."
            known = VERBS.setdefault(kind, Registry("verb", replace="module", taken=taken))
            known.add(full, made, function.__module__)
        if "." in full:
            FAMILIES.add(made.family)
        for watcher in WATCHERS:
            watcher(made)
        return function

    return declare


def _several(names: str | Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def of_kind(kind: str) -> dict[str, Verb]:
    """Return the verbs of a kind of table by name, core verbs first.

    Run tables have those of the join, and the join those of run tables.

    Examples
    --------
    >>> list(of_kind("nothing"))
    []
    """
    both = {"runs": ("runs", "judged"), "judged": ("judged", "runs")}.get(kind, (kind,))
    verbs = {name: verb for kind in reversed(both) for name, verb in VERBS.get(kind, {}).items()}
    return dict(sorted(verbs.items(), key=lambda item: (not item[1].core, item[0])))
