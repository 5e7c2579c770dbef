"""Schemas: one declaration per table, in or out, from which recognition, `repr`, checks and documentation are derived.

A schema is declared next to the verb that gives the table, in one line of columns:

    table("ties", "[query] measure pairs:int ties:int tied_fraction:fraction", "ties", row="measure", sort="measure")

Bare words are roles (run, query, doc, ...) or text; `name:kind` states the type of a column; columns in brackets are
optional. `run` stands for all id columns of runs, `run_a run_b` for both sides of a pair.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from pdeval.tables.vocabularies import COLUMNS
from pdeval.verbs import Registry, with_article

PAIRED = ("run_a", "run_b")
IDS = ("run", "query", "doc", "subtopic", "assessor", "session", "user", "bucket", *PAIRED)

# types of columns, and the test of their dtype
KINDS: dict[str, Callable[[Any], bool]] = {
    "id": lambda dtype: True,
    "text": lambda dtype: (
        pd.api.types.is_string_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype)
    ),
    "int": pd.api.types.is_integer_dtype,
    "float": pd.api.types.is_numeric_dtype,
    "fraction": pd.api.types.is_float_dtype,
    "bool": pd.api.types.is_bool_dtype,
    "time": lambda dtype: True,
    "any": lambda dtype: True,
}

# descriptions of columns in all tables; a schema adds others
MEANINGS = {
    "run": "the run, under the caller's column name(s)",
    "run_a": "the first run of a pair",
    "run_b": "the second run of a pair",
    "query": "the query id, under the caller's column name",
    "doc": "the item id, under the caller's column name",
    "measure": "the measure, as requested",
    "n": "number of queries that count",
    "mean": "mean over those queries",
    "sd": "standard deviation over those queries",
    "ci_low": "lower end of the confidence interval",
    "ci_high": "upper end of the confidence interval",
    "p_value": "p-value of the test",
    "p_adjusted": "p-value corrected for the number of comparisons",
    "significant": "whether p_adjusted is below alpha",
    "pairs": "number of pairs of rankings",
    "tau_b": "Kendall's tau-b",
}


@dataclass(frozen=True)
class Column:
    """One column of a table: its name or role, its type, and whether it is optional."""

    name: str
    holds: str = "text"
    optional: bool = False


@dataclass(frozen=True)
class Schema:
    """A type of table: its columns, what a row represents, and the verbs to suggest."""

    name: str
    description: str
    columns: tuple[Column, ...]
    row: str = ""
    sort: tuple[str, ...] = ()
    then: str = ""
    means: Mapping[str, str] = field(default_factory=dict)
    no_report: str = ""
    no_plot: str = ""
    square: bool = False
    recognized_by: tuple[str, ...] = ()
    labels: Mapping[str, float] = field(default_factory=dict)
    reader: Callable[..., pd.DataFrame] | None = None

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The columns without which a frame is not this table."""
        return tuple(column.name for column in self.columns if not column.optional)

    @cached_property
    def named(self) -> tuple[str, ...]:
        """All columns that it may have."""
        return tuple(column.name for column in self.columns)

    @property
    def marks(self) -> tuple[str, ...]:
        """The columns by which a frame is recognized, `a|b` for alternatives."""
        return self.recognized_by or self.required

    @property
    def own(self) -> tuple[str, ...]:
        """The columns with fixed names, not those of the caller."""
        return tuple(
            one.name
            for one in self.columns
            if one.name != "by" and (one.holds != "id" or one.name in PAIRED)
        )

    @property
    def listed(self) -> str:
        """The columns as documentation lists them: `run, query, measure, value`."""
        return ", ".join(
            f"[{column.name}]" if column.optional else column.name for column in self.columns
        )

    @property
    def article(self) -> str:
        """The table as messages name it: `a scores table (run, query, measure, value)`."""
        columns = f" ({', '.join(self.required)})" if self.required else ""
        return f"{with_article(self.description)}{columns}"

    def meaning(self, column: str) -> str:
        """Return the description of a column; empty without one."""
        return self.means.get(column) or MEANINGS.get(column, "")


SCHEMAS: Registry[Schema] = Registry(
    "table", replace="never", taken="there is already a table {name!r}. Use another name."
)
# called with each new declaration, for verbs of all tables
WATCHERS: list[Callable[[Schema], None]] = []


