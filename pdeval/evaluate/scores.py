"""Kernels over blocks: what each run scores on each topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import ENTRIES, Measure, parse_all
from pdeval.catalog.directions import described
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.populations import check_populations, populations
from pdeval.join.blocks import Block, View
from pdeval.join.judged import Judged
from pdeval.join.list_columns import ListBlock, list_blocks
from pdeval.tables.equal_values import gap, row_sizes
from pdeval.verbs import verb

MEASURES = ("AP", "nDCG@10", "RR", "P@10", "R@100")
NEAR = 1 << 16  # differences at a time, which stay near the processor
CELLS = 1 << 17  # runs times judged items of the topics that are looked at together


@verb(
    on="judged",
    gives="scores",
    core=True,
    command=True,
    machine=True,
    meant_by={
        "evaluate": "measure(qrels, ['AP', 'nDCG@10'])",
        "metrics": "measure(qrels, ['AP', 'nDCG@10'])",
        "score": "measure(qrels, ['AP', 'nDCG@10'])",
        "scores": "measure(qrels, ['AP', 'nDCG@10'])",
        "calc": "measure(qrels, ['AP', 'nDCG@10'])",
    },
)
def measure(judged: Judged, measures: object = MEASURES) -> pd.DataFrame:
    """Return what every run scores on every query.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Names such as "nDCG@10" or "RBP(p=0.9)"; `pdeval.catalog()` lists all.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").measure(["AP", "nDCG@10"]).head(4)
        run query_id  measure     value
    0  bm25      101       AP  0.346994
    1  bm25      101  nDCG@10  0.463203
    2  bm25      102       AP  0.289136
    3  bm25      102  nDCG@10  0.422878
    """
    if not isinstance(judged, Judged):  # people's labels and a machine's
        return judged.cubes(measures)[0].frame()  # type: ignore[unreachable]
    return scores(judged, measures).frame()


def scores(judged: Judged, measures: object = MEASURES, *, tell: bool = True) -> Scores:
    """Return what every run scores on every topic, as a cube (measures, topics, runs).

    Parameters
    ----------
    measures : name, names, Measure or decorated function(s)
        What to compute. A measure's own level comes before that of the join.
    tell : bool
        Warn where judged queries are missing from a run.

    Examples
    --------
    >>> import pdeval
    >>> scores(pdeval.datasets.sample_judged(topics="common"), ["AP", "nDCG@10"]).values.shape
    (2, 48, 12)
    """
    asked = parse_all(measures)
    only_metrics(asked)
    check_populations(judged.positions, asked)
    tell_of_gains(judged, asked)
    views = Views(judged)
    of_items, others = ([one for one in asked if (one.kind == "items") is which] for which in (True, False))
    parts = views.parts() if all(measure.padded for measure in others) else [views]
    values = np.empty((len(asked), *judged.positions.retrieved.shape))
    place = {measure.label: at for at, measure in enumerate(asked)}
    if others:
        whole = np.concatenate([np.stack([part.values(measure) for measure in others]) for part in parts], axis=1)
        values[[place[measure.label] for measure in others]] = whole
    for measure in of_items:
        values[place[measure.label]] = views.values(measure)
    return cube_of(views, asked, values, tell=tell)


def tell_of_gains(judged: Judged, asked: Iterable[Measure]) -> None:
    """Warn, once for a join, where a level was given to measures whose gains it does not touch."""
    grade, level = judged.positions.judged.grade, judged.level
    if level is None or not ((grade > 0) & (grade < level)).any():
        return
    graded = [measure.label for measure in asked if measure.kind == "graded" and not _follows(measure)]
    if graded:
        judged.tell_once(
            "gains",
            f"level={level:g} does not touch the gains of {', '.join(graded[:3])}: every positive grade has one, as in "
            f"trec_eval. nDCG(binary=true) and nDCG(least={level:g}) follow a level.",
        )


def _follows(measure: Measure) -> bool:
    """Return whether a measure of gains was told which grades have one."""
    return bool(measure.parameters.get("least") or measure.parameters.get("gains") or measure.level is not None)


def cube_of(views: Views, asked: list[Measure], values: np.ndarray, *, tell: bool) -> Scores:
    """Return values of shape (measures, topics, runs) as a cube of the topics that count, NaN where a run has none."""
    judged = views.judged
    used = np.zeros(judged.positions.retrieved.shape, dtype=bool)
    for row, measure in zip(values, asked):
        counts = views.counted(measure)
        row[~counts] = np.nan
        used |= counts
        if measure.kind == "items":
            tell_of_undefined(judged, measure, np.isnan(row) & counts, counts)
    kept: np.ndarray = np.any(used, axis=1)
    if not kept.any():
        raise judged.nothing_counts()
    if tell:
        judged.tell(used)
    return Scores(
        judged.runs,
        judged.queries[kept],
        tuple(measure.label for measure in asked),
        values[:, kept],
        np.array([measure.higher for measure in asked]),
        attributes(judged, asked),
    )


def tell_of_undefined(judged: Judged, measure: Measure, undefined: np.ndarray, counts: np.ndarray) -> None:
    """Warn, once for a join and a measure, where a measure of items says nothing of lists that count."""
    if undefined.any():
        query = judged.queries[np.flatnonzero(undefined.any(axis=1))[0]]
        judged.tell_once(
            f"undefined {measure.label}",
            f"{measure.label} has no value for {int(undefined.sum()):,} of {int(counts.sum()):,} lists, e.g. of "
            f"{query!r}: its user has no history, or its items have no features. They do not count.",
        )


def attributes(judged: Judged, asked: Iterable[Measure] = ()) -> dict[str, Any]:
    """Return what a table carries: the rules that its numbers rest on, its columns, what is known of its measures."""
    return {**judged.attrs, "measures": described(asked)}


def no_sets(measures: Iterable[Measure]) -> None:
    """Raise where a measure of all lists of a run was asked for by query."""
    for measure in measures:
        if measure.entry.family == "set":
            raise ValueError(
                f"{measure.label} is one number for all lists of a run together, not one per query: "
                ".ireval.summary(qrels, ...) has it beside means, .ireval.beyond(...) without judgments."
            )


def only_metrics(measures: list[Measure]) -> None:
    """Raise where a preference was asked for as a measure of one ranking."""
    no_sets(measures)
    for measure in measures:
        if measure.entry.family != "metric":
            preferred = measure.entry.family == "preference"
            use = ".ireval.prefer(qrels, ...)" if preferred else ".ireval.order(...)"
            what = "a preference" if preferred else "an ordering"
            raise ValueError(f"{measure.label} is {what}, not a measure of one ranking. Use {use}.")


class Views:
    """The views of one join, each made once, and measures evaluated over them."""

    def __init__(self, judged: Judged) -> None:
        self.judged, self.positions = judged, judged.positions
        self.made: dict[tuple[Any, ...], tuple[View, list[Block]]] = {}

    def level(self, measure: Measure) -> float | None:
        """Return the level at which a measure counts items as relevant: its own, or the call's."""
        return self.judged.level if measure.level is None else measure.level

    def counted(self, measure: Measure) -> np.ndarray:
        """Return which (topic, run) cells count for a measure; a list that is not there has no items to look at."""
        counts = self.judged.counted(self.level(measure))
        return counts & self.positions.answered if measure.kind == "items" else counts

    def under(self, measure: Measure) -> Views:
        """Return the views that a measure looks at: these, or those of judged items only where it asks for them."""
        if not measure.judged_only or self.positions.rules.get("judged_only"):
            return self
        return self.only_judged

    @cached_property
    def only_judged(self) -> Views:
        """The views of the same join with what nobody judged taken out of its lists."""
        return Views(self.judged.on(self.positions.only_judged()))

    def blocks(self, kind: str, level: float | None, *, padded: bool = False, together: bool = False) -> list[Block]:
        """Return the blocks of a kind of items, empty topics included; `together`, one for each number of items."""
        if kind == "graded" and level is None:
            kind = "binary"  # the same items
        key = (kind, level, padded, together)
        if key not in self.made:
            view = View(self.positions, kind, level, padded=padded)
            most = {"most": self.positions.retrieved.size * max(int(view.count.max(initial=1)), 1)} if together else {}
            self.made[key] = view, list(view.blocks(empty=True, **most))
        return self.made[key][1]

    def parts(self) -> Iterator[Views]:
        """Yield the same, some topics after the others: columns of all at once would take more than the runs do."""
        at = self.positions
        number = np.cumsum(np.bincount(at.judged.topic, minlength=len(at.queries)) * len(at.runs)) // CELLS
        for one in np.unique(number):
            part = number == one
            yield self if part.all() else Views(self.judged.on(at.keep_topics(part)))

    def values(self, measure: Measure) -> np.ndarray:
        """Return the values of a metric, shape (topics, runs)."""
        if (views := self.under(measure)) is not self:
            return views.values(measure)
        entry = measure.entry
        kernel, columns, parameters = call_of(measure, self.positions.rules)
        result = np.zeros(self.positions.retrieved.shape)
        if entry.kind == "items":
            for lists in list_blocks(
                self.positions, self.level(measure), measure.label, parameters.get("k", np.inf), columns
            ):
                with np.errstate(invalid="ignore", divide="ignore"):  # 0 / 0: a list without items has no value
                    value = kernel(*lists.columns(columns), **parameters)
                result[lists.topics] = one_number_each(value, lists.shape, lists, measure)
            return result
        if measure.padded and kernel is entry.kernel:
            for block in self.blocks(measure.kind, self.level(measure), padded=True):
                if block.size:
                    own = {"m": block["m"]} if entry.asks_m else {}
                    value = kernel(*block.columns(columns), **own, **parameters)
                    result[block.topics] = one_number_each(value, block.shape, block, measure)
            return result
        for _, share, blocks in populations(self, measure):
            for block in blocks:
                if block.size or entry.empty:
                    value = one_number_each(kernel(*block.columns(columns), **parameters), block.shape, block, measure)
                    result[block.topics] += value if share is None else share[block.topics][:, None] * value
        return result

    def differences(self, measure: Measure, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return by how much the first run of each pair is better, shape (topics, pairs); rounding is 0."""
        values = self.values(measure) if measure.higher else -self.values(measure)
        # of both signs, values near 0 are what is left of larger ones
        least = np.zeros((len(values), 1)) if measure.entry.range[0] >= 0 else row_sizes(values)
        result = np.zeros((len(values), len(a)))
        step = max(NEAR // max(len(a), 1), 1)
        for part in (slice(first, first + step) for first in range(0, len(values), step)):
            x, y = values[part][:, a], values[part][:, b]
            if self.positions.rules.get("compat") == "pref_eval":  # there rounding breaks ties
                np.subtract(x, y, out=result[part], where=x != y)
            else:
                result[part] = gap(x, y, least[part])
        return result


def one_number_each(value: Any, shape: tuple[int, int], block: Block | ListBlock, measure: Measure) -> np.ndarray:
    """Return what a kernel gave, or an error where that is not one number for each list (or pair) of a block."""
    value = np.asarray(value, dtype=np.float64)
    axis = "recall levels" if isinstance(block, Block) else "ranks"
    if value.ndim != 2 or value.shape[0] != shape[0] or value.shape[1] not in (1, shape[1]):
        raise ValueError(
            f"{measure.label} gave an array of shape {value.shape} for columns of shape {(block.size, *shape)}; a "
            f"kernel gives one number for each ranking: reduce axis 0, the {axis}, e.g. with .sum(axis=0)."
        )
    unknown = np.isnan(value)
    if isinstance(block, Block) and unknown.any():
        topic = block.topics[np.flatnonzero(np.broadcast_to(unknown, shape).any(axis=1))[0]]
        raise ValueError(
            f"{measure.label} is not a number (NaN) {int(unknown.sum()):,} times, e.g. on query "
            f"{block.view.positions.queries[topic]!r}. Items that were not found have an infinite rank; say what holds "
            "there, e.g. with np.where."
        )
    return value


def call_of(measure: Measure, rules: dict[str, Any]) -> tuple[Any, ...]:
    """Return the kernel, its columns and its parameters under the rules of the join."""
    import inspect

    entry = measure.entry
    parameters = {**measure.parameters, **entry.compat.get(str(rules.get("compat")), {})}
    if rules.get("ties") != "expected":
        return entry.kernel, measure.columns, parameters
    kernel = entry.expected.get("kernel")
    if kernel is None:
        have = sorted(name for name, other in ENTRIES.items() if other.expected)
        raise ValueError(
            f"{measure.label} has no closed form over the orders of tied items; ties='expected' works for "
            f"{', '.join(have)}. Choose another ties=."
        )
    signature = inspect.signature(kernel).parameters.values()
    columns = tuple(p.name for p in signature if p.kind is not p.KEYWORD_ONLY)
    own = {p.name for p in signature if p.kind is p.KEYWORD_ONLY}
    return kernel, columns, {name: value for name, value in parameters.items() if name in own}
