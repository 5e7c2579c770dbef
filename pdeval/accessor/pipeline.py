"""The call of a verb, the same for every accessor.

    options  ->  collections  ->  source  ->  groups  ->  replicates  ->  verb  ->  one table

The accessor creates the source (`_source`): the join of its runs with judgments, or its table.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import pandas as pd

from pdeval.accessor.collections import Collections
from pdeval.evaluate import groups
from pdeval.evaluate.groups import Join, Rows
from pdeval.evaluate.ppi import WithMachine
from pdeval.evaluate.sources import NO_MACHINE, named_by_metadata, warn_about_seeds
from pdeval.tables.dataframes import gathered_table
from pdeval.tables.recognition import kind_of
from pdeval.tables.schemas import PAIRED, SCHEMAS, Schema
from pdeval.tables.vocabularies import listed
from pdeval.verbs import Verb
from pdeval.verbs.progress import track

SHARED = {
    "by": str | Sequence[str] | None,
    "metadata": pd.DataFrame | Sequence[pd.DataFrame] | None,
    "replicate": str | Sequence[str] | None,
    "machine": "object",
}


def call(accessor: Any, verb: Verb, options: dict[str, Any]) -> Any:
    """Return the result of a verb."""
    options = {name: gathered_table(value) for name, value in options.items()}
    check_group_names(verb, options, getattr(accessor, "_kind", None) or "")
    # by, metadata, replicate, machine, without omitted ones
    shared = shared_options(verb, options)
    if collections := Collections.of(accessor, verb, options, shared):
        return described(verb, collections.call(verb, options, shared))
    if "by" not in shared:
        check_one_collection(accessor, verb)
    source = accessor._source(verb, options)
    if "machine" in shared:
        source = Join(WithMachine.of(source.data, shared["machine"]))
    replicate = shared.get("replicate")
    if replicate is None:
        warn_about_replicates(verb, options, source)
    if "by" not in shared:
        if "metadata" in shared:
            source = with_replicates(source, replicate or options["replicate"], shared["metadata"])
        return described(verb, verb.function(data_of(source, verb, replicate), **options))
    if any(parameter.name == "progress" for parameter in verb.parameters):
        bar, options["progress"] = options.get("progress"), False  # one bar for all groups
    else:
        bar = None
    batched = groups.Batches(verb, options) if verb.per_measure and not replicate else None
    labels, done, parts = source.groups(shared["by"], shared["metadata"], batched)
    parts = track(parts, total=len(labels), desc=verb.name, progress=bar)

    def of_part(part: Join | Rows) -> pd.DataFrame:
        return verb.function(data_of(part, verb, replicate), **{**options, **part.options})

    return described(verb, groups.apply_to_groups(of_part, parts, labels, done))


def data_of(source: Join | Rows, verb: Verb, replicate: object) -> Any:
    """Return the first argument of the function of a verb: a join, a table or a frame, averaged over replicates."""
    if replicate is not None:
        return source.averaged(groups.named(replicate, "replicate"))
    if isinstance(source, Rows):
        if source.has_machine and not verb.machine:
            raise ValueError(f"{verb.name}() {NO_MACHINE}.")
        if verb.takes == "frame":
            return source.described
    return source.data


def with_replicates(source: Join | Rows, replicate: object, metadata: Any) -> Join | Rows:
    """Return a source whose runs have the id columns of the metadata, if one of these distinguishes replicates."""
    names = groups.named(replicate, "replicate")
    data = named_by_metadata(source.data, names, groups.tables_of(metadata))
    return Join(data) if isinstance(source, Join) else Rows.of_table(data, source.judgments)


def described(verb: Verb, result: Any) -> Any:
    """Return a result with the name of its table in `attrs`."""
    if isinstance(result, pd.DataFrame) and verb.returns:
        result.attrs.pop("table", None)
        name = kind_of(result, among=verb.returns)
        if name is not None:
            _check_runs(verb, SCHEMAS[name], result)
            result.attrs["table"] = name
    return result


def _check_runs(verb: Verb, schema: Schema, result: pd.DataFrame) -> None:
    """Raise if an id column of runs has the name of another column of the result."""
    ends = [name.removeprefix("run") for name in ("run", *PAIRED) if name in schema.named]
    for name in result.attrs.get("run_columns", ()):
        lost = [
            name + end
            for end in ends
            if name + end in schema.required and name + end not in ("run", *PAIRED)
        ]
        if lost:
            raise ValueError(
                f"the runs have the id column {name!r}, but the {schema.description} of {verb.name}() has "
                f"another column of that name ({lost[0]}). "
                f"Rename it first: df.rename(columns={{{name!r}: 'run_{name}'}})."
            )


def check_group_names(verb: Verb, options: dict[str, Any], kind: str) -> None:
    """Raise if a column of `by` has the name of a column of the result.

    Roles of the table itself are checked with its columns.
    """
    if not isinstance(by := options.get("by"), str | list | tuple):
        return
    checked = (
        kind in SCHEMAS
        and kind != "runs"
        and verb.returns
        and (verb.takes == "held" or "by" in options_of(verb))
    )
    roles = SCHEMAS[kind].named if checked else ()
    for table in verb.returns or (verb.on if verb.takes == "held" else ()):
        columns = SCHEMAS[table].own if table in SCHEMAS else ()
        for name in [by] if isinstance(by, str) else by:
            if name in columns and name not in roles:
                about = groups.tables_of(options.get("metadata"))
                raise groups.replaced(
                    name, SCHEMAS[table], f"{verb.name}()", any(name in one for one in about)
                )


def options_of(verb: Verb) -> dict[str, inspect.Parameter]:
    """Return the options that the pipeline handles for a verb: by, metadata, replicate, machine.

    Examples
    --------
    >>> from pdeval.verbs import VERBS
    >>> list(options_of(VERBS["judged"]["compare"])), list(options_of(VERBS["judged"]["curve"]))
    (['by', 'metadata', 'replicate', 'machine'], ['by', 'metadata'])
    """
    own = {parameter.name for parameter in verb.parameters}
    names = []
    if verb.returns and verb.grouped and not all(SCHEMAS[name].square for name in verb.returns):
        names = (
            ["by", "metadata"] if "by" not in own else ["metadata"] if "judged" in verb.on else []
        )
        names += ["replicate"] if verb.takes == "held" and "measures" in own else []
    names += ["machine"] if verb.machine and "judged" in verb.on else []
    return {
        name: inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=SHARED[name]
        )
        for name in names
        if name not in own
    }


def shared_options(verb: Verb, options: dict[str, Any]) -> dict[str, Any]:
    """Return by, metadata, replicate and machine, removed from the options of a verb, without omitted ones."""
    names = options_of(verb)
    shared = {name: options.pop(name) for name in names if name in options}
    shared = {name: value for name, value in shared.items() if value is not None}
    if "by" in shared:
        shared["by"] = groups.named(shared["by"])
        fine = any(parameter.name == "per" for parameter in verb.parameters)
        if fine and shared["by"] in (["query"], ["run"]):
            raise ValueError(
                f"by= groups by columns of the tables or metadata. For one result per {shared['by'][0]}, use "
                f"per={shared['by'][0]!r}."
            )
        shared.setdefault("metadata", options.get("metadata"))
    elif "metadata" in shared and all(
        one is None
        for one in (options.get("by"), shared.get("replicate"), options.get("replicate"))
    ):
        raise ValueError(
            "metadata= needs by= or replicate=. Specify the columns to group by, or the column that distinguishes "
            "replicates."
        )
    if "metadata" in shared:
        groups.tables_of(shared["metadata"])
    return shared


def warn_about_replicates(verb: Verb, options: dict[str, Any], source: Join | Rows) -> None:
    """Warn if a verb treats runs as independent systems that differ only in a seed."""
    draws = next(
        (parameter.default for parameter in verb.parameters if parameter.name == "draws"), 1
    )
    if (
        not verb.independent
        or options.get("replicate") is not None
        or not options.get("draws", draws)
    ):
        return
    warn_about_seeds(source.runs)


def check_one_collection(accessor: Any, verb: Verb) -> None:
    """Raise if a table of several collections is used as one."""
    frame = getattr(accessor, "_frame", pd.DataFrame())  # a join has one collection
    names = [name for name in frame.attrs.get("collections", ()) if name in frame.columns]
    if not any(frame[name].nunique() > 1 for name in names):
        return
    if "by" in options_of(verb):
        by = repr(names[0]) if len(names) == 1 else repr(names)
        raise ValueError(
            f"this table has several collections ({listed(names)}) with different queries. Use {verb.name}(by={by}) "
            f"for each collection, or .meta_analysis(by={by}) for all."
        )
