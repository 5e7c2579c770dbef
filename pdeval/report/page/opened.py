"""What is behind the cells of one collection: values per query, pairs of systems, items; within a limit of size."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import Scores
from pdeval.evaluate.ranked_items import RankedItems, ranked_items
from pdeval.kinds.labels import run_labels
from pdeval.mechanics.equality import settled
from pdeval.report import notes as footnote
from pdeval.report.means import per_query
from pdeval.report.origins import Origin
from pdeval.report.page.adding import adding
from pdeval.report.page.packing import json_text, numbers, packed
from pdeval.report.page.pairings import PREFERENCE, Pairings, pairings

SAMPLE = 25  # queries that are packed to learn how much room items take
SHARE = 0.5  # of the room that is left for pairs, then for values per query; items have what these leave


def opened(origin: Origin, room: int) -> dict[str, Any]:
    """Return what the page holds of one collection, in about so many bytes.

    Pairs come first, of as many measures as half the room holds; then values, of as many queries as half of what is
    left holds, those on which the systems differ most; then items, for each query as many as the rest holds.

    Examples
    --------
    >>> import pdeval
    >>> report = pdeval.datasets.sample_judged(topics="common").report(["AP", "RR"])
    >>> data = opened(report.origins[0], 1_000_000)
    >>> data["systems"][:2], [one["label"] for one in data["measures"]], len(data["queries"])
    (['bm25', 'bm25+rm3'], ['AP', 'RR'], 48)
    """
    table = origin.table
    said = footnote.words(table.attrs)
    paired = pairings(origin)
    data: dict[str, Any] = {
        "title": origin.title,
        "systems": origin.systems,
        "baselines": origin.baselines,
        "words": {"query": said.query, "queries": said.queries, "doc": said.doc, "docs": said.docs},
        "measures": [
            {"label": label, "shown": origin.shown(label), "higher": higher, "digits": digits}
            for label, higher, digits in zip(table.measures, table.higher, origin.digits)
        ],
        "pairs": _within_pairs(paired, room * SHARE),
        "said": paired.said,
        "preferences": table.source is not None and not isinstance(table.source, Scores),
        "queries": [],
        "of": 0,
    }
    if table.source is None:
        data["said"].append(f"The report was made from a summary, which has no values per {said.query}.")
        return data
    values, queries = _values(origin)
    kept = _within(values, (room - len(json_text(data))) * SHARE)
    data |= {"of": len(queries), "queries": [str(queries[at]) for at in kept]}
    data["values"] = [packed(numbers(one)) for one in values[:, kept]]
    if len(kept) < len(queries):
        data["said"].append(
            f"Values of {len(kept):,} of {len(queries):,} {said.queries} are held: those on which the systems differ "
            f"most in {origin.shown(table.measures[0])}. Means, counts and p-values are over all of them."
        )
    items = ranked_items(origin.source)
    if items is None:
        data["said"].append(
            f"The page has no {said.docs} of its {said.queries}: a report made from the runs and judgments, by "
            f"runs.ireval.report(qrels), has them."
        )
        return data
    place = _places(origin, items)
    between = _between(origin, items, data["preferences"])
    adds = adding(origin, items, queries[kept], values[:, kept], place, between)
    left = room - len(json_text(data)) - len(json_text(adds))
    data["items"] = _items(origin, items, queries[kept], place, left, data["said"])
    return data | adds if any(data["items"]["data"]) else data


def _places(origin: Origin, items: RankedItems) -> np.ndarray:
    """Return the system of each run that items have ranks in, -1 where the report does not show it."""
    runs = origin.table.runs
    return pd.Index(run_labels(runs)).get_indexer(pd.Index(run_labels(items.runs[list(runs.columns)])))


def _between(origin: Origin, items: RankedItems, preferences: bool) -> str | None:
    """Return the preference whose users the page tells of; none between systems that are means over replicates."""
    if preferences:
        return origin.table.measures[0]
    return PREFERENCE if len(items.runs) == len(origin.table.runs) else None


def _within_pairs(paired: Pairings, room: float) -> list[dict[str, Any]]:
    """Return the pairs of the measures that the page holds, in their order, as many as there is room for."""
    kept: list[dict[str, Any]] = []
    for one in paired.measures:
        room -= len(one["data"])
        if room >= 0:
            kept.append(one)
    if len(kept) < len(paired.measures):
        left = [one["label"] for one in paired.measures if one not in kept]
        paired.said.append(f"Pairs by {', '.join(left)} are left out: the page would be larger than its limit.")
    return kept


def _values(origin: Origin) -> tuple[np.ndarray, pd.Index]:
    """Return (measures, queries, systems) in the order of print; values that differ by rounding are made the same."""
    table = origin.table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        values = per_query(table.source, origin.baseline)
    place = pd.MultiIndex.from_frame(table.source.runs).get_indexer(pd.MultiIndex.from_frame(table.runs))
    return np.stack([settled(one) for one in values[:, :, place]]), table.source.queries


def _within(values: np.ndarray, room: float) -> np.ndarray:
    """Return the queries whose values the page holds, in their order: all, or those on which systems differ most."""
    n_queries = values.shape[1]
    sample = values[:, :: max(n_queries // SAMPLE, 1)]
    each = sum(len(packed(numbers(one))) for one in sample) / max(sample.shape[1], 1)
    most = max(int(room / max(each, 1)), 1)
    if n_queries <= most:
        return np.arange(n_queries)
    first = np.where(np.isfinite(values[0]), values[0], np.nan)
    known = ~np.isnan(first).all(axis=1)
    spread = np.full(n_queries, -1.0)
    spread[known] = np.nanmax(first[known], axis=1) - np.nanmin(first[known], axis=1)
    return np.sort(np.argsort(-spread, kind="stable")[:most])


def _items(
    origin: Origin, items: RankedItems, queries: pd.Index, place: np.ndarray, room: float, said: list[str]
) -> dict[str, Any]:
    """Return the items of each query, compressed one by one, and say how many are left out."""
    runs, table = items.runs, origin.table
    several = len(np.unique(place)) < len(place)  # replicates: a system has several runs
    texts = run_labels(runs) if several else [origin.systems[at] if at >= 0 else "" for at in place]
    shown = np.flatnonzero(place >= 0)
    shown = shown[np.argsort(place[shown], kind="stable")]
    kept = {"runs": [texts[at] for at in shown], "systems": place[shown].tolist()}
    most = _most(items, queries, shown, room)
    words = footnote.words(table.attrs)
    if most == 0:
        said.append(f"The {words.docs} are left out: the page would be larger than its limit.")
        return {**kept, "data": [None] * len(queries)}
    found = [_packed_items(items, query, shown, most) for query in queries]
    sizes = items.sizes(queries)
    cut = int((sizes > most).sum())
    what = "judged" if items.complete else "relevant"
    if cut:
        said.append(
            f"Of a {words.query} at most {most:,} {what} {words.docs} are held, by grade and then by best rank: "
            f"{cut:,} of {len(queries):,} {words.queries} have more."
        )
    said.append(f"Only {what} {words.docs} are held: the others of a ranking are not on this page.")
    return {**kept, "data": found}


def _packed_items(items: RankedItems, query: object, shown: np.ndarray, most: int) -> str:
    found = items.of_query(query, most)
    ranks = np.where(np.isfinite(found.ranks), found.ranks, 0)[:, shown]
    return packed(
        {
            "docs": [str(doc) for doc in found.docs],
            "grades": numbers(found.grades),
            "relevant": found.relevant.astype(int).tolist(),
            "ranks": numbers(ranks.T),
            "of": found.of,
        }
    )


def _most(items: RankedItems, queries: pd.Index, shown: np.ndarray, room: float) -> int:
    """Return how many items of each query the room holds, from what a sample of queries takes."""
    sizes = items.sizes(queries)
    largest = int(sizes.max(initial=0))
    sample = queries[:: max(len(queries) // SAMPLE, 1)]
    most = largest
    while most > 0:
        taken = float(np.mean([len(_packed_items(items, query, shown, most)) for query in sample]))
        taken = (taken + 3) * len(queries)  # with their quotes and commas
        if taken <= room:
            return most
        most = min(most - 1, int(most * max(room, 0) / taken))
    return 0
