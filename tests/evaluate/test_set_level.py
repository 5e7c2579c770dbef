"""Measures of all lists of a run together: worked by hand, resamples against a plain loop, intervals that hold."""

import math

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import ENTRIES
from tests.evaluate.test_items import HISTORY, ITEMS, RUNS, TEST

TABLES = {"items": ITEMS, "history": HISTORY}


def worked(measure, runs=RUNS, **more):
    table = runs.ireval.beyond(measure, **{**TABLES, **more})
    return dict(zip(table["run"], table["mean"], strict=True))


def test_coverage_is_the_share_of_the_catalogue_that_any_list_shows():
    assert worked("Coverage@1") == {"x": 0.5, "y": 0.25}  # a and d; d
    assert worked("Coverage") == {"x": 1.0, "y": 0.5}
    assert worked("Coverage(least=2)") == {"x": 0.25, "y": 0.0}  # a, for both users


def test_user_coverage_is_the_share_of_users_that_get_so_many_items():
    runs = RUNS[(RUNS["run"] == "x")]
    judged = runs.ireval.join(pd.concat([TEST, TEST.assign(user_id="w")]), topics="relevant", **TABLES)
    found = judged.summary(["UserCoverage@3", "UserCoverage(least=3)@3"])
    assert found["mean"].tolist() == [2 / 3, 1 / 3]
    assert found["n"].tolist() == [3, 3]


@pytest.mark.broad
def test_gini_and_entropy_say_how_evenly_items_are_shown():
    # x shows a twice, b, c, d once: sorted 1 1 1 2, sum of (2 i - 5) x_i = -3 - 1 + 1 + 6 = 3, over 4 * 5
    assert worked("Gini")["x"] == pytest.approx(0.15, abs=1e-15)
    assert worked("Gini")["y"] == 0.5  # 0 0 1 1
    assert worked("Gini(patience=0.5)")["y"] == pytest.approx((0.5 + 3 * 1.0) / (4 * 1.5), abs=1e-15)  # 0 0 1/2 1
    assert worked("Entropy")["y"] == 1.0
    assert worked("Entropy(normalised=true)")["y"] == 0.5
    assert worked("Entropy")["x"] == pytest.approx(0.4 * math.log2(2.5) + 0.6 * math.log2(5), abs=1e-15)
    assert worked("TailShare(head=0.25)") == {"x": 0.6, "y": 1.0}  # a is the head


def test_all_lists_together_stand_beside_means_in_the_order_asked():
    judged = RUNS.ireval.join(TEST, topics="answered", **TABLES)
    found = judged.summary(["RR", "Coverage@2", "Novelty@2"])
    assert found[["run", "measure"]].to_numpy().tolist() == [
        [run, measure] for run in "xy" for measure in ("RR", "Coverage@2", "Novelty@2")
    ]
    assert found["sd"].isna().tolist() == [False, True, False, True, True, True]  # y has one list
    wide = judged.summary(["RR", "Coverage@2"], wide=True)
    assert wide.columns.tolist() == ["run", "RR", "Coverage@2"]
    pd.testing.assert_frame_equal(
        found, RUNS.ireval.summary(TEST, ["RR", "Coverage@2", "Novelty@2"], topics="answered", **TABLES)
    )


def test_one_list_has_no_interval_and_none_is_drawn_without_draws():
    found = RUNS.ireval.beyond(["Coverage@2"], draws=0, **TABLES)
    assert found[["ci_low", "ci_high"]].isna().all().all()


def test_measures_per_query_refuse_them_with_where_they_are():
    with pytest.raises(
        ValueError, match=r"Coverage@2 is one number for all lists of a run together, not one per query"
    ):
        RUNS.ireval.measure(TEST, ["RR", "Coverage@2"], **TABLES)
    with pytest.raises(ValueError, match=r"\.ireval\.beyond\(\.\.\.\) without judgments"):
        RUNS.ireval.compare(TEST, "Coverage@2", topics="answered", **TABLES)
    with pytest.raises(ValueError, match=r"RR needs judgments: \.ireval\.summary\(qrels, \['RR'\], \.\.\.\)"):
        RUNS.ireval.beyond(["Coverage@2", "RR"], **TABLES)
    with pytest.raises(ValueError, match=r"Serendipity@2 needs judgments: \.ireval\.measure\(qrels"):
        RUNS.ireval.beyond("Serendipity@2", per="query", **TABLES)
    with pytest.raises(ValueError, match=r"Coverage@2 looks at the items of lists: give items="):
        RUNS.ireval.beyond("Coverage@2")
    with pytest.raises(ValueError, match=r"TailShare@2 needs history="):
        RUNS.ireval.beyond("TailShare@2", items=ITEMS)


@pytest.mark.parametrize(
    "verb",
    ["measure", "prefer", "mean", "compare", "order", "leaderboard", "correlate", "ties", "incomplete", "report"],
)
def test_every_verb_of_queries_says_where_they_are(verb):
    judged = RUNS.ireval.join(TEST, topics="judged", **TABLES)
    with pytest.raises(ValueError, match=r"Coverage@2 is one number for all lists .*summary.*beyond"):
        getattr(judged, verb)(["RR", "Coverage@2"])


