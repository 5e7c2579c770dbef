"""Leaderboards of votes: many systems, most of which never meet on most prompts, by strengths that explain who won."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure
from pdeval.evaluate import groups
from pdeval.join.rules import outside
from pdeval.orderings.bradley_terry import Counts, Fitted, many_fitted
from pdeval.orderings.methods import Method, chosen
from pdeval.orderings.vote_logs import VOTED, Log, log_of
from pdeval.orderings.votes import ranks, surplus_of_pairs
from pdeval.significance.corrections import Correction, adjust, which_correction
from pdeval.significance.leaderboard import BRADLEY_TERRY, ELO, tiers
from pdeval.significance.registry import WALD
from pdeval.tables.reader import Table
from pdeval.tables.vocabularies import listed
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import TooFew
from pdeval.verbs.progress import track

COUNTED = ("net", "shared", "surplus", "wins")  # what counts of votes can tell an ordering
USUAL = f"{BRADLEY_TERRY}(prior=0.01)"
CELLS = 1 << 22


@verb(on="votes", gives="leaderboards", name="leaderboard", meant_by={"arena": "leaderboard(scale='elo')"})
def vote_leaderboard(
    table: Table,
    *,
    method: Method | Sequence[Method] = USUAL,
    correction: Correction | None = "holm",
    alpha: float = 0.05,
    resample: str | Sequence[str] | None = None,
    errors: Literal["bootstrap", "sandwich"] = "bootstrap",
    scale: Literal["own", "elo"] = "own",
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the systems that were voted on in order, with intervals of rank and score, and the tiers of a test.

    Parameters
    ----------
    method : str or list of str
        How to order: by the strengths of Bradley and Terry, for which chains of votes suffice; or, where every two
        systems met, 'borda', 'winrate', 'copeland', 'mc4', on the shares that each pair won. A tie is half a win.
    alpha : float
        A system is significantly better than another if the corrected p is below it and the strength larger.
    resample : str or list of str, optional
        Column(s) whose votes belong together, such as the prompt or the user: these are then what is drawn, and what
        standard errors count. By default the column of queries where there is one, else each vote by itself; 'vote'
        says the latter.
    errors : {'bootstrap', 'sandwich'}
        Whether intervals are percentiles of resamples, or come from sandwich standard errors of Bradley-Terry, which
        no repeats of votes make too small; ranks are then those of strengths drawn from their normal distribution.
    scale : {'own', 'elo'}
        'elo' gives strengths of Bradley-Terry as 400 times their decimal logarithm, on average 0: 400 more is to win
        ten times as often.
    draws : int
        Resamples, or draws of strengths.

    Raises
    ------
    ValueError
        Systems that no chain of votes joins; with prior=0 systems that won or lost all votes against the others, which
        have no finite strength; a method that needs every pair where some never met.

    Notes
    -----
    "bradley-terry(prior=0.01)" adds a hundredth of a tied vote to every pair that met, never to one that did not, so
    that a resample in which a system wins all its votes has an answer too; prior=0 is plain maximum likelihood. Tiers
    come from Wald tests of the differences of these strengths with sandwich errors, whatever the method. A tier is a
    longest stretch of the order in which no system is significantly better than one below it.

    Examples
    --------
    >>> log = pd.DataFrame([("x", "y", "a"), ("y", "z", "a"), ("x", "z", "tie"), ("y", "x", "a")] * 9,
    ...                    columns=["model_a", "model_b", "winner"])
    >>> board = log.ireval.leaderboard(scale="elo", draws=200)
    >>> board[["model", "rank", "rank_low", "rank_high", "tier", "score"]].round(1)
      model  rank  rank_low  rank_high  tier  score
    0     y     1         1          2     1  101.2
    1     x     2         1          2     1   27.1
    2     z     3         3          3     2 -128.4
    """
    alpha, confidence = arguments.share("alpha", alpha), arguments.share("confidence", confidence)
    draws, _ = arguments.whole("draws", draws, 1), arguments.seed(seed)
    log = log_of(table)
    together, over = _together(table, resample)
    counts = Counts.of(log.one, log.two, log.sign, len(log.names), together)
    methods = _methods(method, errors, scale)
    _check(counts, log, methods)
    prior = next((one.parameters["prior"] for one in methods if one.entry.name == BRADLEY_TERRY), 0.01)
    fitted = Fitted.of(counts, prior)
    beats = _beaten_by(fitted, correction, alpha)
    rng = np.random.default_rng(seed)
    scores = _scores(methods, counts, counts.times(), lambda *_: fitted.strength)
    if errors == "sandwich":
        drawn = [fitted.strength + rng.standard_normal((draws, len(log.names))) @ fitted.root.T]
    else:
        drawn = _drawn(methods, counts, fitted, rng, draws, track_of=progress)
    parts = []
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    for k, one in enumerate(methods):
        tolerance = one.entry.tolerance * max(1.0, float(np.abs(scores[k]).max()))
        rank = ranks(scores[k], tolerance)
        ends = np.quantile(ranks(drawn[k], tolerance), tails, axis=0, method="inverted_cdf").astype(np.int64)
        limits = np.quantile(drawn[k], tails, axis=0)
        if errors == "sandwich":
            limits = fitted.strength + np.outer([-1.0, 1.0], fitted.errors * _normal(tails[1]))
        unit = ELO if scale == "elo" else 1.0
        lowest, highest, top = tiers(rank, beats)
        part = {"rank": rank, "rank_low": ends[0], "rank_high": ends[1], "tier": lowest, "tier_last": highest}
        part |= {"top": top, "score": unit * scores[k], "score_low": unit * limits[0], "score_high": unit * limits[1]}
        frame = pd.DataFrame({log.column: log.labels(), "measure": VOTED, "method": one.label, **part})
        parts.append(frame.iloc[np.argsort(rank, kind="stable")])
    board = pd.concat(parts, ignore_index=True)
    board.attrs = {"run_columns": [log.column], "correction": which_correction(correction), "alpha": alpha}
    board.attrs |= {"seed": seed, "draws": draws, "confidence": confidence, "tests": {WALD: [VOTED]}}
    board.attrs |= {"resample": over, "errors": errors, "votes": len(log.sign)}
    return board


