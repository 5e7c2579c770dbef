"""The first items of all lists of a Dask run table, gathered for measures of all lists together (coverage, Gini).

Of a list come k numbers of 4 bytes, the places of its items in the catalogue: 40 bytes for a list of ten. A million
users and ten runs are 400 MB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pdeval.catalog import Measure
from pdeval.engines import answers
from pdeval.engines.gathering import OPTION, limit, said, tree
from pdeval.judged.judged import Judged
from pdeval.judged.listed import Listed
from pdeval.judged.rank_columns import check_lists

if TYPE_CHECKING:
    from pdeval.engines.dask_judged import DaskJudged

PER_ITEM = 4


class FirstItems(Listed):
    """Lists of which only the first items are known, and no rows."""

    def deepest(self) -> int:
        """Return how many items of a list are known."""
        return len(next(iter(self.made.values())))


def with_lists(judged: DaskJudged, asked: Sequence[Measure]) -> Judged:
    """Return what is known of a join without ranks, with as many first items of its lists as measures look at."""
    import dask

    known, catalogue = judged.known, judged.plan.catalogue
    sets = [one for one in asked if one.entry.family == "set"]
    check_lists(catalogue is not None, known.positions.rules, sets[0].label)
    deepest = max(int(known.positions.retrieved.max(initial=1)), 1)
    depth = int(min(max(one.parameters.get("k", np.inf) for one in sets), deepest))
    shape = known.positions.retrieved.shape
    size = PER_ITEM * depth * shape[0] * shape[1]
    if size > limit():
        raise ValueError(
            f"{sets[0].label} looks at the first {depth:,} items of all lists together, which take {said(size)}; no "
            f"more than {said(limit())} are gathered. Ask for a smaller cutoff or fewer runs, or raise the bound: "
            f"dask.config.set({{'{OPTION}': '{said(2 * size)}'}})."
        )
    ask: Any = dask.delayed(answers.codes)
    cell, found = tree([ask(part, depth, shape[1]) for part in judged.plan.division().joins])
    codes = np.full((depth, shape[0] * shape[1]), -1, dtype=np.int32)
    codes[:, cell] = found
    rows: Any = None
    lists = FirstItems(
        rows,
        catalogue,  # type: ignore[arg-type]
        np.arange(shape[0]),
        np.arange(shape[1]),
        made={depth: codes.reshape(depth, *shape)},
    )
    return known.on(replace(known.positions, listed=lists))
