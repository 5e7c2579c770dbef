"""`pdeval report -o page.html`: the interactive page, unless the table alone is asked for."""

import json
import re

import pandas as pd
import pytest

import pdeval
from tests.report.page.conftest import unpacked


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


@pytest.mark.parametrize("form", ["jsonl", "tsv", "csv", "parquet", "no header"])
def test_texts_come_from_files(words, tmp_path, pdeval_command, form):
    queries = pd.DataFrame({"query_id": ["113", "120"], "text": ["Zebras", 'a "quoted" ferry']})
    docs = pd.DataFrame({"doc_id": ["doc-03516"], "title": ["Striped horses"]})
    paths = [tmp_path / f"{name}.{form}" for name in ("queries", "docs")]
    if form == "jsonl":
        for path, table in zip(paths, (queries, docs)):
            table.set_axis(["_id", *table.columns[1:]], axis=1).to_json(
                path, orient="records", lines=True
            )
    elif form == "parquet":
        for path, table in zip(paths, (queries, docs)):
            table.to_parquet(path)
    elif form == "no header":  # as the files of MS MARCO, which have no quoted fields
        paths = [tmp_path / "queries.tsv", tmp_path / "docs.tsv"]
        paths[0].write_text('113\tZebras\n120\ta "quoted" ferry\n', encoding="utf-8")
        paths[1].write_text('doc-03516\t"Striped horses\n', encoding="utf-8")
    else:
        for path, table in zip(paths, (queries, docs)):
            table.to_csv(path, index=False, sep="," if form == "csv" else "\t")
    texts = [word for path in paths for word in ("--texts", path)]
    done = pdeval_command(*words, *texts, "-o", tmp_path / "page.html")
    assert done.err == ""
    origin = page_data(tmp_path / "page.html")["origins"][0]
    known = dict(zip(origin["queries"], origin["queryTexts"]))
    assert [known["113"], known["120"], known["101"]] == ["Zebras", 'a "quoted" ferry', None]
    title = unpacked(origin["texts"]["text" if form == "no header" else "title"])
    assert [text for text in title if text] == ["Striped horses"] or form == "no header"
    assert [text for text in title if text] == ['"Striped horses'] or form != "no header"


def test_faults_of_texts_are_errors(words, tmp_path, pdeval_command):
    (tmp_path / "texts.csv").write_text("run,family,year\nbm25,lexical,1994\n")
    done = pdeval_command(*words, "--texts", tmp_path / "texts.csv", "-o", tmp_path / "page.html")
    assert done.status == 1
    assert "texts= has no column of ids; it has run, family, year." in done.err
    three = [word for _ in range(3) for word in ("--texts", tmp_path / "texts.csv")]
    done = pdeval_command(*words, *three, "-o", tmp_path / "page.html")
    assert done.status == 2
    assert "--texts has 3 files. Use one of queries and one of documents." in done.err


def test_nuggets_come_from_a_file_of_the_nuggetizer_or_a_table(words, tmp_path, pdeval_command):
    nuggets = pd.DataFrame(
        {
            "run": ["bm25", "ql"],
            "query_id": "113",
            "nugget": "n1",
            "assignment": ["support", "not_support"],
        }
    )
    pdeval.write_nuggets(nuggets, tmp_path / "nuggets.jsonl")
    nuggets.to_csv(tmp_path / "nuggets.csv", index=False)
    for name in ("nuggets.jsonl", "nuggets.csv"):
        pdeval_command(*words, "--answers", tmp_path / name, "-o", tmp_path / "page.html")
        origin = page_data(tmp_path / "page.html")["origins"][0]
        assert unpacked(origin["answers"]["texts"]) == ["n1"]


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
