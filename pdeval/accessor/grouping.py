"""`by=` and `replicate=` at every door: a verb asked for each group of queries, runs or collections, in one call.

Stacked collections are joined one by one. Groups of queries or runs of one collection share its join: what each run
scores is computed once, and each group works on its part of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog.entries import parse_all
from pdeval.evaluate import batches, groups, replicates
from pdeval.evaluate.pairs import Pairs
from pdeval.evaluate.sources import sources
from pdeval.evaluate.two_labels import KINDS as MACHINE
from pdeval.judged.judged import Judged
from pdeval.kinds import tables
from pdeval.kinds.metadata import with_metadata
from pdeval.kinds.schemas import SCHEMAS
from pdeval.kinds.vocabularies import listed
from pdeval.mechanics.progress import track
from pdeval.verbs import Verb

_OPTIONS = {
    "by": str | Sequence[str] | None,
    "metadata": pd.DataFrame | Sequence[pd.DataFrame] | None,
    "replicate": str | Sequence[str] | None,
}


# what makes the rows of a measure need others, or tell of queries
TIED = (("family", "all"), ("wide", True), ("per", "query"), ("matrix", True))


def options_of(verb: Verb) -> dict[str, inspect.Parameter]:
    """Return the options that every verb of a kind has, where they are not its own: by, metadata, replicate.

    Examples
    --------
    >>> from pdeval.verbs import VERBS
    >>> list(options_of(VERBS["judged"]["compare"])), list(options_of(VERBS["judged"]["curve"]))
    (['by', 'metadata', 'replicate'], ['by', 'metadata'])
    """
    if not verb.gives or not verb.grouped or all(SCHEMAS[name].square for name in verb.gives):
        return {}
    own = {parameter.name for parameter in verb.parameters}
    names = ["by", "metadata"] if "by" not in own else ["metadata"] if "judged" in verb.on else []
    names += ["replicate"] if verb.takes == "held" and "measures" in own else []
    return {
        name: inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_OPTIONS[name])
        for name in names
        if name not in own
    }


def taken(verb: Verb, given: dict[str, Any]) -> dict[str, Any]:
    """Return what `given` says of groups and replicates, taken out of it."""
    found = {name: given.pop(name) for name in options_of(verb) if name in given}
    found = {name: value for name, value in found.items() if value is not None}
    if "by" in found:
        found["by"] = groups.named(found["by"])
        fine = any(parameter.name == "per" for parameter in verb.parameters)
        if fine and found["by"] in (["query"], ["run"]):
            raise ValueError(f"by= groups by columns of metadata; how fine a result is, is now per={found['by'][0]!r}.")
        found.setdefault("metadata", given.get("metadata"))
    elif "metadata" in found and given.get("by") is None:
        raise ValueError("metadata= says what queries or runs are: name the columns to group by, with by=.")
    groups.tables_of(found.get("metadata"))
    return found


def tell_of_replicates(verb: Verb, given: dict[str, Any], held: Judged | tables.Table) -> None:
    """Warn where a verb takes runs for independent systems and they differ in a seed only."""
    if (
        not verb.independent
        or given.get("replicate") is not None
        or (verb.independent == "draws" and not given.get("draws"))
    ):
        return
    runs = held.runs if isinstance(held, Judged) else _runs_of(held)
    replicates.tell_replicates(runs)


def _runs_of(table: tables.Table) -> pd.DataFrame:
    """Return the runs of a table of results, one row each."""
    names = list(table.run_columns)
    if not any(name.lower() in replicates.NAMES for name in names):
        return table.frame[[]].head(0)
    both = [[f"{name}_{side}" for name in names] for side in "ab"]
    sides = [names] if set(names) <= set(table.frame.columns) else both
    runs = pd.concat([table.frame[side].drop_duplicates().set_axis(names, axis=1) for side in sides])
    return runs.drop_duplicates(ignore_index=True)


def of_join(judged: Judged, verb: Verb, given: dict[str, Any], asked: dict[str, Any]) -> pd.DataFrame:
    """Return the result of a verb of a join for each group."""
    as_pref_eval = "pref_eval" in (given.get("compat"), judged.positions.rules.get("compat"))
    if as_pref_eval and "replicate" in asked and any(one.name == "compat" for one in verb.parameters):
        given["compat"] = "pref_eval"  # averages know no rules of the join
    if "by" not in asked:
        return verb.function(_averaged(_cubes(judged, given), asked["replicate"]), **given)
    found = groups.of_join(judged, asked["by"], asked["metadata"])
    judged.tell()
    if "replicate" not in asked:
        tell_of_replicates(verb, given, judged)
    if verb.per_query and given.get("per", "query") == "query" and found.of_queries_alone:
        frame = verb.function(judged, **given)
        topic = judged.queries.get_indexer(frame[str(judged.queries.name)].astype(judged.queries.dtype))
        code = found.codes[topic]
        order = np.argsort(code, kind="stable")
        return groups.with_groups(frame.take(order).reset_index(drop=True), found.labels, code[order])
    replicate = asked.get("replicate")
    at_once = found.of_queries_alone or judged.topics != "common"  # what all runs of a group answered is its own
    if at_once and (replicate is not None or (_of_values(verb, given) and not as_pref_eval)):
        return _of_cubes(_cubes(judged, given), verb, given, asked, found, judged.queries)
    if replicate is None and not as_pref_eval and found.of_queries_alone and (cubes := _of_pairs(verb, given, judged)):
        return _of_cubes(cubes, verb, {**given, "measures": None}, asked, found, judged.queries)
    answered: list[groups.Answer] = []
    if verb.of_groups is not None and found.of_queries_alone:
        frame, of_rows = verb.of_groups(judged, found.codes, len(found.labels), **given)
        answered.append((of_rows.tolist(), frame, of_rows))
    left = found.masks(leave={at for places, _, _ in answered for at in places})
    parts: Iterator[Any] = (groups.part_of_join(judged, *masks) for masks in left)
    if replicate is not None:
        parts = (_averaged(_cubes(part, dict(given)), replicate) for part in parts)
    return _each(verb, parts, found.labels, given, answered)


def _of_values(verb: Verb, given: dict[str, Any]) -> bool:
    """Return whether a verb works on what runs score: computed once, and cut into groups."""
    parameter = next((p for p in verb.parameters if p.name == "measures"), None)
    if verb.takes != "held" or parameter is None or verb.name == "lengths.rrie":
        return False
    if any(one.name == "pairs" for one in verb.parameters):  # of the differences of a join, as it adds them up
        return False
    return all(one.entry.family == "metric" for one in parse_all(given.get("measures", parameter.default)))


def _of_pairs(verb: Verb, given: dict[str, Any], judged: Judged) -> list[Any]:
    """Return preferences and scores to be cut into groups of queries; nothing where each group has to be asked."""
    default = next((p.default for p in verb.parameters if p.name == "measures"), None)
    if not verb.per_measure or default is None or judged.topics == "answered":
        return []
    asked = parse_all(given.setdefault("measures", default))
    cells = len(asked) * len(judged.queries) * len(judged.runs) ** 2 // 2
    if 8 * cells > Pairs.memory or any(one.entry.family in ("ordering", "set") for one in asked):
        return []
    return _whole(verb.source(judged, given) if verb.source is not None else sources(judged, asked))


def _cubes(held: Any, given: dict[str, Any]) -> list[Any]:
    """Return all values of a join or a table, and leave no measure to choose."""
    cubes = sources(held, **({"measures": given["measures"]} if "measures" in given else {}))
    given["measures"] = None
    return _whole(cubes)


def _whole(cubes: list[Any]) -> list[Any]:
    return [cube.cube() if isinstance(cube, Pairs) else cube for cube in cubes]


def _averaged(cubes: list[Any], replicate: Any) -> list[Any]:
    """Return cubes with values averaged over replicates, where there are."""
    if replicate is None:
        return cubes
    names = groups.named(replicate, "replicate")
    return [replicates.averaged(cube, names) for cube in cubes]


def _of_cubes(
    cubes: list[Any],
    verb: Verb,
    given: dict[str, Any],
    asked: dict[str, Any],
    found: groups.Groups,
    queries: pd.Index,
) -> pd.DataFrame:
    """Return the result of a verb for each group's part of some cubes, whose queries are among these."""
    classes = [found.queries[queries.get_indexer(cube.queries)] for cube in cubes]
    kept = [code for code, of in enumerate(found.query) if any((one == of).any() for one in classes)]

    def part(code: int) -> list[Any]:
        own = [groups.cut(c, of == found.query[code], found.runs == found.run[code]) for c, of in zip(cubes, classes)]
        return _averaged(own, asked.get("replicate"))

    labels = found.labels.iloc[kept].reset_index(drop=True)
    at_once = verb.per_measure and "replicate" not in asked and not any(given.get(one) == word for one, word in TIED)
    answered = []
    if at_once:
        alone = {**given, "progress": False} if "progress" in given else given
        answered = list(batches.answers(lambda own: verb.function(own, **alone), cubes, classes, found, kept))
    there = {at for places, _, _ in answered for at in places}
    parts = (part(code) for at, code in enumerate(kept) if at not in there)
    return _each(verb, parts, labels, given, answered)


