"""Measures that look at the items of lists, and those of all lists together, are on Dask what they are on pandas."""

import dataclasses
import pickle

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import ENTRIES, parse
from tests.dask.bits import divided, quiet, same_bits
from tests.evaluate.test_items import HISTORY, ITEMS, RUNS, TEST

dd = pytest.importorskip("dask.dataframe")
pytestmark = pytest.mark.extras
OF_ITEMS = [name for name, entry in ENTRIES.items() if entry.kind == "items"]
OF_SETS = [name for name, entry in ENTRIES.items() if entry.family == "set"]
WAYS = [("by run", 3), ("by query", 4), ("mixed", 5), ("by query", 40)]


@pytest.fixture(scope="module")
def sample():
    """Three models of the sample of recommendations, its held-out ratings, and side tables."""
    found = pdeval.datasets.load_recommendations()
    runs = found.runs.rename(columns={"user_id": "query_id"})
    names = list(found.runs.attrs["run_columns"])
    kept = runs[runs.groupby(names, observed=True).ngroup() < 3].reset_index(drop=True)
    kept.attrs.clear()
    return kept.assign(run=kept[names].astype(str).agg("-".join, axis=1)).drop(columns=names), found


def tables(found):
    return {"items": found.items, "history": found.history.rename(columns={"user_id": "query_id"})}


def judgments(found):
    return found.ratings.rename(columns={"user_id": "query_id"})


@pytest.mark.broad
@pytest.mark.parametrize(("rows", "parts"), WAYS)
def test_every_measure_of_items_is_the_same_to_the_last_bit(sample, rows, parts):
    runs, found = sample
    qrels, told = judgments(found), tables(found)
    asked = [f"{name}@10" for name in OF_ITEMS] + ["nDCG@10", "Novelty", "ILD(distance=jaccard)@5"]
    expected = quiet(runs.ireval.measure, qrels, asked, **told)
    lazy = quiet(divided(runs, parts, rows).ireval.measure, qrels, asked, **told)
    got = quiet(lazy.compute).sort_values(["run", "query_id"], kind="stable", ignore_index=True)
    order = expected.sort_values(["run", "query_id"], kind="stable", ignore_index=True)
    got.attrs = expected.attrs  # which a lazy frame carries in its meta
    assert lazy._meta.attrs == expected.attrs
    same_bits(order, got)


@pytest.mark.broad
@pytest.mark.parametrize(("rows", "parts"), WAYS)
def test_summaries_are_the_same_with_measures_of_all_lists_among_them(sample, rows, parts):
    runs, found = sample
    asked = ["nDCG@10", *(f"{name}@10" for name in OF_SETS), "Novelty@10", "Coverage"]
    expected = quiet(runs.ireval.summary, judgments(found), asked, **tables(found))
    same_bits(
        expected,
        quiet(divided(runs, parts, rows).ireval.summary, judgments(found), asked, **tables(found)),
    )


@pytest.mark.broad
def test_comparisons_preferences_and_orders_take_measures_of_items(sample):
    runs, found = sample
    table, qrels, told = divided(runs, 4, "mixed"), judgments(found), tables(found)
    same_bits(
        quiet(runs.ireval.compare, qrels, ["Novelty@10", "RPP"], **told),
        quiet(table.ireval.compare, qrels, ["Novelty@10", "RPP"], **told),
    )
    same_bits(
        quiet(runs.ireval.order, qrels, ["Novelty@10", "RPP"], **told),
        quiet(table.ireval.order, qrels, ["Novelty@10", "RPP"], **told),
    )
    got = quiet(table.ireval.prefer, qrels, "Novelty@10", **told).compute()
    expected = quiet(runs.ireval.prefer, qrels, "Novelty@10", **told)
    by = ["query_id", "run_a", "run_b"]
    pd.testing.assert_frame_equal(
        got.sort_values(by, ignore_index=True),
        expected.sort_values(by, ignore_index=True),
        check_exact=True,
    )


@pytest.mark.broad
def test_verbs_that_gather_see_the_items_too(sample):
    runs, found = sample
    qrels, told = judgments(found), tables(found)
    join = quiet(divided(runs, 3, "mixed").ireval.join, qrels, **told)
    same_bits(
        quiet(quiet(runs.ireval.join, qrels, **told).quantiles, "Novelty@10"),
        quiet(join.quantiles, "Novelty@10"),
    )


@pytest.mark.broad
def test_side_tables_may_be_on_dask_bound_or_not():
    asked = ["RR", "Novelty@2", "Coverage@2"]
    expected = RUNS.ireval.summary(TEST, asked, items=ITEMS, history=HISTORY, queries="answered")
    side = {
        "items": dd.from_pandas(ITEMS.rename(columns={"item_id": "thing"}), npartitions=2).ireval(
            doc="thing"
        ),
        "history": dd.from_pandas(HISTORY, npartitions=2),
    }
    runs = dd.from_pandas(RUNS, npartitions=2)
    same_bits(expected, runs.ireval.summary(TEST, asked, **side, queries="answered"))


