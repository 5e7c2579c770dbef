"""Meta-evaluation of judges: do their labels lead to the same conclusions about systems as human labels?

The same runs are evaluated with the human judgments and with those of each judge, on comparable queries: orderings,
scores, significant differences, and the grades of the items that each run returned. The same for human assessors, whose
judgments are swapped: orderings of the runs under the judgments of different assessors (Voorhees 2000).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import chain
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.evaluate import MEASURES, all_pairs, attributes, described_frame, run_columns
from pdeval.join import (
    Compat,
    Judged,
    Judgments,
    Positions,
    QueryRule,
    Ties,
    checked_level,
    read_judgments,
)
from pdeval.join.positions import join
from pdeval.judgments.labels import coded, given, grades_of, query_column
from pdeval.judgments.pools import pooled
from pdeval.kernels.primitives import share
from pdeval.orderings.coefficients import rbo, tau_ap, tau_b
from pdeval.orderings.order import RunOrders, run_orders
from pdeval.significance.compare import compare
from pdeval.significance.corrections import Correction, JointCorrection, which_correction
from pdeval.significance.registry import (
    TESTS,
    direction,
    simultaneous,
    student_interval,
    student_test,
    which_test,
)
from pdeval.tables import Table, describe, kind_of, read, table
from pdeval.tables import labels as repeated
from pdeval.verbs import TooFew, listed_in_docs, track, verb

How = Literal["assessor", "draw"]
Per = Literal["item", "query"]


def swapped_qrels(
    labels: Table,
    *,
    how: How = "assessor",
    per: Per = "item",
    draws: int = 100,
    seed: int | None = 0,
    grades: Mapping[object, float] | None = None,
) -> Iterator[tuple[object, pd.DataFrame]]:
    """Yield (name, qrels): the judgments of each assessor, or of a random mix of assessors.

    Evaluate the same runs with each and compare the orderings: scores change much, orderings little (Voorhees 2000).

    Parameters
    ----------
    how : {'assessor', 'draw'}
        'assessor': one qrels per assessor with the labels of that assessor; the name is the assessor.
        'draw': `draws` qrels, each from assessors drawn at random; the name is 0, 1, ...
    per : {'item', 'query'}
        Unit for which an assessor is drawn. 'item': an assessor who labeled the (query, doc), so every qrels is
        complete. 'query': one assessor per query, as in TREC; items that the assessor did not label are unjudged.
    draws, seed : int
        Number of draws, and the seed of the generator.
    grades : mapping of label to number, optional
        Grade of each label; required if labels are not numbers.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["d", "d"], "assessor": ["ann", "bob"],
    ...                       "label": ["yes", "no"]})
    >>> for name, qrels in swapped_qrels(read(frame, "labels"), grades={"yes": 1, "no": 0}):
    ...     print(name, qrels.values.tolist())
    ann [['q', 'd', 1]]
    bob [['q', 'd', 0]]
    """
    query, doc, label = query_column(labels), labels.roles["doc"], labels.roles["label"]
    codes, assessors, _ = coded(labels)
    rows = given(labels)
    if rows.empty:
        count = len(labels.frame)
        raise ValueError(
            f"the label table has no labels: column {label!r} is missing in all {count:,} rows."
        )
    # lexsort: the last key, the item, is the primary one
    by_item = np.lexsort((codes.assessor, codes.item))
    qrels = rows[[query, doc]].assign(relevance=grades_of(rows[label], grades)).iloc[by_item]
    who = codes.assessor[by_item].astype(np.int64)
    if how == "assessor":
        for code, name in enumerate(assessors):
            yield name, qrels[who == code].reset_index(drop=True)
        return
    unit = (
        qrels.groupby(query, observed=True, sort=True).ngroup().to_numpy()
        if per == "query"
        else codes.item[by_item]
    )
    # one entry per (unit, assessor), sorted: a draw picks one entry of every unit
    entries, entry = np.unique(unit * len(assessors) + who, return_inverse=True)
    size = np.bincount(entries // max(len(assessors), 1))
    start = np.cumsum(size) - size
    rng = np.random.default_rng(seed)
    for number in range(draws):
        picked = start + (rng.random(len(start)) * size).astype(np.int64)
        yield number, qrels[picked[unit] == entry].reset_index(drop=True)


WHOSE = "assessor, or number of the draw"
TAU = "Kendall's tau-b of the two orderings; missing if one has no relevant item or ties all runs"
READ = "it is a table to read: one row per pair of orderings"


table(
    "swaps",
    "judgments_a:any judgments_b:any measure method runs:int tau_b:float",
    "orderings under swapped assessors",
    row="pair of sets of judgments, measure and method",
    sort="measure method judgments_a judgments_b",
    means={"judgments_a": WHOSE, "judgments_b": "assessor or draw compared with", "tau_b": TAU},
    no_report=READ,
    no_plot=READ,
)


table(
    "swaps_to_qrels",
    "judgments:any measure method runs:int tau_b:float",
    "orderings under swapped assessors against given judgments",
    row="set of judgments, measure and method",
    sort="measure method judgments",
    means={"judgments": WHOSE, "tau_b": TAU},
    no_report=READ,
    no_plot=READ,
)


table(
    "swapped_orders",
    "run measure method judgments:any score:float rank:int",
    "orders under swapped assessors",
    row="run, measure, method and set of judgments",
    sort="measure method judgments rank",
    means={"judgments": WHOSE},
    no_report="it has one order per set of judgments; report the taus or one of the orders",
    no_plot="it has one order per set of judgments; draw one of them",
)


@verb(on="runs", returns=("swaps", "swaps_to_qrels", "swapped_orders"), own="qrels")
def swap_assessors(
    runs: Table,
    labels: object,
    measures: object = ("AP",),
    *,
    qrels: object = None,
    orders: bool = False,
    how: How = "assessor",
    per: Per = "item",
    draws: int = 100,
    seed: int | None = 0,
    grades: Mapping[object, float] | None = None,
    method: str | Sequence[str] | None = None,
    level: float | None = None,
    queries: QueryRule = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    judged_only: bool = False,
    validate: bool = True,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return Kendall's tau-b of the orderings of the runs under the judgments of different assessors.

    The runs are joined once to all labeled items; each set of judgments only changes the grades.

    Parameters
    ----------
    labels : DataFrame or bound accessor
        One row per label: query, doc, assessor, label.
    measures : str, Measure, or list of them
        Measures of one ranking, or preferences (ordered by their win rates).
    qrels : DataFrame or bound accessor, optional
        Judgments to compare those of each assessor with; by default assessors are compared with each other.
    orders : bool
        Whether to return the orderings, one row per run and set of judgments.
    how : {'assessor', 'draw'}
        One set of judgments per assessor, with the labels of that assessor; or `draws` sets, each from assessors
        drawn at random.
    per : {'item', 'query'}
        Unit for which an assessor is drawn. 'item': an assessor who labeled the item, so every set is complete.
        'query': one assessor per query, as in TREC; items that the assessor did not label are unjudged.
    draws : int
        Number of sets of judgments to draw.
    method : str or list of str, optional
        Method that orders the runs, e.g. "borda" or "mc4"; by default the mean of a measure and the win rate of a
        preference.

    References
    ----------
    Voorhees 2000.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, metadata = pdeval.datasets.load_sample()
    >>> strict, lenient = (qrels.assign(label=(qrels["relevance"] >= least) * 1) for least in (2, 1))
    >>> labels = pd.concat([strict.assign(assessor="strict"), lenient.assign(assessor="lenient")])
    >>> runs.ireval.swap_assessors(labels, ["AP", "RR"], queries="common").round(3)
      judgments_a judgments_b measure method  runs  tau_b
    0     lenient      strict      AP   mean    12  0.970
    1     lenient      strict      RR   mean    12  0.818
    """
    table, level, parsed = read(labels, "labels"), checked_level(level), parse_all(measures)
    others = [] if qrels is None else [read(qrels, "qrels")]
    swapped = swapped_qrels(table, how=how, per=per, draws=draws, seed=seed, grades=grades)
    first = next(swapped, None)  # faults of the table come up here
    if first is None:
        raise ValueError(
            f"draws={draws!r} leaves no set of judgments to compare. Use draws=1 or more."
        )
    roles = {"query": table.roles["query"], "doc": table.roles["doc"], "grade": "relevance"}
    union = all_items([given(table)[[roles["query"], roles["doc"]]], *map(items_of_qrels, others)])
    judged = Judged(
        join(runs, union, ties=ties, compat=compat, judged_only=judged_only, validate=validate),
        level,
        queries,
    )

    def order_runs(judgments: Table, *, warn: bool = False) -> RunOrders | None:
        """Return the order of the runs under other judgments, or None if no item is relevant by them."""
        regraded_join = judged.on(regraded(judged.positions, read_judgments(judgments)))
        return (
            run_orders(regraded_join, parsed, method=method, warn=warn)
            if regraded_join.positions.relevant(level).any()
            else None
        )

    names: list[object] = []
    orderings: list[RunOrders | None] = []
    total = draws if how == "draw" else table.column("assessor").nunique()
    for name, part in track(
        chain([first], swapped), total=total, desc="swapping assessors", progress=progress
    ):
        names.append(name)
        orderings.append(order_runs(read(part, "qrels", roles), warn=not orderings))
    base = order_runs(others[0]) if others else None
    if not any(orderings) and (orders or base is None):
        raise ValueError(
            "no set of judgments has a relevant item, so there is nothing to order. Check level= and grades=."
        )
    columns = _orders(judged.runs, names, orderings) if orders else _taus(names, orderings, base)
    return described_frame(columns, attributes(judged, parsed))


