"""Measures that look at the items of lists, judged or not: worked by hand, and against plain loops."""

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import ENTRIES

RUNS = pd.DataFrame(
    [
        ("x", "u", "a", 3.0), ("x", "u", "b", 2.0), ("x", "u", "c", 1.0),
        ("x", "v", "d", 2.0), ("x", "v", "a", 1.0),
        ("y", "u", "d", 2.0), ("y", "u", "c", 1.0),
    ],
    columns=["run", "user_id", "item_id", "score"],
)  # fmt: skip
TEST = pd.DataFrame({"user_id": ["u", "u", "v"], "item_id": ["b", "d", "a"], "rating": [1, 1, 1]})
# a: 4 of 4 users, b: 2, c: 1, d: nobody
HISTORY = pd.DataFrame({"user_id": list("uvwzuwz"), "item_id": list("aaaabbc")})
ITEMS = pd.DataFrame(
    {
        "item_id": list("abcd"),
        "genre": ["drama", "drama|crime", "crime", "war"],
        "price": [1.0, 2.0, 4.0, 8.0],
    }
)


def values(measure, runs=RUNS, **tables):
    tables = tables or {"items": ITEMS, "history": HISTORY}
    scores = runs.ireval.measure(TEST, measure, queries="answered", **tables)
    return {
        (run, user): value
        for run, user, value in scores[["run", "user_id", "value"]].itertuples(index=False)
    }


def test_novelty_is_the_mean_self_information_of_the_items_that_a_list_has():
    # -log2 of 1, 1/2, 1/4; nobody had d: as one of four users
    assert values("Novelty@3") == {("x", "u"): 1.0, ("x", "v"): 1.0, ("y", "u"): 2.0}
    assert values("Novelty@1") == {("x", "u"): 0.0, ("x", "v"): 2.0, ("y", "u"): 2.0}
    assert values("Novelty(per=rank)@4") == {("x", "u"): 0.75, ("x", "v"): 0.5, ("y", "u"): 1.0}
    assert values("Surprisal@2") == {("x", "u"): 0.25, ("x", "v"): 0.5, ("y", "u"): 1.0}


def test_popularity_is_a_share_of_users_and_its_lift_is_over_what_the_user_had():
    assert values("AvgPopularity@2") == {("x", "u"): 0.75, ("x", "v"): 0.5, ("y", "u"): 0.125}
    # u had a and b, 0.75 on average; v had a
    assert values("PopularityLift@2") == {
        ("x", "u"): 0.0,
        ("x", "v"): -0.5,
        ("y", "u"): 0.125 / 0.75 - 1,
    }
    assert values("PopularityRank@1") == {("x", "u"): 1.0, ("x", "v"): 0.0, ("y", "u"): 0.0}
    assert values("Unseen@2") == {("x", "u"): 0.0, ("x", "v"): 0.5, ("y", "u"): 1.0}


def test_choices_count_interactions_and_not_users():
    again = pd.concat(
        [HISTORY, HISTORY[HISTORY["item_id"] == "c"]]
    )  # z took c twice: 2 of 8, still one of four users
    assert (
        values("ChoiceNovelty@1", items=ITEMS, history=again)["y", "u"] == 0.0
    )  # no item that someone took
    found = values("ChoiceNovelty@3", items=ITEMS, history=again)
    assert found["x", "u"] == (1 + 2 + 2) / 3
    assert values("Novelty@3", items=ITEMS, history=again) == values("Novelty@3")


def test_intra_list_distance_is_the_mean_over_pairs_of_items():
    near = 1 - 1 / math.sqrt(2)
    found = values("ILD@3", items=ITEMS)
    assert found["x", "u"] == pytest.approx((near + 1.0 + near) / 3, abs=1e-15)
    assert found["x", "v"] == found["y", "u"] == 1.0
    assert values("ILD(distance=jaccard)@3", items=ITEMS)["x", "u"] == pytest.approx(
        (0.5 + 1 + 0.5) / 3, abs=1e-15
    )
    assert values("ILD(distance=hamming)@3", items=ITEMS)["x", "u"] == pytest.approx(
        (1 + 2 + 1) / 3, abs=1e-15
    )
    assert values("ILD@1", items=ITEMS) == dict.fromkeys([("x", "u"), ("x", "v"), ("y", "u")], 0.0)


