"""Cases: a random collection with the rules by which it is read, drawn from its seed, and its tables."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import pyarrow as pa

# ids that some reader, parser or comparison has stumbled over
ODD = [
    "NA", "nan", "None", "null", "1e5", "inf", "-1", "0x1f", "007", "7", "07", "True", "Q0", '"q"', "it's", "a,b",
    "a;b",
    "=1+1", "%s", "{0}", "a|b", "\\n", "$x$", "#tag", "-", ".", "..", "~", "aaaaaaaa", "aaaaaaaab", "aaaaaaaaaaaaaaaa",
    "aaaaaaaaaaaaaaaab", "x" * 40, "x" * 41, "x" * 33 + "y", "ein Wort", " padded", "tab\tbed",
]  # fmt: skip
UNICODE = [
    "é",
    "e\u0301",
    "ß",
    "ss",
    "日本",
    "日本語",
    "😀",
    "😁",
    "Ω",
    "\u2126",
    "ı",
    "İ",
    "ﬁ",
    "\u00a0",
    "ÿ",
    "\uffee",
    "𐀀",
]
TEXT = ("str", "object", "category", "string", "arrow", "large", "dictionary")
WHOLE = ("int64", "int32", "Int64", "category", "uint8")


@dataclass(frozen=True)
class Rules:
    """The rules of the join that a case is read by."""

    level: float | None = None
    queries: str = "relevant"
    ties: str = "docid"
    compat: str = "trec_eval-10"
    depth: int | None = None

    def given(self) -> dict:
        """Return them as arguments of a verb."""
        return dict(vars(self))


@dataclass(frozen=True)
class Case:
    """One collection: rows (run, query, doc, score, rank) with the run a tuple of names, and (query, subtopic, doc,
    grade), in the order of the tables; `stored` says in which dtype each column stands.
    """

    seed: int
    runs: tuple[tuple, ...]
    judgments: tuple[tuple, ...]
    rules: Rules = Rules()
    run_columns: tuple[str, ...] = ("run",)
    stored: dict[str, str] = field(default_factory=dict)
    subtopics: bool = False

    @property
    def names(self) -> list[tuple]:
        """The runs, in the order in which they first stand."""
        return list(dict.fromkeys(row[0] for row in self.runs))

    @property
    def shares_queries(self) -> bool:
        """Whether some query of the runs is judged."""
        return not {row[1] for row in self.runs}.isdisjoint(row[0] for row in self.judgments)

    def grades(self) -> dict[str, dict[str, float]]:
        """Return {query: {doc: grade}}, ids as text; of several subtopics the largest grade."""
        found: dict[str, dict[str, float]] = {}
        for query, _, doc, grade in self.judgments:
            docs = found.setdefault(str(query), {})
            docs[str(doc)] = max(grade, docs.get(str(doc), grade))
        return found

    def under(self, **rules) -> Case:
        """Return the case under other rules."""
        return replace(self, rules=replace(self.rules, **rules))

    def frames(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the run table and the judgments."""
        runs = pd.DataFrame(
            {
                name: [row[0][place] for row in self.runs]
                for place, name in enumerate(self.run_columns)
            }
            | {name: [row[place] for row in self.runs] for place, name in enumerate(_RUN, 1)}
        )
        qrels = pd.DataFrame(
            list(self.judgments), columns=["query_id", "subtopic", "doc_id", "relevance"]
        )
        if not self.subtopics:
            qrels = qrels.drop(columns="subtopic")
        for frame, side in ((runs, "runs"), (qrels, "qrels")):
            for name in frame.columns:
                dtype = self.stored.get(f"{side}.{name}")
                if dtype:
                    frame[name] = stored(frame[name], dtype)
        return runs, qrels


_RUN = ("query_id", "doc_id", "score", "rank")


def stored(column: pd.Series, dtype: str) -> pd.Series:
    """Return a column in a dtype of our names."""
    arrow = {
        "arrow": pa.string(),
        "large": pa.large_string(),
        "dictionary": pa.dictionary(pa.int32(), pa.string()),
    }
    if dtype in arrow:
        return pd.Series(
            pd.array(column.tolist(), dtype=pd.ArrowDtype(arrow[dtype])), index=column.index
        )
    return column.astype(dtype)


# what other mends are awaited for: ids with zero bytes, and run columns whose values multiply beyond 64 bits
AWAITED = ("zero bytes", "many run columns")


def draw(seed: int, *, awaited: bool = False) -> Case:
    """Return the case of a seed; with `awaited`, some hold what pdeval is not yet held to."""
    case = _drawn(seed)
    rng = random.Random(f"{seed} awaited")
    if awaited and rng.random() < 0.3 and isinstance(case.runs[0][2], str):
        ends = {
            row[2]: rng.choice(["", "\0", "\0a", "\0" * 9]) for row in (*case.runs, *case.judgments)
        }
        runs = tuple((run, query, doc + ends[doc], *rest) for run, query, doc, *rest in case.runs)
        judgments = tuple(
            (query, t, doc + ends[doc], grade) for query, t, doc, grade in case.judgments
        )
        case = replace(case, runs=runs, judgments=judgments)
    if awaited and rng.random() < 0.3:
        # 32 values in each of 16 columns make 2^80 names; the runs of the case differ in the first column alone
        columns = tuple(f"c{place}" for place in range(16))
        values = {name: (place, *[0] * 15) for place, name in enumerate(case.names)}
        filled = [((value,) * 16, *case.runs[0][1:]) for value in range(31, -1, -1)]
        known = set(values.values())
        runs = tuple((values[row[0]], *row[1:]) for row in case.runs)
        kept = {
            name: dtype
            for name, dtype in case.stored.items()
            if name.split(".")[1] not in case.run_columns
        }
        more = tuple(row for row in filled if row[0] not in known)
        case = replace(case, runs=(*runs, *more), run_columns=columns, stored=kept)
    return case


