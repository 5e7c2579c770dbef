"""`replicate=` and `by=` give the same bits wherever a verb is asked: on the kept join, and on the run table."""

import pandas as pd
import pytest

import pdeval
from pdeval.accessor.methods import signature_of
from pdeval.verbs import of_kind
from tests.dask.bits import quiet, same_bits
from tests.verb_calls import asked

RUNS, QRELS, _ = pdeval.datasets.load_sample()
PARTS = RUNS["run"].astype(str).str.rpartition("-s")
RUNS = RUNS.assign(model=PARTS[0], seed=PARTS[2])[
    RUNS["run"].isin(["dense-s1", "dense-s2", "rerank-s1", "rerank-s2"])
]
RUNS = RUNS.drop(columns="run").reset_index(drop=True)
HALVES = pd.DataFrame({"query_id": sorted(QRELS["query_id"].unique())}).assign(
    half=lambda frame: frame.index % 2
)
BOUND = RUNS.ireval(run=["model", "seed"])
ARGUMENTS = {
    "anova.sample_size": {"difference": 0.1},
    "gate": {"candidate": "rerank", "baseline": "dense", "margin": 0.05},
    "delta_sort": {"new": "nDCG@10"},
    "equivalence": {"rope": 0.01},
    "search_lengths.rrie": {"run_a": "dense", "run_b": "rerank"},
    "discriminative_power": {"draws": 99},
    "discriminative_power.curve": {"draws": 99},
    "conclusion": {"draws": 99},
}
ASKED = [
    name
    for name, verb in of_kind("judged").items()
    if "judged" in verb.on
    and verb.returns
    and {"replicate"} <= {*signature_of(verb, "judged").parameters}
]


@pytest.fixture(scope="module")
def judged():
    return quiet(BOUND.join, QRELS)


@pytest.mark.parametrize("grouped", [False, pytest.param(True, marks=pytest.mark.broad)])
@pytest.mark.parametrize("name", ASKED)
def test_replicates_are_averaged_alike_on_the_join_and_on_the_run_table(judged, name, grouped):
    needs = signature_of(of_kind("judged")[name], "judged").parameters
    given = {**ARGUMENTS.get(name, {}), "replicate": "seed"}
    if grouped or needs["by"].default is needs["by"].empty:
        given |= {"by": "half", "metadata": HALVES}
    same_bits(asked(judged, name, given), asked(BOUND, name, {"qrels": QRELS, **given}))


@pytest.mark.parametrize(
    "name", ["order", "leaderboard", "correlate", "agree", "ties", "search_lengths.rrie"]
)
def test_replicates_are_averaged_for_the_default_measures_of_the_verb(judged, name):
    measures = next(
        one.default for one in of_kind("judged")[name].parameters if one.name == "measures"
    )
    given = {**ARGUMENTS.get(name, {}), "replicate": "seed"}
    same_bits(
        asked(judged, name, given), asked(judged, name, {**given, "measures": list(measures)})
    )


@pytest.mark.parametrize("name", ["agree", "ties"])
def test_measures_and_preferences_of_replicates_stand_side_by_side(judged, name):
    def rows(measures, **given):
        found = asked(judged, name, {"measures": measures, "replicate": "seed", **given})
        return found.astype({one: str for one in found.columns if one.startswith("measure")})

    for given in ({}, {"baseline": "rerank"}):
        mixed = rows(["RPP", "AP", "rrLP", "AP(rel=2)"], **given)
        one = "measure" if "measure" in mixed else "measure_a"
        own = mixed[
            mixed[one].isin(["RPP", "rrLP"])
            & mixed.get("measure_b", mixed[one]).isin(["RPP", "rrLP"])
        ]
        alone = rows(["RPP", "rrLP"], **given)
        pd.testing.assert_frame_equal(own.reset_index(drop=True), alone, check_exact=True)
        metrics = mixed[
            mixed[one].str.startswith("AP")
            & mixed.get("measure_b", mixed[one]).str.startswith("AP")
        ]
        pd.testing.assert_frame_equal(
            metrics.reset_index(drop=True), rows(["AP", "AP(rel=2)"], **given), check_exact=True
        )


def test_the_mean_preference_of_replicates_by_a_measure_is_the_difference_of_their_means(judged):
    found = asked(judged, "compare", {"measures": "AP", "replicate": "seed"})
    means = asked(judged, "summary", {"measures": "AP", "replicate": "seed"}).set_index("model")[
        "mean"
    ]
    assert found[["model_a", "model_b"]].values.tolist() == [["dense", "rerank"]]
    assert found["difference"].item() == pytest.approx(means["dense"] - means["rerank"], rel=1e-12)


@pytest.mark.parametrize("measures", ["RPP", ["RPP", "sgnLP"]])
def test_mean_differences_of_groups_are_the_loop_by_hand(judged, measures):
    found = asked(judged, "summary", {"measures": measures, "by": "half", "metadata": HALVES})
    for half, rows in found.groupby("half", observed=True):
        own = QRELS[QRELS["query_id"].isin(HALVES.loc[HALVES["half"] == half, "query_id"])]
        hand = asked(BOUND, "summary", {"qrels": own, "measures": measures})
        pd.testing.assert_frame_equal(
            rows.drop(columns="half").reset_index(drop=True), hand, check_exact=True
        )


@pytest.mark.parametrize("name", ["summary", "compare", "order", "leaderboard"])
def test_the_column_of_replicates_may_be_in_the_metadata(judged, name):
    runs = judged.runs.assign(run=judged.runs["model"] + "-" + judged.runs["seed"])
    named = quiet(RUNS.merge(runs).drop(columns=["model", "seed"]).ireval.join, QRELS)
    given = {"measures": "AP", "replicate": "seed"}
    expected = asked(judged, name, given)
    same_bits(asked(named, name, {**given, "metadata": runs}), expected)
    scores = named.measure("AP").ireval
    same_bits(asked(scores, name, {"replicate": "seed", "metadata": runs}), expected)
