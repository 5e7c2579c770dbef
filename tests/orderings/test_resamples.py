"""Orderings of many resamples at once: by other ways than of one, to the same answer."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pdeval.evaluate import cube
from pdeval.orderings import bradley_terry as strengths
from pdeval.orderings.methods import bradley_terry, mc4
from pdeval.orderings.order import ordered
from pdeval.orderings.votes import ranks, tally
from tests.examples import examples

shapes = st.tuples(st.integers(1, 7), st.integers(2, 6))
values = shapes.flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.25, 0.5, 1.0]))
)


@examples(40)
@given(values, st.data())
def test_a_resample_among_many_is_ordered_as_it_is_alone(x, data):
    known = data.draw(arrays(np.bool_, x.shape))
    weights = data.draw(arrays(np.int64, (4, len(x)), elements=st.integers(0, 3)))
    net, shared = tally(ranks(x), known, weights)
    each = [slice(k, k + 1) for k in range(4)]
    np.testing.assert_allclose(mc4(net), np.concatenate([mc4(net[k]) for k in each]), rtol=1e-12)
    alone = np.concatenate([bradley_terry(net[k], shared[k]) for k in each])
    np.testing.assert_allclose(bradley_terry(net, shared), alone, atol=3e-8)


def test_resamples_that_do_not_settle_are_solved_by_newtons_method(monkeypatch):
    net, shared = tally(
        np.array([[1, 2, 3], [1, 3, 2], [2, 1, 3]]), np.ones((3, 3), dtype=bool), np.eye(3)
    )
    settled = bradley_terry(net, shared)
    monkeypatch.setattr(strengths, "STEPS", 1)
    np.testing.assert_allclose(bradley_terry(net, shared), settled, atol=3e-8)
    assert np.abs(settled).max() > 1


def test_a_mean_of_a_resample_is_over_the_queries_that_a_run_has():
    value = np.array([[0.5, 0.4], [np.nan, 0.4], [np.nan, 0.4], [np.nan, 0.4]])
    runs, queries = pd.DataFrame({"run": ["few", "all"]}), pd.Index(list("1234"), name="query_id")
    table = cube.Scores(runs, queries, ("AP",), value[None], np.array([True]))
    # two resamples of three hold the first query, and there the one value of `few` is above the mean of the other
    found = ordered(table, method="mean", draws=200, confidence=0.3).set_index("run")
    assert found[["rank_low", "rank_high"]].to_dict("index") == {
        "few": {"rank_low": 1, "rank_high": 1},
        "all": {"rank_low": 2, "rank_high": 2},
    }


def test_resamples_of_runs_that_all_win_sometimes_settle_without_newtons_method(monkeypatch):
    rng = np.random.default_rng(5)
    net, shared = tally(
        ranks(rng.random((40, 5))),
        np.ones((40, 5), dtype=bool),
        rng.multinomial(40, [1 / 40] * 40, 3),
    )
    expected, of_the_mean = bradley_terry(net, shared), strengths.strengths
    monkeypatch.setattr(
        strengths,
        "strengths",
        lambda games, won: of_the_mean(games, won) if won.ndim == 1 else None,
    )
    np.testing.assert_array_equal(bradley_terry(net, shared), expected)


@pytest.mark.parametrize("higher", [True, False])
def test_intervals_of_means_are_quantiles_of_resampled_means_in_the_measure_s_own_unit(higher):
    x = np.random.default_rng(4).gamma(2.0, 3.0, (9, 4))
    runs, queries = pd.DataFrame({"run": list("abcd")}), pd.Index(range(9), name="query_id")
    source = cube.Scores(runs, queries, ("X",), x[None], np.array([higher]))
    found = ordered(source, method="mean", draws=60, confidence=0.8, seed=2, scores=True).set_index(
        "run"
    )
    drawn = np.random.default_rng(2).multinomial(9, np.full(9, 1 / 9), size=60) @ x / 9
    expected = np.quantile(drawn, [0.1, 0.9], axis=0)
    np.testing.assert_allclose(
        found.loc[list("abcd"), ["score_low", "score_high"]].to_numpy().T, expected, rtol=1e-12
    )
    assert ((found["score_low"] < found["score"]) & (found["score"] < found["score_high"])).all()
