"""Verbs of label tables: how far assessors agree, and what runs make of their differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from pdeval.accessor import columns
from pdeval.kinds import tables

if TYPE_CHECKING:
    from pdeval.collections.assessors import Coefficient


class LabelVerbs:
    """What a label table (item, assessor, label) says about its assessors."""

    _frame: pd.DataFrame
    _binding: dict[str, Any]

    def assessor_agreement(
        self,
        coefficients: Sequence[Coefficient] | Coefficient | None = None,
        *,
        order: Sequence[object] | None = None,
        by: str | Sequence[str] | None = None,
        item: str | Sequence[str] | None = None,
        assessor: str | None = None,
        label: str | None = None,
    ) -> pd.DataFrame:
        """Return how far assessors agree beyond chance, by several coefficients.

        Parameters
        ----------
        coefficients : str or list of str, optional
            "percent", "scott" (the kappa of pooled marginals), "cohen", "fleiss", "alpha_nominal", "alpha_ordinal",
            "alpha_interval" (Krippendorff); by default all that the labels allow.
        order : list, optional
            The labels from lowest to highest, where they are not numbers.
        by : str or list of str, optional
            Column(s) that split the table into separate ones, such as the task.
        item, assessor, label : str, optional
            The columns; an item may be several. By default `item`, or the query and doc, `assessor` and `label`.

        Returns
        -------
        DataFrame
            [by,] coefficient, items, assessors, labels, observed, expected, value.

        Examples
        --------
        >>> labels = pd.DataFrame({"item": [1, 1, 2, 2, 3, 3, 4, 4], "assessor": ["ann", "bob"] * 4,
        ...                        "label": [1, 1, 0, 0, 1, 0, 0, 0]})
        >>> labels.ireval.assessor_agreement(["scott", "cohen"])["value"].round(3).tolist()
        [0.467, 0.5]
        """
        from pdeval.collections import assessors

        names = columns.of_labels(self, item, assessor, label)
        return assessors.agreement(self._frame, coefficients, order=order, by=by, **names)

    def assessor_pairs(
        self,
        matrix: Literal["percent", "scott", "cohen"] | None = None,
        *,
        item: str | Sequence[str] | None = None,
        assessor: str | None = None,
        label: str | None = None,
    ) -> pd.DataFrame:
        """Return the agreement of every two assessors: assessor_a, assessor_b, items, percent, scott, cohen.

        Parameters
        ----------
        matrix : {'percent', 'scott', 'cohen'}, optional
            Return this coefficient as a square frame.
        item, assessor, label : str, optional
            As in `assessor_agreement`.

        Examples
        --------
        >>> labels = pd.DataFrame({"item": [1, 1, 2, 2, 3, 3, 4, 4], "assessor": ["ann", "bob"] * 4,
        ...                        "label": [1, 1, 0, 0, 1, 0, 0, 0]})
        >>> labels.ireval.assessor_pairs().round(3).values.tolist()
        [['ann', 'bob', 4, 0.75, 0.467, 0.5]]
        """
        from pdeval.collections import assessors

        names = columns.of_labels(self, item, assessor, label)
        if matrix is None:
            return assessors.pairwise(self._frame, **names)
        return assessors.pairwise_matrix(self._frame, matrix, **names)

    def swap_assessors(
        self, labels: object, measures: object = ("AP",), *, qrels: object = None, **options: Any
    ) -> pd.DataFrame:
        """Return how alike the orderings of these runs are under the judgments of different assessors: Kendall's tau.

        Parameters
        ----------
        labels : DataFrame
            One row per label given: query, doc, assessor, label.
        measures : str or list
            Measures, or preferences (ordered by their win rates).
        qrels : DataFrame, optional
            Judgments to compare each assessor's with, instead of the assessors with each other.
        **options
            `how`, `per`, `draws`, `seed`, `grades` (whose judgments), `orders` (return the orderings themselves),
            `method`, `level`, `topics`, `ties`, `compat`, `validate`, `progress`: see `swap_assessors`.

        Returns
        -------
        DataFrame
            judgments_a, judgments_b (or judgments, against `qrels`), measure, method, runs, tau.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> strict = qrels.assign(assessor="strict", label=(qrels["relevance"] >= 2) * 1)
        >>> table = runs.ireval.swap_assessors(strict, "AP", qrels=qrels)
        >>> table[["judgments", "tau"]].round(2).values.tolist()
        [['strict', 0.97]]
        """
        from pdeval.collections import swaps

        given = columns.accessor_of(labels, "labels")
        names = {**columns.of_items(given), **columns.of_labels(given)}
        names.pop("item")
        held = None if qrels is None else tables.read(qrels, "qrels")
        return swaps.swap_assessors(tables.read(self, "runs"), given._frame, measures, qrels=held, **names, **options)
