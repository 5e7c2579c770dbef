"""Simulated click logs: users of a click model search on interleaved lists, or on the rankings of runs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, get_args

import numpy as np
import pandas as pd

from pdeval.join import judgments
from pdeval.join.rules import Compat, Ties, checked_level, outside
from pdeval.online.click_models import ClickModel, chosen_model
from pdeval.online.log_checks import CLICK, IMPRESSION
from pdeval.online.rankings import rankings
from pdeval.tables import reader
from pdeval.tables.labels import labels, run_labels
from pdeval.tables.metadata import numeric, places
from pdeval.tables.reader import Table
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import number, one_of, whole
from pdeval.verbs.progress import track

MOST_POSITIONS = 1_000_000  # an array of lists x positions is made

SESSIONS = 4096  # in a block; each block has its own stream of random numbers


@dataclass(frozen=True)
class Shown:
    """Lists that users can be shown: one row per list, sorted by arm and query.

    `keys` holds the columns that a log carries along (arm, query, draw), `names` says which of its columns play which
    roles; `doc` and `grade` have a column per position, -1 and NaN past a list's end; `arm` and `query` number the arm,
    and the query within all arms, of every list.
    """

    keys: pd.DataFrame
    names: dict[Any, Any]
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


@verb(on=("lists", "multileaved_lists", "runs"), gives="clicks", own="depth")
def simulate_clicks(
    shown: Table,
    qrels: object,
    model: str | ClickModel = "perfect",
    *,
    sessions: int = 1,
    users: int | None = None,
    reformulate: float = 0.0,
    max_queries: int = 10,
    level: float | None = None,
    graded: bool = False,
    depth: int | None = None,
    seconds_per_result: float = 5.0,
    seconds_per_click: float = 30.0,
    start: str = "2024-01-01",
    seed: int | None = 0,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the click log of simulated users of interleaved lists, or of runs as the buckets of an A/B test.

    The log has one impression row per issued query and one row per click.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        Judgments: query, doc, grade; of several subtopics an item's largest grade. Unjudged items count as not
        relevant.
    model : str or ClickModel
        Whom to simulate: 'perfect' users click everything relevant and nothing else; 'navigational' ones look for one
        result, 'informational' ones for many; 'position-biased' ones look the less at a result the lower it stands;
        'cascade' ones read downwards to their first click; or a model that you declared, or a ClickModel.
    sessions : int
        How many sessions begin with each list.
    users : int, optional
        How many users share the sessions of each arm (pair of runs, or bucket), at random; by default every session
        has a user of its own.
    reformulate : float
        Probability that a user who clicked nothing relevant issues another query of the same arm. Others stop.
    max_queries : int
        The most queries in a session.
    graded : bool
        Instead, items are relevant in proportion to their grade, the largest grade fully.
    depth : int, optional
        Positions shown; by default the whole list, of runs the first 10.
    seconds_per_result : float
        Mean time to read a result of the list, exponentially distributed.
    seconds_per_click : float
        Mean time to read a clicked document, exponentially distributed.
    start : str
        The date of the first session; one begins every minute.
    seed : int, optional
        ... The order of the rows does not matter.
    ties : {'docid', 'rank', 'first'}, optional
        How runs are ranked where scores are equal: document id descending, as trec_eval; the rank column; the order of
        rows. By default 'docid' where there are scores, else 'rank'. Interleaved lists stand as they are.
    compat : {'trec_eval-10', 'trec_eval-9', 'pref_eval'}
        Whose arithmetic ranks runs, where tools differ.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> log = runs[runs["run"] == "bm25"].ireval.simulate_clicks(qrels, "navigational")
    >>> log[["session", "bucket", "query_id", "action", "rank", "doc_id"]].head(3)
       session bucket query_id      action  rank     doc_id
    0        0   bm25      101  impression  <NA>        NaN
    1        0   bm25      101       click     2  doc-03054
    2        1   bm25      102  impression  <NA>        NaN
    """
    chosen, seed = chosen_model(model), arguments.seed(seed)
    sessions, max_queries = whole("sessions", sessions, 1), whole("max_queries", max_queries, 1)
    users = None if users is None else whole("users", users, 1)
    depth = None if depth is None else whole("depth", depth, 1)
    reformulate = number("reformulate", reformulate, 0)
    if reformulate > 1:
        raise ValueError(f"reformulate={reformulate!r}: give a probability from 0 to 1.")
    if ties is not None:
        ties = one_of("ties", ties, ("docid", "rank", "first"))  # type: ignore[assignment]
    compat = one_of("compat", compat, get_args(Compat))  # type: ignore[assignment]
    pace = _finite("seconds_per_result", seconds_per_result), _finite("seconds_per_click", seconds_per_click)
    begin = _moment(start)
    judged = qrels if isinstance(qrels, Table) else reader.read(qrels, "qrels")
    lists = _lists(shown, judged, checked_level(level), graded, depth, ties, compat)
    first = np.repeat(np.arange(len(lists.keys)), sessions)
    blocks = [first[at : at + SESSIONS] for at in range(0, len(first), SESSIONS)]
    streams = np.random.SeedSequence(seed).spawn(len(blocks) + 1)
    parts = []
    steps = track(zip(blocks, streams[1:], strict=True), total=len(blocks), desc="sessions", progress=progress)
    for turn, (block, stream) in enumerate(steps):
        events = _sessions(lists, block, chosen, reformulate, max_queries, pace, np.random.default_rng(stream))
        events[0] += turn * SESSIONS
        parts.append(events)
    session, when, at, position = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((position, when, session))
    session, at = session[order].astype(np.int64), at[order].astype(np.int64)
    position, when = position[order].astype(np.int64), when[order]

    user = np.arange(len(first))
    if users is not None:
        user = lists.arm[first] * users + np.random.default_rng(streams[0]).integers(users, size=len(first))
    moment = begin + np.round(1000 * (when + 60 * session)).astype("timedelta64[ms]")
    frame = _log(lists, session, user[session], at, position, moment)
    frame.attrs = {**lists.names, "model": model if isinstance(model, str) else str(model), "seed": seed}
    return frame


