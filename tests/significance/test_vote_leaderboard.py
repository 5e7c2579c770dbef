"""Leaderboards of votes: other tools' strengths, errors by sandwich and by resampling, and what votes cannot tell."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval
from pdeval.orderings.bradley_terry import Counts, Fitted
from pdeval.significance import leaderboard as room

PLAIN = "bradley-terry(prior=0)"


def arena(votes=3000, systems=8, tied=0.2, seed=0, users=150):
    """Votes between systems, some of which are voted on far more than others."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(1, -1, systems)
    share = rng.dirichlet(np.full(systems, 2.0))
    a = rng.choice(systems, votes, p=share)
    b = (a + rng.integers(1, systems, votes)) % systems
    first = rng.random(votes) < 1 / (1 + np.exp(strength[b] - strength[a]))
    word = np.where(rng.random(votes) < tied, "tie", np.where(first, "model_a", "model_b"))
    names = np.array([f"m{k}" for k in range(systems)], dtype=object)
    return pd.DataFrame(
        {
            "model_a": names[a],
            "model_b": names[b],
            "winner": word,
            "judge": rng.integers(0, users, votes),
        }
    )


def by_system(board, column="score"):
    return board.sort_values("model")[column].to_numpy()


def coded(log):
    a, b = (log[side].str[1:].astype(int).to_numpy() for side in ("model_a", "model_b"))
    return a, b, log["winner"].map({"model_a": 1, "tie": 0, "model_b": -1}).to_numpy()


@pytest.mark.broad
@pytest.mark.extras
def test_strengths_are_those_of_choix():
    choix = pytest.importorskip("choix")
    log = arena(tied=0.0)
    a, b, sign = coded(log)
    games = list(zip(np.where(sign > 0, a, b).tolist(), np.where(sign > 0, b, a).tolist()))
    theirs = choix.opt_pairwise(8, games, alpha=0.0, tol=1e-12)
    ours = by_system(log.ireval.leaderboard(method=PLAIN, errors="sandwich"))
    np.testing.assert_allclose(ours, theirs - theirs.mean(), atol=1e-7)


@pytest.mark.broad
@pytest.mark.extras
def test_strengths_with_ties_are_those_of_evalica():
    evalica = pytest.importorskip("evalica")
    log = arena()
    said = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    found = evalica.bradley_terry(
        log["model_a"],
        log["model_b"],
        [said[one] for one in log["winner"]],
        tolerance=1e-13,
        limit=10_000,
    )
    theirs = np.log(found.scores.sort_index().to_numpy())
    ours = by_system(log.ireval.leaderboard(method=PLAIN, errors="sandwich"))
    np.testing.assert_allclose(ours, theirs - theirs.mean(), atol=1e-6)


def test_votes_add_up_to_what_the_strengths_expect():
    log = arena()
    a, b, sign = coded(log)
    strength = by_system(log.ireval.leaderboard(method=PLAIN, errors="sandwich"))
    chance = 1 / (1 + np.exp(strength[b] - strength[a]))
    won = (1 + sign) / 2
    for system in range(8):
        expected = chance[a == system].sum() + (1 - chance[b == system]).sum()
        assert expected == pytest.approx(
            won[a == system].sum() + (1 - won[b == system]).sum(), abs=1e-6
        )


def naive_sandwich(log, strength, together=None):
    """The covariance of strengths of mean zero, vote by vote, from the pseudo-inverse of the curvature."""
    a, b, sign = coded(log)
    side = np.zeros((len(log), 8))
    side[np.arange(len(log)), a], side[np.arange(len(log)), b] = 1, -1
    chance = 1 / (1 + np.exp(-side @ strength))
    bread = np.linalg.pinv(side.T @ (side * (chance * (1 - chance))[:, None]))
    slope = side * ((1 + sign) / 2 - chance)[:, None]
    if together is not None:
        slope = pd.DataFrame(slope).groupby(np.asarray(together)).sum().to_numpy()
    return bread @ slope.T @ slope @ bread


@pytest.mark.parametrize("resample", [None, "judge"])
def test_sandwich_intervals_are_those_of_the_covariance_summed_vote_by_vote(resample):
    log = arena()
    board = log.ireval.leaderboard(method=PLAIN, errors="sandwich", resample=resample)
    covariance = naive_sandwich(log, by_system(board), None if resample is None else log[resample])
    units = len(log) if resample is None else log[resample].nunique()
    half = stats.t.ppf(0.975, units - 1) * np.sqrt(np.diag(covariance) * units / (units - 1))
    np.testing.assert_allclose(by_system(board, "score_high") - by_system(board), half, rtol=1e-6)
    np.testing.assert_allclose(by_system(board) - by_system(board, "score_low"), half, rtol=1e-6)


