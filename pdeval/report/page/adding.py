"""What each item adds to a measure or a preference, as the page holds it: factors that the browser multiplies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse
from pdeval.evaluate.item_terms import Factors, factors, users
from pdeval.evaluate.ranked_items import RankedItems
from pdeval.report.origins import Origin
from pdeval.report.page.packing import numbers, packed

CHECKED = 25  # queries on which the items must add up to what the page holds
NEAR = 1e-9


def adding(
    origin: Origin, items: RankedItems, queries: pd.Index, values: np.ndarray, place: np.ndarray, preference: str | None
) -> dict[str, Any]:
    """Return the factors of each measure, None where ranks do not tell, and the users of the preference.

    Parameters
    ----------
    values : array of shape (measures, queries, systems)
        What the page holds: a label may be its writer's own, and factors that do not add up to it are not those of its
        measure.
    place : array
        The system of each run of the items, -1 where the report has none of it.
    preference : str, optional
        The preference between systems, where each system is one run.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> origin, queries = judged.report(["AP", "F@5"]).origins[0], judged.queries[:1]
    >>> value = judged.measure(["AP", "F@5"]).query("query_id == '101'").pivot(index="measure", columns="run")["value"]
    >>> found = adding(origin, RankedItems(judged), queries, value.to_numpy()[:, None], np.arange(12), "RPP")
    >>> [one and one["gain"] for one in found["adds"]], [one["name"] for one in found["users"]["populations"]]
    ([[[1, 1], [2, 1], [3, 1]], None], ['grade >= 1', 'grade >= 2', 'grade >= 3'])
    """
    topics = items.judged.queries.get_indexer(queries)
    adds: list[dict[str, Any] | None] = []
    for label, value in zip(origin.table.measures, values):
        measure = _parsed(label)
        found = factors(items.judged, measure) if measure is not None and preference != label else None
        fits = found is not None and _adds_up(found, items, queries, topics, value, place)
        adds.append(_held(found, topics) if found is not None and fits else None)
    return {"adds": adds, "users": _users(items, topics, preference)}


def _parsed(label: str) -> Measure | None:
    try:
        return parse(label)
    except (KeyError, ValueError):  # a label of its writer's own
        return None


def _adds_up(
    found: Factors, items: RankedItems, queries: pd.Index, topics: np.ndarray, value: np.ndarray, place: np.ndarray
) -> bool:
    """Whether items add up to the values of their runs; of a system of several runs, to their mean."""
    step = max(len(queries) // CHECKED, 1)
    for query, topic, own in zip(queries[::step], topics[::step], value[::step]):
        held = items.of_query(query)
        total = found.added(topic, held.grades, held.ranks).sum(axis=0)
        for_system = np.bincount(place[place >= 0], total[place >= 0], minlength=len(own))
        runs = np.bincount(place[place >= 0], minlength=len(own))
        counts = ~np.isnan(own) & (runs > 0)
        if not np.allclose((for_system / np.maximum(runs, 1))[counts], own[counts], rtol=0, atol=NEAR):
            return False
    return True


def _held(found: Factors, topics: np.ndarray) -> dict[str, Any]:
    gain = np.array(list(found.gain.items()))
    return {
        "gain": [numbers(one) for one in gain],
        "byLevel": found.by_level,
        "only": found.only,
        "packed": packed({"discount": numbers(found.discount), "weight": numbers(found.weight[topics])}),
    }


def _users(items: RankedItems, topics: np.ndarray, preference: str | None) -> dict[str, Any] | None:
    measure = None if preference is None else _parsed(preference)
    found = None if measure is None else users(items.judged, measure)
    if found is None:
        return None
    populations, weighed = found
    return {
        "label": preference,
        "populations": [{"name": one.name, "least": one.least} for one in populations],
        "packed": packed(
            {
                "shares": [numbers(one.share[topics]) for one in populations],
                "weights": {str(size): numbers(one) for size, one in weighed.items()},
            }
        ),
    }
