"""Sign agreement: how often two measures prefer the same one of two rankings, and how their differences correlate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.batches import each_two
from pdeval.evaluate.cube import all_pairs
from pdeval.evaluate.sources import Held
from pdeval.experiments.side_by_side import Stream, larger_values, of_all_measures, stream_of, together
from pdeval.kernels.levels import share
from pdeval.kinds.labels import labels
from pdeval.kinds.schemas import table
from pdeval.mechanics.arguments import one_of
from pdeval.mechanics.equality import NOISE
from pdeval.verbs import verb

Per = Literal["all", "query"]

table(
    "sign_agreement",
    "[query] measure_a measure_b fuzziness:float pairs:int agreement:share r:float",
    "table of agreement between measures",
    row="two measures and fuzziness (and query, with per='query')",
    sort="measure_a measure_b query fuzziness",
    then=".report(), .plot()",
    means={
        "measure_a": "the first of two measures",
        "measure_b": "the second of two measures",
        "fuzziness": "the difference up to which opposite signs are forgiven",
        "pairs": "number of (query, pair of runs)",
        "agreement": "share of those pairs on which both measures prefer the same run",
        "r": "correlation about zero of the differences over those pairs, missing where one is always tied",
    },
)


class Tally:
    """Counts of agreement between every two measures, query by query, added up block by block.

    Parameters
    ----------
    measures : sequence of str
        Labels of the measures.
    queries : int
        How many queries the blocks have.
    fuzziness : sequence of float
        The differences at or below which two rankings count as tied.
    scale : mapping of label to float, optional
        What values are multiplied by before their differences are held against the fuzziness; by default by 1.
    two : pair of ndarray of int, optional
        The places of the measures to hold against each other; by default each two.

    Examples
    --------
    >>> tally = Tally(("AP", "RR"), 1, (0.0,))
    >>> tally.add([np.array([[0.5, -0.1, 0.2]]), np.array([[0.5, 0.1, 0.0]])])
    >>> tally.pairs.tolist(), tally.agreeing.tolist()
    ([[3]], [[[1]]])
    """

    def __init__(
        self,
        measures: Sequence[str],
        queries: int,
        fuzziness: Sequence[float],
        scale: Mapping[str, float] | None = None,
        two: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> None:
        self.measures, self.fuzziness = tuple(measures), tuple(fuzziness)
        self.scale = [(scale or {}).get(label, 1.0) for label in self.measures]
        self.a, self.b = all_pairs(len(self.measures)) if two is None else two
        self.pairs = np.zeros((len(self.a), queries), dtype=np.int64)
        self.agreeing = np.zeros((len(self.fuzziness), len(self.a), queries), dtype=np.int64)
        self.sums = np.zeros((3, len(self.a), queries))

    def add(self, differences: Sequence[np.ndarray], larger: Sequence[np.ndarray] | None = None) -> None:
        """Count a block of pairs: for each measure an array (queries, pairs), NaN where a pair does not count.

        Ties are 0 (see `together`); a difference is larger than the fuzziness by more than the rounding of its pair.
        Where the larger values of the pairs are given too, fuzziness is a share of these.
        """
        known = [~np.isnan(values) for values in differences]
        sign = [np.sign(values) for values in differences]
        size = [np.abs(values) * factor for values, factor in zip(differences, self.scale)]
        if larger is not None:
            size = [_relative(one, values * k) for one, values, k in zip(size, larger, self.scale)]
        most = [np.fmax.reduce(np.where(np.isinf(one), np.nan, one), axis=0, initial=0.0) for one in size]
        for k, (i, j) in enumerate(zip(self.a.tolist(), self.b.tolist())):
            both = known[i] & known[j]
            x, y = differences[i], differences[j]
            self.pairs[k] += both.sum(axis=1)
            opposite = (sign[i] * sign[j] < 0) & both
            for f, least in enumerate(self.fuzziness):
                if least == 0:
                    self.agreeing[f, k] += ((sign[i] == sign[j]) & both).sum(axis=1)
                else:
                    beyond = [size[m] > least + NOISE * np.maximum(most[m], least) for m in (i, j)]
                    self.agreeing[f, k] += (both & ~(opposite & beyond[0] & beyond[1])).sum(axis=1)
            if not both.all():
                x, y = np.where(both, x, 0.0), np.where(both, y, 0.0)
            with np.errstate(invalid="ignore"):  # an infinite difference has no correlation
                for moment, product in enumerate((x * x, y * y, x * y)):
                    self.sums[moment, k] += product.sum(axis=1)

    def frame(self, queries: pd.Index | None = None) -> pd.DataFrame:
        """Return the rates as a tidy frame, over all queries together or, where they are given, for each."""
        pairs, agreeing, sums = self.pairs, self.agreeing, self.sums
        if queries is None:
            pairs, agreeing, sums = (part.sum(axis=-1, keepdims=True) for part in (pairs, agreeing, sums))
        shape = agreeing.shape
        level, pair, query = (axis.transpose(1, 2, 0).ravel() for axis in np.indices(shape))
        names = pd.Index(self.measures)
        columns: dict[str, Any] = {} if queries is None else {str(queries.name): labels(queries, query)}
        columns |= {f"measure_{side}": labels(names, at[pair]) for side, at in zip("ab", (self.a, self.b))}
        count = pairs[pair, query]
        rate = np.where(count > 0, share(agreeing[level, pair, query], count), np.nan)
        columns |= {"fuzziness": np.array(self.fuzziness)[level], "pairs": count, "agreement": rate}
        return pd.DataFrame({**columns, "r": about_zero(*sums)[pair, query]})


def _relative(size: np.ndarray, larger: np.ndarray) -> np.ndarray:
    """Return differences as shares of the larger value; an infinite one stays infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(size), size, share(size, larger))


