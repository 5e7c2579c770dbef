"""Evaluation of rankings on pandas DataFrames: measures, preferences, orderings, significance.

`import pdeval` registers `.ireval` on every DataFrame. Over long tables of runs (run, query, doc, score) and judgments
(query, doc, grade, maybe subtopic) its verbs return tidy frames:

    scores = runs.ireval.measure(qrels, ["AP", "nDCG@10"])    run, query_id, measure, value
    prefs = runs.ireval.prefer(qrels, ["RPP", "rrLP"])        query_id, run_a, run_b, measure, value
    prefs.ireval.order(method="mc4")                          run, measure, method, score, rank
    scores.ireval.compare(test="hsd")                         run_a, run_b, measure, ..., p_adjusted, significant
    scores.ireval.report(baseline="bm25").to_latex()          a table for a paper

A ranking is represented by the sorted list of ranks of its relevant items, with infinity for items that were not
retrieved. All runs of a topic have the same number of relevant items, so positions form dense blocks with the recall
level as axis 0, and a measure is its textbook formula along that axis.

Each declaration is written once. A verb is a function, declared next to its code (`verbs`); a table has a schema,
declared next to the verb that returns it (`tables`). The accessors, their docstrings, the command line, the table of
the README and the stubs are built from these declarations. A table has the direction of its measures, the id columns of
its runs, and the rules of its evaluation in `attrs`.

Packages and their layers; imports go downwards only:

    command       cli compat            the command line, built from the verbs; the calls of other tools
    dask          dask                  the same verbs on Dask DataFrames
    accessor      accessor              `.ireval` and the join, built from the verbs
    output        report plots          frames to LaTeX, HTML, Markdown and spreadsheets, and to figures
    studies       studies judgments online answers
                                        the papers' experiments; pools, assessors, judges; click logs and interleaving;
                                        nuggets and citations of answers
    significance  significance          tests, corrections, HSD, discriminative power, planning
    orderings     orderings             many runs in one order, and correlations of orders
    evaluate      evaluate              kernels over blocks, to cubes, to frames
    files         files datasets        runs and judgments from files; the sample collection
    join          join                  runs joined to judgments: positions, dense blocks, the rules
    kernels       kernels               measures and preferences: numpy in, numpy out
    catalog       catalog               names, grammar and metadata of measures
    tables        tables                columns, vocabularies, schemas, recognition
    verbs         verbs                 declarations of verbs, checks of arguments, registries, progress
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pdeval import accessor as accessor
from pdeval import datasets, kernels
from pdeval.catalog import catalog, metric, ordering, parse, preference
from pdeval.files import (
    read_collections,
    read_nuggets,
    read_qrels,
    read_run,
    read_runs,
    read_scores,
    scores,
    write_nuggets,
    write_qrels,
    write_run,
    write_runs,
)
from pdeval.kernels.cwl import user_model
from pdeval.online.behavior import behavior_measure
from pdeval.online.simulation import click_model
from pdeval.orderings.coefficients import coefficient
from pdeval.orderings.vote_logs import votes
from pdeval.report.report import report_format
from pdeval.significance.registry import significance_test as test
from pdeval.tables import frame, from_dict, table, vocabulary
from pdeval.verbs import verb

if TYPE_CHECKING:
    from pdeval.dask.join_parts import join_parts  # imported when it is first used

__version__ = "1.0.0"

__all__ = [
    "behavior_measure",
    "catalog",
    "click_model",
    "coefficient",
    "datasets",
    "frame",
    "from_dict",
    "join_parts",
    "kernels",
    "metric",
    "ordering",
    "parse",
    "preference",
    "read_collections",
    "read_nuggets",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "report_format",
    "scores",
    "table",
    "test",
    "user_model",
    "verb",
    "vocabulary",
    "votes",
    "write_nuggets",
    "write_qrels",
    "write_run",
    "write_runs",
]

# packages that are imported when they are first used
_PACKAGES = (
    "answers",
    "judgments",
    "compat",
    "dask",
    "evaluate",
    "studies",
    "online",
    "orderings",
    "plots",
    "report",
    "significance",
)


def __dir__() -> list[str]:
    return [*__all__, "studies", "plots", "report", "__version__"]


def __getattr__(name: str) -> Any:
    """Import a package when it is first used: `pdeval.plots`."""
    if name == "join_parts":
        return import_module("pdeval.dask.join_parts").join_parts
    if name in _PACKAGES:
        return import_module(f"pdeval.{name}")
    raise AttributeError(f"module 'pdeval' has no attribute {name!r}")
