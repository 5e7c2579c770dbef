"""Judges against people: the same runs under the judgments of people and of each judge, on queries that compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.evaluate.scores import attributes
from pdeval.join import judgments
from pdeval.join.judged import Judged, checked_level
from pdeval.join.positions import join
from pdeval.judgments.assessor_swaps import regraded, swapped_qrels
from pdeval.orderings.order import Standing, standing
from pdeval.significance.compare import compare
from pdeval.significance.registry import which_test
from pdeval.significance.test_result import direction
from pdeval.tables.reader import Table, read
from pdeval.tables.recognition import kind_of
from pdeval.verbs.arguments import TooFew

Queries = Literal["common", "each", "all"]
VERDICTS = ("both", "opposed", "lost", "gained", "neither")
PEOPLE = "people"
MACHINE = "machine"  # the name of a judge that has none


class Pair(NamedTuple):
    """The runs under the judgments of people and of one judge."""

    judge: object
    human: Judged
    machine: Judged


def judges_of(machine: object, grades: Mapping[object, float] | None = None) -> dict[object, Table]:
    """Return the judgments of each judge by name.

    Parameters
    ----------
    machine : mapping, or DataFrame
        Judgments (query, doc, grade) by the name of the judge; those of one judge; or labels (query, doc, assessor,
        label) of any number of them.
    grades : mapping of label to number, optional
        The grade of each label of a label table; needed where labels are not numbers.

    Examples
    --------
    >>> import pdeval
    >>> qrels = pdeval.datasets.sample_qrels()
    >>> list(judges_of({"llm": qrels, "crowd": qrels})), list(judges_of(qrels))
    (['llm', 'crowd'], ['machine'])
    """
    if isinstance(machine, Mapping):
        if not machine:
            raise ValueError("machine={}: it is empty; give the judgments of at least one judge.")
        return {name: read(one, "qrels") for name, one in machine.items()}
    frame, binding = getattr(machine, "_frame", machine), getattr(machine, "_binding", None) or {}
    if isinstance(frame, pd.DataFrame) and kind_of(frame, binding) == "labels":
        held = read(machine, "labels")
        names = {"query": held.roles.get("query", ""), "doc": held.roles["doc"], "grade": "relevance"}
        return {name: read(part, "qrels", names) for name, part in swapped_qrels(held, grades=grades)}
    return {MACHINE: read(machine, "qrels")}


def on_scale(human: Table, machines: Mapping[object, Table], scale: Sequence[float] | None) -> None:
    """Raise where a judge gives grades that are not on the scale of people.

    Parameters
    ----------
    scale : list of numbers, optional
        The grades that there are; by default the whole numbers from the lowest to the highest that people gave.
    """
    own = _different(human)
    if scale is None and own.max() <= 0:
        raise TooFew(f"people give the grade {own.max():g} to everything: nothing is relevant, and nothing to compare.")
    least, most = np.floor(own.min()), np.ceil(own.max())
    # of the whole numbers only those that an error names: there may be very many
    allowed = np.union1d(own, np.arange(least, min(most, least + 6) + 1)) if scale is None else np.asarray(scale, float)
    for name, table in {PEOPLE: human, **machines}.items() if scale is not None else machines.items():
        other = _different(table)
        whole = (other == np.round(other)) & (least <= other) & (other <= most) & (scale is None)
        off = other[~(np.isin(other, allowed) | whole)]
        if len(off):
            shown = ", ".join(f"{value:g}" for value in off[:3]) + (" and others" if len(off) > 3 else "")
            known = ", ".join(f"{value:g}" for value in allowed[:6]) + (", ..." if len(allowed) > 6 else "")
            raise ValueError(
                f"{_who(name)} gave {len(off)} grades that are not on the scale of people ({known}): {shown}. Map "
                "them to it first, or say which grades there are: scale=[...]."
            )
        if name != PEOPLE and len(other) == 1:
            raise ValueError(
                f"{_who(name)} gives the grade {other[0]:g} to everything, which tells no item from another."
            )


def _different(table: Table) -> np.ndarray:
    return np.unique(judgments.read_judgments(table).grade)


def _who(name: object) -> str:
    return "people" if name == PEOPLE else f"judge {name!r}"


def paired_sets(
    runs: Table,
    human: Table,
    machines: Mapping[object, Table],
    *,
    queries: Queries | None,
    level: float | None,
    topics: Any,
    rules: Mapping[str, Any],
) -> list[Pair]:
    """Return the runs under the judgments of people and of each judge, on the queries that were asked for.

    The runs are joined once to all items that anybody judged; each set of judgments only changes the grades.
    """
    union = _union(human, machines)
    base = Judged(join(runs, union, **rules), checked_level(level), topics)
    base.tell()
    of_people = _under(base, PEOPLE, human)
    found = {name: _under(base, name, table) for name, table in machines.items()}
    sets = {PEOPLE: _counting(of_people), **{name: _counting(one) for name, one in found.items()}}
    chosen = _chosen(sets, queries)
    people: dict[tuple[object, ...], Judged] = {}
    pairs = []
    for name, one in found.items():
        own = chosen[name]
        key = tuple(own[0])
        if key not in people:  # judges who share their queries share people's numbers
            people[key] = _kept(of_people, own[0])
        pairs.append(Pair(name, people[key], _kept(one, own[1])))
    return pairs


def _union(human: Table, machines: Mapping[object, Table]) -> Table:
    """Return every (query, doc) that anybody judged, under the names of people's table."""
    names = [human.roles["query"], human.roles["doc"]]
    parts = [human.frame[names]]
    for name, table in machines.items():
        own = table.frame[[table.roles["query"], table.roles["doc"]]].set_axis(names, axis=1)
        for column in names:
            numeric = [pd.api.types.is_numeric_dtype(part[column].dtype) for part in (parts[0], own)]
            if numeric[0] != numeric[1]:
                raise ValueError(
                    f"the ids of {column!r} are {parts[0][column].dtype} in people's judgments and {own[column].dtype} "
                    f"in those of {_who(name)}, so none would match. Convert one of them, e.g. with .astype(str)."
                )
        parts.append(own)
    items = pd.concat([part.astype(object) for part in parts]).drop_duplicates().infer_objects()
    return read(items.assign(relevance=1), "qrels", {"query": names[0], "doc": names[1], "grade": "relevance"})


