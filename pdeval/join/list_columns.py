"""What kernels of items see: the lists of some topics, rank by rank, as columns asked for by name.

Axis 0 is the rank, from the first item down to the cutoff; axis 1 the topic, axis 2 the run. Beyond the end of a list
there is no item: code -1, and 0 in columns of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from pdeval.join.ids import Ids
from pdeval.join.item_catalog import Catalogue, alike
from pdeval.join.positions import Positions, positions_of
from pdeval.join.ranking import first_rows
from pdeval.join.run_lists import Rows, rows_of
from pdeval.tables.reader import Table
from pdeval.verbs.registry import Registry


@dataclass(frozen=True, eq=False)
class Listed:
    """The lists of a join, of some of its topics and runs.

    Parameters
    ----------
    rows : Rows
        The rows of all lists, sorted.
    catalogue : Catalogue
        The items that could be recommended.
    topics, runs : ndarray
        The places of the topics and runs of this part in the whole; -1 for a run that has no list in it.
    depth : int, optional
        The rule of the join: no item beyond it is looked at.
    """

    rows: Rows
    catalogue: Catalogue
    topics: np.ndarray
    runs: np.ndarray
    depth: int | None = None
    made: dict[int, np.ndarray] = field(default_factory=dict)
    user: list[np.ndarray] = field(default_factory=list)

    def keep_topics(self, kept: np.ndarray) -> Listed:
        """Return the lists of these topics alone."""
        return replace(self, topics=self.topics[kept])

    def keep_runs(self, kept: np.ndarray) -> Listed:
        """Return the lists of these runs alone."""
        return replace(self, runs=self.runs[kept])

    def users(self) -> np.ndarray:
        """Return the place of each topic's user in the history, -1 where it has none of the user."""
        if not self.user:  # of the whole join, once: some of its topics may be of users without a history
            self.user.append(self.catalogue.user_of(self.rows.judged.queries))
        return self.user[0][self.topics]

    def placed(self, place: np.ndarray, count: int) -> Listed:
        """Return the lists among so many runs: each of these stands at its place, at none where that is -1."""
        runs = np.full(count, -1)
        runs[place[place >= 0]] = self.runs[place >= 0]
        return replace(self, runs=runs)

    def deepest(self) -> int:
        """Return the length of the longest list."""
        longest = int(self.rows.lists.sizes.max(initial=0))
        return longest if self.depth is None else min(longest, self.depth)

    def top(self, k: float) -> np.ndarray:
        """Return the codes of the items at ranks 1 to k, (k, topics, runs); -1 beyond the end of a list."""
        depth = max(int(min(k, self.deepest())), 1)
        known = [codes for deep, codes in self.made.items() if deep >= depth]
        whole = known[0] if known else self._codes(depth)
        codes = whole[:depth, self.topics[:, None], self.runs]
        codes[:, :, self.runs < 0] = -1
        return codes

    def _codes(self, depth: int) -> np.ndarray:
        rows, lists = self.rows, self.rows.lists
        place, own, rank = first_rows(rows.score, rows.order, rows.doc, lists, rows.ties, depth, rows.topic >= 0)
        doc = rows.doc.take(place if rows.order is None else rows.order[place])
        catalogue = self.catalogue
        alike("doc", doc, catalogue.ids, "the run table", catalogue.called)
        code = doc.probe(catalogue.ids)
        if (code < 0).any():
            raise _strangers(doc, code, catalogue.called)
        small = np.int32 if len(doc) < 2**31 else np.int64
        found = np.full((depth, len(rows.judged.queries), len(lists.runs)), -1, dtype=small)
        found[rank - 1, rows.topic[own], lists.run[own]] = code
        self.made.clear()
        self.made[depth] = found
        return found


def _strangers(doc: Ids, code: np.ndarray, called: str) -> ValueError:
    lost = doc.take(np.flatnonzero(code < 0)).unique()[0].index()
    some = ", ".join(map(repr, lost[:3].tolist())) + (", ..." if len(lost) > 3 else "")
    advice = (
        "add what is missing to items=, which holds every item that could be recommended"
        if called == "items="
        else "give items= with every item that could be recommended"
    )
    return ValueError(f"{len(lost):,} recommended items are not in {called}: {some}; {advice}.")


def whole_lists(rows: Rows, catalogue: Catalogue, depth: int | None) -> Listed:
    """Return all lists of a join."""
    return Listed(rows, catalogue, np.arange(len(rows.judged.queries)), np.arange(len(rows.lists.runs)), depth)


