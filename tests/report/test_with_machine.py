"""The report of people's labels and a machine's: estimates, marks, and the footnote that says what they rest on."""

import numpy as np
import pytest

import pdeval

RUNS, QRELS, METADATA = pdeval.datasets.load_sample()
HUMAN = QRELS[QRELS["query_id"].astype(int) < 121]
NOISY = QRELS.assign(
    relevance=np.where(np.random.default_rng(0).random(len(QRELS)) < 0.2, 0, QRELS["relevance"])
)
SCORES = RUNS.ireval.measure(HUMAN, ["AP", "P@10"], machine=NOISY, queries="common")


def test_cells_are_the_estimates_and_intervals_of_the_summary():
    text = SCORES.ireval.report(baseline="bm25").to_markdown()
    for row in SCORES.ireval.summary().itertuples():
        assert f"{row.mean:.3f}" in text
        assert f"[{row.ci_low:.3f}, {row.ci_high:.3f}]" in text


def test_marks_are_those_of_the_prediction_powered_comparison():
    report = SCORES.ireval.report(baseline="bm25", correction="holm")
    told = SCORES.ireval.compare(baseline="bm25", correction="holm")
    better = told[told["significant"] & (told["difference"] > 0)]
    assert report.to_markdown().count("<sup>†</sup>") == len(better) > 0
    assert (
        "prediction-powered Student t test, Holm correction of 11 comparisons per measure"
        in " ".join(report.notes)
    )


@pytest.mark.broad
def test_the_footnote_says_how_many_queries_of_each_kind_and_what_they_are_worth():
    summary = SCORES.ireval.summary()
    least, most = (
        round(end) for end in (summary["effective_n"].min(), summary["effective_n"].max())
    )
    assert SCORES.ireval.report().notes[-1] == (
        "Prediction-powered estimates and intervals: people's labels of 19 queries and a machine's of 29 more are "
        f"worth {least} to {most} queries labeled by people."
    )
    assert SCORES.ireval.report(footnotes=False, notes="Mine.").notes == ("Mine.",)


@pytest.mark.broad
def test_the_accessor_of_runs_reports_the_same():
    direct = RUNS.ireval.report(
        HUMAN, ["AP", "P@10"], machine=NOISY, queries="common", digits=2, sort="AP"
    )
    assert str(direct) == str(SCORES.ireval.report(digits=2, sort="AP"))


def test_preferences_are_means_over_opponents():
    prefs = RUNS.ireval.prefer(HUMAN, "RPP", machine=QRELS, queries="common")
    found = prefs.ireval.report(marks=None, interval="none")
    whole = RUNS.ireval.report(QRELS, "RPP", queries="common", marks=None)
    assert found.to_markdown().split("\n\n")[0] == whole.to_markdown().split("\n\n")[0]
    assert "Cells are mean preferences over all other systems." in found.notes


def test_an_interval_that_it_has_not_is_refused():
    with pytest.raises(
        ValueError, match="interval='sd': machine labels support only interval='ci' and 'none'"
    ):
        SCORES.ireval.report(interval="sd")