def _under(base: Judged, name: object, table: Table) -> Judged:
    own = base.on(regraded(base.positions, judgments.read_judgments(table)))
    if not own.positions.relevant(own.level).any():
        level = "" if own.level is None else f" at level={own.level:g}"
        raise TooFew(f"nothing is relevant by the judgments of {_who(name)}{level}, so there is nothing to compare.")
    if not len(own.positions.item):
        raise ValueError(
            f"no run has an item that {_who(name)} judged, whatever the query: the {len(table.frame):,} judgments say "
            "nothing of these runs. Are items named alike on both sides, or were these items taken out of the runs?"
        )
    return own


def _counting(one: Judged) -> pd.Index:
    """Return the queries that count under a set of judgments."""
    return one.queries[np.flatnonzero(one.counted().any(axis=1))]


def _chosen(sets: Mapping[object, pd.Index], queries: Queries | None) -> dict[object, tuple[pd.Index, pd.Index]]:
    """Return the queries of people and of each judge to compare on, or an error where the caller has to say."""
    people = sets[PEOPLE]
    others = {name: own for name, own in sets.items() if name != PEOPLE}
    for name, own in others.items():
        both = people.intersection(own)
        if not len(both) and queries != "all":
            raise ValueError(
                f"{_who(name)} has none of the {len(people)} queries that count by people's judgments, e.g. "
                f"{people.tolist()[0]!r}; it has {len(own)} others, e.g. {own.tolist()[0]!r}. Are queries named alike "
                "on both sides?"
            )
        if queries is None and (len(both) < len(people) or len(both) < len(own)):
            several = "people and every judge have" if len(others) > 1 else "both have"
            each = " queries='each' those that people and the one judge have," if len(others) > 1 else ""
            raise ValueError(
                f"people's judgments count on {_queries(people)} and those of {_who(name)} on {len(own)}, "
                f"{len(both)} of them in common. Say which to use: queries='common' only those that {several},{each} "
                "queries='all' each on its own."
            )
    if queries == "all":
        chosen = {name: (people, own) for name, own in others.items()}
    elif queries == "each":
        chosen = {name: (people.intersection(own),) * 2 for name, own in others.items()}
    else:
        common = people
        for own in others.values():
            common = common.intersection(own)
        chosen = dict.fromkeys(others, (common, common))
    for name, both_sides in chosen.items():
        least = min(map(len, both_sides))
        if least < 2:
            raise TooFew(
                f"a judge is compared with people on at least two queries; there is {'one' if least else 'none'} "
                f"for {_who(name)} under queries={queries!r}."
            )
    return chosen


