"""Any rows, divided anyhow: the numbers of pandas."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dask.bits import PREFERENCES, SCORES, gathered, quiet, same_bits
from tests.examples import examples

pytest.importorskip("dask")
pytestmark = pytest.mark.extras

MEASURES = ["AP", "bpref", "ERR", "ASL"]


@st.composite
def collections(draw):
    """Runs and judgments of few documents, with ties and gaps, and the rows of the runs cut into partitions."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    runs, queries, docs = draw(st.integers(2, 4)), draw(st.integers(1, 5)), 8
    cells = np.indices((runs, queries, docs)).reshape(3, -1).T
    listed = random.random((runs, queries)) < 0.8  # some lists are missing altogether
    cells = cells[listed[cells[:, 0], cells[:, 1]] & (random.random(len(cells)) < 0.7)]
    frame = pd.DataFrame(
        {"run": cells[:, 0], "query_id": cells[:, 1], "doc_id": [f"d{at}" for at in cells[:, 2]]}
    )
    frame["score"] = random.integers(0, 4, len(frame)).astype(float)
    if draw(st.booleans()):
        frame = frame.sort_values("query_id", kind="stable", ignore_index=True)
    if draw(st.booleans()):
        frame = frame.sample(frac=1, random_state=draw(st.integers(0, 9))).reset_index(drop=True)
    judged = pd.DataFrame(
        [(q, f"d{d}") for q in range(queries) for d in range(docs)], columns=["query_id", "doc_id"]
    )
    judged["relevance"] = random.integers(-1, 3, len(judged))
    judged = judged[random.random(len(judged)) < 0.7].reset_index(drop=True)
    cuts = sorted(draw(st.lists(st.integers(0, len(frame)), max_size=5)))
    return frame, judged, [0, *cuts, len(frame)]


def on_dask(frame, cuts):
    import dask.dataframe as dd

    parts = [frame.iloc[first:last] for first, last in pairwise(cuts)]
    return dd.from_map(lambda at: parts[at], range(len(parts)), meta=frame.iloc[:0])


def outcome(function, *args, by=None, **options):
    """Return the frame, or the text of the error: pandas and Dask must agree in both."""
    try:
        frame = quiet(function, *args, **options)
        return gathered(frame, by) if by else frame
    except ValueError as error:
        return str(error)


def agree(expected, found):
    if isinstance(expected, str) or isinstance(found, str):
        assert expected == found
    else:
        same_bits(expected, found)


@pytest.mark.broad
@examples(8)
@given(collections(), st.sampled_from(["relevant", "judged", "answered", "common"]))
def test_any_division_of_the_rows_gives_the_numbers_of_pandas(collection, queries):
    frame, judged, cuts = collection
    table = on_dask(frame, cuts)
    for measures in (["AP", "ERR"], MEASURES):
        expected = outcome(frame.ireval.measure, judged, measures, queries=queries)
        agree(expected, outcome(table.ireval.measure, judged, measures, queries=queries, by=SCORES))
    expected = outcome(frame.ireval.prefer, judged, ["RPP", "rrLP"], queries=queries)
    agree(
        expected,
        outcome(table.ireval.prefer, judged, ["RPP", "rrLP"], queries=queries, by=PREFERENCES),
    )
    expected = outcome(frame.ireval.mean, judged, ["RPP", "AP"], queries=queries)
    agree(expected, outcome(table.ireval.mean, judged, ["RPP", "AP"], queries=queries))
    expected = outcome(frame.ireval.order, judged, ["RPP", "AP"], queries=queries)
    agree(expected, outcome(table.ireval.order, judged, ["RPP", "AP"], queries=queries))
