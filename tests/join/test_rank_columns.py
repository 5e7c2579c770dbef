"""What kernels of items see of every list, against plain loops over the tables."""

import numpy as np
import pandas as pd
import pytest

from pdeval.join import list_columns
from pdeval.join.list_columns import RANK_COLUMNS, list_blocks

GENRES = {"a": "x|y", "b": "y", "c": "z", "d": "", "e": "x", "f": "x|y|z"}
ITEMS = pd.DataFrame(
    {"item_id": GENRES.keys(), "genre": GENRES.values(), "price": [3.0, 1.0, 4.0, 1.5, 9.0, 2.5]}
)
HISTORY = pd.DataFrame(
    [
        ("u", "a"),
        ("u", "b"),
        ("u", "b"),
        ("v", "b"),
        ("v", "f"),
        ("w", "c"),
        ("z", "b"),
        ("z", "c"),
        ("z", "a"),
    ],
    columns=["user_id", "item_id"],
)
LISTS = {
    ("one", "u"): "abc",
    ("one", "v"): "fb",
    ("one", "n"): "da",  # a user without a history
    ("two", "u"): "cbad",
    ("two", "v"): "e",
    ("two", "w"): "abcde",
    ("one", "z"): "cf",  # the last that the history has, and beyond it
}
GRADES = {
    ("u", "b"): 2,
    ("u", "d"): 1,
    ("v", "b"): 1,
    ("w", "e"): 3,
    ("w", "a"): 0,
    ("n", "d"): 1,
    ("w", "f"): 2,
    ("z", "a"): 1,
}
RUNS = pd.DataFrame(
    [
        (run, user, item, -rank)
        for (run, user), items in LISTS.items()
        for rank, item in enumerate(items)
    ],
    columns=["run", "user_id", "item_id", "score"],
)
QRELS = pd.DataFrame(
    [(*key, grade) for key, grade in GRADES.items()], columns=["user_id", "item_id", "rating"]
)
NUMBERS = [
    "item",
    "listed",
    "grade",
    "relevant",
    "popularity",
    "popularity_rank",
    "popularity_place",
    "choice",
    "seen",
]


def positions(**tables):
    return RUNS.ireval.join(QRELS, queries="judged", **tables).positions


BOTH = positions(items=ITEMS, history=HISTORY)
USERS = [str(one) for one in BOTH.queries]
RUN_NAMES = BOTH.runs["run"].tolist()
HAD = {user: sorted(set(rows["item_id"])) for user, rows in HISTORY.groupby("user_id")}
POPULAR = {item: sum(item in had for had in HAD.values()) / len(HAD) for item in GENRES}


def whole(names, k=10, level=None, at=BOTH):
    """Return columns of all topics, blocks after each other along the axis of topics."""
    blocks = [
        block.columns(tuple(names)) for block in list_blocks(at, level, "Mine", k, tuple(names))
    ]
    return [np.concatenate(parts, axis=1) for parts in zip(*blocks, strict=True)]


def cells(k):
    """Yield the place of every cell, its user, and its item; None beyond the end of a list."""
    for number, user in enumerate(USERS):
        for column, run in enumerate(RUN_NAMES):
            own = LISTS.get((run, user), "")
            for rank in range(k):
                yield (rank, number, column), user, own[rank] if rank < len(own) else None


def expected(name, user, item, level):
    if name == "item":
        return -1 if item is None else list(GENRES).index(item)
    if item is None:
        return 0
    if name == "listed":
        return 1
    if name == "seen":
        return item in HAD.get(user, ())
    if name == "grade":
        return GRADES.get((user, item), 0)
    if name == "relevant":
        return GRADES.get((user, item), 0) >= (level or 1)
    if name == "choice":
        return (HISTORY["item_id"] == item).sum() / len(HISTORY)
    some = sorted({share for share in POPULAR.values() if share > 0}, reverse=True)
    if name == "popularity":
        return POPULAR[item]
    if POPULAR[item] == 0:
        return 0
    if name == "popularity_place":
        return 1 + some.index(POPULAR[item])
    less = [
        sum(0 < one < POPULAR[item] for one in POPULAR.values()),
        sum(0 < one <= POPULAR[item] for one in POPULAR.values()),
    ]
    return (
        (less[0] + 1 + less[1]) / 2 / sum(one > 0 for one in POPULAR.values())
    )  # the mean of places that are shared


