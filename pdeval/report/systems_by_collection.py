"""Systems on several collections in one table: the tables of single collections, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import merged_attrs
from pdeval.evaluate.grouped import Grouped, cube_of
from pdeval.evaluate.grouped import merged as merged_cubes
from pdeval.evaluate.groups import groups_of, named
from pdeval.evaluate.sources import Held
from pdeval.report import numbers as decimals
from pdeval.report.means import Means
from pdeval.report.report import DASH, Cell, Column, Group
from pdeval.report.rows import emphases
from pdeval.report.significance_marks import Verdict, letters
from pdeval.report.stacked_collections import by_of
from pdeval.tables.metadata import with_metadata
from pdeval.tables.reader import Table

Layout = Literal["columns", "rows", "groups"]
Average = Literal["mean", "rank", "both"]
Key = tuple[str, ...]


@dataclass(frozen=True)
class One:
    """The table of one collection, before it is put beside others: its stub and numbers, row by row."""

    title: tuple[str, ...]
    stub: tuple[Column, ...]
    left: list[list[Cell]]
    heads: tuple[Column, ...]
    right: list[list[Cell]]
    table: Means
    verdict: Verdict

    @property
    def keys(self) -> list[Key]:
        """What names each row: its system."""
        return [tuple(cell.text for cell in cells) for cells in self.left]

    @property
    def unmarked(self) -> One:
        """The same without letters, which would name other systems in other collections."""
        right = [[replace(cell, marks="") for cell in row] for row in self.right]
        why = "Significance is not marked: the systems of the collections differ; baseline= marks differences to one."
        marks = [[""] * len(self.heads)] * len(self.left)
        return replace(self, right=right, verdict=Verdict(marks, unmarked=why))

    @property
    def text(self) -> str:
        """The name of the collection."""
        return ", ".join(self.title)


@dataclass(frozen=True)
class Whole:
    """Columns, rows and titles of the table of all collections, and sentences about them."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    groups: tuple[Group, ...] = ()
    said: tuple[str, ...] = ()


def layout_of(ones: Sequence[One], layout: Layout | None) -> Layout:
    """Return how collections are shown where nobody says it.

    Titles over rows where their systems differ; else rows where there are more collections than systems, and columns
    where there are not.
    """
    if layout is not None:
        return layout
    if any(one.keys != ones[0].keys for one in ones):
        return "groups"
    return "rows" if len(ones) > len(ones[0].keys) else "columns"


def together(
    ones: Sequence[One], layout: Layout, average: Average | None, digits: Sequence[int], missing: str, what: str
) -> tuple[Whole, list[One]]:
    """Return the table of all collections, and the tables that it is made of, as they are marked in it."""
    within = (f"Significance is tested within each of the {what}.",) if any(one.verdict.kind for one in ones) else ()
    if layout == "groups":
        whole, meant = _on_each_other(ones, average, digits)
        return replace(whole, said=(*(_about_means(len(ones), average, what) if meant else ()), *within)), list(ones)
    keys = list(dict.fromkeys(key for one in ones for key in one.keys))
    if missing == "error":
        _check_everywhere(ones, keys)
    if any(one.keys != keys for one in ones):
        ones = [one.unmarked if one.verdict.kind == "letters" else one for one in ones]
    cells = np.empty((len(keys), len(ones), len(ones[0].heads)), dtype=object)
    cells.fill(Cell(None, DASH))
    place = {key: at for at, key in enumerate(keys)}
    for at, one in enumerate(ones):
        for key, row in zip(one.keys, one.right):
            cells[place[key], at] = row
    known = {key: row for one in ones for key, row in zip(one.keys, one.left)}
    stub = [known[key] for key in keys]
    means, added = _averages(ones, cells, average, digits)
    put = _side_by_side if layout == "columns" else _transposed
    whole = put(ones, stub, cells, means, added)
    if not any(one.verdict.kind for one in ones):
        within = ()
    return replace(whole, said=(*whole.said, *_about_means(len(ones), average, what), *within)), list(ones)


