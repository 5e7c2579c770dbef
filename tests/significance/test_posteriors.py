"""Posteriors of a difference: against scipy, and against a plain loop over draws and over pairs of differences."""

import numpy as np
import pytest
from scipy import stats

from pdeval.evaluate.seeds import chunks
from pdeval.significance.equivalence import correlated_t, signed_rank


def eighths(queries=6, pairs=3, seed=0):
    """Differences in eighths, of which means of two fall on the ends of a region, too; some are missing."""
    D = np.random.default_rng(seed).integers(-3, 4, size=(queries, pairs)) / 8
    D[1, 0] = D[0, 2] = D[4, 2] = np.nan
    return np.column_stack([D, np.zeros(queries)])  # the last pair never differs


def regions(z, weight, rope):
    """Return the weight of the means of two below, within and above; one at an end counts half for either side."""
    below = above = 0.0
    for x, own in zip(z, weight, strict=True):
        for y, other in zip(z, weight, strict=True):
            mean = (x + y) / 2
            below += own * other * (1.0 if mean < -rope else 0.5 if mean == -rope else 0.0)
            above += own * other * (1.0 if mean > rope else 0.5 if mean == rope else 0.0)
    return np.array([below, 1 - below - above, above])


def by_hand(D, rope, prior, draws, seed):
    """Return how often each region has the most weight, draw by draw."""
    first = np.array([prior, *np.ones(len(D))])
    drawn = [
        np.random.default_rng(child).standard_gamma(first, (size, len(first)))
        for size, child in chunks(draws, seed)
    ]
    won = np.zeros((3, D.shape[1]))
    for pair, d in enumerate(D.T):
        has = np.array([True, *~np.isnan(d)])
        for gamma in np.concatenate(drawn):
            weight = gamma[has] / gamma[has].sum()
            mass = regions(np.array([0.0, *d])[has], weight, rope)
            most = mass > mass.max() - 1e-9
            won[:, pair] += most / most.sum()
    return won / draws


@pytest.mark.parametrize(
    ("rope", "prior", "draws"),
    [(0.125, 0.5, 70), (0.25, 2.5, 20), (0.0, 1.0, 20), (0.0625, 0.1, 20)],
)
def test_the_signed_rank_posterior_is_that_of_a_plain_loop(rope, prior, draws):
    D = eighths()
    assert signed_rank(D, rope, prior, draws, 3) == pytest.approx(
        by_hand(D, rope, prior, draws, 3), abs=1e-12
    )


@pytest.mark.parametrize("unit", [0.1, 1e-9, 1e9])
@pytest.mark.parametrize("rope", [1.0, 1.5, 2.0])
def test_the_ends_of_the_region_are_found_in_units_that_round(unit, rope):
    D = np.random.default_rng(1).integers(-5, 6, size=(9, 4)).astype(float)
    whole = signed_rank(D, rope, 0.5, 64, 0)
    assert signed_rank(D * unit, rope * unit, 0.5, 64, 0) == pytest.approx(whole, abs=1e-12)
    far = np.array(
        [[10_000_001.0], [-10_000_000.0], [2.0], [-4.0]]
    )  # great ones whose mean is at the end
    assert signed_rank(far * unit, rope / 2 * unit, 0.5, 64, 0) == pytest.approx(
        by_hand(far, rope / 2, 0.5, 64, 0), abs=1e-12
    )
    # what is nearly at the end is not at it
    wider = signed_rank(D * unit, rope * unit * (1 + 1e-6), 0.5, 64, 0)
    assert wider == pytest.approx(by_hand(D, rope * (1 + 1e-6), 0.5, 64, 0), abs=1e-12)


@pytest.mark.parametrize("correlation", [0.0, 0.3])
@pytest.mark.parametrize("rope", [0.0, 0.05])
def test_the_posterior_of_the_mean_is_students_about_it(rope, correlation):
    D = np.random.default_rng(2).normal(0.02, 0.2, (7, 12))
    D[2, ::3] = D[5, ::6] = np.nan
    worse, equivalent, better = correlated_t(D, rope, correlation)
    for pair, column in enumerate(D.T):
        d = column[~np.isnan(column)]
        scale = d.std(ddof=1) * np.sqrt(1 / len(d) + correlation / (1 - correlation))
        about = stats.t(len(d) - 1, d.mean(), scale)
        assert (worse[pair], better[pair]) == pytest.approx(
            (about.cdf(-rope), about.sf(rope)), rel=1e-9
        )
        assert equivalent[pair] == pytest.approx(about.cdf(rope) - about.cdf(-rope), abs=1e-12)
    assert (equivalent >= 0).all()


def test_differences_that_do_not_vary_are_all_at_their_mean_beside_others_that_do():
    D = np.column_stack(
        [np.full(4, value) for value in (0.5, 0.25, 0.0, -0.25, -0.5)] + [[0.1, 0.2, 0.3, 0.4]]
    )
    found = correlated_t(D, 0.25)
    assert found[:, :5].T.tolist() == [[0, 0, 1], [0, 1, 0], [0, 1, 0], [0, 1, 0], [1, 0, 0]]
    assert found[:, 5] == pytest.approx(correlated_t(D[:, 5:], 0.25)[:, 0], rel=1e-12)


def test_a_bar_says_what_it_is_of(capsys):
    signed_rank(eighths(), 0.1, 0.5, 5, 0, progress=True)
    assert "signed-rank posterior" in capsys.readouterr().err
