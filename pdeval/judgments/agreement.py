"""Agreement of assessors: overall, by query and by pair of assessors; confusion matrices.

The arithmetic is on labels as codes. Every coefficient is a function of sums over items, so the sums of each unit (a
query, or an item) are one row of a sparse table (a tally): the coefficient of all units takes one call, and that of a
bootstrap sample is a function of the same sums, weighted by how often each unit was drawn.

References
----------
Scott (1955); Cohen (1960), as a mean over pairs of assessors by Light (1971); Fleiss (1971), from statsmodels;
Krippendorff (2011), Computing Krippendorff's alpha-reliability; Cohen (1968) for weighted kappas; Hesterberg (2015) for
the interval.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from pdeval.evaluate import bootstrap_counts, described_frame, option_columns
from pdeval.evaluate import coded as column_codes
from pdeval.join import ranges
from pdeval.judgments.labels import (
    Labels,
    coded,
    given,
    item_columns,
    query_column,
    role_columns,
    sparse,
    units_of,
)
from pdeval.kernels.primitives import share
from pdeval.tables import NOISE, Table, read, table, unique_values
from pdeval.tables import labels as repeated
from pdeval.verbs import TooFew, one_of, several, short_repr, special, verb

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


@dataclass(frozen=True, eq=False)
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
    # each item adds its pairs of labels over (labels - 1); a label does not pair with itself
    weighted = counts.multiply(1 / (np.asarray(counts.sum(axis=1)) - 1)).tocsr()
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
    unit_of_item = unit[unique_values(part.item)]
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
    return np.stack(
        [agreed, expected, corrected(agreed, expected)]
        if chance
        else [agreed, np.full_like(agreed, np.nan), agreed]
    )


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


COEFFICIENTS = {
    one.name: one
    for one in (
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
    return bootstrap_counts(units, draws, seed, max(CELLS // max(units, width), 1))


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


PAIRWISE = {name: one.pair_chance for name, one in COEFFICIENTS.items() if one.pair_chance}
MOST = 50  # largest number of different labels of a confusion matrix
REFERENCE = "reference"  # name of judgments that are used as the labels of an assessor


AGREEMENT = table(
    "agreement_of_assessors",
    "[by:any] coefficient items:int assessors:int labels:int observed:float expected:float value:float "
    "[ci_low:float ci_high:float]",
    "agreement of assessors",
    recognized_by="coefficient assessors observed expected value",
    row="coefficient",
    then=".report()",
    means={
        "by": "the group, under the name(s) of by=",
        "items": "number of items with at least two labels",
        "assessors": "number of assessors who labeled these items",
        "labels": "number of labels of these items",
        "observed": "observed agreement",
        "expected": "agreement expected by chance",
        "value": "(observed - expected) / (1 - expected); missing if all labels are equal",
        "ci_low": "lower limit of the bootstrap interval over queries or items, if draws > 0",
        "ci_high": "upper limit",
    },
    no_plot="it is a table to read: one row per coefficient",
)


table(
    "agreement_by_query",
    f"query items:int assessors:int labels:int [{' '.join(f'{name}:float' for name in COEFFICIENTS)}]",
    "agreement of assessors by query",
    recognized_by=f"query items assessors labels {'|'.join(COEFFICIENTS)}",
    row="query",
    then=".report()",
    sort="query",
    means={
        "items": "number of items with at least two labels",
        "assessors": "number of assessors who labeled these items",
        "labels": "number of labels of these items",
        **{name: one.description for name, one in COEFFICIENTS.items()},
    },
    no_plot="it is a table to read: one row per query",
)


table(
    "assessor_pairs",
    f"assessor_a assessor_b items:int {' '.join(f'{name}:float' for name in PAIRWISE)}",
    "agreement of pairs of assessors",
    recognized_by=f"items {' '.join(PAIRWISE)}",
    row="pair of assessors",
    sort="assessor_a assessor_b",
    means={
        "assessor_a": "the first assessor, under the name of the column",
        "assessor_b": "the second assessor",
        "items": "items that both labeled",
        **{name: COEFFICIENTS[name].description for name in PAIRWISE},
    },
    no_report="report the matrix: .agreement.pairs('cohen').ireval.report()",
    no_plot="draw the matrix: .agreement.pairs('cohen').ireval.plot()",
)


table(
    "confusions",
    "assessor reference:any label:any n:float fraction:fraction [ci_low:float ci_high:float]",
    "confusion of labels",
    recognized_by="reference label n fraction",
    row="assessor, label of the reference and label",
    sort="assessor reference label",
    then=".report(), .plot()",
    means={
        "assessor": "the assessor, under the caller's column name",
        "reference": "label of the reference: another assessor, judgments, or the true label of a model",
        "label": "label of the assessor",
        "n": "number of items with both labels; the expected number under a model",
        "fraction": "n divided by the number of items with this label of the reference; missing if there are none",
        "ci_low": "lower limit of the bootstrap interval of the fraction",
        "ci_high": "upper limit",
    },
)


@verb(on="labels", returns="agreement_of_assessors")
def agreement(
    labels: Table,
    coefficients: str | Sequence[str] | None = None,
    *,
    order: Sequence[object] | None = None,
    by: str | Sequence[str] | None = None,
    draws: int = 0,
    resample: Literal["query", "item"] | None = None,
    confidence: float = 0.95,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return the agreement of assessors beyond chance, by several coefficients.

    An item is a (query, doc), or a doc if the table has no queries. Rows without a label are ignored. Only items with
    at least two labels count.

    Parameters
    ----------
    coefficients : str or list of str, optional
        Any of "observed" (fraction of agreeing pairs of labels, mean over items), "scott" (chance from pooled label
        frequencies; for more than two assessors over all pairs of labels of an item), "cohen" (mean over the pairs of
        assessors for which it is defined: Light's kappa), "fleiss" (statsmodels; items with the most common number of
        labels), "alpha_nominal", "alpha_ordinal", "alpha_interval" (Krippendorff), "cohen_linear", "cohen_quadratic"
        (weighted: labels near each other disagree less). By default all that apply: the last four
        need ordered labels.
    order : list, optional
        Labels from lowest to highest; by default the order of numbers or of an ordered categorical. Labels that are
        not numbers have the values 0, 1, 2, ... on the interval scale.
    by : str or list of str, optional
        Column(s) to group by, such as the task.
    draws : int
        Number of bootstrap samples for the interval of each value; 0 for no interval.
    resample : {'query', 'item'}, optional
        Unit that is drawn with replacement: queries, because items of a query are dependent, or items. By default
        queries, if the table has them.
    confidence : float
        ... Percentile intervals, widened for few queries (Hesterberg 2015). Bootstrap samples in which a coefficient is
        undefined are left out.

    Notes
    -----
    For the two ordered alphas and the weighted kappas, agreement is 1 minus the disagreement divided by the largest
    possible disagreement. For Cohen's kappas, observed and expected agreement are means over pairs of assessors.

    Examples
    --------
    >>> labels = pd.DataFrame({"doc_id": [1, 1, 2, 2, 3, 3, 4, 4], "assessor": ["ann", "bob"] * 4,
    ...                        "label": [1, 1, 0, 0, 1, 0, 0, 0]})
    >>> labels.ireval.agreement(["scott", "cohen", "alpha_nominal"]).round(3)
         coefficient  items  assessors  labels  observed  expected  value
    0          scott      4          2       8      0.75     0.531  0.467
    1          cohen      4          2       8      0.75     0.500  0.500
    2  alpha_nominal      4          2       8      0.75     0.464  0.533
    """
    groups = [] if by is None else option_columns(by)
    if absent := [name for name in groups if name not in labels.frame.columns]:
        columns = ", ".join(map(str, labels.frame.columns))
        raise KeyError(f"no column {absent[0]!r} to split the labels by; the table has {columns}.")
    codes, _, ordered = coded(labels, order=order, by=groups)
    chosen = _chosen(coefficients, ordered)
    parts: list[tuple[dict[Any, Any], Labels]] = [({}, codes)]
    if groups:
        keys = given(labels)[groups]
        group = keys.groupby(groups, observed=True, sort=True).ngroup().to_numpy()
        parts = [
            (keys.iloc[row].to_dict(), codes.take(np.flatnonzero(group == group[row])))
            for row in np.unique(group, return_index=True)[1]  # the first row of each group
        ]
    names, attrs = [*groups, *AGREEMENT.required], role_columns(labels)
    rows = [{**ids, **_row(one, part)} for ids, part in parts for one in chosen]
    if draws or resample:
        unit, what = units_of(labels, codes, resample)
    if draws:
        names += ["ci_low", "ci_high"]
        attrs |= {"draws": draws, "confidence": confidence, "seed": seed, "resample": what}
        ends = [
            end
            for _, part in parts
            for end in _intervals(chosen, part, unit, what, draws, confidence, seed)
        ]
        rows = [row | end for row, end in zip(rows, ends, strict=True)]
    return described_frame(pd.DataFrame(rows, columns=names), attrs)


