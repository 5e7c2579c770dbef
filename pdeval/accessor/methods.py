"""Methods of the accessors, created from verbs with their signature and docstring."""

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_type_hints

from pdeval.accessor import pipeline
from pdeval.accessor.pipeline import check_shared_ids
from pdeval.catalog import Measure, needs_judged, parse_all
from pdeval.join import Judged, join, judged, positions, rules
from pdeval.tables import SCHEMAS, Schema, as_table
from pdeval.verbs import (
    FAMILIES,
    VERBS,
    WIDTH,
    Verb,
    checker,
    completed,
    did_you_mean,
    elapsed_time,
    explained,
    indented,
    named_type,
    refuse_unusable,
    return_type,
)

EMPTY = inspect.Parameter.empty

# names of options in other tools, and in former versions
MEANT = {
    **dict.fromkeys(("metrics", "metric", "measure", "measures"), ("measures", "measure")),
    **dict.fromkeys(("relevance_level", "rel"), ("level",)),
    **dict.fromkeys(("random_state",), ("seed",)),
    **dict.fromkeys(
        ("bootstrap", "samples", "resamples", "n_resamples", "n_boot", "n_permutations"), ("draws",)
    ),
    "iterations": ("draws",),
    **dict.fromkeys(("k", "top_k"), ("top",)),
    **dict.fromkeys(("by_query", "by_run"), ("per",)),
    **dict.fromkeys(("groupby", "group_by"), ("by",)),
    **dict.fromkeys(("topic", "topics"), ("queries",)),
}
# rules of the join that only `join` and the core verbs take: they do not change what a measure is
JOIN_ONLY = ("validate", "items", "history")
# the rules of the join, as keyword-only parameters
_JOIN_PARAMETERS = {
    **inspect.signature(join).parameters,
    **inspect.signature(positions.join).parameters,
}
RULES = {
    name: _JOIN_PARAMETERS[name].replace(kind=inspect.Parameter.KEYWORD_ONLY)
    for name in (
        "level",
        "queries",
        "ties",
        "compat",
        "depth",
        "judged_only",
        "validate",
        "items",
        "history",
    )
}


