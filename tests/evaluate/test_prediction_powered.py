"""Prediction-powered means: closed forms against a loop, and against ppi-python where both do the same."""

import math
from statistics import NormalDist, fmean, variance

import numpy as np
import pytest
from scipy import stats

from pdeval.evaluate.ppi import _slopes, degrees, powered

HUMAN = [0.2, 0.4, 0.7, 0.9, 0.5, 0.1]
MACHINE = [0.1, 0.2, 0.6, 0.7, 0.6, 0.3]
ALONE = [0.2, 0.3, 0.5, 0.9, 0.4, 0.8, 0.1, 0.6]
# ppi-python 0.2.3: ppi_mean_pointestimate(HUMAN, MACHINE, ALONE, lam=lam), ppi_mean_ci(..., alpha=0.05, lam=lam)
PPI_PYTHON = {
    0: (0.46666666666666673, (0.24672593399028792, 0.6866073993430455)),
    0.5: (0.49583333333333335, (0.31837202753093075, 0.673294639135736)),
    1: (0.525, (0.30655522142127123, 0.7434447785787288)),
}


def stacked(human, machine, alone):
    """Values as the statistic takes them: labeled queries first."""
    human = np.array([*human, *[np.nan] * len(alone)])[:, None]
    return human, np.array([*machine, *alone])[:, None]


def slope(h, g, n, n_alone):
    """The best lambda of some queries, by its definition."""
    mean_h, mean_g = fmean(h), fmean(g)
    products = sum((x - mean_h) * (y - mean_g) for x, y in zip(h, g, strict=True))
    squares = sum((y - mean_g) ** 2 for y in g)
    return min(max(products / squares / (1 + n / n_alone), 0.0), 1.0)


def naive(human, machine, alone):
    """The definition, query by query, with the lambda of all other queries."""
    n, n_alone = len(human), len(alone)
    lams = [
        slope(human[:i] + human[i + 1 :], machine[:i] + machine[i + 1 :], n, n_alone)
        for i in range(n)
    ]
    rectified = [
        h - lam * (g - fmean(alone)) for h, g, lam in zip(human, machine, lams, strict=True)
    ]
    parts = variance(rectified) / n, fmean(lams) ** 2 * variance(alone) / n_alone
    whole = sum(parts)
    df = whole**2 / (parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (n_alone - 1))
    return fmean(rectified), whole, df, fmean(lams)


@pytest.mark.parametrize("seed", range(6))
def test_all_columns_at_once_equal_the_definition_query_by_query(seed):
    rng = np.random.default_rng(seed)
    n, alone = int(rng.integers(3, 30)), int(rng.integers(2, 60))
    truth = rng.random((n + alone, 3))
    machine = rng.choice([0.0, 0.5, 1.0]) * truth + rng.normal(size=truth.shape)
    human = np.where(np.arange(n + alone)[:, None] < n, truth, np.nan)
    found = powered(human, machine)
    for column in range(3):
        parts = [values[:, column].tolist() for values in (human[:n], machine[:n], machine[n:])]
        mean, whole, df, lam = naive(*parts)
        ours = [x[column] for x in (found.mean, found.variance, found.df, found.lam)]
        np.testing.assert_allclose(ours, [mean, whole, df, lam], rtol=1e-9, atol=1e-12)
        half = stats.t.ppf(0.975, df) * math.sqrt(whole)
        low, high = found.interval(0.95)
        np.testing.assert_allclose(
            [low[column], high[column]], [mean - half, mean + half], rtol=1e-9
        )
        assert found.p_value[column] == pytest.approx(
            2 * stats.t.sf(abs(mean) / math.sqrt(whole), df), rel=1e-9
        )
        beta = lam * (1 + n / alone)
        people = variance(parts[0]) + beta**2 * (variance(parts[1] + parts[2]) - variance(parts[1]))
        assert found.effective_n[column] == pytest.approx(min(people / whole, n + alone))


def normal_interval(lam):
    """The interval of ppi-python from our parts: it divides by n where we divide by n - 1, and takes the normal's."""
    n, alone = len(HUMAN), len(ALONE)
    found = powered(*stacked(HUMAN, MACHINE, ALONE), lam=lam)
    of_machine = lam**2 * variance(ALONE) / alone
    of_people = found.variance.item() - of_machine
    half = NormalDist().inv_cdf(0.975) * math.sqrt(
        of_people * (n - 1) / n + of_machine * (alone - 1) / alone
    )
    return found.mean.item(), (found.mean.item() - half, found.mean.item() + half)


