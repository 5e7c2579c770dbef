"""Scores that other tools wrote, read as pdeval's own: the same orders, comparisons and reports."""

import json

import pandas as pd
import pytest

import pdeval
from tests.walk_tables import quiet


@pytest.fixture
def ours():
    judged = pdeval.datasets.sample_judged(queries="common")
    return judged.measure(["map", "ndcg_cut_10", "recip_rank"])


def printed(scores, layout):
    """Return what trec_eval -q or ir_measures -q print of one run, with all places."""
    lines = []
    for row in scores.itertuples():
        if layout == "trec_eval":
            lines.append(f"{row.measure:<22}\t{row.query_id}\t{row.value!r}")
        else:
            lines.append(f"{row.query_id}\t{row.measure}\t{row.value!r}")
    for measure, value in scores.groupby("measure")["value"].mean().items():
        lines.append(
            f"{measure}\tall\t{value}" if layout == "trec_eval" else f"all\t{measure}\t{value}"
        )
    if layout == "trec_eval":
        lines.insert(0, f"runid                 \tall\ttag-of-{scores['run'].iloc[0]}")
    return "\n".join(lines) + "\n"


@pytest.mark.broad
@pytest.mark.parametrize("layout", ["trec_eval", "ir_measures"])
def test_what_tools_print_by_query_is_ordered_compared_and_reported_as_ours(tmp_path, ours, layout):
    for run, part in ours.groupby("run", observed=True):
        (tmp_path / f"{run}.eval").write_text(printed(part, layout))
    read = pdeval.read_scores(tmp_path)
    plain = ours.astype({"run": object, "query_id": object})
    pd.testing.assert_frame_equal(
        read.sort_values(["run", "query_id", "measure"], ignore_index=True).astype(object),
        plain.sort_values(["run", "query_id", "measure"], ignore_index=True).astype(object),
    )
    assert read.attrs["measures"] == ours.attrs["measures"]
    pd.testing.assert_frame_equal(
        read.ireval.order().astype({"run": object}),
        ours.ireval.order().astype({"run": object}),
        check_exact=True,
    )
    names = ["run_a", "run_b", "measure", "p_adjusted"]
    mine, theirs = (
        one.ireval.compare()[names].astype({"run_a": object, "run_b": object})
        for one in (read, ours)
    )
    pd.testing.assert_frame_equal(mine, theirs, check_exact=True)
    table = [
        line for line in read.ireval.report().to_markdown().splitlines() if line.startswith("|")
    ]
    assert table == [
        line for line in ours.ireval.report().to_markdown().splitlines() if line.startswith("|")
    ]


@pytest.mark.broad
@pytest.mark.extras
def test_the_command_of_ir_measures_is_read_as_it_prints(tmp_path, capsys, monkeypatch):
    pytest.importorskip("ir_measures")
    from ir_measures.__main__ import main_cli

    runs, qrels, _ = pdeval.datasets.load_sample()
    pdeval.write_run(runs[runs["run"] == "bm25"], tmp_path / "bm25.run")
    pdeval.write_qrels(qrels, tmp_path / "qrels")
    for form in ("tsv", "jsonl"):
        words = [
            "x",
            str(tmp_path / "qrels"),
            str(tmp_path / "bm25.run"),
            "AP",
            "nDCG@10",
            "-q",
            "-o",
            form,
            "-p",
            "-1",
        ]
        monkeypatch.setattr("sys.argv", words)
        main_cli()
        (tmp_path / "bm25.eval").write_text(capsys.readouterr().out)
        read = pdeval.read_scores(tmp_path / "bm25.eval")
        wanted = quiet(runs[runs["run"] == "bm25"].ireval.measure, qrels, ["AP", "nDCG@10"])
        found = read.set_index(["query_id", "measure"])["value"]
        values = wanted.set_index(["query_id", "measure"])["value"]
        assert set(read["run"]) == {"bm25"}
        assert (found - values.loc[found.index]).abs().max() < 1e-12
        assert len(found) >= 96


@pytest.mark.broad
def test_runs_are_named_after_files_tags_or_by_the_caller(tmp_path):
    (tmp_path / "a.eval").write_text("runid all bm25\nmap 1 0.5\nmap all 0.5\n")
    assert set(pdeval.read_scores(tmp_path)["run"]) == {"a"}
    assert set(pdeval.read_scores(tmp_path, names="tag")["run"]) == {"bm25"}
    assert set(pdeval.read_scores({"mine": tmp_path / "a.eval"})["run"]) == {"mine"}


