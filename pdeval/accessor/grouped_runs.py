"""`by=` of run tables: stacked collections one by one, each with its own judgments; else groups of one join."""

from __future__ import annotations

import functools
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.accessor.grouping import check_columns, of_join, options_of, row_groups, rows_by
from pdeval.catalog.entries import parse_all
from pdeval.evaluate import groups
from pdeval.kinds import tables
from pdeval.kinds.metadata import matched_rows, with_metadata
from pdeval.kinds.recognition import kind_of
from pdeval.kinds.vocabularies import names_of
from pdeval.report.spec import Report
from pdeval.verbs import Verb, of_kind


def of_runs(door: Any, verb: Verb, given: dict[str, Any], asked: dict[str, Any], join: Any) -> pd.DataFrame:
    """Return the result of a verb of a run table for each group: collections first, each with its own judgments.

    Parameters
    ----------
    join : callable
        What makes the join of a run table, for verbs that need one.
    """
    frame, binding, by = door._frame, door._binding, asked.get("by", [])
    beside = {name: given[name] for name in ("qrels", "labels") if given.get(name) is not None}
    inside = {name: _frame_of(value) for name, value in beside.items()}
    shared = [name for name in by if name in frame.columns and any(name in one.columns for one in inside.values())]
    if shared:
        return _of_collections(door, verb, given, asked, shared)
    if join is not None:
        judged = join(given)
        return of_join(judged, verb, given, asked)
    frame = with_metadata(frame, binding, "runs", by, groups.tables_of(asked.get("metadata")))
    check_columns(frame, binding, "runs", by)
    labels, parts = rows_by(frame, by)

    def ask(part: pd.DataFrame) -> pd.DataFrame:
        own = {name: _same_queries(value, part, binding) for name, value in beside.items()}
        return type(door)(part, binding)._ask(verb, {**given, **own})

    if verb.of_groups is None:
        return groups.of_each(ask, parts, labels)
    found, _, sizes = row_groups(frame, by)
    code = np.repeat(found.codes, sizes)
    rows, of_rows = verb.of_groups(tables.read(frame, "runs", binding), code, len(labels), **given)
    there = set(of_rows.tolist())
    rest = (part for at, part in enumerate(parts) if at not in there)
    return groups.of_each(ask, rest, labels, [(there, rows, of_rows)] if there else ())


def valued(door: Any, verb: Verb, given: dict[str, Any]) -> tuple[Any, dict[str, Any]] | None:
    """Return the values of stacked collections, and what a verb is to be asked of them; None where there is one.

    For verbs that look at several collections themselves, as `report` and `verdict` do: each collection is joined to
    its own judgments first.
    """
    own = [parameter.name for parameter in verb.parameters]
    if "by" not in own or not isinstance(given.get("by"), str | list | tuple):
        return None
    names, frame = groups.named(given["by"]), door._frame
    told_by = [name for name in getattr(frame, "attrs", {}).get("collections", ()) if name not in names]
    stacked = _stacked(frame, given["qrels"], [*told_by, *names])
    if not stacked:
        return None
    default = next(parameter.default for parameter in verb.parameters if parameter.name == "measures")
    measures = parse_all(given.pop("measures", default))
    kinds = {one.entry.family: one for one in measures}
    if len(kinds) > 1:
        both = " and ".join(str(one) for one in kinds.values())
        raise ValueError(f"{verb.name}() takes measures of one ranking or preferences, not both: {both}.")
    first = of_kind("runs")["measure" if "metric" in kinds else "prefer"]
    asked = {name: value for name, value in given.items() if name not in own or name == "metadata"}
    by = [*(name for name in told_by if name in stacked), *names]
    values = door._ask(first, {**asked, "measures": measures, "by": by})
    done = ("metadata",) if verb.gives else ()
    return values, {name: value for name, value in given.items() if name in own and name not in done}


