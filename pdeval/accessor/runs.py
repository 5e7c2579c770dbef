"""Verbs of run tables: from runs and judgments to scores."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pdeval.accessor.joined import MEASURES, Joined, join
from pdeval.accessor.sources import joined_of
from pdeval.catalog import parse_all
from pdeval.collections import accounting
from pdeval.evaluate.fitting import Weights
from pdeval.evaluate.scores import Topics
from pdeval.judged.positions import Compat
from pdeval.judged.ranks import Ties
from pdeval.kinds import tables


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
        asked = parse_all(MEASURES if measures is None else measures)
        return join(self, qrels, asked, level=level, topics=topics, **rules).measure(asked)

    def prefer(
        self,
        qrels: object,
        measures: object = ("RPP",),
        *,
        baseline: object = None,
        pairs: object = None,
        progress: bool | None = None,
        **rules: Any,
    ) -> pd.DataFrame:
        """Return the preferences between runs on every query: query, run_a, run_b, measure, value.

        Each unordered pair stands once; `value` is positive where run_a is better. Any measure is a preference
        through its difference, turned where lower is better.

        Parameters
        ----------
        measures : str or list
            "RPP", "dcgRPP", "invRPP", "ST-RPP", "rrLP", "sgnLP", "sgnLR", "I", "OI", or any measure; with weights of
            your own: `pdeval.parse("RPP", weight=...)`.
        baseline : run, optional
            All runs against this one, which is run_b.
        pairs : list of (run_a, run_b) or frame of two columns, optional
            Only these pairs.
        progress : bool, optional
            Show a bar; by default after a second, to a person.
        **rules
            level, topics, ties, compat, depth, validate, as in `join`.

        Examples
        --------
        >>> import pdeval
        >>> prefs = pdeval.datasets.sample_runs().ireval.prefer(pdeval.datasets.sample_qrels(), ["RPP", "AP"])
        >>> list(prefs), len(prefs)
        (['query_id', 'run_a', 'run_b', 'measure', 'value'], 6600)
        """
        joined = joined_of(self, qrels, measures, rules, "prefer")
        return joined.prefer(measures, baseline=baseline, pairs=pairs, progress=progress)

    def check(self, qrels: object, *, level: float | None = None) -> pd.DataFrame:
        """Return the accounting of a join: per run, queries answered, missing, extra, duplicates, ties, judged share.

        Examples
        --------
        >>> import pdeval
        >>> table = pdeval.datasets.sample_runs().ireval.check(pdeval.datasets.sample_qrels())
        >>> table[["run", "answered", "missing"]].head(1).values.tolist()
        [['bm25', 50, 0]]
        """
        return accounting.check(tables.read(self, "runs"), tables.read(qrels, "qrels"), level=level)

    def disaggregate(
        self,
        qrels: object,
        measures: object = ("RPP",),
        *,
        baseline: object = None,
        pairs: object = None,
        **rules: Any,
    ) -> pd.DataFrame:
        """Return what each recall level contributes to the difference of two runs: ..., measure, level, value.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> int(runs.ireval.disaggregate(qrels, "RPP", pairs=[("bm25", "ql")])["level"].min())
        1
        """
        joined = joined_of(self, qrels, measures, rules, "disaggregate")
        return joined.disaggregate(measures, baseline=baseline, pairs=pairs)

    def explain(
        self, qrels: object, query: object, measures: object = MEASURES, *, runs: object = None, **rules: Any
    ) -> pd.DataFrame:
        """Return a per-item account of one query: item, grade, rank in each run, what it adds to each measure.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.explain(qrels, "101", "AP", runs=["bm25"]).columns.tolist()
        ['run', 'query_id', 'doc_id', 'relevance', 'rank', 'AP']
        """
        return joined_of(self, qrels, None, rules, "explain").explain(query, measures, runs=runs)

    def curve(self, qrels: object, *, points: int | None = 11, by_query: bool = False, **rules: Any) -> pd.DataFrame:
        """Return precision against recall, interpolated at evenly spread points or at each relevant item.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.curve(qrels).columns.tolist()
        ['run', 'recall', 'precision']
        """
        return joined_of(self, qrels, "AP", rules, "curve").curve(points=points, by_query=by_query)

    def fit_weights(self, qrels: object, labelled: pd.DataFrame, *, penalty: float = 1.0, **rules: Any) -> Weights:
        """Return the weights of recall levels that best reproduce labelled preferences (query, run_a, run_b, winner).

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> prefs = runs.ireval.prefer(qrels, "RPP", pairs=[("bm25", "ql")]).query("value != 0")
        >>> labelled = prefs.assign(winner=["a" if value > 0 else "b" for value in prefs["value"]])
        >>> runs.ireval.fit_weights(qrels, labelled).labels == len(labelled)
        True
        """
        return joined_of(self, qrels, "AP", rules, "fit_weights").fit_weights(labelled, penalty=penalty)
