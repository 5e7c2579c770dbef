"""What runs gave to a pool: items that only they found, what they share, the pool's size against its maximum."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import all_pairs
from pdeval.join.judged import checked_level
from pdeval.join.ranks import Ties
from pdeval.join.run_lists import Compat
from pdeval.judgments.pools import Pool, Team, partition, pooled
from pdeval.tables.labels import labels
from pdeval.tables.reader import Table, read
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import TooFew

BLOCK = 1 << 21  # cells of the largest temporary array
COUNTS = "it is a table of counts to read"
LOOKED_AT = {"judged": "of those items, how many were judged", "relevant": "and how many are relevant"}
table(
    "pool_runs",
    "run [runs:int] queries:int contributed:int unique:int [judged:int relevant:int unique_relevant:int]",
    "contributions to the pool",
    known_by="queries contributed unique",
    row="run (or team)",
    sort="run",
    then=".report()",
    means={
        "runs": "the runs of the team",
        "queries": "queries that the run answered",
        "contributed": "items that it has in the pool, over all queries",
        "unique": "items that no other run has there",
        "unique_relevant": "relevant items that no other run has there",
        **LOOKED_AT,
    },
    undrawn=COUNTS,
)
table(
    "pool_queries",
    "query runs:int contributed:int items:int maximum:int filled:share [judged:int relevant:int]",
    "sizes of the pool",
    known_by="contributed items maximum filled",
    row="query",
    sort="query",
    then=".report()",
    means={
        "runs": "how many runs answered the query",
        "contributed": "items of all runs, an item once for every run that has it",
        "items": "different items",
        "maximum": "depth times the number of runs that answered the query",
        "filled": "items as a share of the maximum",
        **LOOKED_AT,
    },
    undrawn=COUNTS,
)
table(
    "pool_pairs",
    "run_a run_b shared:int only_a:int only_b:int overlap:share",
    "overlaps in the pool",
    known_by="shared only_a only_b overlap",
    row="pair of runs (or teams)",
    sort="run_a run_b",
    then=".report()",
    means={
        "shared": "items that both have in the pool",
        "only_a": "items that run_a has there and run_b has not",
        "only_b": "items that run_b has there and run_a has not",
        "overlap": "shared items as a share of those that either has",
    },
    undrawn=COUNTS,
)


@verb(
    on="runs",
    gives=("pool_runs", "pool_queries", "pool_pairs"),
    family="pool",
    name="summary",
    own="depth",
    formerly="pool_summary",
)
def pool_summary(
    runs: Table,
    qrels: object = None,
    *,
    per: Literal["run", "query", "pair"] = "run",
    depth: int = 100,
    team: Team | None = None,
    metadata: pd.DataFrame | None = None,
    level: float | None = None,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return the pool summed up: what each run gave to it, its size for each query, or what each two runs share.

    Parameters
    ----------
    qrels : DataFrame or bound accessor, optional
        Judgments, for the columns that count judged and relevant items.
    per : {'run', 'query', 'pair'}
        What a row stands for: a run (or team), a query, or a pair of runs (or teams).
    depth : int
        How far down each list is read.
    team : str or mapping, optional
        Take the runs of a team together: a column of `metadata` or of the run table, or the team of each run.
    metadata : DataFrame, optional
        What the runs are, one row per run.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, metadata = pdeval.datasets.load_sample()
    >>> found = runs.ireval.pool.summary(qrels, depth=20, team="family", metadata=metadata)
    >>> found[["family", "runs", "contributed", "unique", "unique_relevant"]].head(3)
        family  runs  contributed  unique  unique_relevant
    0    dense     3         1701     678               64
    1   fusion     1         1000     264               44
    2  lexical     4         2623    1378              116
    >>> runs.ireval.pool.summary(per="query", depth=20).head(2).round(2)
      query_id  runs  contributed  items  maximum  filled
    0      101    12          240     96      240    0.40
    1      102    12          240    103      240    0.43
    """
    if per not in ("run", "query", "pair"):
        raise ValueError(f"per={per!r}: choose 'run', 'query' or 'pair'.")
    if team is not None and per == "query":
        raise ValueError(
            "the size of a query's pool does not depend on teams: leave out team=, or choose another per=."
        )
    judgments, level = None if qrels is None else read(qrels, "qrels"), checked_level(level)
    found = pooled(runs, depth, ties=ties, compat=compat, validate=validate)
    if per == "query":
        return sizes(found, qrels=judgments, level=level)
    teams = None if team is None else partition(found.runs, team, metadata, runs)
    together = found if teams is None else found.by_team(teams)
    if per == "pair":
        return overlap(together)
    counts = contributions(together, qrels=judgments, level=level)
    if teams is not None:
        counts.insert(1, "runs", np.bincount(teams.codes, minlength=len(teams.names)))
    return counts


