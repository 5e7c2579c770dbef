"""Files and folders that are whole or absent: written under a temporary name beside their place, then renamed.

    with replacing(path) as beside:
        table.to_parquet(beside)

Until the block has ended without an error, and all of it is on the disk, the old file stays. A program that is killed
in between leaves a hidden `.pdeval-*` beside it, which nothing reads. Standard output, pipes and devices cannot be
renamed: they are written directly.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

STREAMS = re.compile(
    r"/dev/(stdin|stdout|stderr|fd/.+)|/proc/.+"
)  # files by another name, if they are files at all
PRIVATE, USUAL = (
    0o600,
    0o666,
)  # permissions while it is written: only the owner, or whatever the umask allows


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a path to write a file to, and rename it when all of it is written.

    A file that is there keeps its permissions, a new one has those that any new file gets; of a link the file it leads
    to is replaced. After an error nothing is left behind.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "scores.csv"
    >>> with replacing(path) as beside:
    ...     _ = beside.write_text("run,AP")
    ...     path.exists()
    False
    >>> path.read_text()
    'run,AP'
    """
    if is_stream(path):
        with _renamed_errors(path, Path(path)):
            yield Path(path)
        return
    check_place(path)
    target = Path(os.path.realpath(path))
    before = target.stat() if target.exists() else None
    beside = target.with_name(f".pdeval-{secrets.token_hex(6)}")
    with _renamed_errors(path, beside), _removed_after_errors(beside):
        os.close(
            os.open(
                beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, USUAL if before is None else PRIVATE
            )
        )
        yield beside
        _copy_permissions(before, beside)
        _flush(beside)
        os.replace(beside, target)  # noqa: PTH105, its error names both
    _flush_folder(target.parent)


@contextmanager
def replacing_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a new folder to fill, which replaces the one that is there when all of it is written.

    What stood there is removed, so ask first what it is.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "runs"
    >>> with replacing_folder(path) as beside:
    ...     _ = (beside / "part.0.parquet").write_text("...")
    ...     path.exists()
    False
    >>> [file.name for file in path.iterdir()]
    ['part.0.parquet']
    """
    target = Path(os.path.realpath(path))
    _check_parent(target, path)
    if target in (here := Path.cwd(), *here.parents):
        raise ValueError(
            f"'{os.fspath(path)}' is the folder in which the program runs; write to one inside it."
        )
    beside = target.with_name(f".pdeval-{secrets.token_hex(6)}")
    with _renamed_errors(path, beside), _removed_after_errors(beside):
        beside.mkdir()
        yield beside
        for file in sorted(beside.rglob("*")):
            if file.is_file():
                _flush(file)
        _flush_folder(beside)
        if target.is_dir():
            _copy_permissions(target.stat(), beside)
            _swap(beside, target)
        else:
            beside.rename(target)
    _flush_folder(target.parent)
    shutil.rmtree(beside, ignore_errors=True)


@contextmanager
def _removed_after_errors(beside: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        if beside.is_dir():
            shutil.rmtree(beside, ignore_errors=True)
        else:
            beside.unlink(missing_ok=True)
        raise


@contextmanager
def _renamed_errors(path: str | os.PathLike[str], beside: Path) -> Iterator[None]:
    """Let an error of the system name the path of the caller, not the one beside it."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and (
            error.filename is None or str(error.filename).startswith(str(beside))
        ):
            text = error.strerror if error.filename is not None else os.strerror(error.errno)
            raise OSError(error.errno, text, os.fspath(path)) from error
        raise


