"""What users did: the behaviour of every issued query and of every session of a click log."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.online.log import Log, read_log


def per_query(log: pd.DataFrame, **binding: str) -> pd.DataFrame:
    """Return the behaviour after every issued query: one row per issued query.

    Parameters
    ----------
    log : DataFrame
        A click log; its format is described in `pdeval.online.log`.
    **binding : str
        Column names by role: session, user, query, timestamp, action, rank, doc, bucket.

    Returns
    -------
    DataFrame
        [bucket,] session, [user,] query_id, timestamp (when the query was first shown), then `clicks` (different
        results clicked), `abandoned` (none was), `reformulated` (another query followed in the session),
        `max_reciprocal_rank` and `mean_reciprocal_rank` of the results clicked, `time_to_first_click` and
        `time_to_last_click` in seconds; NaN without a click. Sorted by session and time.

    Examples
    --------
    >>> log = pd.DataFrame(
    ...     [("s", "jaguar", 0, "impression", None), ("s", "jaguar", 8, "click", 4), ("s", "jaguar", 31, "click", 2),
    ...      ("s", "jaguar car", 60, "impression", None)],
    ...     columns=["session", "query_id", "timestamp", "action", "rank"])
    >>> per_query(log).drop(columns=["session", "timestamp"]).values.tolist()
    [['jaguar', 2, False, True, 0.5, 0.375, 8.0, 31.0], ['jaguar car', 0, True, False, nan, nan, nan, nan]]
    """
    return behaviour_of(read_log(log, binding))


def per_session(log: pd.DataFrame, **binding: str) -> pd.DataFrame:
    """Return the number of queries issued in every session.

    Returns
    -------
    DataFrame
        [bucket,] session, [user,] queries; sorted by session.

    Examples
    --------
    >>> log = pd.DataFrame({"session": ["s", "s", "t"], "query_id": ["a", "b", "a"], "timestamp": [0, 5, 3],
    ...                     "action": "impression", "rank": None})
    >>> per_session(log).values.tolist()
    [['s', 2], ['t', 1]]
    """
    return sessions_of(read_log(log, binding))


def behaviour_of(log: Log) -> pd.DataFrame:
    """Return the behaviour after every issued query of a log that has been read."""
    n = len(log.queries)
    session, _ = log.codes("session")
    last = np.append(session[1:] != session[:-1], True)

    # a result that is clicked twice is one result clicked
    order = np.lexsort((log.result, log.of))
    of, result = log.of[order], log.result[order]
    once = np.append(True, (of[1:] != of[:-1]) | (result[1:] != result[:-1]))[: len(of)]
    clicks = np.bincount(of[once], minlength=n)
    inverse = 1 / log.rank[order][once]
    known = ~np.isnan(inverse)
    at, inverse = of[once][known], inverse[known]
    best = np.full(n, -np.inf)
    np.maximum.at(best, at, inverse)
    ranked = np.bincount(at, minlength=n)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(at, inverse, minlength=n) / ranked

    timed = ~np.isnan(log.after)
    soonest, latest = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(soonest, log.of[timed], log.after[timed])
    np.maximum.at(latest, log.of[timed], log.after[timed])
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
