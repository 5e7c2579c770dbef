"""Segments: what groups of queries or users get, how far apart they are, and which of two runs each prefers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog.directions import limits_of
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.grouped import GroupedCube, grouped_cube
from pdeval.evaluate.groups import Metadata, with_groups
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held
from pdeval.significance.corrections import Correction, adjust, which_correction
from pdeval.significance.paired_differences import Pairs, finite
from pdeval.significance.test_result import describe, ratio, student_interval
from pdeval.tables.equal_values import settled
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import TooFew


def welch_gap(
    one: tuple[np.ndarray, np.ndarray, np.ndarray], two: tuple[np.ndarray, np.ndarray, np.ndarray], confidence: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the difference of two means, Welch's interval of it and his p; NaN of a sample of one.

    Parameters
    ----------
    one, two : (ndarray, ndarray, ndarray)
        Number, mean and standard deviation of each sample.

    Examples
    --------
    >>> found = welch_gap((np.array([9]), np.array([0.5]), np.array([0.1])), (np.array([4]), np.array([0.3]),
    ...                   np.array([0.1])), 0.95)
    >>> [value.round(3).tolist() for value in found]
    [[0.2], [0.052], [0.348], [0.017]]
    """
    from scipy import special

    (n, mean, sd), (m, other, spread) = one, two
    with np.errstate(invalid="ignore"):
        a, b = np.where(n > 1, np.square(sd) / n, np.nan), np.where(m > 1, np.square(spread) / m, np.nan)
        se = np.sqrt(a + b)
        df = np.where(se == 0, n + m - 2.0, np.square(a + b) / (np.square(a) / (n - 1) + np.square(b) / (m - 1)))
        gap = mean - other
        half = special.stdtrit(df, (1 + confidence) / 2) * se
        p = 2 * special.stdtr(df, -np.abs(ratio(gap, se)))
    return gap, gap - half, gap + half, np.where(np.isnan(se), np.nan, p)


