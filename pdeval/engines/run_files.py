"""Run files on Dask: one partition a file, read when its turn comes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pdeval.kinds import arrow
from pdeval.trec.reading import RunFile, run_table

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
    frame = arrow.frame(table.select(COLUMNS))
    return frame.assign(rank=frame["rank"].astype(np.float64))


def _meta() -> pd.DataFrame:
    from dask.dataframe.utils import clear_known_categories

    none = {"run": pd.Categorical([]), "query_id": pd.Categorical([]), "doc_id": pd.array([], dtype=arrow.text_dtype())}
    meta = pd.DataFrame({**none, "score": np.zeros(0), "rank": np.zeros(0)})
    return clear_known_categories(meta, cols=["run", "query_id"])
