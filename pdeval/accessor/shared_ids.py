"""Ids of queries that several collections share, where they were to be joined as one."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pdeval.evaluate.groups import stretches
from pdeval.kinds import tables
from pdeval.kinds.recognition import COLLECTIONS, several_collections


def check_shared_ids(runs: object, qrels: object) -> None:
    """Raise where a query id is one of several collections: lists and judgments of other queries would be joined.

    A column of judgments or runs that is called `collection`, `dataset`, ... tells them apart. Where every id is of one
    collection, all may be joined at once.

    Examples
    --------
    >>> qrels = pd.DataFrame({"collection": ["x", "y"], "query_id": "1", "doc_id": ["a", "b"], "relevance": 1})
    >>> check_shared_ids(None, qrels)
    Traceback (most recent call last):
    ValueError: 1 of 1 query ids are in several collections, e.g. '1' in 'x' and 'y': they are different queries. The
    column collection tells collections apart: by='collection', with the same column in the runs, works within each, and
    .verdict(by='collection') over all.
    """
    if not _checked(qrels, "qrels", "runs"):
        _checked(runs, "runs", "judgments")


def _checked(table: object, kind: str, other: str) -> bool:
    """Return whether a table has a column that tells collections apart; raise where their queries share ids."""
    frame: Any = table.frame if isinstance(table, tables.Table) else getattr(table, "_frame", table)
    columns = [name for name in COLLECTIONS if name in getattr(frame, "columns", ())]
    if not columns:
        return False
    if isinstance(frame, pd.DataFrame) and all(
        (frame[name] == frame[name].iloc[:1].squeeze()).all() for name in columns
    ):
        return True  # all of one collection
    empty = frame.iloc[:0] if isinstance(frame, pd.DataFrame) else frame._meta  # of Dask
    found = tables.read(empty, kind, getattr(table, "_binding", None))
    query = found.roles.get("query")
    columns = [name for name in columns if name not in (*found.roles.values(), *found.run_columns)]
    if query is None:
        return bool(columns)
    for name in columns:
        pairs = _pairs(frame, [query, name])
        again = pairs[query].duplicated(keep=False)
        if again.any():
            ids = pairs[query][again].unique()
            held = " and ".join(repr(one) for one in pairs.loc[pairs[query] == ids[0], name].tolist()[:2])
            raise ValueError(
                f"{len(ids):,} of {pairs[query].nunique():,} query ids are in several {_plural(name)}, e.g. {ids[0]!r} "
                f"in {held}: they are different queries. "
                + several_collections(name, beside=f", with the same column in the {other},")
            )
    return bool(columns)


def _pairs(frame: Any, names: list[str]) -> pd.DataFrame:
    """Return the different pairs of two columns; rows of a query stand together, so that few are looked at."""
    if not isinstance(frame, pd.DataFrame):
        return frame[names].drop_duplicates().compute()
    first = stretches([frame[name] for name in names])
    return frame[names].iloc[first].drop_duplicates().astype(object)


def _plural(name: str) -> str:
    return {"corpus": "corpora"}.get(name, f"{name.replace('_', ' ')}s")
