"""Optimized and pairwise multileaving: against enumeration by plain loops, and unbiased under random clicks."""

import warnings
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import linprog

import pdeval
from pdeval.online.interleaving import distribution, possible
from tests.online.test_interleaving import runs

TWO = {"a": "wxyz", "b": "xzwy"}
THREE = {"a": "xyz", "b": "xzy", "c": "yxz"}
ODD = {"a": "xyzuv", "b": "zxw", "c": "yw"}
CASES = [TWO, THREE, ODD, {"a": "xy", "b": "uv"}]


def allowed(rankings, depth):
    """Every list in which each document is some run's best that is not yet there, by recursion."""

    def extend(shown):
        left = {next((d for d in docs if d not in shown), None) for docs in rankings.values()} - {
            None
        }
        if len(shown) == depth or not left:
            return [shown]
        return [whole for doc in sorted(left) for whole in extend(shown + doc)]

    return sorted(set(extend("")))


def worth(ranking, doc):
    return 1 / (ranking.index(doc) + 1 if doc in ranking else len(ranking) + 1)


def prefix_credit(rankings, shown):
    """What random clicks on the first k results earn each run, for every k."""
    return np.array(
        [np.cumsum([worth(ranking, doc) for doc in shown]) for ranking in rankings.values()]
    )


def pairwise_lists(rankings, depth):
    """Every pairwise list with its probability, exactly: at each position any document that some run ranks as high."""

    def extend(shown, chance):
        here = sorted(
            {doc for docs in rankings.values() for doc in docs[: len(shown) + 1]} - set(shown)
        )
        if len(shown) == depth or not here:
            return [(shown, chance)]
        return [one for doc in here for one in extend(shown + doc, chance / len(here))]

    return extend("", Fraction(1))


def naive_pairwise(rankings, shown, clicks):
    """Oosterhuis and de Rijke's inference, pair by pair; a run without either document is indifferent."""
    best = {
        doc: min(docs.index(doc) + 1 for docs in rankings.values() if doc in docs) for doc in shown
    }
    credit = dict.fromkeys(rankings, 0.0)
    for i, j in product(range(len(shown)), repeat=2):
        if i in clicks and j not in clicks and j <= max(clicks) + 1:
            low, high = sorted([best[shown[i]], best[shown[j]]])
            if min(i, j) + 1 < high:
                continue
            chance = 1.0
            for x in range(low, high):
                choices = len({doc for docs in rankings.values() for doc in docs[:x]}) - (x - 1)
                chance *= 1 - 1 / choices
            for run, docs in rankings.items():
                ranks = [docs.index(shown[k]) if shown[k] in docs else np.inf for k in (i, j)]
                credit[run] += (
                    0.5 if ranks[0] == ranks[1] else float(ranks[0] < ranks[1])
                ) / chance
    return credit


def clicked(lists, clicks):
    """A log of one session a list, in which the same positions (from 0) are clicked."""
    rows = lists[lists["position"].isin([one + 1 for one in clicks])]
    shown = lists.drop_duplicates(["query_id", "draw"]).assign(action="impression", rank=np.nan)
    hits = rows.assign(action="click", rank=rows["position"])
    log = pd.concat([shown, hits], ignore_index=True)[["query_id", "draw", "action", "rank"]]
    return log.assign(
        session=log["query_id"].astype(str) + "-" + log["draw"].astype(str), timestamp=0
    )


