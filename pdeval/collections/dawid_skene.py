"""The model of Dawid and Skene (1979): every assessor errs in an own way; errors and true labels are found together.

Arithmetic on labels as codes; one sparse product per step of the EM algorithm, however many items and assessors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pdeval.collections.labelled import Labels

CLOSE = 1e-9  # the largest change of a probability in a step that counts as none


@dataclass(frozen=True, eq=False)
class Fit:
    """What the model says of items and assessors.

    Parameters
    ----------
    posterior : array of shape (items, labels)
        The probability of each label to be the true one.
    prevalence : array of shape (labels,)
        The share of each true label.
    errors : array of shape (assessors, true labels, labels)
        How often an assessor gives a label to items of a true one; rows of zeros where the assessor met none of it.
    log_likelihood : float
        Of the labels that were given.
    steps : int
        Steps of the EM algorithm.
    converged : bool
        Whether the last step changed no probability by more than `CLOSE`.
    """

    posterior: np.ndarray
    prevalence: np.ndarray
    errors: np.ndarray
    log_likelihood: float
    steps: int
    converged: bool

    @property
    def accuracy(self) -> np.ndarray:
        """How often each assessor gives the true label, true labels that the assessor met weighted by prevalence."""
        met = (self.errors.sum(axis=2) > 0) * self.prevalence
        right = np.einsum("akk,ak->a", self.errors, met)
        total = met.sum(axis=1)
        return np.divide(right, total, out=np.full(len(total), np.nan), where=total > 0)


def fitted(
    labels: Labels,
    assessors: int,
    *,
    steps: int = 1000,
    start: Fit | None = None,
    weight: np.ndarray | None = None,
) -> Fit:
    """Return the maximum likelihood fit of the model by the EM algorithm, from the vote shares of each item.

    Parameters
    ----------
    labels : Labels
        An assessor may have labelled an item more than once; each counts.
    assessors : int
        How many there are.
    steps : int
        The most steps to take.
    start : Fit, optional
        Where to start instead.
    weight : array of shape (items,), optional
        How often each item counts, as in a resample; once by default.

    Notes
    -----
    The first posterior is the share of each label among those of the item, as in the paper (its equation 3.1): a soft
    majority, the same in every run. Nothing is drawn at random.

    Examples
    --------
    >>> two_and_a_careless_one = Labels(np.repeat(np.arange(4), 3), np.tile([0, 1, 2], 4),
    ...                                 np.array([1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1]), np.array([0.0, 1.0]))
    >>> found = fitted(two_and_a_careless_one, 3)
    >>> found.posterior[:, 1].round(3).tolist(), found.accuracy.round(3).tolist()
    ([1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.5])
    """
    number = len(labels.values)
    given = _given(labels, assessors)
    weight = np.ones(given.shape[0]) if weight is None else weight
    back = given.T.tocsr()
    if start is None:
        votes = labels.counts()
        posterior = np.asarray(votes.multiply(1 / votes.sum(axis=1)).todense())
    else:
        posterior, _ = _expected(given, start.prevalence, start.errors)
    likelihood = -np.inf
    for step in range(1, max(steps, 1) + 1):
        prevalence, errors = _maximised(back, posterior, weight, (assessors, number))
        before = posterior
        posterior, log_likelihoods = _expected(given, prevalence, errors)
        likelihood = float(weight[weight > 0] @ log_likelihoods[weight > 0])
        if np.abs(posterior - before)[weight > 0].max(initial=0.0) <= CLOSE:
            return Fit(posterior, prevalence, errors, likelihood, step, True)
    return Fit(posterior, prevalence, errors, likelihood, step, False)


def _given(labels: Labels, assessors: int) -> Any:
    """Return the sparse table items x (assessor, label) of how often each label was given."""
    from scipy.sparse import csr_matrix

    number = len(labels.values)
    items = int(labels.item.max(initial=-1)) + 1
    shape = (items, assessors * number)
    return csr_matrix((np.ones(len(labels.item)), (labels.item, labels.assessor * number + labels.label)), shape=shape)


def _maximised(
    back: Any, posterior: np.ndarray, weight: np.ndarray, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return prevalence and errors from the posterior: equations 2.3 and 2.4 of the paper."""
    counted = posterior * weight[:, None]
    prevalence = counted.sum(axis=0) / weight.sum()
    # (assessor, label) x true label, as (assessor, true label, label)
    errors = np.asarray(back @ counted).reshape(*shape, shape[1]).transpose(0, 2, 1)
    met = errors.sum(axis=2, keepdims=True)
    return prevalence, np.divide(errors, met, out=np.zeros_like(errors), where=met > 0)


def _expected(given: Any, prevalence: np.ndarray, errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the posterior of each item, and the log of its likelihood: equation 2.5 of the paper."""
    with np.errstate(divide="ignore"):  # what never happened has probability 0, and its log is minus infinity
        table = np.log(errors).transpose(0, 2, 1).reshape(-1, len(prevalence))
        joint = np.asarray(given @ table) + np.log(prevalence)
    largest = joint.max(axis=1, keepdims=True)
    # under the errors of a resample, what an item was given may never have happened
    likely = np.exp(joint - np.where(np.isfinite(largest), largest, 0.0))
    total = likely.sum(axis=1, keepdims=True)
    posterior = np.divide(likely, total, out=np.broadcast_to(prevalence, likely.shape).copy(), where=total > 0)
    with np.errstate(divide="ignore"):
        return posterior, (largest + np.log(total)).ravel()
