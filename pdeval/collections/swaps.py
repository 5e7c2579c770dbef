"""Swapping assessors: how orderings of runs change when other people had judged (Voorhees 2000)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.collections import assessors
from pdeval.evaluate.cube import all_pairs
from pdeval.evaluate.scores import Topics
from pdeval.judged import judgments
from pdeval.judged.judgments import Judgments
from pdeval.judged.positions import Compat, Positions, join
from pdeval.judged.ranks import Ties
from pdeval.kernels.levels import share
from pdeval.kinds.labels import labels as repeated
from pdeval.kinds.tables import Table, read
from pdeval.mechanics.progress import track
from pdeval.orderings.standings import Standing, standing


def swap_assessors(
    runs: Table,
    labels: pd.DataFrame,
    measures: object = ("AP",),
    *,
    qrels: Table | None = None,
    orders: bool = False,
    how: Literal["assessor", "draw"] = "assessor",
    per: Literal["item", "query"] = "item",
    draws: int = 100,
    seed: int | None = 0,
    grades: Mapping[object, float] | None = None,
    query: str = "query_id",
    doc: str = "doc_id",
    assessor: str = "assessor",
    label: str = "label",
    method: Any = None,
    level: float | None = None,
    topics: Topics = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return how alike the orderings of runs are under the judgments of different assessors: Kendall's tau.

    The runs are joined once to all items that anybody labelled; each set of judgments only changes the grades.

    Parameters
    ----------
    runs : Table
        A run table.
    labels : DataFrame
        One row per label given: query, doc, assessor, label.
    measures : name or names
        Measures of one ranking, or preferences (ordered by their win rates).
    qrels : Table, optional
        Judgments to compare each swap with, instead of the swaps with each other.
    orders : bool
        Return the orderings themselves: run, measure, method, judgments, score, rank.
    how, per, draws, seed, grades, query, doc, assessor, label
        As in `pdeval.collections.assessors.swapped_qrels`: one set of judgments per assessor, or `draws` random mixes.
    method : str or list of str, optional
        How to order; see `pdeval.orderings.order`.
    level, topics, ties, compat, validate
        As in `pdeval.judged.positions.join` and `pdeval.evaluate.scores`.
    progress : bool, optional
        Show a bar; by default after a second, to a person.

    Returns
    -------
    DataFrame
        judgments_a, judgments_b (or judgments, against `qrels`), measure, method, runs, tau (tau-b); sorted by measure
        and method as asked, then by pair. NaN where a set of judgments has nothing relevant, or ties all runs.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> strict, lenient = (qrels.assign(label=(qrels["relevance"] >= least) * 1) for least in (2, 1))
    >>> labels = pd.concat([strict.assign(assessor="strict"), lenient.assign(assessor="lenient")])
    >>> swap_assessors(read(runs, "runs"), labels, "AP").round(3)[["judgments_a", "judgments_b", "tau"]].values.tolist()
    [['lenient', 'strict', 0.97]]
    """
    names = {"query": query, "doc": doc, "grade": "relevance"}
    columns = {"query": query, "doc": doc, "assessor": assessor, "label": label}
    swapped = assessors.swapped_qrels(labels, how=how, per=per, draws=draws, seed=seed, grades=grades, **columns)
    first = next(swapped, None)  # faults of the table come up here
    if first is None:
        raise ValueError(f"there is no set of judgments to compare: draws={draws!r}.")
    items = labels.loc[labels[label].notna(), [query, doc]]
    if qrels is not None:
        own = qrels.frame[[qrels.roles["query"], qrels.roles["doc"]]].set_axis([query, doc], axis=1)
        items = pd.concat([items.astype(object), own.astype(object)]).infer_objects()
    union = read(items.drop_duplicates().assign(relevance=1), "qrels", names)
    positions = join(runs, union, ties=ties, compat=compat, validate=validate)
    rules: dict[str, Any] = {"method": method, "level": level, "topics": topics}
    known: list[object] = []
    found: list[Standing | None] = []
    total = draws if how == "draw" else labels[assessor].nunique()
    for name, part in track(chain([first], swapped), total=total, desc="swapping assessors", progress=progress):
        known.append(name)
        found.append(_standing(positions, judgments.of(read(part, "qrels", names)), measures, rules, not found))
    base = None if qrels is None else _standing(positions, judgments.of(qrels), measures, rules, False)
    if orders:
        return _orders(positions.runs, known, found)
    return _taus(known, found, base)


