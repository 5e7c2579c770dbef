"""A run table as a folder of parquet files: all of it or none, and nothing of what stood there before."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from pdeval.engines import partitions
from pdeval.kinds.tables import Table
from pdeval.mechanics.whole_files import replacing_folder

PART = re.compile(r"part\.[0-9]+\.parquet")
MARK = ("pdeval", "runs")  # in every file that pdeval writes into a folder, and may therefore remove


def write(frame: Any, table: Table, path: Any, *, compression: str = "zstd", overwrite: bool = False) -> None:
    """Write the table as parquet, a file a partition and every query in one file, lists standing together.

    On a disk the files are written to a folder beside, which then takes the place of the other in one step; a store
    that is reached by a URL has no such step.
    """
    from fsspec.core import url_to_fs  # type: ignore[import-untyped]

    path = os.fspath(path)
    store, place = url_to_fs(path)
    check_folder(store, place, path, overwrite=overwrite)
    ready = partitions.lists_together(frame, table)
    # one row group a file: readers that divide large files do it between row groups, which might divide a query
    options = {
        "compression": compression,
        "row_group_size": 1 << 26,
        "custom_metadata": dict([MARK]),
        "write_index": False,
    }
    if "file" not in store.protocol:
        ready.to_parquet(path, overwrite=overwrite, **options)
        return
    Path(place).parent.mkdir(parents=True, exist_ok=True)
    with replacing_folder(place) as beside:
        ready.to_parquet(beside, **options)
        found = len(list(beside.glob("part.*.parquet")))
        if found != ready.npartitions:
            raise OSError(
                f"{found:,} of {ready.npartitions:,} partitions arrived beside '{path}': the workers write to disks "
                "of their own. Give a folder that all of them share, or a URL; nothing was changed."
            )
        check_folder(store, place, path, overwrite=overwrite)  # somebody else may have written meanwhile


def check_folder(store: Any, place: str, path: str, *, overwrite: bool) -> None:
    """Raise where something is in the way: a file, what pdeval did not write, or without `overwrite` anything.

    Examples
    --------
    >>> import tempfile
    >>> from fsspec.implementations.local import LocalFileSystem
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "notes.txt").write_text("keep me")
    >>> check_folder(LocalFileSystem(), str(folder), "runs", overwrite=True)
    Traceback (most recent call last):
    FileExistsError: the folder 'runs' holds what pdeval did not write, and so never removes: 'notes.txt'. ...
    """
    if store.isfile(place):
        raise FileExistsError(f"'{path}' is a file, and a folder is to be written. Give another name.")
    if not store.isdir(place):
        return
    store.invalidate_cache(place)
    names = {str(one).rstrip("/").rpartition("/")[2]: one for one in store.ls(place, detail=False)}
    foreign = sorted(name for name, one in names.items() if not _own(store, name, one))
    if foreign:
        raise FileExistsError(
            f"the folder '{path}' holds what pdeval did not write, and so never removes: {_some(foreign)}. "
            "Write to another folder."
        )
    if names and not overwrite:
        raise FileExistsError(
            f"the folder '{path}' holds a table that was written before: {_some(sorted(names))}. Write to another "
            "folder, or replace all of it with overwrite=True."
        )


def _own(store: Any, name: str, one: str) -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not PART.fullmatch(name) or not store.isfile(one):
        return False
    try:
        with store.open(one, "rb") as file:
            said = pq.read_schema(file).metadata or {}
    except pa.ArrowInvalid:
        return False
    key, value = MARK
    return said.get(key.encode()) == value.encode()


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return ", ".join(map(repr, names[:3])) + more
