"""Votes to preferences: logs of (a, b, winner), in both directions, repeated, with ties, by any number of judges."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog.directions import Known, remember
from pdeval.tables.dataframes import as_table, not_a_table
from pdeval.tables.labels import natural
from pdeval.tables.reader import Table
from pdeval.tables.recognition import pair_stems
from pdeval.tables.vocabularies import candidates, likely, listed, names_of
from pdeval.verbs.arguments import shown
from pdeval.verbs.checks import checks_arguments

# what a winner may be called beside the name of a run
SIDES = {
    1: ("a", "model_a", "run_a", "system_a", "left", "first"),
    -1: ("b", "model_b", "run_b", "system_b", "right", "second"),
    0: (
        "tie",
        "tied",
        "draw",
        "equal",
        "same",
        "both",
        "both good",
        "neither",
        "both bad",
        "bothbad",
        "tie (bothbad)",
    ),
}
KNOWN: Known = {"higher": True, "aggregate": "mean", "family": "preference", "test": "t"}
POOLED, VOTED = "all", "votes"


@dataclass(frozen=True)
class Log:
    """Votes by number: the systems `one` and `two` of each, and 1, -1 or 0 as one won, two won, or neither.

    `names` are the systems in the order of their names, and `column` is what a table calls them.
    """

    one: np.ndarray
    two: np.ndarray
    sign: np.ndarray
    names: pd.Index
    column: str

    def labels(self) -> Any:
        """Return the systems as a column of a table, in the dtype that their names have."""
        return self.names.infer_objects().array


def log_of(table: Table) -> Log:
    """Return the votes of a table that holds one in each row.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> found = log_of(read(pd.DataFrame({"run_a": ["x"], "run_b": ["y"], "winner": ["y"]}), "votes"))
    >>> found.names.tolist(), found.sign.tolist(), found.column
    (['x', 'y'], [-1], 'run')
    """
    frame = table.frame
    if not len(frame):
        raise ValueError("the log holds no votes.")
    sides = _sides(frame, None, None, table.run_columns)
    one, two, names = _systems(frame, sides, None)
    sign = _signs(frame, table.roles["winner"], sides, one, two, names)
    return Log(one, two, sign, names, sides[0][:-2])


@checks_arguments
def votes(
    log: object,
    *,
    a: str | None = None,
    b: str | None = None,
    winner: str = "winner",
    query: str | None = None,
    per: Literal["query", "all", "vote"] = "query",
    runs: Sequence[object] | None = None,
    measure: str = "votes",
) -> pd.DataFrame:
    """Return a log of votes between two systems as preferences, which have `.order()`, `.compare()`, `.matrix()`.

    The value of a pair on a query is the share of its votes for run_a less the share for run_b: votes of (x, y) and of
    (y, x) are of one pair, repeated votes and votes of several judges count once each, and a tie, also one of "both
    bad", counts for neither.

    Parameters
    ----------
    log : DataFrame
        One row per vote: both systems, the winner, and maybe the query and the judge. Of any library.
    a, b : str, optional
        The columns of the two systems; by default `a` and `b`, or columns such as `model_a` and `model_b`.
    winner : str
        The column that says who won: the name of a system, 'a' or 'b' ('model_a', 'left', ...), or 'tie' ('both bad',
        ...). Where it is absent, three columns of 0 and 1, such as winner_model_a, winner_model_b and winner_tie.
    query : str, optional
        The column of what was voted on: its values are the queries that tests and orderings count. Name the judge
        here to count judges. By default a column that names queries; in a log without one, all votes together.
    per : {'query', 'all', 'vote'}
        Whether to keep queries apart. An ordering needs every pair on every query that it counts; where votes are
        sparse, 'all' makes one query 'all' of them. 'vote' gives the log itself, with columns run_a, run_b and winner
        ('a', 'b' or 'tie') in place of its own, and all others as they are: its `.leaderboard()` works with votes of
        which most pairs have none on most queries.
    runs : list, optional
        The systems that there are; a vote for another is an error.
    measure : str
        What to call it.

    Returns
    -------
    DataFrame
        One row per query and pair: query, run_a, run_b, measure, value, in [-1, 1]. One row per vote where per='vote'.

    Examples
    --------
    >>> import pdeval
    >>> log = pd.DataFrame({"model_a": ["x", "y", "x", "z"], "model_b": ["y", "x", "z", "y"],
    ...                     "winner": ["model_a", "tie", "model_b", "y"]})
    >>> pdeval.votes(log)
      query_id run_a run_b measure  value
    0      all     x     y   votes    0.5
    1      all     x     z   votes   -1.0
    2      all     y     z   votes    1.0
    """
    frame = as_table(log)
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(not_a_table(frame, "a log of votes"))
    if per not in ("query", "all", "vote"):
        raise ValueError(f"per={per!r}: choose 'query', 'all' or 'vote'.")
    if not len(frame):
        raise ValueError("the log holds no votes.")
    sides = _sides(frame, a, b)
    one, two, names = _systems(frame, sides, runs)
    sign = _signs(frame, winner, sides, one, two, names)
    if per == "vote":
        return _as_log(frame, sides, winner, sign, query)
    column = None if per == "all" else _query_column(frame, query, sides)
    rest = [name for name in frame.columns if name not in (*sides, winner)]
    if per == "query" and column is None and (near := likely("query", rest)):
        raise ValueError(
            f"no query column is known among {listed(frame.columns)}. Say which: votes(log, query={near[0]!r}), or "
            "take all votes together with per='all'."
        )
    query_of_vote, queries = np.zeros(len(frame), dtype=np.int64), pd.Index([POOLED])
    if column is not None:
        query_of_vote, ids = pd.factorize(frame[column], sort=True)
        queries = pd.Index(ids)
        missing = int((query_of_vote < 0).sum())
        if missing:
            raise ValueError(
                f"the column {column!r} has {missing:,} missing ids; drop those votes."
            )
    # systems are numbered by name: every pair stands in one direction, and a cell is (query, first, second)
    cell = (query_of_vote * len(names) + np.minimum(one, two)) * len(names) + np.maximum(one, two)
    cells, place, n = np.unique(cell, return_inverse=True, return_counts=True)
    label = names.to_numpy()
    preferences = pd.DataFrame(
        {
            column or "query_id": queries.take(cells // len(names) ** 2),
            "run_a": label[cells // len(names) % len(names)],
            "run_b": label[cells % len(names)],
            "measure": measure,
            # whole numbers: exact in any order
            "value": np.bincount(place, weights=np.where(one > two, -sign, sign)) / n,
        }
    ).infer_objects()
    remember(measure, KNOWN)
    preferences.attrs = {
        "measures": {measure: KNOWN},
        "run_columns": ["run"],
        "query_column": column or "query_id",
        "table": "preferences",
    }
    return preferences


def _as_log(
    frame: pd.DataFrame, sides: tuple[str, str], winner: str, sign: np.ndarray, query: str | None
) -> pd.DataFrame:
    """Return the votes under pdeval's own names, in front of the other columns of the log."""
    columns = {"run_a": frame[sides[0]].array, "run_b": frame[sides[1]].array}
    columns["winner"] = np.array(["b", "tie", "a"], dtype=object)[sign + 1]
    replaced = {*sides, winner, *(f"{winner}_{name}" for name in (*sides, "tie")), *columns}
    columns |= {name: frame[name].array for name in frame.columns if name not in replaced}
    log = pd.DataFrame(columns).infer_objects()
    log.attrs = {"table": "votes", "run_columns": ["run"]}
    if (column := _query_column(frame, query, sides)) is not None:
        log.attrs["query_column"] = column
    return log


