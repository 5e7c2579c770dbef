"""Buckets against each other: two-sample tests on behaviour measures, and the verdict on an expected order."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import all_pairs
from pdeval.judged.topics import outside
from pdeval.kinds.schemas import table
from pdeval.kinds.tables import Table
from pdeval.mechanics import arguments
from pdeval.mechanics.arguments import share, whole
from pdeval.mechanics.equality import gap, settled, size_of
from pdeval.online.assignment import Unit, unit_of, users_in_several
from pdeval.online.behaviour import buckets_of, described, estimated_as, one_query_each, rng_of, samples_of
from pdeval.online.behaviour_measures import MEASURES, chosen_measures, names_in
from pdeval.online.log import Log, read_log
from pdeval.online.samples import (
    Aggregate,
    Kind,
    Tested,
    bootstrap_medians,
    mann_whitney,
    two_rates,
    welch,
)
from pdeval.significance.corrections import Correction, adjust, which_correction
from pdeval.verbs import verb

TestName = Literal["auto", "welch", "mann-whitney"]

table(
    "bucket_comparisons",
    "bucket_a bucket_b measure aggregate test n_a:int n_b:int value_a:float value_b:float difference:float "
    "ci_low:float ci_high:float effect_size:float statistic:float p_value:float p_adjusted:float significant:bool",
    "comparison of buckets",
    known_by="measure aggregate test n_a n_b value_a value_b difference p_value p_adjusted significant",
    row="pair of buckets and behaviour measure",
    sort="measure bucket_a bucket_b",
    then=".report()",
    means={
        "bucket_a": "the first bucket of a pair",
        "bucket_b": "the second bucket of a pair",
        "test": "'z', 'welch' or 'mann-whitney'",
        "n_a": "observations in the first bucket",
        "n_b": "observations in the second bucket",
        "difference": "value_a - value_b; 0 where that is rounding",
        "effect_size": "Cohen's h for rates, d for means, rank-biserial correlation for Mann-Whitney",
        "p_value": "1 where the buckets do not differ at all; NaN where there is nothing to test",
        "p_adjusted": "p-value corrected for the number of pairs, within each measure",
    },
)
table(
    "verdicts",
    "measure aggregate hypothesis found pairs:int as_expected:int significant:int against:int verdict",
    "table of verdicts on an order of buckets",
    row="behaviour measure",
    means={
        "hypothesis": "the expected order of the buckets' values",
        "found": "their order in the log",
        "pairs": "number of pairs of buckets",
        "as_expected": "pairs in the expected direction",
        "significant": "those among them that pass the test",
        "against": "pairs that pass the test in the other direction",
        "verdict": "'confirmed': every pair as expected and significant; 'in order': every pair as expected, not all "
        "significant; 'contradicted': some pair significantly against; 'not in order': anything else; 'no data': a "
        "bucket without observations",
    },
    undrawn="it is a table to read: one verdict per measure",
)


@verb(on="clicks", gives="bucket_comparisons")
def compare_buckets(
    log: Table,
    measures: Sequence[str] | str | None = None,
    *,
    order: Sequence[object] | None = None,
    aggregate: Aggregate | Mapping[str, Aggregate] | None = None,
    unit: Unit | None = None,
    test: TestName = "auto",
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return a two-sample test of every pair of buckets on every behaviour measure.

    Users in more than one bucket are warned of; `check` reports them, and bucket sizes that mismatch their shares.

    Parameters
    ----------
    measures : str or list of str, optional
        Any of abandonment_rate, reformulation_rate, queries_per_session, clicks_per_query, max_reciprocal_rank,
        mean_reciprocal_rank, time_to_first_click, time_to_last_click, first_result_clicks, and your own; by default
        all.
    order : list, optional
        The buckets to compare, in the order in which they become a and b; by default all, sorted.
    aggregate : {'mean', 'median'} or mapping of measure to one of them, optional
        By default the median for the two times and the mean for the others.
    unit : {'user', 'session', 'query'}, optional
        What counts as one observation: each user's or session's own mean, or an issued query (a session, for queries
        per session). By default the user or, in a log without users, the session: what belongs to one user is not
        independent, so a finer unit than what was randomised finds differences where there are none, and warns.
    test : {'auto', 'welch', 'mann-whitney'}
        'auto': pooled z for rates of single queries, Welch's t for other means, Mann-Whitney for medians.
    correction : str, optional
        'bonferroni', 'holm', 'fdr_bh' and so on, or 'none': for the number of pairs, within each measure.
    alpha : float
        Level of the tests; the intervals have confidence 1 - alpha.
    draws : int
        Bootstrap samples of every median, for the intervals; 0 leaves these out.
    seed : int, optional
        Of the bootstrap.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> log = runs[runs["run"].isin(["rerank-s1", "tfidf"])].ireval.simulate_clicks(qrels, sessions=10)
    >>> found = log.ireval.compare_buckets(["abandonment_rate", "clicks_per_query"])
    >>> found[["bucket_a", "bucket_b", "measure", "test", "value_a", "value_b", "significant"]].round(2)
        bucket_a bucket_b           measure   test  value_a  value_b  significant
    0  rerank-s1    tfidf  abandonment_rate      z      0.0     0.06         True
    1  rerank-s1    tfidf  clicks_per_query  welch      6.3     3.14         True
    """
    if test not in ("auto", "welch", "mann-whitney"):
        raise ValueError(f"test is 'auto', 'welch' or 'mann-whitney', not {test!r}.")
    alpha, draws, seed = share("alpha", alpha), whole("draws", draws, 0), arguments.seed(seed)
    correction = which_correction(correction)  # type: ignore[assignment]
    chosen, how = chosen_measures(measures, aggregate)
    read = read_log(log)
    code, buckets = buckets_of(read)
    if test == "welch" and "median" in how.values():
        name = next(name for name in how if how[name] == "median")
        raise ValueError(f"welch compares means, {name} is summed up by its median: add aggregate='mean'.")
    places = _places(read, buckets, order)
    unit = unit_of(read.names, read.queries, unit)
    single = one_query_each(read, unit)
    for problem in users_in_several(log):
        said = f"{problem.rows:,} {problem.problem} ({problem.example}): {problem.handling}."
        warnings.warn(f"click log: {said}", UserWarning, stacklevel=outside())
    samples = samples_of(read, chosen, unit, code, len(buckets))
    first, second = all_pairs(len(places))
    rows = []
    for measure in chosen:
        name, kind = measure.name, estimated_as(measure, how[measure.name], single)
        middle = np.median if kind == "median" else np.mean
        value = [float(middle(sample)) if len(sample) else np.nan for sample in samples[name]]
        drawn = [
            bootstrap_medians(sample, draws if kind == "median" and len(sample) else 0, rng_of(seed, name, place))
            for place, sample in enumerate(samples[name])
        ]
        for a, b in zip(places[first], places[second], strict=True):  # a handful of buckets
            x, y = samples[name][a], samples[name][b]
            found = _test(x, y, kind, test, 1 - alpha, (drawn[a], drawn[b]))
            sides = (buckets[a], buckets[b], name, how[name], found.test, len(x), len(y), value[a], value[b])
            rows.append((*sides, float(gap(value[a], value[b], size_of(x, y))), *found[1:]))
    bucket = str(buckets.name)
    columns = [f"{bucket}_a", f"{bucket}_b", "measure", "aggregate", "test", "n_a", "n_b", "value_a", "value_b"]
    columns += ["difference", "ci_low", "ci_high", "effect_size", "statistic", "p_value"]
    frame = pd.DataFrame(rows, columns=columns)
    family = np.repeat(np.arange(len(chosen)), len(first))
    p_adjusted = adjust(frame["p_value"].to_numpy(), family, correction=correction or "none")
    frame = frame.assign(p_adjusted=p_adjusted, significant=p_adjusted < alpha)
    frame.attrs = {
        **{f"bucket_{side}_column": f"{bucket}_{side}" for side in "ab"},
        **described(chosen, how),
        "unit": unit,
        "correction": correction or "none",
        "alpha": alpha,
        "draws": draws,
        "seed": seed,
    }
    return frame


