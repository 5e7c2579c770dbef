"""Reads runs and judgments from TREC files and from files of named columns into frames."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pdeval.files import file_io
from pdeval.files.file_io import PathLike
from pdeval.files.ir_metadata import metadata_of
from pdeval.files.lines import QRELS, RUN, TEXT, check_encoding, read_columns
from pdeval.files.tabular import column_table, has_header
from pdeval.tables import arrow
from pdeval.verbs.checks import checks_arguments
from pdeval.verbs.progress import track

Names = Literal["file", "tag"]


class RunFile(NamedTuple):
    """A file that holds a run, what the run is called (None: by its tag), and whether the caller said so.

    `tag` keeps the tags of its lines, as a column of that name; `encoding` is that of a file that is not UTF-8.
    """

    path: Path
    name: str | None
    given: bool = False
    tag: bool = False
    encoding: str | None = None


@checks_arguments
def read_run(
    path: PathLike, *, name: str | None = None, names: Names = "file", encoding: str | None = None
) -> pd.DataFrame:
    """Return the run in a TREC or parquet file: run, query_id, doc_id, score, rank; rows as in the file.

    Reads what trec_eval reads: any white space between columns, blank lines, comments, more words after the tag,
    ranks of any kind (the rank is float with NaN where it is no number). A line that it would refuse, and a score that
    is no number, is an error with file, line number and text. Ids are always text: '051' stays '051'.

    Parameters
    ----------
    path : path
        A file of six columns: query, Q0, doc, rank, score, tag. Plain, or ending in .gz, .bz2, .zst; a pipe, or '-'
        for the standard input. Or .parquet, or .csv and .tsv with a header line, whose columns may have the names of
        any tool that pdeval understands; a run column in it is kept.
    name : str, optional
        What to call the run. By default its `names`.
    names : {'file', 'tag'}
        Name the run after its file, less compression, .run .txt .res .trec and a leading `input.`; or by its tag,
        which must then be the same in all lines. The run column of a parquet file is kept.
    encoding : str, optional
        What the file is in if it is not UTF-8, e.g. 'latin-1', 'cp1252', 'utf-16'. By default such a file is an error
        that names the line: taken for the wrong encoding, its ids would match no judgment. A file that is UTF-8 is
        read as UTF-8 whatever this says.

    Examples
    --------
    >>> import pdeval, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "bm25.run"
    >>> _ = path.write_text("051 Q0 FBIS3-1 1 2.5 x\\n051 Q0 FT911-3 2 1.5 x\\n")
    >>> print(pdeval.files.read_run(path).to_string(index=False))
     run query_id  doc_id  score  rank
    bm25      051 FBIS3-1    2.5     1
    bm25      051 FT911-3    1.5     2
    """
    check_names(names)
    check_encoding(encoding)
    own = name or (file_io.run_name(path) if names == "file" else None)
    return arrow.frame(run_table(RunFile(Path(path), own, given=bool(name), encoding=encoding)))


@overload
def read_runs(
    paths: PathLike | Iterable[PathLike] | Mapping[str, PathLike],
    *,
    names: Names = ...,
    encoding: str | None = ...,
    progress: bool | None = ...,
    engine: str = ...,
    metadata: Literal[False] = ...,
) -> pd.DataFrame: ...


@overload
def read_runs(
    paths: PathLike | Iterable[PathLike] | Mapping[str, PathLike],
    *,
    names: Names = ...,
    encoding: str | None = ...,
    progress: bool | None = ...,
    engine: str = ...,
    metadata: Literal[True],
) -> tuple[pd.DataFrame, pd.DataFrame]: ...


@checks_arguments
def read_runs(
    paths: PathLike | Iterable[PathLike] | Mapping[str, PathLike],
    *,
    names: Names = "file",
    encoding: str | None = None,
    progress: bool | None = None,
    engine: str = "pandas",
    metadata: bool = False,
) -> Any:
    """Return the runs of many files in one frame: run, query_id, doc_id, score, rank; file after file.

    Parameters
    ----------
    paths : path, pattern, folder, list of these, or dict of run name to path
        A folder means every file in it that is not hidden. Files of a folder or a pattern are sorted by run name.
    names : {'file', 'tag'}
        See `read_run`. Two runs of the same name are an error; a dict gives them other names.
    encoding : str, optional
        What those files are in that are not UTF-8; see `read_run`.
    progress : bool, optional
        Whether to show a bar; by default if it takes more than a second and somebody is watching.
    engine : {'pandas', 'dask'}
        What makes the frame: with 'dask' a Dask DataFrame, one partition per file, read when it is evaluated.
    metadata : bool
        Whether to return what the files say of themselves too, in ir_metadata headers (YAML in comments between
        `# ir_metadata.start` and `# ir_metadata.end`): `runs, metadata = read_runs(folder, metadata=True)`, one row
        per run, one column per value, `method.retrieval.1.name`. It is metadata for `by=`, as every verb takes it.

    Returns
    -------
    DataFrame, or tuple of DataFrame
        The runs; with `metadata=True` the runs and their metadata.

    Examples
    --------
    >>> import pdeval, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for run in ("ql", "bm25"):
    ...     _ = (folder / f"{run}.run").write_text("301 Q0 d1 1 2.5 x\\n")
    >>> print(pdeval.files.read_runs(folder).to_string(index=False))
     run query_id doc_id  score  rank
    bm25      301     d1    2.5     1
      ql      301     d1    2.5     1
    """
    check_names(names)
    if engine not in ENGINES:
        raise ValueError(f"no engine {engine!r}; engines are {', '.join(map(repr, ENGINES))}.")
    check_encoding(encoding)
    found = [file._replace(encoding=encoding) for file in run_files(paths, names=names)]
    runs = ENGINES[engine](found, progress=progress)
    if not metadata:
        return runs
    return runs, metadata_of(found, runs["run"].unique().tolist() if engine == "pandas" else None)


@checks_arguments
def read_qrels(path: PathLike, *, subtopics: bool = False, encoding: str | None = None) -> pd.DataFrame:
    """Return the judgments in a TREC or parquet file: query_id, doc_id, relevance[, subtopic]; rows as in the file.

    Grades are whole numbers if all are, else floats.

    Parameters
    ----------
    path : path
        A file of four columns: query, iteration or subtopic, doc, grade. Plain, .gz, .bz2, .zst; or .parquet, .csv
        or .tsv with named columns; see `read_run`.
    subtopics : bool, default False
        Keep the second column, as `subtopic`.
    encoding : str, optional
        What the file is in if it is not UTF-8; see `read_run`.

    Examples
    --------
    >>> import pdeval, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("051 0 FBIS3-1 2\\n051 0 FT911-3 0\\n")
    >>> print(pdeval.files.read_qrels(path).to_string(index=False))
    query_id  doc_id  relevance
         051 FBIS3-1          2
         051 FT911-3          0
    """
    check_encoding(encoding)
    return arrow.frame(qrels_table(Path(path), subtopics=subtopics, encoding=encoding))


def qrels_table(path: Path, *, subtopics: bool, encoding: str | None) -> pa.Table:
    """Return the judgments in a file as an Arrow table."""
    keep = ["query_id", "doc_id", "relevance"] + (["subtopic"] if subtopics else [])
    if has_header(path):
        table = column_table(path, "qrels", encoding)
        dropped = [] if subtopics or "subtopic" not in table.column_names else ["subtopic"]
        return table.drop_columns(dropped)
    return read_columns(path, QRELS, keep, encoding=encoding)


def run_files(paths: PathLike | Iterable[PathLike] | Mapping[str, PathLike], *, names: Names) -> list[RunFile]:
    """Return the files that hold the runs, with their names; two equal names are an error."""
    if isinstance(paths, Mapping):
        return [RunFile(file_io.path_of(path), str(name), given=True) for name, path in paths.items()]
    found = file_io.expand(paths)
    if names == "tag":
        return [RunFile(path, None) for path in found]
    named = [RunFile(path, file_io.run_name(path)) for path in found]
    _check_different((str(file.name), file.path) for file in named)
    return named


def run_table(file: RunFile, *, threads: bool = True) -> pa.Table:
    """Return one file's run as an Arrow table: run, query_id, doc_id, score, rank."""
    path, name, given, tagged, encoding = file
    if has_header(path):
        table = column_table(path, "runs", encoding)
        if "run" in table.column_names:
            runs = pc.unique(table.column("run")).to_pylist()
            if not given:
                return table.select(["run", *(column for column in table.column_names if column != "run")])
            if len(runs) > 1:
                raise ValueError(f"'{path}' holds {len(runs):,} runs, so that it cannot be read as the run {name!r}.")
            table = table.drop_columns(["run"])
        name = name or file_io.run_name(path)
    else:
        keep = ["query_id", "doc_id", "score", "rank"] + (["tag"] if tagged or not name else [])
        table = read_columns(path, RUN, keep, encoding=encoding, threads=threads, one_tag=name is None)
        if name is None:
            name = table.column("tag")[0].as_py()
        if "tag" in keep and not tagged:
            table = table.drop_columns(["tag"])
    codes = pa.array(np.zeros(table.num_rows, dtype=np.int32))
    return table.add_column(0, "run", pa.DictionaryArray.from_arrays(codes, pa.array([name], TEXT)))


