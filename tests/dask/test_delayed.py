"""Results of partitions that have no judged query, among those of others."""

import numpy as np
import pytest

pytest.importorskip("dask")
pytestmark = pytest.mark.extras

from pdeval.dask.delayed import calls, gathered, of_part  # noqa: E402
from pdeval.dask.partition import cells, codes, of_pairs  # noqa: E402
from pdeval.join.merge_parts import concatenated  # noqa: E402


@pytest.mark.parametrize("function", [cells, codes, of_pairs])
def test_a_partition_without_judged_queries_has_no_piece_of_any_kind(function):
    assert of_part(None, function, "whatever it is given") is None


def test_pieces_are_gathered_without_the_partitions_that_have_none():
    piece = np.array([3]), np.ones((2, 1))
    assert concatenated([None, None]) is None
    place, values = concatenated([None, piece, None, piece])
    assert (place.tolist(), values.tolist()) == ([3, 3], [[1, 1], [1, 1]])


@pytest.mark.parametrize("count", [1, 16, 17, 300])
def test_pieces_come_in_the_order_of_partitions_whatever_their_number(count):
    def piece(part, width):
        return np.array([part]), np.full((width, 1), part / 2)

    parts = calls(lambda at: None if at % 3 else at, range(count))
    place, values = gathered(parts, piece, 2)
    assert place.tolist() == list(range(0, count, 3))
    assert values.tolist() == [[at / 2 for at in range(0, count, 3)]] * 2
