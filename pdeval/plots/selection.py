"""The table that a plot reads, and the part of it that is drawn: one measure, one pair of runs, some of many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.tables.labels import natural_places, run_labels
from pdeval.tables.reader import query_column
from pdeval.tables.recognition import kind_of, runs_of
from pdeval.tables.schemas import SCHEMAS, Schema
from pdeval.tables.vocabularies import listed
from pdeval.verbs import VERBS
from pdeval.verbs.arguments import several, shown


@dataclass(frozen=True, eq=False)
class PlotTable:
    """A frame that a plot reads, as one of the tables that it draws."""

    what: str  # the plot, as a call: "forest()"
    frame: pd.DataFrame
    kinds: tuple[str, ...]  # that the plot draws
    kind: str  # of this frame

    @property
    def schema(self) -> Schema:
        """The schema of the frame."""
        return SCHEMAS[self.kind]

    @property
    def query(self) -> str | None:
        """The query column, or None."""
        return query_column(self.frame, {}, needed=False)

    @property
    def run_columns(self) -> tuple[str, ...]:
        """The columns that name a run; of pairs, without `_a` and `_b`."""
        return runs_of(self.frame, self.schema)

    def need(self, *columns: str) -> PlotTable:
        """Return the same, or raise if a column is missing; `a|b` if either will do."""
        for column in columns:
            if not set(column.split("|")) & set(self.frame.columns):
                raise self.missing(column.partition("|")[0])
        return self

    def need_runs(self) -> tuple[str, ...]:
        """Return the columns that name the runs of a pair, or raise if there are none."""
        if not self.run_columns:
            raise self.missing("run_a")
        return self.run_columns

    def missing(self, column: str) -> ValueError:
        """Return the error with the missing column, the columns of the frame, and the verb to call."""
        others = [
            SCHEMAS[kind].says for kind in self.kinds if kind in SCHEMAS and kind != self.kind
        ]
        expected = ", or a ".join([self.schema.article, *others])
        columns = listed(self.frame.columns)
        return ValueError(
            f"{self.what} needs {expected}; {column!r} is missing (found: {columns}).{obtained(self.kinds)}"
        )

    def column(self, name: str) -> pd.Series:
        """Return a column that must be there."""
        return self.need(name).frame[name]

    def numbers(self, name: str) -> np.ndarray:
        """Return a column that must be there, as floats."""
        return self.column(name).to_numpy(float)

    def holding(self, holds: str) -> str | None:
        """Return the first column of the schema that holds such values ('share', 'float', ...) and is there."""
        columns = (column.name for column in self.schema.columns if column.holds == holds)
        return next((name for name in columns if name in self.frame.columns), None)

    def names(self, column: str) -> pd.Categorical:
        """Return a column as texts; empty ones if the frame has no such column."""
        return names(self.frame, [column] if column in self.frame.columns else [])

    def runs(self) -> Any:
        """Return the run of every row as one text, in natural order; an empty one if the only run has no name."""
        return by_name(names(self.frame, self.run_columns))

    def pairs(self) -> tuple[np.ndarray, np.ndarray, list[str]]:
        """Return the codes of run a, those of run b, and the names of the runs."""
        return pairs(self.frame, self.run_columns)

    def rows(self, keep: Any) -> PlotTable:
        """Return the rows of a mask, or at positions, as a table of the same kind."""
        kept = self.frame[keep] if np.asarray(keep).dtype == bool else self.frame.iloc[keep]
        kept.attrs = dict(self.frame.attrs)
        return replace(self, frame=kept)

    def one(
        self, column: str, value: object, *, default: object = None, option: bool = True
    ) -> tuple[PlotTable, str]:
        """Return (the rows with one value of `column`, that value as text); all rows and '' without it.

        Parameters
        ----------
        value : object
            The value; needed if there are several, unless `default` is among them.
        option : bool
            Whether the plot has an option of that name, which an error then advises.
        """
        if column not in self.frame.columns:
            if value is not None:
                raise ValueError(
                    f"{column}={value!r}: the frame has no column {column!r}. Leave {column}= out."
                )
            return self, ""
        values = self.frame[column].astype(object)
        present = list(pd.unique(values))
        if value is None and len(present) > 1 and default not in present:
            choice = (
                f"{column}={present[0]!r}"
                if option
                else f"frame[frame[{column!r}] == {present[0]!r}]"
            )
            raise ValueError(
                f"{self.what} draws one {column}; the frame has {len(present)}: {listed(present, 6)}. "
                f"Choose one: {choice}."
            )
        if value is None:
            value = present[0] if len(present) == 1 else default
        if not pd.api.types.is_scalar(value):
            raise ValueError(
                f"{column}={shown(value)}: {self.what} draws one; the frame has {listed(present, 6)}."
            )
        kept = self.rows((values == value).to_numpy(bool))
        if kept.frame.empty:
            raise ValueError(f"no {column} {value!r} in the frame; it has {listed(present, 6)}.")
        return kept, str(value)

    def one_pair(self, pair: Sequence[object] | None) -> tuple[PlotTable, np.ndarray, str, str]:
        """Return (rows of one pair of runs, +1 or -1 by their direction, name of a, name of b)."""
        a, b, runs = self.pairs()
        left, right = int(a[0]), int(b[0])
        if pair is not None:
            if len(pair) != 2 or isinstance(pair, str):
                raise ValueError(f"pair= takes two runs; found {pair!r}.")
            left, right = (index_of(side, runs) for side in pair)
        forward = (a == left) & (b == right)
        rows = forward | ((a == right) & (b == left))
        if pair is None and not rows.all():
            other = int(np.flatnonzero(~rows)[0])
            raise ValueError(
                f"{self.what} draws one pair of runs; the frame has several, e.g. ({runs[left]}, {runs[right]}) "
                f"and ({runs[a[other]]}, {runs[b[other]]}). Choose one: pair=({runs[left]!r}, {runs[right]!r})."
            )
        if not rows.any():
            raise ValueError(f"the frame does not compare {runs[left]!r} with {runs[right]!r}.")
        return self.rows(rows), np.where(forward[rows], 1.0, -1.0), runs[left], runs[right]

    def at_most(self, most: int, unit: str) -> None:
        """Raise if there are more rows than can be read."""
        if len(self.frame) > most:
            raise ValueError(
                f"{self.what} draws at most {most} {unit}; the frame has {len(self.frame):,}. Keep some of them, e.g. "
                "those of a baseline."
            )

    def unique(self, what: str, *keys: Any, advice: str = "") -> None:
        """Raise if two rows have the same keys."""
        if pd.DataFrame(dict(enumerate(map(np.asarray, keys)))).duplicated().any():
            raise ValueError(f"{self.what} needs one {what}; some repeat.{advice}")

    def wide(
        self, what: str, index: Any, columns: Any, values: Any, *, advice: str = ""
    ) -> pd.DataFrame:
        """Return values as a frame of index x columns; raise if two rows have the same cell."""
        self.unique(what, index, columns, advice=advice)
        cells = pd.DataFrame({"index": index, "columns": columns, "values": values})
        return cells.pivot(index="index", columns="columns", values="values")


def plot_table(frame: object, what: str, kinds: Iterable[str]) -> PlotTable:
    """Return a frame as one of the tables that a plot draws, or raise an error that names them.

    Parameters
    ----------
    what : str
        The plot, or the option of a plot that takes the frame.
    kinds : list of str
        The tables that it may be.

    Examples
    --------
    >>> plot_table([1], "precision_recall", ["curve"])
    Traceback (most recent call last):
    TypeError: precision_recall() draws a DataFrame; found list. Call .ireval.curve(qrels) first.
    """
    kinds = tuple(kinds)
    what = what if "(" in what else f"{what}()"
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{what} draws a DataFrame; found {type(frame).__name__}.{obtained(kinds)}")
    if frame.empty:
        raise ValueError(f"{what} was given a frame without rows.{obtained(kinds)}")
    declared = [kind for kind in kinds if kind in SCHEMAS]
    return PlotTable(what, frame, kinds, kind_of(frame, among=declared) or declared[0])


def obtained(kinds: Iterable[str]) -> str:
    """Return the advice how to get a table of these kinds: the verb, core verbs first, that gives one of them.

    Examples
    --------
    >>> import pdeval
    >>> obtained(["curve"]), obtained(["summary"])
    (' Call .ireval.curve(qrels) first.', ' Call .ireval.summary() first.')
    """
    verbs = sorted(
        (one for of_kind in VERBS.values() for one in of_kind.values()),
        key=lambda one: not one.core,
    )
    first = next((one for kind in kinds for one in verbs if kind in one.gives), None)
    if first is None:
        return ""
    return f" Call .ireval.{first.name}({'qrels' if first.on == ('judged',) else ''}) first."


def names(frame: pd.DataFrame, columns: Sequence[str]) -> pd.Categorical:
    """Return one text per row from one or several id columns, in order of appearance (or of categories).

    Examples
    --------
    >>> names(pd.DataFrame({"model": ["lm", "bm25"], "seed": [1, 2]}), ["model", "seed"]).tolist()
    ['lm / 1', 'bm25 / 2']
    """
    if not columns:
        return pd.Categorical(np.full(len(frame), "", dtype=object))
    if len(columns) > 1:
        # numbered in order of appearance; -1 where an id is missing
        codes = frame.groupby(list(columns), sort=False, observed=True).ngroup().to_numpy()
        ids, first = np.unique(codes, return_index=True)
        distinct = frame[list(columns)].iloc[first[ids >= 0]]
        return pd.Categorical.from_codes(
            codes, categories=pd.Index(run_labels(distinct), dtype=object)
        )
    column = frame[columns[0]]
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.cat.remove_unused_categories()
        codes, values = column.cat.codes.to_numpy(), column.cat.categories
    else:
        codes, values = pd.factorize(column)
    return pd.Categorical.from_codes(
        codes, categories=pd.Index([str(v) for v in values], dtype=object)
    )


def by_name(texts: pd.Categorical) -> pd.Categorical:
    """Return names in natural order (run2 before run10), where they stand in the order of text.

    Examples
    --------
    >>> by_name(pd.Categorical(["run1", "run10", "run2"])).categories.tolist()
    ['run1', 'run2', 'run10']
    """
    present = list(texts.categories)
    return texts.reorder_categories([present[i] for i in natural_places(present)])


def pairs(frame: pd.DataFrame, stems: Sequence[str]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return (codes of run a, codes of run b, names of the runs) for a frame of pairs.

    Parameters
    ----------
    stems : sequence of str
        The names X of the columns X_a, X_b that name a run.

    Examples
    --------
    >>> frame = pd.DataFrame({"run_a": ["bm25", "bm25"], "run_b": ["lm", "rm3"]})
    >>> a, b, runs = pairs(frame, ["run"])
    >>> a.tolist(), b.tolist(), runs
    ([0, 0], [1, 2], ['bm25', 'lm', 'rm3'])
    """
    # one set of categories for both sides
    sides = [names(frame, [f"{stem}_{side}" for stem in stems]) for side in "ab"]
    both = by_name(pd.api.types.union_categoricals(sides))
    codes = both.codes.astype(np.intp)
    return codes[: len(frame)], codes[len(frame) :], [str(c) for c in both.categories]


