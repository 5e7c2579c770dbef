"""The papers' experiments: agreement between measures, ties, incomplete data, atomized search length.

The verbs are methods of `.ireval`. Functions without a table are here: lists that no system
made, theory about ties, arithmetic on search lengths, and headroom over several joins.
"""

from pdeval.studies import (
    contributions,
    over_collections,
    reproduction,
    review,
    robustness,
    search_length,
    sign_agreement,
    synthetic_rankings,
    ties,
)
from pdeval.studies.contributions import contribution_surface, discount_curves
from pdeval.studies.over_collections import best_systems, headroom_of, spread_over_collections
from pdeval.studies.reproduction import changes, metadata_differences
from pdeval.studies.search_length import (
    average_length,
    effective_fraction,
    implicit_weights,
    swap_out,
)
from pdeval.studies.synthetic_rankings import (
    agreement_table,
    fitted_scale,
    random_lists,
    sampled,
    uniform,
)
from pdeval.studies.ties import distinct_values, tie_probability, value_growth

__all__ = [
    "agreement_table",
    "average_length",
    "best_systems",
    "changes",
    "contribution_surface",
    "contributions",
    "discount_curves",
    "distinct_values",
    "effective_fraction",
    "fitted_scale",
    "headroom_of",
    "implicit_weights",
    "metadata_differences",
    "over_collections",
    "random_lists",
    "reproduction",
    "review",
    "robustness",
    "sampled",
    "search_length",
    "sign_agreement",
    "spread_over_collections",
    "swap_out",
    "synthetic_rankings",
    "tie_probability",
    "ties",
    "uniform",
    "value_growth",
]
