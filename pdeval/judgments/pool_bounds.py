"""Residuals: the lowest and highest value of a measure if unjudged items of a list have the largest grade.

The value itself treats unjudged items as not relevant. Any of the first unjudged items of a list could be relevant.
They then count at their ranks, and increase the number of relevant items and the ideal ranking of the query. More
relevant items may lower a measure: one relevant item at rank 1 has AP 1, and a second one at rank 100 makes it .51.

For a number s of assumed relevant items, the first s give the highest value and the last s the lowest, because no
measure decreases when a relevant item moves up. So the range over all 2^u ways to judge u items, each not relevant or
of the largest grade, is the range over 2u of them. Grades in between are not tried.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate import MEASURES, Scores, Views, call_of, of_scores, only_metrics
from pdeval.evaluate.scores import scores
from pdeval.join import Block, Judged, Positions, View, ranges
from pdeval.kernels.primitives import cut, total
from pdeval.tables import table
from pdeval.verbs import track, verb

Assume = Literal["any", "all"]
ITEMS = {"rank", "grade", "relevant", "ideal"}
COLUMNS = ITEMS | {"relevants", "retrieved", "top_grade", "corpus"}
BLOCK = 1 << 20  # cells of the largest temporary array


table(
    "pool_bounds",
    "run [query] measure value:float low:float high:float residual:float",
    "residuals for the largest grade",
    recognized_by="measure value low high residual",
    row="run (and query) and measure",
    sort="run query",
    means={
        "value": "value, or its mean over judged queries, with unjudged items not relevant",
        "low": "lowest value if any unjudged items have the largest grade",
        "high": "highest value if any unjudged items have the largest grade",
        "residual": "high - low",
    },
    no_report="it is a table to read: one range per run and measure",
    no_plot="it is a table to read: one range per run and measure",
)


@verb(on="judged", returns="pool_bounds", family="pool", needs="judged", own="depth")
def bounds(
    judged: Judged,
    measures: object = MEASURES,
    *,
    depth: int | None = 100,
    assume: Assume = "any",
    include: Literal["judged", "all"] = "judged",
    per: Literal["run", "query"] = "run",
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the lowest and highest value of measures if unjudged items of each list have the largest grade.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures of relevant items, except those that ignore unjudged items (Bpref, Judged) or use subtopics.
    depth : int, optional
        Number of items of each list that may be relevant if unjudged; lower items are not relevant. The cost grows with
        the square of the depth. None is the complete list.
    assume : {'any', 'all'}
        'any': any subset of the unjudged items may have the largest grade. 'all': either none or all of them, which is
        faster.
    include : {'judged', 'all'}
        Queries of the means. With 'all', unjudged queries of the runs may have any value of the measure.
    per : {'run', 'query'}
        Mean over queries, or one row per query.

    Notes
    -----
    Assumed items have the largest grade of the judgments, `attrs["assumed_grade"]`. For binary measures
    (AP, P) the range holds for any grades. With intermediate grades, graded measures may exceed it: in small lists by
    up to .10 (nDCG, Q, BPM) or .17 (nDCGrel, Compat). Items of negative grade (pooled, not judged) are unjudged.

    With a `level` above the largest grade no judged item is relevant, but assumed items are. Their grade is then only
    their gain in graded measures.

    RBP and gRBP have the bounds of Moffat and Zobel: every rank down to the cutoff without a judged item, also below
    the end of the list and for any `depth`, may have a fully relevant item. The highest value is 1 if a run returned
    nothing. trec_eval's rbp_resid (here RBPresidual) is not a bound: it is 0 if all returned items are judged. For
    other measures a list ends at its last item. gRBP with max_grade='topic' decreases if an item of a larger grade is
    added.

    References
    ----------
    Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness, section 3.3.

    Examples
    --------
    >>> import pdeval
    >>> result = pdeval.datasets.sample_judged(queries="common").pool.bounds(["P@10", "AP"], depth=20)
    >>> result[result["run"] == "rerank-s1"].round(3)
              run measure  value    low   high  residual
    14  rerank-s1    P@10  0.629  0.629  0.794     0.165
    15  rerank-s1      AP  0.560  0.558  0.678     0.120
    """
    positions, parsed = judged.positions, parse_all(measures)
    only_metrics(parsed)
    _check(positions, parsed)
    limits = None if include == "judged" else _limits(parsed, per)
    cube = scores(judged, parsed)
    views = Views(judged)
    value = np.stack([views.values(measure) for measure in parsed])
    low, high = value.copy(), value.copy()
    searched: dict[tuple[str, float | None], list[int]] = {}
    for number, measure in enumerate(parsed):
        if measure.entry.name in (
            "RBP",
            "gRBP",
        ):  # a sum over ranks: unjudged ones add their weight
            high[number] += _weight_in_doubt(
                views, measure.parameters["p"], measure.parameters["k"]
            )
            if measure.parameters.get("max_grade") == "topic":
                # the largest grade of each query as a fraction of the largest of all; 1 if none is above 0
                top = np.zeros(len(positions.queries))
                np.maximum.at(top, positions.judged.topic, positions.judged.grade)
                low[number] *= np.where(top > 0, top / (top.max(initial=0) or 1.0), 1.0)[:, None]
        else:
            searched.setdefault((measure.kind, views.level(measure)), []).append(number)
    steps = [
        (lists, numbers)
        for key, numbers in searched.items()
        for lists in _lists(positions, parsed, numbers, key, depth)
    ]
    for lists, numbers in track(steps, total=len(steps), desc="pool_bounds", progress=progress):
        calls = [call_of(parsed[number], positions.rules) for number in numbers]
        ranks, count = unjudged(positions, lists.topic, lists.run, depth)
        cells = np.array(numbers)[:, None], lists.topic, lists.run  # (measures, lists)
        low[cells], high[cells] = lists.range(calls, ranks, count, assume, value[cells])
    # queries that count
    kept = positions.queries.isin(cube.queries)
    bounds = [
        replace(cube, values=np.where(np.isnan(cube.values), np.nan, part[:, kept]))
        for part in (low, high)
    ]
    frame = _ranges([cube, *bounds], per)
    if limits is not None:
        ids = pd.Index(judged.tables[0].column("query").unique())
        frame = _of_all(
            frame, cube, limits, int((~ids.isin(judged.queries.astype(ids.dtype))).sum())
        )
    frame.attrs["assumed_grade"] = assumed_grade(positions)
    return frame


