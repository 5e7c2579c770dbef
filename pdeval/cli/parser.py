"""The parser of the command line: commands from verbs, with their options, and the options of the shell.

The options of a verb come from its signature and its docstring. Literals are choices, booleans are flags, lists are
separated by commas, a table is a file, a run is its name. Mappings, functions and pairs of runs have no option.
"""

from __future__ import annotations

import argparse
import inspect
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pandas as pd

from pdeval import __version__
from pdeval.accessor.methods import RULES, docstring_of, evaluated, signature_of
from pdeval.catalog import split
from pdeval.cli.output import formats, send
from pdeval.files.lines import check_encoding
from pdeval.orderings.methods import chosen
from pdeval.significance.corrections import JOINT_CORRECTIONS, which_correction
from pdeval.significance.registry import which_test
from pdeval.verbs import LISTS, Verb, alternatives, of_kind, sections

PROGRAM = "pdeval"
EPILOG = """\
QRELS is a TREC file of four columns. A RUN is a TREC file of six columns, a
folder of such files, or a pattern in quotes. Files may end in .gz, .bz2 or
.zst. Either may be parquet, or CSV or TSV with a header line.

  pdeval demo --write sample
      write the runs and judgments of a sample collection
  pdeval evaluate sample/qrels.txt sample/runs
      print the means of the measures, one row per run
  pdeval report sample/qrels.txt sample/runs -m AP nDCG@10 -o table.tex
      write a table for a paper
  pdeval report sample/qrels.txt sample/runs -o page.html
      write an interactive page
  pdeval evaluate --trec-eval -q -m map -m P.5,10 qrels.txt bm25.run
      print the output of trec_eval

The status is 0 on success, 1 for an error in the data, 2 for an error in the
command. 'pdeval gate' ends with 0 if the gate passed, 1 if it did not, and 2
for any error.
"""

VERSION = (
    f"{PROGRAM} {__version__} (--trec-eval: as trec_eval 10.0, or as 9 with --compat trec_eval-9)"
)
# options of trec_eval with one supported value, or none: letter, long name, whether a value follows, and why
TREC_EVAL = (
    (
        "-R",
        "Rel_info_format",
        True,
        "Only qrels: preferences and judgment groups are not supported.",
    ),
    ("-T", "Results_format", True, "Only trec_results: trec_eval has no other."),
    ("-D", "Debug_level", True, "Only 0: the program's internal steps are not printed."),
    (
        "-N",
        "Number_docs_in_coll",
        True,
        "Has no effect: only the fourth parameter of utility would use it.",
    ),
    ("-Z", "Zscore", True, "Not supported: only raw scores are printed."),
    (
        "",
        "Output_old_results_format",
        False,
        "Not supported, as in trec_eval itself; -o is the output file.",
    ),
)
SERVED = {
    "Rel_info_format": "qrels",
    "Results_format": "trec_results",
    "Debug_level": "0",
    "Number_docs_in_coll": None,
}

NAMES = {"measure": "evaluate"}  # verbs with another name in the shell
# what users type for a command
MEANINGS = {
    "measure": "evaluate",
    "summary": "evaluate",
    "mean": "evaluate",
    "eval": "evaluate",
    "score": "evaluate",
    "test": "compare",
    "significance": "compare",
    "table": "report",
    "measures": "catalog",
    "rank": "order",
}
# commands that do not print the result of the verb
DESCRIPTIONS = {
    "evaluate": "Print the scores of every run: means over the queries, or with -q every query.",
    "prefer": "Print the preferences between runs: the mean of every pair, or with -q every query.",
    "gate": "Print whether a candidate may replace the baseline. The status is 0 if all requirements pass, 1 if one "
    "does not, 2 for errors.",
    "check": "Check queries, duplicates, ties and judgments. The status is 1 for missing queries and duplicates.",
}
TEXTS = (
    "Texts of queries and documents for the page: a CSV, TSV, JSON lines or Parquet file with ids and texts. With "
    "--texts FILE --texts FILE, queries come first and documents second."
)
FILE_OR_OPTION = re.compile(r"^-|[/\\*?]|\.[A-Za-z]")
SHELL = ("qrels", "measures", "progress")  # set by files, -m and --quiet
LETTERS = {"level": "-l", "depth": "-M", "judged_only": "-J"}  # as in trec_eval


