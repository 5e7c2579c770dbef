"""Dense blocks: the positions of all topics with equally many items, as the columns that kernels ask for by name.

Axis 0 is the recall level, axis 1 the topic, axis 2 the run. A column is made when a kernel first asks for it, by
the function of that name in `COLUMNS`; adding a column is adding a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from pdeval.lists import ranges
from pdeval.positions import Positions

COLUMNS: dict[str, Callable[[Block], Any]] = {}
MOST = 1 << 21
_NOWHERE = 1 << 40


def column(make: Callable[[Block], Any]) -> Callable[[Block], Any]:
    """Register a function as the maker of the column of its name."""
    COLUMNS[make.__name__] = make
    return make


class View:
    """The items that a kind of measure looks at (relevant, graded, judged, subtopic), topic by topic.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> view = View(joined.positions, "binary")
    >>> int(view.count.sum()) == int(joined.positions.relevant().sum())
    True
    """

    def __init__(self, positions: Positions, kind: str, level: float | None = None) -> None:
        self.positions, self.kind, self.level = positions, kind, level
        judged = positions.judged
        if kind == "binary":
            kept = positions.relevant(level)
        elif kind == "graded":
            kept = judged.grade > 0
        elif kind == "judged":
            kept = judged.grade >= 0
        else:
            kept = np.zeros(len(judged.topic), dtype=bool)
            kept[self.member_rows[0]] = True
        topics = len(positions.queries)
        self.items = np.flatnonzero(kept)
        self.count = np.bincount(judged.topic[self.items], minlength=topics)
        self.first = np.concatenate([[0], np.cumsum(self.count)])[:-1]
        slot = np.full(len(judged.topic), -1, dtype=np.int64)
        slot[self.items] = np.arange(len(self.items)) - self.first[judged.topic[self.items]]
        self.hits = np.flatnonzero(slot[positions.item] >= 0)
        self.hit_slot = slot[positions.item[self.hits]]
        self.hit_topic = judged.topic[positions.item[self.hits]]
        self.hit_first = np.searchsorted(self.hit_topic, np.arange(topics + 1))

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
        grade = at.judged.grade[at.item]
        relevant = at.relevant(self.level)[at.item]
        topic = at.judged.topic[at.item]
        order = np.lexsort((at.rank, at.run, topic))
        own = (topic * len(at.runs) + at.run)[order]
        begins = np.concatenate([[True], own[1:] != own[:-1]]) if len(own) else np.zeros(0, dtype=bool)
        first = np.maximum.accumulate(np.where(begins, np.arange(len(own)), 0)) if len(own) else own
        above = []
        for counted in ((grade >= 0) & ~relevant, grade < 0):
            before = np.cumsum(counted[order]) - counted[order]
            back = np.empty(len(order), dtype=np.float64)
            back[order] = before - before[first]
            above.append(back)
        return above[0], above[1]

    def blocks(self, *, empty: bool = False, most: int = MOST) -> Iterator[Block]:
        """Yield the blocks: topics with equally many items together, those with none only if `empty`."""
        order = np.argsort(self.count, kind="stable")
        sizes, begin = np.unique(self.count[order], return_index=True)
        for size, group in zip(sizes.tolist(), np.split(order, begin[1:])):
            if size == 0 and not empty:
                continue
            step = max(most // max(size * len(self.positions.runs), 1), 1)
            for at in range(0, len(group), step):
                yield Block(self, group[at : at + step], size)


class Block:
    """Topics with `size` items each; `block["rank"]` is the column of that name."""

    def __init__(self, view: View, topics: np.ndarray, size: int) -> None:
        self.view, self.topics, self.size = view, topics, size
        self.shape = (len(topics), len(view.positions.runs))
        counts = view.hit_first[topics + 1] - view.hit_first[topics]
        self.hits = ranges(view.hit_first[topics], counts)
        self.place = (np.repeat(np.arange(len(topics)), counts), view.positions.run[view.hits[self.hits]])
        self.made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self.made:
            if name not in COLUMNS:
                raise KeyError(f"no column {name!r}; a kernel may ask for {', '.join(sorted(COLUMNS))}.")
            self.made[name] = COLUMNS[name](self)
        return self.made[name]

    def columns(self, names: tuple[str, ...]) -> list[Any]:
        """Return several columns."""
        return [self[name] for name in names]

    def scatter(self, values: np.ndarray, fill: float) -> np.ndarray:
        """Return one value per hit as an array of shape (topics, runs, size), in the order of the items."""
        cells = np.full((*self.shape, self.size), fill)
        cells[(*self.place, self.view.hit_slot[self.hits])] = values[self.view.hits[self.hits]]
        return cells

    @cached_property
    def sorted(self) -> np.ndarray:
        """For each list, its items in rank order as whole numbers: rank times `step`, plus the item's place."""
        by = "start" if self.view.positions.rules.get("ties") == "expected" else "rank"
        cells = np.full((*self.shape, self.size), _NOWHERE * self.step) + np.arange(self.size)
        place = (*self.place, self.view.hit_slot[self.hits])
        cells[place] += (
            getattr(self.view.positions, by)[self.view.hits[self.hits]].astype(np.int64) - _NOWHERE
        ) * self.step
        cells.sort(axis=2)
        return cells

    @property
    def step(self) -> int:
        """What a rank is multiplied by in `sorted`: a power of two above every place."""
        return 1 << max(self.size - 1, 1).bit_length()

    @cached_property
    def order(self) -> np.ndarray:
        """For each list, its items in rank order."""
        return self.sorted & (self.step - 1)

    def ranked(self, cells: np.ndarray) -> np.ndarray:
        """Return (topics, runs, size) in item order as (size, topics, runs) in rank order."""
        cells = np.broadcast_to(cells, self.order.shape)
        return levels_first(np.take_along_axis(cells, self.order, axis=2))

    def of_items(self, values: np.ndarray) -> np.ndarray:
        """Return one value per item of the view as an array of shape (topics, size), in the order of the items."""
        at = self.view.first[self.topics][:, None] + np.arange(self.size)
        return values[self.view.items[at]] if self.size else np.zeros(at.shape, dtype=values.dtype)


