"""Test collections: accounting, pools, leaving runs out, residuals, assessors."""
