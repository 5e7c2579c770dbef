"""What each command does: reads files, asks the verb through the accessor, and hands on a frame, a report or lines."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

import pdeval
from pdeval.catalog import parse_all
from pdeval.catalog.measures import Measure, needs_judged
from pdeval.catalog.trec_eval_names import joined
from pdeval.cli import UsageError, output, trec_eval_output
from pdeval.cli.options import split
from pdeval.cli.parser import SERVED, TREC_EVAL, verbs
from pdeval.cli.parser import options as options_of
from pdeval.files import file_io, reading
from pdeval.files.atomic_write import check_place, check_places, replacing
from pdeval.join.judged import join
from pdeval.report import Report
from pdeval.verbs import Verb, of_kind

SHOWN = ("measure", "test", "n", "difference", "ci_low", "ci_high", "effect_size", "p_adjusted", "significant")


def run(options: argparse.Namespace) -> int:
    """Do what the options say and return the exit status."""
    if options.output is not None:
        check_place(options.output)  # before the work, not after it
    if options.command in OWN:
        return OWN[options.command](options)
    if not getattr(options, "trec_eval", False):
        output.chosen(options.format, options.output, "table")  # a fault of the command comes before the work
    verb = verbs()[options.command]
    _check_data(verb, options)
    if options.command in COMMANDS:
        return COMMANDS[options.command](options)
    return _write(asked(verb, options), options)


def _check_data(verb: Verb, options: argparse.Namespace) -> None:
    """Raise where it is not said what to read; collections are asked one by one."""
    if not hasattr(options, "collections"):
        lacking = [name for name, given in (("QRELS", options.qrels), ("RUN", options.files)) if not given]
        if lacking:
            raise UsageError(f"the following arguments are required: {', '.join(lacking)}")
        return
    if options.qrels or options.files:
        raise UsageError("--collections FOLDER has judgments and runs: give no QRELS and RUN beside it.")
    if getattr(options, "trec_eval", False):
        raise UsageError("--collections does not go with --trec-eval, which has one collection.")
    if all(option.name != "by" for option in options_of(verb)):
        raise UsageError(f"{options.command} takes one collection at a time: give QRELS and RUN.")
    given = getattr(options, "by", None) or []
    options.by = list(dict.fromkeys(["collection", *([given] if isinstance(given, str) else given)]))


def evaluate(options: argparse.Namespace) -> int:
    """Print measures of runs: means, statistics, or a row per query."""
    if options.trec_eval:
        return _as_trec_eval(options)
    given = {"-n": options.no_total, **{letter: getattr(options, name) is not None for letter, name, *_ in TREC_EVAL}}
    for option, typed in given.items():
        if typed:
            raise UsageError(f"{option} goes with --trec-eval.")
    _only_measures(_measures(options))
    scores = asked(_verb("measure"), options)
    if options.per_query:
        return _write(scores, options)
    grouped = {"by": getattr(options, "by", None), "replicate": options.replicate}
    return _write(scores.ireval.summary(wide=not options.stats, **grouped), options)


def _as_trec_eval(options: argparse.Namespace) -> int:
    _refuse(options)
    version = 9 if getattr(options, "compat", None) == "trec_eval-9" else 10
    try:
        lines = trec_eval_output.lines(options.measures or [], version=version)
    except (KeyError, ValueError) as error:
        raise _usage(error) from None
    for option in ("format", "stats", "by", "replicate", "run"):
        if getattr(options, option, None):
            raise UsageError(f"--{option} does not go with --trec-eval, which has a layout of its own.")
    rules = {"topics": "answered", **_given(_verb("measure"), options)}
    rules.pop("measures", None)
    # trec_eval says nothing about missing queries
    warnings.simplefilter("ignore", UserWarning)
    qrels, runs = _tables(options, tags=True)
    tags, runs = trec_eval_output.tags(runs), runs.drop(columns="tag", errors="ignore")
    needed = trec_eval_output.needed(lines)
    judged = join(runs, qrels, complete=needed is None or needs_judged(needed), **rules)
    shown = trec_eval_output.rows(
        judged,
        lines,
        per_query=options.per_query,
        total=not options.no_total,
        tags=tags,
        unanswered=version > 9,
    )
    output.send(list(shown), options.output)
    return 0


def _refuse(options: argparse.Namespace) -> None:
    """Raise where an option of trec_eval asks for what is not served."""
    for letter, name, _, why in TREC_EVAL:
        typed = getattr(options, name)
        if typed is not None and (name not in SERVED or SERVED[name] not in (None, typed)):
            raise UsageError(f"{f'{letter or name} {typed}'.strip()}: {why[0].lower()}{why[1:]}")
    if getattr(options, "level", 1) <= 0:
        raise UsageError(
            f"-l {options.level:g}: not served, since items judged non-relevant would be relevant. A level is above 0."
        )
    if getattr(options, "depth", 1) < 1:
        raise UsageError(f"-M {options.depth}: not served, since it leaves no item to evaluate.")


def prefer(options: argparse.Namespace) -> int:
    """Print preferences: the mean of every pair, a square matrix, or a row per query and pair."""
    if options.per_query and not options.matrix:
        return _write(asked(_verb("prefer"), options), options)
    if not options.matrix:
        return _write(asked(_verb("mean"), options), options)
    measures = _measures(options) or parse_all("RPP")
    if len(measures) > 1 or options.per_query or hasattr(options, "baseline"):
        raise UsageError("--matrix shows one measure over all queries and pairs: give one -m, no -q, no --baseline.")
    square = asked(_verb("matrix"), options, measure=measures[0])
    return _write(square.rename_axis(index="run", columns=None).reset_index(), options)


def compare(options: argparse.Namespace) -> int:
    """Print one row per pair and measure, with its significance."""
    table = asked(_verb("compare"), options)
    if output.chosen(options.format, options.output, "table") == "table" and not options.all_columns:
        pair = [f"{name}_{side}" for side in "ab" for name in getattr(options, "run", ["run"])]
        table = table[[name for name in (*table.attrs.get("by", ()), *pair, *SHOWN) if name in table.columns]]
    return _write(table, options)


def report(options: argparse.Namespace) -> int:
    """Print the table of a paper."""
    if len({measure.entry.family for measure in _measures(options)}) > 1:
        raise UsageError("a report shows measures or preferences; give -m for one kind only.")
    about = {}
    if hasattr(options, "group"):
        about["metadata"] = _metadata(options, options.group)
    # a file that ends in .html is the page that opens on click, unless the table alone was asked for
    page = options.format is None and not options.standalone and str(options.output or "").lower().endswith(".html")
    made = asked(_verb("report"), options, **about)
    return _write(made, options, standalone=options.standalone, interactive=page)


def check(options: argparse.Namespace) -> int:
    """Print the accounting of runs and judgments; the status is 1 if queries are missing or rows repeat."""
    table = asked(_verb("check"), options)
    _write(table, options)
    amiss = {"missing": "lack judged queries", "duplicates": "have duplicate documents"}
    counts = {says: int((table[name] > 0).sum()) for name, says in amiss.items()}
    for says, count in counts.items():
        if count and not options.quiet:
            print(f"pdeval: {count} of {len(table)} runs {says}.", file=sys.stderr)
    return 1 if any(counts.values()) else 0


def demo(options: argparse.Namespace) -> int:
    """Print the measures of the sample collection, and write its files where asked."""
    runs, qrels, metadata = pdeval.datasets.load_sample()
    if options.write:
        folder = Path(options.write)
        folder.mkdir(parents=True, exist_ok=True)
        check_places(folder / name for name in ("qrels.txt", "metadata.csv"))
        pdeval.write_runs(runs, folder / "runs")
        pdeval.write_qrels(qrels, folder / "qrels.txt")
        with replacing(folder / "metadata.csv") as beside:
            metadata.to_csv(beside, index=False)
    joined = runs.ireval.join(qrels)
    scores = joined.measure(["AP", "nDCG@10", "RR", "ASL"]).ireval.summary(wide=True)
    preferred = joined.order("RPP")[["run", "score"]].rename(columns={"score": "RPP win rate"})
    table = metadata[["run", "family"]].merge(scores, on="run").merge(preferred, on="run")
    table = table.sort_values("AP", ascending=False, kind="stable")
    if output.chosen(options.format, options.output, "table") == "table" and options.output is None:
        print(f"The sample collection: {len(table)} systems, {len(joined.queries)} queries.")
        print("The run ql did not answer two of them, which count as its worst case; see `evaluate --topics`.\n")
    return _write(table, options)


def catalog(options: argparse.Namespace) -> int:
    """Print what can be asked for by name."""
    table = pdeval.catalog()
    text = table.astype(str).agg(" ".join, axis=1).str.lower()
    for word in options.words:
        table = table[text.loc[table.index].str.contains(word.lower(), regex=False)]
    if not len(table):
        raise UsageError(f"nothing in the catalog mentions {' and '.join(options.words)}.")
    if output.chosen(options.format, options.output, "table") == "table":
        table = table[["name", "family", "parameters", "summary"]]
    return _write(table, options)


# what is more than printing what the verb returns
COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "evaluate": evaluate,
    "prefer": prefer,
    "compare": compare,
    "report": report,
    "check": check,
}
OWN: dict[str, Callable[[argparse.Namespace], int]] = {"demo": demo, "catalog": catalog}


def asked(verb: Verb, options: argparse.Namespace, **more: Any) -> Any:
    """Return what a verb of the run table gives for the files and options that were typed."""
    given = {**_given(verb, options), **more}
    qrels, runs = _tables(options)
    door: Any = runs.ireval
    door = door(run=options.run) if hasattr(options, "run") else door
    for name in verb.name.split("."):
        door = getattr(door, name)
    return door(qrels=qrels, **given)


def _verb(name: str) -> Verb:
    return of_kind("judged")[name]


def _given(verb: Verb, options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of a verb that were typed; the others stay as the verb has them."""
    given = {}
    for option in options_of(verb):
        if hasattr(options, option.name):
            value = getattr(options, option.name)
            given[option.name] = _table(value, options.encoding) if option.form.file else option.value(value)
    names = [parameter.name for parameter in verb.parameters]
    if "measures" in names and options.measures and not getattr(options, "trec_eval", False):
        given["measures"] = _measures(options)
    if "progress" in names and options.quiet:
        given["progress"] = False
    if getattr(options, "complete", False):
        if given.get("topics", "judged") != "judged":
            raise UsageError(f"-c is --topics judged, but --topics {given['topics']} was given too.")
        given["topics"] = "judged"
    return given


