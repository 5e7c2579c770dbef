"""The table of systems and measures from few labels by people and many by a machine, with the footnote that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import Scores
from pdeval.evaluate.two_labels import TwoLabels, held_twice
from pdeval.kinds.tables import Table, read
from pdeval.mechanics import arguments
from pdeval.report.cells import Best, Interval
from pdeval.report.notes import words
from pdeval.report.spec import Report
from pdeval.report.systems import Marks, report
from pdeval.report.verdict import MOST_LETTERS
from pdeval.significance.corrections import Correction
from pdeval.significance.powered_order import rated
from pdeval.significance.powered_verbs import compared_twice, summed_up
from pdeval.verbs import verb


@verb(on=("powered_scores", "powered_preferences"), name="report", core=True)
def powered_report(
    held: Table,
    measures: object = None,
    *,
    baseline: object = None,
    marks: Marks | None = "auto",
    test: str | None = None,
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
    interval: Interval | None = "ci",
    digits: int | Mapping[str, int] = 3,
    group: str | Sequence[str] | None = None,
    metadata: pd.DataFrame | None = None,
    columns: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
    sort: str | Sequence[object] | None = None,
    best: Best | None = "table",
    arrows: bool = True,
    caption: str | None = None,
    label: str | None = None,
    notes: str | Sequence[str] | None = None,
    footnotes: bool = True,
) -> Report:
    """Return the table of systems as a paper prints it: estimates by people's labels, made sharper by a machine's.

    The footnote says how many queries people labelled, how many the machine did, and how many queries people alone
    would have had to label for intervals as narrow.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        Which of the table's measures; by default all.
    baseline : run id, tuple of ids, or list of them, optional
        The run that daggers compare with.
    marks : {"auto", "letters", "daggers"} or None
        As in the report of a scores table.
    test : {'ppi'}, optional
        The prediction-powered t-test: there is no other with machine labels.
    correction : str or None
        The correction for the number of comparisons, by its name in `compare`.
    alpha : float
        The significance level; 1 - alpha is the confidence of intervals.
    interval : {"ci"} or None
        Adds the confidence interval.
    digits, group, metadata, columns, names, sort, best, arrows, caption, label, notes, footnotes
        As in the report of a scores table.

    Examples
    --------
    >>> import pdeval
    >>> runs, machine, _ = pdeval.datasets.load_sample()
    >>> runs = runs[runs["run"].isin(["bm25", "hybrid"])]
    >>> human = machine[machine["query_id"].astype(int) < 121]
    >>> found = runs.ireval.report(human, "AP", machine=machine, topics="common", baseline="bm25")
    >>> print(found.to_markdown().partition("Best")[0].strip())
    | System |                                 AP ↑ |
    |:-------|-------------------------------------:|
    | bm25   |                 0.328 [0.284, 0.371] |
    | hybrid | **0.505**<sup>†</sup> [0.446, 0.563] |
    >>> found.notes[-1]
    "Prediction-powered estimates and intervals: people's labels of 20 queries and a machine's of 30 more are worth 49
    to 50 queries labelled by people."
    """
    arguments.share("alpha", alpha)
    if interval not in ("ci", None):
        raise ValueError(f"interval={interval!r}: with machine labels there is interval='ci', or None.")
    found = held_twice(held, measures)
    scored = found if isinstance(found.judge, Scores) else _per_opponent(found)
    frame = summed_up(scored, 1 - alpha)
    frame.attrs["table"] = "summary"
    quiet = marks is None or (marks == "auto" and baseline is None and len(found.runs) > MOST_LETTERS)
    compared = None
    if not quiet and len(found.runs) > 1:
        how: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha}
        compared = compared_twice(found, baseline=baseline, **how)
    own = [] if scored is found else ["Cells are mean preferences over all other systems."]
    own += _gained(frame) if footnotes else []
    given = [notes] if isinstance(notes, str) else list(notes or ())
    return report(
        read(frame.drop(columns=["human", "machine", "lam", "df", "n_machine", "effective_n"]), "summary"),
        baseline=baseline,
        marks=marks,
        comparisons=compared,
        interval=interval,
        digits=digits,
        group=group,
        metadata=metadata,
        columns=columns,
        names=names,
        sort=sort,
        best=best,
        arrows=arrows,
        caption=caption,
        label=label,
        notes=[*own, *given],
        footnotes=footnotes,
    )


def _per_opponent(found: TwoLabels) -> TwoLabels:
    """Return the mean preference of each run over its opponents, as scores."""
    others = len(found.runs) - 1
    made = rated(found)
    people, judge = (replace(cube, values=cube.values / others) for cube in (made.people, made.judge))
    return replace(made, people=people, judge=judge)


def _gained(frame: pd.DataFrame) -> list[str]:
    """Return the footnote: how many queries of each kind, and what the machine is worth.

    Examples
    --------
    >>> _gained(pd.DataFrame({"n": [50, 50], "n_machine": [550, 550], "effective_n": [96.8, 104.1]}))
    ["Prediction-powered estimates and intervals: people's labels of 50 queries and a machine's of 550 more are worth 97
    to 104 queries labelled by people."]
    """
    said = words(frame.attrs)
    counts = [_range(frame[name]) for name in ("n", "n_machine", "effective_n")]
    return [
        f"Prediction-powered estimates and intervals: people's labels of {counts[0]} {said.queries} and a machine's of "
        f"{counts[1]} more are worth {counts[2]} {said.queries} labelled by people."
    ]


def _range(values: pd.Series) -> str:
    least, most = (int(np.rint(end)) for end in (values.min(), values.max()))
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"
