"""Kernels over blocks: scores of runs on topics, populations of users, and precision-recall curves.

A user wants i relevant items of at least some grade, of some subtopic, or any relevant item (the background). A
preference averages over such users (Diaz & Ferraro 2022, sections 3.2 and 4).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import ENTRIES, Measure, described, parse, parse_all
from pdeval.evaluate.cube import Scores, described_frame, run_columns
from pdeval.join import Block, Judged, ListBlock, Positions, View, list_blocks
from pdeval.kernels.primitives import share as share_of
from pdeval.tables import SCHEMAS, gap, labels, row_sizes, settled, table
from pdeval.verbs import VERBS, verb, with_article

MEASURES = ("AP", "nDCG@10", "RR", "P@10", "R@100")
NEAR = 1 << 16  # differences at a time, which stay near the processor
CELLS = 1 << 17  # runs times judged items of the topics that are looked at together


@verb(
    on="judged",
    returns="scores",
    core=True,
    command=True,
    machine=True,
    other_names={
        "evaluate": "measure(qrels, ['AP', 'nDCG@10'])",
        "metrics": "measure(qrels, ['AP', 'nDCG@10'])",
        "score": "measure(qrels, ['AP', 'nDCG@10'])",
        "scores": "measure(qrels, ['AP', 'nDCG@10'])",
        "calc": "measure(qrels, ['AP', 'nDCG@10'])",
    },
)
def measure(judged: Judged, measures: object = MEASURES) -> pd.DataFrame:
    """Return the scores of every run on every query.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Names such as "nDCG@10" or "RBP(p=0.9)"; `pdeval.catalog()` lists all.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(queries="common").measure(["AP", "nDCG@10"]).head(4)
        run query_id  measure     value
    0  bm25      101       AP  0.346994
    1  bm25      101  nDCG@10  0.463203
    2  bm25      102       AP  0.289136
    3  bm25      102  nDCG@10  0.422878
    """
    if not isinstance(judged, Judged):  # people's labels and a machine's
        return judged.cubes(measures)[0].frame()  # type: ignore[unreachable]
    return scores(judged, measures).frame()


def scores(judged: Judged, measures: object = MEASURES, *, warn: bool = True) -> Scores:
    """Return the scores of every run on every topic, as a cube (measures, topics, runs).

    Parameters
    ----------
    measures : name, names, Measure or decorated function(s)
        Measures to compute. The level of a measure takes precedence over the level of the join.
    warn : bool
        Whether to warn if judged queries are missing from a run.

    Examples
    --------
    >>> import pdeval
    >>> scores(pdeval.datasets.sample_judged(queries="common"), ["AP", "nDCG@10"]).values.shape
    (2, 48, 12)
    """
    requested = parse_all(measures)
    only_metrics(requested)
    check_populations(judged.positions, requested)
    _warn_about_level(judged, requested)
    views = Views(judged)
    values = np.empty((len(requested), *judged.positions.retrieved.shape))
    of_items = [number for number, measure in enumerate(requested) if measure.kind == "items"]
    if others := [number for number, measure in enumerate(requested) if measure.kind != "items"]:
        values[others] = values_of(judged, [requested[number] for number in others]).swapaxes(0, 1)
    for number in of_items:
        values[number] = views.values(requested[number])
    return cube_of(views, requested, values, warn=warn)


def values_of(judged: Judged, measures: Sequence[Measure]) -> np.ndarray:
    """Return the values of measures, whether they count or not, of shape (topics, measures, runs).

    Examples
    --------
    >>> import pdeval
    >>> values_of(pdeval.datasets.sample_judged(), parse_all("AP, RR")).shape
    (50, 2, 12)
    """

    def compute(judged: Judged) -> np.ndarray:
        views = Views(judged)
        parts = views.parts() if all(measure.padded for measure in measures) else [views]
        return np.concatenate(
            [np.stack([part.values(measure) for measure in measures], axis=1) for part in parts]
        )

    # the values of other measures may depend on other topics, or on the grades that these have
    by_topic = all(
        not (measure.together or measure.entry.population) and measure.kind != "items"
        for measure in measures
    )
    return judged.per_topic(tuple(measures), compute) if by_topic else compute(judged)


def _warn_about_level(judged: Judged, measures: Iterable[Measure]) -> None:
    """Warn, once for a join, if a level was given to measures whose gains do not depend on it."""
    grade, level = judged.positions.judged.grade, judged.level
    if level is None or not ((grade > 0) & (grade < level)).any():
        return
    if graded := [
        measure.label
        for measure in measures
        if measure.kind == "graded"
        and measure.level is None
        and not (measure.parameters.get("least") or measure.parameters.get("gains"))
    ]:
        judged.warn_once(
            "gains",
            f"level={level:g} does not change the gains of {', '.join(graded[:3])}: every positive grade has a gain, "
            f"as in trec_eval. Use nDCG(binary=true) or nDCG(least={level:g}) for gains that depend on a level.",
        )


def cube_of(
    views: Views,
    measures: list[Measure],
    values: np.ndarray,
    *,
    warn: bool,
) -> Scores:
    """Return values of shape (measures, topics, runs) as a cube of the topics that count for any run."""
    judged = views.judged
    used = np.zeros(judged.positions.retrieved.shape, dtype=bool)
    for row, measure in zip(values, measures):
        counts = views.counted(measure)
        row[~counts] = np.nan
        used |= counts
        if measure.kind == "items":
            warn_of_undefined(judged, measure, np.isnan(row) & counts, counts)
    kept: np.ndarray = np.any(used, axis=1)
    judged.check_counted(kept)
    if warn:
        judged.warn_of_missing_queries(used)
    return Scores(
        judged.runs,
        judged.queries[kept],
        tuple(measure.label for measure in measures),
        values[:, kept],
        np.array([measure.higher for measure in measures]),
        attributes(judged, measures),
    )


def warn_of_undefined(
    judged: Judged,
    measure: Measure,
    undefined: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Warn, once for a join and a measure, if a measure of items has no value for lists that count."""
    if undefined.any():
        query = judged.queries[np.flatnonzero(undefined.any(axis=1))[0]]
        judged.warn_once(
            f"undefined {measure.label}",
            f"{measure.label} has no value for {int(undefined.sum()):,} of {int(counts.sum()):,} lists, e.g. of "
            f"{query!r}: its user has no history, or its items have no features. They do not count.",
        )


