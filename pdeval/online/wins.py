"""Who won: votes of queries and of users from credited clicks, with the binomial test; and preferences per query."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from pdeval.kinds.tables import paired_columns
from pdeval.online.samples import adjusted

By = Literal["query", "user", "impression"]


def wins(
    credits: pd.DataFrame,
    *,
    by: By = "query",
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    correction: str | None = "bonferroni",
    alpha: float = 0.05,
    query: str = "query_id",
    user: str = "user",
) -> pd.DataFrame:
    """Return how many queries or users each run of a pair won: one row per pair.

    Parameters
    ----------
    credits : DataFrame
        What `credit` returned.
    by : {'query', 'user', 'impression'}
        Who votes. Every impression with a click goes to the run with more credit, or is a tie; a query, or a user,
        goes to the run that won more of its impressions. Where every issued query has an id of its own, 'query' and
        'impression' are the same: the "query based" column of the slides.
    alternative : {'two-sided', 'greater', 'less'}
        Of the binomial test: any difference, a better, a worse. Ties do not count in it.
    correction : str, optional
        'bonferroni', 'holm', 'fdr_bh' and so on, or 'none': for the number of pairs.
    alpha : float
        Level of the test.
    query, user : str
        The columns.

    Returns
    -------
    DataFrame
        run_a, run_b, by, n (voters with a click), a_wins, b_wins, ties, a_percent, b_percent, p_value, p_adjusted,
        significant; sorted by pair. A pair without a click has n = 0 and NaN.

    Examples
    --------
    >>> credits = pd.DataFrame({"run_a": "x", "run_b": "y", "query_id": range(8), "clicks": 1,
    ...                         "credit_a": [1] * 7 + [0], "credit_b": [0] * 7 + [1]})
    >>> print(wins(credits)[["n", "a_wins", "b_wins", "a_percent", "p_value"]].round(3).to_string(index=False))
     n  a_wins  b_wins  a_percent  p_value
     8       7       1       87.5     0.07
    """
    from scipy.stats import binom

    if by not in ("query", "user", "impression"):
        raise ValueError(f"by is 'query', 'user' or 'impression', not {by!r}.")
    if alternative not in ("two-sided", "greater", "less"):
        raise ValueError(f"alternative is 'two-sided', 'greater' or 'less', not {alternative!r}.")
    _, pair, pairs, sign, clicked = _votes(credits)
    if by != "impression":
        name = query if by == "query" else user
        if name not in credits.columns:
            raise ValueError(
                f"wins by {by} need a {name} column; the credits have {', '.join(map(str, credits.columns))}."
            )
        who = pd.factorize(credits[name])[0][clicked]
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
    p_adjusted = adjusted(p_value, correction)
    with np.errstate(invalid="ignore"):
        percent = 100 * np.stack([a_wins, b_wins]) / total
    return pairs.assign(
        by=by,
        n=total,
        a_wins=a_wins,
        b_wins=b_wins,
        ties=ties,
        a_percent=percent[0],
        b_percent=percent[1],
        p_value=p_value,
        p_adjusted=p_adjusted,
        significant=p_adjusted < alpha,
    )


def preferences(credits: pd.DataFrame, *, query: str = "query_id") -> pd.DataFrame:
    """Return the outcome of every query as a preference: the mean sign of credit_a - credit_b over its impressions.

    The frame has the form of any preferences table, so that orderings, tests and agreement apply to it as they do to
    offline preferences. Impressions without a click do not count; a query without any click is absent.

    Returns
    -------
    DataFrame
        query_id, run_a, run_b, measure (the interleaving method), value in [-1, 1]; sorted by query and pair.

    Examples
    --------
    >>> credits = pd.DataFrame({"run_a": "x", "run_b": "y", "query_id": [1, 1, 2], "method": "team-draft",
    ...                         "clicks": 1, "credit_a": [1, 1, 0], "credit_b": [0, 1, 1]})
    >>> preferences(credits).values.tolist()
    [[1, 'x', 'y', 'team-draft', 0.5], [2, 'x', 'y', 'team-draft', -1.0]]
    """
    sides, _, _, sign, clicked = _votes(credits)
    rows = credits.loc[clicked, [query, *sides]].reset_index(drop=True)
    rows["measure"] = credits.loc[clicked, "method"].to_numpy() if "method" in credits.columns else "interleaving"
    keys = [query, *sides, "measure"]
    return rows.assign(value=sign).groupby(keys, sort=True, observed=True)["value"].mean().reset_index()


def _votes(credits: pd.DataFrame) -> tuple[list[str], np.ndarray, pd.DataFrame, np.ndarray, np.ndarray]:
    """Return pair columns; of clicked impressions the pair and the sign; the pairs; which rows were clicked."""
    names = [name for name in paired_columns(credits) if name not in ("credit", "rank")]
    absent = [name for name in ("credit_a", "credit_b", "clicks") if name not in credits.columns]
    if absent or not names:
        raise ValueError(
            f"expected what credit() returns (run_a, run_b, ..., clicks, credit_a, credit_b); found the columns "
            f"{', '.join(map(str, credits.columns))}."
        )
    sides = [f"{name}_{side}" for side in "ab" for name in names]
    number = credits.groupby(sides, sort=True, observed=True).ngroup().to_numpy()
    pairs = credits[sides].drop_duplicates().sort_values(sides).reset_index(drop=True)
    clicked = credits["clicks"].to_numpy() > 0
    sign = np.sign(credits["credit_a"].to_numpy() - credits["credit_b"].to_numpy())[clicked].astype(np.int64)
    return sides, number[clicked], pairs, sign, clicked
