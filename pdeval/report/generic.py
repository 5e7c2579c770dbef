"""The default report of a table: column by column, described by its schema."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate import option_columns
from pdeval.report import footnotes as footnote
from pdeval.report import numbers as decimals
from pdeval.report.columns import (
    any_column,
    assemble,
    by_of,
    check_unique,
    column_names,
    grouped,
    need,
    numbers,
    reported,
    row_per_collection,
)
from pdeval.report.report import DASH, Cell, Report
from pdeval.tables import SCHEMAS, Schema, kind_of, naturally, pair_stems, query_column, runs_of
from pdeval.verbs import of_kind, verb

HEADERS = {
    "run": "System",
    "run_a": "System A",
    "run_b": "System B",
    "sd": "SD",
    "p_value": "p",
    "p_adjusted": "p adjusted",
    "tau_a": "τ a",
    "tau_b": "τ b",
    "tau_ap": "τ AP",
    "alpha": "α",
    "delta_sort": "ΔSort (%)",
    "delta_value": "ΔValue (×)",
}


@reported()
def report_table(
    frame: pd.DataFrame,
    *,
    columns: Sequence[str] | None = None,
    group: str | None = None,
    by: str | Sequence[str] | None = None,
    across: str | Sequence[str] | None = None,
    value: str | None = None,
    average: Literal["row", "mean", "range"] | None = None,
    percent: bool = False,
    digits: int | Mapping[str, int] = 3,
    known: Mapping[str, str],
) -> Report:
    """Return the table as a paper prints it, every column under its header and numbers aligned.

    Parameters
    ----------
    columns : list of str, optional
        Columns to show, in this order; by default all.
    group : str, optional
        Column whose values become titles above rows.
    by : str or list of str, optional
        Columns that identify the collections or segments, for `across` and `average`; by default those recorded in the
        table.
    across : str or list of str, optional
        Column(s) whose values become columns of `value`, with one row per collection. If `by` has several columns, all
        but the last become titles above rows.
    value : str, optional
        Column shown by `across`. Not needed if the table has only one column of fractions or other numbers.
    average : {"row", "mean", "range"}, optional
        Over collections: with `across`, "row" adds a last row of means; "mean" prints the mean over collections in
        their place, and "range" from one standard deviation below it to one above.
    percent : bool, default False
        Whether `across` shows fractions as percentages.
    digits : int or mapping of column to int, default 3
        Decimals; p-values that would print as zero print as "<0.001".
    names : mapping of str to str, optional
        Display names of columns and of the values of string columns.
    caption : str, optional
        Plain text above the table; by default the title of the table. An empty string omits it.
    label : str, optional
        Label for LaTeX's \\ref and the HTML anchor.
    footnotes : bool, default True
        Whether to describe the columns, the tie rule and the topic rule below the table.

    Returns
    -------
    Report
        The table; `print` shows it as Markdown, and `.to_latex()`, `.to_html()`, `.to_frame()` and `.save(path)` give
        it in other formats.

    Examples
    --------
    >>> import pdeval
    >>> means = pdeval.datasets.sample_judged(queries="common").summary("RPP", baseline="bm25")
    >>> print(means.head(2).ireval.report(columns=["run_a", "run_b", "mean", "sd"], footnotes=False))
    Table of mean preferences.
    <BLANKLINE>
    System A  System B   Mean     SD
    --------------------------------
    bm25+rm3  bm25      0.080  0.473
    dense-s1  bm25      0.356  0.496
    """
    schema = SCHEMAS.get(str(kind_of(frame)))
    table = need(frame, [*(columns or ()), *column_names(group)], "the table", "it")
    caption = "" if schema is None else f"{schema.description[0].upper()}{schema.description[1:]}."
    if across is not None or average is not None:
        collections = by_of(table, by)
        if not collections:
            raise ValueError(
                "cannot determine which column identifies the collections. Specify it with by=."
            )
        if across is not None and average in (None, "row"):
            options: dict[str, Any] = {"percent": percent, "average": average == "row"}
            built = _row_per_collection(
                table, schema, collections, option_columns(across), value, digits, known, **options
            )
        elif average in ("mean", "range"):
            selected = [str(name) for name in (columns or table.columns) if name not in collections]
            built = _over_collections(table, schema, collections, selected, average, digits, known)
        else:
            raise ValueError(
                "average='row' requires a table with one row per collection. Specify its columns with across=."
            )
        return replace(built, caption=caption)
    table = naturally(table, _sort_columns(schema, table))
    table, groups = grouped(table, group, known)
    selected = [str(name) for name in (columns or table.columns) if name != group]
    headers = {name: known.get(name) or header_of(name, table) for name in selected}
    if schema is not None and "n" in schema.means and "n" not in known and "n" in headers:
        headers["n"] = "n"  # not a number of queries: the footnote describes it
    p_values = dict.fromkeys({"p_value", "p_adjusted"} & {*selected}, decimals.p_value)
    table = table.astype(dict.fromkeys(p_values, float))
    parts = [
        any_column(
            name,
            headers[name],
            table[name],
            places,
            known,
            p_values.get(name, decimals.number),
        )
        for name, places in zip(selected, decimals.per_column(digits, selected))
    ]
    notes = _footnotes(schema, headers, frame)
    return assemble(parts, notes, groups=groups, group_names=column_names(group), caption=caption)


def _row_per_collection(
    table: pd.DataFrame,
    schema: Schema | None,
    by: list[str],
    across: list[str],
    value: str | None,
    digits: int | Mapping[str, int],
    known: Mapping[str, str],
    *,
    percent: bool,
    average: bool,
) -> Report:
    """Return the table with one row per collection."""
    if value is None:
        candidates = [str(name) for name in table.columns if name not in (*by, *across)]
        values = [name for name in candidates if pd.api.types.is_float_dtype(table[name].dtype)]
        if len(values) != 1:
            raise ValueError(
                "across= shows one column of numbers. Specify it with value=, one of "
                f"{', '.join(values or candidates)}."
            )
        value = values[0]
    need(table, [*across, value], "the table", "it")
    places = decimals.per_column(digits, [value], 1 if percent else 3)[0]
    parts, groups = row_per_collection(
        table, by, across, value, digits=places, names=known, percent=percent, average=average
    )
    meaning = "" if schema is None else schema.meaning(value).replace("NaN", DASH)
    notes = (
        [f"{'Percentages' if percent else header_of(value, table)}: {meaning}."] if meaning else []
    )
    return assemble(parts, [*notes, *footnote.basis_of(table)], groups=groups, group_names=by[:-1])


def _over_collections(
    table: pd.DataFrame,
    schema: Schema | None,
    by: list[str],
    selected: list[str],
    average: str,
    digits: int | Mapping[str, int],
    known: Mapping[str, str],
) -> Report:
    """Return the table without its collections: columns of numbers are means over them, or ranges around the means."""
    values = [name for name in selected if pd.api.types.is_float_dtype(table[name].dtype)]
    keys = [name for name in selected if not pd.api.types.is_numeric_dtype(table[name].dtype)]
    check_unique(table, [*by, *keys], "the table")
    # without key columns, all rows are one group
    group = keys or np.zeros(len(table))
    groups = table.groupby(group, sort=False, observed=True, dropna=False)[values]
    n = len(table[by].drop_duplicates())
    mean = groups.mean().where(groups.count() == n)  # means over fewer are not comparable
    bounds = (mean - groups.std(), mean + groups.std())
    rows = mean.index.to_frame(index=False)
    headers = {name: known.get(name) or header_of(name, table) for name in selected}
    parts = [any_column(name, headers[name], rows[name], 3, known) for name in keys]
    for name, places in zip(selected, decimals.per_column(digits, selected)):
        if name not in values:
            continue
        column, cells = numbers(name, headers[name], mean[name], places)
        if average == "range":
            low, high = ([decimals.number(end, places) for end in bound[name]] for bound in bounds)
            cells = [
                Cell(cell.value, DASH if start == DASH else f"{start}{DASH}{end}")
                for cell, start, end in zip(cells, low, high)
            ]
        parts.append((column, cells))
    what = {
        "mean": f"Means over {n} collections, each counting the same.",
        "range": f"From one standard deviation below the mean over {n} collections to one above it.",
    }
    notes = _footnotes(schema, {name: headers[name] for name in values}, table)
    return assemble(parts, [what[average], *notes])


def _sort_columns(schema: Schema | None, frame: pd.DataFrame) -> list[str]:
    """Return the columns of runs and queries with which a table begins, by which it is sorted."""
    columns: list[str] = []
    for role in () if schema is None else schema.named:
        if role in ("run", "run_a", "run_b"):
            columns += [f"{name}{role[3:]}" for name in runs_of(frame, schema)]  # type: ignore[arg-type]
        elif role == "query":
            columns += filter(None, [query_column(frame, {}, needed=False)])
        else:
            break
    return [name for name in columns if name in frame.columns]


def header_of(name: str, frame: pd.DataFrame) -> str:
    """Return the header of a column: a word of the field, or its name with spaces.

    Examples
    --------
    >>> frame = pd.DataFrame(columns=["run_a", "run_b"])
    >>> [header_of(name, frame) for name in ("run_a", "p_value", "query_id", "r_squared")]
    ['System A', 'p', 'Query', 'R squared']
    """
    if name == "n":
        return footnote.words(frame.attrs).queries.capitalize()
    if name in HEADERS:
        return HEADERS[name]
    if name[:-2] in pair_stems(frame):
        return f"{name[:-2]} {name[-1].upper()}"
    words = name.removesuffix("_id").replace("_per_", "/").replace("_", " ").strip() or name
    return words[0].upper() + words[1:]


def _footnotes(schema: Schema | None, headers: Mapping[str, str], frame: pd.DataFrame) -> list[str]:
    meanings = {} if schema is None else schema.means
    notes = [
        f"{head}: {meanings[name].replace('NaN', DASH)}."
        for name, head in headers.items()
        if name in meanings
    ]
    return [*notes, *footnote.basis_of(frame)]


def add_report(schema: Schema) -> None:
    """Add the default report to a table, unless it has its own or declares that it has none."""
    if not schema.no_report and "report" not in of_kind(schema.name):
        verb(on=schema.name, name="report", core=True, command=True)(report_table)
