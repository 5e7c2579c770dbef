"""Runs in order, by any measure and by any declared ordering, from tables or from a join."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate import (
    Averaged,
    Pairs,
    ScoresLike,
    Source,
    WinRates,
    bootstrap_counts,
    chunks,
    cube,
    decided,
    direct,
    estimates,
    powered,
    select,
    sources,
    win_rates,
)
from pdeval.evaluate.scores import scores
from pdeval.join import Judged
from pdeval.orderings.methods import Method, chosen, orderings
from pdeval.orderings.votes import (
    BLOCK,
    RankInterval,
    Votes,
    check_pairs,
    ranks,
    ranks_by_name,
    ranks_within,
    votes_of,
)
from pdeval.orderings.votes import (
    win_rates as sum_preferences,
)
from pdeval.tables import NOISE, Table, labels, numbers, run_labels, table
from pdeval.verbs import TooFew, check_not_declared, listed_in_docs, track, verb

CELLS = 1 << 21  # cells of one block of bootstrap samples with machine labels
NO_RANKS = (None, "mean", "winrate")  # methods that average over queries

table(
    "orders",
    "run measure method score:float rank:int [rank_low:int rank_high:int] [score_low:float score_high:float]",
    "table of orders",
    row="run, measure and method",
    sort="measure method rank",
    then=".correlate(), .report(), .plot()",
    means={
        "method": "ordering",
        "score": "in the unit of the measure for the mean; else the score of the method, higher is better",
        "rank": "from 1; tied runs share the better rank: 1, 2, 2, 4",
        "rank_low": "best rank in the interval",
        "rank_high": "worst rank in the interval",
        "score_low": "lower end of the interval of the score, if there are machine labels",
        "score_high": "upper end of this interval",
    },
)


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=lambda options: not options.get("draws") and options.get("method") in NO_RANKS,
    returns="orders",
    core=True,
    command=True,
    independent=True,
    machine=True,
    other_names={"rank": "order()", "sort": "order()"},
)
@listed_in_docs(methods=orderings())
def order(
    data: ScoresLike,
    measures: object = ("RPP",),
    *,
    method: Method | Sequence[Method] | None = None,
    compat: Literal["pref_eval"] | None = None,
    draws: int = 0,
    confidence: float = 0.95,
    rank_interval: RankInterval = "marginal",
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the runs in order, for each measure and method.

    Win rates of recall-paired and lexicographic preferences are computed from runs without forming pairs.

    Parameters
    ----------
    method : str or list of str, optional
        Ordering(s); by default the mean of scores, and the win rate of preferences. Scores become preferences by their
        differences. Orderings that count votes use the ranks of the runs on each query, by score or by win rate; tied
        runs get no vote, with Borda and Bradley-Terry half a vote each. Leximin compares the worst queries first and
        requires the same queries for all runs. Parameters are part of the name: "mc4(teleport=0.05)". "paper" is the
        method of Diaz and Ferraro (2022): measures by the mean, and preferences by MC4. `@pdeval.ordering` declares
        another ordering. With machine labels, runs are ordered only by their prediction-powered means or win rates.
        The declared orderings are:

        {methods}
    compat : {'pref_eval'} or a rule of the join, optional
        'pref_eval' follows that tool: ties between runs are broken by name, descending, within queries and in the
        result, and MC4 walks ten steps without teleport. Sums are over the queries in the order of their first
        relevant item in the judgments, or of the rows of a table. By default tied runs get the better rank: 1, 2, 2,
        4. For runs joined to judgments, 'trec_eval-10' and 'trec_eval-9' set the arithmetic of measures.
    draws : int
        Number of bootstrap samples of the queries, for `rank_low` and `rank_high`; 0 by default, for none. All
        measures and methods use the same samples.
    confidence : float
        Confidence level of this interval; with machine labels also of `score_low` and `score_high`, as in `summary`.
    rank_interval : {'marginal', 'joint', 'percentile'}
        Interval of the rank: after all runs that are significantly better and before all that are significantly worse,
        in simultaneous tests of the differences from the other runs, for each run ('marginal') or for all runs
        together ('joint'). 'percentile' takes quantiles of the ranks in the samples; it is shorter, and does not cover
        the rank of nearly equal runs: in simulations, that of the best of 30 in 26% of cases, in place of 95%.

    Notes
    -----
    The tests of rank intervals use the normal limit of differences of scores, which means, win rates, Borda and
    Bradley-Terry have. Scores of Copeland, MC4 and leximin move in steps: their intervals are wide, and those of
    leximin covered all ranks of 9 nearly equal runs in 64% of simulations at level 95% ('joint': 85%).

    A query that does not count for a run is excluded from the averages and pairs of this run. Scores, win rates and
    final scores that differ only by rounding (1e-12 of their size) are tied, except with compat='pref_eval'.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.order("RPP", method=["winrate", "mc4"], draws=100).groupby("method").head(2).round(3)
              run measure   method  score  rank  rank_low  rank_high
    0   rerank-s1     RPP  winrate  0.495     1         1          3
    1   rerank-s2     RPP  winrate  0.442     2         1          3
    12  rerank-s1     RPP      mc4  0.901     1         1          3
    13  rerank-s2     RPP      mc4  0.051     2         1          8
    """
    options: dict[str, Any] = {
        "method": method,
        "draws": draws,
        "confidence": confidence,
        "rank_interval": rank_interval,
        "seed": seed,
        "progress": progress,
    }
    if compat not in (None, "pref_eval"):
        raise ValueError(f"compat={compat!r}: order() of a table expects 'pref_eval' or None.")
    if isinstance(data, Judged):
        return of_judged(data, measures, compat=compat, **options)
    if isinstance(data, Averaged):
        compat = compat or data.compat  # type: ignore[assignment]
    try:
        cubes = sources(data, measures, machine=True)
    except KeyError:
        check_not_declared(measures, "an ordering", orderings(), "order(method={})")
        raise
    if getattr(cubes[0], "machine", None) is not None:
        if compat:
            raise ValueError(
                f"compat={compat!r} cannot be combined with machine labels. Omit compat=."
            )
        return _ordered_with_machine(cubes[0], **options)
    if compat and isinstance(data, Table):
        options["queries"] = as_they_stand(data.column("query"), cubes[0].queries)
    return cube.stacked([ordered(one, compat=compat, **options) for one in cubes])


