"""Simulated click logs: users of a click model search on interleaved lists, or on the rankings of runs.

A user of a click model reads a results page from the top. All models here are one rule with different parameters: a
result is examined if the user has not stopped above it, with probability rank ** -bias; an examined result is clicked,
and a click ends the search, with probabilities that depend on its relevance. The dependent click model with the
published numbers of Hofmann, Whiteson and de Rijke (2011) gives 'perfect', 'navigational' and 'informational'; no
stopping gives the position-biased model, always stopping at a click the cascade model (Craswell et al. 2008). A model
with another rule is a subclass of `ClickModel`.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np
import pandas as pd

from pdeval.evaluate import described_frame
from pdeval.join import Compat, Ties, checked_level, outside, read_judgments
from pdeval.online.interleaving import rankings
from pdeval.online.log import CLICK, IMPRESSION
from pdeval.tables import Table, labels, listed, numbers, numeric, places, read
from pdeval.verbs import Registry, one_of, track, verb

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
        A result is examined with probability rank ** -bias, if the user has not stopped above it; 0 for always.
    description : str
        Description of its users, as a clause.

    Examples
    --------
    >>> ClickModel(click=(0.0, 1.0)).clicks(np.array([[0.0, 1.0, 1.0]]), np.random.default_rng(0))[1].tolist()
    [[False, True, True]]
    """

    click: tuple[float, float]
    stop: tuple[float, float] = (0.0, 0.0)
    bias: float = 0.0
    description: str = ""

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
    "click model", taken="pdeval has a click model {name!r} ({old.description}). Use another name."
)


def click_model(
    name: str,
    *,
    click: tuple[float, float],
    stop: tuple[float, float] = (0.0, 0.0),
    bias: float = 0.0,
    description: str = "",
) -> ClickModel:
    """Declare a click model, which `simulate_clicks` then accepts by name.

    Parameters
    ----------
    name : str
        Name of the model in `simulate_clicks(model=...)`.
    click : (float, float)
        Probability of a click on an examined result: not relevant, fully relevant; grades between lie between.
    stop : (float, float)
        Probability of stopping after a click, likewise.
    bias : float
        A result is examined with probability rank ** -bias, if the user has not stopped above it; 0 for always.
    description : str
        Description of its users, as a clause.

    Returns
    -------
    ClickModel
        The model.

    Examples
    --------
    >>> click_model("hurried", click=(0.1, 0.6), stop=(0.5, 1.0), description="leave with the first good result").stop
    (0.5, 1.0)
    >>> del MODELS["hurried"]
    """
    return MODELS.add(name, ClickModel(click, stop, bias, description))


for _name, _model in {
    "perfect": ClickModel((0.0, 1.0), description="click everything relevant and nothing else"),
    "navigational": ClickModel(
        (0.05, 0.95), (0.2, 0.9), description="look for one result and stop at it"
    ),
    "informational": ClickModel((0.4, 0.9), (0.1, 0.5), description="look around and stop late"),
    "position-biased": ClickModel(
        (0.05, 0.95), bias=1.0, description="examine low-ranked results less often"
    ),
    "cascade": ClickModel(
        (0.05, 0.95), (1.0, 1.0), description="read downwards to the first click"
    ),
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
            f"no click model {model!r}; there are {', '.join(MODELS)}. Or pass a ClickModel."
        )
    return MODELS[model]


