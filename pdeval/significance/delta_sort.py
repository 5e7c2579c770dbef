"""DeltaSort: how far systems move when one measure replaces another (papers on atomized search length)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.evaluate.cube import Scores, merged_attrs
from pdeval.evaluate.groups import named
from pdeval.evaluate.scores import scores
from pdeval.evaluate.sources import Held, averaged, sources
from pdeval.join.judged import Judged
from pdeval.orderings.coefficients import tau_b
from pdeval.orderings.votes import ranks_of_means
from pdeval.significance.paired_differences import Pairs
from pdeval.significance.paired_tests import student
from pdeval.tables.equal_values import NOISE
from pdeval.tables.labels import run_labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb

STEPS = ("atomise precision", "aggregate within query", "aggregate across queries", "cumulative")

table(
    "delta_sort",
    "measure_old measure_new runs:int delta_sort:float tau_b:float delta_value:float",
    "DeltaSort table",
    row="old and new measure",
    means={
        "runs": "number of runs",
        "delta_sort": "the largest move of a run, in places per 100 runs",
        "tau_b": "Kendall's tau-b of the two orderings by mean, as order() ranks them; missing where all systems tie",
        "delta_value": "mean of new / old; a measure where less is better counts with its reciprocal",
    },
    then=".report()",
    undrawn="it has one row per pair of measures",
)
table(
    "delta_sort_runs",
    "run measure_old measure_new value_old:float value_new:float better_old:int better_new:int delta_sort:float",
    "DeltaSort table of runs",
    known_by="measure_old measure_new value_old value_new better_old better_new delta_sort",
    row="run, old and new measure",
    means={
        "value_old": "mean of the old measure",
        "value_new": "mean of the new one",
        "better_old": "number of runs that the old measure finds better",
        "better_new": "number of runs that the new one finds better",
        "delta_sort": "its move, in places per 100 runs",
    },
    then=".report()",
    undrawn="it has one row per run and pair of measures",
)


@verb(on=("scores", "judged"), gives=("delta_sort", "delta_sort_runs"), independent=True)
def delta_sort(
    data: Held,
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
        The measure(s) that replace the old one; of a table, some that it holds.
    old : str, Measure, or list of them
        The measure that is replaced, or as many as there are new ones.
    margin : float
        How much better a mean has to be, as a share of that of the worse system.
    alpha : float
        The level of the t-test.
    per : {'all', 'run'}
        The largest move of any system, or the move of each.

    References
    ----------
    Alex, Hall and Metzler, Atomized search length: beyond user models, section 4.4.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.delta_sort(["RR", "ASL"], old="AP").round(3)
      measure_old measure_new  runs  delta_sort  tau_b  delta_value
    0          AP          RR    12      58.333  0.697        2.062
    1          AP         ASL    12       8.333  0.970        0.083
    """
    cubes: list[Any] = []
    for measures in (old, new):
        if isinstance(data, Judged):
            cubes.append(scores(data, parse_all(measures), tell=not cubes))
        else:
            names = measures if isinstance(measures, list | tuple) else [measures]
            cubes += sources(data, list(map(str, names)))
    if replicate is not None:
        cubes = [
            averaged(cube, named(replicate, "replicate"), tell=cube is cubes[0]) for cube in cubes
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
    """Return how many places the systems move from the old scores to the new ones.

    Parameters
    ----------
    old, new : Scores
        The same runs; matched by run id. One measure each, or as many, taken in turn; a single one goes with all of the
        other side.
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
            f"{len(old.measures)} old measures cannot be paired with {len(new.measures)} new ones: "
            "pass as many of both, or a single one on one side."
        )
    n_runs = len(old.runs)
    rows, frames = [], []
    for number in range(count):
        # a single measure goes with all of the other side
        sides = [(side, number % len(side.measures)) for side in (old, new)]
        name_old, name_new = (side.measures[measure] for side, measure in sides)
        (value_old, better_old), (value_new, better_new) = (
            standing(*side, margin, alpha) for side in sides
        )
        move = 100 * np.abs(better_old - better_new) / n_runs
        names = {"measure_old": name_old, "measure_new": name_new}
        frames.append(
            old.runs.reset_index(drop=True).assign(
                **names,
                value_old=value_old,
                value_new=value_new,
                better_old=better_old,
                better_new=better_new,
                delta_sort=move,
            )
        )
        values = zip((value_old, value_new), sides, strict=True)
        x, y = (gain(value, bool(side.higher[measure])) for value, (side, measure) in values)
        rows.append(
            {
                **names,
                "runs": n_runs,
                "delta_sort": move.max(),
                "tau_b": tau_b(*(places(*side) for side in sides)),
                "delta_value": float(np.mean(y[x > 0] / x[x > 0])) if (x > 0).any() else np.nan,
            }
        )
    frame = pd.concat(frames, ignore_index=True) if per == "run" else pd.DataFrame(rows)
    frame.attrs = merged_attrs([old.attrs, new.attrs])
    return frame


def delta_sort_chain(
    average_precision: Scores, items: pd.DataFrame, *, margin: float = 0.1, alpha: float = 0.05
) -> pd.DataFrame:
    """Return DeltaSort along the steps from mean average precision to average search length.

    MAP, then the mean over relevant items of 1 / ASL_d (atomised precision), then 1 / ASL_q (the harmonic
    mean within the query), then ASL (the harmonic mean over queries, 1 / ASL), and MAP to ASL at once.

    Parameters
    ----------
    average_precision : Scores
        One measure, AP.
    items : DataFrame
        One row per run, query and relevant item with its search length in a column `asl`, as the
        ASL measure gives it at the level of documents; run and query columns as in `average_precision`.
    margin : float
        How much better a mean has to be, as a share of that of the worse system.
    alpha : float
        The level of the t-test.

    Returns
    -------
    DataFrame
        step, then the columns of `delta_sort`.

    Examples
    --------
    >>> runs, queries = pd.DataFrame({"run": ["bm25", "lm"]}), pd.Index([1, 2], name="query_id")
    >>> ap = Scores(runs, queries, ("AP",), np.array([[[1.0, 0.5], [0.75, 0.75]]]), np.array([True]))
    >>> items = pd.DataFrame({"run": ["bm25", "bm25", "lm", "lm"], "query_id": [1, 2, 1, 2]})
    >>> items["asl"] = [1.0, 2.0, 2.0, 2.0]
    >>> print(delta_sort_chain(ap, items)[["step", "delta_value"]].round(3).to_string(index=False))
                        step  delta_value
           atomise precision        0.829
      aggregate within query        1.000
    aggregate across queries        0.944
                  cumulative        0.781
    """
    if len(average_precision.measures) != 1:
        raise ValueError(
            f"the chain starts from one measure, found {len(average_precision.measures)}."
        )
    keys = [*average_precision.runs.columns, str(average_precision.queries.name)]
    missing = [name for name in (*keys, "asl") if name not in items.columns]
    if missing:
        raise ValueError(
            f"the item table lacks the columns {missing}; it has {list(items.columns)}."
        )
    if not (items["asl"] > 0).all():
        raise ValueError(
            f"search lengths must be above 0; {int((~(items['asl'] > 0)).sum())} are not."
        )
    lengths = items[keys].assign(asl=items["asl"], precision=1 / items["asl"])
    means = lengths.groupby(keys, observed=True, sort=False)[["asl", "precision"]].mean()
    cells = average_precision.runs.merge(
        pd.DataFrame({keys[-1]: average_precision.queries}), how="cross"
    )
    shape = (len(average_precision.runs), len(average_precision.queries))
    cells = cells.merge(means.reset_index(), on=keys, how="left", validate="one_to_one")
    asl, precision = (
        cells[name].to_numpy(dtype=float).reshape(shape).T for name in ("asl", "precision")
    )

    def cube(name: str, values: np.ndarray, higher: bool) -> Scores:
        return Scores(
            average_precision.runs,
            average_precision.queries,
            (name,),
            values[None],
            np.array([higher]),
        )

    stages = [
        average_precision,
        cube("atomised precision", precision, True),
        cube("1/ASL per query", 1 / asl, True),
        cube("ASL", asl, False),
    ]
    links = [*itertools.pairwise(stages), (stages[0], stages[-1])]
    frame = pd.concat(
        [moved(x, y, margin=margin, alpha=alpha) for x, y in links], ignore_index=True
    )
    frame.insert(0, "step", list(STEPS))
    return frame


def matched(old: Scores, new: Scores) -> Scores:
    """Return `new` with its runs in the order of `old`, or raise where they are not the same runs."""
    here, there = run_labels(old.runs), run_labels(new.runs)
    if sorted(here) != sorted(there):
        odd = sorted(set(here) ^ set(there))
        raise ValueError(
            f"old and new must score the same runs; {len(odd)} are only on one side, e.g. {', '.join(odd[:3])}."
        )
    order = [there.index(name) for name in here]
    return Scores(
        old.runs, new.queries, new.measures, new.values[:, :, order], new.higher, new.attrs
    )


def standing(
    scores: Scores, measure: int, margin: float, alpha: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return each run's mean in its own units, and the number of runs better than it."""
    pairs = Pairs.of(scores)
    better = np.zeros(len(scores.runs), dtype=np.int64)
    for numbers, D in pairs.blocks(measure, shared=2):
        outcome = student(D)
        mean_a, mean_b = pairs.sides(measure, numbers, ~np.isnan(D))
        first = outcome.mean > 0
        worse = np.where(first, mean_b, mean_a)
        # mean_a - mean_b and a share of it that are equal on paper may differ in the last digits
        clear = np.abs(outcome.mean) >= margin * np.abs(worse) * (1 - NOISE)
        won = clear & (outcome.p_value <= alpha)
        better += np.bincount(
            np.where(first, pairs.b[numbers], pairs.a[numbers])[won], minlength=len(better)
        )
    return np.nanmean(scores.values[measure], axis=0), better


def places(scores: Scores, measure: int) -> np.ndarray:
    """Return the ranks of the runs by their mean, as `order` gives them."""
    return ranks_of_means(scores.values[measure], bool(scores.higher[measure]))


def gain(value: np.ndarray, higher: bool) -> np.ndarray:
    """Return the value, or its reciprocal where less is better."""
    if higher:
        return value
    with np.errstate(divide="ignore"):
        return 1 / value
