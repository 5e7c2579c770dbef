"""Variance components: the analysis of variance by hand, the mixed model of statsmodels, and what is at the edge."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest

from pdeval.significance.variance_components import (
    Seeds,
    _deviance,
    _information,
    by_mean_squares,
    by_search,
    fitted,
    in_order,
    squares_of,
)

QUERY, BOTH, REPLICATE, RESIDUAL = 0.2, 0.08, 0.06, 0.05


def simulated(sizes, queries, seed, replicate=REPLICATE, both=BOTH):
    """Scores (queries, runs) with known standard deviations of query, system x query, replicate and residual."""
    rng = np.random.default_rng(seed)
    system = np.repeat(np.arange(len(sizes)), sizes)
    values = (
        rng.normal(0, QUERY, (queries, 1)) + rng.normal(0, both, (queries, len(sizes)))[:, system]
    )
    values += rng.normal(0, replicate, len(system)) + rng.normal(
        0, RESIDUAL, (queries, len(system))
    )
    return values, system


def fit(values, system, how=fitted, exact=()):
    mask = np.isin(np.arange(system.max() + 1), exact)
    return how(squares_of(values, system, mask))


def mixed(values, system):
    """Return (query, system x query, replicate, residual), by statsmodels."""
    smf = pytest.importorskip("statsmodels.formula.api")
    queries, runs = values.shape
    frame = pd.DataFrame({"y": values.ravel(), "q": np.repeat(np.arange(queries), runs), "one": 1})
    frame = frame.assign(r=np.tile(np.arange(runs), queries), s=np.tile(system, queries))
    frame["sq"] = frame["s"] * 1000 + frame["q"]
    parts = {name: f"0 + C({name})" for name in ("q", "sq", "r")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = smf.mixedlm("y ~ 0 + C(s)", frame, groups="one", vc_formula=parts).fit(
            reml=True, method=["lbfgs"]
        )
    found = dict(zip(model.model.exog_vc.names, model.vcomp, strict=True))
    return np.array([found["q"], found["sq"], found["r"], model.scale])


def test_components_are_differences_of_mean_squares_worked_by_hand():
    # two systems of two replicates on three queries; means per system and query 2, 3, 10 and 7, 1, 7
    values = np.array([[0.0, 4.0, 8.0, 6.0], [2.0, 4.0, 1.0, 1.0], [9.0, 11.0, 9.0, 5.0]])
    system = np.array([0, 0, 1, 1])
    # between queries 4 (0.5^2 + 3^2 + 3.5^2) = 86 over 2; system x query 2 (2.5^2 + 1^2 + 1.5^2) 2 = 38 over 2;
    # replicates 3 (4/3)^2 2 + 3 1^2 2 = 16.67 over 2; residual: 2 (2/3)^2 + 2 (1/3)^2 2 + 2 (0^2 + 1^2 + 1^2) over 4
    mean_squares = np.array([86 / 2, 38 / 2, (32 / 3 + 6) / 2, (4 / 3 + 4) / 4])
    query, both, replicate, residual = mean_squares
    expected = [(query - both) / 4, (both - residual) / 2, (replicate - residual) / 3, residual]
    np.testing.assert_allclose(fit(values, system), expected, rtol=1e-12)


@pytest.mark.broad
@pytest.mark.parametrize("seed", range(3))
def test_the_mixed_model_is_the_analysis_of_variance_on_balanced_data(seed):
    values, system = simulated([3, 3, 3], 12, seed)
    found = fit(values, system)
    np.testing.assert_allclose(found, mixed(values, system), rtol=2e-3)


@pytest.mark.broad
@pytest.mark.parametrize("sizes", [[4, 2, 3], [5, 3], [1, 3, 4]])
def test_unequal_numbers_of_replicates_give_the_mixed_model_of_statsmodels(sizes):
    values, system = simulated(sizes, 12, 5)
    found = fit(values, system)
    np.testing.assert_allclose(found, mixed(values, system), rtol=5e-3)


@pytest.mark.broad
@pytest.mark.parametrize("replicate", [0.06, 0.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_search_finds_the_mean_squares_also_where_a_component_is_zero(seed, replicate):
    values, system = simulated([3, 3, 3], 20, seed, replicate)
    closed, searched = fit(values, system, by_mean_squares), fit(values, system, by_search)
    np.testing.assert_allclose(searched, closed, atol=1e-7)


def test_a_mean_square_below_that_which_it_contains_is_pooled_with_it():
    expected = in_order(np.array([80.0, 30.0, 1.0, 29.0]), np.array([10, 10, 5, 10]))
    assert expected.tolist() == [8.0, 3.0, 2.0, 2.0]  # (1 + 29) / 15
    expected = in_order(np.array([1.0, 10.0, 20.0, 20.0]), np.array([10, 10, 10, 10]))
    np.testing.assert_allclose(
        expected, [31 / 30, 31 / 30, 2.0, 31 / 30]
    )  # the query below all but replicates


def test_runs_that_never_differ_have_no_variance():
    values = np.repeat(np.linspace(0.1, 0.9, 7)[:, None], 4, axis=1)
    for sizes in ([2, 2], [1, 3]):
        found = fit(values, np.repeat(np.arange(2), sizes))
        assert found[0] > 0.05
        np.testing.assert_allclose(found[1:], 0, atol=1e-9)


def test_one_system_has_its_queries_and_replicates_alone():
    values, system = simulated([5], 40, 3)
    found = fit(values, system)
    assert found[1] == 0
    assert found[2] == pytest.approx(REPLICATE**2, rel=1.5)
    assert found[3] == pytest.approx(RESIDUAL**2, rel=0.3)


def test_runs_of_a_system_are_added_in_their_order():
    random = np.random.default_rng(0)
    X, system = random.random((9, 200)), random.integers(0, 2, size=200)
    found = squares_of(X, system, np.zeros(2, dtype=bool))
    size = np.bincount(system)
    ordered = np.concatenate([X[:, system == 0], X[:, system == 1]], axis=1)
    cell = (
        np.add.reduceat(ordered, [0, size[0]], axis=1) / size
    )  # in another order the last digits differ
    assert found.means.tolist() == cell.mean(axis=0).tolist()


@pytest.mark.broad
@pytest.mark.parametrize("seed", range(3))
def test_the_search_ends_at_the_maximum_to_the_last_digits(seed):
    values, system = simulated([3, 3, 3], 20, seed)
    closed, searched = fit(values, system, by_mean_squares), fit(values, system, by_search)
    assert (closed > 0).all()
    np.testing.assert_allclose(searched, closed, rtol=1e-12)


@pytest.mark.parametrize("sizes", [[4, 2, 3], [1, 3, 4]])
@pytest.mark.parametrize("exact", [(), (1,)])
def test_the_likelihood_of_unequal_numbers_of_replicates_is_flat_at_its_maximum(sizes, exact):
    values, system = simulated(sizes, 20, 1)
    squares = squares_of(values, system, np.isin(np.arange(3), exact))
    found = by_search(squares)
    assert (found > 0).all()
    size = 0.01  # any unit: the slope is 0 in each
    value, slope = _deviance(squares, size, found / size)
    assert np.abs(slope).max() < 1e-5
    for part in range(4):
        step = np.zeros(4)
        step[part] = 1e-6
        above, below = (_deviance(squares, size, found / size + sign * step)[0] for sign in (1, -1))
        assert min(above, below) > value - 1e-9


def test_the_slope_of_the_likelihood_is_its_derivative():
    values, system = simulated([4, 2, 3], 20, 2)
    squares = squares_of(values, system, np.array([False, True, False]))
    theta, size = np.array([0.3, 0.2, 0.1, 0.4]), 0.05
    _, slope = _deviance(squares, size, theta)
    for part in range(4):
        step = np.zeros(4)
        step[part] = 1e-6
        above, below = (_deviance(squares, size, theta + sign * step)[0] for sign in (1, -1))
        assert slope[part] == pytest.approx((above - below) / 2e-6, rel=1e-6)


def test_information_is_half_the_expected_curvature_worked_by_hand():
    # two systems of two replicates on three queries: sigma = query + both on the diagonal + residual / 2 on it
    squares = squares_of(
        np.arange(12.0).reshape(3, 4) ** 2, np.array([0, 0, 1, 1]), np.zeros(2, dtype=bool)
    )
    query, both, replicate, residual = theta = np.array([0.5, 0.25, 0.125, 0.5])
    inverse = np.linalg.inv(np.array([[1.0, 0.5], [0.5, 1.0]]))  # .5 + .25 + .25 on the diagonal
    ones, eye = np.ones((2, 2)), np.eye(2)
    by = [ones, eye, np.zeros((2, 2)), eye / 2]
    wanted = np.array(
        [[2 * np.trace(inverse @ a @ inverse @ b) for b in by] for a in by]
    )  # 3 - 1 degrees of freedom
    mean = residual + 3 * replicate  # of replicates, with 2 (2 - 1) = 2 degrees
    wanted += 2 / mean**2 * np.outer([0, 0, 3, 1], [0, 0, 3, 1])
    wanted[3, 3] += 4 / residual**2  # 2 (2 - 1) (3 - 1) = 4
    np.testing.assert_allclose(_information(squares, theta), wanted / 2, rtol=1e-12)
    assert (query, both) == (0.5, 0.25)


@pytest.mark.parametrize(
    ("sizes", "seed", "less", "unit"),
    [
        ([2, 2], 4, {"replicate": 0.0, "both": 0.0}, 1e-5),
        ([2, 2], 3, {"replicate": 0.0}, 300.0),
        ([3, 3, 3], 4, {"both": 0.0}, 1.0),
        ([2, 2], 2, {}, 1e-3),
    ],
)
def test_the_search_is_exact_at_the_edge_in_any_unit(sizes, seed, less, unit):
    values, system = simulated(sizes, 8, seed, **less)
    closed, searched = fit(values, system, by_mean_squares), fit(values * unit, system, by_search)
    assert (closed == 0).sum() == len(less)
    assert ((searched == 0) == (closed == 0)).all()
    np.testing.assert_allclose(searched / unit**2, closed, atol=1e-11 * closed.max())


def test_one_system_has_the_mean_squares_of_queries_and_replicates():
    values, system = simulated([4], 9, 3)
    cell, run, mean = values.mean(axis=1), values.mean(axis=0), values.mean()
    query, replicate = 4 * cell.var(ddof=1), 9 * run.var(ddof=1)
    residual = np.square(values - cell[:, None] - run + mean).sum() / (8 * 3)
    assert min(query, replicate) > residual
    wanted = [(query - residual) / 4, 0.0, (replicate - residual) / 9, residual]
    np.testing.assert_allclose(fit(values, system), wanted, rtol=1e-10)
    np.testing.assert_allclose(fit(values, system, by_search).sum(), sum(wanted), rtol=1e-6)


def most_likely(sums, freedom):
    """Return the expected mean squares by trying all ways to join one with what is part of it."""
    edges = [(0, 1), (1, 3), (2, 3)]
    best = (np.inf, None)
    for joined in itertools.product([False, True], repeat=3):
        group = list(range(4))
        for (part, under), join in zip(edges, joined, strict=True):
            if join:
                group = [group[under] if one == group[part] else one for one in group]
        total = [sum(s for s, g in zip(sums, group, strict=True) if g == one) for one in group]
        count = [sum(f for f, g in zip(freedom, group, strict=True) if g == one) for one in group]
        mean = [t / c for t, c in zip(total, count, strict=True)]
        if all(mean[part] >= mean[under] - 1e-12 for part, under in edges):
            deviance = sum(
                f * np.log(m) + s / m for s, f, m in zip(sums, freedom, mean, strict=True)
            )
            best = min(best, (deviance, tuple(mean)))
    return best[1]


def test_pooled_mean_squares_are_the_most_likely_in_order():
    random = np.random.default_rng(0)
    for _ in range(60):
        sums, freedom = random.gamma(2.0, 5.0, size=4), random.integers(1, 9, size=4)
        expected = in_order(sums, freedom)
        np.testing.assert_allclose(
            expected, most_likely(sums.tolist(), freedom.tolist()), rtol=1e-9
        )


def test_what_has_no_degrees_of_freedom_is_pooled_with_what_it_contains():
    expected = in_order(np.array([8.0, 0.0, 6.0, 4.0]), np.array([4, 0, 2, 4]))  # one system
    assert expected.tolist() == [2.0, 1.0, 3.0, 1.0]


@pytest.mark.parametrize("unit", [1.0, 2.0**-40, 2.0**40])
def test_sums_of_squares_are_those_of_plain_loops_and_of_rounding_there_are_none(unit):
    random = np.random.default_rng(4)
    X, system = random.random((5, 6)), np.array([1, 0, 1, 2, 0, 1])
    found = squares_of(X * unit, system, np.array([False, False, True]))
    cell = np.stack([X[:, system == one].mean(axis=1) for one in range(3)], axis=1)
    mean, run = cell.mean(axis=0), X.mean(axis=0)
    away = X - cell[:, system] - run + mean[system]
    np.testing.assert_allclose(found.means, mean * unit, rtol=1e-12)
    assert (found.queries, found.sizes.tolist(), found.shares.tolist()) == (
        5,
        [2, 3, 1],
        [1 / 2, 1 / 3, 0.0],
    )
    assert found.replicate == pytest.approx(
        5 * np.square(run - mean[system]).sum() * unit**2, rel=1e-10
    )
    assert found.residual == pytest.approx(np.square(away).sum() * unit**2, rel=1e-10)
    np.testing.assert_allclose(
        found.cells, (cell - mean).T @ (cell - mean) * unit**2, rtol=1e-9, atol=1e-12 * unit**2
    )
    assert found.freedom.tolist() == [4, 8, 3, 12]
    assert not found.balanced
    same = np.array(
        [[0.1 + 0.2, 0.3, 0.7], [0.6, 0.6, 0.7], [0.3, 0.1 + 0.2, 0.1]]
    )  # replicates alike, on paper
    rounded = squares_of(same * unit, np.array([0, 0, 1]), np.zeros(2, dtype=bool))
    assert (rounded.replicate, rounded.residual) == (0.0, 0.0)
    tiny = same + np.array([[1e-7, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    seen = squares_of(tiny * unit, np.array([0, 0, 1]), np.zeros(2, dtype=bool))
    assert min(seen.replicate, seen.residual) > 0


def test_systems_are_balanced_where_all_have_as_many_replicates_and_are_random():
    X = np.random.default_rng(5).random((3, 4))
    for system, exact, balanced in (
        ([0, 0, 1, 1], [False, False], True),
        ([0, 1, 1, 1], [False, False], False),
        ([0, 0, 1, 1], [True, True], False),
        ([0, 0, 1, 1], [False, True], False),
    ):
        assert squares_of(X, np.array(system), np.array(exact)).balanced is balanced


def test_nothing_varies_where_all_values_are_the_same_whatever_the_numbers_of_replicates():
    for sizes in ([2, 2], [1, 3]):
        found = fit(np.full((3, 4), 0.5), np.repeat([0, 1], sizes))
        assert found.tolist() == [0.0] * 4


def hand(values, sizes, a, b, exact=()):
    """Return variance and degrees of freedom of the difference of two systems, by plain loops."""
    ends = np.cumsum(sizes)
    own = [values[:, end - size : end] for size, end in zip(sizes, ends, strict=True)]
    n = len(values)
    total = (own[a].mean(axis=1) - own[b].mean(axis=1)).var(ddof=1) / n
    error = total**2 / (n - 1)
    for one in (a, b):
        size = sizes[one]
        if one in exact:
            continue
        between = own[one].mean(axis=0).var(ddof=1)
        away = (
            own[one]
            - own[one].mean(axis=0)
            - own[one].mean(axis=1, keepdims=True)
            + own[one].mean()
        )
        residual = np.square(away).sum() / ((size - 1) * (n - 1)) / n
        if between > residual:
            total += (between - residual) / size
            error += (between**2 + residual**2 / (n - 1)) / (size - 1) / size**2
    return total, min(total**2 / error, n - 1)


def spread(values, system, a, b, exact=()):
    """Return variance and degrees of freedom of one pair."""
    sizes = np.bincount(system)
    cell = np.stack([values[:, system == one].mean(axis=1) for one in range(len(sizes))], axis=1)
    sd = (cell[:, a] - cell[:, b]).std(ddof=1)
    seeds = Seeds.of(values, system, np.isin(np.arange(len(sizes)), exact))
    found = seeds.spread(np.array([a]), np.array([b]), np.array([len(values)]), np.array([sd]))
    return tuple(one.item() for one in found)


@pytest.mark.parametrize("replicate", [0.06, 0.01, 0.0])
@pytest.mark.parametrize("sizes", [[3, 3], [2, 5], [1, 4]])
def test_the_variance_of_a_difference_is_that_of_its_two_systems_by_plain_loops(sizes, replicate):
    values, system = simulated(sizes, 12, 3, replicate)
    exact = (0,) if sizes[0] == 1 else ()
    wanted = hand(values, sizes, 0, 1, exact)
    assert spread(values, system, 0, 1, exact) == pytest.approx(wanted, rel=1e-9)
    assert spread(values, system, 1, 0, exact) == pytest.approx(wanted, rel=1e-9)


def test_a_single_replicate_varies_as_the_system_that_it_is_compared_with():
    values, system = simulated([1, 4, 1], 12, 3)
    alone = Seeds.of(values, system, np.zeros(3, dtype=bool))
    assert np.isnan(alone.variance).tolist() == [True, False, True]
    one, two, sd = np.array([0]), np.array([1]), np.array([0.5])
    variance, _ = alone.spread(one, two, np.array([12]), sd)
    assert variance.item() == pytest.approx(0.25 / 12 + alone.variance[1] * (1 + 1 / 4), rel=1e-12)
    unknown, _ = alone.spread(one, np.array([2]), np.array([12]), sd)
    assert np.isnan(unknown.item())


def test_queries_that_a_replicate_lacks_do_not_count_for_its_system_alone():
    values, system = simulated([3, 3], 12, 3)
    values[:2, 1] = np.nan
    none = np.zeros(2, dtype=bool)
    found, first, second = (
        Seeds.of(one, system, none) for one in (values, values[2:], np.nan_to_num(values))
    )
    np.testing.assert_allclose(found.variance, [first.variance[0], second.variance[1]], rtol=1e-12)
