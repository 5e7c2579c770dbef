"""Crowds of assessors: consensus labels, accuracy and errors of each assessor (Dawid and Skene 1979)."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.evaluate import described_frame
from pdeval.join import outside
from pdeval.judgments.agreement import check_units, interval, of_tables, resamples
from pdeval.judgments.labels import (
    Labels,
    coded,
    grades_of,
    items_of,
    role_columns,
    sparse,
    units_of,
)
from pdeval.tables import NOISE, Table, table
from pdeval.tables import labels as repeated
from pdeval.verbs import TooFew, one_of, track, verb

CLOSE = 1e-9  # largest change of a probability at convergence


class Fit(NamedTuple):
    """A fit of the model of Dawid and Skene.

    Parameters
    ----------
    posterior : array of shape (items, labels)
        Probability that each label is the true one.
    prevalence : array of shape (labels,)
        Fraction of each true label.
    errors : array of shape (assessors, true labels, labels)
        Probability of each label given the true label; rows of zeros if the assessor labeled no such item.
    log_likelihood : float
        Log-likelihood of the labels.
    steps : int
        Number of steps of the EM algorithm.
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
        """Probability that each assessor gives the true label, true labels weighted by prevalence."""
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
    """Return the maximum likelihood fit of the model by the EM algorithm, starting from the votes of each item.

    Parameters
    ----------
    labels : Labels
        Labels. Several labels of an assessor for the same item all count.
    assessors : int
        Number of assessors.
    steps : int
        Largest number of steps.
    start : Fit, optional
        Fit to start from.
    weight : array of shape (items,), optional
        Weight of each item, as in a bootstrap sample; 1 by default.

    Notes
    -----
    The first posterior is the fraction of each label among the labels of the item (equation 3.1 of the paper). Nothing
    is random.

    Examples
    --------
    >>> two_and_a_careless_one = Labels(np.repeat(np.arange(4), 3), np.tile([0, 1, 2], 4),
    ...                                 np.array([1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1]), np.array([0.0, 1.0]))
    >>> result = fitted(two_and_a_careless_one, 3)
    >>> result.posterior[:, 1].round(3).tolist(), result.accuracy.round(3).tolist()
    ([1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.5])
    """
    number = len(labels.values)
    # items x (assessor, label): how often each label was given
    shape = (int(labels.item.max(initial=-1)) + 1, assessors * number)
    given = sparse(labels.item, labels.assessor * number + labels.label, shape)
    by_label = given.T.tocsr()
    weight = np.ones(given.shape[0]) if weight is None else weight
    if start is None:
        # a soft majority: the share of each label among those of the item
        votes = labels.counts()
        posterior = np.asarray(votes.multiply(1 / votes.sum(axis=1)).todense())
    else:
        posterior, _ = _expected(given, start.prevalence, start.errors)
    converged, step = False, 0
    while not converged and step < max(steps, 1):
        step += 1
        prevalence, errors = _maximized(by_label, posterior, weight, (assessors, number))
        before = posterior
        posterior, log_likelihoods = _expected(given, prevalence, errors)
        # items that a bootstrap sample left out do not count
        likelihood = float(weight[weight > 0] @ log_likelihoods[weight > 0])
        converged = bool(np.abs(posterior - before)[weight > 0].max(initial=0.0) <= CLOSE)
    return Fit(posterior, prevalence, errors, likelihood, step, converged)


