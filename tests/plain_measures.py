"""The measures of one ranking that need nothing beside runs and judgments, for walks over the catalog."""

from pdeval.catalog import ENTRIES


def needs_nothing(entry):
    """Return whether a measure needs no side table, no propensities, and no number that must be said."""
    return (
        entry.kind not in ("items", "set")
        and "weight" not in entry.columns
        and "negatives" not in entry.parameters
    )


METRICS = [
    name for name, entry in ENTRIES.items() if entry.family == "metric" and needs_nothing(entry)
]
