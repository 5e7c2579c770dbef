"""Swapped assessors: taus between orderings, against ordering the runs on each set of judgments."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval
from pdeval.judgments.judges import swapped_qrels
from pdeval.tables.reader import read
from tests import naive

pytestmark = pytest.mark.filterwarnings("ignore:2 of 50 judged queries")
RUNS = naive.table(
    {"x": {"1": ["a", "b", "c"]}, "y": {"1": ["b", "a", "c"]}, "z": {"1": ["c", "b", "a"]}}
)


@pytest.fixture(scope="module")
def sample():
    return pdeval.datasets.load_sample()


@pytest.fixture(scope="module")
def labels(sample):
    """Three assessors who see the sample's grades with ever more noise; the last skips a third of the queries."""
    rng = np.random.default_rng(7)
    parts = []
    for name, noise in (("ann", 0.02), ("bob", 0.2), ("cyd", 0.4)):
        wrong = rng.random(len(sample.qrels)) < noise
        label = np.where(wrong, rng.integers(0, 4, len(sample.qrels)), sample.qrels["relevance"])
        parts.append(sample.qrels[["query_id", "doc_id"]].assign(assessor=name, label=label))
    parts[2] = parts[2][parts[2]["query_id"].astype(int) % 3 > 0]
    return pd.concat(parts, ignore_index=True).sample(frac=1, random_state=1)


def orders_of(runs, qrels, measures):
    return runs.ireval.order(qrels, measures).pivot(index="run", columns="measure", values="rank")


def test_two_assessors_who_want_opposite_items_turn_the_ordering_round():
    labels = pd.DataFrame(
        [("1", "a", "ann", 1), ("1", "c", "ann", 0), ("1", "a", "bob", 0), ("1", "c", "bob", 1)],
        columns=["query_id", "doc_id", "assessor", "label"],
    )
    found = RUNS.ireval.swap_assessors(labels, "RR")
    assert found.columns.tolist() == [
        "judgments_a",
        "judgments_b",
        "measure",
        "method",
        "runs",
        "tau_b",
    ]
    # ann: x, y, z; bob: z first, x and y tied
    assert found["tau_b"].tolist() == pytest.approx(
        [stats.kendalltau([1, 2, 3], [2, 2, 1]).statistic]
    )


@pytest.mark.broad
@pytest.mark.parametrize("queries", ["relevant", "judged"])
def test_taus_equal_those_of_orderings_on_each_assessors_judgments(sample, labels, queries):
    measures = ["AP", "nDCG@10", "RPP", "ERR@10"]
    parts = dict(swapped_qrels(read(labels, "labels")))
    orders = {
        name: sample.runs.ireval.order(part, measures, queries=queries).pivot(
            index="run", columns="measure", values="rank"
        )
        for name, part in parts.items()
    }
    found = sample.runs.ireval.swap_assessors(labels, measures, queries=queries)
    assert len(found) == 3 * len(measures)
    for row in found.itertuples():
        x, y = (orders[name][row.measure] for name in (row.judgments_a, row.judgments_b))
        assert row.tau_b == pytest.approx(stats.kendalltau(x, y).statistic)


@pytest.mark.broad
def test_draws_are_compared_with_given_judgments(sample, labels):
    found = sample.runs.ireval.swap_assessors(
        labels, "AP", qrels=sample.qrels, how="draw", draws=4, seed=3
    )
    assert found["judgments"].tolist() == [0, 1, 2, 3]
    full = orders_of(sample.runs, sample.qrels, "AP")["AP"]
    for number, part in swapped_qrels(read(labels, "labels"), how="draw", draws=4, seed=3):
        own = orders_of(sample.runs, part, "AP")["AP"]
        assert found["tau_b"][number] == pytest.approx(stats.kendalltau(full, own).statistic)


@pytest.mark.broad
def test_less_noise_means_orderings_more_alike(sample, labels):
    found = sample.runs.ireval.swap_assessors(labels, "AP", qrels=sample.qrels)
    tau = dict(zip(found["judgments"], found["tau_b"]))
    assert tau["ann"] > tau["cyd"]


@pytest.mark.broad
def test_the_orderings_themselves_have_one_row_per_run_and_set_of_judgments(sample, labels):
    found = sample.runs.ireval.swap_assessors(labels, ["AP", "RPP"], orders=True)
    assert found.columns.tolist() == ["run", "measure", "method", "judgments", "score", "rank"]
    for name, part in swapped_qrels(read(labels, "labels")):
        own = sample.runs.ireval.order(part, ["AP", "RPP"])
        rows = found[found["judgments"] == name].drop(columns="judgments").reset_index(drop=True)
        pd.testing.assert_frame_equal(
            rows, own, check_dtype=False, check_categorical=False, check_like=True
        )


