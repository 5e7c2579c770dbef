"""Write runs and judgments to TREC and parquet files."""

import os
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pdeval.files.atomic_write import check_places, name_written, replacing
from pdeval.files.file_io import PathLike, compression, is_parquet, run_name
from pdeval.files.lines import TEXT, repeated
from pdeval.join import ids
from pdeval.tables import Table, numbers, read
from pdeval.verbs import checks_arguments

LONGEST = 255  # bytes of a file name
PREFIX = "input."  # prefix of run files at TREC; reading removes one
FOLDS_CASE = sys.platform in ("darwin", "win32")  # BM25.run and bm25.run are the same file


def run_paths(names: list[str], folder: Path, ending: str) -> list[Path]:
    """Return the file of each run; a name that a file cannot have, or that reading would change, is an error.

    A name that reading would shorten or skip ('input.x', '.hidden') gets another prefix `input.`.

    Examples
    --------
    >>> [path.name for path in run_paths(["bm25", "input.x", ".h"], Path("runs"), ".run")]
    ['bm25.run', 'input.input.x.run', 'input..h.run']
    """
    if is_parquet(Path(f"x{ending}")):
        raise ValueError(
            "write_runs writes TREC files; write_run(runs, 'all.parquet') writes all runs to one file."
        )
    paths = [folder / _file_name(name, ending) for name in names]
    first: dict[str, str] = {}
    for name, path in zip(names, paths):
        key = unicodedata.normalize("NFC", path.name).casefold() if FOLDS_CASE else path.name
        if key in first:
            raise ValueError(
                f"the runs {first[key]!r} and {name!r} would both be written to '{path}'. Rename one of them."
            )
        first[key] = name
    return paths


def _file_name(name: str, ending: str) -> str:
    """Return the name of the file of a run, with the prefix `input.` if reading would shorten or skip it."""
    # reading does not remove unknown endings; the runs can then be read by their tags
    known = run_name(f"x{ending}") == "x"
    for file in (f"{name}{ending}", f"{PREFIX}{name}{ending}"):
        if Path(file).name != file or "\0" in file:
            raise ValueError(
                f"the run name {name!r} cannot be a file name. Rename the run, or use write_run."
            )
        if not file.startswith(".") and (not known or run_name(file) == name):
            break
    else:
        raise ValueError(
            f"the run {name!r} would be read from '{file}' as {run_name(file)!r}. Rename the run, or use another "
            f"ending than {ending!r}, e.g. '.run'."
        )
    size = len(os.fsencode(file))
    if size > LONGEST:
        short = name if len(name) <= 40 else name[:37] + "..."
        raise ValueError(
            f"the file name of run {short!r} would have {size:,} bytes, but at most {LONGEST} are allowed. "
            "Rename the run, or write all runs to one .parquet file."
        )
    return file


def check_distinct(columns: dict[str, pa.DictionaryArray], joined: pa.DictionaryArray) -> None:
    """Raise an error if two runs, identified by several columns, would get the same joined name.

    Examples
    --------
    >>> model, seed, joined = (pa.array(x).dictionary_encode() for x in (["a-b", "a"], ["c", "b-c"], ["a-b-c"] * 2))
    >>> check_distinct({"model": model, "seed": seed}, joined)
    Traceback (most recent call last):
    ...
    ValueError: the runs ('a-b', 'c') and ('a', 'b-c') would both be named 'a-b-c'. Join their columns with another \
separator: runs.assign(run=runs['model'].astype(str) + '_' + runs['seed'].astype(str)).ireval(run='run').
    """
    codes = pd.DataFrame({name: column.indices for name, column in columns.items()})
    # the first row of each run, and the name of the run
    name_of_run = pd.Series(joined.indices.to_numpy())[~codes.duplicated()]
    again = name_of_run[name_of_run.duplicated()]
    if len(again):
        rows = name_of_run.index[name_of_run == again.iloc[0]][:2]
        both = " and ".join(
            str(tuple(column[row].as_py() for column in columns.values())) for row in rows
        )
        text = "".join(
            word for column in columns.values() for word in column.dictionary.to_pylist()
        )
        sign = next((sign for sign in "_+|=~" if sign not in text), "-and-")
        parts = f" + {sign!r} + ".join(f"runs[{name!r}].astype(str)" for name in columns)
        raise ValueError(
            f"the runs {both} would both be named {joined[rows[0]].as_py()!r}. Join their columns with another "
            f"separator: runs.assign(run={parts}).ireval(run='run')."
        )


