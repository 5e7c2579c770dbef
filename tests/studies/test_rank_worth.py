"""What ranks are worth, by formula."""

import numpy as np
import pytest

import pdeval
from pdeval.studies import contribution_surface, discount_curves
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults


@pytest.mark.parametrize(
    ("measure", "of_rank"),
    [
        ("RBP(p=0.5)", lambda f: 0.5**f),
        ("nDCG", lambda f: 1 / np.log2(f + 1)),
        ("AP", lambda f: 3 / f),
    ],
)
def test_the_surface_is_the_difference_of_the_terms_of_figure_4a(measure, of_rank):
    surface = contribution_surface(measure, ranks=25, recall=3)
    a, b = surface["rank_a"].to_numpy(float), surface["rank_b"].to_numpy(float)
    assert (a.min(), a.max(), len(surface)) == (3, 25, 23**2)
    np.testing.assert_allclose(surface["value"], of_rank(a) - of_rank(b), rtol=0, atol=1e-12)


def test_the_surface_of_a_preference_is_the_sign():
    surface = contribution_surface("RPP", ranks=6)
    assert (surface["value"] == np.sign(surface["rank_b"] - surface["rank_a"])).all()


def test_search_lengths_have_no_surface():
    with pytest.raises(
        ValueError,
        match=r"^ESL\(i=3\) has no surface, because search lengths depend on the corpus size",
    ):
        contribution_surface(["AP", "ESL(i=3)"])


def test_discounts_are_those_of_the_measures():
    rank = np.arange(1, 31)
    known = {
        "DCG(discount=jk)": 1 / np.maximum(1, np.log2(rank)),
        "nDCG": 1 / np.log2(rank + 1),
        "P@10": (rank <= 10) * 1.0,
        "RBP(p=0.8)": 0.8 ** (rank - 1.0),
    }
    table = discount_curves(list(known), ranks=30)
    for name, discount in known.items():
        weight = table.loc[table["measure"] == name, "weight"]
        np.testing.assert_allclose(weight, discount / discount.sum(), rtol=1e-12)


def test_only_measures_of_which_more_is_better_have_a_discount():
    for name in ("ASL", "RPP"):
        with pytest.raises(ValueError, match=f"{name} has no discount"):
            discount_curves(name)


def test_both_are_the_tables_that_they_declare():
    for made, name in (
        (contribution_surface(ranks=3), "contribution_surface"),
        (discount_curves(), "discounts"),
    ):
        assert faults(SCHEMAS[name], made, {}) == []
        assert pdeval.tables.recognition.kind_of(made.copy()) == name