def _maximized(
    by_label: Any, posterior: np.ndarray, weight: np.ndarray, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return prevalence and errors from the posterior: equations 2.3 and 2.4 of the paper."""
    weighted = posterior * weight[:, None]
    prevalence = weighted.sum(axis=0) / weight.sum()
    # (assessor, label) x true label, as (assessor, true label, label)
    errors = np.asarray(by_label @ weighted).reshape(*shape, shape[1]).transpose(0, 2, 1)
    # an assessor without items of a true label has no errors for it
    met = errors.sum(axis=2, keepdims=True)
    return prevalence, np.divide(errors, met, out=np.zeros_like(errors), where=met > 0)


def _expected(
    given: Any, prevalence: np.ndarray, errors: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the posterior of each item and its log-likelihood (equation 2.5 of the paper)."""
    with np.errstate(
        divide="ignore"
    ):  # labels that were never given have probability 0 and log-probability -inf
        table = np.log(errors).transpose(0, 2, 1).reshape(-1, len(prevalence))
        joint = np.asarray(given @ table) + np.log(prevalence)
    largest = joint.max(axis=1, keepdims=True)
    # the errors of a bootstrap sample may exclude the labels of an item
    likely = np.exp(joint - np.where(np.isfinite(largest), largest, 0.0))
    total = likely.sum(axis=1, keepdims=True)
    posterior = np.divide(
        likely, total, out=np.broadcast_to(prevalence, likely.shape).copy(), where=total > 0
    )
    with np.errstate(divide="ignore"):
        return posterior, (largest + np.log(total)).ravel()


table(
    "assessors",
    "assessor labels:int agreed:fraction accuracy:fraction [ci_low:float ci_high:float]",
    "table of assessors",
    recognized_by="labels agreed accuracy",
    row="assessor",
    sort="assessor",
    means={
        "assessor": "the assessor, under the caller's column name",
        "labels": "number of labels of the assessor",
        "agreed": "fraction of them that are the most probable label of their item",
        "accuracy": "probability that the assessor gives the true label, true labels weighted by their prevalence",
        "ci_low": "lower limit of the bootstrap interval of the accuracy",
        "ci_high": "upper limit",
    },
    no_report="it is a table to read: one row per assessor",
    no_plot="it is a table to read: one row per assessor",
)


table(
    "posteriors",
    "[query] doc label:any probability:fraction",
    "probabilities of labels",
    recognized_by="doc label probability",
    row="item and label",
    sort="query doc label",
    means={
        "label": "the label",
        "probability": "probability that it is the true label, given all labels",
    },
    no_report="it has one row per item and label; .consensus(method='dawid_skene') takes the most probable",
    no_plot="it has one row per item and label",
)


table(
    "consensus",
    "[query] doc relevance:float labels:int fraction:fraction",
    "consensus of assessors",
    recognized_by="doc relevance labels fraction",
    row="item",
    sort="query doc",
    then="runs.ireval.measure(consensus)",
    means={
        "relevance": "grade of the chosen label",
        "labels": "number of labels of the item",
        "fraction": "fraction of them that are the chosen one; under a model the probability that it is the true one",
    },
    no_report="it is a table of judgments; report scores",
    no_plot="it is a table of judgments; draw scores",
)


class Crowd(NamedTuple):
    """A label table, as codes, with the fit of the model."""

    labels: Labels
    assessors: pd.Index
    fit: Fit

    def attrs(self, labels: Table) -> dict[str, Any]:
        """Return the columns of the label table, and how the model was fitted."""
        return {
            **role_columns(labels),
            "prevalence": dict(zip(map(str, self.labels.names), self.fit.prevalence.tolist())),
            "log_likelihood": self.fit.log_likelihood,
            "steps": self.fit.steps,
            "converged": self.fit.converged,
        }


def crowd_of(labels: Table, *, order: Sequence[object] | None, repeats: bool, steps: int) -> Crowd:
    """Return the fit of Dawid and Skene's model to a label table; raise if it cannot be fitted."""
    codes, assessors, _ = coded(labels, order=order, repeats=repeats)
    names = codes.names
    if len(assessors) < 2:
        count = f"{len(assessors)} assessor" + (
            f", {assessors.tolist()[0]!r}" if len(assessors) else "s"
        )
        raise TooFew(
            f"at least two assessors are required to estimate their accuracy, found {count}."
        )
    if len(names) < 2:
        raise ValueError(
            f"all {len(codes.item):,} labels are {names.tolist()[0]!r}: errors of "
            "assessors cannot be estimated."
        )
    if np.bincount(codes.item).max() < 2:
        raise ValueError(
            f"none of the {len(np.unique(codes.item)):,} items has two labels, so assessors cannot be compared. "
            "Use the same item ids for all assessors."
        )
    fit = fitted(codes, len(assessors), steps=steps)
    if not fit.converged:
        warnings.warn(
            f"the EM algorithm did not converge in {steps:,} steps, so the estimates may be inaccurate. Use "
            f"steps={10 * steps}.",
            UserWarning,
            stacklevel=outside(),
        )
    return Crowd(codes, assessors, fit)


@verb(on="labels", returns="assessors", family="assessors")
def assessors(
    labels: Table,
    *,
    order: Sequence[object] | None = None,
    repeats: bool = False,
    steps: int = 1000,
    draws: int = 0,
    resample: Literal["query", "item"] | None = None,
    confidence: float = 0.95,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the accuracy of each assessor, estimated from the labels alone by the model of Dawid and Skene.

    The confusion matrix of every assessor is estimated together with the true labels, so assessors who agree with
    accurate assessors have more weight. No gold labels are needed.

    Parameters
    ----------
    order : list, optional
        Labels in the order of the result.
    repeats : bool
        Whether several labels of an assessor for the same item all count; by default they are an error.
    steps : int
        Largest number of steps of the EM algorithm, which stops if no probability changes by more than 1e-9. `attrs`
        has the number of steps and the log-likelihood. A warning is given if it did not converge.
    draws : int
        Number of bootstrap samples for the interval of the accuracy, each fitted again; 0 for no interval.
    resample : {'query', 'item'}, optional
        Unit that is drawn with replacement; by default queries, if the table has them.

    Notes
    -----
    Two assessors can be fitted, but three or more with common items are needed to identify who is wrong. If an
    assessor has no item of a true label, the accuracy is that on the other labels.

    References
    ----------
    Dawid and Skene (1979), Maximum likelihood estimation of observer error-rates using the EM algorithm.

    Examples
    --------
    >>> labels = pd.DataFrame({"doc_id": list("aaabbbcccddd"), "assessor": ["ann", "bob", "cy"] * 4,
    ...                        "label": [1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1]})
    >>> labels.ireval.assessors()
      assessor  labels  agreed  accuracy
    0      ann       4     1.0       1.0
    1      bob       4     1.0       1.0
    2       cy       4     0.5       0.5
    """
    crowd = crowd_of(labels, order=order, repeats=repeats, steps=steps)
    codes, fit, number = crowd.labels, crowd.fit, len(crowd.assessors)
    count = np.bincount(codes.assessor, minlength=number)
    right = fit.posterior.argmax(axis=1)[codes.item] == codes.label
    frame = described_frame(
        {
            labels.roles["assessor"]: repeated(crowd.assessors, np.arange(number)),
            "labels": count,
            "agreed": np.bincount(codes.assessor, right, minlength=number) / count,
            "accuracy": fit.accuracy,
        },
        crowd.attrs(labels),
    )
    if draws:
        unit, what = units_of(labels, codes, resample)
        units = int(unit.max()) + 1
        check_units(units, what)
        # how often each item counts, by bootstrap sample
        weights = (
            times[unit].astype(np.float64)
            for block in resamples(units, draws, seed)
            for times in block
        )
        tracked = track(weights, total=draws, desc="resampling assessors", progress=progress)
        drawn = [
            fitted(codes, number, steps=steps, start=fit, weight=weight).accuracy
            for weight in tracked
        ]
        frame["ci_low"], frame["ci_high"] = interval(np.array(drawn), confidence, units)
        frame.attrs.update(draws=draws, confidence=confidence, seed=seed, resample=what)
    return frame


@verb(on="labels", returns="confusions", family="assessors", name="errors")
def assessor_errors(
    labels: Table,
    *,
    order: Sequence[object] | None = None,
    repeats: bool = False,
    steps: int = 1000,
) -> pd.DataFrame:
    """Return the error rates of each assessor for each true label, by the model of Dawid and Skene.

    Parameters
    ----------
    order : list, optional
        Labels in the order of the result.
    repeats : bool
        Whether several labels of an assessor for the same item all count; by default they are an error.
    steps : int
        Largest number of steps of the EM algorithm; see `assessors`.

    Examples
    --------
    >>> labels = pd.DataFrame({"doc_id": list("aaabbbcccddd"), "assessor": ["ann", "bob", "cy"] * 4,
    ...                        "label": [1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1]})
    >>> labels.ireval.assessors.errors().tail(4)
       assessor  reference  label    n  fraction
    8        cy          0      0  1.0       0.5
    9        cy          0      1  1.0       0.5
    10       cy          1      0  1.0       0.5
    11       cy          1      1  1.0       0.5
    """
    crowd = crowd_of(labels, order=order, repeats=repeats, steps=steps)
    codes, number = crowd.labels, len(crowd.labels.names)
    cell = codes.assessor.astype(np.int64) * number + codes.label
    # expected counts by true label: (true label, assessor, label) becomes (assessor, true label, label)
    counts = [
        np.bincount(
            cell, crowd.fit.posterior[codes.item, true], minlength=len(crowd.assessors) * number
        )
        for true in range(number)
    ]
    tables = np.stack(counts).reshape(number, -1, number).transpose(1, 0, 2)
    attrs = {**crowd.attrs(labels), "reference": "true label"}
    return of_tables(tables, labels.roles["assessor"], crowd.assessors, codes.names, attrs)


@verb(on="labels", returns="posteriors", family="assessors", name="posteriors")
def posteriors(
    labels: Table,
    *,
    order: Sequence[object] | None = None,
    repeats: bool = False,
    steps: int = 1000,
) -> pd.DataFrame:
    """Return the posterior probability of each label of each item, one row per item and label.

    Parameters
    ----------
    order : list, optional
        Labels in the order of the result.
    repeats : bool
        Whether several labels of an assessor for the same item all count; by default they are an error.
    steps : int
        Largest number of steps of the EM algorithm; see `assessors`.

    Examples
    --------
    >>> labels = pd.DataFrame({"doc_id": list("aaabbbcccddd"), "assessor": ["ann", "bob", "cy"] * 4,
    ...                        "label": [1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1]})
    >>> labels.ireval.assessors.posteriors().head(2).round(3)
      doc_id  label  probability
    0      a      0          0.0
    1      a      1          1.0
    """
    crowd = crowd_of(labels, order=order, repeats=repeats, steps=steps)
    items = items_of(labels, crowd.labels)
    item, label = (axis.ravel() for axis in np.indices(crowd.fit.posterior.shape))
    return described_frame(
        {
            **{name: repeated(items[name], item) for name in items.columns},
            labels.roles["label"]: repeated(crowd.labels.names, label),
            "probability": crowd.fit.posterior.ravel(),
        },
        crowd.attrs(labels),
    )


@verb(on="labels", returns="consensus")
def consensus(
    labels: Table,
    *,
    method: Literal["majority", "dawid_skene"] = "majority",
    ties: Literal["lowest", "highest"] | None = None,
    grades: Mapping[object, float] | None = None,
    repeats: bool = False,
    steps: int = 1000,
) -> pd.DataFrame:
    """Return one grade for each item from the labels of all assessors, as a table of judgments.

    Parameters
    ----------
    method : {'majority', 'dawid_skene'}
        The most frequent label, or the most probable one under the model of Dawid and Skene (see `assessors`), whose
        probabilities take the estimated error rates of assessors as known: with 60 items of five assessors, they were
        0.99 on average in simulations, and 94% of the labels were correct.
    ties : {'lowest', 'highest'}, optional
        Label to choose if several have the same number of votes or the same probability: that with the lowest or the
        highest grade. By default a tie is an error.
    repeats : bool
        Whether several labels of an assessor for the same item all count; by default they are an error.
    steps : int
        Largest number of steps of the EM algorithm of 'dawid_skene'.

    References
    ----------
    Dawid and Skene (1979), Maximum likelihood estimation of observer error-rates using the EM algorithm.

    Examples
    --------
    >>> labels = pd.DataFrame({"query_id": "1", "doc_id": list("aaabbb"), "assessor": ["ann", "bob", "cy"] * 2,
    ...                        "label": [2, 2, 0, 0, 0, 0]})
    >>> labels.ireval.consensus().round(3)
      query_id doc_id  relevance  labels  fraction
    0        1      a          2       3     0.667
    1        1      b          0       3     1.000
    """
    ties = None if ties is None else one_of("ties", ties, ("lowest", "highest"))  # type: ignore[assignment]
    if method == "dawid_skene":
        crowd = crowd_of(labels, order=None, repeats=repeats, steps=steps)
        codes, share, attrs = crowd.labels, crowd.fit.posterior, crowd.attrs(labels)
    else:
        codes, _, _ = coded(labels, repeats=repeats)
        votes = codes.counts().toarray()
        share, attrs = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1), role_columns(labels)
    if not len(codes.item):
        raise ValueError(
            f"the label table has no labels: column {labels.roles['label']!r} is missing in all rows."
        )
    names = codes.names
    grade = grades_of(pd.Series(names), grades)
    items = items_of(labels, codes)
    by_grade = np.argsort(grade, kind="stable")
    share = share[:, by_grade]
    # shares that differ by rounding are tied
    best = share >= share.max(axis=1, keepdims=True) - NOISE
    tied = best.sum(axis=1) > 1
    if tied.any() and ties is None:
        at = int(np.flatnonzero(tied)[0])
        those = " and ".join(
            repr(names.tolist()[by_grade[one]]) for one in np.flatnonzero(best[at])
        )
        other = (
            ", or weight the assessors with method='dawid_skene'" if method == "majority" else ""
        )
        raise ValueError(
            f"{int(tied.sum()):,} of {len(items):,} items have a tie for the first label, e.g. {tuple(items.iloc[at])} "
            f"between {those}. Use ties='lowest' or ties='highest'{other}."
        )
    # the first, or the last, of the best labels by grade
    chosen = (
        best.argmax(axis=1)
        if ties != "highest"
        else best.shape[1] - 1 - best[:, ::-1].argmax(axis=1)
    )
    row = np.arange(len(items))
    return described_frame(
        {
            **{name: repeated(items[name], row) for name in items.columns},
            "relevance": grade[by_grade[chosen]],
            "labels": np.bincount(codes.item),
            "fraction": share[row, chosen],
        },
        {**attrs, "method": method, "grade_column": "relevance"},
    )