def assumed_grade(positions: Positions) -> float:
    """Return the grade that unjudged items are assumed to have: the largest, 1 where nothing is relevant."""
    return float(positions.top_grade) if positions.top_grade > 0 else 1.0


def _check(positions: Positions, measures: list[Measure]) -> None:
    """Raise if the join or a measure has no residual."""
    if positions.rules.get("ties") == "expected":
        raise ValueError(
            "ties='expected' gives items no definite rank, so there is no residual. Use another ties=."
        )
    if not positions.complete:
        raise ValueError("residuals require all judged items. Join with complete=True.")
    for measure in measures:
        reasons = {
            "judged_only= removes unjudged items from the lists.": measure.judged_only
            or positions.rules.get("judged_only"),
            "grade 0 has a gain, but a residual is about which items are relevant. Use no gain for grade 0.": (
                measure.kind == "judged" != measure.entry.kind
            ),
            "it depends on subtopics, which unjudged items do not have.": measure.kind
            == "subtopic",
            "it depends on judged items only, so unjudged items do not change it.": (
                measure.kind == "judged" or not set(measure.columns) <= COLUMNS
            ),
            "it is estimated from the lists of all queries together.": measure.together,
            "it is a mean over users who want different items.": measure.entry.population,
        }
        for reason, applies in reasons.items():
            if applies:
                raise ValueError(f"{measure.label} has no residual: {reason}")


def _limits(measures: list[Measure], per: str) -> pd.DataFrame:
    """Return the lowest and highest value of each measure, for unjudged queries."""
    if per != "run":
        raise ValueError("include='all' requires per='run': an unjudged query has no value.")
    for measure in measures:
        if measure.entry.aggregate != "mean" or not np.isfinite(measure.entry.range).all():
            raise ValueError(
                f"{measure.label} has no bounded mean, which include='all' requires. Use a "
                "bounded measure, e.g. nDCG."
            )
    return pd.DataFrame(
        [measure.entry.range for measure in measures], columns=["low", "high"], dtype=float
    )


