"""Chunks: rankings of parts of documents, collapsed to rankings of documents."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.answers.measured import Answers
from pdeval.evaluate import coded, described_frame
from pdeval.tables import Table, combined_codes, distinct, labels, natural, numbers
from pdeval.verbs import verb


@verb(on="runs", returns="runs", grouped=False)
def collapse(
    runs: Table,
    *,
    doc: str | Mapping[str, str] | None = None,
    separator: str | None = None,
    score: Literal["max", "first", "sum", "mean"] = "max",
) -> pd.DataFrame:
    """Return the run table of documents, from a run table of their chunks.

    Documents are ranked by their scores, equal scores by document id descending, as in trec_eval.

    Parameters
    ----------
    doc : str or mapping of str to str, optional
        Column with the document of each chunk, or a mapping of chunk ids to documents. By default chunks have the id
        of their document, and a document occurs several times in a list.
    separator : str, optional
        Text that ends the document in a chunk id: "#" for "doc7#2". Its last occurrence counts.
    score : {'max', 'first', 'sum', 'mean'}
        Score of a document: the best score of its chunks (MaxP), the score of the first of them in the natural order
        of chunk ids (FirstP), their sum, or their mean. Only retrieved chunks count.

    Examples
    --------
    >>> chunks = pd.DataFrame(
    ...     {"run": "bm25", "query_id": "1", "doc_id": ["a#1", "b#1", "a#2"], "score": [1.0, 3.0, 4.0]}
    ... )
    >>> chunks.ireval.collapse(separator="#")
        run query_id doc_id  score  rank
    0  bm25        1      a    4.0     1
    1  bm25        1      b    3.0     2
    """
    if "score" not in runs:
        raise ValueError(
            "collapse() needs scores, but the run table has only ranks. Add them, e.g. df.assign(score=-df['rank'])."
        )
    answers = Answers.of(runs)
    value = numbers(runs.column("score"), "score")
    chunk, chunks = coded(runs.column("doc"), "doc")
    document, documents = coded(_documents(runs, chunk, chunks, doc, separator), "document")
    lists = [(answers.run, len(answers.runs)), (answers.query, len(answers.queries))]
    if doc is not None or separator is not None:
        answers.check_unique(combined_codes([*lists, (chunk, len(chunks))], len(chunk)), "doc")
    elif score == "first":
        raise ValueError("score='first' needs the ids of chunks. Pass doc= or separator=.")
    first, number = distinct(combined_codes([*lists, (document, len(documents))], len(chunk)))
    if score == "first":
        # inverse permutation: the place of each chunk in natural order
        chunk = np.argsort(sorted(range(len(chunks)), key=lambda code: natural(chunks[code])))[
            chunk
        ]
    # the rows of a document, by chunk, then by score: sums do not depend on the order of rows
    order = np.lexsort((value, chunk, number))
    start = np.flatnonzero(np.diff(number[order], prepend=-1))
    if score == "max":
        scores = np.maximum.reduceat(value[order], start)
    elif score == "first":
        scores = value[order[start]]
    else:
        scores = np.bincount(number[order], value[order])
        scores = scores / np.bincount(number) if score == "mean" else scores
    # lexsort: the last key is the primary one
    ranked = np.lexsort((-document[first], -scores, answers.query[first], answers.run[first]))
    rows = first[ranked]
    _, list_of_row = distinct(combined_codes([(codes[rows], n) for codes, n in lists], len(rows)))
    n_before = np.searchsorted(list_of_row, list_of_row)  # rows of earlier lists
    return described_frame(
        {
            **{name: labels(answers.runs[name], answers.run[rows]) for name in runs.run_columns},
            runs.roles["query"]: labels(answers.queries, answers.query[rows]),
            runs.roles["doc"]: labels(documents, document[rows]),
            runs.roles["score"]: scores[ranked],
            "rank": np.arange(len(rows)) - n_before + 1,
        },
        {**runs.frame.attrs, "query_column": runs.roles["query"]},
    )


def _documents(
    runs: Table,
    chunk: np.ndarray,
    chunks: pd.Index,
    doc: str | Mapping[str, str] | None,
    separator: str | None,
) -> pd.Series:
    """Return the document of each row."""
    if doc is not None and separator is not None:
        raise ValueError("doc= and separator= both state the documents. Pass one of them.")
    if isinstance(doc, str):
        if doc not in runs.frame:
            raise KeyError(f"no column {doc!r}; the table has {', '.join(map(str, runs.frame))}.")
        return runs.frame[doc]
    if doc is None and separator is None:
        return runs.column("doc")
    if separator is None:
        of_chunk = pd.Series(chunks).map(dict(doc or {}))
        reason = "are missing from doc="
    else:
        parts = pd.Series(chunks).astype(str).str.rpartition(separator or " ")
        of_chunk = parts[0].where(parts[1] != "")
        reason = f"do not contain the separator {separator!r}"
    absent = chunks[of_chunk.isna().to_numpy()]
    if len(absent):
        raise ValueError(
            f"{len(absent):,} of {len(chunks):,} chunks {reason}, e.g. {absent[:3].tolist()}. Every chunk needs a "
            "document."
        )
    return of_chunk.iloc[chunk]
