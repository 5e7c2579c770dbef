"""One query item by item: where each run has it, what it adds to each measure, and who prefers which of two runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate.contributions import parts_of, sums
from pdeval.evaluate.cube import described_frame, pair_columns, run_columns
from pdeval.evaluate.pairs import of_pairs
from pdeval.evaluate.run_selection import place_of
from pdeval.evaluate.scores import (
    MEASURES,
    Views,
    attributes,
    call_of,
    check_populations,
    only_metrics,
    populations,
)
from pdeval.join.blocks import Block
from pdeval.join.judged import Judged
from pdeval.kernels.primitives import level
from pdeval.tables.labels import labels, run_labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import shown

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


def telling_query(views: Views, measures: list[Measure], a: int, b: int) -> int:
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
    values, used = [], np.ones(len(views.positions.queries), dtype=bool)
    for measure in measures[:2]:
        value = of_pairs(views, measure, np.array([a]), np.array([b]))[:, 0]
        used &= views.counted(measure)[:, [a, b]].all(axis=1)
        finite = np.isfinite(value)
        largest = np.abs(value[finite & used]).max(initial=0.0)
        values.append(np.where(finite, value / (largest or 1.0), np.sign(value)))
    if not used.any():
        raise views.judged.nothing_counts()
    size = np.abs(values[0] if len(values) == 1 else values[0] - values[1])
    return int(np.argmax(np.where(used, size, -1.0)))


def explained_pair(
    judged: Judged,
    measures: list[Measure],
    topic: int,
    a: int,
    b: int,
) -> pd.DataFrame:
    """Return the account of a query by recall level: items, ranks, who is sooner, the running sum.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> explained_pair(judged, [pdeval.parse("RPP(level=1)")], 0, 0, 1)["running_sum"].tail(1).round(4).tolist()
    [-0.3846]
    """
    check_populations(judged.positions, measures)
    views, runs = Views(judged), run_labels(judged.runs)
    parts: list[dict[str, Any]] = []
    for measure in measures:
        rows: list[dict[str, Any]] = []
        for population, block, weight, value in parts_of(
            views,
            measure,
            np.array([a]),
            np.array([b]),
        ):
            for at in np.flatnonzero(block.topics == topic):
                value = value[:, at, 0]
                weight = np.broadcast_to(weight, (len(value), *block.topics.shape, 1))[:, at, 0]
                used = ~np.isnan(weight)
                columns = {
                    "measure": np.full(len(value), measure.label, dtype=object),
                    "population": np.full(len(value), population, dtype=object),
                    "recall": np.arange(1, len(value) + 1),
                    **_items(block, measure, int(at), a, b),
                    "sooner": np.array([runs[b], "tie", runs[a]], dtype=object)[
                        np.sign(value).astype(int) + 1
                    ],
                    "weight": weight,
                    "value": value,
                }
                rows.append({name: column[used] for name, column in columns.items()})
        if rows:
            part = {name: np.concatenate([one[name] for one in rows]) for name in rows[0]}
            parts.append({**part, "running_sum": np.cumsum(part["weight"] * part["value"])})
    if not parts:
        raise ValueError(
            f"query {judged.queries[topic]!r} has no relevant item, so that nobody prefers either run."
        )
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    topics, side_a, side_b = (np.full(len(columns["recall"]), code) for code in (topic, a, b))
    ids = {
        str(judged.queries.name): labels(judged.queries, topics),
        **pair_columns(judged.runs, side_a, side_b, labels),
    }
    frame = pd.DataFrame({**ids, **columns}).astype(
        {
            "measure": "str",
            "population": "str",
            "sooner": "str",
        }
    )
    frame.attrs.update(attributes(judged, measures))
    return frame


def _items(
    block: Block,
    measure: Measure,
    topic: int,
    a: int,
    b: int,
) -> dict[str, np.ndarray]:
    """Return the item and the rank by which each run reaches each level; none if cells are no recall levels."""
    columns: dict[str, np.ndarray] = {}
    judged = block.view.positions.judged
    size = (
        int(np.max(block["retrieved"][:, [a, b]], initial=0))
        if measure.entry.name == "I"
        else block.size
    )
    for side, run in (("a", a), ("b", b)):
        doc, rank = np.full(size, None, dtype=object), np.full(size, np.nan)
        if measure.entry.name not in ("I", "OI"):
            rank = block["rank"][:, topic, run]
            reached = np.isfinite(rank)
            items = block.view.items[block.rows[reached, topic, run]]
            doc[reached] = np.asarray(judged.docs.take(judged.doc[items]).index(), dtype=object)
        columns |= {f"doc_{side}": doc, f"rank_{side}": rank}
    return columns


table(
    "explanation",
    "run query doc grade:float rank:float",
    "explanation of a query",
    known_by="-",
    row="run and judged item",
    sort="run rank",
    unreported="it is a table to read: one row per item",
    undrawn="it is a table to read: one row per item",
)


@verb(on="judged", gives=("explanation", "pair_explanation"), needs="judged", grouped=False)
def explain(
    judged: Judged,
    query: object = None,
    measures: object = MEASURES,
    *,
    runs: object = None,
) -> pd.DataFrame:
    """Return a per-item account of one query: item, grade, its rank in each run, what it adds to each measure.

    An item's contribution is by how much the measure changes when the item joins those that the run ranks above it;
    contributions add up to the measure's value, less its value when none of these items is found (infinity for some
    search lengths).

    A preference is accounted for by recall level, for two runs: the item by which each reaches it, both ranks, who is
    sooner, and the running sum of `weight * value`, which ends at what `prefer` gives.

    Parameters
    ----------
    query : query id, optional
        Which query to account for. By default the most telling one: where the measure (or preference) of two runs
        differs most; where two measures or preferences are asked for, and there are two runs, where these two disagree
        most, each on the scale of its largest difference; of more runs, where the first measure is spread most between
        them; of a single run, where that is worst. The result names it.
    measures : str, Measure, or list of them
        One column each. Preferences, and measures beside them, have rows instead.
    runs : run or list of runs, optional
        Only these runs; a preference needs two, and the first is run_a.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.explain("101", ["AP", "nDCG@10"], runs="bm25").head(3).round(3)
        run query_id         doc_id  relevance  rank     AP  nDCG@10
    0  bm25      101      doc-03516          2   1.0  0.077    0.236
    1  bm25      101      doc-03054          1   2.0  0.077    0.074
    2  bm25      101  news-2021-394          0   3.0  0.000    0.000

    Who prefers hybrid to bm25, and why?

    >>> table = judged.explain("101", "RPP", runs=["hybrid", "bm25"])
    >>> table[["population", "recall", "rank_a", "rank_b", "sooner", "weight", "running_sum"]].head(4).round(3)
       population  recall  rank_a  rank_b  sooner  weight  running_sum
    0  grade >= 1       1     1.0     1.0     tie   0.053        0.000
    1  grade >= 1       2     2.0     2.0     tie   0.053        0.000
    2  grade >= 1       3     3.0     6.0  hybrid   0.053        0.053
    3  grade >= 1       4     7.0     8.0  hybrid   0.053        0.105

    On which query do two measures disagree most about them?

    >>> judged.explain(measures=["RPP", "RR"], runs=["hybrid", "bm25"])["query_id"].iloc[0]
    '115'
    """
    requested = parse_all(measures)
    if all(measure.judged_only for measure in requested) and not judged.positions.rules.get(
        "judged_only"
    ):
        judged = judged.on(judged.positions.only_judged())  # its ranks are the ones that count
    chosen = list(range(len(judged.runs)))
    if runs is not None:
        names = [runs] if isinstance(runs, (str, tuple)) or not np.iterable(runs) else list(runs)
        chosen = list(dict.fromkeys(place_of(judged.runs, name) for name in names))
    paired = [measure for measure in requested if measure.entry.family == "preference"]
    if paired and len(chosen) != 2:
        raise ValueError(
            f"{paired[0].label} is a preference, not a measure of one ranking: it is accounted for between two runs, "
            f"and there are {len(chosen)}. Name two: runs=[run_a, run_b]."
        )
    if paired:
        requested = sums(requested)
    else:
        only_metrics(requested)
    topic = _topic(judged, query, requested, chosen)
    if paired:
        return explained_pair(judged, requested, topic, *chosen)
    positions = judged.positions
    if runs is not None:
        positions = positions.keep_runs(np.isin(np.arange(len(positions.runs)), chosen))
    positions = positions.keep_topics(np.arange(len(positions.queries)) == topic)
    items = positions.judged
    rank = np.full((len(positions.runs), len(items.topic)), np.inf)
    rank[positions.run, positions.item] = positions.rank
    run, item = np.divmod(np.arange(rank.size), len(items.topic))
    # in rank order; then what was not retrieved, the best grade first
    order = np.lexsort((item, -items.grade[item] * np.isinf(rank.ravel()), rank.ravel(), run))
    run, item = run[order], item[order]
    grade_name = positions.source[1].roles["grade"] if positions.source else "relevance"
    grade = items.grade[item]
    columns = {
        **run_columns(positions.runs, run),
        str(positions.queries.name): labels(positions.queries, np.zeros(len(run), dtype=np.int64)),
        positions.doc_name: np.asarray(items.docs.take(items.doc).index())[item],
        grade_name: grade.astype(np.int64) if (grade == grade.round()).all() else grade,
        "rank": rank[run, item],
        **{
            measure.label: _added(judged.on(positions), measure)[run, item] for measure in requested
        },
    }
    attrs = {
        **attributes(judged, requested),
        "doc_column": positions.doc_name,
        "grade_column": grade_name,
    }
    return described_frame(columns, attrs)


def _topic(
    judged: Judged,
    query: object,
    measures: list[Measure],
    runs: list[int],
) -> int:
    """Return the topic of a query, or the most telling one if none is given."""
    if query is not None:
        wanted = query if pd.api.types.is_scalar(query) else None  # several queries match none
        topics = np.flatnonzero(judged.queries.astype(object).to_numpy() == wanted)
        if len(topics) == 0:
            examples = ", ".join(map(repr, judged.queries[:3]))
            raise KeyError(
                f"no judged query {shown(query)}; the judged queries are {examples}, ..."
            )
        return int(topics[0])
    views = Views(judged)
    if len(runs) == 2:
        return telling_query(views, measures, *runs)
    first = measures[0]
    value = views.values(first)[:, runs]
    value = np.where(np.isfinite(value), value, np.nan)
    used = views.counted(first)[:, runs].all(axis=1) & ~np.isnan(value).any(axis=1)
    if not used.any():
        raise judged.nothing_counts()
    # the largest spread between runs, or the worst value of a single run
    telling = np.ptp(value, axis=1) if len(runs) > 1 else (-value if first.higher else value)[:, 0]
    return int(np.argmax(np.where(used, telling, -np.inf)))


def _added(judged: Judged, measure: Measure) -> np.ndarray:
    """Return what each item adds, (runs, items); 0 for items that do not belong to the measure."""
    views, positions = Views(judged), judged.positions
    added = np.zeros((len(positions.runs), len(positions.judged.topic)))
    kernel, names, parameters = call_of(measure, positions.rules)
    if tuple(names) == (
        "nonrelevant_found",
    ):  # a count of items that are judged and not relevant: each adds itself
        counts = (positions.judged.grade >= 0) & ~positions.relevant(views.level(measure))
        hits = counts[positions.item]
        added[positions.run[hits], positions.item[hits]] = 1.0
        return added
    runs = np.arange(len(positions.runs))[:, None]
    for _, share, blocks in populations(views, measure):
        for block in filter(lambda block: block.size, blocks):
            gains = _steps(block, kernel, names, parameters)
            added[runs, block.view.items[block.rows[:, 0].T]] += (
                gains if share is None else share[0] * gains
            )
    return added


def _steps(
    block: Block,
    kernel: Callable[..., Any],
    names: Iterable[str],
    parameters: Mapping[str, Any],
) -> np.ndarray:
    """Return by how much a measure changes with each item, in rank order, (runs, items)."""
    size, runs, columns = block.size, block.shape[1], []
    for name in names:
        column = np.asarray(block[name], dtype=np.float64 if name in ("rank", "start") else None)
        if name in ("rank", "start"):
            # step s of the second axis has only the first s items
            column = np.where(level(column) <= np.arange(size + 1)[None, :, None], column, np.inf)
        elif column.ndim == 4 or (column.ndim == 3 and column.shape[0] == size):
            column = np.broadcast_to(column, (*column.shape[:-2], size + 1, column.shape[-1]))
        columns.append(column)
    value = np.broadcast_to(kernel(*columns, **parameters), (size + 1, runs))
    # an item that leaves a search length infinite adds nothing to it
    return np.subtract(
        value[1:],
        value[:-1],
        out=np.zeros((size, runs)),
        where=value[1:] != value[:-1],
    ).T
