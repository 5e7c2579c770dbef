import io
import json
import shutil
import subprocess

import pandas as pd
import pytest

import pdeval

MISSING = "pdeval: warning: 2 of 50 judged queries are missing from run 'ql'; they get the worst possible score.\n"


@pytest.fixture
def data(sample):
    return sample / "qrels.txt", sample / "runs"


def read(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text))


@pytest.mark.broad
def test_evaluate_prints_a_row_per_run_and_a_column_per_measure(data, pdeval_command):
    done = pdeval_command("evaluate", *data, "-m", "AP,nDCG@10", "-m", "RR")
    assert done.out.splitlines()[:2] == [
        "run            AP  nDCG@10      RR",
        "bm25       0.3278   0.3993  0.7455",
    ]
    assert (done.status, done.err) == (0, MISSING)


@pytest.mark.broad
def test_quiet_leaves_out_the_warnings(data, pdeval_command):
    assert pdeval_command("evaluate", *data, "-m", "AP", "--quiet").err == ""


@pytest.mark.broad
def test_evaluate_equals_the_accessor_per_query_and_with_statistics(data, pdeval_command):
    runs, qrels, _ = pdeval.datasets.load_sample()
    with pytest.warns(UserWarning, match="missing from run 'ql'"):
        scores = runs.ireval.measure(qrels, ["AP", "bpref"], level=2, depth=50)
    words = (*data, "-m", "AP,bpref", "-l", "2", "-M", "50", "--format", "csv")
    found = read(pdeval_command("evaluate", *words, "-q").out)
    assert list(found) == ["run", "query_id", "measure", "value"]
    assert found["value"].to_numpy() == pytest.approx(scores["value"].to_numpy(), rel=1e-15)
    found = read(pdeval_command("evaluate", *words, "--stats").out)
    assert found["ci_low"].to_numpy() == pytest.approx(
        scores.ireval.summary()["ci_low"].to_numpy(), rel=1e-15
    )


@pytest.mark.broad
def test_evaluate_averages_over_groups_of_runs(data, sample, pdeval_command):
    words = (
        "evaluate",
        *data,
        "-m",
        "AP",
        "--metadata",
        sample / "metadata.csv",
        "--by",
        "family",
        "--replicate",
        "run",
    )
    found = pdeval_command(*words, "--format", "json")
    table = {row["family"]: row["AP"] for row in json.loads(found.out)}
    assert list(table) == ["dense", "fusion", "lexical", "reranker", "sparse"]
    assert table["fusion"] == pytest.approx(0.5049, abs=5e-5)


@pytest.mark.broad
def test_files_folders_patterns_and_parquet_are_read_alike(data, sample, tmp_path, pdeval_command):
    qrels, folder = data
    runs, judged, _ = pdeval.datasets.load_sample()
    pdeval.write_run(runs, tmp_path / "runs.parquet")
    pdeval.write_qrels(judged, tmp_path / "qrels.parquet")
    words = ("-m", "AP", "--format", "csv", "--quiet")
    whole = pdeval_command("evaluate", qrels, folder, *words).out
    assert pdeval_command("evaluate", qrels, *sorted(folder.iterdir()), *words).out == whole
    assert pdeval_command("evaluate", qrels, f"{folder}/*.run", *words).out == whole
    assert (
        pdeval_command(
            "evaluate", tmp_path / "qrels.parquet", tmp_path / "runs.parquet", *words
        ).out
        == whole
    )


@pytest.mark.broad
def test_complete_counts_judged_queries_without_relevant_items(tmp_path, pdeval_command):
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 0\n")
    (tmp_path / "x.run").write_text("1 Q0 a 1 1 t\n2 Q0 b 1 1 t\n")
    words = ("evaluate", tmp_path / "qrels", tmp_path / "x.run", "-m", "RR", "--format", "csv")
    assert pdeval_command(*words).out == "run,RR\nx,1.0\n"
    assert pdeval_command(*words, "-c").out == "run,RR\nx,0.5\n"
    assert pdeval_command(*words, "--queries", "judged").out == "run,RR\nx,0.5\n"


