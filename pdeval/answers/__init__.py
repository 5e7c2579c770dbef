"""Answers that systems write: their nuggets and citations, the chunks that they are from, and abstention.

measured     the scores of answers, from the columns that the kernels request
nuggets      assignments of nuggets to answers
machine      assignments by a machine next to those by human assessors
citations    citations of sentences, and how far they support them
chunks       chunks of documents in rankings, collapsed to documents
spans        chunks compared with relevant spans of documents
abstention   queries without an answer, and risk-coverage curves
"""

from pdeval.answers import abstention, chunks, citations, machine, measured, nuggets, spans

__all__ = ["abstention", "chunks", "citations", "machine", "measured", "nuggets", "spans"]
