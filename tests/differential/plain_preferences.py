"""Preferences and win rates in plain Python: a user of each population, at each recall level, asked in turn."""

from __future__ import annotations

import math

from tests.differential import plain
from tests.differential.cases import Case

inf = math.inf
WEIGHTS = {
    "RPP": lambda i: 1.0,
    "dcgRPP": lambda i: 1 / math.log2(i + 1),
    "invRPP": lambda i: 1 / i,
}
PREFERENCES = (
    "RPP", "dcgRPP", "invRPP", "sgnLP", "rrLP", "sgnLR", "I", "I(user=dcg)", "OI", "OI(user=dcg)", "OI(over=found)",
)  # fmt: skip
SUBTOPICS = ("ST-RPP", "ST-dcgRPP", "ST-invRPP")


def sign(value: float) -> int:
    """Return -1, 0 or 1."""
    return (value > 0) - (value < 0)


def sooner(x: float, y: float) -> int:
    """Return 1 where x comes first, 0 where both are equal, both infinite too."""
    return (x < y) - (x > y)


def place(docs: list[str], doc: str) -> float:
    """Return where a document stands, from 1."""
    return docs.index(doc) + 1 if doc in docs else inf


def paired(a: list[str], b: list[str], wanted, weight) -> float:
    """Return the recall-paired preference of one population: those who want any of these documents."""
    x, y = (sorted(place(docs, doc) for doc in wanted) for docs in (a, b))
    given = [weight(i) for i in range(1, len(x) + 1)]
    return sum(w * sooner(p, q) for w, p, q in zip(given, x, y)) / sum(given)


def populations(case: Case, query: str, kind: str) -> list[tuple[float, list[str]]]:
    """Return (weight, documents) of each population: by grade, or by subtopic and any relevant item."""
    grades, level = case.grades()[query], case.rules.level
    if kind == "subtopics":
        own: dict[str, list[str]] = {}
        for q, subtopic, doc, grade in case.judgments:
            if str(q) == query and grade > 0 and (level is None or grade >= level):
                own.setdefault(subtopic, []).append(str(doc))
        groups = [*own.values(), plain.relevant(grades, level)]
    elif level is not None:
        groups = [plain.relevant(grades, level)]
    else:
        groups = [
            plain.relevant(grades, least)
            for least in {grade for grade in grades.values() if grade > 0}
        ]
    return [(len(group), group) for group in groups if group]


def recall_paired(case: Case, query: str, a: list[str], b: list[str], name: str) -> float:
    """Return RPP, dcgRPP, invRPP or their subtopic forms."""
    kind, weight = ("subtopics", name[3:]) if name.startswith("ST-") else ("grades", name)
    groups = populations(case, query, kind)
    total = sum(size for size, _ in groups)
    return (
        sum(size * paired(a, b, group, WEIGHTS[weight]) for size, group in groups) / total
        if total
        else 0.0
    )


def lexicographic(a: list[str], b: list[str], wanted: list[str], name: str) -> float:
    """Return sgnLP, rrLP or sgnLR."""
    x, y = (sorted(place(docs, doc) for doc in wanted) for docs in (a, b))
    differ = [i for i in range(len(x)) if x[i] != y[i]]
    if not differ:
        return 0.0
    at = differ[-1] if name == "sgnLR" else differ[0]
    return 1 / x[at] - 1 / y[at] if name == "rrLP" else float(sooner(x[at], y[at]))


def cutoffs(a: list[str], b: list[str], wanted: list[str], user: str) -> float:
    """Return I: the expected sign of the difference of relevant items in the first k."""
    longest = max(len(a), len(b))
    weight = [1 / math.log2(k + 1) if user == "dcg" else 1.0 for k in range(1, longest + 1)]
    signs = [
        sign(sum(doc in wanted for doc in a[:k]) - sum(doc in wanted for doc in b[:k]))
        for k in range(1, longest + 1)
    ]
    return sum(w * s for w, s in zip(weight, signs)) / sum(weight) if longest else 0.0


def interleaved(a: list[str], b: list[str]) -> list[str]:
    """Return the balanced interleaving that takes from a first."""
    merged: list[str] = []
    for k in range(max(len(a), len(b))):
        for docs in (a, b):
            if k < len(docs) and docs[k] not in merged:
                merged.append(docs[k])
    return merged


def offline(a: list[str], b: list[str], wanted: list[str], user: str, over: str) -> float:
    """Return OI: a simulated user clicks all relevant items down to the j-th; who gets more of the clicks?"""
    value = 0.0
    for first, second in ((a, b), (b, a)):
        clicks = [doc for doc in interleaved(first, second) if doc in wanted]
        stops = len(wanted) if over == "all" else len(clicks)
        weight = [1 / math.log2(j + 1) if user == "dcg" else 1.0 for j in range(1, stops + 1)]
        for j in range(1, len(clicks) + 1):
            clicked = clicks[:j]
            k = min(place(a, clicked[-1]), place(b, clicked[-1]))
            credit = sum((place(a, doc) <= k) - (place(b, doc) <= k) for doc in clicked)
            value += weight[j - 1] * sign(credit) / sum(weight) / 2
    return value


def one(case: Case, query: str, a: list[str], b: list[str], name: str) -> float:
    """Return one preference of two lists of a query."""
    wanted = plain.relevant(case.grades()[query], case.rules.level)
    if "RPP" in name:
        return recall_paired(case, query, a, b, name)
    if not wanted:
        return 0.0
    if name in ("sgnLP", "rrLP", "sgnLR"):
        return lexicographic(a, b, wanted, name)
    user = "dcg" if "dcg" in name else "uniform"
    if name.startswith("I"):
        return cutoffs(a, b, wanted, user)
    return offline(a, b, wanted, user, "found" if "found" in name else "all")


def preferences(case: Case, measures=PREFERENCES) -> dict[tuple, float]:
    """Return {(query, run_a, run_b, measure): value}, both directions of each pair."""
    ranked = plain.lists(case)
    return {
        (query, a, b, name): one(
            case, query, ranked[a].get(query, []), ranked[b].get(query, []), name
        )
        for query, runs in plain.counted(case).items()
        for a in runs
        for b in runs
        if a != b
        for name in measures
    }


def win_rates(case: Case, measures) -> dict[tuple, float]:
    """Return {(run, measure): the mean over opponents and over the queries that count}."""
    held = preferences(case, measures)
    queries = {query for query, *_ in held}
    return {
        (run, name): math.fsum(v for (_, a, _, m), v in held.items() if a == run and m == name)
        / len(queries)
        / max(len(case.names) - 1, 1)
        for run in case.names
        for name in measures
        if queries
    }


def copeland(case: Case) -> dict[tuple, float]:
    """Return {(run, "AP"): runs that it beats on more queries than it loses, less those that beat it}."""
    values = plain.scores(case, ("AP",))
    queries = {query for _, query, _ in values}
    net = {
        (a, b): sum(sign(values[a, query, "AP"] - values[b, query, "AP"]) for query in queries)
        for a in case.names
        for b in case.names
    }
    return {
        (a, "AP"): float(sum(sign(net[a, b]) for b in case.names)) for a in case.names if queries
    }
