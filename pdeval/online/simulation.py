"""Simulated click logs: users of a click model search on interleaved lists, or on the rankings of runs.

A user of a click model reads a results page from the top. Every model here is one rule with other numbers: a result is
examined if the user has not stopped above it, with probability rank ** -bias; an examined result is clicked, and a
click ends the search, with probabilities that depend on its relevance. The dependent click model with the published
numbers of Hofmann, Whiteson and de Rijke (2011) gives 'perfect', 'navigational' and 'informational'; no stopping gives
the position-biased model, always stopping at a click the cascade model (Craswell et al. 2008). A model with a rule of
its own is a subclass of `ClickModel`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, get_args

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import described_frame
from pdeval.join.judgments import read_judgments
from pdeval.join.rules import Compat, Ties, checked_level, outside
from pdeval.online.log_checks import CLICK, IMPRESSION
from pdeval.online.rankings import rankings
from pdeval.tables import reader
from pdeval.tables.labels import labels
from pdeval.tables.metadata import numeric, places
from pdeval.tables.reader import Table
from pdeval.verbs import verb
from pdeval.verbs.arguments import one_of
from pdeval.verbs.progress import track
from pdeval.verbs.registry import Registry

MOST_POSITIONS = 1_000_000  # an array of lists x positions is made
SESSIONS = 4096  # in a block; each block has its own stream of random numbers


@dataclass(frozen=True)
class ClickModel:
    """A user model.

    Parameters
    ----------
    click : (float, float)
        Probability of a click on an examined result: not relevant, fully relevant; grades between lie between.
    stop : (float, float)
        Probability of stopping after a click, likewise.
    bias : float
        A result is examined with probability rank ** -bias, besides not having stopped above; 0 for always.
    says : str
        What its users do, in a clause.

    Examples
    --------
    >>> ClickModel(click=(0.0, 1.0)).clicks(np.array([[0.0, 1.0, 1.0]]), np.random.default_rng(0))[1].tolist()
    [[False, True, True]]
    """

    click: tuple[float, float]
    stop: tuple[float, float] = (0.0, 0.0)
    bias: float = 0.0
    says: str = ""

    def __post_init__(self) -> None:
        if not all(0 <= chance <= 1 for chance in (*self.click, *self.stop)) or self.bias < 0:
            raise ValueError(
                f"a click model has probabilities from 0 to 1 and a bias of at least 0; found {self}."
            )

    def clicks(self, grade: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return which results are examined and which are clicked.

        Parameters
        ----------
        grade : ndarray of shape (lists, positions)
            Relevance from 0 to 1; NaN past the end of a list.
        """
        in_list = ~np.isnan(grade)
        value = np.where(in_list, grade, 0.0)
        click, stop = (low + (high - low) * value for low, high in (self.click, self.stop))
        chance = rng.random((3, *grade.shape))
        noticed = in_list & (chance[0] < np.arange(1, grade.shape[1] + 1) ** -float(self.bias))
        attracted = noticed & (chance[1] < click)
        ended = np.logical_or.accumulate(attracted & (chance[2] < stop), axis=1)
        # the first click that ends the search is still seen; nothing below it is
        above = np.concatenate([np.zeros((len(grade), 1), dtype=bool), ended[:, :-1]], axis=1)
        return noticed & ~above, attracted & ~above


MODELS: Registry[ClickModel] = Registry(
    "click model", taken="pdeval has a click model {name!r} ({old.says}); give yours another name."
)


def click_model(
    name: str,
    *,
    click: tuple[float, float],
    stop: tuple[float, float] = (0.0, 0.0),
    bias: float = 0.0,
    says: str = "",
) -> ClickModel:
    """Declare a click model, so that `simulate_clicks` knows it by name.

    Parameters
    ----------
    name : str
        What `simulate_clicks(model=...)` calls it.
    click : (float, float)
        Probability of a click on an examined result: not relevant, fully relevant; grades between lie between.
    stop : (float, float)
        Probability of stopping after a click, likewise.
    bias : float
        A result is examined with probability rank ** -bias, besides not having stopped above; 0 for always.
    says : str
        What its users do, in a clause.

    Returns
    -------
    ClickModel
        The model.

    Examples
    --------
    >>> click_model("hurried", click=(0.1, 0.6), stop=(0.5, 1.0), says="leave with the first good result").stop
    (0.5, 1.0)
    >>> del MODELS["hurried"]
    """
    return MODELS.add(name, ClickModel(click, stop, bias, says))


