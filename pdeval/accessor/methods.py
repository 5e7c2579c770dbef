"""Methods from verbs: every door's methods are set on its class once, each a plain function with its own signature."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_type_hints

from pdeval.accessor import pipeline
from pdeval.accessor.collections import check_shared_ids
from pdeval.accessor.docstrings import of_door
from pdeval.catalog.measures import Measure, needs_judged, parse_all
from pdeval.join import judged, positions, rules
from pdeval.join.judged import Judged, join
from pdeval.tables.dataframes import as_table
from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs import FAMILIES, VERBS, Verb
from pdeval.verbs.arguments import refuse_unusable
from pdeval.verbs.checks import checker, named_type
from pdeval.verbs.spelling import nearest
from pdeval.verbs.table_faults import explained

EMPTY = inspect.Parameter.empty

# options under the names that they had before
FORMERLY = {
    **dict.fromkeys(("bootstrap", "samples", "resamples"), "draws"),
    **dict.fromkeys(("by_query", "by_run"), "per"),
}
# options under the names that other tools have for them
MEANT = {
    **dict.fromkeys(("metrics", "metric", "measure", "measures"), ("measures", "measure")),
    **dict.fromkeys(("relevance_level", "rel"), ("level",)),
    **dict.fromkeys(("random_state",), ("seed",)),
    **dict.fromkeys(("n_resamples", "n_boot", "n_permutations", "iterations"), ("draws",)),
    **dict.fromkeys(("groupby", "group_by"), ("by",)),
}


def rule_parameters() -> dict[str, inspect.Parameter]:
    """Return the rules of the join as keyword-only parameters, by name."""
    from pdeval.join.positions import join as positions_join

    own = {**inspect.signature(join).parameters, **inspect.signature(positions_join).parameters}
    names = ("level", "topics", "ties", "compat", "depth", "judged_only", "validate", "items", "history")
    return {name: own[name].replace(kind=inspect.Parameter.KEYWORD_ONLY) for name in names}


RULES = rule_parameters()


@functools.cache
def rule_checks() -> dict[str, Callable[[str, Any], Any]]:
    """Return the check of every rule of the join, by its annotation and its name."""
    from pdeval.join.positions import join as positions_join

    types = {**get_type_hints(positions_join), **get_type_hints(join)}
    return {name: checker(name, types[name]) for name in RULES}


def rules_given(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules of the join, tables of any library as frames; raise at the first that cannot be meant.

    Examples
    --------
    >>> rules_given({"topics": "all"})
    Traceback (most recent call last):
    ValueError: topics='all': choose 'relevant', 'judged', 'answered' or 'common'.
    """
    checks = rule_checks()
    return {name: checks[name](name, as_table(value)) for name, value in given.items()}


def joins(verb: Verb, kind: str) -> bool:
    """Return whether a verb of a run table has to join judgments first."""
    return kind == "runs" and "runs" not in verb.on


def signature_of(verb: Verb, kind: str) -> inspect.Signature:
    """Return the signature of a verb at the door of a kind of table, with `self`.

    The judgments come first where a join is made, and its rules last; on a table of results `measures` are by default
    all that it holds; a join knows its own judgments and rules.
    """
    own = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    given = [*verb.parameters, *pipeline.options_of(verb).values()]
    if kind not in ("judged", "runs"):  # whose values a machine's labels are already in
        given = [one for one in given if one.name != "machine" or one in verb.parameters]
        given = [p.replace(default=None) if p.name == "measures" and p.default is not EMPTY else p for p in given]
    if kind == "judged" and "judged" not in verb.on:
        given = [p for p in given if p.name not in ("qrels", *RULES) or p.name in verb.own]
    if joins(verb, kind):
        own.append(inspect.Parameter("qrels", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="object"))
        given = [p for p in given if p.name not in RULES or p.name in verb.own]
        given += [p for name, p in RULES.items() if name not in verb.own]
    return inspect.Signature([*own, *given], return_annotation=verb.signature.return_annotation)


