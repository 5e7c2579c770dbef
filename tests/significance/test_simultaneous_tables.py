"""Segments, meta-analyses, judges and replicates have simultaneous intervals that agree with their verdicts."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from pdeval.significance.corrections import CORRECTIONS
from tests.examples import examples

corrections = st.sampled_from(CORRECTIONS)


def table(seed, runs=4, queries=24):
    """Return scores in four groups of queries; some runs and groups differ."""
    rng = np.random.default_rng(seed)
    shift = np.linspace(0, 0.9, runs) * (np.arange(queries)[:, None] % 4)
    values = rng.normal(size=(queries, runs)) + shift
    query, run = (axis.ravel() for axis in np.indices(values.shape))
    columns = {"group": query % 4, "run": run, "query_id": query, "measure": "x"}
    frame = pd.DataFrame({**columns, "value": values.ravel()})
    return frame.assign(run=frame["run"].map("r{}".format))


def scores(seed, runs=4):
    return table(seed, runs).ireval(higher={"x": True})


def check(frame, estimate, low="ci_low", high="ci_high", significant="significant"):
    """Assert that no interval contradicts its verdict."""
    known = frame[low].notna()
    outside = (frame[low] > 0) | (frame[high] < 0)
    assert not (known & outside & ~frame[significant]).any()
    beyond = np.where(frame[estimate] > 0, frame[low] < 0, frame[high] > 0)
    assert not (known & beyond & frame[significant]).any()


@examples(25)
@given(st.integers(0, 999), corrections)
def test_segments_agree_with_their_intervals(seed, correction):
    options = {"by": "group", "correction": correction}
    found = scores(seed).segments(**options, baseline="r0")
    check(found, "difference")
    check(found, "gap", "gap_low", "gap_high", "gap_significant")
    check(scores(seed).segments.gaps(**options), "gap")
    assert found.attrs["simultaneous"] == (correction != "none")


@examples(15)
@given(st.integers(0, 999), corrections, st.sampled_from([None, "r0", ["r0", "r1"]]))
def test_meta_analyses_agree_with_their_intervals(seed, correction, baseline):
    options = {"by": "group", "correction": correction, "baseline": baseline, "draws": 299}
    check(scores(seed).meta_analysis(**options), "macro")
    found = scores(seed).meta_analysis(**options, per="collection")
    check(found, "difference")
    assert found.attrs["simultaneous"] == (correction != "none")


@examples(10)
@given(st.integers(0, 999), corrections)
def test_biases_of_judges_agree_with_their_intervals(seed, correction):
    rng = np.random.default_rng(seed)
    query, item = (axis.ravel() for axis in np.indices((12, 10)))
    items = pd.DataFrame({"query_id": query, "doc_id": item})
    lists = [items.assign(run=f"r{run}", score=rng.random(len(items))) for run in range(3)]
    runs = pd.concat(lists, ignore_index=True)
    qrels = items.assign(relevance=rng.integers(0, 3, len(items)))
    favored = lists[0]["score"] > 0.5
    judge = items.assign(relevance=np.clip(qrels["relevance"] + favored, 0, 2))
    found = runs.ireval.judges.bias(qrels, judge, depth=5, correction=correction)
    check(found, "favor")
    assert found.attrs["simultaneous"] == (correction != "none")


@examples(10)
@given(st.integers(0, 999), corrections)
def test_replicates_agree_with_their_intervals_which_are_never_narrower(seed, correction):
    frame = table(seed, runs=6)
    number = frame["run"].str[1:].astype(int)
    trained = frame.assign(model="m" + (number // 2).astype(str), seed=number % 2)
    trained = trained.drop(columns=["run", "group"]).ireval(
        higher={"x": True}, run=["model", "seed"]
    )
    found = trained.replicates.compare(replicate="seed", correction=correction)
    check(found, "difference")
    fixed = trained.compare(replicate="seed", correction=correction)
    if correction == "none":
        width, other = (one["ci_high"] - one["ci_low"] for one in (found, fixed))
        assert (width >= other - 1e-12).all()


def test_defaults_are_those_of_comparisons():
    runs, qrels, _ = pdeval.datasets.load_sample()
    strict = qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] > 1, 0))
    options = {"queries": "common", "draws": 200}
    assert runs.ireval.judges(qrels, strict, "AP", **options).attrs["correction"] == "max-t"
    assert runs.ireval.judges.pairs(qrels, strict, "AP", **options).attrs["correction"] == "max-t"
    assert scores(0).segments(by="group").attrs["correction"] == "holm"
    assert scores(0).meta_analysis(by="group", draws=50).attrs["correction"] == "holm"


def test_the_interval_of_a_family_of_one_is_that_of_one_test():
    one = scores(3, runs=2)
    options = {"by": "group", "baseline": "r0", "over": "queries", "draws": 299}
    alone = one.meta_analysis(**options, correction="none")
    found = one.meta_analysis(**options)
    ends = ["ci_low", "ci_high"]
    assert found[ends].iloc[0].tolist() == pytest.approx(alone[ends].iloc[0].tolist())
