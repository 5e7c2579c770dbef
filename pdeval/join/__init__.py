"""The join of runs and judgments: ids, lists, ranks, duplicates, judgments, positions, and their dense blocks."""

from pdeval.join.blocks import Block, View, corpus_sizes
from pdeval.join.id_mismatch import FEW, NothingJudged, holding_none, same_type
from pdeval.join.ids import Ids, column_ids, natural_order
from pdeval.join.item_catalog import Catalog, Listed, all_lists, catalog_of
from pdeval.join.judged import Judged, join
from pdeval.join.judgments import Judgments, read_judgments
from pdeval.join.list_columns import (
    OF_USERS,
    ListBlock,
    check_columns,
    check_lists,
    list_blocks,
    lists_of,
    popular,
)
from pdeval.join.lists import find_lists, is_parameter, ranges
from pdeval.join.merge_parts import Pair, Returned
from pdeval.join.positions import Positions, Rows, positions_of, rows_of, unjudged
from pdeval.join.ranks import (
    closed_gaps,
    first_rows,
    gaps_text,
    have_gaps,
    ranked,
    scores_of,
    sorted_scores,
    top,
)
from pdeval.join.rules import Compat, QueryRule, Ties, checked_level, checked_rules, outside
