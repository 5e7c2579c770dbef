"""Scores whose queries are collections."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.tables.recognition import kind_of

JUDGED = pdeval.datasets.sample_judged(queries="common")
SCORES = JUDGED.measure(["AP", "ASL"])
SIXTHS = SCORES.assign(collection="c" + (SCORES["query_id"].astype(int) % 6).astype(str))


def test_a_value_is_the_mean_of_the_queries_of_a_collection():
    found = SIXTHS.ireval.collection_means(by="collection")
    assert kind_of(found) == "scores"
    assert found.columns.tolist() == ["run", "query_id", "measure", "value"]
    by_hand = SIXTHS.groupby(["run", "collection", "measure"], observed=True)["value"].mean()
    keys = list(zip(found["run"], found["query_id"], found["measure"], strict=True))
    np.testing.assert_allclose(found["value"], by_hand.loc[keys], rtol=1e-12)


def test_what_follows_counts_collections():
    means = SIXTHS.ireval.collection_means("AP", by="collection")
    assert means.ireval.friedman()["n"].tolist() == [6, 6]
    assert means.ireval.compare(test="nemenyi")["n"].unique().tolist() == [6]
    assert means.ireval.equivalence(rope=0.01, test="signed_rank", draws=200)[
        "n"
    ].unique().tolist() == [6]


def test_the_direction_of_a_measure_is_kept():
    means = SIXTHS.ireval.collection_means("ASL", by="collection")
    found = means.ireval.compare("ASL")
    assert ((found["difference"] > 0) == (found["mean_a"] < found["mean_b"])).all()


def test_several_columns_name_a_collection_together():
    both = SIXTHS.assign(half=SIXTHS["query_id"].astype(int) % 2)
    found = both.ireval.collection_means("AP", by=["half", "collection"])
    assert found["query_id"].unique().tolist() == [
        "0 / c0",
        "0 / c2",
        "0 / c4",
        "1 / c1",
        "1 / c3",
        "1 / c5",
    ]


def test_preferences_become_mean_preferences():
    halves = pd.DataFrame(
        {"query_id": JUDGED.queries, "half": [int(one) % 2 for one in JUDGED.queries]}
    )
    prefs = JUDGED.prefer("RPP")
    found = prefs.ireval.collection_means(by="half", metadata=halves)
    assert kind_of(found) == "preferences"
    odd = prefs[prefs["query_id"].astype(int) % 2 == 1].ireval.summary()
    np.testing.assert_allclose(
        found.loc[found["query_id"] == "1", "value"], odd["mean"], rtol=1e-12, atol=1e-15
    )
    assert (
        JUDGED.collection_means("RPP", by="half", metadata=halves)["value"].tolist()
        == found["value"].tolist()
    )


def test_a_geometric_mean_stays_one():
    frame = JUDGED.measure("GMAP").assign(site="x")
    found = frame.ireval.collection_means(by="site")
    np.testing.assert_allclose(found["value"], frame.ireval.summary()["mean"], rtol=1e-12)


def test_runs_with_only_some_queries_of_a_collection_are_told():
    some = SIXTHS[~((SIXTHS["run"] == "bm25") & (SIXTHS["query_id"] == "101"))]
    with pytest.warns(UserWarning, match="in 1 of 6 collections some runs lack queries: 'c5'"):
        some.ireval.collection_means("AP", by="collection")


def test_a_run_without_a_collection_has_no_value_there():
    some = SIXTHS[~((SIXTHS["run"] == "bm25") & (SIXTHS["collection"] == "c5"))]
    found = some.ireval.collection_means("AP", by="collection")
    assert len(found) == 6 * 12 - 1
    with pytest.warns(
        UserWarning,
        match="1 of 6 queries have no 'AP' value for at least one run; friedman uses the remaining 5",
    ):
        found.ireval.friedman()
