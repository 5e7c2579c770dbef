"""Ranks under every tie rule, against Python's own sort of each list."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.join import ids, lists, positions, ranks
from pdeval.tables import reader
from tests import naive
from tests.examples import examples

RULES = [
    ("docid", "trec_eval-10"),
    ("docid", "trec_eval-9"),
    ("first", "trec_eval-10"),
    ("rank", "trec_eval-10"),
]
DOCS = st.sampled_from(
    [
        "d",
        "d1",
        "d10",
        "d2",
        "doc-0001",
        "doc-00011",
        "doc-0001-a",
        "clueweb12-0000tw-00-0001",
        "é",
        "ß",
        "日本",
        "~",
        "",
        "d\0",
        "d\0\0",
        "\0",
        "d\0a",
        "eight888",
        "eight888\0",
    ]
    + [f"a-common-prefix-of-many-bytes-{i}" for i in range(4)]
)
SCORES = st.sampled_from([-math.inf, -1.0, 0.0, -0.0, 0.5, 1.0, 1.0 + 1e-12, math.inf])


def ranks_of(frame, ties, compat="trec_eval-10"):
    """Return {(run, query, doc): rank} of every row, all being judged."""
    both = frame[["query_id", "doc_id"]].astype(object).itertuples(index=False, name=None)
    # not drop_duplicates: pandas 2 takes a text for ended at its first NUL
    qrels = pd.DataFrame(list(dict.fromkeys(both)), columns=["query_id", "doc_id"]).assign(
        relevance=1
    )
    found = positions.join(
        reader.read(frame, "runs"), reader.read(qrels, "qrels"), ties=ties, compat=compat
    )
    assert len(found.rank) == len(frame)
    docs = found.judged.docs.index()[found.judged.doc[found.item]]
    queries = found.queries[found.judged.topic[found.item]]
    return dict(
        zip(zip(found.runs["run"].to_numpy()[found.run], queries, docs), found.rank.tolist())
    )


def wanted(frame, ties, compat="trec_eval-10"):
    lists = naive.lists_of(frame, ties, compat)
    return {
        (*key, doc): float(rank) for key, docs in lists.items() for rank, doc in enumerate(docs, 1)
    }


@st.composite
def tables_of_runs(draw):
    rows = []
    for run in "ab":
        for query in "12":
            docs = draw(st.lists(DOCS, max_size=12, unique=True))
            ranks = draw(st.permutations(range(len(docs))))
            rows += [(run, query, doc, draw(SCORES), rank) for doc, rank in zip(docs, ranks)]
    if not rows:
        rows = [("a", "1", "d", 0.0, 0)]
    mixed = draw(st.booleans())
    rows = draw(st.permutations(rows)) if mixed else rows
    return pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score", "rank"])


@pytest.mark.broad
@pytest.mark.parametrize(("ties", "compat"), RULES)
@given(frame=tables_of_runs())
@examples(40)
def test_ranks_are_those_of_a_plain_sort(ties, compat, frame):
    assert ranks_of(frame, ties, compat) == wanted(frame, ties, compat)


@given(frame=tables_of_runs())
@examples(30)
def test_ranks_do_not_depend_on_the_order_of_rows(frame):
    mixed = frame.sample(frac=1, random_state=1, ignore_index=True)
    assert ranks_of(mixed, "docid") == ranks_of(frame, "docid")
    assert ranks_of(mixed, "rank") == ranks_of(frame, "rank")


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 18, 300, 3000])
@pytest.mark.parametrize("dtype", ["object", "category", "string[pyarrow]"])
def test_large_groups_of_ties_are_ordered_by_document_id(size, dtype):
    rng = np.random.default_rng(size)
    docs = [f"a-prefix-shared-by-all-{rng.integers(10**9)}-{i}" for i in range(size)]
    frame = pd.DataFrame({"run": "a", "query_id": "1", "doc_id": docs, "score": 1.0})
    frame.loc[rng.integers(size), "score"] = 2.0
    stored = frame.astype({"doc_id": dtype})
    assert ranks_of(stored, "docid") == wanted(frame, "docid")


def test_groups_of_many_sizes_in_many_lists_do_not_mix():
    rng = np.random.default_rng(5)
    rows = []
    for run in "abc":
        for query in "1234":
            count = int(rng.integers(1, 120))
            docs = rng.permutation(500)[:count]
            rows += [
                (run, query, f"d{doc}" * int(doc % 4 + 1), float(rng.integers(0, 4)))
                for doc in docs
            ]
    frame = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"])
    assert ranks_of(frame, "docid") == wanted(frame, "docid")
    assert ranks_of(frame.sample(frac=1, random_state=2), "docid") == wanted(frame, "docid")


@pytest.mark.parametrize("dtype", ["object", "category", "string[pyarrow]"])
@pytest.mark.parametrize("longest", [3, 9, 40])
def test_ids_that_differ_in_nuls_alone_have_ranks_of_their_own(longest, dtype):
    if dtype == "category" and int(pd.__version__.partition(".")[0]) < 3:
        pytest.skip("pandas 2 takes a text for ended at its first NUL when it makes categories")
    docs = [
        f"{stem}{chr(0) * count}"
        for stem in ("d", "d\0x", "eight888", "")
        for count in range(longest)
    ]
    frame = pd.DataFrame(
        {"run": "a", "query_id": "1", "doc_id": list(dict.fromkeys(docs)), "score": 1.0}
    )
    assert ranks_of(frame.astype({"doc_id": dtype}), "docid") == wanted(frame, "docid")


def test_average_precision_of_ids_with_nuls_is_that_of_a_plain_sort():
    docs = {"d": 1, "d\0": 0, "d\0\0": 1}
    frame = pd.DataFrame({"run": "a", "query_id": "1", "doc_id": list(docs), "score": 1.0})
    found = frame.ireval.measure(naive.judgments({"1": docs}), ["AP"])
    order = naive.ranking([(doc, 1.0, 0) for doc in docs])
    assert found["value"].tolist() == [
        naive.average_precision(naive.found_at(order, {"d", "d\0\0"}))
    ]


@pytest.mark.parametrize("count", [3, 20])
def test_one_id_twice_among_ties_has_two_ranks(count):
    frame = pd.DataFrame({"run": "a", "query_id": "1", "doc_id": ["twin"] * count, "score": 1.0})
    qrels = reader.read(frame[["query_id", "doc_id"]].head(1).assign(relevance=1), "qrels")
    found = positions.join(reader.read(frame, "runs"), qrels, validate=False)
    assert sorted(found.rank.tolist()) == list(range(1, count + 1))


@pytest.mark.parametrize("count", [5, 40])
def test_integer_ids_are_tied_as_their_digits(count):
    numbers = [9, 10, 100, 11, 1, *range(200, 200 + count)]
    frame = pd.DataFrame({"run": "a", "query_id": "1", "doc_id": numbers, "score": 1.0})
    assert ranks_of(frame, "docid") == wanted(frame, "docid")


def test_scores_that_differ_beyond_24_bits_are_tied_in_trec_eval_9_only():
    frame = pd.DataFrame(
        {"run": "a", "query_id": "1", "doc_id": ["a", "b"], "score": [100 + 1e-9, 100.0]}
    )
    assert ranks_of(frame, "docid") == {("a", "1", "a"): 1.0, ("a", "1", "b"): 2.0}
    assert ranks_of(frame, "docid", "trec_eval-9") == {("a", "1", "a"): 2.0, ("a", "1", "b"): 1.0}


def test_scores_beyond_the_range_of_32_bits_are_tied_in_trec_eval_9():
    frame = pd.DataFrame(
        {"run": "a", "query_id": "1", "doc_id": ["a", "b"], "score": [1e300, 1e200]}
    )
    assert ranks_of(frame, "docid", "trec_eval-9") == {("a", "1", "a"): 2.0, ("a", "1", "b"): 1.0}


def test_the_rank_column_may_start_anywhere_and_have_gaps():
    frame = pd.DataFrame(
        {"run": "a", "query_id": "1", "doc_id": list("abc"), "score": 0.0, "rank": [70, 0, 5]}
    )
    assert ranks_of(frame, "rank") == {
        ("a", "1", "a"): 3.0,
        ("a", "1", "b"): 1.0,
        ("a", "1", "c"): 2.0,
    }


def test_a_table_without_scores_is_ranked_by_its_rank_column():
    frame = pd.DataFrame({"run": "a", "query_id": "1", "doc_id": list("ab"), "rank": [2, 1]})
    assert ranks_of(frame, None) == {("a", "1", "a"): 2.0, ("a", "1", "b"): 1.0}


@given(frame=tables_of_runs())
@examples(30)
def test_tie_groups_are_known_where_orders_are_averaged(frame):
    both = frame[["query_id", "doc_id"]].astype(object).itertuples(index=False, name=None)
    # not drop_duplicates: pandas 2 takes a text for ended at its first NUL
    qrels = pd.DataFrame(list(dict.fromkeys(both)), columns=["query_id", "doc_id"]).assign(
        relevance=1
    )
    found = positions.join(reader.read(frame, "runs"), reader.read(qrels, "qrels"), ties="expected")
    docs = found.judged.docs.index()[found.judged.doc[found.item]]
    queries = found.queries[found.judged.topic[found.item]]
    for run, query, doc, start, size in zip(
        found.runs["run"].to_numpy()[found.run], queries, docs, found.start, found.size
    ):
        held = frame[(frame["run"] == run) & (frame["query_id"] == query)]
        own = held.loc[held["doc_id"] == doc, "score"].iloc[0]
        assert start == (held["score"] > own).sum()
        assert size == (held["score"] == own).sum()


@pytest.mark.parametrize("count", [5, 40])
def test_ids_of_nothing_but_nuls_are_ordered_by_their_length(count):
    docs = [chr(0) * length for length in range(1, count + 1)]
    frame = pd.DataFrame({"run": "a", "query_id": "1", "doc_id": docs, "score": 1.0})
    assert ranks_of(frame, "docid") == wanted(frame, "docid")


@pytest.mark.parametrize("sizes", [[5, 5], [3, 5, 1]])
def test_scores_that_differ_in_their_last_bit_are_sorted_and_equal_ones_stay_as_they_stand(sizes):
    one = np.nextafter(1.0, 2.0)
    score = np.array(
        [1.0, one, -0.0, 0.0, -math.inf, 1.0, np.nextafter(one, 2.0), 1e-320, one, math.inf]
    )[: sum(sizes)]
    frame = pd.DataFrame(
        {"query_id": np.repeat(np.arange(len(sizes)), sizes), "doc_id": range(len(score))}
    )
    found = lists.find_lists(reader.read(frame.assign(score=score), "runs"))
    wanted = [
        row
        for begin, end in zip(found.starts[:-1].tolist(), found.starts[1:].tolist())
        for row in sorted(range(begin, end), key=lambda row: -score[row])
    ]
    assert ranks.sort_lists(score, found)[1].tolist() == wanted
    # with so many rows that places take more bits than the scores differ in
    many = np.repeat(score[::-1], 500)
    found = lists.find_lists(
        reader.read(
            pd.DataFrame({"query_id": 1, "doc_id": range(len(many)), "score": many}), "runs"
        )
    )
    assert ranks.sort_lists(many, found)[1].tolist() == np.argsort(-many, kind="stable").tolist()


IDS = [
    "",
    "d",
    "d\0",
    "d\0\0",
    "d1",
    "d10",
    "é",
    "eight888",
    "eight888\0",
    "eight888a",
    "eight888b",
    "16 bytes of text",
]
IDS += [f"a-common-prefix-of-many-bytes-{i}" for i in range(9)] + [
    "\0" * 9,
    "\0" * 8,
    "\0" * 9 + "a",
    "9",
    "10",
]


def stood(score, docs, starts, ties):
    """Return (rank, start, size) of every row of sorted lists; one id twice among ties counts as it stands."""
    found = []
    for begin, end in itertools.pairwise(starts):
        for row in range(begin, end):
            tied = [other for other in range(begin, end) if score[other] == score[row]]
            if ties in ("first", "rank"):
                found.append((row - begin + 1, row - begin, 1))
                continue
            above = tied[0] - begin
            later = [other for other in tied if (docs[other], -other) > (docs[row], -row)]
            found.append(
                (above + 1 + len(later) if ties == "docid" else row - begin + 1, above, len(tied))
            )
    return found


@pytest.mark.parametrize("part", [ranks.PART, 3])
@pytest.mark.parametrize("ties", ["docid", "rank", "first", "expected"])
@pytest.mark.parametrize("stored", ["object", "category", "int64"])
def test_rows_in_any_order_stand_where_a_plain_count_puts_them(monkeypatch, part, ties, stored):
    monkeypatch.setattr(ranks, "PART", part)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        count = int(rng.integers(1, 70))
        docs = rng.choice(len(IDS), count)
        docs = docs * 7 if stored == "int64" else [IDS[one] for one in docs]
        frame = pd.DataFrame({"query_id": rng.integers(0, 3, count), "doc_id": docs})
        frame = frame.assign(score=rng.integers(0, 3, count) / 2).astype({"doc_id": stored})
        frame = frame.sort_values("query_id", ignore_index=True) if seed % 2 else frame
        found = lists.find_lists(reader.read(frame, "runs"))
        step, order = ranks.sorted_scores(frame["score"].to_numpy(), found, "first")
        ordered = frame if order is None else frame.iloc[order]
        texts = [str(one).encode() for one in ordered["doc_id"]]
        wanted = stood(ordered["score"].tolist(), texts, found.starts.tolist(), ties)
        doc = ids.column_ids(frame["doc_id"], "doc")
        every = np.arange(count)
        for rows in (
            every,
            every[::3],
            rng.permutation(count),
            rng.permutation(count)[:5],
            every[-1:],
            every[:0],
        ):
            held = ranks.of_rows(rows, step, doc, found, ties, order)
            assert [*zip(held.rank.tolist(), held.start.tolist(), held.size.tolist())] == [
                wanted[row] for row in rows
            ]
            assert {str(one.dtype) for one in (held.rank, held.start, held.size)} == {"int32"}


@pytest.mark.parametrize("later", [ranks._later_by_pairs, ranks._later_by_sorting])
@pytest.mark.parametrize("stored", ["object", "category"])
def test_ids_that_come_later_are_counted_alike_in_small_and_in_large_groups(later, stored):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(2, 20, 3)
        begins = np.cumsum(sizes) - sizes + [0, 2, 3]
        # pandas 2 takes "d" and "d\0" for one category
        told = [one for one in IDS if stored == "object" or "\0" not in one]
        some = rng.choice(told, size=rng.integers(2, len(told)), replace=False)
        texts = rng.choice(some, size=int(begins[-1] + sizes[-1])).astype(object)
        group = rng.integers(0, 3, 7)
        rows = begins[group] + [rng.integers(size) for size in sizes[group]]
        wanted = [
            sum(
                (texts[other].encode(), -other) > (texts[row].encode(), -row)
                for other in range(begin, begin + size)
            )
            for row, begin, size in zip(
                rows.tolist(), begins[group].tolist(), sizes[group].tolist()
            )
        ]
        held = ids.column_ids(pd.Series(texts, dtype=stored), "doc")
        assert later(rows, begins[group], sizes[group], held, None).tolist() == wanted
        spread = ids.column_ids(
            pd.Series([one for text in texts for one in ("z", text)], dtype=stored), "doc"
        )
        order = 2 * np.arange(len(texts)) + 1
        assert later(rows, begins[group], sizes[group], spread, order).tolist() == wanted


@pytest.mark.parametrize("block", [ranks.BLOCK, 8])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_lists_are_sorted_by_falling_score_and_rows_of_one_score_stay(monkeypatch, block, dtype):
    monkeypatch.setattr(ranks, "BLOCK", block)
    values = np.array(
        [
            0.0,
            -0.0,
            1.0,
            np.nextafter(1, 2),
            np.nextafter(1, 0),
            -1.0,
            3e38,
            -2.5,
            math.inf,
            -math.inf,
        ]
    )
    for seed in range(40):
        rng = np.random.default_rng(seed)
        sizes = (
            rng.integers(1, 12, rng.integers(1, 6))
            if seed % 3
            else np.full(rng.integers(1, 6), rng.integers(1, 9))
        )
        score = rng.choice(values[: rng.integers(1, len(values) + 1)], sizes.sum()).astype(dtype)
        starts = np.append(0, np.cumsum(sizes))
        for one in rng.integers(0, len(sizes), len(sizes) // 2):  # some lists stand sorted
            score[starts[one] : starts[one + 1]] = np.sort(score[starts[one] : starts[one + 1]])[
                ::-1
            ]
        wanted = [
            row
            for begin, end in zip(starts.tolist(), starts[1:].tolist())
            for row in sorted(range(begin, end), key=lambda row: -score[row])
        ]
        found = lists.Lists(starts, np.zeros(0), np.zeros(0), pd.DataFrame(), None, None)
        step, order = ranks.sort_lists(score, found)
        if wanted == sorted(wanted):
            assert order is None
        else:
            assert order.tolist() == wanted
            assert order.dtype == np.int32
            for begin, end in zip(starts.tolist(), starts[1:].tolist()):
                by_rank = score[order[begin:end]]
                assert np.array_equal(
                    step[begin + 1 : end] != step[begin : end - 1], by_rank[1:] != by_rank[:-1]
                )


@pytest.mark.parametrize("between", [[2.0], [2.0, 1.0], [3.0, 2.0, 1.0], [2.0, 1.0, 2.0, 1.0]])
def test_lists_that_stand_sorted_between_others_stay_as_they_are(between):
    score = np.array([1.0, 2.0, *between, 1.0, 2.0, 1.0, 2.0])
    middle = [2 + at for at in range(len(between))]
    cuts = [2] if len(between) == 4 else []  # two lists of two rows
    ends = np.cumsum([2, *(cuts * 2 or [len(between)]), 2, 2])
    found = lists.Lists(np.append(0, ends), np.zeros(0), np.zeros(0), pd.DataFrame(), None, None)
    last = len(score) - 4
    assert ranks.sort_lists(score, found)[1].tolist() == [
        1,
        0,
        *middle,
        last + 1,
        last,
        last + 3,
        last + 2,
    ]
