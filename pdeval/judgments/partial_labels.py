"""Queries of which people labelled some and a machine all: what to label next, how many, and bounds of means.

Chances that are known can be made good: a query that was drawn with chance p counts 1 / p times (Horvitz and Thompson).
So queries may be drawn where they teach most, in strata or each with a chance of its own, and estimates stay right.
Queries that are picked and not drawn have no chance, and nothing can be said from them about the others.

An interval of `summary` holds because people's queries are a random sample. Where they are not, or nobody knows, the
mean over all queries still lies between two numbers: every query without people's labels has the least value that the
measure can have, or the largest. With half of the queries labelled, half of the range is open: so much do random
samples buy. Within labelled queries, `pool.residuals` bounds what unjudged items can do.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog.directions import aggregate_of
from pdeval.catalog.measures import parse
from pdeval.evaluate.cube import Preferences, Scores, described_frame, pair_columns, run_columns
from pdeval.evaluate.ppi import Powered, degrees, powered
from pdeval.evaluate.sources import machine_cube
from pdeval.tables.equal_values import NOISE
from pdeval.tables.labels import labels
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import TooFew, positive

Design = Literal["importance", "stratified", "uniform"]
STRATA = 5
NEAREST = 10  # labelled queries by which a query's residual is predicted
SHRUNK = 0.5  # the weight of what all queries have in common: no chance is far from the others on little evidence
PLAN = {"unreported": "a plan is read, not printed", "undrawn": "a plan is read, not drawn"}


table(
    "to_label",
    "query labelled:bool predicted_sd:float probability:float chosen:bool",
    "plan of labels",
    known_by="query predicted_sd probability chosen",
    row="query",
    sort="query",
    means={
        "labelled": "whether people labelled it already",
        "predicted_sd": "how far people are likely to be from what the machine tells; 1 is the average query",
        "probability": "the chance with which it is labelled in the end, before or now: merge it to the scores",
        "chosen": "whether it was drawn to be labelled now",
    },
    unreported="a plan is read, not printed",
    undrawn="a plan is read, not drawn",
)


def _tables_of_runs_and_pairs(
    names: tuple[str, str],
    columns: str,
    titles: tuple[str, str],
    known_by: str,
    means: dict[str, str],
    **reasons: Any,
) -> None:
    """Declare one table with a row per run and measure, and one with a row per pair of runs and measure."""
    counts = {
        "n": "queries that people labelled",
        "n_machine": "queries that only the machine labelled",
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
            known_by=f"{'' if ids == 'run' else ids + ' '}measure {known_by}",
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
    "ci_width:float wanted:float queries_needed:float",
    ("table of labels needed", "table of labels needed for pairs"),
    "ci_width wanted queries_needed",
    {
        "ci_width": "width of the interval now",
        "wanted": "the width that is wanted",
        "queries_needed": "fewest that people have to label in all; infinite where the machine has to label more "
        "queries",
    },
    **PLAN,
)
_tables_of_runs_and_pairs(
    ("label_bounds", "pair_label_bounds"),
    "human:float low:float high:float residual:float",
    ("bounds of means", "bounds of mean preferences"),
    "human low high residual",
    {
        "human": "the mean of the n queries by people",
        "low": "the lowest mean over all queries that is possible by people's labels",
        "high": "the highest mean over all queries that is possible by people's labels",
        "residual": "high - low",
    },
    unreported="it is a table to read: one range per {} and measure",
    undrawn="it is a table to read: one range per {} and measure",
)


@verb(on=("scores", "preferences"), machine=True, gives="to_label", family="label_next")
def label_next(
    scores: Table,
    measures: object = None,
    *,
    queries: int = 10,
    design: Design = "importance",
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return which queries people should label next, drawn where their labels narrow intervals most.

    A residual is how far people's value of a query is from what the machine tells of it; intervals are wide where few
    of the large ones are known. The residual of a query is predicted by labelled queries with machine values like its
    own, over all runs (or pairs) and measures of the table.

    Parameters
    ----------
    queries : int
        How many to draw; of every group, with `by`.
    design : {'importance', 'stratified', 'uniform'}
        Chances in proportion to the predicted residual of each query; the same within each of five strata of machine
        values, allocated as Neyman does; or the same for all queries.

    Notes
    -----
    Label the chosen queries, measure again, and merge `probability` to the scores: then `summary`, `compare`, `order`
    and `report` weigh each query by it. Where queries had chances of their own before, the table has them already.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> machine = qrels.assign(relevance=(qrels["relevance"] > 1) * 1)  # too strict
    >>> human = qrels[qrels["query_id"].astype(int) < 121]
    >>> plan = runs.ireval.measure(human, "AP", machine=machine, topics="common").ireval.label_next(queries=5)
    >>> plan[plan["chosen"]].head(3).round(3)
       query_id  labelled  predicted_sd  probability  chosen
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
    labelled = (~np.isnan(people)).any(axis=1)
    most = int((~labelled).sum())
    if queries > most:
        raise TooFew(
            f"queries={queries}: people have not labelled {most} of the {len(labelled):,} queries; draw fewer."
        )
    size, chance, chosen = planned(people, judge, queries, design, np.random.default_rng(seed))
    before = (
        np.full(len(labelled), labelled.mean()) if cube.probability is None else cube.probability
    )
    columns = {
        str(cube.queries.name): labels(cube.queries, np.arange(len(labelled))),
        "labelled": labelled,
        "predicted_sd": size,
        "probability": before + (1 - before) * chance,
        "chosen": np.isin(np.arange(len(labelled)), chosen),
    }
    return described_frame(
        columns, {"query_column": str(cube.queries.name), "design": design, "seed": seed}
    )


def planned(
    people: np.ndarray, judge: np.ndarray, wanted: int, design: Design, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the predicted residual of each query, its chance, and which were drawn, from values (queries, columns).

    Examples
    --------
    >>> judge = np.linspace(0, 1, 10)[:, None]
    >>> people = np.where(np.arange(10)[:, None] % 2, judge**2, np.nan)
    >>> size, chance, chosen = planned(people, judge, 2, "uniform", np.random.default_rng(0))
    >>> chance.tolist(), sorted(chosen.tolist())
    ([0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4], [4, 6])
    """
    labelled = (~np.isnan(people)).any(axis=1)
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
    size = np.ones(len(labelled))
    if design != "uniform":
        square = _squared_residuals(people, judge)[labelled]
        near = (
            _near_places(square, place, labelled)
            if design == "importance"
            else _near(square, stratum, labelled)
        )
        size = np.sqrt(SHRUNK + (1 - SHRUNK) * near)
        size = size / size[~labelled].mean()
    chance = chances(size, labelled, wanted)
    order = np.flatnonzero(~labelled)[rng.permutation(int((~labelled).sum()))]
    if design == "stratified":
        order = order[np.argsort(stratum[order], kind="stable")]
    return size, chance, systematic(chance, order, rng.random())


