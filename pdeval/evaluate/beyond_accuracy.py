"""Runs without judgments: what their lists are, by measures that look at items alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pandas as pd

from pdeval.catalog import parse_all
from pdeval.evaluate.scores import scores
from pdeval.evaluate.summary import summary
from pdeval.join import duplicates, ids
from pdeval.join import lists as list_index
from pdeval.join.item_catalog import all_lists, catalogue_of
from pdeval.join.judged import Judged
from pdeval.join.positions import Rows, positions_of, unjudged
from pdeval.join.ranks import closed_gaps, scores_of, sorted_scores
from pdeval.join.rules import Compat, Ties, checked_rules
from pdeval.tables.reader import Table, together
from pdeval.verbs import verb

BEYOND = ("Novelty@10", "AvgPopularity@10", "Coverage@10", "Gini@10")
OF_JUDGMENTS = ("grade", "relevant")


@verb(
    on="runs",
    gives=("summary", "scores"),
    own=("items", "history"),
    meant_by={
        "coverage": "beyond(['Coverage@10'], items=items)",
        "novelty": "beyond(['Novelty@10'], history=history)",
    },
)
def beyond(
    runs: Table,
    measures: object = BEYOND,
    *,
    items: object = None,
    history: object = None,
    per: Literal["run", "query"] = "run",
    confidence: float = 0.95,
    draws: int = 200,
    seed: int | None = 0,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    depth: int | None = None,
    validate: bool = True,
) -> pd.DataFrame:
    """Return what the lists of each run are, beyond their accuracy: new, varied, popular, evenly spread.

    No judgments are needed, and every list counts that is there. Beside judgments, the same measures are asked with all
    others: `runs.ireval.summary(qrels, ["nDCG@10", "Coverage@10"], items=items, history=history)`.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures that look at items: of each list ("Novelty@10"), or of all lists of a run together ("Coverage@10").
    items : DataFrame or bound accessor, optional
        Every item that could be recommended: its id, and columns of numbers or features (genres, embeddings), one row
        per item or one per item and genre. Without it these are the items of the history.
    history : DataFrame or bound accessor, optional
        What users had before: user, item.
    per : {'run', 'query'}
        Means over the lists of a run, or the values of each list.
    draws : int
        In so many groups users are left out, for the intervals of measures of all lists together; 0 for none.
    ties : {'docid', 'rank', 'first'}, optional
        Order of equal scores: item id descending; the rank column; the order of rows. By default 'docid' where there
        are scores, else 'rank'.
    validate : bool
        Look for duplicate items in a list.

    Examples
    --------
    >>> runs = pd.DataFrame({"run": "pop", "user_id": list("uuvv"), "item_id": list("abac"), "score": [2, 1, 2, 1]})
    >>> history = pd.DataFrame({"user_id": list("uvwz"), "item_id": list("bbcd")})
    >>> items = pd.DataFrame({"item_id": list("abcde")})
    >>> runs.ireval.beyond(["Novelty@1", "Coverage@1", "Coverage@2"], items=items, history=history).iloc[:, :4]
       run     measure  n  mean
    0  pop   Novelty@1  2   2.0
    1  pop  Coverage@1  2   0.2
    2  pop  Coverage@2  2   0.6
    """
    asked = parse_all(measures)
    for one in asked:
        if one.entry.kind not in ("items", "set") or any(
            name in OF_JUDGMENTS for name in one.entry.columns
        ):
            what = "summary" if per == "run" else "measure"
            raise ValueError(
                f"{one.label} needs judgments: .ireval.{what}(qrels, [{one.label!r}], ...)."
            )
    rules = {"ties": ties, "compat": compat, "depth": depth, "validate": validate}
    lists = without_judgments(runs, items, history, **rules)  # type: ignore[arg-type]
    if per == "query":
        return scores(lists, asked).frame()
    return summary(lists, asked, confidence=confidence, draws=draws, seed=seed)


def without_judgments(
    runs: Table,
    items: object,
    history: object,
    *,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    depth: int | None = None,
    validate: bool = True,
) -> Judged:
    """Return the lists of a run table as a join with no judgments, in which every list counts that is there."""
    ties = checked_rules(ties, compat, depth, runs)
    if len(runs.frame) == 0:
        raise ValueError("the run table is empty; there is nothing to look at.")
    found, doc, score, catalogue = together(
        lambda: list_index.find_lists(runs),
        lambda: ids.column_ids(runs.column("doc"), "doc"),
        lambda: scores_of(runs, ties, compat),
        lambda: catalogue_of(items, history),
    )
    if validate:
        duplicates.no_duplicates(runs, doc, found)
    score, order = sorted_scores(score, found, ties)
    judged, topic = unjudged(found, doc)
    gaps = closed_gaps(score, found, ties)
    rows = Rows((runs, runs), judged, found, topic, doc, score, order, ties, gaps)
    positions = positions_of(rows, compat=compat, depth=depth)
    if catalogue is not None:
        positions = replace(positions, listed=all_lists(rows, catalogue, depth))
    made = Judged(positions, None, "answered", {"missing queries"})
    if gaps:
        made.tell_once("gaps", gaps)
    return made