def _methods(method: Any, errors: str, scale: str) -> list[Measure]:
    """Return the orderings, which counts of votes must be able to tell."""
    methods = chosen(method, has_values=False)
    for one in methods:
        lacking = [name for name in one.entry.columns if name not in COUNTED]
        if lacking:
            raise ValueError(f"method={one.label!r} needs {lacking[0]!r} of every query, which votes do not have.")
        for name, said in (("errors='sandwich'", errors == "sandwich"), ("scale='elo'", scale == "elo")):
            if said and one.entry.name != BRADLEY_TERRY:
                raise ValueError(f"{name} is of method='{BRADLEY_TERRY}'; {one.label!r} has none.")
    if sum(one.entry.name == BRADLEY_TERRY for one in methods) > 1:
        raise ValueError("tiers rest on one Bradley-Terry; ask for one prior at a time.")
    return methods


def _together(table: Table, resample: Any) -> tuple[np.ndarray | None, list[str]]:
    """Return the group of each vote, None where each stands by itself, and what groups are called."""
    if resample == "vote" and "vote" not in table.frame.columns:
        return None, ["votes"]
    if resample is None and "query" not in table.roles:
        return None, ["votes"]
    names = [table.roles["query"]] if resample is None else groups.named(resample, "resample")
    missing = [name for name in names if name not in table.frame.columns]
    if missing:
        raise KeyError(f"no column {missing[0]!r} to resample by; the log has {listed(table.frame.columns)}.")
    code = table.frame.groupby(names, sort=True, observed=True, dropna=False).ngroup().to_numpy()
    if code.max() < 1:
        raise TooFew(f"there is one group of votes only, by {listed(names)}; nothing can be drawn from it.")
    return code, names