@pytest.mark.parametrize("most", [list_columns.MOST, 1, 20])
@pytest.mark.parametrize(("k", "level"), [(10, None), (2, 2), (3, 1), (1, 3)])
def test_every_cell_of_a_column_is_that_of_its_user_run_and_rank(monkeypatch, most, k, level):
    monkeypatch.setattr(list_columns, "MOST", most)
    depth = min(k, 5)  # of the longest list
    for name, found in zip(NUMBERS, whole(NUMBERS, k, level), strict=True):
        assert found.shape == (depth, len(USERS), len(RUN_NAMES)), name
        for place, user, item in cells(depth):
            assert found[place] == pytest.approx(expected(name, user, item, level)), (
                name,
                user,
                item,
            )


def test_numbers_of_users_and_of_items():
    had, mean, price = whole(["had", "had_popularity", "price"])
    prices = dict(zip(ITEMS["item_id"], ITEMS["price"], strict=True))
    for number, user in enumerate(USERS):
        items = HAD.get(user, [])
        assert had[number, 0] == len(items)
        assert mean[number, 0] == pytest.approx(
            sum(POPULAR[one] for one in items) / max(len(items), 1)
        )
    for place, _, item in cells(5):
        assert price[place] == prices.get(item, 0.0)


def test_profiles_share_every_item_among_its_features_and_tastes_are_directions():
    profile, taste = whole(["profile", "taste"])
    names = ["x", "y", "z"]
    for number, user in enumerate(USERS):
        items = HAD.get(user, [])
        rows = (
            np.array(
                [[name in GENRES[item].split("|") for name in names] for item in items]
            ).reshape(-1, 3)
            * 1.0
        )
        shares = [row / row.sum() for row in rows]
        directions = [row / np.sqrt((row**2).sum()) for row in rows]
        for found, made in ((profile, shares), (taste, directions)):
            wanted = np.mean(made, axis=0) if items else np.zeros(3)
            np.testing.assert_allclose(found[:, number, 0], wanted, rtol=1e-12)
    [block] = list_blocks(BOTH, None, "Mine", 3, ("features",))
    assert block["features"].tolist() == [
        [1, 1, 0],
        [0, 1, 0],
        [0, 0, 1],
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 1],
        [0, 0, 0],
    ]
    assert block.shape == (len(USERS), 2)


def test_numbers_of_the_whole_join():
    [block] = list_blocks(BOTH, None, "Mine", 3, ("users",))
    assert (block["users"], block["catalog"], block.size) == (4.0, 6.0, 3)
    lengths = [[len(LISTS.get((run, user), "")) for run in RUN_NAMES] for user in USERS]
    assert block["retrieved"].tolist() == lengths
    assert block["item"] is block["item"]  # made once


def test_where_items_say_how_popular_they_are_the_least_popular_tells_how_many_users_there_are():
    told = positions(items=ITEMS.assign(popularity=[0.5, 0.2, 0.0, 1.0, 0.0, 0.25]))
    [block] = list_blocks(told, None, "Mine", 3, ("users",))
    assert block["users"] == 5.0
    [none] = list_blocks(positions(items=ITEMS.assign(popularity=0.0)), None, "Mine", 3, ("users",))
    assert none["users"] == 1.0


def test_without_items_the_catalog_is_the_history():
    some = RUNS[RUNS["item_id"].isin(HISTORY["item_id"])]
    at = some.ireval.join(QRELS, queries="judged", history=HISTORY).positions
    [block] = list_blocks(at, None, "Mine", 10, ("seen",))
    assert block["catalog"] == 4.0  # a, b, c, f
    codes = {item: number for number, item in enumerate("abcf")}
    run, user = at.runs["run"].tolist().index("one"), [str(one) for one in at.queries].index("v")
    assert block["item"][:, user, run].tolist() == [codes["f"], codes["b"], -1]
    assert block["seen"][:, user, run].tolist() == [True, True, False]


@pytest.mark.parametrize("name", [name for name, (_, needs) in RANK_COLUMNS.items() if needs])
def test_a_column_that_needs_a_side_table_says_which(name):
    needs = RANK_COLUMNS[name][1]
    for lacking in needs:
        tables = {"items": ITEMS, "history": HISTORY}
        del tables[lacking]
        rows = RUNS if "items" in tables else RUNS[RUNS["item_id"].isin(HISTORY["item_id"])]
        at = rows.ireval.join(QRELS, queries="judged", **tables).positions
        with pytest.raises(ValueError, match=f"Mine needs {lacking}="):
            list(list_blocks(at, None, "Mine", 3, (name,)))