@pytest.mark.broad
def test_an_own_measure_of_items_goes_to_the_partitions():
    @pdeval.metric(kind="items", range=(0, np.inf))
    def PriceOnDask(price, listed, *, k=np.inf):
        """The mean price of the items shown."""
        n = int(min(k, len(price)))
        return (price * listed)[:n].sum(axis=0) / listed[:n].sum(axis=0)

    runs = dd.from_pandas(RUNS, npartitions=2)
    expected = RUNS.ireval.summary(TEST, "PriceOnDask@2", items=ITEMS)
    same_bits(expected, runs.ireval.summary(TEST, "PriceOnDask@2", items=ITEMS))


@pytest.mark.broad
def test_a_partition_may_hold_users_without_a_history_alone():
    history = HISTORY[HISTORY["user_id"] != "v"]
    by_user = RUNS.sort_values("user_id", kind="stable")
    runs = dd.from_map(
        lambda user: by_user[by_user["user_id"] == user].reset_index(drop=True), ["u", "v"]
    )
    with pytest.warns(UserWarning, match="Calibration@2 has no value for 1 of 3 lists"):
        expected = RUNS.ireval.summary(
            TEST, "Calibration@2", items=ITEMS, history=history, queries="answered"
        )
    with pytest.warns(UserWarning, match="Calibration@2 has no value for 1 of 3 lists"):
        got = runs.ireval.summary(
            TEST, "Calibration@2", items=ITEMS, history=history, queries="answered"
        )
    same_bits(expected, got)


@pytest.mark.broad
def test_what_side_tables_do_not_tell_is_said_before_any_work():
    runs = dd.from_pandas(RUNS, npartitions=1)

    def asked(measure, **tables):
        return lambda: runs.ireval.measure(TEST, measure, queries="answered", **tables)

    strangers = HISTORY.assign(user_id=[f"{user}x" for user in HISTORY["user_id"]])
    for ask, text in [
        (asked("Novelty@2"), r"Novelty@2 needs the items of lists. Pass items="),
        (asked("ILD@2", history=HISTORY), r"ILD@2 needs items= "),
        (asked("Novelty@2", items=ITEMS), r"Novelty@2 needs history= "),
        (
            asked("Unseen@2", items=ITEMS, history=strangers),
            r"no user of the runs is in the history",
        ),
        (
            asked("Unseen@2", history=HISTORY, judged_only=True),
            r"needs all items of a list, but judged_only=True",
        ),
        (
            lambda: runs.ireval.summary(TEST, "Coverage@2"),
            r"Coverage@2 needs the items of lists. Pass items=",
        ),
    ]:
        with pytest.raises(ValueError, match=text):
            ask()


def test_lists_that_are_too_many_to_gather_are_refused_with_what_to_do():
    import dask

    runs = dd.from_pandas(RUNS, npartitions=1)
    with dask.config.set({"pdeval.gather-limit": "20 B"}), pytest.raises(ValueError) as fault:
        runs.ireval.summary(TEST, "Coverage@2", items=ITEMS)
    assert str(fault.value) == (
        "the first 2 items of all lists, which Coverage@2 needs, may take 32 B, and at most 20 B are gathered. "
        "Use a smaller cutoff, select runs, or raise the limit: dask.config.set({'pdeval.gather-limit': '64 B'})."
    )


def test_what_is_sent_holds_no_rows_of_the_history():
    from pdeval.join.item_catalog import catalog_of

    whole = catalog_of(ITEMS, HISTORY)
    sent = pickle.loads(pickle.dumps(whole.sent()))
    assert len(sent.history.user) == 0
    assert sent.given == (None, None)
    np.testing.assert_array_equal(sent.popularity, whole.popularity)
    np.testing.assert_array_equal(sent.choice, whole.choice)
    np.testing.assert_array_equal(sent.profiles, whole.profiles)
    assert dataclasses.replace(whole).sent().ids.index().tolist() == list("abcd")
    assert parse("Novelty@2").kind == "items"


def test_runs_alone_are_gathered():
    runs = dd.from_pandas(RUNS, npartitions=1)
    gathered = runs.ireval.beyond_accuracy(
        "Coverage@2", items=ITEMS
    )  # a verb of run tables gathers the rows
    assert (
        gathered["mean"].tolist()
        == RUNS.ireval.beyond_accuracy("Coverage@2", items=ITEMS)["mean"].tolist()
    )


def test_users_without_judgments_are_warned_of_where_they_are_left_out():
    runs, told = RUNS.rename(columns={"user_id": "query_id"}), {"items": ITEMS}
    qrels = TEST.rename(columns={"user_id": "query_id"})
    qrels = qrels[qrels["query_id"] == "u"]
    with pytest.warns(
        UserWarning, match="1 users with a list are not judged; on Dask, Coverage@2 ignores them"
    ):
        found = divided(runs, 2, "mixed").ireval.summary(qrels, "Coverage@2", **told)
    assert found["n"].tolist() == [1, 1]
    assert runs.ireval.summary(qrels, "Coverage@2", **told)["n"].tolist() == [2, 1]
