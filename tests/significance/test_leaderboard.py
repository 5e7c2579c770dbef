"""Leaderboards: the ranks of order, the tests of compare, collections as what is drawn, Elo's scale."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.significance import leaderboard as room


@pytest.fixture(scope="module")
def judged():
    return pdeval.datasets.sample_judged(queries="common")


@pytest.fixture(scope="module")
def scores(judged):
    return judged.measure(["AP", "RR"])


@pytest.mark.broad
@pytest.mark.parametrize("measures", ["AP", ["RPP", "AP"]])
def test_ranks_are_those_of_order_to_the_last_bit(judged, measures):
    board = judged.leaderboard(measures, draws=50)
    orders = judged.order(measures, draws=50)
    pd.testing.assert_frame_equal(
        pd.DataFrame(board[list(orders.columns)]),
        pd.DataFrame(orders),
        check_exact=True,
        obj="board",
    )


def test_runs_and_tables_have_the_same_board(judged, scores):
    by_table = scores.ireval.leaderboard("AP", draws=20)
    pd.testing.assert_frame_equal(judged.leaderboard("AP", draws=20), by_table, check_exact=True)


def test_the_top_are_those_that_the_corrected_test_does_not_tell_from_the_first(scores):
    board = scores.ireval.leaderboard("AP", draws=10)
    told = scores.ireval.compare("AP", correction="holm")
    first = board["run"].iloc[0]
    worse = {
        other
        for a, b, sure in zip(told["run_a"], told["run_b"], told["significant"])
        for one, other in ((a, b), (b, a))
        if sure and one == first
    }
    assert set(board.loc[~board["in_top_tier"], "run"]) == worse
    assert 0 < len(worse) < len(board)


@pytest.mark.broad
def test_a_sharper_test_leaves_fewer_at_the_top(scores):
    tops = [
        int(
            scores.ireval.leaderboard("AP", correction=how, alpha=alpha, draws=10)[
                "in_top_tier"
            ].sum()
        )
        for how, alpha in (("bonferroni", 0.001), ("holm", 0.05), ("none", 0.2))
    ]
    assert tops == sorted(tops, reverse=True)
    assert tops[0] > tops[-1] >= 1


@pytest.mark.broad
def test_the_board_does_not_depend_on_names_or_on_the_order_of_rows(scores):
    board = scores.ireval.leaderboard("AP", draws=20).set_index("run")
    named = {run: f"x{7 * k % 12:02}" for k, run in enumerate(sorted(board.index))}
    other = scores.assign(run=scores["run"].map(named)).sample(frac=1, random_state=3)
    again = (
        other.ireval.leaderboard("AP", draws=20)
        .set_index("run")
        .loc[[named[run] for run in board.index]]
    )
    columns = ["rank", "rank_low", "rank_high", "tier", "last_tier", "in_top_tier"]
    assert again[columns].to_numpy().tolist() == board[columns].to_numpy().tolist()


def test_runs_of_several_columns_are_told_apart_though_their_names_would_join_to_one():
    runs = [("a / b", "c", 0.1), ("a", "b / c", 0.5), ("a", np.nan, 0.9)]
    rows = [
        (*run[:2], str(query), "AP", run[2] + query / 1000)
        for run in runs
        for query in (0, 5, 1, 4)
    ]
    table = pd.DataFrame(rows, columns=["model", "variant", "query_id", "measure", "value"])
    # constant differences: every two are told apart
    table["value"] += np.tile([0.0, 0.001, 0.0, 0.002], 3) * np.repeat([1, 2, 3], 4)
    board = table.ireval(run=["model", "variant"]).leaderboard(draws=10)
    assert board["tier"].tolist() == [1, 2, 3]
    assert board["in_top_tier"].tolist() == [True, False, False]
    assert board["model"].tolist() == ["a", "a", "a / b"]


def test_over_collections_each_counts_with_its_mean(scores):
    sixths = scores.assign(collection=scores["query_id"].astype(int) % 6)
    board = sixths.ireval.leaderboard("AP", resample="collection", draws=40)
    means = sixths.groupby(["run", "collection", "measure"], as_index=False)["value"].mean()
    by_hand = means.rename(columns={"collection": "query_id"})
    by_hand.attrs = dict(scores.attrs)
    expected = by_hand.ireval.leaderboard("AP", draws=40)
    columns = ["run", "rank", "rank_low", "rank_high", "tier", "last_tier", "in_top_tier"]
    pd.testing.assert_frame_equal(board[columns], expected[columns])
    np.testing.assert_allclose(board["score"], expected["score"], rtol=1e-14)
    assert board.attrs["resample"] == ["collection"]
    assert "over collections" in str(board.ireval.report())


def test_elo_is_400_times_the_decimal_logarithm_of_the_strength(scores):
    plain = scores.ireval.leaderboard("AP", method="bradley-terry", draws=20)
    elo = scores.ireval.leaderboard("AP", method="bradley-terry", scale="elo", draws=20)
    for name in ("score", "score_low", "score_high"):
        np.testing.assert_allclose(elo[name], 400 * np.log10(np.exp(plain[name])), rtol=1e-12)
    assert elo["rank"].tolist() == plain["rank"].tolist()


def test_of_a_measure_of_which_less_is_better_intervals_are_in_its_own_unit(judged):
    board = judged.leaderboard("ASL", draws=50)
    assert board["score"].is_monotonic_increasing
    assert (board["score_low"] <= board["score"]).all()
    assert (board["score"] <= board["score_high"]).all()


def test_the_interval_of_the_score_is_a_percentile_interval(scores):
    board = scores.ireval.leaderboard("AP", draws=400).set_index("run")
    wide = scores[scores["measure"] == "AP"].pivot(index="query_id", columns="run", values="value")
    rng = np.random.default_rng(0)
    weights = rng.multinomial(len(wide), np.full(len(wide), 1 / len(wide)), size=400)
    ends = np.quantile(weights @ wide.to_numpy() / len(wide), [0.025, 0.975], axis=0)
    np.testing.assert_allclose(board.loc[wide.columns, "score_low"], ends[0], rtol=1e-12)
    np.testing.assert_allclose(board.loc[wide.columns, "score_high"], ends[1], rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"scale": "elo"},
            r"scale='elo' requires method='bradley-terry', got 'mean'\. Omit scale=\.",
        ),
        ({"draws": 0}, r"draws=0"),
        ({"alpha": 2}, r"alpha=2"),
    ],
)
def test_wrong_options_are_refused(scores, options, message):
    with pytest.raises(ValueError, match=message):
        scores.ireval.leaderboard("AP", **options)


def test_collections_of_a_join_are_those_of_a_table(judged):
    with pytest.raises(
        ValueError,
        match=r"resample='collection' requires a table of scores or preferences",
    ):
        judged.leaderboard("AP", resample="collection")


def test_one_collection_has_no_interval(scores):
    with pytest.raises(
        ValueError,
        match=r"a leaderboard over collections needs at least two collections; 'site' has only 'x'",
    ):
        scores.assign(site="x").ireval.leaderboard("AP", resample="site")


def test_the_report_says_tiers_and_their_test(judged):
    text = judged.leaderboard("AP", draws=20).ireval.report().to_markdown()
    assert "| hybrid    |" in text
    assert "| 1–2  |" in text
    how = "(paired Student t test, max-t correction of 66 comparisons, α = 0.05)"
    assert f"No system of a tier is significantly better than one below it {how}." in text
    assert "In brackets the bootstrap intervals of rank and score over queries." in text


@pytest.mark.broad
def test_a_board_says_how_it_was_made(scores):
    said = {"correction": "bonferroni", "alpha": 0.2, "seed": 4, "draws": 15, "confidence": 0.8}
    found = scores.ireval.leaderboard(test="sign", **said)
    assert said.items() <= found.attrs.items()
    assert list(found.attrs["tests"]) == ["sign"]
    assert "resample" not in found.attrs
    parted = scores.assign(collection=scores["query_id"].astype(int) % 5)
    assert parted.ireval.leaderboard(resample="collection", draws=15).attrs["resample"] == [
        "collection"
    ]
    narrow, wide = (scores.ireval.leaderboard(draws=60, confidence=one) for one in (0.3, 0.99))
    assert (
        narrow["score_high"] - narrow["score_low"] < wide["score_high"] - wide["score_low"]
    ).all()


def small_scores(seed=0):
    """Five runs on ten queries by two measures, of one of which less is better."""
    rng = np.random.default_rng(seed)
    rows = [
        (run, str(query), measure, value + 0.25 * number * (1 if measure == "AP" else -1))
        for measure in ("ASL", "AP")
        for number, run in enumerate("vwxyz")
        for query, value in enumerate(rng.random(10))
    ]
    return pd.DataFrame(rows, columns=["run", "query_id", "measure", "value"])


@pytest.mark.broad
@pytest.mark.parametrize("test", ["randomization", "sign", None])
def test_a_board_is_put_together_from_order_and_compare_with_all_their_options(test):
    scores = small_scores()
    drawn = {"seed": 6, "draws": 25, "confidence": 0.7}
    asked = {"correction": "none", "alpha": 0.1}
    board = scores.ireval.leaderboard(
        ["AP", "ASL"], method=["mean", "borda"], test=test, **drawn, **asked
    )
    orders = scores.ireval.order(["AP", "ASL"], method=["mean", "borda"], **drawn)
    told = scores.ireval.compare(["AP", "ASL"], test=test, seed=6, **asked)
    assert list(board.columns) == [
        *(
            "run",
            "measure",
            "method",
            "rank",
            "rank_low",
            "rank_high",
            "tier",
            "last_tier",
            "in_top_tier",
        ),
        *("score", "score_low", "score_high"),
    ]
    pd.testing.assert_frame_equal(
        board[list(orders.columns)], pd.DataFrame(orders), check_categorical=False
    )
    assert isinstance(board.index, pd.RangeIndex)
    for (measure, _), part in board.groupby(["measure", "method"], observed=True):
        sure = told[(told["measure"] == measure) & told["significant"]]
        apart = {frozenset(pair) for pair in zip(sure["run_a"], sure["run_b"], strict=True)}
        first = part.loc[part["rank"] == 1, "run"]
        top = [not any(frozenset((run, best)) in apart for best in first) for run in part["run"]]
        assert part["in_top_tier"].tolist() == top
        for tier in range(1, part["last_tier"].max() + 1):
            members = part[(part["tier"] <= tier) & (tier <= part["last_tier"])]["run"].tolist()
            assert not any(
                {a, b} == set(pair) for pair in apart for a in members for b in members if a != b
            )
    names = told[["test", "measure"]].drop_duplicates()
    assert board.attrs["tests"] == {
        name: part["measure"].astype(str).tolist()
        for name, part in names.groupby("test", observed=True)
    }
    assert (board.attrs["alpha"], board.attrs["seed"]) == (0.1, 6)


def test_collections_count_by_the_mean_of_the_queries_that_a_run_has():
    values = np.array(
        [[[1.0, np.nan], [2.0, np.nan], [4.0, 3.0]], [[np.nan, 8.0], [6.0, 8.0], [1.0, 2.0]]]
    )
    expected = [[7 / 3, 3.0], [3.5, 6.0]]
    assert room._mean(values).tolist() == pytest.approx(np.array(expected))
    none = room._mean(np.full((1, 2, 1), np.nan))
    assert np.isnan(none).all()
    assert none.shape == (1, 1)


@pytest.mark.broad
def test_preferences_of_collections_have_a_board_too():
    judged = pdeval.datasets.sample_judged(queries="common")
    pairs = judged.prefer("RPP").assign(collection=lambda frame: frame["query_id"].astype(int) % 4)
    board = pairs.ireval.leaderboard(resample="collection", draws=10)
    means = pairs.groupby(
        ["run_a", "run_b", "collection", "measure"], as_index=False, observed=True
    )["value"].mean()
    by_hand = means.rename(columns={"collection": "query_id"})
    by_hand.attrs = dict(pairs.attrs)
    expected = by_hand.ireval.leaderboard(draws=10)
    columns = ["run", "rank", "rank_low", "rank_high", "tier", "last_tier", "in_top_tier"]
    pd.testing.assert_frame_equal(board[columns], expected[columns])


@pytest.mark.parametrize(
    ("option", "value"), [("confidence", 1.5), ("alpha", 0.0), ("draws", 0.5), ("seed", -1)]
)
def test_options_out_of_range_are_named(option, value):
    with pytest.raises(ValueError, match=f"{option}={value}"):
        small_scores().ireval.leaderboard("AP", **{option: value})


@pytest.mark.broad
def test_elo_is_refused_where_any_method_is_another():
    with pytest.raises(
        ValueError,
        match=r"scale='elo' requires method='bradley-terry', got 'borda'\. Omit scale=\.",
    ):
        small_scores().ireval.leaderboard(
            "AP", method=["bradley-terry(prior=1)", "borda"], scale="elo", draws=2
        )
    elo = small_scores().ireval.leaderboard(
        "AP", method="bradley-terry(prior=1)", scale="elo", draws=2
    )
    own = small_scores().ireval.leaderboard("AP", method="bradley-terry(prior=1)", draws=2)
    np.testing.assert_allclose(elo["score"], own["score"] * 400 / np.log(10), rtol=1e-12)


def test_tests_are_named_in_the_order_of_their_measures(judged):
    assert list(judged.leaderboard(["AP", "sgnLP", "RR"], draws=2).attrs["tests"].items()) == [
        ("t", ["AP", "RR"]),
        ("sign", ["sgnLP"]),
    ]
