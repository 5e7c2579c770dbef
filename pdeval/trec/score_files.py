"""Reads the scores that other tools wrote to files: trec_eval, ir_measures, BEIR, MTEB, ranx, and tables."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from pdeval.kinds.frames import frame as frame_of
from pdeval.kinds.vocabularies import names_of
from pdeval.mechanics.declared import checks_arguments
from pdeval.trec import files
from pdeval.trec.encodings import as_utf8, check_encoding
from pdeval.trec.files import PathLike
from pdeval.trec.line_faults import BOM
from pdeval.trec.score_layouts import MEANS, of_json, of_text
from pdeval.trec.wide_scores import scores

Names = Literal["file", "tag"]
META = "model_meta.json"  # what MTEB writes beside its results


@checks_arguments
def read_scores(
    paths: PathLike | Iterable[PathLike] | Mapping[str, PathLike],
    *,
    names: Names = "file",
    measures: Sequence[str] | None = None,
    higher: bool | Mapping[str, bool] | None = None,
    topics: Literal["answered", "common"] | None = None,
    encoding: str | None = None,
) -> pd.DataFrame:
    """Return the scores in files of other tools as one scores table, which has `.order()`, `.compare()`, `.report()`.

    Understood are what `trec_eval -q` and `ir_measures -q` print (and their means, without -q), ir_measures' JSON
    lines, results of BEIR and MTEB and reports of ranx in JSON, and CSV, TSV or parquet with one row per value or one
    column per measure. Lines of means are left out where there are queries; where a file has means alone, the query is
    the collection (MTEB's task) or 'all'.

    Parameters
    ----------
    paths : path, pattern, folder, list of these, or dict of run name to path
        The files. The same run may stand in several, each with other queries, measures or collections.
    names : {'file', 'tag'}
        Name a run after its file, less .eval .txt .json and compression, or by the `runid` that trec_eval prints.
        A run that the file itself names keeps its name; results of MTEB are named after their model, or its folder.
    measures : list of str, optional
        The labels to keep; by default all.
    higher : bool or mapping of measure to bool, optional
        Whether more is better, for measures that the catalog does not know.
    topics : {'answered', 'common'}, optional
        What to do where runs have different queries: keep them all, or those that every run has. By default they are
        kept, with a warning.
    encoding : str, optional
        What those files are in that are not UTF-8.

    Returns
    -------
    DataFrame
        One row per run, query and measure: run, query_id, measure, value. Most tools print four decimals: ties may be
        rounding.

    Examples
    --------
    >>> import pdeval, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "bm25.eval").write_text("map 301 0.25\\nmap 302 0.75\\nmap all 0.5\\n")
    >>> _ = (folder / "ql.eval").write_text("map 301 0.50\\nmap 302 0.80\\nmap all 0.65\\n")
    >>> pdeval.read_scores(folder).ireval.order()
        run measure method  score  rank
    0    ql     map   mean   0.65     1
    1  bm25     map   mean   0.50     2
    """
    if names not in ("file", "tag"):
        raise ValueError(f"names={names!r} is not a choice; runs are named after their 'file' or their 'tag'.")
    if topics not in (None, "answered", "common"):
        raise ValueError(f"topics={topics!r}: choose 'answered' or 'common'.")
    check_encoding(encoding)
    parts = []
    for path, name in _named_files(paths):
        part = _rows(path, encoding)
        own = "run" if "run" in part.columns and part["run"].notna().all() else None
        if name is not None or own is None or (names == "file" and _is_text(path)):
            part = part.assign(run=name or _run_name(path))
        parts.append(part.assign(_file=str(path)))
    return _together(parts, measures, higher, topics)


def _named_files(paths: Any) -> list[tuple[Path, str | None]]:
    pairs: list[tuple[Path, str | None]]
    if isinstance(paths, Mapping):
        pairs = [(file, str(name)) for name, path in paths.items() for file in files.expand(path)]
    else:
        pairs = [(file, None) for file in files.expand(paths)]
    return [(path, name) for path, name in pairs if path.name != META]


def _is_text(path: Path) -> bool:
    return _ending(path) not in (".json", ".csv", ".tsv", ".parquet")


def _ending(path: Path) -> str:
    return (path.with_suffix("") if files.compression(path) else path).suffix.lower()


def _run_name(path: Path) -> str:
    """Return the name of a run from its file; of a result of MTEB, that of its model."""
    if _ending(path) == ".json":
        beside = path.parent / META
        if beside.is_file():
            return str(json.loads(beside.read_text(encoding="utf-8")).get("name") or path.parent.name)
    name = files.run_name(path)
    ending = next((one for one in (".eval", ".json", ".jsonl", ".scores") if name.lower().endswith(one)), "")
    return name[: len(name) - len(ending)] or name


def _rows(path: Path, encoding: str | None) -> pd.DataFrame:
    """Return the rows of a file: maybe run, query_id, measure, value; ids as text."""
    if files.is_parquet(path):
        files.check_present(path)
        return _tidy(pd.read_parquet(path), path)
    text = as_utf8(b"".join(piece for _, piece in files.contents(path)), path=path, encoding=encoding)
    held = text.removeprefix(BOM).decode()
    if held.lstrip().startswith(("{", "[")):
        return of_json(held, path)
    if _ending(path) in (".csv", ".tsv"):
        separator = "\t" if _ending(path) == ".tsv" else ","
        return _tidy(_separated(held, separator, path), path)
    return of_text(held, path)


def _separated(text: str, separator: str, path: Path) -> pd.DataFrame:
    """Return a CSV or TSV file, ids as text."""
    from pyarrow import csv

    if not text.strip():
        raise ValueError(f"'{path}' is empty.")
    texts = {name: pa.string() for name in (*names_of("run"), *names_of("query"))}
    try:
        table = csv.read_csv(
            pa.BufferReader(text.encode()),
            parse_options=csv.ParseOptions(delimiter=separator),
            convert_options=csv.ConvertOptions(column_types=texts),
        )
    except pa.ArrowInvalid as fault:
        raise ValueError(f"'{path}' cannot be read as columns separated by {separator!r}: {fault}") from fault
    return frame_of(table)


def _tidy(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return a table of scores, long or wide, under pdeval's own names."""
    try:
        made = scores(frame)
    except (ValueError, KeyError) as fault:
        raise ValueError(f"'{path}': {fault.args[0]}") from None
    runs = made.attrs["run_columns"]
    if len(runs) > 1:
        raise ValueError(f"'{path}' names its runs by {', '.join(runs)}: read it with pandas, then pdeval.scores(...).")
    named = made.rename(columns={runs[0]: "run", made.attrs["query_column"]: "query_id"})
    return named if runs[0] in frame.columns else named.assign(run=None)


