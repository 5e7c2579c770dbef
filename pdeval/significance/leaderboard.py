"""Leaderboards with ties, of runs on queries and of systems by votes.

Ranks and scores have intervals. Runs are in tiers: consecutive runs, none significantly better than one below.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure
from pdeval.evaluate import Preferences, Scores, ScoresLike, each, grouped_cube, groups, sources
from pdeval.join import Judged, outside
from pdeval.orderings.bradley_terry import Counts, Fitted, many_fitted
from pdeval.orderings.methods import Method, chosen
from pdeval.orderings.order import of_judged, ordered
from pdeval.orderings.vote_logs import VOTED, Log, log_of
from pdeval.orderings.votes import RankInterval, ranks, ranks_within, surplus_of_pairs
from pdeval.significance.compare import compare
from pdeval.significance.corrections import (
    Correction,
    JointCorrection,
    adjust,
    which_correction,
)
from pdeval.significance.registry import WALD, direction
from pdeval.tables import SCHEMAS, Table, begins_along, listed
from pdeval.tables import table as declare_table
from pdeval.verbs import TooFew, arguments, track, verb


def stretches_alike(differs: np.ndarray) -> list[tuple[int, int]]:
    """Return (first, last) of each maximal block of positions that do not differ; blocks may overlap.

    Parameters
    ----------
    differs : ndarray of bool, shape (places, places)
        Whether two positions differ significantly; only pairs (earlier, later) are used.

    Examples
    --------
    >>> differs = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> stretches_alike(differs)
    [(0, 1), (1, 2)]
    """
    later = np.triu(differs, k=1)
    # first: the first later position that differs from i; a block from i ends before the nearest one of its members
    first = np.where(later.any(axis=1), later.argmax(axis=1), len(differs))
    ends = np.minimum.accumulate(first[::-1])[::-1] - 1
    longest = np.flatnonzero(np.concatenate([[True], ends[1:] > ends[:-1]]))
    return [(int(place), int(ends[place])) for place in longest]


def tiers(rank: np.ndarray, beats: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the first and last tier of each run, from 1, and whether the run belongs to the top group.

    Runs with equal rank have one position, which differs from a later one if any of its runs is significantly better,
    so tiers depend neither on the order of rows nor on names. A rank test may favor the run with the lower rank; that
    does not separate tiers.

    Parameters
    ----------
    rank : ndarray of shape (runs,)
        Rank of each run.
    beats : ndarray of bool, shape (runs, runs)
        Whether the first run is significantly better than the second.

    Examples
    --------
    >>> beats = np.zeros((4, 4), dtype=bool)
    >>> beats[0, 2:] = True
    >>> [result.tolist() for result in tiers(np.array([1, 2, 3, 3]), beats)]
    [[1, 1, 2, 2], [1, 2, 2, 2], [True, True, False, False]]
    """
    down = np.argsort(rank, kind="stable")
    place = np.empty(len(rank), dtype=np.int64)
    place[down] = np.cumsum(begins_along(np.asarray(rank)[down])) - 1
    # a position differs from another if any of its runs beats one of the other position
    at_places = np.zeros((int(place.max()) + 1,) * 2, dtype=bool)
    np.logical_or.at(at_places, (place[:, None], place[None, :]), beats)
    stretches = np.array(stretches_alike(at_places))
    # blocks are sorted by their beginning and by their end
    lowest = np.searchsorted(stretches[:, 1], place) + 1
    highest = np.searchsorted(stretches[:, 0], place, side="right")
    beaten = np.logical_or.reduce(beats[rank == np.min(rank)], axis=0)
    return lowest, highest, ~beaten


ELO = 400 / np.log(10)  # Elo points per unit of log strength
BRADLEY_TERRY = "bradley-terry"
SCORES = ["score", "score_low", "score_high"]

