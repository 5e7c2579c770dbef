"""System-level preferences: the mean over queries, as a tidy table or as a square."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate.cube import Preferences, Scores, described_frame, pair_columns, stacked
from pdeval.evaluate.pairs import Pairs, lexicographic, select
from pdeval.evaluate.run_selection import baselines_of
from pdeval.evaluate.scores import Views, add_populations, check_populations, cube_of
from pdeval.evaluate.sources import Held, as_preferences, sources
from pdeval.evaluate.summary import mean_and_sd
from pdeval.join.blocks import Block
from pdeval.join.judged import Judged
from pdeval.kernels.preferences import weights
from pdeval.kernels.primitives import total
from pdeval.tables.equal_values import begins_along, firsts, lasts
from pdeval.tables.labels import labels, run_labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import shown

table(
    "means",
    "run_a run_b measure n:int mean:float sd:float",
    "table of mean preferences",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    then=".report(), .plot()",
    means={"mean": "positive where run_a is the better one"},
)


@verb(on=("preferences", "judged"), gives="means")
def mean(held: Held, measures: object = ("RPP",), *, baseline: object = None) -> pd.DataFrame:
    """Return the mean preference of each pair of runs over the queries.

    Parameters
    ----------
    baseline : run, or list of them, optional
        Only pairs of a run with this one, or with one of these.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").prefer("RPP").ireval.mean().head(2).round(3)
      run_a     run_b measure   n   mean     sd
    0  bm25  bm25+rm3     RPP  48 -0.080  0.473
    1  bm25  dense-s1     RPP  48 -0.356  0.496
    """
    return stacked([of_pairs(one) for one in preferences(held, measures, baseline=baseline)])


def preferences(
    held: Held, measures: object, *, baseline: object = None
) -> list[Preferences | Pairs]:
    """Return the preferences that a table holds or a join gives, of all pairs or of those with a baseline."""
    if isinstance(held, Judged):
        return [select(held, measures, baseline=baseline)]
    cubes = sources(held, measures)
    paired = [cube for cube in cubes if not isinstance(cube, Scores)]
    if len(paired) < len(cubes):
        return [as_preferences(cubes, baseline=baseline)]
    if baseline is None:
        return list(paired)
    return [cube if isinstance(cube, Pairs) else with_baseline(cube, baseline) for cube in paired]


def with_baseline(source: Preferences, baseline: object) -> Preferences:
    """Return the pairs of a table that have the baseline, or one of several, which is then run_b."""
    rows = baselines_of(source.runs, baseline)
    place = np.full(
        len(source.runs), len(rows)
    )  # of each run among the baselines, after them if it is none
    place[rows] = np.arange(len(rows))
    best = np.minimum(place[source.a], place[source.b])
    kept = np.argsort(best, kind="stable")[: np.count_nonzero(best < len(rows))]
    a, b, values = source.a[kept], source.b[kept], source.values[:, :, kept]
    turned = place[a] < place[b]
    return replace(
        source,
        a=np.where(turned, b, a),
        b=np.where(turned, a, b),
        values=np.where(turned, 0.0 - values, values),
    )


def of_pairs(source: Preferences | Pairs) -> pd.DataFrame:
    """Return the mean of each pair of a cube or a stream of preferences."""
    parts = []
    for number, label in enumerate(source.measures):
        part = np.zeros((3, len(source.a)))
        for block, values in source.blocks(number):
            _check_finite(values, label)
            part[:, block] = mean_and_sd(values)
        parts.append(part)
    # measure by measure, all pairs of each
    n, average, sd = np.concatenate(parts, axis=1)
    measure, pair = np.divmod(np.arange(len(n)), max(len(source.a), 1))
    return described_frame(
        {
            **pair_columns(source.runs, source.a[pair], source.b[pair], labels),
            "measure": labels(pd.Index(source.measures), measure),
            "n": n.astype(np.int64),
            "mean": average,
            "sd": sd,
        },
        source.attrs,
    )


def _check_finite(values: np.ndarray, measure: str) -> None:
    endless = int(np.isinf(values).sum())
    if endless:
        raise ValueError(
            f"{measure!r} has {endless:,} infinite preferences, which have no mean: one run never found the item. "
            "Choose a measure with a finite worst case."
        )


@verb(on=("preferences", "judged"), gives="matrix")
def matrix(held: Held, measure: object = None) -> pd.DataFrame:
    """Return the mean preference of row over column as a square frame, antisymmetric.

    Parameters
    ----------
    measure : str or Measure, optional
        Which one; for runs RPP by default, for a preferences table the only one that it has.

    Examples
    --------
    >>> import pdeval
    >>> prefs = pdeval.datasets.sample_judged(topics="common").prefer("RPP")
    >>> prefs.ireval.matrix().iloc[:2, :3].round(3)
    run_b     bm25  bm25+rm3  dense-s1
    run_a
    bm25      0.00     -0.08    -0.356
    bm25+rm3  0.08      0.00    -0.286
    """
    if isinstance(held, Judged):
        source, measure = preferences(held, ["RPP" if measure is None else measure])[0], None
    else:
        source = preferences(held, None)[0]
    names = list(source.measures)
    if measure is None and len(names) > 1:
        raise ValueError(
            f"a matrix shows one measure; the table has {', '.join(names)}. Say which: matrix({names[0]!r})."
        )
    label = names[0] if measure is None else str(measure)
    if label not in names:
        raise KeyError(
            f"no measure {shown(measure)} in this table; it has {', '.join(map(repr, names))}."
        )
    square = np.full((len(source.runs), len(source.runs)), np.nan)
    np.fill_diagonal(square, 0.0)
    for block, values in source.blocks(names.index(label)):
        _check_finite(values, label)
        with np.errstate(invalid="ignore"):
            average = np.nansum(values, axis=0) / (~np.isnan(values)).sum(axis=0)
        a, b = source.a[block], source.b[block]
        square[a, b] = average
        square[b, a] = 0.0 - average
    runs = pd.Index(run_labels(source.runs))
    frame = pd.DataFrame(square, index=runs.rename("run_a"), columns=runs.rename("run_b"))
    frame.attrs.update({**source.attrs, "measure": label})
    return frame


class WinRates(Scores):
    """Scores that are win rates, each the sum of a run's preferences over all others."""


