r"""A Report as LaTeX: booktabs rules, decimals aligned by phantoms, no other package unless it is asked for.

Numeric columns are centred and their cells padded to one width with \phantom, so that the decimal points stand
under each other and the numbers under their header, without siunitx or dcolumn.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from pdeval.report.footnotes import placed
from pdeval.report.numbers import (
    MINUS,
    Marks,
    Padding,
    aligned_spreads,
    check_length,
    marks_below,
    paddings,
)
from pdeval.report.report import Cell, Column, Report, headings, report_format, row_groups
from pdeval.tables.labels import visible

Environment = Literal["table", "table*", "tabular", "longtable"]
Size = Literal["small", "footnotesize", "scriptsize", "tiny"]

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
    pieces = [
        _CHARACTERS.sub(lambda match: _ESCAPES[match[0]], piece)
        for piece in re.split(r"-(?=-)", text)
    ]
    return "-{}".join(pieces)


@report_format("latex", endings=".tex")
def to_latex(
    report: Report,
    *,
    environment: Environment = "table",
    marks: Marks | None = None,
    compact: bool = False,
    resize: bool = False,
    size: Size | None = None,
    separation: str | None = None,
    position: str = "t",
) -> str:
    r"""Return LaTeX that needs booktabs and nothing else, but for `longtable` and `resize`.

    Parameters
    ----------
    environment : {"table", "table*", "tabular", "longtable"}
        A float in one column, a float over both columns of a two-column page, the bare tabular, or a table that goes on
        over pages with its header on each; that needs the package longtable and a page of one column.
    marks : {"raised", "below"}, optional
        Where significance marks stand: after the number, or on a line of their own below it, which is narrower. By
        default raised; with `compact` below, where they are longer than three letters.
    compact : bool
        Small letters and little room between columns: footnotesize and 3pt, where `size` and `separation` do not say.
    resize : bool
        Makes a table that is too wide as small as the column; needs the package graphicx.
    size : {"small", "footnotesize", "scriptsize", "tiny"}, optional
        The size of the letters, to fit a narrow column.
    separation : str, optional
        Half the space between columns, to fit a narrow column; LaTeX's own is '6pt'.
    position : str, default "t"
        Where the float may go.

    Returns
    -------
    str
        The table, without a preamble.

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
    if environment not in get_args(Environment):
        offered = ", ".join(map(repr, get_args(Environment)))
        raise ValueError(f"environment={environment!r}: a table can be one of {offered}.")
    if size is not None and size not in get_args(Size):
        raise ValueError(f"size={size!r}: choose one of {', '.join(map(repr, get_args(Size)))}.")
    if not re.fullmatch(r"[htbpH!]*", position):
        raise ValueError(
            f"position={position!r}: a float's position is made of the letters h, t, b, p, ! and H."
        )
    if separation is not None:
        check_length("separation", separation, "pt|em|ex|mm|cm|in", "LaTeX", "4pt")
    if resize and environment == "longtable":
        raise ValueError(
            "resize=True: a longtable cannot be resized; try compact=True, or a smaller size=."
        )
    below = marks_below(report, marks, compact)
    spec, header, body = _parts(report, below)
    size = size or ("footnotesize" if compact else None)
    separation = separation or ("3pt" if compact else None)
    look = [rf"\{size}"] if size is not None else []
    look += [rf"\setlength{{\tabcolsep}}{{{separation}}}"] if separation is not None else []
    about = [rf"\caption{{{escape(report.caption)}}}"] if report.caption is not None else []
    about += [rf"\label{{{report.label}}}"] if report.label is not None else []
    notes = " ".join(map(escape, placed(report.notes, below=below)))
    if environment == "longtable":
        return "\n".join(_over_pages(spec, header, body, look, about, notes, len(report.columns)))
    lines = [rf"\begin{{tabular}}{{{spec}}}", *header, *body, r"\bottomrule", r"\end{tabular}"]
    if resize:  # \width is the table's own
        lines = [
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            *lines[:-1],
            lines[-1] + "}",
        ]
    if environment == "tabular":
        return "\n".join(lines)
    head = [
        rf"\begin{{{environment}}}[{position}]" if position else rf"\begin{{{environment}}}",
        r"\centering",
    ]
    if notes:
        lines += [
            r"\par\smallskip",
            r"\begin{minipage}{\linewidth}",
            rf"\footnotesize\raggedright {notes}",
            r"\end{minipage}",
        ]
    return "\n".join([*head, *about, *look, *lines, rf"\end{{{environment}}}"])


