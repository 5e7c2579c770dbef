"""Plots: tidy frames in, matplotlib axes out.

Each plot is a verb of the tables that it draws: `orders.ireval.plot()`, `orders.ireval.plot.critical_difference()`; and
a function here. Each draws one frame on one `ax` (new axes by default) and returns it; options are keywords.
No plot sets rcParams or shows the figure. Names and legends need space: create your own axes with
``plt.subplots(layout="constrained")``, as the plots do.

Colors are safe for color-blind readers. Line patterns, markers and hatches distinguish them in gray print.
matplotlib comes with ``pip install 'pdeval[plots]'`` and is imported when the first plot is drawn.

precision_recall                            precision against recall, a line per run
query_differences, win_loss_tie             two runs query by query; wins, ties and losses of many
preference_heatmap, correlation_heatmap, matrix_heatmap    square tables as colors
critical_difference, summary_bars           runs in order, with intervals
recall_levels, difference_scatter           differences between measures, by recall level and pair
contribution_surface, contribution_ecdf, discount_curves    the weight of ranks
level_scatter                               recall levels against each other
running_sum                                 the running sum of a preference on one query
robustness, p_value_curves                  fewer queries or labels; discriminative power
variance_components                         variance of queries, replicates and the residual
ties_by_recall, tie_probability, decided_by_recall    ties
asl_histogram, asl_wins                     search length item by item
headroom_bars                               best mean of many collections
behavior_bars                              behavior measures of each bucket
hasse                                       position vectors and their orders
forest                                      differences per collection, and their mean
equivalence_bars                            probability that runs differ in practice
intervals                                   differences, gaps or means of any table that has their intervals
rank_slopes, rank_scatter                   one ordering of the runs against another
query_heatmap                               every run on every query
judge_dots, judge_scatter                   judges against human assessors
confusion_heatmap                           labels of an assessor for each label of a reference
exposure_curve                              relevance against disparity of stochastic rankings
effect_scatter                              effect ratio against delta RI of reproduced runs
recall_effort                               recall of reviews against effort
contribution_figure, agreement_figure, incomplete_data_figure    figures of the papers, from joins

`.plot.panels(by="collection")` draws any of them once for each collection.
"""

from pdeval.plots.bars import (
    asl_histogram,
    asl_wins,
    behavior_bars,
    equivalence_bars,
    headroom_bars,
    query_differences,
    variance_components,
    win_loss_tie,
)
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
    exposure_curve,
    p_value_curves,
    precision_recall,
    recall_effort,
    recall_levels,
    robustness,
    running_sum,
    tie_probability,
    ties_by_recall,
)
from pdeval.plots.orderings import critical_difference, hasse, rank_scatter, rank_slopes
from pdeval.plots.paper_figures import (
    agreement_figure,
    contribution_figure,
    incomplete_data_figure,
)
from pdeval.plots.scatter import (
    difference_scatter,
    effect_scatter,
    judge_dots,
    judge_scatter,
    level_scatter,
)

__all__ = [
    "agreement_figure",
    "asl_histogram",
    "asl_wins",
    "behavior_bars",
    "confusion_heatmap",
    "contribution_ecdf",
    "contribution_figure",
    "contribution_surface",
    "correlation_heatmap",
    "critical_difference",
    "decided_by_recall",
    "difference_scatter",
    "discount_curves",
    "effect_scatter",
    "equivalence_bars",
    "exposure_curve",
    "forest",
    "hasse",
    "headroom_bars",
    "incomplete_data_figure",
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
    "recall_effort",
    "recall_levels",
    "robustness",
    "running_sum",
    "summary_bars",
    "tie_probability",
    "ties_by_recall",
    "variance_components",
    "win_loss_tie",
]


def __dir__() -> list[str]:
    return __all__