for _name, _model in {
    "perfect": ClickModel((0.0, 1.0), says="click everything relevant and nothing else"),
    "navigational": ClickModel(
        (0.05, 0.95), (0.2, 0.9), says="look for one result and stop once it is found"
    ),
    "informational": ClickModel((0.4, 0.9), (0.1, 0.5), says="look around and stop late"),
    "position-biased": ClickModel(
        (0.05, 0.95), bias=1.0, says="look the less at a result the lower it stands"
    ),
    "cascade": ClickModel((0.05, 0.95), (1.0, 1.0), says="read downwards to the first click"),
}.items():
    MODELS.add(_name, _model, __name__)


def chosen_model(model: str | ClickModel) -> ClickModel:
    """Return a click model by name, or the model itself.

    Examples
    --------
    >>> chosen_model("cascade").stop
    (1.0, 1.0)
    """
    if isinstance(model, ClickModel):
        return model
    if not isinstance(model, str) or model not in MODELS:  # type: ignore[redundant-expr]
        raise KeyError(
            f"no click model {model!r}; there are {', '.join(MODELS)}, or give a ClickModel."
        )
    return MODELS[model]


@dataclass(frozen=True)
class ListArrays:
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
        # lists are sorted by arm and query: a group begins where either changes
        new = np.append(True, (np.diff(self.query) != 0) | (np.diff(self.arm) != 0))[
            : len(self.arm)
        ]
        begin = np.flatnonzero(new)
        arm = self.arm[begin]
        return (
            np.cumsum(new) - 1,
            begin,
            np.searchsorted(arm, arm, "left"),
            np.searchsorted(arm, arm, "right"),
        )


