"""What is wrong with side tables, or with what a measure asks of them, is said by name."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import ENTRIES
from tests.evaluate.test_items import HISTORY, ITEMS, RUNS, TEST


def asked(measure, **tables):
    return RUNS.ireval.measure(TEST, measure, queries="answered", **tables)


@pytest.fixture
def own():
    """Declare measures of a test's own, gone with it."""
    before = set(ENTRIES)
    yield pdeval.metric
    for name in set(ENTRIES) - before:
        del ENTRIES[name]


def test_a_kernel_of_items_may_ask_for_ranks(own):
    @own(kind="items")
    def ReciprocalPrice(rank, price):
        """Prices by reciprocal rank."""
        return (price / rank).sum(axis=0)

    found = asked("ReciprocalPrice", items=ITEMS)["value"].tolist()
    assert found == [
        1 + 2 / 2 + 4 / 3,
        8 + 1 / 2,
        8 + 4 / 2,
    ]  # a, b, c; d, a; d, c: beyond the end ranks are infinite


def test_a_column_that_is_not_there_is_named_beside_those_that_are(own):
    @own(kind="items")
    def Color(color, listed):
        """No such column."""
        return (color * listed).sum(axis=0)

    @own(kind="set")
    def ColorOfAll(exposure, color):
        """No such column."""
        return (exposure * color).sum(axis=0)

    with pytest.raises(
        KeyError,
        match=r"not a column of items= \(it has item_id, genre, price\); a kernel also has .*rank,",
    ):
        asked("Color", items=ITEMS)
    with pytest.raises(KeyError, match=r"not a column of items= \(it was not passed\)"):
        asked("Color", history=HISTORY)
    with pytest.raises(
        KeyError,
        match=r"not a column of items= \(it has item_id, genre, price\); a kernel of all lists",
    ):
        RUNS.ireval.beyond_accuracy("ColorOfAll", items=ITEMS)


def test_texts_where_numbers_are_asked_for_are_features(own):
    @own(kind="items")
    def Genre(genre, listed):
        """Texts are no numbers."""
        return (genre * listed).sum(axis=0)

    with pytest.raises(
        ValueError,
        match=r"column 'genre' of the items has strings, e.g. 'drama'. Convert them",
    ):
        asked("Genre", items=ITEMS)


def test_items_of_which_none_has_a_feature_are_refused():
    with pytest.raises(
        ValueError, match=r"no item has a feature: genre of the items table is empty"
    ):
        asked("ILD@2", items=ITEMS.assign(genre=None))


def test_missing_item_ids_are_counted():
    with pytest.raises(
        ValueError,
        match=r"column 'item_id' of the items has 4 missing ids. Drop or fill those rows",
    ):
        asked("ILD@2", items=ITEMS.assign(item_id=None))


def test_what_all_users_had_is_not_new_at_all_and_that_is_a_plain_zero():
    everyone = pd.DataFrame({"user_id": ["u", "v"], "item_id": ["a", "a"]})
    found = RUNS[RUNS["item_id"] == "a"].ireval.measure(
        TEST, ["Novelty@1", "ChoiceNovelty@1"], history=everyone, queries="answered"
    )
    assert found["value"].tolist() == [0.0] * len(found)
    assert not np.signbit(found["value"]).any()
