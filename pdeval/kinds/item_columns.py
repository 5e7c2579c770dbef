"""The columns of runs and judgments: which plays which role, in one vocabulary or in several at once.

A whole vocabulary comes first. Where a table has none, words of several may be mixed as long as each role has one
column that could play it; two that could are an error which names both and the call to write.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from pdeval.kinds.vocabularies import GRADES, VOCABULARIES, WEAK, candidates, likely, listed, names_of

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


def known_text(role: str) -> str:
    """Return what to say where no column plays a role, with the names that are understood."""
    return f"no {role} column (known names: {listed(names_of(role))})"
