"""The accounting of a join: what each run answered, missed and returned, before any number is believed."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.judged import duplicates, ids
from pdeval.judged import lists as list_index
from pdeval.judged.positions import Positions, join
from pdeval.kinds.labels import labels
from pdeval.kinds.tables import Table, numbers


def check(runs: Table, qrels: Table, *, level: float | None = None) -> pd.DataFrame:
    """Return, per run: queries answered, missing, extra, without relevant items; rows, duplicates, ties, judged share.

    `missing` are judged queries with a relevant item that the run did not answer, `extra` are answered queries
    without judgments, `tied` is the share of rows that share their score with another row of the list, `judged` the
    share of rows (of judged queries) that have a judgment.

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.kinds.tables import read
    >>> table = check(read(pdeval.datasets.sample_runs(), "runs"), read(pdeval.datasets.sample_qrels(), "qrels"))
    >>> table.loc[table["missing"] > 0, ["run", "answered", "missing"]].values.tolist()
    [['ql', 48, 2]]
    """
    found = list_index.find(runs)
    doc = ids.of(runs.column("doc"), "doc")
    again = duplicates.rows_repeated(doc, found)
    positions = join(runs, qrels, validate=False)
    relevant = np.bincount(positions.judged.topic[positions.relevant(level)], minlength=len(positions.queries)) > 0
    answered = positions.answered
    per_list = found.run
    n_runs = len(found.runs)
    known = found.queries.probe(positions.judged.queries)[found.query] >= 0
    columns = {name: labels(found.runs[name], np.arange(n_runs)) for name in found.runs.columns}
    columns |= {
        "answered": np.bincount(per_list, weights=known, minlength=n_runs).astype(np.int64),
        "missing": (relevant[:, None] & ~answered).sum(axis=0),
        "extra": np.bincount(per_list, weights=~known, minlength=n_runs).astype(np.int64),
        "without_relevant": (~relevant[:, None] & answered).sum(axis=0),
        "rows": np.bincount(per_list, weights=found.sizes, minlength=n_runs).astype(np.int64),
        "duplicates": np.bincount(_run_of(again, found), minlength=n_runs),
        "tied": _tied(runs, found),
        "judged": _judged(positions),
    }
    return pd.DataFrame(columns)


def _run_of(rows: np.ndarray, found: list_index.Lists) -> np.ndarray:
    if found.order is not None:
        inverse = np.empty(len(found.order), dtype=np.int64)
        inverse[found.order] = np.arange(len(found.order))
        rows = inverse[rows]
    return found.run[found.of_rows(rows)]


def _tied(runs: Table, found: list_index.Lists) -> np.ndarray:
    if "score" not in runs:
        return np.zeros(len(found.runs))
    score = numbers(runs.column("score"), "score")
    score = score if found.order is None else score[found.order]
    own = np.repeat(np.arange(len(found.sizes)), found.sizes)
    order = np.lexsort((score, own))
    same = (score[order][1:] == score[order][:-1]) & (own[order][1:] == own[order][:-1])
    tied = np.zeros(len(score), dtype=bool)
    tied[1:] |= same
    tied[:-1] |= same
    run = found.run[own[order]]
    return np.bincount(run, weights=tied, minlength=len(found.runs)) / np.bincount(run, minlength=len(found.runs))


def _judged(positions: Positions) -> np.ndarray:
    held = np.bincount(
        positions.run, weights=positions.judged.grade[positions.item] >= 0, minlength=len(positions.runs)
    )
    rows = positions.retrieved.sum(axis=0)
    return np.divide(held, rows, out=np.zeros(len(rows)), where=rows > 0)