@pytest.mark.parametrize("lam", PPI_PYTHON)
def test_with_a_given_lambda_the_estimate_and_the_normal_interval_are_those_of_ppi_python(lam):
    mean, ends = normal_interval(lam)
    assert mean == pytest.approx(PPI_PYTHON[lam][0], rel=1e-12)
    assert ends == pytest.approx(PPI_PYTHON[lam][1], rel=1e-12)


@pytest.mark.extras
def test_ppi_python_says_the_same_today():
    ppi_py = pytest.importorskip("ppi_py", reason="pip install ppi-python")
    data = [np.array(values) for values in (HUMAN, MACHINE, ALONE)]
    for lam in (0.0, 0.25, 0.5, 0.8, 1.0):
        mean, ends = normal_interval(lam)
        assert mean == pytest.approx(
            ppi_py.ppi_mean_pointestimate(*data, lam=lam).item(), rel=1e-12
        )
        theirs = ppi_py.ppi_mean_ci(*data, alpha=0.05, lam=lam)
        assert ends == pytest.approx(tuple(end.item() for end in theirs), rel=1e-12)


def test_a_lambda_of_zero_is_people_alone():
    found = powered(*stacked(HUMAN, MACHINE, ALONE), lam=0.0)
    assert found.mean.item() == pytest.approx(fmean(HUMAN))
    assert found.df.item() == len(HUMAN) - 1
    assert found.effective_n.item() == pytest.approx(len(HUMAN))
    assert found.p_value.item() == pytest.approx(stats.ttest_1samp(HUMAN, 0).pvalue)


def test_a_perfect_machine_is_worth_all_its_queries():
    rng = np.random.default_rng(1)
    truth = rng.random((60, 1))
    human = np.where(np.arange(60)[:, None] < 20, truth, np.nan)
    found = powered(human, truth)
    assert found.lam.item() == pytest.approx(40 / 60)
    assert found.mean.item() == pytest.approx(truth.mean())
    of_each = np.array([truth[:20].var(ddof=1), truth[20:].var(ddof=1)])
    assert found.variance.item() == pytest.approx((of_each * [20, 40]).sum() / 60**2)


def test_a_machine_that_says_the_opposite_is_not_used():
    human, machine = stacked(HUMAN, MACHINE, ALONE)
    found = powered(human, 1 - machine)
    assert found.lam.item() == 0
    assert found.mean.item() == pytest.approx(fmean(HUMAN))


@pytest.mark.parametrize("odd", [0.0, 0.7])
def test_a_machine_that_says_always_the_same_or_differs_once_teaches_nothing(odd):
    # without the one query that differs nothing is left to learn from: its lambda is 0, and not noise over noise
    found = powered(*stacked(HUMAN, [odd, 0, 0, 0, 0, 0], ALONE))
    assert found.lam.item() == 0
    assert found.effective_n.item() == pytest.approx(len(HUMAN))


def test_the_order_of_queries_does_not_matter():
    human, machine = stacked(HUMAN, MACHINE, ALONE)
    order = np.random.default_rng(0).permutation(len(human))
    one, two = powered(human, machine), powered(human[order], machine[order])
    for name in ("mean", "variance", "df", "lam"):
        assert getattr(one, name) == pytest.approx(getattr(two, name), rel=1e-12)


def test_queries_that_do_not_count_for_a_column_are_left_out_there():
    human, machine = stacked(HUMAN, MACHINE, ALONE)
    two = np.repeat(human, 2, axis=1), np.repeat(machine, 2, axis=1)
    two[1][[0, 7], 1] = np.nan
    found = powered(*two)
    kept = np.setdiff1d(np.arange(len(human)), [0, 7])
    alone = powered(human[kept], machine[kept])
    assert found.n.tolist() == [6, 5]
    assert found.n_machine.tolist() == [8, 7]
    assert found.mean[1] == pytest.approx(alone.mean[0], rel=1e-12)
    assert found.variance[1] == pytest.approx(alone.variance[0], rel=1e-12)


def test_values_that_never_differ_from_zero_give_a_p_value_of_one():
    found = powered(*stacked([0.0] * 5, [0.0] * 5, [0.0] * 5))
    assert (found.mean.item(), found.statistic.item(), found.p_value.item()) == (0, 0, 1)


