"""Whose clicks they are: the credit that interleaved runs earn from a click log."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import all_pairs
from pdeval.kinds.labels import labels
from pdeval.online.faults import CLICK, bound
from pdeval.online.matching import places


def credit(
    lists: pd.DataFrame,
    log: pd.DataFrame,
    *,
    shared: Literal["team", "nobody"] = "team",
    run: str | Sequence[str] = "run",
    **binding: str,
) -> pd.DataFrame:
    """Return the clicks that each run earned, for every impression of an interleaved list.

    An impression is one list in one session. A result clicked several times counts once. Team-draft, probabilistic
    and multileaved lists credit the team that owns the result. Balanced lists credit by rank: let k be the better of
    the lowest clicked result's two ranks; each run earns the clicked results among its own top k, without those of
    the shared top ranks, which credit nobody (Joachims 2002).

    Parameters
    ----------
    lists : DataFrame
        What `interleave` or `multileave` returned: the lists that were shown.
    log : DataFrame
        The clicks: query_id, and doc_id or rank; session and user, if known; an action column, if there are also
        impressions; run_a, run_b and draw, where `lists` holds several per query. No timestamps are needed, and the
        order of rows is immaterial.
    shared : {'team', 'nobody'}
        Whether in drafted lists clicks on the shared top ranks count for the team that drew the result, or not at
        all: there teams are a coin toss, so leaving them out takes away noise.
    run : str or sequence of str
        The columns that name a run, as in `interleave`.
    **binding : str
        The log's column names by role: session, user, query, action, rank, doc.

    Returns
    -------
    DataFrame
        run_a, run_b, query_id, [draw,] [session,] [user,] method, clicks, credit_a, credit_b, winner ('a', 'b', 'tie';
        missing without clicks); one row per impression, for multileaved lists one per impression and pair of runs;
        sorted in this order. Clicks on queries without a list, and on results that are not in the list, are left
        out with a warning.

    Examples
    --------
    >>> lists = pd.DataFrame({"run_a": "x", "run_b": "y", "query_id": 1, "position": [1, 2], "doc_id": ["d", "e"],
    ...                       "team": ["a", "b"]})
    >>> log = pd.DataFrame({"session": [7, 7, 8], "query_id": 1, "doc_id": ["d", "e", "e"]})
    >>> credit(lists, log)[["session", "clicks", "credit_a", "credit_b", "winner"]].values.tolist()
    [[7, 2, 1, 1, 'tie'], [8, 1, 0, 1, 'b']]
    """
    if shared not in ("team", "nobody"):
        raise ValueError(f"shared is 'team' or 'nobody', not {shared!r}.")
    names = bound(binding)
    runs = [run] if isinstance(run, str) else list(run)
    sides = [f"{name}_{side}" for side in "ab" for name in runs if f"{name}_{side}" in lists.columns]
    _check(lists, log, names)

    keys = [*sides, names["query"], *[name for name in ("draw", "method") if name in lists.columns]]
    heads = lists[keys].drop_duplicates().sort_values(keys).reset_index(drop=True)
    in_log = [name for name in keys if name in log.columns]
    several = heads.duplicated(in_log)
    if several.any():
        lacking = [name for name in keys if name not in in_log and heads[name].nunique() > 1]
        raise ValueError(
            f"the log does not say which list was shown: there are several for {names['query']} "
            f"{heads.loc[several, names['query']].tolist()[0]!r}; add {' or '.join(lacking)} to the log."
        )
    own = places([heads[name] for name in keys], [lists[name] for name in keys])  # the list of every row of `lists`
    at = places([heads[name] for name in in_log], [log[name] for name in in_log])  # the list of every event

    clicked = np.ones(len(log), dtype=bool)
    if names["action"] in log.columns:
        clicked = (log[names["action"]] == CLICK).to_numpy()
    row = _results(lists, log, own, at, clicked, names)
    _warn(int((clicked & (at < 0)).sum()), int((clicked & (at >= 0) & (row < 0)).sum()))

    who = [names[role] for role in ("session", "user") if names[role] in log.columns]
    events = log.loc[at >= 0, who].assign(_list=at[at >= 0])
    unit = events.groupby(["_list", *who], sort=True, observed=True, dropna=False).ngroup().to_numpy()
    units = events.iloc[np.unique(unit, return_index=True)[1]].reset_index(drop=True)
    counted = (row >= 0)[at >= 0]
    clicks = np.unique(unit[counted] * np.int64(max(len(lists), 1)) + row[at >= 0][counted])
    unit, row = np.divmod(clicks, max(len(lists), 1))

    shown = heads.iloc[units["_list"].to_numpy()].reset_index(drop=True)
    if "method" not in keys:
        shown["method"] = labels(pd.Index(["interleaving"]), np.zeros(len(shown), np.int8))
    found = pd.concat([shown.drop(columns="method"), units[who], shown["method"]], axis=1)
    found["clicks"] = np.bincount(unit, minlength=len(units))
    if sides:
        earned = _earned(lists, unit, row, len(units), shared)
        return _with_winner(found, earned[:, 0], earned[:, 1])
    return _pairs(found, lists, unit, row, runs)


def _earned(lists: pd.DataFrame, unit: np.ndarray, row: np.ndarray, n: int, shared: str) -> np.ndarray:
    """Return the clicks credited to a and b, shape (impressions, 2)."""
    team = lists["team"].map({"a": 0, "b": 1}).astype(np.float64).fillna(-1).to_numpy(dtype=np.int64)[row]
    common = lists["shared"].to_numpy(dtype=bool)[row] if "shared" in lists.columns else np.zeros(len(row), bool)
    balanced = np.zeros(len(row), dtype=bool)
    if "method" in lists.columns:
        balanced = (lists["method"] == "balanced").to_numpy()[row]
    counts = ~balanced & (team >= 0) & ~(common & (shared == "nobody"))
    earned = np.bincount(2 * unit[counts] + team[counts], minlength=2 * n).reshape(n, 2)
    if balanced.any():
        # the lowest clicked result of every impression says how far both rankings were read
        order = np.lexsort((lists["position"].to_numpy()[row], unit))
        lowest = np.full(n, -1, dtype=np.int64)
        lowest[unit[order]] = row[order]
        ranks = lists[["rank_a", "rank_b"]].to_numpy(dtype=np.float64)
        read = ranks.min(axis=1)[lowest[unit]]
        for side in range(2):
            seen = balanced & ~common & (ranks[row, side] <= read)
            earned[:, side] += np.bincount(unit[seen], minlength=n)
    return earned


def _pairs(
    found: pd.DataFrame, lists: pd.DataFrame, unit: np.ndarray, row: np.ndarray, runs: list[str]
) -> pd.DataFrame:
    """Return multileaved credit as pairs of runs."""
    team, teams = pd.factorize(lists["team"], sort=True)
    n = len(teams)
    earned = np.bincount(unit * n + team[row], minlength=len(found) * n).reshape(-1, n)
    a, b = all_pairs(n)
    name = runs[0] if len(runs) == 1 else "run"
    pair, of = (side.ravel() for side in np.indices((len(a), len(found))))
    index = pd.Index(teams).astype(object) if isinstance(teams, pd.CategoricalIndex) else pd.Index(teams)
    ids = {f"{name}_{side}": labels(index, codes[pair]) for side, codes in (("a", a), ("b", b))}
    frame = pd.concat([pd.DataFrame(ids), found.iloc[of].reset_index(drop=True)], axis=1)
    return _with_winner(frame, earned[of, a[pair]], earned[of, b[pair]])


def _with_winner(found: pd.DataFrame, credit_a: np.ndarray, credit_b: np.ndarray) -> pd.DataFrame:
    code = np.where(credit_a > credit_b, 0, np.where(credit_a < credit_b, 1, 2))
    winner = labels(pd.Index(["a", "b", "tie"]), np.where(found["clicks"].to_numpy() > 0, code, -1))
    return found.assign(credit_a=credit_a, credit_b=credit_b, winner=winner)


def _results(
    lists: pd.DataFrame,
    log: pd.DataFrame,
    own: np.ndarray,
    at: np.ndarray,
    clicked: np.ndarray,
    names: Mapping[str, str],
) -> np.ndarray:
    """Return the row of `lists` that every click is on: by document or, where the log has none, by rank; else -1."""
    row = np.full(len(log), -1, dtype=np.int64)
    for column, mine in ((names["doc"], names["doc"]), (names["rank"], "position")):
        if column in log.columns and mine in lists.columns:
            left = np.flatnonzero(clicked & (at >= 0) & (row < 0) & log[column].notna().to_numpy())
            if column == names["rank"] and names["doc"] in log.columns:
                left = left[log[names["doc"]].isna().to_numpy()[left]]  # a document that is not there is not there
            row[left] = places([pd.Series(own), lists[mine]], [pd.Series(at[left]), log[column].iloc[left]])
    return row


def _check(lists: pd.DataFrame, log: pd.DataFrame, names: Mapping[str, str]) -> None:
    """Raise one error that names every fault of the two tables."""
    faults = []
    absent = [name for name in (names["query"], "position", names["doc"], "team") if name not in lists.columns]
    if absent:
        faults.append(f"the interleaved lists have no column {', '.join(absent)}")
    elif lists["team"].isna().any() and "rank_a" not in lists.columns:
        faults.append("the interleaved lists have rows without a team")
    if "method" in lists.columns and (lists["method"] == "balanced").any():
        lacking = [name for name in ("rank_a", "rank_b", "shared") if name not in lists.columns]
        if lacking:
            faults.append(f"balanced lists need the columns {', '.join(lacking)}")
    if names["query"] not in log.columns:
        faults.append(f"the log has no column {names['query']}")
    elif missing := int(log[names["query"]].isna().sum()):
        faults.append(f"the log has {missing:,} rows without a {names['query']}")
    if names["doc"] not in log.columns and names["rank"] not in log.columns:
        faults.append(f"the log has neither {names['doc']} nor {names['rank']}")
    if faults:
        raise ValueError(
            "clicks cannot be credited: "
            + "; ".join(faults)
            + ". Name columns with query=, doc=, rank=, session=, user=."
        )


def _warn(unknown: int, strange: int) -> None:
    said = [f"{unknown:,} clicks on queries without an interleaved list"] if unknown else []
    said += [f"{strange:,} clicks on results that are not in the list"] if strange else []
    if said:
        warnings.warn(f"credit: left out {' and '.join(said)}.", stacklevel=3)
