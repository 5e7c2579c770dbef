"""Values by people and by a machine side by side: what runs score on queries that people labelled, and on more.

Which queries people labelled is what their judgments say. All others have a value by the machine alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.evaluate import pivot
from pdeval.evaluate.cube import Preferences, Scores
from pdeval.evaluate.pairs import select
from pdeval.evaluate.scores import scores
from pdeval.evaluate.sources import only
from pdeval.judged.judged import Judged, join
from pdeval.judged.prepared import NothingJudged
from pdeval.kinds.schemas import table
from pdeval.kinds.tables import Table, numbers
from pdeval.mechanics.arguments import TooFew

MEANS = {
    "human": "the value by people's labels; missing where they did not label the query",
    "machine": "the value by the machine's labels",
    "probability": "the chance with which the query was drawn for people, where chances differed",
}
table(
    "powered_scores",
    "run query measure human:float machine:float [probability:float]",
    "scores table with machine labels",
    row="run, query and measure",
    sort="run query",
    then=".summary(), .order(), .compare(), .report(), .label_next(), .bounds()",
    means=MEANS,
    undrawn="draw its .summary(), .order() or .compare()",
)
table(
    "powered_preferences",
    "query run_a run_b measure human:float machine:float [probability:float]",
    "preferences table with machine labels",
    row="query, pair of runs and measure",
    sort="query run_a run_b",
    then=".order(), .compare(), .report(), .label_next(), .bounds()",
    means=MEANS,
    undrawn="draw its .order() or .compare()",
)
KINDS = {"powered_scores": "scores", "powered_preferences": "preferences"}


@dataclass(frozen=True)
class TwoLabels:
    """Two cubes of the same runs, queries and measures, by people and by a machine.

    Parameters
    ----------
    people : Scores or Preferences
        NaN where people did not label a query.
    judge : Scores or Preferences
        The same by the machine; NaN where a query does not count.
    probability : ndarray of shape (queries,), optional
        The chance with which each query was drawn for people.
    """

    people: Scores | Preferences
    judge: Scores | Preferences
    probability: np.ndarray | None = None

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, one row each."""
        return self.judge.runs

    @property
    def queries(self) -> pd.Index:
        """All queries that the machine labelled."""
        return self.judge.queries

    @property
    def measures(self) -> tuple[str, ...]:
        """The labels of the measures."""
        return self.judge.measures

    @property
    def attrs(self) -> dict[Any, Any]:
        """What the numbers rest on."""
        return self.judge.attrs

    def frame(self) -> pd.DataFrame:
        """Return the tidy frame, with both values in a row."""
        axes = (2, 1, 0) if isinstance(self.judge, Scores) else (1, 2, 0)
        counted = ~np.isnan(self.judge.values.transpose(axes).ravel())
        frame = self.judge.frame().rename(columns={"value": "machine"})
        human = self.people.values.transpose(axes).ravel()[counted]
        frame.insert(frame.columns.get_loc("machine"), "human", human)  # type: ignore[arg-type]
        return frame


def two_labels(judged: Judged, machine: object, measures: object, **pairs: Any) -> TwoLabels:
    """Return what runs score by the judgments of a join, which are people's, and by those of a machine.

    The rules of the join hold for both. With topics='relevant' a query counts if people found something relevant, and
    nobody knows that of the queries that they did not label: every query of the machine counts, and where people
    labelled one without a relevant item, the caller has to say topics='judged'.

    Parameters
    ----------
    machine : DataFrame, nested dict or bound accessor
        Judgments by the machine, of all queries.
    measures : str, Measure, or list of them
        Measures of one ranking, or preferences.
    baseline, pairs : optional
        Which pairs of runs, as in `prefer`; then metrics prefer by their difference.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> human = qrels[qrels["query_id"].astype(int) < 121]
    >>> found = two_labels(runs.ireval.join(human, topics="common"), qrels, "AP")
    >>> found.judge.values.shape, int((~np.isnan(found.people.values[0, :, 0])).sum())
    ((1, 48, 12), 19)
    """
    asked = parse_all(measures)
    families = list(dict.fromkeys(measure.entry.family == "metric" for measure in asked))
    if len(families) > 1 and not pairs:
        named = [next(m.label for m in asked if (m.entry.family == "metric") == one) for one in families]
        raise ValueError(
            f"{named[0]} and {named[1]} are a measure of one ranking and a preference between two; with machine= ask "
            "for one kind at a time."
        )
    by_machine = _joined(judged, machine)
    _check_queries(judged, by_machine)
    _check_grades(judged.tables[1], by_machine.tables[1])

    def cube(one: Judged, *, tell: bool) -> Scores | Preferences:
        if pairs or not families[0]:
            return select(one, asked, tell=tell, **pairs).cube(False)
        return scores(one, asked, tell=tell)

    people, judge = cube(judged, tell=False), cube(by_machine, tell=True)
    _check_relevant(judged, people)
    values = np.full(judge.values.shape, np.nan)
    here = judge.queries.get_indexer(people.queries.astype(judge.queries.dtype))
    values[:, here[here >= 0]] = people.values[:, here >= 0]
    found = TwoLabels(replace(people, queries=judge.queries, values=values), judge)
    checked(found)
    return found


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


