"""The papers' experiments: agreement between measures, ties, incomplete data, atomized search length."""

from pdeval.experiments.agreement import agree
from pdeval.experiments.averaging import (
    average_length,
    effective_share,
    effective_shares,
    implicit_weights,
    swap_out,
)
from pdeval.experiments.backoff import locality, masked_agreement
from pdeval.experiments.chance import tie_probability, value_growth
from pdeval.experiments.deciding import decided_by_level, deciding_levels
from pdeval.experiments.headroom import ablation, best_systems, headroom, rrie
from pdeval.experiments.search_length_items import histogram, search_lengths
from pdeval.experiments.synthetic import random_lists, sampled, uniform
from pdeval.experiments.ties import ties, ties_by_first, ties_by_level
from pdeval.experiments.two_runs import length_differences, length_wins

__all__ = [
    "ablation",
    "agree",
    "average_length",
    "best_systems",
    "decided_by_level",
    "deciding_levels",
    "effective_share",
    "effective_shares",
    "headroom",
    "histogram",
    "implicit_weights",
    "length_differences",
    "length_wins",
    "locality",
    "masked_agreement",
    "random_lists",
    "rrie",
    "sampled",
    "search_lengths",
    "swap_out",
    "tie_probability",
    "ties",
    "ties_by_first",
    "ties_by_level",
    "uniform",
    "value_growth",
]
