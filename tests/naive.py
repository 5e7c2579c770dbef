"""The definitions written plainly, a list and a dictionary at a time: what fast code is compared with."""

import math

import numpy as np
import pandas as pd

inf = math.inf


def ranking(rows, ties="docid", compat="trec_eval-10"):
    """Return the documents of one list, best first, from rows (doc, score, rank) in the order of the table."""
    if ties == "rank":
        return [row[0] for row in sorted(rows, key=lambda row: row[2])]
    if ties == "docid":
        rows = sorted(rows, key=lambda row: str(row[0]).encode(), reverse=True)

    return [row[0] for row in sorted(rows, key=lambda row: compared(row[1], compat), reverse=True)]


def compared(score, compat="trec_eval-10"):
    """Return a score as it is compared: trec_eval 9 holds it in 32 bits, where a huge one is infinite."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.float32(score)) if compat == "trec_eval-9" else float(score)


def lists_of(runs, ties="docid", compat="trec_eval-10"):
    """Return {(run, query): documents, best first} of a frame with run, query_id, doc_id, score[, rank]."""
    ranks = runs["rank"] if "rank" in runs else range(len(runs))
    rows = zip(
        runs["run"].tolist(),
        runs["query_id"].tolist(),
        runs["doc_id"].tolist(),
        runs["score"].tolist(),
        ranks,
    )
    found = {}
    for run, query, doc, score, rank in rows:
        found.setdefault((run, query), []).append((doc, score, rank))
    return {key: ranking(held, ties, compat) for key, held in found.items()}


def grades_of(qrels):
    """Return {query: {doc: grade}}."""
    found = {}
    for query, doc, grade in zip(
        qrels["query_id"].tolist(), qrels["doc_id"].tolist(), qrels["relevance"].tolist()
    ):
        found.setdefault(query, {})[doc] = grade
    return found


def found_at(docs, wanted):
    """Return the sorted ranks at which the wanted documents were found, infinity for each that was not."""
    ranks = sorted(rank for rank, doc in enumerate(docs, 1) if doc in wanted)
    return np.array(ranks + [inf] * (len(wanted) - len(ranks)))


def average_precision(f):
    """Return AP of ranks."""
    return sum(i / rank for i, rank in enumerate(f, 1)) / len(f)


def table(lists, scores=None):
    """Return a run table from {run: {query: documents, best first}}."""
    rows = [
        (run, query, doc, float(-place), place)
        for run, queries in lists.items()
        for query, docs in queries.items()
        for place, doc in enumerate(docs, 1)
    ]
    return pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score", "rank"])


def judgments(grades):
    """Return a judgments table from {query: {doc: grade}}."""
    rows = [(query, doc, grade) for query, docs in grades.items() for doc, grade in docs.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
