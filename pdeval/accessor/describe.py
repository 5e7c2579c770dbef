"""What the accessor says about a table: its kind, its size, and what can be done next."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pdeval.judged import ids, lists
from pdeval.kinds import tables

# what the verbs return, by the columns that no other table has: (columns, what it is, what comes next)
RESULTS: tuple[tuple[str, str, str], ...] = (
    ("position doc team method", "interleaved lists", ".simulate_clicks(qrels), log.ireval.credit(lists)"),
    ("credit_a credit_b winner", "credits of interleaved runs", ".wins(), .click_preferences()"),
    ("a_wins b_wins ties", "wins of interleaved runs", "pdeval.plots.win_loss_tie(table)"),
    ("measure test detected percent", "discriminative power", ".report()"),
    ("measure test pair share p_value", "sorted p-values", "pdeval.plots.p_value_curves(table)"),
    ("measure source sum_sq p_value", "analysis of variance", ""),
    ("measure_a measure_b agreement", "agreement of measures", ".report()"),
    (
        "measure_a measure_b coefficient",
        "correlations of orderings",
        ".report(), pdeval.plots.correlation_heatmap(table)",
    ),
    ("measure pairs agreement", "masked agreement", ""),
    ("level_a level_b r", "correlations of recall levels", ""),
    ("level ahead coefficient r_squared", "regressions of recall levels", ""),
    ("level pairs ties tied", "ties by recall level", "pdeval.plots.ties_by_level(table)"),
    ("pairs ties tied", "ties", ""),
    ("level decided ecdf", "deciding recall levels", "pdeval.plots.deciding_level(table)"),
    ("drop policy keep statistic", "incomplete-data experiment", "pdeval.plots.incomplete(table)"),
    ("run_a run_b measure level value", "contributions of recall levels", "pdeval.plots.recall_levels(table)"),
    ("measure aggregate test n_a n_b p_value", "comparison of buckets", ".report()"),
    ("value_a value_b difference", "search lengths of items in two runs", ""),
    ("measure mean_a mean_b rrie", "relative reduction in error", ""),
    ("asl retrieved", "search lengths of items", ""),
    ("run_a run_b bucket low high count", "search length wins", "pdeval.plots.asl_wins(table)"),
    ("run bucket low high count", "search length histogram", "pdeval.plots.asl_histogram(table)"),
    ("measure bucket low high count", "headroom", ""),
    ("measure_old measure_new delta_sort", "DeltaSort", ""),
    ("measure low high residual", "residuals", ""),
    ("measure rank_without tau", "standings with runs left out", ".report()"),
    ("doc runs rank", "pool", ""),
    ("contributed maximum share", "size of the pool by query", ""),
    ("contributed unique", "contributions to the pool", ""),
    ("shared only_a only_b overlap", "overlap in the pool", ""),
    ("problem rows handling", "problems of a click log", ""),
    ("bucket measure aggregate value", "behaviour of users", ""),
    ("measure hypothesis verdict", "verdicts on an order of buckets", ""),
    ("coefficient assessors observed expected", "agreement of assessors", ""),
    ("items percent scott cohen", "agreement of pairs of assessors", ""),
    ("measure effect_size power queries", "power analysis", ""),
    ("recall precision", "precision-recall points", "pdeval.plots.precision_recall(table)"),
    ("run_a run_b measure n mean sd", "mean preferences", "pdeval.plots.preference_heatmap(table)"),
    ("measure n mean sd ci_low ci_high", "summary", ".report(), pdeval.plots.summary_bars(table)"),
)


def describe(frame: pd.DataFrame, binding: dict[str, Any]) -> str:
    """Return one line about a frame.

    Examples
    --------
    >>> describe(pd.DataFrame({"x": [1]}), {})
    'a table that pdeval does not recognise (columns x); bind its roles: df.ireval(query=..., doc=..., score=...)'
    """
    kind = tables.kind_of(frame, binding)
    known = None if kind in ("runs", "qrels") and "score" in frame.columns else result(frame)
    if known is not None and not binding:
        return known
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
    try:
        tables.not_in_the_index(frame, binding)
    except ValueError as error:
        return f"a table that pdeval does not recognise (columns {columns}): {error}"
    return (
        f"a table that pdeval does not recognise (columns {columns}); "
        "bind its roles: df.ireval(query=..., doc=..., score=...)"
    )


def result(frame: pd.DataFrame) -> str | None:
    """Return what a table is that a verb returned, or None.

    Examples
    --------
    >>> result(pd.DataFrame({"measure": ["AP"], "test": ["t"], "detected": [3], "percent": [50.0]}))
    'discriminative power: 1 row; next: .report()'
    """
    columns = set(map(str, frame.columns))
    pairs = tables.paired_columns(frame)
    columns |= {"run_a", "run_b"} if pairs else set()
    columns |= {"run"} if frame.attrs.get("run_columns") and {*frame.attrs["run_columns"]} <= columns else set()
    columns |= {"doc"} if {words["doc"] for words in tables.VOCABULARIES.values()} & columns else set()
    rows = many(len(frame), "row")
    for names, what, then in RESULTS:
        if set(names.split()) <= columns:
            return f"{what}: {rows}" + (f"; next: {then}" if then else "")
    if len(frame) > 1 and list(frame.index) == list(frame.columns):
        return f"square matrix of {rows}; next: .report()"
    return None


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
