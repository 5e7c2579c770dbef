"""Verbs by simulation, a few hundred data sets per cell: what is stated, and what was found.

Data sets are measures or columns of one table wherever a verb treats these independently, so that a cell is one call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from scipy import integrate, special, stats

import pdeval
from pdeval.evaluate.summary import of_scores, quantile, worst_share
from pdeval.online.two_sample_tests import (
    always_valid,
    bootstrap_ratios,
    clustered_rate,
    estimate,
    linearized,
    ratio_of,
)
from pdeval.orderings.bradley_terry import Counts, Fitted, many_fitted
from pdeval.orderings.order import ordered
from pdeval.orderings.votes import ranks, ranks_within
from pdeval.significance.compare import compare
from pdeval.significance.hierarchical_bootstrap import macro_and_micro
from pdeval.significance.over_collections import combined_effects
from pdeval.significance.power import queries_needed
from pdeval.significance.reliability import decisions, queries_for
from tests.statistics.findings import Deviation, Finding, counted
from tests.statistics.intervals import cube_of
from tests.statistics.nulls import MEANS, NULLS

CASES = 400
SKEW = "few skewed values"
NEAR_TIES = "ranks of samples shrink towards the middle for nearly equal systems"
LEXIMIN = "scores of leximin have no normal limit; 'marginal' is of one run"
ONE_SIDE = "the error of a best or worst rank is on one side"
SPARSE: tuple[tuple[Deviation, str], ...] = (
    ("liberal", "sandwich errors need about 20 votes per system"),
    ("conservative", "bootstrap samples of sparse votes vary more than votes"),
)
BONFERRONI = "single-step bounds of dependent tests"
UNEQUAL = "few or unequal collections have few effective degrees of freedom"
FEW = "few successes: at most one observation per user"
RARE = "few users with a rare event: rate and spread go together"
WORST = "percentiles of the mean of few of the worst queries"
ORDER = "order statistics come in steps"
ROUNDED = "the next whole number of queries"
PLAN = "one collection more than the t-test needs"
JACKKNIFE = "the jackknife's variance is too large for coverage"


# known deviations of 95% intervals of means with 5 to 50 queries, by interval and distribution
DEVIATIONS: dict[tuple[str, str], Deviation] = {
    ("student", "bounded"): "liberal",
    ("student", "lognormal"): "liberal",
    ("bootstrap-t", "bounded"): "conservative",
    ("bootstrap-t", "lognormal"): "liberal",
    ("bca", "normal"): "liberal",
    ("bca", "bounded"): "liberal",
    ("bca", "lognormal"): "liberal",
}


def means() -> Iterator[Finding]:
    """Yield the coverage of intervals of means with 5 to 50 queries."""
    for null in ("normal", "bounded", "lognormal"):
        for n in (5, 10, 25, 50):
            cube = cube_of(NULLS[null](np.random.default_rng(n), (1, n, 5 * CASES)))
            for interval in ("student", "bootstrap-t", "bca"):
                found = of_scores(cube, interval=interval)  # type: ignore[arg-type]
                inside = found["ci_low"].le(MEANS[null]) & found["ci_high"].ge(MEANS[null])
                known = DEVIATIONS.get((interval, null), "")
                why = "BCa needs about 25 values" if null == "normal" else SKEW
                what = f"summary(interval={interval!r})"
                hits = counted(inside.to_numpy())
                yield Finding(what, null, n, *hits, 0.95, True, known, why)


def families() -> Iterator[Finding]:
    """Yield the family-wise error, and the simultaneous coverage, of the corrections of `compare`."""
    for runs, n, null in ((10, 50, "bounded"), (10, 8, "normal"), (50, 50, "normal")):
        cases = CASES if runs < 50 else CASES // 4
        rng = np.random.default_rng(runs + n)
        cube = cube_of(NULLS[null](rng, (cases, n, runs)) + rng.normal(size=(cases, n, 1)))
        for baseline, family in ((None, "all pairs"), ("r00000", "baseline")):
            found = compare(cube, test="t", correction="max-t", baseline=baseline, draws=1000)
            inside = found["ci_low"].le(0) & found["ci_high"].ge(0)
            wrong = found["significant"].groupby(found["measure"], observed=True).any()
            together = inside.groupby(found["measure"], observed=True).all()
            shape = f"{family} of {runs} runs, {null}"
            call = "compare(correction='max-t')"
            yield Finding(call, shape, n, *counted(wrong.to_numpy()), 0.05)
            what = f"{call}, all intervals"
            yield Finding(what, shape, n, *counted(together.to_numpy()), 0.95, True)


def rank_intervals() -> Iterator[Finding]:
    """Yield how often the ranks of nearly equal runs are covered: that of the best, and all of them."""
    for runs, n in ((9, 50), (30, 50), (9, 8)):
        rng = np.random.default_rng(runs * n)
        values = rng.normal(size=(CASES, n, 1)) + rng.normal(size=(CASES, n, runs))
        cube = cube_of(values - 1e-9 * np.arange(runs))
        for kind in ("marginal", "joint", "percentile"):
            options = {"draws": 500, "rank_interval": kind, "progress": False}
            found = ordered(cube, method="mean", **options)
            true = found["run"].astype(str).str[1:].astype(int) + 1
            inside = found["rank_low"].le(true) & found["rank_high"].ge(true)
            every = inside.groupby(found["measure"], observed=True).all()
            what, hits = (
                (f"order(rank_interval={kind!r}), all", every)
                if kind == "joint"
                else (f"order(rank_interval={kind!r}), the best", inside[true == 1])
            )
            shape = f"{runs} nearly equal runs"
            known = ("liberal", NEAR_TIES) if kind == "percentile" else ("conservative", ONE_SIDE)
            yield Finding(what, shape, n, *counted(hits.to_numpy()), 0.95, True, *known)
    # scores of leximin move in steps and have no normal limit
    rng = np.random.default_rng(13)
    cube = cube_of(rng.normal(size=(CASES, 50, 9)) - 1e-9 * np.arange(9))
    for kind in ("marginal", "joint"):
        options = {"draws": 500, "rank_interval": kind, "progress": False}
        found = ordered(cube, method="leximin", **options)
        true = found["run"].astype(str).str[1:].astype(int) + 1
        inside = found["rank_low"].le(true) & found["rank_high"].ge(true)
        hits = counted(inside.groupby(found["measure"], observed=True).all().to_numpy())
        what = f"order('leximin', rank_interval={kind!r}), all"
        shape, known = "9 nearly equal runs", ("liberal", LEXIMIN)
        yield Finding(what, shape, 50, *hits, 0.95, True, *known)


def quantiles() -> Iterator[Finding]:
    """Yield the coverage of a quantile, and of the mean of the worst tenth of the queries."""
    for null, drawn in (("normal", stats.norm), ("beta(.8, 2)", stats.beta(0.8, 2.0))):
        for n in (100, 200):
            values = drawn.rvs(size=(n, CASES), random_state=n)
            cut = drawn.ppf(0.1)
            worst = 10 * integrate.quad(lambda x, one=drawn: x * one.pdf(x), drawn.support()[0], cut)[0]  # fmt: skip
            _, low, high = quantile(values, 0.1)
            hits = counted((low <= cut) & (cut <= high))
            known = ("conservative", ORDER)
            yield Finding("quantiles, 0.1", null, n, *hits, 0.95, True, *known)
            _, low, high = worst_share(values, 0.1, 1000)
            hits = counted((low <= worst) & (worst <= high))
            known = ("liberal", WORST)
            yield Finding("quantiles(worst=0.1)", null, n, *hits, 0.95, True, *known)


def _votes(
    rng: np.random.Generator, systems: int, spread: float, groups: int, votes: int
) -> tuple[Counts, np.ndarray]:
    """Return votes in groups with preferences of their own (or single votes), connected, and the true strengths."""
    true = np.linspace(-spread, spread, systems)
    while True:
        one = rng.integers(0, systems, groups * votes)
        two = (one + rng.integers(1, systems, len(one))) % systems
        group = np.repeat(np.arange(groups), votes)
        strength = true + rng.normal(0, 1.0 if votes > 1 else 0.0, (groups, systems))
        chance = special.expit(strength[group, one] - strength[group, two])
        sign = np.where(rng.random(len(one)) < chance, 1, -1)
        counts = Counts.of(one, two, sign, systems, group if votes > 1 else None)
        if len(counts.components()) == 1 and (counts.met.sum(axis=1) > 0).all():
            return counts, true


def votes() -> Iterator[Finding]:
    """Yield how often equal systems differ, with prompts as groups, and how often strengths are covered."""
    rng = np.random.default_rng(7)
    a, b = np.triu_indices(6, k=1)
    for groups in (10, 30):
        wrong = []
        for _ in range(CASES):
            p = Fitted.of(_votes(rng, 6, 0.0, groups, 15)[0], 0.01).p_values(a, b)
            wrong.append(p.min() * len(p) < 0.05)
        shape = f"6 equal systems, {groups} prompts of 15 votes"
        hits = counted(np.array(wrong))
        what = "vote leaderboard, any tier"
        yield Finding(what, shape, groups, *hits, 0.05, False, "conservative", BONFERRONI)
    best = {kind: np.zeros(CASES, dtype=bool) for kind in ("marginal", "percentile")}
    near = np.random.default_rng(37)
    for case in range(CASES):
        counts, _ = _votes(near, 6, -1e-9, 30, 15)  # the first is the best
        fit = Fitted.of(counts, 0.01)
        drawn = many_fitted(*counts.tables(counts.drawn(near, 200)), counts.met, fit)
        for kind, row in best.items():
            options = {"n": counts.groups, "kind": kind, "method": "bradley-terry"}
            row[case] = ranks_within(fit.strength, drawn, ranks(drawn), 0.95, **options)[0][0] == 1
    for kind, row in best.items():
        what = f"vote leaderboard(rank_interval={kind!r}), the best"
        known = ("liberal", NEAR_TIES) if kind == "percentile" else ("conservative", ONE_SIDE)
        shape = "6 nearly equal systems, 30 prompts of 15 votes"
        yield Finding(what, shape, 30, *counted(row), 0.95, True, *known)
    for number, spread in ((60, 1.0), (60, 2.0), (200, 1.0)):
        inside = np.zeros((2, CASES), dtype=bool)
        for case in range(CASES):
            counts, true = _votes(rng, 10, spread, number, 1)
            fit = Fitted.of(counts, 0.01)
            tables = counts.tables(counts.drawn(rng, 200))
            drawn = many_fitted(*tables, counts.met, fit)
            variance = np.square(drawn - fit.strength).mean(axis=0)
            for row, ends in zip(inside, (fit.interval(0.95), fit.interval(0.95, variance))):
                # one system of each data set, because those of one data set depend on each other
                row[case] = ((ends[0] <= true) & (true <= ends[1]))[case % 10]
        shape = f"10 systems, strengths from {-spread:g} to {spread:g}"
        for errors, row, known in zip(("sandwich", "bootstrap"), inside, SPARSE):
            what = f"vote leaderboard(errors={errors!r})"
            yield Finding(what, shape, number, *counted(row), 0.95, True, *known)


def rates() -> Iterator[Finding]:
    """Yield the coverage of rates near 0, of users with several queries."""
    for rate, users in ((0.01, 100), (0.05, 30), (0.3, 30)):
        rng, other = np.random.default_rng(users), np.random.default_rng(users + 1)
        inside = np.zeros((2, CASES), dtype=bool)
        others = np.zeros((2, CASES), dtype=bool)  # Student's interval, the bootstrap
        for case in range(CASES):
            queries = rng.geometric(0.2, users)
            clicks = rng.binomial(queries, rng.beta(2 * rate, 2 * (1 - rate), users))
            events = int(min((clicks > 0).sum(), (clicks < queries).sum()))
            mean, ratio = clicks / queries, ratio_of(clicks, queries)
            both = ((ratio, linearized(clicks, queries)), (float(mean.mean()), mean))
            for row, (value, linear) in zip(inside, both):
                one = clustered_rate(value, linear, 0.95, events=events)
                row[case] = one.low <= rate <= one.high
            one = estimate(mean, "mean", confidence=0.95, draws=0, rng=other)
            low, high = np.quantile(bootstrap_ratios(clicks, queries, 500, other), [0.025, 0.975])
            others[:, case] = one.low <= rate <= one.high, low <= rate <= high
        shape = f"rate {rate:g}, users differ"
        for what, row in zip(("mean of users by Student", "ratio by the bootstrap"), others):
            hits = counted(row)
            known = ("liberal", RARE)
            yield Finding(f"behavior, rate, {what}", shape, users, *hits, 0.95, True, *known)
        for what, row in zip(("ratio", "mean of users"), inside):
            hits = counted(row)
            known = ("conservative", FEW)
            yield Finding(f"behavior, rate, {what}", shape, users, *hits, 0.95, True, *known)


def sequential() -> Iterator[Finding]:
    """Yield how often any of 20 looks at two equal buckets is significant."""
    rng = np.random.default_rng(8)
    ever = np.zeros(CASES, dtype=bool)
    for case in range(CASES):
        x, y = rng.exponential(size=(2, 1050))
        for n in range(100, 1051, 50):
            p = always_valid(x[:n], y[:n], confidence=0.95, planned=1000).p_value
            ever[case] |= p < 0.05
    why = "valid at any number of looks"
    what = "compare_buckets(sequential=)"
    known = ("conservative", why)
    yield Finding(what, "20 looks, skewed values", 1050, *counted(ever), 0.05, False, *known)


def collections() -> Iterator[Finding]:
    """Yield the size of the tests over collections without a difference, and the power of planned numbers."""
    shapes = {
        "2 collections": [40, 40],
        "3 collections": [40] * 3,
        "6 collections": [40] * 6,
        "4 unequal collections": [10, 20, 40, 400],
        "10 unequal collections": [10] * 5 + [50] * 4 + [500],
    }
    for name, sizes in shapes.items():
        rng = np.random.default_rng(len(sizes))
        parts = [
            rng.normal(0, 0.3, (1, CASES)) + rng.normal(0, 1.0, (size, CASES)) for size in sizes
        ]
        macro, _ = macro_and_micro(parts, draws=500)
        mean = np.stack([part.mean(axis=0) for part in parts])
        error = np.stack([part.std(axis=0, ddof=1) / np.sqrt(len(part)) for part in parts])
        random = combined_effects(mean, error)["random_p"]
        for what, p, known in (
            ("macro", macro["p_value"], ()),
            ("random effects", random, ("conservative", UNEQUAL)),
        ):
            hits = counted(p < 0.05)
            yield Finding(f"meta_analysis, {what}", name, sum(sizes), *hits, 0.05, False, *known)
    for effect in (2.4, 1.5, 1.0):
        needed = int(queries_needed(np.array([effect]), 0.8, 0.05).item()) + 1
        rng = np.random.default_rng(needed)
        true = effect + rng.normal(0, np.sqrt(0.7), (needed, 1, CASES))
        parts = list(true + rng.normal(0, 3.0, (needed, 30, CASES)))
        hits = counted(macro_and_micro(parts, draws=500)[0]["p_value"] < 0.05)
        shape = f"effect {effect:g} sd of collections"
        # power is to be at least the wanted one, as coverage is
        what = "meta_analysis.sample_size"
        yield Finding(what, shape, needed, *hits, 0.8, True, "conservative", PLAN)


def designs() -> Iterator[Finding]:
    """Yield the coverage of reliabilities, and the power of planned analyses of variance."""
    rng, runs, n = np.random.default_rng(9), 10, 30
    inside = np.zeros((2, CASES), dtype=bool)
    for case in range(CASES):
        X = rng.normal(size=runs) + rng.normal(0, 2, (n, 1)) + rng.normal(0, 3, (n, runs))
        left = X - X.mean(axis=0) - X.mean(axis=1, keepdims=True) + X.mean()
        squares = (
            X.mean(axis=0).var(ddof=1) * n,
            X.mean(axis=1).var(ddof=1) * runs,
            float(np.square(left).sum()) / (runs - 1) / (n - 1),
        )
        found: dict[str, np.ndarray] = decisions(*squares, runs, n, np.array([n]))  # type: ignore[assignment]
        for row, name, error in zip(inside, ("erho2", "phi"), (9, 13)):
            true = 1 / (1 + error / n)
            row[case] = found[f"{name}_low"].item() <= true <= found[f"{name}_high"].item()
    for name, row in zip(("erho2", "phi"), inside):
        yield Finding(f"reliability, {name}", "10 runs, normal", n, *counted(row), 0.95, True)
    for runs in (3, 10):
        n = int(queries_for(np.ones(1), 1.0, runs, "two-way", 0.8, 0.05).item())
        true = np.zeros(runs)
        true[:2] = -0.5, 0.5
        X = true + rng.normal(size=(5 * CASES, n, runs))
        left = X - X.mean(axis=1, keepdims=True) - X.mean(axis=2, keepdims=True)
        residual = np.square(left + X.mean(axis=(1, 2), keepdims=True)).sum(axis=(1, 2))
        F = n * X.mean(axis=1).var(axis=1, ddof=1) / residual * ((runs - 1) * (n - 1))
        hits = counted(special.fdtrc(runs - 1, (runs - 1) * (n - 1), F) < 0.05)
        shape = f"{runs} runs, best and worst 1 sd apart"
        yield Finding("anova.sample_size", shape, n, *hits, 0.8, True, "conservative", ROUNDED)


def _lists(
    rng: np.random.Generator, cases: int, users: int, number: int, skew: float
) -> np.ndarray:
    """Return lists of five items, (cases, users, 5), of a catalog whose items have popularity 1 / rank^skew."""
    popular = -skew * np.log(np.arange(1, number + 1))
    return np.argpartition(-popular - rng.gumbel(size=(cases, users, number)), 5, axis=2)[:, :, :5]


def sets() -> Iterator[Finding]:
    """Yield the coverage of measures of all lists together, and of their differences, over users."""
    measures, users, number = ["Coverage@5", "Gini@5", "Entropy@5"], 100, 600
    rng, items = np.random.default_rng(10), pd.DataFrame({"item_id": np.arange(number)})
    cases, values = CASES // 2, []
    for skew in (
        1.0,
        0.7,
    ):  # of the run and of the baseline, once for the truth and once for the intervals
        for _ in range(2):
            item = _lists(rng, cases, users, number, skew)
            case, user, rank = (axis.ravel() for axis in np.indices(item.shape))
            columns = {"case": case, "user_id": user, "item_id": item.ravel(), "score": -rank}
            values.append(pd.DataFrame(columns).assign(run=f"skew {skew:g}"))
    truth, other = (
        pd.concat(pair).assign(run=lambda one: one["run"] + one["case"].map(" {}".format))
        for pair in (values[::2], values[1::2])
    )
    expected = truth.ireval.beyond_accuracy(measures, items=items, draws=0)
    baseline = expected["run"].str.startswith("skew 0.7")
    mean = expected.groupby(["measure", baseline])["mean"].mean()
    found = other.ireval.beyond_accuracy(measures, items=items, draws=100)
    found = found[found["run"].str.startswith("skew 1")]
    compared = []
    for _, one in other.groupby("case"):
        named = one.assign(run=one["run"].str.rsplit(" ", n=1).str[0])
        compared.append(
            named.ireval.beyond_accuracy.compare(measures, items=items, baseline="skew 0.7")
        )
    differences = pd.concat(compared)
    for measure in measures:
        true = mean[measure, False]
        inside = found["ci_low"].le(true) & found["ci_high"].ge(true)
        hits = counted(inside[found["measure"] == measure].to_numpy())
        shape = f"{users} users, {number} items"
        known = ("conservative", JACKKNIFE)
        yield Finding(f"summary, {measure}", shape, users, *hits, 0.95, True, *known)
        rows = differences[differences["measure"] == measure]
        sign = np.sign(rows["difference"] / (rows["mean_a"] - rows["mean_b"])).iloc[0]
        true = sign * (mean[measure, False] - mean[measure, True])
        hits = counted((rows["ci_low"].le(true) & rows["ci_high"].ge(true)).to_numpy())
        what = f"beyond_accuracy.compare, {measure}"
        yield Finding(what, shape, users, *hits, 0.95, True, *known)


def pools() -> Iterator[Finding]:
    """Yield how often bounds of pools contain the value by complete judgments, which they always do."""
    rng, queries, items = np.random.default_rng(12), CASES, 30
    query, item = (axis.ravel() for axis in np.indices((queries, items)))
    qrels = pd.DataFrame(
        {"query_id": query, "doc_id": item, "relevance": rng.random(query.size) < 0.3}
    )
    qrels["relevance"] = qrels["relevance"].astype(int)
    score = rng.random((2, query.size))
    parts = [
        pd.DataFrame({"run": name, "query_id": query, "doc_id": item, "score": one})
        for name, one in zip("ab", score)
    ]
    runs = pd.concat(parts, ignore_index=True)
    top = runs.sort_values("score", ascending=False).groupby(["run", "query_id"]).head(10)
    pooled = qrels.merge(top[["query_id", "doc_id"]].drop_duplicates())
    measures = ["P@10", "AP", "nDCG@20"]
    options = {"queries": "judged"}
    true = runs.ireval.measure(qrels, measures, **options)
    bounds = runs.ireval.pool.bounds(pooled, measures, per="query", depth=items, **options)
    true = true.rename(columns={"value": "true"})
    both = bounds.merge(true, on=["run", "query_id", "measure"])
    inside = both["low"].le(both["true"] + 1e-12) & both["high"].ge(both["true"] - 1e-12)
    for measure in measures:
        hits = counted(inside[both["measure"] == measure].to_numpy())
        shape = "2 runs of 30 items, pool of depth 10"
        yield Finding(f"pool.bounds, {measure}", shape, queries, *hits, 1.0, True)


def random_buckets() -> Iterator[Finding]:
    """Yield the error of tests of random buckets of one log."""
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    log = runs[runs["run"].isin(["bm25"])].ireval.simulate_clicks(qrels, sessions=4, users=60)
    measures = ["CTR", "clicks_per_query"]
    found = log.ireval.compare_buckets.aa_test(measures, draws=5 * CASES, progress=False)
    for row in found.itertuples():
        what, shape = f"compare_buckets.aa_test, {row.measure}", "60 users in random buckets"
        yield Finding(what, shape, 60, int(row.draws), int(row.rejected), 0.05)


CELLS: tuple[Callable[[], Iterator[Finding]], ...] = (
    means,
    families,
    rank_intervals,
    quantiles,
    votes,
    rates,
    collections,
    designs,
    sets,
    pools,
    random_buckets,
    sequential,
)