def items_of_qrels(qrels: Table) -> pd.DataFrame:
    """Return the query and doc columns of judgments."""
    return qrels.frame[[qrels.roles["query"], qrels.roles["doc"]]]


def all_items(parts: Sequence[pd.DataFrame]) -> Table:
    """Return every (query, doc) of several frames as judgments, under the names of the first."""
    query, doc = parts[0].columns
    # ids of several types meet as objects
    renamed = [part.set_axis([query, doc], axis=1).astype(object) for part in parts[1:]]
    items = pd.concat([parts[0].astype(object), *renamed]).infer_objects() if renamed else parts[0]
    return read(
        items.drop_duplicates().assign(relevance=1),
        "qrels",
        {"query": query, "doc": doc, "grade": "relevance"},
    )


def regraded(positions: Positions, others: Judgments) -> Positions:
    """Return the positions under other judgments of the same items; items without a judgment there are unjudged.

    Examples
    --------
    >>> import pdeval
    >>> fewer = read_judgments(read(pdeval.datasets.sample_qrels().head(100).assign(relevance=1), "qrels"))
    >>> int(regraded(pdeval.datasets.sample_judged().positions, fewer).relevant().sum())
    100
    """
    judged = positions.judged
    topic = others.queries.probe(judged.queries)[others.topic].astype(np.int64)
    doc = others.docs.probe(judged.docs)[others.doc]
    # an item is (query, doc) as one number; -1 for what the join does not have
    key, wanted = judged.key(), topic * max(len(judged.docs), 1) + doc
    at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    known = (topic >= 0) & (doc >= 0) & (key[at] == wanted)
    grade = np.full(len(key), np.nan)
    grade[at[known]] = others.grade[known]
    changed = replace(judged, grade=np.nan_to_num(grade), subtopic=None)
    kept = replace(
        positions, judged=changed, top_grade=float(others.grade.max(initial=0.0))
    ).keep_items(~np.isnan(grade))
    has_judgments = np.zeros(len(positions.queries), dtype=bool)
    has_judgments[topic[known]] = True
    return kept if has_judgments.all() else kept.keep_topics(has_judgments)


