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
from pdeval.evaluate.scores import scores
from pdeval.evaluate.sources import Averaged, Held, Source, sources
from pdeval.join.judged import Judged
from pdeval.orderings import with_machine
from pdeval.orderings.methods import Method, chosen, orderings
from pdeval.orderings.votes import BLOCK, Votes, check_pairs, ranks, ranks_by_name, votes_of
from pdeval.tables.labels import labels, run_labels
from pdeval.tables.reader import Table, numbers
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import TooFew
from pdeval.verbs.progress import track
from pdeval.verbs.registry import listed_in_docs

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
    held: Held,
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
    options: dict[str, Any] = {"method": method, "draws": draws, "confidence": confidence, "seed": seed}
    options["progress"] = progress
    arguments.whole("draws", draws, 0)
    arguments.share("confidence", confidence)
    arguments.seed(seed)
    if compat not in (None, "pref_eval"):
        raise ValueError(f"compat={compat!r} is not an ordering's; it is None or 'pref_eval'.")
    if isinstance(held, Judged):
        return of_judged(held, measures, compat=compat, **options)
    if isinstance(held, Averaged):
        compat = compat or held.compat  # type: ignore[assignment]
    try:
        found = sources(held, measures, machine=True)
    except KeyError:
        _not_orderings(measures)
        raise
    if getattr(found[0], "machine", None) is not None:
        if compat:
            raise ValueError(f"compat={compat!r} orders by one value a query; leave it out with machine labels.")
        return with_machine.ordered(found[0], **options)
    if compat and isinstance(held, Table):
        options["queries"] = as_they_stand(held.column("query"), found[0].queries)
    rates = [isinstance(one, WinRates) for one in found]
    return cube.stacked([ordered(one, winrates=own, compat=compat, **options) for one, own in zip(found, rates)])


def as_they_stand(column: pd.Series, queries: pd.Index) -> np.ndarray:
    """Return the places of the queries in the order in which a column first names them.

    Examples
    --------
    >>> as_they_stand(pd.Series(["q9", "q1", "q9"]), pd.Index(["q1", "q5", "q9"])).tolist()
    [2, 0, 1]
    """
    named = {str(one): place for place, one in enumerate(pd.unique(column.astype(object)))}
    place = [named.get(str(one), len(named)) for one in queries.astype(object)]
    return np.argsort(place, kind="stable")


def _of_judgments(judged: Judged, level: float | None, queries: pd.Index) -> np.ndarray | None:
    """Return the places of the queries in the order of their first relevant item in the judgments."""
    if judged.positions.source is None:
        return None
    qrels = judged.positions.source[1]
    grade, least = numbers(qrels.column("grade"), "judgments' grade"), judged.level if level is None else level
    relevant = grade > 0 if least is None else (grade >= least) & (grade > 0)
    return as_they_stand(qrels.column("query")[relevant], queries)


def of_judged(
    judged: Judged, measures: object, *, compat: str | None = None, tell: bool = True, **options: Any
) -> pd.DataFrame:
    """Return the runs of a join in order; `tell` warns where judged queries are missing from a run."""
    positions = judged.positions
    if compat == "pref_eval" or positions.rules.get("compat") == "pref_eval":  # its arithmetic too
        compat = "pref_eval"
        judged = judged.on(replace(positions, rules={**positions.rules, "compat": compat}))
    asked = parse_all(("RPP",) if measures is None else measures)
    _not_orderings(asked)
    parts: list[pd.DataFrame] = []
    for measure in asked:
        source = _source(judged, measure, tell=tell and not parts)
        queries = _of_judgments(judged, measure.level, source.queries) if compat else None
        rates = isinstance(source, WinRates)
        parts.append(ordered(source, winrates=rates, compat=compat, queries=queries, **options))
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
    methods = chosen(method, has_values=isinstance(source, cube.Scores) and not winrates)
    higher = source.higher if isinstance(source, cube.Scores) else np.ones(len(source.measures), dtype=bool)
    texts = run_labels(source.runs)
    place = np.argsort(np.array(texts, dtype=object), kind="stable")[::-1].argsort() if compat else None
    parts = []
    for m, measure in enumerate(source.measures):
        votes = votes_of(source, m, winrates=winrates, name=place, queries=queries)
        found = _ranked(votes, methods, compat)
        again = []
        if draws:
            each = 1 + len(source.runs) * any("worst_first" in one.entry.columns for one in methods)
            resamples = _resamples(each * len(source.queries), len(source.queries), len(source.runs), draws, seed)
            blocks = track(resamples, desc=f"bootstrap {measure}", progress=progress)
            again = [_ranked(votes, methods, compat, weights) for weights in blocks]
        for k, one in enumerate(methods):
            score, rank = found[k][0][0], found[k][1][0]
            row = np.argsort(rank, kind="stable")
            part = {"run": votes.runs[row], "measure": np.full(len(row), m), "method": np.full(len(row), k)}
            sign = 1.0 if higher[m] or one.entry.name != "mean" else -1.0  # the mean goes back to its own unit
            part |= {"score": sign * score[row], "rank": rank[row]}
            if draws:
                tails = [(1 - confidence) / 2, (1 + confidence) / 2]
                drawn = np.concatenate([block[k][1] for block in again])
                ends = np.quantile(drawn, tails, axis=0, method="inverted_cdf")
                part |= dict(zip(("rank_low", "rank_high"), ends[:, row].astype(np.int64)))
            if draws and scores:
                drawn = np.concatenate([block[k][0] for block in again])
                part |= dict(zip(("score_low", "score_high"), np.nanquantile(sign * drawn, tails, axis=0)[:, row]))
            parts.append(part)
    whole: dict[str, Any] = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    run = whole.pop("run")
    whole["measure"] = labels(pd.Index(source.measures), whole["measure"])
    whole["method"] = labels(pd.Index([one.label for one in methods]), whole["method"])
    ids: dict[Any, Any] = {name: labels(column, run) for name, column in source.runs.items()}
    frame = pd.DataFrame({**ids, **whole})
    frame.attrs.update(source.attrs)
    if draws:
        frame.attrs["confidence"] = confidence
    return frame


