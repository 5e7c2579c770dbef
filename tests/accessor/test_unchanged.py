"""The caller's tables are read, never changed."""

import numpy as np
import pandas as pd
import pytest

from tests.test_bad_input import QRELS, RUNS

VERBS = {
    "measure": lambda runs, qrels: runs.ireval.measure(qrels, ["AP", "bpref"]),
    "prefer": lambda runs, qrels: runs.ireval.prefer(qrels, ["RPP", "AP"]),
    "order": lambda runs, qrels: runs.ireval.order(qrels, ["RPP", "AP"]),
    "compare": lambda runs, qrels: runs.ireval.compare(qrels, "AP"),
    "check": lambda runs, qrels: runs.ireval.check(qrels),
    "curve": lambda runs, qrels: runs.ireval.curve(qrels),
    "explain": lambda runs, qrels: runs.ireval.explain(qrels, "q1"),
    "describe": lambda runs, qrels: repr(runs.ireval) + repr(qrels.ireval),
    "bind": lambda runs, qrels: runs.ireval(run=["run", "note"]).measure(qrels, "AP"),
    "ties": lambda runs, qrels: runs.ireval.measure(qrels, "AP", ties="expected"),
}


@pytest.mark.filterwarnings("ignore:.*missing from run")
@pytest.mark.parametrize("kind", ["object", "category", "string[pyarrow]"])
@pytest.mark.parametrize("verb", VERBS)
def test_the_callers_tables_are_never_changed(verb, kind):
    runs = (
        RUNS.astype({"doc_id": kind, "run": kind}).assign(note="x").sample(frac=1, random_state=1)
    )
    qrels = QRELS.astype({"doc_id": kind}).iloc[::-1]
    runs.attrs["origin"], qrels.attrs["origin"] = "here", "there"
    before = runs.copy(deep=True), qrels.copy(deep=True)
    VERBS[verb](runs, qrels)
    for was, now in zip(before, (runs, qrels)):
        pd.testing.assert_frame_equal(now, was)
        assert now.attrs == was.attrs
        assert list(now) == list(was)


@pytest.mark.parametrize("verb", ["summary", "order", "compare", "report", "anova"])
def test_the_callers_scores_are_never_changed(verb):
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(
        [(run, str(query), "AP", rng.random()) for run in "cab" for query in range(6)],
        columns=["run", "query_id", "measure", "value"],
    ).sample(frac=1, random_state=2)
    scores.attrs["origin"] = "here"
    before = scores.copy(deep=True)
    getattr(scores.ireval, verb)()
    pd.testing.assert_frame_equal(scores, before)
    assert scores.attrs == {"origin": "here"}