def _orders(
    runs: pd.DataFrame, names: list[object], orderings: list[RunOrders | None]
) -> dict[str, Any]:
    """Return the columns of one row per run, measure, method and set of judgments that orders runs."""
    real = [one for one in orderings if one is not None]
    place = np.array([number for number, one in enumerate(orderings) if one is not None])
    score, rank = (
        np.stack([getattr(one, name) for one in real], axis=1) for name in ("score", "rank")
    )
    key, judgments, run = (axis.ravel() for axis in np.indices(rank.shape))
    by = np.lexsort((run, rank.ravel(), judgments, key))
    return {
        **run_columns(runs, run[by]),
        **real[0].columns(key[by]),
        "judgments": repeated(pd.Index(names), place[judgments[by]]),
        "score": score.ravel()[by],
        "rank": rank.ravel()[by].astype(np.int64),
    }


def _taus(
    names: list[object], orderings: list[RunOrders | None], base: RunOrders | None
) -> dict[str, Any]:
    """Return the columns of Kendall's tau-b of every two orderings, or of each with the base."""
    first = next(one for one in [*orderings, base] if one is not None)
    if base is None and len(orderings) < 2:
        raise ValueError(
            "there is only one set of judgments. Pass qrels= to compare it with, or labels of more assessors."
        )
    all_tied = np.zeros(first.rank.shape)
    ranks = np.stack([all_tied if one is None else one.rank for one in [*orderings, base]], axis=1)
    a, b = all_pairs(ranks.shape[2])
    sign = np.sign(ranks[..., a] - ranks[..., b])  # (keys, judgments, pairs of runs)
    untied = (sign**2).sum(axis=2)
    size = np.sqrt(untied[:, :, None] * untied[:, None, :])
    tau = np.where(size > 0, share(sign @ sign.transpose(0, 2, 1), size), np.nan)
    one, two = (
        all_pairs(len(names))
        if base is None
        else (np.arange(len(names)), np.full(len(names), len(names)))  # the last is the base
    )
    # one row per measure and method, and pair of sets of judgments
    key, pair = (axis.ravel() for axis in np.indices((len(tau), len(one))))
    sides = (
        {"judgments_a": one[pair], "judgments_b": two[pair]}
        if base is None
        else {"judgments": one[pair]}
    )
    return {
        **{name: repeated(pd.Index(names), place) for name, place in sides.items()},
        **first.columns(key),
        "runs": ranks.shape[2],
        "tau_b": tau[key, one[pair], two[pair]],
    }


Queries = Literal["common", "each", "all"]
VERDICTS = ("both", "opposed", "lost", "gained", "neither")
PEOPLE = "people"
MACHINE = "machine"  # name of a judge without a name


table(
    "judges",
    "judge:any measure method runs:int queries:int queries_machine:int tau_b:float tau_ap:float rbo:float top:int "
    "overlap_top:fraction tau_b_top:float difference:float difference_absolute:float pairs:int flipped:int "
    "both:int opposed:int lost:int gained:int fraction_significant:fraction "
    "fraction_significant_machine:fraction fraction_confirmed:fraction",
    "judges compared with human assessors",
    recognized_by="judge tau_b flipped lost gained fraction_confirmed",
    row="judge and measure",
    sort="judge measure method",
    then=".report(), .plot()",
    means={
        "judge": "name of the judge",
        "method": "method that orders the runs",
        "queries": "number of queries with the human judgments",
        "queries_machine": "number of queries with the judgments of the judge",
        "tau_b": "Kendall's tau-b of the orderings by the judge and by human assessors",
        "tau_ap": "AP correlation of the two orderings; errors at the top have most weight",
        "rbo": "rank-biased overlap of the two orderings",
        "top": "number of top runs of the next two columns",
        "overlap_top": "overlap of the top runs of the two orderings",
        "tau_b_top": "Kendall's tau-b over the top runs by human assessors; missing if one side ties them all",
        "difference": "mean over runs of the score by the judge minus the score by human assessors",
        "difference_absolute": "mean over runs of the absolute difference",
        "pairs": "number of pairs of runs",
        "flipped": "pairs that the judge puts in the opposite order, significantly or not",
        "both": "pairs that differ significantly by both, in the same direction",
        "opposed": "pairs that differ significantly by both, in opposite directions",
        "lost": "pairs that differ significantly only by human assessors",
        "gained": "pairs that differ significantly only by the judge",
        "fraction_significant": "fraction of the pairs that differ significantly by human labels",
        "fraction_significant_machine": "fraction of the pairs that differ significantly by the judge",
        "fraction_confirmed": "fraction of the pairs with a significant human difference that the judge confirms",
    },
)


table(
    "judge_scores",
    "judge:any run measure method human:float machine:float difference:float rank:int rank_machine:int moved:int",
    "scores by judges and by human assessors",
    recognized_by="judge human machine rank_machine moved",
    row="judge, run and measure",
    sort="judge measure method rank",
    then=".report(), .plot()",
    means={
        "judge": "name of the judge",
        "method": "method that orders the runs",
        "human": "score with the human judgments",
        "machine": "score with the judgments of the judge",
        "difference": "machine - human",
        "rank": "rank with the human judgments",
        "rank_machine": "rank with the judgments of the judge",
        "moved": "rank - rank_machine: positive if the judge ranks the run higher",
    },
)


