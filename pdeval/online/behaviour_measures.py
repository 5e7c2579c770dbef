"""The behaviour measures: what is observed of every query, session or user, and where it goes as results get worse.

The first eight declared here, and their directions, are those of Radlinski, Kurup and Joachims (CIKM 2008). As there,
the reciprocal ranks and the times are over queries with a click, so that they do not repeat the abandonment rate.

A measure that looks at one kind of event has it in parentheses: `conversion_rate(order)`, `events_per_user(share)`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd

from pdeval.catalog.directions import Known, remember
from pdeval.online.two_sample_tests import Aggregate
from pdeval.verbs.arguments import TooFew, shown
from pdeval.verbs.registry import Registry
from pdeval.verbs.spelling import nearest

Observe = Callable[..., Any]
Per = Literal["query", "session", "user"]
Function = TypeVar("Function", bound=Observe)


@dataclass(frozen=True)
class BehaviourMeasure:
    """A behaviour measure.

    Parameters
    ----------
    name : str
        What users call it.
    observe : callable
        From the table of `per_query` (of `per_session` or `per_user`, where `per` says so) to one number per row, or to
        two: a numerator and a denominator. NaN where there is nothing to observe. A keyword-only parameter `event` is
        given the column of the event that the measure was asked for, and `value` that of the log's values.
    worse : {'increase', 'decrease'}
        Where it goes as results get worse.
    aggregate : {'mean', 'median', 'ratio'}
        How it is summed up by default: 'mean' is that of all observations, whoever made them.
    rate : bool
        Whether the observations are yes and no, so that their mean is a rate.
    per : {'query', 'session', 'user'}
        What is observed.
    event : str
        The event that it looks at, where it looks at one.
    """

    name: str
    observe: Observe
    worse: Literal["increase", "decrease"]
    aggregate: Aggregate = "mean"
    rate: bool = False
    per: Per = "query"
    event: str = ""

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return (inspect.getdoc(self.observe) or "").partition("\n")[0]

    @cached_property
    def asks(self) -> dict[str, Any]:
        """The keyword-only parameters of its function, with their defaults."""
        parameters = inspect.signature(self.observe).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    def known(self) -> Known:
        """Return what tables have to know of it."""
        return {
            "higher": self.worse == "decrease",
            "aggregate": self.aggregate,
            "family": "behaviour",
            "test": "t",
        }

    def lacks(self, rows: pd.DataFrame) -> str:
        """Return in a sentence what a log lacks for it, or nothing."""
        kinds = rows.attrs.get("event_columns", [])
        if "event" in self.asks and self.event not in (*kinds, *COUNTED):
            others = ", ".join(map(repr, kinds)) or "none beside impressions and clicks"
            near = f" Ask for another: {self.name.partition('(')[0]}({kinds[0]})." if kinds else ""
            return f"{self.name} counts {self.event!r} events, and the log has {others}.{near}"
        if "value" in self.asks and "value_column" not in rows.attrs:
            return f"{self.name} sums up values, and the log has none; bind them: log.ireval(value=...)."
        return ""

    def parts(self, rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Return the numerator and the denominator of every row; both NaN where there is nothing to observe."""
        if reason := self.lacks(rows):
            raise TooFew(reason)
        given = {
            "event": COUNTED.get(self.event, self.event),
            "value": rows.attrs.get("value_column"),
        }
        result = self.observe(rows, **{name: given[name] for name in self.asks if name in given})
        # a numerator alone has the denominator 1
        both = (
            result
            if isinstance(result, tuple) and len(result) == 2
            else (result, np.ones(len(rows)))
        )
        total, over = (np.asarray(one, dtype=np.float64) for one in both)
        for one in (total, over):
            if one.shape != (len(rows),):
                raise ValueError(
                    f"{self.name} gave an array of shape {one.shape} for {len(rows):,} rows; a behaviour measure gives "
                    "one number per row, or two: a numerator and a denominator."
                )
        if (wrong := over[~np.isnan(over) & ~((over >= 0) & (over < np.inf))]).size:
            raise ValueError(
                f"{self.name} has {wrong.size:,} denominators that are no counts, e.g. {wrong[0]:g}: give numbers of "
                "at least 0."
            )
        nothing = np.isnan(total) | np.isnan(over) | (over == 0)
        return np.where(nothing, np.nan, total), np.where(nothing, np.nan, over)

    def values(self, rows: pd.DataFrame) -> np.ndarray:
        """Return the observations, one per row."""
        total, over = self.parts(rows)
        return total / over


