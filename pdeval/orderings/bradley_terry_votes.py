"""Votes counted by who met whom, in groups that belong together, and the strengths that explain them, with errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pdeval.orderings.bradley_terry import inverse_curvature, many_strengths, strengths

BLOCK = 1 << 22


@dataclass(frozen=True)
class Counts:
    """Votes as kinds (first system, second system, outcome), each with the times that it was cast in every group.

    Parameters
    ----------
    a, b : ndarray of int, shape (kinds,)
        The systems of a kind, a before b.
    sign : ndarray of int, shape (kinds,)
        1 where a won, -1 where b did, 0 for a tie.
    cell_group, cell_kind, cell_n : ndarray of int
        How often each group holds each kind; without groups every vote is one, and `cell_group` is empty.
    groups : int
        How many groups there are, or votes.
    met : ndarray of shape (systems, systems)
        How often two systems met.
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
        cls, one: np.ndarray, two: np.ndarray, sign: np.ndarray, systems: int, together: np.ndarray | None = None
    ) -> Counts:
        """Return the counts of votes between systems; `together` is the group of each vote.

        Examples
        --------
        >>> Counts.of(np.array([0, 1]), np.array([1, 0]), np.array([1, -1]), 2).met.tolist()
        [[0.0, 2.0], [2.0, 0.0]]
        """
        swapped = one > two
        a, b, won = np.minimum(one, two), np.maximum(one, two), np.where(swapped, -sign, sign)
        kinds, kind, n = np.unique((a * systems + b) * 3 + won + 1, return_inverse=True, return_counts=True)
        met = np.zeros((systems, systems))
        first, second = kinds // 3 // systems, kinds // 3 % systems
        np.add.at(met, (first, second), n)
        cells, counts = kinds[:0], n[:0]
        if together is not None:
            cells, counts = np.unique(together.astype(np.int64) * len(kinds) + kind.ravel(), return_counts=True)
        groups = len(one) if together is None else int(together.max()) + 1
        return cls(
            first,
            second,
            kinds % 3 - 1,
            n,
            cells // len(kinds),
            cells % len(kinds),
            counts,
            groups,
            met + met.T,
        )

    @property
    def kinds(self) -> int:
        """How many kinds of votes there are."""
        return len(self.n)

    def times(self) -> np.ndarray:
        """Return how often each kind of vote was cast."""
        return self.n.astype(float)

    def drawn(self, rng: np.random.Generator, draws: int) -> np.ndarray:
        """Return how often each kind is in each of some resamples of the groups, or of the votes."""
        if not len(self.cell_group):
            return rng.multinomial(self.n.sum(), self.n / self.n.sum(), size=draws).astype(float)
        found = np.empty((draws, self.kinds))
        for row in found:  # a group drawn twice counts twice
            weight = np.bincount(rng.integers(0, self.groups, self.groups), minlength=self.groups)
            row[:] = np.bincount(self.cell_kind, weights=weight[self.cell_group] * self.cell_n)
        return found

    def tables(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return, by two systems, the votes that a won more than b, and all votes of the pair; axes of `times` lead."""
        size = len(self.met)
        pair, place = np.unique(self.a * size + self.b, return_inverse=True)
        of_pair = np.zeros((2, *times.shape[:-1], len(pair)))
        starts = np.flatnonzero(np.diff(place.ravel(), prepend=-1))  # kinds are sorted by pair
        of_pair[0] = np.add.reduceat(times * self.sign, starts, axis=-1)
        of_pair[1] = np.add.reduceat(times, starts, axis=-1)
        both = np.zeros((2, *times.shape[:-1], size, size))
        a, b = pair // size, pair % size
        both[..., a, b] = of_pair
        both[0][..., b, a], both[1][..., b, a] = -of_pair[0], of_pair[1]
        return both[0], both[1]

    def apart(self) -> list[np.ndarray]:
        """Return the groups of systems that chains of votes join."""
        number, count = _components(self.met > 0)
        return [np.flatnonzero(number == one) for one in range(count)]

    def unbeaten(self) -> np.ndarray | None:
        """Return systems that neither lost to nor tied with any of the others, None where there are none.

        Then, and only then, no finite strengths explain the votes (Ford 1957).
        """
        net, shared = self.tables(self.times())
        beaten = shared > net  # at least half a vote of b against a
        reach = beaten | np.eye(len(beaten), dtype=bool)
        while True:  # who is beaten by those that are beaten by ...
            further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
            if (further == reach).all():
                break
            reach = further
        sizes = reach.sum(axis=1)
        if (sizes == len(reach)).all():
            return None
        found: np.ndarray = np.flatnonzero(reach[int(sizes.argmin())])
        return found


def _components(joined: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the component of each node of an undirected graph, and how many there are."""
    number = np.full(len(joined), -1)
    count = 0
    for node in range(len(joined)):
        if number[node] >= 0:
            continue
        inside = np.zeros(len(joined), dtype=bool)
        new = inside.copy()
        new[node] = True
        while new.any():
            inside |= new
            new = joined[new].any(axis=0) & ~inside
        number[inside] = count
        count += 1
    return number, count


@dataclass(frozen=True)
class Fitted:
    """Strengths of all votes, and their covariance by the sandwich: curvature, spread of the groups, curvature."""

    strength: np.ndarray
    covariance: np.ndarray
    prior: float

    @classmethod
    def of(cls, counts: Counts, prior: float) -> Fitted:
        """Return the strengths that explain the votes, with `prior` tied votes more in every pair that met.

        Examples
        --------
        >>> votes = Counts.of(np.zeros(4, int), np.ones(4, int), np.array([1, 1, 1, -1]), 2)
        >>> found = Fitted.of(votes, 0.0)  # odds of 3 to 1, with the error of a share: 1 / sqrt(4 * 3/4 * 1/4)
        >>> [float(one.round(4)) for one in (np.exp(np.subtract(*found.strength)), found.pair_variance(0, 1) ** 0.5)]
        [3.0, 1.1547]
        """
        net, shared = counts.tables(counts.times())
        games = shared + prior * (counts.met > 0)
        strength = strengths(games, ((games + net) / 2.0).sum(axis=-1))
        bread = inverse_curvature(games, strength)
        a, b = counts.a, counts.b
        surprise = (1 + counts.sign) / 2.0 - 1.0 / (1.0 + np.exp(strength[b] - strength[a]))
        if not len(counts.cell_group):
            size = len(strength)
            spread = np.zeros((size, size))
            square = counts.n * surprise**2
            for sides, sign in (((a, a), 1), ((b, b), 1), ((a, b), -1), ((b, a), -1)):
                np.add.at(spread, sides, sign * square)
            return cls(strength, bread @ spread @ bread, prior)
        return cls(strength, bread @ _of_groups(counts, surprise, len(strength)) @ bread, prior)

    @property
    def errors(self) -> np.ndarray:
        """The standard error of each strength, against the mean of all."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @property
    def root(self) -> np.ndarray:
        """A matrix whose product with its transpose is the covariance."""
        value, vector = np.linalg.eigh(self.covariance)
        found: np.ndarray = vector * np.sqrt(np.maximum(value, 0.0))
        return found

    def pair_variance(self, a: np.ndarray | int, b: np.ndarray | int) -> np.ndarray:
        """Return the variance of differences of two strengths."""
        found: np.ndarray = self.covariance[a, a] + self.covariance[b, b] - 2.0 * self.covariance[a, b]
        return found


def _of_groups(counts: Counts, surprise: np.ndarray, size: int) -> np.ndarray:
    """Return the sum over groups of the square of what each adds to the slope of the likelihood."""
    spread = np.zeros((size, size))
    value = counts.cell_n * surprise[counts.cell_kind]
    height = max(1, BLOCK // size)
    for first in range(0, counts.groups, height):
        low, high = np.searchsorted(counts.cell_group, (first, first + height))
        part = slice(low, high)
        row, kind = counts.cell_group[part] - first, counts.cell_kind[part]
        slope = np.bincount(row * size + counts.a[kind], weights=value[part], minlength=height * size)
        slope -= np.bincount(row * size + counts.b[kind], weights=value[part], minlength=height * size)
        slope = slope.reshape(height, size)
        spread += slope.T @ slope
    return spread


def many_fitted(net: np.ndarray, shared: np.ndarray, met: np.ndarray, fitted: Fitted) -> np.ndarray:
    """Return the strengths of resamples of the votes; NaN where they have none that are finite."""
    games = shared + fitted.prior * (met > 0)
    won = ((games + net) / 2.0).sum(axis=-1)
    if fitted.prior > 0:
        return many_strengths(games, won)
    found = np.full(won.shape, np.nan)
    finite = np.array([_finite(one) for one in games + net > 0])
    if finite.any():
        found[finite] = many_strengths(games[finite], won[finite])
    return found


def _finite(beats: np.ndarray) -> bool:
    """Return whether every system beat, over others, every other: from any one all are reached both ways."""
    for way in (beats, beats.T):
        inside = np.zeros(len(way), dtype=bool)
        new = inside.copy()
        new[0] = True
        while new.any():
            inside |= new
            new = way[new].any(axis=0) & ~inside
        if not inside.all():
            return False
    return True
