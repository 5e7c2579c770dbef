"""Citations: the documents that the sentences of an answer cite, and whether they support the sentences."""

import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd

from pdeval.answers.measured import (
    Answers,
    codes_of,
    evaluated,
    labels_or_numbers,
    parse_kind,
)
from pdeval.catalog import Measure
from pdeval.evaluate import coded
from pdeval.join import checked_level, column_ids, outside, ranked, same_type
from pdeval.tables import SCHEMAS, Table, combined_codes, distinct, numbers, read, table
from pdeval.verbs import verb

MEASURES = ("CitationPrecision", "CitationRecall", "CitationF")
SUPPORT = {"full": 1.0, "partial": 0.5, "none": 0.0}

table(
    "citations",
    "run query sentence doc support:any [position:float machine:any]",
    "table of citations",
    recognized_by="query sentence doc support",
    row="citation of a sentence, or a sentence without citations",
    then=".measure()",
    labels=SUPPORT,
    means={
        "sentence": "the sentence of the answer: its id or number",
        "doc": "the cited document; missing for a sentence without citations",
        "support": "'full', 'partial' or 'none', or a number of 0 to 1",
        "position": "place of the citation in its sentence",
        "machine": "the support by a machine; `support` is then by human assessors, missing without their labels",
    },
    no_report="citations are raw data; report .measure()",
    no_plot="citations are raw data; plot .measure()",
)


@verb(on="citations", returns="scores", name="measure", core=True, own="level", machine=True)
def measure_citations(
    citations: Table,
    measures: object = None,
    *,
    first: bool = False,
    qrels: object = None,
    runs: object = None,
    level: float | None = None,
) -> pd.DataFrame:
    """Return the scores of every answer by the support that its citations give to its sentences.

    A sentence without citations is a row without a document. A run without an answer gets 0. If the table also has the
    support by a machine, the scores table has scores by both, and an answer without any human label has only that by
    the machine.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        "CitationPrecision", "CitationRecall" and "CitationF" (the default are these three); "CitationRelevance", which
        needs `qrels`; and "CitationUse", which needs `runs`, also as "CitationUse@10".
    first : bool, default False
        Whether only the first citation of each sentence counts, as at TREC 2024; needs the column `position`.
    qrels : DataFrame, optional
        Judgments of the cited documents.
    runs : DataFrame, optional
        Run table of the documents that were retrieved for the answers, with the same names of runs.
    level : float, optional
        Smallest relevant grade of `qrels`; by default any positive grade.

    Examples
    --------
    >>> citations = pd.DataFrame({
    ...     "run": "rag", "query_id": "q1", "sentence": [1, 1, 2, 3],
    ...     "doc_id": ["d1", "d2", "d1", None], "support": ["full", "none", "partial", None],
    ... })
    >>> qrels = pd.DataFrame({"query_id": "q1", "doc_id": ["d1", "d3"], "relevance": 1})
    >>> citations.ireval.measure(["CitationPrecision", "CitationRecall", "CitationRelevance"], qrels=qrels).round(3)
       run query_id            measure  value
    0  rag       q1  CitationPrecision  0.500
    1  rag       q1     CitationRecall  0.500
    2  rag       q1  CitationRelevance  0.667
    """
    requested = parse_kind(MEASURES if measures is None else measures, "citations")
    answers = Answers.of(citations)
    cited = citations.column("doc").notna().to_numpy()
    sentence, sentences = coded(citations.column("sentence"), "sentence")
    doc, docs = pd.factorize(citations.column("doc"))
    in_sentence = [
        (answers.query, len(answers.queries)),
        (answers.run, len(answers.runs)),
        (sentence, len(sentences)),
    ]
    # the code 0 is that of no document
    key = combined_codes([*in_sentence, (doc + 1, len(docs) + 1)], len(doc))
    answers.check_unique(key, "sentence", "doc")
    _, number = distinct(combined_codes(in_sentence, len(doc)))
    counted = _first_citations(citations, number, cited) if first else cited
    columns = {"citations": answers.total(counted)}
    needs = {name for measure in requested for name in measure.columns}
    if "relevant" in needs:
        judgments = _needed(qrels, "qrels", "CitationRelevance needs judgments. Pass qrels=.")
        relevant = _relevant(answers, judgments, doc, docs, checked_level(level))
        columns["relevant"] = answers.total(counted & relevant)
    if "listed" in needs:
        retrieved = _needed(runs, "runs", "CitationUse needs the retrieved documents. Pass runs=.")
        columns |= _retrieved(answers, retrieved, doc, docs, counted)
    answers.warn_about_unanswered(answers.answered())

    unjudged = int((citations.column("support").isna().to_numpy() & cited).sum())
    if unjudged and "machine" not in citations:
        warnings.warn(
            f"{unjudged:,} of {int(cited.sum()):,} citations have no support value. They count as not supporting.",
            stacklevel=outside(),
        )

    def by_label(role: str) -> Callable[[Measure], np.ndarray]:
        support = labels_or_numbers(citations.column(role), role, SUPPORT)
        columns.update(_supported(answers, np.where(counted, support, 0.0), number))
        return evaluated(columns)

    return answers.scores(requested, by_label)


