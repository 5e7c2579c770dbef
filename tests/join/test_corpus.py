"""The items of a query that are known: those that a run returned, and the relevant ones, against sets."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pdeval.join import blocks, merge_parts, positions
from pdeval.tables import reader

DOCS = [f"d{i}" for i in range(9)]


def drawn(seed, shuffled):
    """Return runs (of which one answers a query that nobody judged), and judgments of every kind of grade."""
    rng = np.random.default_rng(seed)
    names = [(run, query, doc) for run in "ab" for query in "1239" for doc in DOCS]
    runs = pd.DataFrame(names, columns=["run", "query_id", "doc_id"]).sample(
        frac=0.4, random_state=seed
    )
    runs = runs.assign(score=1.0) if shuffled else runs.sort_index().assign(score=1.0)
    items = [(query, doc) for query in "0123z" for doc in [*DOCS, "never"]]
    qrels = pd.DataFrame(items, columns=["query_id", "doc_id"]).sample(
        frac=0.6, random_state=seed + 1
    )
    return runs, qrels.assign(relevance=rng.integers(-1, 4, len(qrels)))


def join(runs, qrels, **rules):
    return positions.join(reader.read(runs, "runs"), reader.read(qrels, "qrels"), **rules)


@pytest.mark.broad
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("judged_only", [False, True])
def test_the_corpus_of_a_query_is_what_all_runs_returned_and_what_is_relevant(
    shuffled, judged_only
):
    for seed in range(8):
        runs, qrels = drawn(seed, shuffled)
        found = join(runs, qrels, judged_only=judged_only)
        grades = {(q, d): grade for q, d, grade in qrels.itertuples(index=False, name=None)}
        held = set(zip(runs["query_id"], runs["doc_id"]))
        if judged_only:
            held = {one for one in held if grades.get(one, -1) >= 0}
        size, returned = blocks.items_returned(found)
        queries, docs = found.queries, found.judged.docs.index()
        items = [
            (queries[topic], docs[doc]) for topic, doc in zip(found.judged.topic, found.judged.doc)
        ]
        assert size.tolist() == [sum(one == query for one, _ in held) for query in queries]
        assert returned.tolist() == [one in held for one in items]
        for level in (None, 1, 2, 0.5):
            good = {one for one, grade in grades.items() if grade > 0 and grade >= (level or 0)}
            wanted = [sum(one == query for one, _ in held | good) for query in queries]
            assert blocks.corpus_sizes(found, level).tolist() == wanted
        some = np.array([query != "1" for query in queries])
        assert (
            blocks.corpus_sizes(found.keep_topics(some)).tolist()
            == blocks.corpus_sizes(found)[some].tolist()
        )


def test_the_corpus_stays_that_of_all_runs_when_some_are_left_out():
    runs = pd.DataFrame({"run": list("aab"), "query_id": "q", "doc_id": list("xyz"), "score": 1.0})
    found = join(runs, pd.DataFrame({"query_id": ["q"], "doc_id": ["w"], "relevance": [1]}))
    assert blocks.corpus_sizes(found.keep_runs(np.array([True, False]))).tolist() == [4]


def test_of_rows_that_are_elsewhere_the_count_made_there_serves():
    runs, qrels = drawn(3, shuffled=True)
    found = join(runs, qrels)
    topics = np.arange(len(found.queries))
    pair = merge_parts.Pair()
    pair.returned = merge_parts.Returned(found.judged, True, merge_parts.items(found, topics))
    there = replace(found, source=pair)
    for ours, theirs in zip(blocks.items_returned(there), blocks.items_returned(found)):
        assert ours.tolist() == theirs.tolist()
    with pytest.raises(ValueError, match="counted in the run table, which this join no longer has"):
        blocks.corpus_sizes(replace(found, source=None))
