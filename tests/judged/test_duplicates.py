import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.judged import duplicates, ids, lists
from pdeval.kinds import tables
from tests.examples import examples

DTYPES = ["object", "string[pyarrow]", "category"]


def repeated(frame):
    doc = ids.column_ids(frame["doc_id"], "doc")
    return duplicates.rows_repeated(doc, lists.find_lists(tables.read(frame, "runs"))).tolist()


def naive(frame):
    return np.flatnonzero(frame.duplicated(["run", "query_id", "doc_id"])).tolist()


def frame_of(rows):
    return pd.DataFrame(rows, columns=["run", "query_id", "doc_id"]).assign(score=1.0)


FEW = st.tuples(st.sampled_from("ab"), st.sampled_from("12"), st.sampled_from(["d", "d1", "document-1", "document-12"]))


@pytest.mark.parametrize("dtype", DTYPES)
@given(rows=st.lists(FEW, min_size=1, max_size=16))
@examples(50)
def test_every_repeated_row_is_found_and_no_other(dtype, rows):
    frame = frame_of(rows).astype({"doc_id": dtype})
    assert repeated(frame) == naive(frame)


@pytest.mark.parametrize(("first", "second"), [(0, 1), (0, 7), (0, 15), (1, 7), (8, 15), (14, 15)])
@pytest.mark.parametrize("shape", ["equal lists", "lists of many lengths", "scattered rows"])
def test_a_duplicate_is_found_wherever_it_stands(first, second, shape):
    sizes = [16, 16, 16] if shape == "equal lists" else [3, 16, 40]
    rows = [("a", str(q), f"doc-{i:08d}") for q, size in enumerate(sizes) for i in range(size)]
    at = sizes[0]
    rows[at + second] = rows[at + first]
    frame = frame_of(rows)
    if shape == "scattered rows":
        frame = frame.sample(frac=1, random_state=3, ignore_index=True)
    assert repeated(frame) == naive(frame)
    assert len(repeated(frame)) == 1


def test_one_document_in_many_lists_is_no_duplicate():
    assert repeated(frame_of([(run, query, "d") for run in "abc" for query in "123"])) == []


@pytest.mark.parametrize("size", [1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100])
def test_ids_of_any_length_that_differ_in_one_byte_are_different(size):
    base = "x" * size
    texts = [base, *(base[:i] + "y" + base[i + 1 :] for i in range(size))]
    assert repeated(frame_of([("a", "1", text) for text in texts])) == []
    assert repeated(frame_of([("a", "1", text) for text in [*texts, texts[size // 2 + 1]]])) == [size + 1]


def test_an_id_and_its_prefixes_are_different():
    texts = ["clueweb12-0000tw-00-00000"[:size] for size in range(26)]
    assert repeated(frame_of([("a", "1", text) for text in texts])) == []


@pytest.mark.parametrize("longest", [8, 20, 50])
def test_duplicates_far_apart_in_a_long_list_are_found(longest):
    docs = [f"d{i:06d}" for i in range(40_000)]
    frame = frame_of([("a", "1", doc) for doc in [*docs, "x" * longest, "d000003"]])
    assert repeated(frame) == [40_001]


@pytest.mark.parametrize("dtype", ["int64", "Int64", "category"])
def test_integer_ids_are_checked_too(dtype):
    frame = frame_of([("a", "1", doc) for doc in (0, 1, 2, -1, 1, 7)] + [("a", "2", 0), ("a", "2", 0)])
    assert repeated(frame.astype({"doc_id": dtype})) == [4, 7]


@given(rows=st.lists(FEW, min_size=1, max_size=16))
@examples(30)
def test_equal_hashes_of_different_ids_are_no_duplicates(rows):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ids, "fingerprints", lambda held: np.zeros(len(held), dtype=np.uint64))
        frame = frame_of(rows)
        assert repeated(frame) == naive(frame)


def test_of_an_id_many_times_in_a_long_list_all_but_the_first_are_repeated():
    frame = frame_of([("a", "1", f"d{i % 3}") for i in range(60)])
    assert repeated(frame) == list(range(3, 60))


def test_no_repeated_rows_are_no_whole_numbers_and_not_no_numbers():
    frame = frame_of([("a", "1", "d"), ("a", "1", "e")])
    found = duplicates.rows_repeated(
        ids.column_ids(frame["doc_id"], "doc"), lists.find_lists(tables.read(frame, "runs"))
    )
    assert (found.dtype, len(found)) == (np.int64, 0)
    assert ids.column_ids(frame["doc_id"][:1], "doc").changes().dtype == bool


@pytest.mark.parametrize("lengths", [[20, 20], [20, 7]])
@pytest.mark.parametrize(
    "name", ["{:04d}-the-same-end", "x{}", "{:012d}", "the-same-beginning-{}", "{0:03d}/the-same-{0}"]
)
def test_ids_whose_ends_or_beginnings_are_equal_are_told_apart(name, lengths):
    rows = [("a", str(query), name.format(i)) for query, size in enumerate(lengths) for i in range(size)]
    assert repeated(frame_of(rows)) == []
    rows += [rows[3], rows[-1]]
    assert repeated(frame_of(rows)) == naive(frame_of(rows)) == [len(rows) - 2, len(rows) - 1]


def test_ids_that_end_alike_only_after_the_first_rows_are_told_apart(monkeypatch):
    monkeypatch.setattr(ids, "SAMPLE", 4)
    rows = [("a", "1", f"document-{i}") for i in range(8)] + [("a", "2", f"{i}-the-same-end") for i in range(8)]
    assert repeated(frame_of(rows)) == []
    assert repeated(frame_of([*rows, rows[-2]])) == [16]


@pytest.mark.parametrize("numbers", [[1, 2, 3], [-1, 2**40, 2**40 + 2**32], [2**62, 2**62 + 1, 5]])
def test_integers_of_any_size_are_told_apart(numbers):
    rows = [("a", "1", number) for number in numbers]
    assert repeated(frame_of(rows)) == []
    assert repeated(frame_of([*rows, rows[1]])) == [3]
