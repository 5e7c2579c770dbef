"""A name that a table does not have answers with the verb that is meant."""

import pandas as pd
import pytest

import pdeval
from pdeval.accessor.describe import NoSuchVerb
from pdeval.join.judged import Judged
from pdeval.verbs import VERBS, verb
from tests.temporary_declarations import for_a_while


@pytest.fixture(scope="module")
def tables():
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    judged = runs.ireval.join(qrels, queries="common")
    scores, prefs = judged.measure(["AP", "RR"]), judged.prefer("RPP", baseline="bm25")
    return {"runs": runs, "qrels": qrels, "judged": judged, "scores": scores, "preferences": prefs}


def ask(tables, kind, name):
    accessor = tables[kind] if kind == "judged" else tables[kind].ireval
    with pytest.raises(AttributeError) as caught:
        getattr(accessor, name)
    return str(caught.value)


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("runs", "evaluate", "no verb 'evaluate'. Use .measure(qrels, ['AP', 'nDCG@10'])."),
        ("runs", "score", "Use .measure("),
        ("runs", "metrics", "Use .measure("),
        ("judged", "evaluate", "Use .measure("),
        ("runs", "plot_pr", "Use .curve(qrels).ireval.plot()."),
        ("runs", "pairs", "Use .prefer(qrels, 'RPP')."),
        ("scores", "ttest", "Use .compare(test='t')."),
    ],
)
def test_names_of_other_tools_answer_with_the_verb_that_is_meant(tables, kind, name, text):
    assert text in ask(tables, kind, name)


@pytest.mark.parametrize(
    ("kind", "name", "near"), [("runs", "mesure", "measure"), ("scores", "sumary", "summary")]
)
def test_a_misspelt_verb_names_the_near_one(tables, kind, name, near):
    assert f"no verb '{name}'. Did you mean .{near}()?" in ask(tables, kind, name)


def test_a_verb_of_another_table_says_which_tables_have_it(tables):
    assert "a preferences table" in ask(tables, "scores", "matrix")
    assert "this looks like a scores table" in ask(tables, "scores", "matrix")
    assert "a run table" in ask(tables, "qrels", "measure")


def test_an_unknown_table_is_asked_for_its_roles():
    with pytest.raises(
        AttributeError, match=r"not recognized\. Bind its roles|no query and doc column"
    ):
        pd.DataFrame({"x": [1]}).ireval.nothing()


def test_names_of_other_tools_are_not_verbs():
    every = [made for verbs in VERBS.values() for made in verbs.values()]
    families = {made.family for made in every}
    for made in every:
        clash = {*made.other_names} & families
        assert not clash, f"{made.name}: {clash} are verbs"


def test_a_declaration_lists_the_names_of_other_tools(tables):
    with for_a_while():

        @verb(on="judged", other_names={"count_them": "tally(qrels)"})
        def tally(judged: Judged) -> int:
            """Return how many there are."""
            return len(judged.runs)

        assert ask(tables, "judged", "count_them") == "no verb 'count_them'. Use .tally(qrels)."


def test_it_is_both_an_attribute_error_and_a_value_error(tables):
    assert issubclass(NoSuchVerb, AttributeError)
    assert issubclass(NoSuchVerb, ValueError)
    assert not hasattr(tables["scores"].ireval, "shape")
    assert getattr(tables["scores"].ireval, "_repr_mimebundle_", None) is None


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (
            lambda runs, qrels: runs.ireval.order(qrels, bootstrap=10),
            "no option 'bootstrap'.*Did you mean 'draws'",
        ),
        (
            lambda runs, qrels: runs.ireval.ties(qrels, by="query"),
            "For one result per query, use per='query'",
        ),
        (
            lambda runs, qrels: runs.ireval.curve(qrels, by_query=True),
            "no option 'by_query'.*Did you mean 'per'",
        ),
    ],
)
def test_options_under_their_old_names_are_told_the_new_ones(ask, text):
    with pytest.raises((TypeError, ValueError), match=text):
        ask(pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels())