def check_rules(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules of the join, with tables of other libraries as frames; raise if one is not valid.

    Examples
    --------
    >>> check_rules({"queries": "all"})
    Traceback (most recent call last):
    ValueError: queries='all': choose 'relevant', 'judged', 'answered' or 'common'.
    """
    types = {**get_type_hints(positions.join), **get_type_hints(join)}
    return {
        name: checker(name, types[name])(name, as_table(value)) for name, value in options.items()
    }


def joins(verb: Verb, kind: str) -> bool:
    """Return whether a verb of a run table joins judgments first."""
    return kind == "runs" and "runs" not in verb.on


def signature_of(verb: Verb, kind: str) -> inspect.Signature:
    """Return the signature of a verb on the accessor of a kind of table, with `self`.

    If the verb joins judgments, these come first and the rules of the join last. For a table of results, `measures` are
    by default all of the table. A join has its own judgments and rules.
    """
    first = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    options = [*verb.parameters, *pipeline.options_of(verb).values()]
    if kind not in ("judged", "runs"):  # the table already has the machine values
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
        dropped = verb.own if verb.core else (*verb.own, *JOIN_ONLY)
        options += [p for name, p in RULES.items() if name not in dropped]
    return inspect.Signature([*first, *options], return_annotation=verb.signature.return_annotation)


def docstring_of(verb: Verb, names: list[str]) -> str:
    """Return the docstring of a verb with these parameters; the schemas of its tables give the Returns section."""
    tables = [_table_description(SCHEMAS[name]) for name in verb.returns]
    return completed(
        verb.function.__doc__ or "", names, return_type(verb.function), "\n".join(tables)
    )


def _table_description(schema: Schema) -> str:
    """Return the entry of a Returns section for the schema of a table."""
    if schema.square:
        return "DataFrame\n" + indented(
            f"A {schema.description} with the same labels as index and columns."
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
    """Return a new method of a verb, not shared with other accessors."""
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
            # the default of the verb; for a table of results, None means all measures of the table
            del given["measures"]
        if given:
            checks = checks_of(verb, kind)
            for name, value in given.items():
                refuse_unusable(name, value)
            given = {name: checks[name](name, value) for name, value in given.items()}
        accessor = self._accessor if isinstance(self, Family) else self
        with explained([accessor, *given.values()]), elapsed_time(verb.name, given.get("progress")):
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
    except NameError:  # declared in a notebook, with a type that was deleted since
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
    if (unknown := next((name for name in options if name not in names), None)) is not None:
        hint = _hint(verb, kind, unknown, names)
        return f"{verb.name}() has no option {unknown!r}. Its options are {', '.join(names)}.{hint}"
    if "qrels" in str(error) and kind == "runs":
        return (
            f"{verb.name}() of a run table needs judgments: .ireval.{verb.name}(qrels, ...). "
            "If the values are already computed, call it on their table."
        )
    if "positional" in str(error):
        return _too_many(verb, signature, args)
    return f"{verb.name}(): {error}."


def _hint(verb: Verb, kind: str, unknown: str, names: Sequence[str]) -> str:
    """Return a suggestion for an unknown option."""
    if unknown == "by" and verb.family == "plot":
        return " Use .plot.panels(by=...) for one panel per group."
    if unknown in ("by", "metadata") and not verb.grouped and "scores" in verb.returns:
        return " Group its scores: .ireval.summary(by=..., metadata=...)."
    if unknown in JOIN_ONLY and joins(verb, kind):
        return f" Join first: .ireval.join(qrels, {unknown}=...).{verb.name}(...)."
    if unknown in (*RULES, "qrels"):
        return (
            " The join already has it."
            if kind == "judged"
            else " The values of this table are already computed."
        )
    meant = [name for name in MEANT.get(unknown, ()) if name in names]
    if unknown in ("k", "cutoff", "top_k", "at") and "measures" in names and not meant:
        return " A cutoff is part of the measure: 'nDCG@10'."
    return f" Did you mean {meant[0]!r}?" if meant else did_you_mean(unknown, names)


def _too_many(verb: Verb, signature: inspect.Signature, args: Sequence[Any]) -> str:
    """Return the error about too many positional arguments, with advice if these are runs."""
    _, *parameters = signature.parameters.values()
    first = [
        parameter.name
        for parameter in parameters
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    accepted = " and ".join(first) or "no arguments"
    text = f"{verb.name}() takes {accepted} by position, but {len(args)} values were passed."
    runs = [value for value in args if isinstance(value, str) and not _is_measure(value)][:2]
    choices = [name for name in ("baseline", "pairs") if name in signature.parameters]
    if len(runs) < 2 or not choices:
        return f"{text} Pass the others by name."
    ways = {"baseline": f"baseline={runs[0]!r}", "pairs": f"pairs=[{tuple(runs)!r}]"}
    if choices == ["baseline"]:
        return f"{text} Choose a run with {ways['baseline']}. To compare only two runs, select their rows first."
    return f"{text} Choose runs with {' or '.join(ways[name] for name in choices)}."


def _is_measure(text: str) -> bool:
    try:
        parse_all(text)
    except (KeyError, ValueError):
        return False
    return True


def checks_roles(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return the call that binds roles with a suggestion in the error about unknown roles."""
    roles = [name for name in inspect.signature(call).parameters if name != "self"]

    @functools.wraps(call)
    def bound(self: Any, **binding: Any) -> Any:
        for unknown in (name for name in binding if name not in roles):
            hint = did_you_mean(unknown, roles)
            raise TypeError(f"no role {unknown!r}; roles are {', '.join(roles)}.{hint}")
        return call(self, **binding)

    return bound


class Family:
    """A namespace of verbs that can also be called, as `df.plot()` and `df.plot.bar()`."""

    _verbs: Mapping[str, Verb] = {}

    def __init__(self, accessor: Any) -> None:
        self._accessor = accessor
        if "__call__" in self._verbs:
            # help() prints the docstring of an instance alone, without the methods of its class
            self.__doc__ = type(self).__call__.__doc__

    # pickle cannot import its class, an attribute of the class of the accessor
    def __reduce__(self) -> tuple[Any, ...]:
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
            SCHEMAS[kind].description
            for kind, verbs in VERBS.items()
            if name in verbs and kind in SCHEMAS
        ]
        also = f" A {kinds[0]} has {name}()." if kinds else ""
        raise TypeError(
            f"{name}() cannot be called directly on this table. Use one of {self!r}.{also}"
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        family = type(self).__name__
        raise AttributeError(f"this table has no {family}.{name}(). Use one of {self!r}.")


class LazyMethod:
    """A verb of an accessor whose method is created, and replaces this object, when it is first used."""

    def __init__(self, verb: Verb, kind: str) -> None:
        self.verb, self.kind = verb, kind

    def __get__(self, accessor: Any, owner: type) -> Any:
        method = method_of(self.verb, self.kind)
        for home in owner.__mro__:
            if home.__dict__.get(self.verb.name) is self:
                setattr(home, self.verb.name, method)
        return method.__get__(accessor, owner)


class FamilyAttribute:
    """A family as an attribute of an accessor, whose class is created when it is first used."""

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
        namespace = {"_verbs": verbs, "__module__": home, "__doc__": f"Verbs of {self.name}."}
        family = type(self.name, (Family,), {**namespace, **methods})
        if call := methods.get("__call__"):
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
    """Return whether the join of a verb must have judged non-relevant items; parses its measures."""
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
        if verb.takes != "scores":
            raise
        return True  # a test or an ordering instead of a measure: the verb raises with a suggestion
    return needs_judged(options["measures"])


def joined(
    kind: type[Judged], runs: object, qrels: object, verb: Verb | None, options: dict[str, Any]
) -> Any:
    """Return the join for a verb of a run table, with the rules in its options."""
    given = rules_of_join(qrels, verb, options)
    check_shared_ids(runs, qrels)
    result = join(runs, qrels, **given)
    if verb is None:  # a join to keep must not depend on later changes of the caller's frames
        result = result.with_copied_tables()
    warned = {*result.warned, *({"missing queries"} if "queries" in given else ())}
    return kind(result.positions, result.level, result.query_rule, warned)


def rules_of_join(qrels: object, verb: Verb | None, options: dict[str, Any]) -> dict[str, Any]:
    """Return the rules of the join of a verb, removed from its options, and the items that it needs."""
    if isinstance(qrels, str | list | tuple | Measure):
        name = "join" if verb is None else verb.name
        is_path = isinstance(qrels, str) and not _is_measure(qrels) and re.search(r"[./\\]", qrels)
        first = f"pdeval.read_qrels({qrels!r})" if is_path else f"qrels, {qrels!r}"
        raise TypeError(f"{name}() of a run table takes judgments first: .ireval.{name}({first}).")
    not_rules = () if verb is None else verb.own
    given = {name: options.pop(name) for name in RULES if name in options and name not in not_rules}
    given["complete"] = (
        True if verb is None else complete(verb, options) or bool(given.get("judged_only"))
    )
    return given


def evaluated(of: Verb | Callable[..., Any], annotation: Any, name: str = "") -> Any:
    """Return the type of an annotation, evaluated with the names of its module.

    Parameters
    ----------
    of : Verb or function
        Verb or function with the annotation.
    name : str
        Name of the parameter; rules of the join are annotated in the modules of the join.

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
