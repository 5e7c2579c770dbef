"""Preferences over pairs of runs, topic by topic, in blocks of bounded memory.

Recall-paired preferences compare all runs level by level; lexicographic preferences order the runs of a topic once;
any other kernel is called on the two sides of each pair.

Offline interleaving is computed from the number of relevant items that each run has by each rank. In a balanced
interleaving that draws from x first, an item at rank k of x appears at turn 2k - 1, and one at rank k of y at turn 2k,
whichever is earlier. If the last click is on an item that x contributes at rank k, x is credited with all its relevant
items down to rank k. Run y is credited with those above rank k, and with the one at rank k if x has it too by then.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.lib.stride_tricks import sliding_window_view as sliding

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate.cube import Computed
from pdeval.evaluate.run_selection import chosen_pairs
from pdeval.evaluate.scores import (
    Views,
    add_populations,
    attributes,
    check_populations,
    no_sets,
    one_number_each,
    only_metrics,
    populations,
)
from pdeval.join import Block, Judged
from pdeval.kernels.preferences import Weight, unscaled, weights
from pdeval.kernels.primitives import closer
from pdeval.verbs import track, verb

LEVEL_CELLS = 1 << 21  # compared at a time, of one level
SLAB = 1 << 17  # compared at a time, of several levels
NEAR = 1 << 15  # weighed at a time


def recall_paired(
    block: Block,
    weight: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
) -> np.ndarray:
    """Return the weights of the levels that a reaches at a better rank minus those of b, shape (topics, pairs).

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.evaluate.scores import Views
    >>> block = Views(pdeval.datasets.sample_judged()).blocks("binary", 1)[-1]
    >>> recall_paired(block, np.full(block.size, 1 / block.size), np.array([0]), np.array([1])).shape[1]
    1
    """
    rank = block.cut(block.view.small)
    levels, topics, runs = rank.shape
    even = weight.min() == weight.max()
    if 2 * len(a) >= runs * runs // 2:
        if even:
            return np.divide(levels_ahead(rank, a, b).T, block["m"], order="C")
        return _weights_ahead(rank, weight, a, b)
    result = np.empty((topics, len(a)))
    # sums of weights take more room than counts, and are quick only inside the cache
    step = max((LEVEL_CELLS if even else SLAB) // max(len(a), 1), 1)
    for first in range(0, topics, step):
        part = rank[:, first : first + step]
        slab = max(SLAB // (max(len(a), 1) * part.shape[1]), 1)
        ahead = behind = None
        for i in range(0, levels, slab):
            x, y = part[i : i + slab][:, :, a], part[i : i + slab][:, :, b]
            ahead = _added(ahead, x < y, weight[i : i + slab], even)
            behind = _added(behind, x > y, weight[i : i + slab], even)
        np.subtract(ahead, behind, out=result[first : first + step], dtype=np.float64)  # type: ignore[arg-type]
    return result / block["m"] if even else result


def numerators(
    views: Views, measure: Measure, a: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return preferences of shape (topics, pairs), or integers, and the numbers of levels by which they are divided.

    Examples
    --------
    >>> import pdeval
    >>> views, a, b = Views(pdeval.datasets.sample_judged(level=1)), *np.triu_indices(12, 1)
    >>> ahead, levels = numerators(views, pdeval.parse("RPP"), a, b)
    >>> ahead[:3, 0].tolist(), levels[:3, 0].tolist()
    ([-5, -5, -14], [13.0, 44.0, 50.0])
    """
    entry, rules, runs = measure.entry, views.positions.rules, len(views.positions.runs)
    weight = measure.parameters.get("weight", entry.weight)
    # all pairs are counted together, so not for a few of them
    if (
        entry.path == "recall-paired"
        and isinstance(weight, str)  # or an array
        and weight == "uniform"
        and not {"expected", "pref_eval"} & {rules.get("ties"), rules.get("compat")}
        and 2 * len(a) >= runs * runs // 2
    ):
        _, share, blocks = next(populations(views, measure, padded=True), (None, 0.0, []))
        if share is None:  # else the preference is a sum over populations
            ahead = [levels_ahead(block.cut(block.view.small), a, b) for block in blocks]
            levels = np.concatenate([np.maximum(block["m"], 1.0) for block in blocks])
            # the inverse permutation: the place of each topic among the blocks
            place = np.argsort(np.concatenate([block.topics for block in blocks]))
            return np.concatenate(ahead, axis=1).take(place, axis=1).T, levels[place]
    return of_pairs(views, measure, a, b), None


