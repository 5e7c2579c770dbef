"""Quantiles of scores, and means of the worst queries."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

import pdeval
from pdeval.evaluate import cube
from pdeval.evaluate.summary import _drawn_lowest, quantile, quantiles, worst_share
from pdeval.tables.schemas import SCHEMAS
from tests.examples import examples
from tests.schema_faults import faults

JUDGED = pdeval.datasets.sample_judged(queries="common")
COLUMNS = arrays(float, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=st.floats(0, 1))


def scores(values, *, higher=True, measures=("AP",), attrs=None):
    values = np.array(values, dtype=float)
    runs = pd.DataFrame({"run": list("abcdef")[: values.shape[1]]})
    queries = pd.Index([str(q) for q in range(len(values))], name="query_id")
    return cube.Scores(runs, queries, measures, values[None], np.array([higher]), attrs or {})


def worst_by_hand(values, share):
    """The mean of the worst share, each query cut into a thousand equal parts."""
    parts = np.sort(np.repeat(values, 1000))
    return parts[: round(len(parts) * share)].mean()


@examples(40)
@given(COLUMNS, st.sampled_from([0.1, 0.25, 0.5, 0.9]))
def test_a_quantile_is_that_of_numpy_and_pandas(values, share):
    np.testing.assert_allclose(
        quantile(values, share)[0], np.quantile(values, share, axis=0), rtol=0, atol=1e-15
    )


@examples(40)
@given(COLUMNS, st.sampled_from([0.1, 0.125, 0.5, 0.95, 1.0]))
def test_the_mean_of_the_worst_share_counts_the_last_query_in_part(values, share):
    found = worst_share(values, share)[0]
    np.testing.assert_allclose(
        found, [worst_by_hand(one, share) for one in values.T], rtol=0, atol=1e-12
    )


def test_the_worst_share_of_one_is_the_mean():
    found = JUDGED.quantiles("AP", at=None, worst=1, draws=0)
    np.testing.assert_allclose(found["value"], JUDGED.summary("AP")["mean"], rtol=1e-14)


def test_the_worst_queries_are_those_of_the_largest_values_where_lower_is_better():
    values = [[1.0, 9.0], [2.0, 5.0], [3.0, 1.0], [10.0, 1.0]]
    found = quantiles(scores(values, higher=False), None, at=0.25, worst=0.5)
    # from the worst: 10 3 2 1 and 9 5 1 1; a quarter of the way between the first and the last is at 0.75
    assert found["value"].tolist() == [10 - 0.75 * 7, 6.5, 9 - 0.75 * 4, 7.0]
    many = np.random.default_rng(1).random((40, 2))
    found, turned = (
        quantiles(scores(one, higher=higher), None, at=None, worst=0.5, draws=200)
        for one, higher in ((many, False), (-many, True))
    )
    assert found["ci_low"].tolist() == (-turned["ci_high"]).tolist()
    assert (found["ci_low"] < found["ci_high"]).all()


def test_the_interval_of_a_quantile_ends_at_order_statistics():
    # of 20 queries, between 6 and 15 lie below the median with probability .9586
    _, low, high = quantile(np.arange(1.0, 21.0)[:, None], 0.5)
    assert (low.item(), high.item()) == (6, 15)
    assert stats.binom.cdf(14, 20, 0.5) - stats.binom.cdf(5, 20, 0.5) == pytest.approx(
        0.9586, abs=1e-4
    )


def test_an_end_that_no_query_lies_beyond_is_missing():
    _, low, high = quantile(np.arange(1.0, 11.0)[:, None], 0.1)  # .9 ** 10 = .35 have none below
    assert np.isnan(low.item())
    assert high.item() == 4


def test_the_interval_of_a_quantile_holds_it_as_often_as_it_says():
    values = np.random.default_rng(4).random((40, 4000))
    for share in (0.1, 0.5):
        _, low, high = quantile(values, share)
        inside = ((low <= share) & (share <= high)).mean()
        assert 0.945 < inside < 0.985


def test_the_interval_of_the_worst_share_is_that_of_resampled_queries():
    values = np.random.default_rng(6).random((36, 2))
    _, low, high = worst_share(values, 0.3, draws=100, confidence=0.9, seed=5)
    weights = np.random.default_rng(5).multinomial(36, np.full(36, 1 / 36), size=100)
    drawn = np.array(
        [[worst_by_hand(one, 0.3) for one in np.repeat(values, w, axis=0).T] for w in weights]
    )
    ends = np.quantile(drawn, [0.05, 0.95], axis=0, method="inverted_cdf")
    np.testing.assert_allclose([low, high], ends, atol=1e-12)


@pytest.mark.parametrize(
    "share",
    [pytest.param(0.1, marks=pytest.mark.large), pytest.param(0.5, marks=pytest.mark.large), 1.0],
)
def test_drawing_only_the_worst_queries_has_the_distribution_of_the_bootstrap(share):
    values = np.sort(np.random.default_rng(6).normal(size=300))
    values[:20] = values[0]  # ties
    rng = np.random.default_rng(1)
    # 400 queries, of which the run has 300: a sample of all queries has any number of its values
    picked = rng.integers(0, 400, size=(4000, 400))
    by_hand = [worst_by_hand(values[one[one < 300]], share) for one in picked]
    drawn = _drawn_lowest(values, 400, share, 4000, seed=2)
    # two samples of 4,000 from one distribution are further apart with probability .001
    assert stats.ks_2samp(by_hand, drawn).statistic < 1.95 * np.sqrt(2 / 4000)


def test_many_queries_draw_only_the_worst_queries_of_each_run(monkeypatch):
    values = np.random.default_rng(6).random((300, 2))
    values[::3, 1] = np.nan
    both = worst_share(values, 0.3, draws=2000)
    monkeypatch.setattr("pdeval.evaluate.summary.MANY", 100)
    fewer = worst_share(values, 0.3, draws=2000)
    assert both[0].tolist() == fewer[0].tolist()
    # the standard error of an end is about .002: the density of 2,000 draws at a tail of .025
    np.testing.assert_allclose(fewer[1:], both[1:], atol=0.01)
    alone = worst_share(values[:, 1:], 0.3, draws=2000)
    assert [one[0] for one in alone] == [one[1] for one in fewer]


def test_the_geometric_mean_of_many_queries_is_0_if_one_of_them_is_0(monkeypatch):
    monkeypatch.setattr("pdeval.evaluate.summary.MANY", 100)
    values = np.append(np.full(50, -np.inf), np.log(np.linspace(0.1, 1, 100)))
    assert np.exp(worst_share(values[:, None], 0.5, draws=100)).ravel().tolist() == [0, 0, 0]


def test_the_size_of_a_block_of_resamples_changes_nothing(monkeypatch):
    values = np.random.default_rng(6).random((36, 2))
    whole = worst_share(values, 0.3, draws=50)
    monkeypatch.setattr("pdeval.evaluate.summary.CELLS", 1)
    np.testing.assert_array_equal(worst_share(values, 0.3, draws=50), whole)


def test_a_query_that_does_not_count_is_left_out():
    values = np.array([[0.1, 0.4], [0.5, np.nan], [0.3, 0.2], [0.7, np.nan]])
    found = quantiles(scores(values), None, at=0.5, worst=0.5)
    assert found["n"].tolist() == [4, 4, 2, 2]
    np.testing.assert_allclose(found["value"], [0.4, 0.2, 0.3, 0.2])
    assert found["ci_low"].isna().all()


@pytest.mark.parametrize(
    ("queries", "share", "there"),
    [
        (10, 0.1, False),
        (99, 0.1, False),
        (100, 0.1, True),
        (48, 0.25, True),
        (9, 1.0, False),
        (10, 1.0, True),
    ],
)
def test_a_share_of_fewer_than_ten_queries_has_no_interval(queries, share, there):
    values = np.random.default_rng(2).random((queries, 1))
    value, low, high = (one.item() for one in worst_share(values, share, draws=50))
    assert value == pytest.approx(worst_by_hand(values[:, 0], share), abs=1e-12)
    assert [np.isnan(low), np.isnan(high)] == [not there] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("queries", "share", "least"), [(100, 0.1, 0.87), (40, 0.25, 0.87), (200, 0.1, 0.90)]
)
def test_the_interval_of_the_worst_share_holds_it_as_often_as_its_documentation_says(
    queries, share, least
):
    for drawn in (stats.uniform(), stats.beta(2, 5), stats.beta(0.6, 1.2)):
        truth = drawn.ppf((np.arange(100_000) + 0.5) / 100_000 * share).mean()
        values = drawn.rvs((queries, 1000), random_state=np.random.default_rng(7))
        _, low, high = worst_share(values, share, draws=300)
        assert least < ((low <= truth) & (truth <= high)).mean() < 0.97


def test_an_infinite_search_length_is_the_worst_there_is():
    found = JUDGED.quantiles("ISL", at=[0.1, 0.5], worst=[0.02], draws=50)
    table = JUDGED.measure("ISL")["value"].to_numpy().reshape(12, 48)
    assert found["value"][1::3].tolist() == np.median(table, axis=1).tolist()
    np.testing.assert_allclose(found["value"][2::3], table.max(axis=1), rtol=1e-14)
    rows = [[np.inf]] * 14 + [[1.0]] * 7
    lost = quantiles(scores(rows, higher=False, measures=("ISL",)), None, at=0.5, worst=0.5)
    assert lost["value"].tolist() == [np.inf, np.inf]
    assert lost["ci_high"].tolist()[1] == np.inf


def test_the_worst_share_of_a_geometric_mean_is_geometric():
    found = JUDGED.quantiles("GMAP", at=None, worst=[1, 0.5], draws=20)
    np.testing.assert_allclose(found["value"][::2], JUDGED.summary("GMAP")["mean"], rtol=1e-12)
    values = JUDGED.measure("GMAP").query("run == 'bm25'")["value"].sort_values().to_numpy()
    assert found["value"][1] == pytest.approx(np.exp(np.log(values[:24]).mean()), rel=1e-12)


def test_the_table_is_the_one_declared_and_carries_what_its_numbers_rest_on():
    found = JUDGED.quantiles(["AP", "RR"], at=[0.5], worst=[0.1, 0.5], draws=10)
    assert faults(SCHEMAS["quantiles"], found, {"run": ["run"]}) == []
    assert found["statistic"].tolist()[:3] == ["quantile", "worst", "worst"]
    assert found["fraction"].tolist()[:3] == [0.5, 0.1, 0.5]
    assert found.attrs["measures"].keys() == {"AP", "RR"}


def test_scores_and_runs_give_the_same_quantiles():
    pd.testing.assert_frame_equal(
        JUDGED.quantiles("AP", draws=20),
        JUDGED.measure("AP").ireval.quantiles(draws=20),
        check_categorical=False,
    )


def test_quantiles_of_groups_and_of_systems_with_replicates():
    runs, qrels, metadata = pdeval.datasets.load_sample()
    scores = runs.ireval.measure(qrels, "AP", queries="common")
    found = scores.ireval.quantiles(
        by="family", metadata=metadata, replicate="run", worst=0.5, at=None, draws=10
    )
    means = scores.merge(metadata).groupby(["family", "query_id"])["value"].mean().groupby("family")
    wanted = means.apply(lambda one: one.sort_values().head(24).mean())
    assert found["family"].tolist() == wanted.index.tolist()
    np.testing.assert_allclose(found["value"], wanted, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"at": 1.5}, r"at=1.5: expected a fraction between 0 and 1; 1.5% is 0.015"),
        ({"at": 1}, "at=1.0: expected a fraction between 0 and 1"),
        ({"worst": [0.1, 0]}, "worst=0.0: expected a fraction between 0 and 1"),
        ({"at": None, "worst": None}, "at= and worst= are both empty. Pass a fraction"),
        ({"draws": -1}, "draws=-1: expected an integer of at least 0"),
        ({"confidence": 95}, "confidence=95: expected a fraction between 0 and 1; 95% is 0.95"),
    ],
)
def test_what_is_no_share_is_refused(options, says):
    with pytest.raises(ValueError, match=says):
        JUDGED.quantiles("AP", **options)


def test_preferences_have_no_quantiles():
    with pytest.raises(ValueError, match=r"quantiles\(\) needs measures of one ranking"):
        JUDGED.quantiles("RPP")
