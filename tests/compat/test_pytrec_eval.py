"""pytrec_eval's interface on pdeval: its numbers to the last bit, its names, its errors, and frames besides."""

import math
import random

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.compat import pytrec_eval as ours

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"a": 0}, "q3": {}}
RUN = {"q1": {"d1": 0.3, "d2": 0.5, "x": 0.5}, "q2": {"a": 1.0}, "q3": {"a": 1.0}, "q7": {"a": 1.0}}


def same(found, expected):
    """Fail unless two nested dicts have the same queries, names in the same order, and the same bits."""
    assert set(found) == set(expected)
    for query, values in expected.items():
        assert list(found[query]) == list(values)
        one, two = (np.array(list(each[query].values())) for each in (found, expected))
        np.testing.assert_array_equal(
            one.view(np.int64)[~np.isnan(one)], two.view(np.int64)[~np.isnan(two)]
        )
        np.testing.assert_array_equal(np.isnan(one), np.isnan(two))


def drawn(seed):
    """Judgments and a run with ties, scores that differ beyond 32 bits, and queries of either alone."""
    rng = random.Random(seed)
    qrels = {
        f"q{q}": {
            f"d{d}": rng.choice([0, 0, 1, 1, 2, 3])
            for d in rng.sample(range(40), rng.randint(1, 15))
        }
        for q in range(rng.randint(1, 4))
    }
    scores = [1.0, 2.0, 0.5, 1.00000001, 1]
    run = {
        f"q{q}": {
            f"d{d}": rng.choice([*scores, rng.random()])
            for d in rng.sample(range(60), rng.randint(1, 30))
        }
        for q in range(rng.randint(1, 5))
    }
    return qrels, run


