"""Output laid out as trec_eval's, compared line by line with what trec_eval 10 prints on its own test files."""

import gzip

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.cli import trec_eval_output
from pdeval.cli.trec_eval_output import lines

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
    done = pdeval_command(
        "evaluate", "--trec-eval", *options.split(), folder / qrels, folder / results
    )
    assert done.out == (folder / expected).read_text()
    assert (done.status, done.err) == (0, "")


CLEF = "-q -c -M 1000"  # how the expected files were made, with trec_eval 9


@pytest.mark.broad
@pytest.mark.parametrize("run", ["CUNI_EN_Run.2", "USST_EN_Run.1"])
def test_compat_with_version_9_prints_its_lines_in_every_character(
    run, shared_data, pdeval_command
):  # 12.22
    folder = shared_data / "clef-ehealth-2015"
    files = folder / "qrels.binary.txt", folder / "runs" / f"{run}.run.gz"
    done = pdeval_command(
        "evaluate", "--trec-eval", "--compat", "trec_eval-9", *CLEF.split(), *files
    )
    with gzip.open(folder / "expected" / f"{run}.trec_eval.txt.gz", "rt") as expected:
        assert done.out == expected.read()


@pytest.mark.broad
def test_compat_with_version_9_prints_all_its_measures_but_the_total_of_num_rel(
    shared_data, pdeval_command
):  # 12.22
    folder = shared_data / "dl-hard-doc"
    files = folder / "qrels.txt", folder / "runs" / "bm25.run.gz"
    words = "--trec-eval --compat trec_eval-9 -q -c -l 2 -m all_trec"
    done = pdeval_command("evaluate", *words.split(), *files)
    with gzip.open(folder / "expected" / "bm25.trec_eval.txt.gz", "rt") as expected:
        theirs = expected.read().splitlines()
    ours = done.out.splitlines()
    assert [pair for pair in zip(theirs, ours) if pair[0] != pair[1]] == [
        # under -c -l trec_eval's total counts every grade from 1; ours is the sum of the lines above it
        ("num_rel               \tall\t3358", "num_rel               \tall\t841"),
    ]
    assert len(theirs) == len(ours) == 4644


def test_version_9_prints_no_lines_for_topics_that_were_not_answered(
    files, pdeval_command
):  # 12.22
    words = ("evaluate", "--trec-eval", "-q", "-c", "-m", "map", "-m", "num_q", *files)
    assert [line.split("\t")[1] for line in pdeval_command(*words).out.splitlines()] == [
        "1",
        "2",
        "3",
        "all",
        "all",
    ]
    done = pdeval_command(*words, "--compat", "trec_eval-9")
    assert [line.split("\t")[1:] for line in done.out.splitlines()] == [
        ["1", "0.7000"], ["2", "0.0000"], ["all", "3"], ["all", "0.2333"],
    ]  # fmt: skip


QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 12\n1 0 p -1\n2 0 a 1\n3 0 z 1\n"
RUN = "1 Q0 c 1 5 tag\n1 Q0 x 2 4 tag\n1 Q0 b 3 3 tag\n1 Q0 p 4 2 tag\n1 Q0 a 5 1 tag\n2 Q0 b 1 1 tag\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "mine.run").write_text(RUN)
    return tmp_path / "qrels", tmp_path / "mine.run"


def test_the_run_is_named_by_its_tag_and_unanswered_queries_do_not_count(files, pdeval_command):
    done = pdeval_command(
        "evaluate", "--trec-eval", "-m", "runid", "-m", "num_q", "-m", "recip_rank", *files
    )
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


