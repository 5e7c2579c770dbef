"""Buckets against each other: tests of behaviour measures, an expected order of buckets, and A/A tests of the tests."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import all_pairs, described_frame
from pdeval.join.rules import outside
from pdeval.online.behaviour import Experiment, Unit, units_of
from pdeval.online.behaviour_measures import measure_of_name, names_in
from pdeval.online.log import Log
from pdeval.online.log_checks import users_in_several
from pdeval.online.two_sample_tests import Aggregate
from pdeval.online.variants import (
    TESTS,
    Arm,
    Comparison,
    TestName,
    adjusted_arms,
    arms_of,
    compared,
    covariates,
    fitting_test,
    read_pre,
    without_buckets,
)
from pdeval.significance.corrections import Correction, adjust, which_correction
from pdeval.significance.registry import direction
from pdeval.tables.equal_values import gap, settled, size_of
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import TooFew, one_of, whole
from pdeval.verbs.progress import track

RESAMPLES = 999  # of a bootstrap test within every assignment


table(
    "bucket_comparisons",
    "bucket_a bucket_b measure aggregate test n_a:int n_b:int value_a:float value_b:float difference:float "
    "ci_low:float ci_high:float effect_size:float statistic:float p_value:float p_adjusted:float significant:bool "
    "[covariate covered:share variance_reduction:float]",
    "comparison of buckets",
    known_by="measure aggregate test n_a n_b value_a value_b difference p_value p_adjusted significant",
    row="pair of buckets and behaviour measure",
    sort="measure bucket_a bucket_b",
    then=".report()",
    means={
        "bucket_a": "the first bucket of a pair",
        "bucket_b": "the second bucket of a pair",
        "test": "'z', 'welch', 'delta', 'mann-whitney', 'bootstrap' or 'sequential'",
        "n_a": "observations in the first bucket",
        "n_b": "observations in the second bucket",
        "difference": "value_a - value_b; 0 where that is rounding",
        "effect_size": "Cohen's h for rates, d for means, rank-biserial correlation for Mann-Whitney",
        "p_value": "1 where the buckets do not differ at all; NaN where there is nothing to test",
        "p_adjusted": "p-value corrected for the number of pairs, within each measure",
        "covariate": "the measure of the pre-period that values are adjusted for",
        "covered": "share of both buckets' users that have it",
        "variance_reduction": "share of the difference's variance that the adjustment took away",
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


@verb(on="clicks", gives="bucket_comparisons", family="compare_buckets")
def compare_buckets(
    log: Table,
    measures: Sequence[str] | str | None = None,
    *,
    order: Sequence[object] | None = None,
    aggregate: Aggregate | Mapping[str, Aggregate] | None = None,
    unit: Unit | None = None,
    test: TestName = "auto",
    pre: object = None,
    covariate: str | None = None,
    sequential: int | None = None,
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
        mean_reciprocal_rank, time_to_first_click, time_to_last_click, first_result_clicks, click_through_rate (CTR),
        conversion_rate, revenue_per_user, sessions_per_user, events_per_user, and your own; of other events than a
        purchase, `conversion_rate(order)`. By default the first nine, your own, and conversion and revenue where the
        log has them.
    order : list, optional
        The buckets to compare, in the order in which they become a and b; by default all, sorted.
    aggregate : {'mean', 'median', 'ratio'} or mapping of measure to one of them, optional
        The mean or median of the units' own values, or the ratio of sums over all units: clicks of all users over
        impressions of all users, or their abandoned queries over all their queries. By default the median for the two
        times and the ratio for the others, which is the mean where every unit has one observation.
    unit : {'user', 'session', 'query'}, optional
        What counts as one observation: a user or session with all its queries, or an issued query (a session, for
        queries per session). By default the user or, in a log without users, the session: what belongs to one user is
        not independent, so a finer unit than what was randomised finds differences where there are none, and warns.
    test : {'auto', 'welch', 'delta', 'mann-whitney', 'bootstrap'}
        'auto': pooled z for rates of single queries or users, Welch's t for other means, the delta method for ratios
        (Deng, Knoblich and Lu 2018), Mann-Whitney for medians. 'bootstrap': units drawn with replacement.
    pre : DataFrame or bound accessor, optional
        The click log of a pre-period, which ends before the log begins: what each user did there takes variance out of
        means and ratios (CUPED: Deng, Xu, Kohavi and Walker 2013), and differences are those of the analysis of
        covariance. Users without a pre-period stay, unadjusted; `covered` says how many have one.
    covariate : str, optional
        The behaviour measure of the pre-period that adjusts; by default each measure its own.
    sequential : int, optional
        Test so that looking after every user is allowed: intervals and p-values hold at all times at once, once
        buckets have some hundred users (asymptotic confidence sequences: Waudby-Smith et al. 2021). The number of
        users at which they are to be the tightest, of both buckets together.
    alpha : float
        Level of the tests; the intervals have confidence 1 - alpha.
    draws : int
        Bootstrap samples of every median, for the intervals, and of test='bootstrap'; 0 leaves these out.

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
    test = one_of("test", test, TESTS)  # type: ignore[assignment]
    correction = which_correction(correction)  # type: ignore[assignment]
    if sequential is not None:
        whole("sequential", sequential, 2)
        if test != "auto":
            raise ValueError(f"sequential= is a test of its own: leave out test={test!r}.")
    experiment = Experiment.of(log, measures, aggregate, unit)
    buckets = experiment.buckets
    places = _places(experiment.log, buckets, order)
    comparisons = _comparisons(experiment, test, alpha, sequential, adjusted=pre is not None)
    for problem in users_in_several(log):
        text = f"click log: {problem.rows:,} {problem.problem} ({problem.example}): {problem.handling}."
        warnings.warn(text, UserWarning, stacklevel=outside())
    before = past_of(pre, covariate, log, experiment)
    first, second = all_pairs(len(places))
    rows, adjustments = [], []
    for name, comparison in comparisons:
        observed = experiment.observed[name]
        known = np.zeros(len(observed.who), dtype=bool)
        arms = plain = arms_of(observed, comparison, len(buckets), (seed, name, draws))
        if name in before:
            arms, known = adjusted_arms(
                observed, comparison, places, len(buckets), (seed, name, draws), before[name]
            )
        for a, b in zip(places[first], places[second], strict=True):  # a handful of buckets
            x, y = arms[a], arms[b]
            result = compared(x, y, comparison)
            sides = (
                buckets[a],
                buckets[b],
                name,
                comparison.aggregate,
                result.test,
                len(x.values),
                len(y.values),
            )
            difference = float(gap(x.value, y.value, size_of(x.values, y.values)))
            rows.append((*sides, x.value, y.value, difference, *result[1:]))
            covered = known[(observed.bucket == a) | (observed.bucket == b)]
            share_covered = float(covered.mean()) if len(covered) else np.nan
            adjustments.append((share_covered, _variance_reduction((plain[a], plain[b]), (x, y))))
    bucket = str(buckets.name)
    columns = [
        f"{bucket}_a",
        f"{bucket}_b",
        "measure",
        "aggregate",
        "test",
        "n_a",
        "n_b",
        "value_a",
        "value_b",
    ]
    columns += ["difference", "ci_low", "ci_high", "effect_size", "statistic", "p_value"]
    frame = pd.DataFrame(rows, columns=columns)
    family = np.repeat(np.arange(len(comparisons)), len(first))  # the pairs of a measure
    p_adjusted = adjust(frame["p_value"].to_numpy(), family, correction=correction or "none")
    frame = frame.assign(p_adjusted=p_adjusted, significant=p_adjusted < alpha)
    if pre is not None:
        covered, reduced = np.array(adjustments).T
        names = np.repeat([covariate or name for name, _ in comparisons], len(first))
        frame = frame.assign(covariate=names, covered=covered, variance_reduction=reduced)
    frame.attrs = {
        **{f"bucket_{side}_column": f"{bucket}_{side}" for side in "ab"},
        **experiment.attrs,
        "correction": correction or "none",
        "alpha": alpha,
        "draws": draws,
        "seed": seed,
        **({} if sequential is None else {"sequential": sequential}),
    }
    return frame


def _comparisons(
    experiment: Experiment, test: TestName, alpha: float, sequential: int | None, *, adjusted: bool
) -> list[tuple[str, Comparison]]:
    """Return the name of each measure and how it is compared, or raise where the test does not suit it."""
    comparisons = []
    for measure in experiment.measures:
        aggregate, kind = experiment.aggregate[measure.name], experiment.kind(measure)
        fitting_test(test, aggregate, measure.name, sequential)
        kind = (
            "mean" if adjusted and kind == "rate" else kind
        )  # an adjusted rate is neither 0 nor 1
        comparisons.append((measure.name, Comparison(test, aggregate, kind, 1 - alpha, sequential)))
    return comparisons


def past_of(
    pre: object, covariate: str | None, log: Table, experiment: Experiment
) -> dict[str, np.ndarray]:
    """Return the pre-period's values of users for every measure; none where there is no pre-period."""
    if pre is None:
        if covariate is not None:
            raise ValueError("covariate= names a measure of a pre-period: give its log too, pre=.")
        return {}
    if experiment.unit != "user":
        raise ValueError(
            f"pre= adjusts what users did: it needs unit='user', not {experiment.unit!r}."
        )
    how = experiment.aggregate
    for name, aggregate in how.items():
        if aggregate == "median":
            raise ValueError(
                f"pre= adjusts means and ratios, {name} is summed up by its median: add aggregate='mean'."
            )
    predictors = {measure.name: measure for measure in experiment.measures}
    if covariate is not None:
        predictors = dict.fromkeys(predictors, measure_of_name(covariate))
        how = {name: measure.aggregate for name, measure in predictors.items()}
    return covariates(read_pre(pre, log), experiment.log, predictors, how)


