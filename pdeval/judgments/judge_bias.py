"""Does a judge favour some systems? What it says of the items that each of them retrieved, against what people say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.join.ranks import Ties
from pdeval.join.run_lists import Compat
from pdeval.judgments.judge_comparison import judges_of, on_scale
from pdeval.judgments.pools import Pool, pooled
from pdeval.kernels.primitives import share
from pdeval.significance.corrections import Correction, adjust, which_correction
from pdeval.significance.registry import which_test
from pdeval.significance.test_result import Outcome
from pdeval.tables.labels import labels as repeated
from pdeval.tables.reader import Table, read
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import TooFew

table(
    "judge_bias",
    "judge:any run n:int items:int higher:share lower:share bias:float favour:float ci_low:float ci_high:float "
    "p_value:float p_adjusted:float significant:bool",
    "bias of judges by run",
    known_by="judge higher lower bias favour",
    row="judge and run",
    sort="judge run",
    then=".report(), .plot()",
    means={
        "judge": "whose labels are held against those of people",
        "n": "queries on which the run returned an item that both labelled",
        "items": "such items, down to the depth",
        "higher": "share of them that the judge grades higher than people",
        "lower": "share of them that the judge grades lower",
        "bias": "mean grade by the judge minus that by people: mean over queries of the mean over items",
        "favour": "bias minus the mean bias of all runs, query by query: positive where the judge favours the run",
        "ci_low": "lower end of the interval of favour",
        "ci_high": "its upper end",
        "p_value": "of the t-test that favour is 0",
        "p_adjusted": "corrected for the number of runs of the judge",
    },
)


@verb(on="runs", gives="judge_bias", family="judges", name="bias", own="depth", grouped=False)
def judge_bias(
    runs: Table,
    qrels: object,
    machine: object,
    *,
    depth: int = 10,
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
    confidence: float = 0.95,
    grades: Mapping[object, float] | None = None,
    scale: Sequence[float] | None = None,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return how each judge grades the items that each run returned, against people, and so which runs it favours.

    A judge who is lenient with everything favours nobody: `favour` is the bias of a run less the mean bias of all runs
    on the same query. Only items that people and the judge labelled count.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        People's judgments.
    machine : mapping of name to DataFrame, or DataFrame
        The judges' own judgments; see `judges`.
    depth : int
        How far down each list is read.
    correction : str or None
        ... All runs are corrected together.
    confidence : float
        ... That of favour is Student's over queries; it is not corrected for the number of runs.
    scale : list of numbers, optional
        The grades that there are; see `judges`.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> rerank = runs[runs["run"].str.startswith("rerank") & (runs["rank"] <= 10)]
    >>> liked = qrels.merge(rerank[["query_id", "doc_id"]].drop_duplicates().assign(liked=1), how="left")
    >>> llm = qrels.assign(relevance=(liked["relevance"] + (liked["liked"] == 1)).clip(upper=3))
    >>> found = runs.ireval.judges.bias(qrels, {"llm": llm})
    >>> found[["judge", "run", "items", "higher", "bias", "favour", "significant"]].iloc[[0, 7, 8]].round(3)
      judge        run  items  higher   bias  favour  significant
    0   llm       bm25    500   0.172  0.172  -0.103         True
    7   llm  rerank-s1    420   0.736  0.736   0.462         True
    8   llm  rerank-s2    421   0.729  0.734   0.459         True
    """
    human, machines = read(qrels, "qrels"), judges_of(machine, grades)
    on_scale(human, machines, scale)
    correction = which_correction(correction)  # type: ignore[assignment]
    pool = pooled(runs, depth, ties=ties, compat=compat, validate=validate)
    by_people = pool.grades(human)
    parts = []
    for name, judgments in sorted(machines.items(), key=lambda one: str(one[0])):
        apart = pool.grades(judgments) - by_people
        if np.isnan(apart).all():
            raise ValueError(
                f"people and judge {name!r} have no item in common among the first {depth} of any run; of the "
                f"{len(apart):,} items there, people labelled {int((~np.isnan(by_people)).sum()):,}. Are items and "
                "queries named alike on both sides?"
            )
        parts.append(_of_judge(pool, apart, name, correction=str(correction), alpha=alpha, confidence=confidence))
    frame = pd.concat(parts, ignore_index=True)
    frame.attrs.update(pool.attrs, correction=correction, alpha=alpha, confidence=confidence, test="t")
    return frame


def _of_judge(
    pool: Pool, apart: np.ndarray, name: object, *, correction: str, alpha: float, confidence: float
) -> pd.DataFrame:
    """Return the rows of one judge, from how much higher than people it grades each item of the pool."""
    number, queries = len(pool.runs), len(pool.queries)
    known = ~np.isnan(apart[pool.item])
    run, difference = pool.run[known], apart[pool.item[known]]
    cell = pool.query[pool.item[known]] * number + run
    count = np.bincount(cell, minlength=queries * number).reshape(queries, number)
    total = np.bincount(cell, difference, minlength=queries * number).reshape(queries, number)
    mean = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    answered = (count > 0).sum(axis=1, keepdims=True)
    usual = np.divide(
        np.nansum(mean, axis=1, keepdims=True), answered, out=np.zeros(answered.shape), where=answered > 0
    )
    n = (count > 0).sum(axis=0)
    if n.max(initial=0) < 2:
        raise TooFew(
            f"a test over queries needs two of them, and judge {name!r} has items in common on {n.max()} only."
        )
    found: Outcome = which_test("t")(mean - usual, confidence=confidence)
    enough = n > 1
    p_value = np.where(enough, found.p_value, np.nan)
    adjusted = adjust(p_value, np.zeros(number, dtype=np.int64), correction=correction, alpha=alpha)
    items = np.bincount(run, minlength=number)
    columns: dict[str, Any] = {"judge": [name] * number}
    columns |= {one: repeated(pool.runs[one], np.arange(number)) for one in pool.runs.columns}
    columns |= {"n": n, "items": items}
    for side, which in (("higher", difference > 0), ("lower", difference < 0)):
        columns[side] = share(np.bincount(run, which, minlength=number), items)
    with np.errstate(invalid="ignore", divide="ignore"):
        columns["bias"] = np.nansum(mean, axis=0) / np.where(n > 0, n, np.nan)
    columns["favour"] = np.where(n > 0, found.mean, np.nan)
    columns["ci_low"], columns["ci_high"] = (np.where(enough, end, np.nan) for end in (found.ci_low, found.ci_high))
    columns |= {"p_value": p_value, "p_adjusted": adjusted, "significant": adjusted < alpha}
    return pd.DataFrame(columns)
