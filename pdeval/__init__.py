"""Evaluation of rankings on pandas DataFrames: measures, preferences, orderings, significance.

`import pdeval` registers `.ireval` on every DataFrame. Over long tables of runs (run, query, doc, score) and judgments
(query, doc, grade, maybe subtopic) its verbs return tidy frames:

    scores = runs.ireval.measure(qrels, ["AP", "nDCG@10"])    run, query_id, measure, value
    prefs = runs.ireval.prefer(qrels, ["RPP", "rrLP"])        query_id, run_a, run_b, measure, value
    prefs.ireval.order("mc4")                                 run, measure, method, score, rank
    scores.ireval.compare(test="hsd")                         run_a, run_b, measure, ..., p_adjusted, significant
    scores.ireval.report(baseline="bm25").to_latex()          a table for a paper

The one idea: a ranking, for evaluation, is the sorted list of ranks at which its relevant items were found, infinity
for an item never found. All runs of a topic share the number of relevant items, so positions become dense blocks
whose axis 0 is the recall level, and a measure is its textbook formula along that axis.

The house; imports go downwards only:

    door        accessor/        `.ireval` and the join to keep: signatures and examples, no arithmetic
                __main__  cli/   the command line
    out         report/          frames -> LaTeX, HTML, Markdown, spreadsheets
                plots/           frames -> matplotlib axes
                engines/         the same verbs on Dask DataFrames
    work        evaluate         catalog entries x blocks -> scores; which topics count
                pairs winrates offline_interleaving
                                 preferences over pairs, in blocks; win rates without pairs
                systems pivot    mean preferences; tidy tables back to cubes
                orderings votes standings correlation coefficients
                significance/    tests, corrections, HSD, discriminative power, sample size
                agreement/ incomplete thinning stability search_lengths/
                                 the papers' experiments
                contributions curves fitting summary accounting
                pooling leave_out residuals teams assessors kappas swaps online/
                                 collections, assessors, users
    knowledge   metrics/ preferences
                                 kernels: numpy in, numpy out
                positions        the join: ranks of judged items, from
                                 lists ranks duplicates judgments
                blocks columns   dense blocks, and the columns that kernels ask for by name
                ranking pools    whole rankings; the documents that were looked at
                trec/ datasets datasets_generate
                                 files; the sample collection and what makes it
    ground      levels           the kernels' vocabulary
                catalog grammar parameters
                                 @metric @preference @ordering; names that parse
                tables ids cube choice arrow progress
                                 column roles, id columns, the dense form of results
"""

from importlib import import_module
from types import ModuleType

from pdeval import accessor, datasets, kernels
from pdeval.catalog import catalog, metric, ordering, parse, preference
from pdeval.trec import read_qrels, read_run, read_runs, write_qrels, write_run, write_runs

__version__ = "0.1.0"

__all__ = [
    "accessor",
    "catalog",
    "datasets",
    "kernels",
    "metric",
    "ordering",
    "parse",
    "preference",
    "read_qrels",
    "read_run",
    "read_runs",
    "write_qrels",
    "write_run",
    "write_runs",
]

_ON_USE = (
    "collections",
    "engines",
    "evaluate",
    "experiments",
    "judged",
    "online",
    "orderings",
    "plots",
    "report",
    "significance",
)


def __getattr__(name: str) -> ModuleType:
    """Import a part of the package when it is first named: `pdeval.plots`."""
    if name in _ON_USE:
        return import_module(f"pdeval.{name}")
    raise AttributeError(f"module 'pdeval' has no attribute {name!r}")
