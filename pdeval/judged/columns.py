"""The columns of a block: one function each, of the name by which kernels ask for it.

An item column is made for all blocks of a view at once, as a flat array; a topic column block by block.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pdeval.judged.blocks import Block, View

ITEM_COLUMNS: dict[str, Callable[[View], np.ndarray]] = {}
TOPIC_COLUMNS: dict[str, Callable[[Block], Any]] = {}
NOWHERE = 1 << 40  # stands for infinity among whole numbers


def item_column(make: Callable[[View], np.ndarray]) -> Callable[[View], np.ndarray]:
    """Register a function as the maker of the item column of its name."""
    ITEM_COLUMNS[make.__name__] = make
    return make


def topic_column(make: Callable[[Block], Any]) -> Callable[[Block], Any]:
    """Register a function as the maker of the topic column of its name."""
    TOPIC_COLUMNS[make.__name__] = make
    return make


@item_column
def rank(view: View) -> np.ndarray:
    """Ranks of the items, ascending; infinity where not retrieved."""
    if view.positions.rules.get("ties") == "expected":
        raise ValueError("ties='expected' gives no definite ranks; choose another ties=.")
    found = view.keys.rank
    return np.where(found == view.keys.nowhere, np.inf, found)


@item_column
def start(view: View) -> np.ndarray:
    """Items ranked above the item's group of tied items."""
    return view.of_hits(view.positions.start, np.inf)


@item_column
def size(view: View) -> np.ndarray:
    """Items in the item's group of tied items."""
    return view.of_hits(view.positions.size, 1.0)


@item_column
def grade(view: View) -> np.ndarray:
    """Grades of the items, in rank order."""
    return view.of_items(view.positions.judged.grade)


@item_column
def weight(view: View) -> np.ndarray:
    """1 / the propensities of the items, in rank order."""
    from pdeval.judged.propensities import inverse_propensities

    return view.of_items(inverse_propensities(view.positions))


@item_column
def relevant(view: View) -> np.ndarray:
    """Which items are relevant at the level, in rank order."""
    return view.of_items(view.positions.relevant(view.level))


@item_column
def above(view: View) -> np.ndarray:
    """Judged non-relevant items ranked above each item."""
    return view.of_hits(view.passed[0], np.inf)


@item_column
def pooled(view: View) -> np.ndarray:
    """Pooled but unjudged items (of negative grade) ranked above each item."""
    return view.of_hits(view.passed[1], np.inf)


@item_column
def items(view: View) -> np.ndarray:
    """Ranks of the items in the order of document ids, the same item in the same place for every run."""
    cells = np.full(len(view.keys.key), np.inf)
    hits, cell = view.hits
    cells[cell] = view.positions.rank[hits]
    for group in view.groups:
        if group.size:
            part = cells[group.begin : group.end]
            part[:] = part.reshape(-1, group.size).T.ravel()
    return cells


@topic_column
def ideal(block: Block) -> np.ndarray:
    """Grades of the items, the highest first; one column serves all runs."""
    view = block.view
    place = np.arange(block.size)
    row = np.where(place < block["m"], view.first[block.topics][:, None] + place, len(view.items))
    return np.ascontiguousarray(-np.sort(-view.values(view.positions.judged.grade)[row], axis=-1).T)[:, :, None]


@topic_column
def m(block: Block) -> np.ndarray:
    """How many items the topic has, without padding."""
    return block.view.count[block.topics][:, None].astype(np.float64)


@topic_column
def relevants(block: Block) -> np.ndarray:
    """How many items are relevant at the level."""
    return block.view.relevants[block.topics][:, None]


@topic_column
def top_grade(block: Block) -> float:
    """The largest grade of all judgments."""
    return block.view.positions.top_grade


@topic_column
def retrieved(block: Block) -> np.ndarray:
    """How many items each run returned."""
    return block.view.positions.retrieved[block.topics].astype(np.float64)


@topic_column
def nonrelevant(block: Block) -> np.ndarray:
    """Judged non-relevant items of the topic."""
    return block.view.nonrelevants[block.topics][:, None]


@topic_column
def nonrelevant_found(block: Block) -> np.ndarray:
    """Judged non-relevant items that each run returned."""
    at = block.view.positions
    hit = block.view.nonrelevant[at.item]
    cell = at.judged.topic[at.item[hit]] * len(at.runs) + at.run[hit]
    number = np.bincount(cell, minlength=at.retrieved.size).reshape(at.retrieved.shape)
    return number[block.topics].astype(np.float64)


@topic_column
def corpus(block: Block) -> np.ndarray:
    """Different items in all rankings and judgments of the topic together."""
    from pdeval.judged.corpus import corpus_sizes

    view = block.view
    if "corpus" not in view.made:
        view.made["corpus"] = corpus_sizes(view.positions, view.level)
    return view.made["corpus"][block.topics][:, None].astype(np.float64)


def _belongs(block: Block) -> np.ndarray:
    """Return membership of shape (topics, items, subtopics), padded with empty subtopics."""
    view, at = block.view, block.view.positions
    item, subtopic = view.member_rows
    topic = at.judged.topic[item]
    # subtopics are numbered anew within each topic: only those with a relevant item count
    many = int(subtopic.max(initial=0)) + 1
    pairs, code = np.unique(topic * many + subtopic, return_inverse=True)
    owner = pairs // many
    local = code - np.searchsorted(owner, topic)
    width = int(np.bincount(owner, minlength=len(at.queries))[block.topics].max(initial=1))
    where = np.full(len(at.queries), -1)
    where[block.topics] = np.arange(len(block.topics))
    mine = where[topic] >= 0
    cells = np.zeros((len(block.topics), block.size, width), dtype=bool)
    cells[where[topic[mine]], view.slot[item[mine]], local[mine]] = True
    return cells


@topic_column
def belongs(block: Block) -> np.ndarray:
    """Which subtopics each item belongs to, in the order of document ids: (items, subtopics, topics, 1)."""
    return np.ascontiguousarray(_belongs(block).transpose(1, 2, 0))[..., None]


@topic_column
def member(block: Block) -> np.ndarray:
    """Which subtopics each item belongs to, in rank order: (items, subtopics, topics, runs)."""
    slot = block.rows - block.view.first[block.topics][:, None]
    cells = _belongs(block)[np.arange(len(block.topics))[:, None], slot]
    return np.ascontiguousarray(cells.transpose(0, 3, 1, 2))


@topic_column
def subtopics(block: Block) -> np.ndarray:
    """How many subtopics have a relevant item."""
    return block["belongs"].any(axis=0).sum(axis=0).astype(np.float64)
