import decimal
import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.evaluate.cube import scores_cube
from pdeval.join import ids
from pdeval.join import ids as texts_of
from pdeval.tables import reader
from tests.examples import examples

TEXTS = st.lists(st.text(max_size=40), min_size=1, max_size=12)
STORED = {
    "object": lambda texts: pd.Series(texts, dtype=object),
    "string": lambda texts: pd.Series(texts, dtype="string"),
    "string[pyarrow]": lambda texts: pd.Series(texts, dtype="string[pyarrow]"),
    "category": lambda texts: pd.Series(texts, dtype=object).astype("category"),
    "arrow string": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "arrow large": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.large_string())),
    "arrow dictionary": lambda texts: pd.Series(
        texts, dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
    ),
    "arrow chunks": lambda texts: pd.concat(
        [pd.Series([text], dtype=pd.ArrowDtype(pa.string())) for text in texts], ignore_index=True
    ),
    "arrow dictionary chunks": lambda texts: pd.concat(
        [
            pd.Series([text], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())))
            for text in texts
        ],
        ignore_index=True,
    ),
    "sliced": lambda texts: pd.Series(["before", *texts, "after"], dtype="string[pyarrow]").iloc[
        1:-1
    ],
    "bytes": lambda texts: pd.Series([text.encode() for text in texts], dtype=object),
}


@pytest.mark.parametrize("stored", STORED)
def test_every_way_of_storing_text_answers_alike(stored):
    texts = ["d2", "d2", "d10", "", "é", "d2", "a longer id than sixteen bytes", "d10"]
    held = ids.column_ids(STORED[stored](texts), "doc")
    values, place = held.unique()
    assert held.type == "strings"
    assert len(held) == 8
    assert held.changes().tolist() == [a != b for a, b in itertools.pairwise(texts)]
    assert values.index().tolist() == sorted(set(texts), key=str.encode)
    assert [values.index()[i] for i in place] == texts
    assert held.as_text().to_pylist() == texts
    assert held.take(np.array([3, 0])).index().tolist() == ["", "d2"]
    known = ids.column_ids(pd.Series(["d10", "é", "d3"]), "doc")
    assert held.probe(known).tolist() == [-1, -1, 0, -1, 1, -1, -1, 0]
    marks = ids.fingerprints(held)
    assert marks[0] == marks[1] == marks[5]
    assert len(set(marks.tolist())) == 5


INTEGERS = ["int64", "int8", "uint16", "Int64", "category", "object", pd.ArrowDtype(pa.int32())]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_every_way_of_storing_integers_answers_alike(dtype):
    held = ids.column_ids(pd.Series([7, 7, 10, 2]).astype(dtype), "doc")
    values, place = held.unique()
    assert held.type == "integers"
    assert held.changes().tolist() == [False, True, True]
    assert values.index().tolist() == [2, 7, 10]
    assert place.tolist() == [1, 1, 2, 0]
    assert held.as_text().to_pylist() == ["7", "7", "10", "2"]
    assert held.probe(ids.column_ids(pd.Series([10, 3]), "doc")).tolist() == [-1, -1, 0, -1]
    assert held.decoded().numbers.tolist() == [7, 7, 10, 2]


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.uint64, "Int32"])
def test_distinct_numbers_have_64_bits_whatever_they_came_in(dtype):
    held = ids.column_ids(pd.Series([3, 4], dtype=dtype), "doc")
    assert held.unique()[0].numbers.dtype == held.index().dtype == np.int64


def test_unused_categories_are_no_ids():
    held = ids.column_ids(pd.Series(["a", "b"], dtype="category").iloc[:1], "run")
    assert held.unique()[0].index().tolist() == ["a"]


def test_a_dictionary_that_holds_a_text_twice_is_one_id():
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", "a", "b"]))
    held = ids.column_ids(pd.Series(pd.arrays.ArrowExtensionArray(twice)), "doc")
    assert held.changes().tolist() == [False, True]
    assert ids.fingerprints(held)[0] == ids.fingerprints(held)[1]


@given(TEXTS)
@examples(60)
def test_equal_texts_have_equal_fingerprints(texts):
    marks = ids.fingerprints(ids.column_ids(pd.Series([*texts, "", *texts], dtype=object), "doc"))
    assert marks[: len(texts)].tolist() == marks[len(texts) + 1 :].tolist()


