"""Ties in theory, against counting."""

from itertools import combinations, product
from math import comb

import pytest

from pdeval.studies import tie_probability, value_growth


@pytest.mark.parametrize(("n", "m"), [(6, 1), (6, 2), (6, 3), (7, 5), (5, 5)])
def test_the_chance_of_a_tie_is_the_share_of_arrangements_with_that_first_rank(n, m):
    firsts = [min(ranks) for ranks in combinations(range(1, n + 1), m)]
    table = tie_probability(n, m, range(1, n + 1))
    assert table["p1"].tolist() == list(range(1, n + 1))
    assert table["probability"].tolist() == pytest.approx(
        [firsts.count(p1) / len(firsts) for p1 in table["p1"]]
    )


def test_large_corpora_stay_exact():
    table = tie_probability(50_000, [1, 100, 1000], [1, 10, 1000])
    exact = [
        comb(50_000 - p1, m - 1) / comb(50_000, m) for m, p1 in product([1, 100], [1, 10, 1000])
    ]
    assert table["probability"].tolist()[:6] == pytest.approx(exact, rel=1e-8)
    # with many relevant items a first rank of 1 is likely, a deep one is not
    last = table[table["m"] == 1000]["probability"].tolist()
    assert last[0] == pytest.approx(1000 / 50_000)
    assert last[0] > last[1] > last[2]


def test_probabilities_over_all_first_ranks_sum_to_one():
    assert tie_probability(500, 20, range(1, 501))["probability"].sum() == pytest.approx(1)


def test_a_first_rank_that_leaves_too_little_room_is_impossible():
    assert tie_probability(5, 3, [3, 4])["probability"].tolist() == pytest.approx([0.1, 0.0])


def test_values_grow_as_the_product_in_equation_1():
    n, m, k = 60, 5, 7
    growth = 1.0
    for i in range(m + 1, m + k + 1):
        growth *= (n + 1 - i) / i
    row = value_growth(n, m, k).iloc[0]
    assert row["growth"] == pytest.approx(growth)
    assert 10 ** row["log10_growth"] == pytest.approx(growth)


def test_growth_beyond_what_a_number_holds_is_infinite_but_has_a_logarithm():
    row = value_growth(50_000, 10, 1000).iloc[0]
    assert row["growth"] == float("inf")
    assert row["log10_growth"] > 1000


def test_numbers_that_are_no_ranking_are_an_error():
    with pytest.raises(
        ValueError, match=r"requires integers 1 <= m <= n and 1 <= p1 <= n; found n=5, m=6, p1=1"
    ):
        tie_probability(5, 6, 1)
    with pytest.raises(ValueError, match=r"with m \+ k <= n; found n=5, m=3, k=3"):
        value_growth(5, 3, 3)
