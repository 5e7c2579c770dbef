"""Analysis of variance of a scores table: how much of it is the run, how much the query."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.kinds.labels import labels
from pdeval.significance.differences import Pairs, Source, complete
from pdeval.significance.hsd import residual_mean_square
from pdeval.significance.outcome import ratio

SOURCES = ("run", "query", "residual", "total")


def anova(source: Source) -> pd.DataFrame:
    """Return the two-way table run + query of each measure, one observation per cell.

    Parameters
    ----------
    source : Scores, or preferences that are differences of scores
        Queries that some run lacks are left out, with a warning.

    Returns
    -------
    DataFrame
        measure, source ("run", "query", "residual", "total"), df, sum_sq, mean_sq, statistic (F), p_value,
        effect_size (partial omega squared, df (F - 1) / (df (F - 1) + cells)). The residual has no F,
        p-value and effect, the total no mean square either: NaN. No residual: F is infinite and p = 0, or
        F = 0 and p = 1 where the means are equal too. Preferences do not tell how queries differ: theirs
        are NaN.

    Examples
    --------
    >>> from pdeval.evaluate.cube import Scores
    >>> values = np.array([[[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]]])
    >>> scores = Scores(pd.DataFrame({"run": ["bm25", "lm", "bert"]}), pd.Index([1, 2, 3, 4], name="query_id"),
    ...                 ("AP",), values, np.array([True]))
    >>> print(anova(scores)[["source", "df", "sum_sq", "statistic", "p_value"]].round(4).to_string(index=False))
      source  df  sum_sq  statistic  p_value
         run   2  0.6867    28.0909   0.0009
       query   3  0.0167     0.4545   0.7237
    residual   6  0.0733        NaN      NaN
       total  11  0.7767        NaN      NaN
    """
    pairs = Pairs.of(source)
    rows = []
    for number, measure in enumerate(source.measures):
        values, _ = complete(pairs, number)
        if values.ndim == 3:
            raise ValueError(f"anova needs a score per run and query; {measure!r} is a preference between runs.")
        rows.append(table(values, scored=hasattr(source, "higher")))
    columns = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    count = len(rows)
    head = {
        "measure": labels(pd.Index(source.measures), np.repeat(np.arange(count), len(SOURCES))),
        "source": labels(pd.Index(SOURCES), np.tile(np.arange(len(SOURCES)), count)),
    }
    frame = pd.DataFrame({**head, **columns}, copy=False)
    frame.attrs.update(getattr(source, "attrs", {}))
    return frame


def table(X: np.ndarray, *, scored: bool = True) -> dict[str, np.ndarray]:
    """Return df, sum_sq, mean_sq, statistic, p_value, effect_size of run, query, residual and total.

    Without `scored`, X is known only up to a constant per query, and so the query row is NaN.

    Examples
    --------
    >>> table(np.array([[0.0, 1.0], [0.0, 3.0], [1.0, 0.0]]))["sum_sq"].round(4).tolist()
    [1.5, 1.3333, 4.0, 6.8333]
    """
    from scipy import special

    queries, runs = X.shape
    run = np.square(X.mean(axis=0) - X.mean()).sum() * queries
    query = np.square(X.mean(axis=1) - X.mean()).sum() * runs
    residual = residual_mean_square(X) * (runs - 1) * (queries - 1)
    sum_sq = np.array([run, query, residual, run + query + residual])
    df = np.array([runs - 1, queries - 1, (runs - 1) * (queries - 1), runs * queries - 1])
    mean_sq = np.where(np.arange(4) < 3, sum_sq / df, np.nan)
    statistic, p, effect = (np.full(4, np.nan) for _ in range(3))
    statistic[:2] = ratio(mean_sq[:2], mean_sq[2])
    infinite = np.isinf(statistic[:2])
    p[:2] = np.where(infinite, 0.0, special.fdtrc(df[:2], df[2], statistic[:2]))
    gain = df[:2] * (np.where(infinite, 1.0, statistic[:2]) - 1)
    effect[:2] = np.where(infinite, 1.0, gain / (gain + X.size))
    columns = {"sum_sq": sum_sq, "mean_sq": mean_sq, "statistic": statistic, "p_value": p, "effect_size": effect}
    if not scored:
        for values in columns.values():
            values[1] = np.nan
        sum_sq[3] = np.nan
    return {"df": df, **columns}
