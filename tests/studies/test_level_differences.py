"""How the contributions of recall levels are spread."""

import numpy as np
import pandas as pd
import pytest

import pdeval

MEASURES = ["AP", "RBP(p=0.5)", "nDCG", "RR", "ASL", "RPP", "sgnLP"]


@pytest.fixture(scope="module")
def judged():
    return pdeval.datasets.sample_judged(queries="common")


def cells(judged, measure):
    table = judged.disaggregate(measure)
    return table.loc[table["weight"] > 0, "value"].to_numpy()


@pytest.mark.parametrize("measure", MEASURES)
def test_the_distribution_is_that_of_the_values_of_disaggregate_both_ways(judged, measure):
    values = cells(judged, measure)
    both = np.sort(np.concatenate([values, -values]))
    found = judged.disaggregate.ecdf(measure, points=20)
    expected = np.searchsorted(both, found["value"], side="right") / len(both)
    np.testing.assert_allclose(found["ecdf"], expected, rtol=0, atol=1e-12)
    assert found["value"].iloc[[0, 20, 40]].tolist() == [both[0], 0.0, both[-1]]


@pytest.mark.parametrize("measure", MEASURES)
def test_the_shares_are_those_of_the_values_of_disaggregate(judged, measure):
    values = np.abs(cells(judged, measure))
    row = judged.disaggregate.ecdf(measure, per="measure", least=0.05).iloc[0]
    assert row["cells"] == len(values)
    assert row["differ"] == pytest.approx((values > 0).mean(), abs=1e-12)
    assert row["small"] == pytest.approx(((values > 0) & (values < 0.05)).mean(), abs=1e-12)


def test_ranks_differ_as_often_as_levels_are_not_tied(judged):
    binary = judged.at(level=1)
    ties = binary.ties.by_recall(levels=None)
    row = binary.disaggregate.ecdf("RPP", per="measure").iloc[0]
    assert row["cells"] == ties["pairs"].sum()
    assert row["differ"] == pytest.approx(1 - ties["ties"].sum() / ties["pairs"].sum(), abs=1e-12)


def test_found_counts_the_levels_that_at_least_one_run_reached():
    runs = pd.DataFrame(
        {"run": list("aabb"), "query_id": "1", "doc_id": list("xyxz"), "score": [2, 1, 2, 1]}
    )
    qrels = pd.DataFrame({"query_id": "1", "doc_id": ["x", "y", "never"], "relevance": 1})
    row = runs.ireval.disaggregate.ecdf(qrels, "RPP", per="measure").iloc[0]
    assert row[["cells", "found", "differ"]].tolist() == [
        3,
        2 / 3,
        1 / 3,
    ]  # equal at 1, a alone at 2, nobody at 3


@pytest.mark.broad
def test_blocks_of_pairs_change_nothing(judged, monkeypatch):
    whole = judged.disaggregate.ecdf(["AP", "RPP"], points=7)
    monkeypatch.setattr("pdeval.studies.contributions.CELLS", 1 << 12)
    pd.testing.assert_frame_equal(judged.disaggregate.ecdf(["AP", "RPP"], points=7), whole)


def test_measures_whose_parts_are_no_recall_levels_are_refused(judged):
    with pytest.raises(ValueError, match="the parts of OI are not recall levels"):
        judged.disaggregate.ecdf("OI")
    with pytest.raises(ValueError, match=r"least=-1\.0: expected a number of at least 0"):
        judged.disaggregate.ecdf("RPP", least=-1)
