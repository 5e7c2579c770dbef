"""PyTerrier's `Experiment` with pdeval's tests and corrections, and its per-query results as a table of scores.

    from pdeval.compat.pyterrier import corrected, experiment_test, scores_of
    table = pt.Experiment(systems, topics, qrels, ["map"], baseline=0, test=experiment_test("permutation"))
    corrected(table, "holm")
    per_query = pt.Experiment(systems, topics, qrels, ["map"], perquery=True)
    scores_of(per_query).ireval.compare(test="hsd")

PyTerrier itself is not imported.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.significance.corrections import adjust, which_correction
from pdeval.significance.registry import completed, which_test
from pdeval.tables import describe, listed
from pdeval.verbs import arguments

COLUMNS = ["name", "qid", "measure", "value"]
P_VALUE = " p-value"


def experiment_test(
    test: str = "t", *, draws: int = 10_000, seed: int | None = 0, progress: bool | None = False
) -> Callable[[Any, Any], tuple[float, float]]:
    """Return a significance test for `pt.Experiment(test=...)`: a function of two arrays of per-query values.

    Parameters
    ----------
    test : str
        Name of a test of one pair of systems: 't', 'wilcoxon', 'sign', 'permutation', 'bootstrap', or a test
        declared with `pdeval.test`.
    draws : int
        Number of random draws, for tests that use them.
    seed : int, optional
        Seed of the random draws; None for a random seed.
    progress : bool, optional
        Whether to show a progress bar.

    Returns
    -------
    callable
        Function of the values of a system and of the baseline on the same queries. It returns (statistic, p-value).

    Examples
    --------
    >>> sign = experiment_test("sign")
    >>> sign([0.4, 0.5, 0.6, 0.7, 0.1], [0.3, 0.4, 0.5, 0.6, 0.2])
    (4.0, 0.375)
    """
    chosen = which_test(test)
    if chosen.joint:
        raise ValueError(
            f"test={test!r} compares all systems at once, but Experiment compares one pair at a time. Run it with "
            f"perquery=True, then use scores_of(result).ireval.compare(test={test!r})."
        )
    arguments.integer("draws", draws, 1)
    arguments.seed(seed)

    def run_test(values: Any, baseline: Any) -> tuple[float, float]:
        first, second = (np.asarray(side, dtype=np.float64) for side in (values, baseline))
        if first.shape != second.shape or first.ndim != 1:
            raise ValueError(
                "a paired test requires two lists of the same length; they have the shapes "
                f"{first.shape} and {second.shape}."
            )
        differences = (first - second)[:, None]
        result = completed(
            chosen(differences, draws=draws, seed=seed, progress=progress),
            lambda: describe(differences),
            name=chosen.name,
            pairs=1,
            confidence=0.95,
        )
        return float(result.statistic[0]), float(result.p_value[0])

    return run_test


def corrected(
    averages: pd.DataFrame, correction: str = "holm", *, alpha: float = 0.05
) -> pd.DataFrame:
    """Return the table of an Experiment with corrected p-values, as `Experiment(correction=...)` lays them out.

    The p-values of a measure are one family. The baseline has no p-value and is not counted.

    Parameters
    ----------
    averages : DataFrame
        Result of `pt.Experiment(..., baseline=...)`: one row per system, with columns such as "map p-value".
    correction : str
        Correction for multiple comparisons, see `compare`: 'bonferroni', 'holm', 'sidak', 'holm-sidak', 'fdr_bh', ...
    alpha : float
        Significance level.

    Returns
    -------
    DataFrame
        A new table, with columns "map reject" and "map p-value corrected" after "map p-value".

    Examples
    --------
    >>> table = pd.DataFrame({"name": ["bm25", "a", "b"], "map": [0.3, 0.4, 0.2], "map p-value": [None, 0.01, 0.04]})
    >>> corrected(table)
       name  map  map p-value  map reject  map p-value corrected
    0  bm25  0.3          NaN       False                    NaN
    1     a  0.4         0.01        True                   0.02
    2     b  0.2         0.04        True                   0.04
    """
    columns = [name for name in map(str, averages.columns) if name.endswith(P_VALUE)]
    if not columns:
        raise ValueError(
            f"no column ends in '{P_VALUE}' among {listed(averages.columns)}. Pass baseline= to Experiment."
        )
    arguments.share("alpha", alpha)
    correction = which_correction(correction)
    table = averages.copy()
    for name in columns:
        p_values = table[name].to_numpy(dtype=np.float64, na_value=np.nan)
        adjusted = adjust(
            p_values, np.zeros(len(table), dtype=np.int64), correction=correction, alpha=alpha
        )
        table[name] = p_values
        place = list(table.columns).index(name) + 1
        table.insert(place, name.removesuffix(P_VALUE) + " reject", adjusted <= alpha)
        table.insert(place + 1, f"{name} corrected", adjusted)
    return table


def scores_of(
    per_query: pd.DataFrame | Mapping[Any, Any], *, names: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return the per-query results of an Experiment as a table of scores, with its verbs.

    Parameters
    ----------
    per_query : DataFrame, or dict of dicts
        Result of `pt.Experiment(..., perquery=True)`, also with `dataframe=False`; or the second of the two tables
        of `perquery="both"`.
    names : sequence of str, optional
        Names of the systems, if `per_query` is a dict that numbers them from 0.

    Returns
    -------
    DataFrame
        Columns name, qid, measure and value; sorted. `.ireval` has summary, order, compare and report.

    Examples
    --------
    >>> bm25, ql = {"1": {"map": 0.3}, "2": {"map": 0.5}}, {"1": {"map": 0.2}, "2": {"map": 0.6}}
    >>> scores = scores_of({"bm25": bm25, "ql": ql})
    >>> scores.ireval.summary()[["name", "measure", "n", "mean"]]
       name measure  n  mean
    0  bm25     map  2   0.4
    1    ql     map  2   0.4
    """
    if isinstance(per_query, Mapping):
        rows = [
            (name if names is None else names[name], query, measure, value)
            for name, queries in per_query.items()
            for query, values in queries.items()
            for measure, value in values.items()
        ]
        per_query = pd.DataFrame(rows, columns=COLUMNS)
    absent = [name for name in COLUMNS if name not in per_query.columns]
    if absent:
        raise ValueError(
            f"no column {absent[0]!r} among {listed(per_query.columns)}. Pass the result of "
            "pt.Experiment(..., perquery=True)."
        )
    scores = per_query[COLUMNS].reset_index(drop=True).astype({"value": np.float64})
    again = scores.duplicated(COLUMNS[:3])
    if again.any():
        name, query, measure = scores.loc[again, COLUMNS[:3]].iloc[0]
        raise ValueError(
            f"two systems are named {name!r}: both have {measure} of query {query!r}. Pass different names=."
        )
    scores = scores.sort_values(COLUMNS[:2], kind="stable", ignore_index=True)
    scores.attrs = {"run_columns": ["name"], "query_column": "qid"}
    return scores
