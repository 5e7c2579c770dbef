"""Interleaved rankings: what users are shown when two (or more) runs compete on one results page.

Balanced interleaving is Joachims' (2002), team-draft Radlinski, Kurup and Joachims' (2008), probabilistic
Hofmann, Whiteson and de Rijke's (2011), team-draft multileaving Schuth et al.'s (2014). All lists are built at
once: the only loop is over positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.choice import place_of
from pdeval.evaluate.cube import all_pairs
from pdeval.judged.prepared import Compat
from pdeval.judged.ranks import Ties
from pdeval.kinds.labels import labels, run_labels
from pdeval.kinds.schemas import table
from pdeval.kinds.tables import Table
from pdeval.mechanics import arguments
from pdeval.mechanics.arguments import number, whole
from pdeval.mechanics.progress import track
from pdeval.online.drafts import balance, draft, draft_in_turn, shuffled
from pdeval.online.rankings import Rankings, rankings
from pdeval.verbs import verb

Method = Literal["team-draft", "balanced", "probabilistic"]
BLOCK = 1 << 21  # elements of the largest temporary array

table(
    "lists",
    "run_a run_b query [draw:int] position:int doc team [rank_a:float rank_b:float shared:bool method]",
    "table of interleaved lists",
    row="pair of runs, query, draw and position",
    sort="run_a run_b query draw position",
    then=".simulate_clicks(qrels), log.ireval.credit(lists)",
    means={
        "draw": "number of the list among several of its pair and query, from 0",
        "position": "place in the list, from 1",
        "team": "'a' or 'b': whose document it is; nobody's on shared ranks of balanced lists",
        "rank_a": "rank in the first run; infinity: not there",
        "rank_b": "rank in the second run; infinity: not there",
        "shared": "whether it stands in the top ranks on which both runs agree exactly",
        "method": "how the lists were interleaved",
    },
    unreported="it is what users are shown; report credits.ireval.wins()",
    undrawn="it is what users are shown; draw credits.ireval.wins()",
)
table(
    "multileaved_lists",
    "query [draw:int] position:int doc team [method]",
    "table of multileaved lists",
    row="query, draw and position",
    sort="query draw position",
    then=".simulate_clicks(qrels), log.ireval.credit(lists)",
    means={
        "draw": "number of the list among several of its query, from 0",
        "position": "place in the list, from 1",
        "team": "the run whose document it is; where several columns name a run, joined by ' / '",
        "method": "'multileave'",
    },
    unreported="it is what users are shown; report credits.ireval.wins()",
    undrawn="it is what users are shown; draw credits.ireval.wins()",
)


@verb(on="runs", gives="lists", own="depth")
def interleave(
    runs: Table,
    *,
    method: Method = "team-draft",
    pairs: Sequence[tuple[object, object]] | None = None,
    depth: int | None = 10,
    draws: int = 1,
    seed: int | None = 0,
    tau: float = 3.0,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return interleaved lists of pairs of runs, for every query that both answered: one row per position.

    Parameters
    ----------
    method : {'team-draft', 'balanced', 'probabilistic'}
        'team-draft': in each round a coin says who picks first; each picks its best document that is not yet in the
        list, and owns it. 'balanced': both runs are read in turn, a coin says who is first; a document that is already
        in the list is passed over. 'probabilistic': at every position a coin says who picks, and the picker draws a
        document with probability falling as rank ** -tau.
    pairs : list of (run_a, run_b), optional
        Run ids; by default every pair of runs once. Where several columns name a run, each side is a tuple.
    depth : int, optional
        Length of the lists. A list ends earlier where one of the two runs has nothing left; None leaves only that.
    draws : int
        Independent lists for every pair and query.
    seed : int, optional
        The same seed gives the same lists for any order of the rows.
    tau : float
        How steeply probabilistic interleaving prefers a run's top ranks.
    ties : {'docid', 'rank', 'first'}, optional
        Order of equal scores: document id descending, as trec_eval; the rank column; the order of rows. By default
        'docid' where there are scores, else 'rank'.
    compat : {'trec_eval-10', 'trec_eval-9', 'pref_eval'}
        Whose arithmetic, where tools differ.
    progress : bool, optional
        Show a progress bar; by default only for long work that a person is watching.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged()
    >>> judged.interleave(pairs=[("bm25", "hybrid")]).head(3).drop(columns=["draw", "method"])
      run_a   run_b query_id  position         doc_id team  rank_a  rank_b  shared
    0  bm25  hybrid      101         1      doc-03054    b     2.0     1.0   False
    1  bm25  hybrid      101         2      doc-03516    a     1.0    10.0   False
    2  bm25  hybrid      101         3  news-2015-373    b     8.0     2.0   False
    """
    if method not in ("team-draft", "balanced", "probabilistic"):
        raise ValueError(f"method is 'team-draft', 'balanced' or 'probabilistic', not {method!r}.")
    depth, draws, seed = _counts(depth, draws, seed)
    if not number("tau", tau, 0) < np.inf:
        raise ValueError(f"tau={tau!r}: give a finite number of at least 0.")
    found = rankings(runs, ties=ties, compat=compat)
    if pairs is None:
        a, b = all_pairs(len(found.runs))
    else:
        _check_pairs(pairs)
        a, b = (np.array([place_of(found.runs, pair[side]) for pair in pairs], dtype=np.int64) for side in range(2))
    if not len(a):
        raise ValueError(f"interleaving needs two runs; the run table has {len(found.runs)}.")
    pair, topic = np.nonzero((found.size[a] > 0) & (found.size[b] > 0))
    prefix = np.repeat(_prefix(found, a[pair], b[pair], topic, None if method == "probabilistic" else depth), draws)
    pair, topic = np.repeat(pair, draws), np.repeat(topic, draws)
    teams = np.stack([a[pair], b[pair]], axis=1)
    rows, position, chosen, team = _lists(found, teams, topic, method, depth, seed, tau, progress)

    ranks = [found.rank(side[pair[rows]], topic[rows], chosen) for side in (a, b)]
    shared = ranks[0] <= prefix[rows]
    if method == "balanced":
        team = np.where(shared, -1, team)
    columns: dict[str, object] = {}
    for side, codes in (("a", a), ("b", b)):
        for name in found.runs.columns:
            columns[f"{name}_{side}"] = labels(found.runs[name], codes[pair[rows]])
    columns |= _shown(found, topic, rows, draws, position, chosen)
    columns["team"] = pd.Index(["a", "b"]).array.take(team, allow_fill=True)
    columns |= {"rank_a": ranks[0], "rank_b": ranks[1], "shared": shared}
    columns["method"] = labels(pd.Index([method]), np.zeros(len(rows), np.int8))
    return _described(pd.DataFrame(columns, copy=False), found, ties, compat, seed)


