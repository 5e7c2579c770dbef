import pandas as pd
import pytest

import pdeval


@pytest.fixture(scope="module")
def joined():
    return pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels(), topics="common")


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


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame({"x": [1], "y": [2]}), pdeval.datasets.sample_runs().head(), pdeval.datasets.sample_qrels().head()],
    ids=["unknown", "runs", "judgments"],
)
def test_a_table_without_a_report_is_an_error_that_lists_those_with_one(frame):
    with pytest.raises(ValueError, match=r"report\(\) takes scores, a summary, preferences, orders.*; this is "):
        frame.ireval.report()


@pytest.mark.filterwarnings("ignore:2 of 50 judged queries")
def test_a_result_without_a_report_is_called_by_its_name():
    joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    with pytest.raises(ValueError, match=r"this is sorted p-values: 66 rows; next: pdeval\.plots\.p_value_curves"):
        joined.p_value_curve("AP").ireval.report()
    with pytest.raises(ValueError, match="this is mean preferences: 66 rows"):
        joined.mean("RPP").ireval.report()