def direct(measure: Measure) -> bool:
    """Return whether a measure's win rates can be had by ranking, without forming pairs.

    Examples
    --------
    >>> import pdeval
    >>> [direct(pdeval.parse(name)) for name in ("RPP", "sgnLP", "rrLP")]
    [True, True, False]
    """
    return measure.entry.family == "metric" or measure.entry.path in (
        "recall-paired",
        "first",
        "last",
    )


def won(values: np.ndarray) -> np.ndarray:
    """Return, along the last axis, how many numbers are larger, less how many are smaller.

    Examples
    --------
    >>> won(np.array([3.0, 1.0, 3.0])).tolist()
    [-1.0, 2.0, -1.0]
    """
    order = np.argsort(values, axis=-1, kind="stable")
    # begins[i]: value i in sorted order differs from the one before; so do the first and the last of a stretch
    begins = begins_along(np.take_along_axis(values, order, axis=-1))
    smaller, larger = firsts(begins), values.shape[-1] - 1 - lasts(begins)
    result = np.empty(values.shape)
    np.put_along_axis(result, order, (larger - smaller).astype(np.float64), axis=-1)
    return result


def _of_scores(values: np.ndarray) -> np.ndarray:
    """Return each run's sum of differences to all other runs, (topics, runs)."""
    lost = np.isinf(values)
    finite = np.where(lost, 0.0, values)
    rates = finite.shape[1] * finite - finite.sum(axis=1, keepdims=True)
    if not lost.any():
        return rates
    # a run that never found the item loses endlessly to those that did, and is level with its like
    mixed = lost.any(axis=1, keepdims=True) & ~lost.all(axis=1, keepdims=True)
    endless = -np.where(lost, values, 0.0).sum(axis=1, keepdims=True)
    return np.where(mixed, np.where(lost, values, endless), rates)


def of_measure(views: Views, measure: Measure) -> np.ndarray:
    """Return each run's sum of preferences over all other runs on every topic, shape (topics, runs).

    Examples
    --------
    >>> import pdeval
    >>> rates = of_measure(Views(pdeval.datasets.sample_judged()), pdeval.parse("RPP"))
    >>> bool(abs(rates.sum()) < 1e-9)
    True
    """
    entry = measure.entry
    if entry.family == "metric":
        values = views.values(measure)
        return _of_scores(values if measure.higher else -values)

    def evaluate(block: Block) -> np.ndarray:
        if entry.path in ("first", "last"):
            return won(lexicographic(block, entry.path))
        weight = weights(measure.parameters.get("weight", entry.weight), block.size)
        return total(weight[:, None, None] * won(block["rank"]))

    result = np.zeros(views.positions.retrieved.shape)
    add_populations(result, views, measure, evaluate)
    return result


def win_rates(judged: Judged, measures: object, *, tell: bool = True) -> WinRates:
    """Return the win rates of every run on every query, as scores.

    Examples
    --------
    >>> import pdeval
    >>> win_rates(pdeval.datasets.sample_judged(topics="common"), "RPP").values.shape
    (1, 48, 12)
    """
    requested = parse_all(measures)
    views = Views(judged)
    for measure in requested:
        if not direct(measure):
            label = measure.label
            raise ValueError(
                f"win rates of {label} need its pairs: use .ireval.prefer(qrels, {label!r})."
            )
    for measure in requested:
        counts = views.counted(measure)
        if not (counts.all(axis=1) == counts.any(axis=1)).all():
            raise ValueError(
                f"under topics={judged.topics!r} runs count on different queries, and win rates need all on the same."
            )
    check_populations(judged.positions, requested)
    cube = cube_of(
        views,
        requested,
        np.stack([of_measure(views, measure) for measure in requested]),
        tell=tell,
    )
    higher = np.ones(len(requested), dtype=bool)  # more wins are better, whatever the measure
    return WinRates(**{**vars(cube), "higher": higher})
