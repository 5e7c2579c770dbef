"""Measures of all lists of a run together: worked by hand, resamples against a plain loop, intervals that hold."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval
from pdeval.catalog import ENTRIES
from tests.evaluate.test_items import HISTORY, ITEMS, RUNS, TEST

TABLES = {"items": ITEMS, "history": HISTORY}


def worked(measure, runs=RUNS, **more):
    table = runs.ireval.beyond_accuracy(measure, **{**TABLES, **more})
    return dict(zip(table["run"], table["mean"], strict=True))


def test_coverage_is_the_share_of_the_catalog_that_any_list_shows():
    assert worked("Coverage@1") == {"x": 0.5, "y": 0.25}  # a and d; d
    assert worked("Coverage") == {"x": 1.0, "y": 0.5}
    assert worked("Coverage(least=2)") == {"x": 0.25, "y": 0.0}  # a, for both users


def test_user_coverage_is_the_share_of_users_that_get_so_many_items():
    runs = RUNS[(RUNS["run"] == "x")]
    judged = runs.ireval.join(
        pd.concat([TEST, TEST.assign(user_id="w")]), queries="relevant", **TABLES
    )
    found = judged.summary(["UserCoverage@3", "UserCoverage(least=3)@3"])
    assert found["mean"].tolist() == [2 / 3, 1 / 3]
    assert found["n"].tolist() == [3, 3]


@pytest.mark.broad
def test_gini_and_entropy_say_how_evenly_items_are_shown():
    # x shows a twice, b, c, d once: sorted 1 1 1 2, sum of (2 i - 5) x_i = -3 - 1 + 1 + 6 = 3, over 4 * 5
    assert worked("Gini")["x"] == pytest.approx(0.15, abs=1e-15)
    assert worked("Gini")["y"] == 0.5  # 0 0 1 1
    assert worked("Gini(patience=0.5)")["y"] == pytest.approx(
        (0.5 + 3 * 1.0) / (4 * 1.5), abs=1e-15
    )  # 0 0 1/2 1
    assert worked("Entropy")["y"] == 1.0
    assert worked("Entropy(normalized=true)")["y"] == 0.5
    assert worked("Entropy")["x"] == pytest.approx(
        0.4 * math.log2(2.5) + 0.6 * math.log2(5), abs=1e-15
    )
    assert worked("TailShare(head=0.25)") == {"x": 0.6, "y": 1.0}  # a is the head


def test_all_lists_together_stand_beside_means_in_the_order_asked():
    judged = RUNS.ireval.join(TEST, queries="answered", **TABLES)
    found = judged.summary(["RR", "Coverage@2", "Novelty@2"])
    assert found[["run", "measure"]].to_numpy().tolist() == [
        [run, measure] for run in "xy" for measure in ("RR", "Coverage@2", "Novelty@2")
    ]
    assert found["sd"].isna().tolist() == [False, True, False, True, True, True]  # y has one list
    wide = judged.summary(["RR", "Coverage@2"], wide=True)
    assert wide.columns.tolist() == ["run", "RR", "Coverage@2"]
    pd.testing.assert_frame_equal(
        found,
        RUNS.ireval.summary(TEST, ["RR", "Coverage@2", "Novelty@2"], queries="answered", **TABLES),
    )


def test_one_list_has_no_interval_and_none_is_drawn_without_draws():
    found = RUNS.ireval.beyond_accuracy(["Coverage@2"], draws=0, **TABLES)
    assert found[["ci_low", "ci_high"]].isna().all().all()


def test_measures_per_query_refuse_them_with_where_they_are():
    with pytest.raises(
        ValueError,
        match=r"Coverage@2 is one value for all lists of a run together, not one per query",
    ):
        RUNS.ireval.measure(TEST, ["RR", "Coverage@2"], **TABLES)
    with pytest.raises(ValueError, match=r"\.ireval\.beyond_accuracy\(\.\.\.\) without judgments"):
        RUNS.ireval.order(TEST, "Coverage@2", queries="answered", **TABLES)
    with pytest.raises(
        ValueError, match=r"RR needs judgments: \.ireval\.summary\(qrels, \['RR'\], \.\.\.\)"
    ):
        RUNS.ireval.beyond_accuracy(["Coverage@2", "RR"], **TABLES)
    with pytest.raises(
        ValueError, match=r"Serendipity@2 needs judgments: \.ireval\.measure\(qrels"
    ):
        RUNS.ireval.beyond_accuracy("Serendipity@2", per="query", **TABLES)
    with pytest.raises(ValueError, match=r"Coverage@2 needs the items of lists. Pass items="):
        RUNS.ireval.beyond_accuracy("Coverage@2")
    with pytest.raises(ValueError, match=r"TailShare@2 needs history="):
        RUNS.ireval.beyond_accuracy("TailShare@2", items=ITEMS)


@pytest.mark.parametrize(
    "verb",
    [
        "measure",
        "prefer",
        "order",
        "leaderboard",
        "correlate",
        "ties",
        "robustness",
        "report",
    ],
)
def test_every_verb_of_queries_says_where_they_are(verb):
    judged = RUNS.ireval.join(TEST, queries="judged", **TABLES)
    options = {"to": "queries"} if verb == "robustness" else {}
    with pytest.raises(
        ValueError, match=r"Coverage@2 is one value for all lists .*summary.*beyond"
    ):
        getattr(judged, verb)(["RR", "Coverage@2"], **options)


def test_without_judgments_every_list_counts_and_each_has_its_values():
    found = RUNS.ireval.beyond_accuracy(["Novelty@2", "Unseen@2"], per="query", **TABLES)
    judged = RUNS.ireval.measure(TEST, ["Novelty@2", "Unseen@2"], queries="answered", **TABLES)
    pd.testing.assert_frame_equal(found, judged)
    again = RUNS.ireval.join(TEST, queries="answered", **TABLES).beyond_accuracy(
        ["Novelty@2"], per="query"
    )
    assert again["value"].tolist() == found.query("measure == 'Novelty@2'")["value"].tolist()


@pytest.mark.broad
def test_groups_and_replicates_of_sets_are_those_of_the_pipeline():
    about = pd.DataFrame({"user_id": ["u", "v"], "group": ["old", "new"]})
    judged = RUNS.ireval.join(TEST, queries="answered", **TABLES)
    found = judged.summary(["Coverage@1", "RR"], by="group", metadata=about)
    # y answered none of the new users, so that it is not in that group
    assert found.query("measure == 'Coverage@1'")[["group", "run", "mean"]].to_numpy().tolist() == [
        ["new", "x", 0.25], ["old", "x", 0.25], ["old", "y", 0.25],
    ]  # fmt: skip
    one = (
        RUNS[RUNS["run"] == "x"]
        .ireval.join(TEST, **TABLES)
        .summary("Coverage@1", by="group", metadata=about)
    )
    assert one["mean"].tolist() == [0.25, 0.25]
    seeds = pd.concat([RUNS.assign(model="m", seed=RUNS["run"].map({"x": 1, "y": 2}))]).drop(
        columns="run"
    )
    seeds = seeds.ireval(run=["model", "seed"])
    one = seeds.summary(
        TEST, ["Coverage@1", "Novelty@1"], replicate="seed", queries="common", **TABLES
    )
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
        table = RUNS.ireval.beyond_accuracy("Turnover@2", **TABLES)
        assert table["ci_low"].notna().tolist() == [True, False]
    finally:
        del ENTRIES["Turnover"]


@pytest.fixture(scope="module")
def many():
    """Lists of 60 users over 90 items, drawn by a power law."""
    rng = np.random.default_rng(3)
    share = 1.0 / np.arange(1, 91)
    rows = [
        ("r", f"u{u}", f"i{i}")
        for u in range(60)
        for i in rng.choice(90, 8, replace=False, p=share / share.sum())
    ]
    runs = pd.DataFrame(rows, columns=["run", "user_id", "item_id"])
    return runs.assign(score=np.tile(np.arange(8, 0, -1), 60)), pd.DataFrame(
        {"item_id": [f"i{i}" for i in range(90)]}
    )


def test_the_interval_is_that_of_the_jackknife_over_users(many):
    runs, items = many
    found = runs.ireval.beyond_accuracy(["Coverage@5", "Gini@5"], items=items).set_index("measure")
    shown = np.zeros((60, 90))
    first = runs[runs["score"] > 3]
    shown[first["user_id"].str[1:].astype(int), first["item_id"].str[1:].astype(int)] = 1
    without = np.stack([np.delete(shown, user, axis=0).sum(axis=0) for user in range(60)])
    place = np.arange(1, 91)
    gini = ((2 * place - 91) * np.sort(without, axis=1)).sum(axis=1) / (90 * without.sum(axis=1))
    for measure, left in (("Coverage@5", (without > 0).mean(axis=1)), ("Gini@5", gini)):
        error = np.sqrt(59 / 60 * ((left - left.mean()) ** 2).sum())
        half = stats.t.ppf(0.975, 59) * error
        row = found.loc[measure]
        assert row["ci_high"] - row["mean"] == pytest.approx(half, rel=1e-10)
        assert row["mean"] - row["ci_low"] == pytest.approx(half, rel=1e-10)


def test_differences_between_runs_are_those_of_the_jackknife_over_users(many):
    runs, items = many
    # half of the users get the lists of the others
    first = runs[runs["user_id"].str[1:].astype(int) < 30]
    moved = "u" + (first["user_id"].str[1:].astype(int) + 30).astype(str)
    other = pd.concat([first, first.assign(user_id=moved)]).assign(run="other")
    both = pd.concat([runs, other])
    measures = ["Coverage@5", "Gini@5"]
    alone = both.ireval.beyond_accuracy(measures, items=items).set_index(["measure", "run"])["mean"]
    found = both.ireval.beyond_accuracy.compare(measures, items=items, baseline="other")
    assert found["n"].tolist() == [60, 60]
    users = [f"u{at}" for at in range(60)]
    for row in found.itertuples():
        values = alone[row.measure]
        sign = -1.0 if row.measure == "Gini@5" else 1.0  # an unequal distribution is worse
        assert row.difference == pytest.approx(sign * (values[row.run_a] - values["other"]))
        left = []
        for user in users:
            rest = both[both["user_id"] != user].ireval.beyond_accuracy(
                row.measure, items=items, draws=0
            )
            means = rest.set_index("run")["mean"]
            left.append(sign * (means[row.run_a] - means["other"]))
        error = np.sqrt(59 / 60 * np.square(np.array(left) - np.mean(left)).sum())
        half = stats.t.ppf(0.975, 59) * error
        assert row.ci_high - row.difference == pytest.approx(half, rel=1e-9)
        assert row.p_value == pytest.approx(
            2 * stats.t.sf(abs(row.difference) / error, 59), rel=1e-6
        )


def test_measures_of_all_lists_are_compared_beside_those_of_each_list(many):
    runs, items = many
    both = pd.concat([runs, runs.assign(run="other", score=-runs["score"])])
    qrels = pd.DataFrame({"user_id": [f"u{at}" for at in range(60)], "item_id": "i3", "rating": 1})
    found = both.ireval.compare(qrels, ["RR", "Coverage@5"], items=items)
    assert sorted(found["measure"].astype(str)) == ["Coverage@5", "RR"]
    assert found["ci_low"].le(found["difference"]).all()


def test_users_are_left_out_in_as_many_groups_as_draws_whatever_else_is_asked(many):
    runs, items = many
    one, two = (
        runs.ireval.beyond_accuracy("Gini@5", items=items, draws=12, seed=seed)["ci_low"].item()
        for seed in (1, 2)
    )
    both = runs.ireval.beyond_accuracy(["Coverage@5", "Gini@5"], items=items, draws=12, seed=1)
    assert both["ci_low"].tolist()[1] == one != two


@pytest.mark.slow
@pytest.mark.parametrize(
    ("users", "number"),
    [
        (80, 90),
        pytest.param(100, 600, marks=pytest.mark.large),
        pytest.param(500, 600, marks=pytest.mark.large),
    ],
)
def test_the_interval_holds_what_other_users_would_give(users, number):
    rng, samples, asked = np.random.default_rng(11), 300, ["Coverage@5", "Gini@5", "Entropy@5"]
    share = 1.0 / np.arange(1, number + 1)
    items = pd.DataFrame({"item_id": [f"i{i:03d}" for i in range(number)]})

    def lists():
        item = np.stack(
            [
                np.argpartition(-np.log(share) - rng.gumbel(size=(users, number)), 5, axis=1)[:, :5]
                for _ in range(samples)
            ]
        )
        sample, user, rank = (axis.ravel() for axis in np.indices(item.shape))
        return pd.DataFrame(
            {
                "run": sample,
                "user_id": user,
                "item_id": items["item_id"].to_numpy()[item.ravel()],
                "score": -rank,
            }
        )

    expected = (
        lists()
        .ireval.beyond_accuracy(asked, items=items, draws=0)
        .groupby("measure")["mean"]
        .mean()
    )
    found = lists().ireval.beyond_accuracy(asked, items=items)
    truth = found["measure"].map(expected)
    held = (
        ((found["ci_low"] <= truth) & (truth <= found["ci_high"])).groupby(found["measure"]).mean()
    )
    # the limits of 300 samples around .95; of coverage the jackknife's variance is too large
    assert (held > 0.91).all(), held
    assert (held[["Gini@5", "Entropy@5"]] < 0.99).all(), held


@pytest.fixture(scope="module")
def partly_judged(many):
    """The lists of 60 users: 40 have a relevant item, 10 a judged one, 10 none; and a judged user without a list."""
    runs, items = many
    users = [*(f"u{at}" for at in range(50)), "u99"]
    qrels = pd.DataFrame({"user_id": users, "item_id": "i0", "rating": [1] * 40 + [0] * 10 + [1]})
    return runs, qrels, {"items": items, "history": None}


@pytest.mark.parametrize("queries", ["relevant", "judged", "answered", "common"])
def test_summaries_count_every_user_with_a_list_as_beyond_does(partly_judged, queries):
    runs, qrels, told = partly_judged
    asked = ["Coverage@5", "Gini@5", "Entropy@5"]
    found = runs.ireval.join(qrels, queries=queries, **told).summary(asked, draws=20)
    expected = runs.ireval.beyond_accuracy(asked, draws=20, **told)
    assert found["n"].tolist() == [60] * 3
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_user_coverage_counts_users_without_a_list(partly_judged):
    runs, qrels, told = partly_judged
    found = runs.ireval.join(qrels, **told).summary(["UserCoverage@5", "Coverage@5"])
    assert found["n"].tolist() == [41, 60]
    assert found["mean"].iloc[0] == 40 / 41


def test_lists_in_common_are_those_of_users_whom_every_run_answers(partly_judged):
    runs, qrels, told = partly_judged
    both = pd.concat([runs, runs[runs["user_id"] > "u3"].assign(run="s")])
    found = both.ireval.join(qrels, queries="common", **told).summary("Coverage@5").set_index("run")
    some = runs[runs["user_id"] > "u3"].ireval.beyond_accuracy("Coverage@5", **told)
    assert found["n"].tolist() == [some["n"].item()] * 2
    assert found["mean"].tolist() == [some["mean"].item()] * 2
    kept = (
        both.ireval.join(qrels, queries="answered", **told).summary("Coverage@5").set_index("run")
    )
    assert kept["n"].to_dict() == {"r": 60, "s": some["n"].item()}
    assert kept.loc["s", "ci_low"] == pytest.approx(some["ci_low"].item(), rel=1e-12)


def test_28_7_users_without_judgments_are_left_out_of_groups_with_a_warning():
    runs = pd.DataFrame({"user_id": ["u", "v", "w"], "item_id": ["a", "b", "c"], "score": 1.0})
    judgments = pd.DataFrame({"user_id": ["u", "v"], "item_id": ["a", "b"]})
    users = pd.DataFrame({"user_id": ["u", "v", "w"], "country": ["fr", "de", "de"]})
    items = pd.DataFrame({"item_id": list("abcd")})
    assert runs.ireval.summary(judgments, "Coverage@1", items=items)["mean"].item() == 0.75
    with pytest.warns(
        UserWarning,
        match="1 users with a list have no judgments; within groups, Coverage@1 does not count them",
    ):
        found = runs.ireval.summary(
            judgments, "Coverage@1", items=items, by="country", metadata=users
        )
    assert found["mean"].tolist() == [0.25, 0.25]