def _chosen(coefficients: str | Sequence[str] | None, ordered: bool) -> list[Coefficient]:
    """Return the coefficients by name; by default all that the labels allow."""
    if coefficients is None:
        return [one for one in COEFFICIENTS.values() if ordered or not one.scaled]
    names = [coefficients] if isinstance(coefficients, str) else list(coefficients)
    chosen = [COEFFICIENTS[one_of("coefficients", name, COEFFICIENTS)] for name in names]
    needing_order = [one.name for one in chosen if one.scaled]
    if needing_order and not ordered:
        raise ValueError(
            f"{needing_order[0]} requires ordered labels. Pass order=[lowest, ..., highest]."
        )
    return chosen


def _row(one: Coefficient, codes: Labels) -> dict[str, object]:
    """Return the columns of one coefficient."""
    part = one.counted(codes)
    return {
        "coefficient": one.name,
        "items": len(unique_values(part.item)),
        "assessors": len(unique_values(part.assessor)),
        "labels": len(part.item),
        **dict(zip(("observed", "expected", "value"), one.function(part), strict=True)),
    }


def _intervals(
    chosen: list[Coefficient],
    part: Labels,
    unit: np.ndarray,
    what: str,
    draws: int,
    confidence: float,
    seed: int | None,
) -> list[dict[str, object]]:
    """Return the bootstrap interval of each coefficient, all from the same samples."""
    units, new_unit = np.unique(unit[part.item], return_inverse=True)
    several_items = what == "query" and len(unique_values(part.item)) > 1
    check_units(len(units), what, " Resample items: resample='item'." if several_items else "")
    # units that the part has, numbered from 0, by item
    unit_of_item = np.zeros(int(part.item.max()) + 1, dtype=unit.dtype)
    unit_of_item[part.item] = new_unit
    ends = [
        interval(resampled(one, part, unit_of_item, draws, seed), confidence, len(units))
        for one in chosen
    ]
    return [{"ci_low": float(low), "ci_high": float(high)} for low, high in ends]


