"""A small table of every kind that has verbs, and what each verb cannot be asked without: the ground of the walk."""

import functools
import warnings

import pandas as pd

import pdeval
from pdeval.studies import (
    best_systems,
    changes,
    contribution_surface,
    discount_curves,
    spread_over_collections,
    tie_probability,
)

RUNS = ["bm25", "ql", "tfidf", "dense-s1"]


@functools.cache
def runs() -> pd.DataFrame:
    """Four runs of eight queries, fifteen items deep; two of them answer every query that has relevant items."""
    table = pdeval.datasets.sample_runs()
    queries = sorted(table["query_id"].unique())[:8]
    kept = table["run"].isin(RUNS) & table["query_id"].isin(queries)
    return (
        table[kept]
        .groupby(["run", "query_id"], observed=True, sort=False)
        .head(15)
        .reset_index(drop=True)
    )


@functools.cache
def qrels() -> pd.DataFrame:
    """Their judgments."""
    table = pdeval.datasets.sample_qrels()
    return table[table["query_id"].isin(runs()["query_id"].unique())].reset_index(drop=True)


@functools.cache
def labels() -> pd.DataFrame:
    """Two assessors, of whom the second is stricter."""
    both = [
        qrels().assign(assessor=who, label=(qrels()["relevance"] > least) * 1)
        for who, least in zip("ab", (0, 1))
    ]
    return pd.concat(both, ignore_index=True).drop(columns="relevance")


@functools.cache
def item_sample() -> pd.DataFrame:
    """Every judged item that a run has among its first ten, drawn with a chance of one half, or not."""
    plan = runs().ireval.pool.sample(20, depth=10).merge(qrels()[["query_id", "doc_id"]])
    return plan.assign(probability=0.5, chosen=plan.index % 2 == 0)


@functools.cache
def judged():
    """The join of runs and judgments."""
    return quiet(runs().ireval.join, qrels())