def test_calibration_is_the_divergence_from_the_genres_of_the_history():
    # u had a (drama) and b (half drama, half crime): 3/4 drama, 1/4 crime; x shows them a, then b
    found = values("Calibration@2")
    assert found["x", "u"] == pytest.approx(0.0, abs=1e-12)
    p, q = {"drama": 0.75, "crime": 0.25}, {"war": 0.5, "crime": 0.5}
    worked = sum(
        share * math.log(share / (0.99 * q.get(genre, 0) + 0.01 * share))
        for genre, share in p.items()
    )
    assert found["y", "u"] == pytest.approx(worked, abs=1e-12)


@pytest.mark.broad
def test_serendipity_is_the_unexpectedness_of_relevant_items():
    # v had a; d is of another genre and not relevant, a is the same and relevant
    assert values("Unexpectedness@2")["x", "v"] == 0.5
    assert values("Serendipity@2")["x", "v"] == 0.0
    half = 1 / math.sqrt(2)
    u_b = 1 - (half + 1.0) / 2  # b against a and b, which u had
    assert values("Serendipity@2")["x", "u"] == pytest.approx(u_b / 2, abs=1e-15)


def test_users_without_a_history_have_no_value_and_are_told():
    short = HISTORY[HISTORY["user_id"] != "v"]
    with pytest.warns(
        UserWarning, match="PopularityLift@2 has no value for 1 of 3 lists, e.g. of 'v'"
    ):
        found = values("PopularityLift@2", items=ITEMS, history=short)
    assert sorted(found) == [("x", "u"), ("y", "u")]


def test_a_list_that_is_not_there_has_no_items_to_look_at():
    # y did not answer v: the worst case for RR, and no value of Novelty
    with pytest.warns(UserWarning, match="1 of 2 judged users are missing from run 'y'"):
        scores = RUNS.ireval.measure(TEST, ["RR", "Novelty@2"], history=HISTORY, items=ITEMS)
    assert scores.groupby(["run", "measure"]).size().to_dict() == {
        ("x", "Novelty@2"): 2, ("x", "RR"): 2, ("y", "Novelty@2"): 1, ("y", "RR"): 2,
    }  # fmt: skip
    RUNS.ireval.measure(TEST, "Novelty@2", history=HISTORY, items=ITEMS)  # without a warning


@pytest.mark.broad
def test_a_list_is_ranked_by_the_rules_of_the_join():
    tied = RUNS.assign(score=1.0, rank=[3, 2, 1, 1, 2, 1, 2])
    assert values("Novelty@1", tied)["x", "u"] == 2.0  # c: ids descend
    by_rows = tied.ireval.measure(
        TEST, "Novelty@1", ties="first", history=HISTORY, items=ITEMS, queries="answered"
    )
    assert by_rows["value"].tolist() == [0.0, 2.0, 2.0]
    shuffled = RUNS.sample(frac=1, random_state=1)
    assert values("Novelty@2", shuffled) == values("Novelty@2")
    cut = RUNS.ireval.measure(
        TEST, "Novelty", depth=1, history=HISTORY, items=ITEMS, queries="answered"
    )
    assert cut["value"].tolist() == list(values("Novelty@1").values())
    with pytest.raises(
        ValueError, match=r"Novelty@1 has no closed form over the orders of tied items"
    ):
        tied.ireval.measure(TEST, "Novelty@1", ties="expected", history=HISTORY, items=ITEMS)


