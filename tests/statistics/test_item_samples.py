"""Measures from samples of items: where their intervals cover as they say, and where they are known not to."""

import pytest

from tests.statistics.item_samples import cells

CASES = 3000


@pytest.fixture(scope="module")
def found():
    sizes = {"sizes": (20, 80), "cases": CASES, "queries": 600, "draws": 6}
    return [*cells(**sizes), *cells(**sizes, hard=True)]


def own(found, *measures, **of):
    kept = [
        one
        for one in found
        if one.measure in measures and all(getattr(one, k) == v for k, v in of.items())
    ]
    assert kept
    return kept


def within(one, place):
    """Whether the exact limits of a coverage reach into 93 to 97%."""
    low, high = one.covered[place].limits
    return low <= 0.97 and high >= 0.93


@pytest.mark.slow
def test_sums_and_differences_between_runs_cover_by_every_design(found):
    for one in own(
        found, "P@10", "RBP", *(f"difference of {name}" for name in ("P@10", "RBP", "R@20", "AP"))
    ):
        # where .7 relevant items of a query are drawn, whose first ranks weigh most, 50 queries are few
        assert within(one, 2 if (one.measure, one.design) == ("RBP", "uniform") else 1), one
        if one.measure in ("P@10", "RBP", "difference of P@10", "difference of RBP"):
            assert abs(one.bias) < 4 * one.noise, one


@pytest.mark.slow
def test_recall_covers_and_has_no_bias_by_the_uniform_design(found):
    for one in own(found, "R@20", design="uniform"):
        assert all(within(one, place) for place in range(3)), one
        assert abs(one.bias) < 4 * one.noise, one


@pytest.mark.slow
def test_average_precision_by_the_uniform_design_is_skewed_and_nearly_without_bias(found):
    for one in own(found, "AP", design="uniform"):
        assert abs(one.bias) < 0.02, one
        assert one.covered[1].limits[1] > (0.87 if one.size == 20 else 0.92), one


@pytest.mark.slow
def test_ratios_by_other_designs_need_most_of_the_pool(found):
    for design in ("importance", "stratified"):
        for one in own(found, "R@20", "AP", design=design, size=80):
            assert within(one, 1), one
        for one in own(found, "R@20", "AP", design=design, size=20):
            assert one.covered[1].verdict == "MISSED", one
            assert one.bias > 0.02, one
