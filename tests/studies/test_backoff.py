"""Masked agreement by hand; locality against numpy and statsmodels over all pairs."""

import numpy as np
import pytest
import statsmodels.api as sm

import pdeval
from pdeval.evaluate.pairs import select
from pdeval.studies.ties import locality, masked
from tests.studies.rankings import inf, judged, random_judged

FOUND = judged(
    {
        # first relevant: a 1, b 2, c 2, d 3
        "q": {"a": [1, 5, 9], "b": [2, 5, 8], "c": [2, 4, 9], "d": [3, 6, inf]},
        # one relevant item: nothing after it foretells
        "s": {"a": [1], "b": [2], "c": [2], "d": [inf]},
    }
)


def test_masked_agreement_foretells_the_first_item_from_those_after_it():
    table = masked(FOUND, per="query").set_index(["measure", "query_id"])
    # q, pairs with different first items: ab+ ac+ ad+ bd+ cd+
    # from (5,9) (5,8) (4,9) (6,inf): ab - miss, ac - miss, ad + hit, bd + hit, cd + hit
    assert table.loc[("sgnLP", "q")].tolist() == [5, pytest.approx(3 / 5)]
    # second item alone: ab tied, miss; the rest as before
    assert table.loc[("RR(i=2)", "q")].tolist() == [5, pytest.approx(3 / 5)]
    assert table.loc[("sgnLP", "s")].tolist() == [5, 0.0]


def test_masked_agreement_breaks_ties_of_the_second_item():
    found = judged({"q": {"a": [1, 5, 8], "b": [2, 5, 9]}})
    assert masked(found)["agreement"].tolist() == [1.0, 0.0]


def test_masked_agreement_over_all_queries_weighs_pairs_alike():
    table = masked(FOUND)
    assert table["measure"].tolist() == ["sgnLP", "RR(i=2)"]
    assert table["pairs"].tolist() == [10, 10]
    assert table["agreement"].tolist() == pytest.approx([0.3, 0.3])


def test_masked_agreement_without_a_pair_to_foretell_is_undefined():
    table = masked(judged({"q": {"a": [1, 5], "b": [1, 6]}}))
    assert table["pairs"].tolist() == [0, 0]
    assert table["agreement"].isna().all()


@pytest.mark.filterwarnings("ignore:2 of 50 judged queries")
def test_lexicographic_precision_foretells_better_than_the_second_item_alone():
    joined = pdeval.datasets.sample_judged()
    first, second = masked(joined)["agreement"]
    assert 0.5 < second < first < 1


def differences(found, levels):
    """Return the differences at each level over the pairs of the queries that have it: NaN where they have not."""
    cube = select(found, [f"RR(i={i})" for i in range(1, levels + 1)]).cube()
    topic = found.positions.judged.topic[found.positions.relevant()]
    m = np.bincount(topic, minlength=len(found.queries))
    values = cube.values.copy()
    for i in range(levels):
        values[i, m < i + 1] = np.nan
    return values.reshape(levels, -1)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_correlations_are_taken_about_zero_over_all_pairs(seed):
    found = random_judged(np.random.default_rng(seed), queries=20, runs=6)
    d = differences(found, 4)
    table = locality(found, levels=4)
    assert table[["recall_a", "recall_b"]].to_numpy().tolist() == [
        [1, 2],
        [1, 3],
        [1, 4],
        [2, 3],
        [2, 4],
        [3, 4],
    ]
    for a, b, pairs, r in table.itertuples(index=False):
        x, y = d[a - 1], d[b - 1]
        known = ~np.isnan(x) & ~np.isnan(y)
        assert pairs == known.sum()
        x, y = x[known], y[known]
        assert r == pytest.approx(x @ y / np.sqrt((x @ x) * (y @ y)))


def test_regressions_equal_ordinary_least_squares_through_zero_over_all_pairs():
    found = random_judged(np.random.default_rng(5), queries=40, runs=6)
    d = differences(found, 4)
    table = locality(found, kind="regression", levels=4, ahead=2)
    assert table[["recall", "ahead"]].to_numpy().tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]
    for i in (1, 2):
        known = ~np.isnan(d[i + 1])
        fit = sm.OLS(d[i - 1][known], d[i : i + 2, known].T).fit()
        rows = table[table["recall"] == i]
        assert rows["pairs"].tolist() == [known.sum()] * 2
        assert rows["coefficient"].tolist() == pytest.approx(fit.params.tolist())
        assert rows["std_error"].tolist() == pytest.approx(fit.bse.tolist())
        assert rows["r_squared"].iloc[0] == pytest.approx(fit.rsquared)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("order", [(4, 3, 2, 1, 0), (1, 2, 3, 4, 0), (2, 0, 4, 1, 3)])
