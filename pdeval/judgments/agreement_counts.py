"""Agreement from tallies: what each query adds to a coefficient, so that all queries or resamples are answered at once.

Every coefficient is a function of sums over items. The sums of each unit (a query, or an item) are one row of a sparse
table; a resample of units is a weighted sum of its rows, and a query alone is a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from pdeval.judgments.kappas import Coefficient, Kappa, coefficient, corrected, mean_of_pairs, pairs
from pdeval.judgments.labels import Labels

CELLS = 1 << 22  # numbers of the largest temporary array
Scale = Literal["nominal", "ordinal", "interval", "linear", "quadratic"]
Value = Callable[[np.ndarray], np.ndarray]


class Tally(NamedTuple):
    """The sums of every unit, one row each, and the coefficient that sums give: (rows, sums) to (3, rows)."""

    sums: Any
    value: Value


def items_tally(part: Labels, unit: np.ndarray, *, chance: bool = True) -> Tally:
    """Return the sums of agreement within items and of labels: Scott's pi, Fleiss' kappa, observed agreement."""
    from scipy.sparse import csr_matrix, hstack

    counts = part.counts()
    size = np.asarray(counts.sum(axis=1)).ravel()
    agreed = (np.asarray(counts.multiply(counts).sum(axis=1)).ravel() - size) / (size * (size - 1))
    own = unit[np.unique(part.item)]
    members = csr_matrix((np.ones(len(own)), (own, np.arange(len(own)))), shape=(unit.max(initial=-1) + 1, len(own)))
    both = csr_matrix(members @ np.column_stack([np.ones(len(own)), agreed]))
    return Tally(hstack([both, members @ counts]).tocsr(), partial(_from_items, chance=chance))


def _from_items(sums: np.ndarray, *, chance: bool) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        agreed = sums[:, 1] / sums[:, 0]
        given = sums[:, 2:]
        expected = np.square(given / given.sum(axis=1, keepdims=True)).sum(axis=1)
    if not chance:
        return np.stack([agreed, np.full_like(agreed, np.nan), agreed])
    return np.stack([agreed, expected, corrected(agreed, expected)])


def pairs_tally(part: Labels, unit: np.ndarray, *, scale: Scale = "nominal") -> Tally:
    """Return the tables of counts of every two assessors: Cohen's kappa, weighted or not, as a mean over pairs."""
    from scipy.sparse import csr_matrix

    number, people = len(part.values), int(part.assessor.max(initial=-1)) + 1
    units = int(unit.max(initial=-1)) + 1
    found = []
    for one, two in _within_items(part):
        ahead = part.assessor[one] < part.assessor[two]
        one, two = one[ahead], two[ahead]
        pair = part.assessor[one].astype(np.int64) * people + part.assessor[two]
        cell = (pair * number + part.label[one]) * number + part.label[two]
        found.append(np.unique(unit[part.item[one]] * np.int64(people**2 * number**2) + cell, return_counts=True))
    key = np.concatenate([keys for keys, _ in found]) if found else np.zeros(0, dtype=np.int64)
    count = np.concatenate([counts for _, counts in found]) if found else key
    row, cell = np.divmod(key, max(people**2 * number**2, 1))
    met, pair = np.unique(cell // max(number**2, 1), return_inverse=True)
    column = pair * number**2 + cell % max(number**2, 1)
    sums = csr_matrix((count.astype(np.float64), (row, column)), shape=(units, max(len(met) * number**2, 1)))
    return Tally(sums, partial(_from_pairs, apart=_weights(scale, part.values)))


def _from_pairs(sums: np.ndarray, *, apart: np.ndarray) -> np.ndarray:
    number = len(apart)
    tables = sums[:, : sums.shape[1] // number**2 * number**2].reshape(len(sums), -1, number, number)
    rows, columns = tables.sum(axis=3), tables.sum(axis=2)
    items = rows.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        agreed = 1 - np.einsum("upij,ij->up", tables, apart) / items
        expected = 1 - np.einsum("upi,ij,upj->up", rows, apart, columns) / np.square(items)
    values = corrected(agreed, expected)
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        means = [np.where(defined, one, 0.0).sum(axis=1) / defined.sum(axis=1) for one in (agreed, expected, values)]
    return np.stack(means)


def coincidences_tally(part: Labels, unit: np.ndarray, *, scale: Scale) -> Tally:
    """Return the coincidences of labels within items: Krippendorff's alpha."""
    from scipy.sparse import csr_matrix

    number, units = len(part.values), int(unit.max(initial=-1)) + 1
    size = np.bincount(part.item)
    sums = csr_matrix((units, max(number**2, 1)))
    for one, two in _within_items(part):
        cell = part.label[one].astype(np.int64) * number + part.label[two]
        weight = 1.0 / (size[part.item[one]] - 1)
        sums = sums + csr_matrix((weight, (unit[part.item[one]], cell)), shape=sums.shape)
    return Tally(sums.tocsr(), partial(_from_coincidences, scale=scale, values=part.values))


def _from_coincidences(sums: np.ndarray, *, scale: Scale, values: np.ndarray) -> np.ndarray:
    coincide = sums.reshape(len(sums), len(values), len(values))
    given = coincide.sum(axis=2)
    total = given.sum(axis=1)
    used = (given > 0)[:, :, None] & (given > 0)[:, None, :]
    place = np.broadcast_to(values, given.shape)
    if scale == "ordinal":  # a label stands at the middle of those given up to it
        place = np.cumsum(given, axis=1) - given / 2
    apart = np.square(place[:, :, None] - place[:, None, :]) if scale != "nominal" else 1.0 - np.eye(len(values))
    apart = np.where(used, apart, 0.0)
    largest = apart.max(axis=(1, 2), initial=0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        agreed = 1 - (coincide * apart).sum(axis=(1, 2)) / total / largest
        expected = 1 - np.einsum("ui,uij,uj->u", given, apart, given) / (total * (total - 1)) / largest
    # one label only: nothing to agree about
    agreed, expected = (np.where((largest == 0) & (total > 0), 1.0, one) for one in (agreed, expected))
    return np.stack([agreed, expected, corrected(agreed, expected)])


TALLIES: dict[str, Callable[[Labels, np.ndarray], Tally]] = {
    "observed": partial(items_tally, chance=False),
    "scott": items_tally,
    "fleiss": items_tally,
    "cohen": pairs_tally,
    **{f"alpha_{scale}": partial(coincidences_tally, scale=scale) for scale in ("nominal", "ordinal", "interval")},
}


def weighted(labels: Labels, scale: Scale) -> Kappa:
    """Return the kappa of pairs of assessors in which labels that are near each other disagree less."""
    return mean_of_pairs(pairs(labels, _weights(scale, labels.values)))


for _scale in ("linear", "quadratic"):
    _says = f"Cohen's kappa with {_scale} weights, as a mean over the pairs of assessors for which it is defined"
    coefficient(f"cohen_{_scale}", says=_says, scaled=True)(partial(weighted, scale=_scale))
    TALLIES[f"cohen_{_scale}"] = partial(pairs_tally, scale=_scale)


def of_each_unit(one: Coefficient, labels: Labels, unit: np.ndarray) -> np.ndarray:
    """Return a coefficient of every unit: three rows, observed, expected and value; one column per unit.

    Parameters
    ----------
    unit : array of shape (items,)
        The unit of each item: its query.

    Examples
    --------
    >>> from pdeval.judgments.kappas import COEFFICIENTS
    >>> labels = Labels(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1]), np.array([0.0, 1.0]))
    >>> of_each_unit(COEFFICIENTS["observed"], labels, np.array([0, 1]))[2].tolist()
    [1.0, 0.0]
    """
    units = int(unit.max(initial=-1)) + 1
    part = one.counted(labels)
    if one.name not in TALLIES:  # declared elsewhere: one after the other
        own = unit[labels.item]
        return np.array([one.function(labels.take(np.flatnonzero(own == at))) for at in range(units)]).T.reshape(3, -1)
    sums, value = TALLIES[one.name](part, unit)
    step = max(CELLS // max(sums.shape[1], 1), 1)
    parts = [value(sums[low : low + step].toarray()) for low in range(0, units, step)]
    return np.concatenate(parts, axis=1) if parts else np.empty((3, 0))


def resampled(one: Coefficient, labels: Labels, unit: np.ndarray, draws: int, seed: int | None) -> np.ndarray:
    """Return the values of a coefficient on resamples of the units with replacement; NaN where one is undefined.

    Examples
    --------
    >>> from pdeval.judgments.kappas import COEFFICIENTS
    >>> labels = Labels(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1]), np.array([0.0, 1.0]))
    >>> sorted(set(resampled(COEFFICIENTS["observed"], labels, np.array([0, 1]), 50, 0).tolist()))
    [0.0, 0.5, 1.0]
    """
    units = int(unit.max(initial=-1)) + 1
    rng = np.random.default_rng(seed)
    part = one.counted(labels)
    sums, value = TALLIES[one.name](part, unit) if one.name in TALLIES else (None, None)
    width = max(units, 1 if sums is None else sums.shape[1])
    step = max(CELLS // width, 1)
    found = []
    for low in range(0, draws, step):
        often = rng.multinomial(units, np.full(units, 1 / units), size=min(step, draws - low))
        if sums is None or value is None:
            found += [one.function(_repeated(labels, unit, times)).kappa for times in often]
        else:
            found += value(np.asarray((sums.T @ often.T.astype(np.float64)).T))[2].tolist()
    return np.array(found)


def interval(values: np.ndarray, confidence: float, units: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the expanded percentile interval of resampled values along axis 0; those that are undefined do not count.

    Plain percentiles are too narrow where few units were drawn: resamples vary less than samples by (n - 1) / n, and
    know their own spread. The tails are those at which the interval of a mean would be Student's (Hesterberg 2015,
    What teachers should know about the bootstrap, section 5.2).

    Examples
    --------
    >>> [round(float(end), 1) for end in interval(np.arange(1001.0), 0.95, units=1000)]  # nearly the plain 25 and 975
    [24.8, 975.2]
    >>> [round(float(end), 1) for end in interval(np.arange(1001.0), 0.95, units=10)]
    [8.6, 991.4]
    """
    from scipy import special

    wider = np.sqrt(units / (units - 1)) * special.stdtrit(units - 1, (1 - confidence) / 2)
    tail = float(special.ndtr(wider))
    empty = np.isnan(values).all(axis=0)
    low, high = np.nanquantile(np.where(empty, 0.0, values), [tail, 1 - tail], axis=0)
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)


def _repeated(labels: Labels, unit: np.ndarray, times: np.ndarray) -> Labels:
    """Return the labels of a resample, an item that was drawn twice as two items."""
    often = times[unit[labels.item]]
    rows = np.repeat(np.arange(len(often)), often)
    copy = np.arange(len(rows)) - np.repeat(np.cumsum(often) - often, often)
    taken = labels.take(rows)
    return taken._replace(item=np.unique(taken.item * (int(times.max()) + 1) + copy, return_inverse=True)[1])


def _within_items(part: Labels) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield all ordered pairs of two labels of an item, as places in the table; a block of items at a time."""
    order = np.argsort(part.item, kind="stable")
    size = np.bincount(part.item)
    start = np.cumsum(size) - size
    block = (np.cumsum(size * size) - size * size) // CELLS
    for low, high in zip(*_edges(block)):
        entry = np.arange(start[low], start[high - 1] + size[high - 1])
        often = size[part.item[order[entry]]]
        one = np.repeat(entry, often)
        within = np.arange(len(one)) - np.repeat(np.cumsum(often) - often, often)
        two = start[part.item[order[one]]] + within
        other = one != two
        yield order[one[other]], order[two[other]]


def _edges(block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where blocks of equal numbers start and end."""
    new = np.flatnonzero(np.diff(block, prepend=-1))
    return new, np.append(new[1:], len(block))


def _weights(scale: Scale, values: np.ndarray) -> np.ndarray:
    """Return how much two labels disagree, from 0 to 1."""
    if scale == "nominal":
        return 1.0 - np.eye(len(values))
    apart = np.abs(values[:, None] - values) ** (2 if scale == "quadratic" else 1)
    return apart / (apart.max(initial=0.0) or 1.0)
