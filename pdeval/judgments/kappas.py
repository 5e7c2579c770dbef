"""Chance-corrected agreement: arithmetic on labels as codes, for all assessors together or for every pair at once.

Every coefficient is (observed - expected) / (1 - expected) agreement; they differ in what is expected by chance. One
is declared where it is written, and the verbs and their tables know it:

    @coefficient("scott", pair_chance="pooled")
    def pooled(labels: Labels) -> Kappa: ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from pdeval.judgments.labels import Labels
from pdeval.tables.equal_values import NOISE
from pdeval.verbs.registry import Registry, first_line

Chance = Literal["none", "own", "pooled"]


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
        said = says or first_line(function).removeprefix("Return ").removesuffix(".")
        COEFFICIENTS.add(name, Coefficient(name, function, said, scaled, even, pair_chance))
        return function

    return declare


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
    total = counts.sum()
    own, both = _expected(counts.sum(axis=1), counts.sum(axis=0), total)
    expected = both if marginals == "pooled" else own
    with np.errstate(invalid="ignore", divide="ignore"):
        agreed = np.trace(counts) / np.float64(total)
    return Kappa(float(agreed), float(expected), float(corrected(agreed, expected)))


@coefficient("observed", pair_chance="none")
def observed(labels: Labels) -> Kappa:
    """Return the share of agreeing pairs of labels of an item, averaged over items: not corrected for chance."""
    found = pooled(labels).observed
    return Kappa(found, np.nan, found)


@coefficient("scott", pair_chance="pooled")
def pooled(labels: Labels) -> Kappa:
    """Return Scott's pi, for any number of labels an item: chance agreement from the shares of all labels pooled.

    Observed is the share of agreeing pairs of labels of an item, averaged over items. With equally many labels for
    every item this is Fleiss' kappa (Fleiss 1971).
    """
    part = labels.paired()
    if not len(part.item):
        return UNDEFINED
    counts = part.counts()
    size = np.asarray(counts.sum(axis=1)).ravel()
    same = np.asarray(counts.multiply(counts).sum(axis=1)).ravel() - size
    agreed = float(np.mean(same / (size * (size - 1))))
    expected = float(np.sum((np.bincount(part.label) / len(part.label)) ** 2))
    return Kappa(agreed, expected, float(corrected(agreed, expected)))


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
    return Kappa(*(float(np.mean(column[defined])) for column in (two["observed"], two["own"], values)))


@coefficient("fleiss", even=True)
def fleiss(labels: Labels) -> Kappa:
    """Return Fleiss' kappa from statsmodels, over the items with the most common number of labels."""
    part = labels.even()
    found = pooled(part)
    if np.isnan(found.kappa):
        return found
    from statsmodels.stats.inter_rater import fleiss_kappa

    return found._replace(kappa=float(fleiss_kappa(part.counts().toarray())))


def alpha(labels: Labels, scale: str) -> Kappa:
    """Return Krippendorff's alpha from the coincidences of labels within items (Krippendorff 2011).

    Agreement is 1 minus the disagreement as a share of the largest between two labels that were given, so that
    (observed - expected) / (1 - expected) is alpha on every scale.
    """
    part = labels.paired()
    if not len(part.item):
        return UNDEFINED
    counts = part.counts()
    size = np.asarray(counts.sum(axis=1)).ravel()
    weighted = counts.multiply(1 / (size - 1)[:, None]).tocsr()
    coincide = (counts.T @ weighted).toarray() - np.diag(np.asarray(weighted.sum(axis=0)).ravel())
    given = coincide.sum(axis=1)
    total = given.sum()
    apart = _apart(scale, given, part.values)
    largest = apart.max()
    if largest == 0:  # one label only: nothing to agree about
        return Kappa(1.0, 1.0, np.nan)
    agreed = 1 - (coincide * apart).sum() / total / largest
    expected = 1 - given @ apart @ given / (total * (total - 1)) / largest
    return Kappa(float(agreed), float(expected), float(corrected(agreed, expected)))


for _scale in ("nominal", "ordinal", "interval"):
    coefficient(f"alpha_{_scale}", says=f"Krippendorff's alpha on the {_scale} scale", scaled=_scale != "nominal")(
        partial(alpha, scale=_scale)
    )


def _apart(scale: str, given: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return how far apart two labels are; 0 for labels that were never given."""
    used = (given > 0)[:, None] & (given > 0)
    if scale == "nominal":
        return (~np.eye(len(given), dtype=bool) & used).astype(np.float64)
    place = np.cumsum(given) - given / 2 if scale == "ordinal" else values
    return np.where(used, np.square(place[:, None] - place), 0.0)


def pairs(labels: Labels, apart: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """Return, for the pairs of assessors with items in common: items, observed and both expected agreements.

    Keys: a, b (assessor codes, a < b), items, observed, own (Cohen's chance agreement), pooled (Scott's). With `apart`,
    how much two labels disagree from 0 to 1, observed and own are those of a weighted kappa.
    """
    from scipy.sparse import csr_matrix

    n_labels, n_assessors = len(labels.values), int(labels.assessor.max(initial=-1)) + 1
    n_items = int(labels.item.max(initial=-1)) + 1
    given = csr_matrix(
        (np.ones(len(labels.item)), (labels.assessor * n_labels + labels.label, labels.item)),
        shape=(n_assessors * n_labels, n_items),
    )
    # (assessor, label) x (assessor, label): the tables of counts of all pairs at once
    tables = (given @ given.T).tocoo()
    a, first = np.divmod(tables.row.astype(np.int64), max(n_labels, 1))
    b, second = np.divmod(tables.col.astype(np.int64), max(n_labels, 1))
    upper = a < b
    a, b, first, second, count = a[upper], b[upper], first[upper], second[upper], tables.data[upper]
    keys, pair = np.unique(a * np.int64(n_assessors) + b, return_inverse=True)
    shape = (len(keys), n_labels)
    rows = np.bincount(pair * n_labels + first, count, minlength=len(keys) * n_labels).reshape(shape)
    columns = np.bincount(pair * n_labels + second, count, minlength=len(keys) * n_labels).reshape(shape)
    items = rows.sum(axis=1)
    own, both = _expected(rows, columns, items)
    if apart is None:
        agreed = np.bincount(pair, count * (first == second), minlength=len(keys)) / items
    else:
        agreed = 1 - np.bincount(pair, count * apart[first, second], minlength=len(keys)) / items
        own = 1 - ((rows @ apart) * columns).sum(axis=1) / np.square(items)
    return {
        "a": keys // max(n_assessors, 1),
        "b": keys % max(n_assessors, 1),
        "items": items.astype(np.int64),
        "observed": agreed,
        "own": own,
        "pooled": both,
    }


def corrected(observed: np.ndarray | float, expected: np.ndarray | float) -> np.ndarray:
    """Return (observed - expected) / (1 - expected); NaN where chance alone agrees always."""
    spare = 1.0 - np.asarray(expected, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        # a spare of 1e-16 is rounding: one label for everything
        return np.where(spare > NOISE, (observed - np.asarray(expected)) / spare, np.nan)


def _expected(rows: np.ndarray, columns: np.ndarray, total: np.ndarray | np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Return chance agreement from each one's own label shares, and from both pooled."""
    with np.errstate(invalid="ignore", divide="ignore"):
        own = (rows * columns).sum(axis=-1) / np.square(total)
        return own, np.square(rows + columns).sum(axis=-1) / np.square(2 * total)
