"""Methods from verbs: the methods of every accessor are set on its class once, each with its own signature and text."""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_type_hints

from pdeval.accessor import pipeline
from pdeval.accessor.collections import check_shared_ids
from pdeval.catalog.measures import Measure, needs_judged, parse_all
from pdeval.join import judged, positions, rules
from pdeval.join.judged import Judged, join
from pdeval.tables.dataframes import as_table
from pdeval.tables.schemas import SCHEMAS, Schema
from pdeval.verbs import FAMILIES, VERBS, Verb
from pdeval.verbs.arguments import refuse_unusable
from pdeval.verbs.checks import checker, explained, named_type
from pdeval.verbs.parameter_texts import WIDTH, completed, indented, return_type
from pdeval.verbs.spelling import nearest

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
# the rules of the join, as keyword-only parameters
_JOIN_PARAMETERS = {
    **inspect.signature(join).parameters,
    **inspect.signature(positions.join).parameters,
}
RULES = {
    name: _JOIN_PARAMETERS[name].replace(kind=inspect.Parameter.KEYWORD_ONLY)
    for name in (
        "level",
        "topics",
        "ties",
        "compat",
        "depth",
        "judged_only",
        "validate",
        "items",
        "history",
    )
}


@functools.cache
def rule_checks() -> dict[str, Callable[[str, Any], Any]]:
    """Return the check of every rule of the join, by its annotation and its name."""
    types = {**get_type_hints(positions.join), **get_type_hints(join)}
    return {name: checker(name, types[name]) for name in RULES}


