"""Judgments as arrays: the judged items, sorted by topic, with their grades and subtopics."""

from dataclasses import dataclass

import numpy as np

from pdeval.join import ids
from pdeval.join.ids import Ids
from pdeval.tables import COLLECTIONS, Table, noun, numbers, several_collections


@dataclass(frozen=True, eq=False)
class Judgments:
    """The judged items of every query.

    Parameters
    ----------
    queries : Ids
        The query ids, in byte order; a topic is a place in them.
    docs : Ids
        The different document ids, in byte order.
    topic, doc, grade : ndarray of shape (items,)
        Sorted by topic, then document.
    subtopic : ndarray of shape (3, ...) or None
        Rows (item, subtopic code, grade), if the table has subtopics.
    subtopics : Ids or None
        The different subtopic ids, by code.
    """

    queries: Ids
    docs: Ids
    topic: np.ndarray
    doc: np.ndarray
    grade: np.ndarray
    subtopic: np.ndarray | None = None
    subtopics: Ids | None = None

    def key(self) -> np.ndarray:
        """Return one number per item, rising: topic and document together."""
        # items are sorted by topic and document, so the keys are sorted: they can be bisected
        return self.topic * len(self.docs) + self.doc


def read_judgments(table: Table, *, complete: bool = True) -> Judgments:
    """Return the judgments of a qrels table; without `complete`, only items of positive grade.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame({"query_id": ["q2", "q1"], "doc_id": ["b", "a"], "relevance": [1, 0]})
    >>> judged = read_judgments(read(frame, "qrels"))
    >>> judged.topic.tolist(), judged.grade.tolist()
    ([0, 1], [0.0, 1.0])
    """
    if len(table.frame) == 0:
        raise ValueError("the judgments table is empty; there is nothing to evaluate against.")
    queries, topic = ids.column_ids(table.column("query"), "judgments' query").unique(natural=True)
    doc_ids = ids.column_ids(table.column("doc"), "judgments' doc")
    grade = numbers(table.column("grade"), "judgments' grade")
    if np.isinf([grade.min(initial=0.0), grade.max(initial=0.0)]).any():
        raise ValueError("the judgments' grade column has infinite grades. Use finite grades.")
    if not complete and "subtopic" not in table and _all_different(topic, doc_ids):
        positive = np.flatnonzero(grade > 0)
        doc_ids, topic, grade = doc_ids.take(positive), topic[positive], grade[positive]
    docs, doc = doc_ids.unique()
    key = (
        topic.astype(np.int64) * len(docs) + doc
    )  # one integer per (query, doc), sorted as these are
    if "subtopic" in table:
        return _with_subtopics(table, queries, docs, key, grade)
    order, kept, differ = _rows_to_keep(key, grade)
    if len(differ):
        raise ValueError(_conflict_text(table, order[differ], order[differ - 1], len(differ)))
    key, grade = key[order[kept]], grade[order[kept]]
    return Judgments(queries, docs, key // len(docs), key % len(docs), grade)


def _rows_to_keep(key: np.ndarray, grade: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows sorted by key, places in them of the first row of each key, and places where grades differ."""
    order = np.argsort(key, kind="stable")
    new = np.diff(key[order], prepend=-1) != 0
    again = np.flatnonzero(~new)
    grade = grade[order]
    return order, np.flatnonzero(new), again[grade[again] != grade[again - 1]]


def _all_different(topic: np.ndarray, doc: Ids) -> bool:
    """Return whether no two rows can be of the same query and document, by hashes only."""
    # the product spreads topics over 64 bits, far from the hashes of other documents
    mark = ids.fingerprints(doc) + topic.astype(np.uint64) * np.uint64(0xD1342543DE82EF95)
    mark.sort()
    return not (mark[1:] == mark[:-1]).any()


def _conflict_text(table: Table, rows: np.ndarray, others: np.ndarray, count: int) -> str:
    both = table.frame.iloc[[others[0], rows[0]]]
    pair = tuple(both[table.roles[name]].tolist()[0] for name in ("query", "doc"))
    grades = both[table.roles["grade"]].tolist()
    columns = [table.roles["query"], table.roles["doc"]]
    key = ", ".join(map(noun, ("query", "doc"), columns))
    collections = [
        name for name in COLLECTIONS if name in both.columns and both[name].nunique() > 1
    ]
    advice = (
        "If rows belong to subtopics, bind that column: qrels.ireval(subtopic=...). If they belong to collections, add "
        "a column with the collection to runs and judgments, and use by= that column. Otherwise keep one, e.g. "
        f".groupby({columns}, as_index=False).max()."
    )
    if collections:
        advice = several_collections(collections[0], beside=", with the same column in the runs,")
    return (
        f"the judgments table has {count:,} ({key}) pairs with different grades, e.g. {pair!r} with "
        f"{grades[0]} and {grades[1]}. {advice}"
    )


def _with_subtopics(
    table: Table, queries: Ids, docs: Ids, key: np.ndarray, grade: np.ndarray
) -> Judgments:
    subtopics, code = ids.column_ids(table.column("subtopic"), "judgments' subtopic").unique()
    known, place = np.unique(
        key, return_inverse=True
    )  # numbered anew: three columns' codes might not fit 64 bits
    full = place * len(subtopics) + code
    order, kept, differ = _rows_to_keep(full, grade)
    if len(differ):
        raise ValueError(
            f"the judgments table has {len(differ):,} (query, subtopic, doc) rows with different grades; "
            "keep one of each."
        )
    full, grade = full[order[kept]], grade[order[kept]]
    # an item has the best grade of its subtopics
    items, first, item = np.unique(full // len(subtopics), return_index=True, return_inverse=True)
    key = known[items]
    rows = np.stack([item.astype(np.float64), full % len(subtopics), grade])
    best = np.maximum.reduceat(grade, first)
    return Judgments(queries, docs, key // len(docs), key % len(docs), best, rows, subtopics)
