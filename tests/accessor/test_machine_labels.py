"""`machine=` at the accessors: who has it, what it asks for, and what it refuses."""

from dataclasses import replace

import pandas as pd
import pytest

import pdeval
from pdeval.accessor.pipeline import options_of, shared_options
from pdeval.evaluate import sources
from pdeval.join.judged import Judged
from pdeval.tables.reader import read
from pdeval.verbs import VERBS

RUNS, QRELS, _ = pdeval.datasets.load_sample()
RUNS = RUNS[RUNS["run"].isin(["bm25", "ql", "hybrid", "tfidf"])]
HUMAN = QRELS[QRELS["query_id"].astype(int) < 121]
STRICT = QRELS.assign(relevance=(QRELS["relevance"] > 1) * 1)
JUDGED = RUNS.ireval.join(HUMAN, queries="common")


def test_verbs_that_tables_of_both_labels_have_take_a_machine_and_no_others():
    have = {verb.name for verb in VERBS["judged"].values() if "machine" in options_of(verb)}
    assert {"measure", "prefer", "summary", "compare", "order"} <= have
    assert not have & {"ties", "power", "anova", "leaderboard"}
    option = options_of(VERBS["judged"]["compare"])["machine"]
    assert (option.default, option.kind.name) == (None, "KEYWORD_ONLY")


def test_the_machine_is_taken_out_of_what_is_given_where_it_is_an_option():
    given = {"machine": STRICT, "alpha": 0.1}
    assert shared_options(VERBS["judged"]["ties"], given) == {}
    assert "machine" in given
    assert shared_options(VERBS["judged"]["compare"], given)["machine"] is STRICT
    assert given == {"alpha": 0.1}


@pytest.mark.parametrize(
    ("name", "measures", "kind"),
    [("measure", "AP", "scores"), ("prefer", "RPP", "preferences")],
)
def test_what_makes_a_table_gives_that_of_both_labels(name, measures, kind):
    found = getattr(JUDGED, name)(measures, machine=STRICT)
    assert found.attrs["table"] == kind
    assert {"value", "machine"} <= set(found.columns)


def test_pairs_and_baselines_reach_the_preferences():
    whole = JUDGED.prefer("RPP", machine=STRICT)
    based = JUDGED.prefer("RPP", machine=STRICT, baseline="ql", progress=False)
    assert whole.groupby(["run_a", "run_b"], observed=True).ngroups == 6
    assert based["run_b"].unique().tolist() == ["ql"]
    assert based.groupby(["run_a", "run_b"], observed=True).ngroups == 3


