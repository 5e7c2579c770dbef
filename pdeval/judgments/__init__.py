"""Test collections: checks of runs, pools, residuals, samples of labels, assessors, crowds and LLM judges."""

from pdeval.judgments import (
    agreement,
    assessor_swaps,
    check,
    crowds,
    judges,
    label_samples,
    pool_bounds,
    pools,
)

__all__ = [
    "agreement",
    "assessor_swaps",
    "check",
    "crowds",
    "judges",
    "label_samples",
    "pool_bounds",
    "pools",
]
