r"""A Report as LaTeX: booktabs rules, decimals aligned by phantoms, no other package by default.

Numeric columns are centered and their cells are padded to one width with \phantom. This aligns decimal points and
centers numbers under their header, without siunitx or dcolumn.
"""

import re
import warnings
from dataclasses import replace
from typing import Literal, get_args

from pdeval.report.footnotes import placed
from pdeval.report.numbers import (
    MINUS,
    Marks,
    Markup,
    aligned_cells,
    check_length,
)
from pdeval.report.page_width import layout, n_rows
from pdeval.report.report import Report, headings, report_format, row_groups
from pdeval.tables import visible
from pdeval.verbs import one_of

Environment = Literal["table", "table*", "tabular", "longtable"]
Size = Literal["small", "footnotesize", "scriptsize", "tiny"]
# in points; letters of small fonts are relatively wider
SIZES = {"normalsize": 10.0, "small": 9.3, "footnotesize": 8.6, "scriptsize": 7.8, "tiny": 6.5}
WIDTHS = {"table": 345.0, "table*": 505.0}  # of the text in points
PAGE_ROWS = 50  # rows of a table that fit a page

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi",
    "ρ": "rho", "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega",
    "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi",
    "Ψ": "Psi", "Ω": "Omega", "µ": "mu",
}  # fmt: skip
_SIGNS = {
    MINUS: "-", "±": r"\pm", "×": r"\times", "∞": r"\infty", "≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "≈": r"\approx",
    "→": r"\rightarrow", "←": r"\leftarrow", "↑": r"\uparrow", "↓": r"\downarrow", "†": r"\dagger",
    "‡": r"\ddagger", "∗": r"\ast", "·": r"\cdot", "<": "<", ">": ">", "|": "|",
}  # fmt: skip
_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", '"': r"\textquotedblright{}",
    "–": "--", "—": "---", "…": r"\dots{}", "‘": "`", "’": "'", "“": "``", "”": "''", "\u00a0": "~",
    "[": "{[}", "]": "{]}", "*": "{*}",  # after \\ they would be its options
    **{letter: f"$\\{name}$" for letter, name in _GREEK.items()},
    **{sign: f"${name}$" for sign, name in _SIGNS.items()},
    **{sign: rf"\textsubscript{{{digit}}}" for digit, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    **{sign: rf"\textsuperscript{{{digit}}}" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}  # fmt: skip
_CHARACTERS = re.compile("|".join(map(re.escape, _ESCAPES)))


def escape(text: str) -> str:
    r"""Return plain text as LaTeX: specials escaped, Greek letters and signs in math, no accidental ligatures.

    Examples
    --------
    >>> print(escape("bm25_rm3 & 50% of α -- {x}"))
    bm25\_rm3 \& 50\% of $\alpha$ -{}- \{x\}
    """
    text = visible(text if text.isprintable() else re.sub(r"[ \t\r\n]+", " ", text))
    text = "".join(
        character for character in text if character.isprintable() or character == "\u00a0"
    )
    # two hyphens typed in a name are two hyphens, not a dash
    return "-{}".join(
        _CHARACTERS.sub(lambda match: _ESCAPES[match[0]], piece)
        for piece in re.split(r"-(?=-)", text)
    )


_MARKUP = Markup(
    escape,
    {"": "%s", "best": r"\textbf{%s}", "second": r"\underline{%s}"},
    hidden=r"\phantom{%s}",
    raised=r"\textsuperscript{%s}",
    overlaid=r"\rlap{%s}",
    spread=r" $\pm$ %s",
)


@report_format("latex", endings=".tex")
def to_latex(
    report: Report,
    *,
    environment: Environment = "table",
    marks: Marks | None = None,
    compact: bool | None = None,
    resize: bool = False,
    size: Size | None = None,
    separation: str | None = None,
    width: float | None = None,
    position: str = "t",
) -> str:
    r"""Return LaTeX that needs only booktabs, except for `longtable` and `resize`.

    Parameters
    ----------
    environment : {"table", "table*", "tabular", "longtable"}
        A float in one column, a float across both columns of a two-column page, the bare tabular, or a table that can
        span pages with its header on each. The last needs the package longtable and a one-column page.
    marks : {"raised", "below"}, optional
        Position of significance marks: raised after the number, or on a separate line below it, which is narrower. By
        default raised; with `compact`, below if they are longer than three letters.
    compact : bool, optional
        Whether to use a small font (footnotesize) and little space between columns (3pt), unless `size` or
        `separation` is set. By default, floats wider than the text are compact.
    resize : bool
        Whether to shrink a table that is wider than the column. Needs the package graphicx.
    size : {"small", "footnotesize", "scriptsize", "tiny"}, optional
        Font size, to fit a narrow column.
    separation : str, optional
        Half the space between columns, to fit a narrow column; the default of LaTeX is '6pt'.
    width : float, optional
        Width of the text in points; columns of a float that do not fit, by an estimate, follow in a table below, or in
        another float if the page is too short for both. By default 345 for 'table', a page of the class article, and
        505 for 'table*'. A column of a two-column page has about 240, and infinity keeps all columns beside each other.
        It does not apply to 'tabular', 'longtable' and `resize`.
    position : str, default "t"
        Position of the float.

    Returns
    -------
    str
        The table, without a preamble.

    Examples
    --------
    >>> from pdeval.report import Cell, Column
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
    kind = one_of("environment", environment, get_args(Environment))
    if size is not None:
        one_of("size", size, get_args(Size))
    if not re.fullmatch(r"[htbpH!]*", position):
        raise ValueError(
            f"position={position!r}: a float's position is made of the letters h, t, b, p, ! and H."
        )
    if separation is not None:
        check_length("separation", separation, "pt|em|ex|mm|cm|in", "LaTeX", "4pt")
    if resize and kind == "longtable":
        raise ValueError(
            "resize=True: a longtable cannot be resized; try compact=True, or a smaller size=."
        )
    if kind not in WIDTHS or resize:
        width = None
    elif width is None:
        width = WIDTHS[kind]

    def points(compact: bool) -> tuple[float, float]:
        font = SIZES[size or ("footnotesize" if compact else "normalsize")]
        return font, 6.0 if compact and separation is None else 12.0

    compact, below, parts = layout(report, marks, compact, width, points)
    letters = size or ("footnotesize" if compact else "")
    separation = separation or ("3pt" if compact else None)
    if kind in WIDTHS and len(report.rows) > PAGE_ROWS:
        warnings.warn(
            f"the table has {len(report.rows)} rows, and a float does not continue on the next page. "
            "Use environment='longtable'.",
            UserWarning,
            stacklevel=3,
        )
    look = [
        *([rf"\{letters}"] if letters else []),
        *([rf"\setlength{{\tabcolsep}}{{{separation}}}"] if separation is not None else []),
    ]
    about = [
        *([rf"\caption{{{escape(report.caption)}}}"] if report.caption is not None else []),
        *([rf"\label{{{report.label}}}"] if report.label is not None else []),
    ]
    notes = " ".join(map(escape, placed(report.notes, below=below)))
    if kind == "longtable":
        spec, header, body = _parts(report, below)
        # the caption once, the header on every page, the notes after the last
        more = (
            rf"\multicolumn{{{len(report.columns)}}}{{@{{}}r@{{}}}}{{\footnotesize continued}} \\"
        )
        lines = [
            r"\begingroup",
            *look,
            rf"\begin{{longtable}}{{{spec}}}",
            *(["".join(about) + r" \\", *header, r"\endfirsthead"] if about else []),
            *header,
            r"\endhead",
            rf"\midrule{more}",
            r"\endfoot",
            r"\bottomrule",
            r"\endlastfoot",
            *body,
            r"\end{longtable}",
            *([rf"\noindent\footnotesize\raggedright {notes}\par"] if notes else []),
            r"\endgroup",
        ]
        return "\n".join(lines)
    tables = [
        [rf"\begin{{tabular}}{{{spec}}}", *header, *body, r"\bottomrule", r"\end{tabular}"]
        for spec, header, body in (_parts(part, below) for part in parts)
    ]
    if resize:  # \width is the natural width of the table
        tables[0].insert(0, r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%")
        tables[0][-1] += "}"
    if kind == "tabular":
        return "\n".join(tables[0])
    # parts that do not fit a page together are floats of their own
    floats = [[table] for table in tables] if n_rows(parts, below) > PAGE_ROWS else [tables]
    lines = []
    for tables in floats:
        lines += [
            rf"\begin{{{kind}}}[{position}]" if position else rf"\begin{{{kind}}}",
            r"\centering",
            *about,
            *look,
            *tables[0],
            *(line for table in tables[1:] for line in (r"\par\medskip", *table)),
        ]
        if notes and tables is floats[-1]:
            lines += [
                r"\par\smallskip",
                r"\begin{minipage}{\linewidth}",
                rf"\footnotesize\raggedright {notes}",
                r"\end{minipage}",
            ]
        lines.append(rf"\end{{{kind}}}")
        if report.caption is not None:
            about = [
                rf"\addtocounter{{table}}{{-1}}\caption{{{escape(report.caption)} (continued)}}"
            ]
    return "\n".join(lines)


def _parts(report: Report, below: bool) -> tuple[str, list[str], list[str]]:
    """Return the specification of the columns, the lines of the header and those of the rows."""
    # a column without a header has letters: keep them close to the systems
    kinds = (
        "c" if column.numeric else "l" if column.header else r"l@{\hspace{0.6em}}"
        for column in report.columns
    )
    # a plain asterisk is raised already
    cells_of_rows = [
        [replace(cell, marks=cell.marks.replace("*", "∗")) for cell in row] for row in report.rows
    ]
    columns = [
        aligned_cells(cells, _MARKUP, numeric=column.numeric, below=below)
        for column, cells in zip(report.columns, zip(*cells_of_rows), strict=False)
    ]
    rows = [[_row(list(cells))] for cells in zip(*columns)]
    if below:
        for lines, cells in zip(rows, report.rows):
            marks = [rf"\scriptsize {escape(cell.marks)}" if cell.marks else "" for cell in cells]
            lines += [_row(marks) + "[0.4ex]"] if any(marks) else []
    body: list[str] = []
    for title, members in row_groups(report, rows):
        body += [r"\midrule"] if body else []
        if title is not None:
            heading = rf"\textit{{{escape(title)}}}"
            body.append(rf"\multicolumn{{{len(report.columns)}}}{{@{{}}l@{{}}}}{{{heading}}} \\")
        body += [line for lines in members for line in lines]
    arrows = {None: "", True: r" $\uparrow$", False: r" $\downarrow$"}
    names = _row([escape(column.header) + arrows[column.higher] for column in report.columns])
    return (
        f"@{{}}{''.join(kinds)}@{{}}",
        [r"\toprule", *_heading_rows(report), names, r"\midrule"],
        body,
    )


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _heading_rows(report: Report) -> list[str]:
    over = headings(report)
    cells = [
        rf"\multicolumn{{{len(members)}}}{{c}}{{{escape(title)}}}"
        if title
        else " & " * (len(members) - 1)
        for title, members in over
    ]
    rules = [
        rf"\cmidrule(lr){{{members[0] + 1}-{members[-1] + 1}}}" for title, members in over if title
    ]
    return [_row(cells), "".join(rules)] if cells else []
