"""Prediction-powered means: few values by people, many by a machine, and an interval that stays valid.

The mean over queries of the machine's values is corrected by what people say of the queries that they labelled:

    estimate = lambda mean_N(g) + mean_n(h - lambda g)

with h a value by people, g one by the machine, n queries that have both and N that have the machine's alone. Whatever
lambda is, this estimates the mean of h: a bad machine costs width and never validity. The best lambda is
cov(h, g) / ((1 + n / N) var(g)), here clipped to [0, 1].

A lambda that is chosen by the very queries that it is used on looks better than it is, and with few of them intervals
get too short. So each query gets the lambda of all others (leave-one-out, a fold for every query): a closed form,
without random folds, the same for any order of the rows. Student's interval has the degrees of freedom of Welch and
Satterthwaite: those of the n queries where people's values decide, those of the N where a good machine's do.

References
----------
Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, Prediction-powered inference. Angelopoulos, Duchi and Zrnic 2023,
PPI++ (lambda). Zrnic and Candès 2024, Cross-prediction-powered inference. Särndal, Swensson and Wretman 1992,
Model assisted survey sampling (the difference estimator, weighted).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.catalog.directions import aggregate_of
from pdeval.evaluate.cube import Preferences, Scores
from pdeval.evaluate.pairs import select
from pdeval.evaluate.scores import scores
from pdeval.join.id_mismatch import NothingJudged
from pdeval.join.judged import Judged, join
from pdeval.tables.equal_values import NOISE, describe, ratio
from pdeval.tables.labels import run_labels
from pdeval.tables.reader import Table, numbers
from pdeval.verbs.arguments import TooFew


@dataclass(frozen=True)
class Powered:
    """Estimates of many means at once, one value per column of the values that they are from.

    Parameters
    ----------
    n, n_machine : ndarray of int
        Queries with values of both kinds, and with the machine's alone.
    mean, variance : ndarray
        The estimate, and its squared standard error.
    df : ndarray
        Degrees of freedom of the variance.
    lam : ndarray
        lambda, the mean over the queries that people labelled.
    human, human_sd : ndarray
        Mean and standard deviation of people's values: what there is without a machine.
    machine : ndarray
        Mean of the machine's values over all queries: what there is without people.
    spread : ndarray
        Variance of people's values over all queries, as far as the machine tells it of those that they did not label.
    """

    n: np.ndarray
    n_machine: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    df: np.ndarray
    lam: np.ndarray
    human: np.ndarray
    human_sd: np.ndarray
    machine: np.ndarray
    spread: np.ndarray

    @property
    def effective_n(self) -> np.ndarray:
        """How many queries people alone would have to label for the same variance."""
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = np.where(self.variance > 0, self.spread / self.variance, self.n)
        return np.minimum(
            worth, self.n + self.n_machine
        )  # no machine is worth more than people on all queries

    @property
    def statistic(self) -> np.ndarray:
        """The estimate over its standard error."""
        return ratio(self.mean, np.sqrt(self.variance))

    @property
    def p_value(self) -> np.ndarray:
        """The two-sided p-value of a mean of 0."""
        from scipy import special

        return np.asarray(2 * special.stdtr(self.df, -np.abs(self.statistic)))

    def interval(self, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of Student's interval of the mean."""
        from scipy import special

        half = special.stdtrit(self.df, (1 + confidence) / 2) * np.sqrt(self.variance)
        return self.mean - half, self.mean + half


