"""Buckets against each other: two-sample tests on behaviour measures, and the verdict on an expected order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import all_pairs
from pdeval.online.behaviour import MEASURES, Unit, buckets_of, chosen_measures, kind_of, rng_of, samples_of
from pdeval.online.log import Log, read_log
from pdeval.online.samples import Aggregate, Kind, Tested, adjusted, bootstrap_medians, mann_whitney, two_rates, welch

TestName = Literal["auto", "welch", "mann-whitney"]


def compare_buckets(
    log: pd.DataFrame,
    measures: Sequence[str] | str | None = None,
    *,
    order: Sequence[object] | None = None,
    aggregate: Aggregate | Mapping[str, Aggregate] | None = None,
    unit: Unit = "query",
    test: TestName = "auto",
    correction: str | None = "bonferroni",
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int | None = 0,
    **binding: str,
) -> pd.DataFrame:
    """Return a two-sample test of every pair of buckets on every measure.

    Parameters
    ----------
    log, measures, aggregate, unit, resamples, seed, **binding
        As in `behaviour`.
    order : sequence, optional
        The buckets to compare, in the order in which they become a and b; by default all, sorted.
    test : {'auto', 'welch', 'mann-whitney'}
        'auto': pooled z for rates of queries, Welch's t for other means, Mann-Whitney for medians.
    correction : str, optional
        'bonferroni', 'holm', 'fdr_bh' and so on, or 'none': for the number of pairs, within each measure.
    alpha : float
        Level of the tests; the intervals have confidence 1 - alpha.

    Returns
    -------
    DataFrame
        bucket_a, bucket_b, measure, aggregate, test, n_a, n_b, value_a, value_b, difference, ci_low, ci_high,
        effect_size (Cohen's h for rates, d for means, rank-biserial for Mann-Whitney), statistic, p_value,
        p_adjusted, significant; sorted by measure as asked, then pair. NaN where there is nothing to test.

    Examples
    --------
    >>> shown = [(s, "a", 0, "impression", None, "ab"[s % 2]) for s in range(40)]
    >>> clicked = [(s, "a", 5, "click", 1, "ab"[s % 2]) for s in range(40) if s % 2 or s < 10]
    >>> log = pd.DataFrame(shown + clicked, columns=["session", "query_id", "timestamp", "action", "rank", "bucket"])
    >>> found = compare_buckets(log, "abandonment_rate")
    >>> found[["bucket_a", "bucket_b", "test", "difference", "significant"]].values.tolist()
    [['a', 'b', 'z', 0.75, True]]
    """
    if test not in ("auto", "welch", "mann-whitney"):
        raise ValueError(f"test is 'auto', 'welch' or 'mann-whitney', not {test!r}.")
    read = read_log(log, binding)
    chosen, how = chosen_measures(measures, aggregate)
    code, buckets = buckets_of(read)
    if test == "welch" and "median" in how.values():
        name = next(name for name in chosen if how[name] == "median")
        raise ValueError(f"welch compares means, {name} is summed up by its median: add aggregate='mean'.")
    places = _places(read, buckets, order)
    samples = samples_of(read, chosen, unit, code, len(buckets))
    first, second = all_pairs(len(places))
    rows = []
    for name in chosen:
        kind = kind_of(name, how[name], unit)
        middle = np.median if kind == "median" else np.mean
        value = [float(middle(sample)) if len(sample) else np.nan for sample in samples[name]]
        drawn = [
            bootstrap_medians(sample, resamples if kind == "median" and len(sample) else 0, rng_of(seed, name, place))
            for place, sample in enumerate(samples[name])
        ]
        for a, b in zip(places[first], places[second], strict=True):  # a handful of buckets
            x, y = samples[name][a], samples[name][b]
            found = _test(x, y, kind, test, 1 - alpha, (drawn[a], drawn[b]))
            sides = (buckets[a], buckets[b], name, how[name], found.test, len(x), len(y), value[a], value[b])
            rows.append((*sides, value[a] - value[b], *found[1:]))
    bucket = str(buckets.name)
    columns = [f"{bucket}_a", f"{bucket}_b", "measure", "aggregate", "test", "n_a", "n_b", "value_a", "value_b"]
    columns += ["difference", "ci_low", "ci_high", "effect_size", "statistic", "p_value"]
    frame = pd.DataFrame(rows, columns=columns)
    parts = [adjusted(part.to_numpy(), correction) for _, part in frame.groupby("measure", sort=False)["p_value"]]
    corrected = np.concatenate(parts) if parts else np.zeros(0)
    return frame.assign(p_adjusted=corrected, significant=corrected < alpha)


def verdict(
    log: pd.DataFrame,
    order: Sequence[object],
    measures: Sequence[str] | str | None = None,
    *,
    aggregate: Aggregate | Mapping[str, Aggregate] | None = None,
    unit: Unit = "query",
    test: TestName = "auto",
    correction: str | None = "bonferroni",
    alpha: float = 0.05,
    seed: int | None = 0,
    **binding: str,
) -> pd.DataFrame:
    """Return, per measure, whether the buckets follow a hypothesised order from best to worst.

    Parameters
    ----------
    log, measures, aggregate, unit, test, correction, alpha, seed, **binding
        As in `compare_buckets`.
    order : sequence
        Buckets from best to worst, such as ["ORIG", "FLAT", "RAND"].

    Returns
    -------
    DataFrame
        measure, aggregate, hypothesis (the values' expected order), found (their order in the log), pairs,
        as_expected (pairs in the expected direction), significant (those among them that pass the test), against
        (pairs that pass the test in the other direction), verdict:
        'confirmed' every pair as expected and significant; 'in order' every pair as expected, not all significant;
        'contradicted' some pair significantly against; 'not in order' anything else; 'no data' a bucket without
        observations.

    Examples
    --------
    >>> shown = [(s, "a", 0, "impression", None, "ab"[s % 2]) for s in range(40)]
    >>> clicked = [(s, "a", 5, "click", 1, "ab"[s % 2]) for s in range(40) if s % 2 or s < 10]
    >>> log = pd.DataFrame(shown + clicked, columns=["session", "query_id", "timestamp", "action", "rank", "bucket"])
    >>> verdict(log, ["b", "a"], "abandonment_rate")[["hypothesis", "found", "verdict"]].values.tolist()
    [['b < a', 'b < a', 'confirmed']]
    """
    pairs = compare_buckets(
        log,
        measures,
        order=order,
        aggregate=aggregate,
        unit=unit,
        test=test,
        correction=correction,
        alpha=alpha,
        resamples=0,
        seed=seed,
        **binding,
    )
    rows = []
    for name, part in pairs.groupby("measure", sort=False):
        sign, mark = (-1, "<") if MEASURES[str(name)].worse == "increase" else (1, ">")
        toward = np.sign(part["difference"].to_numpy()) * sign
        significant = part["significant"].to_numpy()
        expected, against = toward > 0, (toward < 0) & significant
        values = [*part["value_a"].iloc[:1], *part["value_b"].iloc[: len(order) - 1]]
        rows.append(
            {
                "measure": name,
                "aggregate": part["aggregate"].iloc[0],
                "hypothesis": f" {mark} ".join(map(str, order)),
                "found": _found(values, order, mark),
                "pairs": len(part),
                "as_expected": int(expected.sum()),
                "significant": int((expected & significant).sum()),
                "against": int(against.sum()),
                "verdict": _word(toward, significant),
            }
        )
    return pd.DataFrame(rows)


def _word(toward: np.ndarray, significant: np.ndarray) -> str:
    if np.isnan(toward).any():
        return "no data"
    if ((toward < 0) & significant).any():
        return "contradicted"
    if not (toward > 0).all():
        return "not in order"
    return "confirmed" if significant.all() else "in order"


def _found(values: list[float], order: Sequence[object], mark: str) -> str:
    """Return the buckets in the order of their values, e.g. 'ORIG < RAND = FLAT'; those without a value last."""
    rising = np.argsort(np.array(values) if mark == "<" else -np.array(values), kind="stable")
    text = str(order[rising[0]])
    for before, after in pairwise(rising):
        between = "?" if np.isnan(values[after]) else "=" if values[after] == values[before] else mark
        text += f" {between} {order[after]}"
    return text


def _places(read: Log, buckets: pd.Index, order: Sequence[object] | None) -> np.ndarray:
    """Return the places of the buckets to compare."""
    if "bucket" not in read.names or len(buckets) < 2:
        raise ValueError("comparing buckets needs a bucket column with at least two buckets; name it with bucket=...")
    if order is None:
        return np.arange(len(buckets))
    places = buckets.get_indexer(pd.Index(list(order)))
    if (places < 0).any() or len(set(order)) != len(order) or len(order) < 2:
        raise ValueError(
            f"order= names at least two buckets, each once, of those in the log: {', '.join(map(str, buckets))}; "
            f"found {', '.join(map(str, order))}."
        )
    return places


def _test(
    x: np.ndarray,
    y: np.ndarray,
    kind: Kind,
    test: TestName,
    confidence: float,
    drawn: tuple[np.ndarray, np.ndarray],
) -> Tested:
    if test == "mann-whitney" or (test == "auto" and kind == "median"):
        return mann_whitney(x, y, confidence=confidence, drawn=drawn)
    if test == "auto" and kind == "rate":
        return two_rates(x, y, confidence=confidence)
    return welch(x, y, confidence=confidence)