declare_table(
    "leaderboards",
    "run measure method rank:int rank_low:int rank_high:int tier:int last_tier:int in_top_tier:bool score:float "
    "score_low:float score_high:float",
    "leaderboard",
    recognized_by="run measure method rank tier in_top_tier",
    row="run, measure and method",
    sort="measure method rank",
    then=".report(), .plot()",
    means={
        "rank": "from 1; tied runs share the better rank: 1, 2, 2, 4",
        "rank_low": "best rank in the interval",
        "rank_high": "worst rank in the interval",
        "tier": "first tier of the run; no run of a tier is significantly better than one below; 1 is the best",
        "last_tier": "last tier of the run; tiers may overlap",
        "in_top_tier": "whether no run of rank 1 is significantly better",
        "score": "in the unit of the measure for the mean; else the score of the method, higher is better",
        "score_low": "lower end of the interval of the score over the draws",
        "score_high": "upper end of this interval",
    },
)


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=True,
    returns="leaderboards",
    command=True,
    independent=True,
    other_names={
        "ranking": "leaderboard()",
        "elo": "leaderboard(method='bradley-terry', scale='elo')",
    },
)
def leaderboard(
    data: ScoresLike,
    measures: object = ("RPP",),
    *,
    method: Method | Sequence[Method] | None = None,
    test: str | None = None,
    correction: JointCorrection | None = "auto",
    alpha: float = 0.05,
    resample: str | Sequence[str] | None = None,
    scale: Literal["own", "elo"] = "own",
    draws: int = 1000,
    confidence: float = 0.95,
    rank_interval: RankInterval = "marginal",
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the runs in order, with intervals of rank and score, and tiers of runs that do not differ.

    Parameters
    ----------
    method : str or list of str, optional
        Ordering(s), as in `order`; by default the mean of scores, and the win rate of preferences.
    test : str, optional
        Significance test of all pairs of runs, as in `compare`; by default the test declared by the measure.
    alpha : float
        Significance level. A run is significantly better than another if the corrected p-value is below alpha and the
        test favors the run.
    resample : str or list of str, optional
        Column(s) of a table that identify collections. Collections, each with its mean, are then drawn and tested; by
        default queries are.
    scale : {'own', 'elo'}
        Scale of the scores. 'elo' returns Bradley-Terry strengths as 400 times their decimal logarithm, with mean 0: a
        difference of 400 means odds of ten to one.
    draws : int
        Number of bootstrap samples of the queries, or of the collections, for the intervals.
    confidence : float
        ... Those of scores are percentiles of the draws.
    rank_interval : {'marginal', 'joint', 'percentile'}
        Interval of the rank, as in `order`.

    Notes
    -----
    A tier is a maximal block of consecutive ranks in which no run is significantly better than a run below it. Tiers
    may overlap; a run is in the tiers from `tier` to `last_tier`. Runs with equal rank are in the same tiers. `attrs`
    has the test, correction and alpha.

    Examples
    --------
    >>> import pdeval
    >>> result = pdeval.datasets.sample_judged(queries="common").leaderboard("AP", draws=200)
    >>> result[["run", "rank", "rank_low", "rank_high", "tier", "last_tier", "in_top_tier", "score"]].head(4).round(3)
             run  rank  rank_low  rank_high  tier  last_tier  in_top_tier  score
    0  rerank-s1     1         1          3     1          1         True  0.560
    1  rerank-s2     2         1          3     1          1         True  0.554
    2     hybrid     3         1          7     1          2         True  0.499
    3  splade-s2     4         3          8     2          2        False  0.462
    """
    draws = arguments.integer("draws", draws, 1)
    if resample is not None:
        data, measures = [_means_of(data, measures, resample)], None
    options: dict[str, Any] = {
        "method": method,
        "draws": draws,
        "confidence": confidence,
        "rank_interval": rank_interval,
        "seed": seed,
        "progress": progress,
        "scores": True,
    }
    orders = (
        of_judged(data, measures, **options)
        if isinstance(data, Judged)
        else each(ordered, sources(data, measures), **options)
    )
    compared = compare(
        data, measures, test=test, correction=correction, alpha=alpha, seed=seed, progress=progress
    )
    runs = list(orders.columns[: orders.columns.get_loc("measure")])
    frame = _with_tiers(orders, compared, runs)
    if scale == "elo":
        methods = dict.fromkeys(frame["method"].astype(str))
        others = [one for one in methods if one.partition("(")[0] != BRADLEY_TERRY]
        if others:
            raise ValueError(
                f"scale='elo' requires method='{BRADLEY_TERRY}', got {others[0]!r}. Omit scale=."
            )
        frame[SCORES] = frame[SCORES] * ELO
    frame = frame[
        [
            *runs,
            *(
                name
                for name in SCHEMAS["leaderboards"].named
                if name in frame.columns and name != "run"
            ),
        ]
    ]
    tests = (
        compared[["test", "measure"]]
        .astype(str)
        .drop_duplicates()
        .groupby("test", sort=False)["measure"]
    )
    frame.attrs = {
        **orders.attrs,
        **{name: compared.attrs[name] for name in ("correction", "comparisons", "alpha", "seed")},
        "tests": tests.agg(list).to_dict(),
        "draws": draws,
        "confidence": confidence,
    }
    if resample is not None:
        frame.attrs["resample"] = groups.option_columns(resample)
    return frame


def _means_of(data: ScoresLike, measures: object, resample: object) -> Scores | Preferences:
    """Return the mean of every collection as if it were a query."""
    if not isinstance(data, Table):
        raise ValueError(
            f"resample={resample!r} requires a table of scores or preferences. Call "
            f".measure(..., by={resample!r}) or .prefer(..., by={resample!r}) first, and then .ireval.leaderboard()."
        )
    cube = grouped_cube(data, measures, resample)
    if len(cube) < 2:
        raise TooFew(
            f"a leaderboard over collections needs at least two collections; {resample!r} has only {cube.names[0]!r}."
        )
    values = np.stack([_mean(cube.source.values[:, part]) for part in cube.slices()], axis=1)
    return replace(cube.source, queries=pd.Index(cube.names, name="collection"), values=values)


def _mean(values: np.ndarray) -> np.ndarray:
    """Return the mean over queries (axis 1), NaN if a run has none."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        # adds query by query: equal systems have equal means to the last bit
        return np.add.accumulate(np.where(known, values, 0.0), axis=1)[:, -1] / known.sum(axis=1)


def _with_tiers(orders: pd.DataFrame, pairs: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """Return the orders with the tiers of each measure and method; `names` are the columns of the runs."""
    order = orders.groupby(["measure", "method"], sort=False, observed=True).ngroup().to_numpy()
    orders = orders.take(np.argsort(order, kind="stable")).reset_index(drop=True)
    sides = [orders[names]]
    for side in "ab":
        sides.append(pairs[[f"{name}_{side}" for name in names]].set_axis(names, axis=1))
    # the ids, not labels made from them, which may be equal
    ids = [pd.MultiIndex.from_frame(side.astype(object)) for side in sides]
    known = ids[0].unique()
    run, a, b = map(known.get_indexer, ids)
    favored, significant = direction(pairs), pairs["significant"].to_numpy(dtype=bool)
    pairs_of = pairs.groupby(pairs["measure"].astype(str)).indices
    measure, rank = orders["measure"].astype(str).to_numpy(), orders["rank"].to_numpy()
    parts = []
    for rows in np.split(np.arange(len(orders)), np.cumsum(np.bincount(order))[:-1]):
        tested = pairs_of[measure[rows[0]]]
        beats = _beats(len(known), a[tested], b[tested], favored[tested], significant[tested])
        parts.append(tiers(rank[rows], beats[np.ix_(run[rows], run[rows])]))
    lowest, highest, top = map(np.concatenate, zip(*parts))
    return orders.assign(tier=lowest, last_tier=highest, in_top_tier=top)


def _beats(
    runs: int, a: np.ndarray, b: np.ndarray, favored: np.ndarray, significant: np.ndarray
) -> np.ndarray:
    """Return, for each two runs, whether the first is significantly better; `favored` is positive for run a."""
    beats = np.zeros((runs, runs), dtype=bool)
    beats[a, b], beats[b, a] = significant & (favored > 0), significant & (favored < 0)
    return beats


COUNTED = ("net", "shared", "surplus", "wins")  # inputs of orderings that votes determine
USUAL = f"{BRADLEY_TERRY}(prior=0.01)"
CELLS = 1 << 22  # cells of the tables of votes (resamples x systems x systems) in memory at a time


@verb(
    on="votes",
    returns="leaderboards",
    name="leaderboard",
    other_names={"arena": "leaderboard(scale='elo')"},
)
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
    rank_interval: RankInterval = "marginal",
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the systems of a vote log in order, with intervals of rank and score, and tiers.

    Parameters
    ----------
    method : str or list of str
        Ordering(s): by Bradley-Terry strengths, for which chains of votes are sufficient; or, if all pairs of systems
        met, 'borda', 'winrate', 'copeland' or 'mc4', on the fractions of votes won in each pair. A tie is half a win.
    alpha : float
        Significance level. A system is significantly better than another if the corrected p-value is below alpha and
        its strength is larger.
    resample : str or list of str, optional
        Column(s) that identify dependent votes, such as the prompt or the user: bootstrap samples and standard errors
        are then over these groups. By default the query column if there is one, else each vote; 'vote' selects the
        latter.
    errors : {'bootstrap', 'sandwich'}
        Whether standard errors are those of bootstrap samples, or sandwich standard errors of Bradley-Terry, which
        repeated votes do not make too small. Intervals of strengths are Student's, with the number of groups minus 1 as
        degrees of freedom; those of other methods are percentiles of the samples. Sandwich errors need about 20 votes
        per system: with 60 votes for 10 systems of very different strengths, 95% intervals covered 82%, those of the
        bootstrap 94%.
    scale : {'own', 'elo'}
        Scale of the scores. 'elo' returns Bradley-Terry strengths as 400 times their decimal logarithm, with mean 0: a
        difference of 400 means odds of ten to one.
    draws : int
        Number of bootstrap samples, or of draws of strengths.
    rank_interval : {'marginal', 'joint', 'percentile'}
        Interval of the rank, as in `order`.

    Raises
    ------
    ValueError
        Systems that are not connected by votes; with prior=0, systems that won or lost all votes against the others,
        which have no finite strength; a method that needs all pairs if some never met.

    Notes
    -----
    "bradley-terry(prior=0.01)" adds 0.01 tied votes to every pair that met, so strengths are finite also if a system
    wins all its votes in a bootstrap sample; prior=0 is maximum likelihood. For all methods, tiers are based on Wald
    tests of the differences of these strengths with sandwich errors and Student's distribution. A tier is a maximal
    block of consecutive ranks in which no system is significantly better than one below it.

    Examples
    --------
    >>> log = pd.DataFrame([("x", "y", "a"), ("y", "z", "a"), ("x", "z", "tie"), ("y", "x", "a")] * 9,
    ...                    columns=["model_a", "model_b", "winner"])
    >>> board = log.ireval.leaderboard(scale="elo", draws=200)
    >>> board[["model", "rank", "rank_low", "rank_high", "tier", "score"]].round(1)
      model  rank  rank_low  rank_high  tier  score
    0     y     1         1          2     1  101.2
    1     x     2         1          3     1   27.1
    2     z     3         2          3     2 -128.4
    """
    draws = arguments.integer("draws", draws, 1)
    log = log_of(table)
    together, over = _together(table, resample)
    counts = Counts.of(log.one, log.two, log.sign, len(log.names), together)
    methods = _methods(method, errors, scale)
    _check_votes(counts, log, methods)
    prior = next(
        (one.parameters["prior"] for one in methods if one.entry.name == BRADLEY_TERRY), 0.01
    )
    fitted = Fitted.of(counts, prior)
    beats = _stronger(fitted, correction, alpha)
    rng = np.random.default_rng(seed)
    scores = _scores(methods, counts, counts.n, lambda *_: fitted.strength)
    drawn = (
        [fitted.strength + rng.standard_normal((draws, len(log.names))) @ fitted.root.T]
        if errors == "sandwich"
        else _drawn(methods, counts, fitted, rng, draws, progress)
    )
    unit = ELO if scale == "elo" else 1.0
    parts = []
    for one, score, resampled in zip(methods, scores, drawn, strict=True):
        tolerance = one.entry.tolerance * max(1.0, float(np.abs(score).max()))
        rank = ranks(score, tolerance)
        best, worst = ranks_within(
            score,
            resampled,
            ranks(resampled, tolerance),
            confidence,
            n=counts.groups,
            kind=rank_interval,
            method=one.entry.name,
            tolerance=tolerance,
        )
        if errors == "sandwich":
            low, high = fitted.interval(confidence)
        elif one.entry.name == BRADLEY_TERRY:
            low, high = fitted.interval(confidence, np.square(resampled - score).mean(axis=0))
        else:
            low, high = np.quantile(resampled, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
        lowest, highest, top = tiers(rank, beats)
        columns = {
            log.column: log.labels(),
            "measure": VOTED,
            "method": one.label,
            "rank": rank,
            "rank_low": best,
            "rank_high": worst,
            "tier": lowest,
            "last_tier": highest,
            "in_top_tier": top,
            "score": unit * score,
            "score_low": unit * low,
            "score_high": unit * high,
        }
        parts.append(pd.DataFrame(columns).iloc[np.argsort(rank, kind="stable")])
    board = pd.concat(parts, ignore_index=True)
    board.attrs = {
        "run_columns": [log.column],
        "correction": which_correction(correction),
        "alpha": alpha,
        "seed": seed,
        "draws": draws,
        "confidence": confidence,
        "tests": {WALD: [VOTED]},
        "resample": over,
        "errors": errors,
        "votes": len(log.sign),
    }
    return board


def _methods(method: Any, errors: str, scale: str) -> list[Measure]:
    """Return the orderings, or raise if counts of votes do not determine them."""
    methods = chosen(method, has_values=False)
    for one in methods:
        missing = [name for name in one.entry.columns if name not in COUNTED]
        if missing:
            raise ValueError(
                f"method={one.label!r} requires {missing[0]!r} per query, which votes do not have."
            )
        options = {"errors='sandwich'": errors == "sandwich", "scale='elo'": scale == "elo"}
        for option, is_set in options.items():
            if is_set and one.entry.name != BRADLEY_TERRY:
                raise ValueError(f"{option} requires method='{BRADLEY_TERRY}', got {one.label!r}.")
    if sum(one.entry.name == BRADLEY_TERRY for one in methods) > 1:
        raise ValueError("tiers are based on one Bradley-Terry model. Pass one prior at a time.")
    return methods


def _together(table: Table, resample: Any) -> tuple[np.ndarray | None, list[str]]:
    """Return the group of each vote, None if votes are independent, and the names of the group columns."""
    by_vote = resample == "vote" and "vote" not in table.frame.columns
    if by_vote or (resample is None and "query" not in table.roles):
        return None, ["votes"]
    names = (
        [table.roles["query"]] if resample is None else groups.option_columns(resample, "resample")
    )
    missing = [name for name in names if name not in table.frame.columns]
    if missing:
        raise KeyError(
            f"no column {missing[0]!r} to resample by; the log has {listed(table.frame.columns)}."
        )
    code = table.frame.groupby(names, sort=True, observed=True, dropna=False).ngroup().to_numpy()
    if code.max() < 1:
        raise TooFew(
            f"all votes are in one group of {listed(names)}; bootstrap samples need at least two groups."
        )
    return code, names


def _check_votes(counts: Counts, log: Log, methods: list[Measure]) -> None:
    """Raise if votes do not determine an order: unconnected systems, infinite strengths, pairs that never met."""
    names = np.array([str(name) for name in log.names], dtype=object)
    if len(names) < 2:
        raise TooFew(f"a leaderboard needs at least two systems, found {listed(names)}.")
    parts = sorted(counts.components(), key=len)
    if len(parts) > 1:
        few, many = (listed(names[part], 4) for part in (parts[0], parts[-1]))
        raise ValueError(
            f"the votes form {len(parts)} groups of systems without votes between them: {few} never met {many}. Rank "
            "each group separately, or collect votes between them."
        )
    never = np.argwhere(np.triu(counts.met == 0, k=1))
    priors = [one.parameters["prior"] for one in methods if one.entry.name == BRADLEY_TERRY]
    for one in methods:
        if one.entry.name != BRADLEY_TERRY and len(never):
            a, b = names[never[0]]
            raise ValueError(
                f"method={one.label!r} needs all pairs of systems, but {len(never):,} of "
                f"{len(names) * (len(names) - 1) // 2:,} never met, e.g. {a!r} and {b!r}. "
                f"Use method='{BRADLEY_TERRY}', for which chains of votes are sufficient."
            )
    if priors and (ahead := counts.unbeaten()) is not None:
        text = f"{listed(names[ahead], 4)} lost and tied no vote with the other {len(names) - len(ahead)} systems"
        if not priors[0]:
            raise ValueError(
                f"{text}, so their strength is infinite. Use method='{USUAL}', which keeps it finite."
            )
        warnings.warn(
            f"{text}, so the size of their lead depends only on the prior.",
            UserWarning,
            stacklevel=outside(),
        )


def _stronger(fitted: Fitted, correction: Any, alpha: float) -> np.ndarray:
    """Return, for each two systems, whether the strength of the first is significantly larger (Wald test)."""
    a, b = np.triu_indices(len(fitted.strength), k=1)
    p = adjust(fitted.p_values(a, b), correction=correction or "none", alpha=alpha)
    return _beats(len(fitted.strength), a, b, fitted.strength[a] - fitted.strength[b], p < alpha)


def _scores(
    methods: list[Measure], counts: Counts, times: np.ndarray, strengths: Callable[..., np.ndarray]
) -> list[np.ndarray]:
    """Return the scores of each method, of shape (runs,), or with a leading axis of resamples as `times` has it."""
    net, shared = counts.tables(times)
    counted = {"net": net, "shared": shared}
    if any({"surplus", "wins"} & set(one.entry.columns) for one in methods):
        counted["surplus"] = counted["wins"] = surplus_of_pairs(net, shared)
    scores = []
    for one in methods:
        kernel = (
            strengths
            if one.entry.name == BRADLEY_TERRY
            else partial(one.entry.kernel, **one.parameters)
        )
        arrays = (counted[name] for name in one.entry.columns)
        scores.append(np.asarray(kernel(*arrays), dtype=float))
    return scores


def _drawn(
    methods: list[Measure],
    counts: Counts,
    fitted: Fitted,
    rng: np.random.Generator,
    draws: int,
    progress: bool | None,
) -> list[np.ndarray]:
    """Return the scores of resamples of each method."""
    size = max(1, min(draws, CELLS // max(counts.met.size, len(counts.n), counts.groups)))
    blocks = [min(size, draws - start) for start in range(0, draws, size)]
    scores = [
        _scores(
            methods,
            counts,
            counts.drawn(rng, block),
            lambda net, shared: many_fitted(net, shared, counts.met, fitted),
        )
        for block in track(blocks, desc="bootstrap votes", progress=progress)
    ]
    drawn = [np.concatenate(one) for one in zip(*scores)]
    lost = max(int(np.isnan(one).any(axis=1).sum()) for one in drawn)
    if lost:
        raise ValueError(
            f"{lost:,} of {draws:,} bootstrap samples have a system that won or lost all its votes, whose strength is "
            f"infinite without a prior. Use errors='sandwich', or method='{USUAL}'."
        )
    return drawn