def _measures(options: argparse.Namespace) -> list[Measure]:
    """Return the measures that were typed; `-m AP,RR` is `-m AP -m RR`."""
    texts = [part for text in options.measures or [] for part in joined(split(text))]
    try:
        return parse_all(texts) if texts else []
    except (KeyError, ValueError) as error:
        raise _usage(error) from None


def _only_measures(measures: list[Measure]) -> None:
    """Raise where `evaluate` is asked for what another command prints."""
    others = {"preference": ("a preference between runs", "prefer"), "ordering": ("an ordering of runs", "order")}
    for measure in measures:
        if measure.entry.family in others:
            what, command = others[measure.entry.family]
            option = "-m" if command == "prefer" else "--method"
            raise UsageError(
                f"{measure.label} is {what} and no measure of one: 'pdeval {command} QRELS RUN RUN {option} "
                f"{measure.label}' prints it."
            )


def _usage(error: Exception) -> UsageError:
    return UsageError(str(error.args[0]).replace("pdeval.catalog()", "'pdeval catalog'"))


def _tables(options: argparse.Namespace, *, tags: bool = False) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return judgments and runs; every file is read once, so that any may be a pipe."""
    if hasattr(options, "collections"):
        about: dict[str, Any] = {"names": options.names, "progress": False if options.quiet else None}
        runs, qrels = pdeval.read_collections(options.collections, subtopics=options.subtopics, **about)
        return qrels, runs
    if [options.qrels, *options.files].count(file_io.STDIN) > 1:
        raise UsageError("'-' is the standard input, which can be read once: give one file that way.")
    try:
        qrels = pdeval.read_qrels(options.qrels, subtopics=options.subtopics, encoding=options.encoding)
    except ValueError as error:
        if "6 columns instead of 4" not in str(error):
            raise
        first = f"pdeval {options.command} {' '.join([*options.files[:1], options.qrels])}"
        raise ValueError(f"'{options.qrels}' has the six columns of a run. Judgments come first: {first}.") from error
    found = [
        file._replace(tag=tags, encoding=options.encoding)
        for file in reading.run_files(options.files, names=options.names)
    ]
    return qrels, reading.in_memory(found, progress=False if options.quiet else None)


def _table(path: str, encoding: str | None) -> pd.DataFrame:
    """Return a table about runs that is in a file."""
    file_io.check_present(Path(path))
    if file_io.is_parquet(Path(path)):
        return pd.read_parquet(path)
    names = {"run": str, "query_id": str}
    try:
        return pd.read_csv(path, dtype=names)
    except UnicodeDecodeError:
        if encoding is None:
            raise ValueError(f"'{path}' is not UTF-8: say what it is, e.g. --encoding latin-1.") from None
    try:
        return pd.read_csv(path, dtype=names, encoding=encoding)
    except UnicodeError:
        raise ValueError(f"'{path}' is neither UTF-8 nor {encoding}.") from None


def _metadata(options: argparse.Namespace, columns: str | Sequence[str]) -> pd.DataFrame:
    """Return what is known about the runs, where that has the column(s) wanted."""
    wanted = [columns] if isinstance(columns, str) else list(columns)
    path = getattr(options, "metadata", None)
    if path is None:
        raise UsageError(f"the column {wanted[0]!r} comes from a file: say which with --metadata FILE.")
    frame = _table(path, options.encoding)
    for name in (*getattr(options, "run", ["run"]), *wanted):
        if name not in frame.columns:
            raise ValueError(f"'{path}' has no column {name!r}; it has {', '.join(map(str, frame.columns))}.")
    return frame if hasattr(options, "run") else frame.astype({"run": str})


def _write(content: Any, options: argparse.Namespace, *, standalone: bool = False, interactive: bool = False) -> int:
    kind = output.chosen(options.format, options.output, "latex" if isinstance(content, Report) else "table")
    digits = getattr(options, "digits", None)
    how = {"standalone": standalone, "interactive": interactive}
    output.write(content, kind, options.output, digits=4 if digits is None else digits, **how)
    return 0
