"""Hashes of texts: equal for equal ones, wherever they stand and whatever stands before them."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

from pdeval.join import ids

POOL = [
    "",
    "a",
    "b",
    "ab",
    "ba",
    "abcdefg",
    "bbcdefg",
    "abcdefgh",
    "xbcdefgh",
    "xabcdefgh",
    "FT911-000001",
    "a" * 40,
]


@pytest.mark.parametrize("chunk", [ids.CHUNK, 3])
def test_hashes_differ_by_length_and_last_words_wherever_texts_are(monkeypatch, chunk):
    monkeypatch.setattr(ids, "CHUNK", chunk)
    for seed in range(30):
        some = [POOL[one] for one in np.random.default_rng(seed).integers(0, len(POOL), 17)]
        for words in (1, 8):
            hashes = ids.hashes(pa.array(some), words=words).tolist()
            by_key = {}
            for text, hashed in zip(some, hashes, strict=True):
                by_key.setdefault((len(text), text[-8 * words :]), set()).add(hashed)
            assert all(len(one) == 1 for one in by_key.values()), some
            assert len(set.union(*by_key.values())) == len(by_key), (
                some
            )  # none of these few are alike by chance


@pytest.mark.parametrize("text", ["", "a", "abcdefgh", "FT911-000001"])
def test_one_text_alone_has_the_hash_that_it_has_among_others(text):
    for words in (1, 8):
        alone, among, long = (
            ids.hashes(pa.array(some), words=words)
            for some in ([text], ["zzzzzzzzz", text, "yy"], ["z" * 40, text])
        )
        assert alone[0] == among[1] == long[1]  # the longest text decides how many words are read


MANY = [
    "",
    "a",
    "é",
    "\0",
    "a\0",
    "abcdefg",
    "abcdefgh",
    "abcdefghi",
    "xbcdefgh",
    "FT911-000001",
    "15 bytes of it.",
    "16 bytes of text",
]
MANY += [
    chr(97 + length % 26) * length for length in (17, 23, 24, 25, 31, 32, 33, 39, 40, 41, 70)
] + ["q" * 69 + "r"]
ODD, ALL = 0x9E3779B97F4A7C15, (1 << 64) - 1


def drawn(seed, dtype):
    """Return some texts, and the same as Arrow text with others before and after them in its memory."""
    rng = np.random.default_rng(seed)
    some = [
        MANY[one] for one in rng.integers(0, rng.integers(1, len(MANY) + 1), rng.integers(1, 8))
    ]
    before, after = (
        [MANY[one] for one in rng.integers(0, len(MANY), rng.integers(0, 3))] for _ in range(2)
    )
    return some, pa.array([*before, *some, *after], dtype).slice(len(before), len(some))


def number(some, order):
    return int.from_bytes(some[:8].ljust(8, b"\0"), order)


def hash_of(text, words):
    """Return the length plus the sum of the last words, each times a power of an odd number."""
    mixed = len(text)
    for place in range(words):
        rest = text[: len(text) - 8 * place] if len(text) > 8 * place else b""
        mixed += number(rest[-8:], "little") * ODD ** (place + 1)
    return mixed & ALL


@pytest.mark.parametrize("chunk", [ids.CHUNK, 2])
@pytest.mark.parametrize("dtype", [pa.string(), pa.large_string()], ids=str)
def test_hashes_of_texts_are_those_of_each_text_alone(monkeypatch, chunk, dtype):
    monkeypatch.setattr(ids, "CHUNK", chunk)
    for seed in range(40):
        some, stored = drawn(seed, dtype)
        for words in (1, 2, 8):
            wanted = [hash_of(one.encode(), words) for one in some]
            found = ids.hashes(stored, words=words)
            assert (found.tolist(), found.dtype) == (wanted, np.uint64), some
            short = ids.hashes(stored, words=words, bits=32)
            assert (short.tolist(), short.dtype) == ([one >> 32 for one in wanted], np.uint32), some
        assert ids.hashes(stored).tolist() == wanted


@pytest.mark.parametrize("chunk", [ids.CHUNK, 2])
@pytest.mark.parametrize("width", [1, 2, 7, 8])
def test_texts_of_one_width_are_numbers_and_come_back(monkeypatch, chunk, width):
    monkeypatch.setattr(ids, "CHUNK", chunk)
    for before, after in itertools.product(
        ("", "x", "xyz"), ("", "y", "y" * (7 - width % 8), "y" * 8, "y" * 30)
    ):
        for count in (1, 2, 3, 5):
            some = ["abcdefghijkl"[at : at + width] for at in range(count)]
            stored = pa.array([before, *some, after]).slice(1, count)
            held, mask = ids.words_of_one_width(stored)
            assert (held & mask).tolist() == [number(one.encode(), "little") for one in some]
            for dtype in (pa.string(), pa.large_string()):
                back = ids.texts_of_words(held & mask, mask, dtype)
                assert (back.type, back.to_pylist()) == (dtype, some)
            uneven = [
                *some[:-1],
                some[-1][:-1],
                some[0] + "z",
            ]  # as long together as one more of the same width
            assert (
                ids.words_of_one_width(pa.array([before, *uneven, after]).slice(1, count + 1))
                is None
            )


@pytest.mark.parametrize(
    "some", [[], [""], ["", ""], ["123456789"], ["a", "bc"], ["ab", "c"], ["a", "", "bc"]]
)
def test_texts_that_are_not_of_one_short_width_are_no_numbers(some):
    assert ids.words_of_one_width(pa.array(some, pa.string())) is None


def test_no_text_has_no_hash():
    assert ids.hashes(pa.array([], pa.string())).tolist() == []


@pytest.mark.parametrize("dtype", [pa.string(), pa.large_string()], ids=str)
@pytest.mark.parametrize("some", [["abc", "", "d"], ["abcdefgh"], ["abcdefghij"], [""], []])
def test_the_memory_of_texts_is_at_least_a_word(dtype, some):
    ends, raw = ids.buffers(pa.array(["z", *some], dtype).slice(1))
    assert np.diff(ends).tolist() == [len(one) for one in some]
    assert len(raw) >= 8
    assert raw[ends[0] : ends[-1]].tobytes() == "".join(some).encode()
