"""pdeval: evaluation of rankings on pandas DataFrames."""

from pdeval import accessor, agreement, datasets, metrics, preferences
from pdeval.catalog import catalog, metric, ordering, parse, preference
from pdeval.trec import read_qrels, read_run, read_runs, write_qrels, write_run, write_runs

__version__ = "0.1.0"

__all__ = [
    "accessor",
    "agreement",
    "catalog",
    "datasets",
    "metric",
    "metrics",
    "ordering",
    "parse",
    "preference",
    "preferences",
    "read_qrels",
    "read_run",
    "read_runs",
    "write_qrels",
    "write_run",
    "write_runs",
]