def test_what_measures_of_items_say_can_be_asked_of_a_join_of_parts_and_of_pairs():
    judged = RUNS.ireval.join(TEST, items=ITEMS, history=HISTORY, queries="answered")
    both = judged.measure(["Novelty@2", "RR"])
    assert both["measure"].unique().tolist() == ["Novelty@2", "RR"]
    assert judged.order("AvgPopularity@2")["run"].tolist() == ["y", "x"]  # less is better
    assert judged.prefer("Novelty@2")["value"].tolist() == [-1.5]
    about = pd.DataFrame({"user_id": ["u", "v"], "group": ["old", "new"]})
    grouped = judged.summary("Novelty@2", by="group", metadata=about)
    assert grouped[["group", "run", "mean"]].to_numpy().tolist() == [
        ["new", "x", 1.0],
        ["old", "x", 0.5],
        ["old", "y", 2.0],
    ]


def test_a_measure_of_items_of_ones_own_is_one_function():
    @pdeval.metric(kind="items", range=(0, math.inf), higher=False)
    def MeanPrice(price, listed, *, k: int = 10):
        "Mean price of the items."
        return (price * listed).sum(axis=0) / listed.sum(axis=0)

    try:
        assert values("MeanPrice@2", items=ITEMS) == {
            ("x", "u"): 1.5,
            ("x", "v"): 4.5,
            ("y", "u"): 6.0,
        }
        with pytest.raises(
            KeyError, match=r"MeanPrice@2 needs 'price', which is not a column of items="
        ):
            values("MeanPrice@2", history=HISTORY, items=ITEMS.drop(columns="price"))
    finally:
        del ENTRIES["MeanPrice"]


def plain(runs, history, genres, k):
    """The same values, list by list."""
    n = history["user_id"].nunique()
    had_by = history.drop_duplicates().groupby("item_id").size()
    found = {}
    for (run, user), part in runs.groupby(["run", "user_id"]):
        shown = part.sort_values(["score", "item_id"], ascending=False)["item_id"].tolist()[:k]
        pairs = list(combinations(shown, 2))
        unlike = [
            1 - len(genres[a] & genres[b]) / math.sqrt(len(genres[a]) * len(genres[b]))
            for a, b in pairs
        ]
        mine = set(history.loc[history["user_id"] == user, "item_id"])
        p, q = Counter(), Counter()
        for counter, those in ((p, mine), (q, shown)):
            for one in those:
                for genre in genres[one]:
                    counter[genre] += 1 / len(genres[one]) / len(those)
        found[run, user] = {
            "Novelty": np.mean([-math.log2(max(had_by.get(one, 0), 1) / n) for one in shown]),
            "ILD": np.mean(unlike) if unlike else 0.0,
            "Calibration": sum(s * math.log(s / (0.99 * q[g] + 0.01 * s)) for g, s in p.items()),
            "Unseen": np.mean([one not in mine for one in shown]),
        }
    return found


@pytest.mark.broad
@pytest.mark.parametrize("k", [1, 5, 20])
def test_all_lists_at_once_are_each_list_alone(k):
    rng = np.random.default_rng(k)
    items = [f"i{n:02d}" for n in range(40)]
    genres = {
        one: set(rng.choice(list("abcd"), rng.integers(1, 4), replace=False)) for one in items
    }
    history = pd.DataFrame(
        [(f"u{u}", one) for u in range(12) for one in rng.choice(items, rng.integers(1, 9), False)]
    )
    history.columns = ["user_id", "item_id"]
    lists = [
        (r, f"u{u}", one)
        for r in "ab"
        for u in range(12)
        for one in rng.choice(items, rng.integers(1, 15), False)
    ]
    runs = pd.DataFrame(lists, columns=["run", "user_id", "item_id"]).assign(
        score=rng.integers(0, 5, len(lists))
    )
    test = pd.DataFrame({"user_id": [f"u{u}" for u in range(12)], "item_id": "i00", "rating": 1})
    long = pd.DataFrame(
        [(one, genre) for one in items for genre in genres[one]], columns=["item_id", "genre"]
    )
    names = ["Novelty", "ILD", "Calibration", "Unseen"]
    scores = runs.ireval.measure(
        test, [f"{name}@{k}" for name in names], items=long, history=history
    )
    expected = plain(runs, history, genres, k)
    for run, user, measure, value in scores.itertuples(index=False):
        assert value == pytest.approx(expected[run, user][measure.partition("@")[0]], abs=1e-12), (
            run,
            user,
            measure,
        )