def _supported(
    answers: Answers, support: np.ndarray, sentence: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the sums over answers of the support, and of the best support of each sentence; NaN counts 0."""
    support = np.nan_to_num(support)
    first_row, number = distinct(sentence)
    best = np.zeros(len(first_row))
    np.maximum.at(best, number, support)
    return {
        "supported": answers.total(support),
        "best": answers.total(best, first_row),
        "sentences": answers.total(np.ones(len(first_row)), first_row),
    }


def _needed(table: object, kind: str, advice: str) -> Table:
    """Return a table that a measure needs; raise if there is none."""
    if table is None:
        raise ValueError(advice)
    return read(table, kind)


def _relevant(
    answers: Answers, qrels: Table, doc: np.ndarray, docs: pd.Index, level: float | None
) -> np.ndarray:
    """Return whether the document of each citation is relevant."""
    grade = numbers(qrels.column("grade"), "grade")
    relevant = grade > 0 if level is None else grade >= level
    query = codes_of(answers.queries, qrels.column("query"), "query of qrels=")
    item = _documents(docs, qrels)
    # both are -1 for ids that are not in the table of answers
    known = relevant & (query >= 0) & (item >= 0)
    pairs = query[known] * len(docs) + item[known]
    return np.isin(answers.query * len(docs) + doc, pairs) & (doc >= 0)


def _documents(docs: pd.Index, table: Table) -> np.ndarray:
    """Return the code of the document of each row, -1 if it is not cited; raise if ids have other types."""
    if len(docs):
        ids = column_ids(docs.to_series(), "doc"), column_ids(table.column("doc"), "doc")
        same_type("doc", *ids, "the citations", f"the {SCHEMAS[table.kind].description}")
    return docs.get_indexer(pd.Index(table.column("doc")))


def _retrieved(
    answers: Answers, runs: Table, doc: np.ndarray, docs: pd.Index, cited: np.ndarray
) -> dict[str, np.ndarray]:
    """Return `listed` and `cited`, of shape (ranks, queries, runs)."""
    query, run = answers.rows_of(runs, "runs=")
    item = _documents(docs, runs)
    known = (query >= 0) & (run >= 0)
    query, run, item = query[known], run[known], item[known]
    rank = ranked(runs)[known]
    citations = answers.query * len(answers.runs) + answers.run
    pairs = citations[cited] * len(docs) + doc[cited]
    is_cited = np.isin((query * len(answers.runs) + run) * len(docs) + item, pairs) & (item >= 0)
    result = np.zeros((2, int(rank.max(initial=0)), *answers.shape), dtype=bool)
    result[0, rank - 1, query, run] = True
    result[1, rank - 1, query, run] = is_cited
    return {"listed": result[0], "cited": result[1]}


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
