"""Plots: tidy frames in, matplotlib axes out.

Each is a verb of the tables that it draws: `orders.ireval.plot()`, `orders.ireval.plot.critical_difference()`; and a
function here. Every one draws one frame onto one `ax` (new axes if none is given) and returns it; options are keywords.
None sets rcParams or shows the figure. Names and legends need room: make your own axes with
``plt.subplots(layout="constrained")``, as the plots do.

Colours are safe for colour-blind readers, and line patterns, markers and hatches repeat them for grey print.
matplotlib comes with ``pip install 'pdeval[plots]'`` and is imported when the first plot is drawn.

precision_recall                            precision against recall, a line per run
query_differences, win_loss_tie             two runs query by query; wins, ties and losses of many
preference_heatmap, correlation_heatmap, matrix_heatmap    square tables as colours
critical_difference, summary_bars           runs in order, with intervals
recall_levels, difference_scatter           where measures differ, and on which pairs
contribution_surface, contribution_ecdf, discount_curves    what ranks are worth
level_scatter                               recall levels against each other
running_sum                                 how a preference adds up on one query
incomplete, p_value_curves                  fewer queries or labels; discriminative power
variance_components                         how much is the query, the replicate, the rest
ties_by_recall, tie_probability, decided_by_recall    ties
asl_histogram, asl_wins                     search length item by item
headroom_bars                               what the best systems of many collections reach
behaviour_bars                              what users did in each bucket
hasse                                       position vectors and their orders
forest                                      differences per collection, and all of them together
equivalence_bars                            how probable it is that runs differ in practice
intervals                                   differences, gaps or means of any table that has their intervals
rank_slopes, rank_scatter                   one ordering of the runs against another
query_heatmap                               every run on every query
judge_dots, judge_scatter                   judges against people
confusion_heatmap                           what an assessor makes of each label of a reference

`.plot.panels(by="collection")` draws any of them once for each collection.
"""

from typing import Any

from pdeval.plots.bars import (
    asl_histogram,
    asl_wins,
    behaviour_bars,
    equivalence_bars,
    headroom_bars,
    query_differences,
    variance_components,
    win_loss_tie,
)
from pdeval.plots.hasse import hasse
from pdeval.plots.heatmaps import (
    confusion_heatmap,
    contribution_surface,
    correlation_heatmap,
    matrix_heatmap,
    preference_heatmap,
    query_heatmap,
)
from pdeval.plots.intervals import forest, intervals, summary_bars
from pdeval.plots.lines import (
    contribution_ecdf,
    decided_by_recall,
    discount_curves,
    incomplete,
    p_value_curves,
    precision_recall,
    recall_levels,
    running_sum,
    tie_probability,
    ties_by_recall,
)
from pdeval.plots.orderings import critical_difference, rank_scatter, rank_slopes
from pdeval.plots.scatter import difference_scatter, judge_dots, judge_scatter, level_scatter

from pdeval.plots import panels as _panels  # noqa: F401 isort: skip - last: it is a verb of all that were declared

__all__ = [
    "asl_histogram",
    "asl_wins",
    "behaviour_bars",
    "confusion_heatmap",
    "contribution_ecdf",
    "contribution_surface",
    "correlation_heatmap",
    "critical_difference",
    "decided_by_recall",
    "difference_scatter",
    "discount_curves",
    "equivalence_bars",
    "forest",
    "hasse",
    "headroom_bars",
    "incomplete",
    "intervals",
    "judge_dots",
    "judge_scatter",
    "level_scatter",
    "matrix_heatmap",
    "p_value_curves",
    "precision_recall",
    "preference_heatmap",
    "query_differences",
    "query_heatmap",
    "rank_scatter",
    "rank_slopes",
    "recall_levels",
    "running_sum",
    "summary_bars",
    "tie_probability",
    "ties_by_recall",
    "variance_components",
    "win_loss_tie",
]

_FORMERLY = {"ties_by_level": "ties_by_recall", "deciding_level": "decided_by_recall"}


def __getattr__(name: str) -> Any:
    """Let a plot's old name answer with the new one."""
    if name in _FORMERLY:
        raise AttributeError(f"pdeval.plots.{name}() is now pdeval.plots.{_FORMERLY[name]}().")
    raise AttributeError(f"module 'pdeval.plots' has no attribute {name!r}")
