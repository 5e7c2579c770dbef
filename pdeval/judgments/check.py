"""The accounting of a join: what each run answered, missed and returned, before any number is believed."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.join import duplicates
from pdeval.join import lists as list_index
from pdeval.join.ids import Ids, column_ids
from pdeval.join.item_catalog import alike
from pdeval.join.judged import Judged, checked_level
from pdeval.join.positions import Positions, positions_of
from pdeval.join.run_lists import Rows, have_gaps, rows_of
from pdeval.tables.items_and_history import read_history
from pdeval.tables.labels import labels
from pdeval.tables.reader import Table, numbers, read
from pdeval.tables.schemas import table
from pdeval.verbs import verb


def leaks(rows: Rows, positions: Positions, history: object, level: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Return how many items of each list its user has, and how many relevant items of each topic.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdeval.join.positions import positions_of
    >>> from pdeval.join.run_lists import rows_of
    >>> from pdeval.tables.reader import read
    >>> runs = pd.DataFrame({"user_id": "u", "item_id": ["a", "b"], "score": [2, 1]})
    >>> tested = pd.DataFrame({"user_id": "u", "item_id": ["b", "c"], "rating": 1})
    >>> rows = rows_of(read(runs, "runs"), read(tested, "qrels"))
    >>> had = pd.DataFrame({"user_id": ["u", "u"], "item_id": ["a", "c"]})
    >>> [found.tolist() for found in leaks(rows, positions_of(rows), had, None)]
    [[1], [1]]
    """
    table = read_history(history)
    users, user = column_ids(table.user, "history's query").unique()
    items, item = column_ids(table.item, "history's doc").unique()
    keys = np.unique(user.astype(np.int64) * len(items) + item)
    judged, lists = positions.judged, rows.lists
    alike("query", users, lists.queries, "the history", "the runs")
    alike("doc", items, rows.doc, "the history", "the runs")
    of_list = _place(lists.queries, users)[lists.query]
    if not (of_list >= 0).any():
        raise ValueError(
            f"no user of the runs is in the history: the runs have {_some(lists.queries)}, the history {_some(users)}. "
            "Make the ids alike."
        )
    had = rows.doc.probe(items) if rows.lists.order is None else rows.doc.probe(items)[rows.lists.order]
    again = _known(np.repeat(of_list, lists.sizes), had, keys, len(items))
    leaked = np.add.reduceat(again, lists.starts[:-1], dtype=np.int64)
    wanted = np.flatnonzero(positions.relevant(level))
    tested = _known(
        _place(judged.queries, users)[judged.topic[wanted]],
        _place(judged.docs, items)[judged.doc[wanted]],
        keys,
        len(items),
    )
    return leaked, np.bincount(judged.topic[wanted], tested, minlength=len(judged.queries)).astype(np.int64)


def _place(some: Ids, known: Ids) -> np.ndarray:
    return some.probe(known).astype(np.int64)


def _known(user: np.ndarray, item: np.ndarray, keys: np.ndarray, items: int) -> np.ndarray:
    """Return which pairs of a user and an item (-1 where unknown) are among the keys."""
    key = user.astype(np.int64) * items + item
    place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    return (keys[place] == key) & (user >= 0) & (item >= 0)


def _some(ids: Ids) -> str:
    return ", ".join(map(repr, ids.index()[:3].tolist())) + (", ..." if len(ids) > 3 else "")


table(
    "accounting",
    "run answered:int missing:int extra:int without_relevant:int rows:int duplicates:int tied:share tied_integers:int "
    "misranked:int rank_gaps:int judged:share [had:int] [tested_before:int]",
    "accounting of runs",
    row="run",
    sort="run",
    means={
        "answered": "judged queries that the run answered",
        "missing": "queries with a relevant item that it did not answer",
        "extra": "queries that it answered and nobody judged",
        "without_relevant": "queries that it answered and that have no relevant item",
        "rows": "items that it returned",
        "duplicates": "items that it returned again for the same query",
        "tied": "share of its items whose score another item of the list has too",
        "tied_integers": "number of such items whose ids are integers, which are compared as text: 99 before 100",
        "misranked": "lists whose rank column contradicts the scores, and is ignored unless ties='rank'",
        "rank_gaps": "lists whose ranks are not 1, 2, 3, ... (or 0, 1, 2, ...); ties='rank' closes the gaps",
        "judged": "share of its items, on judged queries, that were judged",
        "had": "number of its items that the user has in the history, where that is given",
        "tested_before": "number of relevant items of the queries that it answered that are in their users' history",
    },
    unreported="it is read before numbers are believed; report .summary()",
    undrawn="it is a table to read: one row per run",
)


