"""Interleaved rankings: what users are shown when two (or more) runs compete on one results page.

Balanced interleaving is Joachims' (2002), team-draft Radlinski, Kurup and Joachims' (2008), probabilistic
Hofmann, Whiteson and de Rijke's (2011). All lists are built at once: the only loop is over positions. Team-draft and
optimised multileaving are Schuth et al.'s (2014), pairwise preference multileaving Oosterhuis and de Rijke's (2017).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import all_pairs, described_frame, pair_columns
from pdeval.evaluate.run_selection import place_of
from pdeval.join.rules import Compat, Ties, outside
from pdeval.online.rankings import Rankings, best_ranks, rankings
from pdeval.tables.labels import labels, run_labels
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import one_of, whole
from pdeval.verbs.progress import track

Method = Literal["team-draft", "balanced", "probabilistic"]
ManyMethod = Literal["team-draft", "optimised", "pairwise"]
METHODS = ("team-draft", "optimised", "pairwise")
NONE = -2  # no document: the list has ended
BLOCK = 1 << 21  # elements of the largest temporary array
EVEN = 1e-7  # credit of random clicks that differs by less is equal


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
        "team": "the run whose document it is; where several columns name a run, joined by ' / '; nobody's in "
        "optimised and pairwise lists",
        "method": "'multileave' (team-draft), 'optimised' or 'pairwise'",
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
    draws = whole("draws", draws, 1)
    ranked = rankings(runs, ties=ties, compat=compat)
    a, b = all_pairs(len(ranked.runs))
    if pairs is not None:
        _check_pairs(pairs)
        a, b = (
            np.array([place_of(ranked.runs, pair[side]) for pair in pairs], dtype=np.int64)
            for side in range(2)
        )
    if not len(a):
        raise ValueError(f"interleaving needs two runs; the run table has {len(ranked.runs)}.")
    # pairs and queries that both runs answered
    pair, topic = np.nonzero((ranked.size[a] > 0) & (ranked.size[b] > 0))
    prefix = _prefix(ranked, a[pair], b[pair], topic, None if method == "probabilistic" else depth)
    pair, topic, prefix = (np.repeat(column, draws) for column in (pair, topic, prefix))
    rows, position, chosen, team = drafted(
        ranked, np.stack([a[pair], b[pair]], axis=1), topic, method, depth, seed, tau, progress
    )
    rank_a, rank_b = (ranked.rank(side[pair[rows]], topic[rows], chosen) for side in (a, b))
    shared = rank_a <= prefix[rows]
    if method == "balanced":
        team = np.where(shared, -1, team)
    columns = pair_columns(ranked.runs, a[pair[rows]], b[pair[rows]], labels)
    columns |= list_columns(ranked, topic, rows, draws, position, chosen)
    columns["team"] = pd.Index(["a", "b"]).array.take(team, allow_fill=True)
    columns |= {"rank_a": rank_a, "rank_b": rank_b, "shared": shared}
    return described_lists(columns, method, ranked, ties, compat, seed)


def _check_pairs(pairs: object) -> None:
    if isinstance(pairs, str) or not isinstance(pairs, Iterable) or not list(pairs):
        raise ValueError(
            f"pairs={pairs!r}: give a list of pairs of runs, such as [('bm25', 'dense')]."
        )
    wrong = [pair for pair in pairs if not isinstance(pair, list | tuple) or len(pair) != 2]
    if wrong:
        raise ValueError(
            f"pairs= holds {wrong[0]!r}: every pair is two runs, such as ('bm25', 'dense')."
        )


def list_columns(
    ranked: Rankings,
    topic: np.ndarray,
    rows: np.ndarray,
    draws: int,
    position: np.ndarray,
    chosen: np.ndarray,
) -> dict[str, object]:
    """Return what tables of lists say of every row: query, draw, position and document."""
    return {
        str(ranked.queries.name): labels(ranked.queries, topic[rows]),
        "draw": rows % draws,
        "position": position,
        str(ranked.docs.name): labels(ranked.docs, chosen),
    }


def described_lists(
    columns: dict[str, Any],
    method: str,
    ranked: Rankings,
    ties: Ties | None,
    compat: Compat,
    seed: int | None,
    **more: Any,
) -> pd.DataFrame:
    """Return lists that say which columns play which roles and how the runs were ranked."""
    columns["method"] = labels(pd.Index([method]), np.zeros(len(columns["position"]), np.int8))
    attrs = {
        "run_columns": list(map(str, ranked.runs.columns)),
        "query_column": str(ranked.queries.name),
        "doc_column": str(ranked.docs.name),
        "ties": ties,
        "compat": compat,
        "seed": seed,
    }
    return described_frame(columns, {**attrs, **more})


@verb(
    on="runs",
    gives="multileaved_lists",
    family="interleave",
    name="many",
    own="depth",
    formerly="multileave",
)
def interleave_many(
    runs: Table,
    *,
    method: ManyMethod = "team-draft",
    depth: int | None = 10,
    draws: int = 1,
    seed: int | None = 0,
    candidates: int = 200,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return lists of all runs at once, for every query that all of them answered: one row per position.

    Select the rows of the runs that take part. Clicks on optimised and pairwise lists are credited by the ranks that
    results have in every run: `log.ireval.credit(lists, runs=runs)`.

    Parameters
    ----------
    method : {'team-draft', 'optimised', 'pairwise'}
        'team-draft': in each round the runs pick in a random order, each its best document that is not yet in the list,
        and own it; a run that has nothing left is passed over. 'optimised': of all lists that such picks in any order
        can give, each is shown with a probability; the probabilities make the credit of random clicks as equal as can
        be and then the lists as telling as can be (Schuth et al. 2014). 'pairwise': at every position one of the
        documents that some run ranks as high, all with the same probability (Oosterhuis and de Rijke 2017).
    depth : int, optional
        Length of the lists; shorter only where no run has anything left, and None leaves only that.
    draws : int
        Independent lists for every query.
    seed : int, optional
        ... The order of the rows does not matter.
    candidates : int
        Of optimised lists: where a query has more possible lists than this, so many are drawn to choose from.
    ties : {'docid', 'rank', 'first'}, optional
        Order of equal scores: document id descending, as trec_eval; the rank column; the order of rows. By default
        'docid' where there are scores, else 'rank'.

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
    method = one_of("method", method, METHODS)  # type: ignore[assignment]
    draws, candidates = whole("draws", draws, 1), whole("candidates", candidates, 1)
    ranked = rankings(runs, ties=ties, compat=compat)
    if len(ranked.runs) < 2:
        raise ValueError(
            f"multileaving needs at least two runs; the run table has {len(ranked.runs)}."
        )
    answered = np.flatnonzero((ranked.size > 0).all(axis=0))
    topic = np.repeat(answered, draws)
    team = None
    if method == "team-draft":
        teams = np.broadcast_to(np.arange(len(ranked.runs)), (len(topic), len(ranked.runs)))
        rows, position, chosen, team = drafted(
            ranked, teams, topic, "multileave", depth, seed, 0.0, progress
        )
    elif method == "pairwise":
        rows, position, chosen = _pairwise(ranked, topic, depth, seed)
    else:
        rows, position, chosen = _optimised(
            ranked, answered, draws, depth, candidates, seed, progress
        )
    columns = list_columns(ranked, topic, rows, draws, position, chosen)
    columns["team"] = (
        pd.array([pd.NA] * len(rows), dtype="string")
        if team is None
        else labels(ranked.names, team)
    )
    return described_lists(
        columns,
        "multileave" if method == "team-draft" else method,
        ranked,
        ties,
        compat,
        seed,
        multileaved=run_labels(ranked.runs),
    )


def drafted(
    ranked: Rankings,
    teams: np.ndarray,
    topic: np.ndarray,
    method: str,
    depth: int | None,
    seed: int | None,
    tau: float,
    progress: bool | None,
) -> tuple[np.ndarray, ...]:
    """Return list number, position from 1, document and team of every row of the interleaved lists."""
    n_teams = teams.shape[1]
    longest = int(ranked.size.max())
    # no list is longer than all of its runs together; draws for 1,000 places keep short lists as they were
    length = n_teams * longest if depth is None else min(depth, max(n_teams * longest, 1000))
    deep = longest if method == "probabilistic" else min(length, longest)
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(3)]
    parts = []
    blocks = list(blocks_of(len(topic), n_teams * max(deep, length)))
    for block in track(blocks, total=len(blocks), desc="interleaving", progress=progress):
        sides = [ranked.top(teams[block, team], topic[block], deep) for team in range(n_teams)]
        docs, size = np.stack(sides, axis=1), len(sides[0])  # (lists, teams, ranks)
        rounds = -(-length // n_teams)
        if method == "balanced":
            a_in_b, b_in_a = (
                ranked.rank(teams[block, 1 - side][:, None], topic[block][:, None], sides[side])
                for side in range(2)
            )
            chosen, team = balance(
                sides[0], sides[1], a_in_b, b_in_a, streams[0].random(size) < 0.5
            )
            chosen = chosen[:, :length]
        elif method == "probabilistic":
            team = (streams[0].random((size, length)) * n_teams).astype(np.int64)
            chosen = draft(shuffled(docs, length, tau, streams[1]), team)
        else:  # in every round the teams take turns in random order
            team = streams[0].random((size, rounds, n_teams)).argsort(axis=2).reshape(size, -1)
            if (
                method == "multileave"
            ):  # further rounds, for lists in which some team has nothing left
                more = (
                    streams[2]
                    .random((size, max(deep - rounds, 0), n_teams))
                    .argsort(axis=2)
                    .reshape(size, -1)
                )
                chosen, team = draft_in_turn(docs, np.concatenate([team, more], axis=1), length)
            else:
                chosen = draft(docs, team[:, :length])
        parts.append(_rows(chosen, block.start, team))
    return _joined(parts, 4)


def _rows(chosen: np.ndarray, first: int, *more: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return list number, position from 1 and document of every place of lists that has one; and more of each."""
    # places without a document are left out
    rows, at = np.nonzero(chosen >= 0)
    return (rows + first, at + 1, *(cells[rows, at] for cells in (chosen, *more)))


