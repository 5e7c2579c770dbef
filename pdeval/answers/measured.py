"""Scores of answers: the ids of a table of answers, and the kernels over its columns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from pdeval.catalog import ENTRIES, Measure, described, parse_all
from pdeval.evaluate import Scores, coded, coded_runs
from pdeval.join import outside
from pdeval.tables import SCHEMAS, Table, listed, numbers, run_labels


@dataclass(frozen=True)
class Answers:
    """The runs and the queries of a table, and those of each row; an answer is a run and a query."""

    table: Table
    runs: pd.DataFrame
    queries: pd.Index
    run: np.ndarray
    query: np.ndarray

    @classmethod
    def of(cls, table: Table) -> Answers:
        """Return the ids of a table of answers; raise if it is empty."""
        frame = table.frame
        if len(frame) == 0:
            raise ValueError(f"the {SCHEMAS[table.kind].description} is empty.")
        runs, run = (
            coded_runs({name: frame[name] for name in table.run_columns})
            if table.run_columns
            else (pd.DataFrame({"run": ["run"]}), np.zeros(len(frame), dtype=np.int64))
        )
        query, queries = coded(table.column("query"), "query")
        return cls(table, runs, queries.rename(table.roles["query"]), run, query)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of queries and of runs."""
        return len(self.queries), len(self.runs)

    def answered(self, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return whether an answer has rows, or some of these rows, of shape (queries, runs)."""
        result = np.zeros(self.shape, dtype=bool)
        result[self.query[rows], self.run[rows]] = True
        return result

    def total(self, weight: np.ndarray, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the sum of the weights of all rows, or of these rows, by answer, of shape (queries, runs)."""
        answer = (self.query * len(self.runs) + self.run)[rows]
        # sorted: the sum does not depend on the order of rows
        order = np.lexsort((weight, answer))
        n_answers = self.shape[0] * self.shape[1]
        return np.bincount(answer[order], weight[order], n_answers).reshape(self.shape)

    def rows_of(self, other: Table, what: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the codes of the queries and runs of another table, -1 for others; raise if none is of an answer."""
        query = codes_of(self.queries, other.column("query"), f"query of {what}")
        names = list(other.run_columns)
        if not names and len(self.runs) == 1:
            return query, np.zeros(len(query), dtype=np.int64)
        if len(names) != len(self.runs.columns):
            raise ValueError(
                f"the runs of {what} are identified by {listed(names) or 'no column'}, those of the answers by "
                f"{listed(self.runs.columns)}. Use the same columns."
            )
        ids = pd.MultiIndex.from_frame(self.runs), pd.MultiIndex.from_frame(other.frame[names])
        run = ids[0].get_indexer(ids[1])
        if (run < 0).all():
            raise ValueError(
                f"no run of {what} is a run of the answers, e.g. {run_labels(self.runs)[0]!r}. Use the same names."
            )
        return query, run

    def of_queries(
        self, queries: pd.Index, where: str, counted: np.ndarray | bool = True
    ) -> Answers:
        """Return the counted rows of these queries, with all these queries; raise if there is no such row."""
        query = codes_of(queries, self.table.column("query"), "query of the runs", where)
        rows = np.flatnonzero((query >= 0) & counted)
        return replace(
            self,
            table=replace(self.table, frame=self.table.frame.iloc[rows]),
            queries=queries.rename(self.queries.name),
            run=self.run[rows],
            query=query[rows],
        )

    def example(self, row: int, *roles: str) -> tuple[object, ...]:
        """Return the ids of a row, for messages."""
        names = [
            *self.table.run_columns,
            *(self.table.roles.get(role, role) for role in ("query", *roles)),
        ]
        return tuple(self.table.frame[name].iloc[[row]].tolist()[0] for name in names)

    def check_unique(self, key: np.ndarray, *roles: str) -> None:
        """Raise if two rows of an answer have the same key; the roles name its ids."""
        again = np.flatnonzero(pd.Series(key).duplicated().to_numpy())
        if len(again):
            raise ValueError(
                f"the {SCHEMAS[self.table.kind].description} has {len(again):,} rows that repeat an earlier "
                f"({', '.join(['run', 'query', *roles])}), e.g. {self.example(again[0], *roles)}. Bind the columns "
                "that distinguish runs, df.ireval(run=[...]), or keep one of each."
            )

    def warn_about_unanswered(self, answered: np.ndarray, what: str = "answers") -> None:
        """Warn if runs have no answer to some queries; `answered` has the shape (queries, runs)."""
        missing = np.argwhere(~answered)
        if len(missing):
            query, run = missing[0]
            warnings.warn(
                f"{len(missing):,} of {answered.size:,} {what} are missing, e.g. of run "
                f"{run_labels(self.runs)[run]!r} to query {self.queries[query]!r}. They get the worst possible score.",
                stacklevel=outside(),
            )

    def labeled(self) -> np.ndarray:
        """Return whether an answer has labels by human assessors, of shape (queries, runs).

        Without labels by a machine, all rows are by human assessors.
        """
        human = self.table.column(SCHEMAS[self.table.kind].required[-1])
        return self.answered(human.notna().to_numpy() | ("machine" not in self.table))

    def scores(
        self, measures: list[Measure], values: Callable[[str], Callable[[Measure], np.ndarray]]
    ) -> pd.DataFrame:
        """Return the scores, by both if the table has labels by human assessors and by a machine.

        Answers without human labels have only scores by the machine.

        Parameters
        ----------
        values : callable
            Function of the role of the labels, which is the last required column or `machine`. It returns the function
            of `cube`.
        """
        human = self.cube(measures, values(SCHEMAS[self.table.kind].required[-1]))
        if "machine" not in self.table:
            return human.frame()
        machine = self.cube(measures, values("machine"))
        known = np.where(self.labeled(), human.values, np.nan)
        return replace(human, values=known, machine=machine.values).frame()

    def cube(self, measures: list[Measure], values: Callable[[Measure], np.ndarray]) -> Scores:
        """Return the scores, from the values of each measure, of shape (queries, runs)."""
        return Scores(
            self.runs,
            self.queries,
            tuple(measure.label for measure in measures),
            np.stack([np.broadcast_to(values(measure), self.shape) for measure in measures]),
            np.array([measure.higher for measure in measures]),
            {
                "run_columns": list(self.runs.columns),
                "query_column": str(self.queries.name),
                "measures": described(measures),
            },
        )


def codes_of(
    known: pd.Index, column: pd.Series, what: str, where: str = "the table of answers"
) -> np.ndarray:
    """Return the position of each id, -1 if it is not known; raise if none is known.

    Examples
    --------
    >>> codes_of(pd.Index(["1", "2"]), pd.Series([1, 2]), "query of qrels=")
    Traceback (most recent call last):
    ValueError: no query of qrels= is in the table of answers, which has e.g. '1'. Use the same ids, of the same type.
    """
    codes = known.get_indexer(pd.Index(column))
    if (codes < 0).all():
        raise ValueError(
            f"no {what} is in {where}, which has e.g. {known.tolist()[0]!r}. Use the same ids, of the same type."
        )
    return codes


def evaluated(columns: Mapping[str, np.ndarray]) -> Callable[[Measure], np.ndarray]:
    """Return the function that applies the kernel of a measure to its columns."""
    return lambda measure: measure.entry.kernel(
        *(columns[name] for name in measure.columns), **measure.parameters
    )


def parse_kind(measures: object, kind: str) -> list[Measure]:
    """Return the requested measures, by default all of this kind; raise if one needs another table.

    Examples
    --------
    >>> parse_kind("NuggetAll, AP", "nuggets")
    Traceback (most recent call last):
    ValueError: AP is not a measure of nuggets. Use NuggetAll or NuggetVital or NuggetWeighted or NuggetF.
    """
    names = [name for name, entry in ENTRIES.items() if entry.kind == kind]
    requested = parse_all(names if measures is None else measures)
    for measure in requested:
        if measure.kind != kind:
            raise ValueError(
                f"{measure.label} is not a measure of {kind}. Use {' or '.join(names)}."
            )
    return requested


def labels_or_numbers(
    column: pd.Series,
    what: str,
    values: Mapping[str, float],
    *,
    high: float = 1.0,
    unknown: float | None = None,
    advice: str = "",
) -> np.ndarray:
    """Return the numbers of a column of labels or numbers, NaN if missing.

    Unknown labels have the value `unknown`; without one, they raise.

    Examples
    --------
    >>> labels_or_numbers(pd.Series(["full", None, "none"]), "support", {"full": 1.0, "none": 0.0}).tolist()
    [1.0, nan, 0.0]
    """
    if pd.api.types.is_numeric_dtype(column.dtype):
        known = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        codes, labels = pd.factorize(column)
        default = -1.0 if unknown is None else unknown
        # the code -1, of missing values, selects the last entry
        known = np.array([values.get(label, default) for label in labels] + [np.nan])[codes]
    wrong = np.flatnonzero((known < 0) | (known > high))
    if len(wrong):
        raise ValueError(
            f"the {what} column has {len(wrong):,} unknown values, e.g. {column.iloc[wrong[:1]].tolist()[0]!r}. Use "
            f"{', '.join(map(repr, values))}, or numbers of 0 {'to 1' if high == 1 else 'or more'}.{advice}"
        )
    return known


def one_per_answer(answers: Answers, role: str, measure: str) -> np.ndarray:
    """Return the number that each answer has in a column, of shape (queries, runs); 0 without an answer.

    Raise if values of an answer differ.
    """
    if role not in answers.table:
        raise ValueError(
            f"{measure} needs the {role} of answers, but there is no column {role!r}. Add it."
        )
    column = answers.table.column(role)
    value = numbers(column, role)
    result = np.zeros(answers.shape)
    result[answers.query, answers.run] = value
    differs = np.flatnonzero(result[answers.query, answers.run] != value)
    if len(differs):
        raise ValueError(
            f"the answer {answers.example(differs[0])} has several values in column {column.name!r}. An answer has one "
            f"{role}."
        )
    return result
