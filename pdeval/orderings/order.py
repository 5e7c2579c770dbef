"""Runs in order, by any measure and by any declared ordering, from tables or from a join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate import cube
from pdeval.evaluate.mean_preferences import WinRates, direct, win_rates
from pdeval.evaluate.pairs import select
from pdeval.evaluate.ppi import estimates, powered
from pdeval.evaluate.scores import scores
from pdeval.evaluate.seeds import chunks
from pdeval.evaluate.sources import Averaged, Held, Source, decided, sources
from pdeval.join.judged import Judged
from pdeval.orderings.methods import Method, chosen, orderings
from pdeval.orderings.votes import (
    BLOCK,
    Votes,
    check_pairs,
    rank_interval,
    ranks,
    ranks_by_name,
    votes_of,
)
from pdeval.orderings.votes import win_rates as sum_preferences
from pdeval.tables.equal_values import NOISE
from pdeval.tables.labels import labels, run_labels
from pdeval.tables.reader import Table, numbers
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import TooFew
from pdeval.verbs.progress import track
from pdeval.verbs.registry import listed_in_docs

CELLS = 1 << 21  # of one block of resamples with machine labels

table(
    "orders",
    "run measure method score:float rank:int [rank_low:int rank_high:int] [score_low:float score_high:float]",
    "table of orders",
    row="run, measure and method",
    sort="measure method rank",
    then=".correlate(), .report(), .plot()",
    means={
        "method": "how the queries were brought together",
        "score": "in the measure's own unit for the mean; else what the method counts, more is better",
        "rank": "from 1; tied runs share the better rank: 1, 2, 2, 4",
        "rank_low": "the best rank in the interval over the draws",
        "rank_high": "the worst rank in it",
        "score_low": "lower end of the interval of the score, where a machine labelled too",
        "score_high": "upper end of it",
    },
)


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=True,
    gives="orders",
    core=True,
    command=True,
    independent=True,
    machine=True,
    meant_by={"rank": "order()", "sort": "order()"},
)
@listed_in_docs(methods=orderings())
def order(
    data: Held,
    measures: object = ("RPP",),
    *,
    method: Method | Sequence[Method] | None = None,
    compat: Literal["pref_eval"] | None = None,
    draws: int = 0,
    confidence: float = 0.95,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the runs in order, for each measure and method.

    Win rates of recall-paired and lexicographic preferences are computed without forming pairs where the runs are at
    hand.

    Parameters
    ----------
    method : str or list of str, optional
        How to order; by default the mean of scores, and the win rate of preferences. Scores become preferences by
        their differences. The orderings that count votes let each query rank the runs, by score or by win rate; runs
        tied there get no vote, in Borda and Bradley-Terry half a vote each. Leximin takes the pessimistic view, and
        needs every run on the same queries. Parameters stand in the name: "mc4(teleport=0.05)". "paper" orders as Diaz
        and Ferraro (2022) do for their tables: measures by the mean, and preferences by MC4. `@pdeval.ordering`
        declares another. With labels by a machine beside people's, runs are ordered by their prediction-powered means
        or win rates alone. There are:

        {methods}
    compat : {'pref_eval'} or a rule of the join, optional
        'pref_eval' orders as that tool does: ties between runs are broken by name, descending, inside queries and in
        the result, and MC4 walks ten steps without teleport; sums are taken over the queries in the order of their
        first relevant item in the judgments, of a table in the order of its rows. By default tied runs share the
        better rank: 1, 2, 2, 4. Where runs are joined to judgments here, 'trec_eval-10' and 'trec_eval-9' say whose
        arithmetic measures follow.
    draws : int
        Resamples of the queries, for `rank_low` and `rank_high`, the percentile interval of the rank; none by
        default. The same resamples serve every measure and method.
    confidence : float
        Of that interval; with machine labels also of `score_low` and `score_high`, as in `summary`.

    Notes
    -----
    A query that does not count for a run is left out of that run's averages and of its pairs. Scores, win rates and
    final scores that differ by rounding only (1e-12 of their size) are tied; under 'pref_eval' they are not.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.order("RPP", method=["winrate", "mc4"], draws=100).groupby("method").head(2).round(3)
              run measure   method  score  rank  rank_low  rank_high
    0   rerank-s1     RPP  winrate  5.448     1         1          2
    1   rerank-s2     RPP  winrate  4.862     2         1          2
    12  rerank-s1     RPP      mc4  0.901     1         1          2
    13  rerank-s2     RPP      mc4  0.051     2         1          3
    """
    options: dict[str, Any] = {
        "method": method,
        "draws": draws,
        "confidence": confidence,
        "seed": seed,
        "progress": progress,
    }
    if compat not in (None, "pref_eval"):
        raise ValueError(f"compat={compat!r} is not an ordering's; it is None or 'pref_eval'.")
    if isinstance(data, Judged):
        return of_judged(data, measures, compat=compat, **options)
    if isinstance(data, Averaged):
        compat = compat or data.compat  # type: ignore[assignment]
    try:
        cubes = sources(data, measures, machine=True)
    except KeyError:
        _not_orderings(measures)
        raise
    if getattr(cubes[0], "machine", None) is not None:
        if compat:
            raise ValueError(
                f"compat={compat!r} orders by one value a query; leave it out with machine labels."
            )
        return _ordered_with_machine(cubes[0], **options)
    if compat and isinstance(data, Table):
        options["queries"] = as_they_stand(data.column("query"), cubes[0].queries)
    return cube.stacked([ordered(one, compat=compat, **options) for one in cubes])


