import operator
from functools import reduce

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval
from pdeval.catalog.directions import aggregate_of
from pdeval.evaluate import cube
from pdeval.evaluate.summary import _resamples, bootstrap_interval, summary

RUNS = pd.DataFrame({"run": ["a", "b"]})
RUNS3 = pd.DataFrame({"run": ["a", "b", "c"]})
VALUES = np.array([[[0.1, 0.4], [0.5, 0.4], [0.3, np.nan]]])


def scores(values=VALUES, measures=("AP",), runs=RUNS):
    index = pd.Index([str(q) for q in range(values.shape[1])], name="query_id")
    return cube.Scores(
        runs, index, measures, values, np.ones(len(measures), dtype=bool), {"level": 2}
    )


def test_mean_spread_and_interval_by_hand():
    frame = summary(scores())
    assert list(frame) == ["run", "measure", "n", "mean", "sd", "ci_low", "ci_high"]
    a, b = frame.to_dict("records")
    half = stats.t.ppf(0.975, 2) * 0.2 / np.sqrt(3)
    assert half > 0.3  # AP is never below 0
    assert (a["n"], b["n"]) == (3, 2)
    assert [a["mean"], a["sd"], a["ci_low"], a["ci_high"]] == pytest.approx(
        [0.3, 0.2, 0.0, 0.3 + half], abs=1e-15
    )
    assert [b["mean"], b["sd"], b["ci_low"], b["ci_high"]] == pytest.approx(
        [0.4, 0.0, 0.4, 0.4], abs=1e-15
    )
    assert frame.attrs == {"level": 2, "confidence": 0.95}


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_the_interval_is_students(confidence):
    values = np.random.default_rng(1).random((1, 30, 2))
    frame = summary(scores(values), confidence=confidence)
    for r in range(2):
        column = values[0, :, r]
        wanted = stats.ttest_1samp(column, 0).confidence_interval(confidence)
        assert (frame["ci_low"][r], frame["ci_high"][r]) == pytest.approx(tuple(wanted), abs=1e-12)
        assert frame["sd"][r] == pytest.approx(column.std(ddof=1), abs=1e-14)


def test_one_query_has_a_mean_and_no_interval():
    row = summary(scores(VALUES[:, :1])).iloc[0]
    assert (row["n"], row["mean"]) == (1, 0.1)
    assert row[["sd", "ci_low", "ci_high"]].isna().all()


def test_a_run_without_queries_has_no_mean():
    row = summary(scores(np.array([[[0.5, np.nan]]]))).iloc[1]
    assert row["n"] == 0
    assert np.isnan(row["mean"])


def test_the_geometric_mean_where_the_measure_says_so():
    values = np.array([[[0.1, 1e-5], [0.4, 0.1]]])
    frame = summary(scores(values, ("GMAP",)))
    assert frame["mean"].tolist() == pytest.approx([0.2, 1e-3], abs=1e-15)
    logs = np.log([0.1, 0.4])
    half = stats.t.ppf(0.975, 1) * logs.std(ddof=1) / np.sqrt(2)
    low, high = np.exp([logs.mean() - half, logs.mean() + half])
    assert high > 1
    assert (frame["ci_low"][0], frame["ci_high"][0]) == pytest.approx((low, 1.0), rel=1e-12)
    assert frame["sd"][0] == pytest.approx(logs.std(ddof=1), rel=1e-12)  # on the log scale


def test_queries_that_do_not_count_are_no_part_of_a_geometric_mean():
    frame = summary(scores(np.array([[[0.1], [np.nan], [0.4]]]), ("GMAP",), RUNS[:1]))
    logs = np.log([0.1, 0.4])
    assert frame["n"].tolist() == [2]
    assert frame["mean"].tolist() == pytest.approx([0.2], rel=1e-12)
    assert frame["sd"].tolist() == pytest.approx([logs.std(ddof=1)], rel=1e-12)


def test_the_sum_where_the_measure_says_so():
    frame = summary(scores(np.array([[[3.0, 1.0], [4.0, np.nan]]]), ("NumRet",)))
    assert aggregate_of("NumRet") == "sum"
    assert frame["mean"].tolist() == [7.0, 1.0]
    assert frame[["sd", "ci_low", "ci_high"]].isna().all(axis=None)


@pytest.mark.parametrize("measures", [1, 3])
def test_a_run_has_the_same_bits_alone_among_others_and_in_any_layout(measures):
    values = np.random.default_rng(3).random((measures, 250, 3))
    names = ("AP", "RR", "P@10")[:measures]
    together = summary(scores(values, names, RUNS3))
    alone = summary(scores(values[:, :, :1].copy(), names, RUNS3.iloc[:1]))
    columns = np.ascontiguousarray(values.swapaxes(0, 2)).swapaxes(0, 2)
    statistics = ["mean", "sd", "ci_low", "ci_high"]
    first = together.loc[together["run"] == "a", statistics].to_numpy()
    assert alone[statistics].to_numpy().tobytes() == np.ascontiguousarray(first).tobytes()
    again = summary(scores(columns, names, RUNS3))
    assert again[statistics].to_numpy().tobytes() == together[statistics].to_numpy().tobytes()