table(
    "judge_pairs",
    "judge:any run_a run_b measure test human:float machine:float p_human:float p_machine:float flipped:bool "
    "conclusion",
    "pairs of runs by judges and by human assessors",
    recognized_by="judge run_a run_b p_human p_machine conclusion",
    row="judge, pair of runs and measure",
    sort="judge measure run_a run_b",
    then=".report()",
    means={
        "judge": "name of the judge",
        "human": "difference with the human judgments, positive if run_a is better",
        "machine": "difference with the judgments of the judge",
        "p_human": "adjusted p-value with the human judgments",
        "p_machine": "adjusted p-value with the judgments of the judge",
        "flipped": "whether the two tests favor opposite runs",
        "conclusion": "which differences are significant: 'both', 'opposed' if in opposite directions, 'lost' if "
        "only by human assessors, 'gained' if only by the judge, 'neither'",
    },
    no_plot="it is one row per pair; draw .judges() or .judges.scores()",
)


table(
    "judge_bias",
    "judge:any run n:int items:int higher:fraction lower:fraction bias:float favor:float ci_low:float ci_high:float "
    "p_value:float p_adjusted:float significant:bool",
    "bias of judges by run",
    recognized_by="judge higher lower bias favor",
    row="judge and run",
    sort="judge run",
    then=".report(), .plot()",
    means={
        "judge": "name of the judge",
        "n": "number of queries with an item of the run that both labeled",
        "items": "number of these items, down to the depth",
        "higher": "fraction of them that the judge grades higher than human assessors",
        "lower": "fraction of them that the judge grades lower",
        "bias": "mean grade by the judge minus the human grade: mean over queries of the mean over items",
        "favor": "bias minus the mean bias of all runs on the same query: positive if the judge favors the run",
        "ci_low": "lower limit of the interval of favor, simultaneous over runs if p-values are corrected",
        "ci_high": "upper limit",
        "p_value": "p-value of the t-test that favor is 0",
        "p_adjusted": "p-value corrected for the number of runs of the judge",
    },
)


