"""The columns of blocks, written as plain loops over the lists."""

import math

import numpy as np
import pandas as pd

from pdeval.join import positions
from pdeval.tables import reader

inf = math.inf
RUNS, QUERIES, DOCS = "abc", "01234567", [f"d{i}" for i in range(9)]


def drawn(seed):
    """Return {(run, query): documents} and {(query, document, subtopic): grade}; the topics have 0 to 9 items."""
    rng = np.random.default_rng(seed)
    lists = {
        (run, query): [
            str(one) for one in rng.permutation([*DOCS, "u", "v"])[: rng.integers(1, 10)]
        ]
        for run in RUNS
        for query in QUERIES[1:]
        if rng.random() < 0.8 or (run, query) == ("a", "1")
    }
    grades = {}
    for query in QUERIES:
        for doc in rng.permutation(DOCS)[: rng.integers(1, 10)]:
            for part in rng.permutation([*"stuv"])[: rng.integers(1, 3)]:
                grades[query, str(doc), str(part)] = int(rng.integers(-1, 4) if query != "3" else 0)
    return lists, grades


class Plain:
    """What a table of lists and judgments says, one list at a time."""

    def __init__(self, lists, grades, level):
        self.lists, self.parts, self.level = lists, grades, level
        self.grade = {}
        for (query, doc, _), grade in grades.items():
            self.grade[query, doc] = max(grade, self.grade.get((query, doc), -9))

    def good(self, grade):
        return grade > 0 and grade >= (self.level or 0)

    def items(self, kind, query):
        own = {doc: grade for (one, doc), grade in sorted(self.grade.items()) if one == query}
        kinds = {
            "binary": self.good,
            "graded": lambda grade: grade > 0,
            "judged": lambda grade: grade >= 0,
        }
        return [doc for doc, grade in own.items() if kinds.get(kind, self.good)(grade)]

    def found(self, kind, query, run):
        """Return the items in rank order, (rank, document); those that were not found come last, by their names."""
        held = self.lists.get((run, query), [])
        return sorted(
            (held.index(doc) + 1 if doc in held else inf, doc) for doc in self.items(kind, query)
        )

    def above(self, query, run, rank, which):
        return sum(
            which(self.grade.get((query, doc), -9))
            for doc in self.lists[run, query][: int(rank) - 1]
        )

    def cell(self, name, query, run, rank, doc):
        """Return one cell of an item column."""
        grade = self.grade[query, doc]
        nonrelevant = lambda grade: grade >= 0 and not self.good(grade)  # noqa: E731
        return {
            "rank": lambda: rank,
            "start": lambda: rank - 1,
            "size": lambda: 1.0,
            "grade": lambda: grade,
            "relevant": lambda: self.good(grade),
            "above": lambda: inf if rank == inf else self.above(query, run, rank, nonrelevant),
            "pooled": lambda: (
                inf if rank == inf else self.above(query, run, rank, lambda one: -9 < one < 0)
            ),
        }[name]()

    def topic(self, name, query, kind):
        """Return a topic column of one topic, a number for each run."""
        own = {doc: grade for (one, doc), grade in self.grade.items() if one == query}
        lists = [self.lists.get((run, query), []) for run in RUNS]
        bad = [doc for doc, grade in own.items() if grade >= 0 and not self.good(grade)]
        return {
            "m": lambda: len(self.items(kind, query)),
            "relevants": lambda: sum(map(self.good, own.values())),
            "top_grade": lambda: max(self.grade.values()),
            "retrieved": lambda: [len(held) for held in lists],
            "nonrelevant": lambda: len(bad),
            "nonrelevant_found": lambda: [len({*held} & {*bad}) for held in lists],
            "corpus": lambda: len(
                {doc for held in lists for doc in held}
                | {d for d, g in own.items() if self.good(g)}
            ),
            "subtopics": lambda: len(
                {part for (one, _, part), g in self.parts.items() if one == query and self.good(g)}
            ),
        }[name]()


