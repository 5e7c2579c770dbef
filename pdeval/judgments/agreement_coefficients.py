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
from typing import Any, Literal, NamedTuple

import numpy as np

from pdeval.judgments.labels import Labels
from pdeval.tables.equal_values import NOISE
from pdeval.verbs.arguments import TooFew
from pdeval.verbs.registry import Registry, first_line

Chance = Literal["none", "own", "pooled"]
Scale = Literal["nominal", "ordinal", "interval", "linear", "quadratic"]
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
        What users call it.
    function : callable
        Returns the agreement of all assessors together, from the labels of the items that count.
    says : str
        What it is, in a line.
    scaled : bool
        Whether labels must be ordered.
    even : bool
        Whether only items with the most common number of labels count, instead of all with at least two.
    pair_chance : {'none', 'own', 'pooled'}, optional
        The agreement that it expects by chance of two assessors; None where it is not a coefficient of pairs.
    """

    name: str
    function: Callable[[Labels], Kappa]
    says: str
    scaled: bool = False
    even: bool = False
    pair_chance: Chance | None = None

    def counted(self, labels: Labels) -> Labels:
        """Return the labels that count."""
        return labels.even() if self.even else labels.paired()

    def of_pairs(self, two: dict[str, np.ndarray]) -> np.ndarray:
        """Return the coefficient of every pair of assessors, from `pairs`."""
        expected = 0.0 if self.pair_chance in (None, "none") else two[self.pair_chance]
        return corrected(two["observed"], expected)


COEFFICIENTS: Registry[Coefficient] = Registry(
    "coefficient", replace="never", taken="there is a coefficient {name!r} already."
)


def coefficient(
    name: str,
    *,
    says: str | None = None,
    scaled: bool = False,
    even: bool = False,
    pair_chance: Chance | None = None,
) -> Callable[[Callable[[Labels], Kappa]], Callable[[Labels], Kappa]]:
    """Declare a function of labels as a coefficient of agreement; see `Coefficient`.

    Parameters
    ----------
    says : str, optional
        What it is; by default the first line of the docstring, without its "Return".

    Examples
    --------
    >>> @coefficient("never")
    ... def never(labels: Labels) -> Kappa:
    ...     '''Return no agreement.'''
    ...     return Kappa(0.0, 0.0, 0.0)
    >>> COEFFICIENTS.pop("never").says
    'no agreement'
    """

    def declare(function: Callable[[Labels], Kappa]) -> Callable[[Labels], Kappa]:
        description = says or first_line(function).removeprefix("Return ").removesuffix(".")
        COEFFICIENTS.add(name, Coefficient(name, function, description, scaled, even, pair_chance))
        return function

    return declare


def corrected(observed: np.ndarray | float, expected: np.ndarray | float) -> np.ndarray:
    """Return (observed - expected) / (1 - expected); NaN where chance alone agrees always."""
    spare = 1.0 - np.asarray(expected, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        # a spare of 1e-16 is rounding: one label for everything
        return np.where(spare > NOISE, (observed - np.asarray(expected)) / spare, np.nan)


def kappa(confusion: np.ndarray, *, marginals: Literal["pooled", "own"] = "pooled") -> Kappa:
    """Return the kappa of two assessors from their table of counts.

    Parameters
    ----------
    confusion : array of shape (labels, labels)
        How many items got label i from the first and label j from the second assessor.
    marginals : {'pooled', 'own'}
        Chance agreement from both assessors' label shares pooled (Scott's pi, the kappa of
        Manning et al. 2008, section 8.5), or from each one's own shares (Cohen's kappa).

    Returns
    -------
    Kappa
        observed, expected, kappa. kappa is NaN where only one label, or nothing, was given.

    Examples
    --------
    >>> [round(value, 3) for value in kappa([[300, 20], [10, 70]])]
    [0.925, 0.665, 0.776]
    >>> round(kappa([[300, 20], [10, 70]], marginals="own").kappa, 3)
    0.776
    """
    counts = np.asarray(confusion, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise ValueError(
            f"kappa needs a square table of counts, found shape {counts.shape}: the same labels in rows and columns."
        )
    if marginals not in ("pooled", "own"):
        raise ValueError(f"marginals is 'pooled' or 'own', not {marginals!r}.")
    expected = _expected(counts.sum(axis=1), counts.sum(axis=0), counts.sum())[marginals]
    with np.errstate(invalid="ignore", divide="ignore"):
        agreed = np.trace(counts) / np.float64(counts.sum())
    return Kappa(float(agreed), float(expected), float(corrected(agreed, expected)))


def _expected(
    rows: np.ndarray, columns: np.ndarray, total: np.ndarray | np.float64
) -> dict[str, np.ndarray]:
    """Return chance agreement from the label shares of each assessor, and from those of both pooled."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "own": (rows * columns).sum(axis=-1) / np.square(total),
            "pooled": np.square(rows + columns).sum(axis=-1) / np.square(2 * total),
        }


