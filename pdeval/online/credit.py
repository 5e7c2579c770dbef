"""Whose clicks they are: the credit that interleaved runs earn from a click log."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import all_pairs
from pdeval.join.rules import outside
from pdeval.online.interleaving import blocks_of
from pdeval.online.log_checks import CLICK
from pdeval.online.rankings import Rankings, best_ranks, rankings
from pdeval.tables import reader
from pdeval.tables.equal_values import gap
from pdeval.tables.labels import labels, run_labels
from pdeval.tables.metadata import places
from pdeval.tables.reader import Table
from pdeval.tables.recognition import kind_of
from pdeval.tables.schemas import table
from pdeval.tables.vocabularies import names_of
from pdeval.verbs import verb

BY_RANKS = ("optimised", "pairwise")


def by_ranks(lists: pd.DataFrame) -> str:
    """Return the method of lists that are credited by ranks; nothing where others are among them.

    Examples
    --------
    >>> by_ranks(pd.DataFrame({"method": ["pairwise", "pairwise"]})), by_ranks(pd.DataFrame({"position": [1]}))
    ('pairwise', '')
    """
    methods = list(lists["method"].astype(str).unique()) if "method" in lists.columns else []
    return methods[0] if len(methods) == 1 and methods[0] in BY_RANKS else ""


def credit_by_ranks(
    lists: Table, runs: object, own: np.ndarray, unit: np.ndarray, row: np.ndarray, n: int
) -> tuple[pd.Index, np.ndarray]:
    """Return the runs, sorted, and what each earns from every impression, shape (impressions, runs).

    Parameters
    ----------
    own : ndarray of int
        The list of every row of the lists.
    unit, row : ndarray of int
        Impression and row of the lists of every clicked result, each once.
    n : int
        Number of impressions.
    """
    said = lists.frame.attrs
    found = rankings(reader.read(runs, "runs"), ties=said.get("ties"), compat=said.get("compat") or "trec_eval-10")
    topic = places([pd.Series(found.queries)], [lists.column("query")])
    doc = places([pd.Series(found.docs)], [lists.column("doc")])
    position = lists.frame["position"].to_numpy()
    ranks = found.rank(np.arange(len(found.runs))[:, None], topic, doc)  # (runs, rows of the lists)
    _same_runs(
        found, said.get("multileaved"), lists.column("doc")[(topic < 0) | (doc < 0) | np.isinf(ranks.min(axis=0))]
    )
    if by_ranks(lists.frame) == "optimised":
        worth = 1 / np.where(np.isinf(ranks), found.size[:, topic] + 1, ranks)[:, row]
        earned = np.stack([np.bincount(unit, one, n) for one in worth], axis=1)
    else:
        wrong = position[(position < 1) | (position > len(found.docs))]
        if len(wrong):
            raise ValueError(
                f"position {wrong[0]} is not a place of a list of these runs, which have {len(found.docs):,} items; "
                "give the lists as interleave.many() made them."
            )
        earned = _preferences(found, topic, own, position, ranks, unit, row, n)
    names = pd.Index(found.runs.iloc[:, 0]) if found.runs.shape[1] == 1 else pd.Index(run_labels(found.runs))
    order = np.argsort(names.astype(str), kind="stable")
    return names[order], earned[:, order]


def _preferences(
    found: Rankings,
    topic: np.ndarray,
    own: np.ndarray,
    position: np.ndarray,
    ranks: np.ndarray,
    unit: np.ndarray,
    row: np.ndarray,
    n: int,
) -> np.ndarray:
    """Return the weight of the inferred preferences that each run agrees with, shape (impressions, runs)."""
    earned = np.zeros((n, len(ranks)))
    if not len(unit):
        return earned
    length, place = int(position.max()), np.arange(int(position.max()))
    rows_of = np.full((int(own.max()) + 1, length), -1, dtype=np.int64)
    rows_of[own, position - 1] = np.arange(len(own))
    best = np.append(ranks.min(axis=0), np.inf)  # the last is that of no document
    topics, topic_at = np.unique(topic, return_inverse=True)
    passed = _passed_over(best_ranks(found, topics, length)[1], length)
    units, at = np.unique(unit, return_inverse=True)
    clicked = np.zeros((len(units), length), dtype=bool)
    clicked[at, position[row] - 1] = True
    of_unit = np.zeros(len(units), dtype=np.int64)
    of_unit[at] = row
    for block in blocks_of(len(units), length * length * 4):
        rows, hit = rows_of[own[of_unit[block]]], clicked[block]
        last = length - 1 - np.argmax(hit[:, ::-1], axis=1)
        missed = ~hit & (rows >= 0) & (place <= last[:, None] + 1)
        high, low = best[rows][:, :, None], best[rows][:, None, :]
        from_, to = np.minimum(high, low), np.maximum(high, low)
        # where both could stand in either order, they are shown in either order equally often
        pair = hit[:, :, None] & missed[:, None, :] & (np.minimum(place[:, None], place) + 1 >= to)
        u, i, j = np.nonzero(pair)
        line = passed[topic_at[of_unit[block]][u]]
        ends = (each[u, i, j].astype(np.int64) - 1 for each in (from_, to))
        since, until = (np.take_along_axis(line, end[:, None], axis=1)[:, 0] for end in ends)
        weight = np.exp(since - until)
        for run, rank in enumerate(ranks):
            wins, over = rank[rows[u, i]], rank[rows[u, j]]
            agrees = np.where(wins == over, 0.5, wins < over)
            earned[units[block], run] = np.bincount(u, weight * agrees, len(hit))
    return earned


def _passed_over(best: np.ndarray, length: int) -> np.ndarray:
    """Return the logarithm of the probability that a document which may stand anywhere is not in the first x places.

    Shape (topics, length + 1), x from 0. A place whose only document it is would have to take it: no pair is asked of
    there, and the place counts as 0.
    """
    x = np.arange(1, length + 1)
    choices = (best[:, :, None] <= x).sum(axis=1) - (x - 1)
    step = np.log1p(-1 / np.maximum(choices, 2), where=choices > 1, out=np.zeros(choices.shape))
    return np.concatenate([np.zeros((len(best), 1)), np.cumsum(step, axis=1)], axis=1)


def _same_runs(found: Rankings, made_of: list[str] | None, unknown: pd.Series) -> None:
    """Raise unless the runs are those that lists were made of."""
    given = sorted(run_labels(found.runs))
    if made_of is not None and sorted(made_of) != given:
        raise ValueError(
            f"the lists were made of the runs {', '.join(sorted(made_of))}; runs= has {', '.join(given)}. Give the "
            "same."
        )
    if len(unknown):
        raise ValueError(
            f"{len(unknown):,} results of the lists are in none of the runs= for their query, e.g. "
            f"{unknown.tolist()[0]!r}: give the run table that the lists were made of."
        )


table(
    "credits",
    "run_a run_b query [draw:int session user method] clicks:int credit_a:float credit_b:float [winner]",
    "table of credits of interleaved runs",
    known_by="run_a run_b clicks credit_a credit_b",
    row="impression of an interleaved list; of a multileaved list, impression and pair of runs",
    sort="run_a run_b query draw session user",
    then=".wins(), .preferences()",
    means={
        "draw": "which of several lists of a query was shown",
        "session": "the session that it was shown in",
        "user": "whom it was shown to",
        "method": "how the list was interleaved",
        "clicks": "how many different results were clicked",
        "credit_a": "clicks that the first run earned; of optimised and pairwise lists, parts of them",
        "credit_b": "clicks that the second run earned; of optimised and pairwise lists, parts of them",
        "winner": "'a', 'b' or 'tie'; missing without clicks",
    },
    unreported="it has a row per impression; report .wins()",
    undrawn="it has a row per impression; draw .wins()",
)


@verb(on="clicks", gives="credits")
def credit(
    log: Table, lists: object, *, shared: Literal["team", "nobody"] = "team", runs: object = None
) -> pd.DataFrame:
    """Return the clicks that each run earned, for every impression of an interleaved list.

    An impression is one list in one session. A result clicked several times counts once. Team-draft, probabilistic
    and multileaved lists credit the team that owns the result. Balanced lists credit by rank: let k be the better of
    the lowest clicked result's two ranks; each run earns the clicked results among its own top k, without those of
    the shared top ranks, which credit nobody (Joachims 2002). In optimised lists a clicked result earns every run the
    inverse of its rank there (Schuth et al. 2014). In pairwise lists each clicked result is preferred to the results
    without a click down to one below the last click; a run earns a preference that its ranks agree with, half of one
    that they say nothing about, divided by the probability that the list could have shown the two in either order, and
    nothing where it could not (Oosterhuis and de Rijke 2017). Clicks on queries without a list, and on results that are
    not in the list, are left out with a warning.

    Of the log this needs the query, and doc or rank; session and user, if known; an action column, if there are also
    impressions; run_a, run_b and draw, where `lists` holds several per query. No times are needed, and the order of
    rows is immaterial.

    Parameters
    ----------
    lists : DataFrame or bound accessor
        What `interleave` or `interleave.many` returned: the lists that were shown.
    shared : {'team', 'nobody'}
        Whether in drafted lists clicks on the shared top ranks count for the team that drew the result, or not at
        all: there teams are a coin toss, so leaving them out takes away noise.
    runs : DataFrame or bound accessor, optional
        The run table that optimised or pairwise lists were made of, whose ranks say what clicks earn.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> lists = runs.ireval.interleave(pairs=[("bm25", "hybrid")])
    >>> log = lists.ireval.simulate_clicks(qrels)
    >>> credits = log.ireval.credit(lists)
    >>> credits[["run_a", "run_b", "query_id", "session", "clicks", "credit_a", "credit_b", "winner"]].head(3)
      run_a   run_b query_id  session  clicks  credit_a  credit_b winner
    0  bm25  hybrid      101        0       5         2         3      b
    1  bm25  hybrid      102        1       6         3         3    tie
    2  bm25  hybrid      103        2       6         2         4      b
    """
    if shared not in ("team", "nobody"):
        raise ValueError(f"shared is 'team' or 'nobody', not {shared!r}.")
    shown = _read_lists(lists)
    _check(shown, log, runs)
    frame, events, query = shown.frame, log.frame, shown.roles["query"]
    sides = [f"{name}_{side}" for side in "ab" for name in shown.run_columns]
    keys = [*sides, query, *[name for name in ("draw", "method") if name in frame.columns]]
    heads = frame[keys].drop_duplicates().sort_values(keys).reset_index(drop=True)
    in_log = {name: log.roles["query"] if name == query else name for name in keys}  # the log's own query column
    in_log = {name: own for name, own in in_log.items() if own in events.columns}
    several = heads.duplicated(list(in_log))
    if several.any():
        lacking = [name for name in keys if name not in in_log and heads[name].nunique() > 1]
        raise ValueError(
            f"the log does not say which list was shown: there are several for {query} "
            f"{heads.loc[several, query].tolist()[0]!r}; add {' or '.join(lacking)} to the log."
        )
    own = places([heads[name] for name in keys], [frame[name] for name in keys])  # the list of every row of `lists`
    at = places([heads[name] for name in in_log], [events[name] for name in in_log.values()])  # of every event

    clicked = np.ones(len(events), dtype=bool)
    if "action" in log:
        clicked = (log.column("action") == CLICK).to_numpy()
    row = _results(shown, log, own, at, clicked)
    _warn(int((clicked & (at < 0)).sum()), int((clicked & (at >= 0) & (row < 0)).sum()))

    who = [log.roles[role] for role in ("session", "user") if role in log]
    seen = events.loc[at >= 0, who].assign(_list=at[at >= 0])
    unit = seen.groupby(["_list", *who], sort=True, observed=True, dropna=False).ngroup().to_numpy()
    units = seen.iloc[np.unique(unit, return_index=True)[1]].reset_index(drop=True)
    counted = (row >= 0)[at >= 0]
    clicks = np.unique(unit[counted] * np.int64(max(len(frame), 1)) + row[at >= 0][counted])
    unit, row = np.divmod(clicks, max(len(frame), 1))

    listed = heads.iloc[units["_list"].to_numpy()].reset_index(drop=True)
    if "method" not in keys:
        listed["method"] = labels(pd.Index(["interleaving"]), np.zeros(len(listed), np.int8))
    found = pd.concat([listed.drop(columns="method"), units[who], listed["method"]], axis=1)
    found["clicks"] = np.bincount(unit, minlength=len(units))
    if sides:
        earned = _earned(frame, unit, row, len(units), shared)
        names, found = list(shown.run_columns), _with_winner(found, earned[:, 0], earned[:, 1])
    else:
        names, found = _pairs(found, shown, runs, own, unit, row)
    found.attrs = {"run_columns": names, "query_column": query, "shared": shared, **_who(log)}
    return found


def _read_lists(lists: object) -> Table:
    """Return interleaved or multileaved lists with their roles bound."""
    frame, binding = getattr(lists, "_frame", lists), getattr(lists, "_binding", None)
    kind = kind_of(frame, binding, ("lists", "multileaved_lists")) if isinstance(frame, pd.DataFrame) else None
    return reader.read(lists, kind or "lists")


def _who(log: Table) -> dict[Any, Any]:
    return {f"{role}_column": log.roles[role] for role in ("session", "user") if role in log}


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
    found: pd.DataFrame, shown: Table, runs: object, own: np.ndarray, unit: np.ndarray, row: np.ndarray
) -> tuple[list[str], pd.DataFrame]:
    """Return the column that names runs, and multileaved credit as pairs of runs."""
    lists = shown.frame
    if by_ranks(lists):
        teams, earned = credit_by_ranks(shown, runs, own, unit, row, len(found))
    else:
        team, teams = pd.factorize(lists["team"], sort=True)
        earned = np.bincount(unit * len(teams) + team[row], minlength=len(found) * len(teams))
        earned = earned.reshape(-1, len(teams))
    a, b = all_pairs(len(teams))
    said = lists.attrs.get("run_columns") or ["run"]
    name = str(said[0]) if len(said) == 1 else "run"
    pair, impression = (side.ravel() for side in np.indices((len(a), len(found))))
    ids = {f"{name}_{side}": labels(pd.Index(teams), codes[pair]) for side, codes in (("a", a), ("b", b))}
    frame = pd.concat([pd.DataFrame(ids), found.iloc[impression].reset_index(drop=True)], axis=1)
    return [name], _with_winner(frame, earned[impression, a[pair]], earned[impression, b[pair]])


def _with_winner(found: pd.DataFrame, credit_a: np.ndarray, credit_b: np.ndarray) -> pd.DataFrame:
    ahead = gap(np.asarray(credit_a, dtype=np.float64), np.asarray(credit_b, dtype=np.float64))
    code = np.where(ahead > 0, 0, np.where(ahead < 0, 1, 2))
    code = np.where(found["clicks"].to_numpy() > 0, code, -1)
    winner = pd.Index(["a", "b", "tie"]).array.take(code, allow_fill=True)
    return found.assign(credit_a=credit_a, credit_b=credit_b, winner=winner)


def _results(lists: Table, log: Table, own: np.ndarray, at: np.ndarray, clicked: np.ndarray) -> np.ndarray:
    """Return the row of the lists that every click is on: by document or, where the log has none, by rank; else -1."""
    row = np.full(len(log.frame), -1, dtype=np.int64)
    for role, mine in (("doc", lists.column("doc")), ("rank", lists.frame["position"])):
        if role in log:
            column = log.column(role)
            left = np.flatnonzero(clicked & (at >= 0) & (row < 0) & column.notna().to_numpy())
            if role == "rank" and "doc" in log:
                left = left[log.column("doc").isna().to_numpy()[left]]  # a document that is not there is not there
            row[left] = places([pd.Series(own), mine], [pd.Series(at[left]), column.iloc[left]])
    return row


def _check(lists: Table, log: Table, runs: object) -> None:
    """Raise one error that names every fault of the two tables."""
    faults, frame = [], lists.frame
    ranked = by_ranks(frame)
    if ranked and runs is None:
        faults.append(f"{ranked} lists are credited by the ranks of their runs: credit(lists, runs=runs)")
    elif not ranked and runs is not None:
        faults.append("runs= is for optimised and pairwise lists; these have teams")
    if frame["team"].isna().any() and "rank_a" not in frame.columns and not ranked:
        faults.append("the interleaved lists have rows without a team")
    if "method" in frame.columns and (frame["method"] == "balanced").any():
        lacking = [name for name in ("rank_a", "rank_b", "shared") if name not in frame.columns]
        if lacking:
            faults.append(f"balanced lists need the columns {', '.join(lacking)}")
    if missing := int(log.column("query").isna().sum()):
        faults.append(f"the log has {missing:,} rows without a {log.roles['query']}")
    if "doc" not in log and "rank" not in log:
        faults.append(f"the log has neither {names_of('doc')[0]} nor {names_of('rank')[0]}")
    if faults:
        raise ValueError(
            f"clicks cannot be credited: {'; '.join(faults)}. Bind columns: log.ireval(query=..., doc=..., rank=...)."
        )


def _warn(unknown: int, strange: int) -> None:
    said = [f"{unknown:,} clicks on queries without an interleaved list"] if unknown else []
    said += [f"{strange:,} clicks on results that are not in the list"] if strange else []
    if said:
        warnings.warn(f"credit: left out {' and '.join(said)}.", UserWarning, stacklevel=outside())
