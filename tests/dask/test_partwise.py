"""Orderings and comparisons of a run table on Dask: only a matrix of queries and runs, or some pairs, are gathered."""

import pandas as pd
import pytest

import pdeval
from pdeval.dask import first_pass, lazy_verbs
from tests.dask.bits import divided, quiet, same_bits

pytest.importorskip("dask")
pytestmark = pytest.mark.extras

from pdeval.dask.accessor import DaskJudged  # noqa: E402

MIXED = ["AP", "nDCG@10", "bpref", "ERR", "AP(level=2)", "GMAP", "ASL"]


class TestOrderings:
    METHODS = ("winrate", "borda", "copeland", "mc4", "bradley-terry")

    @pytest.mark.broad
    @pytest.mark.parametrize(("rows", "topics"), [("mixed", "relevant"), ("by query", "answered")])
    def test_every_ordering_is_the_same_to_the_last_bit(self, some, qrels, rows, topics):
        measures = ["RPP", "ST-RPP", "sgnLP", "rrLP", "AP", "ASL"]
        table = divided(some, 6, rows)
        options = {"method": self.METHODS, "queries": topics}
        expected = quiet(some.ireval.order, qrels, measures, **options)
        same_bits(expected, quiet(table.ireval.order, qrels, measures, **options))
        same_bits(quiet(some.ireval.order, qrels, MIXED), quiet(table.ireval.order, qrels, MIXED))

    @pytest.mark.broad
    def test_intervals_and_the_rules_of_other_tools_are_the_same(self, some, qrels):
        table = divided(some, 6, "mixed")
        for options in (
            {"draws": 50, "seed": 4},
            {"compat": "pref_eval", "method": ["mc4", "winrate"]},
        ):
            expected = quiet(some.ireval.order, qrels, ["RPP"], **options)
            same_bits(expected, quiet(table.ireval.order, qrels, ["RPP"], **options))

    @pytest.mark.broad
    def test_the_arithmetic_of_another_tool_is_that_of_the_join(self, some, qrels):
        options = {"method": ["mc4", "winrate"]}
        own, plain = (some.ireval.join(qrels, compat=one) for one in ("pref_eval", "trec_eval-10"))
        expected = quiet(own.order, "RPP", **options)
        assert not expected["score"].equals(quiet(plain.order, "RPP", **options)["score"])
        same_bits(
            expected,
            quiet(divided(some, 3).ireval.join(qrels, compat="pref_eval").order, "RPP", **options),
        )
        # of a join by other rules, with the arithmetic of that tool
        options["compat"] = "pref_eval"
        expected = quiet(plain.order, "RPP", **options)
        lazy = divided(some, 3).ireval.join(qrels, compat="trec_eval-10")
        same_bits(expected, quiet(lazy.order, "RPP", **options))
        assert not expected["score"].equals(
            quiet(plain.order, "RPP", method=options["method"])["score"]
        )

    @pytest.mark.broad
    def test_positions_are_gathered_for_the_arithmetic_of_another_tool_alone(
        self, few, qrels, monkeypatch
    ):
        asked = []
        monkeypatch.setattr(
            DaskJudged, "gathered", lambda self: asked.append(self) or few.ireval.join(qrels)
        )
        plain, own = (
            divided(few, 2).ireval.join(qrels, compat=one) for one in ("trec_eval-10", "pref_eval")
        )
        quiet(plain.order, "RPP")
        quiet(own.order, "RPP", compat="pref_eval")
        assert asked == []
        quiet(plain.order, "RPP", compat="pref_eval")
        assert asked == [plain]

    @pytest.mark.broad
    def test_a_run_without_any_judged_query_is_ordered_too(self, few, qrels):
        stray = few.head(3).assign(run="stray", query_id="no such query")
        frame = pd.concat([few, stray], ignore_index=True)
        table = divided(frame, 3, "mixed")
        same_bits(quiet(frame.ireval.order, qrels, "RPP"), quiet(table.ireval.order, qrels, "RPP"))

    @pytest.mark.broad
    def test_missing_queries_are_told_once_for_all_measures(self, runs, qrels):
        with pytest.warns(UserWarning, match="2 of 50 judged queries are missing") as told:
            divided(runs, 2).ireval.order(qrels, ["AP", "RPP", "rrLP"])
        assert len(told) == 1

    @pytest.mark.broad
    def test_pairs_are_gathered_block_by_block(self, some, qrels, monkeypatch):
        monkeypatch.setattr(lazy_verbs, "MEMORY", 50 * 32 * 4)
        joined = divided(some, 3, "mixed").ireval.join(qrels)
        source = quiet(lazy_verbs.stream, joined, "rrLP")
        assert [values.shape for _, values in source.blocks(0)] == [(50, 4), (50, 4), (50, 2)]
        same_bits(quiet(some.ireval.order, qrels, "rrLP"), quiet(joined.order, "rrLP"))


class TestComparisons:
    @pytest.mark.broad
    @pytest.mark.parametrize("verb", ["compare", "summary"])
    def test_missing_queries_are_told_once_and_first(self, runs, qrels, verb):
        measures = ["AP", "RPP", "RR"] if verb == "compare" else ["AP", "RR"]
        with pytest.warns(UserWarning, match="2 of 50 judged queries are missing") as told:
            getattr(divided(runs, 2).ireval, verb)(qrels, measures)
        assert len(told) == 1

    @pytest.mark.broad
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"baseline": "bm25", "family": "measure"},
            {"test": "hsd", "draws": 300},
            {"test": "randomization", "draws": 200, "correction": "holm"},
            {"test": "wilcoxon", "queries": "answered"},
        ],
        ids=str,
    )
    def test_comparisons_are_the_same_to_the_last_bit(self, some, qrels, options):
        measures = ["RPP", "AP"]
        expected = quiet(some.ireval.compare, qrels, measures, **options)
        same_bits(
            expected, quiet(divided(some, 5, "mixed").ireval.compare, qrels, measures, **options)
        )

    @pytest.mark.broad
    def test_the_default_measures_are_those_of_pandas(self, some, qrels):
        same_bits(quiet(some.ireval.compare, qrels), quiet(divided(some, 3).ireval.compare, qrels))


@pytest.mark.broad
@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("verb", ["measure", "prefer", "summary", "order", "compare"])
def test_a_weight_for_what_no_item_has_is_refused_as_on_pandas(verb, large, monkeypatch):
    if large:
        monkeypatch.setattr(first_pass, "SMALL", 100)
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels(subtopics=True)
    single = verb in ("measure", "summary")
    asked = {
        ("EU" if single else "RPP")
        + "(grades={1:1,7:2})": "gives a weight to grade 7, which no relevant item has; there",
        ("ST-EU" if single else "ST-RPP")
        + "(subtopics={99:1})": "gives a weight to subtopic 99, which no relevant",
    }
    for measure, text in asked.items():
        for table in (runs, divided(runs, 3)):
            with pytest.raises(KeyError, match=text):
                getattr(table.ireval, verb)(qrels, measure, queries="common")
