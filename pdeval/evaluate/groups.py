"""Groups: what `by=` names, and the part of a join, a cube or a table that belongs to each.

A column may tell groups of queries apart (their category), groups of runs (their family), or collections: tables that
stand on each other, and whose queries have nothing to do with each other. Metadata about runs or queries come with
the table, or beside it as `metadata=`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import stacked
from pdeval.join.judged import Judged
from pdeval.join.rules import outside
from pdeval.tables.labels import labels
from pdeval.tables.metadata import matched_rows
from pdeval.tables.schemas import Schema
from pdeval.tables.vocabularies import listed
from pdeval.verbs.arguments import TooFew, shown

By = str | Sequence[str]
Result = TypeVar("Result")


def named(by: object, option: str = "by") -> list[str]:
    """Return the columns that an option names, such as `by=`.

    Examples
    --------
    >>> named("category"), named(["collection", "category"])
    (['category'], ['collection', 'category'])
    """
    names = [by] if isinstance(by, str) else list(by) if isinstance(by, Iterable) else []
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ValueError(f"{option}={shown(by)}: give the name of a column, or a list of them.")
    if len(set(names)) < len(names):
        raise ValueError(f"{option}={shown(by)} names a column twice.")
    return names


def coded(values: Any, name: str, what: str, weights: np.ndarray | None = None) -> tuple[np.ndarray, pd.Index]:
    """Return codes and sorted labels of a column to group by, or raise where some are missing.

    Examples
    --------
    >>> codes, found = coded(["b", "a", "b"], "category", "queries")
    >>> codes.tolist(), found.tolist()
    ([1, 0, 1], ['a', 'b'])
    """
    column = pd.Series(values)
    lacking = column.isna().to_numpy()
    if lacking.any():
        count = lacking.sum() if weights is None else weights[lacking].sum()
        raise ValueError(f"{int(count):,} {what} have no {name}; fill it, or drop them first.")
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.cat.remove_unused_categories()
        ordered = pd.CategoricalIndex(column.cat.categories, dtype=column.dtype)  # results keep the order
        return column.cat.codes.to_numpy().astype(np.intp), ordered
    codes, found = pd.factorize(column)
    order = np.arange(len(found))
    try:
        order = np.asarray(found.argsort())
    except TypeError:  # numbers beside texts have no order of their own
        order = np.array(sorted(range(len(found)), key=lambda at: (str(found[at]), type(found[at]).__name__)))
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return place[codes], pd.Index(found).take(order)


def stretches(columns: Sequence[pd.Series]) -> np.ndarray:
    """Return the first row of every stretch of rows that are equal in all columns; a missing value equals none.

    Examples
    --------
    >>> stretches([pd.Series(["x", "x", "y", "y"]), pd.Series([1, 1, 1, 2])]).tolist()
    [0, 2, 3]
    """
    if len(columns[0]) < 2:
        return np.arange(len(columns[0]))
    return np.append(0, np.flatnonzero(np.logical_or.reduce([_differs(column) for column in columns])) + 1)


def _differs(column: pd.Series) -> np.ndarray:
    """Return which rows differ from the one before."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy()
        return (codes[1:] != codes[:-1]) | (codes[1:] < 0)
    differs: Any = column.array[1:] != column.array[:-1]
    if isinstance(differs, np.ndarray):
        return differs.astype(bool, copy=False)
    return np.asarray(differs.to_numpy(dtype=bool, na_value=True))


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of the queries and of the runs of one join or cube.

    Parameters
    ----------
    labels : DataFrame
        One row per group: the columns that were asked for, sorted by them.
    query, run : ndarray of int, shape (groups,)
        The class of queries and the class of runs that each group is made of.
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
        """The group of every query, where groups are of queries alone."""
        place = np.empty(len(self.query), dtype=np.intp)
        place[self.query] = np.arange(len(self.query))
        codes: np.ndarray = place[self.queries]
        return codes

    def masks(self, leave: Container[int] = ()) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield which queries and which runs each group has, but for some to leave out."""
        for at, (query, run) in enumerate(zip(self.query, self.run)):
            if at not in leave:
                yield self.queries == query, self.runs == run


def groups_of(
    names: Sequence[str], queries: pd.DataFrame, runs: pd.DataFrame, weights: np.ndarray | None = None
) -> Groups:
    """Return the groups that columns of queries and columns of runs make together.

    Parameters
    ----------
    names : sequence of str
        The columns in the order asked.
    queries, runs : DataFrame
        One row per query, and one per run: those of the columns that are about them.
    weights : ndarray of int, optional
        How many rows each row of `queries` stands for, where errors count them.

    Examples
    --------
    >>> found = groups_of(["family", "kind"], pd.DataFrame({"kind": ["x", "y"]}), pd.DataFrame({"family": ["f", "g"]}))
    >>> found.labels.to_dict("list")
    {'family': ['f', 'f', 'g', 'g'], 'kind': ['x', 'y', 'x', 'y']}
    """
    classes, sides_of = [], []
    for frame, what in ((queries, "queries" if weights is None else "rows"), (runs, "runs")):
        own = weights if frame is queries else None
        parts = {name: coded(frame[name], name, what, own) for name in frame.columns}
        of_rows, distinct = _classes([part[0] for part in parts.values()], [len(part[1]) for part in parts.values()])
        classes.append(of_rows if parts else np.zeros(len(frame), dtype=np.intp))
        sides_of.append((parts, pd.DataFrame(dict(zip(parts, distinct))) if parts else pd.DataFrame(index=[0])))
    place = np.indices((len(sides_of[0][1]), len(sides_of[1][1]))).reshape(2, -1)
    sides = [of.iloc[at].reset_index(drop=True) for (_, of), at in zip(sides_of, place)]
    codes = pd.concat(sides, axis=1)
    order = np.lexsort([codes[name] for name in reversed(names)])
    codes, place = codes.iloc[order].reset_index(drop=True), place[:, order]
    known = {**sides_of[0][0], **sides_of[1][0]}
    columns = {name: labels(known[name][1], codes[name].to_numpy()) for name in names}
    return Groups(pd.DataFrame(columns), place[0], place[1], classes[0], classes[1])


def _classes(codes: list[np.ndarray], sizes: list[int]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the class of every row, by its codes in all columns, and the codes of every class."""
    if len(codes) == 1:
        return codes[0], [np.arange(sizes[0])]
    if not codes:
        return np.zeros(0, dtype=np.intp), []
    if not len(codes[0]):
        return codes[0], [np.zeros(0, dtype=np.intp)] * len(codes)
    of_rows, found = pd.factorize(np.ravel_multi_index(tuple(codes), tuple(sizes)))
    return of_rows, list(np.unravel_index(found, tuple(sizes)))


