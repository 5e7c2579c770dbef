"""The door: `.ireval` on every DataFrame. Signatures, examples, and no arithmetic."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pdeval.accessor.collections import CollectionVerbs
from pdeval.accessor.experiments import ExperimentVerbs
from pdeval.accessor.results import ResultVerbs
from pdeval.accessor.runs import RunVerbs
from pdeval.accessor.significance import SignificanceVerbs
from pdeval.kinds import tables


@pd.api.extensions.register_dataframe_accessor("ireval")
class Ireval(RunVerbs, ResultVerbs, SignificanceVerbs, ExperimentVerbs, CollectionVerbs):
    """Evaluation of rankings on a DataFrame: measures, preferences, orderings, significance.

    `df.ireval` understands run tables, judgments, and the tables that its own verbs return. `repr(df.ireval)` says
    what was understood. `df.ireval(query="topic_no", run=["model", "seed"])` binds other column names to roles.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_runs().ireval
    run table: 12 runs x 50 queries, 59,800 rows, ranked by score; next: .measure(qrels), .prefer(qrels)
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self._binding: dict[str, Any] = {}

    def __call__(self, **binding: Any) -> Ireval:
        """Return the accessor with roles bound to columns: `run`, `query`, `doc`, `score`, `rank`, `grade`, ...

        Examples
        --------
        >>> qrels = pd.DataFrame({"topic_no": ["1"], "docno": ["d"], "label": [1]})
        >>> qrels.ireval(query="topic_no")
        judgments table: 1 query, 1 item, 1 relevant
        """
        bound = Ireval(self._frame)
        bound._binding = tables._checked_binding(self._frame, {**self._binding, **binding}, "runs")
        return bound

    def __repr__(self) -> str:
        from pdeval.accessor.describe import describe

        return describe(self._frame, self._binding)
