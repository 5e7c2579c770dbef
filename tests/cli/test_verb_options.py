"""Options come from the declaration of a verb; here from verbs that the tests declare."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pandas as pd
import pytest

from pdeval.catalog.measures import split
from pdeval.cli.parser import form_of, options_of, parser, verbs
from pdeval.join.judged import Judged
from pdeval.verbs import VERBS, verb
from tests.temporary_declarations import for_a_while

GIVEN: dict[str, Any] = {}


@pytest.fixture
def tally():
    """A verb with every kind of parameter, as a notebook would write it."""
    GIVEN.clear()
    with for_a_while():

        @verb(on="judged", command=True)
        def tally(
            judged: Judged,
            measures: object = ("AP",),
            *,
            baseline: object = None,
            pairs: object = None,
            how: Literal["loud", "quiet"] = "loud",
            many: Literal["x", "y"] | Sequence[Literal["x", "y"]] | None = None,
            share: float = 0.5,
            shares: Sequence[float] = (0.1, 0.2),
            draws: int = 100,
            seed: int | None = 0,
            title: str | None = None,
            titles: str | Sequence[str] | None = None,
            aside: bool = False,
            check_it: bool = True,
            about: pd.DataFrame | None = None,
            named: Mapping[str, str] | None = None,
            progress: bool | None = None,
        ) -> pd.DataFrame:
            """Return the tally of the runs: 100% of it.

            Parameters
            ----------
            measures : str or list
                What to count.
            baseline : run, optional
                Counted first.
            pairs : list of (run_a, run_b), optional
                Only these.
            how : {'loud', 'quiet'}
                How to count.
            many : {'x', 'y'} or list of them, optional
                Which.
            share, shares : float
                How much, 50% or so.
            draws : int
                From `draws` samples.
            seed : int, optional
                Of the samples.
            title, titles : str, optional
                Written above.
            aside : bool
                Count aside.
            check_it : bool
                Check it.
            about : DataFrame, optional
                About the runs.
            named : mapping, optional
                Other names.
            progress : bool, optional
                Show a bar.
            """
            GIVEN.update(locals())
            return pd.DataFrame({"run": judged.runs["run"], "n": len(judged.queries)})

        yield VERBS["judged"]["tally"]


def typed(*words: str) -> dict[str, Any]:
    """Return what was typed after `tally QRELS RUN`."""
    given = vars(parser().parse_args(["tally", "q", "r", *words]))
    shell = [
        "command",
        "qrels",
        "files",
        "names",
        "encoding",
        "measures",
        "complete",
        "subtopics",
        "format",
        "output",
        "digits",
        "quiet",
    ]
    return {name: value for name, value in given.items() if name not in shell}


def test_a_verb_that_is_declared_a_command_is_one(tally, sample, pdeval_command):
    done = pdeval_command(
        "tally", sample / "qrels.txt", sample / "runs", "--draws", "3", "-m", "AP,RR", "--quiet"
    )
    assert done.out.splitlines()[:2] == ["run         n", "bm25       50"]
    assert (done.status, done.err) == (0, "")
    assert (GIVEN["draws"], GIVEN["seed"], GIVEN["progress"]) == (3, 0, False)
    assert [measure.label for measure in GIVEN["measures"]] == ["AP", "RR"]


def test_what_is_not_typed_is_left_to_the_verb(tally):
    assert typed() == {}


def test_every_kind_of_parameter_is_read(tally):
    assert typed("--how", "quiet", "--share", ".25", "--seed", "-3", "--title", "a, b", "--aside", "--no-check-it") == {
        "how": "quiet", "share": 0.25, "seed": -3, "title": "a, b", "aside": True, "check_it": False,
    }  # fmt: skip
    assert typed("--shares", "0.5,1e-3", "--many", "x,y", "--baseline", "bm25", "--about", "a.csv", "-l", "2") == {
        "shares": [0.5, 0.001], "many": ["x", "y"], "baseline": "bm25", "about": "a.csv", "level": 2.0,
    }  # fmt: skip
    assert typed("--many", "x", "--many", "y") == {"many": ["x", "y"]}


def test_what_a_shell_cannot_say_has_no_option(tally):
    names = {option.name for option in options_of(tally)}
    assert not names & {"pairs", "named", "qrels", "measures", "progress"}


def test_one_of_several_stands_alone_where_it_may(tally, sample, pdeval_command):
    (sample / "about.csv").write_text("run,year\nbm25,1994\n")
    pdeval_command(
        "tally", sample / "qrels.txt", sample / "runs",
        "--many", "x", "--shares", "1", "--titles", "a,b", "--about", sample / "about.csv",
    )  # fmt: skip
    assert (GIVEN["many"], GIVEN["shares"], GIVEN["titles"]) == ("x", [1.0], ["a", "b"])
    assert GIVEN["about"].to_dict("records") == [{"run": "bm25", "year": 1994}]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--how", "fast"], "argument --how: invalid choice: 'fast' (choose from loud, quiet)"),
        (["--many", "x,z"], "argument --many: invalid choice: 'z' (choose from x, y)"),
        (["--draws", "1.5"], "argument --draws: '1.5' is not an integer"),
        (["--share", "half"], "argument --share: 'half' is not a number"),
    ],
)
def test_what_cannot_be_read_is_told(tally, words, message, capsys):
    with pytest.raises(SystemExit) as stop:
        typed(*words)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_the_help_is_what_the_docstring_says(tally, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "112")
    with pytest.raises(SystemExit):
        typed("--help")
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    for line in (
        "usage: pdeval tally [options] QRELS RUN [RUN ...]",
        "Print the tally of the runs: 100% of it.",
        "--baseline RUN Counted first.",
        "--how {loud,quiet} How to count (default: loud).",
        "--many MANY[,...] Which. One of x, y.",
        "--share X How much, 50% or so (default: 0.5).",
        "--draws N From N samples (default: 100).",
        "--check-it, --no-check-it",
        "Check it (default: yes).",
        "--about FILE About the runs.",
        "-M N, --depth N Use only the first N items of each list.",
    ):
        assert line in lines
    assert not any("bootstrap" in line for line in lines)


def test_the_command_goes_with_its_declaration(tally):
    assert "tally" in verbs()


def test_every_option_of_every_command_has_a_meaning():
    for name, one in verbs().items():
        lacking = [option.name for option in options_of(one) if not option.settings["help"]]
        assert lacking == [], name


@pytest.mark.parametrize(
    ("annotation", "said", "form"),
    [
        (object, "DataFrame, optional", None),
        (dict[str, int] | None, "mapping", None),
        (Sequence[object], "list", None),
    ],
)
def test_forms_that_a_shell_lacks(annotation, said, form):
    assert form_of(annotation, said) is form


def test_a_number_or_a_word_is_either():
    form = form_of(int | Literal["all"])
    assert (form.read("all"), form.read("12")) == ("all", 12)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("AP", ["AP"]),
        ("AP, RR", ["AP", "RR"]),
        ("RBP(p=0.5,k=10),AP", ["RBP(p=0.5,k=10)", "AP"]),
        ("AP,", ["AP"]),
    ],
)
def test_commas_part_names_but_not_parameters(text, names):
    assert split(text) == names
