"""Coefficients: against scipy, published values, and the mean over all ways to break ties."""

import itertools
import math
from dataclasses import FrozenInstanceError
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pdeval.orderings import coefficients as room
from pdeval.orderings.coefficients import (
    COEFFICIENTS,
    coefficient,
    pearson,
    rbo,
    spearman,
    tau_a,
    tau_ap,
    tau_ap_b,
    tau_b,
    which_coefficients,
)
from tests.examples import examples

# the examples of ircor's manual (Urbano and Marrero): tauAP, tauAP_a and tauAP_b, with y and then x rounded to tie
X = np.array([0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54])
Y = np.array([0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84])

pairs = st.integers(2, 6).flatmap(
    lambda n: st.tuples(
        *(st.lists(st.integers(0, 3), min_size=n, max_size=n).map(np.array) for _ in "xy")
    )
)
untied = st.integers(2, 7).flatmap(
    lambda n: st.tuples(*(st.permutations(range(n)).map(np.array) for _ in "xy"))
)


def broken(x):
    """Every order without ties that agrees with x, most first."""
    for order in itertools.permutations(range(len(x))):
        if all(x[i] >= x[j] for i, j in itertools.pairwise(order)):
            strict = np.empty(len(x))
            strict[list(order)] = np.arange(len(x), 0, -1)
            yield strict


def plain_tau_ap(x, y):
    order = np.argsort(-y)
    shares = [np.mean(x[order[:i]] > x[order[i]]) for i in range(1, len(order))]
    return 2 * np.mean(shares) - 1


def test_tau_ap_of_the_published_example():
    assert tau_ap(X, Y) == pytest.approx(0.3928571, abs=5e-8)


def test_tau_ap_with_ties_in_the_estimate_of_the_published_example():
    assert tau_ap(X, Y.round(1)) == pytest.approx(0.39903, abs=5e-8)


def test_tau_ap_b_of_the_published_examples():
    assert tau_ap_b(X, Y.round(1)) == pytest.approx(0.3317019, abs=5e-8)
    assert tau_ap_b(X.round(1), Y.round(1)) == pytest.approx(0.339418, abs=5e-7)


def test_tau_ap_by_hand():
    # in y: b, a, c, d. Below b: a has 0 of 1 rightly above it, c 2 of 2, d 3 of 3
    assert tau_ap([4, 3, 2, 1], [3, 4, 2, 1]) == pytest.approx(2 / 3 * (0 + 1 + 1) - 1)
    # a swap at the bottom costs less: b 1 of 1, d 2 of 2, c 2 of 3
    assert tau_ap([4, 3, 2, 1], [4, 3, 1, 2]) == pytest.approx(2 / 3 * (1 + 1 + 2 / 3) - 1)


@examples(30)
@given(untied)
def test_tau_ap_without_ties_is_the_mean_share_rightly_above(xy):
    assert tau_ap(*xy) == pytest.approx(plain_tau_ap(*xy), abs=1e-12)
    assert tau_ap_b(*xy) == pytest.approx(
        (plain_tau_ap(*xy) + plain_tau_ap(*xy[::-1])) / 2, abs=1e-12
    )


@pytest.mark.broad
@examples(20)
@given(pairs.filter(lambda xy: len(xy[0]) < 5))
def test_tau_ap_with_ties_is_the_mean_over_all_ways_to_break_them(xy):
    every = [plain_tau_ap(x, y) for x in broken(xy[0]) for y in broken(xy[1])]
    assert tau_ap(*xy) == pytest.approx(np.mean(every), abs=1e-12)


def test_rbo_by_hand():
    # b c d a e against a b c d e: 0, 1/2, 2/3, 1, 1 in common
    by_hand = 0.1 * (0 + 0.9 / 2 + 0.81 * 2 / 3 + 0.729 + 0.6561) + 0.59049
    assert rbo([5, 4, 3, 2, 1], [2, 5, 4, 3, 1]) == pytest.approx(by_hand, abs=1e-15)


def test_rbo_takes_tied_runs_at_the_best_rank_of_their_group():
    # tops of x: a; a b c; a b c. Of y: a b; a b; a b c. Common 1, 2, 3 of (1+2)/2, (3+2)/2, 3
    by_hand = 0.5 * (1 / 1.5 + 0.5 * 2 / 2.5 + 0.25) + 0.125
    assert rbo([2, 1, 1], [2, 2, 1], p=0.5) == pytest.approx(by_hand, abs=1e-15)


@examples(30)
@given(untied, st.sampled_from([0.5, 0.9, 0.99]))
def test_rbo_is_the_average_overlap_of_the_tops(xy, p):
    first, second = (np.argsort(-x).tolist() for x in xy)
    n = len(first)
    overlap = [len(set(first[:d]) & set(second[:d])) / d for d in range(1, n + 1)]
    series = (1 - p) * sum(p ** (d - 1) * overlap[min(d, n) - 1] for d in range(1, 4000))
    assert rbo(*xy, p=p) == pytest.approx(series, abs=1e-12)


def test_tau_a_by_hand():
    # of three pairs two agree and one is tied in y
    assert tau_a([3, 2, 1], [3, 1, 1]) == pytest.approx(2 / 3)


@examples(40)
@given(pairs)
def test_tau_a_and_tau_b_differ_by_their_ties(xy):
    x, y = xy
    n = len(x)
    agree = sum(
        np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i, j in itertools.combinations(range(n), 2)
    )
    ties = [n * (n - 1) / 2 - sum(k * (k - 1) / 2 for k in np.bincount(v)) for v in xy]
    assert tau_a(x, y) == pytest.approx(agree / (n * (n - 1) / 2))
    if min(ties) == 0:
        assert math.isnan(tau_b(x, y))
    else:
        assert tau_b(x, y) == pytest.approx(agree / math.sqrt(ties[0] * ties[1]))


