"""Kernels over blocks, to cubes, to frames: scores, preferences, win rates, summaries, contributions, curves."""

from pdeval.evaluate import (
    beyond,
    cases,
    collection_means,
    contributions,
    curves,
    explanation,
    fitting,
    learned,
    means,
    pairs,
    quantiles,
    scores,
    summary,
    two_labels,
)

__all__ = [
    "beyond",
    "cases",
    "collection_means",
    "contributions",
    "curves",
    "explanation",
    "fitting",
    "learned",
    "means",
    "pairs",
    "quantiles",
    "scores",
    "summary",
    "two_labels",
]
