"""What side tables say of items: which table popularity comes from, and what is said where there is none."""

import numpy as np
import pandas as pd
import pytest

from pdeval.join.id_mismatch import same_type
from pdeval.join.ids import column_ids
from pdeval.join.item_catalog import Catalog, catalog_of
from pdeval.join.list_columns import popular

ITEMS = pd.DataFrame({"item_id": list("abc"), "price": [1.0, 2.0, 4.0]})
HISTORY = pd.DataFrame({"user_id": list("uvv"), "item_id": list("aab")})


def test_popularity_is_that_of_the_items_before_that_of_the_history():
    own = ITEMS.assign(popularity=[0.5, 0.25, 0.0])
    for history in (None, HISTORY):
        known = catalog_of(own, history)
        assert popular(known, "Novelty") is known
        assert known.popularity.tolist() == [0.5, 0.25, 0.0, 0.0]
    known = catalog_of(ITEMS, HISTORY)
    assert popular(known, "Novelty").popularity.tolist() == [1.0, 0.5, 0.0, 0.0]
    assert popular(catalog_of(None, HISTORY), "Novelty").popularity.tolist() == [1.0, 0.5, 0.0]


def test_items_without_popularity_and_history_cannot_be_popular():
    with pytest.raises(ValueError, match=r"^Novelty needs history= "):
        popular(catalog_of(ITEMS, None), "Novelty")


@pytest.mark.parametrize("wrong", [-0.1, 1.5])
def test_popularity_that_is_no_share_is_refused_though_the_others_are(wrong):
    known = catalog_of(
        pd.DataFrame({"item_id": list("abcd"), "popularity": [0.0, 1.0, wrong, 0.5]}), None
    )
    with pytest.raises(
        ValueError, match=f"fraction of users that had the item, between 0 and 1, found {wrong}"
    ):
        _ = known.popularity
    ends = catalog_of(ITEMS.assign(popularity=[0.0, 1.0, 1.0]), None)
    assert ends.popularity.tolist() == [0.0, 1.0, 1.0, 0.0]


def test_ids_that_cannot_match_are_said_with_the_table_of_each():
    numbers = HISTORY.assign(item_id=[1, 1, 2])
    with pytest.raises(
        ValueError,
        match="the doc ids are integers in the history and strings in items=, so none would match",
    ):
        _ = catalog_of(ITEMS, numbers).users
    with pytest.raises(
        ValueError, match="the query ids are strings in the history and integers in the runs"
    ):
        catalog_of(ITEMS, HISTORY).user_of(column_ids(pd.Series([1, 2]), "query"))


def test_items_of_the_history_that_nobody_sells_do_not_count():
    with pytest.raises(
        ValueError,
        match="no item of the history is in items=: the history has 'x', 'y', items= has 'a'",
    ):
        _ = catalog_of(ITEMS, HISTORY.assign(item_id=list("xxy"))).users
    known = catalog_of(ITEMS, HISTORY.assign(item_id=list("axb")))
    with pytest.warns(
        UserWarning,
        match="1 of 3 items of the history are not in items=, e.g. 'x'; they do not count",
    ):
        assert known.popularity.tolist() == [0.5, 0.5, 0.0, 0.0]  # of two users
    assert known.choice.tolist() == [0.5, 0.5, 0.0, 0.0]
    assert known.had.tolist() == [1.0, 1.0, 0.0]


def test_items_that_nobody_had_have_no_place_by_popularity():
    own = ITEMS.assign(popularity=[0.25, 0.0, 0.5])
    known = catalog_of(own, None)
    assert known.popularity_place.tolist() == [2.0, 0.0, 1.0, 0.0]
    assert known.popularity_rank.tolist() == [0.5, 0.0, 1.0, 0.0]
    none = catalog_of(own.assign(popularity=0.0), None)
    assert none.popularity_place.tolist() == none.popularity_rank.tolist() == [0.0] * 4


def test_users_are_found_by_their_ids_and_one_of_them_is_enough():
    known = catalog_of(ITEMS, HISTORY)
    assert known.user_of(column_ids(pd.Series(["n", "u"]), "query")).tolist() == [
        -1,
        0,
    ]  # the first of the history
    with pytest.raises(
        ValueError,
        match="no user of the runs is in the history: the runs have 'n', the history 'u', 'v'",
    ):
        known.user_of(column_ids(pd.Series(["n"]), "query"))


def test_what_users_had_is_averaged_where_some_items_were_had_by_nobody():
    vectors = ITEMS.drop(columns="price").assign(emb_0=[3.0, 0.0, 1.0], emb_1=[-4.0, 2.0, 1.0])
    known = catalog_of(vectors, HISTORY)  # u had a; v had a and b; nobody c
    assert known.had_popularity.tolist() == [1.0, 0.75, 0.0]
    np.testing.assert_allclose(known.tastes, [[0.6, -0.8], [0.3, 0.1], [0.0, 0.0]], atol=1e-15)


