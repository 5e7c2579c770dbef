"""Large tables are worked on in parts; a small one cut into tiny parts gives the numbers of the whole, to the bit."""

from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate import scores
from pdeval.join import positions, ranks
from pdeval.tables import reader

MEASURES = ["AP", "nDCG@10", "P@10", "RBP(p=0.8)"]
COMPACT = {"run": "category", "query_id": "category", "doc_id": "category", "score": np.float32}


def sample(ids, order):
    """Return runs with many ties, as texts or as compact types, sorted or in any order."""
    runs = pdeval.datasets.sample_runs().assign(score=lambda frame: frame["score"].round(0))
    runs = runs.astype(COMPACT) if ids == "compact" else runs
    return runs if order == "sorted" else runs.sample(frac=1, random_state=3).reset_index(drop=True)


@contextmanager
def in_tiny_parts():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            positions, "_ROWS", 1
        )  # parts of rows are then as small as the number of items allows
        patch.setattr(positions, "_TABLE", 0)
        patch.setattr(ranks, "PART", 7)
        patch.setattr(scores, "CELLS", 50)
        yield


@pytest.mark.broad
@pytest.mark.parametrize("order", ["sorted", "shuffled"])
@pytest.mark.parametrize("ids", ["texts", "compact"])
def test_parts_of_rows_and_topics_give_the_numbers_of_the_whole(ids, order):
    runs, qrels = sample(ids, order), pdeval.datasets.sample_qrels()
    for rules in ({"ties": "docid"}, {"ties": "first"}, {"ties": "docid", "depth": 20}):
        whole = runs.ireval.measure(qrels, MEASURES, queries="common", **rules)
        with in_tiny_parts():
            parts = runs.ireval.measure(qrels, MEASURES, queries="common", **rules)
        pd.testing.assert_frame_equal(parts, whole, check_exact=True)


def test_columns_are_made_for_some_topics_after_the_others():
    judged = pdeval.datasets.sample_judged(queries="common")
    assert len(list(scores.Views(judged).parts())) == 1
    with in_tiny_parts():
        parts = [part.positions.queries for part in scores.Views(judged).parts()]
    assert len(parts) > 10
    assert [query for part in parts for query in part] == judged.queries.tolist()


def test_32_bit_scores_and_codes_are_not_copied():
    runs = sample("compact", "sorted")
    table = reader.read(runs, "runs")
    score = ranks.scores_of(table, "docid", "trec_eval-10")
    assert score.dtype == np.float32
    assert np.shares_memory(score, table.column("score").to_numpy())
    codes = positions.ids.column_ids(table.column("doc"), "doc").codes
    assert np.shares_memory(codes, table.column("doc").array.codes)
    assert np.shares_memory(positions.ids.Ids(codes=codes).marks, codes)


@pytest.mark.broad
def test_ranks_of_32_bit_scores_are_those_of_the_same_scores_in_64_bits():
    narrow, qrels = sample("compact", "shuffled"), pdeval.datasets.sample_qrels()
    narrow["score"] = np.random.default_rng(0).normal(size=len(narrow)).astype(np.float32)
    wide = narrow.astype({"score": np.float64})
    for ties in ("docid", "first", "expected"):
        one, other = (
            runs.ireval.measure(qrels, "AP", queries="common", ties=ties) for runs in (narrow, wide)
        )
        pd.testing.assert_frame_equal(one, other, check_exact=True)
