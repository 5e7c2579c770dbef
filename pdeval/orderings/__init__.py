"""Orderings of many runs: votes, methods, orders, correlation, coefficients."""

from pdeval.orderings import coefficients, correlation, methods, order

__all__ = ["coefficients", "correlation", "methods", "order"]