@verb(on="clicks", gives="verdicts")
def verdict(
    log: Table,
    order: Sequence[object],
    measures: Sequence[str] | str | None = None,
    *,
    aggregate: Aggregate | Mapping[str, Aggregate] | None = None,
    unit: Unit | None = None,
    test: TestName = "auto",
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Return, per behaviour measure, whether the buckets follow a hypothesised order from best to worst.

    Parameters
    ----------
    order : list
        Buckets from best to worst, such as ["ORIG", "FLAT", "RAND"].
    measures : str or list of str, optional
        Any of abandonment_rate, reformulation_rate, queries_per_session, clicks_per_query, max_reciprocal_rank,
        mean_reciprocal_rank, time_to_first_click, time_to_last_click, first_result_clicks, and your own; by default
        all.
    aggregate : {'mean', 'median'} or mapping of measure to one of them, optional
        By default the median for the two times and the mean for the others.
    unit : {'user', 'session', 'query'}, optional
        What counts as one observation: each user's or session's own mean, or an issued query (a session, for queries
        per session). By default the user or, in a log without users, the session: what belongs to one user is not
        independent, so a finer unit than what was randomised finds differences where there are none, and warns.
    test : {'auto', 'welch', 'mann-whitney'}
        'auto': pooled z for rates of single queries, Welch's t for other means, Mann-Whitney for medians.
    correction : str, optional
        'bonferroni', 'holm', 'fdr_bh' and so on, or 'none': for the number of pairs, within each measure.
    alpha : float
        Level of the tests.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> log = runs[runs["run"].isin(["rerank-s1", "tfidf"])].ireval.simulate_clicks(qrels, sessions=10)
    >>> found = log.ireval.verdict(["rerank-s1", "tfidf"], ["abandonment_rate", "clicks_per_query"])
    >>> found[["measure", "hypothesis", "significant", "verdict"]]
                measure         hypothesis  significant    verdict
    0  abandonment_rate  rerank-s1 < tfidf            1  confirmed
    1  clicks_per_query  rerank-s1 > tfidf            1  confirmed
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
        draws=0,
    )
    rows = []
    for name, part in pairs.groupby("measure", sort=False, observed=True):
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
    frame = pd.DataFrame(rows)
    frame.attrs = {name: pairs.attrs[name] for name in ("measures", "unit", "correction", "alpha")}
    return frame


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
    value = np.array(values, dtype=np.float64)
    value = settled(value)
    rising = np.argsort(value if mark == "<" else -value, kind="stable")
    text = str(order[rising[0]])
    for before, after in pairwise(rising):
        between = "?" if np.isnan(value[after]) else "=" if value[after] == value[before] else mark
        text += f" {between} {order[after]}"
    return text


def _places(read: Log, buckets: pd.Index, order: Sequence[object] | None) -> np.ndarray:
    """Return the places of the buckets to compare."""
    if "bucket" not in read.names or len(buckets) < 2:
        raise ValueError(
            "comparing buckets needs a bucket column with at least two buckets; bind it: log.ireval(bucket=...)."
        )
    if order is None:
        return np.arange(len(buckets))
    order = names_in("order", order)
    places = np.array([list(buckets).index(one) if one in list(buckets) else -1 for one in order])
    if (places < 0).any() or len(set(places)) != len(order) or len(order) < 2:
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
