"""The judged items of each query and their rank in every run, some at a time: what a reader of a query looks at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from pdeval.judged.judged import Judged


class QueryItems(NamedTuple):
    """The items of one query: ids, grades, whether each is relevant, ranks of shape (items, runs), and how many of all.

    An item that a run did not find has an infinite rank; `of` counts the judged items of the query.
    """

    docs: list[object]
    grades: np.ndarray
    relevant: np.ndarray
    ranks: np.ndarray
    of: int


@dataclass(frozen=True, eq=False)
class RankedItems:
    """The judged items of a join, the most telling of each query first: by grade, then by the best rank in any run.

    Examples
    --------
    >>> import pdeval
    >>> items = RankedItems(pdeval.datasets.sample_judged())
    >>> found = items.of_query("101", most=2)
    >>> found.docs, found.grades.tolist(), found.ranks[:, :3].tolist()
    (['news-2015-373', 'doc-03516'], [3.0, 2.0], [[8.0, 1.0, 14.0], [1.0, 32.0, 1.0]])
    """

    judged: Judged

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, in the order of the ranks."""
        return self.judged.runs

    @property
    def complete(self) -> bool:
        """Whether items that were judged and are not relevant are among them."""
        return self.judged.positions.complete

    def sizes(self, queries: pd.Index) -> np.ndarray:
        """Return the number of items of each of some queries."""
        sizes = np.bincount(self.judged.positions.judged.topic, minlength=len(self.judged.queries))
        return sizes[self.judged.queries.get_indexer(queries)]

    @cached_property
    def _order(self) -> np.ndarray:
        positions = self.judged.positions
        best = np.full(len(positions.judged.topic), np.inf)
        np.minimum.at(best, positions.item, positions.rank)
        return np.lexsort((best, -positions.judged.grade, positions.judged.topic))

    @cached_property
    def _relevant(self) -> np.ndarray:
        return self.judged.positions.relevant(self.judged.level)

    def of_query(self, query: object, most: int | None = None) -> QueryItems:
        """Return the items of a query, at most so many."""
        positions, topic = self.judged.positions, int(self.judged.queries.get_indexer(pd.Index([query]))[0])
        first, last = np.searchsorted(positions.judged.topic, [topic, topic + 1])
        items = self._order[first:last][:most]  # items are sorted by topic: the order keeps each in its stretch
        place = np.full(last - first, -1)
        place[items - first] = np.arange(len(items))
        hits = slice(*np.searchsorted(positions.item, [first, last]))
        row = place[positions.item[hits] - first]
        ranks = np.full((len(items), len(self.runs)), np.inf)
        kept = row >= 0
        ranks[row[kept], positions.run[hits][kept]] = positions.rank[hits][kept]
        docs = positions.judged.docs.take(positions.judged.doc[items]).index().tolist()
        return QueryItems(docs, positions.judged.grade[items], self._relevant[items], ranks, int(last - first))


def ranked_items(held: object) -> RankedItems | None:
    """Return the items of a join; None of anything else, which has none.

    Examples
    --------
    >>> ranked_items(pd.DataFrame()) is None
    True
    """
    return RankedItems(held) if isinstance(held, Judged) else None
