import pytest

from pdeval.cli.arguments import parser
from pdeval.cli.commands import COMMANDS


def test_every_command_can_be_typed_and_has_help(capsys):
    for name in COMMANDS:
        with pytest.raises(SystemExit) as stop:
            parser().parse_args([name, "--help"])
        assert stop.value.code == 0
        assert "--format" in capsys.readouterr().out


def test_the_options_of_trec_eval_keep_their_letters():
    options = parser().parse_args(
        ["evaluate", "--trec-eval", "-q", "-c", "-n", "-l2", "-M100", "-mP.5,10", "-m", "map", "q", "r"]
    )
    assert (options.per_query, options.complete, options.no_total, options.level, options.depth) == (
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
        (["evaluate", "qrels"], "the following arguments are required: RUN"),
        (["compare", "q", "r", "--test", "wilcoxn"], "no test 'wilcoxn'. Did you mean 'wilcoxon'?"),
        (["compare", "q", "r", "--correction", "bonferoni"], "Did you mean 'bonferroni'?"),
        (["evaluate", "q", "r", "-M", "ten"], "'ten' is not a whole number"),
        (["evaluate", "q", "r", "--topics", "all"], "invalid choice: 'all'"),
        (["order", "q", "r", "--method", "best"], "invalid choice: 'best'"),
        (["measure"], "invalid choice: 'measure'"),
    ],
)
def test_what_cannot_be_understood_ends_with_status_2_and_says_why(words, message, capsys):
    with pytest.raises(SystemExit) as stop:
        parser().parse_args(words)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_a_test_may_be_called_by_another_name():
    assert parser().parse_args(["compare", "q", "r", "--test", "permutation"]).test == "randomisation"
