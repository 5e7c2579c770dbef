import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.join import duplicates, ids, lists
from pdeval.tables import reader
from tests.examples import examples

DTYPES = ["object", "string[pyarrow]", "category"]


def repeated(frame):
    doc = ids.column_ids(frame["doc_id"], "doc")
    return duplicates.rows_repeated(doc, lists.find_lists(reader.read(frame, "runs"))).tolist()


def naive(frame):
    return np.flatnonzero(frame.duplicated(["run", "query_id", "doc_id"])).tolist()


def frame_of(rows):
    return pd.DataFrame(rows, columns=["run", "query_id", "doc_id"]).assign(score=1.0)


FEW = st.tuples(
    st.sampled_from("ab"),
    st.sampled_from("12"),
    st.sampled_from(["d", "d1", "document-1", "document-12"]),
)


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
    assert repeated(frame_of([("a", "1", text) for text in [*texts, texts[size // 2 + 1]]])) == [
        size + 1
    ]


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
    frame = frame_of(
        [("a", "1", doc) for doc in (0, 1, 2, -1, 1, 7)] + [("a", "2", 0), ("a", "2", 0)]
    )
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
        ids.column_ids(frame["doc_id"], "doc"), lists.find_lists(reader.read(frame, "runs"))
    )
    assert (found.dtype, len(found)) == (np.int64, 0)
    assert ids.column_ids(frame["doc_id"][:1], "doc").changes().dtype == bool


@pytest.mark.parametrize("lengths", [[20, 20], [20, 7]])
@pytest.mark.parametrize(
    "name",
    ["{:04d}-the-same-end", "x{}", "{:012d}", "the-same-beginning-{}", "{0:03d}/the-same-{0}"],
)
def test_ids_whose_ends_or_beginnings_are_equal_are_told_apart(name, lengths):
    rows = [
        ("a", str(query), name.format(i)) for query, size in enumerate(lengths) for i in range(size)
    ]
    assert repeated(frame_of(rows)) == []
    rows += [rows[3], rows[-1]]
    assert repeated(frame_of(rows)) == naive(frame_of(rows)) == [len(rows) - 2, len(rows) - 1]


def test_ids_that_end_alike_only_after_the_first_rows_are_told_apart(monkeypatch):
    monkeypatch.setattr(ids, "SAMPLE", 4)
    rows = [("a", "1", f"document-{i}") for i in range(8)] + [
        ("a", "2", f"{i}-the-same-end") for i in range(8)
    ]
    assert repeated(frame_of(rows)) == []
    assert repeated(frame_of([*rows, rows[-2]])) == [16]


@pytest.mark.parametrize("numbers", [[1, 2, 3], [-1, 2**40, 2**40 + 2**32], [2**62, 2**62 + 1, 5]])
def test_integers_of_any_size_are_told_apart(numbers):
    rows = [("a", "1", number) for number in numbers]
    assert repeated(frame_of(rows)) == []
    assert repeated(frame_of([*rows, rows[1]])) == [3]


@pytest.mark.broad
@pytest.mark.parametrize("block", [duplicates._BLOCK, 6])
@pytest.mark.parametrize("dtype", [*DTYPES, "int64"])
@pytest.mark.parametrize("alike", [False, True])
def test_repeated_rows_are_those_of_a_plain_search_however_lists_stand(
    monkeypatch, block, dtype, alike
):
    monkeypatch.setattr(duplicates, "_BLOCK", block)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        sizes = [5] * 6 if alike else rng.integers(1, 9, 6).tolist()
        different = int(rng.choice([6, 60]))
        rows = [
            ("a", str(q), one)
            for q, size in enumerate(sizes)
            for one in rng.integers(0, different, size).tolist()
        ]
        frame = frame_of(rows).astype({"doc_id": str}).astype({"doc_id": dtype})
        assert repeated(frame) == naive(frame)
        mixed = frame.sample(frac=1, random_state=seed, ignore_index=True)
        assert repeated(mixed) == naive(mixed)


@pytest.mark.parametrize("width", [np.uint8, np.uint32, np.uint64])
def test_lists_in_which_a_number_stands_twice_are_found_though_it_be_the_largest(width):
    top = int(np.iinfo(width).max)
    mark = np.array([top, 0, 1, 1, top - 1, top, top, 5, 0, 2], dtype=width)
    assert duplicates._suspects(mark, np.array([0, 3, 5, 7, 10])).tolist() == [2]
    mark[8] = 5
    assert sorted(duplicates._suspects(mark, np.array([0, 3, 5, 7, 10])).tolist()) == [2, 3]
    assert duplicates._suspects(mark[:0], np.array([0])).tolist() == []
    assert duplicates._suspects(mark[5:9], np.array([0, 2, 4])).tolist() == [0, 1]


def told(frame, **binding):
    table = reader.read(frame, "runs", binding)
    with pytest.raises(ValueError, match="duplicate") as caught:
        duplicates.no_duplicates(
            table, ids.column_ids(table.column("doc"), "doc"), lists.find_lists(table)
        )
    return str(caught.value)


def test_the_column_that_tells_rows_apart_is_whole_and_names_collections_first():
    frame = frame_of([("a", "1", "d"), ("a", "1", "d"), ("a", "1", "e")])
    assert "distinguishes them" not in told(frame)
    assert "'part' distinguishes them" in told(frame.assign(part=[1, 2, 1]))
    assert "distinguishes them" not in told(
        frame.assign(part=[1.5, 2.5, 1.0])
    )  # a number with a fraction names nothing
    assert "distinguishes them" not in told(frame.assign(part=[1, 1, 2]))
    assert "'other' distinguishes them" in told(frame.assign(part=[1, 1, 2], other=[1, 2, 2]))
    assert "Column 'dataset' identifies collections" in told(
        frame.assign(part=[1, 2, 1], dataset=["x", "y", "x"])
    )
    assert "'part' distinguishes them" in told(
        frame.assign(part=[1, 2, 1], dataset=["x", "x", "y"])
    )
    assert "distinguishes them" not in told(
        frame.assign(rank=[1, 2, 3])
    )  # it is one of the table's own columns
    several = frame.assign(seed=[1, 1, 1], part=[1, 2, 1])
    assert "df.ireval(run=['run', 'seed', 'part'])" in told(several, run=["run", "seed"])


def test_the_first_advice_of_duplicates_is_to_bind_the_columns_that_tell_runs_apart():
    names = ["query_id", "doc_id", "score", "model", "seed"]
    rows = [("1", "d", 1.0, model, seed) for model in "abcd" for seed in (1, 2, 3)]
    frame = pd.DataFrame(rows, columns=names)
    bind = "The columns model, seed distinguish them: use df.ireval(run=['model', 'seed'])."
    assert told(frame).splitlines()[1:] == [bind]
    assert told(frame.assign(vector=[[1]] * 12, fold=0)).splitlines()[1:] == [
        bind
    ]  # a list names nothing
    both = frame.rename(columns={"model": "run"})
    assert "The column 'seed' distinguishes them: use df.ireval(run=['run', 'seed'])." in told(both)
    stacked = frame.rename(columns={"seed": "dataset"})
    assert (
        told(stacked)
        .splitlines()[1]
        .startswith("Column 'dataset' identifies collections: use by='dataset'")
    )
    for unnamed in (frame[names[:3]], both[["run", *names[:3]]]):
        advice = told(unnamed).splitlines()[1]
        assert advice.startswith(
            "If the table has several runs, add a column that names them and bind it: df.ireval(run"
        )
        assert 0 < advice.index("several collections") < advice.index("drop_duplicates")


def test_of_lists_with_equal_hashes_those_with_equal_ids_are_looked_at_again(monkeypatch):
    monkeypatch.setattr(ids, "SAMPLE", 4)
    rows = [("a", "1", f"document-{i}") for i in range(8)]
    rows += [("a", query, f"{i}-the-same-end") for query in "234" for i in range(5)]
    assert repeated(frame_of(rows)) == []
    rows[14] = rows[13]  # of the second of three lists whose ends are all alike
    assert repeated(frame_of(rows)) == [14]
    rows.append(rows[-1])
    for frame in (frame_of(rows), frame_of(rows).sample(frac=1, random_state=4, ignore_index=True)):
        assert repeated(frame) == naive(frame)
        assert len(repeated(frame)) == 2
