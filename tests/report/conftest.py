"""Three systems, four queries, two measures: small enough to check every cell by hand."""

import numpy as np
import pandas as pd
import pytest

from pdeval.evaluate.cube import Scores


@pytest.fixture
def scores() -> Scores:
    """Means: AP .25, .2, .45; ASL 13, 21, 3 (less is better)."""
    ap = [[0.1, 0.2, 0.3], [0.2, 0.2, 0.4], [0.3, 0.2, 0.5], [0.4, 0.2, 0.6]]
    asl = [[10.0, 20.0, 2.0], [12.0, 20.0, 3.0], [14.0, 20.0, 4.0], [16.0, 24.0, 3.0]]
    return Scores(
        runs=pd.DataFrame({"run": ["bm25", "lm_dir", "dense"]}),
        queries=pd.Index(["1", "2", "3", "4"], name="query_id"),
        measures=("AP", "ASL"),
        values=np.array([ap, asl]),
        higher=np.array([True, False]),
        attrs={
            "ties": "docid",
            "queries": "relevant",
            "level": None,
            "compat": "trec_eval-10",
            "run_columns": ["run"],
        },
    )


@pytest.fixture
def comparisons() -> pd.DataFrame:
    """dense beats both on both measures; bm25 beats lm_dir on ASL only."""
    rows = [
        ("bm25", "lm_dir", "AP", 0.05, 0.9, False),
        ("bm25", "dense", "AP", -0.2, 0.001, True),
        ("lm_dir", "dense", "AP", -0.25, 0.002, True),
        ("bm25", "lm_dir", "ASL", 8.0, 0.01, True),
        ("bm25", "dense", "ASL", -10.0, 0.02, True),
        ("lm_dir", "dense", "ASL", -18.0, 0.00001, True),
    ]
    frame = pd.DataFrame(
        rows, columns=["run_a", "run_b", "measure", "difference", "p_adjusted", "significant"]
    )
    frame.insert(3, "test", "t")
    frame.insert(4, "n", 4)
    frame.attrs.update(correction="bonferroni", alpha=0.05, run_columns=["run"])
    return frame
