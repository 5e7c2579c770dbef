"""Judgments: sent to every worker where small, divided as the runs are where large; the numbers are the same."""

import pandas as pd
import pytest

import pdeval
from pdeval.catalog import parse_all
from pdeval.dask import first_pass
from pdeval.dask.partition_plan import plan
from tests.dask.bits import (
    PREFERENCES,
    SCORES,
    by_run,
    divided,
    gathered,
    quiet,
    same_bits,
    same_positions,
)

pytest.importorskip("dask")
pytestmark = pytest.mark.extras

import pdeval.dask.accessor  # noqa: E402


@pytest.fixture
def nothing_is_small(monkeypatch):
    monkeypatch.setattr(first_pass, "SMALL", 500)


@pytest.mark.usefixtures("nothing_is_small")
class TestLargeJudgments:
    @pytest.mark.broad
    @pytest.mark.parametrize(("rows", "on_dask"), [("by run", True), ("by query", False)])
    def test_the_numbers_are_those_of_pandas(self, some, qrels, rows, on_dask):
        given = divided(qrels, 4) if on_dask else qrels
        table = divided(some, 4, rows)
        measures = ["AP", "ERR", "bpref", "alpha-nDCG@10", "ASL"]
        expected = quiet(some.ireval.measure, qrels, measures)
        same_bits(expected, gathered(quiet(table.ireval.measure, given, measures), SCORES))
        expected = quiet(some.ireval.prefer, qrels, ["RPP", "ST-RPP"], queries="judged")
        lazy = quiet(table.ireval.prefer, given, ["RPP", "ST-RPP"], queries="judged")
        same_bits(expected, gathered(lazy, PREFERENCES))

    @pytest.mark.broad
    def test_orders_are_those_of_pandas(self, some, qrels):
        same_bits(
            quiet(some.ireval.order, qrels, ["RPP", "rrLP", "AP"]),
            quiet(divided(some, 4).ireval.order, divided(qrels, 4), ["RPP", "rrLP", "AP"]),
        )

    @pytest.mark.broad
    def test_no_worker_gets_all_judgments(self, some, qrels):
        joined = divided(some, 4, "by query").ireval.join(divided(qrels, 4)).plan.division()
        assert joined.context.given.frame is None
        parts = [joined.judged.partitions[at].compute() for at in range(joined.judged.npartitions)]
        assert sum(map(len, parts)) == len(qrels)
        assert max(map(len, parts)) < len(qrels) / 2
        assert sum(part["query_id"].nunique() for part in parts) == 50

    @pytest.mark.broad
    def test_partitions_of_whole_queries_stay_and_the_judgments_move(self, some, qrels):
        import dask.dataframe as dd

        split = [part for _, part in some.groupby("query_id", observed=True)]
        table = dd.from_map(lambda at: split[at], range(30), meta=some.iloc[:0])
        joined = table.ireval.join(qrels)
        division = joined.plan.division()
        assert not division.context.coded
        assert division.judged.npartitions == 30
        same_bits(
            quiet(some.ireval.measure, qrels, "AP"), gathered(quiet(joined.measure, "AP"), SCORES)
        )

    @pytest.mark.broad
    @pytest.mark.parametrize("on_dask", [True, False])
    def test_positions_are_gathered_all_the_same(self, some, qrels, on_dask):
        joined = divided(some, 4, "mixed").ireval.join(divided(qrels, 4) if on_dask else qrels)
        same_positions(by_run(some.ireval.join(qrels).positions), joined.gathered().positions)


@pytest.mark.broad
def test_small_judgments_on_dask_are_sent(some, qrels):
    joined = divided(some, 2).ireval.join(divided(qrels, 3)).plan.division()
    assert joined.judged is None
    assert len(joined.context.given.frame) == len(qrels)


def test_only_the_needed_columns_are_sent(some, qrels):
    wide = qrels.assign(assessor_note="a long text")
    joined = divided(some, 2).ireval.join(wide).plan.division()
    assert list(joined.context.given.frame.columns) == [
        "query_id",
        "doc_id",
        "relevance",
        "subtopic",
    ]


