"""The papers' experiments: agreement between measures, ties, incomplete data, atomized search length.

The verbs are declared in the modules and live on `.ireval`; what is no verb of a table is here: lists that no system
made, theory about ties, arithmetic on search lengths, and headroom over several joins.
"""

from pdeval.studies import (
    averaging,
    collection_spread,
    contribution_distribution,
    deciding_level,
    error_reduction,
    headroom,
    locality,
    rank_contributions,
    robustness,
    search_length_items,
    search_length_pairs,
    sign_agreement,
    synthetic_rankings,
    ties,
)
from pdeval.studies.averaging import average_length, effective_share, implicit_weights, swap_out
from pdeval.studies.collection_spread import spread_over_collections
from pdeval.studies.headroom import best_systems, headroom_of
from pdeval.studies.rank_contributions import contribution_surface, discount_curves
from pdeval.studies.synthetic_rankings import fitted_scale, random_lists, sampled, uniform
from pdeval.studies.ties import tie_probability, value_growth

__all__ = [
    "average_length",
    "averaging",
    "best_systems",
    "collection_spread",
    "contribution_distribution",
    "contribution_surface",
    "deciding_level",
    "discount_curves",
    "effective_share",
    "error_reduction",
    "fitted_scale",
    "headroom",
    "headroom_of",
    "implicit_weights",
    "locality",
    "random_lists",
    "rank_contributions",
    "robustness",
    "sampled",
    "search_length_items",
    "search_length_pairs",
    "sign_agreement",
    "spread_over_collections",
    "swap_out",
    "synthetic_rankings",
    "tie_probability",
    "ties",
    "uniform",
    "value_growth",
]
