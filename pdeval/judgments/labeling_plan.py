"""What people should label next: queries where their labels and a machine's differ most, drawn with known chances.

Chances that are known can be made good: a query that was drawn with chance p counts 1 / p times (Horvitz and Thompson).
So queries may be drawn where they teach most, in strata or each with a chance of its own, and estimates stay right.
Queries that are picked and not drawn have no chance, and nothing can be said from them about the others.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import Preferences
from pdeval.evaluate.ppi import Powered, degrees, powered
from pdeval.evaluate.sources import machine_cube
from pdeval.tables.equal_values import NOISE
from pdeval.tables.labels import labels
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import TooFew

Design = Literal["importance", "stratified", "uniform"]
STRATA = 5
NEAREST = 10  # labelled queries by which a query's residual is predicted
SHRUNK = 0.5  # the weight of what all queries have in common: no chance is far from the others on little evidence

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
_NEEDED = "measure n:int n_machine:int ci_width:float wanted:float queries_needed:float"
_MEANS = {
    "n": "queries that people labelled",
    "n_machine": "queries that only the machine labelled",
    "ci_width": "width of the interval now",
    "wanted": "the width that is wanted",
    "queries_needed": "fewest that people have to label in all; infinite where the machine has to label more queries",
}
table(
    "labels_needed",
    f"run {_NEEDED}",
    "table of labels needed",
    known_by="measure ci_width wanted queries_needed",
    row="run and measure",
    sort="run",
    means=_MEANS,
    unreported="a plan is read, not printed",
    undrawn="a plan is read, not drawn",
)
table(
    "pair_labels_needed",
    f"run_a run_b {_NEEDED}",
    "table of labels needed for pairs",
    known_by="run_a run_b measure ci_width wanted queries_needed",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    means=_MEANS,
    unreported="a plan is read, not printed",
    undrawn="a plan is read, not drawn",
)


@verb(on=("scores", "preferences"), machine=True, gives="to_label", family="label_next")
def label_next(
    held: Table,
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
    found = machine_cube(held, measures)
    people, judge = _columns(found)
    labelled = (~np.isnan(people)).any(axis=1)
    most = int((~labelled).sum())
    wanted = arguments.whole("queries", queries, 1, None)
    if wanted > most:
        raise TooFew(f"queries={wanted}: people have not labelled {most} of the {len(labelled):,} queries; draw fewer.")
    arguments.seed(seed)
    size, chance, chosen = planned(people, judge, wanted, design, np.random.default_rng(seed))
    before = np.full(len(labelled), labelled.mean()) if found.probability is None else found.probability
    frame = pd.DataFrame(
        {
            str(found.queries.name): labels(found.queries, np.arange(len(labelled))),
            "labelled": labelled,
            "predicted_sd": size,
            "probability": before + (1 - before) * chance,
            "chosen": np.isin(np.arange(len(labelled)), chosen),
        }
    )
    frame.attrs = {"query_column": str(found.queries.name), "design": design, "seed": seed}
    return frame


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
    place = _places(judge)
    size = _predicted(people, judge, labelled, place, design)
    chance = chances(size, labelled, wanted)
    order = np.flatnonzero(~labelled)[rng.permutation(int((~labelled).sum()))]
    if design == "stratified":
        order = order[np.argsort(_strata(place)[order], kind="stable")]
    return size, chance, systematic(chance, order, rng.random())


def _columns(found: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of both, (queries, measures x runs or pairs)."""
    arrays = (found.values, found.machine)
    return tuple(values.transpose(1, 0, 2).reshape(len(found.queries), -1) for values in arrays)


def _places(judge: np.ndarray) -> np.ndarray:
    """Return where each query stands by the machine's values, from 0 to 1: the mean of its places over columns."""
    rank = pd.DataFrame(judge).rank(pct=True).mean(axis=1).rank(pct=True)
    return rank.fillna(0.5).to_numpy(dtype=float)


def _strata(place: np.ndarray) -> np.ndarray:
    """Return the stratum of each query: as many queries in each."""
    return np.argsort(np.argsort(place, kind="stable")) * STRATA // len(place)


def _predicted(
    people: np.ndarray, judge: np.ndarray, labelled: np.ndarray, place: np.ndarray, design: Design
) -> np.ndarray:
    """Return the size of each query's residual, from labelled queries with places near its own; 1 on average."""
    if design == "uniform":
        return np.ones(len(labelled))
    made = powered(people, judge)
    slope = made.lam * (1 + made.n / np.maximum(made.n_machine, 1))
    known = ~np.isnan(people)
    largest = np.where(known, np.abs(people), 0.0).max(axis=0)
    with np.errstate(invalid="ignore"):  # of columns that nobody labelled
        mean = np.where(known, judge, 0.0).sum(axis=0) / made.n
        residual = np.where(known, people - made.human - slope * (judge - mean), 0.0)
        squares = np.where(np.abs(residual) > NOISE * largest, residual, 0.0) ** 2  # a perfect machine's are rounding
        squares = np.where(squares.any(axis=0), squares / (squares.sum(axis=0) / made.n), 1.0)
    own = (np.where(known, squares, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1))[labelled]
    if design == "stratified":
        strata = _strata(place)
        count = np.bincount(strata[labelled], minlength=STRATA)
        near = np.bincount(strata[labelled], own, minlength=STRATA) / np.maximum(count, 1)
        near = np.where(count > 0, near, 1.0)[strata]
    else:
        distance = np.abs(place[:, None] - place[labelled])
        nearest = np.argsort(distance, axis=1, kind="stable")[:, : min(NEAREST, len(own))]
        near = own[nearest].mean(axis=1)
    size: np.ndarray = np.sqrt(SHRUNK + (1 - SHRUNK) * near)
    return size / size[~labelled].mean()


