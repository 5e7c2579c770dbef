import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import parse_all
from pdeval.evaluate.preference_learning import Weights
from pdeval.kernels.preferences import weights
from tests import naive

RUNS, QUERIES, RELEVANT = 10, 40, 8
KNOWN = np.array([8.0, 4.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0])


@pytest.fixture(scope="module")
def joined():
    """Random rankings of 30 items, 8 of them relevant."""
    rng = np.random.default_rng(11)
    docs = [f"d{i:02d}" for i in range(30)]
    lists = {
        f"r{r}": {f"q{q}": rng.permutation(docs).tolist() for q in range(QUERIES)}
        for r in range(RUNS)
    }
    grades = {f"q{q}": dict.fromkeys(docs[:RELEVANT], 1) for q in range(QUERIES)}
    return naive.table(lists).ireval.join(naive.judgments(grades))


def labeled(joined, weight, slope, seed=0):
    """Return winners drawn with a chance that grows with the weighted preference."""
    prefs = joined.prefer(pdeval.parse("RPP", weight=weight))
    chance = 1 / (1 + np.exp(-slope * prefs["value"]))
    won = np.random.default_rng(seed).random(len(prefs)) < chance
    return prefs.assign(winner=np.where(won, "a", "b"))


@pytest.mark.broad
def test_known_weights_are_recovered(joined):
    fitted = joined.fit_weights(labeled(joined, KNOWN, slope=8.0), penalty=1e-3)
    found = fitted(np.arange(1.0, RELEVANT + 1))
    np.testing.assert_allclose(found / found.sum(), KNOWN / KNOWN.sum(), rtol=0, atol=0.06)
    assert fitted.frame()["recall"].tolist() == [1, 2, 3, 5]
    assert fitted.labels == 45 * QUERIES


@pytest.mark.broad
def test_equal_weights_are_recovered(joined):
    fitted = joined.fit_weights(labeled(joined, "uniform", slope=8.0), penalty=1e-3)
    found = fitted(np.arange(1.0, RELEVANT + 1))
    np.testing.assert_allclose(found / found.sum(), 1 / RELEVANT, rtol=0, atol=0.04)


@pytest.mark.broad
def test_fitted_weights_agree_with_the_labels_better_than_equal_ones(joined):
    table = labeled(joined, KNOWN, slope=300.0)
    fitted = joined.fit_weights(table, penalty=1e-3)
    won = np.where(table["winner"] == "a", 1, -1)
    equal = (np.sign(joined.prefer("RPP")["value"]) == won).mean()
    assert fitted.agreement > 0.93 > equal
    again = joined.prefer(pdeval.parse("RPP", weight=fitted))
    assert set(again["measure"]) == {"RPP(weight=fitted)"}
    assert (np.sign(again["value"]) == won).mean() == pytest.approx(fitted.agreement, abs=1e-12)


@pytest.mark.broad
def test_a_strong_penalty_draws_the_weights_together(joined):
    table = labeled(joined, KNOWN, slope=8.0)
    spread = [
        np.ptp(joined.fit_weights(table, penalty=penalty).weight) for penalty in (1e-3, 1e2, 1e6)
    ]
    assert spread[0] > spread[1] > spread[2]
    assert spread[2] < 0.01


@pytest.mark.broad
def test_winners_may_be_named_and_ties_are_left_out(joined):
    table = labeled(joined, KNOWN, slope=8.0)
    named = table.assign(winner=np.where(table["winner"] == "a", table["run_a"], table["run_b"]))
    np.testing.assert_array_equal(
        joined.fit_weights(named).weight, joined.fit_weights(table).weight
    )
    ties = pd.concat([table, table.assign(winner="tie")])
    np.testing.assert_array_equal(joined.fit_weights(ties).weight, joined.fit_weights(table).weight)


@pytest.mark.broad
def test_the_order_and_the_direction_of_rows_do_not_matter(joined):
    table = labeled(joined, KNOWN, slope=8.0)
    turned = table.rename(columns={"run_a": "run_b", "run_b": "run_a"})
    turned["winner"] = np.where(table["winner"] == "a", "b", "a")
    wanted = joined.fit_weights(table).weight
    np.testing.assert_allclose(joined.fit_weights(turned).weight, wanted, atol=1e-6)
    np.testing.assert_array_equal(
        joined.fit_weights(table.sample(frac=1, random_state=1)).weight, wanted
    )


