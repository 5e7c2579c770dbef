"""Runs x measures: the mean over queries, its spread and its number of queries, from any table that has them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from pdeval.catalog import aggregate_of, higher_of
from pdeval.evaluate import (
    MEASURES,
    Pairs,
    Preferences,
    Scores,
    ScoresLike,
    averaged,
    baselines_of,
    merged_attrs,
    of_scores,
    sources,
)
from pdeval.orderings.order import win_rates_of
from pdeval.orderings.votes import win_rates
from pdeval.report.columns import check_unique
from pdeval.report.footnotes import words
from pdeval.report.sentences import and_list
from pdeval.tables import Table, run_labels
from pdeval.verbs import did_you_mean, several

STATISTICS = ("n", "mean", "sd", "ci_low", "ci_high", "sd_replicates")


@dataclass(frozen=True, eq=False)
class Means:
    """The numbers of a table of systems; arrays have the shape (measures, runs).

    `sd_replicates` is the standard deviation over replicates, NaN without replicates. `source` is the cube that
    significance can be computed from, a tuple of cubes for measures and preferences in one table, None for a summary.
    `about` describes cells that are not means. `powered` is the summary of prediction-powered estimates, if there are
    machine labels.
    """

    runs: pd.DataFrame
    measures: tuple[str, ...]
    mean: np.ndarray
    sd: np.ndarray
    ci_low: np.ndarray
    ci_high: np.ndarray
    n: np.ndarray
    sd_replicates: np.ndarray
    higher: tuple[bool, ...]
    source: Any = None
    about: str = ""
    attrs: Mapping[Any, Any] = field(default_factory=dict)
    powered: pd.DataFrame | None = None

    @property
    def sources(self) -> tuple[Any, ...]:
        """The cubes, each with consecutive measures of the table; none for a summary."""
        if self.source is None:
            return ()
        return self.source if isinstance(self.source, tuple) else (self.source,)

    def only(self, measures: Sequence[int]) -> Self:
        """Return the table of some measures, by index."""
        places = list(measures)
        if isinstance(self.source, tuple):
            # places are rising: each cube keeps those of its measures
            starts = np.cumsum([0, *(len(cube.measures) for cube in self.source)])
            parts = [
                _only(cube, [i - start for i in places if start <= i < start + len(cube.measures)])
                for cube, start in zip(self.source, starts.tolist())
            ]
            kept = tuple(cube for cube in parts if len(cube.measures))
            source: Any = kept if len(kept) > 1 else kept[0]
        else:
            source = _only(self.source, places)
        return replace(
            self,
            measures=tuple(self.measures[i] for i in places),
            higher=tuple(self.higher[i] for i in places),
            source=source,
            **{name: getattr(self, name)[places] for name in STATISTICS},
        )

    def in_order(self, runs: np.ndarray) -> Self:
        """Return the table with its runs in another order; the source keeps its order."""
        arrays = {name: getattr(self, name)[:, runs] for name in STATISTICS}
        return replace(self, runs=self.runs.iloc[runs].reset_index(drop=True), **arrays)


def _only(source: Any, places: list[int]) -> Any:
    """Return a cube with some of its measures, by index."""
    if isinstance(source, Pairs):
        return replace(source, requested=tuple(source.requested[i] for i in places))
    if not isinstance(source, Scores | Preferences):
        return source
    arrays = {name: getattr(source, name, None) for name in ("values", "machine", "higher")}
    parts: dict[str, Any] = {
        name: array[places] for name, array in arrays.items() if array is not None
    }
    return replace(source, measures=tuple(source.measures[i] for i in places), **parts)


def means(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    baseline: object = None,
    alpha: float = 0.05,
    higher: Mapping[str, bool] | None = None,
    replicate: Sequence[str] = (),
) -> Means:
    """Return the means over queries of a join, a table or a cube.

    The preference of a run is its mean over all opponents, or over the baseline if there is one. `higher` is needed for
    measures whose direction is known neither to the cube nor to the catalog. Values are averaged within each query over
    runs that differ only in the columns `replicate`.

    Examples
    --------
    >>> cube = Scores(pd.DataFrame({"run": ["a", "b"]}), pd.Index([1, 2], name="query_id"), ("AP",),
    ...               np.array([[[0.5, 0.25], [1.0, 0.25]]]), np.array([True]))
    >>> means(cube).mean.tolist(), means(cube).n.tolist()
    ([[0.75, 0.25]], [[2, 2]])
    """
    is_cube = isinstance(data, Scores | Preferences | Pairs)
    if measures is MEASURES and (is_cube or isinstance(data, Table)):
        measures = None  # all measures of a result; the default is for joins
    if isinstance(data, Table):
        declared = data.higher if isinstance(data.higher, Mapping) else {}
        data = replace(data, higher={**declared, **(higher or {})} or data.higher)
        if data.kind == "summary" and replicate:
            raise ValueError(
                "the summary has no values per query. Pass replicate= to .summary(), which adds their spread."
            )
        if data.kind == "summary":
            return _select(_of_summary(data), measures)
    source, *others = sources(data, measures, machine=True)
    if others:
        options: dict[str, Any] = {"baseline": baseline, "alpha": alpha, "replicate": replicate}
        return _side_by_side([means(cube, higher=higher, **options) for cube in (source, *others)])
    if not isinstance(source, Scores) and not hasattr(source, "blocks"):
        raise TypeError(
            "report() takes runs joined to judgments, a scores, preferences or summary table, or a cube, not "
            f"{type(source).__name__}. For a frame, call frame.ireval.report()."
        )
    if not len(source.runs) or not len(source.queries) or not len(source.measures):
        raise ValueError(
            f"the table has {len(source.runs)} runs, {len(source.queries)} {words(source.attrs).queries} and "
            f"{len(source.measures)} measures; there is nothing to report."
        )
    has_machine = getattr(source, "machine", None) is not None
    varied = None
    if isinstance(source, Scores) and not has_machine:
        directions = zip(source.measures, map(bool, source.higher))
        source = replace(
            source, higher=np.array([(higher or {}).get(name, known) for name, known in directions])
        )
        if replicate and set(source.runs.columns) <= set(replicate):
            raise ValueError(
                f"replicate={list(replicate)} has all run columns, so no column identifies a system. Omit at least one."
            )
        if replicate:
            varied = of_scores(source, replicate=replicate)["sd_replicates"].to_numpy(dtype=float)
            source = averaged(source, replicate, warn=False)
    elif replicate:
        source = averaged(source.cube() if isinstance(source, Pairs) else source, replicate)
    table = _summarize(source, baseline, alpha)
    if varied is not None:
        table = replace(table, sd_replicates=varied.reshape(table.mean.T.shape).T)
    return _select(table, measures) if is_cube and not has_machine else table


def _side_by_side(tables: list[Means]) -> Means:
    """Return tables of the same runs as one table, measures in their order."""
    about = " ".join(
        f"{and_list(table.measures)}: {table.about[:1].lower()}{table.about[1:]}"
        for table in tables
        if table.about
    )
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(table, name) for table in tables]) for name in STATISTICS
    }
    return replace(
        tables[0],
        measures=tuple(name for table in tables for name in table.measures),
        higher=tuple(higher for table in tables for higher in table.higher),
        source=tuple(table.source for table in tables),
        about=about,
        attrs=dict(merged_attrs(table.attrs for table in tables)),
        **arrays,
    )


def _summarize(source: Any, baseline: object, alpha: float) -> Means:
    """Summarize scores or preferences over queries, as `summary` does; with machine labels, prediction-powered."""
    cube, about = source, ""
    has_machine = getattr(source, "machine", None) is not None
    if not isinstance(source, Scores) and has_machine:
        cube = win_rates_of(source)
        about = "Cells are mean preferences over all other systems."
    elif not isinstance(source, Scores):
        values, about = mean_preferences(source, baseline)
        higher = np.ones(len(source.measures), dtype=bool)
        cube = Scores(
            source.runs, source.queries, tuple(source.measures), values, higher, source.attrs
        )
    shape = (len(cube.runs), len(cube.measures))
    # runs are numbered, so that the rows keep the order of the cube
    table = of_scores(
        replace(cube, runs=pd.DataFrame({"run": np.arange(shape[0])})), confidence=1 - alpha
    )
    names = [name for name in STATISTICS if name in table and name != "sd_replicates"]
    arrays = {name: table[name].to_numpy(dtype=float).reshape(shape).T for name in names}
    # the sd is that of logarithms, or of human labels only: it does not describe the mean
    geometric = [aggregate_of(name, source.attrs) == "geometric mean" for name in source.measures]
    without_sd = np.array(geometric) | has_machine
    arrays["sd"] = np.where(without_sd[:, None], np.nan, arrays.get("sd", arrays["mean"]))
    arrays["n"] = np.nan_to_num(arrays["n"]).astype(int)
    return Means(
        runs=source.runs.reset_index(drop=True),
        measures=tuple(source.measures),
        sd_replicates=np.full_like(arrays["mean"], np.nan),
        higher=tuple(map(bool, cube.higher)),
        source=source,
        about=about,
        attrs=dict(source.attrs),
        powered=table if has_machine else None,
        **arrays,
    )


def _select(table: Means, measures: object) -> Means:
    """Return some measures of a table, in the requested order; all for None."""
    if measures is None:
        return table
    return table.only(
        [
            find_measure(name, table.measures)
            for name in dict.fromkeys(map(str, several("measures", measures)))
        ]
    )


def find_measure(
    name: object, measures: Sequence[str], what: str = "no measure", also: Sequence[str] = ()
) -> int:
    """Return the index of a measure; the error lists all measures.

    Examples
    --------
    >>> find_measure("AP", ["RR", "AP"])
    1
    """
    if str(name) in measures:
        return list(measures).index(str(name))
    offered = ", ".join([*measures, *also])
    raise KeyError(
        f"{what} {str(name)!r} in this table.{did_you_mean(name, measures)} It has {offered}."
    )


def mean_preferences(source: Any, baseline: object) -> tuple[np.ndarray, str]:
    """Average each run's preferences over its opponents: shape (measures, queries, runs)."""
    labels = run_labels(source.runs)
    bases = [] if baseline is None else baselines_of(source.runs, baseline)
    a, b = np.asarray(source.a), np.asarray(source.b)
    # met[i, j]: the runs i and j were compared, or are the same
    met = np.eye(len(labels), dtype=bool)
    met[a, b] = met[b, a] = True
    for base in bases:
        if not met[base].all():
            run = labels[int(np.argmin(met[base]))]
            raise ValueError(
                f"run {run!r} has no preferences against the baseline {labels[base]!r}."
            )
    if not bases and not met.all():
        place = int(np.argmin(met.all(axis=1)))
        raise ValueError(
            f"run {labels[place]!r} met {int(met[place].sum()) - 1} of {len(labels) - 1} opponents, so means over "
            "opponents are not comparable. Compute all pairs, or specify a baseline that all runs met."
        )
    opponents = and_list([labels[base] for base in bases]) if bases else "all other systems"
    values = [_over_opponents(source, i, bases) for i in range(len(source.measures))]
    return np.array(values), f"Cells are mean preferences over {opponents}."


