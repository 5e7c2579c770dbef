"""Dense blocks: the positions of all topics with equally many items, as the columns that kernels request by name.

Axis 0 is the recall level, axis 1 the topic, axis 2 the run. A column is computed on first use, by the function under
its name in one of three tables at the end: per item and per topic for all blocks of a view, the others block by block.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdeval.join import ids
from pdeval.join.lists import find_lists, ranges
from pdeval.join.positions import Positions
from pdeval.tables import Table, numbers, unique_values

MOST = 1 << 21
SMALL = 1 << 16  # cells of a block that costs less than another call of a kernel
NOWHERE = 1 << 40  # infinity among integers


class Group(NamedTuple):
    """Topics with equally many items (padded: at most that many), and the part of flat columns that they occupy."""

    size: int
    topics: np.ndarray
    cells: slice


class Keys(NamedTuple):
    """Cells in rank order: each is the rank, and in the lowest `bits` the item's place among those of its topic."""

    key: np.ndarray
    bits: int
    nowhere: int

    @property
    def rank(self) -> np.ndarray:
        """The ranks, `nowhere` for an item that was not retrieved."""
        return self.key >> self.bits


class View:
    """The items that a kind of measure looks at (relevant, graded, judged, signed, subtopic), topic by topic.

    A flat column has a cell per list and item: group after group, and inside a group level by level, so a group's part
    of it is the dense block without copying. With `padded`, topics of about as many items share a group; each list is
    filled up with items that no run retrieved.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged()
    >>> view = View(judged.positions, "binary")
    >>> int(view.count.sum()) == int(judged.positions.relevant().sum())
    True
    """

    def __init__(
        self,
        positions: Positions,
        kind: str,
        level: float | None = None,
        kept: np.ndarray | None = None,
        *,
        padded: bool = False,
    ) -> None:
        self.positions, self.kind, self.level, self.padded = positions, kind, level, padded
        judged = positions.judged
        if kept is not None:  # the items that some users want, as a mask
            kept = np.asarray(kept, dtype=bool)
        elif kind in ("binary", "graded"):
            kept = positions.relevant(level if kind == "binary" else None)
        elif kind == "judged":
            kept = judged.grade >= 0
        elif kind == "signed":
            kept = np.ones(len(judged.topic), dtype=bool)
        else:
            kept = np.zeros(len(judged.topic), dtype=bool)
            kept[self.member_rows[0]] = True
        self.items = np.flatnonzero(kept)
        self.count = np.bincount(judged.topic[self.items], minlength=len(positions.queries))
        self.first = np.cumsum(self.count) - self.count  # items are sorted by topic
        self.made: dict[str, np.ndarray] = {}

    @cached_property
    def slot(self) -> np.ndarray:
        """The place of every judged item among its topic's items of the view, or -1."""
        slot = np.full(len(self.positions.judged.topic), -1, dtype=np.int64)
        slot[self.items] = (
            np.arange(len(self.items)) - self.first[self.positions.judged.topic[self.items]]
        )
        return slot

    @cached_property
    def groups(self) -> list[Group]:
        """The topics by their number of items, fewest first."""
        order = np.argsort(self.count, kind="stable")
        sizes, begin = np.unique(self.count[order], return_index=True)
        if self.padded:
            begin = begin[self._padded_groups(sizes)]
        groups, end = [], 0
        for topics in np.split(order, begin[1:]):
            size, start = int(self.count[topics[-1]]), end
            end = start + size * len(topics) * len(self.positions.runs)
            groups.append(Group(size, topics, slice(start, end)))
        return groups

    def _padded_groups(self, sizes: np.ndarray) -> list[int]:
        """Return the sizes at which a group begins; sizes near each other share one, at most a fourth is padding."""
        small = SMALL // max(self.positions.retrieved.size, 1)
        begins, reach = [], -1
        for place, size in enumerate(sizes.tolist()):
            if size > reach:
                begins.append(place)
                reach = (
                    max(size + size // 4, small) if size else 0
                )  # topics without items have their own group
        return begins

    @cached_property
    def filled(self) -> list[Group]:
        """The groups of topics that have items."""
        return [group for group in self.groups if group.size]

    @cached_property
    def hits(self) -> tuple[np.ndarray, np.ndarray]:
        """The hits on items of the view, and the cell of each; here the cells of a list are adjacent."""
        at, runs = self.positions, len(self.positions.runs)
        slot = self.slot[at.item]
        hits = np.flatnonzero(slot >= 0)
        topic = at.judged.topic[at.item[hits]]
        first, width = np.zeros((2, len(self.count)), dtype=np.int64)
        for group in self.groups:
            first[group.topics] = group.cells.start + np.arange(len(group.topics)) * (
                runs * group.size
            )
            width[group.topics] = group.size
        return hits, first[topic] + at.run[hits] * width[topic] + slot[hits]

    @cached_property
    def keys(self) -> Keys:
        """The flat column of ranks (or starts), each list in rank order."""
        at = self.positions
        by = at.start if at.rules.get("ties") == "expected" else at.rank
        bits = int(self.count.max(initial=1)).bit_length()
        # ranks and slots that fit in 32 bits are sorted faster
        narrow = (int(by.max(initial=0)) + 2) << bits < 1 << 31
        dtype, nowhere = (np.int32, (1 << (31 - bits)) - 1) if narrow else (np.int64, NOWHERE)
        key: np.ndarray = np.full(self.groups[-1].cells.stop, nowhere << bits, dtype=dtype)
        hits, cell = self.hits
        key[cell] = by[hits].astype(dtype) << bits
        for group in self.filled:
            # one sort of integers orders the ranks and carries the slots along
            lists = key[group.cells].reshape(-1, group.size)
            lists |= np.arange(group.size, dtype=dtype)
            lists.sort(axis=-1)
            key[group.cells] = lists.T.copy().ravel()  # from lists x levels to levels x lists
        return Keys(key, bits, nowhere)

    @cached_property
    def ranked(self) -> tuple[np.ndarray, np.ndarray]:
        """Flat columns in rank order: the cell (see `hits`) of the item at each level, and its row in `items`."""
        runs = len(self.positions.runs)
        slots = self.keys.key & ((1 << self.keys.bits) - 1)
        source, row = np.empty((2, len(slots)), dtype=np.int64)
        for group in self.filled:
            slot = slots[group.cells].reshape(group.size, -1)
            source[group.cells] = (
                slot + (group.cells.start + np.arange(slot.shape[1]) * group.size)
            ).ravel()
            rows = slot + np.repeat(self.first[group.topics], runs)
            if self.padded:  # the row after the last one is padding
                rows[slot >= np.repeat(self.count[group.topics], runs)] = len(self.items)
            row[group.cells] = rows.ravel()
        return source, row

    @cached_property
    def small(self) -> np.ndarray:
        """The flat column of ranks as small integers; the largest value of the dtype is infinity."""
        deepest = self.positions.rank[self.hits[0]].max(initial=0)
        dtype = np.min_scalar_type(-int(deepest) - 2)
        # an item that was not retrieved has a rank beyond the deepest
        return np.where(self.keys.rank > deepest, np.iinfo(dtype).max, self.keys.rank).astype(dtype)

    def column(self, name: str) -> np.ndarray:
        """Return a flat column of items, or a column of topics."""
        if name not in self.made:
            self.made[name] = (ITEM_COLUMNS.get(name) or TOPIC_COLUMNS[name])(self)
        return self.made[name]

    def of_hits(self, values: np.ndarray, fill: float) -> np.ndarray:
        """Return one value per hit as a flat column in rank order."""
        source, _ = self.ranked
        cells = np.full(len(source), fill)
        hits, cell = self.hits
        cells[cell] = values[hits]
        return cells[source]

    def of_items(self, values: np.ndarray) -> np.ndarray:
        """Return one value per judged item as a flat column in rank order."""
        return self.values(values)[self.ranked[1]]

    def values(self, values: np.ndarray) -> np.ndarray:
        """Return the values of the view's items, and at the end 0, the value of padding."""
        return np.append(values[self.items], values.dtype.type(0))

    @cached_property
    def grades(self) -> np.ndarray:
        """The grades of the view's items, and at the end 0, that of padding."""
        return self.values(self.positions.judged.grade)

    def ranks(self) -> np.ndarray:
        """Return the flat column of ranks as floats, infinity if an item was not retrieved."""
        self.check_definite()
        rank = self.keys.rank
        return np.where(rank == self.keys.nowhere, np.inf, rank)

    def ranks_by_id(self) -> np.ndarray:
        """Return the flat column of ranks in the order of document ids, every run's items at the same places."""
        self.check_definite()
        cells = np.full(len(self.keys.key), np.inf)
        hits, cell = self.hits
        cells[cell] = self.positions.rank[hits]
        for group in self.filled:
            cells[group.cells] = cells[group.cells].reshape(-1, group.size).T.ravel()
        return cells

    def check_definite(self) -> None:
        """Raise if ranks are averaged over the orders of tied items."""
        if self.positions.rules.get("ties") == "expected":
            raise ValueError("ties='expected' has no definite ranks. Use another ties=.")

    @cached_property
    def nonrelevant(self) -> np.ndarray:
        """Which judged items are judged non-relevant."""
        return (self.positions.judged.grade >= 0) & ~self.positions.relevant(self.level)

    def per_topic(self, mask: np.ndarray) -> np.ndarray:
        """Return the number of judged items of a mask in each topic."""
        return np.bincount(self.positions.judged.topic[mask], minlength=len(self.count)).astype(
            np.float64
        )

    def per_list(self, mask: np.ndarray) -> np.ndarray:
        """Return the number of judged items of a mask that each run retrieved, (topics, runs)."""
        at = self.positions
        counts = np.bincount(at.lists_of(mask[at.item]), minlength=at.retrieved.size)
        return counts.reshape(at.retrieved.shape).astype(np.float64)

    @cached_property
    def members(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The relevant (item, subtopic) pairs by topic: item, subtopic, each topic's first pair and its subtopics.

        Subtopics are numbered anew within each topic: only those with a relevant item count.
        """
        item, subtopic = self.member_rows
        topic = self.positions.judged.topic[item]
        width = int(subtopic.max(initial=0)) + 1
        pairs, code = np.unique(topic * width + subtopic, return_inverse=True)
        topic_of_pair, topics = pairs // width, np.arange(len(self.count) + 1)
        order = np.argsort(topic, kind="stable")
        # pairs are sorted by topic: a code minus the first code of its topic is the place of the subtopic in the topic
        local = code - np.searchsorted(topic_of_pair, topic)
        counts = np.diff(np.searchsorted(topic_of_pair, topics))
        return item[order], local[order], np.searchsorted(topic[order], topics), counts

    @cached_property
    def member_rows(self) -> np.ndarray:
        """The (item, subtopic) pairs that are relevant, as integers of shape (2, pairs)."""
        return self.relevant_rows[:2].astype(np.int64)

    @property
    def relevant_rows(self) -> np.ndarray:
        """Items, subtopics and grades of the relevant (item, subtopic) pairs."""
        rows = self.positions.judged.subtopic
        if rows is None:
            raise ValueError(
                "this measure needs subtopics, but the judgments have no subtopic column. Read them with "
                "read_qrels(path, subtopics=True), or bind the column: qrels.ireval(subtopic=...)."
            )
        relevant = rows[2] > 0 if self.level is None else (rows[2] >= self.level) & (rows[2] > 0)
        return rows[:, relevant]

    @property
    def global_gains(self) -> np.ndarray:
        """The sum over subtopics of the grades of each judged item at which it is relevant."""
        item, _, grade = self.relevant_rows
        return np.bincount(item.astype(np.int64), grade, len(self.positions.judged.topic))

    @cached_property
    def passed(self) -> np.ndarray:
        """For every hit, the judged non-relevant and the pooled-unjudged items that the run ranked above it."""
        at = self.positions
        if not at.complete:
            raise RuntimeError("the join has relevant items only. Join again with complete=True.")
        list_of_hit = at.lists_of(np.s_[:])
        order = np.lexsort((at.rank, list_of_hit))  # the last key is the primary one
        begins = np.diff(list_of_hit[order], prepend=-1) != 0
        first = np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))
        above = np.empty((2, len(order)))
        for row, mask in zip(above, (self.nonrelevant, at.judged.grade < 0)):
            counts = mask[at.item[order]]
            before = np.cumsum(counts) - counts
            row[order] = before - before[first]  # minus the items of the lists before
        return above

    def blocks(self, *, empty: bool = False, most: int = MOST) -> Iterator[Block]:
        """Yield the blocks: topics of a group together, those with no items only if `empty`."""
        for group in self.groups if empty else self.filled:
            step = max(most // max(group.size * len(self.positions.runs), 1), 1)
            for at in range(0, len(group.topics), step):
                yield Block(self, group, slice(at, min(at + step, len(group.topics))))


class NamedColumns:
    """Arrays by name, computed on first use: `block["rank"]` is the column of that name."""

    made: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        if name not in self.made:
            self.made[name] = self._column(name)
        return self.made[name]

    def _column(self, name: str) -> Any:
        raise NotImplementedError

    def columns(self, names: tuple[str, ...]) -> list[Any]:
        """Return several columns."""
        return [self[name] for name in names]


class Block(NamedColumns):
    """Topics with `size` items each."""

    def __init__(self, view: View, group: Group, part: slice) -> None:
        self.view, self.group, self.part = view, group, part
        self.topics, self.size = group.topics[part], group.size
        self.shape = (len(self.topics), len(view.positions.runs))
        self.made = {}

    def _column(self, name: str) -> Any:
        if name in ITEM_COLUMNS:
            return self.cut(self.view.column(name))
        if name in TOPIC_COLUMNS:  # (topics, 1 or runs)
            return (
                self.view.column(name)[self.topics]
                .astype(np.float64, copy=False)
                .reshape(len(self.topics), -1)
            )
        if name in BLOCK_COLUMNS:
            return BLOCK_COLUMNS[name](self)
        names = ", ".join(sorted([*ITEM_COLUMNS, *TOPIC_COLUMNS, *BLOCK_COLUMNS]))
        raise KeyError(f"no column {name!r}; the columns of a kernel are {names}.")

    def cut(self, column: np.ndarray) -> np.ndarray:
        """Return this block's part of a flat column, (levels, topics, runs)."""
        cells = column[self.group.cells].reshape(self.size, len(self.group.topics), self.shape[1])
        return cells[:, self.part]

    @property
    def rows(self) -> np.ndarray:
        """For each list, its items in rank order, as rows of `view.items`: (levels, topics, runs)."""
        return self.cut(self.view.ranked[1])


def _ideal(block: Block) -> np.ndarray:
    view = block.view
    place = np.arange(block.size)
    # beyond a topic's items comes the row of padding, of grade 0
    row = np.where(place < block["m"], view.first[block.topics][:, None] + place, len(view.items))
    return np.ascontiguousarray(-np.sort(-view.grades[row], axis=-1).T)[:, :, None]


def _membership(block: Block) -> np.ndarray:
    """Return membership of shape (topics, items, subtopics), padded with empty subtopics."""
    item, subtopic, first, count = block.view.members
    size = first[block.topics + 1] - first[block.topics]
    pair = ranges(first[block.topics], size)
    cells = np.zeros(
        (len(block.topics), block.size, int(count[block.topics].max(initial=1))), dtype=bool
    )
    cells[np.repeat(np.arange(len(size)), size), block.view.slot[item[pair]], subtopic[pair]] = True
    return cells


def _members_by_rank(block: Block) -> np.ndarray:
    slot = block.rows - block.view.first[block.topics][:, None]
    cells = _membership(block)[np.arange(len(block.topics))[:, None], slot]
    return np.ascontiguousarray(cells.transpose(0, 3, 1, 2))


def corpus_sizes(positions: Positions, level: float | None = None) -> np.ndarray:
    """Return, for every topic, the number of different items in all rankings of it and among its relevant items.

    Judged non-relevant items that no run returned do not count (Diaz & Ferraro 2022, section 5.5).

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged()
    >>> bool((corpus_sizes(judged.positions) >= 100).all())
    True
    """
    size, returned = items_returned(positions)
    # relevant items that no run returned come on top
    return size + np.bincount(
        positions.judged.topic[positions.relevant(level) & ~returned], minlength=len(size)
    )


def items_returned(positions: Positions) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of different items in the rankings of every topic, and which judged items are among them.

    Examples
    --------
    >>> import pdeval
    >>> size, returned = items_returned(pdeval.datasets.sample_judged().positions)
    >>> len(size), bool(returned.mean() > 0.5)
    (50, True)
    """
    if positions.source is None:
        raise ValueError(
            "the number of items of a query is counted in the run table, which this join no longer has."
        )
    elsewhere: Any = getattr(positions.source, "returned", None)  # counted where the rows are
    size, returned = _count_items(positions) if elsewhere is None else elsewhere.of_join(positions)
    if positions.rules.get("judged_only"):  # the others were taken out of the rankings
        returned = returned & (positions.judged.grade >= 0)
        size = np.bincount(positions.judged.topic[returned], minlength=len(size))
    return size, returned


def _count_items(positions: Positions) -> tuple[np.ndarray, np.ndarray]:
    runs, _ = positions.source  # type: ignore[misc]
    judged, lists = positions.judged, find_lists(runs)
    docs, code = ids.column_ids(runs.column("doc"), "doc").unique()
    code = code if lists.order is None else code[lists.order]
    topic = np.repeat(lists.queries.probe(judged.queries)[lists.query], lists.sizes)
    # (topic, doc) as one integer per row
    pairs = unique_values(topic[topic >= 0].astype(np.int64) * len(docs) + code[topic >= 0])
    place = judged.docs.probe(docs)[judged.doc]
    returned = place >= 0
    returned[returned] = np.isin(
        judged.topic[returned].astype(np.int64) * len(docs) + place[returned], pairs
    )
    return np.bincount(pairs // len(docs), minlength=len(judged.queries)), returned


def inverse_propensities(positions: Positions) -> np.ndarray:
    """Return 1 / the propensity of each judged item; 0 without a positive grade, which never counts.

    Examples
    --------
    >>> import pandas as pd, pdeval
    >>> runs = pd.DataFrame({"user_id": "u", "item_id": ["x", "y"], "score": [2, 1]})
    >>> clicks = pd.DataFrame({"user_id": "u", "item_id": ["x", "z"], "propensity": [0.5, 0.25]})
    >>> inverse_propensities(runs.ireval.join(clicks).positions).tolist()
    [2.0, 4.0]
    """
    if positions.source is None:
        raise ValueError(
            "propensities are read from the judgments table, which this join no longer has."
        )
    table = positions.source[1]
    if "propensity" not in table:
        raise ValueError(
            "this measure weights every relevant item by 1 / its propensity, but the judgments have no propensity "
            "column. Add the probability that the item was judged, or bind the column: qrels.ireval(propensity=...)."
        )
    judged = positions.judged
    grade = numbers(table.column("grade"), "judgments' grade")
    topic = ids.column_ids(table.column("query"), "judgments' query").probe(judged.queries)
    doc = ids.column_ids(table.column("doc"), "judgments' doc").probe(judged.docs)
    rows = np.flatnonzero((grade > 0) & (topic >= 0) & (doc >= 0))
    column = table.column("propensity").iloc[rows]
    value = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    bad = np.flatnonzero(~((value > 0) & (value <= 1)))
    if len(bad):
        raise ValueError(
            f"column {table.roles['propensity']!r} of the judgments has {len(bad):,} propensities of relevant items "
            f"outside (0, 1], e.g. {column.iloc[bad].tolist()[0]!r} for {_query_and_doc(table, rows[bad[0]])}. Drop "
            "items with propensity 0, or clip small propensities."
        )
    key = topic[rows].astype(np.int64) * len(judged.docs) + doc[rows]
    place = np.searchsorted(judged.key(), key)
    known = place < len(judged.topic)  # labels that were taken out since have no place
    known[known] = judged.key()[place[known]] == key[known]
    place, weight = place[known], 1.0 / value[known]
    weights = np.zeros(len(judged.topic))
    weights[place] = weight
    # of several rows of an item the last was written; others that differ from it show
    differ = np.flatnonzero(weights[place] != weight)
    if len(differ):
        example = _query_and_doc(table, rows[known][differ[0]])
        raise ValueError(
            f"the judgments have {len(differ):,} items with more than one propensity, e.g. {example}."
        )
    return weights


def _query_and_doc(table: Table, row: int) -> tuple[Hashable, ...]:
    names = [table.roles["query"], table.roles["doc"]]
    return next(table.frame[names].iloc[[row]].itertuples(index=False, name=None))


# flat columns of the items of all blocks, in rank order unless they say otherwise
ITEM_COLUMNS: dict[str, Callable[[View], np.ndarray]] = {
    # ranks of the items, ascending; infinity if not retrieved
    "rank": View.ranks,
    # items ranked above the item's group of tied items, and items in that group
    "start": lambda view: view.of_hits(view.positions.start, np.inf),
    "size": lambda view: view.of_hits(view.positions.size, 1.0),
    "grade": lambda view: view.of_items(view.positions.judged.grade),
    # sums of the grades of the items over the subtopics
    "global_gain": lambda view: view.of_items(view.global_gains),
    # 1 / the propensities of the items
    "weight": lambda view: view.of_items(inverse_propensities(view.positions)),
    # which items are relevant at the level
    "relevant": lambda view: view.of_items(view.positions.relevant(view.level)),
    # judged non-relevant items ranked above each item, and pooled but unjudged ones (of negative grade)
    "above": lambda view: view.of_hits(view.passed[0], np.inf),
    "pooled": lambda view: view.of_hits(view.passed[1], np.inf),
    # ranks in the order of document ids, the same item in the same place for every run
    "items": View.ranks_by_id,
}
# one value per topic, or per topic and run
TOPIC_COLUMNS: dict[str, Callable[[View], np.ndarray]] = {
    # items of the topic, without padding
    "m": lambda view: view.count,
    # items that are relevant at the level
    "relevants": lambda view: view.per_topic(view.positions.relevant(view.level)),
    # items that each run returned
    "retrieved": lambda view: view.positions.retrieved,
    # judged non-relevant items, and those that each run returned
    "nonrelevant": lambda view: view.per_topic(view.nonrelevant),
    "nonrelevant_found": lambda view: view.per_list(view.nonrelevant),
    # different items in all rankings and judgments of the topic together
    "corpus": lambda view: corpus_sizes(view.positions, view.level),
}
BLOCK_COLUMNS: dict[str, Callable[[Block], Any]] = {
    # the largest grade of all judgments
    "top_grade": lambda block: block.view.positions.top_grade,
    # grades of the items, the highest first; one column serves all runs
    "ideal": _ideal,
    # the subtopics of each item, in the order of document ids: (items, subtopics, topics, 1)
    "belongs": lambda block: np.ascontiguousarray(_membership(block).transpose(1, 2, 0))[..., None],
    # the subtopics of each item, in rank order: (items, subtopics, topics, runs)
    "member": _members_by_rank,
    # subtopics that have a relevant item
    "subtopics": lambda block: block["belongs"].any(axis=0).sum(axis=0).astype(np.float64),
}
