"""Overlap with what users had before: shown again, and tested again."""

import pandas as pd
import pytest

from tests.evaluate.test_items import HISTORY, ITEMS, RUNS, TEST


def counted(runs=RUNS, history=HISTORY, **rules):
    found = runs.ireval.check(TEST, history=history, **rules)
    return found.set_index("run")[["in_history", "relevant_in_history"]].to_numpy().tolist()


@pytest.mark.broad
def test_items_that_users_have_already_are_counted_run_by_run():
    # u had a and b, v had a: x shows both to u and a to v; b of u and a of v are tested
    assert counted() == [[3, 2], [0, 1]]
    assert counted(RUNS.sample(frac=1, random_state=2)) == counted()
    assert counted(history=pd.concat([HISTORY, HISTORY])) == counted()
    assert (
        counted(history=HISTORY.assign(item_id=HISTORY["item_id"].astype("category"))) == counted()
    )


def test_without_a_history_the_accounting_is_as_it_was():
    assert "in_history" not in RUNS.ireval.check(TEST).columns


def test_a_join_with_a_history_checks_it_too():
    judged = RUNS.ireval.join(TEST, items=ITEMS, history=HISTORY, queries="answered")
    assert judged.check()["in_history"].tolist() == [3, 0]
    plain = RUNS.ireval.join(TEST, queries="answered")
    assert plain.check(history=HISTORY)["in_history"].tolist() == [3, 0]


def test_groups_of_users_are_accounted_for_alone():
    about = pd.DataFrame({"user_id": ["u", "v"], "group": ["old", "new"]})
    found = RUNS.ireval.check(TEST, history=HISTORY, by="group", metadata=about)
    assert found[["group", "run", "in_history", "relevant_in_history"]].to_numpy().tolist() == [
        ["new", "x", 1, 1], ["old", "x", 2, 1], ["old", "y", 0, 1],
    ]  # fmt: skip


def test_a_history_of_other_users_is_refused():
    with pytest.raises(
        ValueError,
        match=r"the runs and the history have no users in common: the runs have 'u', 'v'",
    ):
        RUNS.ireval.check(TEST, history=HISTORY.assign(user_id="someone"))
    with pytest.raises(
        ValueError, match="the doc ids are integers in the history and strings in the runs"
    ):
        RUNS.ireval.check(TEST, history=HISTORY.assign(item_id=1))
