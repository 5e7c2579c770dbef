"""The recall level that decides: the lowest at which two rankings find their relevant items at different ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.pairs import select
from pdeval.evaluate.run_selection import chosen_pairs
from pdeval.evaluate.scores import Views
from pdeval.join.blocks import Block
from pdeval.join.judged import Judged
from pdeval.kernels.primitives import closer, share
from pdeval.studies.sign_agreement import Per
from pdeval.tables.equal_values import begins, pairs_of
from pdeval.tables.labels import labels, repeated
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import one_of

table(
    "deciding",
    "run_a run_b query recall:int",
    "table of deciding recall levels",
    row="pair of runs and query",
    sort="run_a run_b query",
    then=".plot()",
    means={"recall": "the lowest recall level at which the two runs differ, from 1; 0 where they never do"},
    unreported="it has a row per query and pair; report or draw .ties.decided()",
)
table(
    "decided",
    "recall:int decided:int pairs:int ecdf:share",
    "table of pairs decided by recall level",
    row="recall level",
    sort="recall",
    then=".plot()",
    means={
        "recall": "the recall level, from 1",
        "decided": "number of (query, pair of runs) that differ at this level and at none before",
        "pairs": "number of (query, pair of runs) in all",
        "ecdf": "share of pairs decided at or before this level; what is missing to 1 at the last is tied for good",
    },
    unreported="it has a row per recall level; draw it: .plot()",
)


def places(rank: np.ndarray) -> Iterator[np.ndarray]:
    """Yield, level by level, the place of each run in the order by all levels so far, shape (topics, runs).

    Runs with equal ranks so far share a place. The last one is the lexicographic order.

    Examples
    --------
    >>> rank = np.array([[[1.0, 2.0, 1.0]], [[3.0, 4.0, 2.0]]])
    >>> [place.tolist() for place in places(rank)]
    [[[0, 2, 0]], [[1, 2, 0]]]
    """
    topics, runs = rank.shape[1:]
    place = np.zeros((topics, runs), dtype=np.int64)
    number = np.arange(runs)
    for row in rank:
        order = np.lexsort((row, place), axis=-1)
        ranked, before = np.take_along_axis(row, order, axis=-1), np.take_along_axis(place, order, axis=-1)
        # a run takes the place at which the stretch of its equals begins
        start = np.maximum.accumulate(np.where(begins(ranked, before), number, 0), axis=-1)
        place = np.empty_like(place)
        np.put_along_axis(place, order, start, axis=-1)
        yield place


@verb(
    on="judged",
    gives="deciding",
    family="ties",
    name="deciding",
    needs="relevant",
    formerly="deciding_levels",
)
def deciding(judged: Judged, *, baseline: object = None, pairs: object = None) -> pd.DataFrame:
    """Return the recall level that decides between two runs on each query: the lowest where they differ.

    It is the level at which lexicographic precision prefers one of them.

    Parameters
    ----------
    baseline : run, optional
        Only pairs of a run with this one, which is then run_b.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").ties.deciding(baseline="bm25").head(3)
          run_a run_b query_id  recall
    0  bm25+rm3  bm25      101       2
    1  bm25+rm3  bm25      102       1
    2  bm25+rm3  bm25      103       2
    """
    positions, counts = judged.positions, judged.counted()
    source = select(judged, "sgnLP", baseline=baseline, pairs=pairs)
    decided = np.zeros((len(positions.queries), len(source.a)), dtype=np.int32)
    for block in Views(judged).blocks("binary", judged.level):
        decided[block.topics] = _decided(block, source.a, source.b)
    pair, topic = np.nonzero((counts[:, source.a] & counts[:, source.b]).T)
    columns = {
        f"{name}_{side}": repeated(positions.runs[name], at[pair])
        for side, at in (("a", source.a), ("b", source.b))
        for name in positions.runs.columns
    }
    columns[str(positions.queries.name)] = repeated(positions.queries, topic)
    frame = pd.DataFrame({**columns, "recall": decided[topic, pair]})
    frame.attrs.update(judged.attrs)
    return frame


def _decided(block: Block, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the deciding recall level of each pair on the topics of a block; only pairs still tied are looked at."""
    level = np.zeros((block.shape[0], len(a)), dtype=np.int32)
    topic, pair = np.nonzero(np.ones(level.shape, dtype=bool))
    for i, row in enumerate(block["rank"]):
        differs = row[topic, a[pair]] != row[topic, b[pair]]
        level[topic[differs], pair[differs]] = i + 1
        topic, pair = topic[~differs], pair[~differs]
        if not len(topic):
            break
    return level


