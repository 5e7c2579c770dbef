"""What is brought to one place: positions, from which every verb works as on pandas, and rows where they are few.

Only judged items survive the ranking, so the positions of a join are much smaller than its rows: 40 bytes for every
judged item that a run found, 64 for every judged item, 8 for every list. Twelve runs of a thousand items on 250 queries
with 300 judged items each are 3 million rows and at most 900,000 found items, 41 MB. A thousand runs on a million
queries, with one judged item each, are up to a billion found items: 40 GB, and 8 GB of list lengths. The size is
estimated before anything is computed, and what does not fit is not begun: `measure`, `prefer`, `summary`, `order` and
`compare` do their work in the partitions and need no positions here.
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
from pdeval.dask import partition_ids, partition_results
from pdeval.dask.partition_plan import Plan
from pdeval.dask.partition_results import part_hits, part_items
from pdeval.dask.shuffle import is_dask
from pdeval.join import judgments, merge_parts
from pdeval.join.judged import Judged
from pdeval.join.judgments import Judgments
from pdeval.join.list_columns import Listed, check_lists, join_lists
from pdeval.join.merge_parts import Pair, Returned
from pdeval.join.positions import Positions
from pdeval.join.rules import outside
from pdeval.tables.reader import Table

if TYPE_CHECKING:
    from pdeval.dask.accessor import DaskJudged

LIMIT = "4 GiB"
OPTION = "pdeval.gather-limit"
PER_HIT, PER_ITEM, PER_LIST = 40, 64, 8
PER_TEXT = 48
FAN_IN = 16


@dataclass(frozen=True, eq=False)
class Gathered(Pair):
    """What can be brought to one place of the two tables of a plan; each is computed when first asked for, and kept."""

    plan: Plan

    @cached_property
    def qrels(self) -> Table:
        """The judgments."""
        return self.plan.given.table()

    @cached_property
    def runs(self) -> Table:
        """The rows of the run table, or an error where they are too many."""
        plan, count = self.plan, int(self.plan.found.rows.sum())
        few_enough(count, plan.frame._meta)
        rows = rows_of(plan.frame)
        now = partition_ids.combined([partition_ids.holding(rows, plan.table.roles["query"], plan.table.run_columns)])
        if not np.array_equal(now.rows, plan.found.rows):
            raise RuntimeError(
                f"the run table is not what it was when it was first read: it had {count:,} rows, and now has "
                f"{len(rows):,}, in other lists. Persist the table, or write it with .ireval.to_parquet(path)."
            )
        return Table("runs", rows, plan.table.roles, plan.table.run_columns)

    @cached_property
    def unranked(self) -> Positions:
        """The join as far as it is known without ranks, with its tables, for verbs that rank the rows themselves."""
        return replace(self.plan.known, source=self)  # type: ignore[arg-type]

    def expected(self) -> tuple[int, int]:
        """Return how many found items the positions have at most, and their size in bytes."""
        plan = self.plan
        items = (plan.given if plan.complete else plan.given.relevant_only()).items
        retrieved = plan.known.retrieved
        hits = int(np.minimum(retrieved, items[:, None]).sum())
        return hits, PER_HIT * hits + PER_ITEM * int(items.sum()) + PER_LIST * retrieved.size

    def check(self, asking: str) -> None:
        """Raise where the positions, for which some verb asks, might not fit."""
        hits, size = self.expected()
        if size > limit():
            runs, queries = len(self.plan.found.runs), len(self.plan.known.queries)
            raise ValueError(
                f"{asking} looks at the positions of all judged items at once, which may take {said(size)} "
                f"({runs:,} runs x {queries:,} queries, up to {hits:,} items found); no more than {said(limit())} are "
                "gathered. measure(), prefer(), summary(), order() and compare() work where the rows are. Choose runs, "
                f"queries or depth=, or raise the bound: dask.config.set({{'{OPTION}': '{said(2 * size)}'}})."
            )

    @cached_property
    def positions(self) -> Positions:
        """The positions of all partitions as one join: that of pandas, hits of one item in the order of the runs."""
        import dask

        self.check("this")
        plan = self.plan
        if plan.catalogue is not None:  # measures that look at all items of a list need the rows
            told = {"validate": plan.validate, "complete": plan.complete}
            return join_lists(self.runs, self.qrels, plan.catalogue, **plan.rules, **told)
        ask = dask.delayed(part_hits)
        found = tree([ask(part) for part in plan.division().joins])
        return merge_parts.joined_hits(plan.known, self.judged, found, self)

    @cached_property
    def judged(self) -> Judgments:
        """The judgments, as the positions have them."""
        return judgments.read_judgments(self.qrels, complete=self.plan.complete)

    @cached_property
    def returned(self) -> Returned:
        """What the rankings of all runs hold, for measures that count the items of a query."""
        import dask

        ask = dask.delayed(part_items)
        found = tree([ask(part) for part in self.plan.division(pairs=True).joins])
        return Returned(self.judged, self.plan.complete, found)


def rows_of(frame: Any) -> pd.DataFrame:
    """Return a Dask table as a pandas frame, partition after partition, with what it says of itself."""
    whole = frame.compute().reset_index(drop=True)
    whole.attrs.update(frame._meta.attrs)
    return whole


def gathered_table(given: Any) -> Any:
    """Return a side table on pandas, as it was bound, where it is on Dask."""
    frame = getattr(given, "_frame", given)
    if not is_dask(frame):
        return given
    whole = rows_of(frame)
    return whole if frame is given else Ireval(whole, given._binding)


def few_enough(count: int, meta: pd.DataFrame, asking: str = "this") -> None:
    """Raise where the rows of a run table are too many to be gathered."""
    size = count * bytes_of_a_row(meta)
    if size > limit():
        raise ValueError(
            f"{asking} needs the rows of the run table themselves, and {count:,} rows may take {said(size)}; no more "
            f"than {said(limit())} are gathered. Choose columns, runs or queries first, or raise the bound: "
            f"dask.config.set({{'{OPTION}': '{said(2 * size)}'}})."
        )


def bytes_of_a_row(meta: pd.DataFrame) -> int:
    """Return about how many bytes a row takes on pandas: 8 for a number, 4 for a category, 48 for a text.

    Examples
    --------
    >>> bytes_of_a_row(pd.DataFrame({"doc_id": ["d1"], "score": [0.5]}))
    56
    """
    sizes = [
        4 if isinstance(kind, pd.CategoricalDtype) else 8 if pd.api.types.is_numeric_dtype(kind) else PER_TEXT
        for kind in meta.dtypes
    ]
    return sum(sizes)


def limit() -> int:
    """Return how many bytes may be gathered: 4 GiB, or what Dask's configuration says under pdeval.gather-limit.

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


