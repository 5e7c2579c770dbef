"""The catalog: measures, preferences and orderings, declared by decorators and looked up by name."""

from pdeval.catalog.directions import (
    DEFAULT,
    Known,
    aggregate_of,
    default_test,
    described,
    higher_of,
    known_of,
    limits_of,
    range_of,
    remember,
)
from pdeval.catalog.entries import ENTRIES, Entry, expected_of, metric, ordering, preference
from pdeval.catalog.measures import (
    Measure,
    catalog,
    checked_flag,
    find,
    needs_judged,
    parse,
    parse_all,
    same,
    split,
)
from pdeval.catalog.trec_eval_names import (
    OTHER_JUDGMENTS,
    SETS,
    SINCE_10,
    TABLE,
    TEXTS,
    check_parameters,
    cutoffs,
    exact_names,
    joined,
    number,
)

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
