"""The catalog: the items that could be recommended, their popularity and features, and the lists in its codes.

Codes of items are places in `ids`. Arrays of items have one more row, the last, for no item: code -1 indexes it.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd

from pdeval.join.id_mismatch import examples, same_type
from pdeval.join.ids import Ids, column_ids
from pdeval.join.ranks import first_rows
from pdeval.join.rules import outside
from pdeval.kernels.beyond_accuracy import units
from pdeval.kernels.primitives import share
from pdeval.tables import HistoryTable, ItemTable, listed, read_history, read_items
from pdeval.verbs import sparse

if TYPE_CHECKING:
    from pdeval.join.positions import Rows


@dataclass(frozen=True, eq=False)
class Catalog:
    """Side tables of items and users.

    Parameters
    ----------
    items : ItemTable, optional
        The items that could be recommended; without it those of the history.
    history : HistoryTable, optional
        The items that users had before.
    given : tuple
        Both tables as the caller passed them.
    part : bool
        Whether it serves a part of the lists, whose users may all be without a history.
    """

    items: ItemTable | None = None
    history: HistoryTable | None = None
    given: tuple[object, object] = (None, None)
    part: bool = False

    def sent(self) -> Catalog:
        """Return the same for parts of the lists, elsewhere: with counts of interactions, without their rows."""
        copy = replace(self, given=(None, None), part=True)
        if self.history is not None:
            copy = replace(
                copy, history=HistoryTable(self.history.user.iloc[:0], self.history.item.iloc[:0])
            )
            # fills the cache of the properties, which the copy could not compute
            copy.__dict__.update({"ids": self.ids, "_interactions": self._interactions})
        return copy

    @cached_property
    def ids(self) -> Ids:
        """The ids of the items, by code."""
        if self.items is not None:
            return column_ids(self.items.ids, "items' doc").decoded()
        return self.history_items[0]

    @property
    def called(self) -> str:
        """The option with the items, for messages."""
        return "items=" if self.items is not None else "history="

    def needed(self, measure: str, *tables: str) -> None:
        """Raise if a measure needs a side table that is missing."""
        means = {
            "items": "items= (one row per item: its id, and its genres, features or numbers)",
            "history": "history= (what users had before: user, item)",
        }
        if missing := [means[name] for name in tables if getattr(self, name) is None]:
            raise ValueError(f"{measure} needs {' and '.join(missing)}.")

    def unknown(self, measure: str, name: str, others: str) -> KeyError:
        """Return the error for a column of items that does not exist."""
        has = (
            "it was not passed"
            if self.items is None
            else f"it has {listed(self.items.frame.columns)}"
        )
        return KeyError(
            f"{measure} needs {name!r}, which is not a column of items= ({has}); {others}."
        )

    @cached_property
    def history_items(self) -> tuple[Ids, np.ndarray]:
        """The different items of the history, and that of every interaction."""
        return column_ids(cast(HistoryTable, self.history).item, "history's doc").unique()

    @property
    def users(self) -> Ids:
        """The users of the history, by code."""
        return self._interactions[0]

    @property
    def keys(self) -> np.ndarray:
        """The different interactions as one integer each, rising: user times the number of items, plus item."""
        return self._interactions[1]

    @cached_property
    def _interactions(self) -> tuple[Ids, np.ndarray, np.ndarray]:
        """The users of the history, the keys of who had what, and how often each item was taken."""
        users, user = column_ids(cast(HistoryTable, self.history).user, "history's query").unique()
        known, item = self.history_items
        if self.items is not None:
            item = self._places_in_items(known)[item]
            user, item = user[item >= 0], item[item >= 0]
        taken = np.bincount(item, minlength=len(self.ids) + 1)
        # sorted by hand: numpy's unique hashes them, which takes longer
        keys = np.sort(user.astype(np.int64) * len(self.ids) + item)
        return users, keys[np.diff(keys, prepend=-1) != 0], taken

    def _places_in_items(self, known: Ids) -> np.ndarray:
        """Return the code of each item of the history, or -1; warn if items= does not have all of them."""
        same_type("doc", known, self.ids, "the history", "items=")
        place = known.probe(self.ids)
        lost = np.flatnonzero(place < 0)
        if len(lost) == len(known):
            raise ValueError(
                f"no item of the history is in items=: the history has {examples(known.index())}, items= has "
                f"{examples(self.ids.index())}. Use the same ids in both tables."
            )
        if len(lost):
            warnings.warn(
                f"{len(lost):,} of {len(known):,} items of the history are not in items=, e.g. "
                f"{known.index().tolist()[lost[0]]!r}; they do not count.",
                UserWarning,
                stacklevel=outside(),
            )
        return place

    @cached_property
    def popularity(self) -> np.ndarray:
        """The fraction of users that had each item: of the history, or from items=."""
        given = None if self.items is None else self.items.column("popularity")
        if given is None:
            users_of_item = np.bincount(self.keys % len(self.ids), minlength=len(self.ids) + 1)
            return users_of_item / len(self.users)
        wrong = given[(given < 0) | (given > 1)]
        if len(wrong):
            raise ValueError(
                f"the popularity in items= must be the fraction of users that had the item, between 0 and 1, found "
                f"{wrong[0]:g}. Divide by the number of users, or drop the column and pass history=."
            )
        return np.append(given, 0.0)

    @cached_property
    def choice(self) -> np.ndarray:
        """The fraction of all interactions of the history that were with each item."""
        taken = self._interactions[2].astype(np.float64)
        return taken / taken.sum()

    @cached_property
    def popularity_rank(self) -> np.ndarray:
        """The quantile of each item's popularity among items that a user had; 0 if no user had it."""
        # items that no user had are missing values, which get no rank
        had = pd.Series(self.popularity).where(self.popularity > 0)
        return had.rank(method="average", pct=True).fillna(0.0).to_numpy()

    @cached_property
    def popularity_place(self) -> np.ndarray:
        """The place of each item by popularity, from 1, equal for equal popularity; 0 if no user had it."""
        had = pd.Series(self.popularity).where(self.popularity > 0)
        return had.rank(method="dense", ascending=False).fillna(0.0).to_numpy()

    @cached_property
    def features(self) -> np.ndarray:
        """The features of each item, (items + 1, features)."""
        values, _ = cast(ItemTable, self.items).features()  # `needed` has checked it
        return np.concatenate([values, np.zeros((1, values.shape[1]))])

    def numbers(self, name: str) -> np.ndarray | None:
        """Return a column of numbers of the items, or None if it does not exist."""
        column = None if self.items is None else self.items.column(name)
        return None if column is None else np.append(column, 0.0)

    def user_of(self, queries: Ids) -> np.ndarray:
        """Return the code of each query's user in the history, or -1; raise if no user of all lists is there."""
        same_type("query", self.users, queries, "the history", "the runs")
        user = queries.probe(self.users)
        if not self.part and not (user >= 0).any():
            raise ValueError(
                f"no user of the runs is in the history: the runs have {examples(queries.index())}, the history "
                f"{examples(self.users.index())}. Use the same ids in both tables."
            )
        return user

    def _mean_of_had(self, values: np.ndarray) -> np.ndarray:
        """Return the mean of values of items over the items of each user; 0 in the last row, of no user."""
        # a key is (user, item) as one number
        owner, item = np.divmod(self.keys, len(self.ids))
        shape = (len(self.users), len(self.ids))
        mean = np.zeros((len(self.users) + 1, values.shape[1]))
        mean[:-1] = (
            sparse.csr_matrix((np.ones(len(item)), (owner, item)), shape=shape) @ values[:-1]
        )
        return mean / np.maximum(self.had, 1.0)[:, None]

    @cached_property
    def had(self) -> np.ndarray:
        """The number of items that each user had; 0 in the last row, of no user."""
        return np.bincount(self.keys // len(self.ids), minlength=len(self.users) + 1).astype(
            np.float64
        )

    @cached_property
    def had_popularity(self) -> np.ndarray:
        """The mean popularity of the items that each user had."""
        return self._mean_of_had(self.popularity[:, None])[:, 0]

    @cached_property
    def profiles(self) -> np.ndarray:
        """The mean over each user's items of the fractions of their features: (users + 1, features)."""
        return self._mean_of_had(share(self.features, self.features.sum(axis=1, keepdims=True)))

    @cached_property
    def tastes(self) -> np.ndarray:
        """The mean direction of the features of what each user had: (users + 1, features)."""
        return self._mean_of_had(units(self.features))


