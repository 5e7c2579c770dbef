"""What all tests share: where the real collections are, and the sample collection."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.examples import FEW_EXAMPLES

# no example is timed: on a busy machine one may take longer than Hypothesis allows by default. In CI the examples are
# the same each time, and in `.ci/thorough` (`--hypothesis-profile=thorough`) as many as usual
settings.register_profile("thorough", deadline=None, derandomize="CI" in os.environ)
settings.register_profile("brief", settings.get_profile("thorough"), max_examples=FEW_EXAMPLES)
settings.load_profile("brief")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real runs and judgments beside the repository; skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("needs the real collections in ../shared/data, which are not here")
    return SHARED


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as `broad` the cases of a table of cases but the last: the README's command runs one, CI all of them."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if "[" in item.nodeid:
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for alike in cases.values():
        for item in alike[:-1]:
            item.add_marker("broad")
    # the longest tests are those of the whole package: run last, one process would wait for the other
    items.sort(key=lambda item: item.path.parent != Path(__file__).parent)
