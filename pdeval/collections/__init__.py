"""Test collections: accounting, pools, leaving runs out, residuals, assessors, crowds and judges."""

from pdeval.collections import (
    accounting,
    assessors,
    confusions,
    consensus,
    crowds,
    description,
    items_to_label,
    judge_bias,
    judge_details,
    judges,
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
    "confusions",
    "consensus",
    "crowds",
    "description",
    "items_to_label",
    "judge_bias",
    "judge_details",
    "judges",
    "leave_out",
    "pool_summary",
    "pools",
    "residuals",
    "sampled_judgments",
    "swaps",
]
