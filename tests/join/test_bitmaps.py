"""Sets of numbers as bits, against Python's own sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.join.positions import Bitmap, Sieve

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


@given(
    pairs=st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**20)), max_size=50),
    chunk=st.sampled_from([1, 7, 1000]),
)
def test_all_pairs_of_a_set_pass_its_sieve(pairs, chunk):
    numbers, topics = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pdeval.join.positions._NUMBERS", chunk)
        sieve = Sieve(numbers, topics)
        assert sieve.passes(numbers.astype(np.uint32), topics).tolist() == list(range(len(pairs)))


@pytest.mark.parametrize("count", [1, 100, 20_000])
def test_few_other_pairs_pass_a_sieve(count):
    numbers = np.arange(count)
    sieve = Sieve(numbers % 1000, numbers // 1000)
    others = sieve.passes(np.arange(100_000) % 1000, 1000 + np.arange(100_000) // 1000)
    # a bit is set with probability 1/16 at most; five standard deviations of 100,000 draws are added
    assert len(others) <= 100_000 / 16 + 5 * np.sqrt(100_000 / 16)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_many_numbers_are_looked_up_in_chunks(monkeypatch, dtype):
    monkeypatch.setattr("pdeval.join.positions._NUMBERS", 7)
    held = np.flatnonzero(np.random.default_rng(0).random(1000) < 0.3).astype(dtype)
    asked = np.random.default_rng(1).integers(0, 1000, 200).astype(dtype)
    made = Bitmap(held, 1000)
    assert made.holds(asked).tolist() == np.isin(asked, held).tolist()
    assert made.places(held).tolist() == list(range(len(held)))
