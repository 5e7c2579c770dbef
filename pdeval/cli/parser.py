"""What can be typed: a command for every verb that is one, and what is the shell's own: files, formats, trec_eval."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from pdeval import __version__
from pdeval.accessor.methods import RULES
from pdeval.cli.options import Option, number_of, options_of, split
from pdeval.cli.output import formats, send
from pdeval.files.lines import check_encoding
from pdeval.verbs import Verb, of_kind
from pdeval.verbs.parameter_texts import sections

PROGRAM = "pdeval"
EPILOG = """\
QRELS is a TREC file of four columns, a RUN one of six, a folder of such files, or a pattern in quotes. Files may end in
.gz, .bz2 or .zst. Either may be parquet, or CSV or TSV with a header line, under the column names of most tools.

  pdeval demo --write sample                      try it: writes runs and judgments, prints a table
  pdeval evaluate sample/qrels.txt sample/runs    means of the measures, one row per run
  pdeval report sample/qrels.txt sample/runs -m AP -m nDCG@10 -o table.tex
  pdeval report sample/qrels.txt sample/runs -o page.html    a page that opens on click: cells, queries, items, pairs
  pdeval evaluate --trec-eval -q -m map -m P.5,10 qrels.txt bm25.run

The status is 0 if all went well, 1 if the data is at fault, 2 if the command is.
"""

VERSION = f"{PROGRAM} {__version__} (--trec-eval: as trec_eval 10.0, or as 9 with --compat trec_eval-9)"
# options of trec_eval that mean one thing only here, or nothing: letter, long name, whether a value follows, and why
TREC_EVAL = (
    ("-R", "Rel_info_format", True, "Only qrels: preferences and judgment groups are not read."),
    ("-T", "Results_format", True, "Only trec_results: trec_eval has no other."),
    ("-D", "Debug_level", True, "Only 0: the program's internal steps are not printed."),
    ("-N", "Number_docs_in_coll", True, "Changes nothing: only the fourth parameter of utility would use it."),
    ("-Z", "Zscore", True, "Not served: only raw scores are printed."),
    ("", "Output_old_results_format", False, "Not served: trec_eval itself no longer does; -o names the output file."),
)
SERVED = {"Rel_info_format": "qrels", "Results_format": "trec_results", "Debug_level": "0", "Number_docs_in_coll": None}

NAMES = {"measure": "evaluate"}  # where the shell has another word for a verb
# where a command prints something else than the verb returns
SAYS = {
    "evaluate": "Print what every run scores: its means over the queries, or with -q every query.",
    "prefer": "Print the preferences between runs: the mean of every pair, or with -q every query.",
    "check": "Account for queries, duplicates, ties and judgments. The status is 1 if something is amiss.",
}


def verbs() -> dict[str, Verb]:
    """Return the verbs that are commands, by what is typed.

    Examples
    --------
    >>> verbs()["evaluate"].name
    'measure'
    """
    found = {NAMES.get(name, _dashed(name)): verb for name, verb in of_kind("judged").items() if verb.command}
    return dict(sorted(found.items()))


def options(verb: Verb) -> list[Option]:
    """Return the options that a verb's declaration gives its command."""
    return options_of(verb, READERS)


def _dashed(name: str) -> str:
    return name.replace(".", "-").replace("_", "-")


def parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Return the parser of the command line.

    Parameters
    ----------
    words : sequence of str, optional
        What was typed: only the command that is among it is then given its options.

    Examples
    --------
    >>> parser().parse_args(["evaluate", "qrels.txt", "a.run", "-m", "AP"]).measures
    ['AP']
    """
    whole = _Parser(
        prog=PROGRAM,
        description="Evaluation of rankings.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    _help(whole)
    whole.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}", help="Show the version.")
    commands = whole.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    def command(name: str, says: str, usage: str) -> argparse.ArgumentParser:
        listed = says.removeprefix("Print ").partition(":")[0].partition(". ")[0].rstrip(".").replace("%", "%%")
        form = partial(
            argparse.HelpFormatter, max_help_position=28, width=min(shutil.get_terminal_size().columns, 110) - 2
        )
        one = commands.add_parser(
            name,
            help=listed[0].lower() + listed[1:],
            description=says,
            usage=f"{PROGRAM} {name} [options] {usage}",
            formatter_class=form,
            add_help=False,
        )
        _help(one)
        return one

    for name, verb in verbs().items():
        one = command(name, SAYS.get(name) or _said(verb), "QRELS RUN [RUN ...]")
        if words is not None and name not in words:
            continue
        own = options(verb)
        _data(one, verb)
        if name in EXTRAS:
            EXTRAS[name](one)
        for option in own:
            if option.name not in RULES:
                option.add_to(one)
        _rules(one, [option for option in own if option.name in RULES])
        _output(one, digits=all(option.name != "digits" for option in own))
    demo = command("demo", "Evaluate the sample collection that ships with pdeval.", "")
    demo.add_argument("--write", metavar="FOLDER", help="Also write its runs, qrels.txt and metadata.csv here.")
    catalog = command("catalog", "List measures, preferences and orderings.", "[WORD ...]")
    catalog.add_argument("words", nargs="*", metavar="WORD", help="Only entries that mention all of these words.")
    for one in (demo, catalog):
        _output(one)
    return whole


class _Parser(argparse.ArgumentParser):
    """A parser whose help and version, where they cannot be written, are an error like any other output."""

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is None or file is sys.stderr:
            super()._print_message(message, file)
        else:
            send([message.removesuffix("\n")], None)


def _said(verb: Verb) -> str:
    """Return what a verb's docstring says first, for a reader who gets it printed."""
    text = " ".join(sections(verb.function.__doc__ or "")[""].split()).replace("`", "")
    return text.replace("Return ", "Print ", 1) if text.startswith("Return ") else text


def _help(one: argparse.ArgumentParser) -> None:
    one.add_argument("-h", "--help", action="help", help="Show this message.")


def _data(one: argparse.ArgumentParser, verb: Verb) -> None:
    one.add_argument("qrels", metavar="QRELS", nargs="?", help="The judgments.")
    one.add_argument("files", metavar="RUN", nargs="*", help="Run files, folders or patterns.")
    one.add_argument(
        "--collections", metavar="FOLDER", default=argparse.SUPPRESS,
        help="In place of QRELS and RUN: a folder of collections, each with its 'runs' and its 'qrels.txt'; answers "
        "within each, --by collection.",
    )  # fmt: skip
    one.add_argument("--names", choices=["file", "tag"], default="file", help="What runs are named after.")
    one.add_argument(
        "--run", metavar="COLUMN[,...]", type=split, default=argparse.SUPPRESS,
        help="Columns of a CSV or parquet file that name its runs, e.g. --run model,seed.",
    )  # fmt: skip
    one.add_argument(
        "--encoding", metavar="NAME", type=_named(_encoding), default=None,
        help="Of files that are not UTF-8, e.g. latin-1; without it such a file is an error.",
    )  # fmt: skip
    if any(parameter.name == "measures" for parameter in verb.parameters):
        one.add_argument(
            "-m", "--measure", dest="measures", action="append", metavar="MEASURE",
            help="E.g. AP, nDCG@10, RPP; repeat it or put commas between ('pdeval catalog' lists all).",
        )  # fmt: skip


def _rules(one: argparse.ArgumentParser, rules: list[Option]) -> None:
    group = one.add_argument_group("rules")
    for option in rules:
        option.add_to(group)
    if any(option.name == "topics" for option in rules):
        group.add_argument("-c", "--complete", action="store_true", help="Count every judged query: --topics judged.")
    group.add_argument("--subtopics", action="store_true", help="The second column of QRELS is a subtopic.")


