"""The words of the footnote."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.report import footnotes
from pdeval.significance import corrections
from pdeval.significance.registry import TESTS


@pytest.mark.parametrize(
    ("attrs", "said"),
    [
        ({}, []),
        ({"ties": "rank"}, ["ranked by the rank column"]),
        ({"ties": "expected", "queries": "judged"},
         ["tied scores count by their mean over all orders", "queries without a relevant document count too"]),
        ({"queries": "answered", "level": 2.0},
         ["queries that a system did not answer do not count for it",
              "relevant from grade 2; queries without a relevant document count as 0"]),
        ({"ties": None, "queries": None, "level": None, "compat": "pref_eval"}, ["conventions of pref_eval"]),
        ({"ties": "mine", "queries": "those"}, ["ties: mine", "queries: those"]),
    ],
)  # fmt: skip
def test_the_rules_are_said_as_far_as_they_are_known(attrs, said):
    assert footnotes.rules(attrs) == said


def test_nothing_known_is_nothing_said():
    assert footnotes.basis(None, {}) == []
    assert footnotes.basis(np.array([0]), {}) == []


def test_every_test_and_correction_of_compare_has_words():
    assert all(footnotes.words_of_test(name).endswith(" test") for name in TESTS)
    assert set(corrections.CORRECTIONS) <= set(footnotes.CORRECTIONS)


def test_a_test_of_ones_own_is_called_what_it_was_declared_as(monkeypatch):
    monkeypatch.setitem(
        TESTS, "mine", replace(TESTS["bootstrap"], name="mine", description="my own test")
    )
    assert footnotes.significance({"mine": ["AP"]}, "none", 0.05, draws=99) == (
        "my own test with 99 draws, no correction, α = 0.05"
    )


# a table of scores is often a selection, or has been through pandas: the footnote says what its rows bear out

RULES = "tied scores ordered by document id; {}conventions of trec_eval-10."
SAID = {
    "relevant": "queries without a relevant document do not count; ",
    "judged": "queries without a relevant document count too; ",
    "answered": "queries that a system did not answer do not count for it; ",
    "common": "only queries that every system answered count; ",
}


@pytest.fixture(scope="module")
def scored():
    with warnings.catch_warnings(action="ignore"):  # one system did not answer two queries
        return {
            queries: pdeval.datasets.sample_judged(queries=queries).measure(["AP", "RR"])
            for queries in SAID
        }


def last(frame, **options):
    """The last sentence of the footnote of its report."""
    return frame.ireval.report(**options).notes[-1]


def few(frame):
    return frame["query_id"].isin(["101", "102", "103"])


def test_a_whole_table_says_its_rules(scored):
    for topics, said in SAID.items():
        n = {"common": "48 queries", "answered": "48 to 50 queries per system"}.get(
            topics, "50 queries"
        )
        assert last(scored[topics]) == f"{n}; {RULES.format(said)}"


def test_what_is_said_of_any_selection_of_queries_and_runs_is_true(scored):
    for topics, said in SAID.items():
        frame = scored[topics][scored[topics]["run"].isin(["bm25", "hybrid"])]
        assert last(frame[few(frame)]) == f"3 queries; {RULES.format(said)}"


@pytest.mark.parametrize("verb", ["report", "compare", "summary", "order", "leaderboard"])
def test_that_every_system_answered_is_not_said_of_systems_with_different_queries(scored, verb):
    frame = scored["common"]
    some = frame[~(few(frame) & (frame["run"] == "bm25"))]
    made = some if verb == "report" else getattr(some.ireval, verb)()
    assert "every system answered" not in " ".join(made.ireval.report().notes)
    assert "tied scores ordered by document id" in " ".join(made.ireval.report().notes).lower()
    other = getattr(frame[few(frame)].ireval, verb)()
    assert "every system answered" in " ".join(
        (other if verb == "report" else other.ireval.report()).notes
    )


def test_equal_numbers_of_different_queries_are_different_queries(scored):
    frame = scored["common"]
    run, query = frame["run"].astype(str), frame["query_id"].astype(str)
    some = frame[~((run == "bm25") & (query == "101")) & ~((run != "bm25") & (query == "102"))]
    assert last(some) == f"47 queries; {RULES.format('')}"


def test_preferences_of_different_queries_are_not_of_those_that_every_system_answered():
    prefs = pdeval.datasets.sample_judged(queries="common").prefer("RPP", baseline="bm25")
    some = prefs[~(few(prefs) & (prefs["run_a"] == "hybrid"))]
    assert "every system answered" in last(prefs[few(prefs)], baseline="bm25")
    assert "every system answered" not in last(some, baseline="bm25")


def test_one_group_with_different_queries_is_enough(scored):
    frame = scored["common"].assign(
        half=lambda frame: (frame["query_id"].astype(str) > "125").astype(str)
    )
    some = frame[~((frame["query_id"] == "149") & (frame["run"] == "bm25"))]
    for made in (lambda table: table, lambda table: table.ireval.summary(by="half")):
        assert "every system answered" in last(made(frame), by="half")
        assert "every system answered" not in last(made(some), by="half")


def test_systems_measured_on_different_queries_and_put_together_again_are_counted_as_they_are(
    scored,
):
    whole = scored["common"]
    bm25 = whole[(whole["run"] == "bm25") & ~few(whole)]
    both = pd.concat([bm25, whole[whole["run"] == "hybrid"]], ignore_index=True)
    assert both.attrs == whole.attrs
    assert last(both) == f"45 to 48 queries per system; {RULES.format('')}"
    other = scored["relevant"]
    mixed = pd.concat([bm25, other[other["run"] == "hybrid"]], ignore_index=True)
    assert last(mixed) == "45 to 50 queries per system."  # made by different rules: none is said


def test_summaries_of_different_queries_put_together_do_not_say_that_every_system_answered(scored):
    whole = scored["common"]
    parts = [whole[(whole["run"] == "bm25") & ~few(whole)], whole[whole["run"] == "hybrid"]]
    both = pd.concat([part.ireval.summary() for part in parts], ignore_index=True)
    assert both.attrs["queries"] == "common"
    assert last(both) == f"45 to 48 queries per system; {RULES.format('')}"


def test_what_pandas_keeps_is_said_and_what_it_loses_is_not(scored, tmp_path):
    whole = scored["common"]
    whole.to_parquet(tmp_path / "scores.parquet")
    whole.to_csv(tmp_path / "scores.csv", index=False)
    everything = last(whole)
    assert last(pd.read_parquet(tmp_path / "scores.parquet")) == everything
    assert (
        last(whole.groupby("run", observed=True).filter(lambda part: len(part) > 0)) == everything
    )
    metadata = pd.DataFrame({"run": whole["run"].astype(str).unique(), "family": "any"})
    assert last(whole.merge(metadata, on="run")) == "48 queries."
    assert last(pd.read_csv(tmp_path / "scores.csv")) == "48 queries."


@pytest.mark.parametrize("verb", ["report", "compare", "summary"])
def test_what_was_asked_is_called_after_its_column_whatever_the_table_says(scored, verb):
    users = scored["common"].rename(columns={"query_id": "user_id"})
    for frame in (
        users,
        users.merge(pd.DataFrame({"run": ["bm25", "hybrid"], "family": "any"}), on="run"),
    ):
        made = frame if verb == "report" else getattr(frame.ireval, verb)()
        assert last(made).startswith("48 users")
