"""DeltaSort: how far systems move when one measure replaces another (papers on atomized search length)."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.evaluate import (
    Scores,
    ScoresLike,
    averaged,
    described_frame,
    merged_attrs,
    option_columns,
    sources,
)
from pdeval.evaluate.scores import scores
from pdeval.join import Judged
from pdeval.orderings.coefficients import tau_b
from pdeval.orderings.votes import ranks_of_means
from pdeval.significance.paired_differences import Pairs
from pdeval.significance.registry import student_test
from pdeval.tables import NOISE, describe, run_labels, table
from pdeval.verbs import several, verb

STEPS = ("atomize precision", "aggregate within query", "aggregate across queries", "cumulative")

table(
    "delta_sort",
    "measure_old measure_new runs:int delta_sort:float tau_b:float delta_value:float",
    "DeltaSort table",
    row="old and new measure",
    means={
        "runs": "number of runs",
        "delta_sort": "largest move of a run, in ranks per 100 runs",
        "tau_b": "Kendall's tau-b of the two orderings by mean, as order() ranks them; missing if all systems are tied",
        "delta_value": "mean of new / old; the reciprocal of a measure is used if lower is better",
    },
    then=".report()",
    no_plot="it has one row per pair of measures",
)
table(
    "delta_sort_runs",
    "run measure_old measure_new value_old:float value_new:float better_old:int better_new:int delta_sort:float",
    "DeltaSort table of runs",
    recognized_by="measure_old measure_new value_old value_new better_old better_new delta_sort",
    row="run, old and new measure",
    means={
        "value_old": "mean of the old measure",
        "value_new": "mean of the new one",
        "better_old": "number of runs that are better by the old measure",
        "better_new": "number of runs that are better by the new measure",
        "delta_sort": "move of the run, in ranks per 100 runs",
    },
    then=".report()",
    no_plot="it has one row per run and pair of measures",
)


@verb(on=("scores", "judged"), returns=("delta_sort", "delta_sort_runs"), independent=True)
def delta_sort(
    data: ScoresLike,
    new: object,
    *,
    old: object = "AP",
    margin: float = 0.1,
    alpha: float = 0.05,
    per: Literal["all", "run"] = "all",
    replicate: str | Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return how far systems move when one measure replaces another: DeltaSort, Kendall's tau-b and DeltaValue.

    For each system, DeltaSort = 100 |n0 - n1| / systems, n0 and n1 the number of systems better than it under the old
    and the new measure. A system is better when its mean is better by at least `margin` and the two-sided paired
    t-test gives p <= alpha.

    Parameters
    ----------
    new : str, Measure, or list of them
        New measure(s), which replace the old one. A table of scores must contain them.
    old : str, Measure, or list of them
        Old measure, or one old measure for each new one.
    margin : float
        Smallest relevant difference of two means, as a fraction of the mean of the worse system.
    alpha : float
        Significance level of the t-test.
    per : {'all', 'run'}
        Whether to return the largest move of any system, or the move of each system.

    References
    ----------
    Alex, Hall and Metzler, Atomized search length: beyond user models, section 4.4.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.delta_sort(["RR", "ASL"], old="AP").round(3)
      measure_old measure_new  runs  delta_sort  tau_b  delta_value
    0          AP          RR    12      58.333  0.697        2.062
    1          AP         ASL    12       8.333  0.970        0.083
    """
    cubes: list[Any] = []
    for measures in (old, new):
        if isinstance(data, Judged):
            cubes.append(scores(data, parse_all(measures), warn=not cubes))
        else:
            cubes += sources(data, list(map(str, several("measures", measures))))
    if replicate is not None:
        cubes = [
            averaged(cube, option_columns(replicate, "replicate"), warn=cube is cubes[0])
            for cube in cubes
        ]
    return moved(*cubes, margin=margin, alpha=alpha, per=per)


def moved(
    old: Scores,
    new: Scores,
    *,
    margin: float = 0.1,
    alpha: float = 0.05,
    per: Literal["all", "run"] = "all",
) -> pd.DataFrame:
    """Return the moves of the systems from the order by the old scores to the order by the new scores.

    Parameters
    ----------
    old, new : Scores
        Scores of the same runs, matched by run id. Measures are paired in order; a single measure is paired with all
        measures of the other side.
    margin, alpha, per
        See `delta_sort`.

    Examples
    --------
    >>> runs, queries = pd.DataFrame({"run": ["bm25", "lm", "bert"]}), pd.Index([1, 2, 3, 4], name="query_id")
    >>> old = np.array([[[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]]])
    >>> old, new = (Scores(runs, queries, (name,), values, np.array([True]))
    ...             for name, values in (("AP", old), ("RR", old[:, :, ::-1])))
    >>> moved(old, new, per="run")["delta_sort"].round(2).tolist()
    [33.33, 0.0, 33.33]
    """
    new = matched(old, new)
    count = max(len(old.measures), len(new.measures))
    if {len(old.measures), len(new.measures)} - {1, count}:
        raise ValueError(
            f"{len(old.measures)} old measures cannot be paired with {len(new.measures)} new ones. "
            "Pass the same number of both, or a single one on one side."
        )
    sides = [_places(side, margin, alpha) for side in (old, new)]
    # a single measure is paired with all measures of the other side
    pairs = [[side[number % len(side)] for side in sides] for number in range(count)]
    if per == "run":
        frame = pd.concat(
            [
                old.runs.reset_index(drop=True).assign(
                    measure_old=x.measure,
                    measure_new=y.measure,
                    value_old=x.mean,
                    value_new=y.mean,
                    better_old=x.better,
                    better_new=y.better,
                    delta_sort=_distances(x, y),
                )
                for x, y in pairs
            ],
            ignore_index=True,
        )
    else:
        frame = pd.DataFrame([_row(x, y) for x, y in pairs])
    return described_frame(frame, merged_attrs([old.attrs, new.attrs]))


