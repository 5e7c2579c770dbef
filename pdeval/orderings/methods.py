"""Ways to order many runs over many queries: mean, win rate, Borda, Copeland, MC4, Bradley-Terry, leximin.

A kernel asks by name for what it needs: `value` and `wins` are averages over queries, of shape (..., runs);
`net[a, b]`, of shape (..., runs, runs), is the number of queries that rank a above b less those that rank b above a;
`shared` is the number of queries that have both; `surplus` is the sum of net / shared over the opponents, computed
without pairs where every run has every query; `worst_first`, of shape (..., runs, queries), holds what each run has
on its queries from the worst up: the measure, or the win rate where only preferences are known. Leading axes are
resamples of the queries. Runs are ranked inside a query by their scores, or by their win rates where only preferences
are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from pdeval.catalog import ENTRIES, Entry, Measure, ordering, parse
from pdeval.orderings.bradley_terry import many_strengths, strengths
from pdeval.orderings.markov_chain import stationary
from pdeval.tables.equal_values import firsts
from pdeval.verbs.registry import lookup

Method: TypeAlias = str  # any declared ordering, maybe with parameters: "mc4(teleport=0.05)"

COLUMNS = ("value", "wins", "surplus", "net", "shared", "worst_first")
PAPER = "paper"  # as Diaz and Ferraro 2022 order runs for their tables: by the mean of a measure, else by MC4


@ordering(reference="Buckley and Voorhees 2005")
def mean(value: np.ndarray) -> np.ndarray:
    """Mean of the measure over the queries."""
    return value


@ordering(reference="Diaz and Ferraro 2022, eq. 7")
def winrate(wins: np.ndarray) -> np.ndarray:
    """Mean win rate: the sum of a run's preferences over all other runs, averaged over the queries."""
    return wins


@ordering(reference="Borda 1781")
def borda(surplus: np.ndarray) -> np.ndarray:
    """Borda count: the runs that a query ranks below it, a tied one as a half, on average.

    Summed over opponents as a share of the queries that have both; with complete data that is the number of runs
    less the mean rank, where tied runs get the average of their ranks.
    """
    return (surplus + surplus.shape[-1] - 1.0) / 2.0


@ordering(reference="Copeland 1951")
def copeland(net: np.ndarray) -> np.ndarray:
    """Copeland: the runs that it beats on more queries than it loses, less those that beat it."""
    return np.sign(net).sum(axis=-1)


@ordering(
    reference="Dwork, Kumar, Naor and Sivakumar 2001",
    limits={"teleport": (0.0, 1.0)},
    compat={"pref_eval": {"steps": 10}},
)
def mc4(net: np.ndarray, *, teleport: float = 0.01, steps: int = 0) -> np.ndarray:
    """MC4: the time spent at the run by a walk that picks any run and moves there if more queries rank it above.

    With probability `teleport` a step goes anywhere: the walk then has one stationary distribution, which is solved
    for, and a run that none beats does not hold all of it. `steps` > 0 walks that many steps instead, from a mass of
    one at every run and without teleport.
    """
    if not 0 < teleport <= 1:
        raise ValueError(
            f"teleport={teleport!r} must be above 0 and at most 1; without it MC4 has no one answer."
        )
    n_runs = net.shape[-1]
    move = (net < 0) / n_runs
    if not steps:
        return stationary((1.0 - teleport) * move + teleport / n_runs)
    stay = np.subtract.accumulate(
        np.concatenate((np.ones((*net.shape[:-1], 1)), move), axis=-1), axis=-1
    )
    walk = move + stay[..., -1:] * np.eye(n_runs)
    mass = np.ones(net.shape[:-1])
    for _ in range(steps):
        mass = np.add.accumulate(mass[..., None] * walk, axis=-2)[..., -1, :]
    return mass


@ordering(
    name="bradley-terry",
    reference="Bradley and Terry 1952",
    limits={"prior": (0.0, np.inf)},
    tolerance=1e-7,
)
def bradley_terry(net: np.ndarray, shared: np.ndarray, *, prior: float = 0.1) -> np.ndarray:
    """Bradley-Terry: the log strengths, with mean zero, that best explain the votes; a tie is half a win.

    `prior` adds that many tied queries to every pair, which keeps a run that always wins at a finite strength.
    Newton's method, damped so that no step can lower the likelihood (Sun and Tran-Dinh 2019).
    """
    if not prior > 0:
        raise ValueError(
            f"prior={prior!r} must be above 0; without it a run that always wins has no finite strength."
        )
    games = (shared + prior) * (1.0 - np.eye(net.shape[-1]))
    won = ((games + net) / 2.0).sum(axis=-1)
    if net.ndim == 2 or len(net) < 2:
        return strengths(games, won)
    return many_strengths(games, won)


