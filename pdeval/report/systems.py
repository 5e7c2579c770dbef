"""The table of systems and measures that most papers need, from scores, preferences or a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from pdeval.catalog.directions import aggregate_of
from pdeval.evaluate.groups import named, tables_of
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held, named_by_metadata
from pdeval.report import footnotes as footnote
from pdeval.report import numbers as decimals
from pdeval.report.means import Means, baselines_of, means
from pdeval.report.origins import Origin, placed
from pdeval.report.report import Cell, Column, Report
from pdeval.report.rows import Best, Interval, Rows, arrange, number_cells, own_metadata, spread_names
from pdeval.report.sentences import Finding, best_places
from pdeval.report.significance_marks import Verdict, judge
from pdeval.report.systems_by_collection import (
    Average,
    Layout,
    One,
    alone,
    layout_of,
    merged,
    parts_of,
    pooled,
    together,
)
from pdeval.tables.reader import Table
from pdeval.verbs import verb

Marks = Literal["auto", "letters", "daggers"]
Missing = Literal["error", "dash"]


@verb(
    on=("scores", "preferences", "summary", "judged"),
    core=True,
    command=True,
    machine=True,
    meant_by={"latex": "report().to_latex()", "to_latex": "report().to_latex()", "to_markdown": "report()"},
)
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
    names: Mapping[str, str] | None = None,
    sort: str | Sequence[object] | None = None,
    best: Best | None = "table",
    arrows: bool = True,
    higher: Mapping[str, bool] | None = None,
    missing: Missing = "error",
    by: str | Sequence[str] | None = None,
    layout: Layout | None = None,
    average: Average | None = "mean",
    caption: str | None = None,
    label: str | None = None,
    notes: str | Sequence[str] | None = None,
    footnotes: bool = True,
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
    _check_choices(
        marks=(marks, Marks),
        interval=(interval, Interval),
        best=(best, Best),
        missing=(missing, Missing),
        layout=(layout, Layout),
        average=(average, Average),
    )
    level = _check_alpha(0.05 if alpha is None else alpha)
    names = {str(key): str(value) for key, value in (names or {}).items()}
    averaged = () if replicate is None else named(replicate, "replicate")
    shown_interval = None if interval == "none" else interval
    origins: list[Origin] = []
    every = tables_of(metadata)

    def one(held: Held, title: tuple[str, ...] = (), own: pd.DataFrame | None = comparisons) -> tuple[One, Rows]:
        """Return the table of one collection."""
        nonlocal shown_interval
        held = named_by_metadata(held, averaged, every)
        table = means(held, measures, baseline=baseline, alpha=level, higher=higher, replicate=averaged)
        if interval is None and not np.isnan(table.varied).all():
            shown_interval = "replicates"
        if table.powered is not None:
            if interval not in ("ci", "none", None):
                raise ValueError(f"interval={interval!r}: with machine labels there is interval='ci', or 'none'.")
            shown_interval = "ci" if interval is None else shown_interval
        _check_present(table, missing)
        of_runs = [one for one in every if {*table.runs.columns} <= {*one.columns}]
        about = next(iter(of_runs or (every if group is not None else ())), None)
        if isinstance(held, Table):
            about = own_metadata(held.frame, list(table.runs.columns), group, about)
        rows = arrange(table, group=group, metadata=about, sort=sort, names=names)
        table = table.in_order(rows.order)
        how: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha}
        verdict = judge(table, marks=marks, baseline=baseline, comparisons=own, **how)
        stub, left = _stub(table, rows, names)
        _check_keys(columns or {}, list(table.measures), "columns", "not a measure of this table")
        heads = _heads(table, names, columns or {}, arrows, shown_interval)
        places = _decimals(digits, table)
        right = placed(number_cells(table, rows, verdict, shown_interval, places, best), len(origins))
        origins.append(Origin(", ".join(title), held, table, tuple(places), baseline, about, own, how, names))
        return One(title, tuple(stub), left, heads, right, table, verdict), rows

    parts = parts_of(held, by, measures, every)
    if parts is None:
        found, rows = one(held)
        ones, texts, group_names = [found], _stub_texts(found.table, rows), rows.group_names
        whole = alone(found, rows.groups)
    else:
        if group is not None:
            raise ValueError(
                "group= gives titles to systems of one collection; of several, layout= says what rows are."
            )
        each = zip(parts.held, parts.titles(names), parts.of_comparisons(comparisons))
        ones = [one(part, title, own)[0] for part, title, own in each]
        shown = layout_of(ones, layout)
        whole, ones = together(ones, shown, average, _decimals(digits, ones[0].table), missing, parts.what)
        texts = [text for found in ones for text in _system_texts(found.table)] + parts.texts
        group_names = (", ".join(parts.labels.columns),) if whole.groups else ()
    _check_keys(names, [*ones[0].table.measures, *texts], "names", "nothing in this table")
    said: list[str] = []
    if footnotes:
        right = [row for found in ones for row in found.right]
        table = pooled([found.table for found in ones], "" if parts is None else parts.what)
        verdict = merged([found.verdict for found in ones])
        said = [*whole.said, *_footnotes(table, right, verdict, shown_interval, level, baseline, names)]
        said += footnote.of_machine([found.table.powered for found in ones])
    return Report(
        columns=whole.columns,
        rows=whole.rows,
        groups=whole.groups,
        group_names=group_names,
        caption=caption,
        label=label,
        notes=(*said, *([notes] if isinstance(notes, str) else notes or ())),
        origins=tuple(origins),
        findings=tuple(_finding(found, names, _decimals(digits, found.table)) for found in ones),
    )


def _finding(one: One, names: Mapping[str, str], digits: Sequence[int]) -> Finding:
    """What was found in one collection, by the names that are printed."""
    printed = [decimals.printed(mean, places) for mean, places in zip(one.table.mean, digits)]
    best = [best_places(values, higher) for values, higher in zip(printed, one.table.higher)]
    measures = tuple(names.get(name, name) for name in one.table.measures)
    untested = tuple(names.get(name, name) for name in one.verdict.untested)
    tested = one.verdict
    systems = tuple(map(" / ".join, one.keys))
    return Finding(one.text, systems, measures, tuple(best), tested.how, tested.beats, tested.bases, untested)


def _heads(
    table: Means, names: Mapping[str, str], columns: Mapping[str, str], arrows: bool, interval: Interval | None
) -> tuple[Column, ...]:
    """The columns of the measures."""
    return tuple(
        Column(
            name,
            names.get(name, name),
            group=columns.get(name, ""),
            higher=table.higher[i] if arrows else None,
            spread=spread_names(table, i, interval),
        )
        for i, name in enumerate(table.measures)
    )


def _decimals(digits: int | Mapping[str, int], table: Means) -> list[int]:
    """The decimals of each measure; a sum has none, unless they are asked for by name."""
    shown = decimals.per_column(digits, list(table.measures))
    if isinstance(digits, Mapping):
        return shown
    return [0 if aggregate_of(m, table.attrs) == "sum" else n for m, n in zip(table.measures, shown)]


def _check_choices(**options: tuple[object, Any]) -> None:
    for name, (value, choices) in options.items():
        if value not in get_args(choices) and not (value is None and name != "missing"):
            offered = ", ".join(map(repr, get_args(choices)))
            raise ValueError(f"{name}={value!r}: choose one of {offered}{'' if name == 'missing' else ' or None'}.")


def _check_alpha(alpha: float) -> float:
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float, np.number)) or not 0 < alpha < 1:  # type: ignore[redundant-expr]
        raise ValueError(f"alpha={alpha!r}: the significance level is a number between 0 and 1, e.g. 0.05.")
    return float(alpha)


def _check_keys(given: Mapping[str, str], known: list[str], option: str, what: str) -> None:
    unknown = [key for key in given if key not in known]
    if unknown:
        raise KeyError(f"{option} has {unknown[0]!r}, which is {what}; there are {', '.join(known[:20])}.")


def _check_present(table: Means, missing: str) -> None:
    absent = np.argwhere(np.isnan(table.mean))
    if len(absent) and missing == "error":
        measure, run = absent[0]
        raise ValueError(
            f"{len(absent)} of {table.mean.size} cells have no value, e.g. run {table.labels[run]!r} on "
            f"{table.measures[measure]!r}; measure it, leave it out, or print a dash with missing='dash'."
        )


def _stub(table: Means, rows: Rows, names: Mapping[str, str]) -> tuple[list[Column], list[list[Cell]]]:
    """The columns that name a system."""
    columns = [Column(name, names.get(name, "System" if name == "run" else name), numeric=False) for name in rows.stub]
    cells = []
    for row in table.runs[list(rows.stub)].itertuples(index=False):
        texts = [names.get(str(value), str(value)) for value in row]
        cells.append([Cell(text, text) for text in texts])
    return columns, cells


def _system_texts(table: Means) -> list[str]:
    return [*table.runs.columns, *(str(value) for name in table.runs.columns for value in table.runs[name])]


def _stub_texts(table: Means, rows: Rows) -> list[str]:
    """Every text beside the measures that a display name can replace."""
    return list(dict.fromkeys([*_system_texts(table), *rows.group_texts]))


def _footnotes(
    table: Means,
    cells: list[list[Cell]],
    verdict: Verdict,
    interval: str | None,
    alpha: float,
    baseline: object,
    names: Mapping[str, str],
) -> list[str]:
    said = [table.about] if table.about else []
    used = {cell.emphasis for row in cells for cell in row}
    said += footnote.emphasis(used)
    if verdict.kind:
        marked = "".join(mark for row in verdict.marks for mark in row)
        against = _baselines(table, baseline, names)
        said.append(footnote.meaning(verdict.kind, marked, against) + (f" ({verdict.how})." if verdict.how else "."))
    if verdict.unmarked:
        said.append(verdict.unmarked)
    if verdict.untested:
        said.append(
            f"{', '.join(names.get(name, name) for name in verdict.untested)}: not tested, has infinite values."
        )
    if interval == "sd":
        said.append(f"± the standard deviation over {footnote.words(table.attrs).queries}.")
    elif interval == "replicates":
        said.append(footnote.over_replicates(table.attrs))
    elif interval == "ci" and table.source is None:
        said.append("In brackets the confidence interval of the mean.")
    elif interval == "ci":
        level = decimals.share(100 * (1 - alpha))
        said.append(f"In brackets the {level}% confidence interval of the mean (Student t).")
    return [*said, *footnote.basis(table.n, table.attrs, table.measures)]


def _baselines(table: Means, baseline: object, names: Mapping[str, str]) -> list[str]:
    """The baselines as they are printed."""
    rows = [table.runs.iloc[place] for place in baselines_of(table.runs, baseline)]
    return [" / ".join(names.get(str(part), str(part)) for part in row) for row in rows]
