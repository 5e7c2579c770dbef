"""Hashes of texts: equal for equal ones, wherever they stand and whatever stands before them."""

import numpy as np
import pyarrow as pa
import pytest

from pdeval.judged import texts

POOL = ["", "a", "b", "ab", "ba", "abcdefg", "bbcdefg", "abcdefgh", "xbcdefgh", "xabcdefgh", "FT911-000001", "a" * 40]


@pytest.mark.parametrize("chunk", [texts.CHUNK, 3])
def test_tails_are_told_apart_by_their_last_eight_bytes_wherever_they_stand(monkeypatch, chunk):
    monkeypatch.setattr(texts, "CHUNK", chunk)
    for seed in range(30):
        some = [POOL[one] for one in np.random.default_rng(seed).integers(0, len(POOL), 17)]
        for told, key in ((texts.tail_hashes, lambda one: one[-8:]), (texts.hashes, lambda one: one)):
            hashes = told(pa.array(some)).tolist()
            by_key = {}
            for text, hashed in zip(some, hashes, strict=True):
                by_key.setdefault(key(text), set()).add(hashed)
            assert all(len(one) == 1 for one in by_key.values()), some
            assert len(set.union(*by_key.values())) == len(by_key), some  # none of these few are alike by chance


@pytest.mark.parametrize("text", ["", "a", "abcdefgh", "FT911-000001"])
def test_one_text_alone_has_the_hash_that_it_has_among_others(text):
    alone, among = (texts.tail_hashes(pa.array(some)) for some in ([text], ["zzzzzzzzz", text, "yy"]))
    assert alone[0] == among[1]
    long = [text, "z" * 40]  # the longest text decides how many words are read
    assert texts.hashes(pa.array(long))[0] == texts.hashes(pa.array(long[::-1]))[1]
