"""Buckets against each other: two-sample tests on behaviour measures."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import all_pairs
from pdeval.join.rules import outside
from pdeval.online.assignment import Unit, unit_of, users_in_several
from pdeval.online.behaviour import buckets_of, described, estimated_as, one_query_each
from pdeval.online.behaviour_measures import BehaviourMeasure, chosen_measures, measure_named, names_in
from pdeval.online.cuped import covariates, read_pre
from pdeval.online.log import Log, read_log
from pdeval.online.observations import fitting, observe, summed_up
from pdeval.online.two_sample_tests import Aggregate
from pdeval.online.variants import TESTS, Arm, Asked, TestName, adjusted_arms, arms_of, compared, fitting_test
from pdeval.significance.corrections import Correction, adjust, which_correction
from pdeval.significance.test_result import direction
from pdeval.tables.equal_values import gap, settled, size_of
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import one_of, share, whole

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
    alpha, draws, seed = share("alpha", alpha), whole("draws", draws, 0), arguments.seed(seed)
    correction = which_correction(correction)  # type: ignore[assignment]
    if sequential is not None and (whole("sequential", sequential, 2), test)[1] != "auto":
        raise ValueError(f"sequential= is a test of its own: leave out test={test!r}.")
    chosen, given = chosen_measures(measures, aggregate)
    read = read_log(log)
    code, buckets = buckets_of(read)
    places = _places(read, buckets, order)
    unit = unit_of(read.names, read.queries, unit)
    single = one_query_each(read, unit)
    chosen = fitting(read, chosen, unit, named=measures is not None)
    how = summed_up(given, chosen, unit, single)
    for measure in chosen:
        fitting_test(test, how[measure.name], measure.name, sequential)
    for problem in users_in_several(log):
        said = f"{problem.rows:,} {problem.problem} ({problem.example}): {problem.handling}."
        warnings.warn(f"click log: {said}", UserWarning, stacklevel=outside())
    seen = observe(read, chosen, unit, code, buckets)
    before = past_of(pre, covariate, log, read, unit, chosen, how)
    first, second = all_pairs(len(places))
    rows, adjustments = [], []
    for measure in chosen:
        name, one = measure.name, seen[measure.name]
        kind = estimated_as(measure, how[name], single)
        asked = Asked(test, how[name], "mean" if before and kind == "rate" else kind, 1 - alpha, sequential)
        known = np.zeros(len(one.who), dtype=bool)
        arms = plain = arms_of(one, asked, len(buckets), (seed, name, draws))
        if name in before:
            arms, known = adjusted_arms(one, asked, places, len(buckets), (seed, name, draws), before[name])
        for a, b in zip(places[first], places[second], strict=True):  # a handful of buckets
            x, y = arms[a], arms[b]
            found = compared(x, y, asked)
            sides = (buckets[a], buckets[b], name, how[name], found.test, len(x.values), len(y.values))
            difference = float(gap(x.value, y.value, size_of(x.values, y.values)))
            rows.append((*sides, x.value, y.value, difference, *found[1:]))
            covered = known[(one.bucket == a) | (one.bucket == b)]
            share_covered = float(covered.mean()) if len(covered) else np.nan
            adjustments.append((share_covered, _reduced((plain[a], plain[b]), (x, y))))
    bucket = str(buckets.name)
    columns = [f"{bucket}_a", f"{bucket}_b", "measure", "aggregate", "test", "n_a", "n_b", "value_a", "value_b"]
    columns += ["difference", "ci_low", "ci_high", "effect_size", "statistic", "p_value"]
    frame = pd.DataFrame(rows, columns=columns)
    family = np.repeat(np.arange(len(chosen)), len(first))
    p_adjusted = adjust(frame["p_value"].to_numpy(), family, correction=correction or "none")
    frame = frame.assign(p_adjusted=p_adjusted, significant=p_adjusted < alpha)
    if pre is not None:
        foretold = np.repeat([covariate or measure.name for measure in chosen], len(first))
        covered, reduced = np.array(adjustments).T
        frame = frame.assign(covariate=foretold, covered=covered, variance_reduction=reduced)
    frame.attrs = {
        **{f"bucket_{side}_column": f"{bucket}_{side}" for side in "ab"},
        **described(chosen, how),
        "unit": unit,
        "correction": correction or "none",
        "alpha": alpha,
        "draws": draws,
        "seed": seed,
        **({} if sequential is None else {"sequential": sequential}),
    }
    return frame


def past_of(
    pre: object,
    covariate: str | None,
    log: Table,
    read: Log,
    unit: Unit,
    chosen: Sequence[BehaviourMeasure],
    how: Mapping[str, Aggregate],
) -> dict[str, np.ndarray]:
    """Return the pre-period's values of users for every measure; none where there is no pre-period."""
    if pre is None:
        if covariate is not None:
            raise ValueError("covariate= names a measure of a pre-period: give its log too, pre=.")
        return {}
    if unit != "user":
        raise ValueError(f"pre= adjusts what users did: it needs unit='user', not {unit!r}.")
    for measure in chosen:
        if how[measure.name] == "median":
            raise ValueError(
                f"pre= adjusts means and ratios, {measure.name} is summed up by its median: add aggregate='mean'."
            )
    foretelling = {one.name: one if covariate is None else measure_named(covariate) for one in chosen}
    used: dict[str, Aggregate] = {
        one.name: how[one.name] if covariate is None else foretelling[one.name].aggregate for one in chosen
    }
    return covariates(read_pre(pre, log), read, foretelling, used)


def _reduced(plain: tuple[Arm, Arm], adjusted: tuple[Arm, Arm]) -> float:
    """Return the share by which adjusting reduced the variance of a difference."""
    if min(len(arm.values) for arm in plain) < 2:
        return np.nan
    before, after = (
        sum(float(np.var(arm.values, ddof=1)) / len(arm.values) for arm in both) for both in (plain, adjusted)
    )
    return 1 - after / before if before > 0 else 0.0


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
        sign, mark = (-1, "<") if measure_named(str(name)).worse == "increase" else (1, ">")
        toward = direction(part) * sign
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
