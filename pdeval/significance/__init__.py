"""Significance of differences between runs: tests, corrections, discriminative power, topic-set size.

scipy and statsmodels are imported by the functions that need them, not here.
"""

from pdeval.significance import (
    anova,
    collections_planned,
    compare,
    delta_sort,
    discriminative,
    equivalence,
    friedman,
    hsd,
    label_bounds,
    label_next,
    leaderboard,
    mean_ranks,
    over_collections,
    paired,
    power,
    powered_order,
    powered_verbs,
    registry,
    replicated,
    segments,
    sign_flips,
    vote_leaderboard,
)

__all__ = [
    "anova",
    "collections_planned",
    "compare",
    "delta_sort",
    "discriminative",
    "equivalence",
    "friedman",
    "hsd",
    "label_bounds",
    "label_next",
    "leaderboard",
    "mean_ranks",
    "over_collections",
    "paired",
    "power",
    "powered_order",
    "powered_verbs",
    "registry",
    "replicated",
    "segments",
    "sign_flips",
    "vote_leaderboard",
]
