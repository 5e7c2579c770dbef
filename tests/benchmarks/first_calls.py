"""First calls, each in a process of its own: the command line beside `import pandas`, and the first `summary()`.

`python -m tests.benchmarks.first_calls` prints processor time, and of notebooks the time on the clock: the least of
some repeats. If the C program `trec_eval` is on the PATH, a hundred files in one call are measured on the clock beside
a hundred calls of it.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd

from tests.benchmarks import jobs
from tests.benchmarks.data import SHAPES, Shape, make

# cells of a notebook: its kernel sets `sys.ps1`, and nobody types the next cell within a second
SUMMARY = """
import sys, time
sys.ps1 = "In : "
import pandas as pd
begin = time.perf_counter()
import pdeval
imported = time.perf_counter() - begin
scores = pd.read_pickle(sys.argv[1])
time.sleep(1)
begin = time.perf_counter()
scores.ireval.summary()
first = time.perf_counter() - begin
begin = time.perf_counter()
scores.ireval.summary()
print(first, time.perf_counter() - begin, imported)
"""


def ran(cache: Path, *words: str) -> str:
    """Return what a Python process prints, whose modules are compiled already as after an installation."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    told = {**known, "PYTHONPYCACHEPREFIX": str(cache)}
    return subprocess.run(
        [sys.executable, *words], check=True, capture_output=True, text=True, env=told
    ).stdout


def spent(cache: Path, *words: str) -> float:
    """Return the processor seconds of a Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran(cache, *words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_calls(repeats: int = 5) -> pd.DataFrame:
    """Return the seconds of each first call and of what it is held against."""
    import pdeval

    runs, qrels = make(SHAPES["one run"])
    with jobs.temporary() as folder:
        run, judged, scores, cache = (
            Path(folder) / name for name in ("run.txt", "qrels.txt", "scores.pkl", "compiled")
        )
        pdeval.write_run(runs, run)
        pdeval.write_qrels(qrels, judged)
        runs.ireval.measure(qrels).to_pickle(scores)
        command = ("-m", "pdeval", "evaluate", str(judged), str(run), "--trec-eval")
        loaded = ("-c", "import pandas")
        summary = ("-c", SUMMARY, str(scores))
        for words in (command, summary):
            ran(cache, *words)  # compiles
        turns = [
            (spent(cache, *command), spent(cache, *loaded)) for _ in range(repeats)
        ]  # in turn: both see the same
        ours, theirs = (min(one) for one in zip(*turns))
        told = [[float(word) for word in ran(cache, *summary).split()] for _ in range(repeats)]
    first, second, imported = (min(one[k] for one in told) for k in range(3))
    rows = [
        ("command line, one file of 50,000 rows", "1.5 times", ours, "import pandas", theirs),
        ("first summary() in a notebook, on the clock", "0.05 s", first, "the second", second),
        ("import pdeval in a notebook, on the clock", "0.3 s", imported, "import pandas", theirs),
    ]
    return pd.DataFrame(rows, columns=["job", "bar", "pdeval s", "other", "other s"])


def many_files(program: str, repeats: int) -> pd.DataFrame:
    """Return the seconds on the clock of a hundred run files in one call, and of a call of trec_eval for each."""
    import pdeval

    runs, qrels = make(Shape(100, 50, 1000, 70))
    with jobs.temporary() as folder:
        judged, output, cache = (Path(folder) / name for name in ("qrels", "out.csv", "compiled"))
        pdeval.write_qrels(qrels, judged)
        for name, part in runs.groupby("run"):
            pdeval.write_run(part, Path(folder) / f"{name}.run")
        files = [str(path) for path in sorted(Path(folder).glob("*.run"))]
        command = ["-m", "pdeval", "evaluate", str(judged), *files]

        def one_by_one() -> None:
            for path in files:
                subprocess.run([program, judged, path], check=True, capture_output=True)

        works = {
            "--trec-eval": lambda: ran(cache, *command, "--trec-eval"),
            "CSV": lambda: ran(cache, *command, "-o", str(output)),
            "trec_eval": one_by_one,
        }
        spent: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(repeats + 1):  # the first call compiles
            for name, work in works.items():
                begin = time.perf_counter()
                work()
                spent[name].append(time.perf_counter() - begin)
    best = {name: min(times) for name, times in spent.items()}
    rows = [
        (f"100 files, {name}, on the clock", "1.0 times", best[name], program, best["trec_eval"])
        for name in ("--trec-eval", "CSV")
    ]
    return pd.DataFrame(rows, columns=["job", "bar", "pdeval s", "other", "other s"])


def show(repeats: int = 5) -> None:
    """Print the table."""
    found = first_calls(repeats)
    if program := shutil.which("trec_eval"):
        found = pd.concat([found, many_files(program, repeats)])
    found["times the other"] = found["pdeval s"] / found["other s"]
    print("\nFirst calls, seconds")
    print(found.to_string(index=False, float_format=lambda value: f"{value:.3f}"))


if __name__ == "__main__":
    show()