def test_what_cannot_be_looked_at_is_said():
    with pytest.raises(ValueError, match=r"Mine needs the items of lists\. Pass items="):
        list(list_blocks(positions(), None, "Mine", 3, ("item",)))
    judged = positions(items=ITEMS, judged_only=True)
    with pytest.raises(ValueError, match="judged_only=True removes unjudged items"):
        list(list_blocks(judged, None, "Mine", 3, ("item",)))
    with pytest.raises(
        KeyError,
        match=r"Mine needs 'color', which is not a column of items= \(it has item_id, .*popularity",
    ):
        list(list_blocks(BOTH, None, "Mine", 3, ("color",)))


def test_users_without_a_history_are_no_fault_where_their_topics_stand_alone():
    alone = BOTH.keep_topics(np.array(USERS) == "n")
    had, seen = whole(["had", "seen"], at=alone)
    assert had.tolist() == [[0.0]]
    assert not seen.any()
    others = HISTORY.assign(user_id="x" + HISTORY["user_id"])
    with pytest.raises(ValueError, match="no user of the runs is in the history: the runs have"):
        whole(["had"], at=positions(items=ITEMS, history=others))


def test_items_that_nobody_judged_have_no_grade_though_the_judgments_name_them():
    qrels = QRELS.assign(
        rating=[-1 if one == ("u", "b") else grade for one, grade in GRADES.items()]
    )
    at = RUNS.ireval.join(qrels, queries="judged", items=ITEMS).positions
    for level in (None, 0.5, 1):
        grade, relevant = whole(["grade", "relevant"], level=level, at=at)
        for place, user, item in cells(5):
            wanted = max(dict(zip(GRADES, qrels["rating"])).get((user, item), 0), 0)
            assert grade[place] == wanted
            assert relevant[place] == (wanted > 0)


@pytest.mark.parametrize(("k", "size"), [(0.5, 1), (1, 1), (4.9, 4), (5, 5), (np.inf, 5)])
def test_a_block_is_as_deep_as_asked_and_no_deeper_than_the_longest_list(k, size):
    [block] = list_blocks(BOTH, 2, "Mine", k, ("rank",))
    assert (block.size, block.level, block.measure) == (size, 2, "Mine")
    ranks = np.full((size, len(USERS), len(RUN_NAMES)), np.inf)
    for place, _, item in cells(size):
        if item is not None:
            ranks[place] = place[0] + 1
    assert block["rank"].tolist() == ranks.tolist()
    assert block.topics.tolist() == list(range(len(USERS)))
    assert block.columns(("rank", "item"))[1] is block["item"]


def test_blocks_hold_as_many_topics_as_cells_allow_and_fewer_with_features(monkeypatch):
    for most, names, topics in [
        (29, ("rank",), [2, 2, 1]),  # 5 ranks of 2 runs are 10 cells a topic
        (30, ("rank",), [3, 2]),
        (9, ("rank",), [1] * 5),
        (60, ("features",), [2, 2, 1]),  # 3 features make 30
        (89, ("features", "rank"), [2, 2, 1]),
    ]:
        monkeypatch.setattr(list_columns, "MOST", most)
        assert [len(block.topics) for block in list_blocks(BOTH, None, "Mine", 9, names)] == topics


def test_columns_of_popularity_say_that_they_need_a_history():
    at = positions(items=ITEMS)
    for name in list_columns.POPULAR:
        with pytest.raises(ValueError, match=r"^Mine needs history= "):
            list(list_blocks(at, None, "Mine", 3, (name,)))
        [block] = list_blocks(at, None, "Mine", 3, ("item",))
        with pytest.raises(ValueError, match=r"^Mine needs history= "):
            block[name]
    with pytest.raises(ValueError, match=r"^Mine needs items= .* and history= "):
        list_columns.check_columns(list_columns.Catalog(), "Mine", ("taste", "rank"))
    list_columns.check_columns(BOTH.listed.catalog, "Mine", ("taste", "users", "price"))
    list_columns.check_lists(True, {}, "Mine")
    assert list_columns.lists_of(BOTH, "Mine") is BOTH.listed
