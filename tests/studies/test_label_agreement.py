"""Agreement of measures with labeled preferences of users."""

import numpy as np
import pandas as pd
import pytest

import pdeval


@pytest.fixture(scope="module")
def sample():
    return pdeval.datasets.sample_judged(queries="common")


def labels(judged, rows):
    names = judged.queries.name
    return pd.DataFrame(rows, columns=[names, "run_a", "run_b", "label"])


def test_agreement_is_counted_label_by_label(sample):
    truth = sample.prefer("AP", pairs=[("hybrid", "bm25"), ("ql", "bm25")])
    sign = np.sign(truth["value"].to_numpy())
    given = sign.copy()
    given[::4] *= -1  # every fourth label is wrong
    people = truth.drop(columns=["measure", "value"]).assign(label=given)
    table = sample.agree.labels(people, ["AP", "RR"])
    assert table["measure"].astype(str).tolist() == ["AP", "RR"]
    assert table["labels"].tolist() == [len(truth)] * 2
    assert table["agreement"][0] == (sign == given).mean()
    rr = np.sign(sample.prefer("RR", pairs=[("hybrid", "bm25"), ("ql", "bm25")])["value"])
    assert table["agreement"][1] == (rr == given).mean()
    assert table["tied"][1] == (rr == 0).mean()


def test_the_order_of_a_pair_and_of_rows_does_not_matter(sample):
    people = sample.prefer("RPP", baseline="bm25").drop(columns="measure")
    people = people.assign(label=np.sign(people["value"])).drop(columns="value")
    turned = people.rename(columns={"run_a": "run_b", "run_b": "run_a"})
    turned = turned.assign(label=-turned["label"]).sample(frac=1, random_state=0)
    expected = sample.agree.labels(people)
    pd.testing.assert_frame_equal(sample.agree.labels(turned), expected, check_exact=True)


def test_a_tie_agrees_with_a_tie_only(sample):
    truth = sample.prefer("RR", pairs=[("hybrid", "bm25")])
    people = truth.drop(columns=["measure", "value"]).assign(label=0)
    table = sample.agree.labels(people, "RR")
    assert table["agreement"][0] == (truth["value"] == 0).mean() == table["tied"][0]
    words = people.drop(columns="label").assign(winner="tie")
    pd.testing.assert_frame_equal(sample.agree.labels(words, "RR"), table)


def test_the_interval_treats_queries_as_the_unit(sample):
    people = sample.prefer("RPP", pairs=[("hybrid", "bm25")]).drop(columns="measure")
    people = people.assign(label=np.sign(people["value"])).drop(columns="value")
    once = sample.agree.labels(people, "AP")
    # ten assessors who say the same add labels, and no information
    often = sample.agree.labels(pd.concat([people] * 10), "AP")
    assert often["labels"][0] == 10 * once["labels"][0]
    rate = ["agreement", "ci_low", "ci_high"]
    np.testing.assert_allclose(often[rate], once[rate], rtol=1e-12)
    # one label per query: the interval of a mean
    agrees = np.sign(sample.prefer("AP", pairs=[("hybrid", "bm25")])["value"]) == people["label"]
    from scipy import stats

    n = len(agrees)
    half = stats.t.ppf(0.975, n - 1) * agrees.std(ddof=1) / np.sqrt(n)
    assert once["ci_low"][0] == pytest.approx(agrees.mean() - half, abs=1e-12)


USERS = {"one item": "RR", "many items": "RPP", "first items": "invRPP"}


@pytest.mark.parametrize("population", USERS)
def test_the_measure_of_the_users_agrees_most_with_them(sample, population):
    """Users follow one measure in 9 of 10 labels, and the other run in the rest."""
    truth = sample.prefer(USERS[population]).drop(columns="measure")
    truth = truth[truth["value"] != 0]
    flips = np.where(np.random.default_rng(0).random(len(truth)) < 0.1, -1, 1)
    people = truth.assign(label=np.sign(truth["value"]) * flips).drop(columns="value")
    measures = ["RPP", "AP", "RR", "nDCG", USERS[population]]
    table = sample.agree.labels(people, list(dict.fromkeys(measures)))
    best = table.loc[table["agreement"].idxmax()]
    assert best["measure"] == USERS[population]
    assert best["ci_low"] < 0.9 < best["ci_high"] or abs(best["agreement"] - 0.9) < 0.01


@pytest.mark.parametrize(
    ("rows", "error", "text"),
    [
        ([("101", "hybrid", "nobody", 1)], KeyError, "nobody"),
        ([("999", "hybrid", "bm25", 1)], ValueError, "queries without judgments"),
        ([("101", "hybrid", "bm25", 2)], ValueError, r"1 labels are outside of -1 to 1, e\.g\. 2"),
        (
            [("101", "hybrid", "hybrid", 1)],
            ValueError,
            r"compare a run with itself, e\.g\. 'hybrid'",
        ),
        ([("101", "hybrid", "bm25", "c")], ValueError, "unknown winner 'c'"),
        ([("101", "hybrid", "bm25", np.nan)], ValueError, "there are no labeled preferences"),
    ],
)
def test_labels_that_cannot_be_used_are_refused(sample, rows, error, text):
    with pytest.raises(error, match=text):
        sample.agree.labels(labels(sample, rows), "AP")


def test_one_query_has_no_interval(sample):
    table = sample.agree.labels(labels(sample, [("101", "hybrid", "bm25", 1)]), "AP")
    assert table["queries"].tolist() == [1]
    assert table[["ci_low", "ci_high"]].isna().all(axis=None)


def test_clicks_are_labels(sample):
    runs = pdeval.datasets.sample_runs()
    lists = runs.ireval.interleave(pairs=[("hybrid", "bm25")], draws=3, seed=1)
    clicks = lists.ireval.simulate_clicks(pdeval.datasets.sample_qrels(), seed=2)
    preferences = clicks.ireval.credit(lists).ireval.preferences()
    table = sample.agree.labels(preferences, "RPP")
    assert 0.5 < table["agreement"][0] <= 1
