"""Lexicographic precision and recall as numbers: the order of sgnLP and sgnLR, and exact counting."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from pdeval.kernels.lexicographic import LP, LR
from pdeval.kernels.preferences import rrLP, sgnLP, sgnLR
from tests.examples import examples

inf = math.inf
BOTH = [(LP, sgnLP), (LR, sgnLR)]


def vectors(n, m):
    """All position vectors of m items at n places, those not found last."""
    found = [one for t in range(m + 1) for one in itertools.combinations(range(1, n + 1), t)]
    return np.array([[*one, *[inf] * (m - len(one))] for one in found]).T


def exactly(measure, ranks, n):
    """The share of ways that are worse, in whole numbers."""
    m = len(ranks)
    place = [n + i if rank == inf else int(rank) for i, rank in enumerate(ranks, start=1)]
    every = math.comb(n + m, m)
    if measure is LP:
        worse = sum(math.comb(n + m - f, m - i) for i, f in enumerate(place))
    else:
        worse = every - 1 - sum(math.comb(f - 1, i) for i, f in enumerate(place, start=1))
    return Fraction(worse, every - 1)


@pytest.mark.parametrize(("measure", "preference"), BOTH)
@pytest.mark.parametrize(("n", "m"), [(8, 3), (5, 1), (4, 4), (3, 5)])
def test_all_position_vectors_are_in_the_order_of_the_preference(measure, preference, n, m):
    ranks = vectors(n, m)
    assert ranks.shape[1] == sum(math.comb(n, t) for t in range(m + 1))  # 93 for n = 8, m = 3
    value = measure(ranks, k=n)
    sign = preference(ranks[:, :, None], ranks[:, None, :])
    np.testing.assert_array_equal(np.sign(value[:, None] - value[None, :]), sign)
    # and apart by far more than rounding
    assert np.diff(np.sort(value)).min() > 1e-3


@pytest.mark.parametrize(("measure", "preference"), BOTH)
@given(st.data())
@examples(60)
def test_the_share_is_that_of_exact_counting(measure, preference, data):
    n, m = data.draw(st.sampled_from([(10, 3), (1000, 2), (50_000, 3), (50_000, 40), (200, 150)]))
    ranks = []
    for _ in range(2):
        places = sorted(data.draw(st.sets(st.integers(1, n), max_size=m)))
        ranks.append([*map(float, places), *[inf] * (m - len(places))])
    ranks = np.array(ranks).T
    value = measure(ranks, k=n)
    exact = [exactly(measure, one, n) for one in ranks.T.tolist()]
    for got, wanted in zip(value.tolist(), exact, strict=True):
        assert abs(Fraction(got) - wanted) <= Fraction(1, 10**13) * wanted + Fraction(1, 10**300)
    if abs(exact[0] - exact[1]) > Fraction(1, 10**12) * max(exact):
        assert np.sign(value[0] - value[1]) == preference(ranks[:, 0], ranks[:, 1])


@pytest.mark.parametrize(("measure", "preference"), BOTH)
def test_neighbors_of_fifty_thousand_places_are_told_apart(measure, preference):
    first = np.array([[1.0, 2.0, 49_999.0, 7.0], [50_000.0, 50_000.0, 50_000.0, inf]])
    second = np.array([[1.0, 2.0, 49_999.0, 8.0], [49_999.0, inf, inf, inf]])
    value, other = measure(first, k=50_000), measure(second, k=50_000)
    assert np.sign(value - other).tolist() == preference(first, second).tolist()
    assert (np.abs(value - other) > 1e-12 * np.maximum(value, other)).all()


def test_beyond_the_reach_of_doubles_values_are_equal_and_never_turned_around():
    # f_10 decides, at one of C(1010, 10) = 3e23 ways
    first = np.append(np.arange(1.0, 10.0), 500.0)
    second = np.append(np.arange(1.0, 10.0), 501.0)
    assert sgnLP(first, second) == 1
    assert LP(first, k=1000) - LP(second, k=1000) in (0.0, pytest.approx(0.0, abs=1e-15))
    assert LP(first, k=1000) >= LP(second, k=1000)


@pytest.mark.parametrize("measure", [LP, LR])
def test_the_best_is_one_and_nothing_found_is_zero(measure):
    for n, m in ((8, 3), (1, 1), (50_000, 500)):
        assert measure(np.arange(1.0, m + 1), k=max(n, m)) == pytest.approx(1.0, abs=1e-15)
        assert measure(np.full(m, inf), k=n) == 0.0


def test_items_beyond_the_cutoff_are_not_found():
    ranks = np.array([2.0, 9.0, inf])
    for measure in (LP, LR):
        assert measure(ranks, k=8) == measure(np.array([2.0, inf, inf]), k=8)
        assert measure(ranks, np.array(8.0), k=5) == measure(np.array([2.0, inf, inf]), k=5)


@pytest.mark.broad
@pytest.mark.parametrize(("name", "preference"), [("LP", "sgnLP"), ("LR", "sgnLR")])
def test_the_measure_of_runs_prefers_as_the_sign_does_or_cannot_tell(name, preference):
    judged = pdeval.datasets.sample_judged(queries="common")
    pairs = judged.prefer([name, f"{name}@100", preference]).pivot_table(
        index=["query_id", "run_a", "run_b"], columns="measure", values="value", observed=True
    )
    for one in (name, f"{name}@100"):
        decided = pairs[pairs[one] != 0]
        assert (np.sign(decided[one]) == decided[preference]).all()
        assert len(decided) > 0.9 * (pairs[preference] != 0).sum()


def test_the_corpus_is_not_counted_where_a_cutoff_is_given():
    assert pdeval.parse("LP@10").columns == ("rank",)
    assert pdeval.parse("LP").columns == ("rank", "corpus")


def utilities(ranks):
    """The reciprocal rank of every user, from the best: each wants one item of a non-empty set of relevant items."""
    reciprocal = [0.0 if rank == inf else 1 / rank for rank in ranks]
    sizes = range(1, len(ranks) + 1)
    users = itertools.chain.from_iterable(itertools.combinations(reciprocal, n) for n in sizes)
    return sorted((max(user) for user in users), reverse=True)


@given(st.integers(1, 5), st.data())
@examples(50)
def test_lexiprecision_is_leximax_over_all_sets_of_items_that_a_user_may_want(m, data):
    lists = st.lists(st.integers(1, 7), min_size=0, max_size=m, unique=True)
    found = [sorted(data.draw(lists)) for _ in range(2)]
    x, y = (np.array([*ranks, *[inf] * (m - len(ranks))]) for ranks in found)
    best_of_x, best_of_y = utilities(x), utilities(y)
    assert len(best_of_x) == 2**m - 1
    # the first user, from the best, whose utilities differ
    decisive = next((a - b for a, b in zip(best_of_x, best_of_y) if a != b), 0.0)
    assert sgnLP(x, y) == np.sign(decisive)
    assert rrLP(x, y) == decisive
    # users tied at each recall level: 2^(m - i) have the i-th relevant item as their best one
    distinct = np.arange(1.0, m + 1)
    counts = [utilities(distinct).count(1 / rank) for rank in distinct]
    assert counts == [2 ** (m - level) for level in range(1, m + 1)]