@pytest.mark.parametrize("genres", [None, ["x|y", "y", "", "z", "x|y|z"]])
@pytest.mark.parametrize("seed", range(4))
def test_all_that_a_history_tells_is_that_of_a_plain_count(genres, seed):
    rng = np.random.default_rng(seed)
    rows = [(f"u{rng.integers(4)}", f"i{rng.integers(5)}") for _ in range(12)]
    items = [f"i{at}" for at in (3, 1, 0, 4, 2)] if genres else sorted({item for _, item in rows})
    table = pd.DataFrame({"item_id": items, "genre": genres}) if genres else None
    known = catalog_of(table, pd.DataFrame(rows, columns=["user_id", "item_id"]))
    users = sorted({user for user, _ in rows})
    had = {user: {item for one, item in rows if one == user} for user in users}
    shares = [sum(item in own for own in had.values()) / len(users) for item in items]
    assert known.ids.index().tolist() == items
    assert known.users.index().tolist() == users
    assert known.called == ("items=" if genres else "history=")
    assert known.keys.tolist() == sorted(
        users.index(user) * len(items) + items.index(item)
        for user, own in had.items()
        for item in own
    )
    assert known.popularity.tolist() == [*shares, 0]
    assert known.had.tolist() == [len(own) for own in had.values()] + [0]
    assert known.choice.tolist() == [sum(one == item for _, one in rows) / 12 for item in items] + [
        0
    ]
    some = sorted(share for share in shares if share)
    quantile = [
        np.mean([at + 1 for at, one in enumerate(some) if one == share] or [0]) / len(some)
        for share in shares
    ]
    assert known.popularity_rank == pytest.approx([*quantile, 0])
    place = [sorted({*some}, reverse=True).index(share) + 1 if share else 0 for share in shares]
    assert known.popularity_place.tolist() == [*place, 0]
    mean = [np.mean([shares[items.index(item)] for item in had[user]]) for user in users]
    assert known.had_popularity == pytest.approx([*mean, 0])
    if genres:
        assert known.items.features()[1] == ["x", "y", "z"]
        parts = np.array([[name in one.split("|") for name in "xyz"] for one in genres]) * 1.0
        assert known.features.tolist() == [*parts.tolist(), [0, 0, 0]]
        for found, size in (
            (known.profiles, parts.sum(axis=1)),
            (known.tastes, np.sqrt((parts**2).sum(axis=1))),
        ):
            rows_ = {item: part / (scale or 1) for item, part, scale in zip(items, parts, size)}
            wanted = [np.mean([rows_[item] for item in had[user]], axis=0) for user in users]
            np.testing.assert_allclose(found, [*wanted, np.zeros(3)], atol=1e-15)


def test_what_is_sent_elsewhere_counts_alike_and_knows_no_rows():
    known = catalog_of(ITEMS, HISTORY)
    sent = known.sent()
    assert (sent.part, sent.given, known.part) == (True, (None, None), False)
    assert (len(sent.history.user), len(sent.history.item)) == (0, 0)
    for name in ("popularity", "choice", "had", "keys"):
        assert getattr(sent, name).tolist() == getattr(known, name).tolist()
    assert sent.users.index().tolist() == ["u", "v"]
    assert sent.ids.index().tolist() == ["a", "b", "c"]
    # a part of the lists may be of users without a history
    assert sent.user_of(column_ids(pd.Series(["n"]), "query")).tolist() == [-1]
    alone = catalog_of(ITEMS, None).sent()
    assert (alone.history, alone.part, alone.items is not None) == (None, True, True)


def test_the_tables_that_a_measure_needs_are_named():
    items, history = catalog_of(ITEMS, None), catalog_of(None, HISTORY)
    items.needed("Mine", "items")
    history.needed("Mine", "history")
    with pytest.raises(
        ValueError, match=r"^Mine needs history= \(what users had before: user, item\)\.$"
    ):
        items.needed("Mine", "items", "history")
    with pytest.raises(
        ValueError, match=r"^Mine needs items= \(one row per item: its id, and its genres"
    ):
        history.needed("Mine", "items", "history")
    with pytest.raises(ValueError, match=r"^Mine needs items= .* and history= "):
        Catalog().needed("Mine", "items", "history")
    assert catalog_of(None, None) is None
    assert (items.given, history.given) == ((ITEMS, None), (None, HISTORY))
    assert str(items.unknown("Mine", "color", "ask for others").args[0]) == (
        "Mine needs 'color', which is not a column of items= (it has item_id, price); ask for others."
    )
    assert "(it was not passed)" in history.unknown("Mine", "color", "x").args[0]


def test_numbers_of_items_are_those_of_a_column_and_at_the_end_that_of_none():
    known = catalog_of(ITEMS, HISTORY)
    assert known.numbers("price").tolist() == [1.0, 2.0, 4.0, 0.0]
    assert known.numbers("color") is None
    assert catalog_of(None, HISTORY).numbers("price") is None


@pytest.mark.parametrize(
    ("one", "other"), [([], [1]), (["a"], []), ([], []), (["a"], ["b"]), ([1], [2])]
)
def test_ids_of_one_type_or_none_may_match(one, other):
    same_type(
        "doc",
        *(
            column_ids(pd.Series(some, dtype=None if some else object), "doc")
            for some in (one, other)
        ),
        "",
        "",
    )


def test_of_many_items_that_do_not_match_three_are_named():
    many = pd.DataFrame({"user_id": "u", "item_id": list("uvwx")})
    with pytest.raises(
        ValueError, match=r"the history has 'u', 'v', 'w', \.\.\., items= has 'a', 'b', 'c'\. Use"
    ):
        _ = catalog_of(ITEMS, many).users
    with pytest.raises(
        ValueError,
        match=r"the history has 'u', items= has 'a', 'b', 'c'\. Use the same ids in both tables",
    ):
        _ = catalog_of(ITEMS, many.head(1)).users


def test_an_item_that_is_a_number_is_shown_as_one():
    known = catalog_of(
        pd.DataFrame({"item_id": [1, 2]}), pd.DataFrame({"user_id": "u", "item_id": [1, 9]})
    )
    with pytest.warns(
        UserWarning,
        match=r"1 of 2 items of the history are not in items=, e\.g\. 9; they do not count",
    ):
        assert known.popularity.tolist() == [1.0, 0.0, 0.0]
