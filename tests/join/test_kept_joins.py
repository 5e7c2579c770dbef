"""A join that is kept: whatever becomes of the frames that it was made from, every verb answers as before."""

import contextlib
import copy
from functools import cache

import pandas as pd
import pytest

import pdeval
from tests.verb_calls import VERBS_OF_A_JOIN, arguments, asked, same

STORED = ["as read", "category", "object", "string[pyarrow]"]


def frames(stored="as read"):
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    some = runs["run"].isin(["bm25", "ql", "tfidf", "bm25+rm3", "dense-s1"])
    runs = runs[some & runs["query_id"].astype(str).between("115", "124")]
    qrels = qrels[qrels["query_id"].astype(str).between("115", "124")]
    qrels = qrels.assign(subtopic=qrels["doc_id"].str[-1])
    made = runs.reset_index(drop=True), qrels.reset_index(drop=True)
    if stored == "as read":
        return made
    return tuple(
        frame.astype(dict.fromkeys(frame.columns.intersection(IDS), stored)) for frame in made
    )


IDS = ["run", "query_id", "doc_id", "subtopic"]


def overwrite(frame):
    """Spoil a frame in place in every way that pandas lets a caller: by cells, by columns, by its arrays."""
    for name in list(frame.columns):
        backwards = frame[name].iloc[::-1].to_numpy().copy()
        for array in (frame[name].to_numpy(), frame[name].values, frame[name].array):
            with contextlib.suppress(
                TypeError, ValueError
            ):  # where pandas refuses, this way is closed
                array[:] = backwards
        with contextlib.suppress(ValueError):
            frame.iloc[:3, frame.columns.get_loc(name)] = frame[name].iloc[-1]
            frame.loc[frame.index[5], name] = frame[name].iloc[-2]
    frame["doc_id"] = "other"
    frame.columns = frame.columns.str.upper()
    frame.index = frame.index[::-1]
    frame.attrs.clear()


@cache
def spoiled():
    """A join whose frames were overwritten after it was made, and one whose were not."""
    runs, qrels = frames()
    judged = runs.ireval.join(qrels)
    overwrite(runs)
    overwrite(qrels)
    return judged, frames()[0].ireval.join(frames()[1])


@pytest.mark.broad
@pytest.mark.parametrize("name", VERBS_OF_A_JOIN)
def test_every_verb_of_a_kept_join_answers_as_if_nothing_was_edited(name):
    judged, wanted = spoiled()
    given = arguments(name, wanted)
    same(asked(wanted, name, given), asked(judged, name, copy.deepcopy(given)))


@pytest.mark.broad
@pytest.mark.parametrize("stored", STORED)
def test_what_counts_items_of_the_run_table_counts_those_of_the_join(stored):
    measures = ["Utility", "AP"]
    wanted = asked(
        frames(stored)[0].ireval.join(frames(stored)[1]), "measure", {"measures": measures}
    )
    runs, qrels = frames(stored)
    judged = runs.ireval.join(qrels)
    overwrite(runs)
    overwrite(qrels)
    same(wanted, asked(judged, "measure", {"measures": measures}))


@pytest.mark.broad
@pytest.mark.parametrize("stored", STORED)
def test_tables_of_a_kept_join_stay_as_they_were(stored):
    runs, qrels = frames(stored)
    judged = runs.ireval.join(qrels)
    overwrite(runs)
    overwrite(qrels)
    for kept, wanted in zip(judged.tables, frames(stored), strict=True):
        pd.testing.assert_frame_equal(kept.frame, wanted)


def test_scores_written_through_the_array_of_a_column_do_not_reach_a_kept_join():
    runs, qrels = frames()
    judged = runs.ireval.join(qrels)
    wanted = asked(judged, "measure", {"measures": ["Utility", "AP"]})
    runs["score"].array[:] = 0.0
    qrels["relevance"].array[:] = 0
    assert (runs["score"] == 0).all()
    same(wanted, asked(judged, "measure", {"measures": ["Utility", "AP"]}))
    assert judged.tables[0].frame["score"].nunique() > 1
