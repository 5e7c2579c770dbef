"""Sign agreement: how often two measures prefer the same one of two rankings, and how their differences correlate."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate import (
    Averaged,
    Differences,
    Pairs,
    Preferences,
    Scores,
    ScoresLike,
    Views,
    as_preferences,
    attributes,
    check_populations,
    chosen_pairs,
    decided,
    described_frame,
    labeled_pairs,
    of_pairs,
    pairs_of_measures,
    select,
    sources,
)
from pdeval.join import Block, Judged
from pdeval.kernels.primitives import share
from pdeval.tables import NOISE, cleared, labels, table
from pdeval.verbs import special, track, verb

Stream: TypeAlias = Preferences | Pairs | Differences


def stream_of(
    data: ScoresLike, measures: object, *, baseline: object = None, pairs: object = None
) -> Stream:
    """Return a stream of preferences: of a join and the requested measures, of scores, or of preferences.

    Examples
    --------
    >>> import pdeval
    >>> len(stream_of(pdeval.datasets.sample_judged(queries="common"), ["AP", "RPP"]).a)
    66
    """
    if isinstance(data, Judged):
        return select(data, measures, baseline=baseline, pairs=pairs)
    cubes = sources(data, measures)
    source = cubes[0]
    if len(cubes) == 1 and isinstance(source, Scores):
        return Differences(source, *chosen_pairs(source.runs, baseline=baseline, pairs=pairs))
    if isinstance(data, list | Averaged):  # of a join
        return as_preferences(cubes, baseline=baseline, pairs=pairs)
    if not isinstance(source, Preferences | Pairs | Differences):
        raise TypeError(f"expected a join, scores or preferences, found {type(source).__name__}.")
    if baseline is not None or pairs is not None:
        raise ValueError(
            "baseline= and pairs= cannot be combined with a table of preferences, which has its own pairs."
        )
    return source


def together(
    source: Stream, *, desc: str = "", progress: bool | None = None
) -> Iterator[list[np.ndarray]]:
    """Yield, block of pairs by block of pairs, the differences of every measure, each of shape (queries, pairs).

    Rounding errors are 0: two runs are tied if their difference is 0.

    Examples
    --------
    >>> import pdeval
    >>> stream = stream_of(pdeval.datasets.sample_judged(queries="common"), ["RPP", "AP"])
    >>> [[values.shape for values in block] for block in together(stream)]
    [[(48, 66), (48, 66)]]
    """
    if not isinstance(source, Pairs):
        blocks = source.blocks if isinstance(source, Differences) else partial(decided, source)
        parts = zip(*map(blocks, range(len(source.measures))), strict=True)
        for part in track(parts, desc=desc, progress=progress):
            yield [values for _, values in part]
        return
    # the columns of a join are made once for all measures
    views, kept = Views(source.judged), source.kept
    # all measures are held at once, so each has its part of the memory
    step = max(source.step() // (2 * len(source.requested)), 1)
    starts = range(0, len(source.a), step)
    for first in track(starts, total=len(starts), desc=desc, progress=progress):
        a, b = source.a[first : first + step], source.b[first : first + step]
        block = []
        for measure in source.requested:
            values = clear_pairs(views, measure, a, b)
            counts = views.counted(measure)
            if not counts.all():
                values[~(counts[:, a] & counts[:, b])] = np.nan
            block.append(values[kept])
        yield block


def larger_values(source: Stream) -> Callable[[slice], list[np.ndarray]]:
    """Return what gives, for a slice of the pairs, the larger of both values of every measure, each (queries, pairs).

    Examples
    --------
    >>> import pdeval
    >>> stream = stream_of(pdeval.datasets.sample_judged(queries="common"), ["P@10", "RR"])
    >>> [values[0].tolist() for values in larger_values(stream)(slice(0, 3))]
    [[0.4, 0.5, 0.6], [1.0, 1.0, 1.0]]
    """
    if isinstance(source, Differences):
        values = list(np.abs(source.scores.values))
    else:
        measures = source.requested if isinstance(source, Pairs) else ()
        with_values = [measure.label for measure in measures if measure.entry.family == "metric"]
        if preferences := [label for label in source.measures if label not in with_values]:
            raise ValueError(
                f"{preferences[0]} is a preference between two rankings, so relative=True is undefined. "
                "Use measures of one ranking, or relative=False."
            )
        views = Views(source.judged)  # type: ignore[union-attr]
        values = [np.abs(views.values(measure))[source.kept] for measure in measures]  # type: ignore[union-attr]
    return lambda part: [
        np.maximum(value[:, source.a[part]], value[:, source.b[part]]) for value in values
    ]


def rank_blocks(
    judged: Judged, counts: np.ndarray
) -> Iterator[tuple[Block, np.ndarray, np.ndarray]]:
    """Yield the blocks of queries with relevant items, their ranks (items, queries, runs), and which lists count."""
    # blocks of queries with the same number of relevant items
    for block in Views(judged).blocks("binary", judged.level):
        if block.size:
            yield block, block["rank"], counts[block.topics]


def pair_blocks(a: np.ndarray, b: np.ndarray, step: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the runs of at most `step` pairs at a time."""
    for start in range(0, len(a), max(step, 1)):
        part = slice(start, start + max(step, 1))
        yield a[part], b[part]


