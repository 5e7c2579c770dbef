"""Pools: which documents were looked at for each query, and by which runs they were found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from pdeval.join import ids, judgments, ranking
from pdeval.join.ids import Ids
from pdeval.join.ranks import Ties
from pdeval.join.run_lists import Compat, same_type
from pdeval.tables.labels import labels, run_labels
from pdeval.tables.reader import Table, read
from pdeval.tables.schemas import table
from pdeval.verbs import verb

Team: TypeAlias = str | Mapping[object, object]


@dataclass(frozen=True)
class Teams:
    """A partition of runs: `codes` holds each run's team as a place in `names`, which bear the column's name."""

    names: pd.Index
    codes: np.ndarray


def partition(
    runs: pd.DataFrame, team: Team, metadata: pd.DataFrame | None = None, table: Table | None = None
) -> Teams:
    """Return the team of each run.

    Parameters
    ----------
    runs : DataFrame
        One row per run: the column(s) that identify it.
    team : str or mapping
        A column of `metadata`; one of several columns that name a run; or the team of each run id (of a tuple of ids,
        where several columns name a run).
    metadata : DataFrame
        What the runs are, with the columns that identify them.
    table : Table, optional
        The run table, whose own columns serve as metadata where there are none.

    Examples
    --------
    >>> runs = pd.DataFrame({"run": ["bm25", "lm", "dense"]})
    >>> found = partition(runs, {"bm25": "old", "lm": "old", "dense": "new"})
    >>> found.names.tolist(), found.codes.tolist()
    (['new', 'old'], [1, 1, 0])
    """
    if metadata is None and table is not None and isinstance(team, str) and team in table.frame.columns:
        metadata = table.frame
    if isinstance(team, str) and team in runs.columns and len(runs.columns) > 1:
        code, names = pd.factorize(runs[team], sort=True)
        return Teams(pd.Index(names, name=team), code.astype(np.int64))
    known = dict(team) if isinstance(team, Mapping) else _column(runs, team, metadata)
    keys = list(runs.astype(object).itertuples(index=False, name=None))
    if isinstance(team, Mapping) and len(runs.columns) == 1:
        known = {one if isinstance(one, tuple) else (one,): name for one, name in known.items()}
    given = pd.Series([known.get(key) for key in keys], dtype=object)
    missing = np.flatnonzero(given.isna())
    if len(missing):
        shown = ", ".join(repr(run_labels(runs)[place]) for place in missing[:3])
        source = "the mapping" if isinstance(team, Mapping) else f"the column {team!r}"
        raise ValueError(f"{source} gives no team to {len(missing)} of the {len(runs)} runs, e.g. {shown}.")
    code, names = pd.factorize(given.infer_objects(), sort=True)
    return Teams(pd.Index(names, name="team" if isinstance(team, Mapping) else team), code.astype(np.int64))


def _column(runs: pd.DataFrame, team: object, metadata: pd.DataFrame | None) -> dict[tuple[object, ...], object]:
    names = list(runs.columns)
    if not isinstance(team, str):
        raise TypeError(f"team= takes the name of a metadata column or a mapping of runs, not {type(team).__name__}.")
    if not isinstance(metadata, pd.DataFrame):
        raise ValueError(f"team={team!r} names a column of the metadata: pass them as metadata=, one row per run.")
    absent = [name for name in [*names, team] if name not in metadata.columns]
    if absent:
        have = ", ".join(map(str, metadata.columns))
        raise KeyError(f"the metadata have no column {absent[0]!r}; they have {have}.")
    if team in names:
        raise ValueError(f"team={team!r} already names the run; leave out team= to look at single runs.")
    rows = metadata[[*names, team]].drop_duplicates()
    twice = rows.duplicated(names)
    if twice.any():
        example = run_labels(rows.loc[twice, names])[0]
        raise ValueError(
            f"the metadata give {int(twice.sum())} runs more than one {team!r}, e.g. {example!r}; keep one row per run."
        )
    columns = rows.astype(object)
    return dict(zip(columns[names].itertuples(index=False, name=None), columns[team]))


GRADE = "the grade; missing where the item was not judged"
table(
    "pool",
    "query doc runs:int rank:int [grade:float]",
    "pool",
    known_by="query doc runs rank",
    row="item of the pool",
    sort="query doc",
    means={"runs": "how many runs have the item", "rank": "the best rank that any of them gives it", "grade": GRADE},
    unreported="it has one row per item; .pool.summary() sums it up",
    undrawn="it has one row per item; .pool.summary() sums it up",
)
table(
    "pool_by_run",
    "query doc run rank:int [grade:float]",
    "pool by run",
    known_by="query doc rank",  # as a run table, which it is once it no longer says so
    row="item of the pool and run that has it",
    sort="query doc run",
    means={"rank": "the rank that the run gives it", "grade": GRADE},
    unreported="it has one row per item and run; .pool.summary() sums it up",
    undrawn="it has one row per item and run; .pool.summary() sums it up",
)


@dataclass(frozen=True, eq=False)
class Pool:
    """The items that any run has among its first `depth`, and which runs have them.

    Parameters
    ----------
    depth : int
        How far down each list is read.
    runs : DataFrame
        One row per run (or team): the identifying column(s), sorted.
    queries : Ids
        The queries, sorted.
    docs : Ids
        The documents, sorted.
    query, doc : ndarray of shape (items,)
        The items, sorted by query and document.
    item, run, rank : ndarray of shape (hits,)
        Which run has which item, and where: sorted by item and run.
    lists : ndarray of shape (queries, runs)
        How many items each run gives to the pool.
    names : (str, str)
        The caller's names of the query and doc columns.
    rules : dict
        ties, compat: what the ranks rest on.
    """

    depth: int
    runs: pd.DataFrame
    queries: Ids
    docs: Ids
    query: np.ndarray
    doc: np.ndarray
    item: np.ndarray
    run: np.ndarray
    rank: np.ndarray
    lists: np.ndarray
    names: tuple[str, str]
    rules: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def best(self) -> np.ndarray:
        """The best rank that any run gives to each item."""
        found = np.full(len(self.query), np.iinfo(np.int64).max)
        np.minimum.at(found, self.item, self.rank)
        return found

    @cached_property
    def count(self) -> np.ndarray:
        """How many runs have each item."""
        return np.bincount(self.item, minlength=len(self.query))

    @property
    def attrs(self) -> dict[str, Any]:
        """What numbers of this pool rest on, and the caller's columns. JSON-able."""
        names = {"run_columns": list(map(str, self.runs.columns)), "query_column": self.names[0]}
        return {**self.rules, "depth": self.depth, **names, "doc_column": self.names[1]}

    def by_team(self, teams: Teams) -> Pool:
        """Return the pool with the runs of a team taken together: an item has the best of their ranks."""
        team = teams.codes[self.run]
        order = np.lexsort((self.rank, team, self.item))
        item, team, rank = self.item[order], team[order], self.rank[order]
        first = np.ones(len(item), dtype=bool)
        first[1:] = (item[1:] != item[:-1]) | (team[1:] != team[:-1])
        item, team, rank = item[first], team[first], rank[first]
        cell = self.query[item] * len(teams.names) + team
        lists = np.bincount(cell, minlength=len(self.queries) * len(teams.names))
        runs = pd.DataFrame({str(teams.names.name): teams.names})
        return replace(self, runs=runs, item=item, run=team, rank=rank, lists=lists.reshape(-1, len(teams.names)))

    def grades(self, qrels: Table) -> np.ndarray:
        """Return the grade of each item of the pool; NaN where it was not judged."""
        judged = judgments.read_judgments(qrels)
        same_type("query", self.queries.type, judged.queries.type)
        same_type("doc", self.docs.type, judged.docs.type)
        topic = self.queries.probe(judged.queries)[self.query].astype(np.int64)
        doc = self.docs.probe(judged.docs)[self.doc]
        key, known = judged.key(), topic * len(judged.docs) + doc
        at = np.minimum(np.searchsorted(key, known), len(key) - 1)
        held = (topic >= 0) & (doc >= 0) & (key[at] == known)
        return np.where(held, judged.grade[at], np.nan)


