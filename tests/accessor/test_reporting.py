import pandas as pd
import pytest

import pdeval


@pytest.fixture(scope="module")
def joined():
    return pdeval.datasets.sample_runs().ireval.join(
        pdeval.datasets.sample_qrels(), queries="common"
    )


TABLES = {
    "scores": lambda joined: joined.measure(["AP", "RR"]),
    "a summary": lambda joined: joined.measure(["AP", "RR"]).ireval.summary(),
    "preferences": lambda joined: joined.prefer("RPP"),
    "orders": lambda joined: joined.order(["RPP", "AP"]),
    "comparisons": lambda joined: joined.compare(["AP", "RR"], baseline="bm25"),
    "discriminative power": lambda joined: joined.discriminative_power(["AP", "RR"], tests=["t"]),
    "a matrix": lambda joined: joined.matrix("RPP"),
    "correlations": lambda joined: joined.correlate(["RPP", "AP", "RR"]),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_table_that_pdeval_returns_has_a_report(joined, name):
    report = TABLES[name](joined).ireval.report()
    assert report.to_latex().startswith("\\begin{table}")
    assert report.to_markdown().startswith("|")


def test_a_join_reports_what_its_runs_score(joined):
    whole, apart = joined.report(["AP", "RR"]), joined.measure(["AP", "RR"]).ireval.report()
    assert whole.to_latex() == apart.to_latex()


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (
            pd.DataFrame({"x": [1], "y": [2]}),
            r"report\(\): expected a run table .* among the columns x, y",
        ),
        (pdeval.datasets.sample_runs().head(), "needs judgments|rows per item"),
        (
            pdeval.datasets.sample_qrels().head(),
            "a judgments table.* has no report: judgments are raw data",
        ),
    ],
    ids=["unknown", "runs", "judgments"],
)
def test_a_table_without_a_report_says_why(frame, text):
    with pytest.raises((AttributeError, TypeError, ValueError), match=text):
        frame.ireval.report()


def test_a_curve_is_drawn_and_not_reported(joined):
    with pytest.raises(AttributeError, match=r"a precision-recall table.* has no report"):
        joined.curve().ireval.report()


@pytest.mark.broad
@pytest.mark.parametrize(("measures", "verb"), [(["AP", "RR"], "measure"), (["RPP"], "prefer")])
def test_a_report_of_stacked_collections_is_that_of_their_values(measures, verb):
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    runs = runs[runs["run"].isin(["bm25", "ql", "tfidf"])]
    halves = [
        pd.concat(
            [
                frame[frame["query_id"].astype(int) % 2 == part].assign(part=f"p{part}")
                for part in (0, 1)
            ]
        )
        for frame in (runs, qrels)
    ]
    whole = halves[0].ireval.report(halves[1], measures, by="part", digits=2, queries="common")
    values = getattr(halves[0].ireval, verb)(halves[1], measures, by="part", queries="common")
    assert whole.to_markdown() == values.ireval.report(by="part", digits=2).to_markdown()
    with pytest.raises(
        ValueError, match="AP and RPP are a measure of one ranking and a preference"
    ):
        halves[0].ireval.report(halves[1], ["AP", "RPP"], by="part")
