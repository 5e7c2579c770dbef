"""Leaving a run or a team out of the pool: would the collection have been fair to it?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.evaluate.cube import described_frame, run_columns
from pdeval.evaluate.scores import attributes
from pdeval.join.judged import Judged
from pdeval.join.positions import Positions
from pdeval.judgments.pools import Team, partition
from pdeval.orderings.coefficients import tau_b
from pdeval.orderings.order import Standing, standing
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.progress import track

table(
    "left_out",
    "run [team:any] measure method removed:int queries:int score:float score_without:float difference:float "
    "rank:int rank_without:int rank_change:int tau_b:float",
    "standings with runs left out",
    known_by="run measure method score_without rank_without tau_b",
    row="run, measure and method",
    sort="measure method run",
    then=".report()",
    means={
        "team": "the team, under the name of its column",
        "removed": "relevant items that only this run (or team) brought into the pool",
        "queries": "queries that count for the run without them",
        "score_without": "the score on the judgments that are left",
        "difference": "score_without - score",
        "rank_without": "the rank on the judgments that are left",
        "rank_change": "places lost",
        "tau_b": "Kendall's tau-b between the two orderings of all runs",
    },
    undrawn="it is a table to read: one row per run",
)


@verb(
    on="judged",
    gives="left_out",
    family="pool",
    name="leave_one_out",
    own="depth",
    formerly="leave_one_out",
)
def leave_one_out(
    judged: Judged,
    measures: object = ("AP",),
    *,
    depth: int = 100,
    team: Team | None = None,
    metadata: pd.DataFrame | None = None,
    method: str | Sequence[str] | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return how each run stands under the judgments that would have been made without it, or without its team.

    The judgments that only one run (or team) brought into the pool are taken away, all runs are scored and ordered
    again on what is left, and the run is compared with itself (Zobel 1998). Judged items that no run has among its
    first `depth` stay: somebody else brought them in. A query that has nothing relevant left counts no longer, unless
    `topics` says so.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures of one ranking, or preferences (scored by their win rates).
    depth : int
        The depth of the pool that was judged.
    team : str or mapping, optional
        Leave out the runs of a team together: a column of `metadata` or of the run table, or the team of each run.
    metadata : DataFrame, optional
        What the runs are, one row per run.
    method : str or list of str, optional
        How to order the runs, e.g. "borda" or "mc4"; by default by the mean of a measure and by the win rates of a
        preference.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> found = judged.pool.leave_one_out("AP", depth=20)
    >>> found.loc[:2, ["run", "removed", "score", "score_without", "rank", "rank_without", "tau_b"]].round(3)
            run  removed  score  score_without  rank  rank_without  tau_b
    0      bm25       18  0.324          0.314    10            10   1.00
    1  bm25+rm3       20  0.335          0.323     9            10   0.97
    2  dense-s1       11  0.432          0.427     7             7   1.00
    """
    positions = judged.positions
    if positions.rules.get("ties") == "expected":
        raise ValueError(
            "ties='expected' gives no item a definite rank, so none is in the pool; choose another ties=."
        )
    group, teams = np.arange(len(positions.runs)), None
    if team is not None:
        in_runs = (
            isinstance(team, str) and metadata is None and team not in judged.runs
        )  # a column of the run table
        run_table = positions.source[0] if in_runs and positions.source is not None else None
        teams = partition(judged.runs, team, metadata, run_table)
        group = teams.codes
    parsed = parse_all(measures)
    full = standing(judged, parsed, method=method, tell=True)
    owner = owners(positions, group, depth)
    removed = np.bincount(
        owner[positions.relevant(judged.level) & (owner >= 0)], minlength=int(group.max()) + 1
    )
    score, rank, tau = full.score.copy(), full.rank.copy(), np.empty(full.rank.shape)
    queries = np.empty(full.rank.shape, dtype=np.int64)
    level = {measure.label: measure.level for measure in parsed}
    groups = np.unique(group)
    for number in track(groups, total=len(groups), desc="leaving out", progress=progress):
        runs = np.flatnonzero(group == number)
        kept = owner != number
        without, rest, taus = judged, full, [1.0] * len(tau)
        if not kept.all():
            without = judged.on(positions.keep_items(kept))
            rest = _order_without(without, parsed, runs, method)
            taus = [float(tau_b(-a, -b)) for a, b in zip(full.rank, rest.rank)]
        score[:, runs], rank[:, runs] = rest.score[:, runs], rest.rank[:, runs]
        queries[:, runs] = [
            without.counted(level[label]).sum(axis=0)[runs] for label, _ in full.keys
        ]
        tau[:, runs] = np.array(taus)[:, None]
    # one row per measure and method, and run
    key, run = np.divmod(np.arange(tau.size), len(positions.runs))
    columns = run_columns(positions.runs, run)
    if teams is not None:
        columns[str(teams.names.name)] = labels(teams.names, teams.codes[run])
    rank_before, rank_without = (ranks.ravel().astype(np.int64) for ranks in (full.rank, rank))
    columns |= {
        **full.columns(key),
        "removed": removed[group][run],
        "queries": queries.ravel(),
        "score": full.score.ravel(),
        "score_without": score.ravel(),
        "difference": score.ravel() - full.score.ravel(),
        "rank": rank_before,
        "rank_without": rank_without,
        "rank_change": rank_without - rank_before,
        "tau_b": tau.ravel(),
    }
    return described_frame(columns, attributes(judged, parsed))


def owners(positions: Positions, group: np.ndarray, depth: int) -> np.ndarray:
    """Return, for every judged item, the only group of runs that has it among its first; -1 for none or several.

    Examples
    --------
    >>> import pdeval
    >>> one_group = owners(pdeval.datasets.sample_judged().positions, np.zeros(12, dtype=np.int64), 100)
    >>> sorted(set(one_group.tolist()))
    [0]
    """
    inside = positions.rank <= depth
    item, group_of_hit = positions.item[inside], group[positions.run[inside]]
    first = np.full(len(positions.judged.topic), len(positions.runs))
    last = np.full(len(positions.judged.topic), -1)
    # an item of one group has the same first and last group
    np.minimum.at(first, item, group_of_hit)
    np.maximum.at(last, item, group_of_hit)
    return np.where(first == last, last, -1)


def _order_without(
    judged: Judged, measures: object, runs: np.ndarray, method: str | Sequence[str] | None
) -> Standing:
    """Return the ordering of the runs without the items that only some of them contributed."""
    try:
        return standing(judged, measures, method=method, tell=False)
    except ValueError as fault:
        names = ", ".join(map(str, judged.runs.iloc[runs[:3]].to_numpy().ravel()))
        raise ValueError(f"without what only {names} contributed: {fault}") from None