@pytest.mark.broad
def test_prefer_prints_means_queries_or_a_matrix(data, pdeval_command):
    words = ("prefer", *data, "--format", "csv", "--quiet")
    means = read(pdeval_command(*words, "--baseline", "bm25", "-m", "RPP,sgnLP").out)
    assert means.columns.tolist() == ["run_a", "run_b", "measure", "n", "mean", "sd"]
    assert (len(means), set(means["run_b"])) == (22, {"bm25"})
    assert len(read(pdeval_command(*words, "-q").out)) == 66 * 50
    square = read(pdeval_command(*words, "--matrix").out).set_index("run")
    assert (square + square.T).abs().to_numpy().max() < 1e-12
    mean = means.query("run_a == 'dense-s1' and measure == 'RPP'")["mean"].item()
    assert square.loc["dense-s1", "bm25"] == pytest.approx(mean)


@pytest.mark.broad
def test_order_lists_the_best_run_first(data, pdeval_command):
    done = pdeval_command("order", *data, "--draws", "50", "--quiet")
    assert done.out.splitlines()[0].split() == [
        "run",
        "measure",
        "method",
        "score",
        "rank",
        "rank_low",
        "rank_high",
    ]
    assert done.out.splitlines()[1].split()[:3] == ["rerank-s1", "RPP", "winrate"]
    both = read(
        pdeval_command(
            "order", *data, "-m", "AP", "--method", "mc4", "--method", "mean", "--format", "csv"
        ).out
    )
    assert both.groupby("method")["rank"].min().to_dict() == {"mc4": 1, "mean": 1}


@pytest.mark.broad
def test_compare_shows_fewer_columns_in_a_table_than_in_a_file(data, tmp_path, pdeval_command):
    words = ("compare", *data, "-m", "AP", "--baseline", "bm25", "--quiet")
    table = pdeval_command(*words).out.splitlines()
    assert table[0].split() == [
        "run_a", "run_b", "measure", "test", "n", "difference", "ci_low", "ci_high", "effect_size", "p_adjusted",
        "significant",
    ]  # fmt: skip
    assert "statistic" in pdeval_command(*words, "--all-columns").out
    pdeval_command(*words, "-o", tmp_path / "tests.parquet")
    found = pd.read_parquet(tmp_path / "tests.parquet")
    assert len(found.columns) == 19
    assert found["significant"].sum() == sum(line.endswith("yes") for line in table)


@pytest.mark.broad
def test_report_is_a_plain_table_by_default_and_follows_the_file(
    data, sample, tmp_path, pdeval_command
):
    words = ("report", *data, "-m", "AP,nDCG@10", "--quiet")
    plain = pdeval_command(*words, "--caption", "On 100% of it").out
    assert plain.startswith("On 100% of it\n\n   System ")
    assert "\nh  rerank-s1  *0.562abcdegjkl  _0.631abcdegjkl\n" in plain
    corrected = pdeval_command(*words, "--correction", "bonferroni").out
    assert "\nh  rerank-s1  *0.562abcdegjkl  _0.631abcdegl\n" in corrected
    assert "<" not in plain
    latex = (*words, "--format", "latex")
    text = pdeval_command(*latex, "--caption", "On 100% of it", "--label", "tab:x").out
    assert text.startswith("\\begin{table}[t]")
    assert r"\caption{On 100\% of it}" in text
    assert r"\textbf{0.562}" in text
    grouped = pdeval_command(*latex, "--metadata", sample / "metadata.csv", "--group", "family").out
    assert r"\textit{reranker}" in grouped
    pdeval_command(*words, "--baseline", "bm25", "--test", "hsd", "-o", tmp_path / "table.md")
    assert "† significantly better" in (tmp_path / "table.md").read_text(encoding="utf-8")


@pytest.mark.broad
def test_report_takes_measures_and_preferences(data, pdeval_command):
    assert "RPP" in pdeval_command("report", *data, "-m", "RPP", "--format", "markdown").out
    done = pdeval_command("report", *data, "-m", "RPP,AP")
    assert done.status == 0
    assert "RPP: cells are mean preferences over all other systems" in done.out.replace("\n", " ")