def test_weights_are_a_function_of_the_level():
    fitted = Weights(np.array([1, 2, 3, 5]), np.array([0.4, 0.3, 0.2, 0.1]), 1.0, 10)
    assert fitted(np.array([1.0, 2, 3, 4, 5, 99])).tolist() == [0.4, 0.3, 0.2, 0.2, 0.1, 0.1]
    assert weights(fitted, 2).tolist() == pytest.approx([4 / 7, 3 / 7])
    assert fitted.frame().to_dict("list") == {
        "recall": [1, 2, 3, 5],
        "weight": [0.4, 0.3, 0.2, 0.1],
    }


def test_weights_with_the_same_numbers_are_equal():
    numbers = ([0.5, 0.5], [0.5, 0.5], [0.4, 0.6])
    one, two, three = (Weights(np.array([1, 2]), np.array(both), 1.0, 10) for both in numbers)
    assert one == two != three
    assert hash(one) == hash(two)
    assert len(parse_all([pdeval.parse("RPP", weight=one), pdeval.parse("RPP", weight=two)])) == 1


def test_queries_of_few_relevant_items_take_part():
    lists = {
        "a": {"1": ["x", "n"], "2": ["n", "y", "z"]},
        "b": {"1": ["n", "x"], "2": ["z", "n", "y"]},
    }
    joined = naive.table(lists).ireval.join(naive.judgments({"1": {"x": 1}, "2": {"y": 1, "z": 1}}))
    table = pd.DataFrame({"query_id": ["1", "2"], "run_a": "a", "run_b": "b", "winner": ["a", "b"]})
    fitted = joined.fit_weights(table)
    assert fitted.labels == 2
    assert len(fitted.weight) == 2


GOOD = {"query_id": ["q1"], "run_a": ["r1"], "run_b": ["r2"], "winner": ["a"]}
BAD = {
    "no winner": (
        {"winner": None},
        ValueError,
        "labeled preferences need the columns query_id, run_a, run_b, and winner, label or value",
    ),
    "an unknown winner": (
        {"winner": ["c"]},
        ValueError,
        "unknown winner 'c': expected 'a', 'b', 'tie' or one of the two runs",
    ),
    "an unknown run": ({"run_a": ["rx"]}, KeyError, "no run 'rx'|no run .'rx',."),
    "an unknown query": (
        {"query_id": ["q99"]},
        ValueError,
        "1 labeled preferences are on queries without judgments",
    ),
    "only ties": ({"winner": ["tie"]}, ValueError, "no labeled preference"),
}


@pytest.mark.parametrize("case", BAD)
def test_labels_that_cannot_be_used_are_refused(joined, case):
    change, kind, text = BAD[case]
    columns = {name: value for name, value in {**GOOD, **change}.items() if value is not None}
    with pytest.raises(kind, match=text):
        joined.fit_weights(pd.DataFrame(columns))


@pytest.mark.broad
@pytest.mark.parametrize(
    "said", [tuple, lambda ids: " / ".join(map(str, ids))], ids=["ids", "label"]
)
def test_winners_of_several_columns_are_named_by_their_ids_or_label(said):
    runs, qrels, _ = pdeval.datasets.load_sample()
    runs = runs[runs["run"].isin(["dense-s1", "dense-s2"])]
    runs = runs.assign(model="dense", seed=runs["run"].astype(str).str[-1].astype(int)).drop(
        columns="run"
    )
    joined = runs.ireval(run=["model", "seed"]).join(qrels)
    prefs = joined.prefer("invRPP").query("value != 0")
    winners = [("dense", 1 if value > 0 else 2) for value in prefs["value"]]
    by_side = joined.fit_weights(prefs.assign(winner=np.where(prefs["value"] > 0, "a", "b")))
    by_name = joined.fit_weights(prefs.assign(winner=[said(one) for one in winners]))
    assert by_name.weight.tolist() == by_side.weight.tolist()


# Issue 12, item 15: pdeval's own preference and click tables


def sides(prefs):
    """Preferences as labels, without ties."""
    prefs = prefs[prefs["value"] != 0]
    return prefs.assign(winner=np.where(prefs["value"] > 0, "a", "b")).drop(
        columns=["measure", "value"]
    )


@pytest.mark.broad
def test_a_preference_table_is_labeled_by_the_sign_of_its_values(joined):
    prefs = joined.prefer("invRPP")
    wanted = joined.fit_weights(sides(prefs))
    found = joined.fit_weights(prefs)
    assert found.weight.tolist() == wanted.weight.tolist()
    assert found.labels == wanted.labels == (prefs["value"] != 0).sum()
    noise = prefs.assign(value=np.where(prefs["value"] == 0, 1e-17, prefs["value"]))
    assert joined.fit_weights(noise).labels == wanted.labels
    unknown = prefs.assign(value=prefs["value"].where(prefs.index % 2 == 0))
    assert joined.fit_weights(unknown).labels == (unknown["value"].fillna(0) != 0).sum()


