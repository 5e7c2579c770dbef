"""Read runs and judgments from TREC files and files with named columns: one, many, or collections."""

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, overload

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pdeval.files import file_io
from pdeval.files.ir_metadata import metadata_of
from pdeval.files.lines import QRELS, RUN, check_encoding, read_columns, repeated
from pdeval.files.tabular import column_table, has_header
from pdeval.tables import from_arrow, natural
from pdeval.verbs import checks_arguments, one_of, track

Names = Literal["file", "tag"]
COLUMN = "collection"


class RunFile(NamedTuple):
    """A run file, the name of its run (None: its tag), and whether the caller specified the name.

    `tag` keeps the tags of the lines, in a column of that name; `encoding` applies if the file is not UTF-8.
    """

    path: Path
    name: str | None
    given: bool = False
    tag: bool = False
    encoding: str | None = None


@checks_arguments
def read_run(
    path: file_io.PathLike,
    *,
    name: str | None = None,
    names: Names = "file",
    encoding: str | None = None,
) -> pd.DataFrame:
    """Read a run from a TREC or parquet file: run, query_id, doc_id, score, rank; rows as in the file.

    The same files are accepted as by trec_eval: any white space between columns, blank lines, comments, more words
    after the tag, and any ranks (ranks are floats, with NaN if one is not a number). A line that trec_eval rejects, or
    a score that is not a number, raises an error with file, line number and text. Ids are strings: '051' stays '051'.

    Parameters
    ----------
    path : path
        A file of six columns: query, Q0, doc, rank, score, tag. Plain, or ending in .gz, .bz2, .zst; a pipe, or '-'
        for the standard input. Or .parquet, or .csv and .tsv with a header line, with the column names of any
        supported tool; a run column is kept.
    name : str, optional
        Name of the run; by default determined by `names`.
    names : {'file', 'tag'}
        Whether the run is named after its file, without compression, .run .txt .res .trec and a leading `input.`, or
        after its tag, which must be the same in all lines. The run column of a parquet file is kept.
    encoding : str, optional
        Encoding of the file if it is not UTF-8, e.g. 'latin-1', 'cp1252', 'utf-16'. By default such a file raises an
        error, because its ids would not match the judgments. A file that is valid UTF-8 is always read as UTF-8.

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
    check_options(names, encoding)
    run = name or (file_io.run_name(path) if names == "file" else None)
    return from_arrow(run_table(RunFile(Path(path), run, given=bool(name), encoding=encoding)))


@overload
def read_runs(
    paths: file_io.PathLike | Iterable[file_io.PathLike] | Mapping[str, file_io.PathLike],
    *,
    names: Names = ...,
    encoding: str | None = ...,
    progress: bool | None = ...,
    engine: str = ...,
    metadata: Literal[False] = ...,
) -> pd.DataFrame: ...


@overload
def read_runs(
    paths: file_io.PathLike | Iterable[file_io.PathLike] | Mapping[str, file_io.PathLike],
    *,
    names: Names = ...,
    encoding: str | None = ...,
    progress: bool | None = ...,
    engine: str = ...,
    metadata: Literal[True],
) -> tuple[pd.DataFrame, pd.DataFrame]: ...


@checks_arguments
def read_runs(
    paths: file_io.PathLike | Iterable[file_io.PathLike] | Mapping[str, file_io.PathLike],
    *,
    names: Names = "file",
    encoding: str | None = None,
    progress: bool | None = None,
    engine: str = "pandas",
    metadata: bool = False,
) -> Any:
    """Read many run files into one DataFrame: run, query_id, doc_id, score, rank; file after file.

    Parameters
    ----------
    paths : path, pattern, folder, list of these, or dict of run name to path
        The files. All files of a folder are read, except hidden ones. Files of a folder or pattern are sorted by run
        name.
    names : {'file', 'tag'}
        How runs are named; see `read_run`. Two runs with the same name are an error; use a dict to name them.
    encoding : str, optional
        Encoding of files that are not UTF-8; see `read_run`.
    progress : bool, optional
        Whether to show a progress bar; by default in notebooks and interactive terminals, after one second.
    engine : {'pandas', 'dask'}
        Type of the DataFrame. 'dask' returns a Dask DataFrame with one partition per file, read when it is evaluated.
    metadata : bool
        Whether to return the ir_metadata headers of the files as well (YAML in comments between
        `# ir_metadata.start` and `# ir_metadata.end`, which needs PyYAML):
        `runs, metadata = read_runs(folder, metadata=True)`, one row per run, one column per value, e.g.
        `method.retrieval.1.name`. Pass it to verbs as `metadata=`, for `by=`.

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
    check_options(names, encoding)
    engine = one_of("engine", engine, ENGINES)
    files = run_files(paths, names=names, encoding=encoding)
    runs = ENGINES[engine](files, progress=progress)
    if not metadata:
        return runs
    return runs, metadata_of(files, runs["run"].unique().tolist() if engine == "pandas" else None)