def _joined(parts: Sequence[tuple[np.ndarray, ...]], width: int) -> tuple[np.ndarray, ...]:
    """Return the columns of all parts; empty ones without any."""
    columns = zip(*parts, strict=True) if parts else [[np.zeros(0, dtype=np.int64)]] * width
    return tuple(np.concatenate(column) for column in columns)


def blocks_of(n: int, width: int) -> Iterator[slice]:
    """Yield lists in parts whose temporary arrays fit memory."""
    step = max(BLOCK // max(width, 1), 1)
    for first in range(0, n, step):
        yield slice(first, min(first + step, n))


def _prefix(
    ranked: Rankings, a: np.ndarray, b: np.ndarray, topic: np.ndarray, depth: int | None
) -> np.ndarray:
    """Return, for every list, how many top ranks its two runs share exactly, up to a depth."""
    longest = int(ranked.size.max())
    deep = min(depth or longest, longest)
    length = np.zeros(len(topic), dtype=np.int64)
    for block in blocks_of(len(topic), 2 * deep):
        first, second = (ranked.top(side[block], topic[block], deep) for side in (a, b))
        length[block] = np.logical_and.accumulate((first == second) & (first >= 0), axis=1).sum(
            axis=1
        )
    return length


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


def draft_in_turn(
    ranked: np.ndarray, turn: np.ndarray, length: int
) -> tuple[np.ndarray, np.ndarray]:
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
    chosen, team = (
        np.full((n_lists, length), NONE, dtype=np.int64),
        np.full((n_lists, length), -1, dtype=np.int64),
    )
    at = np.zeros((n_lists, n_teams), dtype=np.int64)
    lists, filled = np.arange(n_lists), np.zeros(n_lists, dtype=np.int64)
    for picker in turn.T:  # the team that picks, by list
        best = padded[lists, picker, at[lists, picker]]
        while (taken := (chosen[:, : filled.max(initial=0)] == best[:, None]).any(axis=1)).any():
            at[lists[taken], picker[taken]] += 1
            best = padded[lists, picker, at[lists, picker]]
        picks = np.flatnonzero((best >= 0) & (filled < length))
        chosen[picks, filled[picks]], team[picks, filled[picks]] = best[picks], picker[picks]
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
    slot = (
        2 * np.arange(depth) + turn
    )  # when a's, b's document of this rank is read: (lists, 2, depth)
    other = 2 * (np.stack([a_in_b, b_in_a], axis=1) - 1) + turn[:, ::-1]
    docs = np.stack([a, b], axis=1)
    end = (
        np.where(docs >= 0, slot, -1).max(axis=2).min(axis=1)
    )  # reading stops where the first run ends
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
    # exponential waiting times with rate rank ** -tau: the first is drawn with probability ~ rate
    wait = (
        rng.standard_exponential(ranked.shape)
        * np.arange(1, ranked.shape[2] + 1, dtype=np.float64) ** tau
    )
    wait[ranked < 0] = np.inf
    if length < ranked.shape[2]:
        # the first ones only, in any order; they are sorted below
        soon = np.argpartition(wait, length - 1, axis=2)[:, :, :length]
        ranked, wait = (
            np.take_along_axis(ranked, soon, axis=2),
            np.take_along_axis(wait, soon, axis=2),
        )
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


def _pairwise(
    ranked: Rankings, topic: np.ndarray, depth: int | None, seed: int | None
) -> tuple[np.ndarray, ...]:
    """Return list number, position and document of every row of pairwise lists."""
    longest = int(ranked.size.max())
    most = len(ranked.runs) * longest
    length = most if depth is None else min(depth, most)
    rng = np.random.default_rng(seed)
    parts = []
    for block in blocks_of(len(topic), most):
        topics, at = np.unique(topic[block], return_inverse=True)
        docs, best = best_ranks(ranked, topics, min(length, longest))
        chosen = draw_any(docs[at], best[at], rng.random((len(at), length)))
        parts.append(_rows(chosen, block.start))
    return _joined(parts, 3)


def _optimised(
    ranked: Rankings,
    topics: np.ndarray,
    draws: int,
    depth: int | None,
    candidates: int,
    seed: int | None,
    progress: bool | None,
) -> tuple[np.ndarray, ...]:
    """Return list number, position and document of every row of optimised lists: one linear programme a query."""
    longest = int(ranked.size.max())
    length = len(ranked.runs) * longest if depth is None else depth
    everyone = np.arange(len(ranked.runs))
    streams = np.random.SeedSequence(seed).spawn(len(topics))
    parts, biases = [], []
    for number, topic in enumerate(
        track(topics, total=len(topics), desc="optimising", progress=progress)
    ):
        rng = np.random.default_rng(streams[number])
        docs = ranked.top(everyone, np.full(len(everyone), topic), min(length, longest))
        lists = possible(docs, length, candidates, rng)
        ranks = ranked.rank(everyone[:, None, None], np.full((1, 1, 1), topic), lists[None])
        chance, bias = distribution(inverse_ranks(ranks, ranked.size[:, topic]))
        biases.append(bias)
        chosen = lists[np.searchsorted(np.cumsum(chance)[:-1], rng.random(draws), side="right")]
        rows, at = (part.ravel() for part in np.indices(chosen.shape))
        parts.append((rows + number * draws, at + 1, chosen.ravel()))
    uneven = sum(bias > EVEN for bias in biases)
    if uneven:
        warnings.warn(
            f"optimised multileaving: for {uneven:,} of {len(topics):,} queries random clicks credit some runs more "
            f"than others, by up to {max(biases):.2g} a list; no choice among these lists is fairer. More candidates= "
            "may be; method='pairwise' always is.",
            UserWarning,
            stacklevel=outside(),
        )
    return _joined(parts, 3)


def possible(ranked: np.ndarray, length: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """Return the lists that may be shown, each once, sorted; where there are more than `most`, so many drawn lists.

    Parameters
    ----------
    ranked : ndarray of int, shape (runs, depth)
        Documents of one query in each run's order; -1 past the end.
    length : int
        Where lists end.

    Examples
    --------
    >>> possible(np.array([[7, 8], [9, 7]]), 2, 99, np.random.default_rng(0)).tolist()
    [[7, 8], [7, 9], [9, 7]]
    """
    n_runs, depth = ranked.shape
    length = min(length, len(np.unique(ranked[ranked >= 0])))
    lists = np.zeros((1, 0), dtype=np.int64)
    for _ in range(length):
        taken = (ranked[None, :, :, None] == lists[:, None, None, :]).any(axis=3) | (ranked < 0)
        best = ranked[np.arange(n_runs), np.argmin(taken, axis=2)]
        row, run = np.nonzero(~taken.all(axis=2))
        lists = np.unique(np.concatenate([lists[row], best[row, run][:, None]], axis=1), axis=0)
        if len(lists) > most:
            break
    if lists.shape[1] == length and len(lists) <= most:
        return lists
    turns = rng.integers(
        0, n_runs, (most, length * n_runs)
    )  # one that has nothing left is passed over
    turns = np.concatenate([turns, np.tile(np.arange(n_runs), (most, depth))], axis=1)
    drawn, _ = draft_in_turn(np.broadcast_to(ranked, (most, n_runs, depth)), turns, length)
    return np.unique(drawn, axis=0)


def inverse_ranks(ranks: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the credit of a click on each document for each run: 1 / its rank, 1 / (size + 1) where it is not there.

    Parameters
    ----------
    ranks : ndarray of float, shape (runs, ...)
        Ranks of documents in every run; infinity where absent.
    sizes : ndarray of int, shape (runs,)
        How many documents each run has.

    Examples
    --------
    >>> inverse_ranks(np.array([[1.0, np.inf], [2.0, 4.0]]), np.array([3, 5])).tolist()
    [[1.0, 0.25], [0.5, 0.25]]
    """
    absent = (sizes + 1.0).reshape(-1, *[1] * (ranks.ndim - 1))
    return np.asarray(1 / np.where(np.isinf(ranks), absent, ranks))


def distribution(credit: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the probability of every list, and by how much random clicks still earn some run more than another.

    Parameters
    ----------
    credit : ndarray, shape (runs, lists, positions)
        What a click on each position of each list earns each run.

    Examples
    --------
    >>> one = [[[1.0, 0.5], [0.5, 1.0]], [[0.5, 1.0], [1.0, 0.5]]]
    >>> chance, bias = distribution(np.array(one))
    >>> chance.round(6).tolist(), round(bias, 6)
    ([0.5, 0.5], 0.0)
    """
    from scipy.optimize import linprog

    _, n_lists, length = credit.shape
    if n_lists == 1:
        return np.ones(1), _uneven(np.ones(1), credit)
    # by how much each run's credit for the first k results is off the mean of all runs
    prefix = np.cumsum(credit, axis=2)
    off = (prefix - prefix.mean(axis=0)).transpose(0, 2, 1).reshape(-1, n_lists)
    spread = float(np.abs(off).max(initial=0.0))
    if spread == 0:
        return np.full(n_lists, 1 / n_lists), 0.0
    off = off / spread
    both = np.concatenate([off, -off])
    # first the smallest bias that is possible, as a slack variable
    least = linprog(
        np.append(np.zeros(n_lists), 1.0),
        A_ub=np.concatenate([both, -np.ones((len(both), 1))], axis=1),
        b_ub=np.zeros(len(both)),
        A_eq=np.append(np.ones(n_lists), 0.0)[None],
        b_eq=[1.0],
        method="highs",
    )
    seen = credit @ (
        1 / np.arange(1, length + 1)
    )  # credit of each list, where rank i is clicked with weight 1/i
    variance = ((seen - seen.mean(axis=0)) ** 2).sum(axis=0)
    # then the most sensitive lists with no more bias
    best = linprog(
        variance / max(float(variance.max()), 1e-300),
        A_ub=both,
        b_ub=np.full(len(both), float(least.fun) + 1e-9),
        A_eq=np.ones((1, n_lists)),
        b_eq=[1.0],
        method="highs",
    )
    chance = np.maximum(best.x if best.status == 0 else least.x[:n_lists], 0.0)
    chance = chance / chance.sum()
    return chance, _uneven(chance, credit)


def _uneven(chance: np.ndarray, credit: np.ndarray) -> float:
    """Return the largest difference between two runs' expected credit in the first k results."""
    expected = np.einsum("rlk,l->rk", np.cumsum(credit, axis=2), chance)
    return float(np.ptp(expected, axis=0).max())
