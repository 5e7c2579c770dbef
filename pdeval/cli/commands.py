"""The commands: each reads files, calls a verb through the accessor, and writes a frame, a report or lines."""

import argparse
import csv
import shlex
import shutil
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from operator import attrgetter
from pathlib import Path
from typing import Any

import pandas as pd

import pdeval
from pdeval.catalog import Measure, joined, needs_judged, parse_all, split
from pdeval.cli import UsageError, output, trec_eval_output
from pdeval.cli.parser import PROGRAM, SERVED, TREC_EVAL, options_of, verbs
from pdeval.files import file_io, reading
from pdeval.files.atomic_write import check_place, check_places, replacing
from pdeval.join import join
from pdeval.report import decisions
from pdeval.report.footnotes import of_comparisons
from pdeval.report.report import terminal_width
from pdeval.tables import SCHEMAS, kind_of, read_texts
from pdeval.verbs import Verb, of_kind

# columns of a comparison that are printed
PRINTED = (
    "measure",
    "test",
    "n",
    "difference",
    "ci_low",
    "ci_high",
    "effect_size",
    "p_adjusted",
    "significant",
)
PRINTED_OF_GATE = ("measure", "n", "difference", "lower", "limit", "passed", "conclusion")


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    if options.output is not None:
        check_place(options.output)  # fail before the computation
    if options.command in OTHER_COMMANDS:
        return OTHER_COMMANDS[options.command](options)
    if not getattr(options, "trec_eval", False):
        output.chosen(options.format, options.output, "table")  # fail before the computation
    verb = verbs()[options.command]
    _check_data(verb, options)
    if options.command in COMMANDS:
        return COMMANDS[options.command](options)
    return _write(call(verb.name, options), options)


def _check_data(verb: Verb, options: argparse.Namespace) -> None:
    """Raise if a data argument is missing or conflicts with another."""
    if not hasattr(options, "collections"):
        if missing := [
            name for name, value in (("QRELS", options.qrels), ("RUN", options.files)) if not value
        ]:
            raise UsageError(f"the following arguments are required: {', '.join(missing)}")
        return
    faults = {
        "--collections FOLDER includes judgments and runs. Omit QRELS and RUN.": options.qrels
        or options.files,
        "--collections cannot be combined with --trec-eval, which evaluates one collection.": getattr(
            options, "trec_eval", False
        ),
        f"{options.command} evaluates one collection. Pass QRELS and RUN.": all(
            option.name != "by" for option in options_of(verb)
        ),
    }
    for text, is_fault in faults.items():
        if is_fault:
            raise UsageError(text)
    by = getattr(options, "by", None) or []
    options.by = list(dict.fromkeys(["collection", *([by] if isinstance(by, str) else by)]))


def evaluate(options: argparse.Namespace) -> int:
    """Print measures of runs: means, statistics, or a row per query."""
    if options.trec_eval:
        return _as_trec_eval(options)
    typed = {
        "-n": options.no_total,
        **{letter: getattr(options, name) is not None for letter, name, *_ in TREC_EVAL},
    }
    for option, is_typed in typed.items():
        if is_typed:
            raise UsageError(f"{option} requires --trec-eval.")
    for measure in _measures(options):
        if measure.entry.family in ELSEWHERE:
            what, command = ELSEWHERE[measure.entry.family]
            raise UsageError(
                f"{measure.label} is {what}, not a measure of one run. Use 'pdeval {command} {measure.label}'."
            )
    scores = call("measure", options)
    if options.per_query:
        return _write(scores, options)
    groups = {"by": getattr(options, "by", None), "replicate": options.replicate}
    return _write(scores.ireval.summary(wide=not options.stats, **groups), options)


# other commands, by the family of a measure
ELSEWHERE = {
    "preference": ("a preference between runs", "prefer QRELS RUN RUN -m"),
    "ordering": ("an ordering of runs", "order QRELS RUN RUN --method"),
}


def _as_trec_eval(options: argparse.Namespace) -> int:
    _refuse(options)
    version = 9 if getattr(options, "compat", None) == "trec_eval-9" else 10
    with _usage_errors():
        lines = trec_eval_output.lines(options.measures or [], version=version)
    for option in ("format", "stats", "by", "replicate", "run"):
        if getattr(options, option, None):
            raise UsageError(
                f"--{option} cannot be combined with --trec-eval, which has a fixed layout."
            )
    rules = {"queries": "answered", **_arguments(of_kind("judged")["measure"], options)}
    rules.pop("measures", None)
    # trec_eval does not warn about missing queries
    warnings.simplefilter("ignore", UserWarning)
    qrels, runs = _tables(options, tags=True)
    needed = trec_eval_output.needed(lines)
    rows = trec_eval_output.rows(
        join(
            runs.drop(columns="tag", errors="ignore"),
            qrels,
            complete=needed is None or needs_judged(needed),
            **rules,
        ),
        lines,
        per_query=options.per_query,
        total=not options.no_total,
        tags=trec_eval_output.tags(runs),
        unanswered=version > 9,
    )
    output.send(list(rows), options.output)
    return 0