@verb(on="runs", gives="multileaved_lists", family="interleave", name="many", own="depth", formerly="multileave")
def interleave_many(
    runs: Table,
    *,
    depth: int | None = 10,
    draws: int = 1,
    seed: int | None = 0,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return team-draft lists of all runs at once, for every query that all of them answered: one row per position.

    In each round the runs pick in a random order, each its best document that is not yet in the list; a run that has
    nothing left is passed over. Select the rows of the runs that take part.

    Parameters
    ----------
    depth : int, optional
        Length of the lists; shorter only where no run has anything left, and None leaves only that.
    draws : int
        Independent lists for every query.
    seed : int, optional
        The same seed gives the same lists for any order of the rows.
    ties : {'docid', 'rank', 'first'}, optional
        Order of equal scores: document id descending, as trec_eval; the rank column; the order of rows. By default
        'docid' where there are scores, else 'rank'.
    compat : {'trec_eval-10', 'trec_eval-9', 'pref_eval'}
        Whose arithmetic, where tools differ.
    progress : bool, optional
        Show a progress bar; by default only for long work that a person is watching.

    Examples
    --------
    >>> import pdeval
    >>> runs = pdeval.datasets.sample_runs()
    >>> some = runs[runs["run"].isin(["bm25", "hybrid", "tfidf"])]
    >>> some.ireval.interleave.many(depth=3).head(3)
      query_id  draw  position      doc_id    team      method
    0      101     0         1   doc-03054  hybrid  multileave
    1      101     0         2  web03.3783   tfidf  multileave
    2      101     0         3   doc-03516    bm25  multileave
    """
    depth, draws, seed = _counts(depth, draws, seed)
    found = rankings(runs, ties=ties, compat=compat)
    if len(found.runs) < 2:
        raise ValueError(f"multileaving needs at least two runs; the run table has {len(found.runs)}.")
    topic = np.repeat(np.flatnonzero((found.size > 0).all(axis=0)), draws)
    teams = np.broadcast_to(np.arange(len(found.runs)), (len(topic), len(found.runs)))
    rows, position, chosen, team = _lists(found, teams, topic, "multileave", depth, seed, 0.0, progress)
    columns = _shown(found, topic, rows, draws, position, chosen)
    only = found.runs.columns[0]
    names = pd.Index(found.runs[only]) if found.runs.shape[1] == 1 else pd.Index(run_labels(found.runs))
    columns["team"] = labels(names, team)
    columns["method"] = labels(pd.Index(["multileave"]), np.zeros(len(rows), np.int8))
    return _described(pd.DataFrame(columns, copy=False), found, ties, compat, seed)


def _described(
    frame: pd.DataFrame, found: Rankings, ties: Ties | None, compat: Compat, seed: int | None
) -> pd.DataFrame:
    """Return lists that say which columns play which roles and how the runs were ranked."""
    names: dict[Any, Any] = {"run_columns": list(map(str, found.runs.columns))}
    names |= {"query_column": str(found.queries.name), "doc_column": str(found.docs.name)}
    frame.attrs = {**names, "ties": ties, "compat": compat, "seed": seed}
    return frame


def _lists(
    found: Rankings,
    teams: np.ndarray,
    topic: np.ndarray,
    method: str,
    depth: int | None,
    seed: int | None,
    tau: float,
    progress: bool | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return list number, position from 1, document and team of every row of the interleaved lists."""
    n_teams = teams.shape[1]
    longest = int(found.size.max())
    # no list is longer than all of its runs together; draws for 1,000 places keep short lists as they were
    length = n_teams * longest if depth is None else min(depth, max(n_teams * longest, 1000))
    deep = longest if method == "probabilistic" else min(length, longest)
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(3)]
    parts = []
    blocks = list(_blocks(len(topic), n_teams * max(deep, length)))
    for block in track(blocks, total=len(blocks), desc="interleaving", progress=progress):
        side = [found.top(teams[block, team], topic[block], deep) for team in range(n_teams)]
        size = len(side[0])
        if method == "balanced":
            a_in_b, b_in_a = (
                found.rank(teams[block, 1 - own][:, None], topic[block][:, None], side[own]) for own in range(2)
            )
            chosen, team = balance(side[0], side[1], a_in_b, b_in_a, streams[0].random(size) < 0.5)
            chosen, team = chosen[:, :length], team[:, :length]
        else:
            ranked = np.stack(side, axis=1)
            if method == "probabilistic":
                team = (streams[0].random((size, length)) * n_teams).astype(np.int64)
                ranked = shuffled(ranked, length, tau, streams[1])
            else:
                rounds = -(-length // n_teams)
                team = streams[0].random((size, rounds, n_teams)).argsort(axis=2).reshape(size, -1)
            if method == "multileave":  # further rounds, for lists in which some team has nothing left
                more = streams[2].random((size, max(deep - rounds, 0), n_teams)).argsort(axis=2).reshape(size, -1)
                chosen, team = draft_in_turn(ranked, np.concatenate([team, more], axis=1), length)
            else:
                chosen = draft(ranked, team[:, :length])
        rows, at = np.nonzero(chosen >= 0)
        parts.append((rows + block.start, at + 1, chosen[rows, at], team[rows, at]))
    if not parts:
        return tuple(np.zeros(0, dtype=np.int64) for _ in range(4))  # type: ignore[return-value]
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))  # type: ignore[return-value]


