"""Ratios against peers, measured side by side: `python -m tests.benchmarks`."""