def _squared_residuals(people: np.ndarray, judge: np.ndarray) -> np.ndarray:
    """Return the squared residual of each query, the mean over columns; 1 on average."""
    estimate = powered(people, judge)
    slope = estimate.lam * (1 + estimate.n / np.maximum(estimate.n_machine, 1))
    known = ~np.isnan(people)
    largest = np.where(known, np.abs(people), 0.0).max(axis=0)
    with np.errstate(invalid="ignore"):  # of columns that nobody labelled
        mean = np.where(known, judge, 0.0).sum(axis=0) / estimate.n
        residual = np.where(known, people - estimate.human - slope * (judge - mean), 0.0)
        squares = (
            np.where(np.abs(residual) > NOISE * largest, residual, 0.0) ** 2
        )  # a perfect machine's are rounding
        squares = np.where(squares.any(axis=0), squares / (squares.sum(axis=0) / estimate.n), 1.0)
    return np.asarray(np.where(known, squares, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1))


def _near_places(square: np.ndarray, place: np.ndarray, labelled: np.ndarray) -> np.ndarray:
    """Return the mean squared residual of the labelled queries with the nearest places."""
    nearest = np.argsort(np.abs(place[:, None] - place[labelled]), axis=1, kind="stable")[
        :, : min(NEAREST, len(square))
    ]
    return np.asarray(square[nearest].mean(axis=1))


def _near(square: np.ndarray, stratum: np.ndarray, labelled: np.ndarray) -> np.ndarray:
    """Return the mean squared residual of the labelled queries of each query's stratum; 1 where there are none."""
    count = np.bincount(stratum[labelled], minlength=STRATA)
    mean = np.bincount(stratum[labelled], square, minlength=STRATA) / np.maximum(count, 1)
    return np.asarray(np.where(count > 0, mean, 1.0)[stratum])


def chances(size: np.ndarray, labelled: np.ndarray, wanted: int) -> np.ndarray:
    """Return chances in proportion to the sizes, none above 1, so that `wanted` unlabelled queries are drawn.

    Examples
    --------
    >>> chances(np.array([1.0, 1.0, 6.0, 1.0]), np.array([False, False, False, True]), 2).tolist()
    [0.5, 0.5, 1.0, 0.5]
    """
    certain = np.zeros(len(size), dtype=bool)
    while True:  # what is above 1 is certain, and the others share the rest
        rest = ~labelled & ~certain
        scale = (wanted - (certain & ~labelled).sum()) / size[rest].sum() if rest.any() else np.inf
        over = rest & (size * scale > 1)
        if not over.any():
            return np.where(certain, 1.0, np.minimum(size * scale, 1.0))
        certain |= over