@pytest.mark.parametrize(
    ("measure", "tables", "text"),
    [
        ("Novelty@2", {}, "Novelty@2 needs the items of lists. Pass items="),
        (
            "Novelty@2",
            {"items": ITEMS},
            r"Novelty@2 needs history= \(what users had before: user, item\)\.",
        ),
        (
            "ILD@2",
            {"history": HISTORY.assign(item_id=list("abcdabc"))},
            r"ILD@2 needs items= \(one row per item",
        ),
        ("ILD@2", {"items": ITEMS[["item_id"]]}, "the items table has no features"),
        (
            "ILD@2",
            {"items": ITEMS[:3]},
            r"1 recommended items are not in items=: 'd'; add the missing items to items=",
        ),
        (
            "Novelty@2",
            {"history": HISTORY},
            r"1 recommended items are not in history=: 'd'; pass items=",
        ),
        (
            "Unseen@2",
            {"items": ITEMS, "history": HISTORY.assign(user_id="w")},
            "no user of the runs is in the history",
        ),
        (
            "Novelty@2",
            {"items": ITEMS, "history": HISTORY.assign(item_id="q")},
            "no item of the history is in items=",
        ),
        (
            "Novelty@2",
            {"items": ITEMS.assign(popularity=3)},
            "fraction of users that had the item, between 0 and 1",
        ),
        (
            "ILD@2",
            {"items": ITEMS.assign(item_id=[1, 2, 3, 4])},
            "the doc ids are strings in the run table and integers",
        ),
        (
            "ILD@2",
            {"items": ITEMS.assign(tag="x")},
            "two columns could be the features of the items: 'genre' and 'tag'",
        ),
        (
            "ILD@2",
            {"items": ITEMS.rename(columns={"item_id": "product"})},
            r"items.ireval\(doc='product'\)",
        ),
        (
            "Unseen@2",
            {"history": HISTORY.rename(columns={"user_id": "who"})},
            "the history has no query column",
        ),
        ("Unseen@2", {"history": HISTORY[:0]}, "history"),
        ("Unseen@2", {"history": 5}, "got int"),
    ],
)
def test_what_a_measure_lacks_is_said(measure, tables, text):
    with pytest.raises((ValueError, TypeError), match=text):
        RUNS.ireval.measure(TEST, measure, queries="answered", **tables)


@pytest.mark.broad
def test_features_come_as_texts_lists_long_tables_vectors_and_numbered_columns():
    long = ITEMS.assign(genre=ITEMS["genre"].str.split("|")).explode("genre")
    listed = ITEMS.assign(genre=ITEMS["genre"].str.split("|"))
    hot = np.array([[0, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1]])
    vectors = ITEMS[["item_id"]].assign(embedding=[row.astype(float) for row in hot])
    numbered = ITEMS[["item_id"]].assign(**{f"emb_{at}": hot[:, at] for at in range(3)})
    named = ITEMS[["item_id"]].assign(
        **{name: hot[:, at] for at, name in enumerate(["crime", "drama", "war"])}
    )
    expected = values("ILD@3", items=ITEMS)
    bound = [
        named.ireval(feature=["crime", "drama", "war"]),
        ITEMS.ireval(feature="genre", doc="item_id"),
    ]
    for items in [long, listed, vectors, numbered, *bound]:
        assert values("ILD@3", items=items) == expected


def test_popularity_may_stand_in_the_items_table():
    own = ITEMS.assign(share=[1.0, 0.5, 0.25, 0.0])
    assert values("Novelty@3", items=own.ireval(popularity="share")) == values("Novelty@3")
    assert values("AvgPopularity@3", items=own.rename(columns={"share": "popularity"})) == values(
        "AvgPopularity@3"
    )
