"""Labels by people of some queries, and by a machine of these and more: two joins, and cubes with both values.

Which queries people labelled is what their judgments say. All others have a value by the machine alone.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.catalog.directions import aggregate_of
from pdeval.evaluate.cube import Preferences, Scores
from pdeval.evaluate.pairs import select
from pdeval.evaluate.ppi import Powered, powered
from pdeval.evaluate.scores import scores
from pdeval.join.id_mismatch import NothingJudged
from pdeval.join.judged import Judged, join
from pdeval.tables.labels import run_labels
from pdeval.tables.reader import Table, numbers
from pdeval.verbs.arguments import TooFew

Cube = Scores | Preferences


@dataclass(frozen=True)
class WithMachine:
    """Runs joined to people's judgments and, by the same rules, to those of a machine.

    With topics='relevant' a query counts if people found something relevant, and nobody knows that of the queries that
    they did not label: every query of the machine counts, and where people labelled one without a relevant item, the
    caller has to say topics='judged'.
    """

    people: Judged
    machine: Judged

    @classmethod
    def of(cls, judged: Judged, machine: object) -> WithMachine:
        """Return a join, and the same runs joined to the judgments of a machine.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels, _ = pdeval.datasets.load_sample()
        >>> human = qrels[qrels["query_id"].astype(int) < 121]
        >>> (cube,) = WithMachine.of(runs.ireval.join(human, topics="common"), qrels).cubes("AP")
        >>> cube.values.shape, int((~np.isnan(cube.values[0, :, 0])).sum())
        ((1, 48, 12), 19)
        """
        by_machine = _joined(judged, machine)
        _check_queries(judged, by_machine)
        _check_grades(judged.tables[1], by_machine.tables[1])
        return cls(judged, by_machine)

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, one row each."""
        return self.machine.runs

    def cubes(self, measures: object, **pairs: Any) -> list[Cube]:
        """Return the cube of both values: of measures, or of preferences; of pairs of runs where these are named.

        Parameters
        ----------
        baseline, pairs : optional
            Which pairs of runs, as in `prefer`; then metrics prefer by their difference.
        """
        requested = parse_all(measures)
        families = {measure.entry.family == "metric": measure for measure in reversed(requested)}
        if len(families) > 1 and not pairs:
            first, second = reversed(families.values())
            raise ValueError(
                f"{first} and {second} are a measure of one ranking and a preference between two; with machine= ask "
                "for one kind at a time."
            )

        def cube(judged: Judged, *, tell: bool) -> Cube:
            if pairs or False in families:
                return select(judged, requested, tell=tell, **pairs).cube(False)
            return scores(judged, requested, tell=tell)

        people, machine = cube(self.people, tell=False), cube(self.machine, tell=True)
        _check_relevant(self.people, people)
        values = np.full(machine.values.shape, np.nan)
        here = machine.queries.get_indexer(people.queries.astype(machine.queries.dtype))
        values[:, here[here >= 0]] = people.values[:, here >= 0]
        if isinstance(machine, Preferences):  # those of a table: rounding is looked for in them
            machine = Preferences(*(getattr(machine, one.name) for one in fields(Preferences)))
        return [checked(replace(machine, values=values, machine=machine.values))]


def _joined(judged: Judged, machine: object) -> Judged:
    """Return the same runs joined to the machine's judgments by the same rules."""
    runs, _ = judged.tables
    topics = "judged" if judged.topics == "relevant" else judged.topics
    complete = judged.positions.complete
    try:
        made = join(runs, machine, level=judged.level, topics=topics, complete=complete, **judged.positions.rules)
    except NothingJudged as nothing:
        raise ValueError(
            f"no {nothing.role} of the runs is judged by the machine, so that nothing shows what its labels are worth: "
            f"{nothing.some}. Make the ids alike."
        ) from nothing
    return Judged(made.positions, made.level, made.topics, judged.said)


def _check_queries(judged: Judged, by_machine: Judged) -> None:
    """Raise unless the machine labelled what people did, and more."""
    people, judge = judged.queries, by_machine.queries
    lacking = people[~people.astype(object).isin(judge.astype(object))]
    if len(lacking) == len(people):
        raise ValueError(
            f"people and machine labelled no query in common: people's are {_examples(people)}, the machine's "
            f"{_examples(judge)}. What the machine is worth shows on queries that both labelled: let it label people's "
            "queries too, or see whether the ids are the same."
        )
    if len(lacking):
        raise ValueError(
            f"{len(lacking):,} of the {len(people):,} queries that people labelled have no labels by the machine: "
            f"{_examples(lacking)}. Let it label them too; else they have to leave people's judgments."
        )