@pytest.mark.broad
@pytest.mark.skipif(
    not (shutil.which("tectonic") or shutil.which("pdflatex")), reason="needs a LaTeX"
)
def test_a_standalone_report_compiles(data, tmp_path, pdeval_command):
    pdeval_command(
        "report", *data, "-m", "AP,nDCG@10", "--standalone", "-o", tmp_path / "table.tex"
    )
    latex = (
        ["tectonic"]
        if shutil.which("tectonic")
        else ["pdflatex", "-interaction=nonstopmode", "-halt-on-error"]
    )
    subprocess.run([*latex, "table.tex"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "table.pdf").stat().st_size > 0


@pytest.mark.broad
def test_check_fails_where_queries_are_missing_or_rows_repeat(data, tmp_path, pdeval_command):
    done = pdeval_command("check", *data)
    assert done.status == 1
    assert done.err == "pdeval: 1 of 12 runs lack judged queries.\n"
    assert pdeval_command("check", data[0], data[1] / "bm25.run").status == 0
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "x.run").write_text("1 Q0 a 1 1 t\n1 Q0 a 2 0 t\n")
    done = pdeval_command("check", tmp_path / "qrels", tmp_path / "x.run")
    assert (done.status, done.err) == (1, "pdeval: 1 of 1 runs have duplicate documents.\n")


@pytest.mark.broad
def test_demo_prints_the_sample_collection_and_writes_it(tmp_path, pdeval_command):
    done = pdeval_command("demo", "--write", tmp_path / "sample")
    assert done.out.startswith("The sample collection: 12 systems, 50 queries.\n")
    assert "\n\nrun " in done.out
    assert "rerank-s1  reranker  0.5616" in done.out
    assert len(list((tmp_path / "sample" / "runs").iterdir())) == 12
    done = pdeval_command(
        "check", tmp_path / "sample" / "qrels.txt", tmp_path / "sample" / "runs" / "hybrid.run"
    )
    assert done.status == 0


@pytest.mark.broad
@pytest.mark.parametrize(
    ("on_path", "called", "program"),
    [
        (None, ".venv/bin/pdeval", ".venv/bin/pdeval"),
        ("/usr/bin/pdeval", "/usr/bin/pdeval", "pdeval"),
        (None, "pdeval/__main__.py", "pdeval"),
    ],
)
def test_the_commands_that_demo_suggests_can_be_typed(
    on_path, called, program, monkeypatch, pdeval_command
):
    monkeypatch.setattr("shutil.which", lambda name: on_path)
    monkeypatch.setattr("sys.argv", [called, "demo"])
    lines = pdeval_command("demo").out.splitlines()
    assert lines[-3:] == [
        f"  {program} demo --write sample",
        f"  {program} report sample/qrels.txt sample/runs --baseline bm25",
        f"  {program} report sample/qrels.txt sample/runs -o page.html",
    ]
    assert max(map(len, lines)) <= 80


def test_catalog_lists_what_mentions_all_words(pdeval_command):
    assert [line.split()[0] for line in pdeval_command("catalog", "lexicographic", "Recall").out.splitlines()] == [
        "name", "sgnLP", "rrLP", "sgnLR", "LR",
    ]  # fmt: skip
    assert len(read(pdeval_command("catalog", "--format", "csv").out)) == len(pdeval.catalog())
    done = pdeval_command("catalog", "frobnicate")
    assert (done.status, done.err.splitlines()[0]) == (
        2,
        "pdeval: error: nothing in the catalog mentions frobnicate.",
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["-m", "NDGC@10"],
            "no measure 'NDGC@10'. Did you mean 'nDCG@10'? 'pdeval catalog' lists all.",
        ),
        (["-m", "RBP(p=2)"], "p=2 in 'RBP(p=2)': expected a number between 0 and 1."),
        (["-n"], "-n requires --trec-eval."),
        (
            ["-m", "AP,RPP"],
            "RPP is a preference between runs, not a measure of one run. Use 'pdeval prefer QRELS RUN RUN -m",
        ),
        (["-m", "mc4"], "Use 'pdeval order QRELS RUN RUN --method mc4'."),  # 12.20
        (["-m", "ndcg_cut.10,x"], "no measure 'x'"),
        (["--format", "parquet"], "parquet is a binary format"),
        (
            ["-c", "--queries", "common"],
            "-c means --queries judged and conflicts with --queries common. Use one of them.",
        ),
        (["--trec-eval", "--format", "csv"], "--format cannot be combined with --trec-eval"),
        (["--trec-eval", "-m", "mapp"], "no measure 'mapp'"),
    ],
)
def test_faults_of_the_command_have_status_2(words, message, data, pdeval_command):
    done = pdeval_command("evaluate", *data, *words)
    assert done.status == 2
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("words", [["-m", "RPP", "-m", "AP"], ["-q"], ["--baseline", "bm25"]])
def test_a_matrix_is_of_one_measure_over_all(words, data, pdeval_command):
    done = pdeval_command("prefer", *data, "--matrix", *words)
    assert done.status == 2
    assert "Use one -m, without -q and --baseline" in done.err


