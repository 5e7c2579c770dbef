"""Significance of differences between runs: tests, corrections, discriminative power, topic-set size.

scipy and statsmodels are imported by the functions that need them, not here.
"""

from pdeval.significance.anova import anova
from pdeval.significance.compare import compare
from pdeval.significance.delta_sort import delta_sort, delta_sort_chain
from pdeval.significance.discriminative import discriminative_power, p_value_curve
from pdeval.significance.power import detectable_difference, power, sample_size

__all__ = [
    "anova",
    "compare",
    "delta_sort",
    "delta_sort_chain",
    "detectable_difference",
    "discriminative_power",
    "p_value_curve",
    "power",
    "sample_size",
]
