"""Test collections: accounting, pools, leaving runs out, residuals, assessors, crowds and judges."""

from pdeval.judgments import (
    agreement,
    assessor_swaps,
    check,
    crowds,
    item_samples,
    judges,
    leave_one_out,
    partial_labels,
    pool_bounds,
    pools,
)

__all__ = [
    "agreement",
    "assessor_swaps",
    "check",
    "crowds",
    "item_samples",
    "judges",
    "leave_one_out",
    "partial_labels",
    "pool_bounds",
    "pools",
]
