"""Kernels over blocks, to cubes, to frames: scores, preferences, win rates, summaries, contributions, curves."""

from pdeval.evaluate import (
    beyond_accuracy,
    contributions,
    exposure,
    grouped,
    hard_queries,
    labeled,
    mean_preferences,
    pairs,
    preference_learning,
    scores,
    summary,
)
from pdeval.evaluate.beyond_accuracy import BEYOND, lists_of_runs
from pdeval.evaluate.contributions import Factors, disaggregate, factors, parts_of, sums, users
from pdeval.evaluate.cube import (
    Preferences,
    Scores,
    all_pairs,
    coded,
    coded_runs,
    described_frame,
    finite,
    merged_attrs,
    pair_columns,
    pairs_of_measures,
    run_columns,
    scores_cube,
    stacked,
)
from pdeval.evaluate.cube_sources import (
    NO_MACHINE,
    Averaged,
    Differences,
    ScoresLike,
    Source,
    as_preferences,
    averaged,
    clear_values,
    decided,
    decided_cube,
    each,
    group_means,
    machine_cube,
    named_by_metadata,
    only,
    replicated_systems,
    sd_over_replicates,
    sources,
    warn_about_seeds,
    warn_partial_replicates,
)
from pdeval.evaluate.grouped import (
    Grouped,
    GroupedCube,
    check_one_family,
    cube_of,
    grouped_cube,
    merged,
)
from pdeval.evaluate.groups import (
    N_GROUPS,
    Join,
    Metadata,
    Rows,
    frame_of,
    groups_of,
    option_columns,
    rows_by,
    stretches,
    tables_of,
    with_groups,
)
from pdeval.evaluate.hard_queries import first_counts
from pdeval.evaluate.labeled import Request
from pdeval.evaluate.mean_preferences import WinRates, direct, win_rates
from pdeval.evaluate.pairs import Pairs, numerators, of_pairs, select
from pdeval.evaluate.ppi import (
    Powered,
    WithMachine,
    check_mean,
    degrees,
    estimates,
    powered,
)
from pdeval.evaluate.preference_learning import labeled_pairs
from pdeval.evaluate.ranked_items import QueryItems, RankedItems
from pdeval.evaluate.run_selection import baselines_of, chosen_pairs, place_of, places_of_runs
from pdeval.evaluate.scores import (
    MEASURES,
    Views,
    attributes,
    call_of,
    check_populations,
    check_weighed,
    no_sets,
    only_metrics,
    warn_of_undefined,
)
from pdeval.evaluate.seeds import bootstrap_counts, chunks, draw_blocks, new_seed
from pdeval.evaluate.summary import of_scores, of_users, pseudo_values
from pdeval.evaluate.unjudged import DEPTH, cutoff, integers

__all__ = [
    "beyond_accuracy",
    "contributions",
    "exposure",
    "grouped",
    "hard_queries",
    "labeled",
    "mean_preferences",
    "pairs",
    "preference_learning",
    "scores",
    "summary",
]
