"""Preferences over all pairs: every fast way against the plain kernel on single lists."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from pdeval.catalog import ENTRIES, parse
from pdeval.evaluate import pairs
from pdeval.evaluate import pairs as pairs_module
from pdeval.evaluate import scores as scores_module
from pdeval.evaluate.pairs import Pairs
from pdeval.join import positions
from pdeval.join.judged import Judged
from pdeval.tables import reader
from tests import naive
from tests.examples import examples
from tests.joins_by_hand import ruled

inf = math.inf
select = ruled(pairs_module.select)
scores_of = ruled(scores_module.scores)
PREFERENCES = [name for name, entry in ENTRIES.items() if entry.family == "preference"]
METRICS = ["AP", "nDCG@3", "ISL", "ASL", "bpref"]
RUNS = ["r1", "r2", "r3", "r4", "r5"]
QUERIES = ["q1", "q2", "q3", "q4"]
DOCS = [f"d{i}" for i in range(12)]


def collection(seed=0, grades=(0, 0, 1, 2, 3), lists=None):
    """Return (lists, grades, subtopics) of five runs, one of them a copy, one with a query missing."""
    rng = np.random.default_rng(seed)
    lists = {
        run: {q: rng.permutation(DOCS)[: rng.integers(1, 12)].tolist() for q in QUERIES}
        for run in RUNS
    }
    lists["r4"] = dict(lists["r2"])
    del lists["r3"]["q2"]
    judged = {
        q: {d: int(rng.choice(grades)) for d in rng.permutation([*DOCS, "lost"])[:8]}
        for q in QUERIES
    }
    for q in QUERIES:
        judged[q]["d0"] = 1
    subtopics = {
        q: {d: set(rng.choice([1, 2, 3], rng.integers(1, 3))) for d in docs}
        for q, docs in judged.items()
    }
    return lists, judged, subtopics


def join(lists, grades, subtopics=None):
    qrels = naive.judgments(grades)
    if subtopics is not None:
        rows = [
            (q, t, d, g)
            for q, docs in grades.items()
            for d, g in docs.items()
            for t in sorted(subtopics[q][d])
        ]
        qrels = pd.DataFrame(rows, columns=["query_id", "subtopic", "doc_id", "relevance"])
    return positions.join(reader.read(naive.table(lists), "runs"), reader.read(qrels, "qrels"))


def populations(name, grades, subtopics, level, graded):
    """Return [(share, wanted documents)] of one query, as methods section 2 says."""
    relevant = {d for d, g in grades.items() if g > 0 and g >= (level or 0)}
    kind = ENTRIES[name].population
    if kind == "subtopics":
        parts = [relevant, *({d for d in relevant if t in subtopics[d]} for t in (1, 2, 3))]
    elif kind == "grades" and level is None and graded:
        parts = [
            {d for d, g in grades.items() if g >= least}
            for least in {g for g in grades.values() if g > 0}
        ]
    else:
        return [(1.0, relevant)]
    total = sum(map(len, parts))
    return [(len(part) / total, part) for part in parts if part]


def plain(name, x, y, wanted):
    """Return the kernel's value on two lists of documents."""
    items = sorted(wanted)
    sides = {"x": x, "y": y}
    columns = []
    for column in ENTRIES[name].columns:
        side, _, own = column.partition("_")
        docs = sides[side]
        ranks = np.array([docs.index(d) + 1.0 if d in docs else inf for d in items])
        columns.append(
            {"": np.sort(ranks), "items": ranks, "retrieved": np.array(float(len(docs)))}[own]
        )
    return float(ENTRIES[name].kernel(*columns))


def naive_preference(name, lists, grades, subtopics, query, a, b, level):
    graded = len({g for docs in grades.values() for g in docs.values() if g > 0}) > 1
    parts = populations(name, grades[query], subtopics and subtopics[query], level, graded)
    x, y = lists[a].get(query, []), lists[b].get(query, [])
    return sum(share * plain(name, x, y, wanted) for share, wanted in parts)


