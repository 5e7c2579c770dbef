"""In which encoding a file is: decided for each file by what it holds, by one rule for runs and judgments.

A file whose bytes are all UTF-8 is UTF-8, with or without a byte order mark. Any other is refused at its first byte
that is not, unless the caller says what such files are in: two guesses that differ would turn equal ids into different
ones, and nothing would be found any more.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa

from pdeval.judged.topics import outside
from pdeval.trec.line_faults import BOM, LineError, byte_fault

# how a file begins that is in wider characters; the longer marks first, since one begins with another
WIDE = {b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def check_encoding(encoding: str | None) -> None:
    """Raise an error if there is no encoding of that name.

    Examples
    --------
    >>> check_encoding("cp1252")
    >>> check_encoding("latin-99")
    Traceback (most recent call last):
    ...
    ValueError: no encoding 'latin-99'; examples are 'latin-1', 'cp1252', 'utf-16', 'shift_jis'.
    """
    if encoding is None:
        return
    if not isinstance(encoding, str):
        raise TypeError(f"encoding={encoding!r} must be a name such as 'latin-1', not {type(encoding).__name__}.")
    try:
        "a".encode(encoding)
    except (LookupError, ValueError):
        examples = "'latin-1', 'cp1252', 'utf-16', 'shift_jis'"
        raise ValueError(f"no encoding {encoding!r}; examples are {examples}.") from None


def is_utf8(data: bytes) -> bool:
    """Return whether the bytes are UTF-8 text; text holds no zero bytes.

    Examples
    --------
    >>> is_utf8("café".encode()), is_utf8("café".encode("latin-1")), is_utf8("cafe".encode("utf-16-le"))
    (True, False, False)
    """
    if b"\0" in data:
        return False
    if data.isascii():
        return True
    # checked where the bytes stand: decoding them would take up to four times their memory
    offsets = pa.py_buffer(np.array([0, len(data)], dtype=np.int64))
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def as_utf8(data: bytes, *, path: Path, encoding: str | None = None, start: bool = True) -> bytes:
    """Return the content of a file as UTF-8; `encoding` is that of a file that is not UTF-8, which else is an error.

    `start` says that it is the start of the file, where a byte order mark may stand.

    Examples
    --------
    >>> as_utf8(b"1 0 caf\\xe9 1", path=Path("qrels.txt"), encoding="latin-1").decode()
    '1 0 café 1'
    >>> as_utf8("1 0 café 1".encode(), path=Path("qrels.txt"), encoding="latin-1").decode()
    '1 0 café 1'
    """
    if is_utf8(data):
        return _with_one_mark(data, path, start)
    data = data.removeprefix(BOM)
    if encoding is None:
        raise refused(data, path)
    try:
        text = data.decode(encoding).encode()
    except UnicodeDecodeError as error:
        raise _refused_again(error, data, path, encoding) from None
    except UnicodeEncodeError:
        raise ValueError(f"'{path}' is not in encoding={encoding!r}: half characters come out of it.") from None
    if b"\0" in text:
        raise ValueError(f"'{path}' is not text in encoding={encoding!r}: it holds zero bytes.")
    proper, bad = _counts(data)
    if proper > bad:
        warnings.warn(
            f"'{path}' is read as {encoding}, but {proper:,} characters of it are UTF-8 and {bad:,} bytes are not: "
            "its ids may differ from those of other files. Mend those bytes and it is read as UTF-8.",
            UserWarning,
            stacklevel=outside(),
        )
    return _with_one_mark(text, path, start)


def refused(data: bytes, path: Path) -> ValueError:
    """Return the error of a file that is not UTF-8: where, and what can be done, by what else it holds."""
    wide = next((name for mark, name in WIDE.items() if data.startswith(mark)), None)
    if wide:
        return ValueError(f"'{path}' is {wide.upper()}: save it as UTF-8, or say so when reading: encoding={wide!r}.")
    if b"\0" in data:
        return ValueError(f"'{path}' is not a text file: it holds zero bytes.")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        place, cut = error.start, error.end == len(data) and error.reason == "unexpected end of data"
    if cut:
        return byte_fault(place, "half a character", "The file ends there: it is cut short.", data=data, path=path)
    proper, bad = _counts(data)
    if proper:
        advice = (
            f"{bad:,} {'byte is' if bad == 1 else 'bytes are'} not, {proper:,} other characters are: the file is "
            "damaged, or pieced together from files in different encodings. Mend it, or get it again."
        )
    else:
        advice = (
            "The file is in another encoding, which it does not say: save it as UTF-8, or say which when reading, "
            "e.g. encoding='latin-1' or 'cp1252'."
        )
    return byte_fault(place, "not UTF-8", advice, data=data, path=path)


def _refused_again(error: UnicodeDecodeError, data: bytes, path: Path, encoding: str) -> ValueError:
    # 'utf-8' itself may be asked for, and says no more than the file does
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig"):
        return refused(data, path)
    advice = "Say its own encoding, or save it as UTF-8."
    return byte_fault(error.start, f"not UTF-8, nor {encoding}", advice, data=data, path=path)


def _counts(data: bytes) -> tuple[int, int]:
    """Return how many characters beyond ASCII are UTF-8, and how many bytes are not."""
    text = data.decode("utf-8", "ignore")
    return len(text) - len(text.encode("ascii", "ignore")), len(data) - len(text.encode())


def _with_one_mark(data: bytes, path: Path, start: bool) -> bytes:
    """Return the data, unless a byte order mark would become part of a query id: at the start of a later line."""
    if data.isascii():
        return data
    rest = data.removeprefix(BOM) if start else data
    place = 0 if rest.startswith(BOM) else rest.find(b"\n" + BOM) + 1 or None
    if place is None:
        return data
    lines = rest.count(b"\n", 0, place)
    what = "a byte order mark begins the line: files were joined. Take the mark out; else it is part of the query id."
    raise LineError(path, lines + 1, what)
