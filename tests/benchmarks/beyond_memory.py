"""All verbs on rows beyond a worker's memory: `python -m tests.benchmarks.beyond_memory [--gib 4] [--limit 1]`.

Writes a run table of some GiB as parquet, by query; evaluates it on one Dask worker of less memory, verb after verb;
prints the seconds of each, what was gathered, and the most memory that the worker took. Verbs that read the rows
themselves have to gather them: they are asked of a few queries, as their error advises.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pdeval
from tests import verb_calls

QUERIES, RUNS, DEPTH = 10, 12, 1000
NAMES = sorted(
    pdeval.datasets.sample_runs()["run"].astype(str).unique()
)  # about which the tests have metadata
DOCUMENT = "https://www.example.org/" + "a-rather-long-address/" * 12 + "{:05d}.html"


def part(at: int) -> pd.DataFrame:
    """Return ten queries of twelve runs, a thousand items each, with long ids."""
    random = np.random.default_rng(at)
    run, query, rank = np.indices((RUNS, QUERIES, DEPTH)).reshape(3, -1)
    first = random.integers(0, 900, (RUNS, QUERIES))[run, query]
    topic = 100 + query + QUERIES * at
    doc = pd.Series((first + 7 * rank) % 9973).map(DOCUMENT.format)
    frame = {
        "run": np.array(NAMES)[run],
        "query_id": topic.astype(str),
        "doc_id": doc,
        "score": -rank.astype(float),
    }
    return pd.DataFrame(frame)


def judgments(parts: int) -> pd.DataFrame:
    """Return twenty judged items per query."""
    query = np.repeat(np.arange(100, 100 + QUERIES * parts).astype(str), 20)
    doc = np.tile([DOCUMENT.format(at) for at in range(0, 9973, 500)], QUERIES * parts)
    return pd.DataFrame({"query_id": query, "doc_id": doc, "relevance": np.arange(len(doc)) % 3})


def peak(dask_worker: Any) -> int:
    """Return the most memory that a worker process ever took, in MiB; called on the worker."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def asked_of(verb: str, joined: Any) -> dict[str, Any]:
    """Return what a verb is asked: as in the tests, but for what draws at random many times."""
    given = dict(verb_calls.arguments(verb, joined))
    if "metadata" in given and given.get("by") == "half":
        ids = joined.queries.astype(str)
        given["metadata"] = pd.DataFrame({"query_id": ids, "half": ids.astype(int) % 2})
    names = {parameter.name for parameter in verb_calls.VERBS_OF_A_JOIN[verb].parameters}
    return {
        **given,
        **({"draws": 20} if "draws" in names else {}),
        **({"progress": False} if "progress" in names else {}),
    }


def main() -> None:
    """Write the rows, and ask every verb."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=float, default=4.0)
    parser.add_argument("--limit", type=float, default=1.0)
    parser.add_argument("--verbs", nargs="*", help="some verbs; by default all of a join")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    import pdeval.dask.accessor  # noqa: F401

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size, count = 0, 0
        while size < given.gib * 2**30:
            frame = part(count)
            size += int(frame.memory_usage(deep=True, index=False).sum())
            frame.to_parquet(folder / f"{count:05d}.parquet")
            count += 1
        qrels = judgments(count)
        print(
            f"{size / 2**30:.2f} GiB on pandas, {count * QUERIES * RUNS * DEPTH:,} rows, {count} files",
            flush=True,
        )
        options = {
            "n_workers": 1,
            "threads_per_worker": 1,
            "memory_limit": int(given.limit * 2**30),
        }
        with (
            LocalCluster(
                **options,
                dashboard_address=":0",
                local_directory=str(folder / "work"),
                silence_logs=30,
            ) as one,
            Client(one) as client,
        ):
            table = dd.read_parquet(str(folder / "*.parquet"))
            begin = time.perf_counter()
            joined = table.ireval.join(qrels, queries="common")
            hits, room = joined.here.expected()
            print(
                f"census {time.perf_counter() - begin:.0f} s; at most {hits:,} hits, {room / 2**20:.0f} MiB",
                flush=True,
            )
            few = dd.read_parquet(str(folder / "00000.parquet")).ireval.join(
                qrels[: 20 * QUERIES], queries="common"
            )
            failed = 0
            for verb, declared in verb_calls.VERBS_OF_A_JOIN.items():
                if given.verbs and verb not in given.verbs:
                    continue
                begin = time.perf_counter()
                try:
                    accessor = joined if "judged" in declared.on else few
                    found = verb_calls.asked(accessor, verb, asked_of(verb, accessor.gathered()))
                    found = len(found) if hasattr(found, "npartitions") else found
                    description = "done" if accessor is joined else "done, of a few queries"
                except Exception as fault:  # the other verbs are still asked
                    failed += 1
                    description = f"{type(fault).__name__}: {str(fault)[:200]}"
                most = max(client.run(peak).values())
                print(
                    f"{verb:28s}{time.perf_counter() - begin:8.1f} s  {most:6,d} MiB  {description}",
                    flush=True,
                )
        print(
            f"{failed} failed; this process took {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10:,} MiB"
        )
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
