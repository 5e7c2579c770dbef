"""Record the answers of every verb, measure, option, command and format, and compare them after a change.

    python -m tests.recording --write answers.json      # before the change
    python -m tests.recording --compare answers.json       # after it; --renames names.json if names changed

A record is a name of the call and a digest of its answer: one digest per column (bits of numbers, dtypes), the text
of reports and commands, the class and text of errors. `names.json` maps new names to former ones, in three mappings:
"verbs" (with the kind of table, "scores.summary"), "options" and "columns". Only calls that both recordings have are
compared; calls that only one has are counted.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import inspect
import io
import json
import sys
import tempfile
import typing
import warnings
from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path

import numpy as np
import pandas as pd

import pdeval
from pdeval.accessor.methods import signature_of
from pdeval.verbs import VERBS, of_kind
from tests.walk_tables import FEW, NEEDED, qrels, quiet, runs, tables

Case = tuple[str, Callable[[], object]]
NOT_RECORDED = (
    "to_great_tables",
    "to_excel",
    "to_frame",
)  # random ids, dates of files, the table itself
BAD_VALUES = {
    "text": "x",
    "negative": -1,
    "NaN": float("nan"),
    "empty list": [],
    "mapping": {"x": "x"},
}


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _column(values: pd.Series) -> list[str]:
    if values.dtype.kind == "f":
        bits = values.to_numpy().astype(np.float64)
        bits[np.isnan(bits)] = np.nan  # one bit pattern for all missing values
        return [str(values.dtype), _sha(bits.tobytes())]
    return [
        str(values.dtype),
        _sha("\x1f".join(map(repr, values.tolist())).encode("utf-8", "surrogatepass")),
    ]


def digest(answer: object) -> object:
    """Return what is recorded of an answer."""
    if isinstance(answer, pd.DataFrame):
        columns = {str(name): _column(answer.iloc[:, at]) for at, name in enumerate(answer.columns)}
        return {"rows": len(answer), "columns": columns}
    if hasattr(answer, "compute"):
        return digest(answer.compute())
    if hasattr(answer, "to_markdown") and hasattr(answer, "to_latex"):
        formats = [
            name for name in dir(answer) if name.startswith("to_") and name not in NOT_RECORDED
        ]
        return {name: digest(_attempt(getattr(answer, name))) for name in formats}
    if type(answer).__module__.startswith("matplotlib"):
        return {"drawn": _drawn(answer)}
    if dataclasses.is_dataclass(answer) and not isinstance(answer, type):
        fields = [field.name for field in dataclasses.fields(answer) if field.compare]
        return {name: digest(getattr(answer, name)) for name in fields}
    if isinstance(answer, np.ndarray):
        return {
            "array": [
                str(answer.dtype),
                list(answer.shape),
                _sha(np.ascontiguousarray(answer).tobytes()),
            ]
        }
    if isinstance(answer, bytes):
        return {"bytes": _sha(answer)}
    if isinstance(answer, dict):
        return {str(key): digest(value) for key, value in answer.items()}
    if isinstance(answer, list | tuple):
        return [digest(one) for one in answer]
    text = str(answer)
    return {"text": text if len(text) < 300 else _sha(text.encode("utf-8", "surrogatepass"))}


def _drawn(axes: object) -> list[str]:
    """Return the texts of a plot and the numbers of its lines."""
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    figure = axes.figure  # type: ignore[attr-defined]
    texts = sorted(text.get_text() for text in figure.findobj(Text) if text.get_text())
    lines = sorted(
        _sha(np.asarray(line.get_xydata(), float).tobytes()) for line in figure.findobj(Line2D)
    )
    return [_sha("\n".join(texts).encode()), _sha("".join(lines).encode())]


def _attempt(call: Callable[[], object]) -> object:
    try:
        return quiet(call)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _call(kind: str, table: object, name: str, options: dict[str, object]) -> object:
    accessor = table if kind == "judged" else table.ireval  # type: ignore[attr-defined]
    if name.partition(".")[0] == "plot" and name != "plot.panels":
        from matplotlib.figure import Figure

        options = {**options, "ax": Figure().subplots()}
    return reduce(getattr, name.split("."), accessor)(**options)


def _choices(annotation: object, default: object) -> list[object]:
    if isinstance(default, bool):
        return [not default]
    choices: list[object] = []
    for part in (annotation, *typing.get_args(annotation)):
        if typing.get_origin(part) is typing.Literal:
            choices += [value for value in typing.get_args(part) if value != default]
    return choices


def verb_cases() -> Iterator[Case]:
    """Yield every verb of every kind of table, with each choice of each option and some bad values."""
    for kind in VERBS:
        if kind not in tables():
            continue
        for name, verb in of_kind(kind).items():
            parameters = list(signature_of(verb, kind).parameters.values())[1:]
            hints = _hints(verb.function)
            needed = _needed(parameters)
            table = tables()[kind]
            yield f"{kind}.{name}()", lambda k=kind, t=table, n=name, o=needed: _call(k, t, n, o)
            for parameter in parameters:
                values = {
                    repr(value): value
                    for value in _choices(hints.get(parameter.name), parameter.default)
                }
                values |= {f"<{label}>": value for label, value in BAD_VALUES.items()}
                for label, value in values.items():
                    options = {**needed, parameter.name: value}
                    title = f"{kind}.{name}({parameter.name}={label})"
                    yield title, lambda k=kind, t=table, n=name, o=options: _call(k, t, n, o)


def _number_near(default: object) -> list[object]:
    """Return another value of an option that is a number."""
    if isinstance(default, bool) or not isinstance(default, int | float):
        return []
    if isinstance(default, int):
        return [default + 1]
    return [default / 2 if 0 < default <= 1 else default * 2 + 0.1]


def number_cases() -> Iterator[Case]:
    """Yield every verb of every kind of table, with another value of each option that is a number."""
    for kind in VERBS:
        for name, verb in of_kind(kind).items() if kind in tables() else ():
            parameters = list(signature_of(verb, kind).parameters.values())[1:]
            needed = _needed(parameters)
            for parameter in parameters:
                for value in _number_near(parameter.default):
                    options = {**needed, parameter.name: value, "draws": 3}
                    options = {key: options[key] for key in options if key in _names(parameters)}
                    title = f"{kind}.{name}({parameter.name}={value!r})"
                    table = tables()[kind]
                    yield title, lambda k=kind, t=table, n=name, o=options: _call(k, t, n, o)


def _names(parameters: list[inspect.Parameter]) -> set[str]:
    return {one.name for one in parameters}


def _needed(parameters: list[inspect.Parameter]) -> dict[str, object]:
    """Return what a verb cannot be called without, on the tables of the walk."""
    needed = {
        p.name: NEEDED[p.name]() for p in parameters if p.default is p.empty and p.name in NEEDED
    }
    return needed | {p.name: FEW[p.name] for p in parameters if p.name in FEW}


def _suited() -> Iterator[tuple[str, str, object, str, dict[str, object]]]:
    """Yield (title, kind, table, verb, options) of verbs that need other tables than those of the walk."""
    few = qrels()[qrels()["query_id"].astype(int) % 2 == 1]
    machine = {"machine": qrels(), "queries": "judged"}
    halves = qrels()[["query_id"]].drop_duplicates()
    halves = halves.assign(half=halves["query_id"].astype(int) % 2)
    name_of_run = runs()["run"].astype(str)
    trained = runs().assign(
        model=name_of_run.map({"bm25": "m", "ql": "m", "tfidf": "n", "dense-s1": "n"}),
        seed=name_of_run.map({"bm25": 1, "ql": 2, "tfidf": 1, "dense-s1": 2}),
    )
    trained = trained.drop(columns="run").ireval(run=["model", "seed"])
    label = {"label_next": {"n_queries": 2}, "label_next.sample_size": {"width": 0.5}}
    for kind, table in (
        ("scores", quiet(runs().ireval.measure, few, ["AP", "RR"], **machine)),
        ("preferences", quiet(runs().ireval.prefer, few, ["RPP", "AP"], **machine)),
    ):
        for name, verb in of_kind(kind).items():
            if verb.machine:
                yield f"{kind} by people and machine", kind, table, name, label.get(name, {})
    items = {"qrels": few, "machine": qrels(), "size": 5, "depth": 10}
    yield "half of the judgments", "runs", runs(), "label_next.items", items
    for name in ("replicates", "replicates.compare"):
        yield "trained models", "runs", trained, name, {"qrels": qrels(), "measures": ["AP", "RR"]}
        table = quiet(trained.measure, qrels(), ["AP", "RR"])
        yield "trained models", "scores", table, name, {}
    for name, verb in of_kind("runs").items():
        if not verb.grouped or name == "report":
            continue
        parameters = signature_of(verb, "runs").parameters
        if "by" in parameters and parameters["by"].default is inspect.Parameter.empty:
            given = {"qrels": qrels(), "by": "half", "metadata": halves, "measures": ["AP", "RR"]}
            options = {key: value for key, value in given.items() if key in parameters}
            yield "halves of the queries", "runs", runs(), name, options
    books = pdeval.datasets.load_recommendations()
    users = books.runs["user_id"].drop_duplicates().head(30)
    lists = books.runs[books.runs["user_id"].isin(users)]
    catalog = pdeval.catalog()
    beyond = [
        name for name, kind in zip(catalog["name"], catalog["kind"]) if kind in ("items", "set")
    ]
    for name in ("beyond_accuracy", "beyond_accuracy.compare"):
        options = {"items": books.items, "history": books.history}
        yield "recommendations", "runs", lists, name, options
        for measure in beyond:
            given = {**options, "measures": f"{measure}@5"}
            yield f"recommendations, {measure}", "runs", lists, name, given
    answers = pdeval.datasets.load_answers()
    yield "answers", "runs", answers.chunks, "measure_spans", {"spans": answers.spans}
    for kind in ("nuggets", "citations"):
        for name in of_kind(kind):
            yield "answers", kind, getattr(answers, kind), name, {}
    for kind, table in tables().items():
        for name, verb in of_kind(kind).items() if kind in VERBS else ():
            if name.startswith("plot") and name != "plot.panels" and hasattr(table, "columns"):
                options: dict[str, object] = {}
                if "measure" in verb.signature.parameters and "measure" in table.columns:
                    options["measure"] = str(table["measure"].iloc[0])
                if "pair" in verb.signature.parameters:
                    options["pair"] = ("ql", "bm25")
                if options:
                    yield "one measure", kind, table, name, options


def suited_cases() -> Iterator[Case]:
    """Yield verbs on tables that suit them, with every choice and another number of each option."""
    for title, kind, table, name, given in _suited():
        verb = of_kind(kind)[name]
        parameters = list(signature_of(verb, kind).parameters.values())[1:]
        options = _needed(parameters) | given
        yield (
            f"{title}: {kind}.{name}()",
            lambda k=kind, t=table, n=name, o=options: _on_table(k, t, n, o),
        )
        if "," in title:
            continue
        hints = _hints(verb.function)
        for parameter in parameters:
            values = _choices(hints.get(parameter.name), parameter.default)
            for value in values + _number_near(parameter.default):
                changed = {**options, parameter.name: value}
                if parameter.name == "draws":
                    changed["draws"] = 4
                yield (
                    f"{title}: {kind}.{name}({parameter.name}={value!r})",
                    lambda k=kind, t=table, n=name, o=changed: _on_table(k, t, n, o),
                )


def _on_table(kind: str, table: object, name: str, options: dict[str, object]) -> object:
    """Return the answer of a verb of a frame, or of an accessor with bound columns."""
    if hasattr(table, "_binding"):
        return reduce(getattr, name.split("."), table)(**options)
    return _call(kind, table, name, options)


def _hints(function: object) -> dict[str, object]:
    try:
        return typing.get_type_hints(function)
    except Exception:
        return {}


def shared_option_cases() -> Iterator[Case]:
    """Yield every verb of runs, join and scores with by=, replicate= and machine=."""
    queries = qrels()[["query_id"]].drop_duplicates()
    halves = queries.assign(half=queries["query_id"].astype(int) % 2)
    families = pd.DataFrame(
        {"run": ["bm25", "ql", "tfidf", "dense-s1"], "family": ["a", "a", "b", "b"]}
    )
    seeds = runs().assign(
        model=runs()["run"]
        .map({"bm25": "m", "ql": "m", "tfidf": "n", "dense-s1": "n"})
        .astype(object),
        seed=runs()["run"].map({"bm25": 1, "ql": 2, "tfidf": 1, "dense-s1": 2}).astype(int),
    )
    seeds = seeds.drop(columns="run").ireval(run=["model", "seed"])
    stacked = pd.concat([runs().assign(site=site) for site in "ab"], ignore_index=True)
    stacked_qrels = pd.concat([qrels().assign(site=site) for site in "ab"], ignore_index=True)
    few = qrels()[qrels()["query_id"].astype(int) % 2 == 1]
    grouped = {
        "by=half": (runs().ireval, qrels(), {"by": "half", "metadata": halves}),
        "by=family": (runs().ireval, qrels(), {"by": "family", "metadata": families}),
        "by=family,half": (
            runs().ireval,
            qrels(),
            {"by": ["family", "half"], "metadata": [families, halves]},
        ),
        "by=site": (stacked.ireval, stacked_qrels, {"by": "site"}),
        "replicate=seed": (seeds, qrels(), {"replicate": "seed"}),
        "replicate=seed,by=half": (
            seeds,
            qrels(),
            {"replicate": "seed", "by": "half", "metadata": halves},
        ),
        "machine=": (runs().ireval, few, {"machine": qrels(), "queries": "judged"}),
        "machine=,by=half": (
            runs().ireval,
            few,
            {"machine": qrels(), "queries": "judged", "by": "half", "metadata": halves},
        ),
    }
    for title, (accessor, judgments, shared) in grouped.items():
        for name, verb in of_kind("runs").items():
            parameters = list(signature_of(verb, "runs").parameters.values())[1:]
            if name.startswith("plot") or not all(
                option in {p.name for p in parameters} for option in shared
            ):
                continue
            options = {**_needed(parameters), **shared}
            if "qrels" in options:
                options["qrels"] = judgments
            path = name.split(".")
            yield (
                f"runs.{name}({title})",
                lambda a=accessor, n=path, o=options: reduce(getattr, n, a)(**o),
            )
            if "judged" in verb.on and "machine" not in shared:
                rest = {key: value for key, value in options.items() if key != "qrels"}

                def on_join(a=accessor, q=judgments, n=path, o=rest) -> object:
                    return reduce(getattr, n, a.join(q))(**o)

                if "site" not in title:
                    yield f"judged.{name}({title})", on_join


def measure_cases() -> Iterator[Case]:
    """Yield every measure and preference of the catalog, under several rules of the join."""
    rules: dict[str, dict[str, object]] = {
        "": {},
        "judged": {"queries": "judged"},
        "common": {"queries": "common"},
        "answered": {"queries": "answered"},
        "level 2": {"level": 2},
        "expected": {"ties": "expected"},
        "first": {"ties": "first"},
        "depth": {"depth": 5},
        "judged only": {"judged_only": True},
        "trec_eval-9": {"compat": "trec_eval-9"},
    }
    catalog = pdeval.catalog()
    for name, kind in zip(catalog["name"], catalog["kind"]):
        for title, rule in rules.items():
            for label in (name, f"{name}@5"):
                if "preference" in str(kind):
                    yield (
                        f"prefer {label} {title}",
                        lambda m=label, r=rule: runs().ireval.prefer(qrels(), m, **r),
                    )
                else:
                    yield (
                        f"measure {label} {title}",
                        lambda m=label, r=rule: runs().ireval.measure(qrels(), m, **r),
                    )


def dask_cases() -> Iterator[Case]:
    """Yield every verb of runs on Dask."""
    import dask.dataframe as dd

    import pdeval.dask.accessor  # noqa: F401

    frame = runs().astype({"run": str}).sort_values(["query_id", "run"], kind="stable")
    frame = frame.set_index("query_id", drop=False).rename_axis("index")
    lazy = dd.from_pandas(frame, npartitions=2, sort=True)
    for name, verb in of_kind("runs").items():
        parameters = list(signature_of(verb, "runs").parameters.values())[1:]
        if name.startswith("plot"):
            continue
        needed, path = _needed(parameters), name.split(".")
        yield f"dask.{name}()", lambda n=path, o=needed: reduce(getattr, n, lazy.ireval)(**o)


COMMANDS = [
    "evaluate QRELS RUN",
    "evaluate QRELS RUN -m AP -m nDCG@10 --per-query",
    "evaluate QRELS RUN --trec-eval",
    "evaluate QRELS RUN --trec-eval -q -m all_trec",
    "compare QRELS RUN RUN2",
    "compare QRELS RUN RUN2 -m RPP --test hsd",
    "prefer QRELS RUN RUN2 -m RPP",
    "order QRELS RUN RUN2",
    "check QRELS RUN RUN2",
    "describe QRELS RUN",
    "leaderboard QRELS RUN RUN2",
    "report QRELS RUN RUN2",
    "report QRELS RUN RUN2 --format markdown",
    "ties QRELS RUN RUN2",
    "explain QRELS RUN RUN2 --query 101",
    "catalog",
    "demo",
    "nonsense",
    "evaluate",
    "evaluate QRELS missing.run",
]


def command_cases() -> Iterator[Case]:
    """Yield commands of the command line, with what they print and their exit code."""
    from pdeval.__main__ import program

    folder = Path(tempfile.mkdtemp())
    for name, file in (("bm25", "run.txt"), ("ql", "run2.txt")):
        pdeval.write_run(runs()[runs()["run"] == name], folder / file)
    pdeval.write_qrels(qrels(), folder / "qrels.txt")

    def printed(command: str) -> object:
        words = {"QRELS": "qrels.txt", "RUN": "run.txt", "RUN2": "run2.txt"}
        arguments = [words.get(word, word) for word in command.split()]
        out, err = io.StringIO(), io.StringIO()
        before = sys.argv
        sys.argv = ["pdeval", *arguments]
        try:
            with (
                contextlib.chdir(folder),
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(err),
            ):
                try:
                    code = program()
                except SystemExit as stop:
                    code = stop.code
        finally:
            sys.argv = before
        return {"code": code, "out": out.getvalue(), "err": err.getvalue()}

    for command in COMMANDS:
        yield f"$ pdeval {command}", lambda c=command: printed(c)


def record(cases: Iterator[Case]) -> dict[str, object]:
    """Return the digest of every answer by the name of its call."""
    records: dict[str, object] = {}
    for title, call in cases:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with contextlib.redirect_stderr(io.StringIO()):
                    records[title] = digest(call())
        except Exception as error:
            records[title] = {"error": type(error).__name__, "text": str(error)}
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
    return records


def renamed(records: dict[str, object], names: dict[str, dict[str, str]]) -> dict[str, object]:
    """Return records under former names."""

    def title_of(title: str) -> str:
        head, bracket, rest = title.partition("(")
        option, equals, value = rest.partition("=")
        head = names.get("verbs", {}).get(head, head)
        return head + bracket + names.get("options", {}).get(option, option) + equals + value

    def columns_of(record: object) -> object:
        if isinstance(record, dict) and "columns" in record:
            columns = {
                names.get("columns", {}).get(name, name): value
                for name, value in record["columns"].items()
            }
            return {**record, "columns": columns}
        return record

    return {title_of(title): columns_of(one) for title, one in records.items()}


def main() -> int:
    """Write or compare a recording."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.recording", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--write", type=Path)
    parser.add_argument("--compare", type=Path)
    parser.add_argument("--renames", type=Path)
    parser.add_argument("--only", default="", help="calls whose name contains this")
    parser.add_argument(
        "--cases", default="", help="kinds of calls, e.g. suited_cases number_cases"
    )
    options = parser.parse_args()
    import matplotlib

    matplotlib.use("agg")
    quiet(tables)
    records: dict[str, object] = {}
    for cases in (
        verb_cases,
        number_cases,
        suited_cases,
        shared_option_cases,
        measure_cases,
        dask_cases,
        command_cases,
    ):
        if options.cases and cases.__name__ not in options.cases:
            continue
        records |= record(case for case in cases() if options.only in case[0])
        print(f"{cases.__name__}: {len(records)} answers so far", flush=True)
    if options.write:
        options.write.write_text(json.dumps(records, indent=0, sort_keys=True))
    if not options.compare:
        return 0
    names = json.loads(options.renames.read_text()) if options.renames else {}
    now, before = (
        json.loads(json.dumps(renamed(records, names))),
        json.loads(options.compare.read_text()),
    )
    before = {title: one for title, one in before.items() if options.only in title}
    both = sorted(now.keys() & before.keys())
    different = [title for title in both if now[title] != before[title]]
    for title in different:
        print(
            f"{title}\n   before {json.dumps(before[title])[:400]}\n   now    {json.dumps(now[title])[:400]}"
        )
    errors = sum(isinstance(before[title], dict) and "error" in before[title] for title in both)
    print(
        f"{len(both)} answers compared ({errors} of them errors), {len(different)} differ; "
        f"{len(now.keys() - before.keys())} only now, {len(before.keys() - now.keys())} only before"
    )
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
