import io
import json
import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.__main__ import main
from pdeval.cli import UsageError, output
from pdeval.report.report import forget, report_format

FRAME = pd.DataFrame(
    {"run": ["bm25", "a_b"], "n": [50, 9], "AP": [0.25, np.nan], "significant": [True, False]}
)


def test_a_table_has_texts_to_the_left_and_numbers_to_the_right():
    assert output.rendered(FRAME, "table", digits=3) == (
        "run    n     AP  significant\n"
        "bm25  50  0.250  yes\n"
        "a_b    9      -  no"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0.0000"), (3e-7, "3.0e-07"), (-2.5, "-2.5000"), (np.inf, "inf")]
)
def test_small_numbers_are_not_shown_as_zero(value, text):
    assert output.aligned(pd.DataFrame({"p": [value]}), 4).splitlines()[1].strip() == text


def test_csv_and_json_hold_unrounded_numbers():
    exact = pd.DataFrame({"run": ["x"], "AP": [1 / 3]})
    assert output.rendered(exact, "csv", digits=1) == "run,AP\nx,0.3333333333333333"
    assert json.loads(output.rendered(exact, "json", digits=1)) == [{"run": "x", "AP": 1 / 3}]


@pytest.mark.parametrize("value", [0.1 + 0.2, 1 - 0.8, 3e-20, 5e-324, 1.7e308, -0.1])
def test_json_gives_every_bit_of_a_number(value):
    frame = pd.DataFrame(
        {"p": [value, np.nan, np.inf], "mixed": ["=a", value, None], "n": [1, 2, 3]}
    )
    found = json.loads(output.rendered(frame, "json"))
    assert [row["p"] for row in found] == [value, None, None]
    assert [row["mixed"] for row in found] == ["=a", value, None]
    assert [row["n"] for row in found] == [1, 2, 3]


def test_latex_escapes_names_and_is_a_whole_document_on_request():
    text = output.rendered(FRAME, "latex", standalone=True)
    assert text.startswith(r"\documentclass{article}")
    assert r"a\_b & 9 & -- & no \\" in text.replace(r"\phantom{0}", "")
    assert output.rendered(FRAME, "latex").startswith(r"\begin{tabular}")


def test_html_and_markdown_are_made_by_the_report():
    assert "<table" in output.rendered(FRAME, "html")
    assert output.rendered(FRAME, "markdown").splitlines()[0].split("|")[1].strip() == "run"


@pytest.mark.parametrize(
    ("given", "path", "kind"),
    [
        (None, None, "table"),
        ("csv", None, "csv"),
        (None, "a/table.TEX", "latex"),
        (None, "x.parquet", "parquet"),
        ("json", "x.txt", "json"),
    ],
)
def test_the_format_is_the_one_asked_for_or_the_files(given, path, kind):
    assert output.chosen(given, path, "table") == kind


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            "x.doc",
            "the file name 'x.doc' ends in '.doc'. Specify the format with --format, or use one of the endings .txt",
        ),
        ("result", "the file name 'result' has no ending. Specify the format with --format"),
    ],
)
def test_an_unknown_ending_is_an_error_that_names_the_known_ones(path, message):
    with pytest.raises(UsageError) as caught:
        output.chosen(None, path, "table")
    assert message in str(caught.value)


def test_parquet_is_not_printed():
    with pytest.raises(UsageError, match="Write it to a file with -o FILE"):
        output.chosen("parquet", None, "table")


def test_a_format_that_is_declared_can_be_asked_for(pdeval_command, tmp_path):
    @report_format("names", endings=".names")
    def to_names(report):
        return ", ".join(column.name for column in report.columns)

    try:
        pdeval_command("catalog", "uniform", "-o", tmp_path / "it.names")
        assert (tmp_path / "it.names").read_text().startswith("name, family, ")
        assert pdeval_command("catalog", "uniform", "--format", "names").out.startswith(
            "name, family, "
        )
    finally:
        forget("names")


@pytest.mark.broad
def test_files_of_every_format_can_be_written(tmp_path):
    for ending, kind in output.endings().items():
        if kind == "excel" and find_spec("openpyxl") is None:
            continue  # an optional package writes it
        output.write(FRAME, kind, str(tmp_path / f"table{ending}"))
    assert pd.read_parquet(tmp_path / "table.parquet")["n"].tolist() == [50, 9]
    assert pd.read_csv(tmp_path / "table.csv")["AP"].iloc[0] == 0.25
    assert (tmp_path / "table.txt").read_text().endswith("no\n")