def contributions(pool: Pool, *, qrels: Table | None = None, level: float | None = None) -> pd.DataFrame:
    """Return what each run (or team) gave to the pool; with judgments, how much of it was judged and is relevant.

    Examples
    --------
    >>> lists = pd.DataFrame({"run": list("xxyy"), "query_id": "1", "doc_id": list("abbc"), "score": [2, 1, 2, 1]})
    >>> print(contributions(pooled(read(lists, "runs"), 2)).to_string(index=False))
    run  queries  contributed  unique
      x        1            2       1
      y        1            2       1
    """
    number = len(pool.runs)
    alone = (pool.count == 1)[pool.item]
    columns: dict[str, Any] = {name: labels(pool.runs[name], np.arange(number)) for name in pool.runs.columns}
    columns["queries"] = (pool.lists > 0).sum(axis=0)
    columns["contributed"] = np.bincount(pool.run, minlength=number)
    columns["unique"] = np.bincount(pool.run[alone], minlength=number)
    if qrels is not None:
        judged, relevant = (which[pool.item] for which in _looked_at(pool, qrels, level))
        columns["judged"] = np.bincount(pool.run[judged], minlength=number)
        columns["relevant"] = np.bincount(pool.run[relevant], minlength=number)
        columns["unique_relevant"] = np.bincount(pool.run[relevant & alone], minlength=number)
    return _carrying(pool, columns)


def sizes(pool: Pool, *, qrels: Table | None = None, level: float | None = None) -> pd.DataFrame:
    """Return the size of each query's pool, against the most that it could be: depth times the runs that answered.

    Examples
    --------
    >>> lists = pd.DataFrame({"run": list("xxyy"), "query_id": "1", "doc_id": list("abbc"), "score": [2, 1, 2, 1]})
    >>> print(sizes(pooled(read(lists, "runs"), 2)).to_string(index=False))
    query_id  runs  contributed  items  maximum  filled
           1     2            4      3        4    0.75
    """
    number = len(pool.queries)
    items = np.bincount(pool.query, minlength=number)
    answering = (pool.lists > 0).sum(axis=1)
    most = pool.depth * answering
    columns: dict[str, Any] = {
        pool.names[0]: labels(pool.queries.index(), np.arange(number)),
        "runs": answering,
        "contributed": pool.lists.sum(axis=1),
        "items": items,
        "maximum": most,
        "filled": items / np.maximum(most, 1),
    }
    if qrels is not None:
        judged, relevant = _looked_at(pool, qrels, level)
        columns["judged"] = np.bincount(pool.query[judged], minlength=number)
        columns["relevant"] = np.bincount(pool.query[relevant], minlength=number)
    return _carrying(pool, columns)


def overlap(pool: Pool) -> pd.DataFrame:
    """Return how much of the pool each two runs (or teams) share.

    Examples
    --------
    >>> lists = pd.DataFrame({"run": list("xxyy"), "query_id": "1", "doc_id": list("abbc"), "score": [2, 1, 2, 1]})
    >>> print(overlap(pooled(read(lists, "runs"), 2)).round(3).to_string(index=False))
    run_a run_b  shared  only_a  only_b  overlap
        x     y       1       1       1    0.333
    """
    number = len(pool.runs)
    if number < 2:
        raise TooFew("the overlap of a pool needs two runs or teams; there is one.")
    both = np.zeros((number, number))
    step = max(BLOCK // number, 1)
    for first in range(0, len(pool.query), step):
        low, high = np.searchsorted(pool.item, [first, first + step])
        # single precision counts up to 2^24 exactly, and a block has fewer items
        has = np.zeros((step, number), dtype=np.float32)
        has[pool.item[low:high] - first, pool.run[low:high]] = 1
        both += has.T @ has
    a, b = all_pairs(number)
    shared, own = both[a, b].astype(np.int64), np.diag(both).astype(np.int64)
    columns: dict[str, Any] = {}
    for side, codes in (("a", a), ("b", b)):
        columns |= {f"{name}_{side}": labels(pool.runs[name], codes) for name in pool.runs.columns}
    columns |= {"shared": shared, "only_a": own[a] - shared, "only_b": own[b] - shared}
    return _carrying(pool, {**columns, "overlap": shared / (own[a] + own[b] - shared)})


def _carrying(pool: Pool, columns: dict[str, Any]) -> pd.DataFrame:
    frame = pd.DataFrame(columns)
    frame.attrs.update(pool.attrs)
    return frame


def _looked_at(pool: Pool, qrels: Table, level: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Return which items of the pool were judged, and which are relevant."""
    grade = pool.grades(qrels)
    return grade >= 0, (grade > 0) & (grade >= (0 if level is None else level))
