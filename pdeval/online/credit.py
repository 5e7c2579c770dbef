"""Credit of clicks: what interleaved runs earn from a click log, who won, and preferences per query."""

import warnings
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Known
from pdeval.evaluate import all_pairs, described_frame
from pdeval.join import outside
from pdeval.online.interleaving import Rankings, best_ranks, blocks_of, rankings
from pdeval.online.log import CLICK
from pdeval.significance.corrections import Correction, adjust, which_correction
from pdeval.tables import (
    Table,
    gap,
    kind_of,
    labels,
    names_of,
    numbers,
    places,
    read,
    run_labels,
    table,
)
from pdeval.verbs import stats, verb

BY_RANKS = ("optimized", "pairwise")


table(
    "credits",
    "run_a run_b query [draw:int session user method] clicks:int credit_a:float credit_b:float [winner]",
    "table of credits of interleaved runs",
    recognized_by="run_a run_b clicks credit_a credit_b",
    row="impression of an interleaved list; of a multileaved list, impression and pair of runs",
    sort="run_a run_b query draw session user",
    then=".wins(), .preferences()",
    means={
        "draw": "number of the list shown, of several of a query",
        "session": "session in which it was shown",
        "user": "user to whom it was shown",
        "method": "interleaving method of the list",
        "clicks": "number of different results clicked",
        "credit_a": "clicks that the first run earned; of optimized and pairwise lists, parts of them",
        "credit_b": "clicks that the second run earned; of optimized and pairwise lists, parts of them",
        "winner": "'a', 'b' or 'tie'; missing without clicks",
    },
    no_report="it has a row per impression; report .wins()",
    no_plot="it has a row per impression; draw .wins()",
)


table(
    "wins",
    "run_a run_b per n:int a_wins:int b_wins:int ties:int a_win_rate:fraction b_win_rate:fraction p_value:float "
    "p_adjusted:float "
    "significant:bool",
    "table of wins of interleaved runs",
    recognized_by="run_a run_b a_wins b_wins ties p_value",
    row="pair of runs",
    sort="run_a run_b",
    then=".report(), .plot()",
    means={
        "per": "unit that votes: 'query', 'user' or 'impression'",
        "n": "number of voters with a click",
        "a_wins": "voters that the first run won",
        "b_wins": "voters that the second run won",
        "ties": "voters that neither won",
        "a_win_rate": "fraction of the voters that the first run won; NaN if n is 0",
        "b_win_rate": "fraction of the voters that the second run won; NaN if n is 0",
        "p_value": "p-value of the binomial test, in which ties do not count; NaN if n is 0",
        "p_adjusted": "p-value corrected for the number of pairs",
    },
)


