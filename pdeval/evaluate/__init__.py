"""Kernels over blocks, to cubes, to frames: scores, preferences, win rates, summaries, contributions, curves."""

from pdeval.evaluate import (
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
)

__all__ = [
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
]
