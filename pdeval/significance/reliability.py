"""Design of test collections: reliability of means (generalizability theory), and queries for many systems."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate import MEASURES, Scores, ScoresLike, described_frame, sources
from pdeval.significance.anova import two_way
from pdeval.significance.noninferiority import fewest_queries
from pdeval.significance.paired_differences import Pairs, complete, concatenated
from pdeval.tables import table
from pdeval.verbs import arguments, special, stats, verb

table(
    "reliability",
    "measure runs:int n:int var_run:float var_query:float var_residual:float n_queries:int "
    "erho2:float erho2_low:float erho2_high:float phi:float phi_low:float phi_high:float "
    "queries_for_erho2:float queries_for_phi:float",
    "table of reliabilities",
    row="measure and number of queries",
    sort="measure",
    means={
        "n": "number of queries of the data",
        "var_run": "variance between systems",
        "var_query": "variance between queries",
        "var_residual": "variance of the interaction of systems and queries, and of the error",
        "n_queries": "number of queries of the planned collection",
        "erho2": "generalizability coefficient: reliability of differences between systems, from 0 to 1",
        "erho2_low": "lower end of its interval",
        "erho2_high": "upper end of its interval",
        "phi": "index of dependability: reliability of the means themselves",
        "phi_low": "lower end of its interval",
        "phi_high": "upper end of its interval",
        "queries_for_erho2": "smallest number of queries with the wanted erho2; infinite if systems do not differ",
        "queries_for_phi": "smallest number of queries with the wanted phi",
    },
    no_report="a plan is read, not printed",
    no_plot="a plan is read, not drawn",
)


@verb(on=("scores", "judged"), per_measure=True, returns="reliability", independent=True)
def reliability(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    n_queries: int | Sequence[int] | None = None,
    wanted: float = 0.95,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the reliability of means over queries, and the number of queries for a required reliability.

    Parameters
    ----------
    n_queries : int or list of int, optional
        Number(s) of queries of the planned collection; by default those of the data.
    wanted : float
        Wanted reliability, between 0 and 1, of `queries_for_erho2` and `queries_for_phi`.

    Notes
    -----
    The variance components of systems, queries and their interaction are those of the analysis of variance (G-study);
    a negative estimate is 0. With n queries (D-study), erho2 = var_run / (var_run + var_residual / n), and phi =
    var_run / (var_run + (var_query + var_residual) / n). The interval of erho2 is exact for normal effects (Feldt
    1965), that of phi approximate (Arteaga, Jeyaratnam and Graybill 1982). Queries without a value for some run are
    dropped, with a warning.

    References
    ----------
    Bodoff and Li 2007, Test theory for assessing IR test collections; Urbano, Marrero and Martin 2013, On the
    measurement of test collection reliability.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> result = scores.ireval.reliability(n_queries=[25, 50])
    >>> result[["n_queries", "erho2", "erho2_low", "phi", "phi_low", "queries_for_erho2"]].round(3)
       n_queries  erho2  erho2_low    phi  phi_low  queries_for_erho2
    0         25  0.957      0.916  0.907    0.815               22.0
    1         50  0.978      0.956  0.951    0.898               22.0
    """
    wanted = arguments.share("wanted", wanted)
    names, parts = [], []
    for source, number, values in _complete_values(data, measures, "reliability"):
        queries, runs = values.shape
        sizes = queries if n_queries is None else n_queries
        sizes = np.array([arguments.integer("n_queries", one, 1) for one in np.atleast_1d(sizes)])
        run, query, residual = two_way(values)["mean_sq"][:3]
        part = {
            "runs": runs,
            "n": queries,
            **decisions(run, query, residual, runs, queries, sizes, wanted, confidence),
        }
        parts.append({name: np.broadcast_to(values, sizes.shape) for name, values in part.items()})
        names += [source.measures[number]] * len(sizes)
    return described_frame(pd.DataFrame({"measure": names, **concatenated(parts)}), source.attrs)


