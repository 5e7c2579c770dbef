"""Expected values over the orders of tied items, against the mean over all orders."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.catalog import ENTRIES, parse
from pdeval.kernels import expected as ties
from tests.examples import examples

NAMES = [
    "P@1", "P@3", "P", "R@3", "F@3", "F(beta=2)@2", "Success@1", "Success@3", "RR", "RR@2", "RR(i=2)", "RR(i=3)@5",
    "AP", "AP@3", "RBP(p=0.6)", "RBP(p=0.6)@3", "CG@3", "DCG", "DCG(discount=jk)@4", "nDCG", "nDCG(gain=exp)@3",
    "nDCG(gains={1:4})@2", "DCG(discount=zipf)", "nDCG(discount=jk,base=3)@4",
]  # fmt: skip

# groups of tied items from the top, each item a grade; and grades of items that were not retrieved
RANKINGS = st.tuples(
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=4), min_size=1, max_size=3),
    st.lists(st.integers(1, 2), max_size=2),
).filter(lambda pair: any(map(any, [*pair[0], pair[1]])) and sum(map(len, pair[0])) <= 8)


def mean_over_orders(name, groups, missed):
    measure = parse(name)
    values = []
    for order in itertools.product(*[itertools.permutations(group) for group in groups]):
        down = [grade for group in order for grade in group]
        rank = [i for i, grade in enumerate(down, start=1) if grade > 0] + [math.inf] * len(missed)
        given_columns = {
            "rank": np.array(rank, dtype=float),
            "grade": np.array([grade for grade in down if grade > 0] + missed, dtype=float),
            "ideal": np.array(sorted([g for g in down if g > 0] + missed, reverse=True), dtype=float),
            "retrieved": float(len(down)),
        }
        columns = [given_columns[column] for column in measure.entry.columns]
        values.append(float(measure.entry.kernel(*columns, **measure.parameters)))
    return np.mean(values)


def expected(name, groups, missed):
    import inspect

    measure = parse(name)
    start, size, grade, above = [], [], [], 0
    for group in groups:
        tied = [g for g in group if g > 0]
        start += [above] * len(tied)
        size += [len(group)] * len(tied)
        grade += tied
        above += len(group)
    columns = {
        "start": np.array(start + [math.inf] * len(missed), dtype=float),
        "size": np.array(size + [1] * len(missed), dtype=float),
        "grade": np.array(grade + missed, dtype=float),
        "ideal": np.array(sorted(grade + missed, reverse=True), dtype=float),
        "retrieved": float(above),
    }
    kernel = measure.entry.expected["kernel"]
    asked = [p.name for p in inspect.signature(kernel).parameters.values() if p.kind is not p.KEYWORD_ONLY]
    return float(kernel(*[columns[name] for name in asked], **measure.parameters))


@pytest.mark.parametrize("name", NAMES)
@given(ranking=RANKINGS)
@examples(15)
def test_the_closed_form_is_the_mean_over_all_orders(name, ranking):
    assert expected(name, *ranking) == pytest.approx(mean_over_orders(name, *ranking), abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_without_ties_the_value_is_the_same_to_the_last_bit(name):
    if name.startswith(("RR", "RBP")):
        tolerance = 1e-15  # by way of logarithms and of sums of weights
    else:
        tolerance = 0
    groups, missed = [[0], [1], [2], [0], [0], [1]], [2]
    assert expected(name, groups, missed) == pytest.approx(mean_over_orders(name, groups, missed), rel=0, abs=tolerance)


def test_every_measure_that_the_methods_name_has_a_closed_form():
    assert {"P", "R", "Success", "DCG", "RR", "AP", "nDCG"} <= {n for n, entry in ENTRIES.items() if entry.expected}


def test_closed_forms_take_the_parameters_of_their_measure():
    import inspect

    for entry in ENTRIES.values():
        if entry.expected:
            own = inspect.signature(entry.expected["kernel"]).parameters.values()
            assert {p.name for p in own if p.kind is p.KEYWORD_ONLY} == set(entry.parameters)


def test_many_lists_at_once_equal_each_alone():
    start = np.array([[0.0, 2.0], [0.0, 2.0], [5.0, math.inf]])
    size = np.array([[3.0, 4.0], [3.0, 4.0], [2.0, 1.0]])
    for kernel in (ties.expected_AP, ties.expected_RR, ties.expected_Success, ties.expected_R):
        together = kernel(start, size, k=4)
        assert together.tolist() == [float(kernel(start[:, i], size[:, i], k=4)) for i in range(2)]


def test_a_run_of_one_large_tie_does_not_underflow():
    # the last of 300 relevant items among 3000 tied ones: its mean rank is (n + 1) r / (r + 1)
    start, size = np.zeros(300), np.full(300, 3000.0)
    assert 1 / ties.expected_RR(start, size, i=300) == pytest.approx(3001 * 300 / 301, rel=1e-4)
    assert ties.expected_Success(start, size, k=1) == pytest.approx(0.1)
    assert ties.expected_AP(start, size) == pytest.approx(0.1, abs=0.01)
