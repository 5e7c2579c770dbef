"""Orderings of many runs: votes, methods, correlation, coefficients."""