def pooled(
    runs: Table,
    depth: int = 100,
    *,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> Pool:
    """Return the pool of a run table: the first `depth` items of every list, put together.

    Parameters
    ----------
    ties, compat, validate
        The rules of a join; "expected" has no first items.

    Examples
    --------
    >>> import pdeval
    >>> pool = pooled(read(pdeval.datasets.sample_runs(), "runs"), 20)
    >>> len(pool.item), len(pool.query)
    (11960, 4922)
    """
    if depth is None:
        raise ValueError("depth=None: a pool is made of the first items of each list; give a number, e.g. 100.")
    first = ranking.top(runs, depth, ties=ties, compat=compat, validate=validate)
    lists = first.lists
    docs, doc = ids.column_ids(runs.column("doc"), "doc").take(first.row).unique()
    key = lists.query[first.own].astype(np.int64) * len(docs) + doc
    items, item = np.unique(key, return_inverse=True)
    run = lists.run[first.own]
    order = np.lexsort((run, item))
    size = np.zeros((len(lists.queries), len(lists.runs)), dtype=np.int64)
    size[lists.query, lists.run] = np.minimum(lists.sizes, depth)
    return Pool(
        int(depth),
        lists.runs,
        lists.queries,
        docs,
        items // len(docs),
        items % len(docs),
        item[order],
        run[order],
        first.rank[order],
        size,
        (runs.roles["query"], runs.roles["doc"]),
        {"ties": ties or ("docid" if "score" in runs else "rank"), "compat": compat},
    )


@verb(on="runs", gives=("pool", "pool_by_run"), own="depth")
def pool(
    runs: Table,
    depth: int = 100,
    *,
    qrels: object = None,
    per: Literal["item", "run"] = "item",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return the pool of the runs: the items that any of them has among its first `depth`.

    Parameters
    ----------
    depth : int
        How far down each list is read.
    qrels : DataFrame or bound accessor, optional
        Judgments, for a column with the grades, named as theirs.
    per : {'item', 'run'}
        One row per item of the pool; or one per item and run that has it: who contributed what.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged().pool(20).head(3)
      query_id     doc_id  runs  rank  relevance
    0      101  doc-00000     2     7        0.0
    1      101  doc-00012     7     3        1.0
    2      101  doc-00297     1    16        0.0
    """
    if per not in ("item", "run"):
        raise ValueError(f"per={per!r}: choose 'item' or 'run'.")
    found = pooled(runs, depth, ties=ties, compat=compat, validate=validate)
    return frame(found, qrels=None if qrels is None else read(qrels, "qrels"), per=per)


def frame(found: Pool, *, qrels: Table | None = None, per: Literal["item", "run"] = "item") -> pd.DataFrame:
    """Return a pool as a table: one row per item, or per item and run.

    Examples
    --------
    >>> lists = pd.DataFrame({"run": list("xxyy"), "query_id": "1", "doc_id": list("abbc"), "score": [2, 1, 2, 1]})
    >>> print(frame(pooled(read(lists, "runs"), 2)).to_string(index=False))
    query_id doc_id  runs  rank
           1      a     1     1
           1      b     2     1
           1      c     1     2
    """
    row = found.item if per == "run" else np.arange(len(found.query))
    query, doc = found.names
    columns: dict[str, Any] = {query: labels(found.queries.index(), found.query[row])}
    columns[doc] = found.docs.index().take(found.doc[row])
    attrs = found.attrs
    if per == "run":
        columns |= {name: labels(found.runs[name], found.run) for name in found.runs.columns}
        columns["rank"] = found.rank
    else:
        columns |= {"runs": found.count, "rank": found.best}
    if qrels is not None:
        columns[qrels.roles["grade"]] = found.grades(qrels)[row]
        attrs["grade_column"] = qrels.roles["grade"]
    made = pd.DataFrame(columns, copy=False)
    made.attrs.update(attrs)
    return made