def method_of(verb: Verb, kind: str) -> Callable[..., Any]:
    """Return the method of a verb for the door of a kind of table; all tables of results share one."""
    return _shared_method(verb, kind if kind in ("runs", "judged") else "table")


@functools.cache
def _shared_method(verb: Verb, kind: str) -> Callable[..., Any]:
    return new_method(verb, kind)


def new_method(verb: Verb, kind: str) -> Callable[..., Any]:
    """Return a method of a verb that no other door has."""
    signature = signature_of(verb, kind)
    judgments = ("qrels", *(["machine"] if "machine" in pipeline.options_of(verb) else []))
    short = verb.name.rpartition(".")[2]

    def method(self: Any, *args: Any, **options: Any) -> Any:
        try:
            given = signature.bind(self, *args, **options).arguments
        except TypeError as error:
            raise TypeError(_misfit(verb, kind, signature, args, options, error)) from None
        given.pop("self")
        given = {name: as_table(value, judgments=name in judgments) for name, value in given.items()}
        if kind in ("runs", "judged") and given.get("measures", ()) is None:
            del given["measures"]  # the verb's own; of a table of results, None is all that it holds
        if given:
            checks = checks_of(verb, kind)
            for name, value in given.items():
                refuse_unusable(name, value)
            given = {name: checks[name](name, value) for name, value in given.items()}
        accessor = getattr(self, "_door", self)
        with explained([accessor, *given.values()]):
            return accessor._call(verb, given)

    method.__signature__ = signature  # type: ignore[attr-defined]
    method.__name__ = short
    method.__qualname__ = f"{kind}.{verb.name}"
    method.__module__ = verb.function.__module__
    method.__annotations__ = {p.name: p.annotation for p in signature.parameters.values() if p.annotation is not EMPTY}
    method.__annotations__["return"] = signature.return_annotation
    method.__doc__ = of_door(verb, [name for name in signature.parameters if name != "self"])
    return method


@functools.cache
def checks_of(verb: Verb, kind: str) -> dict[str, Callable[[str, Any], Any]]:
    """Return the check of every parameter of a verb at a door, by its annotation and its name."""

    parameters = list(signature_of(verb, kind).parameters.values())[1:]
    return {p.name: checker(p.name, _type_of(verb, p, evaluated)) for p in parameters}


def _type_of(verb: Verb, parameter: inspect.Parameter, evaluated: Callable[..., Any]) -> Any:
    if parameter.annotation in (EMPTY, "object"):
        return object
    try:
        return evaluated(verb, parameter.annotation, parameter.name)
    except NameError:  # a notebook's, of a type that is gone
        return object


def _misfit(
    verb: Verb,
    kind: str,
    signature: inspect.Signature,
    args: Sequence[Any],
    options: Mapping[str, Any],
    error: TypeError,
) -> str:
    names = [name for name in signature.parameters if name != "self"]
    unknown = [name for name in options if name not in names]
    if unknown:
        near = next((name for name in MEANT.get(unknown[0], ()) if name in names), None) or nearest(unknown[0], names)
        hint = f" Did you mean {near!r}?" if near else ""
        if unknown[0] in ("k", "cutoff", "top_k", "at") and "measures" in names:
            hint = " A cutoff is part of the measure: 'nDCG@10'."
        if FORMERLY.get(unknown[0]) in names:
            hint = f" It is now {FORMERLY[unknown[0]]!r}."
        if unknown[0] in (*RULES, "qrels"):
            hint = (
                " The numbers of this table are already computed." if kind != "judged" else " The join has it already."
            )
        if unknown[0] == "by" and verb.family == "plot":
            hint = " A panel for each group is .plot.panels(by=...)."
        return f"{verb.name}() has no option {unknown[0]!r}; it has {', '.join(names)}.{hint}"
    if "qrels" in str(error) and kind == "runs":
        return (
            f"{verb.name}() of a run table needs judgments: .ireval.{verb.name}(qrels, ...). "
            "Where numbers are already computed, call it on their table."
        )
    if "positional" in str(error):
        return _too_many(verb, signature, args)
    return f"{verb.name}(): {error}."