def _over_opponents(source: Any, measure: int, bases: list[int]) -> np.ndarray:
    """Return the means of each run's preferences over its opponents, or over the baselines: (queries, runs)."""
    a, b = np.asarray(source.a), np.asarray(source.b)
    shape = {"queries": len(source.queries), "runs": len(source.runs)}
    total, number = (
        np.zeros((2, *shape.values()))
        if bases
        else win_rates(source.blocks(measure), a, b, **shape)[:2]
    )
    for base in bases:
        has_base = (a == base) | (b == base)
        blocks = (
            (pairs, np.where(has_base[pairs], block, np.nan))
            for pairs, block in source.blocks(measure)
        )
        sums, counts, _ = win_rates(blocks, a, b, **shape)
        sums[:, base] = 0.0  # nothing is preferred over itself
        if len(bases) > 1:
            counts[:, base] = 0
        total += sums
        number += counts
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def _of_summary(table: Table) -> Means:
    frame, names = table.frame, list(table.run_columns)
    if not names:
        raise ValueError(
            f"the summary has no run column; it has {', '.join(map(str, frame.columns))}."
        )
    check_unique(frame, [*names, table.roles["measure"]], "the summary", "it")
    runs = frame[names].drop_duplicates().reset_index(drop=True)
    labels = table.column("measure").astype(str)
    measures = tuple(dict.fromkeys(labels))
    row = pd.Index(measures).get_indexer(pd.Index(labels))
    column = pd.MultiIndex.from_frame(runs).get_indexer(pd.MultiIndex.from_frame(frame[names]))
    arrays: dict[str, Any] = {
        name: np.full((len(measures), len(runs)), np.nan) for name in STATISTICS
    }
    for name in frame.columns.intersection(list(STATISTICS)):
        arrays[name][row, column] = frame[name].to_numpy(dtype=float)
    arrays["n"] = np.nan_to_num(arrays["n"]).astype(int)
    higher = tuple(bool(higher_of(name, frame.attrs, table.higher)) for name in measures)
    return Means(runs, measures, higher=higher, attrs=dict(frame.attrs), **arrays)
