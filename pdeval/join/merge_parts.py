"""A join in pieces: what parts of whole queries found, and the join of the whole that they make together.

A piece names what it found by numbers of the whole, so that pieces can be gathered in any order, by any engine, and a
few at a time. Their join is that of all rows at once, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from pdeval.join.block_columns import items_returned
from pdeval.join.judgments import Judgments
from pdeval.join.positions import Positions
from pdeval.tables.reader import Table

PLACES = 32  # bits of a hit's key that say which item of its topic it is
ALL = (1 << PLACES) - 1  # in the place of an item: what is said of the topic
Piece = tuple[np.ndarray, np.ndarray]


class Pair:
    """What stands for the pair (runs, judgments) of a join whose rows are somewhere else; it has both as attributes."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, at: int) -> Table:
        return cast("Table", getattr(self, ("runs", "qrels")[at]))

    def __iter__(self) -> Iterator[Table]:
        yield self[0]
        yield self[1]


def hits(positions: Positions, topics: np.ndarray, runs: np.ndarray) -> Piece:
    """Return the judged items that a part found: (topic of the whole and place of the item in it, what was found).

    An item is named by its place among its topic's items, in the order of document ids, which is the same in the part
    and in the whole; in a join of relevant items, by its place among those. What was found is run of the whole, rank,
    start and size, (4, hits).

    Parameters
    ----------
    positions : Positions
        The join of the part.
    topics, runs : ndarray
        Which topics and runs of the whole those of the part are.
    """
    key = _keys(positions, topics, positions.item)
    run = runs[positions.run].astype(np.float64)
    return key, np.stack([run, positions.rank, positions.start, positions.size])


def items(positions: Positions, topics: np.ndarray) -> Piece:
    """Return what the rankings of a part hold: the judged items among them, and of every topic the number of items."""
    size, returned = items_returned(positions)
    held = np.flatnonzero(returned & _wanted(positions.judged, positions.complete))
    key = np.concatenate([_keys(positions, topics, held), (topics.astype(np.int64) << PLACES) + ALL])
    return key, np.concatenate([np.ones(len(held)), size.astype(np.float64)])[None]


def _wanted(judged: Judgments, complete: bool) -> np.ndarray:
    return np.ones(len(judged.topic), dtype=bool) if complete else judged.grade > 0


def _keys(positions: Positions, topics: np.ndarray, item: np.ndarray) -> np.ndarray:
    """Return the topic of the whole of each of some items, and its place among the topic's, as one number."""
    topic = positions.judged.topic
    number = np.cumsum(_wanted(positions.judged, positions.complete))
    before = np.concatenate([[0], number])[np.searchsorted(topic, np.arange(len(positions.queries)))]
    own = topic[item]
    keys: np.ndarray = (topics[own].astype(np.int64) << PLACES) + number[item] - 1 - before[own]
    return keys


def _named(judged: Judgments, complete: bool, key: np.ndarray) -> np.ndarray:
    """Return the items of the whole that keys name."""
    wanted = np.flatnonzero(_wanted(judged, complete))
    first = np.searchsorted(judged.topic[wanted], np.arange(len(judged.queries)))
    named: np.ndarray = wanted[first[key >> PLACES] + (key & ALL)]
    return named


def beside(pieces: Sequence[Piece]) -> Piece:
    """Return pieces of an answer as one: a branch of the tree by which answers are gathered.

    Examples
    --------
    >>> place, values = beside([(np.array([2]), np.array([[0.5]])), (np.array([0]), np.array([[1.0]]))])
    >>> place.tolist(), values.tolist()
    ([2, 0], [[0.5, 1.0]])
    """
    return np.concatenate([place for place, _ in pieces]), np.concatenate([values for _, values in pieces], axis=1)


def joined_hits(known: Positions, judged: Judgments, found: Piece, source: Pair) -> Positions:
    """Return the join of the whole: hits of one item in the order of the runs.

    Parameters
    ----------
    known : Positions
        The join as far as it is known without ranks.
    judged : Judgments
        All judgments.
    found : (ndarray, ndarray)
        What all pieces found.
    source : Pair
        Where the tables are.
    """
    key, values = found
    item = _named(judged, known.complete, key)
    order = np.lexsort((values[0], item))
    run, rank, start, size = values[:, order]
    made = replace(
        known,
        judged=judged,
        item=item[order],
        run=run.astype(np.int64),
        rank=rank,
        start=start,
        size=size,
        source=source,  # type: ignore[arg-type]
    )
    return made.only_judged() if known.rules.get("judged_only") else made


class Returned:
    """What the rankings of all runs hold, as far as the corpus of a query is counted from it.

    Parameters
    ----------
    judged : Judgments
        All judgments.
    complete : bool
        Whether the pieces name judged non-relevant items too.
    found : (ndarray, ndarray)
        What all pieces said of the items of their rankings.
    """

    def __init__(self, judged: Judgments, complete: bool, found: Piece) -> None:
        key, (values,) = found
        whole = (key & ALL) == ALL
        self.judged = judged
        self.size = np.zeros(len(judged.queries), dtype=np.int64)
        self.size[key[whole] >> PLACES] = values[whole]
        self.returned = np.zeros(len(judged.topic), dtype=bool)
        self.returned[_named(judged, complete, key[~whole])] = True

    def of_join(self, positions: Positions) -> tuple[np.ndarray, np.ndarray]:
        """Return the same of a join of some of the topics and items, as `corpus.items_returned` does."""
        some, judged = positions.judged, self.judged
        topic, doc = some.queries.probe(judged.queries), some.docs.probe(judged.docs)
        key = topic[some.topic].astype(np.int64) * len(judged.docs) + doc[some.doc]
        return self.size[topic], self.returned[np.searchsorted(judged.key(), key)]
