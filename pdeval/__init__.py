"""pdeval: evaluation of rankings on pandas DataFrames."""

from pdeval import accessor, datasets, metrics, preferences
from pdeval.catalog import catalog, metric, ordering, parse, preference

__version__ = "0.1.0"

__all__ = ["accessor", "catalog", "datasets", "metric", "metrics", "ordering", "parse", "preference", "preferences"]
