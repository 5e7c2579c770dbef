"""The description every test begins with, and completed outcomes, against plain definitions."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from pdeval.significance.registry import Outcome, completed, student_interval
from pdeval.tables import equal_values as room
from pdeval.tables.equal_values import describe, ratio
from tests.examples import examples

values = st.sampled_from([np.nan, 0.0, 0.1, 0.3, 0.1 + 0.2, -0.5, 2.0])


@examples(60)
@given(arrays(np.float64, st.tuples(st.integers(2, 5), st.integers(1, 3)), elements=values))
def test_number_mean_and_deviation_are_those_of_what_is_known_of_a_column(D):
    for n, mean, sd, column in zip(*describe(D), D.T, strict=True):
        known = column[~np.isnan(column)]
        assert n == len(known)
        if n == 0:
            assert np.isnan(mean)
        else:
            assert mean == pytest.approx(known.mean(), abs=1e-15)
        if n < 2:
            assert np.isnan(sd)
        elif np.ptp(known) < 1e-15:
            assert sd == 0  # exactly: rounding would become a huge t
        else:
            assert sd == pytest.approx(known.std(ddof=1), rel=1e-12)


def test_a_constant_column_has_its_own_value_for_mean_also_beside_queries_without_an_answer():
    _, mean, sd = describe(np.array([[0.1], [0.1], [0.1], [np.nan]]))
    assert (mean.item(), sd.item()) == (0.1, 0.0)


def test_the_interval_of_a_mean_is_students():
    # t(.975, 1) = 12.7062: half of the interval is 12.7062 x 2 / sqrt(2)
    low, high = student_interval(np.array([2]), np.array([1.0]), np.array([2.0]), 0.95)
    assert (low.item(), high.item()) == pytest.approx((1 - 17.9693, 1 + 17.9693), abs=1e-4)


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_a_test_of_your_own_may_be_sure(p):
    found = completed(
        np.array([p]),
        lambda: describe(np.array([[0.1], [0.3]])),
        name="mine",
        pairs=1,
        confidence=0.95,
    )
    assert found.p_value.tolist() == [p]
    assert np.isnan(found.statistic).all()


@pytest.mark.parametrize("wrong", [-1e-9, 1.0 + 1e-9, np.nan])
def test_what_is_no_p_value_is_refused_beside_those_that_are(wrong):
    with pytest.raises(ValueError, match=r"1 p-values outside \[0, 1\]"):
        completed(
            np.array([0.5, wrong]),
            lambda: describe(np.zeros((2, 2))),
            name="mine",
            pairs=2,
            confidence=0.95,
        )


def test_each_column_is_described_by_itself():
    D = np.array(
        [
            [0.1, 5.0, 0.3, np.nan, -1.0],
            [0.1, -7.0, 0.1 + 0.2, np.nan, np.nan],
            [0.1, 1.0, np.nan, np.nan, np.nan],
        ]
    )
    n, mean, sd = describe(D)
    assert n.tolist() == [3, 3, 2, 0, 1]
    assert (mean[0], sd[0], sd[2]) == (0.1, 0.0, 0.0)  # exactly, beside columns that vary
    assert (mean[1], sd[1]) == pytest.approx((-1 / 3, np.std([5.0, -7.0, 1.0], ddof=1)))
    assert np.isnan([mean[3], sd[3], sd[4]]).all()
    assert mean[4] == -1.0


def test_no_queries_and_infinite_values_are_described_too():
    n, mean, sd = describe(np.zeros((0, 2)))
    assert n.tolist() == [0, 0]
    assert np.isnan([*mean, *sd]).all()
    n, mean, _ = describe(np.array([[np.inf, 1.0], [np.inf, 2.0]]))
    assert (n.tolist(), mean.tolist()) == ([2, 2], [np.inf, 1.5])


def test_a_column_is_constant_up_to_the_share_of_its_largest_size_that_is_rounding(monkeypatch):
    monkeypatch.setattr(room, "NOISE", 0.25)
    D = np.array([[0.75, 0.76, 0.74, -1.0, 1.0], [1.0, 1.0, 1.0, -0.76, -1.0]])
    _, mean, sd = describe(D)
    assert (sd == 0).tolist() == [True, True, False, True, False]
    assert mean.tolist() == pytest.approx(D.mean(axis=0).tolist())


def test_a_ratio_of_nothing_to_nothing_is_nothing():
    found = ratio(np.array([0.0, 0.0, 2.0, -2.0, 3.0]), np.array([0.0, 5.0, 0.0, 0.0, 1.5]))
    assert found.tolist() == [0.0, 0.0, np.inf, -np.inf, 2.0]


D = np.array([[0.1, 0.5], [0.3, 0.25], [0.2, -0.25]])


def finished(found, *, pairs=2, confidence=0.9):
    return completed(found, lambda: describe(D), name="mine", pairs=pairs, confidence=confidence)


class Result:
    """What scipy's tests return."""

    def __init__(self, pvalue, **more):
        self.pvalue = pvalue
        vars(self).update(more)


@pytest.mark.parametrize(
    ("found", "statistic"),
    [
        ([0, 1], None),
        (np.array([0, 1]), None),
        (([7, 8], [0, 1]), [7.0, 8.0]),
        (Result([0, 1], statistic=[7, 8]), [7.0, 8.0]),
        (Result([0, 1]), None),
    ],
)
def test_whatever_a_test_gives_is_completed_with_numbers_of_the_differences(found, statistic):
    outcome = finished(found)
    low, high = stats.t.interval(0.9, 2, D.mean(axis=0), D.std(axis=0, ddof=1) / np.sqrt(3))
    np.testing.assert_allclose(outcome.ci_low, low, rtol=1e-9)
    np.testing.assert_allclose(outcome.ci_high, high, rtol=1e-9)
    np.testing.assert_allclose(
        outcome.effect_size, D.mean(axis=0) / D.std(axis=0, ddof=1), rtol=1e-12
    )
    np.testing.assert_allclose(outcome.mean, D.mean(axis=0), rtol=1e-12)
    assert outcome.n.tolist() == [3, 3]
    assert outcome.p_value.tolist() == [0.0, 1.0]
    assert outcome.p_value.dtype == outcome.statistic.dtype == np.float64
    np.testing.assert_array_equal(
        outcome.statistic, [np.nan, np.nan] if statistic is None else statistic
    )
    assert outcome.more == {}


def test_an_outcome_is_left_as_it_is():
    made = Outcome(*([np.array([1.0])] * 7), more={"rank_a": np.array([2.0])})
    assert finished(made) is made
    with pytest.raises(FrozenInstanceError):
        made.n = np.array([2])


@pytest.mark.parametrize("found", [[0.5], [0.5, 0.5, 0.5], 0.5, ([1.0], [2.0], [0.5])])
def test_a_number_of_p_values_that_is_not_that_of_the_pairs_is_refused(found):
    with pytest.raises(
        ValueError,
        match=r"the test 'mine' returned p-values of shape .* for 2 pairs\. Return one for each",
    ):
        finished(found)


@pytest.mark.parametrize(
    ("p", "told"), [([1.0, 1.5], r"1\.5"), ([0.0, -0.5], r"-0\.5"), ([np.nan, 0.5], "nan")]
)
def test_the_first_wrong_p_value_is_shown_and_right_ones_are_not(p, told):
    with pytest.raises(
        ValueError,
        match=rf"returned 1 p-values outside \[0, 1\], e\.g\. [^0-9-]*(64\()?{told}",
    ):
        finished(p)