def _each(
    verb: Verb, parts: Iterator[Any], labels: pd.DataFrame, given: dict[str, Any], answered: Sequence[Any] = ()
) -> pd.DataFrame:
    """Return the results of a verb for the parts of all groups, on each other; some may be answered already."""
    progress = given.get("progress")
    if any(parameter.name == "progress" for parameter in verb.parameters):
        given["progress"] = False  # one bar, of groups
    total = len(labels) - sum(len(places) for places, _, _ in answered)
    tracked = track(parts, total=total, desc=verb.name, progress=progress)
    return groups.of_each(lambda part: verb.function(part, **given), tracked, labels, answered)


def of_table(door: Any, verb: Verb, given: dict[str, Any], asked: dict[str, Any]) -> pd.DataFrame:
    """Return the result of a verb of a table of results for each group of its rows."""
    frame, binding, kind = door._frame, door._binding, str(door._kind)
    if "replicate" in asked and kind not in ("scores", "preferences"):
        said = SCHEMAS[kind].says
        raise ValueError(f"replicate= averages what runs score on queries; a {said} has none. Say it where they have.")
    if "by" not in asked:
        return verb.function(_averaged(_cubes(tables.read(door, kind), given), asked["replicate"]), **given)
    frame = with_metadata(frame, binding, kind, asked["by"], groups.tables_of(asked.get("metadata")))
    check_columns(frame, binding, kind, asked["by"])
    if kind in ("scores", "preferences") and verb.takes == "held" and "measures" in given:
        query = tables.query_column(frame, binding)
        of_query = frame[[str(query), *asked["by"]]].drop_duplicates()
        if not of_query[query].duplicated().any():
            cubes = _cubes(tables.read(frame, kind, binding), given)
            ids = pd.Index(of_query[query].astype(cubes[0].queries.dtype))
            by_query = of_query[asked["by"]].reset_index(drop=True)
            found = groups.groups_of(asked["by"], by_query, pd.DataFrame(index=range(len(cubes[0].runs))))
            return _of_cubes(cubes, verb, given, asked, found, ids)
    labels, parts = rows_by(frame, asked["by"])
    rest = {name: asked[name] for name in ("replicate",) if name in asked}
    return groups.of_each(lambda part: type(door)(part, binding)._ask(verb, {**given, **rest}), parts, labels)


