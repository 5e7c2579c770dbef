"""Simulated click logs: users of a click model search on interleaved lists, or on the rankings of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from pdeval.kinds.labels import labels, run_labels
from pdeval.mechanics.progress import track
from pdeval.online.click_models import ClickModel, ModelName, click_model
from pdeval.online.faults import CLICK, IMPRESSION
from pdeval.online.matching import places
from pdeval.online.rankings import rankings

SESSIONS = 4096  # in a block; each block has its own stream of random numbers


@dataclass(frozen=True)
class Shown:
    """Lists that users can be shown: one row per list, sorted by arm and query.

    `keys` holds the columns that a log carries along (arm, query, draw), `doc` and `grade` have a column per position,
    -1 and NaN past a list's end; `arm` and `query` number the arm, and the query within all arms, of every list.
    """

    keys: pd.DataFrame
    docs: pd.Index
    doc: np.ndarray
    grade: np.ndarray
    arm: np.ndarray
    query: np.ndarray

    @cached_property
    def groups(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The (arm, query) of every list as a number; where each begins; the first and last + 1 of its arm."""
        new = np.append(True, (np.diff(self.query) != 0) | (np.diff(self.arm) != 0))[: len(self.arm)]
        begin = np.flatnonzero(new)
        arm = self.arm[begin]
        return np.cumsum(new) - 1, begin, np.searchsorted(arm, arm, "left"), np.searchsorted(arm, arm, "right")


def simulate(
    lists: pd.DataFrame,
    qrels: pd.DataFrame,
    *,
    model: ModelName | ClickModel = "perfect",
    sessions: int = 1,
    users: int | None = None,
    reformulate: float = 0.0,
    max_queries: int = 10,
    level: float = 1,
    graded: bool = False,
    depth: int | None = None,
    seconds_per_result: float = 5.0,
    seconds_per_click: float = 30.0,
    start: str = "2024-01-01",
    seed: int | None = 0,
    progress: bool | None = None,
    run: str | Sequence[str] = "run",
    query: str = "query_id",
    doc: str = "doc_id",
    grade: str = "relevance",
) -> pd.DataFrame:
    """Return the click log of simulated users of interleaved lists, or of runs as buckets.

    Parameters
    ----------
    lists : DataFrame
        What `interleave` or `multileave` returned; or a run table, whose runs become the buckets of an A/B test.
    qrels : DataFrame
        Judgments; unjudged documents count as not relevant.
    model : str or ClickModel
        'perfect', 'navigational', 'informational', 'position-biased', 'cascade', or one of your own.
    sessions : int
        How many sessions begin with each list.
    users : int, optional
        How many users share the sessions of each arm (pair of runs, or bucket), at random; by default every session
        has a user of its own.
    reformulate : float
        Probability that a user who clicked nothing relevant issues another query of the same arm. Others stop.
    max_queries : int
        The most queries in a session.
    level, graded
        Relevant from this grade on; or, if `graded`, relevant in proportion to the grade, the largest grade fully.
    depth : int, optional
        Positions shown; by default the whole list, for a run table the first 10.
    seconds_per_result, seconds_per_click : float
        Mean times to read a result of the list and a clicked document, exponentially distributed.
    start : str
        The date of the first session; one begins every minute.
    seed : int, optional
        The same seed gives the same log for any order of the rows.
    progress : bool, optional
        Show a progress bar; by default only for long work that a person is watching.
    run, query, doc, grade : str
        The columns.

    Returns
    -------
    DataFrame
        A click log: session, user, [bucket | run_a, run_b, method, draw,] query_id, timestamp (UTC), action, rank,
        doc_id; one impression row per issued query, one row per click; sorted by session and time.

    Examples
    --------
    >>> runs = pd.DataFrame({"run": ["x", "x", "y", "y"], "query_id": 1, "doc_id": list("abba"), "rank": [1, 2] * 2})
    >>> qrels = pd.DataFrame({"query_id": [1], "doc_id": ["b"], "relevance": [1]})
    >>> simulate(runs, qrels)[["session", "bucket", "action", "rank"]].dropna().values.tolist()
    [[0, 'x', 'click', 2], [1, 'y', 'click', 1]]
    """
    chosen = click_model(model)
    if not 0 <= reformulate <= 1 or sessions < 1 or max_queries < 1 or (users is not None and users < 1):
        raise ValueError(
            f"reformulate is from 0 to 1, sessions, max_queries and users at least 1; found {reformulate}, "
            f"{sessions}, {max_queries} and {users}."
        )
    shown = _shown(lists, qrels, level, graded, depth, run, query, doc, grade)
    first = np.repeat(np.arange(len(shown.keys)), sessions)
    blocks = [first[begin : begin + SESSIONS] for begin in range(0, len(first), SESSIONS)]
    streams = np.random.SeedSequence(seed).spawn(len(blocks) + 1)
    pace = (seconds_per_result, seconds_per_click)
    parts = []
    steps = track(zip(blocks, streams[1:], strict=True), total=len(blocks), desc="sessions", progress=progress)
    for number, (block, stream) in enumerate(steps):
        events = _sessions(shown, block, chosen, reformulate, max_queries, pace, np.random.default_rng(stream))
        events[0] += number * SESSIONS
        parts.append(events)
    session, when, at, position = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((position, when, session))
    session, at = session[order].astype(np.int64), at[order].astype(np.int64)
    position, when = position[order].astype(np.int64), when[order]

    user = np.arange(len(first))
    if users is not None:
        user = shown.arm[first] * users + np.random.default_rng(streams[0]).integers(users, size=len(first))
    clicked = position >= 0
    moment = np.datetime64(start, "ms") + np.round(1000 * (when + 60 * session)).astype("timedelta64[ms]")
    columns: dict[str, object] = {"session": session, "user": user[session]}
    for name in shown.keys.columns:
        codes, values = pd.factorize(shown.keys[name], sort=True)
        columns[name] = labels(pd.Index(values), codes[at])
    columns["timestamp"] = pd.DatetimeIndex(moment).tz_localize("UTC")
    columns["action"] = labels(pd.Index([IMPRESSION, CLICK]), clicked.astype(np.int8))
    columns["rank"] = pd.arrays.IntegerArray(np.where(clicked, position + 1, 1), ~clicked)
    document = np.where(clicked, shown.doc[at, np.maximum(position, 0)], -1)
    columns[doc] = pd.Categorical.from_codes(document, categories=shown.docs)
    return pd.DataFrame(columns, copy=False)


