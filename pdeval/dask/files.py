"""Run tables on Dask from files and to files: run files as partitions, and folders of Parquet."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pdeval.dask import shuffle
from pdeval.files.atomic_write import replacing_folder
from pdeval.files.reading import RunFile, run_table
from pdeval.tables.dataframes import from_arrow, text_dtype
from pdeval.tables.reader import Table

PART = re.compile(r"part\.[0-9]+\.parquet")
MARK = (
    "pdeval",
    "runs",
)  # in every file that pdeval writes into a folder, and may therefore remove


def write(
    frame: Any, table: Table, path: Any, *, compression: str = "zstd", overwrite: bool = False
) -> None:
    """Write the table as parquet, a file a partition and every query in one file, rows of a list adjacent.

    On a disk the files are written to a folder beside, which then takes the place of the other in one step; a store
    that is reached by a URL has no such step.
    """
    from fsspec.core import url_to_fs  # type: ignore[import-untyped]

    path = os.fspath(path)
    store, place = url_to_fs(path)
    check_folder(store, place, path, overwrite=overwrite)
    ready = shuffle.lists_together(frame, table)
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
        count = len(list(beside.glob("part.*.parquet")))
        if count != ready.npartitions:
            raise OSError(
                f"{count:,} of {ready.npartitions:,} partitions arrived beside '{path}': the workers write to disks "
                "of their own. Give a folder that all of them share, or a URL; nothing was changed."
            )
        check_folder(
            store, place, path, overwrite=overwrite
        )  # somebody else may have written meanwhile


def check_folder(store: Any, place: str, path: str, *, overwrite: bool) -> None:
    """Raise if something is in the way: a file, what pdeval did not write, or without `overwrite` anything.

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
        raise FileExistsError(
            f"'{path}' is a file, and a folder is to be written. Give another name."
        )
    if not store.isdir(place):
        return
    store.invalidate_cache(place)
    names = {str(one).rstrip("/").rpartition("/")[2]: one for one in store.ls(place, detail=False)}
    foreign = sorted(name for name, one in names.items() if not _is_part(store, name, one))
    if foreign:
        raise FileExistsError(
            f"the folder '{path}' holds what pdeval did not write, and so never removes: {_examples(foreign)}. "
            "Write to another folder."
        )
    if names and not overwrite:
        raise FileExistsError(
            f"the folder '{path}' holds a table that was written before: {_examples(sorted(names))}. Write to another "
            "folder, or replace all of it with overwrite=True."
        )


def _is_part(store: Any, name: str, one: str) -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not PART.fullmatch(name) or not store.isfile(one):
        return False
    try:
        with store.open(one, "rb") as file:
            metadata = pq.read_schema(file).metadata or {}
    except pa.ArrowInvalid:
        return False
    key, value = (text.encode() for text in MARK)
    return bool(metadata.get(key) == value)


def _examples(names: list[str]) -> str:
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return ", ".join(map(repr, names[:3])) + more


COLUMNS = ("run", "query_id", "doc_id", "score", "rank")


def read_runs(run_files: list[RunFile], *, progress: bool | None = None) -> Any:  # noqa: ARG001
    """Return the runs of many files as a Dask frame: run, query_id, doc_id, score, rank; a partition a file.

    Nothing is read yet. `progress` is Dask's own: its ProgressBar, or the dashboard of a cluster. Ranks are floats,
    since a file read later may have ranks that are no numbers (NaN), and further columns of parquet files are left out.

    Examples
    --------
    >>> import pdeval, tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> for run in ("ql", "bm25"):
    ...     _ = (folder / f"{run}.run").write_text("301 Q0 d1 1 2.5 x\\n")
    >>> pdeval.read_runs(folder, engine="dask").compute()["run"].tolist()
    ['bm25', 'ql']
    """
    import dask.dataframe as dd

    if any(file.name is None for file in run_files):
        raise ValueError(
            "names='tag' needs every file read, which engine='dask' leaves for later. Name the runs after their files, "
            "or give names: read_runs({'bm25': path, ...}, engine='dask')."
        )
    return dd.from_map(read, run_files, meta=_meta())


def read(file: RunFile) -> pd.DataFrame:
    """Return one file's run."""
    table = run_table(file, threads=False)
    if "rank" not in table.column_names:
        table = table.append_column("rank", [np.full(table.num_rows, np.nan)])
    frame = from_arrow(table.select(COLUMNS))
    return frame.assign(rank=frame["rank"].astype(np.float64))


def _meta() -> pd.DataFrame:
    from dask.dataframe.utils import clear_known_categories

    none = {
        "run": pd.Categorical([]),
        "query_id": pd.Categorical([]),
        "doc_id": pd.array([], dtype=text_dtype()),
    }
    meta = pd.DataFrame({**none, "score": np.zeros(0), "rank": np.zeros(0)})
    return clear_known_categories(meta, cols=["run", "query_id"])
