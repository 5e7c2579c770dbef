"""DeltaSort: how far systems move when one measure replaces another (papers on atomized search length)."""

from __future__ import annotations

import itertools
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import Scores
from pdeval.kinds.labels import run_labels
from pdeval.significance.compare import check_share, repeated
from pdeval.significance.differences import Pairs, enough
from pdeval.significance.paired import student

STEPS = ("atomise precision", "aggregate within query", "aggregate across queries", "cumulative")


def delta_sort(
    old: Scores,
    new: Scores,
    *,
    margin: float = 0.1,
    alpha: float = 0.05,
    by: Literal["collection", "run"] = "collection",
) -> pd.DataFrame:
    """Return how many places the systems move from the old measure to the new one.

    For each system s, DeltaSort = 100 |n0 - n1| / systems, n0 and n1 the number of systems better than s
    under the old and the new measure. A system is better when its mean is better by at least `margin` of
    the mean of s and the two-sided paired t-test gives p <= alpha.

    Parameters
    ----------
    old, new : Scores
        The same runs; matched by run id. One measure each, or as many, taken in turn; a single one goes
        with all of the other side.
    margin : float, default 0.1
    alpha : float, default 0.05
    by : {"collection", "run"}, default "collection"

    Returns
    -------
    DataFrame
        "collection": measure_old, measure_new, runs, delta_sort (the largest), kendall_tau (tau-b of the
        systems' values, turned so that more is better; NaN where all systems tie), delta_value (mean of
        new / old; a measure where less is better counts with its reciprocal, so that AP is set against
        1/ASL; systems with an old value of 0 are left out).
        "run": the run columns, measure_old, measure_new, value_old, value_new, better_old, better_new,
        delta_sort.

    References
    ----------
    Alex, Hall and Metzler, Atomized search length: beyond user models, section 4.4.

    Examples
    --------
    >>> runs, queries = pd.DataFrame({"run": ["bm25", "lm", "bert"]}), pd.Index([1, 2, 3, 4], name="query_id")
    >>> old = np.array([[[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]]])
    >>> old, new = (Scores(runs, queries, (name,), values, np.array([True]))
    ...             for name, values in (("AP", old), ("RR", old[:, :, ::-1])))
    >>> print(delta_sort(old, new).round(4).to_string(index=False))
    measure_old measure_new  runs  delta_sort  kendall_tau  delta_value
             AP          RR     3     33.3333         -1.0       1.6722
    >>> delta_sort(old, new, by="run")["delta_sort"].round(2).tolist()
    [33.33, 0.0, 33.33]
    """
    check_share("alpha", alpha)
    if not margin >= 0:
        raise ValueError(f"margin must be 0 or more, found {margin!r}.")
    if by not in ("collection", "run"):
        raise ValueError(f"by must be 'collection' or 'run', found {by!r}.")
    new = matched(old, new)
    count = max(len(old.measures), len(new.measures))
    if {len(old.measures), len(new.measures)} - {1, count}:
        raise ValueError(
            f"{len(old.measures)} old measures cannot be paired with {len(new.measures)} new ones: "
            "pass as many of both, or a single one on one side."
        )
    before = [standing(old, number % len(old.measures), margin, alpha) for number in range(count)]
    after = [standing(new, number % len(new.measures), margin, alpha) for number in range(count)]
    n_runs = len(old.runs)
    moves = [100 * np.abs(n0 - n1) / n_runs for (_, n0), (_, n1) in zip(before, after, strict=True)]
    names = [(old.measures[k % len(old.measures)], new.measures[k % len(new.measures)]) for k in range(count)]
    if by == "run":
        row = np.tile(np.arange(n_runs), count)
        columns = {name: repeated(old.runs[name], row) for name in old.runs.columns}
        for side, position in (("old", 0), ("new", 1)):
            columns[f"measure_{side}"] = np.repeat([name[position] for name in names], n_runs)
        for key, states in (("old", before), ("new", after)):
            columns[f"value_{key}"] = np.concatenate([value for value, _ in states])
        for key, states in (("old", before), ("new", after)):
            columns[f"better_{key}"] = np.concatenate([better for _, better in states])
        return pd.DataFrame({**columns, "delta_sort": np.concatenate(moves)}, copy=False)
    rows = []
    for number, ((value_old, _), (value_new, _)) in enumerate(zip(before, after, strict=True)):
        x = gain(value_old, bool(old.higher[number % len(old.measures)]))
        y = gain(value_new, bool(new.higher[number % len(new.measures)]))
        tau, change = tau_b(x, y), float(np.mean(y[x > 0] / x[x > 0])) if (x > 0).any() else np.nan
        rows.append((*names[number], n_runs, moves[number].max(), tau, change))
    columns_of = ["measure_old", "measure_new", "runs", "delta_sort", "kendall_tau", "delta_value"]
    return pd.DataFrame(rows, columns=columns_of)


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
    margin, alpha
        As in `delta_sort`.

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
        raise ValueError(f"the chain starts from one measure, found {len(average_precision.measures)}.")
    keys = [*average_precision.runs.columns, str(average_precision.queries.name)]
    missing = [name for name in (*keys, "asl") if name not in items.columns]
    if missing:
        raise ValueError(f"the item table lacks the columns {missing}; it has {list(items.columns)}.")
    if not (items["asl"] > 0).all():
        raise ValueError(f"search lengths must be above 0; {int((~(items['asl'] > 0)).sum())} are not.")
    lengths = items[keys].assign(asl=items["asl"], precision=1 / items["asl"])
    means = lengths.groupby(keys, observed=True, sort=False)[["asl", "precision"]].mean()
    cells = average_precision.runs.merge(pd.DataFrame({keys[-1]: average_precision.queries}), how="cross")
    shape = (len(average_precision.runs), len(average_precision.queries))
    found = cells.merge(means.reset_index(), on=keys, how="left", validate="one_to_one")
    asl, precision = (found[name].to_numpy(dtype=float).reshape(shape).T for name in ("asl", "precision"))

    def cube(name: str, values: np.ndarray, higher: bool) -> Scores:
        return Scores(average_precision.runs, average_precision.queries, (name,), values[None], np.array([higher]))

    stages = [
        average_precision,
        cube("atomised precision", precision, True),
        cube("1/ASL per query", 1 / asl, True),
        cube("ASL", asl, False),
    ]
    links = [*itertools.pairwise(stages), (stages[0], stages[-1])]
    frame = pd.concat([delta_sort(x, y, margin=margin, alpha=alpha) for x, y in links], ignore_index=True)
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
    return Scores(old.runs, new.queries, new.measures, new.values[:, :, order], new.higher, new.attrs)


