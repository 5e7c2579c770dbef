"""Expected values over the orders of tied items, against the mean over all orders."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.catalog import ENTRIES, parse
from pdeval.kernels import expected_ties as ties
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
            "ideal": np.array(
                sorted([g for g in down if g > 0] + missed, reverse=True), dtype=float
            ),
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
    asked = [
        p.name
        for p in inspect.signature(kernel).parameters.values()
        if p.kind is not p.KEYWORD_ONLY
    ]
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
    assert expected(name, groups, missed) == pytest.approx(
        mean_over_orders(name, groups, missed), rel=0, abs=tolerance
    )


def test_every_measure_that_the_methods_name_has_a_closed_form():
    assert {"P", "R", "Success", "DCG", "RR", "AP", "nDCG"} <= {
        n for n, entry in ENTRIES.items() if entry.expected
    }


def test_every_closed_form_is_tried_here():
    assert {parse(name).entry.name for name in NAMES} == {
        name for name, entry in ENTRIES.items() if entry.expected
    }


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


OPTIONS = [
    "CG(gain=exp)@3", "CG(gains={2:7})", "CG(least=2)@3", "DCG(gain=exp,base=3)@4", "DCG(gains={2:7},discount=jk)",
    "DCG(least=2,base=5,discount=jk)@5", "nDCG(least=2)@3", "nDCG(gain=binary,discount=zipf)", "nDCG(gain=exp,base=3)",
    "AP(norm=min)@2", "AP(norm=k)@4", "F(beta=3)@2", "F(beta=0.5)", "RR(i=2)@4", "RR(i=4)", "RR(i=5)", "RBP@3",
    "Success", "nDCG(discount=jk,base=3,gains={1:5})@4",
]  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_is_heeded_where_items_are_tied(name):
    groups, missed = [[0, 1], [2, 0, 1, 0]], [2]
    assert expected(name, groups, missed) == pytest.approx(
        mean_over_orders(name, groups, missed), abs=1e-12
    )
    assert expected(name, [[0]], [1, 2]) == 0.0


CALLS = [
    (ties.expected_P, ("retrieved",), {"k": 4}),
    (ties.expected_R, (), {}),
    (ties.expected_F, ("retrieved",), {"beta": 2.0, "k": 5}),
    (ties.expected_Success, (), {"k": 3}),
    *((ties.expected_RR, (), {"i": i, "k": k}) for i in (1, 2, 3, 5, 6) for k in (4, math.inf)),
    (ties.expected_AP, (), {}),
    (ties.expected_AP, (), {"k": 6}),
    (ties.expected_RBP, (), {"p": 0.7}),
    (ties.expected_CG, ("grade",), {"k": 4}),
    (ties.expected_DCG, ("grade",), {"k": 7}),
    (ties.expected_nDCG, ("grade", "ideal"), {}),
]


def side_by_side(lists):
    """Return the columns of lists of 5 relevant items, each with ties of its own; some are not retrieved."""
    rng, columns = np.random.default_rng(4), []
    for at in range(lists):
        start, size, above = [], [], 0
        while len(start) < 5 - at % 4:
            tied = int(rng.integers(1, 6))
            relevant = min(int(rng.integers(0, tied + 1)), 5 - at % 4 - len(start))
            start, size, above = start + [above] * relevant, size + [tied] * relevant, above + tied
        columns.append((start + [math.inf] * (at % 4), size + [1] * (at % 4), above))
    held = {
        "start": np.array([one[0] for one in columns], dtype=float).T,
        "size": np.array([one[1] for one in columns], dtype=float).T,
        "retrieved": np.array([one[2] for one in columns], dtype=float),
        "grade": rng.integers(1, 4, (5, lists)) * 1.0,
    }
    return {**held, "ideal": -np.sort(-held["grade"], axis=0)}


@pytest.mark.parametrize(("kernel", "more", "options"), CALLS)
def test_lists_with_other_ties_side_by_side_are_those_of_each_alone(kernel, more, options):
    held = side_by_side(12)
    asked = [held[name] for name in ("start", "size", *more)]
    together = kernel(*asked, **options)
    alone = [float(kernel(*[one[..., at] for one in asked], **options)) for at in range(12)]
    assert together.tolist() == pytest.approx(alone, rel=1e-12)
    folded = kernel(*[one.reshape(*one.shape[:-1], 3, 4) for one in asked], **options)
    assert folded.ravel().tolist() == pytest.approx(alone, rel=1e-12)
    assert kernel(*[one[..., :0] for one in asked], **options).shape == (0,)


def test_plain_lists_of_places_are_taken_too():
    assert ties.drawn([0, 3, math.inf], [3, 4, 1], 5).tolist() == [3.0, 2.0, 0.0]
    assert ties.drawn([0, 3, math.inf], [3, 4, 1]).tolist() == [3.0, 4.0, 0.0]
    assert ties.chance([0, 3], np.array([3, 4]), 5).tolist() == [1.0, 0.5]