def join_lists(runs: Table, qrels: Table, catalogue: Catalogue, **rules: Any) -> Positions:
    """Return the join of two tables under the rules of `positions.join`, with the lists that it was made from."""
    only = rules.pop("judged_only", False)
    rules["complete"] = rules.get("complete", True) or only
    rows = rows_of(runs, qrels, **rules)
    rules.pop("ties", None)
    listed = whole_lists(rows, catalogue, rules.get("depth"))
    positions = replace(positions_of(rows, **rules), listed=listed)
    return positions.only_judged() if only else positions


RANK_COLUMNS: Registry[tuple[Callable[[ListBlock], Any], tuple[str, ...]]] = Registry("rank column")
POPULAR = ("popularity", "popularity_rank", "popularity_place", "users")
OF_USERS = ("seen", "had", "had_popularity", "profile", "taste")
MOST = 1 << 20  # cells of a block, by features where a kernel looks at them


class ListBlock:
    """The lists of some topics down to a cutoff; `block["item"]` is the column of that name."""

    def __init__(self, positions: Positions, level: float | None, measure: str, topics: np.ndarray, k: int) -> None:
        self.listed = lists_of(positions, measure).keep_topics(topics)
        self.positions, self.level, self.measure = positions, level, measure
        self.topics, self.size = topics, k
        self.shape = (len(topics), len(positions.runs))
        self.made: dict[str, Any] = {}

    @property
    def catalogue(self) -> Catalogue:
        """What is known of the items."""
        return self.listed.catalogue

    def __getitem__(self, name: str) -> Any:
        if name not in self.made:
            self.made[name] = self._column(name)
        return self.made[name]

    def _column(self, name: str) -> Any:
        if name in RANK_COLUMNS:
            return RANK_COLUMNS[name][0](self)
        own: Any = self.catalogue.numbers(name)  # `check_columns` has seen to it
        return own[self["item"]]

    def columns(self, names: tuple[str, ...]) -> list[Any]:
        """Return several columns."""
        return [self[name] for name in names]


