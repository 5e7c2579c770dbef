"""The table of a paper as data: cells with their marks, headers, groups, caption and notes; no markup.

All texts are plain: every format escapes them. A format is one function from a `Report` to text or bytes:

    @report_format("latex", endings=".tex")
    def to_latex(report: Report, *, environment: Environment = "table") -> str: ...

The declaration adds the method `Report.to_latex()`, the ending of `Report.save("table.tex")` and the format of the
command line.
"""

import inspect
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd

from pdeval.evaluate import described_frame
from pdeval.files.atomic_write import replacing
from pdeval.report.sentences import sentence
from pdeval.tables import visible
from pdeval.verbs import Registry

DASH = "–"
DEFAULT_WIDTH, MIN_WIDTH = 80, 40  # characters in a line of text
Emphasis = Literal["", "best", "second"]
Item = TypeVar("Item")
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: the value, and how it is printed.

    Parameters
    ----------
    value : float, int, str or None
        Value in a frame; None for an empty cell.
    text : str
        Printed text, e.g. "0.312".
    emphasis : {"", "best", "second"}
        Bold for the best value, underlined for the second.
    marks : str
        Significance marks, printed raised.
    spread : tuple of float
        An sd, or the two ends of an interval.
    spread_text : tuple of str
        The same as printed.
    place : tuple of int
        Index of its origin in the report, and of its measure and system there; empty without an origin.
    """

    value: float | int | str | None
    text: str
    emphasis: Emphasis = ""
    marks: str = ""
    spread: tuple[float, ...] = ()
    spread_text: tuple[str, ...] = ()
    place: tuple[int, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `name` in a frame, `header` in print under the heading `group`.

    `numeric` columns are aligned at the decimal point; `higher` adds an arrow up or down; `spread` names the
    frame columns of the cells' spread, e.g. ("sd",) or ("ci_low", "ci_high").
    """

    name: str
    header: str
    group: str = ""
    numeric: bool = True
    higher: bool | None = None
    spread: tuple[str, ...] = ()

    @property
    def arrow(self) -> str:
        """The arrow after the header: up if more is better, down if less is better."""
        return {None: "", True: " ↑", False: " ↓"}[self.higher]


