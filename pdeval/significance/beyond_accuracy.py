"""Differences between runs in the novelty, diversity, popularity and coverage of their lists, over users."""

import pandas as pd

from pdeval.evaluate import BEYOND, lists_of_runs
from pdeval.join import Compat, Ties
from pdeval.significance.compare import compare
from pdeval.significance.corrections import JointCorrection
from pdeval.tables import Table
from pdeval.verbs import verb


@verb(
    on="runs",
    returns="comparisons",
    family="beyond_accuracy",
    name="compare",
    own=("items", "history"),
)
def compare_lists(
    runs: Table,
    measures: object = BEYOND,
    *,
    items: object = None,
    history: object = None,
    baseline: object = None,
    correction: JointCorrection | None = "auto",
    alpha: float = 0.05,
    confidence: float | None = None,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    depth: int | None = None,
    validate: bool = True,
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the differences of measures of items between runs, with intervals over users.

    No judgments are needed. `runs.ireval.compare(qrels, ["nDCG@10", "Coverage@10"], items=items)` compares the same
    measures together with measures that need judgments.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures of items: of each list ("Novelty@10"), or of all lists of a run together ("Coverage@10").
    items : DataFrame or bound accessor, optional
        Table of all items that can be recommended, as in `beyond_accuracy`.
    history : DataFrame or bound accessor, optional
        Table of the items that each user had before: user, item.
    correction : str or None
        Correction for the number of comparisons of a measure, as in `compare`.
    confidence : float, optional
        Confidence level of the intervals; by default 1 - alpha.
    ties : {'docid', 'rank', 'first'}, optional
        Order of equal scores, as in `beyond_accuracy`.
    validate : bool
        Whether to check for duplicate items in a list.

    Notes
    -----
    A measure of all lists together has no value per user. It is compared by the t-test of jackknife pseudo-values of
    200 groups of users (of each user, if there are fewer); `n` is the number of groups. In simulations with 100 users,
    95% intervals of differences of Coverage, Gini and Entropy covered 96 to 99%.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> user, rank = (axis.ravel() for axis in np.indices((40, 5)))
    >>> lists = {run: rng.permuted(np.tile(np.arange(size), (40, 1)), axis=1)[:, :5].ravel()
    ...          for run, size in (("wide", 90), ("narrow", 30))}
    >>> both = pd.concat(pd.DataFrame({"run": run, "user_id": user, "item_id": item, "score": -rank})
    ...                  for run, item in lists.items())
    >>> items = pd.DataFrame({"item_id": range(100)})
    >>> result = both.ireval.beyond_accuracy.compare("Coverage@5", items=items, baseline="narrow")
    >>> result[["run_a", "run_b", "n", "mean_a", "mean_b", "difference", "ci_low", "ci_high"]].round(2)
      run_a   run_b   n  mean_a  mean_b  difference  ci_low  ci_high
    0  wide  narrow  40     0.8     0.3         0.5    0.42     0.58
    """
    requested, made = lists_of_runs(
        runs,
        measures,
        "compare",
        items=items,
        history=history,
        ties=ties,
        compat=compat,
        depth=depth,
        validate=validate,
    )
    return compare(
        made,
        requested,
        baseline=baseline,
        correction=correction,
        alpha=alpha,
        confidence=confidence,
        draws=draws,
        seed=seed,
        progress=progress,
    )