def test_csv_has_no_text_that_a_spreadsheet_takes_for_a_formula():  # 13.10
    frame = pd.DataFrame({"run": ["=1+1", "+x", "-y", "@z", "bm25"], "value": [-0.5, 1, 2, 3, 4]})
    assert output.rendered(frame, "csv").splitlines() == [
        "run,value", "'=1+1,-0.5", "'+x,1.0", "'-y,2.0", "'@z,3.0", "bm25,4.0",
    ]  # fmt: skip
    assert frame["run"].iloc[0] == "=1+1"


def test_no_control_character_of_a_name_reaches_a_terminal(capsys, monkeypatch):  # 13.10
    frame = pd.DataFrame({"run": ["a\x1b[2Jb\n", "\u202ec", "caf\u00e9"], "AP": [1.0, 0.5, 0.25]})
    table = output.aligned(frame, 2)
    assert table.isprintable() or set(filter(lambda one: not one.isprintable(), table)) == {"\n"}
    assert len(table.splitlines()) == 4
    assert "caf\u00e9" in table
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    output.send(["map\t1\t\x1b]0;x\x07"], None)
    assert capsys.readouterr().out == "map\t1\t\\x1b]0;x\\x07\n"


WIDE = pd.DataFrame(
    {
        "run": [f"run-{i}" for i in range(9)],
        "measure": "AP",
        **{f"value_{i}": np.arange(9) / (i + 3) for i in range(6)},
        "effect_size": np.arange(9) / 9,
    }
)


def test_a_table_wider_than_the_terminal_names_constant_columns_once():
    lines = output.rendered(WIDE, "table", width=80).splitlines()
    assert lines[0].split() == ["run", *(f"value_{i}" for i in range(6)), "effect_size"]
    assert lines[-1] == "The same in every row: measure=AP."
    assert max(map(len, lines)) <= 80
    assert "The same" not in output.rendered(WIDE, "table")
    one = output.rendered(WIDE.head(1), "table", width=60)
    assert "measure" in one.splitlines()[0]


def test_optional_columns_are_omitted_only_if_the_terminal_is_too_narrow():
    lines = output.rendered(WIDE, "table", width=70, optional=["effect_size"]).splitlines()
    assert max(map(len, lines)) <= 70
    assert lines[0].split() == ["run", *(f"value_{i}" for i in range(6))]
    assert " ".join(lines[-2:]) == (
        "The same in every row: measure=AP. Not shown: effect_size. Use --all-columns to print all columns."
    )
    wide = output.rendered(WIDE, "table", width=80, optional=["effect_size"])
    assert "effect_size" in wide.splitlines()[0]


def test_columns_that_do_not_fit_follow_below():
    lines = output.rendered(WIDE, "table", width=60).splitlines()
    assert max(map(len, lines)) <= 60
    assert [line.split() for line in lines if line.startswith("run ")] == [
        ["run", *(f"value_{i}" for i in range(6))],
        ["run", "effect_size"],
    ]


def test_all_columns_that_identify_a_row_are_repeated_below():
    names = [f"bm25+rm3+reranker-{i}" for i in range(4)]
    frame = pd.DataFrame({"run_a": names, "run_b": names[::-1]})
    for name in ("difference", "ci_low", "ci_high", "p_adjusted"):
        frame[name] = [0.1, -0.2, 0.3, -0.4]
    lines = output.rendered(frame, "table", width=72).splitlines()
    assert max(map(len, lines)) <= 72
    headers = [line.split() for line in lines if line.startswith("run_a")]
    assert headers == [
        ["run_a", "run_b", "difference", "ci_low", "ci_high"],
        ["run_a", "run_b", "p_adjusted"],
    ]
    assert lines[-1].split() == [names[3], names[0], "-0.4000"]


@pytest.mark.broad
@pytest.mark.parametrize(
    ("words", "n_tables"),
    [
        (["check"], 1),
        (["leaderboard"], 2),
        (["compare", "-m", "AP"], 1),
        (["report", "-m", "AP,nDCG@10"], 1),
    ],
)
def test_tables_of_the_sample_fit_a_terminal_of_80_columns(words, n_tables, sample, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "stdout", Terminal())
    command, *options = words
    main([command, str(sample / "qrels.txt"), str(sample / "runs"), "--quiet", *options])
    lines = sys.stdout.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith(("run", "   System")) for line in lines) == n_tables


def test_the_catalog_fits_a_terminal_of_80_columns():
    names = pdeval.catalog()["name"]
    text = output.rendered(
        pdeval.catalog()[["name", "family", "parameters", "summary"]], "table", width=80
    )
    assert max(map(len, text.splitlines())) <= 80
    # a long name is broken over two lines
    assert {name[:12] for name in names} <= {
        line.split()[0][:12] for line in text.splitlines() if line[0] != " "
    }
