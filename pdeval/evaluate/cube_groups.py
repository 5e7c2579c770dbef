"""Many groups in one call: the parts of a cube that have the same shape, as measures of one cube.

A verb whose rows are each about one measure does the same work for every measure of a cube, and needs nothing of the
others. So a group's measure may stand as a measure of its own: its values are the very array that the group alone would
be asked with, and its numbers are those of the group alone, to the last bit; what is done once for a cube (checks,
labels, the frame) is then done once for all groups of a size.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog.directions import known_of, range_of
from pdeval.catalog.measures import parse_all
from pdeval.evaluate.cube import Preferences, Scores, carried
from pdeval.evaluate.groups import Groups
from pdeval.evaluate.sources import declared_size, sources
from pdeval.join.judged import Judged
from pdeval.tables.labels import labels
from pdeval.verbs import Verb

Cubes = Sequence[Scores | Preferences]
COLUMNS = ("measure", "measure_a", "measure_b")  # that name measures in results


class _About(dict[str, Any]):
    """What is known of the many measures of a batch; pandas copies what frames carry with every column taken."""

    def __deepcopy__(self, memo: object) -> _About:
        return self


@dataclass(frozen=True, eq=False)
class _Members:
    """Which queries and which columns (runs, or pairs) of a cube each group has."""

    order: np.ndarray
    first: np.ndarray
    count: np.ndarray
    there: np.ndarray  # (classes of queries, columns): whether any of its queries has a value

    @classmethod
    def of(cls, cube: Scores | Preferences, classes: np.ndarray, n: int) -> _Members:
        count = np.bincount(classes, minlength=n)
        order, first = np.argsort(classes, kind="stable"), np.cumsum(count) - count
        known = ~np.isnan(cube.values).all(axis=0)
        there = np.repeat(count[:, None] > 0, known.shape[1], axis=1)
        if not known.all():
            there[count > 0] = np.logical_or.reduceat(known[order], first[count > 0], axis=0)
        return cls(order, first, count, there)

    def queries(self, of: int) -> np.ndarray:
        return self.order[self.first[of] : self.first[of] + self.count[of]]


def batches(
    cubes: Cubes, classes: Sequence[np.ndarray], found: Groups, codes: Sequence[int]
) -> Iterator[tuple[list[int], list[Scores | Preferences]]]:
    """Yield (places in `codes`, cubes of these groups), the groups of each having parts of one shape.

    Parameters
    ----------
    cubes : sequence of Scores or Preferences
    classes : sequence of ndarray of int
        The class of every query of each cube.
    found : Groups
    codes : sequence of int
        The groups that are asked for.

    Examples
    --------
    >>> from pdeval.evaluate.groups import groups_of
    >>> cube = Scores(pd.DataFrame({"run": ["a"]}), pd.RangeIndex(3, name="query_id"), ("AP",),
    ...               np.array([[[0.1], [0.2], [0.3]]]), np.array([True]))
    >>> found = groups_of(["half"], pd.DataFrame({"half": [0, 1, 2]}), pd.DataFrame(index=[0]))
    >>> [(places, own[0].measures, own[0].values.ravel().tolist())
    ...  for places, own in batches([cube], [found.queries], found, [0, 2])]
    [([0, 1], ('0', '1'), [0.1, 0.3])]
    """
    n = int(found.query.max(initial=0)) + 1
    members = [_Members.of(cube, of, n) for cube, of in zip(cubes, classes)]
    of_runs = [found.runs == code for code in range(int(found.run.max(initial=0)) + 1)]
    sides = [(cube.a, cube.b) if isinstance(cube, Preferences) else (slice(None),) for cube in cubes]
    alike: dict[Any, list[int]] = {}
    for place, code in enumerate(codes):
        query, runs = found.query[code], of_runs[found.run[code]]
        columns = [np.logical_and.reduce([runs[side] for side in own]) for own in sides]
        key = [(own.count[query], (of & own.there[query]).tobytes()) for own, of in zip(members, columns)]
        alike.setdefault(tuple(key), []).append(place)
    total = sum(len(cube.measures) for cube in cubes)
    for key, places in alike.items():
        made, first = [], 0
        for cube, own, (_, mask) in zip(cubes, members, key):
            queries = np.stack([own.queries(found.query[codes[place]]) for place in places])
            made.append(_side_by_side(cube, queries, np.frombuffer(mask, dtype=bool), first, total))
            first += len(cube.measures)
        yield places, made


def _side_by_side(cube: Any, queries: np.ndarray, columns: np.ndarray, first: int, total: int) -> Scores | Preferences:
    """Return a cube of the measures of all groups, whose queries (groups, n) and columns (a mask) these are."""
    groups, n = queries.shape
    values = cube.values[:, queries].swapaxes(0, 1)
    values = np.ascontiguousarray(values if columns.all() else values[..., columns])
    names = tuple(str(group * total + first + m) for group in range(groups) for m in range(len(cube.measures)))
    about = [
        {**known_of(name, cube.attrs), "size": declared_size(name, cube.attrs), "range": range_of(name, cube.attrs)}  # type: ignore[dict-item]
        for name in cube.measures
    ] * groups
    more: dict[str, Any] = {
        "queries": pd.RangeIndex(n, name=cube.queries.name),
        "measures": names,
        "values": values.reshape(len(names), n, values.shape[-1]),
        "attrs": {**cube.attrs, "measures": _About(zip(names, about))},
    }
    if isinstance(cube, Scores):
        runs = cube.runs[columns].reset_index(drop=True)
        return replace(cube, runs=runs, higher=np.tile(cube.higher, groups), **more)
    kept = np.zeros(len(cube.runs), dtype=bool)
    kept[cube.a[columns]] = kept[cube.b[columns]] = True
    place = np.cumsum(kept) - 1
    runs = cube.runs[kept].reset_index(drop=True)
    return replace(cube, runs=runs, a=place[cube.a[columns]], b=place[cube.b[columns]], **more)


def answers(
    function: Callable[[Any], pd.DataFrame],
    cubes: Cubes,
    classes: Sequence[np.ndarray],
    groups: Groups,
    codes: Sequence[int],
) -> Iterator[tuple[list[int], pd.DataFrame, np.ndarray]]:
    """Yield (places in `codes`, the rows of their groups, the place of each row) of the groups answered at once.

    Where a batch raises or warns it is left out: asked one by one, its groups say what is wrong, and where.
    """
    if any(known_of(name, cube.attrs) is None for cube in cubes for name in cube.measures):
        return
    names = pd.Index([name for cube in cubes for name in cube.measures])
    about = carried(cube.attrs for cube in cubes)
    for places, own in batches(cubes, classes, groups, codes):
        if len(places) < 2:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                frame = function(own)
        except Exception:  # noqa: BLE001 - the same groups are asked again, by themselves
            continue
        found = {name: frame[name].astype(np.int64).to_numpy() for name in COLUMNS if name in frame.columns}
        place = next(iter(found.values())) // len(names)
        made = frame.assign(**{name: labels(names, code % len(names)) for name, code in found.items()})
        made.attrs = {**frame.attrs, "measures": about.get("measures", {})}
        if "measures" not in about:
            del made.attrs["measures"]
        yield places, made, np.array(places)[place]


# options that make a row depend on other measures
TIED = (("family", "all"), ("wide", True), ("per", "query"))


def of_join(verb: Verb, judged: Judged, found: Groups, options: dict[str, Any]) -> list[Any]:
    """Return the results of those groups of a join that can be computed together: (groups, rows, group of each row)."""
    default = next((one.default for one in verb.parameters if one.name == "measures"), None)
    as_pref_eval = "pref_eval" in (options.get("compat"), judged.positions.rules.get("compat"))
    if as_pref_eval or any(options.get(name) == value for name, value in TIED):
        return []
    if judged.topics in ("common", "answered") and not found.of_queries_alone:  # a group has queries of its own
        return []
    measures = parse_all(options.get("measures", default))
    if any(one.entry.family != "metric" for one in measures):
        return []
    cubes: Any = sources(judged, measures)
    classes = [found.queries[judged.queries.get_indexer(cube.queries)] for cube in cubes]
    rest = {**options, "measures": None}
    return list(answers(lambda own: verb.function(own, **rest), cubes, classes, found, range(len(found.query))))