def chances(size: np.ndarray, labelled: np.ndarray, wanted: int) -> np.ndarray:
    """Return chances in proportion to the sizes, none above 1, so that `wanted` unlabelled queries are drawn.

    Examples
    --------
    >>> chances(np.array([1.0, 1.0, 6.0, 1.0]), np.array([False, False, False, True]), 2).tolist()
    [0.5, 0.5, 1.0, 0.5]
    """
    open_ = ~labelled
    sure = np.zeros(len(size), dtype=bool)
    while True:
        rest = open_ & ~sure
        scale = (wanted - (sure & open_).sum()) / size[rest].sum() if rest.any() else np.inf
        over = rest & (size * scale > 1)
        if not over.any():
            break
        sure |= over
    return np.where(sure, 1.0, np.minimum(size * scale, 1.0))


def systematic(chance: np.ndarray, order: np.ndarray, start: float) -> np.ndarray:
    """Return the queries that a systematic draw in this order takes: each with its own chance, always as many."""
    reached = np.cumsum(chance[order])
    wanted = int(np.rint(reached[-1]))
    reached *= wanted / reached[-1]  # rounding of the sum must not cost the last one
    return order[np.searchsorted(reached, start + np.arange(wanted), side="right").clip(max=len(order) - 1)]


@verb(
    on=("scores", "preferences"),
    machine=True,
    gives=("labels_needed", "pair_labels_needed"),
    family="label_next",
    name="sample_size",
)
def labels_needed(held: Table, measures: object = None, *, width: float, confidence: float = 0.95) -> pd.DataFrame:
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
    arguments.positive("width", width)
    arguments.share("confidence", confidence)
    found = machine_cube(held, measures)
    count = len(found.measures)
    parts = [
        powered(found.values[number], found.machine[number], probability=found.probability) for number in range(count)
    ]
    columns: dict[str, list[np.ndarray]] = {}
    for part in parts:
        low, high = part.interval(confidence)
        own = {
            "n": part.n,
            "n_machine": part.n_machine,
            "ci_width": high - low,
            "wanted": np.full(len(part.n), float(width)),
            "queries_needed": queries_needed(part, width, confidence),
        }
        for name, values in own.items():
            columns.setdefault(name, []).append(values)
    frame = each_row(found, columns)
    frame.attrs["confidence"] = confidence
    return frame


def each_row(found: Any, columns: dict[str, list[np.ndarray]]) -> pd.DataFrame:
    """Return one row per run and measure, or per measure and pair of runs, from values by measure of each column."""
    count, size = len(found.measures), len(next(iter(columns.values()))[0])
    head: dict[str, Any] = {}
    if isinstance(found, Preferences):  # preferences go measure by measure, scores run by run
        measure, row = np.divmod(np.arange(size * count), size)
        for side, places in (("a", found.a), ("b", found.b)):
            head |= {f"{name}_{side}": labels(found.runs[name], places[row]) for name in found.runs.columns}
    else:
        row, measure = np.divmod(np.arange(size * count), count)
        head = {name: labels(found.runs[name], row) for name in found.runs.columns}
    head["measure"] = labels(pd.Index(found.measures), measure)
    frame = pd.DataFrame({**head, **{name: np.stack(values)[measure, row] for name, values in columns.items()}})
    frame.attrs.update(found.attrs)
    return frame


def queries_needed(made: Powered, width: float, confidence: float = 0.95) -> np.ndarray:
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

    whole = (made.n + made.n_machine).astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        explained = (1 / made.n - 1 / made.effective_n) / (1 / made.n - 1 / whole)
    explained = np.maximum(np.nan_to_num(explained), 0.0)  # never above 1: no machine is worth more than all queries
    n = np.arange(2, int(whole.max()) + 1)[:, None]
    rest = np.maximum(whole - n, 0.0)
    # as they come with the best lambda: what people's residuals add, and what the machine's values do
    parts = (1 - explained * (rest / whole) * (2 - rest / whole)) / n, explained * rest / whole**2
    df = degrees(parts, (n - 1, np.maximum(rest - 1, 1)))
    ends = 2 * special.stdtrit(df, (1 + confidence) / 2) * np.sqrt(made.spread * (parts[0] + parts[1]))
    reached = (ends <= width) & (n <= whole)
    return np.where(reached.any(axis=0), n[reached.argmax(axis=0), 0].astype(float), np.inf)