def with_machine(door: Any, verb: Verb, given: dict[str, Any], machine: object) -> pd.DataFrame | None:
    """Return the answer of a verb with machine labels for each of stacked collections; None where there is one."""
    if not isinstance(given.get("by"), str | list | tuple):
        return None
    names = groups.named(given["by"])
    shared = _stacked(door._frame, given["qrels"], names)
    if not shared:
        return None
    where = repr(shared[0]) if len(shared) == 1 else repr(shared)
    if not verb.gives:
        raise ValueError(
            f"{verb.name}() with machine= is of one collection: scores = runs.ireval.measure(qrels, ..., machine=..., "
            f"by={where}) has all of them, and scores[scores[{shared[0]!r}] == ...].ireval.{verb.name}() is of one."
        )
    lacking = [name for name in shared if name not in _frame_of(machine).columns]
    if lacking:
        raise ValueError(
            f"people's judgments are of several collections, and the machine's have no column {lacking[0]!r} to tell "
            "which are of which: add it to them."
        )
    asked = {"by": names, **({"metadata": given["metadata"]} if given.get("metadata") is not None else {})}
    rest = {name: value for name, value in given.items() if name not in asked}
    return _of_collections(door, verb, {**rest, "machine": machine}, asked, shared)


def _stacked(frame: Any, qrels: Any, names: list[str]) -> list[str]:
    """Return those of some columns that runs and judgments both have: they tell collections apart."""
    inside = _frame_of(qrels)
    return [name for name in names if name in frame.columns and name in inside.columns]


def with_joins(report: Any, door: Any, verb: Verb, given: dict[str, Any], join: Any) -> Any:
    """Return a report of stacked collections whose page can open items: each collection is joined when it is asked for.

    Anything but a report is returned as it is.

    Parameters
    ----------
    given : dict
        What the report was asked with, judgments among it.
    join : callable
        What joins a door of runs to judgments for a verb, by the rules in a dictionary.
    """
    if not isinstance(report, Report):
        return report
    told_by = getattr(door._frame, "attrs", {}).get("collections", ())
    shared = _stacked(door._frame, given["qrels"], list(dict.fromkeys([*told_by, *groups.named(given["by"])])))
    rules = {name: value for name, value in given.items() if name not in ("qrels", "by")}

    @functools.cache
    def of_collection(key: tuple[Any, ...]) -> Any:
        _, own = _divided(given["qrels"], shared)
        labels, parts = door._rows_by(shared)
        runs = next(part for part, (_, row) in zip(parts, labels.iterrows()) if tuple(row) == key)
        with warnings.catch_warnings():  # what there is to say was said when the values were computed
            warnings.simplefilter("ignore", UserWarning)
            return join(type(door)(runs, door._binding), own[key], verb, dict(rules))

    def joined(values: pd.DataFrame) -> Any:
        return of_collection(tuple(values[shared].iloc[0]))

    return replace(report, origins=tuple(replace(origin, joined=joined) for origin in report.origins))


def _of_collections(
    door: Any, verb: Verb, given: dict[str, Any], asked: dict[str, Any], shared: list[str]
) -> pd.DataFrame:
    labels, parts = door._rows_by(shared)
    labels, parts, asked = _of_their_kinds(door._frame, labels, parts, asked, shared)
    beside = {name: given[name] for name in ("qrels", "labels", "machine") if given.get(name) is not None}
    divided = {name: _divided(value, shared) for name, value in beside.items()}
    rest = {**{name: value for name, value in asked.items() if name != "by"}}
    further = [name for name in asked["by"] if name not in labels.columns]

    def ask(both: tuple[pd.DataFrame, pd.Series]) -> pd.DataFrame:
        part, row = both
        answer = {**given, **rest}
        for name, (keys, own) in divided.items():
            if keys and tuple(row[keys]) not in own:
                where = ", ".join(f"{one}={row[one]!r}" for one in keys)
                whose = "judgments by the machine" if name == "machine" else "judgments"
                raise ValueError(f"there are runs but no {whose} of {where}; the judgments have {_some(own)}.")
            answer[name] = own[tuple(row[keys])] if keys else own[()]
        if answer.get("metadata") is not None:
            every = groups.tables_of(answer["metadata"])
            answer["metadata"] = [_own_rows(one, shared, tuple(row[shared])) for one in every]
        if further:
            answer["by"] = further
        elif "metadata" in options_of(verb):
            answer.pop("metadata", None)
        return door._whole(type(door)(part, door._binding)._ask(verb, answer))

    result = groups.of_each(ask, zip(parts, (row for _, row in labels.iterrows())), labels)
    result.attrs["collections"] = shared
    return result