def check_columns(frame: pd.DataFrame, binding: Any, kind: str, by: list[str]) -> None:
    """Raise where columns to group by are not in a table, or are ids of it."""
    missing = [name for name in by if name not in frame.columns]
    if missing:
        raise KeyError(
            f"no column {missing[0]!r} to group by; the table has {listed(frame.columns)}. Join metadata to it with "
            ".ireval.annotate(metadata), or give them as metadata=."
        )
    ids = [column.name for column in SCHEMAS[kind].columns if column.name not in ("run", "bucket", "user")]
    taken_by = {str(binding.get(name, frame.attrs.get(f"{name}_column", name))): name for name in ids}
    if "query" in ids:
        taken_by[str(tables.query_column(frame, binding, needed=False))] = "query"
    for name in by:
        if name in taken_by:
            raise ValueError(f"by={name!r} is the {taken_by[name]} of the table; name a column of metadata.")


def row_groups(frame: pd.DataFrame, by: list[str]) -> tuple[groups.Groups, np.ndarray, np.ndarray]:
    """Return the groups of stretches of rows of a frame, the first row of each stretch, and how many it has."""
    first = groups.stretches([frame[name] for name in by])
    if len(first) * 4 > len(frame):
        first = np.arange(len(frame))
    # collections stand on each other: one row of each stretch tells the group of all, and stretches are slices
    sizes = np.diff(np.append(first, len(frame)))
    some = frame[by] if len(first) == len(frame) else frame[by].iloc[first]
    found = groups.groups_of(by, some, pd.DataFrame(index=[0]), weights=sizes)
    return found, first, sizes


