"""The definitions of methods.md in plain Python, a list and a dictionary at a time: slow, and easy to read."""

from __future__ import annotations

import itertools
import math

from tests import naive
from tests.differential.cases import Case

inf = math.inf
MOST_ORDERS = 400  # of tied items; more of them are not averaged over


def lists(case: Case) -> dict[tuple, dict[str, list[str]]]:
    """Return {run: {query: documents, best first, as deep as the rules look}}."""
    return {
        run: {q: docs[: case.rules.depth] for q, docs in held.items()}
        for run, held in whole_lists(case).items()
    }


def whole_lists(case: Case) -> dict[tuple, dict[str, list[str]]]:
    """Return {run: {query: documents, best first}}."""
    rows: dict[tuple, dict[str, list]] = {}
    for run, query, doc, score, rank in case.runs:
        rows.setdefault(run, {}).setdefault(str(query), []).append((str(doc), float(score), rank))
    ties, compat = case.rules.ties, case.rules.compat
    return {
        run: {q: naive.ranking(own, ties, compat) for q, own in held.items()}
        for run, held in rows.items()
    }


def relevant(grades: dict[str, float], level: float | None) -> list[str]:
    """Return the relevant documents of one query."""
    return [doc for doc, grade in grades.items() if grade > 0 and (level is None or grade >= level)]


def counted(case: Case) -> dict[str, list[tuple]]:
    """Return {query: the runs for which it counts}, by the topic rule."""
    ranked, level = lists(case), case.rules.level
    found = {}
    for query, grades in case.grades().items():
        answered = [run for run in case.names if query in ranked[run]]
        everyone = {
            "relevant": case.names if relevant(grades, level) else [],
            "judged": case.names,
            "answered": answered,
            "common": case.names if len(answered) == len(case.names) else [],
        }[case.rules.queries]
        found[query] = everyone
    return found


class One:
    """One list of one query, and what the measures need of it."""

    def __init__(
        self,
        docs: list[str],
        grades: dict[str, float],
        level: float | None,
        top: float,
        corpus: int = 0,
    ):
        self.docs, self.grades, self.top, self.corpus = docs, grades, top, corpus
        self.wanted = set(relevant(grades, level))
        self.m, self.n = len(self.wanted), len(docs)
        self.f = naive.found_at(docs, self.wanted).tolist()
        self.gains = [max(grades.get(doc, 0), 0) for doc in docs]
        self.ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)

    def hits(self, k: float = inf) -> int:
        """Return the relevant items in the first k."""
        return sum(f <= k and f < inf for f in self.f)

    def share(self, above: float, below: float) -> float:
        """Return a quotient, 0 where there is nothing to divide by."""
        return above / below if below else 0.0

    def ap(self, k: float = inf) -> float:
        """Return average precision."""
        return self.share(sum(i / f for i, f in enumerate(self.f, 1) if f <= k), self.m)

    def dcg(self, gains: list[float], k: float = inf) -> float:
        """Return discounted cumulative gain."""
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1) if rank <= k)

    def ndcg(self, k: float = inf) -> float:
        """Return DCG as a share of the ideal one."""
        return self.share(self.dcg(self.gains, k), self.dcg(self.ideal, k))

    def err(self, k: float = inf) -> float:
        """Return expected reciprocal rank."""
        left, total = 1.0, 0.0
        for rank, gain in enumerate(self.gains, 1):
            stop = (2**gain - 1) / 2**self.top
            if rank <= k:
                total += left * stop / rank
            left *= 1 - stop
        return total

    def bpref(self) -> float:
        """Return bpref."""
        noise = sum(grade >= 0 and doc not in self.wanted for doc, grade in self.grades.items())
        above, total = 0, 0.0
        for doc in self.docs:
            if doc in self.wanted:
                total += 1 - min(above, self.m) / min(noise, self.m) if above else 1
            elif self.grades.get(doc, -1) >= 0:
                above += 1
        return self.share(total, self.m)

    def inf_ap(self) -> float:
        """Return inferred average precision."""
        r, n, u, total = 0, 0, 0, 0.0
        for j, doc in enumerate(self.docs):
            if doc in self.wanted:
                e = 1e-5
                judged = (r + n + u) / j * (r + e) / (r + n + 2 * e) if j else 0
                total += 1 / (j + 1) + j / (j + 1) * judged if j else 1
                r += 1
            elif doc in self.grades:
                n, u = (n + 1, u) if self.grades[doc] >= 0 else (n, u + 1)
        return self.share(total, self.m)

    def asl(self) -> float:
        """Return the mean over relevant items of the irrelevant ones above each, and itself."""
        if not self.m:
            return math.nan
        if not self.n:
            return self.corpus - self.m + 1
        lengths = [f - i if f < inf else self.n - self.hits() for i, f in enumerate(self.f)]
        return sum(lengths) / self.m

    def q(self) -> float:
        """Return the Q-measure: gains and relevant items, of the list and of the ideal one."""
        total, hits, gained = 0.0, 0, 0.0
        for rank, (doc, gain) in enumerate(zip(self.docs, self.gains), 1):
            gained += gain
            if doc in self.wanted:
                hits += 1
                total += (hits + gained) / (rank + sum(self.ideal[:rank]))
        return self.share(total, self.m)

    def f1(self, k: float = inf) -> float:
        """Return the harmonic mean of precision and recall."""
        p, r = (
            self.share(self.hits(k), min(k, self.n) if k == inf else k),
            self.share(self.hits(k), self.m),
        )
        return self.share(2 * p * r, p + r)