def _of_their_kinds(
    frame: Any, labels: pd.DataFrame, parts: Any, asked: dict[str, Any], shared: list[str]
) -> tuple[pd.DataFrame, Any, dict[str, Any]]:
    """Return collections with what metadata say of them, in the order of all that they are grouped by.

    Metadata about collections have their column(s), and none of the other columns of the runs.
    """
    every, left = groups.tables_of(asked.get("metadata")), []
    columns = labels
    for one in every:
        names = [name for name in asked["by"] if name in one.columns and name not in shared]
        others = {*map(str, one.columns)} & {*map(str, frame.columns)} - {*shared, *names}
        keys = [name for name in shared if name in one.columns]
        if not names or not keys or others:
            left.append(one)
            continue
        row = matched_rows(labels, one, keys)
        columns = columns.assign(**{name: one[name].array.take(row) for name in names})
    if len(left) == len(every):
        return labels, parts, asked
    columns = columns[[name for name in asked["by"] if name in columns.columns]]
    order = groups.groups_of(list(columns.columns), columns, pd.DataFrame(index=["one"]))
    place = np.empty(len(order.query), dtype=np.intp)
    place[order.query] = np.arange(len(order.query))
    rows = np.argsort(place[order.queries], kind="stable")
    whole = list(parts)
    asked = {**asked, "metadata": left or None}
    return columns.iloc[rows].reset_index(drop=True), [whole[row] for row in rows], asked


def _divided(value: Any, shared: list[str]) -> tuple[list[str], dict[tuple[Any, ...], Any]]:
    """Return the shared columns that judgments have, and the judgments of each of their values."""
    frame = _frame_of(value)
    keys = [name for name in shared if name in frame.columns]
    if not keys:
        return [], {(): value}
    labels, parts = rows_by(frame, keys)
    binding = getattr(value, "_binding", None)
    kept = {tuple(row): _without_subtopics(part) for part, (_, row) in zip(parts, labels.iterrows())}
    return keys, {key: (part if not binding else type(value)(part, binding)) for key, part in kept.items()}


def _without_subtopics(part: pd.DataFrame) -> pd.DataFrame:
    """Return judgments without the column of subtopics that only other collections have."""
    empty = [name for name in names_of("subtopic") if name in part.columns and part[name].isna().all()]
    return part.drop(columns=empty) if empty else part


def _own_rows(metadata: pd.DataFrame, shared: list[str], key: tuple[Any, ...]) -> pd.DataFrame:
    for name, value in zip(shared, key):
        if name in metadata.columns:
            metadata = metadata[metadata[name] == value].drop(columns=name)
    return metadata


def _same_queries(value: Any, runs: pd.DataFrame, binding: Any) -> Any:
    """Return judgments of the queries that a part of the runs has, where the part is one of queries."""
    frame = _frame_of(value)
    kind = kind_of(frame, getattr(value, "_binding", None)) or "qrels"
    if kind not in ("qrels", "labels"):
        return value
    there = tables.read(value, kind)
    if "query" not in there:
        return value
    here = runs[tables.read(runs, "runs", binding).roles["query"]]
    part = frame[there.column("query").isin(here.unique())]
    own = getattr(value, "_binding", None)
    return type(value)(part, own) if own else part


def _frame_of(value: Any) -> pd.DataFrame:
    frame = getattr(value, "frame", getattr(value, "_frame", value))
    return frame if isinstance(frame, pd.DataFrame) else pd.DataFrame()


def _some(keys: Any) -> str:
    shown = [" / ".join(map(str, key)) for key in keys]
    return ", ".join(map(repr, shown[:3])) + (f", ... ({len(shown)} in all)" if len(shown) > 3 else "")
