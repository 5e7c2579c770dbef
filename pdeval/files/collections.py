"""Reads the runs and judgments of many collections into two frames, with a column that tells them apart."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from pdeval.files import file_io
from pdeval.files.file_io import PathLike
from pdeval.files.lines import check_encoding
from pdeval.files.reading import Names, check_names, one_table, qrels_table, run_files, tables
from pdeval.tables import arrow
from pdeval.tables.labels import natural
from pdeval.verbs.checks import checks_arguments
from pdeval.verbs.progress import track

COLUMN = "collection"
RUNS, QRELS = "runs", "qrels"
Place = tuple[Any, PathLike]


@checks_arguments
def read_collections(
    collections: PathLike | Mapping[str, PathLike | tuple[Any, PathLike]],
    *,
    names: Names = "file",
    subtopics: bool | Iterable[str] = False,
    encoding: str | None = None,
    progress: bool | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the runs and the judgments of many collections, on each other: two frames with a column `collection`.

    Every verb asked with by="collection" then works within each: nothing is joined or paired across collections, and
    the same query id may be in several of them.

    Parameters
    ----------
    collections : path, or dict of name to folder or to (runs, judgments)
        A folder of collections, each a folder with its run files in `runs` and its judgments in `qrels.txt`, which may
        be called `qrels`, end in .parquet, or be compressed; they are sorted by name, and folders with neither are
        passed over. Or by name such a folder, or both places: runs as `read_runs` takes them, judgments as `read_qrels`
        does.
    names : {'file', 'tag'}
        What runs are named after; see `read_run`. A run of the same name in another collection is the same system.
    subtopics : bool or list of str
        Whether the second column of judgments is a subtopic: of all collections, or of those named; the others then
        have none.
    encoding : str, optional
        What those files are in that are not UTF-8; see `read_run`.
    progress : bool, optional
        Whether to show a bar; by default if it takes more than a second and somebody is watching.

    Returns
    -------
    tuple of DataFrame
        runs: collection, run, query_id, doc_id, score, rank; and judgments: collection, query_id, doc_id,
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
    check_names(names)
    check_encoding(encoding)
    found = _places(collections)
    kept = _with_subtopics(subtopics, list(found))
    read: list[tuple[pa.Table, pa.Table]] = []
    for name, (runs, qrels) in track(found.items(), total=len(found), desc="reading collections", progress=progress):
        try:
            judgments = qrels_table(Path(qrels), subtopics=name in kept, encoding=encoding)
            wanted = [file._replace(encoding=encoding) for file in run_files(runs, names=names)]
            both = one_table(list(tables(wanted, progress=False))), judgments
        except (ValueError, KeyError, OSError) as error:
            raise _told(name, error) from error
        read.append((_labelled(both[0], name), _labelled(both[1], name)))
    frames = [_stacked(parts, number) for parts, number in zip(zip(*read), ("rank", "relevance"))]
    for frame in frames:
        frame.attrs["collections"] = [COLUMN]
    return frames[0], frames[1]


def _told(name: str, error: Exception) -> Exception:
    """Return an error that says which collection it is about."""
    text = f"in the collection {name!r}: {error.args[0] if len(error.args) == 1 else error}"
    kinds = (FileNotFoundError, KeyError, OSError, ValueError)
    return next(kind for kind in kinds if isinstance(error, kind))(text)


def _places(collections: Any) -> dict[str, Place]:
    """Return where the runs and the judgments of each collection are."""
    if isinstance(collections, Mapping):
        return {str(name): _place(str(name), place) for name, place in collections.items()}
    folder = Path(collections)
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise FileNotFoundError(f"'{folder}' {what}; give a folder of collections, or a dict of name to (runs, qrels).")
    inside = sorted((one for one in folder.iterdir() if one.is_dir() and one.name[0] != "."), key=_by_name)
    found = {one.name: _in_folder(one.name, one) for one in inside if (one / RUNS).exists() or _qrels_of(one)}
    if not found:
        raise FileNotFoundError(
            f"no collection in '{folder}': a collection is a folder with its run files in '{RUNS}' and its judgments "
            f"in '{QRELS}.txt'."
        )
    return found


def _by_name(path: Path) -> Any:
    return natural(path.name)


def _place(name: str, place: Any) -> Place:
    if isinstance(place, str | os.PathLike):
        return _in_folder(name, Path(place))
    if not isinstance(place, tuple | list) or len(place) != 2:
        raise TypeError(f"the collection {name!r} is {place!r}; give its folder, or (runs, qrels).")
    return place[0], place[1]


def _in_folder(name: str, folder: Path) -> Place:
    """Return the runs and the judgments in the folder of a collection, or say what it lacks."""
    if not folder.is_dir():
        raise FileNotFoundError(f"in the collection {name!r}: there is no folder '{folder}'.")
    judgments = _qrels_of(folder)
    if not judgments:
        other = sorted(one.name for one in folder.glob(f"{QRELS}*"))
        hint = f" It has {', '.join(other[:3])}: say which, " if other else " Say where they are, "
        raise FileNotFoundError(
            f"in the collection {name!r}: no judgments '{QRELS}.txt' in '{folder}'.{hint}{{{name!r}: (runs, qrels)}}."
        )
    if len(judgments) > 1:
        both = " and ".join(one.name for one in judgments[:2])
        raise ValueError(f"in the collection {name!r}: {both} could be its judgments; keep one in '{folder}'.")
    if not (folder / RUNS).exists():
        raise FileNotFoundError(f"in the collection {name!r}: no folder '{RUNS}' in '{folder}'.")
    return folder / RUNS, judgments[0]


def _qrels_of(folder: Path) -> list[Path]:
    """Return the files of a folder that are called qrels, whatever their format."""
    return sorted(one for one in folder.iterdir() if one.is_file() and file_io.run_name(one.name) == QRELS)


def _with_subtopics(subtopics: bool | Iterable[str], known: list[str]) -> set[str]:
    if isinstance(subtopics, bool):
        return set(known) if subtopics else set()
    wanted = [subtopics] if isinstance(subtopics, str) else list(subtopics)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise KeyError(f"subtopics names {unknown[0]!r}, which is no collection; there are {', '.join(known[:9])}.")
    return set(wanted)


def _labelled(table: pa.Table, name: str) -> pa.Table:
    """Return a table with the name of its collection in front."""
    codes = pa.array([0], pa.int32()).take(pa.nulls(table.num_rows, pa.int32()).fill_null(0))
    return table.add_column(0, COLUMN, pa.chunked_array([pa.DictionaryArray.from_arrays(codes, pa.array([name]))]))


def _stacked(parts: Iterable[pa.Table], number: str) -> pd.DataFrame:
    """Return tables on each other; a column of whole numbers in one and of others in the next is one of floats."""
    read = list(parts)
    if len({table.schema.field(number).type for table in read if number in table.column_names}) > 1:
        read = [_floats(table, number) for table in read]
    return arrow.frame(pa.concat_tables(read, promote_options="default"))


def _floats(table: pa.Table, number: str) -> pa.Table:
    if number not in table.column_names:
        return table
    return table.set_column(table.column_names.index(number), number, table.column(number).cast(pa.float64()))
