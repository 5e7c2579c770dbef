"""Every verb of orderings and significance: the same on a join, on run tables and on tables; its table as declared."""

import pandas as pd
import pytest

import pdeval
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults

RUNS, QRELS = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
JUDGED = RUNS.ireval.join(QRELS, queries="common")
NAMES = {"run": ["run"], "query": ["query_id"], "doc": ["doc_id"]}
MEASURES = ["AP", "ASL"]

# verb: (the table it gives, options)
VERBS = {
    "order": ("orders", {"draws": 5}),
    "correlate": ("correlations", {"method": ["mean", "borda"]}),
    "compare": ("comparisons", {"baseline": "bm25"}),
    "discriminative_power": ("discriminative_power", {"tests": ["t"]}),
    "discriminative_power.curve": ("discriminative_curve", {}),
    "anova": ("anova", {}),
    "power": ("power", {"difference": 0.05}),
    "power.sample_size": ("sample_size", {"difference": 0.05}),
    "power.detectable_difference": ("detectable_difference", {}),
}


def asked(accessor, verb):
    for name in verb.split("."):
        accessor = getattr(accessor, name)
    return accessor


@pytest.mark.broad
@pytest.mark.parametrize("verb", VERBS)
def test_a_join_a_run_table_and_scores_give_the_same_table(verb):
    table, options = VERBS[verb]
    found = asked(JUDGED, verb)(MEASURES, **options)
    assert faults(SCHEMAS[table], found, NAMES) == []
    assert found.attrs["table"] == table
    assert repr(found.ireval).startswith(f"{SCHEMAS[table].description}: {len(found):,} row")
    pd.testing.assert_frame_equal(
        asked(RUNS.ireval, verb)(QRELS, MEASURES, queries="common", **options), found
    )
    pd.testing.assert_frame_equal(asked(JUDGED.measure(MEASURES).ireval, verb)(**options), found)


@pytest.mark.broad
@pytest.mark.parametrize("verb", VERBS)
def test_a_table_is_recognized_without_what_it_carries(verb):
    table, options = VERBS[verb]
    found = asked(JUDGED, verb)(MEASURES, **options)
    found.attrs.clear()
    assert pdeval.tables.recognition.kind_of(found) == table


@pytest.mark.broad
@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "anova"])
def test_preferences_have_the_verb_too(verb):
    table, options = VERBS[verb]
    options = {**options, "method": ["winrate", "borda"]} if verb == "correlate" else options
    found = asked(JUDGED.prefer(["RPP", "invRPP"]).ireval, verb)(**options)
    assert faults(SCHEMAS[table], found, NAMES) == []


@pytest.mark.broad
@pytest.mark.parametrize("per", ["all", "run"])
def test_delta_sort_of_a_join_a_run_table_and_scores_is_the_same_table(per):
    found = JUDGED.delta_sort(["RR", "ASL"], per=per)
    table = "delta_sort" if per == "all" else "delta_sort_runs"
    assert faults(SCHEMAS[table], found, NAMES) == []
    assert found.attrs["table"] == table
    pd.testing.assert_frame_equal(
        RUNS.ireval.delta_sort(QRELS, ["RR", "ASL"], per=per, queries="common"), found
    )
    scores = JUDGED.measure(["AP", "RR", "ASL"])
    pd.testing.assert_frame_equal(scores.ireval.delta_sort(["RR", "ASL"], per=per), found)
    if per == "all":
        means = scores.groupby(["run", "measure"], observed=True)["value"].mean().unstack()
        assert found["tau_b"].iloc[0] == pytest.approx(
            means["AP"].corr(means["RR"], method="kendall")
        )


@pytest.mark.broad
def test_orders_correlate_with_other_orders_and_as_a_square():
    orders = JUDGED.order(MEASURES)
    found = orders.ireval.correlate.against(
        JUDGED.at(level=2).order(MEASURES), coefficients=["tau_b", "rbo"]
    )
    assert faults(SCHEMAS["correlations_by_measure"], found, NAMES) == []
    assert found["measure"].tolist() == ["AP", "AP", "ASL", "ASL"]
    square = orders.ireval.correlate(matrix=True)
    assert faults(SCHEMAS["matrix"], square, NAMES) == []
    assert square.attrs["table"] == "matrix"
    assert square.attrs["coefficient"] == "tau_b"


def test_orders_keep_the_order_in_which_measures_were_asked_for():
    orders = JUDGED.order(["RR", "AP", "ASL"])
    assert orders.ireval.correlate(matrix=True).index.tolist() == ["RR", "AP", "ASL"]
    assert orders.sample(frac=1, random_state=2).ireval.correlate(matrix=True).index.tolist() == [
        "RR",
        "AP",
        "ASL",
    ]


@pytest.mark.broad
def test_runs_of_several_columns_keep_their_ids_and_are_matched_by_all_of_them():
    runs = RUNS.assign(
        model=RUNS["run"].str[:2], seed=RUNS.groupby("run", observed=True).ngroup()
    ).drop(columns="run")
    judged = runs.ireval(run=["model", "seed"]).join(QRELS, queries="common")
    orders = judged.order(["AP", "RR"])
    assert faults(SCHEMAS["orders"], orders, {**NAMES, "run": ["model", "seed"]}) == []
    assert orders["seed"].dtype == runs["seed"].dtype
    with pytest.warns(
        UserWarning, match="12 runs of 7 systems differ only in seed but are treated as independent"
    ):
        found = judged.compare("AP", baseline=("bm", 0))
    assert list(found.columns[:5]) == ["model_a", "seed_a", "model_b", "seed_b", "measure"]
    bare = pd.DataFrame(
        orders.to_dict("list")
    )  # as after CSV: no column says that it names the runs
    expected = orders.ireval.correlate()["value"].item()
    assert bare.ireval.correlate()["value"].item() == pytest.approx(expected)


def test_names_of_other_tools_answer_with_the_verb():
    scores = JUDGED.measure("AP")
    for name, says in {
        "ttest": r"Use \.compare\(test='t'\)",
        "wilcoxon": r"Use \.compare\(test='wilcoxon'\)",
        "significance": r"Use \.compare\(\)",
        "elo": r"Use \.leaderboard\(method=.bradley-terry., scale=.elo.\)",
    }.items():
        for accessor in (scores.ireval, JUDGED):
            with pytest.raises(AttributeError, match=says):
                getattr(accessor, name)


@pytest.mark.broad
def test_the_rules_of_a_join_decide_whose_ties_an_order_breaks():
    runs = pd.DataFrame(
        {"run": ["x", "y", "b"], "query_id": "1", "doc_id": ["d", "d", "e"], "score": 1.0},
    )
    qrels = pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["d", "e"], "relevance": [1, 0]})
    assert runs.ireval.order(qrels, "RR")["rank"].tolist() == [1, 1, 3]
    told = runs.ireval.order(qrels, "RR", compat="pref_eval")
    assert (told["run"].tolist(), told["rank"].tolist()) == (["y", "x", "b"], [1, 2, 3])
    pd.testing.assert_frame_equal(runs.ireval.join(qrels, compat="pref_eval").order("RR"), told)
    pd.testing.assert_frame_equal(runs.ireval.join(qrels).order("RR", compat="pref_eval"), told)
    pd.testing.assert_frame_equal(
        runs.ireval.measure(qrels, "RR").ireval.order(compat="pref_eval"), told
    )