def _ranked(
    votes: Votes, methods: list[Measure], compat: str | None, weights: np.ndarray | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return (scores, ranks) of each method, both with a leading axis of resamples."""
    given = votes.counted({column for one in methods for column in one.entry.columns}, weights)
    out = []
    for one in methods:
        entry = one.entry
        parameters = {**one.parameters, **entry.compat.get(str(compat), {})}
        score = _one_score_each(entry.kernel(*(given[column] for column in entry.columns), **parameters), given, one)
        if votes.name is not None:
            out.append((score, ranks_by_name(score, votes.name)))
            continue
        # win rates of scores are what is left of sums of them
        runs = len(votes.runs)
        sizes = {"value": votes.value, "wins": votes.rates if votes.value is None else runs * votes.value}
        used = [sizes[column] for column in entry.columns if column in sizes]
        scale = max((float(np.nanmax(np.abs(size))) for size in used if size is not None), default=1.0)
        out.append((score, ranks(score, entry.tolerance * scale)))
    return out


def _one_score_each(score: Any, given: dict[str, np.ndarray], method: Measure) -> np.ndarray:
    """Return what a kernel gave, or an error where that is not one score per run."""
    score = np.asarray(score, dtype=np.float64)
    first = given[method.entry.columns[0]]
    wanted = first.shape[:-1] if method.entry.columns[0] in ("net", "shared", "worst_first") else first.shape
    if score.shape != wanted:
        raise ValueError(
            f"the ordering {method.label!r} gave an array of shape {score.shape} where {wanted} is needed: one score "
            "per run, with the leading axis of resamples kept. Reduce the last axis, e.g. with .sum(axis=-1)."
        )
    return score


def _resamples(cells: int, n_queries: int, n_runs: int, draws: int, seed: int | None) -> Iterator[np.ndarray]:
    """Yield how often each query is drawn, in blocks that keep so many cells a resample besides those of all pairs."""
    rng = np.random.default_rng(seed)
    size = max(1, 4 * BLOCK // (2 * n_runs**2 + cells))
    for start in range(0, draws, size):
        yield rng.multinomial(n_queries, np.full(n_queries, 1 / n_queries), size=min(size, draws - start))


def _check(source: Any) -> None:
    if not isinstance(source, cube.Scores) and not hasattr(source, "blocks"):
        raise TypeError(f"order() needs scores or preferences; it got {type(source).__name__}.")
    n_runs = len(source.runs)
    if n_runs < 2:
        raise TooFew(f"an ordering needs at least two runs; there is {n_runs}: {run_labels(source.runs)}.")
    if len(source.queries) == 0:
        raise TooFew("an ordering needs at least one query; there is none.")
    if not isinstance(source, cube.Scores):
        check_pairs(source)


@dataclass(frozen=True)
class Standing:
    """Runs ordered by several measures: `score` and `rank` have one row per (measure, method), one column per run."""

    keys: list[tuple[str, str]]
    queries: np.ndarray
    score: np.ndarray
    rank: np.ndarray

    def columns(self, key: np.ndarray) -> dict[str, Any]:
        """Return the measure and method columns of some keys."""
        found = {}
        for name, values in zip(("measure", "method"), zip(*self.keys)):
            found[name] = labels(pd.Index(values), key)
        return found


def standing(
    judged: Judged, measures: object, *, method: Method | Sequence[Method] | None = None, tell: bool = True
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
    asked = parse_all(measures)
    frame = of_judged(judged, asked, method=method, tell=tell)
    keys = list(dict.fromkeys(zip(frame["measure"].astype(str), frame["method"].astype(str))))
    runs = judged.runs
    place = {run: number for number, run in enumerate(runs.itertuples(index=False, name=None))}
    run = np.array([place[one] for one in frame[list(runs.columns)].itertuples(index=False, name=None)])
    row = np.repeat(np.arange(len(keys)), len(place))
    score, rank = np.empty((2, len(keys), len(place)))
    score[row, run], rank[row, run] = frame["score"], frame["rank"]
    count = {one.label: int(judged.counted(one.level).any(axis=1).sum()) for one in asked}
    return Standing(keys, np.array([count[measure] for measure, _ in keys]), score, rank)
