"""What `by=` costs: `python -m tests.benchmarks.grouped [--quick] [--only NAME ...]` prints ratios of processor time.

Segments: every verb of a join with by=, called on a run table of users in 500 segments, against the same call without
groups.
Tables: the verbs with by= on tables of scores and of preferences, in the same segments.
Large: a table of scores of 200,000 users in 500 segments.
Stacked: run tables of 500 collections whose query ids repeat, against the same rows with ids of their own.
Collections: each verb with by="collection" against the sum of the calls on single collections.
The calls of a row follow each other in one process; the best of two counts, except of calls above five seconds.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial, reduce
from typing import Any

import numpy as np
import pandas as pd

import pdeval
from pdeval.accessor.pipeline import options_of
from pdeval.verbs import of_kind
from tests.benchmarks.data import Shape, make

LONG = 5.0  # seconds; a longer call is not repeated
SLOW = ("awrf", "exposure_shares", "expected_exposure", "hard_queries")
FEW_DRAWS = {"draws": 50}
# what a verb is asked, where it cannot be asked without arguments or would take long; functions are given the items
ARGUMENTS: dict[str, Any] = {
    "anova.sample_size": {"difference": 0.1},
    **dict.fromkeys(("awrf", "exposure_shares"), lambda items: {"groups": items}),
    **dict.fromkeys(
        ("beyond_accuracy", "beyond_accuracy.compare"),
        lambda items: {"measures": ["Coverage@10"], "items": items[["doc_id"]], **FEW_DRAWS},
    ),
    "compare": {"measures": ["AP"]},
    "disaggregate": {"measures": ["AP"], "baseline": "run000"},
    "discriminative_power": {"measures": ["AP", "RR"], "tests": "t"},
    "discriminative_power.curve": {"measures": ["AP", "RR"], "tests": "t"},
    "equivalence": {"measures": ["AP"], "rope": 0.01},
    "delta_sort": {"new": "nDCG@10"},
    "leaderboard": FEW_DRAWS,
    "order": {"measures": ["AP"]},
    "quantiles": {"measures": ["AP"]},
    "replicates": {"measures": ["AP"], "replicate": "run"},
    "replicates.compare": None,  # needs runs of several columns
    "robustness": {"measures": ["AP"], "to": "queries", "draws": 2, "keep": [0.5]},
    **{
        f"search_lengths.{name}": {"run_a": "run000", "run_b": "run001"}
        for name in ("differences", "rrie", "wins")
    },
    "summary": {"measures": ["AP", "nDCG@10"]},
    "recall_curve": {"n_items": 4000},
    "stopping": {"n_items": 4000},
}


def verbs_of(kind: str) -> list[str]:
    """Return the names of the verbs of a kind of table that accept by=, those that take longest last."""
    names = [
        name
        for name, verb in of_kind(kind).items()
        if "by" in options_of(verb) and (kind != "judged" or "judged" in verb.on)
    ]
    return sorted(names, key=lambda name: name in SLOW)


def called(accessor: Any, name: str, items: pd.DataFrame, **given: Any) -> Callable[[], Any]:
    """Return the call of a verb with the arguments of this table."""
    arguments = ARGUMENTS.get(name, {})
    given = {**(arguments(items) if callable(arguments) else arguments), **given}
    if "qrels" not in given:  # a table has its measures
        given.pop("measures", None)
    return partial(reduce(getattr, name.split("."), accessor), **given)


def timed(call: Callable[[], Any]) -> float:
    """Return the seconds of the processor that one call takes: other work on the machine does not count."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def ratio(name: str, whole: Callable[[], Any], grouped: Callable[[], Any], **more: Any) -> dict:
    """Return the row of a verb: calls without and with groups, one after the other."""
    try:
        spent = [(timed(whole), timed(grouped))]
        if spent[0][1] < LONG:
            spent.append((timed(whole), timed(grouped)))
    except (ValueError, TypeError, KeyError) as error:
        return {**more, "verb": name, "note": f"not measured: {str(error)[:60]}"}
    alone, by = np.min(spent, axis=0)
    return {**more, "verb": name, "alone s": alone, "by s": by, "ratio": by / alone}


def segments(users: int, n: int, only: list[str]) -> Iterator[dict]:
    """Yield the cost of groups of users, of every verb of a join and of tables of scores and preferences."""
    runs, qrels = make(Shape(5, users, 20, 5, 20, 60, 4000))
    ids = pd.Series(qrels["query_id"].unique())
    segment = np.random.default_rng(0).integers(0, n, len(ids))
    about = pd.DataFrame({"query_id": ids, "segment": segment})
    items = pd.concat([runs[["doc_id"]], qrels[["doc_id"]]]).drop_duplicates(ignore_index=True)
    items["group"] = np.where(items.index % 3 == 0, "few", "many")
    judged = runs.ireval.join(qrels)
    tables: dict[str, tuple[Any, dict]] = {
        "judged": (runs.ireval, {"qrels": qrels}),
        "scores": (judged.measure(["AP", "RR"]).ireval, {}),
        "preferences": (judged.prefer(["RPP", "sgnLP"]).ireval, {}),
    }
    for kind, (accessor, given) in tables.items():
        for name in verbs_of(kind):
            if (not only or name in only) and ARGUMENTS.get(name, {}) is not None:
                whole = called(accessor, name, items, **given)
                by = called(accessor, name, items, by="segment", metadata=about, **given)
                yield ratio(name, whole, by, table=kind)


