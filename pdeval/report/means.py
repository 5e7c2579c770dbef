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
        """Return the table of some measures, by their places."""
        places = list(measures)
        source = self.source
        if isinstance(source, Pairs):
            source = replace(source, asked=tuple(source.asked[i] for i in places))
        elif isinstance(source, Scores | Preferences):
            arrays = {name: getattr(source, name, None) for name in ("values", "machine", "higher")}
            parts: dict[str, Any] = {
                name: array[places] for name, array in arrays.items() if array is not None
            }
            source = replace(source, measures=tuple(source.measures[i] for i in places), **parts)
        return replace(
            self,
            measures=tuple(self.measures[i] for i in places),
            higher=tuple(self.higher[i] for i in places),
            source=source,
            **{name: getattr(self, name)[places] for name in ARRAYS},
        )

    def in_order(self, runs: np.ndarray) -> Means:
        """Return the table with its runs in another order; the source keeps its order."""
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
    places = [place_of(runs, run, "baseline") for run in baseline]
    if not places:
        raise ValueError("baseline=[] names no run; name at least one, or leave it out.")
    repeated = [place for place in places if places.count(place) > 1]
    if repeated:
        raise ValueError(
            f"baseline= names {run_labels(runs)[repeated[0]]!r} twice; name each run once."
        )
    return places


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
    is_cube = isinstance(held, Scores | Preferences | Pairs)
    if measures is MEASURES and (is_cube or isinstance(held, Table)):
        measures = None  # all measures of a result; the default is for joins
    if isinstance(held, Table):
        declared = held.higher if isinstance(held.higher, Mapping) else {}
        held = replace(held, higher={**declared, **(higher or {})} or held.higher)
        if held.kind == "summary" and replicate:
            raise ValueError(
                "the summary has no values per run: give replicate= to .summary(), which adds its spread."
            )
        if held.kind == "summary":
            return _select(_of_summary(held), measures)
        if not isinstance(measures, str) and isinstance(measures, Sequence) and not measures:
            raise ValueError(
                "measures=[] asks for no measure; name at least one, or leave it out for all."
            )
    source, *others = sources(held, measures, machine=True)
    if others:
        raise ValueError(
            f"a report shows measures of one ranking or preferences, not both: {source.measures[0]} and "
            f"{others[0].measures[0]}. Report them one kind at a time."
        )
    _check_source(source)
    has_machine = getattr(source, "machine", None) is not None
    varied = None
    if isinstance(source, Scores) and not has_machine:
        directions = zip(source.measures, map(bool, source.higher))
        source = replace(
            source, higher=np.array([(higher or {}).get(name, known) for name, known in directions])
        )
        if replicate and set(source.runs.columns) <= set(replicate):
            raise ValueError(
                f"replicate={list(replicate)} names all columns of the run: none is left to name a system."
            )
        if replicate:
            varied = of_scores(source, replicate=replicate)["sd_replicates"].to_numpy(dtype=float)
            source = averaged(source, replicate, tell=False)
    elif replicate:
        source = averaged(source.cube() if isinstance(source, Pairs) else source, replicate)
    table = _summarize(source, baseline, alpha)
    if varied is not None:
        table = replace(table, varied=varied.reshape(table.mean.T.shape).T)
    return _select(table, measures) if is_cube and not has_machine else table


def _check_source(source: Any) -> None:
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


def _summarize(source: Any, baseline: object, alpha: float) -> Means:
    """Summarize scores or preferences over queries, as `summary` does; with machine labels, prediction-powered."""
    cube, about = source, ""
    has_machine = getattr(source, "machine", None) is not None
    if not isinstance(source, Scores) and has_machine:
        rates = win_rates_of(source)
        others = len(source.runs) - 1
        cube = replace(
            rates, values=rates.values / others, machine=np.asarray(rates.machine) / others
        )
        about = "Cells are mean preferences over all other systems."
    elif not isinstance(source, Scores):
        values, about = _opponents(source, baseline)
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
    # the sd is of logarithms, or of people's labels alone: it does not belong to the mean
    geometric = [aggregate_of(name, source.attrs) == "geometric mean" for name in source.measures]
    without_sd = np.array(geometric) | has_machine
    arrays["sd"] = np.where(without_sd[:, None], np.nan, arrays.get("sd", arrays["mean"]))
    result = _means(
        source.runs.reset_index(drop=True), source.measures, arrays, cube.higher, source.attrs
    )
    return replace(result, source=source, about=about, powered=table if has_machine else None)