ROWS = 1 << 16


@checks_arguments
def write_run(runs: pd.DataFrame, path: PathLike, *, name: str | None = None) -> None:
    """Write a run as a TREC file of six columns, rows in the frame's order, or a run table as parquet.

    Scores are written so that reading returns the same 64-bit number. If the table has no ranks, or ranks that are not
    integers, rows are ranked as by trec_eval: by descending score, equal scores by descending doc id. If it has no
    scores, minus the rank is written.

    Parameters
    ----------
    runs : DataFrame
        A run table, with one run unless it is written as parquet.
    path : path
        Path of the file. It is compressed if the name ends in .gz, .bz2 or .zst, and parquet if it ends in .parquet.
    name : str, optional
        Tag of the run; by default the name of the run, or of the file if the table has no run column.

    Examples
    --------
    >>> import pdeval, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "bm25.run"
    >>> frame = pd.DataFrame({"query_id": ["301", "301"], "doc_id": ["d1", "d2"], "score": [0.5, 1.5]})
    >>> pdeval.files.write_run(frame, path)
    >>> print(path.read_text(), end="")
    301 Q0 d1 2 0.5 bm25
    301 Q0 d2 1 1.5 bm25
    """
    path = Path(path)
    table = _table(runs, "runs", path)
    run = run_names(table)
    if is_parquet(path):
        run = run if name is None else repeated(name, len(table.frame))
        write_parquet(table, {} if run is None else {"run": run}, path)
        return
    names = [] if run is None else run.dictionary.take(pc.unique(run.indices)).to_pylist()
    if len(names) > 1:
        raise ValueError(
            f"the table has {len(names):,} runs, e.g. {', '.join(map(repr, names[:3]))}, but "
            "a TREC file has one. Use write_runs(runs, folder), or write a .parquet file."
        )
    write_lines(run_columns(table, run), name or (names[0] if names else run_name(path)), path)


def _table(frame: pd.DataFrame, kind: str, path: Path) -> Table:
    table = read(frame, kind)
    if len(table.frame) == 0:
        raise ValueError(f"the table has no rows to write to '{path}'.")
    return table


@checks_arguments
def write_runs(runs: pd.DataFrame, folder: PathLike, *, ending: str = ".run") -> list[Path]:
    """Write each run of a table to a separate TREC file and return the paths.

    Parameters
    ----------
    runs : DataFrame
        A run table.
    folder : path
        Folder of the files, created if it does not exist. File names are the run names with the ending, and the prefix
        `input.` if reading would shorten or skip them ('input.x', '.hidden'). All names are checked before the first
        file is written: a name that cannot be a file name, or that reading would change, is an error.
    ending : str, default '.run'
        Ending of the file names, e.g. '.run.gz' to compress. Use .run, .txt, .res or .trec, with or without .gz, .bz2
        or .zst: reading removes no other endings from the names. With `names='tag'`, any ending can be read.

    Raises
    ------
    OSError
        If the disk becomes full; the message lists the files that are complete.

    Examples
    --------
    >>> import pdeval, tempfile
    >>> frame = pd.DataFrame({"run": ["bm25", "ql"], "query_id": "301", "doc_id": "d1", "score": 1.0})
    >>> [path.name for path in pdeval.files.write_runs(frame, tempfile.mkdtemp(), ending=".run.gz")]
    ['bm25.run.gz', 'ql.run.gz']
    """
    folder = Path(folder)
    table = _table(runs, "runs", folder)
    run = run_names(table)
    if run is None:
        raise ValueError(
            "the table has no run column for the file names. Use write_run(runs, path)."
        )
    codes = run.indices.to_numpy()
    order = np.argsort(codes, kind="stable")
    present, bounds = np.unique(codes[order], return_index=True)
    names = run.dictionary.take(pa.array(present))
    # all names are checked before the first file is written
    check_words(names, "run name")
    paths = run_paths(names.to_pylist(), folder, ending)
    columns = run_columns(table, run)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(
            f"{folder} is a file. Pass a folder, in which one file per run is written."
        )
    folder.mkdir(parents=True, exist_ok=True)
    check_places(paths)
    with name_written(paths) as written:
        for rows, name, path in zip(np.split(order, bounds[1:]), names.to_pylist(), paths):
            write_lines([column.take(pa.array(rows)) for column in columns], name, path)
            written.append(path)
    return written


