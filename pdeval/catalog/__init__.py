"""The catalog: measures, preferences and orderings, declared by decorators and looked up by name."""

from pdeval.catalog.entries import ENTRIES, Entry, expected_of, metric, ordering, preference
from pdeval.catalog.measures import Measure, catalog, find, parse, parse_all

__all__ = [
    "ENTRIES",
    "Entry",
    "Measure",
    "catalog",
    "expected_of",
    "find",
    "metric",
    "ordering",
    "parse",
    "parse_all",
    "preference",
]
