"""Both tables of a join made ready: judgments as arrays, runs as lists, the scores of each list sorted."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.join import duplicates, ids, judgments, ranks
from pdeval.join import lists as list_index
from pdeval.join.judgments import Judgments
from pdeval.join.lists import Lists
from pdeval.join.ranks import Ties
from pdeval.tables.codes import looked_up
from pdeval.tables.labels import run_labels
from pdeval.tables.reader import Table, numbers, together
from pdeval.verbs.arguments import is_whole, whole

Compat = Literal["trec_eval-10", "trec_eval-9", "pref_eval"]


class Rows(NamedTuple):
    """Both tables made ready: what every verb needs that looks at all rows of the runs.

    Parameters
    ----------
    tables : (Table, Table)
        The runs and the judgments.
    judged : Judgments
        The judged items.
    lists : Lists
        The lists of the runs; `topic` is that of each, or -1.
    doc : Ids
        The items, in the order of the caller's rows.
    score, order : ndarray, ndarray or None
        The scores list after list, best first, and the caller's row of each; None where rows stand so already.
    ties : str
        The order inside a list.
    gaps : str, optional
        What to say of ranks with gaps, where there are some.
    """

    tables: tuple[Table, Table]
    judged: Judgments
    lists: Lists
    topic: np.ndarray
    doc: ids.Ids
    score: np.ndarray
    order: np.ndarray | None
    ties: Ties
    gaps: str | None = None


def rows_of(
    runs: Table,
    qrels: Table,
    *,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    depth: int | None = None,
    validate: bool = True,
    complete: bool = True,
) -> Rows:
    """Return both tables made ready to be joined, under the rules of `join`."""
    ties = checked_rules(ties, compat, depth, runs)
    if len(runs.frame) == 0:
        raise ValueError("the run table is empty; there is nothing to evaluate.")
    judged, found, doc, score = together(
        lambda: judgments.read_judgments(qrels, complete=complete),
        lambda: list_index.find_lists(runs),
        lambda: ids.column_ids(runs.column("doc"), "doc"),
        lambda: scores_of(runs, ties, compat),
    )
    together(
        lambda: same_type("query", found.queries.type, judged.queries.type),
        lambda: same_type("doc", doc.type, judged.docs.type),
        lambda: duplicates.no_duplicates(runs, doc, found) if validate else None,
    )
    score, order = sorted_scores(score, found, ties)
    topic = found.queries.probe(judged.queries)[found.query]
    if not (topic >= 0).any():
        raise NothingJudged("query", found.queries, judged.queries)
    return Rows((runs, qrels), judged, found, topic, doc, score, order, ties, closed_gaps(score, found, ties))


class NothingJudged(ValueError):
    """No query, or no item, of the runs is judged."""

    def __init__(self, role: str, runs: ids.Ids, judged: ids.Ids) -> None:
        self.some = f"the runs have {_some(runs.index())}, the judgments {_some(judged.index())}"
        self.role = role
        super().__init__(f"no {role} of the runs is judged: {self.some}. Make the ids alike.")


def checked_rules(ties: Ties | None, compat: str, depth: object, runs: Table) -> Ties:
    """Return the order inside a list that rules and table ask for, or raise where they do not go together."""
    if compat not in ("trec_eval-10", "trec_eval-9", "pref_eval"):
        raise ValueError(f"compat={compat!r}: choose 'trec_eval-10', 'trec_eval-9' or 'pref_eval'.")
    if ties not in (None, "docid", "rank", "first", "expected"):
        raise ValueError(f"ties={ties!r}: choose 'docid', 'rank', 'first' or 'expected'.")
    if depth is not None and (not is_whole(depth) or depth < 1):
        raise ValueError(f"depth={depth!r}: give a whole number of at least 1, or None for all.")
    if depth is not None:
        whole("depth", depth, 1, np.iinfo(np.int64).max)
    if ties is None:
        ties = "docid" if "score" in runs else "rank"
    needed = "rank" if ties == "rank" else "score"
    if needed not in runs:
        raise ValueError(f"ties={ties!r} needs a {needed} column; bind one with df.ireval({needed}=...).")
    if ties == "expected" and depth is not None:
        raise ValueError("ties='expected' has no definite first items: leave out depth=, or choose another ties=.")
    return ties


def same_type(role: str, runs: str, qrels: str) -> None:
    """Raise where ids of the runs are strings and those of the judgments integers, or the other way round."""
    if runs != qrels:
        raise ValueError(
            f"the {role} ids are {runs} in the run table and {qrels} in the judgments, so none would match. "
            f"Convert one of them, e.g. with .astype(str)."
        )


def _some(labels: pd.Index) -> str:
    return ", ".join(repr(label) for label in labels[:3].tolist()) + (", ..." if len(labels) > 3 else "")


def scores_of(runs: Table, ties: Ties, compat: Compat) -> np.ndarray:
    """Return what lists are sorted by, the largest first."""
    if ties == "rank":
        return -numbers(runs.column("rank"), "rank")
    score = numbers(runs.column("score"), "score", narrow=True)  # compared, and never added up
    # trec_eval 9 holds scores as floats, so scores that differ beyond 24 bits are tied there
    if compat != "trec_eval-9":
        return score
    with np.errstate(over="ignore"):  # beyond a float's range they are infinite there
        return score.astype(np.float32)


def unjudged(found: Lists, doc: ids.Ids) -> tuple[Judgments, np.ndarray]:
    """Return judgments of nothing, of all queries that have a list, and the topic of each list."""
    queries, place = found.queries.unique()
    nothing = np.zeros(0, dtype=np.int64)
    return Judgments(queries, doc.take(nothing), nothing, nothing, np.zeros(0)), place[found.query]


def sorted_scores(score: np.ndarray, found: Lists, ties: Ties) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the scores list after list, best first, and the row of each; None where rows stand so already."""
    order = found.order
    score = score if order is None else looked_up(score, order)
    inside = ranks.sort_lists(score, found)
    if inside is not None:
        score = looked_up(score, inside)
        order = inside if order is None else looked_up(order, inside)
    if ties == "rank":
        _no_equal_ranks(score, found)
    return score, order