class TestAgainstThePackage:
    pytestmark = pytest.mark.extras

    @pytest.mark.broad
    @pytest.mark.parametrize("level", [1, 2, 3])
    @pytest.mark.parametrize("judged_only", [False, True])
    def test_every_measure_is_the_same_to_the_last_bit(self, level, judged_only):
        theirs = pytest.importorskip("pytrec_eval")
        for seed in range(12):
            qrels, run = drawn(seed)
            rules = {"relevance_level": level, "judged_docs_only_flag": judged_only}
            expected = theirs.RelevanceEvaluator(
                qrels, theirs.supported_measures, **rules
            ).evaluate(run)
            same(
                ours.RelevanceEvaluator(qrels, ours.supported_measures, **rules).evaluate(run),
                expected,
            )

    @pytest.mark.parametrize("grade", [0, -1, -2, -3])
    def test_a_document_of_negative_grade_counts_as_not_judged(self, grade):
        theirs = pytest.importorskip("pytrec_eval")
        asked = {"q": {"a": grade, "b": 1}}, {"recip_rank", "num_ret", "bpref"}, 1, True
        run = {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
        expected = theirs.RelevanceEvaluator(*asked).evaluate(run)
        assert expected["q"]["num_ret"] == (1 if grade < 0 else 2)
        same(ours.RelevanceEvaluator(*asked).evaluate(run), expected)

    @pytest.mark.parametrize(
        "measures",
        [
            {"map"},
            {"ndcg_cut_5", "ndcg_cut.10,20"},
            {"ndcg_cut", "success_1,5", "P.5"},
            {"iprec_at_recall.0.2", "set_F.0.5", "recall_3"},
            {"official"},
            {"set", "infAP"},
            {"all_trec"},
            {"P", "P_7"},
        ],
        ids=lambda measures: " ".join(sorted(measures)),
    )
    def test_names_with_and_without_parameters_mean_the_same(self, measures):
        theirs = pytest.importorskip("pytrec_eval")
        qrels, run = drawn(3)
        expected = theirs.RelevanceEvaluator(qrels, measures).evaluate(run)
        same(ours.RelevanceEvaluator(qrels, measures).evaluate(run), expected)

    def test_the_measures_and_their_sets_are_the_same(self):
        theirs = pytest.importorskip("pytrec_eval")
        assert ours.supported_measures == theirs.supported_measures
        for name in ("official", "set", "all_trec"):
            assert ours.supported_nicknames[name] == theirs.supported_nicknames[name]

    def test_aggregates_are_the_same(self):
        theirs = pytest.importorskip("pytrec_eval")
        values = [0.1, 0.25, 0.7, 1e-9]
        for name in ("map", "num_ret", "gm_map", "ndcg_cut_10"):
            assert ours.compute_aggregated_measure(
                name, values
            ) == theirs.compute_aggregated_measure(name, values)

    def test_the_same_calls_are_refused_with_the_same_kind_of_error(self):
        theirs = pytest.importorskip("pytrec_eval")
        calls = [
            lambda tool: tool.RelevanceEvaluator({"q": {"d": 1.0}}, {"map"}),
            lambda tool: tool.RelevanceEvaluator({1: {"d": 1}}, {"map"}),
            lambda tool: tool.RelevanceEvaluator({"q": {"d": 1}}, {"nonsense"}),
            lambda tool: tool.RelevanceEvaluator({"q": {"d": 1}}, "map"),
            lambda tool: tool.RelevanceEvaluator({"q": {"d": 1}}, {"map"}, relevance_level=0),
            lambda tool: tool.RelevanceEvaluator({"q": {"d": 1}}, {"map"}).evaluate(
                {"q": {"d": "x"}}
            ),
            lambda tool: tool.RelevanceEvaluator({"q": {"d": 1}}, {"map"}).evaluate(
                {1: {"d": 1.0}}
            ),
            lambda tool: tool.RelevanceEvaluator({"q": {"d": 1}}, {"map"}).evaluate([1]),
        ]
        for call in calls:
            with pytest.raises((TypeError, ValueError)) as expected:
                call(theirs)
            with pytest.raises(expected.type):
                call(ours)

    @pytest.mark.broad
    def test_sample_runs_are_the_same_run_by_run(self):
        theirs = pytest.importorskip("pytrec_eval")
        runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        judged = {
            query: dict(zip(part["doc_id"], part["relevance"].tolist()))
            for query, part in _parts(qrels)
        }
        measures = {"map", "ndcg_cut_10", "bpref", "infAP", "Rprec_mult"}
        found = ours.RelevanceEvaluator(qrels, measures).evaluate(runs)
        evaluator = theirs.RelevanceEvaluator(judged, measures)
        for run, rows in runs.groupby("run", observed=True):
            lists = {
                query: dict(zip(part["doc_id"], part["score"].tolist()))
                for query, part in _parts(rows)
            }
            same(found[run], evaluator.evaluate(lists))


def _parts(frame):
    return frame.groupby(frame["query_id"].astype(str), sort=False)


class TestValues:
    def test_queries_are_those_that_are_judged_and_answered(self):
        found = ours.RelevanceEvaluator(QRELS, ["map", "num_ret"]).evaluate(RUN)
        # d2 and x are tied, the later id comes first: x, d2, d1
        assert found == {
            "q1": {"num_ret": 3.0, "map": 1 / 3 / 2},
            "q2": {"num_ret": 1.0, "map": 0.0},
        }

    def test_logarithms_of_queries_are_trec_evals(self):
        found = ours.RelevanceEvaluator(
            QRELS, {"gm_map", "gm_bpref", "runid", "num_q", "relstring"}
        ).evaluate(RUN)
        assert found["q2"] == {
            "runid": 0.0,
            "num_q": 1.0,
            "gm_map": math.log(0.00001),
            "relstring": 0.0,
            "gm_bpref": math.log(0.00001),
        }

    def test_an_empty_list_is_worst_and_its_precision_before_any_item_is_not_a_number(self):
        measures = {"map", "iprec_at_recall.0,0.5", "11pt_avg", "P_5"}
        found = ours.RelevanceEvaluator(QRELS, measures).evaluate(
            {"q1": {}, "q2": {"a": 1.0}, "other": {}}
        )
        assert set(found) == {"q1", "q2"}
        assert np.isnan(found["q1"].pop("iprec_at_recall_0.00"))
        assert np.isnan(found["q1"].pop("11pt_avg"))
        assert found["q1"] == {"map": 0.0, "iprec_at_recall_0.50": 0.0, "P_5": 0.0}
        assert list(ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({"q1": {}}).values()) == [
            {"map": 0.0}
        ]

    def test_nothing_is_the_value_of_nothing(self):
        evaluator = ours.RelevanceEvaluator(QRELS, {"map"})
        assert evaluator.evaluate({}) == {}
        assert evaluator.evaluate([]) == {}
        assert evaluator.evaluate({"q9": {"a": 1.0}}) == {}
        assert ours.RelevanceEvaluator({"q": {}}, {"map"}).evaluate(RUN) == {}
        assert ours.RelevanceEvaluator(QRELS, set()).evaluate({"q1": {"d1": 1.0}}) == {"q1": {}}

    def test_documents_without_a_judgment_are_taken_out_where_asked(self):
        rules = {"judged_docs_only_flag": True}
        found = ours.RelevanceEvaluator(QRELS, {"map", "num_ret", "recip_rank"}, **rules).evaluate(
            RUN
        )
        assert found["q1"] == {"num_ret": 2.0, "map": 1 / 2 / 2, "recip_rank": 0.5}

    def test_items_that_nobody_judged_are_no_error_however_many(self):
        run = {"q1": {f"other{at}": 1.0 / (at + 1) for at in range(50)}}
        assert ours.RelevanceEvaluator(QRELS, {"map"}).evaluate(run) == {"q1": {"map": 0.0}}


class TestFrames:
    @pytest.mark.broad
    def test_a_frame_of_one_run_without_a_name_gives_what_its_dict_gives(self):
        rows = [(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()]
        frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
        judged = [
            (query, doc, grade) for query, docs in QRELS.items() for doc, grade in docs.items()
        ]
        qrels = pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance"])
        expected = ours.RelevanceEvaluator(QRELS, ours.supported_measures).evaluate(RUN)
        for given in (QRELS, qrels):
            same(ours.RelevanceEvaluator(given, ours.supported_measures).evaluate(frame), expected)
        assert ours.RelevanceEvaluator(qrels, {"map"}).evaluate(frame.iloc[:0]) == {}

    def test_several_columns_that_name_a_run_give_tuples(self):
        frame = pd.DataFrame(
            {
                "model": ["a", "a"],
                "seed": [1, 2],
                "query_id": "q1",
                "doc_id": ["d1", "d3"],
                "score": [1.0, 1.0],
            }
        )
        found = ours.RelevanceEvaluator(QRELS, {"map"}).evaluate(
            frame.ireval(run=["model", "seed"])
        )
        assert found == {("a", 1): {"q1": {"map": 0.5}}, ("a", 2): {"q1": {"map": 0.5}}}

    def test_frames_are_checked_and_not_changed(self):
        frame = pd.DataFrame({"query_id": "q1", "doc_id": ["d1", "d1"], "score": [1.0, 2.0]})
        before = frame.copy()
        with pytest.raises(ValueError, match="duplicate"):
            ours.RelevanceEvaluator(QRELS, {"map"}).evaluate(frame)
        pd.testing.assert_frame_equal(frame, before)


class TestErrors:
    @pytest.mark.parametrize(
        "name", ["nonsense", "map_5", "ndcg.1=3", "utility.1,1,0,0", "P_x", "rbp"]
    )
    def test_a_measure_that_is_not_known_is_named_with_those_that_are(self, name):
        with pytest.raises(
            ValueError,
            match=r"unsupported measure '.*'\. Supported: 11pt_avg, G, P, .*ndcg_cut\.5,10",
        ):
            ours.RelevanceEvaluator(QRELS, {name})

    def test_what_is_no_dict_of_dicts_is_told(self):
        with pytest.raises(
            TypeError, match="a judgments dict must have a dict for every query, got list"
        ):
            ours.RelevanceEvaluator({"q": ["d"]}, {"map"})
        with pytest.raises(
            TypeError, match="the grades of the judgments must be integers; some are float"
        ):
            ours.RelevanceEvaluator({"q": {"d": 0.5}}, {"map"})
        with pytest.raises(
            TypeError, match=r"the ids of the run must be strings; some are int\. Convert them"
        ):
            ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({"q1": {7: 1.0}})
        with pytest.raises(TypeError, match="the scores of the run must be numbers; some are str"):
            ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({"q1": {"d1": "1"}})
        with pytest.raises(
            TypeError, match="a run must be a dict of dicts or a DataFrame, got int"
        ):
            ours.RelevanceEvaluator(QRELS, {"map"}).evaluate(7)
        with pytest.raises(ValueError, match="missing values"):
            ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({"q1": {"d1": math.nan}})


class TestFiles:
    def test_lines_of_files_become_dicts(self):
        assert ours.parse_run(["q1 Q0 d1 1 0.5 a\n", "q1 Q0 d2 2 0.25 a"]) == {
            "q1": {"d1": 0.5, "d2": 0.25}
        }
        assert ours.parse_qrel(["q1 0 d1 2", "q2\t0\td1\t-1\n"]) == {
            "q1": {"d1": 2},
            "q2": {"d1": -1},
        }

    def test_a_document_twice_or_a_short_line_is_named(self):
        with pytest.raises(ValueError, match="line 2 repeats document 'd1' of query 'q1'"):
            ours.parse_run(["q1 Q0 d1 1 0.5 a", "q1 Q0 d1 2 0.4 a"])
        with pytest.raises(ValueError, match="line 1 has 3 fields, not 4: 'q1 0 d1'"):
            ours.parse_qrel(["q1 0 d1"])
