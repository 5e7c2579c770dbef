"""Boards of votes: what is drawn together, what is passed on to the tests, and how few systems and groups will do."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pdeval.significance import leaderboard as room
from pdeval.tables.reader import read
from tests.significance.test_vote_leaderboard import PLAIN, arena, by_system, chain, known


@pytest.mark.broad
def test_votes_drawn_together_make_one_board_whatever_the_order_of_their_rows():
    log = arena(votes=300, systems=4, users=20)
    board = log.ireval.leaderboard(resample="judge", draws=25)
    for seed in (1, 2):
        other = log.sample(frac=1, random_state=seed).ireval.leaderboard(resample="judge", draws=25)
        pd.testing.assert_frame_equal(other, board, check_exact=True)


def test_votes_without_a_judge_are_one_group_and_judges_without_a_vote_are_none():
    log = arena(votes=60, systems=3, users=4)
    named = log["judge"].map({0: "u", 1: "v", 2: None, 3: "w"})
    some = log.assign(judge=pd.Categorical(named, ["x", "w", "v", "u"]))
    code, names = room._together(read(some, "votes"), "judge")
    assert names == ["judge"]
    assert sorted(set(code.tolist())) == [0, 1, 2, 3]
    assert len({(one, str(judge)) for one, judge in zip(code, named, strict=True)}) == 4
    code, names = room._together(read(log.assign(day=log.index % 2), "votes"), ["judge", "day"])
    assert names == ["judge", "day"]
    assert set(code.tolist()) == set(range(8))


def test_two_systems_and_two_groups_are_enough():
    rows = [("x", "y", "a", 1), ("x", "y", "b", 2), ("y", "x", "b", 2), ("x", "y", "a", 1)]
    log = pd.DataFrame(rows, columns=["run_a", "run_b", "winner", "day"])
    board = log.ireval.leaderboard(method="bradley-terry(prior=2)", resample="day", draws=10)
    # three votes to one, and two tied ones: odds of 4 to 2
    np.testing.assert_allclose(board["score"], np.log(2) / 2 * np.array([1.0, -1.0]), rtol=1e-9)
    assert board["run"].tolist() == ["x", "y"]
    with pytest.raises(
        ValueError,
        match="all votes are in one group of day; bootstrap samples need at least two groups",
    ):
        log.assign(day=1).ireval.leaderboard(resample="day")


def test_the_number_of_pairs_that_never_met_and_the_first_of_them_are_told():
    rows = [("p", "q", "a"), ("q", "r", "b"), ("r", "s", "a"), ("s", "q", "tie")]
    log = pd.DataFrame(rows, columns=["run_a", "run_b", "winner"])
    with pytest.raises(
        ValueError,
        match=r"method='borda' needs all pairs of systems, but 2 of 6 never met, e\.g\. 'p' and 'r'",
    ):
        log.ireval.leaderboard(method="borda")


def test_the_correction_and_its_level_reach_the_p_values(monkeypatch):
    asked = []

    def kept(p, **options):
        asked.append((p.round(4).tolist(), options))
        return p

    monkeypatch.setattr(room, "adjust", kept)
    room._stronger(known([0.0, 1.0], 0.25), "fdr_tsbky", 0.2)
    room._stronger(known([0.0, 1.0], 0.25), None, 0.1)
    assert asked == [
        ([0.0455], {"correction": "fdr_tsbky", "alpha": 0.2}),
        ([0.0455], {"correction": "none", "alpha": 0.1}),
    ]


def test_resamples_without_an_answer_are_counted_by_the_method_that_has_none():
    # a resample lacks the one vote that x lost with a chance of (5 / 6)^6
    log = pd.DataFrame(
        [("x", "y", "a")] * 5 + [("x", "y", "b")], columns=["run_a", "run_b", "winner"]
    )
    with pytest.raises(
        ValueError, match=r"of 50 bootstrap samples have a system that won or lost all its votes"
    ):
        log.ireval.leaderboard(method=[PLAIN, "borda"], draws=50)
    assert len(log.ireval.leaderboard(method="borda", draws=50)) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 1.5}, "alpha=1.5"),
        ({"confidence": 0.0}, "confidence=0.0"),
        ({"draws": 0}, "draws=0"),
        ({"seed": -3}, "seed=-3"),
    ],
)
def test_options_out_of_range_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        arena(votes=60).ireval.leaderboard(**options)


def test_intervals_of_either_kind_follow_the_confidence_and_seeds_are_kept():
    log = arena(votes=500, systems=4)
    halves = {}
    for confidence in (0.5, 0.9):
        board = log.ireval.leaderboard(errors="sandwich", confidence=confidence, draws=50)
        halves[confidence] = by_system(board, "score_high") - by_system(board)
    wanted = stats.t.ppf(0.95, 499) / stats.t.ppf(0.75, 499)
    np.testing.assert_allclose(halves[0.9] / halves[0.5], wanted, rtol=1e-9)
    one, two, other = (
        log.ireval.leaderboard(draws=20, seed=seed)["score_low"].tolist() for seed in (3, 3, 4)
    )
    assert one == two != other


def test_ranks_of_drawn_strengths_are_percentiles_too():
    log = arena(votes=200, systems=4)
    options = {"draws": 200, "confidence": 0.6, "seed": 5, "rank_interval": "percentile"}
    board = log.ireval.leaderboard(method=PLAIN, errors="sandwich", **options)
    fitted = room.Fitted.of(
        room.Counts.of(
            *(getattr(room.log_of(read(log, "votes")), k) for k in ("one", "two", "sign")), 4
        ),
        0.0,
    )
    drawn = fitted.strength + np.random.default_rng(5).standard_normal((200, 4)) @ fitted.root.T
    ranks = 1 + (drawn[:, None, :] > drawn[:, :, None]).sum(axis=2)
    ends = np.sort(ranks, axis=0)[
        [39, 159]
    ]  # of 200, the 40th and the 160th are the first at which 20 and 80% are reached
    assert by_system(board, "rank_low").tolist() == ends[0].tolist()
    assert by_system(board, "rank_high").tolist() == ends[1].tolist()


def test_a_system_ahead_of_all_is_told_of_only_where_strengths_are_asked_for(recwarn):
    full = pd.concat(
        [chain(), pd.DataFrame([("x", "z", "a")], columns=["run_a", "run_b", "winner"])]
    )
    full.reset_index(drop=True).ireval.leaderboard(method="borda", draws=5)
    assert len(recwarn) == 0


def test_systems_of_equal_strength_without_an_error_are_never_told_apart():
    assert not room._stronger(known([1.0, 1.0], 0.0), None, 0.9).any()


def test_a_single_resample_is_a_board_too():
    assert (arena().ireval.leaderboard(draws=1)["rank"] >= 1).all()