@pytest.mark.broad
def test_judgments_of_no_relevance_are_sent_only_where_measures_look_at_them(some):
    qrels = pdeval.datasets.sample_qrels()
    table = divided(some, 3, "mixed")
    few, all_of_them = (plan(table, qrels, complete=complete) for complete in (False, True))
    assert len(all_of_them.division().context.given.frame) == len(qrels)
    relevant = qrels[qrels["relevance"] > 0]
    assert len(relevant) <= len(few.division().context.given.frame) <= len(relevant) + 50
    corpus = parse_all("ASL(unretrieved=corpus)")
    assert len(few.division(corpus).context.given.frame) == len(qrels)
    for measure in ("AP", "bpref"):
        expected = quiet(some.ireval.measure, qrels, measure, queries="judged")
        same_bits(
            expected,
            gathered(quiet(table.ireval.measure, qrels, measure, queries="judged"), SCORES),
        )


@pytest.mark.broad
def test_bound_columns_are_understood_on_dask(some):
    qrels = pdeval.datasets.sample_qrels().rename(
        columns={"query_id": "topic_no", "relevance": "how"}
    )
    expected = quiet(some.ireval.measure, qrels.ireval(query="topic_no", grade="how"), "AP")
    for given in (qrels, divided(qrels, 3)):
        lazy = quiet(
            divided(some, 3).ireval.measure, given.ireval(query="topic_no", grade="how"), "AP"
        )
        same_bits(expected, gathered(lazy, SCORES))


def test_faults_of_the_judgments_are_told_before_any_work(some, qrels):
    table = divided(some, 2)
    plain = pdeval.datasets.sample_qrels()
    twice = pd.concat([plain, plain.head(1).assign(relevance=3)], ignore_index=True)
    with pytest.raises(
        ValueError,
        match=r"1 \(query, doc\) pairs with different grades, e.g. \('101', 'doc-00000'\)",
    ):
        table.ireval.measure(twice, "AP")
    with pytest.raises(ValueError, match="the judgments' grade column has 1 missing values"):
        table.ireval.measure(
            plain.assign(relevance=plain["relevance"].where(plain.index > 0)), "AP"
        )
    with pytest.raises(ValueError, match="the judgments table has no grade column"):
        table.ireval.measure(some, "AP")


def test_of_the_judgments_those_of_no_relevance_are_left_out_but_for_the_first_of_a_topic():
    qrels = pd.DataFrame(
        [
            ("1", "a", 0),
            ("1", "b", 2),
            ("1", "c", 0),
            ("1", "d", 1),
            ("2", "a", 0),
            ("2", "b", 0),
            ("3", "a", 1),
        ],
        columns=["query_id", "doc_id", "relevance"],
    )
    few = first_pass.given(qrels).relevant_only()
    assert few.frame.to_numpy().tolist() == [
        ["1", "a", 0],
        ["1", "b", 2],
        ["1", "d", 1],
        ["2", "a", 0],
        ["3", "a", 1],
    ]
    assert few.frame.index.tolist() == [0, 1, 2, 3, 4]
    assert few.starts.tolist() == [0, 3, 4, 5]
    assert few.items.tolist() == [3, 1, 1]
    assert few.best.tolist() == [2, 0, 1]


def test_a_last_topic_of_no_relevance_keeps_its_first_judgment():
    qrels = pd.DataFrame(
        {"query_id": ["1", "2", "2"], "doc_id": ["a", "a", "b"], "relevance": [1, 0, 0]}
    )
    few = first_pass.given(qrels).relevant_only()
    assert few.frame.to_numpy().tolist() == [["1", "a", 1], ["2", "a", 0]]
    assert few.starts.tolist() == [0, 1, 2]


def test_judgments_of_subtopics_and_large_ones_are_all_kept():
    qrels = pd.DataFrame(
        {"query_id": "1", "doc_id": ["a", "b"], "relevance": [1, 0], "subtopic": ["x", "y"]}
    )
    by_subtopic = first_pass.given(qrels)
    assert by_subtopic.relevant_only() is by_subtopic
    large = first_pass.given(qrels.drop(columns="subtopic"), small=1)
    assert large.frame is None
    assert large.relevant_only() is large


@pytest.mark.broad
def test_large_judgments_of_pandas_are_divided_into_parts_that_are_small(qrels):
    large = first_pass.given(qrels, small=400).large
    assert large.npartitions == -(-len(qrels) // 400)
    assert max(len(large.partitions[at].compute()) for at in range(large.npartitions)) <= 401
