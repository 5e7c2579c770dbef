"""`machine=` at the doors: who has it, what it asks for, and what it refuses."""

import pandas as pd
import pytest

import pdeval
from pdeval.accessor.machine_labels import options_of, taken
from pdeval.verbs import VERBS

RUNS, QRELS, _ = pdeval.datasets.load_sample()
RUNS = RUNS[RUNS["run"].isin(["bm25", "ql", "hybrid", "tfidf"])]
HUMAN = QRELS[QRELS["query_id"].astype(int) < 121]
STRICT = QRELS.assign(relevance=(QRELS["relevance"] > 1) * 1)
JUDGED = RUNS.ireval.join(HUMAN, topics="common")


def test_verbs_that_tables_of_both_labels_have_take_a_machine_and_no_others():
    have = {verb.name for verb in VERBS["judged"].values() if options_of(verb)}
    assert {"measure", "prefer", "summary", "compare", "order"} <= have
    assert not have & {"ties", "power", "anova", "leaderboard"}
    option = options_of(VERBS["judged"]["compare"])["machine"]
    assert (option.default, option.kind.name) == (None, "KEYWORD_ONLY")


def test_the_machine_is_taken_out_of_what_is_given_where_it_is_an_option():
    given = {"machine": STRICT, "alpha": 0.1}
    assert taken(VERBS["judged"]["ties"], given) is None
    assert "machine" in given
    assert taken(VERBS["judged"]["compare"], given) is STRICT
    assert given == {"alpha": 0.1}


@pytest.mark.parametrize(
    ("name", "measures", "kind"),
    [("measure", "AP", "powered_scores"), ("prefer", "RPP", "powered_preferences")],
)
def test_what_makes_a_table_gives_that_of_both_labels(name, measures, kind):
    found = getattr(JUDGED, name)(measures, machine=STRICT)
    assert found.attrs["table"] == kind
    assert {"human", "machine"} <= set(found.columns)


def test_pairs_and_baselines_reach_the_preferences():
    whole = JUDGED.prefer("RPP", machine=STRICT)
    based = JUDGED.prefer("RPP", machine=STRICT, baseline="ql", progress=False)
    assert whole.groupby(["run_a", "run_b"], observed=True).ngroups == 6
    assert based["run_b"].unique().tolist() == ["ql"]
    assert based.groupby(["run_a", "run_b"], observed=True).ngroups == 3


@pytest.mark.parametrize(
    ("measures", "verb"), [("AP", "summary"), ("AP", "compare"), ("RPP", "compare"), ("RPP", "order")]
)
def test_a_verb_answers_as_the_table_of_both_labels_does(measures, verb):
    table = (JUDGED.measure if measures == "AP" else JUDGED.prefer)(measures, machine=STRICT)
    wanted = getattr(table.ireval, verb)(confidence=0.8)
    found = getattr(JUDGED, verb)(measures, machine=STRICT, confidence=0.8)
    pd.testing.assert_frame_equal(found, wanted, check_categorical=False)
    assert found.attrs["confidence"] == 0.8


def test_without_measures_they_are_those_of_the_verb():
    found = JUDGED.summary(machine=STRICT)
    assert found["measure"].unique().tolist() == JUDGED.summary()["measure"].unique().tolist()


def test_what_a_verb_has_not_with_a_machine_is_named():
    with pytest.raises(ValueError, match=r"summary\(\) with machine= is of measures of one ranking, not of RPP"):
        JUDGED.summary("RPP", machine=STRICT)
    with pytest.raises(ValueError, match=r"order\(\) with machine= has no option 'compat'; it has measures, method"):
        JUDGED.order("AP", machine=STRICT, compat="pref_eval")
