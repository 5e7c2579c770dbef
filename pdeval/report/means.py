"""Runs x measures: the mean over queries, its spread and its number of queries, from any table that has them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog.directions import aggregate_of, higher_of
from pdeval.evaluate.cube import Preferences, Scores
from pdeval.evaluate.pairs import Pairs
from pdeval.evaluate.run_selection import place_of
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held, averaged, sources
from pdeval.evaluate.summary import of_scores
from pdeval.orderings.order import win_rates_of
from pdeval.orderings.votes import win_rates
from pdeval.report.footnotes import words
from pdeval.report.sentences import and_list
from pdeval.tables.labels import run_labels
from pdeval.tables.reader import Table

STATISTICS = ("n", "mean", "sd", "ci_low", "ci_high", "sd_replicates")
ARRAYS = ("mean", "sd", "low", "high", "n", "varied")


@dataclass(frozen=True)
class Means:
    """What a table of systems needs; arrays have the shape (measures, runs).

    `varied` is the standard deviation over replicates, NaN where there are none. `source` is the cube that significance
    can be computed from, None for a summary; `about` says what a cell is where that is not a mean. `powered` is the
    summary of prediction-powered estimates, where a machine labelled too.
    """

    runs: pd.DataFrame
    measures: tuple[str, ...]
    mean: np.ndarray
    sd: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n: np.ndarray
    varied: np.ndarray
    higher: tuple[bool, ...]
    source: Any = None
    about: str = ""
    attrs: Mapping[Any, Any] = field(default_factory=dict)
    powered: pd.DataFrame | None = None

    @property
    def labels(self) -> list[str]:
        """One text per run."""
        return run_labels(self.runs)

    def only(self, measures: Sequence[int]) -> Means:
        """Return the table of some of its measures, by their places."""
        at = list(measures)
        source = self.source
        if isinstance(source, Pairs):
            source = replace(source, asked=tuple(source.asked[i] for i in at))
        elif isinstance(source, Scores | Preferences):
            parts: dict[str, Any] = {"measures": tuple(source.measures[i] for i in at), "values": source.values[at]}
            if source.machine is not None:
                parts["machine"] = source.machine[at]
            if isinstance(source, Scores):
                parts["higher"] = source.higher[at]
            source = replace(source, **parts)
        arrays = {name: getattr(self, name)[at] for name in ARRAYS}
        names, higher = tuple(self.measures[i] for i in at), tuple(self.higher[i] for i in at)
        return replace(self, measures=names, higher=higher, source=source, **arrays)

    def in_order(self, runs: np.ndarray) -> Means:
        """Return the table with its runs in another order; the source keeps its own."""
        arrays = {name: getattr(self, name)[:, runs] for name in ARRAYS}
        return replace(self, runs=self.runs.iloc[runs].reset_index(drop=True), **arrays)


def baselines_of(runs: pd.DataFrame, baseline: object) -> list[int]:
    """Return the places of the baselines: a list names several, anything else one run.

    Examples
    --------
    >>> runs = pd.DataFrame({"run": ["bm25", "lm", "dense"]})
    >>> baselines_of(runs, "lm"), baselines_of(runs, ["lm", "bm25"]), baselines_of(runs, None)
    ([1], [1, 0], [])
    """
    if baseline is None:
        return []
    if not isinstance(baseline, list | set | frozenset | np.ndarray | pd.Index | pd.Series):
        return [place_of(runs, baseline, "baseline")]
    found = [place_of(runs, one, "baseline") for one in baseline]
    if not found:
        raise ValueError("baseline=[] names no run; name at least one, or leave it out.")
    twice = next((place for place in found if found.count(place) > 1), None)
    if twice is not None:
        raise ValueError(f"baseline= names {run_labels(runs)[twice]!r} twice; name each run once.")
    return found


def means(
    held: Held,
    measures: object = MEASURES,
    *,
    baseline: object = None,
    alpha: float = 0.05,
    higher: Mapping[str, bool] | None = None,
    replicate: Sequence[str] = (),
) -> Means:
    """Return the means over queries of what a join, a table or a cube holds.

    A run's preference is its mean over all opponents, or over the baseline where one is given. Whether more is better
    is said by the cube or known of the measure; where neither knows it, `higher` must. Values are averaged within each
    query over runs that differ only in the columns `replicate`.

    Examples
    --------
    >>> cube = Scores(pd.DataFrame({"run": ["a", "b"]}), pd.Index([1, 2], name="query_id"), ("AP",),
    ...               np.array([[[0.5, 0.25], [1.0, 0.25]]]), np.array([True]))
    >>> means(cube).mean.tolist(), means(cube).n.tolist()
    ([[0.75, 0.25]], [[2, 2]])
    """
    # what is computed already has its measures: the default is for joins
    is_cube = isinstance(held, Scores | Preferences | Pairs)
    asked = None if measures is MEASURES and (is_cube or isinstance(held, Table)) else measures
    if isinstance(held, Table):
        said = {**(held.higher if isinstance(held.higher, Mapping) else {}), **(higher or {})}
        held = replace(held, higher=said or held.higher)
        if held.kind == "summary" and replicate:
            raise ValueError("the summary has no values per run: give replicate= to .summary(), which adds its spread.")
        if held.kind == "summary":
            return _chosen(_summary(held), asked)
        if not isinstance(asked, str) and isinstance(asked, Sequence) and not asked:
            raise ValueError("measures=[] asks for no measure; name at least one, or leave it out for all.")
    found = sources(held, asked, machine=True)
    if len(found) > 1:
        raise ValueError(
            f"a report shows measures of one ranking or preferences, not both: {found[0].measures[0]} and "
            f"{found[1].measures[0]}. Report them one kind at a time."
        )
    source = found[0]
    if not isinstance(source, Scores) and not hasattr(source, "blocks"):
        raise TypeError(
            "report() takes runs joined to judgments, a scores, preferences or summary table, or a cube, not "
            f"{type(source).__name__}; of a frame, call frame.ireval.report()."
        )
    if not len(source.runs) or not len(source.queries) or not len(source.measures):
        raise ValueError(
            f"the table holds {len(source.runs)} runs, {len(source.queries)} {words(source.attrs).queries} and "
            f"{len(source.measures)} measures; there is nothing to report."
        )
    if getattr(source, "machine", None) is not None:
        if replicate:
            source = averaged(source, replicate)  # type: ignore[arg-type]
        return _with_machine(source, alpha)
    if isinstance(source, Scores):
        known = dict(zip(source.measures, map(bool, source.higher)))
        direction = [(higher or {}).get(name, known[name]) for name in source.measures]
        source = replace(source, higher=np.array(direction))
        if replicate and set(source.runs.columns) <= set(replicate):
            raise ValueError(
                f"replicate={list(replicate)} names all columns of the run: none is left to name a system."
            )
        varied = of_scores(source, replicate=replicate)["sd_replicates"] if replicate else None
        if replicate:
            source = averaged(source, replicate, tell=False)
        table = _of_values(source, source.values, direction, alpha)
        if varied is not None:
            shape = (len(source.runs), len(source.measures))
            table = replace(table, varied=varied.to_numpy(dtype=float).reshape(shape).T)
    else:
        if replicate:
            source = averaged(source.cube() if isinstance(source, Pairs) else source, replicate)
        values, about = _opponents(source, baseline)
        table = _of_values(source, values, [True] * len(source.measures), alpha, about)
    return _chosen(table, asked) if is_cube else table


def _with_machine(source: Any, alpha: float) -> Means:
    """Return the prediction-powered means of a cube with machine labels; of preferences, those over all opponents."""
    cube, about = source, ""
    if not isinstance(source, Scores):
        cube, about = win_rates_of(source), "Cells are mean preferences over all other systems."
        others = len(source.runs) - 1
        cube = replace(cube, values=cube.values / others, machine=np.asarray(cube.machine) / others)
    numbered = pd.DataFrame({"run": np.arange(len(cube.runs))})
    table = of_scores(replace(cube, runs=numbered), confidence=1 - alpha)
    shape = (len(cube.runs), len(cube.measures))
    arrays = {name: table[name].to_numpy(dtype=float).reshape(shape).T for name in STATISTICS if name in table}
    arrays["sd"] = arrays["sd_replicates"] = np.full(shape[::-1], np.nan)
    made = _table(source.runs.reset_index(drop=True), source.measures, arrays, list(cube.higher), source, about)
    return replace(made, powered=table)


def _chosen(table: Means, measures: object) -> Means:
    """Return some measures of a table, in the order asked."""
    if measures is None:
        return table
    wanted = [measures] if isinstance(measures, str) or not isinstance(measures, Iterable) else list(measures)
    at = [find_measure(name, table.measures) for name in dict.fromkeys(map(str, wanted))]
    if not at:
        raise ValueError("measures=[] asks for no measure; name at least one, or leave it out for all.")
    return table.only(at)


def find_measure(name: object, measures: Sequence[str], what: str = "no measure", also: Sequence[str] = ()) -> int:
    """Return the place of a measure, or say which ones there are.

    Examples
    --------
    >>> find_measure("AP", ["RR", "AP"])
    1
    """
    if str(name) in measures:
        return list(measures).index(str(name))
    near = difflib.get_close_matches(str(name), list(measures), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    offered = ", ".join([*measures, *also])
    raise KeyError(f"{what} {str(name)!r} in this table.{hint} It has {offered}.")


def _of_values(source: Any, values: np.ndarray, higher: list[bool], alpha: float, about: str = "") -> Means:
    """Summarise values of shape (measures, queries, runs) over queries, as `summary` does."""
    shape = (len(source.runs), len(source.measures))
    numbered = pd.DataFrame({"run": np.arange(shape[0])})
    cube = Scores(numbered, source.queries, tuple(source.measures), values, np.array(higher), source.attrs)
    table = of_scores(cube, confidence=1 - alpha)
    arrays = {name: table[name].to_numpy(dtype=float).reshape(shape).T for name in STATISTICS if name in table}
    arrays["sd_replicates"] = np.full(shape[::-1], np.nan)
    logged = np.array([aggregate_of(name, source.attrs) == "geometric mean" for name in source.measures])
    arrays["sd"] = np.where(logged[:, None], np.nan, arrays["sd"])  # it is of the logs: nothing to add to a mean
    return _table(source.runs.reset_index(drop=True), source.measures, arrays, higher, source, about)


def _table(
    runs: pd.DataFrame,
    measures: Sequence[str],
    arrays: Mapping[str, np.ndarray],
    higher: Sequence[bool],
    source: Any,
    about: str = "",
) -> Means:
    return Means(
        runs=runs,
        measures=tuple(measures),
        mean=arrays["mean"],
        sd=arrays["sd"],
        low=arrays["ci_low"],
        high=arrays["ci_high"],
        n=np.nan_to_num(arrays["n"]).astype(int),
        varied=arrays["sd_replicates"],
        higher=tuple(map(bool, higher)),
        source=None if isinstance(source, pd.DataFrame) else source,
        about=about,
        attrs=dict(source.attrs),
    )


def per_query(source: Any, baseline: object = None) -> np.ndarray:
    """Return the values whose means a report shows, of shape (measures, queries, runs) in the order of the source.

    Examples
    --------
    >>> cube = Scores(pd.DataFrame({"run": ["a", "b"]}), pd.Index([1, 2], name="query_id"), ("AP",),
    ...               np.array([[[0.5, 0.25], [1.0, 0.25]]]), np.array([True]))
    >>> per_query(cube).tolist()
    [[[0.5, 0.25], [1.0, 0.25]]]
    """
    return source.values if isinstance(source, Scores) else _opponents(source, baseline)[0]


def _opponents(source: Any, baseline: object) -> tuple[np.ndarray, str]:
    """Average each run's preferences over its opponents: shape (measures, queries, runs)."""
    n_runs, labels = len(source.runs), run_labels(source.runs)
    a, b = np.asarray(source.a), np.asarray(source.b)
    met = np.zeros((n_runs, n_runs), dtype=bool)
    met[a, b] = met[b, a] = True
    bases = baselines_of(source.runs, baseline)
    if not bases:
        _check_all_met(met, labels)
        about = "Cells are mean preferences over all other systems."
    else:
        for base in bases:
            lacking = np.flatnonzero(~met[base] & (np.arange(n_runs) != base))
            if len(lacking):
                against = f"against the baseline {labels[base]!r}"
                raise ValueError(f"run {labels[lacking[0]]!r} has no preferences {against}.")
        about = f"Cells are mean preferences over {and_list([labels[base] for base in bases])}."
    values = np.empty((len(source.measures), len(source.queries), n_runs))
    for i in range(len(source.measures)):
        sums, count = _sums(source, i, bases)
        values[i] = np.where(count > 0, sums / np.maximum(count, 1), np.nan)
    return values, about


