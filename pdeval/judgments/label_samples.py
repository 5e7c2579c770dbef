"""Samples of queries and items to label, their sizes, and estimates and bounds from the labels.

A query or item that was drawn with a known probability p counts 1 / p times (Horvitz and Thompson), so estimates are
unbiased for any sampling design: uniform (infAP), stratified (xinfAP), or with a probability per item. Queries that
were picked by hand have no probability, and allow no conclusion about the others.

With machine labels, an item is worth a human label if it changes the measures and the machine label is uncertain. The
change is the weight of the item at its ranks. If human assessors found a fraction q of the items with the same machine
label relevant, the standard deviation of the next one is sqrt(q (1 - q)). Probabilities in proportion to the product
minimize the variance of the estimates (Neyman). `pool.estimate` uses q for every item and corrects it by the human
labels of the drawn items, so it is unbiased for any machine labels.

The interval of `summary` requires that the queries with human labels are a random sample. Otherwise the mean over all
queries still has bounds: every other query has the smallest, or the largest, value of the measure. Within labeled
queries, `pool.bounds` bounds the effect of unjudged items.
"""

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, aggregate_of, parse, parse_all
from pdeval.evaluate import (
    Powered,
    Preferences,
    Scores,
    attributes,
    degrees,
    described_frame,
    machine_cube,
    only_metrics,
    pair_columns,
    powered,
    run_columns,
)
from pdeval.join import Compat, Judged, Ties, checked_level, join, outside
from pdeval.judgments.pools import Pool, pooled
from pdeval.kernels.primitives import share
from pdeval.tables import NOISE, Table, labels, numbers, read, table
from pdeval.verbs import TooFew, integer, positive, special, verb

Design = Literal["importance", "stratified", "uniform"]
STRATA = 5
NEAREST = 10  # labeled queries that predict the residual of a query
SHRUNK = 0.5  # weight of the mean residual of all queries, so that few labels do not make probabilities extreme


table(
    "to_label",
    "query labeled:bool predicted_sd:float probability:float chosen:bool",
    "plan of labels",
    recognized_by="query predicted_sd probability chosen",
    row="query",
    sort="query",
    means={
        "labeled": "whether it has human labels",
        "predicted_sd": "predicted sd of the human value given the machine value; 1 is the average query",
        "probability": "inclusion probability, over earlier draws and this one; merge it with the scores",
        "chosen": "whether it was drawn",
    },
    no_report="it is a plan of labels",
    no_plot="it is a plan of labels",
)


def _tables_of_runs_and_pairs(
    names: tuple[str, str],
    columns: str,
    titles: tuple[str, str],
    recognized_by: str,
    means: dict[str, str],
    **reasons: Any,
) -> None:
    """Declare one table with a row per run and measure, and one with a row per pair of runs and measure."""
    counts = {
        "n": "number of queries with human labels",
        "n_machine": "number of queries with machine labels only",
    }
    both = (
        ("run", "run and measure", "run"),
        ("run_a run_b", "pair of runs and measure", "measure run_a run_b"),
    )
    for name, title, (ids, row, sort) in zip(names, titles, both, strict=True):
        table(
            name,
            f"{ids} measure n:int n_machine:int {columns}",
            title,
            recognized_by=f"{'' if ids == 'run' else ids + ' '}measure {recognized_by}",
            row=row,
            sort=sort,
            means={**counts, **means},
            **{
                kind: text.format("run" if ids == "run" else "pair")
                for kind, text in reasons.items()
            },
        )


_tables_of_runs_and_pairs(
    ("labels_needed", "pair_labels_needed"),
    "ci_width:float target_width:float queries_needed:float",
    ("table of labels needed", "table of labels needed for pairs"),
    "ci_width target_width queries_needed",
    {
        "ci_width": "current width of the interval",
        "target_width": "required width",
        "queries_needed": "smallest total number of queries with human labels; infinite if more machine labels are "
        "needed",
    },
    no_report="it is a plan of labels",
    no_plot="it is a plan of labels",
)
_tables_of_runs_and_pairs(
    ("label_bounds", "pair_label_bounds"),
    "human:float low:float high:float residual:float",
    ("bounds of means", "bounds of mean preferences"),
    "human low high residual",
    {
        "human": "mean over the n queries with human labels",
        "low": "lowest possible mean over all queries, given the human labels",
        "high": "highest possible mean over all queries, given the human labels",
        "residual": "high - low",
    },
    no_report="it is a table to read: one range per {} and measure",
    no_plot="it is a table to read: one range per {} and measure",
)