Metadata = pd.DataFrame | Sequence[pd.DataFrame] | None


def tables_of(metadata: Metadata) -> list[pd.DataFrame]:
    """Return tables of metadata as a list, or raise where one of them is none.

    Examples
    --------
    >>> len(tables_of(None)), len(tables_of(pd.DataFrame({"run": ["a"]})))
    (0, 1)
    """
    found = [] if metadata is None else list(metadata) if isinstance(metadata, list | tuple) else [metadata]
    for one in found:
        if not isinstance(one, pd.DataFrame):
            raise TypeError(
                f"metadata are a DataFrame, one row per run or query, or a list of such, not {type(one).__name__}."
            )
    return found  # type: ignore[return-value]


def of_join(judged: Judged, names: Sequence[str], metadata: Metadata) -> Groups:
    """Return the groups of a join: by columns of its tables, or of metadata about its queries or runs."""
    query = str(judged.queries.name)
    queries, runs = pd.DataFrame({query: judged.queries}), judged.runs
    found: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    for name in names:
        about = [table for table in tables_of(metadata) if name in table.columns]
        if len(about) > 1:
            raise ValueError(f"by={name!r}: two tables of metadata have this column; give one of them.")
        if about:
            at, values = _of_metadata(about[0], name, queries, runs)
        else:
            at, values = _column(judged, name, metadata, queries, runs)
        found[at][name] = values
    by_query = pd.DataFrame(found[0], index=range(len(queries)))
    return groups_of(names, by_query, pd.DataFrame(found[1], index=range(len(runs))))


def _of_metadata(metadata: pd.DataFrame, name: str, queries: pd.DataFrame, runs: pd.DataFrame) -> tuple[int, Any]:
    """Return whether a column of metadata is about queries (0) or runs (1), and its values for them."""
    query = queries.columns[0]
    keys = [key for key in (query, *runs.columns) if key in metadata.columns and key != name]
    if query in keys and len(keys) > 1:
        raise ValueError(
            f"by={name!r}: metadata are about queries or about runs; these have {listed(keys)}. Give a list of two "
            "tables, one of each."
        )
    if not keys:
        own = listed([query, *runs.columns])
        raise ValueError(f"the metadata name neither queries nor runs: {own} are missing among their columns.")
    of_runs = query not in keys
    row = matched_rows(runs if of_runs else queries, metadata, keys)
    return int(of_runs), metadata[name].array.take(row)


def _column(
    judged: Judged, name: str, metadata: Metadata, queries: pd.DataFrame, runs: pd.DataFrame
) -> tuple[int, Any]:
    """Return whether a column of the joined tables is about queries (0) or runs (1), and its values for them."""
    if name in runs.columns:
        return 1, runs[name].array
    both = [] if judged.positions.source is None else [table for table in judged.tables if name in table.frame.columns]
    for table in both:
        roles = {role: column for role, column in table.roles.items() if column == name}
        if roles:
            raise ValueError(f"by={name!r} is the {next(iter(roles))} of the table; name a column of metadata.")
    for table in reversed(both):  # judgments first: they are fewer
        for at, keys, ids in ((0, [table.roles["query"]], queries), (1, list(table.run_columns), runs)):
            if keys and (values := _of_each(table.frame, keys, name, ids)) is not None:
                return at, values
    if both:
        raise ValueError(
            f"by={name!r}: some queries and some runs have several of it, so it groups neither. Where it tells "
            "collections apart, the judgments need the column too, and the call is runs.ireval.verb(qrels, by=...)."
        )
    have = listed(dict.fromkeys(str(one) for table in _tables(judged) for one in table.frame.columns))
    beside = listed(dict.fromkeys(str(one) for table in tables_of(metadata) for one in table.columns))
    hint = f"; the metadata have {beside}." if beside else ". Give metadata=, one row per query or per run."
    raise KeyError(f"no column {name!r} to group by among {have}{hint}")


