"""Orderings of many runs over many queries: mean, win rate, Borda, Copeland, MC4, Bradley-Terry.

A kernel asks by name for what it needs: `value` and `wins` are averages over queries, of shape (..., runs);
`net[a, b]`, of shape (..., runs, runs), is the number of queries that rank a above b less those that rank b above a;
`shared` is the number of queries that have both. Leading axes are resamples of the queries. Runs are ranked inside
a query by their scores, or by their win rates where only preferences are known.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import ordering
from pdeval.evaluate import cube
from pdeval.kinds.labels import labels, run_labels
from pdeval.mechanics.progress import track
from pdeval.orderings.votes import BLOCK, NOISE, Votes, check_pairs, ranks, ranks_by_name, votes_of

Method = Literal["mean", "winrate", "borda", "copeland", "mc4", "bradley-terry"]


@ordering
def mean(value: np.ndarray) -> np.ndarray:
    """Mean of the measure over the queries."""
    return value


@ordering(reference="Diaz and Ferraro 2022, eq. 7")
def winrate(wins: np.ndarray) -> np.ndarray:
    """Mean win rate: the sum of a run's preferences over all other runs, averaged over the queries."""
    return wins


@ordering(reference="Borda 1781")
def borda(net: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """Borda count: the runs that a query ranks below it, a tied one as a half, on average.

    Summed over opponents as a share of the queries that have both; with complete data that is the number of runs
    less the mean rank, where tied runs get the average of their ranks.
    """
    most = np.maximum(shared.max(axis=(-1, -2), keepdims=True), 1.0)
    # whole numbers first, then what incomplete pairs add, which is zero for complete data: ties stay exact
    surplus = net.sum(axis=-1) / most[..., 0] + (net * (1.0 / np.maximum(shared, 1.0) - 1.0 / most)).sum(axis=-1)
    return (surplus + net.shape[-1] - 1.0) / 2.0


@ordering(reference="Copeland 1951")
def copeland(net: np.ndarray) -> np.ndarray:
    """Copeland: the runs that it beats on more queries than it loses, less those that beat it."""
    return np.sign(net).sum(axis=-1)


@ordering(reference="Dwork, Kumar, Naor and Sivakumar 2001", limits={"teleport": (0.0, 1.0)})
def mc4(net: np.ndarray, *, teleport: float = 0.01, steps: int = 0) -> np.ndarray:
    """MC4: the time spent at the run by a walk that picks any run and moves there if more queries rank it above.

    With probability `teleport` a step goes anywhere: the walk then has one stationary distribution, which is solved
    for, and a run that none beats does not hold all of it. `steps` > 0 walks that many steps instead, from a mass of
    one at every run and without teleport.
    """
    n_runs = net.shape[-1]
    move = (net < 0) / n_runs
    if not steps:
        return _stationary((1.0 - teleport) * move + teleport / n_runs)
    stay = np.subtract.accumulate(np.concatenate((np.ones((*net.shape[:-1], 1)), move), axis=-1), axis=-1)
    walk = move + stay[..., -1:] * np.eye(n_runs)
    mass = np.ones(net.shape[:-1])
    for _ in range(steps):
        mass = np.add.accumulate(mass[..., None] * walk, axis=-2)[..., -1, :]
    return mass


def _leave_out(weight: np.ndarray) -> np.ndarray:
    """Return the weights between runs with one run after the other, from the last, made up for by those before it.

    Row k, left of the diagonal, keeps what run k had when it went; above the diagonal are the shares of it that each
    run before it takes over. Nothing is subtracted, so that small numbers stay as exact as large ones (Grassmann,
    Taksar and Heyman 1985); and LAPACK's threads make many small systems many times slower on busy cores.
    """
    weight = weight.copy()
    for last in range(weight.shape[-1] - 1, 0, -1):
        weight[..., :last, last] /= weight[..., last, :last].sum(axis=-1)[..., None]
        weight[..., :last, :last] += weight[..., :last, last, None] * weight[..., None, last, :last]
    return weight


def _stationary(move: np.ndarray) -> np.ndarray:
    """Return the share of time at each run of walks with these chances of moving, which stay put otherwise."""
    move = _leave_out(move)
    mass = np.ones(move.shape[:-1])
    for k in range(1, move.shape[-1]):
        mass[..., k] = (mass[..., :k] * move[..., :k, k]).sum(axis=-1)
    return mass / mass.sum(axis=-1, keepdims=True)


def _balance(weight: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return x where, for every run, the sum over the others of weight * (x - x of the other) is `right`."""
    weight = _leave_out(weight)
    right = right.copy()
    x = np.zeros_like(right)
    for last in range(x.shape[-1] - 1, 0, -1):
        right[..., :last] += weight[..., :last, last] * right[..., last, None]
    for k in range(1, x.shape[-1]):
        row = weight[..., k, :k]
        x[..., k] = (right[..., k] + (row * x[..., :k]).sum(axis=-1)) / row.sum(axis=-1)
    return x - x.mean(axis=-1, keepdims=True)


@ordering(name="bradley-terry", reference="Bradley and Terry 1952", limits={"prior": (0.0, np.inf)})
def bradley_terry(net: np.ndarray, shared: np.ndarray, *, prior: float = 0.1) -> np.ndarray:
    """Bradley-Terry: the log strengths, with mean zero, that best explain the votes; a tie is half a win.

    `prior` adds that many tied queries to every pair, which keeps a run that always wins at a finite strength.
    Newton's method, damped so that no step can lower the likelihood (Sun and Tran-Dinh 2019).
    """
    games = (shared + prior) * (1.0 - np.eye(net.shape[-1]))
    won = ((games + net) / 2.0).sum(axis=-1)
    strength = np.zeros(net.shape[:-1])
    for _ in range(200):
        chance = 0.5 + 0.5 * np.tanh((strength[..., :, None] - strength[..., None, :]) / 2.0)
        expected = games * chance
        step = _balance(expected * (1.0 - chance), won - expected.sum(axis=-1))
        reach = np.ptp(step, axis=-1, keepdims=True)
        # over a step that moves a pair by d, its curvature changes by a factor of e^d at most
        strength += step * np.where(reach > 1e-6, np.log1p(reach) / np.maximum(reach, 1e-6), 1.0)
        if reach.max(initial=0.0) < 1e-6:  # the error is now of the order of its square
            break
    return strength


METHODS: dict[str, Any] = {kernel.entry.name: kernel for kernel in (mean, winrate, borda, copeland, mc4, bradley_terry)}


def order(
    source: cube.Scores | cube.Preferences,
    *,
    method: Method | Sequence[Method] | None = None,
    compat: Literal["pref_eval"] | None = None,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int | None = 0,
    teleport: float = 0.01,
    prior: float = 0.1,
    winrates: bool = False,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the runs in order, for each measure and method: run, measure, method, score, rank.

    Parameters
    ----------
    source : Scores or Preferences
        Or anything that streams all pairs of runs through `blocks`, as `Preferences` does.
    method : str or list of str, optional
        "mean" (the default for scores), "winrate" (the default for preferences), "borda", "copeland", "mc4" or
        "bradley-terry". Scores become preferences by their differences. The last four let each query rank the runs,
        by score or by win rate; runs tied there get no vote, in Borda and Bradley-Terry half a vote each.
    compat : "pref_eval", optional
        As that tool does: break ties between runs by name, descending, inside queries and in the result, and walk
        MC4 for ten steps without teleport. By default tied runs share the better rank: 1, 2, 2, 4.
    bootstrap : int
        Resamples of the queries, for `rank_low` and `rank_high`: the percentile interval of the rank. The same
        resamples serve every measure and method.
    confidence : float
        Of that interval.
    seed : int, optional
        Of the resamples.
    teleport : float
        Of MC4, above 0.
    prior : float
        Of Bradley-Terry, in tied queries per pair; above 0.
    winrates : bool
        Whether the scores are win rates already, each the sum over a run's opponents.
    progress : bool, optional
        Whether to show a bar over the resamples; by default only to a person, and after a second.

    Returns
    -------
    DataFrame
        `score` is the mean in the measure's own unit, the mean win rate, the mean number of runs ranked below, the
        majorities won less those lost, the share of time, or the log strength. Sorted by measure and method as asked,
        then by rank, then as `source.runs`.

    Notes
    -----
    A query that does not count for a run (NaN) is left out of that run's averages and of its pairs. Win rates and
    final scores that differ by rounding only are tied; scores inside a query are compared exactly.

    Examples
    --------
    >>> scores = cube.Scores(pd.DataFrame({"run": ["a", "b", "c"]}), pd.Index(["1", "2"], name="query_id"), ("AP",),
    ...                      np.array([[[0.5, 0.2, 0.2], [0.1, 0.3, 0.3]]]), np.array([True]))
    >>> print(order(scores, method=["mean", "copeland"]).to_string(index=False))
    run measure   method  score  rank
      a      AP     mean   0.30     1
      b      AP     mean   0.25     2
      c      AP     mean   0.25     2
      a      AP copeland   0.00     1
      b      AP copeland   0.00     1
      c      AP copeland   0.00     1
    """
    _check(source, compat, bootstrap, confidence, teleport, prior)
    names = _methods(method, isinstance(source, cube.Scores) and not winrates)
    higher = source.higher if isinstance(source, cube.Scores) else np.ones(len(source.measures), dtype=bool)
    own = {"mc4": {"steps": 10} if compat else {"teleport": teleport}, "bradley-terry": {"prior": prior}}
    texts = run_labels(source.runs)
    place = np.argsort(np.array(texts, dtype=object), kind="stable")[::-1].argsort() if compat else None
    parts = []
    for m, measure in enumerate(source.measures):
        votes = votes_of(source, m, winrates=winrates, name=place)
        found = _ranked(votes, names, own)
        draws = _resamples(len(source.queries), len(source.runs), bootstrap, seed)
        blocks = track(draws, desc=f"bootstrap {measure}", progress=progress)
        again = [_ranked(votes, names, own, weights) for weights in blocks]
        for k, name in enumerate(names):
            score, rank = found[name][0][0], found[name][1][0]
            row = np.argsort(rank, kind="stable")
            part = {"run": votes.runs[row], "measure": np.full(len(row), m), "method": np.full(len(row), k)}
            part |= {"score": (score if higher[m] or name != "mean" else -score)[row], "rank": rank[row]}
            if bootstrap:
                drawn = np.concatenate([block[name][1] for block in again])
                ends = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0, method="inverted_cdf")
                part |= dict(zip(("rank_low", "rank_high"), ends[:, row].astype(np.int64)))
            parts.append(part)
    whole: dict[str, Any] = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    run = whole.pop("run")
    whole["measure"] = labels(pd.Index(source.measures), whole["measure"])
    whole["method"] = labels(pd.Index(names), whole["method"])
    ids: dict[Any, Any] = {name: _ids(column, run) for name, column in source.runs.items()}
    frame = pd.DataFrame({**ids, **whole})
    frame.attrs.update(source.attrs)
    return frame


def _ids(column: pd.Series, codes: np.ndarray) -> Any:
    # one of several columns that name a run repeats its values, and categories must not
    plain = column.is_unique or pd.api.types.is_numeric_dtype(column)
    return labels(column if plain else column.astype("category"), codes)


def _ranked(
    votes: Votes, names: list[str], own: dict[str, dict[str, Any]], weights: np.ndarray | None = None
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    kernels = {name: METHODS[name] for name in names}
    given = votes.counted({column for kernel in kernels.values() for column in kernel.entry.columns}, weights)
    out = {}
    for name, kernel in kernels.items():
        score = kernel(*(given[column] for column in kernel.entry.columns), **own.get(name, {}))
        if votes.name is not None:
            out[name] = score, ranks_by_name(score, votes.name)
            continue
        size = {"mean": votes.value, "winrate": votes.wins}.get(name)
        near = NOISE if size is None else NOISE * np.nanmax(np.abs(size))
        out[name] = score, ranks(score, 1e-7 if name == "bradley-terry" else near)
    return out


def _resamples(n_queries: int, n_runs: int, bootstrap: int, seed: int | None) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(seed)
    size = max(1, BLOCK // (2 * n_runs**2 + n_queries))
    for start in range(0, bootstrap, size):
        yield rng.multinomial(n_queries, np.full(n_queries, 1 / n_queries), size=min(size, bootstrap - start))


def _methods(method: str | Sequence[str] | None, has_values: bool) -> list[str]:
    if method is None:
        method = "mean" if has_values else "winrate"
    names = list(dict.fromkeys([method] if isinstance(method, str) else method))
    for name in names:
        if name not in METHODS:
            near = difflib.get_close_matches(str(name).lower().replace("_", "-"), METHODS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise KeyError(f"no ordering {name!r}.{hint} There are {', '.join(METHODS)}.")
    if not names:
        raise ValueError(f"no method was asked for; name at least one of {', '.join(METHODS)}.")
    if "mean" in names and not has_values:
        raise ValueError(
            "method='mean' orders runs by a measure, and preferences give no run a value of its own. "
            "Use method='winrate', the mean over queries of the sum of a run's preferences."
        )
    return names


def _check(source: Any, compat: Any, bootstrap: int, confidence: float, teleport: float, prior: float) -> None:
    if not isinstance(source, cube.Scores) and not hasattr(source, "blocks"):
        raise TypeError(f"order() needs scores or preferences; it got {type(source).__name__}.")
    if compat not in (None, "pref_eval"):
        raise ValueError(f"compat={compat!r} is not an ordering's; it is None or 'pref_eval'.")
    if bootstrap != int(bootstrap) or bootstrap < 0:
        raise ValueError(f"bootstrap={bootstrap!r} must be a number of resamples, 0 for none.")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r} must be between 0 and 1, e.g. 0.95.")
    if not 0 < teleport <= 1:
        raise ValueError(f"teleport={teleport!r} must be above 0 and at most 1; without it MC4 has no one answer.")
    if not prior > 0:
        raise ValueError(f"prior={prior!r} must be above 0; without it a run that always wins has no finite strength.")
    n_runs = len(source.runs)
    if n_runs < 2:
        raise ValueError(f"an ordering needs at least two runs; there is {n_runs}: {run_labels(source.runs)}.")
    if len(source.queries) == 0:
        raise ValueError("an ordering needs at least one query; there is none.")
    if not isinstance(source, cube.Scores):
        check_pairs(source)