@examples(40)
@given(pairs.filter(lambda xy: min(map(np.ptp, xy)) > 0))
def test_spearman_and_pearson_are_those_of_scipy(xy):
    assert spearman(*xy) == pytest.approx(stats.spearmanr(*xy).statistic, abs=1e-12)
    assert pearson(*xy) == pytest.approx(np.corrcoef(*xy)[0, 1], abs=1e-12)


@examples(40)
@given(pairs)
def test_all_but_tau_ap_are_symmetric(xy):
    for name in set(COEFFICIENTS) - {"tau_ap"}:
        one, other = COEFFICIENTS[name].function(*xy), COEFFICIENTS[name].function(*xy[::-1])
        assert one == pytest.approx(other, abs=1e-12, nan_ok=True), name


@given(untied)
def test_an_ordering_agrees_with_itself_and_opposes_its_reverse(xy):
    x = xy[0]
    for name, one in COEFFICIENTS.items():
        coefficient = one.function
        assert coefficient(x, x) == pytest.approx(1), name
        if name != "rbo":
            assert coefficient(x, -x) == pytest.approx(-1), name


@examples(40)
@given(pairs, st.data())
def test_coefficients_do_not_depend_on_the_order_of_the_runs(xy, data):
    moved = data.draw(st.permutations(range(len(xy[0]))))
    for name, one in COEFFICIENTS.items():
        coefficient = one.function
        assert coefficient(*(v[moved] for v in xy)) == pytest.approx(
            coefficient(*xy), abs=1e-12, nan_ok=True
        ), name


@pytest.mark.parametrize("name", list(COEFFICIENTS))
def test_a_run_without_a_value_leaves_no_coefficient_and_a_run_too_few_is_refused(name):
    by = COEFFICIENTS[name].function
    assert math.isnan(by([3.0, math.nan, 1.0], [3.0, 2.0, 1.0]))
    assert math.isnan(by([3.0, 2.0, 1.0], [math.nan, 2.0, 1.0]))
    with pytest.raises(
        ValueError, match="two orderings of the same runs must have equal lengths, got 3 and 2"
    ):
        by([3, 2, 1], [2, 1])


@pytest.mark.parametrize("name", ["tau_b", "tau_ap_b", "spearman", "pearson"])
def test_an_ordering_that_ties_all_runs_has_no_correlation(name):
    assert math.isnan(COEFFICIENTS[name].function([1, 1, 1], [3, 2, 1]))


@pytest.mark.parametrize("kind", [np.uint8, np.float32, np.int64, bool])
def test_numbers_of_any_type_are_compared_as_numbers(kind):
    x, y = np.array([1, 0, 1, 0]).astype(kind), np.array([1, 1, 0, 0]).astype(kind)
    for name, one in COEFFICIENTS.items():
        assert one.function(x, y) == one.function(x.astype(float), y.astype(float)), name


@pytest.mark.parametrize("few", [3, 6, 7])
def test_the_pairs_of_few_and_of_many_runs_are_counted_alike(monkeypatch, few):
    rng = np.random.default_rng(few)
    monkeypatch.setattr(room, "FEW", few)
    for _ in range(5):
        x, y = rng.integers(0, 4, (2, 6))
        assert tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-14)
    assert math.isnan(tau_b(np.zeros(6), x))


@pytest.fixture
def declared():
    """What is declared in a test is forgotten after it."""
    with mock.patch.dict(COEFFICIENTS):
        yield


def test_a_declaration_keeps_all_that_it_says(declared):
    @coefficient(name="mine", looks_at="scores", aliases=["own"], reference="a note")
    def anything(x, y, *, weight=1.0):
        """Nothing in common.

        Not a word more.
        """
        return 0.0

    made = COEFFICIENTS["mine"]
    assert (made.name, made.looks_at, made.aliases, made.reference) == (
        "mine",
        "scores",
        ("own",),
        "a note",
    )
    assert (made.summary, made.parameters) == ("Nothing in common.", ("weight",))
    assert made.function is anything
    assert COEFFICIENTS["rbo"].parameters == ("p",)
    assert COEFFICIENTS["tau_b"].parameters == ()
    assert [one.name for one in which_coefficients(["own", "rbo", "mine"])] == ["mine", "rbo"]
    plain = coefficient(lambda x, y: 1.0, name="plain")
    assert COEFFICIENTS["plain"].looks_at == "ranks"
    assert COEFFICIENTS["plain"].function is plain
    with pytest.raises(TypeError, match="the coefficient 'one' must take two arrays"):
        coefficient(lambda x: 0.0, name="one")
    with pytest.raises(ValueError, match=r"^coefficients=\[\] is empty"):
        which_coefficients([])


def test_tau_b_is_never_beyond_one_though_quotients_of_roots_are_rounded():
    assert 3 / math.sqrt(3) / math.sqrt(3) > 1
    assert (tau_b([3, 2, 1], [3, 2, 1]), tau_b([3, 2, 1], [1, 2, 3])) == (1.0, -1.0)
    assert all(
        -1.0 <= tau_b(x, -x) < -0.999 < 0.999 < tau_b(x, x) <= 1.0
        for x in map(np.arange, range(2, 40))
    )


def test_a_coefficient_is_not_changed_afterwards():
    with pytest.raises(FrozenInstanceError):
        COEFFICIENTS["rbo"].name = "other"