def _check_votes(wrong: np.ndarray, message: Callable[[int], str]) -> None:
    """Raise where votes are wrong; the message is about the first of them, by its row."""
    if wrong.any():
        raise ValueError(f"{int(wrong.sum()):,} votes {message(int(np.flatnonzero(wrong)[0]))}")


def _sides(
    frame: pd.DataFrame, a: str | None, b: str | None, stems: Sequence[str] | None = None
) -> tuple[str, str]:
    """Return the columns of both systems; `stems` are what they may be called without their sides."""
    if (a is None) != (b is None):
        raise ValueError("give both columns of systems: a=..., b=...")
    if a is not None and b is not None:
        missing = [name for name in (a, b) if name not in frame.columns]
        if missing:
            raise KeyError(f"no column {missing[0]!r}; the log has {listed(frame.columns)}.")
        return a, b
    for pair in (("a", "b"), ("left", "right")):
        if stems is None and set(pair) <= set(frame.columns):
            return pair
    stems = [stem for stem in (stems or pair_stems(frame)) if not stem.startswith("winner")]
    known = [stem for stem in stems if stem in (*names_of("run"), "model")] or stems
    if len(known) != 1:
        pairs = ", ".join(f"{stem}_a and {stem}_b" for stem in known)
        hint = f"these could be: {pairs}" if known else "there are none"
        raise ValueError(
            f"which columns hold the two systems of a vote? By their names {hint}, among {listed(frame.columns)}. "
            "Say which: votes(log, a=..., b=...)."
        )
    return f"{known[0]}_a", f"{known[0]}_b"


