"""The rooms whose verbs the doors offer: importing them declares the verbs."""

from pdeval import evaluate, judgments, kernels, online, orderings, plots, report, significance, studies
from pdeval.evaluate import add_metadata  # after all rooms: a verb of every table of runs or queries
from pdeval.tables import schemas

__all__ = [
    "add_metadata",
    "evaluate",
    "judgments",
    "kernels",
    "online",
    "orderings",
    "plots",
    "report",
    "schemas",
    "significance",
    "studies",
]
