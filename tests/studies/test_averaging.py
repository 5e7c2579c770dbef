"""Implicit weights: equations 9 to 15 of Alex, Hall and Metzler (2022), and their examples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.studies import average_length, effective_fraction, implicit_weights, swap_out
from pdeval.studies.search_length import effective_fractions
from tests.studies.rankings import inf, judged

EXAMPLE = [1, 1, 1, 2, 4, 5, 10, 10000, 10000]
lengths = st.lists(st.floats(1, 1e6), min_size=1, max_size=20)


def test_equation_9_the_average_precision_of_ranks_1_and_1000_is_that_of_rank_2():
    assert average_length([1, 1000]) == pytest.approx(2, abs=0.01)
    assert 1 / average_length([1, 1000]) == pytest.approx((1 / 1 + 1 / 1000) / 2)


def test_equation_10_the_average_search_length_is_midway():
    assert np.mean([1, 1000]) == pytest.approx(500, abs=1)


@pytest.mark.parametrize("first", [1, 3, 20])
def test_equation_13_with_one_length_fixed_the_average_never_exceeds_its_double(first):
    second = np.array([1, 10, 1e3, 1e6, 1e12])
    average = average_length(np.stack([np.full(5, float(first)), second]))
    assert (1 / average).tolist() == pytest.approx((0.5 * (1 / first + 1 / second)).tolist())
    assert (np.diff(average) > 0).all()
    assert (average <= 2 * first).all()
    assert average[-1] == pytest.approx(2 * first)


@given(lengths)
def test_equations_14_and_15_an_average_of_precisions_is_an_average_of_lengths_weighted_by_their_reciprocals(
    values,
):
    table = implicit_weights(values)
    assert table["weight"].sum() == pytest.approx(1)
    assert (table["length"] * table["weight"]).sum() == pytest.approx(
        len(values) / sum(1 / v for v in values)
    )
    assert table["weight"].tolist() == pytest.approx(
        [1 / v / sum(1 / w for w in values) for v in values]
    )


def test_the_swap_out_example():
    assert swap_out(EXAMPLE).round(2).tolist() == [1, 1, 1, 2.11, 2.67, 2.78, 3.00, 3.22, 3.22]


@given(lengths)
def test_swapped_values_have_the_plain_mean_that_averaging_precision_gives(values):
    assert swap_out(values).mean() == pytest.approx(average_length(values))
    assert swap_out(values).min() >= 1 - 1e-9


def test_the_effective_share_is_the_prefix_whose_plain_mean_is_nearest():
    # mu = 9 / 4.0502 = 2.2221; plain means of the soonest 1..6: 1, 1, 1, 1.25, 1.8, 2.333; of 7: 3.43
    assert average_length(EXAMPLE) == pytest.approx(2.2221, abs=1e-3)
    assert effective_fraction(EXAMPLE) == pytest.approx(6 / 9)
    assert effective_fraction(EXAMPLE[::-1]) == pytest.approx(6 / 9)


def test_equal_lengths_are_all_read():
    assert effective_fraction([3, 3, 3]) == 1


def test_items_not_found_are_never_read_and_with_none_found_nothing_is_said():
    assert effective_fraction([1.0, inf]) == 0.5
    assert np.isnan(effective_fraction([inf, inf]))


def test_shares_of_runs_use_the_precision_at_each_item():
    # a: precisions 1, 2/8, 0 -> lengths 1, 4, inf, mu = 3 / 1.25 = 2.4: means 1, 2.5; b: all at the top
    found = judged({"q": {"a": [1, 8, inf], "b": [1, 2, 3]}, "s": {"a": [inf], "b": [4]}})
    table = effective_fractions(found)
    assert table.columns.tolist() == ["run", "query_id", "items", "fraction"]
    assert table[["run", "query_id", "items"]].to_numpy().tolist() == [
        ["a", "q", 3], ["a", "s", 1], ["b", "q", 3], ["b", "s", 1]
    ]  # fmt: skip
    assert table["fraction"].round(4).tolist()[0] == 0.6667
    assert np.isnan(table["fraction"].iloc[1])
    assert table["fraction"].tolist()[2:] == [1, 1]


def test_shares_of_runs_by_atomized_precision():
    # a: search lengths 1, 7, 18 (18 irrelevant items): mu = 3 / (1 + 1/7 + 1/18) = 2.503; means 1, 4, 8.67
    found = judged({"q": {"a": [1, 8, inf], "b": [1, 2, 3]}})
    table = effective_fractions(found, precision="atomized")
    assert table["fraction"].round(4).tolist() == [0.6667, 1.0]


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:.*judged queries are missing")
def test_average_precision_reads_about_half_of_the_items(shared_data):
    from pdeval.files import read_qrels, read_runs

    folder = shared_data / "clef-ehealth-2015"
    joined = read_runs(folder / "runs").ireval.join(
        read_qrels(folder / "qrels.binary.txt"), validate=False
    )
    # printed: 57% +- 16 over tracks
    assert effective_fractions(joined)["fraction"].mean() == pytest.approx(0.57, abs=0.02)


def test_lengths_below_or_at_zero_are_an_error():
    for call in (swap_out, implicit_weights, effective_fraction, average_length):
        with pytest.raises(
            ValueError, match="expected at least one search length, and only values above 0"
        ):
            call([1, 0])
    with pytest.raises(ValueError, match=r"precision='AP': choose 'item' or 'atomized'."):
        judged({"q": {"a": [1]}}).search_lengths.effective_fractions(precision="AP")
