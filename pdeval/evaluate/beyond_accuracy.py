"""Runs without judgments: measures of the items of their lists."""

from dataclasses import replace
from typing import Literal

import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate.scores import scores
from pdeval.evaluate.summary import summary
from pdeval.join import (
    Compat,
    Judged,
    Rows,
    Ties,
    all_lists,
    catalog_of,
    checked_rules,
    closed_gaps,
    duplicates,
    ids,
    positions_of,
    scores_of,
    sorted_scores,
    unjudged,
)
from pdeval.join import (
    lists as list_index,
)
from pdeval.tables import Table, together
from pdeval.verbs import verb

BEYOND = ("Novelty@10", "AvgPopularity@10", "Coverage@10", "Gini@10")
OF_JUDGMENTS = ("grade", "relevant")


@verb(
    on="runs",
    returns=("summary", "scores"),
    own=("items", "history"),
    other_names={
        "coverage": "beyond(['Coverage@10'], items=items)",
        "novelty": "beyond(['Novelty@10'], history=history)",
    },
)
def beyond_accuracy(
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
    """Return the novelty, diversity, popularity and coverage of the lists of each run.

    No judgments are needed, and every list counts. To compute the same measures together with measures that need
    judgments, use `runs.ireval.summary(qrels, ["nDCG@10", "Coverage@10"], items=items, history=history)`.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures of items: of each list ("Novelty@10"), or of all lists of a run together ("Coverage@10").
    items : DataFrame or bound accessor, optional
        Table of all items that can be recommended: item id, and columns with numbers or features (genres, embeddings),
        with one row per item, or one per item and genre. The items of the history by default.
    history : DataFrame or bound accessor, optional
        Table of the items that each user had before: user, item.
    per : {'run', 'query'}
        Whether rows are means over the lists of a run, or values of each list.
    draws : int
        Number of jackknife groups of users, for the intervals of measures of all lists together; 0 for no intervals.
    ties : {'docid', 'rank', 'first'}, optional
        Order of equal scores: by item id, descending; by the rank column; by row order. By default 'docid' if there
        are scores, else 'rank'.
    validate : bool
        Whether to check for duplicate items in a list.

    Examples
    --------
    >>> runs = pd.DataFrame({"run": "pop", "user_id": list("uuvv"), "item_id": list("abac"), "score": [2, 1, 2, 1]})
    >>> history = pd.DataFrame({"user_id": list("uvwz"), "item_id": list("bbcd")})
    >>> items = pd.DataFrame({"item_id": list("abcde")})
    >>> runs.ireval.beyond_accuracy(["Novelty@1", "Coverage@1", "Coverage@2"], items=items, history=history).iloc[:, :4]
       run     measure  n  mean
    0  pop   Novelty@1  2   2.0
    1  pop  Coverage@1  2   0.2
    2  pop  Coverage@2  2   0.6
    """
    requested, made = lists_of_runs(
        runs,
        measures,
        "summary" if per == "run" else "measure",
        items=items,
        history=history,
        ties=ties,
        compat=compat,
        depth=depth,
        validate=validate,
    )
    if per == "query":
        return scores(made, requested).frame()
    return summary(made, requested, confidence=confidence, draws=draws, seed=seed)


def lists_of_runs(
    runs: Table,
    measures: object,
    verb_name: str,
    *,
    items: object = None,
    history: object = None,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    depth: int | None = None,
    validate: bool = True,
) -> tuple[list[Measure], Judged]:
    """Return the measures, and the runs as a join without judgments, in which every list counts."""
    requested = parse_all(measures)
    for one in requested:
        if one.entry.kind not in ("items", "set") or any(
            name in OF_JUDGMENTS for name in one.entry.columns
        ):
            raise ValueError(
                f"{one.label} needs judgments: .ireval.{verb_name}(qrels, [{one.label!r}], ...)."
            )
    ties = checked_rules(ties, compat, depth, runs)
    if len(runs.frame) == 0:
        raise ValueError("the run table is empty.")
    lists, doc, score, catalog = together(
        lambda: list_index.find_lists(runs),
        lambda: ids.column_ids(runs.column("doc"), "doc"),
        lambda: scores_of(runs, ties, compat),
        lambda: catalog_of(items, history),
    )
    if validate:
        duplicates.no_duplicates(runs, doc, lists)
    step, order = sorted_scores(score, lists, ties)
    judged, topic = unjudged(lists, doc)
    gaps = closed_gaps(score, order, lists, ties)
    rows = Rows((runs, runs), judged, lists, topic, doc, step, order, ties, gaps)
    positions = positions_of(rows, compat=compat, depth=depth)
    if catalog is not None:
        positions = replace(positions, listed=all_lists(rows, catalog, depth))
    # a join without judgments, in which every list counts
    made = Judged(positions, None, "answered", {"missing queries"})
    if gaps:
        made.warn_once("gaps", gaps)
    return requested, made
