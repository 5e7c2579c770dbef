"""Citations: the documents that the sentences of an answer cite, and whether they support the sentences."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from pdeval.answers.measured import Answers, labels_or_numbers, parse_kind
from pdeval.evaluate.cube import coded
from pdeval.tables.codes import combined_codes, distinct
from pdeval.tables.reader import Table, numbers
from pdeval.tables.schemas import table
from pdeval.verbs import verb

MEASURES = ("CitationPrecision", "CitationRecall", "CitationF")
SUPPORT = {"full": 1.0, "partial": 0.5, "none": 0.0}

table(
    "citations",
    "run query sentence doc support:any [position:float]",
    "table of citations",
    recognized_by="query sentence doc support",
    row="citation of a sentence, or a sentence without citations",
    then=".measure()",
    means={
        "sentence": "the sentence of the answer: its id or number",
        "doc": "the cited document; missing for a sentence without citations",
        "support": "'full', 'partial' or 'none', or a number of 0 to 1",
        "position": "place of the citation in its sentence",
    },
    no_report="citations are raw data; report .measure()",
    no_plot="citations are raw data; plot .measure()",
)


@verb(on="citations", returns="scores", name="measure", core=True)
def measure_citations(
    citations: Table, measures: object = None, *, first: bool = False
) -> pd.DataFrame:
    """Return the scores of every answer by the support that its citations give to its sentences.

    A sentence without citations is a row without a document. A run without an answer gets 0.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        "CitationPrecision", "CitationRecall" and "CitationF", by default all three.
    first : bool, default False
        Whether only the first citation of each sentence counts, as at TREC 2024; needs the column `position`.

    Examples
    --------
    >>> citations = pd.DataFrame({
    ...     "run": "rag", "query_id": "q1", "sentence": [1, 1, 2, 3],
    ...     "doc_id": ["d1", "d2", "d1", None], "support": ["full", "none", "partial", None],
    ... })
    >>> citations.ireval.measure(["CitationPrecision", "CitationRecall"])
       run query_id            measure  value
    0  rag       q1  CitationPrecision    0.5
    1  rag       q1     CitationRecall    0.5
    """
    requested = parse_kind(MEASURES if measures is None else measures, "citations")
    answers = Answers.of(citations)
    support = labels_or_numbers(citations.column("support"), "support", SUPPORT)
    cited = citations.column("doc").notna().to_numpy()
    _warn_about_unjudged(support, cited)
    support = np.where(cited, np.nan_to_num(support), 0.0)
    sentence, sentences = coded(citations.column("sentence"), "sentence")
    doc, docs = pd.factorize(citations.column("doc"))
    n_rows = len(doc)
    in_sentence = [
        (answers.query, len(answers.queries)),
        (answers.run, len(answers.runs)),
        (sentence, len(sentences)),
    ]
    # the code 0 is that of no document
    answers.check_unique(
        combined_codes([*in_sentence, (doc + 1, len(docs) + 1)], n_rows), "sentence", "doc"
    )
    first_row, number = distinct(combined_codes(in_sentence, n_rows))
    if first:
        cited = _first_citations(citations, number, cited)
        support = np.where(cited, support, 0.0)
    best = np.zeros(len(first_row))
    np.maximum.at(best, number, support)
    answer = answers.query * len(answers.runs) + answers.run
    # sorted: the sum does not depend on the order of rows
    order = np.lexsort((support, answer))

    def total(answer: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
        size = answers.shape[0] * answers.shape[1]
        return np.bincount(answer, weight, minlength=size).reshape(answers.shape)

    by_best = np.lexsort((best, answer[first_row]))
    columns = {
        "supported": total(answer[order], support[order]),
        "citations": total(answer[cited]),
        "best": total(answer[first_row][by_best], best[by_best]),
        "sentences": total(answer[first_row]),
    }
    answers.warn_about_unanswered(columns["sentences"] > 0)
    return answers.scores(
        requested,
        lambda measure: measure.entry.kernel(
            *(columns[name] for name in measure.entry.columns), **measure.parameters
        ),
    )


def _warn_about_unjudged(support: np.ndarray, cited: np.ndarray) -> None:
    """Warn about citations without a value of support."""
    unjudged = int((np.isnan(support) & cited).sum())
    if unjudged:
        warnings.warn(
            f"{unjudged:,} of {int(cited.sum()):,} citations have no support value. They count as not supporting.",
            stacklevel=2,
        )


def _first_citations(citations: Table, sentence: np.ndarray, cited: np.ndarray) -> np.ndarray:
    """Return whether each row is the first citation of its sentence."""
    if "position" not in citations:
        raise ValueError(
            "first=True needs the place of each citation in its sentence, but there is no column 'position'. Add it, "
            "e.g. if rows are in order, df.assign(position=df.groupby(['run', 'query_id', 'sentence']).cumcount())."
        )
    rows = np.flatnonzero(cited)
    place = numbers(citations.column("position").iloc[rows], "position")
    order = rows[np.lexsort((place, sentence[rows]))]
    result = np.zeros(len(cited), dtype=bool)
    result[order[np.flatnonzero(np.diff(sentence[order], prepend=-1))]] = True
    return result
