"""Multileaved rankings: what users are shown when many runs compete on one results page.

Team-draft and optimised multileaving are Schuth et al.'s (2014), pairwise preference multileaving Oosterhuis and
de Rijke's (2017).
"""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.join.rules import Compat, Ties, outside
from pdeval.online.interleaving import (
    blocks_of,
    counts_of,
    described_lists,
    draft_in_turn,
    drafted,
    draw_any,
    shown_columns,
)
from pdeval.online.rankings import Rankings, best_ranks, rankings
from pdeval.tables.labels import labels, run_labels
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import one_of, whole
from pdeval.verbs.progress import track


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
        left = ~taken.all(axis=2)
        best = ranked[np.arange(n_runs), np.argmin(taken, axis=2)]
        row, run = np.nonzero(left)
        lists = np.unique(np.concatenate([lists[row], best[row, run][:, None]], axis=1), axis=0)
        if len(lists) > most:
            break
    if lists.shape[1] == length and len(lists) <= most:
        return lists
    turns = rng.integers(0, n_runs, (most, length * n_runs))  # one that has nothing left is passed over
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
    found: np.ndarray = 1 / np.where(np.isinf(ranks), absent, ranks)
    return found


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
    prefix = np.cumsum(credit, axis=2)
    apart = (prefix - prefix.mean(axis=0)).transpose(0, 2, 1).reshape(-1, n_lists)  # of the runs' mean, for every k
    spread = float(np.abs(apart).max(initial=0.0))
    if spread == 0:
        return np.full(n_lists, 1 / n_lists), 0.0
    apart = apart / spread
    both = np.concatenate([apart, -apart])
    with_slack = np.concatenate([both, -np.ones((len(both), 1))], axis=1)
    least = linprog(
        np.append(np.zeros(n_lists), 1.0),
        A_ub=with_slack,
        b_ub=np.zeros(len(both)),
        A_eq=np.append(np.ones(n_lists), 0.0)[None],
        b_eq=[1.0],
        method="highs",
    )
    seen = credit @ (1 / np.arange(1, length + 1))  # credit of each list, where rank i is clicked with weight 1/i
    variance = ((seen - seen.mean(axis=0)) ** 2).sum(axis=0)
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


ManyMethod = Literal["team-draft", "optimised", "pairwise"]
METHODS = ("team-draft", "optimised", "pairwise")
EVEN = 1e-7  # credit of random clicks that differs by less is equal

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


@verb(on="runs", gives="multileaved_lists", family="interleave", name="many", own="depth", formerly="multileave")
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
    depth, draws, seed = counts_of(depth, draws, seed)
    candidates = whole("candidates", candidates, 1)
    found = rankings(runs, ties=ties, compat=compat)
    if len(found.runs) < 2:
        raise ValueError(f"multileaving needs at least two runs; the run table has {len(found.runs)}.")
    answered = np.flatnonzero((found.size > 0).all(axis=0))
    topic = np.repeat(answered, draws)
    if method == "team-draft":
        teams = np.broadcast_to(np.arange(len(found.runs)), (len(topic), len(found.runs)))
        rows, position, chosen, team = drafted(found, teams, topic, "multileave", depth, seed, 0.0, progress)
    elif method == "pairwise":
        rows, position, chosen = _pairwise(found, topic, depth, seed)
    else:
        rows, position, chosen = _optimised(found, answered, draws, depth, candidates, seed, progress)
    columns = shown_columns(found, topic, rows, draws, position, chosen)
    only = found.runs.columns[0]
    names = pd.Index(found.runs[only]) if found.runs.shape[1] == 1 else pd.Index(run_labels(found.runs))
    columns["team"] = labels(names, team) if method == "team-draft" else pd.array([pd.NA] * len(rows), dtype="string")
    word = "multileave" if method == "team-draft" else method
    columns["method"] = labels(pd.Index([word]), np.zeros(len(rows), np.int8))
    frame = described_lists(pd.DataFrame(columns, copy=False), found, ties, compat, seed)
    frame.attrs["multileaved"] = [str(one) for one in run_labels(found.runs)]
    return frame


def _pairwise(
    found: Rankings, topic: np.ndarray, depth: int | None, seed: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return list number, position and document of every row of pairwise lists."""
    longest = int(found.size.max())
    most = len(found.runs) * longest
    length = most if depth is None else min(depth, most)
    rng = np.random.default_rng(seed)
    parts = []
    for block in blocks_of(len(topic), len(found.runs) * longest):
        here, own = np.unique(topic[block], return_inverse=True)
        docs, best = best_ranks(found, here, min(length, longest))
        chosen = draw_any(docs[own], best[own], rng.random((len(own), length)))
        rows, at = np.nonzero(chosen >= 0)
        parts.append((rows + block.start, at + 1, chosen[rows, at]))
    if not parts:
        return tuple(np.zeros(0, dtype=np.int64) for _ in range(3))  # type: ignore[return-value]
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))  # type: ignore[return-value]


def _optimised(
    found: Rankings,
    topics: np.ndarray,
    draws: int,
    depth: int | None,
    candidates: int,
    seed: int | None,
    progress: bool | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return list number, position and document of every row of optimised lists: one linear programme a query."""
    longest = int(found.size.max())
    length = len(found.runs) * longest if depth is None else depth
    deep, everyone = min(length, longest), np.arange(len(found.runs))
    streams = np.random.SeedSequence(seed).spawn(len(topics))
    parts, uneven, most = [], 0, 0.0
    for number, topic in enumerate(track(topics, total=len(topics), desc="optimising", progress=progress)):
        rng = np.random.default_rng(streams[number])
        ranked = found.top(everyone, np.full(len(everyone), topic), deep)
        lists = possible(ranked, length, candidates, rng)
        ranks = found.rank(everyone[:, None, None], np.full((1, 1, 1), topic), lists[None])
        chance, bias = distribution(inverse_ranks(ranks, found.size[:, topic]))
        uneven, most = uneven + (bias > EVEN), max(most, bias)
        drawn = np.searchsorted(np.cumsum(chance)[:-1], rng.random(draws), side="right")
        chosen = lists[drawn]
        rows, at = (part.ravel() for part in np.indices(chosen.shape))
        parts.append((rows + number * draws, at + 1, chosen.ravel()))
    if uneven:
        warnings.warn(
            f"optimised multileaving: for {uneven:,} of {len(topics):,} queries random clicks credit some runs more "
            f"than others, by up to {most:.2g} a list; no choice among these lists is fairer. More candidates= may be; "
            "method='pairwise' always is.",
            UserWarning,
            stacklevel=outside(),
        )
    if not parts:
        return tuple(np.zeros(0, dtype=np.int64) for _ in range(3))  # type: ignore[return-value]
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))  # type: ignore[return-value]
