"""Pools: the items at the top ranks of the runs, contributions of each run, and leave-one-out evaluation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.evaluate import all_pairs, attributes, described_frame, pair_columns, run_columns
from pdeval.join import (
    Compat,
    Ids,
    Judged,
    Positions,
    Ties,
    checked_level,
    ids,
    ranks,
    read_judgments,
    same_type,
)
from pdeval.orderings.coefficients import tau_b
from pdeval.orderings.order import run_orders
from pdeval.tables import Table, labels, read, run_labels, table
from pdeval.verbs import TooFew, track, verb

Team: TypeAlias = str | Mapping[object, object]
BLOCK = 1 << 21  # cells of the largest temporary array
GRADE = "grade; missing if the item is unjudged"
COUNTS = "it is a table of counts to read"
LOOKED_AT = {
    "judged": "number of these items that were judged",
    "relevant": "number of these items that are relevant",
}


table(
    "pool",
    "query doc runs:int rank:int [grade:float]",
    "pool",
    recognized_by="query doc runs rank",
    row="item of the pool",
    sort="query doc",
    means={
        "runs": "number of runs that have the item",
        "rank": "best rank over these runs",
        "grade": GRADE,
    },
    no_report="it has one row per item; .pool.summary() sums it up",
    no_plot="it has one row per item; .pool.summary() sums it up",
)


table(
    "pool_by_run",
    "query doc run rank:int [grade:float]",
    "pool by run",
    recognized_by="query doc rank",  # a run table, if `attrs` is lost
    row="item of the pool and run that has it",
    sort="query doc run",
    means={"rank": "rank of the item in the run", "grade": GRADE},
    no_report="it has one row per item and run; .pool.summary() sums it up",
    no_plot="it has one row per item and run; .pool.summary() sums it up",
)


table(
    "pool_runs",
    "run [runs:int] queries:int contributed:int unique:int [judged:int relevant:int unique_relevant:int]",
    "contributions to the pool",
    recognized_by="queries contributed unique",
    row="run (or team)",
    sort="run",
    then=".report()",
    means={
        "runs": "number of runs of the team",
        "queries": "number of queries that the run answered",
        "contributed": "number of its items in the pool, over all queries",
        "unique": "number of its items in the pool that no other run has",
        "unique_relevant": "number of its relevant items in the pool that no other run has",
        **LOOKED_AT,
    },
    no_plot=COUNTS,
)


table(
    "pool_queries",
    "query runs:int contributed:int items:int maximum:int filled:fraction [judged:int relevant:int]",
    "sizes of the pool",
    recognized_by="contributed items maximum filled",
    row="query",
    sort="query",
    then=".report()",
    means={
        "runs": "number of runs that answered the query",
        "contributed": "number of items of all runs, each item counted once per run",
        "items": "number of different items",
        "maximum": "depth times the number of runs that answered the query",
        "filled": "items / maximum",
        **LOOKED_AT,
    },
    no_plot=COUNTS,
)


table(
    "pool_pairs",
    "run_a run_b shared:int only_a:int only_b:int overlap:fraction",
    "overlaps in the pool",
    recognized_by="shared only_a only_b overlap",
    row="pair of runs (or teams)",
    sort="run_a run_b",
    then=".report()",
    means={
        "shared": "number of items in the pool of both",
        "only_a": "number of items in the pool of run_a only",
        "only_b": "number of items in the pool of run_b only",
        "overlap": "shared / (shared + only_a + only_b)",
    },
    no_plot=COUNTS,
)


table(
    "left_out",
    "run [team:any] measure method removed:int queries:int score:float score_without:float difference:float "
    "rank:int rank_without:int rank_change:int tau_b:float",
    "leave-one-out evaluation of runs",
    recognized_by="run measure method score_without rank_without tau_b",
    row="run, measure and method",
    sort="measure method run",
    then=".report()",
    means={
        "team": "the team, under the name of its column",
        "removed": "number of relevant items that only this run (or team) contributed",
        "queries": "number of queries of the run without them",
        "score_without": "score with the remaining judgments",
        "difference": "score_without - score",
        "rank_without": "rank with the remaining judgments",
        "rank_change": "rank_without - rank",
        "tau_b": "Kendall's tau-b between the two orderings of all runs",
    },
    no_plot="it is a table to read: one row per run",
)


def partition(
    runs: pd.DataFrame, team: Team, metadata: pd.DataFrame | None = None, table: Table | None = None
) -> tuple[pd.Index, np.ndarray]:
    """Return the names of the teams, sorted, under the name of their column; and the team of each run as a code.

    Parameters
    ----------
    runs : DataFrame
        One row per run: the column(s) that identify it.
    team : str or mapping
        A column of `metadata`; one of several id columns of the runs; or a mapping from run id to team (from a tuple of
        ids, if runs have several id columns).
    metadata : DataFrame
        Metadata of the runs, with their id columns.
    table : Table, optional
        The run table, whose columns are the metadata if none are given.

    Examples
    --------
    >>> runs = pd.DataFrame({"run": ["bm25", "lm", "dense"]})
    >>> partition(runs, {"bm25": "old", "lm": "old", "dense": "new"})
    (Index(['new', 'old'], dtype=..., name='team'), array([1, 1, 0]))
    """
    if isinstance(team, str) and team in runs.columns and len(runs.columns) > 1:
        codes, names = pd.factorize(runs[team], sort=True)
        return pd.Index(names, name=team), codes.astype(np.int64)
    name, source = "team", "the mapping"
    if isinstance(team, Mapping):
        known: dict[Any, Any] = dict(team)
        if len(runs.columns) == 1:
            known = {run if isinstance(run, tuple) else (run,): name for run, name in known.items()}
    else:
        if not isinstance(team, str):
            raise TypeError(
                f"team= must be a column name or a mapping of runs to teams, found {type(team).__name__}."
            )
        if metadata is None and table is not None and team in table.frame.columns:
            metadata = table.frame
        known = _teams_in_metadata(runs, team, metadata)
        name, source = team, f"the column {team!r}"
    team_of_run = pd.Series(
        [known.get(run) for run in runs.astype(object).itertuples(index=False, name=None)],
        dtype=object,
    )
    missing = np.flatnonzero(team_of_run.isna())
    if len(missing):
        examples = ", ".join(repr(run_labels(runs)[place]) for place in missing[:3])
        raise ValueError(
            f"{source} gives no team to {len(missing)} of the {len(runs)} runs, e.g. {examples}."
        )
    codes, names = pd.factorize(team_of_run.infer_objects(), sort=True)
    return pd.Index(names, name=name), codes.astype(np.int64)


def _teams_in_metadata(
    runs: pd.DataFrame, team: str, metadata: pd.DataFrame | None
) -> dict[tuple[object, ...], object]:
    """Return the team of each run by a column of the metadata."""
    names = list(runs.columns)
    if metadata is None:
        raise ValueError(
            f"team={team!r} is a column of the metadata, which were not passed. Pass metadata= with one row per run."
        )
    if absent := [name for name in [*names, team] if name not in metadata.columns]:
        columns = ", ".join(map(str, metadata.columns))
        raise KeyError(f"the metadata have no column {absent[0]!r}; they have {columns}.")
    if team in names:
        raise ValueError(
            f"team={team!r} identifies the runs themselves. Omit team= for single runs."
        )
    rows = metadata[[*names, team]].drop_duplicates()
    twice = rows.duplicated(names)
    if twice.any():
        example = run_labels(rows.loc[twice, names])[0]
        raise ValueError(
            f"the metadata give {int(twice.sum())} runs more than one {team!r}, e.g. {example!r}; keep one row per run."
        )
    rows = rows.astype(object)
    return dict(zip(rows[names].itertuples(index=False, name=None), rows[team]))


@dataclass(frozen=True, eq=False)
class Pool:
    """The first `depth` items of all lists, and the runs that have them.

    Parameters
    ----------
    depth : int
        Number of items of each list to use.
    runs : DataFrame
        One row per run (or team): the identifying column(s), sorted.
    queries : Ids
        The queries, sorted.
    docs : Ids
        The documents, sorted.
    query, doc : ndarray of shape (items,)
        The items, sorted by query and document.
    item, run, rank : ndarray of shape (hits,)
        Item, run and rank of each hit, sorted by item and run.
    lists : ndarray of shape (queries, runs)
        Number of items of each run in the pool.
    names : (str, str)
        The caller's names of the query and doc columns.
    rules : dict
        ties and compat, which determine the ranks.
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
        """The best rank of each item over all runs."""
        best = np.full(len(self.query), np.iinfo(np.int64).max)
        np.minimum.at(best, self.item, self.rank)
        return best

    @cached_property
    def count(self) -> np.ndarray:
        """The number of runs that have each item."""
        return np.bincount(self.item, minlength=len(self.query))

    @property
    def attrs(self) -> dict[str, Any]:
        """The rules of this pool and the names of the id columns, serializable as JSON."""
        return {
            **self.rules,
            "depth": self.depth,
            "run_columns": list(map(str, self.runs.columns)),
            "query_column": self.names[0],
            "doc_column": self.names[1],
        }

    def frame(
        self, columns: Mapping[str, Any], row: np.ndarray | None = None, **attrs: Any
    ) -> pd.DataFrame:
        """Return a table of items, by default of all of them, with these columns after query and doc."""
        row = np.arange(len(self.query)) if row is None else row
        ids = {
            self.names[0]: labels(self.queries.index(), self.query[row]),
            self.names[1]: self.docs.index().take(self.doc[row]),
        }
        return described_frame({**ids, **columns}, {**self.attrs, **attrs})

    def by_team(self, teams: pd.Index, team_of_run: np.ndarray) -> Self:
        """Return the pool with the runs of each team merged: an item has the best of their ranks."""
        team = team_of_run[self.run]
        order = np.lexsort((self.rank, team, self.item))
        item, team, rank = self.item[order], team[order], self.rank[order]
        # the first row of each (item, team) has its best rank
        first = np.ones(len(item), dtype=bool)
        first[1:] = (item[1:] != item[:-1]) | (team[1:] != team[:-1])
        item, team, rank = item[first], team[first], rank[first]
        cell = self.query[item] * len(teams) + team
        lists = np.bincount(cell, minlength=len(self.queries) * len(teams))
        return replace(
            self,
            runs=pd.DataFrame({str(teams.name): teams}),
            item=item,
            run=team,
            rank=rank,
            lists=lists.reshape(-1, len(teams)),
        )

    def grades(self, qrels: Table) -> np.ndarray:
        """Return the grade of each item of the pool; NaN if it is unjudged."""
        judged = read_judgments(qrels)
        same_type("query", self.queries, judged.queries)
        same_type("doc", self.docs, judged.docs)
        topic = self.queries.probe(judged.queries)[self.query].astype(np.int64)
        doc = self.docs.probe(judged.docs)[self.doc]
        # -1 for queries and docs that were not judged
        key, wanted = judged.key(), topic * len(judged.docs) + doc
        at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        return np.where((topic >= 0) & (doc >= 0) & (key[at] == wanted), judged.grade[at], np.nan)

    def judged_and_relevant(self, qrels: Table, level: float | None) -> dict[str, np.ndarray]:
        """Return which items of the pool were judged, and which are relevant."""
        grade = self.grades(qrels)
        return {
            "judged": grade >= 0,
            "relevant": (grade > 0) & (grade >= (0 if level is None else level)),
        }


