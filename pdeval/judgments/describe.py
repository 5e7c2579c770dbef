"""What a collection is: requests, runs, and the items that were returned, judged and relevant per request."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.join.judged import Judged
from pdeval.tables.schemas import table
from pdeval.verbs import verb

MOST_GRADES = 8  # more of them are a scale: its ends are said

table(
    "description",
    "queries:int runs:int docs_per_query:float judged_per_query:float relevant_per_query:float "
    "subtopics_per_query:float grades",
    "description of collections",
    row="collection",
    means={
        "queries": "queries that count",
        "runs": "number of runs",
        "docs_per_query": "mean number of items in a list",
        "judged_per_query": "mean number of judged items of a query",
        "relevant_per_query": "mean number of relevant items of a query",
        "subtopics_per_query": "mean number of judged subtopics of a query",
        "grades": "the grades that were given",
    },
    undrawn="it is one row per collection, to be read",
)


@verb(on="judged", gives="description", needs="judged", command=True)
def describe(judged: Judged) -> pd.DataFrame:
    """Return what a collection is, in one row: the table with which experiments begin.

    Lists, items and subtopics are counted over the queries that count under the topic rule; a query that a run did not
    answer has no list. An item that was judged for several subtopics is one item.

    Returns
    -------
    DataFrame
        One row; with by="collection" one per collection.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.describe().T
                                  0
    queries                      48
    runs                         12
    docs_per_query            100.0
    judged_per_query      88.708333
    relevant_per_query    23.854167
    subtopics_per_query         0.0
    grades               0, 1, 2, 3
    """
    positions, counted = judged.positions, judged.counted()
    queries: np.ndarray = np.any(counted, axis=1)
    n = int(queries.sum())
    if not n:
        raise judged.nothing_counts()
    lists = counted & positions.answered
    items = queries[positions.judged.topic]
    relevant = positions.relevant(judged.level) & items
    with np.errstate(invalid="ignore"):
        columns = {
            "queries": n,
            "runs": len(judged.runs),
            "docs_per_query": np.float64(positions.retrieved[lists].sum()) / lists.sum(),
            "judged_per_query": items.sum() / n,
            "relevant_per_query": relevant.sum() / n,
            "subtopics_per_query": _subtopics(judged, queries) / n,
            "grades": _grades(positions.judged.grade[items]),
        }
    frame = pd.DataFrame([columns])
    # how ties are ranked is of no matter to what a collection is
    frame.attrs.update({name: value for name, value in judged.attrs.items() if name not in ("ties", "compat")})
    return frame


def _subtopics(judged: Judged, topics: np.ndarray) -> int:
    """Return how many different subtopics some queries have, together."""
    known = judged.positions.judged
    if known.subtopic is None or known.subtopics is None:
        return 0
    topic = known.topic[known.subtopic[0].astype(np.int64)]
    key = topic * len(known.subtopics) + known.subtopic[1].astype(np.int64)
    return len(np.unique(key[topics[topic]]))


def _grades(grade: np.ndarray) -> str:
    """Return the different grades as text, or the ends of a longer scale."""
    different = [f"{value:g}" for value in np.unique(grade)]
    if len(different) > MOST_GRADES:
        return f"{different[0]} to {different[-1]} ({len(different)} different)"
    return ", ".join(different)