def test_an_assessor_who_finds_nothing_relevant_agrees_with_nobody():
    labels = pd.DataFrame(
        [("1", "a", who, label) for who, label in (("ann", 1), ("bob", 0), ("cyd", 1))],
        columns=["query_id", "doc_id", "assessor", "label"],
    )
    found = RUNS.ireval.swap_assessors(labels, "AP").set_index(["judgments_a", "judgments_b"])[
        "tau_b"
    ]
    assert found["ann", "cyd"] == 1
    assert found[["ann"]].isna().sum() == 1
    orders = RUNS.ireval.swap_assessors(labels, "AP", orders=True)
    assert orders["judgments"].unique().tolist() == ["ann", "cyd"]


def test_label_columns_may_have_other_names():
    labels = pd.DataFrame(
        {"q": "1", "d": ["a", "a"], "who": ["ann", "bob"], "says": ["yes", "yes"]}
    )
    bound = labels.ireval(query="q", doc="d", assessor="who", label="says")
    assert RUNS.ireval.swap_assessors(bound, "AP", grades={"yes": 1})["tau_b"].tolist() == [1.0]


@pytest.mark.parametrize(
    ("rows", "options", "text"),
    [
        (
            [("1", "a", "ann", 1)],
            {},
            "there is only one set of judgments. Pass qrels= to compare it with",
        ),
        (
            [("1", "a", "ann", 0), ("1", "a", "bob", 0)],
            {},
            "no set of judgments has a relevant item",
        ),
        ([("1", "a", "ann", 0)], {"orders": True}, "no set of judgments has a relevant item"),
        (
            [("1", "a", "ann", 1)],
            {"how": "draw", "draws": 0},
            "leaves no set of judgments to compare",
        ),
        (
            [("1", "a", "ann", None)],
            {},
            "the label table has no labels: column 'label' is missing in all 1 rows",
        ),
        ([("1", "a", "ann", "yes")], {}, "the labels are not numbers, e.g. 'yes'"),
        ([("1", "a", "ann", 1)] * 2, {}, "1 repeated labels of one item by one assessor"),
    ],
)
def test_faulty_labels_are_errors_that_name_the_fault(rows, options, text):
    labels = pd.DataFrame(rows, columns=["query_id", "doc_id", "assessor", "label"])
    with pytest.raises(ValueError, match=text):
        RUNS.ireval.swap_assessors(labels, "AP", **options)


def test_missing_columns_are_named():
    with pytest.raises(
        ValueError, match=r"expected a labels table.* no doc column \(known names: doc_id, docno"
    ):
        RUNS.ireval.swap_assessors(pd.DataFrame({"assessor": ["a"], "label": [1]}), "AP")
    with pytest.raises(
        ValueError, match=r"no query column among doc_id, assessor, label. Bind it: labels.ireval"
    ):
        RUNS.ireval.swap_assessors(
            pd.DataFrame({"doc_id": ["a"], "assessor": ["a"], "label": [1]}), "AP"
        )
    with pytest.raises(
        TypeError,
        match=r"a pandas DataFrame with a labels table \(doc, assessor, label\), got list",
    ):
        RUNS.ireval.swap_assessors([1])
    with pytest.raises(ValueError, match="how='random': choose 'assessor' or 'draw'"):
        RUNS.ireval.swap_assessors([1], how="random")


@pytest.mark.broad
def test_a_join_swaps_assessors_under_its_own_rules(sample, labels):
    judged = sample.runs.ireval.join(sample.qrels, level=2, queries="common", ties="first")
    wanted = sample.runs.ireval.swap_assessors(
        labels, ["AP", "RPP"], level=2, queries="common", ties="first"
    )
    pd.testing.assert_frame_equal(judged.swap_assessors(labels, ["AP", "RPP"]), wanted)


def test_taus_of_ties_equal_scipys():
    from pdeval.judgments.judges import _taus
    from pdeval.orderings.order import RunOrders

    rng = np.random.default_rng(0)
    ranks = rng.integers(1, 4, (6, 1, 5)).astype(float)
    found = [RunOrders([("AP", "mean")], np.array([1]), rank, rank) for rank in ranks]
    table = _taus(list("abcdef"), found, None)
    wanted = [stats.kendalltau(x[0], y[0]).statistic for x, y in itertools.combinations(ranks, 2)]
    np.testing.assert_allclose(table["tau_b"], wanted)


