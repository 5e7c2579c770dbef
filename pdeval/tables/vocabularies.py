"""Vocabularies: the column names of each role in the tables of other tools."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from pdeval.verbs import Registry

ROLES = (
    *("run", "query", "doc", "score", "rank"),
    *("grade", "subtopic", "assessor", "label", "propensity"),
    *("session", "user", "time", "action", "bucket"),
    *("measure", "value"),
    *("feature", "popularity"),
    *("round", "reward"),
)

Binding = Mapping[str, Any]
ITEM = ("query", "doc")
VOCABULARIES: Registry[dict[str, str]] = Registry("vocabulary", replace="always")

# column names of a role in all vocabularies
GRADES = ("relevance", "label", "grade", "rating", "rel")
COLUMNS: dict[str, tuple[str, ...]] = {
    "grade": GRADES,
    "label": ("label", "relevance", "grade", "rating", "rel"),
    "time": ("timestamp", "time"),
    "reward": ("reward", "click", "clicks"),
    "propensity": ("propensity", "pscore"),
    "user": ("user", "user_id", "userID", "userId", "uid"),
    "bucket": ("bucket", "variant"),
}
# if there is another id column, these are not ids: the text of a query, its user, the title of an item
WEAK = ("query", "user", "item")


def vocabulary(
    name: str, *, run: str, query: str, doc: str, score: str | None = None, grade: str | None = None
) -> None:
    """Declare the columns of a tool's run tables and judgments.

    Parameters
    ----------
    name : str
        Name of the tool.
    run, query, doc : str
        Column names of runs, queries and items.
    score, grade : str, optional
        Column name of scores, if not `score`, and of grades, if not one of the names of all vocabularies.

    Examples
    --------
    >>> vocabulary("example", run="system", query="topic_no", doc="page")
    >>> VOCABULARIES.pop("example")["doc"]
    'page'
    """
    words = {"run": run, "query": query, "doc": doc, "score": score, "grade": grade}
    VOCABULARIES.add(name, {role: word for role, word in words.items() if word is not None})


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
    """Return the column names of a role in all vocabularies.

    Examples
    --------
    >>> names_of("query")[:2], names_of("time"), names_of("score")
    (('query_id', 'qid'), ('timestamp', 'time'), ('score', 'prediction', 'est'))
    """
    words = [words[role] for words in VOCABULARIES.values() if role in words]
    default = () if role in ("run", *ITEM) else (role,)
    return COLUMNS.get(role) or tuple(dict.fromkeys((*default, *words)))


def candidates(role: str, columns: Collection[object], taken: Collection[object] = ()) -> list[str]:
    """Return the columns that may have a role; ambiguous names only without others.

    Examples
    --------
    >>> candidates("query", ["qid", "query", "user"]), candidates("query", ["user"])
    (['qid'], ['user'])
    """
    present = [name for name in names_of(role) if name in columns and name not in taken]
    return [name for name in present if name not in WEAK] or present


# parts of column names that suggest a role
_STEMS = {
    "query": r"quer|topic|question|user|qid|uid|session",
    "doc": r"doc|item|passage|page|product|movie|corpus|pid|iid|article|url",
    "score": r"score|sim|pred|logit|prob|weight",
    "grade": r"rel|grade|label|rating|judg|gain|score",
    "run": r"run|system|model|method|algo|tag|name|ranker|approach",
}


def likely(role: str, columns: Iterable[object]) -> list[str]:
    """Return the columns whose names suggest a role, the most likely first; only for hints.

    Examples
    --------
    >>> likely("query", ["topic_no", "page"]), likely("doc", ["topic_no", "page"])
    (['topic_no'], ['page'])
    """

    def letters(name: str) -> str:
        return re.sub(r"[\W_]", "", name).lower()

    known = set(map(letters, names_of(role)))
    similar = [
        name
        for name in map(str, columns)
        if role in _STEMS and re.search(_STEMS[role], name.lower())
    ]
    return sorted(similar, key=lambda name: letters(name) not in known)


def noun(role: str, column: object) -> str:
    """Return the word of messages for an id: user or item if the name of its column says so, else its role.

    Examples
    --------
    >>> noun("query", "userId"), noun("doc", "item_id"), noun("query", "qid")
    ('user', 'item', 'query')
    """
    word = {"query": "user", "doc": "item"}[role]
    return word if word in str(column).lower() else role


def listed(names: Iterable[object], most: int = 12) -> str:
    """Return names for a message, at most `most` of them.

    Examples
    --------
    >>> listed("abc", most=2)
    'a, b, ... (3 in all)'
    """
    texts = [str(name) for name in names]
    return ", ".join(texts[:most]) + (f", ... ({len(texts)} in all)" if len(texts) > most else "")


def item_roles(
    columns: Collection[Any], kind: str, binding: Binding, missing: Callable[[list[str]], str]
) -> dict[str, Any]:
    """Return the columns of query and doc, and if present of score and rank of runs, or of the grade of judgments.

    Parameters
    ----------
    kind : {'runs', 'qrels', 'history'}
        Kind of the table.
    binding : mapping of role to column
        Roles bound by the caller.
    missing : callable
        Function that returns the error message about missing roles.

    Examples
    --------
    >>> item_roles(["qid", "doc_id", "prediction"], "runs", {}, str)
    {'query': 'qid', 'doc': 'doc_id', 'score': 'prediction'}
    >>> item_roles(["query-id", "corpus-id", "score"], "qrels", {}, str)
    {'query': 'query-id', 'doc': 'corpus-id', 'grade': 'score'}
    """
    ids = {role: binding[role] for role in ITEM if role in binding} | _ids(
        columns, binding, missing
    )
    roles: dict[str, Any] = {role: ids[role] for role in ITEM}
    if kind == "history":  # all items of a user count, whatever their rating
        return roles
    if kind == "qrels":
        return roles | _grade(columns, binding, roles)
    rank = binding.get("rank", "rank")
    return roles | _score(columns, binding, roles) | ({"rank": rank} if rank in columns else {})


def words_for(role: str, roles: Mapping[str, Any]) -> list[str]:
    """Return the names of a role in the vocabularies that have the query and item column of a table, or either.

    Examples
    --------
    >>> words_for("run", {"query": "qid", "doc": "docno"}), words_for("grade", {"query": "q_id", "doc": "doc_id"})
    (['name'], ['score'])
    """
    matches = {
        name: [words[role] == roles[role] for role in ITEM] for name, words in VOCABULARIES.items()
    }
    every = [VOCABULARIES[name] for name, equal in matches.items() if all(equal)]
    spoken = every or [VOCABULARIES[name] for name, equal in matches.items() if any(equal)]
    return list(dict.fromkeys(words[role] for words in spoken if role in words))


def run_words(roles: Mapping[str, Any]) -> list[str]:
    """Return the column names of runs in the vocabularies of a table.

    Examples
    --------
    >>> run_words({"query": "qid", "doc": "docno"}), run_words({"query": "query_id", "doc": "docid"})
    (['run', 'name'], ['run', 'tag', 'system'])
    """
    return list(dict.fromkeys(["run", *words_for("run", roles)]))


def _ids(
    columns: Collection[Any], binding: Binding, missing: Callable[[list[str]], str]
) -> dict[str, str]:
    """Return the columns of the query and the item, unless the caller bound them."""
    free = [role for role in ITEM if role not in binding]
    complete = [
        words for words in VOCABULARIES.values() if all(words[role] in columns for role in free)
    ]
    complete = [
        words for words in complete if not any(words[role] in WEAK for role in free)
    ] or complete
    bound = [binding[role] for role in ITEM if role in binding]
    names = {
        role: list(dict.fromkeys(words[role] for words in complete))
        or candidates(role, columns, bound)
        for role in free
    }
    if absent := [role for role in free if not names[role]]:
        raise ValueError(missing(absent))
    return {role: only_column(role, sorted(names[role])) for role in free}


def only_column(role: str, names: Sequence[Any], table: str = "df") -> Any:
    """Return the only column that may have a role, or None without one; raise if there are two.

    Examples
    --------
    >>> only_column("run", ["name"]), only_column("run", [])
    ('name', None)
    """
    if len(names) > 1:
        raise ValueError(
            f"two columns could be the {role}: {names[0]!r} and {names[1]!r}. "
            f"Specify it: {table}.ireval({role}={names[0]!r})."
        )
    return names[0] if names else None


def _score(columns: Collection[Any], binding: Binding, roles: Mapping[str, Any]) -> dict[str, Any]:
    names = (
        [binding["score"]]
        if "score" in binding
        else list(dict.fromkeys(["score", *words_for("score", roles)]))
    )
    present = [name for name in names if name in columns]
    if not present and not {"score", "rank"} & {*binding} and "rank" not in columns:
        present = [name for name in names_of("score") if name in columns]
    score = only_column("score", present)
    return {} if score is None else {"score": score}


def _grade(columns: Collection[Any], binding: Binding, roles: Mapping[str, Any]) -> dict[str, Any]:
    if "grade" in binding:
        return {"grade": binding["grade"]}
    grade = only_column("grade", [name for name in GRADES if name in columns], "qrels")
    names = (
        [name for name in words_for("grade", roles) if name in columns]
        if grade is None
        else [grade]
    )
    return {"grade": names[0]} if names else {}


def bound_call(roles: Collection[str], columns: Collection[Any]) -> str:
    """Return the arguments that bind roles, with likely columns.

    Examples
    --------
    >>> bound_call(["query", "doc"], ["topic_no", "text"])
    "query='topic_no', doc=..."
    """
    left, arguments = list(columns), []
    for role in roles:
        near = likely(role, left)[:1]
        arguments.append(f"{role}={near[0]!r}" if near else f"{role}=...")
        left = [name for name in left if name not in near]
    return ", ".join(arguments)


_LOWER = re.compile(
    r"(?:^|[\W_\d])(?:dists?|loss(?:es)?|costs?|ppl|nll|err(?:ors?)?|energy|divergence|l[12]|euclidean)(?:$|[\W_\d])"
    r"|distances?|perplexity|dissimilarity"
)


def direction_text(columns: Collection[Any]) -> str | None:
    """Return advice about a column whose name suggests a score where lower is better; None without one.

    Examples
    --------
    >>> print(direction_text(["query_id", "doc_id", "distance"]))
    If a smaller 'distance' is better, use df.assign(score=-df['distance']); otherwise df.ireval(score='distance').
    """
    name = next((str(one) for one in columns if _LOWER.search(str(one).lower())), None)
    text = f"If a smaller {name!r} is better, use df.assign(score=-df[{name!r}]); otherwise df.ireval(score={name!r})."
    return None if name is None else text


def known_text(role: str) -> str:
    """Return the message about a missing role, with its known column names."""
    return f"no {role} column (known names: {listed(names_of(role))})"
