"""Answers that systems write: the nuggets that they contain, and the citations that support them.

measured     the scores of answers, from the columns that the kernels request
nuggets      assignments of nuggets to answers
citations    citations of sentences, and how far they support them
chunks       chunks of documents in rankings, collapsed to documents
"""

from pdeval.answers import chunks, citations, measured, nuggets

__all__ = ["chunks", "citations", "measured", "nuggets"]