def _check(counts: Counts, log: Log, methods: list[Measure]) -> None:
    """Raise where votes do not tell what is asked: systems apart, strengths without an end, pairs that never met."""
    names = [str(name) for name in log.names]
    if len(names) < 2:
        raise TooFew(f"a leaderboard needs at least two systems; there is {listed(names)}.")
    parts = counts.apart()
    if len(parts) > 1:
        small = sorted(parts, key=len)
        few, many = (listed(_some(names, part), 4) for part in (small[0], small[-1]))
        raise ValueError(
            f"the votes fall into {len(parts)} groups of systems that no vote joins: {few} never met {many}. Rank each "
            "group by itself, or collect votes between them."
        )
    never = int((counts.met == 0).sum() - len(names)) // 2
    for one in methods:
        if one.entry.name != BRADLEY_TERRY and never:
            a, b = np.argwhere(np.triu(counts.met == 0, k=1))[0]
            raise ValueError(
                f"method={one.label!r} counts every pair of systems, and {never:,} of "
                f"{len(names) * (len(names) - 1) // 2:,} never met, e.g. {names[a]!r} and {names[b]!r}. "
                f"method='{BRADLEY_TERRY}' works with chains of votes."
            )
    priors = [one.parameters["prior"] for one in methods if one.entry.name == BRADLEY_TERRY]
    if priors and (ahead := counts.unbeaten()) is not None:
        found = (
            f"{listed(_some(names, ahead), 4)} lost and tied no vote with the other {len(names) - len(ahead)} systems"
        )
        if not priors[0]:
            raise ValueError(f"{found}: no finite strength explains that; method='{USUAL}' keeps it finite.")
        warnings.warn(f"{found}: how far ahead they are rests on the prior alone.", UserWarning, stacklevel=outside())


def _some(names: list[str], places: np.ndarray) -> list[str]:
    return [names[place] for place in places]


def _beaten_by(fitted: Fitted, correction: Any, alpha: float) -> np.ndarray:
    """Return, by two systems, whether a Wald test says that the strength of the first is larger."""
    from scipy import special

    a, b = np.triu_indices(len(fitted.strength), k=1)
    spread = np.sqrt(np.maximum(fitted.pair_variance(a, b), 0.0))
    favored = fitted.strength[a] - fitted.strength[b]
    gap = np.abs(favored)
    z = np.divide(gap, spread, out=np.where(gap > 0, np.inf, 0.0), where=spread > 0)
    p = adjust(2.0 * special.ndtr(-z), np.zeros(len(a), dtype=np.int64), correction=correction or "none", alpha=alpha)
    beats = np.zeros((len(fitted.strength),) * 2, dtype=bool)
    beats[a, b], beats[b, a] = (p < alpha) & (favored > 0), (p < alpha) & (favored < 0)
    return beats


def _normal(share: float) -> float:
    from scipy import special

    return float(special.ndtri(share))


def _scores(
    methods: list[Measure], counts: Counts, times: np.ndarray, strengths: Callable[..., np.ndarray]
) -> list[np.ndarray]:
    """Return the scores of each method, of shape (runs,), or with a leading axis of resamples as `times` has it."""
    net, shared = counts.tables(times)
    given = {"net": net, "shared": shared}
    if any({"surplus", "wins"} & set(one.entry.columns) for one in methods):
        given["surplus"] = given["wins"] = surplus_of_pairs(net, shared)
    return [
        strengths(net, shared)
        if one.entry.name == BRADLEY_TERRY
        else np.asarray(one.entry.kernel(*(given[name] for name in one.entry.columns), **one.parameters), dtype=float)
        for one in methods
    ]


def _drawn(
    methods: list[Measure], counts: Counts, fitted: Fitted, rng: np.random.Generator, draws: int, track_of: bool | None
) -> list[np.ndarray]:
    """Return the scores of resamples of each method."""
    blocks = track(_resamples(counts, rng, draws), desc="bootstrap votes", progress=track_of)
    found = [
        _scores(methods, counts, times, lambda net, shared: many_fitted(net, shared, counts.met, fitted))
        for times in blocks
    ]
    drawn = [np.concatenate(one) for one in zip(*found)]
    lost = max(int(np.isnan(one).any(axis=1).sum()) for one in drawn)
    if lost:
        raise ValueError(
            f"{lost:,} of {draws:,} resamples have a system that lost no vote, or won none, and so no finite strength "
            f"without a prior. Use errors='sandwich', or method='{USUAL}'."
        )
    return drawn


def _resamples(counts: Counts, rng: np.random.Generator, draws: int) -> Iterator[np.ndarray]:
    """Yield, in blocks of resamples, how often each kind of vote is drawn."""
    size = max(1, min(draws, CELLS // max(counts.met.size, counts.kinds, counts.groups)))
    for start in range(0, draws, size):
        yield counts.drawn(rng, min(size, draws - start))