def test_equal_systems_have_exactly_equal_means():
    values = np.random.default_rng(3).random(1000)
    frame = summary(scores(np.stack([values, values], axis=1)[None]))
    assert frame["mean"][0] == frame["mean"][1]


@pytest.mark.parametrize("runs", [1, 2])
def test_means_add_query_after_query_as_trec_eval_does(runs):
    values = np.random.default_rng(3).random((1000, runs)) ** 4
    added = [reduce(operator.add, column) for column in values.T.tolist()]
    # another order of addition gives another last bit here
    assert any(
        total != float(np.sum(np.ascontiguousarray(column)))
        for total, column in zip(added, values.T)
    )
    assert summary(scores(values[None], runs=RUNS[:runs]))["mean"].tolist() == [
        total / 1000 for total in added
    ]


def test_wide_has_a_row_per_run_and_a_column_per_measure_in_the_order_asked():
    values = np.array([[[0.1, 0.4]], [[0.9, 0.8]]])
    frame = summary(scores(values, ("RR", "AP")), wide=True)
    assert list(frame) == ["run", "RR", "AP"]
    assert frame.astype({"run": str}).values.tolist() == [["a", 0.1, 0.9], ["b", 0.4, 0.8]]


def test_wide_keeps_runs_of_several_columns():
    runs = pd.DataFrame({"model": ["x", "x"], "seed": [2, 10]})
    frame = summary(scores(VALUES, runs=runs), wide=True)
    assert list(frame) == ["model", "seed", "AP"]
    assert frame["seed"].tolist() == [2, 10]


@pytest.mark.parametrize("confidence", [0, 1, 95, -0.5])
def test_a_confidence_that_is_no_share_is_refused(confidence):
    with pytest.raises(ValueError, match=rf"^confidence={confidence}: .* between 0 and 1"):
        scores().frame().ireval.summary(confidence=confidence)


TABLE = pd.DataFrame(
    [
        ("a", "old", "1", "AP", 0.1), ("a", "old", "2", "AP", 0.3), ("b", "new", "1", "AP", 0.2),
        ("b", "new", "2", "AP", 0.6), ("c", "new", "1", "AP", 0.4), ("c", "new", "2", "AP", 0.4),
    ],
    columns=["run", "family", "query_id", "measure", "value"],
)  # fmt: skip


@pytest.mark.broad
def test_runs_as_replicates_are_averaged_query_by_query():
    frame = TABLE.ireval.summary(by="family", per="group")
    assert list(frame) == [
        "family",
        "measure",
        "n",
        "mean",
        "sd",
        "ci_low",
        "ci_high",
        "replicates",
        "sd_replicates",
    ]
    new, old = frame.to_dict("records")
    assert (new["family"], new["n"], old["n"]) == ("new", 2, 2)
    # queries 1 and 2: (0.2 + 0.4) / 2 and (0.6 + 0.4) / 2
    assert new["mean"] == pytest.approx(0.4)
    assert new["sd"] == pytest.approx(np.std([0.3, 0.5], ddof=1))
    assert old["mean"] == pytest.approx(0.2)
    # the means of the two new runs are 0.4 and 0.4; the only old one varies from none
    assert (new["replicates"], old["replicates"]) == (2, 1)
    assert new["sd_replicates"] == pytest.approx(0.0)
    assert np.isnan(old["sd_replicates"])


@pytest.mark.parametrize("kind", ["object", "category"])
def test_groups_of_several_columns(kind):
    table = TABLE.assign(year=[2020, 2020, 2020, 2020, 1999, 1999]).astype({"family": kind})
    frame = table.ireval.summary(by=["family", "year"], per="group")
    assert frame[["family", "year"]].astype({"family": str}).values.tolist() == [
        ["new", 1999],
        ["new", 2020],
        ["old", 2020],
    ]
    assert frame["mean"].tolist() == pytest.approx([0.4, 0.4, 0.2])
    wide = table.ireval.summary(by=["family", "year"], per="group", wide=True)
    assert wide["AP"].tolist() == pytest.approx([0.4, 0.4, 0.2])


@pytest.mark.broad
def test_metadata_joins_under_the_callers_names():
    scores = pdeval.datasets.sample_runs().ireval.measure(
        pdeval.datasets.sample_qrels(), ["AP", "RR"], queries="common"
    )
    frame = scores.merge(pdeval.datasets.sample_metadata(), on="run").ireval.summary(
        by="family", per="group", wide=True
    )
    metadata = pdeval.datasets.sample_metadata().set_index("run")["family"]
    wanted = scores.assign(family=scores["run"].astype(object).map(metadata))
    wanted = wanted.groupby(["family", "measure"], observed=True)["value"].mean().unstack()
    assert frame["AP"].tolist() == pytest.approx(wanted["AP"].tolist())
    assert frame["family"].tolist() == wanted.index.tolist()


