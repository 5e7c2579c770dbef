"""What a gain is worth: the error that one run takes from another, and the steps from MAP to search length."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.catalog import parse
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.run_selection import place_of
from pdeval.evaluate.scores import scores
from pdeval.evaluate.sources import Held, sources
from pdeval.join.judged import Judged
from pdeval.kernels.search_length import Unretrieved, relative_reduction_in_error
from pdeval.studies.search_length_items import chosen, items
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb

table(
    "rrie",
    "run_a run_b measure mean_a:float mean_b:float rrie:float",
    "table of error reduction",
    row="measure",
    sort="measure",
    then=".report()",
    means={
        "run_a": "the old run",
        "run_b": "the new run",
        "mean_a": "mean of the old run over the queries",
        "mean_b": "mean of the new run over the queries",
        "rrie": "relative reduction in error, negative for a loss, missing where the old run is perfect",
    },
    undrawn="it is one number per measure; print the table itself",
)
table(
    "ablation",
    "step measure_old measure_new runs:int delta_sort:float tau_b:float delta_value:float",
    "table of the steps from MAP to search length",
    row="step from one measure to the next, the last from the first to the last at once",
    then=".report()",
    means={
        "step": "what the step changes",
        "measure_old": "the measure before it",
        "measure_new": "the measure after it",
        "runs": "number of systems",
        "delta_sort": "how many places, of 100, the system moves that moves most",
        "delta_value": "mean over systems of new / old value; a search length counts with its reciprocal",
    },
    undrawn="it is four rows; print the table itself",
)


@verb(on=("scores", "judged"), gives="rrie", family="lengths", name="rrie", formerly="rrie")
def rrie(held: Held, run_a: object, run_b: object, measures: object = ("AP", "P@10", "ASL")) -> pd.DataFrame:
    """Return the relative reduction in error from one run to another, by each measure.

    The error is the distance to the best value, 1 both for precision-like measures and for search lengths:
    ((1 - a) - (1 - b)) / (1 - a), and ((a - 1) - (b - 1)) / (a - 1). On runs, topics="common" means what both runs
    answered.

    Parameters
    ----------
    run_a : run
        The old run.
    run_b : run
        The new run.
    measures : str, Measure, or list of them, optional
        ... Their best value has to be 1.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Table 1, equations 11 and 12.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").lengths.rrie("bm25", "bm25+rm3").round(3)
      run_a     run_b measure  mean_a  mean_b   rrie
    0  bm25  bm25+rm3      AP   0.328   0.337  0.014
    1  bm25  bm25+rm3    P@10   0.452   0.462  0.018
    2  bm25  bm25+rm3     ASL  37.664  35.865  0.049
    """
    cube = scores(chosen(held, [run_a, run_b]), measures) if isinstance(held, Judged) else sources(held, measures)[0]
    if not isinstance(cube, Scores):
        raise ValueError("error reduction is of measures of one ranking; preferences have none.")
    for name, higher in zip(cube.measures, cube.higher):
        if higher and _best_value(name) != 1:
            raise ValueError(
                f"{name} has no best value of 1, so that there is no error to reduce; use e.g. nDCG for DCG."
            )
    a, b = (place_of(cube.runs, run) for run in (run_a, run_b))
    means = np.nanmean(cube.values, axis=1)
    columns = {
        f"{name}_{side}": labels(cube.runs[name], np.full(len(cube.measures), run))
        for side, run in (("a", a), ("b", b))
        for name in cube.runs.columns
    }
    columns["measure"] = labels(pd.Index(cube.measures), np.arange(len(cube.measures)))
    reduction = relative_reduction_in_error(means[:, a], means[:, b])
    frame = pd.DataFrame({**columns, "mean_a": means[:, a], "mean_b": means[:, b], "rrie": reduction})
    frame.attrs.update(cube.attrs)
    return frame


def _best_value(label: str) -> float:
    """Return the largest value of a measure; 1 where its label is the caller's own and does not tell."""
    try:
        return float(parse(label).entry.range[1])
    except (KeyError, ValueError):
        return 1.0


@verb(
    on="judged",
    gives="ablation",
    family="lengths",
    name="ablation",
    needs="relevant",
    formerly="ablation",
)
def ablation(
    judged: Judged, *, margin: float = 0.1, alpha: float = 0.05, unretrieved: Unretrieved = "run"
) -> pd.DataFrame:
    """Return how systems move along the steps from mean average precision to atomized search length.

    MAP; the mean of 1 / ASL over items; the harmonic mean within the query, 1 / ASL of the query; the harmonic mean
    over queries, 1 / ASL; and from the first to the last at once. A list of relevant items only has a search length
    of 0 for those it lacks; it counts as 1 here, which has a reciprocal.

    Parameters
    ----------
    margin : float
        A system is better than another if its mean is better by at least this fraction of the other's mean, and the
        difference is significant.
    alpha : float
        Significance level: the two-sided paired t-test gives a p-value of at most this.
    unretrieved : {'run', 'corpus'}
        An item that was not retrieved has the number of irrelevant items that the run returned; or it stands behind
        all irrelevant items of the query's corpus, as it always does in a run that returned nothing.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, section 4.4 and Table 2.

    Examples
    --------
    >>> import pdeval
    >>> table = pdeval.datasets.sample_judged(topics="common").lengths.ablation()
    >>> table[["step", "delta_sort", "tau_b", "delta_value"]].round(3)
                           step  delta_sort  tau_b  delta_value
    0         atomise precision      16.667  0.970        0.500
    1    aggregate within query      16.667  0.939        0.212
    2  aggregate across queries      16.667  1.000        0.790
    3                cumulative       8.333  0.970        0.083
    """
    from pdeval.significance.delta_sort import delta_sort_chain

    precision = scores(judged, "AP")
    rows = items(judged, unretrieved=unretrieved)
    rows["asl"] = rows["asl"].clip(lower=1.0)
    frame = delta_sort_chain(precision, rows, margin=margin, alpha=alpha)
    frame.attrs.update(precision.attrs)
    return frame