MEASURES = {
    "AP": lambda o: o.ap(),
    "AP@3": lambda o: o.ap(3),
    "RR": lambda o: 1 / o.f[0] if o.m else 0.0,
    "RR@3": lambda o: 1 / o.f[0] if o.m and o.f[0] <= 3 else 0.0,
    "P@1": lambda o: float(o.hits(1)),
    "P@5": lambda o: o.hits(5) / 5,
    "R@5": lambda o: o.share(o.hits(5), o.m),
    "Success@2": lambda o: float(o.hits(2) > 0),
    "Rprec": lambda o: o.share(o.hits(min(o.n, o.m)), o.m),
    "RBP(p=0.8)": lambda o: 0.2 * sum(0.8 ** (f - 1) for f in o.f),
    "SetP": lambda o: o.share(o.hits(), o.n),
    "SetR": lambda o: o.share(o.hits(), o.m),
    "SetF": lambda o: o.f1(),
    "NumRet": lambda o: float(o.n),
    "NumRel": lambda o: float(o.m),
    "NumRelRet": lambda o: float(o.hits()),
    "Judged@3": lambda o: o.share(
        sum(o.grades.get(doc, -1) >= 0 for doc in o.docs[:3]), min(o.n, 3)
    ),
    "Q": lambda o: o.q(),
    "TSE": lambda o: 1 / o.f[-1] if o.m else 0.0,
    "Bpref": lambda o: o.bpref(),
    "infAP": lambda o: o.inf_ap(),
    "CG@4": lambda o: float(sum(o.gains[:4])),
    "DCG": lambda o: o.dcg(o.gains),
    "nDCG": lambda o: o.ndcg(),
    "nDCG@3": lambda o: o.ndcg(3),
    "nDCG(gain=exp)@5": lambda o: o.share(
        o.dcg([2**g - 1 for g in o.gains], 5), o.dcg([2**g - 1 for g in o.ideal], 5)
    ),
    "ERR": lambda o: o.err(),
    "ERR@3": lambda o: o.err(3),
}
# added over subtopics: what each item belongs to, in rank order, and how many subtopics there are
SUBTOPICS = {
    "strec@3": lambda held, t: len({one for own in held[:3] for one in own}) / t,
    "P-IA@3": lambda held, t: sum(len(own) for own in held[:3]) / 3 / t,
    "alpha-DCG@3": lambda held, t: (
        _novel(held, 3) / (t * sum(0.5 ** (r - 1) / math.log2(r + 1) for r in (1, 2, 3)))
    ),
}


def _novel(held: list[set], k: int) -> float:
    """Return discounted gains, a subtopic's halved with every item of it seen before."""
    seen: dict = {}
    total = 0.0
    for rank, own in enumerate(held[:k], 1):
        total += sum(0.5 ** seen.get(one, 0) for one in own) / math.log2(rank + 1)
        for one in own:
            seen[one] = seen.get(one, 0) + 1
    return total


def subtopic_scores(case: Case) -> dict[tuple, float]:
    """Return {(run, query, measure): value} of the measures over subtopics."""
    ranked, level, found = lists(case), case.rules.level, {}
    own: dict[tuple, set] = {}
    for query, subtopic, doc, grade in case.judgments:
        if grade > 0 and (level is None or grade >= level):
            own.setdefault((str(query), str(doc)), set()).add(subtopic)
    for query, runs in counted(case).items():
        known = {one for (q, _), held in own.items() if q == query for one in held}
        for run in runs:
            held = [own.get((query, doc), set()) for doc in ranked[run].get(query, [])]
            for name, value in SUBTOPICS.items():
                found[run, query, name] = float(value(held, len(known))) if known else 0.0
    return found


EXPECTED = ("P@1", "P@5", "R@5", "Success@2", "DCG", "RR", "AP")


def scores(case: Case, measures=tuple(MEASURES)) -> dict[tuple, float]:
    """Return {(run, query, measure): value} of the cells that count."""
    ranked, grades = lists(case), case.grades()
    top = max(grade for docs in grades.values() for grade in docs.values())
    return {
        (run, query, name): float(
            MEASURES[name](
                One(ranked[run].get(query, []), grades[query], case.rules.level, max(top, 0))
            )
        )
        for query, runs in counted(case).items()
        for run in runs
        for name in measures
    }


def expected(case: Case) -> dict[tuple, float] | None:
    """Return {(run, query, measure): mean over all orders of tied items}, or None where there are too many orders."""
    groups: dict[tuple, dict[float, list[str]]] = {}
    for run, query, doc, score, _ in case.runs:
        value = naive.compared(score, case.rules.compat)
        groups.setdefault((run, str(query)), {}).setdefault(value, []).append(str(doc))
    if any(
        math.prod(math.factorial(len(g)) for g in own.values()) > MOST_ORDERS
        for own in groups.values()
    ):
        return None
    found, grades = {}, case.grades()
    for query, runs in counted(case).items():
        for run in runs:
            own = groups.get((run, query), {})
            tied = [itertools.permutations(own[score]) for score in sorted(own, reverse=True)]
            orders = [
                list(itertools.chain(*parts))[: case.rules.depth]
                for parts in itertools.product(*tied)
            ]
            ones = [One(docs, grades[query], case.rules.level, 0) for docs in orders]
            for name in EXPECTED:
                found[run, query, name] = math.fsum(MEASURES[name](one) for one in ones) / len(ones)
    return found