@verb(on="labels", returns="agreement_by_query", family="agreement", name="by_query")
def agreement_by_query(
    labels: Table,
    coefficients: str | Sequence[str] | None = None,
    *,
    order: Sequence[object] | None = None,
) -> pd.DataFrame:
    """Return the agreement of assessors on each query.

    Parameters
    ----------
    coefficients : str or list of str, optional
        Coefficients; see `agreement`. A value is missing if no item of the query has two labels, or if all labels are
        equal.
    order : list, optional
        Labels from lowest to highest; by default the order of numbers or of an ordered categorical.

    Examples
    --------
    >>> labels = pd.DataFrame({"query_id": list("1111222222"), "doc_id": list("aabbccddee"),
    ...                        "assessor": ["ann", "bob"] * 5, "label": [1, 1, 0, 0, 1, 0, 0, 0, 1, 1]})
    >>> labels.ireval.agreement.by_query(["observed", "cohen"]).round(3)
      query_id  items  assessors  labels  observed  cohen
    0        1      2          2       4     1.000    1.0
    1        2      3          2       6     0.667    0.4
    """
    codes, assessors, ordered = coded(labels, order=order)
    chosen = _chosen(coefficients, ordered)
    # items with one label count for no query
    query_of_item, _ = units_of(labels, codes, "query")
    part = codes.paired()
    ids = column_codes(given(labels)[labels.roles["query"]], "query")[1]
    query = query_of_item[part.item]
    # each assessor of a query once
    assessor_of_query = unique_values(query * max(len(assessors), 1) + part.assessor) // max(
        len(assessors), 1
    )
    counted = {
        "items": query_of_item[unique_values(part.item)],
        "assessors": assessor_of_query,
        "labels": query,
    }
    return described_frame(
        {
            labels.roles["query"]: repeated(ids, np.arange(len(ids))),
            **{name: np.bincount(queries, minlength=len(ids)) for name, queries in counted.items()},
            **{one.name: of_each_unit(one, codes, query_of_item)[2] for one in chosen},
        },
        role_columns(labels),
    )


