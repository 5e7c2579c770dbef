"""What is known of a measure from its label alone: its direction, aggregate, family and test.

A table carries it in `attrs["measures"]`. Where that was lost (`merge`, `concat` of different tables, CSV), the label
is looked up among those of this session and in the catalog. Where these disagree or know nothing, pdeval asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NotRequired, TypedDict

import numpy as np

from pdeval.catalog.measures import Measure, parse


class Known(TypedDict):
    """What a table has to know of a measure."""

    higher: bool
    aggregate: str
    family: str
    test: str
    size: NotRequired[float]  # of its numbers, where the label does not tell
    range: NotRequired[tuple[float, float]]  # of its values, likewise
    group: NotRequired[int]  # where a measure of each of several groups stands as one of its own


SESSION: dict[str, list[Known]] = {}


def described(measures: Iterable[Measure]) -> dict[str, Known]:
    """Return what tables carry about measures, by label, and remember it for this session.

    Examples
    --------
    >>> described([parse("ASL", label="my length")])
    {'my length': {'higher': False, 'aggregate': 'mean', 'family': 'metric', 'test': 't'}}
    """
    known_by_label = {measure.label: _of(measure) for measure in measures}
    for label, known in known_by_label.items():
        remember(label, known)
    return known_by_label


def remember(label: str, known: Known) -> None:
    """Keep what a label means in this session; a label may have meant several things."""
    meanings = SESSION.setdefault(label, [])
    if known not in meanings:
        meanings.append(known)


def _of(measure: Measure) -> Known:
    entry = measure.entry
    return {
        "higher": measure.higher,
        "aggregate": entry.aggregate,
        "family": entry.family,
        "test": entry.test,
    }


def known_of(
    label: str, attrs: Mapping[Any, Any] | None = None, higher: object = None
) -> Known | None:
    """Return what is known of a label, or None where nothing is, or where it has meant different things.

    Parameters
    ----------
    attrs : mapping, optional
        Those of the table that has the label.
    higher : bool or mapping of label to bool, optional
        What the caller says; comes first.

    Examples
    --------
    >>> known_of("nDCG@10")["higher"], known_of("my own", higher={"my own": False})["higher"], known_of("never seen")
    (True, False, None)
    """
    declared = higher.get(label) if isinstance(higher, Mapping) else higher
    if declared is not None:
        rest = known_of(label, attrs) or {
            "higher": True,
            "aggregate": "mean",
            "family": "metric",
            "test": "t",
        }
        return {**rest, "higher": bool(declared)}
    carried: Mapping[str, Known] = (attrs or {}).get("measures", {})
    if label in carried:
        return carried[label]
    candidates = list(SESSION.get(label, ()))
    try:
        catalogued = _of(parse(label))
    except (KeyError, ValueError):
        catalogued = None
    if catalogued is not None and catalogued not in candidates:
        candidates.append(catalogued)
    return candidates[0] if len(candidates) == 1 else None


def higher_of(label: str, attrs: Mapping[Any, Any] | None = None, higher: object = None) -> bool:
    """Return whether more of a measure is better, or ask.

    Examples
    --------
    >>> higher_of("AP"), higher_of("ASL")
    (True, False)
    >>> higher_of("never seen")
    Traceback (most recent call last):
    ValueError: is more of 'never seen' better? The table does not say, and no measure of that name is known. Say it:
    df.ireval(higher={'never seen': True}).
    """
    known = known_of(label, attrs, higher)
    if known is not None:
        return known["higher"]
    why = (
        "it has meant different things"
        if len(SESSION.get(label, ()))
        else "no measure of that name is known"
    )
    raise ValueError(
        f"is more of {label!r} better? The table does not say, and {why}. Say it: "
        f"df.ireval(higher={{{label!r}: True}})."
    )


def aggregate_of(label: str, attrs: Mapping[Any, Any] | None = None) -> str:
    """Return how a measure is summed up over queries: 'mean', 'geometric mean' or 'sum'; the mean where unknown.

    Examples
    --------
    >>> aggregate_of("AP"), aggregate_of("GMAP"), aggregate_of("my own column")
    ('mean', 'geometric mean', 'mean')
    """
    known = known_of(label, attrs)
    return "mean" if known is None else known["aggregate"]


def default_test(label: str, attrs: Mapping[Any, Any] | None = None) -> str:
    """Return the significance test that fits a measure by its declaration; the t-test where it is unknown.

    Examples
    --------
    >>> default_test("sgnLP(level=2)"), default_test("RPP"), default_test("my own column")
    ('sign', 't', 't')
    """
    known = known_of(label, attrs)
    return "t" if known is None else known.get("test", "t")


def limits_of(
    label: str, values: np.ndarray, attrs: Mapping[Any, Any] | None = None
) -> tuple[float, float]:
    """Return the least and the largest value of a measure by its declaration; infinite if some value is beyond them.

    Examples
    --------
    >>> limits_of("AP", np.array([0.5, 1.0])), limits_of("AP", np.array([50.0, 100.0])), limits_of("my own", np.ones(2))
    ((0.0, 1.0), (-inf, inf), (-inf, inf))
    """
    low, high = range_of(label, attrs)
    inside = (np.isnan(values) | ((values >= low) & (values <= high))).all()
    return (low, high) if inside else (-np.inf, np.inf)


def range_of(label: str, attrs: Mapping[Any, Any] | None = None) -> tuple[float, float]:
    """Return the range that a measure declares; infinite for labels that are not of the catalog.

    Examples
    --------
    >>> range_of("AP"), range_of("my own")
    ((0.0, 1.0), (-inf, inf))
    """
    known = known_of(label, attrs)
    if known is not None and "range" in known:
        return known["range"]
    try:
        measure = parse(label)
    except (KeyError, ValueError):
        return -np.inf, np.inf
    low, high = measure.entry.range
    meant = (
        known is not None and _of(measure).items() <= known.items()
    )  # the label is that of the catalog
    return (float(low), float(high)) if meant else (-np.inf, np.inf)
