"""Chunks of seeded draws, threads that keep their order, p-values with the +1 correction."""

import threading
import time

import numpy as np
import pytest

from pdeval.evaluate.seeds import CHUNK, chunks
from pdeval.significance import hsd
from pdeval.significance.hsd import available_cores, in_threads
from pdeval.significance.max_t import tail


def drawn(number, seed):
    return np.concatenate(
        [np.random.default_rng(child).random(size) for size, child in chunks(number, seed)]
    )


def test_more_draws_begin_with_the_same_draws():
    few, many = drawn(CHUNK + 10, seed=3), drawn(3 * CHUNK, seed=3)
    assert (few == many[: len(few)]).all()


def test_another_seed_gives_other_draws():
    assert not (drawn(10, seed=3) == drawn(10, seed=4)).any()


def test_a_seed_can_be_used_twice():
    root = np.random.SeedSequence(5)
    assert (drawn(100, root) == drawn(100, root)).all()


@pytest.mark.parametrize("number", [0, -1, 2.5, True])
def test_draws_must_be_a_positive_whole_number(number):
    with pytest.raises(ValueError, match=r"draws=.*: expected an integer of at least 1\."):
        chunks(number, 0)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_keep_the_order_of_the_steps(threads):
    assert list(in_threads(lambda n: n * n, range(20), threads=threads)) == [
        n * n for n in range(20)
    ]


@pytest.mark.parametrize(
    ("threads", "steps", "elsewhere"), [(1, 3, False), (2, 1, False), (2, 3, True), (5, 2, True)]
)
def test_threads_are_begun_only_where_there_is_work_for_two(threads, steps, elsewhere):
    here = threading.get_ident()
    found = list(in_threads(lambda _: threading.get_ident() != here, range(steps), threads=threads))
    assert found == [elsewhere] * steps


@pytest.mark.parametrize("cores", [1, 2])
def test_there_are_as_many_threads_as_cores_by_default(monkeypatch, cores):
    monkeypatch.setattr(hsd, "available_cores", lambda: cores)
    here = threading.get_ident()
    assert list(in_threads(lambda _: threading.get_ident() != here, range(3))) == [cores == 2] * 3


def test_cores_are_those_of_the_process_or_of_the_machine_or_one(monkeypatch):
    monkeypatch.setattr(
        hsd.os,
        "sched_getaffinity",
        lambda pid: {0, 5, 7} if pid == 0 else {1},
        raising=False,
    )
    assert available_cores() == 3
    monkeypatch.delattr(hsd.os, "sched_getaffinity")
    for counted, cores in [(6, 6), (None, 1)]:
        monkeypatch.setattr(hsd.os, "cpu_count", lambda counted=counted: counted)
        assert available_cores() == cores


def test_without_a_scale_nothing_is_rounding():
    drawn = np.array([1.0 - 1e-13, 1.0])
    assert tail(drawn, np.array([1.0]), scale=0.0).tolist() == [2 / 3]
    assert tail(drawn, np.array([1.0]), scale=1.0).tolist() == [1.0]


def test_an_error_in_a_thread_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        list(in_threads(lambda n: 1 // n, [1, 0, 1], threads=2))


def test_the_p_value_counts_the_observed_value_itself():
    assert tail(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0])).tolist() == [0.75, 0.25]


def test_a_draw_that_falls_short_by_rounding_counts():
    total, other = 0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1
    assert total != other
    low, high = sorted((total, other))
    assert tail(np.array([low]), np.array([high]), scale=1.0).tolist() == [1.0]
    assert tail(np.array([low]), np.array([high]), scale=0.0).tolist() == [
        0.5
    ]  # rounding of what, nobody said


def test_every_chunk_has_a_seed_of_its_own_as_if_the_root_had_spawned_it():
    for root in (np.random.SeedSequence(3), np.random.SeedSequence(3, spawn_key=(7,))):
        found = [child.generate_state(4).tolist() for _, child in chunks(3 * CHUNK, root)]
        assert found == [child.generate_state(4).tolist() for child in root.spawn(3)]
        assert len({tuple(one) for one in found}) == 3
    assert [size for size, _ in chunks(CHUNK, 0)] == [CHUNK]
    assert [size for size, _ in chunks(CHUNK + 1, 0)] == [CHUNK, 1]


def test_what_is_no_longer_wanted_is_not_begun_and_what_runs_is_waited_for():
    done = []

    def slow(step):
        time.sleep(0.004)
        done.append(step)

    found = in_threads(slow, range(40), threads=2)
    next(found)
    found.close()
    ended = len(done)
    time.sleep(0.02)
    assert len(done) == ended < 20
