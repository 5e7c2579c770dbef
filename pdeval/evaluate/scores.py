"""Kernels over blocks: what each run scores on each topic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import ENTRIES, Measure, parse_all
from pdeval.catalog.directions import described
from pdeval.evaluate.cube import Scores
from pdeval.join.blocks import Block, View
from pdeval.join.judged import Judged
from pdeval.join.list_columns import ListBlock, list_blocks
from pdeval.join.positions import Positions
from pdeval.kernels.primitives import share as share_of
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


Population = tuple[str, np.ndarray | None, list[Block]]


def populations(views: Views, measure: Measure, *, padded: bool = False) -> Iterator[Population]:
    """Yield the populations of a measure: name, share of each topic's users, blocks of the items that they want.

    The share is None where there is one population only. A preference without populations compares relevant items;
    a measure of one ranking looks at those of its kind. With `padded`, topics of about as many items share a block.

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.evaluate.scores import Views
    >>> views = Views(pdeval.datasets.sample_judged())
    >>> [(name, float(share[0].round(3))) for name, share, _ in populations(views, pdeval.parse("RPP"))]
    [('grade >= 1', 0.684), ('grade >= 2', 0.263), ('grade >= 3', 0.053)]
    >>> [float(share[0].round(3)) for _, share, _ in populations(views, pdeval.parse("RPP(grades=uniform)"))]
    [0.333, 0.333, 0.333]
    """
    views = views.under(measure)
    kind, level, told = measure.entry.population, views.level(measure), measure.parameters.get("grades", "items")
    if kind == "subtopics":
        yield from _by_subtopic(views, level, measure, padded)
    elif kind == "grades" and level is None and len(grades_of(views.positions)) > 1:
        yield from _by_grade(views, measure, padded)
    else:
        if level is not None and told != "items":
            raise ValueError(
                f"{measure.label}: with level={level:g} relevance is binary, and grades= has no thresholds to weigh; "
                "leave one of them out."
            )
        items = measure.kind if measure.entry.family == "metric" else "binary"
        yield "relevant", None, views.blocks(items, level, padded=padded, together=measure.together)


def check_populations(positions: Positions, measures: Iterable[Measure]) -> None:
    """Raise where a measure weighs grades or subtopics that no relevant item has.

    Examples
    --------
    >>> import pdeval
    >>> check_populations(pdeval.datasets.sample_judged().positions, [pdeval.parse("RPP(grades={1:1,7:2})")])
    Traceback (most recent call last):
    KeyError: 'RPP(grades={1:1,7:2}) gives a weight to grade 7, which no relevant item has; there are 1, 2, 3.'
    """
    if positions.source is None:
        return  # parts of a table know only their own

    def known_of(what: str) -> Iterable[object]:
        if what == "grade":
            return grades_of(positions).tolist()
        return _subtopic_names(positions) if positions.judged.subtopic is not None else []

    check_weighed(measures, known_of)


def check_weighed(measures: Iterable[Measure], known_of: Callable[[str], Iterable[object]]) -> None:
    """Raise where a measure weighs a grade or a subtopic that there is not; `known_of` tells which there are.

    Examples
    --------
    >>> from pdeval.catalog import parse
    >>> check_weighed([parse("ST-RPP(subtopics={99:1})")], lambda what: ["1", "2"])
    Traceback (most recent call last):
    KeyError: 'ST-RPP(subtopics={99:1}) gives a weight to subtopic 99, which no relevant item has; there are 1, 2.'
    """
    for measure in measures:
        for what in ("grade", "subtopic"):
            told = measure.parameters.get(f"{what}s") if measure.entry.population == f"{what}s" else None
            if not isinstance(told, Mapping):
                continue
            names = [_spelled(one) for one in known_of(what)]
            unknown = [_spelled(one) for one in told if _spelled(one) not in names]
            if unknown and names:
                raise KeyError(
                    f"{measure.label} gives a weight to {what} {unknown[0]}, which no relevant item has; there are "
                    f"{', '.join(names[:8])}{', ...' if len(names) > 8 else ''}."
                )


def grades_of(positions: Positions) -> np.ndarray:
    """Return the positive grades of the judgments, ascending."""
    grade = positions.judged.grade
    return np.unique(grade[grade > 0])


def _by_grade(views: Views, measure: Measure, padded: bool) -> Iterator[Population]:
    """Users with a threshold at each grade that the topic has, by default as many as there are items for them."""
    at, topics = views.positions.judged, len(views.positions.queries)
    grades = grades_of(views.positions)
    has = [np.bincount(at.topic[at.grade == one], minlength=topics) > 0 for one in grades]
    size = [np.where(own, np.bincount(at.topic[at.grade >= one], minlength=topics), 0) for one, own in zip(grades, has)]
    told = measure.parameters.get("grades", "items")
    number = _numbers(told, np.stack(size), [f"{one:g}" for one in grades])
    whole = number.sum(axis=0)
    for one, count in zip(grades.tolist(), number):
        yield f"grade >= {one:g}", share_of(count, whole), views.blocks("binary", one, padded=padded)


def _by_subtopic(views: Views, level: float | None, measure: Measure, padded: bool) -> Iterator[Population]:
    """Users of every subtopic, and users of any relevant item, by default each as many as their items."""
    positions = views.positions
    whole = View(positions, "subtopic", level)
    item, subtopic = whole.member_rows
    topics, codes = len(positions.queries), np.unique(subtopic)
    place = np.searchsorted(codes, subtopic) * topics + positions.judged.topic[item]
    size = np.bincount(place, minlength=len(codes) * topics).reshape(len(codes), topics)
    names = _subtopic_names(positions)
    told, background = measure.parameters.get("subtopics", "items"), measure.parameters.get("background", 1.0)
    number = _numbers(told, size, [_spelled(names[one]) for one in codes])
    everyone = background * (whole.count if told == "items" else np.minimum(whole.count, 1))
    total = number.sum(axis=0) + everyone
    if background:
        yield "any subtopic", share_of(everyone, total), _blocks_of(positions, whole.items, padded)
    for one, count in zip(codes.tolist(), number):
        if count.any():
            blocks = _blocks_of(positions, item[subtopic == one], padded)
            yield f"subtopic {names[one]}", share_of(count, total), blocks


def _numbers(told: Any, size: np.ndarray, names: list[str]) -> np.ndarray:
    """Return how many users each population has on each topic, from the number of items that they want."""
    if told == "items":
        return size
    if told == "uniform":
        return (size > 0) * 1.0
    weight = {_spelled(name): float(value) for name, value in told.items()}
    return np.array([weight.get(name, 0.0) for name in names])[:, None] * (size > 0)


def _spelled(name: object) -> str:
    return f"{name:g}" if isinstance(name, int | float) and not isinstance(name, bool) else str(name)


def _blocks_of(positions: Positions, items: np.ndarray, padded: bool) -> list[Block]:
    """Return the blocks of some judged items, all of them relevant."""
    mine = np.zeros(len(positions.judged.topic), dtype=bool)
    mine[items] = True
    return list(View(positions, "binary", kept=mine, padded=padded).blocks(empty=True))


def _subtopic_names(positions: Positions) -> list[object]:
    """Return the subtopics by code: the caller's ids, or numbers where positions were made without them."""
    known = positions.judged.subtopics
    if known is None:
        return list(range(1, int(positions.judged.subtopic[1].max(initial=0)) + 2))  # type: ignore[index]
    return list(known.index())
