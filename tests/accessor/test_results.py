import numpy as np
import pandas as pd
import pytest

import pdeval


@pytest.fixture(scope="module")
def tables():
    return pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()


@pytest.fixture(scope="module")
def joined():
    return pdeval.datasets.sample_runs().ireval.join(
        pdeval.datasets.sample_qrels(), queries="common"
    )


@pytest.fixture(scope="module")
def scores(joined):
    return joined.measure(["AP", "RR", "ISL"])


@pytest.fixture(scope="module")
def prefer(joined):
    return joined.prefer(["RPP", "AP"])


def test_some_of_the_measures_may_be_asked_for_in_any_order(scores):
    assert scores.ireval.order(measures="RR")["measure"].unique().tolist() == ["RR"]
    assert scores.ireval.order(measures=["RR", "AP"])["measure"].unique().tolist() == ["RR", "AP"]
    assert scores.ireval.compare(measures=["RR", "AP"], baseline="bm25")[
        "measure"
    ].unique().tolist() == ["RR", "AP"]


def test_a_measure_that_the_table_lacks_is_an_error(scores):
    with pytest.raises(KeyError, match="no measure 'P@5' in this table; it has 'AP', 'RR', 'ISL'"):
        scores.ireval.order(measures="P@5")


def test_a_method_is_named_as_one(scores, prefer):
    assert scores.ireval.order(method="borda")["method"].unique().tolist() == ["borda"]
    assert prefer.ireval.order(method=["winrate", "mc4"])["method"].unique().tolist() == [
        "winrate",
        "mc4",
    ]
    with pytest.raises(
        ValueError, match=r"'borda' is an ordering, not a measure\. Use order\(method='borda'\)"
    ):
        scores.ireval.order("borda")


def test_less_is_better_where_the_measure_says_so(scores):
    order = scores.ireval.order(measures="ISL")
    assert order["score"].is_monotonic_increasing
    assert order["rank"].tolist() == sorted(order["rank"])


@pytest.mark.parametrize("verb", ["order", "compare", "discriminative_power", "anova"])
def test_tables_whose_numbers_are_computed_take_no_rules_of_a_join(scores, verb):
    with pytest.raises(
        TypeError, match=rf"{verb}\(\) has no option 'level'\. .*values of this table are already"
    ):
        getattr(scores.ireval, verb)(level=2)


@pytest.mark.parametrize("compat", ["trec_eval-9", "no such"])
def test_an_ordering_of_scores_has_no_compat_but_pref_eval(scores, compat):
    with pytest.raises(ValueError, match=r"order\(\) of a table expects 'pref_eval' or None\."):
        scores.ireval.order(compat=compat)


def test_an_unknown_compat_of_runs_is_an_error():
    with pytest.raises(
        ValueError, match="compat='pref-eval': choose 'trec_eval-10', 'trec_eval-9' or 'pref_eval'"
    ):
        pdeval.datasets.sample_runs().ireval.order(
            pdeval.datasets.sample_qrels(), "RPP", compat="pref-eval"
        )


@pytest.mark.broad
def test_tables_in_any_order_of_rows_give_the_same_results(scores, prefer):
    for table in (scores, prefer):
        mixed = table.sample(frac=1, random_state=2)
        pd.testing.assert_frame_equal(
            mixed.ireval.order(method="borda"), table.ireval.order(method="borda")
        )
        pd.testing.assert_frame_equal(mixed.ireval.compare(), table.ireval.compare())
    pd.testing.assert_frame_equal(
        scores.sample(frac=1, random_state=2).ireval.summary(), scores.ireval.summary()
    )
    pd.testing.assert_frame_equal(
        prefer.sample(frac=1, random_state=2).ireval.summary(), prefer.ireval.summary()
    )


def test_tables_read_back_from_a_file_give_the_same_results(scores, prefer, tmp_path):
    scores.to_csv(tmp_path / "scores.csv", index=False)
    prefer.to_csv(tmp_path / "prefer.csv", index=False)
    again = pd.read_csv(tmp_path / "scores.csv", dtype={"query_id": str})
    assert again.ireval.order()["run"].tolist() == scores.ireval.order()["run"].tolist()
    again = pd.read_csv(tmp_path / "prefer.csv", dtype={"query_id": str})
    assert again.ireval.summary()["mean"].tolist() == pytest.approx(
        prefer.ireval.summary()["mean"].tolist(), abs=1e-12
    )


def test_scores_under_other_names_are_bound(scores):
    renamed = scores.rename(
        columns={"run": "system", "query_id": "topic_no", "measure": "metric", "value": "x"}
    )
    renamed.attrs.clear()
    bound = renamed.ireval(run="system", query="topic_no", measure="metric", value="x")
    assert bound.order()["system"].tolist() == scores.ireval.order()["run"].tolist()
    assert list(bound.summary(wide=True)) == ["system", "AP", "RR", "ISL"]
    assert (
        bound.compare(baseline="bm25")["p_value"].tolist()
        == scores.ireval.compare(baseline="bm25")["p_value"].tolist()
    )


