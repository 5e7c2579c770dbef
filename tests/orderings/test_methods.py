"""The registries of orderings and coefficients: all of them work, and so does what a notebook declares."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import ENTRIES
from pdeval.orderings.coefficients import COEFFICIENTS
from pdeval.orderings.markov_chain import balance, leave_out, stationary
from pdeval.orderings.methods import borda, bradley_terry, chosen, leximin, mc4, orderings
from pdeval.orderings.order import order
from pdeval.orderings.votes import surplus_of_pairs

JUDGED = pdeval.datasets.sample_judged(queries="common")
SCORES = JUDGED.measure(["AP", "ASL"])
PREFERENCES = JUDGED.prefer("RPP")


@pytest.fixture
def declared():
    """What is declared in a test is forgotten after it."""
    before, coefficients = dict(ENTRIES), dict(COEFFICIENTS)
    yield
    for registry, old in ((ENTRIES, before), (COEFFICIENTS, coefficients)):
        registry.clear()
        registry.update(old)


@pytest.mark.parametrize("name", orderings())
def test_every_ordering_orders_scores_and_preferences(name):
    found = SCORES.ireval.order(method=name)
    assert found["method"].unique().tolist() == [name]
    if name != "leximin":  # its worst query decides, and another run's is less bad
        assert found.groupby("measure")["run"].first().tolist() == ["rerank-s1", "rerank-s1"]
    assert np.isfinite(found["score"]).all()
    if "value" in orderings()[name].columns:
        with pytest.raises(
            ValueError, match=f"method='{name}' requires scores; preferences have no value per run"
        ):
            PREFERENCES.ireval.order(method=name)
    else:
        found = PREFERENCES.ireval.order(method=name)
        assert found["rank"].iloc[0] == 1
        assert len(found) == 12


@pytest.mark.parametrize("name", orderings())
def test_every_ordering_says_what_it_is_and_where_it_comes_from(name):
    assert orderings()[name].summary.endswith(".")
    assert orderings()[name].reference


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_every_coefficient_correlates(name):
    found = SCORES.ireval.correlate(coefficients=name)
    assert found["coefficient"].tolist() == [name]
    assert 0 < found["value"].item() <= 1


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_every_coefficient_says_what_it_is_and_where_it_comes_from(name):
    assert COEFFICIENTS[name].summary.endswith(".")
    assert COEFFICIENTS[name].reference


def test_the_names_in_docstrings_and_errors_are_those_of_the_registries():
    for name in orderings():
        assert f'- "{name}": ' in order.__doc__
        assert f'- "{name}": ' in SCORES.ireval.order.__doc__
    for name in COEFFICIENTS:
        assert f'- "{name}": ' in SCORES.ireval.correlate.__doc__
    with pytest.raises(KeyError, match=f"There are: {', '.join(orderings())}."):
        SCORES.ireval.order(method="elo")
    with pytest.raises(KeyError, match=f"There are: {', '.join(COEFFICIENTS)}."):
        SCORES.ireval.correlate(coefficients="elo")


def test_an_ordering_of_a_notebook_works_in_order(declared):
    @pdeval.ordering
    def losses(net, *, most: float = 100.0):
        """Fewest runs that beat it."""
        return -np.minimum((net < 0).sum(axis=-1), most)

    for table in (SCORES, PREFERENCES):
        mine, theirs = (table.ireval.order(method=method) for method in ("losses", "copeland"))
        assert mine["run"].iloc[0] == theirs["run"].iloc[0]
    capped = JUDGED.order("RPP", method=["losses(most=0)", losses], draws=10)
    assert capped["method"].unique().tolist() == ["losses(most=0)", "losses"]
    assert capped.loc[capped["method"] == "losses(most=0)", "rank_high"].unique().tolist() == [1]
    with pytest.raises(KeyError, match=r"There are: mean, .*, losses\."):
        SCORES.ireval.order(method="wins")


def test_an_ordering_gives_one_score_per_run(declared):
    @pdeval.ordering
    def one_number(wins):
        """The same for all."""
        return wins.sum()

    with pytest.raises(
        ValueError, match=r"returned an array of shape \(\), expected \(1, 12\): .*axis=-1"
    ):
        SCORES.ireval.order(method="one_number")


def test_an_ordering_asks_for_what_there_is(declared):
    @pdeval.ordering
    def curious(ballots):
        """Looks at ballots."""

    with pytest.raises(
        ValueError,
        match="'curious' has the parameter 'ballots'; its arrays must be some of value, wins, surplus, net",
    ):
        SCORES.ireval.order(method="curious")


def test_parameters_of_orderings_stand_in_their_names():
    (one,) = chosen("mc4(teleport=0.05)", has_values=True)
    assert (one.label, one.parameters["teleport"]) == ("mc4(teleport=0.05)", 0.05)
    with pytest.raises(KeyError, match="mc4 has no parameter 'prior'"):
        chosen("mc4(prior=1)", has_values=True)


def test_a_coefficient_of_a_notebook_works_in_correlate(declared):
    @pdeval.coefficient
    def same_best(x, y):
        """Whether the same run is first."""
        return np.argmax(x) == np.argmax(y)

    found = JUDGED.correlate(["AP", "ASL"], coefficients=["same_best", "tau_b"])
    assert found["coefficient"].tolist() == ["same_best", "tau_b"]
    assert found["value"].iloc[0] == 1.0
    with pytest.raises(ValueError, match="pdeval already has a coefficient 'rbo'"):
        pdeval.coefficient(same_best, name="rbo")
    with pytest.raises(TypeError, match="'one' must take two arrays"):
        pdeval.coefficient(lambda x: 0.0, name="one")


def test_a_measure_that_is_a_method_or_a_coefficient_is_never_swallowed():
    with pytest.raises(
        ValueError, match=r"'mc4' is an ordering, not a measure. Use order\(method='mc4'\)"
    ):
        SCORES.ireval.order("mc4")
    with pytest.raises(
        ValueError, match=r"'mc4' is an ordering, not a measure. Use order\(method='mc4'\)"
    ):
        JUDGED.order("mc4")
    for accessor in (SCORES.ireval, SCORES.ireval.order().ireval, JUDGED):
        with pytest.raises(
            ValueError, match=r"'rbo' is a coefficient, .* Use correlate\(coefficients='rbo'"
        ):
            accessor.correlate("rbo")
        with pytest.raises(KeyError, match="no measure 'garbage'"):
            accessor.correlate("garbage")


@pytest.mark.broad
def test_paper_orders_measures_by_the_mean_and_preferences_by_mc4():
    judged = pdeval.datasets.sample_judged(queries="common")
    orders = judged.order(["AP", "RPP"], method="paper")
    assert orders["method"].tolist() == ["mean"] * 12 + ["mc4"] * 12
    same = judged.order("RPP", method="mc4")
    pd.testing.assert_series_equal(orders["score"][12:].reset_index(drop=True), same["score"])
    tau = judged.correlate(["AP", "RPP"], method="paper")
    pd.testing.assert_frame_equal(orders.ireval.correlate(method="paper"), tau)


def test_mc4_walks_a_few_steps_as_a_plain_loop_does():
    # net[i, j] < 0: more queries rank j above i, so that a walk at i moves to j with chance 1/4; else it stays
    net = np.array([[0, 3, 1, 2], [-3, 0, -2, 5], [-1, 2, 0, -4], [-2, -5, 4, 0]])
    mass = [1.0] * 4
    for _ in range(3):
        after = [0.0] * 4
        for i in range(4):
            beaten = [j for j in range(4) if net[i, j] < 0]
            for j in beaten:
                after[j] += mass[i] / 4
            after[i] += mass[i] * (1 - len(beaten) / 4)
        mass = after
    assert mc4(net, steps=3).tolist() == mass  # quarters are exact
    both = np.stack([net, net.T])
    assert mc4(both, steps=3).tolist() == [mass, mc4(net.T, steps=3).tolist()]


def test_borda_ties_runs_of_the_same_surplus_exactly_whatever_it_is_made_of():
    net = np.array([[7, 0, 0, 0], [3, 4, 0, 0], [1, 2, 4, 0], [9, -1, -1, 0]])
    for queries in range(9, 60):  # a share of them, such as 7 / 49, is no exact number
        found = borda(surplus_of_pairs(net, np.full((4, 4), queries)))
        assert len(set(found.tolist())) == 1
        assert found[0] == pytest.approx((7 / queries + 3) / 2)


def test_every_ordering_of_no_resamples_is_none():
    none = np.zeros((0, 3, 3))
    assert bradley_terry(none, none).shape == (0, 3)
    assert borda(surplus_of_pairs(none, none)).shape == (0, 3)
    assert mc4(none).shape == (0, 3)


def test_no_ordering_writes_into_what_it_is_given():
    rng = np.random.default_rng(0)
    net = rng.integers(-3, 4, (4, 4))
    net = net - net.T
    held = {
        "net": net.astype(float),
        "shared": np.full((4, 4), 9.0),
        "value": rng.random(4),
        "wins": rng.random(4),
        "worst_first": np.sort(rng.random((4, 9)), axis=-1),
        "surplus": rng.random(4),
    }
    for array in held.values():
        array.setflags(write=False)
    for entry in orderings().values():
        if getattr(entry.kernel, "__module__", "").startswith("pdeval."):
            assert entry.kernel(*[held[column] for column in entry.columns]).shape == (4,)
    weight = np.abs(rng.random((4, 4)))
    weight.setflags(write=False)
    for inside in (leave_out, stationary):
        inside(weight)
    balance(weight, held["value"] - held["value"].mean())


def votes_between(seed, shape, runs):
    net = np.triu(np.random.default_rng(seed).integers(-3, 4, (*shape, runs, runs)), 1)
    return (net - np.swapaxes(net, -1, -2)) * 1.0


@pytest.mark.parametrize("shape", [(), (1,), (2,), (5,)])
@pytest.mark.parametrize("teleport", [0.01, 0.3, 1.0])
def test_mc4_is_at_every_run_as_often_after_a_step_as_before(shape, teleport):
    net = votes_between(3, shape, 4)
    assert (net == 0).sum() > 4 * int(np.prod(shape))  # some pairs are tied: nobody moves
    found = mc4(net, teleport=teleport)
    assert found.shape == (*shape, 4)
    for one, mass in zip(net.reshape(-1, 4, 4), found.reshape(-1, 4), strict=True):
        walk = np.zeros((4, 4))
        for i in range(4):
            for j in range(4):
                if i != j and one[i, j] < 0:
                    walk[i, j] = 1 / 4
            walk[i, i] = 1 - walk[i].sum()
        np.testing.assert_allclose(mass @ ((1 - teleport) * walk + teleport / 4), mass, atol=1e-14)
        assert mass.sum() == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("teleport", [0.0, -0.1, 1.0001, 2.0])
def test_mc4_needs_a_share_of_jumps(teleport):
    with pytest.raises(
        ValueError,
        match=r"expected a number in \(0, 1\]; without teleport the result is not unique",
    ):
        mc4(votes_between(0, (), 3), teleport=teleport)


@pytest.mark.parametrize("shape", [(), (1,), (2,), (3,), (6,)])
@pytest.mark.parametrize("prior", [0.1, 2.0])
def test_bradley_terry_expects_the_wins_that_were_had_and_half_of_the_prior(shape, prior):
    net = votes_between(5, shape, 4)
    shared = np.abs(net) + np.random.default_rng(1).integers(0, 3, (*shape, 1, 1)) * 2.0
    found = bradley_terry(net, shared, prior=prior)
    assert found.shape == (*shape, 4)
    for votes, both, strength in zip(
        net.reshape(-1, 4, 4), shared.reshape(-1, 4, 4), found.reshape(-1, 4), strict=True
    ):
        for i in range(4):
            others = [j for j in range(4) if j != i]
            had = sum((both[i, j] + votes[i, j] + prior) / 2 for j in others)
            expected = sum(
                (both[i, j] + prior) / (1 + np.exp(strength[j] - strength[i])) for j in others
            )
            assert expected == pytest.approx(had, abs=1e-6)
        assert strength.sum() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("prior", [0.0, -1.0])
def test_bradley_terry_needs_a_prior(prior):
    with pytest.raises(
        ValueError,
        match="expected a number above 0; without it a run that always wins has infinite strength",
    ):
        bradley_terry(votes_between(0, (), 3), np.full((3, 3), 4.0), prior=prior)


def test_leximin_counts_the_runs_behind_as_a_float():
    found = leximin(np.array([[0.1, 0.9], [0.1, 0.2], [0.0, 1.0]]))
    assert (found.tolist(), found.dtype) == ([2.0, 1.0, 0.0], np.float64)


@pytest.mark.parametrize(
    ("has_values", "usual", "paper"), [(True, "mean", "mean"), (False, "winrate", "mc4")]
)
def test_what_is_not_asked_for_depends_on_what_there_is(has_values, usual, paper):
    assert [one.label for one in chosen(None, has_values=has_values)] == [usual]
    assert [one.label for one in chosen(("paper", "borda", "Borda"), has_values=has_values)] == [
        paper,
        "borda",
    ]
    with pytest.raises(ValueError, match=r"^method=\[\] is empty"):
        chosen([], has_values=has_values)