def test_other_judgments_regrade_the_items_that_both_have_and_no_others():
    from pdeval.join.judgments import read_judgments
    from pdeval.join.positions import join
    from pdeval.judgments.judges import regraded

    runs = read(naive.table({"x": {"1": ["a", "b", "c"], "3": ["b"], "5": ["a"]}}), "runs")
    judged = {"1": {"a": 1, "b": 2, "c": 1}, "3": {"b": 1}, "5": {"a": 4}}
    found = join(runs, read(naive.judgments(judged), "qrels"))
    # queries 0 and 9 and documents 0 and z are new; b of 5 and a of 3 are known elsewhere; c of 1 is not judged again
    others = {
        "0": {"a": 9},
        "1": {"a": 0, "b": 3, "0": 7, "z": 7},
        "3": {"a": 5, "b": 0, "z": 7},
        "5": {"b": 6},
        "9": {"z": 8},
    }
    again = regraded(found, read_judgments(read(naive.judgments(others), "qrels")))
    assert again.queries.tolist() == ["1", "3"]
    docs = again.judged.docs.index()[again.judged.doc].tolist()
    held = zip(again.queries[again.judged.topic], docs, again.judged.grade.tolist())
    assert list(held) == [("1", "a", 0.0), ("1", "b", 3.0), ("3", "b", 0.0)]
    assert again.rank.tolist() == [1.0, 2.0, 1.0]
    assert again.top_grade == 9  # of all the others: gains are those of their scale
    assert again.judged.subtopic is None


def test_regrading_an_item_that_nobody_knows_changes_nothing():
    from pdeval.join.judgments import read_judgments
    from pdeval.join.positions import join
    from pdeval.judgments.judges import regraded

    runs, qrels = (
        read(naive.table({"x": {"1": ["a"]}}), "runs"),
        read(naive.judgments({"1": {"a": 1}}), "qrels"),
    )
    others = read_judgments(read(naive.judgments({"1": {"0": 2, "z": 2}}), "qrels"))
    assert len(regraded(join(runs, qrels), others).judged.topic) == 0


@pytest.mark.broad
def test_the_rules_of_the_join_reach_swapped_judgments():
    # b and a are tied: by document id b comes first, by the order of rows a does; a is there twice
    runs = pd.DataFrame(
        [("x", "1", "a", 1.0), ("x", "1", "b", 1.0), ("y", "1", "b", 2.0), ("y", "1", "a", 1.0)],
        columns=["run", "query_id", "doc_id", "score"],
    )
    labels = pd.DataFrame(
        {"query_id": "1", "doc_id": "a", "assessor": ["ann", "bob"], "label": [1, 2]}
    )

    def ranks(runs=runs, **rules):
        found = runs.ireval.swap_assessors(labels, "RR", orders=True, **rules)
        return found[found["judgments"] == "bob"].set_index("run")["score"].to_dict()

    assert ranks() == {"x": 0.5, "y": 0.5}
    assert ranks(ties="first") == {"x": 1.0, "y": 0.5}
    close = runs.assign(score=[1.0 + 1e-12, 1.0, 2.0, 1.0])
    assert ranks(close) == {"x": 1.0, "y": 0.5}
    assert ranks(close, compat="trec_eval-9") == {"x": 0.5, "y": 0.5}
    twice = pd.concat([runs, runs.iloc[[3]]], ignore_index=True)
    with pytest.raises(ValueError, match="1 duplicate"):
        ranks(twice)
    # y ranks b, a, a: not looked for, the best place of a counts, whichever row is read first
    assert ranks(twice, validate=False) == {"x": 0.5, "y": 0.5}
    assert ranks(twice[::-1], validate=False) == {"x": 0.5, "y": 0.5}
    assert runs.ireval.swap_assessors(labels, "RR", level=2, orders=True)[
        "judgments"
    ].unique().tolist() == ["bob"]
    borda = runs.ireval.swap_assessors(labels, "RR", method="borda")
    assert borda["method"].tolist() == ["borda"]


def test_two_runs_agree_or_disagree_entirely():
    two = RUNS[RUNS["run"].isin(["x", "z"])]
    labels = pd.DataFrame(
        [("1", "a", "ann", 0.5), ("1", "c", "bob", 0.5), ("1", "a", "cyd", 0.5)],
        columns=["query_id", "doc_id", "assessor", "label"],
    )
    found = two.ireval.swap_assessors(labels, "RR").set_index(["judgments_a", "judgments_b"])[
        "tau_b"
    ]
    assert found.to_dict() == {("ann", "bob"): -1.0, ("ann", "cyd"): 1.0, ("bob", "cyd"): -1.0}


def test_the_largest_grade_may_be_below_one():
    from pdeval.join.judgments import read_judgments
    from pdeval.join.positions import join
    from pdeval.judgments.judges import regraded

    runs, qrels = (
        read(naive.table({"x": {"1": ["a"]}}), "runs"),
        read(naive.judgments({"1": {"a": 1}}), "qrels"),
    )
    for grade, top in ((0.5, 0.5), (-1.0, 0.0)):
        others = read_judgments(read(naive.judgments({"1": {"a": grade}}), "qrels"))
        assert regraded(join(runs, qrels), others).top_grade == top
