"""The sample of answers: eight systems that retrieve chunks and write an answer."""

from typing import NamedTuple

import pandas as pd

from pdeval.datasets.sample import stored
from pdeval.tables import from_arrow


class AnswerSample(NamedTuple):
    """Answers: retrieved chunks, judgments, spans, nuggets, citations, queries and systems."""

    chunks: pd.DataFrame
    qrels: pd.DataFrame
    spans: pd.DataFrame
    nuggets: pd.DataFrame
    citations: pd.DataFrame
    queries: pd.DataFrame
    systems: pd.DataFrame


def load_answers() -> AnswerSample:
    """Return the sample of answers: chunks, qrels, spans, nuggets, citations, queries and systems.

    Eight systems, each a retriever and a generator, retrieve ten chunks for each of 30 queries and write an answer.
    Retrievers use different chunks of the documents. Six queries have no answer. Three systems return nothing if their
    best score is low. A machine assigned the nuggets of all answers, human assessors those to every other query.

    Examples
    --------
    >>> sample = load_answers()
    >>> print(sample.nuggets.head(2).to_string(index=False))
           run query_id nugget importance  assignment     machine  length
    bm25+large      q01     n1      vital     support     support     842
    bm25+large      q01     n2       okay not_support not_support     842
    >>> print(sample.chunks.head(2).to_string(index=False))
           run query_id  doc_id  start  end  score
    bm25+large      q01 q01-d05    400  800  0.648
    bm25+large      q01 q01-d20   1600 2000  0.592
    """
    names = ("chunks", "answer_qrels", "spans", "nuggets", "citations", "answer_queries", "systems")
    return AnswerSample(*(from_arrow(stored(name)) for name in names))
