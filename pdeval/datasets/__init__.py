"""The sample collection that ships with pdeval, and what makes it."""

from pdeval.datasets.sample import (
    AnswerSample,
    Recommendations,
    Sample,
    load_answers,
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
