"""Learned populations: which users, by recall level, grade and subtopic, best explain labelled preferences.

Section 7 of Diaz & Ferraro 2022. The chance that run a wins is logistic in the recall-paired preference, whose weights
are free: of recall levels (constant on 1, 2, 3-4, 5-8, ...), and of grades or of subtopics with the background.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import ENTRIES, Entry, Measure, find, parse
from pdeval.evaluate.run_selection import place_of
from pdeval.evaluate.scores import Views, populations
from pdeval.evaluate.sources import clear_values
from pdeval.join.blocks import Block
from pdeval.join.judged import Judged
from pdeval.join.positions import Positions
from pdeval.kernels.preferences import RPP, ST_RPP
from pdeval.kernels.primitives import closer
from pdeval.tables.labels import run_labels
from pdeval.tables.reader import checked_binding, numbers, query_column
from pdeval.verbs import arguments, verb

Over = Literal["recall", "grades", "subtopics"]
OVER = ("recall", "grades", "subtopics")


@dataclass(frozen=True, eq=False)
class Population:
    """A learned population: weights with intervals, agreement with labels that it did not see, and its preference.

    Parameters
    ----------
    base : str
        The preference whose weights were fitted, "RPP" or "ST-RPP".
    parameters : dict
        What was fitted, as that preference takes it: `weight`, `grades`, `subtopics`, `background`.
    weights : DataFrame
        over, name, weight, low, high, uniform: of each fitted part the weights, which sum to 1, their bootstrap
        intervals over queries, and equal weights beside them.
    agreement, uniform_agreement : float
        Share of held-out labels whose winner the fitted and the equal weights name; a tie counts half.
    standard_error : float
        Of the difference between the two, over queries.
    labels : int
        Labelled preferences that were used.
    """

    base: str
    parameters: dict[str, Any]
    weights: pd.DataFrame
    agreement: float
    uniform_agreement: float
    standard_error: float
    labels: int

    def measure(self, label: str = "fitted") -> Measure:
        """Return the preference of this population, under a label of your own."""
        return parse(self.base, **self.parameters, label=label)

    def register(self, name: str) -> str:
        """Put the preference into the catalog: its name then works wherever a measure is named. Returns the name."""
        if not name.strip() or set(name) & set("(){}[]@,="):
            raise ValueError(f"{name!r} cannot be a measure's name; use a word such as 'learnedRPP'.")
        if name in ENTRIES and not getattr(ENTRIES[name].kernel, "learned", False):
            raise ValueError(f"there is a measure {name!r} already ({ENTRIES[name].summary}); choose another name.")
        ENTRIES[name] = _entry(name, find(self.base), self.parameters, self.labels)
        return name


def _entry(name: str, base: Entry, parameters: dict[str, Any], labels: int) -> Entry:
    own = {**base.parameters, **parameters}

    def kernel(x: np.ndarray, y: np.ndarray, **given: Any) -> np.ndarray:
        return (RPP if base.name == "RPP" else ST_RPP)(x, y, **{**own, **given})

    kernel.__doc__ = f"{base.name} of a population learned from {labels:,} labelled preferences."
    kernel.learned = True  # type: ignore[attr-defined]
    return dataclasses.replace(base, name=name, kernel=kernel, parameters=own, aliases={})


@verb(on="judged", needs="relevant")
def fit_population(
    judged: Judged,
    labelled: object,
    over: Over | Sequence[Over] = "recall",
    *,
    penalty: float = 1.0,
    folds: int = 5,
    draws: int = 100,
    confidence: float = 0.95,
    seed: int | None = 0,
) -> Population:
    """Return the population of users whose preferences best reproduce labelled ones.

    Parameters
    ----------
    labelled : DataFrame or bound accessor
        Columns query, run_a, run_b and winner ("a", "b", or the run itself; other rows are left out): what people said,
        clicks, credits of interleaving. Or preferences of one measure, as `prefer` gives them.
    over : {'recall', 'grades', 'subtopics'}, or list of them
        Whose weights are fitted: of recall levels, of users with a threshold at each grade, or of the users of each
        subtopic and of any relevant item. What is not fitted stays as in RPP: recall levels equal, grades and subtopics
        by their items. Grades and subtopics do not go together.
    penalty : float
        How strongly the logarithms of weights are drawn towards their mean, so that the weights become equal.
    folds : int
        Parts into which the queries are divided; each is held out once to measure agreement.
    draws : int
        Bootstrap samples of the queries for the intervals of weights; 0 for none.

    Returns
    -------
    Population
        `.weights`, `.agreement`, `.uniform_agreement`, `.standard_error`; `.measure()` is its preference, and
        `.register(name)` makes that usable by name everywhere.

    Notes
    -----
    Logistic regression of the winner on sum p(L) p(i|L) sgn(y_i - x_i), with p normalised over the levels and
    populations that a query has, maximised by L-BFGS-B. Agreement is that with labels on queries which the fit did not
    see.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> people = judged.prefer("invRPP", baseline="bm25")
    >>> found = judged.fit_population(people, over=["recall", "grades"], draws=10)
    >>> found.weights.loc[[0, 1, 7, 8, 9], ["over", "name", "weight", "uniform"]].round(1)
         over        name  weight  uniform
    0  recall           1     0.4      0.1
    1  recall           2     0.2      0.1
    7  grades  grade >= 1     0.6      0.3
    8  grades  grade >= 2     0.3      0.3
    9  grades  grade >= 3     0.1      0.3
    >>> bool(found.agreement > found.uniform_agreement)
    True
    >>> judged.order(found.register("learnedRPP"), method="winrate").head(2)[["run", "measure", "rank"]]
             run     measure  rank
    0  rerank-s1  learnedRPP     1
    1  rerank-s2  learnedRPP     2
    >>> del ENTRIES["learnedRPP"]
    """
    penalty, share = arguments.number("penalty", penalty, 0), arguments.share("confidence", confidence)
    arguments.whole("folds", folds, 2)
    arguments.whole("draws", draws, 0)
    arguments.seed(seed)
    asked = list(map(str, arguments.several("over", over)))
    for one in asked:
        arguments.one_of("over", one, OVER)
    if not asked or {"grades", "subtopics"} <= set(asked):
        raise ValueError(f"over={over!r}: fit recall levels, grades or subtopics; grades and subtopics not together.")
    model = _Model(judged, labelled, asked)
    rng = np.random.default_rng(seed)
    best = model.fitted(np.ones(len(model.sign)), penalty)
    agree = model.held_out(penalty, folds, rng)
    samples = np.array([model.shares(model.fitted(model.drawn(rng), penalty, best)) for _ in range(draws)])
    weights = model.frame(best)
    tails = [(1 - share) / 2, (1 + share) / 2]
    low, high = np.quantile(samples, tails, axis=0) if draws else np.full((2, len(weights)), np.nan)
    weights.insert(3, "low", low)
    weights.insert(4, "high", high)
    return Population(model.base, model.parameters(best), weights, *agree, len(model.sign))


class _Model:
    """The labels as signs and, for each population and bin of recall levels, sums of signs and numbers of levels."""

    def __init__(self, judged: Judged, labelled: object, over: Sequence[str]) -> None:
        views, positions = Views(judged), judged.positions
        topic, a, b, sign = labelled_pairs(positions, labelled, str(judged.queries.name))
        self.over, self.base = over, "ST-RPP" if "subtopics" in over else "RPP"
        found = list(populations(views, parse(self.base)))
        if "grades" in over and len(found) < 2:
            raise ValueError("over='grades': there is one positive grade, or a level makes relevance binary.")
        deepest = max((block.size for _, _, blocks in found for block in blocks), default=1)
        self.names, self.bins = [name for name, _, _ in found], level_bins(deepest)
        gain = np.zeros((len(topic), len(found), len(self.bins)))
        size, users = np.zeros_like(gain), np.zeros(gain.shape[:2])
        for number, (_, share, blocks) in enumerate(found):
            _fill(blocks, topic, a, b, self.bins, gain[:, number], size[:, number])
            users[:, number] = 1.0 if share is None else share[topic]
        users *= size.any(axis=2)
        used = users.sum(axis=1) > 0
        if not used.any():
            raise ValueError("no labelled preference is on a query with a relevant item.")
        if {"grades", "subtopics"} & set(over):
            users = (users > 0) * 1.0
        self.gain, self.size, self.users, self.sign = gain[used], size[used], users[used], sign[used]
        self.size[self.users == 0, 0] = 1.0  # nobody is there: anything but a division by 0
        self.topics, self.topic = np.unique(topic[used], return_inverse=True)

    @cached_property
    def free(self) -> tuple[int, int]:
        """How many weights of recall levels and of populations are fitted."""
        return len(self.bins) if "recall" in self.over else 0, len(self.names) if self.base_fitted else 0

    @property
    def base_fitted(self) -> bool:
        """Whether the populations' weights are fitted."""
        return bool({"grades", "subtopics"} & set(self.over))

    def split(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of recall levels and of populations, each with mean 1."""
        levels, groups = self.free
        parts = theta[:levels], theta[levels : levels + groups]
        level, group = (np.exp(part - part.mean()) if len(part) else None for part in parts)
        return (
            np.ones(len(self.bins)) if level is None else level,
            np.ones(len(self.names)) if group is None else group,
        )

    def parts(self, level: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what each population of each label prefers, and the sum of the weights of its levels."""
        flat = (-1, len(self.bins))
        whole = (self.size.reshape(flat) @ level).reshape(self.users.shape)
        return (self.gain.reshape(flat) @ level).reshape(self.users.shape) / whole, whole

    @cached_property
    def equal_parts(self) -> tuple[np.ndarray, np.ndarray]:
        """The same where recall levels are equal."""
        return self.parts(np.ones(len(self.bins)))

    def score(self, theta: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return the preference of every label, the populations' shares in it, their parts, their sums of weights."""
        level, group = self.split(theta)
        part, whole = self.parts(level) if self.free[0] else self.equal_parts
        share = self.users * group
        share = share / share.sum(axis=1, keepdims=True)
        return (share * part).sum(axis=1), share, part, whole

    def slopes(self, theta: np.ndarray, pull: np.ndarray, score: tuple[np.ndarray, ...]) -> list[np.ndarray]:
        """Return the derivatives of a sum of preferences, `pull` times each, by the logarithms of the weights."""
        value, share, part, whole = score
        found, pulled = [], pull[:, None] * share
        if self.free[0]:
            flat = (-1, len(self.bins))
            each = pulled / whole
            by = each.ravel() @ self.gain.reshape(flat) - (each * part).ravel() @ self.size.reshape(flat)
            found.append(by * self.split(theta)[0])
        if self.free[1]:
            found.append((pulled * (part - value[:, None])).sum(axis=0))
        return found

    def fitted(self, count: np.ndarray, penalty: float, begin: np.ndarray | None = None) -> np.ndarray:
        """Return the logarithms of the weights, and the slope, that fit labels which count so often."""
        from scipy.optimize import minimize

        levels, groups = self.free
        kinds = [part for part in (slice(0, levels), slice(levels, levels + groups)) if part.stop > part.start]

        def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
            score = self.score(theta)
            slope = theta[-1]
            margin = self.sign * slope * score[0]
            pull = -count * self.sign * np.exp(-np.logaddexp(0, margin))  # stays finite for any margin
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
        best: np.ndarray = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
        return best

    def agreed(self, theta: np.ndarray) -> np.ndarray:
        """Return 1 for labels whose winner the weights name, 0 where they name the other, 1/2 for ties."""
        score = self.score(theta)[0]
        score[np.abs(score) < 1e-12] = 0.0
        agreed: np.ndarray = (1 + np.sign(score) * self.sign) / 2
        return agreed

    def held_out(self, penalty: float, folds: int, rng: np.random.Generator) -> tuple[float, float, float]:
        """Return the agreement on held-out queries, that of equal weights, and the standard error of the difference."""
        if len(self.topics) < folds:
            raise ValueError(f"the labels are on {len(self.topics)} queries; folds={folds} needs at least as many.")
        fold = (rng.permutation(len(self.topics)) % folds)[self.topic]
        right = np.empty(len(self.sign))
        for one in range(folds):
            theta = self.fitted((fold != one) * 1.0, penalty)
            right[fold == one] = self.agreed(theta)[fold == one]
        equal = self.agreed(np.append(np.zeros(sum(self.free)), 1.0))
        n = len(self.topics)
        each = np.bincount(self.topic, minlength=n)
        gap = np.bincount(self.topic, right - equal, minlength=n) - (right - equal).mean() * each
        error = float(np.sqrt((gap**2).sum() * n / (n - 1)) / len(right))  # labels of one query go together
        return float(right.mean()), float(equal.mean()), error

    def drawn(self, rng: np.random.Generator) -> np.ndarray:
        """Return how often each label counts in a sample of the queries, with replacement."""
        picked = rng.integers(len(self.topics), size=len(self.topics))
        return np.bincount(picked, minlength=len(self.topics))[self.topic] * 1.0

    def shares(self, theta: np.ndarray) -> np.ndarray:
        """Return the fitted weights, each kind with sum 1."""
        both = [part / part.sum() for part, free in zip(self.split(theta), self.free) if free]
        return np.concatenate(both)

    def frame(self, theta: np.ndarray) -> pd.DataFrame:
        """Return the fitted weights as a table, with equal ones beside them."""
        levels, groups = self.free
        ends = [*(self.bins[1:] - 1).tolist(), None]
        spans = [f"{first}-{last}" if last != first else f"{first}" for first, last in zip(self.bins.tolist(), ends)]
        spans[-1] = f"{self.bins[-1]}+"
        kinds = ["recall"] * levels + [("subtopics" if self.base == "ST-RPP" else "grades")] * groups
        names = [*(spans if levels else []), *(self.names if groups else [])]
        uniform = [1 / max(levels, 1)] * levels + [1 / max(groups, 1)] * groups
        return pd.DataFrame({"over": kinds, "name": names, "weight": self.shares(theta), "uniform": uniform})

    def parameters(self, theta: np.ndarray) -> dict[str, Any]:
        """Return the fitted weights as the preference takes them."""
        (level, group), (levels, groups) = self.split(theta), self.free
        found: dict[str, Any] = {}
        if levels:
            share = float(self.agreed(theta).mean())
            found["weight"] = Weights(self.bins, level / level.sum(), share, len(self.sign))
        if groups and self.base == "RPP":
            found["grades"] = {
                float(name.removeprefix("grade >= ")): float(one) for name, one in zip(self.names, group)
            }
        elif groups:
            named = dict(zip(self.names, group.tolist()))
            found["background"] = named.pop("any subtopic", 0.0)
            found["subtopics"] = {name.removeprefix("subtopic "): one for name, one in named.items()}
        return found


def _fill(
    blocks: Iterable[Block],
    topic: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    bins: np.ndarray,
    gain: np.ndarray,
    size: np.ndarray,
) -> None:
    """Fill in, per label and bin, the sum of signs of its recall levels, and the number of these levels."""
    for block in blocks:
        position = pd.Index(block.topics).get_indexer(topic)  # of the topic of each label in the block, -1 if not there
        rows = np.flatnonzero(position >= 0)
        if block.size == 0 or len(rows) == 0:
            continue
        rank, position = block["rank"], position[rows]
        sign = closer(rank[:, position, a[rows]], rank[:, position, b[rows]])
        first = bins[bins <= block.size] - 1
        cells = rows[:, None], np.arange(len(first))
        # a bin is a stretch of levels, which reduceat adds up
        gain[cells] = np.add.reduceat(sign.astype(np.float64), first, axis=0).T
        size[cells] = np.diff(np.append(first, block.size))


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of recall levels, constant within bins; call it on levels, or give it to `parse("RPP", weight=...)`.

    Examples
    --------
    >>> Weights(np.array([1, 2, 4]), np.array([0.5, 0.3, 0.2]), 1.0, 10)(np.array([1.0, 3.0, 9.0])).tolist()
    [0.5, 0.3, 0.2]
    """

    first: np.ndarray
    weight: np.ndarray
    agreement: float
    labels: int

    __name__ = "fitted"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weights):
            return NotImplemented
        return np.array_equal(self.first, other.first) and np.array_equal(self.weight, other.weight)

    def __hash__(self) -> int:
        return hash((self.first.tobytes(), self.weight.tobytes()))

    def __call__(self, level: np.ndarray) -> np.ndarray:
        return self.weight[np.searchsorted(self.first, level, side="right") - 1]

    def frame(self) -> pd.DataFrame:
        """Return the bins and their weights."""
        return pd.DataFrame({"recall": self.first, "weight": self.weight})


@verb(on="judged", needs="relevant")
def fit_weights(judged: Judged, labelled: object, *, penalty: float = 1.0) -> Weights:
    """Return the weights of recall levels that best reproduce labelled preferences.

    Parameters
    ----------
    labelled : DataFrame or bound accessor
        Columns query, run_a, run_b, winner; the winner is "a", "b", or the run itself. Rows with winner "tie" or
        without one are left out. Or preferences of one measure, as `prefer` or `credits.ireval.preferences()` gives
        them: query, run_a, run_b, measure, value; run_a won where the value is positive, run_b where it is negative,
        and rows with value 0 or NaN are left out.
    penalty : float
        How strongly the weights are drawn towards equal weights; they are never negative.

    Returns
    -------
    Weights
        A function of the recall level, for `pdeval.parse("RPP", weight=...)`; `.frame()` shows the weights.

    Notes
    -----
    Logistic regression of the winner on the recall-paired preference, sum p(i) sgn(y_i - x_i) with p normalised over
    the query's levels; p is constant on levels 1, 2, 3-4, 5-8, 9-16, ...; maximised by L-BFGS-B.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> prefs = judged.prefer("invRPP", baseline="bm25")
    >>> judged.fit_weights(prefs).frame().head(3).round(2)
       recall  weight
    0       1    0.52
    1       2    0.21
    2       3    0.14
    """
    from scipy.optimize import minimize

    penalty = arguments.number("penalty", penalty, 0)
    positions, level = judged.positions, judged.level
    topic, a, b, sign = labelled_pairs(positions, labelled, str(judged.queries.name))
    bins = level_bins(int(np.bincount(positions.judged.topic[positions.relevant(level)]).max(initial=1)))
    gain, size = np.zeros((2, len(topic), len(bins)))
    _fill(Views(judged).blocks("binary", judged.level), topic, a, b, bins, gain, size)
    used = size.sum(axis=1) > 0
    gain, size, sign = gain[used], size[used], sign[used]
    if len(sign) == 0:
        raise ValueError("no labelled preference is on a query with a relevant item.")

    def loss(free: np.ndarray) -> tuple[float, np.ndarray]:
        weight, slope = free[:-1], free[-1]
        whole = size @ weight
        score = gain @ weight / whole
        margin = sign * slope * score
        chance = 1 / (1 + np.exp(margin))
        pull = -sign * slope * chance
        gradient = (pull[:, None] * (gain - score[:, None] * size) / whole[:, None]).sum(axis=0)
        away = weight - weight.mean()
        value = np.logaddexp(0, -margin).sum() + penalty * (away**2).sum() + 1e-3 * slope**2
        own = gradient + 2 * penalty * away
        return value, np.append(own, (-sign * score * chance).sum() + 2e-3 * slope)

    begin = np.append(np.ones(len(bins)), 1.0)
    bounds = [(1e-6, None)] * len(bins) + [(1e-6, None)]
    best = minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds)
    weight = best.x[:-1] / best.x[:-1].sum()
    agree = np.sign(gain @ weight) == sign
    return Weights(bins, weight, float(agree.mean()), len(sign))


def labelled_pairs(positions: Positions, labelled: object, query: str) -> tuple[np.ndarray, ...]:
    """Return topic, run a, run b and sign (1: a won, -1: b won) of every label that has a winner, sorted."""
    table, query, runs = _columns(positions, labelled, query)
    names = [f"{name}_{side}" for side in "ab" for name in runs]
    missing = [name for name in (query, *names) if name not in table.columns]
    if not missing and not {"winner", "value"} & set(table.columns):
        missing = ["winner"]
    if missing:
        raise ValueError(
            f"labelled preferences need the columns {query}, {', '.join(names)}, winner or, in its place, value; "
            f"{missing[0]} is missing. It has {', '.join(map(str, table.columns))}."
        )
    rows, decided = _decided(table)
    sides = []
    for side in "ab":
        keys = rows[[f"{name}_{side}" for name in runs]].astype(object)
        code = keys.groupby(list(keys.columns), sort=False, dropna=False, observed=True).ngroup().to_numpy()
        different = keys.drop_duplicates().itertuples(index=False, name=None)
        sides.append(np.array([place_of(positions.runs, key) for key in different], dtype=np.int64)[code])
    topic = positions.queries.get_indexer(pd.Index(rows[query].astype(positions.queries.dtype)))
    if (topic < 0).any():
        raise ValueError(
            f"{int((topic < 0).sum()):,} labelled preferences are on queries without judgments; drop them."
        )
    sign = _won(rows["winner"], positions, sides) if decided is None else decided
    order = np.lexsort((sign, sides[1], sides[0], topic))  # sums, and so a fit, must not depend on the order of rows
    return topic[order], sides[0][order], sides[1][order], sign[order]


def _columns(positions: Positions, labelled: object, query: str) -> tuple[pd.DataFrame, str, list[str]]:
    """Return the labels, their query column and the columns that name their runs: bound, said, or as in the join."""
    binding = getattr(labelled, "_binding", None) or {}
    table = getattr(labelled, "_frame", labelled)
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"expected a pandas DataFrame of labelled preferences, got {type(table).__name__}.")
    binding = checked_binding(table, binding)
    runs = list(map(str, positions.runs.columns))
    if "run" in binding:
        bound = binding["run"]
        said = list(bound) if isinstance(bound, list | tuple) else [bound]
        if len(said) != len(runs):
            raise ValueError(f"the runs are named by {', '.join(runs)}; bind as many columns, not {', '.join(said)}.")
        runs = said
    if "query" in binding or query not in table.columns:
        query = query_column(table, binding, needed=False) or query
    return table, query, runs


def _decided(table: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray | None]:
    """Return the rows that have a winner and, where values say who won, the sign of each."""
    if "winner" in table.columns:
        return table[table["winner"].notna() & (table["winner"].astype(str) != "tie")], None
    measures = table["measure"].unique().tolist() if "measure" in table.columns else []
    if len(measures) > 1:
        said = ", ".join(map(str, measures))
        raise ValueError(
            f"the labelled preferences are of several measures, {said}: choose one, such as "
            f"prefs[prefs['measure'] == {measures[0]!r}]."
        )
    table = table[table["value"].notna()]
    sign = np.sign(clear_values(numbers(table["value"], "value"), "".join(map(str, measures)), table.attrs))
    return table[sign != 0], sign[sign != 0]


def _won(said: pd.Series, positions: Positions, sides: list[np.ndarray]) -> np.ndarray:
    """Return 1 where run a was said to be the winner, -1 where it was run b."""
    # a run that several columns name wins by its ids as a tuple, or by its label
    code, different = pd.factorize(said.astype(object), use_na_sentinel=False)
    texts = [" / ".join(map(str, one)) if isinstance(one, tuple) else str(one) for one in different]
    winner = np.array(texts, dtype=object)[code]
    named = np.array(run_labels(positions.runs))
    is_a, is_b = ((winner == side) | (winner == named[place]) for side, place in zip("ab", sides))
    if not (is_a ^ is_b).all():
        bad = said[~(is_a ^ is_b)].iloc[0]
        raise ValueError(f"the winner {bad!r} is neither 'a', 'b', 'tie' nor one of the two runs.")
    return np.where(is_a, 1.0, -1.0)


def level_bins(deepest: int) -> np.ndarray:
    """Return the first levels of the bins: 1, 2, 3, 5, 9, 17, ... up to the deepest level."""
    doubled = 2 ** np.arange(0, 40) + 1
    return np.concatenate([[1], doubled[doubled <= deepest]])