@pytest.mark.parametrize("longer", ["", "x" * 9, "x" * 20, "x" * 50])
def test_equal_texts_have_equal_fingerprints_however_far_apart_and_whatever_stands_between(longer):
    texts = ["", "d7", "doc-0007", "doc-0000007"]
    marks = ids.fingerprints(
        ids.column_ids(
            pd.Series([*texts, *["filler"] * 40_000, longer, *texts], dtype=object), "doc"
        )
    )
    assert marks[:4].tolist() == marks[-4:].tolist()


def test_the_largest_number_of_63_bits_is_an_id():
    found = ids.column_ids(pd.Series([0, 2**63 - 1], dtype=np.uint64), "doc")
    assert found.numbers.tolist() == [0, 2**63 - 1]


def test_fingerprints_of_short_ids_are_all_different():
    texts = [f"{i:x}" for i in range(20_000)]
    assert (
        len(
            np.unique(ids.fingerprints(ids.column_ids(pd.Series(texts), "doc")), return_index=True)[
                0
            ]
        )
        == 20_000
    )


REFUSED = {
    "floats": (
        pd.Series([1.5]),
        "doc column has float64 values, e.g. 1.5; ids must be strings or integers",
    ),
    "nullable floats": (
        pd.Series([1.5], dtype="Float64"),
        r"the doc column has Float64 values, e\.g\. 1\.5; ids must be strings or integers\.",
    ),
    "floats as objects": (
        pd.Series([1.5, 2.5], dtype=object),
        "values of type float; ids must be all strings or",
    ),
    "categories of floats": (
        pd.Series([1.5]).astype("category"),
        r"the doc column has float64 values, e\.g\. 1\.5; ids must be strings or integers\.",
    ),
    "true and false": (
        pd.Series([True]),
        "doc column has bool values, e.g. True; ids must be strings",
    ),
    "nullable truth": (
        pd.Series([True], dtype="boolean"),
        "doc column has boolean values, e.g. True; ids must",
    ),
    "mixed": (
        pd.Series(["a", 1], dtype=object),
        "values of type int, str; ids must be all strings or all integers",
    ),
    "mixed far down": (pd.Series(["a"] * 10_001 + [1], dtype=object), "values of type int, str"),
    "times": (pd.Series(pd.to_datetime(["2020-01-01"])), "values of type Timestamp"),
    "tuples": (pd.Series([("a", 1)], dtype=object), "values of type tuple"),
    "decimals": (pd.Series([decimal.Decimal(1)], dtype=object), "values of type Decimal"),
    "missing text": (pd.Series(["a", None]), "doc column has 1 missing ids. Drop or fill"),
    "missing pd.NA": (pd.Series(["a", pd.NA], dtype="string"), "doc column has 1 missing ids"),
    "missing category": (pd.Series(["a", None], dtype="category"), "doc column has 1 missing ids"),
    "missing integer": (pd.Series([1, None], dtype="Int64"), "doc column has 1 missing ids"),
    "missing arrow": (
        pd.Series(["a", None], dtype=pd.ArrowDtype(pa.string())),
        "doc column has 1 missing ids",
    ),
    "integers beyond 64 bits": (pd.Series([2**70], dtype=object), "too large"),
    "unsigned integers beyond 63 bits": (pd.Series([2**63], dtype=np.uint64), "too large"),
    "bytes that are not text": (
        pd.Series([b"\xff"], dtype=object),
        r"the doc column has bytes that are not valid UTF-8\. Decode them first\.",
    ),
    "a missing text in a dictionary": (
        pd.Series(
            pd.arrays.ArrowExtensionArray(
                pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
            )
        ),
        "doc column has 1 missing ids",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_columns_that_hold_no_ids_are_refused(case):
    column, text = REFUSED[case]
    with pytest.raises(ValueError, match=text):
        ids.column_ids(column, "doc")


@pytest.mark.parametrize(
    "texts",
    [
        ["ab", "a", "bab"],  # as long together as three of two letters, which would all be "ab"
        ["ab", "abcd", "", "ab"],
        ["aa", "aa", "bb"],
        ["abcdefgh", "abcdefgh", "abcdefgi"],
        ["abcdefghi", "abcdefghi", "abcdefghj"],  # too wide for a word
        ["a"],
        [],
        ["", "", "a"],
    ],
)
@pytest.mark.parametrize("offset", [0, 1])
def test_a_text_differs_from_the_one_before_by_its_letters(texts, offset):
    stored = pa.array(["zz"] * offset + texts, pa.large_string()).slice(offset)
    changes = ids.Ids(text=stored).changes()
    assert changes.tolist() == [one != two for one, two in itertools.pairwise(texts)]


def test_texts_of_one_width_are_compared_over_the_end_of_a_chunk(monkeypatch):
    monkeypatch.setattr(ids, "CHUNK", 4)
    monkeypatch.setattr(texts_of, "CHUNK", 4)
    texts = ["a", "a", "b", "b", "b", "b", "c", "c", "c", "d", "d", "d", "e"]
    wanted = [one != two for one, two in itertools.pairwise(texts)]
    assert ids.Ids(text=pa.array(texts)).changes().tolist() == wanted
    uneven = ["ab"] * 9 + ["a", "bab"]  # the last chunk tells that the widths differ
    assert ids.Ids(text=pa.array(uneven)).changes().tolist() == [False] * 8 + [True, True]


def test_text_ids_have_one_dtype_also_where_there_are_none():
    none, some = (ids.Ids(text=pa.array(texts, pa.string())).index() for texts in ([], ["a"]))
    assert none.dtype == some.dtype == pd.Index(pd.Series(["a"])).dtype


@pytest.mark.parametrize(
    "texts",
    [["b2", "a1", "b2", "a\0"], ["302", "é3", "301"], ["8 bytes!", "88888888"], ["9", "10"]],
)
def test_different_texts_come_in_byte_order_whether_or_not_of_one_width(texts):
    known, place = ids.Ids(text=pa.array(["zz", *texts]).slice(1)).unique()
    assert known.text.to_pylist() == sorted(set(texts), key=str.encode)
    assert [known.text.to_pylist()[at] for at in place] == texts


@pytest.mark.parametrize("values", [["a", "c", "b", "a"], [7, 9, 8, 7]])
@pytest.mark.parametrize("coded", [False, True])
def test_ids_are_found_among_others_however_those_are_stored(values, coded):
    known = ids.column_ids(
        pd.Series(values[:2]).astype("category") if coded else pd.Series(values[:2]), "doc"
    )
    for some in (pd.Series(values), pd.Series(values).astype("category")):
        own = ids.column_ids(some, "doc")
        assert own.probe(known).tolist() == [0, 1, -1, 0]


def test_one_number_beyond_63_bits_among_others_is_refused():
    with pytest.raises(ValueError, match="too large for 63 bits"):
        ids.column_ids(pd.Series([1, 2**63, 2], dtype="uint64"), "doc")
    assert ids.column_ids(pd.Series([], dtype="uint64"), "doc").numbers.tolist() == []


HELD = {
    "text": lambda values: ids.column_ids(pd.Series([f"t{one}" for one in values]), "doc"),
    "a slice of text": lambda values: ids.Ids(
        text=pa.array(["no", "text", *(f"t{one}" for one in values), "x"]).slice(2, len(values))
    ),
    "long text": lambda values: ids.column_ids(
        pd.Series([f"a-long-text-{one}" for one in values]), "doc"
    ),
    "numbers": lambda values: ids.column_ids(pd.Series(values, dtype=np.int64), "doc"),
    "codes": lambda values: ids.column_ids(
        pd.Series([f"t{one}" for one in values]).astype("category"), "doc"
    ),
    "codes of numbers": lambda values: ids.column_ids(
        pd.Series(values, dtype=np.int64).astype("category"), "doc"
    ),
}


@pytest.mark.parametrize("stored", HELD)
def test_ids_are_cut_matched_and_counted_as_plain_lists_are(stored):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        held = HELD[stored](rng.integers(0, 14, rng.integers(1, 40)).tolist())
        plain = held.index().tolist()
        assert len(held) == len(plain)
        for first, last in ((0, 3), (1, 1), (2, 7), (0, len(plain)), (3, 999)):
            part = held.part(first, last)
            assert part.index().tolist() == plain[first:last]
            assert part.changes().tolist() == [
                one != two for one, two in itertools.pairwise(plain[first:last])
            ]
            assert part.changes().dtype == bool
        wanted = sorted(set(plain))
        for narrow, dtype in ((False, np.int64), (True, np.uint8)):
            known, place = held.unique(narrow=narrow)
            assert known.index().tolist() == wanted
            assert place.tolist() == [wanted.index(one) for one in plain]
            assert place.dtype == dtype
        for some in ([], [0], [7, 3, 20], list(range(14))):
            known = HELD[stored](some)
            among = known.index().tolist()
            assert held.probe(known).tolist() == [
                among.index(one) if one in among else -1 for one in plain
            ]
        part = held.part(2, 9)
        if len(part):
            first = part.probe(held.take(np.array([0])))
            assert first.tolist() == [0 if one == plain[0] else -1 for one in plain[2:9]]


@pytest.mark.parametrize(
    ("numbers", "as_they_are"),
    [
        ([0, 7, 2**32 - 1], True),
        ([5], True),
        ([], True),
        ([2**32, 0, 1], False),
        ([-1, 2**32 - 1, 3], False),
    ],
)
def test_marks_of_numbers_that_fit_32_bits_are_those_and_of_others_are_mixed(numbers, as_they_are):
    marks = ids.Ids(numbers=np.array(numbers, dtype=np.int64)).marks
    mixed = [(one + (one >> 32) * 0x9E3779B1) % 2**32 for one in numbers]
    assert marks.tolist() == (numbers if as_they_are else mixed)
    assert marks.dtype == np.uint32
    assert len(set(marks.tolist())) == len(numbers)


@pytest.mark.parametrize("width", [np.int8, np.int16, np.int32])
def test_marks_of_codes_are_the_codes(width):
    held = ids.Ids(codes=np.array([3, 0, 3], dtype=width), values=ids.Ids(numbers=np.arange(4)))
    marks = held.marks
    assert (marks.tolist(), marks.dtype.itemsize, marks.dtype.kind) == (
        [3, 0, 3],
        np.dtype(width).itemsize,
        "u",
    )
    prints = ids.fingerprints(ids.Ids(codes=np.array([3, 0, 3], dtype=width)))
    assert (prints.tolist(), prints.dtype) == ([3, 0, 3], np.uint64)


@pytest.mark.parametrize(
    ("texts", "by_tails"), [(["a-1", "b-2", "a-1"], True), (["a same-end", "b same-end"], False)]
)
def test_marks_of_text_are_of_its_end_where_that_tells_ids_apart(texts, by_tails):
    held = pa.array(texts)
    wanted = texts_of.hashes(held, words=1 if by_tails else 8) >> np.uint64(32)
    marks = ids.Ids(text=held).marks
    assert (marks.tolist(), marks.dtype) == (wanted.tolist(), np.uint32)


@given(
    numbers=st.lists(st.integers(-(2**62), 2**62) | st.integers(-9, 9), min_size=1),
    text=st.booleans(),
)
def test_marks_of_two_columns_are_equal_where_ids_are(numbers, text):
    column = pd.Series(list(map(str, numbers)) if text else numbers)
    whole, part = ids.column_ids(column, "doc"), ids.column_ids(column[::-2], "doc")
    assert part.marks_like(whole).tolist() == whole.marks[::-1][::2].tolist()


@pytest.mark.parametrize("width", [np.int8, np.int16, np.int32])
def test_short_integers_share_the_memory_of_the_column_and_give_the_same_ids(width):
    column = pd.Series([3, -7, 120, 3], dtype=width)
    held, wide = (ids.column_ids(one, "doc") for one in (column, column.astype(np.int64)))
    assert np.shares_memory(held.numbers, column.to_numpy())
    assert held.index().equals(wide.index())
    assert held.index().dtype == wide.index().dtype == np.int64
    assert held.unique()[0].numbers.dtype == np.int64
    assert held.probe(wide.unique()[0]).tolist() == wide.probe(held.unique()[0]).tolist()
    assert held.marks.tolist() == wide.marks.tolist()


DICTIONARY = pa.DictionaryArray.from_arrays
ODD_ONES = {
    "uint64 objects": (
        pd.Series([np.uint64(2**63)], dtype=object),
        "values of type uint64, some too large for 63",
    ),
    "nullable uint64": (pd.Series([1, 2**63], dtype="UInt64"), "integers too large for 63 bits"),
    "arrow uint64": (
        pd.Series([1, 2**63], dtype=pd.ArrowDtype(pa.uint64())),
        "integers too large for 63 bits",
    ),
    "complex": (pd.Series([1j]), "has complex128 values, e.g. 1j; ids must be strings or integers"),
    "arrow decimals": (
        pd.Series([decimal.Decimal(1)], dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
        r"the doc column has decimal128\(5, 2\)\[pyarrow\] values, e\.g\. 1\.00; ids must be strings or",
    ),
    "floats beyond 53 bits": (pd.Series([1.0, 2.0**53]), "e.g. 9007199254740992.0; ids must be"),
    "infinity": (pd.Series([1.0, -np.inf]), "e.g. -inf; ids must be"),
    "three missing": (pd.Series(["a", None, None, None]), "has 3 missing ids"),
    "two missing categories": (
        pd.Series(["a", None, None, "b"], dtype="category"),
        "has 2 missing ids",
    ),
    "a thousand missing": (pd.Series([None] * 1000 + ["a"]), "has 1,000 missing ids"),
    "two mixed": (pd.Series(["a", 1, None], dtype=object), "has 1 missing ids"),
    "truth as categories": (
        pd.Series([True]).astype("category"),
        "has bool values, e.g. True; ids must be strings",
    ),
    "missing codes": (
        pd.Series(
            pd.arrays.ArrowExtensionArray(
                DICTIONARY(pa.array([0, None, 1, None]), pa.array(["a", "b"]))
            )
        ),
        "has 2 missing ids",
    ),
    "codes of missing texts": (
        pd.Series(
            pd.arrays.ArrowExtensionArray(
                DICTIONARY(pa.array([0, 1, 1, 2]), pa.array(["a", None, None]))
            )
        ),
        "has 3 missing ids",
    ),
}


@pytest.mark.parametrize("case", ODD_ONES)
def test_odd_columns_are_refused_with_what_they_hold(case):
    column, text = ODD_ONES[case]
    with pytest.raises(ValueError, match=text):
        ids.column_ids(column, "doc")


def test_whole_numbers_of_any_kind_are_held_as_numbers():
    limits = ids.column_ids(pd.Series([2.0**53 - 1, -(2.0**53) + 1, -0.0]), "doc").numbers
    assert (limits.tolist(), limits.dtype) == ([2**53 - 1, 1 - 2**53, 0], np.int64)
    objects = ids.column_ids(pd.Series([np.int8(3), np.int8(-4)], dtype=object), "doc").numbers
    assert (objects.tolist(), objects.dtype) == ([3, -4], np.int64)
    largest = ids.column_ids(pd.Series([np.uint64(2**63 - 1)], dtype=object), "doc").numbers
    assert largest.tolist() == [2**63 - 1]
    twice = pd.Series(
        pd.arrays.ArrowExtensionArray(DICTIONARY(pa.array([0, 1, 1, 2]), pa.array([7, 5, 7])))
    )
    assert ids.column_ids(twice, "doc").codes.tolist() == [1, 0, 0, 1]
    assert ids.column_ids(twice, "doc").codes.dtype == np.int32
    assert ids.column_ids(pd.Series([], dtype=object), "doc").text.to_pylist() == []


def test_query_ids_are_in_natural_order_in_every_table_and_for_every_dtype():
    runs = pd.DataFrame(
        {"run": "a", "query_id": ["q10", "q9", "q2b", "q2"], "doc_id": "x", "score": 1.0}
    )
    qrels = pd.DataFrame({"query_id": ["q2", "q10", "q9", "q2b"], "doc_id": "x", "relevance": 1})
    ordered = ["q2", "q2b", "q9", "q10"]
    for dtype in (object, "category"):
        one = runs.astype({"query_id": dtype})
        scores = one.ireval.measure(qrels, "AP")
        assert scores["query_id"].tolist() == ordered
        assert one.ireval.join(qrels).queries.tolist() == ordered
        shuffled = reader.read(scores.sample(frac=1, random_state=0), "scores")
        assert scores_cube(shuffled).queries.tolist() == ordered


@given(st.lists(st.text("0123ab-", max_size=5), min_size=1, unique=True))
def test_the_natural_order_of_two_ids_does_not_depend_on_other_ids(texts):
    every = pa.array(texts)
    ordered = every.take(pa.array(ids.natural_order(every))).to_pylist()
    half = ordered[::2]
    again = pa.array(half[::-1])
    assert again.take(pa.array(ids.natural_order(again))).to_pylist() == half