def _of_all(
    frame: pd.DataFrame, cube: Scores, limits: pd.DataFrame, n_unjudged: int
) -> pd.DataFrame:
    """Return the ranges of means over judged queries and over unjudged queries, which may have any value."""
    n = (~np.isnan(cube.values)).sum(axis=1).T.ravel()  # run by run, in the order of the rows
    rows = limits.iloc[np.tile(np.arange(len(limits)), len(cube.runs))]
    low, high = (
        (n * frame[name] + n_unjudged * rows[name].to_numpy()) / (n + n_unjudged)
        for name in ("low", "high")
    )
    return frame.assign(low=low, high=high, residual=high - low)


def _weight_in_doubt(views: Views, p: float, k: float) -> np.ndarray:
    """Return the weight that rank-biased precision gives to the first k ranks minus those of judged items."""
    weight_of_all = 1.0 - np.power(float(p), float(k))
    result = np.full(views.positions.retrieved.shape, weight_of_all)
    for block in views.blocks("judged", None):
        known = (
            (1.0 - p) * total(np.power(float(p), cut(block["rank"], k) - 1)) if block.size else 0.0
        )
        result[block.topics] = np.maximum(weight_of_all - known, 0.0)
    return result


def _ranges(cubes: list[Scores], per: str) -> pd.DataFrame:
    """Return values, lowest and highest values side by side."""
    column = "value" if per == "query" else "mean"
    frames = [cube.frame() if per == "query" else of_scores(cube) for cube in cubes]
    low, high = (frame[column].to_numpy() for frame in frames[1:])
    with np.errstate(invalid="ignore"):  # both bounds are infinite: the residual is 0
        residual = np.where(high == low, 0.0, high - low)
    values = frames[0].drop(columns=["n", "sd", "ci_low", "ci_high"], errors="ignore")
    return values.rename(columns={column: "value"}).assign(low=low, high=high, residual=residual)


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
    width = int(min(retrieved.max(initial=0), np.inf if depth is None else depth))
    in_doubt = np.arange(1, width + 1) <= retrieved[:, None]  # (lists, ranks)
    # the list of every (topic, run); -1 for lists that are not asked about
    list_of_cell = np.full(positions.retrieved.shape, -1)
    list_of_cell[topic, run] = np.arange(len(topic))
    # hits are sorted by item and items by topic, so those of a topic are next to each other
    topics = np.unique(topic)
    edges = [np.searchsorted(positions.judged.topic, topics, side) for side in ("left", "right")]
    begin, end = (np.searchsorted(positions.item, edge) for edge in edges)
    hits = ranges(begin, end - begin)
    list_of_hit = list_of_cell[np.repeat(topics, end - begin), positions.run[hits]]
    judged = positions.judged.grade[positions.item[hits]] >= 0
    known = (list_of_hit >= 0) & (positions.rank[hits] <= width) & judged
    in_doubt[list_of_hit[known], positions.rank[hits[known]].astype(np.int64) - 1] = False
    count = in_doubt.sum(axis=1)
    # ranks of unjudged items come first, infinity after them
    ranks = np.sort(np.where(in_doubt, np.arange(1.0, width + 1), np.inf), axis=1)
    return ranks[:, : int(count.max(initial=0))], count


