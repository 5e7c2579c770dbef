"""Bradley-Terry strengths of runs, from the number of games that each run won; for votes, with standard errors.

`games[a, b]` is the number of games between two runs, symmetric with a zero diagonal; `won` is the number of games that
each run won, a tie as 1/2. Strengths are logarithms with mean 0: the odds that a wins against b are
exp(strength of a - strength of b). All runs must be connected by games, and no run may win all its games; a few tied
games in each pair ensure this.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdeval.orderings.markov_chain import balance
from pdeval.verbs import csgraph, special

# limits of the steps of resamples, well within the tolerance of ties
STEPS, SETTLED = 40, 1e-9
NEAR = 1e-6  # a step d so short that log(1 + d) is d
CELLS = 1 << 17  # cells of pairs per block, which fits in the cache


def strengths(games: np.ndarray, won: np.ndarray) -> np.ndarray:
    """Return the maximum likelihood strengths, by Newton's method from equal strengths.

    Examples
    --------
    >>> np.exp(strengths(np.array([[0.0, 4.0], [4.0, 0.0]]), np.array([3.0, 1.0]))).round(4).tolist()  # odds of 3 to 1
    [1.7321, 0.5774]
    """
    strength = np.zeros(won.shape)
    for _ in range(200):
        expected, weight = _expected(games, strength)
        step = balance(weight, won - expected.sum(axis=-1))
        reach = np.ptp(step, axis=-1, keepdims=True)
        strength += step * _damped(reach)
        if (
            reach.max(initial=0.0) < 1e-6
        ):  # the error is now of the order of the square of this step
            break
    return strength


def _expected(games: np.ndarray, strength: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each two runs, the expected wins of the first, and the curvature of the likelihood."""
    chance = 0.5 + 0.5 * np.tanh((strength[..., :, None] - strength[..., None, :]) / 2.0)
    expected = games * chance
    # a probability that rounds to 1 must not disconnect a pair
    return expected, np.maximum(expected * (1.0 - chance), 1e-17 * games)


def _damped(reach: np.ndarray) -> np.ndarray:
    """Return the fraction of a step to take: if a pair moves by d, its curvature changes by at most e^d."""
    return np.where(reach > NEAR, np.log1p(reach) / np.maximum(reach, NEAR), 1.0)