def test_means_alone_are_of_the_query_all_and_cannot_be_compared(tmp_path):
    for run, value in (("a", 0.5), ("b", 0.25)):
        (tmp_path / f"{run}.eval").write_text(f"map                   \tall\t{value}\n")
    read = pdeval.read_scores(tmp_path)
    assert set(read["query_id"]) == {"all"}
    assert read.ireval.order()["run"].tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="needs at least two queries"):
        read.ireval.compare()


def test_results_of_beir_are_read(tmp_path):
    for run, value in (("bm25", 0.5), ("dense", 0.625)):
        held = {
            "ndcg": {"NDCG@1": 0.25, "NDCG@10": value},
            "map": {"MAP@10": 0.1},
            "mrr": {"MRR@10": 0.3},
        }
        (tmp_path / f"{run}.json").write_text(json.dumps(held))
    read = pdeval.read_scores(tmp_path, measures=["NDCG@10"])
    assert read.values.tolist() == [
        ["bm25", "all", "NDCG@10", 0.5],
        ["dense", "all", "NDCG@10", 0.625],
    ]
    assert read.ireval.order()["run"].tolist() == ["dense", "bm25"]


@pytest.mark.broad
def test_results_of_mteb_have_tasks_in_place_of_queries(tmp_path):
    values = {"m1": (0.5, 0.3, 0.6), "m2": (0.75, 0.4, 0.5)}
    for model, scores in values.items():
        folder = tmp_path / f"org__{model}" / "abc123"
        folder.mkdir(parents=True)
        (folder / "model_meta.json").write_text(json.dumps({"name": f"org/{model}"}))
        for task, value in zip(("SciFact", "NFCorpus", "FiQA2018"), scores):
            row = {
                "ndcg_at_10": value,
                "main_score": value,
                "nauc_ndcg_at_10_max": 0.1,
                "hf_subset": "default",
            }
            held = {
                "task_name": task,
                "mteb_version": "2.0",
                "scores": {"test": [row]},
                "evaluation_time": 3.5,
            }
            (folder / f"{task}.json").write_text(json.dumps(held))
    read = pdeval.read_scores(str(tmp_path / "**/*.json"), measures=["ndcg_at_10"])
    assert set(read["run"]) == {"org/m1", "org/m2"}
    assert set(read["query_id"]) == {"SciFact", "NFCorpus", "FiQA2018"}
    assert read.ireval.order()["run"].tolist() == ["org/m2", "org/m1"]
    assert read.ireval.compare()["n"].tolist() == [3]
    main = pdeval.read_scores(str(tmp_path / "**/*.json"), measures=["main_score"])
    assert main.ireval.order()["run"].tolist() == ["org/m2", "org/m1"]  # the best has the larger
    lower = pdeval.read_scores(str(tmp_path / "**/*.json"), measures=["main_score"], higher=False)
    assert lower.ireval.order()["run"].tolist() == ["org/m1", "org/m2"]


def test_the_former_layout_of_mteb_and_languages_are_read(tmp_path):
    old = {
        "mteb_dataset_name": "SciFact",
        "mteb_version": "1.0",
        "test": {"map_at_10": 0.5, "evaluation_time": 2.0},
    }
    (tmp_path / "SciFact.json").write_text(json.dumps(old))
    assert pdeval.read_scores({"m": tmp_path / "SciFact.json"}).values.tolist() == [
        ["m", "SciFact", "map_at_10", 0.5]
    ]
    rows = [{"ndcg_at_10": 0.5, "hf_subset": "de"}, {"ndcg_at_10": 0.75, "hf_subset": "fr"}]
    (tmp_path / "SciFact.json").write_text(
        json.dumps({"task_name": "MIRACL", "scores": {"dev": rows}})
    )
    assert pdeval.read_scores({"m": tmp_path / "SciFact.json"})["query_id"].tolist() == [
        "MIRACL/de",
        "MIRACL/fr",
    ]


def test_a_report_of_ranx_is_read(tmp_path):
    held = {"stat_test": "student", "metrics": ["map"], "model_names": ["a", "b"]}
    held |= {"a": {"scores": {"map": 0.5}}, "b": {"scores": {"map": 0.25}}}
    (tmp_path / "report.json").write_text(json.dumps(held))
    assert pdeval.read_scores(tmp_path / "report.json").ireval.order()["run"].tolist() == ["a", "b"]


