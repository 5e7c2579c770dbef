"""Every file of the real collections beside the repository is read whole."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from pdeval.files import file_io, lines, read_qrels, read_run, read_runs
from pdeval.files.lines import QRELS, RUN

SETS = ["clef-ehealth-2015", "trec-covid-r3", "dl-hard-doc", "trec-web-2012-div"]
# runs, queries, rows (zcat runs/*.gz | wc -l)
SIZES = {
    "clef-ehealth-2015": (25, 67, 1_656_669),
    "trec-covid-r3": (79, 40, 2_789_034),
    "dl-hard-doc": (14, 50, 700_000),
    "trec-web-2012-div": (8, 50, 259_144),
}


def content(path: Path) -> list[list[str]]:
    """The words of the lines, read in the plainest way."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    return [line.split() for line in text.splitlines() if line.strip()]


@pytest.mark.broad
@pytest.mark.parametrize("name", SETS)
def test_all_runs_of_a_collection_are_read(shared_data, name):
    runs = read_runs(shared_data / name / "runs")
    counts = (runs["run"].nunique(), runs["query_id"].nunique(), len(runs))
    assert counts == SIZES[name]
    assert runs["rank"].dtype == np.int64


@pytest.mark.broad
@pytest.mark.parametrize("name", [*SETS, "trec_eval-test"])
def test_all_judgments_of_a_collection_are_read(shared_data, name):
    paths = sorted((shared_data / name).glob("qrels*"))
    assert paths
    for path in paths:
        qrels, words = read_qrels(path, subtopics=True), content(path)
        assert qrels["query_id"].tolist() == [w[0] for w in words]
        assert qrels["subtopic"].tolist() == [w[1] for w in words]
        assert qrels["doc_id"].tolist() == [w[2] for w in words]
        assert qrels["relevance"].tolist() == [int(w[3]) for w in words]


@pytest.mark.broad
@pytest.mark.parametrize(
    "path",
    [
        "trec_eval-test/results.test",
        "trec_eval-test/results.trunc",
        "clef-ehealth-2015/runs/TeamHCMUS_EN_Run.1.run.gz",
        "clef-ehealth-2015/runs/KISTI_EN_RUN.1.run.gz",
        "trec-covid-r3/runs/l2r.run.gz",
        "trec-covid-r3/runs/BITEM_AX0.run.gz",
        "trec-web-2012-div/runs/ql-cata.run.gz",
    ],
)
def test_a_run_is_the_words_of_its_lines(shared_data, path):
    run, words = read_run(shared_data / path), content(shared_data / path)
    assert run["query_id"].tolist() == [w[0] for w in words]
    assert run["doc_id"].tolist() == [w[2] for w in words]
    assert run["rank"].tolist() == [int(w[3]) for w in words]
    assert run["score"].tolist() == [float(w[4]) for w in words]


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_the_quick_and_the_thorough_way_read_the_same_from_every_file(shared_data, name):
    for path in [
        *sorted((shared_data / name / "runs").iterdir()),
        *sorted((shared_data / name).glob("qrels*")),
    ]:
        layout = QRELS if path.name.startswith("qrels") else RUN
        keep = [column for column in layout.columns if column != "iteration"]
        data = b"".join(text for _, text in file_io.contents(path))
        text = lines.Lines(data, layout, path)
        quick = lines.tidy(text, keep, threads=False)
        if quick is not None:
            assert quick == lines.parse_untidy(text, keep), path
