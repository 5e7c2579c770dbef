"""Residuals, against judging the unjudged items in every possible way."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pdeval
from pdeval.join.judged import Judged
from pdeval.judgments.pool_bounds import bounds, unjudged
from pdeval.tables.schemas import SCHEMAS
from tests import naive
from tests.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore:.* judged queries are missing")
MEASURES = ["AP", "P@3", "R@3", "RR", "Rprec", "F@3", "AP@4", "ASL", "ISL", "TSE", "IPrec@0.5"]
GRADED = ["nDCG", "nDCG@3", "DCG(gain=exp)@4", "ERR@3", "nERR", "Q", "CG@2"]


def found(runs, qrels, measures, queries="relevant", **options):
    return runs.ireval.join(qrels, queries=queries).pool.bounds(measures, **options)


def one_list(docs, grades):
    return naive.table({"x": {"1": list(docs)}}), naive.judgments({"1": grades})


def expected_bounds(runs, qrels, measures, depth=None):
    """Return {measure: (low, high)} over all ways to judge the unjudged items of the one list."""
    docs = naive.lists_of(runs)["x", "1"][:depth]
    open_ = [doc for doc in docs if doc not in naive.grades_of(qrels)["1"]]
    top = qrels["relevance"].max()
    values = []
    for count in range(len(open_) + 1):
        for chosen in itertools.combinations(open_, count):
            more = naive.judgments({"1": dict.fromkeys(chosen, top)}).astype(qrels.dtypes.to_dict())
            frame = runs.ireval.measure(pd.concat([qrels, more]), measures, queries="judged")
            values.append(frame["value"].to_numpy())
    return dict(zip(measures, zip(np.min(values, axis=0), np.max(values, axis=0))))


def test_one_deep_unjudged_item_can_lower_average_precision():
    runs, qrels = one_list("a" + "bcdefghi" + "u", dict.fromkeys("bcdefghi", 0) | {"a": 1})
    row = found(runs, qrels, "AP").iloc[0]
    # alone at rank 1 AP is 1; with a second relevant item at rank 10 it is (1 + 2/10) / 2
    assert row[["value", "low", "high"]].tolist() == [1.0, 0.6, 1.0]
    assert row["residual"] == pytest.approx(0.4)


def test_precision_lies_between_none_and_all_of_the_unjudged_items():
    runs, qrels = one_list("abcd", {"a": 1, "c": 0})
    row = found(runs, qrels, "P@4").iloc[0]
    assert row[["value", "low", "high", "residual"]].tolist() == [0.25, 0.25, 0.75, 0.5]


@pytest.mark.broad
@examples(40)
@given(
    st.permutations("abcdefgh"),
    st.integers(1, 7),
    st.dictionaries(st.sampled_from("abcdefghz"), st.integers(0, 2), min_size=3),
    st.sampled_from([None, 2, 4]),
)
def test_the_range_is_that_over_all_ways_to_judge(docs, length, grades, depth):
    assume(set(docs[:length]) & set(grades))  # a list none of whose items is judged is refused
    runs, qrels = one_list(docs[:length], grades)
    if not any(grade > 0 for grade in grades.values()):
        qrels.loc[0, "relevance"] = 1
    measures = [*MEASURES, *GRADED]
    wanted = expected_bounds(runs, qrels, measures, depth)
    table = found(runs, qrels, measures, per="query", depth=depth).set_index("measure")
    for measure in measures:
        low, high = table.loc[measure, ["low", "high"]]
        assert (low, high) == pytest.approx(wanted[measure], abs=1e-12), measure


@pytest.mark.broad
def test_many_lists_at_once_equal_one_at_a_time():
    sample = pdeval.datasets.load_sample()
    runs = sample.runs[
        sample.runs["query_id"].isin(["101", "117", "130"])
        & sample.runs["run"].isin(["ql", "rerank-s1"])
    ]
    qrels = sample.qrels[sample.qrels["query_id"].isin(["101", "117", "130"])]
    measures = ["AP", "nDCG@10", "Q"]
    whole = found(runs, qrels, measures, per="query", depth=30)
    for (run, query), rows in whole.groupby(["run", "query_id"], observed=True):
        part = runs[(runs["run"] == run) & (runs["query_id"] == query)]
        if len(part):
            alone = found(part, qrels[qrels["query_id"] == query], measures, per="query", depth=30)
            np.testing.assert_array_equal(alone[["low", "high"]], rows[["low", "high"]])


@pytest.mark.broad
def test_small_blocks_change_nothing(monkeypatch):
    sample = pdeval.datasets.load_sample()
    measures = ["AP", "nDCG@10"]
    whole = found(sample.runs, sample.qrels, measures, depth=10)
    monkeypatch.setattr("pdeval.judgments.pool_bounds.BLOCK", 1 << 12)
    pd.testing.assert_frame_equal(found(sample.runs, sample.qrels, measures, depth=10), whole)


@pytest.mark.parametrize("name", ["RBP(p=0.5)", "RBP(p=0.95)", "gRBP(p=0.8)"])
def test_rank_biased_precision_has_its_known_residual(name):
    sample = pdeval.datasets.load_sample()
    p = pdeval.parse(name).parameters["p"]
    wanted = sample.runs.ireval.measure(sample.qrels, f"RBPresidual(p={p})")["value"]
    table = found(sample.runs, sample.qrels, name, per="query")
    answered = (
        table["value"] > 0
    )  # where a run returned nothing, trec_eval has no doubt and we have all
    np.testing.assert_allclose(table["residual"][answered], wanted[answered], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(table["low"], table["value"])


@pytest.mark.parametrize("name", ["RBP", "gRBP", "gRBP(max_grade='topic')"])
def test_rank_biased_precision_of_a_judged_list_may_rise_below_its_end(name):  # issue 12, item 28
    runs, qrels = one_list("xyz", {"x": 1, "y": 0, "z": 0})
    row = found(runs, qrels, name).iloc[0]
    assert row[["value", "low", "high"]].tolist() == pytest.approx([0.2, 0.2, 0.2 + 0.8**3])
    qrels = pd.concat([qrels, naive.judgments({"2": {"x": 1}})])
    unanswered = found(runs, qrels, name, per="query").iloc[1]
    assert unanswered[["value", "low", "high", "residual"]].tolist() == [0.0, 0.0, 1.0, 1.0]


def test_rank_biased_precision_with_a_cutoff_has_no_doubt_below_it():  # issue 12, item 28
    runs, qrels = one_list("xuz", {"x": 1, "z": 0})
    table = found(runs, qrels, ["RBP@1", "RBP@2", "RBP@4", "gRBP@4"], depth=1).set_index("measure")
    assert table["value"].tolist() == pytest.approx([0.2] * 4)
    # rank 2 is unjudged, rank 3 judged, rank 4 beyond the end
    wanted = [0.2, 0.2 + 0.2 * 0.8, 0.2 + 0.2 * (0.8 + 0.8**3), 0.2 + 0.2 * (0.8 + 0.8**3)]
    assert table["high"].tolist() == pytest.approx(wanted)


@pytest.mark.broad
@examples(30)
@given(
    st.permutations("abcdefgh"),
    st.integers(0, 4),
    st.dictionaries(st.sampled_from("abcdz"), st.integers(0, 2), min_size=2),
    st.sampled_from(
        [
            "RBP",
            "RBP@3",
            "RBP(p=0.5)@5",
            "gRBP",
            "gRBP@3",
            "gRBP(max_grade='topic')",
            "gRBP(max_grade=4)",
        ]
    ),
)
def test_no_way_to_judge_and_to_go_on_leaves_the_range_of_rank_biased_precision(
    docs, length, grades, name
):  # item 28
    grades |= {"a": 1}
    runs, qrels = one_list(docs[:length] or "-", grades)
    whole = pd.concat(
        [qrels, naive.judgments({"2": {"m": 2, "-": 0, **dict.fromkeys("abcdefgh", 0)}})]
    )
    row = found(runs, whole, name, per="query").iloc[0]
    # go on with new items, and let all, none or every second one of what is unjudged be relevant
    longer = [*naive.lists_of(runs)["x", "1"], *(f"new{i}" for i in range(40))]
    open_ = [doc for doc in longer if doc not in grades]
    best = []
    for chosen in (open_, [], open_[::2]):
        more = pd.concat(
            [whole, naive.judgments({"1": dict.fromkeys(chosen, 2)}).astype(whole.dtypes.to_dict())]
        )
        values = (
            one_list(longer, {})[0].ireval.measure(more, name).query("query_id == '1'")["value"]
        )
        best.append(values.item())
    assert row["low"] - 1e-12 <= min(best)
    assert max(best) <= row["high"] + 1e-12
    if name in ("RBP", "RBP@3", "gRBP", "gRBP@3"):
        assert max(best) == pytest.approx(row["high"], abs=0.8**40)


def test_all_or_nothing_looks_at_two_values_only():
    runs, qrels = one_list("auvb", {"a": 1, "b": 0})
    some = found(runs, qrels, "AP").iloc[0]
    every = found(runs, qrels, "AP", assume="all").iloc[0]
    # v alone: (1 + 2/3) / 2; u and v: 1
    assert (some["low"], some["high"]) == pytest.approx((5 / 6, 1.0))
    assert (every["low"], every["high"]) == (1.0, 1.0)


def test_items_of_negative_grade_are_unjudged():
    runs, qrels = one_list("ab", {"a": -1, "b": 1})
    assert found(runs, qrels, "P@2")["high"].tolist() == [1.0]


def test_a_fully_judged_list_has_no_residual_even_where_nothing_was_found():
    runs, qrels = one_list("ab", {"a": 0, "b": 0, "z": 1})
    table = found(runs, qrels, ["AP", "ISL"])
    assert table["residual"].tolist() == [0.0, 0.0]
    assert table.loc[table["measure"] == "ISL", "value"].tolist() == [np.inf]


def test_a_query_without_relevant_items_could_have_some():
    runs, qrels = one_list("ab", {"a": 0})
    qrels = pd.concat([qrels, naive.judgments({"2": {"a": 1}})])
    table = found(runs, qrels, "RR", per="query", queries="judged")
    assert table[["query_id", "value", "high"]].values.tolist() == [
        ["1", 0.0, 0.5],
        ["2", 0.0, 0.0],
    ]


@pytest.mark.broad
def test_means_over_queries_are_the_default():
    sample = pdeval.datasets.load_sample()
    judged = sample.runs.ireval.join(sample.qrels, queries="common")
    rows = bounds(judged, ["P@10", "GMAP"], per="query")
    means = bounds(judged, ["P@10", "GMAP"]).set_index(["measure", "run"])
    assert means.columns.tolist() == ["value", "low", "high", "residual"]
    plain = rows[rows["measure"] == "P@10"].groupby("run", observed=True)["high"].mean()
    np.testing.assert_allclose(means.loc["P@10", "high"], plain)
    logs = (
        np.log(rows[rows["measure"] == "GMAP"].set_index("run")["high"])
        .groupby("run", observed=True)
        .mean()
    )
    np.testing.assert_allclose(means.loc["GMAP", "high"], np.exp(logs))


@pytest.mark.parametrize(
    ("measure", "options", "text"),
    [
        (
            "Bpref",
            {},
            "Bpref has no residual: it depends on judged items only, so unjudged items do not change it",
        ),
        ("Judged@10", {}, "Judged@10 has no residual: it depends on judged items only"),
        ("strec@10", {}, "strec@10 has no residual: it depends on subtopics"),
        ("RPP", {}, "RPP is a preference, not a measure of one ranking"),
        ("AP", {"assume": "some"}, "assume='some': choose 'any' or 'all'"),
        ("AP", {"per": "topic"}, "per='topic': choose 'run' or 'query'"),
        ("AP", {"depth": 0}, "depth=0: expected an integer of at least 1"),
    ],
)
def test_what_has_no_residual_is_an_error(measure, options, text):
    runs, qrels = one_list("ab", {"a": 1})
    with pytest.raises(ValueError, match=text):
        found(runs, qrels, measure, **options)


def test_the_join_must_know_all_judged_items_and_definite_ranks():
    from pdeval.join.positions import join
    from pdeval.tables.reader import read

    runs, qrels = one_list("ab", {"a": 1, "b": 0})
    lean = join(read(runs, "runs"), read(qrels, "qrels"), complete=False)
    with pytest.raises(ValueError, match="Join with complete=True"):
        bounds(Judged(lean), "AP")
    with pytest.raises(
        ValueError, match="ties='expected' gives items no definite rank, so there is no residual"
    ):
        bounds(runs.ireval.join(qrels, ties="expected"), "AP")


def test_unjudged_ranks_are_those_that_no_judged_item_holds():
    runs, qrels = one_list("abcdef", {"a": 1, "c": 0, "e": -1})
    positions = runs.ireval.join(qrels).positions
    ranks, count = unjudged(positions, np.array([0]), np.array([0]))
    assert (ranks.tolist(), count.tolist()) == ([[2.0, 4.0, 5.0, 6.0]], [4])
    ranks, count = unjudged(positions, np.array([0]), np.array([0]), 4)
    assert (ranks.tolist(), count.tolist()) == ([[2.0, 4.0]], [2])


def test_queries_that_nobody_judged_may_have_any_value():
    # query 1 has P@2 of .5, and .5 more in doubt; nobody judged queries 2 and 3, of which run y has one
    runs = naive.table(
        {"x": {"1": ["a", "u"], "2": ["a"], "3": ["b"]}, "y": {"1": ["a", "b"], "2": ["c"]}}
    )
    qrels = naive.judgments({"1": {"a": 1, "b": 0}})
    own = found(runs, qrels, ["P@2", "AP"], depth=2, include="all").set_index(["run", "measure"])
    assert own.loc["x", "P@2"].tolist() == pytest.approx([0.5, 0.5 / 3, 3 / 3, 1 - 0.5 / 3])
    assert own.loc["y", "P@2"].tolist() == pytest.approx([0.5, 0.5 / 3, 2.5 / 3, 2 / 3])
    assert own.loc["y", "AP"].tolist() == pytest.approx([1, 1 / 3, 1, 2 / 3])
    judged = found(runs, qrels, "P@2", depth=2)
    assert judged["high"].tolist() == [1.0, 0.5]


@pytest.mark.broad
def test_bounds_over_all_queries_hold_whatever_the_missing_judgments_are():
    runs, qrels, _ = pdeval.datasets.load_sample()
    runs = runs[runs["run"].isin(["bm25", "hybrid", "ql"])]
    some = qrels[qrels["query_id"].isin(qrels["query_id"].unique()[::2])]
    some = some.sample(frac=0.8, random_state=0)
    bounds = found(
        runs, some, ["P@10", "RBP", "nDCG@10"], queries="judged", depth=30, include="all"
    )
    rng = np.random.default_rng(3)
    items = runs[["query_id", "doc_id"]].drop_duplicates()
    for share in (0.0, 0.02, 0.3, 1.0):
        guess = items.assign(guess=(rng.random(len(items)) < share) * int(qrels["relevance"].max()))
        whole = guess.merge(some, how="left")
        whole = whole.assign(relevance=whole["relevance"].fillna(whole["guess"])).drop(
            columns="guess"
        )
        means = runs.ireval.measure(
            whole, ["P@10", "RBP", "nDCG@10"], queries="judged"
        ).ireval.summary()["mean"]
        assert (bounds["low"] <= means + 1e-12).all()
        assert (means <= bounds["high"] + 1e-12).all()


def test_bounds_over_all_queries_need_a_measure_between_two_numbers_and_means():
    runs, qrels = one_list("abcd", {"a": 1, "c": 0})
    for name in ("DCG@10", "GMAP"):
        with pytest.raises(ValueError, match=f"{name} has no bounded mean"):
            found(runs, qrels, name, include="all")
    with pytest.raises(ValueError, match="include='all' requires per='run'"):
        found(runs, qrels, "P@4", include="all", per="query")
    with pytest.raises(ValueError, match="include='some': choose 'judged' or 'all'"):
        found(runs, qrels, "P@4", include="some")


def test_the_table_says_that_its_range_is_for_the_largest_grade_which_others_may_leave():
    runs, qrels = one_list("bauv", {"a": 1, "b": 0})
    qrels = pd.concat([qrels, naive.judgments({"2": {"q": 3}})])
    measures, values = ["AP", "P@3", "nDCG", "Q"], []
    for u, v in itertools.product(range(4), repeat=2):
        more = naive.judgments({"1": {"u": u, "v": v}}).astype(qrels.dtypes.to_dict())
        frame = runs.ireval.measure(pd.concat([qrels, more]), measures, queries="judged")
        values.append(frame.loc[frame["query_id"] == "1", "value"].to_numpy())
    table = runs.ireval.join(qrels).pool.bounds(measures, per="query")
    rows = table[table["query_id"] == "1"]
    np.testing.assert_array_equal(rows["low"].to_numpy(), np.min(values, axis=0))
    beyond = np.max(values, axis=0) - rows["high"].to_numpy()
    assert beyond.tolist() == pytest.approx(
        [0, 0, 0.0981, 0.0079], abs=1e-4
    )  # relevant or not, and graded
    assert table.attrs["assumed_grade"] == 3
    schema = SCHEMAS["pool_bounds"]
    assert all(
        "largest grade" in text
        for text in (schema.description, schema.means["low"], schema.means["high"])
    )
