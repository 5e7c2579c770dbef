"""What is gathered in one place: positions, from which every verb works as on pandas, and rows if they are few.

Only judged items survive the ranking, so the positions of a join are much smaller than its rows: 40 bytes for every
judged item that a run retrieved, 64 for every judged item, 8 for every list. Twelve runs of a thousand items on 250
queries with 300 judged items each are 3 million rows and at most 900,000 hits, 41 MB. A thousand runs on a million
queries, with one judged item each, are up to a billion hits: 40 GB, and 8 GB of list lengths. The size is estimated
before anything is computed, and nothing is started that does not fit: `measure`, `prefer`, `summary`, `order` and
`compare` run in the partitions and need no positions here.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdeval.accessor import Ireval
from pdeval.catalog import Measure
from pdeval.dask import partition, partition_ids
from pdeval.dask.delayed import gathered, is_dask
from pdeval.dask.partition_plan import Plan
from pdeval.join import merge_parts
from pdeval.join.item_catalog import Listed
from pdeval.join.judged import Judged
from pdeval.join.judgments import Judgments, read_judgments
from pdeval.join.list_columns import check_lists
from pdeval.join.merge_parts import Pair, Returned
from pdeval.join.positions import Positions, join
from pdeval.join.rules import outside
from pdeval.tables.reader import Table

if TYPE_CHECKING:
    from pdeval.dask.accessor import DaskJudged

LIMIT = "4 GiB"
OPTION = "pdeval.gather-limit"
PER_HIT, PER_ITEM, PER_LIST = 40, 64, 8
PER_TEXT = 48
BYTES_PER_FIRST_ITEM = 4


@dataclass(frozen=True, eq=False)
class Gathered(Pair):
    """The tables and positions of a plan in one place; each is computed on first use, and kept."""

    plan: Plan

    @cached_property
    def qrels(self) -> Table:
        """The judgments."""
        return self.plan.given.table()

    @cached_property
    def runs(self) -> Table:
        """The rows of the run table, or an error if they are too many."""
        plan, count = self.plan, int(self.plan.census.rows.sum())
        few_enough(count, plan.frame._meta)
        rows = rows_of(plan.frame)
        now = partition_ids.combined(
            [partition_ids.holding(rows, plan.table.roles["query"], plan.table.run_columns)]
        )
        if not np.array_equal(now.rows, plan.census.rows):
            raise RuntimeError(
                f"the run table is not what it was when it was first read: it had {count:,} rows, and now has "
                f"{len(rows):,}, in other lists. Persist the table, or write it with .ireval.to_parquet(path)."
            )
        return Table("runs", rows, plan.table.roles, plan.table.run_columns)

    @cached_property
    def unranked(self) -> Positions:
        """The join without ranks, with its tables, for verbs that rank the rows themselves."""
        return replace(self.plan.known, source=self)  # type: ignore[arg-type]

    def expected(self) -> tuple[int, int]:
        """Return the largest possible number of hits, and the size of the positions in bytes."""
        plan = self.plan
        items = (plan.given if plan.complete else plan.given.relevant_only()).items
        retrieved = plan.known.retrieved
        # a list has at most its length, or all judged items of its topic
        hits = int(np.minimum(retrieved, items[:, None]).sum())
        return hits, PER_HIT * hits + PER_ITEM * int(items.sum()) + PER_LIST * retrieved.size

    def check(self, caller: str) -> None:
        """Raise if the positions, which the caller needs, might not fit."""
        hits, size = self.expected()
        if size > limit():
            runs, queries = len(self.plan.census.runs), len(self.plan.known.queries)
            raise ValueError(
                f"{caller} looks at the positions of all judged items at once, which may take {format_bytes(size)} "
                f"({runs:,} runs x {queries:,} queries, up to {hits:,} items found); no more than "
                f"{format_bytes(limit())} are gathered. measure(), prefer(), summary(), order() and compare() work "
                "where the rows are. Choose runs, queries or depth=, or raise the bound: "
                f"dask.config.set({{'{OPTION}': '{format_bytes(2 * size)}'}})."
            )

    @cached_property
    def positions(self) -> Positions:
        """The positions of all partitions as one join: that of pandas, hits of one item in the order of the runs."""
        self.check("this")
        plan = self.plan
        if plan.catalogue is not None:  # measures that look at all items of a list need the rows
            options = {**plan.rules, "validate": plan.validate, "complete": plan.complete}
            return join(self.runs, self.qrels, catalogue=plan.catalogue, **options)
        hits = gathered(plan.division().joins, partition.part_hits)
        return merge_parts.joined_hits(plan.known, self.judged, hits, self)

    @cached_property
    def judged(self) -> Judgments:
        """The judgments of the positions."""
        return read_judgments(self.qrels, complete=self.plan.complete)

    @cached_property
    def returned(self) -> Returned:
        """The items in the rankings of all runs, for measures that count the items of a query."""
        items = gathered(self.plan.division(pairs=True).joins, partition.part_items)
        return Returned(self.judged, self.plan.complete, items)


def rows_of(frame: Any) -> pd.DataFrame:
    """Return a Dask table as a pandas frame, partition after partition, with its attributes."""
    rows = frame.compute().reset_index(drop=True)
    rows.attrs.update(frame._meta.attrs)
    return rows


def gathered_table(given: Any) -> Any:
    """Return a table, or an accessor with its roles bound, on pandas if it is on Dask; any other value as it is."""
    frame = getattr(given, "_frame", given)
    if not is_dask(frame):
        return given
    return rows_of(frame) if frame is given else Ireval(rows_of(frame), given._binding)


def few_enough(count: int, meta: pd.DataFrame, caller: str = "this") -> None:
    """Raise if the rows of a run table are too many to be gathered."""
    size = count * bytes_of_a_row(meta)
    if size > limit():
        raise ValueError(
            f"{caller} needs the rows of the run table themselves, and {count:,} rows may take {format_bytes(size)}; "
            f"no more than {format_bytes(limit())} are gathered. Choose columns, runs or queries first, or raise the "
            f"bound: dask.config.set({{'{OPTION}': '{format_bytes(2 * size)}'}})."
        )


def bytes_of_a_row(meta: pd.DataFrame) -> int:
    """Return about the bytes of a row on pandas: 8 for a number, 4 for a category, 48 for a text.

    Examples
    --------
    >>> bytes_of_a_row(pd.DataFrame({"doc_id": ["d1"], "score": [0.5]}))
    56
    """
    categories = sum(isinstance(dtype, pd.CategoricalDtype) for dtype in meta.dtypes)
    numbers = sum(pd.api.types.is_numeric_dtype(dtype) for dtype in meta.dtypes)
    return 4 * categories + 8 * numbers + PER_TEXT * (len(meta.columns) - categories - numbers)


def limit() -> int:
    """Return the number of bytes that may be gathered: 4 GiB, or pdeval.gather-limit of Dask's configuration.

    Examples
    --------
    >>> import dask
    >>> with dask.config.set({"pdeval.gather-limit": "1 MiB"}):
    ...     limit()
    1048576
    """
    import dask
    from dask.utils import parse_bytes

    return int(parse_bytes(dask.config.get(OPTION, LIMIT)))


def format_bytes(size: int) -> str:
    """Return a size for a message.

    Examples
    --------
    >>> format_bytes(3 << 29)
    '1.5 GiB'
    """
    power = min(max(int(size).bit_length() - 1, 0) // 10, 4)
    return f"{size / 1024**power:.1f} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[power]}".replace(
        ".0 ", " "
    )


class FirstItems(Listed):
    """Lists whose first items are known, without rows."""

    def deepest(self) -> int:
        """Return the number of known items of a list."""
        return len(next(iter(self.made.values())))


def with_lists(judged: DaskJudged, measures: Sequence[Measure]) -> Judged:
    """Return the join without ranks, with as many first items of its lists as measures look at."""
    known, catalogue = judged.known, judged.plan.catalogue
    sets = [measure for measure in measures if measure.entry.family == "set"]
    label = sets[0].label
    check_lists(catalogue is not None, known.positions.rules, label)
    lost = int((judged.plan.topic < 0).sum())
    if lost:
        text = f"{lost:,} users with a list are not judged; on Dask {label} leaves them out, unlike on pandas."
        warnings.warn(text, UserWarning, stacklevel=outside())
    deepest = max(int(known.positions.retrieved.max(initial=1)), 1)
    depth = int(min(max(measure.parameters.get("k", np.inf) for measure in sets), deepest))
    shape = known.positions.retrieved.shape
    size = BYTES_PER_FIRST_ITEM * depth * shape[0] * shape[1]
    if size > limit():
        raise ValueError(
            f"{label} looks at the first {depth:,} items of all lists together, which take {format_bytes(size)}; no "
            f"more than {format_bytes(limit())} are gathered. Ask for a smaller cutoff or fewer runs, or raise the "
            f"bound: dask.config.set({{'{OPTION}': '{format_bytes(2 * size)}'}})."
        )
    cell, first_items = gathered(judged.plan.division().joins, partition.codes, depth, shape[1])
    codes = np.full((depth, shape[0] * shape[1]), -1, dtype=np.int32)
    codes[:, cell] = first_items
    rows: Any = None
    places = np.arange(shape[0]), np.arange(shape[1])
    lists = FirstItems(rows, catalogue, *places, made={depth: codes.reshape(depth, *shape)})  # type: ignore[arg-type]
    return known.on(replace(known.positions, listed=lists))