def _over_pages(
    spec: str,
    header: list[str],
    body: list[str],
    look: list[str],
    about: list[str],
    notes: str,
    columns: int,
) -> list[str]:
    """A longtable: the caption once, the header on every page, the notes after the last."""
    more = rf"\midrule\multicolumn{{{columns}}}{{@{{}}r@{{}}}}{{\footnotesize continued}} \\"
    first = ["".join(about) + r" \\"] if about else []
    return [
        r"\begingroup",
        *look,
        rf"\begin{{longtable}}{{{spec}}}",
        *([*first, *header, r"\endfirsthead"] if first else []),
        *header,
        r"\endhead",
        more,
        r"\endfoot",
        r"\bottomrule",
        r"\endlastfoot",
        *body,
        r"\end{longtable}",
        *([rf"\noindent\footnotesize\raggedright {notes}\par"] if notes else []),
        r"\endgroup",
    ]


def _parts(report: Report, below: bool) -> tuple[str, list[str], list[str]]:
    """Return the specification of the columns, the lines of the header and those of the rows."""
    # a column without a header holds letters: keep them close to what they name
    kinds = (
        "c" if column.numeric else "l" if column.header else r"l@{\hspace{0.6em}}"
        for column in report.columns
    )
    columns = [
        _cells(column, cells, below)
        for column, cells in zip(report.columns, zip(*report.rows), strict=False)
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
    cells = []
    rules = []
    for title, members in headings(report):
        if title:
            cells.append(rf"\multicolumn{{{len(members)}}}{{c}}{{{escape(title)}}}")
            rules.append(rf"\cmidrule(lr){{{members[0] + 1}-{members[-1] + 1}}}")
        else:
            cells += [""] * len(members)
    return [_row(cells), "".join(rules)] if cells else []


def _cells(column: Column, cells: tuple[Cell, ...], below: bool) -> list[str]:
    if not column.numeric:
        return [_emphasized(cell) for cell in cells]
    padding = paddings([cell.text for cell in cells])
    marks = _marks(["" if below else cell.marks for cell in cells])
    spreads = aligned_spreads([cell.spread_text for cell in cells], _deviation, _interval)
    return [
        escape(cell.text) if cell.value is None else _padded(_emphasized(cell), pad) + mark + spread
        for cell, pad, mark, spread in zip(cells, padding, marks, spreads)
    ]


def _emphasized(cell: Cell) -> str:
    text = escape(cell.text)
    return {"": text, "best": rf"\textbf{{{text}}}", "second": rf"\underline{{{text}}}"}[
        cell.emphasis
    ]


def _padded(text: str, padding: Padding) -> str:
    """Return a number as wide as the others: signs, digits before the point, digits after it."""
    return _before(padding) + text + _phantom(padding.decimals)


def _before(padding: Padding) -> str:
    return _phantom(padding.sign) + _phantom(padding.digits)


def _phantom(text: str) -> str:
    return rf"\phantom{{{escape(text)}}}" if text else ""


def _marks(marks: list[str]) -> list[str]:
    """Raise the marks and pad them to the width of the longest, so that the numbers stay aligned."""
    # a plain asterisk is raised already
    raised = [
        rf"\textsuperscript{{{escape(mark.replace('*', '∗'))}}}" if mark else "" for mark in marks
    ]
    if not any(marks):
        return raised
    longest = raised[marks.index(max(marks, key=len))]
    return [
        text
        if text == longest
        else (rf"\rlap{{{text}}}" if text else "") + rf"\phantom{{{longest}}}"
        for text in raised
    ]


def _deviation(spread: tuple[str, ...], padding: Padding) -> str:
    return rf" $\pm$ {_padded(escape(spread[0]), padding)}"


def _interval(spread: tuple[str, ...], low: Padding, high: Padding) -> str:
    # the padding is outside the brackets, where it is not seen
    return f" {_before(low)}[{escape(spread[0])}, {escape(spread[1])}]{_before(high)}"
