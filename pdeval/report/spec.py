"""The frozen table of a paper: cells with their marks, headers, groups, caption, notes. No markup in here.

A `Report` says what stands where and what is emphasised; the renderers (latex, html, markdown, sheet) say how
that looks. All texts are plain: every renderer escapes them for its own format.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pandas as pd

DASH = "–"
Emphasis = Literal["", "best", "second"]
Environment = Literal["table", "table*", "tabular"]
Size = Literal["small", "footnotesize", "scriptsize", "tiny"]


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
    """

    value: float | int | str | None
    text: str
    emphasis: Emphasis = ""
    marks: str = ""
    spread: tuple[float, ...] = ()
    spread_text: tuple[str, ...] = ()


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
        return self.to_markdown()

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_latex(
        self,
        *,
        environment: Environment = "table",
        size: Size | None = None,
        separation: str | None = None,
        position: str = "t",
    ) -> str:
        r"""Return LaTeX that needs booktabs and nothing else.

        Parameters
        ----------
        environment : {"table", "table*", "tabular"}
            A float in one column, a float over both columns of a two-column page, or the bare tabular.
        size : {"small", "footnotesize", "scriptsize", "tiny"}, optional
            The size of the letters, to fit a narrow column.
        separation : str, optional
            Half the space between columns, to fit a narrow column; LaTeX's own is '6pt'.
        position : str, default "t"
            Where the float may go.

        Examples
        --------
        >>> table = Report((Column("run", "System", numeric=False), Column("AP", "AP")),
        ...                ((Cell("bm25_rm3", "bm25_rm3"), Cell(0.5, "0.500", "best", "a")),))
        >>> print(table.to_latex(environment="tabular"))
        \begin{tabular}{@{}lc@{}}
        \toprule
        System & AP \\
        \midrule
        bm25\_rm3 & \textbf{0.500}\textsuperscript{a} \\
        \bottomrule
        \end{tabular}
        """
        from pdeval.report import latex

        return latex.render(self, environment=environment, size=size, separation=separation, position=position)

    def to_html(self, *, standalone: bool = False) -> str:
        """Return an HTML table that carries its own style; a whole page where `standalone`.

        Examples
        --------
        >>> table = Report((Column("run", "System", numeric=False),), ((Cell("a<b", "a<b"),),))
        >>> "a&lt;b" in table.to_html()
        True
        """
        from pdeval.report import html

        return html.render(self, standalone=standalone)

    def to_markdown(self) -> str:
        """Return a pipe table, readable as it is and rendered by GitHub, notebooks and pandoc.

        Examples
        --------
        >>> print(Report((Column("run", "System", numeric=False),), ((Cell("a|b", "a|b"),),)).to_markdown())
        | System |
        |:-------|
        | a\\|b   |
        """
        from pdeval.report import markdown

        return markdown.render(self)

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a frame that a spreadsheet can open: numbers unrounded, marks in their own columns.

        A text that a spreadsheet would read as a formula (it begins with =, +, - or @) gets an apostrophe in front.

        Examples
        --------
        >>> table = Report((Column("run", "System", numeric=False), Column("AP", "AP", spread=("sd",))),
        ...                ((Cell("-x", "-x"), Cell(0.5, "0.5", marks="a", spread=(0.1,), spread_text=("0.1",))),))
        >>> print(table.to_frame().to_string(index=False))
        run  AP AP_marks  AP_sd
        '-x 0.5        a    0.1
        """
        from pdeval.report import sheet

        return sheet.frame(self)

    def to_excel(self, path: str | Path, *, sheet_name: str = "report") -> None:
        """Write `to_frame()` as an Excel file, the caption and the notes on a second sheet; needs openpyxl.

        Examples
        --------
        >>> report(scores).to_excel("table.xlsx")  # doctest: +SKIP
        """
        from pdeval.report import sheet

        sheet.excel(self, Path(path), sheet_name)

    def save(self, path: str | Path) -> Path:
        """Write the table in the format of the file's ending (.tex .html .md .csv .xlsx) and return the path.

        Examples
        --------
        >>> import tempfile
        >>> table = Report((Column("run", "System", numeric=False),), ((Cell("bm25", "bm25"),),))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     print(table.save(folder + "/table.csv").read_text())
        run
        bm25
        """
        from pdeval.report import sheet

        return sheet.save(self, Path(path))
