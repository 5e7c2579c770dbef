"""Practical equivalence, against baycomp and where the answer is known."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval
from pdeval.evaluate.cube import Scores
from pdeval.significance.equivalence import correlated_t, equivalence, signed_rank
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults

JUDGED = pdeval.datasets.sample_judged(queries="common")
SCORES = JUDGED.measure(["AP", "ASL"])
BAYCOMP = "the peer that probabilities are compared with"


def differences(seed=0, queries=40, pairs=5):
    return np.random.default_rng(seed).normal(0.01, 0.08, (queries, pairs))


@pytest.mark.extras
@pytest.mark.parametrize("rope", [0.01, 0.05])
@pytest.mark.parametrize("folds", [5, 10, 40])
def test_the_correlated_t_is_that_of_baycomp(rope, folds):
    baycomp = pytest.importorskip("baycomp", reason=BAYCOMP)
    D = differences()
    ours = correlated_t(D, rope, 1 / folds)
    for pair in range(D.shape[1]):
        theirs = baycomp.CorrelatedTTest.probs(
            np.zeros(len(D)), D[:, pair], rope, runs=len(D) // folds
        )
        np.testing.assert_allclose(ours[:, pair], theirs, rtol=0, atol=1e-12)


@pytest.mark.broad
@pytest.mark.extras
@pytest.mark.parametrize("rope", [0.0, 0.01, 0.05])
def test_the_signed_rank_is_that_of_baycomp_within_what_draws_vary(rope):
    baycomp = pytest.importorskip("baycomp", reason=BAYCOMP)
    D = differences(pairs=3)
    ours = signed_rank(D, rope, 0.5, 10_000, 1)
    for pair in range(D.shape[1]):
        sampled = baycomp.SignedRankTest.probs(
            np.zeros(len(D)), D[:, pair], rope, nsamples=10_000, random_state=0
        )
        theirs = np.array(
            [sampled[0], sampled[1], sampled[2]] if rope else [sampled[0], 0, sampled[1]]
        )
        error = np.sqrt(2 * theirs * (1 - theirs) / 10_000)
        assert (np.abs(ours[:, pair] - theirs) <= 5 * error + 5e-4).all()


def test_without_correlation_and_rope_the_posterior_is_one_minus_the_one_sided_p():
    D = differences()
    worse, equivalent, better = correlated_t(D, 0.0)
    np.testing.assert_allclose(
        worse, stats.ttest_1samp(D, 0, alternative="greater").pvalue, rtol=1e-9
    )
    np.testing.assert_allclose(better, 1 - worse, rtol=1e-12)
    np.testing.assert_allclose(equivalent, 0, atol=1e-15)


@pytest.mark.parametrize(
    ("value", "expected"), [(0.5, (1 / 2) ** 0.25), (0.15, (1 - 1 / np.sqrt(2)) ** 0.5)]
)
def test_one_difference_has_an_exact_answer(value, expected):
    # weights u of the difference and 1 - u of the 0, u from Beta(1, 1/2); the difference wins with u(2 - u) > 1/2 where
    # its mean with 0 is beyond the rope too, and with u^2 > 1/2 where it is not; P(u > x) = sqrt(1 - x)
    worse, equivalent, better = signed_rank(np.array([[value]]), 0.1, 0.5, 40_000, 0).ravel()
    assert worse == 0
    assert better == pytest.approx(expected, abs=5 * np.sqrt(expected * (1 - expected) / 40_000))
    assert equivalent == pytest.approx(1 - better, abs=1e-12)


@pytest.mark.broad
@pytest.mark.parametrize("name", ["correlated_t", "signed_rank"])
def test_probabilities_add_up_to_1_and_turn_with_the_pair(name):
    found = SCORES.ireval.equivalence("AP", rope=0.02, test=name, draws=2000)
    shares = found[["worse", "equivalent", "better"]]
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    assert (shares >= 0).all(axis=None)
    turned = SCORES.ireval.equivalence("AP", rope=0.02, test=name, baseline="rerank-s1", draws=2000)
    one = found[(found["run_a"] == "rerank-s1") & (found["run_b"] == "splade-s1")].iloc[0]
    two = turned[turned["run_a"] == "splade-s1"].iloc[0]
    assert (one["worse"], one["better"]) == pytest.approx((two["better"], two["worse"]), abs=1e-12)


@pytest.mark.parametrize("name", ["correlated_t", "signed_rank"])
def test_a_run_is_equivalent_to_itself_whatever_the_rope(name):
    twin = SCORES[SCORES["run"].isin(["bm25"])]
    both = pd.concat([twin, twin.assign(run="again")])
    both.attrs = dict(SCORES.attrs)
    found = both.ireval.equivalence("AP", rope=1e-6, test=name, draws=200)
    assert found[["worse", "equivalent", "better"]].to_numpy().tolist() == [[0.0, 1.0, 0.0]]


def test_without_a_rope_equal_runs_are_as_often_worse_as_better():
    assert signed_rank(np.zeros((4, 1)), 0.0, 0.5, 100, 0).ravel().tolist() == [0.5, 0.0, 0.5]


@pytest.mark.broad
def test_a_wider_rope_makes_more_of_it_equivalent():
    ropes = [0.0, 0.01, 0.02, 0.05, 0.1]
    for test in ("correlated_t", "signed_rank"):
        found = [
            SCORES.ireval.equivalence("AP", rope=rope, test=test, draws=1000)["equivalent"]
            for rope in ropes
        ]
        assert (np.diff(np.stack(found), axis=0) >= -1e-12).all()


def test_better_is_better_also_where_less_of_the_measure_is():
    found = SCORES.ireval.equivalence("ASL", rope=0.0)
    assert ((found["better"] > 0.5) == (found["mean_a"] < found["mean_b"])).all()


def test_a_query_that_one_side_lacks_does_not_count_for_the_pair():
    D = differences(queries=9, pairs=2)
    D[4, 1] = np.nan
    less = np.delete(D[:, 1:], 4, axis=0)
    np.testing.assert_allclose(
        correlated_t(D, 0.01)[:, 1], correlated_t(less, 0.01)[:, 0], rtol=1e-12
    )
    ours, theirs = (
        signed_rank(D, 0.01, 0.5, 20_000, 0)[:, 1],
        signed_rank(less, 0.01, 0.5, 20_000, 1)[:, 0],
    )
    np.testing.assert_allclose(ours, theirs, atol=5 * np.sqrt(0.5 / 20_000))


def test_the_same_seed_gives_the_same_draws_in_blocks_of_any_size(monkeypatch):
    D = differences()
    whole = signed_rank(D, 0.01, 0.5, 500, 3)
    monkeypatch.setattr("pdeval.significance.equivalence.BLOCK", 1)
    np.testing.assert_allclose(signed_rank(D, 0.01, 0.5, 500, 3), whole, rtol=0, atol=1e-15)
    found = SCORES.ireval.equivalence("AP", rope=0.01, test="signed_rank", draws=100, seed=None)
    again = SCORES.ireval.equivalence(
        "AP", rope=0.01, test="signed_rank", draws=100, seed=found.attrs["seed"]
    )
    pd.testing.assert_frame_equal(found, again)


def test_preferences_and_groups_have_their_own_probabilities():
    assert JUDGED.equivalence("RPP", rope=0.05)["mean_a"].isna().all()
    halves = SCORES.assign(half=SCORES["query_id"].astype(int) % 2)
    found = halves.ireval.equivalence("AP", rope=0.01, by="half")
    alone = SCORES[SCORES["query_id"].astype(int) % 2 == 1].ireval.equivalence("AP", rope=0.01)
    assert found.loc[found["half"] == 1, "better"].tolist() == alone["better"].tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rope": -0.1}, r"^rope=-0\.1: .* number of at least 0\.$"),
        ({"rope": 0.1, "correlation": 1.0}, r"^correlation=1\.0: expected a number in \[0, 1\)\.$"),
        ({"rope": 0.1, "prior": 0.0}, r"^prior=0\.0: .* number above 0\.$"),
        ({"rope": 0.1, "test": "t"}, "test='t'"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        SCORES.ireval.equivalence("AP", **options)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.1, [0, 1, 0]), (0.2, [0, 0, 1]), (-0.1, [0, 1, 0]), (-0.2, [1, 0, 0])],
)
def test_differences_that_do_not_vary_are_where_they_are_and_the_ends_of_the_rope_are_within(
    value, expected
):
    assert correlated_t(np.full((5, 1), value), 0.1).ravel().tolist() == expected


def test_the_table_has_the_probabilities_of_each_pair_with_the_options_that_were_asked_for():
    three = SCORES[(SCORES["measure"] == "AP") & SCORES["run"].isin(["bm25", "ql", "tfidf"])]
    wide = three.pivot(index="query_id", columns="run", values="value")
    a, b = ["bm25", "bm25", "ql"], ["ql", "tfidf", "tfidf"]
    D = wide[a].to_numpy() - wide[b].to_numpy()
    shares = ["worse", "equivalent", "better"]
    found = three.ireval.equivalence(rope=0.02, correlation=0.3)
    assert faults(SCHEMAS["equivalences"], found, {"run": ["run"], "query": ["query_id"]}) == []
    assert (found["run_a"].tolist(), found["run_b"].tolist(), found["n"].tolist()) == (
        a,
        b,
        [48, 48, 48],
    )
    np.testing.assert_allclose(
        found[["mean_a", "mean_b"]].T, [wide[a].mean(), wide[b].mean()], rtol=1e-12
    )
    np.testing.assert_allclose(found["difference"], D.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(found[shares].T, correlated_t(D, 0.02, 0.3), rtol=1e-9)
    assert found.attrs["correlation"] == 0.3
    assert "prior" not in found.attrs
    drawn = three.ireval.equivalence(rope=0.02, test="signed_rank", prior=2.5, draws=300, seed=4)
    np.testing.assert_allclose(drawn[shares].T, signed_rank(D, 0.02, 2.5, 300, 4), rtol=1e-9)
    assert {name: drawn.attrs[name] for name in ("prior", "draws", "seed")} == {
        "prior": 2.5,
        "draws": 300,
        "seed": 4,
    }
    assert "correlation" not in drawn.attrs
    once = three.ireval.equivalence(rope=0.02, test="signed_rank", draws=1)
    assert set(once[shares].to_numpy().ravel()) == {0.0, 1.0}


def test_two_runs_with_fewer_than_two_queries_in_common_are_named():
    some = SCORES[(SCORES["measure"] == "AP") & SCORES["run"].isin(["bm25", "ql"])]
    first = some["query_id"] <= "110"
    apart = some[
        (some["run"] == "bm25") & first
        | (some["run"] == "ql") & (~first | (some["query_id"] == "110"))
    ]
    with pytest.raises(
        ValueError, match=r"1 pairs have fewer than two common queries for 'AP', .* with 1"
    ):
        apart.ireval.equivalence(rope=0.01)


def test_ends_of_what_is_allowed_are_allowed_and_what_is_beyond_them_is_refused():
    values = np.random.default_rng(0).random((1, 5, 2))
    queries = pd.Index(range(5), name="query_id")
    two = Scores(pd.DataFrame({"run": ["a", "b"]}), queries, ("AP",), values, np.array([True]))
    drawn = {"test": "signed_rank", "rope": 0.1}
    for options in (
        {"rope": 0.0},
        {"rope": 0.1, "correlation": 0.0},
        {**drawn, "prior": 1e-9, "draws": 1},
    ):
        assert len(equivalence(two, **options)) == 1
    for options, message in (
        ({"rope": np.inf}, r"^rope=inf: .* number of at most"),
        ({"rope": np.nan}, r"^rope=nan: .* number of at least 0\.$"),
        ({"rope": -1e-9}, r"^rope=-1e-09: .* number of at least 0\.$"),
        (
            {"rope": 0.1, "correlation": -1e-9},
            r"^correlation=-1e-09: expected a number in \[0, 1\)\.$",
        ),
        ({"rope": 0.1, "prior": np.nan}, r"^prior=nan: .* number above 0\.$"),
        ({**drawn, "draws": 0}, "draws=0: expected an integer of at least 1"),
    ):
        with pytest.raises(ValueError, match=message):
            SCORES.ireval.equivalence("AP", **options)
    with pytest.raises(ValueError, match="seed=-1"):
        pdeval.datasets.sample_judged(queries="common").equivalence("AP", **drawn, seed=-1)
    one = Scores(two.runs[:1], queries, ("AP",), values[:, :, :1], np.array([True]))
    with pytest.raises(ValueError, match="at least two runs, found 1"):
        equivalence(one, rope=0.1)


@pytest.mark.parametrize("block", [1, 2**20])
def test_measures_and_pairs_stand_in_order_with_their_own_queries_in_blocks_of_any_size(
    block, monkeypatch
):
    monkeypatch.setattr("pdeval.significance.paired_differences.BLOCK", block)
    three = SCORES[SCORES["run"].isin(["bm25", "ql", "tfidf"])]
    some = three[(three["run"] != "ql") | (three["query_id"] > "110") | (three["measure"] == "ASL")]
    found = some.ireval.equivalence(rope=0.01)
    assert found["measure"].tolist() == ["AP"] * 3 + ["ASL"] * 3
    assert found["run_a"].tolist() == ["bm25", "bm25", "ql"] * 2
    assert found["run_b"].tolist() == ["ql", "tfidf", "tfidf"] * 2
    assert found["n"].dtype == np.int64
    assert set(found["test"]) == {"correlated_t"}
    assert set(found["rope"]) == {0.01}
    assert (found.attrs["ties"], found.attrs["queries"]) == (
        "docid",
        None,
    )  # the runs have different queries
    assert found.attrs["seed"] == 0
    for row in found.itertuples():
        wide = some[some["measure"] == row.measure].pivot(
            index="query_id", columns="run", values="value"
        )
        both = wide[[row.run_a, row.run_b]].dropna().to_numpy()
        D = (both[:, 0] - both[:, 1]) * (1 if row.measure == "AP" else -1)
        assert row.n == len(D)
        wanted = [*both.mean(axis=0), D.mean(), *correlated_t(D[:, None], 0.01)[:, 0]]
        got = [row.mean_a, row.mean_b, row.difference, row.worse, row.equivalent, row.better]
        assert got == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_a_new_seed_is_drawn_for_each_call_without_one():
    two = SCORES[(SCORES["measure"] == "AP") & SCORES["run"].isin(["bm25", "ql"])]
    seeds = {two.ireval.equivalence(rope=0.1, seed=None).attrs["seed"] for _ in range(3)}
    assert len(seeds) == 3
    assert all(isinstance(seed, int) and 0 <= seed < 2**63 for seed in seeds)
