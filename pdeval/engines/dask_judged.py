"""The join of a Dask run table with judgments: the join of pandas, its positions gathered when a verb needs them."""

from __future__ import annotations

from types import EllipsisType
from typing import Any

import pandas as pd

from pdeval.accessor import Joined, grouping, machine_labels
from pdeval.accessor.building import stamped
from pdeval.accessor.describe import many, size_of_join
from pdeval.accessor.shared_ids import check_shared_ids
from pdeval.engines.dividing import Plan, plan
from pdeval.engines.gathering import Gathered, gathered_table
from pdeval.engines.partwise import PARTWISE
from pdeval.judged.catalogue import catalogue_of
from pdeval.judged.judged import Judged, checked_level
from pdeval.judged.positions import Positions
from pdeval.judged.topics import Topics
from pdeval.verbs import Verb


class DaskJudged(Joined):
    """Runs on Dask joined to judgments, to keep and to ask again; made by `runs.ireval.join(qrels)`.

    It has the verbs of the join on pandas. `measure`, `prefer`, `summary`, `order` and `compare` do their work in the
    partitions; for any other the positions are gathered once (see `pdeval.engines.gathering`), and what works on pandas
    works on them. Side tables of items and users are sent to every partition, for measures that look at the items of
    single lists; for those of all lists together (coverage, Gini) the first k items of every list are gathered, as
    numbers of 4 bytes each.

    Parameters
    ----------
    plan : Plan
        What is known of both tables.
    level : float, optional
        The least grade that counts as relevant; by default any positive grade.
    topics : {'relevant', 'judged', 'answered', 'common'}
        Which queries count.

    Examples
    --------
    >>> import dask.dataframe as dd, pdeval, pdeval.engines.dask
    >>> runs = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=4)
    >>> judged = runs.ireval.join(pdeval.datasets.sample_qrels(), topics="common")
    >>> judged
    runs on Dask joined to judgments: 12 runs x 48 of 50 queries, 4 partitions; next: .measure(), .prefer(), .order(),
    .compare()
    >>> judged.curve(points=3).head(3).round(3)
        run  recall  precision
    0  bm25     0.0      0.776
    1  bm25     0.5      0.332
    2  bm25     1.0      0.016
    """

    def __init__(
        self, plan: Plan, level: float | None = None, topics: Topics = "relevant", here: Gathered | None = None
    ) -> None:
        own = {"plan": plan, "level": level, "topics": topics, "here": Gathered(plan) if here is None else here}
        for name, value in own.items():
            object.__setattr__(self, name, value)

    plan: Plan
    here: Gathered

    @property
    def positions(self) -> Positions:
        """The ranks of the judged items, gathered when first asked for."""
        return self.here.positions

    @property
    def known(self) -> Judged:
        """What is known without the ranks: runs, queries, which of them each run answered, and so which count."""
        return Judged(self.plan.known, self.level, self.topics)

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, one row each: the caller's column(s) that name them."""
        return self.known.runs

    @property
    def queries(self) -> pd.Index:
        """All judged queries, named as the caller's query column."""
        return self.known.queries

    def at(self, *, level: float | EllipsisType | None = ..., topics: Topics | EllipsisType = ...) -> DaskJudged:
        """Return the same join under another relevance level or topic rule; nothing is gathered again."""
        rules = self.known.at(level=level, topics=topics)
        return DaskJudged(self.plan, rules.level, rules.topics, self.here)

    at.__doc__ = Joined.at.__doc__

    def gathered(self) -> Joined:
        """Return the join on pandas, with positions equal to those that pandas makes of the same rows."""
        return Joined(self.positions, self.level, self.topics)

    def _ask(self, verb: Verb, given: dict[str, Any]) -> Any:
        if machine_labels.taken(verb, given) is not None:
            call = f"runs.ireval.{verb.name}(qrels, ..., machine=...)"
            raise ValueError(f"machine= joins the runs again: call it on the run table, {call}.")
        if asked := grouping.taken(verb, given):
            self.here.check(f"{verb.name}()")
            return self.gathered()._ask(verb, {**given, **asked})
        if verb.name in PARTWISE:
            grouping.tell_of_replicates(verb, given, self)
            return stamped(verb, PARTWISE[verb.name](self, **given))
        if "judged" in verb.on:
            self.here.check(f"{verb.name}()")
            return self.gathered()._ask(verb, given)
        rows_alone = Joined(self.here.unranked, self.level, self.topics)  # a verb of run tables ranks them by itself
        return rows_alone._ask(verb, given)

    def __repr__(self) -> str:
        size, parts = size_of_join(self.known), many(self.plan.frame.npartitions, "partition")
        return f"runs on Dask joined to judgments: {size}, {parts}; next: .measure(), .prefer(), .order(), .compare()"


def joined(runs: object, qrels: object, *, level: float | None = None, **rules: Any) -> DaskJudged:
    """Return the join of a Dask run table with judgments; reads the id columns once, and nothing else yet."""
    level, topics = checked_level(level), rules.pop("topics", "relevant")
    items, history = (gathered_table(rules.pop(name, None)) for name in ("items", "history"))
    check_shared_ids(runs, qrels)
    return DaskJudged(plan(runs, qrels, catalogue=catalogue_of(items, history), **rules), level, topics)