@ordering(
    reference="Diaz 2024, Pessimistic evaluation; Sen 1970, Collective choice and social welfare"
)
def leximin(worst_first: np.ndarray) -> np.ndarray:
    """Leximin: the runs that it is ahead of, compared on the worst query of each, then the second worst, and so on.

    The first difference decides, whichever queries it is on; equal to the last, runs are tied.
    """
    return behind(worst_first) * 1.0


def behind(rows: np.ndarray) -> np.ndarray:
    """Return, for each row, how many rows of its block are less than it, the first number that differs deciding.

    Parameters
    ----------
    rows : ndarray of shape (..., rows, numbers)

    Examples
    --------
    >>> behind(np.array([[0.1, 0.9], [0.1, 0.2], [0.0, 1.0], [0.1, 0.2]])).tolist()
    [3, 1, 0, 1]
    """
    bits = (np.asarray(rows, dtype=np.float64) + 0.0).view(np.int64)  # -0 becomes 0
    # doubles as whole numbers of the same order, whose bytes, largest first, compare as they do
    keys = np.where(bits < 0, ~bits, bits ^ np.int64(-(2**63))).astype(">i8")
    upward = np.argsort(keys.view(f"V{8 * keys.shape[-1]}")[..., 0], axis=-1)
    ordered = np.take_along_axis(keys, upward[..., None], axis=-2)
    differs = np.ones(upward.shape, dtype=bool)  # from the row before it
    differs[..., 1:] = (ordered[..., 1:, :] != ordered[..., :-1, :]).any(axis=-1)
    less = np.empty(upward.shape, dtype=np.int64)
    np.put_along_axis(less, upward, firsts(differs), axis=-1)
    return less


def orderings() -> dict[str, Entry]:
    """Return the declared orderings by name.

    Examples
    --------
    >>> list(orderings())[:3]
    ['mean', 'winrate', 'borda']
    """
    return {name: entry for name, entry in ENTRIES.items() if entry.family == "ordering"}


def chosen(method: Method | Sequence[Method] | None, *, has_values: bool) -> list[Measure]:
    """Return the orderings that are asked for, their parameters filled in.

    Parameters
    ----------
    method : str, list of str, or None
        By default the mean of scores, and the win rate of preferences; "paper" stands for the mean of scores, and the
        Markov chain MC4 of preferences.
    has_values : bool
        Whether runs have values of their own, or only preferences.

    Examples
    --------
    >>> [one.label for one in chosen(["mc4(teleport=0.05)", "Borda"], has_values=True)]
    ['mc4(teleport=0.05)', 'borda']
    """
    if method is None:
        method = "mean" if has_values else "winrate"
    usual = "mean" if has_values else "mc4"
    requested = method if isinstance(method, list | tuple) else [method]
    methods = [_read(usual if one == PAPER else one) for one in requested]
    if not methods:
        raise ValueError(f"no method was asked for; name at least one of {', '.join(orderings())}.")
    for one in methods:
        unknown = [column for column in one.entry.columns if column not in COLUMNS]
        if unknown:
            raise ValueError(
                f"the ordering {one.entry.name!r} asks for {unknown[0]!r}; an ordering asks for some of "
                f"{', '.join(COLUMNS)}."
            )
        if "value" in one.entry.columns and not has_values:
            raise ValueError(
                f"method={one.label!r} orders runs by a measure, and preferences give no run a value of its own. "
                "Use method='winrate', the mean over queries of the sum of a run's preferences."
            )
    return list({one.label: one for one in methods}.values())


def _read(text: object) -> Measure:
    if isinstance(
        getattr(text, "entry", None), Entry
    ):  # a decorated function, or one that is parsed already
        return parse(text)
    name, bracket, rest = str(text).partition("(")
    return parse(lookup("ordering", name.strip(), orderings()).name + bracket + rest)
