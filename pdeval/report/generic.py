"""The report of any table that has none of its own: column by column, as its schema says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pandas as pd

from pdeval.evaluate.groups import named
from pdeval.report import footnotes as footnote
from pdeval.report import numbers as decimals
from pdeval.report.columns import About, Part, any_column, assemble, grouped, need, numbers
from pdeval.report.report import DASH, Report
from pdeval.report.stacked_collections import by_of, over_collections, row_per_collection
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
    names: Mapping[str, str] | None = None,
    caption: str | None = None,
    label: str | None = None,
    notes: str | Sequence[str] | None = None,
    footnotes: bool = True,
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
    notes : str or list of str, optional
        Sentences after the footnote.
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
    whole = need(frame, [*(columns or ()), *([group] if group else ())], "the table", "it")
    known = {str(key): str(text) for key, text in (names or {}).items()}
    if caption is None and schema is not None:
        caption = f"{schema.says[0].upper()}{schema.says[1:]}."
    about = About(caption or None, label, notes)
    if across is not None or average is not None:
        way = _Way(by_of(whole, by), named(across) if across is not None else [], value, average, percent)
        return _over_collections(whole, schema, way, about, columns, digits, known, footnotes)
    whole = naturally(whole, _named_by(schema, whole))
    whole, groups = grouped(whole, group, known)
    shown = [str(name) for name in (columns or whole.columns) if name != group]
    places = dict(zip(shown, decimals.per_column(digits, shown)))
    heads = {name: known.get(name) or header_of(name, whole) for name in shown}
    if schema is not None and "n" in schema.means and "n" not in known and "n" in heads:
        heads["n"] = "n"  # no count of queries: the note says of what
    parts: list[Part] = []
    for name in shown:
        if name in ("p_value", "p_adjusted"):
            parts.append(numbers(name, heads[name], whole[name].astype(float), places[name], text=decimals.p_value))
        else:
            parts.append(any_column(name, heads[name], whole[name], places[name], known))
    said = _footnotes(schema, heads, frame) if footnotes else []
    return assemble(parts, about, said=said, groups=groups, group_names=[group] if group else [])


@dataclass(frozen=True)
class _Way:
    """How collections are shown."""

    by: list[str]
    across: list[str]
    value: str | None
    average: str | None
    percent: bool


def _over_collections(
    whole: pd.DataFrame,
    schema: Schema | None,
    way: _Way,
    about: About,
    columns: Sequence[str] | None,
    digits: int | Mapping[str, int],
    names: Mapping[str, str],
    footnotes: bool,
) -> Report:
    """Return the table with one row per collection, or of means over collections."""
    if not way.by:
        raise ValueError("the table does not say which column tells its collections apart: name it with by=.")
    if way.across and way.average in (None, "row"):
        value = way.value or _only_value(whole, [*way.by, *way.across])
        need(whole, [*way.across, value], "the table", "it")
        places = decimals.per_column(digits, [value], 1 if way.percent else 3)[0]
        options: dict[str, Any] = {"percent": way.percent, "average": way.average == "row"}
        parts, groups = row_per_collection(whole, way.by, way.across, value, digits=places, names=names, **options)
        meant = "" if schema is None else schema.meaning(value).replace("NaN", DASH)
        said = [f"{'Percentages' if way.percent else header_of(value, whole)}: {meant}."] if meant else []
        said = [*said, *footnote.basis_of(whole)] if footnotes else []
        titles = [", ".join(way.by[:-1])] if groups else []
        return assemble(parts, about, said=said, groups=groups, group_names=titles)
    if way.average not in ("mean", "range"):
        raise ValueError(
            "average='row' is the last row of a table with one row per collection: name its columns with across=."
        )
    shown = [str(name) for name in (columns or whole.columns) if name not in way.by]
    places_of = dict(zip(shown, decimals.per_column(digits, shown)))
    rows, found = over_collections(whole, way.by, shown, digits=places_of, spread=way.average == "range")
    heads = {name: names.get(name) or header_of(name, whole) for name in shown}
    parts = [any_column(name, heads[name], rows[name], 3, names) for name in shown if name in rows.columns]
    parts += [(replace(found[name][0], header=heads[name]), found[name][1]) for name in shown if name in found]
    n = len(whole[way.by].drop_duplicates())
    said = [f"Means over {n} collections, each counting the same."]
    if way.average == "range":
        said = [f"From one standard deviation below the mean over {n} collections to one above it."]
    said += _footnotes(schema, {name: heads[name] for name in shown if name in found}, whole)
    return assemble(parts, about, said=said if footnotes else [])


def _only_value(frame: pd.DataFrame, others: Sequence[str]) -> str:
    """Return the one column of numbers of a table, or ask which."""
    kinds = [name for name in map(str, frame.columns) if name not in others]
    found = [name for name in kinds if pd.api.types.is_float_dtype(frame[name].dtype)]
    if len(found) != 1:
        raise ValueError(
            f"across= shows one column of numbers: name it with value=, one of {', '.join(found or kinds)}."
        )
    return found[0]


def _named_by(schema: Schema | None, frame: pd.DataFrame) -> list[str]:
    """The runs and queries with which a table begins, by which it is sorted."""
    found: list[str] = []
    for role in () if schema is None else schema.named:
        if role in ("run", "run_a", "run_b"):
            found += [f"{name}{role[3:]}" for name in runs_of(frame, schema)]  # type: ignore[arg-type]
        elif role == "query":
            found += [name for name in [query_column(frame, {}, needed=False)] if name is not None]
        else:
            break
    return [name for name in found if name in frame.columns]


def header_of(name: str, frame: pd.DataFrame) -> str:
    """Return the header of a column: a word of the field, or its name with spaces.

    Examples
    --------
    >>> frame = pd.DataFrame(columns=["run_a", "run_b"])
    >>> [header_of(name, frame) for name in ("run_a", "p_value", "query_id", "r_squared")]
    ['System A', 'p', 'Query', 'R squared']
    """
    if name == "n":
        asked = footnote.words(frame.attrs).queries
        return asked[0].upper() + asked[1:]
    if name in HEADERS:
        return HEADERS[name]
    if name[:-2] in pair_stems(frame):
        return f"{name[:-2]} {name[-1].upper()}"
    words = name.removesuffix("_id").replace("_per_", "/").replace("_", " ").strip() or name
    return words[0].upper() + words[1:]


def _footnotes(schema: Schema | None, heads: Mapping[str, str], frame: pd.DataFrame) -> list[str]:
    meant = {} if schema is None else schema.means
    said = [f"{head}: {meant[name].replace('NaN', DASH)}." for name, head in heads.items() if name in meant]
    return [*said, *footnote.basis_of(frame)]


def _without_its_own(schema: Schema) -> None:
    """Give a table the plain report, unless it has its own or says why it has none."""
    if not schema.unreported and "report" not in of_kind(schema.name):
        verb(on=schema.name, name="report", core=True, command=True)(report_table)


def for_every_other_table() -> None:
    """Give all tables without a report the plain one: those declared so far, and those that come."""
    for schema in list(SCHEMAS.values()):
        _without_its_own(schema)
    schemas.WATCHERS.append(_without_its_own)