@contextmanager
def _usage_errors() -> Iterator[None]:
    """Raise errors about names as usage errors, with advice for the shell."""
    try:
        yield
    except (KeyError, ValueError) as error:
        raise UsageError(
            str(error.args[0]).replace("pdeval.catalog()", "'pdeval catalog'")
        ) from None


def _refuse(options: argparse.Namespace) -> None:
    """Raise if an option of trec_eval is not supported."""
    for letter, name, _, why in TREC_EVAL:
        typed = getattr(options, name)
        if typed is not None and (name not in SERVED or SERVED[name] not in (None, typed)):
            raise UsageError(f"{f'{letter or name} {typed}'.strip()}: {why[0].lower()}{why[1:]}")
    if getattr(options, "level", 1) <= 0:
        raise UsageError(
            f"-l {options.level:g} is not supported, because non-relevant items would be relevant. Use a level above 0."
        )
    if getattr(options, "depth", 1) < 1:
        raise UsageError(f"-M {options.depth} leaves no item to evaluate. Use at least 1.")


def prefer(options: argparse.Namespace) -> int:
    """Print preferences: the mean of every pair, a square matrix, or a row per query and pair."""
    if not options.matrix:
        pairs = call("prefer", options)
        if not options.per_query:
            pairs = pairs.ireval.summary(by=getattr(options, "by", None))
        return _write(pairs, options)
    measures = _measures(options) or parse_all("RPP")
    if len(measures) > 1 or options.per_query or hasattr(options, "baseline"):
        raise UsageError(
            "--matrix shows one measure of all queries and pairs. Use one -m, without -q and --baseline."
        )
    square = call("matrix", options, measure=measures[0])
    return _write(square.rename_axis(index="run", columns=None).reset_index(), options)


def compare(options: argparse.Namespace) -> int:
    """Print one row per pair and measure, with its significance."""
    table = call("compare", options)
    if options.all_columns:
        return _write(table, options)
    pair = [f"{name}_{side}" for side in "ab" for name in getattr(options, "run", ["run"])]
    _write(table, options, [*table.attrs.get("by", ()), *pair, *PRINTED], optional=("effect_size",))
    if sys.stdout.isatty() and not options.quiet:
        level = f"{100 * table.attrs['confidence']:.10g}% confidence interval"
        kind = "simultaneous " * table.attrs["simultaneous"]
        note = f"ci_low, ci_high: {kind}{level}; {of_comparisons(table)}"
        print(textwrap.fill(note, terminal_width()), file=sys.stderr)
    return 0


def report(options: argparse.Namespace) -> int:
    """Print the table of a paper."""
    more = {"metadata": _metadata(options)} if hasattr(options, "group") else {}
    # an .html file is the interactive page, unless --standalone requests only the table
    page = (
        options.format is None
        and not options.standalone
        and str(options.output or "").lower().endswith(".html")
    )
    return _write(
        call("report", options, **more), options, standalone=options.standalone, interactive=page
    )


def check(options: argparse.Namespace) -> int:
    """Print the checks of runs and judgments; the status is 1 if queries are missing or rows are duplicate."""
    table = call("check", options)
    _write(table, options)
    faults = {"missing": "lack judged queries", "duplicates": "have duplicate documents"}
    counts = {text: int((table[name] > 0).sum()) for name, text in faults.items()}
    for text, count in counts.items():
        if count and not options.quiet:
            print(f"pdeval: {count} of {len(table)} runs {text}.", file=sys.stderr)
    return 1 if any(counts.values()) else 0


def gate(options: argparse.Namespace) -> int:
    """Print the requirements of a gate and write its files; the status is 0 if all passed, 1 if not, 2 for errors."""
    texts = [
        (options.junit, decisions.junit_of),
        (options.summary, decisions.summary_of),
        (options.json, lambda frame: output.rendered(frame, "json")),
    ]
    files = [(path, text) for path, text in texts if path is not None]
    check_places(path for path, _ in files)
    table = call("gate", options)
    _write(table, options, [*table.attrs.get("by", ()), *PRINTED_OF_GATE])
    for path, text in files:
        output.send([text(table)], path)
    return 0 if table["passed"].all() else 1


