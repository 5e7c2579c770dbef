"""Vocabularies: which columns play which roles in the tables of which tool."""

from __future__ import annotations

from collections.abc import Iterable

ROLES = (
    *("run", "query", "doc", "score", "rank"),
    *("grade", "subtopic", "assessor", "label"),
    *("session", "user", "time", "action", "bucket"),
    *("measure", "value"),
)

VOCABULARIES: dict[str, dict[str, str]] = {}

# the names that a role's column has whatever the vocabulary
GRADES = ("relevance", "label", "grade", "rating", "rel")
COLUMNS: dict[str, tuple[str, ...]] = {
    "grade": GRADES,
    "label": ("label", "relevance", "grade", "rating", "rel"),
    "time": ("timestamp", "time"),
}


def vocabulary(name: str, *, run: str, query: str, doc: str) -> None:
    """Declare the columns of a tool's run tables and judgments.

    Examples
    --------
    >>> vocabulary("example", run="system", query="topic_no", doc="page")
    >>> VOCABULARIES.pop("example")["doc"]
    'page'
    """
    VOCABULARIES[name] = {"run": run, "query": query, "doc": doc}


vocabulary("pdeval", run="run", query="query_id", doc="doc_id")
vocabulary("PyTerrier", run="name", query="qid", doc="docno")
vocabulary("ranx", run="run", query="q_id", doc="doc_id")
vocabulary("TREC", run="tag", query="topic", doc="docid")
vocabulary("recommender", run="run", query="user_id", doc="item_id")
vocabulary("plain", run="run", query="query", doc="doc")


def names_of(role: str) -> tuple[str, ...]:
    """Return the columns that may play a role, in any vocabulary.

    Examples
    --------
    >>> names_of("query")[:2], names_of("time"), names_of("score")
    (('query_id', 'qid'), ('timestamp', 'time'), ('score',))
    """
    if role in ("run", "query", "doc"):
        return tuple(dict.fromkeys(words[role] for words in VOCABULARIES.values()))
    return COLUMNS.get(role, (role,))


def listed(names: Iterable[object], most: int = 12) -> str:
    """Return names for a message, at most so many.

    Examples
    --------
    >>> listed("abc", most=2)
    'a, b, ... (3 in all)'
    """
    texts = [str(name) for name in names]
    return ", ".join(texts[:most]) + (f", ... ({len(texts)} in all)" if len(texts) > most else "")
