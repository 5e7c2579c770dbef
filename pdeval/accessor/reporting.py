"""Which report fits which table."""

from __future__ import annotations

from typing import Any

from pdeval import report as reports
from pdeval.accessor.describe import describe, result
from pdeval.evaluate import pivot
from pdeval.kinds import tables
from pdeval.report import Report


def report(accessor: Any, **options: Any) -> Report:
    """Return the report of a table, by its kind.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_runs().ireval.measure(pdeval.datasets.sample_qrels(), "AP")
    >>> report(scores.ireval.order().ireval).to_markdown().splitlines()[0].startswith("|")
    True
    """
    frame = accessor._frame
    kind = tables.kind_of(frame, accessor._binding)
    known = result(frame)
    reportable = known is None or ".report()" in known
    kind = kind if reportable else None
    if kind == "scores":
        return reports.report(pivot.scores(tables.read(accessor, "scores")), **options)
    if kind == "preferences":
        return reports.report(pivot.preferences(tables.read(accessor, "preferences")), **options)
    if kind == "orders":
        return reports.report_order(frame, **options)
    columns = set(map(str, frame.columns))
    if kind == "comparisons":
        return reports.report_comparisons(frame, **options)
    if {"measure", "detected", "percent"} <= columns:
        return reports.report_power(frame, **options)
    if {"measure_a", "measure_b"} <= columns:
        return reports.report_agreement(frame, **options)
    if reportable and {"measure", "mean"} <= columns:
        return reports.report(frame, **options)
    if list(frame.index) == list(frame.columns):
        return reports.report_matrix(frame, **options)
    raise ValueError(
        "report() takes scores, a summary, preferences, orders, comparisons, discriminative power, agreement or a "
        f"square matrix; this is {describe(frame, accessor._binding)}."
    )