@checks_arguments
def write_qrels(qrels: pd.DataFrame, path: PathLike) -> None:
    """Write judgments as a TREC file of four columns, rows in the frame's order, or as parquet.

    The second column is the subtopic, or 0.

    Parameters
    ----------
    qrels : DataFrame
        A judgments table.
    path : path
        Path of the file. It is compressed if the name ends in .gz, .bz2 or .zst, and parquet if it ends in .parquet.

    Examples
    --------
    >>> import pdeval, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> pdeval.files.write_qrels(pd.DataFrame({"query_id": ["301"], "doc_id": ["d1"], "relevance": [2]}), path)
    >>> path.read_text()
    '301 0 d1 2\\n'
    """
    path = Path(path)
    table = _table(qrels, "qrels", path)
    grade = numbers(table.column("grade"), "grade")
    if not np.isfinite(grade).all():
        raise ValueError("the grade column has infinite values; grades must be finite numbers.")
    grades = _integers(grade)
    if is_parquet(path):
        write_parquet(table, {"relevance": grades}, path)
        return
    subtopic = _words(table, "subtopic") if "subtopic" in table else repeated("0", len(grades))
    write_lines([_words(table, "query"), subtopic, _words(table, "doc"), grades], None, path)


def run_names(table: Table) -> pa.DictionaryArray | None:
    """Return the run of each row, with the ids of several run columns joined by '-'; None without a run column."""
    columns = {name: _encoded(id_column(table.frame[name], "run")) for name in table.run_columns}
    if len(columns) <= 1:
        return next(iter(columns.values()), None)
    texts = [column.dictionary_decode() for column in columns.values()]
    joined = _encoded(pc.binary_join_element_wise(*texts, pa.scalar("-", TEXT)))
    check_distinct(columns, joined)
    return joined


def _encoded(column: pa.Array) -> pa.DictionaryArray:
    return column if pa.types.is_dictionary(column.type) else column.dictionary_encode()


def _decoded(column: pa.Array) -> pa.Array:
    return (column.dictionary_decode() if pa.types.is_dictionary(column.type) else column).cast(
        TEXT
    )


def id_column(column: pd.Series, role: str) -> pa.Array:
    """Return a column of ids as Arrow strings, or as a dictionary of strings if the column has codes."""
    rows = ids.column_ids(column, role)
    return (
        rows.as_text().cast(TEXT)
        if rows.codes is None or rows.values is None
        else pa.DictionaryArray.from_arrays(pa.array(rows.codes), rows.values.as_text().cast(TEXT))
    )


def _words(table: Table, role: str) -> pa.Array:
    """Return an id column as strings; raise if one cannot be a word of a TREC file."""
    column = id_column(table.column(role), role)
    check_words(
        column.dictionary if pa.types.is_dictionary(column.type) else column,
        f"{role} id",
        role == "query",
    )
    return column


def check_words(text: pa.Array, what: str, first: bool = False) -> None:
    """Raise an error at the first string that would not be read from a TREC file as one word."""
    reasons = {r"^$": "is empty", r"[\s\x0b\x00]": "contains white space"}
    if first:
        reasons[r"^(#|\x{feff})"] = "starts like a comment"
    for pattern, reason in reasons.items():
        row = pc.index(pc.match_substring_regex(text, pattern), True).as_py()
        if row >= 0:
            change = "Rename the run" if what == "run name" else "Change the ids"
            raise ValueError(
                f"the {what} {text[row].as_py()!r} {reason}: white space separates the columns of TREC files. "
                f"{change}, or write a .parquet file."
            )


