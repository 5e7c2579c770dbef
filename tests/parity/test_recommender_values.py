"""Values of RecTools, RePlay, recommenders and LensKit on one run of the sample of recommendations.

`write_recommender_values.py` wrote them with the versions that are in the file; where a library can be imported here,
it is asked again.
"""

import json

import pytest

import pdeval
from tests.parity import write_recommender_values as written

HELD = json.loads(written.TO.read_text())
CASES = [(package, name) for package, held in HELD.items() for name in held["values"]]


@pytest.fixture(scope="module")
def ours():
    """What pdeval says of the same lists, of all users."""
    runs, ratings, history, items, _ = pdeval.datasets.load_recommendations()
    one = runs[(runs["model"] == "neural") & (runs["seed"] == 1)]
    tables = {"items": items, "history": history}
    names = list(dict.fromkeys(name for _, name in CASES))
    judged = one.ireval.join(ratings, level=4, queries="judged", **tables)
    found = judged.summary(names, draws=0)
    return dict(zip(found["measure"], found["mean"], strict=True))


@pytest.mark.parametrize(("package", "name"), CASES)
def test_the_values_of_other_libraries_are_ours(ours, package, name):
    # recommenders holds relevance as 16-bit floats, and all add up in an order of their own
    narrow = package == "lenskit" and "patience" in name  # exposure is added up in 32 bits there
    assert ours[name] == pytest.approx(HELD[package]["values"][name], rel=1e-6 if narrow else 1e-12)


@pytest.mark.extras
@pytest.mark.parametrize(
    "ask", [ask for ask, package in written.PACKAGES.items() if package in HELD]
)
def test_a_library_that_is_here_gives_the_values_that_are_held(ask):
    package = written.PACKAGES[ask]
    pytest.importorskip(package.partition("-")[0], reason=f"{package} is not installed")
    found = ask(*written.tables())
    assert found == pytest.approx(HELD[package]["values"], rel=1e-12)
