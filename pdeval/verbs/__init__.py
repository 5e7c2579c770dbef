"""Verbs: each is one function, declared where it is written; every accessor is built from the declarations.

    @verb(on="judged", returns="ties_by_recall", family="ties", name="by_recall", needs="relevant")
    def ties_by_recall(judged: Judged, *, levels: int | None = 20) -> pd.DataFrame: ...

The annotation of the first parameter states what a verb works on:

    Judged      runs joined to judgments
    ScoresLike  scores or preferences: a join, a table of them, or cubes
    Table       a table with its roles bound to columns
    DataFrame   an unchanged frame, for reports and plots

A verb on "judged" becomes `judged.verb(...)` and `runs.ireval.verb(qrels, ..., level=, ...)`, on pandas and on
Dask; one on "runs" also becomes a verb of the join, which passes its judgments and rules. `accessor.methods`
makes the methods; the command line, the README and the stubs read the same registry.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar

from pdeval.verbs.arguments import (
    LARGE,
    LISTS,
    TooFew,
    alternatives,
    checker,
    checks_arguments,
    explained,
    integer,
    is_finite,
    is_missing,
    named_type,
    number,
    one_of,
    positive,
    refuse_unusable,
    several,
    short_repr,
    with_article,
)
from pdeval.verbs.lazy_imports import csgraph, difflib, html, optimize, sparse, special, stats
from pdeval.verbs.parameter_texts import (
    WIDTH,
    completed,
    describes_parameters,
    indented,
    return_type,
    sections,
)
from pdeval.verbs.progress import elapsed_time, track
from pdeval.verbs.registry import Registry, check_not_declared, first_line, listed_in_docs, lookup
from pdeval.verbs.spelling import did_you_mean, nearest

Needs = Literal["measures", "relevant", "judged"]
Function = TypeVar("Function", bound=Callable[..., Any])

TAKES = {"Judged": "judged", "ScoresLike": "scores", "Table": "table", "DataFrame": "frame"}


@dataclass(frozen=True, eq=False)
class Verb:
    """One declared verb.

    Parameters
    ----------
    name : str
        Name of the verb, with its family as prefix: "ties.by_recall", or "ties" for the call of the family.
    function : callable
        The function that computes the result.
    on : tuple of str
        Kinds of table that have the verb, by the names of their schemas; "judged" is the join.
    returns : tuple of str
        Tables that the verb may return, by the names of their schemas; empty if it returns something else.
    needs : {'measures', 'relevant', 'judged'}
        Items that a join made for this verb must have: those that its `measures` need, relevant items only, or all
        judged items.
    own : tuple of str
        Parameters of the verb that have the name of a rule of the join but another meaning.
    core : bool
        Whether the verb is listed first.
    command : bool
        Whether the verb is a command of the command line.
    other_names : mapping of str to str
        Names in other tools, and the call to suggest for each.
    grouped : bool
        Whether the verb can be applied to groups of queries, runs or collections, with `by=`.
    independent : bool
        Whether the verb treats runs as independent systems: the pipeline then warns about runs that differ only in a
        seed.
    per_measure : bool, 'tables', 'padded' or callable
        Whether each row of the result depends on one measure only, or on measures of one group
        (`pdeval.evaluate.pairs_of_measures`): groups may then be computed together (`pdeval.evaluate.groups`).
        'tables' if the verb sums the pairs of a join in another order than those of a table: only groups of tables are.
        'padded' if queries without a value do not change a row, to the last bit: groups of different sizes are then
        computed together, too. A function of the options returns whether they do not.
    machine : bool
        Whether the verb uses machine labels in addition to human labels; all other verbs raise.
    per_list : bool
        Whether each row of the result depends on one list only: groups are then groups of the rows of the result.
    """

    name: str
    function: Callable[..., Any]
    on: tuple[str, ...]
    returns: tuple[str, ...] = ()
    needs: Needs = "measures"
    own: tuple[str, ...] = ()
    core: bool = False
    command: bool = False
    other_names: Mapping[str, str] = field(default_factory=dict)
    grouped: bool = True
    independent: bool = False
    per_measure: bool | Literal["tables", "padded"] | Callable[[Mapping[str, Any]], bool] = False
    machine: bool = False
    per_list: bool = False

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
        """The kind of its first parameter: 'judged', 'scores', 'table' or 'frame'."""
        annotation = next(iter(self.signature.parameters.values())).annotation
        # in a notebook, annotations are types
        if not isinstance(annotation, str):
            annotation = annotation.__name__ if isinstance(annotation, type) else "ScoresLike"
        takes = TAKES.get(annotation.rpartition(".")[2])
        if takes is None:
            raise TypeError(
                f"the first parameter of {self.name}() has no known type. Annotate it as one of {', '.join(TAKES)}."
            )
        return takes

    @cached_property
    def parameters(self) -> list[inspect.Parameter]:
        """Its parameters without the first."""
        return list(self.signature.parameters.values())[1:]


VERBS: dict[str, Registry[Verb]] = {}  # by kind of table
FAMILIES: set[str] = set()  # first parts of names, such as `ties` of `ties.by_recall`
# called with each new declaration: the accessors add verbs that are declared after they were built
WATCHERS: list[Callable[[Verb], None]] = []


def verb(
    *,
    on: str | Iterable[str],
    returns: str | Iterable[str] = (),
    name: str | None = None,
    family: str | None = None,
    needs: Needs = "measures",
    own: str | Iterable[str] = (),
    core: bool = False,
    command: bool = False,
    other_names: Mapping[str, str] | None = None,
    grouped: bool = True,
    independent: bool = False,
    per_measure: bool | Literal["tables", "padded"] | Callable[[Mapping[str, Any]], bool] = False,
    machine: bool = False,
    per_list: bool = False,
) -> Callable[[Function], Function]:
    """Declare a function as a verb of some kinds of table; see `Verb`.

    Parameters
    ----------
    name : str, optional
        Name of the verb in its family; by default the name of the function.
    family : str, optional
        Namespace of the verb. A verb with the name of its family is the call of the namespace.

    Examples
    --------
    >>> from pdeval.tables import Table
    >>> @verb(on="example", returns="ties", family="ties", name="by_length")
    ... def ties_by_length(table: Table, *, longest: int = 20): ...
    >>> VERBS.pop("example")["ties.by_length"].takes
    'table'
    """

    def declare(function: Function) -> Function:
        short = name or function.__name__
        full = short if family in (None, short) else f"{family}.{short}"
        made = Verb(
            full,
            function,
            _several(on),
            _several(returns),
            needs,
            _several(own),
            core,
            command,
            dict(other_names or {}),
            grouped,
            independent,
            per_measure,
            machine,
            per_list,
        )
        for kind in made.on:
            taken = f"the {kind} table already has a verb {{name!r}}, declared in {{module}}."
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

    Run tables also have the verbs of the join, and the join those of run tables.

    Examples
    --------
    >>> list(of_kind("nothing"))
    []
    """
    both = {"runs": ("runs", "judged"), "judged": ("judged", "runs")}.get(kind, (kind,))
    verbs = {name: verb for kind in reversed(both) for name, verb in VERBS.get(kind, {}).items()}
    return dict(sorted(verbs.items(), key=lambda item: (not item[1].core, item[0])))
