"""What the next relevant items say about the first: lexicographic precision as a model of reciprocal rank.

Where the first relevant item does not tell two rankings apart, the second does, and so on. That it may be trusted
shows in how well it foretells the first, where that one is known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.choice import chosen_pairs
from pdeval.evaluate.scores import Views
from pdeval.experiments.agreement import Per
from pdeval.experiments.deciding import places
from pdeval.judged.judged import Judged
from pdeval.kernels.levels import closer, share
from pdeval.kinds.labels import labels
from pdeval.kinds.schemas import table
from pdeval.mechanics.arguments import one_of
from pdeval.verbs import verb

CELLS = 1 << 20
PREDICTORS = ("sgnLP", "RR(i=2)")

table(
    "masked_agreement",
    "[query] measure pairs:int agreement:share",
    "table of agreement without the first relevant item",
    row="measure (and query, with per='query')",
    sort="measure query",
    then=".report()",
    means={
        "measure": "what foretells: lexicographic precision of the later items, or the second item alone",
        "pairs": "number of (query, pair of runs) whose first relevant items are at different ranks",
        "agreement": "share of those pairs that are foretold rightly, missing where there are none",
    },
    undrawn="it is two numbers; print the table itself",
)


@verb(
    on="judged",
    gives="masked_agreement",
    family="agree",
    name="masked",
    needs="relevant",
    formerly="masked_agreement",
)
def masked(judged: Judged, *, per: Per = "all", baseline: object = None, pairs: object = None) -> pd.DataFrame:
    """Return how often the run with the sooner first relevant item is foretold by the relevant items after it.

    Over pairs whose first relevant items are at different ranks: by `sgnLP`, lexicographic precision of the second
    and later items, and by `RR(i=2)`, the second item alone. A prediction of a tie is a miss.

    Parameters
    ----------
    per : {'all', 'query'}
        Over all queries together, or one row for every query.
    baseline : run, optional
        Only pairs of a run with this one.
    pairs : list of (run_a, run_b), or DataFrame of both, optional
        Only these pairs; by default every pair once.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Table 2.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").agree.masked().round(3)
       measure  pairs  agreement
    0    sgnLP   1366      0.865
    1  RR(i=2)   1366      0.832
    """
    one_of("per", per, ("all", "query"))
    a, b = chosen_pairs(judged.runs, baseline=baseline, pairs=pairs)
    counts = judged.counted()
    judged.tell(counts, pairs=(a, b))
    found = np.zeros((3, len(judged.queries)), dtype=np.int64)
    for block in Views(judged).blocks("binary", judged.level):
        if block.size == 0:
            continue
        rank, here = block["rank"], counts[block.topics]
        rest = np.zeros(block.shape, dtype=np.int64)
        for rest in places(rank[1:]):  # noqa: B007
            pass
        second = rank[1] if block.size > 1 else rest
        step = max(CELLS // max(block.shape[0], 1), 1)
        for first in range(0, len(a), step):
            x, y = a[first : first + step], b[first : first + step]
            target = closer(rank[0][:, x], rank[0][:, y])
            target[~(here[:, x] & here[:, y])] = 0
            told = target != 0
            found[0, block.topics] += told.sum(axis=1)
            for row, guess in enumerate((rest, second), start=1):
                found[row, block.topics] += (told & (closer(guess[:, x], guess[:, y]) == target)).sum(axis=1)
    kept = np.flatnonzero(counts.any(axis=1))
    found = found[:, kept] if per == "query" else found.sum(axis=1, keepdims=True)
    width = found.shape[1]
    columns: dict[str, Any] = {}
    if per == "query":
        columns[str(judged.queries.name)] = labels(judged.queries[kept], np.tile(np.arange(width), 2))
    columns["measure"] = labels(pd.Index(PREDICTORS), np.repeat([0, 1], width))
    count = np.tile(found[0], 2)
    rate = np.where(count > 0, share(found[1:].ravel(), count), np.nan)
    frame = pd.DataFrame({**columns, "pairs": count, "agreement": rate})
    frame.attrs.update(judged.attrs)
    return frame
