import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.join import lists
from pdeval.tables import reader
from tests.examples import examples

ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(1, 3), st.integers(0, 99)), min_size=1, max_size=20
)


def find(frame, **binding):
    return lists.find_lists(reader.read(frame, "runs", binding))


def members(frame, found):
    """Return {(run, query): rows of the caller's table in order}."""
    order = np.arange(len(frame)) if found.order is None else found.order
    queries = found.queries.index()
    return {
        (*found.runs.iloc[run].tolist(), queries[query]): order[begin:end].tolist()
        for run, query, begin, end in zip(found.run, found.query, found.starts, found.starts[1:])
    }


@given(ROWS)
@examples(60)
def test_every_row_is_in_the_list_of_its_run_and_query_in_the_order_of_the_table(rows):
    frame = pd.DataFrame(rows, columns=["run", "query_id", "doc_id"]).assign(score=1.0)
    wanted = {}
    for row, (run, query, _) in enumerate(rows):
        wanted.setdefault((run, query), []).append(row)
    found = find(frame)
    assert members(frame, found) == wanted
    assert found.sizes.tolist() == [len(rows) for rows in members(frame, found).values()]
    assert found.runs["run"].tolist() == sorted(frame["run"].unique())


def test_rows_that_stand_together_are_not_moved():
    frame = pd.DataFrame(
        {"run": list("bbaa"), "query_id": ["2", "1", "2", "1"], "doc_id": "d", "score": 1.0}
    )
    assert find(frame).order is None


def test_of_long_lists_that_stand_together_the_rows_are_not_even_looked_up():
    frame = pd.DataFrame(
        {"run": list("bbbbbaaaaabbbbb"), "query_id": list("111113333322222"), "doc_id": "d"}
    )
    found = find(frame.assign(score=1.0))
    assert found.order is None
    assert found.list_of_row is None
    assert found.starts.tolist() == [0, 5, 10, 15]
    assert (found.run.tolist(), found.query.tolist()) == ([1, 0, 1], [0, 2, 1])


def test_a_run_named_by_several_columns_is_each_combination_that_occurs():
    frame = pd.DataFrame(
        {
            "model": list("xyyx"),
            "seed": [2, 1, 2, 2],
            "query_id": list("1112"),
            "doc_id": "d",
            "score": 1.0,
        }
    )
    found = find(frame, run=["model", "seed"])
    assert found.runs.to_dict("list") == {"model": ["x", "y", "y"], "seed": [2, 1, 2]}
    assert members(frame, found) == {
        ("x", 2, "1"): [0],
        ("y", 1, "1"): [1],
        ("y", 2, "1"): [2],
        ("x", 2, "2"): [3],
    }


def test_a_table_without_a_run_column_is_one_run():
    found = find(pd.DataFrame({"query_id": list("121"), "doc_id": list("abc"), "score": 1.0}))
    assert found.runs["run"].tolist() == ["run"]
    assert found.order.tolist() == [0, 2, 1]


def test_the_list_of_a_row_is_found():
    found = find(pd.DataFrame({"query_id": list("11122"), "doc_id": list("abcde"), "score": 1.0}))
    assert found.of_rows(np.arange(5)).tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("most", [1, 7, 1 << 21])
@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=12))
@examples(40)
def test_dense_blocks_hold_every_row_of_every_list_once(most, sizes):
    starts = np.concatenate([[0], np.cumsum(sizes)])
    seen = {}
    for which, rows, real in lists.dense(starts, most=most):
        for one, held, mask in zip(which, rows, real):
            seen[one] = held[mask].tolist()
            assert (held[~mask] == starts[one]).all()
    assert seen == {i: list(range(starts[i], starts[i + 1])) for i in range(len(sizes))}


def test_ranges_count_on_from_each_beginning():
    assert lists.ranges(np.array([5, 0, 9]), np.array([2, 3, 0])).tolist() == [5, 6, 0, 1, 2]


def ten_columns():
    """Return two runs of ten columns, each of 128 values, that differ in the first column alone; and 126 others."""
    values = np.arange(128)
    frame = pd.DataFrame({f"c{i}": values for i in range(10)})
    twins = pd.DataFrame({f"c{i}": [0, 64] if i == 0 else [7, 7] for i in range(10)})
    return pd.concat([frame, twins], ignore_index=True)