@np.errstate(divide="ignore", invalid="ignore")  # a column without enough of both kinds is NaN
def powered(
    human: np.ndarray,
    machine: np.ndarray,
    *,
    probability: np.ndarray | None = None,
    lam: float | None = None,
) -> Powered:
    """Return the prediction-powered means of columns, over queries.

    Parameters
    ----------
    human : ndarray of shape (queries, columns)
        Values by people, NaN where they did not label a query.
    machine : ndarray of shape (queries, columns)
        Values by the machine, NaN where a query does not count.
    probability : ndarray of shape (queries,) or (queries, columns), optional
        The chance with which each query was drawn for people, where chances differed; by default they were equal.
    lam : float, optional
        A lambda that was decided beforehand; by default the best one, of every query by the others.

    Examples
    --------
    >>> human = np.array([[0.2], [0.4], [0.7], [0.9], [np.nan], [np.nan], [np.nan], [np.nan]])
    >>> machine = np.array([[0.1], [0.2], [0.6], [0.7], [0.2], [0.3], [0.5], [0.9]])
    >>> found = powered(human, machine)
    >>> [x.round(3).item() for x in (found.human, found.machine, found.mean, found.lam, found.effective_n)]
    [0.55, 0.438, 0.588, 0.51, 6.444]
    """
    both = ~np.isnan(human) & ~np.isnan(machine)
    alone = np.isnan(human) & ~np.isnan(machine)
    h, g, f = (
        np.where(both, human, np.nan),
        np.where(both, machine, np.nan),
        np.where(alone, machine, np.nan),
    )
    n, human_mean, human_sd = describe(h)
    _, whole, whole_sd = describe(np.where(both | alone, machine, np.nan))
    if probability is not None:
        return _weighted(h, g, machine, both, probability, lam, (n, alone.sum(axis=0), whole))
    n_machine, machine_mean, machine_sd = describe(f)
    weights = both * 1.0
    slopes = _slopes(h, g, weights, lam, 1.0 / (1.0 + n / n_machine))
    residual = h - slopes * (g - machine_mean)
    _, mean, residual_sd = describe(residual)
    average = (weights * slopes).sum(axis=0) / n
    parts = residual_sd**2 / n, average**2 * machine_sd**2 / n_machine
    # two independent variances: of the corrections by people, and of the machine's mean
    df = degrees(parts, (n - 1, n_machine - 1))
    slope = average * (1.0 + n / n_machine)
    spread = np.maximum(human_sd**2 + slope**2 * (whole_sd**2 - describe(g)[2] ** 2), 0.0)
    return Powered(
        n,
        n_machine,
        mean,
        parts[0] + parts[1],
        df,
        average,
        human_mean,
        human_sd,
        whole,
        spread,
    )


def _slopes(
    h: np.ndarray,
    g: np.ndarray,
    weights: np.ndarray,
    lam: float | None,
    factor: np.ndarray | float,
) -> np.ndarray:
    """Return the lambda of every query, by all others: the regression of h on g times a factor, clipped to [0, 1]."""
    if lam is not None:
        return np.full(h.shape, float(lam))
    total = weights.sum(axis=0)
    away = [np.where(weights > 0, x - np.nansum(weights * x, axis=0) / total, 0.0) for x in (h, g)]
    # a query that leaves takes its share of both sums along, and moves both means
    share = weights * total / (total - weights)
    products, squares = ((weights * away[1] * x).sum(axis=0) - share * away[1] * x for x in away)
    slope = products / squares
    # nothing is left to learn from where the others are all alike
    known = squares > NOISE * (weights * away[1] ** 2).sum(axis=0)
    return np.clip(np.where(known, slope * factor, 0.0), 0.0, 1.0)


