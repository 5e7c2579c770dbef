"""Measures of lists whose items are known in part: every item stands for a number, right on average.

That number is 1 / p for a relevant item that was drawn with chance p, and 0 for any other (Horvitz and Thompson). Where
a machine predicts r, it is r, and r + (label - r) / p where the item was drawn: the better the prediction, the less is
left to chance (the difference estimate of survey sampling). Sums over items are so estimated without bias.

R and AP are sums over the number of relevant items, which is estimated too. Such a ratio is biased where little is
known of a query; Tin's estimate takes the bias off to the second order, by the variance of the denominator and its
covariance with the numerator. Where no relevant item is known of there is no ratio: the query is left out. A machine's
predictions are not used there: by them a denominator may be 0, or less.

References
----------
Horvitz and Thompson 1952, A generalization of sampling without replacement from a finite universe. Särndal, Swensson
and Wretman 1992, Model assisted survey sampling. Tin 1965, Comparison of some ratio estimators. Yilmaz and Aslam 2006,
Estimating average precision with incomplete and imperfect judgments.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pdeval.catalog import Measure
from pdeval.collections.hits import Hits
from pdeval.judged.judged import Judged


class Sampled:
    """The items of a join, each with the number that it stands for and the variance of that number.

    Parameters
    ----------
    judged : Judged
        Runs joined to all items of a sample; the grade of an item is its place in the arrays, counted from 1.
    weight : ndarray of shape (items,)
        1 / the chance of an item that is known, 0 for others.
    relevant : ndarray of bool
        Whether a known item is relevant.
    guess : ndarray
        What is predicted of every item, from 0 to 1.
    """

    def __init__(self, judged: Judged, weight: np.ndarray, relevant: np.ndarray, guess: np.ndarray) -> None:
        at = judged.positions
        error = relevant - guess
        value, variance = guess + weight * error, weight * np.maximum(weight - 1.0, 0.0) * error**2
        place, topic = at.judged.grade.astype(np.int64) - 1, at.judged.topic
        self.hits = Hits(at.retrieved.shape, topic[at.item], at.run, at.rank)
        found = place[at.item[self.hits.order]]
        self.rank, self.value, self.variance = self.hits.rank, value[found], variance[found]
        self.relevant = np.bincount(topic, value[place], minlength=self.hits.shape[0])
        self.doubt = np.bincount(topic, variance[place], minlength=self.hits.shape[0])

    @property
    def unknown(self) -> np.ndarray:
        """Which queries have no relevant item that is known of."""
        return self.relevant <= 0

    def ratio(self, sums: np.ndarray, covariance: np.ndarray) -> np.ndarray:
        """Return sums over the number of relevant items, as Tin estimates it; NaN where none is known of.

        Parameters
        ----------
        covariance : ndarray of shape (queries, runs)
            That of the sums and the estimated number of relevant items.
        """
        whole = np.where(self.unknown, np.nan, self.relevant)[:, None]
        return (sums + covariance / whole - sums * self.doubt[:, None] / whole**2) / whole


def _precision(held: Sampled, measure: Measure) -> np.ndarray:
    k = measure.parameters["k"]
    if not np.isfinite(k):
        raise ValueError(f"{measure.label} is not estimated from a sample of items; P with a cutoff is: P@10.")
    return held.hits.total(held.value * (held.rank <= k)) / k


def _rank_biased(held: Sampled, measure: Measure) -> np.ndarray:
    p, k = float(measure.parameters["p"]), measure.parameters["k"]
    return held.hits.total(held.value * (held.rank <= k) * (1 - p) * np.power(p, held.rank - 1))


def _recall(held: Sampled, measure: Measure) -> np.ndarray:
    here = held.rank <= measure.parameters["k"]
    return held.ratio(held.hits.total(held.value * here), held.hits.total(held.variance * here))


def _average_precision(held: Sampled, measure: Measure) -> np.ndarray:
    # a sum over pairs of relevant items, one above the other: each of both covaries with the number of relevant items
    share, above = (held.rank <= measure.parameters["k"]) / held.rank, held.hits.above
    up_to = 1 + above(held.value)
    covariance = held.hits.total(share * (held.variance * up_to + held.value * above(held.variance)))
    return held.ratio(held.hits.total(share * held.value * up_to), covariance)


ESTIMATES: dict[str, Any] = {"P": _precision, "RBP": _rank_biased, "R": _recall, "AP": _average_precision}
RATIOS = ("R", "AP")