def joined(lists, grades):
    rows = [
        (run, query, doc, -rank)
        for (run, query), docs in lists.items()
        for rank, doc in enumerate(docs)
    ]
    runs = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"]).sample(
        frac=1, random_state=0
    )
    qrels = pd.DataFrame(
        [(*key, grade) for key, grade in grades.items()],
        columns=["query_id", "doc_id", "subtopic", "relevance"],
    )
    return positions.join(reader.read(runs, "runs"), reader.read(qrels, "qrels"))


IN_RANK_ORDER = ["rank", "start", "size", "grade", "relevant", "above", "pooled"]
OF_TOPICS = [
    "m",
    "relevants",
    "top_grade",
    "retrieved",
    "nonrelevant",
    "nonrelevant_found",
    "corpus",
]
PADDING = {
    "rank": inf,
    "start": inf,
    "size": 1,
    "grade": 0,
    "relevant": False,
    "above": inf,
    "pooled": inf,
}


def every_cell(found, plain, view, kind, most):
    """Compare every cell of every block with that of its topic, run and item."""
    seen = []
    for block in view.blocks(empty=True, most=most):
        seen += block.topics.tolist()
        assert block.shape == (len(block.topics), len(RUNS))
        for name in IN_RANK_ORDER if block.size else ():
            column = block[name]
            assert column is block[name]
            for t, query in enumerate(found.queries[block.topics]):
                for r, run in enumerate(RUNS):
                    wanted = [
                        plain.cell(name, query, run, *one) for one in plain.found(kind, query, run)
                    ]
                    wanted += [PADDING[name]] * (block.size - len(wanted))
                    assert column[:, t, r].tolist() == wanted, (name, query, run)
        for name in OF_TOPICS:
            for t, query in enumerate(found.queries[block.topics]):
                column = np.asarray(block[name])
                own = np.broadcast_to(column, block.shape)[t] if column.ndim else column
                assert np.array_equal(
                    own, np.broadcast_to(plain.topic(name, query, kind), own.shape)
                ), (name, query)
        for t, query in enumerate(found.queries[block.topics]):
            own = plain.items(kind, query)
            best = sorted((plain.grade[query, doc] for doc in own), reverse=True)
            assert block["ideal"][:, t, 0].tolist() == best + [0] * (block.size - len(own))
            for r, run in enumerate(RUNS) if block.size else ():
                ranks = {doc: rank for rank, doc in plain.found(kind, query, run)}
                assert block["items"][:, t, r].tolist() == [ranks[doc] for doc in own] + [inf] * (
                    block.size - len(own)
                )
        if block.size:
            names = np.append(found.judged.docs.index()[found.judged.doc[view.items]], "none")[
                block.rows
            ]
            for t, query in enumerate(found.queries[block.topics]):
                for r, run in enumerate(RUNS):
                    wanted = [doc for _, doc in plain.found(kind, query, run)]
                    assert names[:, t, r].tolist() == wanted + ["none"] * (block.size - len(wanted))
    assert sorted(seen) == list(range(len(QUERIES)))


def every_subtopic(found, plain, view, most):
    """Compare the subtopics of all items, by name and in rank order, with those that the judgments say."""
    grades = plain.parts
    for block in view.blocks(most=most):
        for t, query in enumerate(found.queries[block.topics]):
            pairs = {
                (doc, part)
                for (one, doc, part), grade in grades.items()
                if one == query and plain.good(grade)
            }
            parts = sorted({part for _, part in pairs})
            assert block["subtopics"][t].tolist() == [len(parts)]
            wanted = [
                [(doc, part) in pairs for part in parts] for doc in plain.items("subtopic", query)
            ]
            belongs = block["belongs"][:, :, t, 0]
            assert belongs[:, : len(parts)].tolist() == wanted
            assert not belongs[:, len(parts) :].any()
            assert block["belongs"].dtype == block["member"].dtype == bool
            for r, run in enumerate(RUNS):
                wanted = [
                    [(doc, part) in pairs for part in parts]
                    for _, doc in plain.found("subtopic", query, run)
                ]
                assert block["member"][:, : len(parts), t, r].tolist() == wanted
