"""The accounting of a join: what each run answered, missed and returned, before any number is believed."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.judged import duplicates
from pdeval.judged import lists as list_index
from pdeval.judged.judged import Judged, checked_level
from pdeval.judged.overlap import leaks
from pdeval.judged.positions import Positions, positions_of
from pdeval.judged.prepared import Rows, rows_of
from pdeval.kinds.labels import labels
from pdeval.kinds.schemas import table
from pdeval.kinds.tables import Table, numbers, read
from pdeval.verbs import verb

table(
    "accounting",
    "run answered:int missing:int extra:int without_relevant:int rows:int duplicates:int tied:share tied_integers:int "
    "misranked:int judged:share [had:int] [tested_before:int]",
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
        "judged": "share of its items, on judged queries, that were judged",
        "had": "number of its items that the user has in the history, where that is given",
        "tested_before": "number of relevant items of the queries that it answered that are in their users' history",
    },
    unreported="it is read before numbers are believed; report .summary()",
    undrawn="it is a table to read: one row per run",
)


def accounts(
    runs: Table,
    group: np.ndarray | None,
    groups: int,
    qrels: object,
    *,
    level: float | None = None,
    history: object = None,
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a row for each run in each group of rows, and their groups; nothing where groups divide a list.

    A group has those judged queries that its rows have; without groups (None) all count.
    """
    qrels, level = read(qrels, "qrels"), checked_level(level)
    rows = rows_of(runs, qrels, validate=False)
    found, topic = rows.lists, rows.topic
    again = duplicates.rows_repeated(rows.doc, found)
    positions = positions_of(rows, ranked=False)
    relevant = np.bincount(positions.judged.topic[positions.relevant(level)], minlength=len(positions.queries)) > 0
    known = topic >= 0
    wanted, unwanted = known & relevant[topic], known & ~relevant[topic]
    n_runs, of_list, expected = len(found.runs), np.zeros(len(topic), dtype=np.intp), relevant.sum(keepdims=True)
    if group is not None:
        own, at = _in_lists(group, found)
        of_list = own[found.starts[:-1]]
        divided = bool((own != of_list[at]).any())
        different = np.unique(of_list[wanted] * len(relevant) + topic[wanted]) // len(relevant)
        expected = np.bincount(different, minlength=groups)
    cell = of_list * n_runs + found.run  # the rows of the result: a run in a group

    def count(cells: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        counted: np.ndarray = np.bincount(cells, weights, minlength=groups * n_runs).astype(np.int64)
        return counted

    held, tied = count(cell, found.sizes), count(cell, _tied(rows))
    kept = np.flatnonzero(count(cell))
    if group is not None:  # without a judged query there is nothing to account for
        kept = kept[(np.bincount(of_list[known], minlength=groups)[kept // n_runs] > 0) & (not divided)]
    columns = {name: labels(found.runs[name], kept % n_runs) for name in found.runs.columns}
    counts = {
        "answered": count(cell[known]),
        "missing": np.repeat(expected, n_runs) - count(cell[wanted]),
        "extra": count(cell[~known]),
        "without_relevant": count(cell[unwanted]),
        "rows": held,
        "duplicates": count(cell[_list_of(again, found)]),
        "tied": np.divide(tied, held, where=held > 0, out=np.zeros(groups * n_runs)),
        "tied_integers": tied * (rows.doc.type == "integers"),
        "misranked": count(cell[_misranked(runs, found)]),
        "judged": _judged(positions, topic[known], found.run[known], cell[known], groups * n_runs),
    }
    if history is not None:
        leaked, tested = leaks(rows, positions, history, level)
        counts["had"] = count(cell, leaked)
        counts["tested_before"] = count(cell[known], tested[topic[known]])
    frame = pd.DataFrame({**columns, **{name: values[kept] for name, values in counts.items()}})
    frame.attrs.update(Judged(positions, level).attrs)
    return frame, kept // n_runs


@verb(
    on="runs",
    gives="accounting",
    core=True,
    command=True,
    of_groups=accounts,
    meant_by={"validate": "check(qrels)"},
    own="history",
)
def check(runs: Table, qrels: object, *, level: float | None = None, history: object = None) -> pd.DataFrame:
    """Return what each run answered, missed and returned, before any number is believed.

    Items are ranked by score, and those of equal score by id, in descending order of the ids as text, as trec_eval
    does: of the integers 99 and 100 the first is ranked above. `tied_integers` counts the items that this touches. A
    rank column beside a score is not read, unless by ties="rank"; `misranked` counts the lists where it says otherwise,
    that is, where an item of a larger rank has a larger score.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        Judgments: query, doc, grade, maybe subtopic.
    level : float, optional
        The least grade that counts as relevant; by default any positive grade.
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
    return accounts(runs, None, 1, qrels, level=level, history=history)[0]


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
    said = pd.to_numeric(runs.column("rank"), errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    rank, _ = _in_lists(said, found)
    # of equal ranks the largest score comes first, so that only the steps from one rank to the next can rise
    order = np.lexsort((-score, rank, own))
    rises = (score[order][1:] > score[order][:-1]) & (rank[order][1:] > rank[order][:-1])
    return np.unique(own[order][1:][rises & (own[order][1:] == own[order][:-1])])


def _in_lists(column: np.ndarray, found: list_index.Lists) -> tuple[np.ndarray, np.ndarray]:
    """Return a column of the run table list by list, and the list of every row."""
    return column if found.order is None else column[found.order], np.repeat(np.arange(len(found.sizes)), found.sizes)


def _judged(positions: Positions, topic: np.ndarray, run: np.ndarray, cell: np.ndarray, cells: int) -> np.ndarray:
    """Return the share of judged items in each cell, to which lists of these topics and runs belong."""
    of_list = np.zeros(positions.retrieved.shape, dtype=np.intp)
    of_list[topic, run] = cell
    judged = positions.judged.grade[positions.item] >= 0
    held = np.bincount(of_list[positions.judged.topic[positions.item], positions.run], judged, minlength=cells)
    rows = np.bincount(cell, positions.retrieved[topic, run], minlength=cells)
    share: np.ndarray = np.divide(held, rows, out=np.zeros(cells), where=rows > 0)
    return share
