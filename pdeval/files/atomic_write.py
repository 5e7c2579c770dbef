"""Atomic writing: files and folders are written under a temporary name in the same folder, then renamed.

    with replacing(path) as temporary:
        table.to_parquet(temporary)

The old file is kept until the block has ended without an error and everything is on disk. A program that is killed
in between leaves a hidden `.pdeval-*` file, which is never read. Standard output, pipes and devices cannot be
renamed: they are written directly.
"""

import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# other names of open files and pipes
STREAMS = re.compile(r"/dev/(stdin|stdout|stderr|fd/.+)|/proc/.+")
# permissions of the temporary file: only the owner, or what the umask allows
PRIVATE, USUAL = 0o600, 0o666


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path to write to, and rename it when the file is complete.

    An existing file keeps its permissions; a new one gets the default permissions. If the path is a link, its target
    is replaced. After an error, the temporary file is removed.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "scores.csv"
    >>> with replacing(path) as temporary:
    ...     _ = temporary.write_text("run,AP")
    ...     path.exists()
    False
    >>> path.read_text()
    'run,AP'
    """
    if is_stream(path):
        with _handled_errors(path, Path(path)):
            yield Path(path)
        return
    check_place(path)
    target = Path(os.path.realpath(path))
    before = target.stat() if target.exists() else None
    temporary = target.with_name(f".pdeval-{secrets.token_hex(6)}")
    with _handled_errors(path, temporary):
        os.close(
            os.open(
                temporary,
                os.O_CREAT | os.O_EXCL | os.O_WRONLY,
                USUAL if before is None else PRIVATE,
            )
        )
        yield temporary
        _copy_permissions(before, temporary)
        _flush(temporary)
        os.replace(temporary, target)  # noqa: PTH105, its error names both
    _flush_folder(target.parent)


@contextmanager
def replacing_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary folder to write to, which replaces the existing one when it is complete.

    The content of the existing folder is removed, so check it first.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "runs"
    >>> with replacing_folder(path) as temporary:
    ...     _ = (temporary / "part.0.parquet").write_text("...")
    ...     path.exists()
    False
    >>> [file.name for file in path.iterdir()]
    ['part.0.parquet']
    """
    target = Path(os.path.realpath(path))
    _check_parent(target, path)
    if target in (here := Path.cwd(), *here.parents):
        raise ValueError(
            f"'{os.fspath(path)}' is the current working directory or contains it. Write to another folder."
        )
    temporary = target.with_name(f".pdeval-{secrets.token_hex(6)}")
    with _handled_errors(path, temporary):
        temporary.mkdir()
        yield temporary
        for file in sorted(temporary.rglob("*")):
            if file.is_file():
                _flush(file)
        _flush_folder(temporary)
        if target.is_dir():
            _copy_permissions(target.stat(), temporary)
            _swap(temporary, target)
        else:
            temporary.rename(target)
    _flush_folder(target.parent)
    shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def _handled_errors(path: str | os.PathLike[str], temporary: Path) -> Iterator[None]:
    """Remove the temporary file or folder after an error; errors of the system name the path of the caller."""
    try:
        yield
    except BaseException as error:
        if temporary != Path(path):
            shutil.rmtree(temporary, ignore_errors=True)  # a folder
            with suppress(OSError):
                temporary.unlink()
        if not isinstance(error, OSError) or error.errno is None:
            raise
        if error.filename is not None and not str(error.filename).startswith(str(temporary)):
            raise
        text = error.strerror if error.filename is not None else os.strerror(error.errno)
        raise OSError(error.errno, text, os.fspath(path)) from error


def _copy_permissions(before: os.stat_result | None, temporary: Path) -> None:
    if before is None:
        return
    now = temporary.stat()
    if hasattr(os, "chown") and (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        with suppress(PermissionError):  # only root may change the owner
            os.chown(temporary, before.st_uid, before.st_gid)
    temporary.chmod(stat.S_IMODE(before.st_mode))


def check_places(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Raise the error that writing one of the files would raise, as far as it is known before writing."""
    for path in paths:
        check_place(path)


def check_place(path: str | os.PathLike[str]) -> None:
    """Raise an error if a file cannot be written: missing folder, a folder of that name, no permission.

    Examples
    --------
    >>> check_place("nowhere/scores.csv")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] the folder 'nowhere' does not exist: 'nowhere/scores.csv'
    """
    if is_stream(path):
        return
    target = Path(os.path.realpath(path))
    _check_parent(target, path)
    try:
        mode = target.stat().st_mode  # also raises if the name is too long
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "the path is a folder, not a file", os.fspath(path))
    if not os.access(target, os.W_OK):
        raise PermissionError(
            errno.EACCES, "no permission to write to the existing file", os.fspath(path)
        )


@contextmanager
def name_written(paths: Collection[Path]) -> Iterator[list[Path]]:
    """Yield a list for the files that are written; an error of the system reports them if some are missing.

    Examples
    --------
    >>> with name_written([Path("a.run"), Path("b.run"), Path("c.run")]) as written:
    ...     written.append(Path("a.run"))
    ...     raise OSError(28, "No space left on device", "b.run")
    Traceback (most recent call last):
    OSError: [Errno 28] No space left on device; 1 of 3 files is complete ('a.run'): 'b.run'
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
        count = f"{len(written):,} of {len(paths):,} files {'is' if len(written) == 1 else 'are'} complete"
        raise OSError(
            error.errno, f"{error.strerror}; {count} ({names})", error.filename
        ) from error


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a stream: standard output (also if it is redirected to a file), a pipe, a device.

    Examples
    --------
    >>> is_stream("/dev/stdout"), is_stream("scores.csv")
    (True, False)
    """
    place = Path(os.path.abspath(path))  # noqa: PTH100, links are followed one by one
    for _ in range(40):  # systems follow at most 40 links
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
                errno.ENOTDIR, f"'{parent}' is a file, not a folder", os.fspath(path)
            )
        raise FileNotFoundError(
            errno.ENOENT, f"the folder '{parent}' does not exist", os.fspath(path)
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(
            errno.EACCES,
            f"no permission to write to the folder '{folder}', in which a temporary file is created",
            os.fspath(path),
        )


def _flush(file: Path, flags: int = os.O_RDWR) -> None:
    # a full disk may be reported only by fsync
    handle = os.open(file, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _flush_folder(folder: Path) -> None:
    """Write the new name of a file to disk, if the system can open folders."""
    with suppress(OSError):
        _flush(folder, os.O_RDONLY)


def _swap(temporary: Path, target: Path) -> None:
    """Exchange the names of two folders: in one step if the system can, else with a third name."""
    if _exchanged(temporary, target):
        return
    old = target.with_name(f".pdeval-{secrets.token_hex(6)}")
    target.rename(old)
    try:
        temporary.rename(target)
    except BaseException:
        old.rename(target)
        raise
    old.rename(temporary)


def _exchanged(temporary: Path, target: Path) -> bool:
    import ctypes

    try:
        rename = ctypes.CDLL(
            None, use_errno=True
        ).renameat2  # only Linux exchanges names in one step
    except (AttributeError, OSError, TypeError):
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return bool(rename(here, os.fsencode(temporary), here, os.fsencode(target), exchange) == 0)
