"""Nuggets: facts that a good answer contains, which of them are in each answer, and measures of that."""

import warnings
from collections.abc import Callable
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.answers.measured import Answers, labels_or_numbers, one_per_answer, parse_kind
from pdeval.catalog import Measure
from pdeval.evaluate import coded
from pdeval.files import read_nuggets
from pdeval.join import outside
from pdeval.tables import Table, combined_codes, distinct, listed, names_of, query_column, table
from pdeval.verbs import verb

MEASURES = ("NuggetAll", "NuggetVital", "NuggetWeighted")
ASSIGNMENTS = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
IMPORTANCES = {"vital": 1.0, "okay": 0.5}
_TOLERANT = " With compat='nuggetizer', other labels count 0."

table(
    "nuggets",
    "run query nugget assignment:any [importance:any length:float machine:any]",
    "table of nuggets",
    recognized_by="query nugget assignment",
    row="nugget of an answer",
    then=".measure()",
    names={"nugget": ("nugget_id", "nugget")},
    labels=ASSIGNMENTS,
    reader=read_nuggets,
    means={
        "nugget": "the nugget: its id, or its text",
        "assignment": "'support', 'partial_support' or 'not_support', or a number of 0 to 1",
        "importance": "'vital' or 'okay', or a weight of 0 or more",
        "length": "length of the answer in characters",
        "machine": "the assignment by a machine; `assignment` is then by human assessors, missing without their labels",
    },
    no_report="nuggets are raw data; report .measure()",
    no_plot="nuggets are raw data; plot .measure()",
)


@verb(on="nuggets", returns="scores", name="measure", core=True, own="compat", machine=True)
def measure_nuggets(
    assignments: Table,
    measures: object = None,
    *,
    nuggets: pd.DataFrame | None = None,
    compat: Literal["nuggetizer"] | None = None,
) -> pd.DataFrame:
    """Return the scores of every answer by the nuggets that it contains.

    The nuggets of a query are those of all runs together. A nugget without an assignment counts 0, and so does a run
    without an answer. If the table also has assignments by a machine, the scores table has scores by both, and an
    answer without any human assignment has only that by the machine.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        "NuggetAll", "NuggetVital", "NuggetWeighted" (the default are these three) and "NuggetF", also as
        "NuggetAll(strict=true)", "NuggetWeighted(okay_weight=0.2)" and "NuggetF(beta=3)".
    nuggets : DataFrame, optional
        Further nuggets of these queries, and the importance of nuggets: query, nugget, maybe importance.
    compat : {'nuggetizer'}, optional
        With 'nuggetizer', a query without vital nuggets has the value 0, and unknown labels of an LLM count 0. By
        default such a query has no value and does not count, and unknown labels raise.

    Examples
    --------
    >>> assignments = pd.DataFrame({
    ...     "run": "rag", "query_id": "q1", "nugget": ["n1", "n2", "n3", "n4", "n5"],
    ...     "importance": ["vital", "vital", "vital", "okay", "okay"],
    ...     "assignment": ["support", "partial_support", "not_support", "support", "partial_support"],
    ... })
    >>> assignments.ireval.measure(["NuggetAll", "NuggetAll(strict=true)", "NuggetVital", "NuggetWeighted"])
       run query_id                 measure   value
    0  rag       q1               NuggetAll  0.6000
    1  rag       q1  NuggetAll(strict=true)  0.4000
    2  rag       q1             NuggetVital  0.5000
    3  rag       q1          NuggetWeighted  0.5625
    """
    requested = parse_kind(MEASURES if measures is None else measures, "nuggets")
    answers = Answers.of(assignments)
    n_rows = len(answers.run)
    query, nugget, importance = _nuggets(answers, nuggets)
    # nuggets are numbered by query, then by id: those of a query are contiguous
    first, number = distinct(combined_codes([(query, len(answers.queries)), nugget], len(query)))
    cell = combined_codes([(number[:n_rows], len(first)), (answers.run, len(answers.runs))], n_rows)
    answers.check_unique(cell, "nugget")
    unknown = None if compat is None else 0.0

    columns: dict[str, np.ndarray] = {}
    needs = {name for measure in requested for name in measure.columns}
    if needs & {"vital", "okay"}:
        columns |= _weights(requested, importance, number, len(first), unknown)
    if "length" in needs:
        columns["length"] = one_per_answer(answers, "length", "NuggetF")
    size = np.bincount(query[first], minlength=len(answers.queries))
    start = np.cumsum(size) - size

    def by_label(role: str) -> Callable[[Measure], np.ndarray]:
        assigned = np.full((len(first), len(answers.runs)), np.nan)
        assigned.ravel()[cell] = labels_or_numbers(
            assignments.column(role), role, ASSIGNMENTS, unknown=unknown, advice=_TOLERANT
        )
        if role == "assignment":
            _warn_about_missing(answers, assigned, query[first])
        columns["assignment"] = np.nan_to_num(assigned)
        return values

    def values(measure: Measure) -> np.ndarray:
        entry = measure.entry
        parameters = {**measure.parameters, **entry.compat.get(str(compat), {})}
        result = np.empty(answers.shape)
        # queries with equally many nuggets form one block, with the nugget on axis 0
        for m in np.unique(size):
            queries = np.flatnonzero(size == m)
            rows = start[queries] + np.arange(m)[:, None]
            block = [columns[name][queries if name == "length" else rows] for name in entry.columns]
            result[queries] = entry.kernel(*block, **parameters)
        return result

    return answers.scores(requested, by_label)


