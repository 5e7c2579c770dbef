"""Spans: relevant passages of documents, and the chunks that runs retrieve, compared character by character.

The starts and ends of all chunks and spans of a document divide it into pieces. Every piece is covered first at some
rank of a list, or not at all, so all measures are sums over pieces. Judgments do not depend on how documents are
divided into chunks, so runs with different chunks can be compared.
"""

from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.answers.measured import Answers, evaluated, parse_kind
from pdeval.evaluate import coded
from pdeval.join import column_ids, ranges, same_type
from pdeval.kernels.primitives import inf
from pdeval.tables import (
    GRADES,
    Table,
    as_table,
    combined_codes,
    distinct,
    item_roles,
    listed,
    not_a_table,
    numbers,
)
from pdeval.verbs import verb

_ENDS = ("start", "end")


@verb(on="runs", returns="scores", per_list=True)
def measure_spans(
    runs: Table,
    spans: object,
    measures: object = None,
    *,
    chunks: pd.DataFrame | None = None,
    overlap: Literal["once", "each"] = "once",
) -> pd.DataFrame:
    """Return the scores of every list of chunks by the characters of relevant spans that it covers.

    The run table, or `chunks`, has the columns `start` and `end`: a chunk has the characters from `start` up to, but
    not including, `end`. Chunks are ranked by score, equal scores by document id descending, then by `start`. Queries
    without relevant spans do not count. A run without a list gets 0.

    Parameters
    ----------
    spans : DataFrame
        Relevant spans: query, doc, start, end, and maybe a grade, which "SpanNDCG" uses. Spans with a grade of 0 or
        less are not relevant.
    measures : str, Measure, or list of them, optional
        "SpanRecall", "SpanPrecision", "SpanIoU" and "SpanNDCG", by default all four, also as "SpanRecall@5".
    chunks : DataFrame, optional
        Places of chunks, if the items of the runs are ids of chunks: the id, in a column named as that of the runs;
        document, start, end.
    overlap : {'once', 'each'}, default 'once'
        Whether a character that several chunks of a list have is one retrieved character, or one for each chunk.

    Examples
    --------
    >>> spans = pd.DataFrame({"query_id": "q1", "doc_id": "d1", "start": [100, 300], "end": [200, 340]})
    >>> chunks = pd.DataFrame({
    ...     "run": "rag", "query_id": "q1", "doc_id": "d1", "start": [80, 170], "end": [180, 260], "score": [2.0, 1.0],
    ... })
    >>> chunks.ireval.measure_spans(spans).round(4)
       run query_id        measure   value
    0  rag       q1     SpanRecall  0.7143
    1  rag       q1  SpanPrecision  0.5556
    2  rag       q1        SpanIoU  0.4545
    3  rag       q1       SpanNDCG  0.4631
    """
    requested = parse_kind(measures, "spans")
    judged = _read_spans(spans)
    answers = Answers.of(runs if chunks is None else _placed(runs, chunks))
    for role in ("query", "doc"):
        ids = column_ids(answers.table.column(role), role)
        same_type(role, ids, column_ids(judged[role], role))
    answers = answers.of_queries(coded(judged["query"], "query")[1], "the table of spans")
    retrieved = answers.table
    doc, docs = coded(pd.concat([retrieved.column("doc"), judged["doc"]]), "doc")
    n_chunks = len(retrieved.frame)
    chunk_doc, span_doc = doc[:n_chunks], doc[n_chunks:]
    start, end = _ends(retrieved.frame, "run table")
    rank = _ranks(answers, chunk_doc, len(docs), start, end)
    span_query = answers.queries.get_indexer(pd.Index(judged["query"]))
    answers.warn_about_unanswered(answers.answered(), "lists")

    # the document of a list; the last run is that of the judgments, which has all relevant spans
    n_queries, n_runs = answers.shape
    query = np.concatenate([answers.query, span_query])
    run = np.concatenate([answers.run, np.full(len(judged), n_runs)])
    columns = [(query, n_queries), (doc, len(docs)), (run, n_runs + 1)]
    first, document = distinct(combined_codes(columns, len(query)))
    # documents are sorted by query and id: those of a span are contiguous, one for each list that has it
    key = (query * len(docs) + doc)[first]
    span_key = span_query * len(docs) + span_doc
    begin = np.searchsorted(key, span_key)
    n_copies = np.searchsorted(key, span_key, side="right") - begin
    span = np.repeat(np.arange(len(judged)), n_copies)
    span_start, span_end = judged["start"].to_numpy()[span], judged["end"].to_numpy()[span]

    # a piece is the part of a document between two neighboring points
    owner = np.concatenate([document[:n_chunks], ranges(begin, n_copies)])
    position, place = np.unique(
        np.concatenate([start, span_start, end, span_end]), return_inverse=True
    )
    points, point = np.unique(np.tile(owner, 2) * len(position) + place, return_inverse=True)
    length = np.diff(position[points % len(position)], append=0.0)
    piece_first, piece_end = np.split(point, 2)
    n_pieces = piece_end - piece_first
    piece = ranges(piece_first, n_pieces)
    interval = np.repeat(np.arange(len(owner)), n_pieces)
    is_chunk = interval < n_chunks
    first_rank = np.full(len(points), inf)
    np.minimum.at(first_rank, piece[is_chunk], rank[interval[is_chunk]])
    grade = judged["grade"].to_numpy()[span[interval[~is_chunk] - n_chunks]]
    span_length = (span_end - span_start)[interval[~is_chunk] - n_chunks]
    gain = length * np.bincount(piece[~is_chunk], grade / span_length, len(points))
    relevant = np.where(gain > 0, length, 0.0)

    row_of_point = first[points // len(position)]
    covered = np.flatnonzero(first_rank < inf)
    # (ranks, queries, runs)
    cell = (
        first_rank[covered].astype(np.int64) - 1,
        query[row_of_point[covered]],
        run[row_of_point[covered]],
    )
    shape = (int(rank.max(initial=1)), n_queries, n_runs)
    of_judgments = run[row_of_point] == n_runs
    total = np.bincount(query[row_of_point][of_judgments], relevant[of_judgments], n_queries)
    by_kernel = {
        "relevant": _summed(shape, cell, relevant[covered]),
        "retrieved": _summed(shape, cell, length[covered]),
        "gain": _summed(shape, cell, gain[covered]),
        "ideal": _ideal(span_query, span_key, judged["grade"].to_numpy(), n_queries),
        "judged": total[:, None],
    }
    if overlap == "each":
        by_kernel["retrieved"] = _summed(shape, (rank - 1, answers.query, answers.run), end - start)
    return answers.cube(requested, evaluated(by_kernel)).frame()


def _placed(runs: Table, chunks: pd.DataFrame) -> Table:
    """Return the run table with the document, the start and the end of each chunk."""
    name = runs.roles["doc"]
    absent = [column for column in (name, "document", *_ENDS) if column not in chunks]
    if absent:
        raise ValueError(f"chunks= has no column {absent[0]!r}; it has {listed(chunks.columns)}.")
    repeated = chunks[name][chunks[name].duplicated()]
    if len(repeated):
        raise ValueError(
            f"chunks= has {len(repeated):,} rows that repeat a chunk, e.g. {repeated.tolist()[0]!r}. Keep one of each."
        )
    row = pd.Index(chunks[name]).get_indexer(pd.Index(runs.column("doc")))
    unknown = runs.column("doc")[row < 0]
    if len(unknown):
        raise ValueError(
            f"{len(unknown):,} of {len(row):,} retrieved chunks are missing from chunks=, e.g. "
            f"{unknown.tolist()[0]!r}. Use the same ids, of the same type."
        )
    places = chunks[["document", *_ENDS]].iloc[row].set_axis(runs.frame.index)
    frame = runs.frame.assign(**{column: places[column] for column in places})
    return replace(runs, frame=frame, roles={**runs.roles, "doc": "document"})


def _read_spans(spans: object) -> pd.DataFrame:
    """Return the relevant spans, sorted: query, doc, start, end, grade."""
    frame = as_table(spans)
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(not_a_table(frame, "a table of spans (query, doc, start, end)"))
    roles = item_roles(
        frame.columns,
        "history",
        {},
        lambda missing: (
            f"the table of spans has no {' and no '.join(missing)} column; it has {listed(frame.columns)}."
        ),
    )
    start, end = _ends(frame, "table of spans")
    grade = next((name for name in GRADES if name in frame), None)
    result = pd.DataFrame(
        {
            "query": frame[roles["query"]],
            "doc": frame[roles["doc"]],
            "start": start,
            "end": end,
            "grade": 1.0 if grade is None else numbers(frame[grade], "grade"),
        }
    )
    result = result[result["grade"] > 0]
    if not len(result):
        raise ValueError("the table of spans has no relevant span.")
    # sorted: sums over overlapping spans do not depend on the order of rows
    return result.drop_duplicates().sort_values([*result.columns], ignore_index=True)


def _ends(frame: pd.DataFrame, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the starts and ends of intervals; raise if they are missing or empty."""
    absent = [name for name in _ENDS if name not in frame]
    if absent:
        raise ValueError(
            f"the {what} has no column {absent[0]!r}; it has {listed(frame.columns)}. Spans need the columns 'start' "
            "and 'end', the first character and the one after the last."
        )
    start, end = (numbers(frame[name], name) for name in _ENDS)
    wrong = np.flatnonzero((start < 0) | (end <= start) | (end == np.inf))
    if len(wrong):
        raise ValueError(
            f"the {what} has {len(wrong):,} rows without a start of 0 or more and a later end, e.g. "
            f"[{start[wrong[0]]:g}, {end[wrong[0]]:g}). The column 'end' is the character after the last."
        )
    return start, end


def _ranks(
    answers: Answers, doc: np.ndarray, n_docs: int, start: np.ndarray, end: np.ndarray
) -> np.ndarray:
    """Return the rank of every chunk in its list; raise if a list repeats a chunk."""
    runs = answers.table
    role = "score" if "score" in runs else "rank"
    score = numbers(runs.column(role), role)
    score = score if role == "score" else -score
    ends = [np.unique(column, return_inverse=True)[1] for column in (start, end)]
    lists = [(answers.run, len(answers.runs)), (answers.query, len(answers.queries))]
    chunk = [(doc, n_docs), *((codes, int(codes.max(initial=0)) + 1) for codes in ends)]
    answers.check_unique(combined_codes([*lists, *chunk], len(doc)), "doc", "start", "end")
    # lexsort: the last key is the primary one
    order = np.lexsort((end, start, -doc, -score, answers.query, answers.run))
    list_of_row = combined_codes([(codes[order], n) for codes, n in lists], len(doc))
    rank = np.empty(len(doc), dtype=np.int64)
    rank[order] = np.arange(len(doc)) - np.searchsorted(list_of_row, list_of_row) + 1
    return rank


def _summed(shape: tuple[int, ...], cell: tuple[np.ndarray, ...], weight: np.ndarray) -> np.ndarray:
    """Return the sums of weights by cell."""
    size = int(np.prod(shape))
    return np.bincount(np.ravel_multi_index(cell, shape), weight, size).reshape(shape)


def _ideal(query: np.ndarray, key: np.ndarray, grade: np.ndarray, n_queries: int) -> np.ndarray:
    """Return the gains of the documents of each query, the largest first, of shape (documents, queries, 1)."""
    first, document = distinct(key)
    gain = np.bincount(document, grade)
    order = np.lexsort((-gain, query[first]))
    of_query = query[first][order]
    place = np.arange(len(order)) - np.searchsorted(of_query, of_query)
    ideal = np.zeros((int(place.max()) + 1, n_queries, 1))
    ideal[place, of_query, 0] = gain[order]
    return ideal