@verb(
    on="runs",
    gives="accounting",
    core=True,
    command=True,
    meant_by={"validate": "check(qrels)"},
    own="history",
)
def check(runs: Table, qrels: object, *, level: float | None = None, history: object = None) -> pd.DataFrame:
    """Return what each run answered, missed and returned, before any number is believed.

    Items are ranked by score, and those of equal score by id, in descending order of the ids as text, as trec_eval
    does: of the integers 99 and 100 the first is ranked above. `tied_integers` counts the items that this touches. A
    rank column beside a score is not read, unless by ties="rank"; `misranked` counts the lists where it says otherwise,
    that is, where an item of a larger rank has a larger score; `rank_gaps` counts the lists whose ranks leave some out.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        Judgments: query, doc, grade, maybe subtopic.
    history : DataFrame or bound accessor, optional
        What users had before (user, item): `had` then counts the items of lists that their users have already, and
        `tested_before` the relevant items that are in the history too, and so were known when the runs were made.

    Examples
    --------
    >>> import pdeval
    >>> found = pdeval.datasets.sample_judged().check()
    >>> found.loc[6:7, ["run", "answered", "missing", "rows", "tied", "judged"]].round(3)
             run  answered  missing  rows   tied  judged
    6         ql        48        2  4800  0.019   0.525
    7  rerank-s1        50        0  5000  0.024   0.517

    Of recommendations, what has leaked from the history is told:

    >>> runs, ratings, history, _, _ = pdeval.datasets.load_recommendations()
    >>> leaked = runs.ireval.check(ratings, level=4, history=history)
    >>> leaked.loc[leaked["had"] > 0, ["model", "factors", "rows", "had", "tested_before"]]
         model  factors  rows   had  tested_before
    6  itemknn       20  4800  1246              0
    """
    qrels, level = read(qrels, "qrels"), checked_level(level)
    rows = rows_of(runs, qrels, validate=False)
    lists, topic = rows.lists, rows.topic
    repeated = duplicates.rows_repeated(rows.doc, lists)
    positions = positions_of(rows, ranked=False)
    relevant = np.bincount(positions.judged.topic[positions.relevant(level)], minlength=len(positions.queries)) > 0
    known = topic >= 0
    wanted, unwanted = known & relevant[topic], known & ~relevant[topic]
    n_runs = len(lists.runs)

    def count(run: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        counted: np.ndarray = np.bincount(run, weights, minlength=n_runs).astype(np.int64)
        return counted

    size, tied = count(lists.run, lists.sizes), count(lists.run, _tied(rows))
    counts = {
        "answered": count(lists.run[known]),
        "missing": relevant.sum() - count(lists.run[wanted]),
        "extra": count(lists.run[~known]),
        "without_relevant": count(lists.run[unwanted]),
        "rows": size,
        "duplicates": count(lists.run[_list_of(repeated, lists)]),
        "tied": np.divide(tied, size, where=size > 0, out=np.zeros(n_runs)),
        "tied_integers": tied * (rows.doc.type == "integers"),
        "misranked": count(lists.run[_misranked(runs, lists)]),
        "rank_gaps": count(lists.run[_with_gaps(runs, lists)]),
        "judged": _judged(positions, topic[known], lists.run[known]),
    }
    if history is not None:
        leaked, tested = leaks(rows, positions, history, level)
        counts["had"] = count(lists.run, leaked)
        counts["tested_before"] = count(lists.run[known], tested[topic[known]])
    kept = np.flatnonzero(count(lists.run))
    columns = {name: labels(lists.runs[name], kept) for name in lists.runs.columns}
    frame = pd.DataFrame({**columns, **{name: values[kept] for name, values in counts.items()}})
    frame.attrs.update(Judged(positions, level).attrs)
    return frame


def _list_of(rows: np.ndarray, found: list_index.Lists) -> np.ndarray:
    if found.order is not None and len(rows):
        inverse = np.empty(len(found.order), dtype=np.int64)
        inverse[found.order] = np.arange(len(found.order))
        rows = inverse[rows]
    return found.of_rows(rows)


def _tied(rows: Rows) -> np.ndarray:
    """Return how many rows of each list share their score with another row of it."""
    starts = rows.lists.starts
    same = np.zeros(len(rows.score) + 1, dtype=bool)  # each row as the one before it
    if rows.ties != "rank":
        np.equal(rows.score[1:], rows.score[:-1], out=same[1:-1])
    same[starts] = False  # of two lists
    tied = same[1:] | same[:-1]
    return np.add.reduceat(tied, starts[:-1], dtype=np.int64)


def _misranked(runs: Table, found: list_index.Lists) -> np.ndarray:
    """Return the lists in which an item of a larger rank has a larger score."""
    if "score" not in runs or "rank" not in runs:
        return np.zeros(0, dtype=np.int64)
    score, own = _in_lists(numbers(runs.column("score"), "score"), found)
    rank, _ = _in_lists(_ranks(runs), found)
    # of equal ranks the largest score comes first, so that only the steps from one rank to the next can rise
    order = np.lexsort((-score, rank, own))
    rises = (score[order][1:] > score[order][:-1]) & (rank[order][1:] > rank[order][:-1])
    return np.unique(own[order][1:][rises & (own[order][1:] == own[order][:-1])])


def _ranks(runs: Table) -> np.ndarray:
    said = pd.to_numeric(runs.column("rank"), errors="coerce")
    return said.to_numpy(dtype=np.float64, na_value=np.nan)


def _with_gaps(runs: Table, found: list_index.Lists) -> np.ndarray:
    """Return the lists whose ranks do not follow each other from 1 or 0."""
    if "rank" not in runs:
        return np.zeros(0, dtype=np.int64)
    rank, _ = _in_lists(_ranks(runs), found)
    first, last = (least.reduceat(rank, found.starts[:-1]) for least in (np.minimum, np.maximum))
    return np.flatnonzero(have_gaps(first, last, found.sizes))


def _in_lists(column: np.ndarray, found: list_index.Lists) -> tuple[np.ndarray, np.ndarray]:
    """Return a column of the run table list by list, and the list of every row."""
    return column if found.order is None else column[found.order], np.repeat(np.arange(len(found.sizes)), found.sizes)


def _judged(positions: Positions, topic: np.ndarray, run: np.ndarray) -> np.ndarray:
    """Return the share of judged items of each run, in its lists of these topics."""
    n_runs = positions.retrieved.shape[1]
    judged = np.bincount(positions.run, positions.judged.grade[positions.item] >= 0, minlength=n_runs)
    rows = np.bincount(run, positions.retrieved[topic, run], minlength=n_runs)
    share: np.ndarray = np.divide(judged, rows, out=np.zeros(n_runs), where=rows > 0)
    return share
