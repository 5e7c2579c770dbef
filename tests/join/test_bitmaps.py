"""Sets of numbers as bits, against Python's own sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.join.positions import Bitmap

numbers = st.lists(st.integers(0, 99), unique=True).map(sorted)


@given(held=numbers, asked=st.lists(st.integers(0, 99), max_size=30))
def test_numbers_are_held_as_in_a_set(held, asked):
    made = Bitmap(np.array(held, dtype=np.int64), 100)
    assert made.holds(np.array(asked, dtype=np.int64)).tolist() == [one in held for one in asked]


@given(held=numbers, seed=st.integers(0, 9))
def test_places_are_those_of_the_sorted_numbers(held, seed):
    asked = np.random.default_rng(seed).permutation(np.array(held, dtype=np.int32))
    made = Bitmap(np.array(held, dtype=np.int32), 100)
    assert made.places(asked).tolist() == [held.index(one) for one in asked.tolist()]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_many_numbers_are_looked_up_in_chunks(monkeypatch, dtype):
    monkeypatch.setattr("pdeval.join.positions._NUMBERS", 7)
    held = np.flatnonzero(np.random.default_rng(0).random(1000) < 0.3).astype(dtype)
    asked = np.random.default_rng(1).integers(0, 1000, 200).astype(dtype)
    made = Bitmap(held, 1000)
    assert made.holds(asked).tolist() == np.isin(asked, held).tolist()
    assert made.places(held).tolist() == list(range(len(held)))
