"""Orderings: hand-worked examples and their properties; pref_eval's own results are in parity/."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize, stats

import pdeval
from pdeval.evaluate import cube
from pdeval.orderings import order as order_module
from pdeval.orderings import votes
from pdeval.orderings.methods import bradley_terry, mc4, orderings
from pdeval.orderings.order import _of_judgments, order, ordered
from pdeval.orderings.votes import ranks, tally
from tests.examples import examples

ALL = list(orderings())
PAIRED = ["winrate", "borda", "copeland", "mc4", "bradley-terry"]


def scores(values, *, runs=None, higher=True, measures=("AP",)):
    values = np.array(values, dtype=float)
    values = values if values.ndim == 3 else values[None]
    names = runs or list("abcdefghij")[: values.shape[2]]
    queries = pd.Index([str(q + 1) for q in range(values.shape[1])], name="query_id")
    return cube.Scores(
        pd.DataFrame({"run": names}), queries, measures, values, np.full(len(values), higher)
    )


def differences(table):
    a, b = cube.all_pairs(len(table.runs))
    x = table.oriented()
    return cube.Preferences(
        table.runs, table.queries, table.measures, a, b, x[:, :, a] - x[:, :, b]
    )


def by_run(frame, column="rank"):
    return (
        frame.assign(run=frame["run"].astype(str))
        .groupby(["measure", "method", "run"], observed=True)[column]
        .first()
    )


grades = st.sampled_from([0.0, 0.25, 0.5, 1.0])


def tables(queries=(1, 6), runs=(2, 6)):
    shape = st.tuples(st.integers(*queries), st.integers(*runs))
    return shape.flatmap(lambda s: arrays(np.float64, s, elements=grades))


# five queries; first, second and third place: a b c twice, b c a twice, c a b once
CYCLE = [[3, 2, 1], [3, 2, 1], [1, 3, 2], [1, 3, 2], [2, 1, 3]]


def test_mean_is_in_the_unit_of_the_measure_and_follows_its_direction():
    table = order(scores([[10, 30, 20], [20, 30, 20]], higher=False))
    assert table["run"].tolist() == ["a", "c", "b"]
    assert table["score"].tolist() == [15.0, 20.0, 30.0]
    assert table["rank"].tolist() == [1, 2, 3]


def test_mean_leaves_out_the_queries_that_do_not_count_for_a_run():
    table = order(scores([[0.5, 0.4], [np.nan, 0.2]]))
    assert table["score"].tolist() == pytest.approx([0.5, 0.3])


def test_win_rates_are_averaged_over_opponents_and_queries():
    pairs = cube.Preferences(
        pd.DataFrame({"run": ["a", "b", "c"]}), pd.Index(["1", "2"], name="query_id"), ("RPP",),
        np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([[[1.0, 0.5, 0.5], [-1.0, 0.0, 0.25]]]),
    )  # fmt: skip
    table = by_run(order(pairs), "score")
    assert table.tolist() == [(1.5 - 1.0) / 4, (-0.5 + 1.25) / 4, (-1.0 - 0.25) / 4]


def test_borda_counts_the_runs_below_with_ties_as_halves():
    table = order(scores([[3, 2, 1], [1, 1, 0]]), method="borda")
    assert by_run(table, "score").tolist() == [(2 + 1.5) / 2, (1 + 1.5) / 2, 0.0]


def test_copeland_counts_majorities_won_less_lost():
    table = order(scores([*CYCLE, [3, 2, 1]]), method="copeland")
    # a over b 4:2, b over c 5:1, c against a 3:3
    assert by_run(table, "score").tolist() == [1.0, 0.0, -1.0]


def test_a_majority_cycle_is_a_tie_for_copeland_and_mc4_but_not_for_borda():
    table = by_run(order(scores(CYCLE), method=["copeland", "mc4", "borda"]))
    assert table["AP", "copeland"].tolist() == [1, 1, 1]
    assert table["AP", "mc4"].tolist() == [1, 1, 1]
    assert table["AP", "borda"].tolist() == [2, 1, 3]


def test_mc4_solves_the_walk_of_two_runs():
    # from the loser one moves with chance (1 - t)/2 and jumps with t/2: its mass is t/2 / (1 - (1 - t)/2)
    table = by_run(order(scores([[1, 0]]), method="mc4(teleport=0.1)"), "score")
    loser = 0.05 / (1 - 0.45)
    np.testing.assert_allclose(table.tolist(), [1 - loser, loser], rtol=1e-14)


def test_mc4_does_not_flatten_what_is_below_an_unbeaten_run():
    table = order(scores([[5, 4, 3, 2, 1]]), method="mc4")
    assert table["run"].tolist() == ["a", "b", "c", "d", "e"]
    assert table["rank"].tolist() == [1, 2, 3, 4, 5]


@examples(40)
@given(tables(queries=(1, 7)), st.sampled_from([0.01, 0.2, 1.0]))
def test_mc4_is_the_stationary_distribution_of_its_walk(x, teleport):
    net, _ = tally(ranks(x), np.ones(x.shape, dtype=bool), np.ones((1, len(x))))
    n = x.shape[1]
    walk = (net[0] < 0) / n
    walk += np.diag(1 - walk.sum(axis=1))
    walk = (1 - teleport) * walk + teleport / n
    mass = mc4(net, teleport=teleport)[0]
    np.testing.assert_allclose(mass @ walk, mass, atol=1e-15)
    assert mass.sum() == pytest.approx(1, abs=1e-14)


def test_bradley_terry_of_two_runs_is_the_log_odds_of_winning():
    # 3 wins, 1 loss, 2 ties, and a prior of half a tied query: 4.25 against 2.25 wins
    table = order(scores([[1, 0]] * 3 + [[0, 1]] + [[1, 1]] * 2), method="bradley-terry(prior=0.5)")
    np.testing.assert_allclose(
        table["score"], [np.log(4.25 / 2.25) / 2, -np.log(4.25 / 2.25) / 2], rtol=1e-12
    )


def test_bradley_terry_keeps_a_run_that_always_wins_finite():
    table = order(scores([[5, 4, 3, 2, 1]] * 50), method="bradley-terry")
    assert table["run"].tolist() == ["a", "b", "c", "d", "e"]
    assert np.isfinite(table["score"]).all()
    assert (np.diff(table["score"]) < -1).all()


@examples(25)
@given(tables(queries=(1, 7)), st.sampled_from([0.1, 1.0]))
def test_bradley_terry_is_the_maximum_of_the_likelihood(x, prior):
    net, shared = tally(ranks(x), np.ones(x.shape, dtype=bool), np.ones((1, len(x))))
    won = np.where(np.eye(x.shape[1]) > 0, 0, (shared[0] + prior + net[0]) / 2)

    def loss(s):
        return (won * np.logaddexp(0, s[None, :] - s[:, None])).sum() + s.mean() ** 2

    best = optimize.minimize(loss, np.zeros(x.shape[1]), method="BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose(bradley_terry(net, shared, prior=prior)[0], best, atol=1e-5)


@pytest.mark.broad
@examples(30)
@given(tables(), st.data())
def test_orderings_do_not_depend_on_the_order_of_queries_or_of_runs(x, data):
    q, r = (data.draw(st.permutations(range(size))) for size in x.shape)
    names = [f"r{k}" for k in range(x.shape[1])]
    kept = by_run(order(scores(x, runs=names), method=ALL))
    moved = by_run(order(scores(x[q][:, r], runs=[names[k] for k in r]), method=ALL))
    pd.testing.assert_series_equal(kept, moved)


@pytest.mark.broad
@examples(30)
@given(tables(), st.data())
def test_preferences_order_alike_after_renaming_and_turning_pairs(x, data):
    r = data.draw(st.permutations(range(x.shape[1])))
    names = [f"r{k}" for k in range(x.shape[1])]
    table = differences(scores(x / 3, runs=names))
    kept = by_run(order(table, method=PAIRED))
    renamed = differences(scores(x / 3, runs=[names[k] for k in r]))
    turned = cube.Preferences(
        renamed.runs,
        renamed.queries,
        ("AP",),
        renamed.b[::-1],
        renamed.a[::-1],
        -renamed.values[:, :, ::-1],
    )
    back = dict(zip(names, names)) | {names[k]: names[i] for i, k in enumerate(r)}
    moved = order(turned, method=PAIRED)
    moved = by_run(moved.assign(run=moved["run"].astype(str).map(back)))
    pd.testing.assert_series_equal(kept, moved)


@examples(30)
@given(tables(), st.sampled_from([1e-9, 0.37, 1e9]))
def test_orderings_do_not_depend_on_the_unit(x, unit):
    pd.testing.assert_series_equal(
        by_run(order(scores(x), method=ALL)), by_run(order(scores(x * unit), method=ALL))
    )
    pairs = differences(scores(x)), differences(scores(x * unit))
    pd.testing.assert_series_equal(*(by_run(order(table, method=PAIRED)) for table in pairs))


@examples(40)
@given(tables(queries=(1, 7)))
def test_a_run_that_beats_every_other_by_majority_is_first_by_copeland_and_mc4(x):
    net = np.sign(x[:, :, None] - x[:, None, :]).sum(axis=0)
    winner = np.flatnonzero((net > 0).sum(axis=1) == x.shape[1] - 1)
    assume(len(winner))
    table = order(scores(x), method=["copeland", "mc4"])
    first = table[table["rank"] == 1]
    assert first["run"].tolist() == ["abcdefghij"[winner[0]]] * 2


@examples(30)
@given(tables())
def test_scores_and_their_differences_have_the_same_win_rates(x):
    one, other = (
        by_run(order(table, method="winrate"), "score")
        for table in (scores(x), differences(scores(x)))
    )
    pd.testing.assert_series_equal(one, other, atol=1e-14)


@examples(30)
@given(tables())
def test_borda_is_the_number_of_runs_less_the_mean_rank(x):
    mean_rank = stats.rankdata(-x, axis=1).mean(axis=0)
    np.testing.assert_allclose(
        by_run(order(scores(x), method="borda"), "score"), x.shape[1] - mean_rank, atol=1e-14
    )


@pytest.mark.broad
@examples(30)
@given(tables())
def test_win_rates_given_directly_order_as_the_preferences_they_sum(x):
    wins = (x[:, :, None] - x[:, None, :]).sum(axis=2)
    direct = by_run(ordered(scores(wins), method=PAIRED, winrates=True))
    pd.testing.assert_series_equal(direct, by_run(order(differences(scores(x)), method=PAIRED)))


def test_identical_runs_are_tied_by_every_method():
    rng = np.random.default_rng(3)
    x = rng.random((20, 5))[:, [0, 1, 2, 1, 3, 4, 1]]
    for table in (order(scores(x), method=ALL), order(differences(scores(x)), method=PAIRED)):
        same = by_run(table).unstack()[["b", "d", "g"]]
        assert (same.nunique(axis=1) == 1).all()


def test_pairs_vote_over_the_queries_that_both_have():
    # b is absent from query 3, where it would have lost to nobody else's benefit
    table = order(scores([[1, 0, 0.5], [1, 0, 0.5], [0, np.nan, 1]]), method=["borda", "copeland"])
    assert by_run(table, "score")["AP", "borda"].tolist() == pytest.approx(
        [1 + 2 / 3, 0.0, 1 + 1 / 3]
    )
    assert by_run(table, "score")["AP", "copeland"].tolist() == [2.0, -2.0, 0.0]


def test_a_stream_of_blocks_is_as_good_as_the_whole():
    table = differences(scores(np.random.default_rng(0).random((4, 5))))

    class Stream:
        runs, queries, measures, a, b, attrs = (
            table.runs,
            table.queries,
            table.measures,
            table.a,
            table.b,
            {},
        )

        def blocks(self, measure):
            for k in range(0, len(table.a), 3):
                yield slice(k, k + 3), table.values[measure][:, k : k + 3]

    pd.testing.assert_frame_equal(order(Stream(), method=PAIRED), order(table, method=PAIRED))


def test_rows_go_by_measure_and_method_as_asked_then_by_rank():
    x = np.array([[[1, 2, 3]], [[3, 2, 1]]])
    runs = pd.DataFrame({"model": ["m", "m", "n"], "seed": [1, 2, 1]})
    table = scores(x, measures=("RR", "AP"))
    table = cube.Scores(
        runs, table.queries, table.measures, table.values, table.higher, {"level": 2}
    )
    frame = order(table, method=["mean", "borda"])
    assert list(frame.columns) == ["model", "seed", "measure", "method", "score", "rank"]
    assert frame["measure"].tolist() == ["RR"] * 6 + ["AP"] * 6
    assert frame["method"].tolist() == (["mean"] * 3 + ["borda"] * 3) * 2
    assert frame["seed"].tolist() == [1, 2, 1] * 2 + [1, 2, 1] * 2
    assert frame["model"].tolist() == ["n", "m", "m"] * 2 + ["m", "m", "n"] * 2
    assert frame["rank"].tolist() == [1, 2, 3] * 4
    assert frame.attrs == {"level": 2}


def test_rank_intervals_hold_the_rank_and_are_the_same_for_the_same_seed():
    table = scores(np.random.default_rng(1).random((30, 8)) + np.arange(8) / 20)
    one = order(table, method=ALL, draws=200, seed=5)
    assert ((one["rank_low"] <= one["rank"]) & (one["rank"] <= one["rank_high"])).all()
    pd.testing.assert_frame_equal(one, order(table, method=ALL, draws=200, seed=5))
    assert not one.equals(order(table, method=ALL, draws=200, seed=6))


@pytest.mark.broad
def test_rank_intervals_do_not_depend_on_the_memory_block_or_on_what_else_is_asked(monkeypatch):
    table = scores(np.random.default_rng(1).random((2, 12, 4)), measures=("AP", "RR"))
    whole = order(table, method=ALL, draws=40)
    monkeypatch.setattr(order_module, "BLOCK", 64)
    monkeypatch.setattr(votes, "BLOCK", 64)
    pd.testing.assert_frame_equal(order(table, method=ALL, draws=40), whole)
    alone = order(scores(table.values[1], measures=("RR",)), method="mc4", draws=40)
    kept = whole[(whole["measure"] == "RR") & (whole["method"] == "mc4")].reset_index(drop=True)
    for column in ("rank", "rank_low", "rank_high"):
        assert alone[column].tolist() == kept[column].tolist()


@pytest.mark.broad
def test_rank_intervals_equal_those_of_queries_drawn_one_by_one():
    x = np.random.default_rng(2).random((8, 4)).round(1)
    drawn = np.random.default_rng(7).multinomial(8, np.full(8, 1 / 8), size=25)
    again = [by_run(order(scores(np.repeat(x, times, axis=0)), method=ALL)) for times in drawn]
    options = {"seed": 7, "confidence": 0.9, "rank_interval": "percentile"}
    found = order(scores(x), method=ALL, draws=25, **options)
    # of 25 sorted ranks, the 2nd is the first at which 5% are reached, the 24th 95%
    table = np.sort(np.array(again), axis=0)
    low, high = pd.Series(table[1], again[0].index), pd.Series(table[23], again[0].index)
    pd.testing.assert_series_equal(by_run(found, "rank_low"), low, check_names=False)
    pd.testing.assert_series_equal(by_run(found, "rank_high"), high, check_names=False)


def test_a_run_that_always_wins_is_first_in_every_resample():
    x = scores([[3, 1, 2], [3, 2, 1], [3, 2, 1]])
    table = order(x, method=ALL, draws=50, rank_interval="percentile")
    first = table[table["run"] == "a"]
    assert (first[["rank", "rank_low", "rank_high"]] == 1).all().all()


def test_compat_breaks_ties_by_name_descending():
    table = order(scores([[1, 1, 2]], runs=["x", "y", "b"]), method=ALL, compat="pref_eval")
    assert table["run"].tolist() == ["b", "y", "x"] * len(ALL)
    assert table["rank"].tolist() == [1, 2, 3] * len(ALL)


def test_preferences_have_no_mean():
    with pytest.raises(
        ValueError,
        match=r"requires scores; preferences have no value per run. Use method='winrate'",
    ):
        order(differences(scores([[1, 2]])), method="mean")


def test_preferences_are_ordered_by_win_rate_unless_asked():
    assert order(differences(scores([[1, 2]])))["method"].tolist() == ["winrate"] * 2


def test_an_unknown_method_suggests_the_nearest():
    with pytest.raises(
        KeyError, match=r"no ordering 'Bradley_Terry'. Did you mean 'bradley-terry'"
    ):
        order(scores([[1, 2]]), method="Bradley_Terry")


def test_no_method_is_an_error():
    with pytest.raises(ValueError, match=r"^method=\[\] is empty"):
        order(scores([[1, 2]]), method=[])


def test_pairs_against_a_baseline_cannot_be_ordered():
    table = differences(scores([[1, 2, 3]]))
    part = cube.Preferences(
        table.runs, table.queries, ("AP",), table.a[:2], table.b[:2], table.values[:, :, :2]
    )
    with pytest.raises(ValueError, match="2 of 3 pairs of runs, all against 'a'"):
        order(part)


def test_one_run_is_no_ordering():
    with pytest.raises(ValueError, match=r"needs at least two runs, found 1: \['a'\]"):
        order(scores([[1]]))


def test_no_query_is_no_ordering():
    with pytest.raises(ValueError, match="needs at least one query"):
        order(scores(np.zeros((0, 2))))


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (
            {"compat": "trec_eval"},
            r"compat='trec_eval': order\(\) of a table expects 'pref_eval' or None\.",
        ),
        (
            {"method": "mc4(teleport=0)"},
            r"teleport=0: expected a number in \(0, 1\]; without teleport the result is not unique\.",
        ),
        (
            {"method": "mc4(teleport=2)"},
            r"teleport=2 in 'mc4\(teleport=2\)': expected a number between 0 and 1",
        ),
        ({"method": "bradley-terry(prior=0)"}, "prior=0: expected a number above 0"),
    ],
)
def test_options_out_of_range_are_errors(option, message):
    with pytest.raises(ValueError, match=message):
        order(scores([[1, 2]]), **option)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"draws": -1}, "draws=-1: expected an integer of at least 0"),
        ({"confidence": 95}, "confidence=95: expected a fraction between 0 and 1; 95% is 0.95"),
        ({"seed": "x"}, "seed='x': expected a non-negative integer, or None"),
    ],
)
def test_options_are_checked_at_the_call(option, message):
    with pytest.raises(ValueError, match=message):
        scores([[1, 2]]).frame().ireval.order(**option)


def test_the_catalog_lists_every_method():
    listed = pdeval.catalog().query("family == 'ordering'").set_index("name")["summary"]
    assert set(orderings()) == set(listed.index)
    assert listed["mc4"].startswith("MC4: the time spent at the run")


@pytest.mark.parametrize("queries", ["answered", "common", "judged"])
def test_win_rates_of_queries_that_all_or_no_runs_answered_form_no_pairs(monkeypatch, queries):
    runs = pd.DataFrame(
        [(run, query, doc, -place) for run, docs in (("x", "ab"), ("y", "ba")) for query in "12"
         for place, doc in enumerate(docs)],
        columns=["run", "query_id", "doc_id", "score"],
    )  # fmt: skip
    qrels = pd.DataFrame(
        {"query_id": ["1", "2", "3"], "doc_id": "a", "relevance": 1}
    )  # nobody answered query 3
    monkeypatch.setattr(order_module, "select", None)
    judged = runs.ireval.join(qrels, queries=queries)
    assert order_module.of_judged(judged, "RPP", warn=False)["run"].tolist() == ["x", "y"]


def test_tied_runs_and_queries_that_nothing_names_keep_their_order():
    names = [f"r{i:02}" for i in range(40)]
    found = order(scores([[0.5, 0.25] * 20], runs=names))
    assert found["run"].tolist() == names[::2] + names[1::2]
    queries = pd.Index([f"q{i}" for i in range(40)])
    assert order_module.as_they_stand(pd.Series(["q7"]), queries).tolist() == [
        7,
        *range(7),
        *range(8, 40),
    ]


@pytest.mark.parametrize(("level", "order"), [(None, [1, 0]), (1, [1, 0]), (2, [0, 1])])
def test_queries_stand_in_the_order_of_their_first_item_that_is_relevant(level, order):
    qrels = pd.DataFrame(
        {"query_id": ["q2", "q1", "q2"], "doc_id": ["a", "b", "c"], "relevance": [1, 2, 2]}
    )
    runs = pd.DataFrame({"run": "x", "query_id": ["q1", "q2"], "doc_id": ["b", "a"], "score": 1.0})
    judged = runs.ireval.join(qrels, level=level)
    assert _of_judgments(judged, level, pd.Index(["q1", "q2"])).tolist() == order