def _sessions(
    shown: Shown,
    first: np.ndarray,
    model: ClickModel,
    reformulate: float,
    max_queries: int,
    pace: tuple[float, float],
    rng: np.random.Generator,
) -> list[np.ndarray]:
    """Return session, seconds since its start, list and position (-1: an impression) of every event of a block."""
    events: list[tuple[np.ndarray, ...]] = []
    session, at = np.arange(len(first)), first
    clock = np.zeros(len(first))
    for _ in range(max_queries if reformulate else 1):
        grade = shown.grade[at]
        examined, clicked = model.clicks(grade, rng)
        reading = rng.standard_exponential(grade.shape) * pace[0] * examined
        visit = rng.standard_exponential(grade.shape) * pace[1] * clicked
        spent = np.cumsum(reading + visit, axis=1)
        rows, position = np.nonzero(clicked)
        moment = clock[rows] + (spent - visit)[rows, position]
        events.append((session, clock, at, np.full(len(session), -1)))
        events.append((session[rows], moment, at[rows], position))
        satisfied = (clicked & (grade > 0)).any(axis=1)
        chance = rng.random((2, len(session)))
        following = _next(shown, at, chance[1])
        again = ~satisfied & (chance[0] < reformulate) & (following >= 0)
        session, at = session[again], following[again]
        clock = (clock + spent[:, -1])[again] + 1.0
    return [np.concatenate(column) for column in zip(*events, strict=True)]