def clear_pairs(views: Views, measure: Measure, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the preferences of pairs of runs on every topic, shape (topics, pairs), with rounding errors set to 0."""
    values = of_pairs(views, measure, a, b)
    return values if measure.entry.family == "metric" else cleared(values, 1.0)


Per = Literal["all", "query"]

table(
    "sign_agreement",
    "[query] measure_a measure_b fuzziness:float pairs:int agreement:fraction r:float",
    "table of agreement between measures",
    row="two measures and fuzziness (and query, with per='query')",
    sort="measure_a measure_b query fuzziness",
    then=".report(), .plot()",
    means={
        "measure_a": "the first of two measures",
        "measure_b": "the second of two measures",
        "fuzziness": "threshold of differences below which opposite signs do not count as disagreement",
        "pairs": "number of (query, pair of runs)",
        "agreement": "fraction of these pairs on which both measures prefer the same run",
        "r": "correlation about zero of the differences over those pairs, missing where one is always tied",
    },
)


table(
    "label_agreement",
    "measure queries:int labels:int agreement:fraction ci_low:float ci_high:float tied:fraction",
    "table of agreement with labeled preferences",
    row="measure",
    sort="measure",
    then=".report()",
    means={
        "queries": "number of queries with a label that counts",
        "labels": "number of labels",
        "agreement": "fraction of the labels whose sign is that of the difference; a tie agrees with a tie only",
        "ci_low": "lower end of the confidence interval over queries",
        "ci_high": "upper end of the confidence interval over queries",
        "tied": "fraction of the labels on which the measure does not prefer a run",
    },
    no_plot="it is a few numbers per measure; print the table itself",
)


@dataclass
class Tally:
    """Counts of agreement between every two measures, query by query, added up block by block.

    Parameters
    ----------
    measures : sequence of str
        Labels of the measures.
    queries : int
        Number of queries of the blocks.
    fuzziness : sequence of float
        The differences at or below which two rankings count as tied.
    scale : mapping of label to float, optional
        Factors of the values, applied before differences are compared with the fuzziness; 1 by default.
    attrs : mapping, optional
        Attributes of the table, with the group of each measure if groups are computed together.

    Examples
    --------
    >>> tally = Tally(("AP", "RR"), 1, (0.0,))
    >>> tally.add([np.array([[0.5, -0.1, 0.2]]), np.array([[0.5, 0.1, 0.0]])])
    >>> tally.pairs.tolist(), tally.agreeing.tolist()
    ([[3]], [[[1]]])
    """

    measures: Sequence[str]
    queries: int
    fuzziness: Sequence[float]
    scale: Mapping[str, float] | None = None
    attrs: Mapping[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with no pairs, for every two measures and each query."""
        self.a, self.b = pairs_of_measures(len(self.measures), self.attrs)
        if not len(self.a):
            raise ValueError(f"agreement requires two measures, found only {self.measures[0]}.")
        shape = (len(self.a), self.queries)
        self.pairs = np.zeros(shape, dtype=np.int64)
        self.agreeing = np.zeros((len(self.fuzziness), *shape), dtype=np.int64)
        self.sums = np.zeros((3, *shape))  # of x * x, y * y and x * y

    def add(
        self, differences: Sequence[np.ndarray], larger: Sequence[np.ndarray] | None = None
    ) -> None:
        """Count a block of pairs: for each measure an array (queries, pairs), NaN where a pair does not count.

        Ties are 0 (see `together`); a difference is larger than the fuzziness by more than the rounding of its pair.
        If the larger values of the pairs are given, fuzziness is relative to them.
        """
        # lists with an array (queries, pairs) for each measure
        known = [~np.isnan(values) for values in differences]
        sign = [np.sign(values) for values in differences]
        scale = [(self.scale or {}).get(label, 1.0) for label in self.measures]
        size = [np.abs(values) * factor for values, factor in zip(differences, scale)]
        if larger is not None:
            with np.errstate(invalid="ignore"):  # an infinite difference stays infinite
                size = [
                    np.where(np.isinf(one), one, share(one, values * factor))
                    for one, values, factor in zip(size, larger, scale)
                ]
        most = [
            np.fmax.reduce(np.where(np.isinf(one), np.nan, one), axis=0, initial=0.0)
            for one in size
        ]
        for k, (i, j) in enumerate(zip(self.a.tolist(), self.b.tolist())):
            both = known[i] & known[j]
            self.pairs[k] += both.sum(axis=1)
            for f, least in enumerate(self.fuzziness):
                agrees = sign[i] == sign[j]
                if least > 0:  # opposite signs are forgiven, unless both differences are larger
                    beyond = [size[m] > least + NOISE * np.maximum(most[m], least) for m in (i, j)]
                    agrees = ~((sign[i] * sign[j] < 0) & beyond[0] & beyond[1])
                self.agreeing[f, k] += (both & agrees).sum(axis=1)
            x, y = (np.where(both, differences[m], 0.0) for m in (i, j))
            with np.errstate(invalid="ignore"):  # an infinite difference has no correlation
                for moment, product in enumerate((x * x, y * y, x * y)):
                    self.sums[moment, k] += product.sum(axis=1)

    def frame(self, queries: pd.Index | None = None) -> pd.DataFrame:
        """Return the rates as a tidy frame, over all queries together or, where they are given, for each."""
        pairs, agreeing, sums = self.pairs, self.agreeing, self.sums
        if queries is None:
            pairs, agreeing, sums = (
                part.sum(axis=-1, keepdims=True) for part in (pairs, agreeing, sums)
            )
        # by pair of measures, then query, then fuzziness
        level, pair, query = (
            axis.transpose(1, 2, 0).ravel() for axis in np.indices(agreeing.shape)
        )
        names = pd.Index(self.measures)
        return pd.DataFrame(
            {
                **({} if queries is None else {str(queries.name): labels(queries, query)}),
                "measure_a": labels(names, self.a[pair]),
                "measure_b": labels(names, self.b[pair]),
                "fuzziness": np.array(self.fuzziness)[level],
                "pairs": pairs[pair, query],
                "agreement": share(agreeing[level, pair, query], pairs[pair, query], np.nan),
                "r": about_zero(*sums)[pair, query],
            }
        )


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
        # two square roots: the product of the sums may overflow
        known = (np.minimum(xx, yy) > 0) & np.isfinite(xx) & np.isfinite(yy)
        r = np.divide(xy, np.sqrt(np.where(known, xx, 1.0)) * np.sqrt(np.where(known, yy, 1.0)))
    return np.where(known, np.clip(r, -1.0, 1.0), np.nan)


def fuzziness_of(given: float | Sequence[float]) -> tuple[float, ...]:
    """Return the requested fuzziness values, after checks.

    Examples
    --------
    >>> fuzziness_of(0.01), fuzziness_of([0, 0.01])
    ((0.01,), (0.0, 0.01))
    """
    values = tuple(float(value) for value in np.atleast_1d(np.asarray(given, dtype=np.float64)))
    if not values or not all(0 <= value < np.inf for value in values):
        raise ValueError(f"fuzziness={given!r}: expected one or more non-negative numbers.")
    return values


@verb(on=("scores", "preferences", "judged"), per_measure="tables", returns="sign_agreement")
def agree(
    data: ScoresLike,
    measures: object = ("RPP", "AP"),
    *,
    fuzziness: float | Sequence[float] = 0.0,
    relative: bool = False,
    per: Per = "all",
    baseline: object = None,
    pairs: object = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return how often two measures prefer the same run of a pair on the same query, for all pairs of measures.

    With fuzziness 0, two measures agree on a pair where the signs of their differences are equal: two ties agree, a
    tie and a preference do not. With fuzziness D > 0, they disagree only where the signs are opposite and both
    differences are larger than D. Values that differ by rounding only, 1e-12 of their size, are tied.

    The correlation is taken about zero, r = sum xy / sqrt(sum x^2 sum y^2): a pair has no first run, so r does not
    depend on which of the two is subtracted from the other, as Pearson's would.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        ... At least two are needed.
    fuzziness : float or list of float
        Threshold of differences. If it is positive, two measures disagree only if their signs are opposite and both
        differences are larger. Several values give one row each.
    relative : bool
        Whether fuzziness is relative to the larger of both values (0.01 is one percent) instead of absolute; for
        measures of one ranking.
    baseline : run, optional
        Only pairs of a run with this one.

    References
    ----------
    Shokouhi, Yilmaz, Craswell and Robertson 2009, Table 1; Diaz and Ferraro 2022, Figure 5.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.agree(["AP", "RPP", "RR"]).round(3)
      measure_a measure_b  fuzziness  pairs  agreement      r
    0        AP       RPP        0.0   3168      0.913  0.914
    1        AP        RR        0.0   3168      0.367  0.579
    2       RPP        RR        0.0   3168      0.352  0.514
    """
    stream = stream_of(data, measures, baseline=baseline, pairs=pairs)
    tally = Tally(stream.measures, len(stream.queries), fuzziness_of(fuzziness), attrs=stream.attrs)
    count(tally, stream, relative=relative, progress=progress)
    return described_frame(
        tally.frame(stream.queries if per == "query" else None),
        {**stream.attrs, **({"relative": True} if relative else {})},
    )


@verb(
    on="judged",
    returns="label_agreement",
    family="agree",
    name="labels",
    needs="relevant",
    grouped=False,
)
def agree_with_labels(
    judged: Judged,
    labeled: object,
    measures: object = ("RPP", "AP", "nDCG", "RR"),
    *,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return how often each measure agrees with labeled preferences of users or assessors.

    A measure agrees with a label if both prefer the same run. A tie agrees with a tie only, as in the sign agreement of
    Diaz and Ferraro 2022. The interval treats queries as the unit, because labels on one query depend on each other.

    Parameters
    ----------
    labeled : DataFrame or bound accessor
        Labeled preferences: query, run_a, run_b, and `label` (1: run_a is preferred, -1: run_b, 0: a tie) or `winner`
        ("a", "b", "tie", or the run). Pairs may be in either order, and may have several labels, e.g. of several
        assessors. Rows without a label are dropped. Also preferences of one measure, as returned by `prefer` or
        `credits.ireval.preferences()`.
    measures : str, Measure, or list of them
        Measures and preferences.
    confidence : float, default 0.95
        Confidence level of the interval: Student's, with the standard error of a ratio of sums over queries.

    References
    ----------
    Diaz and Ferraro 2022, sections 3.3 and 7; Sanderson, Paramita, Clough and Kanoulas 2010.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> people = judged.prefer("invRPP", baseline="bm25")
    >>> judged.agree.labels(people, ["RPP", "RR"]).round(3)
      measure  queries  labels  agreement  ci_low  ci_high   tied
    0     RPP       48     528      0.881   0.850    0.911  0.027
    1      RR       48     528      0.434   0.328    0.539  0.525
    """
    parsed = parse_all(measures)
    check_populations(judged.positions, parsed)
    topic, a, b, sign = labeled_pairs(
        judged.positions, labeled, str(judged.queries.name), ties=True
    )
    if not len(sign):
        raise ValueError("there are no labeled preferences. Pass at least one row with a label.")
    # each pair of runs once, in one order
    first, second = np.minimum(a, b), np.maximum(a, b)
    n_runs = len(judged.runs)
    pairs, column = np.unique(first * n_runs + second, return_inverse=True)
    label = np.where(a <= b, sign, -sign)
    views = Views(judged)
    rows = []
    for measure in parsed:
        difference = clear_pairs(views, measure, pairs // n_runs, pairs % n_runs)[topic, column]
        counts = views.counted(measure)
        used = counts[topic, first] & counts[topic, second] & ~np.isnan(difference)
        rows.append(_rate_over_queries(np.sign(difference), label, topic, used, confidence))
    names = labels(pd.Index([measure.label for measure in parsed]), np.arange(len(parsed)))
    frame = pd.DataFrame(rows)
    frame.insert(0, "measure", names)
    return described_frame(frame, attributes(judged, parsed))


def _rate_over_queries(
    sign: np.ndarray, label: np.ndarray, topic: np.ndarray, used: np.ndarray, confidence: float
) -> dict[str, float]:
    """Return the fraction of labels with the same sign, with its interval over queries, and the fraction of ties."""
    if not used.any():
        raise ValueError("no labeled preference is on a query that counts for both of its runs.")
    agrees = (sign == label)[used] * 1.0
    _, query = np.unique(topic[used], return_inverse=True)
    size = np.bincount(query)
    n, rate = len(size), float(agrees.mean())
    half = np.nan
    if n > 1:
        residual = np.bincount(query, agrees) - rate * size
        error = np.sqrt((residual**2).sum() * n / (n - 1)) / len(agrees)
        half = float(special.stdtrit(n - 1, (1 + confidence) / 2) * error)
    return {
        "queries": n,
        "labels": len(agrees),
        "agreement": rate,
        "ci_low": max(rate - half, 0.0) if n > 1 else np.nan,
        "ci_high": min(rate + half, 1.0) if n > 1 else np.nan,
        "tied": float((sign[used] == 0).mean()),
    }


def count(
    tally: Tally, stream: Stream, *, relative: bool = False, progress: bool | None = None
) -> None:
    """Count all pairs of a stream, block by block; with fuzziness relative to the larger values if `relative`."""
    larger = larger_values(stream) if relative else None
    first = 0
    for block in together(stream, desc="agreement", progress=progress):
        last = first + block[0].shape[1]
        tally.add(block, larger and larger(slice(first, last)))
        first = last
