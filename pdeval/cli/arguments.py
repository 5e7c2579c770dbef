"""What can be typed: the commands and their options."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, get_args

from pdeval import __version__
from pdeval.cli.output import FORMATS
from pdeval.evaluate.scores import Topics
from pdeval.judged.positions import Compat
from pdeval.judged.ranks import Ties
from pdeval.orderings.order import Method
from pdeval.significance.names import CORRECTION_ALIASES, CORRECTIONS, TEST_ALIASES, TESTS, choose

PROGRAM = "pdeval"
EPILOG = """\
QRELS is a TREC file of four columns or a parquet file; a RUN is a TREC file of six columns, a parquet file, a folder
of such files, or a pattern in quotes. Files may end in .gz, .bz2 or .zst.

  pdeval demo --write sample                      try it: writes runs and judgments, prints a table
  pdeval evaluate sample/qrels.txt sample/runs    means of the measures, a row a run
  pdeval report sample/qrels.txt sample/runs -m AP -m nDCG@10 -o table.tex
  pdeval evaluate --trec-eval -q -m map -m P.5,10 qrels.txt bm25.run

The status is 0 if all went well, 1 if the data is at fault, 2 if the command is.
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line.

    Examples
    --------
    >>> parser().parse_args(["evaluate", "qrels.txt", "a.run", "-m", "AP"]).measures
    ['AP']
    """
    form = argparse.RawDescriptionHelpFormatter
    whole = argparse.ArgumentParser(
        prog=PROGRAM, description="Evaluation of rankings.", epilog=EPILOG, formatter_class=form
    )
    whole.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = whole.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    def command(name: str, says: str, *, data: bool = True, rules: bool = True) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=says, description=says[0].upper() + says[1:] + ".", formatter_class=form)
        if data:
            _data(one)
        if data and rules:
            _rules(one)
        _output(one)
        return one

    _evaluate(command("evaluate", "measure every run"))
    _prefer(command("prefer", "prefer one run or the other, for every pair"))
    _order(command("order", "put the runs in order"))
    _compare(command("compare", "test the differences between runs for significance"))
    _report(command("report", "make the table that a paper prints, with significance marks"))
    command(
        "check",
        "account for queries, duplicates, ties and judgments; the status is 1 if something is amiss",
        rules=False,
    )
    demo = command("demo", "evaluate the sample collection that ships with pdeval", data=False)
    demo.add_argument("--write", metavar="FOLDER", help="also write its runs, qrels.txt and metadata.csv here")
    catalog = command("catalog", "list measures, preferences and orderings", data=False)
    catalog.add_argument("words", nargs="*", metavar="WORD", help="only entries that mention all of these words")
    return whole


def _data(one: argparse.ArgumentParser) -> None:
    one.add_argument("qrels", metavar="QRELS", help="the judgments")
    one.add_argument("runs", metavar="RUN", nargs="+", help="run files, folders or patterns")
    one.add_argument("--names", choices=["file", "tag"], default="file", help="what runs are named after")
    one.add_argument("-l", "--level", type=float, metavar="GRADE", help="the least grade that counts as relevant")


def _rules(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "-m", "--measure", dest="measures", action="append", metavar="MEASURE",
        help="e.g. AP, nDCG@10, RPP; repeat it or put commas between (pdeval catalog lists all)",
    )  # fmt: skip
    group = one.add_argument_group("rules")
    group.add_argument("-M", "--depth", type=_whole, metavar="N", help="look at the first N items of each list only")
    group.add_argument("--topics", choices=get_args(Topics), help="which queries count (default: relevant)")
    group.add_argument("-c", "--complete", action="store_true", help="count every judged query: --topics judged")
    group.add_argument("--ties", choices=get_args(Ties), help="order of equal scores (default: docid)")
    group.add_argument("--compat", choices=get_args(Compat), default="trec_eval-10", help="whose arithmetic to follow")
    group.add_argument("--subtopics", action="store_true", help="the second column of QRELS is a subtopic")


def _output(one: argparse.ArgumentParser) -> None:
    group = one.add_argument_group("output")
    group.add_argument("--format", choices=FORMATS, help="by default as the ending of FILE says, else a table")
    group.add_argument("-o", "--output", metavar="FILE", help="write to this file")
    group.add_argument("--digits", type=_whole, default=None, metavar="N", help="decimals of a printed table")
    group.add_argument("--quiet", action="store_true", help="no warnings, no progress bar")


def _evaluate(one: argparse.ArgumentParser) -> None:
    one.add_argument("-q", "--per-query", action="store_true", help="a row per run, query and measure")
    one.add_argument("--stats", action="store_true", help="n, mean, sd and confidence interval")
    _metadata(one, "--by", "average over the runs with the same value of this column of --metadata")
    group = one.add_argument_group("trec_eval")
    group.add_argument(
        "--trec-eval", action="store_true",
        help="print as trec_eval does; -m takes its names (official, all_trec, P.5,10), and -q -c -l -M mean the same",
    )  # fmt: skip
    group.add_argument("-n", "--no-total", action="store_true", help="with --trec-eval: leave out the 'all' lines")


def _prefer(one: argparse.ArgumentParser) -> None:
    one.add_argument("-q", "--per-query", action="store_true", help="a row per query, pair and measure")
    one.add_argument("--matrix", action="store_true", help="the mean preference of row over column, of one measure")
    one.add_argument("--baseline", metavar="RUN", help="only pairs with this run")


def _order(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "--method", action="append", choices=get_args(Method), metavar="METHOD",
        help=f"{', '.join(get_args(Method))}; repeat it for several",
    )  # fmt: skip
    one.add_argument(
        "--bootstrap", type=_whole, default=0, metavar="N", help="rank intervals, from N samples of queries"
    )
    one.add_argument("--seed", type=int, default=0, help="of the samples (default: 0)")


def _tests(one: argparse.ArgumentParser) -> None:
    one.add_argument("--baseline", metavar="RUN", help="compare all runs with this one")
    one.add_argument(
        "--test", type=_named("test", TESTS, TEST_ALIASES), metavar="TEST",
        help="t, wilcoxon, sign, randomisation, bootstrap, hsd (Tukey's, randomised), tukey (Tukey's, analytic)",
    )  # fmt: skip
    one.add_argument(
        "--correction", type=_named("correction", CORRECTIONS, CORRECTION_ALIASES), default="bonferroni",
        metavar="NAME", help="for many tests: bonferroni (default), holm, fdr_bh, none, ...",
    )  # fmt: skip
    one.add_argument("--alpha", type=float, default=0.05, help="the level of significance (default: 0.05)")


def _compare(one: argparse.ArgumentParser) -> None:
    _tests(one)
    one.add_argument("--draws", type=_whole, default=10_000, metavar="N", help="of randomised tests (default: 10000)")
    one.add_argument("--seed", type=int, default=0, help="of randomised tests (default: 0)")
    one.add_argument("--all-columns", action="store_true", help="also in a table; files always have all")


def _report(one: argparse.ArgumentParser) -> None:
    _tests(one)
    one.add_argument("--interval", choices=["ci", "sd"], help="add the confidence interval or the standard deviation")
    one.add_argument("--sort", metavar="MEASURE", help="sort the runs by this measure, best first")
    _metadata(one, "--group", "titles over the rows, from this column of --metadata")
    one.add_argument("--caption", help="the caption")
    one.add_argument("--label", help="the label, for LaTeX's \\ref")
    one.add_argument("--standalone", action="store_true", help="a whole LaTeX document or HTML page")


def _metadata(one: argparse.ArgumentParser, option: str, says: str) -> None:
    one.add_argument("--metadata", metavar="FILE", help="a csv or parquet file with a column 'run'")
    one.add_argument(option, metavar="COLUMN", help=says)


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def _named(what: str, choices: tuple[str, ...], aliases: dict[str, str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        try:
            return choose(text, what, choices, aliases)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def typed(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return some of the options as keyword arguments.

    Examples
    --------
    >>> typed(argparse.Namespace(alpha=0.05, seed=1), "seed")
    {'seed': 1}
    """
    return {name: getattr(options, name) for name in names}