def test_preferences_of_several_measures_are_refused_by_name(joined):
    with pytest.raises(ValueError, match=r"several measures, RPP, invRPP\. Keep one, e\.g\. prefs"):
        joined.fit_weights(joined.prefer(["RPP", "invRPP"]))


@pytest.mark.broad
def test_clicks_on_interleaved_lists_are_labels():
    runs, qrels, _ = pdeval.datasets.load_sample()
    joined = runs.ireval.join(qrels, queries="common")
    lists = runs.ireval.interleave(pairs=[("bm25", "hybrid"), ("ql", "tfidf")], draws=4)
    credits = lists.ireval.simulate_clicks(qrels, "navigational").ireval.credit(lists)
    prefs = credits.ireval.preferences()
    prefs = prefs[prefs["query_id"].isin(joined.measure("AP")["query_id"])]
    found = joined.fit_weights(prefs)
    assert found.weight.tolist() == joined.fit_weights(sides(prefs)).weight.tolist()
    assert found.labels > 20
    # credited impressions have a winner, but for those without a click
    assert credits["winner"].isna().any()
    credits = credits[credits["query_id"].isin(prefs["query_id"])]
    assert joined.fit_weights(credits).labels == credits["winner"].isin(["a", "b"]).sum()


@pytest.mark.broad
@pytest.mark.parametrize("made", [sides, lambda prefs: prefs], ids=["winner", "value"])
def test_bound_labels_may_have_other_column_names(joined, made):
    table = made(joined.prefer("invRPP"))
    wanted = joined.fit_weights(table).weight.tolist()
    other = table.rename(columns={"query_id": "topic_no", "run_a": "system_a", "run_b": "system_b"})
    other.attrs = {}
    assert joined.fit_weights(table.ireval(query="query_id")).weight.tolist() == wanted
    assert (
        joined.fit_weights(other.ireval(query="topic_no", run="system")).weight.tolist() == wanted
    )
    assert joined.fit_weights(table.rename(columns={"query_id": "qid"})).weight.tolist() == wanted
    with pytest.raises(
        ValueError, match=r"need the columns query_id, run_a, run_b, .*query_id is missing"
    ):
        joined.fit_weights(other)


@pytest.mark.parametrize("penalty", [-1, "x", None, float("nan"), True])
def test_a_penalty_is_a_number_from_0(joined, penalty):
    with pytest.raises(ValueError, match=r"penalty=.*: expected a number of at least 0"):
        joined.fit_weights(joined.prefer("invRPP"), penalty=penalty)


@pytest.mark.parametrize("labeled", [None, [1], "prefs"])
def test_labels_are_a_table(joined, labeled):
    with pytest.raises(TypeError, match="expected a pandas DataFrame of labeled preferences, got"):
        joined.fit_weights(labeled)


@pytest.mark.parametrize(
    ("background", "low", "high"), [(0, 0.0, 0.03), (1, 0.14, 0.20), (5, 0.42, 0.58)]
)
def test_the_planted_weight_of_the_background_is_recovered(background, low, high):
    # by the number of items, as in the paper: five subtopics of weight 1 per item, and the background
    judged = pdeval.datasets.sample_judged(subtopics=True, queries="common")
    labels = judged.prefer(f"ST-RPP(background={background})", baseline="bm25")
    population = judged.fit_population(labels, over="subtopics", penalty=0.1, draws=0)
    weight = population.weights.set_index("name")["weight"]
    assert low <= weight["any subtopic"] <= high
    assert weight.drop("any subtopic").std() < 0.05


def test_weights_per_item_are_multiplied_by_the_items_of_each_subtopic():
    judged = pdeval.datasets.sample_judged(subtopics=True, queries="common")
    equal = {"subtopics": {str(one): 1.0 for one in range(1, 6)}, "per_item": True}
    measures = ["ST-RPP", pdeval.parse("ST-RPP", **equal, background=1.0, label="per item")]
    values = judged.prefer(measures, baseline="bm25")
    wide = values.pivot(index=["query_id", "run_a"], columns="measure", values="value")
    np.testing.assert_allclose(wide["per item"], wide["ST-RPP"], rtol=0, atol=1e-12)