def _sums(source: Any, measure: int, bases: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Add up what each run's preferences over its opponents are, or over the baselines, and count them."""
    a, b = np.asarray(source.a), np.asarray(source.b)
    shape = {"queries": len(source.queries), "runs": len(source.runs)}
    if not bases:
        sums, count, _ = win_rates(source.blocks(measure), a, b, **shape)
        return sums, count
    total, number = np.zeros(tuple(shape.values())), np.zeros(tuple(shape.values()))
    for base in bases:
        wanted = (a == base) | (b == base)
        blocks = ((pairs, np.where(wanted[pairs], block, np.nan)) for pairs, block in source.blocks(measure))
        sums, count, _ = win_rates(blocks, a, b, **shape)
        sums[:, base] = 0.0  # nothing is preferred over itself
        if len(bases) > 1:
            count[:, base] = 0
        total, number = total + sums, number + count
    return total, number


def _check_all_met(met: np.ndarray, labels: list[str]) -> None:
    others = len(met) - 1
    lonely = np.flatnonzero(met.sum(axis=1) < others)
    if len(lonely):
        raise ValueError(
            f"run {labels[lonely[0]]!r} met {int(met[lonely[0]].sum())} of {others} opponents, so means over "
            "opponents do not compare; prefer all pairs, or name a baseline that all runs met."
        )


def _summary(table: Table) -> Means:
    frame, names = table.frame, list(table.run_columns)
    if not len(frame):
        raise ValueError("the summary has no rows; there is nothing to report.")
    if not names:
        raise ValueError(f"the summary has no run column; it has {', '.join(map(str, frame.columns))}.")
    key = [*names, table.roles["measure"]]
    repeated = frame[frame.duplicated(key)]
    if len(repeated):
        first = tuple(str(value) for value in repeated[key].iloc[0])
        raise ValueError(f"the summary has {len(repeated)} duplicate (run, measure) rows, e.g. {first}.")
    runs = frame[names].drop_duplicates().reset_index(drop=True)
    labels = table.column("measure").astype(str)
    measures = tuple(dict.fromkeys(labels))
    run = pd.MultiIndex.from_frame(runs).get_indexer(pd.MultiIndex.from_frame(frame[names]))
    measure = pd.Index(measures).get_indexer(pd.Index(labels))
    arrays = {}
    for name in STATISTICS:
        arrays[name] = np.full((len(measures), len(runs)), np.nan)
        if name in frame.columns:
            arrays[name][measure, run] = frame[name].to_numpy(dtype=float)
    higher = [higher_of(name, frame.attrs, table.higher) for name in measures]
    return _table(runs, measures, arrays, higher, frame)