def _output(one: argparse.ArgumentParser, *, digits: bool = True) -> None:
    group = one.add_argument_group("output")
    group.add_argument("--format", choices=formats(), help="By default as the ending of FILE says, else a table.")
    group.add_argument("-o", "--output", metavar="FILE", help="Write to this file.")
    if digits:
        group.add_argument("--digits", type=_whole, metavar="N", help="Decimals of a printed table (default: 4).")
    group.add_argument("--quiet", action="store_true", help="No warnings, no progress bar.")


def _evaluate(one: argparse.ArgumentParser) -> None:
    one.add_argument("-q", "--per-query", action="store_true", help="One row per run, query and measure.")
    one.add_argument("--stats", action="store_true", help="n, mean, sd and confidence interval.")
    one.add_argument(
        "--replicate", metavar="COLUMN[,...]", type=split, default=None,
        help="Average over runs that differ in these columns only: --by family --replicate run is one row a family.",
    )  # fmt: skip
    group = one.add_argument_group("trec_eval")
    group.add_argument(
        "--trec-eval", action="store_true",
        help="Print as trec_eval does; -m takes its names (official, all_trec, P.5,10); -q -c -l -M -J mean the same.",
    )  # fmt: skip
    group.add_argument(
        "-n", "--no-total", "--nosummary", action="store_true", help="With --trec-eval: leave out the 'all' lines."
    )
    group.add_argument("-v", "--version", action="version", version=VERSION, help="Show the version.")
    for letter, name, has_value, why in TREC_EVAL:
        settings: dict[str, Any] = {"metavar": "X"} if has_value else {"action": "store_const", "const": ""}
        group.add_argument(*filter(None, [letter, f"--{name}"]), dest=name, default=None, help=why, **settings)
    # its other long names, beside the ones that pdeval has
    hidden: dict[str, Any] = {"default": argparse.SUPPRESS, "help": argparse.SUPPRESS}
    group.add_argument("--query_eval_wanted", dest="per_query", action="store_true", **hidden)
    group.add_argument("--complete_rel_info_wanted", dest="complete", action="store_true", **hidden)
    group.add_argument("--level_for_rel", dest="level", type=float, **hidden)
    group.add_argument("--Judged_docs_only", dest="judged_only", action="store_true", **hidden)
    group.add_argument("--Max_retrieved_per_topic", dest="depth", type=_whole, **hidden)


def _prefer(one: argparse.ArgumentParser) -> None:
    one.add_argument("-q", "--per-query", action="store_true", help="One row per query, pair and measure.")
    one.add_argument("--matrix", action="store_true", help="The mean preference of row over column, of one measure.")


def _compare(one: argparse.ArgumentParser) -> None:
    one.add_argument("--all-columns", action="store_true", help="Also in a printed table; files always have all.")


def _report(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "--standalone", action="store_true",
        help="A whole LaTeX document or HTML page of the table alone. Without it, -o page.html is an interactive page: "
        "cells open their queries, queries their items; with --metadata FILE its rows are grouped and filtered.",
    )  # fmt: skip


# what the shell adds to the options of a verb
EXTRAS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "evaluate": _evaluate,
    "prefer": _prefer,
    "compare": _compare,
    "report": _report,
}


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return number_of(text, int)


def _encoding(text: str) -> str:
    check_encoding(text)
    return text


def _named(find: Callable[[str], str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        try:
            return find(text)
        except (KeyError, ValueError) as error:
            raise argparse.ArgumentTypeError(error.args[0]) from None

    return read


def _test(text: str) -> str:
    from pdeval.significance.registry import which_test

    return which_test(text).name


def _correction(text: str) -> str:
    from pdeval.significance.corrections import which_correction

    return which_correction(text)


def _method(text: str) -> str:
    from pdeval.orderings.methods import chosen

    return chosen(text, has_values=True)[0].label


# names that a registry knows, checked before any file is read
READERS = {"test": _named(_test), "correction": _named(_correction), "method": _named(_method)}