def pooled(
    runs: Table,
    depth: int = 100,
    *,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> Pool:
    """Return the pool of a run table: the union of the first `depth` items of every list.

    Parameters
    ----------
    ties, compat, validate
        Rules of the join; ties="expected" has no definite ranks.

    Examples
    --------
    >>> import pdeval
    >>> pool = pooled(read(pdeval.datasets.sample_runs(), "runs"), 20)
    >>> len(pool.item), len(pool.query)
    (11960, 4922)
    """
    first = ranks.top(runs, depth, ties=ties, compat=compat, validate=validate)
    lists = first.lists
    docs, doc = ids.column_ids(runs.column("doc"), "doc").take(first.row).unique()
    # an item is (query, doc) as one number
    key = lists.query[first.own].astype(np.int64) * len(docs) + doc
    items, item = np.unique(key, return_inverse=True)
    run = lists.run[first.own]
    # by item, then by run
    order = np.lexsort((run, item))
    size = np.zeros((len(lists.queries), len(lists.runs)), dtype=np.int64)
    size[lists.query, lists.run] = np.minimum(lists.sizes, depth)
    return Pool(
        depth=int(depth),
        runs=lists.runs,
        queries=lists.queries,
        docs=docs,
        query=items // len(docs),
        doc=items % len(docs),
        item=item[order],
        run=run[order],
        rank=first.rank[order],
        lists=size,
        names=(runs.roles["query"], runs.roles["doc"]),
        rules={"ties": ties or ("docid" if "score" in runs else "rank"), "compat": compat},
    )


@verb(on="runs", returns=("pool", "pool_by_run"), own="depth")
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
        Number of items of each list to use.
    qrels : DataFrame or bound accessor, optional
        Judgments, for a column with the grades, named as theirs.
    per : {'item', 'run'}
        One row per item of the pool, or one row per item and run that has it.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged().pool(20).head(3)
      query_id     doc_id  runs  rank  relevance
    0      101  doc-00000     2     7        0.0
    1      101  doc-00012     7     3        1.0
    2      101  doc-00297     1    16        0.0
    """
    made = pooled(runs, depth, ties=ties, compat=compat, validate=validate)
    return frame(made, qrels=None if qrels is None else read(qrels, "qrels"), per=per)


def frame(
    made: Pool, *, qrels: Table | None = None, per: Literal["item", "run"] = "item"
) -> pd.DataFrame:
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
    columns: dict[str, Any] = {"runs": made.count, "rank": made.best}
    row, attrs = np.arange(len(made.query)), {}
    if per == "run":
        row = made.item
        columns = run_columns(made.runs, made.run) | {"rank": made.rank}
    if qrels is not None:
        columns[qrels.roles["grade"]] = made.grades(qrels)[row]
        attrs = {"grade_column": qrels.roles["grade"]}
    return made.frame(columns, row, **attrs)


@verb(
    on="runs",
    returns=("pool_runs", "pool_queries", "pool_pairs"),
    family="pool",
    name="summary",
    own="depth",
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
    """Return the contribution of each run to the pool, its size per query, or the overlap of pairs of runs.

    Parameters
    ----------
    qrels : DataFrame or bound accessor, optional
        Judgments, for the columns that count judged and relevant items.
    per : {'run', 'query', 'pair'}
        One row per run (or team), per query, or per pair of runs (or teams).
    depth : int
        Number of items of each list to use.
    team : str or mapping, optional
        Team of each run: a column of `metadata` or of the run table, or a mapping. Runs of a team are merged.
    metadata : DataFrame, optional
        Metadata of the runs, one row per run.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, metadata = pdeval.datasets.load_sample()
    >>> result = runs.ireval.pool.summary(qrels, depth=20, team="family", metadata=metadata)
    >>> result[["family", "runs", "contributed", "unique", "unique_relevant"]].head(3)
        family  runs  contributed  unique  unique_relevant
    0    dense     3         1701     678               64
    1   fusion     1         1000     264               44
    2  lexical     4         2623    1378              116
    >>> runs.ireval.pool.summary(per="query", depth=20).head(2).round(2)
      query_id  runs  contributed  items  maximum  filled
    0      101    12          240     96      240    0.40
    1      102    12          240    103      240    0.43
    """
    if team is not None and per == "query":
        raise ValueError(
            "the pool of a query does not depend on teams. Omit team=, or use another per=."
        )
    judgments, level = None if qrels is None else read(qrels, "qrels"), checked_level(level)
    made = pooled(runs, depth, ties=ties, compat=compat, validate=validate)
    if per == "query":
        return sizes(made, qrels=judgments, level=level)
    if team is not None:
        teams, team_of_run = partition(made.runs, team, metadata, runs)
        made = made.by_team(teams, team_of_run)
    if per == "pair":
        return overlap(made)
    counts = contributions(made, qrels=judgments, level=level)
    if team is not None:
        counts.insert(1, "runs", np.bincount(team_of_run, minlength=len(teams)))
    return counts


def contributions(
    pool: Pool, *, qrels: Table | None = None, level: float | None = None
) -> pd.DataFrame:
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
    unique = pool.count == 1
    counted = {"contributed": np.ones(len(unique), dtype=bool), "unique": unique}
    if qrels is not None:
        counted |= pool.judged_and_relevant(qrels, level)
        counted["unique_relevant"] = counted["relevant"] & unique
    return described_frame(
        {
            **run_columns(pool.runs, np.arange(number)),
            "queries": (pool.lists > 0).sum(axis=0),
            **{
                name: np.bincount(pool.run[items[pool.item]], minlength=number)
                for name, items in counted.items()
            },
        },
        pool.attrs,
    )


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
    columns: dict[str, Any] = {
        pool.names[0]: labels(pool.queries.index(), np.arange(number)),
        "runs": answering,
        "contributed": pool.lists.sum(axis=1),
        "items": items,
        "maximum": pool.depth * answering,
        "filled": items / np.maximum(pool.depth * answering, 1),
    }
    if qrels is not None:
        for name, counted in pool.judged_and_relevant(qrels, level).items():
            columns[name] = np.bincount(pool.query[counted], minlength=number)
    return described_frame(columns, pool.attrs)


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
        raise TooFew("overlap requires at least two runs or teams, found one.")
    both = np.zeros((number, number))
    step = max(BLOCK // number, 1)
    for first in range(0, len(pool.query), step):
        low, high = np.searchsorted(pool.item, [first, first + step])
        # single precision counts up to 2^24 exactly, and a block has fewer items
        has = np.zeros((step, number), dtype=np.float32)
        has[pool.item[low:high] - first, pool.run[low:high]] = 1
        both += has.T @ has
    a, b = all_pairs(number)
    shared, size = both[a, b].astype(np.int64), np.diag(both).astype(np.int64)
    columns = pair_columns(pool.runs, a, b, labels) | {
        "shared": shared,
        "only_a": size[a] - shared,
        "only_b": size[b] - shared,
        "overlap": shared / (size[a] + size[b] - shared),
    }
    return described_frame(columns, pool.attrs)


@verb(
    on="judged",
    returns="left_out",
    family="pool",
    name="leave_one_out",
    own="depth",
)
def leave_one_out(
    judged: Judged,
    measures: object = ("AP",),
    *,
    depth: int = 100,
    team: Team | None = None,
    metadata: pd.DataFrame | None = None,
    method: str | Sequence[str] | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the score of each run with the judgments that would exist without it, or without its team.

    The judgments that only one run (or team) contributed to the pool are removed, all runs are evaluated again,
    and the run is compared with its original score (Zobel 1998). Judged items outside the first `depth` items of all
    runs are kept. A query without remaining relevant items does not count, except with queries="judged".

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures of one ranking, or preferences (scored by their win rates).
    depth : int
        Depth of the judged pool.
    team : str or mapping, optional
        Team of each run: a column of `metadata` or of the run table, or a mapping. A team is left out as a whole.
    metadata : DataFrame, optional
        Metadata of the runs, one row per run.
    method : str or list of str, optional
        Method that orders the runs, e.g. "borda" or "mc4"; by default the mean of a measure and the win rate of a
        preference.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> result = judged.pool.leave_one_out("AP", depth=20)
    >>> result.loc[:2, ["run", "removed", "score", "score_without", "rank", "rank_without", "tau_b"]].round(3)
            run  removed  score  score_without  rank  rank_without  tau_b
    0      bm25       18  0.324          0.314    10            10   1.00
    1  bm25+rm3       20  0.335          0.323     9            10   0.97
    2  dense-s1       11  0.432          0.427     7             7   1.00
    """
    positions = judged.positions
    if positions.rules.get("ties") == "expected":
        raise ValueError(
            "ties='expected' gives items no definite rank, so there is no pool. Use another ties=."
        )
    group = np.arange(len(positions.runs))
    if team is not None:
        in_runs = (
            isinstance(team, str) and metadata is None and team not in judged.runs
        )  # a column of the run table
        run_table = positions.source[0] if in_runs and positions.source is not None else None
        teams, group = partition(judged.runs, team, metadata, run_table)
    parsed = parse_all(measures)
    full = run_orders(judged, parsed, method=method, warn=True)
    owner = owners(positions, group, depth)
    removed = np.bincount(
        owner[positions.relevant(judged.level) & (owner >= 0)], minlength=int(group.max()) + 1
    )
    score, rank, tau = full.score.copy(), full.rank.copy(), np.empty(full.rank.shape)
    queries = np.empty(full.rank.shape, dtype=np.int64)
    level = {measure.label: measure.level for measure in parsed}
    groups = np.unique(group)
    for number in track(groups, total=len(groups), desc="leaving out", progress=progress):
        runs = np.flatnonzero(group == number)
        kept = owner != number
        without, rest, taus = judged, full, [1.0] * len(tau)
        if not kept.all():
            without = judged.on(positions.keep_items(kept))
            try:
                rest = run_orders(without, parsed, method=method, warn=False)
            except ValueError as fault:
                names = ", ".join(map(str, judged.runs.iloc[runs[:3]].to_numpy().ravel()))
                raise ValueError(
                    f"without the items that only {names} contributed: {fault}"
                ) from None
            taus = [float(tau_b(-a, -b)) for a, b in zip(full.rank, rest.rank)]
        score[:, runs], rank[:, runs] = rest.score[:, runs], rest.rank[:, runs]
        queries[:, runs] = [
            without.counted(level[label]).sum(axis=0)[runs] for label, _ in full.keys
        ]
        tau[:, runs] = np.array(taus)[:, None]
    # one row per measure and method, and run
    key, run = np.divmod(np.arange(tau.size), len(positions.runs))
    columns = run_columns(positions.runs, run)
    if team is not None:
        columns[str(teams.name)] = labels(teams, group[run])
    rank_before, rank_without = (ranks.ravel().astype(np.int64) for ranks in (full.rank, rank))
    columns |= {
        **full.columns(key),
        "removed": removed[group][run],
        "queries": queries.ravel(),
        "score": full.score.ravel(),
        "score_without": score.ravel(),
        "difference": score.ravel() - full.score.ravel(),
        "rank": rank_before,
        "rank_without": rank_without,
        "rank_change": rank_without - rank_before,
        "tau_b": tau.ravel(),
    }
    return described_frame(columns, attributes(judged, parsed))


def owners(positions: Positions, group: np.ndarray, depth: int) -> np.ndarray:
    """Return, for every judged item, the only group of runs that has it among its first; -1 for none or several.

    Examples
    --------
    >>> import pdeval
    >>> one_group = owners(pdeval.datasets.sample_judged().positions, np.zeros(12, dtype=np.int64), 100)
    >>> sorted(set(one_group.tolist()))
    [0]
    """
    inside = positions.rank <= depth
    item, group_of_hit = positions.item[inside], group[positions.run[inside]]
    first = np.full(len(positions.judged.topic), len(positions.runs))
    last = np.full(len(positions.judged.topic), -1)
    # an item of one group has the same first and last group
    np.minimum.at(first, item, group_of_hit)
    np.maximum.at(last, item, group_of_hit)
    return np.where(first == last, last, -1)
