"""The preferences of pref_eval (Diaz) on dl-hard-doc, and its orderings from runs and judgments.

`pref_eval -b 2 -M all -q`: relevance level 2, grades made binary, equal scores by document id. pdeval's default join
gives the same positions; compat="pref_eval" adds as that tool does too, to the last bit, which is what breaks the ties
between runs there.
"""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

import pdeval

pytestmark = pytest.mark.filterwarnings(
    "ignore:level=. does not change the gains"
)  # as in trec_eval

NAMES = {
    "rpp": "RPP",
    "invrpp": "invRPP",
    "dcgrpp": "dcgRPP",
    "lexirecall": "sgnLR",
    "lexiprecision": "sgnLP",
    "rrlexiprecision": "rrLP",
    "ap": "AP",
    "rbp": "RBP(p=0.5)",
    "rr": "RR",
    "ndcg": "nDCG(gains={1:0,2:1,3:1})",  # pref_eval makes the grades binary, so that a gain is 0 or 1
    "rp": "Rprec",
    "p@1": "P@1",
    "p@10": "P@10",
    "r@1": "R@1",
    "r@10": "R@10",
}


@pytest.fixture(scope="module")
def expected(shared_data):
    """One row per query and pair, one column per measure, run ids ending in .run."""
    path = shared_data / "dl-hard-doc" / "expected-computed" / "pref_eval.b2.jsonl.gz"
    with gzip.open(path, "rt") as lines:
        return pd.DataFrame(
            [row for row in map(json.loads, lines) if row.get("type") == "preference"]
        )


@pytest.fixture(scope="module")
def collection(shared_data):
    folder = shared_data / "dl-hard-doc"
    runs = pdeval.read_runs(folder / "runs")
    runs["run"] = runs["run"].astype(str) + ".run"  # pref_eval breaks ties by these names
    return runs, pdeval.read_qrels(folder / "qrels.txt")


@pytest.fixture(scope="module")
def orderings(shared_data):
    wanted = json.loads(
        (shared_data / "dl-hard-doc" / "expected-computed" / "pref_aggregate.b2.json").read_text()
    )
    return {name: value for name, value in wanted.items() if isinstance(value, dict)}


def aligned(preferences, expected):
    """Return (pdeval's values in the rows of pref_eval's, turned where the pair stands the other way round)."""
    wide = preferences.astype({"query_id": str, "run_a": str, "run_b": str, "measure": str}).pivot(
        index=["query_id", "run_a", "run_b"], columns="measure", values="value"
    )
    straight = pd.MultiIndex.from_frame(expected[["qid", "runi", "runj"]])
    turned = pd.MultiIndex.from_frame(expected[["qid", "runj", "runi"]])
    assert len(wide) == len(expected) == 48 * 91
    values = wide.reindex(straight).to_numpy()
    other = -wide.reindex(turned).to_numpy()
    return pd.DataFrame(np.where(np.isnan(values), other, values), columns=wide.columns)


@pytest.mark.broad
@pytest.mark.parametrize("compat", ["trec_eval-10", "trec_eval-9", "pref_eval"])
def test_every_preference_and_every_difference_is_pref_evals(expected, collection, compat):
    runs, qrels = collection
    found = aligned(
        runs.ireval.prefer(qrels, list(NAMES.values()), level=2, compat=compat), expected
    )
    for theirs, ours in NAMES.items():
        np.testing.assert_allclose(
            found[ours], expected[theirs], rtol=0, atol=1e-12, err_msg=theirs
        )


@pytest.mark.broad
def test_recall_paired_preferences_are_pref_evals_to_the_last_bit_where_that_is_asked(
    expected, collection
):
    runs, qrels = collection
    found = aligned(
        runs.ireval.prefer(qrels, ["RPP", "invRPP", "dcgRPP"], level=2, compat="pref_eval"),
        expected,
    )
    for theirs in ("rpp", "invrpp", "dcgrpp"):
        np.testing.assert_array_equal(found[NAMES[theirs]], expected[theirs], err_msg=theirs)


@pytest.mark.broad
def test_other_orders_of_equal_scores_give_other_preferences(expected, collection):
    runs, qrels = collection
    found = aligned(runs.ireval.prefer(qrels, "RPP", level=2, ties="first"), expected)
    assert np.abs(found["RPP"] - expected["rpp"]).max() > 0.1


def found_orders(frame, wanted):
    ours = {NAMES[name]: name for name in wanted}
    parts = frame.astype({"measure": str, "method": str}).groupby(["measure", "method"], sort=False)
    return {(ours[measure], method): part["run"].tolist() for (measure, method), part in parts}


@pytest.mark.broad
@pytest.mark.parametrize("way", ["runs and judgments", "a join", "a table of preferences"])
def test_mc4_and_borda_orderings_are_pref_evals(orderings, collection, way):
    runs, qrels = collection
    wanted = {name: value for name, value in orderings.items() if value["type"] == "preference"}
    measures, method = [NAMES[name] for name in wanted], ["mc4", "borda"]
    if way == "runs and judgments":
        frame = runs.ireval.order(qrels, measures, method=method, level=2, compat="pref_eval")
    elif way == "a join":
        frame = runs.ireval.join(qrels, level=2).order(measures, method=method, compat="pref_eval")
    else:
        preferences = runs.ireval.prefer(qrels, measures, level=2, compat="pref_eval")
        # sums are over the queries as the rows stand: as in the judgments, like pref_eval's
        asked = qrels.loc[qrels["relevance"] >= 2, "query_id"].astype(str).unique()
        place = preferences["query_id"].astype(str).map({q: k for k, q in enumerate(asked)})
        preferences = preferences.iloc[np.argsort(place, kind="stable")]
        frame = preferences.ireval.order(method=method, compat="pref_eval")
    assert found_orders(frame, wanted) == {(n, m): wanted[n][m] for n in wanted for m in method}


@pytest.mark.broad
def test_orderings_by_the_mean_are_pref_evals(orderings, collection):
    runs, qrels = collection
    wanted = {name: value for name, value in orderings.items() if value["type"] == "metric"}
    measures = [NAMES[name] for name in wanted]
    frame = runs.ireval.order(qrels, measures, method="mean", level=2, compat="pref_eval")
    assert found_orders(frame, wanted) == {(name, "mean"): wanted[name]["mean"] for name in wanted}
