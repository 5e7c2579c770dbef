"""What each command does: reads files, calls the accessor, and hands on a frame, a report or lines."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

import pdeval
from pdeval.accessor.joined import MEASURES, Joined, join
from pdeval.catalog import parse_all
from pdeval.cli import UsageError, output, trec_format, trec_names
from pdeval.cli.arguments import typed
from pdeval.report import Report
from pdeval.trec import files

SHOWN = ("run_a", "run_b", "measure", "test", "n", "difference", "ci_low", "ci_high", "p_adjusted", "significant")


def run(options: argparse.Namespace) -> int:
    """Do what the options say and return the exit status."""
    return COMMANDS[options.command](options)


def evaluate(options: argparse.Namespace) -> int:
    """Print measures of runs: means, statistics, or a row per query."""
    if options.trec_eval:
        return _as_trec_eval(options)
    if options.no_total:
        raise UsageError("-n goes with --trec-eval.")
    scores = _joined(options, measures := _measures(options, MEASURES)).measure(measures)
    if options.per_query:
        return _write(scores, options)
    if options.by:
        scores = _with_metadata(scores, options)
        return _write(scores.ireval.summary(by=options.by, wide=not options.stats), options)
    return _write(scores.ireval.summary(wide=not options.stats), options)


def _as_trec_eval(options: argparse.Namespace) -> int:
    try:
        lines = trec_names.lines(options.measures or [])
    except (KeyError, ValueError) as error:
        raise _usage(error) from None
    for option in ("format", "stats", "by"):
        if getattr(options, option):
            raise UsageError(f"--{option} does not go with --trec-eval, which has a layout of its own.")
    options.topics, options.complete = _topics(options, "answered"), False
    # trec_eval says nothing about missing queries
    warnings.simplefilter("ignore", UserWarning)
    joined = _joined(options, trec_format.needed(lines))
    tags = trec_format.tags(files.expand(options.runs))
    shown = trec_format.rows(joined, lines, per_query=options.per_query, total=not options.no_total, tags=tags)
    output.send(list(shown), options.output)
    return 0


def prefer(options: argparse.Namespace) -> int:
    """Print preferences: the mean of every pair, a square matrix, or a row per query and pair."""
    measures = _measures(options, ["RPP"])
    if options.matrix and (len(measures) > 1 or options.per_query or options.baseline):
        raise UsageError("--matrix shows one measure over all queries and pairs: give one -m, no -q, no --baseline.")
    joined = _joined(options, measures)
    if options.matrix:
        square = joined.matrix(measures[0])
        return _write(square.rename_axis(index="run", columns=None).reset_index(), options)
    if options.per_query:
        progress = False if options.quiet else None
        return _write(joined.prefer(measures, baseline=options.baseline, progress=progress), options)
    return _write(joined.mean(measures, baseline=options.baseline), options)


def order(options: argparse.Namespace) -> int:
    """Print the runs in order."""
    joined = _joined(options, measures := _measures(options, ["RPP"]))
    compat = "pref_eval" if options.compat == "pref_eval" else None
    orders = joined.order(
        measures,
        **typed(options, "method", "bootstrap", "seed"),
        compat=compat,
        progress=False if options.quiet else None,
    )
    return _write(orders.sort_values(["measure", "method", "rank"], kind="stable"), options)


def compare(options: argparse.Namespace) -> int:
    """Print one row per pair and measure, with its significance."""
    joined = _joined(options, measures := _measures(options, MEASURES))
    table = joined.compare(
        measures,
        **typed(options, "test", "correction", "baseline", "alpha", "draws", "seed"),
        progress=False if options.quiet else None,
    )
    if output.chosen(options.format, options.output, "table") == "table" and not options.all_columns:
        table = table[[name for name in SHOWN if name in table.columns]]
    return _write(table, options)


def report(options: argparse.Namespace) -> int:
    """Print the table of a paper."""
    measures = _measures(options, MEASURES)
    families = {measure.entry.family for measure in measures}
    if len(families) > 1:
        raise UsageError("a report shows measures or preferences; give -m for one kind only.")
    joined = _joined(options, measures)
    table = joined.measure(measures) if families == {"metric"} else joined.prefer(measures)
    found = table.ireval.report(
        **typed(options, "baseline", "test", "correction", "alpha", "interval", "sort", "group", "caption", "label"),
        digits=3 if options.digits is None else options.digits,
        metadata=_metadata(options, options.group) if options.group else None,
    )
    return _write(found, options, default="latex", standalone=options.standalone)


def check(options: argparse.Namespace) -> int:
    """Print the accounting of runs and judgments; the status is 1 if queries are missing or rows repeat."""
    table = _runs(options).ireval.check(pdeval.read_qrels(options.qrels), level=options.level)
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
        pdeval.write_runs(runs, folder / "runs")
        pdeval.write_qrels(qrels, folder / "qrels.txt")
        metadata.to_csv(folder / "metadata.csv", index=False)
    joined = runs.ireval.join(qrels)
    scores = joined.measure(["AP", "nDCG@10", "RR", "ASL"]).ireval.summary(wide=True)
    preferred = joined.order("RPP")[["run", "score"]].rename(columns={"score": "RPP win rate"})
    table = metadata[["run", "family"]].merge(scores, on="run").merge(preferred, on="run")
    table = table.sort_values("AP", ascending=False, kind="stable")
    if output.chosen(options.format, options.output, "table") == "table" and options.output is None:
        print(f"The sample collection: {len(table)} systems, {len(joined.positions.queries)} queries.\n")
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


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "evaluate": evaluate,
    "prefer": prefer,
    "order": order,
    "compare": compare,
    "report": report,
    "check": check,
    "demo": demo,
    "catalog": catalog,
}


def _measures(options: argparse.Namespace, default: Any) -> list:
    """Return the measures asked for; `-m AP,RR` is `-m AP -m RR`."""
    texts = [part for text in options.measures or [] for part in split(text)]
    try:
        return parse_all(texts or default)
    except (KeyError, ValueError) as error:
        raise _usage(error) from None


def _usage(error: Exception) -> UsageError:
    return UsageError(str(error.args[0]).replace("pdeval.catalog()", "'pdeval catalog'"))


def split(text: str) -> list[str]:
    """Return the names in a text, which commas outside of brackets part.

    Examples
    --------
    >>> split("AP,RBP(p=0.8,k=10), nDCG@10")
    ['AP', 'RBP(p=0.8,k=10)', 'nDCG@10']
    """
    depth, parts = 0, [""]
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _runs(options: argparse.Namespace) -> pd.DataFrame:
    return pdeval.read_runs(options.runs, names=options.names, progress=False if options.quiet else None)


def _joined(options: argparse.Namespace, measures: Any) -> Joined:
    if not getattr(options, "trec_eval", False):
        output.chosen(options.format, options.output, "table")  # a fault of the command comes before the work
    topics = _topics(options, "relevant")
    qrels = pdeval.read_qrels(options.qrels, subtopics=options.subtopics)
    rules = typed(options, "level", "ties", "compat", "depth")
    return join(_runs(options).ireval, qrels, measures, topics=topics, **rules)


def _topics(options: argparse.Namespace, default: str) -> Any:
    if options.complete and options.topics not in (None, "judged"):
        raise UsageError(f"-c is --topics judged, but --topics {options.topics} was given too.")
    return "judged" if options.complete else options.topics or default


def _metadata(options: argparse.Namespace, column: str) -> pd.DataFrame:
    """Return what is known about the runs: the column wanted and the run."""
    if options.metadata is None:
        raise UsageError(f"the column {column!r} comes from a file: say which with --metadata FILE.")
    path = Path(options.metadata)
    files.check_present(path)
    frame = pd.read_parquet(path) if files.is_parquet(path) else pd.read_csv(path, dtype={"run": str})
    for name in ("run", column):
        if name not in frame.columns:
            raise ValueError(f"'{path}' has no column {name!r}; it has {', '.join(map(str, frame.columns))}.")
    return frame[["run", column]].astype({"run": str})


def _with_metadata(scores: pd.DataFrame, options: argparse.Namespace) -> pd.DataFrame:
    metadata = _metadata(options, options.by)
    missing = sorted(set(scores["run"].astype(str)) - set(metadata["run"]))
    if missing:
        raise ValueError(f"'{options.metadata}' has no row for {len(missing)} of the runs, e.g. {missing[0]!r}.")
    return scores.astype({"run": str}).merge(metadata, on="run")


def _write(
    content: pd.DataFrame | Report, options: argparse.Namespace, *, default: str = "table", standalone: bool = False
) -> int:
    kind = output.chosen(options.format, options.output, default)
    digits = 4 if options.digits is None else options.digits
    output.write(content, kind, options.output, digits=digits, standalone=standalone)
    return 0