def test_shares_are_computed_with_and_printed_without_their_last_decimals(
    tmp_path, pdeval_command
):  # 12.22
    (tmp_path / "qrels").write_text("".join(f"1 0 d{i} 1\n" for i in range(12)))
    (tmp_path / "r").write_text(
        "1 Q0 d0 1 5 t\n1 Q0 n 2 4 t\n1 Q0 m 3 3 t\n1 Q0 o 4 2 t\n1 Q0 d1 5 1 t\n"
    )
    done = pdeval_command(
        "evaluate", "--trec-eval", "-m", "iprec_at_recall..125", tmp_path / "qrels", tmp_path / "r"
    )
    assert done.out == "iprec_at_recall_0.12  \tall\t0.4000\n"
    (tmp_path / "qrels").write_text("".join(f"1 0 d{i} 1\n" for i in range(200)))
    words = ("-m", "Rprec_mult..0205,.02", tmp_path / "qrels", tmp_path / "r")
    done = pdeval_command("evaluate", "--trec-eval", *words)
    assert done.out == "Rprec_mult_0.02       \tall\t0.2500\nRprec_mult_0.02       \tall\t0.4000\n"


def test_the_runid_is_the_last_lines(files, pdeval_command):  # 12.22
    with files[1].open("a") as file:
        file.write("# a comment\n2 Q0 c 2 0.5 another and more\n\n")
    assert pdeval_command("evaluate", "--trec-eval", "-m", "runid", *files).out.split() == [
        "runid",
        "all",
        "another",
    ]


OPTIONS = "-q -c -n -l 1 -M 10 -R qrels -T trec_results -D 0 -N 500"
LONG = (
    "--query_eval_wanted --complete_rel_info_wanted --nosummary --level_for_rel 1 --Max_retrieved_per_topic=10 "
    "--Rel_info_format qrels --Results_format trec_results --Debug_level 0 --Number_docs_in_coll 500"
)


def test_the_long_names_of_options_mean_what_the_letters_do(files, pdeval_command):  # 12.22
    short = pdeval_command("evaluate", "--trec-eval", *OPTIONS.split(), "-m", "map", *files)
    long = pdeval_command("evaluate", "--trec-eval", *LONG.split(), "--measure", "map", *files)
    assert short == long
    assert [line.split("\t")[1:] for line in long.out.splitlines()] == [
        ["1", "0.7000"],
        ["2", "0.0000"],
        ["3", "0.0000"],
    ]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-Z means", "-Z means: not supported: only raw scores are printed."),
        ("-R prefs", "-R prefs: only qrels: preferences and judgment groups are not supported."),
        ("-R qrels_jg", "-R qrels_jg: only qrels"),
        ("-T other", "-T other: only trec_results"),
        ("-D 1", "-D 1: only 0"),
        (
            "--Output_old_results_format",
            "as in trec_eval itself; -o is the output file.",
        ),
        ("-l 0", "-l 0 is not supported, because non-relevant items would be relevant."),
        ("-M 0", "-M 0 leaves no item to evaluate. Use at least 1."),
    ],
)
def test_options_that_are_not_served_are_refused_by_name_with_the_reason(
    words, told, files, pdeval_command
):  # 12.22
    done = pdeval_command("evaluate", "--trec-eval", *words.split(), "-m", "map", *files)
    assert (done.status, done.out) == (2, "")
    assert told in done.err


def test_options_of_trec_eval_go_with_it(files, pdeval_command):
    done = pdeval_command("evaluate", "-Z", "means", *files)
    assert (done.status, done.err.splitlines()[0]) == (
        2,
        "pdeval: error: -Z requires --trec-eval.",
    )


@pytest.mark.broad
def test_judged_items_only_has_the_letter_and_the_long_name_of_trec_eval(files, pdeval_command):
    asked = ["evaluate", "--trec-eval", "-q", "-m", "P.5,10", "-m", "map"]
    done = [
        pdeval_command(*asked, flag, *files)
        for flag in ("-J", "--Judged_docs_only", "--judged-only")
    ]
    assert done[0] == done[1] == done[2]
    assert done[0] != pdeval_command(*asked, *files)


def test_the_version_says_whose_output_it_is(pdeval_command):  # 12.22
    done = pdeval_command("evaluate", "--trec-eval", "-v")
    assert (done.status, " ".join(done.out.split())) == (
        0,
        f"pdeval {pdeval.__version__} (--trec-eval: as trec_eval 10.0, or as 9 with --compat trec_eval-9)",
    )


