"""Tables of orderings."""

import pandas as pd
import pytest

from pdeval.report import report_order


@pytest.fixture
def orders():
    frame = pd.DataFrame(
        [
            ("bm25", "RPP", "mc4", 0.2, 2, 1, 3),
            ("lm", "RPP", "mc4", 0.2, 2, 2, 3),
            ("dense", "RPP", "mc4", 0.6, 1, 1, 1),
            ("bm25", "RPP", "copeland", 2.0, 1, 1, 2),
            ("lm", "RPP", "copeland", -2.0, 3, 2, 3),
            ("dense", "RPP", "copeland", 0.0, 2, 1, 2),
        ],
        columns=["run", "measure", "method", "score", "rank", "rank_low", "rank_high"],
    )
    frame.attrs.update(ties="docid", run_columns=["run"])
    return frame


def test_one_ordering_shows_rank_interval_and_score_best_first(orders):
    table = report_order(orders[:3], caption="Order.", digits=2)
    assert table.to_markdown() == (
        "Order.\n\n"
        "| System |            Rank |       Score |\n"
        "|:-------|----------------:|------------:|\n"
        "| dense  |    **1** [1, 1] |    **0.60** |\n"
        "| bm25   | <u>2</u> [1, 3] | <u>0.20</u> |\n"
        "| lm     | <u>2</u> [2, 3] | <u>0.20</u> |\n\n"
        "RPP, MC4. Best in bold, second underlined. In brackets the bootstrap interval of the rank over queries. "
        "Tied scores ordered by document id."
    )
    assert table.to_frame().columns.tolist() == ["run", "rank", "rank_low", "rank_high", "score"]


def test_several_orderings_stand_side_by_side(orders):
    table = report_order(orders.drop(columns=["rank_low", "rank_high"]), names={"bm25": "BM25"})
    assert [column.header for column in table.columns] == ["System", "MC4", "Copeland"]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["dense", "1", "2"], ["BM25", "2", "1"], ["lm", "2", "3"],
    ]  # fmt: skip
    assert table.notes[0] == "RPP."


def test_scores_and_ranks_can_stand_under_one_heading(orders):
    both = report_order(orders, show="both")
    assert [(column.group, column.header) for column in both.columns[1:]] == [
        ("MC4", "Rank"), ("MC4", "Score"), ("Copeland", "Rank"), ("Copeland", "Score"),
    ]  # fmt: skip
    # Copeland counts wins less losses: whole numbers
    assert [row[4].text for row in both.rows] == ["0", "2", "−2"]
    two = pd.concat([orders, orders.assign(measure="AP")])
    table = report_order(two, show="score")
    assert [(column.group, column.header) for column in table.columns[1:]] == [
        ("RPP", "MC4"), ("RPP", "Copeland"), ("AP", "MC4"), ("AP", "Copeland"),
    ]  # fmt: skip


def test_an_ordering_of_runs_with_several_columns(orders):
    frame = orders[:3].assign(model="x", seed=[1, 2, 3]).drop(columns="run")
    frame.attrs.clear()
    assert [column.header for column in report_order(frame).columns] == ["seed", "Rank", "Score"]
    frame.attrs["run_columns"] = ["model", "seed"]
    assert [column.header for column in report_order(frame).columns] == [
        "model",
        "seed",
        "Rank",
        "Score",
    ]


def test_half_ranks_are_shown(orders):
    frame = orders[:3].assign(rank=[2.5, 2.5, 1.0])
    assert [row[1].text for row in report_order(frame).rows] == ["1.0", "2.5", "2.5"]


def test_it_refuses_what_it_cannot_show(orders):
    with pytest.raises(
        ValueError, match="the orders have no column 'rank'; they have run, measure"
    ):
        report_order(orders.drop(columns="rank"))
    with pytest.raises(ValueError, match="the orders have no rows"):
        report_order(orders[:0])
    with pytest.raises(
        ValueError,
        match=r"2 duplicate \(run, measure, method\) rows, e.g. \('bm25', 'RPP', 'mc4'\)",
    ):
        report_order(pd.concat([orders, orders[:2]]))
    with pytest.raises(
        ValueError,
        match=r"run 'lm' is in the ordering by RPP \(mc4\) but not in that by RPP \(copeland\)",
    ):
        report_order(orders.drop(index=4))
    with pytest.raises(ValueError, match="show='all': choose 'rank', 'score' or 'both'"):
        orders.ireval.report(show="all")
    with pytest.raises(ValueError, match="digits=11"):
        report_order(orders, digits=11)
