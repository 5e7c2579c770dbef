"""Plots: tidy frames in, matplotlib axes out.

Every function draws one frame onto one `ax` (new axes if none is given) and returns it; options are keywords.
None sets rcParams or shows the figure. Names and legends need room: make your own axes with
``plt.subplots(layout="constrained")``, as the plots do.

Colours are safe for colour-blind readers, and line patterns, markers and hatches repeat them for grey print.
matplotlib comes with ``pip install 'pdeval[plots]'`` and is imported when the first plot is drawn.

precision_recall                            precision against recall, a line per run
query_differences, win_loss_tie             two runs query by query; wins, ties and losses of many
preference_heatmap, correlation_heatmap     square tables as colours
critical_difference, summary_bars           runs in order, with intervals
recall_levels, difference_scatter           where measures differ, and on which pairs
incomplete, p_value_curves                  fewer queries or labels; discriminative power
ties_by_level, tie_probability, deciding_level    ties
asl_histogram, asl_wins                     search length item by item
hasse                                       position vectors and their orders
"""

from pdeval.plots.agreement import difference_scatter
from pdeval.plots.curves import precision_recall
from pdeval.plots.hasse import hasse
from pdeval.plots.heatmaps import correlation_heatmap, preference_heatmap
from pdeval.plots.levels import recall_levels
from pdeval.plots.orderings import critical_difference, summary_bars
from pdeval.plots.pairs import query_differences, win_loss_tie
from pdeval.plots.robustness import incomplete
from pdeval.plots.search_length import asl_histogram, asl_wins
from pdeval.plots.significance import p_value_curves
from pdeval.plots.ties import deciding_level, tie_probability, ties_by_level

__all__ = [
    "asl_histogram",
    "asl_wins",
    "correlation_heatmap",
    "critical_difference",
    "deciding_level",
    "difference_scatter",
    "hasse",
    "incomplete",
    "p_value_curves",
    "precision_recall",
    "preference_heatmap",
    "query_differences",
    "recall_levels",
    "summary_bars",
    "tie_probability",
    "ties_by_level",
    "win_loss_tie",
]