def _variance_reduction(plain: tuple[Arm, Arm], adjusted: tuple[Arm, Arm]) -> float:
    """Return the share by which adjusting reduced the variance of a difference."""
    if min(len(arm.values) for arm in plain) < 2:
        return np.nan
    before, after = (
        sum(float(np.var(arm.values, ddof=1)) / len(arm.values) for arm in both)
        for both in (plain, adjusted)
    )
    return 1 - after / before if before > 0 else 0.0


def _places(log: Log, buckets: pd.Index, order: Sequence[object] | None) -> np.ndarray:
    """Return the places of the buckets to compare."""
    if "bucket" not in log.names or len(buckets) < 2:
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
        mean_reciprocal_rank, time_to_first_click, time_to_last_click, first_result_clicks, click_through_rate (CTR),
        conversion_rate, revenue_per_user, sessions_per_user, events_per_user, and your own; of other events than a
        purchase, `conversion_rate(order)`. By default the first nine, your own, and conversion and revenue where the
        log has them.
    aggregate : {'mean', 'median', 'ratio'} or mapping of measure to one of them, optional
        The mean or median of the units' own values, or the ratio of sums over all units: clicks of all users over
        impressions of all users, or their abandoned queries over all their queries. By default the median for the two
        times and the ratio for the others, which is the mean where every unit has one observation.
    unit : {'user', 'session', 'query'}, optional
        What counts as one observation: a user or session with all its queries, or an issued query (a session, for
        queries per session). By default the user or, in a log without users, the session: what belongs to one user is
        not independent, so a finer unit than what was randomised finds differences where there are none, and warns.
    test : {'auto', 'welch', 'delta', 'mann-whitney', 'bootstrap'}
        'auto': pooled z for rates of single queries or users, Welch's t for other means, the delta method for ratios,
        Mann-Whitney for medians.

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
        draws=10_000 if test == "bootstrap" else 0,
    )
    rows = []
    for name, part in pairs.groupby("measure", sort=False, observed=True):
        sign, mark = (-1, "<") if measure_of_name(str(name)).worse == "increase" else (1, ">")
        toward = direction(part) * sign
        significant = part["significant"].to_numpy()
        # the first bucket is on the left of the first pairs, which have all others on the right
        values = [*part["value_a"].iloc[:1], *part["value_b"].iloc[: len(order) - 1]]
        row = {
            "measure": name,
            "aggregate": part["aggregate"].iloc[0],
            "hypothesis": f" {mark} ".join(map(str, order)),
            "found": _observed_order(values, order, mark),
            "pairs": len(part),
            "as_expected": int((toward > 0).sum()),
            "significant": int(((toward > 0) & significant).sum()),
            "against": int(((toward < 0) & significant).sum()),
            "verdict": _word(toward, significant),
        }
        rows.append(row)
    return described_frame(
        rows, {name: pairs.attrs[name] for name in ("measures", "unit", "correction", "alpha")}
    )


