"""Spans: values worked by hand, all measures by sets of characters, different chunks, and messages."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval

ALL = ["SpanRecall", "SpanPrecision", "SpanIoU", "SpanNDCG"]
SPANS = pd.DataFrame({"query_id": "1", "doc_id": "d", "start": [100, 300], "end": [200, 340]})
CHUNKS = pd.DataFrame(
    {
        "run": "a",
        "query_id": "1",
        "doc_id": "d",
        "start": [80, 170],
        "end": [180, 260],
        "score": [2.0, 1.0],
    }
)


def values(runs, measures=None, spans=SPANS, **options):
    return runs.ireval.measure_spans(spans, measures, **options)["value"].tolist()


def test_overlapping_chunks_count_once_or_each_time():
    # relevant [100, 200) and [300, 340); retrieved [80, 180) and [170, 260)
    once = values(CHUNKS)
    assert once[:3] == [100 / 140, 100 / 180, 100 / 220]
    assert once[3] == pytest.approx((0.8 + 0.2 / np.log2(3)) / 2)
    assert values(CHUNKS, ALL[:3], overlap="each") == [100 / 140, 100 / 190, 100 / 230]


def test_a_cutoff_counts_the_first_chunks():
    assert values(CHUNKS, [f"{name}@1" for name in ALL]) == [80 / 140, 80 / 100, 80 / 160, 0.4]
    by_rank = CHUNKS.drop(columns="score").assign(rank=[2, 1])
    assert values(by_rank, "SpanRecall@1") == [30 / 140]


def test_the_ideal_has_one_whole_document_per_rank():
    spans = pd.concat([SPANS.assign(relevance=1), SPANS.head(1).assign(doc_id="e", relevance=3)])
    chunks = pd.DataFrame(
        {"run": "a", "query_id": "1", "doc_id": ["e", "d"], "start": 0, "end": 400, "rank": [1, 2]}
    )
    assert values(chunks, "SpanNDCG", spans) == [1.0]
    worse = values(chunks.assign(rank=[2, 1]), "SpanNDCG", spans)
    assert worse == [pytest.approx((2 + 3 / np.log2(3)) / (3 + 2 / np.log2(3)))]


INTERVAL = st.tuples(
    st.sampled_from("xy"), st.integers(0, 12), st.integers(1, 6), st.integers(1, 3)
)


@given(
    st.lists(INTERVAL, min_size=1, max_size=4),
    st.lists(INTERVAL, min_size=1, max_size=6, unique_by=lambda one: one[:3]),
    st.integers(1, 6),
)
def test_all_measures_equal_those_of_sets_of_characters(judged, retrieved, k):
    spans = pd.DataFrame(
        [(doc, start, start + size, grade) for doc, start, size, grade in judged],
        columns=["doc_id", "start", "end", "relevance"],
    ).assign(query_id="1")
    spans = spans.drop_duplicates()
    chunks = pd.DataFrame(
        [(doc, start, start + size) for doc, start, size, _ in retrieved],
        columns=["doc_id", "start", "end"],
    ).assign(run="a", query_id="1", rank=range(1, len(retrieved) + 1))
    names = [f"{name}@{k}" for name in ALL]
    result = values(chunks.sample(frac=1, random_state=k), names, spans)
    each = values(chunks, names[1:3], spans, overlap="each")

    def characters(rows):
        return [{(row.doc_id, at) for at in range(row.start, row.end)} for row in rows.itertuples()]

    relevant = characters(spans)
    union = set().union(*relevant)
    first = characters(chunks)[:k]
    covered = set().union(*first)
    both = len(union & covered)
    n_each = sum(map(len, first))
    assert result[:3] == [
        both / len(union),
        both / len(covered),
        both / len(union | covered),
    ]
    assert each == [both / n_each, both / (len(union) + n_each - both)]
    grades = spans["relevance"].tolist()
    dcg, seen = 0.0, set()
    for rank, chunk in enumerate(first, 1):
        new = chunk - seen
        seen |= chunk
        gain = sum(grade * len(span & new) / len(span) for grade, span in zip(grades, relevant))
        dcg += gain / np.log2(rank + 1)
    documents = sorted(spans.groupby("doc_id")["relevance"].sum(), reverse=True)[:k]
    ideal = sum(gain / np.log2(rank + 1) for rank, gain in enumerate(documents, 1))
    assert result[3] == pytest.approx(dcg / ideal, rel=1e-12)
    assert 0 <= result[3] <= 1 + 1e-12


def test_runs_with_different_chunks_are_compared_on_the_same_spans():
    small = pd.DataFrame({"run": "small", "start": [100, 150, 300], "end": [150, 200, 350]})
    large = pd.DataFrame({"run": "large", "start": [0], "end": [400]})
    chunks = pd.concat([small, large]).assign(query_id="1", doc_id="d")
    chunks["rank"] = chunks.groupby("run").cumcount() + 1
    scores = chunks.ireval.measure_spans(SPANS, ["SpanRecall", "SpanPrecision"])
    # large: 140 of 400 characters; small: 140 of 150
    assert scores["run"].tolist() == ["large", "large", "small", "small"]
    assert scores["value"].tolist() == [1.0, 140 / 400, 1.0, 140 / 150]
    compared = scores.ireval.order("SpanPrecision")
    assert compared["run"].tolist() == ["small", "large"]


PLACES = pd.DataFrame(
    {"doc_id": ["c1", "c2"], "document": "d", "start": [80, 170], "end": [180, 260]}
)


def test_places_of_chunks_may_be_in_their_own_table():
    runs = CHUNKS[["run", "query_id", "score"]].assign(doc_id=["c1", "c2"])
    assert values(runs, chunks=PLACES.iloc[::-1]) == values(CHUNKS)


@pytest.mark.parametrize(
    ("places", "message"),
    [
        (
            PLACES.drop(columns="document"),
            "chunks= has no column 'document'; it has doc_id, start, end.",
        ),
        (
            pd.concat([PLACES, PLACES.head(1)]),
            "chunks= has 1 rows that repeat a chunk, e.g. 'c1'. Keep one of each.",
        ),
        (
            PLACES.head(1),
            "1 of 2 retrieved chunks are missing from chunks=, e.g. 'c2'. Use the same ids, of the same type.",
        ),
    ],
)
def test_places_that_do_not_fit_are_an_error(places, message):
    runs = CHUNKS[["run", "query_id", "score"]].assign(doc_id=["c1", "c2"])
    with pytest.raises(ValueError, match=re.escape(message)):
        values(runs, chunks=places)


def test_judged_queries_count_and_others_do_not():
    spans = pd.concat([SPANS, SPANS.assign(query_id="2")])
    chunks = pd.concat([CHUNKS, CHUNKS.assign(query_id="9")])
    with pytest.warns(
        UserWarning, match=r"1 of 2 lists are missing, e\.g\. of run 'a' to query '2'"
    ):
        scores = chunks.ireval.measure_spans(spans, "SpanRecall")
    assert scores["query_id"].tolist() == ["1", "2"]
    assert scores["value"].tolist() == [100 / 140, 0.0]


@pytest.mark.parametrize(
    ("chunks", "spans", "message"),
    [
        (
            CHUNKS.drop(columns="end"),
            SPANS,
            "the run table has no column 'end'; it has run, query_id, doc_id, start, score. Spans need the columns "
            "'start' and 'end', the first character and the one after the last.",
        ),
        (CHUNKS, SPANS.drop(columns="start"), "the table of spans has no column 'start'"),
        (
            CHUNKS,
            SPANS.drop(columns="doc_id"),
            "the table of spans has no doc column; it has query_id, start, end.",
        ),
        (
            CHUNKS.assign(end=80),
            SPANS,
            "the run table has 2 rows without a start of 0 or more and a later end, e.g. [80, 80). The column 'end' is "
            "the character after the last.",
        ),
        (CHUNKS.assign(end=np.inf), SPANS, "2 rows without a start of 0 or more and a later end"),
        (CHUNKS, SPANS.assign(start=-1), "2 rows without a start of 0 or more and a later end, e.g. [-1,"),
        (CHUNKS.assign(start=[1, np.nan]), SPANS, "the start column has 1 missing values (NaN)"),
        (
            pd.concat([CHUNKS, CHUNKS]),
            SPANS,
            "has 2 rows that repeat an earlier (run, query, doc, start, end), e.g. ('a', '1', 'd', 80, 180).",
        ),
        (CHUNKS, SPANS.assign(relevance=0), "the table of spans has no relevant span."),
        (CHUNKS, SPANS.assign(query_id=1), "the query ids are strings in the run table and integers"),
        (
            CHUNKS,
            SPANS.assign(query_id="7"),
            "no query of the runs is in the table of spans, which has e.g. '7'. Use the same ids",
        ),
        (CHUNKS.head(0), SPANS, "the run table is empty."),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_answered_by_its_fault(chunks, spans, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        chunks.ireval.measure_spans(spans)


@pytest.mark.filterwarnings("ignore:.* lists are missing")
def test_groups_of_queries_and_of_runs_equal_a_loop_over_the_groups():
    answers = pdeval.datasets.load_answers()
    for by, key, metadata in (
        ("type", "query_id", answers.queries),
        ("retriever", "run", answers.systems),
    ):
        grouped = answers.chunks.ireval.measure_spans(answers.spans, by=by, metadata=metadata)
        parts = []
        for label, ids in metadata.groupby(by, observed=True)[key]:
            chunks = answers.chunks[answers.chunks[key].isin(ids)]
            spans = answers.spans
            if key == "query_id":
                spans = spans[spans[key].isin(ids)]
            part = chunks.ireval.measure_spans(spans)
            parts.append(part.assign(**{by: label})[[by, *part.columns]])
        loop = pd.concat(parts, ignore_index=True)
        loop[by] = loop[by].astype(grouped[by].dtype)
        pd.testing.assert_frame_equal(grouped, loop, check_exact=True)
