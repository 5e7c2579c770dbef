"""Verbs of collections: pools, leaving runs out of them, residuals; and those of assessors and users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pandas as pd

from pdeval.accessor.interleaving import InterleavingVerbs
from pdeval.accessor.joined import MEASURES
from pdeval.accessor.labels import LabelVerbs
from pdeval.accessor.logs import LogVerbs
from pdeval.accessor.sources import joined_of
from pdeval.judged.positions import Compat
from pdeval.judged.ranks import Ties
from pdeval.kinds import tables


class CollectionVerbs(LabelVerbs, LogVerbs, InterleavingVerbs):
    """What a run table says about the pool; with the verbs of assessors and users."""

    _frame: pd.DataFrame
    _binding: dict[str, Any]

    def pool(
        self,
        depth: int = 100,
        *,
        qrels: object = None,
        by_run: bool = False,
        ties: Ties | None = None,
        compat: Compat = "trec_eval-10",
        validate: bool = True,
    ) -> pd.DataFrame:
        """Return the pool of these runs: the items that any of them has among its first `depth`.

        Parameters
        ----------
        depth : int
            How far down each list is read.
        qrels : DataFrame, optional
            Judgments, for a column with the grades; what is missing there was not judged.
        by_run : bool
            Return who contributed what: query_id, doc_id, run, rank.
        ties, compat, validate
            As in `join`.

        Returns
        -------
        DataFrame
            query_id, doc_id, runs (how many have it), rank (the best of theirs)[, relevance]; sorted by query and doc.

        Examples
        --------
        >>> import pdeval
        >>> pool = pdeval.datasets.sample_runs().ireval.pool(20)
        >>> len(pool), int((pool["runs"] == 12).sum())
        (4922, 11)
        """
        from pdeval.collections import pools

        pool = pools.pooled(tables.read(self, "runs"), depth, ties=ties, compat=compat, validate=validate)
        return pools.frame(pool, qrels=None if qrels is None else tables.read(qrels, "qrels"), by_run=by_run)

    def pool_summary(
        self,
        qrels: object = None,
        *,
        by: Literal["run", "query", "pair"] = "run",
        depth: int = 100,
        team: str | Mapping[object, object] | None = None,
        metadata: pd.DataFrame | None = None,
        level: float | None = None,
        ties: Ties | None = None,
        compat: Compat = "trec_eval-10",
        validate: bool = True,
    ) -> pd.DataFrame:
        """Return the pool summed up: what each run gave to it, its size by query, or what each two runs share.

        Parameters
        ----------
        qrels : DataFrame, optional
            Judgments, for columns that count judged and relevant items.
        by : {'run', 'query', 'pair'}
            "run": contributed, unique[, judged, relevant, unique_relevant]. "query": runs, contributed, items, maximum
            (depth times runs), share[, judged, relevant]. "pair": shared, only_a, only_b, overlap.
        depth : int
            How far down each list is read.
        team : str or mapping, optional
            Take the runs of a team together: a column of `metadata` (or of this table), or the team of each run.
        metadata : DataFrame, optional
            What the runs are, a row a run.
        level : float, optional
            The least grade that counts as relevant.
        ties, compat, validate
            As in `join`.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels, metadata = pdeval.datasets.load_sample()
        >>> table = runs.ireval.pool_summary(qrels, depth=20, team="family", metadata=metadata)
        >>> table[["family", "runs", "unique", "unique_relevant"]].values.tolist()[:2]
        [['dense', 3, 678, 64], ['fusion', 1, 264, 44]]
        >>> sizes = runs.ireval.pool_summary(by="query", depth=20)
        >>> round(float(sizes["share"].mean()), 2)
        0.41
        """
        from pdeval.collections import pooling, pools

        pool = pools.pooled(tables.read(self, "runs"), depth, ties=ties, compat=compat, validate=validate)
        found = None if qrels is None else tables.read(qrels, "qrels")
        metadata = self._about(team, metadata)
        return pooling.summary(pool, by=by, qrels=found, level=level, team=team, metadata=metadata)

    def leave_one_out(
        self,
        qrels: object,
        measures: object = ("AP",),
        *,
        depth: int = 100,
        team: str | Mapping[object, object] | None = None,
        metadata: pd.DataFrame | None = None,
        method: Any = None,
        progress: bool | None = None,
        **rules: Any,
    ) -> pd.DataFrame:
        """Return how each run stands under the judgments that would have been made without it, or without its team.

        The judgments that only this run (or team) brought into the pool are taken away, and all runs are scored and
        ordered again.

        Parameters
        ----------
        measures : str or list
            Measures, or preferences (scored by their win rates).
        depth : int
            The depth of the pool that was judged.
        team, metadata
            As in `pool_summary`.
        method : str or list of str, optional
            How to order; see `order`.
        progress : bool, optional
            Show a bar; by default after a second, to a person.
        **rules
            level, topics, ties, compat, validate, as in `join`.

        Returns
        -------
        DataFrame
            run, [team,] measure, method, removed (relevant items), queries, score, score_without, difference, rank,
            rank_without, rank_change, tau (of the two orderings of all runs); sorted by measure, then run.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels, metadata = pdeval.datasets.load_sample()
        >>> table = runs.ireval.leave_one_out(qrels, "AP", depth=20, team="family", metadata=metadata)
        >>> int(table["rank_change"].max()), float(table["tau"].min().round(3))
        (1, 0.939)
        """
        from pdeval.collections import leave_out, teams

        joined = joined_of(self, qrels, measures, rules, "leave_one_out")
        at = joined.positions
        found = None if team is None else teams.of(at.runs, team, self._about(team, metadata))
        options: dict[str, Any] = {
            "level": joined.level,
            "topics": joined.topics,
            "method": method,
            "progress": progress,
        }
        return leave_out.leave_one_out(at, measures, depth=depth, teams=found, **options)

    def residuals(
        self,
        qrels: object,
        measures: object = MEASURES,
        *,
        depth: int | None = 100,
        assume: Literal["any", "all"] = "any",
        by_query: bool = False,
        progress: bool | None = None,
        **rules: Any,
    ) -> pd.DataFrame:
        """Return the lowest and highest value that measures could have, were the unjudged items judged.

        Parameters
        ----------
        measures : str or list
            Measures of relevant items; not Bpref, Judged, or measures of subtopics.
        depth : int, optional
            Doubt only the first `depth` items of each list; None doubts all.
        assume : {'any', 'all'}
            Any of the unjudged items may be relevant; or either none is or all are, which is less work.
        by_query : bool
            A row a query, instead of the mean over queries.
        progress : bool, optional
            Show a bar; by default after a second, to a person.
        **rules
            level, topics, ties, compat, validate, as in `join`.

        Returns
        -------
        DataFrame
            run, [query_id,] measure, value, low, high, residual (high - low). For RBP the residual is the known one.
            What is assumed about the number of relevant items and the ideal ranking: see the room `residuals`.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> table = runs.ireval.residuals(qrels, "P@10")
        >>> table.loc[table["residual"] > 0.05, ["run", "low", "high"]].round(3).values.tolist()
        [['dense-s3', 0.494, 0.584], ['rerank-s1', 0.63, 0.79], ['rerank-s2', 0.652, 0.81]]
        """
        from pdeval.collections import residuals

        joined = joined_of(self, qrels, None, rules, "residuals")
        options: dict[str, Any] = {
            "level": joined.level,
            "topics": joined.topics,
            "by_query": by_query,
            "progress": progress,
        }
        return residuals.residuals(joined.positions, measures, depth=depth, assume=assume, **options)

    def _about(self, team: object, metadata: pd.DataFrame | None) -> pd.DataFrame | None:
        """Return the metadata, or this table where the team is one of its columns."""
        own = metadata is None and isinstance(team, str) and team in self._frame.columns
        return self._frame if own else metadata
