"""Coefficients from sums of queries: equal to the coefficient itself, on every query, and on resamples."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from pdeval.judgments import agreement as tallies
from pdeval.judgments.agreement import COEFFICIENTS, of_each_unit, resampled
from pdeval.judgments.labels import coded, units_of
from pdeval.tables.reader import read
from pdeval.verbs.arguments import TooFew


def drawn(seed=0, n=300, queries=7, labels=4):
    """Labels of a few assessors with gaps: some items have one, some five."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "query_id": rng.integers(0, queries, n),
            "doc_id": rng.integers(0, 9, n),
            "assessor": rng.integers(0, 6, n),
            "label": rng.integers(0, labels, n),
        }
    )
    return frame.drop_duplicates(["query_id", "doc_id", "assessor"])


def repeated(labels, unit, times):
    """Labels of a bootstrap sample: an item that was drawn twice is two items."""
    rows = [row for row, item in enumerate(labels.item) for _ in range(times[unit[item]])]
    copies = [copy for item in labels.item for copy in range(times[unit[item]])]
    taken = labels.take(np.array(rows, dtype=np.int64))
    item = np.unique(taken.item * 1000 + np.array(copies), return_inverse=True)[1]
    return taken._replace(item=item)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_tally_of_everything_is_the_coefficient(name):
    found, _, _ = coded(read(drawn(), "labels"))
    one = COEFFICIENTS[name]
    together = of_each_unit(one, found, np.zeros(found.item.max() + 1, dtype=np.int64))[:, 0]
    np.testing.assert_allclose(together, one.function(one.counted(found)), atol=1e-12)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_agreement_by_query_is_that_of_each_query_alone(name):
    frame = drawn(n=120)
    found = frame.ireval.agreement.by_query(name)
    assert found["query_id"].tolist() == sorted(frame["query_id"].unique())
    for row in found.itertuples():
        own = frame[frame["query_id"] == row.query_id]
        # Fleiss looks at the items with the most common number of labels of the whole table
        if name != "fleiss":
            alone = own.ireval.agreement(name).iloc[0]
            assert getattr(row, name) == pytest.approx(alone["value"], abs=1e-12, nan_ok=True)
            assert [row.items, row.assessors, row.labels] == alone[
                ["items", "assessors", "labels"]
            ].tolist()


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_resample_is_the_coefficient_of_repeated_queries(name):
    table = read(drawn(n=90, queries=5), "labels")
    found, _, _ = coded(table)
    unit, what = units_of(table, found)
    assert what == "query"
    one = COEFFICIENTS[name]
    part = one.counted(found)
    fast = resampled(one, part, unit, 20, 3)
    often = np.random.default_rng(3).multinomial(5, np.full(5, 1 / 5), size=20)
    slow = [one.function(repeated(part, unit, times)).kappa for times in often]
    if name == "fleiss":  # repeated items keep their number of labels
        slow = [
            COEFFICIENTS["scott"].function(repeated(part, unit, times)).kappa for times in often
        ]
    np.testing.assert_allclose(fast, slow, atol=1e-12)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_blocks_change_nothing(name, monkeypatch):
    frame = drawn(n=150)
    whole = frame.ireval.agreement(name, draws=50), frame.ireval.agreement.by_query(name)
    monkeypatch.setattr(tallies, "CELLS", 60)
    parts = frame.ireval.agreement(name, draws=50), frame.ireval.agreement.by_query(name)
    for one, other in zip(whole, parts, strict=True):
        pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize(
    ("name", "weights"), [("cohen_linear", "linear"), ("cohen_quadratic", "quadratic")]
)
def test_weighted_kappas_are_those_of_statsmodels(name, weights):
    confusion = np.array([[20, 5, 1], [3, 30, 8], [0, 6, 27]])
    first, second = (np.repeat(axis.ravel(), confusion.ravel()) for axis in np.indices((3, 3)))
    frame = pd.DataFrame({"item": np.arange(100), "a": first, "b": second})
    table = frame.melt("item", var_name="assessor", value_name="label")
    oracle = cohens_kappa(confusion, wt=weights, return_results=False)
    assert table.ireval.agreement(name)["value"].iloc[0] == pytest.approx(oracle, abs=1e-12)


@pytest.mark.broad
def test_an_interval_holds_the_value_and_says_what_was_drawn():
    frame = drawn(labels=2)
    found = frame.ireval.agreement(draws=300)
    assert (found["ci_low"] <= found["value"]).all()
    assert (found["value"] <= found["ci_high"]).all()
    assert {name: found.attrs[name] for name in ("draws", "seed", "resample", "confidence")} == {
        "draws": 300, "seed": 0, "resample": "query", "confidence": 0.95,
    }  # fmt: skip
    pd.testing.assert_frame_equal(
        found, frame.sample(frac=1, random_state=1).ireval.agreement(draws=300)
    )
    pd.testing.assert_frame_equal(
        found.drop(columns=["ci_low", "ci_high"]), frame.ireval.agreement()
    )
    items = frame.ireval.agreement("scott", draws=300, resample="item")
    assert items.attrs["resample"] == "item"
    assert (
        frame.drop(columns="query_id")
        .drop_duplicates(["doc_id", "assessor"])
        .ireval.agreement("scott", draws=20)
        .attrs["resample"]
        == "item"
    )


def test_items_of_a_query_that_are_alike_make_the_interval_over_queries_wider():
    rng = np.random.default_rng(2)
    hard = np.repeat(rng.random(12) < 0.5, 20)  # on a hard query the two toss a coin
    truth = rng.integers(0, 2, 240)
    other = np.where(hard, rng.integers(0, 2, 240), truth)
    frame = pd.DataFrame(
        {"query_id": np.repeat(np.arange(12), 20), "doc_id": np.arange(240), "a": truth, "b": other}
    )
    table = frame.melt(["query_id", "doc_id"], var_name="assessor", value_name="label")
    wide, narrow = (
        table.ireval.agreement("cohen", draws=500, resample=what).iloc[0]
        for what in ("query", "item")
    )
    assert wide["ci_high"] - wide["ci_low"] > 1.5 * (narrow["ci_high"] - narrow["ci_low"])


def test_parts_have_their_own_intervals():
    frame = pd.concat([drawn(1).assign(task="a"), drawn(2).assign(task="b")])
    found = frame.ireval.agreement("scott", by="task", draws=100)
    for task, seed in (("a", 1), ("b", 2)):
        alone = drawn(seed).ireval.agreement("scott", draws=100)
        own = found[found["task"] == task].drop(columns="task").reset_index(drop=True)
        pd.testing.assert_frame_equal(own, alone)


def test_one_query_leaves_nothing_to_resample():
    frame = drawn(queries=1, n=60)
    with pytest.raises(
        TooFew, match=r"draws queries with replacement, but there is only one query. Resample items"
    ):
        frame.ireval.agreement(draws=10)
    assert frame.ireval.agreement("scott", draws=10, resample="item")["ci_low"].notna().all()
    with pytest.raises(ValueError, match=r"no query column among doc_id, assessor, label. Bind it"):
        frame.drop(columns="query_id").ireval.agreement(draws=10, resample="query")


def test_one_label_for_everything_has_no_interval():
    found = drawn().assign(label=1).ireval.agreement(draws=20)
    assert (
        found.loc[found["coefficient"] != "observed", ["value", "ci_low", "ci_high"]]
        .isna()
        .all(axis=None)
    )