def verbs() -> dict[str, Verb]:
    """Return the verbs that are commands, by the name of the command.

    Examples
    --------
    >>> verbs()["evaluate"].name
    'measure'
    """
    commands = {
        NAMES.get(name, re.sub("[._]", "-", name)): verb
        for name, verb in of_kind("judged").items()
        if verb.command
    }
    return dict(sorted(commands.items()))


def parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Return the parser of the command line.

    Parameters
    ----------
    words : sequence of str, optional
        The command line: only the command in it gets its options.

    Examples
    --------
    >>> parser().parse_args(["evaluate", "qrels.txt", "a.run", "-m", "AP"]).measures
    ['AP']
    """
    program = _Parser(
        prog=PROGRAM,
        description="Evaluation of rankings.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    _add(program, HELP)
    program.add_argument(
        "--version", action="version", version=f"{PROGRAM} {__version__}", help="Show the version."
    )
    commands = program.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, verb in verbs().items():
        # a command prints the result of a verb
        text = " ".join(sections(verb.function.__doc__ or "")[""].split()).replace("`", "")
        text = re.sub("^Return ", "Print ", text)
        command = _command(commands, name, DESCRIPTIONS.get(name, text), "QRELS RUN [RUN ...]")
        if words is None or name in words:
            _add_options(command, name, verb)
    for name, (text, usage, arguments) in OTHERS.items():
        command = _command(commands, name, text, usage)
        _add(command, arguments)
        _add_output(command)
    return program


def repeat_measure_option(words: Sequence[str]) -> list[str]:
    """Return the command line with `-m A B` as `-m A -m B`.

    A word after a measure is another measure unless it is an option or a file.

    Examples
    --------
    >>> repeat_measure_option(["evaluate", "-m", "AP", "nDCG@10", "qrels.txt", "runs/"])
    ['evaluate', '-m', 'AP', '-m', 'nDCG@10', 'qrels.txt', 'runs/']
    """
    repeated: list[str] = []
    for word in words:
        if (
            repeated[-2:-1] in (["-m"], ["--measure"])
            and not FILE_OR_OPTION.search(word)
            and not Path(word).exists()
        ):
            repeated.append(repeated[-2])
        repeated.append(word)
    return repeated


def _command(commands: Any, name: str, text: str, usage: str) -> argparse.ArgumentParser:
    title = (
        text.removeprefix("Print ")
        .partition(":")[0]
        .partition(". ")[0]
        .rstrip(".")
        .replace("%", "%%")
    )
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=title[0].lower() + title[1:],
        description=text,
        usage=f"{PROGRAM} {name} [options] {usage}",
        formatter_class=partial(
            argparse.HelpFormatter,
            max_help_position=28,
            width=min(shutil.get_terminal_size().columns, 110) - 2,
        ),
        add_help=False,
    )
    _add(command, HELP)
    return command


def _add_options(command: argparse.ArgumentParser, name: str, verb: Verb) -> None:
    """Add the arguments of files, the shell, the verb, the rules of the join, and the output."""
    options = options_of(verb)
    names = [option.name for option in options]
    _add(command, DATA)
    if any(parameter.name == "measures" for parameter in verb.parameters):
        _add(command, MEASURES)
    _add(command, EXTRAS.get(name, {}))
    if name == "evaluate":
        _add(command.add_argument_group("trec_eval"), TREC_EVAL_ARGUMENTS)
    rules = command.add_argument_group("rules")
    for option in options:
        group = rules if option.name in RULES else command
        # omitted options keep the default of the verb
        group.add_argument(
            *option.flags, dest=option.name, default=argparse.SUPPRESS, **option.settings
        )
    _add(rules, {**(COMPLETE if "queries" in names else {}), **SUBTOPICS})
    _add_output(command, digits="digits" not in names)


def _add_output(command: argparse.ArgumentParser, *, digits: bool = True) -> None:
    arguments = {
        **{name: settings for name, settings in OUTPUT.items() if digits or name != "--digits"},
        "--format": {**OUTPUT["--format"], "choices": formats()},
    }
    _add(command.add_argument_group("output"), arguments)


def _add(group: argparse._ActionsContainer, arguments: Mapping[str, Mapping[str, Any]]) -> None:
    for flags, settings in arguments.items():
        group.add_argument(*flags.split(), **settings)


class _Parser(argparse.ArgumentParser):
    """A parser that reports failed output of its help and version like any other output."""

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is None or file is sys.stderr:
            super()._print_message(message, file)
        else:
            send([message.removesuffix("\n")], None)


@dataclass(frozen=True)
class Form:
    """The form of an option: choices, a number, a text, a flag, a file, or several of them."""

    choices: tuple[str, ...] = ()
    numbers: tuple[type, ...] = ()
    text: bool = False
    flag: bool = False
    file: bool = False
    several: Form | None = None
    nothing: bool = False

    @property
    def single(self) -> bool:
        """Whether a single value is accepted."""
        return bool(self.choices or self.numbers or self.text)

    def read(self, text: str) -> Any:
        """Return the value of a text."""
        if text in self.choices:
            return text
        if self.nothing and text.lower() == "none":
            return None
        for kind, pattern in (
            (int, r"[+-]?\d+"),
            (float, r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf"),
        ):
            if kind in self.numbers and re.fullmatch(pattern, text):
                return number_of(text, kind)
        if self.text:
            return text
        raise argparse.ArgumentTypeError(
            f"invalid choice: {text!r} (choose from {', '.join(self.choices)})"
            if self.choices
            else f"{text!r} is not {'a number' if float in self.numbers else 'an integer'}"
        )


def number_of(text: str, kind: type) -> Any:
    """Return a text of digits as a number; raise if it is too long for Python.

    Examples
    --------
    >>> number_of("12", int)
    12
    """
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"a number of {len(text):,} characters is too large"
        ) from None


def form_of(annotation: Any, documented: str = "") -> Form | None:
    """Return the form of an option of this type, or None if a shell cannot express it.

    Parameters
    ----------
    documented : str
        Type in the docstring: an `object` that is a run is a text.

    Examples
    --------
    >>> form_of(Literal["a", "b"] | None).choices, form_of(float | list[float]).several.numbers
    (('a', 'b'), (<class 'float'>,))
    >>> form_of(dict[str, str]) is None, form_of(object, "run, optional").text
    (True, True)
    """
    fields: dict[str, Any] = {"choices": (), "numbers": ()}
    for part in alternatives(annotation):
        origin = get_origin(part)
        if origin is Literal:
            fields["choices"] += tuple(str(one) for one in get_args(part) if one is not None)
        elif part is bool:
            fields["flag"] = True
        elif part in (int, float):
            fields["numbers"] += (part,)
        elif part is str or (part in (object, Any) and re.match(r"run\b", documented)):
            fields["text"] = True
        elif (part in (object, Any) and documented.startswith("table")) or (
            isinstance(part, type) and issubclass(part, pd.DataFrame)
        ):
            fields["file"] = True
        elif origin in LISTS and get_args(part):
            fields["several"] = form_of(get_args(part)[0], documented)
    form = Form(**fields)
    return form if form.single or form.flag or form.file or form.several else None


@dataclass(frozen=True)
class Option:
    """One option: the parameter, its form, its flags, and the settings of argparse."""

    name: str
    form: Form
    flags: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)

    def value(self, typed: Any) -> Any:
        """Return the argument of the verb: a list of one value becomes the value if that is accepted."""
        is_single = self.form.several is not None and self.form.single and len(typed) == 1
        return typed[0] if is_single else typed


def options_of(verb: Verb) -> list[Option]:
    """Return the options of a verb: its own, then the rules of the join.

    Examples
    --------
    >>> from pdeval.verbs import VERBS
    >>> [option.flags[-1] for option in options_of(VERBS["judged"]["prefer"])]
    ['--baseline', '--by', '--metadata', '--level', '--queries', '--ties', '--compat', '--depth',
    '--judged-only', '--validate']
    """
    parameters = list(signature_of(verb, "runs").parameters.values())[1:]
    entries = described(docstring_of(verb, [parameter.name for parameter in parameters]))
    options = []
    for parameter in parameters:
        kind, meaning = entries.get(parameter.name, ("", ""))
        annotation = evaluated(verb, parameter.annotation, parameter.name)
        form = form_of(annotation, kind)
        if parameter.name not in SHELL and form is not None:
            # None must be passed explicitly if it is not the default
            optional = parameter.default is not None and type(None) in get_args(annotation)
            options.append(_option(parameter, replace(form, nothing=optional), meaning))
    return options


def _option(parameter: inspect.Parameter, form: Form, meaning: str) -> Option:
    name, metavar = parameter.name, parameter.name.upper()
    reader = READERS.get(name)
    settings: dict[str, Any] = {}
    # names in the entry of a parameter, one per line: `- "name": description`
    listed = tuple(re.findall(r"(?m)^\s*- [\"'](.+?)[\"']:", meaning))
    words = form.choices or (form.several.choices if form.several else ()) or listed
    # the first paragraph, without sentences about Python
    sentences = re.split(r"(?<=[.:]) (?=[A-Z`@])", " ".join(meaning.partition("\n\n")[0].split()))
    meaning = " ".join(one for one in sentences if "pdeval." not in one and one != "There are:")
    if form.flag and not form.single:
        settings["action"] = (
            "store_true" if parameter.default is False else argparse.BooleanOptionalAction
        )
    elif form.file:
        metavar = settings["metavar"] = "FILE"
        if name == "texts":
            meaning, settings["action"] = TEXTS, "append"
    elif (inner := form.several) is not None:
        metavar = settings["metavar"] = f"{name.upper()}[,...]"
        read = reader or inner.read
        settings |= {
            "type": lambda text: [read(part) for part in split(text, sentences=inner.text)],
            "action": "extend",
        }
    else:
        metavar = settings["metavar"] = _metavar(name, form)
        settings["type"] = reader or form.read
    if words and not metavar.startswith("{") and not all(word in meaning for word in words):
        meaning = f"{meaning} One of {', '.join(words)}."
    if parameter.default is inspect.Parameter.empty:
        settings["required"] = True
    settings["help"] = _help(meaning.replace(f"`{name}`", metavar), parameter.default)
    return Option(
        name, form, (*filter(None, [LETTERS.get(name)]), f"--{name.replace('_', '-')}"), settings
    )


def _metavar(name: str, form: Form) -> str:
    words = "{" + ",".join(form.choices) + "}"
    if form.choices and not form.text and not form.numbers and len(words) <= 50:
        return words
    if form.numbers and not form.text:
        return "N" if float not in form.numbers else "X"
    return "RUN" if name == "baseline" else name.upper()


def _help(meaning: str, default: Any) -> str:
    text = meaning.replace("`", "").replace("%", "%%")
    hidden = any(default is one for one in (None, False, inspect.Parameter.empty)) or default == ()
    if hidden or "default" in text.lower():
        return text
    value = "yes" if default is True else default
    listed = ",".join(map(str, value)) if isinstance(value, list | tuple) else value
    return f"{text.removesuffix('.')} (default: {listed}).".strip()


def described(doc: str) -> dict[str, tuple[str, str]]:
    """Return (type, text) of every parameter in a docstring.

    Examples
    --------
    >>> list(described(split.__doc__)), described(form_of.__doc__)["documented"][0]
    (['text', 'sentences'], 'str')
    """
    entries: dict[str, tuple[str, str]] = {}
    for entry in filter(str.strip, re.split(r"(?m)^(?=\S)", sections(doc).get("Parameters", ""))):
        head, _, body = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        entries |= {
            name.strip(): (kind.strip(), inspect.cleandoc(body)) for name in names.split(",")
        }
    return entries


def _integer(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer")
    return number_of(text, int)


def _known(find: Callable[[str], Any]) -> Callable[[str], str]:
    """Return the type of an argument; `find` raises for unknown texts."""

    def read(text: str) -> str:
        try:
            return str(find(text) or text)
        except (KeyError, ValueError) as error:
            raise argparse.ArgumentTypeError(error.args[0]) from None

    return read


# names in registries, checked before files are read
READERS = {
    "test": _known(lambda text: which_test(text).name),
    "correction": _known(lambda text: which_correction(text, JOINT_CORRECTIONS)),
    "method": _known(lambda text: chosen(text, has_values=True)[0].label),
}

# arguments of the shell: flags, and what argparse is told about them
FLAG: dict[str, Any] = {"action": "store_true"}
TYPED: dict[str, Any] = {"default": argparse.SUPPRESS}  # absent unless it is typed
HELP = {"-h --help": {"action": "help", "help": "Show this message."}}
DATA: dict[str, dict[str, Any]] = {
    "qrels": {"metavar": "QRELS", "nargs": "?", "help": "The judgments."},
    "files": {"metavar": "RUN", "nargs": "*", "help": "Run files, folders or patterns."},
    "--collections": {
        **TYPED,
        "metavar": "FOLDER",
        "help": "Instead of QRELS and RUN: a folder of collections, each with 'runs' and 'qrels.txt'; results are per "
        "collection, --by collection.",
    },
    "--names": {
        "choices": ["file", "tag"],
        "default": "file",
        "help": "Source of the names of runs.",
    },
    "--run": {
        **TYPED,
        "metavar": "COLUMN[,...]",
        "type": split,
        "help": "Id columns of runs in a CSV or parquet file, e.g. --run model,seed.",
    },
    "--encoding": {
        "metavar": "NAME",
        "type": _known(check_encoding),
        "default": None,
        "help": "Encoding of files that are not UTF-8, e.g. latin-1.",
    },
}
MEASURES = {
    "-m --measure": {
        "dest": "measures",
        "action": "append",
        "metavar": "MEASURE",
        "help": "E.g. -m AP nDCG@10, or -m AP,nDCG@10, or -m AP -m nDCG@10 ('pdeval catalog' lists all).",
    }
}
COMPLETE = {"-c --complete": {**FLAG, "help": "Count every judged query: --queries judged."}}
SUBTOPICS = {"--subtopics": {**FLAG, "help": "The second column of QRELS is a subtopic."}}
OUTPUT: dict[str, dict[str, Any]] = {
    "--format": {
        "help": "Output format; by default that of the ending of FILE, otherwise a table."
    },
    "-o --output": {"metavar": "FILE", "help": "Write to this file."},
    "--digits": {
        "type": _integer,
        "metavar": "N",
        "help": "Decimals of a printed table (default: 4).",
    },
    "--quiet": {**FLAG, "help": "No warnings, no progress bar."},
}
# options of the shell, besides those of the verb
EXTRAS: dict[str, dict[str, dict[str, Any]]] = {
    "evaluate": {
        "-q --per-query": {**FLAG, "help": "One row per run, query and measure."},
        "--stats": {**FLAG, "help": "n, mean, sd and confidence interval."},
        "--replicate": {
            "metavar": "COLUMN[,...]",
            "type": split,
            "default": None,
            "help": "Average over runs that differ in these columns only: --by family --replicate run is one row a "
            "family.",
        },
    },
    "prefer": {
        "-q --per-query": {**FLAG, "help": "One row per query, pair and measure."},
        "--matrix": {**FLAG, "help": "Mean preference of row over column, for one measure."},
    },
    "gate": {
        "--junit": {"metavar": "FILE", "help": "Also write JUnit XML, for build servers."},
        "--json": {"metavar": "FILE", "help": "Also write all columns as JSON."},
        "--summary": {
            "metavar": "FILE",
            "help": "Also write a Markdown summary, for pull requests.",
        },
    },
    "compare": {"--all-columns": {**FLAG, "help": "Print all columns; files always have all."}},
    "report": {
        "--standalone": {
            **FLAG,
            "help": "A whole LaTeX document or HTML page of the table alone. Without it, -o page.html is an "
            "interactive page: cells open their queries, queries their items; with --metadata FILE its rows are "
            "grouped and filtered.",
        }
    },
}
HIDDEN: dict[str, Any] = {**TYPED, "help": argparse.SUPPRESS}
TREC_EVAL_ARGUMENTS: dict[str, dict[str, Any]] = {
    "--trec-eval": {
        **FLAG,
        "help": "Print in the format of trec_eval; -m accepts its names (official, all_trec, P.5,10); -q -c -l -M -J "
        "have the same meaning.",
    },
    "-n --no-total --nosummary": {**FLAG, "help": "With --trec-eval: omit the 'all' lines."},
    "-v --version": {"action": "version", "version": VERSION, "help": "Show the version."},
    **{
        f"{letter} --{name}": {
            "dest": name,
            "default": None,
            "help": why,
            **({"metavar": "X"} if has_value else {"action": "store_const", "const": ""}),
        }
        for letter, name, has_value, why in TREC_EVAL
    },
    # other long names of trec_eval
    "--query_eval_wanted": {**HIDDEN, **FLAG, "dest": "per_query"},
    "--complete_rel_info_wanted": {**HIDDEN, **FLAG, "dest": "complete"},
    "--level_for_rel": {**HIDDEN, "dest": "level", "type": float},
    "--Judged_docs_only": {**HIDDEN, **FLAG, "dest": "judged_only"},
    "--Max_retrieved_per_topic": {**HIDDEN, "dest": "depth", "type": _integer},
}
# commands that are not verbs: description, usage, arguments
OTHERS: dict[str, tuple[str, str, dict[str, dict[str, Any]]]] = {
    "demo": (
        "Evaluate the sample collection that ships with pdeval.",
        "",
        {
            "--write": {
                "metavar": "FOLDER",
                "help": "Also write its runs, qrels.txt and metadata.csv here.",
            }
        },
    ),
    "catalog": (
        "List measures, preferences and orderings.",
        "[WORD ...]",
        {
            "words": {
                "nargs": "*",
                "metavar": "WORD",
                "help": "Only entries that mention all of these words.",
            }
        },
    ),
}
