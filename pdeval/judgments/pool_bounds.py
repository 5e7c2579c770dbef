"""Residuals: the lowest and highest value of a measure, were unjudged items of a list of the largest grade.

The value itself counts unjudged items as not relevant. Any of those that a list has among its first could be relevant,
for that list alone: then they are relevant items like the others, found where they are found, and the number of
relevant items and the ideal ranking of the query grow by them. So more of them is not always more: one relevant item
at rank 1 has AP 1, a second one at rank 100 makes it .51.

Of any number s of assumed items the best ones to be relevant are the first s and the worst the last s, because no
measure falls when a relevant item moves up. So the range over all 2^u ways to judge u items, each not relevant or of
the largest grade, is that over 2u of them. Grades between are not tried: there are too many ways to give them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.scores import MEASURES, Views, call_of, only_metrics, scores
from pdeval.evaluate.summary import of_scores
from pdeval.join.blocks import Block, View
from pdeval.join.judged import Judged
from pdeval.join.lists import ranges
from pdeval.join.positions import Positions
from pdeval.kernels.primitives import cut, total
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.progress import track

table(
    "residuals",
    "run [query] measure value:float low:float high:float residual:float",
    "residuals for the largest grade",
    known_by="measure value low high residual",
    row="run (and query) and measure",
    sort="run query",
    means={
        "value": "the value, or its mean over judged queries; unjudged items are not relevant",
        "low": "the lowest value, were any unjudged items of the largest grade",
        "high": "the highest value, were any unjudged items of the largest grade",
        "residual": "high - low",
    },
    unreported="it is a table to read: one range per run and measure",
    undrawn="it is a table to read: one range per run and measure",
)

Assume = Literal["any", "all"]
ITEMS = {"rank", "grade", "relevant", "ideal"}
COLUMNS = ITEMS | {"relevants", "retrieved", "top_grade", "corpus"}
BLOCK = 1 << 20  # cells of the largest temporary array


@verb(on="judged", gives="residuals", family="pool", needs="judged", own="depth", formerly="residuals")
def residuals(
    judged: Judged,
    measures: object = MEASURES,
    *,
    depth: int | None = 100,
    assume: Assume = "any",
    queries: Literal["judged", "all"] = "judged",
    per: Literal["run", "query"] = "run",
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the lowest and highest value of measures, were unjudged items of each list of the largest grade.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures of relevant items; not those that look at judged items only (Bpref, Judged), nor at subtopics.
    depth : int, optional
        Doubt only the first `depth` items of each list; below, unjudged items are not relevant. The work grows with
        its square; None doubts all.
    assume : {'any', 'all'}
        Any of the unjudged items may be relevant, of the largest grade; or either none is or all are, which is less
        work.
    queries : {'judged', 'all'}
        With 'all', means over all queries of the runs: one that nobody judged may have any value of the measure.
    per : {'run', 'query'}
        The mean over queries, or a row for every query.

    Notes
    -----
    Assumed items have the largest grade of the judgments, `attrs["assumed_grade"]`. For measures of relevant or not
    (AP, P) the range holds whatever the grades. Grades between may take graded measures beyond it: in small lists by up
    to .10 (nDCG, Q, BPM) or .17 (nDCGrel, Compat). Items of negative grade (pooled, not judged) are unjudged.

    With a `level` above the largest grade nothing that was judged is relevant, and assumed items are relevant all the
    same: their grade is then only the gain that graded measures give them.

    RBP and gRBP are bounded as Moffat and Zobel do: the reader may go on below the end of the list, where anything may
    stand, so that every rank down to the cutoff that holds no judged item may hold a fully relevant one, whatever the
    `depth`. The highest value is 1 where a run returned nothing. trec_eval's rbp_resid is no bound: it is 0 as soon as
    all returned items are judged (the measure RBPresidual is that one). Other measures take a list to end where it
    ends. gRBP by the query's own largest grade (max_grade='topic') falls where an item of a larger grade is found.

    References
    ----------
    Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness, section 3.3.

    Examples
    --------
    >>> import pdeval
    >>> found = pdeval.datasets.sample_judged(topics="common").pool.residuals(["P@10", "AP"], depth=20)
    >>> found[found["run"] == "rerank-s1"].round(3)
              run measure  value    low   high  residual
    14  rerank-s1    P@10  0.629  0.629  0.794     0.165
    15  rerank-s1      AP  0.560  0.558  0.678     0.120
    """
    positions, asked = judged.positions, parse_all(measures)
    only_metrics(asked)
    _check(positions, asked, depth, assume, per)
    unknown = _unjudged_queries(judged, asked, queries, per)
    cube = scores(judged, asked)
    views = Views(judged)
    value = np.stack([views.values(measure) for measure in asked])
    low, high = value.copy(), value.copy()
    searched: dict[tuple[str, float | None], list[int]] = {}
    for number, measure in enumerate(asked):
        if measure.entry.name in ("RBP", "gRBP"):
            high[number] += _weight_in_doubt(views, measure.parameters["p"], measure.parameters["k"])
            if measure.parameters.get("max_grade") == "topic":
                low[number] *= _largest(positions)[:, None]
        else:
            searched.setdefault((measure.kind, views.level(measure)), []).append(number)
    steps = [
        (lists, numbers) for key, numbers in searched.items() for lists in _lists(positions, asked, numbers, key, depth)
    ]
    for lists, numbers in track(steps, total=len(steps), desc="residuals", progress=progress):
        calls = [call_of(asked[number], positions.rules) for number in numbers]
        ranks, count = unjudged(positions, lists.topic, lists.run, depth)
        lows, highs = lists.range(calls, ranks, count, assume, value[numbers][:, lists.topic, lists.run])
        for place, number in enumerate(numbers):
            low[number, lists.topic, lists.run], high[number, lists.topic, lists.run] = lows[place], highs[place]
    kept = positions.queries.isin(cube.queries)
    bounds = [replace(cube, values=np.where(np.isnan(cube.values), np.nan, part[:, kept])) for part in (low, high)]
    frame = _ranges([cube, *bounds], per)
    frame = frame if unknown is None else _of_all(frame, cube, unknown)
    frame.attrs["assumed_grade"] = assumed_grade(positions)
    return frame