def as_they_stand(column: pd.Series, queries: pd.Index) -> np.ndarray:
    """Return the positions of the queries in the order of their first occurrence in a column.

    Examples
    --------
    >>> as_they_stand(pd.Series(["q9", "q1", "q9"]), pd.Index(["q1", "q5", "q9"])).tolist()
    [2, 0, 1]
    """
    place_of = {str(query): place for place, query in enumerate(pd.unique(column.astype(object)))}
    return np.argsort(
        [place_of.get(str(query), len(place_of)) for query in queries.astype(object)], kind="stable"
    )


def _of_judgments(judged: Judged, level: float | None, queries: pd.Index) -> np.ndarray | None:
    """Return the positions of the queries in the order of their first relevant item in the judgments."""
    if judged.positions.source is None:
        return None
    qrels = judged.positions.source[1]
    grade = numbers(qrels.column("grade"), "judgments' grade")
    least = judged.level if level is None else level
    relevant = grade > 0 if least is None else (grade >= least) & (grade > 0)
    return as_they_stand(qrels.column("query")[relevant], queries)


class Orders(NamedTuple):
    """The runs in the order of each measure and method, one block of rows after the other.

    Parameters
    ----------
    runs : DataFrame
        The runs, one row each.
    measures, methods : tuple of str
        The measures and the methods.
    columns : dict of ndarray
        The places of the run, measure and method of each row, then the score, the rank and their intervals.
    attrs : dict
        The attributes of the frame.
    """

    runs: pd.DataFrame
    measures: tuple[str, ...]
    methods: tuple[str, ...]
    columns: dict[str, np.ndarray]
    attrs: dict[Any, Any]

    def frame(self) -> pd.DataFrame:
        """Return the table of all rows."""
        columns: dict[str, Any] = dict(self.columns)
        ids = cube.run_columns(self.runs, columns.pop("run"))
        columns["measure"] = labels(pd.Index(self.measures), columns["measure"])
        columns["method"] = labels(pd.Index(self.methods), columns["method"])
        return cube.described_frame({**ids, **columns}, self.attrs)