def test_runs_of_ten_columns_with_128_values_each_stay_apart():
    names = ten_columns()
    frame = names.assign(query_id="q", doc_id="d", score=1.0)
    found = find(frame, run=list(names.columns))
    assert len(found.runs) == 130
    assert members(frame, found) == {
        (*run, "q"): [row] for row, run in enumerate(names.itertuples(index=False))
    }


def test_scores_of_ten_run_columns_come_back_as_they_were():
    names = ten_columns()
    frame = names.assign(query_id="q", doc_id=np.where(names["c0"] == 64, "d", "e"), score=1.0)
    qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "relevance": [1]})
    scores = frame.ireval(run=list(names.columns)).measure(qrels, ["RR"])
    assert scores.set_index(list(names.columns))["value"].to_dict() == {
        run: float(run[0] == 64) for run in names.itertuples(index=False, name=None)
    }
    summary = scores.ireval.summary()
    assert len(summary) == 130
    assert summary["mean"].sum() == 2


def test_rows_of_two_lists_in_turn_keep_their_order():
    found = find(
        pd.DataFrame(
            {"run": list("ba") * 30, "query_id": "1", "doc_id": np.arange(60), "score": 1.0}
        )
    )
    assert found.order.tolist() == [*range(1, 60, 2), *range(0, 60, 2)]


def test_lists_of_one_length_stay_in_their_order_in_a_block():
    starts = np.concatenate([[0], np.cumsum([5, 4] * 20)])
    [(which, _, _)] = lists.dense(starts)
    assert which.tolist() == [*range(1, 40, 2), *range(0, 40, 2)]


@pytest.mark.parametrize(
    ("sizes", "most", "blocks"),
    [
        ([10, 23], 1 << 21, [[0, 1]]),  # up to 10 + 10 // 2 + 8
        ([10, 24], 1 << 21, [[0], [1]]),
        ([24, 10, 11], 1 << 21, [[1, 2], [0]]),
        ([10] * 5, 30, [[0, 1], [2, 3], [4]]),  # 30 cells hold two lists of 15, 10 and half of it
        ([10] * 3, 29, [[0], [1], [2]]),
        ([1] * 5, 1, [[0], [1], [2], [3], [4]]),
    ],
)
def test_lists_of_about_one_length_share_a_block(sizes, most, blocks):
    starts = np.concatenate([[0], np.cumsum(sizes)])
    assert [which.tolist() for which, _, _ in lists.dense(starts, most=most)] == blocks


def test_runs_named_by_a_parameter_stand_in_its_order_whatever_the_order_of_rows():
    rows = [("m", rate, query, "d", 1.0) for rate in (0.5, np.nan, 0.1, 0.25) for query in "xy"]
    frame = pd.DataFrame(rows, columns=["model", "rate", "query_id", "doc_id", "score"])
    for table in (frame, frame[::-1], frame.sample(frac=1, random_state=0)):
        found = lists.find_lists(reader.read(table, "runs", {"run": ["model", "rate"]}))
        assert found.runs["rate"].tolist()[:3] == [0.1, 0.25, 0.5]
        assert found.runs["rate"].isna().tolist() == [False, False, False, True]


STORED = {
    "text": {},
    "categories": {"run": "category", "query_id": "category"},
    "numbers": {"query_id": "int32"},
}