def demo(options: argparse.Namespace) -> int:
    """Print the measures of the sample collection, and write its files on request."""
    runs, qrels, metadata = pdeval.datasets.load_sample()
    if options.write:
        folder = Path(options.write)
        folder.mkdir(parents=True, exist_ok=True)
        check_places(folder / name for name in ("qrels.txt", "metadata.csv"))
        pdeval.write_runs(runs, folder / "runs")
        pdeval.write_qrels(qrels, folder / "qrels.txt")
        with replacing(folder / "metadata.csv") as beside:
            metadata.to_csv(beside, index=False)
    judged = runs.ireval.join(qrels, queries="judged")
    scores = judged.measure(["AP", "nDCG@10", "RR", "ASL"]).ireval.summary(wide=True)
    win_rates = judged.order("RPP")[["run", "score"]].rename(
        columns={"score": "RPP mean preference"}
    )
    table = (
        metadata[["run", "family"]]
        .merge(scores, on="run")
        .merge(win_rates, on="run")
        .sort_values("AP", ascending=False, kind="stable")
    )
    kind = output.chosen(options.format, options.output, "table")
    if kind != "table" or options.output is not None:
        return _write(table, options)
    print(f"The sample collection: {len(table)} systems, {len(judged.queries)} queries.")
    print("The run ql did not answer two of them; they get the worst possible score.\n")
    _write(table.rename(columns={"ASL": "ASL ↓"}), options)
    files = shlex.join(f"{options.write or 'sample'}/{name}" for name in ("qrels.txt", "runs"))
    first = f"compare {files} -m AP" if options.write else "demo --write sample"
    # the path, such as .venv/bin/pdeval, if the shell does not find the program by its name
    by_path = Path(sys.argv[0]).stem == PROGRAM and shutil.which(PROGRAM) is None
    program = shlex.quote(sys.argv[0]) if by_path else PROGRAM
    print(f"""
↓: lower is better. Try next:

  {program} {first}
  {program} report {files} --baseline bm25
  {program} report {files} -o page.html""")
    return 0


def catalog(options: argparse.Namespace) -> int:
    """Print measures, preferences and orderings."""
    table = pd.DataFrame(pdeval.catalog(" ".join(options.words)))
    if not len(table):
        raise UsageError(f"nothing in the catalog mentions {' and '.join(options.words)}.")
    return _write(table, options, ["name", "family", "parameters", "summary"])


def call(name: str, options: argparse.Namespace, **more: Any) -> Any:
    """Return the result of a verb of the run table, for the files and options of the command line."""
    arguments = {**_arguments(of_kind("judged")[name], options), **more}
    qrels, runs = _tables(options)
    accessor: Any = runs.ireval
    accessor = accessor(run=options.run) if hasattr(options, "run") else accessor
    return attrgetter(name)(accessor)(qrels=qrels, **arguments)


# commands that do more than print the result of the verb
COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "evaluate": evaluate,
    "prefer": prefer,
    "compare": compare,
    "report": report,
    "check": check,
    "gate": gate,
}
OTHER_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {"demo": demo, "catalog": catalog}