@verb(
    on="judged",
    gives="decided",
    family="ties",
    name="decided",
    needs="relevant",
    formerly="decided_by_level",
)
def decided(judged: Judged) -> pd.DataFrame:
    """Return the share of pairs of runs that is decided at or before each recall level.

    Computed from groups of equal rankings, without forming pairs.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 6.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").ties.decided().head(3).round(3)
       recall  decided  pairs   ecdf
    0       1     1366   3168  0.431
    1       2      597   3168  0.620
    2       3      532   3168  0.788
    """
    chosen_pairs(judged.runs)
    counts = judged.counted()
    judged.tell(counts)
    parts, deepest, total = [], 0, 0
    for block in Views(judged).blocks("binary", judged.level):
        here = counts[block.topics]
        pairs = int(pairs_of(here.sum(axis=1)).sum())
        total += pairs
        tied = [pairs]
        for place in places(block["rank"]):
            tied.append(_sharing(place, here))
            if not tied[-1]:
                break
        parts.append(-np.diff(tied))
        deepest = max(deepest, len(parts[-1]))
    found = np.zeros(deepest, dtype=np.int64)
    for part in parts:
        found[: len(part)] += part
    last = np.flatnonzero(found)
    found = found[: last[-1] + 1] if len(last) else found[:0]
    ecdf = np.cumsum(found) / max(total, 1)
    frame = pd.DataFrame({"recall": np.arange(1, len(found) + 1), "decided": found, "pairs": total, "ecdf": ecdf})
    frame.attrs.update(judged.attrs)
    return frame


def _sharing(place: np.ndarray, counts: np.ndarray) -> int:
    """Return how many pairs of runs that count share a place."""
    runs = place.shape[1]
    cell = (np.arange(len(place))[:, None] * runs + place)[counts]
    return int(pairs_of(np.bincount(cell)).sum())


CELLS = 1 << 20
PREDICTORS = ("sgnLP", "RR(i=2)")

table(
    "masked_agreement",
    "[query] measure pairs:int agreement:share",
    "table of agreement without the first relevant item",
    row="measure (and query, with per='query')",
    sort="measure query",
    then=".report()",
    means={
        "measure": "what foretells: lexicographic precision of the later items, or the second item alone",
        "pairs": "number of (query, pair of runs) whose first relevant items are at different ranks",
        "agreement": "share of those pairs that are foretold rightly, missing where there are none",
    },
    undrawn="it is two numbers; print the table itself",
)


@verb(
    on="judged",
    gives="masked_agreement",
    family="agree",
    name="masked",
    needs="relevant",
    formerly="masked_agreement",
)
def masked(judged: Judged, *, per: Per = "all", baseline: object = None, pairs: object = None) -> pd.DataFrame:
    """Return how often the run with the sooner first relevant item is foretold by the relevant items after it.

    Over pairs whose first relevant items are at different ranks: by `sgnLP`, lexicographic precision of the second
    and later items, and by `RR(i=2)`, the second item alone. A prediction of a tie is a miss.

    Parameters
    ----------
    baseline : run, optional
        Only pairs of a run with this one.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Table 2.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").agree.masked().round(3)
       measure  pairs  agreement
    0    sgnLP   1366      0.865
    1  RR(i=2)   1366      0.832
    """
    one_of("per", per, ("all", "query"))
    a, b = chosen_pairs(judged.runs, baseline=baseline, pairs=pairs)
    counts = judged.counted()
    judged.tell(counts, pairs=(a, b))
    found = np.zeros((3, len(judged.queries)), dtype=np.int64)
    for block in Views(judged).blocks("binary", judged.level):
        if block.size == 0:
            continue
        rank, here = block["rank"], counts[block.topics]
        rest = np.zeros(block.shape, dtype=np.int64)
        for rest in places(rank[1:]):  # noqa: B007
            pass
        second = rank[1] if block.size > 1 else rest
        step = max(CELLS // max(block.shape[0], 1), 1)
        for first in range(0, len(a), step):
            x, y = a[first : first + step], b[first : first + step]
            target = closer(rank[0][:, x], rank[0][:, y])
            target[~(here[:, x] & here[:, y])] = 0
            told = target != 0
            found[0, block.topics] += told.sum(axis=1)
            for row, guess in enumerate((rest, second), start=1):
                found[row, block.topics] += (told & (closer(guess[:, x], guess[:, y]) == target)).sum(axis=1)
    kept = np.flatnonzero(counts.any(axis=1))
    found = found[:, kept] if per == "query" else found.sum(axis=1, keepdims=True)
    width = found.shape[1]
    columns: dict[str, Any] = {}
    if per == "query":
        columns[str(judged.queries.name)] = labels(judged.queries[kept], np.tile(np.arange(width), 2))
    columns["measure"] = labels(pd.Index(PREDICTORS), np.repeat([0, 1], width))
    count = np.tile(found[0], 2)
    rate = np.where(count > 0, share(found[1:].ravel(), count), np.nan)
    frame = pd.DataFrame({**columns, "pairs": count, "agreement": rate})
    frame.attrs.update(judged.attrs)
    return frame
