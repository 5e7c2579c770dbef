"""The table of systems and measures that most papers need, from scores, preferences or a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog.directions import aggregate_of
from pdeval.evaluate.groups import named, tables_of
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held, named_by_metadata
from pdeval.report import footnotes as footnote
from pdeval.report import numbers as decimals
from pdeval.report.columns import reported
from pdeval.report.means import STATISTICS, Means, baselines_of, means
from pdeval.report.report import Cell, Column, Report
from pdeval.report.rows import (
    Best,
    Interval,
    Rows,
    arrange,
    number_cells,
    spread_names,
    with_table_columns,
)
from pdeval.report.sentences import Finding, best_places
from pdeval.report.significance_marks import Verdict, judge
from pdeval.report.systems_by_collection import (
    Average,
    CollectionTable,
    Layout,
    collections_of,
    combine,
    merged,
    pooled,
    single,
)
from pdeval.tables.labels import run_labels
from pdeval.tables.reader import Table
from pdeval.verbs import verb

Marks = Literal["auto", "letters", "daggers"]
Missing = Literal["error", "dash"]


@verb(
    on=("scores", "preferences", "summary", "judged"),
    core=True,
    command=True,
    machine=True,
    meant_by={
        "latex": "report().to_latex()",
        "to_latex": "report().to_latex()",
        "to_markdown": "report()",
    },
)
@reported()
def report(
    held: Held,
    measures: object = MEASURES,
    *,
    baseline: object = None,
    marks: Marks | None = "auto",
    comparisons: pd.DataFrame | None = None,
    test: str | None = None,
    correction: str | None = None,
    alpha: float | None = None,
    interval: Interval | None = None,
    replicate: str | Sequence[str] | None = None,
    digits: int | Mapping[str, int] = 3,
    group: str | Sequence[str] | None = None,
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    columns: Mapping[str, str] | None = None,
    known: Mapping[str, str],
    sort: str | Sequence[object] | None = None,
    best: Best | None = "table",
    arrows: bool = True,
    higher: Mapping[str, bool] | None = None,
    missing: Missing = "error",
    by: str | Sequence[str] | None = None,
    layout: Layout | None = None,
    average: Average | None = "mean",
) -> Report:
    """Return the table of systems and measures as a paper prints it.

    The best value of a measure is bold and, from three systems on, the second is underlined; values that print alike
    are marked alike. A cell is the mean over queries; of preferences, their mean over all opponents, or over the
    baseline. Of several collections, best, intervals and significance are those within each. Where a machine labelled
    more queries than people did, estimates are prediction-powered, and the footnote says how many queries each of them
    labelled, and how many people alone would have had to label for intervals as narrow.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        For runs what to compute, for a table which of its measures to show, in this order; by default all of them.
    baseline : run id, tuple of ids, or list of them, optional
        The run that daggers compare with; of several the daggers are numbered, and the correction is made for each.
    marks : {"auto", "letters", "daggers"} or None
        Letters: each system has one, and a cell names the systems that it beats significantly. Daggers: better (†) or
        worse (‡) than the baseline. "auto" is daggers with a baseline, else letters for 2 to 26 systems; of more, the
        footnote says that there are none.
    comparisons : DataFrame, optional
        The result of `compare`; by default computed from the scores with `test`, `correction` and `alpha`.
    test : str, optional
        The significance test, by its name in `compare`, whose default is the default here. With `comparisons`, which of
        their tests to show.
    correction : str, optional
        The correction for the number of comparisons, by its name in `compare`; by default Bonferroni. With
        `comparisons`, what the footnote says where they do not say it themselves.
    alpha : float, optional
        The significance level, by default 0.05; 1 - alpha is the confidence of intervals. With `comparisons`, what the
        footnote says where they do not say it themselves.
    interval : {"ci", "sd", "replicates", "none"}, optional
        Adds the confidence interval (Student t over queries), which is the default where a machine labelled too; the
        standard deviation over queries; or that of the mean over replicates, which is the default where there are
        replicates.
    replicate : str or list of str, optional
        Column(s) of the run that tell replicates of a system apart, such as the seed: a row is a system, its values
        averaged over replicates within each query, and ± says how much the mean varies between them. Or column(s) of
        `metadata`, whose other columns then name the system.
    group : str or list of str, optional
        Column(s) of the run id, of the table (merged to it, one value per run) or of `metadata`, whose values become
        titles over rows.
    metadata : DataFrame or list of them, optional
        What runs, queries or users are, one row each, with columns for `group`, `replicate` or `by`.
    columns : mapping of measure to str, optional
        Headings over neighbouring measures.
    sort : str or list, optional
        A measure (best first), "name", or all runs in order; by default as in the scores. Names are in natural order,
        run2 before run10.
    best : {"table", "group"} or None
        Where best and second are looked for.
    arrows : bool, default True
        Whether headers say if more is better.
    higher : mapping of measure to bool, optional
        Whether more is better, for measures that neither the table nor the catalog knows.
    missing : {"error", "dash"}
        What to do with a run that has no value of a measure.
    by : str or list of str, optional
        The column(s) that tell collections, or groups of queries, apart; by default those that tell the collections
        of the table apart, and of a summary those that it says.
    layout : {"columns", "rows", "groups"}, optional
        Collections as headings over measures, systems being rows; as rows, systems being columns; or as titles over
        rows of systems. By default rows where there are more collections than systems, and titles where their systems
        differ.
    average : {"mean", "rank", "both"} or None
        What follows the collections: the mean over them, each counting the same, the mean of the systems' ranks.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure(["AP", "ISL"])
    >>> three = scores[scores["run"].isin(["bm25", "ql", "hybrid"])]
    >>> print(three.ireval.report(baseline="bm25", caption="Three systems."))
    Three systems.
    <BLANKLINE>
    | System |                  AP ↑ |        ISL ↓ |
    |:-------|----------------------:|-------------:|
    | bm25   |          <u>0.324</u> | <u>2.167</u> |
    | hybrid | **0.499**<sup>†</sup> |    **2.042** |
    | ql     |                 0.303 |        2.312 |
    <BLANKLINE>
    Best in bold, second underlined. † significantly better than bm25 (paired Student t test, Bonferroni correction,
    α = 0.05). 48 queries; tied scores ordered by document id; only queries that every system answered count;
    conventions of trec_eval-10.
    """
    level = 0.05 if alpha is None else alpha
    replicates = [] if replicate is None else named(replicate, "replicate")
    attributes = tables_of(metadata)
    how: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha}
    origins: list[Origin] = []
    intervals: list[Interval | None] = []

    def table_of(
        data: Held, title: tuple[str, ...] = (), pairs: pd.DataFrame | None = comparisons
    ) -> tuple[CollectionTable, Rows]:
        """Return the table of one collection, and its rows."""
        data = named_by_metadata(data, replicates, attributes)
        table = means(
            data, measures, baseline=baseline, alpha=level, higher=higher, replicate=replicates
        )
        intervals.append(_interval(table, interval))
        _check_present(table, missing)
        run_attributes = [
            frame for frame in attributes if {*table.runs.columns} <= {*frame.columns}
        ]
        about = next(iter(run_attributes or (attributes if group is not None else ())), None)
        if isinstance(data, Table):
            about = with_table_columns(data.frame, list(table.runs.columns), group, about)
        rows = arrange(table, group=group, metadata=about, sort=sort, names=known)
        table = table.in_order(rows.order)
        verdict = judge(table, marks=marks, baseline=baseline, comparisons=pairs, **how)
        _check_keys(columns or {}, list(table.measures), "columns", "not a measure of this table")
        places = _decimals(digits, table)
        cells = placed(
            number_cells(table, rows, verdict, intervals[-1], places, best), len(origins)
        )
        origins.append(
            Origin(", ".join(title), data, table, tuple(places), baseline, about, pairs, how, known)
        )
        heads = _measure_columns(table, known, columns or {}, arrows, intervals[-1])
        return CollectionTable(
            title, *_stub(table, rows, known), heads, cells, table, verdict
        ), rows

    collections = collections_of(held, by, measures, attributes)
    if collections is None:
        table, rows = table_of(held)
        tables = [table]
        texts = list(dict.fromkeys([*_system_texts(table.means), *rows.group_texts]))
        built = replace(single(table, rows.groups), group_names=rows.group_names)
    else:
        if group is not None:
            raise ValueError(
                "group= gives titles to systems of one collection; of several, layout= says what rows are."
            )
        parts = zip(collections.data, collections.titles(known), collections.divide(comparisons))
        tables = [table_of(data, title, pairs)[0] for data, title, pairs in parts]
        places = _decimals(digits, tables[0].means)
        built, tables = combine(tables, layout, average, places, missing, collections.noun)
        texts = [
            text for table in tables for text in _system_texts(table.means)
        ] + collections.texts
        if built.groups:
            built = replace(built, group_names=(", ".join(collections.labels.columns),))
    _check_keys(known, [*tables[0].means.measures, *texts], "names", "nothing in this table")
    pool = pooled(
        [table.means for table in tables], "" if collections is None else collections.noun
    )
    verdict = merged([table.verdict for table in tables])
    cells = [row for table in tables for row in table.cells]
    first_interval = next((kind for kind in intervals if kind is not None), None)
    notes = _footnotes(pool, cells, verdict, first_interval, level, baseline, known)
    notes += footnote.of_machine([table.means.powered for table in tables])
    return replace(
        built,
        notes=(*built.notes, *notes),
        origins=tuple(origins),
        findings=tuple(_finding(table, known, _decimals(digits, table.means)) for table in tables),
    )


def _interval(table: Means, interval: Interval | None) -> Interval | None:
    """Return the interval that a table shows: the requested one, or the default of its data."""
    if table.powered is not None and interval not in ("ci", "none", None):
        raise ValueError(
            f"interval={interval!r}: with machine labels there is interval='ci', or 'none'."
        )
    if interval is not None:
        return None if interval == "none" else interval
    if table.powered is not None:
        return "ci"
    return None if np.isnan(table.varied).all() else "replicates"


def _finding(table: CollectionTable, known: Mapping[str, str], digits: Sequence[int]) -> Finding:
    """Return the significant differences of one collection, by the names that are printed."""
    means, verdict = table.means, table.verdict
    best = [
        best_places(decimals.printed(mean, places), higher)
        for mean, places, higher in zip(means.mean, digits, means.higher)
    ]
    return Finding(
        table.name,
        tuple(map(" / ".join, table.keys)),
        tuple(known.get(name, name) for name in means.measures),
        tuple(best),
        verdict.how,
        verdict.beats,
        verdict.bases,
        tuple(known.get(name, name) for name in verdict.untested),
    )


def _measure_columns(
    table: Means,
    known: Mapping[str, str],
    columns: Mapping[str, str],
    arrows: bool,
    interval: Interval | None,
) -> tuple[Column, ...]:
    return tuple(
        Column(
            name,
            known.get(name, name),
            group=columns.get(name, ""),
            higher=table.higher[i] if arrows else None,
            spread=spread_names(table, i, interval),
        )
        for i, name in enumerate(table.measures)
    )


def _decimals(digits: int | Mapping[str, int], table: Means) -> list[int]:
    """Return the decimals of each measure; a sum has none, unless a mapping says so."""
    places = decimals.per_column(digits, list(table.measures))
    if isinstance(digits, Mapping):
        return places
    return [
        0 if aggregate_of(name, table.attrs) == "sum" else n
        for name, n in zip(table.measures, places)
    ]


def _check_keys(mapping: Mapping[str, str], texts: list[str], option: str, what: str) -> None:
    unknown = [key for key in mapping if key not in texts]
    if unknown:
        raise KeyError(
            f"{option} has {unknown[0]!r}, which is {what}; there are {', '.join(texts[:20])}."
        )


def _check_present(table: Means, missing: str) -> None:
    absent = np.argwhere(np.isnan(table.mean))
    if len(absent) and missing == "error":
        measure, run = absent[0]
        raise ValueError(
            f"{len(absent)} of {table.mean.size} cells have no value, e.g. run {table.labels[run]!r} on "
            f"{table.measures[measure]!r}; measure it, leave it out, or print a dash with missing='dash'."
        )


def _stub(
    table: Means, rows: Rows, known: Mapping[str, str]
) -> tuple[tuple[Column, ...], list[list[Cell]]]:
    """Return the columns and cells that name the systems."""
    columns = [
        Column(name, known.get(name, "System" if name == "run" else name), numeric=False)
        for name in rows.stub
    ]
    labels = table.runs[list(rows.stub)].astype(str).itertuples(index=False)
    texts = [[known.get(label, label) for label in row] for row in labels]
    return tuple(columns), [[Cell(text, text) for text in row] for row in texts]


def _system_texts(table: Means) -> list[str]:
    """Return every text of the systems that a display name can replace."""
    return [
        *table.runs.columns,
        *(str(value) for name in table.runs.columns for value in table.runs[name]),
    ]


def _footnotes(
    table: Means,
    cells: list[list[Cell]],
    verdict: Verdict,
    interval: Interval | None,
    alpha: float,
    baseline: object,
    known: Mapping[str, str],
) -> list[str]:
    notes = [table.about] if table.about else []
    notes += footnote.emphasis(cells)
    if verdict.kind:
        marked = "".join(mark for row in verdict.marks for mark in row)
        bases = table.runs.iloc[baselines_of(table.runs, baseline)]
        against = [
            " / ".join(known.get(str(part), str(part)) for part in row)
            for row in bases.itertuples(index=False)
        ]
        notes.append(
            footnote.meaning(verdict.kind, marked, against)
            + (f" ({verdict.how})." if verdict.how else ".")
        )
    if verdict.unmarked:
        notes.append(verdict.unmarked)
    if verdict.untested:
        untested = ", ".join(known.get(name, name) for name in verdict.untested)
        notes.append(f"{untested}: not tested, has infinite values.")
    notes += footnote.interval(interval, table.attrs, None if table.source is None else 1 - alpha)
    return [*notes, *footnote.basis(table.n, table.attrs, table.measures)]


@dataclass(frozen=True, eq=False)
class Origin:
    """One collection of a report: its join or table, and how its numbers were made.

    Parameters
    ----------
    title : str
        The name of the collection; empty where there is one.
    held : Held
        The join or the table.
    table : Means
        Systems in the order of print, with the values that significance is computed from.
    digits : tuple of int
        The decimals of each measure.
    baseline, metadata, comparisons, how, names
        What `report` was given; `how` are test, correction and alpha.
    """

    title: str
    held: Any = field(repr=False)
    table: Means = field(repr=False)
    digits: tuple[int, ...]
    baseline: object = None
    metadata: pd.DataFrame | None = None
    comparisons: pd.DataFrame | None = None
    how: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def systems(self) -> list[str]:
        """The systems as they are printed, each by all of its columns."""
        rows = self.table.runs.itertuples(index=False, name=None)
        return [" / ".join(map(self.display_name, row)) for row in rows]

    @property
    def baselines(self) -> list[int]:
        """The places of the baselines."""
        return baselines_of(self.table.runs, self.baseline)

    def display_name(self, value: object) -> str:
        """Return the display name of a value."""
        return self.names.get(str(value), str(value))

    def about(self) -> pd.DataFrame:
        """Return what is known of each system: the columns of its id where there are several, and its metadata.

        Of a table those columns count as well that were merged to it, with one value per run.
        """
        runs = self.table.runs
        names = list(runs.columns)
        known = runs.astype(object) if len(names) > 1 else runs.iloc[:, :0]
        given = self.metadata
        if isinstance(self.held, Table):
            given = _with_constant_columns(self.held, names, given)
        if given is None or not set(names) <= set(given.columns):
            return known
        first = given[~given.duplicated(names)].reset_index(drop=True)
        place = pd.Index(run_labels(first[names])).get_indexer(pd.Index(run_labels(runs)))
        # a column that differs between replicates is about none of their systems
        varies = given.groupby(names, observed=True).nunique(dropna=False).gt(1).any()
        extra = [name for name in given.columns if name not in names and not varies[name]]
        # runs without metadata (place -1) have missing values
        return pd.concat(
            [known.reset_index(drop=True), first[extra].reindex(place).reset_index(drop=True)],
            axis=1,
        )


def _with_constant_columns(
    held: Table, runs: list[str], metadata: pd.DataFrame | None
) -> pd.DataFrame | None:
    """Return the metadata with those columns of a table of results that have one value per run."""
    frame = held.frame
    if not set(runs) <= set(frame.columns):  # a table of pairs, whose columns are about two runs
        return metadata
    by_run = frame.groupby(runs, observed=True, sort=False)
    columns = [
        name
        for name in frame.columns
        if name not in (*runs, *held.roles.values(), *STATISTICS)
        and not pd.api.types.is_float_dtype(frame[name].dtype)
        and (by_run[name].nunique(dropna=False) == 1).all()
    ]
    return with_table_columns(frame, runs, columns, metadata)


def placed(cells: Sequence[Sequence[Cell]], origin: int) -> list[list[Cell]]:
    """Return the number cells of one collection, system by system, each knowing where it comes from.

    Examples
    --------
    >>> placed([[Cell(0.5, "0.5"), Cell(0.2, "0.2")]], 0)[0][1].place
    (0, 1, 0)
    """
    return [
        [replace(cell, place=(origin, measure, system)) for measure, cell in enumerate(row)]
        for system, row in enumerate(cells)
    ]