def _arguments(verb: Verb, options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of a verb on the command line; the others keep their defaults."""
    arguments = {}
    for option in options_of(verb):
        if hasattr(options, option.name):
            value = getattr(options, option.name)
            if option.form.file:
                read: Callable[..., Any] = READERS.get(option.name) or _table
                value = read(value, options)
            arguments[option.name] = option.value(value)
    names = [parameter.name for parameter in verb.parameters]
    if "measures" in names and options.measures and not getattr(options, "trec_eval", False):
        arguments["measures"] = _measures(options)
    if "progress" in names and options.quiet:
        arguments["progress"] = False
    if getattr(options, "complete", False):
        if arguments.get("queries", "judged") != "judged":
            raise UsageError(
                f"-c means --queries judged and conflicts with --queries {arguments['queries']}. Use one of them."
            )
        arguments["queries"] = "judged"
    return arguments


def _measures(options: argparse.Namespace) -> list[Measure]:
    """Return the measures of the command line; `-m AP,RR` is `-m AP -m RR`."""
    texts = [part for text in options.measures or [] for part in joined(split(text))]
    with _usage_errors():
        return parse_all(texts) if texts else []


def _tables(
    options: argparse.Namespace, *, tags: bool = False
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return judgments and runs; every file is read once, so any may be a pipe."""
    progress = False if options.quiet else None
    if hasattr(options, "collections"):
        runs, qrels = pdeval.read_collections(
            options.collections, subtopics=options.subtopics, names=options.names, progress=progress
        )
        return qrels, runs
    if [options.qrels, *options.files].count(file_io.STDIN) > 1:
        raise UsageError(
            "'-' is the standard input, which can be read only once. Use it for one file."
        )
    try:
        qrels = pdeval.read_qrels(
            options.qrels, subtopics=options.subtopics, encoding=options.encoding
        )
    except ValueError as error:
        if "6 columns instead of 4" not in str(error):
            raise
        first = f"pdeval {options.command} {' '.join([*options.files[:1], options.qrels])}"
        raise ValueError(
            f"'{options.qrels}' has six columns, as a run. Pass the judgments first: {first}."
        ) from error
    return qrels, reading.in_memory(
        reading.run_files(options.files, names=options.names, encoding=options.encoding, tag=tags),
        progress=progress,
    )


def _texts(paths: list[str], options: argparse.Namespace) -> object:
    """Return the texts in a file of queries or documents, or in two files, queries first."""
    if len(paths) > 2:
        raise UsageError(
            f"--texts has {len(paths)} files. Use one of queries and one of documents."
        )
    frames = []
    for path in paths:
        try:
            frame = _table(path, options, dtype=str)
            read_texts(frame)
        except ValueError:
            if ".tsv" not in Path(path).suffixes:
                raise
            # two columns without a header and without quoted fields, as the files of MS MARCO
            frame = _table(path, options, dtype=str, header=None, quoting=csv.QUOTE_NONE)
            if len(frame.columns) != 2:
                raise
            frame.columns = pd.Index(["id", "text"])
        frames.append(frame)
    return frames[0] if len(frames) == 1 else dict(zip(("queries", "docs"), frames))


def _answers(path: str, options: argparse.Namespace) -> pd.DataFrame:
    """Return a table of answers, from a table or from a JSON file that the reader of its kind reads."""
    frame = _table(path, options)
    # a file of another tool has columns of the table, or rows of the table in a field with its name
    schema = SCHEMAS.get(kind_of(frame) or next((name for name in SCHEMAS if name in frame), ""))
    return schema.reader(path) if _is_json(path) and schema and schema.reader else frame


# readers of files that are not tables of metadata or comparisons, by option
READERS: dict[str, Callable[..., Any]] = {"texts": _texts, "answers": _answers}


def _is_json(path: str) -> bool:
    return not {".jsonl", ".ndjson", ".json"}.isdisjoint(Path(path).suffixes)


def _table(path: str, options: argparse.Namespace, **how: Any) -> pd.DataFrame:
    """Return a table from a file; `how` are options of `read_csv`."""
    file_io.check_present(Path(path))
    if file_io.is_parquet(Path(path)):
        return pd.read_parquet(path)
    how = {"dtype": {"run": str, "query_id": str}, **how}
    for encoding in filter(None, ("utf-8", options.encoding)):
        with suppress(UnicodeError):
            if _is_json(path):
                return pd.read_json(path, lines=True, dtype=False, encoding=encoding)
            separator = "\t" if ".tsv" in Path(path).suffixes else ","
            return pd.read_csv(path, sep=separator, encoding=encoding, **how)
    if options.encoding is None:
        raise ValueError(f"'{path}' is not UTF-8. Specify its encoding, e.g. --encoding latin-1.")
    raise ValueError(
        f"'{path}' is neither UTF-8 nor {options.encoding}. Specify another --encoding."
    )


def _metadata(options: argparse.Namespace) -> pd.DataFrame:
    """Return the metadata of the runs, which must have the column(s) of --group."""
    groups = [options.group] if isinstance(options.group, str) else list(options.group)
    path = getattr(options, "metadata", None)
    if path is None:
        raise UsageError(
            f"column {groups[0]!r} needs a file of metadata. Specify it with --metadata FILE."
        )
    frame = _table(path, options)
    for name in (*getattr(options, "run", ["run"]), *groups):
        if name not in frame.columns:
            raise ValueError(
                f"'{path}' has no column {name!r}; it has {', '.join(map(str, frame.columns))}."
            )
    return frame if hasattr(options, "run") else frame.astype({"run": str})


def _write(
    content: Any, options: argparse.Namespace, printed: Sequence[str] | None = None, **how: Any
) -> int:
    """Write the result of a command; a printed table has only the columns `printed`, if it has them."""
    kind = output.chosen(options.format, options.output, "table")
    if kind == "table" and printed is not None:
        content = content[[name for name in printed if name in content.columns]]
    digits = getattr(options, "digits", None)
    output.write(content, kind, options.output, digits=4 if digits is None else digits, **how)
    return 0
