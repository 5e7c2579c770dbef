"""Hasse diagrams of position vectors."""

import itertools

import numpy as np
import pytest

from pdeval.plots import hasse


def drawn(ax):
    """Return (place of each vector, set of (better, worse) lines)."""
    place = {}
    for text in ax.texts:
        place[text.get_position()] = tuple(
            int(part) for part in text.get_text().strip("()").split(",")
        )
    lines = {
        tuple(place[tuple(end)] for end in segment) for segment in ax.collections[0].get_segments()
    }
    return {vector: at for at, vector in place.items()}, lines


def covers(vectors, better):
    """The definition: better with nothing in between."""
    return {
        (x, y)
        for x, y in itertools.permutations(vectors, 2)
        if better(x, y) and not any(better(x, z) and better(z, y) for z in vectors)
    }


ORDERS = {
    "RR": lambda x, y: x[0] < y[0],
    "LP": lambda x, y: x < y,
    "dominance": lambda x, y: x != y and all(i <= j for i, j in zip(x, y)),
}


@pytest.mark.parametrize("order", list(ORDERS))
@pytest.mark.parametrize(("n", "m"), [(3, 1), (4, 2), (5, 3), (6, 3), (6, 6)])
def test_lines_are_the_cover_relation_and_point_down(n, m, order, column_ax):
    place, lines = drawn(hasse(n, m, order=order, ax=column_ax))
    vectors = list(itertools.combinations(range(1, n + 1), m))
    assert set(place) == set(vectors)
    assert lines == covers(vectors, ORDERS[order])
    assert all(place[better][1] > place[worse][1] for better, worse in lines)


def test_no_two_vectors_stand_at_the_same_place(column_ax):
    place, _ = drawn(hasse(7, 3, ax=column_ax))
    assert len(set(place.values())) == 35


def test_reciprocal_rank_has_as_many_rows_as_first_positions(column_ax):
    place, _ = drawn(hasse(8, 5, ax=column_ax))
    assert len({y for _, y in place.values()}) == 8 - 5 + 1


def test_labels_do_not_overlap():
    ax = hasse(6, 3)
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(x.overlaps(y) for x, y in itertools.combinations(boxes, 2))


@pytest.mark.parametrize(("n", "m"), [(3, 4), (3, 0)])
def test_impossible_sizes_are_refused(n, m):
    with pytest.raises(
        ValueError, match=rf"^hasse\(\) needs integers 1 <= m <= n; found n={n}, m={m}\.$"
    ):
        hasse(n, m)


def test_sizes_are_integers():
    with pytest.raises(ValueError, match=r"^n=2\.5: "):
        hasse(2.5, 1)


def test_too_many_vectors_are_refused():
    with pytest.raises(
        ValueError, match=r"hasse\(50, 5\) has 2,118,760 position vectors; at most 84 can be read"
    ):
        hasse(50, 5)


def test_unknown_orders_are_refused():
    with pytest.raises(ValueError, match=r"^order='AP': choose 'RR', 'LP' or 'dominance'\.$"):
        hasse(4, 2, order="AP")


def test_numpy_integers_are_taken(column_ax):
    assert len(hasse(np.int64(4), np.int64(2), ax=column_ax).texts) == 6


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    import sys

    for module in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        ImportError, match=r"plots need matplotlib: pip install 'pdeval\[plots\]'\."
    ):
        hasse(4, 2)
