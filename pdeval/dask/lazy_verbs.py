"""Verbs that run in the partitions: lazy frames of scores, preferences and documents, and matrices for orderings.

After the first pass, the client has all runs, all judged queries and the queries that each run answered: topic rules,
labels, warnings and errors are based on these. Values are computed in the partitions. Only a matrix of queries and runs
is gathered, or a block of pairs at a time. Sums over queries are computed in the order of the queries, as on pandas, so
results are the same to the last bit for any division of the rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.dask import partition, shuffle
from pdeval.dask.collect import check_size
from pdeval.dask.delayed import dask, gathered, numbers
from pdeval.dask.partition_plan import asks_corpus, asks_rows
from pdeval.evaluate import (
    MEASURES,
    Pairs,
    Request,
    Scores,
    Source,
    Views,
    attributes,
    call_of,
    check_weighed,
    integers,
    mean_preferences,
    only_metrics,
    option_columns,
    select,
    stacked,
    warn_of_undefined,
)
from pdeval.evaluate import (
    summary as summaries,
)
from pdeval.join import OF_USERS, Catalog, Judged, Listed, View, check_columns, check_lists, outside
from pdeval.orderings import order as ordering
from pdeval.orderings.methods import Method, orderings
from pdeval.orderings.votes import RankInterval
from pdeval.significance import compare as comparing
from pdeval.tables import labels, read_texts
from pdeval.verbs import check_not_declared

if TYPE_CHECKING:
    from pdeval.dask.accessor import DaskJudged

MEMORY = 1 << 28
BYTES_PER_FIRST_ITEM = 4


def measure(judged: DaskJudged, measures: object = MEASURES) -> Any:
    """Return the score of every run on every query, as a lazy Dask DataFrame."""
    requested = parse_all(measures)
    only_metrics(requested)
    return _tidy(judged, requested, _kept(judged, requested, warn=True))


def prefer(
    judged: DaskJudged,
    measures: object = ("RPP",),
    *,
    baseline: object = None,
    pairs: object = None,
    progress: bool | None = None,  # noqa: ARG001
) -> Any:
    """Return the preferences between runs on every query, as a lazy Dask DataFrame; `progress` is ignored."""
    source = select(judged.known, measures, baseline=baseline, pairs=pairs)
    return _tidy(judged, source.requested, source.kept, (source.a, source.b))


def summary(
    judged: DaskJudged,
    measures: object = MEASURES,
    *,
    wide: bool = False,
    per: Literal["run", "group"] = "run",
    baseline: object = None,
    confidence: float = 0.95,
    interval: summaries.Interval = "student",
    replicate: str | Sequence[str] | None = None,
    draws: int | None = None,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return the summary under the options of that verb; set measures gather the first items of all lists.

    Preferences gather the positions.
    """
    options: dict[str, Any] = {
        "wide": wide,
        "confidence": confidence,
        "interval": interval,
        "draws": draws,
        "seed": seed,
    }
    of_scores = {**options, "per": per, "baseline": baseline, "replicate": replicate}
    requested = parse_all(MEASURES if measures is None else measures)
    families = {measure.entry.family for measure in requested}
    if "preference" in families:
        return summaries.summary(judged.gathered(), requested, **of_scores)
    if "set" not in families:
        return summaries.summary(_cubes(judged, requested), None, **of_scores)
    if per == "group" or baseline is not None:
        raise ValueError(
            "per='group' and baseline= are not available for measures of all lists together on Dask. "
            "Omit them, or call .compute() first."
        )
    rest = [measure for measure in requested if measure.entry.family != "set"]
    return summaries.with_sets(
        _with_lists(judged, requested),
        requested,
        _cubes(judged, rest) if rest else [],
        replicate=None if replicate is None else option_columns(replicate, "replicate"),
        **options,
    )


