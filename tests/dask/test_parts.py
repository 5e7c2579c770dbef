"""One partition: what it speaks for, and that it notices when it is not what it was."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import parse_all
from pdeval.dask.first_pass import ROW
from pdeval.dask.partition import NOTHING, _check_unchanged, decoded, part_of, tally
from pdeval.dask.partition_plan import plan
from pdeval.join import ids
from tests.dask.bits import divided

pytest.importorskip("dask")
pytestmark = pytest.mark.extras


def by_query(some):
    import dask.dataframe as dd

    parts = [part for _, part in some.groupby(some["query_id"].astype(str) < "130", observed=True)]
    return dd.from_map(lambda at: parts[at], range(2), meta=some.iloc[:0])


def division(table, qrels, measures=(), **options):
    return plan(table, qrels).division(parse_all(measures) if measures else (), **options)


@pytest.mark.parametrize(
    ("now", "text"),
    [
        ([3, 40, 8], "and now has others of the same lengths"),
        ([3, 41, 7], "and now has 3 of 41"),
        ([2, 40, 7], "and now has 2 of 40"),
        (NOTHING, "and now has 0 of 0"),
    ],
)
def test_a_partition_that_changed_says_what_it_held_and_what_it_holds(now, text):
    whole = SimpleNamespace(tallies=np.array([[9, 9, 9], [3, 40, 7]], dtype=np.uint64))
    with pytest.raises(RuntimeError, match=f"It had 3 judged lists of 40 rows, {text}"):
        _check_unchanged(np.array(now, dtype=np.uint64), 1, whole)
    _check_unchanged(np.array([3, 40, 7], dtype=np.uint64), 1, whole)
    _check_unchanged(np.array(now, dtype=np.uint64), 1, SimpleNamespace(tallies=None))


@pytest.mark.broad
def test_every_topic_is_spoken_for_once(some, qrels):
    for table in (by_query(some), divided(some, 3, "mixed")):
        joined = division(table, qrels, pairs=True)
        rows = [joined.rows.partitions[at].compute() for at in range(joined.rows.npartitions)]
        parts = [part_of(frame, at, None, joined.context) for at, frame in enumerate(rows)]
        assert sorted(np.concatenate([part.topics for part in parts]).tolist()) == list(range(50))
        assert all(part.positions.retrieved.shape == (len(part.topics), 5) for part in parts)


@pytest.mark.broad
def test_every_list_is_spoken_for_once_where_queries_are_divided(some, qrels):
    cells = np.zeros((50, 5), dtype=int)
    frames = [part for _, part in some.groupby("run", observed=True)]
    joined = division(_by_run(frames), qrels, "AP")
    assert joined.context.lists is not None
    for at, frame in enumerate(frames):
        part = part_of(frame, at, None, joined.context)
        cells[np.ix_(part.topics, part.runs)] += part.mine
        expected = joined.context.runs.iloc[part.runs].reset_index(drop=True)
        pd.testing.assert_frame_equal(part.positions.runs, expected)
    assert (cells == 1).all()


def _by_run(frames):
    import dask.dataframe as dd

    return dd.from_map(lambda at: frames[at], range(len(frames)), meta=frames[0].iloc[:0])


@pytest.mark.broad
def test_the_largest_grade_is_that_of_all_judgments(some, qrels):
    joined = division(by_query(some), qrels)
    top = qrels.groupby("query_id", observed=True)["relevance"].max()
    assert top.min() < 3
    for at in range(2):
        assert (
            part_of(
                joined.rows.partitions[at].compute(), at, None, joined.context
            ).positions.top_grade
            == 3.0
        )


def test_a_partition_with_another_partitions_query_is_an_error(some, qrels):
    joined = division(by_query(some), qrels)
    rows = pd.concat(
        [joined.rows.partitions[0].compute(), joined.rows.partitions[1].compute().head(3)]
    )
    with pytest.raises(
        RuntimeError,
        match=r"partition 0 of the run table changed after the first pass.* of query '116'",
    ):
        part_of(rows, 0, None, joined.context)


@pytest.mark.broad
def test_a_list_that_has_lost_rows_is_an_error_where_queries_are_divided(some, qrels):
    frames = [part for _, part in some.groupby("run", observed=True)]
    joined = division(_by_run(frames), qrels, "AP")
    with pytest.raises(
        RuntimeError,
        match="partition 2 of the run table changed after the first pass",
    ):
        part_of(frames[2].iloc[5:], 2, None, joined.context)


def test_a_partition_without_judged_queries_speaks_for_nothing(some, qrels):
    parts = [some, some.head(4).assign(query_id="none"), some.iloc[:0]]
    joined = division(_by_run(parts), qrels)
    assert part_of(parts[1], 1, None, joined.context) is None
    assert part_of(parts[2], 2, None, joined.context) is None


CHANGES = {
    "a list is gone": lambda rows: rows[~((rows["run"] == "ql") & (rows["query_id"] == "120"))],
    "a list has lost its last row": lambda rows: rows.drop(
        index=rows.index[(rows["run"] == "ql") & (rows["query_id"] == "120")][-1:]
    ),
    "a query is gone": lambda rows: rows[rows["query_id"] != "120"],
    "two lists have changed places": lambda rows: rows.assign(
        query_id=rows["query_id"].where(
            rows["run"] != "ql", rows["query_id"].replace({"120": "121", "121": "120"})
        )
    ).pipe(
        lambda rows: rows.drop(
            index=rows.index[(rows["run"] == "ql") & (rows["query_id"] == "121")][:7]
        )
    ),
    "a run is gone": lambda rows: rows[rows["run"] != "ql"],
    "all rows are gone": lambda rows: rows.iloc[:0],
    "no row is of a judged query": lambda rows: rows.assign(query_id="none"),
}


def changing(frames, change):
    """A table whose partitions are as they are when read first, and changed when read again."""
    import dask
    import dask.dataframe as dd

    seen = dict.fromkeys(range(len(frames)), 0)

    def read(at):
        seen[at] += 1
        return frames[at] if seen[at] == 1 else change(frames[at])

    parts = [dask.delayed(read, pure=False)(at) for at in range(len(frames))]
    return dd.from_delayed(parts, meta=frames[0].iloc[:0], verify_meta=False)


def divisions(some):
    return {
        "whole queries": [part for _, part in some.groupby(some["query_id"] < "130")],
        "whole lists": [part for _, part in some.groupby("run")],
        "rows": [some.iloc[::2], some.iloc[1::2]],
    }


@pytest.mark.broad
@pytest.mark.parametrize("rows", ["whole queries", "whole lists", "rows"])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("depth", [None, 500])
def test_lists_that_change_between_the_two_readings_are_an_error(some, qrels, rows, change, depth):
    plain = some.astype({"run": object, "query_id": object, "doc_id": object}).reset_index(
        drop=True
    )
    table = changing(divisions(plain)[rows], CHANGES[change])
    lazy = table.ireval.measure(
        qrels.astype({"query_id": object, "doc_id": object}),
        ["AP"],
        depth=depth,
        queries="answered",
    )
    with pytest.raises(
        RuntimeError,
        match=r"partition \d+ of the run table changed after the first pass.* judged lists of",
    ):
        lazy.compute()


@pytest.mark.broad
@pytest.mark.parametrize("rows", ["whole queries", "whole lists", "rows"])
def test_lists_that_stay_are_no_error(some, qrels, rows):
    plain = some.astype({"run": object, "query_id": object, "doc_id": object}).reset_index(
        drop=True
    )
    table = changing(divisions(plain)[rows], lambda part: part.sample(frac=1, random_state=1))
    found = table.ireval.measure(
        qrels.astype({"query_id": object, "doc_id": object}), ["AP"], queries="common"
    )
    assert len(found.compute()) > 0


def test_rows_gathered_later_are_those_that_were_counted(some, qrels):
    plain = some.astype({"run": object, "query_id": object, "doc_id": object}).reset_index(
        drop=True
    )
    judged = changing([plain], CHANGES["a list is gone"]).ireval.join(
        qrels.astype({"query_id": object, "doc_id": object})
    )
    with pytest.raises(RuntimeError, match="the run table changed after the first pass"):
        judged.here.runs  # noqa: B018


def test_the_tally_of_lists_is_the_sum_of_their_mixed_numbers():
    """Against whole numbers of any size, cut to 64 bits."""
    mix, most = (0x9E3779B97F4A7C15, 0xD1342543DE82EF95, 0xBF58476D1CE4E5B9), 1 << 64
    lists = [(0, 3, 10), (1, 3, 20), (7, 0, 1)]
    total = 0
    for topic, run, rows in lists:
        mark = ((topic * mix[0] + run) * mix[1] + rows) % most
        mark = (mark ^ (mark >> 31)) * mix[2] % most
        total += mark ^ (mark >> 29)
    assert tally(*np.array(lists).T).tolist() == [3, 31, total % most]


def test_ids_come_back_as_categories_in_their_order_whatever_that_of_the_runs():
    runs = pd.DataFrame({"model": ["b", "a", "b"], "seed": [2, 9, 1]})
    roles = {"query": "query_id", "doc": "doc_id", "score": "score"}
    table = SimpleNamespace(run_columns=["model", "seed"], roles=roles)
    whole = SimpleNamespace(table=table, runs=runs, queries=["q1", "q2"])
    rows = pd.DataFrame(
        {"run": [2, 0, 1], "query": [1, 0, 1], "doc": ["x", "y", "z"], "score": [0.1, 0.2, 0.3]}
    )
    found = decoded(rows, whole)
    assert found["model"].cat.categories.tolist() == ["a", "b"]
    assert found["seed"].cat.categories.tolist() == [1, 2, 9]
    assert found.astype({"seed": int}).to_dict("list") == {
        "model": ["b", "b", "a"],
        "seed": [1, 2, 9],
        "query_id": ["q2", "q1", "q2"],
        "doc_id": ["x", "y", "z"],
        "score": [0.1, 0.2, 0.3],
    }
    kept = decoded(rows.assign(**{ROW: [2, 0, 1]}), whole)
    assert kept["doc_id"].tolist() == ["y", "z", "x"]


@pytest.mark.parametrize("engine", ["dask", "parts"])
def test_a_part_looks_up_its_queries_and_hashes_no_others(monkeypatch, engine):
    import dask.dataframe as dd

    frame = pd.DataFrame(
        {"query_id": np.repeat(np.arange(200), 20), "doc_id": np.arange(4000) % 97, "score": 1.0}
    )
    qrels = frame[["query_id", "doc_id"]].assign(relevance=1)
    hashed, probe = [], ids.Ids.probe
    monkeypatch.setattr(
        ids.Ids, "probe", lambda one, known: hashed.append(len(known)) or probe(one, known)
    )
    if engine == "parts":
        pdeval.join_parts([frame[at : at + 20] for at in range(0, len(frame), 20)], qrels)
    else:
        dd.from_pandas(frame, chunksize=20, sort=False).ireval.measure(qrels, ["AP"]).compute()
    assert sum(hashed) < 2 * len(
        frame
    )  # with all queries for each part it would be more than ten times