@coefficient("observed", pair_chance="none")
def observed(labels: Labels) -> Kappa:
    """Return the share of agreeing pairs of labels of an item, averaged over items: not corrected for chance."""
    agreed = pooled(labels).observed
    return Kappa(agreed, np.nan, agreed)


@coefficient("scott", pair_chance="pooled")
def pooled(labels: Labels) -> Kappa:
    """Return Scott's pi, for any number of labels an item: chance agreement from the shares of all labels pooled.

    Observed is the share of agreeing pairs of labels of an item, averaged over items. With equally many labels for
    every item this is Fleiss' kappa (Fleiss 1971).
    """
    part = labels.paired()
    if not len(part.item):
        return UNDEFINED
    agreed = float(np.mean(_agreeing_pairs(part.counts())))
    expected = float(np.sum((np.bincount(part.label) / len(part.label)) ** 2))
    return Kappa(agreed, expected, float(corrected(agreed, expected)))


def _agreeing_pairs(counts: Any) -> np.ndarray:
    """Return the share of the pairs of labels of each item that agree, from items x labels."""
    size = np.asarray(counts.sum(axis=1)).ravel()
    same = np.asarray(counts.multiply(counts).sum(axis=1)).ravel() - size
    return np.asarray(same / (size * (size - 1)))


@coefficient("cohen", pair_chance="own")
def cohen(labels: Labels) -> Kappa:
    """Return Cohen's kappa as a mean over the pairs of assessors for which it is defined (Light 1971)."""
    return mean_of_pairs(pairs(labels))


def mean_of_pairs(two: dict[str, np.ndarray]) -> Kappa:
    """Return the mean over the pairs of assessors for which Cohen's kappa is defined."""
    values = corrected(two["observed"], two["own"])
    defined = ~np.isnan(values)
    if not defined.any():
        return UNDEFINED
    return Kappa(
        *(float(np.mean(column[defined])) for column in (two["observed"], two["own"], values))
    )


@coefficient("fleiss", even=True)
def fleiss(labels: Labels) -> Kappa:
    """Return Fleiss' kappa from statsmodels, over the items with the most common number of labels."""
    part = labels.even()
    scott = pooled(part)
    if np.isnan(scott.kappa):
        return scott
    from statsmodels.stats.inter_rater import fleiss_kappa

    return scott._replace(kappa=float(fleiss_kappa(part.counts().toarray())))


