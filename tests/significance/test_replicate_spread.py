"""Summaries and reports of averages over replicates: the spread that stands beside a mean."""

import numpy as np
import pytest

from tests.significance.test_replicated import QRELS, seeds


class TestMeanAndSpread:
    def test_a_summary_has_the_spread_of_the_means_over_replicates(self):
        scores = seeds().measure(QRELS, ["AP", "GMAP"], queries="common")
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
        scores = seeds().measure(QRELS, "AP", queries="common")
        printed = scores.ireval.report(replicate="seed")
        means = scores.ireval.summary(replicate="seed").set_index("model")
        text = f"{means.loc['dense', 'mean']:.3f} ± {means.loc['dense', 'sd_replicates']:.3f}"
        markdown = printed.to_markdown()
        assert text in markdown.replace("<sup>", "").replace("</sup>", "")
        assert (
            "± the standard deviation over replicates (seed) of the mean over queries." in markdown
        )
        assert r"$\pm$" in printed.to_latex()
        assert "AP_sd_replicates" in printed.to_frame()
        again = scores.ireval.summary(replicate="seed").ireval.report()
        assert "± the standard deviation over replicates (seed)" in str(again)
        assert [row[-1].spread for row in again.rows] == [row[-1].spread for row in printed.rows]

    @pytest.mark.broad
    def test_other_intervals_are_of_queries_and_marks_of_averages(self):
        scores = seeds().measure(QRELS, "AP", queries="common")
        assert "± the standard deviation over queries." in str(
            scores.ireval.report(replicate="seed", interval="sd")
        )
        compared = scores.ireval.compare(replicate="seed")
        given = scores.ireval.report(replicate="seed", comparisons=compared)
        assert [row[-1].marks for row in scores.ireval.report(replicate="seed").rows] == [
            row[-1].marks for row in given.rows
        ]

    def test_a_spread_that_is_not_there_is_asked_for(self):
        scores = seeds().measure(QRELS, "AP", queries="common")
        with pytest.raises(
            ValueError,
            match=r"interval='replicates' needs a system with two replicates\. Specify the column",
        ):
            scores.ireval.report(interval="replicates")
        with pytest.raises(
            ValueError, match=r"Pass replicate= to \.summary\(\), which adds their spread"
        ):
            scores.ireval.summary().ireval.report(replicate="seed")
        with pytest.raises(
            ValueError, match="has all run columns, so no column identifies a system"
        ):
            scores.ireval.report(replicate=["model", "seed"])
        with pytest.raises(
            ValueError, match="replicate=3: expected a column name or a list of column names"
        ):
            scores.ireval.compare(replicate=3)

    def test_preferences_are_reported_of_systems(self):
        prefs = seeds().prefer(QRELS, "RPP", queries="common")
        printed = prefs.ireval.report(replicate="seed")
        assert [row[1].text for row in printed.rows] == [
            "dense",
            "rerank",
            "splade",
        ]  # after their letters
