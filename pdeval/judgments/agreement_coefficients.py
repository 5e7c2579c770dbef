"""Coefficients of agreement: of all labels, of every pair of assessors, and of every query or bootstrap sample.

The arithmetic is on labels as codes. Every coefficient is a function of sums over items, so the sums of each unit (a
query, or an item) are one row of a sparse table (a tally): the coefficient of all units takes one call, and that of a
bootstrap sample is a function of the same sums, weighted by how often each unit was drawn.

References
----------
Scott (1955); Cohen (1960), as a mean over pairs of assessors by Light (1971); Fleiss (1971), from statsmodels;
Krippendorff (2011), Computing Krippendorff's alpha-reliability; Cohen (1968) for weighted kappas; Hesterberg (2015) for
the interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from pdeval.join.lists import ranges
from pdeval.judgments.labels import Labels, sparse
from pdeval.tables.equal_values import NOISE
from pdeval.verbs.arguments import TooFew

Chance = Literal["none", "own", "pooled"]
Scale = Literal["nominal", "ordinal", "interval", "linear", "quadratic"]
Tally: TypeAlias = tuple[Any, Callable[[np.ndarray], np.ndarray]]
CELLS = 1 << 22  # numbers of the largest temporary array


class Kappa(NamedTuple):
    """Observed agreement, agreement expected by chance, and the chance-corrected coefficient."""

    observed: float
    expected: float
    kappa: float


UNDEFINED = Kappa(np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class Coefficient:
    """One declared coefficient.

    Parameters
    ----------
    name : str
        Name of the coefficient.
    function : callable
        Returns the agreement of all assessors together, from the labels of the items that count.
    description : str
        Description in one line.
    scaled : bool
        Whether labels must be ordered.
    even : bool
        Whether only items with the most common number of labels count, instead of all with at least two.
    pair_chance : {'none', 'own', 'pooled'}, optional
        Chance agreement of two assessors; None if the coefficient is not defined for pairs.
    tally : callable, optional
        Returns the sums of every unit, one row each, and the function from sums (rows, sums) to the coefficient
        (3, rows), from the labels of the items that count and the unit of each item.
    """

    name: str
    description: str
    function: Callable[[Labels], Kappa]
    tally: Callable[[Labels, np.ndarray], Tally]
    scaled: bool = False
    even: bool = False
    pair_chance: Chance | None = None

    def counted(self, labels: Labels) -> Labels:
        """Return the labels that count."""
        return labels.even() if self.even else labels.paired()


def corrected(observed: np.ndarray | float, expected: np.ndarray | float) -> np.ndarray:
    """Return (observed - expected) / (1 - expected); NaN if the expected agreement is 1."""
    spare = 1.0 - np.asarray(expected, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        # 1 - expected of 1e-16 is rounding: all labels are equal
        return np.where(spare > NOISE, (observed - np.asarray(expected)) / spare, np.nan)


def observed(labels: Labels) -> Kappa:
    """Return the fraction of agreeing pairs of labels of an item, averaged over items, not corrected for chance."""
    agreed = pooled(labels).observed
    return Kappa(agreed, np.nan, agreed)


def pooled(labels: Labels) -> Kappa:
    """Return Scott's pi, for any number of labels per item: chance agreement from the pooled label frequencies.

    The observed agreement is the fraction of agreeing pairs of labels of an item, averaged over items. With the same
    number of labels for every item this is Fleiss' kappa (Fleiss 1971).
    """
    if not len(labels.item):
        return UNDEFINED
    agreed = float(np.mean(_agreeing_pairs(labels.counts())))
    expected = float(np.sum((np.bincount(labels.label) / len(labels.label)) ** 2))
    return Kappa(agreed, expected, float(corrected(agreed, expected)))


def _agreeing_pairs(counts: Any) -> np.ndarray:
    """Return the fraction of agreeing pairs of labels of each item, from items x labels."""
    size = np.asarray(counts.sum(axis=1)).ravel()
    same = np.asarray(counts.multiply(counts).sum(axis=1)).ravel() - size
    return np.asarray(same / (size * (size - 1)))


def cohen(labels: Labels, scale: Scale = "nominal") -> Kappa:
    """Return Cohen's kappa as a mean over the pairs of assessors for which it is defined (Light 1971).

    With a linear or quadratic scale, labels that are near each other disagree less (Cohen 1968).
    """
    two = pairs(labels, None if scale == "nominal" else _weights(scale, labels.values))
    values = corrected(two["observed"], two["own"])
    defined = ~np.isnan(values)
    if not defined.any():
        return UNDEFINED
    return Kappa(
        *(float(np.mean(column[defined])) for column in (two["observed"], two["own"], values))
    )


def fleiss(labels: Labels) -> Kappa:
    """Return Fleiss' kappa from statsmodels, over the items with the most common number of labels."""
    scott = pooled(labels)
    if np.isnan(scott.kappa):
        return scott
    from statsmodels.stats.inter_rater import fleiss_kappa

    return scott._replace(kappa=float(fleiss_kappa(labels.counts().toarray())))