def alone(one: One, groups: tuple[Group, ...]) -> Whole:
    """Return the table of one collection, with letters in front where its marks are letters."""
    rows = [(*left, *right) for left, right in zip(one.left, one.right)]
    whole = Whole((*one.stub, *one.heads), tuple(rows))
    return replace(with_letters(whole.columns, rows, [len(rows)]) if lettered([one]) else whole, groups=groups)


def lettered(ones: Sequence[One]) -> bool:
    """Return whether systems are named by letters."""
    return any(one.verdict.kind == "letters" for one in ones)


def with_letters(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], sizes: Sequence[int]) -> Whole:
    """Return a table with the letters of the systems in front, from a on in each of its parts."""
    name = "letter" if all(column.name != "letter" for column in columns) else "letter_"
    marks = [letter for size in sizes for letter in letters(size)]
    stub = Column(name, "", numeric=False)
    return Whole((stub, *columns), tuple((Cell(mark, mark), *row) for mark, row in zip(marks, rows, strict=True)))


def _check_everywhere(ones: Sequence[One], keys: Sequence[Key]) -> None:
    for one in ones:
        lacking = [key for key in keys if key not in one.keys]
        if lacking:
            raise ValueError(
                f"{len(lacking)} of {len(keys)} systems have no values in {one.text!r}, e.g. "
                f"{' / '.join(lacking[0])!r}; leave them out, print dashes with missing='dash', or give each "
                "collection its own rows with layout='groups'."
            )


def _averages(
    ones: Sequence[One], cells: np.ndarray, average: Average | None, digits: Sequence[int]
) -> tuple[list[list[Cell]], list[Column]]:
    """Return, for each row of systems, its means over collections, and their columns."""
    heads = ones[0].heads
    found: list[list[Cell]] = [[] for _ in cells]
    columns = []
    values = np.array([[[_number(cell) for cell in row] for row in rows] for rows in cells], dtype=float)
    for kind, title in (("mean", "Mean"), ("rank", "Mean rank")):
        if average not in (kind, "both"):
            continue
        for place, head in enumerate(heads):
            higher = ones[0].table.higher[place]
            own, places = values[..., place], digits[place]
            if kind == "rank":
                ranked = pd.DataFrame(-own if higher else own).rank(axis=0)
                own, places, higher = ranked.to_numpy(), 1, False
            mean = own.mean(axis=1)  # missing where a collection is: over fewer it would not compare
            stress = emphases(decimals.printed(mean, places), higher)
            for row, value, one in zip(found, mean, stress):
                text = decimals.number(float(value), places)
                row.append(Cell(None, DASH) if text == DASH else Cell(float(value), text, one))
            columns.append(replace(head, name=f"{title.lower()} {head.name}", group=title, spread=()))
            if kind == "rank":
                columns[-1] = replace(columns[-1], higher=None)
    return found, columns


def _number(cell: Cell) -> float:
    return float(cell.value) if isinstance(cell.value, int | float) else np.nan


def _side_by_side(
    ones: Sequence[One],
    stub: list[list[Cell]],
    cells: np.ndarray,
    means: list[list[Cell]],
    added: list[Column],
) -> Whole:
    """Systems are rows; every collection is a heading over its measures, or a column where there is one measure."""
    single = len(ones[0].heads) == 1
    columns: list[Column] = []
    for one in ones:
        for head in one.heads:
            own = replace(head, name=f"{one.text} {head.name}", group=one.text)
            columns.append(replace(own, header=one.text, group="", higher=None) if single else own)
    columns += [replace(one, header=one.group, group="", higher=None) if single else one for one in added]
    rows = tuple((*left, *row.ravel().tolist(), *more) for left, row, more in zip(stub, cells, means))
    whole = Whole((*ones[0].stub, *columns), rows)
    whole = with_letters(whole.columns, rows, [len(rows)]) if lettered(ones) else whole
    return replace(whole, said=_measure(ones, single))