def alpha(labels: Labels, scale: Scale) -> Kappa:
    """Return Krippendorff's alpha from the coincidences of labels within items (Krippendorff 2011).

    Agreement is 1 minus the disagreement as a share of the largest between two labels that were given, so that
    (observed - expected) / (1 - expected) is alpha on every scale.
    """
    part = labels.paired()
    if not len(part.item):
        return UNDEFINED
    counts = part.counts()
    size = np.asarray(counts.sum(axis=1)).ravel()
    # each item adds its pairs of labels over (labels - 1); a label does not pair with itself
    weighted = counts.multiply(1 / (size - 1)[:, None]).tocsr()
    coincidence = (counts.T @ weighted).toarray() - np.diag(
        np.asarray(weighted.sum(axis=0)).ravel()
    )
    given = coincidence.sum(axis=1)
    total = given.sum()
    distance = _distances(scale, given, part.values)
    largest = distance.max()
    if largest == 0:  # one label only: nothing to agree about
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


_scale: Scale
for _scale in ("nominal", "ordinal", "interval"):
    coefficient(
        f"alpha_{_scale}",
        says=f"Krippendorff's alpha on the {_scale} scale",
        scaled=_scale != "nominal",
    )(partial(alpha, scale=_scale))


def weighted(labels: Labels, scale: Scale) -> Kappa:
    """Return the kappa of pairs of assessors in which labels that are near each other disagree less."""
    return mean_of_pairs(pairs(labels, _weights(scale, labels.values)))


for _scale in ("linear", "quadratic"):
    coefficient(
        f"cohen_{_scale}",
        says=f"Cohen's kappa with {_scale} weights, as a mean over the pairs of assessors for which it is defined",
        scaled=True,
    )(partial(weighted, scale=_scale))


def _weights(scale: Scale, values: np.ndarray) -> np.ndarray:
    """Return how much two labels disagree, from 0 to 1."""
    if scale == "nominal":
        return 1.0 - np.eye(len(values))
    distance = np.abs(values[:, None] - values) ** (2 if scale == "quadratic" else 1)
    return distance / (distance.max(initial=0.0) or 1.0)


