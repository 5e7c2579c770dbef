# ruff: noqa: E501 (tables are compared line by line)
r"""LaTeX: literal text, escaping, and documents that a TeX program accepts."""

from dataclasses import replace

import pytest

from pdeval.report import Cell, Column, Group, Report, report
from pdeval.report.latex import escape
from tests.report.compiling import compiled

SPECIAL = r"a_b & 50% of $x$ #1 {y} ~z^2 \w <|> [s] *t* --u “q” α ≥ β, naïve" + ' "v"'


def test_a_table_with_letters(scores, comparisons):
    table = report(
        scores, comparisons=comparisons, caption="Systems & costs.", label="tab:main_one", digits=2
    )
    assert (
        table.to_latex()
        == r"""
\begin{table}[t]
\centering
\caption{Systems \& costs.}
\label{tab:main_one}
\begin{tabular}{@{}l@{\hspace{0.6em}}lcc@{}}
\toprule
 & System & AP $\uparrow$ & ASL $\downarrow$ \\
\midrule
a & bm25 & \underline{0.25}\phantom{\textsuperscript{ab}} & \underline{13.00}\rlap{\textsuperscript{b}}\phantom{\textsuperscript{ab}} \\
b & lm\_dir & 0.20\phantom{\textsuperscript{ab}} & 21.00\phantom{\textsuperscript{ab}} \\
c & dense & \textbf{0.45}\textsuperscript{ab} & \phantom{0}\textbf{3.00}\textsuperscript{ab} \\
\bottomrule
\end{tabular}
\par\smallskip
\begin{minipage}{\linewidth}
\footnotesize\raggedright Best in bold, second underlined. Raised letters: significantly better than the system of that letter (paired Student t test, Bonferroni correction, $\alpha$ = 0.05). 4 queries; tied scores ordered by document id; queries without a relevant document do not count; conventions of trec\_eval-10.
\end{minipage}
\end{table}""".lstrip("\n")
    )


def test_groups_headings_and_daggers(scores, comparisons):
    runs = scores.runs.assign(family=["sparse", "sparse", "neural"])
    table = report(
        scores,
        comparisons=comparisons,
        baseline="bm25",
        metadata=runs,
        group="family",
        columns={"AP": "Precision", "ASL": "Length"},
        footnotes=False,
        digits={"AP": 2, "ASL": 0},
    )
    assert (
        table.to_latex(environment="tabular")
        == r"""
\begin{tabular}{@{}lcc@{}}
\toprule
 & \multicolumn{1}{c}{Precision} & \multicolumn{1}{c}{Length} \\
\cmidrule(lr){2-2}\cmidrule(lr){3-3}
System & AP $\uparrow$ & ASL $\downarrow$ \\
\midrule
\multicolumn{3}{@{}l@{}}{\textit{sparse}} \\
bm25 & \underline{0.25}\phantom{\textsuperscript{$\dagger$}} & \underline{13}\phantom{\textsuperscript{$\ddagger$}} \\
lm\_dir & 0.20\phantom{\textsuperscript{$\dagger$}} & 21\textsuperscript{$\ddagger$} \\
\midrule
\multicolumn{3}{@{}l@{}}{\textit{neural}} \\
dense & \textbf{0.45}\textsuperscript{$\dagger$} & \phantom{0}\textbf{3}\rlap{\textsuperscript{$\dagger$}}\phantom{\textsuperscript{$\ddagger$}} \\
\bottomrule
\end{tabular}""".lstrip("\n")
    )


def cells(*rows, header="x"):
    """The one column of a table of numbers, as LaTeX."""
    table = Report((Column("x", header),), tuple((cell,) for cell in rows))
    lines = table.to_latex(environment="tabular").splitlines()
    return [line.removesuffix(r" \\") for line in lines[4:-2]]


def test_decimal_points_are_aligned_by_phantoms():
    column = cells(
        Cell(1.5, "1.5"),
        Cell(-10.25, "−10.25"),
        Cell(3.0, "3"),
        Cell(None, "–"),
        Cell(0.0, "<0.01"),
    )
    assert column == [
        r"\phantom{$-$0}1.5\phantom{0}",
        r"$-$10.25",
        r"\phantom{$-$0}3\phantom{.00}",
        "--",
        r"\phantom{0}$<$0.01",
    ]


def test_a_spread_is_padded_outside_its_brackets():
    column = cells(
        Cell(0.5, "0.5", spread=(0.1, 9.0), spread_text=("0.1", "9.0")),
        Cell(20.0, "20.0", spread=(-1.0, 10.0), spread_text=("−1.0", "10.0")),
    )
    assert column == [
        r"\phantom{0}0.5 \phantom{$-$}[0.1, 9.0]\phantom{0}",
        r"20.0 [$-$1.0, 10.0]",
    ]
    assert cells(Cell(0.5, "0.5", spread=(0.1,), spread_text=("0.1",))) == [r"0.5 $\pm$ 0.1"]


