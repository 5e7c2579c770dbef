"""Groups: the columns of `by=`, and the part of a join or a table that belongs to each group.

A column may define groups of queries (their category), groups of runs (their family), or collections: stacked tables
whose queries are unrelated. Metadata about runs or queries are columns of the table, or are passed as `metadata=`.

Batches compute many groups in one call. A verb whose rows are each about one measure computes every measure of a cube
in the same way, so groups of equal shape become measures of one cube. Their values and results are the same, to the
last bit, as if each group were computed separately; checks, labels and the frame are made once.
"""

from __future__ import annotations

import warnings
from collections.abc import (
    Callable,
    Collection,
    Container,
    Hashable,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from pdeval.catalog import known_of, parse_all, range_of
from pdeval.evaluate.cube import Scores, coded, described_frame, stacked
from pdeval.evaluate.cube_sources import REPLICATE_NAMES, Averaged, declared_size, sources
from pdeval.evaluate.ppi import WithMachine
from pdeval.join import Judged, outside
from pdeval.tables import (
    SCHEMAS,
    Schema,
    Spans,
    combined_codes,
    distinct,
    kind_of,
    labels,
    listed,
    matched_rows,
    reader,
    with_metadata,
)
from pdeval.verbs import TooFew, Verb, short_repr

Metadata = pd.DataFrame | Sequence[pd.DataFrame] | None
Result = TypeVar("Result")
Answer = tuple[
    Collection[int], pd.DataFrame, np.ndarray
]  # groups, their rows, and the group of each row
# labels of groups, results of groups that were computed together, and the parts of other groups
CutTable = tuple[pd.DataFrame, list[Answer], Iterator["Join"]]
_QUERIES, _RUNS = 0, 1
_ONE_CLASS = pd.DataFrame(index=[0])  # of runs, if groups are of queries alone


def option_columns(by: object, option: str = "by") -> list[str]:
    """Return the column names of an option such as `by=`.

    Examples
    --------
    >>> option_columns("category"), option_columns(["collection", "category"])
    (['category'], ['collection', 'category'])
    """
    names = [by] if isinstance(by, str) else list(by) if isinstance(by, Iterable) else []
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ValueError(
            f"{option}={short_repr(by)}: expected a column name or a list of column names."
        )
    if len(set(names)) < len(names):
        raise ValueError(f"{option}={short_repr(by)} contains a column name twice.")
    return names


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of the queries and of the runs of one join or cube.

    Parameters
    ----------
    labels : DataFrame
        One row per group: the columns of `by`, sorted by them.
    query, run : ndarray of int, shape (groups,)
        The class of queries and the class of runs of each group.
    queries, runs : ndarray of int
        The class of every query, and of every run.
    """

    labels: pd.DataFrame
    query: np.ndarray
    run: np.ndarray
    queries: np.ndarray
    runs: np.ndarray

    @property
    def of_queries_alone(self) -> bool:
        """Whether every group has all runs."""
        return not self.runs.any()

    @property
    def codes(self) -> np.ndarray:
        """The group of every query, if groups are of queries alone."""
        return np.argsort(self.query)[
            self.queries
        ]  # the inverse permutation: the group of each class

    def masks(self, leave: Container[int] = ()) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the masks of the queries and of the runs of each group, except of those to leave out."""
        for group, (query, run) in enumerate(zip(self.query, self.run)):
            if group not in leave:
                yield self.queries == query, self.runs == run


def groups_of(
    names: Sequence[str],
    queries: pd.DataFrame,
    runs: pd.DataFrame = _ONE_CLASS,
    weights: np.ndarray | None = None,
) -> Groups:
    """Return the groups that columns of queries and columns of runs make together.

    Parameters
    ----------
    names : sequence of str
        The columns in the order of `by`.
    queries, runs : DataFrame
        One row per query, and one per run: the columns that are about them.
    weights : ndarray of int, optional
        The number of rows that each row of `queries` represents, for the counts in errors.

    Examples
    --------
    >>> groups = groups_of(["family", "kind"], pd.DataFrame({"kind": ["x", "y"]}), pd.DataFrame({"family": ["f", "g"]}))
    >>> groups.labels.to_dict("list")
    {'family': ['f', 'f', 'g', 'g'], 'kind': ['x', 'y', 'x', 'y']}
    """
    known: dict[str, pd.Index] = {}
    class_of_row, classes = [], []
    for frame, what in ((queries, "queries" if weights is None else "rows"), (runs, "runs")):
        counts = weights if frame is queries else None
        parts = {name: _coded(frame[name], name, what, counts) for name in frame.columns}
        known |= {name: values for name, (_, values) in parts.items()}
        # a class is a combination of codes that occurs
        columns = [(codes, len(values)) for codes, values in parts.values()]
        first, of_row = distinct(combined_codes(columns, len(frame)))
        class_of_row.append(of_row)
        codes_of_class = {name: codes[first] for name, (codes, _) in parts.items()}
        classes.append(pd.DataFrame(codes_of_class) if parts else _ONE_CLASS)
    # every class of queries with every class of runs
    pair = np.indices((len(classes[_QUERIES]), len(classes[_RUNS]))).reshape(2, -1)
    codes_of_group = {
        name: of_class[name].to_numpy()[side]
        for of_class, side in zip(classes, pair)
        for name in of_class.columns
    }
    # lexsort: the last key is the primary one
    order = np.lexsort([codes_of_group[name] for name in reversed(names)])
    by = pd.DataFrame({name: labels(known[name], codes_of_group[name][order]) for name in names})
    return Groups(by, *pair[:, order], *class_of_row)


def _coded(
    values: Any,
    name: str,
    what: str,
    weights: np.ndarray | None,
) -> tuple[np.ndarray, pd.Index]:
    """Return codes and sorted labels of a column to group by, or raise if some are missing."""
    column = pd.Series(values)
    missing = column.isna().to_numpy()
    if missing.any():
        count = missing.sum() if weights is None else weights[missing].sum()
        raise ValueError(
            f"{int(count):,} {what} have a missing value in column {name!r}. Fill or drop them first."
        )
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.cat.remove_unused_categories()
        ordered = pd.CategoricalIndex(
            column.cat.categories, dtype=column.dtype
        )  # results keep the order
        return column.cat.codes.to_numpy().astype(np.intp), ordered
    codes, ids = pd.factorize(column)
    try:
        order = np.asarray(ids.argsort())
    except TypeError:  # numbers and strings together have no order
        keys = [(str(one), type(one).__name__) for one in ids]
        order = np.array(sorted(range(len(ids)), key=keys.__getitem__))
    return np.argsort(order)[codes], pd.Index(ids).take(order)  # the inverse permutation


def stretches(columns: Sequence[pd.Series]) -> np.ndarray:
    """Return the first row of every stretch of rows that are equal in all columns; a missing value equals none.

    Examples
    --------
    >>> stretches([pd.Series(["x", "x", "y", "y"]), pd.Series([1, 1, 1, 2])]).tolist()
    [0, 2, 3]
    """
    changes = np.ones(len(columns[0]), dtype=bool)
    changes[1:] = False  # changes[i]: row i differs from row i - 1
    for column in columns:
        differs = pd.Series(column.array[1:] != column.array[:-1])
        changes[1:] |= differs.to_numpy(dtype=bool, na_value=True)
    return np.flatnonzero(changes)


def tables_of(metadata: Metadata) -> list[pd.DataFrame]:
    """Return the tables of metadata as a list, or raise if one of them is not a DataFrame.

    Examples
    --------
    >>> len(tables_of(None)), len(tables_of(pd.DataFrame({"run": ["a"]})))
    (0, 1)
    """
    tables = (
        []
        if metadata is None
        else list(metadata)
        if isinstance(metadata, list | tuple)
        else [metadata]
    )
    for table in tables:
        if not isinstance(table, pd.DataFrame):
            raise TypeError(
                f"metadata: expected a DataFrame with one row per run or query, or a list of them, got "
                f"{type(table).__name__}."
            )
    return tables  # type: ignore[return-value]


def of_join(judged: Judged, names: Sequence[str], metadata: Metadata) -> Groups:
    """Return the groups of a join: by columns of its tables, or of metadata about its queries or runs."""
    tables = () if judged.positions.source is None else judged.tables
    return of_ids(judged.queries, judged.runs, tables, names, metadata)


def of_ids(
    queries: pd.Index,
    runs: pd.DataFrame,
    tables: Sequence[reader.Table],
    names: Sequence[str],
    metadata: Metadata,
) -> Groups:
    """Return the groups of queries and runs: by columns of their tables, or of metadata about them."""
    ids = (pd.DataFrame({str(queries.name): queries}), runs)
    columns: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    for name in names:
        about = [table for table in tables_of(metadata) if name in table.columns]
        if len(about) > 1:
            raise ValueError(
                f"by={name!r}: two tables of metadata have this column. Pass only one of them."
            )
        if about:
            side, values = _column_of_metadata(about[0], name, *ids)
        else:
            side, values = _column_of_tables(tables, name, metadata, *ids)
        columns[side][name] = values
    by_query, by_run = (
        pd.DataFrame(values, index=range(len(of))) for values, of in zip(columns, ids)
    )
    return groups_of(names, by_query, by_run)


def _column_of_metadata(
    metadata: pd.DataFrame, name: str, queries: pd.DataFrame, runs: pd.DataFrame
) -> tuple[int, Any]:
    """Return whether a column of metadata is about queries (0) or runs (1), and its values for them."""
    query = queries.columns[0]
    keys = [key for key in (query, *runs.columns) if key in metadata.columns and key != name]
    if query in keys and len(keys) > 1:
        raise ValueError(
            f"by={name!r}: the metadata have id columns of both queries and runs ({listed(keys)}). Pass a list of two "
            "tables, one about queries and one about runs."
        )
    if not keys:
        ids = listed([query, *runs.columns])
        raise ValueError(
            f"the metadata have no id column of queries or runs; expected one of {ids}."
        )
    side = _QUERIES if query in keys else _RUNS
    return side, metadata[name].array.take(matched_rows((queries, runs)[side], metadata, keys))


def _column_of_tables(
    tables: Sequence[reader.Table],
    name: str,
    metadata: Metadata,
    queries: pd.DataFrame,
    runs: pd.DataFrame,
) -> tuple[int, Any]:
    """Return whether a column of the joined tables is about queries (0) or runs (1), and its values for them."""
    if name in runs.columns:
        return _RUNS, runs[name].array
    having = [table for table in tables if name in table.frame.columns]
    for table in having:
        for role, column in table.roles.items():
            if column == name:
                raise ValueError(
                    f"by={name!r} is the {role} of the table; name a column of metadata."
                )
    for table in reversed(having):  # judgments first: they are fewer
        sides = (
            (_QUERIES, [table.roles["query"]], queries),
            (_RUNS, list(table.run_columns), runs),
        )
        for side, keys, ids in sides:
            if keys and (values := _values_of_ids(table.frame, keys, name, ids)) is not None:
                return side, values
    if having:
        raise ValueError(
            f"by={name!r}: some queries and some runs have several values in this column, so it defines neither groups "
            "of queries nor groups of runs. If it identifies collections, add the column to the judgments and call "
            "runs.ireval.verb(qrels, by=...)."
        )
    have = listed(dict.fromkeys(str(column) for table in tables for column in table.frame.columns))
    beside = listed(
        dict.fromkeys(str(column) for table in tables_of(metadata) for column in table.columns)
    )
    hint = (
        f"; the metadata have {beside}."
        if beside
        else ". Pass metadata= with one row per query or per run."
    )
    raise KeyError(f"no column {name!r} to group by among {have}{hint}")


def _values_of_ids(
    frame: pd.DataFrame,
    keys: list[str],
    name: str,
    ids: pd.DataFrame,
) -> Any:
    """Return the value of a column for each id, or None if an id has none or several."""
    pairs = frame[[*keys, name]].drop_duplicates()
    if pairs.duplicated(keys).any():
        return None
    try:
        return pairs[name].array.take(matched_rows(ids.set_axis(keys, axis=1), pairs, keys))
    except ValueError:
        return None


@dataclass(frozen=True, eq=False)
class Join:
    """Runs joined to judgments, or the cube of a group of a table."""

    data: Any
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, one row each."""
        return self.data.runs

    def groups(
        self, by: Sequence[str], metadata: Metadata, batched: Batches | None = None
    ) -> tuple[pd.DataFrame, list[Answer], Iterator[Join]]:
        """Return the labels of the groups, the results that `batched` computes together, and the other parts."""
        judged = self.data.machine if isinstance(self.data, WithMachine) else self.data
        divided = of_join(judged, by, metadata)
        judged.warn_of_missing_queries()  # once, not for every group
        done = (
            [] if batched is None or judged is not self.data else batched.of_join(judged, divided)
        )
        masks = divided.masks(leave={group for groups, _, _ in done for group in groups})
        return divided.labels, done, map(Join, parts_of_join(self.data, masks))

    def averaged(self, replicate: Sequence[str]) -> Averaged:
        """Return the join, averaged over replicates when a verb needs its cubes."""
        return Averaged(self.data, tuple(replicate))


def parts_of_join(judged: Any, masks: Iterable[tuple[np.ndarray, np.ndarray]]) -> Iterator[Any]:
    """Yield the parts of a join with these queries and runs (masks); nothing is joined again.

    The queries are those of the machine if it has labels too.
    """
    computed: dict[Hashable, Any] = {}
    for queries, runs in masks:
        if isinstance(judged, WithMachine):
            people, machine = judged.people, judged.machine
            labeled = people.queries.astype(machine.queries.dtype).isin(machine.queries[queries])
            sides = ((people, labeled), (machine, queries))
            yield WithMachine(*(next(parts_of_join(side, [(kept, runs)])) for side, kept in sides))
            continue
        if judged.query_rule == "answered":
            # a run that answered no query of the part is not in it, as in a filtered table
            runs = runs & judged.positions.answered[queries].any(axis=0)
        part = judged.keep_topics(queries, computed)
        yield part if runs.all() else judged.on(part.positions.keep_runs(runs))


@dataclass(frozen=True, eq=False)
class Rows:
    """A table that was read: a run table with its judgments, or a table of results.

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
        more = {"run": list(table.run_columns) or None, "higher": table.higher}
        bound = {name: value for name, value in more.items() if value is not None}
        return cls(table, table.kind, {**table.roles, **bound}, judgments or {})

    @cached_property
    def data(self) -> reader.Table:
        """The table with its roles bound to columns."""
        return reader.read(self.table, self.kind, self.binding)

    @property
    def has_machine(self) -> bool:
        """Whether the table has values by machine labels and by human labels."""
        dtypes = frame_of(self.table).dtypes
        known = self.kind in ("scores", "preferences") and "machine" in dtypes
        return known and pd.api.types.is_numeric_dtype(dtypes["machine"])

    @property
    def described(self) -> pd.DataFrame:
        """The frame, its bound columns in `attrs`."""
        return reader.described_frame(frame_of(self.table), self.binding, self.kind)

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, one row each; none if no column of theirs has a usual name of replicates."""
        table = self.data
        names = list(table.run_columns)
        if not any(name.lower() in REPLICATE_NAMES for name in names):
            return pd.DataFrame()
        both = [[f"{name}_{side}" for name in names] for side in "ab"]
        sides = [names] if set(names) <= set(table.frame.columns) else both
        runs = pd.concat(
            [table.frame[side].drop_duplicates().set_axis(names, axis=1) for side in sides]
        )
        return runs.drop_duplicates(ignore_index=True)

    def groups(
        self,
        by: Sequence[str],
        metadata: Metadata,
        batched: Batches | None = None,
    ) -> tuple[pd.DataFrame, list[Answer], Iterator[Join] | Iterator[Rows]]:
        """Return the labels of the groups, the results that `batched` computes together, and the other parts."""
        known = self.kind in ("scores", "preferences") and not self.has_machine
        one_cube = batched if batched and batched.of_cubes and known else None
        # all rows together may raise, e.g. because of repeated ids of stacked collections, and a group may not
        if one_cube:
            with suppress(ValueError, KeyError, TypeError):
                self._check_no_ids(frame_of(self.table), by)
                if (result := one_cube.of_queries(self.data, by, metadata)) is not None:
                    return result
        frame = self.with_columns(by, metadata)
        if one_cube:
            with suppress(ValueError, KeyError, TypeError):
                if (result := one_cube.of_table(self.data, frame, by)) is not None:
                    return result
        group_labels, parts = rows_by(frame, list(by))
        judgments = self.judgments.items()
        rows = (
            replace(
                self,
                table=part,
                judgments={},
                options={
                    name: judgments_of(value, part, self.binding) for name, value in judgments
                },
            )
            for part in parts
        )
        return group_labels, [], rows

    def with_columns(self, by: Sequence[str], metadata: Metadata) -> pd.DataFrame:
        """Return the frame with the columns to group by, those of metadata too; raise if one is missing or an id."""
        frame = with_metadata(
            frame_of(self.table),
            self.binding,
            self.kind,
            by,
            tables_of(metadata),
        )
        missing = [name for name in by if name not in frame.columns]
        if missing:
            raise KeyError(
                f"no column {missing[0]!r} to group by; the table has {listed(frame.columns)}. Add metadata with "
                ".ireval.add_metadata(metadata), or pass metadata=."
            )
        self._check_no_ids(frame, by)
        return frame

    def _check_no_ids(self, frame: pd.DataFrame, by: Sequence[str]) -> None:
        """Raise if a column to group by identifies the rows."""
        ids = [
            column.name
            for column in SCHEMAS[self.kind].columns
            if column.name not in ("run", "bucket", "user")
        ]
        id_columns = {
            str(self.binding.get(name, frame.attrs.get(f"{name}_column", name))): name
            for name in ids
        }
        if "query" in ids:
            id_columns[str(reader.query_column(frame, self.binding, needed=False))] = "query"
        for name in by:
            if name in id_columns:
                raise ValueError(
                    f"by={name!r} is the {id_columns[name]} of the table; name a column of metadata."
                )

    def averaged(self, replicate: Sequence[str]) -> Averaged:
        """Return the table, averaged over replicates when a verb needs its cubes."""
        if self.kind not in ("scores", "preferences"):
            what = SCHEMAS[self.kind].description
            raise ValueError(
                f"replicate= averages scores per query, which a {what} does not have. Pass replicate= to the verb that "
                "computes this table."
            )
        return Averaged(self.data, tuple(replicate))


def rows_by(frame: pd.DataFrame, by: list[str]) -> tuple[pd.DataFrame, Iterator[pd.DataFrame]]:
    """Return the labels of the groups of a frame, and the rows of each group.

    Examples
    --------
    >>> labels, parts = rows_by(pd.DataFrame({"part": ["y", "x", "y"], "n": [1, 2, 3]}), ["part"])
    >>> labels["part"].tolist(), [part["n"].tolist() for part in parts]
    (['x', 'y'], [[2], [1, 3]])
    """
    first = stretches([frame[name] for name in by])
    if len(first) * 4 > len(frame):
        first = np.arange(len(frame))
    # in stacked collections, the first row of a stretch has the group of all its rows, and stretches are slices
    sizes = np.diff(np.append(first, len(frame)))
    ids = frame[by] if len(first) == len(frame) else frame[by].iloc[first]
    divided = groups_of(by, ids, weights=sizes)
    order = np.argsort(divided.codes, kind="stable")
    bounds = np.append(0, np.cumsum(np.bincount(divided.codes, minlength=len(divided.query))))

    def parts() -> Iterator[pd.DataFrame]:
        for start, end in pairwise(bounds):
            places = order[start:end]
            rows = Spans(first[places], first[places] + sizes[places])
            single = len(places) == 1
            part = frame.iloc[rows.first[0] : rows.last[0]] if single else frame.take(rows.rows)
            part.attrs = dict(frame.attrs)
            yield part

    return divided.labels, parts()


def judgments_of(value: Any, runs: pd.DataFrame, binding: Any) -> Any:
    """Return the judgments of the queries in these rows of a run table."""
    frame, bound = frame_of(value), getattr(value, "_binding", None)
    kind = kind_of(frame, bound) or "qrels"
    if kind not in ("qrels", "labels") or "query" not in (table := reader.read(value, kind)):
        return value
    queries = runs[reader.read(runs, "runs", binding).roles["query"]]
    part = frame[table.column("query").isin(queries.unique())]
    return type(value)(part, bound) if bound else part


def frame_of(value: Any) -> pd.DataFrame:
    """Return the frame of an argument: a table, a bound accessor, or a frame; an empty one of anything else."""
    frame = getattr(value, "frame", getattr(value, "_frame", value))
    return frame if isinstance(frame, pd.DataFrame) else pd.DataFrame()


def replaced(
    name: str,
    schema: Schema | None = None,
    verb: str = "",
    of_metadata: bool = False,
) -> ValueError:
    """Return the error about a column to group by whose labels would replace a column of the result."""
    meaning = "" if schema is None else schema.meaning(name)
    what = "the result" if schema is None else f"the {schema.description} that {verb} returns"
    what += f" ({meaning})" if meaning else ""
    rename = f"{'metadata' if of_metadata else 'df'}.rename(columns={{{name!r}: '{name}_group'}})"
    return ValueError(f"by={name!r} is also a column of {what}. Rename it first: {rename}.")


def with_groups(frame: pd.DataFrame, groups: pd.DataFrame, code: np.ndarray) -> pd.DataFrame:
    """Return a frame with the labels of the group of each row in front."""
    columns: dict[Any, Any] = {name: labels(groups[name], code) for name in groups.columns}
    for name in frame.columns.intersection(
        groups.columns
    ):  # a column that identifies a run may define its group
        if (frame[name].to_numpy(dtype=object) != np.asarray(columns[name], dtype=object)).any():
            raise replaced(name)
    others = {name: frame[name].array for name in frame.columns if name not in columns}
    by = list(dict.fromkeys([*groups.columns, *frame.attrs.get("by", ())]))
    return described_frame({**columns, **others}, {**frame.attrs, "by": by})


# number of groups of the call, for corrections over all groups; groups of groups multiply, and 0 is no group
N_GROUPS: ContextVar[int] = ContextVar("N_GROUPS", default=0)
_COMPUTED: ContextVar[dict[Any, Any] | None] = ContextVar("_COMPUTED", default=None)


def once_for_groups(key: Any, compute: Callable[[], Result]) -> Result:
    """Return what all groups of a call have in common, such as the ranks of a run table: computed by the first group.

    Examples
    --------
    >>> once_for_groups("seven", lambda: 7)  # without groups, it is always computed
    7
    """
    computed = _COMPUTED.get()
    if computed is None:
        return compute()
    if key not in computed:
        computed[key] = compute()
    return computed[key]


def apply_to_groups(
    function: Callable[[Any], pd.DataFrame],
    parts: Iterable[Any],
    groups: pd.DataFrame,
    done: Sequence[Answer] = (),
) -> pd.DataFrame:
    """Return the results of a function for the part of every group, the labels of the groups in front.

    A group with too few runs or queries is skipped with a warning; any other error names its group.

    Examples
    --------
    >>> parts = [pd.DataFrame({"n": [1]}), pd.DataFrame({"n": [2]})]
    >>> apply_to_groups(lambda part: part * 10, parts, pd.DataFrame({"category": ["x", "y"]})).to_dict("list")
    {'category': ['x', 'y'], 'n': [10, 20]}
    """
    outer, computed = N_GROUPS.set(max(N_GROUPS.get(), 1) * len(groups)), _COMPUTED.set({})
    try:
        results = of_groups(function, parts, groups, {at for places, _, _ in done for at in places})
    finally:
        N_GROUPS.reset(outer)
        _COMPUTED.reset(computed)
    result = stacked([*(frame for _, frame, _ in done), *(frame for _, frame in results)])
    code = np.concatenate(
        [*(code for _, _, code in done), *(np.full(len(frame), at) for at, frame in results)]
    )
    if done:
        order = np.argsort(code, kind="stable")
        result, code = result.take(order), code[order]
    return with_groups(result, groups, code)


def of_groups(
    function: Callable[[Any], Result],
    parts: Iterable[Any],
    groups: pd.DataFrame,
    done: Collection[int] = (),
) -> list[tuple[int, Result]]:
    """Return the result of a function for the part of every group that is not done, each with the number of its group.

    A group with too few runs or queries is skipped with a warning; any other error names its group.
    """
    results, left = [], []
    for at, part in zip((at for at in range(len(groups)) if at not in done), parts):
        try:
            results.append((at, function(part)))
        except (ValueError, KeyError) as error:
            label = ", ".join(f"{name}={value!r}" for name, value in groups.iloc[at].items())
            text = f"{label}: {error.args[0] if len(error.args) == 1 else error}"
            if not isinstance(error, TooFew):
                kind = KeyError if isinstance(error, KeyError) else ValueError
                raise kind(f"in the group {text}") from error
            left.append(text)
    if not results and not done:
        reason = left[0] if left else "the table to group has no rows."
        raise TooFew(f"all groups have too few runs or queries, e.g. {reason}" if left else reason)
    if left:
        warnings.warn(
            f"{len(left)} of {len(groups)} groups {'was' if len(left) == 1 else 'were'} skipped because of too few "
            f"runs or queries, e.g. {left[0]}",
            UserWarning,
            stacklevel=outside(),
        )
    return results


class _SharedAttrs(dict[str, Any]):
    """The attributes of the many measures of a batch: pandas deep-copies `attrs` with every column taken."""

    def __deepcopy__(self, memo: object) -> _SharedAttrs:
        return self


def parts_of_cube(
    cube: Any, class_of_query: np.ndarray, groups: Groups
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the part of each group: the positions of its queries, and a mask of its runs or pairs with values.

    `class_of_query` is the class of every query of the cube.
    """
    size = np.bincount(class_of_query, minlength=int(groups.query.max(initial=0)) + 1)
    queries = np.split(np.argsort(class_of_query, kind="stable"), np.cumsum(size)[:-1])
    known = ~np.isnan(cube.values).all(axis=0)
    columns = {run: groups.runs == run for run in np.unique(groups.run)}
    if known.all():
        return [(queries[query], columns[run]) for query, run in zip(groups.query, groups.run)]
    return [
        (queries[query], columns[run] & known[queries[query]].any(axis=0))
        for query, run in zip(groups.query, groups.run)
    ]


def cut(cube: Any, queries: np.ndarray, columns: np.ndarray) -> Any:
    """Return the part of a cube with these queries (positions) and these runs or pairs (a mask).

    Examples
    --------
    >>> cube = Scores(pd.DataFrame({"run": ["a", "b"]}), pd.Index(["x", "y"], name="query_id"), ("AP",),
    ...               np.array([[[0.1, 0.2], [0.3, 0.4]]]), np.array([True]))
    >>> cut(cube, np.array([1]), np.array([False, True])).frame().to_dict("records")
    [{'run': 'b', 'query_id': 'y', 'measure': 'AP', 'value': 0.4}]
    """
    values = cube.values[:, queries]
    values = np.ascontiguousarray(values if columns.all() else values[..., columns])
    return replace(cube, queries=cube.queries[queries], values=values, **_runs_of(cube, columns))


def _runs_of(cube: Any, columns: np.ndarray) -> dict[str, Any]:
    """Return the runs of the columns of a cube (a mask), and both sides of its pairs."""
    if columns.all():
        return {}
    if isinstance(cube, Scores):
        return {"runs": cube.runs[columns].reset_index(drop=True)}
    sides = np.stack([cube.a[columns], cube.b[columns]])
    runs, code = np.unique(sides, return_inverse=True)
    a, b = code.reshape(sides.shape)
    return {"runs": cube.runs.iloc[runs].reset_index(drop=True), "a": a, "b": b}


def batches(
    cube: Any, parts: Sequence[tuple[np.ndarray, np.ndarray]], *, padded: bool = False
) -> Iterator[tuple[list[int], Any]]:
    """Yield (groups, their values as measures of one cube), the groups of a batch having parts of one shape.

    Measure m of group g has the name g * n_measures + m. If `padded`, groups of about one size share a batch: queries
    without a value follow those of smaller groups.

    Examples
    --------
    >>> cube = Scores(pd.DataFrame({"run": ["a"]}), pd.RangeIndex(3, name="query_id"), ("AP",),
    ...               np.array([[[0.1], [0.2], [0.3]]]), np.array([True]))
    >>> ((codes, batch),) = batches(cube, [(np.array([query]), np.array([True])) for query in range(3)])
    >>> codes, batch.measures, batch.values.ravel().tolist()
    ([0, 1, 2], ('0', '1', '2'), [0.1, 0.2, 0.3])
    """
    groups_of_shape: dict[tuple[int, bytes], list[int]] = {}
    for code, (queries, columns) in enumerate(parts):
        # 8 to 11, 12 to 15, 16 to 23, ... queries: at most half of the queries are padding
        step = 1 << max(len(queries).bit_length() - 2, 0) if padded and len(queries) > 7 else 1
        groups_of_shape.setdefault((len(queries) // step * step, columns.tobytes()), []).append(
            code
        )
    for codes in groups_of_shape.values():
        sizes = np.array([len(parts[code][0]) for code in codes])
        real = np.arange(sizes.max()) < sizes[:, None]
        queries = np.zeros(real.shape, dtype=np.int64)
        queries[real] = np.concatenate([parts[code][0] for code in codes])
        yield codes, _as_measures(cube, codes, queries, parts[codes[0]][1], real)


def _as_measures(
    cube: Any, codes: list[int], queries: np.ndarray, columns: np.ndarray, real: np.ndarray
) -> Any:
    """Return a cube of the measures of all groups, from their runs or pairs (a mask) and queries (groups, n).

    `real` is a mask of the queries of the groups; the others get no values.
    """
    n_groups, n_queries = queries.shape
    values = cube.values[:, queries]  # (measures, groups, queries, columns)
    if not real.all():
        values[:, ~real] = np.nan
    values = values.swapaxes(0, 1)
    values = np.ascontiguousarray(values if columns.all() else values[..., columns])
    n_measures = len(cube.measures)
    numbers = np.add.outer(np.array(codes) * n_measures, np.arange(n_measures)).ravel()
    names = tuple(map(str, numbers.tolist()))
    about: list[dict[str, Any]] = [
        {
            **known_of(name, cube.attrs),  # type: ignore[dict-item]
            "size": declared_size(name, cube.attrs),
            "range": range_of(name, cube.attrs),
        }
        for name in cube.measures
    ]
    of_groups = [
        {**known, "group": code, "n_queries": n}
        for code, n in zip(codes, real.sum(axis=1).tolist())
        for known in about
    ]
    more = {"higher": np.tile(cube.higher, n_groups)} if isinstance(cube, Scores) else {}
    return replace(
        cube,
        queries=pd.RangeIndex(n_queries, name=cube.queries.name),
        measures=names,
        values=values.reshape(len(names), n_queries, values.shape[-1]),
        attrs={**cube.attrs, "measures": _SharedAttrs(zip(names, of_groups))},
        **_runs_of(cube, columns),
        **more,
    )


def cube_of_groups(table: reader.Table, group: np.ndarray, measures: object) -> Any:
    """Return the cube of a table in which a query is identified by its group and its id, and the group of each query.

    `group` is the group of each row. Measures are in the order of their first rows in the first group.
    """
    query, queries = coded(table.column("query"), "query")
    # (group, query) as one number: equal ids in two groups are different queries
    frame = table.frame.assign(**{table.roles["query"]: group * len(queries) + query})
    frame = frame.take(np.argsort(group, kind="stable"))
    frame.attrs = dict(table.frame.attrs)
    cube: Any = sources(replace(table, frame=frame), measures)[0]
    group_of_query, query = np.divmod(cube.queries.to_numpy(), len(queries))
    ids = queries[query].rename(cube.queries.name)
    return replace(cube, queries=ids), group_of_query


# options that make a row depend on other measures
DEPENDENT = (
    *(("family", family) for family in ("all", "groups", "all_groups")),
    ("wide", True),
    ("matrix", True),
    ("per", "query"),
)


@dataclass(frozen=True, eq=False)
class Batches:
    """The groups of one call, computed from one cube.

    If rows of a verb are about one measure each, groups of one shape become measures of one cube. A batch that raises
    or warns is left out: computed one by one, its groups raise or warn by name.

    Parameters
    ----------
    verb : Verb
    options : dict
        The arguments of the call.
    together : bool
        Whether groups may become measures of one cube; if not, each is a part of the cube.
    """

    verb: Verb
    options: dict[str, Any]
    together: bool = True

    @property
    def of_cubes(self) -> bool:
        """Whether the verb computes the same from a cube as from its table."""
        of_table = any(self.options.get(name) is not None for name in ("compat", "resample"))
        return "measures" in self.options and not of_table and self.options.get("per") != "group"

    def of_join(self, judged: Judged, groups: Groups) -> list[Answer]:
        """Return the results of those groups of a join that can be computed together."""
        if not self.together or self.verb.per_measure == "tables":
            return []
        parameters = self.verb.parameters
        default = next((one.default for one in parameters if one.name == "measures"), None)
        compat = (self.options.get("compat"), judged.positions.rules.get("compat"))
        measures = parse_all(self.options.get("measures", default))
        # with these topics, the queries that count depend on the runs of the group
        dependent = judged.query_rule in ("common", "answered") and not groups.of_queries_alone
        other = any(measure.entry.family != "metric" for measure in measures)
        if dependent or other or "pref_eval" in compat:
            return []
        cube: Any = sources(judged, measures)[0]
        class_of_query = groups.queries[judged.queries.get_indexer(cube.queries)]
        return self._results(cube, parts_of_cube(cube, class_of_query, groups))

    def of_queries(
        self, table: reader.Table, by: Sequence[str], metadata: Metadata
    ) -> CutTable | None:
        """Return the groups of queries of a table that has a value in every cell: labels, results, other parts.

        None if cells are missing, or if the order of the measures may differ between groups.
        """
        measures, attrs = self.options.get("measures"), table.frame.attrs
        cube: Any = sources(table, measures)[0]
        groups = of_ids(cube.queries, cube.runs, [table], by, metadata)
        ordered = {*cube.measures} <= {*attrs.get("measures", ())} or isinstance(
            table.column("measure").dtype, pd.CategoricalDtype
        )
        complete = not np.isnan(cube.values).any()
        ordered = ordered or measures is not None
        if not (ordered and complete and groups.of_queries_alone) or "collections" in attrs:
            return None
        groups = replace(groups, runs=groups.runs[:1])  # one class, of runs or of pairs
        return self._cut(cube, groups.queries, groups)

    def of_table(
        self, table: reader.Table, frame: pd.DataFrame, by: Sequence[str]
    ) -> CutTable | None:
        """Return the same for the groups of a table of scores or preferences; `frame` has the columns to group by."""
        measures = self.options.get("measures")
        groups = groups_of(by, frame[list(by)])
        measure, names = coded(frame[table.roles["measure"]], "measure")
        # a table keeps its measures in the order of its first rows, which must be the same in every group
        cell, first = np.unique(groups.codes * len(names) + measure, return_index=True)
        if len(cell) < len(groups.query) * len(names):
            return None
        order = np.argsort(first.reshape(len(groups.query), -1), axis=1)
        if measures is None and (order != order[0]).any():
            return None
        cube, group = cube_of_groups(replace(table, frame=frame), groups.codes, measures)
        return self._cut(cube, groups.query[group], groups)

    def _cut(self, cube: Any, class_of_query: np.ndarray, groups: Groups) -> CutTable:
        """Return the labels of the groups of a cube, the results of batches, and the parts of other groups."""
        parts = parts_of_cube(cube, class_of_query, groups)
        done = self._results(cube, parts) if self.together else []
        computed = {code for codes, _, _ in done for code in codes}
        left = (part for code, part in enumerate(parts) if code not in computed)
        return groups.labels, done, (Join(cut(cube, *part)) for part in left)

    def _results(self, cube: Any, parts: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[Answer]:
        """Return the results of the groups of a cube that can be computed together."""
        dependent = any(self.options.get(name) == value for name, value in DEPENDENT)
        if dependent or any(known_of(name, cube.attrs) is None for name in cube.measures):
            return []
        computed: list[int] = []
        frames: list[pd.DataFrame] = []
        hint = self.verb.per_measure
        padded = hint(self.options) if callable(hint) else hint == "padded"
        for codes, batch in batches(cube, parts, padded=padded):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    frame = self.verb.function(batch, **{**self.options, "measures": None})
            except Exception:  # noqa: BLE001 - the same groups are computed again, one by one
                continue
            if "tests" in frame.attrs:
                frame.attrs["tests"] = {
                    test: list(
                        dict.fromkeys(
                            cube.measures[int(name) % len(cube.measures)] for name in names
                        )
                    )
                    for test, names in frame.attrs["tests"].items()
                }
            computed += codes
            frames.append(frame)
        if not frames:
            return []
        frame = stacked(frames)
        frame.attrs.pop("measures", None)
        if "measures" in cube.attrs:
            frame.attrs["measures"] = cube.attrs["measures"]
        # measure m of group g has the number g * n_measures + m
        names = pd.Index(cube.measures)
        for column in ("measure", "measure_a", "measure_b"):
            if column in frame:
                group, measure = np.divmod(frame[column].astype(np.int64).to_numpy(), len(names))
                frame[column] = labels(names, measure)
        return [(computed, frame, group)]
