"""Output laid out as trec_eval's, compared line by line with what trec_eval 10 prints on its own test files."""

import gzip

import pandas as pd
import pytest

import pdeval
from pdeval.cli import trec_format
from pdeval.cli.trec_names import lines

PARAMETERS = (
    "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35 "
    "-mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20"
)


@pytest.mark.parametrize(
    ("options", "qrels", "results", "expected"),
    [
        ("", "qrels.test", "results.test", "out.test"),
        ("-m all_trec", "qrels.test", "results.test", "out.test.a"),
        ("-m all_trec -q", "qrels.test", "results.test", "out.test.aq"),
        ("-m all_trec -q -c", "qrels.test", "results.trunc", "out.test.aqc"),
        ("-m all_trec -mrelstring.20 -q -l2", "qrels.rel_level", "results.test", "out.test.aql"),
        (PARAMETERS, "qrels.test", "results.test", "out.test.meas_params"),
    ],
)
def test_the_output_is_that_of_trec_eval_in_every_character(
    options, qrels, results, expected, shared_data, pdeval_command
):
    folder = shared_data / "trec_eval-test"
    done = pdeval_command("evaluate", "--trec-eval", *options.split(), folder / qrels, folder / results)
    assert done.out == (folder / expected).read_text()
    assert (done.status, done.err) == (0, "")


QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 12\n1 0 p -1\n2 0 a 1\n3 0 z 1\n"
RUN = "1 Q0 c 1 5 tag\n1 Q0 x 2 4 tag\n1 Q0 b 3 3 tag\n1 Q0 p 4 2 tag\n1 Q0 a 5 1 tag\n2 Q0 b 1 1 tag\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "mine.run").write_text(RUN)
    return tmp_path / "qrels", tmp_path / "mine.run"


def test_the_run_is_named_by_its_tag_and_unanswered_queries_do_not_count(files, pdeval_command):
    done = pdeval_command("evaluate", "--trec-eval", "-m", "runid", "-m", "num_q", "-m", "recip_rank", *files)
    assert done.out == (
        "runid                 \tall\ttag\nnum_q                 \tall\t2\nrecip_rank            \tall\t0.5000\n"
    )


def test_c_counts_unanswered_queries_and_n_leaves_out_the_total(files, pdeval_command):
    done = pdeval_command("evaluate", "--trec-eval", "-q", "-c", "-n", "-m", "recip_rank", *files)
    assert [line.split("\t")[1:] for line in done.out.splitlines()] == [
        ["1", "1.0000"],
        ["2", "0.0000"],
        ["3", "0.0000"],
    ]


def test_relevance_strings_tell_judged_pooled_and_unknown_items_apart(files, pdeval_command):
    done = pdeval_command("evaluate", "--trec-eval", "-q", "-m", "relstring", *files)
    assert done.out == "relstring             \t1\t'>-0.1'\nrelstring             \t2\t'-'\n"
    assert (
        pdeval_command("evaluate", "--trec-eval", "-q", "-m", "relstring.2", *files)
        .out.splitlines()[0]
        .endswith("'>-'")
    )


def test_depth_cuts_the_lists(files, pdeval_command):
    done = pdeval_command("evaluate", "--trec-eval", "-M", "1", "-m", "num_ret", *files)
    assert done.out == "num_ret               \tall\t2\n"


def test_each_of_several_runs_begins_with_its_name(files, tmp_path, pdeval_command):
    with gzip.open(tmp_path / "other.run.gz", "wt") as file:
        file.write(RUN.replace("tag", "second"))
    done = pdeval_command("evaluate", "--trec-eval", "-m", "map", *files, tmp_path / "other.run.gz")
    assert [line.split("\t")[0::2] for line in done.out.splitlines()] == [
        ["runid                 ", "tag"],
        ["map                   ", "0.3500"],
        ["runid                 ", "second"],
        ["map                   ", "0.3500"],
    ]


def test_a_measure_of_pdeval_is_printed_under_its_own_name(files, pdeval_command):
    done = pdeval_command("evaluate", "--trec-eval", "-m", "RBP(p=0.5)", *files)
    assert done.out == "RBP(p=0.5)            \tall\t0.2656\n"  # (1 + 1/16) / 2, halved, and 0


def test_output_goes_to_a_file_of_any_name(files, tmp_path, pdeval_command):
    done = pdeval_command("evaluate", "--trec-eval", "-m", "map", "-o", tmp_path / "eval.out", *files)
    assert done.out == ""
    assert (tmp_path / "eval.out").read_text() == "map                   \tall\t0.3500\n"


def test_values_equal_those_of_pytrec_eval_on_the_sample_collection():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    runs, qrels, _ = pdeval.datasets.load_sample()
    run = runs[runs["run"] == "splade-s1"]
    wanted = {"map", "ndcg_cut_10", "P_5", "recip_rank", "bpref"}
    nested = {query: dict(zip(part["doc_id"], part["relevance"].tolist())) for query, part in qrels.groupby("query_id")}
    found = {query: dict(zip(part["doc_id"], part["score"])) for query, part in run.groupby("query_id", observed=True)}
    theirs = pytrec_eval.RelevanceEvaluator(nested, wanted).evaluate(found)
    joined = run.ireval.join(qrels, topics="answered", compat="trec_eval-9")
    rows = [row.split("\t") for row in trec_format.rows(joined, lines(sorted(wanted)), per_query=True, total=False)]
    ours = pd.DataFrame(rows, columns=["measure", "query", "value"])
    assert len(ours) == 50 * len(wanted)
    for row in ours.itertuples():
        assert row.value == f"{theirs[row.query][row.measure.strip()]:.4f}"
