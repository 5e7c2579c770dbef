"""Abstention: runs that give no answer to queries without one, and risk-coverage curves.

References
----------
Gisserot-Boukhlef et al. 2024, Towards trustworthy reranking: a simple yet effective abstention mechanism (nAUC).
"""

from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.answers.measured import Answers, evaluated, parse_kind
from pdeval.evaluate import Scores, coded, described_frame, run_columns, sources
from pdeval.kernels.primitives import share
from pdeval.tables import NOISE, Table, kind_of, labels, listed, numbers, query_column, read, table
from pdeval.verbs import verb

RATES = np.linspace(0, 1, 11)[:-1]  # fractions of queries without an answer, in MTEB

table(
    "risk_coverage",
    "run measure n:int area:float random:float oracle:float nAUC:float",
    "areas under risk-coverage curves",
    recognized_by="measure area random oracle nAUC",
    row="run and measure",
    sort="run",
    means={
        "n": "number of queries",
        "area": "mean of the curve: the mean score of the answered queries, averaged over all coverages",
        "random": "the area if queries are dropped at random: the mean score",
        "oracle": "the area if the queries with the worst scores are dropped first",
        "nAUC": "(area - random) / (oracle - random); missing if all scores are equal",
    },
    no_report="it is a table to read: one area per run and measure",
    no_plot="plot .risk_coverage.curve()",
)
table(
    "risk_coverage_curve",
    "run measure coverage:fraction value:float",
    "risk-coverage curve",
    recognized_by="measure coverage value",
    row="run, measure and coverage",
    sort="run",
    means={
        "coverage": "fraction of the queries that are answered, the most confident ones",
        "value": "mean score of these queries",
    },
    no_report="it is a curve; draw it with pandas",
    no_plot="draw it with pandas: curve.pivot(index='coverage', columns='run', values='value').plot()",
)


@verb(on="runs", returns="scores", per_list=True)
def abstention(
    runs: Table,
    answerable: pd.DataFrame,
    measures: object = None,
    *,
    threshold: float | None = None,
) -> pd.DataFrame:
    """Return whether each run was right to answer each query, or not to answer it.

    A run abstains from a query if it returns nothing, or nothing with a score above `threshold`. All queries of
    `answerable` count, and no others.

    Parameters
    ----------
    answerable : DataFrame
        Which queries have an answer: query, answerable (True or False).
    measures : str, Measure, or list of them, optional
        "AbstentionAccuracy", "AbstentionPrecision" and "AbstentionRecall", by default all three. Precision has a value
        for queries without a list, recall for queries without an answer: their means are precision and recall.
    threshold : float, optional
        Score that the best item of a list must exceed; by default any list is an answer.

    Examples
    --------
    >>> runs = pd.DataFrame({"run": "rag", "query_id": ["1", "2"], "doc_id": "d", "score": [0.9, 0.2]})
    >>> answerable = pd.DataFrame({"query_id": ["1", "2", "3"], "answerable": [True, False, False]})
    >>> runs.ireval.abstention(answerable).ireval.summary(wide=True)
       run  AbstentionAccuracy  AbstentionPrecision  AbstentionRecall
    0  rag            0.666667                  1.0               0.5
    >>> runs.ireval.abstention(answerable, "AbstentionRecall", threshold=0.5)["value"].tolist()
    [1.0, 1.0]
    """
    requested = parse_kind(measures, "abstention")
    if "answerable" not in answerable:
        raise ValueError(
            f"answerable= has no column 'answerable'; it has {listed(answerable.columns)}. Add it, with True for "
            "queries that have an answer."
        )
    column = answerable["answerable"]
    if not pd.api.types.is_bool_dtype(column.dtype) or column.isna().any():
        raise ValueError(
            "the column 'answerable' has values other than True and False. Convert it, e.g. with .astype(bool)."
        )
    rows, queries = coded(answerable[query_column(answerable, {})], "query")
    if len(queries) < len(rows):
        raise ValueError(
            f"answerable= has {len(rows) - len(queries):,} rows that repeat a query. Keep one row of each query."
        )
    of_query = np.empty((len(queries), 1), dtype=bool)
    of_query[rows, 0] = column
    above: np.ndarray | bool = True
    if threshold is not None:
        if "score" not in runs:
            raise ValueError("threshold= needs scores, but the run table has only ranks. Add them.")
        above = numbers(runs.column("score"), "score") > threshold
    answers = Answers.of(runs).of_queries(queries, "answerable=", above)
    columns = {"abstained": ~answers.answered(), "answerable": of_query}
    return answers.cube(requested, evaluated(columns)).frame()