def test_a_test_in_the_place_of_a_measure_is_told_on_runs_too():
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    with pytest.raises((KeyError, ValueError), match=r"compare\(test='hsd'\)"):
        runs.ireval.compare(qrels, "hsd", queries="common")


def test_votes_and_wide_scores_are_told_the_call_that_makes_a_table_of_them():
    log = pd.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["model_a"]})
    with pytest.raises(AttributeError, match=r"looks like a log of votes .*pdeval\.votes\(df\)"):
        log.ireval.order()
    with pytest.raises(
        AttributeError, match=r"looks like a log of votes: convert it with pdeval\.votes\(df\)"
    ):
        log.rename(columns={"model_a": "left", "model_b": "right"}).ireval.order()
    wide = pd.DataFrame({"name": ["a"], "qid": ["1"], "map": [0.5], "P_5": [0.2]})
    with pytest.raises(
        AttributeError,
        match=r"one column per measure \(map, P_5\): convert it with pdeval\.scores\(df\)",
    ):
        wide.ireval.compare()
    assert "pdeval.scores(df)" in repr(wide.ireval)
    assert "pdeval.votes(df)" in repr(log.ireval)


@pytest.mark.parametrize("option", ["metrics", "metric", "measure"])
def test_the_option_of_other_tools_for_measures_is_measures(option):
    runs, qrels, _ = pdeval.datasets.load_sample()
    for name in ("measure", "compare"):
        with pytest.raises(
            TypeError, match=rf"no option '{option}'\. .*\. Did you mean 'measures'\?$"
        ):
            getattr(runs.ireval, name)(qrels, **{option: "AP"})


def test_a_cutoff_is_part_of_the_measure():
    runs, qrels, _ = pdeval.datasets.load_sample()
    for option in ("k", "cutoff"):
        with pytest.raises(TypeError, match=r" A cutoff is part of the measure: 'nDCG@10'\.$"):
            runs.ireval.measure(qrels, "nDCG", **{option: 10})


def test_runs_by_position_are_told_how_runs_are_chosen():
    runs, qrels, _ = pdeval.datasets.load_sample()
    judged = runs.ireval.join(qrels)
    said = {}
    for name, call in {
        "compare": lambda: judged.compare("bm25", "hybrid"),
        "prefer": lambda: judged.prefer("bm25", "hybrid"),
        "runs": lambda: runs.ireval.compare(qrels, "bm25", "hybrid"),
        "test": lambda: judged.compare("AP", "t"),
    }.items():
        with pytest.raises(TypeError) as error:
            call()
        said[name] = str(error.value)
    only = "Choose a run with baseline='bm25'. To compare only two runs, select their rows first."
    assert said == {
        "compare": f"compare() takes measures by position, but 2 values were passed. {only}",
        "prefer": "prefer() takes measures by position, but 2 values were passed. Choose runs with baseline='bm25' or "
        "pairs=[('bm25', 'hybrid')].",
        "runs": f"compare() takes qrels and measures by position, but 3 values were passed. {only}",
        "test": "compare() takes measures by position, but 2 values were passed. Pass the others by name.",
    }


def test_a_path_in_place_of_judgments_is_told_what_reads_it(tmp_path):
    runs = pdeval.datasets.sample_runs()
    with pytest.raises(
        TypeError,
        match=r"judgments first: \.ireval\.measure\(pdeval\.read_qrels\('qrels\.txt'\)\)\.$",
    ):
        runs.ireval.measure("qrels.txt")
    with pytest.raises(TypeError, match=r"judgments first: \.ireval\.measure\(qrels, 'P\.5'\)\.$"):
        runs.ireval.measure("P.5")
    with pytest.raises(TypeError, match=r"got PosixPath|got WindowsPath") as error:
        runs.ireval.measure(tmp_path / "qrels.txt")
    assert "read_qrels(path)" in str(error.value)


def test_a_join_is_told_what_can_be_drawn_and_not_forty_tables():
    judged = pdeval.datasets.sample_judged()
    with pytest.raises(AttributeError) as error:
        judged.plot()
    assert str(error.value) == (
        "plot() needs a table of results, and this is a join of runs and judgments. Use .measure('AP').ireval.plot()."
    )
