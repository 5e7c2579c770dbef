"""The report of any table that has none of its own: column by column, as its schema says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import pandas as pd

from pdeval.evaluate.groups import named
from pdeval.report import footnotes as footnote
from pdeval.report import numbers as decimals
from pdeval.report.columns import (
    Part,
    any_column,
    assemble,
    by_of,
    column_names,
    grouped,
    need,
    numbers,
    over_collections,
    reported,
    row_per_collection,
)
from pdeval.report.report import DASH, Report
from pdeval.tables import schemas
from pdeval.tables.labels import naturally
from pdeval.tables.reader import query_column
from pdeval.tables.recognition import kind_of, pair_stems, runs_of
from pdeval.tables.schemas import SCHEMAS, Schema
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
        Which columns, in this order; by default all.
    group : str, optional
        A column whose values become titles over rows.
    by : str or list of str, optional
        The columns that tell collections or segments apart; by default those that the table says. For `across` and
        `average`.
    across : str or list of str, optional
        The column(s) whose values become columns of `value`, with one row per collection; of several columns in
        `by`, the first are titles over rows.
    value : str, optional
        What `across` shows; not needed where the table has one column of shares or of other numbers alone.
    average : {"row", "mean", "range"}, optional
        Over collections: with `across`, "row" adds a last row of means; "mean" prints the mean over collections in
        their place, and "range" from one standard deviation below it to one above.
    percent : bool, default False
        Whether `across` shows shares as percentages.
    digits : int or mapping of column to int, default 3
        Decimals; p-values that would print as zero print as "<0.001".
    names : mapping of str to str, optional
        Display names of columns, and of what columns of text hold.
    caption : str, optional
        Plain text over the table; by default what the table is. An empty text leaves it out.
    label : str, optional
        For LaTeX's \\ref and the HTML anchor.
    footnotes : bool, default True
        Whether to say what columns mean, and the tie rule and topic rule that the numbers rest on.

    Returns
    -------
    Report
        The table; `print` shows it as Markdown, and `.to_latex()`, `.to_html()`, `.to_frame()` and `.save(path)` give
        it in other formats.

    Examples
    --------
    >>> import pdeval
    >>> means = pdeval.datasets.sample_judged(topics="common").mean("RPP", baseline="bm25")
    >>> print(means.head(2).ireval.report(columns=["run_a", "run_b", "mean", "sd"], footnotes=False))
    Table of mean preferences.
    <BLANKLINE>
    | System A | System B |  Mean |    SD |
    |:---------|:---------|------:|------:|
    | bm25+rm3 | bm25     | 0.080 | 0.473 |
    | dense-s1 | bm25     | 0.356 | 0.496 |
    """
    schema = SCHEMAS.get(str(kind_of(frame)))
    table = need(frame, [*(columns or ()), *column_names(group)], "the table", "it")
    caption = "" if schema is None else f"{schema.says[0].upper()}{schema.says[1:]}."
    if across is not None or average is not None:
        collections = by_of(table, by)
        if not collections:
            raise ValueError(
                "the table does not say which column tells its collections apart: name it with by=."
            )
        if across is not None and average in (None, "row"):
            options: dict[str, Any] = {"percent": percent, "average": average == "row"}
            built = _row_per_collection(
                table, schema, collections, named(across), value, digits, known, **options
            )
        elif average in ("mean", "range"):
            selected = [str(name) for name in (columns or table.columns) if name not in collections]
            built = _over_collections(table, schema, collections, selected, average, digits, known)
        else:
            raise ValueError(
                "average='row' is the last row of a table with one row per collection: name its columns with across=."
            )
        return replace(built, caption=caption)
    table = naturally(table, _sort_columns(schema, table))
    table, groups = grouped(table, group, known)
    selected = [str(name) for name in (columns or table.columns) if name != group]
    headers = {name: known.get(name) or header_of(name, table) for name in selected}
    if schema is not None and "n" in schema.means and "n" not in known and "n" in headers:
        headers["n"] = "n"  # not a number of queries: the note says of what
    parts: list[Part] = []
    for name, places in zip(selected, decimals.per_column(digits, selected)):
        if name in ("p_value", "p_adjusted"):
            parts.append(
                numbers(
                    name, headers[name], table[name].astype(float), places, text=decimals.p_value
                )
            )
        else:
            parts.append(any_column(name, headers[name], table[name], places, known))
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
    value = value or _only_value(table, [*by, *across])
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
    """Return the table of means over collections, or of ranges around them."""
    places = dict(zip(selected, decimals.per_column(digits, selected)))
    rows, means = over_collections(table, by, selected, digits=places, spread=average == "range")
    headers = {name: known.get(name) or header_of(name, table) for name in selected}
    parts = [
        any_column(name, headers[name], rows[name], 3, known)
        for name in selected
        if name in rows.columns
    ]
    parts += [
        (replace(means[name][0], header=headers[name]), means[name][1])
        for name in selected
        if name in means
    ]
    n = len(table[by].drop_duplicates())
    what = {
        "mean": f"Means over {n} collections, each counting the same.",
        "range": f"From one standard deviation below the mean over {n} collections to one above it.",
    }
    return assemble(
        parts, [what[average], *_footnotes(schema, {name: headers[name] for name in means}, table)]
    )


def _only_value(frame: pd.DataFrame, others: Sequence[str]) -> str:
    """Return the only column of numbers of a table, or raise if there are several."""
    candidates = [name for name in map(str, frame.columns) if name not in others]
    values = [name for name in candidates if pd.api.types.is_float_dtype(frame[name].dtype)]
    if len(values) != 1:
        raise ValueError(
            f"across= shows one column of numbers: name it with value=, one of {', '.join(values or candidates)}."
        )
    return values[0]


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


def _add_report(schema: Schema) -> None:
    """Give a table the plain report, unless it has its own or says why it has none."""
    if not schema.unreported and "report" not in of_kind(schema.name):
        verb(on=schema.name, name="report", core=True, command=True)(report_table)


def for_every_other_table() -> None:
    """Give all tables without a report the plain one: those declared so far, and those that come."""
    for schema in list(SCHEMAS.values()):
        _add_report(schema)
    schemas.WATCHERS.append(_add_report)