def as_they_stand(column: pd.Series, queries: pd.Index) -> np.ndarray:
    """Return the places of the queries in the order in which a column first names them.

    Examples
    --------
    >>> as_they_stand(pd.Series(["q9", "q1", "q9"]), pd.Index(["q1", "q5", "q9"])).tolist()
    [2, 0, 1]
    """
    place_of = {str(query): place for place, query in enumerate(pd.unique(column.astype(object)))}
    places = [place_of.get(str(query), len(place_of)) for query in queries.astype(object)]
    return np.argsort(places, kind="stable")


def _of_judgments(judged: Judged, level: float | None, queries: pd.Index) -> np.ndarray | None:
    """Return the places of the queries in the order of their first relevant item in the judgments."""
    if judged.positions.source is None:
        return None
    qrels = judged.positions.source[1]
    grade, least = (
        numbers(qrels.column("grade"), "judgments' grade"),
        judged.level if level is None else level,
    )
    relevant = grade > 0 if least is None else (grade >= least) & (grade > 0)
    return as_they_stand(qrels.column("query")[relevant], queries)


def of_judged(
    judged: Judged,
    measures: object,
    *,
    compat: str | None = None,
    tell: bool = True,
    **options: Any,
) -> pd.DataFrame:
    """Return the runs of a join in order; `tell` warns where judged queries are missing from a run."""
    positions = judged.positions
    if compat == "pref_eval" or positions.rules.get("compat") == "pref_eval":  # its arithmetic too
        compat = "pref_eval"
        judged = judged.on(replace(positions, rules={**positions.rules, "compat": compat}))
    requested = parse_all(("RPP",) if measures is None else measures)
    _not_orderings(requested)
    parts: list[pd.DataFrame] = []
    for measure in requested:
        source = _source(judged, measure, tell=tell and not parts)
        parts.append(
            ordered(
                source,
                compat=compat,
                queries=_of_judgments(judged, measure.level, source.queries) if compat else None,
                **options,
            )
        )
    return cube.stacked(parts)


def _source(judged: Judged, measure: Measure, *, tell: bool) -> Source:
    """Return what orders the runs by a measure: scores, win rates, or the preferences of all pairs."""
    if measure.entry.family == "metric":
        return scores(judged, measure, tell=tell)
    counts = judged.counted(measure.level)
    even = bool((counts.all(axis=1) == counts.any(axis=1)).all())
    if direct(measure) and even and judged.positions.rules.get("compat") != "pref_eval":
        return win_rates(judged, measure, tell=tell)
    return select(judged, measure, tell=tell)


def _not_orderings(measures: object) -> None:
    """Raise where a measure that is asked for is an ordering."""
    for one in measures if isinstance(measures, list | tuple) else [measures]:
        text = getattr(one, "label", one)
        if isinstance(text, str) and text.partition("(")[0].lower() in orderings():
            raise ValueError(f"{text!r} is an ordering, not a measure. Say order(method={text!r}).")


