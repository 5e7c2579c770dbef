"""Values by people and by a machine side by side: which queries, by which rules, and what is refused."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate import sources
from pdeval.tables.reader import read
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults

RUNS, QRELS, _ = pdeval.datasets.load_sample()
RUNS = RUNS[RUNS["run"].isin(["bm25", "ql", "hybrid"])].reset_index(drop=True)
NUMBER = QRELS["query_id"].astype(int)
HUMAN = QRELS[NUMBER < 121]
STRICT = QRELS.assign(relevance=(QRELS["relevance"] > 1) * 1)  # a machine that is harder to please


def scores(**options):
    return RUNS.ireval.measure(
        HUMAN, ["AP", "P@10"], machine=STRICT, **{"queries": "common", **options}
    )


class TestTheTable:
    def test_it_holds_both_values_and_what_people_did_not_label_is_missing(self):
        found = scores()
        assert faults(SCHEMAS["scores"], found, {"run": ["run"], "query": ["query_id"]}) == []
        labeled = found["query_id"].isin(HUMAN["query_id"])
        assert found["value"].notna().equals(labeled)
        assert found["machine"].notna().all()

    def test_its_values_are_those_of_each_set_of_judgments(self):
        found = scores()
        for name, qrels in (("value", HUMAN), ("machine", STRICT)):
            own = RUNS.ireval.measure(qrels, ["AP", "P@10"], queries="common").rename(
                columns={"value": "alone"}
            )
            both = found.merge(own, on=["run", "query_id", "measure"])
            assert len(both) == len(own)
            assert both[name].tolist() == both["alone"].tolist()

    def test_it_is_recognized_by_its_columns_alone(self):
        found = scores()
        bare = pd.DataFrame(found.to_dict("list"))
        assert repr(bare.ireval).startswith("scores table with machine labels")
        pd.testing.assert_frame_equal(
            bare.ireval.summary(), found.ireval.summary(), check_dtype=False
        )

    @pytest.mark.broad
    def test_the_order_of_its_rows_does_not_matter(self):
        found = scores()
        again = found.sample(frac=1, random_state=1)
        pd.testing.assert_frame_equal(again.ireval.summary(), found.ireval.summary())
        pd.testing.assert_frame_equal(again.ireval.compare(), found.ireval.compare())

    def test_preferences_stand_beside_each_other_too(self):
        found = RUNS.ireval.prefer(HUMAN, "RPP", machine=STRICT, queries="common", baseline="bm25")
        assert faults(SCHEMAS["preferences"], found, {"run": ["run"], "query": ["query_id"]}) == []
        for name, qrels in (("value", HUMAN), ("machine", STRICT)):
            own = RUNS.ireval.prefer(qrels, "RPP", queries="common", baseline="bm25")
            both = found.merge(
                own.rename(columns={"value": "alone"}), on=["query_id", "run_a", "run_b", "measure"]
            )
            assert len(both) == len(own)
            assert both[name].tolist() == both["alone"].tolist()

    def test_rules_hold_for_both_kinds_of_labels(self):
        found = RUNS.ireval.measure(HUMAN, "AP", machine=QRELS, level=2, depth=20, queries="judged")
        own = RUNS.ireval.measure(QRELS, "AP", level=2, depth=20, queries="judged")
        both = found.merge(
            own.rename(columns={"value": "alone"}), on=["run", "query_id", "measure"]
        )
        assert both["machine"].tolist() == both["alone"].tolist()

    def test_a_join_and_a_run_table_give_the_same(self):
        joined = RUNS.ireval.join(HUMAN, queries="common").measure(["AP", "P@10"], machine=STRICT)
        pd.testing.assert_frame_equal(joined, scores())

    def test_judgments_may_be_dicts_under_other_names(self):
        parts = STRICT.groupby("query_id", observed=True)
        nested = {query: dict(zip(part["doc_id"], part["relevance"])) for query, part in parts}
        found = RUNS.ireval.measure(HUMAN, ["AP", "P@10"], machine=nested, queries="common")
        pd.testing.assert_frame_equal(found, scores())

    def test_chances_of_queries_come_from_a_column(self):
        found = scores().assign(probability=0.4)
        assert (
            sources(read(found, "scores"), None, machine=True)[0].probability.tolist() == [0.4] * 48
        )
        assert found.ireval.summary()["n"].unique().tolist() == [19]


class TestWhatIsRefused:
    def refused(self, match, human=HUMAN, machine=STRICT, kind=ValueError, **options):
        with pytest.raises(kind, match=match):
            RUNS.ireval.measure(
                human, **{"measures": "AP", "machine": machine, "queries": "common", **options}
            )

    def test_nothing_in_common(self):
        self.refused(
            "have no query in common: the human labels have '101', '102', '103', ",
            machine=STRICT[NUMBER > 120],
        )

    def test_ids_that_the_machine_writes_otherwise(self):
        other = STRICT.assign(doc_id="z" + STRICT["doc_id"].astype(str))
        self.refused("no item of the runs has a machine label: .*the judgments 'zdoc-00000', .* Use the same ids",
                     machine=other)  # fmt: skip
        other = STRICT.assign(query_id="q" + STRICT["query_id"].astype(str))
        self.refused(
            "no query of the runs has a machine label: .*the judgments 'q101', ", machine=other
        )

    def test_a_machine_without_labels(self):
        self.refused(
            "machine= is a table without rows. Pass a table with rows, or omit the argument",
            machine=STRICT[:0],
        )

    def test_queries_of_people_that_the_machine_lacks(self):
        self.refused(r"3 of the 20 queries with human labels have no machine labels: '101', '102', '103'\.",
                     machine=STRICT[NUMBER > 103])  # fmt: skip

    def test_one_query_by_people(self):
        self.refused(
            "1 of the 48 queries have human labels; at least 2 are needed",
            human=QRELS[NUMBER == 101],
        )

    def test_a_machine_that_labeled_no_more_than_people(self):
        self.refused(
            "0 queries have only machine labels, in addition to the 48 with human labels",
            human=QRELS,
            machine=QRELS,
        )

    @pytest.mark.broad
    def test_labels_that_are_all_nothing(self):
        self.refused(
            "by the machine labels, AP is 0 for every run and query",
            machine=STRICT.assign(relevance=0),
        )
        self.refused("by the human labels, AP is 0 for every run", human=HUMAN.assign(relevance=0))
        with pytest.raises(
            ValueError, match="by the machine labels, RPP prefers no run to another on any query"
        ):
            RUNS.ireval.compare(HUMAN, "RPP", machine=STRICT.assign(relevance=0), queries="common")
        with pytest.raises(
            ValueError, match="by the human labels, RPP prefers no run to another on any query"
        ):
            RUNS.ireval.prefer(HUMAN.assign(relevance=0), "RPP", machine=STRICT, queries="judged")

    @pytest.mark.broad
    def test_a_machine_to_whom_all_is_relevant(self):
        count = int((HUMAN["relevance"] <= 0).sum())
        said = (
            f"all machine labels have the grade 1, including those of {count:,} items that human assessors "
            "judged non-relevant"
        )
        self.refused(said, machine=STRICT.assign(relevance=1))
        with pytest.raises(ValueError, match=said):
            RUNS.ireval.compare(HUMAN, "RPP", machine=STRICT.assign(relevance=1), queries="common")
        # a list of what is relevant has one grade, and says nothing of the rest
        listed = STRICT[STRICT["relevance"] > 0]
        assert (
            len(RUNS.ireval.measure(HUMAN, "AP", machine=listed, queries="common"))
            == len(scores()) // 2
        )

    def test_queries_that_count_by_a_rule_that_machines_cannot_follow(self):
        human = HUMAN.assign(relevance=HUMAN["relevance"].where(HUMAN["query_id"] != "107", 0))
        self.refused("1 of the 20 queries with human labels have no relevant item: '107'.*Use queries='judged'",
                     human=human, queries="relevant")  # fmt: skip
        assert len(RUNS.ireval.measure(human, "AP", machine=QRELS, queries="judged")) == 150

    def test_measures_and_preferences_at_once(self):
        self.refused(
            "AP and RPP are a measure of one ranking and a preference", measures=["AP", "RPP"]
        )

    @pytest.mark.parametrize("chance", [0.0, 1.5])
    def test_chances_that_are_none(self, chance):
        with pytest.raises(
            ValueError,
            match=r"column 'probability' has 288 sampling probabilities outside \(0, 1\]",
        ):
            scores().assign(probability=chance).ireval.summary()

    def test_a_query_with_two_chances(self):
        table = scores()
        with pytest.raises(
            ValueError, match="query '101' has several values in column 'probability'"
        ):
            table.assign(probability=np.where(table["run"] == "ql", 0.5, 0.4)).ireval.summary()
