"""What measures of items and of all lists together are declared with, written a second time."""

import math

import pytest

from pdeval.catalog import ENTRIES

inf = math.inf
SHARE, ANY = (0, 1), (0, inf)
# range, whether less is better, parameters beside k
DECLARED = {
    "Novelty": (ANY, False, {"per": "item"}),
    "EPC": (SHARE, False, {"discount": "none"}),
    "Categories": (ANY, False, {}),
    "Personalization": (SHARE, False, {}),
    "Surprisal": (SHARE, False, {"per": "rank"}),
    "ChoiceNovelty": (ANY, False, {}),
    "AvgPopularity": (SHARE, True, {}),
    "AvgChoice": (SHARE, True, {}),
    "PopSerendipity": (SHARE, False, {}),
    "PopularityRank": (SHARE, True, {}),
    "PopularityLift": ((-1, inf), True, {}),
    "Unseen": (SHARE, False, {}),
    "ILD": (ANY, False, {"distance": "cosine"}),
    "Calibration": (ANY, True, {"alpha": 0.01}),
    "Unexpectedness": ((0, 2), False, {}),
    "Serendipity": ((0, 2), False, {}),
    "Coverage": (SHARE, False, {"least": 1}),
    "UserCoverage": (SHARE, False, {"least": 1}),
    "Gini": (SHARE, True, {"patience": 1.0}),
    "Entropy": (ANY, False, {"patience": 1.0, "normalized": False}),
    "TailShare": (SHARE, False, {"head": 0.2}),
}
OURS = {name: entry for name, entry in ENTRIES.items() if entry.kind in ("items", "set")}


@pytest.mark.parametrize("name", OURS)
def test_a_measure_of_items_is_declared_as_its_definition_says(name):
    entry, (ends, less, defaults) = OURS[name], DECLARED[name]
    assert (entry.range, entry.higher, entry.parameters) == (ends, not less, {"k": inf, **defaults})
    assert entry.reference
    assert "Examples" in entry.kernel.__doc__