def ordered(
    source: Source,
    *,
    method: Method | Sequence[Method] | None = None,
    compat: str | None = None,
    draws: int = 0,
    confidence: float = 0.95,
    seed: int | None = 0,
    progress: bool | None = None,
    winrates: bool = False,
    queries: np.ndarray | None = None,
    scores: bool = False,
) -> pd.DataFrame:
    """Return the runs of a cube, or of a stream of all pairs, in order; see `order`.

    Parameters
    ----------
    winrates : bool
        Whether the scores are win rates already, each the sum over a run's opponents.
    queries : ndarray of int, optional
        The order in which 'pref_eval' takes the queries; by default as they stand.
    scores : bool
        Give intervals of the scores too, from the same draws.

    Examples
    --------
    >>> found = cube.Scores(pd.DataFrame({"run": ["a", "b", "c"]}), pd.Index(["1", "2"], name="query_id"), ("AP",),
    ...                     np.array([[[0.5, 0.2, 0.2], [0.1, 0.3, 0.3]]]), np.array([True]))
    >>> ordered(found, method=["mean", "copeland"])
      run measure    method  score  rank
    0   a      AP      mean   0.30     1
    1   b      AP      mean   0.25     2
    2   c      AP      mean   0.25     2
    3   a      AP  copeland   0.00     1
    4   b      AP  copeland   0.00     1
    5   c      AP  copeland   0.00     1
    """
    _check(source)
    winrates = winrates or isinstance(source, WinRates)
    methods = chosen(method, has_values=isinstance(source, cube.Scores) and not winrates)
    n_runs, n_queries = len(source.runs), len(source.queries)
    names = np.array(run_labels(source.runs), dtype=object)
    place = (
        np.argsort(names, kind="stable")[::-1].argsort() if compat else None
    )  # by name, descending
    parts = []
    for m, measure in enumerate(source.measures):
        votes = votes_of(source, m, winrates=winrates, name=place, queries=queries)
        once = _ranked(votes, methods, compat)
        resampled = []
        if draws:
            per_query = 1 + n_runs * any("worst_first" in one.entry.columns for one in methods)
            resamples = _resamples(per_query * n_queries, n_queries, n_runs, draws, seed)
            blocks = track(resamples, desc=f"bootstrap {measure}", progress=progress)
            resampled = [_ranked(votes, methods, compat, weights) for weights in blocks]
        for k, one in enumerate(methods):
            (score,), (rank,) = once[k]
            row = np.argsort(rank, kind="stable")
            # the mean goes back to its own unit
            less = (
                isinstance(source, cube.Scores)
                and not source.higher[m]
                and one.entry.name == "mean"
            )
            sign = -1.0 if less else 1.0
            part = {
                "run": votes.runs[row],
                "measure": np.full(n_runs, m),
                "method": np.full(n_runs, k),
                "score": sign * score[row],
                "rank": rank[row],
            }
            if draws:
                drawn_scores, drawn_ranks = (
                    np.concatenate(one) for one in zip(*(block[k] for block in resampled))
                )
                part |= dict(
                    zip(("rank_low", "rank_high"), rank_interval(drawn_ranks, confidence)[:, row])
                )
            if draws and scores:
                tails = [(1 - confidence) / 2, (1 + confidence) / 2]
                ends = np.nanquantile(sign * drawn_scores, tails, axis=0)
                part |= dict(zip(("score_low", "score_high"), ends[:, row]))
            parts.append(part)
    columns: dict[str, Any] = {
        key: np.concatenate([part[key] for part in parts]) for key in parts[0]
    }
    run = columns.pop("run")
    columns["measure"] = labels(pd.Index(source.measures), columns["measure"])
    columns["method"] = labels(pd.Index([one.label for one in methods]), columns["method"])
    ids: dict[Any, Any] = {name: labels(column, run) for name, column in source.runs.items()}
    frame = pd.DataFrame({**ids, **columns})
    frame.attrs.update(source.attrs)
    if draws:
        frame.attrs["confidence"] = confidence
    return frame


