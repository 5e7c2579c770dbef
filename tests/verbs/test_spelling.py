"""The name that was misspelled: right, or none."""

import pytest

from pdeval.verbs.spelling import nearest

NAMES = [
    "nDCG",
    "DCG",
    "wDCG",
    "ERR",
    "nERR",
    "ED",
    "ETC",
    "RBP",
    "RPP",
    "map",
    "mean",
    "precision",
    "Calibration",
]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("NDGC", "nDCG"), ("n-dcg", "nDCG"), ("DCGG", "DCG"), ("mapp", "map"), ("RBPP", "RBP"), ("meann", "mean"),
        ("precison", "precision"), ("precisoin", "precision"), ("prcisoin", "precision"), ("maen", "mean"),
        ("ER", None), ("EFD", None), ("EPC", None), ("ECE", None), ("NRR", None), ("median", None), ("EDCG", None),
        ("personalization", None), ("", None), (7, None),
    ],
)  # fmt: skip
def test_a_name_is_one_edit_away_or_long_and_nearly_equal(text, name):
    assert nearest(text, NAMES) == name


def test_of_several_names_with_one_meaning_the_meaning_is_returned():
    assert nearest("precsion", {"precision": "P", "precisions": "P"}) == "P"
    assert nearest("precsion", {"precision": "P", "recsion": "R"}) is None


def test_28_22_what_is_no_text_has_no_near_name():
    assert nearest(10**5000, ["relevant"]) is None