def _prefix(found: Rankings, a: np.ndarray, b: np.ndarray, topic: np.ndarray, depth: int | None) -> np.ndarray:
    """Return, for every list, how many top ranks its two runs share exactly, up to a depth."""
    deep = min(depth or int(found.size.max()), int(found.size.max()))
    length = np.zeros(len(topic), dtype=np.int64)
    for block in _blocks(len(topic), 2 * deep):
        first, second = (found.top(side[block], topic[block], deep) for side in (a, b))
        length[block] = np.logical_and.accumulate((first == second) & (first >= 0), axis=1).sum(axis=1)
    return length


def _shown(
    found: Rankings, topic: np.ndarray, rows: np.ndarray, draws: int, position: np.ndarray, chosen: np.ndarray
) -> dict[str, object]:
    return {
        str(found.queries.name): labels(found.queries, topic[rows]),
        "draw": rows % draws,
        "position": position,
        str(found.docs.name): labels(found.docs, chosen),
    }


def _blocks(n: int, width: int) -> Iterator[slice]:
    step = max(BLOCK // max(width, 1), 1)
    for first in range(0, n, step):
        yield slice(first, min(first + step, n))


def _counts(depth: int | None, draws: int, seed: int | None) -> tuple[int | None, int, int | None]:
    """Return how long, how many and of what seed the lists are, or raise where that is no number."""
    return None if depth is None else whole("depth", depth, 1), whole("draws", draws, 1), arguments.seed(seed)


def _check_pairs(pairs: object) -> None:
    if isinstance(pairs, str) or not isinstance(pairs, Iterable) or not list(pairs):
        raise ValueError(f"pairs={pairs!r}: give a list of pairs of runs, such as [('bm25', 'dense')].")
    wrong = [pair for pair in pairs if not isinstance(pair, list | tuple) or len(pair) != 2]
    if wrong:
        raise ValueError(f"pairs= holds {wrong[0]!r}: every pair is two runs, such as ('bm25', 'dense').")