@verb(on="runs", returns="judges", family="judges", grouped=False)
@listed_in_docs(tests=TESTS)
def judges(
    runs: Table,
    qrels: object,
    machine: object,
    measures: object = MEASURES,
    *,
    query_set: Queries | None = None,
    top: int = 10,
    p: float = 0.9,
    method: str | Sequence[str] | None = None,
    test: str | None = None,
    correction: JointCorrection | None = "auto",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int | None = 0,
    grades: Mapping[object, float] | None = None,
    scale: Sequence[float] | None = None,
    level: float | None = None,
    queries: QueryRule = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return the agreement of judges with human assessors: orderings, scores and significant differences.

    One row per judge and measure. A judge is a language model, a crowd, a rule or another assessor.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        Human judgments.
    machine : mapping of name to DataFrame, or DataFrame
        Judgments of the same queries by each judge: a mapping from the name of the judge, the table of one judge, or a
        table of labels (query, doc, assessor, label) in which each assessor is a judge. Items without a label of the
        judge are unjudged.
    measures : str, Measure, or list of them
        Measures of one ranking, or preferences.
    query_set : {'common', 'each', 'all'}, optional
        Queries to compare on if they differ: those of the human assessors and all judges; those of the human assessors
        and the judge in question; or all queries of each set of judgments. By default, different queries are an error.
    top : int
        Number of top runs for `overlap_top` and `tau_b_top`, plus runs tied with the last of them.
    p : float
        Persistence of RBO.
    method : str or list of str, optional
        Method that orders the runs; by default the mean of a measure and the win rate of a preference.
    test : str, optional
        Significance test of every pair of runs, with both sets of judgments:

        {tests}
    scale : list of numbers, optional
        Possible grades; by default the integers from the lowest to the highest human grade. Other grades of a judge are
        an error.

    References
    ----------
    Faggioli et al. (2023), Perspectives on large language models for relevance judgment; Moffat, Scholer and Thomas
    (2012), Models and metrics: IR evaluation as a user process, for pairs that two evaluations decide differently.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> strict = qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] > 1, 0))
    >>> hasty = qrels.assign(relevance=qrels["relevance"].where(qrels.index % 3 > 0, 0))
    >>> result = runs.ireval.judges(qrels, {"strict": strict, "hasty": hasty}, "AP", queries="common", top=5)
    >>> result[["judge", "measure", "tau_b", "tau_ap", "flipped", "lost", "gained", "fraction_confirmed"]].round(3)
        judge measure  tau_b  tau_ap  flipped  lost  gained  fraction_confirmed
    0   hasty      AP  0.939   0.952        2    15       0               0.667
    1  strict      AP  0.970   0.982        1     9       0               0.800
    """
    judged = JudgedTwice.of(locals())
    compared = judged.compared(
        test=test, correction=correction, alpha=alpha, draws=draws, seed=seed
    )
    rows = []
    for (pair, one, two), (_, human, other) in zip(judged.ordered(method), compared, strict=True):
        verdicts = verdicts_of(human, other, alpha)
        flipped = direction(human) * direction(other) < 0
        for key, (measure, how) in enumerate(one.keys):
            of_measure = (human["measure"].astype(str) == measure).to_numpy()
            difference = two.score[key] - one.score[key]
            rows.append(
                {
                    "judge": pair.judge,
                    "measure": measure,
                    "method": how,
                    "runs": one.rank.shape[1],
                    "queries": one.queries[key],
                    "queries_machine": two.queries[key],
                    **_rank_correlations(one.rank[key], two.rank[key], top, p),
                    "difference": float(np.mean(difference)),
                    "difference_absolute": float(np.mean(np.abs(difference))),
                    **_verdict_counts(verdicts[of_measure], flipped[of_measure]),
                }
            )
    return judged.described(
        pd.DataFrame(rows),
        alpha=alpha,
        correction=compared[0][1].attrs["correction"],
        query_set=query_set,
    )


def _rank_correlations(human: np.ndarray, other: np.ndarray, top: int, p: float) -> dict[str, Any]:
    """Return how similar two orderings are, from ranks."""
    first, second = human <= top, other <= top
    return {
        "tau_b": tau_b(-human, -other),
        "tau_ap": tau_ap(-human, -other),
        "rbo": rbo(-human, -other, p=p),
        "top": top,
        "overlap_top": float(2 * (first & second).sum() / (first.sum() + second.sum())),
        "tau_b_top": float(tau_b(-human[first], -other[first])) if first.sum() > 1 else np.nan,
    }


def _verdict_counts(verdicts: np.ndarray, flipped: np.ndarray) -> dict[str, Any]:
    """Return the counts of pairs, and the discriminative power under both."""
    both, opposed, lost, gained, _ = np.bincount(verdicts, minlength=len(VERDICTS))
    by_people = both + opposed + lost
    return {
        "pairs": len(verdicts),
        "flipped": int(flipped.sum()),
        "both": both,
        "opposed": opposed,
        "lost": lost,
        "gained": gained,
        "fraction_significant": by_people / len(verdicts),
        "fraction_significant_machine": (both + opposed + gained) / len(verdicts),
        "fraction_confirmed": float(share(both, by_people)) if by_people else np.nan,
    }


@verb(on="runs", returns="judge_scores", family="judges", name="scores", grouped=False)
def judge_scores(
    runs: Table,
    qrels: object,
    machine: object,
    measures: object = MEASURES,
    *,
    query_set: Queries | None = None,
    method: str | Sequence[str] | None = None,
    grades: Mapping[object, float] | None = None,
    scale: Sequence[float] | None = None,
    level: float | None = None,
    queries: QueryRule = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return the score and the rank of every run with the human judgments and with those of each judge.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        Human judgments.
    machine : mapping of name to DataFrame, or DataFrame
        Judgments of each judge; see `judges`.
    measures : str, Measure, or list of them
        Measures of one ranking, or preferences.
    query_set : {'common', 'each', 'all'}, optional
        Queries to compare on if they differ; see `judges`.
    method : str or list of str, optional
        Method that orders the runs; by default the mean of a measure and the win rate of a preference.
    scale : list of numbers, optional
        Possible grades; see `judges`.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> strict = qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] > 1, 0))
    >>> result = runs.ireval.judges.scores(qrels, {"strict": strict}, "AP", queries="common")
    >>> result[["judge", "run", "human", "machine", "difference", "rank", "rank_machine"]].head(2).round(3)
        judge        run  human  machine  difference  rank  rank_machine
    0  strict  rerank-s1  0.560    0.533      -0.027     1             1
    1  strict  rerank-s2  0.554    0.515      -0.039     2             2
    """
    judged = JudgedTwice.of(locals())
    parts = []
    for pair, one, two in judged.ordered(method):
        key, run = (axis.ravel() for axis in np.indices(one.rank.shape))
        by = np.lexsort(
            (run, one.rank.ravel(), key)
        )  # by measure and method, then by people's rank
        human, other = one.score.ravel()[by], two.score.ravel()[by]
        rank, rank_machine = (side.rank.ravel()[by].astype(np.int64) for side in (one, two))
        parts.append(
            pd.DataFrame(
                {
                    "judge": [pair.judge] * len(by),
                    **run_columns(pair.human.runs, run[by]),
                    **one.columns(key[by]),
                    "human": human,
                    "machine": other,
                    "difference": other - human,
                    "rank": rank,
                    "rank_machine": rank_machine,
                    "moved": rank - rank_machine,
                }
            )
        )
    return judged.described(pd.concat(parts, ignore_index=True), query_set=query_set)


