"""Kernels over blocks, to cubes, to frames: scores, preferences, win rates, summaries, contributions, curves."""

from pdeval.evaluate import (
    beyond_accuracy,
    contributions,
    exposure,
    grouped,
    hard_queries,
    labeled,
    mean_preferences,
    pairs,
    preference_learning,
    scores,
    summary,
)

__all__ = [
    "beyond_accuracy",
    "contributions",
    "exposure",
    "grouped",
    "hard_queries",
    "labeled",
    "mean_preferences",
    "pairs",
    "preference_learning",
    "scores",
    "summary",
]