def _check_grades(people: Table, machine: Table) -> None:
    """Raise where the machine labelled all that people did, and everything alike; a list of relevant items is none."""
    grade = numbers(machine.column("grade"), "grade")
    if not grade.size or (grade != grade[0]).any() or grade[0] <= 0:
        return
    own = numbers(people.column("grade"), "grade")
    ids = [
        pd.MultiIndex.from_arrays([one.column(role).astype(str) for role in ("query", "doc")])
        for one in (people, machine)
    ]
    if (own <= 0).any() and ids[0].isin(ids[1]).all():
        raise ValueError(
            f"the machine gives the grade {grade[0]:g} to everything, also to the {(own <= 0).sum():,} items that are "
            "not relevant by people's labels: it tells no item from another."
        )


def _check_relevant(judged: Judged, people: Scores | Preferences) -> None:
    """Raise where people labelled queries that do not count, and nobody can say which of the others would not."""
    counted = pd.Index(people.queries[~np.isnan(people.values).all(axis=(0, 2))])
    left = judged.queries[~judged.queries.isin(counted)]
    if judged.topics == "relevant" and len(left):
        raise ValueError(
            f"people found nothing relevant for {len(left):,} of the {len(judged.queries):,} queries that they "
            f"labelled: {_examples(left)}. topics='relevant' leaves them out, and cannot tell which of the other "
            "queries it would leave out. Say topics='judged', by which they count as 0."
        )


def _examples(ids: pd.Index) -> str:
    shown = ", ".join(repr(one) for one in ids[:3].tolist())
    return shown + (f", ... ({len(ids):,} in all)" if len(ids) > 3 else "")


def checked(cube: Cube) -> Cube:
    """Return a cube with machine labels; raise where it has too few queries of either kind, or labels never differ."""
    people, judge = cube.values, np.asarray(cube.machine)
    if not people.size:
        raise TooFew("the table has no runs, queries or measures: there is nothing to infer.")
    both = (~np.isnan(people) & ~np.isnan(judge)).any(axis=(0, 2)).sum()
    alone = (np.isnan(people) & ~np.isnan(judge)).any(axis=(0, 2)).sum()
    if both < 2:
        raise TooFew(
            f"people labelled {both} of the {len(cube.queries):,} queries; at least two show what a machine is worth."
        )
    if alone < 2:
        raise TooFew(
            f"the machine labelled {alone} {'query' if alone == 1 else 'queries'} beside the {both} that people "
            "labelled: nothing is to be gained from so few. Leave machine= out, or let it label more."
        )
    for number, label in enumerate(cube.measures):
        sides = (
            ("people's labels", people[number], judge[number]),
            ("the machine's labels", judge[number], people[number]),
        )
        for who, values, others in sides:
            known = values[~np.isnan(values)]
            if not known.size or not (known == known[0]).all():
                continue
            if isinstance(cube, Scores):
                what = f"{label} is {known[0]:g} for every run and query"
            elif known[0] == 0 and np.nan_to_num(others).any():
                what = f"{label} prefers no run to another on any query"
            else:  # runs that are all alike by both
                continue
            raise ValueError(
                f"by {who} {what}: they tell nothing apart. Are they labels of these queries and items, and is level= "
                "one of their grades?"
            )
    return cube


def estimates(cube: Scores, measure: int) -> Powered:
    """Return the prediction-powered means of all runs by a measure."""
    label = cube.measures[measure]
    check_mean(label, cube.attrs)
    arrays = cube.values[measure], np.asarray(cube.machine)[measure]
    if any(np.isinf(values).any() for values in arrays):
        raise ValueError(
            f"measure {label!r} has infinite values, which have no mean. Choose its variant that gives items never "
            "found a finite rank, or compare preferences instead."
        )
    made = powered(*arrays, probability=cube.probability)
    few = np.flatnonzero((made.n < 2) | (made.n_machine < 2))
    if len(few):
        raise TooFew(
            f"{run_labels(cube.runs)[few[0]]!r} has {made.n[few[0]]} queries by people and {made.n_machine[few[0]]} by "
            f"the machine alone of {label!r}; two of each are needed."
        )
    return made


def check_mean(label: str, attrs: Any) -> None:
    """Raise where a measure is not a mean over queries."""
    way = aggregate_of(label, attrs)
    if way != "mean":
        raise ValueError(f"{label} is a {way} over queries; machine labels sharpen means. Choose another measure.")