def many_strengths(games: np.ndarray, won: np.ndarray) -> np.ndarray:
    """Return the strengths of bootstrap samples of the same games, of shape (samples, runs), to 1e-8.

    The mean of the samples is solved first. Each sample starts there and takes Newton steps with the curvature of the
    mean, whose inverse is one matrix for all, so a step costs only the win probabilities of all pairs. Samples that do
    not converge are solved separately.

    Examples
    --------
    >>> games = np.array([[[0.0, 4.0], [4.0, 0.0]], [[0.0, 2.0], [2.0, 0.0]]])
    >>> np.exp(many_strengths(games, np.array([[3.0, 1.0], [1.0, 1.0]]))).round(4).tolist()
    [[1.7321, 0.5774], [1.0, 1.0]]
    """
    # one start and one inverse of the curvature for all samples
    start, inverse = _of_mean(games.mean(axis=0), won.mean(axis=0))
    # all pairs have the same number of games, except a run with itself
    even = bool((games == games[:, :1, 1:2]).sum() == games.size - won.size)
    strength = np.empty(won.shape)
    settled = np.empty(len(won), dtype=bool)
    played = games.sum(axis=-1)
    # if runs have fewer games than in the mean, the true step is longer than the one with the curvature of the mean
    longer = np.maximum((played.mean(axis=0) / played).max(axis=-1), 1.0)
    height = max(1, CELLS // games[0].size)
    for first in range(0, len(won), height):
        part = slice(first, first + height)
        part_games = games[part, :1, 1] if even else games[part]
        strength[part], settled[part] = _with_one_curvature(
            part_games, won[part], start, inverse, longer[part]
        )
    if not settled.all():
        strength[~settled] = strengths(games[~settled], won[~settled])
    return strength


def _of_mean(games: np.ndarray, won: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return starting strengths and the inverse of the curvature there, by Newton's method on one table."""
    strength = np.zeros(won.shape)
    for _ in range(200):
        inverse = inverse_curvature(games, strength)
        expected = (games * _chances(strength)).sum(axis=-1)
        step = inverse @ (won - expected)
        reach = np.ptp(step)
        strength += step * _damped(reach)
        # near enough for a start, with a curvature as good as that of the mean itself
        if reach < 0.01:
            break
    return strength, inverse


def inverse_curvature(games: np.ndarray, strength: np.ndarray) -> np.ndarray:
    """Return the inverse of the curvature of the likelihood, among strengths of mean zero.

    Examples
    --------
    >>> inverse_curvature(np.array([[0.0, 4.0], [4.0, 0.0]]), np.zeros(2)).tolist()
    [[0.25, -0.25], [-0.25, 0.25]]
    """
    _, weight = _expected(games, strength)
    size = len(strength)
    curvature = np.diag(weight.sum(axis=1)) - weight
    scale = max(float(np.trace(curvature)) / size, np.finfo(float).tiny)
    # the likelihood does not determine the mean: add a constant before the inversion, and subtract it afterwards
    inverse: np.ndarray = np.linalg.inv(curvature + scale / size) - 1.0 / (scale * size)
    return (inverse + inverse.T) / 2.0


def _with_one_curvature(
    games: np.ndarray, won: np.ndarray, start: np.ndarray, inverse: np.ndarray, longer: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the strengths of some samples, and which have converged.

    `games` has one column if all pairs have the same number of games. If a step grows, the curvature is wrong, and the
    sample is given up.
    """
    strength, settled = np.repeat(start[None], len(won), axis=0), np.zeros(len(won), dtype=bool)
    # left: the resamples that are not finished; all other arrays but two shrink with it
    left, now = np.arange(len(won)), strength.copy()
    gone, before = np.zeros((2, *won.shape))
    least = np.full(len(won), np.inf)
    for turn in range(STEPS):
        chance = _chances(now)
        # equal numbers of games: subtract 0.5, the probability of a run against itself, which plays no games
        even = games.ndim == 2
        expected = (
            games * (chance.sum(axis=-1) - 0.5) if even else np.einsum("rij,rij->ri", games, chance)
        )
        step = (won - expected) @ inverse
        reach = np.ptp(step, axis=1)
        move = step * _damped(reach)[:, None]
        # extrapolate along the last move (Anderson 1965)
        if turn:
            change = step - before
            share = (step * change).sum(axis=1) / np.maximum(
                (change * change).sum(axis=1), np.finfo(float).tiny
            )
            move = np.where(reach[:, None] < 0.5, step - share[:, None] * (gone + change), move)
        now, gone, before = now + move, move, step
        done, least = reach * longer < SETTLED, np.minimum(least, reach)
        settled[left[done]], strength[left[done]] = True, now[done]
        keep = ~done & (reach <= 10.0 * least)
        if keep.all():
            continue
        left, now, gone, before, least, longer, won, games = (
            each[keep] for each in (left, now, gone, before, least, longer, won, games)
        )
        if not len(left):
            break
    return strength - strength.mean(axis=1, keepdims=True), settled


def _chances(strength: np.ndarray) -> np.ndarray:
    """Return the probability that a run (rows) wins against another (columns)."""
    # odds / (odds + odds of the other), stored in the denominator
    odds = np.exp(strength - strength.mean(axis=-1, keepdims=True))
    chance: np.ndarray = odds[..., :, None] + odds[..., None, :]
    return np.divide(odds[..., :, None], chance, out=chance)


BLOCK = 1 << 22  # cells of the gradients (groups x systems) in memory at a time


class Counts(NamedTuple):
    """Votes as kinds (first system, second system, outcome), with the number of votes of each kind in every group.

    Parameters
    ----------
    a, b : ndarray of int, shape (kinds,)
        Systems of a kind, a < b.
    sign : ndarray of int, shape (kinds,)
        1 if a won, -1 if b won, 0 for a tie.
    cell_group, cell_kind, cell_n : ndarray of int
        Number of votes of each kind in each group. Without groups, votes are independent, and `cell_group` is empty.
    groups : int
        Number of groups, or of votes.
    met : ndarray of shape (systems, systems)
        Number of votes between two systems.
    """

    a: np.ndarray
    b: np.ndarray
    sign: np.ndarray
    n: np.ndarray
    cell_group: np.ndarray
    cell_kind: np.ndarray
    cell_n: np.ndarray
    groups: int
    met: np.ndarray

    @classmethod
    def of(
        cls,
        one: np.ndarray,
        two: np.ndarray,
        sign: np.ndarray,
        systems: int,
        together: np.ndarray | None = None,
    ) -> Counts:
        """Return the counts of votes between systems; `together` is the group of each vote.

        Examples
        --------
        >>> Counts.of(np.array([0, 1]), np.array([1, 0]), np.array([1, -1]), 2).met.tolist()
        [[0.0, 2.0], [2.0, 0.0]]
        """
        pair = np.minimum(one, two) * systems + np.maximum(one, two)
        won = np.where(one > two, -sign, sign)
        # a kind of vote is one number: its pair, and 0, 1 or 2 as b won, neither, or a
        kinds, kind, n = np.unique(pair * 3 + won + 1, return_inverse=True, return_counts=True)
        a, b = np.divmod(kinds // 3, systems)
        met = np.zeros((systems, systems))
        np.add.at(met, (a, b), n)
        cells, counts, groups = kinds[:0], n[:0], len(one)
        if together is not None:
            cells, counts = np.unique(
                together.astype(np.int64) * len(kinds) + kind.ravel(), return_counts=True
            )
            groups = int(together.max()) + 1
        return cls(
            a, b, kinds % 3 - 1, n, *np.divmod(cells, len(kinds)), counts, groups, met + met.T
        )

    def drawn(self, rng: np.random.Generator, draws: int) -> np.ndarray:
        """Return the number of votes of each kind in bootstrap samples of the groups, or of the votes."""
        if not len(self.cell_group):
            return rng.multinomial(self.n.sum(), self.n / self.n.sum(), size=draws).astype(float)
        times = np.empty((draws, len(self.n)))
        for row in times:  # a group drawn twice counts twice
            weight = np.bincount(rng.integers(0, self.groups, self.groups), minlength=self.groups)
            row[:] = np.bincount(self.cell_kind, weights=weight[self.cell_group] * self.cell_n)
        return times

    def tables(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return, for each two systems, wins minus losses, and all votes; leading axes are those of `times`."""
        size = len(self.met)
        pair, starts = np.unique(
            self.a * size + self.b, return_index=True
        )  # kinds are sorted by pair
        a, b = np.divmod(pair, size)
        net, shared = np.zeros((2, *times.shape[:-1], size, size))
        net[..., a, b] = np.add.reduceat(times * self.sign, starts, axis=-1)
        net[..., b, a] = -net[..., a, b]
        shared[..., a, b] = shared[..., b, a] = np.add.reduceat(times, starts, axis=-1)
        return net, shared

    def components(self) -> list[np.ndarray]:
        """Return the groups of systems that are connected by chains of votes."""
        count, group = csgraph.connected_components(self.met > 0, directed=False)
        return [np.flatnonzero(group == number) for number in range(count)]

    def unbeaten(self) -> np.ndarray | None:
        """Return systems that neither lost to nor tied with any of the others, None if there are none.

        Exactly then the maximum likelihood strengths are infinite (Ford 1957).
        """
        net, shared = self.tables(self.n)
        beaten = shared > net  # at least half a vote of b against a
        # reach[a, b]: b beats a directly or through a chain of systems, or is a
        reach = np.isfinite(csgraph.shortest_path(beaten, unweighted=True))
        sizes = reach.sum(axis=1)
        return None if (sizes == len(reach)).all() else np.flatnonzero(reach[int(sizes.argmin())])


class Fitted(NamedTuple):
    """Strengths from all votes, and their sandwich covariance: inverse curvature, group variance, inverse curvature.

    Intervals and tests use Student's distribution with groups - 1 degrees of freedom, and the covariance times
    groups / (groups - 1).
    """

    strength: np.ndarray
    covariance: np.ndarray
    prior: float
    groups: int

    @classmethod
    def of(cls, counts: Counts, prior: float) -> Fitted:
        """Return the strengths from votes, with `prior` additional tied votes in every pair that met.

        Examples
        --------
        >>> votes = Counts.of(np.zeros(4, int), np.ones(4, int), np.array([1, 1, 1, -1]), 2)
        >>> result = Fitted.of(votes, 0.0)  # odds of 3 to 1, with the error of a share: 1 / sqrt(4 * 3/4 * 1/4)
        >>> [float(one.round(4)) for one in (np.exp(np.subtract(*result.strength)), result.pair_variance(0, 1) ** 0.5)]
        [3.0, 1.1547]
        """
        net, shared = counts.tables(counts.n)
        # a tied vote is half a win for both: (games + net) / 2 wins of `games`
        games = shared + prior * (counts.met > 0)
        strength = strengths(games, ((games + net) / 2.0).sum(axis=-1))
        bread = inverse_curvature(games, strength)
        a, b = counts.a, counts.b
        surprise = (1 + counts.sign) / 2.0 - 1.0 / (1.0 + np.exp(strength[b] - strength[a]))
        spread = np.zeros(games.shape)
        if len(counts.cell_group):
            _add_groups(spread, counts, surprise)
        else:  # every vote is a group
            square = counts.n * surprise**2
            for sides, sign in (((a, a), 1), ((b, b), 1), ((a, b), -1), ((b, a), -1)):
                np.add.at(spread, sides, sign * square)
        return cls(strength, bread @ spread @ bread, prior, counts.groups)

    def interval(self, confidence: float, variance: np.ndarray | None = None) -> np.ndarray:
        """Return the ends of Student's intervals of the strengths, relative to their mean.

        Parameters
        ----------
        variance : ndarray, optional
            Variances of the strengths; by default those of the covariance.
        """
        variance = np.diag(self.covariance) if variance is None else variance
        units = max(self.groups, 2)
        quantile = special.stdtrit(units - 1, (1 + confidence) / 2)
        errors = np.sqrt(np.maximum(variance, 0.0) * units / (units - 1))
        return self.strength + np.outer([-1.0, 1.0], errors * quantile)

    def p_values(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return the p-values of Wald tests of equal strengths of pairs of systems."""
        units = max(self.groups, 2)
        variance = np.maximum(self.pair_variance(a, b), 0.0) * units / (units - 1)
        gap = np.abs(self.strength[a] - self.strength[b])
        # if the error is 0, any difference is infinitely many errors
        t = np.divide(
            gap, np.sqrt(variance), out=np.where(gap > 0, np.inf, 0.0), where=variance > 0
        )
        return np.asarray(2.0 * special.stdtr(units - 1, -t))

    @property
    def root(self) -> np.ndarray:
        """A matrix whose product with its transpose is the covariance."""
        value, vector = np.linalg.eigh(self.covariance)
        return np.asarray(vector * np.sqrt(np.maximum(value, 0.0)))

    def pair_variance(self, a: np.ndarray | int, b: np.ndarray | int) -> np.ndarray:
        """Return the variance of differences of two strengths."""
        return np.asarray(
            self.covariance[a, a] + self.covariance[b, b] - 2.0 * self.covariance[a, b]
        )


def _add_groups(spread: np.ndarray, counts: Counts, surprise: np.ndarray) -> None:
    """Add the outer products of the gradients of all groups to `spread`, in place."""
    size = len(spread)
    value = counts.cell_n * surprise[counts.cell_kind]
    height = max(1, BLOCK // size)
    for first in range(0, counts.groups, height):
        part = slice(*np.searchsorted(counts.cell_group, (first, first + height)))
        # slope[group, system]: wins beyond expectation, minus losses
        row, kind = counts.cell_group[part] - first, counts.cell_kind[part]
        slope = np.bincount(
            row * size + counts.a[kind], weights=value[part], minlength=height * size
        )
        slope -= np.bincount(
            row * size + counts.b[kind], weights=value[part], minlength=height * size
        )
        slope = slope.reshape(height, size)
        spread += slope.T @ slope


def many_fitted(net: np.ndarray, shared: np.ndarray, met: np.ndarray, fitted: Fitted) -> np.ndarray:
    """Return the strengths of bootstrap samples of the votes; NaN if they are infinite."""
    games = shared + fitted.prior * (met > 0)
    won = ((games + net) / 2.0).sum(axis=-1)
    if fitted.prior > 0:
        return many_strengths(games, won)
    # strengths are finite if every system beat every other, directly or through others (Ford 1957)
    groups = [
        csgraph.connected_components(beats, connection="strong")[0] for beats in games + net > 0
    ]
    finite = np.array(groups) == 1
    strength = np.full(won.shape, np.nan)
    if finite.any():
        strength[finite] = many_strengths(games[finite], won[finite])
    return strength
