"""`pdeval report -o page.html`: the interactive page, unless the table alone is asked for."""

import json
import re

import pytest

import pdeval


@pytest.fixture
def words(sample):
    return [
        "report",
        sample / "qrels.txt",
        sample / "runs",
        "-m",
        "AP,RR",
        "--baseline",
        "bm25",
        "--quiet",
    ]


def page_data(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


@pytest.mark.broad
def test_a_file_that_ends_in_html_is_the_interactive_page(words, tmp_path, pdeval_command):
    done = pdeval_command(*words, "-o", tmp_path / "page.html")
    assert done.status == 0
    assert done.out == ""
    origin = page_data(tmp_path / "page.html")["origins"][0]
    assert len(origin["systems"]) == 12
    assert "items" in origin


@pytest.mark.broad
def test_the_table_alone_is_had_by_its_format_or_as_a_page_of_its_own(
    words, tmp_path, pdeval_command
):
    assert pdeval_command(*words, "--format", "html").out.startswith('<div class="pdeval-report">')
    pdeval_command(*words, "--format", "html", "-o", tmp_path / "part.html")
    pdeval_command(*words, "--standalone", "-o", tmp_path / "static.html")
    for name, start in (("part.html", "<div class="), ("static.html", "<!DOCTYPE html>")):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert text.startswith(start)
        assert "<script" not in text


@pytest.mark.broad
def test_metadata_become_what_rows_are_filtered_by(words, sample, tmp_path, pdeval_command):
    for more in ([], ["--group", "family"]):
        pdeval_command(
            *words, "--metadata", sample / "metadata.csv", *more, "-o", tmp_path / "page.html"
        )
        names = [one["name"] for one in page_data(tmp_path / "page.html")["facets"]]
        assert sorted(names) == ["family", "model", "seed", "year"]
        assert names[0] == "family" or not more


def test_the_help_tells_of_the_page(pdeval_command):
    assert "-o page.html is an interactive page" in " ".join(
        pdeval_command("report", "--help").out.split()
    )
    assert "-o page.html" in pdeval_command("--help").out


@pytest.mark.broad
def test_runs_join_and_command_line_give_the_same_page(sample, tmp_path, pdeval_command):
    runs, qrels = pdeval.read_runs(sample / "runs"), pdeval.read_qrels(sample / "qrels.txt")
    options = {"caption": "A caption", "baseline": "bm25"}
    by_runs = runs.ireval.report(qrels, ["AP", "RPP"], queries="judged", **options)
    join = runs.ireval.join(qrels, queries="judged")
    by_join = join.report(["AP", "RPP"], **options)
    files = [sample / "qrels.txt", sample / "runs", "-m", "AP,RPP", "--queries", "judged"]
    options = ["--caption", "A caption", "--baseline", "bm25", "--quiet"]
    pdeval_command("report", *files, *options, "-o", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert by_runs.save(tmp_path / "runs.html").read_text(encoding="utf-8") == text
    assert by_join.save(tmp_path / "join.html").read_text(encoding="utf-8") == text
    assert "<title>A caption</title>" in text
    assert '<h1 id="title">A caption</h1>' in text
