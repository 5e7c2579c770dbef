"""Variance components of replicated runs: query, system x query, replicate and residual.

The model has a fixed mean per system; all other effects are random:

    value = mean of the system + query + system x query + replicate within the system + residual

It is fitted by restricted maximum likelihood. If all systems have the same number of replicates, the fit is the
analysis of variance with expected mean squares, a formula; else it is a search over four numbers, since means over
replicates and deviations from them are independent.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from pdeval.evaluate import group_means, sd_over_replicates
from pdeval.tables import NOISE
from pdeval.verbs import optimize

QUERY, SYSTEM_QUERY, REPLICATE, RESIDUAL = range(4)
# component -> component whose expected mean square is part of its own
WITHIN = {QUERY: SYSTEM_QUERY, SYSTEM_QUERY: RESIDUAL, REPLICATE: RESIDUAL}


class Squares(NamedTuple):
    """Sums of squares of complete scores (queries, runs), to fit the model.

    `cells` is the matrix of cross-products of the means of the systems per query, centered; `shares` are 1 over the
    number of replicates, 0 for deterministic systems.
    """

    queries: int
    means: np.ndarray
    sizes: np.ndarray
    shares: np.ndarray
    cells: np.ndarray
    replicate: float
    residual: float

    @property
    def freedom(self) -> np.ndarray:
        """Degrees of freedom of query, system x query, replicate and residual."""
        systems, spare, rest = len(self.sizes), int((self.sizes - 1).sum()), self.queries - 1
        return np.array([rest, (systems - 1) * rest, spare, spare * rest])

    @property
    def balanced(self) -> bool:
        """Whether all systems have the same number of replicates."""
        return bool((self.shares == self.shares[0]).all()) and bool(self.shares[0])


class Seeds(NamedTuple):
    """The variance of the replicates of each system, estimated from the runs of this system.

    `variance` is that of a replicate over all queries, `error` half the variance of this estimate; `shares` are 1 over
    the number of replicates. All are 0 for deterministic systems; variance and error are NaN for a single replicate.
    """

    variance: np.ndarray
    error: np.ndarray
    shares: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, system: np.ndarray, exact: np.ndarray) -> Seeds:
        """Return the variances of scores (queries, runs), over the queries common to all replicates of a system.

        The mean square between replicates contains that of replicates on queries, which is subtracted; 0 if the
        difference would be negative.

        Examples
        --------
        >>> X = np.array([[0.0, 2.0, 5.0], [2.0, 2.0, 3.0], [1.0, 5.0, 3.0]])
        >>> Seeds.of(X, np.array([0, 0, 1]), np.zeros(2, dtype=bool)).variance.round(4).tolist()
        [1.3333, nan]
        """
        sizes = np.bincount(system)
        counted = ~np.isnan(group_means(X, system, len(sizes)))
        n = counted.sum(axis=0)
        X = np.where(counted[:, system], X, 0.0)
        # a system without queries has no pair to compare
        with np.errstate(divide="ignore", invalid="ignore"):
            run = X.sum(axis=0) / n[system]
            between = np.square(sd_over_replicates(run, system))
            within = np.square(sd_over_replicates(X - run, system)) * counted
            part = within.sum(axis=0) / (n - 1) / n
            # differences between replicates that are only rounding
            between = np.where(between <= np.square(NOISE * np.abs(X).max()), 0.0, between)
            variance = np.where(exact, 0.0, np.maximum(between - part, 0.0))
            error = (np.square(between) + np.square(part) / (n - 1)) / (sizes - 1)
        return cls(variance, np.where(variance == 0, 0.0, error), np.where(exact, 0.0, 1 / sizes))

    def spread(
        self, a: np.ndarray, b: np.ndarray, n: np.ndarray, sd: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the variance of the difference of two systems' means, and Satterthwaite's degrees of freedom.

        A system with one replicate is assumed to vary as the system it is compared with; NaN if neither is known.

        Parameters
        ----------
        a, b : ndarray of int
            The systems of each pair.
        n, sd : ndarray
            Number and standard deviation of the differences per query, which include the replicate x query effect.
        """
        single, exact = np.isnan(self.variance), self.shares == 0
        total = np.square(sd) / n
        error = np.square(total) / (n - 1)
        for system, other in ((a, b), (b, a)):
            # the variance of this system is also used for another system with a single replicate
            weight = self.shares[system] + np.where(single[other], self.shares[other], 0.0)
            weight = np.where(single[system], 0.0, weight)
            total = total + weight * np.nan_to_num(self.variance[system])
            error = error + np.square(weight) * np.nan_to_num(self.error[system])
            total = np.where(single[system] & (single | exact)[other], np.nan, total)
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = np.where(total == 0, np.inf, np.square(total) / error)
        return total, np.minimum(freedom, n - 1)  # at most those of the queries


