"""Catalog entries over blocks: what each run scores on each topic, and which topics count."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from pdeval.catalog import ENTRIES, Measure, parse_all
from pdeval.evaluate.cube import Scores
from pdeval.judged.blocks import Block, View
from pdeval.judged.positions import Positions

Topics = Literal["relevant", "judged", "answered", "common"]
_JUDGED_COLUMNS = {"above", "pooled", "nonrelevant_found", "unjudged"}


def needs_judged(measures: Iterable[Measure]) -> bool:
    """Return whether any of the measures looks at judged non-relevant items.

    Examples
    --------
    >>> needs_judged(parse_all(["AP", "nDCG@10"])), needs_judged(parse_all("bpref"))
    (False, True)
    """
    return any(m.entry.kind == "judged" or _JUDGED_COLUMNS & set(m.entry.columns) for m in measures)


def counted(positions: Positions, topics: Topics, level: float | None) -> np.ndarray:
    """Return which (topic, run) cells count under the topic rule.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> int(counted(joined.positions, "answered", None).sum()), int(counted(joined.positions, "relevant", None).sum())
    (598, 600)
    """
    answered = positions.answered
    if topics == "relevant":
        has = np.bincount(positions.judged.topic[positions.relevant(level)], minlength=len(positions.queries)) > 0
        return np.broadcast_to(has[:, None], answered.shape)
    if topics == "judged":
        return np.ones(answered.shape, dtype=bool)
    if topics == "answered":
        return answered
    if topics == "common":
        return np.broadcast_to(np.all(answered, axis=1, keepdims=True), answered.shape)
    raise ValueError(f"topics={topics!r}: choose 'relevant', 'judged', 'answered' or 'common'.")


def scores(
    positions: Positions,
    measures: object,
    *,
    level: float | None = None,
    topics: Topics = "relevant",
    tell: bool = True,
) -> Scores:
    """Return what every run scores on every topic, by each measure.

    Parameters
    ----------
    measures : name, names, Measure or decorated function(s)
        What to compute.
    level : float, optional
        The least grade that counts as relevant; by default any positive grade. A measure's own comes first.
    topics : {'relevant', 'judged', 'answered', 'common'}
        Which topics count; a topic that a run did not answer counts as the worst case, unless it does not count.
    tell : bool
        Warn where judged queries are missing from a run.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> scores(joined.positions, ["AP", "nDCG@10"]).values.shape
    (2, 50, 12)
    """
    asked = parse_all(measures)
    only_metrics(asked)
    views = Views(positions, level)
    values = np.stack([views.values(measure) for measure in asked])
    return cube_of(views, asked, values, topics, tell=tell)


def cube_of(views: Views, asked: list[Measure], values: np.ndarray, topics: Topics, *, tell: bool) -> Scores:
    """Return values of shape (measures, topics, runs) as a cube of the topics that count, NaN where a run has none."""
    positions, level = views.positions, views.call_level
    used = np.zeros(positions.retrieved.shape, dtype=bool)
    for row, measure in zip(values, asked):
        counts = counted(positions, topics, views.level(measure))
        row[~counts] = np.nan
        used |= counts
    kept: np.ndarray = np.any(used, axis=1)
    if not kept.any():
        raise ValueError(nothing_text(positions, topics, level))
    if tell:
        tell_missing(positions, used, topics)
    return Scores(
        positions.runs,
        positions.queries[kept],
        tuple(measure.label for measure in asked),
        values[:, kept],
        np.array([measure.higher for measure in asked]),
        attributes(positions, topics, level),
    )


def attributes(positions: Positions, topics: str, level: float | None) -> dict:
    """Return what the numbers rest on, for footnotes and later verbs."""
    rules = {"topics": topics, "level": level, **positions.rules}
    return {**rules, "run_columns": list(positions.runs.columns), "query_column": str(positions.queries.name)}


def only_metrics(measures: list[Measure]) -> None:
    """Raise where a preference was asked for as a measure of one ranking."""
    for measure in measures:
        if measure.entry.family != "metric":
            preferred = measure.entry.family == "preference"
            use = ".ireval.prefer(qrels, ...)" if preferred else ".ireval.order(...)"
            what = "a preference" if preferred else "an ordering"
            raise ValueError(f"{measure.label} is {what}, not a measure of one ranking. Use {use}.")


class Views:
    """The views of one join, each made once, and measures evaluated over them."""

    def __init__(self, positions: Positions, level: float | None = None) -> None:
        self.positions, self.call_level = positions, level
        self.made: dict[tuple, tuple[View, list[Block]]] = {}

    def level(self, measure: Measure) -> float | None:
        """Return the level at which a measure counts items as relevant: its own, or the call's."""
        return self.call_level if measure.level is None else measure.level

    def blocks(self, kind: str, level: float | None) -> list[Block]:
        """Return the blocks of a kind of items, empty topics included."""
        if kind == "graded" and level is None:
            kind = "binary"  # the same items
        key = (kind, level)
        if key not in self.made:
            view = View(self.positions, kind, level)
            self.made[key] = view, list(view.blocks(empty=True))
        return self.made[key][1]

    def values(self, measure: Measure) -> np.ndarray:
        """Return the values of a metric, shape (topics, runs)."""
        entry = measure.entry
        kernel, columns, parameters = call_of(measure, self.positions.rules)
        result = np.zeros(self.positions.retrieved.shape)
        for block in self.blocks(entry.kind, self.level(measure)):
            if block.size or entry.extras.get("empty"):
                value = kernel(*block.columns(columns), **parameters)
                result[block.topics] = one_number_each(value, block.shape, block, measure)
        return result


