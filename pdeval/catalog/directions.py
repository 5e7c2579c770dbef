"""Properties of a measure by its label: direction, aggregate, family and test.

A table has them in `attrs["measures"]`. If these are lost (`merge`, `concat` of different tables, CSV), the label is
looked up among those of this session and in the catalog. If these disagree or do not have the label, an error asks for
the direction.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NotRequired, TypedDict

import numpy as np

from pdeval.catalog.measures import Measure, parse


class Known(TypedDict):
    """Properties of a measure."""

    higher: bool
    aggregate: str
    family: str
    test: str
    size: NotRequired[float]  # size of its values, if the label does not define it
    range: NotRequired[tuple[float, float]]  # range of its values, likewise
    group: NotRequired[int]  # number of the group, if groups are computed together


SESSION: dict[str, list[Known]] = {}
DEFAULT: Known = {"higher": True, "aggregate": "mean", "family": "metric", "test": "t"}


def described(measures: Iterable[Measure]) -> dict[str, Known]:
    """Return the properties of measures by label, and remember them for this session.

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
    """Remember the properties of a label for this session; a label may have several meanings."""
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
    """Return the properties of a label; None if it is unknown or has several meanings.

    Parameters
    ----------
    attrs : mapping, optional
        The `attrs` of the table.
    higher : bool or mapping of label to bool, optional
        Direction stated by the caller, which has precedence.

    Examples
    --------
    >>> known_of("nDCG@10")["higher"], known_of("my own", higher={"my own": False})["higher"], known_of("never seen")
    (True, False, None)
    """
    declared = higher.get(label) if isinstance(higher, Mapping) else higher
    if declared is not None:
        return {**(known_of(label, attrs) or DEFAULT), "higher": bool(declared)}
    carried: Mapping[str, Known] = (attrs or {}).get("measures", {})
    if label in carried:
        return carried[label]
    candidates = list(SESSION.get(label, ()))
    with suppress(KeyError, ValueError):
        candidates.append(_of(parse(label)))
    is_unique = all(one == candidates[0] for one in candidates)
    return candidates[0] if candidates and is_unique else None


def higher_of(label: str, attrs: Mapping[Any, Any] | None = None, higher: object = None) -> bool:
    """Return whether higher values of a measure are better; raise if that is unknown.

    Examples
    --------
    >>> higher_of("AP"), higher_of("ASL")
    (True, False)
    >>> higher_of("never seen")
    Traceback (most recent call last):
    ValueError: unknown direction of measure 'never seen': the table does not state it, and no measure has that name.
    Specify whether higher is better: df.ireval(higher={'never seen': True}).
    """
    if (known := known_of(label, attrs, higher)) is not None:
        return known["higher"]
    why = (
        "the label has several meanings in this session"
        if SESSION.get(label)
        else "no measure has that name"
    )
    raise ValueError(
        f"unknown direction of measure {label!r}: the table does not state it, and {why}. "
        f"Specify whether higher is better: df.ireval(higher={{{label!r}: True}})."
    )


def aggregate_of(label: str, attrs: Mapping[Any, Any] | None = None) -> str:
    """Return the aggregate of a measure over queries: 'mean', 'geometric mean' or 'sum'; the mean if unknown.

    Examples
    --------
    >>> aggregate_of("AP"), aggregate_of("GMAP"), aggregate_of("my own column")
    ('mean', 'geometric mean', 'mean')
    """
    return (known_of(label, attrs) or DEFAULT)["aggregate"]


def default_test(label: str, attrs: Mapping[Any, Any] | None = None) -> str:
    """Return the significance test declared by a measure; the t-test if the measure is unknown.

    Examples
    --------
    >>> default_test("sgnLP(level=2)"), default_test("RPP"), default_test("my own column")
    ('sign', 't', 't')
    """
    return (known_of(label, attrs) or DEFAULT).get("test", "t")


def limits_of(
    label: str, values: np.ndarray, attrs: Mapping[Any, Any] | None = None
) -> tuple[float, float]:
    """Return the declared range of a measure; infinite if a value is outside of it.

    Examples
    --------
    >>> limits_of("AP", np.array([0.5, 1.0])), limits_of("AP", np.array([50.0, 100.0])), limits_of("my own", np.ones(2))
    ((0.0, 1.0), (-inf, inf), (-inf, inf))
    """
    low, high = range_of(label, attrs)
    # a missing value is neither below nor above
    outside = (values < low) | (values > high)
    return (-np.inf, np.inf) if outside.any() else (low, high)


def range_of(label: str, attrs: Mapping[Any, Any] | None = None) -> tuple[float, float]:
    """Return the declared range of a measure; infinite for labels that are not in the catalog.

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
    # the label is that of the catalog
    meant = known is not None and _of(measure).items() <= known.items()
    return (float(low), float(high)) if meant else (-np.inf, np.inf)