def attributes(judged: Judged, measures: Iterable[Measure] = ()) -> dict[str, Any]:
    """Return the attributes of a result: the rules of the join, the columns, and the declarations of the measures."""
    return {**judged.attrs, "measures": described(measures)}


def no_sets(measures: Iterable[Measure]) -> None:
    """Raise if a measure of all lists of a run was requested by query."""
    for measure in measures:
        if measure.entry.family == "set":
            raise ValueError(
                f"{measure.label} is one value for all lists of a run together, not one per query. Use "
                ".ireval.summary(qrels, ...), or .ireval.beyond_accuracy(...) without judgments."
            )


def only_metrics(measures: list[Measure]) -> None:
    """Raise if a preference was requested as a measure of one ranking."""
    no_sets(measures)
    wrong = next((measure for measure in measures if measure.entry.family != "metric"), None)
    if wrong is None:
        return
    advice = {
        "answer": f"a measure of answers, not of one ranking. Use {_verb_of_answers(wrong.kind)}.",
        "exposure": "a measure of exposure. Use .ireval.expected_exposure(qrels) or .ireval.awrf(qrels, groups).",
        "preference": "a preference, not a measure of one ranking. Use .ireval.prefer(qrels, ...).",
        "ordering": "an ordering, not a measure of one ranking. Use .ireval.order(...).",
    }
    raise ValueError(f"{wrong.label} is {advice[wrong.entry.family]}")


def _verb_of_answers(kind: str) -> str:
    """Return the call that evaluates a kind of answers: of its table, or the verb of run tables with its name.

    Examples
    --------
    >>> import pdeval
    >>> _verb_of_answers("spans")
    '.ireval.measure_spans(...)'
    """
    if kind in SCHEMAS:
        return f".ireval.measure(...) of {with_article(SCHEMAS[kind].description)}"
    return next((f".ireval.{name}(...)" for name in VERBS["runs"] if kind in name), "another verb")


