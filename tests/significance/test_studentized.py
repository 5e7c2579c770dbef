"""The studentized range against scipy's adaptive integration and against special cases."""

import numpy as np
import pytest
from scipy import stats

from pdeval.significance.hsd import upper_point, upper_tail

Q = np.array([0.0, 0.3, 1.0, 2.5, 3.6, 5.0, 7.0, 12.0, 40.0])


@pytest.mark.broad
@pytest.mark.filterwarnings(
    "ignore::scipy.integrate.IntegrationWarning"
)  # of scipy, whose tail is the oracle
@pytest.mark.parametrize(
    ("k", "df"),
    [
        (2, 1),
        (2, 30),
        (3, 4),
        (3, 10),
        (8, 343),
        (20, 931),
        (79, 78),
        (79, 3042),
        (110, 27032),
        (500, 600),
    ],
)
def test_the_tail_equals_scipys_to_ten_digits(k, df):
    assert np.abs(upper_tail(Q, k, df) - stats.studentized_range.sf(Q, k, df)).max() < 1e-10


@pytest.mark.broad
@pytest.mark.parametrize("df", [1, 2, 5, 48, 1e5])
def test_two_means_give_the_tail_of_students_t(df):
    assert upper_tail(Q, 2, df) == pytest.approx(
        2 * stats.t.sf(Q / np.sqrt(2), df), rel=1e-9, abs=1e-15
    )


@pytest.mark.parametrize(
    ("k", "df", "point"), [(3, 10, 3.877), (5, 20, 4.232), (10, 60, 4.646), (20, 120, 5.126)]
)
def test_upper_points_are_those_of_the_printed_tables(k, df, point):
    assert round(upper_point(0.05, k, df), 3) == pytest.approx(point, abs=1.1e-3)


def test_the_point_inverts_the_tail():
    assert upper_tail(upper_point(0.01, 79, 3042), 79, 3042) == pytest.approx(0.01, abs=1e-12)


def test_the_ends_are_one_and_zero():
    assert upper_tail(np.array([0.0, np.inf]), 5, 12).tolist() == [
        pytest.approx(1.0, abs=1e-12),
        0.0,
    ]


def test_the_shape_of_the_input_is_kept_and_blocks_do_not_matter(monkeypatch):
    whole = upper_tail(Q.reshape(3, 3), 6, 45)
    monkeypatch.setattr("pdeval.significance.hsd.STUDENTIZED_BLOCK", 1)
    assert whole.shape == (3, 3)
    assert whole == pytest.approx(upper_tail(Q, 6, 45).reshape(3, 3), rel=1e-14)


def test_two_means_of_known_variance_give_the_tail_of_the_normal():
    assert upper_tail(Q, 2, np.inf) == pytest.approx(
        2 * stats.norm.sf(Q / np.sqrt(2)), rel=1e-9, abs=1e-15
    )


@pytest.mark.broad
def test_no_tail_is_above_one():
    for k in (2, 3, 8, 40):
        for df in (1, 5, 100, np.inf):
            assert upper_tail(np.array([0.0, 1e-9]), k, df).max() <= 1.0


@pytest.mark.parametrize("p", [0.999, 0.9, 0.3, 0.01, 1e-4])
@pytest.mark.parametrize(("k", "df"), [(2, 1), (3, 1), (3, 40), (10, np.inf), (40, 2)])
def test_points_are_found_wherever_they_are(p, k, df):
    found = upper_point(p, k, df)
    assert upper_tail(found, k, df).item() == pytest.approx(p, rel=1e-9)
    if k == 2:
        assert found == pytest.approx(np.sqrt(2) * stats.t.isf(p / 2, df), rel=1e-8)


def test_whole_numbers_and_numbers_alone_have_tails():
    assert upper_tail(3, 4, 20).shape == ()
    assert upper_tail([2, 3], 4, 20).tolist() == upper_tail(np.array([2.0, 3.0]), 4, 20).tolist()
