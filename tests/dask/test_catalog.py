"""Every entry of the catalog on Dask frames: the numbers of pandas, to the last bit, however the rows are divided."""

import pytest

from pdeval.catalog import ENTRIES
from tests.dask.bits import PREFERENCES, SCORES, divided, gathered, quiet, same_bits
from tests.plain_measures import METRICS

pytest.importorskip("dask")
pytestmark = pytest.mark.extras


PREFERRED = [name for name, entry in ENTRIES.items() if entry.family == "preference"]


@pytest.mark.parametrize(
    ("parts", "rows"),
    [
        (1, "mixed"),
        pytest.param(2, "by run", marks=pytest.mark.slow),
        pytest.param(7, "by query", marks=pytest.mark.slow),
        (7, "mixed"),
        pytest.param(50, "by query", marks=pytest.mark.slow),
        pytest.param(50, "mixed", marks=pytest.mark.slow),
    ],
)
class TestEveryEntryOfTheCatalog:
    @pytest.mark.broad
    def test_every_measure_is_the_same_to_the_last_bit(self, runs, qrels, every_score, parts, rows):
        lazy = quiet(divided(runs, parts, rows).ireval.measure, qrels, METRICS)
        same_bits(every_score, gathered(lazy, SCORES))

    @pytest.mark.broad
    def test_every_preference_is_the_same_to_the_last_bit(
        self, runs, qrels, every_preference, parts, rows
    ):
        lazy = quiet(divided(runs, parts, rows).ireval.prefer, qrels, PREFERRED)
        same_bits(every_preference, gathered(lazy, PREFERENCES))