def catalog_of(items: object, history: object) -> Catalog | None:
    """Return the catalog of side tables, None without side tables.

    Examples
    --------
    >>> history = pd.DataFrame({"user_id": ["u", "v", "v"], "item_id": ["a", "a", "b"]})
    >>> catalog = catalog_of(None, history)
    >>> catalog.ids.index().tolist(), catalog.popularity.tolist()
    (['a', 'b'], [1.0, 0.5, 0.0])
    """
    if items is None and history is None:
        return None
    return Catalog(
        None if items is None else read_items(items),
        None if history is None else read_history(history),
        (items, history),
    )


@dataclass(frozen=True, eq=False)
class Listed:
    """The lists of a join, or of a part of its topics and runs.

    Parameters
    ----------
    rows : Rows
        The rows of all lists, sorted.
    catalog : Catalog
        The items that could be recommended.
    topics, runs : ndarray
        The places of the topics and runs of this part in the join; -1 for a run that has no list in it.
    depth : int, optional
        The rule of the join: items beyond it are ignored.
    """

    rows: Rows
    catalog: Catalog
    topics: np.ndarray
    runs: np.ndarray
    depth: int | None = None
    made: dict[int, np.ndarray] = field(default_factory=dict)
    user: list[np.ndarray] = field(default_factory=list)

    def keep_topics(self, kept: np.ndarray) -> Listed:
        """Return the lists of these topics."""
        return replace(self, topics=self.topics[kept])

    def keep_runs(self, kept: np.ndarray) -> Listed:
        """Return the lists of these runs."""
        return replace(self, runs=self.runs[kept])

    def users(self) -> np.ndarray:
        """Return the place of each topic's user in the history, or -1."""
        if (
            not self.user
        ):  # once for all topics: those of a part may all be of users without a history
            self.user.append(self.catalog.user_of(self.rows.judged.queries))
        return self.user[0][self.topics]

    def placed(self, place: np.ndarray, count: int) -> Listed:
        """Return the lists among `count` runs: each run at its new place, or at none if that is -1."""
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
        cached = [codes for cutoff, codes in self.made.items() if cutoff >= depth]
        codes = (cached[0] if cached else self._codes(depth))[
            :depth, self.topics[:, None], self.runs
        ]
        codes[:, :, self.runs < 0] = -1
        return codes

    def _codes(self, depth: int) -> np.ndarray:
        """Return the codes of all lists of the join, and keep them for smaller cutoffs."""
        rows, lists, catalog = self.rows, self.rows.lists, self.catalog
        place, list_of_row, rank = first_rows(
            rows.score, rows.order, rows.doc, lists, rows.ties, depth, rows.topic >= 0
        )
        doc = rows.doc.take(place if rows.order is None else rows.order[place])
        same_type("doc", doc, catalog.ids, "the run table", catalog.called)
        code = doc.probe(catalog.ids)
        if (code < 0).any():
            unknown = doc.take(np.flatnonzero(code < 0)).unique()[0].index()
            advice = (
                "add the missing items to items=, which must have every item that could be recommended"
                if catalog.called == "items="
                else "pass items= with every item that could be recommended"
            )
            raise ValueError(
                f"{len(unknown):,} recommended items are not in {catalog.called}: {examples(unknown)}; {advice}."
            )
        shape = depth, len(rows.judged.queries), len(lists.runs)
        codes = np.full(shape, -1, dtype=np.int32 if len(doc) < 2**31 else np.int64)
        codes[rank - 1, rows.topic[list_of_row], lists.run[list_of_row]] = code
        self.made.clear()
        self.made[depth] = codes
        return codes


def all_lists(rows: Rows, catalog: Catalog, depth: int | None) -> Listed:
    """Return all lists of a join."""
    return Listed(
        rows, catalog, np.arange(len(rows.judged.queries)), np.arange(len(rows.lists.runs)), depth
    )
