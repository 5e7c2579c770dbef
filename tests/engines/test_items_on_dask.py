"""Measures that look at items need the rows in memory, and say so on Dask."""

import pytest

from tests.evaluate.test_items import HISTORY, ITEMS, RUNS, TEST

dd = pytest.importorskip("dask.dataframe")
pytestmark = pytest.mark.extras


def test_side_tables_and_measures_of_items_are_refused_with_what_to_do():
    import pdeval.engines.dask  # noqa: F401

    runs = dd.from_pandas(RUNS, npartitions=1)
    with pytest.raises(ValueError, match=r"items= and history= are for measures .* runs\.compute\(\)\.ireval"):
        runs.ireval.measure(TEST, "RR", items=ITEMS, history=HISTORY, topics="answered")
    with pytest.raises(ValueError, match=r"Novelty@2 looks at every item of a list, and needs the rows in memory"):
        runs.ireval.measure(TEST, "Novelty@2", topics="answered")
    with pytest.raises(ValueError, match=r"Coverage@2 is one number for all lists of a run together"):
        runs.ireval.summary(TEST, "Coverage@2", topics="answered")
    gathered = runs.ireval.beyond("Coverage@2", items=ITEMS)  # a verb of run tables gathers the rows
    assert gathered["mean"].tolist() == RUNS.ireval.beyond("Coverage@2", items=ITEMS)["mean"].tolist()
