"""What users did: the behaviour of every issued query and of every session of a click log."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.kinds.schemas import table
from pdeval.kinds.tables import Table
from pdeval.online.log import Log, read_log
from pdeval.verbs import verb

table(
    "issued_queries",
    "[bucket] session [user] query time:time clicks:int abandoned:bool reformulated:bool max_reciprocal_rank:float "
    "mean_reciprocal_rank:float time_to_first_click:float time_to_last_click:float",
    "table of issued queries",
    known_by="clicks abandoned reformulated max_reciprocal_rank mean_reciprocal_rank time_to_first_click "
    "time_to_last_click",
    row="issued query",
    sort="session time",
    means={
        "time": "when the query was first shown",
        "clicks": "how many different results were clicked",
        "abandoned": "whether none was",
        "reformulated": "whether another query followed in the session",
        "max_reciprocal_rank": "of the clicked result that stood highest; NaN without a click",
        "mean_reciprocal_rank": "of the clicked results; NaN without a click",
        "time_to_first_click": "in seconds; NaN without a click",
        "time_to_last_click": "in seconds; NaN without a click",
    },
    unreported="it has a row per issued query; report log.ireval.behaviour()",
    undrawn="it has a row per issued query; see log.ireval.behaviour()",
)
table(
    "sessions",
    "[bucket] session [user] queries:int",
    "table of sessions",
    row="session",
    sort="session",
    means={"queries": "how many queries were issued in it"},
    unreported="it has a row per session; report log.ireval.behaviour()",
    undrawn="it has a row per session; see log.ireval.behaviour()",
)


@verb(on="clicks", gives="issued_queries")
def per_query(log: Table) -> pd.DataFrame:
    """Return the behaviour after every issued query: clicks, abandonment, reciprocal ranks, times.

    Examples
    --------
    >>> log = pd.DataFrame(
    ...     [("s", "jaguar", 0, "impression", None), ("s", "jaguar", 8, "click", 4), ("s", "jaguar", 31, "click", 2),
    ...      ("s", "jaguar car", 60, "impression", None)],
    ...     columns=["session", "query_id", "timestamp", "action", "rank"])
    >>> log.ireval.per_query()[["query_id", "clicks", "reformulated", "mean_reciprocal_rank", "time_to_last_click"]]
         query_id  clicks  reformulated  mean_reciprocal_rank  time_to_last_click
    0      jaguar       2          True                 0.375                31.0
    1  jaguar car       0         False                   NaN                 NaN
    """
    read = read_log(log)
    frame = behaviour_of(read)
    frame.attrs = read.attrs("bucket", "session", "user", "query", "time")
    return frame


@verb(on="clicks", gives="sessions")
def per_session(log: Table) -> pd.DataFrame:
    """Return the number of queries issued in every session.

    Examples
    --------
    >>> log = pd.DataFrame({"session": ["s", "s", "t"], "query_id": ["a", "b", "a"], "timestamp": [0, 5, 3],
    ...                     "action": "impression", "rank": None})
    >>> log.ireval.per_session()
      session  queries
    0       s        2
    1       t        1
    """
    read = read_log(log)
    frame = sessions_of(read)
    frame.attrs = read.attrs("bucket", "session", "user")
    return frame


def behaviour_of(log: Log) -> pd.DataFrame:
    """Return the behaviour after every issued query of a log that has been read."""
    n = len(log.queries)
    session, _ = log.codes("session")
    last = np.append(session[1:] != session[:-1], True)

    # a result that is clicked twice is one result clicked
    order = np.lexsort((log.result, log.issue))
    issue, result = log.issue[order], log.result[order]
    once = np.append(True, (issue[1:] != issue[:-1]) | (result[1:] != result[:-1]))[: len(issue)]
    clicks = np.bincount(issue[once], minlength=n)
    inverse = 1 / log.rank[order][once]
    known = ~np.isnan(inverse)
    at, inverse = issue[once][known], inverse[known]
    best = np.full(n, -np.inf)
    np.maximum.at(best, at, inverse)
    ranked = np.bincount(at, minlength=n)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(at, inverse, minlength=n) / ranked

    timed = ~np.isnan(log.after)
    soonest, latest = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(soonest, log.issue[timed], log.after[timed])
    np.maximum.at(latest, log.issue[timed], log.after[timed])
    return log.queries.assign(
        clicks=clicks,
        abandoned=clicks == 0,
        reformulated=~last,
        max_reciprocal_rank=np.where(np.isinf(best), np.nan, best),
        mean_reciprocal_rank=mean,
        time_to_first_click=np.where(np.isinf(soonest), np.nan, soonest),
        time_to_last_click=np.where(np.isinf(latest), np.nan, latest),
    )


def sessions_of(log: Log) -> pd.DataFrame:
    """Return the number of queries of every session of a log that has been read."""
    session, _ = log.codes("session")
    first = np.append(True, session[1:] != session[:-1])[: len(session)]
    columns = [log.names[role] for role in ("bucket", "session", "user") if role in log.names]
    frame = log.queries.loc[first, columns].reset_index(drop=True)
    return frame.assign(queries=np.bincount(session))
