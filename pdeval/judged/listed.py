"""What each list holds, rank by rank, judged or not: the items down to a cutoff, as codes of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pdeval.judged.catalogue import Catalogue, alike
from pdeval.judged.ids import Ids
from pdeval.judged.positions import Positions, positions_of
from pdeval.judged.prepared import Rows, rows_of
from pdeval.judged.ranking import first_rows
from pdeval.kinds.tables import Table


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