def run_columns(table: Table, run: pa.DictionaryArray | None) -> list[pa.Array]:
    """Return the first five columns of a run file: query, Q0, doc, rank, score."""
    query, doc = _words(table, "query"), _words(table, "doc")
    score = (
        numbers(table.column("score"), "score")
        if "score" in table
        else -numbers(table.column("rank"), "rank")
    )
    rank = (
        _integers(table.column("rank").to_numpy(dtype=np.float64, na_value=np.nan))
        if "rank" in table
        else pa.nulls(len(score))
    )
    if not pa.types.is_integer(rank.type):
        rank = pa.array(counted_ranks(run, query, doc, score))
    return [query, repeated("Q0", len(doc)), doc, rank, pa.array(score)]


def _integers(values: np.ndarray) -> pa.Array:
    """Return the values as integers, or as they are if one of them is not an integer."""
    try:
        return pc.cast(pa.array(values), pa.int64())
    except pa.ArrowInvalid:
        return pa.array(values)


def counted_ranks(
    run: pa.DictionaryArray | None, query: pa.Array, doc: pa.Array, score: np.ndarray
) -> np.ndarray:
    """Return ranks from 1 as trec_eval assigns them: by descending score, equal scores by descending doc id."""
    queries = _encoded(query)
    part = queries.indices.to_numpy().astype(np.int64)
    if run is not None:
        part += run.indices.to_numpy() * np.int64(len(queries.dictionary))
    order = pc.sort_indices(
        pa.table({"part": part, "score": score, "doc": _decoded(doc)}),
        sort_keys=[("part", "ascending"), ("score", "descending"), ("doc", "descending")],
    ).to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = pd.Series(part[order]).groupby(part[order]).cumcount() + 1
    return rank


def write_lines(columns: list[pa.Array], tag: str | None, path: Path) -> None:
    """Write columns separated by one space, and a last column that repeats the tag."""
    n = len(columns[0])
    if tag is not None:
        check_words(pa.array([tag], TEXT), "run name")
        columns = [*columns, repeated(tag, n)]
    with (
        replacing(path) as temporary,
        pa.output_stream(str(temporary), compression=compression(path)) as sink,
    ):
        for first in range(0, n, ROWS):
            texts = [_decoded(column.slice(first, ROWS)) for column in columns]
            joined = pc.binary_join_element_wise(*texts, pa.scalar(" ", TEXT))
            lines = pc.binary_join_element_wise(joined, pa.scalar("\n", TEXT), pa.scalar("", TEXT))
            offsets, data = ids.buffers(lines)
            # the strings of an Arrow array are contiguous: they are the lines of the file
            sink.write(data[offsets[0] : offsets[-1]].tobytes())


def write_parquet(table: Table, columns: dict[str, pa.Array], path: Path) -> None:
    """Write a table under pdeval's names, with ids as strings and other columns unchanged."""
    import pyarrow.parquet as pq

    ours = {"query": "query_id", "doc": "doc_id", "grade": "relevance"}
    names = {column: ours.get(role, role) for role, column in table.roles.items()}
    columns |= {
        ours.get(role, role): id_column(table.column(role), role)
        for role in ("query", "doc", "subtopic")
        if role in table
    }
    others = [str(name) for name in table.frame.columns if names.get(name, name) not in columns]
    rest = pa.Table.from_pandas(table.frame[others].rename(columns=names), preserve_index=False)
    first = [
        name for name in ("run", "query_id", "doc_id", "relevance", "subtopic") if name in columns
    ]
    written = pa.table(
        [columns[name] for name in first] + rest.columns, names=first + rest.column_names
    )
    with replacing(path) as temporary:
        pq.write_table(written.replace_schema_metadata(None), temporary, compression="zstd")