def quiet(call, *args, **given):
    """Return the answer of a call, whatever it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return call(*args, **given)


@functools.cache
def exposures() -> pd.DataFrame:
    """Disparity and relevance of the exposure of items, with a column to group queries by."""
    found = quiet(judged().expected_exposure)
    return found.assign(half=found["query_id"].astype(int) % 2)


@functools.cache
def labeled() -> pd.DataFrame:
    """Pairs of runs, with the one that people preferred."""
    prefs = judged().prefer("invRPP", baseline="bm25").query("value != 0")
    return prefs.assign(winner=(prefs["value"] > 0).map({True: "a", False: "b"}))


@functools.cache
def votes() -> pd.DataFrame:
    """Votes between the runs on their queries, each for the better one by average precision."""
    prefs = judged().prefer("AP")
    made = prefs.assign(
        winner=prefs["value"].map(lambda value: "a" if value > 0 else "b" if value < 0 else "tie")
    )
    made = made.drop(columns=["measure", "value"])
    made.attrs = {}
    return made


@functools.cache
def tables() -> dict[str, object]:
    """Return a table of every kind by the name of its schema; "judged" is the join."""
    return quiet(_tables)


def _tables() -> dict[str, object]:
    join = judged()
    made = {
        "runs": runs(),
        "labels": labels(),
        "judged": join,
        "confusions": labels().ireval.agreement.confusion("a"),
        "judges": runs().ireval.judges(qrels(), labels(), "AP", query_set="common"),
        "judge_bias": runs().ireval.judges.bias(qrels(), labels()),
        "judge_pairs": runs().ireval.judges.pairs(qrels(), labels(), "AP", query_set="common"),
        "posteriors": labels().ireval.assessors.posteriors(),
        "consensus": labels().ireval.consensus(ties="lowest"),
        "agreement_by_query": labels().ireval.agreement.by_query(),
        "judge_scores": runs().ireval.judges.scores(qrels(), labels(), "AP", query_set="common"),
        "preferences": join.prefer(["RPP", "AP"]),
        "scores": join.measure(["AP", "RR"]),
        "orders": join.order(["RPP", "AP"]),
        "votes": votes(),
        "leaderboards": join.leaderboard(["RPP", "AP"], draws=10),
        "contributions": join.disaggregate(["AP", "RPP"], baseline="bm25"),
        "contribution_ecdf": join.disaggregate.ecdf(["AP", "RPP"], points=5),
        "contribution_fractions": join.disaggregate.ecdf(["AP", "RPP"], per="measure"),
        "contribution_surface": contribution_surface("RPP", ranks=3),
        "discounts": discount_curves(ranks=5),
        "curve": join.curve(),
        "discriminative_power": join.discriminative_power(["AP", "RR"], tests="t"),
        "discriminative_curve": join.discriminative_power.curve(["AP", "RR"], tests="t"),
        "sign_agreement": join.agree(["RPP", "AP"]),
        "masked_agreement": join.agree.masked(),
        "correlations": join.correlate(["RPP", "AP", "RR"]),
        "matrix": join.matrix("RPP"),
        "comparisons": join.compare(["AP", "RR"]),
        "friedman": join.friedman(["AP", "RR"]),
        "equivalences": join.equivalence(["AP", "RR"], rope=0.01),
        "summary": join.summary(["AP", "RR"]),
        "wide_summary": join.summary(["AP", "RR"], wide=True),
        "quantiles": join.quantiles(["AP", "RR"], draws=20),
        "means": join.summary("RPP"),
        "components": join.replicates(
            ["AP", "RR"], system="family", metadata=pdeval.datasets.sample_metadata()
        ),
        "left_out": join.pool.leave_one_out(),
        "pool_bounds": join.pool.bounds(),
        "pool": runs().ireval.pool(),
        "pool_by_run": runs().ireval.pool(per="run"),
        "pool_runs": runs().ireval.pool.summary(qrels()),
        "pool_queries": runs().ireval.pool.summary(qrels(), per="query"),
        "pool_pairs": runs().ireval.pool.summary(qrels(), per="pair"),
        "locality": join.agree.locality(levels=3, ahead=2),
        "locality_regression": join.agree.locality(levels=3, ahead=2, kind="regression"),
        "rrie": join.search_lengths.rrie("bm25", "ql"),
        "ablation": join.search_lengths.ablation(),
        "ties": join.ties(),
        "ties_by_recall": join.ties.by_recall(),
        "ties_by_first": join.ties.by_first(),
        "tie_probability": tie_probability(20, [1, 2], [1, 2, 3]),
        "deciding_ecdf": join.ties.deciding_ecdf(),
        "deciding_levels": join.ties.deciding_levels(),
        "robustness": join.robustness(to="queries", draws=2),
        "robustness_summary": join.robustness(to="queries", draws=2, summary=True),
        "search_lengths": join.search_lengths(),
        "search_length_histogram": join.search_lengths.histogram(),
        "search_length_wins": join.search_lengths.wins("bm25", "ql"),
        "search_length_differences": join.search_lengths.differences("bm25", "ql"),
        "effective_fractions": join.search_lengths.effective_fractions(),
        "description": join.describe(),
        "accounting": runs().ireval.check(qrels()),
        "explanation": join.explain(
            "116" if "116" in set(runs()["query_id"]) else runs()["query_id"].iloc[0]
        ),
        "pair_explanation": join.explain(runs()["query_id"].iloc[0], "RPP", runs=["bm25", "ql"]),
        "unjudged_values": join.explain(runs()["query_id"].iloc[0], per="run"),
        "labeled": join.labeled(top=3),
        "hard_queries": join.hard_queries(),
        "swapped_orders": runs().ireval.swap_assessors(labels(), orders=True, draws=3),
        "delta_sort": join.delta_sort("RR"),
        "delta_sort_runs": join.delta_sort("RR", per="run"),
        "gates": join.gate("ql", "bm25", ["AP", "RR"], margin=0.05),
        "best_average_worst": join.best_average_worst(baseline="bm25"),
        "label_agreement": join.agree.labels(labeled(), ["RPP", "AP"]),
        "agreement_of_assessors": labels().ireval.agreement(),
        "exposure_shares": join.exposure_shares(groups()),
        "exposure_tradeoff": exposures().ireval.exposure_tradeoff(),
        "reproduction": join.reproduce(runs(), ["AP", "RR"]),
        "reproduced_order": join.reproduce(runs(), per="query"),
        "recall_curve": join.recall_curve(points=3),
        "stopping": join.stopping(),
    }
    for kind in ("scores", "preferences"):  # a column to group queries by
        made[kind] = made[kind].assign(half=made[kind]["query_id"].astype(int) % 2)
    for kind in ("scores", "preferences"):
        made |= _grouped(made[kind], kind)
    made |= _online() | _answers()
    made |= _powered()
    made["correlations_by_measure"] = made["orders"].ireval.correlate.against(made["orders"])
    sites = pd.concat([made["scores"].assign(site=site) for site in "ab"], ignore_index=True)
    made["headroom"] = sites.ireval.search_lengths.headroom(by="site")
    collections = {"all": join, "strict": join.at(level=2)}
    made["over_collections"] = spread_over_collections(
        pd.concat(one.delta_sort("RR").assign(collection=name) for name, one in collections.items())
    )
    made["changes"] = changes({name: one.measure("AP") for name, one in collections.items()})
    made["best_systems"] = best_systems(collections, ["AP", "RR"])
    return made


def _powered() -> dict[str, pd.DataFrame]:
    """People who labeled every other query, and a machine that labeled all."""
    few, given = (
        qrels()[qrels()["query_id"].astype(int) % 2 == 1],
        {"machine": qrels(), "queries": "judged"},
    )
    scores = runs().ireval.measure(few, ["AP", "RR"], **given)
    return {
        "to_label": scores.ireval.label_next(n_queries=2),
        "item_sample": item_sample(),
        "labels_needed": scores.ireval.label_next.sample_size(width=0.5),
        "label_bounds": scores.ireval.label_bounds(),
    }


def _grouped(table: pd.DataFrame, kind: str) -> dict[str, pd.DataFrame]:
    """What groups of queries say of runs, or of pairs of them."""
    accessor = table.ireval
    if kind == "scores":
        return {
            "segments": accessor.segments(by="half"),
            "segment_gaps": accessor.segments.gaps(by="half"),
        }
    return {
        "meta_analysis": accessor.meta_analysis("RPP", by="half", draws=20),
        "collection_effects": accessor.meta_analysis(
            "RPP", by="half", baseline="bm25", per="collection"
        ).query("run_a == 'ql'"),
        "segment_differences": accessor.segments(by="half"),
        "segment_difference_gaps": accessor.segments.gaps(by="half"),
    }


def _online() -> dict[str, pd.DataFrame]:
    two = runs()[runs()["run"].isin(["bm25", "ql"])]
    lists, many = two.ireval.interleave(draws=2), two.ireval.interleave.many()
    clicks = two.ireval.simulate_clicks(qrels(), sessions=3)
    credits = lists.ireval.simulate_clicks(qrels()).ireval.credit(lists)
    return {
        "lists": lists,
        "multileaved_lists": many,
        "clicks": clicks,
        "credits": credits,
        "wins": credits.ireval.wins(),
        "behavior": clicks.ireval.behavior(),
        "issued_queries": clicks.ireval.per_query(),
        "bucket_comparisons": clicks.ireval.compare_buckets(),
        "order_checks": clicks.ireval.check_order(["bm25", "ql"]),
        "aa_tests": clicks.ireval.compare_buckets.aa_test(draws=3),
        "users": clicks.ireval.per_user(),
        "feedback": feedback(),
        "policy_weights": feedback().ireval.off_policy.weights(policies()),
    }


def feedback() -> pd.DataFrame:
    """A log of a policy that chose one of two actions for each query."""
    queries = runs()["query_id"].drop_duplicates().tolist()
    return pd.DataFrame(
        {
            "query_id": queries * 2,
            "action": ["x", "y"] * len(queries),
            "reward": 1.0,
            "propensity": 0.5,
        }
    )


def policies() -> pd.DataFrame:
    """A policy for that log."""
    log = feedback()
    keys = log[["query_id"]].drop_duplicates().merge(log[["action"]].drop_duplicates(), how="cross")
    return keys.assign(run="bm25", probability=0.5)


def _answers() -> dict[str, pd.DataFrame]:
    kinds = pd.DataFrame({"nugget": ["n1", "n2"], "importance": ["vital", "okay"]})
    nuggets = runs()[["run", "query_id"]].drop_duplicates().merge(kinds, how="cross")
    citations = nuggets.rename(columns={"nugget": "sentence"}).drop(columns="importance")
    assignment = nuggets.index % 3 / 2
    few = pd.Series(assignment).where(nuggets["query_id"].astype(int) % 2 == 1)
    scores = judged().measure("AP")
    both = nuggets.assign(assignment=few, machine=assignment, length=100)
    return {
        "nuggets": both,
        "citations": citations.assign(doc_id="d", support=assignment, position=1),
        "answers_to_label": both.ireval.label_next(),
        "risk_coverage": scores.ireval.risk_coverage(runs()),
        "risk_coverage_curve": scores.ireval.risk_coverage.curve(runs()),
    }


@functools.cache
def answerable() -> pd.DataFrame:
    """Which of the queries have an answer."""
    queries = runs()["query_id"].drop_duplicates()
    return pd.DataFrame({"query_id": queries, "answerable": queries.astype(int) % 2 == 1})


def groups() -> pd.DataFrame:
    """The judged items in two groups."""
    docs = qrels()[["doc_id"]].drop_duplicates(ignore_index=True)
    return docs.assign(group=["even" if row % 2 else "odd" for row in docs.index])


# what a verb is asked where it cannot be asked without
NEEDED = {
    "to": lambda: "queries",
    "rope": lambda: 0.01,
    "difference": lambda: 0.1,
    "qrels": qrels,
    "labels": labels,
    "groups": groups,
    "original": runs,
    "labeled": labeled,
    "metadata": lambda: pdeval.datasets.sample_metadata(),
    "others": lambda: tables()["orders"],
    "lists": lambda: tables()["lists"],
    "query": lambda: runs()["query_id"].iloc[0],
    "new": lambda: "RR",
    "by": lambda: "half",
    "run_a": lambda: "bm25",
    "run_b": lambda: "ql",
    "candidate": lambda: "ql",
    "baseline": lambda: "bm25",
    "order": lambda: ["bm25", "ql"],
    "width": lambda: 0.5,
    "size": lambda: 20,
    "sample": item_sample,
    "answerable": answerable,
    "confidence": runs,
    "spans": lambda: qrels().assign(start=0, end=9),
    "chunks": lambda: (
        runs()[["doc_id"]]
        .drop_duplicates()
        .assign(document=lambda frame: frame["doc_id"], start=0, end=9)
    ),
    "reference": lambda: "a",
    "policies": policies,
    "machine": lambda: qrels().assign(relevance=(qrels()["relevance"] > 0) * 1),
}
# and where it would take long
FEW = {"draws": 3}