# events that the tables of queries and users count in columns of their own
COUNTED = {"impression": "impressions", "click": "clicks"}
MEASURES: Registry[BehaviourMeasure] = Registry(
    "behaviour measure", taken="pdeval has a behaviour measure {name!r}; give yours another name."
)


def behaviour_measure(
    *,
    worse: Literal["increase", "decrease"],
    name: str | None = None,
    aggregate: Aggregate = "mean",
    rate: bool = False,
    per: Per = "query",
) -> Callable[[Function], Function]:
    """Declare a behaviour measure: a function from the table of `per_query` to one number per row.

    A function that returns two, a numerator and a denominator, is a ratio: `return users["clicks"], users["queries"]`.
    Events are columns of these tables under their own names, and what they were worth is one under the log's name.

    Parameters
    ----------
    worse : {'increase', 'decrease'}
        Where it goes as results get worse.
    name : str, optional
        What users call it; by default the function's name.
    aggregate : {'mean', 'median', 'ratio'}
        How it is summed up by default: the mean of all observations, whoever made them; the median of the users' own
        means; or the sum of numerators over the sum of denominators.
    rate : bool
        Whether the observations are yes and no, so that their mean is a rate.
    per : {'query', 'session', 'user'}
        Whether the function takes the table of `per_query`, of `per_session` or of `per_user`.

    Examples
    --------
    >>> @behaviour_measure(worse="decrease", rate=True)
    ... def clicked_on_top(queries):
    ...     "Whether one of the first three results was clicked."
    ...     return queries["max_reciprocal_rank"] >= 1 / 3
    >>> MEASURES.pop("clicked_on_top").summary
    'Whether one of the first three results was clicked.'
    """

    def declare(function: Function) -> Function:
        made = BehaviourMeasure(name or function.__name__, function, worse, aggregate, rate, per)
        if isinstance(event := made.asks.get("event"), str):
            made = replace(made, event=event)
        MEASURES.add(made.name, made, function.__module__)
        remember(made.name, made.known())
        return function

    return declare


@behaviour_measure(worse="increase", rate=True)
def abandonment_rate(queries: pd.DataFrame) -> pd.Series:
    """Whether nothing was clicked."""
    return queries["abandoned"]


@behaviour_measure(worse="increase", rate=True)
def reformulation_rate(queries: pd.DataFrame) -> pd.Series:
    """Whether another query followed in the session."""
    return queries["reformulated"]


@behaviour_measure(worse="increase", per="session")
def queries_per_session(sessions: pd.DataFrame) -> pd.Series:
    """How many queries were issued in the session."""
    return sessions["queries"]


@behaviour_measure(worse="decrease")
def clicks_per_query(queries: pd.DataFrame) -> pd.Series:
    """How many different results were clicked."""
    return queries["clicks"]


@behaviour_measure(worse="decrease")
def max_reciprocal_rank(queries: pd.DataFrame) -> pd.Series:
    """The reciprocal rank of the clicked result that stood highest, over queries with a click."""
    return queries["max_reciprocal_rank"]


@behaviour_measure(worse="decrease")
def mean_reciprocal_rank(queries: pd.DataFrame) -> pd.Series:
    """The mean reciprocal rank of the clicked results, over queries with a click."""
    return queries["mean_reciprocal_rank"]


@behaviour_measure(worse="increase", aggregate="median")
def time_to_first_click(queries: pd.DataFrame) -> pd.Series:
    """Seconds from the results to the first click, over queries with a click."""
    return queries["time_to_first_click"]


@behaviour_measure(worse="decrease", aggregate="median")
def time_to_last_click(queries: pd.DataFrame) -> pd.Series:
    """Seconds from the results to the last click, over queries with a click."""
    return queries["time_to_last_click"]


@behaviour_measure(worse="decrease", rate=True)
def first_result_clicks(queries: pd.DataFrame) -> pd.Series:
    """Whether the first result was clicked: click-through on it, over all queries."""
    return queries["max_reciprocal_rank"] == 1