def test_without_judgments_every_list_counts_and_each_has_its_values():
    found = RUNS.ireval.beyond(["Novelty@2", "Unseen@2"], per="query", **TABLES)
    judged = RUNS.ireval.measure(TEST, ["Novelty@2", "Unseen@2"], topics="answered", **TABLES)
    pd.testing.assert_frame_equal(found, judged)
    again = RUNS.ireval.join(TEST, topics="answered", **TABLES).beyond(["Novelty@2"], per="query")
    assert again["value"].tolist() == found.query("measure == 'Novelty@2'")["value"].tolist()


@pytest.mark.broad
def test_groups_and_replicates_are_asked_as_ever():
    about = pd.DataFrame({"user_id": ["u", "v"], "group": ["old", "new"]})
    judged = RUNS.ireval.join(TEST, topics="answered", **TABLES)
    found = judged.summary(["Coverage@1", "RR"], by="group", metadata=about)
    assert found.query("measure == 'Coverage@1' and n > 0")[["group", "run", "mean"]].to_numpy().tolist() == [
        ["new", "x", 0.25], ["old", "x", 0.25], ["old", "y", 0.25],
    ]  # fmt: skip
    assert found.loc[found["n"] == 0, "mean"].isna().tolist() == [True, True]  # y has no list of the new users
    one = RUNS[RUNS["run"] == "x"].ireval.join(TEST, **TABLES).summary("Coverage@1", by="group", metadata=about)
    assert one["mean"].tolist() == [0.25, 0.25]
    seeds = pd.concat([RUNS.assign(model="m", seed=RUNS["run"].map({"x": 1, "y": 2}))]).drop(columns="run")
    seeds = seeds.ireval(run=["model", "seed"])
    one = seeds.summary(TEST, ["Coverage@1", "Novelty@1"], replicate="seed", topics="common", **TABLES)
    assert one[["model", "measure", "mean", "replicates"]].to_numpy().tolist() == [
        ["m", "Coverage@1", 0.25, 2], ["m", "Novelty@1", 1.0, 2],
    ]  # fmt: skip


def test_a_measure_of_all_lists_of_ones_own_is_one_function():
    @pdeval.metric(kind="set", range=(0, math.inf))
    def Turnover(exposure, price, users, *, k: int = 10):
        "What the lists of a user cost, on average."
        return (exposure * price).sum(axis=0) / users

    try:
        assert worked("Turnover@2") == {"x": (1 + 2 + 8 + 1) / 2, "y": 12.0}
        table = RUNS.ireval.beyond("Turnover@2", **TABLES)
        assert table["ci_low"].notna().tolist() == [True, False]
    finally:
        del ENTRIES["Turnover"]


@pytest.fixture(scope="module")
def many():
    """Lists of 60 users over 90 items, drawn by a power law."""
    rng = np.random.default_rng(3)
    share = 1.0 / np.arange(1, 91)
    rows = [("r", f"u{u}", f"i{i}") for u in range(60) for i in rng.choice(90, 8, replace=False, p=share / share.sum())]
    runs = pd.DataFrame(rows, columns=["run", "user_id", "item_id"])
    return runs.assign(score=np.tile(np.arange(8, 0, -1), 60)), pd.DataFrame({"item_id": [f"i{i}" for i in range(90)]})


@pytest.mark.broad
def test_the_spread_is_that_of_users_drawn_again(many):
    runs, items = many
    found = runs.ireval.beyond(["Coverage@5", "Gini@5"], items=items, draws=400, seed=1).set_index("measure")
    rng = np.random.default_rng(9)
    shown = np.zeros((60, 90))
    first = runs[runs["score"] > 3]
    shown[first["user_id"].str[1:].astype(int), first["item_id"].str[1:].astype(int)] = 1
    drawn = np.stack([shown[rng.integers(0, 60, 60)].sum(axis=0) for _ in range(4000)])
    coverage = (drawn > 0).mean(axis=1)
    half = found.loc["Coverage@5", "ci_high"] - found.loc["Coverage@5", "mean"]
    assert half == pytest.approx(1.959964 * coverage.std(), rel=0.12)
    place = np.arange(1, 91)
    gini = ((2 * place - 91) * np.sort(drawn, axis=1)).sum(axis=1) / (90 * drawn.sum(axis=1))
    half = found.loc["Gini@5", "ci_high"] - found.loc["Gini@5", "mean"]
    assert half == pytest.approx(1.959964 * gini.std(), rel=0.12)
    again = runs.ireval.beyond(["Gini@5"], items=items, draws=400, seed=1)
    assert again["ci_low"].iloc[0] == found.loc["Gini@5", "ci_low"]  # the same resamples, whatever else is asked


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["Coverage@5", "Gini@5", "Entropy@5"])
def test_the_interval_holds_what_other_users_would_give(measure):
    rng = np.random.default_rng(11)
    share = 1.0 / np.arange(1, 91)
    items = pd.DataFrame({"item_id": [f"i{i:02d}" for i in range(90)]})

    def lists(samples, users=80):
        weight = np.log(share / share.sum()) + rng.gumbel(size=(samples, users, 90))
        item = np.argsort(-weight, axis=2)[:, :, :5]
        sample, user, rank = (axis.ravel() for axis in np.indices(item.shape))
        return pd.DataFrame(
            {"run": sample, "user_id": user, "item_id": items["item_id"].to_numpy()[item.ravel()], "score": -rank}
        )

    expected = lists(300).ireval.beyond(measure, items=items, draws=0)["mean"].mean()
    found = lists(300).ireval.beyond(measure, items=items)
    held = ((found["ci_low"] <= expected) & (expected <= found["ci_high"])).mean()
    assert 0.90 <= held <= 0.99, held
