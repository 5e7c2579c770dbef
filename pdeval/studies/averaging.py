"""From average precision to search length: what averaging hides, the error that a run reduces, and the steps between.

An average of precisions weighs each search length by its reciprocal, so that the deep ones vanish.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pdeval.catalog import parse
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.run_selection import place_of
from pdeval.evaluate.scores import scores
from pdeval.evaluate.sources import Held, sources
from pdeval.join.judged import Judged
from pdeval.kernels.primitives import level as levels_of
from pdeval.kernels.search_length import Unretrieved, atomized, relative_reduction_in_error
from pdeval.significance.delta_sort import delta_sort_chain
from pdeval.studies.blocks import pair_columns, rank_blocks, result, run_columns
from pdeval.studies.search_length import items, selected_runs
from pdeval.tables.equal_values import NOISE
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import shown

table(
    "implicit_weights",
    "length:float precision:float weight:float",
    "table of implicit weights",
    row="search length, in the order given",
    means={
        "length": "the search length; its mean under `weight` is `average_length`",
        "precision": "its reciprocal",
        "weight": "the share of the sum of precisions that is its own",
    },
    unreported="it is arithmetic on given lengths; print the table itself",
    undrawn="it is arithmetic on given lengths; print the table itself",
)
table(
    "effective_shares",
    "run query items:int share:share",
    "table of effective shares",
    row="run and query",
    sort="run query",
    means={
        "items": "number of relevant items",
        "share": "share of them that average precision effectively reads, missing where nothing was found",
    },
    unreported="it has a row per run and query; report its means",
    undrawn="it has a row per run and query; draw its means",
)
table(
    "rrie",
    "run_a run_b measure mean_a:float mean_b:float rrie:float",
    "table of error reduction",
    row="measure",
    sort="measure",
    then=".report()",
    means={
        "run_a": "the old run",
        "run_b": "the new run",
        "mean_a": "mean of the old run over the queries",
        "mean_b": "mean of the new run over the queries",
        "rrie": "relative reduction in error, negative for a loss, missing where the old run is perfect",
    },
    undrawn="it is one number per measure; print the table itself",
)
table(
    "ablation",
    "step measure_old measure_new runs:int delta_sort:float tau_b:float delta_value:float",
    "table of the steps from MAP to search length",
    row="step from one measure to the next, the last from the first to the last at once",
    then=".report()",
    means={
        "step": "what the step changes",
        "measure_old": "the measure before it",
        "measure_new": "the measure after it",
        "runs": "number of systems",
        "delta_sort": "how many places, of 100, the system moves that moves most",
        "delta_value": "mean over systems of new / old value; a search length counts with its reciprocal",
    },
    undrawn="it is four rows; print the table itself",
)


def average_length(lengths: ArrayLike) -> np.ndarray:
    """Return the search length that the average precision stands for: n / sum(1 / SL), the harmonic mean.

    Along axis 0; infinite where nothing was found.

    Examples
    --------
    >>> float(average_length([1, 1000]).round(3))
    1.998
    """
    values = _checked_lengths(lengths)
    with np.errstate(divide="ignore"):
        mean: np.ndarray = len(values) / (1.0 / values).sum(axis=0)
    return mean


def _checked_lengths(lengths: ArrayLike) -> np.ndarray:
    """Return search lengths as an array, or raise if they are none."""
    try:
        values = np.asarray(lengths, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"lengths={shown(lengths)}: give an array of search lengths, numbers above 0."
        ) from None
    if values.ndim == 0 or not len(values) or not (values > 0).all():
        raise ValueError(
            "search lengths must be above 0, and there must be one at least; infinity is not found."
        )
    return values


def implicit_weights(lengths: ArrayLike) -> pd.DataFrame:
    """Return the weight that each search length has in an average of precisions: 1 / SL, as shares.

    Returns
    -------
    DataFrame
        length, precision, weight; in the order given. The mean of `length` under `weight` is `average_length`.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, equations 14 and 15.

    Examples
    --------
    >>> implicit_weights([1, 2, 4]).round(3)
       length  precision  weight
    0     1.0       1.00   0.571
    1     2.0       0.50   0.286
    2     4.0       0.25   0.143
    """
    values = _checked_lengths(lengths)
    if values.ndim > 1:
        raise ValueError(
            f"lengths= has {values.ndim} dimensions; give the search lengths of one list."
        )
    precision = 1.0 / values
    weight = precision / precision.sum() if precision.sum() > 0 else np.full(len(values), np.nan)
    return result(
        {"length": values, "precision": precision, "weight": weight}, {"table": "implicit_weights"}
    )


def swap_out(lengths: ArrayLike) -> np.ndarray:
    """Return search lengths whose plain mean is what the average of precisions makes of the given ones.

    v = mu + 1 - mu / SL, with mu = `average_length`: small lengths move a little, large ones all shrink to mu + 1.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, appendix A.1.

    Examples
    --------
    >>> swap_out([1, 1, 1, 2, 4, 5, 10, 10000, 10000]).round(2).tolist()
    [1.0, 1.0, 1.0, 2.11, 2.67, 2.78, 3.0, 3.22, 3.22]
    """
    mean = average_length(lengths)
    swapped: np.ndarray = mean + 1.0 - mean / np.asarray(lengths, dtype=np.float64)
    return swapped


def effective_share(lengths: ArrayLike) -> np.ndarray:
    """Return the share of items, the soonest first, whose plain mean search length is nearest to the average's.

    What an average of precisions effectively reads. Along axis 0; NaN where nothing was found.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, appendix A.1.

    Examples
    --------
    >>> float(effective_share([1, 1, 1, 2, 4, 5, 10, 10000, 10000]).round(3))
    0.667
    """
    values = np.sort(_checked_lengths(lengths), axis=0)
    count = levels_of(values)
    # row i: the mean search length of the first i + 1 items
    mean = np.add.accumulate(values, axis=0) / count
    target = average_length(values)
    with np.errstate(invalid="ignore"):
        gap = np.abs(mean - target)
        smallest = np.nanmin(np.where(np.isnan(gap), np.inf, gap), axis=0)
        near = (gap - smallest <= NOISE * np.maximum(mean, target)) & np.isfinite(gap)
    # of equally near ones the most items: if all lengths are equal, all are read
    most = (near * count).max(axis=0)
    return np.where(np.isfinite(target), most / len(values), np.nan)


@verb(
    on="judged",
    gives="effective_shares",
    family="lengths",
    name="effective_shares",
    needs="relevant",
    formerly="effective_shares",
)
def effective_shares(
    judged: Judged, *, precision: Literal["item", "atomized"] = "item"
) -> pd.DataFrame:
    """Return the share of its relevant items that average precision effectively reads, for every run and query.

    That share of the items, the soonest first, has a plain mean search length nearest to the one that the average of
    precisions stands for.

    Parameters
    ----------
    precision : {'item', 'atomized'}
        Of what: the precision at each item, as in AP, which is 0 for an item not retrieved; or 1 / ASL of the item.

    References
    ----------
    Alex, Hall and Metzler 2022, appendix A.1: 57% of the items, over 76 TREC tracks.

    Examples
    --------
    >>> import pdeval
    >>> table = pdeval.datasets.sample_judged(topics="common").lengths.effective_shares()
    >>> table.head(3).round(3)
        run query_id  items  share
    0  bm25      101     13  0.615
    1  bm25      102     44  0.614
    2  bm25      103     50  0.560
    >>> round(float(table["share"].mean()), 3)
    0.736
    """
    counts = judged.counted()
    judged.tell(counts)
    relevant = np.zeros(len(counts), dtype=np.int64)
    share = np.full(counts.shape, np.nan)
    for block, rank, _ in rank_blocks(judged, counts):
        lengths = rank / levels_of(rank)
        if precision == "atomized":
            # a list of relevant items only has 0 for those it lacks; at best a search takes one step
            lengths = np.maximum(atomized(rank, block["retrieved"], block["corpus"]), 1.0)
        relevant[block.topics] = block.size
        share[block.topics] = effective_share(lengths)
    run, topic = np.nonzero(counts.T)  # by run, then query
    columns = run_columns(judged.runs, run)
    columns[str(judged.queries.name)] = labels(judged.queries, topic)
    return result({**columns, "items": relevant[topic], "share": share[topic, run]}, judged.attrs)


@verb(on=("scores", "judged"), gives="rrie", family="lengths", name="rrie", formerly="rrie")
def rrie(
    data: Held, run_a: object, run_b: object, measures: object = ("AP", "P@10", "ASL")
) -> pd.DataFrame:
    """Return the relative reduction in error from one run to another, by each measure.

    The error is the distance to the best value, 1 both for precision-like measures and for search lengths:
    ((1 - a) - (1 - b)) / (1 - a), and ((a - 1) - (b - 1)) / (a - 1). On runs, topics="common" means what both runs
    answered.

    Parameters
    ----------
    run_a : run
        The old run.
    run_b : run
        The new run.
    measures : str, Measure, or list of them, optional
        ... Their best value has to be 1.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Table 1, equations 11 and 12.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").lengths.rrie("bm25", "bm25+rm3").round(3)
      run_a     run_b measure  mean_a  mean_b   rrie
    0  bm25  bm25+rm3      AP   0.328   0.337  0.014
    1  bm25  bm25+rm3    P@10   0.452   0.462  0.018
    2  bm25  bm25+rm3     ASL  37.664  35.865  0.049
    """
    two_runs = selected_runs(data, [run_a, run_b]) if isinstance(data, Judged) else None
    cube = sources(data, measures)[0] if two_runs is None else scores(two_runs, measures)
    if not isinstance(cube, Scores):
        raise ValueError("error reduction is of measures of one ranking; preferences have none.")
    for name, higher in zip(cube.measures, cube.higher):
        if higher and largest_value(name, unknown=1.0) != 1:
            raise ValueError(
                f"{name} has no best value of 1, so that there is no error to reduce; use e.g. nDCG for DCG."
            )
    a, b = (place_of(cube.runs, run) for run in (run_a, run_b))
    means = np.nanmean(cube.values, axis=1)  # measures x runs
    count = len(cube.measures)
    return result(
        {
            **pair_columns(cube.runs, a, b, count),
            "measure": labels(pd.Index(cube.measures), np.arange(count)),
            "mean_a": means[:, a],
            "mean_b": means[:, b],
            "rrie": relative_reduction_in_error(means[:, a], means[:, b]),
        },
        cube.attrs,
    )


def largest_value(label: str, *, unknown: float) -> float:
    """Return the largest value that a measure can have; `unknown` if its label does not tell."""
    try:
        return float(parse(label).entry.range[1])
    except (KeyError, ValueError):
        return unknown


@verb(
    on="judged",
    gives="ablation",
    family="lengths",
    name="ablation",
    needs="relevant",
    formerly="ablation",
)
def ablation(
    judged: Judged, *, margin: float = 0.1, alpha: float = 0.05, unretrieved: Unretrieved = "run"
) -> pd.DataFrame:
    """Return how systems move along the steps from mean average precision to atomized search length.

    MAP; the mean of 1 / ASL over items; the harmonic mean within the query, 1 / ASL of the query; the harmonic mean
    over queries, 1 / ASL; and from the first to the last at once. A list of relevant items only has a search length
    of 0 for those it lacks; it counts as 1 here, which has a reciprocal.

    Parameters
    ----------
    margin : float
        A system is better than another if its mean is better by at least this fraction of the other's mean, and the
        difference is significant.
    alpha : float
        Significance level: the two-sided paired t-test gives a p-value of at most this.
    unretrieved : {'run', 'corpus'}
        An item that was not retrieved has the number of irrelevant items that the run returned; or it stands behind
        all irrelevant items of the query's corpus, as it always does in a run that returned nothing.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, section 4.4 and Table 2.

    Examples
    --------
    >>> import pdeval
    >>> table = pdeval.datasets.sample_judged(topics="common").lengths.ablation()
    >>> table[["step", "delta_sort", "tau_b", "delta_value"]].round(3)
                           step  delta_sort  tau_b  delta_value
    0         atomise precision      16.667  0.970        0.500
    1    aggregate within query      16.667  0.939        0.212
    2  aggregate across queries      16.667  1.000        0.790
    3                cumulative       8.333  0.970        0.083
    """
    precision = scores(judged, "AP")
    lengths = items(judged, unretrieved=unretrieved)
    lengths["asl"] = lengths["asl"].clip(lower=1.0)
    frame = delta_sort_chain(precision, lengths, margin=margin, alpha=alpha)
    frame.attrs.update(precision.attrs)
    return frame
