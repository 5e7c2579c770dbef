"""Discriminative power: how many pairs of runs a measure tells apart (Sakai)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import stacked
from pdeval.significance.compare import compare
from pdeval.significance.differences import Source
from pdeval.significance.names import Correction, Test, which_test


def discriminative_power(
    source: Source | Sequence[Source],
    *,
    tests: Sequence[Test | str | None] = ("default", "hsd"),
    correction: Correction | str | None = "bonferroni",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the share of run pairs with adjusted p < alpha, per measure and test.

    Parameters
    ----------
    source, correction, alpha, draws, seed, progress
        As in `compare`. The family of the correction is all pairs of a measure.
    tests : sequence of str, default ("default", "hsd")
        Tests as in `compare`; "default" is the sign test for sgnLP and sgnLR and the t-test for the rest.

    Returns
    -------
    DataFrame
        measure, test, correction ("none needed" under HSD), alpha, pairs, detected, percent; in the order
        of `tests`, then of the measures.

    References
    ----------
    Sakai (2006), Evaluating evaluation metrics based on the bootstrap; Diaz and Ferraro (2022), Offline
    retrieval evaluation without evaluation metrics, Tables 3 and 4.

    Examples
    --------
    >>> from pdeval.evaluate.cube import Scores
    >>> values = np.array([[[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]]])
    >>> scores = Scores(pd.DataFrame({"run": ["bm25", "lm", "bert"]}), pd.Index([1, 2, 3, 4], name="query_id"),
    ...                 ("AP",), values, np.array([True]))
    >>> print(discriminative_power(scores, tests=["t", "tukey"]).round(2).to_string(index=False))
    measure  test  correction  alpha  pairs  detected  percent
         AP     t  bonferroni   0.05      3         1    33.33
         AP tukey none needed   0.05      3         2    66.67
    """
    options = {"correction": correction, "draws": draws, "seed": seed, "progress": progress}
    parts = []
    for frame in compared(source, tests, alpha=alpha, **options):
        found = frame.groupby(["measure", "test"], observed=True, sort=False)["significant"]
        part = found.agg(pairs="size", detected="sum", percent="mean").reset_index()
        part["percent"] *= 100
        part.insert(2, "correction", frame.attrs["correction"])
        part.insert(3, "alpha", alpha)
        parts.append(part)
    return categorised(parts, source)


def p_value_curve(
    source: Source | Sequence[Source],
    *,
    tests: Sequence[Test | str | None] = ("default",),
    correction: Correction | str | None = "none",
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the sorted p-values of all pairs, per measure and test: Sakai's curve of achieved significance.

    Parameters
    ----------
    source, correction, draws, seed, progress
        As in `compare`; uncorrected by default.
    tests : sequence of str, default ("default",)
        Tests as in `compare`.

    Returns
    -------
    DataFrame
        measure, test, correction, pair (1, 2, ... by falling p-value), share (pair / pairs), p_value. The
        lower and the further to the left a curve drops, the more pairs the measure tells apart.

    Examples
    --------
    >>> from pdeval.evaluate.cube import Scores
    >>> values = np.array([[[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]]])
    >>> scores = Scores(pd.DataFrame({"run": ["bm25", "lm", "bert"]}), pd.Index([1, 2, 3, 4], name="query_id"),
    ...                 ("AP",), values, np.array([True]))
    >>> print(p_value_curve(scores).round(4).to_string(index=False))
    measure test correction  pair  share  p_value
         AP    t       none     1 0.3333   0.2522
         AP    t       none     2 0.6667   0.0182
         AP    t       none     3 1.0000   0.0034
    """
    options = {"correction": correction, "draws": draws, "seed": seed, "progress": progress}
    parts = []
    for frame in compared(source, tests, **options):
        p_value = frame["p_adjusted"].to_numpy()
        frame = frame.iloc[np.lexsort((-p_value, frame["measure"].cat.codes))]
        measure = frame.groupby("measure", observed=True)["measure"]
        part = frame[["measure", "test"]].assign(correction=frame.attrs["correction"], pair=measure.cumcount() + 1)
        parts.append(part.assign(share=part["pair"] / measure.transform("size"), p_value=frame["p_adjusted"]))
    return categorised(parts, source)


def compared(source: Source | Sequence[Source], tests: Sequence[str | None], **options: Any) -> Iterator[pd.DataFrame]:
    """Yield the comparisons of all pairs by each test; all names are checked before any work."""
    tests = [tests] if isinstance(tests, str) else list(tests)
    if not tests:
        raise ValueError("tests is empty: name at least one test, e.g. tests=['t'].")
    for test in tests:
        which_test(test, "")
    for test in tests:
        yield compare(source, test=test, family="measure", **options)


def categorised(parts: list[pd.DataFrame], source: Source | Sequence[Source]) -> pd.DataFrame:
    """Return the parts as one frame with categories for the repeated names."""
    frame = stacked(parts).reset_index(drop=True)
    frame["correction"] = frame["correction"].astype("category")
    frame.attrs = dict(getattr(source[0] if isinstance(source, list | tuple) else source, "attrs", {}))
    return frame
