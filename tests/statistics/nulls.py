"""Five distributions of scores under which no run is better: what tests are held against.

The runs of a query are exchangeable, so that differences are symmetric about 0, which is the null hypothesis of every
paired test here; two buckets are two samples from one distribution.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def _bounded(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Values as of average precision: three in ten are 0, the others skewed in [0, 1]."""
    return np.where(rng.random(shape) < 0.3, 0.0, rng.beta(0.8, 2.0, shape))


NULLS: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "lognormal": lambda rng, shape: np.exp(rng.normal(size=shape)),
    "discrete": lambda rng, shape: rng.integers(0, 4, shape) / 10,
    "t3": lambda rng, shape: rng.standard_t(3, shape),
    "bounded": _bounded,
}
MEANS = {
    "normal": 0.0,
    "lognormal": np.exp(0.5),
    "discrete": 0.15,
    "t3": 0.0,
    "bounded": 0.7 * 0.8 / 2.8,
}
RATES = {"rate .05": 0.05, "rate .2": 0.2, "rate .5": 0.5, "rate .8": 0.8, "rate .95": 0.95}


def scores(rng: np.random.Generator, null: str, shape: tuple[int, int, int]) -> np.ndarray:
    """Return tables of shape (cases, queries, runs): some queries are harder, no run is better."""
    harder = 1.0 if null == "discrete" else rng.uniform(0.5, 1.0, (*shape[:2], 1))
    return NULLS[null](rng, shape) * harder


def medians(null: str) -> float:
    """Return the median of a distribution."""
    if null == "bounded":  # above 0, of 0.7 of the values: the 2/7 quantile of the beta
        from scipy.stats import beta

        return float(beta.ppf(0.2 / 0.7, 0.8, 2.0))
    return {"normal": 0.0, "lognormal": 1.0, "t3": 0.0, "discrete": 0.15}[null]
