"""The frozen table of a paper: cells with their marks, headers, groups, caption, notes. No markup in here.

A `Report` says what stands where and what is emphasised; the declared formats (see `formats`) say how that looks. All
texts are plain: every format escapes them for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from pdeval.files.atomic_write import replacing

DASH = "–"
Emphasis = Literal["", "best", "second"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: the value, and how it is printed.

    Parameters
    ----------
    value : float, int, str or None
        What goes into a frame; None where there is nothing.
    text : str
        What is printed, e.g. "0.312".
    emphasis : {"", "best", "second"}
        Bold or underlined.
    marks : str
        Significance marks, printed raised.
    spread : tuple of float
        An sd, or the two ends of an interval.
    spread_text : tuple of str
        The same as printed.
    place : tuple of int
        Which of the report's origins it comes from, and its measure and system there; empty where from none.
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

    `numeric` columns are aligned at the decimal point; `higher` asks for an arrow up or down; `spread` names the
    frame columns of the cells' spread, e.g. ("sd",) or ("ci_low", "ci_high").
    """

    name: str
    header: str
    group: str = ""
    numeric: bool = True
    higher: bool | None = None
    spread: tuple[str, ...] = ()


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
        What the numbers were computed from, for each collection, where the table is one of systems: the interactive
        page opens it. Two reports that print alike are equal whatever theirs.
    findings : tuple
        What was found of the systems, for `sentence`; no part of the table.

    Examples
    --------
    >>> table = Report((Column("run", "System", numeric=False), Column("AP", "AP", higher=True)),
    ...                ((Cell("bm25", "bm25"), Cell(0.25, "0.250")), (Cell("lm", "lm"), Cell(0.5, "0.500", "best"))))
    >>> table
    <Report: 2 rows x 2 columns; .to_latex(), .to_html(), .to_markdown(), .to_frame(), .save(path)>
    >>> print(table)
    | System |      AP ↑ |
    |:-------|----------:|
    | bm25   |     0.250 |
    | lm     | **0.500** |
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
                f"row {wrong} has {len(self.rows[wrong])} cells, but there are {len(self.columns)} columns; "
                "give one cell per column."
            )
        names = [column.name for column in self.columns]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two columns are named {twice!r}; give each its own name.")
        if self.groups and sum(group.size for group in self.groups) != len(self.rows):
            covered = sum(group.size for group in self.groups)
            raise ValueError(f"the groups cover {covered} rows, but there are {len(self.rows)}.")
        bad = sorted(set(self.label or "") & set("\\{}%#~^$&, \t\n"))
        if bad:
            raise ValueError(
                f"the label {self.label!r} has {', '.join(map(repr, bad))}, which LaTeX's \\label cannot take; "
                "use letters, digits, ':', '-' and '_'."
            )

    def __repr__(self) -> str:
        return (
            f"<Report: {len(self.rows)} rows x {len(self.columns)} columns; "
            ".to_latex(), .to_html(), .to_markdown(), .to_frame(), .save(path)>"
        )

    def __str__(self) -> str:
        return str(self.to_markdown())

    def _repr_html_(self) -> str:
        return str(self.to_html())

    def __getattr__(self, name: str) -> Callable[..., Any]:
        # to_latex, to_html, ... are set on the class where their formats are declared
        if name.startswith("to_"):
            from pdeval.report.formats import FORMATS

            offered = ", ".join(f".to_{one}()" for one in sorted(FORMATS))
            raise AttributeError(f"no report format {name[3:]!r}; there are {offered} and .to_frame().")
        raise AttributeError(f"a Report has no {name!r}.")

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a frame that a spreadsheet can open: numbers unrounded, marks in their own columns.

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
        from pdeval.report.spreadsheet import frame

        return frame(self)

    def sentence(self) -> str:
        """Return what the table shows as sentences for a paper: who is significantly better than whom.

        Without a baseline they are about the best system of each measure, as it prints; with baselines about who
        differs from them. They say what the marks of the table say, for they are made from the same tests.

        Returns
        -------
        str
            One sentence for each measure, or group of measures with the same outcome, and for each collection.

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
        >>> print(scores[scores["run"].isin(["bm25", "ql", "hybrid", "dense-s1"])].ireval.report().sentence())
        hybrid is significantly better than 2 of the 3 other systems in AP (paired Student t test, Bonferroni
        correction, α = 0.05); it is not told apart from dense-s1.
        """
        from pdeval.report.sentences import sentence

        return sentence(self.findings)

    def to_great_tables(self) -> Any:
        """Return the table as an object of the package great_tables, to be styled further and shown as HTML.

        Returns
        -------
        great_tables.GT
            Its data are the numbers of `to_frame()`; cells show them as the report prints them.

        Examples
        --------
        >>> table = Report((Column("AP", "AP"),), ((Cell(0.25, "0.250"),),))
        >>> table.to_great_tables().as_raw_html()  # doctest: +SKIP
        """
        from pdeval.report.great_tables import to_great_tables

        return to_great_tables(self)

    def save(self, path: str | Path) -> Path:
        """Write the table in the format of the file's ending and return the path.

        Parameters
        ----------
        path : str or Path
            Where; `.tex` is LaTeX, `.typ` Typst, `.md` Markdown, `.xlsx` a spreadsheet; `.html`, `.csv`, `.json` and
            `.parquet` are what they say. A file that is there is replaced when all of the new one is written.

        Returns
        -------
        Path
            Where it was written.

        Examples
        --------
        >>> import tempfile
        >>> table = Report((Column("run", "System", numeric=False),), ((Cell("bm25", "bm25"),),))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     print(table.save(folder + "/table.csv").read_text())
        run
        bm25
        """
        from pdeval.report.formats import format_of

        path = Path(path)
        content = format_of(path).file(self)
        with replacing(path) as beside:
            beside.write_bytes(content)
        return path