def _systems(
    frame: pd.DataFrame, sides: tuple[str, str], runs: Sequence[object] | None
) -> tuple[np.ndarray, np.ndarray, pd.Index]:
    """Return the number of each vote's systems, and the systems by number, in the order of their names."""
    both = pd.concat([frame[side].astype(object) for side in sides], ignore_index=True)
    lost = both.isna().to_numpy()
    _check_votes(lost, lambda at: f"lack a system, first in row {at % len(frame):,}; drop them.")
    names = pd.Index(sorted(both.unique(), key=natural), dtype=object)
    if runs is not None:
        if wrong := [one for one in runs if not isinstance(one, Hashable)]:  # type: ignore[redundant-expr]
            raise ValueError(
                f"runs={shown(runs)}: give names of systems; {shown(wrong[0])} is none."
            )
        strange = [name for name in names if name not in set(runs)]
        if strange:
            raise ValueError(
                f"there are votes on {len(strange):,} systems that are not among the runs, e.g. {strange[0]!r}; the "
                f"runs are {listed(runs)}."
            )
    code = names.get_indexer(both)
    one, two = code[: len(frame)], code[len(frame) :]
    _check_votes(
        one == two,
        lambda at: (
            f"are of a system with itself, first in row {at:,}: {names[one[at]]!r}; drop them."
        ),
    )
    return one, two, names


def _signs(
    frame: pd.DataFrame,
    winner: str,
    sides: tuple[str, str],
    one: np.ndarray,
    two: np.ndarray,
    names: pd.Index,
) -> np.ndarray:
    """Return 1 where the first system won, -1 where the second did, 0 for a tie."""
    if winner not in frame.columns:
        return _of_three(frame, winner, sides)
    winners = frame[winner]
    _check_votes(
        winners.isna().to_numpy(),
        lambda at: (
            f"have no winner, first in row {at:,}. Drop them with .dropna(subset=[{winner!r}]), or fill them "
            "with 'tie'."
        ),
    )
    code, distinct = pd.factorize(winners.astype(object))
    words = {word: sign for sign, every in SIDES.items() for word in every}
    words |= {str(sides[0]).lower(): 1, str(sides[1]).lower(): -1}
    meant = np.array([words.get(str(each).strip().lower(), 9) for each in distinct])[
        code
    ]  # 9: no word for a side
    system = names.get_indexer(pd.Index(distinct, dtype=object))[code]
    # a system may itself be called 'a' or 'tie': what its name says comes first, where it is one of the two
    by_name = np.select([system == one, system == two], [1, -1], 9)
    clash = (by_name != 9) & (meant != 9) & (by_name != meant)
    if clash.any():
        at = int(np.flatnonzero(clash)[0])
        raise ValueError(
            f"the winner {winners.iloc[at]!r} in row {at:,} is both a system and a word for a side or a tie: name the "
            "winners by their systems, or rename that system."
        )
    sign = np.where(by_name != 9, by_name, meant)
    _check_votes(
        sign == 9,
        lambda at: (
            f"are for neither of their systems, first in row {at:,}: {winners.iloc[at]!r}, between "
            f"{names[one[at]]!r} and {names[two[at]]!r}. A winner is one of the two, 'a', 'b' or 'tie'."
        ),
    )
    return sign


def _of_three(frame: pd.DataFrame, winner: str, sides: tuple[str, str]) -> np.ndarray:
    """Return the winners of a log that has a column of 0 and 1 for each outcome."""
    columns = [f"{winner}_{name}" for name in (*sides, "tie")]
    there = [name for name in columns if name in frame.columns]
    if len(there) < 2 or columns[0] not in there or columns[1] not in there:
        raise KeyError(
            f"no column {winner!r} that says who won, nor {', '.join(columns)}; the log has {listed(frame.columns)}. "
            "Say which: votes(log, winner=...)."
        )
    outcomes = frame[there].astype(float).to_numpy()
    won = outcomes.sum(axis=1)
    if len(there) < 3:
        won += won == 0  # without a column of ties, neither is one
    _check_votes(
        ~np.isin(outcomes, (0.0, 1.0)).all(axis=1) | (won != 1),
        lambda at: (
            f"contradict themselves, first in row {at:,}: "
            f"{', '.join(f'{name}={value:g}' for name, value in zip(there, outcomes[at]))}. One of them must be 1."
        ),
    )
    return (outcomes[:, 0] - outcomes[:, 1]).astype(int)


def _query_column(frame: pd.DataFrame, query: str | None, sides: tuple[Any, ...]) -> str | None:
    if query is not None:
        if query not in frame.columns:
            raise KeyError(f"no column {query!r}; the log has {listed(frame.columns)}.")
        return query
    names = candidates("query", frame.columns, sides)
    if len(names) > 1:
        raise ValueError(
            f"two columns could be the query: {names[0]!r} and {names[1]!r}. Say which: query={names[0]!r}."
        )
    return names[0] if names else None