def one_number_each(value: Any, shape: tuple[int, int], block: Block, measure: Measure) -> np.ndarray:
    """Return what a kernel gave, or an error where that is not one number for each list (or pair) of a block."""
    value = np.asarray(value, dtype=np.float64)
    if value.ndim > 2 or any(own not in (1, whole) for own, whole in zip(value.shape[::-1], shape[::-1])):
        raise ValueError(
            f"{measure.label} gave an array of shape {value.shape} for columns of shape {(block.size, *shape)}; a "
            "kernel gives one number for each ranking: reduce axis 0, the recall levels, e.g. with .sum(axis=0)."
        )
    unknown = np.isnan(value)
    if unknown.any():
        topic = block.topics[np.flatnonzero(np.broadcast_to(unknown, shape).any(axis=1))[0]]
        raise ValueError(
            f"{measure.label} is not a number (NaN) {int(unknown.sum()):,} times, e.g. on query "
            f"{block.view.positions.queries[topic]!r}. Items that were not found have an infinite rank; say what holds "
            "there, e.g. with np.where."
        )
    return value


def call_of(measure: Measure, rules: dict) -> tuple:
    """Return the kernel, its columns and its parameters under the rules of the join."""
    import inspect

    entry = measure.entry
    parameters = {**measure.parameters, **entry.extras.get("compat", {}).get(rules.get("compat"), {})}
    if rules.get("ties") != "expected":
        return entry.kernel, entry.columns, parameters
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


def of_runs(used: np.ndarray, *places: np.ndarray) -> np.ndarray:
    """Return a mask of topics and runs for the runs at these places alone.

    Examples
    --------
    >>> of_runs(np.ones((1, 3), dtype=bool), np.array([0]), np.array([2])).tolist()
    [[True, False, True]]
    """
    asked = np.zeros(used.shape[1], dtype=bool)
    asked[np.concatenate(places)] = True
    return used & asked


def tell_missing(positions: Positions, used: np.ndarray, topics: str) -> None:
    """Warn, once for all runs, where a run did not answer a query that counts (a mask of topics and runs)."""
    missing = used & ~positions.answered
    if topics in ("answered", "common") or not missing.any():
        return
    from pdeval.kinds.labels import run_labels

    per_run = missing.sum(axis=0)
    runs = np.flatnonzero(per_run)
    worst = runs[np.argmax(per_run[runs])]
    total = int(used.any(axis=1).sum())
    names = run_labels(positions.runs)
    text = f"{per_run[worst]} of {total} judged queries are missing from run {names[worst]!r}"
    if len(runs) > 1:
        text += f", and some from {len(runs) - 1} other run{'s' if len(runs) > 2 else ''}"
    warnings.warn(f"{text}; they count as worst case.", UserWarning, stacklevel=outside())


def outside() -> int:
    """Return how many frames up the caller's own code is, so that a warning points at it."""
    import sys

    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "pdeval":
        frame, depth = frame.f_back, depth + 1
    return depth


def nothing_text(positions: Positions, topics: str, level: float | None) -> str:
    """Return why no topic counts."""
    if topics == "common":
        return "no judged query is answered by every run, so no topic counts under topics='common'."
    top = positions.judged.grade.max(initial=0)
    least = "a positive grade" if level is None else f"a grade of at least {level:g}"
    return f"no judged query has an item with {least} (the largest grade is {top:g}), so no topic counts."