@verb(on="clicks", returns="credits")
def credit(
    log: Table, lists: object, *, shared: Literal["team", "nobody"] = "team", runs: object = None
) -> pd.DataFrame:
    """Return the clicks that each run earned, for every impression of an interleaved list.

    An impression is one list in one session. A result clicked several times counts once. Team-draft, probabilistic
    and multileaved lists credit the team that owns the result. Balanced lists credit by rank: let k be the better of
    the lowest clicked result's two ranks; each run earns the clicked results in its top k, without those of
    the shared top ranks, which earn no credit (Joachims 2002). In optimized lists a clicked result earns every run the
    inverse of its rank there (Schuth et al. 2014). In pairwise lists each clicked result is preferred to the results
    without a click down to one below the last click; a run earns a preference that its ranks agree with and half of
    one on which its ranks are tied, divided by the probability that the list could have shown the two in either order;
    zero if it could not (Oosterhuis and de Rijke 2017). Clicks on queries without a list, and on results that are not
    in the list, are dropped with a warning.

    The log needs the query, and doc or rank; session and user, if known; an action column, if there are also
    impressions; run_a, run_b and draw, if `lists` has several per query. Times are not needed, and the order of rows
    does not matter.

    Parameters
    ----------
    lists : DataFrame or bound accessor
        What `interleave` or `interleave.many` returned: the lists that were shown.
    shared : {'team', 'nobody'}
        Whether in drafted lists clicks on the shared top ranks count for the team that drew the result, or not at
        all. Teams there are random, so 'nobody' reduces variance.
    runs : DataFrame or bound accessor, optional
        The run table that optimized or pairwise lists were made of; clicks are credited by its ranks.

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
    frame_of_lists: Any = getattr(lists, "_frame", lists)
    kind = (
        kind_of(frame_of_lists, getattr(lists, "_binding", None), ("lists", "multileaved_lists"))
        if isinstance(frame_of_lists, pd.DataFrame)
        else None
    )
    list_table = read(lists, kind or "lists")
    _check(list_table, log, runs)
    frame, events, query = list_table.frame, log.frame, list_table.roles["query"]
    sides = [f"{name}_{side}" for side in "ab" for name in list_table.run_columns]
    keys = [*sides, query, *[name for name in ("draw", "method") if name in frame.columns]]
    heads = frame[keys].drop_duplicates().sort_values(keys).reset_index(drop=True)
    in_log = {
        name: log.roles["query"] if name == query else name for name in keys
    }  # the log's own query column
    in_log = {name: column for name, column in in_log.items() if column in events.columns}
    several = heads.duplicated(list(in_log))
    if several.any():
        missing = [name for name in keys if name not in in_log and heads[name].nunique() > 1]
        raise ValueError(
            f"the log does not identify the list that was shown: there are several for {query} "
            f"{heads.loc[several, query].tolist()[0]!r}. Add {' or '.join(missing)} to the log."
        )
    list_of_row = places([heads[name] for name in keys], [frame[name] for name in keys])
    list_of_event = places(
        [heads[name] for name in in_log], [events[name] for name in in_log.values()]
    )
    clicked = (
        (log.column("action") == CLICK).to_numpy()
        if "action" in log
        else np.ones(len(events), dtype=bool)
    )
    row = _results(list_table, log, list_of_row, list_of_event, clicked)
    in_list = list_of_event >= 0
    omitted = {
        "on queries without an interleaved list": int((clicked & ~in_list).sum()),
        "on results that are not in the list": int((clicked & in_list & (row < 0)).sum()),
    }
    if texts := [f"{count:,} clicks {text}" for text, count in omitted.items() if count]:
        warnings.warn(f"credit: dropped {' and '.join(texts)}.", stacklevel=outside())
    # an impression is a list that was shown in a session, or to a user
    who = [log.roles[role] for role in ("session", "user") if role in log]
    seen = events.loc[in_list, who].assign(_list=list_of_event[in_list])
    unit = seen.groupby(["_list", *who], sort=True, observed=True, dropna=False).ngroup().to_numpy()
    units = seen.iloc[np.unique(unit, return_index=True)[1]].reset_index(drop=True)
    counted = (row >= 0)[in_list]
    clicks = np.unique(
        unit[counted] * np.int64(max(len(frame), 1)) + row[in_list][counted]
    )  # each result once
    unit, row = np.divmod(clicks, max(len(frame), 1))
    head = heads.iloc[units["_list"].to_numpy()].reset_index(drop=True)
    if "method" not in keys:
        head["method"] = labels(pd.Index(["interleaving"]), np.zeros(len(head), np.int8))
    credits = pd.concat([head.drop(columns="method"), units[who], head["method"]], axis=1)
    credits["clicks"] = np.bincount(unit, minlength=len(units))
    if sides:
        names, earned = list(list_table.run_columns), _earned(frame, unit, row, len(units), shared)
        credits = _with_winner(credits, earned[:, 0], earned[:, 1])
    else:
        names, credits = _pairs(credits, list_table, runs, list_of_row, unit, row)
    who_columns = {f"{role}_column": log.roles[role] for role in ("session", "user") if role in log}
    return described_frame(
        credits, {"run_columns": names, "query_column": query, "shared": shared, **who_columns}
    )


def _check(lists: Table, log: Table, runs: object) -> None:
    """Raise one error with all faults of the two tables."""
    frame = lists.frame
    ranked = by_ranks(frame)
    absent = [name for name in ("rank_a", "rank_b", "shared") if name not in frame.columns]
    missing = int(log.column("query").isna().sum())
    possible = {
        f"{ranked} lists are credited by the ranks of their runs: credit(lists, runs=runs)": (
            ranked and runs is None
        ),
        "runs= is for optimized and pairwise lists; these have teams": (
            not ranked and runs is not None
        ),
        "the interleaved lists have rows without a team": (
            frame["team"].isna().any() and "rank_a" not in frame.columns and not ranked
        ),
        f"balanced lists need the columns {', '.join(absent)}": (
            absent and "method" in frame.columns and (frame["method"] == "balanced").any()
        ),
        f"the log has {missing:,} rows without a {log.roles['query']}": missing,
        f"the log has neither {names_of('doc')[0]} nor {names_of('rank')[0]}": (
            "doc" not in log and "rank" not in log
        ),
    }
    if faults := [text for text, is_fault in possible.items() if is_fault]:
        raise ValueError(
            f"clicks cannot be credited: {'; '.join(faults)}. Bind columns: log.ireval(query=..., doc=..., rank=...)."
        )


def _results(
    lists: Table,
    log: Table,
    list_of_row: np.ndarray,
    list_of_event: np.ndarray,
    clicked: np.ndarray,
) -> np.ndarray:
    """Return the row of the lists that every click is on: by document or, if the log has none, by rank; else -1."""
    row = np.full(len(log.frame), -1, dtype=np.int64)
    for role, column_of_lists in (("doc", lists.column("doc")), ("rank", lists.frame["position"])):
        if role in log:
            column = log.column(role)
            left = np.flatnonzero(
                clicked & (list_of_event >= 0) & (row < 0) & column.notna().to_numpy()
            )
            if role == "rank" and "doc" in log:
                left = left[
                    log.column("doc").isna().to_numpy()[left]
                ]  # a known document is not looked up by rank
            row[left] = places(
                [pd.Series(list_of_row), column_of_lists],
                [pd.Series(list_of_event[left]), column.iloc[left]],
            )
    return row


def _earned(
    lists: pd.DataFrame, unit: np.ndarray, row: np.ndarray, n: int, shared: str
) -> np.ndarray:
    """Return the clicks credited to a and b, shape (impressions, 2)."""
    # 0, 1, or -1 without a team
    team = (
        lists["team"]
        .map({"a": 0, "b": 1})
        .astype(np.float64)
        .fillna(-1)
        .to_numpy(dtype=np.int64)[row]
    )
    absent = pd.Series(False, index=lists.index)
    common = lists.get("shared", absent).to_numpy(dtype=bool)[row]
    balanced = (lists.get("method", absent) == "balanced").to_numpy()[row]
    counts = ~balanced & (team >= 0) & ~(common & (shared == "nobody"))
    earned = np.bincount(2 * unit[counts] + team[counts], minlength=2 * n).reshape(n, 2)
    if balanced.any():
        # both rankings were read down to the lowest clicked result of the impression
        order = np.lexsort((lists["position"].to_numpy()[row], unit))
        lowest = np.full(n, -1, dtype=np.int64)
        lowest[unit[order]] = row[order]
        ranks = lists[["rank_a", "rank_b"]].to_numpy(dtype=np.float64)
        read = ranks[row] <= ranks.min(axis=1)[lowest[unit]][:, None]  # by either run
        for side in range(2):
            earned[:, side] += np.bincount(unit[balanced & ~common & read[:, side]], minlength=n)
    return earned


def _pairs(
    credits: pd.DataFrame,
    list_table: Table,
    runs: object,
    list_of_row: np.ndarray,
    unit: np.ndarray,
    row: np.ndarray,
) -> tuple[list[str], pd.DataFrame]:
    """Return the column that names runs, and multileaved credit as pairs of runs."""
    lists = list_table.frame
    if by_ranks(lists):
        teams, earned = credit_by_ranks(list_table, runs, list_of_row, unit, row, len(credits))
    else:
        team, teams = pd.factorize(lists["team"], sort=True)
        earned = np.bincount(
            unit * len(teams) + team[row], minlength=len(credits) * len(teams)
        ).reshape(-1, len(teams))
    a, b = all_pairs(len(teams))
    run_columns = lists.attrs.get("run_columns") or ["run"]
    name = str(run_columns[0]) if len(run_columns) == 1 else "run"
    pair, impression = (side.ravel() for side in np.indices((len(a), len(credits))))
    ids = {
        f"{name}_{side}": labels(pd.Index(teams), codes[pair])
        for side, codes in (("a", a), ("b", b))
    }
    frame = pd.concat([pd.DataFrame(ids), credits.iloc[impression].reset_index(drop=True)], axis=1)
    return [name], _with_winner(frame, earned[impression, a[pair]], earned[impression, b[pair]])


def _with_winner(credits: pd.DataFrame, credit_a: np.ndarray, credit_b: np.ndarray) -> pd.DataFrame:
    ahead = gap(np.asarray(credit_a, dtype=np.float64), np.asarray(credit_b, dtype=np.float64))
    # places in the index below; -1, missing, without a click
    code = np.select([credits["clicks"].to_numpy() <= 0, ahead > 0, ahead < 0], [-1, 0, 1], 2)
    return credits.assign(
        credit_a=credit_a,
        credit_b=credit_b,
        winner=pd.Index(["a", "b", "tie"]).array.take(code, allow_fill=True),
    )


def by_ranks(lists: pd.DataFrame) -> str:
    """Return the method of lists that are credited by ranks; empty if there are other methods.

    Examples
    --------
    >>> by_ranks(pd.DataFrame({"method": ["pairwise", "pairwise"]})), by_ranks(pd.DataFrame({"position": [1]}))
    ('pairwise', '')
    """
    methods = list(lists["method"].astype(str).unique()) if "method" in lists.columns else []
    return methods[0] if len(methods) == 1 and methods[0] in BY_RANKS else ""


def credit_by_ranks(
    lists: Table, runs: object, list_of_row: np.ndarray, unit: np.ndarray, row: np.ndarray, n: int
) -> tuple[pd.Index, np.ndarray]:
    """Return the runs, sorted, and what each earns from every impression, shape (impressions, runs).

    Parameters
    ----------
    list_of_row : ndarray of int
        The list of every row of the lists.
    unit, row : ndarray of int
        Impression and row of the lists of every clicked result, each once.
    n : int
        Number of impressions.
    """
    attrs = lists.frame.attrs
    ranked = rankings(
        read(runs, "runs"),
        ties=attrs.get("ties"),
        compat=attrs.get("compat") or "trec_eval-10",
    )
    topic = places([pd.Series(ranked.queries)], [lists.column("query")])
    doc = places([pd.Series(ranked.docs)], [lists.column("doc")])
    position = lists.frame["position"].to_numpy()
    ranks = ranked.rank(
        np.arange(len(ranked.runs))[:, None], topic, doc
    )  # (runs, rows of the lists)
    unknown = (topic < 0) | (doc < 0) | np.isinf(ranks.min(axis=0))
    made_of, given = sorted(attrs.get("multileaved") or ()), sorted(run_labels(ranked.runs))
    if made_of and made_of != given:
        raise ValueError(
            f"the lists were made of the runs {', '.join(made_of)}, but runs= has {', '.join(given)}. Pass the same "
            "runs."
        )
    if unknown.any():
        raise ValueError(
            f"{unknown.sum():,} results of the lists are in none of the runs= for their query, e.g. "
            f"{lists.column('doc')[unknown].tolist()[0]!r}. Pass the run table that the lists were made of."
        )
    if by_ranks(lists.frame) == "optimized":
        credit = 1 / np.where(np.isinf(ranks), ranked.size[:, topic] + 1, ranks)[:, row]
        earned = np.stack([np.bincount(unit, of_run, n) for of_run in credit], axis=1)
    else:
        wrong = position[(position < 1) | (position > len(ranked.docs))]
        if len(wrong):
            raise ValueError(
                f"position {wrong[0]} is not a position in a list of these runs, which have {len(ranked.docs):,} "
                "items. Pass the lists as interleave.many() returned them."
            )
        earned = _preferences(ranked, topic, list_of_row, position, ranks, unit, row, n)
    order = np.argsort(ranked.names.astype(str), kind="stable")
    return ranked.names[order], earned[:, order]


def _preferences(
    ranked: Rankings,
    topic: np.ndarray,
    list_of_row: np.ndarray,
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
    row_at = np.full((int(list_of_row.max()) + 1, length), -1, dtype=np.int64)  # (lists, places)
    row_at[list_of_row, position - 1] = np.arange(len(list_of_row))
    best = np.append(ranks.min(axis=0), np.inf)  # the last is that of no document
    topics, topic_at = np.unique(topic, return_inverse=True)
    passed = _passed_over(best_ranks(ranked, topics, length)[1], length)
    units, at = np.unique(unit, return_inverse=True)
    clicked = np.zeros((len(units), length), dtype=bool)
    clicked[at, position[row] - 1] = True
    row_of_unit = np.zeros(len(units), dtype=np.int64)
    row_of_unit[at] = row
    for block in blocks_of(len(units), length * length * 4):
        rows, hit = row_at[list_of_row[row_of_unit[block]]], clicked[block]
        # the lowest click, by impression; users are taken to have read one result further
        last = length - 1 - np.argmax(hit[:, ::-1], axis=1)
        missed = ~hit & (rows >= 0) & (place <= last[:, None] + 1)
        high, low = best[rows][:, :, None], best[rows][:, None, :]
        from_, to = np.minimum(high, low), np.maximum(high, low)
        # pairs that could be shown in either order are shown in either order equally often
        pair = hit[:, :, None] & missed[:, None, :] & (np.minimum(place[:, None], place) + 1 >= to)
        # impression, clicked and missed place of every preference
        u, i, j = np.nonzero(pair)
        line = passed[topic_at[row_of_unit[block]][u]]
        ends = (each[u, i, j].astype(np.int64) - 1 for each in (from_, to))
        since, until = (np.take_along_axis(line, end[:, None], axis=1)[:, 0] for end in ends)
        for run, rank in enumerate(ranks):
            clicked_rank, missed_rank = rank[rows[u, i]], rank[rows[u, j]]
            agrees = np.where(clicked_rank == missed_rank, 0.5, clicked_rank < missed_rank)
            earned[units[block], run] = np.bincount(u, np.exp(since - until) * agrees, len(hit))
    return earned


def _passed_over(best: np.ndarray, length: int) -> np.ndarray:
    """Return the logarithm of the probability that a document which may stand anywhere is not in the first x places.

    Shape (topics, length + 1), x from 0. A place with a single possible document always has it: no pair is compared
    there, and the place counts as 0.
    """
    x = np.arange(1, length + 1)
    choices = (best[:, :, None] <= x).sum(axis=1) - (x - 1)
    step = np.log1p(-1 / np.maximum(choices, 2), where=choices > 1, out=np.zeros(choices.shape))
    return np.concatenate([np.zeros((len(best), 1)), np.cumsum(step, axis=1)], axis=1)


@verb(on="credits", returns="wins")
def wins(
    credits: Table,
    *,
    per: Literal["query", "user", "impression"] = "query",
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    correction: Correction | None = "holm",
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Return the number of queries or users that each run of a pair won, one row per pair.

    Parameters
    ----------
    per : {'query', 'user', 'impression'}
        Unit that votes. An impression with a click is won by the run with more credit, or tied; a query or user is won
        by the run that won more of its impressions. If every issued query has a different id, 'query' and
        'impression' are the same.
    alternative : {'two-sided', 'greater', 'less'}
        Alternative hypothesis of the binomial test: any difference, a better, a worse. Ties do not count.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> lists = runs.ireval.interleave(pairs=[("bm25", "hybrid"), ("ql", "bm25")], draws=20)
    >>> credits = lists.ireval.simulate_clicks(qrels).ireval.credit(lists)
    >>> credits.ireval.wins()[["run_a", "run_b", "n", "a_wins", "b_wins", "ties", "p_value", "significant"]].round(4)
      run_a   run_b   n  a_wins  b_wins  ties  p_value  significant
    0  bm25  hybrid  49       7      34     8   0.0000         True
    1    ql    bm25  47      16      23     8   0.3368        False
    """
    correction = which_correction(correction)  # type: ignore[assignment]
    sides, sign, clicked = _votes(credits)
    pair = credits.frame.groupby(sides, sort=True, observed=True).ngroup().to_numpy()[clicked]
    pairs = credits.frame[sides].drop_duplicates().sort_values(sides).reset_index(drop=True)
    if per != "impression":
        if per not in credits:
            raise ValueError(
                f"per={per!r} requires a {per} column; the credits have {', '.join(map(str, credits.frame.columns))}. "
                f"Bind it: credits.ireval({per}=...)."
            )
        who = pd.factorize(credits.column(per))[0][clicked]
        known = who >= 0
        # the sign of the sum decides the vote of a query or user
        sums = pd.Series(sign[known]).groupby([pair[known], who[known]]).sum()
        pair, sign = sums.index.get_level_values(0).to_numpy(), np.sign(sums.to_numpy())
    n = len(pairs)
    a_wins, b_wins, ties = (np.bincount(pair[sign == side], minlength=n) for side in (1, -1, 0))
    decided = a_wins + b_wins
    total = decided + ties
    p_value = (
        np.minimum(2 * stats.binom.cdf(np.minimum(a_wins, b_wins), decided, 0.5), 1.0)
        if alternative == "two-sided"
        else stats.binom.sf((a_wins if alternative == "greater" else b_wins) - 1, decided, 0.5)
    )
    p_value = np.where(total > 0, p_value, np.nan)
    p_adjusted = adjust(p_value, np.zeros(n, dtype=np.int64), correction=correction or "none")
    with np.errstate(invalid="ignore"):
        a_share, b_share = np.stack([a_wins, b_wins]) / total
    table = pairs.assign(
        per=per,
        n=total,
        a_wins=a_wins,
        b_wins=b_wins,
        ties=ties,
        a_win_rate=a_share,
        b_win_rate=b_share,
        p_value=p_value,
        p_adjusted=p_adjusted,
        significant=p_adjusted < alpha,
    )
    options = {"alternative": alternative, "correction": correction or "none", "alpha": alpha}
    return described_frame(table, {"run_columns": list(credits.run_columns), **options})


