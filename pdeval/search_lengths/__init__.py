"""Atomized search length, item by item: analyses of Alex, Hall and Metzler (2022).

items     the table of items, and its histogram for a run
two_runs  which items one run finds sooner than another
headroom  best systems of many collections, error reduction, and the steps from MAP to ASL
weights   what averaging precision does to search lengths
"""

from pdeval.search_lengths.headroom import ablation, best_systems, headroom, rrie
from pdeval.search_lengths.items import histogram, search_lengths
from pdeval.search_lengths.two_runs import length_differences, length_wins
from pdeval.search_lengths.weights import (
    average_length,
    effective_share,
    effective_shares,
    implicit_weights,
    swap_out,
)

__all__ = [
    "ablation",
    "average_length",
    "best_systems",
    "effective_share",
    "effective_shares",
    "headroom",
    "histogram",
    "implicit_weights",
    "length_differences",
    "length_wins",
    "rrie",
    "search_lengths",
    "swap_out",
]
