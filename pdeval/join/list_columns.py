"""The input of kernels of items: the lists of a block of topics, rank by rank, as columns requested by name.

Axis 0 is the rank, from the first item down to the cutoff; axis 1 the topic, axis 2 the run. Beyond the end of a list
there is no item: code -1, and 0 in columns of numbers.
"""

from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np

from pdeval.join.blocks import NamedColumns
from pdeval.join.item_catalog import Catalog, Listed
from pdeval.join.positions import Positions

POPULAR = ("popularity", "popularity_rank", "popularity_place", "users")
OF_USERS = ("seen", "had", "had_popularity", "profile", "taste")
MOST = 1 << 20  # cells of a block, times features if a kernel uses them


class ListBlock(NamedColumns):
    """The lists of a block of topics down to a cutoff."""

    def __init__(
        self, positions: Positions, level: float | None, measure: str, topics: np.ndarray, k: int
    ) -> None:
        self.listed = lists_of(positions, measure).keep_topics(topics)
        self.catalog = self.listed.catalog
        self.positions, self.level, self.measure = positions, level, measure
        self.topics, self.size = topics, k
        self.shape = (len(topics), len(positions.runs))
        self.made = {}

    @property
    def popular(self) -> Catalog:
        """The items, if their popularity is known."""
        return popular(self.catalog, self.measure)

    def of_users(self, values: np.ndarray) -> np.ndarray:
        """Return values of users, (users + 1, ...), for the topics; the last row for those without a history."""
        return values[self.listed.users()]

    def _column(self, name: str) -> Any:
        if name in RANK_COLUMNS:
            return RANK_COLUMNS[name][0](self)
        return cast(np.ndarray, self.catalog.numbers(name))[
            self["item"]
        ]  # `check_columns` has checked it