class _Lists:
    """Lists of a view, each as a separate topic: columns of shape (lists, items), padded, or (lists, 1)."""

    def __init__(self, blocks: list[Block], names: set[str]) -> None:
        self.names, self.top = names, assumed_grade(blocks[0].view.positions)
        self.topic = np.concatenate([np.repeat(block.topics, block.shape[1]) for block in blocks])
        self.run = np.concatenate(
            [np.tile(np.arange(block.shape[1]), block.shape[0]) for block in blocks]
        )
        self.size = np.concatenate(
            [np.full(block.shape[0] * block.shape[1], block.size) for block in blocks]
        )
        width = max(int(self.size.max()), 1)
        self.columns = {
            name: np.concatenate([_cells(block, name, width) for block in blocks])
            for name in (names | {"rank"}) - {"top_grade"}
        }

    def range(
        self,
        calls: list[tuple[Any, ...]],
        ranks: np.ndarray,
        count: np.ndarray,
        assume: Assume,
        value: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the lowest and highest values of measures, (measures, lists), starting from the actual values."""
        low, high = value.copy(), value.copy()
        most = self.size + count
        for size in range(1, int(most.max(initial=0)) + 1):
            lists = np.flatnonzero(
                (most == size) & (count > 0)
                if assume == "all"
                else (size > self.size) & (size <= most)
            )
            step = max(BLOCK // size, 1)
            for part in (lists[at : at + step] for at in range(0, len(lists), step)):
                last = count[part] - (size - self.size[part])
                # the first unjudged items, and the last ones if they are different
                for rows, start in ((part, np.zeros_like(last)), (part[last > 0], last[last > 0])):
                    if not len(rows):
                        continue
                    columns = self.assuming(rows, ranks, start, size)
                    for place, (kernel, names, parameters) in enumerate(calls):
                        result = kernel(*(columns[name] for name in names), **parameters)[:, 0]
                        low[place, rows] = np.minimum(low[place, rows], result)
                        high[place, rows] = np.maximum(high[place, rows], result)
        return low, high

    def assuming(
        self, rows: np.ndarray, ranks: np.ndarray, start: np.ndarray, size: int
    ) -> dict[str, Any]:
        """Return the columns of some lists, filled up to `size` items by unjudged ones from `start` on."""
        step, judged_size = np.arange(size), self.size[rows][:, None]
        at = np.minimum(step, self.columns["rank"].shape[1] - 1)

        def filled(name: str, value: Any) -> np.ndarray:
            """Return a column of items, with a value for the unjudged ones."""
            return np.where(step < judged_size, self.columns[name][rows][:, at], value)

        place = np.clip(start[:, None] + step - judged_size, 0, ranks.shape[1] - 1)
        rank = filled("rank", ranks[rows[:, None], place])
        # judged and assumed items in rank order
        order = np.argsort(rank, axis=1, kind="stable")
        more = {"grade": self.top, "relevant": True}
        items = {"rank": rank} | {
            name: filled(name, value) for name, value in more.items() if name in self.names
        }
        columns: dict[str, Any] = {
            name: _levels(np.take_along_axis(cells, order, axis=1)) for name, cells in items.items()
        }
        columns["top_grade"] = self.top
        if "ideal" in self.names:  # from the largest gain down
            columns["ideal"] = _levels(-np.sort(-filled("ideal", self.top), axis=1))
        if "relevants" in self.names:
            columns["relevants"] = self.columns["relevants"][rows] + size - judged_size
        return columns | {
            name: self.columns[name][rows] for name in ("retrieved", "corpus") if name in self.names
        }


def _lists(
    positions: Positions,
    measures: list[Measure],
    numbers: list[int],
    view: tuple[str, float | None],
    depth: int | None,
) -> Iterator[_Lists]:
    """Yield the lists of a view in parts, those with about equally many items together."""
    names = {name for number in numbers for name in measures[number].columns}
    width = int(min(positions.retrieved.max(initial=0), np.inf if depth is None else depth))
    blocks: list[Block] = []
    cells = 0
    for block in View(positions, *view).blocks(empty=True, most=BLOCK // (1 + width)):
        size = block.shape[0] * block.shape[1] * (block.size + width)
        if blocks and cells + size > BLOCK:
            yield _Lists(blocks, names)
            blocks, cells = [], 0
        blocks.append(block)
        cells += size
    if blocks:
        yield _Lists(blocks, names)


def _cells(block: Block, name: str, width: int) -> np.ndarray:
    """Return a column of a block, one row per list: (lists, width), padded, for items; (lists, 1) for others."""
    column = np.asarray(block[name])
    if name not in ITEMS:
        return np.broadcast_to(column, block.shape).reshape(-1, 1)
    cells = np.broadcast_to(column, (block.size, *block.shape)).reshape(
        block.size, block.shape[0] * block.shape[1]
    )
    return np.pad(cells.T, ((0, 0), (0, width - block.size)))


def _levels(cells: np.ndarray) -> np.ndarray:
    """Return (lists, items) as (items, lists, 1)."""
    return np.ascontiguousarray(cells.T)[:, :, None]
