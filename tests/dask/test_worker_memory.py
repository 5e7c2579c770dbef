"""Partitions and the memory of workers: how large one may be, and what is said where one is too large."""

import numpy as np
import pytest

from pdeval.dask import shuffle as worker_memory
from pdeval.dask.shuffle import wanted_parts
from tests.dask.bits import divided

dask = pytest.importorskip("dask")
pytestmark = pytest.mark.extras

MIB = 1 << 20


@pytest.fixture
def workers(monkeypatch):
    """Pretend workers of 512 MiB and one thread."""
    monkeypatch.setattr(worker_memory, "memory", lambda: (512 * MIB, 1))


def test_workers_of_half_a_gigabyte_have_room_for_250_thousand_rows_and_not_for_500():
    assert 200_000 < worker_memory.most_rows(worker_memory.MOVED, (512 * MIB, 1)) < 300_000
    assert worker_memory.most_rows(worker_memory.MOVED, (1024 * MIB, 1)) > 500_000


def test_threads_of_a_worker_share_its_memory():
    one, four = (
        worker_memory.most_rows(worker_memory.MOVED, (4096 * MIB, threads)) for threads in (1, 4)
    )
    assert one // 4 == four


def test_a_worker_with_less_memory_than_the_libraries_take_has_room_for_a_row():
    assert worker_memory.most_rows(worker_memory.MOVED, (128 * MIB, 1)) == 1


def test_without_a_cluster_there_is_no_bound():
    assert worker_memory.memory() is None
    worker_memory.check_partitions(np.array([10**9]), worker_memory.MOVED)


def test_rows_are_shuffled_into_partitions_that_fit(workers):
    parts = wanted_parts(4_000_000, 8)
    assert (
        4_000_000 / parts
        <= worker_memory.most_rows(worker_memory.MOVED, worker_memory.memory())
        < 4_000_000 / 8
    )
    assert wanted_parts(1000, 8) == 8


def test_a_partition_that_is_too_large_is_named_with_the_size_that_fits(workers):
    with pytest.raises(ValueError, match="partition 1 of the run table has 500,000 rows") as fault:
        worker_memory.check_partitions(np.array([400_000, 500_000, 20]), worker_memory.MOVED)
    assert "a worker of 512 MiB with 1 thread has memory for about 247,786" in str(fault.value)
    assert ".repartition(npartitions=6)" in str(fault.value)
    needed = int(str(fault.value).partition("give each worker ")[2].partition(" MiB")[0])
    assert worker_memory.most_rows(worker_memory.MOVED, ((needed + 1) * MIB, 1)) >= 500_000
    worker_memory.check_partitions(np.array([247_786]), worker_memory.MOVED)


def test_the_bound_can_be_set(workers):
    with dask.config.set({worker_memory.OPTION: 500_000}):
        worker_memory.check_partitions(np.array([500_000]), worker_memory.MOVED)
        with pytest.raises(ValueError, match="has memory for about 500,000"):
            worker_memory.check_partitions(np.array([500_001]), worker_memory.MOVED)


@pytest.mark.broad
@pytest.mark.parametrize("rows", ["by query", "by run", "mixed"])
def test_every_way_to_divide_a_table_looks_at_its_partitions_first(some, qrels, rows):
    judged = divided(some, 3, rows).ireval.join(qrels, queries="common")
    with (
        dask.config.set({worker_memory.OPTION: 100}),
        pytest.raises(ValueError, match="has memory for about 100"),
    ):
        judged.prefer("RPP", baseline="bm25")
    with (
        dask.config.set({worker_memory.OPTION: 100}),
        pytest.raises(ValueError, match="has memory for about 100"),
    ):
        judged.measure("AP")


@pytest.mark.broad
def test_on_a_cluster_arrow_gives_memory_back_before_rows_are_shuffled(some, qrels, monkeypatch):
    told = []

    class Cluster:
        def register_plugin(self, plugin):
            told.append(plugin)

    monkeypatch.setattr(worker_memory, "_client", Cluster)
    worker_memory.return_freed_memory()
    pa = pytest.importorskip("pyarrow")
    before = pa.default_memory_pool().backend_name
    try:
        told[0].setup(None)
        assert pa.default_memory_pool().backend_name == "system"
    finally:
        pa.set_memory_pool(
            {"jemalloc": pa.jemalloc_memory_pool, "mimalloc": pa.mimalloc_memory_pool}.get(
                before, pa.system_memory_pool
            )()
        )
    monkeypatch.undo()
    seen = []
    monkeypatch.setattr(worker_memory, "return_freed_memory", lambda: seen.append("shuffle"))
    divided(some, 3, "mixed").ireval.join(qrels, queries="common").prefer("RPP", baseline="bm25")
    assert seen == ["shuffle"]
    divided(some, 1).ireval.join(qrels, queries="common").prefer(
        "RPP", baseline="bm25"
    )  # nothing moves
    assert seen == ["shuffle"]


def test_a_cluster_bounds_nothing_where_another_scheduler_is_asked_for(monkeypatch):
    distributed = pytest.importorskip("distributed")

    class Cluster:
        def scheduler_info(self):
            return {
                "workers": {
                    "a": {"memory_limit": 4 * MIB, "nthreads": 2},
                    "b": {"memory_limit": 0, "nthreads": 1},
                }
            }

    monkeypatch.setattr(distributed, "default_client", Cluster)
    for name in ("synchronous", "threads"):
        with dask.config.set(scheduler=name):
            assert worker_memory.memory() is None
    for name in (None, "distributed", "dask.distributed"):
        with dask.config.set(scheduler=name):
            assert worker_memory.memory() == (4 * MIB, 2)