def _next(shown: Shown, at: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """Return a list of another query of the same arm, or -1 where the arm has no other."""
    group, begin, low, high = shown.groups
    count = np.diff(np.append(begin, len(group)))
    own = group[at]
    others = (high - low)[own] - 1
    step = chance * np.maximum(others, 1)
    other = low[own] + (own - low[own] + 1 + step.astype(np.int64)) % (others + 1)
    picked = begin[other] + ((step % 1) * count[other]).astype(np.int64)
    return np.where(others > 0, picked, -1)


def _shown(
    lists: pd.DataFrame,
    qrels: pd.DataFrame,
    level: float,
    graded: bool,
    depth: int | None,
    run: str | Sequence[str],
    query: str,
    doc: str,
    grade: str,
) -> Shown:
    names = [run] if isinstance(run, str) else list(run)
    frame, arms = _long(lists, names, query, doc, depth)
    if not len(frame):
        raise ValueError("the lists hold no rows, so nobody can be shown anything.")
    absent = [name for name in (query, doc, grade) if name not in qrels.columns]
    if absent:
        raise ValueError(
            f"the judgments have no column {', '.join(absent)}; they have {', '.join(map(str, qrels.columns))}. "
            "Name the columns with query=, doc=, grade=."
        )
    keys = [*arms, query, *(["draw"] if "draw" in frame.columns else [])]
    number = frame.groupby(keys, sort=True, observed=True).ngroup().to_numpy()
    place = frame["position"].to_numpy(dtype=np.int64) - 1
    shape = (int(number.max(initial=-1)) + 1, int(place.max(initial=-1)) + 1)
    codes, docs = pd.factorize(frame[doc].astype(object), sort=True)
    if qrels.duplicated([query, doc]).any():
        raise ValueError("the judgments have several rows for one (query, doc); keep one of each.")
    judged = places([qrels[query], qrels[doc]], [frame[query], frame[doc]])
    value = np.where(judged >= 0, np.append(qrels[grade].to_numpy(dtype=np.float64), 0.0)[judged], 0.0)
    top = max(float(qrels[grade].max()), 1.0) if len(qrels) else 1.0
    value = np.clip(value / top, 0, 1) if graded else (value >= level).astype(np.float64)
    document = np.full(shape, -1, dtype=np.int64)
    document[number, place] = codes
    grades = np.full(shape, np.nan)
    grades[number, place] = value
    head = frame.loc[~frame.duplicated(keys), keys]
    head = head.iloc[np.argsort(number[~frame.duplicated(keys).to_numpy()])].reset_index(drop=True)
    arm = head.groupby(arms, sort=True, observed=True).ngroup().to_numpy() if arms else np.zeros(len(head), np.int64)
    return Shown(head, pd.Index(docs), document, grades, arm, pd.factorize(head[query])[0])


def _long(
    lists: pd.DataFrame, names: list[str], query: str, doc: str, depth: int | None
) -> tuple[pd.DataFrame, list[str]]:
    """Return lists as rows (arm, query, [draw,] position, doc), and the columns that name the arm."""
    if "position" in lists.columns:
        absent = [name for name in (query, doc) if name not in lists.columns]
        if absent:
            raise ValueError(f"the interleaved lists have no column {', '.join(absent)}; name it with query=, doc=.")
        arms = [f"{name}_{side}" for side in "ab" for name in names if f"{name}_{side}" in lists.columns]
        arms += [name for name in ("method",) if name in lists.columns]
        frame = lists if depth is None else lists[lists["position"] <= depth]
        return frame, arms
    found = rankings(lists, run=names, query=query, doc=doc)
    run, topic = np.nonzero(found.size)
    top = found.top(run, topic, min(depth or 10, int(found.size.max())))
    rows, place = np.nonzero(top >= 0)
    label = pd.Index(found.runs[names[0]]) if len(names) == 1 else pd.Index(run_labels(found.runs))
    frame = pd.DataFrame(
        {
            "bucket": labels(label, run[rows]),
            query: labels(found.queries, topic[rows]),
            "position": place + 1,
            doc: labels(found.docs, top[rows, place]),
        }
    )
    return frame, ["bucket"]
