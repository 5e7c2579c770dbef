"""Preferences from vote logs (a, b, winner): both directions, repeated votes, ties, any number of judges."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import Known, remember
from pdeval.evaluate import coded
from pdeval.tables import (
    Table,
    as_table,
    candidates,
    likely,
    listed,
    names_of,
    natural,
    not_a_table,
    pair_stems,
)
from pdeval.verbs import checks_arguments, one_of, short_repr

# names of a winner, in addition to the name of a run
SIDES = {
    1: ("a", "model_a", "run_a", "system_a", "left", "first"),
    -1: ("b", "model_b", "run_b", "system_b", "right", "second"),
    0: (
        "tie",
        "tied_fraction",
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


class Log(NamedTuple):
    """Votes: the systems `one` and `two` of each, as codes, and 1, -1 or 0 if one won, two won, or neither.

    `names` are the sorted names of the systems, and `column` is the name of the system column.
    """

    one: np.ndarray
    two: np.ndarray
    sign: np.ndarray
    names: pd.Index
    column: str

    def labels(self) -> Any:
        """Return the systems as a column of a table, in the dtype of their names."""
        return self.names.infer_objects().array


def log_of(table: Table) -> Log:
    """Return the votes of a table with one vote per row.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> result = log_of(read(pd.DataFrame({"run_a": ["x"], "run_b": ["y"], "winner": ["y"]}), "votes"))
    >>> result.names.tolist(), result.sign.tolist(), result.column
    (['x', 'y'], [-1], 'run')
    """
    frame = table.frame
    sides = _sides(frame, None, None, table.run_columns)
    one, two, names = _systems(frame, sides, None)
    return Log(
        one, two, _signs(frame, table.roles["winner"], sides, one, two, names), names, sides[0][:-2]
    )


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

    The value of a pair on a query is the fraction of its votes for run_a minus the fraction for run_b. Votes of (x, y)
    and (y, x) belong to one pair, repeated votes and votes of several judges count once each, and a tie, including
    "both bad", counts for neither.

    Parameters
    ----------
    log : DataFrame
        Table with one row per vote: both systems, the winner, and optionally the query and the judge. Any DataFrame
        library.
    a, b : str, optional
        Columns of the two systems; by default `a` and `b`, or columns such as `model_a` and `model_b`.
    winner : str
        Column of the winner: the name of a system, 'a' or 'b' ('model_a', 'left', ...), or 'tie' ('both bad', ...). If
        it is missing, three columns of 0 and 1, such as winner_model_a, winner_model_b and winner_tie.
    query : str, optional
        Column of the query; its values are the queries that tests and orderings count. Pass the column of the judge to
        count judges. By default the query column; without one, all votes are one query.
    per : {'query', 'all', 'vote'}
        Whether to keep queries separate. An ordering needs every pair on every query; if votes are sparse, use 'all',
        which combines all votes in one query. 'vote' returns the log itself, with columns run_a, run_b and winner
        ('a', 'b' or 'tie') in place of the original ones, and all others unchanged; its `.leaderboard()` does not need
        every pair on every query.
    runs : list, optional
        Allowed systems; raise for votes on others.
    measure : str
        Label of the measure.

    Returns
    -------
    DataFrame
        One row per query and pair: query, run_a, run_b, measure, value, in [-1, 1]. One row per vote if per='vote'.

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
    per = one_of("per", per, ("query", "all", "vote"))  # type: ignore[assignment]
    sides = _sides(frame, a, b)
    one, two, names = _systems(frame, sides, runs)
    sign = _signs(frame, winner, sides, one, two, names)
    if per == "vote":
        return _as_log(frame, sides, winner, sign, query)
    column = None if per == "all" else _query_column(frame, query, sides)
    rest = [name for name in frame.columns if name not in (*sides, winner)]
    if per == "query" and column is None and (near := likely("query", rest)):
        raise ValueError(
            f"cannot determine the query column among {listed(frame.columns)}. Specify it: "
            f"votes(log, query={near[0]!r}), or combine all votes with per='all'."
        )
    query_of_vote, queries = np.zeros(len(frame), dtype=np.int64), pd.Index([POOLED])
    if column is not None:
        if missing := int(frame[column].isna().sum()):
            raise ValueError(f"column {column!r} has {missing:,} missing values. Drop these votes.")
        query_of_vote, queries = coded(frame[column], "query")
    # systems are numbered by name, so every pair has one direction; a cell is (query, first, second)
    cell = (query_of_vote * len(names) + np.minimum(one, two)) * len(names) + np.maximum(one, two)
    cells, place, n = np.unique(cell, return_inverse=True, return_counts=True)
    label = names.to_numpy()
    preferences = pd.DataFrame(
        {
            column or "query_id": queries.take(cells // len(names) ** 2),
            "run_a": label[cells // len(names) % len(names)],
            "run_b": label[cells % len(names)],
            "measure": measure,
            # sums of integers are exact in any order
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
    """Return the votes in columns run_a, run_b and winner, followed by the other columns of the log."""
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
    """Raise if some votes are wrong, with a message about the row of the first."""
    if wrong.any():
        raise ValueError(f"{int(wrong.sum()):,} votes {message(int(np.flatnonzero(wrong)[0]))}")


def _sides(
    frame: pd.DataFrame, a: str | None, b: str | None, stems: Sequence[str] | None = None
) -> tuple[str, str]:
    """Return the columns of both systems; `stems` are their possible names without the suffixes _a and _b."""
    if not len(frame):
        raise ValueError("the log has no votes.")
    if (a is None) != (b is None):
        raise ValueError("a= and b= must be passed together. Pass both columns of systems.")
    if a is not None and b is not None:
        if missing := [name for name in (a, b) if name not in frame.columns]:
            raise KeyError(f"no column {missing[0]!r}; the log has {listed(frame.columns)}.")
        return a, b
    for pair in (("a", "b"), ("left", "right")):
        if stems is None and set(pair) <= set(frame.columns):
            return pair
    stems = [stem for stem in (stems or pair_stems(frame)) if not stem.startswith("winner")]
    known = [stem for stem in stems if stem in (*names_of("run"), "model")] or stems
    if len(known) != 1:
        pairs = ", ".join(f"{stem}_a and {stem}_b" for stem in known)
        raise ValueError(
            f"cannot determine the columns of the two systems among {listed(frame.columns)}; candidates: "
            f"{pairs or 'none'}. Specify them: votes(log, a=..., b=...)."
        )
    return f"{known[0]}_a", f"{known[0]}_b"


def _systems(
    frame: pd.DataFrame, sides: tuple[str, str], runs: Sequence[object] | None
) -> tuple[np.ndarray, np.ndarray, pd.Index]:
    """Return the codes of both systems of each vote, and the sorted systems."""
    both = pd.concat([frame[side].astype(object) for side in sides], ignore_index=True)
    _check_votes(
        both.isna().to_numpy(),
        lambda row: f"have no system, first in row {row % len(frame):,}. Drop them.",
    )
    names = pd.Index(sorted(both.unique(), key=natural), dtype=object)
    if runs is not None:
        if wrong := [one for one in runs if not isinstance(one, Hashable)]:  # type: ignore[redundant-expr]
            raise ValueError(
                f"runs={short_repr(runs)}: expected names of systems, got {short_repr(wrong[0])}."
            )
        if strange := [name for name in names if name not in set(runs)]:
            raise ValueError(
                f"{len(strange):,} systems of the log are not in runs=, e.g. {strange[0]!r}; runs= has "
                f"{listed(runs)}. Drop their votes, or add them to runs=."
            )
    code = names.get_indexer(both)
    one, two = code[: len(frame)], code[len(frame) :]
    _check_votes(
        one == two,
        lambda at: (
            f"compare a system with itself, first in row {at:,}: {names[one[at]]!r}. Drop them."
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
    """Return 1 if the first system won, -1 if the second won, 0 for a tie."""
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
    # a system may be named 'a' or 'tie': the name of one of the two systems takes precedence
    by_name = np.select([system == one, system == two], [1, -1], 9)
    _check_votes(
        (by_name != 9) & (meant != 9) & (by_name != meant),
        lambda row: (
            f"have a winner that is both the name of a system and a word for a side or a tie, first in row {row:,}: "
            f"{winners.iloc[row]!r}. Use the names of the systems as winners, or rename that system."
        ),
    )
    sign = np.where(by_name != 9, by_name, meant)
    _check_votes(
        sign == 9,
        lambda at: (
            f"have an unknown winner, first in row {at:,}: {winners.iloc[at]!r}, between {names[one[at]]!r} and "
            f"{names[two[at]]!r}. Use the name of one of the two, 'a', 'b' or 'tie'."
        ),
    )
    return sign


def _of_three(frame: pd.DataFrame, winner: str, sides: tuple[str, str]) -> np.ndarray:
    """Return the winners of a log with a column of 0 and 1 for each outcome."""
    columns = [f"{winner}_{name}" for name in (*sides, "tie")]
    there = [name for name in columns if name in frame.columns]
    if len(there) < 2 or columns[0] not in there or columns[1] not in there:
        raise KeyError(
            f"no column {winner!r} of winners, nor {', '.join(columns)}; the log has {listed(frame.columns)}. "
            "Specify it: votes(log, winner=...)."
        )
    outcomes = frame[there].astype(float).to_numpy()
    won = outcomes.sum(axis=1)
    if len(there) < 3:
        won += won == 0  # without a column of ties, a vote without a winner is a tie
    _check_votes(
        ~np.isin(outcomes, (0.0, 1.0)).all(axis=1) | (won != 1),
        lambda at: (
            f"are contradictory, first in row {at:,}: "
            f"{', '.join(f'{name}={value:g}' for name, value in zip(there, outcomes[at]))}. Exactly one must be 1."
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
            f"ambiguous query column: {names[0]!r} or {names[1]!r}. Specify it, e.g. query={names[0]!r}."
        )
    return names[0] if names else None
