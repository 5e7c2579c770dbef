"""The sample collection that ships with pdeval, and what makes it."""

from pdeval.datasets.answers import AnswerSample, load_answers
from pdeval.datasets.sample import (
    Recommendations,
    Sample,
    load_recommendations,
    load_sample,
    sample_judged,
    sample_metadata,
    sample_qrels,
    sample_runs,
)

__all__ = [
    "AnswerSample",
    "Recommendations",
    "Sample",
    "load_answers",
    "load_recommendations",
    "load_sample",
    "sample_judged",
    "sample_metadata",
    "sample_qrels",
    "sample_runs",
]
