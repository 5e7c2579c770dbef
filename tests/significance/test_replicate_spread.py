"""Summaries and reports of averages over replicates: the spread that stands beside a mean."""

import numpy as np
import pytest

from tests.significance.test_replicated import QRELS, seeds


class TestMeanAndSpread:
    def test_a_summary_has_the_spread_of_the_means_over_replicates(self):
        scores = seeds().measure(QRELS, ["AP", "GMAP"], topics="common")
        found = scores.ireval.summary(replicate="seed")
        each = scores.ireval.summary()
        hand = each.groupby(["model", "measure"])["mean"].std()
        assert found["replicates"].unique().tolist() == [2]
        np.testing.assert_allclose(
            found.set_index(["model", "measure"])["sd_replicates"], hand, rtol=1e-12
        )
        assert "sd_replicates" not in each
        assert list(scores.ireval.summary(replicate="seed", wide=True)) == ["model", "AP", "GMAP"]

    def test_a_report_prints_the_mean_and_its_spread_and_says_what_that_is(self):
        scores = seeds().measure(QRELS, "AP", topics="common")
        printed = scores.ireval.report(replicate="seed")
        means = scores.ireval.summary(replicate="seed").set_index("model")
        text = f"{means.loc['dense', 'mean']:.3f} ± {means.loc['dense', 'sd_replicates']:.3f}"
        assert text in str(printed).replace("<sup>", "").replace("</sup>", "")
        assert "± the standard deviation over replicates (seed) of the mean over queries." in str(
            printed
        )
        assert r"$\pm$" in printed.to_latex()
        assert "AP_sd_replicates" in printed.to_frame()
        again = scores.ireval.summary(replicate="seed").ireval.report()
        assert "± the standard deviation over replicates (seed)" in str(again)
        assert [row[-1].spread for row in again.rows] == [row[-1].spread for row in printed.rows]

    @pytest.mark.broad
    def test_other_intervals_are_of_queries_and_marks_of_averages(self):
        scores = seeds().measure(QRELS, "AP", topics="common")
        assert "± the standard deviation over queries." in str(
            scores.ireval.report(replicate="seed", interval="sd")
        )
        compared = scores.ireval.compare(replicate="seed")
        given = scores.ireval.report(replicate="seed", comparisons=compared)
        assert [row[-1].marks for row in scores.ireval.report(replicate="seed").rows] == [
            row[-1].marks for row in given.rows
        ]

    def test_a_spread_that_is_not_there_is_asked_for(self):
        scores = seeds().measure(QRELS, "AP", topics="common")
        with pytest.raises(
            ValueError,
            match="interval='replicates' needs a system with two replicates; name the column",
        ):
            scores.ireval.report(interval="replicates")
        with pytest.raises(ValueError, match=r"give replicate= to \.summary\(\)"):
            scores.ireval.summary().ireval.report(replicate="seed")
        with pytest.raises(ValueError, match="names all columns of the run"):
            scores.ireval.report(replicate=["model", "seed"])
        with pytest.raises(ValueError, match="replicate=3: give the name of a column"):
            scores.ireval.compare(replicate=3)

    def test_preferences_are_reported_of_systems(self):
        prefs = seeds().prefer(QRELS, "RPP", topics="common")
        printed = prefs.ireval.report(replicate="seed")
        assert [row[1].text for row in printed.rows] == [
            "dense",
            "rerank",
            "splade",
        ]  # after their letters
