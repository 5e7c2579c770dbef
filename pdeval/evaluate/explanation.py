"""One query item by item: where each run has it, and what it adds to each measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate.choice import place_of
from pdeval.evaluate.populations import populations
from pdeval.evaluate.scores import MEASURES, Views, attributes, call_of, only_metrics
from pdeval.judged.blocks import Block
from pdeval.judged.judged import Judged
from pdeval.kernels.levels import level
from pdeval.kinds.labels import labels
from pdeval.kinds.schemas import table
from pdeval.verbs import verb

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
    if tuple(names) == ("nonrelevant_found",):  # a count of items that are judged and not relevant: each adds itself
        counts = (one.judged.grade >= 0) & ~one.relevant(views.level(measure))
        hits = counts[one.item]
        added[one.run[hits], one.item[hits]] = 1.0
        return added
    for _, share, blocks in populations(views, measure):
        for block in filter(lambda block: block.size, blocks):
            rows = np.arange(len(one.runs))[:, None]
            gains = _steps(block, kernel, names, parameters)
            added[rows, block.view.items[block.rows[:, 0].T]] += gains if share is None else share[0] * gains
    return added


def _steps(block: Block, kernel: Callable[..., Any], names: Iterable[str], parameters: Mapping[str, Any]) -> np.ndarray:
    """Return by how much a measure changes with each item, in rank order, (runs, items)."""
    size, runs, columns = block.size, block.shape[1], []
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
    value = np.broadcast_to(kernel(*columns, **parameters), (size + 1, runs))
    # an item that leaves a search length infinite adds nothing to it
    return np.subtract(value[1:], value[:-1], out=np.zeros((size, runs)), where=value[1:] != value[:-1]).T