def test_tables_long_or_wide_are_read_from_csv_and_parquet(tmp_path):
    wide = pd.DataFrame(
        {"name": ["a", "a"], "qid": ["01", "02"], "map": [0.5, 0.25], "P_5": [0.2, 0.4]}
    )
    wide.to_csv(tmp_path / "wide.csv", index=False)
    pdeval.scores(wide).to_parquet(tmp_path / "long.parquet")
    for path in ("wide.csv", "long.parquet"):
        read = pdeval.read_scores(tmp_path / path)
        assert read.columns.tolist() == ["run", "query_id", "measure", "value"]
        assert read["query_id"].tolist() == ["01", "01", "02", "02"]
        assert set(read["run"]) == {"a"}


class TestUnevenQueries:
    def write(self, folder, **runs):
        for run, queries in runs.items():
            (folder / f"{run}.eval").write_text(
                "".join(f"map\t{query}\t0.5\n" for query in queries)
            )

    @pytest.mark.broad
    def test_other_queries_in_some_runs_are_told(self, tmp_path):
        self.write(tmp_path, a="123", b="12")
        with pytest.warns(
            UserWarning,
            match=r"2 of 3 are common to all, run 'b' has 2\..*queries='common' to keep",
        ):
            assert len(pdeval.read_scores(tmp_path)) == 5
        assert set(pdeval.read_scores(tmp_path, queries="common")["query_id"]) == {"1", "2"}
        assert len(pdeval.read_scores(tmp_path, queries="answered")) == 5

    def test_runs_of_different_topics_are_an_error(self, tmp_path):
        self.write(tmp_path, a="12", b="34")
        with pytest.raises(
            ValueError, match=r"no query is common to all 2 runs.*'a' has '1', 'b' has '3'"
        ):
            pdeval.read_scores(tmp_path)

    def test_means_beside_queries_are_an_error(self, tmp_path):
        self.write(tmp_path, a="12", b=["all"])
        with pytest.raises(
            ValueError, match=r"run 'b' has only means, but others have queries. Print it with -q"
        ):
            pdeval.read_scores(tmp_path)


FAULTS = {
    "a.eval": {
        "": "is empty",
        "map 1\nmap 2 0.5 x y\n": "is not an output of trec_eval or ir_measures|columns. trec_eval prints",
        "map 1 0.5 x\n": "has 4 columns. trec_eval prints measure, query and value",
        "foo 1 0.5\n": "no known measure in its first two columns, e.g. 'foo' and '1'",
        "map 1 0.5\nmap 2 high\n": "line 2: the value 'high' is not a number",
        "map 1 0.5\nmap 1 0.6\n": "1 values occur twice, e.g. map of run 'a' for query '1'",
    },
    "a.json": {
        "{": "is not JSON",
        "[1]": "has a JSON list, but not of objects with measure and value",
        "{}": "expected a result of MTEB, BEIR or ranx",
        '{"ndcg": {"NDCG@10": "x"}}': "'NDCG@10' is not a number",
        '{"task_name": "T", "scores": {"dev": [], "train": []}}': "splits dev, train, and none of them is 'test'",
    },
    "a.csv": {"qid,foo\n1,2\n": "the columns foo are not measures of the catalog"},
}


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in FAULTS.items() for text in texts]
)
def test_faults_name_the_file(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=FAULTS[name][text]) as error:
        pdeval.read_scores(tmp_path / name)
    assert name in str(error.value)


def test_options_that_are_no_choice_are_told(tmp_path):
    (tmp_path / "a.eval").write_text("map 1 0.5\n")
    with pytest.raises(ValueError, match="names='tags': choose 'file' or 'tag'"):
        pdeval.read_scores(tmp_path, names="tags")
    with pytest.raises(ValueError, match="queries='all': choose"):
        pdeval.read_scores(tmp_path, queries="all")
    with pytest.raises(KeyError, match="no measure 'P_5' among map"):
        pdeval.read_scores(tmp_path, measures=["P_5"])


def test_an_unknown_query_column_of_a_file_is_asked_for(tmp_path):
    """28.26: every row was of the query 'all'."""
    table = pd.DataFrame({"query_text": ["who?", "what?"], "measure": "map", "value": [0.5, 0.25]})
    table.to_csv(tmp_path / "a.csv", index=False)
    (tmp_path / "a.jsonl").write_text(table.to_json(orient="records", lines=True))
    for name in ("a.csv", "a.jsonl"):
        with pytest.raises(
            ValueError, match=r"'.*': unknown query column among query_text.*query='query_text'"
        ):
            pdeval.read_scores(tmp_path / name)
