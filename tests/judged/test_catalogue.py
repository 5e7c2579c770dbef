"""What side tables say of items: which table popularity comes from, and what is said where there is none."""

import numpy as np
import pandas as pd
import pytest

from pdeval.judged.catalogue import catalogue_of
from pdeval.judged.ids import column_ids
from pdeval.judged.rank_columns import popular

ITEMS = pd.DataFrame({"item_id": list("abc"), "price": [1.0, 2.0, 4.0]})
HISTORY = pd.DataFrame({"user_id": list("uvv"), "item_id": list("aab")})


def test_popularity_is_that_of_the_items_before_that_of_the_history():
    own = ITEMS.assign(popularity=[0.5, 0.25, 0.0])
    for history in (None, HISTORY):
        known = catalogue_of(own, history)
        assert popular(known, "Novelty") is known
        assert known.popularity.tolist() == [0.5, 0.25, 0.0, 0.0]
    known = catalogue_of(ITEMS, HISTORY)
    assert popular(known, "Novelty").popularity.tolist() == [1.0, 0.5, 0.0, 0.0]
    assert popular(catalogue_of(None, HISTORY), "Novelty").popularity.tolist() == [1.0, 0.5, 0.0]


def test_items_without_popularity_and_history_cannot_be_popular():
    with pytest.raises(ValueError, match=r"^Novelty needs history= "):
        popular(catalogue_of(ITEMS, None), "Novelty")


@pytest.mark.parametrize("wrong", [-0.1, 1.5])
def test_popularity_that_is_no_share_is_refused_though_the_others_are(wrong):
    known = catalogue_of(pd.DataFrame({"item_id": list("abcd"), "popularity": [0.0, 1.0, wrong, 0.5]}), None)
    with pytest.raises(ValueError, match=f"share of users that had the item, between 0 and 1; it holds {wrong}"):
        _ = known.popularity
    ends = catalogue_of(ITEMS.assign(popularity=[0.0, 1.0, 1.0]), None)
    assert ends.popularity.tolist() == [0.0, 1.0, 1.0, 0.0]


def test_ids_that_cannot_match_are_said_with_the_table_of_each():
    numbers = HISTORY.assign(item_id=[1, 1, 2])
    with pytest.raises(ValueError, match=r"the doc ids are \w+ in the history and \w+ in items=, so none would match"):
        _ = catalogue_of(ITEMS, numbers).users
    with pytest.raises(ValueError, match=r"the query ids are .* in the history and .* in the runs"):
        catalogue_of(ITEMS, HISTORY).user_of(column_ids(pd.Series([1, 2]), "query"))


def test_items_of_the_history_that_nobody_sells_do_not_count():
    with pytest.raises(
        ValueError, match="no item of the history is in items=: the history has 'x', 'y', items= has 'a'"
    ):
        _ = catalogue_of(ITEMS, HISTORY.assign(item_id=list("xxy"))).users
    known = catalogue_of(ITEMS, HISTORY.assign(item_id=list("axb")))
    with pytest.warns(UserWarning, match="1 of 3 items of the history are not in items=, e.g. 'x'; nothing is known"):
        assert known.popularity.tolist() == [0.5, 0.5, 0.0, 0.0]  # of two users
    assert known.choice.tolist() == [0.5, 0.5, 0.0, 0.0]
    assert known.had.tolist() == [1.0, 1.0, 0.0]


def test_items_that_nobody_had_have_no_place_by_popularity():
    own = ITEMS.assign(popularity=[0.25, 0.0, 0.5])
    known = catalogue_of(own, None)
    assert known.popularity_place.tolist() == [2.0, 0.0, 1.0, 0.0]
    assert known.popularity_rank.tolist() == [0.5, 0.0, 1.0, 0.0]
    none = catalogue_of(own.assign(popularity=0.0), None)
    assert none.popularity_place.tolist() == none.popularity_rank.tolist() == [0.0] * 4


def test_users_are_found_by_their_ids_and_one_of_them_is_enough():
    known = catalogue_of(ITEMS, HISTORY)
    assert known.user_of(column_ids(pd.Series(["n", "u"]), "query")).tolist() == [-1, 0]  # the first of the history
    with pytest.raises(
        ValueError, match="no user of the runs is in the history: the runs have 'n', the history 'u', 'v'"
    ):
        known.user_of(column_ids(pd.Series(["n"]), "query"))


def test_what_users_had_is_averaged_where_some_items_were_had_by_nobody():
    vectors = ITEMS.drop(columns="price").assign(emb_0=[3.0, 0.0, 1.0], emb_1=[-4.0, 2.0, 1.0])
    known = catalogue_of(vectors, HISTORY)  # u had a; v had a and b; nobody c
    assert known.had_popularity.tolist() == [1.0, 0.75, 0.0]
    np.testing.assert_allclose(known.tastes, [[0.6, -0.8], [0.3, 0.1], [0.0, 0.0]], atol=1e-15)