def _ranked(
    votes: Votes, methods: list[Measure], compat: str | None, weights: np.ndarray | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return (scores, ranks) of each method, both with a leading axis of resamples."""
    counted = votes.counted({column for one in methods for column in one.entry.columns}, weights)
    # win rates of scores are what is left of sums of them
    sizes: dict[str, Any] = {
        "value": votes.value,
        "wins": votes.rates if votes.value is None else len(votes.runs) * votes.value,
    }
    results = []
    for one in methods:
        entry = one.entry
        parameters = {**one.parameters, **entry.compat.get(str(compat), {})}
        kernel_score = entry.kernel(*(counted[column] for column in entry.columns), **parameters)
        score = _one_score_each(kernel_score, counted, one)
        if votes.name is not None:
            rank = ranks_by_name(score, votes.name)
        else:
            used = [sizes[column] for column in entry.columns if sizes.get(column) is not None]
            scale = max((float(np.nanmax(np.abs(size))) for size in used), default=1.0)
            rank = ranks(score, entry.tolerance * scale)
        results.append((score, rank))
    return results


def _one_score_each(score: Any, counted: dict[str, np.ndarray], method: Measure) -> np.ndarray:
    """Return what a kernel gave, or an error where that is not one score per run."""
    score = np.asarray(score, dtype=np.float64)
    first = counted[method.entry.columns[0]]
    wanted = (
        first.shape[:-1]
        if method.entry.columns[0] in ("net", "shared", "worst_first")
        else first.shape
    )
    if score.shape != wanted:
        raise ValueError(
            f"the ordering {method.label!r} gave an array of shape {score.shape} where {wanted} is needed: one score "
            "per run, with the leading axis of resamples kept. Reduce the last axis, e.g. with .sum(axis=-1)."
        )
    return score


def _resamples(
    cells: int, n_queries: int, n_runs: int, draws: int, seed: int | None
) -> Iterator[np.ndarray]:
    """Yield how often each query is drawn, in blocks that keep so many cells a resample besides those of all pairs."""
    rng = np.random.default_rng(seed)
    size = max(1, 4 * BLOCK // (2 * n_runs**2 + cells))
    for start in range(0, draws, size):
        yield rng.multinomial(
            n_queries, np.full(n_queries, 1 / n_queries), size=min(size, draws - start)
        )


def _check(source: Any) -> None:
    if not isinstance(source, cube.Scores) and not hasattr(source, "blocks"):
        raise TypeError(f"order() needs scores or preferences; it got {type(source).__name__}.")
    n_runs = len(source.runs)
    if n_runs < 2:
        raise TooFew(
            f"an ordering needs at least two runs; there is {n_runs}: {run_labels(source.runs)}."
        )
    if len(source.queries) == 0:
        raise TooFew("an ordering needs at least one query; there is none.")
    if not isinstance(source, cube.Scores):
        check_pairs(source)


def _ordered_with_machine(
    source: Any, *, method: object, confidence: float, **options: Any
) -> pd.DataFrame:
    """Return the runs of a cube with machine labels in order."""
    only = "mean" if isinstance(source, cube.Scores) else "winrate"
    if method not in (None, only, [only], (only,)):
        what = "scores" if only == "mean" else "preferences"
        raise ValueError(
            f"method={method!r}: with machine labels {what} are ordered by method={only!r} alone."
        )
    scores = source if isinstance(source, cube.Scores) else win_rates_of(source)
    parts = [
        _with_machine(scores, number, only, confidence, **options)
        for number in range(len(scores.measures))
    ]
    frame = cube.stacked(parts)
    frame.attrs.update({**scores.attrs, "confidence": confidence})
    return frame


def win_rates_of(preferences: cube.Preferences) -> cube.Scores:
    """Return the win rates of runs by both kinds of labels, as scores: sums of preferences over all opponents."""
    check_pairs(preferences)
    by_machine = replace(preferences, values=np.asarray(preferences.machine), machine=None)
    measures, queries, runs = (
        len(preferences.measures),
        len(preferences.queries),
        len(preferences.runs),
    )
    rates = np.empty((2, measures, queries, runs))
    for side, values in enumerate((preferences, by_machine)):
        for number in range(measures):
            blocks = decided(values, number)
            sums, met, _ = sum_preferences(
                blocks, preferences.a, preferences.b, queries=queries, runs=runs
            )
            rates[side, number] = np.where(met > 0, sums, np.nan)
    return cube.Scores(
        preferences.runs,
        preferences.queries,
        preferences.measures,
        rates[0],
        np.ones(measures, dtype=bool),
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
        ends = rank_interval(ranks(sign * drawn, tolerance), confidence)
        part |= dict(zip(("rank_low", "rank_high"), ends[:, row]))
    low, high = made.interval(confidence)
    return pd.DataFrame({**part, "score_low": low[row], "score_high": high[row]})


def _resampled(
    scores: cube.Scores, number: int, draws: int, seed: int | None, progress: bool | None
) -> Iterator[np.ndarray]:
    """Yield estimates of all runs, (draws, runs), from queries drawn anew, those of people and the others apart."""
    people, judge = scores.values[number], np.asarray(scores.machine)[number]
    n_runs = people.shape[1]
    labelled = (~np.isnan(people)).any(axis=1)
    strata = np.flatnonzero(labelled), np.flatnonzero(~labelled)
    steps = chunks(draws, seed)
    title = f"bootstrap {scores.measures[number]}"
    width = max(1, CELLS // people.size)
    for size, child in track(steps, total=len(steps), desc=title, progress=progress):
        rng = np.random.default_rng(child)
        drawn = np.concatenate(
            [stratum[rng.integers(0, len(stratum), (len(stratum), size))] for stratum in strata]
        )
        for first in range(0, size, width):
            # every run of a resample is a column: (queries, resamples x runs)
            picked = drawn[:, first : first + width]
            chance = (
                None
                if scores.probability is None
                else np.repeat(scores.probability[picked], n_runs, axis=1)
            )
            human, machine = (values[picked].reshape(len(picked), -1) for values in (people, judge))
            yield powered(human, machine, probability=chance).mean.reshape(picked.shape[1], n_runs)


@dataclass(frozen=True)
class Standing:
    """Runs ordered by several measures: `score` and `rank` have one row per (measure, method), one column per run."""

    keys: list[tuple[str, str]]
    queries: np.ndarray
    score: np.ndarray
    rank: np.ndarray

    def columns(self, key: np.ndarray) -> dict[str, Any]:
        """Return the measure and method columns of some keys."""
        names = zip(("measure", "method"), zip(*self.keys))
        return {name: labels(pd.Index(values), key) for name, values in names}


def standing(
    judged: Judged,
    measures: object,
    *,
    method: Method | Sequence[Method] | None = None,
    tell: bool = True,
) -> Standing:
    """Return how the runs of a join stand by each measure and method.

    Parameters
    ----------
    measures : name or names
        Measures of one ranking, ordered by their mean, and preferences, ordered by their win rates.
    method : str or list of str, optional
        Another way to order; see `pdeval.orderings.order.order`.
    tell : bool
        Warn where judged queries are missing from a run.

    Examples
    --------
    >>> import pdeval
    >>> found = standing(pdeval.datasets.sample_judged(topics="common"), ["AP", "RPP"])
    >>> found.keys, found.rank.shape
    ([('AP', 'mean'), ('RPP', 'winrate')], (2, 12))
    """
    requested = parse_all(measures)
    frame = of_judged(judged, requested, method=method, tell=tell)
    keys = list(dict.fromkeys(zip(frame["measure"].astype(str), frame["method"].astype(str))))
    runs = judged.runs
    # rows of the frame come key by key; runs are put back in the order of the join
    place = {run: number for number, run in enumerate(runs.itertuples(index=False, name=None))}
    run = np.array(
        [place[one] for one in frame[list(runs.columns)].itertuples(index=False, name=None)]
    )
    row = np.repeat(np.arange(len(keys)), len(place))
    score, rank = np.empty((2, len(keys), len(place)))
    score[row, run], rank[row, run] = frame["score"], frame["rank"]
    count = {one.label: int(judged.counted(one.level).any(axis=1).sum()) for one in requested}
    return Standing(keys, np.array([count[measure] for measure, _ in keys]), score, rank)
