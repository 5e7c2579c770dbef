"""Verbs of interleaving: runs shown to users on one page, simulated clicks, credit and wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from pdeval.accessor import columns
from pdeval.judged.positions import Compat
from pdeval.judged.ranks import Ties

if TYPE_CHECKING:
    from pdeval.online.click_models import ClickModel, ModelName


class InterleavingVerbs:
    """How runs are shown to users side by side, and what comes of it."""

    _frame: pd.DataFrame
    _binding: dict[str, Any]

    def interleave(
        self,
        method: Literal["team-draft", "balanced", "probabilistic"] = "team-draft",
        *,
        pairs: Sequence[tuple[object, object]] | None = None,
        depth: int | None = 10,
        draws: int = 1,
        seed: int | None = 0,
        tau: float = 3.0,
        ties: Ties | None = None,
        compat: Compat = "trec_eval-10",
        progress: bool | None = None,
    ) -> pd.DataFrame:
        """Return interleaved lists of pairs of runs, for every query that both answered: one row per position.

        Parameters
        ----------
        method : {'team-draft', 'balanced', 'probabilistic'}
            How two rankings become one list.
        pairs : list of (a, b), optional
            Run ids; by default every pair once.
        depth : int, optional
            Length of the lists.
        draws : int
            Independent lists for every pair and query.
        seed : int, optional
            The same seed gives the same lists for any order of the rows.
        tau : float
            How steeply probabilistic interleaving prefers a run's top ranks.
        ties, compat
            The ranking of the runs, as in `join`.
        progress : bool, optional
            Show a bar; by default after a second, to a person.

        Returns
        -------
        DataFrame
            run_a, run_b, query_id, draw, position, doc_id, team, rank_a, rank_b, shared, method.

        Examples
        --------
        >>> import pdeval
        >>> lists = pdeval.datasets.sample_runs().ireval.interleave(pairs=[("bm25", "hybrid")])
        >>> lists.groupby("team", observed=True).size().to_dict()
        {'a': 250, 'b': 250}
        """
        from pdeval import online

        frame, names = columns.ranked(self, ties, compat)
        options: dict[str, Any] = {
            "pairs": pairs,
            "depth": depth,
            "draws": draws,
            "seed": seed,
            "tau": tau,
            "progress": progress,
        }
        return online.interleave(frame, method=method, **options, **names)

    def multileave(
        self,
        *,
        depth: int | None = 10,
        draws: int = 1,
        seed: int | None = 0,
        ties: Ties | None = None,
        compat: Compat = "trec_eval-10",
        progress: bool | None = None,
    ) -> pd.DataFrame:
        """Return team-draft lists of all runs at once, for every query that all of them answered.

        Parameters
        ----------
        depth, draws, seed, ties, compat, progress
            As in `interleave`.

        Returns
        -------
        DataFrame
            query_id, draw, position, doc_id, team (the run), method.

        Examples
        --------
        >>> import pdeval
        >>> lists = pdeval.datasets.sample_runs().ireval.multileave(depth=12)
        >>> int(lists.groupby(["query_id"], observed=True)["team"].nunique().min())
        12
        """
        from pdeval import online

        frame, names = columns.ranked(self, ties, compat)
        return online.multileave(frame, depth=depth, draws=draws, seed=seed, progress=progress, **names)

    def simulate_clicks(
        self,
        qrels: object,
        model: ModelName | ClickModel = "perfect",
        *,
        sessions: int = 1,
        ties: Ties | None = None,
        compat: Compat = "trec_eval-10",
        **options: Any,
    ) -> pd.DataFrame:
        """Return the click log of simulated users of these interleaved lists, or of these runs as buckets.

        Parameters
        ----------
        qrels : DataFrame
            Judgments; what is not judged counts as not relevant.
        model : str or ClickModel
            "perfect", "navigational", "informational", "position-biased", "cascade", or one of your own.
        sessions : int
            How many sessions begin with each list.
        ties, compat
            The ranking of runs, as in `join`.
        **options
            `users`, `reformulate`, `max_queries`, `level`, `graded`, `depth`, `seconds_per_result`,
            `seconds_per_click`, `start`, `seed`, `progress`: see `pdeval.online.simulate`.

        Returns
        -------
        DataFrame
            session, user, [bucket | run_a, run_b, method, draw,] query_id, timestamp, action, rank, doc_id.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> log = runs.ireval.interleave(pairs=[("bm25", "hybrid")]).ireval.simulate_clicks(qrels, "cascade")
        >>> int((log["action"] == "impression").sum())
        50
        """
        from pdeval import online

        frame, names = columns.shown(self, ties, compat)
        judged = columns.graded(qrels, names["query"], names["doc"])
        return online.simulate(frame, judged, model=model, sessions=sessions, **names, **options)

    def credit(self, lists: object, *, shared: Literal["team", "nobody"] = "team", **binding: str) -> pd.DataFrame:
        """Return the clicks of this log that each run earned, for every impression of an interleaved list.

        Parameters
        ----------
        lists : DataFrame
            What `interleave` or `multileave` returned: the lists that were shown.
        shared : {'team', 'nobody'}
            Whether clicks on top ranks that both runs share count for the team that drew the result, or not at all.
        **binding : str
            As in `check_log`.

        Returns
        -------
        DataFrame
            run_a, run_b, query_id, [draw,] [session,] [user,] method, clicks, credit_a, credit_b, winner.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> lists = runs.ireval.interleave(pairs=[("bm25", "hybrid")])
        >>> credits = lists.ireval.simulate_clicks(qrels).ireval.credit(lists)
        >>> bool(credits["credit_b"].sum() > credits["credit_a"].sum())
        True
        """
        from pdeval import online

        shown = columns.accessor_of(lists, "lists")
        names = columns.of_log(self, {**columns.of_items(shown), **binding})
        return online.credit(shown._frame, self._frame, shared=shared, run=columns.of_pairs(shown._frame), **names)

    def wins(self, by: Literal["query", "user", "impression"] = "query", **options: Any) -> pd.DataFrame:
        """Return how many queries or users each run of a pair won, from what `credit` returned.

        Parameters
        ----------
        by : {'query', 'user', 'impression'}
            Who votes.
        **options
            `alternative`, `correction`, `alpha`, `query`, `user`: see `pdeval.online.wins`.

        Returns
        -------
        DataFrame
            run_a, run_b, by, n, a_wins, b_wins, ties, a_percent, b_percent, p_value, p_adjusted, significant.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> lists = runs.ireval.interleave(pairs=[("bm25", "hybrid")], draws=20)
        >>> credits = lists.ireval.simulate_clicks(qrels).ireval.credit(lists)
        >>> credits.ireval.wins()[["run_a", "run_b", "n", "significant"]].values.tolist()
        [['bm25', 'hybrid', 49, True]]
        """
        from pdeval import online

        return online.wins(self._frame, by=by, **columns.of_query(self, options))

    def click_preferences(self, **options: str) -> pd.DataFrame:
        """Return the outcome of every query as a preference, from what `credit` returned.

        The frame is a preferences table: `order`, `compare`, `matrix` and agreement work on it.

        Parameters
        ----------
        **options
            `query`: see `pdeval.online.preferences`.

        Returns
        -------
        DataFrame
            query_id, run_a, run_b, measure (the interleaving method), value in [-1, 1].

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> lists = runs.ireval.interleave(pairs=[("bm25", "hybrid")], draws=20)
        >>> credits = lists.ireval.simulate_clicks(qrels).ireval.credit(lists)
        >>> credits.ireval.click_preferences().ireval
        preferences table: 1 pair x 49 queries, team-draft; next: .mean(), .matrix(), .order(), .compare()
        """
        from pdeval import online

        return online.preferences(self._frame, **columns.of_query(self, options))
