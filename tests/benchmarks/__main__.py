"""Ratios against the peers, repeats interleaved: `python -m tests.benchmarks [--quick] [--large] [--sizes]`."""

from __future__ import annotations

import argparse
import platform
import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd

from tests.benchmarks import first_calls, jobs, orderings, per_row, sizes
from tests.benchmarks.data import SHAPES, Shape, make
from tests.benchmarks.memory import peaks


def compared(job: jobs.Job, repeats: int) -> list[dict]:
    """Return the rows of one job: every repeat runs pdeval, then each peer, so that noise falls on all alike."""
    known = {name: work for name, work in job.peers.items() if work is not None}
    first = {name: timed(work) for name, work in {"pdeval": job.ours, **known}.items()}
    spent: dict[str, list[float]] = {name: [] for name in first}
    for _ in range(repeats):
        for name, work in {"pdeval": job.ours, **known}.items():
            spent[name].append(timed(work))
    rows = []
    for peer, work in job.peers.items():
        if work is None:
            rows.append({"job": job.name, "peer": peer, "ratio": np.nan, "note": "not installed"})
            continue
        ratios = np.array(spent[peer]) / np.array(spent["pdeval"])
        rows.append(
            {
                "job": job.name,
                "peer": peer,
                "ratio": min(spent[peer]) / min(spent["pdeval"]),
                "median": float(np.median(ratios)),
                "low": ratios.min(),
                "high": ratios.max(),
                "first call": first[peer] / first["pdeval"],
                "pdeval s": min(spent["pdeval"]),
            }
        )
    return rows


def timed(work, clock=time.perf_counter) -> float:
    """Return the seconds that one call takes."""
    begin = clock()
    work()
    return clock() - begin


def growth(repeats: int) -> pd.DataFrame:
    """Return how the time grows with rows, systems and topics: the exponent of a doubling, 1 being linear."""
    base = Shape(20, 50, 1000, 70)
    rows = []
    for what, larger in {
        "rows (depth)": base._replace(depth=2000, pool=8000),
        "systems": base._replace(runs=40),
        "queries": base._replace(queries=100),
    }.items():
        for verb in ("measure", "prefer RPP"):
            spent = []
            for shape in (base, larger):
                runs, qrels = make(shape)
                joined = jobs.quietly(lambda r=runs, q=qrels: r.ireval.join(q, level=1))()
                work = {
                    "measure": lambda r=runs, q=qrels: r.ireval.measure(q, jobs.MEASURES),
                    "prefer RPP": lambda j=joined: j.prefer("RPP"),
                }[verb]
                work = jobs.quietly(work)
                work()
                spent.append(min(timed(work) for _ in range(repeats)))
            rows.append({"doubled": what, "verb": verb, "exponent": np.log2(spent[1] / spent[0])})
    return pd.DataFrame(rows)


def in_house(repeats: int, large: bool) -> pd.DataFrame:
    """Return what order, checks and accounting cost, in CPU time, as a share of `measure` of the same sorted rows."""
    rows = []
    for name in ["small", "small, ids of many widths"] + (["recommender"] if large else []):
        works = jobs.costs(*_tables(name))
        spent = {
            what: min(timed(work, time.process_time) for _ in range(repeats))
            for what, work in works.items()
        }
        base, alone = spent.pop("measure"), spent.pop("measure, validate=False")
        rows += [
            {"shape": name, "what": what, "to": "measure", "ratio": cpu / base}
            for what, cpu in spent.items()
        ]
        rows.append(
            {
                "shape": name,
                "what": "measure",
                "to": "measure, validate=False",
                "ratio": base / alone,
            }
        )
    return pd.DataFrame(rows)


def _tables(name: str) -> list[pd.DataFrame]:
    shape, _, other = name.partition(", ")
    tables = make(SHAPES[shape])
    if not other:
        return list(tables)
    return [
        table.assign(doc_id=table["doc_id"].str.replace(r"-0*", "-", regex=True))
        for table in tables
    ]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two repeats, small shapes")
    parser.add_argument(
        "--large", action="store_true", help="also 27 million rows and the recommender shape"
    )
    parser.add_argument("--sizes", action="store_true", help="only the cost per row by size")
    parser.add_argument("--largest", type=int, default=100, help="million rows of --sizes")
    parser.add_argument("--peers", help="for --sizes, a Python with ranx and RecTools")
    given = parser.parse_args()
    if given.sizes:
        sizes.show(given.largest, given.peers)
        return
    repeats = 2 if given.quick else 6
    rows = []
    for name in ("one run", "small"):
        runs, qrels = make(SHAPES[name])
        for job in jobs.measuring(name, runs, qrels, slow_peers=True):
            rows += compared(job, repeats)
        if name == "small":
            rows += compared(jobs.preferring(name, runs, qrels), 2)
            rows += compared(
                jobs.randomising(name, runs, qrels, 1_000 if given.quick else 10_000), 2
            )
            with jobs.temporary() as folder:
                rows += compared(jobs.from_files(name, runs, qrels, Path(folder)), repeats)
        rows += compared(jobs.through_adapter(name, runs, qrels), repeats)
    if given.large:
        for name in ("recommender", "medium"):
            runs, qrels = make(SHAPES[name])
            for job in jobs.measuring(name, runs, qrels, slow_peers=False):
                rows += compared(job, 2)
            del runs
    table = pd.DataFrame(rows)
    print(
        f"\n{platform.machine()}, Python {platform.python_version()}, pandas {pd.__version__}, numpy {np.__version__}"
    )
    print(table.to_string(index=False, float_format=lambda value: f"{value:.2f}", na_rep=""))
    orderings.show(given.quick)
    first_calls.show(2 if given.quick else 5)
    print("\nGrowth of time when one side doubles (1 = linear, 2 = quadratic)")
    print(
        growth(2 if given.quick else 4).to_string(
            index=False, float_format=lambda value: f"{value:.2f}"
        )
    )
    print(
        "\nWhat a row costs as tables grow (CPU ms for a million rows; the last column at most 1.2)"
    )
    print(per_row.table(not given.large).to_string(float_format=lambda value: f"{value:.2f}"))
    print("\nWhat the order of rows, the duplicate check and the accounting cost (CPU time)")
    print(
        in_house(repeats, given.large).to_string(
            index=False, float_format=lambda value: f"{value:.2f}"
        )
    )
    print("\nPeak memory of one evaluation beyond its input, duplicate check on")
    shapes = ["small"] + (["recommender", "medium"] if given.large else [])
    print(peaks(shapes).to_string(index=False, float_format=lambda value: f"{value:.2f}"))
    print(
        f"(this process peaked at {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB)"
    )


if __name__ == "__main__":
    main()
