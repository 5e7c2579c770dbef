"""Sign agreement: how often two measures prefer the same one of two rankings, and how their differences correlate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import all_pairs
from pdeval.evaluate.scores import Topics
from pdeval.experiments.differences import NOISE, signs, source_of, together
from pdeval.kernels.levels import share
from pdeval.kinds.labels import labels


class Tally:
    """Counts of agreement between every two measures, query by query, added up block by block.

    Parameters
    ----------
    measures : sequence of str
        Labels of the measures.
    queries : int
        How many queries the blocks have.
    fuzziness : sequence of float
        The differences at or below which two rankings count as level.

    Examples
    --------
    >>> tally = Tally(("AP", "RR"), 1, (0.0,))
    >>> tally.add([np.array([[0.5, -0.1, 0.2]]), np.array([[0.5, 0.1, 0.0]])])
    >>> tally.pairs.tolist(), tally.agreeing.tolist()
    ([[3]], [[[1]]])
    """

    def __init__(self, measures: Sequence[str], queries: int, fuzziness: Sequence[float]) -> None:
        self.measures, self.fuzziness = tuple(measures), tuple(fuzziness)
        self.a, self.b = all_pairs(len(self.measures))
        self.pairs = np.zeros((len(self.a), queries), dtype=np.int64)
        self.agreeing = np.zeros((len(self.fuzziness), len(self.a), queries), dtype=np.int64)
        self.sums = np.zeros((5, len(self.a), queries))

    def add(self, differences: Sequence[np.ndarray]) -> None:
        """Count a block of pairs: for each measure an array (queries, pairs), NaN where a pair does not count."""
        known = [~np.isnan(values) for values in differences]
        sign = [signs(values) for values in differences]
        for k, (i, j) in enumerate(zip(self.a.tolist(), self.b.tolist())):
            both = known[i] & known[j]
            x, y = differences[i], differences[j]
            self.pairs[k] += both.sum(axis=1)
            opposite = (sign[i] * sign[j] < 0) & both
            for f, least in enumerate(self.fuzziness):
                if least == 0:
                    self.agreeing[f, k] += ((sign[i] == sign[j]) & both).sum(axis=1)
                else:
                    clear = opposite & (np.abs(x) > least + NOISE) & (np.abs(y) > least + NOISE)
                    self.agreeing[f, k] += (both & ~clear).sum(axis=1)
            if not both.all():
                x, y = np.where(both, x, 0.0), np.where(both, y, 0.0)
            with np.errstate(invalid="ignore"):  # an infinite difference has no correlation
                for moment, product in enumerate((x, y, x * x, y * y, x * y)):
                    self.sums[moment, k] += product.sum(axis=1)

    def frame(self, queries: pd.Index | None = None) -> pd.DataFrame:
        """Return the rates as a tidy frame, over all queries together or, where they are given, for each."""
        pairs, agreeing, sums = self.pairs, self.agreeing, self.sums
        if queries is None:
            pairs, agreeing, sums = (part.sum(axis=-1, keepdims=True) for part in (pairs, agreeing, sums))
        shape = agreeing.shape
        level, pair, query = (axis.transpose(1, 2, 0).ravel() for axis in np.indices(shape))
        names = pd.Index(self.measures)
        columns: dict[str, Any] = {
            f"measure_{side}": labels(names, at[pair]) for side, at in zip("ab", (self.a, self.b))
        }
        if queries is not None:
            columns[str(queries.name)] = labels(queries, query)
        count = pairs[pair, query]
        rate = np.where(count > 0, share(agreeing[level, pair, query], count), np.nan)
        columns |= {"fuzziness": np.array(self.fuzziness)[level], "pairs": count, "agreement": rate}
        return pd.DataFrame({**columns, "r": _pearson(pairs, sums)[pair, query]})


def _pearson(n: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Return Pearson's r from counts and the sums of x, y, xx, yy, xy; NaN where one side does not vary."""
    x, y, xx, yy, xy = sums
    with np.errstate(invalid="ignore"):
        spread = (n * xx - x * x) * (n * yy - y * y)
        # what rounding leaves of a constant's variance is no variance
        varied = (n * xx - x * x > 1e-12 * n * xx) & (n * yy - y * y > 1e-12 * n * yy)
        r = np.divide(n * xy - x * y, np.sqrt(np.where(varied, spread, 1.0)))
    return np.where(varied, np.clip(r, -1.0, 1.0), np.nan)


def fuzziness_of(given: float | Sequence[float]) -> tuple[float, ...]:
    """Return the fuzziness values asked for, checked.

    Examples
    --------
    >>> fuzziness_of(0.01), fuzziness_of([0, 0.01])
    ((0.01,), (0.0, 0.01))
    """
    values = tuple(float(value) for value in np.atleast_1d(np.asarray(given, dtype=np.float64)))
    if not values or not all(0 <= value < np.inf for value in values):
        raise ValueError(f"fuzziness={given!r}: give a difference of 0 or more, or several.")
    return values


def agree(
    source: Any,
    measures: object = None,
    *,
    fuzziness: float | Sequence[float] = 0.0,
    by: Literal["overall", "query"] = "overall",
    baseline: object = None,
    pairs: object = None,
    level: float | None = None,
    topics: Topics = "relevant",
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return how often every two measures prefer the same ranking, over pairs of runs on the same query.

    With fuzziness 0, two measures agree on a pair where the signs of their differences are equal: two ties agree, a
    tie and a preference do not. With fuzziness D > 0, they disagree only where the signs are opposite and both
    differences are larger than D. Differences below 1e-12 are rounding and count as ties.

    Parameters
    ----------
    source : Positions, Scores, Preferences or a stream of preferences
        What to compare: a join and the `measures`, or a table of results that has them.
    measures : names, optional
        Metrics and preferences, where `source` is a join.
    fuzziness : float or list of float
        One row for each.
    by : {'overall', 'query'}
        Over all pairs together, or a row for every query.
    baseline, pairs, level, topics
        Which pairs of runs, and what counts, as in `prefer`.
    progress : bool, optional
        Whether to show a bar; by default only to a person, and after a second.

    Returns
    -------
    DataFrame
        measure_a, measure_b[, query], fuzziness, pairs, agreement, r. `pairs` counts (query, pair of runs); `r` is
        Pearson's correlation of the differences over them, NaN where one does not vary.

    References
    ----------
    Shokouhi, Yilmaz, Craswell and Robertson 2009, Table 1; Diaz and Ferraro 2022, Figure 5.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> table = agree(joined.positions, ["AP", "RPP", "RR"])
    >>> table.columns.tolist(), len(table)
    (['measure_a', 'measure_b', 'fuzziness', 'pairs', 'agreement', 'r'], 3)
    """
    if by not in ("overall", "query"):
        raise ValueError(f"by={by!r}: choose 'overall' or 'query'.")
    least = fuzziness_of(fuzziness)
    stream = source_of(source, measures, baseline=baseline, pairs=pairs, level=level, topics=topics)
    if len(stream.measures) < 2:
        raise ValueError(f"agreement is between two measures; there is one: {stream.measures[0]}.")
    tally = Tally(stream.measures, len(stream.queries), least)
    for block in together(stream, desc="agreement", progress=progress):
        tally.add(block)
    frame = tally.frame(stream.queries if by == "query" else None)
    frame.attrs.update(stream.attrs)
    return frame
