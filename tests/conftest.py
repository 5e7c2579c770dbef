"""What all tests share: where the real collections are, and the sample collection."""

from pathlib import Path

import pytest
from hypothesis import settings

# no test is timed: on a busy machine an example may take longer than Hypothesis allows by default
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real runs and judgments beside the repository; skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("needs the real collections in ../shared/data, which are not here")
    return SHARED
