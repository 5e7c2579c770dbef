"""What tests, orderings and tallies work on: the scores and preferences that a table holds or a join gives.

Preferences that are rounding are 0 for all of them (`decided`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse, parse_all
from pdeval.catalog.directions import known_of
from pdeval.evaluate import groups, pivot, replicates
from pdeval.evaluate.cube import Computed, Preferences, Scores, carried, stacked
from pdeval.evaluate.groups import Metadata
from pdeval.evaluate.machine_labels import WithMachine, checked
from pdeval.evaluate.pairs import Pairs, select
from pdeval.evaluate.replicates import averaged
from pdeval.evaluate.run_selection import chosen_pairs
from pdeval.evaluate.scores import MEASURES, scores
from pdeval.join.judged import Judged
from pdeval.tables import reader
from pdeval.tables.equal_values import NOISE, cleared, gap, size_of
from pdeval.tables.metadata import with_metadata
from pdeval.tables.reader import Table
from pdeval.tables.recognition import kind_of
from pdeval.tables.schemas import SCHEMAS
from pdeval.tables.vocabularies import listed
from pdeval.verbs.arguments import several

Source: TypeAlias = Scores | Preferences | Pairs
CELLS = 1 << 20
NO_MACHINE = (
    "uses one value a query, and this has values by a machine beside people's: take the rows that people labelled, "
    "without the column machine. Both are used by .summary(), .order(), .compare() and .report()"
)


@dataclass(frozen=True)
class Averaged:
    """A join or a table whose values are averaged over replicates within each query.

    Parameters
    ----------
    data : Judged or Table
    replicate : tuple of str
        The columns of the run that distinguish replicates of a system.
    """

    data: Judged | Table | WithMachine
    replicate: tuple[str, ...]

    @property
    def compat(self) -> str | None:
        """'pref_eval' where the join follows the rules of that tool."""
        rules = self.data.positions.rules if isinstance(self.data, Judged) else {}
        return "pref_eval" if rules.get("compat") == "pref_eval" else None

    def cubes(self, measures: object) -> list[Source]:
        """Return the cubes of the systems."""
        cubes = (cube.cube() if isinstance(cube, Pairs) else cube for cube in _sources(self.data, measures))
        return [averaged(cube, self.replicate) for cube in cubes]


Held: TypeAlias = Judged | Table | Averaged | WithMachine | Source | Sequence[Source]


def sources(held: Held, measures: object = MEASURES, *, machine: bool = False) -> list[Source]:
    """Return the cubes or streams behind a join or a table: one for scores, one for preferences.

    Parameters
    ----------
    held : Judged, Table, or cubes
        A join; a table of scores or preferences; or what this function returns.
    measures : str or list, optional
        What to compute for a join; which of its measures to use of a table, None for all.
    machine : bool
        Whether the caller uses the values by a machine too, where there are some; else they are refused.

    Examples
    --------
    >>> import pdeval
    >>> [source.measures for source in sources(pdeval.datasets.sample_judged(topics="common"), ["RPP", "AP", "RR"])]
    [('RPP',), ('AP', 'RR')]
    """
    cubes = _sources(held, measures)
    if not machine and any(getattr(cube, "machine", None) is not None for cube in cubes):
        raise ValueError(f"this verb {NO_MACHINE}.")
    return cubes


def _sources(held: Held, measures: object) -> list[Source]:
    if isinstance(held, Averaged):
        return held.cubes(measures)
    if isinstance(held, WithMachine):
        return list(held.cubes(measures))
    if isinstance(held, Judged):
        asked = parse_all(MEASURES if measures is None else measures)
        groups = [list(group) for _, group in groupby(asked, key=lambda measure: measure.entry.family)]
        return [_computed(held, group, tell=number == 0) for number, group in enumerate(groups)]
    if isinstance(held, Table):
        table = held if measures is None else only(held, measures)
        cube = pivot.scores(table) if table.kind == "scores" else pivot.preferences(table)
        return [cube if cube.machine is None else checked(cube)]
    return list(held) if isinstance(held, list | tuple) else [held]  # type: ignore[list-item]


def machine_cube(table: Table, measures: object) -> Any:
    """Return the cube of a table with values by people and by a machine, or raise where the latter are missing."""
    (cube,) = sources(table, measures, machine=True)
    if getattr(cube, "machine", None) is None:
        raise ValueError(
            "this needs values by a machine beside people's, in the column `machine`: see "
            "runs.ireval.measure(human, ..., machine=qrels)."
        )
    return cube


def _computed(judged: Judged, measures: list[Measure], *, tell: bool) -> Source:
    if measures[0].entry.family in ("metric", "set"):  # of which the latter are refused, with where to ask
        return scores(judged, measures, tell=tell)
    return select(judged, measures, tell=tell)


def only(table: Table, measures: object) -> Table:
    """Return the rows of some measures, in the order asked."""
    asked = list(map(str, several("measures", measures)))
    column = table.column("measure")
    pivot.none_missing(column.isna().to_numpy())
    column = column.astype(str)
    missing = [one for one in asked if not (column == one).any()]
    if missing:
        held = ", ".join(map(repr, dict.fromkeys(column)))
        raise KeyError(f"no measure {missing[0]!r} in this table; it has {held}.")
    frame = pd.concat([table.frame[column == one] for one in asked])
    frame[table.roles["measure"]] = pd.Categorical(frame[table.roles["measure"]].astype(str), categories=asked)
    frame.attrs.update(table.frame.attrs)
    return Table(table.kind, frame, table.roles, table.run_columns, table.higher)


def declared_size(label: str, attrs: Mapping[Any, Any] | None = None) -> float:
    """Return the size of the numbers whose differences the preferences of a measure are; 0 where nothing tells.

    Examples
    --------
    >>> declared_size("RPP"), declared_size("AP"), declared_size("ASL"), declared_size("my own")
    (1.0, 1.0, 0.0, 0.0)
    """
    known = known_of(label, attrs)
    if known is not None and "size" in known:
        return known["size"]
    if known is not None and known["family"] == "preference":
        return 1.0
    try:
        top = float(parse(label).entry.range[1])
    except (KeyError, ValueError):
        return 0.0
    return top if np.isfinite(top) else 0.0


def clear_values(values: np.ndarray, label: str = "", attrs: Mapping[Any, Any] | None = None) -> np.ndarray:
    """Return preferences of one measure, of any pairs and queries, with those that are rounding made 0.

    Examples
    --------
    >>> clear_values(np.array([0.5, -1.1e-16]), "AP").tolist(), clear_values(np.array([5e-16, 1e-16]), "own").tolist()
    ([0.5, 0.0], [5e-16, 1e-16])
    """
    return np.where(np.abs(values) <= NOISE * max(declared_size(label, attrs), size_of(values)), 0.0, values)


@dataclass(frozen=True, eq=False)
class Differences:
    """Scores as a source of preferences: their differences, turned where lower is better."""

    scores: Scores
    a: np.ndarray
    b: np.ndarray

    @property
    def runs(self) -> pd.DataFrame:
        """The runs."""
        return self.scores.runs

    @property
    def queries(self) -> pd.Index:
        """The queries."""
        return self.scores.queries

    @property
    def measures(self) -> tuple[str, ...]:
        """The labels of the measures."""
        return self.scores.measures

    @property
    def attrs(self) -> dict[str, Any]:
        """What the numbers rest on."""
        return self.scores.attrs

    def blocks(self, measure: int) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield (slice of pairs, differences of shape (queries, pairs in the slice))."""
        values = self.scores.values[measure] if self.scores.higher[measure] else -self.scores.values[measure]
        both = np.nanmin(values, initial=0.0) < 0 < np.nanmax(values, initial=0.0)
        least = size_of(values) if both else 0.0
        step = max(CELLS // max(len(values), 1), 1)
        for first in range(0, len(self.a), step):
            block = slice(first, min(first + step, len(self.a)))
            # of both signs, values near 0 are what is left of larger ones
            yield block, gap(values[:, self.a[block]], values[:, self.b[block]], least)


def as_preferences(found: Sequence[Source], *, baseline: object = None, pairs: object = None) -> Preferences:
    """Return cubes of the same runs as one cube of preferences: scores prefer by their differences.

    Examples
    --------
    >>> runs, queries = pd.DataFrame({"run": ["a", "b"]}), pd.Index(["1"], name="query_id")
    >>> scores = Scores(runs, queries, ("AP",), np.array([[[0.5, 0.25]]]), np.array([True]))
    >>> preferences = Preferences(runs, queries, ("RPP",), np.array([0]), np.array([1]), np.array([[[1.0]]]))
    >>> as_preferences([scores, preferences], baseline="a").values.tolist()
    [[[-0.25]], [[-1.0]]]
    """
    runs, paired = found[0].runs, [one for one in found if not isinstance(one, Scores)]
    if len(found) == len(paired) == 1 and baseline is None and pairs is None:
        return paired[0]  # type: ignore[return-value]
    sides = chosen_pairs(runs, baseline=baseline, pairs=pairs)
    if paired and baseline is None and pairs is None:
        sides = paired[0].a, paired[0].b
    queries = max((one.queries for one in found), key=len)
    for one in found:
        queries = queries.append(one.queries.difference(queries, sort=False))
    values = np.full((sum(len(one.measures) for one in found), len(queries), len(sides[0])), np.nan)
    first = 0
    for one in found:
        rows, last = queries.get_indexer(one.queries), first + len(one.measures)
        values[first:last, rows] = _of_sides(one, *sides)
        first = last
    measures = tuple(name for one in found for name in one.measures)
    return Preferences(runs, queries, measures, *sides, values, carried(one.attrs for one in found))


def _of_sides(source: Any, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the preferences of a cube between two runs each, NaN where it has none."""
    if isinstance(source, Scores):
        blocks = [Differences(source, a, b).blocks(measure) for measure in range(len(source.measures))]
        return np.stack([np.concatenate([values for _, values in own], axis=1) for own in blocks])
    n = len(source.runs)
    known = pd.Index(np.concatenate([source.a * n + source.b, source.b * n + source.a]))
    place = known.get_indexer(a * n + b)
    both = np.concatenate([source.values, 0.0 - source.values], axis=-1)
    return np.where(place < 0, np.nan, both[..., place])


def decided(source: Any, measure: int) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield (slice of pairs, preferences of shape (queries, pairs of the slice)) of one measure, rounding made 0.

    Rounding is relative to the declared size of the measure. Where a table holds a measure that has none, it is
    relative to the largest preference in it; where a join computes differences of scores, equal scores gave 0.

    Examples
    --------
    >>> cube = Preferences(pd.DataFrame({"run": ["a", "b"]}), pd.Index(["1", "2"], name="query_id"), ("RPP",),
    ...                    np.array([0]), np.array([1]), np.array([[[1.1e-16], [0.5]]]))
    >>> [values.tolist() for _, values in decided(cube, 0)]
    [[[0.0], [0.5]]]
    """
    label = source.measures[measure]
    held = isinstance(source, Preferences) and not isinstance(source, Computed)
    known = known_of(label, source.attrs)
    if not held and known is not None and known["family"] == "metric":
        yield from source.blocks(measure)
        return
    least = declared_size(label, source.attrs)
    if held and not least:
        least = size_of(source.values[measure])
    for part, values in source.blocks(measure):
        yield part, cleared(values, least)


def each(function: Callable[..., pd.DataFrame], held: Sequence[Source], **options: Any) -> pd.DataFrame:
    """Return one frame from the same function on several sources, in their order."""
    return stacked([function(source, **options) for source in held])


Batched = Callable[[Judged, groups.Groups], list[groups.Answer]]


@dataclass(frozen=True)
class Join:
    """Runs joined to judgments."""

    data: Judged | WithMachine
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, one row each."""
        return self.data.runs

    def groups(
        self, by: Sequence[str], metadata: Metadata, batched: Batched | None = None
    ) -> tuple[pd.DataFrame, list[groups.Answer], Iterator[Join]]:
        """Return the labels of the groups, the results that `batched` computes together, and the other parts."""
        whole = self.data.machine if isinstance(self.data, WithMachine) else self.data
        divided = groups.of_join(whole, by, metadata)
        whole.tell()  # once, not for every group
        done = [] if batched is None or whole is not self.data else batched(whole, divided)
        masks = divided.masks(leave={at for places, _, _ in done for at in places})
        return divided.labels, done, (Join(_part(self.data, *one)) for one in masks)

    def averaged(self, replicate: Sequence[str]) -> Averaged:
        """Return the join, averaged over replicates when a verb needs its cubes."""
        return Averaged(self.data, tuple(replicate))


def _part(data: Judged | WithMachine, queries: np.ndarray, runs: np.ndarray) -> Judged | WithMachine:
    """Return the part of a join that some queries and runs (masks) make; with machine labels, queries are its own."""
    if isinstance(data, Judged):
        return groups.part_of_join(data, queries, runs)
    people = data.people.queries
    labelled = people.astype(data.machine.queries.dtype).isin(data.machine.queries[queries])
    return WithMachine(
        groups.part_of_join(data.people, labelled, runs), groups.part_of_join(data.machine, queries, runs)
    )


@dataclass(frozen=True)
class Rows:
    """A table that was read: a run table with its judgments beside it, or a table of results.

    Parameters
    ----------
    table : DataFrame or Table
    kind : str
        The name of its schema.
    binding : dict
        The roles that the caller bound to columns.
    judgments : dict
        Arguments of the verb that hold judgments: each group is evaluated with those of its queries.
    options : dict
        Arguments of the verb that differ from group to group.
    """

    table: pd.DataFrame | reader.Table
    kind: str
    binding: dict[str, Any] = field(default_factory=dict)
    judgments: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of_table(cls, table: reader.Table, judgments: dict[str, Any] | None = None) -> Rows:
        """Return the source of a table that was read, its roles bound."""
        binding: dict[str, Any] = {**table.roles, **({"run": list(table.run_columns)} if table.run_columns else {})}
        if table.higher is not None:
            binding["higher"] = table.higher
        return cls(table, table.kind, binding, judgments or {})

    @property
    def data(self) -> reader.Table:
        """The table with its roles bound to columns."""
        return reader.read(self.table, self.kind, self.binding)

    @property
    def has_machine(self) -> bool:
        """Whether the table has values by a machine beside people's."""
        columns = frame_of(self.table).dtypes
        known = self.kind in ("scores", "preferences") and "machine" in columns
        return known and pd.api.types.is_numeric_dtype(columns["machine"])

    @property
    def described(self) -> pd.DataFrame:
        """The frame, its bound columns in `attrs`."""
        return reader.described_frame(frame_of(self.table), self.binding, self.kind)

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, one row each; none where no column of theirs is named as replicates are."""
        table = self.data
        names = list(table.run_columns)
        if not any(name.lower() in replicates.NAMES for name in names):
            return table.frame[[]].head(0)
        both = [[f"{name}_{side}" for name in names] for side in "ab"]
        sides = [names] if set(names) <= set(table.frame.columns) else both
        runs = pd.concat([table.frame[side].drop_duplicates().set_axis(names, axis=1) for side in sides])
        return runs.drop_duplicates(ignore_index=True)

    def groups(
        self,
        by: Sequence[str],
        metadata: Metadata,
        batched: Batched | None = None,  # noqa: ARG002 - rows are divided one by one
    ) -> tuple[pd.DataFrame, list[groups.Answer], Iterator[Rows]]:
        """Return the labels of the groups, and the rows of each."""
        frame = with_metadata(frame_of(self.table), self.binding, self.kind, by, groups.tables_of(metadata))
        check_columns(frame, self.binding, self.kind, list(by))
        labels, parts = rows_by(frame, list(by))
        return labels, [], (Rows(part, self.kind, self.binding, options=self._judgments(part)) for part in parts)

    def averaged(self, replicate: Sequence[str]) -> Averaged:
        """Return the table, averaged over replicates when a verb needs its cubes."""
        if self.kind not in ("scores", "preferences"):
            what = SCHEMAS[self.kind].says
            raise ValueError(
                f"replicate= averages what runs score on queries; a {what} has none. Say it where they have."
            )
        return Averaged(self.data, tuple(replicate))

    def _judgments(self, part: pd.DataFrame) -> dict[str, Any]:
        return {name: judgments_of(value, part, self.binding) for name, value in self.judgments.items()}


def check_columns(frame: pd.DataFrame, binding: Any, kind: str, by: list[str]) -> None:
    """Raise where columns to group by are not in a table, or are ids of it."""
    missing = [name for name in by if name not in frame.columns]
    if missing:
        raise KeyError(
            f"no column {missing[0]!r} to group by; the table has {listed(frame.columns)}. Join metadata to it with "
            ".ireval.annotate(metadata), or give them as metadata=."
        )
    ids = [column.name for column in SCHEMAS[kind].columns if column.name not in ("run", "bucket", "user")]
    id_columns = {str(binding.get(name, frame.attrs.get(f"{name}_column", name))): name for name in ids}
    if "query" in ids:
        id_columns[str(reader.query_column(frame, binding, needed=False))] = "query"
    for name in by:
        if name in id_columns:
            raise ValueError(f"by={name!r} is the {id_columns[name]} of the table; name a column of metadata.")


def rows_by(frame: pd.DataFrame, by: list[str]) -> tuple[pd.DataFrame, Iterator[pd.DataFrame]]:
    """Return the groups of rows of a frame: their labels, and the rows of each, as they stand.

    Examples
    --------
    >>> labels, parts = rows_by(pd.DataFrame({"part": ["y", "x", "y"], "n": [1, 2, 3]}), ["part"])
    >>> labels["part"].tolist(), [part["n"].tolist() for part in parts]
    (['x', 'y'], [[2], [1, 3]])
    """
    first = groups.stretches([frame[name] for name in by])
    if len(first) * 4 > len(frame):
        first = np.arange(len(frame))
    # in stacked collections, the first row of a stretch has the group of all its rows, and stretches are slices
    sizes = np.diff(np.append(first, len(frame)))
    ids = frame[by] if len(first) == len(frame) else frame[by].iloc[first]
    divided = groups.groups_of(by, ids, pd.DataFrame(index=[0]), weights=sizes)
    order = np.argsort(divided.codes, kind="stable")
    bounds = np.append(0, np.cumsum(np.bincount(divided.codes, minlength=len(divided.query))))

    def parts() -> Iterator[pd.DataFrame]:
        for at, end in pairwise(bounds):
            places = order[at:end]
            if len(places) == 1:
                part = frame.iloc[first[places[0]] : first[places[0]] + sizes[places[0]]]
            elif len(first) == len(frame):
                part = frame.take(places)
            else:
                part = frame.take(np.concatenate([np.arange(first[one], first[one] + sizes[one]) for one in places]))
            part.attrs = dict(frame.attrs)
            yield part

    return divided.labels, parts()


def judgments_of(value: Any, runs: pd.DataFrame, binding: Any) -> Any:
    """Return the judgments of the queries that some rows of a run table have."""
    frame = frame_of(value)
    kind = kind_of(frame, getattr(value, "_binding", None)) or "qrels"
    if kind not in ("qrels", "labels"):
        return value
    table = reader.read(value, kind)
    if "query" not in table:
        return value
    queries = runs[reader.read(runs, "runs", binding).roles["query"]]
    part = frame[table.column("query").isin(queries.unique())]
    bound = getattr(value, "_binding", None)
    return type(value)(part, bound) if bound else part


def frame_of(value: Any) -> pd.DataFrame:
    """Return the frame of an argument: a table, a bound accessor, or a frame; an empty one of anything else."""
    frame = getattr(value, "frame", getattr(value, "_frame", value))
    return frame if isinstance(frame, pd.DataFrame) else pd.DataFrame()