def significant_pairs(
    comparisons: pd.DataFrame, plot: str, measure: str | None, runs: Iterable[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the places of both runs of each comparison in `runs`, -1 if not there, and which are significant."""
    tests = plot_table(comparisons, f"{plot}(comparisons=...)", ["comparisons"]).need("significant")
    tests, _ = replace(tests, what=f"{plot}()").one(
        "measure", measure if "measure" in comparisons.columns else None
    )
    a, b, tested = tests.pairs()
    place = pd.Index(list(runs)).get_indexer(pd.Index(tested))
    return place[a], place[b], tests.frame["significant"].to_numpy(bool)


def index_of(run: object, runs: Sequence[str], *, what: str = "run") -> int:
    """Return where a run (or measure) stands in `runs`; one of several columns may be a tuple or its joined text.

    Examples
    --------
    >>> index_of(("t5", 2), ["t5 / 1", "t5 / 2"])
    1
    """
    text = " / ".join(map(str, run)) if isinstance(run, tuple | list) else str(run)
    if text not in runs:
        raise ValueError(f"no {what} {text!r} in the frame; it has {listed(runs, 6)}.")
    return list(runs).index(text)


def chosen(measures: Sequence[object] | None, present: Sequence[str]) -> list[str]:
    """Return the measures asked for, each of which must be there; all of them for None.

    Examples
    --------
    >>> chosen(None, ["AP", "RR"]), chosen(["RR"], ["AP", "RR"])
    (['AP', 'RR'], ['RR'])
    """
    if measures is None:
        return list(present)
    return [
        present[index_of(name, present, what="measure")] for name in several("measures", measures)
    ]