def squares_of(X: np.ndarray, system: np.ndarray, exact: np.ndarray) -> Squares:
    """Return the sums of squares of scores (queries, runs), given the system of every run.

    Parameters
    ----------
    exact : ndarray of bool
        Which systems are deterministic.

    Examples
    --------
    >>> X = np.array([[0.0, 2.0, 5.0, 5.0], [2.0, 2.0, 3.0, 5.0]])
    >>> result = squares_of(X, np.array([0, 0, 1, 1]), np.zeros(2, dtype=bool))
    >>> result.means.tolist(), result.replicate, result.residual, result.freedom.tolist()
    ([1.5, 4.5], 2.0, 2.0, [1, 1, 2, 2])
    """
    n, sizes = len(X), np.bincount(system)
    # cell: mean of each system on each query; reduceat adds the runs of a system, sorted next to each other
    order = np.argsort(system, kind="stable")
    cell = np.add.reduceat(X[:, order], np.cumsum(sizes) - sizes, axis=1) / sizes
    run, mean = X.mean(axis=0), cell.mean(axis=0)
    least = (NOISE * np.abs(X).max()) ** 2 * X.size  # sums below are rounding
    replicate = n * np.square(run - mean[system]).sum()
    residual = np.square(X - cell[:, system] - run + mean[system]).sum()
    away = cell - mean
    return Squares(
        n,
        mean,
        sizes,
        np.where(exact, 0.0, 1 / sizes),
        away.T @ away,
        float(replicate if replicate > least else 0.0),
        float(residual if residual > least else 0.0),
    )


def fitted(squares: Squares) -> np.ndarray:
    """Return the variance components: by expected mean squares on balanced data, else by a search.

    Examples
    --------
    >>> X = np.array([[0.0, 4.0, 8.0, 6.0], [2.0, 4.0, 1.0, 1.0], [9.0, 11.0, 9.0, 5.0]])
    >>> fitted(squares_of(X, np.array([0, 0, 1, 1]), np.zeros(2, dtype=bool))).round(4).tolist()
    [6.0, 8.8333, 2.3333, 1.3333]
    """
    return by_mean_squares(squares) if squares.balanced else by_search(squares)


def by_mean_squares(squares: Squares) -> np.ndarray:
    """Return the components of balanced data: differences of mean squares, pooled if one is negative."""
    n, systems, each = squares.queries, len(squares.sizes), int(squares.sizes[0])
    total = each * float(np.trace(squares.cells))
    query = each * float(squares.cells.sum()) / systems
    sums = np.array([query, max(total - query, 0.0), squares.replicate, squares.residual])
    freedom = squares.freedom
    expected = in_order(sums, freedom)
    # each variance is a difference of expected mean squares, divided by the number of values per level
    contrast = np.zeros((4, 4))
    contrast[RESIDUAL, RESIDUAL] = 1
    for part, times in ((QUERY, systems * each), (SYSTEM_QUERY, each), (REPLICATE, n)):
        under = WITHIN[part] if freedom[WITHIN[part]] else RESIDUAL
        contrast[part, part], contrast[part, under] = 1 / times, -1 / times
    return np.maximum(contrast @ expected, 0.0)


