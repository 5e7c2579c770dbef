"""The normal limit of the randomized HSD: its variances are those of permuted means, and its p-values are near."""

import itertools

import numpy as np
import pytest

import pdeval  # noqa: F401
from pdeval.evaluate.seeds import chunks
from pdeval.significance import hsd as room
from pdeval.significance.hsd import (
    _largest,
    near_normal,
    normal_hsd,
    permuted_maxima,
    randomized,
    spreads,
    step_of_signs,
)


def preferences(queries, runs, seed=0):
    x = np.random.default_rng(seed).random((queries, runs, 6))
    return np.ascontiguousarray(np.sign(x[:, None] - x[:, :, None]).mean(axis=-1))


def permuted_moments(T):
    """Variance of a cell and of a sum of a row of the mean, over all orders of the runs of each query."""
    queries, runs, _ = T.shape
    cell = row = 0.0
    for matrix in T:
        all_orders = [
            matrix[np.ix_(order, order)] for order in map(list, itertools.permutations(range(runs)))
        ]
        cell += np.mean([one[0, 1] ** 2 for one in all_orders])
        row += np.mean([one[0].sum() ** 2 for one in all_orders])
    return cell / queries**2, row / queries**2


@pytest.mark.parametrize("runs", [2, 3, 4])
def test_its_variances_are_those_over_all_orders_of_the_runs(runs):
    T = preferences(5, runs)
    order, cycle = spreads(T)
    cell, row = permuted_moments(T)
    assert order**2 * 2 / runs + cycle**2 * (1 - 2 / runs) == pytest.approx(cell, rel=1e-12)
    assert order**2 * (runs - 1) == pytest.approx(row, rel=1e-12)


@pytest.mark.broad
def test_drawn_matrices_have_these_variances():
    runs, pairs = 4, 6
    normal = np.random.default_rng(0).standard_normal((40_000, pairs))
    for order, cycle in ((1.0, 0.0), (0.0, 1.0)):  # differences of numbers alone, circles alone
        matrix = np.zeros((len(normal), runs, runs))
        a, b = np.triu_indices(runs, k=1)
        matrix[:, a, b] = normal
        matrix -= matrix.transpose(0, 2, 1)
        rows = matrix.sum(axis=2) / runs
        part = (rows[:, :, None] - rows[:, None]) * (order - cycle) + cycle * matrix
        np.testing.assert_allclose(
            _largest(normal, runs, order, cycle), np.abs(part).max(axis=(1, 2)), rtol=1e-12
        )
        assert np.square(part[:, 0, 1]).mean() == pytest.approx(
            2 / runs if order else 1 - 2 / runs, rel=0.03
        )
        assert np.square(part[:, 0].sum(axis=1)).mean() == pytest.approx(
            order * (runs - 1), abs=0.1
        )


