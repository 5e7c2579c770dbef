"""A real cluster of two worker processes: the same numbers, also when a worker dies, and beyond its memory."""

import os
import signal
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests import verb_calls
from tests.dask.bits import PREFERENCES, SCORES, gathered, quiet, same_bits

pytest.importorskip("dask")
pytest.importorskip("distributed")
pytestmark = [pytest.mark.extras, pytest.mark.slow]

import pdeval.dask.accessor  # noqa: E402
from pdeval.dask.lazy_verbs import LAZY  # noqa: E402


@contextmanager
def cluster(folder, **options):
    """Two worker processes of one thread each, their files under a folder, and this process as their client."""
    import dask
    from distributed import Client, LocalCluster

    options = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "processes": True,
        "dashboard_address": ":0",
        **options,
    }
    settings = {"scheduler": None}  # the client's; the fixture of these tests asks for one thread
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(400)
    try:
        with (
            dask.config.set(settings),
            LocalCluster(**options, local_directory=str(folder), silence_logs=50) as workers,
            Client(workers) as client,
        ):
            yield client
    finally:
        signal.alarm(0)


def _too_long(*_):
    raise TimeoutError("the cluster did not finish in 400 seconds")


def parts_of(frame, folder, by):
    """Write a frame as one file per value of a column; return how many there are."""
    values = frame.groupby(frame[by].astype(str), sort=True)
    for at, (_, part) in enumerate(values):
        part.reset_index(drop=True).to_parquet(Path(folder) / f"{at}.parquet")
    return at + 1


def read_part(at, folder, deadly=None, time=2):
    """Read a part; the worker that reads part `deadly` for the second time is killed, once, while it does so."""
    if at == deadly:
        read = Path(folder) / "reads"
        with read.open("a") as file:
            file.write(".")
        if read.stat().st_size == time:
            os.kill(os.getpid(), signal.SIGKILL)
    return pd.read_parquet(Path(folder) / f"{at}.parquet")


def table_of(folder, count, meta, deadly=None):
    import dask.dataframe as dd

    return dd.from_map(read_part, range(count), folder=str(folder), deadly=deadly, meta=meta)


def test_two_processes_give_the_numbers_of_one(some, qrels, tmp_path):
    count = parts_of(some, tmp_path, "run")
    with cluster(tmp_path / "work") as client:
        assert len(set(client.run(os.getpid).values()) - {os.getpid()}) == 2
        table = table_of(tmp_path, count, some.iloc[:0])
        measures = ["AP", "nDCG@10", "ERR", "ASL", "alpha-nDCG@10"]
        same_bits(
            quiet(some.ireval.measure, qrels, measures),
            gathered(quiet(table.ireval.measure, qrels, measures), SCORES),
        )
        same_bits(
            quiet(some.ireval.measure, qrels, ["AP", "RR"]),
            gathered(quiet(table.ireval.measure, qrels, ["AP", "RR"]), SCORES),
        )
        prefs = quiet(table.ireval.prefer, qrels, ["RPP", "rrLP"])
        same_bits(quiet(some.ireval.prefer, qrels, ["RPP", "rrLP"]), gathered(prefs, PREFERENCES))
        same_bits(quiet(some.ireval.curve, qrels), quiet(table.ireval.curve, qrels))
        same_bits(quiet(some.ireval.summary, qrels, "AP"), quiet(table.ireval.summary, qrels, "AP"))


def test_two_processes_order_and_compare_as_one(some, qrels, tmp_path):
    count = parts_of(some, tmp_path, "run")
    with cluster(tmp_path / "work"):
        table = table_of(tmp_path, count, some.iloc[:0])
        for measures in (["RPP", "rrLP", "AP"], ["AP", "ASL"]):
            same_bits(
                quiet(some.ireval.order, qrels, measures),
                quiet(table.ireval.order, qrels, measures),
            )
        same_bits(
            quiet(some.ireval.compare, qrels, ["RPP", "AP"]),
            quiet(table.ireval.compare, qrels, ["RPP", "AP"]),
        )


@pytest.mark.parametrize("verb", ["measure", "prefer", "order", "summary", "compare"])
def test_a_worker_killed_in_the_middle_of_the_work_changes_nothing(some, qrels, tmp_path, verb):
    count = parts_of(some, tmp_path, "run")
    scored, mixed = verb in ("measure", "summary"), verb in ("order", "compare")
    measures = ["AP", "bpref"] if scored else ["RPP", "rrLP", *(["AP"] if mixed else [])]
    expected = quiet(getattr(some.ireval, verb), qrels, measures)
    with cluster(tmp_path / "work") as client:
        before = set(client.run(os.getpid).values())
        table = table_of(tmp_path, count, some.iloc[:0], deadly=2)
        found = quiet(getattr(table.ireval, verb), qrels, measures)
        if verb in ("measure", "prefer"):
            found = gathered(found, SCORES if verb == "measure" else PREFERENCES)
        client.wait_for_workers(2, timeout=60)
        assert len(before - set(client.run(os.getpid).values())) == 1
    assert (tmp_path / "reads").stat().st_size > 2
    same_bits(expected, found)


