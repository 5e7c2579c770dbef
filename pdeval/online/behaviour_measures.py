"""The behaviour measures: what is observed of every issued query or session, and where it goes as results get worse.

The first eight declared here, and their directions, are those of Radlinski, Kurup and Joachims (CIKM 2008). As there,
the reciprocal ranks and the times are over queries with a click, so that they do not repeat the abandonment rate.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd

from pdeval.catalog.known import Known, remember
from pdeval.mechanics.arguments import shown
from pdeval.online.samples import Aggregate

Observe = Callable[[pd.DataFrame], pd.Series]
Function = TypeVar("Function", bound=Observe)


@dataclass(frozen=True)
class BehaviourMeasure:
    """A behaviour measure.

    Parameters
    ----------
    name : str
        What users call it.
    observe : callable
        From the table of `per_query` (of `per_session`, where `per` says so) to one number per row; NaN where there is
        nothing to observe.
    worse : {'increase', 'decrease'}
        Where it goes as results get worse.
    aggregate : {'mean', 'median'}
        How it is summed up by default.
    rate : bool
        Whether the observations are yes and no, so that their mean is a rate.
    per : {'query', 'session'}
        What is observed.
    """

    name: str
    observe: Observe
    worse: Literal["increase", "decrease"]
    aggregate: Aggregate = "mean"
    rate: bool = False
    per: Literal["query", "session"] = "query"

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return (inspect.getdoc(self.observe) or "").partition("\n")[0]

    def known(self) -> Known:
        """Return what tables have to know of it."""
        return {"higher": self.worse == "decrease", "aggregate": self.aggregate, "family": "behaviour", "test": "t"}

    def values(self, rows: pd.DataFrame) -> np.ndarray:
        """Return the observations, one per row."""
        found = np.asarray(self.observe(rows), dtype=np.float64)
        if found.shape != (len(rows),):
            raise ValueError(
                f"{self.name} gave an array of shape {found.shape} for {len(rows):,} rows; a behaviour measure gives "
                "one number per row."
            )
        return found


MEASURES: dict[str, BehaviourMeasure] = {}


def behaviour_measure(
    *,
    worse: Literal["increase", "decrease"],
    name: str | None = None,
    aggregate: Aggregate = "mean",
    rate: bool = False,
    per: Literal["query", "session"] = "query",
) -> Callable[[Function], Function]:
    """Declare a behaviour measure: a function from the table of `per_query` to one number per row.

    Parameters
    ----------
    worse : {'increase', 'decrease'}
        Where it goes as results get worse.
    name : str, optional
        What users call it; by default the function's name.
    aggregate : {'mean', 'median'}
        How it is summed up by default.
    rate : bool
        Whether the observations are yes and no, so that their mean is a rate.
    per : {'query', 'session'}
        Whether the function takes the table of `per_query` or of `per_session`.

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
        taken = MEASURES.get(made.name)
        if taken is not None and taken.observe.__module__ == __name__ != function.__module__:
            raise ValueError(f"pdeval has a behaviour measure {made.name!r}; give yours another name.")
        MEASURES[made.name] = made
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
    found = list(given)
    if not found:
        raise ValueError(f"{option}={given!r}: give at least one name.")
    return found


def chosen_measures(
    measures: Iterable[str] | str | None, aggregate: Aggregate | Mapping[str, Aggregate] | None
) -> tuple[list[BehaviourMeasure], dict[str, Aggregate]]:
    """Return the measures asked for, and how each is summed up.

    Examples
    --------
    >>> [measure.name for measure in chosen_measures("clicks_per_query", None)[0]]
    ['clicks_per_query']
    """
    chosen = list(MEASURES) if measures is None else names_in("measures", measures)
    given = {} if aggregate is None else aggregate
    how = given if isinstance(given, Mapping) else dict.fromkeys(chosen, given)
    unknown = [name for name in [*chosen, *how] if not isinstance(name, str) or name not in MEASURES]
    if unknown:
        raise KeyError(f"no behaviour measure {unknown[0]!r}; there are {', '.join(MEASURES)}.")
    values: list[Any] = list(how.values())
    wrong = [value for value in values if not isinstance(value, str) or value not in ("mean", "median")]
    if wrong:
        raise ValueError(f"aggregate is 'mean' or 'median', not {shown(wrong[0])}.")
    return [MEASURES[name] for name in chosen], {name: how.get(name, MEASURES[name].aggregate) for name in chosen}
