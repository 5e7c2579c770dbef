"""Prediction-powered means: few values by human labels, many by machine labels, and a valid interval.

The mean over queries of the machine values is corrected with the human values of the queries that have them:

    estimate = lambda mean_N(g) + mean_n(h - lambda g)

with h a value by human labels, g one by machine labels, n queries that have both and N that have machine labels only.
This estimates the mean of h for any lambda: poor machine labels make the interval wider, but not invalid. The best
lambda is cov(h, g) / ((1 + n / N) var(g)), here clipped to [0, 1].

If lambda is chosen with the queries on which it is used, intervals of few queries are too narrow. So the lambda of each
query is computed from all other queries (leave-one-out). This is a closed form without random folds, and the same for
any order of the rows. Student's interval has the degrees of freedom of Welch and Satterthwaite: close to those of the n
queries if the human values dominate the variance, and of the N queries if the machine values do.

References
----------
Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, Prediction-powered inference. Angelopoulos, Duchi and Zrnic 2023,
PPI++ (lambda). Zrnic and Candès 2024, Cross-prediction-powered inference. Särndal, Swensson and Wretman 1992,
Model assisted survey sampling (the difference estimator, weighted).
"""

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from pdeval.catalog import aggregate_of, parse_all
from pdeval.evaluate.cube import Preferences, Scores
from pdeval.evaluate.pairs import select
from pdeval.evaluate.scores import scores
from pdeval.join import Judged, NothingJudged, join
from pdeval.tables import NOISE, Table, describe, listed, numbers, ratio, run_labels
from pdeval.verbs import TooFew, special


