"""Systems on several collections in one table: the tables of single collections, combined."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.evaluate import Grouped, ScoresLike, cube_of, merged_attrs, option_columns, rows_by
from pdeval.evaluate import merged as merged_cubes
from pdeval.report import numbers as decimals
from pdeval.report.columns import Part, by_of, numbers, title_groups
from pdeval.report.means import Means
from pdeval.report.report import DASH, Cell, Column, Group, Report
from pdeval.report.significance_marks import Verdict, letters
from pdeval.tables import Table, with_metadata

Layout = Literal["columns", "rows", "groups"]
Average = Literal["mean", "rank", "both"]


class CollectionTable(NamedTuple):
    """The table of one collection: the cells that name its systems, and the cells of its measures, row by row."""

    title: tuple[str, ...]
    stub: tuple[Column, ...]
    systems: tuple[tuple[Cell, ...], ...]
    measures: tuple[Column, ...]
    cells: list[list[Cell]]
    means: Means
    verdict: Verdict

    @property
    def name(self) -> str:
        """The name of the collection."""
        return ", ".join(self.title)

    @property
    def keys(self) -> list[tuple[str, ...]]:
        """The printed names of the system of each row."""
        return [tuple(cell.text for cell in cells) for cells in self.systems]


def combine(
    tables: list[CollectionTable],
    layout: Layout | None,
    average: Average | None,
    digits: Sequence[int],
    missing: str,
    noun: str,
) -> tuple[Report, list[CollectionTable]]:
    """Return the table of all collections, and the tables that it is made of, with the marks that it shows.

    By default collections are titles over rows if their systems differ; else rows if there are more collections than
    systems, and columns if there are not.
    """
    keys = list(dict.fromkeys(key for table in tables for key in table.keys))
    same_order = all(table.keys == tables[0].keys for table in tables)
    if layout is None and same_order:
        layout = "rows" if len(tables) > len(keys) else "columns"
    if layout in (None, "groups"):
        average = average if same_order else None
        report = _stacked(tables, average, digits)
    else:
        for table in tables:
            absent = [key for key in keys if key not in table.keys]
            if absent and missing == "error":
                raise ValueError(
                    f"{len(absent)} of {len(keys)} systems have no values in {table.name!r}, e.g. "
                    f"{' / '.join(absent[0])!r}. Drop them, print dashes with missing='dash', or give each "
                    "collection its own rows with layout='groups'."
                )
        if any(table.keys != keys for table in tables):
            # letters would name other systems in other collections
            tables = [_unmarked(table) if _has_letters([table]) else table for table in tables]
        arrange = _side_by_side if layout == "columns" else _transposed
        systems = {key: row for table in tables for key, row in zip(table.keys, table.systems)}
        report = arrange(
            tables, [systems[key] for key in keys], _cell_array(tables, keys), average, digits
        )
    notes = {
        "mean": f"Mean: over the {len(tables)} {noun}, each counting the same.",
        "rank": f"Mean rank: of the systems within each of the {len(tables)} {noun}, 1 is best.",
    }
    about_means = [text for kind, text in notes.items() if average in (kind, "both")]
    tested = any(table.verdict.kind for table in tables)
    within = [f"Significance is tested within each of the {noun}."] if tested else []
    return replace(report, notes=(*report.notes, *about_means, *within)), tables


def _unmarked(table: CollectionTable) -> CollectionTable:
    """Return a table without marks."""
    why = "Significance is not marked: the systems of the collections differ; baseline= marks differences to one."
    cells = [[replace(cell, marks="") for cell in row] for row in table.cells]
    verdict = Verdict([[""] * len(table.measures)] * len(table.systems), unmarked=why)
    return table._replace(cells=cells, verdict=verdict)


def _cell_array(tables: Sequence[CollectionTable], keys: Sequence[tuple[str, ...]]) -> np.ndarray:
    """Return the cells by system, collection and measure; dashes if a collection has no such system."""
    cells = np.empty((len(keys), len(tables), len(tables[0].measures)), dtype=object)
    cells.fill(Cell(None, DASH))
    place = {key: i for i, key in enumerate(keys)}
    for i, table in enumerate(tables):
        for key, row in zip(table.keys, table.cells):
            cells[place[key], i] = row
    return cells


def single(table: CollectionTable, groups: tuple[Group, ...]) -> Report:
    """Return the table of one collection."""
    rows = [(*systems, *cells) for systems, cells in zip(table.systems, table.cells)]
    return _lettered([table], [*table.stub, *table.measures], rows, groups)


def _lettered(
    tables: Sequence[CollectionTable],
    columns: Sequence[Column],
    rows: Sequence[tuple[Cell, ...]],
    groups: Sequence[Group] = (),
    notes: Sequence[str] = (),
    *,
    restart: bool = False,
) -> Report:
    """Return a table with the letters of the systems in front, if marks are letters; `restart` at a in each group."""
    if _has_letters(tables):
        name = "letter" if all(column.name != "letter" for column in columns) else "letter_"
        columns = [Column(name, "", numeric=False), *columns]
        sizes = [group.size for group in groups] if restart else [len(rows)]
        marks = [letter for size in sizes for letter in letters(size)]
        rows = [(Cell(mark, mark), *row) for mark, row in zip(marks, rows, strict=True)]
    return Report(tuple(columns), tuple(rows), tuple(groups), notes=tuple(notes))


def _has_letters(tables: Sequence[CollectionTable]) -> bool:
    return any(table.verdict.kind == "letters" for table in tables)


def _averages(
    tables: Sequence[CollectionTable],
    cells: np.ndarray,
    average: Average | None,
    digits: Sequence[int],
) -> list[Part]:
    """Return the columns of means over collections, with one cell per system: all measures of a kind, then the next."""
    values = np.vectorize(
        lambda cell: np.nan if cell.value is None else cell.value, otypes=[float]
    )(cells)
    columns = []
    for kind, title in (("mean", "Mean"), ("rank", "Mean rank")):
        for i, head in enumerate(tables[0].measures if average in (kind, "both") else ()):
            higher = tables[0].means.higher[i]
            by_collection, places = values[..., i], digits[i]
            column = replace(head, name=f"{title.lower()} {head.name}", group=title, spread=())
            if kind == "rank":
                by_collection = (
                    pd.DataFrame(-by_collection if higher else by_collection)
                    .rank(axis=0)
                    .to_numpy()
                )
                places, higher = 1, False
                column = replace(column, higher=None)
            mean = by_collection.mean(
                axis=1
            )  # NaN if a collection has no value: means over fewer are not comparable
            emphasis = decimals.emphases(decimals.printed(mean, places), higher)
            columns.append((column, numbers("", "", mean, places, emphasis=emphasis)[1]))
    return columns


def _side_by_side(
    tables: Sequence[CollectionTable],
    systems: Sequence[tuple[Cell, ...]],
    cells: np.ndarray,
    average: Average | None,
    digits: Sequence[int],
) -> Report:
    """Return a row per system; collections are headings over their measures, or columns if there is one measure."""
    columns = [
        replace(head, name=f"{table.name} {head.name}", group=table.name)
        for table in tables
        for head in table.measures
    ]
    means = _averages(tables, cells, average, digits)
    columns += [column for column, _ in means]
    if len(tables[0].measures) == 1:
        columns = [
            replace(column, header=column.group, group="", higher=None) for column in columns
        ]
    rows = [
        (*names, *row.ravel().tolist(), *(column_cells[i] for _, column_cells in means))
        for i, (names, row) in enumerate(zip(systems, cells))
    ]
    return _lettered(tables, [*tables[0].stub, *columns], rows, notes=_measure_note(tables))


def _transposed(
    tables: Sequence[CollectionTable],
    systems: Sequence[tuple[Cell, ...]],
    cells: np.ndarray,
    average: Average | None,
    digits: Sequence[int],
) -> Report:
    """Return a row per collection; systems are columns, under the heading of a measure if there are several."""
    measures = tables[0].measures
    names = [" / ".join(cell.text for cell in row) for row in systems]
    headers = (
        [f"{mark} {name}" for mark, name in zip(letters(len(names)), names)]
        if _has_letters(tables)
        else names
    )
    columns = [Column("collection", "", numeric=False)]
    for head in measures:
        shared = replace(head, group=head.header if len(measures) > 1 else "", higher=None)
        columns += [
            replace(shared, name=f"{head.name} {name}", header=header)
            for name, header in zip(names, headers)
        ]
    # the columns of a row run over measures, then systems
    rows = [
        (Cell(table.title[-1], table.title[-1]), *cells[:, i].T.ravel().tolist())
        for i, table in enumerate(tables)
    ]
    means = _averages(tables, cells, average, digits)
    for start in range(0, len(means), len(measures)):
        title = means[start][0].group
        row = [
            cell
            for _, column_cells in means[start : start + len(measures)]
            for cell in column_cells
        ]
        rows.append((Cell(title, title), *row))
    titles = [", ".join(table.title[:-1]) for table in tables]
    groups = title_groups(titles, len(rows) - len(tables)) if any(titles) else []
    return Report(tuple(columns), tuple(rows), tuple(groups), notes=_measure_note(tables))


def _stacked(
    tables: Sequence[CollectionTable], average: Average | None, digits: Sequence[int]
) -> Report:
    """Return a row per system under the title of its collection, and then the means."""
    groups = [Group(table.name, len(table.systems), (table.name,)) for table in tables]
    rows = [
        (*systems, *cells) for table in tables for systems, cells in zip(table.systems, table.cells)
    ]
    if average is not None:
        size = len(tables[0].measures)
        means = _averages(tables, _cell_array(tables, tables[0].keys), average, digits)
        for start in range(0, len(means), size):
            cells_of_rows = zip(*(cells for _, cells in means[start : start + size]))
            rows += [(*systems, *cells) for systems, cells in zip(tables[0].systems, cells_of_rows)]
            title = means[start][0].group
            groups.append(Group(title, len(tables[0].systems), (title,)))
    return _lettered(tables, [*tables[0].stub, *tables[0].measures], rows, groups, restart=True)


def _measure_note(tables: Sequence[CollectionTable]) -> tuple[str, ...]:
    """Return the measure and its direction, if no header names it."""
    if len(tables[0].measures) > 1:
        return ()
    less = ", where less is better" if not tables[0].means.higher[0] else ""
    return (f"{tables[0].measures[0].header}{less}.",)


def merged(verdicts: Sequence[Verdict]) -> Verdict:
    """Return all verdicts together, for one footnote.

    Examples
    --------
    >>> merged([Verdict([["a"]], "letters", "t test"), Verdict([[""]], "letters", "t test")]).marks
    [['a'], ['']]
    """
    first = next((verdict for verdict in verdicts if verdict.kind), verdicts[0])
    return Verdict(
        marks=[row for verdict in verdicts for row in verdict.marks],
        kind=first.kind,
        how=first.how,
        untested=tuple(dict.fromkeys(name for verdict in verdicts for name in verdict.untested)),
        unmarked=next((verdict.unmarked for verdict in verdicts if verdict.unmarked), ""),
    )


def pooled(tables: Sequence[Means], noun: str = "collections") -> Means:
    """Return the first table with the numbers of queries of all, for one footnote."""
    attrs = merged_attrs(table.attrs for table in tables)
    if len(tables) > 1 and all((table.n == table.n.flat[0]).all() for table in tables):
        attrs["counted_per"] = noun.removesuffix("s")
    return replace(tables[0], n=np.concatenate([table.n for table in tables], axis=1), attrs=attrs)


@dataclass(frozen=True, eq=False)
class Collections:
    """The collections of a report: their labels, the data of each, and the noun of footnotes."""

    labels: pd.DataFrame
    data: list[ScoresLike]
    noun: str

    def divide(self, comparisons: pd.DataFrame | None) -> list[pd.DataFrame | None]:
        """Return the comparisons of each collection."""
        if comparisons is None:
            return [None] * len(self.data)
        labels, parts = _divided(comparisons, by_of(comparisons, list(self.labels.columns)))
        part_of = dict(zip(_rows_of_texts(labels), parts))
        for row in _rows_of_texts(self.labels):
            if row not in part_of:
                raise ValueError(
                    f"the comparisons have no rows of {', '.join(row)!r}. Compare within each collection, with by=."
                )
        return [part_of[row] for row in _rows_of_texts(self.labels)]


def _rows_of_texts(labels: pd.DataFrame) -> list[tuple[str, ...]]:
    return list(labels.astype(str).itertuples(index=False, name=None))


def collections_of(
    data: ScoresLike | Grouped,
    by: str | Sequence[str] | None,
    measures: object,
    metadata: Sequence[pd.DataFrame] = (),
) -> Collections | None:
    """Return the collections of a table or a join, or None if there is one."""
    if isinstance(data, Table):
        return _collections_of_table(data, by, metadata)
    if by is None:
        return None
    grouped = Grouped.of(data, by, metadata)
    names = option_columns(by)
    groups = [(label, [grouped.parts[i] for i in places]) for label, places in grouped.by(names)]
    # several parts of a group, e.g. one per collection, become one cube
    sources = [
        parts[0] if len(parts) == 1 else merged_cubes([cube_of(p, measures) for p in parts])
        for _, parts in groups
    ]
    noun = "collections" if {*names} & {*grouped.collections} else "groups"
    return Collections(pd.concat([label for label, _ in groups], ignore_index=True), sources, noun)


def _collections_of_table(
    table: Table, by: str | Sequence[str] | None, metadata: Sequence[pd.DataFrame]
) -> Collections | None:
    absent = [
        name
        for name in ([] if by is None else option_columns(by))
        if name not in table.frame.columns
    ]
    roles = {**table.roles, "run": list(table.run_columns)}
    frame = with_metadata(table.frame, roles, table.kind, absent, metadata)
    names = by_of(
        frame, by, attribute="collections" if table.kind in ("scores", "preferences") else "by"
    )
    if by is None:  # means of groups of runs are the runs of their table
        names = [name for name in names if name not in table.run_columns]
    if not names:
        return None
    labels, parts = _divided(frame, names)
    run_columns = tuple(name for name in table.run_columns if name not in names)
    known = {*frame.attrs.get("collections", ()), "collection"}
    noun = "collections" if set(names) & known else "groups"
    return Collections(
        labels, [replace(table, frame=part, run_columns=run_columns) for part in parts], noun
    )


def _divided(frame: pd.DataFrame, by: list[str]) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """Return the sorted labels of the collections of a table, and the rows of each."""
    frame = frame.reset_index(drop=True)
    frame.attrs = {
        name: value for name, value in frame.attrs.items() if name not in ("by", "collections")
    }
    labels, parts = rows_by(frame, by)
    return labels, [part.reset_index(drop=True) for part in parts]