def list_blocks(
    positions: Positions, level: float | None, measure: str, k: float, columns: tuple[str, ...]
) -> Iterator[ListBlock]:
    """Yield the lists of a join in blocks of topics, smaller ones if a kernel uses features."""
    listed = lists_of(positions, measure)
    check_columns(listed.catalog, measure, columns)
    depth = max(int(min(k, listed.deepest())), 1)
    width = listed.catalog.features.shape[1] if "features" in columns else 1
    step = max(MOST // max(depth * len(positions.runs) * width, 1), 1)
    for at in range(0, len(positions.queries), step):
        yield ListBlock(
            positions, level, measure, np.arange(at, min(at + step, len(positions.queries))), depth
        )


def check_columns(catalog: Catalog, measure: str, columns: tuple[str, ...]) -> None:
    """Raise if a measure needs side tables, or columns of them, that are missing."""
    needs = {table for name in columns if name in RANK_COLUMNS for table in RANK_COLUMNS[name][1]}
    catalog.needed(measure, *sorted(needs, reverse=True))
    for name in columns:
        if name in POPULAR:
            popular(catalog, measure)
        elif name not in RANK_COLUMNS and catalog.numbers(name) is None:
            raise catalog.unknown(
                measure, name, f"a kernel also has {', '.join(sorted(RANK_COLUMNS))}"
            )


def lists_of(positions: Positions, measure: str) -> Listed:
    """Return the lists of a join with their items, or raise if there are no side tables."""
    check_lists(positions.listed is not None, positions.rules, measure)
    return cast("Listed", positions.listed)


def check_lists(there: bool, rules: dict[str, Any], measure: str) -> None:
    """Raise if there are no side tables, or items were removed from the lists."""
    if not there:
        raise ValueError(
            f"{measure} needs the items of lists. Pass items= (one row per item that could be recommended), "
            "history= (what users had before: user, item), or both."
        )
    if rules.get("judged_only"):
        raise ValueError(
            f"{measure} needs all items of a list, but judged_only=True removes unjudged items. "
            "Compute it in a call without judged_only."
        )


def popular(catalog: Catalog, measure: str) -> Catalog:
    """Return the catalog if it has the popularity of items, else raise."""
    if catalog.items is None or catalog.items.column("popularity") is None:
        catalog.needed(measure, "history")
    return catalog


def _grades(block: ListBlock) -> np.ndarray:
    at = block.positions
    # items are sorted by topic, hits by item, and the topics of a block are consecutive: its hits are one span
    begin, end = np.searchsorted(
        at.item, np.searchsorted(at.judged.topic, [block.topics[0], block.topics[-1] + 1])
    )
    hit = np.flatnonzero(at.rank[begin:end] <= block.size) + begin
    topic = at.judged.topic[at.item[hit]] - block.topics[0]
    grades = np.zeros((block.size, *block.shape))
    # an item of negative grade is unjudged
    grades[at.rank[hit].astype(np.int64) - 1, topic, at.run[hit]] = np.maximum(
        at.judged.grade[at.item[hit]], 0
    )
    return grades


def _relevant(block: ListBlock) -> np.ndarray:
    grades = block["grade"]
    return grades > 0 if block.level is None else (grades >= block.level) & (grades > 0)


def _seen(block: ListBlock) -> np.ndarray:
    catalog, code = block.catalog, block["item"]
    user = block.listed.users().astype(np.int64)[:, None]
    # (user, item) as one integer, looked up among the sorted ones of the history
    key = user * len(catalog.ids) + code
    place = np.minimum(np.searchsorted(catalog.keys, key), len(catalog.keys) - 1)
    return (catalog.keys[place] == key) & (user >= 0) & (code >= 0)


def _number_of_users(block: ListBlock) -> float:
    """Return the users of the history; if items= gives popularities, as many as the smallest one implies."""
    catalog = block.popular
    if catalog.history is not None:
        return float(len(catalog.users))
    return 1.0 / float(catalog.popularity[catalog.popularity > 0].min(initial=1.0))


# the columns, and the side tables that each needs
RANK_COLUMNS: dict[str, tuple[Callable[[ListBlock], Any], tuple[str, ...]]] = {
    # codes of the items, rank by rank; -1 beyond the end of a list
    "item": (lambda block: block.listed.top(block.size), ()),
    # whether the list has an item at that rank
    "listed": (lambda block: block["item"] >= 0, ()),
    # ranks from 1; infinity beyond the end of a list
    "rank": (
        lambda block: np.where(
            block["listed"], np.arange(1.0, block.size + 1)[:, None, None], np.inf
        ),
        (),
    ),
    # items that each run returned
    "retrieved": (lambda block: block.positions.retrieved[block.topics].astype(np.float64), ()),
    # items that could be recommended
    "catalog": (lambda block: float(len(block.catalog.ids)), ()),
    # grades of the items, 0 for unjudged ones, and which are relevant at the level
    "grade": (_grades, ()),
    "relevant": (_relevant, ()),
    # fraction of the users of the history that had the item
    "popularity": (lambda block: block.popular.popularity[block["item"]], ()),
    # quantile of the item's popularity among items that a user had; 1 for the most popular
    "popularity_rank": (lambda block: block.popular.popularity_rank[block["item"]], ()),
    # place of the item by popularity, from 1, items of equal popularity sharing it; 0 if no user had it
    "popularity_place": (lambda block: block.popular.popularity_place[block["item"]], ()),
    # fraction of all interactions of the history that were with the item
    "choice": (lambda block: block.catalog.choice[block["item"]], ("history",)),
    "users": (_number_of_users, ()),
    # whether the user had the item before
    "seen": (_seen, ("history",)),
    # the number of items that the user had before, and their mean popularity
    "had": (lambda block: block.of_users(block.catalog.had)[:, None], ("history",)),
    "had_popularity": (
        lambda block: block.of_users(block.catalog.had_popularity)[:, None],
        ("history",),
    ),
    # the features of all items, (items + 1, features): `features[item]` are those of the items of the lists
    "features": (lambda block: block.catalog.features, ("items",)),
    # what the user had before, as fractions of features: (features, topics, 1)
    "profile": (
        lambda block: block.of_users(block.catalog.profiles).T[:, :, None],
        ("items", "history"),
    ),
    # mean direction of the features of what the user had before: (features, topics, 1)
    "taste": (
        lambda block: block.of_users(block.catalog.tastes).T[:, :, None],
        ("items", "history"),
    ),
}
