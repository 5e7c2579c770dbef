"""Interleaved rankings: what users are shown when two (or more) runs compete on one results page.

Balanced interleaving is Joachims' (2002), team-draft Radlinski, Kurup and Joachims' (2008), probabilistic
Hofmann, Whiteson and de Rijke's (2011). All lists are built at once: the only loop is over positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import all_pairs
from pdeval.evaluate.run_selection import place_of
from pdeval.join.rules import Compat, Ties
from pdeval.online.rankings import Rankings, rankings
from pdeval.tables.labels import labels
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import number, whole
from pdeval.verbs.progress import track

NONE = -2  # no document: the list has ended


def draft(ranked: np.ndarray, picker: np.ndarray) -> np.ndarray:
    """Return the documents picked when, at every position, one team takes its best document not yet taken.

    A list ends as soon as some team has nothing left to take.

    Parameters
    ----------
    ranked : ndarray of int, shape (lists, teams, depth)
        Documents in each team's order; -1 past the end.
    picker : ndarray of int, shape (lists, positions)
        Which team picks.

    Examples
    --------
    >>> draft(np.array([[[7, 8, 9], [7, 9, 5]]]), np.array([[0, 1, 1, 0]])).tolist()
    [[7, 9, 5, -2]]
    """
    n_lists, n_teams, _ = ranked.shape
    padded = np.concatenate([ranked, np.full((n_lists, n_teams, 1), -1)], axis=2)
    chosen = np.full(picker.shape, NONE, dtype=np.int64)
    at = np.zeros((n_lists, n_teams, 1), dtype=np.int64)
    open_ = np.ones(n_lists, dtype=bool)
    for position in range(picker.shape[1]):
        best = np.take_along_axis(padded, at, axis=2)
        while (taken := (chosen[:, None, :position] == best).any(axis=2)).any():
            at[taken] += 1
            best = np.take_along_axis(padded, at, axis=2)
        open_ &= (best >= 0).all(axis=(1, 2))
        if not open_.any():
            break
        pick = np.take_along_axis(best[:, :, 0], picker[:, position, None], axis=1)[:, 0]
        chosen[open_, position] = pick[open_]
    return chosen


def draft_in_turn(ranked: np.ndarray, turn: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the documents and teams when teams take turns, and one that has nothing left is passed over.

    Parameters
    ----------
    ranked : ndarray of int, shape (lists, teams, depth)
        Documents in each team's order; -1 past the end.
    turn : ndarray of int, shape (lists, turns)
        Whose turn it is.
    length : int
        Where lists end.

    Examples
    --------
    >>> chosen, team = draft_in_turn(np.array([[[7, -1, -1], [7, 9, 5]]]), np.array([[1, 0, 0, 1, 1, 0]]), 4)
    >>> chosen.tolist(), team.tolist()
    ([[7, 9, 5, -2]], [[1, 1, 1, -1]])
    """
    n_lists, n_teams, _ = ranked.shape
    padded = np.concatenate([ranked, np.full((n_lists, n_teams, 1), -1)], axis=2)
    chosen, team = np.full((n_lists, length), NONE, dtype=np.int64), np.full((n_lists, length), -1, dtype=np.int64)
    at = np.zeros((n_lists, n_teams), dtype=np.int64)
    lists, filled = np.arange(n_lists), np.zeros(n_lists, dtype=np.int64)
    for own in turn.T:
        best = padded[lists, own, at[lists, own]]
        while (taken := (chosen[:, : filled.max(initial=0)] == best[:, None]).any(axis=1)).any():
            at[lists[taken], own[taken]] += 1
            best = padded[lists, own, at[lists, own]]
        picks = np.flatnonzero((best >= 0) & (filled < length))
        chosen[picks, filled[picks]], team[picks, filled[picks]] = best[picks], own[picks]
        filled[picks] += 1
        if (filled == length).all():
            break
    return chosen, team