def order(
    judged: DaskJudged,
    measures: object = ("RPP",),
    *,
    method: Method | Sequence[Method] | None = None,
    compat: Literal["pref_eval"] | None = None,
    draws: int = 0,
    confidence: float = 0.95,
    rank_interval: RankInterval = "marginal",
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the runs in order; win rates that need no pairs come from the partitions."""
    options: dict[str, Any] = {
        "method": method,
        "draws": draws,
        "confidence": confidence,
        "rank_interval": rank_interval,
        "seed": seed,
        "progress": progress,
    }
    rule = judged.plan.rules["compat"]
    if compat is not None and compat != rule:  # the arithmetic of another tool on the same ranks
        return ordering.order(judged.gathered(), measures, compat=compat, **options)
    requested = parse_all(("RPP",) if measures is None else measures)
    check_not_declared(requested, "an ordering", orderings(), "order(method={})")
    rates = {
        m.label: m
        for m in requested
        if m.entry.family == "preference" and _without_pairs(judged, m)
    }
    metrics = [m for m in requested if m.entry.family == "metric"]
    several_passes = len(metrics) + len(rates) < len(requested)
    values = _values(judged, metrics, list(rates.values()), again=several_passes)
    options["compat"] = "pref_eval" if rule == "pref_eval" else None
    return stacked(
        [
            ordering.ordered(
                _source(judged, [measure], values, warn=number == 0),
                winrates=measure.label in rates,
                **options,
            )
            for number, measure in enumerate(requested)
        ]
    )


def compare(judged: DaskJudged, measures: object = MEASURES, **options: Any) -> pd.DataFrame:
    """Return one row per pair and measure with its significance, under the options of that verb."""
    return comparing.compare(
        _cubes(judged, parse_all(MEASURES if measures is None else measures)), None, **options
    )


def labeled(
    judged: DaskJudged,
    measures: object = None,
    *,
    query: object = None,
    runs: object = None,
    top: int | None = None,
    layout: Literal["long", "side_by_side"] = "long",
    texts: object = None,
) -> Any:
    """Return the documents of each list with their labels, as a lazy Dask DataFrame."""
    plan, shown_texts = judged.plan, read_texts(texts)
    if any(source.once or source.neutral for source in shown_texts.sources):
        raise ValueError(
            "on Dask, texts= is sent to every partition, so it cannot be an iterator, and must state what it has. Pass "
            "texts={'queries': ..., 'docs': ...} of tables or mappings."
        )
    request = Request.of(
        *(plan.census.runs, plan.census.queries.index(), measures),
        query=query,
        runs=runs,
        layout=layout,
        top=top,
        texts=shown_texts,
        level=judged.level,
        rules={"judged_only": False, **plan.rules},
        top_grade=plan.given.top_grade,
    )
    _check_measures(judged, request.measures)
    single = not (request.side_by_side or asks_corpus(request.measures, plan.rules))
    rows, large = plan.all_lists(request.queries, single=single)
    given = plan.given
    sent = partition.LabeledRows(
        replace(plan.table, frame=plan.table.frame.iloc[:0]),
        plan.known.queries,
        replace(given, large=None),
        given.large.head(1) if given.frame is None else given.frame.head(1),
        request,
        _without_rows(judged, request),
    )
    return rows.map_partitions(
        partition.labeled_rows, large, dask.delayed(sent, traverse=False), meta=sent.meta
    )


def _without_rows(judged: DaskJudged, request: Request) -> pd.DataFrame:
    """Return the table of labeled documents without rows: the exact meta."""
    plan, nothing = judged.plan, np.zeros(0, dtype=np.int64)
    table, given = plan.table, plan.given
    documents = shuffle.plain(table.frame.iloc[:0])
    names = {role: table.roles[role] for role in ("query", "doc")} | {"grade": given.roles["grade"]}
    columns = {
        "query": labels(plan.census.queries.index(), nothing),
        "rank": nothing,
        "doc": documents[names["doc"]].array,
        **({"score": documents[table.roles["score"]].array} if "score" in table else {}),
        "grade": integers(np.array(given.different("grade")))[:0],
        "gain": np.zeros(0),
        **{measure.label: np.zeros(0) for measure in request.measures},
    }
    return request.arranged(
        columns,
        nothing,
        names,
        {
            **attributes(Judged(plan.known, judged.level, "judged"), request.measures),
            "grade_column": names["grade"],
            "table": "labeled_pair" if request.side_by_side else "labeled",
        },
    )


# the verbs that never gather positions, with the options of the verbs of these names
PARTWISE: dict[str, Callable[..., Any]] = {
    "measure": measure,
    "prefer": prefer,
    "summary": summary,
    "order": order,
    "compare": compare,
    "labeled": labeled,
}
LAZY = ("measure", "prefer", "labeled")


class FirstItems(Listed):
    """Lists whose first items are known, without rows."""

    def deepest(self) -> int:
        """Return the number of known items of a list."""
        return len(next(iter(self.made.values())))


def _with_lists(judged: DaskJudged, measures: Sequence[Measure]) -> Judged:
    """Return the join without ranks, with as many first items of its lists as measures look at."""
    known, catalog = judged.known, judged.plan.catalog
    sets = [measure for measure in measures if measure.entry.family == "set"]
    label = sets[0].label
    check_lists(catalog is not None, known.positions.rules, label)
    if lost := int((judged.plan.topic < 0).sum()):
        warnings.warn(
            f"{lost:,} users with a list are not judged; on Dask, {label} ignores them, unlike on pandas.",
            stacklevel=outside(),
        )
    deepest = int(known.positions.retrieved.max(initial=1))
    depth = int(min(max(measure.parameters.get("k", np.inf) for measure in sets), deepest))
    shape = known.positions.retrieved.shape
    check_size(
        BYTES_PER_FIRST_ITEM * depth * shape[0] * shape[1],
        f"the first {depth:,} items of all lists, which {label} needs,",
        "Use a smaller cutoff, select runs,",
    )
    cell, first_items = gathered(judged.plan.division().joins, partition.codes, depth, shape[1])
    codes = np.full((depth, shape[0] * shape[1]), -1, dtype=np.int32)
    codes[:, cell] = first_items
    lists = FirstItems(
        None,  # type: ignore[arg-type]
        catalog,  # type: ignore[arg-type]
        np.arange(shape[0]),
        np.arange(shape[1]),
        made={depth: codes.reshape(depth, *shape)},
    )
    return known.on(replace(known.positions, listed=lists))


def _tidy(
    judged: DaskJudged,
    measures: Sequence[Measure],
    kept: np.ndarray,
    pairs: tuple[np.ndarray, np.ndarray] | None = None,
) -> Any:
    _check_measures(judged, measures)
    division = judged.plan.division(measures, pairs=pairs is not None)
    request = partition.request(
        judged.known, kept, measures, "scores" if pairs is None else "preferences", pairs
    )
    sent = division.sent, dask.delayed(request, traverse=False)
    number = numbers(division.rows.npartitions)
    return division.rows.map_partitions(
        partition.tidy, number, division.judged, *sent, meta=request.empty()
    )


def _kept(judged: DaskJudged, measures: Sequence[Measure], *, warn: bool) -> np.ndarray:
    """Return which topics count for any of the measures; warn about missing ones, raise if no topic counts."""
    used = np.logical_or.reduce([*map(Views(judged.known).counted, measures)])
    kept: np.ndarray = np.any(used, axis=1)
    judged.known.check_counted(kept)
    if warn:
        judged.known.warn_of_missing_queries(used)
    return kept


def _values(
    judged: DaskJudged, metrics: Sequence[Measure], rates: Sequence[Measure], *, again: bool = False
) -> dict[str, np.ndarray]:
    """Return the values of measures and the win rates of preferences, (topics, runs) each, in one pass.

    `again`: the joins are needed once more, so they are computed once and kept.
    """
    if not metrics and not rates:
        return {}
    known, measures = judged.known, [*metrics, *rates]
    _check_measures(judged, measures)
    division = judged.plan.division(measures, pairs=again)
    joins = (
        division.kept_joins
        if again and not asks_rows(metrics, judged.plan.rules)
        else division.joins
    )
    shape = known.positions.retrieved.shape
    place, values = gathered(joins, partition.cells, (metrics, rates, known.level), shape[1])
    matrices, views = {}, Views(known)
    for row, measure in zip(values, measures):
        matrix = np.full(shape, np.nan)
        matrix.ravel()[place] = row  # ravel of a new array is a view
        counts = views.counted(measure)
        matrix[~counts] = np.nan
        if measure.kind == "items":
            warn_of_undefined(known, measure, np.isnan(matrix) & counts, counts)
        matrices[measure.label] = matrix
    return matrices


def _cubes(judged: DaskJudged, measures: list[Measure]) -> list[Source]:
    """Return scores of the metrics and streams of the preferences, as `evaluate.sources` does on pandas."""
    groups = [
        list(group) for _, group in groupby(measures, key=lambda measure: measure.entry.family)
    ]
    metrics = [m for m in measures if m.entry.family == "metric"]
    values = _values(judged, metrics, (), again=len(metrics) < len(measures))
    return [_source(judged, group, values, warn=number == 0) for number, group in enumerate(groups)]


def _source(
    judged: DaskJudged, group: list[Measure], values: dict[str, np.ndarray], *, warn: bool
) -> Scores | Pairs:
    if group[0].label not in values:
        return stream(judged, group, warn=warn)
    known, kept = judged.known, _kept(judged, group, warn=warn)
    cube = np.stack([values[measure.label][kept] for measure in group])
    names = tuple(measure.label for measure in group)
    higher = np.array([measure.entry.family != "metric" or measure.higher for measure in group])
    return Scores(known.runs, known.queries[kept], names, cube, higher, attributes(known, group))


def _without_pairs(judged: DaskJudged, measure: Measure) -> bool:
    """Return whether win rates need no pairs: all runs count on the same queries."""
    counts = judged.known.counted(measure.level)
    even = bool((counts.all(axis=1) == counts.any(axis=1)).all())
    return even and mean_preferences.direct(measure) and judged.plan.rules["compat"] != "pref_eval"


def stream(judged: DaskJudged, measures: object = ("RPP",), *, warn: bool = True) -> Stream:
    """Return the preferences of all pairs as a source that has the partitions compute a block of pairs at a time."""
    source = select(judged.known, measures, warn=warn)
    _check_measures(judged, source.requested)
    division = judged.plan.division(source.requested, pairs=True)
    joins = (
        division.joins if asks_rows(source.requested, judged.plan.rules) else division.kept_joins
    )
    return Stream(source.judged, source.requested, source.a, source.b, MEMORY, joins)


@dataclass(frozen=True, eq=False)
class Stream(Pairs):
    """Preferences that the partitions compute on use, pair block by pair block; see `Pairs`."""

    joins: Sequence[Any] = ()

    def values_of(self, views: Views, measure: Measure, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return the preferences between runs a and b on all topics, from the partitions."""
        topics, pieces = gathered(
            list(self.joins), partition.of_pairs, (measure, a, b, self.judged.level)
        )
        values = np.empty((len(views.judged.queries), len(a)))
        values[topics] = pieces.T  # every topic is in one partition
        return values


def _check_measures(judged: DaskJudged, measures: Sequence[Measure]) -> None:
    """Raise on the client, before any work, if the judgments or the rules of the join do not allow a measure."""
    known = judged.known.positions
    catalog = cast(Catalog, judged.plan.catalog)
    for measure in measures:
        if measure.entry.kind == "items":
            check_lists(judged.plan.catalog is not None, known.rules, measure.label)
            columns = call_of(measure, known.rules)[1]
            check_columns(catalog, measure.label, columns)
            if set(columns) & set(OF_USERS):
                catalog.user_of(known.judged.queries)
        if measure.together:
            raise ValueError(
                f"{measure.label} needs the lists of all users together, but a partition has only some of them. Use "
                "runs.compute().ireval, or another estimator, e.g. estimator=BV."
            )
        if "weight" in measure.columns:
            raise ValueError(
                f"{measure.label} needs the propensity of every judgment, and so the rows in memory. Use "
                "runs.compute().ireval, with a subset of the queries or runs if memory is short."
            )
        if measure.entry.kind == "subtopic" and known.judged.subtopic is None:
            View(known, "subtopic")
        if measure.entry.family == "metric":
            call_of(measure, known.rules)
        elif known.rules.get("ties") == "expected":
            raise ValueError(
                f"{measure.label} compares definite rankings; ties='expected' gives none. Choose another ties=."
            )
    check_weighed(measures, judged.plan.given.different)
