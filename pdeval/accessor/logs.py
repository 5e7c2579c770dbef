"""Verbs of click logs: what users did, bucket against bucket, whose clicks they were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from pdeval.accessor import columns


class LogVerbs:
    """What a click log says."""

    _frame: pd.DataFrame
    _binding: dict[str, Any]

    def check_log(self, **binding: str) -> pd.DataFrame:
        """Return what is wrong with a click log, and what is done about it: problem, rows, handling, example.

        Parameters
        ----------
        **binding : str
            Column names by role: session, user, query, timestamp, action, rank, doc, bucket. The format of a log is
            described in `pdeval.online.log`.

        Examples
        --------
        >>> log = pd.DataFrame({"session": [1, 1, 1], "query_id": ["a", "a", "b"], "rank": [None, 2, 1],
        ...                     "timestamp": [0, 9, 12], "action": ["impression", "click", "click"]})
        >>> log.ireval.check_log()[["problem", "rows", "handling"]].values.tolist()
        [['clicks on a query never shown in their session', 1, 'left out']]
        """
        from pdeval import online

        return online.check_log(self._frame, **columns.of_log(self, binding))

    def per_query(self, **binding: str) -> pd.DataFrame:
        """Return the behaviour after every issued query: clicks, abandoned, reformulated, reciprocal ranks, times.

        Parameters
        ----------
        **binding : str
            As in `check_log`.

        Examples
        --------
        >>> log = pd.DataFrame({"session": 1, "query_id": "a", "rank": [None, 2], "timestamp": [0, 9],
        ...                     "action": ["impression", "click"]})
        >>> log.ireval.per_query()[["clicks", "max_reciprocal_rank", "time_to_first_click"]].values.tolist()
        [[1.0, 0.5, 9.0]]
        """
        from pdeval import online

        return online.per_query(self._frame, **columns.of_log(self, binding))

    def per_session(self, **binding: str) -> pd.DataFrame:
        """Return the number of queries issued in every session.

        Parameters
        ----------
        **binding : str
            As in `check_log`.

        Examples
        --------
        >>> log = pd.DataFrame({"session": [1, 1, 2], "query_id": ["a", "b", "a"], "rank": None, "timestamp": [0, 9, 0],
        ...                     "action": "impression"})
        >>> log.ireval.per_session().values.tolist()
        [[1, 2], [2, 1]]
        """
        from pdeval import online

        return online.per_session(self._frame, **columns.of_log(self, binding))

    def behaviour(self, measures: Sequence[str] | str | None = None, **options: Any) -> pd.DataFrame:
        """Return the behaviour measures of every bucket: [bucket,] measure, aggregate, n, value, ci_low, ci_high.

        Parameters
        ----------
        measures : str or list of str, optional
            Any of `pdeval.online.MEASURES`; by default all eight.
        **options
            `aggregate`, `unit`, `confidence`, `resamples`, `seed`, and column names by role; see
            `pdeval.online.behaviour`.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> log = runs[runs["run"].isin(["bm25", "tfidf"])].ireval.simulate_clicks(qrels)
        >>> log.ireval.behaviour("abandonment_rate")[["bucket", "n", "value"]].values.tolist()
        [['bm25', 50, 0.02], ['tfidf', 50, 0.06]]
        """
        from pdeval import online

        return online.behaviour(self._frame, measures, **columns.of_log(self, options))

    def compare_buckets(self, measures: Sequence[str] | str | None = None, **options: Any) -> pd.DataFrame:
        """Return a two-sample test of every pair of buckets on every behaviour measure.

        Parameters
        ----------
        measures : str or list of str, optional
            As in `behaviour`.
        **options
            `order`, `aggregate`, `unit`, `test`, `correction`, `alpha`, `resamples`, `seed`, and column names by role;
            see `pdeval.online.compare_buckets`.

        Returns
        -------
        DataFrame
            bucket_a, bucket_b, measure, aggregate, test, n_a, n_b, value_a, value_b, difference, ci_low, ci_high,
            effect_size, statistic, p_value, p_adjusted, significant.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> log = runs[runs["run"].isin(["rerank-s1", "tfidf"])].ireval.simulate_clicks(qrels, sessions=10)
        >>> log.ireval.compare_buckets("clicks_per_query")[["bucket_a", "bucket_b", "significant"]].values.tolist()
        [['rerank-s1', 'tfidf', True]]
        """
        from pdeval import online

        return online.compare_buckets(self._frame, measures, **columns.of_log(self, options))

    def verdict(
        self, order: Sequence[object], measures: Sequence[str] | str | None = None, **options: Any
    ) -> pd.DataFrame:
        """Return, per behaviour measure, whether the buckets follow a hypothesised order from best to worst.

        Parameters
        ----------
        order : list
            Buckets from best to worst, such as ["ORIG", "FLAT", "RAND"].
        measures : str or list of str, optional
            As in `behaviour`.
        **options
            `aggregate`, `unit`, `test`, `correction`, `alpha`, `seed`, and column names by role; see
            `pdeval.online.verdict`.

        Returns
        -------
        DataFrame
            measure, aggregate, hypothesis, found, pairs, as_expected, significant, against, verdict.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> log = runs[runs["run"].isin(["rerank-s1", "tfidf"])].ireval.simulate_clicks(qrels, sessions=10)
        >>> log.ireval.verdict(["rerank-s1", "tfidf"], "clicks_per_query")["verdict"].tolist()
        ['confirmed']
        """
        from pdeval import online

        return online.verdict(self._frame, order, measures, **columns.of_log(self, options))