def test_the_sandwich_of_a_pair_is_that_of_statsmodels():
    sm = pytest.importorskip("statsmodels.api")
    log = arena(tied=0.0)
    a, b, sign = coded(log)
    side = np.zeros((len(log), 8))
    side[np.arange(len(log)), a], side[np.arange(len(log)), b] = 1, -1
    found = sm.Logit((1 + sign) / 2, side[:, 1:]).fit(
        disp=0, tol=1e-12, cov_type="HC0"
    )  # against the first system
    fitted = Fitted.of(Counts.of(a, b, sign, 8), 0.0)
    np.testing.assert_allclose(fitted.strength[1:] - fitted.strength[0], found.params, atol=1e-7)
    ours = np.sqrt(fitted.pair_variance(np.arange(1, 8), np.zeros(7, dtype=int)))
    np.testing.assert_allclose(ours, found.bse, rtol=1e-6)


@pytest.mark.broad
@pytest.mark.parametrize("resample", ["vote", "judge"])
def test_bootstrap_and_sandwich_intervals_have_the_same_width(resample):
    log = arena(votes=6000)
    wide = [
        by_system(board, "score_high") - by_system(board, "score_low")
        for board in (
            log.ireval.leaderboard(resample=resample, errors=how)
            for how in ("bootstrap", "sandwich")
        )
    ]
    np.testing.assert_allclose(wide[0], wide[1], rtol=0.15)


@pytest.mark.broad
def test_votes_that_come_together_are_drawn_together():
    log = pd.concat([arena(votes=800)] * 5, ignore_index=True)
    log["prompt"] = np.tile(np.arange(800), 5)  # every vote was copied four times
    plain, grouped = (
        log.ireval.leaderboard(resample=one, errors="sandwich") for one in ("vote", "prompt")
    )
    ratio = (by_system(grouped, "score_high") - by_system(grouped)) / (
        by_system(plain, "score_high") - by_system(plain)
    )
    np.testing.assert_allclose(ratio, np.sqrt(5), rtol=0.01)


@pytest.mark.broad
def test_a_column_of_queries_is_what_is_drawn_unless_votes_are_asked_for():
    log = arena().rename(columns={"judge": "qid"})
    by_query, by_vote = (
        log.ireval.leaderboard(draws=50),
        log.ireval.leaderboard(draws=50, resample="vote"),
    )
    assert by_query.attrs["resample"] == ["qid"]
    assert by_vote.attrs["resample"] == ["votes"]
    assert not np.array_equal(by_query["score_low"], by_vote["score_low"])


def test_a_bootstrap_interval_has_the_error_of_fits_to_votes_drawn_again():
    log = arena(votes=400, systems=4)
    board = log.ireval.leaderboard(draws=30, seed=7)
    a, b, sign = coded(log)
    cell = (np.minimum(a, b) * 4 + np.maximum(a, b)) * 3 + np.where(a > b, -sign, sign) + 1
    kinds, n = np.unique(cell, return_counts=True)
    drawn = []
    for times in np.random.default_rng(7).multinomial(len(log), n / len(log), size=30):
        one, two, how = kinds // 12, kinds // 3 % 4, kinds % 3 - 1
        votes = Counts.of(np.repeat(one, times), np.repeat(two, times), np.repeat(how, times), 4)
        drawn.append(Fitted.of(votes, 0.01).strength)
    score = by_system(board)
    error = np.sqrt(np.square(np.array(drawn) - score).mean(axis=0) * 400 / 399)
    half = stats.t.ppf(0.975, 399) * error
    np.testing.assert_allclose(by_system(board, "score_low"), score - half, atol=1e-7)
    np.testing.assert_allclose(by_system(board, "score_high"), score + half, atol=1e-7)


def test_elo_is_400_times_the_decimal_logarithm():
    log = arena()
    own, elo = (log.ireval.leaderboard(scale=scale, draws=20) for scale in ("own", "elo"))
    for name in ("score", "score_low", "score_high"):
        np.testing.assert_allclose(elo[name], 400 * np.log10(np.exp(own[name])), rtol=1e-12)


