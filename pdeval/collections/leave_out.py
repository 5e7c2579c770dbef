"""Leaving a run or a team out of the pool: would the collection have been fair to it?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pdeval.collections.teams import Teams
from pdeval.evaluate.scores import Topics
from pdeval.judged.positions import Positions
from pdeval.kinds.labels import labels
from pdeval.mechanics.progress import track
from pdeval.orderings.coefficients import tau_b
from pdeval.orderings.standings import standing


def leave_one_out(
    positions: Positions,
    measures: object = ("AP",),
    *,
    depth: int = 100,
    teams: Teams | None = None,
    method: Any = None,
    level: float | None = None,
    topics: Topics = "relevant",
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return how each run stands under the judgments that would have been made without it.

    The judgments that only one run (or team) brought into the pool are taken away, all runs are scored and ordered
    again on what is left, and the run is compared with itself (Zobel 1998). Judged items that no run has among its
    first `depth` stay: somebody else brought them in.

    Parameters
    ----------
    positions : Positions
        The join of runs and judgments.
    measures : name or names
        Measures of one ranking, or preferences (scored by their win rates).
    depth : int
        The depth of the pool that was judged.
    teams : Teams, optional
        Leave out a team's runs together; see `pdeval.collections.teams.of`.
    method : str or list of str, optional
        How to order; see `pdeval.orderings.order`.
    level, topics
        As in `pdeval.evaluate.scores`. Under "relevant" a query that has nothing relevant left counts no longer.
    progress : bool, optional
        Show a bar; by default after a second, to a person.

    Returns
    -------
    DataFrame
        run, [team,] measure, method, removed (relevant items taken away), queries (that count without them), score,
        score_without, difference (score_without - score), rank, rank_without, rank_change (places lost), tau (Kendall's
        tau-b between the two orderings of all runs); sorted by measure and method as asked, then by run.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> found = leave_one_out(joined.positions, "AP", depth=20)
    >>> found.loc[found["run"] == "tfidf", ["removed", "difference", "rank_change"]].round(4).values.tolist()
    [[8.0, -0.004, 0.0]]
    """
    if not isinstance(depth, (int, np.integer)) or isinstance(depth, bool) or depth < 1:
        raise ValueError(f"depth={depth!r}: give the depth of the pool, a whole number of at least 1.")
    if positions.rules.get("ties") == "expected":
        raise ValueError("ties='expected' gives no item a definite rank, so none is in the pool; choose another ties=.")
    rules: dict[str, Any] = {"method": method, "level": level, "topics": topics}
    full = standing(positions, measures, **rules)
    number = len(positions.runs)
    group = np.arange(number) if teams is None else teams.of
    owner = owners(positions, group, depth)
    relevant = positions.relevant(level)
    removed = np.bincount(owner[relevant & (owner >= 0)], minlength=int(group.max()) + 1)
    score, rank, tau = full.score.copy(), full.rank.copy(), np.empty(full.rank.shape)
    queries = np.empty(full.rank.shape, dtype=np.int64)
    which = np.unique(group)
    for one in track(which, total=len(which), desc="leaving out", progress=progress):
        own = np.flatnonzero(group == one)
        # nothing of its own: nothing to take away
        rest = full if not (owner == one).any() else _without(positions, owner != one, measures, own, rules)
        score[:, own], rank[:, own], queries[:, own] = rest.score[:, own], rest.rank[:, own], rest.queries[:, None]
        taus = [1.0 if rest is full else tau_b(-a, -b) for a, b in zip(full.rank, rest.rank)]
        tau[:, own] = np.array(taus)[:, None]
    key, run = np.divmod(np.arange(tau.size), number)
    columns: dict[str, Any] = {name: labels(positions.runs[name], run) for name in positions.runs.columns}
    if teams is not None:
        columns[str(teams.names.name)] = labels(teams.names, teams.of[run])
    columns |= full.columns(key)
    columns |= {"removed": removed[group][run], "queries": queries.ravel()}
    columns |= {"score": full.score.ravel(), "score_without": score.ravel()}
    columns["difference"] = columns["score_without"] - columns["score"]
    columns |= {"rank": full.rank.ravel().astype(np.int64), "rank_without": rank.ravel().astype(np.int64)}
    columns["rank_change"] = columns["rank_without"] - columns["rank"]
    return pd.DataFrame({**columns, "tau": tau.ravel()})


def owners(positions: Positions, group: np.ndarray, depth: int) -> np.ndarray:
    """Return, for every judged item, the only group of runs that has it among its first; -1 for none or several.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> one_group = owners(joined.positions, np.zeros(12, dtype=np.int64), 100)
    >>> sorted(set(one_group.tolist()))
    [0]
    """
    inside = positions.rank <= depth
    item, own = positions.item[inside], group[positions.run[inside]]
    first = np.full(len(positions.judged.topic), len(positions.runs))
    last = np.full(len(positions.judged.topic), -1)
    np.minimum.at(first, item, own)
    np.maximum.at(last, item, own)
    return np.where(first == last, last, -1)


def _without(positions: Positions, kept: np.ndarray, measures: object, own: np.ndarray, rules: dict[str, Any]) -> Any:
    try:
        return standing(positions.keep_items(kept), measures, **rules, tell=False)
    except ValueError as fault:
        names = ", ".join(map(str, positions.runs.iloc[own[:3]].to_numpy().ravel()))
        raise ValueError(f"without what only {names} contributed: {fault}") from None