def _copy_permissions(before: os.stat_result | None, beside: Path) -> None:
    if before is None:
        return
    now = beside.stat()
    if hasattr(os, "chown") and (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        with suppress(PermissionError):  # only an administrator gives files away
            os.chown(beside, before.st_uid, before.st_gid)
    beside.chmod(stat.S_IMODE(before.st_mode))


def check_places(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Raise the error that writing any of the files would end in, as far as it is known before the first byte."""
    for path in paths:
        check_place(path)


def check_place(path: str | os.PathLike[str]) -> None:
    """Raise an error where no file can be written: no such folder, a folder of that name, no permission.

    Examples
    --------
    >>> check_place("nowhere/scores.csv")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] there is no folder 'nowhere' to write to: 'nowhere/scores.csv'
    """
    if is_stream(path):
        return
    target = Path(os.path.realpath(path))
    _check_parent(target, path)
    try:
        mode = target.stat().st_mode  # also refuses a name that is too long
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(
            errno.EISDIR, "a folder stands where the file is to be written", os.fspath(path)
        )
    if not os.access(target, os.W_OK):
        raise PermissionError(
            errno.EACCES, "the file that is there may not be written", os.fspath(path)
        )


@contextmanager
def name_written(paths: Collection[Path]) -> Iterator[list[Path]]:
    """Yield a list for the files that are written, which an error of the system names if some are missing.

    Examples
    --------
    >>> with name_written([Path("a.run"), Path("b.run"), Path("c.run")]) as written:
    ...     written.append(Path("a.run"))
    ...     raise OSError(28, "No space left on device", "b.run")
    Traceback (most recent call last):
    OSError: [Errno 28] No space left on device; 1 of 3 files is written ('a.run'), and whole: 'b.run'
    """
    written: list[Path] = []
    try:
        yield written
    except OSError as error:
        if error.errno is None or not written:
            raise
        names = ", ".join(f"'{path}'" for path in written[:3]) + (
            ", ..." if len(written) > 3 else ""
        )
        count = f"{len(written):,} of {len(paths):,} files {'is' if len(written) == 1 else 'are'} written"
        raise OSError(
            error.errno, f"{error.strerror}; {count} ({names}), and whole", error.filename
        ) from error


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether a path means a stream: standard output (even where it goes to a file), a pipe, a device.

    Examples
    --------
    >>> is_stream("/dev/stdout"), is_stream("scores.csv")
    (True, False)
    """
    place = Path(os.path.abspath(path))  # noqa: PTH100, links are followed one by one
    for _ in range(40):  # as many as a system follows
        if STREAMS.fullmatch(place.as_posix()):
            return True
        if not place.is_symlink():
            break
        place = Path(os.path.abspath(place.parent / place.readlink()))  # noqa: PTH100
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _check_parent(target: Path, path: str | os.PathLike[str]) -> None:
    folder = target.parent
    if not folder.is_dir():
        parent = os.path.dirname(path) or str(folder)  # noqa: PTH120, as the caller wrote it
        if folder.exists():
            raise NotADirectoryError(
                errno.ENOTDIR, f"'{parent}' is a file, not a folder to write to", os.fspath(path)
            )
        raise FileNotFoundError(
            errno.ENOENT, f"there is no folder '{parent}' to write to", os.fspath(path)
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(
            errno.EACCES,
            f"the folder '{folder}' may not be written to: a file is first written beside its place",
            os.fspath(path),
        )


def _flush(file: Path, flags: int = os.O_RDWR) -> None:
    # a full disk may be reported only now
    handle = os.open(file, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _flush_folder(folder: Path) -> None:
    """Have the new name on the disk too, if the system opens folders."""
    with suppress(OSError):
        _flush(folder, os.O_RDONLY)


def _swap(beside: Path, target: Path) -> None:
    """Give two folders each other's names: at once if the system can, else by way of a third name."""
    if _exchanged(beside, target):
        return
    old = target.with_name(f".pdeval-{secrets.token_hex(6)}")
    target.rename(old)
    try:
        beside.rename(target)
    except BaseException:
        old.rename(target)
        raise
    old.rename(beside)


def _exchanged(beside: Path, target: Path) -> bool:
    import ctypes

    try:
        rename = ctypes.CDLL(
            None, use_errno=True
        ).renameat2  # Linux alone exchanges names in one step
    except (AttributeError, OSError, TypeError):
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return bool(rename(here, os.fsencode(beside), here, os.fsencode(target), exchange) == 0)
