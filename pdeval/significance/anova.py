"""Analysis of variance of scores: how much of it is the run, how much the query."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import Scores
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held, each, sources
from pdeval.significance.hsd import residual_mean_square
from pdeval.significance.paired_differences import Pairs, Source, complete
from pdeval.significance.test_result import ratio
from pdeval.tables.equal_values import NOISE
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb

SOURCES = ("run", "query", "residual", "total")

table(
    "anova",
    "measure source df:int sum_sq:float mean_sq:float statistic:float p_value:float effect_size:float",
    "analysis of variance",
    row="measure and source of variance",
    sort="measure",
    means={
        "source": "'run', 'query', 'residual' or 'total'",
        "df": "degrees of freedom",
        "statistic": "F; the residual and the total have none",
        "effect_size": "partial omega squared, df (F - 1) / (df (F - 1) + cells)",
    },
    unreported="it has four rows per measure, to be read and not printed; report .compare()",
    undrawn="it has four rows per measure; draw .compare()",
)


@verb(on=("scores", "preferences", "judged"), per_measure=True, gives="anova", independent=True)
def anova(held: Held, measures: object = MEASURES) -> pd.DataFrame:
    """Return the two-way analysis of variance, run and query, of each measure, with one observation per cell.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        ... Preferences have to be differences of scores.

    Notes
    -----
    Queries that some run lacks are left out, with a warning. Without a residual F is infinite and p = 0, or F = 0 and
    p = 1 where the means are equal too. Preferences do not tell how queries differ: theirs are missing.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> scores.ireval.anova().drop(columns="mean_sq").round(3)
      measure    source   df  sum_sq  statistic  p_value  effect_size
    0      AP       run   11   6.043     44.200      0.0        0.452
    1      AP     query   47   9.683     16.575      0.0        0.560
    2      AP  residual  517   6.426        NaN      NaN          NaN
    3      AP     total  575  22.153        NaN      NaN          NaN
    """
    return each(_of_source, sources(held, measures))


def _of_source(source: Source) -> pd.DataFrame:
    pairs = Pairs.of(source)
    rows = []
    for number, measure in enumerate(source.measures):
        values, _ = complete(pairs, number, "anova")
        if values.ndim == 3:
            raise ValueError(f"anova needs a score per run and query; {measure!r} is a preference between runs.")
        rows.append(two_way(values, scored=isinstance(source, Scores)))
    columns = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    count = len(rows)
    head = {
        "measure": labels(pd.Index(source.measures), np.repeat(np.arange(count), len(SOURCES))),
        "source": labels(pd.Index(SOURCES), np.tile(np.arange(len(SOURCES)), count)),
    }
    frame = pd.DataFrame({**head, **columns}, copy=False)
    frame.attrs.update(source.attrs)
    return frame


def two_way(X: np.ndarray, *, scored: bool = True) -> dict[str, np.ndarray]:
    """Return df, sum_sq, mean_sq, statistic, p_value, effect_size of run, query, residual and total.

    Without `scored`, X is known only up to a constant per query, and so the query row is NaN.

    Examples
    --------
    >>> two_way(np.array([[0.0, 1.0], [0.0, 3.0], [1.0, 0.0]]))["sum_sq"].round(4).tolist()
    [1.5, 1.3333, 4.0, 6.8333]
    """
    from scipy import special

    queries, runs = X.shape
    run, query = (_squares(X, axis) * X.shape[axis] for axis in (0, 1))
    residual = residual_mean_square(X) * (runs - 1) * (queries - 1)
    sum_sq = np.array([run, query, residual, run + query + residual])
    df = np.array([runs - 1, queries - 1, (runs - 1) * (queries - 1), runs * queries - 1])
    mean_sq = np.where(np.arange(4) < 3, sum_sq / df, np.nan)
    statistic, p, effect = (np.full(4, np.nan) for _ in range(3))
    statistic[:2] = ratio(mean_sq[:2], mean_sq[2])
    infinite = np.isinf(statistic[:2])
    p[:2] = special.fdtrc(df[:2], df[2], statistic[:2])
    gain = df[:2] * (np.where(infinite, 1.0, statistic[:2]) - 1)
    effect[:2] = np.where(infinite, 1.0, gain / (gain + X.size))
    columns = {"sum_sq": sum_sq, "mean_sq": mean_sq, "statistic": statistic, "p_value": p, "effect_size": effect}
    if not scored:
        for values in columns.values():
            values[1] = np.nan
        sum_sq[3] = np.nan
    return {"df": df, **columns}


def _squares(X: np.ndarray, axis: int) -> float:
    """Return the sum of squares of the means along an axis; means that differ by rounding only have no variance."""
    away = np.abs(X.mean(axis=axis) - X.mean())
    return float(np.square(np.where(away > NOISE * np.abs(X).max(), away, 0.0)).sum())
