"""From a Dask run table and judgments to their join: what to count first, and whether rows have to move."""

from __future__ import annotations

import numbers
from dataclasses import replace
from typing import Any

import numpy as np

from pdeval.catalog import Measure, parse_all
from pdeval.engines import census, judged, layout
from pdeval.engines.census import Census
from pdeval.engines.joined import Joined, asks_corpus
from pdeval.engines.judged import Judged
from pdeval.engines.parts import ByList, Whole
from pdeval.evaluate import scores as evaluate
from pdeval.evaluate.scores import Topics
from pdeval.judged import positions
from pdeval.judged.ids import Ids
from pdeval.judged.judgments import Judgments
from pdeval.judged.positions import Positions
from pdeval.kinds.tables import Table


def join(
    runs: Any,
    qrels: object,
    measures: object = None,
    *,
    level: float | None = None,
    topics: Topics = "relevant",
    ties: Any = None,
    compat: Any = "trec_eval-10",
    depth: int | None = None,
    validate: bool = True,
) -> Joined:
    """Return the join of a Dask run table with judgments; reads the id columns once, and moves rows only if it must.

    Three cases. Every judged query is in one partition: the partitions stay. Every list is, and the measures look at
    single lists: they stay too. Else the rows of judged queries are shuffled, by query.
    """
    asked = None if measures is None else parse_all(measures)
    if level is not None and not (isinstance(level, numbers.Real) and level > 0):
        raise ValueError(f"level={level!r}: the least grade that counts as relevant must be a number above 0.")
    frame, table = judged.understood(runs, "runs")
    ties = positions._checked(ties, compat, depth, table)
    rules = {"ties": ties, "compat": compat, "depth": depth}
    given = judged.of(qrels)
    found = census.take(frame, table.roles["query"], table.run_columns)
    positions._same_type("query", found.queries.type, given.queries.type)
    topic = found.queries.probe(given.queries)
    if not (topic >= 0).any():
        raise ValueError(
            f"no query of the runs is judged: the runs have {positions._some(found.queries.index())}, the judgments "
            f"{positions._some(given.queries.index())}. Make the ids alike."
        )
    table = _needed(table, ties)
    known = topic >= 0
    retrieved = np.zeros((len(given.queries), len(found.runs)), dtype=np.int64)
    retrieved[topic[known]] = found.rows[known]
    complete = asked is None or evaluate.needs_judged(asked)
    if not complete and not asks_corpus(asked or (), rules):
        given = given.relevant_only()
    queries = given.queries.index().rename(table.roles["query"])
    whole = Whole(
        roles=dict(table.roles),
        run_columns=table.run_columns,
        runs=found.runs,
        queries=queries,
        home=np.zeros(len(queries), dtype=np.int64),
        common=np.asarray(np.all(retrieved > 0, axis=1)),
        top_grade=float(given.best.max(initial=0.0)),
        rules={**rules, "validate": validate, "complete": complete},
        qrels=given.frame,
        starts=given.starts,
        qrels_roles=given.roles,
    )
    columns = [*table.run_columns, *table.roles.values()]
    if (found.parts[known] == 1).all():
        whole = replace(whole, home=_homes(found, topic, len(queries)))
        rows = layout.frozen(frame, columns)
    elif given.frame is not None and _single_lists(asked, rules) and not found.split(known):
        whole = replace(whole, lists=ByList(_homes_of_runs(found, known), retrieved))
        rows = layout.frozen(frame, columns)
    else:
        size = retrieved.sum(axis=1)
        home = layout.balanced(size, layout.wanted_parts(int(size.sum()), frame.npartitions))
        whole = replace(whole, home=home, coded=True)
        rows = layout.shuffled(frame, table, found.runs, queries, home, in_order=ties == "first")
    apart = None if given.large is None else given.divided(whole.home, rows.npartitions)
    return Joined(_known(given, whole, retrieved, rules), rows, apart, whole, level, topics)


def _needed(table: Table, ties: str) -> Table:
    """Return the table with the one column that orders its lists, and no other."""
    by = "rank" if ties == "rank" else "score"
    roles = {role: name for role, name in table.roles.items() if role in ("query", "doc", by)}
    return Table("runs", table.frame, roles, table.run_columns)


def _single_lists(asked: list[Measure] | None, rules: dict[str, Any]) -> bool:
    """Return whether the measures look at one list at a time: no pairs, and no count of what all runs returned."""
    if asked is None or any(measure.entry.family != "metric" for measure in asked):
        return False
    return not asks_corpus(asked, rules)


def _homes(found: Census, topic: np.ndarray, count: int) -> np.ndarray:
    """Return the partition that answers for each topic; topics that no run answered go to the others' in turn."""
    home = np.full(count, -1)
    home[topic[topic >= 0]] = found.first[topic >= 0]
    open_to_all = np.unique(home[home >= 0])
    lost = np.flatnonzero(home < 0)
    home[lost] = open_to_all[np.arange(len(lost)) % len(open_to_all)]
    return home


def _homes_of_runs(found: Census, known: np.ndarray) -> np.ndarray:
    """Return the partition that answers for what each run did not return: the first that holds a judged list of it."""
    home = np.full(len(found.runs), -1)
    for number, (query, run, rows) in reversed(list(enumerate(found.pieces))):
        home[run[(rows[known[query]] > 0).any(axis=0)]] = number
    home[home < 0] = home[home >= 0].min(initial=len(found.pieces))
    return home


def _known(given: Judged, whole: Whole, retrieved: np.ndarray, rules: dict[str, Any]) -> Positions:
    """Return what the client knows of the join: the best item of every topic, and no ranks."""
    topics = np.arange(len(given.best))
    rows = np.stack([topics.astype(np.float64), np.zeros(len(topics)), given.best])
    items = Judgments(
        given.queries,
        Ids(numbers=np.zeros(1, dtype=np.int64)),
        topics,
        np.zeros(len(topics), dtype=np.int64),
        given.best,
        rows if "subtopic" in given.roles else None,
    )
    none, no_ranks = np.zeros(0, dtype=np.int64), np.zeros(0)
    depth = rules["depth"]
    return Positions(
        whole.runs,
        whole.queries,
        items,
        none,
        none,
        no_ranks,
        no_ranks,
        no_ranks,
        retrieved if depth is None else np.minimum(retrieved, depth),
        doc_name=whole.roles["doc"],
        rules=rules,
        top_grade=whole.top_grade,
    )