@verb(on=("lists", "multileaved_lists", "runs"), gives="clicks", own="depth")
def simulate_clicks(
    ranked: Table,
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
    user_model = chosen_model(model)
    ties = None if ties is None else one_of("ties", ties, ("docid", "rank", "first"))  # type: ignore[assignment]
    compat = one_of("compat", compat, get_args(Compat))  # type: ignore[assignment]
    begin = _moment(start)
    judged = qrels if isinstance(qrels, Table) else reader.read(qrels, "qrels")
    rows, arms = (
        _of_runs(ranked, depth, ties, compat)
        if ranked.kind == "runs"
        else _interleaved(ranked, depth)
    )
    lists = _lists(rows, arms, ranked, judged, checked_level(level), graded)
    first = np.repeat(np.arange(len(lists.keys)), sessions)
    blocks = [first[at : at + SESSIONS] for at in range(0, len(first), SESSIONS)]
    streams = np.random.SeedSequence(seed).spawn(len(blocks) + 1)
    parts = []
    steps = track(
        zip(blocks, streams[1:], strict=True), total=len(blocks), desc="sessions", progress=progress
    )
    for turn, (block, stream) in enumerate(steps):
        rng = np.random.default_rng(stream)
        events = _sessions(
            lists,
            block,
            user_model,
            reformulate,
            max_queries,
            (seconds_per_result, seconds_per_click),
            rng,
        )
        events[0] += turn * SESSIONS
        parts.append(events)
    session, when, at, position = (np.concatenate(column) for column in zip(*parts, strict=True))
    # an impression (-1) comes before the clicks of its moment
    order = np.lexsort((position, when, session))
    session, at, position = (column[order].astype(np.int64) for column in (session, at, position))
    user = np.arange(len(first))
    if users is not None:
        user = lists.arm[first] * users + np.random.default_rng(streams[0]).integers(
            users, size=len(first)
        )
    moment = begin + np.round(1000 * (when[order] + 60 * session)).astype("timedelta64[ms]")
    columns = _log(lists, session, user[session], at, position, moment)
    return described_frame(
        columns,
        {**lists.names, "model": model if isinstance(model, str) else str(model), "seed": seed},
    )


def _moment(start: object) -> np.datetime64:
    if isinstance(start, str | date | np.datetime64):
        try:
            moment: np.datetime64 = np.array([start], dtype="datetime64[ms]")[0]
        except ValueError:
            moment = np.datetime64("NaT", "ms")
        if not np.isnat(moment):
            return moment
    raise ValueError(f"start={start!r}: give a date, such as '2024-01-01', or a date and time.")


def _interleaved(lists: Table, depth: int | None) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows of interleaved lists, and the columns that name the arm."""
    frame = lists.frame
    arms = [f"{name}_{side}" for side in "ab" for name in lists.run_columns]
    arms += [name for name in ("method",) if name in frame.columns]
    return (frame if depth is None else frame[frame["position"] <= depth]), arms


def _of_runs(
    runs: Table, depth: int | None, ties: Ties | None, compat: Compat
) -> tuple[pd.DataFrame, list[str]]:
    """Return runs as rows (bucket, query, position, doc), and the column that names the arm."""
    ranked = rankings(runs, ties=ties, compat=compat)
    run, topic = np.nonzero(ranked.size)
    docs = ranked.top(run, topic, min(depth or 10, int(ranked.size.max())))
    rows, place = np.nonzero(docs >= 0)
    columns = {
        "bucket": labels(ranked.names, run[rows]),
        runs.roles["query"]: labels(ranked.queries, topic[rows]),
        "position": place + 1,
        runs.roles["doc"]: labels(ranked.docs, docs[rows, place]),
    }
    return pd.DataFrame(columns), ["bucket"]


def _lists(
    rows: pd.DataFrame,
    arms: list[str],
    ranked: Table,
    qrels: Table,
    level: float | None,
    graded: bool,
) -> ListArrays:
    """Return rows of lists as arrays of lists x positions, with the relevance of every document."""
    if not len(rows):
        raise ValueError("the lists hold no rows, so nobody can be shown anything.")
    query, doc = ranked.roles["query"], ranked.roles["doc"]
    keys = [*arms, query, *(["draw"] if "draw" in rows.columns else [])]
    list_of_row = rows.groupby(keys, sort=True, observed=True).ngroup().to_numpy()
    position = reader.numbers(rows["position"], "position")
    if not (
        (position >= 1) & (position <= MOST_POSITIONS) & (position == np.round(position))
    ).all():
        raise ValueError(
            f"the position column is to hold whole numbers from 1 to {MOST_POSITIONS:,}; number the items."
        )
    cells = list_of_row, position.astype(np.int64) - 1
    shape = tuple(int(axis.max(initial=-1)) + 1 for axis in cells)
    codes, docs = pd.factorize(rows[doc], sort=True)
    document, grades = np.full(shape, -1, dtype=np.int64), np.full(shape, np.nan)
    document[cells] = codes
    _check_shared(ranked, qrels)
    grades[cells] = _relevance(rows[query], rows[doc], qrels, level, graded)
    first = ~rows.duplicated(keys).to_numpy()
    head = rows.loc[first, keys].iloc[np.argsort(list_of_row[first])].reset_index(drop=True)
    arm = (
        head.groupby(arms, sort=True, observed=True).ngroup().to_numpy()
        if arms
        else np.zeros(len(head), np.int64)
    )
    names: dict[Any, Any] = {"query_column": query, "doc_column": doc}
    if ranked.run_columns and ranked.kind != "runs":
        names["run_columns"] = list(ranked.run_columns)
    return ListArrays(
        head, names, pd.Index(docs), document, grades, arm, pd.factorize(head[query])[0]
    )


def _check_shared(ranked: Table, qrels: Table) -> None:
    """Raise where lists and judgments share no query, or no item: nobody would click, without a word."""
    for role, word in (("query", "query"), ("doc", "item")):
        listed, judged = (
            pd.Index(table.column(role).dropna().unique()).astype(object)
            for table in (ranked, qrels)
        )
        if not listed.isin(judged).any() and numeric(listed) == numeric(judged):
            raise ValueError(
                f"no {word} of the lists is in the judgments, so nobody would click: {ranked.roles[role]} holds "
                f"{_examples(listed)}; the judgments' {qrels.roles[role]} holds {_examples(judged)}."
            )


def _examples(ids: pd.Index) -> str:
    return ", ".join(map(repr, ids[:3].tolist())) + (", ..." if len(ids) > 3 else "")


def _relevance(
    query: pd.Series, doc: pd.Series, qrels: Table, level: float | None, graded: bool
) -> np.ndarray:
    """Return the relevance of items, from 0 to 1; 0 where they are not judged."""
    judged = read_judgments(qrels)
    known = [
        pd.Series(judged.queries.index()[judged.topic], name=query.name),
        pd.Series(judged.docs.index()[judged.doc], name=doc.name),
    ]
    place = places(known, [query, doc])
    if not (place >= 0).any():
        text = f"none of the {len(place):,} items shown is judged for its query: all count as not relevant."
        warnings.warn(text, UserWarning, stacklevel=outside())
    value = np.where(place >= 0, np.append(judged.grade, 0.0)[place], 0.0)
    if graded:
        return np.clip(value / max(float(judged.grade.max()), 1.0), 0, 1)
    return (value > 0 if level is None else value >= level).astype(np.float64)


def _sessions(
    lists: ListArrays,
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
        grade = lists.grade[at]
        examined, clicked = model.clicks(grade, rng)
        reading = rng.standard_exponential(grade.shape) * pace[0] * examined
        visit = rng.standard_exponential(grade.shape) * pace[1] * clicked
        # a click is made after reading down to it, and before its visit
        spent = np.cumsum(reading + visit, axis=1)
        rows, position = np.nonzero(clicked)
        events.append((session, clock, at, np.full(len(session), -1)))
        events.append(
            (session[rows], clock[rows] + (spent - visit)[rows, position], at[rows], position)
        )
        chance = rng.random((2, len(session)))
        following = _next(lists, at, chance[1])
        again = ~(clicked & (grade > 0)).any(axis=1) & (chance[0] < reformulate) & (following >= 0)
        session, at = session[again], following[again]
        clock = (clock + spent[:, -1])[again] + 1.0
    return [np.concatenate(column) for column in zip(*events, strict=True)]


def _next(lists: ListArrays, at: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """Return a list of another query of the same arm, or -1 where the arm has no other."""
    group, begin, low, high = lists.groups
    group_of_list = group[at]
    others = (high - low)[group_of_list] - 1
    # the whole part of the step picks the query, what is left of it the list
    step = chance * np.maximum(others, 1)
    other = low[group_of_list] + (
        group_of_list - low[group_of_list] + 1 + step.astype(np.int64)
    ) % (others + 1)
    count = np.diff(np.append(begin, len(group)))
    picked = begin[other] + ((step % 1) * count[other]).astype(np.int64)
    return np.where(others > 0, picked, -1)


def _log(
    lists: ListArrays,
    session: np.ndarray,
    user: np.ndarray,
    at: np.ndarray,
    position: np.ndarray,
    moment: np.ndarray,
) -> dict[str, Any]:
    """Return the columns of a click log."""
    clicked = position >= 0
    columns: dict[str, Any] = {"session": session, "user": user}
    for name in lists.keys.columns:
        codes, values = pd.factorize(lists.keys[name], sort=True)
        columns[name] = labels(pd.Index(values), codes[at])
    columns["timestamp"] = pd.DatetimeIndex(moment).tz_localize("UTC")
    columns["action"] = labels(pd.Index([IMPRESSION, CLICK]), clicked.astype(np.int8))
    columns["rank"] = pd.arrays.IntegerArray(np.where(clicked, position + 1, 1), ~clicked)
    document = np.where(clicked, lists.doc[at, np.maximum(position, 0)], -1)
    # an impression has no document: text and categories have a place for that, whole numbers need a mask
    ids = (
        lists.docs.astype("Int64")
        if pd.api.types.is_integer_dtype(lists.docs.dtype)
        else lists.docs
    )
    columns[lists.names["doc_column"]] = ids.array.take(document, allow_fill=True)
    return columns
