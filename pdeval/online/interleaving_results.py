"""Who won: votes of queries and of users from credited clicks, with the binomial test; and preferences per query."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from pdeval.catalog.directions import Known
from pdeval.significance.corrections import Correction, adjust, which_correction
from pdeval.tables.equal_values import gap
from pdeval.tables.reader import Table, numbers
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import share

Per = Literal["query", "user", "impression"]

table(
    "wins",
    "run_a run_b per n:int a_wins:int b_wins:int ties:int a_share:share b_share:share p_value:float p_adjusted:float "
    "significant:bool",
    "table of wins of interleaved runs",
    known_by="run_a run_b a_wins b_wins ties p_value",
    row="pair of runs",
    sort="run_a run_b",
    then=".report(), .plot()",
    means={
        "per": "who votes: 'query', 'user' or 'impression'",
        "n": "number of voters with a click",
        "a_wins": "voters that the first run won",
        "b_wins": "voters that the second run won",
        "ties": "voters that neither won",
        "a_share": "share of the voters that the first run won; NaN where n is 0",
        "b_share": "share of the voters that the second run won; NaN where n is 0",
        "p_value": "of the binomial test, in which ties do not count; NaN where n is 0",
        "p_adjusted": "p-value corrected for the number of pairs",
    },
)


@verb(on="credits", gives="wins")
def wins(
    credits: Table,
    *,
    per: Per = "query",
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Return how many queries or users each run of a pair won: one row per pair.

    Parameters
    ----------
    per : {'query', 'user', 'impression'}
        Who votes. Every impression with a click goes to the run with more credit, or is a tie; a query, or a user,
        goes to the run that won more of its impressions. Where every issued query has an id of its own, 'query' and
        'impression' are the same.
    alternative : {'two-sided', 'greater', 'less'}
        Of the binomial test: any difference, a better, a worse. Ties do not count in it.

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
    from scipy.stats import binom

    if per not in ("query", "user", "impression"):
        raise ValueError(f"per is 'query', 'user' or 'impression', not {per!r}.")
    if alternative not in ("two-sided", "greater", "less"):
        raise ValueError(f"alternative is 'two-sided', 'greater' or 'less', not {alternative!r}.")
    alpha, correction = share("alpha", alpha), which_correction(correction)  # type: ignore[assignment]
    _, pair, pairs, sign, clicked = _votes(credits)
    if per != "impression":
        if per not in credits:
            raise ValueError(
                f"wins by {per} need a {per} column; the credits have {', '.join(map(str, credits.frame.columns))}. "
                f"Bind it: credits.ireval({per}=...)."
            )
        who = pd.factorize(credits.column(per))[0][clicked]
        known = who >= 0
        sums = pd.Series(sign[known]).groupby([pair[known], who[known]]).sum()
        pair, sign = sums.index.get_level_values(0).to_numpy(), np.sign(sums.to_numpy())
    n = len(pairs)
    a_wins, b_wins, ties = (np.bincount(pair[sign == side], minlength=n) for side in (1, -1, 0))
    total = a_wins + b_wins + ties
    decided = a_wins + b_wins
    if alternative == "two-sided":
        p_value = np.minimum(2 * binom.cdf(np.minimum(a_wins, b_wins), decided, 0.5), 1.0)
    else:
        p_value = binom.sf((a_wins if alternative == "greater" else b_wins) - 1, decided, 0.5)
    p_value = np.where(total > 0, p_value, np.nan)
    p_adjusted = adjust(p_value, np.zeros(n, dtype=np.int64), correction=correction or "none")
    with np.errstate(invalid="ignore"):
        part = np.stack([a_wins, b_wins]) / total
    frame = pairs.assign(
        per=per,
        n=total,
        a_wins=a_wins,
        b_wins=b_wins,
        ties=ties,
        a_share=part[0],
        b_share=part[1],
        p_value=p_value,
        p_adjusted=p_adjusted,
        significant=p_adjusted < alpha,
    )
    frame.attrs = {
        "run_columns": list(credits.run_columns),
        "alternative": alternative,
        "correction": correction or "none",
        "alpha": alpha,
    }
    return frame


@verb(on="credits", gives="preferences", formerly="click_preferences")
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
    sides, _, _, sign, clicked = _votes(credits)
    rows = frame.loc[clicked, [query, *sides]].reset_index(drop=True)
    rows["measure"] = frame.loc[clicked, "method"].to_numpy() if "method" in frame.columns else "interleaving"
    keys = [query, *sides, "measure"]
    found = rows.assign(value=sign).groupby(keys, sort=True, observed=True)["value"].mean().reset_index()
    known: Known = {"higher": True, "aggregate": "mean", "family": "preference", "test": "t"}
    found.attrs = {
        "run_columns": list(credits.run_columns),
        "query_column": query,
        "measures": {str(measure): known for measure in found["measure"].unique()},
    }
    return found


def _votes(credits: Table) -> tuple[list[str], np.ndarray, pd.DataFrame, np.ndarray, np.ndarray]:
    """Return pair columns; of clicked impressions the pair and the sign; the pairs; which rows were clicked."""
    frame = credits.frame
    sides = [f"{name}_{side}" for side in "ab" for name in credits.run_columns]
    number = frame.groupby(sides, sort=True, observed=True).ngroup().to_numpy()
    pairs = frame[sides].drop_duplicates().sort_values(sides).reset_index(drop=True)
    clicked = numbers(frame["clicks"], "clicks") > 0
    credit = (numbers(frame[f"credit_{side}"], f"credit_{side}") for side in "ab")
    sign = np.sign(gap(*credit))[clicked].astype(np.int64)
    return sides, number[clicked], pairs, sign, clicked