@checks_arguments
def read_qrels(
    path: file_io.PathLike, *, subtopics: bool = False, encoding: str | None = None
) -> pd.DataFrame:
    """Read judgments from a TREC or parquet file: query_id, doc_id, relevance[, subtopic]; rows as in the file.

    Grades are integers if all of them are, else floats.

    Parameters
    ----------
    path : path
        A file of four columns: query, iteration or subtopic, doc, grade. Plain, .gz, .bz2, .zst; or .parquet, .csv
        or .tsv with named columns; see `read_run`.
    subtopics : bool, default False
        Whether to keep the second column, as `subtopic`.
    encoding : str, optional
        Encoding of the file if it is not UTF-8; see `read_run`.

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
    return from_arrow(qrels_table(Path(path), subtopics=subtopics, encoding=encoding))


def qrels_table(path: Path, *, subtopics: bool, encoding: str | None) -> pa.Table:
    """Return the judgments in a file as an Arrow table."""
    if not has_header(path):
        keep = ["query_id", "doc_id", "relevance"] + (["subtopic"] if subtopics else [])
        return read_columns(path, QRELS, keep, encoding=encoding)
    table = column_table(path, "qrels", encoding)
    return table.select([name for name in table.column_names if subtopics or name != "subtopic"])


def run_files(
    paths: file_io.PathLike | Iterable[file_io.PathLike] | Mapping[str, file_io.PathLike],
    *,
    names: Names,
    encoding: str | None = None,
    tag: bool = False,
) -> list[RunFile]:
    """Return the run files, with the names of their runs; two equal names are an error."""
    if isinstance(paths, Mapping):
        return [
            RunFile(file_io.path_of(path), str(name), given=True, tag=tag, encoding=encoding)
            for name, path in paths.items()
        ]
    files = file_io.expand(paths)
    if names == "tag":
        return [RunFile(path, None, tag=tag, encoding=encoding) for path in files]
    named = [(file_io.run_name(path), path) for path in files]
    _check_different(named)
    return [RunFile(path, name, tag=tag, encoding=encoding) for name, path in named]


def run_table(file: RunFile, *, threads: bool = True) -> pa.Table:
    """Return the run of a file as an Arrow table: run, query_id, doc_id, score, rank."""
    path, name, given, tagged, encoding = file
    if has_header(path):
        table = column_table(path, "runs", encoding)
        others = [column for column in table.column_names if column != "run"]
        if "run" in table.column_names and not given:
            return table.select(["run", *others])
        n_runs = len(pc.unique(table.column("run"))) if "run" in table.column_names else 1
        if n_runs > 1:
            raise ValueError(
                f"'{path}' contains {n_runs:,} runs, so it cannot be read as the single run {name!r}."
            )
        table = table.select(others)
        name = name or file_io.run_name(path)
    else:
        keep = ["query_id", "doc_id", "score", "rank", *(["tag"] if tagged or not name else [])]
        table = read_columns(
            path, RUN, keep, encoding=encoding, threads=threads, one_tag=name is None
        )
        name = table.column("tag")[0].as_py() if name is None else name
        table = table if tagged else table.select(keep[:4])
    return table.add_column(0, "run", repeated(name, table.num_rows))


def in_memory(run_files: list[RunFile], *, progress: bool | None = None) -> pd.DataFrame:
    """Return the runs of the files in one pandas frame."""
    return from_arrow(one_table(run_files, progress=progress))


def one_table(run_files: list[RunFile], *, progress: bool | None) -> pa.Table:
    """Return the runs of the files in one Arrow table; several files are read at a time.

    Two runs with the same name are an error.
    """
    size = len(run_files)
    pool = ThreadPoolExecutor(min(size, os.cpu_count() or 1))
    try:
        # one file is read in this thread, and its lines are parsed by several
        in_turn = map if size == 1 else pool.map
        read = in_turn(lambda file: run_table(file, threads=size == 1), run_files)
        tables = list(track(read, total=size, desc="reading runs", progress=progress))
    finally:
        pool.shutdown(cancel_futures=True)
    _check_different(
        (name, file.path)
        for file, table in zip(run_files, tables)
        for name in pc.unique(table.column("run")).to_pylist()
    )
    # permissive: ranks may be integers in one file and floats in another
    return pa.concat_tables(tables, promote_options="permissive")


def _check_different(names: Iterable[tuple[str, Path]]) -> None:
    first: dict[str, Path] = {}
    for name, path in names:
        if name in first:
            raise ValueError(
                f"two runs are named {name!r}: '{first[name]}' and '{path}'. Rename a file, or pass names: "
                f"read_runs({{{name!r}: ..., {name + '-2'!r}: ...}})."
            )
        first[name] = path


def check_options(names: str, encoding: str | None) -> Any:
    """Return the choice of `names`; raise if it is not one, or if the encoding is unknown."""
    check_encoding(encoding)
    return one_of("names", names, get_args(Names))


@checks_arguments
def read_collections(
    collections: file_io.PathLike | Mapping[str, file_io.PathLike | tuple[Any, file_io.PathLike]],
    *,
    names: Names = "file",
    subtopics: bool | Iterable[str] = False,
    encoding: str | None = None,
    progress: bool | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read the runs and judgments of many collections: two stacked DataFrames with a column `collection`.

    With by="collection", every verb evaluates each collection separately. Nothing is joined or paired across
    collections, and several collections may have the same query ids.

    Parameters
    ----------
    collections : path, or dict of name to folder or to (runs, judgments)
        A folder of collections, each a folder with its run files in `runs` and its judgments in `qrels.txt`, which may
        also be named `qrels`, end in .parquet, or be compressed. Collections are sorted by name; folders with neither
        are skipped. Or a dict of names to such folders, or to pairs of runs (see `read_runs`) and judgments (see
        `read_qrels`).
    names : {'file', 'tag'}
        How runs are named; see `read_run`. Runs with the same name in several collections are the same system.
    subtopics : bool or list of str
        Whether the second column of the judgments is a subtopic: in all collections, or the names of the collections.
    encoding : str, optional
        Encoding of files that are not UTF-8; see `read_run`.
    progress : bool, optional
        Whether to show a progress bar; by default in notebooks and interactive terminals, after one second.

    Returns
    -------
    tuple of DataFrame
        Runs: collection, run, query_id, doc_id, score, rank; and judgments: collection, query_id, doc_id,
        relevance[, subtopic]. The collections are categories, in their order.

    Examples
    --------
    >>> import pdeval, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name, grade in (("trec8", 1), ("core17", 2)):
    ...     (folder / name / "runs").mkdir(parents=True)
    ...     _ = (folder / name / "runs" / "bm25.run").write_text("301 Q0 d1 1 2.5 x\\n")
    ...     _ = (folder / name / "qrels.txt").write_text(f"301 0 d1 {grade}\\n")
    >>> runs, qrels = pdeval.read_collections(folder)
    >>> print(qrels.to_string(index=False))
    collection query_id doc_id  relevance
        core17      301     d1          2
         trec8      301     d1          1
    >>> print(runs.ireval.summary(qrels, "RR", by="collection")[["collection", "run", "mean"]].to_string(index=False))
    collection  run  mean
        core17 bm25   1.0
         trec8 bm25   1.0
    """
    check_options(names, encoding)
    locations = _locations(collections)
    with_subtopics = _with_subtopics(subtopics, list(locations))
    parts = []
    for name, (runs, qrels) in track(
        locations.items(), total=len(locations), desc="reading collections", progress=progress
    ):
        try:
            judgments = qrels_table(
                Path(qrels), subtopics=name in with_subtopics, encoding=encoding
            )
            files = run_files(runs, names=names, encoding=encoding)
            sides = one_table(files, progress=False), judgments
        except (ValueError, KeyError, OSError) as error:
            kind = next(
                kind
                for kind in (FileNotFoundError, KeyError, OSError, ValueError)
                if isinstance(error, kind)
            )
            text = error.args[0] if len(error.args) == 1 else error
            raise kind(f"in the collection {name!r}: {text}") from error
        parts.append([side.add_column(0, COLUMN, repeated(name, side.num_rows)) for side in sides])
    # permissive: ranks and grades may be integers in one collection and floats in another
    frames = [
        from_arrow(pa.concat_tables(side, promote_options="permissive")) for side in zip(*parts)
    ]
    for frame in frames:
        frame.attrs["collections"] = [COLUMN]
    return frames[0], frames[1]