@verb(on="runs", returns="judge_pairs", family="judges", name="pairs", grouped=False)
@listed_in_docs(tests=TESTS)
def judge_pairs(
    runs: Table,
    qrels: object,
    machine: object,
    measures: object = MEASURES,
    *,
    query_set: Queries | None = None,
    test: str | None = None,
    correction: JointCorrection | None = "auto",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int | None = 0,
    grades: Mapping[object, float] | None = None,
    scale: Sequence[float] | None = None,
    level: float | None = None,
    queries: QueryRule = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return the tests of every pair of runs with the human judgments and with those of each judge.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        Human judgments.
    machine : mapping of name to DataFrame, or DataFrame
        Judgments of each judge; see `judges`.
    measures : str, Measure, or list of them
        Measures of one ranking, or preferences.
    query_set : {'common', 'each', 'all'}, optional
        Queries to compare on if they differ; see `judges`.
    test : str, optional
        Significance test of every pair of runs:

        {tests}
    scale : list of numbers, optional
        Possible grades; see `judges`.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> strict = qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] > 1, 0))
    >>> result = runs.ireval.judges.pairs(qrels, {"strict": strict}, "AP", queries="common")
    >>> result["conclusion"].value_counts().to_dict()
    {'both': 36, 'neither': 21, 'lost': 9}
    """
    judged = JudgedTwice.of(locals())
    compared = judged.compared(
        test=test, correction=correction, alpha=alpha, draws=draws, seed=seed
    )
    parts = []
    for pair, human, other in compared:
        # the columns that name the pair stand before the measure
        ids = list(human.columns[: list(human.columns).index("measure")])
        part = human[[*ids, "measure", "test"]].assign(
            human=human["difference"].to_numpy(),
            machine=other["difference"].to_numpy(),
            p_human=human["p_adjusted"].to_numpy(),
            p_machine=other["p_adjusted"].to_numpy(),
            flipped=direction(human) * direction(other) < 0,
            conclusion=np.array(VERDICTS, dtype=object)[verdicts_of(human, other, alpha)],
        )
        part.insert(0, "judge", [pair.judge] * len(part))
        parts.append(part)
    return judged.described(
        pd.concat(parts, ignore_index=True),
        alpha=alpha,
        correction=human.attrs["correction"],
        query_set=query_set,
    )


class Pair(NamedTuple):
    """The runs with the human judgments and with those of one judge."""

    judge: object
    human: Judged
    machine: Judged


class JudgedTwice(NamedTuple):
    """The runs with the human judgments and with those of each judge, judges sorted by name, and the measures."""

    pairs: list[Pair]
    measures: list[Any]

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Return both sides from the options shared by all verbs of judges."""
        human, machines = (
            read(options["qrels"], "qrels"),
            judges_of(options["machine"], options["grades"]),
        )
        on_scale(human, machines, options["scale"])
        rules = {
            name: options[name]
            for name in ("query_set", "level", "queries", "ties", "compat", "validate")
        }
        pairs = paired_sets(options["runs"], human, machines, **rules)
        if len(pairs[0].human.runs) < 2:
            raise TooFew(
                "judges are compared by their orderings of the runs, but there is only one run. Pass at least two runs."
            )
        return cls(pairs, parse_all(options["measures"]))

    def _for_sides(self, function: Callable[[Judged], Any]) -> list[tuple[Pair, Any, Any]]:
        """Return each pair with the results of a function for its two sides; judges may share a side."""
        sides = {id(side): side for pair in self.pairs for side in (pair.human, pair.machine)}
        results = {key: function(side) for key, side in sides.items()}
        return [(pair, results[id(pair.human)], results[id(pair.machine)]) for pair in self.pairs]

    def ordered(self, method: Any) -> list[tuple[Pair, RunOrders, RunOrders]]:
        """Return each pair with the orderings of the runs by human assessors and by the judge."""
        return self._for_sides(
            lambda side: run_orders(side, self.measures, method=method, warn=False)
        )

    def compared(
        self, *, test: str | None, **options: Any
    ) -> list[tuple[Pair, pd.DataFrame, pd.DataFrame]]:
        """Return each pair with the comparisons of all runs by human assessors and by the judge."""
        which_test(test)

        def compare_runs(side: Judged) -> pd.DataFrame:
            side.warned.add("missing queries")  # a warning for all sides has been given
            return compare(
                side, self.measures, test=test, family="measure", progress=False, **options
            )

        return self._for_sides(compare_runs)

    def described(self, frame: pd.DataFrame, **options: Any) -> pd.DataFrame:
        """Return a table with the rules and options of its numbers in `attrs`."""
        frame.attrs.update({**attributes(self.pairs[0].human, self.measures), **options})
        return frame


def judges_of(machine: object, grades: Mapping[object, float] | None = None) -> dict[object, Table]:
    """Return the judgments of each judge by name.

    Parameters
    ----------
    machine : mapping, or DataFrame
        Judgments (query, doc, grade) by the name of the judge; those of one judge; or labels (query, doc, assessor,
        label) of any number of judges.
    grades : mapping of label to number, optional
        Grade of each label of a label table; required if labels are not numbers.

    Examples
    --------
    >>> import pdeval
    >>> qrels = pdeval.datasets.sample_qrels()
    >>> list(judges_of({"llm": qrels, "crowd": qrels})), list(judges_of(qrels))
    (['llm', 'crowd'], ['machine'])
    """
    if isinstance(machine, Mapping):
        if not machine:
            raise ValueError("machine={} is empty. Pass the judgments of at least one judge.")
        return {name: read(one, "qrels") for name, one in machine.items()}
    frame, binding = getattr(machine, "_frame", machine), getattr(machine, "_binding", None) or {}
    if not isinstance(frame, pd.DataFrame) or kind_of(frame, binding) != "labels":
        return {MACHINE: read(machine, "qrels")}
    labels = read(machine, "labels")
    names = {
        "query": labels.roles.get("query", ""),
        "doc": labels.roles["doc"],
        "grade": "relevance",
    }
    return {name: read(part, "qrels", names) for name, part in swapped_qrels(labels, grades=grades)}


def on_scale(human: Table, machines: Mapping[object, Table], scale: Sequence[float] | None) -> None:
    """Raise if a judge gives grades that are not on the scale of the human judgments.

    Parameters
    ----------
    scale : list of numbers, optional
        Possible grades; by default the integers from the lowest to the highest human grade.
    """
    grades = {
        name: np.unique(read_judgments(table).grade)
        for name, table in {PEOPLE: human, **machines}.items()
    }
    people = grades[PEOPLE] if scale is not None else grades.pop(PEOPLE)
    if scale is None and people.max() <= 0:
        raise TooFew(
            f"all human judgments have the grade {people.max():g}, so no item is relevant. Check the grades."
        )
    least, most = np.floor(people.min()), np.ceil(people.max())
    # only the integers that an error lists: the range may be very large
    integers = np.arange(least, min(most, least + 6) + 1)
    allowed = np.union1d(people, integers) if scale is None else np.asarray(scale, float)
    for name, values in grades.items():
        integer = (
            (values == np.round(values)) & (least <= values) & (values <= most) & (scale is None)
        )
        off = values[~(np.isin(values, allowed) | integer)]
        if len(off):
            examples = ", ".join(f"{value:g}" for value in off[:3]) + (
                " and others" if len(off) > 3 else ""
            )
            known = ", ".join(f"{value:g}" for value in allowed[:6]) + (
                ", ..." if len(allowed) > 6 else ""
            )
            raise ValueError(
                f"{_who(name)} gave {len(off)} grades that are not on the scale ({known}): {examples}. Map "
                "them to this scale first, or specify the grades: scale=[...]."
            )
        if name != PEOPLE and len(values) == 1:
            raise ValueError(
                f"{_who(name)} gives all items the grade {values[0]:g}, so the labels carry no information."
            )


