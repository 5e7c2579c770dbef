"""Nuggets of answers in JSON lines, as the nuggetizer and open-nuggetizer write them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pdeval.files import file_io
from pdeval.files.atomic_write import replacing
from pdeval.files.tabular import file_text
from pdeval.tables import read
from pdeval.verbs import checks_arguments

# ids in the files of both tools, and their columns
_NAMES = {"qid": "query_id", "query_id": "query_id", "run_id": "run", "run": "run"}


@checks_arguments
def read_nuggets(
    paths: file_io.PathLike | Iterable[file_io.PathLike] | Mapping[str, file_io.PathLike],
    *,
    encoding: str | None = None,
) -> pd.DataFrame:
    """Read nuggets, or their assignments to answers, from JSON lines.

    A line is an answer with its `nuggets` (text, importance, assignment), as in files of the nuggetizer, or one nugget
    (qid, nugget_id, nugget, importance, assignment), as in tables of open-nuggetizer.

    Parameters
    ----------
    paths : path, pattern, folder, list of these, or dict of run name to path
        The files. A run is named by its `run_id`, or after its file.
    encoding : str, optional
        Encoding of files that are not UTF-8.

    Returns
    -------
    DataFrame
        One row per run, query and nugget: run, query_id, nugget, importance, assignment, and if the file has them
        length (of `answer_text`, in characters) and other fields. The text of a nugget is its id; a text that a
        query repeats gets a number. Files without assignments have no run: they are `nuggets=` of `measure`.

    Examples
    --------
    >>> import pdeval, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rag.jsonl"
    >>> _ = path.write_text('{"qid": "1", "run_id": "rag", "nuggets": [{"text": "Python is a language", '
    ...                     '"importance": "vital", "assignment": "support"}]}')
    >>> pdeval.read_nuggets(path)
       run query_id                nugget importance assignment
    0  rag        1  Python is a language      vital    support
    """
    parts = [
        _rows(path, name, encoding)
        for name, several in (paths if isinstance(paths, Mapping) else {None: paths}).items()
        for path in file_io.expand(several)
    ]
    frame = pd.concat(parts, ignore_index=True)
    ids = [name for name in ("run", "query_id") if name in frame]
    if "nugget_id" not in frame:
        # a text that an answer repeats gets a number
        number = frame.groupby([*ids, "nugget"], dropna=False).cumcount() + 1
        frame["nugget"] = frame["nugget"].where(
            number == 1, frame["nugget"] + " (" + number.astype(str) + ")"
        )
    first = [*ids, "nugget_id", "nugget", "importance", "assignment", "length"]
    first = [name for name in first if name in frame]
    return frame[[*first, *(name for name in frame if name not in first)]]


def _rows(path: Path, run: str | None, encoding: str | None) -> pd.DataFrame:
    """Return the nuggets of a file, one row each."""
    lines = file_text(path, encoding).decode().splitlines()
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                rows += _nuggets(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as fault:
                raise ValueError(
                    f"'{path}', line {number:,} is not an answer with nuggets ({type(fault).__name__}: {fault}). "
                    "Expected JSON lines with qid and nuggets (text, importance, assignment)."
                ) from None
    if not rows:
        raise ValueError(f"'{path}' has no nuggets.")
    frame = pd.DataFrame(rows)
    if run is not None or ("assignment" in frame and "run" not in frame):
        name = file_io.run_name(path).removesuffix(".jsonl") if run is None else run
        frame = frame.assign(run=name)
    return frame


def _nuggets(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the nuggets of a line, each with the fields of its answer."""
    ids = {_NAMES[name]: str(record[name]) for name in record if name in _NAMES}
    if "query_id" not in ids:
        raise KeyError("qid")
    if "nuggets" not in record:
        yield {**ids, **{name: value for name, value in record.items() if name not in _NAMES}}
        return
    length = record.get("length", len(record.get("answer_text") or "") or None)
    ids |= {} if length is None else {"length": length}
    yield from (
        {
            **ids,
            "nugget": nugget["text"],
            **{name: value for name, value in nugget.items() if name != "text"},
        }
        for nugget in record["nuggets"]
    )


@checks_arguments
def write_nuggets(nuggets: pd.DataFrame, path: file_io.PathLike) -> None:
    """Write a table of nuggets as JSON lines of the nuggetizer: one line per answer.

    Parameters
    ----------
    nuggets : DataFrame
        A table of nuggets: run, query, nugget, assignment, maybe importance, length and the assignment by a machine.
        Missing assignments are null.
    path : path
        Path of the file.

    Examples
    --------
    >>> import pdeval, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rag.jsonl"
    >>> table = pd.DataFrame({"run": ["rag"], "query_id": ["1"], "nugget": ["n1"], "assignment": ["support"]})
    >>> pdeval.write_nuggets(table, path)
    >>> path.read_text()
    '{"run_id": "rag", "qid": "1", "nuggets": [{"text": "n1", "assignment": "support"}]}\\n'
    """
    table = read(nuggets, "nuggets")
    if len(table.run_columns) > 1:
        raise ValueError(
            f"{len(table.run_columns)} columns identify the runs. Join them first, e.g. "
            "df.assign(run=df['model'] + '-' + df['seed'].astype(str))."
        )
    frame = table.frame
    has_id = table.roles["nugget"] != "nugget" and "nugget" in frame
    names = {
        **({table.roles["nugget"]: "nugget_id"} if has_id else {}),
        ("nugget" if has_id else table.roles["nugget"]): "text",
        **{
            table.roles[role]: role
            for role in ("importance", "assignment", "machine")
            if role in table
        },
    }
    of_answer = dict.fromkeys(table.run_columns, "run_id") | {table.roles["query"]: "qid"}
    ids = list(of_answer)
    of_answer |= {table.roles["length"]: "length"} if "length" in table else {}
    answer = frame.groupby(ids, sort=False, observed=True).ngroup().to_numpy()
    order = np.argsort(answer, kind="stable")
    start = np.flatnonzero(np.diff(answer[order], prepend=-1))
    values = frame[list(names)].iloc[order].rename(columns=names).astype(object)
    # JSON has no NaN
    nuggets_of_row = values.where(values.notna(), None).to_dict("records")
    answers = frame[list(of_answer)].iloc[order[start]].rename(columns=of_answer)
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for record, first, end in zip(answers.to_dict("records"), start, [*start[1:], len(order)]):
            record["nuggets"] = nuggets_of_row[first:end]
            file.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")
