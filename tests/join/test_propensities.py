"""The propensity column of judgments: bound, checked, and read only by measures that ask for it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.join import blocks

RUNS = pd.DataFrame(
    {"user_id": ["u"] * 3 + ["v"] * 2, "item_id": list("abcab"), "score": [3.0, 2, 1, 2, 1]}
)
CLICKS = pd.DataFrame(
    {
        "user_id": list("uuvv"),
        "item_id": list("acbz"),
        "propensity": [0.5, 0.25, 1.0, 0.2],
        "rating": [1, 1, 1, 1],
    }
)


def values(qrels, *measures, runs=RUNS, **options):
    return runs.ireval.measure(qrels, list(measures), **options)["value"].tolist()


def test_every_relevant_item_counts_one_over_its_propensity():
    assert values(CLICKS, "wR@2") == [2 / 6, 1 / 6]
    assert values(CLICKS, "wR(norm=none)@2") == [2.0, 1.0]
    assert values(CLICKS, "wDCG") == [2.0 / 1 + 4.0 / 2, 1 / np.log2(3)]
    assert values(CLICKS.drop(columns="rating"), "wR@2") == [2 / 6, 1 / 6]  # implicit feedback
    assert values(CLICKS.rename(columns={"propensity": "p"}).ireval(propensity="p"), "wR@2") == [
        2 / 6,
        1 / 6,
    ]


def test_weights_follow_items_whatever_the_order_of_rows_and_the_part_of_the_join():
    rng = np.random.default_rng(3)
    pairs = pd.MultiIndex.from_product(
        [range(9), range(20)], names=["user_id", "item_id"]
    ).to_frame(index=False)
    runs = pd.concat([pairs.assign(run=run, score=rng.random(len(pairs))) for run in "xy"])
    qrels = pairs.assign(
        rating=rng.integers(0, 3, len(pairs)), propensity=rng.uniform(0.1, 1, len(pairs))
    )
    plain = runs.merge(qrels.rename(columns={"rating": "grade"}), on=["user_id", "item_id"])
    plain["rank"] = plain.groupby(["run", "user_id"])["score"].rank(ascending=False)
    plain["w"] = np.where(plain["grade"] >= 2, 1 / plain["propensity"], 0.0)
    grouped = (
        plain.assign(hit=plain["w"] * (plain["rank"] <= 5))
        .groupby(["run", "user_id"])[["hit", "w"]]
        .sum()
    )
    expected = (grouped["hit"] / grouped["w"]).tolist()
    shuffled = runs.sample(frac=1, random_state=0), qrels.sample(frac=1, random_state=1)
    found = shuffled[0].ireval.measure(shuffled[1], "wR@5", level=2).sort_values(["run", "user_id"])
    np.testing.assert_allclose(found["value"], expected, rtol=1e-12)
    some = runs[runs["user_id"] < 4].ireval.measure(qrels[qrels["user_id"] < 4], "wR@5", level=2)
    assert set(some["value"]) <= set(found["value"])
    assert runs.ireval.summary(qrels, "wR@5", level=2).shape[0] == 2


@pytest.mark.parametrize("wrong", [0.0, -0.1, 1.5, np.nan])
def test_what_is_no_probability_above_zero_is_refused(wrong):
    bad = CLICKS.assign(propensity=[0.5, wrong, 1.0, 0.2])
    with pytest.raises(
        ValueError,
        match=r"^column 'propensity' of the judgments has 1 propensities of relevant items outside "
        r"\(0, 1\], e\.g\. .* for \('u', 'c'\)\. Drop",
    ):
        values(bad, "wR@2")
    values(bad, "R@2")  # nobody asked for it
    values(bad.assign(rating=[1, 0, 1, 1]), "wR@2")  # an item that is not relevant never counts


def test_a_missing_column_two_values_of_one_item_and_unknown_ties_are_refused():
    with pytest.raises(
        ValueError, match=r"no propensity column.*qrels\.ireval\(propensity=\.\.\.\)"
    ):
        values(CLICKS.drop(columns="propensity"), "wR@2")
    twice = pd.concat([CLICKS, CLICKS.head(1).assign(propensity=0.4)])
    with pytest.raises(
        ValueError, match=r"1 items with more than one propensity, e\.g\. \('u', 'a'\)"
    ):
        values(twice, "wR@2")
    with pytest.raises(ValueError, match="no closed form"):
        values(CLICKS, "wR@2", ties="expected")


def test_other_measures_never_read_propensities(monkeypatch):
    monkeypatch.setattr(blocks, "inverse_propensities", lambda positions: pytest.fail("read"))
    assert values(CLICKS, "R@2", "AP") == values(CLICKS.drop(columns="propensity"), "R@2", "AP")


@pytest.mark.extras
def test_on_dask_weights_are_refused_with_what_to_do():
    dd = pytest.importorskip("dask.dataframe")
    pytest.importorskip("pdeval.dask.accessor")
    with pytest.raises(
        ValueError, match=r"wR@2 needs the propensity of every judgment.*runs\.compute\(\)\.ireval"
    ):
        dd.from_pandas(RUNS, npartitions=2).ireval.measure(CLICKS, "wR@2")


def test_the_catalog_lists_the_weighed_measures():
    assert {"wR", "wDCG", "wAP", "wAUC"} <= set(pdeval.catalog()["name"])


def weights(qrels, runs=RUNS, keep=None):
    at = runs.ireval.join(qrels).positions
    at = at if keep is None else keep(at)
    docs, queries = at.judged.docs.index(), at.queries
    found = blocks.inverse_propensities(at)
    assert found.dtype == np.float64
    return {
        (queries[t], docs[d]): one
        for t, d, one in zip(at.judged.topic, at.judged.doc, found.tolist())
    }


@pytest.mark.parametrize("dtype", [object, "category"])
def test_every_judged_item_weighs_one_over_its_own_propensity_and_nothing_where_it_is_not_relevant(
    dtype,
):
    rng = np.random.default_rng(1)
    rows = [
        (user, item, int(rng.integers(-1, 3)), float(rng.integers(1, 9)) / 8)
        for user in "uvw"
        for item in "abcdz"
    ]
    qrels = pd.DataFrame(rows, columns=["user_id", "item_id", "rating", "propensity"]).sample(
        frac=1, random_state=0
    )
    wanted = {(user, item): 1 / share if grade > 0 else 0.0 for user, item, grade, share in rows}
    stored = qrels.astype({"user_id": dtype, "item_id": dtype})
    assert weights(stored) == wanted
    assert weights(pd.concat([stored, stored])) == wanted  # said twice alike
    some = weights(stored, keep=lambda at: at.keep_topics(np.array([False, True, False])))
    assert some == {key: one for key, one in wanted.items() if key[0] == "v"}
    for mask in (
        np.arange(15) % 3 > 0,
        np.arange(15) < 5,
        np.arange(15) >= 12,
    ):  # labels that were taken out since
        held = weights(stored, keep=lambda at, mask=mask: at.keep_items(mask))
        assert held == {key: wanted[key] for key in held}
        assert len(held) == mask.sum()


def test_the_limits_of_a_probability_and_the_first_wrong_one_are_told():
    assert weights(CLICKS.assign(propensity=[1.0, 1e-9, 1, 1])) == {
        ("u", "a"): 1.0, ("u", "c"): 1 / 1e-9, ("v", "b"): 1.0, ("v", "z"): 1.0
    }  # fmt: skip
    with pytest.raises(
        ValueError,
        match=r"has 2 propensities of relevant items .*, e\.g\. 1\.01 for \('u', 'c'\)\. Drop",
    ):
        weights(CLICKS.assign(propensity=[1.0, 1.01, 1, -1]))
    with pytest.raises(ValueError, match=r"has 1 propensities .* e\.g\. 'high' for \('v', 'z'\)"):
        weights(CLICKS.assign(propensity=pd.Series([1.0, 0.5, 1, "high"], dtype=object)))
    with pytest.raises(
        ValueError,
        match="propensities are read from the judgments table, which this join no longer",
    ):
        weights(CLICKS, keep=lambda at: replace(at, source=None))
    numbers = CLICKS.assign(user_id=[1, 1, 2, 2], item_id=[7, 8, 7, 9], propensity=[1.0, 1.5, 1, 1])
    with pytest.raises(ValueError, match=r"e\.g\. 1\.5 for \(1, 8\)\. Drop"):
        weights(numbers, RUNS.assign(user_id=1, item_id=range(7, 12)))
    twice = pd.concat([CLICKS, CLICKS.tail(2).assign(propensity=0.4)])
    with pytest.raises(
        ValueError, match=r"2 items with more than one propensity, e\.g\. \('v', 'b'\)"
    ):
        weights(twice)


@pytest.mark.parametrize("dtype", ["Float64", "float64[pyarrow]", object, "Int64"])
def test_propensities_are_read_whatever_type_they_are_held_in(dtype):
    whole = pd.Series([1, 1, None, 1], dtype=dtype)
    with pytest.raises(ValueError, match=r"has 1 propensities .* for \('v', 'b'\)\. Drop"):
        weights(CLICKS.assign(propensity=whole))
    assert weights(CLICKS.assign(propensity=whole.where(whole.notna(), 1))) == {
        ("u", "a"): 1.0, ("u", "c"): 1.0, ("v", "b"): 1.0, ("v", "z"): 1.0
    }  # fmt: skip


def test_one_item_of_two_users_has_two_propensities():
    qrels = pd.DataFrame(
        {"user_id": ["u", "v"], "item_id": "a", "rating": 1, "propensity": [0.5, 0.25]}
    )
    assert weights(qrels) == {("u", "a"): 2.0, ("v", "a"): 4.0}