def _tables(judged: Judged) -> tuple[Any, ...]:
    return () if judged.positions.source is None else judged.tables


def _of_each(frame: pd.DataFrame, keys: list[str], name: str, ids: pd.DataFrame) -> Any:
    """Return the value of a column for each of some ids, or None where one of them has none or several."""
    pairs = frame[[*keys, name]].drop_duplicates()
    if pairs.duplicated(keys).any():
        return None
    wanted = ids.rename(columns=dict(zip(ids.columns, keys)))
    try:
        return pairs[name].array.take(matched_rows(wanted, pairs, keys))
    except ValueError:
        return None


def part_of_join(judged: Judged, queries: np.ndarray, runs: np.ndarray) -> Judged:
    """Return the part of a join that some queries and runs (masks) make; nothing is joined again."""
    positions = judged.positions
    if judged.topics == "answered":  # a run that answered no query of the part is not in it, as in a filtered table
        runs = runs & positions.answered[queries].any(axis=0)
    positions = positions if queries.all() else positions.keep_topics(queries)
    return judged.on(positions if runs.all() else positions.keep_runs(runs))


def replaced(name: str, schema: Schema | None = None, verb: str = "", of_metadata: bool = False) -> ValueError:
    """Return the error about a column to group by whose labels would replace a column of the result."""
    meaning = "" if schema is None else schema.meaning(name)
    what = "the result" if schema is None else f"the {schema.says} that {verb} returns"
    what += f" ({meaning})" if meaning else ""
    rename = f"{'metadata' if of_metadata else 'df'}.rename(columns={{{name!r}: '{name}_group'}})"
    return ValueError(f"by={name!r} is also a column of {what}. Rename it first: {rename}.")


def with_groups(frame: pd.DataFrame, groups: pd.DataFrame, code: np.ndarray) -> pd.DataFrame:
    """Return a frame with the labels of the group of each row in front."""
    attrs = frame.attrs
    columns: dict[Any, Any] = {name: labels(groups[name], code) for name in groups.columns}
    for name in frame.columns.intersection(groups.columns):  # what names a run may name its group
        if (frame[name].to_numpy(dtype=object) != np.asarray(columns[name], dtype=object)).any():
            raise replaced(name)
    rest = {name: frame[name].array for name in frame.columns if name not in columns}
    made = pd.DataFrame({**columns, **rest}, copy=False)
    made.attrs.update(attrs)
    made.attrs["by"] = list(dict.fromkeys([*groups.columns, *attrs.get("by", ())]))
    return made


Answer = tuple[Collection[int], pd.DataFrame, np.ndarray]  # some groups, their rows, and the group of each row


def apply_to_groups(
    function: Callable[[Any], pd.DataFrame], parts: Iterable[Any], groups: pd.DataFrame, done: Sequence[Answer] = ()
) -> pd.DataFrame:
    """Return what a function makes of the part of every group, the columns that name the group in front.

    A group with too few runs or queries for an answer is left out, with a warning that names it; any other error says
    which group it is about.

    Examples
    --------
    >>> parts = [pd.DataFrame({"n": [1]}), pd.DataFrame({"n": [2]})]
    >>> apply_to_groups(lambda part: part * 10, parts, pd.DataFrame({"category": ["x", "y"]})).to_dict("list")
    {'category': ['x', 'y'], 'n': [10, 20]}
    """
    results = of_groups(function, parts, groups, {at for places, _, _ in done for at in places})
    frames = [*(frame for _, frame, _ in done), *(frame for _, frame in results)]
    codes = [*(code for _, _, code in done), *(np.full(len(frame), at) for at, frame in results)]
    whole, code = stacked(frames), np.concatenate(codes)
    if done:
        order = np.argsort(code, kind="stable")
        whole, code = whole.take(order), code[order]
    return with_groups(whole, groups, code)


def of_groups(
    function: Callable[[Any], Result], parts: Iterable[Any], groups: pd.DataFrame, done: Collection[int] = ()
) -> list[tuple[int, Result]]:
    """Return the result of a function for the part of every group that is not done, each with the number of its group.

    A group with too few runs or queries is left out, with a warning that names it; any other error names its group.
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
        raise TooFew(f"no group has enough for an answer; {left[0]}")
    if left:
        what = f"{len(left)} of {len(groups)} groups {'is' if len(left) == 1 else 'are'} left out, e.g. {left[0]}"
        warnings.warn(what, UserWarning, stacklevel=outside())
    return results
