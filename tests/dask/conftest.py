"""What the tests of the engines share: one thread unless a test starts a cluster, and the sample collection."""

from importlib import import_module

import pandas as pd
import pytest

import pdeval
from pdeval.catalog import ENTRIES
from tests.dask.bits import quiet
from tests.plain_measures import METRICS


@pytest.fixture(autouse=True)
def one_thread():
    """Dask's synchronous scheduler: no pool to start, and errors as they are raised."""
    try:
        import dask
    except ImportError:  # whoever needs it says so
        yield
        return
    import_module("pdeval.dask.accessor")  # registers the accessor

    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="session")
def runs() -> pd.DataFrame:
    return pdeval.datasets.sample_runs()


@pytest.fixture(scope="session")
def qrels() -> pd.DataFrame:
    return pdeval.datasets.sample_qrels(subtopics=True)


@pytest.fixture(scope="session")
def some(runs) -> pd.DataFrame:
    """Five runs on thirty queries, of which one run did not answer two; ids are categoricals."""
    kept = runs["run"].isin(["bm25", "ql", "tfidf", "bm25+rm3", "dense-s1"]) & (
        runs["query_id"].astype(str) > "115"
    )
    return runs[kept & (runs["query_id"].astype(str) < "146")].reset_index(drop=True)


@pytest.fixture
def few(runs) -> pd.DataFrame:
    """Four runs on twelve queries, one of which a run did not answer and one no run."""
    frame = runs[runs["run"].isin(["bm25", "ql", "tfidf", "dense-s1"])].astype(
        {"run": str, "query_id": str}
    )
    return frame[
        frame["query_id"].between("110", "121") & (frame["query_id"] != "112")
    ].reset_index(drop=True)


@pytest.fixture(scope="session")
def every_score(runs, qrels):
    """What every metric of the catalog gives on pandas."""
    return quiet(
        runs.ireval.measure,
        qrels,
        METRICS,
    )


@pytest.fixture(scope="session")
def every_preference(runs, qrels):
    """What every preference of the catalog gives on pandas."""
    return quiet(
        runs.ireval.prefer,
        qrels,
        [name for name, entry in ENTRIES.items() if entry.family == "preference"],
    )
