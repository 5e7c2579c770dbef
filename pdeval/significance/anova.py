"""Whether runs differ at all: analysis of variance, of scores and of ranks (Friedman's test)."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from pdeval.evaluate import MEASURES, Scores, ScoresLike, Source, described_frame, each, sources
from pdeval.significance.hsd import residual_mean_square
from pdeval.significance.mean_ranks import concordance, ranks_of
from pdeval.significance.paired_differences import Pairs, complete, concatenated
from pdeval.tables import NOISE, labels, ratio, table
from pdeval.verbs import special, verb

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
    no_report="it has four rows per measure, to be read and not printed; report .compare()",
    no_plot="it has four rows per measure; draw .compare()",
)


@verb(on=("scores", "preferences", "judged"), per_measure=True, returns="anova", independent=True)
def anova(data: ScoresLike, measures: object = MEASURES) -> pd.DataFrame:
    """Return the two-way analysis of variance, run and query, of each measure, with one observation per cell.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        ... Preferences have to be differences of scores.

    Notes
    -----
    Queries without a value for some run are dropped, with a warning. Without a residual, F is infinite and p = 0; if
    the means are equal too, F = 0 and p = 1. The values of the query row are missing for preferences, which do not
    determine how queries differ.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> scores.ireval.anova().drop(columns="mean_sq").round(3)
      measure    source   df  sum_sq  statistic  p_value  effect_size
    0      AP       run   11   6.043     44.200      0.0        0.452
    1      AP     query   47   9.683     16.575      0.0        0.560
    2      AP  residual  517   6.426        NaN      NaN          NaN
    3      AP     total  575  22.153        NaN      NaN          NaN
    """
    return each(
        _analyzed,
        sources(data, measures),
        verb="anova",
        column="source",
        kinds=SOURCES,
        analysis=two_way,
    )


def _analyzed(
    source: Source,
    *,
    verb: str,
    column: str,
    kinds: Sequence[str],
    analysis: Callable[[np.ndarray, bool], dict[str, np.ndarray]],
) -> pd.DataFrame:
    """Return the rows of each measure, one for each of `kinds`, by an analysis of values (queries, runs).

    Its second argument is whether the values are scores, or determined only up to a constant per query.
    """
    pairs = Pairs.of(source)
    parts = []
    for number, measure in enumerate(source.measures):
        values, _ = complete(pairs, number, verb)
        if values.ndim == 3:
            raise ValueError(
                f"{verb}() requires a score per run and query; {measure!r} is a preference between runs. Use a measure."
            )
        parts.append(analysis(values, isinstance(source, Scores)))
    return rows_per_measure(source, column, kinds, parts)


def rows_per_measure(
    source: Source, column: str, kinds: Sequence[str], parts: Sequence[dict[str, np.ndarray]]
) -> pd.DataFrame:
    """Return one row per measure and kind; each measure has its part of the columns, one value per kind."""
    head = {
        "measure": labels(pd.Index(source.measures), np.repeat(np.arange(len(parts)), len(kinds))),
        column: labels(pd.Index(kinds), np.tile(np.arange(len(kinds)), len(parts))),
    }
    return described_frame({**head, **concatenated(parts)}, source.attrs)


def two_way(X: np.ndarray, scored: bool = True) -> dict[str, np.ndarray]:
    """Return df, sum_sq, mean_sq, statistic, p_value, effect_size of run, query, residual and total.

    If `scored` is False, X is determined only up to a constant per query, and the query row is NaN.

    Examples
    --------
    >>> two_way(np.array([[0.0, 1.0], [0.0, 3.0], [1.0, 0.0]]))["sum_sq"].round(4).tolist()
    [1.5, 1.3333, 4.0, 6.8333]
    """
    queries, runs = X.shape
    run, query = (_squares(X, axis) * X.shape[axis] for axis in (0, 1))
    df = np.array([runs - 1, queries - 1, (runs - 1) * (queries - 1), runs * queries - 1])
    residual = residual_mean_square(X) * (runs - 1) * (queries - 1)
    columns = {
        "sum_sq": np.array([run, query, residual, run + query + residual]),
        **{name: np.full(4, np.nan) for name in ("mean_sq", "statistic", "p_value", "effect_size")},
    }
    columns["mean_sq"][:3] = columns["sum_sq"][:3] / df[:3]
    # run and query against the residual; without any, F is infinite and all variance is explained
    F = ratio(columns["mean_sq"][:2], columns["mean_sq"][2])
    columns["statistic"][:2] = F
    columns["p_value"][:2] = special.fdtrc(df[:2], df[2], F)
    gain = df[:2] * (np.where(np.isinf(F), 1.0, F) - 1)
    columns["effect_size"][:2] = np.where(np.isinf(F), 1.0, gain / (gain + X.size))
    if not scored:
        for values in columns.values():
            values[1] = np.nan
        columns["sum_sq"][3] = np.nan
    return {"df": df, **columns}


def _squares(X: np.ndarray, axis: int) -> float:
    """Return the sum of squares of the means along an axis; means that differ by rounding only have no variance."""
    away = np.abs(X.mean(axis=axis) - X.mean())
    return float(np.square(np.where(away > NOISE * np.abs(X).max(), away, 0.0)).sum())


KINDS = ("friedman", "iman_davenport")

table(
    "friedman",
    "measure test n:int runs:int statistic:float df:int df_error:float p_value:float effect_size:float",
    "table of Friedman tests",
    recognized_by="measure test runs statistic df_error",
    row="measure and test",
    sort="measure",
    then=".report()",
    means={
        "test": "'friedman', a chi-squared, or 'iman_davenport', the F of the same ranks, which is less conservative",
        "n": "number of queries on which every run has a value",
        "runs": "number of runs ranked on each",
        "df": "degrees of freedom: runs - 1",
        "df_error": "those of the denominator of F: (runs - 1)(n - 1); the chi-squared has none",
        "effect_size": "Kendall's W, corrected for ties: 0 if queries rank runs at random, 1 if all agree",
    },
    no_plot="it is two numbers per measure; draw .compare(test='nemenyi')",
)


@verb(
    on=("scores", "preferences", "judged"), per_measure=True, returns="friedman", independent=True
)
def friedman(data: ScoresLike, measures: object = MEASURES) -> pd.DataFrame:
    """Return Friedman's test of each measure: whether the runs rank differently over the queries at all.

    Every query ranks the runs; under the null hypothesis all its orders are equally likely. To find which runs differ,
    use `compare(test="nemenyi")` or `compare(test="conover")`.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        ... Preferences have to be differences of scores.

    Notes
    -----
    Equal values of a query get the mean of their ranks, and the statistic is corrected for ties. Queries without a
    value for some run are dropped, with a warning. If all queries rank the runs in the same order, F is infinite and
    p = 0; if all runs are tied on every query, the statistic is 0 and p = 1. To rank over collections instead of
    queries, call `collection_means(by=...)` first: `n` is then the number of collections.

    References
    ----------
    Friedman (1937), The use of ranks to avoid the assumption of normality; Iman and Davenport (1980), Approximations of
    the critical region of the Friedman statistic; Demsar (2006), Statistical comparisons of classifiers over multiple
    data sets.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure(["AP", "RR"])
    >>> scores.ireval.friedman().drop(columns="effect_size").round(3)
      measure            test   n  runs  statistic  df  df_error  p_value
    0      AP        friedman  48    12    234.279  11       NaN      0.0
    1      AP  iman_davenport  48    12     37.488  11     517.0      0.0
    2      RR        friedman  48    12     61.697  11       NaN      0.0
    3      RR  iman_davenport  48    12      6.219  11     517.0      0.0
    """
    # ranks are those of scores that preferences are the differences of, too
    cubes = sources(data, measures)
    return each(
        _analyzed,
        cubes,
        verb="friedman",
        column="test",
        kinds=KINDS,
        analysis=lambda X, _: rank_tests(X),
    )


def rank_tests(X: np.ndarray) -> dict[str, np.ndarray]:
    """Return n, runs, statistic, degrees of freedom, p and effect size of Friedman's chi-squared and of its F.

    Examples
    --------
    >>> tests = rank_tests(np.array([[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]]))
    >>> tests["statistic"].round(4).tolist(), tests["p_value"].round(4).tolist()
    ([6.5, 13.0], [0.0388, 0.0066])
    """
    queries, runs = X.shape
    agreement = concordance(ranks_of(X))
    df, df_error = runs - 1, (runs - 1) * (queries - 1)
    # both statistics are functions of Kendall's W
    squared = agreement * queries * df
    with np.errstate(divide="ignore"):
        F = np.divide((queries - 1) * agreement, np.float64(1 - agreement))
    p = special.chdtrc(df, squared), 0.0 if np.isinf(F) else special.fdtrc(df, df_error, F)
    return {
        "n": np.full(2, queries),
        "runs": np.full(2, runs),
        "statistic": np.array([squared, F]),
        "df": np.full(2, df),
        "df_error": np.array([np.nan, df_error]),
        "p_value": np.array(p),
        "effect_size": np.full(2, agreement),
    }
