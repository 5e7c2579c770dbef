"""The rooms whose verbs the doors offer: importing them declares the verbs."""

from pdeval import collections, evaluate, experiments, kernels, online, orderings, plots, report, significance
from pdeval.evaluate import annotate  # after all rooms: a verb of every table of runs or queries
from pdeval.kinds import known_tables

__all__ = [
    "annotate",
    "collections",
    "evaluate",
    "experiments",
    "kernels",
    "known_tables",
    "online",
    "orderings",
    "plots",
    "report",
    "significance",
]