def of_judged(
    judged: Judged,
    measures: object,
    *,
    compat: str | None = None,
    warn: bool = True,
    **options: Any,
) -> pd.DataFrame:
    """Return the runs of a join in order; `warn`: whether to warn if judged queries are missing from a run."""
    options |= {"compat": compat, "warn": warn}
    return cube.stacked([one.frame() for one in _orders_of_join(judged, measures, **options)])


def _orders_of_join(
    judged: Judged,
    measures: object,
    *,
    compat: str | None = None,
    warn: bool = True,
    **options: Any,
) -> Iterator[Orders]:
    """Yield the orders of the runs of a join by each measure."""
    positions = judged.positions
    if compat == "pref_eval" or positions.rules.get("compat") == "pref_eval":  # also its arithmetic
        compat = "pref_eval"
        judged = judged.on(replace(positions, rules={**positions.rules, "compat": compat}))
    requested = parse_all(("RPP",) if measures is None else measures)
    check_not_declared(requested, "an ordering", orderings(), "order(method={})")
    for number, measure in enumerate(requested):
        source = _source(judged, measure, warn=warn and number == 0)
        queries = _of_judgments(judged, measure.level, source.queries) if compat else None
        yield orders_of(source, compat=compat, queries=queries, **options)


def _source(judged: Judged, measure: Measure, *, warn: bool) -> Source:
    """Return the values that order the runs by a measure: scores, win rates, or the preferences of all pairs."""
    if measure.entry.family == "metric":
        return scores(judged, measure, warn=warn)
    counts = judged.counted(measure.level)
    even = bool((counts.all(axis=1) == counts.any(axis=1)).all())
    if direct(measure) and even and judged.positions.rules.get("compat") != "pref_eval":
        return win_rates(judged, measure, warn=warn)
    return select(judged, measure, warn=warn)


def ordered(source: Source, **options: Any) -> pd.DataFrame:
    """Return the runs of a cube, or of a stream of all pairs, in order, under the options of `orders_of`.

    Examples
    --------
    >>> result = cube.Scores(pd.DataFrame({"run": ["a", "b", "c"]}), pd.Index(["1", "2"], name="query_id"), ("AP",),
    ...                     np.array([[[0.5, 0.2, 0.2], [0.1, 0.3, 0.3]]]), np.array([True]))
    >>> ordered(result, method=["mean", "copeland"])
      run measure    method  score  rank
    0   a      AP      mean   0.30     1
    1   b      AP      mean   0.25     2
    2   c      AP      mean   0.25     2
    3   a      AP  copeland   0.00     1
    4   b      AP  copeland   0.00     1
    5   c      AP  copeland   0.00     1
    """
    return orders_of(source, **options).frame()