def standing(scores: Scores, measure: int, margin: float, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Return each run's mean in its own units, and the number of runs better than it."""
    pairs = Pairs.of(scores)
    better = np.zeros(len(scores.runs), dtype=np.int64)
    for numbers, D in pairs.blocks(measure):
        counted = ~np.isnan(D)
        enough(pairs, numbers, counted.sum(axis=0), scores.measures[measure])
        outcome = student(D)
        mean_a, mean_b = pairs.sides(measure, numbers, None if counted.all() else counted)
        first = outcome.mean > 0
        worse = np.where(first, mean_b, mean_a)
        # mean_a - mean_b and a share of it that are equal on paper may differ in the last digits
        clear = np.abs(outcome.mean) >= margin * np.abs(worse) * (1 - 1e-12)
        won = clear & (outcome.mean != 0) & (outcome.p_value <= alpha)
        better += np.bincount(np.where(first, pairs.b[numbers], pairs.a[numbers])[won], minlength=len(better))
    return np.nanmean(scores.values[measure], axis=0), better


def gain(value: np.ndarray, higher: bool) -> np.ndarray:
    """Return the value, or its reciprocal where less is better."""
    if higher:
        return value
    with np.errstate(divide="ignore"):
        return 1 / value


def tau_b(x: np.ndarray, y: np.ndarray) -> float:
    """Return Kendall's tau-b, NaN where one side has no order at all.

    Examples
    --------
    >>> round(tau_b(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])), 4)
    0.3333
    """
    from scipy import stats

    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(stats.kendalltau(x, y).statistic)
