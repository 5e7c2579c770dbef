"""The public functions of pdeval's modules and what each cannot be called without: the walk beyond the verbs.

What declares (`pdeval.metric`, `pdeval.table`, ...) is left out: it would change what the other steps find.
"""

import functools
import inspect
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd

import pdeval
from pdeval import datasets, plots, studies
from pdeval.tables.recognition import kind_of
from pdeval.verbs import VERBS
from tests.walk_tables import FEW, judged, qrels, runs, tables

DECLARE = (
    "behavior_measure",
    "click_model",
    "coefficient",
    "metric",
    "ordering",
    "preference",
    "report_format",
)
DECLARE += ("table", "test", "user_model", "verb", "vocabulary")


@functools.cache
def folder() -> Path:
    """A folder with files to read, and in which files may be written."""
    place = Path(tempfile.mkdtemp(prefix="pdeval-walk-"))
    (place / "a.run").write_text("1 Q0 d 1 1.0 a\n", encoding="utf-8")
    (place / "qrels.txt").write_text("1 0 d 1\n", encoding="utf-8")
    (place / "a.eval").write_text("map\t1\t0.5\nmap\tall\t0.5\n", encoding="utf-8")
    return place


def _one_run() -> pd.DataFrame:
    return runs()[runs()["run"] == "bm25"]


# what a function cannot be called without, by its name or that of its parameter
NEEDED: dict[str, Callable[[], object]] = {
    "read_run.path": lambda: folder() / "a.run",
    "read_runs.paths": lambda: folder() / "a.run",
    "read_qrels.path": lambda: folder() / "qrels.txt",
    "read_scores.paths": lambda: folder() / "a.eval",
    "read_collections.collections": lambda: {"one": (folder() / "a.run", folder() / "qrels.txt")},
    "frame.table": runs,
    "from_dict.table": lambda: {"1": {"d": 1}},
    "scores.table": lambda: pd.DataFrame(
        {"run": ["a", "b"], "query_id": ["1", "1"], "AP": [0.1, 0.2]}
    ),
    "votes.log": lambda: pd.DataFrame(
        {"run_a": ["a", "b"], "run_b": ["b", "c"], "winner": ["a", "tie"]}
    ),
    "join_parts.parts": lambda: [runs()],
    "spread_over_collections.frame": lambda: judged().delta_sort("ASL").assign(collection="one"),
    "tie_probability.n": lambda: 4,
    "value_growth.n": lambda: 9,
    "qrels": qrels,
    "write_run.runs": _one_run,
    "write_runs.runs": runs,
    "write_qrels.qrels": qrels,
    "path": lambda: folder() / "out.txt",
    "folder": lambda: folder() / "out",
    "parse.text": lambda: "AP",
    "judged": judged,
    "best_systems.collections": lambda: {"all": judged(), "strict": judged().at(level=2)},
    "headroom_of.collections": lambda: {"all": judged(), "strict": judged().at(level=2)},
}
PARSED = {
    "k": "P",
    "p": "RBP",
    "label": "AP",
    "weight": "RPP",
    "gain": "nDCG",
    "max_grade": "gRBP",
    "nothing": "AP",
}


def functions() -> dict[str, Callable[..., object]]:
    """Return the public functions that are walked, by their full name."""
    public = {name: getattr(pdeval, name) for name in pdeval.__all__ if name not in DECLARE}
    found = {f"pdeval.{name}": one for name, one in public.items() if inspect.isfunction(one)}
    for module in (datasets, studies, plots):
        short = module.__name__.rpartition(".")[2]
        public = {name: getattr(module, name) for name in module.__all__}
        found |= {f"{short}.{name}": one for name, one in public.items() if inspect.isfunction(one)}
    return found


def calls() -> Iterator[tuple[str, str, Callable[[object], object], object]]:
    """Yield every parameter of every function: names of both, what takes its value, and the function."""
    for name, function in functions().items():
        short = name.rpartition(".")[2]
        parameters = [
            p
            for p in inspect.signature(function).parameters.values()
            if p.kind is not p.VAR_KEYWORD
        ]
        needed = {p.name: _needed(name, short, p.name) for p in parameters if p.default is p.empty}
        few = {**FEW, "pairs": 200} if name.startswith("studies.") else FEW
        needed |= {p.name: few[p.name] for p in parameters if p.name in few}
        for parameter in parameters:
            yield (
                name,
                parameter.name,
                functools.partial(_call, name, function, needed, parameter.name),
                function,
            )
    for option, measure in PARSED.items():
        yield (
            f"pdeval.parse {measure}",
            option,
            functools.partial(_parse, measure, option),
            (pdeval.parse, measure),
        )


def _parse(measure: str, option: str, value: object) -> object:
    return pdeval.parse(measure, **{option: value})


def _needed(name: str, short: str, parameter: str) -> object:
    if name.startswith("plots.") and parameter == "frame":
        return next(
            (
                table
                for kind, table in tables().items()
                if f"plot.{short}" in VERBS.get(kind, {}) and kind_of(table)
            ),
            tables().get(short),
        )
    made = NEEDED.get(f"{short}.{parameter}") or NEEDED.get(parameter)
    return made() if made is not None else 3


def _call(
    name: str,
    function: Callable[..., object],
    needed: dict[str, object],
    option: str,
    value: object,
) -> object:
    if name.startswith("plots.") and option != "ax":
        from matplotlib.figure import Figure

        needed = {**needed, "ax": Figure().subplots()}
    here = Path.cwd()
    os.chdir(folder())  # a text may be the name of a file
    try:
        return function(**{**needed, option: value})
    finally:
        os.chdir(here)
