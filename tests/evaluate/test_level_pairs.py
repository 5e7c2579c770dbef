"""Runs met level by level: every way of cutting the work gives the same counts."""

from dataclasses import replace

import numpy as np
import pytest

import pdeval
from pdeval.evaluate import pairs
from pdeval.evaluate.scores import Views


@pytest.mark.parametrize(("kind", "levels"), [(np.int8, 6), (np.int8, 300), (np.int16, 6)])
@pytest.mark.parametrize("runs", [1, 2, 3, 4, 7, 12])
def test_runs_met_in_a_circle_are_led_on_as_many_levels_as_one_by_one(
    runs, kind, levels, monkeypatch
):
    rng = np.random.default_rng(runs)
    rank = np.sort(rng.integers(1, 9, (levels, 5, runs)), axis=0).astype(kind)
    rank[4:, :2] = np.iinfo(kind).max  # as padding is
    rank[:, 4, 0] = 0  # ahead on all levels: more than the largest number of 8 bits
    a, b = (side.ravel() for side in np.indices((runs, runs)))
    one_by_one = np.sign(rank[:, :, b].astype(int) - rank[:, :, a]).sum(axis=0)
    for slab, near in ((1 << 17, 1 << 15), (1, 1), (3 * runs, 64 * runs)):
        monkeypatch.setattr(pairs, "SLAB", slab)
        monkeypatch.setattr(pairs, "NEAR", near)
        found = pairs.levels_ahead(rank, a, b).T
        assert found.tolist() == one_by_one.tolist()


@pytest.mark.parametrize("rule", [{}, {"level": 1}, {"level": 2, "queries": "judged"}])
@pytest.mark.parametrize("measure", ["RPP", "dcgRPP", "rrLP"])
def test_numerators_divided_by_levels_are_the_preferences(measure, rule):
    views = Views(pdeval.datasets.sample_judged(**rule))
    a, b = np.triu_indices(len(views.positions.runs), 1)
    values, levels = pairs.numerators(views, pdeval.parse(measure), a, b)
    assert (levels is None) == (measure != "RPP" or not rule)
    expected = pairs.of_pairs(views, pdeval.parse(measure), a, b)
    assert np.array_equal(values if levels is None else values / levels, expected)


def test_arrays_of_weights_are_not_counted_as_integers():
    joined = pdeval.datasets.sample_judged(queries="common", level=1)
    weighted = replace(pdeval.parse("RPP"), parameters={"weight": np.arange(100.0, 0.0, -1.0)})
    views, a, b = Views(joined), *np.triu_indices(len(joined.runs), 1)
    values, levels = pairs.numerators(views, weighted, a, b)
    assert levels is None
    assert np.array_equal(values, pairs.of_pairs(views, weighted, a, b))
