"""Rows found by key columns of whatever type."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.tables.metadata import places
from tests.examples import examples

keys = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abc")), max_size=12)


@pytest.mark.broad
@given(keys, keys)
@examples(60)
def test_places_are_those_of_a_dictionary(known, wanted):
    known = list(dict.fromkeys(known))
    left = pd.DataFrame({"n": [k[0] for k in known], "s": [k[1] for k in known]}).astype(
        {"n": "int64", "s": "object"}
    )
    right = pd.DataFrame({"n": [k[0] for k in wanted], "s": [k[1] for k in wanted]}).astype(
        {"n": "Int64"}
    )
    right["s"] = pd.Categorical(right["s"], list("cba"))
    found = places([left["n"], left["s"]], [right["n"], right["s"]])
    assert found.tolist() == [known.index(key) if key in known else -1 for key in wanted]


def test_missing_keys_match_nothing():
    assert places([pd.Series(["a"])], [pd.Series(["a", None])]).tolist() == [0, -1]


def test_numbers_and_text_do_not_match_in_silence():
    with pytest.raises(
        ValueError, match="column 'query_id' has numbers in one table and text in the other"
    ):
        places([pd.Series([1], name="query_id")], [pd.Series(["1"])])
    assert places([pd.Series([1], dtype=object)], [pd.Series([1])]).tolist() == [0]
