"""Markdown: literal text and escaping."""

import pytest

from pdeval.report import Column, Report, report
from pdeval.report.text import escape


def test_a_whole_table(scores, comparisons):
    family = scores.runs.assign(family=["sparse", "sparse", "neural"])
    table = report(
        scores,
        comparisons=comparisons,
        metadata=family,
        group="family",
        interval="sd",
        digits=2,
        measures=["AP"],
        columns={"AP": "Quality"},
        footnotes=False,
        caption="Three *systems*.",
        notes=["One.", "Two."],
    )
    assert table.to_markdown() == (
        "Three \\*systems\\*.\n\n"
        "|     | System   |                Quality: AP ↑ |\n"
        "|:----|:---------|-----------------------------:|\n"
        "|     | *sparse* |                              |\n"
        "| a   | bm25     |           <u>0.25</u> ± 0.13 |\n"
        "| b   | lm_dir   |                  0.20 ± 0.00 |\n"
        "|     | *neural* |                              |\n"
        "| c   | dense    | **0.45**<sup>ab</sup> ± 0.13 |\n\n"
        "One. Two."
    )


@pytest.mark.parametrize(
    ("plain", "markdown"),
    [
        ("bm25_rm3_x", "bm25_rm3_x"),
        ("_bm25_", r"\_bm25\_"),
        ("a|b", r"a\|b"),
        ("*a* `b`", r"\*a\* \`b\`"),
        ("<b>", r"\<b>"),
        ("<0.001", "<0.001"),
        ("[a](b)", r"[a\](b)"),
        ("[a]", "[a]"),
        ("$x$ ~y~", r"\$x\$ \~y\~"),
        ("two\nlines", "two lines"),
    ],
)
def test_special_characters_are_escaped(plain, markdown):
    assert escape(plain) == markdown


def test_a_caption_cannot_become_a_heading_or_a_list():
    for text, markdown in {
        "# one": r"\# one",
        "- one": r"\- one",
        "> one": r"\> one",
        "1. x": r"1\. x",
        "4 x": "4 x",
    }.items():
        assert (
            Report((Column("x", "x"),), (), caption=text).to_markdown().startswith(markdown + "\n")
        )