@dataclass(frozen=True, slots=True)
class Group:
    """A title above the next `size` rows; `values` are its cells in a frame."""

    title: str
    size: int
    values: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Report:
    """A table as a paper prints it; `report()` and its siblings build one.

    Parameters
    ----------
    columns : tuple of Column
    rows : tuple of tuple of Cell
        One cell per column in every row.
    groups : tuple of Group
        Titles over consecutive rows, which together cover all rows; empty for none.
    group_names : tuple of str
        The frame columns of the groups' values.
    caption, label : str, optional
    notes : tuple of str
        Sentences under the table.
    origins : tuple of Origin
        Data of each collection in a table of systems, for the interactive page. They are ignored when reports are
        compared.
    findings : tuple
        Significant differences between the systems, for `sentence`.

    Examples
    --------
    >>> table = Report((Column("run", "System", numeric=False), Column("AP", "AP", higher=True)),
    ...                ((Cell("bm25", "bm25"), Cell(0.25, "0.250")), (Cell("lm", "lm"), Cell(0.5, "0.500", "best"))))
    >>> table
    <Report: 2 rows x 2 columns; .to_latex(), .to_html(), .to_markdown(), .to_frame(), .save(path)>
    >>> print(table)
    System    AP ↑
    --------------
    bm25     0.250
    lm      *0.500
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    groups: tuple[Group, ...] = ()
    group_names: tuple[str, ...] = ()
    caption: str | None = None
    label: str | None = None
    notes: tuple[str, ...] = ()
    origins: tuple[Any, ...] = field(default=(), compare=False, repr=False)
    findings: tuple[Any, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        wrong = next((i for i, row in enumerate(self.rows) if len(row) != len(self.columns)), None)
        if wrong is not None:
            raise ValueError(
                f"row {wrong} has {len(self.rows[wrong])} cells, but there are {len(self.columns)} columns. "
                "Pass one cell per column."
            )
        names = [column.name for column in self.columns]
        if (twice := next((name for name in names if names.count(name) > 1), None)) is not None:
            raise ValueError(f"two columns have the name {twice!r}. Rename one of them.")
        if self.groups and sum(group.size for group in self.groups) != len(self.rows):
            covered = sum(group.size for group in self.groups)
            raise ValueError(
                f"the groups cover {covered} rows, but the report has {len(self.rows)}."
            )
        if bad := sorted(set(self.label or "") & set("\\{}%#~^$&, \t\n")):
            raise ValueError(
                f"the label {self.label!r} has {', '.join(map(repr, bad))}, which \\label of LaTeX does not accept. "
                "Use letters, digits, ':', '-' and '_'."
            )

    def __repr__(self) -> str:
        return (
            f"<Report: {len(self.rows)} rows x {len(self.columns)} columns; "
            ".to_latex(), .to_html(), .to_markdown(), .to_frame(), .save(path)>"
        )

    def __str__(self) -> str:
        return str(self.to_text(width=terminal_width()))

    def _repr_html_(self) -> str:
        return str(self.to_html(embedded=True))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        # called for missing attributes only: report_format sets to_latex, to_html, ... on the class
        if name.startswith("to_"):
            offered = ", ".join(f".to_{format_name}()" for format_name in sorted(FORMATS))
            raise AttributeError(
                f"no report format {name[3:]!r}; there are {offered} and .to_frame()."
            )
        raise AttributeError(f"a Report has no {name!r}.")

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a frame for spreadsheets: unrounded numbers, and marks in separate columns.

        A text that a spreadsheet would read as a formula (it begins with =, +, - or @) gets an apostrophe in front.

        Returns
        -------
        DataFrame
            One row per row of the table; caption, label and notes are in its `attrs`.

        Examples
        --------
        >>> table = Report((Column("run", "System", numeric=False), Column("AP", "AP", spread=("sd",))),
        ...                ((Cell("-x", "-x"), Cell(0.5, "0.5", marks="a", spread=(0.1,), spread_text=("0.1",))),))
        >>> print(table.to_frame().to_string(index=False))
        run  AP AP_marks  AP_sd
        '-x 0.5        a    0.1
        """
        columns: dict[str, list[Any]] = {
            safe(name): [safe(group.values[i]) for group in self.groups for _ in range(group.size)]
            for i, name in enumerate(self.group_names)
        }
        for i, column in enumerate(self.columns):
            cells = [row[i] for row in self.rows]
            name = safe(column.name)
            columns[name] = [
                safe(cell.value) if isinstance(cell.value, str) else cell.value for cell in cells
            ]
            if column.numeric:
                columns[name] = [np.nan if value is None else value for value in columns[name]]
            if any(cell.marks for cell in cells):
                columns[f"{name}_marks"] = [safe(cell.marks) for cell in cells]
            for end, suffix in enumerate(column.spread):
                columns[f"{name}_{suffix}"] = [
                    cell.spread[end] if cell.spread else np.nan for cell in cells
                ]
        return described_frame(
            columns, {"caption": self.caption, "label": self.label, "notes": list(self.notes)}
        )

    def sentence(self) -> str:
        """Return the significant differences of the table as sentences for a paper.

        Without a baseline they are about the best system of each measure, as printed; with baselines, about systems
        that differ from them. They use the same tests as the marks of the table.

        Returns
        -------
        str
            One sentence for each measure, or group of measures with the same outcome, and for each collection.

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
        >>> print(scores[scores["run"].isin(["bm25", "ql", "hybrid", "dense-s1"])].ireval.report().sentence())
        hybrid is significantly better than 2 of the 3 other systems in AP (paired Student t test, max-t correction
        of 6 comparisons, α = 0.05); it does not differ significantly from dense-s1.
        """
        return sentence(self.findings)

    def save(self, path: str | Path) -> Path:
        """Write the table in the format of the file's ending and return the path.

        Parameters
        ----------
        path : str or Path
            File name; its ending is the format: `.tex` (LaTeX), `.typ` (Typst), `.md` (Markdown), `.html` (a page,
            interactive if there are data behind its cells), `.csv`, `.json`, `.parquet` or `.xlsx`. An existing file is
            replaced when the new one is complete.

        Returns
        -------
        Path
            The path.

        Examples
        --------
        >>> import tempfile
        >>> table = Report((Column("run", "System", numeric=False),), ((Cell("bm25", "bm25"),),))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     print(table.save(folder + "/table.csv").read_text())
        run
        bm25
        """
        path = Path(path)
        content = format_of(path).file(self)
        with replacing(path) as beside:
            beside.write_bytes(content)
        return path


def terminal_width() -> int:
    """Return the width of the terminal, or 80 if the standard output is not a terminal."""
    if sys.stdout is None or not sys.stdout.isatty():
        return DEFAULT_WIDTH
    return max(MIN_WIDTH, shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns)


def safe(text: str, kept: str = "") -> str:
    r"""Return a string that spreadsheets do not read as a formula; control characters except `kept` are spelled out.

    Examples
    --------
    >>> safe("=1+1"), safe("bm25"), safe("a\x00b")
    ("'=1+1", 'bm25', 'a\\x00b')
    """
    text = visible(text, kept)
    # a leading tab or return, which spreadsheets skip, is spelled out already
    return "'" + text if text.startswith(("=", "+", "-", "@")) else text