def table(
    name: str,
    columns: str,
    description: str,
    *,
    row: str = "",
    sort: str = "",
    then: str = "",
    means: Mapping[str, str] | None = None,
    no_report: str = "",
    no_plot: str = "",
    square: bool = False,
    recognized_by: str = "",
    names: Mapping[str, tuple[str, ...]] | None = None,
    labels: Mapping[str, float] | None = None,
    reader: Callable[..., pd.DataFrame] | None = None,
) -> Schema:
    """Declare a type of table.

    Parameters
    ----------
    name : str
        Identifier used by verb declarations: one word.
    columns : str
        Columns, in order; see the module docstring for the syntax.
    description : str
        Name used in messages, without an article: "scores table".
    row : str
        What a row represents: "run, query and measure".
    sort : str
        Columns by which rows are sorted.
    then : str
        Verbs suggested by `repr`: ".summary(), .order()".
    means : mapping, optional
        Descriptions of columns that the shared descriptions do not have.
    no_report, no_plot : str
        Why the table has no report, or no plot; used in error messages.
    square : bool
        Whether the table is a square matrix with the same labels on both axes.
    recognized_by : str
        Columns that identify a DataFrame as this table, with `a|b` for alternatives; by default all required columns.
        `-` if columns cannot identify it.
    names : mapping of column to names, optional
        Other names of columns: that of an id first, that of its text last.
    labels : mapping of label to number, optional
        For a table of answers: the labels of its last required column, and their values from 0 to 1. Pages of reports
        display these tables.
    reader : callable, optional
        Function that reads the table from a JSON file of other tools.

    Examples
    --------
    >>> table("example_table", "run [query] measure tied_fraction:fraction", "table of an example").listed
    'run, [query], measure, tied_fraction'
    >>> del SCHEMAS["example_table"]
    """
    made = Schema(
        name,
        description,
        _columns(columns),
        row,
        tuple(sort.split()),
        then,
        dict(means or {}),
        no_report,
        no_plot,
        square,
        tuple(recognized_by.split()),
        labels or {},
        reader,
    )
    SCHEMAS.add(name, made)
    COLUMNS.update(names or {})
    for watcher in WATCHERS:
        watcher(made)
    return made


def _columns(text: str) -> tuple[Column, ...]:
    columns = []
    # columns in brackets are optional: pairs of (bracket, words up to the next one)
    for bracket, words in re.findall(r"([\[\]]?)([^\[\]]+)", text):
        for word in words.split():
            name, _, holds = word.partition(":")
            holds = holds or ("id" if name in IDS else "text")
            if holds not in KINDS:
                raise ValueError(
                    f"column {word!r} has an unknown type. Use one of {', '.join(KINDS)}."
                )
            columns.append(Column(name, holds, optional=bracket == "["))
    return tuple(columns)


RUNS = table(
    "runs",
    "run query doc [score:float rank:float]",
    "run table",
    recognized_by="query doc score|rank",
    row="item in a list",
    then=".measure(qrels), .prefer(qrels), .order(qrels)",
    no_plot="a run table has one row per item; plot the results of its verbs",
)
# before judgments, which a table of labels could also be
LABELS = table(
    "labels",
    "[query] doc assessor label:any",
    "labels table",
    recognized_by="doc|item assessor label",
    row="item and assessor",
    then=".agreement()",
    no_report="labels are raw data; report .agreement()",
    no_plot="labels are raw data; draw .agreement()",
)
QRELS = table(
    "qrels",
    "query [subtopic] doc grade:float [propensity:float]",
    "judgments table",
    row="judged item",
    then="runs.ireval.measure(qrels)",
    no_report="judgments are raw data; report scores",
    no_plot="judgments are raw data; plot scores",
)
LABELED_TWICE = {
    "machine": "the value with machine labels; `value` is then with human labels, missing for queries without them",
    "probability": "with machine labels: the probability that the query was sampled for human labels, if it varies",
}
SCORES = table(
    "scores",
    "run query measure value:float [machine:float] [probability:float]",
    "scores table",
    row="run, query and measure",
    sort="run query",
    then=".summary(), .order(), .compare(), .report()",
    means=LABELED_TWICE,
)
PREFERENCES = table(
    "preferences",
    "query run_a run_b measure value:float [machine:float] [probability:float]",
    "preferences table",
    row="query, pair of runs and measure",
    sort="query run_a run_b",
    then=".summary(), .matrix(), .order(), .compare()",
    means={"value": "positive if run_a is better", **LABELED_TWICE},
)
VOTES = table(
    "votes",
    "[query] run_a run_b winner:any",
    "log of votes",
    recognized_by="run_a run_b winner",
    row="vote",
    then=".leaderboard(); pdeval.votes(df) makes preferences of it",
    means={
        "query": "what was voted on",
        "winner": "the winner: 'a', 'b' or 'tie', or the name of a system",
    },
    no_report="votes are raw data; report .leaderboard()",
    no_plot="votes are raw data; draw .leaderboard()",
)
CLICKS = table(
    "clicks",
    "session [user bucket run_a run_b method query draw:int] time:time action [rank:any doc value:float]",
    "click log",
    # a log with a fault is still a log: its session or its action identifies it
    recognized_by="query session|action time|action|rank|doc",
    row="event",
    sort="session time",
    then=".check(), .behavior(), .compare_buckets(), .credit(lists)",
    means={
        "session": "a search session, of one user and one bucket",
        "user": "the user",
        "bucket": "the arm of the experiment",
        "run_a": "the first run of an interleaved list that was shown",
        "run_b": "its second run",
        "method": "how the list was interleaved",
        "draw": "number of the list, if a query has several",
        "time": "time of the event: date and time with or without a zone, ISO 8601 text, or seconds",
        "action": "'impression' if results were shown, 'click' if one was clicked; any other event by its name",
        "rank": "rank of the result, from 1",
        "value": "value of the event, such as the revenue of a purchase",
    },
    no_report="a log is raw data; report .behavior() or .compare_buckets()",
    no_plot="a log is raw data; see .behavior()",
)
MATRIX = table("matrix", "", "square matrix", row="run or measure", square=True, then=".report()")
