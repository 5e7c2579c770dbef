"""Significance of differences between runs: tests, corrections, discriminative power, topic-set size.

scipy and statsmodels are imported by the functions that need them, not here.
"""

from pdeval.significance import (
    anova,
    beyond_accuracy,
    compare,
    delta_sort,
    discriminative_power,
    equivalence,
    gate,
    hsd,
    leaderboard,
    mean_ranks,
    over_collections,
    paired_tests,
    power,
    registry,
    reliability,
    replicates,
    segments,
)

__all__ = [
    "anova",
    "beyond_accuracy",
    "compare",
    "delta_sort",
    "discriminative_power",
    "equivalence",
    "gate",
    "hsd",
    "leaderboard",
    "mean_ranks",
    "over_collections",
    "paired_tests",
    "power",
    "registry",
    "reliability",
    "replicates",
    "segments",
]
