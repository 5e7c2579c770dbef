"""`judged_only=`: what nobody judged is taken out of the lists, by the join or by a measure, on every engine."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import ENTRIES
from tests.dask.bits import quiet
from tests.plain_measures import METRICS

PREFERENCES = ["RPP", "sgnLP", "AP", "ST-RPP"]
RUNS = pd.DataFrame(
    {"query_id": ["1"] * 4 + ["2"], "doc_id": ["x", "a", "y", "b", "z"], "score": [9.0, 8, 7, 6, 5]}
).assign(run="r")
QRELS = pd.DataFrame(
    {"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "c"], "relevance": [0, 1, 1]}
)


def drawn(seed):
    """Runs with tied scores, judgments of every kind of grade, subtopics, and lists without any judged item."""
    rng = np.random.default_rng(seed)
    lists = pd.MultiIndex.from_product(
        [["a", "b", "c"], ["1", "2", "3", "4"], [f"d{d:02}" for d in range(30)]]
    )
    runs = lists.to_frame(name=["run", "query_id", "doc_id"], index=False)
    runs["score"] = rng.integers(0, 12, len(runs)) * 0.5
    runs = runs.sample(frac=0.6, random_state=seed, ignore_index=True)
    items = pd.MultiIndex.from_product(
        [["1", "2", "3", "4"], [f"d{d:02}" for d in range(0, 36, 2)], ["s", "t"]]
    )
    qrels = items.to_frame(name=["query_id", "doc_id", "subtopic"], index=False)
    qrels["relevance"] = rng.choice([-2, -1, 0, 0, 1, 2, 3], len(qrels))
    return runs, qrels.sample(frac=0.8, random_state=seed, ignore_index=True)


def without_unjudged(runs, qrels):
    """The plain way: merge, and keep the rows whose item has a grade of at least 0."""
    best = qrels.groupby(["query_id", "doc_id"])["relevance"].max()
    judged = best[best >= 0].reset_index()[["query_id", "doc_id"]]
    return runs.merge(judged, on=["query_id", "doc_id"])


def test_items_that_nobody_judged_are_taken_out_and_the_others_move_up():
    found = RUNS.ireval.measure(QRELS, ["RR", "P@2", "NumRet"], judged_only=True)
    # of x a y b, a (not relevant) and b (relevant) are judged: b stands second; nothing of query 2 is left
    assert found["value"].tolist() == [0.5, 0.5, 2.0, 0.0, 0.0, 0.0]
    assert RUNS.ireval.measure(QRELS, "RR")["value"].tolist() == [0.25, 0.0]
    assert found.attrs["judged_only"] is True


def test_a_list_of_which_nothing_is_left_is_still_an_answer():
    found = RUNS.ireval.measure(QRELS, "RR", judged_only=True, queries="answered")
    assert found["value"].tolist() == [0.5, 0.0]
    with pytest.warns(UserWarning, match="1 of 2 judged queries are missing"):
        RUNS[RUNS["query_id"] == "1"].ireval.measure(QRELS, "RR", judged_only=True)


def test_measures_of_all_items_of_a_list_refuse_it():
    catalog = pd.DataFrame({"doc_id": list("abcxyz")})
    for name in ("ILD@2", "Coverage@2"):
        with pytest.raises(ValueError, match=rf"{name} needs all items.*without judged_only"):
            RUNS.ireval.summary(QRELS, [name], items=catalog, judged_only=True)
    with_items = RUNS.ireval.measure(QRELS, "RR", items=catalog, judged_only=True)
    pd.testing.assert_frame_equal(with_items, RUNS.ireval.measure(QRELS, "RR", judged_only=True))


def test_a_report_says_so():
    report = pdeval.datasets.sample_judged(queries="common", judged_only=True).report(
        "AP", marks=None
    )
    assert "unjudged documents removed" in report.to_markdown()


@pytest.mark.broad
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rules", [{}, {"level": 2}, {"ties": "first"}], ids=str)
def test_every_measure_equals_that_of_the_rows_that_are_judged(seed, rules):
    runs, qrels = drawn(seed)
    rules = {"queries": "common", **rules}
    found = quiet(runs.ireval.measure, qrels, METRICS, judged_only=True, **rules)
    plain = quiet(without_unjudged(runs, qrels).ireval.measure, qrels, METRICS, **rules)
    pd.testing.assert_frame_equal(found, plain, check_exact=True)


def test_tied_items_that_are_left_stay_tied():
    runs, qrels = drawn(5)
    names = [name for name in METRICS if ENTRIES[name].expected]
    rules = {"queries": "common", "ties": "expected"}
    found = quiet(runs.ireval.measure, qrels, names, judged_only=True, **rules)
    plain = quiet(without_unjudged(runs, qrels).ireval.measure, qrels, names, **rules)
    pd.testing.assert_frame_equal(found, plain, check_exact=True)


def test_the_depth_is_that_of_the_list_as_it_was():
    found = RUNS.ireval.measure(
        QRELS, ["NumRet", "RR"], judged_only=True, depth=3, queries="answered"
    )
    assert found["value"].tolist() == [1.0, 0.0, 0.0, 0.0]  # of x a y, a is left


@pytest.mark.parametrize("name", [*METRICS, "P@10", "nDCG@10", "AP(level=2)"])
def test_a_measure_asks_for_it_as_the_join_does(name):
    runs, qrels = drawn(7)
    judged = runs.ireval.join(qrels, queries="common")
    own = pdeval.parse(name, judged_only=True)
    found = quiet(judged.measure, own)["value"]
    assert (
        found.tolist()
        == quiet(runs.ireval.measure, qrels, name, queries="common", judged_only=True)[
            "value"
        ].tolist()
    )
    assert pdeval.parse(own.label) == own


def test_a_measure_of_judged_items_only_stands_beside_one_of_all():
    found = RUNS.ireval.measure(QRELS, ["RR", "RR(judged_only=True)"])
    assert found["value"].tolist() == [0.25, 0.5, 0.0, 0.0]
    assert RUNS.ireval.measure(QRELS, "P(judged_only=true)@2")["value"].tolist() == [0.5, 0.0]
    assert pdeval.parse("AP(judged_only=False)").spelled == "AP"
    assert (
        pdeval.parse("nDCG(gain=exp,judged_only=True)@10").spelled
        == "nDCG(gain=exp,judged_only=True)@10"
    )
    with pytest.raises(ValueError, match=r"'maybe' in .*: expected True or False"):
        pdeval.parse("AP(judged_only=maybe)")


@pytest.mark.parametrize("name", PREFERENCES)
def test_preferences_and_win_rates_follow(name):
    runs, qrels = drawn(9)
    judged = runs.ireval.join(qrels, queries="common")
    only = runs.ireval.join(qrels, queries="common", judged_only=True)
    plain = without_unjudged(runs, qrels).ireval.join(qrels, queries="common")
    own = pdeval.parse(name, judged_only=True)
    for ask in (
        lambda of, what: of.prefer(what)["value"],
        lambda of, what: of.order(what)["score"],
    ):
        values = ask(plain, name).tolist()
        assert ask(only, name).tolist() == values
        assert ask(judged, own).tolist() == values


def test_judgments_taken_away_take_their_items_out_of_the_lists():
    runs, qrels = drawn(11)
    only = runs.ireval.join(qrels, queries="judged", judged_only=True)
    kept = np.random.default_rng(0).random(len(only.positions.judged.topic)) < 0.5
    less = only.on(only.positions.keep_items(kept))
    at = less.positions.judged
    left = pd.DataFrame(
        {
            "query_id": np.asarray(at.queries.take(at.topic).index()),
            "doc_id": np.asarray(at.docs.take(at.doc).index()),
            "relevance": at.grade,
        }
    )
    plain = runs.ireval.join(left, queries="judged", judged_only=True)
    for name in ("rank", "run", "start", "size"):
        assert getattr(less.positions, name).tolist() == getattr(plain.positions, name).tolist(), (
            name
        )
    np.testing.assert_array_equal(less.positions.retrieved, plain.positions.retrieved)


def test_an_explanation_has_the_ranks_that_count():
    explained = RUNS.ireval.explain(QRELS, query="1", measures="RR(judged_only=True)")
    assert explained[["doc_id", "rank"]].values.tolist() == [["a", 1.0], ["b", 2.0]]


def test_residuals_have_nothing_to_look_at():
    with pytest.raises(
        ValueError, match="AP has no residual: judged_only= removes unjudged items from the lists"
    ):
        RUNS.ireval.pool.bounds(QRELS, "AP", judged_only=True)


def test_a_join_of_relevant_items_alone_does_not_know_what_was_judged():
    join = pdeval.join.positions.join
    read = pdeval.tables.reader.read
    with pytest.raises(RuntimeError, match="Join again with complete=True"):
        join(read(RUNS, "runs"), read(QRELS, "qrels"), complete=False).only_judged()


@pytest.mark.broad
def test_parts_and_the_whole_are_the_same():
    runs, qrels = drawn(13)
    whole = runs.ireval.join(qrels, judged_only=True, queries="judged")
    parts = [part for _, part in runs.groupby("query_id")]
    made = pdeval.join_parts(parts, qrels, judged_only=True, queries="judged", corpus=True)
    pd.testing.assert_frame_equal(
        quiet(made.measure, METRICS), quiet(whole.measure, METRICS), check_exact=True
    )
    assert made.attrs == whole.attrs


@pytest.mark.broad
@pytest.mark.extras
@pytest.mark.parametrize("by", ["query_id", "run", "score"])
def test_dask_gives_the_same_bits_however_rows_are_divided(by):
    dd = pytest.importorskip("dask.dataframe")
    dask = pytest.importorskip("dask")
    pytest.importorskip("pdeval.dask.accessor")
    runs, qrels = drawn(15)
    table = dd.from_pandas(runs.sort_values(by, kind="stable", ignore_index=True), npartitions=3)
    names = [name for name in METRICS if name != "NumQ"]
    with dask.config.set(scheduler="synchronous"):
        for rules in ({"judged_only": True}, {}):
            asked = names if rules else [pdeval.parse(name, judged_only=True) for name in names]
            expected = quiet(runs.ireval.measure, qrels, asked, queries="judged", **rules)
            found = quiet(table.ireval.measure, qrels, asked, queries="judged", **rules).compute()
            keys = ["run", "query_id"]
            found, expected = (
                one.astype(dict.fromkeys(keys, str)).sort_values(
                    keys, kind="stable", ignore_index=True
                )
                for one in (found, expected)
            )
            assert found["value"].tolist() == expected["value"].tolist()
        gathered = table.ireval.join(qrels, judged_only=True, queries="judged")
        here = runs.ireval.join(qrels, judged_only=True, queries="judged")
        assert gathered.curve(points=5).values.tolist() == here.curve(points=5).values.tolist()
        assert gathered.order("RPP")["score"].tolist() == here.order("RPP")["score"].tolist()


@pytest.mark.extras
@pytest.mark.parametrize("seed", range(4))
def test_the_values_are_those_of_ir_measures(seed):
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("pytrec_eval")
    runs, qrels = drawn(seed)
    qrels = qrels.drop_duplicates(["query_id", "doc_id"])
    qrels = qrels[qrels["relevance"] >= 0].drop(columns="subtopic")
    names = ["P@10", "P(rel=2)@5", "RR", "Rprec", "AP", "AP@5", "nDCG", "nDCG@10", "R@10", "SetP", "SetAP", "SetF",
             "Success@3", "IPrec@0.4"]  # fmt: skip
    asked = [ir_measures.parse_measure(name)(judged_only=True) for name in names]
    one = runs[runs["run"] == "a"].drop(columns="run")
    theirs = {
        (m.query_id, str(m.measure)): m.value
        for m in ir_measures.pytrec_eval.iter_calc(asked, qrels, one)
    }
    ours = one.ireval.measure(qrels, asked, queries="answered", compat="trec_eval-9")
    assert len(ours) == len(theirs)
    for row in ours.itertuples():
        assert row.value == theirs[row.query_id, row.measure], row
