"""Paths, folders and patterns to files, the names of their runs, and their decompressed content."""

import glob
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from pdeval.verbs import difflib, short_repr

PathLike = str | os.PathLike[str]

CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
STDIN = "-"  # the standard input, in place of a path
# first bytes of compressed files; the last three formats are recognized only for error messages
MAGIC = {
    "gzip": rb"\x1f\x8b\x08",
    "bz2": rb"BZh[1-9]1AY&SY",
    "zstd": rb"\x28\xb5\x2f\xfd",
    "xz": rb"\xfd7zXZ\x00",
    "zip": rb"PK\x03\x04",
    "compress": rb"\x1f\x9d",
}
SHORTEST = 10  # bytes of the shortest compressed file
STARTS = {"gzip": b"\x1f", "bz2": b"B", "zstd": b"\x28"}
MULTIPLE = 20  # content of more than 20 times its compressed size is decompressed in pieces
PIECE = 1 << 26  # bytes of a piece


def run_name(path: PathLike) -> str:
    """Return the name of a run from its file, without compression, .run .txt .res .trec and a leading `input.`

    Examples
    --------
    >>> run_name("runs/input.bm25+rm3.gz"), run_name("runs/dense.v2.run.zst"), run_name("-")
    ('bm25+rm3', 'dense.v2', 'stdin')
    """
    if os.fspath(path) == STDIN:
        return "stdin"
    name = Path(path).name
    for pattern in (
        r"(?i)\.(gz|bz2|zst)$",
        r"(?i)\.(run|txt|res|trec|parquet|csv|tsv)$",
        r"^input\.",
    ):
        name = re.sub(pattern, "", name) or name
    try:
        name.encode()
    except UnicodeEncodeError:  # bytes of a file name that are not UTF-8 become lone surrogates
        raise ValueError(
            f"the file name {os.fsencode(path)!r} is not UTF-8, so it cannot name a run. Rename the file, or pass "
            "names: read_runs({'bm25': path, ...})."
        ) from None
    return name


def compression(path: Path) -> str | None:
    """Return the codec of a file by the ending of its name, or None."""
    return CODECS.get(path.suffix.lower())


def is_parquet(path: Path) -> bool:
    """Return whether the name of a file ends in .parquet."""
    return path.suffix.lower() == ".parquet"


def ending(path: Path) -> str:
    """Return the ending of the name of a file, without the ending of the compression."""
    return (path.with_suffix("") if compression(path) else path).suffix.lower()


def expand(paths: PathLike | Iterable[PathLike]) -> list[Path]:
    """Return the files of paths, folders and patterns: sorted by run name within each, a list in its order.

    All files of a folder are returned, except hidden ones; subfolders are ignored (use a pattern with `**`).

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("b.run", "a.run", ".hidden"):
    ...     _ = (folder / name).write_text("")
    >>> [path.name for path in expand(folder)]
    ['a.run', 'b.run']
    """
    one = isinstance(paths, str | os.PathLike) or not isinstance(paths, Iterable)
    several: list[Any] = [paths] if one else list(paths)  # type: ignore[arg-type]
    files = [file for path in several for file in _expand_one(path_of(path), os.fspath(path))]
    if not files:
        raise ValueError("the list of run files is empty.")
    return files


def path_of(path: Any) -> Path:
    """Return the path of a file, or raise if it is not a path."""
    if not isinstance(path, str | os.PathLike):
        raise ValueError(f"{short_repr(path)} is not a path. Pass a string or a Path.")
    return Path(path)


def _expand_one(path: Path, text: str) -> list[Path]:
    if path.is_dir():
        matches = [file for file in path.iterdir() if not file.name.startswith(".")]
        deeper = (
            f" To read its subfolders: '{path}/**/*.run'."
            if any(map(Path.is_dir, path.iterdir()))
            else ""
        )
        absent = f"no run files in the folder '{path}'.{deeper}"
    elif path.exists() or not glob.has_magic(text):
        return [path]
    else:
        matches = [Path(match) for match in glob.glob(text, recursive=True)]  # noqa: PTH207, it may be absolute
        absent = f"no file matches '{text}'."
    files = sorted(
        (file for file in matches if file.is_file()), key=lambda file: (run_name(file), file)
    )
    if not files:
        raise FileNotFoundError(absent)
    return files


def check_present(path: Path) -> None:
    """Raise an error if there is no such file, with the closest name that exists."""
    if path.is_dir():
        raise ValueError(
            f"'{path}' is a folder, not a file. pdeval.read_runs reads all the runs of a folder."
        )
    if not path.exists():
        others = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
        near = difflib.get_close_matches(path.name, others, n=1)
        hint = f" Did you mean '{path.parent / near[0]}'?" if near else ""
        raise FileNotFoundError(f"no file '{path}'.{hint}")


def contents(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the decompressed content of a file in pieces, each with the number of lines before it.

    `-` is the standard input. The file is read once, from start to end, so it may be a pipe. The name of a file
    determines its compression; for a pipe, the first bytes do. There is one piece, unless the content has more than 20
    times the compressed size and more than 64 MB: then pieces of complete lines are yielded, so a small file cannot
    fill the memory.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "bm25.run"
    >>> _ = path.write_bytes(b"301 Q0 d1 1 2.5 bm25")
    >>> list(contents(path))
    [(0, b'301 Q0 d1 1 2.5 bm25')]
    """
    if str(path) == STDIN:
        raw = sys.stdin.buffer.read()
    else:
        check_present(path)
        raw = path.read_bytes()
    codec = compression(path)
    actual = next((name for name, magic in MAGIC.items() if re.match(magic, raw)), None)
    if actual in CODECS.values() and not path.is_file():
        codec = actual
    # too short to recognize the compression: the codec reports that it is truncated
    stub = codec is not None and len(raw) < SHORTEST and raw.startswith(STARTS[codec])
    if actual != codec and raw and not stub:
        raise ValueError(_mismatch(path, codec, actual, raw))
    yield from _expanded(raw, codec, path) if codec and raw else [(0, raw)]


def _expanded(raw: bytes, codec: str, path: Path) -> Iterator[tuple[int, bytes]]:
    stream = pa.input_stream(pa.BufferReader(raw), compression=codec)
    line = 0
    try:
        data = stream.read(max(PIECE, MULTIPLE * len(raw)))
        while more := stream.read(PIECE):
            # up to the last line end; the rest is the start of the next piece
            end = data.rfind(b"\n") + 1 or data.rfind(b"\r") + 1
            if not end:
                raise ValueError(
                    f"'{path}' has a line of more than {len(data):,} bytes, so it contains neither runs nor judgments."
                )
            piece, data = data[:end], data[end:] + more
            yield line, piece
            line += piece.count(b"\n") + piece.count(b"\r") - piece.count(b"\r\n")
    except OSError as error:
        raise ValueError(
            f"'{path}' cannot be decompressed as {codec}; it is damaged or truncated ({error})."
        ) from error
    yield line, data


def _mismatch(path: Path, codec: str | None, actual: str | None, raw: bytes) -> str:
    if codec is not None:
        begins = (
            f"{actual}-compressed" if actual else f"not compressed; it begins with {raw[:20]!r}"
        )
        return (
            f"the name of '{path}' ends in {path.suffix}, but the content is {begins}. Rename it."
        )
    if ending := next((ending for ending, name in CODECS.items() if name == actual), None):
        return f"'{path}' is {actual}-compressed, but its name does not end in {ending}. Rename it."
    return f"'{path}' is {actual}-compressed; supported are {', '.join(CODECS)} and plain files. Decompress it first."