def assumed_grade(positions: Positions) -> float:
    """Return the grade that unjudged items are assumed to have: the largest, 1 where nothing is relevant."""
    return float(positions.top_grade) if positions.top_grade > 0 else 1.0


def _unjudged_queries(judged: Judged, asked: list[Measure], queries: str, per: str) -> pd.DataFrame | None:
    """Return the limits of each measure, one row each, and how many queries of the runs nobody judged."""
    if queries not in ("judged", "all"):
        raise ValueError(f"queries={queries!r}: choose 'judged' or 'all'.")
    if queries == "judged":
        return None
    if per != "run":
        raise ValueError("queries='all' is for means: of a query that nobody judged there is nothing to say.")
    for measure in asked:
        if measure.entry.aggregate != "mean" or not np.isfinite(measure.entry.range).all():
            raise ValueError(
                f"{measure.label} has no mean between two numbers, so that queries='all' has no bounds. Choose a "
                "measure that has, e.g. nDCG."
            )
    ids = pd.Index(judged.tables[0].column("query").unique())
    count = int((~ids.isin(judged.queries.astype(ids.dtype))).sum())
    limits = pd.DataFrame([measure.entry.range for measure in asked], columns=["low", "high"], dtype=float)
    return limits.assign(queries=count)


def _of_all(frame: pd.DataFrame, cube: Scores, unknown: pd.DataFrame) -> pd.DataFrame:
    """Return the ranges of means over judged queries, and over those that may have any value."""
    n = (~np.isnan(cube.values)).sum(axis=1).T.ravel()  # run by run, as the rows are
    rows = unknown.iloc[np.tile(np.arange(len(unknown)), len(cube.runs))]
    more = rows["queries"].to_numpy()
    ends = {name: (n * frame[name] + more * rows[name].to_numpy()) / (n + more) for name in ("low", "high")}
    return frame.assign(**ends, residual=ends["high"] - ends["low"])


def _weight_in_doubt(views: Views, p: float, k: float) -> np.ndarray:
    """Return the weight that rank-biased precision gives to the first k ranks less those of judged items."""
    whole = 1.0 - np.power(float(p), float(k))
    result = np.full(views.positions.retrieved.shape, whole)
    for block in views.blocks("judged", None):
        known = (1.0 - p) * total(np.power(float(p), cut(block["rank"], k) - 1)) if block.size else 0.0
        result[block.topics] = np.maximum(whole - known, 0.0)
    return result


def _largest(positions: Positions) -> np.ndarray:
    """Return the largest grade of each topic as a share of the largest of all; 1 where none is above 0."""
    top = np.zeros(len(positions.queries))
    np.maximum.at(top, positions.judged.topic, positions.judged.grade)
    return np.where(top > 0, top / max(float(top.max(initial=0)), 1e-300), 1.0)