def rows_by(frame: pd.DataFrame, by: list[str]) -> tuple[pd.DataFrame, Iterator[pd.DataFrame]]:
    """Return the groups of rows of a frame: their labels, and the rows of each, as they stand.

    Examples
    --------
    >>> labels, parts = rows_by(pd.DataFrame({"part": ["y", "x", "y"], "n": [1, 2, 3]}), ["part"])
    >>> labels["part"].tolist(), [part["n"].tolist() for part in parts]
    (['x', 'y'], [[2], [1, 3]])
    """
    found, first, sizes = row_groups(frame, by)
    code = found.codes
    order = np.argsort(code, kind="stable")
    bounds = np.append(0, np.cumsum(np.bincount(code, minlength=len(found.query))))

    def parts() -> Iterator[pd.DataFrame]:
        for at, end in pairwise(bounds):
            own = order[at:end]
            if len(own) == 1:
                part = frame.iloc[first[own[0]] : first[own[0]] + sizes[own[0]]]
            elif len(first) == len(frame):
                part = frame.take(own)
            else:
                part = frame.take(np.concatenate([np.arange(first[one], first[one] + sizes[one]) for one in own]))
            part.attrs = dict(frame.attrs)
            yield part

    return found.labels, parts()


def binding_of(table: tables.Table) -> dict[str, Any]:
    """Return the binding that reads the frame of a table again as it was read."""
    return {**table.roles, **({"run": list(table.run_columns)} if table.run_columns else {})}


def one_collection(door: Any, verb: Verb) -> None:
    """Raise where a table of several collections is asked as if it were one."""
    frame = door._frame
    names = [name for name in frame.attrs.get("collections", ()) if name in frame.columns]
    if not any(frame[name].nunique() > 1 for name in names):
        return
    if "by" in options_of(verb):
        by = repr(names[0]) if len(names) == 1 else repr(names)
        raise ValueError(
            f"this table holds several collections ({listed(names)}), whose queries have nothing to do with each "
            f"other: {verb.name}(by={by}) works within each; for one answer over all see .verdict(by={by})."
        )
    if door._kind in MACHINE:
        one = f"scores[scores[{names[0]!r}] == {frame[names[0]].iloc[0]!r}].ireval.{verb.name}()"
        raise ValueError(
            f"this table holds several collections ({listed(names)}), and {verb.name}() with machine labels is of one: "
            f"take its rows, {one}."
        )
