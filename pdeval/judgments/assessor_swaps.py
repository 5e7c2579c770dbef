"""Orderings of runs under the judgments of different assessors (Voorhees 2000)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.evaluate.cube import all_pairs, described_frame, run_columns
from pdeval.evaluate.scores import attributes
from pdeval.join.judged import Judged
from pdeval.join.judgments import Judgments, read_judgments
from pdeval.join.positions import Positions, join
from pdeval.join.rules import Compat, QueryRule, Ties, checked_level
from pdeval.judgments.labels import coded, given, query_column
from pdeval.kernels.primitives import share
from pdeval.orderings.order import Standing, standing
from pdeval.tables.labels import labels as repeated
from pdeval.tables.reader import Table, read
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.progress import track

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
    unit = codes.item[by_item]
    if per == "query":
        unit = qrels.groupby(query, observed=True, sort=True).ngroup().to_numpy()
    # one entry per (unit, assessor), sorted: a draw picks one entry of every unit
    entries, entry = np.unique(unit * len(assessors) + who, return_inverse=True)
    size = np.bincount(entries // max(len(assessors), 1))
    start = np.cumsum(size) - size
    rng = np.random.default_rng(seed)
    for number in range(draws):
        picked = start + (rng.random(len(start)) * size).astype(np.int64)
        yield number, qrels[picked[unit] == entry].reset_index(drop=True)


def grades_of(column: pd.Series, grades: Mapping[object, float] | None) -> np.ndarray:
    """Return the grade of each label, or raise where words have none."""
    if grades is None:
        if not pd.api.types.is_numeric_dtype(column.dtype):
            raise ValueError(
                f"the labels are not numbers, e.g. {column.iloc[0]!r}. Specify the grade of each: "
                f"grades={{{column.iloc[0]!r}: 1, ...}}."
            )
        return column.to_numpy()
    unknown = [value for value in column.unique() if value not in grades]
    if unknown:
        raise ValueError(
            f"grades= has no grade for {len(unknown)} of the labels, e.g. {unknown[:3]}."
        )
    return column.astype(object).map(dict(grades)).to_numpy(dtype=type(next(iter(grades.values()))))


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
    """Compute Kendall's tau-b of the orderings of the runs under the judgments of different assessors.

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
    positions = join(
        runs, union, ties=ties, compat=compat, judged_only=judged_only, validate=validate
    )
    judged = Judged(positions, level, queries)

    def order_runs(judgments: Table, *, warn: bool = False) -> Standing | None:
        """Return how the runs are ordered under other judgments, or None where nothing is relevant by them."""
        regraded_join = judged.on(regraded(judged.positions, read_judgments(judgments)))
        if not regraded_join.positions.relevant(level).any():
            return None
        return standing(regraded_join, parsed, method=method, tell=warn)

    names: list[object] = []
    orderings: list[Standing | None] = []
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
    items = parts[0]
    if len(parts) > 1:  # ids of several types meet as objects
        items = pd.concat(
            [part.set_axis([query, doc], axis=1).astype(object) for part in parts]
        ).infer_objects()
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
    runs: pd.DataFrame, names: list[object], orderings: list[Standing | None]
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
    names: list[object], orderings: list[Standing | None], base: Standing | None
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
    one, two = all_pairs(len(names))
    if base is not None:  # the last set of judgments
        one, two = np.arange(len(names)), np.full(len(names), len(names))
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
