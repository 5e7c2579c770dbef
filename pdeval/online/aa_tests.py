"""A/A tests: users assigned to two buckets at random, again and again, so that whatever is found is an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.online.assignment import Unit, unit_of
from pdeval.online.behaviour import described, estimated_as, one_query_each
from pdeval.online.behaviour_measures import chosen_measures
from pdeval.online.compare_buckets import past_of
from pdeval.online.log import Log, read_log
from pdeval.online.observations import fitting, observe, summed_up, units_of
from pdeval.online.two_sample_tests import Aggregate
from pdeval.online.variants import TESTS, Asked, TestName, adjusted_arms, arms_of, compared, fitting_test
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import TooFew, one_of, whole
from pdeval.verbs.progress import track

RESAMPLES = 999  # of a bootstrap test within every assignment

table(
    "aa_tests",
    "measure aggregate test n:int draws:int rejected:int error:share ci_low:float ci_high:float as_stated:bool",
    "table of errors of A/A tests",
    row="behaviour measure",
    means={
        "n": "number of observations: users, sessions or queries",
        "draws": "random assignments that could be tested",
        "rejected": "those in which the two buckets differ significantly, although nothing does",
        "error": "their share: the type-I error",
        "ci_low": "lower end of the exact binomial interval of the error",
        "ci_high": "upper end of the exact binomial interval of the error",
        "as_stated": "whether that interval holds alpha",
    },
    undrawn="it is a table to read: one error per measure",
)


@verb(on="clicks", gives="aa_tests", family="compare_buckets", name="aa_test")
def aa_test(
    log: Table,
    measures: Sequence[str] | str | None = None,
    *,
    aggregate: Aggregate | Mapping[str, Aggregate] | None = None,
    unit: Unit | None = None,
    test: TestName = "auto",
    pre: object = None,
    covariate: str | None = None,
    sequential: int | None = None,
    share: float = 0.5,
    alpha: float = 0.05,
    confidence: float = 0.95,
    draws: int = 1000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return how often the tests of two buckets find a difference where there is none: one row per measure.

    The users of the log (its sessions, where it has no users) are assigned to two buckets at random, `draws` times, and
    compared as `compare_buckets` would; buckets of the log are ignored. A test that errs more often than alpha is not
    to be trusted on such a log: queries or sessions taken for independent users do, and so do few users with rare,
    large values.

    Parameters
    ----------
    measures : str or list of str, optional
        As in `compare_buckets`.
    aggregate : {'mean', 'median', 'ratio'} or mapping of measure to one of them, optional
        As in `compare_buckets`.
    unit : {'user', 'session', 'query'}, optional
        What the tests count as one observation, whoever is assigned; by default the user or, in a log without users,
        the session.
    test : {'auto', 'welch', 'delta', 'mann-whitney', 'bootstrap'}
        As in `compare_buckets`; the bootstrap draws 999 samples of every assignment.
    pre : DataFrame or bound accessor, optional
        The click log of a pre-period, as in `compare_buckets`.
    covariate : str, optional
        The behaviour measure of the pre-period that adjusts; by default each measure its own.
    sequential : int, optional
        As in `compare_buckets`. Looked at once, such a test errs far less often than alpha.
    share : float
        Share of the users in the first bucket.
    confidence : float
        ... It is the exact binomial interval of the error.
    draws : int
        Random assignments.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> log = runs[runs["run"].isin(["bm25", "tfidf"])].ireval.simulate_clicks(qrels, sessions=4, users=40)
    >>> found = log.ireval.compare_buckets.aa_test(["CTR", "clicks_per_query"], draws=200)
    >>> print(found.drop(columns=["aggregate", "n"]).round(3).to_string(index=False))
             measure  test  draws  rejected  error  ci_low  ci_high  as_stated
                 CTR delta    200         8   0.04   0.017    0.077       True
    clicks_per_query delta    200         8   0.04   0.017    0.077       True
    """
    from scipy.stats import binomtest

    test = one_of("test", test, TESTS)  # type: ignore[assignment]
    draws, seed = whole("draws", draws, 1), arguments.seed(seed)
    share, alpha, confidence = (
        arguments.share(name, value) for name, value in (("share", share), ("alpha", alpha), ("confidence", confidence))
    )
    chosen, given = chosen_measures(measures, aggregate)
    log = replace(log, roles={role: name for role, name in log.roles.items() if role != "bucket"})
    read = read_log(log)
    assigned: Unit = "user" if "user" in read.names else "session"
    unit = unit_of(read.names, read.queries, unit)
    chosen = fitting(read, chosen, unit, named=measures is not None)
    single = one_query_each(read, unit)
    how = summed_up(given, chosen, unit, single)
    for measure in chosen:
        fitting_test(test, how[measure.name], measure.name, sequential)
    n = len(units_of(read, assigned))
    first = round(share * n)
    if min(first, n - first) < 2:
        raise TooFew(f"an A/A test needs at least two {assigned}s in each bucket; the log has {n}.")
    owner = _owners(read, unit, assigned)
    seen = observe(read, chosen, unit, np.zeros(len(read.queries), dtype=np.int64), pd.Index(["all"]))
    before = past_of(pre, covariate, log, read, unit, chosen, how)
    asked = {}
    for measure in chosen:
        kind = estimated_as(measure, how[measure.name], single)
        kind = "mean" if before and kind == "rate" else kind
        asked[measure.name] = Asked(test, how[measure.name], kind, 1 - alpha, sequential)
    rng = np.random.default_rng(seed)
    resamples, both = RESAMPLES if test == "bootstrap" else 0, np.arange(2)
    p_values, names = np.full((draws, len(chosen)), np.nan), {}
    for draw in track(range(draws), total=draws, desc="A/A", progress=progress):
        bucket = (rng.permutation(n) >= first).astype(np.int64)
        stream = int(rng.integers(2**32))
        for place, measure in enumerate(chosen):
            name = measure.name
            one = replace(seen[name], bucket=bucket[owner[seen[name].who]])
            if name in before:
                arms, _ = adjusted_arms(one, asked[name], both, 2, (stream, name, resamples), before[name])
            else:
                arms = arms_of(one, asked[name], 2, (stream, name, resamples))
            found = compared(arms[0], arms[1], asked[name])
            names[name], p_values[draw, place] = found.test, found.p_value
    rows = []
    for place, measure in enumerate(chosen):
        name, count = measure.name, int((~np.isnan(p_values[:, place])).sum())
        rejected = int((p_values[:, place] < alpha).sum())
        low, high, error = np.nan, np.nan, np.nan
        if count:
            low, high = binomtest(rejected, count).proportion_ci(confidence, method="exact")
            error = rejected / count
        kept = (how[name], names[name], len(seen[name].who), count, rejected, error, float(low), float(high))
        rows.append((name, *kept, bool(low <= alpha <= high)))
    columns = ["measure", "aggregate", "test", "n", "draws", "rejected", "error", "ci_low", "ci_high", "as_stated"]
    frame = pd.DataFrame(rows, columns=columns)
    options: dict[Any, Any] = {"unit": unit, "share": share, "alpha": alpha, "confidence": confidence, "seed": seed}
    frame.attrs = {**described(chosen, how), **options}
    return frame


def _owners(read: Log, unit: Unit, assigned: Unit) -> np.ndarray:
    """Return whom each unit belongs to, among those who are assigned."""
    owners = units_of(read, assigned)
    if unit == assigned:
        return np.arange(len(owners))
    of_query = owners.get_indexer(pd.Index(read.queries[read.names[assigned]]))
    if unit == "query":
        return of_query
    found = np.zeros(len(units_of(read, unit)), dtype=np.int64)
    found[units_of(read, unit).get_indexer(pd.Index(read.queries[read.names[unit]]))] = of_query
    return found
