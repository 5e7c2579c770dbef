"""What the files of runs are called, so that reading them gives the runs their names back."""

from __future__ import annotations

import os
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from pdeval.trec.files import is_parquet, run_name

LONGEST = 255  # bytes: what file systems take for a name
PREFIX = "input."  # as TREC calls the files of runs; reading takes one off
FOLDS_CASE = sys.platform in ("darwin", "win32")  # where BM25.run and bm25.run are one file


def run_paths(names: list[str], folder: Path, ending: str) -> list[Path]:
    """Return the file of each run; a name that a file cannot have, or would not give back, is an error.

    A name that reading would shorten or skip ('input.x', '.hidden') is written behind another `input.`.

    Examples
    --------
    >>> [path.name for path in run_paths(["bm25", "input.x", ".h"], Path("runs"), ".run")]
    ['bm25.run', 'input.input.x.run', 'input..h.run']
    """
    if is_parquet(Path(f"x{ending}")):
        raise ValueError("write_runs writes TREC files; write_run(runs, 'all.parquet') writes all runs to one file.")
    paths = [folder / file_name(name, ending) for name in names]
    first: dict[str, str] = {}
    for name, path in zip(names, paths):
        key = unicodedata.normalize("NFC", path.name).casefold() if FOLDS_CASE else path.name
        if key in first:
            raise ValueError(f"the runs {first[key]!r} and {name!r} would both be written to '{path}'; rename one.")
        first[key] = name
    return paths


def file_name(name: str, ending: str) -> str:
    """Return what the file of a run is called.

    Examples
    --------
    >>> file_name("x.gz", ".run"), file_name("input.x", ".run.gz")
    ('x.gz.run', 'input.input.x.run.gz')
    """
    # an ending that reading does not know stays on every name; the runs are then read back by their tags
    known = run_name(f"x{ending}") == "x"
    for file in (f"{name}{ending}", f"{PREFIX}{name}{ending}"):
        if Path(file).name != file or "\0" in file:
            raise ValueError(f"the run name {name!r} cannot be a file's name; rename the run or use write_run.")
        if not file.startswith(".") and (not known or run_name(file) == name):
            break
    else:
        raise ValueError(
            f"the run {name!r} would be read back from '{file}' as {run_name(file)!r}; rename the run, or choose "
            f"another ending than {ending!r}, e.g. '.run'."
        )
    size = len(os.fsencode(file))
    if size > LONGEST:
        shown = name if len(name) <= 40 else name[:37] + "..."
        raise ValueError(
            f"the run name {shown!r} makes a file name of {size:,} bytes, and a file system takes {LONGEST}; "
            "rename the run, or write all runs to one .parquet file."
        )
    return file


def check_apart(columns: dict[str, pa.DictionaryArray], joined: pa.DictionaryArray) -> None:
    """Raise an error if two runs, each named by several columns, are joined to one name.

    Examples
    --------
    >>> model, seed, joined = (pa.array(x).dictionary_encode() for x in (["a-b", "a"], ["c", "b-c"], ["a-b-c"] * 2))
    >>> check_apart({"model": model, "seed": seed}, joined)
    Traceback (most recent call last):
    ...
    ValueError: the runs ('a-b', 'c') and ('a', 'b-c') would both be called 'a-b-c'. Join their columns by another \
sign: runs.assign(run=runs['model'].astype(str) + '_' + runs['seed'].astype(str)).ireval(run='run').
    """
    of_name = joined.indices.to_numpy()
    run = of_name
    for column in columns.values():
        # numbered anew after each column, so that the product stays below rows times ids
        run = pd.factorize(run.astype(np.int64) * len(column.dictionary) + column.indices.to_numpy())[0]
    first = np.flatnonzero(~pd.Series(run).duplicated())
    again = np.flatnonzero(pd.Series(of_name[first]).duplicated())
    if len(again):
        other = int(first[again[0]])
        one = int(first[np.argmax(of_name[first] == of_name[other])])
        both = " and ".join(str(tuple(column[row].as_py() for column in columns.values())) for row in (one, other))
        text = "".join(word for column in columns.values() for word in column.dictionary.to_pylist())
        sign = next((sign for sign in "_+|=~" if sign not in text), "-and-")
        parts = f" + {sign!r} + ".join(f"runs[{name!r}].astype(str)" for name in columns)
        raise ValueError(
            f"the runs {both} would both be called {joined[one].as_py()!r}. Join their columns by another sign: "
            f"runs.assign(run={parts}).ireval(run='run')."
        )
