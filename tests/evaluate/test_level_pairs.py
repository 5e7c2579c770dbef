"""Runs met level by level: every way of cutting the work gives the same counts."""

import numpy as np
import pytest

from pdeval.evaluate import pairs


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
        found = pairs._levels_ahead(rank, a, b)
        assert found.tolist() == one_by_one.tolist()
        assert not np.signbit(found[found == 0]).any()
