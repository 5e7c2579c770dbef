"""Which columns the functions of collections and users are told to read: those bound, or of a known vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd

from pdeval.judged import ranking
from pdeval.judged.positions import Compat
from pdeval.judged.ranks import Ties
from pdeval.kinds import tables

LABELS = ("label", "relevance", "grade", "rating", "rel")


def accessor_of(table: object, kind: tables.Kind | Literal["lists"]) -> Any:
    """Return the accessor of a frame, or the bound accessor itself."""
    if hasattr(table, "_binding"):
        return table
    if not isinstance(table, pd.DataFrame):
        what = tables.NAMES.get(kind, "interleaved lists (query, position, doc, team)")
        raise TypeError(f"expected a pandas DataFrame holding {what}, got {type(table).__name__}.")
    return table.ireval


def of_items(accessor: Any, *, needed: bool = True) -> dict[str, str]:
    """Return the query and doc columns of any table.

    Examples
    --------
    >>> of_items(pd.DataFrame(columns=["qid", "docno", "team"]).ireval)
    {'query': 'qid', 'doc': 'docno'}
    """
    frame, binding = accessor._frame, accessor._binding
    names = {role: str(binding[role]) for role in ("query", "doc") if role in binding}
    for words in tables.VOCABULARIES.values():
        both = {role: names.get(role, words[role]) for role in ("query", "doc")}
        if all(name in frame.columns for name in both.values()):
            return both
    if needed:
        have = ", ".join(map(str, frame.columns))
        raise ValueError(f"no query and doc columns among {have}. Bind them: df.ireval(query=..., doc=...).")
    return names


def of_labels(
    accessor: Any, item: str | Sequence[str] | None = None, assessor: str | None = None, label: str | None = None
) -> dict[str, Any]:
    """Return the item, assessor and label columns of a label table; an item is a (query, doc), or named `item`.

    Examples
    --------
    >>> of_labels(pd.DataFrame(columns=["qid", "docno", "assessor", "label"]).ireval)
    {'item': ['qid', 'docno'], 'assessor': 'assessor', 'label': 'label'}
    """
    frame, binding = accessor._frame, accessor._binding
    if item is None:
        pair = list(of_items(accessor, needed=False).values())
        item = pair if "item" not in frame.columns and len(pair) == 2 else "item"
    if label is None:
        label = binding.get("grade") or next((name for name in LABELS if name in frame.columns), "label")
    return {"item": item, "assessor": assessor or binding.get("assessor", "assessor"), "label": label}


def of_log(accessor: Any, binding: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a click log by role, those named in the call first.

    Examples
    --------
    >>> of_log(pd.DataFrame(columns=["sid", "qid"]).ireval(query="qid"), {"session": "sid"})
    {'query': 'qid', 'session': 'sid'}
    """
    bound = {role: str(name) for role, name in accessor._binding.items() if role in ("query", "doc", "rank")}
    return {**bound, **binding}


def of_pairs(frame: pd.DataFrame) -> list[str]:
    """Return the columns that name a run in a table of interleaved lists or credits, without their _a and _b.

    Examples
    --------
    >>> of_pairs(pd.DataFrame(columns=["model_a", "seed_a", "model_b", "seed_b", "rank_a", "rank_b"]))
    ['model', 'seed']
    """
    return [name for name in tables.paired_columns(frame) if name not in ("rank", "credit")] or ["run"]


def ranked(accessor: Any, ties: Ties | None, compat: Compat) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a run table with the ranks that the join would give it, and the names of its columns."""
    table = tables.read(accessor, "runs")
    names = {"query": table.roles["query"], "doc": table.roles["doc"], "run": list(table.run_columns) or "run"}
    return table.frame.assign(rank=ranking.ranked(table, ties=ties, compat=compat)), {**names, "rank": "rank"}


def graded(qrels: object, query: str, doc: str) -> pd.DataFrame:
    """Return judgments as `query`, `doc` and relevance, an item's highest grade where it has several subtopics.

    Examples
    --------
    >>> graded(pd.DataFrame({"qid": ["1"], "docno": ["d"], "label": [2]}), "query_id", "doc_id").to_dict("records")
    [{'query_id': '1', 'doc_id': 'd', 'relevance': 2}]
    """
    table = tables.read(qrels, "qrels")
    frame = table.frame[[table.roles[role] for role in ("query", "doc", "grade")]]
    frame = frame.set_axis([query, doc, "relevance"], axis=1)
    if "subtopic" not in table:
        return frame
    return frame.groupby([query, doc], observed=True)["relevance"].max().reset_index()


def shown(accessor: Any, ties: Ties | None, compat: Compat) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return what users are shown, interleaved lists or a ranked run table, and the names of its columns."""
    if "position" in accessor._frame.columns:
        return accessor._frame, {**of_items(accessor), "run": of_pairs(accessor._frame)}
    frame, names = ranked(accessor, ties, compat)
    names.pop("rank")
    return frame, names


def of_query(accessor: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return options with the query column of a table of credits, where a known one is there.

    Examples
    --------
    >>> of_query(pd.DataFrame(columns=["run_a", "run_b", "qid", "credit_a"]).ireval, {"alpha": 0.1})
    {'query': 'qid', 'alpha': 0.1}
    """
    known = [accessor._binding.get("query"), *(words["query"] for words in tables.VOCABULARIES.values())]
    query = next((name for name in known if name in accessor._frame.columns), "query_id")
    return {"query": query, **options}
