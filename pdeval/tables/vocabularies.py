"""Vocabularies: which columns play which roles in the tables of which tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from pdeval.verbs.registry import Registry

ROLES = (
    *("run", "query", "doc", "score", "rank"),
    *("grade", "subtopic", "assessor", "label", "propensity"),
    *("session", "user", "time", "action", "bucket"),
    *("measure", "value"),
    *("feature", "popularity"),
)

VOCABULARIES: Registry[dict[str, str]] = Registry("vocabulary", replace="always")

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
    VOCABULARIES.add(name, {role: word for role, word in own.items() if word is not None})


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


Binding = Mapping[str, Any]
ITEM = ("query", "doc")


def item_roles(
    columns: Collection[Any], kind: str, binding: Binding, missing: Callable[[list[str]], str]
) -> dict[str, Any]:
    """Return the columns of the roles query, doc, and score and rank of runs or the grade of judgments, where there.

    Parameters
    ----------
    kind : {'runs', 'qrels', 'history'}
        What the table holds.
    binding : mapping of role to column
        What the caller bound.
    missing : callable
        What to say of roles that no column plays.

    Examples
    --------
    >>> item_roles(["qid", "doc_id", "prediction"], "runs", {}, str)
    {'query': 'qid', 'doc': 'doc_id', 'score': 'prediction'}
    >>> item_roles(["query-id", "corpus-id", "score"], "qrels", {}, str)
    {'query': 'query-id', 'doc': 'corpus-id', 'grade': 'score'}
    """
    roles: dict[str, Any] = {role: binding[role] for role in ITEM if role in binding}
    roles |= _ids(columns, binding, missing)
    roles = {role: roles[role] for role in ITEM}
    if kind == "history":  # what users had counts, whatever they thought of it
        return roles
    spoken = spoken_by(roles)
    if kind == "runs":
        if (score := _score(columns, binding, spoken)) is not None:
            roles["score"] = score
        rank = binding.get("rank", "rank")
        return roles | ({"rank": rank} if rank in columns else {})
    grade = _grade(columns, binding, spoken)
    return roles if grade is None else roles | {"grade": grade}


def spoken_by(roles: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the vocabularies that a table speaks: those whose words for query and item it has, or else for either."""
    both = [words for words in VOCABULARIES.values() if all(words[role] == roles[role] for role in ITEM)]
    return both or [words for words in VOCABULARIES.values() if any(words[role] == roles[role] for role in ITEM)]


def run_words(roles: Mapping[str, Any]) -> list[str]:
    """Return what the run may be called in the vocabularies that a table speaks.

    Examples
    --------
    >>> run_words({"query": "qid", "doc": "docno"}), run_words({"query": "query_id", "doc": "docid"})
    (['run', 'name'], ['run', 'tag', 'system'])
    """
    return list(dict.fromkeys(["run", *(words["run"] for words in spoken_by(roles))]))


def _ids(columns: Collection[Any], binding: Binding, missing: Callable[[list[str]], str]) -> dict[str, str]:
    """Return the columns of the query and the item that the caller did not bind."""
    free = [role for role in ITEM if role not in binding]
    whole = [words for words in VOCABULARIES.values() if all(words[role] in columns for role in free)]
    whole = [words for words in whole if not any(words[role] in WEAK for role in free)] or whole
    if whole:
        found = {role: list(dict.fromkeys(words[role] for words in whole)) for role in free}
    else:
        taken = [binding[role] for role in ITEM if role in binding]
        found = {role: candidates(role, columns, taken) for role in free}
    lacking = [role for role in free if not found[role]]
    if lacking:
        raise ValueError(missing(lacking))
    for role, names in found.items():
        if len(names) > 1:
            raise ValueError(two_text(role, *sorted(names)[:2]))
    return {role: names[0] for role, names in found.items()}


def two_text(role: str, first: str, second: str, table: str = "df") -> str:
    """Return what to say of two columns that could play a role."""
    return f"two columns could be the {role}: {first!r} and {second!r}. Say which: {table}.ireval({role}={first!r})."


def _score(columns: Collection[Any], binding: Binding, spoken: list[dict[str, str]]) -> Any:
    if "score" in binding:
        return binding["score"] if binding["score"] in columns else None
    own = list(dict.fromkeys(["score", *(words["score"] for words in spoken if "score" in words)]))
    present = [name for name in own if name in columns]
    if not present and "rank" not in columns and "rank" not in binding:
        present = [name for name in names_of("score") if name in columns]
    if len(present) > 1:
        raise ValueError(two_text("score", *present[:2]))
    return present[0] if present else None


def _grade(columns: Collection[Any], binding: Binding, spoken: list[dict[str, str]]) -> Any:
    if "grade" in binding:
        return binding["grade"]
    present = [name for name in GRADES if name in columns]
    if len(present) > 1:
        raise ValueError(two_text("grade", present[0], present[1], table="qrels"))
    present = present or [words["grade"] for words in spoken if words.get("grade") in columns]
    return present[0] if present else None


def bound_call(roles: Collection[str], columns: Collection[Any]) -> str:
    """Return the binding call that is to be written for some roles, with the columns that they may be in.

    Examples
    --------
    >>> bound_call(["query", "doc"], ["topic_no", "text"])
    "query='topic_no', doc=..."
    """
    left, said = list(columns), []
    for role in roles:
        near = likely(role, left)
        said.append(f"{role}={near[0]!r}" if near else f"{role}=...")
        left = [name for name in left if name not in near[:1]]
    return ", ".join(said)


_LOWER = re.compile(
    r"(?:^|[\W_\d])(?:dists?|loss(?:es)?|costs?|ppl|nll|err(?:ors?)?|energy|divergence|l[12]|euclidean)(?:$|[\W_\d])"
    r"|distances?|perplexity|dissimilarity"
)


def direction_text(columns: Collection[Any]) -> str | None:
    """Return the question which direction is better, where a column sounds like a score of which less is better.

    Examples
    --------
    >>> print(direction_text(["query_id", "doc_id", "distance"]))
    Is a smaller 'distance' better? Then write df.assign(score=-df['distance']); else df.ireval(score='distance').
    """
    name = next((str(one) for one in columns if _LOWER.search(str(one).lower())), None)
    if name is None:
        return None
    return f"Is a smaller {name!r} better? Then write df.assign(score=-df[{name!r}]); else df.ireval(score={name!r})."


def known_text(role: str) -> str:
    """Return what to say where no column plays a role, with the names that are understood."""
    return f"no {role} column (known names: {listed(names_of(role))})"