def _queries(ids: pd.Index) -> str:
    return "1 query" if len(ids) == 1 else f"{len(ids):,} queries"


def _kept(one: Judged, queries: pd.Index) -> Judged:
    kept = one.queries.isin(queries)
    return one if kept.all() else one.on(one.positions.keep_topics(kept))


def common_options(named: dict[str, Any]) -> dict[str, Any]:
    """Return what all verbs of judges are given alike."""
    rules = {name: named[name] for name in ("ties", "compat", "validate")}
    names = ("runs", "qrels", "machine", "measures", "queries", "grades", "scale", "level", "topics")
    return {**{name: named[name] for name in names}, "rules": rules}


def sides_of(
    runs: Table, qrels: object, machine: object, measures: object, grades: Any, scale: Any, **rules: Any
) -> tuple[list[Pair], list[Any]]:
    """Return people's and the judges' sides, the judges sorted by name, and the measures."""
    asked = parse_all(measures)
    human, machines = read(qrels, "qrels"), judges_of(machine, grades)
    on_scale(human, machines, scale)
    machines = dict(sorted(machines.items(), key=lambda one: str(one[0])))
    found = paired_sets(runs, human, machines, **rules)
    if len(found[0].human.runs) < 2:
        raise TooFew("judges are compared by how they order runs, and there is one run; it needs at least two.")
    return found, asked


def standing_of(known: dict[int, Standing], judged: Judged, asked: object, method: Any) -> Standing:
    """Return how runs stand, once for every join."""
    if id(judged) not in known:
        known[id(judged)] = standing(judged, asked, method=method, tell=False)
    return known[id(judged)]


def compared_sides(
    pairs: list[Pair], asked: list[Any], *, test: str | None, **options: Any
) -> list[list[pd.DataFrame]]:
    """Return the comparisons of all pairs of runs under people and under each judge."""
    which_test(test)
    known: dict[int, pd.DataFrame] = {}
    for side in (side for pair in pairs for side in (pair.human, pair.machine)):
        if id(side) not in known:
            side.said.add("missing queries")  # told already, for all of them
            known[id(side)] = compare(side, asked, test=test, family="measure", progress=False, **options)
    return [[known[id(pair.human)], known[id(pair.machine)]] for pair in pairs]


def verdicts_of(human: pd.DataFrame, other: pd.DataFrame, alpha: float) -> np.ndarray:
    """Return which of both comparisons are significant, as places in `VERDICTS`."""
    by_people, by_judge = (one["p_adjusted"].to_numpy() < alpha for one in (human, other))
    same = direction(human) == direction(other)
    return np.select([by_people & by_judge & same, by_people & by_judge, by_people, by_judge], [0, 1, 2, 3], 4)


def flipped_pairs(human: pd.DataFrame, other: pd.DataFrame) -> np.ndarray:
    """Return which pairs have the run that the test favors at the other side."""
    return direction(human) * direction(other) < 0


def carrying(frame: pd.DataFrame, pairs: list[Pair], asked: list[Any], **more: Any) -> pd.DataFrame:
    """Return a table that says what its numbers rest on."""
    frame.attrs.update({**attributes(pairs[0].human, asked), **more})
    return frame
