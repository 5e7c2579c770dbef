"""Two runs on one query, cell by cell: who is sooner, and how the preference adds up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import Measure
from pdeval.evaluate.contributions import only_sums, parts_of
from pdeval.evaluate.pairs import of_pairs
from pdeval.evaluate.populations import check_populations
from pdeval.evaluate.scores import Views, attributes
from pdeval.judged.blocks import Block
from pdeval.judged.judged import Judged
from pdeval.kinds.labels import labels, run_labels
from pdeval.kinds.schemas import table

table(
    "pair_explanation",
    "query run_a run_b measure population recall:int doc_a:any rank_a:float doc_b:any rank_b:float sooner weight:float "
    "value:float running_sum:float",
    "explanation of a preference",
    row="measure, population and recall level",
    sort="query run_a run_b",
    then=".plot()",
    means={
        "population": "the users: who want any relevant item, items from a grade on, or those of a subtopic",
        "recall": "the recall level, from 1; of I the rank cutoff, of OI the relevant item at which the user stops",
        "doc_a": "the item by which run_a reaches the level; missing where it does not, and for I and OI",
        "rank_a": "its rank, infinite where run_a does not reach the level",
        "doc_b": "the item by which run_b reaches the level",
        "rank_b": "its rank",
        "sooner": "the run that is ahead, or 'tie'",
        "weight": "of the row: the share of users",
        "value": "positive where run_a is ahead",
        "running_sum": "of weight times value, from the first row of the measure; the last one is the preference",
    },
    unreported="it is a table to read: one row per recall level",
)


def telling_query(views: Views, asked: list[Measure], a: int, b: int) -> int:
    """Return the topic on which two runs differ most by one measure, or on which two measures disagree most.

    Of one measure that with the largest preference in size. Of several, the preferences of the first two are divided by
    their largest size, and the topic is that with the largest distance between them. The first such topic, where
    several are equal.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.queries[telling_query(Views(judged), [pdeval.parse("RPP")], 0, 1)]
    '111'
    """
    found, used = [], np.ones(len(views.positions.queries), dtype=bool)
    for measure in asked[:2]:
        value = of_pairs(views, measure, np.array([a]), np.array([b]))[:, 0]
        used &= views.counted(measure)[:, [a, b]].all(axis=1)
        finite = np.isfinite(value)
        largest = np.abs(value[finite & used]).max(initial=0.0)
        found.append(np.where(finite, value / (largest or 1.0), np.sign(value)))
    if not used.any():
        raise views.judged.nothing_counts()
    size = np.abs(found[0] if len(found) == 1 else found[0] - found[1])
    return int(np.argmax(np.where(used, size, -1.0)))


def explained_pair(judged: Judged, asked: list[Measure], topic: int, a: int, b: int) -> pd.DataFrame:
    """Return the account of a query by recall level: items, ranks, who is sooner, the running sum.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> explained_pair(judged, [pdeval.parse("RPP(level=1)")], 0, 0, 1)["running_sum"].tail(1).round(4).tolist()
    [-0.3846]
    """
    only_sums(asked)
    check_populations(judged.positions, asked)
    views, runs = Views(judged), run_labels(judged.runs)
    side_a, side_b = np.array([a]), np.array([b])
    parts: list[dict[str, Any]] = []
    for measure in asked:
        own: list[dict[str, Any]] = []
        for population, block, weight, value in parts_of(views, measure, side_a, side_b):
            here = np.flatnonzero(block.topics == topic)
            if len(here) == 0:
                continue
            value = value[:, here[0], 0]
            weight = np.broadcast_to(weight, (len(value), *block.topics.shape, 1))[:, here[0], 0]
            used = ~np.isnan(weight)
            own.append(
                {
                    "measure": np.full(len(value), measure.label, dtype=object)[used],
                    "population": np.full(len(value), population, dtype=object)[used],
                    "recall": np.arange(1, len(value) + 1)[used],
                    **{name: one[used] for name, one in _items(block, measure, int(here[0]), a, b).items()},
                    "sooner": np.array([runs[b], "tie", runs[a]], dtype=object)[np.sign(value).astype(int) + 1][used],
                    "weight": weight[used],
                    "value": value[used],
                }
            )
        if own:
            whole = {name: np.concatenate([one[name] for one in own]) for name in own[0]}
            parts.append({**whole, "running_sum": np.cumsum(whole["weight"] * whole["value"])})
    if not parts:
        raise ValueError(f"query {judged.queries[topic]!r} has no relevant item, so that nobody prefers either run.")
    whole = {name: np.concatenate([one[name] for one in parts]) for name in parts[0]}
    size = len(whole["recall"])
    columns: dict[str, Any] = {str(judged.queries.name): labels(judged.queries, np.full(size, topic))}
    for side, place in (("a", a), ("b", b)):
        for name in judged.runs.columns:
            columns[f"{name}_{side}"] = labels(judged.runs[name], np.full(size, place))
    frame = pd.DataFrame({**columns, **whole}).astype({"measure": "str", "population": "str", "sooner": "str"})
    frame.attrs.update(attributes(judged, asked))
    return frame


def _items(block: Block, measure: Measure, topic: int, a: int, b: int) -> dict[str, np.ndarray]:
    """Return the item and the rank by which each run reaches each level; none where cells are no recall levels."""
    found: dict[str, np.ndarray] = {}
    judged = block.view.positions.judged
    size = block.size
    by_level = measure.entry.name not in ("I", "OI")
    if measure.entry.name == "I":
        size = int(np.max(block["retrieved"][:, [a, b]], initial=0))
    for side, place in (("a", a), ("b", b)):
        doc, rank = np.full(size, None, dtype=object), np.full(size, np.nan)
        if by_level:
            rank = block["rank"][:, topic, place]
            reached = np.isfinite(rank)
            items = block.view.items[block.rows[reached, topic, place]]
            doc[reached] = np.asarray(judged.docs.take(judged.doc[items]).index(), dtype=object)
        found[f"doc_{side}"], found[f"rank_{side}"] = doc, rank
    return found
