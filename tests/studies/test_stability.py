"""What a measure says on part of the data."""

import numpy as np

from pdeval.catalog import parse
from pdeval.join.blocks import corpus_sizes
from pdeval.studies.robustness import Kept, mean_signs
from tests.studies.rankings import inf, judged

# query q: 19 and 18 other items of a and b, three relevant ones, r2 found by nobody: a corpus of 40
FOUND = judged(
    {"q": {"a": [1, inf, inf], "b": [2, 3, inf], "c": None}, "s": {"a": [1], "b": [2], "c": [3]}}
)


def test_the_corpus_of_a_query_does_not_shrink_with_its_labels():
    first = np.array([True, False, False, True])  # r0 of q, and the item of s
    less = FOUND.on(FOUND.positions.keep_items(first))
    # c returned nothing for q: all 39 other items of the corpus are above r0
    assert Kept(less, corpus_sizes(FOUND.positions)).values(parse("ASL"))[0, 2] == 40
    assert Kept(less, None).values(parse("ASL"))[0, 2] == 39


def test_signs_of_means_leave_out_queries_that_do_not_count_and_rounding():
    values = np.array([[0.1, np.nan, 0.1], [0.2, 0.5, 0.2], [-0.3, -0.1, 0.3]])
    every, first = np.ones(3), np.array([1.0, 0.0, 0.0])
    # 0.1 + 0.2 - 0.3 is not quite 0 in floating point
    assert mean_signs(values, np.stack([every, first])).tolist() == [[0, 1, 1], [1, 0, 1]]
