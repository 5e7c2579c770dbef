"""Kernels over blocks, to cubes, to frames: scores, preferences, win rates, summaries, contributions, curves."""

from pdeval.evaluate import (
    best_average_worst,
    beyond_accuracy,
    contributions,
    curves,
    explain,
    mean_preferences,
    pairs,
    preference_learning,
    quantiles,
    scores,
    stacked_collections,
    summary,
    weight_fitting,
)

__all__ = [
    "best_average_worst",
    "beyond_accuracy",
    "contributions",
    "curves",
    "explain",
    "mean_preferences",
    "pairs",
    "preference_learning",
    "quantiles",
    "scores",
    "stacked_collections",
    "summary",
    "weight_fitting",
]
