"""What the accessor says about a table: its kind, its size, and what can be done next. All of it comes from schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pdeval.accessor.suggestions import nearly
from pdeval.join import ids, lists
from pdeval.join.judged import Judged
from pdeval.tables import reader
from pdeval.tables.recognition import kind_of
from pdeval.tables.schemas import SCHEMAS


def describe(frame: pd.DataFrame, binding: Mapping[str, Any]) -> str:
    """Return one line about a frame.

    Examples
    --------
    >>> describe(pd.DataFrame({"x": [1]}), {})
    'a table that pdeval does not recognise (columns x); bind its roles: df.ireval(query=..., doc=..., score=...)'
    """
    kind = kind_of(frame, binding)
    if kind is None:
        return _unrecognised(frame, binding)
    schema = SCHEMAS[kind]
    if len(frame) == 0:
        return f"{schema.article} without rows"
    known = SIZES.get(kind)
    try:
        size = (
            many(len(frame), "row") if known is None else known(reader.read(frame, kind, binding))
        )
    except (ValueError, KeyError) as error:
        return f"{schema.article} with a fault: {error.args[0]}"
    labels = (
        " with machine labels"
        if kind in ("scores", "preferences") and "machine" in frame.columns
        else ""
    )
    return f"{schema.says}{labels}: {size}" + (f"; next: {schema.then}" if schema.then else "")


def join_described(judged: Judged) -> str:
    """Return one line about a join."""
    return f"runs joined to judgments: {size_of_join(judged)}; next: .measure(), .prefer(), .order(), .compare()"


def size_of_join(judged: Judged) -> str:
    """Return how many runs and queries a join has; where some of these do not count, how many do.

    Examples
    --------
    >>> import pdeval
    >>> size_of_join(pdeval.datasets.sample_judged(topics="common"))
    '12 runs x 48 of 50 queries'
    """
    counted = int(judged.counted().any(axis=1).sum())
    queries = many(len(judged.queries), "query", "queries")
    if counted < len(judged.queries):
        queries = f"{counted:,} of {queries}"
    return f"{many(len(judged.runs), 'run')} x {queries}"


def many(count: int, one: str, more: str | None = None) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> many(1, "query", "queries"), many(2, "run")
    ('1 query', '2 runs')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def _unrecognised(frame: pd.DataFrame, binding: Mapping[str, Any]) -> str:
    columns = ", ".join(map(str, list(frame.columns)[:8]))
    text = f"a table that pdeval does not recognise (columns {columns})"
    try:
        reader.not_in_the_index(frame, binding)
    except ValueError as error:
        return f"{text}: {error}"
    return f"{text}; {nearly(frame) or 'bind its roles: df.ireval(query=..., doc=..., score=...)'}"


def _runs(table: reader.Table) -> str:
    run_lists = lists.find_lists(table)
    by = "score" if "score" in table else "rank"
    size = (
        f"{many(len(run_lists.runs), 'run')} x {many(len(run_lists.queries), 'query', 'queries')}"
    )
    return f"{size}, {many(len(table.frame), 'row')}, ranked by {by}"


def _qrels(table: reader.Table) -> str:
    queries = len(ids.column_ids(table.column("query"), "query").unique()[0])
    relevant = int((reader.numbers(table.column("grade"), "grade") > 0).sum())
    with_subtopics = "with subtopics, " if "subtopic" in table else ""
    items = many(len(table.frame), "item")
    if table.implicit:
        return (
            f"{many(queries, 'query', 'queries')}, {items}, without grades: each counts as grade 1"
        )
    return f"{with_subtopics}{many(queries, 'query', 'queries')}, {items}, {relevant:,} relevant"


def _results(table: reader.Table) -> str:
    frame, names = table.frame, list(table.run_columns)
    measures = list(dict.fromkeys(map(str, frame[table.roles["measure"]].unique())))
    names_of_measures = ", ".join(measures[:4]) + (", ..." if len(measures) > 4 else "")
    if table.kind == "preferences":
        sides = [f"{name}_{side}" for side in "ab" for name in names]
        of = many(len(frame[sides].drop_duplicates()), "pair")
    else:
        of = many(len(frame[names].drop_duplicates()) if names else 1, "run")
    return f"{of} x {many(frame[table.roles['query']].nunique(), 'query', 'queries')}, {names_of_measures}"


SIZES = {"runs": _runs, "qrels": _qrels, "scores": _results, "preferences": _results}