@pytest.mark.broad
def test_faults_of_the_data_have_status_1(data, sample, tmp_path, pdeval_command):
    qrels, runs = data
    (tmp_path / "bad.run").write_text("1 Q0 a 1 high t\n")
    (tmp_path / "few.csv").write_text("run,family\nbm25,lexical\n")
    cases = {
        ("evaluate", "qrel.txt", runs): "no file 'qrel.txt'.",
        ("evaluate", qrels, tmp_path / "bad.run"): "line 1",
        ("evaluate", runs / "bm25.run", qrels): "has six columns, as a run",
        ("evaluate", qrels, f"{runs}/*.nothing"): "no file matches",
        ("compare", qrels, runs, "--baseline", "bm52"): "bm52",
        (
            "evaluate",
            qrels,
            runs,
            "-l",
            "9",
        ): "no judged query has an item with a grade of at least 9",
        (
            "evaluate",
            qrels,
            runs,
            "--by",
            "year",
            "--metadata",
            tmp_path / "few.csv",
        ): "no column 'year' to group by",
        (
            "evaluate",
            qrels,
            runs,
            "--by",
            "family",
            "--metadata",
            tmp_path / "few.csv",
        ): "the metadata have no row for 11 values of run",
        ("evaluate", qrels, runs, "-o", tmp_path / "no" / "x.csv"): "x.csv",
    }
    for words, message in cases.items():
        done = pdeval_command(*words)
        assert done.status == 1, words
        assert message in done.err, words
        assert "pdeval: error: " in done.err, words
        assert "Traceback" not in done.err, words
        assert done.out == "", words


@pytest.mark.broad
def test_the_spelling_of_trec_eval_is_understood_without_its_option(data, pdeval_command):  # 12.20
    done = pdeval_command(
        "evaluate", *data, "-m", "ndcg_cut.10,20,AP", "-m", "P.5", "--quiet", "--format", "csv"
    )
    assert done.out.splitlines()[0] == "run,ndcg_cut_10,ndcg_cut_20,AP,P_5"


def test_csv_and_tsv_with_a_header_line_are_understood_in_the_words_of_other_tools(
    tmp_path, pdeval_command
):
    (tmp_path / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\n01\tx\t1\n02\ty\t1\n"
    )  # BEIR's judgments
    (tmp_path / "knn.csv").write_text("userID,itemID,prediction\n01,x,0.5\n01,z,0.9\n02,y,0.1\n")
    words = ("evaluate", tmp_path / "test.tsv", tmp_path / "knn.csv", "-m", "RR", "--format", "csv")
    assert pdeval_command(*words).out == "run,RR\nknn,0.75\n"
    (tmp_path / "knn.csv").write_text("person,itemID,prediction\n01,x,0.5\n")
    done = pdeval_command(*words)
    assert done.status == 1
    assert "knn.csv' has no query column (known names: query_id, qid" in done.err


def test_parquet_in_other_words_is_understood_or_told(tmp_path, pdeval_command):  # 12.20
    judged = pd.DataFrame({"user_id": [1, 1, 2], "item_id": [5, 6, 5], "rating": [1, 0, 2]})
    judged.to_parquet(tmp_path / "qrels.parquet")
    judged.rename(columns={"rating": "score"}).astype({"score": float}).to_parquet(
        tmp_path / "knn.parquet"
    )
    words = (
        "evaluate",
        tmp_path / "qrels.parquet",
        tmp_path / "knn.parquet",
        "-m",
        "RR",
        "--format",
        "csv",
    )
    assert pdeval_command(*words).out == "run,RR\nknn,1.0\n"
    judged.rename(columns={"item_id": "thing"}).to_parquet(tmp_path / "qrels.parquet")
    done = pdeval_command(*words)
    assert done.status == 1
    assert "has no doc column (known names: doc_id, docno, " in done.err
    assert "it has user_id, thing, rating" in done.err