def tables(run_files: list[RunFile], *, progress: bool | None) -> Iterator[tuple[RunFile, pa.Table]]:
    """Yield every file's run as an Arrow table, in order; several files are read at a time."""
    if len(run_files) == 1:
        yield run_files[0], run_table(run_files[0])
        return
    pool = ThreadPoolExecutor(min(len(run_files), os.cpu_count() or 1))
    try:
        read = pool.map(lambda file: run_table(file, threads=False), run_files)
        yield from zip(run_files, track(read, total=len(run_files), desc="reading runs", progress=progress))
    finally:
        pool.shutdown(cancel_futures=True)


def in_memory(run_files: list[RunFile], *, progress: bool | None = None) -> pd.DataFrame:
    """Return the runs of the files in one pandas frame."""
    return arrow.frame(one_table(list(tables(run_files, progress=progress))))


def one_table(parts: list[tuple[RunFile, pa.Table]]) -> pa.Table:
    """Return the runs of several files in one Arrow table; two of the same name are an error."""
    _check_different((name, file.path) for file, table in parts for name in pc.unique(table.column("run")).to_pylist())
    read = [table for _, table in parts]
    if len({table.schema.field("rank").type for table in read if "rank" in table.column_names}) > 1:
        read = [_with_float_rank(table) for table in read]
    return pa.concat_tables(read, promote_options="default")


def _with_float_rank(table: pa.Table) -> pa.Table:
    if "rank" not in table.column_names:
        return table
    place = table.column_names.index("rank")
    return table.set_column(place, "rank", table.column("rank").cast(pa.float64()))


def _check_different(named: Iterable[tuple[str, Path]]) -> None:
    first: dict[str, Path] = {}
    for name, path in named:
        if name in first:
            raise ValueError(
                f"two runs are called {name!r}: '{first[name]}' and '{path}'. Rename a file, or give names: "
                f"read_runs({{{name!r}: ..., {name + '-2'!r}: ...}})."
            )
        first[name] = path


def check_names(names: str) -> None:
    """Raise where runs are to be named after something else than their file or tag."""
    if names not in ("file", "tag"):
        raise ValueError(f"names={names!r} is not a choice; runs are named after their 'file' or their 'tag'.")


# what turns the list of files into a frame; an engine adds itself here
ENGINES: dict[str, Callable[..., pd.DataFrame]] = {
    "pandas": in_memory,
    "dask": lambda *args, **options: import_module("pdeval.dask.accessor").read_runs(*args, **options),
}
