"""Items that users have already, shown or tested again, against plain loops."""

import numpy as np
import pandas as pd
import pytest

from pdeval.join.positions import positions_of, rows_of
from pdeval.judgments.check import leaks
from pdeval.tables.reader import read


def tables(seed):
    """Return random lists of two runs, judgments, and a history; some users and items are in one of them only."""
    rng = np.random.default_rng(seed)
    rows = [
        (run, f"u{user}", f"i{item}", float(-place))
        for run in "xy"
        for user in rng.permutation(6)[:4]
        for place, item in enumerate(rng.permutation(8)[: rng.integers(1, 6)])
    ]
    runs = pd.DataFrame(rows, columns=["run", "user_id", "item_id", "score"]).sample(
        frac=1, random_state=seed
    )
    tested = pd.DataFrame(
        [
            (f"u{user}", f"i{item}", int(rng.integers(0, 3)))
            for user in range(5)
            for item in rng.permutation(9)[:4]
        ],
        columns=["user_id", "item_id", "rating"],
    )
    history = pd.DataFrame(
        [(f"u{user}", f"i{item}") for user in range(1, 8) for item in rng.permutation(10)[:3]],
        columns=["user_id", "item_id"],
    )
    return runs, tested, pd.concat([history, history.head(3)])


@pytest.mark.broad
@pytest.mark.parametrize("level", [None, 2])
def test_leaks_are_counted_one_by_one(level):
    for seed in range(12):
        runs, tested, history = tables(seed)
        had = set(history.itertuples(index=False, name=None))
        rows = rows_of(read(runs, "runs"), read(tested, "qrels"))
        positions = positions_of(rows)
        leaked, wanted = leaks(rows, positions, history, level)
        names, users = rows.lists.runs["run"].tolist(), rows.lists.queries.index()
        for at, (run, user) in enumerate(zip(rows.lists.run, rows.lists.query, strict=True)):
            own = runs[(runs["run"] == names[run]) & (runs["user_id"] == users[user])]
            assert leaked[at] == sum((users[user], item) in had for item in own["item_id"])
        for at, user in enumerate(positions.judged.queries.index()):
            own = tested[(tested["user_id"] == user) & (tested["rating"] >= (level or 1))]
            assert wanted[at] == sum((user, item) in had for item in own["item_id"])
        assert leaked.dtype == wanted.dtype == np.int64


def test_ids_that_cannot_match_are_said():
    runs, tested, history = tables(0)
    rows = rows_of(read(runs, "runs"), read(tested, "qrels"))
    for name, role in (("user_id", "query"), ("item_id", "doc")):
        wrong = history.assign(**{name: np.arange(len(history))})
        with pytest.raises(
            ValueError, match=rf"the {role} ids are integers in the history and strings in the runs"
        ):
            leaks(rows, positions_of(rows), wrong, None)
    with pytest.raises(
        ValueError, match="the runs and the history have no users in common: the runs have 'u"
    ):
        leaks(rows, positions_of(rows), history.assign(user_id="n"), None)
    first = min(set(runs["user_id"]) & set(history["user_id"]))
    leaked, _ = leaks(
        rows, positions_of(rows), history[history["user_id"] == first], None
    )  # a single user is enough
    assert len(leaked) == len(rows.lists.run)


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_pair_of_an_unknown_user_or_item_is_no_leak(shuffled):
    # keys are user * 2 + item: an unknown item of the second user would be the last item of the first
    history = pd.DataFrame({"user_id": list("uuvw"), "item_id": list("abaa")})
    runs = pd.DataFrame(
        [
            ("x", "v", "z"),
            ("x", "v", "b"),
            ("x", "n", "a"),
            ("x", "n", "b"),
            ("x", "u", "b"),
            ("x", "w", "a"),
            ("x", "w", "b"),
        ],
        columns=["run", "user_id", "item_id"],
    ).assign(score=np.arange(7.0))
    runs = runs.sample(frac=1, random_state=0) if shuffled else runs
    tested = pd.DataFrame(
        {"user_id": list("unvw"), "item_id": list("baab"), "rating": [1, 1, 1, 1]}
    )
    rows = rows_of(read(runs, "runs"), read(tested, "qrels"))
    leaked, wanted = leaks(rows, positions_of(rows), history, None)
    users = rows.lists.queries.index()[rows.lists.query]
    assert dict(zip(users, leaked.tolist())) == {"v": 0, "n": 0, "u": 1, "w": 1}
    assert wanted.tolist() == [0, 1, 1, 0]  # of n, u, v, w
    assert leaked.dtype == wanted.dtype == np.int64
