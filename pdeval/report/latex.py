r"""A Report as LaTeX: booktabs rules, decimals aligned by phantoms, no other package.

Numeric columns are centred and their cells padded to one width with \phantom, so that the decimal points stand
under each other and the numbers under their header, without siunitx or dcolumn.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Literal, get_args

from pdeval.mechanics.visible import visible
from pdeval.report.digits import MINUS
from pdeval.report.formats import report_format
from pdeval.report.spec import DASH, Cell, Column, Report

Environment = Literal["table", "table*", "tabular"]
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
    if separation is not None and not re.fullmatch(r"\d+(\.\d+)?(pt|em|ex|mm|cm|in)", separation):
        raise ValueError(f"separation={separation!r}: give a length that LaTeX knows, e.g. '4pt'.")
    lines = _tabular(report)
    if environment == "tabular":
        return "\n".join(lines)
    head = [rf"\begin{{{environment}}}[{position}]" if position else rf"\begin{{{environment}}}", r"\centering"]
    if report.caption is not None:
        head.append(rf"\caption{{{escape(report.caption)}}}")
    if report.label is not None:
        head.append(rf"\label{{{report.label}}}")
    if size is not None:
        head.append(rf"\{size}")
    if separation is not None:
        head.append(rf"\setlength{{\tabcolsep}}{{{separation}}}")
    tail = [rf"\end{{{environment}}}"]
    if report.notes:
        notes = " ".join(map(escape, report.notes))
        tail = [
            r"\par\smallskip",
            r"\begin{minipage}{\linewidth}",
            rf"\footnotesize\raggedright {notes}",
            r"\end{minipage}",
            *tail,
        ]
    return "\n".join([*head, *lines, *tail])


def _tabular(report: Report) -> list[str]:
    # a column without a header holds letters: keep them close to what they name
    kinds = ("c" if column.numeric else "l" if column.header else r"l@{\hspace{0.6em}}" for column in report.columns)
    spec = "".join(kinds)
    columns = [_cells(column, cells) for column, cells in zip(report.columns, zip(*report.rows), strict=False)] or [
        [] for _ in report.columns
    ]
    rows = [_row(list(cells)) for cells in zip(*columns)]
    body: list[str] = []
    if report.groups:
        start = 0
        for place, group in enumerate(report.groups):
            body += [r"\midrule"] if place else []
            title = rf"\textit{{{escape(group.title)}}}"
            body.append(rf"\multicolumn{{{len(report.columns)}}}{{@{{}}l@{{}}}}{{{title}}} \\")
            body += rows[start : start + group.size]
            start += group.size
    else:
        body = rows
    return [
        rf"\begin{{tabular}}{{@{{}}{spec}@{{}}}}",
        r"\toprule",
        *_header_groups(report.columns),
        _row([_header(column) for column in report.columns]),
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]


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


def _cells(column: Column, cells: tuple[Cell, ...]) -> list[str]:
    if not column.numeric:
        return [_emphasised(escape(cell.text), cell) for cell in cells]
    texts = _aligned([cell.text for cell in cells], [cell.emphasis for cell in cells])
    marks = _marks([cell.marks for cell in cells])
    spreads = _spreads([cell.spread_text for cell in cells])
    alone = [cell.value is None for cell in cells]
    return [
        escape(cell.text) if bare else text + mark + spread
        for cell, bare, text, mark, spread in zip(cells, alone, texts, marks, spreads)
    ]


def _emphasised(text: str, cell: Cell) -> str:
    return {"": text, "best": rf"\textbf{{{text}}}", "second": rf"\underline{{{text}}}"}[cell.emphasis]


def _split(text: str) -> tuple[str, str, str]:
    found = re.fullmatch(r"([−<]?)(\d+)(\.\d+)?", text)
    return (found[1], found[2], found[3] or "") if found else ("", "", text)


def _aligned(texts: list[str], emphasis: list[str] | None = None) -> list[str]:
    """Pad the numbers to one width: signs, digits before the point, digits after it."""
    rests = [_split(text)[2] for text in texts if _split(text)[1]]
    decimals = max(map(len, rests), default=0)
    out = []
    for text, before, stress in zip(texts, _padding(texts), emphasis or [""] * len(texts)):
        shown = {"": "{}", "best": r"\textbf{{{}}}", "second": r"\underline{{{}}}"}[stress].format(escape(text))
        _, whole, rest = _split(text)
        missing = decimals - len(rest) if whole else 0
        filler = "." * (not rest) + "0" * (missing - (not rest)) if missing else ""
        out.append(before + shown + (rf"\phantom{{{filler}}}" if filler else ""))
    return out


def _padding(texts: list[str]) -> list[str]:
    """The signs and digits before the point that a number lacks beside the longest."""
    parts = [_split(text) for text in texts]
    signs = [sign for sign, _, _ in parts if sign]
    width = max(len(whole) for _, whole, _ in parts)
    out = []
    for sign, whole, _ in parts:
        text = rf"\phantom{{{escape(signs[0])}}}" if whole and signs and not sign else ""
        lacking = width - len(whole) if whole else 0
        out.append(text + (rf"\phantom{{{'0' * lacking}}}" if lacking else ""))
    return out


def _marks(marks: list[str]) -> list[str]:
    """Raise the marks and pad them to the width of the longest, so that they do not push the numbers apart."""
    longest = max(marks, key=len, default="")
    if not longest:
        return [""] * len(marks)
    raised = [_raised(mark) if mark else "" for mark in marks]
    widest = _raised(longest)
    return [
        text if text == widest else (rf"\rlap{{{text}}}" if text else "") + rf"\phantom{{{widest}}}" for text in raised
    ]


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
    lows, highs = [_padding([spread[i] if spread else DASH for spread in spreads]) for i in (0, 1)]
    return [
        f" {low}[{escape(spread[0])}, {escape(spread[1])}]{high}" if spread else ""
        for spread, low, high in zip(spreads, lows, highs)
    ]