def headings(report: Report) -> list[tuple[str, list[int]]]:
    """Return the headings over neighboring columns, each with the positions of its columns; none if all are empty.

    Examples
    --------
    >>> headings(Report((Column("run", "System"), Column("AP", "AP", "news"), Column("RR", "RR", "news")), ()))
    [('', [0]), ('news', [1, 2])]
    """
    titles = [column.group for column in report.columns]
    spans = groupby(range(len(titles)), key=titles.__getitem__)
    return [(title, list(members)) for title, members in spans] if any(titles) else []


def row_groups(report: Report, rows: Sequence[Item]) -> list[tuple[str | None, list[Item]]]:
    """Return the title and the rows of each group; `rows` are those of the report, in any form.

    Examples
    --------
    >>> cells = ((Cell("a", "a"),), (Cell("b", "b"),))
    >>> report = Report((Column("run", "System"),), cells, (Group("x", 1), Group("y", 1)))
    >>> row_groups(report, ["a", "b"])
    [('x', ['a']), ('y', ['b'])]
    """
    if not report.groups:
        return [(None, list(rows))]
    remaining = iter(rows)
    return [(group.title, list(islice(remaining, group.size))) for group in report.groups]


@dataclass(frozen=True, eq=False)
class Format:
    """One declared format.

    Parameters
    ----------
    name : str
        As in `Report.to_NAME()`.
    function : callable
        From a report, and options by keyword, to text or bytes.
    endings : tuple of str
        The file endings that mean this format.
    as_file : mapping of str to object
        Options for writing a file.
    """

    name: str
    function: Callable[..., Any]
    endings: tuple[str, ...] = ()
    as_file: Mapping[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> tuple[str, ...]:
        """The names of its options."""
        return tuple(inspect.signature(self.function).parameters)[1:]

    def file(self, report: Report) -> bytes:
        """Return the content of a file in this format; text ends with a line break."""
        content = self.function(report, **self.as_file)
        if isinstance(content, bytes):
            return content
        return (content if content.endswith("\n") else content + "\n").encode()


FORMATS: Registry[Format] = Registry(
    "report format",
    replace="module",
    taken="the report format {name!r} is declared already, in {module}.",
)


def report_format(
    name: str, *, endings: str | Iterable[str] = (), as_file: Mapping[str, Any] | None = None
) -> Callable[[Function], Function]:
    """Declare a function as a format of reports; see `Format`.

    Parameters
    ----------
    name : str
        One word; the method of `Report` is `to_NAME`.
    endings : str or list of str
        File endings, each with its dot; `Report.save` writes this format for them.
    as_file : mapping, optional
        Options for writing a file, if they differ from the defaults.

    Returns
    -------
    callable
        A decorator that returns the function as it is.

    Examples
    --------
    >>> import pdeval
    >>> @report_format("names", endings=".names")
    ... def to_names(report: Report) -> str:
    ...     return ", ".join(column.name for column in report.columns)
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.report(["AP", "RR"], marks=None).to_names()
    'run, AP, RR'
    >>> forget("names")
    """
    if not name.isidentifier():
        raise ValueError(
            f"the name of a format must be an identifier, as in Report.to_{name}(); found {name!r}."
        )
    suffixes = (endings,) if isinstance(endings, str) else tuple(endings)
    formats = _formats_by_ending()
    for ending in suffixes:
        if not ending.startswith(".") or ending != ending.lower():
            raise ValueError(
                f"the ending {ending!r} must be lower case and begin with a dot, e.g. '.tex'."
            )
        if ending in formats and formats[ending].name != name:
            raise ValueError(
                f"files that end in {ending!r} are {formats[ending].name} already. Choose another ending."
            )

    def declare(function: Function) -> Function:
        FORMATS.add(
            name, Format(name, function, suffixes, dict(as_file or {})), function.__module__
        )
        setattr(Report, f"to_{name}", function)
        return function

    return declare


def _formats_by_ending() -> dict[str, Format]:
    return {ending: declared for declared in FORMATS.values() for ending in declared.endings}


def forget(name: str) -> None:
    """Remove a declared format."""
    del FORMATS[name]
    delattr(Report, f"to_{name}")


def format_of(path: str | Path) -> Format:
    """Return the format of a file ending; the error lists all endings.

    Examples
    --------
    >>> format_of("table.tex").name
    'latex'
    """
    path = Path(path)
    ending = path.suffix.lower()
    formats = _formats_by_ending()
    if ending not in formats:
        fault = f"ends in {ending!r}" if ending else "has no ending"
        *others, last = sorted(formats)
        raise ValueError(
            f"the file name {path.name!r} {fault}; a report can be saved as {', '.join(others)} or {last}."
        )
    return formats[ending]