def levels_ahead(rank: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the number of levels on which a is ahead of b minus those on which it is behind, shape (pairs, topics).

    Run i is compared with run i + s, modulo the number of runs, for every shift s up to half the runs. All pairs of a
    shift are one contiguous comparison of the ranks with the shifted ranks; only the counts are gathered.
    """
    levels, topics, runs = rank.shape
    half = runs // 2
    result = np.empty((len(a), topics), dtype=np.min_scalar_type(-levels - 1))
    counts = np.int8 if rank.dtype == np.int8 else np.int16
    distance = (b - a) % runs
    near = distance <= half  # a comes s places before b, else after it
    shift_of = np.maximum(np.where(near, distance, runs - distance), 1)
    pair = (shift_of - 1) * runs + np.where(near, a, b)
    side = np.where(near, np.sign(distance), -1).astype(result.dtype)  # a run leads itself nowhere
    step = max(NEAR // (16 * max(runs, 1)), 1)
    for first in range(0, topics, step):
        part = rank[:, first : first + step]
        # no run is ahead on levels that none reaches
        part = part[(part < np.iinfo(rank.dtype).max).any(axis=(1, 2))].transpose(0, 2, 1)
        circle = np.concatenate((part, part[:, :half]), axis=1)
        width = part.shape[2]
        lead = np.zeros((max(half, 1), runs * width), dtype=result.dtype)
        slab = min(max(SLAB // (runs * width), 1), max(len(part), 1), np.iinfo(counts).max)
        shifts = max(SLAB // (slab * runs * width), 1)
        room = np.empty((slab, shifts, runs * width), dtype=rank.dtype)
        for i in range(0, len(part), slab):
            flat = circle[i : i + slab].reshape(-1, (runs + half) * width)
            shifted = sliding(flat, runs * width, axis=1)[:, ::width]  # row s begins s runs later
            for shift in range(1, half + 1, shifts):
                x, y = flat[:, None, : runs * width], shifted[:, shift : shift + shifts]
                ahead = np.subtract(y, x, out=room[: len(y), : y.shape[1]])
                np.sign(ahead, out=ahead)
                lead[shift - 1 : shift - 1 + shifts] += np.add.reduce(ahead, axis=0, dtype=counts)
        ahead = lead.reshape(-1, width).take(pair, axis=0)
        result[:, first : first + step] = ahead * side[:, None]
    return result


def _weights_ahead(
    rank: np.ndarray,
    weight: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
) -> np.ndarray:
    """Return the weights of the levels on which a is ahead of b minus those on which b is, added level after level.

    The sign bit of a difference of ranks, shifted over all bits, masks the bits of the weight: no comparison is
    converted to a number.
    """
    _, topics, runs = rank.shape
    result = np.empty((topics, len(a)))
    bits = weight.astype(np.float64).view(np.int64)
    step = max(NEAR // (runs * runs), 1)
    for first in range(0, topics, step):
        part = rank[:, first : first + step].astype(np.int64)
        ahead = np.zeros((part.shape[1], runs, runs))
        term = np.empty(ahead.shape, dtype=np.int64)
        for level, weight_bits in zip(part, bits):
            np.subtract(level[:, :, None], level[:, None, :], out=term)
            np.right_shift(
                term, 63, out=term
            )  # all bits set where the difference is negative, else none
            np.bitwise_and(term, weight_bits, out=term)
            ahead += term.view(np.float64)
        np.subtract(ahead[:, a, b], ahead[:, b, a], out=result[first : first + step])
    return result


def as_pref_eval(
    block: Block,
    weight: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
) -> np.ndarray:
    """Return the same, added in the order of pref_eval, for the same rounding and so the same ties."""
    rank = block.cut(block.view.small)
    # added one after the other: `sum` adds in pairs, with other rounding
    weight = weight / np.add.accumulate(weight)[-1]
    total = np.zeros((rank.shape[1], len(a)))
    for i in range(len(rank)):
        total += closer(rank[i][:, a], rank[i][:, b]) * weight[i]
    return len(rank) * total / len(rank)


def _added(
    total: np.ndarray | None,
    ahead: np.ndarray,
    weight: np.ndarray,
    even: bool,
) -> np.ndarray:
    """Return the total plus the weights of the levels that are ahead, added level after level.

    Whatever the blocks and slabs, the additions are the same, so every way of cutting gives the same bits.
    """
    if even:
        counted = ahead.sum(axis=0, dtype=np.int32)
        return counted if total is None else np.add(total, counted, out=total)
    if len(ahead) == 1:
        term = ahead[0] * weight[0]
        return term if total is None else np.add(total, term, out=total)
    terms = ahead * weight[:, None, None]
    if total is not None:
        terms[0] += total
    # adds in the order of recall levels, whatever the size of a part
    return np.add.accumulate(terms, axis=0, out=terms)[-1]


CELLS = 1 << 21  # items of pairs that a kernel sees at a time


@verb(
    on="judged",
    returns="preferences",
    core=True,
    command=True,
    machine=True,
    other_names={"pairs": "prefer(qrels, 'RPP')"},
)
def prefer(
    judged: Judged,
    measures: object = ("RPP",),
    *,
    baseline: object = None,
    pairs: object = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the preferences between runs on every query, positive if run_a is better.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Preferences such as "RPP", "rrLP" or "OI", or measures, whose differences are the preferences.
    baseline : run, or list of them, optional
        Only pairs of a run with this one, which is then run_b.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.prefer(["RPP", "AP"], baseline="bm25").head(3)
      query_id     run_a run_b measure     value
    0      101  bm25+rm3  bm25     RPP  0.210526
    1      101  bm25+rm3  bm25      AP  0.050525
    2      101  dense-s1  bm25     RPP  0.421053
    """
    if not isinstance(judged, Judged):  # people's labels and a machine's
        return judged.cubes(measures, baseline=baseline, pairs=pairs)[0].frame()  # type: ignore[unreachable]
    return select(judged, measures, baseline=baseline, pairs=pairs).cube(progress).frame()


@dataclass(frozen=True, eq=False)
class Pairs:
    """A source of preferences that computes them on request, in blocks of pairs.

    Examples
    --------
    >>> import pdeval
    >>> pairs = select(pdeval.datasets.sample_judged(queries="common"), "RPP")
    >>> [values.shape for _, values in pairs.blocks(0)]
    [(48, 66)]
    """

    judged: Judged
    requested: tuple[Measure, ...]
    a: np.ndarray
    b: np.ndarray
    memory: int = 1 << 30

    def __post_init__(self) -> None:
        no_sets(self.requested)

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, as in `cube.Preferences`."""
        return self.judged.runs

    @property
    def measures(self) -> tuple[str, ...]:
        """The labels of the measures."""
        return tuple(measure.label for measure in self.requested)

    @property
    def attrs(self) -> dict[str, Any]:
        """The rules of the join, and the declarations of the measures."""
        return attributes(self.judged, self.requested)

    @property
    def kept(self) -> np.ndarray:
        """Which topics count for any run."""
        views = Views(self.judged)
        return np.logical_or.reduce(
            [views.counted(measure).any(axis=1) for measure in self.requested]
        )

    @property
    def queries(self) -> pd.Index:
        """The queries that count."""
        return self.judged.queries[self.kept]

    def step(self) -> int:
        """Return the number of pairs that are computed at a time, under the memory bound."""
        return max(self.memory // (8 * 4 * max(len(self.judged.queries), 1)), 1)

    def blocks(
        self, measure: int, progress: bool | None = False
    ) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield (slice of pairs, preferences of shape (queries, pairs in the slice)) for one measure."""
        blocks = self._blocks([measure], self.requested[measure].label, progress)
        yield from ((block, values) for _, block, values in blocks)

    def _blocks(
        self, measures: Iterable[int], title: str, progress: bool | None
    ) -> Iterator[tuple[int, slice, np.ndarray]]:
        """Yield (number of the measure, slice of pairs, preferences) of some measures."""
        views, kept = Views(self.judged), self.kept
        steps = [
            (number, first) for number in measures for first in range(0, len(self.a), self.step())
        ]
        for number, first in track(steps, total=len(steps), desc=title, progress=progress):
            block = slice(first, min(first + self.step(), len(self.a)))
            a, b = self.a[block], self.b[block]
            values = self.values_of(views, self.requested[number], a, b)
            counts = views.counted(self.requested[number])
            if not counts.all():
                values[~(counts[:, a] & counts[:, b])] = np.nan
            yield number, block, values[kept]

    def values_of(self, views: Views, measure: Measure, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return the preferences between runs a and b on all topics; on Dask, the partitions compute them."""
        return of_pairs(views, measure, a, b)

    def cube(self, progress: bool | None = None) -> Computed:
        """Return all preferences at once."""
        values = np.empty((len(self.requested), int(self.kept.sum()), len(self.a)))
        for number, block, part in self._blocks(
            range(len(self.requested)), "preferences", progress
        ):
            values[number, :, block] = part
        return Computed(self.runs, self.queries, self.measures, self.a, self.b, values, self.attrs)


def of_pairs(
    views: Views,
    measure: Measure,
    a: np.ndarray,
    b: np.ndarray,
) -> np.ndarray:
    """Return the preferences of pairs of runs on every topic, shape (topics, pairs).

    The preference of a measure is its difference, negated if lower is better.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged()
    >>> of_pairs(Views(judged), pdeval.parse("sgnLP"), np.array([0]), np.array([1])).shape
    (50, 1)
    """
    entry, rules = measure.entry, views.positions.rules
    if entry.family == "metric":
        return views.differences(measure)(a, b)
    if rules.get("ties") == "expected":
        raise ValueError(
            f"{measure.label} compares rankings, but with ties='expected' tied items have no definite rank. Use "
            "another ties=."
        )
    weight = measure.parameters.get("weight", entry.weight)  # of recall levels
    as_in_pref_eval = rules.get("compat") == "pref_eval"

    def evaluate(block: Block) -> np.ndarray:
        if entry.path == "recall-paired" and as_in_pref_eval:
            return as_pref_eval(block, unscaled(weight, block.size), a, b)
        if entry.path == "recall-paired":
            return recall_paired(block, weights(weight, block.size), a, b)
        if entry.path in ("first", "last"):
            order = lexicographic(block["rank"], entry.path)
            return np.sign(order[:, b] - order[:, a]).astype(np.float64)
        if entry.path == "reciprocal":
            return _first_difference(block, a, b)
        if entry.path == "interleaved":
            user, over = measure.parameters["user"], measure.parameters["over"]
            return interleaved_preferences(block, user, a, b, over=over)
        return _by_kernel(block, measure, a, b)

    result = np.zeros((len(views.positions.queries), len(a)))
    # of equal weights, levels that no run reaches add nothing: topics of about as many items are compared at once
    uniform = entry.path == "recall-paired" and isinstance(weight, str) and weight == "uniform"
    add_populations(result, views, measure, evaluate, padded=uniform and not as_in_pref_eval)
    return result


def lexicographic(rank: np.ndarray, end: str) -> np.ndarray:
    """Return the position of each run in the lexicographic order of its topic, (topics, runs); ties are equal.

    The ranks have the shape (levels, topics, runs); `end` is the level that is compared first, 'first' or 'last'.
    """
    levels, topics, runs = rank.shape
    rows = np.empty((topics, runs, levels + 1), dtype=">u4")
    rows[..., 0] = np.arange(topics)[:, None]
    integers = np.where(np.isfinite(rank), rank, np.iinfo(np.uint32).max)
    rows[..., 1:] = np.moveaxis(integers if end == "first" else integers[::-1], 0, -1)
    # big-endian rows compare byte by byte as the vectors compare number by number
    flat = rows.reshape(-1, levels + 1).view(np.dtype((np.void, 4 * (levels + 1)))).ravel()
    _, place = np.unique(flat, return_inverse=True)
    return place.reshape(topics, runs).astype(np.int64)


def _first_difference(block: Block, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return 1/x - 1/y at the lowest level where the two differ, (topics, pairs)."""
    order = lexicographic(block["rank"], "first")
    result = np.zeros((block.shape[0], len(a)))
    # the pairs that no level has decided yet
    topic, pair = np.nonzero(order[:, a] != order[:, b])
    for level in 1.0 / block["rank"]:
        difference = level[topic, a[pair]] - level[topic, b[pair]]
        result[topic, pair] = difference
        topic, pair = topic[difference == 0], pair[difference == 0]
    return result


def both_sides(
    block: Block,
    names: Iterable[str],
    a: np.ndarray,
    b: np.ndarray,
) -> list[np.ndarray]:
    """Return the columns of a kernel of two rankings: `x` and `y` are ranks, `x_NAME` is another column."""
    columns = []
    for name in names:
        side, _, column_name = name.partition("_")
        column = np.asarray(block[column_name or "rank"])
        columns.append(column if column.shape[-1] == 1 else column[..., {"x": a, "y": b}[side]])
    return columns


def _by_kernel(
    block: Block,
    measure: Measure,
    a: np.ndarray,
    b: np.ndarray,
) -> np.ndarray:
    entry = measure.entry
    result = np.empty((block.shape[0], len(a)))
    step = max(CELLS // max(block.size * block.shape[0], 1), 1)
    for first in range(0, len(a), step):
        sides = a[first : first + step], b[first : first + step]
        value = entry.kernel(*both_sides(block, entry.columns, *sides), **measure.parameters)
        result[:, first : first + step] = one_number_each(
            value, (block.shape[0], len(sides[0])), block, measure
        )
    return result


def select(
    judged: Judged,
    measures: object,
    *,
    baseline: object = None,
    pairs: object = None,
    memory: int = 1 << 30,
    warn: bool = True,
) -> Pairs:
    """Return the requested preferences as a source that computes them when needed: see `Pairs`.

    Examples
    --------
    >>> import pdeval
    >>> len(select(pdeval.datasets.sample_judged(queries="common"), "RPP", baseline="bm25").a)
    11
    """
    requested = tuple(parse_all(measures))
    for measure in requested:
        if measure.entry.family in ("answer", "exposure"):
            only_metrics([measure])
        if measure.entry.family == "ordering":
            raise ValueError(
                f"{measure.label} is an ordering, not a preference. Use .ireval.order(method=...)."
            )
    check_populations(judged.positions, requested)
    a, b = chosen_pairs(judged.runs, baseline=baseline, pairs=pairs)
    source = Pairs(judged, requested, a, b, memory)
    judged.check_counted(source.kept)
    counts = judged.counted()
    # the product counts, for every two runs, the topics on which both count
    if (
        judged.query_rule == "answered"
        and not (counts.T.astype(np.float64) @ counts.astype(np.float64))[a, b].any()
    ):
        raise ValueError(
            "no two of these runs answered the same judged query, so they cannot be compared."
        )
    if warn:
        judged.warn_of_missing_queries(counts, pairs=(a, b))
    return source


def interleaved_preferences(
    block: Block,
    user: Weight,
    a: np.ndarray,
    b: np.ndarray,
    *,
    over: str = "all",
) -> np.ndarray:
    """Return the preferences of pairs of runs on the topics of a block, shape (topics, pairs).

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.evaluate.scores import Views
    >>> judged = pdeval.datasets.sample_judged()
    >>> block = Views(judged).blocks("binary", None)[0]
    >>> interleaved_preferences(block, "uniform", np.array([0]), np.array([1])).shape == (block.shape[0], 1)
    True
    """
    ranked = _Ranked(block)
    result = np.empty((block.shape[0], len(a)))
    step = max(CELLS // max(block.size * block.shape[0], 1), 1)
    for first in range(0, len(a), step):
        left, right = a[first : first + step], b[first : first + step]
        one, other = (
            _expected(ranked, *pair, user, over) for pair in ((left, right), (right, left))
        )
        result[:, first : first + step] = (one - other) / 2
    return result


def interleaved_stops(
    block: Block, user: Weight, a: np.ndarray, b: np.ndarray, *, over: str = "all"
) -> tuple[np.ndarray, np.ndarray]:
    """Return the winner if the user stops at the j-th relevant item, mean of both interleavings, and the weight of j.

    Both have the shape (items, topics, pairs). The weighted sum is the result of `interleaved_preferences`.

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.evaluate.scores import Views
    >>> block = Views(pdeval.datasets.sample_judged()).blocks("binary", None)[0]
    >>> won, weight = interleaved_stops(block, "dcg", np.array([0]), np.array([1]))
    >>> expected = interleaved_preferences(block, "dcg", np.array([0]), np.array([1]))
    >>> bool(np.allclose((won * weight).sum(axis=0), expected, rtol=0, atol=1e-15))
    True
    """
    ranked = _Ranked(block)
    by_place = []
    for left, right in ((a, b), (b, a)):
        won, seen, sides = _stops(ranked, left, right)
        by_place.append(
            np.take_along_axis(np.where(seen, won, 0), _order_of_turns(seen, sides), axis=0)
        )
    place = np.arange(1, block.size + 1)[:, None, None]
    mass = unscaled(user, block.size, "user")
    won = (by_place[0] - by_place[1]) / 2
    weight = np.broadcast_to(mass[:, None, None], won.shape)
    if over == "all":
        return won, weight / (mass.sum() or 1.0)
    # `seen` is the same for both interleavings
    weight = np.where(place <= seen.sum(axis=0), weight, 0.0)
    total = weight.sum(axis=0)
    return won, np.divide(weight, total, out=np.zeros(weight.shape), where=total > 0)


class _Ranked:
    """The ranks of the items of a block as integers, and two flat tables by (topic, run, rank).

    `by_rank` is the number of relevant items down to that rank, and `item` the item at that rank, or the number of
    items if there is none.
    """

    def __init__(self, block: Block) -> None:
        finite = np.isfinite(block["items"])
        self.beyond = int(block["items"][finite].max(initial=0)) + 1
        self.rank = np.where(finite, block["items"], self.beyond).astype(np.int64)
        items, topics, runs = self.rank.shape
        # flat tables of shape (topics, runs, ranks + 1); the last rank stands for items that were not retrieved
        cell = np.arange(topics * runs).reshape(topics, runs) * (self.beyond + 1) + self.rank
        item = np.full((topics * runs, self.beyond + 1), items)
        item.ravel()[cell.ravel()] = np.repeat(np.arange(items), topics * runs)
        item[:, self.beyond] = items
        self.by_rank, self.item = np.cumsum(item < items, axis=1).ravel(), item.ravel()


def _stops(
    ranked: _Ranked, a: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Return the sign of the credit if each item is clicked last, whether it is in the list, and its ranks in a and b.

    The list draws from a first.
    """
    by_rank, beyond = ranked.by_rank, ranked.beyond
    topics, runs = ranked.rank.shape[1:]
    x, y = ranked.rank[:, :, a], ranked.rank[:, :, b]
    k = np.minimum(x, y)
    seen = k < beyond
    from_a = x <= y
    topic = np.arange(topics)[:, None] * runs
    of_a, of_b = (topic + a) * (beyond + 1), (topic + b) * (beyond + 1)
    credit = by_rank[of_a + k] - by_rank[of_b + np.maximum(k - from_a, 0)]
    # the item that b has at rank k counts where a has it by then
    known = np.concatenate([x, np.full((1, *x.shape[1:]), beyond + 1)])
    credit -= from_a & (np.take_along_axis(known, ranked.item[of_b + k], axis=0) <= k)
    return np.sign(credit), seen, (x, y)


def _order_of_turns(seen: np.ndarray, sides: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return the items in the order in which they enter the list that draws from the first side; the rest come last."""
    x, y = sides
    turn = np.where(seen, np.minimum(2 * x - 1, 2 * y), np.iinfo(np.int64).max)
    return np.argsort(turn, axis=0, kind="stable")


def _expected(
    ranked: _Ranked,
    a: np.ndarray,
    b: np.ndarray,
    user: Weight,
    over: str,
) -> np.ndarray:
    """Return the expected sign of the credit of a minus that of b, if the list draws from a first."""
    won, weight, sides = _stops(ranked, a, b)  # a uniform user weighs the items of the list equally
    items = len(weight)
    mass = unscaled(user, items, "user")
    if not isinstance(user, str) or user != "uniform":
        place = np.empty(weight.shape, dtype=np.int64)
        order = _order_of_turns(weight, sides)
        # the inverse permutation: the turn of each item
        np.put_along_axis(place, order, np.arange(1, items + 1)[:, None, None], axis=0)
        weight = np.where(weight, mass[place - 1], 0.0)
    total = (weight * won).sum(axis=0)
    all_mass = np.broadcast_to(mass.sum() if over == "all" else weight.sum(axis=0), total.shape)
    return np.divide(total, all_mass, out=np.zeros(total.shape), where=all_mass > 0)
