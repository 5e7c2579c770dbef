"""Segments: means of groups of queries or users, gaps between them, and the run that each group prefers."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import limits_of
from pdeval.evaluate import (
    MEASURES,
    GroupedCube,
    Metadata,
    Scores,
    ScoresLike,
    described_frame,
    finite,
    grouped_cube,
)
from pdeval.significance.corrections import Correction, which_correction
from pdeval.significance.over_collections import rules_of, sorted_by_group
from pdeval.significance.paired_differences import Pairs
from pdeval.significance.registry import simultaneous, student_interval, student_test
from pdeval.tables import describe, labels, ratio, settled, table
from pdeval.verbs import TooFew, special, verb


def welch_gap(
    one: Sequence[np.ndarray] | np.ndarray,
    two: Sequence[np.ndarray] | np.ndarray,
    limits: tuple[float, float] = (-np.inf, np.inf),
    *,
    correction: str = "none",
    alpha: float = 0.05,
    confidence: float = 0.95,
) -> dict[str, np.ndarray]:
    """Return differences of two means, their Welch intervals and tests, one family; NaN for a sample of one.

    Parameters
    ----------
    one, two : sequence of three ndarrays
        Number, mean and standard deviation of each sample.
    limits : tuple of float
        Smallest and largest possible mean.

    Examples
    --------
    >>> gap = welch_gap((np.array([9]), np.array([0.5]), np.array([0.1])), (np.array([4]), np.array([0.3]),
    ...                 np.array([0.1])))
    >>> [gap[name].round(3).item() for name in ("difference", "ci_low", "ci_high", "p_value")]
    [0.2, 0.052, 0.348, 0.017]
    """
    (n, mean, sd), (m, other, spread) = one, two
    with np.errstate(invalid="ignore"):
        a = np.where(n > 1, np.square(sd) / n, np.nan)
        b = np.where(m > 1, np.square(spread) / m, np.nan)
        se = np.sqrt(a + b)
        df = np.where(
            se == 0,
            n + m - 2.0,
            np.square(a + b) / (np.square(a) / (n - 1) + np.square(b) / (m - 1)),
        )
        gap = mean - other
        p = np.where(np.isnan(se), np.nan, 2 * special.stdtr(df, -np.abs(ratio(gap, se))))

    def interval(level: float) -> np.ndarray:
        half = special.stdtrit(df, (1 + level) / 2) * se
        return np.stack([gap - half, gap + half])

    far = limits[1] - limits[0]
    return simultaneous(
        gap,
        p,
        interval,
        correction=correction,
        alpha=alpha,
        confidence=confidence,
        limits=(-far, far),
    )


def of_others(described: np.ndarray) -> np.ndarray:
    """Return number, mean and standard deviation of all queries outside each segment."""
    n, mean, sd = described
    mean = np.where(n > 0, mean, 0.0)
    square = np.where(n > 1, np.square(sd) * (n - 1), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        count = n.sum(axis=0) - n
        center = (n * mean).sum(axis=0) / n.sum(axis=0)
        # means and squares of the others from those of all minus those of the segment
        other = center - n * (mean - center) / count
        total = (square + n * np.square(mean - center)).sum(axis=0)
        left = total - square - n * np.square(mean - center) - count * np.square(other - center)
        spread = np.sqrt(np.maximum(left, 0.0) / (count - 1))
    return np.stack(
        [count, np.where(count > 0, other, np.nan), np.where(count > 1, spread, np.nan)]
    )


GAP = "gap:float gap_low:float gap_high:float gap_p:float gap_p_adjusted:float gap_significant:bool"
GAP_COLUMNS = tuple(part.partition(":")[0] for part in GAP.split())
GAPS = (
    "n_a:int n_b:int gap:float ci_low:float ci_high:float p_value:float p_adjusted:float significant:bool "
    "largest:bool"
)
ABOUT = {
    "n": "number of queries of the segment; a single query has no interval",
    "gap": "mean of the segment minus the mean of all other queries",
    "gap_low": "lower end of Welch's interval of the gap, simultaneous if p-values are corrected",
    "gap_high": "upper end of this interval",
    "gap_p": "p-value of no gap, by Welch's test",
    "gap_p_adjusted": "p-value corrected for all gaps of the measure",
    "gap_significant": "whether gap_p_adjusted is below alpha",
}
BETWEEN = {
    "segment_a": "the first segment",
    "segment_b": "the second segment",
    "n_a": "number of queries of the first segment",
    "n_b": "number of queries of the second segment",
    "gap": "mean of the first segment minus the mean of the second",
    "ci_low": "lower end of Welch's interval, simultaneous if p-values are corrected",
    "ci_high": "upper end of this interval",
    "p_value": "p-value of no gap, by Welch's test",
    "p_adjusted": "p-value corrected for all gaps of the measure",
    "largest": "whether this is the largest gap between segments of at least two queries",
}
table(
    "segments",
    f"run measure n:int mean:float ci_low:float ci_high:float {GAP}",
    "table of segments",
    recognized_by="measure mean gap gap_p",
    row="segment (under its own column), run and measure",
    sort="measure run",
    then=".report()",
    means=ABOUT | {"mean": "mean of the queries of the segment, in the unit of the measure"},
)
table(
    "segment_differences",
    f"run_a run_b measure n:int difference:float ci_low:float ci_high:float p_value:float p_adjusted:float "
    f"significant:bool better {GAP}",
    "table of differences per segment",
    recognized_by="run_a run_b measure difference better gap",
    row="segment (under its own column), pair of runs and measure",
    sort="measure run_a run_b",
    then=".report()",
    means=ABOUT
    | {
        "difference": "mean of the paired differences in the segment; positive if run_a is better",
        "p_value": "p-value of no difference within the segment, by the paired t-test",
        "p_adjusted": "p-value corrected for all segments and pairs of the measure",
        "better": "'a' or 'b' if the difference in the segment is significant, else 'neither'",
        "gap": "difference in the segment minus that of all other queries",
    },
)
table(
    "segment_gaps",
    f"run measure segment_a segment_b {GAPS}",
    "table of gaps between segments",
    recognized_by="measure segment_a segment_b gap largest",
    row="run, measure and pair of segments",
    sort="measure run",
    then=".report()",
    means=BETWEEN,
)
table(
    "segment_difference_gaps",
    f"run_a run_b measure segment_a segment_b {GAPS}",
    "table of gaps between the differences of segments",
    recognized_by="run_a run_b measure segment_a segment_b gap largest",
    row="pair of runs, measure and pair of segments",
    sort="measure run_a run_b",
    then=".report()",
    means=BETWEEN
    | {"gap": "difference of the two runs in the first segment minus that in the second"},
)


@verb(on=("scores", "preferences", "judged"), returns=("segments", "segment_differences"))
def segments(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    by: str | Sequence[str],
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    baseline: object = None,
    correction: Correction | None = "holm",
    alpha: float = 0.05,
    confidence: float = 0.95,
    replicate: str | Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return the mean of each segment of the queries or users, and its gap to all other queries.

    For scores: the mean of each run in each segment. With a baseline, or for preferences: the paired difference of two
    runs within each segment, and the preferred run.

    Parameters
    ----------
    by : str or list of str
        Column(s) that identify segments.
    baseline : run, tuple of ids, or list of them, optional
        Compare each run only with this one, which becomes `run_b`.
    correction : str or None
        ... Tests of gaps and tests of differences are corrected separately, each over all segments. Holm's is the
        default: segments may have few queries, for which max-t does not hold its level.
    confidence : float
        ... Those of gaps and differences are simultaneous, as in `compare`; that of the mean of a run is not.

    Raises
    ------
    KeyError
        No such column to group by.
    ValueError
        Only one segment.

    Notes
    -----
    A segment with one query has a mean, but no interval and no test.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> two = scores[scores["run"].isin(["bm25", "hybrid"])]
    >>> thirds = two.assign(group=(two["query_id"].astype(int) % 3).map({0: "x", 1: "y", 2: "z"}))
    >>> thirds.ireval.segments(by="group")[["group", "run", "n", "mean", "ci_low", "ci_high", "gap", "gap_p"]].round(3)
      group     run   n   mean  ci_low  ci_high    gap  gap_p
    0     x    bm25  15  0.300   0.209    0.391 -0.035  0.491
    1     x  hybrid  15  0.439   0.309    0.568 -0.088  0.214
    2     y    bm25  16  0.358   0.278    0.438  0.051  0.280
    3     y  hybrid  16  0.546   0.456    0.636  0.070  0.226
    4     z    bm25  17  0.313   0.233    0.393 -0.017  0.718
    5     z  hybrid  17  0.508   0.403    0.612  0.014  0.821
    >>> result = thirds.ireval.segments(by="group", baseline="bm25")
    >>> result[["group", "run_a", "run_b", "n", "difference", "p_adjusted", "better", "gap", "gap_p"]].round(3)
      group   run_a run_b   n  difference  p_adjusted better    gap  gap_p
    0     x  hybrid  bm25  15       0.139       0.026      a -0.053  0.402
    1     y  hybrid  bm25  16       0.188       0.000      a  0.019  0.707
    2     z  hybrid  bm25  17       0.195       0.000      a  0.031  0.541
    """
    family: dict[str, Any] = {
        "correction": which_correction(correction),
        "alpha": alpha,
        "confidence": confidence,
    }
    groups, pairs = _read(data, measures, by, replicate, baseline, metadata)
    frames = []
    for label, described, rest, limits in _described(groups, pairs):
        group, item = np.nonzero(described[0])
        n, mean, sd = (values[group, item] for values in described)
        interval = partial(student_interval, n, mean, sd)
        columns: dict[str, Any] = _names(groups, pairs, item) | {"measure": label, "n": n}
        if pairs is None:
            low, high = np.clip(interval(confidence), *limits)
            columns |= {"mean": mean, "ci_low": low, "ci_high": high}
        else:
            p = student_test(n, mean, sd)[1]
            columns |= simultaneous(mean, p, interval, limits=limits, **family)
            side = np.where(columns["significant"], np.sign(mean), 0.0).astype(np.int64)
            # index -1 is the last element, 'b'
            columns["better"] = np.array(["neither", "a", "b"], dtype=object)[side]
        gap = welch_gap((n, mean, sd), rest[:, group, item], limits, **family)
        columns |= dict(zip(GAP_COLUMNS, gap.values(), strict=True))
        frames.append(pd.DataFrame({**columns, "_group": group}))
    return sorted_by_group(
        pd.concat(frames),
        groups.by,
        rules_of(groups) | family | {"simultaneous": family["correction"] != "none"},
    )


