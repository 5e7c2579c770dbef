"""Fitted weights: the users' recall needs that best explain labelled preferences (Diaz & Ferraro 2022, section 7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pdeval.evaluate.run_selection import place_of
from pdeval.evaluate.scores import Views
from pdeval.evaluate.sources import clear_values
from pdeval.join.judged import Judged
from pdeval.join.positions import Positions
from pdeval.kernels.primitives import closer
from pdeval.tables.labels import run_labels
from pdeval.tables.reader import checked_binding, numbers, query_column
from pdeval.verbs import verb
from pdeval.verbs.arguments import number


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

    penalty = number("penalty", penalty, 0)
    positions, level = judged.positions, judged.level
    topic, a, b, sign = labelled_pairs(positions, labelled, str(judged.queries.name))
    bins = level_bins(int(np.bincount(positions.judged.topic[positions.relevant(level)]).max(initial=1)))
    gain, size = _features(judged, topic, a, b, bins)
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


def _features(
    judged: Judged, topic: np.ndarray, a: np.ndarray, b: np.ndarray, bins: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return, per label and bin, the sum of signs of its levels, and the number of its levels."""
    gain, size = np.zeros((len(topic), len(bins))), np.zeros((len(topic), len(bins)))
    for block in Views(judged).blocks("binary", judged.level):
        where = np.full(len(judged.queries), -1)
        where[block.topics] = np.arange(len(block.topics))
        mine = np.flatnonzero(where[topic] >= 0)
        if block.size == 0 or len(mine) == 0:
            continue
        rank = block["rank"]
        sign = closer(rank[:, where[topic[mine]], a[mine]], rank[:, where[topic[mine]], b[mine]])
        first = bins[bins <= block.size] - 1
        gain[mine[:, None], np.arange(len(first))] = np.add.reduceat(sign.astype(np.float64), first, axis=0).T
        size[mine[:, None], np.arange(len(first))] = np.diff(np.append(first, block.size))
    return gain, size
