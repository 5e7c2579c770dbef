"""Votes counted by who met whom: counts, groups that belong together, chains, and who was never beaten."""

import numpy as np
import pytest
from scipy import stats

from pdeval.orderings import bradley_terry
from pdeval.orderings.bradley_terry import Counts, Fitted, many_fitted

# a against b three times for a and once for b; b ties with c; d beats e
ONE, TWO = np.array([0, 1, 0, 0, 1, 3]), np.array([1, 0, 1, 1, 2, 4])
SIGN = np.array([1, -1, 1, -1, 0, 1])

GROUPS = 10**15  # so many that Student's distribution is the normal
ONE_SD = 0.6826894921370859  # confidence of an interval of one standard error to either side


def test_votes_are_counted_whichever_side_a_system_stood_on():
    counts = Counts.of(ONE, TWO, SIGN, 5)
    met = np.zeros((5, 5))
    net = np.zeros((5, 5))
    for one, two, sign in zip(ONE, TWO, SIGN, strict=True):
        met[one, two] += 1
        met[two, one] += 1
        net[one, two] += sign
        net[two, one] -= sign
    assert counts.met.tolist() == met.tolist()
    assert [one.tolist() for one in counts.tables(counts.n)] == [net.tolist(), met.tolist()]
    assert counts.groups == 6


def test_votes_that_belong_together_are_counted_by_group():
    together = np.array([2, 0, 0, 1, 1, 2])
    counts = Counts.of(ONE, TWO, SIGN, 5, together)
    assert counts.groups == 3
    held = np.zeros((3, len(counts.n)))
    held[counts.cell_group, counts.cell_kind] = counts.cell_n
    assert held.sum(axis=1).tolist() == [2, 2, 2]
    assert held.sum(axis=0).tolist() == counts.n.tolist()


def test_systems_fall_into_groups_that_chains_of_votes_join():
    assert [one.tolist() for one in Counts.of(ONE, TWO, SIGN, 6).components()] == [
        [0, 1, 2],
        [3, 4],
        [5],
    ]


def test_a_group_is_joined_by_any_of_its_systems():
    one, two = np.array([0, 0, 1, 5]), np.array([1, 2, 3, 6])  # the fourth met the second alone
    assert [group.tolist() for group in Counts.of(one, two, one * 0, 7).components()] == [
        [0, 1, 2, 3],
        [4],
        [5, 6],
    ]


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ([(0, 1, 1), (0, 1, 1), (0, 1, -1)], None),  # beaten once
        ([(0, 1, 1), (0, 1, 0)], None),  # tied once
        ([(0, 1, 1), (0, 1, 1)], [0]),
        ([(0, 1, 1), (1, 2, 1), (2, 0, 1)], None),  # a beats b beats c beats a
        (
            [(0, 1, 1), (1, 0, 1), (0, 2, 1), (1, 2, 1)],
            [0, 1],
        ),  # both are beaten, by each other alone
    ],
)
def test_systems_that_no_other_beat_or_tied_are_found(votes, expected):
    one, two, sign = np.array(votes).T
    found = Counts.of(one, two, sign, int(max(one.max(), two.max())) + 1).unbeaten()
    assert (None if found is None else found.tolist()) == expected


def test_resamples_without_a_prior_have_strengths_where_every_system_beat_every_other_over_some():
    met = np.ones((3, 3)) - np.eye(3)
    shared = np.stack([4.0 * met] * 4)
    net = np.zeros((4, 3, 3))
    net[0] = [[0, 2, -2], [-2, 0, 2], [2, -2, 0]]  # in a circle: nobody is stronger
    net[1] = [[0, 4, 2], [-4, 0, 0], [-2, 0, 0]]  # the first lost one vote to the third
    net[2] = [[0, 4, 4], [-4, 0, 2], [-4, -2, 0]]  # the first lost none
    net[3] = [[0, 2, 4], [-2, 0, 4], [-4, -4, 0]]  # the last won none
    found = many_fitted(net, shared, met, Fitted(np.zeros(3), np.zeros((3, 3)), 0.0, GROUPS))
    assert np.isnan(found).all(axis=1).tolist() == [False, False, True, True]
    np.testing.assert_allclose(found[0], 0.0, atol=1e-8)
    odds = np.exp(found[1])
    expected = (shared[1] * odds[:, None] / (odds[:, None] + odds)).sum(axis=1)
    np.testing.assert_allclose(expected, ((shared[1] + net[1]) / 2).sum(axis=1), atol=1e-6)
    only = many_fitted(net[2:], shared[2:], met, Fitted(np.zeros(3), np.zeros((3, 3)), 0.0, GROUPS))
    assert np.isnan(only).all()
    kept = many_fitted(
        net, shared, met, Fitted(np.zeros(3), np.zeros((3, 3)), 1.0, GROUPS)
    )  # a prior keeps all finite
    assert np.isfinite(kept).all()
    assert kept[2].argmax() == 0
    assert kept[3].argmin() == 2