def _who(name: object) -> str:
    return "human assessors" if name == PEOPLE else f"judge {name!r}"


def paired_sets(
    runs: Table,
    human: Table,
    machines: Mapping[object, Table],
    *,
    query_set: Queries | None,
    level: float | None,
    queries: Any,
    **rules: Any,
) -> list[Pair]:
    """Return the runs with the human judgments and with those of each judge, on the requested queries.

    The runs are joined once to all judged items; each set of judgments only changes the grades.
    """
    tables = {PEOPLE: human, **dict(sorted(machines.items(), key=lambda one: str(one[0])))}
    # ids that are numbers in one set of judgments and strings in another do not match
    people_items = items_of_qrels(human)
    for name, judgments in tables.items():
        items = items_of_qrels(judgments).set_axis(people_items.columns, axis=1)
        for column in people_items.columns:
            dtypes = people_items[column].dtype, items[column].dtype
            if len({pd.api.types.is_numeric_dtype(dtype) for dtype in dtypes}) > 1:
                raise ValueError(
                    f"the ids of {column!r} are {dtypes[0]} in the human judgments and {dtypes[1]} "
                    f"in those of {_who(name)}, so no ids match. Convert one of them, e.g. with .astype(str)."
                )
    union = all_items([items_of_qrels(table) for table in tables.values()])
    base = Judged(join(runs, union, **rules), checked_level(level), queries)
    base.warn_of_missing_queries()
    sides = {name: _under(base, name, table) for name, table in tables.items()}
    counting = {
        name: side.queries[np.flatnonzero(side.counted().any(axis=1))]
        for name, side in sides.items()
    }
    # the human side, by the queries that it is restricted to
    people: dict[tuple[object, ...], Judged] = {}
    pairs = []
    for name, (of_people, of_judge) in _chosen_queries(
        counting.pop(PEOPLE), counting, query_set
    ).items():
        key = tuple(of_people)
        if key not in people:  # judges with the same queries share the human side
            people[key] = _kept(sides[PEOPLE], of_people)
        pairs.append(Pair(name, people[key], _kept(sides[name], of_judge)))
    return pairs


def _under(base: Judged, name: object, table: Table) -> Judged:
    """Return the runs with other judgments, or raise if these have no relevant item or no item of the runs."""
    side = base.on(regraded(base.positions, read_judgments(table)))
    if not side.positions.relevant(side.level).any():
        level = "" if side.level is None else f" at level={side.level:g}"
        raise TooFew(
            f"no item is relevant by the judgments of {_who(name)}{level}, so there is nothing to compare."
        )
    if not len(side.positions.item):
        raise ValueError(
            f"none of the {len(table.frame):,} judgments of {_who(name)} is of an item of the runs. Use the same "
            "document ids in runs and judgments."
        )
    return side


def _chosen_queries(
    people: pd.Index, others: Mapping[object, pd.Index], query_set: Queries | None
) -> dict[object, tuple[pd.Index, pd.Index]]:
    """Return the queries to compare each judge on, or raise if they differ and `query_set` is missing."""
    common = {name: people.intersection(of_judge) for name, of_judge in others.items()}
    for name, both in common.items():
        of_judge = others[name]
        if not len(both) and query_set != "all":
            raise ValueError(
                f"{_who(name)} has none of the {len(people)} queries of the human judgments, e.g. "
                f"{people.tolist()[0]!r}, but {len(of_judge)} others, e.g. {of_judge.tolist()[0]!r}. Use the same "
                "query ids on both sides."
            )
        if query_set is None and len(both) < max(len(people), len(of_judge)):
            several = "the human assessors and all judges have" if len(others) > 1 else "both have"
            each = (
                " query_set='each' for those that the human assessors and each judge have,"
                if len(others) > 1
                else ""
            )
            count = "1 query" if len(people) == 1 else f"{len(people):,} queries"
            raise ValueError(
                f"the human judgments have {count} and those of {_who(name)} {len(of_judge)}, "
                f"of which {len(both)} are in common. Specify which queries to use: query_set='common' for those that "
                f"{several},{each} query_set='all' for all queries of each."
            )
    if query_set == "all":
        chosen = {name: (people, of_judge) for name, of_judge in others.items()}
    elif query_set == "each":
        chosen = {name: (both, both) for name, both in common.items()}
    else:
        shared = reduce(pd.Index.intersection, common.values(), people)
        chosen = dict.fromkeys(others, (shared, shared))
    for name, both_sides in chosen.items():
        least = min(map(len, both_sides))
        if least < 2:
            raise TooFew(
                f"a judge is compared on at least two queries, but there is {'one' if least else 'none'} "
                f"for {_who(name)} with query_set={query_set!r}. Label more queries."
            )
    return chosen


def _kept(side: Judged, queries: pd.Index) -> Judged:
    kept = side.queries.isin(queries)
    return side if kept.all() else side.on(side.positions.keep_topics(kept))