def _drawn(seed: int) -> Case:
    rng = random.Random(seed)
    queries, docs = _pool(rng, rng.choice([2, 4, 7])), _pool(rng, rng.choice([4, 9, 25, 60]))
    runs, columns = _runs(rng)
    subtopics = rng.random() < 0.3
    grades = rng.choice(
        [
            [1],
            [0, 1],
            [0, 1, 2],
            [-1, 0, 1, 2, 3],
            [-2, -1, 0, 4],
            [0, 0.5, 1, 1.5],
            [0, 0, 0, 1],
            [0],
        ]
    )
    judged = rng.sample(queries, rng.randint(1, len(queries)))
    judgments = []
    for query in judged:
        for doc in rng.sample(docs, rng.randint(1, len(docs))):
            for subtopic in (
                rng.sample(["1", "2", "3"], rng.choice([1, 1, 2])) if subtopics else [None]
            ):
                judgments.append((query, subtopic, doc, rng.choice(grades)))
    rows = []
    score = _scores(rng)
    for run in runs:
        for query in rng.sample(queries, rng.randint(0 if rows else 1, len(queries))):
            found = rng.sample(docs, rng.randint(1, len(docs)))
            ranks = rng.sample(range(1, len(found) + rng.choice([1, 5])), len(found))
            rows += [
                (run, query, doc, score(place), rank)
                for place, (doc, rank) in enumerate(zip(found, ranks))
            ]
    if rng.random() < 0.5:
        rng.shuffle(rows)
        rng.shuffle(judgments)
    rules = Rules(
        level=rng.choice([None, None, 1, 2, 0.5]),
        queries=rng.choice(["relevant", "judged", "answered", "common"]),
        ties=rng.choice(["docid", "docid", "rank", "first"]),
        compat=rng.choice(["trec_eval-10", "trec_eval-9"]),
        depth=rng.choice([None, None, None, 1, 3, 10]),
    )
    case = Case(seed, tuple(rows), tuple(judgments), rules, columns, subtopics=subtopics)
    return replace(case, stored=_dtypes(rng, case))


def _pool(rng: random.Random, size: int) -> list:
    """Return different ids, all whole numbers or all text."""
    kind = rng.choice(["int", "digits", "plain", "odd", "unicode", "mixed", "prefixed"])
    if kind == "int":
        return rng.sample(range(256), size)
    plain = [f"d{number}" for number in range(size)]
    padded = [f"{number:03d}" for number in range(size)]
    prefixed = ["shared-prefix-of-" * (1 + number % 2) + str(number) for number in range(size)]
    pools = {"digits": padded, "plain": plain, "odd": ODD, "unicode": UNICODE, "prefixed": prefixed}
    pool = pools.get(kind, [*ODD, *UNICODE, *plain])
    pool = [*pool, *(f"extra{number}" for number in range(size - len(pool)))]
    return rng.sample(pool, size)


def _runs(rng: random.Random) -> tuple[list[tuple], tuple[str, ...]]:
    count = rng.choice([1, 2, 2, 3, 5])
    if rng.random() < 0.25:
        every = [(model, seed) for model in ("bm25", "a-b", "é") for seed in (1, 2)]
        return rng.sample(every, count), ("model", "seed")
    return [
        (name,) for name in rng.sample(["bm25", "ql", "a b", "日本", "10", "9", "B", "nan"], count)
    ], ("run",)


def _scores(rng: random.Random):
    """Return a function of the place that gives a score."""
    kind = rng.choice(
        ["normal", "few", "near", "huge", "falling", "infinite", "zeros", "whole", "ulps"]
    )
    few = [rng.uniform(-3, 3) for _ in range(3)]
    draws = {
        "normal": lambda place: rng.gauss(0, 1),
        "few": lambda place: rng.choice(few),
        "near": lambda place: 1.0 + rng.randint(-4, 4) * 1e-9,  # different in 64 bits, equal in 32
        "huge": lambda place: rng.choice([1, -1]) * 10.0 ** rng.randint(-320, 305),
        "falling": lambda place: float(-place),
        "infinite": lambda place: rng.choice([np.inf, -np.inf, 0.0, 1.0]),
        "zeros": lambda place: rng.choice([0.0, -0.0, 5e-324, -5e-324, 1e-46]),
        "whole": lambda place: rng.randint(0, 9),
        "ulps": lambda place: 16777216.0 + rng.randint(0, 6) / 2,
    }
    return draws[kind]


def _dtypes(rng: random.Random, case: Case) -> dict[str, str]:
    found = {}
    for side, name, first in (
        ("runs", "query_id", case.runs[0][1]),
        ("runs", "doc_id", case.runs[0][2]),
        ("qrels", "query_id", case.judgments[0][0]),
        ("qrels", "doc_id", case.judgments[0][2]),
    ):
        found[f"{side}.{name}"] = rng.choice(WHOLE if isinstance(first, int) else TEXT)
    for place, name in enumerate(case.run_columns):
        if isinstance(case.runs[0][0][place], str):
            found[f"runs.{name}"] = rng.choice(TEXT)
    if case.subtopics:
        found["qrels.subtopic"] = rng.choice(["str", "category", "int64"])
    whole_scores = all(isinstance(row[3], int) for row in case.runs)
    found["runs.score"] = (
        rng.choice(["int64", "int16", "Int64", "float32"]) if whole_scores else "float64"
    )
    if all(isinstance(row[3], int) for row in case.judgments) and rng.random() < 0.5:
        found["qrels.relevance"] = rng.choice(["int8", "Int64", "float64"])
    return found