def cast(seed, *, systems, votes):
    """Votes between any two systems, on either side, in groups one of which is empty."""
    rng = np.random.default_rng(seed)
    one = rng.integers(0, systems, votes)
    two = (one + rng.integers(1, systems, votes)) % systems
    return one, two, rng.integers(-1, 2, votes), rng.choice([0, 1, 3, 4, 5], votes)


def kinds_of(counts):
    return list(zip(counts.a.tolist(), counts.b.tolist(), counts.sign.tolist(), strict=True))


def as_kind(one, two, sign):
    return (one, two, sign) if one < two else (two, one, -sign)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(("systems", "votes"), [(2, 5), (3, 20), (5, 60)])
def test_kinds_are_sorted_and_counted_in_each_group(systems, votes, grouped):
    one, two, sign, together = cast(votes, systems=systems, votes=votes)
    counts = Counts.of(one, two, sign, systems, together if grouped else None)
    cast_kinds = [
        as_kind(*vote) for vote in zip(one.tolist(), two.tolist(), sign.tolist(), strict=True)
    ]
    assert kinds_of(counts) == sorted(set(cast_kinds))
    assert len(counts.n) == len(set(cast_kinds))
    assert counts.n.tolist() == [cast_kinds.count(kind) for kind in kinds_of(counts)]
    assert counts.groups == (together.max() + 1 if grouped else votes)
    found = {
        (group, kinds_of(counts)[kind]): n
        for group, kind, n in zip(counts.cell_group, counts.cell_kind, counts.cell_n, strict=True)
    }
    in_groups = list(zip(together.tolist(), cast_kinds, strict=True)) if grouped else []
    assert found == {cell: in_groups.count(cell) for cell in in_groups}
    assert (np.diff(counts.cell_group) >= 0).all()


def test_resamples_without_groups_are_of_votes():
    one, two, sign, _ = cast(1, systems=4, votes=30)
    counts = Counts.of(one, two, sign, 4)
    found = counts.drawn(np.random.default_rng(5), 7)
    wanted = np.random.default_rng(5).multinomial(30, counts.n / 30, size=7)
    assert found.tolist() == wanted.tolist()
    assert found.dtype == np.float64


def test_a_group_that_is_drawn_twice_counts_twice_with_all_its_votes():
    one, two, sign, together = cast(2, systems=4, votes=40)
    counts = Counts.of(one, two, sign, 4, together)
    found = counts.drawn(np.random.default_rng(3), 9)
    rng, kinds = np.random.default_rng(3), kinds_of(counts)
    for row in found:
        wanted = np.zeros(len(kinds))
        for group in rng.integers(0, 6, 6):
            for vote in np.flatnonzero(together == group):
                wanted[kinds.index(as_kind(int(one[vote]), int(two[vote]), int(sign[vote])))] += 1
        assert row.tolist() == wanted.tolist()


def test_tables_of_resamples_have_the_votes_of_each():
    one, two, sign, _ = cast(4, systems=5, votes=40)
    counts = Counts.of(one, two, sign, 5)
    times = np.random.default_rng(0).integers(0, 4, (2, 3, len(counts.n))) * 1.0
    net, shared = counts.tables(times)
    wanted = np.zeros((2, 2, 3, 5, 5))
    for kind, (a, b, won) in enumerate(kinds_of(counts)):
        wanted[0, ..., a, b] += won * times[..., kind]
        wanted[0, ..., b, a] -= won * times[..., kind]
        wanted[1, ..., a, b] += times[..., kind]
        wanted[1, ..., b, a] += times[..., kind]
    assert (net.tolist(), shared.tolist()) == (wanted[0].tolist(), wanted[1].tolist())