def _finite(name: str, value: float) -> float:
    if not number(name, value, 0) < np.inf:
        raise ValueError(f"{name}={value!r}: give a finite number of seconds.")
    return float(value)


def _moment(start: object) -> np.datetime64:
    if isinstance(start, str | date | np.datetime64):
        try:
            moment: np.datetime64 = np.array([start], dtype="datetime64[ms]")[0]
        except ValueError:
            moment = np.datetime64("NaT", "ms")
        if not np.isnat(moment):
            return moment
    raise ValueError(f"start={start!r}: give a date, such as '2024-01-01', or a date and time.")


def _log(
    lists: Shown, session: np.ndarray, user: np.ndarray, at: np.ndarray, position: np.ndarray, moment: np.ndarray
) -> pd.DataFrame:
    """Return events as a click log."""
    clicked = position >= 0
    columns: dict[str, object] = {"session": session, "user": user}
    for name in lists.keys.columns:
        codes, values = pd.factorize(lists.keys[name], sort=True)
        columns[name] = labels(pd.Index(values), codes[at])
    columns["timestamp"] = pd.DatetimeIndex(moment).tz_localize("UTC")
    columns["action"] = labels(pd.Index([IMPRESSION, CLICK]), clicked.astype(np.int8))
    columns["rank"] = pd.arrays.IntegerArray(np.where(clicked, position + 1, 1), ~clicked)
    document = np.where(clicked, lists.doc[at, np.maximum(position, 0)], -1)
    # an impression has no document: text and categories have a place for that, whole numbers need a mask
    ids = lists.docs.astype("Int64") if pd.api.types.is_integer_dtype(lists.docs.dtype) else lists.docs
    columns[lists.names["doc_column"]] = ids.array.take(document, allow_fill=True)
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


