"""What averaging precision does to search lengths: it weighs each by its reciprocal, so that the deep ones vanish."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pdeval.evaluate.scores import Topics, Views, attributes, counted
from pdeval.judged.positions import Positions
from pdeval.kernels.levels import level as levels_of
from pdeval.kernels.search_length import atomized
from pdeval.kinds.labels import labels


def _checked(lengths: ArrayLike) -> np.ndarray:
    values = np.asarray(lengths, dtype=np.float64)
    if not len(values) or not (values > 0).all():
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
        return len(values) / (1.0 / values).sum(axis=0)


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
    >>> print(implicit_weights([1, 2, 4]).round(3).to_string(index=False))
     length  precision  weight
        1.0       1.00   0.571
        2.0       0.50   0.286
        4.0       0.25   0.143
    """
    values = _checked(lengths)
    precision = 1.0 / values
    weight = precision / precision.sum() if precision.sum() > 0 else np.full(len(values), np.nan)
    return pd.DataFrame({"length": values, "precision": precision, "weight": weight})


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
    return mean + 1.0 - mean / values


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
    near = np.isclose(gap, np.nanmin(np.where(np.isnan(gap), np.inf, gap), axis=0), rtol=1e-9, atol=1e-12)
    most = (near * count).max(axis=0)
    return np.where(np.isfinite(aim), most / len(values), np.nan)


def effective_shares(
    positions: Positions,
    *,
    precision: Literal["item", "atomized"] = "item",
    level: float | None = None,
    topics: Topics = "relevant",
) -> pd.DataFrame:
    """Return the share of its relevant items that average precision effectively reads, for every run and query.

    Parameters
    ----------
    precision : {'item', 'atomized'}
        Of what: the precision at each item, as in AP, which is 0 for an item not retrieved; or 1 / ASL of the item.
    level, topics
        What counts, as in `measure`.

    Returns
    -------
    DataFrame
        run, query, items, share; NaN where nothing was found.

    References
    ----------
    Alex, Hall and Metzler 2022, appendix A.1: 57% of the items, over 76 TREC tracks.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> table = effective_shares(joined.positions)
    >>> bool(0.2 < table["share"].mean() < 0.8)
    True
    """
    if precision not in ("item", "atomized"):
        raise ValueError(f"precision={precision!r}: choose 'item' or 'atomized'.")
    counts = counted(positions, topics, level)
    items, share = np.zeros(len(counts), dtype=np.int64), np.full(counts.shape, np.nan)
    for block in Views(positions, level).blocks("binary", level):
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
    frame.attrs.update(attributes(positions, topics, level))
    return frame
