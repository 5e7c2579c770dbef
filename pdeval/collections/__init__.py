"""Test collections: accounting, pools, leaving runs out, residuals, assessors."""

from pdeval.collections import (
    accounting,
    assessors,
    description,
    leave_out,
    pool_summary,
    pools,
    residuals,
    sampled_judgments,
    swaps,
)

__all__ = [
    "accounting",
    "assessors",
    "description",
    "leave_out",
    "pool_summary",
    "pools",
    "residuals",
    "sampled_judgments",
    "swaps",
]