@pytest.mark.broad
def test_a_table_for_people_has_2_before_10(tmp_path, pdeval_command):  # 12.20
    (tmp_path / "qrels").write_text("".join(f"{query} 0 a 1\n" for query in (1, 2, 10)))
    for run in ("r1", "r2", "r10"):
        (tmp_path / f"{run}.run").write_text(
            "".join(f"{query} Q0 a 1 1 t\n" for query in (1, 2, 10))
        )
    words = (tmp_path / "qrels", f"{tmp_path}/*.run", "-m", "P@10,P@5")
    rows = [line.split() for line in pdeval_command("evaluate", *words, "-q").out.splitlines()[1:]]
    assert [row[0] for row in rows[::6]] == ["r1", "r2", "r10"]
    assert [row[1:3] for row in rows[:6]] == [
        [q, measure] for q in ("1", "2", "10") for measure in ("P@10", "P@5")
    ]
    square = pdeval_command("prefer", *words[:2], "--matrix").out.splitlines()
    assert [line.split()[0] for line in square] == ["run", "r1", "r2", "r10"]
    assert square[0].split()[1:] == ["r1", "r2", "r10"]
    table = read(pdeval_command("evaluate", *words, "--format", "csv").out)
    assert table["run"].tolist() == ["r1", "r10", "r2"]  # files stay as the verb has them


@pytest.mark.broad
def test_a_folder_of_collections_is_evaluated_one_by_one(tmp_path, sample, pdeval_command):
    for name in ("a", "b"):
        shutil.copytree(sample, tmp_path / name)
    done = pdeval_command(
        "evaluate", "--collections", tmp_path, "-m", "AP", "--format", "csv", "--quiet"
    )
    assert done.status == 0, done.err
    found = read(done.out)
    assert list(found) == ["collection", "run", "AP"]
    assert found["collection"].value_counts().to_dict() == {"a": 12, "b": 12}
    for command in ("describe", "order", "report"):
        assert pdeval_command(command, "--collections", tmp_path, "--quiet").status == 0
    compared = pdeval_command(
        "compare", "--collections", tmp_path, "-m", "AP", "--baseline", "bm25", "--quiet"
    )
    assert compared.out.split()[0] == "collection"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "the following arguments are required: QRELS, RUN"),
        (("qrels.txt",), "the following arguments are required: RUN"),
        (("qrels.txt", "--collections", "x"), "Omit QRELS and RUN"),
        (
            ("--trec-eval", "--collections", "x"),
            "--collections cannot be combined with --trec-eval",
        ),
    ],
)
def test_collections_stand_in_the_place_of_judgments_and_runs(words, message, pdeval_command):
    done = pdeval_command("evaluate", *words)
    assert done.status == 2
    assert message in done.err


def test_the_columns_that_name_runs_are_given_by_an_option(tmp_path, pdeval_command):
    rows = [
        (model, seed, query, doc, 1.0)
        for model in "ab"
        for seed in (1, 2)
        for query in "qr"
        for doc in "xy"
    ]
    frame = pd.DataFrame(rows, columns=["model", "seed", "query_id", "doc_id", "score"])
    frame.to_csv(tmp_path / "all.csv", index=False)
    (tmp_path / "qrels.txt").write_text("q 0 x 1\nr 0 x 1\n")
    data = tmp_path / "qrels.txt", tmp_path / "all.csv"
    done = pdeval_command("evaluate", *data)
    assert done.status == 1
    assert done.err.endswith(
        "The columns model, seed distinguish them: use --run run,model,seed.\n"
    )
    done = pdeval_command("evaluate", *data, "--run", "model,seed", "-m", "RR")
    assert [line.split() for line in done.out.splitlines()[:2]] == [
        ["model", "seed", "RR"],
        ["a", "1", "0.5000"],
    ]
    assert len(done.out.splitlines()) == 5
    told = pdeval_command("compare", *data, "--run", "model,seed", "-m", "RR").err
    assert "Use --replicate seed to average them" in told
    done = pdeval_command("compare", *data, "--run", "model,seed", "-m", "RR", "--quiet")
    assert done.out.split()[:5] == ["model_a", "seed_a", "model_b", "seed_b", "measure"]
    assert (
        "no column 'modle' for the role 'run'"
        in pdeval_command("evaluate", *data, "--run", "modle").err
    )
    assert (
        "--run cannot be combined with --trec-eval"
        in pdeval_command("evaluate", *data, "--run", "model", "--trec-eval").err
    )
    (tmp_path / "about.csv").write_text("model,seed,size\na,1,big\na,2,big\nb,1,small\nb,2,small\n")
    about = "--by", "size", "--metadata", tmp_path / "about.csv"
    done = pdeval_command("evaluate", *data, "--run", "model,seed", *about, "-m", "RR")
    assert done.out.split()[:3] == ["size", "model", "seed"], done.err


