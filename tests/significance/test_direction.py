"""The direction of a comparison is that of its test, in every table, sentence, mark and tier."""

import numpy as np
import pandas as pd
import pytest

from pdeval.judgments.judges import VERDICTS, verdicts_of
from pdeval.report.page.data import pairings
from pdeval.significance.registry import TESTS, direction
from tests.report.page.conftest import pairs_of

RANKED = ["wilcoxon", "sign", "nemenyi", "conover"]


@pytest.fixture
def scores():
    """`new` wins 38 of 40 queries by .01 and loses two by a lot: its mean is smaller."""
    base = 0.95 - 0.05 * np.arange(40) / 40
    gain = np.array([0.01] * 38 + [-0.9, -0.8])
    values = {"base": base, "new": base + gain}
    return pd.concat(
        [
            pd.DataFrame({"run": run, "query_id": range(40), "measure": "AP", "value": v})
            for run, v in values.items()
        ],
        ignore_index=True,
    )


@pytest.mark.parametrize("test", RANKED)
def test_a_run_that_wins_38_of_40_queries_is_significantly_better(scores, test):
    row = scores.ireval.compare(test=test, baseline="base").iloc[0]
    assert row["significant"]
    assert row["difference"] < 0 < row["effect_size"]
    text = scores.ireval.report(test=test, baseline="base").to_markdown()
    assert "| new    | 0.893<sup>†</sup> |" in text
    assert "† significantly better than base" in text
    assert "worse" not in text
    assert "the direction is that of the test, which is not always that of the means" in text


@pytest.mark.parametrize("test", RANKED)
def test_letters_and_sentences_follow_the_test(scores, test):
    report = scores.ireval.report(test=test)
    assert "| a   | base   |         **0.926** |" in report.to_markdown()
    assert "| b   | new    | 0.893<sup>a</sup> |" in report.to_markdown()
    assert report.sentence().startswith(
        "base has the best AP, but is not significantly better than any other system"
    )
    assert report.sentence().endswith("; new is significantly better.")
    against = scores.ireval.report(test=test, baseline="base").sentence()
    assert against.startswith("new is significantly better than base in AP")


def test_a_mean_and_a_test_that_agree_need_no_note(scores):
    some = scores[scores["query_id"] < 38]
    text = some.ireval.report(test="wilcoxon", baseline="base").to_markdown()
    assert "† significantly better than base (Wilcoxon signed-rank test, α = 0.05)." in text


@pytest.mark.parametrize("test", RANKED)
def test_a_run_that_the_test_favors_stays_in_the_first_tier(scores, test):
    board = scores.ireval.leaderboard(test=test, draws=20)
    assert board["run"].tolist() == ["base", "new"]
    assert board["in_top_tier"].all()
    assert (board["last_tier"] == 1).all()
    better = scores.assign(value=scores["value"].where(scores["query_id"] < 38, 0.5))
    assert better.ireval.leaderboard(test=test, draws=20)["tier"].tolist() == [1, 2]


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_a_verdict_counts_collections_by_the_direction_of_the_test(scores, test):
    halves = scores.assign(half=np.where(scores["query_id"] % 2, "odd", "even"))
    row = halves.ireval.meta_analysis(by="half", test=test, baseline="base").iloc[0]
    assert row[["better", "significantly_better", "worse", "significantly_worse"]].tolist() == [
        2,
        2,
        0,
        0,
    ]
    assert (
        row["conclusion"] == "better on 2 of 2, significantly on 2, worse on 0; undecided over all"
    )
    each = halves.ireval.meta_analysis(by="half", test=test, baseline="base", per="collection")
    assert (each["difference"] < 0).all()
    assert (each["effect_size"] > 0).all()
    assert each["significant"].all()


def test_the_page_marks_the_system_that_the_test_favors(scores):
    report = scores.ireval.report(test="wilcoxon")
    pairs = pairs_of({"pairs": pairings(report.origins[0], [])}, "AP")
    assert pairs["difference"] == np.float32([0.033])
    assert pairs["significant"] == [-1]


def test_judges_agree_if_the_test_favors_the_same_run(scores):
    by_ranks, by_means = (scores.ireval.compare(test=test) for test in ("wilcoxon", "t"))
    assert VERDICTS[verdicts_of(by_ranks, by_means.assign(p_adjusted=0.01), 0.05)[0]] == "opposed"


@pytest.mark.parametrize("test", sorted(TESTS))
def test_every_registered_test_gives_a_direction_that_turns_with_the_runs(scores, test):
    few = scores[scores["query_id"] >= 20]  # exact tests take few queries
    there, back = (
        few.ireval.compare(test=test, baseline=one, draws=200) for one in ("base", "new")
    )
    assert direction(there).tolist() == [1.0 if test in RANKED else -1.0]
    assert direction(back).tolist() == (-direction(there)).tolist()


def test_a_table_without_effect_sizes_has_the_direction_of_its_differences():
    assert direction(pd.DataFrame({"difference": [0.1]})).tolist() == [1.0]
    assert direction(pd.DataFrame({"difference": [0.1], "effect_size": [-0.5]})).tolist() == [-1.0]