@behaviour_measure(worse="decrease", aggregate="ratio")
def click_through_rate(queries: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Clicks over impressions: results clicked, of the pages or results that the log has as shown."""
    return queries["clicks"], queries["impressions"]


@behaviour_measure(worse="decrease", rate=True, per="user")
def conversion_rate(users: pd.DataFrame, *, event: str = "purchase") -> pd.Series:
    """Whether the user ever did what counts as success: by default a 'purchase'."""
    return users[event] > 0


@behaviour_measure(worse="decrease", per="user")
def revenue_per_user(users: pd.DataFrame, *, value: str) -> pd.Series:
    """What the user's events were worth in all, 0 for users without any."""
    return users[value]


@behaviour_measure(worse="decrease", per="user")
def sessions_per_user(users: pd.DataFrame) -> pd.Series:
    """How many sessions the user had."""
    return users["sessions"]


@behaviour_measure(worse="decrease", per="user")
def events_per_user(users: pd.DataFrame, *, event: str = "click") -> pd.Series:
    """How many events of a kind the user had: by default clicks."""
    return users[event]


# only where they are asked for: they say again, or little, beside the others
ON_REQUEST = ("click_through_rate", "sessions_per_user", "events_per_user")

# what people type
ALIASES = {
    "CTR": "click_through_rate",
    "conversion": "conversion_rate",
    "revenue": "revenue_per_user",
    "ARPU": "revenue_per_user",
    "abandonment": "abandonment_rate",
}


def measure_of_name(name: object) -> BehaviourMeasure:
    """Return the measure of a name, of an alias, or of a name with its event; labelled as it was asked for.

    Examples
    --------
    >>> measure_of_name("CTR").aggregate, measure_of_name("conversion(order)").event
    ('ratio', 'order')
    """
    if isinstance(name, str):
        stem, event = _SPELLED.fullmatch(name.strip()).groups()  # type: ignore[union-attr]
        made = MEASURES.get(ALIASES.get(stem, stem))
        if made is not None and event is None:
            return replace(made, name=name)
        if made is not None and "event" in made.asks and event:
            return replace(made, name=name, event=event.strip(" '\""))
        if made is not None:
            raise KeyError(f"{stem} takes no event in parentheses: write {stem!r}.")
    near = nearest(name, {**ALIASES, **{one: one for one in MEASURES}})
    hint = f" Did you mean {near!r}?" if near else ""
    raise KeyError(f"no behaviour measure {name!r}; there are {', '.join(MEASURES)}.{hint}")


_SPELLED = re.compile(r"(.*?)\s*(?:\((.*)\))?", re.DOTALL)


def names_in(option: str, given: object) -> list[Any]:
    """Return what an option lists, a single name as a list of one; an error where it lists nothing.

    Examples
    --------
    >>> names_in("measures", "clicks_per_query"), names_in("order", ("new", "old"))
    (['clicks_per_query'], ['new', 'old'])
    """
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Iterable):
        raise TypeError(f"{option}={given!r}: give a list of names.")
    names = list(given)
    if not names:
        raise ValueError(f"{option}={given!r}: give at least one name.")
    return names


def chosen_measures(
    measures: Iterable[str] | str | None, aggregate: Aggregate | Mapping[str, Aggregate] | None
) -> tuple[list[BehaviourMeasure], dict[str, Aggregate]]:
    """Return the measures asked for, and how the caller wants some of them summed up.

    Examples
    --------
    >>> [measure.name for measure in chosen_measures("clicks_per_query", None)[0]]
    ['clicks_per_query']
    """
    usual = [name for name in MEASURES if name not in ON_REQUEST]
    chosen = usual if measures is None else names_in("measures", measures)
    given = {} if aggregate is None else aggregate
    how = given if isinstance(given, Mapping) else dict.fromkeys(chosen, given)
    for name in how:
        measure_of_name(name)
    parsed = [measure_of_name(name) for name in chosen]
    for value in how.values():
        if not isinstance(value, str) or value not in ("mean", "median", "ratio"):  # type: ignore[redundant-expr]
            raise ValueError(f"aggregate is 'mean', 'median' or 'ratio', not {shown(value)}.")
    return parsed, dict(how)
