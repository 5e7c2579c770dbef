"""What clicks on multileaved lists earn runs by the ranks that results have there: optimised and pairwise lists."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.kinds import tables
from pdeval.kinds.labels import run_labels
from pdeval.kinds.tables import Table
from pdeval.online.interleaving import blocks_of
from pdeval.online.matching import places
from pdeval.online.rankings import Rankings, best_ranks, rankings

BY_RANKS = ("optimised", "pairwise")


def by_ranks(lists: pd.DataFrame) -> str:
    """Return the method of lists that are credited by ranks; nothing where others are among them.

    Examples
    --------
    >>> by_ranks(pd.DataFrame({"method": ["pairwise", "pairwise"]})), by_ranks(pd.DataFrame({"position": [1]}))
    ('pairwise', '')
    """
    methods = list(lists["method"].astype(str).unique()) if "method" in lists.columns else []
    return methods[0] if len(methods) == 1 and methods[0] in BY_RANKS else ""


def credit_by_ranks(
    lists: Table, runs: object, own: np.ndarray, unit: np.ndarray, row: np.ndarray, n: int
) -> tuple[pd.Index, np.ndarray]:
    """Return the runs, sorted, and what each earns from every impression, shape (impressions, runs).

    Parameters
    ----------
    own : ndarray of int
        The list of every row of the lists.
    unit, row : ndarray of int
        Impression and row of the lists of every clicked result, each once.
    n : int
        Number of impressions.
    """
    said = lists.frame.attrs
    found = rankings(tables.read(runs, "runs"), ties=said.get("ties"), compat=said.get("compat") or "trec_eval-10")
    topic = places([pd.Series(found.queries)], [lists.column("query")])
    doc = places([pd.Series(found.docs)], [lists.column("doc")])
    position = lists.frame["position"].to_numpy()
    ranks = found.rank(np.arange(len(found.runs))[:, None], topic, doc)  # (runs, rows of the lists)
    _same_runs(
        found, said.get("multileaved"), lists.column("doc")[(topic < 0) | (doc < 0) | np.isinf(ranks.min(axis=0))]
    )
    if by_ranks(lists.frame) == "optimised":
        worth = 1 / np.where(np.isinf(ranks), found.size[:, topic] + 1, ranks)[:, row]
        earned = np.stack([np.bincount(unit, one, n) for one in worth], axis=1)
    else:
        earned = _preferences(found, topic, own, position, ranks, unit, row, n)
    names = pd.Index(found.runs.iloc[:, 0]) if found.runs.shape[1] == 1 else pd.Index(run_labels(found.runs))
    order = np.argsort(names.astype(str), kind="stable")
    return names[order], earned[:, order]


def _preferences(
    found: Rankings,
    topic: np.ndarray,
    own: np.ndarray,
    position: np.ndarray,
    ranks: np.ndarray,
    unit: np.ndarray,
    row: np.ndarray,
    n: int,
) -> np.ndarray:
    """Return the weight of the inferred preferences that each run agrees with, shape (impressions, runs)."""
    earned = np.zeros((n, len(ranks)))
    if not len(unit):
        return earned
    length, place = int(position.max()), np.arange(int(position.max()))
    rows_of = np.full((int(own.max()) + 1, length), -1, dtype=np.int64)
    rows_of[own, position - 1] = np.arange(len(own))
    best = np.append(ranks.min(axis=0), np.inf)  # the last is that of no document
    topics, topic_at = np.unique(topic, return_inverse=True)
    passed = _passed_over(best_ranks(found, topics, length)[1], length)
    units, at = np.unique(unit, return_inverse=True)
    clicked = np.zeros((len(units), length), dtype=bool)
    clicked[at, position[row] - 1] = True
    of_unit = np.zeros(len(units), dtype=np.int64)
    of_unit[at] = row
    for block in blocks_of(len(units), length * length * 4):
        rows, hit = rows_of[own[of_unit[block]]], clicked[block]
        last = length - 1 - np.argmax(hit[:, ::-1], axis=1)
        missed = ~hit & (rows >= 0) & (place <= last[:, None] + 1)
        high, low = best[rows][:, :, None], best[rows][:, None, :]
        from_, to = np.minimum(high, low), np.maximum(high, low)
        # where both could stand in either order, they are shown in either order equally often
        pair = hit[:, :, None] & missed[:, None, :] & (np.minimum(place[:, None], place) + 1 >= to)
        u, i, j = np.nonzero(pair)
        line = passed[topic_at[of_unit[block]][u]]
        ends = (each[u, i, j].astype(np.int64) - 1 for each in (from_, to))
        since, until = (np.take_along_axis(line, end[:, None], axis=1)[:, 0] for end in ends)
        weight = np.exp(since - until)
        for run, rank in enumerate(ranks):
            wins, over = rank[rows[u, i]], rank[rows[u, j]]
            agrees = np.where(wins == over, 0.5, wins < over)
            earned[units[block], run] = np.bincount(u, weight * agrees, len(hit))
    return earned


def _passed_over(best: np.ndarray, length: int) -> np.ndarray:
    """Return the logarithm of the probability that a document which may stand anywhere is not in the first x places.

    Shape (topics, length + 1), x from 0. A place whose only document it is would have to take it: no pair is asked of
    there, and the place counts as 0.
    """
    x = np.arange(1, length + 1)
    choices = (best[:, :, None] <= x).sum(axis=1) - (x - 1)
    step = np.log1p(-1 / np.maximum(choices, 2), where=choices > 1, out=np.zeros(choices.shape))
    return np.concatenate([np.zeros((len(best), 1)), np.cumsum(step, axis=1)], axis=1)


def _same_runs(found: Rankings, made_of: list[str] | None, unknown: pd.Series) -> None:
    """Raise unless the runs are those that lists were made of."""
    given = sorted(run_labels(found.runs))
    if made_of is not None and sorted(made_of) != given:
        raise ValueError(
            f"the lists were made of the runs {', '.join(sorted(made_of))}; runs= has {', '.join(given)}. Give the "
            "same."
        )
    if len(unknown):
        raise ValueError(
            f"{len(unknown):,} results of the lists are in none of the runs= for their query, e.g. "
            f"{unknown.tolist()[0]!r}: give the run table that the lists were made of."
        )