def orders_of(
    source: Source,
    *,
    method: Method | Sequence[Method] | None = None,
    compat: str | None = None,
    draws: int = 0,
    confidence: float = 0.95,
    rank_interval: RankInterval = "marginal",
    seed: int | None = 0,
    progress: bool | None = None,
    winrates: bool = False,
    queries: np.ndarray | None = None,
    scores: bool = False,
) -> Orders:
    """Return the order of the runs of a cube, or of a stream of all pairs, by each measure and method; see `order`.

    Parameters
    ----------
    winrates : bool
        Whether the scores are win rates: sums over all opponents of a run.
    queries : ndarray of int, optional
        Order of the queries for 'pref_eval'; by default their order in the source.
    scores : bool
        Whether to return intervals of the scores too, from the same draws.
    """
    n_runs, n_queries = len(source.runs), len(source.queries)
    labels_of_runs = run_labels(source.runs)
    if n_runs < 2:
        raise TooFew(f"an ordering needs at least two runs, found {n_runs}: {labels_of_runs}.")
    if n_queries == 0:
        raise TooFew("an ordering needs at least one query, found none.")
    if not isinstance(source, cube.Scores):
        check_pairs(source)
    winrates = winrates or isinstance(source, WinRates)
    methods = chosen(method, has_values=isinstance(source, cube.Scores) and not winrates)
    # position of each run by name, descending: argsort twice is the inverse permutation
    by_name = np.argsort(np.array(labels_of_runs, dtype=object), kind="stable")[::-1].argsort()
    n_measures = len(source.measures)
    at_once: Any = range(n_measures)
    # means of scores and win rates of preferences are computed for many measures at once
    column = "value" if isinstance(source, cube.Scores) else "wins"
    if not (winrates or compat or draws or isinstance(source, Pairs)) and all(
        one.entry.columns == (column,) for one in methods
    ):
        step = max(1, 2 * BLOCK // (n_queries * n_runs**2))
        at_once = [slice(first, first + step) for first in range(0, n_measures, step)]
    votes_of_measures = [
        votes_of(source, m, winrates=winrates, name=by_name if compat else None, queries=queries)
        for m in at_once
    ]
    once = [_scored(votes, methods, compat) for votes in votes_of_measures]
    # the order of the runs of the votes may differ between measures
    run = np.vstack(
        [
            np.broadcast_to(votes.runs, score.shape)
            for votes, ((score, _), *_) in zip(votes_of_measures, once)
        ]
    )
    # the mean is reported in the unit of the measure; preferences have no ordering 'mean'
    sign = [
        np.where(source.higher, 1.0, -1.0) if one.entry.name == "mean" else np.ones(n_measures)  # type: ignore[union-attr]
        for one in methods
    ]
    intervals: list[list[dict[str, np.ndarray]]] = [[] for _ in methods]
    for m, (measure, votes) in enumerate(zip(source.measures, votes_of_measures) if draws else ()):
        per_query = 1 + n_runs * any("worst_first" in one.entry.columns for one in methods)
        blocks = _resamples(per_query * n_queries, n_queries, n_runs, draws, seed)
        resampled = [
            [
                (score, _ranks(score, votes.name, tolerance))
                for score, tolerance in _scored(votes, methods, compat, weights)
            ]
            for weights in track(blocks, desc=f"bootstrap {measure}", progress=progress)
        ]
        for k, one in enumerate(methods):
            (score,), (tolerance,) = once[m][k]
            drawn_scores, drawn_ranks = (
                np.concatenate([block[k][which] for block in resampled]) for which in (0, 1)
            )
            ends = ranks_within(
                score,
                drawn_scores,
                drawn_ranks,
                confidence,
                n=n_queries,
                kind=rank_interval,
                method=one.entry.name,
                tolerance=tolerance,
            )
            interval = dict(zip(("rank_low", "rank_high"), ends))
            if scores:
                tails = [(1 - confidence) / 2, (1 + confidence) / 2]
                # np.nanquantile computes run by run
                quantile = np.nanquantile if np.isnan(drawn_scores).any() else np.quantile
                ends = quantile(sign[k][m] * drawn_scores, tails, axis=0)
                interval |= dict(zip(("score_low", "score_high"), ends))
            intervals[k].append(interval)
    parts = []
    for of_measures, signs, ends_of_measures in zip(zip(*once), sign, intervals):
        score, tolerance = map(np.concatenate, zip(*of_measures))
        rank = _ranks(score, by_name[run] if compat else None, tolerance[:, None])
        part = {"run": run, "score": signs[:, None] * score, "rank": rank}
        for key in ends_of_measures[0] if draws else ():
            part[key] = np.stack([ends[key] for ends in ends_of_measures])
        best_first = np.argsort(rank, axis=1, kind="stable")
        parts.append(
            {key: np.take_along_axis(values, best_first, axis=1) for key, values in part.items()}
        )
    # of shape (measures, methods, runs)
    columns = {key: np.stack([part[key] for part in parts], axis=1) for key in parts[0]}
    place = np.indices(columns["run"].shape)
    columns = {"run": columns["run"], "measure": place[0], "method": place[1], **columns}
    columns = {key: values.ravel() for key, values in columns.items()}
    attrs = {**source.attrs, **({"confidence": confidence} if draws else {})}
    return Orders(source.runs, source.measures, tuple(one.label for one in methods), columns, attrs)


def _ranks(score: np.ndarray, name: np.ndarray | None, tolerance: float | np.ndarray) -> np.ndarray:
    """Return ranks along the last axis: equal scores are ordered by `name`, or tied without it."""
    return ranks(score, tolerance) if name is None else ranks_by_name(score, name)


def _scored(
    votes: Votes, methods: list[Measure], compat: str | None, weights: np.ndarray | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return scores of each method, with a leading axis of measures or bootstrap samples, and tolerances of ties."""
    counted = votes.counted({column for one in methods for column in one.entry.columns}, weights)
    # win rates of scores are differences of their sums
    sizes: dict[str, Any] = {"value": votes.value, "wins": votes.rates}
    if votes.value is not None and "wins" in counted:
        sizes["wins"] = len(votes.runs) * votes.value
    results = []
    for one in methods:
        entry = one.entry
        parameters = {**one.parameters, **entry.compat.get(str(compat), {})}
        arrays = [counted[column] for column in entry.columns]
        score = np.asarray(entry.kernel(*arrays, **parameters), dtype=np.float64)
        last_axis = entry.columns[0] in ("net", "shared", "worst_first")
        expected = arrays[0].shape[:-1] if last_axis else arrays[0].shape
        if score.shape != expected:
            raise ValueError(
                f"the ordering {one.label!r} returned an array of shape {score.shape}, expected {expected}: one score "
                "per run, with the leading axis of resamples. Reduce the last axis, e.g. with .sum(axis=-1)."
            )
        used = [sizes[column] for column in entry.columns if sizes.get(column) is not None]
        # of one measure, or of each
        scales = [np.nanmax(np.abs(size), axis=(-2, -1)) for size in used] or [np.ones(1)]
        results.append((score, entry.tolerance * np.atleast_1d(np.maximum.reduce(scales))))
    return results


def _resamples(
    cells: int, n_queries: int, n_runs: int, draws: int, seed: int | None
) -> Iterator[np.ndarray]:
    """Yield how often each query is drawn, in blocks; `cells` is the memory per sample in addition to all pairs."""
    return bootstrap_counts(n_queries, draws, seed, max(1, 4 * BLOCK // (2 * n_runs**2 + cells)))


def _ordered_with_machine(
    source: Any, *, method: object, confidence: float, **options: Any
) -> pd.DataFrame:
    """Return the runs of a cube with machine labels in order."""
    only = "mean" if isinstance(source, cube.Scores) else "winrate"
    if method not in (None, only, [only], (only,)):
        raise ValueError(
            f"method={method!r} cannot be combined with machine labels. Use method={only!r}."
        )
    scores = source if isinstance(source, cube.Scores) else win_rates_of(source)
    frame = cube.stacked(
        [
            _with_machine(scores, number, only, confidence, **options)
            for number in range(len(scores.measures))
        ]
    )
    frame.attrs.update({**scores.attrs, "confidence": confidence})
    return frame


def win_rates_of(preferences: cube.Preferences) -> cube.Scores:
    """Return the win rates of runs by human and machine labels, as scores: mean preferences over all opponents."""
    check_pairs(preferences)
    by_machine = replace(preferences, values=np.asarray(preferences.machine), machine=None)
    queries, runs = len(preferences.queries), len(preferences.runs)
    rates = np.empty((2, len(preferences.measures), queries, runs))
    for side, number in np.ndindex(rates.shape[:2]):
        blocks = decided((preferences, by_machine)[side], number)
        sums, met, _ = sum_preferences(
            blocks, preferences.a, preferences.b, queries=queries, runs=runs
        )
        rates[side, number] = np.where(met > 0, sums / (runs - 1), np.nan)
    return cube.Scores(
        preferences.runs,
        preferences.queries,
        preferences.measures,
        rates[0],
        np.ones(len(preferences.measures), dtype=bool),
        preferences.attrs,
        rates[1],
        preferences.probability,
    )


def _with_machine(
    scores: cube.Scores,
    number: int,
    method: str,
    confidence: float,
    *,
    rank_interval: RankInterval,
    draws: int,
    seed: int | None,
    progress: bool | None,
) -> pd.DataFrame:
    """Return the order by one measure."""
    made = estimates(scores, number)
    sign = 1.0 if scores.higher[number] else -1.0
    tolerance = NOISE * float(np.nanmax(np.abs(np.asarray(scores.machine)[number])))
    rank = ranks(sign * made.mean, tolerance)
    row = np.argsort(rank, kind="stable")
    part: dict[Any, Any] = {
        **{name: labels(column, row) for name, column in scores.runs.items()},
        "measure": scores.measures[number],
        "method": method,
        "score": made.mean[row],
        "rank": rank[row],
    }
    if draws:
        drawn = np.concatenate(list(_resampled(scores, number, draws, seed, progress)))
        ends = ranks_within(
            sign * made.mean,
            sign * drawn,
            ranks(sign * drawn, tolerance),
            confidence,
            n=int(np.min(made.n)),
            kind=rank_interval,
            tolerance=tolerance,
        )
        part |= dict(zip(("rank_low", "rank_high"), ends[:, row]))
    low, high = made.interval(confidence)
    return pd.DataFrame({**part, "score_low": low[row], "score_high": high[row]})


def _resampled(
    scores: cube.Scores, number: int, draws: int, seed: int | None, progress: bool | None
) -> Iterator[np.ndarray]:
    """Yield estimates of all runs, (draws, runs), from bootstrap samples stratified by the kind of label."""
    people, judge = scores.values[number], np.asarray(scores.machine)[number]
    n_runs = people.shape[1]
    labeled = (~np.isnan(people)).any(axis=1)
    strata = np.flatnonzero(labeled), np.flatnonzero(~labeled)
    steps = chunks(draws, seed)
    title = f"bootstrap {scores.measures[number]}"
    width = max(1, CELLS // people.size)
    for size, child in track(steps, total=len(steps), desc=title, progress=progress):
        rng = np.random.default_rng(child)
        drawn = np.concatenate(
            [stratum[rng.integers(0, len(stratum), (len(stratum), size))] for stratum in strata]
        )
        for first in range(0, size, width):
            # every run of a sample is a column: (queries, samples x runs)
            picked = drawn[:, first : first + width]
            chance = (
                None
                if scores.probability is None
                else np.repeat(scores.probability[picked], n_runs, axis=1)
            )
            human, machine = (values[picked].reshape(len(picked), -1) for values in (people, judge))
            yield powered(human, machine, probability=chance).mean.reshape(picked.shape[1], n_runs)


@dataclass(frozen=True)
class RunOrders:
    """Runs ordered by several measures: `score` and `rank` have one row per (measure, method), one column per run."""

    keys: list[tuple[str, str]]
    queries: np.ndarray
    score: np.ndarray
    rank: np.ndarray
    attrs: dict[Any, Any] = field(default_factory=dict)

    def columns(self, key: np.ndarray) -> dict[str, Any]:
        """Return the measure and method columns of some keys."""
        measure, method = zip(*self.keys)
        return {"measure": labels(pd.Index(measure), key), "method": labels(pd.Index(method), key)}


def run_orders(
    judged: Judged,
    measures: object,
    *,
    method: Method | Sequence[Method] | None = None,
    warn: bool = True,
) -> RunOrders:
    """Return scores and ranks of the runs of a join, by each measure and method.

    Parameters
    ----------
    measures : name or names
        Measures of one ranking, ordered by their mean, and preferences, ordered by their win rates.
    method : str or list of str, optional
        Ordering(s); see `pdeval.orderings.order.order`.
    warn : bool
        Whether to warn if judged queries are missing from a run.

    Examples
    --------
    >>> import pdeval
    >>> result = run_orders(pdeval.datasets.sample_judged(queries="common"), ["AP", "RPP"])
    >>> result.keys, result.rank.shape
    ([('AP', 'mean'), ('RPP', 'winrate')], (2, 12))
    """
    requested = parse_all(("RPP",) if measures is None else measures)
    keys: list[tuple[str, str]] = []
    parts: list[np.ndarray] = []
    several = list(_orders_of_join(judged, requested, method=method, warn=warn))
    for orders in several:
        keys += [(measure, name) for measure in orders.measures for name in orders.methods]
        # back in the order of the join; every run has a row for each measure and method
        by_run = np.argsort(orders.columns["run"].reshape(-1, len(judged.runs)), axis=1)
        both = np.stack([orders.columns["score"], orders.columns["rank"]])
        parts.append(np.take_along_axis(both.reshape(2, *by_run.shape), by_run[None], axis=2))
    score, rank = np.concatenate(parts, axis=1)
    count = {one.label: int(judged.counted(one.level).any(axis=1).sum()) for one in requested}
    queries = np.array([count[measure] for measure, _ in keys])
    return RunOrders(keys, queries, score, rank, cube.merged_attrs(one.attrs for one in several))
