"""What all tests share: where the real collections are, and the sample collection."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# no example is timed: on a busy machine one may take longer than Hypothesis allows by default. In CI the examples are
# the same each time; elsewhere new ones are looked for
settings.register_profile("untimed", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("untimed")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real runs and judgments beside the repository; skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("needs the real collections in ../shared/data, which are not here")
    return SHARED
