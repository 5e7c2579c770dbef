import pytest

from pdeval.cli.commands import COMMANDS, OTHER_COMMANDS
from pdeval.cli.parser import DESCRIPTIONS, EXTRAS, NAMES, parser, verbs


@pytest.mark.broad
def test_every_command_can_be_typed_and_has_help(capsys):
    for name in [*verbs(), *OTHER_COMMANDS]:
        with pytest.raises(SystemExit) as stop:
            parser().parse_args([name, "--help"])
        assert stop.value.code == 0
        assert "--format" in capsys.readouterr().out


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
        (["evaluate", "q", "r", "-M", "ten"], "'ten' is not a whole number"),
        (["evaluate", "q", "r", "--topics", "all"], "invalid choice: 'all'"),
        (["order", "q", "r", "--method", "best"], "no ordering 'best'. There are: mean, winrate"),
        (["order", "q", "r", "--bootstrap", "100"], "--bootstrap is now --draws"),
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
        parser().parse_args(["compare", "q", "r", "--test", "permutation"]).test == "randomisation"
    )
