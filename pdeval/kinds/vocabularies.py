"""Vocabularies: which columns play which roles in the tables of which tool."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

ROLES = (
    *("run", "query", "doc", "score", "rank"),
    *("grade", "subtopic", "assessor", "label", "propensity"),
    *("session", "user", "time", "action", "bucket"),
    *("measure", "value"),
    *("feature", "popularity"),
)

VOCABULARIES: dict[str, dict[str, str]] = {}

# the names that a role's column has whatever the vocabulary
GRADES = ("relevance", "label", "grade", "rating", "rel")
COLUMNS: dict[str, tuple[str, ...]] = {
    "grade": GRADES,
    "label": ("label", "relevance", "grade", "rating", "rel"),
    "time": ("timestamp", "time"),
}
# beside another id these are something else: the text of a query, who asked it, what an item is called
WEAK = ("query", "user", "item")


def vocabulary(
    name: str, *, run: str, query: str, doc: str, score: str | None = None, grade: str | None = None
) -> None:
    """Declare the columns of a tool's run tables and judgments.

    Parameters
    ----------
    name : str
        The tool.
    run, query, doc : str
        What it calls a run, a query and an item.
    score, grade : str, optional
        What it calls the score of an item, if not `score`; and its grade, if not one of the names that are understood
        everywhere.

    Examples
    --------
    >>> vocabulary("example", run="system", query="topic_no", doc="page")
    >>> VOCABULARIES.pop("example")["doc"]
    'page'
    """
    own = {"run": run, "query": query, "doc": doc, "score": score, "grade": grade}
    VOCABULARIES[name] = {role: word for role, word in own.items() if word is not None}


vocabulary("pdeval", run="run", query="query_id", doc="doc_id")
vocabulary("PyTerrier", run="name", query="qid", doc="docno")
vocabulary("ranx", run="run", query="q_id", doc="doc_id", grade="score")
vocabulary("TREC", run="tag", query="topic", doc="docid")
vocabulary("trectools", run="system", query="query", doc="docid")
vocabulary("BEIR", run="run", query="query-id", doc="corpus-id", grade="score")
vocabulary("recommender", run="run", query="user_id", doc="item_id", grade="weight")
vocabulary("Microsoft recommenders", run="run", query="userID", doc="itemID", score="prediction")
vocabulary("MovieLens", run="run", query="userId", doc="movieId")
vocabulary("Spark", run="run", query="user", doc="item", score="prediction")
vocabulary("Surprise", run="run", query="uid", doc="iid", score="est", grade="r_ui")
vocabulary("plain", run="run", query="query", doc="doc")


def names_of(role: str) -> tuple[str, ...]:
    """Return the columns that may play a role, in any vocabulary.

    Examples
    --------
    >>> names_of("query")[:2], names_of("time"), names_of("score")
    (('query_id', 'qid'), ('timestamp', 'time'), ('score', 'prediction', 'est'))
    """
    if role in ("run", "query", "doc"):
        return tuple(dict.fromkeys(words[role] for words in VOCABULARIES.values()))
    if role == "score":
        own = (words["score"] for words in VOCABULARIES.values() if "score" in words)
        return tuple(dict.fromkeys(("score", *own)))
    return COLUMNS.get(role, (role,))


def candidates(role: str, columns: Collection[object], taken: Collection[object] = ()) -> list[str]:
    """Return the columns that could play a role: of several, not those that mean something else beside another.

    Examples
    --------
    >>> candidates("query", ["qid", "query", "user"]), candidates("query", ["user"])
    (['qid'], ['user'])
    """
    present = [name for name in names_of(role) if name in columns and name not in taken]
    return [name for name in present if name not in WEAK] or present


# what a column's name may hold where it plays a role under a name of its own
_STEMS = {
    "query": r"quer|topic|question|user|qid|uid|session",
    "doc": r"doc|item|passage|page|product|movie|corpus|pid|iid|article|url",
    "score": r"score|sim|pred|logit|prob|weight",
    "grade": r"rel|grade|label|rating|judg|gain|score",
    "run": r"run|system|model|method|algo|tag|name|ranker|approach",
}


def likely(role: str, columns: Iterable[object]) -> list[str]:
    """Return the columns whose names sound like a role, the likeliest first; to be named in a hint, never taken.

    Examples
    --------
    >>> likely("query", ["topic_no", "page"]), likely("doc", ["topic_no", "page"])
    (['topic_no'], ['page'])
    """
    names = [str(column) for column in columns]
    known = {re.sub(r"[\W_]", "", name).lower() for name in names_of(role)}
    found = [name for name in names if role in _STEMS and re.search(_STEMS[role], name.lower())]
    return sorted(found, key=lambda name: re.sub(r"[\W_]", "", name).lower() not in known)


def listed(names: Iterable[object], most: int = 12) -> str:
    """Return names for a message, at most so many.

    Examples
    --------
    >>> listed("abc", most=2)
    'a, b, ... (3 in all)'
    """
    texts = [str(name) for name in names]
    return ", ".join(texts[:most]) + (f", ... ({len(texts)} in all)" if len(texts) > most else "")
