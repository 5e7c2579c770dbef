"""The same question by different accessors: accessor, join, Dask, files, command line. The same bits by all of them."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

import pdeval
from pdeval.__main__ import main as command
from tests.differential import answers
from tests.differential.answers import Difference
from tests.differential.cases import Case

MEASURES = ("AP", "RR", "P@5", "nDCG@3", "Bpref", "ERR", "infAP", "Judged@5", "RBP(p=0.8)")
PREFERENCES = ("RPP", "dcgRPP", "sgnLP", "rrLP", "sgnLR", "I", "OI")
BLANK = " \t\n\r\v\f\0"


def joined(case: Case) -> Iterator[Difference | None]:
    """Compare the accessor with a join that is kept."""

    def ask() -> dict:
        runs, qrels = case.frames()
        kept = answers.accessor(case, runs).join(qrels, **case.rules.given())
        return answers.scores_of(case, kept.measure(list(MEASURES)))

    yield from answers.differences(
        "join", answers.answered(ask) or {}, answers.measured(case, MEASURES), bits=True
    )

    def later() -> dict:
        rules = case.rules.given()
        level, queries = rules.pop("level"), rules.pop("queries")
        runs, qrels = case.frames()
        kept = answers.accessor(case, runs).join(qrels, **rules).at(level=level, queries=queries)
        return answers.pairs_of(case, kept.prefer(list(PREFERENCES)))

    if len(case.names) > 1:
        theirs = answers.answered(later) or {}
        yield from answers.differences(
            "join, at", theirs, answers.preferred(case, PREFERENCES), bits=True
        )


def on_dask(case: Case) -> Iterator[Difference | None]:
    """Compare the accessor with Dask, the rows in one to five partitions."""
    import dask
    import dask.dataframe as dd

    import pdeval.dask.accessor  # noqa: F401

    parts = 1 + case.seed % 5
    runs, qrels = case.frames()

    def lazily(verb: str, measures):
        lazy = dd.from_pandas(runs, npartitions=parts, sort=False)
        with dask.config.set(scheduler="synchronous"):
            return getattr(answers.accessor(case, lazy), verb)(
                qrels, list(measures), **case.rules.given()
            ).compute()

    ours = answers.measured(case, MEASURES)
    theirs = answers.answered(lambda: answers.scores_of(case, lazily("measure", MEASURES))) or {}
    yield from answers.differences(f"Dask, {parts} partitions", theirs, ours, bits=True)
    if len(case.names) > 1:
        ours = answers.preferred(case, PREFERENCES)
        theirs = (
            answers.answered(lambda: answers.pairs_of(case, lazily("prefer", PREFERENCES))) or {}
        )
        yield from answers.differences(f"Dask, {parts} partitions", theirs, ours, bits=True)


def fit(case: Case) -> bool:
    """Return whether a case can stand in TREC files, each run under its own name."""
    words = [str(one) for row in case.runs for one in (*row[0], row[1], row[2])]
    words += [str(one) for row in case.judgments for one in (row[0], row[2])]
    queries = {str(row[1]) for row in case.runs} | {str(row[0]) for row in case.judgments}
    return (
        case.run_columns == ("run",)
        and not any(sign in word for word in words for sign in BLANK)
        and not any(query.startswith(("#", "\ufeff")) for query in queries)
    )


def written(case: Case, folder: Path) -> tuple[Path, dict[str, Path]]:
    """Write a case by hand as TREC files, columns and lines apart in the ways that are allowed."""
    rng = random.Random(case.seed)

    def write(path: Path, lines: list[list[str]]) -> Path:
        mixed, between, end = (
            rng.random() < 0.3,
            rng.choice([" ", "\t", "  ", " \t"]),
            rng.choice(["\n", "\r\n"]),
        )
        rows = []
        for words in lines:
            gap = rng.choice([" ", "\t", "   "]) if mixed else between
            rows.append(gap.join(words) + end)
            if mixed and rng.random() < 0.1:
                rows.append(rng.choice(["# a comment", "", "  "]) + end)
        data = "".join(rows).encode()
        if rng.random() < 0.3:
            path = path.with_name(path.name + ".gz")
            data = gzip.compress(data, 1)
        path.write_bytes(data)
        return path

    paths = {}
    for place, name in enumerate(case.names):
        own = [row for row in case.runs if row[0] == name]
        lines = [
            [str(q), "Q0", str(doc), str(rank), repr(float(score)), "tag"]
            for _, q, doc, score, rank in own
        ]
        paths[name[0]] = write(folder / f"{place}.run", lines)
    judged = [
        [str(q), subtopic or "0", str(doc), repr(grade)]
        for q, subtopic, doc, grade in case.judgments
    ]
    return write(folder / "qrels", judged), paths


def read_again(case: Case) -> Iterator[Difference | None]:
    """Compare the accessor with files that were written by hand, and by pdeval, and read."""
    if not fit(case):
        return
    ours = answers.measured(case, MEASURES)
    ending = random.Random(case.seed).choice([".run", ".run.gz", ".run.bz2", ".run.zst"])

    def measured(runs: pd.DataFrame, qrels: pd.DataFrame) -> dict:
        def ask() -> dict:
            return answers.scores_of(
                case, runs.ireval.measure(qrels, list(MEASURES), **case.rules.given())
            )

        return answers.answered(ask) or {}

    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        qrels, paths = written(case, folder)
        judged = pdeval.read_qrels(qrels, subtopics=case.subtopics)
        theirs = measured(pdeval.read_runs(paths), judged)
        yield from answers.differences("files by hand", theirs, ours, bits=True)
        runs, judgments = case.frames()
        pdeval.write_qrels(judgments, folder / ("q.parquet" if case.seed % 2 else "q.txt.gz"))
        judged = pdeval.read_qrels(
            folder / ("q.parquet" if case.seed % 2 else "q.txt.gz"), subtopics=case.subtopics
        )
        pdeval.write_run(runs, folder / "all.parquet")
        theirs = measured(pdeval.read_run(folder / "all.parquet"), judged)
        yield from answers.differences("parquet", theirs, ours, bits=True)
        pdeval.write_runs(runs, folder / "runs", ending=ending)
        if all(name[0].strip(".") for name in case.names):
            theirs = measured(pdeval.read_runs(folder / "runs"), judged)
            yield from answers.differences(f"files{ending}", theirs, ours, bits=True)
            if not case.subtopics:  # the command line reads them where a measure asks for them
                yield from answers.differences(
                    "command line", _printed(case, folder), ours, bits=True
                )


def _printed(case: Case, folder: Path) -> dict:
    """Return what the command line prints for every query."""
    qrels, runs = next(folder.glob("q.*")), folder / "runs"
    words = ["evaluate", str(qrels), str(runs), "-q", "--format", "json", "--quiet"]
    for name, value in case.rules.given().items():
        words += [] if value is None else [f"--{name}", str(value)]
    for name in MEASURES:
        words += ["-m", name]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = answers.quiet(command, words)
    if status and any(text in err.getvalue() for text in answers.NOTHING):
        return {}
    if status:
        raise ValueError(f"the command line ends with {status}: {err.getvalue()}")
    return answers.scores_of(case, pd.DataFrame(json.loads(out.getvalue())))