def alpha(labels: Labels, scale: Scale) -> Kappa:
    """Return Krippendorff's alpha from the coincidences of labels within items (Krippendorff 2011).

    Agreement is 1 minus the disagreement divided by the largest disagreement of two labels, so
    (observed - expected) / (1 - expected) is alpha on every scale.
    """
    if not len(labels.item):
        return UNDEFINED
    counts = labels.counts()
    size = np.asarray(counts.sum(axis=1)).ravel()
    # each item adds its pairs of labels over (labels - 1); a label does not pair with itself
    weighted = counts.multiply(1 / (size - 1)[:, None]).tocsr()
    coincidence = (counts.T @ weighted).toarray() - np.diag(
        np.asarray(weighted.sum(axis=0)).ravel()
    )
    given = coincidence.sum(axis=1)
    total = given.sum()
    distance = _distances(scale, given, labels.values)
    largest = distance.max()
    if largest == 0:  # only one label: agreement is undefined
        return Kappa(1.0, 1.0, np.nan)
    agreed = 1 - (coincidence * distance).sum() / total / largest
    expected = 1 - given @ distance @ given / (total * (total - 1)) / largest
    return Kappa(float(agreed), float(expected), float(corrected(agreed, expected)))


def _distances(scale: Scale, given: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the distance of every two labels, (..., labels, labels); 0 for labels that were never given."""
    used = (given > 0)[..., :, None] & (given > 0)[..., None, :]
    if scale == "nominal":
        return np.where(used, 1.0 - np.eye(len(values)), 0.0)
    # on the ordinal scale a label is at the middle of those given up to it
    place = (
        np.cumsum(given, axis=-1) - given / 2
        if scale == "ordinal"
        else np.broadcast_to(values, given.shape)
    )
    return np.where(used, np.square(place[..., :, None] - place[..., None, :]), 0.0)


def _weights(scale: Scale, values: np.ndarray) -> np.ndarray:
    """Return how much two labels disagree, from 0 to 1."""
    if scale == "nominal":
        return 1.0 - np.eye(len(values))
    distance = np.abs(values[:, None] - values) ** (2 if scale == "quadratic" else 1)
    return distance / (distance.max(initial=0.0) or 1.0)


def pairs(labels: Labels, weights: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """Return, for the pairs of assessors with items in common: items, observed and both expected agreements.

    Keys: a, b (assessor codes, a < b), items, observed, and the agreement by chance: none, own (Cohen's), pooled
    (Scott's). With `weights`, how much two labels disagree from 0 to 1, observed and own are those of a weighted kappa.
    """
    n_labels, n_assessors = len(labels.values), int(labels.assessor.max(initial=-1)) + 1
    given = sparse(
        labels.assessor * n_labels + labels.label,
        labels.item,
        (n_assessors * n_labels, int(labels.item.max(initial=-1)) + 1),
    )
    # (assessor, label) x (assessor, label): the tables of counts of all pairs at once
    tables = (given @ given.T).tocoo()
    a, first = np.divmod(tables.row.astype(np.int64), max(n_labels, 1))
    b, second = np.divmod(tables.col.astype(np.int64), max(n_labels, 1))
    upper = a < b
    a, b, first, second, count = a[upper], b[upper], first[upper], second[upper], tables.data[upper]
    keys, pair = np.unique(a * np.int64(n_assessors) + b, return_inverse=True)
    # how often each assessor of a pair gave each label, (pairs, labels)
    rows, columns = (
        np.bincount(pair * n_labels + label, count, minlength=len(keys) * n_labels).reshape(
            len(keys), n_labels
        )
        for label in (first, second)
    )
    items = rows.sum(axis=1)
    own = (rows * columns).sum(axis=1) / np.square(items)
    agreed = np.bincount(pair, count * (first == second), minlength=len(keys)) / items
    if weights is not None:
        own = 1 - ((rows @ weights) * columns).sum(axis=1) / np.square(items)
        agreed = 1 - np.bincount(pair, count * weights[first, second], minlength=len(keys)) / items
    a, b = np.divmod(keys, max(n_assessors, 1))
    return {
        "a": a,
        "b": b,
        "items": items.astype(np.int64),
        "observed": agreed,
        "none": np.zeros(len(keys)),
        "own": own,
        "pooled": np.square(rows + columns).sum(axis=1) / np.square(2 * items),
    }


def items_tally(part: Labels, unit: np.ndarray, *, chance: bool = True) -> Tally:
    """Return the sums of agreement within items and of labels: Scott's pi, Fleiss' kappa, observed agreement."""
    from scipy.sparse import csr_matrix, hstack

    counts = part.counts()
    unit_of_item = unit[np.unique(part.item)]
    n_items = len(unit_of_item)
    # units x items: which items are those of a unit
    members = sparse(unit_of_item, np.arange(n_items), (count_units(unit), n_items))
    both = csr_matrix(members @ np.column_stack([np.ones(n_items), _agreeing_pairs(counts)]))
    return hstack([both, members @ counts]).tocsr(), partial(_from_items, chance=chance)


def _from_items(sums: np.ndarray, *, chance: bool) -> np.ndarray:
    # columns: items, agreement, then how often each label was given
    with np.errstate(invalid="ignore", divide="ignore"):
        agreed = sums[:, 1] / sums[:, 0]
        given = sums[:, 2:]
        expected = np.square(given / given.sum(axis=1, keepdims=True)).sum(axis=1)
    if not chance:
        return np.stack([agreed, np.full_like(agreed, np.nan), agreed])
    return np.stack([agreed, expected, corrected(agreed, expected)])


def pairs_tally(part: Labels, unit: np.ndarray, *, scale: Scale = "nominal") -> Tally:
    """Return the tables of counts of every two assessors: Cohen's kappa, weighted or not, as a mean over pairs."""
    n_labels, n_assessors = len(part.values), int(part.assessor.max(initial=-1)) + 1
    n_cells = n_assessors**2 * n_labels**2
    counted = []
    for one, two in _within_items(part):
        ahead = part.assessor[one] < part.assessor[two]
        one, two = one[ahead], two[ahead]
        pair = part.assessor[one].astype(np.int64) * n_assessors + part.assessor[two]
        cell = (pair * n_labels + part.label[one]) * n_labels + part.label[two]
        counted.append(
            np.unique(unit[part.item[one]] * np.int64(n_cells) + cell, return_counts=True)
        )
    key, count = (
        (np.concatenate(column) for column in zip(*counted))
        if counted
        else np.zeros((2, 0), dtype=np.int64)
    )
    # a key is (unit, pair of assessors, label, label) as one number
    row, cell = np.divmod(key, max(n_cells, 1))
    # columns only for the pairs of assessors that have an item in common
    met, pair = np.unique(cell // max(n_labels**2, 1), return_inverse=True)
    column = pair * n_labels**2 + cell % max(n_labels**2, 1)
    shape = (count_units(unit), max(len(met) * n_labels**2, 1))
    sums = sparse(row, column, shape, count.astype(np.float64))
    return sums, partial(_from_pairs, weights=_weights(scale, part.values))


def _from_pairs(sums: np.ndarray, *, weights: np.ndarray) -> np.ndarray:
    n_labels = len(weights)
    # (units, pairs of assessors, labels, labels)
    tables = sums[:, : sums.shape[1] // n_labels**2 * n_labels**2].reshape(
        len(sums), -1, n_labels, n_labels
    )
    rows, columns = tables.sum(axis=3), tables.sum(axis=2)
    items = rows.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        # u: units, p: pairs of assessors, i and j: their labels
        agreed = 1 - np.einsum("upij,ij->up", tables, weights) / items
        expected = 1 - np.einsum("upi,ij,upj->up", rows, weights, columns) / np.square(items)
        values = corrected(agreed, expected)
        defined = ~np.isnan(values)
        means = [
            np.where(defined, one, 0.0).sum(axis=1) / defined.sum(axis=1)
            for one in (agreed, expected, values)
        ]
    return np.stack(means)


def coincidences_tally(part: Labels, unit: np.ndarray, *, scale: Scale) -> Tally:
    """Return the coincidences of labels within items: Krippendorff's alpha."""
    n_labels = len(part.values)
    size = np.bincount(part.item)
    none = np.zeros(0, dtype=np.int64)
    sums = sparse(none, none, (count_units(unit), max(n_labels**2, 1)))
    for one, two in _within_items(part):
        cell = part.label[one].astype(np.int64) * n_labels + part.label[two]
        weight = 1.0 / (size[part.item[one]] - 1)
        sums = sums + sparse(unit[part.item[one]], cell, sums.shape, weight)
    return sums.tocsr(), partial(_from_coincidences, scale=scale, values=part.values)


def _from_coincidences(sums: np.ndarray, *, scale: Scale, values: np.ndarray) -> np.ndarray:
    coincidence = sums.reshape(len(sums), len(values), len(values))
    given = coincidence.sum(axis=2)
    total = given.sum(axis=1)
    distance = _distances(scale, given, values)
    largest = distance.max(axis=(1, 2), initial=0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        agreed = 1 - (coincidence * distance).sum(axis=(1, 2)) / total / largest
        expected = (
            1 - np.einsum("ui,uij,uj->u", given, distance, given) / (total * (total - 1)) / largest
        )
    # only one label: agreement is undefined
    agreed, expected = (
        np.where((largest == 0) & (total > 0), 1.0, one) for one in (agreed, expected)
    )
    return np.stack([agreed, expected, corrected(agreed, expected)])


DECLARED = (
    Coefficient(
        "observed",
        "fraction of agreeing pairs of labels of an item, averaged over items: not corrected for chance",
        observed,
        partial(items_tally, chance=False),
        pair_chance="none",
    ),
    Coefficient(
        "scott",
        "Scott's pi, for any number of labels per item: chance agreement from the pooled fractions of all labels",
        pooled,
        items_tally,
        pair_chance="pooled",
    ),
    Coefficient(
        "cohen",
        "Cohen's kappa as a mean over the pairs of assessors for which it is defined (Light 1971)",
        cohen,
        pairs_tally,
        pair_chance="own",
    ),
    Coefficient(
        "fleiss",
        "Fleiss' kappa from statsmodels, over the items with the most common number of labels",
        fleiss,
        items_tally,
        even=True,
    ),
    *(
        Coefficient(
            f"alpha_{scale}",
            f"Krippendorff's alpha on the {scale} scale",
            partial(alpha, scale=scale),
            partial(coincidences_tally, scale=scale),
            scaled=scale != "nominal",
        )
        for scale in ("nominal", "ordinal", "interval")
    ),
    *(
        Coefficient(
            f"cohen_{scale}",
            f"Cohen's kappa with {scale} weights, as a mean over the pairs of assessors for which it is defined",
            partial(cohen, scale=scale),
            partial(pairs_tally, scale=scale),
            scaled=True,
        )
        for scale in ("linear", "quadratic")
    ),
)
COEFFICIENTS = {one.name: one for one in DECLARED}


def count_units(unit: np.ndarray) -> int:
    """Return the number of units, from the unit of each item."""
    return int(unit.max(initial=-1)) + 1


def of_each_unit(one: Coefficient, labels: Labels, unit: np.ndarray) -> np.ndarray:
    """Return a coefficient of every unit: three rows, observed, expected and value; one column per unit.

    Parameters
    ----------
    unit : array of shape (items,)
        The unit of each item: its query.

    Examples
    --------
    >>> labels = Labels(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1]), np.array([0.0, 1.0]))
    >>> of_each_unit(COEFFICIENTS["observed"], labels, np.array([0, 1]))[2].tolist()
    [1.0, 0.0]
    """
    sums, value = one.tally(one.counted(labels), unit)
    step = max(CELLS // max(sums.shape[1], 1), 1)
    blocks = [value(sums[low : low + step].toarray()) for low in range(0, sums.shape[0], step)]
    return np.concatenate(blocks, axis=1) if blocks else np.empty((3, 0))


def resampled(
    one: Coefficient, labels: Labels, unit: np.ndarray, draws: int, seed: int | None
) -> np.ndarray:
    """Return the values of a coefficient on resamples of the units with replacement; NaN where one is undefined.

    Examples
    --------
    >>> labels = Labels(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1]), np.array([0.0, 1.0]))
    >>> sorted(set(resampled(COEFFICIENTS["observed"], labels, np.array([0, 1]), 50, 0).tolist()))
    [0.0, 0.5, 1.0]
    """
    sums, value = one.tally(one.counted(labels), unit)
    blocks = resamples(sums.shape[0], draws, seed, sums.shape[1])
    values = [value(np.asarray((sums.T @ times.T.astype(np.float64)).T))[2] for times in blocks]
    return np.concatenate(values)


def resamples(units: int, draws: int, seed: int | None, width: int = 1) -> Iterator[np.ndarray]:
    """Yield how often each unit is drawn, (bootstrap samples, units), in blocks that leave room for `width` columns."""
    rng = np.random.default_rng(seed)
    step = max(CELLS // max(units, width), 1)
    for low in range(0, draws, step):
        yield rng.multinomial(units, np.full(units, 1 / units), size=min(step, draws - low))


def check_units(units: int, what: str, hint: str = "") -> None:
    """Raise unless there are two units to draw."""
    if units < 2:
        plural = "queries" if what == "query" else "items"
        raise TooFew(
            f"the bootstrap draws {plural} with replacement, but there is only one {what}.{hint}"
        )


def interval(values: np.ndarray, confidence: float, units: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the expanded percentile interval of bootstrap values along axis 0, without undefined values.

    Plain percentiles are too narrow for few units: the variance of bootstrap samples is smaller by (n - 1) / n, and the
    variance is estimated. The tails are those of Student's interval of a mean (Hesterberg 2015,
    What teachers should know about the bootstrap, section 5.2).

    Examples
    --------
    >>> [round(float(end), 1) for end in interval(np.arange(1001.0), 0.95, units=1000)]  # nearly the plain 25 and 975
    [24.8, 975.2]
    >>> [round(float(end), 1) for end in interval(np.arange(1001.0), 0.95, units=10)]
    [8.6, 991.4]
    """
    from scipy import special

    # percentiles of Student's interval, expanded for few units
    wider = np.sqrt(units / (units - 1)) * special.stdtrit(units - 1, (1 - confidence) / 2)
    tail = float(special.ndtr(wider))
    empty = np.isnan(values).all(axis=0)
    low, high = np.nanquantile(np.where(empty, 0.0, values), [tail, 1 - tail], axis=0)
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)


def _within_items(part: Labels) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield all ordered pairs of two labels of an item, as places in the table; a block of items at a time."""
    order = np.argsort(part.item, kind="stable")
    size = np.bincount(part.item)
    start = np.cumsum(size) - size
    # an item has size * size pairs; a block ends where the pairs so far pass a multiple of CELLS
    block = (np.cumsum(size * size) - size * size) // CELLS
    edges = np.flatnonzero(np.diff(block, prepend=-1))
    for low, high in zip(edges, np.append(edges[1:], len(block))):
        entry = np.arange(start[low], start[high - 1] + size[high - 1])
        often = size[part.item[order[entry]]]
        one = np.repeat(entry, often)
        two = ranges(start[part.item[order[entry]]], often)
        other = one != two
        yield order[one[other]], order[two[other]]