def list_blocks(
    positions: Positions, level: float | None, measure: str, k: float, columns: tuple[str, ...]
) -> Iterator[ListBlock]:
    """Yield the lists of a join, some topics at a time: fewer where a kernel looks at features."""
    listed = lists_of(positions, measure)
    check_columns(listed.catalogue, measure, columns)
    depth = max(int(min(k, listed.deepest())), 1)
    each = depth * len(positions.runs) * (listed.catalogue.features.shape[1] if "features" in columns else 1)
    step = max(MOST // max(each, 1), 1)
    for at in range(0, len(positions.queries), step):
        yield ListBlock(positions, level, measure, np.arange(at, min(at + step, len(positions.queries))), depth)


def check_columns(catalogue: Catalogue, measure: str, columns: tuple[str, ...]) -> None:
    """Raise where a measure asks for what side tables do not tell."""
    needs = {table for name in columns if name in RANK_COLUMNS for table in RANK_COLUMNS[name][1]}
    catalogue.needed(measure, *sorted(needs, reverse=True))
    for name in columns:
        if name in POPULAR:
            popular(catalogue, measure)
        elif name not in RANK_COLUMNS and catalogue.numbers(name) is None:
            raise catalogue.unknown(measure, name, f"a kernel also has {', '.join(sorted(RANK_COLUMNS))}")


def lists_of(positions: Positions, measure: str) -> Listed:
    """Return the lists that a measure of items looks at, or raise where nothing says which items there are."""
    check_lists(positions.listed is not None, positions.rules, measure)
    return cast("Listed", positions.listed)


def check_lists(there: bool, rules: dict[str, Any], measure: str) -> None:
    """Raise where nothing says which items there are, or some were taken out of the lists."""
    if not there:
        raise ValueError(
            f"{measure} looks at the items of lists: give items= (one row per item that could be recommended), "
            "history= (what users had before: user, item), or both."
        )
    if rules.get("judged_only"):
        raise ValueError(
            f"{measure} looks at all items of a list, and judged_only=True takes out those that nobody judged. "
            "Ask for it in a call without judged_only."
        )


def rank_column(*needs: str) -> Callable[[Callable[[ListBlock], Any]], Callable[[ListBlock], Any]]:
    """Register a function as the maker of the column of its name, and the side tables that it needs."""

    def declare(make: Callable[[ListBlock], Any]) -> Callable[[ListBlock], Any]:
        RANK_COLUMNS.add(make.__name__, (make, needs), make.__module__)
        return make

    return declare


@rank_column()
def item(block: ListBlock) -> np.ndarray:
    """Codes of the items, rank by rank; -1 beyond the end of a list."""
    return block.listed.top(block.size)


@rank_column()
def listed(block: ListBlock) -> np.ndarray:
    """Whether the list has an item at that rank."""
    return block["item"] >= 0


@rank_column()
def rank(block: ListBlock) -> np.ndarray:
    """Ranks from 1; infinity beyond the end of a list."""
    return np.where(block["listed"], np.arange(1.0, block.size + 1)[:, None, None], np.inf)


@rank_column()
def retrieved(block: ListBlock) -> np.ndarray:
    """How many items each run returned."""
    return block.positions.retrieved[block.topics].astype(np.float64)


@rank_column()
def catalogue(block: ListBlock) -> float:
    """How many items could be recommended."""
    return float(len(block.catalogue.ids))


@rank_column()
def grade(block: ListBlock) -> np.ndarray:
    """Grades of the items; 0 where nobody judged them."""
    at = block.positions
    # items are sorted by topic, hits by item, and the topics of a block follow each other
    begin, end = block.topics[0], block.topics[-1] + 1
    begin, end = np.searchsorted(at.item, np.searchsorted(at.judged.topic, [begin, end]))
    hit = np.flatnonzero(at.rank[begin:end] <= block.size) + begin
    topic = at.judged.topic[at.item[hit]] - block.topics[0]
    values = np.zeros((block.size, *block.shape))
    # a negative grade says that nobody judged the item
    values[at.rank[hit].astype(np.int64) - 1, topic, at.run[hit]] = np.maximum(at.judged.grade[at.item[hit]], 0)
    return values


@rank_column()
def relevant(block: ListBlock) -> np.ndarray:
    """Which items are relevant at the level."""
    grades = block["grade"]
    return grades > 0 if block.level is None else (grades >= block.level) & (grades > 0)


def _at_rank(block: ListBlock, values: np.ndarray) -> np.ndarray:
    return values[block["item"]]


def popular(known: Catalogue, measure: str) -> Catalogue:
    """Return the catalogue where it knows how popular items are; raise where a measure needs that."""
    if known.history is None and (known.items is None or known.items.column("popularity") is None):
        known.lacks(measure, ["history"])
    return known


@rank_column()
def popularity(block: ListBlock) -> np.ndarray:
    """Share of the users of the history that had the item."""
    return _at_rank(block, popular(block.catalogue, block.measure).popularity)


@rank_column()
def popularity_rank(block: ListBlock) -> np.ndarray:
    """Quantile of the item's popularity among items that someone had; 1 for the most popular."""
    return _at_rank(block, popular(block.catalogue, block.measure).popularity_rank)


@rank_column()
def popularity_place(block: ListBlock) -> np.ndarray:
    """Place of the item by popularity, from 1, items of one popularity sharing it; 0 where nobody had it."""
    return _at_rank(block, popular(block.catalogue, block.measure).popularity_place)


@rank_column("history")
def choice(block: ListBlock) -> np.ndarray:
    """Share of all interactions of the history that were with the item."""
    return _at_rank(block, block.catalogue.choice)


@rank_column()
def users(block: ListBlock) -> float:
    """How many users the history has; where items= says how popular items are, those that the least popular tells."""
    known = popular(block.catalogue, block.measure)
    if known.history is not None:
        return float(len(known.users))
    return 1.0 / float(known.popularity[known.popularity > 0].min(initial=1.0))


def _of_user(block: ListBlock, values: np.ndarray) -> np.ndarray:
    """Return values of users, (users + 1, ...), for the topics of a block; the last for those without a history."""
    return values[block.listed.users()]


@rank_column("history")
def seen(block: ListBlock) -> np.ndarray:
    """Whether the user had the item before."""
    known, code = block.catalogue, block["item"]
    user = block.listed.users().astype(np.int64)[:, None]
    key = user * len(known.ids) + code
    place = np.minimum(np.searchsorted(known.keys, key), len(known.keys) - 1)
    return (known.keys[place] == key) & (user >= 0) & (code >= 0)


@rank_column("history")
def had(block: ListBlock) -> np.ndarray:
    """How many items the user had before."""
    return _of_user(block, block.catalogue.had)[:, None]


@rank_column("history")
def had_popularity(block: ListBlock) -> np.ndarray:
    """Mean popularity of the items that the user had before."""
    return _of_user(block, block.catalogue.had_popularity)[:, None]


@rank_column("items")
def features(block: ListBlock) -> np.ndarray:
    """The features of all items, (items + 1, features): `features[item]` are those of the items of the lists."""
    return block.catalogue.features


@rank_column("items", "history")
def profile(block: ListBlock) -> np.ndarray:
    """What the user had before, as shares of features: (features, topics, 1)."""
    return _of_user(block, block.catalogue.profiles).T[:, :, None]


@rank_column("items", "history")
def taste(block: ListBlock) -> np.ndarray:
    """Mean direction of the features of what the user had before: (features, topics, 1)."""
    return _of_user(block, block.catalogue.tastes).T[:, :, None]
