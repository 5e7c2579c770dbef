"""Discriminative power: how many pairs of runs a measure tells apart (Sakai)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdeval.cube import labels
from pdeval.significance.compare import Correction, Test, compare
from pdeval.significance.differences import Source
from pdeval.significance.names import which_correction, which_test


def discriminative_power(
    source: Source,
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
    >>> from pdeval.cube import Scores
    >>> values = np.array([[[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]]])
    >>> scores = Scores(pd.DataFrame({"run": ["bm25", "lm", "bert"]}), pd.Index([1, 2, 3, 4], name="query_id"),
    ...                 ("AP",), values, np.array([True]))
    >>> print(discriminative_power(scores, tests=["t", "tukey"]).round(2).to_string(index=False))
    measure  test  correction  alpha  pairs  detected  percent
         AP     t  bonferroni   0.05      3         1    33.33
         AP tukey none needed   0.05      3         2    66.67
    """
    parts = []
    for test, frame in compared(source, tests, correction, alpha, draws, seed, progress):
        found = frame["significant"].to_numpy().reshape(len(source.measures), -1)
        parts.append(
            pd.DataFrame(
                {
                    "measure": list(source.measures),
                    "test": [which_test(test, measure) for measure in source.measures],
                    "correction": frame.attrs["correction"],
                    "alpha": alpha,
                    "pairs": found.shape[1],
                    "detected": found.sum(axis=1),
                    "percent": 100 * found.mean(axis=1),
                }
            )
        )
    return categorised(parts, source)


def p_value_curve(
    source: Source,
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
    >>> from pdeval.cube import Scores
    >>> values = np.array([[[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]]])
    >>> scores = Scores(pd.DataFrame({"run": ["bm25", "lm", "bert"]}), pd.Index([1, 2, 3, 4], name="query_id"),
    ...                 ("AP",), values, np.array([True]))
    >>> print(p_value_curve(scores).round(4).to_string(index=False))
    measure test correction  pair  share  p_value
         AP    t       none     1 0.3333   0.2522
         AP    t       none     2 0.6667   0.0182
         AP    t       none     3 1.0000   0.0034
    """
    parts = []
    for test, frame in compared(source, tests, correction, 0.05, draws, seed, progress):
        values = frame["p_adjusted"].to_numpy().reshape(len(source.measures), -1)
        count, pairs = values.shape
        number = np.tile(np.arange(1, pairs + 1), count)
        parts.append(
            pd.DataFrame(
                {
                    "measure": np.repeat(list(source.measures), pairs),
                    "test": np.repeat([which_test(test, measure) for measure in source.measures], pairs),
                    "correction": frame.attrs["correction"],
                    "pair": number,
                    "share": number / pairs,
                    "p_value": np.sort(values, axis=1)[:, ::-1].ravel(),
                }
            )
        )
    return categorised(parts, source)


def compared(
    source: Source,
    tests: Sequence[str | None],
    correction: str | None,
    alpha: float,
    draws: int,
    seed: int | None,
    progress: bool | None,
) -> list[tuple[str | None, pd.DataFrame]]:
    """Return (test, its comparisons of all pairs) for each test; all names are checked before any work."""
    tests = [tests] if isinstance(tests, str) else list(tests)
    if not tests:
        raise ValueError("tests is empty: name at least one test, e.g. tests=['t'].")
    which_correction(correction)
    for test in tests:
        which_test(test, "")
    return [
        (
            test,
            compare(
                source,
                test=test,
                correction=correction,
                alpha=alpha,
                family="measure",
                draws=draws,
                seed=seed,
                progress=progress,
            ),
        )
        for test in tests
    ]


def categorised(parts: list[pd.DataFrame], source: Source) -> pd.DataFrame:
    """Return the parts as one frame with categories for the repeated names."""
    frame = pd.concat(parts, ignore_index=True)
    for name in ("measure", "test", "correction"):
        values = list(dict.fromkeys(source.measures if name == "measure" else frame[name]))
        frame[name] = labels(pd.Index(values), pd.Index(values).get_indexer(frame[name]))
    frame.attrs.update(getattr(source, "attrs", {}))
    return frame
