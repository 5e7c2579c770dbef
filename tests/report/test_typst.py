# ruff: noqa: E501 (tables are compared line by line)
"""Typst: literal text, texts that come back as they were, and documents that the compiler takes without a warning."""

import json
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.report import Cell, Column, Group, Report, report
from pdeval.report.typst import escape
from pdeval.tables import visible
from tests.examples import examples
from tests.report.test_latex import odd_tables

# all that Typst's markup knows, and what it makes of neighbors: dashes, comments, links, lists, shorthands
SYNTAX = list("\\*_`$#<>@~[]{}()'\"-+=/:.;,!?|&%^ 1aZ\n\t") + [
    "--",
    "...",
    "//",
    "/*",
    "*/",
    "https://a.b",
    "1. ",
    "- ",
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(SYNTAX), max_size=12).map("".join),
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Co")), max_size=20),
)


def compiled(source: str) -> bytes:
    """The PDF of a document, without a warning; or skip."""
    typst = pytest.importorskip("typst", reason="needs the Typst compiler: pip install typst")
    made, warnings = typst.compile_with_warnings(source.encode())
    assert not warnings, warnings
    return made


def words(content: dict) -> Iterator[str]:
    """All text of what Typst made of markup; anything but text and spaces shows by its name."""
    kind = content["func"]
    if kind in ("text", "symbol"):
        yield content["text"]
    elif kind == "space":
        yield " "
    elif kind == "sequence":
        for child in content["children"]:
            yield from words(child)
    else:
        yield f"<{kind}>"


def printed(texts: list[str]) -> list[str]:
    """What Typst prints for each of some texts."""
    typst = pytest.importorskip("typst", reason="needs the Typst compiler: pip install typst")
    source = "\n\n".join(f"#metadata([{escape(text)}]) <it>" for text in texts)
    found = json.loads(typst.query(source.encode(), "<it>", field="value"))
    return ["".join(words(one)) for one in found]


@pytest.mark.broad
@examples(150)
@given(st.lists(TEXTS, min_size=5, max_size=10))
def test_every_text_is_printed_as_it_is(texts):
    plain = [visible(re.sub(r"[ \t\r\n]+", " ", text)) for text in texts]
    assert printed(texts) == plain


@pytest.mark.parametrize(
    ("plain", "typst"),
    [
        ("bm25_rm3", r"bm25\_rm3"),
        ("bm25-rm3.v1.2", "bm25-rm3.v1.2"),
        ("a--b", r"a\-\-b"),
        ("-1", r"\-1"),
        ("#let x", r"\#let x"),
        ("$x$", r"\$x\$"),
        ("1. one", r"1\. one"),
        ("https://x.org", r"https:/\/x.org"),
        ("@ref <label>", r"\@ref \<label\>"),
        ("two\nlines", "two lines"),
        ("nul\x00", r"nul\\x00"),
    ],
)
def test_special_characters_are_escaped(plain, typst):
    assert escape(plain) == typst


def test_a_table_with_letters(scores, comparisons):
    table = report(
        scores, comparisons=comparisons, caption="Systems & costs.", label="tab:main_one", digits=2
    )
    assert (
        table.to_typst()
        == r"""
#figure(
  kind: table,
  caption: figure.caption(position: top)[Systems & costs.],
  {
    set text(number-width: "tabular")
    set par(leading: 0.45em, justify: false)
    table(
      columns: 4,
      align: (left, left, center, center),
      stroke: none,
      inset: (x: 0.5em, y: 0.25em),
      table.header(
        table.hline(stroke: 0.08em),
        [], [System], [AP ↑], [ASL ↓],
        table.hline(stroke: 0.05em),
      ),
      [a], [bm25], [#underline[0.25]#hide[#super[ab]]], [#underline[13.00]#box(width: 0pt, align(left)[#super[b]])#hide[#super[ab]]],
      [b], [lm\_dir], [0.20#hide[#super[ab]]], [21.00#hide[#super[ab]]],
      [c], [dense], [#strong[0.45]#super[ab]], [#hide[0]#strong[3.00]#super[ab]],
      table.hline(stroke: 0.08em),
    )
    align(left, text(size: 0.85em)[Best in bold, second underlined. Raised letters: significantly better than the system of that letter (paired Student t test, Bonferroni correction, α = 0.05). 4 queries; tied scores ordered by document id; queries without a relevant document do not count; conventions of trec\_eval-10.])
  },
) <tab:main_one>""".lstrip("\n")
    )


def test_marks_stand_below_where_room_is_short(scores, comparisons):
    table = report(scores, comparisons=comparisons, digits=2)
    text = table.to_typst(marks="below")
    assert r"[#hide[0]#strong[3.00] \ #text(size: 0.8em)[ab]]" in text
    assert "Letters below a number: significantly better" in text
    assert "Raised" not in text
    assert "super" not in text
    assert "super" in table.to_typst(compact=True)  # two letters are short


OPTIONS = [
    {},
    {"wide": True},
    {"long": True},
    {"compact": True},
    {"resize": True},
    {"size": "7pt", "marks": "below"},
]


@pytest.mark.broad
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_odd_tables_compile_in_one_column_and_in_two(scores, comparisons, options):
    for columns in (1, 2):
        head = f"#set page(columns: {columns})\n"
        tables = [table.to_typst(**options) for table in odd_tables(scores, comparisons)]
        assert compiled(head + "\n\n".join(tables) + "\nText.")[:4] == b"%PDF"


@pytest.mark.broad
def test_a_label_can_be_referred_to(scores):
    table = report(scores, marks=None, caption="C.", label="tab:a-b_c")
    assert compiled(table.to_typst(long=True) + "\nSee @tab:a-b_c.")


@pytest.mark.broad
@pytest.mark.parametrize("text", ["(a)", "[b]", ".x", ";", ".at(0)", "(", "\\"])
def test_what_follows_an_expression_is_not_its_argument(text):
    cells = (
        Cell(1.0, "1.0", "best", text, (1.0,), (text,)),
        Cell(10.0, "10.00", "second", text + text),
    )
    table = Report(
        (Column("x", text),), tuple((cell,) for cell in cells), (Group(text, 2, (text,)),), ("g",)
    )
    for options in OPTIONS:
        assert compiled(table.to_typst(**options))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"size": "8"}, "size='8': expected a length of Typst, e.g. '0.8em'"),
        (
            {"long": True, "wide": True},
            "long=True cannot be combined with wide=True. Use one of them",
        ),
        (
            {"long": True, "resize": True},
            "long=True cannot be combined with resize=True. Use one of them",
        ),
        ({"marks": "over"}, "marks='over': choose 'raised' or 'below'."),
    ],
)
def test_a_wrong_option_says_what_is_wrong(scores, options, text):
    with pytest.raises(ValueError, match=text):
        report(scores, marks=None).to_typst(**options)