def balance(
    a: np.ndarray, b: np.ndarray, a_in_b: np.ndarray, b_in_a: np.ndarray, a_first: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return balanced lists and their teams (0 or 1): both runs read in turn, known documents passed over.

    Parameters
    ----------
    a, b : ndarray of int, shape (lists, depth)
        Documents in rank order; -1 past the end.
    a_in_b, b_in_a : ndarray of float, same shape
        The rank of a's documents in b, and of b's in a; infinity where absent.
    a_first : ndarray of bool, shape (lists,)
        Who is read first.

    Examples
    --------
    >>> a, b, inf = np.array([[7, 8, 9]]), np.array([[7, 9, 5]]), np.inf
    >>> chosen, team = balance(a, b, np.array([[1, inf, 2]]), np.array([[1, 3, inf]]), np.array([True]))
    >>> chosen.tolist(), team[chosen >= 0].tolist()
    ([[7, 8, 9, -2, -2, -2]], [0, 0, 1])
    """
    n_lists, depth = a.shape
    turn = np.stack([~a_first, a_first], axis=1).astype(np.float64)[:, :, None]
    slot = 2 * np.arange(depth) + turn  # when a's, b's document of this rank is read: (lists, 2, depth)
    other = 2 * (np.stack([a_in_b, b_in_a], axis=1) - 1) + turn[:, ::-1]
    docs = np.stack([a, b], axis=1)
    end = np.where(docs >= 0, slot, -1).max(axis=2).min(axis=1)  # reading stops where the first run ends
    kept = (docs >= 0) & (slot < other) & (slot <= end[:, None, None])
    order = np.where(kept, slot, np.inf).reshape(n_lists, -1).argsort(axis=1)
    chosen = np.where(kept, docs, NONE).reshape(n_lists, -1)
    return np.take_along_axis(chosen, order, axis=1), order // depth


def shuffled(ranked: np.ndarray, length: int, tau: float, rng: np.random.Generator) -> np.ndarray:
    """Return each team's first documents of a random order: one after the other with probability ~ rank ** -tau.

    Exponential waiting times with those rates do it at once; as they have no memory, taking out what the other team
    has picked leaves the order of the rest as if it had been drawn afterwards. A list of some length needs no more
    documents of either team than that.

    Examples
    --------
    >>> shuffled(np.array([[[7, 8, 9]]]), 2, 50.0, np.random.default_rng(0)).tolist()
    [[[7, 8]]]
    """
    rank = np.arange(1, ranked.shape[2] + 1, dtype=np.float64)
    wait = rng.standard_exponential(ranked.shape) * rank**tau
    wait[ranked < 0] = np.inf
    if length < ranked.shape[2]:
        soon = np.argpartition(wait, length - 1, axis=2)[:, :, :length]
        ranked, wait = np.take_along_axis(ranked, soon, axis=2), np.take_along_axis(wait, soon, axis=2)
    return np.take_along_axis(ranked, wait.argsort(axis=2, kind="stable"), axis=2)


def draw_any(docs: np.ndarray, best: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Return lists in which every position has any of the documents that some run ranks as high, not yet in the list.

    Parameters
    ----------
    docs : ndarray of int, shape (lists, documents)
        The documents of each list's runs; -1 past the end.
    best : ndarray of float, same shape
        The best rank that any run gives them.
    uniform : ndarray of float, shape (lists, positions)
        Random numbers in [0, 1): which of the documents is taken.

    Examples
    --------
    >>> draw_any(np.array([[7, 8, 9]]), np.array([[1.0, 1, 2]]), np.array([[0.9, 0.4, 0.0, 0.5]])).tolist()
    [[8, 7, 9, -2]]
    """
    chosen = np.full(uniform.shape, NONE, dtype=np.int64)
    free = docs >= 0
    lists = np.arange(len(docs))
    for position in range(uniform.shape[1]):
        count = np.cumsum(free & (best <= position + 1), axis=1)
        if not docs.shape[1] or not count[:, -1].any():
            break
        wanted = (uniform[:, position] * count[:, -1]).astype(np.int64)
        at = np.argmax(count > wanted[:, None], axis=1)
        open_ = count[:, -1] > 0
        chosen[open_, position] = docs[lists, at][open_]
        free[lists[open_], at[open_]] = False
    return chosen


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
        ... The order of the rows does not matter.
    tau : float
        How steeply probabilistic interleaving prefers a run's top ranks.
    ties : {'docid', 'rank', 'first'}, optional
        Order of equal scores: document id descending, as trec_eval; the rank column; the order of rows. By default
        'docid' where there are scores, else 'rank'.

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
    depth, draws, seed = counts_of(depth, draws, seed)
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
    rows, position, chosen, team = drafted(found, teams, topic, method, depth, seed, tau, progress)
    ranks = [found.rank(side[pair[rows]], topic[rows], chosen) for side in (a, b)]
    shared = ranks[0] <= prefix[rows]
    if method == "balanced":
        team = np.where(shared, -1, team)
    columns: dict[str, object] = {}
    for side, codes in (("a", a), ("b", b)):
        for name in found.runs.columns:
            columns[f"{name}_{side}"] = labels(found.runs[name], codes[pair[rows]])
    columns |= shown_columns(found, topic, rows, draws, position, chosen)
    columns["team"] = pd.Index(["a", "b"]).array.take(team, allow_fill=True)
    columns |= {"rank_a": ranks[0], "rank_b": ranks[1], "shared": shared}
    columns["method"] = labels(pd.Index([method]), np.zeros(len(rows), np.int8))
    return described_lists(pd.DataFrame(columns, copy=False), found, ties, compat, seed)


def described_lists(
    frame: pd.DataFrame, found: Rankings, ties: Ties | None, compat: Compat, seed: int | None
) -> pd.DataFrame:
    """Return lists that say which columns play which roles and how the runs were ranked."""
    names: dict[Any, Any] = {"run_columns": list(map(str, found.runs.columns))}
    names |= {"query_column": str(found.queries.name), "doc_column": str(found.docs.name)}
    frame.attrs = {**names, "ties": ties, "compat": compat, "seed": seed}
    return frame


def drafted(
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
    blocks = list(blocks_of(len(topic), n_teams * max(deep, length)))
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
    for block in blocks_of(len(topic), 2 * deep):
        first, second = (found.top(side[block], topic[block], deep) for side in (a, b))
        length[block] = np.logical_and.accumulate((first == second) & (first >= 0), axis=1).sum(axis=1)
    return length


def shown_columns(
    found: Rankings, topic: np.ndarray, rows: np.ndarray, draws: int, position: np.ndarray, chosen: np.ndarray
) -> dict[str, object]:
    """Return what tables of lists say of every row: query, draw, position and document."""
    return {
        str(found.queries.name): labels(found.queries, topic[rows]),
        "draw": rows % draws,
        "position": position,
        str(found.docs.name): labels(found.docs, chosen),
    }


def blocks_of(n: int, width: int) -> Iterator[slice]:
    """Yield lists in parts whose temporary arrays fit memory."""
    step = max(BLOCK // max(width, 1), 1)
    for first in range(0, n, step):
        yield slice(first, min(first + step, n))


def counts_of(depth: int | None, draws: int, seed: int | None) -> tuple[int | None, int, int | None]:
    """Return how long, how many and of what seed the lists are, or raise where that is no number."""
    return None if depth is None else whole("depth", depth, 1), whole("draws", draws, 1), arguments.seed(seed)


def _check_pairs(pairs: object) -> None:
    if isinstance(pairs, str) or not isinstance(pairs, Iterable) or not list(pairs):
        raise ValueError(f"pairs={pairs!r}: give a list of pairs of runs, such as [('bm25', 'dense')].")
    wrong = [pair for pair in pairs if not isinstance(pair, list | tuple) or len(pair) != 2]
    if wrong:
        raise ValueError(f"pairs= holds {wrong[0]!r}: every pair is two runs, such as ('bm25', 'dense').")