def pairs(labels: Labels, weights: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """Return, for the pairs of assessors with items in common: items, observed and both expected agreements.

    Keys: a, b (assessor codes, a < b), items, observed, own (Cohen's chance agreement), pooled (Scott's). With
    `weights`, how much two labels disagree from 0 to 1, observed and own are those of a weighted kappa.
    """
    from scipy.sparse import csr_matrix

    n_labels, n_assessors = len(labels.values), int(labels.assessor.max(initial=-1)) + 1
    given = csr_matrix(
        (np.ones(len(labels.item)), (labels.assessor * n_labels + labels.label, labels.item)),
        shape=(n_assessors * n_labels, int(labels.item.max(initial=-1)) + 1),
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
    expected = _expected(rows, columns, items)
    if weights is None:
        agreed = np.bincount(pair, count * (first == second), minlength=len(keys)) / items
    else:
        agreed = 1 - np.bincount(pair, count * weights[first, second], minlength=len(keys)) / items
        expected["own"] = 1 - ((rows @ weights) * columns).sum(axis=1) / np.square(items)
    a, b = np.divmod(keys, max(n_assessors, 1))
    return {"a": a, "b": b, "items": items.astype(np.int64), "observed": agreed, **expected}


class Tally(NamedTuple):
    """The sums of every unit, one row each, and the coefficient that sums give: (rows, sums) to (3, rows)."""

    sums: Any
    value: Callable[[np.ndarray], np.ndarray]


def items_tally(part: Labels, unit: np.ndarray, *, chance: bool = True) -> Tally:
    """Return the sums of agreement within items and of labels: Scott's pi, Fleiss' kappa, observed agreement."""
    from scipy.sparse import csr_matrix, hstack

    counts = part.counts()
    unit_of_item = unit[np.unique(part.item)]
    n_items = len(unit_of_item)
    # units x items: which items are those of a unit
    members = csr_matrix(
        (np.ones(n_items), (unit_of_item, np.arange(n_items))), shape=(count_units(unit), n_items)
    )
    both = csr_matrix(members @ np.column_stack([np.ones(n_items), _agreeing_pairs(counts)]))
    return Tally(hstack([both, members @ counts]).tocsr(), partial(_from_items, chance=chance))


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
    from scipy.sparse import csr_matrix

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
    sums = csr_matrix(
        (count.astype(np.float64), (row, column)),
        shape=(count_units(unit), max(len(met) * n_labels**2, 1)),
    )
    return Tally(sums, partial(_from_pairs, weights=_weights(scale, part.values)))


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
    from scipy.sparse import csr_matrix

    n_labels = len(part.values)
    size = np.bincount(part.item)
    sums = csr_matrix((count_units(unit), max(n_labels**2, 1)))
    for one, two in _within_items(part):
        cell = part.label[one].astype(np.int64) * n_labels + part.label[two]
        weight = 1.0 / (size[part.item[one]] - 1)
        sums = sums + csr_matrix((weight, (unit[part.item[one]], cell)), shape=sums.shape)
    return Tally(sums.tocsr(), partial(_from_coincidences, scale=scale, values=part.values))


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
    # one label only: nothing to agree about
    agreed, expected = (
        np.where((largest == 0) & (total > 0), 1.0, one) for one in (agreed, expected)
    )
    return np.stack([agreed, expected, corrected(agreed, expected)])


TALLIES: dict[str, Callable[[Labels, np.ndarray], Tally]] = {
    "observed": partial(items_tally, chance=False),
    "scott": items_tally,
    "fleiss": items_tally,
    "cohen": pairs_tally,
    **{f"cohen_{scale}": partial(pairs_tally, scale=scale) for scale in ("linear", "quadratic")},
    **{
        f"alpha_{scale}": partial(coincidences_tally, scale=scale)
        for scale in ("nominal", "ordinal", "interval")
    },
}


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
    units = count_units(unit)
    if one.name not in TALLIES:  # declared elsewhere: one after the other
        parts = [
            labels.take(np.flatnonzero(unit[labels.item] == number)) for number in range(units)
        ]
        return np.array([one.function(part) for part in parts]).T.reshape(3, -1)
    sums, value = TALLIES[one.name](one.counted(labels), unit)
    step = max(CELLS // max(sums.shape[1], 1), 1)
    blocks = [value(sums[low : low + step].toarray()) for low in range(0, units, step)]
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
    units = count_units(unit)
    if one.name not in TALLIES:
        blocks = resamples(units, draws, seed)
        return np.array(
            [
                one.function(_repeated(labels, unit, times)).kappa
                for block in blocks
                for times in block
            ]
        )
    sums, value = TALLIES[one.name](one.counted(labels), unit)
    blocks = resamples(units, draws, seed, sums.shape[1])
    values = [value(np.asarray((sums.T @ times.T.astype(np.float64)).T))[2] for times in blocks]
    return np.concatenate(values) if values else np.zeros(0)


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
            f"the bootstrap draws {plural} with replacement, and there is one {what}.{hint}"
        )


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

    # percentiles of Student's interval, expanded for few units
    wider = np.sqrt(units / (units - 1)) * special.stdtrit(units - 1, (1 - confidence) / 2)
    tail = float(special.ndtr(wider))
    empty = np.isnan(values).all(axis=0)
    low, high = np.nanquantile(np.where(empty, 0.0, values), [tail, 1 - tail], axis=0)
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)


def _repeated(labels: Labels, unit: np.ndarray, times: np.ndarray) -> Labels:
    """Return the labels of a resample, an item that was drawn twice as two items."""
    often = times[unit[labels.item]]
    rows = np.repeat(np.arange(len(often)), often)
    # 0, 1, 2, ... within the copies of a row
    copy = np.arange(len(rows)) - np.repeat(np.cumsum(often) - often, often)
    taken = labels.take(rows)
    return taken._replace(
        item=np.unique(taken.item * (int(times.max()) + 1) + copy, return_inverse=True)[1]
    )


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
        within = np.arange(len(one)) - np.repeat(np.cumsum(often) - often, often)
        two = start[part.item[order[one]]] + within
        other = one != two
        yield order[one[other]], order[two[other]]
