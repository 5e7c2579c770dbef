"""Preferences between systems: means over queries, their best, average and worst cases, and win rates."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse, parse_all
from pdeval.evaluate.cube import (
    Preferences,
    Scores,
    described_frame,
    mean_and_sd,
    pair_columns,
    stacked,
)
from pdeval.evaluate.cube_sources import ScoresLike, as_preferences, sources
from pdeval.evaluate.pairs import CELLS, Pairs, lexicographic, select
from pdeval.evaluate.run_selection import baselines_of
from pdeval.evaluate.scores import Views, add_populations, attributes, check_populations, cube_of
from pdeval.join import Block, Judged
from pdeval.kernels.preferences import weights
from pdeval.kernels.primitives import closer, total
from pdeval.tables import begins_along, firsts, labels, lasts, repeated, run_labels, signs, table
from pdeval.verbs import short_repr, verb

table(
    "means",
    "run_a run_b measure n:int mean:float sd:float",
    "table of mean preferences",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    then=".report(), .plot()",
    means={"mean": "positive where run_a is the better one"},
)


@verb(on="preferences", returns="means", name="summary", core=True, per_measure="padded")
def mean_preferences(
    data: ScoresLike, measures: object = ("RPP",), *, baseline: object = None
) -> pd.DataFrame:
    """Return the mean preference of each pair of runs over the queries.

    Parameters
    ----------
    baseline : run, or list of them, optional
        Compare each run only with this one, or with each of these.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(queries="common").prefer("RPP").ireval.summary().head(2).round(3)
      run_a     run_b measure   n   mean     sd
    0  bm25  bm25+rm3     RPP  48 -0.080  0.473
    1  bm25  dense-s1     RPP  48 -0.356  0.496
    """
    return stacked([mean_of_pairs(one) for one in preferences(data, measures, baseline=baseline)])


def preferences(
    data: ScoresLike, measures: object, *, baseline: object = None
) -> list[Preferences | Pairs]:
    """Return the preferences of a table or a join, of all pairs or of those with a baseline."""
    if isinstance(data, Judged):
        return [select(data, measures, baseline=baseline)]
    cubes = sources(data, measures)
    paired = [cube for cube in cubes if not isinstance(cube, Scores)]
    if len(paired) < len(cubes):
        return [as_preferences(cubes, baseline=baseline)]
    if baseline is None:
        return list(paired)
    return [cube if isinstance(cube, Pairs) else with_baseline(cube, baseline) for cube in paired]


def with_baseline(source: Preferences, baseline: object) -> Preferences:
    """Return the pairs of a table with one of the baselines, which is then run_b."""
    rows = baselines_of(source.runs, baseline)
    place = np.full(
        len(source.runs), len(rows)
    )  # of each run among the baselines, after them if it is none
    place[rows] = np.arange(len(rows))
    best = np.minimum(place[source.a], place[source.b])
    kept = np.argsort(best, kind="stable")[: np.count_nonzero(best < len(rows))]
    a, b, values = source.a[kept], source.b[kept], source.values[:, :, kept]
    turned = place[a] < place[b]
    return replace(
        source,
        a=np.where(turned, b, a),
        b=np.where(turned, a, b),
        values=np.where(turned, 0.0 - values, values),
    )


def mean_of_pairs(source: Preferences | Pairs) -> pd.DataFrame:
    """Return the mean of each pair of a cube or a stream of preferences."""
    part = np.zeros((3, len(source.measures), len(source.a)))
    if isinstance(source, Preferences):  # all measures at once
        for at in np.flatnonzero(np.isinf(source.values).any(axis=(1, 2))):
            _check_finite(source.values[at], source.measures[at])
        part[:] = mean_and_sd(source.values)
    else:
        for number, label in enumerate(source.measures):
            for block, values in source.blocks(number):
                _check_finite(values, label)
                part[:, number, block] = mean_and_sd(values)
    # measure by measure, all pairs of each
    n, average, sd = part.reshape(3, -1)
    measure, pair = np.divmod(np.arange(len(n)), max(len(source.a), 1))
    return described_frame(
        {
            **pair_columns(source.runs, source.a[pair], source.b[pair], labels),
            "measure": labels(pd.Index(source.measures), measure),
            "n": n.astype(np.int64),
            "mean": average,
            "sd": sd,
        },
        source.attrs,
    )


def _check_finite(values: np.ndarray, measure: str) -> None:
    if n_infinite := int(np.isinf(values).sum()):
        raise ValueError(
            f"{measure!r} has {n_infinite:,} infinite preferences, which have no mean, because one run did not "
            "retrieve the item. Use a measure with a finite worst value."
        )


@verb(on=("preferences", "judged"), returns="matrix")
def matrix(data: ScoresLike, measure: object = None) -> pd.DataFrame:
    """Return the mean preference of row over column as a square frame, antisymmetric.

    Parameters
    ----------
    measure : str or Measure, optional
        Measure to show; by default RPP for runs, and for a preferences table its only measure.

    Examples
    --------
    >>> import pdeval
    >>> prefs = pdeval.datasets.sample_judged(queries="common").prefer("RPP")
    >>> prefs.ireval.matrix().iloc[:2, :3].round(3)
    run_b     bm25  bm25+rm3  dense-s1
    run_a
    bm25      0.00     -0.08    -0.356
    bm25+rm3  0.08      0.00    -0.286
    """
    if isinstance(data, Judged):
        source, measure = preferences(data, ["RPP" if measure is None else measure])[0], None
    else:
        source = preferences(data, None)[0]
    names = list(source.measures)
    if measure is None and len(names) > 1:
        raise ValueError(
            f"a matrix shows one measure; the table has {', '.join(names)}. Specify it, e.g. matrix({names[0]!r})."
        )
    label = names[0] if measure is None else str(measure)
    if label not in names:
        raise KeyError(
            f"no measure {short_repr(measure)} in this table; it has {', '.join(map(repr, names))}."
        )
    square = np.full((len(source.runs), len(source.runs)), np.nan)
    np.fill_diagonal(square, 0.0)
    for block, values in source.blocks(names.index(label)):
        _check_finite(values, label)
        with np.errstate(invalid="ignore"):
            average = np.nansum(values, axis=0) / (~np.isnan(values)).sum(axis=0)
        a, b = source.a[block], source.b[block]
        square[a, b] = average
        square[b, a] = 0.0 - average
    runs = pd.Index(run_labels(source.runs))
    return described_frame(
        pd.DataFrame(square, index=runs.rename("run_a"), columns=runs.rename("run_b")),
        {**source.attrs, "measure": label},
    )


class WinRates(Scores):
    """Scores that are win rates: the sum of the preferences of a run over all other runs."""


def direct(measure: Measure) -> bool:
    """Return whether the win rates of a measure can be computed by ranking the runs, without forming pairs.

    Examples
    --------
    >>> import pdeval
    >>> [direct(pdeval.parse(name)) for name in ("RPP", "sgnLP", "rrLP")]
    [True, True, False]
    """
    return measure.entry.family == "metric" or measure.entry.path in (
        "recall-paired",
        "first",
        "last",
    )


def won(values: np.ndarray) -> np.ndarray:
    """Return, along the last axis, the number of larger values minus the number of smaller values.

    Examples
    --------
    >>> won(np.array([3.0, 1.0, 3.0])).tolist()
    [-1.0, 2.0, -1.0]
    """
    order = np.argsort(values, axis=-1, kind="stable")
    # begins[i]: value i in sorted order differs from the one before; so do the first and the last of a stretch
    begins = begins_along(np.take_along_axis(values, order, axis=-1))
    smaller, larger = firsts(begins), values.shape[-1] - 1 - lasts(begins)
    result = np.empty(values.shape)
    np.put_along_axis(result, order, (larger - smaller).astype(np.float64), axis=-1)
    return result


def of_measure(views: Views, measure: Measure) -> np.ndarray:
    """Return the sum of the preferences of each run over all other runs on every topic, shape (topics, runs).

    Examples
    --------
    >>> import pdeval
    >>> rates = of_measure(Views(pdeval.datasets.sample_judged()), pdeval.parse("RPP"))
    >>> bool(abs(rates.sum()) < 1e-9)
    True
    """
    entry = measure.entry
    if entry.family == "metric":
        # the sum of the differences of each run to all other runs
        values = views.values(measure) * (1.0 if measure.higher else -1.0)
        lost = np.isinf(values)
        finite = np.where(lost, 0.0, values)
        rates = finite.shape[1] * finite - finite.sum(axis=1, keepdims=True)
        # a run that did not retrieve the item loses infinitely to runs that did, and ties with runs that did not
        mixed = lost.any(axis=1, keepdims=True) & ~lost.all(axis=1, keepdims=True)
        endless = -np.where(lost, values, 0.0).sum(axis=1, keepdims=True)
        return np.where(mixed, np.where(lost, values, endless), rates)

    def evaluate(block: Block) -> np.ndarray:
        if entry.path in ("first", "last"):
            return won(lexicographic(block["rank"], entry.path))
        weight = weights(measure.parameters.get("weight", entry.weight), block.size)
        return total(weight[:, None, None] * won(block["rank"]))

    result = np.zeros(views.positions.retrieved.shape)
    add_populations(result, views, measure, evaluate)
    return result


def win_rates(judged: Judged, measures: object, *, warn: bool = True) -> WinRates:
    """Return the win rates of every run on every query, as scores.

    Examples
    --------
    >>> import pdeval
    >>> win_rates(pdeval.datasets.sample_judged(queries="common"), "RPP").values.shape
    (1, 48, 12)
    """
    requested = parse_all(measures)
    views = Views(judged)
    for measure in requested:
        if not direct(measure):
            raise ValueError(
                f"win rates of {measure} need its pairs: use .ireval.prefer(qrels, {str(measure)!r})."
            )
        counts = views.counted(measure)
        if not (counts.all(axis=1) == counts.any(axis=1)).all():
            raise ValueError(
                f"with queries={judged.query_rule!r} runs count on different queries; win rates need the same ones."
            )
    check_populations(judged.positions, requested)

    def compute(judged: Judged) -> np.ndarray:
        views = Views(judged)
        return np.stack([of_measure(views, measure) for measure in requested], axis=1)

    # weights of grades by name may be those of grades that no other topic has
    by_topic = all(
        measure.entry.family == "preference"
        and measure.entry.population != "subtopics"
        and isinstance(measure.parameters.get("grades", ""), str)
        for measure in requested
    )
    rates = judged.per_topic(("win rates", *requested), compute) if by_topic else compute(judged)
    cube = cube_of(views, requested, rates.swapaxes(0, 1), warn=warn)
    # more wins are better, whatever the measure
    return WinRates(**{**vars(cube), "higher": np.ones(len(requested), dtype=bool)})


table(
    "best_average_worst",
    "run_a run_b n:int best:float best_rr:float average:float worst:float "
    "best_average:fraction average_worst:fraction best_worst:fraction",
    "table of best, average and worst cases",
    row="pair of runs",
    sort="run_a run_b",
    then=".report()",
    means={
        "best": "mean of sgnLP: who serves the user who is easiest to satisfy",
        "best_rr": "mean of rrLP: by how much, in reciprocal ranks",
        "average": "mean of RPP, or of the requested preference: the mean over users",
        "worst": "mean of sgnLR: who serves the user who wants every relevant item",
        "best_average": "share of queries where best and average case name opposite winners",
        "average_worst": "share of queries where average and worst case name opposite winners",
        "best_worst": "share of queries where best and worst case name opposite winners",
    },
    no_plot="draw two of its preferences: .prefer(['sgnLP', 'RPP']) and .plot.difference_scatter()",
)
table(
    "best_average_worst_by_query",
    "query run_a run_b best:float best_rr:float average:float worst:float decided_first:int decided_last:int "
    "disagree:bool",
    "table of best, average and worst cases of queries",
    row="query and pair of runs",
    sort="query run_a run_b",
    means={
        "best": "sgnLP: who serves the user who is easiest to satisfy",
        "best_rr": "rrLP: by how much, in reciprocal ranks",
        "average": "RPP, or the requested preference: the mean over users",
        "worst": "sgnLR: who serves the user who wants every relevant item",
        "decided_first": "the lowest recall level where the rankings differ, 0 if none: it decides the best case",
        "decided_last": "the highest recall level where the rankings differ, 0 if none: it decides the worst case",
        "disagree": "whether two of the three cases name opposite winners",
    },
    no_report="it has a row per query",
    no_plot="draw two of its preferences: .prefer(['sgnLP', 'RPP']) and .plot.difference_scatter()",
)


@verb(on="judged", returns=("best_average_worst", "best_average_worst_by_query"), needs="judged")
def best_average_worst(
    judged: Judged,
    average: object = "RPP",
    *,
    per: Literal["pair", "query"] = "pair",
    baseline: object = None,
    pairs: object = None,
) -> pd.DataFrame:
    """Return the best, the average and the worst case of every pair of runs, and where they disagree.

    The best case is the user who is easiest to satisfy (lexicographic precision, sgnLP and rrLP). The worst case is the
    user who wants all relevant items (lexicographic recall, sgnLR). RPP is the mean over users. All are positive if
    run_a is better. A run may be better for the average user and worse for another user.

    Parameters
    ----------
    average : str or Measure
        Preference (or measure) of the average case.
    per : {'pair', 'query'}
        Whether rows are pairs, with means over queries, or queries and pairs.
    baseline : run, or list of them, optional
        Only pairs of a run with this one, which is then run_b.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.best_average_worst(baseline="bm25").iloc[:2, :7].round(3)
          run_a run_b   n   best  best_rr  average  worst
    0  bm25+rm3  bm25  48 -0.042   -0.021    0.080  0.208
    1  dense-s1  bm25  48  0.333    0.113    0.356  0.625

    On some queries one run is better in the best case and the other in the worst case.

    >>> result = judged.best_average_worst(per="query", pairs=[("hybrid", "bm25")])
    >>> result[["query_id", "best", "average", "worst", "decided_first", "decided_last", "disagree"]].head(2).round(3)
      query_id  best  average  worst  decided_first  decided_last  disagree
    0      101   1.0    0.684    1.0              3            11     False
    1      102  -1.0    0.064    1.0              1            31      True
    """
    names = {"best": "sgnLP", "best_rr": "rrLP", "average": average, "worst": "sgnLR"}
    requested = {name: parse(measure) for name, measure in names.items()}
    source = select(judged, list(requested.values()), baseline=baseline, pairs=pairs)
    values_of = dict(zip(source.measures, source.cube().values))
    values = {name: values_of[measure.label] for name, measure in requested.items()}
    sign = {
        name: signs(values[name], 1.0) for name in ("best", "average", "worst")
    }  # preferences have size 1
    opposed = {
        f"{first}_{second}": sign[first] * sign[second] < 0
        for first, second in (("best", "average"), ("average", "worst"), ("best", "worst"))
    }
    known = ~np.isnan(values["best"])
    if per == "pair":
        n = known.sum(axis=0)
        divisor = np.where(n > 0, n, np.nan)
        columns: dict[str, Any] = {
            **pair_columns(source.runs, source.a, source.b),
            "n": n,
            **{
                name: np.where(known, value, 0.0).sum(axis=0) / divisor
                for name, value in values.items()
            },
            **{name: (mask & known).sum(axis=0) / divisor for name, mask in opposed.items()},
        }
    else:
        query, pair = np.nonzero(known)
        first, last = _deciding(judged, source.a, source.b)
        columns = {
            str(source.queries.name): repeated(source.queries, query),
            **pair_columns(source.runs, source.a[pair], source.b[pair]),
            **{name: value[query, pair] for name, value in values.items()},
            "decided_first": first[source.kept][query, pair],
            "decided_last": last[source.kept][query, pair],
            "disagree": np.logical_or.reduce(list(opposed.values()))[query, pair],
        }
    return described_frame(columns, attributes(judged, source.requested))


def _deciding(judged: Judged, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and the highest recall level at which rankings differ, 0 if none, (topics, pairs) each."""
    first, last = (np.zeros((len(judged.queries), len(a)), dtype=np.int64) for _ in range(2))
    for block in Views(judged).blocks("binary", judged.level):
        if block.size == 0:
            continue
        rank = block["rank"]
        step = max(CELLS // (block.size * block.shape[0]), 1)
        for at in range(0, len(a), step):
            part = slice(at, at + step)
            differ = closer(rank[..., a[part]], rank[..., b[part]]) != 0
            decided = differ.any(axis=0)
            first[block.topics, part] = np.where(decided, differ.argmax(axis=0) + 1, 0)
            last[block.topics, part] = np.where(
                decided, block.size - differ[::-1].argmax(axis=0), 0
            )
    return first, last
