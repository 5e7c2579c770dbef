"""A join in parts: the hits of parts with complete queries, and the join of all parts.

A piece refers to topics and runs of the whole, so pieces can be gathered in any order, by any engine, and a few at a
time. Their join is that of all rows at once, to the last bit.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from pdeval.join.blocks import items_returned
from pdeval.join.judgments import Judgments
from pdeval.join.positions import Positions
from pdeval.tables import Table

PLACES = 32  # bits of a key with the place of the item in its topic
ALL = (1 << PLACES) - 1  # as the place of an item: a value of the topic
Piece = tuple[np.ndarray, np.ndarray]


class Pair:
    """The pair (runs, judgments) of a join whose rows are somewhere else; subclasses have both as attributes."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, at: int) -> Table:
        # iteration uses this too, and ends with the IndexError of the tuple
        return cast("Table", getattr(self, ("runs", "qrels")[at]))


def hits(positions: Positions, topics: np.ndarray, runs: np.ndarray) -> Piece:
    """Return the hits of a part: one key per hit, and values of shape (4, hits): run of the join, rank, start, size.

    The key is the topic of the whole and the place of the item among the topic's items, in the order of document ids,
    which is the same in the part and in the whole; in a join of relevant items, the place among those.

    Parameters
    ----------
    positions : Positions
        The join of the part.
    topics, runs : ndarray
        Which topics and runs of the whole those of the part are.
    """
    key = _keys(positions, topics, positions.item)
    return key, np.stack(
        [runs[positions.run].astype(np.float64), positions.rank, positions.start, positions.size]
    )


def items(positions: Positions, topics: np.ndarray) -> Piece:
    """Return the judged items in the rankings of a part, and for every topic the number of items in them."""
    size, returned = items_returned(positions)
    judged = np.flatnonzero(returned & _wanted(positions.judged, positions.complete))
    key = np.concatenate(
        [_keys(positions, topics, judged), (topics.astype(np.int64) << PLACES) + ALL]
    )
    return key, np.concatenate([np.ones(len(judged)), size.astype(np.float64)])[None]


def _wanted(judged: Judgments, complete: bool) -> np.ndarray:
    return np.ones(len(judged.topic), dtype=bool) if complete else judged.grade > 0


def _keys(positions: Positions, topics: np.ndarray, item: np.ndarray) -> np.ndarray:
    """Return the key of each item: its topic of the full join in the high bits, its place there in the low bits."""
    topic = positions.judged.topic
    number = np.cumsum(_wanted(positions.judged, positions.complete))
    # number of wanted items before the first item of each topic
    before = np.concatenate([[0], number])[
        np.searchsorted(topic, np.arange(len(positions.queries)))
    ]
    topic = topic[item]
    place = number[item] - 1 - before[topic]
    return np.asarray((topics[topic].astype(np.int64) << PLACES) + place)


def _items_of_keys(judged: Judgments, complete: bool, key: np.ndarray) -> np.ndarray:
    """Return the items of the full join that have these keys."""
    wanted = np.flatnonzero(_wanted(judged, complete))
    # the place of the first wanted item of each topic, to which the low bits of a key are added
    first = np.searchsorted(judged.topic[wanted], np.arange(len(judged.queries)))
    return np.asarray(wanted[first[key >> PLACES] + (key & ALL)])


def concatenated(pieces: Sequence[Piece | None]) -> Any:
    """Return pieces as one: a branch of the tree by which results are gathered; None if there are none.

    Examples
    --------
    >>> place, values = concatenated([(np.array([2]), np.array([[0.5]])), (np.array([0]), np.array([[1.0]]))])
    >>> place.tolist(), values.tolist()
    ([2, 0], [[0.5, 1.0]])
    """
    known = [piece for piece in pieces if piece is not None]
    if not known:
        return None
    return np.concatenate([place for place, _ in known]), np.concatenate(
        [values for _, values in known], axis=1
    )


def joined_hits(known: Positions, judged: Judgments, gathered: Piece, source: Pair) -> Positions:
    """Return the full join: hits of one item in the order of the runs.

    Parameters
    ----------
    known : Positions
        The join without ranks.
    judged : Judgments
        All judgments.
    gathered : (ndarray, ndarray)
        The hits of all pieces.
    source : Pair
        Where the tables are.
    """
    key, values = gathered
    item = _items_of_keys(judged, known.complete, key)
    order = np.lexsort((values[0], item))  # by item, then by run
    run, rank, start, size = values[:, order]
    positions = replace(
        known,
        judged=judged,
        item=item[order],
        run=run.astype(np.int64),
        rank=rank,
        start=start,
        size=size,
        source=source,  # type: ignore[arg-type]
    )
    return positions.only_judged() if known.rules.get("judged_only") else positions


class Returned:
    """The items in the rankings of all runs, from which the corpus of a query is counted.

    Parameters
    ----------
    judged : Judgments
        All judgments.
    complete : bool
        Whether the pieces have judged non-relevant items too.
    gathered : (ndarray, ndarray)
        The items of all pieces.
    """

    def __init__(self, judged: Judgments, complete: bool, gathered: Piece) -> None:
        key, (values,) = gathered
        is_topic = (key & ALL) == ALL
        self.judged = judged
        self.size = np.zeros(len(judged.queries), dtype=np.int64)
        self.size[key[is_topic] >> PLACES] = values[is_topic]
        self.returned = np.zeros(len(judged.topic), dtype=bool)
        self.returned[_items_of_keys(judged, complete, key[~is_topic])] = True

    def of_join(self, positions: Positions) -> tuple[np.ndarray, np.ndarray]:
        """Return the same for a join of a part of the topics and items, as `blocks.items_returned` does."""
        part, judged = positions.judged, self.judged
        topic, doc = part.queries.probe(judged.queries), part.docs.probe(judged.docs)
        key = topic[part.topic].astype(np.int64) * len(judged.docs) + doc[part.doc]
        return self.size[topic], self.returned[np.searchsorted(judged.key(), key)]
