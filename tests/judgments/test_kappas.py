"""The declared coefficients: what each declares is what the verbs do with it."""

import numpy as np
import pandas as pd
import pytest

from pdeval.judgments import agreement
from pdeval.judgments.agreement import COEFFICIENTS
from pdeval.tables.schemas import SCHEMAS

NUMBERS = pd.DataFrame(
    {
        "doc_id": np.repeat(range(6), 2),
        "assessor": ["a", "b"] * 6,
        "label": [0, 0, 1, 1, 2, 1, 0, 1, 2, 2, 1, 1],
    }
)
WORDS = NUMBERS.assign(label=NUMBERS["label"].map({0: "no", 1: "maybe", 2: "yes"}))


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_every_coefficient_says_what_it_is_and_where_it_is_documented(name):
    assert len(COEFFICIENTS[name].description.split()) > 2
    assert f'"{name}"' in agreement.agreement.__doc__


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_every_coefficient_is_one_where_all_agree_and_less_where_they_do_not(name):
    same = NUMBERS.assign(label=np.repeat([0, 1, 2, 0, 1, 2], 2))
    assert same.ireval.agreement(name)["value"].tolist() == [pytest.approx(1.0)]
    assert NUMBERS.ireval.agreement(name)["value"].iloc[0] < 1


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_only_coefficients_that_need_a_scale_refuse_words(name):
    if COEFFICIENTS[name].scaled:
        with pytest.raises(ValueError, match=f"{name} requires ordered labels"):
            WORDS.ireval.agreement(name)
        pd.testing.assert_frame_equal(
            WORDS.ireval.agreement(name, order=["no", "maybe", "yes"]),
            NUMBERS.ireval.agreement(name),
        )
    else:
        assert (
            WORDS.ireval.agreement(name)["value"].tolist()
            == NUMBERS.ireval.agreement(name)["value"].tolist()
        )


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_coefficient_of_pairs_is_that_of_all_where_there_are_two_assessors(name):
    table = NUMBERS.ireval.agreement.pairs()
    columns = [column.name for column in SCHEMAS["assessor_pairs"].columns]
    assert (
        (COEFFICIENTS[name].pair_chance is not None) == (name in columns) == (name in table.columns)
    )
    if name in columns:
        assert table[name].iloc[0] == pytest.approx(
            NUMBERS.ireval.agreement(name)["value"].iloc[0], abs=1e-12
        )
