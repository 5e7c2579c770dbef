"""Gathering of positions, from which every verb works as on pandas, and of rows if they are few.

Only judged items are kept after ranking, so the positions of a join are much smaller than its rows: 40 bytes for every
judged item that a run retrieved, 64 for every judged item, 8 for every list. Twelve runs of a thousand items on 250
queries with 300 judged items each are 3 million rows and at most 900,000 hits, 41 MB. A thousand runs on a million
queries, with one judged item each, are up to a billion hits: 40 GB, and 8 GB of list lengths. The size is estimated
before anything is computed, and an error is raised if it exceeds the limit. `measure`, `prefer`, `summary`, `order` and
`compare` run in the partitions and gather no positions.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from pdeval.dask import first_pass
from pdeval.dask.delayed import dask, gathered
from pdeval.dask.partition_plan import Plan
from pdeval.join import Judgments, Pair, Positions, Returned, merge_parts, read_judgments
from pdeval.join.positions import join
from pdeval.tables import Table, rows_of

LIMIT = "4 GiB"
OPTION = "pdeval.gather-limit"
PER_HIT, PER_ITEM, PER_LIST = 40, 64, 8
PER_TEXT = 48


@dataclass(frozen=True, eq=False)
class Gathered(Pair):
    """The tables and positions of a plan on the client; each is computed on first use and cached."""

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
        now = first_pass.combined(
            [first_pass.holding(rows, plan.table.roles["query"], plan.table.run_columns)]
        )
        if not np.array_equal(now.rows, plan.census.rows):
            raise RuntimeError(
                f"the run table changed after the first pass: it had {count:,} rows and now has {len(rows):,}, in "
                "different lists. Persist the table, or write it with .ireval.to_parquet(path)."
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
        runs, queries = self.plan.known.retrieved.shape[::-1]
        check_size(
            size,
            f"the positions of all judged items, which {caller} needs "
            f"({runs:,} runs x {queries:,} queries, up to {hits:,} retrieved items),",
            "measure(), prefer(), summary(), order() and compare() run in the partitions. For other verbs, "
            "select runs or queries, set depth=,",
        )

    @cached_property
    def positions(self) -> Positions:
        """The positions of all partitions as one join, equal to the join on pandas."""
        self.check("this")
        plan = self.plan
        if plan.catalog is not None:  # measures that look at all items of a list need the rows
            options = {**plan.rules, "validate": plan.validate, "complete": plan.complete}
            return join(self.runs, self.qrels, catalog=plan.catalog, **options)
        hits = gathered(
            plan.division().joins,
            lambda part: merge_parts.hits(part.positions, part.topics, part.runs),
        )
        return merge_parts.joined_hits(plan.known, self.judged, hits, self)

    @cached_property
    def judged(self) -> Judgments:
        """The judgments of the positions."""
        return read_judgments(self.qrels, complete=self.plan.complete)

    @cached_property
    def returned(self) -> Returned:
        """The items in the rankings of all runs, for measures that count the items of a query."""
        items = gathered(
            self.plan.division(pairs=True).joins,
            lambda part: merge_parts.items(part.positions, part.topics),
        )
        return Returned(self.judged, self.plan.complete, items)


def few_enough(count: int, meta: pd.DataFrame, caller: str = "this") -> None:
    """Raise if the rows of a run table are too many to be gathered."""
    rows = f"the {count:,} rows of the run table, which {caller} needs,"
    check_size(count * bytes_of_a_row(meta), rows, "Select columns, runs or queries first,")


def bytes_of_a_row(meta: pd.DataFrame) -> int:
    """Return the approximate size of a row on pandas in bytes: 8 for a number, 4 for a category, 48 for a string.

    Examples
    --------
    >>> bytes_of_a_row(pd.DataFrame({"doc_id": ["d1"], "score": [0.5]}))
    56
    """
    categories = sum(isinstance(dtype, pd.CategoricalDtype) for dtype in meta.dtypes)
    numbers = sum(pd.api.types.is_numeric_dtype(dtype) for dtype in meta.dtypes)
    return 4 * categories + 8 * numbers + PER_TEXT * (len(meta.columns) - categories - numbers)


def check_size(size: int, what: str, advice: str) -> None:
    """Raise if something has more bytes than may be gathered: 4 GiB, or pdeval.gather-limit of Dask's configuration."""
    limit = dask.utils.parse_bytes(dask.config.get(OPTION, LIMIT))
    if size > limit:
        needed, most, more = map(dask.utils.format_bytes, (size, limit, 2 * size))
        raise ValueError(
            f"{what} may take {needed}, and at most {most} are gathered. {advice} or raise the limit: "
            f"dask.config.set({{'{OPTION}': '{more}'}})."
        )
