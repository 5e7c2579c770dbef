"""Every table in and out: vocabularies, roles, recognition, and other frames to pandas."""

from pdeval.tables import schemas
from pdeval.tables.codes import by_code, combined_codes, counts_of, distinct, grouped, looked_up
from pdeval.tables.dataframes import (
    as_table,
    categorical,
    check_unique,
    frame,
    from_arrow,
    from_dict,
    gathered_table,
    is_dask,
    is_ranx,
    is_stream,
    not_a_table,
    rows_of,
    text_dtype,
)
from pdeval.tables.equal_values import (
    NOISE,
    Spans,
    average_ranks,
    begins,
    begins_along,
    cleared,
    describe,
    equal_pairs,
    firsts,
    gap,
    lasts,
    pairs_of,
    ratio,
    row_sizes,
    separate_uncounted,
    settled,
    signs,
    size_of,
    unique_values,
)
from pdeval.tables.id_labels import (
    labels,
    natural,
    natural_places,
    naturally,
    repeated,
    run_labels,
    visible,
)
from pdeval.tables.items_and_history import HistoryTable, ItemTable, read_history, read_items
from pdeval.tables.metadata import matched_rows, numeric, places, runs_within, with_metadata
from pdeval.tables.reader import (
    Table,
    assessor_column,
    checked_binding,
    numbers,
    plain,
    query_column,
    read,
    together,
)
from pdeval.tables.recognition import (
    COLLECTIONS,
    implicit,
    kind_of,
    may_name,
    missing_columns,
    pair_stems,
    run_columns,
    runs_of,
    several_collections,
)
from pdeval.tables.schemas import PAIRED, SCHEMAS, WATCHERS, Schema, table
from pdeval.tables.texts import PAIR_TEXT_COLUMNS, TEXT_COLUMNS, Texts, cut, read_texts
from pdeval.tables.vocabularies import (
    GRADES,
    ITEM,
    bound_call,
    candidates,
    item_roles,
    known_text,
    likely,
    listed,
    names_of,
    noun,
    run_words,
    vocabulary,
)

__all__ = [
    "schemas"
]  # declared before all others: where two tables fit equally well, the first is meant