def about_zero(xx: np.ndarray, yy: np.ndarray, xy: np.ndarray) -> np.ndarray:
    """Return r = sum xy / sqrt(sum xx sum yy) of differences from their sums; NaN where one side is always tied.

    Not about the means: a pair has no first run, and turning one around would move them. Ties are exactly 0.

    Examples
    --------
    >>> x, y = np.array([0.5, -0.1]), np.array([0.4, 0.2])
    >>> sides = [(x, y), (x * [1, -1], y * [1, -1])]
    >>> [round(float(about_zero(x @ x, y @ y, x @ y)), 4) for x, y in sides]
    [0.7894, 0.7894]
    """
    with np.errstate(invalid="ignore", over="ignore"):
        known = (np.minimum(xx, yy) > 0) & np.isfinite(xx) & np.isfinite(yy)
        r = np.divide(xy, np.sqrt(np.where(known, xx, 1.0)) * np.sqrt(np.where(known, yy, 1.0)))
    return np.where(known, np.clip(r, -1.0, 1.0), np.nan)


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


@verb(
    on=("scores", "preferences", "judged"),
    gives="sign_agreement",
    per_measure=True,
    source=of_all_measures,
)
def agree(
    held: Held,
    measures: object = ("RPP", "AP"),
    *,
    fuzziness: float | Sequence[float] = 0.0,
    relative: bool = False,
    per: Per = "all",
    baseline: object = None,
    pairs: object = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return how often every two measures prefer the same one of two runs on the same query.

    With fuzziness 0, two measures agree on a pair where the signs of their differences are equal: two ties agree, a
    tie and a preference do not. With fuzziness D > 0, they disagree only where the signs are opposite and both
    differences are larger than D. Values that differ by rounding only, 1e-12 of their size, are tied.

    The correlation is taken about zero, r = sum xy / sqrt(sum x^2 sum y^2): a pair has no first run, so r does not
    depend on which of the two is subtracted from the other, as Pearson's would.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        At least two. For runs which measures and preferences to compute; for a table of results which of its measures
        to use, by default all of them.
    fuzziness : float or list of float
        The difference up to which opposite signs are forgiven; several give one row each.
    relative : bool
        Whether fuzziness is a share of the larger of both values (0.01 is one percent), and not a difference; for
        measures of one ranking.
    per : {'all', 'query'}
        Over all queries together, or one row for every query.
    baseline : run, optional
        Only pairs of a run with this one.
    pairs : list of (run_a, run_b), or DataFrame of both, optional
        Only these pairs; by default every pair once.
    progress : bool, optional
        Show a bar; by default after a second, to a person.

    References
    ----------
    Shokouhi, Yilmaz, Craswell and Robertson 2009, Table 1; Diaz and Ferraro 2022, Figure 5.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.agree(["AP", "RPP", "RR"]).round(3)
      measure_a measure_b  fuzziness  pairs  agreement      r
    0        AP       RPP        0.0   3168      0.913  0.914
    1        AP        RR        0.0   3168      0.367  0.579
    2       RPP        RR        0.0   3168      0.352  0.514
    """
    one_of("per", per, ("all", "query"))
    stream = stream_of(held, measures, baseline=baseline, pairs=pairs)
    return tallied(stream, fuzziness=fuzziness, relative=relative, per=per, progress=progress)


def tallied(
    stream: Stream,
    *,
    fuzziness: float | Sequence[float] = 0.0,
    relative: bool = False,
    scale: Mapping[str, float] | None = None,
    per: Per = "all",
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the agreement of every two measures of a stream of preferences; see `agree` and `Tally`."""
    least = fuzziness_of(fuzziness)
    if len(stream.measures) < 2:
        raise ValueError(f"agreement is between two measures; there is one: {stream.measures[0]}.")
    tally = Tally(stream.measures, len(stream.queries), least, scale, each_two(stream.measures, stream.attrs))
    count(tally, stream, relative=relative, progress=progress)
    frame = tally.frame(stream.queries if per == "query" else None)
    frame.attrs.update(stream.attrs)
    if relative:
        frame.attrs["relative"] = True
    return frame


def count(tally: Tally, stream: Stream, *, relative: bool = False, progress: bool | None = None) -> None:
    """Count all pairs of a stream, block by block; with fuzziness as a share of the larger values where `relative`."""
    larger = larger_values(stream) if relative else None
    first = 0
    for block in together(stream, desc="agreement", progress=progress):
        last = first + block[0].shape[1]
        tally.add(block, larger and larger(slice(first, last)))
        first = last
