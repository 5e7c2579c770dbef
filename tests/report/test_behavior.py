"""The table of an A/B test."""

import pandas as pd
import pytest

import pdeval


def table(**columns):
    rows = {
        "bucket": ["ORIG", "FLAT"] * 2,
        "measure": ["abandonment_rate"] * 2 + ["clicks_per_query"] * 2,
        "aggregate": "mean",
        "n": 3500,
        "value": [0.680, 0.725, 0.713, 0.556],
        "ci_low": [0.659, 0.705, 0.622, 0.475],
        "ci_high": [0.701, 0.745, 0.804, 0.637],
    }
    return pd.DataFrame(rows | columns)


def test_an_ab_test_has_a_row_per_measure_and_a_column_per_bucket():
    report = table().ireval.ab_report(order=["ORIG", "FLAT"])
    lines = report.to_markdown().splitlines()
    assert "| Abandonment rate (mean) | <" in lines[2]
    assert "0.680 ± 0.021" in lines[2]
    assert "0.725 ± 0.020" in lines[2]
    assert "| Clicks per query (mean) | >" in lines[3]
    assert "0.713 ± 0.091" in lines[3]
    assert "H1: expected order of the values if ORIG > FLAT in quality." in report.notes


def test_without_an_order_all_buckets_are_shown_and_no_hypothesis():
    report = table().ireval.ab_report()
    assert [column.header for column in report.columns] == ["Measure", "ORIG", "FLAT"]


def test_a_value_without_an_interval_stands_alone_and_a_missing_one_is_a_dash():
    report = table(value=[0.5, None, 1, 1], ci_low=None, ci_high=None).ireval.ab_report(digits=1)
    assert [cell.text for cell in report.rows[0]][1:] == ["0.5", "–"]


def test_the_ab_table_of_a_log_is_one_call_and_that_of_its_behavior():
    runs = pdeval.datasets.sample_runs()
    two = runs[runs["run"].isin(["bm25", "hybrid"])]
    log = two.ireval.simulate_clicks(
        pdeval.datasets.sample_qrels(), "position-biased", sessions=3, seed=1
    )
    behavior = log.ireval.behavior()
    report = log.ireval.ab_report(order=["hybrid", "bm25"])
    assert report == behavior.ireval.ab_report(order=["hybrid", "bm25"])
    assert len(report.rows) == behavior["measure"].nunique()
    first = behavior[(behavior["bucket"] == "hybrid")]["value"].iloc[0]
    assert report.rows[0][2].value == first


def test_unknown_buckets_and_repeated_measures_are_refused():
    with pytest.raises(KeyError, match=r"order= contains 'RAND', but the buckets are ORIG, FLAT\."):
        table().ireval.ab_report(order=["ORIG", "RAND"])
    with pytest.raises(ValueError, match="measure"):
        table(measure="clicks_per_query", bucket="ORIG").ireval.ab_report()
