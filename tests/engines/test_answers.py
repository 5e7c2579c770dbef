"""What a partition answers where it has no rows."""

import numpy as np
import pytest

from pdeval.catalog import parse_all

pytest.importorskip("dask")
pytestmark = pytest.mark.extras

from pdeval.engines.answers import cells  # noqa: E402


def test_a_partition_without_rows_has_no_cell_of_any_measure_or_win_rate():
    place, values = cells(None, (parse_all(["AP", "RR"]), parse_all(["RPP"]), None), 5)
    assert (place.shape, values.shape) == ((0,), (3, 0))
    # so that it stands beside what others answer
    assert np.concatenate([values, np.ones((3, 2))], axis=1).shape == (3, 2)