def in_order(sums: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """Return the expected mean squares, none below the one that is part of it.

    If a mean square is smaller than the one that is part of it, both estimate the same variance and are pooled, the
    smallest first (Thompson, 1962); this is the maximum of the restricted likelihood.

    Examples
    --------
    >>> in_order(np.array([80.0, 30.0, 1.0, 29.0]), np.array([10, 10, 5, 10])).tolist()
    [8.0, 3.0, 2.0, 2.0]
    """
    # pool[part]: the group of mean squares with which a part is pooled
    pool = np.arange(4)
    while True:
        total, count = (np.bincount(pool, weights=part) for part in (sums, freedom))
        mean = total / np.maximum(count, 1)
        below = [
            (mean[pool[part]], part)
            for part, under in WITHIN.items()
            if pool[part] != pool[under]
            and (not freedom[part] or mean[pool[part]] < mean[pool[under]])
        ]
        if not below:
            return mean[pool]
        part = min(below)[1]
        pool = np.where(pool == pool[part], pool[WITHIN[part]], pool)


def by_search(squares: Squares) -> np.ndarray:
    """Return the components of any data, by a search for the maximum of the restricted likelihood."""
    freedom = squares.freedom
    size = (
        float(np.trace(squares.cells)) / freedom[QUERY]
        + (squares.replicate + squares.residual) / freedom[REPLICATE]
    )
    if size == 0:
        return np.zeros(4)
    least = np.array([0.0, 0.0, 0.0, NOISE])
    residual = max(squares.residual / freedom[RESIDUAL] / size, NOISE)
    theta = optimize.minimize(
        lambda theta: _deviance(squares, size, theta),
        np.array([0.25, 0.25, 0.25, residual]),
        jac=True,
        bounds=[(low, None) for low in least],
        options={"ftol": 1e-10, "gtol": 1e-6, "maxiter": 500},
    ).x
    theta = _polished(squares, size, theta, least)
    return np.where(theta > NOISE, theta, 0.0) * size


def _polished(squares: Squares, size: float, theta: np.ndarray, least: np.ndarray) -> np.ndarray:
    """Return the maximum, refined by steps of Fisher scoring."""
    slope = _deviance(squares, size, theta)[1]
    # variances at their bound stay there if the likelihood does not increase inward
    free = np.flatnonzero((theta > 1e-7) | ((slope < 0) & (theta > least)))
    free = free if RESIDUAL in free else np.append(free, RESIDUAL)
    theta = np.where(np.isin(np.arange(4), free), theta, least)
    deviance, slope = _deviance(squares, size, theta)
    for _ in range(50):
        # rows and columns of the variances that are not at their bound
        information = _information(squares, theta)[np.ix_(free, free)]
        step = np.zeros(4)
        step[free] = -np.linalg.pinv(information) @ slope[free] / 2
        tried = np.maximum(theta + step, least)
        value, new = _deviance(squares, size, tried)
        if value > deviance + 1e-9:
            break
        moved = float(np.abs(tried - theta).max())
        theta, deviance, slope = tried, value, new
        if moved < NOISE:
            break
    return theta


def _parts(squares: Squares, theta: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the covariance matrix of the systems' means on a query, and the expected mean square of replicates."""
    query, both, replicate, residual = theta
    sigma = np.diag(both + residual * squares.shares) + query
    return sigma, float(residual + squares.queries * replicate)


def _deviance(squares: Squares, size: float, theta: np.ndarray) -> tuple[float, np.ndarray]:
    """Return -2 times the restricted log likelihood of variances in units of `size`, and its gradient."""
    freedom = squares.freedom
    sigma, expected = _parts(squares, theta)
    # not positive definite: no valid variances
    sign, log = np.linalg.slogdet(sigma)
    if sign <= 0:
        return np.inf, np.zeros(4)
    inverse = np.linalg.inv(sigma)
    sums = (squares.cells, squares.replicate, squares.residual)
    cells, replicate, residual = (one / size for one in sums)
    n = freedom[QUERY]
    value = n * log + (inverse * cells).sum()
    value += freedom[REPLICATE] * np.log(expected) + replicate / expected
    value += freedom[RESIDUAL] * np.log(theta[RESIDUAL]) + residual / theta[RESIDUAL]
    away = n * inverse - inverse @ cells @ inverse
    of_replicate = freedom[REPLICATE] / expected - replicate / expected**2
    of_residual = freedom[RESIDUAL] / theta[RESIDUAL] - residual / theta[RESIDUAL] ** 2
    of_systems = float(np.diagonal(away) @ squares.shares)
    slope = [
        away.sum(),
        np.trace(away),
        squares.queries * of_replicate,
        of_systems + of_replicate + of_residual,
    ]
    return float(value), np.array(slope)


def _information(squares: Squares, theta: np.ndarray) -> np.ndarray:
    """Return the expected information of the four variances."""
    freedom, systems = squares.freedom, len(squares.sizes)
    sigma, expected = _parts(squares, theta)
    inverse = np.linalg.inv(sigma)
    # the slopes of the covariance matrix of the systems' means
    slopes = {
        QUERY: np.ones((systems, systems)),
        SYSTEM_QUERY: np.eye(systems),
        RESIDUAL: np.diag(squares.shares),
    }
    turned = {part: inverse @ matrix for part, matrix in slopes.items()}
    information = np.zeros((4, 4))
    for (one, left), (two, right) in itertools.product(turned.items(), repeat=2):
        information[one, two] = freedom[QUERY] * (left * right.T).sum()
    slope = np.array([0.0, 0.0, squares.queries, 1.0])  # of the expected mean square of replicates
    information += freedom[REPLICATE] / expected**2 * np.outer(slope, slope)
    information[RESIDUAL, RESIDUAL] += freedom[RESIDUAL] / theta[RESIDUAL] ** 2
    return information / 2
