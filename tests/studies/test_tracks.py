"""Means over collections."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.studies import spread_over_collections
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults

FRAME = pd.DataFrame(
    {
        "collection": ["one", "one", "two", "two"],
        "measure": ["AP", "RR", "AP", "RR"],
        "n": [3, 3, 4, 4],
        "tau": [0.5, 0.8, 0.7, np.nan],
        "gain": [1.0, 2.0, 3.0, 4.0],
    }
)


def test_every_statistic_of_every_key_has_its_mean_and_deviation():
    table = spread_over_collections(FRAME).set_index(["measure", "statistic"])
    assert table.index.tolist() == [("AP", "tau"), ("AP", "gain"), ("RR", "tau"), ("RR", "gain")]
    assert table.loc[("AP", "tau"), ["collections", "mean"]].tolist() == [2, pytest.approx(0.6)]
    assert table.loc[("AP", "tau"), "sd"] == pytest.approx(0.02**0.5)  # of .5 and .7
    assert table.loc[("RR", "tau"), ["collections", "mean"]].tolist() == [1, 0.8]
    assert np.isnan(table.loc[("RR", "tau"), "sd"])
    assert table.loc[("AP", "gain"), ["low", "high"]].tolist() == pytest.approx(
        [2 - 2**0.5, 2 + 2**0.5]
    )


def test_collections_count_alike_however_many_rows_they_have():
    frame = pd.DataFrame({"collection": ["one"] * 3 + ["two"], "fraction": [0.2, 0.3, 0.4, 0.9]})
    assert spread_over_collections(frame, keys=[])["mean"].tolist() == [pytest.approx(0.6)]


def test_a_column_may_be_called_value():
    best = pd.DataFrame(
        {"collection": ["one", "two"], "measure": "AP", "run": ["a", "b"], "value": [0.2, 0.4]}
    )
    table = spread_over_collections(best, keys=["measure"])
    assert table[["measure", "statistic", "collections"]].to_numpy().tolist() == [
        ["AP", "value", 2]
    ]
    assert table["mean"].tolist() == [pytest.approx(0.3)]


@pytest.mark.broad
def test_what_by_gives_is_what_it_takes():
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    sites = [table.assign(site=site) for site in "xy" for table in (runs, qrels)]
    table = pd.concat(sites[::2]).ireval.search_lengths.ablation(
        pd.concat(sites[1::2]), by="site", queries="common"
    )
    found = spread_over_collections(table, by="site")
    assert (found["sd"] == 0).all()  # the same collection twice
    assert found["statistic"].unique().tolist() == ["delta_sort", "tau_b", "delta_value"]
    assert faults(SCHEMAS["over_collections"], found, {}) == []


def test_errors_say_what_is_missing():
    with pytest.raises(
        KeyError, match="no column 'site' in this table; it has collection, measure"
    ):
        spread_over_collections(FRAME, by="site")
    with pytest.raises(KeyError, match="no column 'step'"):
        spread_over_collections(FRAME, keys=["step"])
    with pytest.raises(ValueError, match="nothing to average"):
        spread_over_collections(FRAME[["collection", "measure"]])
