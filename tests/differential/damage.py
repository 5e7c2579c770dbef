"""Ways to damage files and frames, and a strict plain reader that says what a damaged file still holds."""

from __future__ import annotations

import gzip
import math
import random
import re

import numpy as np
import pandas as pd

SPACE = b" \t\v\f"


class Unreadable(Exception):
    """What a strict reader says of a file whose damage can be seen."""


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Return the data with some bytes changed to any others."""
    held = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        held[rng.randrange(len(held))] = rng.randrange(1, 256)
    return bytes(held)


def nibbled(data: bytes, rng: random.Random) -> bytes:
    """Return the data with some bytes changed to others that text has."""
    held = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        held[rng.randrange(len(held))] = rng.choice(b" \t\n\r#0159.-+eEnaQ\"',\x0b\x0c")
    return bytes(held)


def holed(data: bytes, rng: random.Random) -> bytes:
    """Return the data without a stretch of it."""
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.randint(1, 30) :]


def inserted(data: bytes, rng: random.Random) -> bytes:
    """Return the data with bytes put in."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.randbytes(rng.randint(1, 8)).replace(b"\0", b"\1") + data[at:]


def _of_lines(change):
    def damaged(data: bytes, rng: random.Random) -> bytes:
        lines = data.splitlines(keepends=True)
        at = rng.randrange(len(lines))
        lines[at] = change(lines[at], rng)
        return b"".join(lines)

    return damaged


def _columns(line: bytes, rng: random.Random) -> bytes:
    words = line.split()
    if not words:
        return line
    change = rng.choice(["drop", "swap", "double", "text", "nan"])
    at = rng.randrange(len(words))
    if change == "drop":
        del words[at]
    elif change == "swap":
        rng.shuffle(words)
    elif change == "double":
        words.insert(at, words[at])
    else:
        words[at] = b"nan" if change == "nan" else b"word"
    return b" ".join(words) + b"\n"


DAMAGES = {
    "bytes changed": flipped,
    "characters changed": nibbled,
    "a stretch lost": holed,
    "bytes put in": inserted,
    "cut short": lambda data, rng: data[: rng.randrange(len(data))],
    "wrong columns": _of_lines(_columns),
    "a line doubled": _of_lines(lambda line, rng: line * 2),
    "a zero byte": lambda data, rng: data[: (at := rng.randrange(len(data)))] + b"\0" + data[at:],
    "UTF-16": lambda data, rng: data.decode().encode(
        rng.choice(["utf-16", "utf-16-le", "utf-16-be"])
    ),
    "Latin-1": lambda data, rng: data.decode().replace("d", "é").encode("latin-1", "replace"),
    "a byte order mark": lambda data, rng: b"\xef\xbb\xbf" + data,
    "lines ended by returns": lambda data, rng: re.sub(rb"\r?\n", b"\r", data),
    "gzip under another name": lambda data, rng: gzip.compress(data),
    "nothing": lambda data, rng: b"",
    "compressed bytes changed": flipped,  # of the .gz file
    "compressed, cut short": lambda data, rng: data[: rng.randrange(len(data))],
}
COMPRESSED = ("compressed bytes changed", "compressed, cut short")


def is_utf8(data: bytes) -> bool:
    """Return whether bytes are UTF-8 text."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def strictly(data: bytes, columns: int, *, more: bool) -> list[list[str]]:
    """Return the words of the lines that count, as trec_eval separates them, or say that the file is damaged.

    Whether a last line without its end counts as damage, and what is not UTF-8, is for the caller to say.
    """
    if data.startswith((b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff")) or b"\0" in data:
        raise Unreadable("not a text")
    if not is_utf8(data):
        data = data.decode("latin-1").encode()
    found = []
    for line in re.split(rb"\r\n|\r|\n", data.removeprefix(b"\xef\xbb\xbf")):
        words = [word.decode() for word in re.split(rb"[ \t\v\f]+", line.strip(SPACE)) if word]
        if not words or words[0].startswith("#"):
            continue
        if len(words) < columns or (len(words) > columns and not more):
            raise Unreadable(f"{len(words)} columns")
        found.append(words[:columns])
    if not found:
        raise Unreadable("no lines")
    return found


def number(word: str) -> float:
    """Return a number as it is written in files, or say that it is none."""
    if not re.fullmatch(
        r"[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|inf|infinity)", word, re.ASCII | re.IGNORECASE
    ):
        raise Unreadable(f"{word!r} is no number")
    return float(word)


def run_rows(name: tuple, data: bytes) -> list[tuple]:
    """Return the rows of a run file as a case holds them."""
    rows, seen = [], set()
    for query, _, doc, rank, score, _ in strictly(data, 6, more=True):
        if (query, doc) in seen:
            raise Unreadable("a document twice")
        seen.add((query, doc))
        try:
            place = number(rank)
        except Unreadable:
            place = math.nan
        rows.append((name, query, doc, number(score), place))
    return rows


def judged_rows(data: bytes) -> list[tuple]:
    """Return the rows of a judgments file as a case holds them."""
    rows: dict[tuple, float] = {}
    for query, _, doc, grade in strictly(data, 4, more=False):
        value = number(grade)
        if math.isinf(value) or rows.setdefault((query, doc), value) != value:
            raise Unreadable("an infinite grade, or two")
    return [(query, None, doc, grade) for (query, doc), grade in rows.items()]


def _put(frame: pd.DataFrame, column: str, value, rng: random.Random) -> pd.DataFrame:
    held = frame[column].astype(object)
    held.iloc[rng.randrange(len(held))] = value
    return frame.assign(**{column: held})


def _ids(value):
    return lambda frame, rng: _put(frame, rng.choice(["query_id", "doc_id"]), value, rng)


def _number(value):
    return lambda frame, rng: _put(frame, "score" if "score" in frame else "relevance", value, rng)


def _column(change):
    def damaged(frame: pd.DataFrame, rng: random.Random) -> pd.DataFrame:
        return change(
            frame, rng.choice(["query_id", "doc_id", "score" if "score" in frame else "relevance"])
        )

    return damaged


# what must be refused, by run tables and by judgments alike
FRAMES = {
    # without a grade what was used counts as relevant
    "no such column": _column(
        lambda frame, name: frame.drop(columns="doc_id" if name == "relevance" else name)
    ),
    "a missing id": _ids(None),
    "a NaN id": _ids(math.nan),
    "an id in a list": _ids(["d1"]),
    "an id of its own kind": _ids(b"\xff\xfe"),
    "a fractional id": _ids(0.5),
    "a date for an id": _ids(pd.Timestamp("2020-01-01")),
    "a missing number": _number(math.nan),
    "a word for a number": _number("high"),
    "a complex number": _number(1j),
    "dates": _column(lambda frame, name: frame.assign(**{name: pd.Timestamp("2020-01-01")})),
    "true and false": _column(
        lambda frame, name: frame.assign(**{name: True}) if name.endswith("id") else frame[[]]
    ),
    "all missing": _column(lambda frame, name: frame.assign(**{name: np.nan})),
    "no rows": lambda frame, rng: frame.iloc[:0],
    "a column twice": _column(lambda frame, name: pd.concat([frame, frame[[name]]], axis=1)),
    "rows twice": lambda frame, rng: pd.concat(
        [frame, frame.assign(**_other(frame))], ignore_index=True
    ),
}


def _other(frame: pd.DataFrame) -> dict:
    """Return what makes a row's double contradict it: judgments may be repeated, not changed."""
    return {} if "score" in frame else {"relevance": frame["relevance"].astype(float) + 1}