def said(size: int) -> str:
    """Return a size for a message.

    Examples
    --------
    >>> said(3 << 29)
    '1.5 GiB'
    """
    power = min(max(int(size).bit_length() - 1, 0) // 10, 4)
    return f"{size / 1024**power:.1f} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[power]}".replace(".0 ", " ")


def tree(answers: list[Any]) -> Any:
    """Return delayed answers of partitions as one, joined a few at a time, so that no task takes all at once."""
    import dask

    join = dask.delayed(merge_parts.concatenated)
    while len(answers) > 1:
        answers = [join(answers[first : first + FAN_IN]) for first in range(0, len(answers), FAN_IN)]
    return answers[0].compute()


BYTES_PER_FIRST_ITEM = 4


class FirstItems(Listed):
    """Lists of which only the first items are known, and no rows."""

    def deepest(self) -> int:
        """Return how many items of a list are known."""
        return len(next(iter(self.made.values())))


def with_lists(judged: DaskJudged, asked: Sequence[Measure]) -> Judged:
    """Return what is known of a join without ranks, with as many first items of its lists as measures look at."""
    import dask

    known, catalogue = judged.known, judged.plan.catalogue
    sets = [one for one in asked if one.entry.family == "set"]
    check_lists(catalogue is not None, known.positions.rules, sets[0].label)
    lost = int((judged.plan.topic < 0).sum())
    if lost:
        text = f"{lost:,} users with a list are not judged; on Dask {sets[0].label} leaves them out, unlike on pandas."
        warnings.warn(text, UserWarning, stacklevel=outside())
    deepest = max(int(known.positions.retrieved.max(initial=1)), 1)
    depth = int(min(max(one.parameters.get("k", np.inf) for one in sets), deepest))
    shape = known.positions.retrieved.shape
    size = BYTES_PER_FIRST_ITEM * depth * shape[0] * shape[1]
    if size > limit():
        raise ValueError(
            f"{sets[0].label} looks at the first {depth:,} items of all lists together, which take {said(size)}; no "
            f"more than {said(limit())} are gathered. Ask for a smaller cutoff or fewer runs, or raise the bound: "
            f"dask.config.set({{'{OPTION}': '{said(2 * size)}'}})."
        )
    ask: Any = dask.delayed(partition_results.codes)
    cell, found = tree([ask(part, depth, shape[1]) for part in judged.plan.division().joins])
    codes = np.full((depth, shape[0] * shape[1]), -1, dtype=np.int32)
    codes[:, cell] = found
    rows: Any = None
    lists = FirstItems(
        rows,
        catalogue,  # type: ignore[arg-type]
        np.arange(shape[0]),
        np.arange(shape[1]),
        made={depth: codes.reshape(depth, *shape)},
    )
    return known.on(replace(known.positions, listed=lists))