def test_a_call_without_a_command_is_told_which_is_meant(data, pdeval_command):
    qrels, runs = data
    cases = {
        (
            "-m",
            "map",
            qrels,
            runs,
        ): f"no command. For the format of trec_eval, use: pdeval evaluate --trec-eval -m map {qrels} {runs}\n",
        (qrels, runs): f"no command. To evaluate runs, use: pdeval evaluate {qrels} {runs}\n",
        ("evalute", qrels, runs): "no command 'evalute'. Did you mean 'evaluate'?\n",
        ("map", qrels, runs): "no command 'map'. Commands are: check, compare,",
    }
    for words, message in cases.items():
        done = pdeval_command(*words)
        assert done.status == 2
        assert done.err.startswith(f"pdeval: error: {message}")


def test_swapped_files_are_told_to_be_swapped(data, pdeval_command):
    qrels, runs = data
    run = runs / "bm25.run"
    done = pdeval_command("evaluate", run, qrels)
    assert done.status == 1
    advice = f"Pass the judgments first: pdeval evaluate {qrels} {run}."
    assert done.err == f"pdeval: error: '{run}' has six columns, as a run. {advice}\n"


def test_a_gate_ends_with_its_result_as_status_and_writes_its_files(data, tmp_path, pdeval_command):
    files = {name: tmp_path / f"gate.{name}" for name in ("xml", "json", "md")}
    words = ["gate", *data, "--baseline", "bm25", "-m", "AP", "--margin", "5%", "--quiet"]
    outputs = ["--junit", files["xml"], "--json", files["json"], "--summary", files["md"]]
    passed = pdeval_command(*words, "--candidate", "hybrid", *outputs)
    assert passed.status == 0
    assert "better by at least" in passed.out
    assert 'failures="0"' in files["xml"].read_text()
    assert files["md"].read_text().startswith("### Gate passed: hybrid in place of bm25")
    assert json.loads(files["json"].read_text())[0]["passed"] is True
    assert pdeval_command(*words, "--candidate", "tfidf", *outputs).status == 1
    assert 'failures="1"' in files["xml"].read_text()
    assert pdeval_command(*words, "--candidate", "nosuch").status == 2
    wrong = pdeval_command(*words, "--candidate", "bm25")
    assert wrong.status == 2
    assert "the candidate 'bm25' is the baseline" in wrong.err
    assert pdeval_command("gate", data[0], "nofile.run", *words[3:], "--candidate", "a").status == 2


@pytest.mark.parametrize("option", ["-o", "--junit", "--json", "--summary"])
def test_a_gate_that_cannot_write_a_file_has_not_failed(data, tmp_path, option, pdeval_command):
    words = ["gate", *data, "--candidate", "hybrid", "--baseline", "bm25", "-m", "AP"]
    done = pdeval_command(*words, option, tmp_path / "nofolder" / "gate.csv")
    assert done.status == 2
    assert "nofolder' does not exist" in done.err


@pytest.mark.parametrize("error", [MemoryError, RuntimeError, ImportError])
def test_a_gate_that_stops_with_any_error_has_not_failed(data, error, pdeval_command, monkeypatch):
    def stop(*_, **__):
        raise error("stopped")

    monkeypatch.setattr("pdeval.cli.commands.call", stop)
    words = [*data, "--candidate", "hybrid", "--baseline", "bm25", "-m", "AP"]
    done = pdeval_command("gate", *words)
    assert done.status == 2
    assert ("not enough memory" if error is MemoryError else "stopped") in done.err


def test_a_terminal_states_the_level_and_the_correction_of_intervals(
    data, pdeval_command, monkeypatch
):
    words = ["compare", *data, "-m", "AP", "--baseline", "bm25", "--draws", "99"]
    assert "simultaneous" not in pdeval_command(*words).err
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    note = "ci_low, ci_high: {}95% confidence interval; paired Student t test, {}, α = 0.05\n"
    corrected = note.format("simultaneous ", "max-t correction of 11 comparisons")
    lines = pdeval_command(*words).err.splitlines(keepends=True)[-2:]
    assert "".join(lines).replace(",\n", ", ") == corrected
    assert max(map(len, lines)) <= 80
    alone = pdeval_command(*words, "--correction", "none")
    assert alone.err.replace(",\n", ", ").endswith(note.format("", "no correction"))
    assert "ci_low" not in pdeval_command(*words, "--quiet").err
