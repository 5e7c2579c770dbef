"""Generator of the sample of answers of `pdeval.datasets`, from a seed: `python -m tests.datasets.generate_answers`.

A nugget is a span of one to three documents. A chunk of a document gets a better score the more of the spans it covers,
and a system writes a nugget into its answer more often if the first chunks cover it. The machine assigns nuggets as
human assessors do, with errors, and is more lenient with answers of large generators. Only sums, products, rounding
and stable sorts of seeded draws are used, so the tables are the same on every machine.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from pdeval.datasets.sample import FOLDER
from tests.datasets.generate import repeated, write

SEED = 2025
QUERIES = [f"q{number:02d}" for number in range(1, 31)]
TYPES = ("fact", "list", "how-to")
DOCS, LENGTH, NUGGETS, DEPTH, READ = 25, 2000, 8, 10, 5
LABELS = np.array(["not_support", "partial_support", "support"])
SUPPORT = np.array(["none", "partial", "full"])

# run, retriever, generator, skill of retrieval, quality of the generator, its memory, chunk size and step, abstains
# below this score
SYSTEMS = pd.DataFrame(
    [
        ("bm25+large", "bm25", "large", 1.0, 0.85, 0.25, 400, 400, 0.0),
        ("bm25+small", "bm25", "small", 0.8, 0.65, 0.05, 400, 400, 0.0),
        ("dense+large", "dense", "large", 1.4, 0.85, 0.25, 200, 150, 0.0),
        ("dense+small", "dense", "small", 1.2, 0.65, 0.05, 200, 150, 0.0),
        ("hybrid+large", "hybrid", "large", 1.9, 0.85, 0.25, 300, 250, 0.58),
        ("hybrid+small", "hybrid", "small", 1.6, 0.65, 0.05, 300, 250, 0.0),
        ("rerank+large", "rerank", "large", 2.6, 0.85, 0.25, 200, 200, 0.62),
        ("rerank+small", "rerank", "small", 2.3, 0.65, 0.05, 200, 200, 0.58),
    ],
    columns=[
        "run",
        "retriever",
        "generator",
        "skill",
        "quality",
        "memory",
        "size",
        "step",
        "threshold",
    ],
)


def answer_tables(seed: int = SEED) -> dict[str, pa.Table]:
    """Return the tables by name: chunks, judged documents, spans, nuggets, citations, queries and systems."""
    rng = np.random.default_rng(seed)
    n_queries = len(QUERIES)
    answerable = np.arange(n_queries) % 5 != 4
    exists = (
        np.arange(NUGGETS)
        < np.where(answerable, 4 + np.floor(5 * rng.random(n_queries)), 0)[:, None]
    )
    vital = (rng.random((n_queries, NUGGETS)) < 0.5) | (np.arange(NUGGETS) == 0)
    # (queries, nuggets, documents): one to three documents have a nugget, in a span of each
    n_homes = 1 + np.floor(3 * rng.random((n_queries, NUGGETS, 1)) ** 2)
    place = np.argsort(rng.random((n_queries, NUGGETS, DOCS)), axis=2, kind="stable")
    has = (np.argsort(place, axis=2, kind="stable") < n_homes) & exists[:, :, None]
    span_start = 20.0 * np.floor(rng.random(has.shape) * (LENGTH - 160) / 20)
    span_end = span_start + 60 + 20 * np.floor(5 * rng.random(has.shape))
    topicality = rng.standard_normal((n_queries, DOCS))
    lists, coverage, source = _retrieval(rng, has, span_start, span_end, topicality)
    nuggets, human = _nuggets(rng, exists, vital, coverage, lists[0])
    query, nugget, doc = np.nonzero(has)
    order = np.lexsort((span_start[query, nugget, doc], doc, query))
    query, nugget, doc = query[order], nugget[order], doc[order]
    grade = np.minimum(has.sum(axis=1), 3)
    judged = np.nonzero((grade > 0) | (topicality > 0.8))
    return {
        "chunks": _chunk_table(*lists),
        "answer_qrels": pa.table(
            {
                "query_id": repeated(QUERIES, judged[0]),
                "doc_id": pa.array(_doc_ids(*judged), pa.large_string()),
                "relevance": pa.array(grade[judged]),
            }
        ),
        "spans": pa.table(
            {
                "query_id": repeated(QUERIES, query),
                "doc_id": pa.array(_doc_ids(query, doc), pa.large_string()),
                "start": pa.array(span_start[query, nugget, doc].astype(np.int64)),
                "end": pa.array(span_end[query, nugget, doc].astype(np.int64)),
            }
        ),
        "nuggets": nuggets,
        "citations": _citation_table(rng, answerable, human, coverage, source, lists[1]),
        "answer_queries": pa.table(
            {
                "query_id": pa.array(QUERIES, pa.large_string()),
                "type": repeated(TYPES, np.floor(3 * rng.random(n_queries)).astype(np.int64)),
                "answerable": pa.array(answerable),
            }
        ),
        "systems": pa.table(
            {
                name: pa.array(SYSTEMS[name].tolist(), pa.large_string())
                for name in ("run", "retriever", "generator")
            }
        ),
    }


def _retrieval(
    rng: np.random.Generator,
    has: np.ndarray,
    span_start: np.ndarray,
    span_end: np.ndarray,
    topicality: np.ndarray,
) -> tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray]:
    """Return the lists, and for each nugget its best coverage by the chunks that are read and their document.

    Lists are arrays (systems, queries, ranks): whether there is an answer, document, start, end and score of a chunk.
    """
    lists, coverages, sources = [], [], []
    n_queries = len(topicality)
    query = np.arange(n_queries)[:, None]
    for skill, size, step, threshold in SYSTEMS[["skill", "size", "step", "threshold"]].to_numpy():
        starts = np.arange(0, LENGTH - size + 1, step)
        # (queries, nuggets, documents, chunks)
        common = np.minimum(span_end[..., None], starts + size) - np.maximum(
            span_start[..., None], starts
        )
        part = np.maximum(common, 0) / (span_end - span_start)[..., None] * has[..., None]
        signal = np.minimum(part.sum(axis=1), 2.0)
        noise = rng.standard_normal(signal.shape)
        utility = skill * signal + 0.5 * topicality[:, :, None] + 0.6 * noise
        flat = np.round(0.35 + 0.1 * utility, 3).reshape(n_queries, -1)
        chunk = np.argsort(-flat, axis=1, kind="stable")[:, :DEPTH]
        score = flat[query, chunk]
        doc, place = np.divmod(chunk, len(starts))
        answered = np.repeat(score[:, :1] >= threshold, DEPTH, axis=1)
        lists.append((answered, doc, starts[place], starts[place] + size, score))
        # (queries, nuggets, chunks that are read)
        read = part.reshape(n_queries, NUGGETS, -1)[query, :, chunk[:, :READ]].transpose(0, 2, 1)
        read = read * answered[:, :1, None]
        best = read.argmax(axis=2)
        coverages.append(read.max(axis=2))
        sources.append(doc[query, best])
    stacked = tuple(np.stack(side) for side in zip(*lists, strict=True))
    return stacked, np.stack(coverages), np.stack(sources)


def _nuggets(
    rng: np.random.Generator,
    exists: np.ndarray,
    vital: np.ndarray,
    coverage: np.ndarray,
    answered: np.ndarray,
) -> tuple[pa.Table, np.ndarray]:
    """Return the table of nuggets, and the assignments by human assessors (systems, queries, nuggets) as 0, 1, 2."""
    quality, memory = (SYSTEMS[name].to_numpy()[:, None, None] for name in ("quality", "memory"))
    large = (SYSTEMS["generator"] == "large").to_numpy()[:, None, None]
    chance = (quality * coverage + memory * (1 - coverage)) * answered[:, :, :1]
    draw = rng.random(coverage.shape)
    human = (draw < chance) * 1 + (draw < chance + 0.25 * (coverage > 0.2))
    error = rng.random(coverage.shape)
    machine = human.copy()
    machine[(human == 0) & (error < 0.05 + 0.3 * large) & answered[:, :, :1]] = 1
    machine[(human == 0) & (error < 0.25 * large) & answered[:, :, :1]] = 2
    machine[(human == 1) & (error < 0.15)] = 2
    machine[(human == 1) & (error > 0.85)] = 0
    machine[(human == 2) & (error < 0.1)] = 1
    filler = np.floor(200 * rng.random(answered.shape[:2]))
    length = 60 + 70 * human.sum(axis=2) + filler * (1 + large[:, :, 0])
    length = np.where(answered[:, :, 0], length, 0).astype(np.int64)
    run, query, nugget = np.nonzero(np.broadcast_to(exists, coverage.shape))
    cell = (run, query, nugget)
    # human assessors labeled the answers to every other query
    unlabeled = query % 2 == 1
    table = pa.table(
        {
            "run": repeated(SYSTEMS["run"], run),
            "query_id": repeated(QUERIES, query),
            "nugget": repeated([f"n{number + 1}" for number in range(NUGGETS)], nugget),
            "importance": repeated(["okay", "vital"], vital[query, nugget] * 1),
            "assignment": pa.array(LABELS[human[cell]].tolist(), pa.large_string(), mask=unlabeled),
            "machine": repeated(LABELS, machine[cell]),
            "length": pa.array(length[run, query]),
        }
    )
    return table, human


def _chunk_table(
    answered: np.ndarray, doc: np.ndarray, start: np.ndarray, end: np.ndarray, score: np.ndarray
) -> pa.Table:
    """Return the retrieved chunks: run, query_id, doc_id, start, end, score."""
    cell = np.nonzero(answered)
    return pa.table(
        {
            "run": repeated(SYSTEMS["run"], cell[0]),
            "query_id": repeated(QUERIES, cell[1]),
            "doc_id": pa.array(_doc_ids(cell[1], doc[cell]), pa.large_string()),
            "start": pa.array(start[cell].astype(np.int64)),
            "end": pa.array(end[cell].astype(np.int64)),
            "score": pa.array(score[cell]),
        }
    )


def _citation_table(
    rng: np.random.Generator,
    answerable: np.ndarray,
    human: np.ndarray,
    coverage: np.ndarray,
    source: np.ndarray,
    doc: np.ndarray,
) -> pa.Table:
    """Return the citations: each nugget of an answer is a sentence that cites up to two chunks; the last cites none."""
    draw = rng.random((2, *human.shape))
    # the last sentence of an answer cites nothing
    written = np.concatenate([human > 0, np.ones((*human.shape[:2], 1), dtype=bool)], axis=2)
    number = np.cumsum(written, axis=2)
    cites = np.zeros((2, *written.shape), dtype=bool)
    cites[0, :, :, :-1] = (human > 0) & ((coverage > 0) | (draw[0] < 0.5))
    cites[1, :, :, :-1] = cites[0, :, :, :-1] & (draw[1] < 0.3) & (source != doc[:, :, :1])
    cited = np.zeros(cites.shape, dtype=np.int64)
    cited[0, :, :, :-1] = np.where(coverage > 0, source, doc[:, :, :1])
    cited[1, :, :, :-1] = doc[:, :, :1]
    support = np.zeros(cites.shape, dtype=np.int64)
    support[0, :, :, :-1] = (coverage > 0.2) * 1 + (coverage * draw[0] > 0.1)
    support[1, :, :, :-1] = (draw[1] < 0.1) * 1
    # one row for each citation, and one for a sentence without citations
    rows = cites | (np.arange(2)[:, None, None, None] == 0) & written & ~cites.any(axis=0)
    rows &= answerable[:, None]
    run, query, nugget, position = np.nonzero(rows.transpose(1, 2, 3, 0))
    cell = (position, run, query, nugget)
    missing = ~cites[cell]
    return pa.table(
        {
            "run": repeated(SYSTEMS["run"], run),
            "query_id": repeated(QUERIES, query),
            "sentence": pa.array(number[run, query, nugget]),
            "doc_id": pa.array(_doc_ids(query, cited[cell]), pa.large_string(), mask=missing),
            "support": pa.array(SUPPORT[support[cell]].tolist(), pa.large_string(), mask=missing),
            "position": pa.array(position + 1),
        }
    )


def _doc_ids(query: np.ndarray, doc: np.ndarray) -> np.ndarray:
    """Return ids of documents: that of the query, and a number."""
    return np.array(
        [f"{QUERIES[one]}-d{two + 1:02d}" for one, two in zip(query, doc)], dtype=object
    )


if __name__ == "__main__":
    for path in write(FOLDER, answer_tables()):
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
