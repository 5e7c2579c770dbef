r"""A Report as LaTeX: booktabs rules, decimals aligned by phantoms, no other package unless it is asked for.

Numeric columns are centred and their cells padded to one width with \phantom, so that the decimal points stand
under each other and the numbers under their header, without siunitx or dcolumn.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Literal, get_args

from pdeval.report.footnotes import placed
from pdeval.report.formats import report_format
from pdeval.report.numbers import MINUS, Lacking, Marks, check_length, lacking, marks_below, widest
from pdeval.report.report import DASH, Cell, Column, Report
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
    text = "".join(character for character in text if character.isprintable() or character == "\u00a0")
    # two hyphens typed in a name are two hyphens, not a dash
    pieces = [_CHARACTERS.sub(lambda found: _ESCAPES[found[0]], piece) for piece in re.split(r"-(?=-)", text)]
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
        raise ValueError(f"position={position!r}: a float's position is made of the letters h, t, b, p, ! and H.")
    if separation is not None:
        check_length("separation", separation, "pt|em|ex|mm|cm|in", "LaTeX", "4pt")
    if resize and environment == "longtable":
        raise ValueError("resize=True: a longtable cannot be resized; try compact=True, or a smaller size=.")
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
        lines = [r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%", *lines[:-1], lines[-1] + "}"]
    if environment == "tabular":
        return "\n".join(lines)
    head = [rf"\begin{{{environment}}}[{position}]" if position else rf"\begin{{{environment}}}", r"\centering"]
    tail = [rf"\end{{{environment}}}"]
    if notes:
        said = [r"\begin{minipage}{\linewidth}", rf"\footnotesize\raggedright {notes}", r"\end{minipage}"]
        tail = [r"\par\smallskip", *said, *tail]
    return "\n".join([*head, *about, *look, *lines, *tail])


def _over_pages(
    spec: str, header: list[str], body: list[str], look: list[str], about: list[str], notes: str, columns: int
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
    """The columns as LaTeX declares them, the lines of the header and those of the rows."""
    # a column without a header holds letters: keep them close to what they name
    kinds = ("c" if column.numeric else "l" if column.header else r"l@{\hspace{0.6em}}" for column in report.columns)
    columns = [_cells(column, cells, below) for column, cells in zip(report.columns, zip(*report.rows), strict=False)]
    rows = [[_row(list(cells))] for cells in zip(*columns)]
    if below:
        rows = [[*row, *_marks_row(cells)] for row, cells in zip(rows, report.rows)]
        rows = [[row[0], row[1] + "[0.4ex]"] if len(row) > 1 else row for row in rows]
    body: list[str] = []
    start = 0
    for place, group in enumerate(report.groups):
        body += [r"\midrule"] if place else []
        title = rf"\textit{{{escape(group.title)}}}"
        body.append(rf"\multicolumn{{{len(report.columns)}}}{{@{{}}l@{{}}}}{{{title}}} \\")
        body += [line for row in rows[start : start + group.size] for line in row]
        start += group.size
    if not report.groups:
        body = [line for row in rows for line in row]
    names = _row([_header(column) for column in report.columns])
    return f"@{{}}{''.join(kinds)}@{{}}", [r"\toprule", *_header_groups(report.columns), names, r"\midrule"], body


def _marks_row(cells: tuple[Cell, ...]) -> list[str]:
    """The line of a row's marks, where it has any."""
    shown = [rf"\scriptsize {escape(cell.marks)}" if cell.marks else "" for cell in cells]
    return [_row(shown)] if any(shown) else []


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _header(column: Column) -> str:
    arrow = {None: "", True: r" $\uparrow$", False: r" $\downarrow$"}[column.higher]
    return escape(column.header) + arrow


def _header_groups(columns: tuple[Column, ...]) -> list[str]:
    if not any(column.group for column in columns):
        return []
    cells, rules, start = [], [], 1
    for title, members in groupby(columns, key=lambda column: column.group):
        width = len(list(members))
        if title:
            cells.append(rf"\multicolumn{{{width}}}{{c}}{{{escape(title)}}}")
            rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
        else:
            cells += [""] * width
        start += width
    return [_row(cells), "".join(rules)]


def _cells(column: Column, cells: tuple[Cell, ...], below: bool) -> list[str]:
    if not column.numeric:
        return [_emphasised(escape(cell.text), cell) for cell in cells]
    texts = _aligned([cell.text for cell in cells], [cell.emphasis for cell in cells])
    marks = _marks(["" if below else cell.marks for cell in cells])
    spreads = _spreads([cell.spread_text for cell in cells])
    alone = [cell.value is None for cell in cells]
    return [
        escape(cell.text) if bare else text + mark + spread
        for cell, bare, text, mark, spread in zip(cells, alone, texts, marks, spreads)
    ]


def _emphasised(text: str, cell: Cell) -> str:
    return {"": text, "best": rf"\textbf{{{text}}}", "second": rf"\underline{{{text}}}"}[cell.emphasis]


def _aligned(texts: list[str], emphasis: list[str] | None = None) -> list[str]:
    """Pad the numbers to one width: signs, digits before the point, digits after it."""
    out = []
    for text, short, stress in zip(texts, lacking(texts), emphasis or [""] * len(texts)):
        shown = {"": "{}", "best": r"\textbf{{{}}}", "second": r"\underline{{{}}}"}[stress].format(escape(text))
        out.append(_phantom(short.sign) + _phantom(short.digits) + shown + _phantom(short.decimals))
    return out


def _phantom(text: str) -> str:
    return rf"\phantom{{{escape(text)}}}" if text else ""


def _marks(marks: list[str]) -> list[str]:
    """Raise the marks and pad them to the width of the longest, so that they do not push the numbers apart."""
    longest = widest(marks)
    if not longest:
        return [""] * len(marks)
    raised, room = [_raised(mark) if mark else "" for mark in marks], _raised(longest)
    return [text if text == room else (rf"\rlap{{{text}}}" if text else "") + rf"\phantom{{{room}}}" for text in raised]


def _raised(mark: str) -> str:
    text = escape(mark.replace("*", "∗"))  # a plain asterisk is raised already
    return rf"\textsuperscript{{{text}}}"


def _spreads(spreads: list[tuple[str, ...]]) -> list[str]:
    sizes = {len(spread) for spread in spreads} - {0}
    if not sizes:
        return [""] * len(spreads)
    ends = max(sizes)
    if ends == 1:
        sides = _aligned([spread[0] if spread else DASH for spread in spreads])
        return [rf" $\pm$ {side}" if spread else "" for side, spread in zip(sides, spreads)]
    # the padding stands outside the brackets, where it does not show
    lows, highs = [lacking([spread[i] if spread else DASH for spread in spreads]) for i in (0, 1)]
    return [
        f" {_before(low)}[{escape(spread[0])}, {escape(spread[1])}]{_before(high)}" if spread else ""
        for spread, low, high in zip(spreads, lows, highs)
    ]


def _before(short: Lacking) -> str:
    return _phantom(short.sign) + _phantom(short.digits)
