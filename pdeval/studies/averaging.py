"""What averaging precision does to search lengths: it weighs each by its reciprocal, so that the deep ones vanish."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pdeval.evaluate.scores import Views
from pdeval.join.judged import Judged
from pdeval.kernels.primitives import level as levels_of
from pdeval.kernels.search_length import atomized
from pdeval.tables.equal_values import NOISE
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import one_of, shown

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


def _checked(lengths: ArrayLike) -> np.ndarray:
    try:
        values = np.asarray(lengths, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"lengths={shown(lengths)}: give an array of search lengths, numbers above 0.") from None
    if values.ndim == 0 or not len(values) or not (values > 0).all():
        raise ValueError("search lengths must be above 0, and there must be one at least; infinity is not found.")
    return values


def average_length(lengths: ArrayLike) -> np.ndarray:
    """Return the search length that the average precision stands for: n / sum(1 / SL), the harmonic mean.

    Along axis 0; infinite where nothing was found.

    Examples
    --------
    >>> float(average_length([1, 1000]).round(3))
    1.998
    """
    values = _checked(lengths)
    with np.errstate(divide="ignore"):
        mean: np.ndarray = len(values) / (1.0 / values).sum(axis=0)
    return mean


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
    values = _checked(lengths)
    if values.ndim > 1:
        raise ValueError(f"lengths= has {values.ndim} dimensions; give the search lengths of one list.")
    precision = 1.0 / values
    weight = precision / precision.sum() if precision.sum() > 0 else np.full(len(values), np.nan)
    frame = pd.DataFrame({"length": values, "precision": precision, "weight": weight})
    frame.attrs["table"] = "implicit_weights"
    return frame


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
    values = _checked(lengths)
    mean = average_length(values)
    swapped: np.ndarray = mean + 1.0 - mean / values
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
    values = np.sort(_checked(lengths), axis=0)
    count = levels_of(values)
    mean = np.add.accumulate(values, axis=0) / count
    aim = average_length(values)
    with np.errstate(invalid="ignore"):
        gap = np.abs(mean - aim)
    # of equally near ones the most items: where all lengths are equal, all are read
    least = np.nanmin(np.where(np.isnan(gap), np.inf, gap), axis=0)
    with np.errstate(invalid="ignore"):
        near = (gap - least <= NOISE * np.maximum(mean, aim)) & np.isfinite(gap)
    most = (near * count).max(axis=0)
    return np.where(np.isfinite(aim), most / len(values), np.nan)


@verb(
    on="judged",
    gives="effective_shares",
    family="lengths",
    name="effective_shares",
    needs="relevant",
    formerly="effective_shares",
)
def effective_shares(judged: Judged, *, precision: Literal["item", "atomized"] = "item") -> pd.DataFrame:
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
    one_of("precision", precision, ("item", "atomized"))
    positions, counts = judged.positions, judged.counted()
    judged.tell(counts)
    items, share = np.zeros(len(counts), dtype=np.int64), np.full(counts.shape, np.nan)
    for block in Views(judged).blocks("binary", judged.level):
        if block.size:
            rank = block["rank"]
            lengths = rank / levels_of(rank)
            if precision == "atomized":
                # a list of relevant items only has 0 for those it lacks; at best a search takes one step
                lengths = np.maximum(atomized(rank, block["retrieved"], block["corpus"]), 1.0)
            items[block.topics], share[block.topics] = block.size, effective_share(lengths)
    run, topic = np.nonzero(counts.T)
    columns = {name: labels(positions.runs[name], run) for name in positions.runs.columns}
    columns[str(positions.queries.name)] = labels(positions.queries, topic)
    frame = pd.DataFrame({**columns, "items": items[topic], "share": share[topic, run]})
    frame.attrs.update(judged.attrs)
    return frame
