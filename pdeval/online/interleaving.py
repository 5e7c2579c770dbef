"""Interleaved rankings: lists of two or more runs on one results page, and the rankings they are made of.

Balanced interleaving is Joachims' (2002), team-draft Radlinski, Kurup and Joachims' (2008), probabilistic
Hofmann, Whiteson and de Rijke's (2011). All lists are built at once: the only loop is over positions. Team-draft and
optimized multileaving are Schuth et al.'s (2014), pairwise preference multileaving Oosterhuis and de Rijke's (2017).
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate import all_pairs, described_frame, pair_columns, place_of
from pdeval.join import Compat, Ties, ids, outside, top
from pdeval.tables import Table, labels, run_labels, table
from pdeval.verbs import integer, optimize, several, short_repr, track, verb

Method = Literal["team-draft", "balanced", "probabilistic"]
ManyMethod = Literal["team-draft", "optimized", "pairwise"]
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
        "team": "'a' or 'b': team of the document; missing on shared ranks of balanced lists",
        "rank_a": "rank in the first run; infinity: not there",
        "rank_b": "rank in the second run; infinity: not there",
        "shared": "whether it is in the top ranks on which both runs agree exactly",
        "method": "interleaving method of the lists",
    },
    no_report="it is what users are shown; report credits.ireval.wins()",
    no_plot="it is what users are shown; draw credits.ireval.wins()",
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
        "team": "the run of the document; several id columns are joined by ' / '; missing in optimized and "
        "pairwise lists",
        "method": "'multileave' (team-draft), 'optimized' or 'pairwise'",
    },
    no_report="it is what users are shown; report credits.ireval.wins()",
    no_plot="it is what users are shown; draw credits.ireval.wins()",
)


@dataclass(frozen=True)
class Rankings:
    """Rankings of all runs and queries, flat: list (run, query) is `doc[start:start + size]` in rank order.

    Parameters
    ----------
    runs : DataFrame
        One row per run: the column(s) that identify it.
    queries, docs : Index
        The ids, sorted, named as the caller's columns.
    doc : ndarray of int
        Document numbers, list by list.
    start, size : ndarray of int, shape (runs, queries)
        Start and length of each list; 0 if a run did not answer the query.
    keys, places : ndarray of int
        (list, document) as one number, sorted, and the rank there. A list is numbered by its start: the number
        fits 64 bits for any number of runs and queries.
    """

    runs: pd.DataFrame
    queries: pd.Index
    docs: pd.Index
    doc: np.ndarray
    start: np.ndarray
    size: np.ndarray
    keys: np.ndarray
    places: np.ndarray

    @property
    def names(self) -> pd.Index:
        """One name per run: its id, or its ids joined."""
        return pd.Index(self.runs.iloc[:, 0] if self.runs.shape[1] == 1 else run_labels(self.runs))

    def top(self, run: np.ndarray, query: np.ndarray, depth: int) -> np.ndarray:
        """Return the first `depth` documents of some lists, shape (lists, depth); -1 past a list's end."""
        rank = np.arange(depth)
        inside = rank < self.size[run, query][:, None]
        docs = self.doc[np.where(inside, self.start[run, query][:, None] + rank, 0)]
        return np.where(inside, docs, -1)

    def rank(self, run: np.ndarray, query: np.ndarray, doc: np.ndarray) -> np.ndarray:
        """Return the rank of documents in lists, from 1; infinity if the list does not have the document."""
        wanted = self.start[run, query] * len(self.docs) + doc
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = (self.keys[at] == wanted) & (doc >= 0) & (self.size[run, query] > 0)
        return np.where(known, self.places[at], np.inf)


def rankings(runs: Table, *, ties: Ties | None = None, compat: Compat = "trec_eval-10") -> Rankings:
    """Return the rankings of a run table, ranked as the join ranks it.

    Parameters
    ----------
    ties : {'docid', 'rank', 'first'}, optional
        Order of equal scores; by default 'docid' if there are scores, else 'rank'.
    compat : {'trec_eval-10', 'trec_eval-9', 'pref_eval'}
        Tool whose arithmetic is used.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame({"run": "r", "query_id": 1, "doc_id": ["x", "y"], "score": [0.2, 0.9]})
    >>> result = rankings(read(frame, "runs"))
    >>> result.docs[result.doc].tolist()
    ['y', 'x']
    """
    ranked = top(runs, ties=ties, compat=compat)
    lists, queries = ranked.lists, ranked.lists.queries.index().rename(runs.roles["query"])
    doc_ids, code = ids.column_ids(runs.column("doc"), "doc").unique()
    docs = doc_ids.index().rename(runs.roles["doc"])
    shape = (len(lists.runs), len(queries))
    start, size = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    size[lists.run, lists.query] = lists.sizes
    start[lists.run, lists.query] = lists.starts[:-1]  # rows come list after list
    doc = code[ranked.row].astype(np.int64)
    key = lists.starts[:-1].astype(np.int64)[ranked.own] * len(docs) + doc
    # sorted for binary search of ranks
    by_key = np.argsort(key, kind="stable")
    return Rankings(lists.runs, queries, docs, doc, start, size, key[by_key], ranked.rank[by_key])


