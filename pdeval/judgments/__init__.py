"""Test collections: checks of runs, pools, residuals, samples of labels, assessors, crowds and LLM judges."""

from pdeval.judgments import (
    agreement,
    check,
    crowds,
    judges,
    label_samples,
    pool_bounds,
    pools,
)

__all__ = [
    "agreement",
    "check",
    "crowds",
    "judges",
    "label_samples",
    "pool_bounds",
    "pools",
]