def test_tiers_are_of_wald_tests_corrected_for_all_pairs():
    from scipy.special import ndtr

    log = arena(votes=1500)
    board = log.ireval.leaderboard(method=PLAIN, errors="sandwich", correction="bonferroni")
    score = by_system(board)
    covariance = naive_sandwich(log, score)
    best = int(np.argmax(score))
    spread = np.sqrt(np.diag(covariance) + covariance[best, best] - 2 * covariance[best])
    z = np.divide(score[best] - score, spread, out=np.zeros(8), where=spread > 0)
    worse = 2 * ndtr(-z) * 28 < 0.05
    assert by_system(board, "in_top_tier").tolist() == (~worse).tolist()
    assert 1 <= board["in_top_tier"].sum() < 8
    assert board["tier"].is_monotonic_increasing


def test_neither_the_order_of_rows_nor_the_side_of_a_system_matters():
    log = arena()
    board = log.ireval.leaderboard(draws=40)
    turned = log.rename(columns={"model_a": "model_b", "model_b": "model_a"})
    turned["winner"] = turned["winner"].replace({"model_a": "model_b", "model_b": "model_a"})
    for other in (log.sample(frac=1, random_state=1), turned):
        pd.testing.assert_frame_equal(other.ireval.leaderboard(draws=40), board, check_exact=True)


def test_other_orderings_count_the_shares_that_each_pair_won():
    log = arena()
    board = log.ireval.leaderboard(
        method=["bradley-terry", "borda", "winrate", "copeland", "mc4"], draws=20
    )
    pooled = pdeval.votes(log, per="all").ireval.order(method="winrate").sort_values("run")
    ours = board[board["method"] == "winrate"]
    np.testing.assert_allclose(by_system(ours), pooled["score"], atol=1e-12)
    assert board["method"].unique().tolist() == [
        "bradley-terry",
        "borda",
        "winrate",
        "copeland",
        "mc4",
    ]
    assert (board["rank_low"] <= board["rank_high"]).all()


def test_groups_of_votes_have_boards_of_their_own():
    log = arena().assign(language=lambda frame: np.where(frame.index % 2, "en", "de"))
    board = log.ireval.leaderboard(by="language", draws=20)
    alone = log[log["language"] == "de"].ireval.leaderboard(draws=20)
    first = board[board["language"] == "de"].drop(columns="language").reset_index(drop=True)
    pd.testing.assert_frame_equal(pd.DataFrame(first), pd.DataFrame(alone), check_exact=True)


def test_a_log_of_other_columns_becomes_one_by_a_call():
    log = arena().rename(columns={"model_a": "left", "model_b": "right"})
    log["winner"] = log["winner"].replace({"model_a": "left", "model_b": "right"})
    made = pdeval.votes(log, a="left", b="right", per="vote")
    assert made.columns.tolist() == ["run_a", "run_b", "winner", "judge"]
    board = made.ireval.leaderboard(draws=20)
    np.testing.assert_array_equal(board["score"], arena().ireval.leaderboard(draws=20)["score"])


@pytest.mark.broad
def test_most_pairs_may_never_meet():
    ring = [(f"s{k}", f"s{(k + 1) % 30}", word) for k in range(30) for word in ("a", "a", "b")]
    board = pd.DataFrame(ring, columns=["run_a", "run_b", "winner"]).ireval.leaderboard(draws=50)
    np.testing.assert_allclose(board["score"], 0.0, atol=1e-9)  # each is as good as all others
    assert (board["rank"] == 1).all()
    assert board["in_top_tier"].all()


def split():
    return pd.DataFrame(
        [("x", "y", "a"), ("x", "y", "b"), ("u", "v", "a"), ("u", "v", "b"), ("v", "w", "tie")],
        columns=["run_a", "run_b", "winner"],
    )


def chain():
    rows = [("x", "y", "a"), ("y", "z", "a"), ("y", "z", "b"), ("z", "x", "b")]
    return pd.DataFrame(rows, columns=["run_a", "run_b", "winner"])


@pytest.mark.parametrize(
    ("log", "options", "message"),
    [
        (
            split,
            {},
            r"the votes form 2 groups of systems without votes between them: x, y never met u, v, w\.",
        ),
        (
            chain,
            {"method": PLAIN},
            r"x lost and tied no vote with the other 2 systems, so their strength is infinite",
        ),
        (lambda: split().iloc[2:], {"method": "borda"}, r"1 of 3 never met, e\.g\. 'u' and 'w'"),
        (
            arena,
            {"method": "leximin"},
            r"method='leximin' requires 'worst_first' per query, which votes do not have\.",
        ),
        (
            arena,
            {"method": "borda", "scale": "elo"},
            r"scale='elo' requires method='bradley-terry', got 'borda'\.",
        ),
        (
            arena,
            {"method": "mc4", "errors": "sandwich"},
            r"errors='sandwich' requires method='bradley-terry', got 'mc4'\.",
        ),
        (arena, {"method": ["bradley-terry", PLAIN]}, r"one prior at a time"),
        (
            lambda: arena().assign(day=1),
            {"resample": "day"},
            r"all votes are in one group of day; bootstrap samples need at least two groups\.",
        ),
        (
            lambda: arena(votes=60, systems=4, tied=0.0),
            {"method": PLAIN},
            r"of 1,000 bootstrap samples have a system that won or lost",
        ),
    ],
)
def test_what_votes_cannot_tell_is_said(log, options, message):
    with pytest.raises(ValueError, match=message):
        log().ireval.leaderboard(**options)


