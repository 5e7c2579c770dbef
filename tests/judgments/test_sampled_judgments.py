"""Judgments of a sample of items: chances that are kept, sums without bias, intervals that cover."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.significance.registry import student_interval
from pdeval.tables.equal_values import describe
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults

RUNS, QRELS, _ = pdeval.datasets.load_sample()
RUNS = RUNS[RUNS["run"].isin(["bm25", "hybrid", "ql"])].reset_index(drop=True)
POOL = RUNS.ireval.pool(20)[["query_id", "doc_id"]]
TRUTH = POOL.merge(QRELS, how="left").fillna({"relevance": 0})  # all of the pool is judged
DESIGNS = ["importance", "stratified", "uniform"]
SUMS = ["P@10", "RBP"]
NAMES = {"run": ["run"], "query": ["query_id"], "doc": ["doc_id"]}


def drawn(seed, design, items=600):
    plan = RUNS.ireval.pool.sample(items, depth=20, design=design, seed=seed)
    return plan, plan[plan["chosen"]][["query_id", "doc_id"]].merge(TRUTH)


@pytest.mark.parametrize("design", DESIGNS)
def test_as_many_items_are_drawn_as_were_asked_for(design):
    plan, _ = drawn(0, design)
    assert faults(SCHEMAS["item_sample"], plan, NAMES) == []
    assert plan[["query_id", "doc_id"]].equals(POOL)
    assert plan["chosen"].sum() == 600
    assert plan["probability"].sum() == pytest.approx(600)
    assert plan.equals(
        RUNS.sample(frac=1, random_state=1).ireval.pool.sample(600, depth=20, design=design)
    )


def test_designs_differ_in_the_chances_of_items():
    by = {design: drawn(0, design)[0] for design in DESIGNS}
    assert by["uniform"]["probability"].nunique() == 1
    assert by["stratified"].groupby(pd.cut(by["stratified"]["rank"], [0, 5, 10, 20]), observed=True)[
        "probability"
    ].nunique().tolist() == [1, 1, 1]  # fmt: skip
    top = by["importance"]["rank"] == 1
    assert (
        by["importance"]["probability"][top].mean()
        > 4 * by["importance"]["probability"][~top].mean()
    )


@pytest.mark.broad
def test_where_everything_is_judged_estimates_are_the_measures():
    plan = drawn(0, "uniform")[0].assign(chosen=True, probability=1.0)
    names = ["P@10", "P@5", "RBP", "RBP(p=0.5)", "R@10", "R@20", "AP", "AP@10"]
    found = RUNS.ireval.pool.estimate(TRUTH, names, sample=plan, depth=20)
    whole = RUNS.ireval.measure(TRUTH, names, queries="judged", depth=20)
    assert faults(SCHEMAS["scores"], found, NAMES) == []
    pd.testing.assert_frame_equal(found, whole, rtol=1e-12, check_dtype=False)
    strict = RUNS.ireval.pool.estimate(TRUTH, "P@10", sample=plan, level=2, depth=20)
    assert strict["value"].tolist() == RUNS.ireval.measure(TRUTH, "P@10", queries="judged", level=2, depth=20)[
        "value"].tolist()  # fmt: skip


def test_an_item_counts_as_many_as_it_stands_for():
    runs = pd.DataFrame(
        {"run": "a", "query_id": "1", "doc_id": list("xyzw"), "score": [4, 3, 2, 1]}
    )
    plan = pd.DataFrame({"query_id": "1", "doc_id": list("xyzw"), "rank": [1, 2, 3, 4],
                         "probability": [0.5, 0.25, 0.5, 1.0], "chosen": [True, False, True, True]})  # fmt: skip
    qrels = pd.DataFrame({"query_id": "1", "doc_id": list("xzw"), "relevance": [1, 1, 0]})
    found = runs.ireval.pool.estimate(qrels, ["P@2", "R@2", "AP"], sample=plan)
    # x and z stand for two each: P@2 = 2 / 2, R@2 = 2 / 4, AP = (2 (1 + 0) / 1 + 2 (1 + 2) / 3) / 4 = 1. Tin's part:
    # their number has variance 2 (2 - 1) + 2 (2 - 1) = 4, and covaries with the sum of AP by 2 + (6 + 4) / 3 = 16 / 3
    assert found["value"].tolist() == pytest.approx([1.0, 0.5, 1.0 + 16 / 3 / 16 - 4 / 16])


def test_a_query_without_a_drawn_item_counts():
    plan, asked = drawn(0, "uniform", items=20)
    found = RUNS.ireval.pool.estimate(asked, "P@10", sample=plan)
    assert found["query_id"].nunique() == POOL["query_id"].nunique() > asked["query_id"].nunique()


def every_draw():
    """All 64 draws of six items, each as a query of its own, with its probability; four of the items are relevant."""
    chance, relevant = np.array([0.9, 0.8, 0.7, 0.5, 0.4, 0.3]), np.array([1, 0, 1, 1, 0, 1])
    drawn = np.array(list(product([False, True], repeat=6)))
    often = np.where(drawn, chance, 1 - chance).prod(axis=1)
    query, doc = (axis.ravel() for axis in np.indices(drawn.shape))
    table = pd.DataFrame({"query_id": query, "doc_id": doc})
    plan = table.assign(rank=doc + 1, probability=chance[doc], chosen=drawn.ravel())
    runs = table.assign(run="a", score=-doc)
    return runs, table.assign(relevance=relevant[doc]), plan, often


def plainly(plan, qrels, k):
    """R@k and AP of one query by pairs of items: sum, covariance with the number of relevant items; its variance."""
    weight = np.where(
        plan["chosen"], qrels["relevance"].to_numpy() / plan["probability"].to_numpy(), 0.0
    )
    spare = np.where(weight > 0, weight - 1, 0.0)
    found = {"R@3": [0.0, 0.0], "AP": [0.0, 0.0]}
    for i in range(len(weight)):
        found["R@3"][0] += weight[i] * (i < k)
        found["R@3"][1] += weight[i] * spare[i] * (i < k)
        found["AP"][0] += weight[i] / (i + 1)
        found["AP"][1] += weight[i] * spare[i] / (i + 1)
        for j in range(i):
            found["AP"][0] += weight[i] * weight[j] / (i + 1)
            found["AP"][1] += weight[i] * weight[j] * (spare[i] + spare[j]) / (i + 1)
    return found, weight.sum(), (weight * spare).sum()


def test_ratios_are_those_of_tin_by_covariances_without_bias():
    runs, qrels, plan, often = every_draw()
    left = (
        r"no relevant item of 4 of 64 queries was drawn; these queries are omitted from R@3 and AP"
    )
    with pytest.warns(UserWarning, match=left):
        found = runs.ireval.pool.estimate(qrels, ["P@3", "R@3", "AP"], sample=plan)
    assert found.groupby("measure")["query_id"].nunique().to_dict() == {
        "P@3": 64,
        "R@3": 60,
        "AP": 60,
    }
    assert found[found["measure"] == "P@3"]["value"].to_numpy() @ often == pytest.approx(
        2 / 3, abs=1e-12
    )
    parts = [plainly(plan[plan["query_id"] == query], qrels[:6], 3) for query in range(64)]
    whole, variance = (np.array([part[at] for part in parts]) for at in (1, 2))
    assert often @ variance == pytest.approx(often @ whole**2 - (often @ whole) ** 2)
    for name in ("R@3", "AP"):
        total, covariance = np.array([part[0][name] for part in parts]).T
        assert often @ covariance == pytest.approx(
            often @ (total * whole) - (often @ total) * (often @ whole)
        )
        rows = found[found["measure"] == name]
        n, r, c, v = (
            one[rows["query_id"].to_numpy()] for one in (total, whole, covariance, variance)
        )
        np.testing.assert_allclose(rows["value"], n / r + c / r**2 - n * v / r**3, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.large
@pytest.mark.parametrize("design", DESIGNS)
def test_sums_over_items_are_estimated_without_bias_and_intervals_cover(design):
    rng = np.random.default_rng(4)
    whole = RUNS.ireval.measure(TRUTH, SUMS, queries="judged", depth=20)
    again = []
    for seed in range(80):
        plan, asked = drawn(seed, design)
        again.append(
            RUNS.ireval.pool.estimate(asked, SUMS, sample=plan, depth=20)["value"].to_numpy()
        )
    again = np.array(again)
    for number, ((_, measure), rows) in enumerate(
        whole.groupby(["run", "measure"], sort=False).indices.items()
    ):
        means, true = again[:, rows].mean(axis=1), whole["value"].to_numpy()[rows].mean()
        assert abs(means.mean() - true) < 4 * means.std() / np.sqrt(len(means)), (measure, number)
        # queries drawn anew, each with one of its estimates: both samples are in the interval
        query, draw = (
            rng.integers(0, len(rows), (50, 4000)),
            rng.integers(0, len(again), (50, 4000)),
        )
        low, high = student_interval(*describe(again[draw, rows[query]]), 0.95)
        assert (
            0.925
            <= ((low <= again[:, rows].mean()) & (again[:, rows].mean() <= high)).mean()
            <= 0.975
        )


def test_the_estimate_lies_within_the_bounds_that_assume_nothing():
    plan, asked = drawn(3, "importance", items=1800)
    found = RUNS.ireval.pool.estimate(asked, "P@10", sample=plan).ireval.summary()
    bounds = RUNS.ireval.pool.bounds(asked, "P@10", depth=10, queries="judged")
    assert ((bounds["low"] < found["mean"]) & (found["mean"] < bounds["high"])).all()


class TestWhatIsRefused:
    def test_items_that_were_drawn_and_not_judged(self):
        plan, asked = drawn(0, "uniform")
        with pytest.raises(
            ValueError,
            match=r"10 of the 600 drawn items have no judgment, e\.g\. \('101', ",
        ):
            RUNS.ireval.pool.estimate(asked.iloc[10:], "P@10", sample=plan)

    def test_measures_that_no_sample_estimates(self):
        plan, asked = drawn(0, "uniform")
        for name in ("nDCG@10", "RR"):
            with pytest.raises(
                ValueError,
                match=f"{name} is not estimated from a sample of items; P, RBP, R, AP are",
            ):
                RUNS.ireval.pool.estimate(asked, name, sample=plan)
        with pytest.raises(ValueError, match="Use P with a cutoff, RBP, R or AP"):
            RUNS.ireval.pool.estimate(asked, "P", sample=plan)

    def test_chances_that_are_none_and_samples_that_are_too_large(self):
        plan, asked = drawn(0, "uniform")
        with pytest.raises(ValueError, match=r"drawn items with a probability outside \(0, 1\]"):
            RUNS.ireval.pool.estimate(asked, "P@10", sample=plan.assign(probability=0.0))
        with pytest.raises(
            ValueError, match=f"size=99,999: the pool has {len(POOL):,} items down to rank 20"
        ):
            RUNS.ireval.pool.sample(99_999, depth=20)