def best_ranks(ranked: Rankings, topics: np.ndarray, deep: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the documents among the first `deep` of any run, and the best rank that a run gives each.

    Both of shape (topics, documents), best first, documents of one rank in the order of their numbers; padded with
    document -1 and rank infinity.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> rows = [("r", "x", 1), ("r", "y", 2), ("s", "z", 1), ("s", "x", 2)]
    >>> frame = pd.DataFrame(rows, columns=["run", "doc_id", "rank"]).assign(query_id=1)
    >>> result = rankings(read(frame, "runs"))
    >>> docs, best = best_ranks(result, np.array([0]), 2)
    >>> result.docs[docs[0]].tolist(), best.tolist()
    (['x', 'z', 'y'], [[1.0, 1.0, 2.0]])
    """
    n_runs = len(ranked.runs)
    every = [ranked.top(np.full(len(topics), run), topics, deep) for run in range(n_runs)]
    doc = np.stack(every, axis=1).reshape(len(topics), -1)
    rank = np.broadcast_to(np.tile(np.arange(1.0, deep + 1), n_runs), doc.shape)
    # by document, then by rank: the first row of a document has its best rank
    order = np.lexsort((rank, doc), axis=1)
    doc, rank = np.take_along_axis(doc, order, axis=1), np.take_along_axis(rank, order, axis=1)
    first = np.ones(doc.shape, dtype=bool)
    first[:, 1:] = doc[:, 1:] != doc[:, :-1]
    kept = first & (doc >= 0)
    order = np.lexsort((doc, np.where(kept, rank, np.inf)), axis=1)
    width = int(kept.sum(axis=1).max(initial=0))
    docs, best = np.where(kept, doc, -1), np.where(kept, rank, np.inf)
    return np.take_along_axis(docs, order, axis=1)[:, :width], np.take_along_axis(
        best, order, axis=1
    )[:, :width]


@verb(on="runs", returns="lists", own="depth")
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
        'team-draft': in each round a coin toss decides which run picks first; each picks its best document that is
        not yet in the list. 'balanced': both runs are read in turn, a coin toss decides the first; documents already
        in the list are skipped. 'probabilistic': at every position a coin toss decides which run picks, and it draws
        a document with probability proportional to rank ** -tau.
    pairs : list of (run_a, run_b), optional
        Run ids; by default every pair of runs once. With several id columns, each run is a tuple.
    depth : int, optional
        Length of the lists; None for no limit. A list ends earlier if one of the two runs has no document left.
    draws : int
        Independent lists for every pair and query.
    seed : int, optional
        ... The order of the rows does not matter.
    tau : float
        Steepness of the preference of probabilistic interleaving for top ranks.
    ties : {'docid', 'rank', 'first'}, optional
        Order of equal scores: document id descending, as trec_eval; the rank column; the order of rows. By default
        'docid' if there are scores, else 'rank'.

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
    draws = integer("draws", draws, 1)
    ranked = rankings(runs, ties=ties, compat=compat)
    a, b = all_pairs(len(ranked.runs))
    if pairs is not None:
        pairs = several("pairs", pairs)
        if any(not isinstance(pair, list | tuple) or len(pair) != 2 for pair in pairs):
            raise ValueError(
                f"pairs={short_repr(pairs)}: expected a list of pairs of runs, such as [('bm25', 'dense')]."
            )
        a, b = np.array([[place_of(ranked.runs, run) for run in pair] for pair in pairs]).T
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
    return described_lists(
        pair_columns(ranked.runs, a[pair[rows]], b[pair[rows]], labels),
        (topic[rows], rows % draws, position, chosen),
        {
            "team": pd.Index(["a", "b"]).array.take(team, allow_fill=True),
            "rank_a": rank_a,
            "rank_b": rank_b,
            "shared": shared,
        },
        method,
        ranked,
        {"ties": ties, "compat": compat, "seed": seed},
    )


def described_lists(
    pairs: dict[str, Any],
    rows: tuple[np.ndarray, ...],
    teams: dict[str, Any],
    method: str,
    ranked: Rankings,
    attrs: dict[Any, Any],
) -> pd.DataFrame:
    """Return lists whose attributes state the roles of columns and how the runs were ranked.

    Parameters
    ----------
    pairs, teams : mapping of str to array
        The first and the last columns.
    rows : (query, draw, position, document)
        Arrays with an element per row.
    attrs : mapping
        Further attributes.
    """
    query, draw, position, doc = rows
    columns = {
        **pairs,
        str(ranked.queries.name): labels(ranked.queries, query),
        "draw": draw,
        "position": position,
        str(ranked.docs.name): labels(ranked.docs, doc),
        **teams,
        "method": labels(pd.Index([method]), np.zeros(len(position), np.int8)),
    }
    roles = {
        "run_columns": list(map(str, ranked.runs.columns)),
        "query_column": str(ranked.queries.name),
        "doc_column": str(ranked.docs.name),
    }
    return described_frame(columns, {**roles, **attrs})


@verb(
    on="runs",
    returns="multileaved_lists",
    family="interleave",
    name="many",
    own="depth",
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

    Select the rows of the runs to include. Clicks on optimized and pairwise lists are credited by the ranks of results
    in every run: `log.ireval.credit(lists, runs=runs)`.

    Parameters
    ----------
    method : {'team-draft', 'optimized', 'pairwise'}
        'team-draft': in each round the runs pick in a random order, each its best document that is not yet in the list,
        and own it; a run without documents is skipped. 'optimized': of all lists that such picks in any order can
        give, each is shown with a probability; the probabilities minimize the bias of random clicks and then maximize
        the sensitivity (Schuth et al. 2014). 'pairwise': at every position one of the documents that some run ranks at
        least as high, all with the same probability (Oosterhuis and de Rijke 2017).
    depth : int, optional
        Length of the lists; None for no limit. A list ends earlier if no run has a document left.
    draws : int
        Independent lists for every query.
    seed : int, optional
        ... The order of the rows does not matter.
    candidates : int
        Maximum number of candidate lists per query for optimized lists; if there are more, a random sample.
    ties : {'docid', 'rank', 'first'}, optional
        Order of equal scores: document id descending, as trec_eval; the rank column; the order of rows. By default
        'docid' if there are scores, else 'rank'.

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
    draws, candidates = integer("draws", draws, 1), integer("candidates", candidates, 1)
    ranked = rankings(runs, ties=ties, compat=compat)
    if len(ranked.runs) < 2:
        raise ValueError(
            f"multileaving needs at least two runs; the run table has {len(ranked.runs)}."
        )
    answered = np.flatnonzero((ranked.size > 0).all(axis=0))
    topic = np.repeat(answered, draws)
    if method == "team-draft":
        runs_of_list = np.broadcast_to(np.arange(len(ranked.runs)), (len(topic), len(ranked.runs)))
        rows, position, chosen, team = drafted(
            ranked, runs_of_list, topic, "multileave", depth, seed, 0.0, progress
        )
    elif method == "pairwise":
        rows, position, chosen = _pairwise(ranked, topic, depth, seed)
    else:
        rows, position, chosen = _optimized(
            ranked, answered, draws, depth, candidates, seed, progress
        )
    return described_lists(
        {},
        (topic[rows], rows % draws, position, chosen),
        {
            "team": labels(ranked.names, team)
            if method == "team-draft"
            else pd.array([pd.NA] * len(rows), dtype="string")
        },
        "multileave" if method == "team-draft" else method,
        ranked,
        {"ties": ties, "compat": compat, "seed": seed, "multileaved": run_labels(ranked.runs)},
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
    """Return lists in parts whose temporary arrays fit memory."""
    step = max(BLOCK // max(width, 1), 1)
    return (slice(first, min(first + step, n)) for first in range(0, n, step))


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

    A list ends as soon as some team has no document left.

    Parameters
    ----------
    ranked : ndarray of int, shape (lists, teams, depth)
        Documents in each team's order; -1 past the end.
    picker : ndarray of int, shape (lists, positions)
        Team that picks.

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
    """Return the documents and teams when teams take turns, and a team without documents is skipped.

    Parameters
    ----------
    ranked : ndarray of int, shape (lists, teams, depth)
        Documents in each team's order; -1 past the end.
    turn : ndarray of int, shape (lists, turns)
        Team whose turn it is.
    length : int
        Length of the lists.

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
    """Return balanced lists and their teams (0 or 1): both runs read in turn, known documents skipped.

    Parameters
    ----------
    a, b : ndarray of int, shape (lists, depth)
        Documents in rank order; -1 past the end.
    a_in_b, b_in_a : ndarray of float, same shape
        The rank of a's documents in b, and of b's in a; infinity if absent.
    a_first : ndarray of bool, shape (lists,)
        Whether a is read first.

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
    )  # reading stops at the end of the shorter run
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
        uniform = rng.random((len(at), length))
        parts.append(_rows(draw_any(docs[at], best[at], uniform), block.start))
    return _joined(parts, 3)


def _optimized(
    ranked: Rankings,
    topics: np.ndarray,
    draws: int,
    depth: int | None,
    candidates: int,
    seed: int | None,
    progress: bool | None,
) -> tuple[np.ndarray, ...]:
    """Return list number, position and document of every row of optimized lists: one linear programme a query."""
    longest = int(ranked.size.max())
    length = len(ranked.runs) * longest if depth is None else depth
    everyone = np.arange(len(ranked.runs))
    streams = np.random.SeedSequence(seed).spawn(len(topics))
    parts, biases = [], []
    for number, topic in enumerate(
        track(topics, total=len(topics), desc="optimizing", progress=progress)
    ):
        rng = np.random.default_rng(streams[number])
        docs = ranked.top(everyone, np.full(len(everyone), topic), min(length, longest))
        lists = possible(docs, length, candidates, rng)
        ranks = ranked.rank(everyone[:, None, None], np.full((1, 1, 1), topic), lists[None])
        # a click earns a run the inverse of the rank that the run gives the document
        credit = 1 / np.where(np.isinf(ranks), (ranked.size[:, topic] + 1.0)[:, None, None], ranks)
        chance = distribution(credit)
        expected = np.einsum("rlk,l->rk", np.cumsum(credit, axis=2), chance)
        biases.append(float(np.ptp(expected, axis=0).max()))
        chosen = lists[np.searchsorted(np.cumsum(chance)[:-1], rng.random(draws), side="right")]
        rows, at = (part.ravel() for part in np.indices(chosen.shape))
        parts.append((rows + number * draws, at + 1, chosen.ravel()))
    if uneven := sum(bias > EVEN for bias in biases):
        warnings.warn(
            f"optimized multileaving: for {uneven:,} of {len(topics):,} queries random clicks credit some runs more "
            f"than others, by up to {max(biases):.2g} a list; no other distribution over these lists is fairer. "
            "Use more candidates=, or method='pairwise', which is always unbiased.",
            UserWarning,
            stacklevel=outside(),
        )
    return _joined(parts, 3)


def possible(ranked: np.ndarray, length: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """Return the lists that may be shown, each once, sorted; a random sample of `most` if there are more.

    Parameters
    ----------
    ranked : ndarray of int, shape (runs, depth)
        Documents of one query in each run's order; -1 past the end.
    length : int
        Length of the lists.

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
    turns = rng.integers(0, n_runs, (most, length * n_runs))  # a run without documents is skipped
    turns = np.concatenate([turns, np.tile(np.arange(n_runs), (most, depth))], axis=1)
    drawn, _ = draft_in_turn(np.broadcast_to(ranked, (most, n_runs, depth)), turns, length)
    return np.unique(drawn, axis=0)


def distribution(credit: np.ndarray) -> np.ndarray:
    """Return the probability of every list: the least biased distribution, and of those the most sensitive one.

    The bias is the largest difference between the credits that two runs expect from random clicks on the first k
    results.

    Parameters
    ----------
    credit : ndarray, shape (runs, lists, positions)
        What a click on each position of each list earns each run.

    Examples
    --------
    >>> distribution(np.array([[[1.0, 0.5], [0.5, 1.0]], [[0.5, 1.0], [1.0, 0.5]]])).round(6).tolist()
    [0.5, 0.5]
    """
    _, n_lists, length = credit.shape
    # by how much each run's credit for the first k results is off the mean of all runs
    prefix = np.cumsum(credit, axis=2)
    off = (prefix - prefix.mean(axis=0)).transpose(0, 2, 1).reshape(-1, n_lists)
    spread = float(np.abs(off).max(initial=0.0))
    if n_lists == 1 or spread == 0:
        return np.full(n_lists, 1 / n_lists)
    off = off / spread
    both = np.concatenate([off, -off])
    # first the smallest bias that is possible, as a slack variable
    least = optimize.linprog(
        np.append(np.zeros(n_lists), 1.0),
        A_ub=np.concatenate([both, -np.ones((len(both), 1))], axis=1),
        b_ub=np.zeros(len(both)),
        A_eq=np.append(np.ones(n_lists), 0.0)[None],
        b_eq=[1.0],
        method="highs",
    )
    seen = credit @ (
        1 / np.arange(1, length + 1)
    )  # credit of each list if rank i is clicked with weight 1/i
    variance = ((seen - seen.mean(axis=0)) ** 2).sum(axis=0)
    # then the most sensitive lists with no more bias
    best = optimize.linprog(
        variance / max(float(variance.max()), 1e-300),
        A_ub=both,
        b_ub=np.full(len(both), float(least.fun) + 1e-9),
        A_eq=np.ones((1, n_lists)),
        b_eq=[1.0],
        method="highs",
    )
    chance = np.maximum(best.x if best.status == 0 else least.x[:n_lists], 0.0)
    return np.asarray(chance / chance.sum())