class Places(NamedTuple):
    """The runs by one measure: their means in its unit, the number of better runs, and their ranks by mean."""

    measure: str
    higher: bool
    mean: np.ndarray
    better: np.ndarray
    rank: np.ndarray


def _places(scores: Scores, margin: float, alpha: float) -> list[Places]:
    """Return the places of the runs by each measure."""
    return [
        Places(
            name,
            bool(higher),
            *means_and_better_runs(scores, number, margin, alpha),
            ranks_of_means(scores.values[number], bool(higher)),
        )
        for number, (name, higher) in enumerate(zip(scores.measures, scores.higher))
    ]


def _distances(old: Places, new: Places) -> np.ndarray:
    """Return the move of each run, in ranks per 100 runs."""
    return 100 * np.abs(old.better - new.better) / len(old.better)


def _row(old: Places, new: Places) -> dict[str, Any]:
    """Return the row of the table about two measures."""
    x, y = gain(old.mean, old.higher), gain(new.mean, new.higher)
    return {
        "measure_old": old.measure,
        "measure_new": new.measure,
        "runs": len(x),
        "delta_sort": _distances(old, new).max(),
        "tau_b": tau_b(old.rank, new.rank),
        "delta_value": float(np.mean(y[x > 0] / x[x > 0])) if (x > 0).any() else np.nan,
    }


def moved_along(
    average_precision: Scores,
    asl: np.ndarray,
    precision: np.ndarray,
    *,
    margin: float = 0.1,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Return DeltaSort along the steps from mean average precision to average search length.

    MAP, then the mean over relevant items of 1 / ASL_d (atomized precision), then 1 / ASL_q (the harmonic
    mean within the query), then ASL (the harmonic mean over queries, 1 / ASL), and MAP to ASL at once.

    Parameters
    ----------
    average_precision : Scores
        One measure, AP.
    asl, precision : ndarray of shape (queries, runs)
        Means over the relevant items of ASL_d, and of 1 / ASL_d; missing where a query does not count for a run.
    margin : float
        Smallest relevant difference of two means, as a fraction of the mean of the worse system.
    alpha : float
        Significance level of the t-test.

    Returns
    -------
    DataFrame
        step, then the columns of `delta_sort`.

    Examples
    --------
    >>> runs, queries = pd.DataFrame({"run": ["bm25", "lm"]}), pd.Index([1, 2], name="query_id")
    >>> ap = Scores(runs, queries, ("AP",), np.array([[[1.0, 0.5], [0.75, 0.75]]]), np.array([True]))
    >>> asl = np.array([[1.0, 2.0], [2.0, 2.0]])
    >>> moved_along(ap, asl, 1 / asl)["delta_value"].round(3).tolist()
    [0.829, 1.0, 0.944, 0.781]
    """
    stages = {"atomized precision": precision, "1/ASL per query": 1 / asl, "ASL": asl}
    places = _places(average_precision, margin, alpha)
    for name, values in stages.items():
        higher = np.array([name != "ASL"])
        cube = replace(average_precision, measures=(name,), values=values[None], higher=higher)
        places += _places(cube, margin, alpha)
    links = [*itertools.pairwise(places), (places[0], places[-1])]
    rows = [_row(x, y) for x, y in links]
    return pd.DataFrame([{"step": step, **row} for step, row in zip(STEPS, rows)])


def matched(old: Scores, new: Scores) -> Scores:
    """Return `new` with its runs in the order of `old`, or raise if they are not the same runs."""
    here, there = run_labels(old.runs), run_labels(new.runs)
    if sorted(here) != sorted(there):
        odd = sorted(set(here) ^ set(there))
        raise ValueError(
            f"old and new scores must be of the same runs; {len(odd)} are only on one side, e.g. {', '.join(odd[:3])}."
        )
    order = [there.index(name) for name in here]
    return replace(new, runs=old.runs, values=new.values[:, :, order])


def means_and_better_runs(
    scores: Scores, measure: int, margin: float, alpha: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of each run in the unit of the measure, and the number of runs that are better."""
    pairs = Pairs.of(scores)
    better = np.zeros(len(scores.runs), dtype=np.int64)
    for numbers, D in pairs.blocks(measure, shared=2):
        n, mean, sd = describe(D)
        _, p_value = student_test(n, mean, sd)
        mean_a, mean_b = pairs.sides(measure, numbers, ~np.isnan(D))
        first = mean > 0
        worse = np.where(first, mean_b, mean_a)
        # a difference and a fraction of a mean that are equal on paper may differ in the last digits
        clear = np.abs(mean) >= margin * np.abs(worse) * (1 - NOISE)
        won = clear & (p_value <= alpha)
        better += np.bincount(
            np.where(first, pairs.b[numbers], pairs.a[numbers])[won], minlength=len(better)
        )
    return np.nanmean(scores.values[measure], axis=0), better


def gain(value: np.ndarray, higher: bool) -> np.ndarray:
    """Return the value, or its reciprocal if lower is better."""
    with np.errstate(divide="ignore"):
        return value if higher else 1 / value