def _ranges(cubes: list[Scores], per: str) -> pd.DataFrame:
    """Return values, lowest and highest values side by side."""
    if per == "query":
        frames, column = [cube.frame() for cube in cubes], "value"
    else:
        frames, column = [of_scores(cube).drop(columns=["n", "sd", "ci_low", "ci_high"]) for cube in cubes], "mean"
    values = frames[0].rename(columns={column: "value"})
    low, high = (frame[column].to_numpy() for frame in frames[1:])
    with np.errstate(invalid="ignore"):  # infinite both ways: nothing is in doubt
        return values.assign(low=low, high=high, residual=np.where(high == low, 0.0, high - low))


def unjudged(
    positions: Positions, topic: np.ndarray, run: np.ndarray, depth: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranks of the unjudged items of some lists, (lists, most of any), infinity after the last; and counts.

    Examples
    --------
    >>> import pdeval
    >>> positions = pdeval.datasets.sample_judged().positions
    >>> topic, run = (axis.ravel() for axis in np.indices(positions.retrieved.shape))
    >>> ranks, counts = unjudged(positions, topic, run, 20)
    >>> np.bincount(run, counts).tolist()  # three of the systems were not in the pool, and ties went another way
    [1.0, 8.0, 0.0, 0.0, 176.0, 0.0, 0.0, 216.0, 227.0, 0.0, 1.0, 16.0]
    """
    retrieved = positions.retrieved[topic, run]
    wide = int(retrieved.max(initial=0))
    wide = wide if depth is None else min(wide, depth)
    doubted = np.arange(1, wide + 1) <= retrieved[:, None]
    place = np.full(positions.retrieved.shape, -1)
    place[topic, run] = np.arange(len(topic))
    # hits are sorted by item and items by topic, so those of a topic stand together
    topics = np.unique(topic)
    ends = [np.searchsorted(positions.judged.topic, topics, side) for side in ("left", "right")]
    begin, end = (np.searchsorted(positions.item, edge) for edge in ends)
    hits = ranges(begin, end - begin)
    own = place[np.repeat(topics, end - begin), positions.run[hits]]
    known = (own >= 0) & (positions.rank[hits] <= wide) & (positions.judged.grade[positions.item[hits]] >= 0)
    doubted[own[known], positions.rank[hits[known]].astype(np.int64) - 1] = False
    count = doubted.sum(axis=1)
    ranks = np.sort(np.where(doubted, np.arange(1.0, wide + 1), np.inf), axis=1)
    return ranks[:, : int(count.max(initial=0))], count


def _lists(
    positions: Positions, asked: list[Measure], numbers: list[int], view: tuple[str, float | None], depth: int | None
) -> Iterator[_Lists]:
    """Yield the lists of a view some at a time, those with about equally many items together."""
    names = {name for number in numbers for name in asked[number].columns}
    wide = int(positions.retrieved.max(initial=0))
    wide = wide if depth is None else min(wide, depth)
    blocks: list[Block] = []
    cells = 0
    for block in View(positions, *view).blocks(empty=True, most=BLOCK // (1 + wide)):
        size = block.shape[0] * block.shape[1] * (block.size + wide)
        if blocks and cells + size > BLOCK:
            yield _Lists(blocks, names)
            blocks, cells = [], 0
        blocks.append(block)
        cells += size
    if blocks:
        yield _Lists(blocks, names)


class _Lists:
    """Lists of a view, each as a topic of its own: columns of shape (lists, items), padded, or (lists, 1)."""

    def __init__(self, blocks: list[Block], names: set[str]) -> None:
        positions = blocks[0].view.positions
        self.names, self.top = names, assumed_grade(positions)
        self.topic = np.concatenate([np.repeat(block.topics, block.shape[1]) for block in blocks])
        self.run = np.concatenate([np.tile(np.arange(block.shape[1]), block.shape[0]) for block in blocks])
        self.size = np.concatenate([np.full(block.shape[0] * block.shape[1], block.size) for block in blocks])
        wide = max(int(self.size.max()), 1)
        self.columns: dict[str, np.ndarray] = {}
        for name in (names | {"rank"}) - {"top_grade"}:
            parts = []
            for block in blocks:
                column = np.asarray(block[name])
                if name in ITEMS:
                    column = (
                        np.broadcast_to(column, (block.size, *block.shape))
                        .reshape(block.size, block.shape[0] * block.shape[1])
                        .T
                    )
                    parts.append(np.pad(column, ((0, 0), (0, wide - block.size))))
                else:
                    parts.append(np.broadcast_to(column, block.shape).reshape(-1, 1))
            self.columns[name] = np.concatenate(parts)

    def range(
        self, calls: list[tuple[Any, ...]], ranks: np.ndarray, count: np.ndarray, assume: Assume, value: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the lowest and highest values of measures, (measures, lists), starting from those without doubt."""
        low, high = value.copy(), value.copy()
        most = self.size + count
        for size in range(1, int(most.max(initial=0)) + 1):
            fits = (most == size) & (count > 0) if assume == "all" else (size > self.size) & (size <= most)
            which = np.flatnonzero(fits)
            step = max(BLOCK // size, 1)
            for part in (which[at : at + step] for at in range(0, len(which), step)):
                last = count[part] - (size - self.size[part])
                # the first unjudged items, and the last ones where those are others
                for rows, start in ((part, np.zeros_like(last)), (part[last > 0], last[last > 0])):
                    if len(rows):
                        columns = self.assuming(rows, ranks, start, size)
                        for place, (kernel, names, parameters) in enumerate(calls):
                            found = kernel(*(columns[name] for name in names), **parameters)[:, 0]
                            low[place, rows] = np.minimum(low[place, rows], found)
                            high[place, rows] = np.maximum(high[place, rows], found)
        return low, high

    def assuming(self, rows: np.ndarray, ranks: np.ndarray, start: np.ndarray, size: int) -> dict[str, Any]:
        """Return the columns of some lists, filled up to `size` items by unjudged ones from `start` on."""
        step, own = np.arange(size), self.size[rows][:, None]
        judged = step < own
        at = np.minimum(step, self.columns["rank"].shape[1] - 1)
        more = ranks[rows[:, None], np.clip(start[:, None] + step - own, 0, ranks.shape[1] - 1)]
        rank = np.where(judged, self.columns["rank"][rows][:, at], more)
        order = np.argsort(rank, axis=1, kind="stable")
        found: dict[str, Any] = {"rank": _levels(np.take_along_axis(rank, order, axis=1)), "top_grade": self.top}
        for name, value in (("grade", self.top), ("relevant", True)):
            if name in self.names:
                held = np.where(judged, self.columns[name][rows][:, at], value)
                found[name] = _levels(np.take_along_axis(held, order, axis=1))
        if "ideal" in self.names:
            ideal = np.where(judged, self.columns["ideal"][rows][:, at], self.top)
            found["ideal"] = _levels(-np.sort(-ideal, axis=1))
        if "relevants" in self.names:
            found["relevants"] = self.columns["relevants"][rows] + size - own
        return found | {name: self.columns[name][rows] for name in ("retrieved", "corpus") if name in self.names}


def _levels(cells: np.ndarray) -> np.ndarray:
    """Return (lists, items) as (items, lists, 1)."""
    return np.ascontiguousarray(cells.T)[:, :, None]


def _check(positions: Positions, asked: list[Measure], depth: int | None, assume: str, per: str) -> None:
    if per not in ("run", "query"):
        raise ValueError(f"per={per!r}: choose 'run' or 'query'.")
    if assume not in ("any", "all"):
        raise ValueError(f"assume={assume!r}: choose 'any' or 'all'.")
    if depth is not None and (not isinstance(depth, (int, np.integer)) or isinstance(depth, bool) or depth < 1):  # type: ignore[redundant-expr]
        raise ValueError(f"depth={depth!r}: give a whole number of at least 1, or None for all.")
    if positions.rules.get("ties") == "expected":
        raise ValueError(
            "ties='expected' gives no item a definite rank, so there is no residual; choose another ties=."
        )
    if not positions.complete:
        raise ValueError("residuals need to know which items were judged; join with complete=True.")
    for measure in asked:
        if measure.judged_only or positions.rules.get("judged_only"):
            raise ValueError(f"{measure.label} has no residual: judged_only= takes unjudged items out of the lists.")
        if measure.kind == "judged" != measure.entry.kind:
            raise ValueError(
                f"{measure.label} has no residual: grade 0 has a gain in it, and what is in doubt is whether an item "
                "is relevant, not whether it has a gain. Ask without a gain of grade 0."
            )
        if measure.kind in ("judged", "subtopic") or not set(measure.columns) <= COLUMNS:
            why = "subtopics, which an unjudged item does not tell"
            why = why if measure.kind == "subtopic" else "judged items only, so unjudged ones do not touch it"
            raise ValueError(f"{measure.label} has no residual: it looks at {why}.")
        if measure.together:
            raise ValueError(
                f"{measure.label} has no residual: it is estimated from the lists of all queries together."
            )
        if measure.entry.population:
            raise ValueError(f"{measure.label} has no residual: it is a mean over users who want different items.")
