"""What a collection is: requests, runs, and the items that were returned, judged and relevant per request."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.judged.judged import Judged
from pdeval.kinds.schemas import table
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


def described_groups(judged: Judged, group: np.ndarray, groups: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a row for each group of queries in which some count, and the groups of these rows."""
    positions, used = judged.positions, judged.counted()
    topics: np.ndarray = np.any(used, axis=1)
    topic, run = np.nonzero(used & positions.answered)
    items = np.flatnonzero(topics[positions.judged.topic])
    of_list, of_item = group[topic], group[positions.judged.topic[items]]
    relevant = positions.relevant(judged.level)[items]
    n, lists, judgments, of_relevant, subtopics = (
        np.bincount(of, minlength=groups)
        for of in (group[topics], of_list, of_item, of_item[relevant], group[_subtopics(judged, topics)])
    )
    docs = np.bincount(of_list, weights=positions.retrieved[topic, run], minlength=groups)
    grade, which = positions.judged.grade[items], np.argsort(of_item, kind="stable")
    own = np.split(grade[which], np.cumsum(judgments)[:-1])
    with np.errstate(invalid="ignore"):
        columns = {
            "queries": n,
            "runs": np.full(groups, len(judged.runs)),
            "docs_per_query": docs / lists,
            "judged_per_query": judgments / n,
            "relevant_per_query": of_relevant / n,
            "subtopics_per_query": subtopics / n,
        }
    kept = np.flatnonzero(n)
    frame = pd.DataFrame({name: values[kept] for name, values in columns.items()})
    frame["grades"] = [_grades(own[code]) for code in kept]
    # how ties are ranked is of no matter to what a collection is
    frame.attrs.update({name: value for name, value in judged.attrs.items() if name not in ("ties", "compat")})
    return frame, kept


@verb(on="judged", gives="description", needs="judged", command=True, of_groups=described_groups)
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
    frame, _ = described_groups(judged, np.zeros(len(judged.queries), dtype=np.intp), 1)
    if not len(frame):
        raise judged.nothing_counts()
    return frame


def _subtopics(judged: Judged, topics: np.ndarray) -> np.ndarray:
    """Return the topic of every (query, subtopic) there is."""
    known = judged.positions.judged
    if known.subtopic is None or known.subtopics is None:
        return np.zeros(0, dtype=np.intp)
    topic = known.topic[known.subtopic[0].astype(np.int64)]
    key = topic * len(known.subtopics) + known.subtopic[1].astype(np.int64)
    different: np.ndarray = np.unique(key[topics[topic]]) // len(known.subtopics)
    return different


def _grades(grade: np.ndarray) -> str:
    """Return the different grades as text, or the ends of a longer scale."""
    different = [f"{value:g}" for value in np.unique(grade)]
    if len(different) > MOST_GRADES:
        return f"{different[0]} to {different[-1]} ({len(different)} different)"
    return ", ".join(different)