@verb(on="credits", returns="preferences")
def preferences(credits: Table) -> pd.DataFrame:
    """Return the outcome of every query as a preference: the mean sign of credit_a - credit_b over its impressions.

    The measure is the interleaving method. Orderings, tests and agreement apply to the table as they do to offline
    preferences. Impressions without a click do not count; a query without any click is absent.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> lists = runs.ireval.interleave(pairs=[("bm25", "hybrid")], draws=20)
    >>> credits = lists.ireval.simulate_clicks(qrels).ireval.credit(lists)
    >>> credits.ireval.preferences().head(3)
      query_id run_a   run_b     measure  value
    0      101  bm25  hybrid  team-draft   -1.0
    1      102  bm25  hybrid  team-draft    0.0
    2      103  bm25  hybrid  team-draft   -1.0
    """
    frame, query = credits.frame, credits.roles["query"]
    sides, sign, clicked = _votes(credits)
    rows = frame.loc[clicked, [query, *sides]].reset_index(drop=True)
    rows["measure"] = (
        frame.loc[clicked, "method"].to_numpy() if "method" in frame.columns else "interleaving"
    )
    means = (
        rows.assign(value=sign)
        .groupby([query, *sides, "measure"], sort=True, observed=True)["value"]
        .mean()
    )
    known: Known = {"higher": True, "aggregate": "mean", "family": "preference", "test": "t"}
    measures = {str(measure): known for measure in means.index.unique("measure")}
    attrs = {"run_columns": list(credits.run_columns), "query_column": query, "measures": measures}
    return described_frame(means.reset_index(), attrs)


def _votes(credits: Table) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return the columns that name pairs; the sign of credit_a - credit_b of clicked impressions; which are clicked."""
    sides = [f"{name}_{side}" for side in "ab" for name in credits.run_columns]
    clicked = numbers(credits.frame["clicks"], "clicks") > 0
    earned = (numbers(credits.frame[f"credit_{side}"], f"credit_{side}") for side in "ab")
    return sides, np.sign(gap(*earned))[clicked].astype(np.int64), clicked