def check_rules(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules of the join, tables of any library as frames; raise at the first that is not valid.

    Examples
    --------
    >>> check_rules({"topics": "all"})
    Traceback (most recent call last):
    ValueError: topics='all': choose 'relevant', 'judged', 'answered' or 'common'.
    """
    checks = rule_checks()
    return {name: checks[name](name, as_table(value)) for name, value in options.items()}


def joins(verb: Verb, kind: str) -> bool:
    """Return whether a verb of a run table has to join judgments first."""
    return kind == "runs" and "runs" not in verb.on


def signature_of(verb: Verb, kind: str) -> inspect.Signature:
    """Return the signature of a verb on the accessor of a kind of table, with `self`.

    If a join is made, the judgments come first and the rules of the join last. On a table of results `measures` are by
    default all that it has. A join has its own judgments and rules.
    """
    first = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    options = [*verb.parameters, *pipeline.options_of(verb).values()]
    if kind not in ("judged", "runs"):  # the values already include those of a machine
        options = [p for p in options if p.name != "machine" or p in verb.parameters]
        options = [
            p.replace(default=None) if p.name == "measures" and p.default is not EMPTY else p
            for p in options
        ]
    if kind == "judged" and "judged" not in verb.on:
        options = [p for p in options if p.name not in ("qrels", *RULES) or p.name in verb.own]
    if joins(verb, kind):
        first.append(
            inspect.Parameter("qrels", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="object")
        )
        options = [p for p in options if p.name not in RULES or p.name in verb.own]
        options += [p for name, p in RULES.items() if name not in verb.own]
    return inspect.Signature([*first, *options], return_annotation=verb.signature.return_annotation)


def docstring_of(verb: Verb, names: list[str]) -> str:
    """Return the docstring of a verb with these parameters; the schemas of its tables describe what it returns."""
    tables = [_table_description(SCHEMAS[name]) for name in verb.gives]
    return completed(
        verb.function.__doc__ or "", names, return_type(verb.function), "\n".join(tables)
    )


def _table_description(schema: Schema) -> str:
    """Return the entry of a Returns section that the schema of a table makes."""
    if schema.square:
        return "DataFrame\n" + indented(
            f"A {schema.says} with the same labels as index and columns."
        )
    row = f"One row per {schema.row}: " if schema.row else ""
    columns = "DataFrame\n" + indented(f"{row}{schema.listed}.")
    meanings = [
        textwrap.fill(
            f"- `{column.name}`: {schema.means[column.name]}.",
            WIDTH,
            initial_indent=" " * 4,
            subsequent_indent=" " * 6,
        )
        for column in schema.columns
        if column.name in schema.means
    ]
    return "\n".join([columns, "", *meanings]) if meanings else columns


def method_of(verb: Verb, kind: str) -> Callable[..., Any]:
    """Return the method of a verb for the accessor of a kind of table; all tables of results share one."""
    return _shared_method(verb, kind if kind in ("runs", "judged") else "table")


def new_method(verb: Verb, kind: str) -> Callable[..., Any]:
    """Return a method of a verb that no other accessor has."""
    signature = signature_of(verb, kind)
    judgments = ("qrels", *(["machine"] if "machine" in pipeline.options_of(verb) else []))

    def method(self: Any, *args: Any, **options: Any) -> Any:
        try:
            given = signature.bind(self, *args, **options).arguments
        except TypeError as error:
            raise TypeError(_misfit(verb, kind, signature, args, options, error)) from None
        given.pop("self")
        given = {
            name: as_table(value, judgments=name in judgments) for name, value in given.items()
        }
        if kind in ("runs", "judged") and given.get("measures", ()) is None:
            del given[
                "measures"
            ]  # the default of the verb; for a table of results, None is all that it has
        if given:
            checks = checks_of(verb, kind)
            for name, value in given.items():
                refuse_unusable(name, value)
            given = {name: checks[name](name, value) for name, value in given.items()}
        accessor = self._accessor
        with explained([accessor, *given.values()]):
            return accessor._call(verb, given)

    method.__signature__ = signature  # type: ignore[attr-defined]
    method.__name__ = verb.name.rpartition(".")[2]
    method.__qualname__ = f"{kind}.{verb.name}"
    method.__module__ = verb.function.__module__
    method.__annotations__ = {
        p.name: p.annotation for p in signature.parameters.values() if p.annotation is not EMPTY
    }
    method.__annotations__["return"] = signature.return_annotation
    method.__doc__ = docstring_of(verb, [name for name in signature.parameters if name != "self"])
    return method


_shared_method = functools.cache(new_method)


@functools.cache
def checks_of(verb: Verb, kind: str) -> dict[str, Callable[[str, Any], Any]]:
    """Return the check of every parameter of a method, by its annotation and its name."""
    parameters = list(signature_of(verb, kind).parameters.values())[1:]
    return {
        parameter.name: checker(parameter.name, _type_of(verb, parameter))
        for parameter in parameters
    }


def _type_of(verb: Verb, parameter: inspect.Parameter) -> Any:
    if parameter.annotation in (EMPTY, "object"):
        return object
    try:
        return evaluated(verb, parameter.annotation, parameter.name)
    except NameError:  # declared in a notebook, with a type that was deleted
        return object


def _misfit(
    verb: Verb,
    kind: str,
    signature: inspect.Signature,
    args: Sequence[Any],
    options: Mapping[str, Any],
    error: TypeError,
) -> str:
    """Return the error of arguments that do not fit the signature."""
    names = [name for name in signature.parameters if name != "self"]
    unknown = next((name for name in options if name not in names), None)
    if unknown is not None:
        return f"{verb.name}() has no option {unknown!r}; it has {', '.join(names)}.{_hint(verb, kind, unknown, names)}"
    if "qrels" in str(error) and kind == "runs":
        return (
            f"{verb.name}() of a run table needs judgments: .ireval.{verb.name}(qrels, ...). "
            "Where numbers are already computed, call it on their table."
        )
    if "positional" in str(error):
        return _too_many(verb, signature, args)
    return f"{verb.name}(): {error}."


def _hint(verb: Verb, kind: str, unknown: str, names: Sequence[str]) -> str:
    """Return the option that was meant by an unknown one."""
    if unknown == "by" and verb.family == "plot":
        return " A panel for each group is .plot.panels(by=...)."
    if unknown in (*RULES, "qrels"):
        return (
            " The join has it already."
            if kind == "judged"
            else " The numbers of this table are already computed."
        )
    if FORMERLY.get(unknown) in names:
        return f" It is now {FORMERLY[unknown]!r}."
    if unknown in ("k", "cutoff", "top_k", "at") and "measures" in names:
        return " A cutoff is part of the measure: 'nDCG@10'."
    near = next((name for name in MEANT.get(unknown, ()) if name in names), None) or nearest(
        unknown, names
    )
    return f" Did you mean {near!r}?" if near else ""


def _too_many(verb: Verb, signature: inspect.Signature, args: Sequence[Any]) -> str:
    """Return the error of too many arguments by position, and how runs are chosen if these are not measures."""
    parameters = [
        parameter for parameter in signature.parameters.values() if parameter.name != "self"
    ]
    names = [parameter.name for parameter in parameters]
    first = [
        parameter.name
        for parameter in parameters
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    text = f"{verb.name}() takes {' and '.join(first) or 'nothing'} by position, and {len(args)} values were given."
    runs = [value for value in args if isinstance(value, str) and not _is_measure(value)][:2]
    ways = (
        {"baseline": f"baseline={runs[0]!r}", "pairs": f"pairs=[{tuple(runs)!r}]"}
        if len(runs) == 2
        else {}
    )
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


def checks_roles(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return the call that binds roles, which raises with a suggestion if a role is unknown."""
    roles = [name for name in inspect.signature(call).parameters if name != "self"]

    @functools.wraps(call)
    def bound(self: Any, **binding: Any) -> Any:
        for unknown in (name for name in binding if name not in roles):
            near = nearest(unknown, roles)
            hint = f" Did you mean {near!r}?" if near else ""
            raise TypeError(f"no role {unknown!r}; roles are {', '.join(roles)}.{hint}")
        return call(self, **binding)

    return bound


class Family:
    """Verbs that belong together: calling it is the first of them, as with `df.plot()` and `df.plot.bar()`."""

    _verbs: Mapping[str, Verb] = {}

    def __init__(self, accessor: Any) -> None:
        self._accessor = accessor

    def __reduce__(
        self,
    ) -> tuple[Any, ...]:  # pickle does not find its class, an attribute of the accessor's class
        return getattr, (self._accessor, type(self).__name__)

    def __dir__(self) -> list[str]:
        return [name for name in self._verbs if name != "__call__"]

    def __repr__(self) -> str:
        family = f".{type(self).__name__}"
        names = [f"{family}.{name}()" for name in dir(self)]
        return ", ".join([f"{family}()", *names] if "__call__" in self._verbs else names)

    def __call__(self, *_args: Any, **_options: Any) -> Any:
        """Raise: this table has only other verbs of the family."""
        name = type(self).__name__
        kinds = [
            SCHEMAS[kind].says for kind, verbs in VERBS.items() if name in verbs and kind in SCHEMAS
        ]
        also = f" A {kinds[0]} has {name}()." if kinds else ""
        raise TypeError(f"this table has no {name}() of its own, only {self!r}.{also}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        family = type(self).__name__
        for verb in (
            verb for verbs in VERBS.values() for verb in verbs.values() if verb.family == family
        ):
            if name in verb.formerly or f"{family}_{name}" in verb.formerly:
                raise AttributeError(f"{family}.{name}() is now .{verb.name}().")
        raise AttributeError(f"this table has no {family}.{name}(); it has {self!r}.")


class LazyMethod:
    """A verb on the class of an accessor until it is first used: the method is then made, and replaces this."""

    def __init__(self, verb: Verb, kind: str) -> None:
        self.verb, self.kind = verb, kind

    def __get__(self, accessor: Any, owner: type) -> Any:
        method = method_of(self.verb, self.kind)
        for home in owner.__mro__:
            if home.__dict__.get(self.verb.name) is self:
                setattr(home, self.verb.name, method)
        return method.__get__(accessor, owner)


class FamilyAttribute:
    """A family as an attribute of an accessor, whose class is made when it is first used."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.members: dict[str, tuple[Verb, str]] = {}

    def add(self, verb: Verb, kind: str) -> None:
        """Add a verb, or replace the one of its name."""
        self.members[verb.name.partition(".")[2] or "__call__"] = verb, kind
        self.__dict__.pop("family", None)

    @functools.cached_property
    def family(self) -> type[Family]:
        """The class of the family, with the methods of its verbs."""
        verbs = {name: verb for name, (verb, _) in self.members.items()}
        methods = {name: method_of(verb, kind) for name, (verb, kind) in self.members.items()}
        home = next(iter(verbs.values())).function.__module__
        family = type(self.name, (Family,), {"_verbs": verbs, "__module__": home, **methods})
        if call := methods.get("__call__"):
            family.__doc__ = call.__doc__
            parameters = list(inspect.signature(call).parameters.values())[1:]
            family.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return family

    def __get__(self, accessor: Any, owner: type) -> Any:
        return self.family if accessor is None else self.family(accessor)


def attach(accessor: type, verb: Verb, kind: str) -> None:
    """Set a verb on the class of an accessor, in its family if it has one."""
    family, _, member = verb.name.partition(".")
    present = accessor.__dict__.get(family)
    if not member and not isinstance(present, FamilyAttribute) and family not in FAMILIES:
        setattr(accessor, family, LazyMethod(verb, kind))
        return
    if not isinstance(present, FamilyAttribute):
        single, present = present, FamilyAttribute(family)
        if single is not None:  # the only verb of its family until now
            present.add(accessor._verbs[family], kind)  # type: ignore[attr-defined]
        setattr(accessor, family, present)
    present.add(verb, kind)


def complete(verb: Verb, options: dict[str, Any]) -> bool:
    """Return whether a join made for a verb must have judged non-relevant items; its measures are parsed once."""
    if verb.needs != "measures":
        return verb.needs == "judged"
    default = next(
        (parameter.default for parameter in verb.parameters if parameter.name == "measures"), None
    )
    measures = options.get("measures", default)
    if measures is None or measures is EMPTY:
        return True
    try:
        options["measures"] = parse_all(measures)
    except KeyError:
        if verb.takes != "held":
            raise
        return True  # a test or an ordering in the place of a measure: the verb says what was meant
    return needs_judged(options["measures"])


def joined(
    kind: type[Judged], runs: object, qrels: object, verb: Verb | None, options: dict[str, Any]
) -> Any:
    """Return the join that a verb of a run table works on, made with the rules among its options."""
    given = rules_of_join(qrels, verb, options)
    check_shared_ids(runs, qrels)
    result = join(runs, qrels, **given)
    if verb is None:  # a join to keep, which later edits of the caller's frames do not reach
        result = result.apart()
    warned = {*result.said, *({"missing queries"} if "topics" in given else ())}
    return kind(result.positions, result.level, result.topics, warned)


def rules_of_join(qrels: object, verb: Verb | None, options: dict[str, Any]) -> dict[str, Any]:
    """Return the rules of the join that a verb works on, taken from its options, and what that join must have."""
    if isinstance(qrels, str | list | tuple | Measure):
        name = "join" if verb is None else verb.name
        first = f"qrels, {qrels!r}"
        if isinstance(qrels, str) and not _is_measure(qrels) and re.search(r"[./\\]", qrels):
            first = f"pdeval.read_qrels({qrels!r})"
        raise TypeError(f"{name}() of a run table takes judgments first: .ireval.{name}({first}).")
    not_rules = () if verb is None else verb.own
    given = {name: options.pop(name) for name in RULES if name in options and name not in not_rules}
    given["complete"] = (
        True if verb is None else complete(verb, options) or bool(given.get("judged_only"))
    )
    return given


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
    if (
        isinstance(annotation, str)
        and isinstance(of, Verb)
        and name in RULES
        and name not in of.own
    ):
        return eval(annotation, {**vars(rules), **vars(positions), **vars(judged)})
    return named_type(annotation, of.function if isinstance(of, Verb) else of)
