"""Every name of ir_measures means something here, and Accuracy has its value there."""

import numpy as np
import pandas as pd
import pytest

import pdeval

ir_measures = pytest.importorskip("ir_measures", reason="ir-measures is not installed")
pytestmark = pytest.mark.extras


@pytest.mark.parametrize("name", sorted(ir_measures.measures.registry))
def test_every_name_of_the_registry_parses(name):
    assert pdeval.parse(name).entry.family == "metric"
    assert pdeval.parse(ir_measures.measures.registry[name]).entry.family == "metric"


@pytest.mark.parametrize("seed", range(3))
def test_accuracy_is_the_same(seed):
    rng = np.random.default_rng(seed)
    runs = pd.MultiIndex.from_product([list("123"), [f"d{n}" for n in range(30)]]).to_frame(
        name=["query_id", "doc_id"], index=False
    )
    runs["score"] = rng.permutation(len(runs)) * 1.0
    qrels = runs.sample(frac=0.4, random_state=seed)[["query_id", "doc_id"]]
    qrels = qrels.assign(relevance=rng.choice([0, 1, 2], len(qrels)))
    asked = [ir_measures.parse_measure(name) for name in ("Accuracy", "Accuracy@10", "Accuracy(rel=2)@20")]
    theirs = {(m.query_id, str(m.measure)): m.value for m in ir_measures.accuracy.iter_calc(asked, qrels, runs)}
    ours = runs.ireval.measure(qrels, asked).set_index(["query_id", "measure"])["value"]
    assert len(theirs) >= 6
    for key, value in theirs.items():
        assert ours[key] == pytest.approx(value, rel=1e-12, abs=1e-15), key
