"""Ways to order many runs over many queries: mean, win rate, Borda, Copeland, MC4, Bradley-Terry, leximin.

The parameters of a kernel are arrays, selected by name: `value` and `wins` are averages over queries, of shape
(..., runs); `net[a, b]`, of shape (..., runs, runs), is the number of queries that rank a above b minus those that
rank b above a; `shared` is the number of queries with both runs; `surplus` is the sum of net / shared over the
opponents, computed without pairs if all runs have all queries; `worst_first`, of shape (..., runs, queries), has the
values of each run from its worst query up: the measure, or the win rate for preferences. Leading axes are bootstrap
samples of the queries. Within a query, runs are ranked by their scores, or by their win rates for preferences.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from pdeval.catalog import ENTRIES, Entry, Measure, ordering, parse
from pdeval.orderings.bradley_terry import many_strengths, strengths
from pdeval.orderings.markov_chain import stationary
from pdeval.tables import firsts
from pdeval.verbs import lookup, several

Method: TypeAlias = str  # any declared ordering, maybe with parameters: "mc4(teleport=0.05)"

COLUMNS = ("value", "wins", "surplus", "net", "shared", "worst_first")
PAPER = "paper"  # as Diaz and Ferraro 2022 order runs for their tables: by the mean of a measure, else by MC4


@ordering(reference="Buckley and Voorhees 2005")
def mean(value: np.ndarray) -> np.ndarray:
    """Mean of the measure over the queries."""
    return value


@ordering(reference="Diaz and Ferraro 2022, eq. 7")
def winrate(wins: np.ndarray) -> np.ndarray:
    """Mean preference: a run's preferences over all other runs, averaged over opponents and queries, in [-1, 1]."""
    return wins / max(wins.shape[-1] - 1, 1)


@ordering(reference="Borda 1781")
def borda(surplus: np.ndarray) -> np.ndarray:
    """Borda count: the mean number of runs that a query ranks below it; a tied run counts half.

    Summed over opponents, as a fraction of the queries with both runs. For complete data it is the number of runs
    minus the mean rank, with average ranks of ties.
    """
    return (surplus + surplus.shape[-1] - 1.0) / 2.0


@ordering(reference="Copeland 1951")
def copeland(net: np.ndarray) -> np.ndarray:
    """Copeland: the number of runs that it beats on a majority of queries, minus the number that beat it."""
    return np.sign(net).sum(axis=-1)


@ordering(
    reference="Dwork, Kumar, Naor and Sivakumar 2001",
    limits={"teleport": (0.0, 1.0)},
    compat={"pref_eval": {"steps": 10}},
)
def mc4(net: np.ndarray, *, teleport: float = 0.01, steps: int = 0) -> np.ndarray:
    """MC4: the time spent at the run by a walk that picks any run and moves there if more queries rank it above.

    With probability `teleport` a step goes to a random run, so the walk has a unique stationary distribution, which is
    solved for, and an unbeaten run does not get all of it. `steps` > 0 walks that many steps instead, from a mass of 1
    at every run and without teleport.
    """
    if not 0 < teleport <= 1:
        raise ValueError(
            f"teleport={teleport!r}: expected a number in (0, 1]; without teleport the result is not unique."
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

    `prior` tied queries are added to every pair, so a run that always wins has a finite strength.
    Newton's method, damped so that no step can lower the likelihood (Sun and Tran-Dinh 2019).
    """
    if not prior > 0:
        raise ValueError(
            f"prior={prior!r}: expected a number above 0; without it a run that always wins has infinite strength."
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
    """Leximin: the number of runs that it is ahead of, comparing the worst query of each, then the second worst, ...

    The first difference decides, regardless of the queries; runs with equal values on all positions are tied.
    """
    return behind(worst_first) * 1.0


def behind(rows: np.ndarray) -> np.ndarray:
    """Return, for each row, the number of rows of its block that are lexicographically smaller.

    Parameters
    ----------
    rows : ndarray of shape (..., rows, numbers)

    Examples
    --------
    >>> behind(np.array([[0.1, 0.9], [0.1, 0.2], [0.0, 1.0], [0.1, 0.2]])).tolist()
    [3, 1, 0, 1]
    """
    bits = (np.asarray(rows, dtype=np.float64) + 0.0).view(np.int64)  # -0 becomes 0
    # IEEE 754 bit patterns as integers of the same order, whose big-endian bytes compare in this order too
    keys = np.where(bits < 0, ~bits, bits ^ np.int64(-(2**63))).astype(">i8")
    upward = np.argsort(keys.view(f"V{8 * keys.shape[-1]}")[..., 0], axis=-1)
    ordered = np.take_along_axis(keys, upward[..., None], axis=-2)
    differs = np.ones(upward.shape, dtype=bool)  # differs[i]: row i differs from row i - 1
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
    """Return the requested orderings, with their parameters.

    Parameters
    ----------
    method : str, list of str, or None
        By default the mean of scores, and the win rate of preferences; "paper" is the mean of scores, and the Markov
        chain MC4 of preferences.
    has_values : bool
        Whether runs have scores, or only preferences.

    Examples
    --------
    >>> [one.label for one in chosen(["mc4(teleport=0.05)", "Borda"], has_values=True)]
    ['mc4(teleport=0.05)', 'borda']
    """
    if method is None:
        method = "mean" if has_values else "winrate"
    usual = "mean" if has_values else "mc4"
    methods = [_read(usual if one == PAPER else one) for one in several("method", method)]
    for one in methods:
        if unknown := [column for column in one.entry.columns if column not in COLUMNS]:
            raise ValueError(
                f"the ordering {one.entry.name!r} has the parameter {unknown[0]!r}; its arrays must be some of "
                f"{', '.join(COLUMNS)}."
            )
        if "value" in one.entry.columns and not has_values:
            raise ValueError(
                f"method={one.label!r} requires scores; preferences have no value per run. "
                "Use method='winrate', which sums the preferences of a run over all opponents."
            )
    return list({one.label: one for one in methods}.values())


def _read(text: object) -> Measure:
    # a decorated function, or a parsed ordering
    if isinstance(getattr(text, "entry", None), Entry):
        return parse(text)
    name, bracket, rest = str(text).partition("(")
    return parse(lookup("ordering", name.strip(), orderings()).name + bracket + rest)
