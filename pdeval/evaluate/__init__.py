"""Kernels over blocks, to cubes, to frames: scores, preferences, win rates, summaries, contributions, curves."""

from pdeval.evaluate import (
    best_average_worst,
    beyond_accuracy,
    contributions,
    curves,
    explain,
    grouped,
    mean_preferences,
    pairs,
    preference_learning,
    quantiles,
    scores,
    summary,
)

__all__ = [
    "best_average_worst",
    "beyond_accuracy",
    "contributions",
    "curves",
    "explain",
    "grouped",
    "mean_preferences",
    "pairs",
    "preference_learning",
    "quantiles",
    "scores",
    "summary",
]
