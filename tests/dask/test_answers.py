"""What a partition answers where it has no rows."""

import numpy as np
import pytest

from pdeval.catalog import parse_all

pytest.importorskip("dask")
pytestmark = pytest.mark.extras

from pdeval.dask.partition_results import cells, of_pairs, part_hits, part_items  # noqa: E402


def test_a_partition_without_rows_has_no_cell_of_any_measure_or_win_rate():
    place, values = cells(None, (parse_all(["AP", "RR"]), parse_all(["RPP"]), None), 5)
    assert (place.shape, values.shape, place.dtype) == ((0,), (3, 0), np.int64)
    # so that it stands beside what others answer
    assert np.concatenate([values, np.ones((3, 2))], axis=1).shape == (3, 2)


def test_a_partition_without_rows_has_no_hit_no_item_and_no_pair():
    place, values = part_hits(None)
    assert (place.shape, values.shape) == ((0,), (4, 0))
    place, values = part_items(None)
    assert (place.shape, values.shape) == ((0,), (1, 0))
    (measure,) = parse_all(["RPP"])
    topics, values = of_pairs(None, (measure, np.array([0, 0]), np.array([1, 2]), None))
    assert (topics.shape, values.shape) == ((0,), (2, 0))
    assert topics.dtype == part_hits(None)[0].dtype == part_items(None)[0].dtype == np.int64