def have_gaps(first: np.ndarray, last: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return which lists of different ranks, by the first, the last and their number, are not 0, 1, 2... or 1, 2, 3...

    Examples
    --------
    >>> have_gaps(np.array([1, 0, 9, 1]), np.array([3, 2, 9, 4]), np.array([3, 3, 1, 3])).tolist()
    [False, False, True, True]
    """
    return (size > 0) & ((first * (first - 1) != 0) | (last - first + 1 != size))


def gaps_text(run: object, query: object, first: float, last: float, size: int, lists: int, total: int) -> str:
    """Return what to say of lists whose ranks have gaps: how many of all, and one of them."""
    items = "1 item" if size == 1 else f"{size:,} items"
    return (
        f"the ranks of {lists:,} of {total:,} lists have gaps, e.g. {first:g} to {last:g} for {items} in run {run!r}, "
        f"query {query!r}; the gaps are closed: these items count at ranks 1 to {size:,}."
    )


def closed_gaps(score: np.ndarray, found: Lists, ties: Ties) -> str | None:
    """Return what to say of gaps in the ranks by which lists were sorted, or None where there are none."""
    if ties != "rank":
        return None
    first, last, size = -score[found.starts[:-1]], -score[found.starts[1:] - 1], found.sizes
    gapped = have_gaps(first, last, size)
    if not gapped.any():
        return None
    one = int(np.lexsort((found.query, found.run, ~gapped))[0])  # the first run, whatever the order of rows
    query = found.queries.index().tolist()[found.query[one]]
    name = run_labels(found.runs)[found.run[one]]
    return gaps_text(name, query, first[one], last[one], int(size[one]), int(gapped.sum()), len(size))


def _no_equal_ranks(score: np.ndarray, found: Lists) -> None:
    equal = np.flatnonzero(score[1:] == score[:-1]) + 1
    equal = equal[found.starts[found.of_rows(equal)] != equal]
    if len(equal):
        one = found.of_rows(equal)[0]
        name = " / ".join(map(str, found.runs.iloc[found.run[one]]))
        query = found.queries.index().tolist()[found.query[one]]
        raise ValueError(
            f"{len(equal):,} rows share a rank with another row of their list, e.g. in run {name!r}, query {query!r}: "
            "the rank column gives no order. Use ties='docid' or ties='first'."
        )