def test_an_unknown_group_is_an_error_that_says_how_to_join():
    with pytest.raises(
        KeyError,
        match=r"no column 'year' to group by; the table has run, family.*add_metadata\(metadata",
    ):
        TABLE.ireval.summary(by="year")


def test_rows_without_a_group_are_not_dropped_silently():
    with pytest.raises(
        ValueError, match=r"a missing value in column 'family'\. Fill or drop them first"
    ):
        TABLE.assign(family=TABLE["family"].where(TABLE["run"] != "a")).ireval.summary(by="family")


@pytest.mark.parametrize("name", ["query_id", "measure", "value"])
def test_a_summary_is_not_grouped_by_what_it_sums_up(name):
    frame = pd.DataFrame({"run": ["a"], "query_id": ["1"], "measure": ["AP"], "value": [0.5]})
    with pytest.raises(
        ValueError, match=f"by='{name}' is the .* of the table; name a column of metadata"
    ):
        frame.ireval.summary(by=name)


SKEWED = np.random.default_rng(3).beta(0.4, 2.0, (12, 3))


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_bca_interval_is_that_of_scipy_for_the_same_samples(confidence):
    times = np.concatenate(list(_resamples(SKEWED.shape, 500, 4)))
    drawn = np.stack([np.repeat(np.arange(12), row) for row in times])
    for column, ends in zip(SKEWED.T, bootstrap_interval(SKEWED, "bca", confidence, 500, 4).T):
        # scipy draws the positions of a sample with rng.integers
        class Samples(np.random.Generator):
            def integers(self, *_args, **_options):
                return drawn

        rng = Samples(np.random.PCG64(0))
        wanted = stats.bootstrap(
            (column,),
            np.mean,
            n_resamples=500,
            confidence_level=confidence,
            method="BCa",
            random_state=rng,
        ).confidence_interval
        assert ends == pytest.approx(tuple(wanted), abs=1e-12)


def test_the_bootstrap_t_interval_by_brute_force():
    column = SKEWED[:, 0]
    drawn = [
        column[np.repeat(np.arange(12), row)]
        for times in _resamples(SKEWED.shape, 400, 0)
        for row in times
    ]
    t = sorted((one.mean() - column.mean()) / (one.std(ddof=1) / 12**0.5) for one in drawn)
    error = column.std(ddof=1) / 12**0.5
    # the 10th and the 390th of 400
    wanted = [column.mean() - t[389] * error, column.mean() - t[9] * error]
    found = bootstrap_interval(SKEWED, "bootstrap-t", draws=400)[:, 0]
    assert found == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("interval", ["bootstrap-t", "bca"])
def test_bootstrap_intervals_stay_in_the_range_of_the_measure(interval):
    values = np.array([[[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.9, 0.0]]])
    frame = summary(scores(values), interval=interval)
    assert frame["ci_low"].between(0, frame["mean"]).all()
    assert frame["ci_high"].between(frame["mean"], 1).all()
    equal = summary(scores(np.full((1, 4, 2), 0.3)), interval=interval)
    assert equal[["ci_low", "ci_high"]].to_numpy() == pytest.approx(0.3, abs=1e-15)
    one = summary(scores(VALUES[:, :1]), interval=interval)
    assert one[["ci_low", "ci_high"]].isna().all(axis=None)


@pytest.mark.parametrize("interval", ["bootstrap-t", "bca"])
def test_bootstrap_intervals_leave_out_missing_values_and_are_those_of_groups(interval):
    values = np.append(SKEWED, np.full((3, 3), np.nan), axis=0)
    found = bootstrap_interval(values, interval, draws=4000)
    # samples have 12 values on average, not exactly
    assert found == pytest.approx(bootstrap_interval(SKEWED, interval, draws=4000), abs=0.04)
    table = pdeval.datasets.sample_judged(queries="common").measure("AP")
    metadata = pdeval.datasets.load_sample()[2]
    grouped = table.ireval.summary(by="family", metadata=metadata, interval=interval, draws=50)
    alone = table.ireval.summary(interval=interval, draws=50)
    pd.testing.assert_frame_equal(
        grouped.sort_values("run", ignore_index=True)[list(alone)],
        alone.sort_values("run", ignore_index=True),
        check_dtype=False,
    )


def test_a_geometric_mean_has_the_bootstrap_interval_of_the_logarithms():
    frame = summary(scores(SKEWED[None], ("GMAP",), RUNS3), interval="bca", draws=200)
    wanted = np.exp(bootstrap_interval(np.log(SKEWED), "bca", draws=200))
    np.testing.assert_allclose(frame[["ci_low", "ci_high"]].to_numpy().T, wanted, rtol=1e-12)


def test_bootstrap_intervals_need_samples():
    with pytest.raises(ValueError, match="draws"):
        summary(scores(), interval="bca", draws=1)