def held_twice(held: Table, measures: object = None) -> TwoLabels:
    """Return the two cubes of a table.

    Examples
    --------
    >>> from pdeval.kinds.tables import read
    >>> frame = pd.DataFrame({"run": "a", "query_id": ["1", "2", "3", "4"], "measure": "AP",
    ...                       "human": [0.1, 0.3, None, None], "machine": [0.2, 0.4, 0.6, 0.1]})
    >>> held_twice(read(frame, "powered_scores")).people.values.ravel().tolist()
    [0.1, 0.3, nan, nan]
    """
    own = replace(held, kind=KINDS[held.kind])
    own = own if measures is None else only(own, measures)
    frame, human = own.frame, own.frame[own.roles["human"]]
    known = human.notna()

    def cube(values: pd.Series) -> Any:
        made = replace(own, frame=frame.assign(_value=values), roles={**own.roles, "value": "_value"})
        return pivot.scores(made) if own.kind == "scores" else pivot.preferences(made)

    judge = cube(frame[own.roles["machine"]])
    mask = cube(known.astype(float)).values
    people = replace(judge, values=np.where(mask == 1, cube(human.where(known, 0.0)).values, np.nan))
    found = TwoLabels(people, judge, _probability(own, judge.queries))
    checked(found)
    return found


def _probability(held: Table, queries: pd.Index) -> np.ndarray | None:
    """Return the chance of each query, where the table has them."""
    if "probability" not in held.roles:
        return None
    name, query = held.roles["probability"], held.roles["query"]
    values = pd.Series(numbers(held.frame[name], name), index=held.frame.index)
    if not values.between(0, 1).all() or (values == 0).any():
        wrong = values[~values.between(0, 1) | (values == 0)]
        raise ValueError(
            f"the {name} column has {len(wrong):,} values that are no chance of being drawn, e.g. {wrong.iloc[0]:g}; a "
            "query that people labelled had one above 0, and none has more than 1."
        )
    each = values.groupby(held.frame[query], observed=True).agg(["min", "max"])
    if (each["min"] != each["max"]).any():
        first = each.index[each["min"] != each["max"]][0]
        raise ValueError(f"query {first!r} has several values in the {name} column; a query is drawn with one chance.")
    return each["min"].reindex(queries).to_numpy(dtype=float)


def checked(found: TwoLabels) -> None:
    """Raise where nothing can be inferred: too few queries of either kind, or labels that never differ."""
    people, judge = found.people.values, found.judge.values
    if not people.size:
        raise TooFew("the table has no runs, queries or measures: there is nothing to infer.")
    both = (~np.isnan(people) & ~np.isnan(judge)).any(axis=(0, 2)).sum()
    alone = (np.isnan(people) & ~np.isnan(judge)).any(axis=(0, 2)).sum()
    if both < 2:
        raise TooFew(
            f"people labelled {both} of the {len(found.queries):,} queries; at least two show what a machine is worth."
        )
    if alone < 2:
        raise TooFew(
            f"the machine labelled {alone} {'query' if alone == 1 else 'queries'} beside the {both} that people "
            "labelled: nothing is to be gained from so few. Leave machine= out, or let it label more."
        )
    for number, label in enumerate(found.measures):
        sides = (
            ("people's labels", people[number], judge[number]),
            ("the machine's labels", judge[number], people[number]),
        )
        for who, values, others in sides:
            known = values[~np.isnan(values)]
            if not known.size or not (known == known[0]).all():
                continue
            if isinstance(found.judge, Scores):
                what = f"{label} is {known[0]:g} for every run and query"
            elif known[0] == 0 and np.nan_to_num(others).any():
                what = f"{label} prefers no run to another on any query"
            else:  # runs that are all alike by both
                continue
            raise ValueError(
                f"by {who} {what}: they tell nothing apart. Are they labels of these queries and items, and is level= "
                "one of their grades?"
            )
