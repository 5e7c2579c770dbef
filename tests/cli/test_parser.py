import pytest

from pdeval.cli.commands import COMMANDS, OTHER_COMMANDS
from pdeval.cli.parser import (
    DESCRIPTIONS,
    EXTRAS,
    MEANINGS,
    NAMES,
    parser,
    repeat_measure_option,
    verbs,
)


@pytest.mark.broad
def test_every_command_can_be_typed_and_has_help(capsys):
    for name in [*verbs(), *OTHER_COMMANDS]:
        with pytest.raises(SystemExit) as stop:
            parser().parse_args([name, "--help"])
        assert stop.value.code == 0
        assert "--format" in capsys.readouterr().out


def test_help_fits_a_terminal_of_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    parser().print_help()
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if len(line) > 80] == []


def test_the_commands_are_those_that_are_documented():
    assert {"evaluate", "prefer", "order", "compare", "report", "check"} <= set(verbs())


def test_what_the_shell_adds_is_added_to_commands_that_there_are():
    assert {*EXTRAS, *DESCRIPTIONS, *COMMANDS, *NAMES.values()} <= set(verbs())


def test_the_options_of_trec_eval_keep_their_letters():
    options = parser().parse_args(
        [
            "evaluate",
            "--trec-eval",
            "-q",
            "-c",
            "-n",
            "-l2",
            "-M100",
            "-mP.5,10",
            "-m",
            "map",
            "q",
            "r",
        ]
    )
    assert (
        options.per_query,
        options.complete,
        options.no_total,
        options.level,
        options.depth,
    ) == (
        True,
        True,
        True,
        2,
        100,
    )
    assert options.measures == ["P.5,10", "map"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare", "q", "r", "--test", "wilcoxn"], "no test 'wilcoxn'. Did you mean 'wilcoxon'?"),
        (["compare", "q", "r", "--correction", "bonferoni"], "Did you mean 'bonferroni'?"),
        (["evaluate", "q", "r", "-M", "ten"], "'ten' is not an integer"),
        (["evaluate", "q", "r", "--queries", "all"], "invalid choice: 'all'"),
        (["order", "q", "r", "--method", "best"], "no ordering 'best'. There are: mean, winrate"),
        (["measure"], "invalid choice: 'measure'"),
    ],
)
def test_what_cannot_be_understood_ends_with_status_2_and_says_why(words, message, capsys):
    with pytest.raises(SystemExit) as stop:
        parser().parse_args(words)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_a_test_may_be_called_by_another_name():
    assert (
        parser().parse_args(["compare", "q", "r", "--test", "permutation"]).test == "randomization"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["q.txt", "r", "-m", "AP", "P.5,10", "RBP(p=0.9)"],
        ["-m", "AP", "P.5,10", "RBP(p=0.9)", "q.txt", "r"],
        ["q.txt", "r", "-m", "AP", "-m", "P.5,10", "-m", "RBP(p=0.9)"],
        ["--measure", "AP", "-m", "P.5,10", "RBP(p=0.9)", "q.txt", "r"],
    ],
)
def test_measures_may_follow_each_other(words):
    options = parser().parse_args(repeat_measure_option(["evaluate", *words]))
    assert options.measures == ["AP", "P.5,10", "RBP(p=0.9)"]
    assert (options.qrels, options.files) == ("q.txt", ["r"])


def test_a_file_after_a_measure_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "AP").touch()
    for file in ("AP", "qrels.txt", "runs/", "runs*", "-"):
        words = ["evaluate", "-m", "RR", file, "x"]
        assert repeat_measure_option(words) == words


def test_an_unknown_measure_among_several_is_named(pdeval_command, sample):
    words = ("evaluate", sample / "qrels.txt", sample / "runs", "-m", "AP", "nDGC@10")
    done = pdeval_command(*words)
    assert (done.status, done.err.splitlines()[0]) == (
        2,
        "pdeval: error: no measure 'nDGC@10'. Did you mean 'nDCG@10'? 'pdeval catalog' lists all.",
    )


@pytest.mark.parametrize(
    ("typed", "command"),
    [("evalute", "evaluate"), ("leaderbord", "leaderboard"), ("summary", "evaluate")],
)
def test_a_misspelled_command_is_suggested(typed, command, pdeval_command):
    done = pdeval_command(typed, "qrels.txt", "runs")
    assert (done.status, done.err.splitlines()[0]) == (
        2,
        f"pdeval: error: no command {typed!r}. Did you mean {command!r}?",
    )


def test_other_words_for_commands_are_not_commands_themselves():
    commands = {*verbs(), *OTHER_COMMANDS}
    assert set(MEANINGS.values()) <= commands
    assert not set(MEANINGS) & commands