def _standing(
    positions: Positions, judged: Judgments, measures: object, rules: dict[str, Any], tell: bool
) -> Standing | None:
    own = regraded(positions, judged)
    return standing(own, measures, **rules, tell=tell) if own.relevant(rules["level"]).any() else None


def regraded(positions: Positions, judged: Judgments) -> Positions:
    """Return the positions under other judgments of the same items; what these do not have is not judged.

    Examples
    --------
    >>> import pdeval
    >>> qrels = pdeval.datasets.sample_qrels()
    >>> joined = pdeval.datasets.sample_runs().ireval.join(qrels)
    >>> fewer = judgments.of(read(qrels.head(100).assign(relevance=1), "qrels"))
    >>> int(regraded(joined.positions, fewer).relevant().sum())
    100
    """
    was = positions.judged
    topic = judged.queries.probe(was.queries)[judged.topic].astype(np.int64)
    doc = judged.docs.probe(was.docs)[judged.doc]
    key, wanted = was.key(), topic * max(len(was.docs), 1) + doc
    at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    held = (topic >= 0) & (doc >= 0) & (key[at] == wanted)
    grade = np.full(len(key), np.nan)
    grade[at[held]] = judged.grade[held]
    changed = replace(was, grade=np.nan_to_num(grade), subtopic=None)
    top = float(judged.grade.max(initial=0.0))
    kept = replace(positions, judged=changed, top_grade=top).keep_items(~np.isnan(grade))
    has = np.zeros(len(positions.queries), dtype=bool)
    has[topic[held]] = True
    return kept if has.all() else kept.keep_topics(has)


def _orders(runs: pd.DataFrame, known: list[object], found: list[Standing | None]) -> pd.DataFrame:
    real = [(place, one) for place, one in enumerate(found) if one is not None]
    if not real:
        raise ValueError(
            "no set of judgments has anything relevant, so there is nothing to order; see level=, grades=."
        )
    score, rank = (np.stack([getattr(one, name) for _, one in real], axis=1) for name in ("score", "rank"))
    key, held, run = (axis.ravel() for axis in np.indices(rank.shape))
    by = np.lexsort((run, rank.ravel(), held, key))
    columns: dict[str, Any] = {name: repeated(runs[name], run[by]) for name in runs.columns}
    columns |= real[0][1].columns(key[by])
    columns["judgments"] = repeated(pd.Index(known), np.array([place for place, _ in real])[held[by]])
    return pd.DataFrame({**columns, "score": score.ravel()[by], "rank": rank.ravel()[by].astype(np.int64)})


def _taus(known: list[object], found: list[Standing | None], base: Standing | None) -> pd.DataFrame:
    real = next((one for one in [*found, base] if one is not None), None)
    if real is None:
        raise ValueError(
            "no set of judgments has anything relevant, so there is nothing to order; see level=, grades=."
        )
    if base is None and len(found) < 2:
        raise ValueError(
            "there is one set of judgments and nothing to compare it with; give qrels=, or more assessors."
        )
    nothing = np.zeros(real.rank.shape)
    ranks = np.stack([nothing if one is None else one.rank for one in [*found, base]], axis=1)
    a, b = all_pairs(ranks.shape[2])
    sign = np.sign(ranks[..., a] - ranks[..., b])  # (keys, judgments, pairs of runs)
    told = (sign**2).sum(axis=2)
    size = np.sqrt(told[:, :, None] * told[:, None, :])
    tau = np.where(size > 0, share(sign @ sign.transpose(0, 2, 1), size), np.nan)
    if base is None:
        one, two = all_pairs(len(known))
    else:
        one, two = np.arange(len(known)), np.full(len(known), len(known))
    key, pair = (axis.ravel() for axis in np.indices((len(tau), len(one))))
    names = pd.Index(known)
    columns: dict[str, Any] = {"judgments": repeated(names, one[pair])}
    if base is None:
        columns = {"judgments_a": repeated(names, one[pair]), "judgments_b": repeated(names, two[pair])}
    columns |= real.columns(key)
    return pd.DataFrame({**columns, "runs": ranks.shape[2], "tau": tau[key, one[pair], two[pair]]})