def _transposed(
    ones: Sequence[One],
    stub: list[list[Cell]],
    cells: np.ndarray,
    means: list[list[Cell]],
    added: list[Column],
) -> Whole:
    """Collections are rows; every system is a column, under the heading of a measure where there are several."""
    heads, single = ones[0].heads, len(ones[0].heads) == 1
    systems = [" / ".join(cell.text for cell in left) for left in stub]
    marks = [f"{mark} " for mark in letters(len(stub))] if lettered(ones) else [""] * len(stub)
    columns = [Column("collection", "", numeric=False)]
    for head in heads:
        over = "" if single else head.header
        for mark, name in zip(marks, systems):
            columns.append(replace(head, name=f"{head.name} {name}", header=mark + name, group=over, higher=None))
    rows = [(Cell(one.title[-1], one.title[-1]), *cells[:, at].T.ravel().tolist()) for at, one in enumerate(ones)]
    for start in range(0, len(added), len(heads)):
        title = added[start].group
        own = [row[start + place] for place in range(len(heads)) for row in means]
        rows.append((Cell(title, title), *own))
    groups = _titles(ones, len(added) // len(heads))
    return Whole(tuple(columns), tuple(rows), groups, _measure(ones, single))


def _titles(ones: Sequence[One], more: int) -> tuple[Group, ...]:
    """Return titles over rows of collections, where several columns name them."""
    if len(ones[0].title) == 1:
        return ()
    found: list[tuple[str, int]] = []
    for one in ones:
        text = ", ".join(one.title[:-1])
        again = bool(found) and found[-1][0] == text
        found = [*found[:-1], (text, found[-1][1] + 1)] if again else [*found, (text, 1)]
    return tuple(Group(text, size, (text,)) for text, size in [*found, *([("All", more)] if more else [])])


def _on_each_other(ones: Sequence[One], average: Average | None, digits: Sequence[int]) -> tuple[Whole, bool]:
    """Systems are rows under the title of their collection; their means come last, where all have the same systems.

    Returns whether there are means, too.
    """
    groups = [Group(one.text, len(one.left), (one.text,)) for one in ones]
    rows = [(*left, *right) for one in ones for left, right in zip(one.left, one.right)]
    meant = average is not None and all(one.keys == ones[0].keys for one in ones)
    if meant:
        cells = np.empty((len(ones[0].keys), len(ones), len(ones[0].heads)), dtype=object)
        for at, one in enumerate(ones):
            for place, row in enumerate(one.right):
                cells[place, at] = row
        means, added = _averages(ones, cells, average, digits)
        size = len(ones[0].heads)
        for start in range(0, len(added), size):
            rows += [(*left, *row[start : start + size]) for left, row in zip(ones[0].left, means)]
            groups.append(Group(added[start].group, len(means), (added[start].group,)))
    whole = Whole((*ones[0].stub, *ones[0].heads), tuple(rows))
    if lettered(ones):
        whole = with_letters(whole.columns, rows, [group.size for group in groups])
    return replace(whole, groups=tuple(groups)), meant


def _measure(ones: Sequence[One], single: bool) -> tuple[str, ...]:
    """Say the measure, and its direction, where no header does."""
    if not single:
        return ()
    head = ones[0].heads[0]
    less = ", where less is better" if not ones[0].table.higher[0] else ""
    return (f"{head.header}{less}.",)


def _about_means(n: int, average: Average | None, what: str) -> tuple[str, ...]:
    said = {"mean": f"Mean: over the {n} {what}, each counting the same."}
    said["rank"] = f"Mean rank: of the systems within each of the {n} {what}, 1 is best."
    return tuple(text for kind, text in said.items() if average in (kind, "both"))


def merged(verdicts: Sequence[Verdict]) -> Verdict:
    """Return what all verdicts say together, for one footnote.

    Examples
    --------
    >>> merged([Verdict([["a"]], "letters", "t test"), Verdict([[""]], "letters", "t test")]).marks
    [['a'], ['']]
    """
    tested = [one for one in verdicts if one.kind]
    first = tested[0] if tested else verdicts[0]
    untested = tuple(dict.fromkeys(name for one in verdicts for name in one.untested))
    marks = [row for one in verdicts for row in one.marks]
    return Verdict(marks, first.kind, first.how, untested, next((one.unmarked for one in verdicts if one.unmarked), ""))


def pooled(tables: Sequence[Means], what: str = "collections") -> Means:
    """Return the first table with the numbers of queries of all, for one footnote."""
    attrs = merged_attrs(table.attrs for table in tables)
    if len(tables) > 1 and all((table.n == table.n.flat[0]).all() for table in tables):
        attrs["counted_per"] = what.removesuffix("s")
    return replace(tables[0], n=np.concatenate([table.n for table in tables], axis=1), attrs=attrs)


@dataclass(frozen=True)
class Parts:
    """The collections of what is reported: the columns that tell them apart, their labels, and each one alone."""

    labels: pd.DataFrame
    held: list[Held]
    what: str = "groups"

    def titles(self, names: Mapping[str, str]) -> list[tuple[str, ...]]:
        """Return the names of the collections as they are printed."""
        rows = self.labels.astype(str).itertuples(index=False, name=None)
        return [tuple(names.get(one, one) for one in row) for row in rows]

    @property
    def texts(self) -> list[str]:
        """Every text that a display name can replace."""
        return [*self.labels.columns, *self.labels.astype(str).to_numpy().ravel()]

    def of_comparisons(self, comparisons: pd.DataFrame | None) -> list[pd.DataFrame | None]:
        """Return the comparisons of each collection."""
        if comparisons is None:
            return [None] * len(self.held)
        by = by_of(comparisons, list(self.labels.columns))
        labels, parts = _divided(comparisons, by)
        found = dict(zip(labels.astype(str).itertuples(index=False, name=None), parts))
        keys = list(self.labels.astype(str).itertuples(index=False, name=None))
        lacking = [key for key in keys if key not in found]
        if lacking:
            raise ValueError(
                f"the comparisons have no rows of {', '.join(lacking[0])!r}; compare within each collection."
            )
        return [found[key] for key in keys]


def parts_of(
    held: Held | Grouped, by: str | Sequence[str] | None, measures: object, metadata: Sequence[pd.DataFrame] = ()
) -> Parts | None:
    """Return the collections of a table or a join, or None where it is one."""
    if isinstance(held, Table):
        lacking = [name for name in ([] if by is None else named(by)) if name not in held.frame.columns]
        binding = {**held.roles, "run": list(held.run_columns)}
        held = replace(held, frame=with_metadata(held.frame, binding, held.kind, lacking, metadata))
        said = "collections" if held.kind in ("scores", "preferences") else "by"
        names = by_of(held.frame, by, said=said)
        if by is None:  # means of groups of runs are the runs of their table
            names = [name for name in names if name not in held.run_columns]
        if not names:
            return None
        labels, parts = _divided(held.frame, names)
        own = tuple(name for name in held.run_columns if name not in names)
        known = (*held.frame.attrs.get("collections", ()), "collection")
        what = "collections" if set(names) & set(known) else "groups"
        return Parts(labels, [replace(held, frame=part, run_columns=own) for part in parts], what)
    if by is None:
        return None
    grouped = Grouped.of(held, by, metadata)
    names = named(by)
    of_groups = [(label, [grouped.parts[at] for at in places]) for label, places in grouped.by(names)]
    data = [own[0] if len(own) == 1 else merged_cubes([cube_of(one, measures) for one in own]) for _, own in of_groups]
    what = "collections" if {*names} & {*grouped.collections} else "groups"
    return Parts(pd.concat([label for label, _ in of_groups], ignore_index=True), data, what)


def _divided(frame: pd.DataFrame, by: list[str]) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """Return the labels of the collections of a table, sorted, and the rows of each."""
    for name in by:
        lacking = int(frame[name].isna().sum())
        if lacking:
            raise ValueError(f"{lacking:,} rows have no {name}; fill it, or drop them first.")
    found = groups_of(by, frame[by], pd.DataFrame(index=[0]))
    parts = []
    for code in found.query:
        part = frame[found.queries == code].reset_index(drop=True)
        part.attrs = {name: value for name, value in frame.attrs.items() if name not in ("by", "collections")}
        parts.append(part)
    return found.labels, parts