@verb(on="scores", returns="risk_coverage", family="risk_coverage")
def risk_coverage(
    scores: Table,
    confidence: pd.DataFrame,
    measures: object = None,
    *,
    compat: Literal["mteb"] | None = None,
) -> pd.DataFrame:
    """Return the area under the risk-coverage curve of each run, normalized between random and oracle.

    The curve is the mean score of the answered queries, as the queries with the lowest confidence are dropped one by
    one. Queries with equal confidence are dropped in random order: the curve is its expectation.

    Parameters
    ----------
    confidence : DataFrame
        Confidence of each run in its answers: run, query, confidence; or a run table, whose best scores are the
        confidence. A query without a confidence is dropped first.
    compat : {'mteb'}, optional
        With 'mteb', the area is that of ten points, 0 to 90% of the queries dropped, by the trapezoidal rule.

    Examples
    --------
    >>> scores = pd.DataFrame({"run": "rag", "query_id": list("abcd"), "measure": "AP", "value": [0.9, 0.2, 0.6, 0.1]})
    >>> confidence = pd.DataFrame({"run": "rag", "query_id": list("abcd"), "confidence": [0.8, 0.4, 0.3, 0.1]})
    >>> scores.ireval.risk_coverage(confidence).round(3)
       run measure  n   area  random  oracle   nAUC
    0  rag      AP  4  0.617    0.45   0.667  0.769
    """
    cube: Any = sources(scores, measures)[0]
    curve, oracle, n = _curves(cube, _confidence(scores, cube, confidence))
    area, best = (_area(one, n, compat) for one in (curve, oracle))
    random = oracle[0] * (1.0 if compat is None else RATES[-1])
    # the oracle of equal scores may differ from their mean in the last bits
    differ = np.abs(best - random) > NOISE * np.abs(random)
    run, measure = (index.ravel() for index in np.indices(n.T.shape))
    known = n[measure, run] > 0
    run, measure = run[known], measure[known]
    columns = {
        **run_columns(cube.runs, run),
        "measure": labels(pd.Index(cube.measures), measure),
        "n": n[measure, run],
        "area": area[measure, run],
        "random": random[measure, run],
        "oracle": best[measure, run],
        "nAUC": np.where(differ, share(area - random, best - random, np.nan), np.nan)[measure, run],
    }
    return described_frame(columns, cube.attrs)


@verb(on="scores", returns="risk_coverage_curve", family="risk_coverage", name="curve")
def risk_coverage_curve(
    scores: Table, confidence: pd.DataFrame, measures: object = None
) -> pd.DataFrame:
    """Return the mean score of the answered queries of each run, by coverage.

    Parameters
    ----------
    confidence : DataFrame
        Confidence of each run in its answers; see `risk_coverage`.

    Examples
    --------
    >>> scores = pd.DataFrame({"run": "rag", "query_id": list("abcd"), "measure": "AP", "value": [0.9, 0.2, 0.6, 0.1]})
    >>> confidence = pd.DataFrame({"run": "rag", "query_id": list("abcd"), "confidence": [0.8, 0.4, 0.3, 0.1]})
    >>> scores.ireval.risk_coverage.curve(confidence).round(3)
       run measure  coverage  value
    0  rag      AP      1.00  0.450
    1  rag      AP      0.75  0.567
    2  rag      AP      0.50  0.550
    3  rag      AP      0.25  0.900
    """
    cube: Any = sources(scores, measures)[0]
    curve, _, n = _curves(cube, _confidence(scores, cube, confidence))
    # (runs, measures, queries dropped)
    run, measure, dropped = (index.ravel() for index in np.indices(curve.T.shape))
    known = dropped < n[measure, run]
    run, measure, dropped = run[known], measure[known], dropped[known]
    total = n[measure, run]
    columns = {
        **run_columns(cube.runs, run),
        "measure": labels(pd.Index(cube.measures), measure),
        "coverage": (total - dropped) / total,
        "value": curve[dropped, measure, run],
    }
    return described_frame(columns, cube.attrs)