@pytest.mark.parametrize("kind", ["judged", "runs"])
def test_every_verb_gives_the_numbers_of_pandas_after_a_worker_was_killed_in_the_middle(
    some, tmp_path, kind
):
    qrels = pdeval.datasets.sample_qrels()
    count = parts_of(some, tmp_path, "run")
    names = [
        name
        for name, verb in verb_calls.VERBS_OF_A_JOIN.items()
        if (kind == "judged") == ("judged" in verb.on)
    ]
    with cluster(tmp_path / "work") as client:
        before = set(client.run(os.getpid).values())
        rows = (
            table_of(tmp_path, count, some.iloc[:0]).compute().reset_index(drop=True)
        )  # with the dtypes of Dask
        on_pandas = rows.ireval.join(qrels, queries="common")
        joined = table_of(tmp_path, count, some.iloc[:0], deadly=2).ireval.join(
            qrels, queries="common"
        )
        _ = (
            joined.positions if kind == "judged" else joined.here.runs
        )  # what every verb of the kind works on
        client.wait_for_workers(2, timeout=60)
        assert len(before - set(client.run(os.getpid).values())) == 1
        for name in names:
            given = verb_calls.arguments(name, on_pandas)
            found = verb_calls.asked(joined, name, given)
            if name in LAZY:
                found = gathered(found, SCORES if "run" in found.columns else PREFERENCES)
            verb_calls.same(verb_calls.asked(on_pandas, name, given), found)


RUNS, QUERIES, DEPTH = 20, 90, 1000
LIMIT = 600 << 20
LONG = "a-rather-long-document-id-" + "x" * 380


def large_part(at):
    """One part of a large collection: three queries of all runs, in long ids, about 25 MB."""
    random = np.random.default_rng(at)
    runs, queries, ranks = np.indices((RUNS, 3, DEPTH)).reshape(3, -1)
    first = random.integers(0, 900, (RUNS, 3))[runs, queries]
    topic = queries + 3 * at
    doc = [f"{LONG}-{q}-{d}" for q, d in zip(topic, (first + 7 * ranks) % 9973)]
    frame = {"run": runs, "query_id": topic, "doc_id": doc, "score": -ranks.astype(float)}
    return pd.DataFrame(frame).astype({"doc_id": "string[pyarrow]"})


def large_qrels():
    doc = [f"{LONG}-{q}-{d}" for q in range(QUERIES) for d in range(0, 9973, 100)]
    query = np.repeat(np.arange(QUERIES), 100)
    return pd.DataFrame({"query_id": query, "doc_id": doc, "relevance": np.arange(len(doc)) % 3})


@pytest.mark.large
def test_a_collection_larger_than_the_memory_of_the_workers_is_evaluated(tmp_path):
    import dask.dataframe as dd

    frames = [large_part(at) for at in range(QUERIES // 3)]
    mixed = pd.concat(frames, ignore_index=True)
    size = mixed.memory_usage(deep=True).sum()
    expected = mixed.ireval.order(large_qrels(), ["RPP", "AP"])
    split = np.array_split(np.random.default_rng(5).permutation(len(mixed)), 50)
    for at, rows in enumerate(split):
        mixed.iloc[rows].to_parquet(tmp_path / f"{at}.parquet")
    del mixed, frames
    with cluster(tmp_path / "work", n_workers=1, memory_limit=LIMIT):
        table = dd.read_parquet(str(tmp_path / "*.parquet"))
        table.ireval.to_parquet(tmp_path / "by query")
        found = dd.read_parquet(tmp_path / "by query").ireval.order(large_qrels(), ["RPP", "AP"])
    assert size > LIMIT
    same_bits(expected, found)


def rows_of_a_run(at):
    """One run's lists of a thousand items on five hundred queries: 500,000 rows."""
    random = np.random.default_rng(at)
    query, rank = np.indices((500, 1000)).reshape(2, -1)
    doc = pd.Series(random.integers(0, 100, 500)[query] * 1000 + rank).map(
        "clueweb09-en0000-{:08d}".format
    )
    frame = {"run": f"run-{at}", "query_id": query, "doc_id": doc, "score": -rank.astype(float)}
    return pd.DataFrame(frame).astype({"run": "string[pyarrow]", "doc_id": "string[pyarrow]"})


def test_workers_of_512_mib_say_that_partitions_of_500_thousand_rows_are_too_large(tmp_path):
    import dask.dataframe as dd

    qrels = pd.DataFrame(
        {"query_id": np.arange(500), "doc_id": "clueweb09-en0000-00000007", "relevance": 1}
    )
    with cluster(tmp_path, memory_limit=512 << 20):
        table = dd.from_map(rows_of_a_run, range(3), meta=rows_of_a_run(0).iloc[:0])
        with pytest.raises(
            ValueError,
            match="partition 0 of the run table has 500,000 rows, but a worker of 512 MiB",
        ):
            table.ireval.prefer(qrels, "RPP", baseline="run-0")


@pytest.mark.large
def test_two_workers_of_512_mib_finish_a_shuffle_of_more_than_they_hold(tmp_path):
    import dask.dataframe as dd

    # with Arrow's own memory pool, which Dask takes for used, such workers were stopped for good
    qrels = pd.DataFrame(
        {"query_id": np.arange(500), "doc_id": "clueweb09-en0000-00000007", "relevance": 1}
    )
    with cluster(tmp_path, memory_limit=512 << 20) as client:
        parts = dd.from_map(half_a_run, range(16), meta=half_a_run(0).iloc[:0])
        found = parts.ireval.order(qrels, "RPP", queries="common")
        pools = client.run(lambda: __import__("pyarrow").default_memory_pool().backend_name)
    assert set(pools.values()) == {"system"}
    assert len(found) == 8


def half_a_run(at):
    rows = rows_of_a_run(at // 2)
    return rows[(rows["query_id"] % 2 == at % 2) & (rows["query_id"] < 480)].reset_index(drop=True)