@dataclass(frozen=True, eq=False)
class ListArrays:
    """Lists that users can be shown: one row per list, sorted by arm and query.

    `keys` has the columns that are copied to the log (arm, query, draw) and `names` the roles of columns. `doc` and
    `grade` have a column per position, -1 and NaN past the end of a list. `arm` and `query` are the codes of the arm
    and the query of every list.
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
        """The (arm, query) of every list as a number; its first list; the first and last + 1 number of its arm."""
        # lists are sorted by arm and query: a group begins at each change of either
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


@verb(on=("lists", "multileaved_lists", "runs"), returns="clicks", own="depth")
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
        Click model of the users. 'perfect' users click everything relevant and nothing else, 'navigational' users look
        for one result, 'informational' users for many, 'position-biased' users examine low-ranked results less often,
        and 'cascade' users read downwards to their first click. Or a declared model, or a ClickModel.
    sessions : int
        Number of sessions that begin with each list.
    users : int, optional
        Number of users of each arm (pair of runs, or bucket), to whom sessions are assigned at random; by default each
        session has a different user.
    reformulate : float
        Probability that a user who clicked nothing relevant issues another query of the same arm.
    max_queries : int
        Maximum number of queries in a session.
    graded : bool
        Use graded relevance: the grade divided by the largest grade.
    depth : int, optional
        Number of positions shown; by default the full list, or the first 10 for runs.
    seconds_per_result : float
        Mean time to read a result of the list, exponentially distributed.
    seconds_per_click : float
        Mean time to read a clicked document, exponentially distributed.
    start : str
        The date of the first session; one begins every minute.
    seed : int, optional
        ... The order of the rows does not matter.
    ties : {'docid', 'rank', 'first'}, optional
        Order of equal scores in runs: document id descending, as trec_eval; the rank column; the order of rows. By
        default 'docid' if there are scores, else 'rank'. Interleaved lists are not sorted.
    compat : {'trec_eval-10', 'trec_eval-9', 'pref_eval'}
        Tool whose arithmetic ranks runs.

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
    try:
        begin: np.datetime64 = np.array([start], dtype="datetime64[ms]")[0]
    except ValueError:
        begin = np.datetime64("NaT", "ms")
    if np.isnat(begin):
        raise ValueError(
            f"start={start!r}: expected a date, such as '2024-01-01', or a date and time."
        )
    judged = qrels if isinstance(qrels, Table) else read(qrels, "qrels")
    if ranked.kind == "runs":
        rows, arms = _of_runs(ranked, depth, ties, compat), ["bucket"]
    else:
        rows = ranked.frame if depth is None else ranked.frame[ranked.frame["position"] <= depth]
        arms = [
            *(f"{name}_{side}" for side in "ab" for name in ranked.run_columns),
            *(["method"] if "method" in rows.columns else []),
        ]
    lists = _lists(rows, arms, ranked, judged, checked_level(level), graded)
    first = np.repeat(np.arange(len(lists.keys)), sessions)
    blocks = [first[at : at + SESSIONS] for at in range(0, len(first), SESSIONS)]
    streams = np.random.SeedSequence(seed).spawn(len(blocks) + 1)
    parts = []
    steps = track(
        zip(blocks, streams[1:], strict=True), total=len(blocks), desc="sessions", progress=progress
    )
    for turn, (block, stream) in enumerate(steps):
        events = _sessions(
            lists,
            block,
            user_model,
            reformulate,
            max_queries,
            (seconds_per_result, seconds_per_click),
            np.random.default_rng(stream),
        )
        events[0] += turn * SESSIONS
        parts.append(events)
    session, when, at, position = (np.concatenate(column) for column in zip(*parts, strict=True))
    # an impression (-1) comes before the clicks of its moment
    order = np.lexsort((position, when, session))
    session, at, position = (column[order].astype(np.int64) for column in (session, at, position))
    rng = np.random.default_rng(streams[0])
    user = (
        np.arange(len(first))
        if users is None
        else lists.arm[first] * users + rng.integers(users, size=len(first))
    )
    moment = begin + np.round(1000 * (when[order] + 60 * session)).astype("timedelta64[ms]")
    return described_frame(
        _log(lists, session, user[session], at, position, moment),
        {**lists.names, "model": model if isinstance(model, str) else str(model), "seed": seed},
    )


def _of_runs(runs: Table, depth: int | None, ties: Ties | None, compat: Compat) -> pd.DataFrame:
    """Return runs as rows: bucket, query, position, doc."""
    ranked = rankings(runs, ties=ties, compat=compat)
    run, topic = np.nonzero(ranked.size)
    docs = ranked.top(run, topic, min(depth or 10, int(ranked.size.max())))
    rows, place = np.nonzero(docs >= 0)
    return pd.DataFrame(
        {
            "bucket": labels(ranked.names, run[rows]),
            runs.roles["query"]: labels(ranked.queries, topic[rows]),
            "position": place + 1,
            runs.roles["doc"]: labels(ranked.docs, docs[rows, place]),
        }
    )


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
        raise ValueError("the lists have no rows. Pass lists with at least one row.")
    query, doc = ranked.roles["query"], ranked.roles["doc"]
    keys = [*arms, query, *(["draw"] if "draw" in rows.columns else [])]
    list_of_row = rows.groupby(keys, sort=True, observed=True).ngroup().to_numpy()
    position = numbers(rows["position"], "position")
    if not (
        (position >= 1) & (position <= MOST_POSITIONS) & (position == np.round(position))
    ).all():
        raise ValueError(
            f"column 'position' must have integers from 1 to {MOST_POSITIONS:,}. Number the items of each list from 1."
        )
    cells = list_of_row, position.astype(np.int64) - 1
    shape = tuple(int(axis.max(initial=-1)) + 1 for axis in cells)
    codes, docs = pd.factorize(rows[doc], sort=True)
    document, grades = np.full(shape, -1, dtype=np.int64), np.full(shape, np.nan)
    document[cells] = codes
    # without a common query or item, no result would be clicked
    for role, word in (("query", "query"), ("doc", "item")):
        ids, judged = (
            pd.Index(table.column(role).dropna().unique()).astype(object)
            for table in (ranked, qrels)
        )
        if not ids.isin(judged).any() and numeric(ids) == numeric(judged):
            raise ValueError(
                f"no {word} of the lists is in the judgments, so no result would be clicked: {ranked.roles[role]} has "
                f"{listed(map(repr, ids), 3)}; the judgments' {qrels.roles[role]} has {listed(map(repr, judged), 3)}."
            )
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


def _relevance(
    query: pd.Series, doc: pd.Series, qrels: Table, level: float | None, graded: bool
) -> np.ndarray:
    """Return the relevance of items, from 0 to 1; 0 if unjudged."""
    judged = read_judgments(qrels)
    known = [
        pd.Series(judged.queries.index()[judged.topic], name=query.name),
        pd.Series(judged.docs.index()[judged.doc], name=doc.name),
    ]
    place = places(known, [query, doc])
    if not (place >= 0).any():
        text = f"none of the {len(place):,} items shown is judged for its query; all are treated as non-relevant."
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
    """Return a list of another query of the same arm, or -1 if the arm has no other."""
    group, begin, low, high = lists.groups
    group_of_list = group[at]
    others = (high - low)[group_of_list] - 1
    # the integer part of the step selects the query, the fraction the list
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
    keys = {name: pd.factorize(lists.keys[name], sort=True) for name in lists.keys.columns}
    document = np.where(clicked, lists.doc[at, np.maximum(position, 0)], -1)
    # an impression has no document: strings and categories can be missing, integers need a mask
    ids = (
        lists.docs.astype("Int64")
        if pd.api.types.is_integer_dtype(lists.docs.dtype)
        else lists.docs
    )
    return {
        "session": session,
        "user": user,
        **{name: labels(pd.Index(values), codes[at]) for name, (codes, values) in keys.items()},
        "timestamp": pd.DatetimeIndex(moment).tz_localize("UTC"),
        "action": labels(pd.Index([IMPRESSION, CLICK]), clicked.astype(np.int8)),
        "rank": pd.arrays.IntegerArray(np.where(clicked, position + 1, 1), ~clicked),
        lists.names["doc_column"]: ids.array.take(document, allow_fill=True),
    }
