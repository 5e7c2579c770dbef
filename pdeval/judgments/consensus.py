"""One label for each item from those of many assessors: judgments to go on with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.judgments.assessor_swaps import grades_of
from pdeval.judgments.crowds import crowd_of, said_of
from pdeval.judgments.labels import coded, items_of, label_names
from pdeval.tables.equal_values import NOISE
from pdeval.tables.labels import labels as repeated
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import one_of

table(
    "consensus",
    "[query] doc relevance:float labels:int share:share",
    "consensus of assessors",
    known_by="doc relevance labels share",
    row="item",
    sort="query doc",
    then="runs.ireval.measure(consensus)",
    means={
        "relevance": "the grade of the label that was chosen",
        "labels": "how many labels the item has",
        "share": "of them that are the chosen one; under a model the probability that it is the true one",
    },
    unreported="it is a table of judgments, which a report rests on; report scores",
    undrawn="it is a table of judgments, which a plot rests on; draw scores",
)


@verb(on="labels", gives="consensus")
def consensus(
    labels: Table,
    *,
    method: Literal["majority", "dawid_skene"] = "majority",
    ties: Literal["lowest", "highest"] | None = None,
    grades: Mapping[object, float] | None = None,
    repeats: bool = False,
    steps: int = 1000,
) -> pd.DataFrame:
    """Return one grade for each item from the labels of all assessors: judgments, to be used as such at once.

    Parameters
    ----------
    method : {'majority', 'dawid_skene'}
        The label that most assessors gave; or the most probable one where every assessor has an own table of errors,
        estimated together with the labels (see `assessors`).
    ties : {'lowest', 'highest'}, optional
        Which of several labels with equally many votes, or equal probability: that of the lowest or of the highest
        grade. By default a tie is an error.
    repeats : bool
        Whether an assessor may have labelled an item more than once, and each counts; by default that is an error.
    steps : int
        The most steps of the EM algorithm of 'dawid_skene'.

    References
    ----------
    Dawid and Skene (1979), Maximum likelihood estimation of observer error-rates using the EM algorithm.

    Examples
    --------
    >>> labels = pd.DataFrame({"query_id": "1", "doc_id": list("aaabbb"), "assessor": ["ann", "bob", "cy"] * 2,
    ...                        "label": [2, 2, 0, 0, 0, 0]})
    >>> labels.ireval.consensus().round(3)
      query_id doc_id  relevance  labels  share
    0        1      a          2       3  0.667
    1        1      b          0       3  1.000
    """
    method = one_of("method", method, ("majority", "dawid_skene"))  # type: ignore[assignment]
    if ties is not None:
        ties = one_of("ties", ties, ("lowest", "highest"))  # type: ignore[assignment]
    said: dict[str, Any] = {f"{role}_column": str(name) for role, name in labels.roles.items()}
    if method == "dawid_skene":
        crowd = crowd_of(labels, order=None, repeats=repeats, steps=steps)
        read, names, share, said = crowd.labels, crowd.names, crowd.fit.posterior, said_of(labels, crowd)
    else:
        read, _, _ = coded(labels, repeats=repeats)
        names = label_names(labels)
        votes = read.counts().toarray()
        share = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1)
    if not len(read.item):
        raise ValueError(f"the label table holds no labels: column {labels.roles['label']!r} is empty.")
    worth = grades_of(pd.Series(names), grades)
    items = items_of(labels, read)
    by_grade = np.argsort(worth, kind="stable")
    ranked = share[:, by_grade]
    best = ranked >= ranked.max(axis=1, keepdims=True) - NOISE
    tied = best.sum(axis=1) > 1
    if tied.any() and ties is None:
        at = int(np.flatnonzero(tied)[0])
        example = tuple(items.iloc[at])
        those = " and ".join(repr(names.tolist()[by_grade[one]]) for one in np.flatnonzero(best[at]))
        other = " or weigh the assessors with method='dawid_skene'" if method == "majority" else ""
        raise ValueError(
            f"{int(tied.sum()):,} of {len(items):,} items have a tie for the first label, e.g. {example} between "
            f"{those}. Say ties='lowest' or ties='highest'{',' if other else ''}{other}."
        )
    chosen = best.argmax(axis=1) if ties != "highest" else best.shape[1] - 1 - best[:, ::-1].argmax(axis=1)
    columns: dict[str, Any] = {name: repeated(items[name], np.arange(len(items))) for name in items.columns}
    columns["relevance"] = worth[by_grade[chosen]]
    columns["labels"] = np.bincount(read.item)
    frame = pd.DataFrame({**columns, "share": ranked[np.arange(len(items)), chosen]})
    frame.attrs.update(said, method=method, grade_column="relevance")
    return frame