@verb(
    on=("scores", "preferences", "judged"),
    returns=("segment_gaps", "segment_difference_gaps"),
    family="segments",
    name="gaps",
)
def segment_gaps(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    by: str | Sequence[str],
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    baseline: object = None,
    correction: Correction | None = "holm",
    alpha: float = 0.05,
    confidence: float = 0.95,
    replicate: str | Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return the gaps between all pairs of segments: of the means of each run, or of the differences of two runs.

    Segments have no queries in common, so the test is Welch's test of two independent samples.

    Parameters
    ----------
    by : str or list of str
        Column(s) that identify segments.
    baseline : run, tuple of ids, or list of them, optional
        Return the gaps between the differences of each run to this one.
    correction : str or None
        ... All gaps of a measure are corrected together.
    confidence : float
        ... They are simultaneous, as in `compare`.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> one = scores[scores["run"] == "bm25"]
    >>> thirds = one.assign(group=(one["query_id"].astype(int) % 3).map({0: "x", 1: "y", 2: "z"}))
    >>> gaps = thirds.ireval.segments.gaps(by="group")
    >>> gaps[["run", "segment_a", "segment_b", "gap", "ci_low", "ci_high", "p_adjusted", "largest"]].round(3)
        run segment_a segment_b    gap  ci_low  ci_high  p_adjusted  largest
    0  bm25         x         y -0.058  -0.202    0.086       0.937     True
    1  bm25         x         z -0.013  -0.157    0.131       0.937    False
    2  bm25         y         z  0.045  -0.089    0.180       0.937    False
    """
    family: dict[str, Any] = {
        "correction": which_correction(correction),
        "alpha": alpha,
        "confidence": confidence,
    }
    groups, pairs = _read(data, measures, by, replicate, baseline, metadata)
    first, second = np.triu_indices(len(groups), k=1)
    names = pd.Index(groups.names)
    frames = []
    for label, described, _, limits in _described(groups, pairs):
        a, b = ([values[side].T.ravel() for values in described] for side in (first, second))
        gap = welch_gap(a, b, limits, **family)
        difference = gap.pop("difference")
        # the largest gap of each run or pair, among those with a p-value
        size = np.where(np.isnan(gap["p_value"]), -np.inf, np.abs(difference)).reshape(
            -1, len(first)
        )
        largest = (size == size.max(axis=1)[:, None]) & np.isfinite(size)
        items = len(size)
        columns: dict[str, Any] = {
            **_names(groups, pairs, np.repeat(np.arange(items), len(first))),
            "measure": label,
            "segment_a": labels(names, np.tile(first, items)),
            "segment_b": labels(names, np.tile(second, items)),
            "n_a": a[0],
            "n_b": b[0],
            "gap": difference,
            **gap,
            "largest": largest.ravel(),
        }
        frames.append(pd.DataFrame(columns)[(a[0] > 0) & (b[0] > 0)])
    return described_frame(
        pd.concat(frames, ignore_index=True),
        rules_of(groups) | family | {"simultaneous": family["correction"] != "none"},
    )


def _read(
    data: ScoresLike,
    measures: object,
    by: object,
    replicate: object,
    baseline: object,
    metadata: Metadata,
) -> tuple[GroupedCube, Pairs | None]:
    groups = grouped_cube(data, measures, by, replicate, metadata)
    if len(groups) < 2:
        raise TooFew(
            f"segments() needs at least two segments; {' and '.join(groups.by.columns)} has only {groups.names[0]!r}."
        )
    paired = baseline is not None or not isinstance(groups.source, Scores)
    return groups, Pairs.of(groups.source, baseline=baseline) if paired else None


def _described(
    groups: GroupedCube, pairs: Pairs | None
) -> Iterator[tuple[str, list[np.ndarray], np.ndarray, tuple[float, float]]]:
    """Yield, for each measure, its label, the segments, the other queries, and the limits of a mean.

    Segments and others are number, mean and standard deviation, of shape (segments, runs or pairs) each.
    """
    for measure, label in enumerate(groups.source.measures):
        if pairs is None:
            values = settled(finite(groups.source.values[measure], label))
            limits = limits_of(label, values, groups.source.attrs)
            blocks: Any = [(slice(None), values)]
        else:
            blocks = list(pairs.blocks(measure))
            limits = pairs.limits(measure, blocks[-1][1])
        columns = len(groups.source.runs if pairs is None else pairs)
        within, rest = np.full((2, 3, len(groups), columns), np.nan)
        for numbers, values in blocks:
            within[:, :, numbers] = np.stack(
                [describe(values[part]) for part in groups.slices()], axis=1
            )
            rest[:, :, numbers] = of_others(within[:, :, numbers])
        yield label, [within[0].astype(np.int64), *within[1:]], rest, limits


def _names(groups: GroupedCube, pairs: Pairs | None, item: np.ndarray) -> dict[str, Any]:
    """Return the columns of the runs with these numbers, or of both runs of these pairs."""
    return (
        {str(name): labels(column, item) for name, column in groups.source.runs.items()}
        if pairs is None
        else pairs.run_columns(item)
    )
