"""Run tables as rankings ready to be shown: documents in rank order, and the rank of any document in any run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Rankings:
    """Rankings of all runs and queries, flat: list (run, query) holds `doc[start:start + size]` in rank order.

    Parameters
    ----------
    runs : DataFrame
        One row per run: the column(s) that identify it.
    queries, docs : Index
        The ids, sorted, named as the caller's columns.
    doc : ndarray of int
        Document numbers, list by list.
    start, size : ndarray of int, shape (runs, queries)
        Where each list begins and how long it is; 0 where a run did not answer the query.
    keys, places : ndarray of int
        (list, document) as one number, sorted, and the rank there.
    """

    runs: pd.DataFrame
    queries: pd.Index
    docs: pd.Index
    doc: np.ndarray
    start: np.ndarray
    size: np.ndarray
    keys: np.ndarray
    places: np.ndarray

    def top(self, run: np.ndarray, query: np.ndarray, depth: int) -> np.ndarray:
        """Return the first `depth` documents of some lists, shape (lists, depth); -1 past a list's end."""
        rank = np.arange(depth)
        inside = rank < self.size[run, query][:, None]
        found = self.doc[np.where(inside, self.start[run, query][:, None] + rank, 0)]
        return np.where(inside, found, -1)

    def rank(self, run: np.ndarray, query: np.ndarray, doc: np.ndarray) -> np.ndarray:
        """Return the rank of documents in lists, from 1; infinity where the list does not hold the document."""
        wanted = (run.astype(np.int64) * len(self.queries) + query) * len(self.docs) + doc
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where((self.keys[at] == wanted) & (doc >= 0), self.places[at], np.inf)

    def find(self, runs: Sequence[object]) -> np.ndarray:
        """Return the numbers of runs given by id, or by a tuple of ids where several columns name a run."""
        known = pd.Index(list(self.runs.itertuples(index=False, name=None)), tupleize_cols=False)
        wanted = [run if isinstance(run, tuple) else (run,) for run in runs]
        place = {run: number for number, run in enumerate(known)}
        missing = [run for run in wanted if run not in place]
        if missing:
            shown = ", ".join(str(run[0] if len(run) == 1 else run) for run in list(known)[:3])
            raise KeyError(
                f"no run {missing[0][0] if len(missing[0]) == 1 else missing[0]!r} in the run table; "
                f"it has {len(known)} runs, e.g. {shown}."
            )
        return np.array([place[run] for run in wanted], dtype=np.int64)


def rankings(
    frame: pd.DataFrame,
    *,
    run: str | Sequence[str] = "run",
    query: str = "query_id",
    doc: str = "doc_id",
    rank: str = "rank",
    score: str = "score",
) -> Rankings:
    """Return the rankings of a run table: by its rank column, or by score (equal scores by doc id, descending).

    Examples
    --------
    >>> found = rankings(pd.DataFrame({"run": "r", "query_id": 1, "doc_id": ["x", "y"], "score": [0.2, 0.9]}))
    >>> found.docs[found.doc].tolist()
    ['y', 'x']
    """
    names = [run] if isinstance(run, str) else list(run)
    _check(frame, names, query, doc, rank, score)
    keys = frame[names].drop_duplicates().sort_values(names).reset_index(drop=True)
    run_code = frame[names].merge(keys.reset_index(names="_run"), on=names, how="left")["_run"].to_numpy(np.int64)
    query_code, queries = pd.factorize(frame[query], sort=True)
    doc_code, docs = pd.factorize(frame[doc], sort=True)
    lists = run_code * len(queries) + query_code
    if rank in frame.columns:
        order = np.lexsort((frame[rank].to_numpy(dtype=np.float64), lists))
    else:
        order = np.lexsort((-doc_code, -frame[score].to_numpy(dtype=np.float64), lists))
    size = np.bincount(lists, minlength=len(keys) * len(queries))
    start = np.cumsum(size) - size
    ranked = doc_code[order].astype(np.int64)
    own = lists[order]
    place = np.arange(len(order)) - start[own] + 1
    key = own * len(docs) + ranked
    by_key = np.argsort(key, kind="stable")
    shape = (len(keys), len(queries))
    return Rankings(
        keys,
        pd.Index(queries, name=query),
        pd.Index(docs, name=doc),
        ranked,
        start.reshape(shape),
        size.reshape(shape),
        key[by_key],
        place[by_key],
    )


def _check(frame: pd.DataFrame, names: list[str], query: str, doc: str, rank: str, score: str) -> None:
    """Raise one error that names every fault of a run table."""
    needed = [*names, query, doc]
    absent = [name for name in needed if name not in frame.columns]
    order = rank if rank in frame.columns else score
    if order not in frame.columns:
        absent.append(f"{rank} or {score}")
    if absent:
        raise ValueError(
            f"the run table has no column {', '.join(absent)}; it has {', '.join(map(str, frame.columns))}. "
            "Name the columns with run=, query=, doc=, rank=, score=."
        )
    faults = []
    if not len(frame):
        faults.append("it has no rows")
    for name in [*needed, order]:
        if missing := int(frame[name].isna().sum()):
            faults.append(f"{missing:,} rows without a {name}")
    if not pd.api.types.is_numeric_dtype(frame[order].dtype):
        faults.append(f"its {order} column holds {frame[order].dtype} values, not numbers")
    twice = frame.duplicated(needed)
    if twice.any():
        example = next(frame.loc[twice, needed].itertuples(index=False, name=None))
        faults.append(f"{int(twice.sum()):,} duplicate (run, query, doc) rows, e.g. {example}")
    if order == rank:
        tied = frame.duplicated([*names, query, rank])
        if tied.any():
            example = next(frame.loc[tied, [*names, query, rank]].itertuples(index=False, name=None))
            faults.append(
                f"{int(tied.sum()):,} equal ranks in one ranking, e.g. {example}; "
                f"drop the {rank} column to rank by score"
            )
    if faults:
        raise ValueError("the run table cannot be ranked: " + "; ".join(faults) + ".")