def quiet_lists(table, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return table.ireval.interleave.many(**options)


def texts(lists):
    return lists.sort_values("position").groupby("draw")["doc_id"].agg("".join)


@pytest.mark.parametrize("rankings", CASES, ids=lambda one: "-".join(one.values()))
@pytest.mark.parametrize("depth", [1, 2, 4, 9])
def test_the_lists_to_choose_from_are_all_that_picks_in_any_order_give(rankings, depth):
    letters = sorted(set("".join(rankings.values())))
    deepest = max(map(len, rankings.values()))
    ranked = np.array(
        [
            [letters.index(doc) for doc in docs] + [-1] * (deepest - len(docs))
            for docs in rankings.values()
        ]
    )
    found = possible(ranked, depth, 10_000, np.random.default_rng(0))
    assert sorted("".join(letters[doc] for doc in one) for one in found) == allowed(rankings, depth)
    few = possible(ranked, depth, 2, np.random.default_rng(0))
    assert {"".join(letters[doc] for doc in one) for one in few} <= set(allowed(rankings, depth))


@pytest.mark.parametrize("rankings", CASES, ids=lambda one: "-".join(one.values()))
def test_probabilities_are_as_fair_as_can_be_and_then_as_telling(rankings):
    """The two linear programmes written out with all constraints, list by list."""
    lists = allowed(rankings, 3)
    prefix = np.array([prefix_credit(rankings, shown) for shown in lists])  # (lists, runs, k)
    n, n_runs, length = prefix.shape
    credit = np.diff(prefix, axis=2, prepend=0).transpose(1, 0, 2)
    chance = distribution(credit)
    assert chance.sum() == pytest.approx(1)
    assert (chance >= 0).all()

    # variables: probabilities, the runs' common credit for each k, the largest distance from it
    rows, limits = [], []
    for k, run in product(range(length), range(n_runs)):
        common = np.eye(length)[k]
        for sign in (1, -1):
            rows.append([*(sign * prefix[:, run, k]), *(-sign * common), -1.0])
            limits.append(0.0)
    means = np.array(
        [[*prefix[:, :, k].mean(axis=1), *(-np.eye(length)[k]), 0.0] for k in range(length)]
    )
    equal = np.vstack([[*np.ones(n), *np.zeros(length), 0.0], means])
    fair = linprog([0.0] * (n + length) + [1.0], rows, limits, equal, [1.0] + [0.0] * length)
    expected = np.einsum("lrk,l->rk", prefix, chance)
    assert np.abs(expected - expected.mean(axis=0)).max() == pytest.approx(fair.fun, abs=1e-7)
    seen = (np.diff(prefix, axis=2, prepend=0) / np.arange(1, length + 1)).sum(axis=2)
    variance = np.array([np.sum((np.array(one) - np.mean(one)) ** 2) for one in seen])
    limited = [*rows, [0.0] * (n + length) + [1.0]]
    best = linprog(
        [*variance, *[0.0] * (length + 1)],
        limited,
        [*limits, fair.fun + 1e-9],
        equal,
        [1.0] + [0.0] * length,
    )
    assert chance @ variance == pytest.approx(best.fun, abs=1e-6)


def test_two_runs_earn_the_same_from_random_clicks_on_optimized_lists():
    """Enumerated: for every k, clicks on any of the first k results."""
    for rankings in (
        TWO,
        {"a": "xyz", "b": "zyx"},
        {"a": "xyzu", "b": "yvx"},
        {"a": "abcd", "b": "dcba"},
    ):
        lists = allowed(rankings, 4)
        prefix = np.array([prefix_credit(rankings, shown) for shown in lists])
        chance = distribution(np.diff(prefix, axis=2, prepend=0).transpose(1, 0, 2))
        expected = np.einsum("lrk,l->rk", prefix, chance)
        np.testing.assert_allclose(expected[0], expected[1], atol=1e-8)
    assert distribution(np.ones((2, 3, 2))).tolist() == [1 / 3] * 3


@pytest.mark.broad
def test_optimized_lists_are_drawn_with_their_probabilities():
    lists = runs(**TWO).ireval.interleave.many(method="optimized", depth=3, draws=20_000)
    shown = allowed(TWO, 3)
    prefix = np.array([prefix_credit(TWO, one) for one in shown])
    chance = distribution(np.diff(prefix, axis=2, prepend=0).transpose(1, 0, 2))
    counts = texts(lists).value_counts().reindex(shown).fillna(0).to_numpy()
    some = chance > 1e-9
    assert counts[~some].sum() == 0
    assert stats.chisquare(counts[some], 20_000 * chance[some] / chance[some].sum()).pvalue > 0.001


def test_runs_that_cannot_be_treated_alike_are_told():
    """a and b agree on the first document, c does not: no first document earns all three the same."""
    with pytest.warns(
        UserWarning,
        match=r"for 1 of 1 queries random clicks credit some runs more than others, by up to 0\.13 a list",
    ):
        runs(**THREE).ireval.interleave.many(method="optimized")


@pytest.mark.broad
def test_a_click_on_an_optimized_list_earns_the_inverse_rank():
    table = runs(**ODD)
    lists = quiet_lists(table, method="optimized", depth=4, draws=5)
    for clicks in ([0], [1, 3]):
        credits = clicked(lists, clicks).ireval.credit(lists, runs=table)
        for row in credits.itertuples():
            shown = texts(lists)[row.draw]
            for run, earned in ((row.run_a, row.credit_a), (row.run_b, row.credit_b)):
                assert earned == pytest.approx(sum(worth(ODD[run], shown[k]) for k in clicks))
            assert row.winner == (
                "tie"
                if row.credit_a == row.credit_b
                else "a"
                if row.credit_a > row.credit_b
                else "b"
            )


@pytest.mark.broad
@pytest.mark.parametrize("rankings", CASES, ids=lambda one: "-".join(one.values()))
def test_pairwise_lists_have_the_probabilities_of_the_definition(rankings):
    lists = runs(**rankings).ireval.interleave.many(method="pairwise", depth=4, draws=20_000)
    expected = {}
    for shown, chance in pairwise_lists(rankings, 4):
        expected[shown] = expected.get(shown, 0) + float(chance)
    counts = texts(lists).value_counts()
    assert set(counts.index) <= set(expected)
    counts = counts.reindex(list(expected)).fillna(0).to_numpy()
    if len(counts) > 1:
        assert stats.chisquare(counts, 20_000 * np.array(list(expected.values()))).pvalue > 0.001


@pytest.mark.broad
@pytest.mark.parametrize("rankings", CASES, ids=lambda one: "-".join(one.values()))
def test_clicks_on_pairwise_lists_earn_what_a_plain_loop_says(rankings):
    table = runs(**rankings)
    lists = table.ireval.interleave.many(method="pairwise", depth=4, draws=12, seed=3)
    length = int(lists["position"].max())
    for clicks in [one for size in (1, 2, length) for one in combinations(range(length), size)]:
        credits = clicked(lists, clicks).ireval.credit(lists, runs=table)
        assert (credits["clicks"] == len(clicks)).all()
        for row in credits.itertuples():
            expected = naive_pairwise(rankings, texts(lists)[row.draw], clicks)
            assert [row.credit_a, row.credit_b] == pytest.approx(
                [expected[row.run_a], expected[row.run_b]]
            )


@pytest.mark.parametrize("rankings", CASES, ids=lambda one: "-".join(one.values()))
def test_random_clicks_on_pairwise_lists_earn_all_runs_the_same(rankings):
    """Exactly, over all lists and all sets of clicks, each result clicked with any one probability."""
    for chance_of_click in (0.2, 0.7):
        expected = dict.fromkeys(rankings, 0.0)
        for shown, chance in pairwise_lists(rankings, 4):
            for size in range(1, len(shown) + 1):
                for clicks in combinations(range(len(shown)), size):
                    p = (
                        float(chance)
                        * chance_of_click**size
                        * (1 - chance_of_click) ** (len(shown) - size)
                    )
                    for run, earned in naive_pairwise(rankings, shown, clicks).items():
                        expected[run] += p * earned
        assert list(expected.values()) == pytest.approx(
            [next(iter(expected.values()))] * len(expected)
        )
        assert max(expected.values()) > 0


@pytest.mark.broad
def test_a_run_that_ranks_clicked_results_higher_wins():
    table = runs(good="abcdefgh", bad="hgfedcba", other="abdcefhg")
    for method in ("team-draft", "optimized", "pairwise"):
        lists = quiet_lists(table, method=method, draws=300, depth=6)
        hits = lists[lists["doc_id"].isin(["a", "b"])]
        log = hits.assign(action="click", session=hits["draw"], timestamp=0, rank=hits["position"])
        log = log[["query_id", "draw", "session", "timestamp", "action", "rank"]]
        options = {} if method == "team-draft" else {"runs": table}
        wins = (
            log.ireval.credit(lists, **options)
            .ireval.wins(per="impression")
            .set_index(["run_a", "run_b"])
        )
        assert wins.loc[("bad", "good"), "b_win_rate"] > 0.7
        assert wins.loc[("bad", "good"), "significant"]


@pytest.mark.broad
def test_lists_depend_on_the_seed_alone(monkeypatch):
    from pdeval.online import interleaving

    rng = np.random.default_rng(3)
    shuffled = [
        {name: "".join(rng.permutation(list("abcdefgh"))) for name in "xyz"} for _ in range(5)
    ]
    table = pd.concat(
        [runs(**one).assign(query_id=query) for query, one in enumerate(shuffled)],
        ignore_index=True,
    )
    for method in ("optimized", "pairwise"):
        lists = quiet_lists(table, method=method, seed=4, draws=3)
        turned = table.sample(frac=1, random_state=1)
        pd.testing.assert_frame_equal(lists, quiet_lists(turned, method=method, seed=4, draws=3))
        assert not lists.equals(quiet_lists(table, method=method, seed=5, draws=3))
        assert set(lists["method"]) == {method}
        assert lists["team"].isna().all()
        assert (lists.groupby(["query_id", "draw"])["doc_id"].nunique() == 8).all()
    pairwise = table.ireval.interleave.many(method="pairwise", draws=3)
    log = clicked(pairwise, [0, 2])
    credits = log.ireval.credit(pairwise, runs=table)
    monkeypatch.setattr(interleaving, "BLOCK", 50)
    pd.testing.assert_frame_equal(
        pairwise, table.ireval.interleave.many(method="pairwise", draws=3)
    )
    pd.testing.assert_frame_equal(credits, log.ireval.credit(pairwise, runs=table))


@pytest.mark.broad
def test_the_sample_goes_from_lists_over_clicks_to_wins():
    sample = pdeval.datasets.load_sample()
    some = sample.runs[sample.runs["run"].isin(["hybrid", "bm25", "tfidf"])]
    for method in ("optimized", "pairwise"):
        lists = quiet_lists(some, method=method, draws=4, candidates=50)
        credits = lists.ireval.simulate_clicks(sample.qrels).ireval.credit(lists, runs=some)
        wins = credits.ireval.wins().set_index(["run_a", "run_b"])
        assert wins.loc[("hybrid", "tfidf"), "a_wins"] > wins.loc[("hybrid", "tfidf"), "b_wins"]
        assert credits.ireval.preferences()["measure"].unique().tolist() == [method]


@pytest.mark.broad
def test_what_cannot_be_credited_is_said():
    table = runs(**ODD)
    lists = table.ireval.interleave.many(method="pairwise", depth=4)
    log = clicked(lists, [0])
    with pytest.raises(
        ValueError, match=r"pairwise lists are credited by the ranks of their runs: credit\(lists"
    ):
        log.ireval.credit(lists)
    with pytest.raises(
        ValueError, match=r"made of the runs a, b, c, but runs= has a, b\. Pass the same runs"
    ):
        log.ireval.credit(lists, runs=table[table["run"] != "c"])
    lists.attrs = {}
    with pytest.raises(
        ValueError, match="results of the lists are in none of the runs= for their query"
    ):
        log.ireval.credit(lists, runs=table.assign(doc_id=table["doc_id"] + "!"))
    drafted = table.ireval.interleave.many(depth=4)
    with pytest.raises(
        ValueError, match="runs= is for optimized and pairwise lists; these have teams"
    ):
        clicked(drafted, [0]).ireval.credit(drafted, runs=table)
    with pytest.raises(
        ValueError, match="method='best': choose 'team-draft', 'optimized' or 'pairwise'"
    ):
        table.ireval.interleave.many(method="best")


@pytest.mark.parametrize("wrong", [0, 10**13])
def test_positions_that_no_list_of_these_runs_has_are_refused(wrong):
    table = runs(**CASES[0])
    lists = table.ireval.interleave.many(method="pairwise", depth=4, draws=2, seed=3)
    clicks = clicked(lists, (1,))
    moved = lists.assign(position=lists["position"].where(lists.index > 0, wrong))
    moved.attrs = lists.attrs
    with pytest.raises(
        ValueError, match=rf"position {wrong} is not a position in a list of these runs, which have"
    ):
        clicks.ireval.credit(moved, runs=table)