def _complete_values(
    data: ScoresLike, measures: object, what: str
) -> Iterator[tuple[Scores, int, np.ndarray]]:
    """Yield the source, number and complete values (queries, runs) of each measure."""
    for source in sources(data, measures):
        pairs = Pairs.of(source)
        for number, measure in enumerate(source.measures):
            if not isinstance(source, Scores):
                raise ValueError(
                    f"{what}() requires a score per run and query; {measure!r} is a preference between runs. Use a "
                    "measure."
                )
            yield source, number, complete(pairs, number, what)[0]


def decisions(
    run: float,
    query: float,
    residual: float,
    runs: int,
    queries: int,
    sizes: np.ndarray,
    wanted: float = 0.95,
    confidence: float = 0.95,
) -> dict[str, Any]:
    """Return variance components and reliabilities from the mean squares of runs, queries and residual.

    Parameters
    ----------
    runs, queries : int
        Number of runs and queries of the data.
    sizes : ndarray of int
        Numbers of queries of the planned collections.

    Examples
    --------
    >>> result = decisions(10.2963, 11.6273, 2.7872, 10, 12, np.array([12]), confidence=0.8)
    >>> [result[name].round(3).item() for name in ("erho2", "erho2_low", "erho2_high", "phi", "phi_low", "phi_high")]
    [0.729, 0.541, 0.876, 0.672, 0.457, 0.845]
    """
    of_run, of_query = max(run - residual, 0.0) / queries, max(query - residual, 0.0) / runs
    df_run, df_query = runs - 1, queries - 1
    # lower and upper limits of the ratio of var_run to the variance of the error of one query
    f, f_query, f_limit = _quantiles(df_run, df_query, confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = (run / (residual * f) - 1) / queries
        square = run**2 - f_limit * run * residual + (f_limit - f) * f * residual**2
        absolute = runs * square / queries
        absolute /= df_run * f_limit * run * residual + f_query * run * query
        estimates = {"erho2": of_run / residual, "phi": of_run / (of_query + residual)}
        columns: dict[str, Any] = {
            "var_run": of_run,
            "var_query": of_query,
            "var_residual": residual,
            "n_queries": sizes,
        }
        for name, limits in (("erho2", relative), ("phi", absolute)):
            all_ratios = (estimates[name], *np.maximum(limits, 0.0))
            for end, one in zip(("", "_low", "_high"), all_ratios):
                # 1 - 1 / (1 + x) is also right for an infinite ratio
                columns[name + end] = 1 - 1 / (1 + sizes * one)
        for name, one in estimates.items():
            needed = np.ceil(np.float64(wanted / (1 - wanted)) / one)
            columns[f"queries_for_{name}"] = np.maximum(needed, 1.0)
    return columns


@cache
def _quantiles(df_run: int, df_query: int, confidence: float) -> tuple[np.ndarray, ...]:
    """Return both quantiles of F with the residual, the queries, and infinite degrees of freedom below."""
    tails = np.array([(1 + confidence) / 2, (1 - confidence) / 2])
    f, f_query = (stats.f.ppf(tails, df_run, df) for df in (df_run * df_query, df_query))
    return f, f_query, stats.chi2.ppf(tails, df_run) / df_run


table(
    "anova_sample_size",
    "measure runs:int n:int variance:float design difference:float alpha:float power:float queries_needed:float",
    "table of queries needed for many systems",
    row="measure and design",
    sort="measure",
    means={
        "runs": "number of systems that are compared",
        "n": "number of queries of the data",
        "variance": "residual variance of the data",
        "design": "analysis that is planned",
        "difference": "smallest difference between the best and the worst system to detect, or width of the interval",
        "queries_needed": "smallest number of queries with this power, or with this expected width",
    },
    no_report="a plan is read, not printed",
    no_plot="a plan is read, not drawn",
)
MOST = 1e9  # queries; more are reported as infinite
Design = Literal["two-way", "one-way", "t", "interval"]


@verb(
    on=("scores", "judged"),
    per_measure=True,
    returns="anova_sample_size",
    independent=True,
    family="anova",
    name="sample_size",
)
def anova_sample_size(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    difference: float,
    runs: int | None = None,
    design: Design | Sequence[Design] = ("two-way", "one-way", "t", "interval"),
    power: float = 0.8,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Return the number of queries that a comparison of many systems needs, per measure and design.

    Parameters
    ----------
    difference : float
        Smallest difference between the means of the best and the worst system that is to be detected; for 'interval',
        the expected width of the interval of a difference.
    runs : int, optional
        Number of systems; by default those of the data.
    design : str or list of str
        'two-way' and 'one-way' analysis of variance, which detects any difference between the systems; 't', the paired
        t-test of two systems; 'interval', the expected width of the confidence interval of the difference of two.
    power : float
        Required probability of detecting the difference.

    Notes
    -----
    The residual variance s2 of the data is the variance of a system on a query, given both. With n queries, F has the
    non-centrality n difference^2 / (2 s2), the smallest of all configurations with this difference (Sakai 2016, Topic
    set size design). A difference of two systems has the variance 2 s2 per query.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> scores.ireval.anova.sample_size(difference=0.1).drop(columns=["alpha", "power"]).round(4)
      measure  runs   n  variance    design  difference  queries_needed
    0      AP    12  48    0.0124   two-way         0.1            43.0
    1      AP    12  48    0.0124   one-way         0.1            43.0
    2      AP    12  48    0.0124         t         0.1            22.0
    3      AP    12  48    0.0124  interval         0.1            41.0
    """
    if not difference > 0:
        raise ValueError(f"difference={difference!r}: expected a number above 0.")
    power = arguments.share("power", power)
    parts = []
    for source, number, values in _complete_values(data, measures, "anova.sample_size"):
        variance = float(two_way(values)["mean_sq"][2])
        parts.append((source.measures[number], values.shape[1], len(values), variance))
    measure, of_data, n, variances = zip(*parts)
    designs = [design] if isinstance(design, str) else list(design)
    count = arguments.integer("runs", of_data[0] if runs is None else runs, 2)
    needed = [
        queries_for(np.array(variances), difference, count, one, power, alpha) for one in designs
    ]
    # each measure with all designs
    return described_frame(
        pd.DataFrame({"measure": measure, "runs": count, "n": n, "variance": variances})
        .take(np.repeat(np.arange(len(n)), len(designs)))
        .reset_index(drop=True)
        .assign(
            design=np.tile(np.array(designs, dtype=object), len(n)),
            difference=difference,
            alpha=alpha,
            power=power,
            queries_needed=np.array(needed).T.ravel(),
        ),
        source.attrs,
    )


def queries_for(
    variance: np.ndarray, difference: float, runs: int, design: Design, power: float, alpha: float
) -> np.ndarray:
    """Return the smallest number of queries of a design, for each residual variance.

    Examples
    --------
    >>> queries_for(np.array([0.05, 0.1]), 0.1, 10, "one-way", 0.8, 0.05).tolist()
    [158.0, 314.0]
    """

    def powerful(n: np.ndarray, case: np.ndarray) -> np.ndarray:
        """Return whether F, with the non-centrality of n queries, has the power."""
        between = 1 if design == "t" else runs - 1
        within = runs * (n - 1) if design == "one-way" else between * (n - 1)
        critical = special.fdtri(between, within, 1 - alpha)
        shift = n * difference**2 / (2 * known[case])
        return special.ncfdtr(between, within, shift, critical) <= 1 - power

    def narrow(n: np.ndarray, case: np.ndarray) -> np.ndarray:
        """Return whether the expected width is at most the difference; the mean of a root of chi-squared is known."""
        root = np.sqrt(2 / (n - 1)) * np.exp(special.gammaln(n / 2) - special.gammaln((n - 1) / 2))
        width = 2 * special.stdtrit(n - 1, 1 - alpha / 2) * root * np.sqrt(2 * known[case] / n)
        return width <= difference

    enough = narrow if design == "interval" else powerful
    needed = np.full(len(variance), 2.0)
    known = variance[variance > 0]
    number = fewest_queries(enough, len(known), MOST)
    needed[variance > 0] = np.where(enough(number, np.arange(len(known))), number, np.inf)
    return needed