def _too_many(verb: Verb, signature: inspect.Signature, args: Sequence[Any]) -> str:
    """Return the error of too many arguments by position, and how runs are chosen if these are not measures."""
    parameters = [one for one in signature.parameters.values() if one.name != "self"]
    names = [one.name for one in parameters]
    first = [one.name for one in parameters if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    text = f"{verb.name}() takes {' and '.join(first) or 'nothing'} by position, and {len(args)} values were given."
    runs = [one for one in args if isinstance(one, str) and not _is_measure(one)][:2]
    ways = {"baseline": f"baseline={runs[0]!r}", "pairs": f"pairs=[{tuple(runs)!r}]"} if len(runs) == 2 else {}
    ways = {name: way for name, way in ways.items() if name in names}
    if not ways:
        return f"{text} Pass the others by name."
    if "pairs" not in ways:
        return f"{text} Choose a run with {ways['baseline']}. To compare two runs only, keep their rows first."
    return f"{text} Choose runs with {' or '.join(ways.values())}."


def _is_measure(text: str) -> bool:
    try:
        parse_all(text)
    except (KeyError, ValueError):
        return False
    return True


def roles_told(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return the binding call, which tells the role that was meant by a name that is none."""
    roles = [name for name in inspect.signature(call).parameters if name != "self"]

    @functools.wraps(call)
    def bound(self: Any, **binding: Any) -> Any:
        unknown = [name for name in binding if name not in roles]
        if unknown:
            near = nearest(unknown[0], roles)
            hint = f" Did you mean {near!r}?" if near else ""
            raise TypeError(f"no role {unknown[0]!r}; roles are {', '.join(roles)}.{hint}")
        return call(self, **binding)

    return bound


class Family:
    """Verbs that belong together: calling it is the first of them, as with `df.plot()` and `df.plot.bar()`."""

    _verbs: Mapping[str, Verb] = {}

    def __init__(self, door: Any) -> None:
        self._door = door

    def __reduce__(self) -> tuple[Any, ...]:  # its class is an attribute of the accessor alone
        return getattr, (self._door, type(self).__name__)

    def __dir__(self) -> list[str]:
        return [name for name in self._verbs if name != "__call__"]

    def __repr__(self) -> str:
        names = [f".{type(self).__name__}.{name}()" for name in self._verbs if name != "__call__"]
        own = [f".{type(self).__name__}()"] if "__call__" in self._verbs else []
        return ", ".join([*own, *names])

    def __call__(self, *_args: Any, **_options: Any) -> Any:
        """Raise: this table has only other verbs of the family."""
        name = type(self).__name__
        kinds = [SCHEMAS[kind].says for kind, verbs in VERBS.items() if name in verbs and kind in SCHEMAS]
        also = f" A {kinds[0]} has {name}()." if kinds else ""
        raise TypeError(f"this table has no {name}() of its own, only {self!r}.{also}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        family = type(self).__name__
        for full in (one for verbs in VERBS.values() for one in verbs.values() if one.family == family):
            if name in full.formerly or f"{family}_{name}" in full.formerly:
                raise AttributeError(f"{family}.{name}() is now .{full.name}().")
        raise AttributeError(f"this table has no {family}.{name}(); it has {self!r}.")


class Unmade:
    """A verb on the class of a door until somebody looks at it: the method is then made, and takes this place."""

    def __init__(self, verb: Verb, kind: str) -> None:
        self.verb, self.kind = verb, kind

    def __get__(self, door: Any, owner: type) -> Any:
        method = method_of(self.verb, self.kind)
        for home in owner.__mro__:
            if home.__dict__.get(self.verb.name) is self:
                setattr(home, self.verb.name, method)
        return method.__get__(door, owner)


class FamilyAttribute:
    """A family as an attribute of a door, whose class is made when somebody looks at it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.members: dict[str, tuple[Verb, str]] = {}

    def add(self, verb: Verb, kind: str) -> None:
        """Take up a verb, or another of its name."""
        self.members[verb.name.partition(".")[2] or "__call__"] = verb, kind
        self.__dict__.pop("family", None)

    @functools.cached_property
    def family(self) -> type[Family]:
        """The class of the family, with the methods of its verbs."""
        verbs = {name: verb for name, (verb, _) in self.members.items()}
        methods = {name: method_of(verb, kind) for name, (verb, kind) in self.members.items()}
        home = next(iter(verbs.values())).function.__module__
        made = type(self.name, (Family,), {"_verbs": verbs, "__module__": home, **methods})
        if "__call__" in methods:
            call = methods["__call__"]
            made.__doc__ = call.__doc__
            made.__signature__ = inspect.Signature(list(inspect.signature(call).parameters.values())[1:])  # type: ignore[attr-defined]
        return made

    def __get__(self, door: Any, owner: type) -> Any:
        return self.family if door is None else self.family(door)


def attach(door: type, verb: Verb, kind: str) -> None:
    """Set a verb on the class of a door, in its family where it has one."""
    family, _, own = verb.name.partition(".")
    here = door.__dict__.get(family)
    if not own and not isinstance(here, FamilyAttribute) and family not in FAMILIES:
        setattr(door, family, Unmade(verb, kind))
        return
    if not isinstance(here, FamilyAttribute):
        alone, here = here, FamilyAttribute(family)
        if alone is not None:  # a verb that was alone in its family until now
            here.add(door._verbs[family], kind)  # type: ignore[attr-defined]
        setattr(door, family, here)
    here.add(verb, kind)


def complete(verb: Verb, given: dict[str, Any]) -> bool:
    """Return whether a join made for a verb must hold judged non-relevant items; its measures are parsed once."""
    if verb.needs != "measures":
        return verb.needs == "judged"
    default = next((p.default for p in verb.parameters if p.name == "measures"), None)
    asked = given.get("measures", default)
    if asked is None or asked is EMPTY:
        return True
    try:
        given["measures"] = parse_all(asked)
    except KeyError:
        if verb.takes != "held":
            raise
        return True  # a test or an ordering in the place of a measure: the verb says what was meant
    return needs_judged(given["measures"])


def joined(kind: type[Judged], runs: object, qrels: object, verb: Verb | None, given: dict[str, Any]) -> Any:
    """Return the join that a verb of a run table works on, made with the rules that it was given."""
    rules = rules_of_join(qrels, verb, given)
    check_shared_ids(runs, qrels)
    made = join(runs, qrels, **rules)
    if verb is None:  # a join to keep, which later edits of the caller's frames do not reach
        made = made.apart()
    said = {*made.said, *({"missing queries"} if "topics" in rules else ())}
    return kind(made.positions, made.level, made.topics, said)


def rules_of_join(qrels: object, verb: Verb | None, given: dict[str, Any]) -> dict[str, Any]:
    """Return the rules of the join that a verb works on, taken from what it was given, and what that join must hold."""
    own = () if verb is None else verb.own
    if isinstance(qrels, str | list | tuple | Measure):
        name = "join" if verb is None else verb.name
        first = f"qrels, {qrels!r}"
        if isinstance(qrels, str) and not _is_measure(qrels) and re.search(r"[./\\]", qrels):
            first = f"pdeval.read_qrels({qrels!r})"
        raise TypeError(f"{name}() of a run table takes judgments first: .ireval.{name}({first}).")
    rules = {name: given.pop(name) for name in RULES if name in given and name not in own}
    return {**rules, "complete": True if verb is None else complete(verb, given) or bool(rules.get("judged_only"))}


def evaluated(of: Verb | Callable[..., Any], annotation: Any, name: str = "") -> Any:
    """Return the type that an annotation names, with the names of the file that wrote it.

    Parameters
    ----------
    of : Verb or function
        Whose annotation it is.
    name : str
        The parameter: a rule of the join is annotated where the join is written.

    Examples
    --------
    >>> evaluated(evaluated, "Verb | None")
    pdeval.verbs.Verb | None
    """
    if isinstance(annotation, str) and isinstance(of, Verb) and name in RULES and name not in of.own:
        return eval(annotation, {**vars(rules), **vars(positions), **vars(judged)})
    return named_type(annotation, of.function if isinstance(of, Verb) else of)
