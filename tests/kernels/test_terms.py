"""Measures as sums over recall levels: the terms worked by hand, and that they add up to their measure."""

import numpy as np
import pytest

from pdeval.catalog import ENTRIES
from pdeval.kernels.terms import TERMS

inf = np.inf
# found at 2, 3 and never; at 1, 5 and 6
RANK = np.array([[2.0, 1.0], [3.0, 5.0], [inf, 6.0]])
GRADE = np.array([[1.0, 2.0], [3.0, 1.0], [2.0, 3.0]])
IDEAL = np.array([[3.0], [2.0], [1.0]])
COLUMNS = {
    "rank": RANK,
    "grade": GRADE,
    "ideal": IDEAL,
    "above": np.array([[0.0, 0.0], [1.0, 2.0], [0.0, 2.0]]),
    "nonrelevant": np.array([4.0, 2.0]),
    "corpus": np.array([20.0, 20.0]),
    "retrieved": np.array([4.0, 8.0]),
}
LOG = np.log2


@pytest.mark.parametrize(
    ("name", "options", "expected", "weight"),
    [
        ("AP", {}, [[1 / 2, 1], [2 / 3, 2 / 5], [0, 3 / 6]], 1 / 3),
        ("AP", {"k": 5}, [[1 / 2, 1], [2 / 3, 2 / 5], [0, 0]], 1 / 3),
        ("P", {"k": 5}, [[1 / 5, 1 / 5], [1 / 5, 1 / 5], [0, 0]], 1.0),
        ("P", {}, [[1 / 4, 1 / 8], [1 / 4, 1 / 8], [0, 1 / 8]], 1.0),
        ("R", {}, [[1, 1], [1, 1], [0, 1]], 1 / 3),
        ("R", {"k": 2}, [[1, 1], [0, 0], [0, 0]], 1 / 3),
        ("RBP", {}, [[0.8**2, 0.8], [0.8**3, 0.8**5], [0, 0.8**6]], 0.2 / 0.8),
        ("RBP", {"p": 0.5, "k": 2}, [[1 / 4, 1 / 2], [0, 0], [0, 0]], 1.0),
        ("RBP", {"p": 0.0}, [[0, 1], [0, 0], [0, 0]], 1.0),
        ("RR", {}, [[1 / 2, 1], [0, 0], [0, 0]], 1.0),
        ("RR", {"i": 2, "k": 4}, [[0, 0], [1 / 3, 0], [0, 0]], 1.0),
        ("DCG", {}, [[1 / LOG(3), 2], [3 / 2, 1 / LOG(6)], [0, 3 / LOG(7)]], 1.0),
        ("DCG", {"gain": "exp", "k": 3}, [[1 / LOG(3), 3], [7 / 2, 0], [0, 0]], 1.0),
        ("DCG", {"gains": {3: 10.0}}, [[1 / LOG(3), 2], [5, 1 / LOG(6)], [0, 10 / LOG(7)]], 1.0),
        (
            "nDCG",
            {},
            [[1 / LOG(3), 2], [3 / 2, 1 / LOG(6)], [0, 3 / LOG(7)]],
            1 / (3 + 2 / LOG(3) + 1 / 2),
        ),
        ("nDCG", {"k": 2}, [[1 / LOG(3), 2], [0, 0], [0, 0]], 1 / (3 + 2 / LOG(3))),
        (
            "Bpref",
            {},
            [[1, 1], [1 - 1 / 3, 0], [0, 0]],
            1 / 3,
        ),  # 3 relevant items; 4 and 2 that are not
        ("ESL", {"i": 2}, [[0, 0], [-3, -5], [0, 0]], 1.0),
        ("ISL", {}, [[-2, -1], [0, 0], [0, 0]], 1.0),
        ("TSL", {}, [[0, 0], [0, 0], [-20, -6]], 1.0),
        ("ASL", {}, [[-2, -1], [-2, -4], [-18, -4]], 1 / 3),
        ("ASL", {"n": 2}, [[-2, -1], [-2, -4], [0, 0]], 1 / 2),
    ],
)
def test_the_terms_of_a_measure_by_hand(name, options, expected, weight):
    asked = {
        key: value for key, value in COLUMNS.items() if key in TERMS[name].__code__.co_varnames
    }
    found, weighed = TERMS[name](**asked, **options)
    np.testing.assert_allclose(found, np.array(expected, dtype=float), rtol=1e-14, atol=0)
    np.testing.assert_allclose(np.broadcast_to(weighed, found.shape), weight, rtol=1e-14)


def test_terms_take_the_parameters_of_their_measure():
    for name in TERMS:
        own, told = ENTRIES[name].parameters, TERMS[name].__kwdefaults__ or {}
        assert {key: own[key] for key in told} == told, name


@pytest.mark.parametrize(
    "options",
    [
        {"base": 10.0},
        {"base": 10.0, "discount": "jk"},
        {"discount": "zipf"},
        {"gain": "exp"},
        {"gain": "binary"},
        {"gains": {3: 10.0}},
        {"least": 2.0},
        {"k": 2},
    ],
)
@pytest.mark.parametrize("name", ["DCG", "nDCG"])
def test_terms_add_up_to_their_measure_with_every_option(name, options):
    asked = {
        key: value for key, value in COLUMNS.items() if key in TERMS[name].__code__.co_varnames
    }
    found, weight = TERMS[name](**asked, **options)
    measured = ENTRIES[name].kernel(**asked, **options)
    np.testing.assert_allclose((weight * found).sum(axis=0), measured, rtol=1e-12)
    if name == "DCG":  # of nDCG a base may cancel
        assert (measured != ENTRIES[name].kernel(**asked)).any()


def test_terms_of_one_list_and_of_three_add_up_to_their_measure():
    rank = np.array([[1.0, 2.0, inf], [3.0, inf, inf]])
    grade, ideal = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]]), np.array([[3.0], [2.0]])
    for at in (slice(None), 1):
        found, weight = TERMS["nDCG"](
            rank[:, at], grade[:, at], ideal if at == slice(None) else ideal[:, 0]
        )
        measured = ENTRIES["nDCG"].kernel(
            rank[:, at], grade[:, at], ideal if at == slice(None) else ideal[:, 0]
        )
        np.testing.assert_allclose((weight * found).sum(axis=0), measured, rtol=1e-12)