def _lists(
    shown: Table,
    qrels: Table,
    level: float | None,
    graded: bool,
    depth: int | None,
    ties: Ties | None,
    compat: Compat,
) -> Shown:
    frame, arms = _ranked(shown, depth, ties, compat) if shown.kind == "runs" else _as_shown(shown, depth)
    if not len(frame):
        raise ValueError("the lists hold no rows, so nobody can be shown anything.")
    query, doc = shown.roles["query"], shown.roles["doc"]
    keys = [*arms, query, *(["draw"] if "draw" in frame.columns else [])]
    own = frame.groupby(keys, sort=True, observed=True).ngroup().to_numpy()
    position = reader.numbers(frame["position"], "position")
    if not ((position >= 1) & (position <= MOST_POSITIONS) & (position == np.round(position))).all():
        raise ValueError(
            f"the position column is to hold whole numbers from 1 to {MOST_POSITIONS:,}; number the items."
        )
    place = position.astype(np.int64) - 1
    shape = (int(own.max(initial=-1)) + 1, int(place.max(initial=-1)) + 1)
    codes, docs = pd.factorize(frame[doc], sort=True)
    document = np.full(shape, -1, dtype=np.int64)
    document[own, place] = codes
    grades = np.full(shape, np.nan)
    _check_shared(shown, qrels)
    grades[own, place] = _relevance(frame[query], frame[doc], qrels, level, graded)
    head = frame.loc[~frame.duplicated(keys), keys]
    head = head.iloc[np.argsort(own[~frame.duplicated(keys).to_numpy()])].reset_index(drop=True)
    arm = head.groupby(arms, sort=True, observed=True).ngroup().to_numpy() if arms else np.zeros(len(head), np.int64)
    names: dict[Any, Any] = {"query_column": query, "doc_column": doc}
    if shown.run_columns and shown.kind != "runs":
        names["run_columns"] = list(shown.run_columns)
    return Shown(head, names, pd.Index(docs), document, grades, arm, pd.factorize(head[query])[0])


def _check_shared(shown: Table, qrels: Table) -> None:
    """Raise where lists and judgments share no query, or no item: nobody would click, without a word."""
    for role in ("query", "doc"):
        own, judged = (pd.Index(table.column(role).dropna().unique()).astype(object) for table in (shown, qrels))
        if not own.isin(judged).any() and numeric(own) == numeric(judged):
            word = {"query": "query", "doc": "item"}[role]
            raise ValueError(
                f"no {word} of the lists is in the judgments, so nobody would click: {shown.roles[role]} holds "
                f"{_some(own)}; the judgments' {qrels.roles[role]} holds {_some(judged)}."
            )


def _some(ids: pd.Index) -> str:
    return ", ".join(map(repr, ids[:3].tolist())) + (", ..." if len(ids) > 3 else "")


def _relevance(query: pd.Series, doc: pd.Series, qrels: Table, level: float | None, graded: bool) -> np.ndarray:
    """Return the relevance of items, from 0 to 1; 0 where they are not judged."""
    judged = judgments.read_judgments(qrels)
    known = [
        pd.Series(judged.queries.index()[judged.topic], name=query.name),
        pd.Series(judged.docs.index()[judged.doc], name=doc.name),
    ]
    place = places(known, [query, doc])
    if not (place >= 0).any():
        said = f"none of the {len(place):,} items shown is judged for its query: all count as not relevant."
        warnings.warn(said, UserWarning, stacklevel=outside())
    value = np.where(place >= 0, np.append(judged.grade, 0.0)[place], 0.0)
    if graded:
        return np.clip(value / max(float(judged.grade.max()), 1.0), 0, 1)
    return (value > 0 if level is None else value >= level).astype(np.float64)


def _as_shown(lists: Table, depth: int | None) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows of interleaved lists, and the columns that name the arm."""
    frame = lists.frame
    arms = [f"{name}_{side}" for side in "ab" for name in lists.run_columns]
    arms += [name for name in ("method",) if name in frame.columns]
    return (frame if depth is None else frame[frame["position"] <= depth]), arms


def _ranked(runs: Table, depth: int | None, ties: Ties | None, compat: Compat) -> tuple[pd.DataFrame, list[str]]:
    """Return runs as rows (bucket, query, position, doc), and the column that names the arm."""
    found = rankings(runs, ties=ties, compat=compat)
    run, topic = np.nonzero(found.size)
    top = found.top(run, topic, min(depth or 10, int(found.size.max())))
    rows, place = np.nonzero(top >= 0)
    label = pd.Index(found.runs.iloc[:, 0]) if found.runs.shape[1] == 1 else pd.Index(run_labels(found.runs))
    frame = pd.DataFrame(
        {
            "bucket": labels(label, run[rows]),
            runs.roles["query"]: labels(found.queries, topic[rows]),
            "position": place + 1,
            runs.roles["doc"]: labels(found.docs, top[rows, place]),
        }
    )
    return frame, ["bucket"]
