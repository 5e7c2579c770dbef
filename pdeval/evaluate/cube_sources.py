"""Scores and preferences of a table or a join, averaged over replicates: the input of tests and orderings.

Preferences that are rounding errors are set to 0 (`decided`). Replicates are runs of one system that differ in
a seed, a fold or a trial; they are averaged within each query.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pdeval.catalog import known_of, parse, parse_all
from pdeval.evaluate.cube import (
    Computed,
    Preferences,
    Scores,
    check_measure_names,
    merged_attrs,
    preferences_cube,
    scores_cube,
    stacked,
)
from pdeval.evaluate.pairs import Pairs, select
from pdeval.evaluate.ppi import WithMachine, checked
from pdeval.evaluate.run_selection import chosen_pairs
from pdeval.evaluate.scores import MEASURES, scores
from pdeval.join import Judged, outside
from pdeval.tables import (
    NOISE,
    SCHEMAS,
    Table,
    cleared,
    gap,
    listed,
    matched_rows,
    run_labels,
    size_of,
)
from pdeval.verbs import several

Source: TypeAlias = Scores | Preferences | Pairs
CELLS = 1 << 20
NO_MACHINE = (
    "uses one value per query, but the table has values by human and by machine labels. Keep the rows with human "
    "labels and drop the column 'machine'. Only .summary(), .order(), .compare() and .report() use both"
)
REPLICATE_NAMES = (
    "seed",
    "fold",
    "trial",
    "run_id",
)  # usual names of the columns that distinguish replicates


@dataclass(frozen=True, eq=False)
class Averaged:
    """A join or a table whose values are averaged over replicates within each query.

    Parameters
    ----------
    data : Judged or Table
    replicate : tuple of str
        The columns of the run that distinguish replicates of a system.
    """

    data: Judged | Table | WithMachine
    replicate: tuple[str, ...]

    @property
    def compat(self) -> str | None:
        """'pref_eval' if the join follows the rules of that tool."""
        rules = self.data.positions.rules if isinstance(self.data, Judged) else {}
        return "pref_eval" if rules.get("compat") == "pref_eval" else None

    def cubes(self, measures: object) -> list[Source]:
        """Return the cubes of the systems."""
        return [
            averaged(cube.cube() if isinstance(cube, Pairs) else cube, self.replicate)
            for cube in _sources(self.data, measures)
        ]


ScoresLike: TypeAlias = Judged | Table | Averaged | WithMachine | Source | Sequence[Source]


def sources(
    data: ScoresLike, measures: object = MEASURES, *, machine: bool = False
) -> list[Source]:
    """Return the cubes or streams behind a join or a table: one for scores, one for preferences.

    Parameters
    ----------
    data : Judged, Table, or cubes
        A join; a table of scores or preferences; or what this function returns.
    measures : str or list, optional
        Measures to compute from a join; for a table, the measures to use, None for all.
    machine : bool
        Whether the caller also uses values by machine labels; if not, a table with such values raises.

    Examples
    --------
    >>> import pdeval
    >>> [source.measures for source in sources(pdeval.datasets.sample_judged(queries="common"), ["RPP", "AP", "RR"])]
    [('RPP',), ('AP', 'RR')]
    """
    cubes = _sources(data, measures)
    if not machine and any(getattr(cube, "machine", None) is not None for cube in cubes):
        raise ValueError(f"this verb {NO_MACHINE}.")
    return cubes


def _sources(data: ScoresLike, measures: object) -> list[Source]:
    if isinstance(data, Averaged | WithMachine):
        return list(data.cubes(measures))
    if isinstance(data, Judged):
        requested = parse_all(MEASURES if measures is None else measures)
        families = [
            list(group) for _, group in groupby(requested, key=lambda measure: measure.entry.family)
        ]
        # warnings about the join come with the first cube; `scores` raises for measures of sets and answers
        return [
            (scores if family[0].entry.family not in ("preference", "ordering") else select)(
                data, family, warn=number == 0
            )
            for number, family in enumerate(families)
        ]
    if isinstance(data, Table):
        table = data if measures is None else only(data, measures)
        cube = scores_cube(table) if table.kind == "scores" else preferences_cube(table)
        return [cube if cube.machine is None else checked(cube)]
    return list(data) if isinstance(data, list | tuple) else [data]  # type: ignore[list-item]


def machine_cube(table: Table, measures: object) -> Any:
    """Return the cube of a table with values by human and by machine labels; raise if the latter are missing."""
    (cube,) = sources(table, measures, machine=True)
    if getattr(cube, "machine", None) is None:
        raise ValueError(
            "this verb needs values by human and by machine labels, the latter in the column 'machine'. Compute them "
            "with runs.ireval.measure(human, ..., machine=qrels)."
        )
    return cube


def only(table: Table, measures: object) -> Table:
    """Return the rows of these measures, in this order."""
    requested = list(map(str, several("measures", measures)))
    check_measure_names(table.column("measure").isna().to_numpy())
    column = table.column("measure").astype(str)
    if missing := [label for label in requested if not (column == label).any()]:
        known = ", ".join(map(repr, dict.fromkeys(column)))
        raise KeyError(f"no measure {missing[0]!r} in this table; it has {known}.")
    frame = pd.concat([table.frame[column == label] for label in requested])
    name = table.roles["measure"]
    frame[name] = pd.Categorical(frame[name].astype(str), categories=requested)
    frame.attrs.update(table.frame.attrs)
    return replace(table, frame=frame)


def declared_size(label: str, attrs: Mapping[Any, Any] | None = None) -> float:
    """Return the size of the numbers whose differences the preferences of a measure are; 0 if it is unknown.

    Examples
    --------
    >>> declared_size("RPP"), declared_size("AP"), declared_size("ASL"), declared_size("my own")
    (1.0, 1.0, 0.0, 0.0)
    """
    known = known_of(label, attrs)
    if known is not None and "size" in known:
        return known["size"]
    if known is not None and known["family"] == "preference":
        return 1.0
    try:
        top = float(parse(label).entry.range[1])
    except (KeyError, ValueError):
        return 0.0
    return top if np.isfinite(top) else 0.0


def clear_values(
    values: np.ndarray, label: str = "", attrs: Mapping[Any, Any] | None = None
) -> np.ndarray:
    """Return preferences of one measure, of any pairs and queries, with rounding errors set to 0.

    Examples
    --------
    >>> clear_values(np.array([0.5, -1.1e-16]), "AP").tolist(), clear_values(np.array([5e-16, 1e-16]), "own").tolist()
    ([0.5, 0.0], [5e-16, 1e-16])
    """
    return np.where(
        np.abs(values) <= NOISE * max(declared_size(label, attrs), size_of(values)), 0.0, values
    )


@dataclass(frozen=True, eq=False)
class Differences:
    """Scores as a source of preferences: their differences, negated if lower is better."""

    scores: Scores
    a: np.ndarray
    b: np.ndarray

    def __getattr__(
        self, name: str
    ) -> Any:  # runs, queries, measures and attrs are those of the scores
        return getattr(self.scores, name)

    def blocks(self, measure: int) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield (slice of pairs, differences of shape (queries, pairs in the slice))."""
        values = (
            self.scores.values[measure]
            if self.scores.higher[measure]
            else -self.scores.values[measure]
        )
        # values of both signs that are near 0 may be differences of larger ones
        both_signs = np.nanmin(values, initial=0.0) < 0 < np.nanmax(values, initial=0.0)
        least = size_of(values) if both_signs else 0.0
        step = max(CELLS // max(len(values), 1), 1)
        for first in range(0, len(self.a), step):
            block = slice(first, min(first + step, len(self.a)))
            yield block, gap(values[:, self.a[block]], values[:, self.b[block]], least)


def as_preferences(
    cubes: Sequence[Source], *, baseline: object = None, pairs: object = None
) -> Preferences:
    """Return cubes of the same runs as one cube of preferences: scores prefer by their differences.

    Examples
    --------
    >>> runs, queries = pd.DataFrame({"run": ["a", "b"]}), pd.Index(["1"], name="query_id")
    >>> scores = Scores(runs, queries, ("AP",), np.array([[[0.5, 0.25]]]), np.array([True]))
    >>> preferences = Preferences(runs, queries, ("RPP",), np.array([0]), np.array([1]), np.array([[[1.0]]]))
    >>> as_preferences([scores, preferences], baseline="a").values.tolist()
    [[[-0.25]], [[-1.0]]]
    """
    runs = cubes[0].runs
    paired = [cube for cube in cubes if not isinstance(cube, Scores)]
    as_they_are = baseline is None and pairs is None
    if len(cubes) == len(paired) == 1 and as_they_are:
        return paired[0]  # type: ignore[return-value]
    sides = chosen_pairs(runs, baseline=baseline, pairs=pairs)
    if paired and as_they_are:
        sides = paired[0].a, paired[0].b
    queries = max((cube.queries for cube in cubes), key=len)
    for cube in cubes:
        queries = queries.append(cube.queries.difference(queries, sort=False))
    values = []
    for cube in cubes:
        # NaN on the queries that the cube does not have
        block = np.full((len(cube.measures), len(queries), len(sides[0])), np.nan)
        block[:, queries.get_indexer(cube.queries)] = _preferences_of_pairs(cube, *sides)
        values.append(block)
    return Preferences(
        runs,
        queries,
        tuple(name for cube in cubes for name in cube.measures),
        *sides,
        np.concatenate(values),
        merged_attrs(cube.attrs for cube in cubes),
    )


def _preferences_of_pairs(source: Any, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the preferences of a cube between runs a and b, NaN where it has none."""
    if isinstance(source, Scores):
        blocks = [
            Differences(source, a, b).blocks(measure) for measure in range(len(source.measures))
        ]
        return np.stack(
            [np.concatenate([values for _, values in of_measure], axis=1) for of_measure in blocks]
        )
    n = len(source.runs)
    # every pair of the cube in both directions, as one number each
    known = pd.Index(np.concatenate([source.a * n + source.b, source.b * n + source.a]))
    position = known.get_indexer(a * n + b)
    both = np.concatenate([source.values, 0.0 - source.values], axis=-1)
    return np.where(position < 0, np.nan, both[..., position])


def decided(source: Any, measure: int) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield (slice of pairs, preferences of shape (queries, pairs of the slice)) of one measure, rounding errors as 0.

    Rounding is relative to the declared size of the measure. If a table has a measure without one, it is relative to
    the largest preference in it; if a join computes differences of scores, equal scores gave 0.

    Examples
    --------
    >>> cube = Preferences(pd.DataFrame({"run": ["a", "b"]}), pd.Index(["1", "2"], name="query_id"), ("RPP",),
    ...                    np.array([0]), np.array([1]), np.array([[[1.1e-16], [0.5]]]))
    >>> [values.tolist() for _, values in decided(cube, 0)]
    [[[0.0], [0.5]]]
    """
    least = _rounding(source, measure)
    for part, values in source.blocks(measure):
        yield part, values if least is None else cleared(values, least)


def decided_cube(source: Preferences, measures: slice | Sequence[int]) -> np.ndarray:
    """Return the preferences of several measures of a cube, (measures, queries, pairs), as `decided` gives them."""
    values = source.values[measures]
    least = [_rounding(source, number) for number in np.arange(len(source.measures))[measures]]
    kept = np.array([one is None for one in least])[:, None, None]
    clear = cleared(values, np.array([one or 0.0 for one in least])[:, None, None])
    return np.where(kept, values, clear) if kept.any() else clear


def _rounding(source: Any, measure: int) -> float | None:
    """Return the size of the numbers to which rounding errors are relative; None if a join made them 0."""
    label = source.measures[measure]
    of_table = isinstance(source, Preferences) and not isinstance(source, Computed)
    known = known_of(label, source.attrs)
    if not of_table and known is not None and known["family"] == "metric":
        return None
    least = declared_size(label, source.attrs)
    return least or (size_of(source.values[measure]) if of_table else least)


def each(
    function: Callable[..., pd.DataFrame], cubes: Sequence[Source], **options: Any
) -> pd.DataFrame:
    """Return one frame from the same function on several sources, in their order."""
    return stacked([function(source, **options) for source in cubes])


def systems_of(runs: pd.DataFrame, replicate: Sequence[str]) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the systems that runs are replicates of, one row each, and the system of every run.

    Parameters
    ----------
    replicate : sequence of str
        The columns of the runs that distinguish replicates; the others identify the system.

    Examples
    --------
    >>> runs = pd.DataFrame({"model": ["a", "a", "b"], "seed": [1, 2, 1]})
    >>> systems, system = systems_of(runs, ["seed"])
    >>> systems["model"].tolist(), system.tolist()
    (['a', 'b'], [0, 0, 1])
    """
    if missing := [name for name in replicate if name not in runs.columns]:
        raise KeyError(
            f"replicate={missing[0]!r} is not an id column of the runs; they have {listed(runs.columns)}. Bind it, "
            f"e.g. df.ireval(run=['model', {missing[0]!r}])."
        )
    names = [name for name in runs.columns if name not in replicate]
    if not names:  # all runs are of one system, which a group identifies
        return pd.DataFrame(index=range(1)), np.zeros(len(runs), dtype=np.intp)
    system = runs.groupby(names, sort=False, dropna=False, observed=True).ngroup().to_numpy()
    return runs[names].iloc[np.unique(system, return_index=True)[1]].reset_index(drop=True), system


def replicated_systems(
    runs: pd.DataFrame,
    replicate: Sequence[str],
    system: Sequence[str],
    metadata: Sequence[pd.DataFrame],
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the systems of runs and the system of every run, named by columns of the runs or of metadata.

    Parameters
    ----------
    replicate : sequence of str
        The columns that distinguish replicates; none for those with a usual name: seed, fold, trial, run_id.
    system : sequence of str
        The columns that identify the system; none for all others.

    Examples
    --------
    >>> runs = pd.DataFrame({"run": ["a-1", "a-2", "b-1"]})
    >>> metadata = pd.DataFrame({"run": ["a-1", "a-2", "b-1"], "model": ["a", "a", "b"]})
    >>> replicated_systems(runs, (), ["model"], [metadata])[1].tolist()
    [0, 0, 1]
    >>> replicated_systems(runs, (), (), [])
    Traceback (most recent call last):
    ValueError: no id column of the runs (run) has the name seed, fold, trial or run_id. Pass replicate= with the column
    that distinguishes replicates of a system, or system= with the column that identifies the system.
    """
    for table in metadata:
        new = [name for name in system if name not in runs.columns and name in table.columns]
        keys = [name for name in runs.columns if name in table.columns]
        if new and not keys:
            raise ValueError(
                f"the metadata have no id column of the runs ({listed(runs.columns)}); they have "
                f"{listed(table.columns)}."
            )
        if new:
            row = matched_rows(runs, table, keys)
            runs = runs.assign(**{name: table[name].array.take(row) for name in new})
    if system:
        if missing := [name for name in (*system, *replicate) if name not in runs.columns]:
            raise KeyError(
                f"the runs have no column {missing[0]!r}; they have {listed(runs.columns)}. Pass other columns with "
                "metadata=."
            )
        return systems_of(runs, [name for name in runs.columns if name not in system])
    names = list(replicate) or _usual_names(runs)
    if not names:
        raise ValueError(
            f"no id column of the runs ({listed(runs.columns)}) has the name {', '.join(REPLICATE_NAMES[:-1])} or "
            f"{REPLICATE_NAMES[-1]}. Pass replicate= with the column that distinguishes replicates of a system, or "
            "system= with the column that identifies the system."
        )
    return systems_of(runs, names)


def named_by_metadata(data: Any, replicate: Sequence[str], metadata: Sequence[pd.DataFrame]) -> Any:
    """Return a join or a table whose runs have the id columns of the metadata, if one of these is `replicate`.

    The other columns of the metadata identify the system, except those that do not distinguish more systems.
    """
    if not isinstance(data, Judged | Table):
        return data
    frame = data.runs if isinstance(data, Judged) else data.frame
    runs = list(data.runs.columns) if isinstance(data, Judged) else list(data.run_columns)
    tables = [table for table in metadata if {*runs, *replicate} <= {*table.columns}]
    if not tables or not replicate or set(replicate) & set(runs):
        return data
    about = tables[0]
    ends = ("",) if "run" in SCHEMAS[getattr(data, "kind", "scores")].named else ("_a", "_b")
    sides = [frame[[f"{name}{end}" for name in runs]].set_axis(runs, axis=1) for end in ends]
    rows = [matched_rows(side, about, runs) for side in sides]
    known = about.iloc[np.unique(np.concatenate(rows))]
    every = [name for name in known.columns if name not in (*runs, *replicate)]
    system = every
    # drop, from the last on, each column without which as many systems remain
    for name in reversed(every):
        fewer = [other for other in system if other != name]
        if fewer and len(known[fewer].drop_duplicates()) == len(known[every].drop_duplicates()):
            system = fewer
    if not system or len(known[system].drop_duplicates()) == len(known):
        raise ValueError(
            f"no two runs have the same {listed(every)} in the metadata, so there are no replicates. Drop the columns "
            "of metadata= that differ between replicates, and keep those that identify the system."
        )
    names = [*system, *replicate]
    if isinstance(data, Judged):
        return data.on(
            replace(data.positions, runs=about[names].iloc[rows[0]].reset_index(drop=True))
        )
    columns = {
        f"{name}{end}": about[name].array.take(row)
        for end, row in zip(ends, rows)
        for name in names
    }
    former = [f"{name}{end}" for end in ends for name in runs if name not in names]
    frame = frame.drop(columns=former).assign(**columns)
    frame.attrs = {**data.frame.attrs, "run_columns": names}
    return replace(data, frame=frame, run_columns=tuple(names))


def _usual_names(runs: pd.DataFrame) -> list[str]:
    """Return the columns with a usual name of replicates, if others identify the system."""
    names = [str(name) for name in runs.columns if str(name).lower() in REPLICATE_NAMES]
    return names if len(names) < len(runs.columns) else []


def warn_about_seeds(runs: pd.DataFrame) -> None:
    """Warn if runs that differ only in a seed, fold, trial or run_id are used as independent systems.

    Examples
    --------
    >>> warn_about_seeds(pd.DataFrame({"model": ["a", "b"], "seed": [1, 1]}))  # one seed each: no warning
    """
    names = _usual_names(runs)
    systems = len(systems_of(runs, names)[0]) if names else len(runs)
    if systems < len(runs):
        of = "1 system" if systems == 1 else f"{systems} systems"
        warnings.warn(
            f"{len(runs)} runs of {of} differ only in {listed(names)} but are treated as independent systems. "
            f"Use replicate={names[0] if len(names) == 1 else names!r} to average them within each query.",
            UserWarning,
            stacklevel=outside(),
        )


def averaged(
    source: Scores | Preferences, replicate: Sequence[str], *, warn: bool = True
) -> Scores | Preferences:
    """Return a cube of systems: each query's values averaged over the replicates of a system.

    A query counts for a system if every replicate of it has a value. A preference between two systems is the mean
    over all pairs of their replicates. `warn` warns if systems have different numbers of replicates, and if queries are
    left out.

    Examples
    --------
    >>> runs = pd.DataFrame({"model": ["a", "a", "b"], "seed": [1, 2, 1]})
    >>> cube = Scores(runs, pd.Index(["q"], name="query_id"), ("AP",), np.array([[[0.2, 0.4, 0.5]]]), np.array([True]))
    >>> averaged(cube, ["seed"], warn=False).values.round(3).tolist()
    [[[0.3, 0.5]]]
    """
    systems, system = systems_of(source.runs, replicate)
    size = np.bincount(system, minlength=len(systems))
    if warn and (size != size[0]).any():
        few, most = int(np.argmin(size)), int(np.argmax(size))
        names = run_labels(systems)
        warnings.warn(
            f"the number of replicates ({listed(replicate)}) differs: {names[few]!r} has {size[few]} and "
            f"{names[most]!r} has {size[most]}. Each system is averaged over its own replicates.",
            UserWarning,
            stacklevel=outside(),
        )
    attrs = {
        **source.attrs,
        "run_columns": list(map(str, systems.columns)),
        "replicate": list(replicate),
    }
    both = {"values": source.values, "machine": source.machine}
    arrays: dict[str, Any] = {name: array for name, array in both.items() if array is not None}
    if isinstance(source, Scores):
        if warn:
            warn_partial_replicates(source, systems, system, replicate)
        means = {name: group_means(values, system, len(systems)) for name, values in arrays.items()}
        return replace(source, runs=systems, attrs=attrs, **means)  # type: ignore[arg-type]
    a, b = system[source.a], system[source.b]
    different = a != b
    if not different.any():
        raise ValueError("all pairs are replicates of one system; a comparison needs two systems.")
    # one number for a pair of systems, whichever of them is run_a; `turned`: the later one is
    turned = a > b
    low, high = np.minimum(a, b)[different], np.maximum(a, b)[different]
    code, pair = np.unique(low * len(systems) + high, return_inverse=True)
    first, second = np.divmod(code, len(systems))
    # a baseline stays run_b: a pair has the direction of most of its rows
    back = np.bincount(pair, weights=np.where(turned[different], 1, -1), minlength=len(code)) > 0
    means = {}
    for name, array in arrays.items():
        mean = group_means(np.where(turned, -array, array)[..., different], pair, len(code))
        means[name] = np.where(back, -mean, mean)
    return Preferences(
        systems,
        source.queries,
        source.measures,
        np.where(back, second, first),
        np.where(back, first, second),
        attrs=attrs,
        probability=source.probability,
        **means,
    )


def warn_partial_replicates(
    source: Scores,
    systems: pd.DataFrame,
    system: np.ndarray,
    replicate: Sequence[str],
) -> None:
    """Warn if some replicates of a system have a query that others lack."""
    missing = np.isnan(source.values).all(axis=0)
    if not missing.any():
        return
    n_replicates = np.bincount(system, minlength=len(systems))
    has = np.stack([np.bincount(system, weights=row, minlength=len(systems)) for row in ~missing])
    partial = ((has > 0) & (has < n_replicates)).sum(axis=0)
    if partial.any():
        worst = int(np.argmax(partial))
        name = run_labels(systems)[worst] if len(systems.columns) else "the system"
        warnings.warn(
            f"{partial[worst]} of {len(source.queries)} queries are missing from at least one {listed(replicate)} of "
            f"{name!r}. These queries do not count for it.",
            UserWarning,
            stacklevel=outside(),
        )


def sd_over_replicates(of_runs: np.ndarray, system: np.ndarray) -> np.ndarray:
    """Return the standard deviation over the replicates of each system of one number per run, on the last axis.

    It is missing if a system has one replicate.

    Examples
    --------
    >>> sd_over_replicates(np.array([0.25, 0.75, 0.5]), np.array([0, 0, 1])).round(4).tolist()
    [0.3536, nan]
    """
    size = np.bincount(system)
    mean = group_means(of_runs, system, len(size))
    squares = group_means(np.square(of_runs - mean[..., system]), system, len(size))
    return np.sqrt(squares * size / np.where(size > 1, size - 1, np.nan))


def group_means(values: np.ndarray, code: np.ndarray, n: int) -> np.ndarray:
    """Return the mean over the entries of the last axis with each code; NaN if one of them is NaN."""
    order, size = np.argsort(code, kind="stable"), np.bincount(code, minlength=n)
    # sorted by code, the entries of a code are one stretch, which reduceat adds up
    total: np.ndarray = np.add.reduceat(values[..., order], np.cumsum(size) - size, axis=-1)
    return total / size