@pytest.mark.parametrize(
    ("plain", "latex"),
    [
        ("bm25_rm3", r"bm25\_rm3"),
        ("R&D", r"R\&D"),
        ("50%", r"50\%"),
        ("$x$", r"\$x\$"),
        ("#1", r"\#1"),
        ("{a}", r"\{a\}"),
        ("~a", r"\textasciitilde{}a"),
        ("a^2", r"a\textasciicircum{}2"),
        (r"\alpha", r"\textbackslash{}alpha"),
        ("a--b---c", r"a-{}-b-{}-{}-c"),
        ("[splade]", "{[}splade{]}"),
        ("*", "{*}"),
        ("<b>", "$<$b$>$"),
        ("α-nDCG", r"$\alpha$-nDCG"),
        ("two\nlines\tof text", "two lines of text"),
        ("nul\x00byte", r"nul\textbackslash{}x00byte"),
    ],
)
def test_special_characters_are_escaped(plain, latex):
    assert escape(plain) == latex


def test_a_first_cell_cannot_become_an_option_of_the_line_before():
    text = Report(
        (Column("run", "System", numeric=False),), ((Cell("a", "a"),), (Cell("[1cm]", "[1cm]"),))
    )
    assert "\\\\\n{[}1cm{]}" in text.to_latex(environment="tabular")


def test_the_float_can_be_wide_small_tight_and_elsewhere(scores):
    text = report(scores, marks=None).to_latex(
        environment="table*", size="small", separation="4pt", position=""
    )
    assert text.startswith(
        "\\begin{table*}\n\\centering\n\\small\n\\setlength{\\tabcolsep}{4pt}\n\\begin{tabular}"
    )
    assert text.endswith("\\end{table*}")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"environment": "array"},
            "environment='array': choose 'table', 'table\\*', 'tabular' or 'longtable'.",
        ),
        (
            {"marks": "over"},
            "marks='over': choose 'raised' or 'below'.",
        ),
        (
            {"environment": "longtable", "resize": True},
            "a longtable cannot be resized; try compact=True",
        ),
        (
            {"size": "huge"},
            "size='huge': choose 'small', 'footnotesize', 'scriptsize' or 'tiny'.",
        ),
        ({"position": "top"}, "position='top': a float's position is made of the letters"),
        ({"separation": "4"}, "separation='4': expected a length of LaTeX, e.g. '4pt'"),
    ],
)
def test_a_wrong_option_says_what_is_wrong(scores, options, text):
    with pytest.raises(ValueError, match=text):
        report(scores, marks=None).to_latex(**options)


def test_small_digits_are_set_low_or_high():
    assert escape("δRR₁, m²") == r"$\delta$RR\textsubscript{1}, m\textsuperscript{2}"


def odd_tables(scores, comparisons):
    """Tables with everything in them that could break TeX."""
    names = {
        "bm25": SPECIAL,
        "lm_dir": "[lm] " + SPECIAL,
        "AP": "α-AP@10 [%]",
        "run": "System_&_more",
    }
    family = scores.runs.assign(family=["[sp_arse]", "* & star", "* & star"])
    common = {"names": names, "caption": SPECIAL, "notes": SPECIAL, "columns": {"AP": "50% & up_"}}
    yield report(
        scores, comparisons=comparisons, label="tab:a_b", metadata=family, group="family", **common
    )
    yield report(scores, comparisons=comparisons, baseline="bm25", interval="ci", **common)
    yield report(scores, marks=None, interval="sd", **common)
    yield Report(
        (Column("a", "", numeric=False), Column("b", "x")),
        ((Cell("[1cm]", "[1cm]"), Cell(None, "–")),),
    )
    yield Report((Column("b", "x"),), (), caption="no rows")
    yield Report(
        (Column("b", "x"),), ((Cell(1, "1", "best", "*"),),), (Group("[g]", 1, ("g",)),), ("g",)
    )


@pytest.mark.broad
def test_it_compiles_in_an_article_with_booktabs_only(scores, comparisons, tmp_path):
    tables = [table.to_latex() for table in odd_tables(scores, comparisons)]
    assert compiled(tmp_path, tables) == ""


@pytest.mark.broad
def test_it_compiles_in_two_columns_of_acmart(scores, comparisons, tmp_path):
    odd = list(odd_tables(scores, comparisons))
    tables = [table.to_latex(size="small") for table in odd]
    tables += [replace(table, label=None).to_latex(environment="table*") for table in odd]
    assert compiled(tmp_path, tables, "acmart") == ""
