"""Schemas: one declaration per table, in or out, from which recognition, `repr`, checks and documentation are derived.

A schema is declared next to the verb that gives the table, in one line of columns:

    table("ties", "[query] measure pairs:int ties:int tied:share", "ties", row="measure", sort="measure")

Bare words are roles (run, query, doc, ...) or text; `name:kind` says what a column holds; what stands in brackets may
be absent. `run` stands for all columns that name a run, `run_a run_b` for both sides of a pair.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from pdeval.verbs.registry import Registry

PAIRED = ("run_a", "run_b")
IDS = ("run", "query", "doc", "subtopic", "assessor", "session", "user", "bucket", *PAIRED)

# what a column may hold, and the test of its dtype
KINDS: dict[str, Callable[[Any], bool]] = {
    "id": lambda dtype: True,
    "text": lambda dtype: (
        pd.api.types.is_string_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype)
    ),
    "int": pd.api.types.is_integer_dtype,
    "float": pd.api.types.is_numeric_dtype,
    "share": pd.api.types.is_float_dtype,
    "bool": pd.api.types.is_bool_dtype,
    "time": lambda dtype: True,
    "any": lambda dtype: True,
}

# what columns mean wherever they stand; a schema adds its own
MEANINGS = {
    "run": "the run, under the caller's column name(s)",
    "run_a": "the first run of a pair",
    "run_b": "the second run of a pair",
    "query": "the query id, under the caller's column name",
    "doc": "the item id, under the caller's column name",
    "measure": "the measure, as it was asked for",
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
    """One column of a table: its name or role, what it holds, whether it may be absent."""

    name: str
    holds: str = "text"
    optional: bool = False


@dataclass(frozen=True)
class Schema:
    """What a table is: its columns, what one row stands for, and what can be done with it next."""

    name: str
    says: str
    columns: tuple[Column, ...]
    row: str = ""
    sort: tuple[str, ...] = ()
    then: str = ""
    means: Mapping[str, str] = field(default_factory=dict)
    unreported: str = ""
    undrawn: str = ""
    square: bool = False
    known_by: tuple[str, ...] = ()

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
        return self.known_by or self.required

    @property
    def own(self) -> tuple[str, ...]:
        """The columns under names of its own, not those of the caller."""
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
        first = "an" if self.says[0] in "aeio" else "a"
        return f"{first} {self.says}" + (f" ({', '.join(self.required)})" if self.required else "")

    def meaning(self, column: str) -> str:
        """Return what a column means, or nothing where its name says it."""
        return self.means.get(column) or MEANINGS.get(column, "")


SCHEMAS: Registry[Schema] = Registry(
    "table", replace="never", taken="there is a table {name!r} already; a table is declared once."
)
WATCHERS: list[
    Callable[[Schema], None]
] = []  # who gives verbs to every table, also to those declared later


def table(
    name: str,
    columns: str,
    says: str,
    *,
    row: str = "",
    sort: str = "",
    then: str = "",
    means: Mapping[str, str] | None = None,
    unreported: str = "",
    undrawn: str = "",
    square: bool = False,
    known_by: str = "",
) -> Schema:
    """Declare a table.

    Parameters
    ----------
    name : str
        One word by which verbs name it.
    columns : str
        Its columns in order; see the module.
    says : str
        What messages call it, without an article: "scores table".
    row : str
        What one row stands for: "run, query and measure".
    sort : str
        The columns by which its rows are sorted.
    then : str
        What usually comes next, as `repr` says it: ".summary(), .order()".
    means : mapping, optional
        What columns mean where neither their name nor the common meanings say it.
    unreported, undrawn : str
        Why there is no report, or no plot, of it.
    square : bool
        Whether it is a square frame with the same labels on both sides.
    known_by : str
        The columns by which a frame is recognised as this table, `a|b` where either will do; by default all that it
        must have; `-` where no columns mark it.

    Examples
    --------
    >>> table("example", "run [query] measure tied:share", "table of an example").listed
    'run, [query], measure, tied'
    >>> del SCHEMAS["example"]
    """
    made = Schema(
        name,
        says,
        _columns(columns),
        row,
        tuple(sort.split()),
        then,
        dict(means or {}),
        unreported,
        undrawn,
        square,
        tuple(known_by.split()),
    )
    SCHEMAS.add(name, made)
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
                raise ValueError(f"column {word!r}: choose one of {', '.join(KINDS)}.")
            columns.append(Column(name, holds, optional=bracket == "["))
    return tuple(columns)


def faults(schema: Schema, frame: pd.DataFrame, names: Mapping[str, Sequence[str]]) -> list[str]:
    """Return how a frame differs from its schema: columns missing, unknown, out of order, or of another dtype.

    Parameters
    ----------
    names : mapping of role to columns
        The caller's columns for `run`, `query` and `doc`.

    Examples
    --------
    >>> ties = table("example", "measure tied:share", "table of an example")
    >>> faults(ties, pd.DataFrame({"measure": ["RR"], "tied": [1]}), {})
    ["'tied' should hold share and is int64"]
    >>> del SCHEMAS["example"]
    """
    if schema.square:
        return [] if list(frame.index) == list(frame.columns) else ["index and columns differ"]
    pairs = {side: [f"{name}{side[3:]}" for name in names.get("run", ("run",))] for side in PAIRED}
    callers = {**names, **pairs}
    expected = [
        (name, column)
        for column in schema.columns
        for name in callers.get(column.name, (column.name,))
    ]
    wanted = [name for name, column in expected if not column.optional or name in frame.columns]
    have = list(map(str, frame.columns))
    differences = [
        *(f"no column {name!r}" for name in wanted if name not in have),
        *(f"unknown column {name!r}" for name in have if name not in wanted),
    ]
    if not differences and have != wanted:
        differences = [f"columns are in the order {have}, not {wanted}"]
    differences += [
        f"{name!r} should hold {column.holds} and is {frame[name].dtype}"
        for name, column in expected
        if name in have and len(frame) and not KINDS[column.holds](frame[name].dtype)
    ]
    if not isinstance(frame.index, pd.RangeIndex):
        differences.append(f"its index is {type(frame.index).__name__}")
    return differences


RUNS = table(
    "runs",
    "run query doc [score:float rank:float]",
    "run table",
    known_by="query doc score|rank",
    row="item in a list",
    then=".measure(qrels), .prefer(qrels), .order(qrels)",
    undrawn="a run table has rows per item; draw what its verbs return",
)
# before judgments, which a table of labels could also be
LABELS = table(
    "labels",
    "[query] doc assessor label:any",
    "labels table",
    known_by="doc|item assessor label",
    row="item and assessor",
    then=".agreement()",
    unreported="labels are raw data; report .agreement()",
    undrawn="labels are raw data; draw .agreement()",
)
QRELS = table(
    "qrels",
    "query [subtopic] doc grade:float [propensity:float]",
    "judgments table",
    row="judged item",
    then="runs.ireval.measure(qrels)",
    unreported="judgments are what a report rests on; report scores",
    undrawn="judgments are what a plot rests on; draw scores",
)
LABELLED_TWICE = {
    "machine": "the value by a machine's labels; `value` is then by people's, missing for queries they did not label",
    "probability": "with machine labels: the probability with which people were given the query, where it differs",
}
SCORES = table(
    "scores",
    "run query measure value:float [machine:float] [probability:float]",
    "scores table",
    row="run, query and measure",
    sort="run query",
    then=".summary(), .order(), .compare(), .report()",
    means=LABELLED_TWICE,
)
PREFERENCES = table(
    "preferences",
    "query run_a run_b measure value:float [machine:float] [probability:float]",
    "preferences table",
    row="query, pair of runs and measure",
    sort="query run_a run_b",
    then=".mean(), .matrix(), .order(), .compare()",
    means={"value": "positive where run_a is the better one", **LABELLED_TWICE},
)
VOTES = table(
    "votes",
    "[query] run_a run_b winner:any",
    "log of votes",
    known_by="run_a run_b winner",
    row="vote",
    then=".leaderboard(); pdeval.votes(df) makes preferences of it",
    means={
        "query": "what was voted on",
        "winner": "who won: 'a', 'b' or 'tie', or the name of a system",
    },
    unreported="votes are raw data; report .leaderboard()",
    undrawn="votes are raw data; draw .leaderboard()",
)
CLICKS = table(
    "clicks",
    "session [user bucket run_a run_b method] query [draw:int] time:time action [rank:any doc value:float]",
    "click log",
    # a log with a fault is still a log: its session or its action marks it
    known_by="query session|action time|action|rank|doc",
    row="event",
    sort="session time",
    then=".check(), .behaviour(), .compare_buckets(), .credit(lists)",
    means={
        "session": "a search session, of one user and one bucket",
        "user": "who searched",
        "bucket": "the arm of the experiment",
        "run_a": "the first run of an interleaved list that was shown",
        "run_b": "its second run",
        "method": "how the list was interleaved",
        "draw": "which of several lists of a query was shown",
        "time": "when: date and time with or without a zone, ISO 8601 text, or seconds",
        "action": "'impression' where results were shown, 'click' where one was clicked; any other event by its name",
        "rank": "where the result stood, from 1",
        "value": "what the event was worth, such as the revenue of a purchase",
    },
    unreported="a log is raw data; report .behaviour() or .compare_buckets()",
    undrawn="a log is raw data; see .behaviour()",
)
MATRIX = table("matrix", "", "square matrix", row="run or measure", square=True, then=".report()")
