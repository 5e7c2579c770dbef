"""The accounting of a join: what each run answered, missed and returned, before any number is believed."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.judged import duplicates, ids, ranks
from pdeval.judged import lists as list_index
from pdeval.judged.judged import Judged, checked_level
from pdeval.judged.positions import Positions, join
from pdeval.kinds.labels import labels
from pdeval.kinds.schemas import table
from pdeval.kinds.tables import Table, numbers, read
from pdeval.verbs import verb

table(
    "accounting",
    "run answered:int missing:int extra:int without_relevant:int rows:int duplicates:int tied:share tied_integers:int "
    "misranked:int judged:share",
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
    },
    unreported="it is read before numbers are believed; report .summary()",
    undrawn="it is a table to read: one row per run",
)


@verb(on="runs", gives="accounting", core=True, command=True, meant_by={"validate": "check(qrels)"})
def check(runs: Table, qrels: object, *, level: float | None = None) -> pd.DataFrame:
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

    Examples
    --------
    >>> import pdeval
    >>> found = pdeval.datasets.sample_judged().check()
    >>> found.loc[6:7, ["run", "answered", "missing", "rows", "tied", "judged"]].round(3)
             run  answered  missing  rows   tied  judged
    6         ql        48        2  4800  0.019   0.525
    7  rerank-s1        50        0  5000  0.024   0.517
    """
    qrels, level = read(qrels, "qrels"), checked_level(level)
    found = list_index.find_lists(runs)
    doc = ids.column_ids(runs.column("doc"), "doc")
    again = duplicates.rows_repeated(doc, found)
    positions = join(runs, qrels, validate=False)
    relevant = np.bincount(positions.judged.topic[positions.relevant(level)], minlength=len(positions.queries)) > 0
    answered = positions.answered
    per_list = found.run
    n_runs = len(found.runs)
    known = found.queries.probe(positions.judged.queries)[found.query] >= 0
    tied = _tied(runs, found)
    own = np.repeat(per_list, found.sizes)  # the run of every row
    columns = {name: labels(found.runs[name], np.arange(n_runs)) for name in found.runs.columns}
    columns |= {
        "answered": np.bincount(per_list, weights=known, minlength=n_runs).astype(np.int64),
        "missing": (relevant[:, None] & ~answered).sum(axis=0),
        "extra": np.bincount(per_list, weights=~known, minlength=n_runs).astype(np.int64),
        "without_relevant": (~relevant[:, None] & answered).sum(axis=0),
        "rows": np.bincount(per_list, weights=found.sizes, minlength=n_runs).astype(np.int64),
        "duplicates": np.bincount(_run_of(again, found), minlength=n_runs),
        "tied": np.bincount(own, weights=tied, minlength=n_runs) / np.bincount(own, minlength=n_runs),
        "tied_integers": np.bincount(own[tied], minlength=n_runs) * (doc.type == "integers"),
        "misranked": np.bincount(per_list[_misranked(runs, found)], minlength=n_runs),
        "judged": _judged(positions),
    }
    frame = pd.DataFrame(columns)
    frame.attrs.update(Judged(positions, level).attrs)
    return frame


def _run_of(rows: np.ndarray, found: list_index.Lists) -> np.ndarray:
    if found.order is not None:
        inverse = np.empty(len(found.order), dtype=np.int64)
        inverse[found.order] = np.arange(len(found.order))
        rows = inverse[rows]
    run: np.ndarray = found.run[found.of_rows(rows)]
    return run


def _tied(runs: Table, found: list_index.Lists) -> np.ndarray:
    """Return which rows, list by list and in each by score, share their score with another row of the list."""
    tied = np.zeros(int(found.sizes.sum()), dtype=bool)
    if "score" not in runs:
        return tied
    score, _ = _in_lists(numbers(runs.column("score"), "score"), found)
    order = ranks.sort_lists(score, found, stable=False)
    score = score if order is None else score[order]
    same = score[1:] == score[:-1]
    same[found.starts[1:-1] - 1] = False  # of two lists
    tied[1:] |= same
    tied[:-1] |= same
    return tied


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


def _judged(positions: Positions) -> np.ndarray:
    held = np.bincount(
        positions.run, weights=positions.judged.grade[positions.item] >= 0, minlength=len(positions.runs)
    )
    rows = positions.retrieved.sum(axis=0)
    share: np.ndarray = np.divide(held, rows, out=np.zeros(len(rows)), where=rows > 0)
    return share