class Views:
    """The views of one join, each made once, and measures evaluated over them."""

    def __init__(self, judged: Judged) -> None:
        self.judged, self.positions = judged, judged.positions
        self.made: dict[tuple[Any, ...], list[Block]] = {}

    def level(self, measure: Measure) -> float | None:
        """Return the smallest relevant grade of a measure: that of the measure, or that of the join."""
        return self.judged.level if measure.level is None else measure.level

    def counted(self, measure: Measure) -> np.ndarray:
        """Return which (topic, run) cells count for a measure; a missing list has no items."""
        counts = self.judged.counted(self.level(measure))
        return counts & self.positions.answered if measure.kind == "items" else counts

    def under(self, measure: Measure) -> Views:
        """Return the views of a measure: these, or those of judged items only if it is defined on them."""
        if not measure.judged_only or self.positions.rules.get("judged_only"):
            return self
        return self.only_judged

    @cached_property
    def only_judged(self) -> Views:
        """The views of the same join with unjudged items removed from its lists."""
        return Views(self.judged.on(self.positions.only_judged()))

    def blocks(
        self,
        kind: str,
        level: float | None,
        *,
        padded: bool = False,
        together: bool = False,
    ) -> list[Block]:
        """Return the blocks of a kind of items, empty topics included; `together`, one for each number of items."""
        if kind == "graded" and level is None:
            kind = "binary"  # the same items
        key = (kind, level, padded, together)
        if key not in self.made:
            view = View(self.positions, kind, level, padded=padded)
            most = (
                {"most": self.positions.retrieved.size * max(int(view.count.max(initial=1)), 1)}
                if together
                else {}
            )
            self.made[key] = list(view.blocks(empty=True, **most))
        return self.made[key]

    def parts(self) -> Iterator[Views]:
        """Yield views of a part of the topics each: the columns of all would need more memory than the runs."""
        positions = self.positions
        cells = np.bincount(positions.judged.topic, minlength=len(positions.queries)) * len(
            positions.runs
        )
        # topics whose running totals of cells fall into the same multiple of CELLS make a part
        number = np.cumsum(cells) // CELLS
        for one in np.unique(number):
            part = number == one
            yield self if part.all() else Views(self.judged.on(positions.keep_topics(part)))

    def values(self, measure: Measure) -> np.ndarray:
        """Return the values of a metric, shape (topics, runs)."""
        if (views := self.under(measure)) is not self:
            return views.values(measure)
        entry, level = measure.entry, self.level(measure)
        kernel, columns, parameters = call_of(measure, self.positions.rules)
        result = np.zeros(self.positions.retrieved.shape)

        def evaluate(block: Block | ListBlock, **more: Any) -> np.ndarray:
            return one_number_each(
                kernel(*block.columns(columns), **more, **parameters), block.shape, block, measure
            )

        if entry.kind == "items":
            for lists in list_blocks(
                self.positions, level, measure.label, parameters.get("k", np.inf), columns
            ):
                with np.errstate(
                    invalid="ignore", divide="ignore"
                ):  # 0 / 0: a list without items has no value
                    result[lists.topics] = evaluate(lists)
        elif measure.padded and kernel is entry.kernel:
            for block in self.blocks(measure.kind, level, padded=True):
                if block.size:
                    result[block.topics] = evaluate(
                        block, **({"m": block["m"]} if entry.asks_m else {})
                    )
        else:
            add_populations(result, self, measure, evaluate, empty=entry.empty)
        return result

    def differences(self, measure: Measure) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
        """Return a function of the two runs of each pair: their differences, (topics, pairs), rounding errors as 0."""
        values = self.values(measure) if measure.higher else -self.values(measure)
        of_runs = np.ascontiguousarray(values.T)
        # values of both signs that are near 0 may be differences of larger ones
        least = np.zeros((len(values), 1)) if measure.entry.range[0] >= 0 else row_sizes(values)
        # of most queries, no two values differ by a rounding error
        near = ~((settled(values) == values) & np.isfinite(values)).all(axis=1)
        rounding_breaks_ties = self.positions.rules.get("compat") == "pref_eval"

        def of_pairs(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            result = np.empty((len(values), len(a)), order="F")
            step = max(NEAR // max(len(values), 1), 1)
            for part in (slice(first, first + step) for first in range(0, len(a), step)):
                # all values of a run are adjacent and copied together
                x, y = (of_runs.take(side[part], axis=0).T for side in (a, b))
                with np.errstate(invalid="ignore"):  # infinity minus infinity
                    np.subtract(x, y, out=result[:, part])
                if rounding_breaks_ties:
                    result[:, part][x == y] = 0.0
                else:
                    result[near, part] = gap(x[near], y[near], least[near])
            return result

        return of_pairs


def one_number_each(
    value: Any,
    shape: tuple[int, int],
    block: Block | ListBlock,
    measure: Measure,
) -> np.ndarray:
    """Return the result of a kernel, or raise if it is not one number for each list (or pair) of a block."""
    value = np.asarray(value, dtype=np.float64)
    axis = "recall levels" if isinstance(block, Block) else "ranks"
    if value.ndim != 2 or value.shape[0] != shape[0] or value.shape[1] not in (1, shape[1]):
        raise ValueError(
            f"{measure.label} returned an array of shape {value.shape} for columns of shape {(block.size, *shape)}. A "
            f"kernel returns one number for each ranking: reduce axis 0, the {axis}, e.g. with .sum(axis=0)."
        )
    unknown = np.isnan(value)
    if isinstance(block, Block) and unknown.any():
        topic = block.topics[np.flatnonzero(np.broadcast_to(unknown, shape).any(axis=1))[0]]
        raise ValueError(
            f"{measure.label} is not a number (NaN) {int(unknown.sum()):,} times, e.g. on query "
            f"{block.view.positions.queries[topic]!r}. Unretrieved items have an infinite rank: define the value for "
            "them, e.g. with np.where."
        )
    return value


def call_of(measure: Measure, rules: dict[str, Any]) -> tuple[Any, ...]:
    """Return the kernel, its columns and its parameters under the rules of the join."""
    entry = measure.entry
    parameters = {**measure.parameters, **entry.compat.get(str(rules.get("compat")), {})}
    if rules.get("ties") != "expected":
        return entry.kernel, measure.columns, parameters
    kernel = entry.expected.get("kernel")
    if kernel is None:
        have = sorted(name for name, other in ENTRIES.items() if other.expected)
        raise ValueError(
            f"{measure.label} has no closed form over the orders of tied items; ties='expected' works for "
            f"{', '.join(have)}. Use another ties=."
        )
    return kernel, *arguments_of(kernel, parameters)


def arguments_of(
    function: Callable[..., Any], parameters: Mapping[str, Any]
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the columns of a kernel, which are its positional arguments, and those parameters that it has."""
    signature = inspect.signature(function).parameters.values()
    columns = tuple(one.name for one in signature if one.kind is not one.KEYWORD_ONLY)
    options = {one.name for one in signature if one.kind is one.KEYWORD_ONLY}
    return columns, {name: value for name, value in parameters.items() if name in options}


Population = tuple[str, np.ndarray | None, list[Block]]


def populations(views: Views, measure: Measure, *, padded: bool = False) -> Iterator[Population]:
    """Yield the populations of a measure: name, fraction of the users of each topic, blocks of the items they want.

    The fraction is None if there is only one population. A preference without populations compares relevant items, and
    a measure of one ranking the items of its kind. With `padded`, topics with similar numbers of items share a block.

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
    kind, level = measure.entry.population, views.level(measure)
    if kind == "subtopics":
        yield from _by_subtopic(views, level, measure, padded)
    elif kind == "grades" and level is None and len(grades_of(views.positions)) > 1:
        yield from _by_grade(views, measure, padded)
    else:
        if level is not None and measure.parameters.get("grades", "items") != "items":
            raise ValueError(
                f"{measure.label}: with level={level:g} relevance is binary, so grades= has no thresholds to weight. "
                "Omit one of them."
            )
        items = measure.kind if measure.entry.family == "metric" else "binary"
        yield "relevant", None, views.blocks(items, level, padded=padded, together=measure.together)


def add_populations(
    result: np.ndarray,
    views: Views,
    measure: Measure,
    evaluate: Callable[[Block], np.ndarray],
    *,
    empty: bool = False,
    padded: bool = False,
) -> None:
    """Add the values of a function for the populations of each topic, weighted by their fractions of the users."""
    for _, share, blocks in populations(views, measure, padded=padded):
        for block in blocks:
            if block.size or empty:
                value = evaluate(block)
                if share is None:  # the only values of these topics; -0 + 0 is 0
                    result[block.topics] = value + 0.0
                else:
                    result[block.topics] += share[block.topics][:, None] * value


def check_populations(positions: Positions, measures: Iterable[Measure]) -> None:
    """Raise if a measure weights grades or subtopics that no relevant item has.

    Examples
    --------
    >>> import pdeval
    >>> check_populations(pdeval.datasets.sample_judged().positions, [pdeval.parse("RPP(grades={1:1,7:2})")])
    Traceback (most recent call last):
    KeyError: 'RPP(grades={1:1,7:2}) gives a weight to grade 7, which no relevant item has; there are 1, 2, 3.'
    """
    if positions.source is None:
        return  # a part of a table does not have all of them

    def names_of(what: str) -> Iterable[object]:
        if what == "grade":
            return grades_of(positions).tolist()
        return _subtopic_names(positions) if positions.judged.subtopic is not None else []

    check_weighed(measures, names_of)


def check_weighed(measures: Iterable[Measure], names_of: Callable[[str], Iterable[object]]) -> None:
    """Raise if a measure weights an unknown grade or subtopic; `names_of` returns the known ones.

    Examples
    --------
    >>> from pdeval.catalog import parse
    >>> check_weighed([parse("ST-RPP(subtopics={99:1})")], lambda what: ["1", "2"])
    Traceback (most recent call last):
    KeyError: 'ST-RPP(subtopics={99:1}) gives a weight to subtopic 99, which no relevant item has; there are 1, 2.'
    """
    for measure in measures:
        what = str(measure.entry.population).removesuffix("s")
        weights = measure.parameters.get(f"{what}s")
        if what not in ("grade", "subtopic") or not isinstance(weights, Mapping):
            continue
        names = [_spelled(one) for one in names_of(what)]
        unknown = [_spelled(one) for one in weights if _spelled(one) not in names]
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
    items, n_topics = views.positions.judged, len(views.positions.queries)
    grades = grades_of(views.positions)

    def per_topic(mask: np.ndarray) -> np.ndarray:
        return np.bincount(items.topic[mask], minlength=n_topics)

    sizes = [
        np.where(per_topic(items.grade == grade) > 0, per_topic(items.grade >= grade), 0)
        for grade in grades
    ]
    n_users = _user_counts(
        measure.parameters.get("grades", "items"), np.stack(sizes), [f"{one:g}" for one in grades]
    )
    for grade, count in zip(grades.tolist(), n_users):
        yield (
            f"grade >= {grade:g}",
            share_of(count, n_users.sum(axis=0)),
            views.blocks("binary", grade, padded=padded),
        )


def _by_subtopic(
    views: Views,
    level: float | None,
    measure: Measure,
    padded: bool,
) -> Iterator[Population]:
    """Users of every subtopic, and users of any relevant item, by default each as many as their items."""
    positions = views.positions
    view = View(positions, "subtopic", level)
    item, subtopic = view.member_rows
    n_topics, codes = len(positions.queries), np.unique(subtopic)
    # the number of items of each (subtopic, topic)
    cell = np.searchsorted(codes, subtopic) * n_topics + positions.judged.topic[item]
    size = np.bincount(cell, minlength=len(codes) * n_topics).reshape(len(codes), n_topics)
    names = _subtopic_names(positions)
    by = measure.parameters.get("subtopics", "items")
    n_users = _user_counts(by, size, [_spelled(names[code]) for code in codes])
    per_item = measure.parameters.get("per_item", False) and by != "items"
    if per_item:
        n_users = n_users * size
    background = measure.parameters.get("background", 1.0)
    of_any = background * (view.count if by == "items" or per_item else np.minimum(view.count, 1))
    total = n_users.sum(axis=0) + of_any

    def blocks_of(items: np.ndarray) -> list[Block]:
        kept = np.zeros(len(positions.judged.topic), dtype=bool)
        kept[items] = True  # all of them are relevant
        return list(View(positions, "binary", kept=kept, padded=padded).blocks(empty=True))

    if background:
        yield "any subtopic", share_of(of_any, total), blocks_of(view.items)
    for code, count in zip(codes.tolist(), n_users):
        if count.any():
            yield (
                f"subtopic {names[code]}",
                share_of(count, total),
                blocks_of(item[subtopic == code]),
            )


def _user_counts(by: Any, size: np.ndarray, names: list[str]) -> np.ndarray:
    """Return the number of users of each population on each topic, from the number of items that they want."""
    if by == "items":
        return size
    if by == "uniform":
        return (size > 0) * 1.0
    weight = {_spelled(name): float(value) for name, value in by.items()}
    return np.array([weight.get(name, 0.0) for name in names])[:, None] * (size > 0)


def _spelled(name: object) -> str:
    return (
        f"{name:g}" if isinstance(name, int | float) and not isinstance(name, bool) else str(name)
    )


def _subtopic_names(positions: Positions) -> list[object]:
    """Return the subtopics by code: the caller's ids, or numbers where positions were made without them."""
    known = positions.judged.subtopics
    if known is None:
        return list(range(1, int(positions.judged.subtopic[1].max(initial=0)) + 2))  # type: ignore[index]
    return list(known.index())


table(
    "curve",
    "run [query] recall:float precision:float",
    "precision-recall table",
    row="run and recall point",
    sort="run query recall",
    then=".plot()",
    no_report="a curve is drawn: .plot()",
)


@verb(
    on="judged",
    returns="curve",
    needs="relevant",
    other_names={"plot_pr": "curve(qrels).ireval.plot()"},
)
def curve(
    judged: Judged, *, points: int | None = 11, per: Literal["run", "query"] = "run"
) -> pd.DataFrame:
    """Return the precision at evenly spaced recall points, interpolated, or at every relevant item.

    Parameters
    ----------
    points : int or None
        Number of recall points from 0 to 1. The interpolated precision is the largest one from the c-th relevant item
        on. Here c is the recall point times the number of relevant items, rounded to the nearest integer as in
        trec_eval 10 (compat="trec_eval-9" rounds up from a tenth); with few relevant items, a point may therefore
        correspond to a smaller recall. None returns the precision at each retrieved relevant item of each query.
    per : {'run', 'query'}
        Whether to return the mean over queries, or one curve per query.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(queries="common").curve(points=3).head(3)
        run  recall  precision
    0  bm25     0.0   0.776156
    1  bm25     0.5   0.332346
    2  bm25     1.0   0.015568
    """
    if points is None:
        return _recall_points(judged)
    if points < 2:
        raise ValueError(
            f"points={points!r}: expected at least 2 recall points. Pass points=None for every relevant item."
        )
    recalls = np.linspace(0, 1, points)
    cube = scores(judged, [parse(f"IPrec@{float(recall):.10g}") for recall in recalls])
    values = cube.values.transpose(2, 1, 0)
    kept = ~np.isnan(values)
    if per == "query":
        run, query, point = np.nonzero(kept)
        queries = {str(cube.queries.name): labels(cube.queries, query)}
        return _curve(judged, run, queries, recalls[point], values[kept])
    with np.errstate(invalid="ignore"):
        means = np.nansum(values, axis=1) / kept.sum(axis=1)
    run, point = np.divmod(np.arange(means.size), points)
    return _curve(judged, run, {}, recalls[point], means.ravel())


def _recall_points(judged: Judged) -> pd.DataFrame:
    """Return the precision at each relevant item that a run retrieved."""
    counts = judged.counted()
    parts: list[tuple[np.ndarray, ...]] = []
    for block in Views(judged).blocks("binary", judged.level):
        if block.size:
            rank = block["rank"]
            # the item at index i of a list is its relevant item number i + 1
            item, topic, run = np.nonzero(np.isfinite(rank) & counts[block.topics])
            parts.append(
                (
                    run,
                    block.topics[topic],
                    (item + 1) / block.size,
                    (item + 1) / rank[item, topic, run],
                )
            )
    if not counts.any() or not parts:
        raise judged.nothing_counts()
    judged.warn_of_missing_queries(counts)
    run, topic, recall, precision = (np.concatenate(column) for column in zip(*parts))
    # lexsort: the last key, the run, is the primary one
    order = np.lexsort((recall, topic, run))
    queries = {str(judged.queries.name): labels(judged.queries, topic[order])}
    return _curve(judged, run[order], queries, recall[order], precision[order])


def _curve(
    judged: Judged,
    run: np.ndarray,
    queries: dict[str, Any],
    recall: np.ndarray,
    precision: np.ndarray,
) -> pd.DataFrame:
    columns = {**run_columns(judged.runs, run), **queries, "recall": recall, "precision": precision}
    return described_frame(columns, judged.attrs)
