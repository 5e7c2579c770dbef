"""Verbs of run tables: from runs and judgments to scores."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pdeval.accessor.joined import MEASURES, Joined, join
from pdeval.evaluate import Topics
from pdeval.positions import Compat
from pdeval.ranks import Ties


class RunVerbs:
    """What a run table can do with judgments."""

    _frame: pd.DataFrame
    _binding: dict[str, Any]

    def join(
        self,
        qrels: object,
        *,
        level: float | None = None,
        topics: Topics = "relevant",
        ties: Ties | None = None,
        compat: Compat = "trec_eval-10",
        depth: int | None = None,
        validate: bool = True,
    ) -> Joined:
        """Return the join of these runs with judgments: an object to keep, with the verbs of this accessor.

        Parameters
        ----------
        qrels : DataFrame or bound accessor
            Judgments: query, doc, grade, maybe subtopic.
        level : float, optional
            The least grade that counts as relevant; by default any positive grade.
        topics : {'relevant', 'judged', 'answered', 'common'}
            Which queries count: those with a relevant item (a query that a run did not answer is its worst case);
            every judged one; what each run answered; what every run answered.
        ties : {'docid', 'rank', 'first', 'expected'}
            Order of equal scores: document id descending, as trec_eval; the rank column; the order of rows; the mean
            over all orders.
        compat : {'trec_eval-10', 'trec_eval-9', 'pref_eval'}
            Whose arithmetic, where tools differ.
        depth : int, optional
            Look only at the first `depth` items of each list.
        validate : bool
            Look for duplicate documents (about a third of the time of a join).

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.measure("AP").shape
        (600, 4)
        """
        rules = {"ties": ties, "compat": compat, "depth": depth, "validate": validate}
        return join(self, qrels, level=level, topics=topics, **rules)

    def measure(
        self,
        qrels: object,
        measures: object = MEASURES,
        *,
        level: float | None = None,
        topics: Topics = "relevant",
        ties: Ties | None = None,
        compat: Compat = "trec_eval-10",
        depth: int | None = None,
        validate: bool = True,
    ) -> pd.DataFrame:
        """Return what every run scores on every query: run, query, measure, value.

        Parameters
        ----------
        measures : str or list
            Names such as "nDCG@10" or "RBP(p=0.9)"; `pdeval.catalog()` lists all.
        qrels, level, topics, ties, compat, depth, validate
            As in `join`.

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_runs().ireval.measure(pdeval.datasets.sample_qrels(), ["AP", "nDCG@10"])
        >>> list(scores), len(scores)
        (['run', 'query_id', 'measure', 'value'], 1200)
        """
        rules = {"ties": ties, "compat": compat, "depth": depth, "validate": validate}
        return join(self, qrels, measures, level=level, topics=topics, **rules).measure(measures)
