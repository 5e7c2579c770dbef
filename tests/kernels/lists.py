"""Columns of one ranking, made slowly and plainly, so that a kernel can be called on a short list in a test.

A ranking is a list of items, best first; `grades` maps judged items to grades (negative: pooled, not judged), and
`subtopics` maps items to the set of subtopics they are relevant to.
"""

import math

import numpy as np

from pdeval.catalog import parse

KINDS = {
    "binary": lambda grade, level: grade >= level and grade > 0,
    "graded": lambda grade, level: grade > 0,
    "judged": lambda grade, level: grade >= 0,
    "signed": lambda grade, level: True,
}


def columns(
    kind,
    ranking,
    grades,
    *,
    level=1,
    subtopics=None,
    corpus=None,
    top_grade=None,
    global_gains=None,
):
    """Return every column that a kernel of that kind may ask for."""
    place = {item: rank for rank, item in enumerate(ranking, start=1)}
    subtopics = subtopics or {}
    kept = [
        d for d in sorted(grades) if KINDS.get(kind, lambda grade, level: False)(grades[d], level)
    ]
    if kind == "subtopic":
        kept = sorted(d for d in subtopics if subtopics[d])
    by_rank = sorted(kept, key=lambda d: place.get(d, math.inf))
    rank = np.array([place.get(d, math.inf) for d in by_rank], dtype=float)
    is_relevant = {d: KINDS["binary"](g, level) for d, g in grades.items()}

    def passed(test):
        return np.array([sum(test(d) for d in ranking if place[d] < r) for r in rank], dtype=float)

    bad = {d for d, g in grades.items() if g >= 0 and not is_relevant[d]}
    names = sorted(set().union(*subtopics.values())) if subtopics else []
    return {
        "rank": rank,
        "retrieved": float(len(ranking)),
        "above": passed(lambda d: d in bad),
        "pooled": passed(lambda d: grades.get(d, 0) < 0),
        "nonrelevant": float(len(bad)),
        "nonrelevant_found": float(len(bad & set(ranking))),
        "corpus": float(len(set(ranking) | set(grades)) if corpus is None else corpus),
        "grade": np.array([grades.get(d, 0.0) for d in by_rank], dtype=float),
        "weight": np.array([1.0 + ord(d[0]) % 3 for d in by_rank], dtype=float),
        "ideal": np.array(sorted((g for g in grades.values() if g > 0), reverse=True), dtype=float),
        "relevant": np.array([is_relevant.get(d, False) for d in by_rank], dtype=bool),
        "relevants": float(sum(is_relevant.values())),
        "top_grade": float(max(grades.values(), default=0) if top_grade is None else top_grade),
        "global_gain": np.array(
            [
                grades.get(d, 0.0) * len(subtopics.get(d, ()))
                if global_gains is None
                else global_gains[d]
                for d in by_rank
                if kind == "subtopic"
            ],
            dtype=float,
        ),
        "member": np.array(
            [[s in subtopics.get(d, ()) for s in names] for d in by_rank], dtype=bool
        ).reshape(len(kept), len(names)),
        "belongs": np.array(
            [[s in subtopics.get(d, ()) for s in names] for d in kept], dtype=bool
        ).reshape(len(kept), len(names)),
        "subtopics": float(len(names)),
    }


def value(name, ranking, grades, **options):
    """Return what a measure gives for one ranking; 0 where it has nothing to look at, as the evaluator does."""
    measure = parse(name)
    entry = measure.entry
    if entry.population:
        return sum(
            share * _of_users(measure, ranking, part, **options)
            for share, part in _users(entry, grades, options)
        )
    given = columns(entry.kind, ranking, grades, **options)
    if len(given["rank"]) == 0 and not entry.empty:
        return 0.0
    return float(entry.kernel(*[given[column] for column in entry.columns], **measure.parameters))


def _users(entry, grades, options):
    """Return [(share, wanted items)] of one query, by number of items, as methods section 8 says."""
    relevant = {doc for doc, grade in grades.items() if grade > 0}
    parts = [
        {doc for doc in relevant if grades[doc] >= least}
        for least in {grades[doc] for doc in relevant}
    ]
    if entry.population == "subtopics":
        of = options.get("subtopics") or {}
        relevant = {doc for doc in relevant if of.get(doc)}
        named = set().union(*(of[doc] for doc in relevant))
        parts = [relevant, *({doc for doc in relevant if one in of[doc]} for one in named)]
    total = sum(map(len, parts))
    return [(len(part) / total, part) for part in parts if part]


def _of_users(measure, ranking, wanted, **options):
    given = columns("binary", ranking, dict.fromkeys(wanted, 1), **options)
    return float(
        measure.entry.kernel(
            *[given[column] for column in measure.entry.columns], **measure.parameters
        )
    )
