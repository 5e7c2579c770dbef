"""Friedman's test: whether any of the runs ranks better than another, before pairs of them are looked at."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held, each, sources
from pdeval.kinds.labels import labels
from pdeval.kinds.schemas import table
from pdeval.significance.compared import Pairs, Source, complete
from pdeval.significance.mean_ranks import concordance, ranks_of
from pdeval.verbs import verb

KINDS = ("friedman", "iman_davenport")

table(
    "friedman",
    "measure test n:int runs:int statistic:float df:int df_error:float p_value:float effect_size:float",
    "table of Friedman tests",
    known_by="measure test runs statistic df_error",
    row="measure and test",
    sort="measure",
    then=".report()",
    means={
        "test": "'friedman', a chi-squared, or 'iman_davenport', the F of the same ranks, which is less conservative",
        "n": "number of queries on which every run has a value",
        "runs": "number of runs ranked on each",
        "df": "degrees of freedom: runs - 1",
        "df_error": "those of the denominator of F: (runs - 1)(n - 1); the chi-squared has none",
        "effect_size": "Kendall's W, corrected for ties: 0 where queries rank runs at random, 1 where all agree",
    },
    undrawn="it is two numbers per measure; draw .compare(test='nemenyi')",
)


@verb(on=("scores", "preferences", "judged"), gives="friedman", independent="always", per_measure=True)
def friedman(held: Held, measures: object = MEASURES) -> pd.DataFrame:
    """Return Friedman's test of each measure: whether the runs rank differently over the queries at all.

    Every query ranks the runs; under the null hypothesis all its orders are equally likely. Which runs differ is then
    for `compare(test="nemenyi")` or `compare(test="conover")` to say.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        For runs what to compute, for a table which of its measures to use; by default all of them. Preferences have to
        be differences of scores.

    Notes
    -----
    Equal values of a query share the mean of their ranks, and the statistic is corrected for such ties. Queries that
    some run lacks are left out, with a warning. Where all queries rank the runs alike F is infinite and p = 0; where
    no query tells any two runs apart, the statistic is 0 and p = 1. To rank over collections instead of queries, ask
    `collection_means(by=...)` first: `n` is then the number of collections.

    References
    ----------
    Friedman (1937), The use of ranks to avoid the assumption of normality; Iman and Davenport (1980), Approximations of
    the critical region of the Friedman statistic; Demsar (2006), Statistical comparisons of classifiers over multiple
    data sets.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure(["AP", "RR"])
    >>> scores.ireval.friedman().drop(columns="effect_size").round(3)
      measure            test   n  runs  statistic  df  df_error  p_value
    0      AP        friedman  48    12    234.279  11       NaN      0.0
    1      AP  iman_davenport  48    12     37.488  11     517.0      0.0
    2      RR        friedman  48    12     61.697  11       NaN      0.0
    3      RR  iman_davenport  48    12      6.219  11     517.0      0.0
    """
    return each(_of_source, sources(held, measures))


def _of_source(source: Source) -> pd.DataFrame:
    pairs = Pairs.of(source)
    rows = []
    for number, measure in enumerate(source.measures):
        values, _ = complete(pairs, number, "friedman")
        if values.ndim == 3:
            raise ValueError(f"friedman needs a score per run and query; {measure!r} is a preference between runs.")
        rows.append(rank_tests(values))
    columns = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    head = {
        "measure": labels(pd.Index(source.measures), np.repeat(np.arange(len(rows)), len(KINDS))),
        "test": labels(pd.Index(KINDS), np.tile(np.arange(len(KINDS)), len(rows))),
    }
    frame = pd.DataFrame({**head, **columns}, copy=False)
    frame.attrs.update(source.attrs)
    return frame


def rank_tests(X: np.ndarray) -> dict[str, np.ndarray]:
    """Return n, runs, statistic, degrees of freedom, p and effect size of Friedman's chi-squared and of its F.

    Examples
    --------
    >>> found = rank_tests(np.array([[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]]))
    >>> found["statistic"].round(4).tolist(), found["p_value"].round(4).tolist()
    ([6.5, 13.0], [0.0388, 0.0066])
    """
    from scipy import special

    queries, runs = X.shape
    agreement = concordance(ranks_of(X))
    df, df_error = runs - 1, (runs - 1) * (queries - 1)
    squared = agreement * queries * df
    with np.errstate(divide="ignore"):
        f = np.divide((queries - 1) * agreement, np.float64(1 - agreement))
    p = special.chdtrc(df, squared), 0.0 if np.isinf(f) else special.fdtrc(df, df_error, f)
    return {
        "n": np.full(2, queries),
        "runs": np.full(2, runs),
        "statistic": np.array([squared, f]),
        "df": np.full(2, df),
        "df_error": np.array([np.nan, df_error]),
        "p_value": np.array(p),
        "effect_size": np.full(2, agreement),
    }