def _word(toward: np.ndarray, significant: np.ndarray) -> str:
    if np.isnan(toward).any():
        return "no data"
    if ((toward < 0) & significant).any():
        return "contradicted"
    if not (toward > 0).all():
        return "not in order"
    return "confirmed" if significant.all() else "in order"


def _observed_order(values: list[float], order: Sequence[object], mark: str) -> str:
    """Return the buckets in the order of their values, e.g. 'ORIG < RAND = FLAT'; those without a value last."""
    value = settled(np.array(values, dtype=np.float64))
    rising = np.argsort(value if mark == "<" else -value, kind="stable")
    text = str(order[rising[0]])
    for before, after in pairwise(rising):
        sign = "=" if value[after] == value[before] else mark
        text += f" {'?' if np.isnan(value[after]) else sign} {order[after]}"
    return text


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
    draws, share = whole("draws", draws, 1), arguments.share("share", share)
    log = without_buckets(log)
    experiment = Experiment.of(log, measures, aggregate, unit)
    assigned: Unit = "user" if "user" in experiment.log.names else "session"
    comparisons = _comparisons(experiment, test, alpha, sequential, adjusted=pre is not None)
    n = len(units_of(experiment.log, assigned))
    first = round(share * n)
    if min(first, n - first) < 2:
        raise TooFew(f"an A/A test needs at least two {assigned}s in each bucket; the log has {n}.")
    owner = _owners(experiment.log, experiment.unit, assigned)
    before = past_of(pre, covariate, log, experiment)
    rng = np.random.default_rng(seed)
    resamples, both = RESAMPLES if test == "bootstrap" else 0, np.arange(2)
    p_values = np.full((draws, len(comparisons)), np.nan)
    names = {}
    for draw in track(range(draws), total=draws, desc="A/A", progress=progress):
        # buckets of the same sizes in every assignment
        bucket = (rng.permutation(n) >= first).astype(np.int64)
        stream = int(rng.integers(2**32))
        for place, (name, comparison) in enumerate(comparisons):
            observed = experiment.observed[name]
            observed = replace(observed, bucket=bucket[owner[observed.who]])
            if name in before:
                arms, _ = adjusted_arms(
                    observed, comparison, both, 2, (stream, name, resamples), before[name]
                )
            else:
                arms = arms_of(observed, comparison, 2, (stream, name, resamples))
            result = compared(arms[0], arms[1], comparison)
            names[name], p_values[draw, place] = result.test, result.p_value
    rows = []
    for (name, comparison), p_value in zip(comparisons, p_values.T, strict=True):
        count, rejected = int((~np.isnan(p_value)).sum()), int((p_value < alpha).sum())
        low, high, error = np.nan, np.nan, np.nan
        if count:
            low, high = binomtest(rejected, count).proportion_ci(confidence, method="exact")
            error = rejected / count
        row = {
            "measure": name,
            "aggregate": comparison.aggregate,
            "test": names[name],
            "n": len(experiment.observed[name].who),
            "draws": count,
            "rejected": rejected,
            "error": error,
            "ci_low": float(low),
            "ci_high": float(high),
            "as_stated": bool(low <= alpha <= high),
        }
        rows.append(row)
    options = {"share": share, "alpha": alpha, "confidence": confidence, "seed": seed}
    return described_frame(rows, {**experiment.attrs, **options})


def _owners(log: Log, unit: Unit, assigned: Unit) -> np.ndarray:
    """Return whom each unit belongs to, among those who are assigned."""
    assigned_ids = units_of(log, assigned)
    if unit == assigned:
        return np.arange(len(assigned_ids))
    owner_of_query = assigned_ids.get_indexer(pd.Index(log.queries[log.names[assigned]]))
    if unit == "query":
        return owner_of_query
    units = units_of(log, unit)
    owner = np.zeros(len(units), dtype=np.int64)
    owner[units.get_indexer(pd.Index(log.queries[log.names[unit]]))] = owner_of_query
    return owner