def degrees(parts: tuple[np.ndarray, ...], own: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return the degrees of freedom of a sum of independent variances, by Welch and Satterthwaite."""
    whole = parts[0] + parts[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = whole**2 / (parts[0] ** 2 / own[0] + parts[1] ** 2 / own[1])
    return np.where(whole > 0, found, own[0])


def _weighted(
    h: np.ndarray,
    g: np.ndarray,
    machine: np.ndarray,
    both: np.ndarray,
    probability: np.ndarray,
    lam: float | None,
    known: tuple[np.ndarray, ...],
) -> Powered:
    """Return the means where queries were drawn with chances of their own: Hájek's estimate of what people correct.

    The machine's mean is that of all queries; b is the slope of people's values on it, and lambda is b / (1 + n / N),
    as it would be for equal chances.
    """
    n, n_machine, whole = known
    weights = np.where(both, 1.0 / probability.reshape(len(h), -1), 0.0)
    total = weights.sum(axis=0)
    factor = 1.0 / (1.0 + n / n_machine)
    slopes = _slopes(h, g, weights, lam, factor) / factor
    residual = np.where(both, h - slopes * (g - whole), 0.0)
    mean = (weights * residual).sum(axis=0) / total
    average = (weights * slopes).sum(axis=0) / total
    counted = ~np.isnan(machine)
    size = counted.sum(axis=0)
    # what every query adds: its share of the machine's mean, and of the correction where people labelled it
    by_machine = np.where(counted, average * (machine - whole), 0.0)
    by_people = np.where(both, weights * (residual - mean), 0.0) * size / total
    effective = total**2 / (weights**2).sum(axis=0)
    variance = np.square(by_machine + by_people).sum(axis=0) / size**2 * effective / (effective - 1)
    people = np.square(by_people).sum(axis=0) / size**2
    df = degrees(
        (np.minimum(people, variance), np.maximum(variance - people, 0.0)),
        (effective - 1, size - 1),
    )
    human_mean = np.nansum(weights * h, axis=0) / total
    human_sd = np.sqrt(np.nansum(weights * (h - human_mean) ** 2, axis=0) / total * n / (n - 1))
    return Powered(
        n,
        n_machine,
        mean,
        variance,
        df,
        average * factor,
        human_mean,
        human_sd,
        whole,
        human_sd**2,
    )


Cube = Scores | Preferences


@dataclass(frozen=True)
class WithMachine:
    """Runs joined to people's judgments and, by the same rules, to those of a machine.

    With topics='relevant' a query counts if people found something relevant, and nobody knows that of the queries that
    they did not label: every query of the machine counts, and where people labelled one without a relevant item, the
    caller has to say topics='judged'.
    """

    people: Judged
    machine: Judged

    @classmethod
    def of(cls, judged: Judged, machine: object) -> WithMachine:
        """Return a join, and the same runs joined to the judgments of a machine.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels, _ = pdeval.datasets.load_sample()
        >>> human = qrels[qrels["query_id"].astype(int) < 121]
        >>> (cube,) = WithMachine.of(runs.ireval.join(human, topics="common"), qrels).cubes("AP")
        >>> cube.values.shape, int((~np.isnan(cube.values[0, :, 0])).sum())
        ((1, 48, 12), 19)
        """
        by_machine = _joined(judged, machine)
        _check_queries(judged, by_machine)
        _check_grades(judged.tables[1], by_machine.tables[1])
        return cls(judged, by_machine)

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, one row each."""
        return self.machine.runs

    def cubes(self, measures: object, **pairs: Any) -> list[Cube]:
        """Return the cube of both values: of measures, or of preferences; of pairs of runs where these are named.

        Parameters
        ----------
        baseline, pairs : optional
            Which pairs of runs, as in `prefer`; then metrics prefer by their difference.
        """
        requested = parse_all(measures)
        families = {measure.entry.family == "metric": measure for measure in reversed(requested)}
        if len(families) > 1 and not pairs:
            first, second = reversed(families.values())
            raise ValueError(
                f"{first} and {second} are a measure of one ranking and a preference between two; with machine= ask "
                "for one kind at a time."
            )

        def cube(judged: Judged, *, tell: bool) -> Cube:
            if pairs or False in families:
                return select(judged, requested, tell=tell, **pairs).cube(False)
            return scores(judged, requested, tell=tell)

        people, machine = cube(self.people, tell=False), cube(self.machine, tell=True)
        _check_relevant(self.people, people)
        values = np.full(machine.values.shape, np.nan)
        row = machine.queries.get_indexer(people.queries.astype(machine.queries.dtype))
        values[:, row[row >= 0]] = people.values[:, row >= 0]
        if isinstance(
            machine, Preferences
        ):  # as those of a table, whose rounding errors are not cleared yet
            machine = Preferences(*(getattr(machine, one.name) for one in fields(Preferences)))
        return [checked(replace(machine, values=values, machine=machine.values))]


def _joined(judged: Judged, machine: object) -> Judged:
    """Return the same runs joined to the machine's judgments by the same rules."""
    try:
        made = join(
            judged.tables[0],
            machine,
            level=judged.level,
            topics="judged" if judged.topics == "relevant" else judged.topics,
            complete=judged.positions.complete,
            **judged.positions.rules,
        )
    except NothingJudged as nothing:
        raise ValueError(
            f"no {nothing.role} of the runs is judged by the machine, so that nothing shows what its labels are worth: "
            f"{nothing.some}. Make the ids alike."
        ) from nothing
    return Judged(made.positions, made.level, made.topics, judged.said)


def _check_queries(judged: Judged, by_machine: Judged) -> None:
    """Raise unless the machine labelled what people did, and more."""
    people, judge = judged.queries, by_machine.queries
    missing = people[~people.astype(object).isin(judge.astype(object))]
    if len(missing) == len(people):
        raise ValueError(
            f"people and machine labelled no query in common: people's are {_examples(people)}, the machine's "
            f"{_examples(judge)}. What the machine is worth shows on queries that both labelled: let it label people's "
            "queries too, or see whether the ids are the same."
        )
    if len(missing):
        raise ValueError(
            f"{len(missing):,} of the {len(people):,} queries that people labelled have no labels by the machine: "
            f"{_examples(missing)}. Let it label them too; else they have to leave people's judgments."
        )


def _check_grades(people: Table, machine: Table) -> None:
    """Raise where the machine labelled all that people did, and everything alike; a list of relevant items is none."""
    grade = numbers(machine.column("grade"), "grade")
    if not grade.size or (grade != grade[0]).any() or grade[0] <= 0:
        return
    own = numbers(people.column("grade"), "grade")
    ids = [
        pd.MultiIndex.from_arrays([one.column(role).astype(str) for role in ("query", "doc")])
        for one in (people, machine)
    ]
    if (own <= 0).any() and ids[0].isin(ids[1]).all():
        raise ValueError(
            f"the machine gives the grade {grade[0]:g} to everything, also to the {(own <= 0).sum():,} items that are "
            "not relevant by people's labels: it tells no item from another."
        )


def _check_relevant(judged: Judged, people: Scores | Preferences) -> None:
    """Raise where people labelled queries that do not count, and nobody can say which of the others would not."""
    counted = pd.Index(people.queries[~np.isnan(people.values).all(axis=(0, 2))])
    left = judged.queries[~judged.queries.isin(counted)]
    if judged.topics == "relevant" and len(left):
        raise ValueError(
            f"people found nothing relevant for {len(left):,} of the {len(judged.queries):,} queries that they "
            f"labelled: {_examples(left)}. topics='relevant' leaves them out, and cannot tell which of the other "
            "queries it would leave out. Say topics='judged', by which they count as 0."
        )


def _examples(ids: pd.Index) -> str:
    shown = ", ".join(repr(one) for one in ids[:3].tolist())
    return shown + (f", ... ({len(ids):,} in all)" if len(ids) > 3 else "")


def checked(cube: Cube) -> Cube:
    """Return a cube with machine labels; raise where it has too few queries of either kind, or labels never differ."""
    human, machine = cube.values, np.asarray(cube.machine)
    if not human.size:
        raise TooFew("the table has no runs, queries or measures: there is nothing to infer.")
    by_machine = ~np.isnan(machine)
    both = (~np.isnan(human) & by_machine).any(axis=(0, 2)).sum()
    alone = (np.isnan(human) & by_machine).any(axis=(0, 2)).sum()
    if both < 2:
        raise TooFew(
            f"people labelled {both} of the {len(cube.queries):,} queries; at least two show what a machine is worth."
        )
    if alone < 2:
        raise TooFew(
            f"the machine labelled {alone} {'query' if alone == 1 else 'queries'} beside the {both} that people "
            "labelled: nothing is to be gained from so few. Leave machine= out, or let it label more."
        )
    for label, of_human, of_machine in zip(cube.measures, human, machine):
        _check_variation(cube, f"by people's labels {label}", of_human, of_machine)
        _check_variation(cube, f"by the machine's labels {label}", of_machine, of_human)
    return cube


def _check_variation(
    cube: Cube,
    what: str,
    values: np.ndarray,
    others: np.ndarray,
) -> None:
    """Raise if all values of a measure are equal; preferences may all be 0 if runs are alike by both labels."""
    known = values[~np.isnan(values)]
    if not known.size or not (known == known[0]).all():
        return
    if isinstance(cube, Scores):
        what += f" is {known[0]:g} for every run and query"
    elif known[0] == 0 and np.nan_to_num(others).any():
        what += " prefers no run to another on any query"
    else:
        return
    raise ValueError(
        f"{what}: they tell nothing apart. Are they labels of these queries and items, and is level= "
        "one of their grades?"
    )


def estimates(cube: Scores, measure: int) -> Powered:
    """Return the prediction-powered means of all runs by a measure."""
    label = cube.measures[measure]
    check_mean(label, cube.attrs)
    human, machine = cube.values[measure], np.asarray(cube.machine)[measure]
    if np.isinf(human).any() or np.isinf(machine).any():
        raise ValueError(
            f"measure {label!r} has infinite values, which have no mean. Choose its variant that gives items never "
            "found a finite rank, or compare preferences instead."
        )
    estimate = powered(human, machine, probability=cube.probability)
    few = np.flatnonzero((estimate.n < 2) | (estimate.n_machine < 2))
    if len(few):
        run = few[0]
        raise TooFew(
            f"{run_labels(cube.runs)[run]!r} has {estimate.n[run]} queries by people and {estimate.n_machine[run]} by "
            f"the machine alone of {label!r}; two of each are needed."
        )
    return estimate


def check_mean(label: str, attrs: Any) -> None:
    """Raise where a measure is not a mean over queries."""
    way = aggregate_of(label, attrs)
    if way != "mean":
        raise ValueError(
            f"{label} is a {way} over queries; machine labels sharpen means. Choose another measure."
        )