def _select(table: Means, measures: object) -> Means:
    """Return some measures of a table, in the requested order; all for None."""
    if measures is None:
        return table
    names = (
        [measures]
        if isinstance(measures, str) or not isinstance(measures, Iterable)
        else list(measures)
    )
    if not names:
        raise ValueError(
            "measures=[] asks for no measure; name at least one, or leave it out for all."
        )
    return table.only(
        [find_measure(name, table.measures) for name in dict.fromkeys(map(str, names))]
    )


def find_measure(
    name: object, measures: Sequence[str], what: str = "no measure", also: Sequence[str] = ()
) -> int:
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


def _means(
    runs: pd.DataFrame,
    measures: Sequence[str],
    arrays: Mapping[str, np.ndarray],
    higher: Iterable[bool],
    attrs: Mapping[Any, Any],
) -> Means:
    """Return the table of arrays by the names of `STATISTICS`."""
    return Means(
        runs=runs,
        measures=tuple(measures),
        mean=arrays["mean"],
        sd=arrays["sd"],
        low=arrays["ci_low"],
        high=arrays["ci_high"],
        n=np.nan_to_num(arrays["n"]).astype(int),
        varied=arrays.get("sd_replicates", np.full_like(arrays["mean"], np.nan)),
        higher=tuple(map(bool, higher)),
        attrs=dict(attrs),
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
    labels = run_labels(source.runs)
    bases = baselines_of(source.runs, baseline)
    _check_opponents(source, bases, labels)
    opponents = and_list([labels[base] for base in bases]) if bases else "all other systems"
    values = []
    for i in range(len(source.measures)):
        sums, counts = _sums(source, i, bases)
        values.append(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))
    return np.array(values), f"Cells are mean preferences over {opponents}."


def _check_opponents(source: Any, bases: list[int], labels: list[str]) -> None:
    n_runs = len(labels)
    a, b = np.asarray(source.a), np.asarray(source.b)
    met = np.eye(n_runs, dtype=bool)  # met[i, j]: the runs i and j were compared, or are the same
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
            f"run {labels[place]!r} met {int(met[place].sum()) - 1} of {n_runs - 1} opponents, so means over "
            "opponents do not compare; prefer all pairs, or name a baseline that all runs met."
        )


def _sums(source: Any, measure: int, bases: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the sums of each run's preferences over its opponents, or over the baselines, and their numbers."""
    a, b = np.asarray(source.a), np.asarray(source.b)
    shape = {"queries": len(source.queries), "runs": len(source.runs)}
    if not bases:
        return win_rates(source.blocks(measure), a, b, **shape)[:2]
    total = np.zeros(tuple(shape.values()))
    number = np.zeros(tuple(shape.values()))
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
    return total, number


def _of_summary(table: Table) -> Means:
    frame, names = table.frame, list(table.run_columns)
    if not len(frame):
        raise ValueError("the summary has no rows; there is nothing to report.")
    if not names:
        raise ValueError(
            f"the summary has no run column; it has {', '.join(map(str, frame.columns))}."
        )
    key = [*names, table.roles["measure"]]
    repeated = frame.loc[frame.duplicated(key), key]
    if len(repeated):
        first = tuple(map(str, repeated.iloc[0]))
        raise ValueError(
            f"the summary has {len(repeated)} duplicate (run, measure) rows, e.g. {first}."
        )
    runs = frame[names].drop_duplicates().reset_index(drop=True)
    labels = table.column("measure").astype(str)
    measures = tuple(dict.fromkeys(labels))
    row = pd.Index(measures).get_indexer(pd.Index(labels))
    column = pd.MultiIndex.from_frame(runs).get_indexer(pd.MultiIndex.from_frame(frame[names]))
    arrays = {name: np.full((len(measures), len(runs)), np.nan) for name in STATISTICS}
    for name in STATISTICS:
        if name in frame.columns:
            arrays[name][row, column] = frame[name].to_numpy(dtype=float)
    higher = [higher_of(name, frame.attrs, table.higher) for name in measures]
    return _means(runs, measures, arrays, higher, frame.attrs)