def of_others(own: np.ndarray) -> np.ndarray:
    """Return number, mean and standard deviation of all queries but those of each segment."""
    n, mean, sd = own
    mean = np.where(n > 0, mean, 0.0)
    square = np.where(n > 1, np.square(sd) * (n - 1), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        count = n.sum(axis=0) - n
        centre = (n * mean).sum(axis=0) / n.sum(axis=0)
        other = centre - n * (mean - centre) / count
        whole = (square + n * np.square(mean - centre)).sum(axis=0)
        left = whole - square - n * np.square(mean - centre) - count * np.square(other - centre)
        spread = np.sqrt(np.maximum(left, 0.0) / (count - 1))
    return np.stack([count, np.where(count > 0, other, np.nan), np.where(count > 1, spread, np.nan)])


def interval_of(n: np.ndarray, mean: np.ndarray, sd: np.ndarray, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    """Return Student's interval of a mean; NaN of one value."""
    low, high = student_interval(np.maximum(n, 2), mean, sd, confidence)
    return np.where(n > 1, low, np.nan), np.where(n > 1, high, np.nan)


def paired_p(n: np.ndarray, mean: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Return p of the paired t-test; NaN of one query."""
    from scipy import special

    size = np.maximum(n, 2)
    p = 2 * special.stdtr(size - 1, -np.abs(ratio(mean, sd / np.sqrt(size))))
    return np.where(n > 1, p, np.nan)


ON = ("scores", "preferences", "judged")
GAP = "gap:float gap_low:float gap_high:float gap_p:float gap_p_adjusted:float gap_significant:bool"
GAPS = (
    "n_a:int n_b:int gap:float ci_low:float ci_high:float p_value:float p_adjusted:float significant:bool largest:bool"
)
ABOUT = {
    "n": "number of queries of the segment; of one query there is no interval",
    "gap": "mean of the segment less the mean of all other queries",
    "gap_low": "lower end of Welch's interval of the gap",
    "gap_high": "upper end of it",
    "gap_p": "p of no gap, by Welch's test",
    "gap_p_adjusted": "corrected for all gaps of the measure",
    "gap_significant": "whether gap_p_adjusted is below alpha",
}
BETWEEN = {
    "segment_a": "the first segment",
    "segment_b": "the second segment",
    "n_a": "queries of the first segment",
    "n_b": "queries of the second segment",
    "gap": "mean of the first segment less the mean of the second",
    "ci_low": "lower end of Welch's interval",
    "ci_high": "upper end of it",
    "p_value": "p of no gap, by Welch's test",
    "p_adjusted": "p-value corrected for all gaps of the measure",
    "largest": "whether no two segments of at least two queries are farther apart",
}
table(
    "segments",
    f"run measure n:int mean:float ci_low:float ci_high:float {GAP}",
    "table of segments",
    known_by="measure mean gap gap_p",
    row="segment (under its own column), run and measure",
    sort="measure run",
    then=".report()",
    means=ABOUT | {"mean": "mean of the segment's queries, in the measure's own unit"},
)
table(
    "segment_differences",
    f"run_a run_b measure n:int difference:float ci_low:float ci_high:float p_value:float p_adjusted:float "
    f"significant:bool prefers {GAP}",
    "table of differences per segment",
    known_by="run_a run_b measure difference prefers gap",
    row="segment (under its own column), pair of runs and measure",
    sort="measure run_a run_b",
    then=".report()",
    means=ABOUT
    | {
        "difference": "mean of the segment's paired differences; positive where run_a is better",
        "p_value": "of no difference within the segment, by the paired t-test",
        "p_adjusted": "corrected for all segments and pairs of the measure",
        "prefers": "'a' or 'b' where the segment's difference is significant, else 'neither'",
        "gap": "the segment's difference less that of all other queries",
    },
)
table(
    "segment_gaps",
    f"run measure segment_a segment_b {GAPS}",
    "table of gaps between segments",
    known_by="measure segment_a segment_b gap largest",
    row="run, measure and pair of segments",
    sort="measure run",
    then=".report()",
    means=BETWEEN,
)
table(
    "segment_difference_gaps",
    f"run_a run_b measure segment_a segment_b {GAPS}",
    "table of gaps between the differences of segments",
    known_by="run_a run_b measure segment_a segment_b gap largest",
    row="pair of runs, measure and pair of segments",
    sort="measure run_a run_b",
    then=".report()",
    means=BETWEEN | {"gap": "difference of the two runs in the first segment less that in the second"},
)


@dataclass(frozen=True)
class _Described:
    """Number, mean and standard deviation, (segments, columns) each, and what names the columns."""

    n: np.ndarray
    mean: np.ndarray
    sd: np.ndarray
    rest: tuple[np.ndarray, np.ndarray, np.ndarray]
    measure: str
    limits: tuple[float, float]  # of a mean

    @property
    def gap_limits(self) -> tuple[float, float]:
        """The least and the largest gap between two means."""
        low, high = self.limits
        return low - high, high - low


@verb(on=ON, gives=("segments", "segment_differences"))
def segments(
    held: Held,
    measures: object = MEASURES,
    *,
    by: str | Sequence[str],
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    baseline: object = None,
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
    confidence: float = 0.95,
    replicate: str | Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return what each segment of the queries or users gets, and how far it is from all others.

    Of scores: the mean of each run in each segment. With a baseline, or of preferences: the paired difference of two
    runs within each segment, and which of the two it prefers.

    Parameters
    ----------
    by : str or list of str
        The column(s) that tell segments apart.
    baseline : run, tuple of ids, or list of them, optional
        Compare all other runs with this one, which is then `run_b`.
    correction : str or None
        ... Tests of gaps and tests of differences are corrected separately.
    confidence : float
        ... They are not corrected for the number of comparisons.

    Raises
    ------
    KeyError
        No such column to group by.
    ValueError
        A single segment.

    Notes
    -----
    A segment of one query has its mean, n = 1, and no interval or test.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
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
    >>> found = thirds.ireval.segments(by="group", baseline="bm25")
    >>> found[["group", "run_a", "run_b", "n", "difference", "p_adjusted", "prefers", "gap", "gap_p"]].round(3)
      group   run_a run_b   n  difference  p_adjusted  prefers    gap  gap_p
    0     x  hybrid  bm25  15       0.139       0.078  neither -0.053  0.402
    1     y  hybrid  bm25  16       0.188       0.000        a  0.019  0.707
    2     z  hybrid  bm25  17       0.195       0.000        a  0.031  0.541
    """
    alpha, confidence = arguments.share("alpha", alpha), arguments.share("confidence", confidence)
    name = which_correction(correction)
    found, pairs = _read(held, measures, by, replicate, baseline, metadata)
    frames = []
    for one in _described(found, pairs):
        group, item = np.indices(one.n.shape).reshape(2, -1)
        kept = one.n.ravel() > 0
        group, item = group[kept], item[kept]
        at = (group, item)
        low, high = np.clip(interval_of(one.n[at], one.mean[at], one.sd[at], confidence), *one.limits)
        columns: dict[str, Any] = _names(found, pairs, item) | {"measure": one.measure, "n": one.n[at]}
        if pairs is None:
            columns |= {"mean": one.mean[at], "ci_low": low, "ci_high": high}
        else:
            p = paired_p(one.n[at], one.mean[at], one.sd[at])
            adjusted = _together(p, name, alpha)
            side = np.where(adjusted < alpha, np.sign(one.mean[at]), 0.0).astype(np.int64)
            columns |= {"difference": one.mean[at], "ci_low": low, "ci_high": high, "p_value": p}
            columns |= {"p_adjusted": adjusted, "significant": adjusted < alpha}
            columns["prefers"] = np.array(["neither", "a", "b"], dtype=object)[side]
        rest = tuple(values[at] for values in one.rest)
        gap, *ends, p = welch_gap((one.n[at], one.mean[at], one.sd[at]), rest, confidence)  # type: ignore[arg-type]
        gap_low, gap_high = np.clip(ends, *one.gap_limits)
        columns |= {"gap": gap, "gap_low": gap_low, "gap_high": gap_high, "gap_p": p}
        columns["gap_p_adjusted"] = _together(p, name, alpha)
        columns["gap_significant"] = columns["gap_p_adjusted"] < alpha
        frames.append(pd.DataFrame({**columns, "_group": group}))
    frame = pd.concat(frames)
    order = np.argsort(frame["_group"].to_numpy(), kind="stable")
    code = frame.pop("_group").to_numpy()[order]
    frame = frame.take(order).reset_index(drop=True)
    frame.attrs = _said(found, name, alpha, confidence)
    return with_groups(frame, found.by, code)


@verb(
    on=("scores", "preferences", "judged"),
    gives=("segment_gaps", "segment_difference_gaps"),
    family="segments",
    name="gaps",
)
def segment_gaps(
    held: Held,
    measures: object = MEASURES,
    *,
    by: str | Sequence[str],
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    baseline: object = None,
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
    confidence: float = 0.95,
    replicate: str | Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return how far any two segments are apart: of each run's means, or of the differences of two runs.

    Segments share no query, so the test is Welch's, of two independent samples.

    Parameters
    ----------
    by : str or list of str
        The column(s) that tell segments apart.
    baseline : run, tuple of ids, or list of them, optional
        Gaps between the differences of all other runs to this one.
    correction : str or None
        ... All gaps of a measure are corrected together.
    confidence : float
        ... They are not corrected for the number of comparisons.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> one = scores[scores["run"] == "bm25"]
    >>> thirds = one.assign(group=(one["query_id"].astype(int) % 3).map({0: "x", 1: "y", 2: "z"}))
    >>> gaps = thirds.ireval.segments.gaps(by="group")
    >>> gaps[["run", "segment_a", "segment_b", "gap", "ci_low", "ci_high", "p_adjusted", "largest"]].round(3)
        run segment_a segment_b    gap  ci_low  ci_high  p_adjusted  largest
    0  bm25         x         y -0.058  -0.174    0.058       0.937     True
    1  bm25         x         z -0.013  -0.129    0.103       1.000    False
    2  bm25         y         z  0.045  -0.063    0.154       1.000    False
    """
    alpha, confidence = arguments.share("alpha", alpha), arguments.share("confidence", confidence)
    name = which_correction(correction)
    found, pairs = _read(held, measures, by, replicate, baseline, metadata)
    first, second = np.triu_indices(len(found), k=1)
    names = pd.Index(found.names)
    frames = []
    for one in _described(found, pairs):
        sides = [tuple(values[side].T.ravel() for values in (one.n, one.mean, one.sd)) for side in (first, second)]
        item = np.repeat(np.arange(one.n.shape[1]), len(first))
        gap, *ends, p = welch_gap(sides[0], sides[1], confidence)  # type: ignore[arg-type]
        low, high = np.clip(ends, *one.gap_limits)
        size = np.where(np.isnan(p), -np.inf, np.abs(gap)).reshape(-1, len(first))
        largest = (size == size.max(axis=1)[:, None]) & np.isfinite(size)
        adjusted = _together(p, name, alpha)
        columns: dict[str, Any] = _names(found, pairs, item) | {"measure": one.measure}
        columns |= {"segment_a": labels(names, np.tile(first, one.n.shape[1]))}
        columns |= {"segment_b": labels(names, np.tile(second, one.n.shape[1]))}
        columns |= {"n_a": sides[0][0], "n_b": sides[1][0], "gap": gap, "ci_low": low, "ci_high": high, "p_value": p}
        columns |= {"p_adjusted": adjusted, "significant": adjusted < alpha, "largest": largest.ravel()}
        made = pd.DataFrame(columns)
        frames.append(made[(made["n_a"] > 0) & (made["n_b"] > 0)])
    frame = pd.concat(frames, ignore_index=True)
    frame.attrs = _said(found, name, alpha, confidence)
    return frame


def _read(
    held: Held, measures: object, by: object, replicate: object, baseline: object, metadata: Metadata
) -> tuple[GroupedCube, Pairs | None]:
    found = grouped_cube(held, measures, by, replicate, metadata)
    if len(found) < 2:
        raise TooFew(
            f"segments are compared with each other; {' and '.join(found.by.columns)} has only {found.names[0]!r}."
        )
    paired = baseline is not None or not isinstance(found.source, Scores)
    return found, Pairs.of(found.source, baseline=baseline) if paired else None


def _described(found: GroupedCube, pairs: Pairs | None) -> list[_Described]:
    """Return what the segments of each measure have: of the runs' values, or of the pairs' differences."""
    made = []
    for measure, label in enumerate(found.source.measures):
        if pairs is None:
            blocks = [(slice(None), settled(finite(found.source.values[measure], label)))]
        else:
            blocks = list(pairs.blocks(measure))  # type: ignore[arg-type]
        width = len(found.source.runs) if pairs is None else len(pairs)
        own = np.full((3, len(found), width), np.nan)
        rest = np.full((3, len(found), width), np.nan)
        for numbers, values in blocks:
            limits = limits_of(label, values, found.source.attrs) if pairs is None else pairs.limits(measure, values)
            own[:, :, numbers] = np.stack([describe(values[part]) for part in found.slices()], axis=1)
            rest[:, :, numbers] = of_others(own[:, :, numbers])
        made.append(_Described(own[0].astype(np.int64), own[1], own[2], tuple(rest), label, limits))  # type: ignore[arg-type]
    return made


def _together(p: np.ndarray, correction: str, alpha: float) -> np.ndarray:
    return adjust(p, np.zeros(len(p), dtype=np.int64), correction=correction, alpha=alpha)


def _names(found: GroupedCube, pairs: Pairs | None, item: np.ndarray) -> dict[str, Any]:
    runs = found.source.runs
    if pairs is None:
        return {str(name): labels(runs[name], item) for name in runs.columns}
    sides = (("a", pairs.a[item]), ("b", pairs.b[item]))
    return {f"{name}_{side}": labels(runs[name], rows) for side, rows in sides for name in runs.columns}


def _said(found: GroupedCube, correction: str, alpha: float, confidence: float) -> dict[Any, Any]:
    left = {name: value for name, value in found.source.attrs.items() if name not in ("by", "collections", "table")}
    return left | {"correction": correction, "alpha": alpha, "confidence": confidence}