@pytest.mark.parametrize("block", [1, 8, 99])
@pytest.mark.parametrize("prior", [0.0, 0.7])
@pytest.mark.parametrize("grouped", [False, True])
def test_strengths_and_their_covariance_are_those_of_a_logistic_regression(
    monkeypatch, grouped, prior, block
):
    monkeypatch.setattr(bradley_terry, "BLOCK", block)
    one, two, sign, together = cast(6, systems=4, votes=80)
    fitted = Fitted.of(Counts.of(one, two, sign, 4, together if grouped else None), prior)
    side = np.zeros((80, 4))
    side[np.arange(80), one], side[np.arange(80), two] = 1.0, -1.0
    met = [
        (a, b)
        for a in range(4)
        for b in range(a + 1, 4)
        if (((one == a) & (two == b)) | ((one == b) & (two == a))).any()
    ]
    tied = np.zeros((len(met), 4))
    for row, (a, b) in zip(tied, met, strict=True):
        row[a], row[b] = 1.0, -1.0

    def chances(rows):
        return 1 / (1 + np.exp(-rows @ fitted.strength))

    slope = side * ((1 + sign) / 2 - chances(side))[:, None]
    # where the likelihood is largest all slopes, with those of the tied votes of the prior, add up to nothing
    np.testing.assert_allclose(
        slope.sum(axis=0) + prior * (tied * (0.5 - chances(tied))[:, None]).sum(axis=0),
        0,
        atol=1e-9,
    )
    assert fitted.strength.sum() == pytest.approx(0.0, abs=1e-12)
    curvature = sum(
        weight * (rows * (chances(rows) * (1 - chances(rows)))[:, None]).T @ rows
        for rows, weight in ((side, 1.0), (tied, prior))
    )
    if grouped:
        slope = np.stack([slope[together == group].sum(axis=0) for group in range(6)])
    bread = np.linalg.pinv(curvature)
    np.testing.assert_allclose(
        fitted.covariance, bread @ slope.T @ slope @ bread, rtol=1e-8, atol=1e-12
    )
    assert fitted.prior == prior
    # of 6 groups or 80 votes
    units = 6 if grouped else 80
    error = np.sqrt(np.diag(fitted.covariance) * units / (units - 1))
    half = fitted.interval(0.9)[1] - fitted.strength
    np.testing.assert_allclose(half, stats.t.ppf(0.95, units - 1) * error, rtol=1e-12)
    np.testing.assert_allclose(
        fitted.root @ fitted.root.T, fitted.covariance, rtol=1e-9, atol=1e-12
    )
    apart = np.array([1.0, 0.0, 0.0, -1.0])
    assert fitted.pair_variance(0, 3) == pytest.approx(apart @ fitted.covariance @ apart, rel=1e-12)


def test_a_variance_below_zero_by_rounding_is_none():
    fitted = Fitted(np.zeros(2), np.array([[-1e-20, 0.0], [0.0, 4.0]]), 0.0, GROUPS)
    assert fitted.interval(ONE_SD)[1] == pytest.approx([0.0, 2.0], rel=1e-12)
    np.testing.assert_allclose(fitted.root @ fitted.root.T, [[0.0, 0.0], [0.0, 4.0]], atol=1e-15)


def test_a_prior_is_of_pairs_that_met_alone():
    chain = Counts.of(np.array([0, 1, 0, 2]), np.array([1, 2, 1, 1]), np.array([1, 1, -1, 1]), 3)
    fitted = Fitted.of(chain, 2.0)
    assert fitted.strength == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    one = Counts.of(np.array([0, 0, 1, 1]), np.array([1, 1, 2, 2]), np.array([1, 1, 1, -1]), 3)
    # two wins and a tied vote: odds of 5 to 1; the others as often won as lost, whatever the prior
    strength = Fitted.of(one, 1.0).strength
    assert strength[0] - strength[1] == pytest.approx(np.log(5.0), rel=1e-9)
    assert strength[1] - strength[2] == pytest.approx(0.0, abs=1e-9)
    net, shared = one.tables(one.n)
    again = many_fitted(
        np.stack([net, -net]), np.stack([shared, shared]), one.met, Fitted.of(one, 1.0)
    )
    np.testing.assert_allclose(again, [strength, -strength], atol=1e-7)


def test_a_prior_is_of_pairs_that_met_once_too():
    once = Counts.of(np.array([0]), np.array([1]), np.array([1]), 2)
    fitted = Fitted.of(once, 1.0)  # a vote and a tied one: odds of 3 to 1
    assert np.subtract(*fitted.strength) == pytest.approx(np.log(3.0), rel=1e-9)
    net, shared = (np.stack([one] * 2) for one in once.tables(once.n))
    np.testing.assert_allclose(
        many_fitted(net, shared, once.met, fitted), [fitted.strength] * 2, atol=1e-7
    )


def test_of_no_resamples_there_are_no_strengths():
    none = np.zeros((0, 3, 3))
    fitted = Fitted(np.zeros(3), np.zeros((3, 3)), 0.0, GROUPS)
    assert many_fitted(none, none, np.ones((3, 3)), fitted).shape == (0, 3)


def test_a_chain_of_wins_may_go_over_any_of_several_systems():
    # the first beat two, of which one beat the fourth, and both ways lead back to the first
    one, two = np.array([0, 0, 1, 3, 2]), np.array([1, 2, 3, 0, 0])
    counts = Counts.of(one, two, np.ones(5, dtype=int), 4)
    net, shared = (np.stack([table] * 2) for table in counts.tables(counts.n))
    found = many_fitted(net, shared, counts.met, Fitted(np.zeros(4), np.zeros((4, 4)), 0.0, GROUPS))
    assert np.isfinite(found).all()
    backwards = many_fitted(
        -net, shared, counts.met, Fitted(np.zeros(4), np.zeros((4, 4)), 0.0, GROUPS)
    )
    np.testing.assert_allclose(backwards, -found, atol=1e-7)


def test_counts_and_strengths_are_not_changed_afterwards():
    counts = Counts.of(ONE, TWO, SIGN, 5)
    for held, name in (
        (counts, "n"),
        (Fitted(np.zeros(2), np.zeros((2, 2)), 0.0, GROUPS), "prior"),
    ):
        with pytest.raises(AttributeError):
            setattr(held, name, None)