def _locations(collections: Any) -> dict[str, tuple[Any, file_io.PathLike]]:
    """Return the paths of the runs and the judgments of each collection."""
    if isinstance(collections, Mapping):
        return {str(name): _location(str(name), place) for name, place in collections.items()}
    folder = Path(collections)
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise FileNotFoundError(
            f"'{folder}' {what}. Pass a folder of collections, or a dict of name to (runs, qrels)."
        )
    inside = sorted(
        (path for path in folder.iterdir() if path.is_dir() and path.name[0] != "."),
        key=lambda path: natural(path.name),
    )
    locations = {
        path.name: _location(path.name, path)
        for path in inside
        if (path / "runs").exists() or _qrels_of(path)
    }
    if not locations:
        raise FileNotFoundError(
            f"no collection in '{folder}'. A collection is a folder with its run files in 'runs' and its judgments "
            "in 'qrels.txt'."
        )
    return locations


def _location(name: str, place: Any) -> tuple[Any, file_io.PathLike]:
    """Return the paths of the runs and the judgments of a collection: a pair, or those in its folder."""
    if isinstance(place, tuple | list) and len(place) == 2:
        return place[0], place[1]
    if not isinstance(place, str | os.PathLike):
        raise TypeError(f"the collection {name!r} is {place!r}. Pass its folder, or (runs, qrels).")
    folder = Path(place)
    if not folder.is_dir():
        raise FileNotFoundError(
            f"in the collection {name!r}: the folder '{folder}' does not exist."
        )
    judgments = _qrels_of(folder)
    if not judgments:
        others = sorted(path.name for path in folder.glob("qrels*"))
        hint = (
            f" It has {', '.join(others[:3])}. Specify the file: "
            if others
            else " Specify their paths: "
        )
        raise FileNotFoundError(
            f"in the collection {name!r}: no judgments 'qrels.txt' in '{folder}'.{hint}{{{name!r}: (runs, qrels)}}."
        )
    if len(judgments) > 1:
        both = " and ".join(path.name for path in judgments[:2])
        raise ValueError(
            f"in the collection {name!r}: {both} could both be the judgments. Keep one of them in '{folder}'."
        )
    if not (folder / "runs").exists():
        raise FileNotFoundError(f"in the collection {name!r}: no folder 'runs' in '{folder}'.")
    return folder / "runs", judgments[0]


def _qrels_of(folder: Path) -> list[Path]:
    """Return the files of a folder that are named qrels, in any format."""
    return sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and file_io.run_name(path.name) == "qrels"
    )


def _with_subtopics(subtopics: bool | Iterable[str], known: list[str]) -> set[str]:
    if isinstance(subtopics, bool):
        return set(known) if subtopics else set()
    names = [subtopics] if isinstance(subtopics, str) else list(subtopics)
    if unknown := [name for name in names if name not in known]:
        raise KeyError(
            f"subtopics= has {unknown[0]!r}, which is not a collection. Collections: {', '.join(known[:9])}."
        )
    return set(names)


# functions from a list of run files to a DataFrame
ENGINES: dict[str, Callable[..., pd.DataFrame]] = {
    "pandas": in_memory,
    "dask": lambda *args, **options: import_module("pdeval.dask.accessor").read_runs(
        *args, **options
    ),
}