def _confidence(scores: Table, cube: Scores, confidence: pd.DataFrame) -> np.ndarray:
    """Return the confidence of each run in its answer, of shape (queries, runs); -inf without one."""
    stated = "confidence" in confidence
    if stated:
        names = tuple(name for name in scores.run_columns if name in confidence)
        roles = {"query": str(query_column(confidence, {})), "score": "confidence"}
        known = Table("scores", confidence, roles, names)
    elif kind_of(confidence) == "runs":
        known = read(confidence, "runs")
    else:
        raise ValueError(
            f"confidence= has no column 'confidence'; it has {listed(confidence.columns)}. Add it, or pass a run table."
        )
    if "score" not in known:
        raise ValueError("confidence= has only ranks. Pass a table with the column 'confidence'.")
    nothing = np.zeros(0, dtype=np.int64)
    query, run = Answers(known, cube.runs, cube.queries, nothing, nothing).rows_of(
        known, "confidence="
    )
    value = numbers(known.column("score"), "confidence")
    rows = np.flatnonzero((query >= 0) & (run >= 0))
    cell = query[rows] * len(cube.runs) + run[rows]
    if stated and len(np.unique(cell)) < len(cell):
        raise ValueError(
            f"confidence= has {len(cell) - len(np.unique(cell)):,} rows that repeat a run and query. Keep one of each."
        )
    result = np.full((len(cube.queries), len(cube.runs)), -np.inf)
    np.maximum.at(result.ravel(), cell, value[rows])
    return result


def _curves(cube: Scores, confidence: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the curves by the confidence and by the scores themselves, and the number of queries.

    Curves have the shape (queries dropped, measures, runs), the numbers of queries (measures, runs).
    """
    values = cube.values.transpose(1, 0, 2)
    counted = ~np.isnan(values)
    n = counted.sum(axis=0)

    def curve(key: np.ndarray) -> np.ndarray:
        # the most confident first, queries that do not count last; lexsort: the last key is the primary one
        order = np.lexsort((-key, ~counted), axis=0)
        value = np.take_along_axis(np.where(counted, values, 0.0), order, axis=0)
        level = np.take_along_axis(key, order, axis=0)
        # equal confidence: the expectation over orders has the mean of the group in each place
        change = np.ones(value.shape, dtype=np.int64)
        change[1:] = (level[1:] != level[:-1]) | (np.arange(1, len(value))[:, None, None] == n)
        group = np.cumsum(change.ravel("F")).reshape(value.shape, order="F") - 1
        mean = np.bincount(group.ravel(), value.ravel()) / np.bincount(group.ravel())
        prefix = np.cumsum(mean[group], axis=0) / np.arange(1, len(value) + 1)[:, None, None]
        place = n - 1 - np.arange(len(value))[:, None, None]
        return np.take_along_axis(prefix, np.maximum(place, 0), axis=0)

    confidence = np.broadcast_to(confidence[:, None, :], values.shape)
    oriented = np.where(counted, cube.oriented().transpose(1, 0, 2), 0.0)
    return curve(confidence), curve(oriented), n


def _area(curve: np.ndarray, n: np.ndarray, compat: str | None) -> np.ndarray:
    """Return the area under curves, of shape (measures, runs)."""
    if compat is None:
        inside = np.arange(len(curve))[:, None, None] < n
        return share(np.where(inside, curve, 0.0).sum(axis=0), n, np.nan)
    # round() rounds halves to even, as in Python
    dropped = np.minimum(np.round(RATES[:, None, None] * n).astype(np.int64), np.maximum(n - 1, 0))
    return np.asarray(np.trapezoid(np.take_along_axis(curve, dropped, axis=0), RATES, axis=0))
