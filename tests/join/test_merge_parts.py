"""A join in pieces: what parts of whole queries found makes the join of the whole, to the last bit."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pdeval.join import blocks, merge_parts, positions
from pdeval.tables import reader


def frames(seed):
    rng = np.random.default_rng(seed)
    rows = [
        (f"r{run}", f"q{query}", f"d{doc}", float(rng.integers(0, 4)))
        for query in range(7)
        for run in rng.permutation(3)[: rng.integers(1, 4)]
        for doc in rng.permutation(9)[: rng.integers(1, 7)]
    ]
    runs = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"])
    qrels = pd.DataFrame(
        [
            (f"q{query}", f"d{doc}", int(rng.integers(0, 3)))
            for query in range(7)
            for doc in rng.permutation(9)[:5]
        ],
        columns=["query_id", "doc_id", "relevance"],
    )
    some = qrels.groupby("query_id").head(1).index
    return runs, qrels.assign(relevance=qrels["relevance"].where(~qrels.index.isin(some), 1))


def join(runs, qrels, **rules):
    return positions.join(reader.read(runs, "runs"), reader.read(qrels, "qrels"), **rules)


def in_parts(runs, qrels, whole, rules):
    """Yield the join of each part of the queries, and which topics and runs of the whole it has."""
    for part in (["q4", "q0"], ["q6", "q1", "q2"], ["q5", "q3"]):
        own, judged = (frame[frame["query_id"].isin(part)] for frame in (runs, qrels))
        found = join(own, judged, **rules)
        yield (
            found,
            whole.queries.get_indexer(found.queries),
            whole_runs(whole).get_indexer(found.runs["run"]),
        )


def whole_runs(whole):
    return pd.Index(whole.runs["run"])


@pytest.mark.broad
@pytest.mark.parametrize(
    "rules", [{}, {"ties": "expected"}, {"judged_only": True}, {"depth": 3}, {"complete": False}]
)
def test_pieces_in_any_order_make_the_join_of_the_whole(rules):
    for seed in range(6):
        runs, qrels = frames(seed)
        whole = join(runs, qrels, **rules)
        parts = {name: value for name, value in rules.items() if name != "judged_only"}
        known = join(runs, qrels, **parts)
        found = [merge_parts.hits(*part) for part in in_parts(runs, qrels, whole, parts)]
        for order in (found, found[::-1]):
            plain = merge_parts.joined_hits(
                known, known.judged, merge_parts.concatenated(order), known.source
            )
            made = plain.only_judged() if rules.get("judged_only") else plain
            by_run = np.lexsort(
                (whole.run, whole.item)
            )  # hits of one item in the order of the runs
            for name in ("item", "run", "rank", "start", "size"):
                np.testing.assert_array_equal(
                    getattr(made, name), getattr(whole, name)[by_run], err_msg=name
                )
            assert made.run.dtype == np.int64


@pytest.mark.broad
def test_what_rankings_hold_is_counted_as_in_the_whole():
    for seed in range(6):
        runs, qrels = frames(seed)
        whole = join(runs, qrels)
        found = [
            merge_parts.items(part, topics) for part, topics, _ in in_parts(runs, qrels, whole, {})
        ]
        counted = merge_parts.Returned(whole.judged, True, merge_parts.concatenated(found[::-1]))
        size, returned = blocks.items_returned(whole)
        assert counted.size.tolist() == size.tolist()
        assert counted.returned.tolist() == returned.tolist()
        some = whole.keep_topics(np.array([True, False, True, True, False, False, True]))
        ours, theirs = counted.of_join(some), blocks.items_returned(some)
        assert [one.tolist() for one in ours] == [one.tolist() for one in theirs]


def test_a_pair_of_tables_has_both():
    pair = merge_parts.Pair()
    pair.runs, pair.qrels = "lists", "judgments"
    assert (len(pair), [*pair], pair[0], pair[1]) == (
        2,
        ["lists", "judgments"],
        "lists",
        "judgments",
    )


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("twice", [False, True])
def test_a_hit_is_named_by_its_topic_and_its_place_among_the_topics_items(complete, twice):
    runs, qrels = frames(2)
    qrels = (
        pd.concat([qrels, qrels]) if twice else qrels
    )  # then items that are not relevant stay in any join
    found = join(runs, qrels, complete=complete)
    topics, names = np.array([40, 3, 5, 0, 9, 7, 8]), np.array([6, 2, 4])
    key, values = merge_parts.hits(found, topics, names)
    wanted = found.judged.grade > (-9 if complete else 0)
    for one, item, run, held in zip(key.tolist(), found.item, found.run, values.T):
        own = found.judged.topic[item]
        place = sum(wanted[:item] & (found.judged.topic[:item] == own))
        assert divmod(one, 1 << 32) == (topics[own], place)
        assert held[0] == names[run]
    assert values[1:].tolist() == [found.rank.tolist(), found.start.tolist(), found.size.tolist()]
    assert (key.dtype, values.dtype) == (np.int64, np.float64)


@pytest.mark.parametrize("complete", [True, False])
def test_what_rankings_of_some_queries_hold_is_known_by_their_names(complete):
    runs, qrels = frames(4)
    whole = join(runs, qrels, complete=complete)
    found = [
        merge_parts.items(part, topics)
        for part, topics, _ in in_parts(runs, qrels, whole, {"complete": complete})
    ]
    counted = merge_parts.Returned(whole.judged, complete, merge_parts.concatenated(found))
    queries, docs = whole.queries, whole.judged.docs.index()
    held = set(zip(runs["query_id"], runs["doc_id"]))
    wanted = whole.judged.grade > (-9 if complete else 0)
    items = [
        (queries[topic], docs[doc]) for topic, doc in zip(whole.judged.topic, whole.judged.doc)
    ]
    assert counted.returned.tolist() == [
        one in held and bool(good) for one, good in zip(items, wanted)
    ]
    assert counted.size.tolist() == [sum(query == one for one, _ in held) for query in queries]
    for mask in (np.arange(len(items)) % 2 == 0, np.arange(len(items)) > 7):
        size, returned = counted.of_join(whole.keep_items(mask))
        assert size.tolist() == counted.size.tolist()
        assert returned.tolist() == counted.returned[mask].tolist()


def test_pieces_without_hits_make_a_join_without():
    runs, qrels = frames(1)
    known = join(runs, qrels)
    nothing = np.zeros(0, dtype=np.int64), np.zeros((4, 0))
    judged, pair = replace(known.judged, grade=known.judged.grade + 1), merge_parts.Pair()
    made = merge_parts.joined_hits(
        known, judged, merge_parts.concatenated([nothing, nothing]), pair
    )
    assert [len(getattr(made, name)) for name in ("item", "run", "rank", "start", "size")] == [
        0
    ] * 5
    assert made.source is pair
    assert made.judged is judged
    assert made.retrieved is known.retrieved


def test_a_join_of_judged_items_alone_is_made_so_from_pieces():
    runs, qrels = frames(3)
    whole, plain = join(runs, qrels, judged_only=True), join(runs, qrels)
    found = merge_parts.concatenated(
        [merge_parts.hits(*part) for part in in_parts(runs, qrels, whole, {})]
    )
    known = replace(plain, rules={**plain.rules, "judged_only": True})
    made = merge_parts.joined_hits(known, plain.judged, found, plain.source)
    by_run = np.lexsort((whole.run, whole.item))
    for name in ("rank", "start", "size"):
        assert getattr(made, name).tolist() == getattr(whole, name)[by_run].tolist()
    assert made.retrieved.tolist() == whole.retrieved.tolist()
