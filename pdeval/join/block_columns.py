"""The columns of a block: one function each, of the name by which kernels ask for it.

An item column is made for all blocks of a view at once, as a flat array; a topic column block by block.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdeval.join import ids
from pdeval.join import lists as list_index
from pdeval.join.lists import ranges
from pdeval.join.positions import Positions
from pdeval.tables.reader import Table, numbers
from pdeval.verbs.registry import Registry

if TYPE_CHECKING:
    from pdeval.join.blocks import Block, View

ITEM_COLUMNS: Registry[Callable[[View], np.ndarray]] = Registry("item column")
TOPIC_COLUMNS: Registry[Callable[[Block], Any]] = Registry("topic column")
NOWHERE = 1 << 40  # stands for infinity among whole numbers


def item_column(make: Callable[[View], np.ndarray]) -> Callable[[View], np.ndarray]:
    """Register a function as the maker of the item column of its name."""
    return ITEM_COLUMNS.add(make.__name__, make, make.__module__)


def topic_column(make: Callable[[Block], Any]) -> Callable[[Block], Any]:
    """Register a function as the maker of the topic column of its name."""
    return TOPIC_COLUMNS.add(make.__name__, make, make.__module__)


def _definite(view: View) -> None:
    if view.positions.rules.get("ties") == "expected":
        raise ValueError("ties='expected' gives no definite ranks; choose another ties=.")


@item_column
def rank(view: View) -> np.ndarray:
    """Ranks of the items, ascending; infinity where not retrieved."""
    _definite(view)
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
    _definite(view)
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
    return np.ascontiguousarray(-np.sort(-view.grades[row], axis=-1).T)[:, :, None]


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
    return block.view.nonrelevants_found[block.topics]


@topic_column
def corpus(block: Block) -> np.ndarray:
    """Different items in all rankings and judgments of the topic together."""

    view = block.view
    if "corpus" not in view.made:
        view.made["corpus"] = corpus_sizes(view.positions, view.level)
    return view.made["corpus"][block.topics][:, None].astype(np.float64)


def _belongs(block: Block) -> np.ndarray:
    """Return membership of shape (topics, items, subtopics), padded with empty subtopics."""
    item, subtopic, first, count = block.view.members
    size = first[block.topics + 1] - first[block.topics]
    pair = ranges(first[block.topics], size)
    cells = np.zeros((len(block.topics), block.size, int(count[block.topics].max(initial=1))), dtype=bool)
    cells[np.repeat(np.arange(len(size)), size), block.view.slot[item[pair]], subtopic[pair]] = True
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
    never = positions.judged.topic[positions.relevant(level) & ~returned]
    return size + np.bincount(never, minlength=len(size))


def items_returned(positions: Positions) -> tuple[np.ndarray, np.ndarray]:
    """Return how many different items the rankings of every topic hold, and which judged items are among them.

    Examples
    --------
    >>> import pdeval
    >>> size, returned = items_returned(pdeval.datasets.sample_judged().positions)
    >>> len(size), bool(returned.mean() > 0.5)
    (50, True)
    """
    if positions.source is None:
        raise ValueError("the number of items of a query is counted from the run table, which this join no longer has.")
    size, returned = _counted(positions)
    if positions.rules.get("judged_only"):  # the others were taken out of the rankings
        returned = returned & (positions.judged.grade >= 0)
        size = np.bincount(positions.judged.topic[returned], minlength=len(size))
    return size, returned


def _counted(positions: Positions) -> tuple[np.ndarray, np.ndarray]:
    elsewhere: Any = getattr(positions.source, "returned", None)
    if elsewhere is not None:  # the rows are somewhere else, and were counted there
        found: tuple[np.ndarray, np.ndarray] = elsewhere.of_join(positions)
        return found
    runs, _ = positions.source  # type: ignore[misc]
    judged = positions.judged
    found_lists = list_index.find_lists(runs)
    topic = found_lists.queries.probe(judged.queries)[found_lists.query]
    docs, code = ids.column_ids(runs.column("doc"), "doc").unique()
    code = code if found_lists.order is None else code[found_lists.order]
    row_topic = np.repeat(topic, found_lists.sizes)
    known = row_topic >= 0
    ranked = np.unique(row_topic[known].astype(np.int64) * len(docs) + code[known])
    size = np.bincount(ranked // len(docs), minlength=len(judged.queries))
    place = judged.docs.probe(docs)[judged.doc]
    returned = place >= 0
    returned[returned] = np.isin(judged.topic[returned].astype(np.int64) * len(docs) + place[returned], ranked)
    return size, returned


def inverse_propensities(positions: Positions) -> np.ndarray:
    """Return 1 / the propensity of each judged item; 0 where it has no positive grade, and so never counts.

    Examples
    --------
    >>> import pandas as pd, pdeval
    >>> runs = pd.DataFrame({"user_id": "u", "item_id": ["x", "y"], "score": [2, 1]})
    >>> clicks = pd.DataFrame({"user_id": "u", "item_id": ["x", "z"], "propensity": [0.5, 0.25]})
    >>> inverse_propensities(runs.ireval.join(clicks).positions).tolist()
    [2.0, 4.0]
    """
    if positions.source is None:
        raise ValueError("propensities are read from the judgments table, which this join no longer has.")
    table = positions.source[1]
    if "propensity" not in table:
        raise ValueError(
            "this measure counts every relevant item 1 / its propensity, and the judgments have no propensity column. "
            "Give them one, the probability that the item was judged, or bind it: qrels.ireval(propensity=...)."
        )
    judged = positions.judged
    grade = numbers(table.column("grade"), "judgments' grade")
    topic = ids.column_ids(table.column("query"), "judgments' query").probe(judged.queries)
    doc = ids.column_ids(table.column("doc"), "judgments' doc").probe(judged.docs)
    rows = np.flatnonzero((grade > 0) & (topic >= 0) & (doc >= 0))
    value = _checked(table, rows)
    key = topic[rows].astype(np.int64) * len(judged.docs) + doc[rows]
    place = np.searchsorted(judged.key(), key)
    known = place < len(judged.topic)  # labels that were taken out since have no place
    known[known] = judged.key()[place[known]] == key[known]
    place, value, rows = place[known], value[known], rows[known]
    weight = np.zeros(len(judged.topic))
    weight[place] = 1.0 / value
    differ = np.flatnonzero(weight[place] != 1.0 / value)
    if len(differ):
        said = _shown(table, rows[differ[0]])
        raise ValueError(f"the judgments have {len(differ):,} items with more than one propensity, e.g. {said}.")
    return weight


def _checked(table: Table, rows: np.ndarray) -> np.ndarray:
    """Return the propensities of some rows, or raise where they are no probabilities above 0."""
    column = table.column("propensity").iloc[rows]
    value = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    bad = np.flatnonzero(~((value > 0) & (value <= 1)))
    if len(bad):
        name, found = table.roles["propensity"], column.iloc[bad].tolist()[0]
        raise ValueError(
            f"the column {name!r} of the judgments holds {len(bad):,} values for relevant items that are no "
            f"probability above 0 and up to 1, e.g. {found!r} for {_shown(table, rows[bad[0]])}. An item that could "
            "never be judged has no estimate: leave it out, or clip propensities from below."
        )
    return value


def _shown(table: Table, row: int) -> tuple[Hashable, ...]:
    names = [table.roles["query"], table.roles["doc"]]
    return next(table.frame[names].iloc[[row]].itertuples(index=False, name=None))