@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("sample", [0, 6, lists.SAMPLE])
@pytest.mark.parametrize("columns", [[], ["run"], ["run", "fold"], ["fold", "rate"]])
def test_lists_are_those_of_a_plain_loop_however_rows_stand_and_ids_are_held(
    monkeypatch, stored, sample, columns
):
    monkeypatch.setattr(lists, "SAMPLE", sample)
    rng = np.random.default_rng(3)
    rows = [
        (run, fold, rate, query)
        for run, fold, rate, query in zip(
            "bbaac", [2, 1, 1, 2, 1], [0.5, np.nan, 0.5, 0.25, np.nan], "31223"
        )
        for _ in range(rng.integers(3, 7))
    ]
    frame = pd.DataFrame(rows, columns=["run", "fold", "rate", "query_id"]).assign(
        doc_id="d", score=1.0
    )
    frame = frame[[*columns, "query_id", "doc_id", "score"]]
    for seed in (None, 0, 1):
        table = frame if seed is None else frame.sample(frac=1, random_state=seed)
        wanted = {}
        for row, key in enumerate(
            table[[*columns, "query_id"]].astype(str).itertuples(index=False, name=None)
        ):
            wanted.setdefault(key if columns else ("run", *key), []).append(row)
        kept = {name: dtype for name, dtype in STORED[stored].items() if name in table}
        found = find(table.astype(kept), **({"run": columns} if columns else {}))
        order = np.arange(len(table)) if found.order is None else found.order
        names = found.runs.astype(str).to_numpy().tolist()
        queries = [str(one) for one in found.queries.index()]
        held = {
            (*names[run], queries[query]): order[begin:end].tolist()
            for run, query, begin, end in zip(
                found.run, found.query, found.starts, found.starts[1:]
            )
        }
        assert held == wanted
        assert found.starts[-1] == len(table)
        assert len({key[:-1] for key in wanted}) == len(names)
        assert list(found.runs.columns) == (columns or ["run"])
        assert {str(one.dtype) for one in (found.starts, found.run, found.query)} == {"int64"}
        if seed is None and columns and sample > 6:  # lists of three rows and more stand together
            assert found.order is None
        if found.order is not None:
            assert str(found.order.dtype) == "int32"
            assert str(found.list_of_row.dtype) == "uint16"
        given = rng.permutation(len(table))
        own = found.of_given(given).tolist()
        assert [[*held.values()][one].count(row) for one, row in zip(own, given.tolist())] == [
            1
        ] * len(table)


@pytest.mark.parametrize("sizes", [[3], [1, 1, 1], [2, 5, 1, 30, 4]])
def test_the_list_of_any_rows_is_the_last_that_begins_at_or_before_each(sizes):
    starts = np.concatenate([[0], np.cumsum(sizes)])
    found = lists.Lists(starts, np.zeros(0), np.zeros(0), pd.DataFrame(), None, None)
    own = [one for one, size in enumerate(sizes) for _ in range(size)]
    rng = np.random.default_rng(0)
    for count in [0, 1, 2, 3, 4, 5, 6, sum(sizes), 100]:
        for _ in range(5):
            rows = rng.integers(0, sum(sizes), count)
            for some in (rows, np.sort(rows), np.sort(rows)[::-1], np.unique(rows)):
                assert found.of_rows(some).tolist() == [own[row] for row in some]
                assert found.of_rows(some).dtype == np.int64
    every = np.arange(sum(sizes))
    assert found.of_rows(every).tolist() == found.of_given(every).tolist() == own


@pytest.mark.parametrize("sizes", [[4, 4, 4], [9, 1, 2, 30], [1, 0, 2], [0, 0]])
def test_dense_blocks_of_some_lists_hold_those_alone(sizes):
    starts = np.concatenate([[0], np.cumsum(sizes)])
    for which in ([0, 1], [1], list(range(len(sizes)))[::-1], []):
        for most in (1, 8, 100):
            seen = {}
            for own, rows, real in lists.dense(starts, np.array(which, dtype=np.int64), most=most):
                assert rows.shape == real.shape == (len(own), max(sizes[one] for one in own))
                assert real.dtype == bool
                seen |= {
                    one: held[mask].tolist() for one, held, mask in zip(own.tolist(), rows, real)
                }
            assert seen == {one: list(range(starts[one], starts[one + 1])) for one in which}


def test_a_column_of_numbers_or_with_gaps_is_a_parameter_among_several_alone():
    frame = pd.DataFrame(
        {"run": ["b", None], "seed": [1, 2], "query_id": "q", "doc_id": "d", "score": 1.0}
    )
    found = find(frame, run=["run", "seed"])
    assert found.runs["run"].isna().tolist() == [False, True]
    assert found.runs["seed"].tolist() == [1, 2]
    with pytest.raises(ValueError, match="run column has 1 missing ids"):
        find(frame, run="run")
    whole = find(frame.assign(run=[2.0, 1.0]), run="run")
    assert whole.runs["run"].tolist() == [1, 2]
    assert whole.runs["run"].dtype == np.int64
