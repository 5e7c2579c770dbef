"""What side tables say of items: which table popularity comes from, and what is said where there is none."""

import pandas as pd
import pytest

from pdeval.judged.catalogue import catalogue_of
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