CHOICES = {
    "all pairs": {},
    "a baseline": {"baseline": "r3"},
    "two pairs": {"pairs": [("r5", "r1"), ("r2", "r4")]},
}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("level", [None, 1, 2])
@pytest.mark.parametrize("name", PREFERENCES)
def test_every_way_of_pairing_equals_the_kernel_on_single_lists(name, level, choice):
    lists, grades, subtopics = collection()
    source = select(
        join(lists, grades, subtopics),
        name,
        level=level,
        queries="judged",
        warn=False,
        **CHOICES[choice],
    )
    values = source.cube().values[0]
    for q, query in enumerate(source.queries):
        if not any(g >= (level or 1) for g in grades[query].values()):
            continue
        for p, (a, b) in enumerate(zip(source.a, source.b)):
            wanted = naive_preference(
                name, lists, grades, subtopics, query, RUNS[a], RUNS[b], level
            )
            assert values[q, p] == pytest.approx(wanted, abs=1e-14), (query, RUNS[a], RUNS[b])


@given(st.integers(0, 10_000))
@examples(15)
def test_random_collections_agree_with_the_kernel(seed):
    lists, grades, _ = collection(seed)
    for name in ("RPP", "invRPP", "sgnLP", "sgnLR", "rrLP"):
        source = select(join(lists, grades), name, warn=False)
        values = source.cube().values[0]
        wanted = [
            [
                naive_preference(name, lists, grades, None, q, RUNS[a], RUNS[b], None)
                for a, b in zip(source.a, source.b)
            ]
            for q in source.queries
        ]
        np.testing.assert_allclose(values, wanted, rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", [*PREFERENCES, *METRICS])
def test_any_memory_bound_and_any_block_give_the_same_bits(name, monkeypatch):
    joined = join(*collection(3))
    whole = select(joined, name, warn=False).cube().values
    tiny = select(joined, name, warn=False, memory=1)
    assert tiny.step() == 1
    np.testing.assert_array_equal(tiny.cube().values, whole)
    streamed = np.concatenate([values for _, values in tiny.blocks(0)], axis=1)
    np.testing.assert_array_equal(streamed, whole[0])
    for module in (pairs_module, pairs):
        monkeypatch.setattr(module, "CELLS", 1)
    np.testing.assert_array_equal(select(joined, name, warn=False).cube().values, whole)


@pytest.mark.parametrize("name", METRICS)
def test_a_measure_is_a_preference_through_its_difference(name):
    joined = join(*collection(1))
    scores = scores_of(joined, name, warn=False)
    source = select(joined, name, warn=False)
    x, y = (scores.oriented()[0][:, side] for side in (source.a, source.b))
    wanted = np.subtract(
        x, y, out=np.zeros(x.shape), where=x != y
    )  # what neither run found makes no difference
    np.testing.assert_array_equal(source.cube().values[0], wanted)


def test_measures_keep_their_own_levels():
    lists, grades, _ = collection(2)
    joined = join(lists, grades)
    source = select(joined, ["RPP(level=2)", "RPP"], level=1, warn=False)
    assert source.measures == ("RPP(level=2)", "RPP")
    np.testing.assert_array_equal(
        source.cube().values[1], select(joined, "RPP", level=1, warn=False).cube().values[0]
    )
    two = select(joined, "RPP", level=2, warn=False).cube()
    kept = [source.queries.get_loc(q) for q in two.queries]
    np.testing.assert_array_equal(source.cube().values[0][kept], two.values[0])


def test_the_worked_graded_example():
    # methods, section 2: qrels A=2, B=1, C=1; X ranks B, C, D, A; Y ranks A, D, B, C
    joined = join(
        {"X": {"q": list("BCDA")}, "Y": {"q": list("ADBC")}}, {"q": {"A": 2, "B": 1, "C": 1}}
    )
    graded = select(joined, ["RPP", "invRPP", "dcgRPP"]).cube().values.ravel()
    dcg = 1 / math.log2(3)
    wanted = [0.0, 3 / 4 * 3 / 11 - 1 / 4, 3 / 4 * dcg / (1.5 + dcg) - 1 / 4]
    np.testing.assert_allclose(graded, wanted, rtol=0, atol=1e-15)
    assert graded.round(4).tolist() == [0.0, -0.0455, -0.0279]
    assert select(joined, "RPP", level=1).cube().values.item() == pytest.approx(1 / 3, abs=1e-15)


def test_a_subtopic_example_by_hand():
    # t1: A, B; t2: C. X ranks A, C, B; Y ranks B, A and not C.
    # anyone: (1, 2, 3) against (1, 2, inf) = 1/3, 3 users; t1: (1, 3) against (1, 2) = -1/2, 2 users; t2: 1, 1 user
    grades, subtopics = {"q": dict.fromkeys("ABC", 1)}, {"q": {"A": {1}, "B": {1}, "C": {2}}}
    joined = join({"X": {"q": list("ACB")}, "Y": {"q": list("BA")}}, grades, subtopics)
    assert select(joined, "ST-RPP").cube().values.item() == pytest.approx(
        (3 * (1 / 3) + 2 * (-1 / 2) + 1) / 6
    )
    inverse = (3 * (1 / 3) / (11 / 6) + 2 * (-(1 / 2) / (3 / 2)) + 1) / 6
    assert select(joined, "ST-invRPP").cube().values.item() == pytest.approx(inverse, abs=1e-15)


@pytest.mark.parametrize(
    ("one", "other"), [("ST-RPP", "RPP"), ("ST-dcgRPP", "dcgRPP"), ("ST-invRPP", "invRPP")]
)
def test_with_one_subtopic_the_subtopic_preference_is_the_plain_one(one, other):
    lists, grades, subtopics = collection(4, grades=(0, 1))
    subtopics = {q: {d: {1} for d in docs} for q, docs in subtopics.items()}
    single = select(join(lists, grades, subtopics), one, warn=False).cube().values
    np.testing.assert_allclose(
        single, select(join(lists, grades), other, warn=False).cube().values, rtol=0, atol=1e-15
    )


@pytest.mark.broad
def test_ranks_beyond_16_bits_are_compared_rightly():
    deep = [f"n{i}" for i in range(40_000)]
    lists = {"a": {"q": [*deep, "x"]}, "b": {"q": [*deep, "n", "x"]}, "c": {"q": ["y"]}}
    values = (
        select(join(lists, {"q": {"x": 1, "y": 1}}), ["RPP", "sgnLP", "rrLP"], pairs=[("a", "b")])
        .cube()
        .values
    )
    assert values.ravel().tolist() == [0.5, 1.0, 1 / 40_001 - 1 / 40_002]


def test_weights_of_ones_own_and_even_weights():
    lists, grades, _ = collection(5, grades=(0, 1))
    joined = join(lists, grades)
    most = max(sum(g > 0 for g in docs.values()) for docs in grades.values())
    even = select(joined, parse("RPP", weight=np.full(most, 7.0)), warn=False).cube().values
    np.testing.assert_allclose(
        even, select(joined, "RPP", warn=False).cube().values, rtol=0, atol=1e-15
    )
    inverse = select(joined, parse("RPP", weight=lambda level: 1 / level), warn=False).cube().values
    np.testing.assert_array_equal(inverse, select(joined, "invRPP", warn=False).cube().values)
    with pytest.raises(
        ValueError, match=r"weight= is an array of shape \(1,\), but a query needs \d+ weights"
    ):
        select(joined, parse("RPP", weight=[1.0]), warn=False).cube()


def test_pairs_without_common_ground_do_not_count():
    lists, grades, _ = collection()
    source = select(join(lists, grades), ["RPP", "AP"], queries="answered")
    missing = np.isnan(source.cube().values)
    at = source.queries.get_loc("q2")
    involved = (source.a == 2) | (source.b == 2)
    assert missing[:, at].tolist() == [involved.tolist()] * 2
    assert not np.delete(missing, at, axis=1).any()
    assert "q2" not in select(join(lists, grades), "RPP", queries="common").queries


def test_missing_queries_are_told_once():
    lists, grades, _ = collection()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        pairs_module.select(Judged(join(lists, grades)), ["RPP", "AP", "sgnLP"]).cube()
    assert [str(one.message) for one in told] == [
        "1 of 4 judged queries are missing from run 'r3'; they get the worst possible score."
    ]
    assert told[0].filename == __file__


def test_long_work_shows_its_progress_where_that_is_asked(capsys):
    source = select(join(*collection()[:2]), ["RPP", "AP"], warn=False)
    source.cube(progress=False)
    assert capsys.readouterr().err == ""
    source.cube(progress=True)
    assert "preferences" in capsys.readouterr().err


def test_what_is_no_preference_is_refused():
    joined = join(*collection()[:2])
    with pytest.raises(ValueError, match=r"borda is an ordering, not a preference"):
        select(joined, "borda")
    with pytest.raises(ValueError, match="no judged query has an item with a grade of at least 9"):
        select(joined, "RPP", level=9)


def test_definite_rankings_are_needed():
    lists, grades, _ = collection()
    runs, qrels = (
        reader.read(naive.table(lists), "runs"),
        reader.read(naive.judgments(grades), "qrels"),
    )
    source = select(positions.join(runs, qrels, ties="expected"), "RPP", warn=False)
    with pytest.raises(
        ValueError, match=r"RPP compares rankings, but with ties='expected' tied items have no"
    ):
        source.cube()


def test_a_preference_of_ones_own_asks_for_columns_of_either_side():
    @pdeval.preference
    def shorter(x, y, x_retrieved, y_retrieved):
        "Whose list is shorter."
        return np.sign(y_retrieved - x_retrieved)

    try:
        lists, grades, _ = collection()
        source = select(join(lists, grades), "shorter", pairs=[("r1", "r5")], warn=False)
        values = source.cube().values[0, :, 0].tolist()
    finally:
        del ENTRIES["shorter"]
    assert values == [np.sign(len(lists["r5"][q]) - len(lists["r1"][q])) for q in QUERIES]


def test_a_source_says_what_its_numbers_rest_on():
    source = select(join(*collection()[:2]), "RPP", level=2, queries="judged", warn=False)
    assert isinstance(source, Pairs)
    assert source.attrs == {
        "queries": "judged", "level": 2, "ties": "docid", "compat": "trec_eval-10", "depth": None,
        "run_columns": ["run"], "query_column": "query_id", "doc_column": "doc_id",
        "measures": {"RPP": {"higher": True, "aggregate": "mean", "family": "preference", "test": "t"}},
    }  # fmt: skip


def test_runs_that_answered_no_common_query_are_an_error():
    positions_ = join({"a": {"1": ["x"]}, "b": {"2": ["y"]}}, {"1": {"x": 1}, "2": {"y": 1}})
    with pytest.raises(ValueError, match="no two of these runs answered the same judged query"):
        select(positions_, "RPP", queries="answered")


def test_a_preference_of_ones_own_that_is_not_a_number_is_not_dropped():
    @pdeval.preference
    def Last(x, y):
        """Infinity less infinity where neither found all."""
        with np.errstate(invalid="ignore"):
            return np.sign(y[-1] - x[-1])

    try:
        positions_ = join({"a": {"1": ["x"]}, "b": {"1": ["x"]}}, {"1": {"x": 1, "z": 1}})
        with pytest.raises(
            ValueError, match=r"Last is not a number \(NaN\) 1 times, e\.g\. on query '1'"
        ):
            select(positions_, "Last").cube()
    finally:
        del ENTRIES["Last"]