class TestChancesOfTheirOwn:
    def test_equal_chances_are_nearly_the_closed_form(self):
        rng = np.random.default_rng(3)
        truth = rng.random((600, 4))
        machine = truth + 0.2 * rng.normal(size=truth.shape)
        human = np.where(np.arange(600)[:, None] < 150, truth, np.nan)
        one, two = powered(human, machine), powered(human, machine, probability=np.full(600, 0.25))
        np.testing.assert_allclose(one.mean, two.mean, rtol=1e-3)
        np.testing.assert_allclose(one.variance, two.variance, rtol=0.05)
        np.testing.assert_allclose(one.lam, two.lam, rtol=1e-9)

    def test_with_a_given_lambda_of_zero_it_is_the_weighted_mean(self):
        human, machine = stacked(HUMAN, MACHINE, ALONE)
        chance = np.linspace(0.2, 0.9, len(human))
        found = powered(human, machine, probability=chance, lam=0.0)
        weights = 1 / chance[: len(HUMAN)]
        assert found.mean.item() == pytest.approx(np.average(HUMAN, weights=weights))
        assert found.human.item() == pytest.approx(np.average(HUMAN, weights=weights))


def plain_slopes(h, g, weights, factor):
    """The slope of the others' weighed regression, query after query, by numpy's least squares."""
    found = np.zeros(len(h))
    for query in range(len(h)):
        rest = np.arange(len(h)) != query
        if len(set(g[rest])) > 1:
            root = np.sqrt(weights[rest])
            design = np.column_stack([np.ones(rest.sum()), g[rest]]) * root[:, None]
            found[query] = np.linalg.lstsq(design, h[rest] * root, rcond=None)[0][1]
    return np.clip(found * factor, 0.0, 1.0)


@pytest.mark.parametrize("steep", [0.3, 1.0, 4.0, -2.0])
def test_every_query_has_the_slope_of_all_others(steep):
    rng = np.random.default_rng(0)
    for case in range(20):
        g = rng.random(6).round(1)
        if case % 2:
            g = np.where(
                np.arange(6) == case % 6, 0.7, 0.1
            )  # without one query the others are all alike
        h, weights = steep * g + 0.1 * rng.random(6), rng.integers(1, 5, 6) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            found = _slopes(h[:, None], g[:, None], weights[:, None], None, 0.6)[:, 0]
        np.testing.assert_allclose(found, plain_slopes(h, g, weights, 0.6), atol=1e-9)


def test_values_that_do_not_vary_are_worth_the_queries_that_have_them():
    human = np.array([[0.5], [0.5], [0.5], [np.nan], [np.nan]])
    found = powered(human, np.full((5, 1), 0.25))
    assert (found.mean.item(), found.variance.item(), found.effective_n.item()) == (0.5, 0.0, 3.0)
    assert [end.item() for end in found.interval()] == [0.5, 0.5]


def test_degrees_of_freedom_are_those_of_the_larger_part():
    one, two = np.array([1.0, 3.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0, 1.0])
    found = degrees((one, two), (np.array([4.0, 4.0, 4.0, 0.0]), np.array([9.0, 9.0, 9.0, 9.0])))
    assert found.tolist() == pytest.approx([4 / (1 / 4 + 1 / 9), 4.0, 4.0, 0.0])


def plainly_weighed(h, machine, chance):
    """The estimate from queries drawn with chances of their own, one column, query after query."""
    known, counted = (
        np.flatnonzero(~np.isnan(h) & ~np.isnan(machine)),
        np.flatnonzero(~np.isnan(machine)),
    )
    n, size = len(known), len(counted)
    weight = {query: 1 / chance[query] for query in known}
    total, whole = sum(weight.values()), np.mean(machine[counted])
    factor = 1 / (1 + n / (size - n))
    slopes = (
        plain_slopes(h[known], machine[known], np.array([weight[one] for one in known]), factor)
        / factor
    )
    slope = dict(zip(known, slopes, strict=True))
    residual = {one: h[one] - slope[one] * (machine[one] - whole) for one in known}
    mean = sum(weight[one] * residual[one] for one in known) / total
    average = sum(weight[one] * slope[one] for one in known) / total
    effective = total**2 / sum(value**2 for value in weight.values())
    by_people = {one: weight[one] * (residual[one] - mean) * size / total for one in known}
    added = [average * (machine[one] - whole) + by_people.get(one, 0.0) for one in counted]
    error = sum(one**2 for one in added) / size**2 * effective / (effective - 1)
    people = min(sum(one**2 for one in by_people.values()) / size**2, error)
    rest = error - people
    df = error**2 / (people**2 / (effective - 1) + rest**2 / (size - 1))
    human = sum(weight[one] * h[one] for one in known) / total
    spread = sum(weight[one] * (h[one] - human) ** 2 for one in known) / total * n / (n - 1)
    return {
        "n": n,
        "n_machine": size - n,
        "mean": mean,
        "variance": error,
        "df": df,
        "lam": average * factor,
        "human": human,
        "human_sd": math.sqrt(spread),
        "machine": whole,
        "spread": spread,
    }