def systematic(chance: np.ndarray, order: np.ndarray, start: float) -> np.ndarray:
    """Return the queries that a systematic draw in this order takes: each with its own chance, always as many."""
    reached = np.cumsum(chance[order])
    wanted = int(np.rint(reached[-1]))
    reached *= wanted / reached[-1]  # rounding of the sum must not cost the last one
    return order[
        np.searchsorted(reached, start + np.arange(wanted), side="right").clip(max=len(order) - 1)
    ]


@verb(
    on=("scores", "preferences"),
    machine=True,
    gives=("labels_needed", "pair_labels_needed"),
    family="label_next",
    name="sample_size",
)
def labels_needed(
    scores: Table, measures: object = None, *, width: float, confidence: float = 0.95
) -> pd.DataFrame:
    """Return how many queries people have to label in all for intervals of a wanted width.

    With n of Q queries labelled the variance is s^2 ((1 - r) / n + r / Q): r is the share of the variance of people's
    values that the machine explains, which the labels at hand tell. However many people label, the Q queries that the
    machine labelled are all that there is.

    Parameters
    ----------
    width : float
        The width that is wanted, from one end of the interval to the other, in the measure's unit.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> machine = qrels.assign(relevance=(qrels["relevance"] > 1) * 1)
    >>> human = qrels[qrels["query_id"].astype(int) < 121]
    >>> scores = runs.ireval.measure(human, "AP", machine=machine, topics="common")
    >>> scores.ireval.label_next.sample_size(width=0.1).head(2).round(3)
            run measure   n  n_machine  ci_width  wanted  queries_needed
    0      bm25      AP  19         29     0.113     0.1            37.0
    1  bm25+rm3      AP  19         29     0.111     0.1            24.0
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
                "wanted": np.full(len(estimate.n), float(width)),
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
    columns["measure"] = labels(pd.Index(cube.measures), measure)
    for name in columns_of_measure[0]:
        columns[name] = np.stack([one[name] for one in columns_of_measure])[measure, row]
    return described_frame(columns, {**cube.attrs, **attrs})


def queries_needed(estimate: Powered, width: float, confidence: float = 0.95) -> np.ndarray:
    """Return the fewest queries that people have to label for intervals of a width; infinity where none suffice.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> machine = rng.random((400, 1))
    >>> human = np.where(np.arange(400)[:, None] < 40, machine + rng.normal(0, 0.1, (400, 1)), np.nan)
    >>> [queries_needed(powered(human, machine), width).item() for width in (0.08, 0.07, 0.02)]
    [60.0, 107.0, inf]
    """
    from scipy import special

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
    gives=("label_bounds", "pair_label_bounds"),
    name="bounds",
)
def label_bounds(
    scores: Table, measures: object = None, *, between: tuple[float, float] | None = None
) -> pd.DataFrame:
    """Return the lowest and highest mean over all queries, whatever people would say of those that they did not label.

    Nothing is assumed: neither that people's queries are a random sample, nor anything of the machine. The mean is that
    over the queries of the table. Compare it with the interval of `summary` to see what a random sample is worth.

    Parameters
    ----------
    between : (float, float), optional
        The least and the largest value of a query, where pdeval does not know the measure.

    Examples
    --------
    >>> import pdeval
    >>> runs, machine, _ = pdeval.datasets.load_sample()
    >>> human = machine[machine["query_id"].astype(int) < 141]
    >>> scores = runs.ireval.measure(human, "AP", machine=machine, topics="common")
    >>> scores.ireval.bounds().head(2).round(3)
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
            f"{label} is a {aggregate} over queries; bounds are of means. Choose another measure."
        )
    if between is not None:
        least, most = map(float, between)
        if not least < most or not np.isfinite([least, most]).all():
            raise ValueError(
                f"between={between!r}: give the least and the largest value of a query, e.g. (0, 1)."
            )
        people = cube.values[cube.measures.index(label)]
        for value in (np.nanmin(people), np.nanmax(people)):
            if not least <= value <= most:
                raise ValueError(
                    f"between={between!r}: people's labels give {label} a value of {value:g}."
                )
        return least, most
    try:
        entry = parse(label).entry
    except (KeyError, ValueError):
        raise ValueError(
            f"no measure {label!r} is known, nor between which values it lies. Say it, e.g. between=(0, 1)."
        ) from None
    least, most = map(float, entry.range)
    if not np.isfinite([least, most]).all():
        raise ValueError(
            f"{label} has no largest value, so that nothing bounds its mean. Choose a measure that has, e.g. nDCG, or "
            "say one that you know of: between=(0, 1)."
        )
    if entry.family == "metric" and not isinstance(cube, Scores):  # a difference of two
        return least - most, most - least
    return least, most
