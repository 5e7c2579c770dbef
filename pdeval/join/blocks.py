"""Dense blocks: the positions of all topics with equally many items, as the columns that kernels ask for by name.

Axis 0 is the recall level, axis 1 the topic, axis 2 the run. A column is made when a kernel first asks for it, by
the function of that name in `columns`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pdeval.join.block_columns import ITEM_COLUMNS, NOWHERE, TOPIC_COLUMNS
from pdeval.join.positions import Positions

MOST = 1 << 21
SMALL = 1 << 16  # cells of a block that costs less than another call of a kernel


class Group(NamedTuple):
    """Topics with equally many items (or, padded, at most so many), and where their cells stand in flat columns."""

    size: int
    topics: np.ndarray
    begin: int
    end: int


class Keys(NamedTuple):
    """Cells in rank order, each the rank and below it, in so many bits, the item's place among its topic's."""

    key: np.ndarray
    bits: int
    nowhere: int

    @property
    def rank(self) -> np.ndarray:
        """The ranks, `nowhere` for an item that was not found."""
        return self.key >> self.bits

    @property
    def slot(self) -> np.ndarray:
        """The places of the items."""
        return self.key & ((1 << self.bits) - 1)


class View:
    """The items that a kind of measure looks at (relevant, graded, judged, subtopic), topic by topic.

    A flat column holds a cell per list and item: group after group, and inside a group level by level, so that a
    group's part of it is the dense block without copying. With `padded`, topics of about as many items share a group,
    each list filled up with items that no run found.

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
        elif kind == "binary":
            kept = positions.relevant(level)
        elif kind == "graded":
            kept = judged.grade > 0
        elif kind == "judged":
            kept = judged.grade >= 0
        else:
            kept = np.zeros(len(judged.topic), dtype=bool)
            kept[self.member_rows[0]] = True
        self.items = np.flatnonzero(kept)
        self.count = np.bincount(judged.topic[self.items], minlength=len(positions.queries))
        self.first = np.concatenate([[0], np.cumsum(self.count)])[:-1]
        self.made: dict[str, np.ndarray] = {}

    @cached_property
    def slot(self) -> np.ndarray:
        """The place of every judged item among its topic's items of the view, or -1."""
        slot = np.full(len(self.positions.judged.topic), -1, dtype=np.int64)
        slot[self.items] = np.arange(len(self.items)) - self.first[self.positions.judged.topic[self.items]]
        return slot

    @cached_property
    def groups(self) -> list[Group]:
        """The topics by their number of items, fewest first."""
        order = np.argsort(self.count, kind="stable")
        sizes, begin = np.unique(self.count[order], return_index=True)
        if self.padded:
            begin = begin[self._apart(sizes)]
        groups, at = [], 0
        for topics in np.split(order, begin[1:]):
            size = int(self.count[topics[-1]])
            end = at + size * len(topics) * len(self.positions.runs)
            groups.append(Group(size, topics, at, end))
            at = end
        return groups

    def _apart(self, sizes: np.ndarray) -> list[int]:
        """Return the sizes at which a group begins, where those near to each other share one: a fourth is padding."""
        small = SMALL // max(self.positions.retrieved.size, 1)
        begins, reach = [], -1
        for place, size in enumerate(sizes.tolist()):
            if size > reach:
                begins.append(place)
                reach = max(size + size // 4, small) if size else 0  # topics without items stay alone
        return begins

    @cached_property
    def hits(self) -> tuple[np.ndarray, np.ndarray]:
        """The hits on items of the view, and the cell of each, lists kept together."""
        at, runs = self.positions, len(self.positions.runs)
        slot = self.slot[at.item]
        hits = np.flatnonzero(slot >= 0)
        topic = at.judged.topic[at.item[hits]]
        first, width = np.zeros((2, len(self.count)), dtype=np.int64)
        for group in self.groups:
            first[group.topics] = group.begin + np.arange(len(group.topics)) * (runs * group.size)
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
        kind, nowhere = (np.int32, (1 << (31 - bits)) - 1) if narrow else (np.int64, NOWHERE)
        key: np.ndarray = np.full(self.groups[-1].end, nowhere << bits, dtype=kind)
        hits, cell = self.hits
        key[cell] = by[hits].astype(kind) << bits
        for group in self.groups:
            if group.size:
                part = slice(group.begin, group.end)
                lists = key[part].reshape(-1, group.size)
                lists |= np.arange(group.size, dtype=kind)
                lists.sort(axis=-1)
                key[part] = lists.T.copy().ravel()
        return Keys(key, bits, nowhere)

    @cached_property
    def ranked(self) -> tuple[np.ndarray, np.ndarray]:
        """Flat columns in rank order: the cell that an item came from, and its row in `items`."""
        runs = len(self.positions.runs)
        slots = self.keys.slot
        source, row = np.empty(len(slots), dtype=np.int64), np.empty(len(slots), dtype=np.int64)
        for group in self.groups:
            if group.size == 0:
                continue
            part = slice(group.begin, group.end)
            slot = slots[part].reshape(group.size, -1)
            source[part] = (slot + (group.begin + np.arange(slot.shape[1]) * group.size)).ravel()
            own = slot + np.repeat(self.first[group.topics], runs)
            if self.padded:
                own[slot >= np.repeat(self.count[group.topics], runs)] = len(self.items)
            row[part] = own.ravel()
        return source, row

    @cached_property
    def small(self) -> np.ndarray:
        """The flat column of ranks as small whole numbers; the largest of their kind stands for infinity."""
        rank = self.keys.rank
        found = rank != self.keys.nowhere
        kind = np.int16 if rank.max(initial=0, where=found) < np.iinfo(np.int16).max else np.int32
        return np.where(found, rank, np.iinfo(kind).max).astype(kind)

    def column(self, name: str) -> np.ndarray:
        """Return a flat item column."""
        if name not in self.made:
            self.made[name] = ITEM_COLUMNS[name](self)
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

    def per_topic(self, which: np.ndarray) -> np.ndarray:
        """Return how many of some judged items (a mask) each topic has."""
        return np.bincount(self.positions.judged.topic[which], minlength=len(self.count)).astype(np.float64)

    @cached_property
    def relevants(self) -> np.ndarray:
        """How many items of each topic are relevant at the level."""
        return self.per_topic(self.positions.relevant(self.level))

    @cached_property
    def nonrelevant(self) -> np.ndarray:
        """Which judged items are judged non-relevant."""
        return (self.positions.judged.grade >= 0) & ~self.positions.relevant(self.level)

    @cached_property
    def nonrelevants(self) -> np.ndarray:
        """How many items of each topic are judged non-relevant."""
        return self.per_topic(self.nonrelevant)

    @cached_property
    def nonrelevants_found(self) -> np.ndarray:
        """How many judged non-relevant items of each topic each run returned, (topics, runs)."""
        at = self.positions
        hit = self.nonrelevant[at.item]
        cell = at.judged.topic[at.item[hit]] * len(at.runs) + at.run[hit]
        found = np.bincount(cell, minlength=at.retrieved.size).reshape(at.retrieved.shape)
        return found.astype(np.float64)

    @cached_property
    def grades(self) -> np.ndarray:
        """The grades of the view's items, and at the end 0, that of padding."""
        return self.values(self.positions.judged.grade)

    @cached_property
    def members(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The relevant (item, subtopic) pairs by topic: item, subtopic, each topic's first pair and its subtopics.

        Subtopics are numbered anew within each topic: only those with a relevant item count.
        """
        item, subtopic = self.member_rows
        topic = self.positions.judged.topic[item]
        many = int(subtopic.max(initial=0)) + 1
        pairs, code = np.unique(topic * many + subtopic, return_inverse=True)
        owner, topics = pairs // many, np.arange(len(self.count) + 1)
        order = np.argsort(topic, kind="stable")
        local = code - np.searchsorted(owner, topic)
        return item[order], local[order], np.searchsorted(topic[order], topics), np.diff(np.searchsorted(owner, topics))

    @cached_property
    def member_rows(self) -> np.ndarray:
        """The (item, subtopic) pairs that are relevant, as whole numbers of shape (2, pairs)."""
        rows = self.positions.judged.subtopic
        if rows is None:
            raise ValueError(
                "this measure needs subtopics, and the judgments have no subtopic column. Read them with "
                "read_qrels(path, subtopics=True), or bind the column: qrels.ireval(subtopic=...)."
            )
        least = rows[2] > 0 if self.level is None else (rows[2] >= self.level) & (rows[2] > 0)
        return rows[:2, least].astype(np.int64)

    @cached_property
    def passed(self) -> tuple[np.ndarray, np.ndarray]:
        """For every hit, the judged non-relevant and the pooled-unjudged items that the run ranked above it."""
        at = self.positions
        if not at.complete:
            raise RuntimeError("the join holds relevant items only; join again with complete=True.")
        own = at.judged.topic[at.item] * len(at.runs) + at.run
        order = np.lexsort((at.rank, own))
        own = own[order]
        begins = np.ones(len(own), dtype=bool)
        begins[1:] = own[1:] != own[:-1]
        first = np.maximum.accumulate(np.where(begins, np.arange(len(own)), 0))
        above = []
        for counted in (self.nonrelevant, at.judged.grade < 0):
            here = counted[at.item[order]]
            before = np.cumsum(here) - here
            back = np.empty(len(order))
            back[order] = before - before[first]
            above.append(back)
        return above[0], above[1]

    def blocks(self, *, empty: bool = False, most: int = MOST) -> Iterator[Block]:
        """Yield the blocks: topics of a group together, those with no items only if `empty`."""
        for group in self.groups:
            if group.size or empty:
                step = max(most // max(group.size * len(self.positions.runs), 1), 1)
                for at in range(0, len(group.topics), step):
                    yield Block(self, group, slice(at, min(at + step, len(group.topics))))


class Block:
    """Topics with `size` items each; `block["rank"]` is the column of that name."""

    def __init__(self, view: View, group: Group, part: slice) -> None:
        self.view, self.group, self.part = view, group, part
        self.topics, self.size = group.topics[part], group.size
        self.shape = (len(self.topics), len(view.positions.runs))
        self.made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self.made:
            if name in ITEM_COLUMNS:
                self.made[name] = self.cut(self.view.column(name))
            elif name in TOPIC_COLUMNS:
                self.made[name] = TOPIC_COLUMNS[name](self)
            else:
                known = ", ".join(sorted([*ITEM_COLUMNS, *TOPIC_COLUMNS]))
                raise KeyError(f"no column {name!r}; a kernel may ask for {known}.")
        return self.made[name]

    def cut(self, column: np.ndarray) -> np.ndarray:
        """Return this block's part of a flat column, (levels, topics, runs)."""
        group = self.group
        whole = column[group.begin : group.end].reshape(group.size, len(group.topics), self.shape[1])
        return whole[:, self.part]

    def columns(self, names: tuple[str, ...]) -> list[Any]:
        """Return several columns."""
        return [self[name] for name in names]

    @property
    def rows(self) -> np.ndarray:
        """For each list, its items in rank order, as rows of `view.items`: (levels, topics, runs)."""
        return self.cut(self.view.ranked[1])