def verdicts_of(human: pd.DataFrame, other: pd.DataFrame, alpha: float) -> np.ndarray:
    """Return which of the two comparisons are significant, as indices of `VERDICTS`."""
    by_people, by_judge = (one["p_adjusted"].to_numpy() < alpha for one in (human, other))
    same = direction(human) == direction(other)
    return np.select(
        [by_people & by_judge & same, by_people & by_judge, by_people, by_judge], [0, 1, 2, 3], 4
    )


@verb(on="runs", returns="judge_bias", family="judges", name="bias", own="depth", grouped=False)
def judge_bias(
    runs: Table,
    qrels: object,
    machine: object,
    *,
    depth: int = 10,
    correction: Correction | None = "holm",
    alpha: float = 0.05,
    confidence: float = 0.95,
    grades: Mapping[object, float] | None = None,
    scale: Sequence[float] | None = None,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return the bias of each judge for the items of each run, relative to human assessors.

    `favor` is the bias of a run minus the mean bias of all runs on the same query, so a judge who is lenient with all
    items favors no run. Only items that both the human assessors and the judge labeled count.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        Human judgments.
    machine : mapping of name to DataFrame, or DataFrame
        Judgments of each judge; see `judges`.
    depth : int
        Number of items of each list to use.
    correction : str or None
        ... All runs are corrected together.
    confidence : float
        ... Student's intervals of favor over queries are simultaneous, as in `compare`.
    scale : list of numbers, optional
        Possible grades; see `judges`.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> rerank = runs[runs["run"].str.startswith("rerank") & (runs["rank"] <= 10)]
    >>> liked = qrels.merge(rerank[["query_id", "doc_id"]].drop_duplicates().assign(liked=1), how="left")
    >>> llm = qrels.assign(relevance=(liked["relevance"] + (liked["liked"] == 1)).clip(upper=3))
    >>> result = runs.ireval.judges.bias(qrels, {"llm": llm})
    >>> result[["judge", "run", "items", "higher", "bias", "favor", "significant"]].iloc[[0, 7, 8]].round(3)
      judge        run  items  higher   bias  favor  significant
    0   llm       bm25    500   0.172  0.172  -0.103         True
    7   llm  rerank-s1    420   0.736  0.736   0.462         True
    8   llm  rerank-s2    421   0.729  0.734   0.459         True
    """
    human, machines = read(qrels, "qrels"), judges_of(machine, grades)
    on_scale(human, machines, scale)
    correction = which_correction(correction)  # type: ignore[assignment]
    pool = pooled(runs, depth, ties=ties, compat=compat, validate=validate)
    by_people = pool.grades(human)
    parts = []
    for name, judgments in sorted(machines.items(), key=lambda one: str(one[0])):
        difference = pool.grades(judgments) - by_people
        if np.isnan(difference).all():
            raise ValueError(
                f"human assessors and judge {name!r} have no item in common among the first {depth} of any run; "
                f"the assessors labeled {int((~np.isnan(by_people)).sum()):,} of the {len(difference):,} items there. "
                "Use the same query and item ids on both sides."
            )
        difference = difference[pool.item]
        known = np.flatnonzero(~np.isnan(difference))
        parts.append(
            bias_of_judge(
                pool.runs,
                len(pool.queries),
                pool.query[pool.item[known]],
                pool.run[known],
                difference[known],
                name,
                str(correction),
                alpha,
                confidence,
            )
        )
    return described_frame(
        pd.concat(parts, ignore_index=True),
        {
            **pool.attrs,
            "correction": correction,
            "alpha": alpha,
            "confidence": confidence,
            "simultaneous": correction != "none",
            "test": "t",
        },
    )


def bias_of_judge(
    runs: pd.DataFrame,
    n_queries: int,
    query: np.ndarray,
    run: np.ndarray,
    difference: np.ndarray,
    name: object,
    correction: str,
    alpha: float,
    confidence: float,
) -> pd.DataFrame:
    """Return the rows of one judge, from the query, the run and the difference to people's grade of each item."""
    n_runs = len(runs)
    cell = query * n_runs + run
    # sums over the items of each list, (queries, runs)
    count = np.bincount(cell, minlength=n_queries * n_runs).reshape(n_queries, n_runs)
    total = np.bincount(cell, difference, minlength=n_queries * n_runs).reshape(n_queries, n_runs)
    mean = share(total, count, np.nan)
    mean_of_runs = share(
        np.nansum(mean, axis=1, keepdims=True), (count > 0).sum(axis=1, keepdims=True)
    )
    n = (count > 0).sum(axis=0)
    if n.max(initial=0) < 2:
        raise TooFew(
            f"a test over queries requires two queries, but judge {name!r} has common items for only {n.max()}."
        )
    n_tested, favor, sd = describe(mean - mean_of_runs)
    # a test requires two queries
    sd = np.where(n > 1, sd, np.nan)
    tested = simultaneous(
        np.where(n > 0, favor, np.nan),
        np.where(n > 1, student_test(n_tested, favor, sd)[1], np.nan),
        partial(student_interval, n_tested, favor, sd),
        correction=correction,
        alpha=alpha,
        confidence=confidence,
    )
    items = np.bincount(run, minlength=n_runs)
    return pd.DataFrame(
        {
            "judge": [name] * n_runs,
            **run_columns(runs, np.arange(n_runs)),
            "n": n,
            "items": items,
            "higher": share(np.bincount(run, difference > 0, minlength=n_runs), items),
            "lower": share(np.bincount(run, difference < 0, minlength=n_runs), items),
            "bias": share(np.nansum(mean, axis=0), n, np.nan),
            "favor": tested.pop("difference"),
            **tested,
        }
    )