class Powered(NamedTuple):
    """Estimates of many means at once, one value per column of the values that they are from.

    Parameters
    ----------
    n, n_machine : ndarray of int
        Number of queries with values of both kinds, and with machine values only.
    mean, variance : ndarray
        The estimate, and its squared standard error.
    df : ndarray
        Degrees of freedom of the variance.
    lam : ndarray
        lambda, the mean over the queries with human labels.
    human, human_sd : ndarray
        Mean and standard deviation of the human values.
    machine : ndarray
        Mean of the machine values over all queries.
    spread : ndarray
        Variance of the human values over all queries, predicted from the machine values for queries without them.
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
        """Number of queries with human labels that would give the same variance without machine labels."""
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = np.where(self.variance > 0, self.spread / self.variance, self.n)
        return np.minimum(
            worth, self.n + self.n_machine
        )  # at most as many as human labels of all queries

    @property
    def statistic(self) -> np.ndarray:
        """The estimate over its standard error."""
        return ratio(self.mean, np.sqrt(self.variance))

    @property
    def p_value(self) -> np.ndarray:
        """The two-sided p-value of a mean of 0."""
        return np.asarray(2 * special.stdtr(self.df, -np.abs(self.statistic)))

    def interval(self, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of Student's interval of the mean."""
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
        Values by human labels, NaN if a query has none.
    machine : ndarray of shape (queries, columns)
        Values by machine labels, NaN if a query does not count.
    probability : ndarray of shape (queries,) or (queries, columns), optional
        Probability of each query of being sampled for human labels; constant by default.
    lam : float, optional
        A fixed lambda; by default the best one, computed for each query from all others.

    Examples
    --------
    >>> human = np.array([[0.2], [0.4], [0.7], [0.9], [np.nan], [np.nan], [np.nan], [np.nan]])
    >>> machine = np.array([[0.1], [0.2], [0.6], [0.7], [0.2], [0.3], [0.5], [0.9]])
    >>> means = powered(human, machine)
    >>> [x.round(3).item() for x in (means.human, means.machine, means.mean, means.lam, means.effective_n)]
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
    _, overall, overall_sd = describe(np.where(both | alone, machine, np.nan))
    if probability is not None:
        return _weighted(h, g, machine, both, probability, lam, (n, alone.sum(axis=0), overall))
    n_machine, machine_mean, machine_sd = describe(f)
    weights = both * 1.0
    slopes = _slopes(h, g, weights, lam, 1.0 / (1.0 + n / n_machine))
    _, mean, residual_sd = describe(h - slopes * (g - machine_mean))
    average = (weights * slopes).sum(axis=0) / n
    parts = residual_sd**2 / n, average**2 * machine_sd**2 / n_machine
    # two independent variances: of the correction by human labels, and of the machine mean
    slope = average * (1.0 + n / n_machine)
    return Powered(
        n,
        n_machine,
        mean,
        parts[0] + parts[1],
        degrees(parts, (n - 1, n_machine - 1)),
        average,
        human_mean,
        human_sd,
        overall,
        np.maximum(human_sd**2 + slope**2 * (overall_sd**2 - describe(g)[2] ** 2), 0.0),
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
    # leaving a query out removes its part of both sums, and moves both means
    share = weights * total / (total - weights)
    products, squares = ((weights * away[1] * x).sum(axis=0) - share * away[1] * x for x in away)
    slope = products / squares
    # if the values of all other queries are equal, they do not determine a slope
    known = squares > NOISE * (weights * away[1] ** 2).sum(axis=0)
    return np.clip(np.where(known, slope * factor, 0.0), 0.0, 1.0)


def degrees(parts: tuple[np.ndarray, ...], dfs: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return the degrees of freedom of a sum of two independent variances, by Welch and Satterthwaite."""
    total = parts[0] + parts[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        df = total**2 / (parts[0] ** 2 / dfs[0] + parts[1] ** 2 / dfs[1])
    return np.where(total > 0, df, dfs[0])


def _weighted(
    h: np.ndarray,
    g: np.ndarray,
    machine: np.ndarray,
    both: np.ndarray,
    probability: np.ndarray,
    lam: float | None,
    known: tuple[np.ndarray, ...],
) -> Powered:
    """Return the means if queries have different sampling probabilities: Hájek's estimate of the correction.

    The machine mean is that of all queries; b is the slope of the human values on it, and lambda is b / (1 + n / N), as
    for equal probabilities.
    """
    n, n_machine, overall = known
    weights = np.where(both, 1.0 / probability.reshape(len(h), -1), 0.0)
    total = weights.sum(axis=0)
    factor = 1.0 / (1.0 + n / n_machine)
    slopes = _slopes(h, g, weights, lam, factor) / factor
    residual = np.where(both, h - slopes * (g - overall), 0.0)
    mean = (weights * residual).sum(axis=0) / total
    average = (weights * slopes).sum(axis=0) / total
    counted = ~np.isnan(machine)
    size = counted.sum(axis=0)
    # the contribution of every query to the machine mean, and to the correction if it has human labels
    by_machine = np.where(counted, average * (machine - overall), 0.0)
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
        overall,
        human_sd**2,
    )


Cube = Scores | Preferences


@dataclass(frozen=True, eq=False)
class WithMachine:
    """Runs joined to human judgments and, by the same rules, to machine judgments.

    With queries='relevant' a query counts if it has a relevant item by human labels, which is unknown for queries
    without human labels. So all queries with machine labels count, and queries='judged' is required if a query with
    human labels has no relevant item.
    """

    people: Judged
    machine: Judged

    @classmethod
    def of(cls, judged: Judged, machine: object) -> Self:
        """Return a join, and the same runs joined to machine judgments.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels, _ = pdeval.datasets.load_sample()
        >>> human = qrels[qrels["query_id"].astype(int) < 121]
        >>> (cube,) = WithMachine.of(runs.ireval.join(human, queries="common"), qrels).cubes("AP")
        >>> cube.values.shape, int((~np.isnan(cube.values[0, :, 0])).sum())
        ((1, 48, 12), 19)
        """
        try:
            made = join(
                judged.tables[0],
                machine,
                level=judged.level,
                queries="judged" if judged.query_rule == "relevant" else judged.query_rule,
                complete=judged.positions.complete,
                **judged.positions.rules,
            )
        except NothingJudged as nothing:
            raise ValueError(
                f"no {nothing.role} of the runs has a machine label: {nothing.some}. Use the same ids in the runs and "
                "in the machine labels."
            ) from nothing
        by_machine = Judged(made.positions, made.level, made.query_rule, judged.warned)
        _check_queries(judged, by_machine)
        _check_grades(judged.tables[1], by_machine.tables[1])
        return cls(judged, by_machine)

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, one row each."""
        return self.machine.runs

    def cubes(self, measures: object, **pairs: Any) -> list[Cube]:
        """Return the cube of human and machine values, of measures or of preferences between pairs of runs.

        Parameters
        ----------
        baseline, pairs : optional
            Pairs of runs, as in `prefer`; the preferences of metrics are their differences.
        """
        requested = parse_all(measures)
        families = {measure.entry.family == "metric": measure for measure in reversed(requested)}
        if len(families) > 1 and not pairs:
            first, second = reversed(families.values())
            raise ValueError(
                f"{first} and {second} are a measure of one ranking and a preference between two. With machine=, "
                "request one kind at a time."
            )

        def cube(judged: Judged, *, warn: bool) -> Cube:
            if pairs or False in families:
                return select(judged, requested, warn=warn, **pairs).cube(False)
            return scores(judged, requested, warn=warn)

        people, machine = cube(self.people, warn=False), cube(self.machine, warn=True)
        counted = pd.Index(people.queries[~np.isnan(people.values).all(axis=(0, 2))])
        left = self.people.queries[~self.people.queries.isin(counted)]
        if self.people.query_rule == "relevant" and len(left):
            raise ValueError(
                f"{len(left):,} of the {len(self.people.queries):,} queries with human labels have no relevant item: "
                f"{listed(map(repr, left), 3)}. queries='relevant' drops them, but which other queries it would drop "
                "is unknown. Use queries='judged', with which they get the score 0."
            )
        values = np.full(machine.values.shape, np.nan)
        row = machine.queries.get_indexer(people.queries.astype(machine.queries.dtype))
        values[:, row[row >= 0]] = people.values[:, row >= 0]
        if isinstance(
            machine, Preferences
        ):  # as those of a table, whose rounding errors are not cleared yet
            machine = Preferences(*(getattr(machine, one.name) for one in fields(Preferences)))
        return [checked(replace(machine, values=values, machine=machine.values))]


def _check_queries(judged: Judged, by_machine: Judged) -> None:
    """Raise if a query with human labels has no machine labels."""
    people, judge = judged.queries, by_machine.queries
    missing = people[~people.astype(object).isin(judge.astype(object))]
    if len(missing) == len(people):
        raise ValueError(
            "the human and the machine labels have no query in common: the human labels have "
            f"{listed(map(repr, people), 3)}, the machine labels {listed(map(repr, judge), 3)}. Check that the ids are "
            "the same, and let the machine label the queries with human labels too."
        )
    if len(missing):
        raise ValueError(
            f"{len(missing):,} of the {len(people):,} queries with human labels have no machine labels: "
            f"{listed(map(repr, missing), 3)}. Let the machine label them too, or drop them from the human judgments."
        )


def _check_grades(people: Table, machine: Table) -> None:
    """Raise if all machine labels are equal and cover all human labels; a list of relevant items alone is allowed."""
    grade = numbers(machine.column("grade"), "grade")
    if not grade.size or (grade != grade[0]).any() or grade[0] <= 0:
        return
    human = numbers(people.column("grade"), "grade")
    ids = [
        pd.MultiIndex.from_arrays([one.column(role).astype(str) for role in ("query", "doc")])
        for one in (people, machine)
    ]
    if (human <= 0).any() and ids[0].isin(ids[1]).all():
        raise ValueError(
            f"all machine labels have the grade {grade[0]:g}, including those of {(human <= 0).sum():,} items that "
            "human assessors judged non-relevant, so they carry no information."
        )


def checked(cube: Cube) -> Cube:
    """Return a cube with machine labels; raise if it has too few queries of either kind, or constant values."""
    human, machine = cube.values, np.asarray(cube.machine)
    if not human.size:
        raise TooFew("the table has no runs, no queries or no measures.")
    by_machine = ~np.isnan(machine)
    both = (~np.isnan(human) & by_machine).any(axis=(0, 2)).sum()
    alone = (np.isnan(human) & by_machine).any(axis=(0, 2)).sum()
    if both < 2:
        raise TooFew(
            f"{both} of the {len(cube.queries):,} queries have human labels; at least 2 are needed to estimate the "
            "error of the machine labels."
        )
    if alone < 2:
        raise TooFew(
            f"{alone} {'query has' if alone == 1 else 'queries have'} only machine labels, in addition to the {both} "
            "with human labels; at least 2 are needed. Omit machine= or drop the column 'machine', or let the machine "
            "label more queries."
        )
    for label, of_human, of_machine in zip(cube.measures, human, machine):
        _check_variation(cube, f"by the human labels, {label}", of_human, of_machine)
        _check_variation(cube, f"by the machine labels, {label}", of_machine, of_human)
    return cube


def _check_variation(
    cube: Cube,
    what: str,
    values: np.ndarray,
    others: np.ndarray,
) -> None:
    """Raise if all values of a measure are equal; preferences may all be 0 if they are so by both labels."""
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
        f"{what}, so they carry no information. Check that they are labels of these queries and items, and that level= "
        "is one of their grades."
    )


def estimates(cube: Scores, measure: int) -> Powered:
    """Return the prediction-powered means of all runs by a measure."""
    label = cube.measures[measure]
    check_mean(label, cube.attrs)
    human, machine = cube.values[measure], np.asarray(cube.machine)[measure]
    if np.isinf(human).any() or np.isinf(machine).any():
        raise ValueError(
            f"measure {label!r} has infinite values, which have no mean. Use a variant with a finite rank for "
            "unretrieved items, or compare preferences instead."
        )
    estimate = powered(human, machine, probability=cube.probability)
    few = np.flatnonzero((estimate.n < 2) | (estimate.n_machine < 2))
    if len(few):
        run = few[0]
        raise TooFew(
            f"{run_labels(cube.runs)[run]!r} has {estimate.n[run]} queries with human values of {label!r} and "
            f"{estimate.n_machine[run]} with machine values only; at least 2 of each are needed."
        )
    return estimate


def check_mean(label: str, attrs: Any) -> None:
    """Raise if a measure is not a mean over queries."""
    way = aggregate_of(label, attrs)
    if way != "mean":
        raise ValueError(
            f"{label} is a {way} over queries; machine labels can only be used for means. Use another measure."
        )
