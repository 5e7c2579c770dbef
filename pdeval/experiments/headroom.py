"""How much is left to win: the best systems of many collections, and what one run's gain over another is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import parse
from pdeval.evaluate import pivot
from pdeval.evaluate import scores as evaluate
from pdeval.evaluate.choice import place_of
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.scores import Topics
from pdeval.experiments.search_length_items import EDGES, chosen, search_lengths
from pdeval.judged.positions import Positions
from pdeval.kernels.search_length import Unretrieved, relative_reduction_in_error
from pdeval.kinds import tables
from pdeval.kinds.labels import labels, run_labels

MEASURES = ("P@20", "ASL@g1-10", "AP", "ASL")
TENTHS = tuple(np.round(np.arange(10) / 10, 1).tolist())


def best_systems(
    collections: Mapping[str, Any],
    measures: object = MEASURES,
    *,
    level: float | None = None,
    topics: Topics = "relevant",
) -> pd.DataFrame:
    """Return the best run of each collection by each measure, and its mean.

    Parameters
    ----------
    collections : mapping
        Names of collections to a join of runs and judgments, which keeps its own level and topic rule, to its
        positions, or to scores: a cube or a table.
    measures : names
        Metrics, where joins are given.
    level, topics
        What counts, as in `measure`.

    Returns
    -------
    DataFrame
        collection, measure, run, value.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> best_systems({"sample": joined.positions}, ["AP", "ASL"])[["collection", "measure"]].to_numpy().tolist()
    [['sample', 'AP'], ['sample', 'ASL']]
    """
    return _best(collections, measures, level, topics)[0]


def headroom(
    collections: Mapping[str, Any],
    measures: object = MEASURES,
    *,
    edges: Mapping[str, Sequence[float]] | None = None,
    level: float | None = None,
    topics: Topics = "relevant",
) -> pd.DataFrame:
    """Return for how many collections the best run's mean is in each bucket.

    Parameters
    ----------
    collections, measures, level, topics
        As in `best_systems`.
    edges : mapping, optional
        The lower edges of a measure's buckets, by its name. By default tenths for a measure where more is better, and
        1, 2, 5, 10, 20, ... 1000 for a search length.

    Returns
    -------
    DataFrame
        measure, bucket, low, high, count, share: of collections. A value below the first edge is in the first bucket.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Figures 1 to 4.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> table = headroom({"sample": joined.positions}, "P@20")
    >>> table["bucket"].tolist()[-2:], int(table["count"].sum())
    (['[0.8, 0.9)', '[0.9, 1]'], 1)
    """
    best, higher = _best(collections, measures, level, topics)
    given = {parse(name).label: list(values) for name, values in (edges or {}).items()}
    unknown = [name for name in given if name not in higher]
    if unknown:
        raise ValueError(f"edges= names {unknown[0]!r}, which is not among the measures {', '.join(higher)}.")
    parts = []
    for name, more in higher.items():
        edge = np.asarray(given.get(name, TENTHS if more else EDGES), dtype=np.float64)
        if edge.ndim != 1 or not len(edge) or (np.diff(edge) <= 0).any():
            raise ValueError(f"the edges of {name} must rise, found {edge.tolist()}.")
        values = best["value"].to_numpy()[(best["measure"] == name).to_numpy()]
        # a mean of 0.3 may come out as 0.29999999999999993
        place = np.clip(np.searchsorted(edge, values + 1e-12, side="right") - 1, 0, None)
        count = np.bincount(place, minlength=len(edge))
        top = float(parse(name).entry.range[1])
        high = np.array([*edge[1:], top if top > edge[-1] else np.inf])
        close = "]" if np.isfinite(high[-1]) else ")"
        parts.append(
            pd.DataFrame(
                {
                    "measure": name,
                    "bucket": [
                        f"[{low:g}, {end:g}{close if k == len(edge) - 1 else ')'}"
                        for k, (low, end) in enumerate(zip(edge, high))
                    ],
                    "low": edge,
                    "high": high,
                    "count": count,
                    "share": count / len(values),
                }
            )
        )
    frame = pd.concat(parts, ignore_index=True)
    frame["measure"] = pd.Categorical(frame["measure"], categories=list(higher))
    return frame


def _best(
    collections: Mapping[str, Any], measures: object, level: float | None, topics: Topics
) -> tuple[pd.DataFrame, dict[str, bool]]:
    if not isinstance(collections, Mapping) or not collections:
        raise TypeError("headroom is over collections: give a mapping of their names to joins or scores, not empty.")
    rows, higher = [], {}
    for name, source in collections.items():
        cube = _scores(source, measures, level, topics)
        texts = run_labels(cube.runs)
        for m, label in enumerate(cube.measures):
            higher[label] = bool(cube.higher[m])
            means = np.nanmean(cube.values[m], axis=0)
            best = int(np.nanargmax(means if higher[label] else -means))
            rows.append((name, label, texts[best], float(means[best])))
    frame = pd.DataFrame(rows, columns=["collection", "measure", "run", "value"])
    frame["measure"] = pd.Categorical(frame["measure"], categories=list(higher))
    return frame, higher


def _scores(source: Any, measures: object, level: float | None, topics: Topics) -> Scores:
    if isinstance(source, Scores):
        return source
    if isinstance(source, Positions):
        return evaluate.scores(source, measures, level=level, topics=topics)
    if isinstance(source, pd.DataFrame):
        return pivot.scores(tables.read(source, "scores"))
    if isinstance(getattr(source, "positions", None), Positions):
        return evaluate.scores(source.positions, measures, level=source.level, topics=source.topics)
    raise TypeError(f"a collection is a join of runs and judgments, or scores; found {type(source).__name__}.")


def rrie(
    source: Positions | Scores,
    run_a: object,
    run_b: object,
    measures: object = MEASURES,
    *,
    level: float | None = None,
    topics: Topics = "relevant",
) -> pd.DataFrame:
    """Return the relative reduction in error from one run to another, by each measure.

    The error is the distance to the best value, 1 both for precision-like measures and for search lengths:
    ((1 - a) - (1 - b)) / (1 - a), and ((a - 1) - (b - 1)) / (a - 1).

    Parameters
    ----------
    source : Positions or Scores
        A join, or scores that have their own measures.
    run_a, run_b
        The old run and the new one.
    measures : names
        Metrics whose best value is 1, where `source` is a join.
    level, topics
        What counts, as in `measure`.

    Returns
    -------
    DataFrame
        measure, run_a, run_b, mean_a, mean_b, rrie; NaN where run a is perfect.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Table 1, equations 11 and 12.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> table = rrie(joined.positions, "bm25", "bm25+rm3", ["AP", "ASL"])
    >>> table.columns.tolist()
    ['measure', 'run_a', 'run_b', 'mean_a', 'mean_b', 'rrie']
    """
    if isinstance(source, Positions):
        source = chosen(source, [run_a, run_b])
    cube = _scores(source, measures, level, topics)
    for name in cube.measures:
        entry = parse(name).entry
        if entry.higher and entry.range[1] != 1:
            raise ValueError(
                f"{name} has no best value of 1, so that there is no error to reduce; use e.g. nDCG for DCG."
            )
    a, b = (place_of(cube.runs, run) for run in (run_a, run_b))
    means = np.nanmean(cube.values, axis=1)
    columns = {"measure": labels(pd.Index(cube.measures), np.arange(len(cube.measures)))}
    for side, run in (("a", a), ("b", b)):
        for name in cube.runs.columns:
            columns[f"{name}_{side}"] = labels(cube.runs[name], np.full(len(cube.measures), run))
    reduction = relative_reduction_in_error(means[:, a], means[:, b])
    frame = pd.DataFrame({**columns, "mean_a": means[:, a], "mean_b": means[:, b], "rrie": reduction})
    frame.attrs.update(cube.attrs)
    return frame


def ablation(
    positions: Positions,
    *,
    margin: float = 0.1,
    alpha: float = 0.05,
    unretrieved: Unretrieved = "run",
    level: float | None = None,
    topics: Topics = "relevant",
) -> pd.DataFrame:
    """Return how systems move along the steps from mean average precision to atomized search length.

    MAP; the mean of 1 / ASL over items; the harmonic mean within the query, 1 / ASL of the query; the harmonic mean
    over queries, 1 / ASL; and from the first to the last at once. A list of relevant items only has a search length
    of 0 for those it lacks; it counts as 1 here, which has a reciprocal.

    Parameters
    ----------
    margin, alpha
        When a system is better, as in `pdeval.significance.delta_sort`.
    unretrieved, level, topics
        As in `search_lengths`.

    Returns
    -------
    DataFrame
        step, measure_old, measure_new, runs, delta_sort, kendall_tau, delta_value.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, section 4.4 and Table 2.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> ablation(joined.positions)["step"].tolist()
    ['atomise precision', 'aggregate within query', 'aggregate across queries', 'cumulative']
    """
    from pdeval.significance.delta_sort import delta_sort_chain

    precision = evaluate.scores(positions, "AP", level=level, topics=topics)
    items = search_lengths(positions, unretrieved=unretrieved, level=level, topics=topics)
    items["asl"] = items["asl"].clip(lower=1.0)
    return delta_sort_chain(precision, items, margin=margin, alpha=alpha)