def test_scores_and_the_preferences_that_are_their_differences_have_one_spread():
    X = np.random.default_rng(1).random((50, 6))
    of_scores, of_differences = spreads(X), spreads(X[:, :, None] - X[:, None])
    assert of_scores[0] == pytest.approx(of_differences[0], rel=1e-12)
    assert of_differences[1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.broad
@pytest.mark.parametrize("of", ["scores", "preferences"])
def test_p_values_are_near_those_of_permutations(of):
    values = np.random.default_rng(2).random((400, 8)) if of == "scores" else preferences(400, 8)
    drawn = permuted_maxima(values, draws=20_000, seed=1, progress=False)
    a, b = np.array([0]), np.array([1])
    for p in (0.2, 0.05, 0.01):
        distance = np.quantile(drawn, 1 - p)
        ours = normal_hsd(values, a, b, confidence=1 - p, draws=20_000)
        assert ours.ci_high[0] - ours.mean[0] == pytest.approx(distance, rel=0.02)


def signs(queries, runs, seed=0, grades=None):
    rng = np.random.default_rng(seed)
    x = rng.random((queries, runs)) if grades is None else rng.integers(0, grades, (queries, runs))
    return np.sign(x[:, :, None] - x[:, None]).astype(float)


@pytest.mark.broad
@pytest.mark.parametrize(("grades", "steps"), [(None, 2), (3, 1)])
def test_signs_have_the_steps_of_their_means_in_p(grades, steps):
    T = signs(200, 5, grades=grades)
    assert step_of_signs(T) == steps / 200
    assert step_of_signs(T / 2) == steps / 400
    assert step_of_signs(preferences(200, 5)) == 0
    drawn = permuted_maxima(T, draws=20_000, seed=1, progress=False)
    a, b = np.array([0]), np.array([1])
    for p in (0.1, 0.05):
        distance = np.quantile(
            drawn, 1 - p, method="inverted_cdf"
        )  # a step of the means: put it between two runs
        moved = T.copy()
        apart = distance - T[:, 0, 1].mean()
        flips = (
            np.flatnonzero(T[:, 0, 1] < 0)[: round(apart * 200 / 2)]
            if apart > 0
            else np.zeros(0, int)
        )
        moved[flips, 0, 1], moved[flips, 1, 0] = 1, -1
        seen = abs(moved[:, 0, 1].mean())
        exact = (drawn >= seen - 1e-12).mean()
        assert normal_hsd(moved, a, b, draws=20_000).p_value[0] == pytest.approx(exact, rel=0.12)


def test_signs_on_few_queries_are_permuted():
    T = signs(199, 4)
    a, b = np.triu_indices(4, k=1)
    ours, theirs = normal_hsd(T, a, b, draws=99), randomized(T, a, b, draws=99, progress=False)
    np.testing.assert_array_equal(ours.p_value, theirs.p_value)


def test_an_interval_leaves_out_zero_where_p_is_small_for_signs_too():
    T = signs(200, 6, grades=3)
    a, b = np.triu_indices(6, k=1)
    for seed in range(5):
        found = normal_hsd(
            signs(200, 6, seed, grades=3) if seed else T, a, b, confidence=0.5, draws=999
        )
        outside = (found.ci_low > 0) | (found.ci_high < 0)
        np.testing.assert_array_equal(outside, found.p_value <= 0.5)


def test_everything_but_the_draws_is_as_in_hsd():
    T = preferences(300, 4)
    a, b = np.triu_indices(4, k=1)
    ours, theirs = normal_hsd(T, a, b, draws=99), randomized(T, a, b, draws=99, progress=False)
    for name in ("n", "mean", "effect_size", "statistic"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


def test_the_same_seed_gives_the_same_p_values_and_more_draws_begin_with_them():
    T = preferences(300, 4)
    a, b = np.triu_indices(4, k=1)
    one, two = (normal_hsd(T, a, b, draws=500, seed=3).p_value for _ in range(2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("queries", [20, 400])
def test_of_few_queries_and_of_queries_that_outweigh_the_rest_permutations_are_drawn(queries):
    T = preferences(queries, 5)
    T[0] *= 1 if queries == 20 else 100
    a, b = np.triu_indices(5, k=1)
    ours, theirs = normal_hsd(T, a, b, draws=99), randomized(T, a, b, draws=99, progress=False)
    np.testing.assert_array_equal(ours.p_value, theirs.p_value)
    np.testing.assert_array_equal(ours.ci_low, theirs.ci_low)


def test_runs_that_never_differ_have_p_1():
    outcome = normal_hsd(np.ones((300, 3)), np.array([0]), np.array([1]), draws=99)
    assert outcome.p_value.tolist() == [1.0]


def plain_normal_maxima(values, draws, seed):
    """The largest difference of each drawn matrix, cell by cell, from the normal numbers of the same seed."""
    runs, (order, cycle) = values.shape[1], spreads(values)
    found = []
    for size, child in chunks(draws, seed):
        rng = np.random.default_rng(child)
        if values.ndim == 2:
            found += [
                order * (row.max() - row.min()) / np.sqrt(runs)
                for row in rng.standard_normal((size, runs))
            ]
            continue
        for cells in rng.standard_normal((size, runs * (runs - 1) // 2)):
            matrix, above = np.zeros((runs, runs)), iter(cells)
            for a, b in itertools.combinations(range(runs), 2):
                matrix[a, b] = next(above)
                matrix[b, a] = -matrix[a, b]
            rows = matrix.mean(axis=1)
            by_order = rows[:, None] - rows[None, :]
            found.append(np.abs(order * by_order + cycle * (matrix - by_order)).max())
    return np.array(found)


@pytest.mark.parametrize("of", ["scores", "preferences", "signs"])
def test_p_and_interval_come_from_the_drawn_matrices(of):
    if of == "scores":
        values = np.random.default_rng(3).random((300, 4)) + [0.0, 0.01, 0.05, 0.1]
    else:
        values = preferences(300, 4) if of == "preferences" else signs(300, 4, grades=3)
    a, b = np.triu_indices(4, k=1)
    outcome = normal_hsd(values, a, b, confidence=0.8, draws=150, seed=9)
    drawn = plain_normal_maxima(values, 150, 9) + (0.5 / 300 if of == "signs" else 0.0)
    D = values[:, a] - values[:, b] if of == "scores" else values[:, a, b]
    mean = D.mean(axis=0)
    # 30 draws reach it: 31 / 151 is not below .2, 30 / 151 is
    half = np.sort(drawn)[-30]
    np.testing.assert_allclose(outcome.mean, mean, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(outcome.statistic, np.abs(mean), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(
        outcome.effect_size, mean / D.std(axis=0, ddof=1), rtol=1e-9, atol=1e-15
    )
    np.testing.assert_allclose(
        outcome.p_value, [(1 + (drawn >= one).sum()) / 151 for one in np.abs(mean)], rtol=1e-12
    )
    np.testing.assert_allclose(outcome.ci_low, mean - half, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(outcome.ci_high, mean + half, rtol=1e-9, atol=1e-15)
    assert outcome.n.tolist() == [300] * 6


@pytest.mark.parametrize("cells", [1, 70])
@pytest.mark.parametrize("of", ["scores", "preferences", "signs", "signs with ties"])
def test_how_many_queries_are_looked_at_at_a_time_changes_nothing(monkeypatch, cells, of):
    values = {
        "scores": np.random.default_rng(3).random((40, 4)),
        "preferences": preferences(40, 4),
        "signs": signs(40, 4),
        "signs with ties": signs(40, 4, grades=3),
    }[of]
    whole = spreads(values), step_of_signs(values), near_normal(values)
    monkeypatch.setattr(room, "CELLS", cells)
    assert spreads(values) == pytest.approx(whole[0], rel=1e-12)
    assert (step_of_signs(values), near_normal(values)) == whole[1:]


def test_signs_are_told_from_other_differences_wherever_those_are():
    ties = signs(40, 3, grades=2)
    for late in (0, 39):
        other = signs(40, 3)
        other[late, 0, 1], other[late, 1, 0] = 0.5, -0.5
        assert step_of_signs(other) == 0.0
        tied = signs(40, 3)
        tied[late, 0, 1] = tied[late, 1, 0] = 0.0
        assert step_of_signs(tied) == 1 / 40
    assert step_of_signs(ties) == 1 / 40
    assert step_of_signs(np.zeros((40, 3))) == 0.0
    assert (
        step_of_signs(np.array([[0.0, 0.0], [3.0, 0.0], [1.0, 4.0]])) == 3.0 / 3
    )  # the first query ties both


def test_few_signs_are_permuted_and_other_differences_are_not():
    a, b = np.triu_indices(4, k=1)
    for values, normal in (
        (signs(199, 4), False),
        (signs(200, 4), True),
        (preferences(199, 4), True),
    ):
        ours, theirs = (one(values, a, b, draws=99) for one in (normal_hsd, randomized))
        assert (ours.ci_high.tolist() != theirs.ci_high.tolist()) == normal


def plain_share(values):
    """The fourth moment of a mean that single queries bring in, over its squared variance, of all ordered pairs."""
    squares = fourths = 0.0
    for query in values:
        for a, b in itertools.permutations(range(len(query)), 2):
            apart = query[a, b] if query.ndim == 2 else query[a] - query[b]
            squares, fourths = squares + apart**2, fourths + apart**4
    pairs = values.shape[1] * (values.shape[1] - 1)
    return (fourths / pairs) / (squares / pairs) ** 2


@pytest.mark.parametrize("of", ["scores", "preferences"])
def test_means_are_near_normal_up_to_the_limit_of_the_fourth_moment(monkeypatch, of):
    values = np.random.default_rng(4).random((30, 4)) if of == "scores" else preferences(30, 4)
    share = plain_share(values)
    for limit, near in ((1.0001 * share, True), (0.9999 * share, False)):
        monkeypatch.setattr(room, "LIMIT", limit)
        assert near_normal(values) == near
    monkeypatch.setattr(room, "LIMIT", 0.03)
    assert near_normal(np.zeros((3, 2)))  # nothing differs: there is no query that outweighs


@pytest.mark.broad
@pytest.mark.parametrize("options", [{"seed": 4}, {"draws": 70}, {"confidence": 0.6}])
def test_what_is_permuted_is_so_with_the_options_that_were_asked_for(options):
    T, (a, b) = signs(60, 3), np.triu_indices(3, k=1)
    ours, theirs, usual = (
        normal_hsd(T, a, b, **options),
        randomized(T, a, b, **options),
        randomized(T, a, b),
    )
    assert (ours.ci_low.tolist(), ours.p_value.tolist()) == (
        theirs.ci_low.tolist(),
        theirs.p_value.tolist(),
    )
    assert (ours.ci_low.tolist(), ours.p_value.tolist()) != (
        usual.ci_low.tolist(),
        usual.p_value.tolist(),
    )
