"""Equal to RecTools on a small data set; its values were written by `write_rectools.py`."""

import json
from pathlib import Path

import pytest

import pdeval
from tests.parity.write_rectools import data

HELD = json.loads((Path(__file__).parent / "rectools.json").read_text())


@pytest.mark.parametrize("name", HELD["values"])
def test_every_user_has_the_value_of_rectools(name):
    reco, interactions = data()
    judged = pdeval.frame(reco).ireval.join(interactions.assign(relevance=1))
    found = judged.measure(name)["value"]
    assert found.tolist() == pytest.approx(HELD["values"][name], rel=1e-12, abs=1e-15)