@pytest.mark.parametrize("kind", ["correlation", "regression"])
def test_locality_does_not_depend_on_how_runs_are_named(seed, kind, order):  # issue 12, item 3
    found = random_judged(np.random.default_rng(seed), queries=20, runs=5)
    table, qrels = found.tables
    # reversing all names turns every pair around, which Pearson's r survives; moving one run to the front does not
    names = {f"run{i}": f"run{at}" for i, at in enumerate(order)}
    turned = table.frame.assign(run=table.frame["run"].map(names)).ireval.join(qrels.frame)
    one, other = (locality(join, kind=kind, levels=4, ahead=2) for join in (found, turned))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_two_runs_have_a_correlation_and_ties_have_none():  # issue 12, items 3 and 13
    table = locality(judged({"q": {"a": [1, 5, 7], "b": [2, 6, 7]}}), levels=3)
    assert table["pairs"].tolist() == [1, 1, 1]
    assert table["r"].iloc[0] == pytest.approx(1.0)
    assert table["r"].isna().tolist() == [False, True, True]  # the third items are at the same rank
    sample = pdeval.datasets.sample_runs()
    two = sample[sample["run"].isin(["bm25", "ql"])].ireval.join(
        pdeval.datasets.sample_qrels(), queries="common"
    )
    assert np.isfinite(two.agree.locality()["r"]).all()
    for kind in ("correlation", "regression"):
        small = two.positions.keep_topics(np.arange(len(two.queries)) == 0)
        assert not np.isinf(locality(two.on(small), kind=kind).select_dtypes("float")).any(
            axis=None
        )


def test_a_level_that_no_query_has_is_undefined():
    table = locality(judged({"q": {"a": [1, 5], "b": [2, 6], "c": [2, 4]}}), levels=3)
    assert table["pairs"].tolist() == [3, 0, 0]
    assert table["r"].isna().tolist() == [False, True, True]


def test_runs_that_do_not_count_are_in_no_pair():
    found = judged(
        {
            "q": {"a": [1, 2], "x": None, "b": [2, 5], "c": [3, 4]},
            "s": {"a": [1], "x": [2], "b": [3], "c": [4]},
        }
    )
    only = judged({"q": {"a": [1, 2], "b": [2, 5], "c": [3, 4]}})
    assert locality(found.at(queries="answered"), levels=2)["r"].item() == pytest.approx(
        locality(only, levels=2)["r"].item()
    )


def test_options_that_make_no_sense_are_named():
    with pytest.raises(
        ValueError,
        match=r"levels=4 leaves nothing to compare. Use at least 2 levels, and more than ahead=4",
    ):
        locality(FOUND, kind="regression", levels=4)
    with pytest.raises(ValueError, match=r"kind='pearson': choose 'correlation' or 'regression'."):
        FOUND.agree.locality(kind="pearson")
    with pytest.raises(ValueError, match=r"ahead=0: expected an integer of at least 1."):
        FOUND.agree.locality(ahead=0)
    with pytest.raises(ValueError, match=r"per='run': choose 'all' or 'query'."):
        FOUND.agree.masked(per="run")


@pytest.mark.parametrize("values", ["difference", "sign"])
@pytest.mark.parametrize("cascaded", [False, True])
def test_regressions_on_cascaded_data_and_on_signs_equal_least_squares(
    values, cascaded, monkeypatch
):
    monkeypatch.setattr("pdeval.studies.ties.CELLS", 50)  # in several blocks of pairs
    found = random_judged(np.random.default_rng(5), queries=60, runs=6)
    d = differences(found, 4)
    used = np.sign(d) if values == "sign" else d
    table = locality(found, kind="regression", levels=4, ahead=2, values=values, cascaded=cascaded)
    for i in (1, 2):
        known = ~np.isnan(d[i + 1])
        if cascaded:
            known &= (d[: i - 1] == 0).all(axis=0)
        fit = sm.OLS(used[i - 1][known], used[i : i + 2, known].T).fit()
        rows = table[table["recall"] == i]
        assert rows["pairs"].tolist() == [known.sum()] * 2
        assert rows["coefficient"].tolist() == pytest.approx(fit.params.tolist(), abs=1e-12)
        assert rows["std_error"].tolist() == pytest.approx(fit.bse.tolist())


def test_correlations_of_signs_are_taken_about_zero():
    found = random_judged(np.random.default_rng(2), queries=20, runs=6)
    d = np.sign(differences(found, 3))
    for a, b, pairs, r in locality(found, levels=3, values="sign").itertuples(index=False):
        x, y = (d[i - 1][~np.isnan(d[b - 1])] for i in (a, b))
        assert pairs == len(x)
        assert r == pytest.approx(x @ y / np.sqrt((x @ x) * (y @ y)))


def test_correlations_of_cascaded_data_are_refused():
    with pytest.raises(ValueError, match=r"cascaded=True requires kind='regression'"):
        locality(FOUND, cascaded=True)