# where trec_eval 10.0 itself exits, crashes or reads memory that was never set, and what is printed here
ODD = {
    "rbp: gains are divided by the topic's largest grade": (
        "1 0 a 2\n1 0 b 1\n", "1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n", "-m rbp", ["rbp all 0.1400"],
    ),
    "a topic with negative grades only has nothing relevant and counts": (
        "1 0 a 1\n2 0 a -1\n", "1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n", "-q -m map",
        ["map 1 1.0000", "map 2 0.0000", "map all 0.5000"],
    ),
    "a judged topic that is not in the run does not count without -c": (
        "1 0 a 1\n2 0 a 1\n", "2 Q0 a 1 1 t\n", "-q -m map -m num_q", ["map 2 1.0000", "num_q all 1", "map all 1.0000"],
    ),
    "-c -l: the total of num_rel is the sum of its lines": (
        "1 0 a 2\n1 0 b 1\n", "1 Q0 a 1 1 t\n", "-c -l 2 -q -m num_rel", ["num_rel 1 1", "num_rel all 1"],
    ),
    "-l above every grade of a topic: bpref knows its judged items": (
        "1 0 a 1\n1 0 b 0\n2 0 a 3\n", "1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n", "-l 3 -q -m bpref",
        ["bpref 1 0.0000", "bpref 2 1.0000", "bpref all 0.5000"],
    ),
    "fractional gains: the ideal ranking is sorted by them": (
        "1 0 a 1\n1 0 b 2\n", "1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n", "-m ndcg.1=0.9,2=0.2",
        [f"ndcg_1=0.9,2=0.2 all {(0.2 + 0.9 / np.log2(3)) / (0.9 + 0.2 / np.log2(3)):.4f}"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_where_trec_eval_has_no_answer_the_definition_is_printed(
    case, tmp_path, pdeval_command
):  # 12.22
    qrels, run, words, printed = ODD[case]
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "x.run").write_text(run)
    done = pdeval_command(
        "evaluate", "--trec-eval", *words.split(), tmp_path / "qrels", tmp_path / "x.run"
    )
    assert [" ".join(line.split()) for line in done.out.splitlines()] == printed


def test_output_goes_to_a_file_of_any_name(files, tmp_path, pdeval_command):
    done = pdeval_command(
        "evaluate", "--trec-eval", "-m", "map", "-o", tmp_path / "eval.out", *files
    )
    assert done.out == ""
    assert (tmp_path / "eval.out").read_text() == "map                   \tall\t0.3500\n"


def test_values_equal_those_of_pytrec_eval_on_the_sample_collection():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    runs, qrels, _ = pdeval.datasets.load_sample()
    run = runs[runs["run"] == "splade-s1"]
    wanted = {"map", "ndcg_cut_10", "P_5", "recip_rank", "bpref"}
    judged, listed = (table.groupby("query_id", observed=True) for table in (qrels, run))
    nested = {
        query: dict(zip(part["doc_id"], part["relevance"].tolist())) for query, part in judged
    }
    found = {query: dict(zip(part["doc_id"], part["score"])) for query, part in listed}
    theirs = pytrec_eval.RelevanceEvaluator(nested, wanted).evaluate(found)
    joined = run.ireval.join(qrels, queries="answered", compat="trec_eval-9")
    rows = [
        row.split("\t")
        for row in trec_eval_output.rows(joined, lines(sorted(wanted)), per_query=True, total=False)
    ]
    ours = pd.DataFrame(rows, columns=["measure", "query", "value"])
    assert len(ours) == 50 * len(wanted)
    for row in ours.itertuples():
        assert row.value == f"{theirs[row.query][row.measure.strip()]:.4f}"


def test_a_depth_beyond_64_bits_is_refused(files, pdeval_command):
    done = pdeval_command("evaluate", "--trec-eval", "-M", "99999999999999999999", *files)
    assert done.status == 1
    assert "depth=99999999999999999999: expected an integer of at most" in done.err