def _together(parts: list[pd.DataFrame], measures: Any, higher: Any, topics: str | None) -> pd.DataFrame:
    """Return the rows of all files in one table; what contradicts itself is an error, what is uneven is told."""
    whole = pd.concat(parts, ignore_index=True).astype({"run": str, "query_id": str, "measure": str})
    if measures is not None:
        whole = whole[whole["measure"].isin(measures)] if set(measures) & set(whole["measure"]) else whole
    key = ["run", "query_id", "measure"]
    again = whole.duplicated(key)
    if again.any():
        row = whole[again].iloc[0]
        both = whole[(whole[key] == row[key]).all(axis=1)]["_file"].unique()
        where = " and ".join(f"'{one}'" for one in both[:2])
        raise ValueError(
            f"{int(again.sum()):,} values are there twice, e.g. {row['measure']} of run {row['run']!r} for query "
            f"{row['query_id']!r}, in {where}. Name the runs of files: read_scores({{'bm25': path, ...}})."
        )
    made = scores(whole.drop(columns="_file"), measures=measures, higher=higher, run="run", query="query_id")
    attrs = made.attrs
    made = _even(made, topics)
    made.attrs = attrs
    return made


def _even(made: pd.DataFrame, topics: str | None) -> pd.DataFrame:
    """Return scores whose runs have the same queries where that is asked for; else say how they differ."""
    has = pd.crosstab(made["query_id"], made["run"]).to_numpy() > 0
    if topics == "answered" or has.all():
        return made
    queries, runs = np.unique(made["query_id"]), np.unique(made["run"])
    common = queries[has.all(axis=1)]
    if MEANS in queries and len(queries) > 1:
        lone = runs[has[queries == MEANS][0]][0]
        raise ValueError(f"run {lone!r} has means alone, others have queries: print it with -q, or leave it out.")
    if not len(common):
        raise ValueError(
            f"no query is common to all {len(runs):,} runs, so that nothing compares them: e.g. {runs[0]!r} has "
            f"{queries[has[:, 0]][0]!r}, {runs[-1]!r} has {queries[has[:, -1]][0]!r}. Read the files of one set of "
            "queries at a time."
        )
    if topics == "common":
        return made[made["query_id"].isin(common)].reset_index(drop=True)
    least = int(has.sum(axis=0).argmin())
    warnings.warn(
        f"runs have different queries: {len(common):,} of {len(queries):,} are common to all, run {runs[least]!r} has "
        f"{int(has[:, least].sum()):,}. Means are over the queries of each run; topics='common' keeps the common ones.",
        stacklevel=4,
    )
    return made
