"""What the accessor says about a table: its kind, its size, and what can be done next."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pdeval import ids, lists, tables


def describe(frame: pd.DataFrame, binding: dict[str, Any]) -> str:
    """Return one line about a frame.

    Examples
    --------
    >>> describe(pd.DataFrame({"x": [1]}), {})
    'a table that pdeval does not recognise (columns x); bind its roles: df.ireval(query=..., doc=..., score=...)'
    """
    kind = tables.kind_of(frame, binding)
    if kind is not None and len(frame) == 0:
        return f"{tables.NAMES[kind]} without rows"
    try:
        if kind == "runs":
            return _runs(tables.read(frame, "runs", binding))
        if kind == "qrels":
            return _qrels(tables.read(frame, "qrels", binding))
        if kind in ("scores", "preferences"):
            return _results(tables.read(frame, kind, binding))  # type: ignore[arg-type]
    except (ValueError, KeyError) as error:
        return f"{tables.NAMES[str(kind)]} with a fault: {error.args[0]}"
    if kind is not None:
        return f"{tables.NAMES[kind]}: {len(frame):,} rows"
    columns = ", ".join(map(str, list(frame.columns)[:8]))
    return (
        f"a table that pdeval does not recognise (columns {columns}); "
        "bind its roles: df.ireval(query=..., doc=..., score=...)"
    )


def many(count: int, one: str, more: str | None = None) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> many(1, "query", "queries"), many(2, "run")
    ('1 query', '2 runs')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def _runs(table: tables.Table) -> str:
    found = lists.find(table)
    by = "score" if "score" in table else "rank"
    return (
        f"run table: {many(len(found.runs), 'run')} x {many(len(found.queries), 'query', 'queries')}, "
        f"{many(len(table.frame), 'row')}, ranked by {by}; next: .measure(qrels), .prefer(qrels)"
    )


def _qrels(table: tables.Table) -> str:
    queries = len(ids.of(table.column("query"), "query").unique()[0])
    relevant = int((tables.numbers(table.column("grade"), "grade") > 0).sum())
    with_subtopics = " (with subtopics)" if "subtopic" in table else ""
    items = many(len(table.frame), "item")
    return f"judgments table{with_subtopics}: {many(queries, 'query', 'queries')}, {items}, {relevant:,} relevant"


def _results(table: tables.Table) -> str:
    frame = table.frame
    measures = list(dict.fromkeys(map(str, frame[table.roles["measure"]].unique())))
    queries = many(frame[table.roles["query"]].nunique(), "query", "queries")
    shown = ", ".join(measures[:4]) + (", ..." if len(measures) > 4 else "")
    if table.kind == "scores":
        runs = many(len(frame[list(table.run_columns)].drop_duplicates()) if table.run_columns else 1, "run")
        return f"scores table: {runs} x {queries}, {shown}; next: .summary(), .order(), .compare(), .report()"
    sides = [f"{name}_{side}" for side in "ab" for name in table.run_columns]
    pairs = many(len(frame[sides].drop_duplicates()), "pair")
    return f"preferences table: {pairs} x {queries}, {shown}; next: .mean(), .matrix(), .order(), .compare()"