@pytest.mark.broad
@pytest.mark.parametrize(
    ("measures", "verb"),
    [("AP", "summary"), ("AP", "compare"), ("RPP", "compare"), ("RPP", "order")],
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


def test_queries_to_label_next_are_those_of_a_table_of_both_labels():
    said = (
        r"label_next\(\) cannot be called directly on this table\. Use one of \.label_next\.items\(\)\. "
        r"A preferences table has label_next\(\)"
    )
    with pytest.raises(TypeError, match=said):
        RUNS.ireval.label_next(HUMAN, "AP", machine=STRICT)


def test_what_a_verb_has_not_with_a_machine_is_named():
    with pytest.raises(
        ValueError, match="a summary with machine labels is of measures, not of preferences"
    ):
        JUDGED.summary("RPP", machine=STRICT)
    with pytest.raises(
        ValueError,
        match="compat='pref_eval' cannot be combined with machine labels",
    ):
        JUDGED.order("AP", machine=STRICT, compat="pref_eval")


FEWER = QRELS[QRELS["query_id"].astype(int) < 131]
COLLECTIONS = {"first": (HUMAN, STRICT), "second": (FEWER, QRELS)}


def stacked(part):
    """The runs, people's labels or the machine's of two collections, whose queries happen to be named alike."""
    sides = {
        "runs": lambda *_: RUNS,
        "people": lambda human, _: human,
        "machine": lambda _, machine: machine,
    }
    return pd.concat(
        [sides[part](*both).assign(collection=name) for name, both in COLLECTIONS.items()]
    )


@pytest.mark.broad
@pytest.mark.parametrize(
    ("verb", "measures"),
    [
        ("measure", "AP"),
        ("summary", "AP"),
        ("compare", "AP"),
        ("order", "AP"),
        ("prefer", "RPP"),
        ("compare", "RPP"),
    ],
)
def test_stacked_collections_answer_each_from_its_own_labels(verb, measures):
    given = {"machine": stacked("machine"), "by": "collection", "queries": "common"}
    found = getattr(stacked("runs").ireval, verb)(stacked("people"), measures, **given)
    assert found.columns[0] == "collection"
    for name, (human, machine) in COLLECTIONS.items():
        alone = getattr(RUNS.ireval, verb)(human, measures, machine=machine, queries="common")
        part = found[found["collection"] == name].drop(columns="collection").reset_index(drop=True)
        pd.testing.assert_frame_equal(part, alone, check_categorical=False)


class TestTablesOfCollections:
    TABLE = stacked("runs").ireval.measure(
        stacked("people"), "AP", machine=stacked("machine"), by="collection", queries="common"
    )

    @pytest.mark.parametrize("verb", ["summary", "compare", "order", "label_next"])
    def test_verbs_work_within_each(self, verb):
        found = getattr(self.TABLE.ireval, verb)(by="collection")
        one = self.TABLE[self.TABLE["collection"] == "second"].drop(columns="collection")
        own = (
            found[found["collection"] == "second"].drop(columns="collection").reset_index(drop=True)
        )
        pd.testing.assert_frame_equal(own, getattr(one.ireval, verb)(), check_categorical=False)
        with pytest.raises(
            ValueError,
            match=r"several collections \(collection\).*by='collection'\) for each collection",
        ):
            getattr(self.TABLE.ireval, verb)()

    def test_a_report_shows_each(self):
        one = self.TABLE[self.TABLE["collection"] == "first"]
        assert "19 queries and a machine's of 29 more" in one.ireval.report().notes[-1]
        both = self.TABLE.ireval.report()
        assert "19 to 29 queries and a machine's of 19 to 29 more" in both.notes[-1]
        given = {"machine": stacked("machine"), "by": "collection", "queries": "common"}
        assert str(stacked("runs").ireval.report(stacked("people"), "AP", **given)) == str(both)
        alone = one.drop(columns="collection").ireval.report(marks=None)
        assert [row[2].text for row in both.rows] == [row[1].text for row in alone.rows]


@pytest.mark.broad
def test_a_machine_that_does_not_say_of_which_collection_its_labels_are_is_refused():
    ask = stacked("runs").ireval.summary
    with pytest.raises(
        ValueError, match="the machine judgments have no column 'collection' that identifies them"
    ):
        ask(stacked("people"), "AP", machine=QRELS, by="collection")
    machine = stacked("machine")
    with pytest.raises(
        ValueError,
        match=r"no machine judgments of collection='second'. The judgments have 'fi",
    ):
        ask(
            stacked("people"),
            "AP",
            machine=machine[machine["collection"] == "first"],
            by="collection",
            queries="common",
        )


def test_a_verb_with_a_machine_of_its_own_keeps_it():
    def own(held: Judged, measures=None, *, machine=None, level=1):
        return held

    verb = replace(VERBS["judged"]["compare"], function=own)
    assert "machine" not in options_of(verb)
    given = {"machine": STRICT}
    assert "machine" not in shared_options(verb, given)
    assert given["machine"] is STRICT


def test_groups_with_a_machine_are_a_loop_over_filtered_tables():
    halves = pd.DataFrame({"query_id": QRELS["query_id"].unique()})
    halves["half"] = halves["query_id"].astype(int) % 2
    families = pd.DataFrame(
        {"run": ["bm25", "ql", "hybrid", "tfidf"], "family": ["a", "a", "b", "b"]}
    )
    given = {"machine": STRICT, "queries": "common"}
    by_half = RUNS.ireval.compare(HUMAN, "AP", by="half", metadata=halves, **given)
    by_family = RUNS.ireval.compare(HUMAN, "AP", by="family", metadata=families, **given)
    odd = halves.loc[halves["half"] == 1, "query_id"]
    runs, human, machine = (frame[frame["query_id"].isin(odd)] for frame in (RUNS, HUMAN, STRICT))
    alone = runs.ireval.compare(human, "AP", machine=machine, queries="common")
    part = by_half[by_half["half"] == 1].drop(columns="half").reset_index(drop=True)
    pd.testing.assert_frame_equal(part, alone, check_exact=True, check_categorical=False)
    alone = RUNS[RUNS["run"].isin(["bm25", "ql"])].ireval.compare(HUMAN, "AP", **given)
    part = by_family[by_family["family"] == "a"].drop(columns="family").reset_index(drop=True)
    pd.testing.assert_frame_equal(part, alone, check_exact=True, check_categorical=False)


def test_replicates_are_averaged_by_both_kinds_of_labels():
    systems = {"bm25": ("x", 1), "ql": ("x", 2), "hybrid": ("y", 1), "tfidf": ("y", 2)}
    model, seed = (
        RUNS["run"].astype(str).map({run: one[at] for run, one in systems.items()}) for at in (0, 1)
    )
    runs = RUNS.drop(columns="run").assign(model=model, seed=seed).ireval(run=["model", "seed"])
    given = {"machine": STRICT, "queries": "common"}
    found = runs.compare(HUMAN, "AP", replicate="seed", **given)
    scores = RUNS.ireval.measure(HUMAN, "AP", **given).replace(
        {"run": {run: one[0] for run, one in systems.items()}}
    )
    means = scores.groupby(["run", "query_id", "measure"], observed=True, as_index=False)[
        ["value", "machine"]
    ].mean()
    wanted = means.astype({"run": str}).ireval.compare()
    assert found["model_a"].tolist() == ["x"]
    assert found["difference"].tolist() == pytest.approx(wanted["difference"].tolist(), abs=1e-15)
    assert found["n_machine"].tolist() == [29]


@pytest.mark.parametrize("verb", ["ties", "anova", "leaderboard", "quantiles", "friedman"])
def test_a_verb_of_one_value_a_query_refuses_both(verb):
    table = JUDGED.measure("AP", machine=STRICT)
    with pytest.raises(
        ValueError,
        match=rf"{verb}\(\) uses one value per query, .* Keep the rows with human labels",
    ):
        getattr(table.ireval, verb)()
    with pytest.raises(ValueError, match="this verb uses one value per query"):
        sources(read(table, "scores"), None)


def test_a_column_named_machine_that_holds_text_names_hosts():
    scores = JUDGED.measure("AP").assign(machine="host-1")
    assert len(scores.ireval.ties("AP")) == 1
    assert "n_machine" not in scores.ireval.summary()
