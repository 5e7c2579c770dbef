"""Contributions: what a recall level adds to the difference of two rankings, and an item to a measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate.choice import chosen_pairs, place_of
from pdeval.evaluate.scores import MEASURES, Views, attributes, call_of, only_metrics
from pdeval.judged.blocks import Block
from pdeval.judged.judged import Judged
from pdeval.kernels.levels import closer, cut, level, log2
from pdeval.kinds.labels import labels, repeated
from pdeval.kinds.schemas import table
from pdeval.verbs import verb

table(
    "contributions",
    "query run_a run_b measure recall:int value:float",
    "table of contributions of recall levels",
    row="query, pair of runs, measure and recall level",
    sort="query run_a run_b",
    then=".plot()",
    unreported="it has a row per recall level; draw it: .plot()",
    means={"recall": "the recall level, from 1", "value": "positive where run_a gains"},
)
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

TERMS: dict[str, Callable[[np.ndarray, np.ndarray, dict[str, Any]], np.ndarray]] = {
    "RBP": lambda x, y, p: p["p"] ** x - p["p"] ** y,
    "AP": lambda x, y, p: level(x) * (1 / x - 1 / y),
    "nDCG": lambda x, y, p: 1 / log2(x + 1) - 1 / log2(y + 1),
    "DCG": lambda x, y, p: 1 / log2(x + 1) - 1 / log2(y + 1),
    "RR": lambda x, y, p: np.where(level(x) == p["i"], 1 / x - 1 / y, 0.0),
    "ISL": lambda x, y, p: np.where(level(x) == 1, y - x, 0.0),
    "TSL": lambda x, y, p: np.where(level(x) == len(x), y - x, 0.0),
    "ASL": lambda x, y, p: y - x,
    "RPP": lambda x, y, p: closer(x, y).astype(np.float64),
}
_PLACED = {"ISL", "TSL", "ASL"}
_OPEN = {"RBP": {"p", "k"}, "AP": {"k"}, "nDCG": {"k"}, "DCG": {"k"}, "RR": {"i", "k"}}


@verb(on="judged", gives="contributions")
def disaggregate(
    judged: Judged, measures: object = ("RPP",), *, baseline: object = None, pairs: object = None
) -> pd.DataFrame:
    """Return what each recall level contributes to the difference of two runs, positive where run_a gains.

    The terms are those of Diaz & Ferraro 2022, Fig. 4a, on binary relevance: RBP p^x - p^y, AP i (1/x - 1/y), nDCG
    1/log2(x + 1) - 1/log2(y + 1), RR 1/x - 1/y at level 1, ISL and TSL y - x at the first and last level, ASL y - x,
    RPP the sign of y - x; they are not normalised. Items not retrieved stand at the end of the query's pool for the
    search lengths.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Any of RBP, AP, nDCG, DCG, RR, ISL, TSL, ASL, RPP.
    baseline : run, optional
        Only pairs of a run with this one, which is then run_b.
    pairs : list of (run_a, run_b), or DataFrame of both, optional
        Only these pairs; by default every pair once.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.disaggregate(["RPP", "AP"], pairs=[("bm25", "ql")]).head(3)
      query_id run_a run_b measure  recall  value
    0      101  bm25    ql     RPP       1    1.0
    1      101  bm25    ql     RPP       2    1.0
    2      101  bm25    ql     RPP       3    1.0
    """
    asked = parse_all(measures)
    _only_terms(asked)
    a, b = chosen_pairs(judged.runs, baseline=baseline, pairs=pairs)
    views = Views(judged)
    counts = judged.counted()
    if not counts.any():
        raise judged.nothing_counts()
    judged.tell(counts, pairs=(a, b))
    parts: dict[str, list[np.ndarray]] = {name: [] for name in ("topic", "pair", "measure", "recall", "value")}
    for number, measure in enumerate(asked):
        for block in views.blocks("binary", views.level(measure)):
            if block.size:
                _append(parts, block, measure, number, counts, a, b)
    whole = {name: np.concatenate(values) for name, values in parts.items()}
    order = np.lexsort((whole["recall"], whole["measure"], whole["pair"], whole["topic"]))
    whole = {name: values[order] for name, values in whole.items()}
    columns = {str(judged.queries.name): repeated(judged.queries, whole["topic"])}
    for side, place in (("a", a), ("b", b)):
        for name in judged.runs.columns:
            columns[f"{name}_{side}"] = repeated(judged.runs[name], place[whole["pair"]])
    columns["measure"] = labels(pd.Index([measure.label for measure in asked]), whole["measure"])
    frame = pd.DataFrame({**columns, "recall": whole["recall"], "value": whole["value"]})
    frame.attrs.update(attributes(judged, asked))
    return frame


def _only_terms(asked: list[Measure]) -> None:
    for measure in asked:
        name, defaults = measure.entry.name, measure.entry.parameters
        if name not in TERMS:
            raise ValueError(f"{measure.label} is no sum over recall levels; disaggregate knows {', '.join(TERMS)}.")
        for own, value in measure.parameters.items():
            if (
                own not in _OPEN.get(name, ())
                and value is not defaults[own]
                and not np.array_equal(value, defaults[own])
            ):
                raise ValueError(
                    f"{measure.label}: the terms of {name} are those on binary relevance, whatever its {own}; "
                    f"leave out {own}=."
                )


def _append(
    parts: dict[str, list[np.ndarray]],
    block: Block,
    measure: Measure,
    number: int,
    counts: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
) -> None:
    rank = block["rank"]
    if measure.entry.name in _PLACED:
        rank = np.where(np.isfinite(rank), rank, block["corpus"])
    rank = cut(rank, measure.parameters.get("k", np.inf))
    value = TERMS[measure.entry.name](rank[..., a], rank[..., b], dict(measure.parameters))
    at, topic, pair = np.nonzero(np.broadcast_to((counts[:, a] & counts[:, b])[block.topics], value.shape))
    parts["topic"].append(block.topics[topic])
    parts["pair"].append(pair)
    parts["measure"].append(np.full(len(at), number))
    parts["recall"].append(at + 1)
    parts["value"].append(value[at, topic, pair])


@verb(on="judged", gives="explanation", needs="judged")
def explain(judged: Judged, query: object, measures: object = MEASURES, *, runs: object = None) -> pd.DataFrame:
    """Return a per-item account of one query: item, grade, its rank in each run, what it adds to each measure.

    An item's contribution is by how much the measure changes when the item joins those that the run ranks above it;
    contributions add up to the measure's value, less its value when none of these items is found (infinity for some
    search lengths).

    Parameters
    ----------
    query : query id
        Which query to account for.
    measures : str, Measure, or list of them
        One column each.
    runs : run or list of runs, optional
        Only these runs.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged().explain("101", ["AP", "nDCG@10"], runs="bm25").head(3).round(3)
        run query_id         doc_id  relevance  rank     AP  nDCG@10
    0  bm25      101      doc-03516          2   1.0  0.077    0.236
    1  bm25      101      doc-03054          1   2.0  0.077    0.074
    2  bm25      101  news-2021-394          0   3.0  0.000    0.000
    """
    asked, positions = parse_all(measures), judged.positions
    only_metrics(asked)
    found = np.flatnonzero(positions.queries == query)
    if len(found) == 0:
        some = ", ".join(repr(one) for one in positions.queries[:3])
        raise KeyError(f"no judged query {query!r}; the judged queries are {some}, ...")
    if runs is not None:
        wanted = [runs] if isinstance(runs, (str, tuple)) or not np.iterable(runs) else list(runs)
        places = [place_of(positions.runs, one) for one in wanted]
        positions = positions.keep_runs(np.isin(np.arange(len(positions.runs)), places))
    one = positions.keep_topics(np.arange(len(positions.queries)) == found[0])
    n_items, n_runs = len(one.judged.topic), len(one.runs)
    rank = np.full((n_runs, n_items), np.inf)
    rank[one.run, one.item] = one.rank
    run, item = np.divmod(np.arange(n_runs * n_items), n_items)
    grade_name = one.source[1].roles["grade"] if one.source else "relevance"
    columns = {name: labels(one.runs[name], run) for name in one.runs.columns}
    columns[str(one.queries.name)] = labels(one.queries, np.zeros(len(run), dtype=np.int64))
    columns[one.doc_name] = np.asarray(one.judged.docs.take(one.judged.doc).index())[item]
    columns[grade_name] = one.judged.grade[item]
    columns["rank"] = rank.ravel()
    for measure in asked:
        columns[measure.label] = _added(judged.on(one), measure)[run, item]
    frame = pd.DataFrame(columns)
    # in rank order; then what was not found, the best grade first
    order = np.lexsort((item, -one.judged.grade[item] * np.isinf(rank.ravel()), rank.ravel(), run))
    frame = frame.iloc[order].reset_index(drop=True)
    frame[grade_name] = _whole(frame[grade_name])
    frame.attrs.update({**attributes(judged, asked), "doc_column": one.doc_name, "grade_column": grade_name})
    return frame


def _whole(grade: pd.Series) -> pd.Series:
    return grade.astype(np.int64) if (grade == grade.round()).all() else grade


def _added(judged: Judged, measure: Measure) -> np.ndarray:
    """Return what each item adds, (runs, items); 0 for items that the measure does not look at."""
    views, one = Views(judged), judged.positions
    added = np.zeros((len(one.runs), len(one.judged.topic)))
    kernel, names, parameters = call_of(measure, one.rules)
    for block in views.blocks(measure.entry.kind, views.level(measure)):
        size = block.size
        if size == 0:
            continue
        columns = []
        for name in names:
            column = np.asarray(block[name], dtype=np.float64 if name in ("rank", "start") else None)
            if name in ("rank", "start"):
                # step s of the second axis knows only the first s items
                steps = np.arange(size + 1)[None, :, None]
                column = np.where(level(column) <= steps, column, np.inf)
            elif column.ndim == 3 and column.shape[0] == size:
                column = np.broadcast_to(column, (size, size + 1, column.shape[2]))
            elif column.ndim == 4:
                column = np.broadcast_to(column, (*column.shape[:2], size + 1, column.shape[3]))
            columns.append(column)
        value = np.broadcast_to(kernel(*columns, **parameters), (size + 1, len(one.runs)))
        # an item that leaves a search length infinite adds nothing to it
        gains = np.subtract(value[1:], value[:-1], out=np.zeros((size, len(one.runs))), where=value[1:] != value[:-1]).T
        rows = np.arange(len(one.runs))[:, None]
        added[rows, block.view.items[block.rows[:, 0].T]] = gains
    return added