@pytest.mark.parametrize("seed", range(6))
def test_queries_with_chances_of_their_own_are_weighed_one_by_one(seed):
    rng = np.random.default_rng(seed)
    machine = rng.random((30, 3))
    machine[rng.random(machine.shape) < 0.1] = np.nan
    people = 0.2 + [0.2, 0.8, 2.5] * np.nan_to_num(machine) + rng.normal(0, 0.1, machine.shape)
    people[rng.random(30) < 0.5] = np.nan
    chance = rng.uniform(0.2, 1.0, (30, 3))
    found = powered(people, machine, probability=chance)
    for column in range(3):
        wanted = plainly_weighed(people[:, column], machine[:, column], chance[:, column])
        assert {name: getattr(found, name)[column] for name in wanted} == pytest.approx(
            wanted, rel=1e-9
        )


@pytest.mark.parametrize("chance", [None, 0.5])
def test_the_unit_of_a_column_is_that_of_its_estimate_and_of_no_other(chance):
    human, machine = stacked(HUMAN, [0.1, 0.2, 0.15, 0.9, 0.3, 0.2], ALONE)
    unit = np.array([1.0, 1e16, 1e-16])
    probability = None if chance is None else np.full(len(human), chance)
    one = powered(human, machine, probability=probability)
    found = powered(human * unit, machine * unit, probability=probability)
    np.testing.assert_allclose(found.lam, np.repeat(one.lam, 3), rtol=1e-12)
    np.testing.assert_allclose(found.mean, one.mean * unit, rtol=1e-12)
    np.testing.assert_allclose(found.variance, one.variance * unit**2, rtol=1e-9)
    assert one.lam.item() > 0.1


@pytest.mark.parametrize("chance", [None, 0.5])
def test_a_column_without_enough_of_both_kinds_has_no_interval_and_no_warning(chance):
    human = np.array(
        [[0.2, np.nan, 0.4, 0.2], [np.nan, np.nan, 0.6, 0.4], [np.nan, np.nan, 0.3, np.nan]]
    )
    machine = np.array([[0.3, 0.1, 0.2, 0.5], [0.4, 0.2, 0.5, 0.6], [0.7, 0.5, 0.8, 0.7]])
    probability = None if chance is None else np.full(3, chance)
    found = powered(human, machine, probability=probability)
    assert found.n.tolist() == [1, 0, 3, 2]
    assert found.n_machine.tolist() == [2, 3, 0, 1]
    assert np.isnan(found.interval()[0][:3]).all()
    assert (found.mean[0], found.human[0]) == (0.2, 0.2)  # the only query there is, as it is
    assert np.isnan(found.human_sd[:2]).all()
    np.testing.assert_allclose(found.machine, [1.4 / 3, 0.8 / 3, 0.5, 0.6])


def test_no_machine_is_worth_more_than_people_on_all_queries():
    # the machine tells all, and what it alone labeled lies far from the rest: more spread over all than within each
    few, rest = [0.1, 0.2, 0.1, 0.2], [0.8, 0.9, 0.8, 0.9, 0.8]
    assert powered(*stacked(few, few, rest)).effective_n.item() == 9


def test_an_estimate_without_any_error_is_worth_the_queries_that_it_is_from():
    found = powered(*stacked([0.3, 0.5, 0.9], [0.25, 0.45, 0.85], [5.0, 5.0]), lam=1.0)
    assert found.variance.item() == pytest.approx(0, abs=1e-30)
    assert found.spread.item() > 0
    assert found.effective_n.item() == 3
