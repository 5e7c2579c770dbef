"""Plain text: aligned columns, marks without markup, lines within the width of a terminal."""

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.report import Cell, Column, Group, Report, report
from pdeval.report.text import TextColumn, align


def table_of(names, n_columns, text="0.123", **more):
    columns = [
        Column(f"m{i}", f"nDCG@{i}", higher=True, group=f"news {i // 2}") for i in range(n_columns)
    ]
    rows = [
        (Cell(name, name), *(Cell(0.123, text, "best", "ab") for _ in columns)) for name in names
    ]
    return Report((Column("run", "System", numeric=False), *columns), tuple(rows), **more)


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
        caption="Three *systems*.",
    )
    assert str(table).startswith(
        "Three *systems*.\n\n"
        "             ---Quality----\n"
        "     System            AP ↑\n"
        "  -------------------------\n"
        "sparse\n"
        "  a  bm25    _0.25   ± 0.13\n"
        "  b  lm_dir   0.20   ± 0.00\n"
        "neural\n"
        "  c  dense   *0.45ab ± 0.13\n\n"
        "Best with *, second with _. Letters after a number: "
    )


def test_printing_shows_no_markup_and_markdown_keeps_it():
    table = table_of(["bm25"], 1, notes=("Best in bold.",))
    assert str(table) == (
        "        -news 0-\n"
        "System  nDCG@0 ↑\n"
        "----------------\n"
        "bm25    *0.123ab\n\n"
        "Best with *."
    )  # fmt: skip
    assert table.to_markdown().endswith("| **0.123**<sup>ab</sup> |\n\nBest in bold.")


def test_columns_that_do_not_fit_follow_below_after_the_names():
    lines = table_of(["bm25", "ql"], 12).to_text(width=60).splitlines()
    assert max(map(len, lines)) <= 60
    assert [line.split()[0] for line in lines if "0.123" in line] == ["bm25", "ql"] * 3
    assert sum(line.count("*0.123ab") for line in lines) == 24
    assert len(table_of(["bm25", "ql"], 12).to_text().splitlines()) == 5


def test_long_names_continue_on_the_next_line():
    name = "a" * 50 + "-" + "b" * 50
    lines = table_of([name], 1).to_text(width=60).splitlines()
    assert max(map(len, lines)) <= 60
    assert "".join(line.split()[0] for line in lines[3:]) == name


@given(
    st.lists(st.text(min_size=1, max_size=120), min_size=1, max_size=3),
    st.integers(1, 9),
    st.integers(40, 130),
    st.text(max_size=30),
    st.booleans(),
)
def test_no_line_is_longer_than_the_width(names, n_columns, width, caption, grouped):
    groups = (Group("t" * width, len(names), ("t",)),) if grouped else ()
    more = {"groups": groups, "group_names": ("t",)} if grouped else {}
    text = table_of(names, n_columns, caption=caption, **more).to_text(width=width)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("*0.123ab") == len(names) * n_columns


def test_the_width_is_that_of_the_terminal_or_80(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    table = table_of(["bm25"], 12)
    assert 60 < max(map(len, str(table).splitlines())) <= 80
    monkeypatch.setenv("COLUMNS", "50")
    assert 60 < max(map(len, str(table).splitlines())) <= 80
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert max(map(len, str(table).splitlines())) <= 50
    monkeypatch.setattr(sys, "stdout", None)
    assert "bm25" in str(table)


def test_a_width_too_small_is_refused():
    with pytest.raises(ValueError, match=r"width=10 is too narrow for a table. Use at least 40."):
        table_of(["bm25"], 1).to_text(width=10)


def test_the_column_with_the_fewest_long_texts_is_narrowed_first():
    columns = [
        TextColumn("name", ["a", "b", "c"]),
        TextColumn("seldom", ["x " * 15, "x", "x"]),
        TextColumn("often", ["word " * 8] * 3),
    ]
    lines = align(columns, 60).splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[0].index("often") - lines[0].index("seldom") < 30


def test_a_word_of_a_long_text_is_not_broken_if_a_fourth_of_the_width_is_enough():
    columns = [
        TextColumn("name", ["a"]),
        TextColumn("family", ["b"]),
        TextColumn("parameters", ["base=2, discount=log2(r+1), k=inf"]),
        TextColumn("summary", ["word " * 20]),
    ]
    text = align(columns, 80)
    assert "discount=log2(r+1)," in text
    assert max(map(len, text.splitlines())) <= 80
