"""The table of systems and measures that most papers need, from scores, preferences or a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import Preferences, Scores
from pdeval.evaluate.summary import aggregate_of
from pdeval.report import digits as decimals
from pdeval.report import notes as footnote
from pdeval.report.cells import Best, Interval, number_cells, spread_names
from pdeval.report.marks import letters
from pdeval.report.means import Means, means
from pdeval.report.rows import Rows, arrange, find_measure
from pdeval.report.spec import Cell, Column, Report
from pdeval.report.verdict import Verdict, judge

Marks = Literal["auto", "letters", "daggers"]
Missing = Literal["error", "dash"]


def report(
    scores: pd.DataFrame | Scores | Preferences,
    *,
    measures: str | Sequence[str] | None = None,
    baseline: object = None,
    marks: Marks | None = "auto",
    comparisons: pd.DataFrame | None = None,
    test: str | None = None,
    correction: str | None = None,
    alpha: float | None = None,
    interval: Interval | None = None,
    digits: int | Mapping[str, int] = 3,
    group: str | Sequence[str] | None = None,
    metadata: pd.DataFrame | None = None,
    columns: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
    sort: str | Sequence[object] | None = None,
    best: Best | None = "table",
    arrows: bool = True,
    higher: Mapping[str, bool] | None = None,
    missing: Missing = "error",
    caption: str | None = None,
    label: str | None = None,
    notes: str | Sequence[str] | None = None,
    footnotes: bool = True,
) -> Report:
    """Return the table of systems x measures as a paper prints it.

    The best value of a measure is bold and, from three systems on, the second is underlined; values that print
    alike are marked alike.

    Parameters
    ----------
    scores : DataFrame, Scores or Preferences
        A scores table, a preferences table (a cell is then the mean over all opponents, or over the baseline), or a
        summary (run, measure, n, mean, sd, ci_low, ci_high).
    measures : str or list of str, optional
        Which, and in which order; by default all.
    baseline : run id or tuple of ids, optional
        The run that daggers compare with.
    marks : {"auto", "letters", "daggers"} or None
        Letters: each system has one, and a cell names the systems that it beats significantly. Daggers: better (†) or
        worse (‡) than the baseline. "auto" is daggers with a baseline, else letters for 2 to 26 systems.
    comparisons : DataFrame, optional
        The result of `compare`; by default computed from the scores with `test`, `correction` and `alpha`.
    test, correction, alpha : optional
        Passed to `compare` (default: its own test, Bonferroni, 0.05). With `comparisons`, `test` chooses among
        several, and the others are said in the footnote where the table does not say them itself.
    interval : {"ci", "sd"}, optional
        Adds the confidence interval (1 - alpha, Student t over queries) or the standard deviation.
    digits : int or mapping of measure to int, default 3
        Decimals.
    group : str or list of str, optional
        Column(s) of the run id or of `metadata` whose values become titles over rows.
    metadata : DataFrame, optional
        One row per run, joined on the run columns.
    columns : mapping of measure to str, optional
        Headings over neighbouring measures.
    names : mapping of str to str, optional
        Display names of runs, measures, columns and groups.
    sort : str or list, optional
        A measure (best first), "name", or all runs in order; by default as in the scores.
    best : {"table", "group"} or None
        Where best and second are looked for.
    arrows : bool, default True
        Whether headers say if more is better.
    higher : mapping of measure to bool, optional
        Whether more is better, where the catalog does not know the measure; by default it is.
    missing : {"error", "dash"}
        What to do with a run that has no value of a measure.
    caption, label : str, optional
        Plain text; the label is for LaTeX's \\ref and the HTML anchor.
    notes : str or list of str, optional
        Sentences after the footnote.
    footnotes : bool, default True
        Whether to say test, correction, alpha, number of queries, tie rule and topic rule.

    Examples
    --------
    >>> summary = pd.DataFrame({"run": ["bm25", "lm", "dense"], "measure": "AP", "n": 50,
    ...                         "mean": [0.2512, 0.2104, 0.3127]})
    >>> print(report(summary, caption="Robust04."))
    Robust04.
    <BLANKLINE>
    | System |         AP ↑ |
    |:-------|-------------:|
    | bm25   | <u>0.251</u> |
    | lm     |        0.210 |
    | dense  |    **0.313** |
    <BLANKLINE>
    Best in bold, second underlined. 50 queries.
    """
    _check_choices(marks=(marks, Marks), interval=(interval, Interval), best=(best, Best), missing=(missing, Missing))
    level = _check_alpha(0.05 if alpha is None else alpha)
    names = {str(key): str(value) for key, value in (names or {}).items()}
    table = _chosen(means(scores, baseline=baseline, alpha=level, higher=higher), measures)
    _check_present(table, missing)
    rows = arrange(table, group=group, metadata=metadata, sort=sort, names=names)
    table = table.in_order(rows.order)
    verdict = judge(
        table,
        marks=marks,
        baseline=baseline,
        comparisons=comparisons,
        test=test,
        correction=correction,
        alpha=alpha,
    )
    stub, left = _stub(table, rows, names, verdict.kind == "letters")
    _check_keys(names, [*table.measures, *_stub_texts(table, rows)], "names", "nothing in this table")
    _check_keys(columns or {}, list(table.measures), "columns", "not a measure of this table")
    heads = tuple(
        Column(
            name,
            names.get(name, name),
            group=(columns or {}).get(name, ""),
            higher=table.higher[i] if arrows else None,
            spread=spread_names(table, i, interval),
        )
        for i, name in enumerate(table.measures)
    )
    shown = decimals.per_column(digits, list(table.measures))
    if not isinstance(digits, Mapping):
        shown = [0 if aggregate_of(name) == "sum" else places for name, places in zip(table.measures, shown)]
    right = number_cells(table, rows, verdict, interval, shown, best)
    said = _footnotes(table, right, verdict, interval, level, baseline, names) if footnotes else []
    return Report(
        columns=(*stub, *heads),
        rows=tuple((*names_of, *cells) for names_of, cells in zip(left, right)),
        groups=rows.groups,
        group_names=rows.group_names,
        caption=caption,
        label=label,
        notes=(*said, *([notes] if isinstance(notes, str) else notes or ())),
    )


def _check_choices(**options: tuple[object, Any]) -> None:
    for name, (value, choices) in options.items():
        if value not in get_args(choices) and not (value is None and name != "missing"):
            offered = ", ".join(map(repr, get_args(choices)))
            raise ValueError(f"{name}={value!r}: choose one of {offered}{'' if name == 'missing' else ' or None'}.")


def _check_alpha(alpha: float) -> float:
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float, np.number)) or not 0 < alpha < 1:
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


def _chosen(table: Means, measures: str | Sequence[str] | None) -> Means:
    if measures is None:
        return table
    wanted = [measures] if isinstance(measures, str) else list(measures)
    at = [find_measure(name, table.measures) for name in dict.fromkeys(map(str, wanted))]
    if not at:
        raise ValueError("measures=[] asks for no measure; name at least one, or leave it out for all.")
    return table.of(at)


def _stub(table: Means, rows: Rows, names: Mapping[str, str], lettered: bool) -> tuple[list[Column], list[list[Cell]]]:
    """The columns that name a system, with its letter in front where marks are letters."""
    columns = [Column(name, names.get(name, "System" if name == "run" else name), numeric=False) for name in rows.stub]
    cells = []
    for row in table.runs[list(rows.stub)].itertuples(index=False):
        texts = [names.get(str(value), str(value)) for value in row]
        cells.append([Cell(text, text) for text in texts])
    if lettered:
        columns.insert(0, Column("letter" if "letter" not in rows.stub else "letter_", "", numeric=False))
        for name, row_cells in zip(letters(len(cells)), cells):
            row_cells.insert(0, Cell(name, name))
    return columns, cells


def _stub_texts(table: Means, rows: Rows) -> list[str]:
    """Every text beside the measures that a display name can replace."""
    texts = [str(value) for name in table.runs.columns for value in table.runs[name]]
    return list(dict.fromkeys([*table.runs.columns, *texts, *rows.group_texts]))


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
        said.append(_meaning(verdict.kind, marked, baseline, names) + (f" ({verdict.how})." if verdict.how else "."))
    if verdict.untested:
        said.append(
            f"{', '.join(names.get(name, name) for name in verdict.untested)}: not tested, has infinite values."
        )
    if interval == "sd":
        said.append("± the standard deviation over queries.")
    elif interval == "ci" and table.source is None:
        said.append("In brackets the confidence interval of the mean.")
    elif interval == "ci":
        level = decimals.share(100 * (1 - alpha))
        said.append(f"In brackets the {level}% confidence interval of the mean (Student t).")
    return [*said, *footnote.basis(table.n, table.attrs)]


def _meaning(kind: str, marked: str, baseline: object, names: Mapping[str, str]) -> str:
    parts = baseline if isinstance(baseline, (tuple, list)) else (baseline,)
    shown = " / ".join(names.get(str(part), str(part)) for part in parts)
    if not marked:
        return "No difference is significant" if kind == "letters" else f"No difference to {shown} is significant"
    if kind == "letters":
        return "Raised letters: significantly better than the system of that letter"
    said = [f"{sign} significantly {word}" for sign, word in (("†", "better"), ("‡", "worse")) if sign in marked]
    return f"{', '.join(said)} than {shown}"
