"""Files of run tables on Dask: run files as partitions, and folders of parquet files."""

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from pdeval.dask import shuffle
from pdeval.dask.delayed import dd
from pdeval.files.atomic_write import replacing_folder
from pdeval.files.reading import RunFile, run_table
from pdeval.tables import from_arrow, listed, reader, text_dtype

PART = re.compile(r"part\.[0-9]+\.parquet")
MARK = (
    "pdeval",
    "runs",
)  # in every file that pdeval writes into a folder, and may therefore remove


def to_parquet(self: Any, path: Any, *, compression: str = "zstd", overwrite: bool = False) -> None:
    """Write the run table as parquet, one file per partition and every query in one file.

    Evaluating `dd.read_parquet(path)` needs no shuffle. The rows of a list are adjacent, in their order; ids are
    written as strings or integers. On a local disk, the files are written to a temporary folder, which then replaces
    `path` in one step; this is not possible for remote stores.

    Parameters
    ----------
    path : path
        A new or empty folder, or the URL of one. It exists when everything is written, or not at all.
    compression : str
        Name of the parquet compression.
    overwrite : bool
        Whether to replace a table that pdeval wrote there before. The old table is kept until the new one is complete.
        Files that pdeval did not write are never removed.

    Examples
    --------
    >>> import dask.dataframe as dd, pdeval, tempfile
    >>> runs = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=4)
    >>> folder = tempfile.mkdtemp()
    >>> runs.ireval.to_parquet(folder)
    >>> len(dd.read_parquet(folder))
    59800
    """
    from fsspec.core import url_to_fs  # type: ignore[import-untyped]

    path = os.fspath(path)
    store, place = url_to_fs(path)
    check_folder(store, place, path, overwrite=overwrite)
    table = reader.read(self._frame._meta, "runs", self._binding)
    ready = shuffle.lists_together(self._frame, table)
    # one row group per file: readers divide large files between row groups, which might divide a query
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
    with replacing_folder(place) as temporary:
        ready.to_parquet(temporary, **options)
        count = len(list(temporary.glob("part.*.parquet")))
        if count != ready.npartitions:
            raise OSError(
                f"only {count:,} of {ready.npartitions:,} partitions were written next to '{path}': the workers do not "
                "share a disk. Use a shared folder or a URL. Nothing was changed."
            )
        # another process may have written in the meantime
        check_folder(store, place, path, overwrite=overwrite)


def check_folder(store: Any, place: str, path: str, *, overwrite: bool) -> None:
    """Raise if the path is a file, or a folder with files of others or, without `overwrite`, with any files.

    Examples
    --------
    >>> import tempfile
    >>> from fsspec.implementations.local import LocalFileSystem
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "notes.txt").write_text("keep me")
    >>> check_folder(LocalFileSystem(), str(folder), "runs", overwrite=True)
    Traceback (most recent call last):
    FileExistsError: the folder 'runs' contains files that pdeval did not write and will not delete: 'notes.txt'. ...
    """
    if store.isfile(place):
        raise FileExistsError(
            f"'{path}' is a file, but a folder is to be written. Use another name."
        )
    if not store.isdir(place):
        return
    store.invalidate_cache(place)
    names = {str(one).rstrip("/").rpartition("/")[2]: one for one in store.ls(place, detail=False)}
    if foreign := sorted(name for name, one in names.items() if not _is_part(store, name, one)):
        raise FileExistsError(
            f"the folder '{path}' contains files that pdeval did not write and will not delete: "
            f"{listed(map(repr, foreign), 3)}. Write to another folder."
        )
    if names and not overwrite:
        raise FileExistsError(
            f"the folder '{path}' already contains a table: {listed(map(repr, sorted(names)), 3)}. Write to another "
            "folder, or replace the table with overwrite=True."
        )


def _is_part(store: Any, name: str, one: str) -> bool:
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


COLUMNS = ("run", "query_id", "doc_id", "score", "rank")


def read_runs(run_files: list[RunFile], *, progress: bool | None = None) -> Any:  # noqa: ARG001
    """Return the runs of many files as a Dask DataFrame: run, query_id, doc_id, score, rank; one partition per file.

    Nothing is read yet. `progress` is ignored; use the ProgressBar of Dask, or the dashboard of a cluster. Ranks are
    floats, because a file may have ranks that are not numbers (NaN). Other columns of parquet files are dropped.

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
    if any(file.name is None for file in run_files):
        raise ValueError(
            "names='tag' requires reading all files, which engine='dask' does later. Use names='file', or name the "
            "runs explicitly: read_runs({'bm25': path, ...}, engine='dask')."
        )
    columns = {
        "run": pd.Categorical([]),
        "query_id": pd.Categorical([]),
        "doc_id": pd.array([], dtype=text_dtype()),
        "score": np.zeros(0),
        "rank": np.zeros(0),
    }
    meta = dd.utils.clear_known_categories(pd.DataFrame(columns), cols=["run", "query_id"])
    return dd.from_map(read, run_files, meta=meta)


def read(file: RunFile) -> pd.DataFrame:
    """Return the run in a file."""
    table = run_table(file, threads=False)
    if "rank" not in table.column_names:
        table = table.append_column("rank", [np.full(table.num_rows, np.nan)])
    return from_arrow(table.select(COLUMNS)).astype({"rank": np.float64})