def test_an_unknown_column_to_draw_by_is_named():
    with pytest.raises(
        KeyError,
        match=r"no column 'user' to resample by; the log has model_a, model_b, winner, judge",
    ):
        arena().ireval.leaderboard(resample="user")


def test_what_rests_on_the_prior_alone_is_told():
    with pytest.warns(
        UserWarning,
        match=r"x lost and tied no vote with the other 2 systems, so the size of their lead depends only on",
    ):
        board = chain().ireval.leaderboard(draws=10)
    assert board["run"].tolist()[0] == "x"


def test_the_report_says_votes_and_errors():
    log = arena()
    text = log.ireval.leaderboard(errors="sandwich", resample="judge").ireval.report().to_markdown()
    assert (
        "In brackets the sandwich intervals of rank and score over 3,000 votes, drawn by judge."
        in text
    )
    assert (
        "Wald test of Bradley–Terry strengths with sandwich errors, Holm correction, α = 0.05"
        in text
    )


@pytest.mark.slow
def test_intervals_cover_the_true_strengths_about_as_often_as_they_say():
    inside = []
    for seed in range(200):
        log = arena(votes=1500, tied=0.0, seed=seed)
        board = log.ireval.leaderboard(method=PLAIN, errors="sandwich", draws=1)
        truth = np.linspace(1, -1, 8)
        inside.append(
            (by_system(board, "score_low") <= truth) & (truth <= by_system(board, "score_high"))
        )
    assert 0.93 <= np.mean(inside) <= 0.97


@pytest.mark.parametrize("cells", [1, 2900])  # one resample at a time, or seven of 400 votes
def test_how_many_resamples_are_made_at_a_time_changes_nothing(monkeypatch, cells):
    log = arena(votes=400)
    whole = log.ireval.leaderboard(draws=30)
    monkeypatch.setattr(room, "CELLS", cells)
    pd.testing.assert_frame_equal(log.ireval.leaderboard(draws=30), whole)


@pytest.mark.broad
def test_a_board_says_how_it_was_made():
    said = {"correction": "bonferroni", "alpha": 0.2, "seed": 4, "draws": 15, "confidence": 0.8}
    board = arena(votes=400).ireval.leaderboard(resample="judge", **said)
    assert said.items() <= board.attrs.items()
    rest = {name: board.attrs[name] for name in ("run_columns", "resample", "errors", "votes")}
    assert rest == {
        "run_columns": ["model"],
        "resample": ["judge"],
        "errors": "bootstrap",
        "votes": 400,
    }
    narrow = arena(votes=400).ireval.leaderboard(confidence=0.3)
    wide = arena(votes=400).ireval.leaderboard()
    assert (
        narrow["score_high"] - narrow["score_low"] < wide["score_high"] - wide["score_low"]
    ).all()
    none, strict = (
        arena(votes=400).ireval.leaderboard(correction=one, draws=5)["tier"]
        for one in (None, "bonferroni")
    )
    assert none.max() > strict.max()


def known(strength, variance):
    """Strengths of very many votes, whose differences have a known variance."""
    return Fitted(np.array(strength), np.eye(len(strength)) * variance / 2, 0.0, 10**15)


def test_two_systems_differ_where_the_wald_test_of_their_strengths_is_below_the_level():
    p = 2 * stats.norm.sf(2.0)  # one apart, with a standard error of a half
    two = known([0.0, 1.0], 0.25)
    for alpha, differs in ((1.01 * p, True), (0.99 * p, False)):
        assert room._stronger(two, None, alpha).tolist() == [[False, False], [differs, False]]
    three = known([0.0, 1.0, 0.0], 0.25)  # of three pairs, by Bonferroni
    assert room._stronger(three, "bonferroni", 3.01 * p).sum() == 2
    assert room._stronger(three, "bonferroni", 2.99 * p).sum() == 0
    sure = room._stronger(known([0.0, 1.0, 0.0], 0.0), None, 0.05)  # without an error
    assert sure.tolist() == [[False, False, False], [True, False, True], [False, False, False]]
