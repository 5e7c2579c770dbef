"""Learned populations: weights of recall levels, grades, subtopics or cutoffs that best explain labeled preferences.

Section 7 of Diaz & Ferraro 2022. The probability that run a wins is logistic in the recall-paired preference. Its free
parameters are the weights of recall levels (constant on 1, 2, 3-4, 5-8, ...), and of grades, or of subtopics and the
background. Or it is logistic in the interleaving preference, with weights of cutoffs, constant on the same bins.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import ENTRIES, Measure, find, parse
from pdeval.evaluate.cube_sources import clear_values
from pdeval.evaluate.run_selection import place_of
from pdeval.evaluate.scores import Views, populations
from pdeval.join import Block, Judged, Positions
from pdeval.kernels.preferences import interleaving
from pdeval.kernels.primitives import closer
from pdeval.tables import checked_binding, numbers, query_column, run_labels
from pdeval.verbs import arguments, optimize, verb

Over = Literal["recall", "grades", "subtopics", "cutoffs"]
OVER = ("recall", "grades", "subtopics", "cutoffs")
BASES = {"subtopics": "ST-RPP", "cutoffs": "I"}


class Population(NamedTuple):
    """A learned population: weights with intervals, agreement with labels that it did not see, and its preference.

    Parameters
    ----------
    base : str
        The preference whose weights were fitted, "RPP", "ST-RPP" or "I".
    parameters : dict
        The fitted parameters of that preference: `weight`, `grades`, `subtopics`, `background`, `user`.
    weights : DataFrame
        over, name, weight, low, high, uniform: the fitted weights, which sum to 1 for each value of `over`, their
        bootstrap intervals over queries, and equal weights for comparison.
    agreement, uniform_agreement : float
        Fraction of held-out labels whose winner is predicted by the fitted and by equal weights; a tie counts half.
    standard_error : float
        Standard error of the difference between the two, over queries.
    labels : int
        Number of labeled preferences that were used.
    """

    base: str
    parameters: dict[str, Any]
    weights: pd.DataFrame
    agreement: float
    uniform_agreement: float
    standard_error: float
    labels: int

    def measure(self, label: str = "fitted") -> Measure:
        """Return the preference of this population, with this label."""
        return parse(self.base, **self.parameters, label=label)

    def register(self, name: str) -> str:
        """Add the preference to the catalog, so that it can be used by name, and return the name."""
        if not name.strip() or set(name) & set("(){}[]@,="):
            raise ValueError(
                f"{name!r} is not a valid name of a measure. Use a word such as 'learnedRPP'."
            )
        if name in ENTRIES and not getattr(ENTRIES[name].kernel, "learned", False):
            raise ValueError(
                f"there is already a measure {name!r} ({ENTRIES[name].summary}). Use another name."
            )
        base = find(self.base)
        defaults = {**base.parameters, **self.parameters}

        def kernel(*columns: np.ndarray, **options: Any) -> Any:
            return base.kernel(*columns, **{**defaults, **options})

        kernel.__doc__ = (
            f"{base.name} of a population learned from {self.labels:,} labeled preferences."
        )
        kernel.learned = True  # type: ignore[attr-defined]
        ENTRIES[name] = replace(base, name=name, kernel=kernel, parameters=defaults, aliases={})
        return name


@verb(on="judged", needs="relevant")
def fit_population(
    judged: Judged,
    labeled: object,
    over: Over | Sequence[Over] = "recall",
    *,
    penalty: float = 1.0,
    folds: int = 5,
    draws: int = 100,
    confidence: float = 0.95,
    seed: int | None = 0,
) -> Population:
    """Return the population of users whose preferences best reproduce labeled preferences.

    Parameters
    ----------
    labeled : DataFrame or bound accessor
        Labeled preferences, from human assessors, clicks or interleaving: columns query, run_a, run_b and winner ("a",
        "b", or the run; rows with winner "tie" or without a winner are dropped). Or preferences of one measure, as
        returned by `prefer`.
    over : {'recall', 'grades', 'subtopics', 'cutoffs'}, or list of them
        Weights to fit: of recall levels, of users with a threshold at each grade, of the users of each subtopic and
        of any relevant item, or of the cutoffs of the interleaving preference `I`. The other weights are those of RPP:
        equal for recall levels, and by the number of items for grades and subtopics. Weights of subtopics and of the
        background are per item, so equal weights are those of ST-RPP. Recall levels can be combined with grades or
        with subtopics.
    penalty : float
        Strength of the penalty on the squared distance of the logarithms of the weights from their mean; a large
        penalty makes the weights equal.
    folds : int
        Number of folds of the queries; each is held out once to measure agreement.
    draws : int
        Number of bootstrap samples of the queries for the intervals of the weights; 0 for no intervals. In
        simulations with planted weights and 40 queries, intervals with a confidence level of 0.95 covered 0.90 of the
        weights of grades and 0.93 of those of recall levels; with penalty=0.1, 0.88 of the latter.

    Returns
    -------
    Population
        `.weights`, `.agreement`, `.uniform_agreement` and `.standard_error`. `.measure()` returns its preference, and
        `.register(name)` adds the preference to the catalog.

    Notes
    -----
    Logistic regression of the winner on sum p(L) p(i|L) sgn(y_i - x_i), with p normalized over the levels and
    populations of a query, maximized by L-BFGS-B. With over='cutoffs', on sum p(k) sgn(v_k(x) - v_k(y)), where v_k is
    the number of relevant items in the top k and p is normalized over the ranks of the longer list. Weights are
    constant on levels or cutoffs 1, 2, 3-4, 5-8, 9-16, ... Agreement is measured on queries that were not used for
    the fit.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> people = judged.prefer("invRPP", baseline="bm25")
    >>> population = judged.fit_population(people, over=["recall", "grades"], draws=10)
    >>> population.weights.loc[[0, 1, 7, 8, 9], ["over", "name", "weight", "uniform"]].round(1)
         over        name  weight  uniform
    0  recall           1     0.4      0.1
    1  recall           2     0.2      0.1
    7  grades  grade >= 1     0.6      0.3
    8  grades  grade >= 2     0.3      0.3
    9  grades  grade >= 3     0.1      0.3
    >>> bool(population.agreement > population.uniform_agreement)
    True
    >>> judged.order(population.register("learnedRPP"), method="winrate").head(2)[["run", "measure", "rank"]]
             run     measure  rank
    0  rerank-s1  learnedRPP     1
    1  rerank-s2  learnedRPP     2
    >>> del ENTRIES["learnedRPP"]

    Weights of the cutoffs of the interleaving preference, for users who stop at rank k with probability ~ 1 / k:

    >>> people = judged.prefer("I(user=inverse)")
    >>> population = judged.fit_population(people, over="cutoffs", draws=0)
    >>> population.weights.loc[[0, 1, 2, 7], ["over", "name", "weight", "uniform"]].round(1)
          over name  weight  uniform
    0  cutoffs    1     0.5      0.1
    1  cutoffs    2     0.2      0.1
    2  cutoffs  3-4     0.1      0.1
    7  cutoffs  65+     0.0      0.1
    >>> population.measure()
    fitted
    """
    arguments.integer("folds", folds, 2)
    parts = [arguments.one_of("over", part, OVER) for part in arguments.several("over", over)]
    exclusive = [part for part in parts if part != "recall" or "cutoffs" in parts]
    if len(set(exclusive)) > 1:
        raise ValueError(
            f"over={over!r}: {' and '.join(exclusive)} cannot be combined. Use one of them; only 'recall' can be "
            "combined, with 'grades' or 'subtopics'."
        )
    model = _Model(judged, labeled, parts)
    rng = np.random.default_rng(seed)
    best = model.fitted(np.ones(len(model.sign)), penalty)
    agreement = model.held_out(penalty, folds, rng)
    interval = np.full((2, sum(model.free)), np.nan)
    if draws:
        n = len(model.topics)
        # the number of times that each label is in a bootstrap sample of the queries
        counts = (
            np.bincount(rng.integers(n, size=n), minlength=n)[model.topic] * 1.0
            for _ in range(draws)
        )
        samples = [model.shares(model.fitted(count, penalty, best)) for count in counts]
        interval = np.quantile(samples, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    weights = model.frame(best, *interval)
    return Population(model.base, model.parameters(best), weights, *agreement, len(model.sign))


class _Model:
    """The labels as signs and, for each population and bin of levels, sums of signs and numbers of levels.

    Levels are recall levels or cutoffs.
    """

    def __init__(
        self,
        judged: Judged,
        labeled: object,
        over: Sequence[str],
        base: str = "RPP",
    ) -> None:
        topic, a, b, sign = labeled_pairs(judged.positions, labeled, str(judged.queries.name))
        self.levels = "cutoffs" if "cutoffs" in over else "recall"
        self.base = next((BASES[part] for part in over if part in BASES), base)
        of_users = list(populations(Views(judged), parse(self.base)))
        if "grades" in over and len(of_users) < 2:
            raise ValueError(
                "over='grades' needs several positive grades, and no level, which makes relevance binary."
            )
        self.names = [name for name, _, _ in of_users]
        depths = (
            judged.positions.retrieved.ravel().tolist()
            if self.levels == "cutoffs"
            else [block.size for _, _, blocks in of_users for block in blocks]
        )
        # the first levels of the bins: 1, 2, 3, 5, 9, 17, ... up to the deepest level
        doubled = 2 ** np.arange(0, 40) + 1
        self.bins = np.append(1, doubled[doubled <= max(depths, default=1)])
        # for each label, population and bin: the sum of signs, and the number of levels
        gain, size = np.zeros((2, len(topic), len(of_users), len(self.bins)))
        users = np.zeros((len(topic), len(of_users)))
        for number, (_, share, blocks) in enumerate(of_users):
            _fill(blocks, topic, a, b, self.bins, gain[:, number], size[:, number], self.levels)
            users[:, number] = 1.0 if share is None else share[topic]
        users *= size.any(axis=2)
        used = users.sum(axis=1) > 0
        if not used.any():
            raise ValueError("no labeled preference is on a query with a relevant item.")
        fits_users = bool({"grades", "subtopics"} & set(over))
        if fits_users and self.base == "RPP":
            users[:] = users > 0  # of subtopics, weights multiply the users that ST-RPP has
        # how many weights of recall levels and of populations are fitted
        self.free = (
            len(self.bins) if self.levels in over else 0,
            len(self.names) if fits_users else 0,
        )
        self.gain, self.size, self.users, self.sign = (
            gain[used],
            size[used],
            users[used],
            sign[used],
        )
        self.size[self.users == 0, 0] = (
            1.0  # a population without users: anything but a division by 0
        )
        self.topics, self.topic = np.unique(topic[used], return_inverse=True)
        self.equal_parts = self.parts(np.ones(len(self.bins)))

    def split(self, theta: np.ndarray) -> list[np.ndarray]:
        """Return the weights of levels and of populations, each with mean 1."""
        levels, groups = self.free
        logarithms = theta[:levels], theta[levels : levels + groups]
        return [
            np.exp(part - part.mean()) if len(part) else np.ones(n)
            for part, n in zip(logarithms, (len(self.bins), len(self.names)))
        ]

    def parts(self, level: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the preference of each population for each label, and the sum of the weights of its levels."""
        # one product of matrices with rows (label, population)
        flat = (-1, len(self.bins))
        total = (self.size.reshape(flat) @ level).reshape(self.users.shape)
        return (self.gain.reshape(flat) @ level).reshape(self.users.shape) / total, total

    def score(self, theta: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return the preference of every label, and the fraction, preference and sum of weights of each population."""
        level, group = self.split(theta)
        part, total = self.parts(level) if self.free[0] else self.equal_parts
        share = self.users * group
        share = share / share.sum(axis=1, keepdims=True)
        return (share * part).sum(axis=1), share, part, total

    def slopes(
        self,
        theta: np.ndarray,
        pull: np.ndarray,
        score: tuple[np.ndarray, ...],
    ) -> list[np.ndarray]:
        """Return the derivatives of a sum of preferences, `pull` times each, by the logarithms of the weights."""
        value, share, part, total = score
        slopes, pulled = [], pull[:, None] * share
        if self.free[0]:
            flat = (-1, len(self.bins))
            each = pulled / total
            by = each.ravel() @ self.gain.reshape(flat) - (each * part).ravel() @ self.size.reshape(
                flat
            )
            slopes.append(by * self.split(theta)[0])
        if self.free[1]:
            slopes.append((pulled * (part - value[:, None])).sum(axis=0))
        return slopes

    def fitted(
        self,
        count: np.ndarray,
        penalty: float,
        begin: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the fitted logarithms of the weights and the slope; `count` is how often each label counts."""
        levels, groups = self.free
        kinds = [
            part
            for part in (slice(0, levels), slice(levels, levels + groups))
            if part.stop > part.start
        ]

        def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
            score = self.score(theta)
            slope = theta[-1]
            margin = self.sign * slope * score[0]
            pull = (
                -count * self.sign * np.exp(-np.logaddexp(0, margin))
            )  # stays finite for any margin
            value = (count * np.logaddexp(0, -margin)).sum() + 1e-3 * slope**2
            gradient = np.zeros(len(theta))
            gradient[-1] = (pull * score[0]).sum() + 2e-3 * slope
            for kind, by in zip(kinds, self.slopes(theta, slope * pull, score)):
                away = theta[kind] - theta[kind].mean()
                value += penalty * (away**2).sum()
                gradient[kind] = by - by.mean() + 2 * penalty * away
            return value, gradient

        start = np.append(np.zeros(levels + groups), 1.0) if begin is None else begin
        bounds = [(-12.0, 12.0)] * (levels + groups) + [(1e-6, None)]
        return np.asarray(
            optimize.minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
        )

    def agreed(self, theta: np.ndarray) -> np.ndarray:
        """Return 1 for labels whose winner is predicted by the weights, 0 for the other run, 1/2 for ties."""
        score = self.score(theta)[0]
        score[np.abs(score) < 1e-12] = 0.0
        return np.asarray((1 + np.sign(score) * self.sign) / 2)

    def held_out(
        self,
        penalty: float,
        folds: int,
        rng: np.random.Generator,
    ) -> tuple[float, float, float]:
        """Return the agreement on held-out queries, that of equal weights, and the standard error of the difference."""
        if len(self.topics) < folds:
            raise ValueError(
                f"the labels are on {len(self.topics)} queries, but folds={folds} needs {folds}. Use fewer folds."
            )
        fold = (rng.permutation(len(self.topics)) % folds)[self.topic]
        right = np.empty(len(self.sign))
        for one in range(folds):
            right[fold == one] = self.agreed(self.fitted((fold != one) * 1.0, penalty))[fold == one]
        equal = self.agreed(np.append(np.zeros(sum(self.free)), 1.0))
        n = len(self.topics)
        size = np.bincount(self.topic, minlength=n)
        gap = np.bincount(self.topic, right - equal, minlength=n) - (right - equal).mean() * size
        error = float(
            np.sqrt((gap**2).sum() * n / (n - 1)) / len(right)
        )  # labels of one query go together
        return float(right.mean()), float(equal.mean()), error

    def shares(self, theta: np.ndarray) -> np.ndarray:
        """Return the fitted weights, each kind with sum 1."""
        return np.concatenate(
            [part / part.sum() for part, free in zip(self.split(theta), self.free) if free]
        )

    def frame(self, theta: np.ndarray, low: np.ndarray, high: np.ndarray) -> pd.DataFrame:
        """Return the fitted weights with their intervals, and equal weights, as a table."""
        levels, groups = self.free
        spans = [
            *(
                f"{first}-{last}" if last != first else f"{first}"
                for first, last in zip(self.bins.tolist(), (self.bins[1:] - 1).tolist())
            ),
            f"{self.bins[-1]}+",
        ]
        return pd.DataFrame(
            {
                "over": [self.levels] * levels
                + ["subtopics" if self.base == "ST-RPP" else "grades"] * groups,
                "name": spans[:levels] + self.names[:groups],
                "weight": self.shares(theta),
                "low": low,
                "high": high,
                "uniform": [1 / max(levels, 1)] * levels + [1 / max(groups, 1)] * groups,
            }
        )

    def parameters(self, theta: np.ndarray) -> dict[str, Any]:
        """Return the fitted weights as the preference takes them."""
        level, group = self.split(theta)
        weight_of = dict(zip(self.names, group.tolist())) if self.free[1] else {}
        parameters: dict[str, Any] = {}
        if self.free[0]:
            parameters["user" if self.base == "I" else "weight"] = Weights(
                self.bins,
                level / level.sum(),
                float(self.agreed(theta).mean()),
                len(self.sign),
                self.levels,
            )
        if weight_of and self.base == "RPP":
            parameters["grades"] = {
                float(name.removeprefix("grade >= ")): one for name, one in weight_of.items()
            }
        elif weight_of:
            parameters |= {
                "per_item": True,
                "background": weight_of.pop("any subtopic", 0.0),
                "subtopics": {
                    name.removeprefix("subtopic "): one for name, one in weight_of.items()
                },
            }
        return parameters


def _fill(
    blocks: Iterable[Block],
    topic: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    bins: np.ndarray,
    gain: np.ndarray,
    size: np.ndarray,
    levels: str = "recall",
) -> None:
    """Fill in, per label and bin, the sum of signs of its recall levels or cutoffs, and the number of these levels."""
    edges = np.append(bins, 2 * bins[-1])  # the last edge is above every level
    for block in blocks:
        position = pd.Index(block.topics).get_indexer(
            topic
        )  # of the topic of each label in the block, -1 if not there
        rows = np.flatnonzero(position >= 0)
        if block.size == 0 or len(rows) == 0:
            continue
        lists = [(position[rows], run[rows]) for run in (a, b)]
        x, y = (block["rank"][:, *at] for at in lists)
        lengths = [block["retrieved"][at] for at in lists]
        deepest = np.maximum(*lengths)[:, None] if levels == "cutoffs" else block.size
        size[rows] = np.diff(np.minimum(edges, deepest + 1))
        if levels == "recall":
            first = bins[bins <= block.size] - 1
            # a bin is a stretch of levels, which reduceat adds up
            gain[rows[:, None], np.arange(len(first))] = np.add.reduceat(
                closer(x, y).astype(np.float64), first, axis=0
            ).T
        else:
            for number, (start, end) in enumerate(pairwise(edges.tolist())):
                # the mean over the cutoffs of the bin, times their number
                gain[rows, number] = size[rows, number] * interleaving(
                    x, y, *lengths, user=dict.fromkeys(range(start, end), 1.0)
                )


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of recall levels, constant within bins; call it on levels, or pass it to `parse("RPP", weight=...)`.

    Weights of cutoffs are for `parse("I", user=...)`.

    Examples
    --------
    >>> Weights(np.array([1, 2, 4]), np.array([0.5, 0.3, 0.2]), 1.0, 10)(np.array([1.0, 3.0, 9.0])).tolist()
    [0.5, 0.3, 0.2]
    """

    first: np.ndarray
    weight: np.ndarray
    agreement: float
    labels: int
    levels: str = "recall"

    __name__ = "fitted"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Weights)
            and np.array_equal(self.first, other.first)
            and np.array_equal(self.weight, other.weight)
        )

    def __hash__(self) -> int:
        return hash((self.first.tobytes(), self.weight.tobytes()))

    def __call__(self, level: np.ndarray) -> np.ndarray:
        # the last step that begins at the level or before it
        return self.weight[np.searchsorted(self.first, level, side="right") - 1]

    def frame(self) -> pd.DataFrame:
        """Return the bins and their weights."""
        return pd.DataFrame({self.levels: self.first, "weight": self.weight})


@verb(on="judged", needs="relevant")
def fit_weights(judged: Judged, labeled: object, *, penalty: float = 1.0) -> Weights:
    """Return the weights of recall levels that best reproduce labeled preferences.

    Parameters
    ----------
    labeled : DataFrame or bound accessor
        Labeled preferences: columns query, run_a, run_b, winner, where the winner is "a", "b", or the run. Rows with
        winner "tie" or without a winner are dropped. Or preferences of one measure, as returned by `prefer` or
        `credits.ireval.preferences()`: query, run_a, run_b, measure, value. Run_a won if the value is positive, run_b
        if it is negative, and rows with value 0 or NaN are dropped.
    penalty : float
        Strength of the penalty on the squared distance of the weights from their mean, divided by it; a large penalty
        makes the weights equal. Weights are never negative.

    Returns
    -------
    Weights
        A function of the recall level, for `pdeval.parse("RPP", weight=...)`. `.frame()` returns the weights.

    Notes
    -----
    Logistic regression of the winner on the recall-paired preference, sum p(i) sgn(y_i - x_i), with p normalized over
    the levels of the query and constant on levels 1, 2, 3-4, 5-8, 9-16, ...; maximized by L-BFGS-B.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> prefs = judged.prefer("invRPP", baseline="bm25")
    >>> judged.fit_weights(prefs).frame().head(3).round(2)
       recall  weight
    0       1    0.47
    1       2    0.23
    2       3    0.13
    """
    model = _Model(judged, labeled, ["recall"], "I")  # I has one population: all relevant items
    gain, size, sign, bins = model.gain[:, 0], model.size[:, 0], model.sign, model.bins

    def loss(free: np.ndarray) -> tuple[float, np.ndarray]:
        weight, slope = free[:-1], free[-1]
        total = size @ weight
        score = gain @ weight / total
        margin = sign * slope * score
        chance = 1 / (1 + np.exp(margin))
        pull = -sign * slope * chance
        mean = weight.mean()
        away = weight / mean - 1  # of the mean: smaller weights of the same shape are no closer
        value = np.logaddexp(0, -margin).sum() + penalty * (away**2).sum() + 1e-3 * slope**2
        gradient = (pull[:, None] * (gain - score[:, None] * size) / total[:, None]).sum(axis=0)
        by_slope = (-sign * score * chance).sum() + 2e-3 * slope
        shrunk = 2 * penalty * (away - (away**2).mean()) / mean
        return value, np.append(gradient + shrunk, by_slope)

    start = np.append(np.ones(len(bins)), 1.0)
    best = optimize.minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=[(1e-6, None)] * len(start)
    )
    weight = best.x[:-1] / best.x[:-1].sum()
    return Weights(bins, weight, float((np.sign(gain @ weight) == sign).mean()), len(sign))


def labeled_pairs(
    positions: Positions, labeled: object, query: str, *, ties: bool = False
) -> tuple[np.ndarray, ...]:
    """Return topic, run a, run b and sign (1: a won, -1: b won, 0: a tie) of every label, sorted.

    Labels that are ties are dropped unless `ties`.
    """
    table, query, runs = _columns(positions, labeled, query)
    names = [f"{name}_{side}" for side in "ab" for name in runs]
    missing = [name for name in (query, *names) if name not in table.columns]
    if not missing and not {"winner", "label", "value"} & set(table.columns):
        missing = ["winner"]
    if missing:
        raise ValueError(
            f"labeled preferences need the columns {query}, {', '.join(names)}, and winner, label or value; "
            f"{missing[0]} is missing. The table has {', '.join(map(str, table.columns))}."
        )
    if "winner" not in table.columns and "label" in table.columns:
        label = table["label"]
        # strings are winners, numbers from -1 to 1 are values
        if not pd.api.types.is_numeric_dtype(label.dtype):
            table = table.assign(winner=label)
        elif (outside := label.abs() > 1).any():
            raise ValueError(
                f"{int(outside.sum()):,} labels are outside of -1 to 1, e.g. {label[outside].iloc[0]:g}. Use 1 if "
                "run_a is preferred, -1 if run_b is, and 0 for a tie."
            )
        else:
            table = table.drop(columns="measure", errors="ignore").assign(value=label)
    rows, sign = _decided(table, ties)
    sides = []
    for side in "ab":
        keys = rows[[f"{name}_{side}" for name in runs]].astype(object)
        grouped = keys.groupby(list(keys.columns), sort=False, dropna=False, observed=True)
        code = grouped.ngroup().to_numpy()
        distinct = keys.drop_duplicates().itertuples(index=False, name=None)
        sides.append(
            np.array([place_of(positions.runs, key) for key in distinct], dtype=np.int64)[code]
        )
    topic = positions.queries.get_indexer(pd.Index(rows[query].astype(positions.queries.dtype)))
    if (topic < 0).any():
        raise ValueError(
            f"{int((topic < 0).sum()):,} labeled preferences are on queries without judgments. Drop them."
        )
    if (same := sides[0] == sides[1]).any():
        run = run_labels(positions.runs)[sides[0][same][0]]
        raise ValueError(
            f"{int(same.sum()):,} labeled preferences compare a run with itself, e.g. {run!r}. Drop them."
        )
    sign = _sign_of_winner(rows["winner"], positions, sides) if sign is None else sign
    order = np.lexsort(
        (sign, sides[1], sides[0], topic)
    )  # sums, and so a fit, must not depend on the order of rows
    return topic[order], sides[0][order], sides[1][order], sign[order]


def _columns(
    positions: Positions, labeled: object, query: str
) -> tuple[pd.DataFrame, str, list[str]]:
    """Return the labels, their query column and the id columns of their runs: bound, or as in the join."""
    table = getattr(labeled, "_frame", labeled)
    if not isinstance(table, pd.DataFrame):
        raise TypeError(
            f"expected a pandas DataFrame of labeled preferences, got {type(table).__name__}."
        )
    binding = checked_binding(table, getattr(labeled, "_binding", None) or {})
    runs = list(map(str, positions.runs.columns))
    if "run" in binding:
        bound = (
            list(binding["run"]) if isinstance(binding["run"], list | tuple) else [binding["run"]]
        )
        if len(bound) != len(runs):
            raise ValueError(
                f"the runs have the id columns {', '.join(runs)}. Bind {len(runs)} columns, not {', '.join(bound)}."
            )
        runs = bound
    if "query" in binding or query not in table.columns:
        query = query_column(table, binding, needed=False) or query
    return table, query, runs


def _decided(table: pd.DataFrame, ties: bool = False) -> tuple[pd.DataFrame, np.ndarray | None]:
    """Return the rows that have a winner (or are ties) and, if they are preferences, the sign of each."""
    if "winner" in table.columns:
        known = table["winner"].notna()
        return table[known if ties else known & (table["winner"].astype(str) != "tie")], None
    measures = table["measure"].unique().tolist() if "measure" in table.columns else []
    if len(measures) > 1:
        raise ValueError(
            f"the labeled preferences have several measures, {', '.join(map(str, measures))}. Keep one, e.g. "
            f"prefs[prefs['measure'] == {measures[0]!r}]."
        )
    table = table[table["value"].notna()]
    sign = np.sign(
        clear_values(numbers(table["value"], "value"), "".join(map(str, measures)), table.attrs)
    )
    kept = (sign != 0) | ties
    return table[kept], sign[kept]


def _sign_of_winner(column: pd.Series, positions: Positions, sides: list[np.ndarray]) -> np.ndarray:
    """Return 1 if run a is the winner, -1 if it is run b."""
    # a run with several id columns is given by its ids as a tuple, or by its label
    code, distinct = pd.factorize(column.astype(object), use_na_sentinel=False)
    winner = np.array(
        [" / ".join(map(str, one)) if isinstance(one, tuple) else str(one) for one in distinct],
        dtype=object,
    )[code]
    label = np.array(run_labels(positions.runs))
    is_a, is_b = ((winner == side) | (winner == label[run]) for side, run in zip("ab", sides))
    is_tie = winner == "tie"
    if not ((is_a ^ is_b) | is_tie).all():
        example = column[~((is_a ^ is_b) | is_tie)].iloc[0]
        raise ValueError(
            f"unknown winner {example!r}: expected 'a', 'b', 'tie' or one of the two runs."
        )
    return np.where(is_tie, 0.0, np.where(is_a, 1.0, -1.0))