def test_a_binding_may_be_added_to(scores):
    renamed = scores.rename(columns={"run": "system", "query_id": "topic_no"})
    bound = renamed.ireval(run="system")(query="topic_no")
    assert bound.order()["system"].nunique() == 12


def test_the_mean_is_the_summary_on_every_accessor(scores, joined):
    expected = scores.ireval.summary()
    pd.testing.assert_frame_equal(scores.ireval.mean(), expected)
    measures = expected["measure"].unique().tolist()
    pd.testing.assert_frame_equal(joined.mean(measures), expected)
    with pytest.raises(AttributeError, match=r"summary\(\) needs"):
        expected.ireval.mean()


def test_the_matrix_of_scores_is_refused(scores):
    with pytest.raises(AttributeError, match=r"matrix\(\) needs a preferences table"):
        scores.ireval.matrix()


def test_correlations_work_on_orders_scores_preferences_and_runs(scores, prefer, joined):
    from_scores = scores.ireval.correlate(measures=["AP", "RR"])
    from_orders = scores.ireval.order(measures=["AP", "RR"]).ireval.correlate()
    assert from_scores["value"].tolist() == from_orders["value"].tolist()
    assert len(prefer.ireval.correlate()) == 1
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    from_runs = runs.ireval.correlate(qrels, ["AP", "RR"], queries="common")
    assert from_runs["value"].tolist() == pytest.approx(from_scores["value"].tolist())


@pytest.mark.filterwarnings("ignore:2 of 50 judged queries")
def test_the_family_of_everything_holds_metrics_and_preferences_alike(tables):
    runs, qrels = tables
    measures = ["AP", "RPP", "RR", "sgnLP"]
    joined = runs[runs["run"].isin(["bm25", "ql", "tfidf"])].ireval.join(qrels)
    table = joined.compare(measures, family="all", correction="bonferroni")
    assert table["measure"].unique().tolist() == measures
    np.testing.assert_allclose(
        table["p_adjusted"], np.minimum(12 * table["p_value"], 1.0), rtol=1e-12
    )
    by_measure = joined.compare(measures, correction="bonferroni")
    np.testing.assert_allclose(
        by_measure["p_adjusted"], np.minimum(3 * table["p_value"], 1.0), rtol=1e-12
    )
    assert joined.compare(measures, test="hsd", draws=9).attrs["family"] == "measure"


@pytest.mark.filterwarnings("ignore:2 of 50 judged queries")
def test_power_of_metrics_and_preferences_comes_test_by_test_in_the_order_asked(tables):
    runs, qrels = tables
    joined = runs[runs["run"].isin(["bm25", "ql", "tfidf"])].ireval.join(qrels)
    measures = ["AP", "RPP", "RR", "sgnLP"]
    table = joined.discriminative_power(measures, tests=["default", "wilcoxon"])
    assert table["measure"].tolist() == measures * 2
    assert table["test"].tolist() == ["t", "t", "t", "sign"] + ["wilcoxon"] * 4
    assert table.index.equals(pd.RangeIndex(8))
    curve = joined.discriminative_power.curve(measures, tests="default")
    assert curve["measure"].drop_duplicates().tolist() == measures
    assert curve.index.equals(pd.RangeIndex(12))
    assert curve["pair"].tolist() == [1, 2, 3] * 4
    assert (curve.groupby("measure", observed=True)["p_value"].diff().dropna() <= 0).all()


def test_infinite_preferences_order_nothing_and_say_so(tables):
    runs, qrels = tables
    prefs = runs[runs["run"].isin(["bm25", "hybrid", "tfidf"])].ireval.prefer(qrels, "TSL")
    with pytest.raises(
        ValueError, match=r"measure 'TSL' has \d+ infinite values, which have no mean"
    ):
        prefs.ireval.order()


@pytest.mark.filterwarnings("ignore:2 of 50 judged queries")
def test_headroom_counts_the_collections_of_a_column(tables):
    runs, qrels = tables
    scores = runs.ireval.measure(qrels, ["AP", "P@20"])
    both = pd.concat([scores.assign(site="a"), scores.assign(site="b", value=scores["value"] / 2)])
    table = both.ireval.search_lengths.headroom("AP", by="site")
    best = scores[scores["measure"] == "AP"].groupby("run", observed=True)["value"].mean().max()
    assert table["measure"].unique().tolist() == ["AP"]
    full = table[table["count"] > 0]
    assert full["low"].tolist() == [np.floor(5 * best) / 10, np.floor(10 * best) / 10]
    assert full["fraction"].tolist() == [0.5, 0.5]
    with pytest.raises(KeyError, match="no column 'city' in this table; it has run, query_id"):
        both.ireval.search_lengths.headroom(by="city")
