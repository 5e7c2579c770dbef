"""The papers' experiments: agreement between measures, ties, incomplete data, atomized search length.

The verbs are declared in the modules and live on `.ireval`; what is no verb of a table is here: lists that no system
made, theory about ties, arithmetic on search lengths, and headroom over several joins.
"""

from pdeval.experiments import (
    agreement,
    averaging,
    backoff,
    chance,
    deciding,
    gains,
    headroom,
    incomplete,
    level_differences,
    locality,
    rank_worth,
    search_length_items,
    synthetic,
    ties,
    tracks,
    two_runs,
)
from pdeval.experiments.averaging import average_length, effective_share, implicit_weights, swap_out
from pdeval.experiments.chance import tie_probability, value_growth
from pdeval.experiments.headroom import best_systems, headroom_of
from pdeval.experiments.rank_worth import contribution_surface, discount_curves
from pdeval.experiments.synthetic import fitted_scale, random_lists, sampled, uniform
from pdeval.experiments.tracks import spread_over_collections

__all__ = [
    "agreement",
    "average_length",
    "averaging",
    "backoff",
    "best_systems",
    "chance",
    "contribution_surface",
    "deciding",
    "discount_curves",
    "effective_share",
    "fitted_scale",
    "gains",
    "headroom",
    "headroom_of",
    "implicit_weights",
    "incomplete",
    "level_differences",
    "locality",
    "random_lists",
    "rank_worth",
    "sampled",
    "search_length_items",
    "spread_over_collections",
    "swap_out",
    "synthetic",
    "tie_probability",
    "ties",
    "tracks",
    "two_runs",
    "uniform",
    "value_growth",
]