def large_table(users: int, n: int) -> Iterator[dict]:
    """Yield the cost of groups of users of a large table of scores."""
    value = np.random.default_rng(0).random((5, users, 2))
    run, user, measure = (axis.ravel() for axis in np.indices(value.shape))
    names = ["AP", "RR"]
    scores = pd.DataFrame(
        {
            "run": run,
            "query_id": pd.Series(user).astype(str),
            "measure": np.array(names)[measure],
            "value": value.ravel(),
        }
    )
    scores.attrs = pdeval.datasets.sample_judged().measure(names).attrs
    about = pd.DataFrame({"query_id": [str(one) for one in range(users)]})
    about["segment"] = np.random.default_rng(1).integers(0, n, users)
    for name in ("summary", "order"):
        call = getattr(scores.ireval, name)
        by = partial(call, by="segment", metadata=about)
        yield ratio(name, call, by, table="large scores")


def stacked(users: int, n: int, only: list[str]) -> Iterator[dict]:
    """Yield the cost of many small collections with the same query ids, of verbs of run tables."""
    runs, qrels = make(Shape(5, users, 20, 5, 20, 60, 4000))
    place = pd.Series(np.arange(users), index=qrels["query_id"].unique())
    size = users // n
    parts = [
        frame.assign(
            collection=(at := place.loc[frame["query_id"]].to_numpy()) // size, query_id=at % size
        )
        for frame in (runs, qrels)
    ]
    for name in only or ("measure", "summary", "compare", "order", "quantiles", "prefer"):
        whole = called(runs.ireval, name, runs, qrels=qrels)
        by = called(parts[0].ireval, name, runs, qrels=parts[1], by="collection")
        yield ratio(name, whole, by, table="stacked runs")


def many_segments(users: int, n: int) -> Iterator[dict]:
    """Yield the cost of very many segments of recommendation users."""
    runs, qrels = make(Shape(2, users, 10, 3, 10, 30, 4000))
    ids = qrels["query_id"].unique()
    about = pd.DataFrame({"query_id": ids, "segment": np.arange(len(ids)) % n})
    for name in ("summary", "compare", "order", "quantiles"):
        by = called(runs.ireval, name, runs, qrels=qrels, by="segment", metadata=about)
        whole = called(runs.ireval, name, runs, qrels=qrels)
        yield ratio(name, whole, by, table=f"{n:,} segments")


def collections(n: int, runs: int, queries: int, depth: int) -> Iterator[dict]:
    """Yield the cost of by="collection" against a loop by hand, of a report of all, and of a meta-analysis."""
    parts = [make(Shape(runs, queries, depth, 20, 60, 150, 20_000), seed=seed) for seed in range(n)]
    both = [
        pd.concat(
            [part[i].assign(collection=f"c{at:02d}") for at, part in enumerate(parts)],
            ignore_index=True,
        )
        for i in (0, 1)
    ]
    for name in ("measure", "summary", "compare", "order", "prefer", "report"):
        given = {"measures": "RPP"} if name == "prefer" else {"measures": ["AP"]}

        def single(name: str = name, given: dict = given) -> None:
            for one, judgments in parts:
                getattr(one.ireval, name)(judgments, **given)

        by = partial(getattr(both[0].ireval, name), both[1], by="collection", **given)
        yield ratio(name, single, by, table=f"{n} collections")


def meta_analyses(n: int) -> Iterator[dict]:
    """Yield the cost of a meta-analysis of scores of n collections, against `compare` of all queries."""
    value = np.random.default_rng(0).random((n, 20, 5))
    collection, query, run = (axis.ravel() for axis in np.indices(value.shape))
    scores = pd.DataFrame(
        {
            "collection": collection,
            "run": run,
            "query_id": query,
            "measure": "AP",
            "value": value.ravel(),
        }
    )
    whole = scores.assign(query_id=collection * 100 + query).drop(columns="collection")
    by = partial(scores.ireval.meta_analysis, by="collection", baseline=0)
    yield ratio("meta_analysis", whole.ireval.compare, by, table=f"{n} collections")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller tables")
    parser.add_argument("--only", nargs="*", default=[], help="verbs; by default all")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    size = (2_000, 50) if given.quick else (20_000, 500)
    works = [segments(*size, given.only), stacked(*size, given.only)]
    if not given.only:
        works += [large_table(*((20_000, 50) if given.quick else (200_000, 500)))]
        works += [many_segments(*((4_000, 1_000) if given.quick else (40_000, 10_000)))]
        works += [collections(*((4, 10, 20, 40) if given.quick else (50, 10, 50, 50)))]
        works += [meta_analyses(50 if given.quick else 500)]
    print(f"pandas {pd.__version__}, numpy {np.__version__}, pdeval {pdeval.__version__}")
    print(f"{'table':14} {'verb':28} {'alone s':>8} {'by s':>8} {'ratio':>6}")
    for work in works:
        for row in work:
            times = (
                f"{row['alone s']:8.3f} {row['by s']:8.3f} {row['ratio']:6.1f}"
                if "ratio" in row
                else row["note"]
            )
            print(f"{row['table']:14} {row['verb']:28} {times}", flush=True)


if __name__ == "__main__":
    main()
