"""One number for the codes of several columns, against Python's own tuples."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.tables import codes as module
from pdeval.tables.codes import by_code, combined_codes, distinct, grouped, renumbered
from tests.examples import examples


def dense(numbers):
    """Return the place of each among the different ones."""
    place = {one: at for at, one in enumerate(sorted(set(numbers)))}
    return [place[one] for one in numbers]


@given(
    sizes=st.lists(st.sampled_from([1, 2, 128, 2**20, 2**40]), min_size=1, max_size=12),
    rows=st.integers(1, 12),
    seed=st.integers(0, 99),
)
@examples(80)
def test_rows_are_told_apart_and_ordered_as_their_tuples(sizes, rows, seed):
    rng = np.random.default_rng(seed)
    # many rows share the first and the last value, where products of counts would run over
    columns = [(rng.choice([0, size - 1, int(rng.integers(size))], rows), size) for size in sizes]
    tuples = list(zip(*(codes.tolist() for codes, _ in columns)))
    assert dense(combined_codes(columns, rows).tolist()) == dense(tuples)


def test_ten_columns_of_128_values_do_not_run_over():
    codes = np.array([0, 127])
    # 128**10 is 2**70: as a plain product of 64 bits the first column would be lost
    first = combined_codes([(codes, 128), *[(np.zeros(2, dtype=np.int64), 128)] * 9], 2)
    assert first[0] != first[1]


@pytest.mark.parametrize("rows", [0, 3])
def test_no_columns_make_all_rows_equal(rows):
    assert combined_codes([], rows).tolist() == [0] * rows


codes = st.lists(st.sampled_from([0, 1, 5, 2**16 - 1, 2**16, 2**20 + 3, 2**40, 2**62]), max_size=30)


@given(codes=codes)
def test_different_codes_are_numbered_as_numpy_does_it(codes):
    code = np.array(codes, dtype=np.int64)
    _, first, place = np.unique(code, return_index=True, return_inverse=True)
    assert [found.tolist() for found in distinct(code)] == [first.tolist(), place.tolist()]


@given(
    codes=st.lists(st.integers(0, 9) | st.integers(0, 3000), max_size=60), repeats=st.integers(1, 4)
)
def test_codes_are_renumbered_by_first_row_as_pandas_does_it(codes, repeats):
    code = np.repeat(np.array(codes, dtype=np.uint32), repeats)  # several: stretches of one code
    expected, values = pd.factorize(code)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", 16)
        place, first = renumbered(code)
    assert place.tolist() == expected.tolist()
    assert code[first].tolist() == values.tolist()
    assert first.tolist() == np.flatnonzero(~pd.Series(code).duplicated()).tolist()


@given(codes=codes)
def test_rows_come_by_code_and_else_as_they_stand(codes):
    assert by_code(np.array(codes, dtype=np.int64)).tolist() == sorted(
        range(len(codes)), key=codes.__getitem__
    )


@pytest.mark.parametrize("many", [5, 70_000, 9 * 2**16, 2**40])
def test_rows_are_grouped_as_a_stable_sort_would(many):
    code = np.random.default_rng(0).integers(0, many, 1000)
    code[0] = many - 1
    order, sizes, place, known = grouped(code)
    assert order.tolist() == np.argsort(code, kind="stable").tolist()
    wanted, inverse, count = np.unique(code, return_inverse=True, return_counts=True)
    assert (sizes.tolist(), place.tolist()) == (count.tolist(), inverse.tolist())
    assert known.tolist() == wanted.tolist()


@pytest.mark.parametrize("most", [0, 7, 255, 256, 70_000, 2**24 - 1])
@pytest.mark.parametrize("rows", [1, 37, 1000])
def test_many_rows_are_sorted_in_parts_to_the_same_order(monkeypatch, most, rows):
    monkeypatch.setattr("pdeval.tables.codes.LARGE", 0)
    monkeypatch.setattr("pdeval.tables.codes.CHUNK", 37)
    code = np.random.default_rng(1).integers(0, most + 1, rows)
    code[-1] = most
    for held in (code, code.astype(np.int32), np.repeat(code, 3)):
        assert by_code(held).tolist() == np.argsort(held, kind="stable").tolist()


def test_codes_of_more_than_24_bits_are_not_sorted_in_parts(monkeypatch):
    monkeypatch.setattr("pdeval.tables.codes.LARGE", 0)
    code = np.array([2**24, 3, 2**40, 2**24, 2**24 - 1])
    assert by_code(code).tolist() == [1, 4, 0, 3, 2]