@verb(
    on="labels",
    returns=("assessor_pairs", "matrix"),
    family="agreement",
    name="pairs",
)
def agreement_of_pairs(
    labels: Table, matrix: Literal["observed", "scott", "cohen"] | None = None
) -> pd.DataFrame:
    """Return the agreement of every two assessors who labeled an item in common.

    A kappa is missing if both assessors used the same label for all items.

    Parameters
    ----------
    matrix : {'observed', 'scott', 'cohen'}, optional
        Coefficient to return as a square frame, assessors in rows and columns; by default a table of all three.

    Examples
    --------
    >>> labels = pd.DataFrame({"doc_id": [1, 1, 2, 2, 3, 3, 4, 4], "assessor": ["ann", "bob"] * 4,
    ...                        "label": [1, 1, 0, 0, 1, 0, 0, 0]})
    >>> labels.ireval.agreement.pairs().round(3)
      assessor_a assessor_b  items  observed  scott  cohen
    0        ann        bob      4      0.75  0.467    0.5
    """
    codes, assessors, _ = coded(labels)
    two, name = pairs(codes), labels.roles["assessor"]
    values = {one: corrected(two["observed"], two[chance]) for one, chance in PAIRWISE.items()}
    if matrix is None:
        ids = {f"{name}_{side}": repeated(assessors, two[side]) for side in "ab"}
        return described_frame({**ids, "items": two["items"], **values}, role_columns(labels))
    square = np.full((len(assessors), len(assessors)), np.nan)
    # each pair from both sides
    square[two["a"], two["b"]] = square[two["b"], two["a"]] = values[matrix]
    np.fill_diagonal(square, 1.0)
    frame = pd.DataFrame(square, index=assessors.rename(name), columns=assessors.rename(name))
    return described_frame(frame, role_columns(labels))


