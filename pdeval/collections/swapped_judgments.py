"""The judgments that other assessors would have made: one set per assessor, or random mixes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.collections.labelled import coded, given
from pdeval.kinds.tables import Table

How = Literal["assessor", "draw"]
Per = Literal["item", "query"]


def swapped_qrels(
    labels: Table,
    *,
    how: How = "assessor",
    per: Per = "item",
    draws: int = 100,
    seed: int | None = 0,
    grades: Mapping[object, float] | None = None,
) -> Iterator[tuple[object, pd.DataFrame]]:
    """Yield (name, qrels): the judgments as each assessor, or a random mix of assessors, would have made them.

    Score the same runs on each and compare the orderings (Voorhees 2000: scores move, orderings hardly do).

    Parameters
    ----------
    how : {'assessor', 'draw'}
        'assessor': one qrels per assessor, holding what that assessor labelled; the name is the assessor.
        'draw': `draws` qrels, each from assessors drawn at random; the name is 0, 1, ...
    per : {'item', 'query'}
        What a drawn assessor decides: one (query, doc), drawn among those who labelled it, so that every qrels is
        complete; or a whole query, as in TREC, where items that the drawn assessor did not label stay unjudged.
    draws, seed : int
        Number of draws, and the seed of the generator.
    grades : mapping of label to number, optional
        The grade of each label; needed where labels are not numbers.

    Examples
    --------
    >>> from pdeval.kinds.tables import read
    >>> frame = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["d", "d"], "assessor": ["ann", "bob"],
    ...                       "label": ["yes", "no"]})
    >>> for name, qrels in swapped_qrels(read(frame, "labels"), grades={"yes": 1, "no": 0}):
    ...     print(name, qrels.values.tolist())
    ann [['q', 'd', 1]]
    bob [['q', 'd', 0]]
    """
    if how not in ("assessor", "draw") or per not in ("item", "query"):
        raise ValueError(f"how is 'assessor' or 'draw' and per is 'item' or 'query', not {how!r} and {per!r}.")
    if "query" not in labels:
        raise ValueError(
            f"judgments are of queries, and the label table has no query column among "
            f"{', '.join(map(str, labels.frame.columns))}. Bind it: labels.ireval(query=...)."
        )
    query, doc, label = (labels.roles[role] for role in ("query", "doc", "label"))
    read, assessors, _ = coded(labels)
    rows = given(labels)
    if rows.empty:
        count = len(labels.frame)
        raise ValueError(f"the label table holds no labels: column {label!r} is empty in all {count:,} rows.")
    by_item = np.lexsort((read.assessor, read.item))
    qrels = rows[[query, doc]].assign(relevance=grades_of(rows[label], grades)).iloc[by_item]
    who = read.assessor[by_item].astype(np.int64)
    if how == "assessor":
        for code, name in enumerate(assessors):
            yield name, qrels[who == code].reset_index(drop=True)
        return
    decided = read.item[by_item]
    if per == "query":
        decided = qrels.groupby(query, observed=True, sort=True).ngroup().to_numpy()
    # one entry per (what is decided, assessor), sorted: a draw picks one entry of every unit
    entries, entry = np.unique(decided * len(assessors) + who, return_inverse=True)
    size = np.bincount(entries // max(len(assessors), 1))
    start = np.cumsum(size) - size
    rng = np.random.default_rng(seed)
    for number in range(draws):
        picked = start + (rng.random(len(start)) * size).astype(np.int64)
        yield number, qrels[picked[decided] == entry].reset_index(drop=True)


def grades_of(column: pd.Series, grades: Mapping[object, float] | None) -> np.ndarray:
    """Return the grade of each label, or raise where words have none."""
    if grades is None:
        if not pd.api.types.is_numeric_dtype(column.dtype):
            raise ValueError(
                f"the labels are not numbers, e.g. {column.iloc[0]!r}; say what each is worth: "
                f"grades={{{column.iloc[0]!r}: 1, ...}}."
            )
        return column.to_numpy()
    unknown = [value for value in column.unique() if value not in grades]
    if unknown:
        raise ValueError(f"grades= has no grade for {len(unknown)} of the labels, e.g. {unknown[:3]}.")
    return column.astype(object).map(dict(grades)).to_numpy(dtype=type(next(iter(grades.values()))))