def _nuggets(
    answers: Answers, more: pd.DataFrame | None
) -> tuple[np.ndarray, tuple[np.ndarray, int], pd.Series | None]:
    """Return the query, the code and the importance of the nuggets of all rows, then of those of `more`."""
    assignments = answers.table
    ids = assignments.column("nugget")
    importance = assignments.column("importance") if "importance" in assignments else None
    query = answers.query
    if more is not None:
        column = next((name for name in names_of("nugget") if name in more), None)
        if column is None:
            raise ValueError(
                f"nuggets= has no column 'nugget'; it has {listed(more.columns)}. Rename one of them."
            )
        of_more = answers.queries.get_indexer(pd.Index(more[query_column(more, {})]))
        if (of_more < 0).all():
            raise ValueError(
                f"nuggets= has no nugget of the queries of the answers, e.g. {answers.queries[0]!r}. Check that "
                "the query ids are equal and have the same type."
            )
        more = more[of_more >= 0]
        query = np.concatenate([query, of_more[of_more >= 0]])
        if "importance" in more:
            importance = (
                more["importance"].set_axis(range(len(ids), len(query))).reindex(range(len(query)))
            )
        elif importance is not None:
            importance = importance.set_axis(range(len(ids))).reindex(range(len(query)))
        ids = pd.concat([ids, more[column]])
    codes, values = coded(ids, "nugget")
    return query, (codes, len(values)), importance


def _weights(
    measures: list[Measure],
    importance: pd.Series | None,
    number: np.ndarray,
    n_nuggets: int,
    unknown: float | None,
) -> dict[str, np.ndarray]:
    """Return the columns `vital` and `okay` of nuggets, of shape (nuggets, 1)."""
    label = next(measure.label for measure in measures if "vital" in measure.columns)
    if importance is None:
        raise ValueError(
            f"{label} needs the importance of nuggets, but there is no column 'importance'. Add it, pass "
            "nuggets=, or use NuggetAll."
        )
    values = labels_or_numbers(
        importance,
        "importance",
        IMPORTANCES,
        high=np.finfo(float).max,
        unknown=unknown,
        advice=_TOLERANT,
    )
    known = np.flatnonzero(~np.isnan(values))
    weight = np.full(n_nuggets, np.nan)
    weight[number[known]] = values[known]
    if len(differs := known[weight[number[known]] != values[known]]):
        raise ValueError(
            f"{len(np.unique(number[differs])):,} nuggets have several importances. A nugget of a query has the same "
            "importance for all runs; use nuggets= if the table has others."
        )
    if np.isnan(weight).any():
        raise ValueError(
            f"{int(np.isnan(weight).sum()):,} of {n_nuggets:,} nuggets have no importance, which {label} needs. Fill "
            "the column, pass nuggets=, or use NuggetAll."
        )
    numeric = pd.api.types.is_numeric_dtype(importance.dtype)
    if numeric and any(measure.entry.name == "NuggetVital" for measure in measures):
        raise ValueError(
            "NuggetVital needs the importances 'vital' and 'okay', but they are numbers. Use NuggetWeighted."
        )
    weight = weight[:, None]
    return (
        {"vital": weight, "okay": np.zeros_like(weight)}
        if numeric
        else {name: (weight == value) * 1.0 for name, value in IMPORTANCES.items()}
    )


def _warn_about_missing(answers: Answers, assigned: np.ndarray, query: np.ndarray) -> None:
    """Warn about runs without an answer, and about nuggets of labeled answers without an assignment."""
    labeled = answers.labeled()
    unassigned = int((np.isnan(assigned) & labeled[query]).sum())
    answers.warn_about_unanswered(answers.answered())
    if unassigned:
        warnings.warn(
            f"{unassigned:,} of {int(labeled[query].sum()):,} nuggets of answers have no assignment. They count as "
            "not supported.",
            stacklevel=outside(),
        )