@verb(on="labels", returns="confusions", family="agreement", name="confusion")
def confusion(
    labels: Table,
    reference: object,
    *,
    order: Sequence[object] | None = None,
    draws: int = 0,
    resample: Literal["query", "item"] | None = None,
    confidence: float = 0.95,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return the confusion of each assessor with a reference: counts and fractions of pairs of labels.

    Parameters
    ----------
    reference : assessor, list of assessors, or DataFrame
        Labels to compare with: those of an assessor of the table; of several assessors, each label of an item counting
        once; or judgments (query, doc, grade).
    order : list, optional
        Labels from lowest to highest; by default the order of numbers or of an ordered categorical.
    draws : int
        Number of bootstrap samples for the interval of each fraction; 0 for no interval.
    resample : {'query', 'item'}, optional
        Unit that is drawn with replacement; by default queries, if the table has them.

    Examples
    --------
    >>> labels = pd.DataFrame({"doc_id": list("aabbccdd"), "assessor": ["people", "llm"] * 4,
    ...                        "label": [1, 1, 0, 1, 1, 1, 0, 0]})
    >>> labels.ireval.agreement.confusion("people")
      assessor  reference  label  n  fraction
    0      llm          0      0  1       0.5
    1      llm          0      1  1       0.5
    2      llm          1      0  0       0.0
    3      llm          1      1  2       1.0
    """
    both, names = with_reference(labels, reference)
    codes, assessors, _ = coded(both, order=order)
    values = codes.names
    if len(values) > MOST:
        low, *_, high = values.tolist()
        raise ValueError(
            f"there are {len(values):,} different labels, e.g. {low!r} and {high!r}; a confusion has at "
            f"most {MOST}. Round them to grades first."
        )
    # which assessors are the reference, by code
    is_reference = np.isin(np.arange(len(assessors)), assessors.get_indexer(pd.Index(names)))
    one, two = _matched(codes, is_reference)
    if not len(one):
        raise ValueError(
            f"none of the {len(np.unique(codes.item)):,} items has a label of {' or '.join(map(repr, names[:3]))} and "
            "one of another assessor. Use the same item ids on both sides."
        )
    number = len(values)
    others = assessors[~is_reference]
    place = np.cumsum(~is_reference) - 1  # of an assessor among the others
    # (assessor, label of the reference, label) as one number
    cell = (place[codes.assessor[two]] * number + codes.label[one]) * number + codes.label[two]
    shape = (len(others), number, number)
    tables = np.bincount(cell, minlength=len(others) * number**2).reshape(shape)
    attrs = {**role_columns(labels), "reference": ", ".join(map(str, names))}
    frame = of_tables(tables, labels.roles["assessor"], others, values, attrs)
    if draws:
        unit, what = units_of(both, codes, resample)
        unit_of_pair = np.unique(unit[codes.item[one]], return_inverse=True)[1]
        check_units(int(unit_of_pair.max()) + 1, what)
        frame["ci_low"], frame["ci_high"] = interval(
            _resampled_shares(unit_of_pair, cell, shape, draws, seed),
            confidence,
            int(unit_of_pair.max()) + 1,
        )
        frame.attrs.update(draws=draws, confidence=confidence, seed=seed, resample=what)
    return frame


def _resampled_shares(
    unit: np.ndarray, cell: np.ndarray, shape: tuple[int, int, int], draws: int, seed: int | None
) -> np.ndarray:
    """Return the shares of bootstrap samples of the units, one row each."""
    units, size = int(unit.max()) + 1, int(np.prod(shape))
    sums = sparse(unit, cell, (units, size))
    tables = [
        np.asarray((sums.T @ times.astype(np.float64).T).T).reshape(-1, *shape)
        for times in resamples(units, draws, seed, size)
    ]
    fractions = [share(table, table.sum(axis=-1, keepdims=True), np.nan) for table in tables]
    return np.concatenate(fractions).reshape(draws, -1)


def of_tables(
    tables: np.ndarray, name: str, assessors: pd.Index, values: pd.Index, attrs: dict[str, Any]
) -> pd.DataFrame:
    """Return tables of counts (assessor, label of the reference, label) as a tidy frame with the fractions of rows."""
    who, first, second = (axis.ravel() for axis in np.indices(tables.shape))
    return described_frame(
        {
            name: repeated(assessors, who),
            "reference": repeated(values, first),
            "label": repeated(values, second),
            "n": tables.ravel(),
            "fraction": share(tables, tables.sum(axis=-1, keepdims=True), np.nan).ravel(),
        },
        attrs,
    )


def with_reference(labels: Table, reference: object) -> tuple[Table, list[object]]:
    """Return the labels together with those of the reference, and the names of the assessors of the reference.

    Examples
    --------
    >>> frame = pd.DataFrame({"doc_id": ["a"], "assessor": ["llm"], "label": [1]})
    >>> with_reference(read(frame, "labels"), "people")
    Traceback (most recent call last):
    KeyError: "no assessor 'people' among the labels; there are 'llm'."
    """
    if isinstance(reference, pd.DataFrame) or hasattr(reference, "_binding"):
        return _with_judgments(labels, read(reference, "qrels"))
    names = [reference] if isinstance(reference, str | tuple) else several("reference", reference)
    known = given(labels)[labels.roles["assessor"]].unique().tolist()
    if absent := [name for name in names if isinstance(name, np.ndarray) or name not in known]:
        examples = ", ".join(map(repr, known[:3])) + (
            f", ... ({len(known)} in all)" if len(known) > 3 else ""
        )
        raise KeyError(f"no assessor {absent[0]!r} among the labels; there are {examples}.")
    if set(known) <= set(names):
        raise ValueError(
            f"reference={short_repr(reference)} contains every assessor of the table. "
            "Remove at least one from it."
        )
    return labels, names


def _with_judgments(labels: Table, qrels: Table) -> tuple[Table, list[object]]:
    """Return the labels with judgments among them, as those of an assessor of their own."""
    query_column(labels)
    if (labels.column("assessor") == REFERENCE).any():
        raise ValueError(
            f"an assessor has the id {REFERENCE!r}, which is reserved for the judgments. Rename the assessor."
        )
    items, assessor, label = item_columns(labels), labels.roles["assessor"], labels.roles["label"]
    judged = qrels.frame[[qrels.roles[role] for role in ("query", "doc", "grade")]].set_axis(
        [*items, label], axis=1
    )
    for name in items:
        if pd.api.types.is_numeric_dtype(judged[name].dtype) != pd.api.types.is_numeric_dtype(
            labels.frame[name].dtype
        ):
            raise ValueError(
                f"{name!r} is {labels.frame[name].dtype} in the labels and {judged[name].dtype} in the "
                "judgments. Convert both with .astype(str)."
            )
    parts = [
        part[[*items, assessor, label]].astype(object)
        for part in (labels.frame, judged.assign(**{assessor: REFERENCE}))
    ]
    return Table("labels", pd.concat(parts, ignore_index=True).infer_objects(), labels.roles), [
        REFERENCE
    ]


def _matched(codes: Labels, is_reference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return every label of the reference with every other label of the same item, as row numbers."""
    theirs, others = (
        np.flatnonzero(mask[codes.assessor]) for mask in (is_reference, ~is_reference)
    )
    # sorted by item: the labels of an item are adjacent
    theirs = theirs[np.argsort(codes.item[theirs], kind="stable")]
    # start and end of the reference labels for the item of each other label
    low, high = (
        np.searchsorted(codes.item[theirs], codes.item[others], side=side)
        for side in ("left", "right")
    )
    often = high - low
    return theirs[ranges(low, often)], np.repeat(others, often)