@verb(on=("scores", "preferences"), machine=True, returns="to_label", family="label_next")
def label_next(
    scores: Table,
    measures: object = None,
    *,
    n_queries: int = 10,
    design: Design = "importance",
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return the queries to label next, drawn so that the intervals become as narrow as possible.

    The residual of a query is its human value minus the value predicted from the machine labels. Queries with large
    residuals widen the intervals most. Residuals are predicted from labeled queries with similar machine values, over
    all runs (or pairs) and measures of the table.

    Parameters
    ----------
    n_queries : int
        Number of queries to draw, per group with `by`.
    design : {'importance', 'stratified', 'uniform'}
        Probabilities proportional to the predicted residual of each query; equal within each of five strata of machine
        values, with Neyman allocation; or equal for all queries.

    Notes
    -----
    Label the chosen queries, measure again, and merge `probability` with the scores. `summary`, `compare`, `order` and
    `report` then weight each query by it. Probabilities of earlier draws are included.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> machine = qrels.assign(relevance=(qrels["relevance"] > 1) * 1)  # too strict
    >>> human = qrels[qrels["query_id"].astype(int) < 121]
    >>> plan = runs.ireval.measure(human, "AP", machine=machine, queries="common").ireval.label_next(n_queries=5)
    >>> plan[plan["chosen"]].head(3).round(3)
       query_id  labeled  predicted_sd  probability  chosen
    21      123     False         1.083        0.509    True
    22      124     False         0.915        0.491    True
    38      141     False         0.915        0.491    True
    """
    cube = machine_cube(scores, measures)
    # (queries, measures x runs or pairs)
    people, judge = (
        values.transpose(1, 0, 2).reshape(len(cube.queries), -1)
        for values in (cube.values, cube.machine)
    )
    labeled = (~np.isnan(people)).any(axis=1)
    most = int((~labeled).sum())
    if n_queries > most:
        raise TooFew(
            f"n_queries={n_queries}: only {most} of the {len(labeled):,} queries have no human labels. Draw fewer."
        )
    size, chance, chosen = planned(people, judge, n_queries, design, seed)
    before = np.full(len(labeled), labeled.mean()) if cube.probability is None else cube.probability
    return described_frame(
        {
            str(cube.queries.name): labels(cube.queries, np.arange(len(labeled))),
            "labeled": labeled,
            "predicted_sd": size,
            "probability": before + (1 - before) * chance,
            "chosen": chosen,
        },
        {"query_column": str(cube.queries.name), "design": design, "seed": seed},
    )


def planned(
    people: np.ndarray,
    judge: np.ndarray,
    wanted: int,
    design: Design,
    seed: int | np.random.Generator | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the predicted residual of each query, its chance, and which were drawn, from values (queries, columns).

    Examples
    --------
    >>> judge = np.linspace(0, 1, 10)[:, None]
    >>> people = np.where(np.arange(10)[:, None] % 2, judge**2, np.nan)
    >>> size, chance, chosen = planned(people, judge, 2, "uniform", 0)
    >>> chance.tolist(), np.flatnonzero(chosen).tolist()
    ([0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4], [4, 6])
    """
    labeled = (~np.isnan(people)).any(axis=1)
    # the place of each query by the machine's values, from 0 to 1: the mean of its places over columns
    place = (
        pd.DataFrame(judge)
        .rank(pct=True)
        .mean(axis=1)
        .rank(pct=True)
        .fillna(0.5)
        .to_numpy(dtype=float)
    )
    stratum = np.argsort(np.argsort(place, kind="stable")) * STRATA // len(place)
    size = np.ones(len(labeled))
    if design != "uniform":
        square = _squared_residuals(people, judge)[labeled]
        if design == "importance":
            # the labeled queries with the nearest places
            distance = np.abs(place[:, None] - place[labeled])
            nearest = np.argsort(distance, axis=1, kind="stable")[:, :NEAREST]
            near = square[nearest].mean(axis=1)
        else:
            # the labeled queries of the same stratum; 1 if there are none
            count = np.bincount(stratum[labeled], minlength=STRATA)
            total = np.bincount(stratum[labeled], square, minlength=STRATA)
            near = share(total, count, 1.0)[stratum]
        size = np.sqrt(SHRUNK + (1 - SHRUNK) * near)
        size = size / size[~labeled].mean()
    chance = chances(size, labeled, wanted)
    return size, chance, draw(chance, labeled, seed, stratum if design == "stratified" else None)


def _squared_residuals(people: np.ndarray, judge: np.ndarray) -> np.ndarray:
    """Return the squared residual of each query, the mean over columns; 1 on average."""
    estimate = powered(people, judge)
    slope = estimate.lam * (1 + estimate.n / np.maximum(estimate.n_machine, 1))
    known = ~np.isnan(people)
    largest = np.where(known, np.abs(people), 0.0).max(axis=0)
    with np.errstate(invalid="ignore"):  # columns without human labels
        mean = np.where(known, judge, 0.0).sum(axis=0) / estimate.n
        residual = np.where(known, people - estimate.human - slope * (judge - mean), 0.0)
        squares = (
            np.where(np.abs(residual) > NOISE * largest, residual, 0.0) ** 2
        )  # residuals of a perfect machine are rounding errors
        squares = np.where(squares.any(axis=0), squares / (squares.sum(axis=0) / estimate.n), 1.0)
    return np.asarray(np.where(known, squares, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1))


def chances(size: np.ndarray, labeled: np.ndarray, wanted: int) -> np.ndarray:
    """Return probabilities proportional to the sizes, at most 1, so that `wanted` unlabeled queries are drawn.

    Examples
    --------
    >>> chances(np.array([1.0, 1.0, 6.0, 1.0]), np.array([False, False, False, True]), 2).tolist()
    [0.5, 0.5, 1.0, 0.5]
    """
    certain = np.zeros(len(size), dtype=bool)
    while True:  # what is above 1 is certain, and the others share the rest
        rest = ~labeled & ~certain
        scale = (wanted - (certain & ~labeled).sum()) / size[rest].sum() if rest.any() else np.inf
        over = rest & (size * scale > 1)
        if not over.any():
            return np.where(certain, 1.0, np.minimum(size * scale, 1.0))
        certain |= over


def systematic(chance: np.ndarray, order: np.ndarray, start: float) -> np.ndarray:
    """Return the queries of a systematic draw in this order: a fixed number, each with its probability."""
    reached = np.cumsum(chance[order])
    wanted = int(np.rint(reached[-1]))
    reached *= wanted / reached[-1]  # rounding of the sum must not lose the last one
    return order[
        np.searchsorted(reached, start + np.arange(wanted), side="right").clip(max=len(order) - 1)
    ]


def draw(
    chance: np.ndarray,
    labeled: np.ndarray,
    seed: int | np.random.Generator | None,
    stratum: np.ndarray | None = None,
) -> np.ndarray:
    """Return the unlabeled queries or items of a systematic draw in random order."""
    rng = np.random.default_rng(seed)
    order = np.flatnonzero(~labeled)[rng.permutation(int((~labeled).sum()))]
    if stratum is not None:
        order = order[np.argsort(stratum[order], kind="stable")]
    return np.isin(np.arange(len(chance)), systematic(chance, order, rng.random()))


@verb(
    on=("scores", "preferences"),
    machine=True,
    returns=("labels_needed", "pair_labels_needed"),
    family="label_next",
    name="sample_size",
)
def labels_needed(
    scores: Table, measures: object = None, *, width: float, confidence: float = 0.95
) -> pd.DataFrame:
    """Return the number of queries that need human labels for intervals of a required width.

    With n of Q queries labeled, the variance is s^2 ((1 - r) / n + r / Q), where r is the fraction of the variance of
    human values explained by the machine values, estimated from the labeled queries. The term r / Q remains for any
    number of human labels.

    Parameters
    ----------
    width : float
        Required width of the interval, in the unit of the measure.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> machine = qrels.assign(relevance=(qrels["relevance"] > 1) * 1)
    >>> human = qrels[qrels["query_id"].astype(int) < 121]
    >>> scores = runs.ireval.measure(human, "AP", machine=machine, queries="common")
    >>> scores.ireval.label_next.sample_size(width=0.1).head(2).round(3)
            run measure   n  n_machine  ci_width  target_width  queries_needed
    0      bm25      AP  19         29     0.113           0.1            37.0
    1  bm25+rm3      AP  19         29     0.111           0.1            24.0
    """
    positive("width", width)
    cube = machine_cube(scores, measures)
    rows = []
    for human, machine in zip(cube.values, cube.machine, strict=True):
        estimate = powered(human, machine, probability=cube.probability)
        low, high = estimate.interval(confidence)
        rows.append(
            {
                "n": estimate.n,
                "n_machine": estimate.n_machine,
                "ci_width": high - low,
                "target_width": np.full(len(estimate.n), float(width)),
                "queries_needed": queries_needed(estimate, width, confidence),
            }
        )
    return by_run_or_pair(cube, rows, confidence=confidence)


def by_run_or_pair(
    cube: Any, columns_of_measure: list[dict[str, np.ndarray]], **attrs: Any
) -> pd.DataFrame:
    """Return one row per run and measure, or per measure and pair of runs, from the columns of each measure."""
    count, size = len(cube.measures), len(next(iter(columns_of_measure[0].values())))
    if isinstance(cube, Preferences):  # preferences go measure by measure, scores run by run
        measure, row = np.divmod(np.arange(size * count), size)
        columns = pair_columns(cube.runs, cube.a[row], cube.b[row], labels)
    else:
        row, measure = np.divmod(np.arange(size * count), count)
        columns = run_columns(cube.runs, row)
    columns |= {"measure": labels(pd.Index(cube.measures), measure)} | {
        name: np.stack([one[name] for one in columns_of_measure])[measure, row]
        for name in columns_of_measure[0]
    }
    return described_frame(columns, {**cube.attrs, **attrs})


def queries_needed(estimate: Powered, width: float, confidence: float = 0.95) -> np.ndarray:
    """Return the smallest number of queries with human labels for a width; infinity if no number suffices.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> machine = rng.random((400, 1))
    >>> human = np.where(np.arange(400)[:, None] < 40, machine + rng.normal(0, 0.1, (400, 1)), np.nan)
    >>> [queries_needed(powered(human, machine), width).item() for width in (0.08, 0.07, 0.02)]
    [60.0, 107.0, inf]
    """
    total = (estimate.n + estimate.n_machine).astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        explained = (1 / estimate.n - 1 / estimate.effective_n) / (1 / estimate.n - 1 / total)
    explained = np.maximum(
        np.nan_to_num(explained), 0.0
    )  # never above 1: no machine is worth more than all queries
    n = np.arange(2, int(total.max()) + 1)[:, None]  # (numbers of queries, runs or pairs)
    rest = np.maximum(total - n, 0.0)
    # as they come with the best lambda: what people's residuals add, and what the machine's values do
    parts = (1 - explained * (rest / total) * (2 - rest / total)) / n, explained * rest / total**2
    ends = (
        2
        * special.stdtrit(degrees(parts, (n - 1, np.maximum(rest - 1, 1))), (1 + confidence) / 2)
        * np.sqrt(estimate.spread * (parts[0] + parts[1]))
    )
    reached = (ends <= width) & (n <= total)
    return np.where(reached.any(axis=0), n[reached.argmax(axis=0), 0].astype(float), np.inf)


@verb(
    on=("scores", "preferences"),
    machine=True,
    returns=("label_bounds", "pair_label_bounds"),
    name="label_bounds",
)
def label_bounds(
    scores: Table, measures: object = None, *, between: tuple[float, float] | None = None
) -> pd.DataFrame:
    """Return the lowest and highest possible mean over all queries, for any labels of the unlabeled queries.

    The bounds need no assumption about the machine labels, and the queries with human labels need not be a random
    sample. The mean is over the queries of the table. The interval of `summary`, which assumes a random sample, is
    narrower.

    Parameters
    ----------
    between : (float, float), optional
        Smallest and largest value of a query, if the measure is not in the catalog.

    Examples
    --------
    >>> import pdeval
    >>> runs, machine, _ = pdeval.datasets.load_sample()
    >>> human = machine[machine["query_id"].astype(int) < 141]
    >>> scores = runs.ireval.measure(human, "AP", machine=machine, queries="common")
    >>> scores.ireval.label_bounds().head(2).round(3)
            run measure   n  n_machine  human    low   high  residual
    0      bm25      AP  38         10  0.325  0.257  0.466     0.208
    1  bm25+rm3      AP  38         10  0.330  0.261  0.469     0.208
    """
    cube = machine_cube(scores, measures)
    rows = []
    for number, label in enumerate(cube.measures):
        least, most = _limits(cube, label, between)
        people = cube.values[number]
        n, n_all = ((~np.isnan(values)).sum(axis=0) for values in (people, cube.machine[number]))
        sums = np.nansum(people, axis=0)
        with np.errstate(invalid="ignore"):  # nothing of nothing is NaN
            human = sums / n
            low, high = ((sums + (n_all - n) * limit) / n_all for limit in (least, most))
        rows.append(
            {
                "n": n,
                "n_machine": n_all - n,
                "human": human,
                "low": low,
                "high": high,
                "residual": high - low,
            }
        )
    return by_run_or_pair(cube, rows)


def _limits(cube: Any, label: str, between: tuple[float, float] | None) -> tuple[float, float]:
    """Return the least and the largest value that a query can have by a measure, or by its difference."""
    if (aggregate := aggregate_of(label, cube.attrs)) != "mean":
        raise ValueError(
            f"{label} is a {aggregate} over queries, but bounds require means. Use another measure."
        )
    if between is not None:
        least, most = map(float, between)
        if not least < most or not np.isfinite([least, most]).all():
            raise ValueError(
                f"between={between!r}: expected the smallest and the largest value of a query, e.g. (0, 1)."
            )
        people = cube.values[cube.measures.index(label)]
        for value in (np.nanmin(people), np.nanmax(people)):
            if not least <= value <= most:
                raise ValueError(
                    f"between={between!r} does not contain the value {value:g} of {label} by the human labels."
                )
        return least, most
    try:
        entry = parse(label).entry
    except (KeyError, ValueError):
        raise ValueError(
            f"the range of measure {label!r} is unknown. Specify it, e.g. between=(0, 1)."
        ) from None
    least, most = map(float, entry.range)
    if not np.isfinite([least, most]).all():
        raise ValueError(
            f"{label} has no largest value, so its mean has no bounds. Use a measure that has one, e.g. nDCG, or "
            "specify the range: between=(0, 1)."
        )
    if entry.family == "metric" and not isinstance(cube, Scores):  # a difference of two
        return least - most, most - least
    return least, most


EDGES = (5, 10, 20, 50, 100, 200, 500, 1000)  # last best rank of each stratum
# uniform part of the probabilities: none is 0, and no drawn item has an extreme weight
EVEN = 0.1


table(
    "item_sample",
    "query doc rank:int [labeled:bool] [predicted:fraction] [effect:float] probability:float chosen:bool",
    "sample of items",
    recognized_by="query doc probability chosen",
    row="item of the pool",
    sort="query doc",
    means={
        "rank": "best rank over all runs",
        "labeled": "whether it has a human label; then it is not drawn",
        "predicted": "estimated probability of relevance, from human labels of items with the same machine label",
        "effect": "change of the measures if it is relevant rather than not, over runs; 1 is the average item",
        "probability": "inclusion probability",
        "chosen": "whether it was drawn to be labeled",
    },
    no_report="it is a plan of labels",
    no_plot="it is a plan of labels",
)


@verb(on="runs", returns="item_sample", family="pool", name="sample", own="depth", grouped=False)
def sample_items(
    runs: Table,
    size: int,
    *,
    depth: int = 100,
    design: Design = "importance",
    seed: int | None = 0,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return the (query, item) pairs of the pool to label, drawn with known probabilities.

    Label the `chosen` items only. `pool.estimate(judgments, measures, sample=plan)` then estimates the score of every
    run.

    Parameters
    ----------
    size : int
        Number of items to draw, over all queries.
    depth : int
        Number of items of each list to use.
    design : {'importance', 'stratified', 'uniform'}
        Probabilities proportional to the mean over runs of 1 / rank; equal for the items of a stratum of best ranks, as
        in xinfAP; or equal for all items, as in infAP.

    Examples
    --------
    >>> import pdeval
    >>> plan = pdeval.datasets.sample_runs().ireval.pool.sample(500, depth=20)
    >>> plan[plan["chosen"]].head(3).round(3)
       query_id     doc_id  rank  probability  chosen
    8       101  doc-00864     6        0.136    True
    10      101  doc-00929     1        0.276    True
    26      101  doc-03054     1        0.618    True
    """
    pool = pooled(runs, depth, ties=ties, compat=compat, validate=validate)
    size, count = integer("size", size, 1), len(pool.query)
    if size > count:
        raise TooFew(
            f"size={size:,}: the pool has {count:,} items down to rank {pool.depth}; draw fewer."
        )
    stratum = np.searchsorted(EDGES, pool.best)
    weight = (
        np.ones(count)
        if design == "uniform"
        else np.bincount(pool.item, 1.0 / pool.rank, minlength=count) / len(pool.runs)
    )
    if design == "stratified":  # the mean of the stratum
        weight = (np.bincount(stratum, weight) / np.maximum(np.bincount(stratum), 1))[stratum]
    labeled = np.zeros(count, dtype=bool)
    chance = chances(weight, labeled, size)
    chosen = draw(chance, labeled, seed, stratum if design == "stratified" else None)
    return pool.frame(
        {"rank": pool.best, "probability": chance, "chosen": chosen}, design=design, seed=seed
    )


@verb(
    on="runs", returns="item_sample", family="label_next", name="items", own="depth", grouped=False
)
def label_items(
    runs: Table,
    qrels: object,
    machine: object,
    measures: object = ("P@10",),
    *,
    size: int = 100,
    of: Literal["means", "differences"] = "means",
    depth: int = 100,
    design: Literal["importance", "uniform"] = "importance",
    seed: int | None = 0,
    level: float | None = None,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return the (query, item) pairs to label next, drawn so that the intervals become as narrow as possible.

    Probabilities are proportional to the effect of an item on the measures, times the standard deviation of the human
    labels of items with the same machine label. Label the chosen items, and pass all human labels to `pool.estimate`
    with this table as `sample`. It uses the machine labels too.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        Human judgments so far, of any items. They show how reliable the machine labels are.
    machine : DataFrame or bound accessor
        Machine judgments. Items without a machine label form a separate class.
    measures : str, Measure, or list of them
        Sums over items: P with a cutoff, and RBP.
    size : int
        Number of items to draw, over all queries.
    of : {'means', 'differences'}
        Intervals to narrow: those of the scores of runs, or of differences between runs, for which items with the same
        rank in all runs have no effect.
    depth : int
        Number of items of each list to use.
    design : {'importance', 'uniform'}
        Probabilities as above, or equal for all items.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> machine = qrels.assign(relevance=(qrels["relevance"] > 1) * 1)  # too strict
    >>> people = qrels.sample(300, random_state=0)
    >>> plan = runs.ireval.label_next.items(people, machine, "P@10", size=200, depth=20)
    >>> plan[plan["chosen"]].head(3).round(3)
       query_id     doc_id  rank  labeled  predicted  effect  probability  chosen
    8       101  doc-00864     6     False      0.137   2.190        0.103    True
    27      101  doc-03242     9     False      0.137   1.264        0.061    True
    38      101  doc-04990     7     False      0.137   1.264        0.061    True
    """
    parsed = parse_all(measures)
    only_metrics(parsed)
    pool = pooled(runs, depth, ties=ties, compat=compat, validate=validate)
    size = integer("size", size, 1)
    for measure in parsed:
        name = measure.entry.name
        if name not in WEIGHTS or (name == "P" and not np.isfinite(measure.parameters["k"])):
            raise ValueError(
                f"{measure.label} is not a sum over items. Use P with a cutoff or RBP; for R and AP "
                "use .pool.sample(size, design='uniform')."
            )
    people, judge = (pool.grades(read(table, "qrels")) for table in (qrels, machine))
    labeled = people >= 0
    relevant = labeled & (people > 0) & (people >= (checked_level(level) or 0.0))
    predicted = agreed(relevant, labeled, judge)
    n_open = int((~labeled).sum())
    if size > n_open:
        raise TooFew(
            f"size={size:,}: only {n_open:,} of the {len(people):,} items have no human label. Draw fewer."
        )
    effect = effects(pool, parsed, of)
    if not effect[~labeled].any():
        raise TooFew(
            "no item without a human label changes these measures, so more labels would not help."
        )
    effect = effect / effect[~labeled].mean()
    weight = np.ones(len(effect))
    if design == "importance":
        doubt = effect * np.sqrt(predicted * (1 - predicted))
        weight = EVEN + (1 - EVEN) * doubt / doubt[~labeled].mean()
    chance = np.where(labeled, 1.0, chances(weight, labeled, size))
    return pool.frame(
        {
            "rank": pool.best,
            "labeled": labeled,
            "predicted": predicted,
            "effect": effect,
            "probability": chance,
            "chosen": draw(chance, labeled, seed),
        },
        design=design,
        seed=seed,
    )


def agreed(relevant: np.ndarray, labeled: np.ndarray, judge: np.ndarray) -> np.ndarray:
    """Return the estimated probability of relevance of each item, from human labels of its machine label.

    With r of n items relevant it is (r + 1/2) / (n + 1), which is never 0 or 1.

    Examples
    --------
    >>> judge = np.array([1.0, 1.0, 1.0, 0.0, 0.0, np.nan])
    >>> agreed(np.array([1, 1, 0, 0, 0, 0]) > 0, np.array([1, 1, 0, 1, 0, 0]) > 0, judge).round(3).tolist()
    [0.833, 0.833, 0.833, 0.25, 0.25, 0.5]
    """
    if not (labeled & ~np.isnan(judge)).any():
        raise ValueError(
            f"{labeled.sum():,} items of the pool have human labels and {(~np.isnan(judge)).sum():,} machine labels, "
            "but no item has both. Use the same query and item ids in both tables."
        )
    # items without a label of the machine are a kind of their own, the last
    kind, kinds = pd.factorize(judge, use_na_sentinel=True)
    kind = np.where(kind < 0, len(kinds), kind)
    n = np.bincount(kind[labeled], minlength=len(kinds) + 1)
    r = np.bincount(kind[labeled], relevant[labeled], minlength=len(kinds) + 1)
    return np.asarray(((r + 0.5) / (n + 1.0))[kind])


def effects(pool: Pool, measures: list[Measure], of: str = "means") -> np.ndarray:
    """Return how far each item of a pool moves the measures: root mean squares over runs (or pairs) and measures.

    Examples
    --------
    >>> lists = pd.DataFrame({"run": list("xxyy"), "query_id": "1", "doc_id": list("abac"), "score": [2, 1, 2, 1]})
    >>> pool = pooled(read(lists, "runs"), 2)
    >>> effects(pool, parse_all("P@2")).round(3).tolist()
    [1.225, 0.866, 0.866]
    >>> effects(pool, parse_all("P@2"), "differences").round(3).tolist()  # both have a at the top
    [0.0, 1.225, 1.225]
    """
    count, runs = len(pool.query), len(pool.runs)
    squares = np.zeros(count)
    for measure in measures:
        weight = WEIGHTS[measure.entry.name](pool.rank, measure.parameters)
        square = np.bincount(pool.item, weight**2, minlength=count) / runs
        if (
            of == "differences"
        ):  # the mean squared difference of two runs is twice the variance over runs
            square -= (np.bincount(pool.item, weight, minlength=count) / runs) ** 2
            # what rounding left of a difference of 0
            square[square < NOISE * square.max(initial=0.0)] = 0.0
        squares += square / max(float(square.mean()), np.finfo(float).tiny)
    return np.asarray(np.sqrt(squares / len(measures)))


# the weight of an item at a rank, up to a factor
WEIGHTS: dict[str, Callable[[np.ndarray, Mapping[str, Any]], np.ndarray]] = {
    "P": lambda rank, parameters: (rank <= parameters["k"]) * 1.0,
    "RBP": lambda rank, parameters: (
        (rank <= parameters["k"]) * np.power(float(parameters["p"]), rank - 1.0)
    ),
}


@verb(on="runs", returns="scores", family="pool", name="estimate", own="depth", grouped=False)
def estimate_sampled(
    runs: Table,
    qrels: object,
    measures: object = ("P@10", "RBP"),
    *,
    sample: pd.DataFrame,
    level: float | None = None,
    depth: int | None = None,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return the score of every run on every query, estimated from judgments of a sample of items.

    Every relevant item has the weight 1 / probability. P and RBP, which are sums over items, are estimated without
    bias. R and AP divide by an estimated number of relevant items. They leave out queries without a drawn relevant
    item, and need a large or uniform sample (see Notes). Intervals of `.summary()` and `.compare()` of the result
    include the sampling of queries and of items. `pool.bounds` gives bounds without assumptions about unjudged items.

    Parameters
    ----------
    measures : str, Measure, or list of them
        P, RBP, R and AP, with cutoffs.
    sample : DataFrame
        Result of `pool.sample`: query, doc, probability, chosen. Judgments of other items are not used. The result of
        `label_next.items` also has items that were labeled before, and predictions from machine labels, which make P
        and RBP more precise and leave them unbiased.

    Notes
    -----
    Coverage of 95% intervals, simulated with pools of 100 items (`python -m tests.statistics.item_samples`): for P and
    RBP 93 to 97%, from 50 queries and 20 drawn items each on (RBP by the uniform design from 40); of differences
    between runs 93 to 97%, by all measures and designs, with up to 50 queries; with 200 queries at least .91.

    R by the uniform design has no bias and is covered in 93 to 97%. AP by the uniform design has a bias of at most .014
    and is skewed: with 50 queries .81 to .89 are covered from 10 items each, .89 to .93 from 20 or 40, .92 to .95 from
    80. By the other designs R and AP are too large, because relevant items far down are seldom drawn: R@20 by .06 to
    .19 from 20 items of 100, .02 to .10 from 40 and .01 from 80; AP by .03 to .09, .01 to .03 and less than .01. For
    them draw with design='uniform', draw most of the pool, or compare runs.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> plan = runs.ireval.pool.sample(1500, depth=20)
    >>> labeled = plan[plan["chosen"]].merge(qrels, how="left").fillna({"relevance": 0})  # by people
    >>> runs.ireval.pool.estimate(labeled, "P@10", sample=plan).ireval.summary().head(2).round(3)
            run measure   n   mean     sd  ci_low  ci_high
    0      bm25    P@10  50  0.452  0.275   0.374    0.531
    1  bm25+rm3    P@10  50  0.464  0.337   0.368    0.560
    """
    plan, parsed = read(sample, "item_sample"), parse_all(measures)
    only_metrics(parsed)
    for measure in parsed:
        if measure.entry.name not in ESTIMATES:
            raise ValueError(
                f"{measure.label} is not estimated from a sample of items; {', '.join(ESTIMATES)} are, with cutoffs."
            )
    places, weight, relevant, guess = _known(plan, read(qrels, "qrels"), checked_level(level))
    judged = join(
        runs, places, queries="judged", ties=ties, compat=compat, depth=depth, validate=validate
    )
    plain, guessed = (
        Sampled(judged, weight, relevant, one) for one in (np.zeros(len(guess)), guess)
    )
    ratios = [measure.label for measure in parsed if measure.entry.name in RATIOS]
    n_unknown = int(plain.unknown.sum())
    if ratios and n_unknown:
        warnings.warn(
            f"no relevant item of {n_unknown:,} of {len(plain.unknown):,} queries was drawn; these queries are omitted "
            f"from {' and '.join(ratios)}. Draw a larger sample to omit fewer.",
            UserWarning,
            stacklevel=outside(),
        )
    values = [
        ESTIMATES[one.entry.name](plain if one.label in ratios else guessed, one) for one in parsed
    ]
    return Scores(
        judged.runs,
        judged.queries,
        tuple(measure.label for measure in parsed),
        np.stack(values),
        np.array([measure.higher for measure in parsed]),
        {**attributes(judged, parsed), "level": level, "judgments": "sampled"},
    ).frame()


def _known(
    sample: Table, qrels: Table, level: float | None
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Return the items of a sample as judgments graded by place; their weights, whether relevant, and predictions."""
    names, frame = [sample.roles["query"], sample.roles["doc"]], sample.frame
    if frame["chosen"].isna().any():
        raise ValueError(
            "the column 'chosen' has missing values. Set it to True for items that were drawn, and to False for others."
        )
    known, chance = (
        frame["chosen"].to_numpy(dtype=bool),
        numbers(frame["probability"], "probability"),
    )
    if "labeled" in frame.columns:  # human labels are known exactly
        labeled = frame["labeled"].to_numpy(dtype=bool)
        known, chance = known | labeled, np.where(labeled, 1.0, chance)
    chance = np.where(known, chance, 1.0)
    if ((chance <= 0) | (chance > 1)).any():
        raise ValueError(
            "the sample has drawn items with a probability outside (0, 1]. Pass the result of pool.sample()."
        )
    judgments = (
        qrels.frame[[qrels.roles["query"], qrels.roles["doc"]]]
        .set_axis(names, axis=1)
        .assign(_grade=numbers(qrels.column("grade"), "judgments' grade"))
    )
    try:
        judgments = judgments.astype(frame.dtypes[names].to_dict()).drop_duplicates(names)
    except (ValueError, TypeError):
        raise ValueError(
            f"the ids in {' and '.join(names)} have different types in the sample and in the judgments. Convert "
            "both with .astype(str)."
        ) from None
    # a left merge keeps the order of the sample
    grade = frame[names].merge(judgments, on=names, how="left")["_grade"].to_numpy(dtype=float)
    missing = np.flatnonzero(known & np.isnan(grade))
    if len(missing):
        raise ValueError(
            f"{len(missing):,} of the {known.sum():,} drawn items have no judgment, e.g. "
            f"{tuple(frame[names].iloc[missing[0]])}. Judge all drawn items; the estimate requires them."
        )
    relevant = (grade > 0) & (grade >= (0.0 if level is None else level))
    guess = (
        numbers(frame["predicted"], "predicted")
        if "predicted" in frame.columns
        else np.zeros(len(frame))
    )
    places = frame[names].assign(relevance=np.arange(1.0, len(frame) + 1))
    return places, np.where(known, 1.0 / chance, 0.0), relevant, guess


class Sampled:
    """The items of a join, each with its estimated relevance and the variance of the estimate.

    Parameters
    ----------
    judged : Judged
        Runs joined to all items of a sample; the grade of an item is its place in the arrays, counted from 1.
    weight : ndarray of shape (items,)
        1 / probability of a known item, 0 for other items.
    relevant : ndarray of bool
        Whether a known item is relevant.
    guess : ndarray
        Predicted relevance of every item, from 0 to 1.
    """

    def __init__(
        self, judged: Judged, weight: np.ndarray, relevant: np.ndarray, guess: np.ndarray
    ) -> None:
        positions = judged.positions
        error = relevant - guess
        value, variance = guess + weight * error, weight * np.maximum(weight - 1.0, 0.0) * error**2
        place, topic = positions.judged.grade.astype(np.int64) - 1, positions.judged.topic
        # hits sorted by list, (query, run) as one number, and rank
        self.shape = positions.retrieved.shape
        cell = topic[positions.item].astype(np.int64) * self.shape[1] + positions.run
        order = np.lexsort((positions.rank, cell))
        self.cell, self.rank = cell[order], positions.rank[order].astype(np.float64)
        self.value, self.variance = (one[place[positions.item[order]]] for one in (value, variance))
        # of all items of each query, retrieved or not
        self.relevant, self.doubt = (
            np.bincount(topic, one[place], minlength=self.shape[0]) for one in (value, variance)
        )
        # queries without a known relevant item
        self.unknown = self.relevant <= 0

    def total(self, terms: np.ndarray) -> np.ndarray:
        """Return the sums of terms over each list, (queries, runs)."""
        return np.bincount(self.cell, terms, minlength=int(np.prod(self.shape))).reshape(self.shape)

    def above(self, terms: np.ndarray) -> np.ndarray:
        """Return the sum of terms over the items ranked above each item in its list."""
        before = np.r_[0.0, np.cumsum(terms)[:-1]][: len(terms)]
        # subtract the running sum at the start of the list
        first = np.flatnonzero(np.diff(self.cell, prepend=-1))
        return before - np.repeat(before[first], np.diff(np.r_[first, len(terms)]))

    def ratio(self, sums: np.ndarray, covariance: np.ndarray) -> np.ndarray:
        """Return sums divided by the estimated number of relevant items (Tin); NaN if no relevant item is known.

        Parameters
        ----------
        covariance : ndarray of shape (queries, runs)
            Covariance of the sums and the estimated number of relevant items.
        """
        relevant = np.where(self.unknown, np.nan, self.relevant)[:, None]
        return (sums + covariance / relevant - sums * self.doubt[:, None] / relevant**2) / relevant


def _precision(sampled: Sampled, measure: Measure) -> np.ndarray:
    k = measure.parameters["k"]
    if not np.isfinite(k):
        raise ValueError(
            f"{measure.label} cannot be estimated from a sample of items. Use P with a cutoff, RBP, R or AP."
        )
    return sampled.total(sampled.value * (sampled.rank <= k)) / k


def _rank_biased(sampled: Sampled, measure: Measure) -> np.ndarray:
    p, k = float(measure.parameters["p"]), measure.parameters["k"]
    return sampled.total(
        sampled.value * (sampled.rank <= k) * (1 - p) * np.power(p, sampled.rank - 1)
    )


def _recall(sampled: Sampled, measure: Measure) -> np.ndarray:
    in_cutoff = sampled.rank <= measure.parameters["k"]
    return sampled.ratio(
        sampled.total(sampled.value * in_cutoff), sampled.total(sampled.variance * in_cutoff)
    )


def _average_precision(sampled: Sampled, measure: Measure) -> np.ndarray:
    # a sum over pairs of relevant items: both items of a pair covary with the number of relevant items
    share, above = (sampled.rank <= measure.parameters["k"]) / sampled.rank, sampled.above
    up_to = 1 + above(sampled.value)
    covariance = sampled.total(
        share * (sampled.variance * up_to + sampled.value * above(sampled.variance))
    )
    return sampled.ratio(sampled.total(share * sampled.value * up_to), covariance)


ESTIMATES: dict[str, Callable[[Sampled, Measure], np.ndarray]] = {
    "P": _precision,
    "RBP": _rank_biased,
    "R": _recall,
    "AP": _average_precision,
}
RATIOS = ("R", "AP")