def levels_first(cells: np.ndarray) -> np.ndarray:
    """Return the last axis as axis 0, laid out anew so that kernels walk memory in order."""
    return np.ascontiguousarray(np.moveaxis(cells, -1, 0))


@column
def rank(block: Block) -> np.ndarray:
    """Ranks of the items, ascending; infinity where not retrieved."""
    if block.view.positions.rules.get("ties") == "expected":
        return levels_first(np.sort(block.scatter(block.view.positions.rank, np.inf), axis=2))
    place = levels_first(block.sorted // block.step)
    return np.where(place == _NOWHERE, np.inf, place)


@column
def start(block: Block) -> np.ndarray:
    """Items ranked above the item's group of tied items."""
    return block.ranked(block.scatter(block.view.positions.start, np.inf))


@column
def size(block: Block) -> np.ndarray:
    """Items in the item's group of tied items."""
    return block.ranked(block.scatter(block.view.positions.size, 1.0))


@column
def grade(block: Block) -> np.ndarray:
    """Grades of the items, in rank order."""
    return block.ranked(block.of_items(block.view.positions.judged.grade)[:, None, :])


@column
def ideal(block: Block) -> np.ndarray:
    """Grades of the items, the highest first; one column serves all runs."""
    return levels_first(-np.sort(-block.of_items(block.view.positions.judged.grade), axis=1))[:, :, None]


@column
def relevant(block: Block) -> np.ndarray:
    """Which items are relevant at the level, in rank order."""
    return block.ranked(block.of_items(block.view.positions.relevant(block.view.level))[:, None, :])


@column
def relevants(block: Block) -> np.ndarray:
    """How many items are relevant at the level."""
    at = block.view.positions
    return np.bincount(at.judged.topic[at.relevant(block.view.level)], minlength=len(at.queries))[block.topics][:, None]


@column
def top_grade(block: Block) -> float:
    """The largest grade of all judgments."""
    return float(block.view.positions.judged.grade.max(initial=0.0))


@column
def retrieved(block: Block) -> np.ndarray:
    """How many items each run returned."""
    return block.view.positions.retrieved[block.topics].astype(np.float64)


@column
def above(block: Block) -> np.ndarray:
    """Judged non-relevant items ranked above each item."""
    return block.ranked(block.scatter(block.view.passed[0], np.inf))


@column
def pooled(block: Block) -> np.ndarray:
    """Pooled but unjudged items (of negative grade) ranked above each item."""
    return block.ranked(block.scatter(block.view.passed[1], np.inf))


def _nonrelevant(block: Block) -> np.ndarray:
    at = block.view.positions
    return (at.judged.grade >= 0) & ~at.relevant(block.view.level)


@column
def nonrelevant(block: Block) -> np.ndarray:
    """Judged non-relevant items of the topic."""
    at = block.view.positions
    count = np.bincount(at.judged.topic[_nonrelevant(block)], minlength=len(at.queries))
    return count[block.topics][:, None].astype(np.float64)


@column
def nonrelevant_found(block: Block) -> np.ndarray:
    """Judged non-relevant items that each run returned."""
    at = block.view.positions
    hit = _nonrelevant(block)[at.item]
    cell = at.judged.topic[at.item[hit]] * len(at.runs) + at.run[hit]
    return np.bincount(cell, minlength=at.retrieved.size).reshape(at.retrieved.shape)[block.topics].astype(np.float64)


@column
def corpus(block: Block) -> np.ndarray:
    """Different items in all rankings and judgments of the topic together."""
    from pdeval.pools import corpus_sizes

    return corpus_sizes(block.view.positions)[block.topics][:, None].astype(np.float64)


def _belongs(block: Block) -> np.ndarray:
    """Return membership of shape (topics, items, subtopics), padded with empty subtopics."""
    view, at = block.view, block.view.positions
    item, subtopic = view.member_rows
    topic = at.judged.topic[item]
    # subtopics are numbered anew within each topic: only those with a relevant item count
    pairs, code = np.unique(topic * (int(subtopic.max(initial=0)) + 1) + subtopic, return_inverse=True)
    owner = pairs // (int(subtopic.max(initial=0)) + 1)
    local = code - np.searchsorted(owner, topic)
    width = int(np.bincount(owner, minlength=len(at.queries))[block.topics].max(initial=1))
    slot = np.full(len(at.judged.topic), -1, dtype=np.int64)
    slot[view.items] = np.arange(len(view.items)) - view.first[at.judged.topic[view.items]]
    where = np.full(len(at.queries), -1, dtype=np.int64)
    where[block.topics] = np.arange(len(block.topics))
    mine = where[topic] >= 0
    cells = np.zeros((len(block.topics), block.size, width), dtype=bool)
    cells[where[topic[mine]], slot[item[mine]], local[mine]] = True
    return cells


@column
def belongs(block: Block) -> np.ndarray:
    """Which subtopics each item belongs to, in the order of document ids: (items, subtopics, topics, 1)."""
    return np.ascontiguousarray(_belongs(block).transpose(1, 2, 0))[..., None]


@column
def member(block: Block) -> np.ndarray:
    """Which subtopics each item belongs to, in rank order: (items, subtopics, topics, runs)."""
    cells = _belongs(block)[np.arange(len(block.topics))[:, None, None], block.order]
    return np.ascontiguousarray(cells.transpose(2, 3, 0, 1))


@column
def subtopics(block: Block) -> np.ndarray:
    """How many subtopics have a relevant item."""
    return block["belongs"].any(axis=0).sum(axis=0).astype(np.float64)


@column
def items(block: Block) -> np.ndarray:
    """Ranks of the items in the order of document ids, the same item in the same place for every run."""
    return levels_first(block.scatter(block.view.positions.rank, np.inf))
