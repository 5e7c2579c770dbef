"""The table of systems and measures that most papers need, from scores, preferences or a summary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import aggregate_of
from pdeval.evaluate import (
    MEASURES,
    ScoresLike,
    baselines_of,
    named_by_metadata,
    option_columns,
    place_of,
    tables_of,
)
from pdeval.report import footnotes as footnote
from pdeval.report import numbers as decimals
from pdeval.report.columns import (
    Part,
    column_names,
    columns_and_rows,
    numbers,
    reported,
    run_texts,
)
from pdeval.report.means import STATISTICS, Means, find_measure, means
from pdeval.report.report import Cell, Group, Report
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
from pdeval.tables import (
    SCHEMAS,
    Table,
    kind_of,
    listed,
    matched_rows,
    natural,
    natural_places,
    read,
    read_texts,
    run_labels,
)
from pdeval.verbs import verb

Marks = Literal["auto", "letters", "daggers"]
Missing = Literal["error", "dash"]
Interval = Literal["ci", "sd", "replicates", "none"]
Best = Literal["table", "group"]


@verb(
    on=("scores", "preferences", "summary", "judged"),
    needs="judged",  # the page shows documents that are judged and not relevant
    core=True,
    command=True,
    machine=True,
    other_names={
        "latex": "report().to_latex()",
        "to_latex": "report().to_latex()",
        "to_markdown": "report()",
    },
)
@reported()
def report(
    data: ScoresLike,
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
    texts: object = None,
    answers: pd.DataFrame | None = None,
) -> Report:
    """Return the table of systems and measures as a paper prints it.

    The best value of a measure is bold and, if there are at least three systems, the second is underlined; values that
    print equally are marked equally. A cell is the mean over queries; for preferences, the mean over all opponents, or
    over the baseline. With several collections, best values, intervals and significance are those within each. With
    machine labels, estimates are prediction-powered, and a footnote gives the numbers of queries with human and machine
    labels and the effective sample size.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        Measures and preferences to compute from runs; for a table, its measures to show, in this order. By default
        all.
    baseline : run id, tuple of ids, or list of them, optional
        Run that daggers compare with. The daggers of several runs are numbered, and the correction is made for each.
    marks : {"auto", "letters", "daggers"} or None
        Letters: each system has one, and a cell lists the systems that it is significantly better than. Daggers:
        significantly better (†) or worse (‡) than the baseline. "auto" is daggers with a baseline, otherwise letters
        for 2 to 26 systems; a footnote states that more systems are not marked.
    comparisons : DataFrame, optional
        Result of `compare`; by default computed from the scores with `test`, `correction` and `alpha`.
    test : str, optional
        Name of the significance test in `compare`, with the same default. With `comparisons`, the test to select.
    correction : str, optional
        Name of the correction for multiple comparisons in `compare`; by default 'auto'. With `comparisons`, the
        correction in the footnote if they do not record it.
    alpha : float, optional
        Significance level, by default 0.05; 1 - alpha is the confidence level of intervals. With `comparisons`, the
        level in the footnote if they do not record it.
    interval : {"ci", "sd", "replicates", "none"}, optional
        Spread after each mean: the confidence interval (Student t over queries), the default with machine labels; the
        standard deviation over queries; or the standard deviation of the mean over replicates, the default with
        replicates.
    replicate : str or list of str, optional
        Run column(s) that distinguish replicates of a system, such as the seed. A row is a system, its values are
        averaged over replicates within each query, and ± is the standard deviation of the mean over replicates. Or
        column(s) of `metadata`, whose other columns then identify the system.
    group : str or list of str, optional
        Column(s) of the run id, of the table (one value per run) or of `metadata`, whose values become titles above
        rows.
    metadata : DataFrame or list of them, optional
        Table(s) with one row per run, query or user, with columns for `group`, `replicate` or `by`.
    columns : mapping of measure to str, optional
        Headings above neighboring measures.
    sort : str or list, optional
        Order of the rows: a measure (best first), "name" (natural order, run2 before run10), or a list of all runs; by
        default as in the scores.
    best : {"table", "group"} or None
        Rows among which best and second are marked.
    arrows : bool, default True
        Whether headers have an arrow for the direction of the measure.
    higher : mapping of measure to bool, optional
        Whether higher is better, for measures that are known neither to the table nor to the catalog.
    missing : {"error", "dash"}
        Whether a run without a value of a measure raises or is printed as a dash.
    by : str or list of str, optional
        Column(s) that identify collections or groups of queries; by default those recorded in the table.
    layout : {"columns", "rows", "groups"}, optional
        Collections as headings above measures, with systems in rows; as rows, with systems in columns; or as titles
        above rows of systems. By default rows if there are more collections than systems, and titles if their systems
        differ.
    average : {"mean", "rank", "both"} or None
        Columns after the collections: the unweighted mean over them, the mean rank of the systems, or both.
    answers : DataFrame, optional
        Table of the systems' answers, with the labels that their scores were computed from. On the interactive page, a
        query then opens the rows of two answers.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure(["AP", "ISL"])
    >>> three = scores[scores["run"].isin(["bm25", "ql", "hybrid"])]
    >>> print(three.ireval.report(baseline="bm25", caption="Three systems."))
    Three systems.
    <BLANKLINE>
    System     AP ↑   ISL ↓
    -----------------------
    bm25    _0.324   _2.167
    hybrid  *0.499†  *2.042
    ql       0.303    2.312
    <BLANKLINE>
    Best with *, second with _. † significantly better than bm25 (paired Student t
    test, max-t correction of 2 comparisons per measure, α = 0.05). 48 queries; tied
    scores ordered by document id; only queries that every system answered count;
    conventions of trec_eval-10.
    """
    level = 0.05 if alpha is None else alpha
    replicates = [] if replicate is None else option_columns(replicate, "replicate")
    attributes = tables_of(metadata)
    # errors are raised here, not when a page is made
    shown_texts = read_texts(texts)
    shown_answers = None if answers is None else _answer_table(answers)
    how: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha}
    origins: list[Origin] = []
    intervals: list[Interval | None] = []

    def table_of(
        part: ScoresLike, title: tuple[str, ...] = (), pairs: pd.DataFrame | None = comparisons
    ) -> tuple[CollectionTable, Rows]:
        """Return the table of one collection, and its rows."""
        part = named_by_metadata(part, replicates, attributes)
        table = means(
            part, measures, baseline=baseline, alpha=level, higher=higher, replicate=replicates
        )
        intervals.append(_interval(table, interval))
        absent = np.argwhere(np.isnan(table.mean))
        if len(absent) and missing == "error":
            i, run = absent[0]
            raise ValueError(
                f"{len(absent)} of {table.mean.size} cells have no value, e.g. run {run_labels(table.runs)[run]!r} on "
                f"{table.measures[i]!r}. Measure it, drop it, or print a dash with missing='dash'."
            )
        run_attributes = [
            frame for frame in attributes if {*table.runs.columns} <= {*frame.columns}
        ]
        about = next(iter(run_attributes or (attributes if group is not None else ())), None)
        if isinstance(part, Table):
            about = with_table_columns(part.frame, list(table.runs.columns), group, about)
        rows = arrange(table, group=group, metadata=about, sort=sort, names=known)
        table = table.in_order(rows.order)
        verdict = judge(table, marks=marks, baseline=baseline, comparisons=pairs, **how)
        _check_keys(columns or {}, list(table.measures), "columns", "not a measure of this table")
        places = _decimals(digits, table)
        heads, number_rows = columns_and_rows(
            _measure_parts(
                table, rows, verdict, intervals[-1], places, best, known, columns or {}, arrows
            )
        )
        cells = [
            [replace(cell, place=(len(origins), i, system)) for i, cell in enumerate(row)]
            for system, row in enumerate(number_rows)
        ]
        query = str(table.attrs.get("query_column", ""))
        run_columns = set(table.runs.columns)
        of_queries = [
            one for one in attributes if query in one.columns and not run_columns & set(one.columns)
        ]
        origins.append(
            Origin(
                ", ".join(title),
                part,
                table,
                tuple(places),
                baseline,
                about,
                pairs,
                how,
                known,
                shown_texts,
                next(iter(of_queries), None),
                shown_answers,
            )
        )
        stub, systems = columns_and_rows(run_texts(table.runs[list(rows.stub)], known))
        return CollectionTable(title, stub, systems, heads, cells, table, verdict), rows

    collections = collections_of(data, by, measures, attributes)
    if collections is None:
        table, rows = table_of(data)
        tables = [table]
        labels_shown = list(rows.group_texts)
        built = replace(single(table, rows.groups), group_names=rows.group_names)
    else:
        if group is not None:
            raise ValueError(
                "group= requires one collection. Use layout= to arrange the systems of several collections."
            )
        labels = collections.labels.astype(str).itertuples(index=False, name=None)
        titles = (tuple(known.get(text, text) for text in row) for row in labels)
        parts = zip(collections.data, titles, collections.divide(comparisons))
        tables = [table_of(part, title, pairs)[0] for part, title, pairs in parts]
        places = _decimals(digits, tables[0].means)
        built, tables = combine(tables, layout, average, places, missing, collections.noun)
        labels_shown = _texts_of(collections.labels)
        if built.groups:
            built = replace(built, group_names=(", ".join(collections.labels.columns),))
    run_labels_shown = [text for table in tables for text in _texts_of(table.means.runs)]
    labels_shown = list(
        dict.fromkeys([*tables[0].means.measures, *run_labels_shown, *labels_shown])
    )
    _check_keys(known, labels_shown, "names", "not in this table")
    pool = pooled(
        [table.means for table in tables], "" if collections is None else collections.noun
    )
    verdict = merged([table.verdict for table in tables])
    cells = [row for table in tables for row in table.cells]
    first_interval = next((kind for kind in intervals if kind is not None), None)
    return replace(
        built,
        notes=(
            *built.notes,
            *_footnotes(pool, cells, verdict, first_interval, level, baseline, known),
            *footnote.of_machine([table.means.powered for table in tables]),
        ),
        origins=tuple(origins),
        findings=tuple(_finding(table, known, _decimals(digits, table.means)) for table in tables),
    )


class Rows(NamedTuple):
    """`order` are the runs in printed order; `stub` are the columns that identify a run, without group columns.

    `group_texts` are the group columns and values before display names.
    """

    order: np.ndarray
    stub: tuple[str, ...]
    groups: tuple[Group, ...] = ()
    group_names: tuple[str, ...] = ()
    group_texts: tuple[str, ...] = ()


def arrange(
    table: Means,
    *,
    group: str | Sequence[str] | None,
    metadata: pd.DataFrame | None,
    sort: str | Sequence[object] | None,
    names: Mapping[str, str],
) -> Rows:
    """Return the rows: groups in the order in which they appear, runs within them sorted by `sort`.

    Examples
    --------
    >>> runs = pd.DataFrame({"model": ["lm", "lm", "bm25"], "seed": [2, 1, 1]})
    >>> zero = np.zeros((1, 3))
    >>> table = Means(runs, ("AP",), np.array([[0.1, 0.3, 0.2]]), zero, zero, zero, zero, zero, (True,))
    >>> rows = arrange(table, group="model", metadata=None, sort="AP", names={})
    >>> rows.order.tolist(), [(g.title, g.size) for g in rows.groups], rows.stub
    ([1, 0, 2], [('lm', 2), ('bm25', 1)], ('seed',))
    """
    order = _sorted(table, sort, names)
    if group is None:
        return Rows(order, tuple(table.runs.columns))
    group_columns = column_names(group)
    values = _group_values(table.runs, group_columns, metadata)
    # groups are numbered as they appear in the natural order of the runs
    natural_order = natural_places(list(table.runs.itertuples(index=False, name=None)))
    number = {
        value: i for i, value in enumerate(dict.fromkeys(values[run] for run in natural_order))
    }
    code = np.array([number[value] for value in values])
    titles = [tuple(names.get(text, text) for text in value) for value in number]
    sizes = np.bincount(code).tolist()
    groups = [Group(", ".join(title), size, title) for title, size in zip(titles, sizes)]
    stub = tuple(name for name in table.runs.columns if name not in group_columns)
    if not stub:
        raise ValueError(
            f"the rows are grouped by {', '.join(group_columns)}, so no column identifies a run. "
            "Group by fewer columns."
        )
    return Rows(
        order=order[np.argsort(code[order], kind="stable")],
        stub=stub,
        groups=tuple(groups),
        group_names=tuple(names.get(name, name) for name in group_columns),
        group_texts=(*group_columns, *(text for value in number for text in value)),
    )


def _sorted(
    table: Means, sort: str | Sequence[object] | None, names: Mapping[str, str]
) -> np.ndarray:
    """Return the runs in the order of print, before they are grouped."""
    n_runs = len(table.runs)
    if sort is None:
        return np.array(natural_places(list(table.runs.itertuples(index=False, name=None))))
    if not isinstance(sort, str):
        order = [place_of(table.runs, run) for run in sort]
        if sorted(order) != list(range(n_runs)):
            left_out = [text for i, text in enumerate(run_labels(table.runs)) if i not in order]
            fault = f"lacks {left_out[0]!r}" if left_out else "has a run twice"
            raise ValueError(
                f"sort= as a list must contain each of the {n_runs} runs once; it {fault}."
            )
        return np.array(order)
    if sort == "name":
        labels = [
            [natural(names.get(str(value), str(value))) for value in row]
            for row in list(table.runs.itertuples(index=False, name=None))
        ]
        return np.array(sorted(range(n_runs), key=labels.__getitem__))
    measure = find_measure(sort, table.measures, "sort: no measure", also=("name",))
    value = table.mean[measure]
    return np.argsort(-value if table.higher[measure] else value, kind="stable")


def with_table_columns(
    frame: pd.DataFrame,
    runs: Sequence[str],
    group: str | Sequence[str] | None,
    metadata: pd.DataFrame | None,
) -> pd.DataFrame | None:
    """Return the metadata with those columns to group by that the table itself has, one row per run.

    Examples
    --------
    >>> scores = pd.DataFrame({"run": ["a", "a", "b"], "family": ["dense", "dense", "lexical"], "value": [1, 2, 3]})
    >>> with_table_columns(scores, ["run"], "family", None).values.tolist()
    [['a', 'dense'], ['b', 'lexical']]
    """
    known = () if metadata is None else metadata.columns
    columns = [
        name
        for name in column_names(group)
        if name in frame.columns and name not in runs and name not in known
    ]
    if not columns or not runs:
        return metadata
    runs = list(runs)
    values = frame[[*runs, *columns]].drop_duplicates().reset_index(drop=True)
    values.attrs = {}
    for name in columns:
        of_run = values[name].groupby(run_labels(values[runs]), sort=False).unique()
        varied = of_run[of_run.map(len) > 1]
        if len(varied):
            examples = ", ".join(repr(str(value)) for value in varied.iloc[0][:2])
            run = varied.index[0]
            raise ValueError(
                f"group={name!r} must be the same in all rows of a run; run {run!r} has {examples}. "
                "To group by a column of queries, use by=."
            )
    if metadata is None:
        return values
    place = pd.Index(run_labels(values[runs])).get_indexer(pd.Index(run_labels(metadata[runs])))
    present = place >= 0
    added = values[columns].iloc[place[present]].reset_index(drop=True)
    return pd.concat([metadata[present].reset_index(drop=True), added], axis=1)


def _group_values(
    runs: pd.DataFrame, group_columns: Sequence[str], metadata: pd.DataFrame | None
) -> list[tuple[str, ...]]:
    """Return the values of the group columns, from the ids of the runs or from the metadata, as strings."""
    known, hint = runs, " Add columns with metadata=, or merge them to the table."
    if metadata is not None:
        hint = ""
        run_columns = list(runs.columns)
        if absent := [name for name in run_columns if name not in metadata.columns]:
            raise ValueError(
                f"the metadata have no column {absent[0]!r} to join the runs on; "
                f"they have {', '.join(map(str, metadata.columns))}."
            )
        extra = [name for name in metadata if name in group_columns and name not in run_columns]
        about = metadata[[*run_columns, *extra]].drop_duplicates()
        row = matched_rows(
            runs.astype(str), about.astype(dict.fromkeys(run_columns, str)), run_columns
        )
        known = runs.join(about[extra].iloc[row].reset_index(drop=True))
    for name in group_columns:
        if name not in known.columns:
            columns = dict.fromkeys([*runs, *(() if metadata is None else metadata)])
            raise KeyError(
                f"no column {name!r} to group by; there are {', '.join(map(str, columns))}.{hint}"
            )
        if known[name].isna().any():
            run = run_labels(runs[known[name].isna()])[0]
            raise ValueError(
                f"the metadata column {name!r} is missing for run {run!r}. Fill it in."
            )
    return [tuple(map(str, row)) for row in known[list(group_columns)].itertuples(index=False)]


def _measure_parts(
    table: Means,
    rows: Rows,
    verdict: Verdict,
    interval: Interval | None,
    digits: Sequence[int],
    best: Best | None,
    known: Mapping[str, str],
    columns: Mapping[str, str],
    arrows: bool,
) -> list[Part]:
    """Return the column and the cells of each measure, with best and second marked as they print."""
    spread = {
        None: {},
        "sd": {"sd": table.sd},
        "replicates": {"sd_replicates": table.sd_replicates},
        "ci": {"ci_low": table.ci_low, "ci_high": table.ci_high},
    }[interval]
    if interval is not None and np.isnan(list(spread.values())).all():
        queries = footnote.words(table.attrs).queries
        fault = (
            "has no values: the summary has no such column."
            if table.source is None
            else f"needs at least two {queries} per run; there is a run with {table.n.min()}."
        )
        if interval == "replicates":
            fault = (
                "needs a system with two replicates. Specify the column that distinguishes them, "
                "e.g. replicate='seed'."
            )
        raise ValueError(f"interval={interval!r} {fault}")
    # best and second are those of the table, or of each group
    ends = np.cumsum([group.size for group in rows.groups] if best == "group" else [])
    parts = []
    for i, name in enumerate(table.measures):
        printed = np.split(decimals.printed(table.mean[i], digits[i]), ends[:-1])
        emphasis = [word for part in printed for word in decimals.emphases(part, table.higher[i])]
        column, cells = numbers(
            name,
            known.get(name, name),
            table.mean[i],
            digits[i],
            group=columns.get(name, ""),
            emphasis=None if best is None else emphasis,
            marks=[marks[i] for marks in verdict.marks],
            spread={
                end: values[i] for end, values in spread.items() if not np.isnan(values[i]).all()
            },
        )
        if interval == "replicates":  # one replicate has no spread
            cells = [
                replace(cell, spread=(), spread_text=()) if np.isnan(cell.spread).all() else cell
                for cell in cells
            ]
        parts.append((replace(column, higher=table.higher[i] if arrows else None), cells))
    return parts


def _interval(table: Means, interval: Interval | None) -> Interval | None:
    """Return the interval that a table shows: the requested one, or the default of its data."""
    if table.powered is not None and interval not in ("ci", "none", None):
        raise ValueError(
            f"interval={interval!r}: machine labels support only interval='ci' and 'none'."
        )
    default: Interval = "none" if np.isnan(table.sd_replicates).all() else "replicates"
    chosen = interval or (default if table.powered is None else "ci")
    return None if chosen == "none" else chosen


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


def _decimals(digits: int | Mapping[str, int], table: Means) -> list[int]:
    """Return the number of decimals of each measure; 0 for sums, unless `digits` is a mapping."""
    places = decimals.per_column(digits, list(table.measures))
    if isinstance(digits, Mapping):
        return places
    return [
        0 if aggregate_of(name, table.attrs) == "sum" else n
        for name, n in zip(table.measures, places)
    ]


def _check_keys(mapping: Mapping[str, str], texts: list[str], option: str, what: str) -> None:
    if unknown := [key for key in mapping if key not in texts]:
        raise KeyError(
            f"{option} has {unknown[0]!r}, which is {what}; known are {', '.join(texts[:20])}."
        )


def _texts_of(labels: pd.DataFrame) -> list[str]:
    """Return every string of some labels that a display name can replace."""
    return [*labels.columns, *labels.astype(str).to_numpy().ravel()]


def _footnotes(
    table: Means,
    cells: list[list[Cell]],
    verdict: Verdict,
    interval: Interval | None,
    alpha: float,
    baseline: object,
    known: Mapping[str, str],
) -> list[str]:
    notes = [*([table.about] if table.about else []), *footnote.emphasis(cells)]
    if verdict.kind:
        marked = "".join(mark for row in verdict.marks for mark in row)
        bases = table.runs.iloc[[] if baseline is None else baselines_of(table.runs, baseline)]
        against = [
            " / ".join(known.get(str(part), str(part)) for part in row)
            for row in bases.itertuples(index=False)
        ]
        notes.append(
            footnote.meaning(verdict.kind, marked, against)
            + (f" ({verdict.how})." if verdict.how else ".")
        )
    notes += [verdict.unmarked] if verdict.unmarked else []
    if verdict.untested:
        untested = ", ".join(known.get(name, name) for name in verdict.untested)
        notes.append(f"{untested}: not tested, has infinite values.")
    notes += footnote.interval(interval, table.attrs, None if table.source is None else 1 - alpha)
    return [*notes, *footnote.basis(table.n, table.attrs, table.measures)]


def _answer_table(frame: pd.DataFrame) -> Table:
    """Return a table of answers, with its roles; raise if it is no such table."""
    kinds = {name: schema for name, schema in SCHEMAS.items() if schema.labels}
    kind = kind_of(frame, among=kinds)
    if kind is None:
        raise ValueError(
            f"answers= has the columns {listed(frame.columns)}. Expected "
            f"{' or '.join(schema.article for schema in kinds.values())}."
        )
    return read(frame, kind)


@dataclass(frozen=True, eq=False)
class Origin:
    """One collection of a report: its join or table, and how its numbers were made.

    Parameters
    ----------
    title : str
        Name of the collection; empty if there is only one.
    data : ScoresLike
        Join or table of the collection.
    table : Means
        Systems in the order of print, with the values that significance is computed from.
    digits : tuple of int
        The decimals of each measure.
    baseline, metadata, comparisons, how, names, texts, answers
        Arguments of `report`; `how` are test, correction and alpha.
    query_metadata : DataFrame, optional
        The first table of the metadata with a row per query.
    """

    title: str
    data: Any = field(repr=False)
    table: Means = field(repr=False)
    digits: tuple[int, ...]
    baseline: object = None
    metadata: pd.DataFrame | None = None
    comparisons: pd.DataFrame | None = None
    how: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    texts: object = field(default=None, repr=False)
    query_metadata: pd.DataFrame | None = None
    answers: Table | None = field(default=None, repr=False)

    @property
    def systems(self) -> list[str]:
        """The systems as they are printed, each by all of its columns."""
        rows = self.table.runs.itertuples(index=False, name=None)
        return [" / ".join(map(self.display_name, row)) for row in rows]

    def display_name(self, value: object) -> str:
        """Return the display name of a value."""
        return self.names.get(str(value), str(value))

    def about(self) -> pd.DataFrame:
        """Return the attributes of each system: the columns of its id if there are several, and its metadata.

        Columns of a table of results with one value per run are included.
        """
        runs = self.table.runs
        names = list(runs.columns)
        known = runs.astype(object) if len(names) > 1 else runs.iloc[:, :0]
        metadata = (
            _with_constant_columns(self.data, names, self.metadata)
            if isinstance(self.data, Table)
            else self.metadata
        )
        if metadata is None or not set(names) <= set(metadata.columns):
            return known
        first = metadata[~metadata.duplicated(names)].reset_index(drop=True)
        place = pd.Index(run_labels(first[names])).get_indexer(pd.Index(run_labels(runs)))
        # a column that differs between replicates is about none of their systems
        varies = metadata.groupby(names, observed=True).nunique(dropna=False).gt(1).any()
        extra = [name for name in metadata.columns if name not in names and not varies[name]]
        # runs without metadata (place -1) have missing values
        return pd.concat(
            [known.reset_index(drop=True), first[extra].reindex(place).reset_index(drop=True)],
            axis=1,
        )


def _with_constant_columns(
    data: Table, runs: list[str], metadata: pd.DataFrame | None
) -> pd.DataFrame | None:
    """Return the metadata with those columns of a table of results that have one value per run."""
    frame = data.frame
    if not set(runs) <= set(frame.columns):  # a table of pairs, whose columns are about two runs
        return metadata
    by_run = frame.groupby(runs, observed=True, sort=False)
    columns = [
        name
        for name in frame.columns
        if name not in (*runs, *data.roles.values(), *STATISTICS)
        and not pd.api.types.is_float_dtype(frame[name].dtype)
        and (by_run[name].nunique(dropna=False) == 1).all()
    ]
    return with_table_columns(frame, runs, columns, metadata)
